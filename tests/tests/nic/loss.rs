//! Lost ACKs cost a flow its time-out, and never more.
use rand::Rng;
use timely_regs::parameters::Parameters;
use timely_sim::nic::core::CoreEvent;
use timely_tests::bench::{Bench, answer};
use timely_tests::nic::{CLOCK_NS, Nic, cores, flow, spec, start};
use timely_tests::{cycles, few_seeds, rng};

const PEER: u16 = 9;
const FLOWS: u32 = 4;
/// Wire bytes of a packet of 1,024 payload bytes.
const WIRE: u32 = 1024 + 90 + 24;

/// All ACKs are lost, for a while: each flow stands at its bound and goes on when its oldest
/// segment is given up.
#[test]
fn a_lost_ack_stalls_a_flow_for_its_time_out_at_most() {
    const TIMEOUT_US: f64 = 100.0;
    let timeout = (TIMEOUT_US * 1000.0) as u64 / CLOCK_NS;
    // The time-outs of all flows are looked at in turn, a flow in 8 clocks.
    let scan = 8 << 10;
    // From the time-out to the departure: the release, a pass, the gate, the generator, and the
    // flow's own gap.
    let parameters = Parameters {
        initial_mbps: 5000.0,
        idle_mbps: 5000.0,
        least_mbps: 1000.0,
        outstanding_bytes: 4 * WIRE,
        timeout_us: TIMEOUT_US,
        ..Parameters::timely_10g(8.0)
    };
    let slack = 200 + WIRE as u64 * 8 / CLOCK_NS;
    for seed in few_seeds() {
        for bus in [64, 512] {
            for (name, mut nic) in cores(bus, 10) {
                let mut rng = rng(seed);
                let flows = (0..FLOWS).map(|f| flow(f, PEER, 1024, 1 + f % 2, &parameters)).collect();
                start(&mut *nic, &spec(bus, 10, 10.0, flows));
                let mut bench = Bench::new(nic);
                let begun = bench.clk();
                // A part is long enough for time-outs to strike and to heal, however short the run
                // is asked to be.
                let part = (cycles() / 2).max(2 * timeout);
                let silence = begun + part..begun + 4 * part;
                let end = begun + 5 * part;
                let mut last = [begun; FLOWS as usize];
                let (mut longest, mut healthy, mut after, mut packets) = (0, 0, 0, 0u64);
                while let Some(sent) = bench.run(end) {
                    let p = sent.packet();
                    let gap = sent.first - std::mem::replace(&mut last[p.flow() as usize], sent.first);
                    if silence.contains(&sent.first) {
                        longest = longest.max(gap);
                        packets += 1;
                    } else if sent.first < silence.start {
                        healthy = healthy.max(gap);
                    } else if sent.first > silence.end + timeout + scan + slack {
                        after = after.max(gap);
                    }
                    if p.is_last() && !silence.contains(&sent.first) {
                        bench.arrive(sent.last + rng.random_range(1000..1500), answer(&sent.frame, sent.now, sent.now));
                    }
                }
                let timeouts = bench.events.iter().filter(|e| matches!(e, CoreEvent::Timeout { .. })).count();
                println!(
                    "{name}, {bus} bits: {packets} packets and {timeouts} time-outs while all ACKs were lost; longest silence of a flow {longest} \
                     clocks, its time-out {timeout}, a scan {scan}; {healthy} before and {after} after"
                );
                assert!(timeouts > 4, "few time-outs, seed {seed}");
                assert!(longest > timeout, "the bound did not hold the flows, seed {seed}");
                assert!(longest <= timeout + scan + slack, "{longest} clocks of silence, seed {seed}");
                assert!(healthy < timeout / 2 && after < timeout / 2 && after > 0, "{healthy} and {after}, seed {seed}");
                let end = bench.clk();
                assert!(last.iter().all(|l| end - l < timeout / 2), "a flow stands at the end, seed {seed}");
            }
        }
    }
}

/// One ACK is lost: nothing stalls, for the next one tells what it would have told.
#[test]
fn a_later_ack_stands_for_a_lost_one() {
    let parameters = Parameters { outstanding_bytes: 8 * WIRE, initial_mbps: 2000.0, ..Parameters::timely_10g(50.0) };
    for (name, mut nic) in cores(64, 10) {
        start(&mut *nic, &spec(64, 10, 10.0, vec![flow(0, PEER, 1024, 1, &parameters)]));
        let mut bench = Bench::new(nic);
        let end = bench.clk() + 2 * cycles();
        let (mut number, mut longest, mut last) = (0u64, 0, bench.clk());
        while let Some(sent) = bench.run(end) {
            longest = longest.max(sent.first - std::mem::replace(&mut last, sent.first));
            number += 1;
            if number % 3 != 0 {
                bench.arrive(sent.last + 1500, answer(&sent.frame, sent.now, sent.now));
            }
        }
        let counted = timely_tests::nic::counters(&mut *bench.nic as &mut dyn Nic);
        let skipped = u64::from(counted[timely_regs::counters::Counter::AcksSkipped as usize]);
        println!("{name}: {number} packets, every third ACK lost: longest gap {longest} clocks, {skipped} segments skipped");
        assert!(longest < 4000 && skipped.abs_diff(number / 3) < 10);
        assert!(!bench.events.iter().any(|e| matches!(e, CoreEvent::Timeout { .. })));
    }
}

/// No ACK comes at all and no bound holds the flow: each time-out halves its rate, until the least
/// is reached (TIMELY's paper has no time-out; "at most half a time-out" is what `docs/datapath.md`
/// promises).
#[test]
fn without_any_ack_a_rate_falls_to_its_least() {
    const TIMEOUT_US: f64 = 1000.0;
    for (bus, flow_bits, gbps) in [(64, 10, 10.0), (64, 16, 10.0), (512, 10, 100.0), (512, 16, 100.0)] {
        let mbps = gbps * 1000.0;
        let least_mbps = mbps / 1000.0;
        let parameters = Parameters {
            initial_mbps: mbps,
            greatest_mbps: mbps,
            least_mbps,
            outstanding_bytes: 0,
            timeout_us: TIMEOUT_US,
            ..Parameters::timely_10g(8.0)
        };
        let mut nic = timely_tests::nic::model(bus, flow_bits);
        start(&mut *nic, &spec(bus, flow_bits, gbps, vec![flow(0, PEER, 1024, 2, &parameters)]));
        let mut bench = Bench::new(nic);
        let begun = bench.clk();
        // Ten time-outs, each with a scan of 300 us at most.
        let end = begun + ((10.0 * (TIMEOUT_US + 300.0)) * 1000.0) as u64 / CLOCK_NS;
        while bench.run(end).is_some() {}
        let (mut timeouts, mut rates) = (vec![], vec![]);
        for e in &bench.events {
            match *e {
                CoreEvent::Timeout { clk, .. } => timeouts.push(clk),
                CoreEvent::Rate { clk, rate, .. } => rates.push((clk, f64::from(rate) / 4096.0)),
                _ => {}
            }
        }
        println!("{bus} bits, 2^{flow_bits} flows: time-outs at {timeouts:?}, rates {rates:?}");
        assert!(timeouts.len() >= 10, "{} time-outs", timeouts.len());
        // While a segment takes microseconds: a time-out and a scan from one to the next.
        let longest = timeouts[..5].windows(2).map(|w| w[1] - w[0]).max().unwrap() * CLOCK_NS;
        assert!(longest <= 1_300_000, "{longest} ns from a time-out to the next");
        let after = |n: usize| rates.iter().rfind(|r| r.0 <= timeouts[n - 1] + 100).unwrap().1;
        assert!(after(5) <= mbps / 32.0 * 1.0001, "{} Mb/s after five time-outs", after(5));
        assert!(after(10) <= least_mbps * 1.001, "{} Mb/s after ten time-outs", after(10));
    }
}
