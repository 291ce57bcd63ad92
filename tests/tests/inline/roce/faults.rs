//! Promises to users of queue pairs under faults: lost answers, a silent peer, a host that stops, a
//! reset. Expectations come from outside the model.
use super::network::{Faults, Network, Plan, US};
use super::plan;
use timely_regs::counters::Counter;
use timely_regs::map::id;
use timely_regs::parameters::Parameters;
use timely_sim::nic::core::Core;
use timely_tests::thorough;

/// Time-out of the pairs, us.
const TIMEOUT_US: u64 = 1000;
/// Longest search for timings that ran out, us.
const SCAN_US: u64 = 300;

fn profile() -> Parameters {
    Parameters { timeout_us: TIMEOUT_US as f64, ..Parameters::timely_10g(20.0) }
}

/// The first request that asks for an answer behind an outcome is timed: another outcome, a sample
/// or a time-out, follows it within the time-out and one scan, whatever answers are lost.
#[test]
fn every_timing_ends() {
    for loses_answers in [0.0, 0.3] {
        let faults = Faults { loses_answers, ..Faults::default() };
        let mut n = Network::new(Plan { faults, ..plan(profile(), 3) }, if thorough() { 8 } else { 3 }, 1);
        n.run(9000 * US);
        let mut given_up = 0;
        for node in &n.nodes {
            let mut ends: Vec<u64> = node.rtts.iter().map(|r| r.0).chain(node.timeouts.iter().copied()).collect();
            ends.sort_unstable();
            let mut longest = 0;
            for (i, from) in ends.iter().enumerate() {
                let first = node.asked.partition_point(|a| a < from);
                let Some(asked) = node.asked.get(first) else { continue };
                let until = ends.get(i + 1).copied().unwrap_or(n.nodes[0].nic.clk());
                longest = longest.max(until.saturating_sub(*asked));
            }
            let (samples, timeouts) = (node.rtts.len(), node.timeouts.len());
            println!("{loses_answers} lost: {samples} samples, {timeouts} time-outs, {} us at most", longest / US);
            given_up += timeouts;
            assert!(samples + timeouts > 0 && longest <= (TIMEOUT_US + SCAN_US) * US, "{loses_answers}: {} us", longest / US);
        }
        assert_eq!(given_up > 0, loses_answers > 0.0, "{given_up} time-outs with {loses_answers} lost");
    }
}

/// A peer that answers nothing any more: each time-out halves the rate, so that after five a
/// thirty-second is left and after ten the least. The host sends again after 67 ms, and what it
/// sends then is timed.
#[test]
fn a_rate_falls_in_silence() {
    let mut n = Network::new(plan(profile(), 1), 1, 1);
    n.run(3000 * US);
    n.plan.faults.mute = Some(n.nodes[0].pairs[0].local);
    let before = n.rate(0, 0);
    let (mut seen, mut rates) = (n.nodes[0].timeouts.len(), vec![before]);
    for ms in 4..900 {
        n.run(ms * 1000 * US);
        if n.nodes[0].timeouts.len() > seen {
            seen = n.nodes[0].timeouts.len();
            rates.push(n.rate(0, 0));
        }
        if rates.len() > 11 {
            break;
        }
    }
    println!("{rates:.1?} Mb/s, the host's time-outs {}", n.nodes[0].pairs[0].timeouts);
    assert!(before > 1000.0 && rates.len() > 10, "{rates:?}");
    assert!(rates[5] <= before / 32.0 * 1.001 && rates[10] <= 10.01, "{rates:?}");
}

/// Of a host's two pairs one goes to a peer that answers nothing: the other has the line.
#[test]
fn a_silent_peer_costs_another_pair_nothing() {
    let mut n = Network::new(plan(profile(), 2), 1, 2);
    n.plan.faults.mute = Some(n.nodes[0].pairs[0].local);
    // rxe gives a connection up after seven time-outs of 67 ms.
    let ends = if thorough() { vec![15, 100, 200, 300, 400, 500] } else { vec![15] };
    let mut from = 3;
    for to in ends {
        n.run(from * 1000 * US);
        let before = n.nodes[0].left.clone();
        n.run(to * 1000 * US);
        let us = ((to - from) * 1000) as f64;
        let mbps: Vec<f64> = n.nodes[0].left.iter().zip(before).map(|(a, b)| (a - b) as f64 * 8.0 / us).collect();
        println!("{from} to {to} ms: {mbps:.0?} Mb/s");
        assert!(mbps[0] < 200.0 && mbps[1] > 9700.0 - mbps[0], "{from} to {to} ms: {mbps:?} Mb/s");
        from = to;
    }
}

/// The host takes nothing for 400 us: round trips go on as long as it has packets under way, and
/// when it takes frames again all is as before.
#[test]
fn a_host_that_stops_stops_nothing_else() {
    let fixed = Parameters { outstanding_bytes: 0, ..Parameters::fixed(1000.0) };
    let mut n = Network::new(plan(fixed, 4), 1, 4);
    n.run(3000 * US);
    let samples = n.nodes[0].rtts.len();
    n.nodes[0].stalled = true;
    n.run(3400 * US);
    let meanwhile = n.nodes[0].rtts.len() - samples;
    n.nodes[0].stalled = false;
    n.run(5000 * US);
    let (before, missed) = (n.nodes[0].left.clone(), n.nodes[0].missed);
    n.run(9000 * US);
    let mbps: Vec<f64> = n.nodes[0].left.iter().zip(before).map(|(a, b)| (a - b) as f64 * 8.0 / 4000.0).collect();
    let counted = n.counted();
    println!("{meanwhile} samples meanwhile, {missed} frames missed, {mbps:.1?} Mb/s, {counted:?}");
    assert!(meanwhile >= 2, "{meanwhile} samples while the host stood");
    assert!(mbps.iter().all(|r| (r / 1000.0 - 1.0).abs() < 0.01), "{mbps:?} Mb/s");
    assert_eq!(counted[Counter::AnswersUnknown as usize], 0);
}

/// Greatest rate of a pair, Mb/s, that sends a packet each `every_us`; each of its ACKs asks for
/// more, and its first rate is 1 Gb/s.
fn greatest_mbps(use_window_us: f64, every_us: f64) -> f64 {
    let mut n = Network::new(plan(Parameters { initial_mbps: 1000.0, use_window_us, ..open() }, 6), 1, 1);
    n.nodes[0].pairs[0].packets = 1;
    n.nodes[0].pairs[0].messages = 0;
    n.run(100 * US);
    let mut greatest: f64 = 0.0;
    for i in 0..150 {
        n.post(0, 0);
        n.run(100 * US + (every_us * f64::from(i + 1) * US as f64) as u64);
        if i % 10 == 9 {
            greatest = greatest.max(n.rate(0, 0));
        }
    }
    assert!(n.nodes[0].rtts.len() > 40, "{} round trips", n.nodes[0].rtts.len());
    greatest
}

/// TIMELY far below its thresholds.
fn open() -> Parameters {
    Parameters { t_low_us: 100.0, t_high_us: 1000.0, additive_step_mbps: 4.0, ..Parameters::timely_10g(20.0) }
}

/// Section 5 of TIMELY: below 80 % of its use a rate does not rise.
#[test]
fn a_pair_that_does_not_use_its_rate_does_not_raise_it() {
    let [free, held, used] = [(0.0, 124.5), (20.0, 124.5), (20.0, 9.6)].map(|(window, every)| greatest_mbps(window, every));
    println!("{free:.0} Mb/s without the rule, {held:.0} with it, {used:.0} at 92 % of its use");
    assert!(free > 1100.0 && held <= 1008.0 && used > 1050.0, "{free}, {held}, {used} Mb/s");
}

/// A soft reset forgets all pairs, whatever is under way, and the store loses their packets: hosts
/// send again, after their time-out of 67 ms if all is lost. Pairs that send are learned again and
/// joined by their answers, and go at their rate.
#[test]
fn a_reset_recovers() {
    let fixed = Parameters { outstanding_bytes: 0, ..Parameters::fixed(1000.0) };
    let mut n = Network::new(Plan { joins: false, ..plan(fixed, 5) }, 1, 8);
    let mut at = 2000;
    for turn in 1..=if thorough() { 4 } else { 2 } {
        n.run(at * US);
        n.write(0, id::RESET.address(), 1);
        n.nodes[0].reset = true;
        let (mut joined, begun) = (0, at);
        while joined < 8 {
            at += 100;
            n.run(at * US);
            joined += n.follow(2);
            assert!(at < begun + 100_000, "reset {turn}: {joined} pairs joined");
        }
        at += 1000;
        n.run(at * US);
        let (before, samples) = (n.nodes[0].left.clone(), n.nodes[0].rtts.len());
        at += 5000;
        n.run(at * US);
        let mbps: Vec<f64> = n.nodes[0].left.iter().zip(before).map(|(a, b)| (a - b) as f64 * 8.0 / 5000.0).collect();
        println!("reset {turn}: joined after {} us, {mbps:.1?} Mb/s", at - 6000 - begun);
        assert!(mbps.iter().all(|r| (r / 1000.0 - 1.0).abs() < 0.01), "reset {turn}: {mbps:?} Mb/s");
        assert!(n.nodes[0].rtts.len() > samples + 20, "reset {turn}");
    }
}
