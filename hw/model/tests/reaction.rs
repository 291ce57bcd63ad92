//! DCQCN's reaction point with more flows than it can look at in one of their periods: a CNP lowers
//! its flow's rate when it comes (Zhu et al., SIGCOMM'15, section 3.1), however much is owed.
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use timely_model::Block;
use timely_model::bus::{FlowLoad, ProfileWrite};
use timely_model::engine::law::action;
use timely_model::reaction::{In, Notice, Reaction};
use timely_regs::counters::Counter;
use timely_regs::parameters::Parameters;
use timely_regs::{flow, profile};

/// Clock of 250 MHz.
const CLOCK_NS: u64 = 4;
/// A packet of 1,500 bytes at 100 Gb/s leaves in so many clocks.
const PACKET_CLOCKS: u64 = 30;
/// Time after a CNP in which no other one of its flow comes.
const INTERVAL_NS: u64 = 50_000;
const FLOW_BITS: u32 = 14;

/// What became of the CNPs of a run.
struct Outcome {
    /// CNPs that came, and those that lowered a rate before their flow's next one came.
    came: u64,
    acted: u64,
    /// Time from a CNP to its action, ns, sorted.
    late: Vec<u64>,
    /// Counted events of an engine that has too much to do.
    overflows: u64,
}

/// Packets of `flows` flows at 100 Gb/s for 20 ms, a CNP for one in `marked` of them.
fn run(flows: u32, marked: u64, seed: u64) -> Outcome {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut block = Reaction::new(FLOW_BITS);
    let words = Parameters::dcqcn_100g().quantise().expect("a named profile");
    let mut settings: Vec<In> = (0..profile::WORDS)
        .map(|word| In { profile: Some(ProfileWrite { profile: 1, word: word as u8, data: words[word] }), ..In::default() })
        .collect();
    let mut record = [0; flow::WORDS];
    flow::ENABLE.set(&mut record, 1).expect("a bit");
    flow::PROFILE.set(&mut record, 1).expect("a profile");
    settings.extend((0..flows).map(|flow| In { load: Some(FlowLoad { flow, record }), ..In::default() }));
    let mut clk = 0;
    let mut step = |i: &In| {
        let out = block.output(clk);
        block.step(clk, &In { now: (clk * CLOCK_NS) << 16, ready: true, ..i.clone() });
        clk += 1;
        out
    };
    while !step(&In::default()).swept {}
    for i in &settings {
        step(i);
        step(&In::default());
    }
    let mut outcome = Outcome { came: 0, acted: 0, late: Vec::new(), overflows: 0 };
    // When the CNP came that a flow has not acted on, and the last one.
    let mut waiting: Vec<Option<u64>> = vec![None; flows as usize];
    let mut last: Vec<Option<u64>> = vec![None; flows as usize];
    let clocks = 20_000_000 / CLOCK_NS;
    for n in 0..clocks {
        let now = n * CLOCK_NS;
        let mut i = In::default();
        let flow = rng.random_range(0..flows);
        if n % PACKET_CLOCKS == 0 {
            i.notice = Some(Notice { flow, marked: false, bytes: 1500 });
        } else if n % PACKET_CLOCKS == 15 && rng.random_range(0..marked) == 0 {
            let at = flow as usize;
            if last[at].is_none_or(|t| now >= t + INTERVAL_NS + 10_000) {
                i.notice = Some(Notice { flow, marked: true, bytes: 0 });
                // The last ones have no time to act.
                if n + 100_000 / CLOCK_NS < clocks {
                    outcome.came += 1;
                    waiting[at] = Some(now);
                }
                last[at] = Some(now);
            }
        }
        let out = step(&i);
        outcome.overflows += out.pulses >> Counter::EngineOverflows as u32 & 1;
        if let Some((flow, bits)) = out.action
            && bits & action::CNP != 0
            && let Some(came) = waiting[flow as usize].take()
        {
            outcome.acted += 1;
            outcome.late.push(now - came);
        }
    }
    outcome.late.sort_unstable();
    outcome
}

/// Of 1,000 CNPs 995 act within the interval in which no other one may come, of any number of
/// flows, at any rate of CNPs: periods that are owed wait for CNPs, and not the other way round.
/// With few flows all do, and nothing is dropped for it.
#[test]
fn a_cnp_waits_for_nothing_that_is_owed() {
    let seed = rand::random();
    println!("seed {seed}\nflows   one CNP in   CNPs   acted   p50 us   p99.9 us   most us   overtaken");
    for flows in [64, 128, 256, 512, 1024, 4096, 1 << FLOW_BITS] {
        for marked in [4, 64] {
            let o = run(flows, marked, seed);
            let at = |p: f64| o.late[((o.late.len() - 1) as f64 * p) as usize];
            let us = [0.5, 0.999, 1.0].map(|p| at(p) as f64 / 1e3);
            println!("{flows:5}   {marked:10}   {:4}   {:5}   {:6.2}   {:8.2}   {:7.2}   {}", o.came, o.acted, us[0], us[1], us[2], o.overflows);
            assert!(o.acted as f64 >= 0.999 * o.came as f64, "{} of {} CNPs acted, {flows} flows, seed {seed}", o.acted, o.came);
            assert!(at(0.995) < INTERVAL_NS, "{} ns, {flows} flows, seed {seed}", at(0.995));
            if flows <= 128 {
                assert!(at(1.0) < INTERVAL_NS && o.acted == o.came && o.overflows == 0, "{flows} flows, seed {seed}");
            }
        }
    }
}
