//! NetFPGA's registers, and how long things take.
use super::*;
use std::collections::VecDeque;
use timely_regs::map::{id, port};
use timely_regs::wire::{FIRST, Header, LAST};
use timely_tests::board::{Access, HOST, WIRE};

/// Registers by their bus, whole words alone; the other buses refuse; DMA is refused, and nothing
/// hangs.
#[test]
fn registers_are_reached_by_the_first_bus_alone() {
    for bench in benches() {
        let mut board = bench.prepared(&Setup { profiles: vec![fixed(1000.0)], flows: vec![], bound: 100, lead: 0 }, 1);
        with(&mut board, |d| {
            assert_eq!(
                (d.build().bus_bits as usize, d.flows(), d.build().clock_ps),
                (bench.shape.bits, bench.flows(), bench.shell.clock_ps())
            );
            let access = |bus, strobes| d.bus().0.borrow_mut().access = Access { bus, strobes };
            for strobes in [0b0001, 0b1100, 0b0111, 0] {
                access(0, strobes);
                let part = d.write(&port::STORE_BOUND, 7);
                assert!(format!("{part:?}").contains("slave error"), "strobes {strobes:#b}: {part:?}");
            }
            access(0, 0xf);
            assert_eq!(d.read(&port::STORE_BOUND).expect("a register"), 100, "a part of it was written");
            for bus in [1, 2] {
                access(bus, 0xf);
                let (read, written) = (d.read(&id::MAGIC_WORD), d.write(&port::STORE_BOUND, 7));
                assert!(
                    [format!("{read:?}"), format!("{written:?}")].iter().all(|e| e.contains("decode error")),
                    "bus {bus}: {read:?}, {written:?}"
                );
            }
            access(0, 0xf);
            assert_eq!(d.read(&port::STORE_BOUND).expect("a register"), 100);
            let refused = d.start_dma().expect_err("there is no memory").to_string();
            assert!(refused.ends_with("slave error"), "{refused}");
            assert!(d.snapshot(&Nowhere, 0, 4).is_err(), "DMA was refused");
            d.stop_dma().expect("nothing is in flight");
        });
    }
}

/// Clocks from a frame's last beat to its first at the other side, past the store and through it,
/// and from its first at the wire to that at the host.
#[test]
fn latencies_are_those_that_are_promised() {
    for bench in benches() {
        let mut board = bench.prepared(&Setup { profiles: vec![fixed(100_000.0)], flows: vec![(3, 0)], bound: 400, lead: 0 }, 1);
        let mut foreign = data(3, 0, 0, 128, true);
        foreign[12] = 0x90;
        for (from, to, frame, promised) in [
            (HOST, WIRE, foreign.clone(), &bench.past_clocks),
            (HOST, WIRE, data(3, 1, LAST, 128, true), &bench.paced_clocks),
            (WIRE, HOST, foreign, &bench.up_clocks),
        ] {
            let meta = tuser(frame.len(), if from == HOST { queue(0) } else { 1 }, 0);
            let beats = if from == HOST { frame.len() * 8 / bench.shape.bits } else { 1 };
            let last = board.clk() + beats as u64 - 1;
            board.send(from, frame, meta);
            for _ in 0..500 {
                board.tick();
            }
            let clocks = board.take(to).front().expect("it came through").clocks.0 - last;
            println!("{}: from {from} to {to}: {clocks} clocks", bench.shell);
            assert!(promised.contains(&clocks), "{clocks} clocks, {promised:?} promised");
        }
    }
}

/// A flow of law `fixed` leaves on its schedule, measured at port 0: to two clocks, and exactly
/// when it is granted ahead.
#[test]
fn pacing_holds_at_the_output() {
    println!("       shell  lead ns      Mb/s   packets   late by at most, clocks   early, clocks   rate error, ppm");
    for (bench, (lead, mbps, most)) in benches().flat_map(|b| b.pacing.into_iter().map(move |p| (b, p))) {
        let mut board = bench.prepared(&Setup { profiles: vec![fixed(mbps)], flows: vec![(3, 0)], bound: 400, lead }, 1);
        let all = departures(&mut board, 3, 1514, tuser(1514, queue(0), 0), 40_000);
        let gap = 1538.0 * 8000.0 / mbps * 1000.0 / f64::from(bench.shell.clock_ps());
        // The first few leave while the bucket is full.
        let out = &all[all.len() / 4..];
        let offs: Vec<f64> = out.iter().enumerate().map(|(k, d)| (d - out[0]) as f64 - k as f64 * gap).collect();
        let (late, early) = offs.iter().fold((0f64, 0f64), |(l, e), o| (l.max(*o), e.max(-o)));
        let n = out.len() - 1;
        let ppm = (n as f64 * gap / (out[n] - out[0]) as f64 - 1.0) * 1e6;
        println!("{:>12} {lead:8} {mbps:9.0} {:9} {late:25.3} {early:15.3} {ppm:17.1}", bench.shell.to_string(), out.len());
        assert!(out.len() > 40 && late <= most && early <= most, "{late} clocks late, {early} early at {mbps} Mb/s with lead {lead}");
    }
}

/// A peer answers: its ACKs go up to the host as well, and a round trip is measured.
#[test]
fn round_trips_are_measured() {
    const DELAY: u64 = 500;
    for bench in benches() {
        let mut board = bench.prepared(&Setup { profiles: vec![fixed(5000.0)], flows: vec![(7, 0)], bound: 400, lead: 0 }, 1);
        for n in 0..20 {
            board.send(HOST, data(7, n, FIRST | LAST, 1514, true), tuser(1514, queue(0), 0));
        }
        let mut due: VecDeque<(u64, Vec<u8>)> = VecDeque::new();
        for _ in 0..40_000 {
            board.tick();
            for f in board.take(WIRE) {
                let header = Header::read(f.bytes[42..90].try_into().expect("48 bytes"));
                assert_eq!(header.flow, 7);
                due.push_back((f.clocks.1 + DELAY, timely_tests::bench::answer(&f.bytes, 0, 0)));
            }
            if due.front().is_some_and(|d| d.0 <= board.clk()) {
                let (_, ack) = due.pop_front().expect("there is a front");
                let meta = tuser(ack.len(), 1, 0);
                board.send(WIRE, ack, meta);
            }
        }
        let up = board.take(HOST).len();
        let told = with(&mut board, |d| timely_regs::telemetry::TelemetryRecord::from_words(&d.query_flow(7).expect("an answer")));
        println!("{}: {told:?}", bench.shell);
        assert_eq!((up, told.samples, told.segments, told.packets), (20, 20, 20, 20));
        let least = (DELAY as u32 - 40) * bench.shell.clock_ps() / 1000;
        let rtt = told.rtt.expect("round trips");
        assert!((least..least + 120 * bench.shell.clock_ps() / 1000).contains(&rtt.min_ns), "{rtt:?}, at least {least}");
    }
}
