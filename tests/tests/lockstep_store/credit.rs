//! `timely_hw::inline::credit` against `timely_model::inline::credit`, every output at every clock;
//! and that no more waits than it allows.
use rand::Rng;
use std::collections::VecDeque;
use timely_hw::inline::credit::Credit as Rtl;
use timely_model::Block;
use timely_model::inline::credit::{Credit, In, MOST, UNKNOWN};
use timely_tests::{cycles, rng, seeds, verilate};

/// Clocks from a grant to its charge in the store, and least ones from there to the packet's first
/// beat on the wire.
const CHARGE: u64 = 10;
const WIRE: u64 = 12;

#[test]
fn rtl_equals_model() {
    let library = verilate("credit", Rtl::new());
    let [rst, rate, s_valid, m_ready, charge_valid, charge_bytes, begins] =
        ["rst", "cfg_line_rate", "s_valid", "m_ready", "charge_valid", "charge_bytes", "begins"].map(|n| library.input(n));
    let [s_ready, m_valid] = ["s_ready", "m_valid"].map(|n| library.output(n));
    let mut seen = [0u64; 4];
    for seed in seeds() {
        let mut rng = rng(seed);
        let (mut dut, mut model) = (library.instantiate(seed as u32), Credit::default());
        dut.set(rst, 1);
        dut.tick();
        // Grants with their bytes, until their charges and from there until they begin.
        let (mut granted, mut waiting) = (VecDeque::<(u64, u32)>::new(), VecDeque::<(u64, u32)>::new());
        let (mut line_rate, mut bytes, mut wire) = (5u32 << 24, 1538, 1.0);
        for clk in 0..cycles() / 4 {
            if clk % 300 == 0 {
                line_rate = [64, 5 << 24, 50 << 24, u32::MAX][rng.random_range(0..4)];
                bytes = [84, 1538, UNKNOWN][rng.random_range(0..3)];
                wire = [0.001, 0.02, 0.5, 1.0][rng.random_range(0..4)];
            }
            let (offered, ready, reset) = (rng.random_bool(0.8), rng.random_bool(0.9), rng.random_bool(0.0003));
            let charge = granted.front().filter(|g| g.0 + CHARGE <= clk).map(|g| g.1 as u16);
            let starts = waiting.front().is_some_and(|g| g.0 + WIRE <= clk) && rng.random_bool(wire);
            let open = model.open(line_rate);
            let i = In { rst: reset, line_rate, granted: offered && ready && open, charge, begins: starts };
            dut.set(rst, reset.into());
            dut.set(rate, line_rate.into());
            dut.set(s_valid, offered.into());
            dut.set(m_ready, ready.into());
            dut.set(charge_valid, charge.is_some().into());
            dut.set(charge_bytes, charge.map_or_else(|| rng.random_range(0..1 << 16), u64::from));
            dut.set(begins, starts.into());
            dut.settle();
            assert_eq!((dut.get(s_ready) == 1, dut.get(m_valid) == 1), (ready && open, offered && open), "clock {clk}, seed {seed}");
            let least: u32 = waiting.iter().map(|g| g.1).sum();
            // Bytes known to wait keep within the line's 64 clocks when a grant is taken, but for
            // the changes of the last two clocks.
            let limit = line_rate >> 18;
            assert!(!i.granted || least <= limit + 2 * UNKNOWN, "clock {clk}, seed {seed}: {least} bytes wait, and a grant is taken");
            let happened = [i.granted, offered && ready && !open, charge == Some(0), waiting.len() + granted.len() >= MOST as usize];
            seen.iter_mut().zip(happened).for_each(|(n, h)| *n += u64::from(h));
            if starts {
                waiting.pop_front();
            }
            if let Some((_, bytes)) = charge.and_then(|_| granted.pop_front()).filter(|g| g.1 != 0) {
                waiting.push_back((clk, bytes));
            }
            if i.granted {
                granted.push_back((clk, if rng.random_bool(0.05) { 0 } else { rng.random_range(84..=bytes) }));
            }
            if reset {
                (granted, waiting) = Default::default();
            }
            dut.tick();
            model.step(clk, &i);
        }
    }
    println!("grants, offers that wait, vain grants, as many packets as may wait: {seen:?}");
    assert!(cycles() < 100_000 || seen.iter().all(|n| *n > 100), "{seen:?}: something hardly happened");
}

/// At 10 Gb/s and 4 ns a clock one packet of 1,538 bytes waits behind the one that leaves, and of
/// 84 bytes as many as 64 clocks carry and one.
#[test]
fn what_waits_is_bounded_in_bytes() {
    for (line_rate, bytes, most) in
        [(5u32 << 24, 1538u32, 1), (5 << 24, 84, 4), (50 << 24, 1538, 3), (50 << 24, 9042, 1), (50 << 24, 84, 39)]
    {
        let mut unit = Credit::default();
        let (mut granted, mut known) = (VecDeque::new(), 0);
        let mut worst = 0;
        for clk in 0..4000u64 {
            let open = unit.open(line_rate);
            let charge = granted.pop_front_if(|at: &mut u64| *at + CHARGE <= clk).map(|_| bytes as u16);
            // The first leave one by one, until what a packet has is known; then none does.
            let begins = clk < 3000 && known > 0 && clk.is_multiple_of(40);
            unit.step(clk, &In { rst: false, line_rate, granted: open, charge, begins });
            if open {
                granted.push_back(clk);
            }
            known = known + usize::from(charge.is_some()) - usize::from(begins);
            if clk > 2000 {
                worst = worst.max(granted.len() + known);
            }
        }
        assert_eq!(worst, most, "packets of {bytes} bytes that wait, at {line_rate:#x} bytes a clock");
    }
}
