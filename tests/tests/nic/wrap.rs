//! Times and counts that run over their end: nothing shows.
use crate::STORM;
use timely_model::pacer::token::SEEN_BITS;
use timely_regs::counters::Counter;
use timely_regs::map::time;
use timely_regs::parameters::Parameters;
use timely_sim::nic::core::CoreEvent;
use timely_tests::bench::{Bench, answer};
use timely_tests::loopback::{Loop, spec as storm_spec};
use timely_tests::nic::{CLOCK_NS, Nic, cores, counters, counting_from, flow, spec, start};
use timely_tests::{cycles, few_seeds, rng};

const PEER: u16 = 9;

/// Sets the date. The steady time crosses its own wrap in every run, 131 us after reset.
fn set_time(nic: &mut dyn Nic, to: u64) {
    nic.write32(time::SET_LOW.address(), to as u32).expect("a time");
    nic.write32(time::SET_HIGH.address(), (to >> 32) as u32).expect("a time");
    for _ in 0..100 {
        nic.step(&Default::default());
    }
    assert!(nic.now().wrapping_sub(to) < 1000 << 16, "the date was not set: {:#x} for {to:#x}", nic.now());
}

/// Dates, ns48.fns16, at which some part of the design runs over: 2^32 ns, the sign of 2^48 ns,
/// 2^48 ns itself.
const WRAPS: [u64; 3] = [1 << 48, 1 << 63, 0];

/// A paced flow with a constant round trip keeps its gap and its RTT when the time runs over.
#[test]
fn the_time_runs_over() {
    // ns before the wrap, at which the flow starts; set-up takes a part of it.
    const BEFORE: u64 = 240_000;
    const DELAY: u64 = 700;
    for wrap in WRAPS {
        for bus in [64, 512] {
            for (name, mut nic) in cores(bus, 10) {
                while nic.read32(timely_regs::map::id::STATUS.address()).expect("a status") & 1 == 0 {
                    for _ in 0..1000 {
                        nic.step(&Default::default());
                    }
                }
                set_time(&mut *nic, wrap.wrapping_sub(BEFORE << 16));
                let parameters = Parameters { timeout_us: 20.0, idle_us: 30.0, ..Parameters::fixed(1556.0) };
                start(&mut *nic, &spec(bus, 10, 10.0, vec![flow(0, PEER, 1442, 1, &parameters)]));
                let mut bench = Bench::new(nic);
                let end = bench.clk() + 2 * BEFORE / CLOCK_NS;
                let mut departures: Vec<(u64, u64)> = Vec::new();
                while let Some(sent) = bench.run(end) {
                    departures.push((sent.first, sent.now));
                    bench.arrive(sent.last + DELAY, answer(&sent.frame, sent.now, sent.now));
                }
                // 8 us of wire time at this rate: 2,000 clocks.
                for (k, d) in departures.iter().enumerate() {
                    let off = (d.0 - departures[0].0) as i64 - 2000 * k as i64;
                    assert!(off.abs() <= 1, "{name}, {bus} bits, wrap {wrap:#x}: packet {k} is off by {off} clocks");
                }
                let across = departures.iter().filter(|d| d.1.wrapping_sub(wrap) < 1 << 62).count();
                assert!(across > 10 && departures.len() - across > 10, "{across} of {} packets behind the wrap", departures.len());
                let mut rtts = bench.events.iter().filter_map(|e| if let CoreEvent::Rtt { ns, .. } = e { Some(*ns) } else { None });
                let first = rtts.next().expect("a sample");
                let samples = 1 + rtts.inspect(|ns| assert_eq!(*ns, first, "{name}, {bus} bits, wrap {wrap:#x}: an RTT")).count();
                assert!(samples + 2 >= departures.len(), "{samples} samples of {} packets", departures.len());
                assert!(!bench.events.iter().any(|e| matches!(e, CoreEvent::Timeout { .. })), "a time-out at the wrap {wrap:#x}");
                println!("{name}, {bus} bits, wrap of {wrap:#x}: {} packets, {across} behind it, all RTTs {first} ns", departures.len());
            }
        }
    }
}

/// The storm across the wraps: the model does not notice, the Verilog does what the model does.
#[test]
fn the_time_runs_over_in_a_storm() {
    for seed in few_seeds() {
        let mut trace = None;
        for wrap in WRAPS {
            for (name, mut nic) in cores(512, 10) {
                let mut rng = rng(seed);
                // Rates that the storm's losses lowered would leave few ACKs behind the step.
                let spec = storm_spec(512, 10, 12, &Parameters { loss_decrease: 0.0, ..Parameters::timely_10g(8.0) }, &mut rng);
                start(&mut *nic, &spec);
                // Flows are awake at the step, too.
                set_time(&mut *nic, wrap.wrapping_sub((cycles() / 2 * CLOCK_NS) << 16));
                let mut wire = Loop::new(512, STORM, rng);
                let begun = nic.clk();
                let mut halves = [0; 2];
                while nic.clk() - begun < cycles() {
                    let before = wire.tally.acks;
                    let half = usize::from(nic.now().wrapping_sub(wrap) < 1 << 62);
                    let input = wire.inputs(nic.clk(), nic.now(), &nic.output());
                    nic.step(&input);
                    halves[half] += wire.tally.acks - before;
                }
                println!("{name}, wrap of {wrap:#x}: {halves:?} ACKs before and after, {:?}", wire.tally);
                assert_eq!(*trace.get_or_insert(wire.tally), wire.tally, "all wraps are alike, seed {seed}");
                assert!(halves[1] > cycles() / 400 && halves[0] > cycles() / 400, "{halves:?}, seed {seed}");
            }
        }
    }
}

/// The generator's segment numbers pass 2^32, with several segments outstanding and some ACKs lost:
/// each ACK still gives its sample. The Verilog, compiled to start there, runs under `cargo xtask
/// soak`.
#[test]
fn segment_numbers_run_over() {
    const FIRST: u32 = 0u32.wrapping_sub(300);
    const DELAY: u64 = 2500;
    let parameters = Parameters { outstanding_bytes: 64 * 1024, timeout_us: 100.0, ..Parameters::fixed(9000.0) };
    for (name, mut nic) in counting_from(64, 10, FIRST) {
        let flows = (0..2).map(|f| flow(f, PEER, 1442, 1 + f, &parameters)).collect();
        start(&mut *nic, &spec(64, 10, 10.0, flows));
        let mut bench = Bench::new(nic);
        let end = bench.clk() + 800_000;
        let mut last = [None; 2];
        let (mut segments, mut acked, mut outstanding) = ([0u32; 2], 0, 0);
        while let Some(sent) = bench.run(end) {
            let p = sent.packet();
            let f = p.flow() as usize;
            if !p.is_last() {
                continue;
            }
            let expected = last[f].map_or(FIRST, |s: u32| s.wrapping_add(1));
            assert_eq!(p.segment(), expected, "{name}: segment numbers count on");
            last[f] = Some(expected);
            segments[f] += 1;
            // Of every flow the last before the wrap and the first behind it, one in seven else.
            if segments[f] % 7 != 0 || p.segment().wrapping_add(2) < 4 {
                bench.arrive(sent.last + DELAY, answer(&sent.frame, sent.now, sent.now));
                acked += 1;
            }
            outstanding = outstanding.max(bench.arriving());
        }
        let (arriving, received) = (bench.arriving() as u32, bench.received.len());
        let rtts: Vec<u32> = bench.events.iter().filter_map(|e| if let CoreEvent::Rtt { ns, .. } = e { Some(*ns) } else { None }).collect();
        let counted = counters(&mut *bench.nic);
        let of = |c: Counter| counted[c as usize];
        println!(
            "{name}: {segments:?} segments from {FIRST:#x} on, up to {outstanding} outstanding; {} samples of {received} ACKs, {} segments skipped",
            rtts.len(),
            of(Counter::AcksSkipped)
        );
        assert!(segments.iter().all(|s| *s > 2 * 300) && outstanding > 5, "the run was too short");
        assert_eq!(acked, received as u32 + arriving);
        assert!(rtts.len() + 1 >= received, "each ACK gives a sample");
        let (least, most) = (rtts.iter().min().expect("a sample"), rtts.iter().max().expect("a sample"));
        assert!(most - least < 2000, "RTTs of {least} to {most} ns");
        assert_eq!(of(Counter::AckStale) + of(Counter::AckForged) + of(Counter::AckRepeated) + of(Counter::SegmentTimeouts), 0);
        let skipped = segments.iter().map(|s| s / 7).sum::<u32>();
        assert!(of(Counter::AcksSkipped).abs_diff(skipped) < 5, "{} skipped of {skipped}", of(Counter::AcksSkipped));
    }
}

/// More packets than 16 bits count, more bytes than a pass keeps of the one before, with a bound
/// that depends on both.
#[test]
fn accounts_run_over() {
    const PACKET: u32 = 398;
    const WIRE: u64 = PACKET as u64 + 90 + 24;
    const BOUND: u32 = 16 * 1024;
    const PACKETS: u64 = (1 << 16) + 2000;
    const { assert!(PACKETS * WIRE > 1 << SEEN_BITS) };
    let parameters = Parameters { outstanding_bytes: BOUND, ..Parameters::fixed(100_000.0) };
    for (name, mut nic) in cores(512, 10) {
        start(&mut *nic, &spec(512, 10, 100.0, vec![flow(0, PEER, PACKET, 8, &parameters)]));
        let mut bench = Bench::new(nic);
        let end = bench.clk() + PACKETS * 40;
        let (mut sent_bytes, mut packets, mut longest, mut last) = (0, 0, 0, None);
        let mut ends: Vec<u64> = Vec::new();
        let mut most = 0;
        while packets < PACKETS {
            let sent = bench.run(end).expect("the flow goes on");
            packets += 1;
            sent_bytes += WIRE;
            longest = longest.max(sent.first - last.replace(sent.first).unwrap_or(sent.first));
            // An ACK that has arrived acknowledges its segment and all before it.
            most = most.max(sent_bytes - bench.received.len().checked_sub(1).map_or(0, |i| ends[i]));
            if sent.packet().is_last() {
                ends.push(sent_bytes);
                bench.arrive(sent.last + 250, answer(&sent.frame, sent.now, sent.now));
            }
        }
        let clocks = bench.clk();
        bench.nic.write32(timely_regs::map::id::CONTROL.address(), 0).expect("the enable");
        bench.run(bench.clk() + 5000);
        while bench.run(bench.clk() + 5000).is_some() {}
        let counted = counters(&mut *bench.nic);
        println!(
            "{name}: {packets} packets, {sent_bytes} wire bytes in {clocks} clocks; longest gap {longest} clocks, {most} bytes outstanding of \
             {BOUND}; {} ACKs refused",
            counted[Counter::AckStale as usize]
        );
        assert!(longest < 1000, "{longest} clocks");
        assert!(most <= u64::from(BOUND) && most > u64::from(BOUND) * 3 / 4, "{most} bytes outstanding");
        assert_eq!(counted[Counter::AckStale as usize] + counted[Counter::AckForged as usize] + counted[Counter::AckRepeated as usize], 0);
    }
}

/// A flow without a bound leaves on its schedule while the bytes that its passes keep run over.
#[test]
fn bytes_run_over_on_time() {
    const WIRE: u64 = 9000 + 90 + 24;
    const PACKETS: usize = (1 << SEEN_BITS) / WIRE as usize + 100;
    const MBPS: u64 = 90_000;
    let parameters = Parameters { outstanding_bytes: 0, ..Parameters::fixed(MBPS as f64) };
    for (name, mut nic) in cores(512, 10) {
        start(&mut *nic, &spec(512, 10, 100.0, vec![flow(0, PEER, 9000, 1, &parameters)]));
        let mut bench = Bench::new(nic);
        let mut departures: Vec<u64> = Vec::new();
        while departures.len() < PACKETS {
            departures.push(bench.run(bench.clk() + 5000).expect("the flow goes on").first);
        }
        let mut worst = 0f64;
        for (k, d) in departures.iter().enumerate() {
            let ideal = (k as u64 * WIRE * 8000) as f64 / MBPS as f64 / CLOCK_NS as f64;
            worst = worst.max(((d - departures[0]) as f64 - ideal).abs());
        }
        println!("{name}: {PACKETS} packets of {WIRE} wire bytes at {MBPS} Mb/s, off their schedule by {worst:.3} clocks at most");
        assert!(worst <= 1.0);
    }
}
