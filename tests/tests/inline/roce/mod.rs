//! The in-line NIC that paces RoCEv2's queue pairs: its model behind RDMA hosts that know nothing
//! of it.
mod alone;
mod beside;
mod dcqcn;
mod far;
mod faults;
mod floor;
mod loss;
mod many;
mod marks;
mod network;
mod node;
mod pause;
mod promises;
mod reads;
mod rules;
mod rxe;
mod standing;
mod table;
mod world;

use crate::both::Both;
use network::{Faults, Network, Plan, US};
use rand::Rng;
use timely_hw::config::{CLOCK_PS, Config};
use timely_hw::shells::Extras;
use timely_regs::counters::{COUNTERS, Counter};
use timely_regs::parameters::Parameters;
use timely_sim::nic::inline::Model;
use timely_sim::nic::inline::rtl::Shell;
use timely_tests::nic::{build, counters};
use timely_tests::{cycles, few_seeds, left_to_soak, rng, seeds, thorough};
use world::World;

fn plan(profile: Parameters, seed: u64) -> Plan {
    Plan {
        gbps: 10.0,
        queue: 2e6,
        round_trip: 20 * US,
        profile,
        faults: Faults::default(),
        marking: None,
        pfc: None,
        behind: None,
        joins: true,
        ask_every: 0,
        age: 0,
        seed,
    }
}

/// TIMELY holds the bottleneck, shares it, and lets its queue come to the lower threshold; the same
/// hosts at the line's rate have all that they may send in it. Each sample is checked on the way.
#[test]
fn timely_shares_a_bottleneck() {
    let base_us = 20.0;
    let profile = Parameters::timely_10g(base_us);
    let threshold = (profile.t_low_us - base_us) * 1250.0;
    let seeds = if thorough() { seeds() } else { few_seeds() };
    // 8 hosts take 70 ms to come back from their start at the line's rate. A host is some 10 s of
    // the processor's time.
    for (hosts, from) in [(2, 25_000), (4, 25_000), (8, 70_000)].into_iter().filter(|h| thorough() || h.0 == 2) {
        for seed in &seeds {
            let mut n = Network::new(plan(profile.clone(), *seed), hosts, 1);
            let m = n.measure(from * US, (from + if thorough() { 25_000 } else { 15_000 }) * US);
            println!("{hosts} hosts, seed {seed}: {m:.3?}; the threshold is {threshold} bytes");
            assert!(m.utilization >= 0.95 && m.jain >= 0.95 && m.dropped == 0 && m.samples > 100, "{hosts} hosts, seed {seed}: {m:?}");
            assert!(
                m.greatest > 0.8 * threshold && m.greatest < 2.5 * threshold && m.rtt_us < profile.t_low_us,
                "{hosts} hosts, seed {seed}: {m:?}"
            );
        }
    }
}

/// Hosts that begin at the line's rate fill the bottleneck to its flow control, which pauses them.
/// Above `T_high` their rates fall all the same: the loop takes the queue back, and no pause is
/// needed any more.
#[test]
fn flow_control_does_not_take_the_loop_over() {
    for seed in if thorough() { seeds() } else { few_seeds() } {
        let mut n = Network::new(Plan { pfc: Some((150_000.0, 100_000.0)), ..plan(Parameters::timely_10g(20.0), seed) }, 2, 1);
        n.run(5000 * US);
        let at_start = n.pauses;
        // Until then the rates come back from how far the first queue took them down.
        let m = n.measure(16_000 * US, if thorough() { 40_000 } else { 20_000 } * US);
        println!("seed {seed}: {at_start} pauses, then {}; {m:.3?}", n.pauses - at_start);
        assert!(at_start > 0 && n.pauses == at_start, "seed {seed}: {at_start} pauses, then {}", n.pauses - at_start);
        assert!(m.utilization >= 0.95 && n.dropped == 0, "seed {seed}: {m:?}");
    }
}

/// A law has a step for each sample at most, and a pair a sample for each request that asks for an
/// ACK, which rxe does in a message's last packet. So short messages take more of a bottleneck than
/// TIMELY's equal shares: a limit that the page states, no worse than this.
#[test]
fn messages_of_other_sizes_have_other_shares() {
    for packets in [1, 4].into_iter().filter(|_| thorough()) {
        let mut n = Network::new(plan(Parameters::timely_10g(20.0), 1), 2, 1);
        n.nodes[0].pairs[0].packets = packets;
        let m = n.measure(40_000 * US, 80_000 * US);
        println!("messages of {packets} packets and of {}: {m:.3?}", rxe::MESSAGE);
        assert!(m.utilization > 0.95 && m.jain > 0.8, "messages of {packets} packets: {m:?}");
    }
}

/// Where the NIC makes packets within messages ask for ACKs, messages of all sizes have the shares
/// that TIMELY gives equal flows (theorem 5 of "ECN or Delay" for patched TIMELY has them equal).
#[test]
fn packets_made_to_ask_make_shares_equal() {
    for packets in [1, 4].into_iter().filter(|n| thorough() || *n == 4) {
        let mut n = Network::new(Plan { ask_every: 4, ..plan(Parameters::timely_10g(20.0), 1) }, 2, 1);
        n.nodes[0].pairs[0].packets = packets;
        let (from, to) = if thorough() { (40_000, 80_000) } else { (10_000, 20_000) };
        let m = n.measure(from * US, to * US);
        let made: Vec<u64> = n.nodes.iter().map(|h| h.made_to_ask).collect();
        println!("messages of {packets} packets and of {}: {m:.3?}, made to ask {made:?}", rxe::MESSAGE);
        assert!(m.utilization > 0.95 && m.jain > 0.95, "messages of {packets} packets: {m:?}");
        // Which ones is checked as they leave.
        assert!(made[1] > 1000 && m.dropped == 0, "{made:?}");
    }
}

/// Without control the windows of all hosts stand in the queue: half of each at least, which rxe
/// sends at once with the ACK of a message. A queue with less room drops.
#[test]
fn without_control_the_queue_is_full() {
    let line = Parameters { outstanding_bytes: 0, ..Parameters::fixed(10_000.0) };
    for hosts in [2, 4].into_iter().filter(|h| thorough() || *h == 2) {
        let m = Network::new(plan(line.clone(), 1), hosts, 1).measure(2000 * US, 6000 * US);
        let halves = f64::from(hosts as u32 * rxe::WINDOW / 2 * 1106) - 25_000.0;
        println!("{hosts} hosts: {m:.3?}; half of their windows less the way is {halves} bytes");
        assert!(m.utilization > 0.99 && m.queue > halves && m.greatest < 2.0 * halves + 50_000.0, "{hosts} hosts: {m:?}");
        let small = Plan { queue: 100_000.0, ..plan(line.clone(), 1) };
        let m = Network::new(small, hosts, 1).measure(0, 6000 * US);
        println!("{hosts} hosts, a queue of 100 KB: {m:.3?}");
        assert!(m.dropped > 0 && m.greatest > 90_000.0, "{hosts} hosts: {m:?}");
    }
}

/// Loss, reordering and lost answers slow pairs down and stop none; counters tell, and the NIC
/// itself drops nothing.
#[test]
fn faults_stop_no_pair() {
    let faults = Faults { loses: 0.003, loses_answers: 0.02, reorders: 0.003, mute: None };
    let mut n = Network::new(Plan { faults, ..plan(Parameters::timely_10g(20.0), 7) }, 2, 2);
    // The hosts' time-out of 67 ms is within the rest.
    let (half, end) = if thorough() { (80_000, 200_000) } else { (10_000, 85_000) };
    n.run(half * US);
    let acknowledged = |n: &Network| -> Vec<u64> { n.nodes.iter().flat_map(|h| h.pairs.iter().map(|p| p.acknowledged)).collect() };
    let before = acknowledged(&n);
    n.run(end * US);
    let after = acknowledged(&n);
    let naks: u64 = n.nodes.iter().flat_map(|h| h.pairs.iter().map(|p| p.naks)).sum();
    let timeouts: u64 = n.nodes.iter().flat_map(|h| h.pairs.iter().map(|p| p.timeouts)).sum();
    let counted = n.counted();
    let of = |c: Counter| counted[c as usize];
    println!("acknowledged {before:?}, then {after:?}; {naks} NAKs, {timeouts} time-outs, {counted:?}");
    assert!(before.iter().zip(&after).all(|(b, a)| a > b), "{before:?}, {after:?}");
    assert!(naks > 0 && of(Counter::NaksReceived) >= naks && of(Counter::RequestsRepeated) > naks && of(Counter::SamplesUnsure) > 0);
    assert_eq!((of(Counter::PacketsRefused), of(Counter::PacketsDiscarded), of(Counter::PairsMalformed)), (0, 0, 0));
}

/// With 100 ms to the peer and back the hosts send again before an answer comes, and still go on.
#[test]
fn a_long_way_stops_no_pair() {
    let profile = Parameters { timeout_us: 200_000.0, initial_mbps: 1000.0, ..Parameters::timely_10g(20.0) };
    let mut n = Network::new(Plan { round_trip: 100_000 * US, ..plan(profile, 3) }, 1, 1);
    let first = n.nodes[0].pairs[0].acknowledged;
    n.run(450_000 * US);
    let (acknowledged, timeouts) = (n.nodes[0].pairs[0].acknowledged - first, n.nodes[0].pairs[0].timeouts);
    let counted = n.counted();
    println!("{acknowledged} packets acknowledged, {timeouts} time-outs, {counted:?}");
    assert!(acknowledged >= 256 && timeouts > 0 && counted[Counter::RequestsRepeated as usize] > 0);
}

/// Queue pairs of one host go at the rate that their profile fixes, also more than the store has
/// room for: it holds the host up and drops nothing.
#[test]
fn fixed_rates_are_kept() {
    for pairs in [1, 8, 64].into_iter().filter(|n| thorough() || *n != 8) {
        let mbps = 6000.0 / pairs as f64;
        let fixed = Parameters { outstanding_bytes: 0, ..Parameters::fixed(mbps) };
        let mut n = Network::new(plan(fixed, 1), 1, pairs);
        let (from, to) = if pairs == 64 { (2000, 22_000) } else { (1000, 6000) };
        n.run(from * US);
        let before = n.nodes[0].left.clone();
        n.run(to * US);
        let us = (to - from) as f64;
        let rates: Vec<f64> = n.nodes[0].left.iter().zip(before).map(|(a, b)| (a - b) as f64 * 8.0 / us).collect();
        let counted = n.counted();
        println!("{pairs} pairs at {mbps} Mb/s: {rates:.1?}");
        assert!(rates.iter().all(|r| (r / mbps - 1.0).abs() < 0.01), "{pairs} pairs at {mbps} Mb/s: {rates:?}");
        assert_eq!(counted[Counter::PacketsRefused as usize] + counted[Counter::PacketsDiscarded as usize], 0);
    }
}

/// Sums of the counters.
type Counts = [u64; COUNTERS];

/// The Verilog of the core.
fn shell(bus: u32, flow_bits: u32) -> Shell {
    let shell = if bus == 512 { timely_hw::shells::Shell::OpenNic } else { timely_hw::shells::Shell::NetFpgaSume };
    let config = Config::new(bus as usize, flow_bits as usize).expect("a configuration that is built");
    let extras = Extras { roce: true, ..Extras::default() };
    let emit = || Ok::<_, String>(shell.emit_with(config, CLOCK_PS, extras)?.swap_remove(0).text);
    let text = emit().unwrap_or_else(|e| panic!("emission: {e}"));
    Shell::named(&format!("pairs_{bus}_{flow_bits}"), &text).unwrap_or_else(|e| panic!("{e}"))
}

/// The Verilog of the core, and its model, alike at every clock.
fn equal(bus: u32, flow_bits: u32, gbps: f64) -> Counts {
    let shell = shell(bus, flow_bits);
    let mut all = [0; COUNTERS];
    let mut commands = [0; 5];
    for seed in few_seeds() {
        let mut rng = rng(seed);
        let both = Both::new(shell.instantiate(seed as u32), Model::pairs(build(bus, flow_bits)));
        let mut nic = World::prepared(both, gbps);
        let mut world = World::new(bus as usize, rng.random());
        let mut left = cycles();
        while left > 0 {
            let stretch = left.min(rng.random_range(if world.is_silent() { 10_000 } else { 500 }..12_000));
            (0..stretch).for_each(|_| world.clock(&mut nic));
            world.order(&mut nic);
            left -= stretch;
        }
        let counted = counters(&mut nic);
        println!(
            "{bus} bits, 2^{flow_bits} flows, seed {seed}: {} requests, {} made to ask, {} others, {} notifications, forged {:?}, {} read, {} taken, {} joined, {counted:?}",
            world.requests, world.made_to_ask, world.others, world.notified, world.forged, world.read, world.taken, world.joins
        );
        for (sum, n) in commands.iter_mut().zip([world.read, world.taken, world.joins, world.ruled, world.made_to_ask]) {
            *sum += n;
        }
        for (sum, n) in all.iter_mut().zip(&counted) {
            *sum += u64::from(*n);
        }
    }
    assert!(
        cycles() < 100_000 || commands.iter().all(|n| *n > 0),
        "pairs read, answers taken, pairs joined, rules read, packets made to ask: {commands:?}"
    );
    all
}

/// Checks that the runs of all seeds together had each event to compare: with many flows the table
/// is being cleared for half of the time.
fn happened(counted: &Counts) {
    const WANTED: [Counter; 22] = [
        Counter::TxFrames,
        Counter::RateUpdates,
        Counter::SegmentTimeouts,
        Counter::PacketsDiscarded,
        Counter::PairsLearned,
        Counter::PairsSet,
        Counter::PairsRemoved,
        Counter::PairsAged,
        Counter::RequestsRepeated,
        Counter::RequestsRestarted,
        Counter::SamplesUnsure,
        Counter::NaksReceived,
        Counter::ReceiversNotReady,
        Counter::AnswersStray,
        Counter::AnswersUnknown,
        Counter::CongestionNotified,
        Counter::PairsMalformed,
        Counter::NotificationsSent,
        Counter::MarksUnknown,
        Counter::MarksPostponed,
        Counter::ReadsUncharged,
        Counter::RxFrames,
    ];
    let never: Vec<_> = WANTED.iter().filter(|c| counted[**c as usize] == 0).map(|c| format!("{c:?}")).collect();
    assert!(cycles() < 100_000 || never.is_empty(), "never happened: {never:?}");
}

/// At 512 bits, as OpenNIC has it.
#[test]
fn rtl_with_pairs_equals_model_512() {
    happened(&equal(512, 10, 100.0));
}

/// Under `cargo xtask soak`: at 256 bits, as NetFPGA SUME has it, with 128 bits beside a frame, of
/// which 32 are used here; and with other numbers of flows.
#[test]
fn rtl_with_pairs_equals_model_of_any_size() {
    if left_to_soak("inline: queue pairs at other sizes") {
        return;
    }
    happened(&equal(256, 10, 40.0));
    happened(&equal(512, 13, 100.0));
}
