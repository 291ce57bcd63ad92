//! Promises to users of queue pairs: a lone one has the line, and steps of the date change nothing.
use super::network::{Network, Plan, US};
use super::node::{FLOW_BITS, mapped};
use super::plan;
use super::table::read;
use rand::Rng;
use timely_regs::counters::Counter;
use timely_regs::map::time;
use timely_regs::parameters::Parameters;
use timely_tests::rng;

/// A lone pair under TIMELY keeps the line: its host's 128 packets of 1,106 bytes are five times
/// what the way of 20 us holds.
#[test]
fn a_lone_pair_fills_the_line() {
    let mut n = Network::new(plan(Parameters::timely_10g(20.0), 1), 1, 1);
    let m = n.measure(2000 * US, 5000 * US);
    println!("{m:.4?}");
    assert!(m.utilization >= 0.98 && m.samples > 10 && m.dropped == 0, "{m:?}");
}

/// Nothing sets the rate of a pair that is learned and not joined: its answers are not known, and
/// their absence is no congestion. Joined while it sends, it is measured from then on: the first
/// sample is the path's, 20.8 us, and the rate rises.
#[test]
fn a_pair_that_is_not_joined_keeps_its_first_rate() {
    let profile = Parameters { timeout_us: 200.0, initial_mbps: 5000.0, ..Parameters::timely_10g(20.0) };
    let mut n = Network::new(Plan { joins: false, ..plan(profile, 1) }, 1, 1);
    n.run(1000 * US);
    let before = n.nodes[0].left[0];
    n.run(6000 * US);
    let mbps = (n.nodes[0].left[0] - before) as f64 * 8.0 / 5000.0;
    let counted = n.counted();
    println!("{mbps:.1} Mb/s after 30 time-outs");
    assert!((mbps / 5000.0 - 1.0).abs() < 0.01, "{mbps} Mb/s");
    assert_eq!((counted[Counter::SegmentTimeouts as usize], n.nodes[0].rtts.len()), (0, 0));
    assert!(counted[Counter::AnswersUnknown as usize] > 30, "{counted:?}");
    n.join();
    let m = n.measure(8000 * US, 10_000 * US);
    let (counted, first) = (n.counted(), n.nodes[0].rtts[0]);
    println!("joined at 6 ms: {m:.4?}, the first sample {first:?}");
    assert!(m.utilization > 0.52 && m.samples > 10, "{m:?}");
    assert!(first.1.abs_diff(20_850) < 150 && counted[Counter::SegmentTimeouts as usize] == 0, "{first:?}, {counted:?}");
}

/// The driver joins pairs by their answers: of its host's queue pairs it knows the two numbers
/// alone. Behind that all are measured, as pairs that the host joined are, and the NIC lists them.
#[test]
fn pairs_are_joined_by_their_answers() {
    const PAIRS: usize = 8;
    let profile = Parameters { timeout_us: 200.0, ..Parameters::timely_10g(20.0) };
    let mut n = Network::new(Plan { joins: false, ..plan(profile, 1) }, 2, PAIRS);
    let mut joined = 0;
    let mut ends = 0;
    for turn in 1..200 {
        n.run(turn * 100 * US);
        joined += n.follow(2);
        if joined == 2 * PAIRS {
            ends = turn;
            break;
        }
    }
    println!("{joined} pairs joined by {} us", 100 * ends);
    assert_eq!(joined, 2 * PAIRS, "pairs that were joined");
    let unknown = n.counted()[Counter::AnswersUnknown as usize];
    let m = n.measure((100 * ends + 10_000) * US, (100 * ends + 20_000) * US);
    let counted = n.counted();
    println!("{m:.4?}");
    assert!(m.samples > 3 * 2 * PAIRS && m.rtt_us < 30.0 && m.dropped == 0, "{m:?}");
    assert!(counted[Counter::AnswersUnknown as usize] - unknown < 64, "answers without a pair: {unknown}, then {counted:?}");
    assert_eq!((counted[Counter::PairsSet as usize], counted[Counter::PairsAmbiguous as usize]), (0, 0));
    for node in &mut n.nodes {
        let listed: Vec<_> = (0..1 << FLOW_BITS).filter_map(|flow| read(&mut node.nic, flow)).collect();
        let mut pairs: Vec<_> = node.pairs.iter().map(|p| (mapped(p.hosts.1), p.remote, Some(p.local), false)).collect();
        pairs.sort_by_key(|p| p.1);
        let mut sorted = listed.clone();
        sorted.sort_by_key(|p| p.1);
        assert_eq!(sorted, pairs);
    }
}

/// Dates step to anywhere every 211 us. Each RTT is still the path's to two clocks, which
/// [`Network`] checks of each, and pairs keep their rates to 1 %.
#[test]
fn steps_of_the_date_move_no_pair() {
    const SEED: u64 = 5;
    const MBPS: f64 = 3000.0;
    let mut rng = rng(SEED);
    let fixed = Parameters { outstanding_bytes: 0, ..Parameters::fixed(MBPS) };
    let mut n = Network::new(plan(fixed, SEED), 1, 2);
    let mut step = |n: &mut Network, to: u64| {
        for register in [time::SET_LOW, time::SET_HIGH] {
            n.write(0, register.address(), rng.random());
        }
        n.run(to * US);
    };
    (1..10).for_each(|i| step(&mut n, 211 * i));
    let (before, sampled) = (n.nodes[0].left.clone(), n.nodes[0].rtts.len());
    (10..30).for_each(|i| step(&mut n, 211 * i));
    let us = (20 * 211) as f64;
    let rates: Vec<f64> = n.nodes[0].left.iter().zip(before).map(|(a, b)| (a - b) as f64 * 8.0 / us).collect();
    let across = n.counted()[Counter::SamplesAcrossStep as usize];
    println!("{rates:.1?} Mb/s, {} samples, {across} across a step", n.nodes[0].rtts.len() - sampled);
    assert!(rates.iter().all(|r| (r / MBPS - 1.0).abs() < 0.01), "{rates:?} Mb/s, seed {SEED}");
    assert!(n.nodes[0].rtts.len() - sampled > 20 && across > 0, "seed {SEED}");
}
