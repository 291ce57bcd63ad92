//! `timely_hw::roce::queue_pairs::PairRules` against `timely_model::queue_pairs::Rules`: rules are
//! written, shown and asked at once, every output at every clock.
use rand::Rng;
use std::collections::BTreeMap;
use std::net::Ipv6Addr;
use timely_hw::roce::queue_pairs::PairRules;
use timely_model::Block;
use timely_model::queue_pairs::{Given, RULE_LATENCY, Rules, RulesIn, RulesOut};
use timely_regs::map::roce;
use timely_tests::{cycles, quick, rng, seeds, verilate};

#[test]
fn rtl_equals_model() {
    let library = verilate("pair_rules", PairRules::new());
    let mut tally = BTreeMap::<&str, u64>::new();
    for seed in seeds() {
        let (mut rng, mut dut, mut model) = (rng(seed), library.instantiate(seed as u32), Rules::default());
        let input = |name: &str| library.input(name);
        // Addresses close to each other, so that prefixes of all lengths tell them apart.
        let mut near: u128 = rng.random();
        let mut i = RulesIn { rst: true, ..RulesIn::default() };
        let (mut writes, mut asks, mut kinds, mut since) = (0.0, 0.0, 1, 0);
        for clk in 0..cycles() {
            if clk > 0 {
                let get = |name: &str| dut.get(library.output(name));
                let given = (get("ask_hit") == 1).then(|| Given { profile: get("ask_profile") as u8, priority: get("ask_priority") as u8 });
                let out = model.output(clk);
                assert_eq!(RulesOut { given, told: get("told") as u32 }, out, "clock {clk}, seed {seed}");
                let mut count = |what, n: bool| *tally.entry(what).or_default() += u64::from(n);
                count("hit", since == RULE_LATENCY && out.given.is_some());
                count("no rule", since == RULE_LATENCY && out.given.is_none());
                count("asked again before the answer", i.ask.is_some() && since < RULE_LATENCY);
                count("told", out.told != 0);
            }
            since = if i.ask.is_some() { 1 } else { since + 1 };
            if clk % 2000 == 0 {
                near = rng.random();
                (writes, asks) = ([0.0, 0.02, 0.5][rng.random_range(0..3)], [0.01, 0.05, 0.3][rng.random_range(0..3)]);
                kinds = [1, 3, 64][rng.random_range(0..3)];
            }
            let at_bit = rng.random_range(0..128);
            let close = |far: bool| if far { near ^ 1 << at_bit } else { near };
            i = RulesIn {
                rst: rng.random_bool(0.0002),
                write: rng.random_bool(writes).then(|| {
                    let bits =
                        if rng.random_bool(0.2) { [0, 128, 129, 136, 255][rng.random_range(0..5)] } else { rng.random_range(0..=128) };
                    rng.random_range(0..1 << 27) & !(roce::RULE_BITS.mask() | roce::RULE_DSCP.mask())
                        | bits << roce::RULE_BITS.low
                        | rng.random_range(0..kinds) << roce::RULE_DSCP.low
                }),
                address: close(rng.random_bool(0.8)),
                word: if rng.random_bool(0.1) { rng.random() } else { i.word },
                ask: rng.random_bool(asks).then(|| (close(rng.random_bool(0.7)), rng.random_range(0..kinds) as u8)),
            };
            dut.set(input("rst"), i.rst.into());
            dut.set(input("write"), i.write.is_some().into());
            dut.set(input("write_rule"), i.write.unwrap_or_else(|| rng.random_range(0..1 << 27)).into());
            dut.set_bytes(input("address"), &i.address.to_le_bytes());
            dut.set(input("word"), i.word.into());
            dut.set(input("ask_valid"), i.ask.is_some().into());
            let ask = i.ask.unwrap_or_else(|| (rng.random(), rng.random_range(0..64)));
            dut.set_bytes(input("ask_address"), &ask.0.to_le_bytes());
            dut.set(input("ask_dscp"), ask.1.into());
            if clk == 0 {
                i.rst = true;
                dut.set(input("rst"), 1);
            }
            dut.tick();
            model.step(clk, &i);
        }
    }
    println!("{tally:?}");
    for what in ["hit", "no rule", "asked again before the answer", "told"] {
        assert!(quick() || tally.get(what).is_some_and(|n| *n >= 20), "{what} came {:?} times", tally.get(what));
    }
}

/// The rules against prefixes as the standard library prints addresses, bit by bit as text.
#[test]
fn a_prefix_is_the_first_bits_of_an_address() {
    let text = |address: Ipv6Addr| address.octets().iter().map(|b| format!("{b:08b}")).collect::<String>();
    for seed in seeds() {
        let mut rng = rng(seed);
        for _ in 0..2000 {
            let rule: Ipv6Addr = rng.random::<u128>().into();
            let bits: usize = rng.random_range(0..=128);
            // The same address from some bit on, so that half of them have the prefix.
            let keeps = rng.random_range(0..=128);
            let noise: u128 = rng.random::<u128>().checked_shr(keeps).unwrap_or(0);
            let asked = Ipv6Addr::from(u128::from(rule) ^ noise);
            let (dscp, ours): (u8, u8) = (rng.random_range(0..3), rng.random_range(0..3));
            let by_dscp = rng.random::<bool>();
            let mut model = Rules::default();
            let set = |field: timely_regs::field::Field, value: u32| value << field.low;
            let word = set(roce::RULE_INDEX, rng.random_range(0..16))
                | set(roce::RULE_USED, 1)
                | set(roce::RULE_BITS, bits as u32)
                | set(roce::RULE_DSCP, ours.into())
                | set(roce::RULE_BY_DSCP, by_dscp.into())
                | set(roce::RULE_PROFILE, 9)
                | set(roce::RULE_PRIORITY, 5);
            let low = |a: Ipv6Addr| u128::from_le_bytes(a.octets());
            model.step(0, &RulesIn { write: Some(word), address: low(rule), ..RulesIn::default() });
            model.step(1, &RulesIn { ask: Some((low(asked), dscp)), ..RulesIn::default() });
            (2..40).for_each(|clk| model.step(clk, &RulesIn::default()));
            let is_for = text(asked)[..bits] == text(rule)[..bits] && (!by_dscp || dscp == ours);
            let given = is_for.then_some(Given { profile: 9, priority: 5 });
            assert_eq!(model.output(40).given, given, "{asked} {dscp} by {rule}/{bits} {ours} {by_dscp}, seed {seed}");
        }
    }
}
