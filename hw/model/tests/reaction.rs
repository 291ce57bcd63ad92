//! DCQCN's reaction point with more flows than it can look at in one of their periods: a CNP lowers
//! its flow's rate when it comes (Zhu et al., SIGCOMM'15, section 3.1), however much is owed.
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use timely_model::Block;
use timely_model::bus::{FlowLoad, KIND_RTT, ProfileWrite, Sample};
use timely_model::engine::law::action;
use timely_model::reaction::{ACK_TO_SAMPLE, In, Notice, Reaction};
use timely_regs::counters::Counter;
use timely_regs::parameters::Parameters;
use timely_regs::{flow, profile};

/// Clock of 250 MHz.
const CLOCK_NS: u64 = 4;
/// Clocks of a packet of 1,500 bytes at 100 Gb/s, and of one of 750.
const LONG: u64 = 30;
const SHORT: u64 = 15;
/// Time after a CNP in which no other one of its flow comes.
const INTERVAL_NS: u64 = 50_000;
const FLOW_BITS: u32 = 14;

/// CNPs of a run, and those that acted.
struct Outcome {
    /// CNPs that came, and those that lowered a rate before their flow's next one came.
    came: u64,
    acted: u64,
    /// Time from a CNP to its action, ns, sorted.
    late: Vec<u64>,
    /// Counted events of an engine that has too much to do.
    overflows: u64,
}

/// How the block hears of a flow.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Heard {
    /// By packets that leave, and CNPs that come: queue pairs.
    Notices,
    /// By ACKs, some of them marked: our own protocol.
    Acks,
}

/// Packets of `flows` flows at 100 Gb/s for 20 ms, one in `clocks` clocks, a CNP for one in
/// `marked` of them.
fn run(heard: Heard, flows: u32, clocks: u64, marked: u64, seed: u64) -> Outcome {
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
    let end = 20_000_000 / CLOCK_NS;
    let mut acked = None;
    for n in 0..end {
        let now = n * CLOCK_NS;
        let mut i = In::default();
        let flow = rng.random_range(0..flows);
        let at = flow as usize;
        let comes = rng.random_range(0..marked) == 0 && last[at].is_none_or(|t| now >= t + INTERVAL_NS + 10_000);
        let mut comes_now = None;
        match (heard, n % clocks) {
            (Heard::Notices, 0) => i.notice = Some(Notice { flow, marked: false, bytes: 1500 }),
            (Heard::Notices, 8) if comes => {
                i.notice = Some(Notice { flow, marked: true, bytes: 0 });
                comes_now = Some(flow);
            }
            (Heard::Acks, 0) => {
                i.ack = Some(comes);
                acked = Some((flow, comes));
            }
            (Heard::Acks, phase) if phase == ACK_TO_SAMPLE as u64 => {
                i.sample = acked.map(|(flow, _)| Sample { kind: KIND_RTT, flow, ..Sample::default() });
                comes_now = acked.filter(|a| a.1).map(|a| a.0);
            }
            _ => {}
        }
        if let Some(flow) = comes_now {
            // The last ones have no time to act.
            if n + 100_000 / CLOCK_NS < end {
                outcome.came += 1;
                waiting[flow as usize] = Some(now);
            }
            last[flow as usize] = Some(now);
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
/// flows, at any rate of CNPs and of packets: periods that are owed wait for CNPs, and not the
/// other way round. With few flows and long packets all do, and nothing is dropped for it.
#[test]
fn a_cnp_waits_for_nothing_that_is_owed() {
    let seed = rand::random();
    println!("seed {seed}\nheard     flows   clocks a packet   one CNP in   CNPs    acted   p50 us   p99.5 us   most us   overtaken");
    let few = [(64, LONG), (128, LONG), (64, SHORT)];
    let many = [256, 512, 1024, 4096, 1 << FLOW_BITS].map(|flows| (flows, LONG));
    for (flows, clocks) in few.into_iter().chain(many).chain([(1 << FLOW_BITS, SHORT)]) {
        for (heard, marked) in [(Heard::Notices, 4), (Heard::Notices, 64), (Heard::Acks, 8)] {
            if heard == Heard::Acks && clocks < LONG {
                // Samples closer together than looks are lost, and counted.
                continue;
            }
            let o = run(heard, flows, clocks, marked, seed);
            let us = |p: f64| o.late.get(((o.came - 1) as f64 * p) as usize).map_or(f64::INFINITY, |ns| *ns as f64 / 1e3);
            println!(
                "{:7}   {flows:5}   {clocks:15}   {marked:10}   {:5}   {:5}   {:6.2}   {:8.2}   {:7.2}   {}",
                format!("{heard:?}"),
                o.came,
                o.acted,
                us(0.5),
                us(0.995),
                us(1.0),
                o.overflows
            );
            assert!(us(0.995) * 1e3 < INTERVAL_NS as f64, "{} us, {heard:?}, {flows} flows, seed {seed}", us(0.995));
            if flows <= 128 && clocks == LONG {
                assert!(us(1.0) * 1e3 < INTERVAL_NS as f64 && o.overflows == 0, "{heard:?}, {flows} flows, seed {seed}");
            }
        }
    }
}
