//! The store's promises to its neighbours, on the model.
use super::traffic::Traffic;
use rand::Rng;
use std::collections::VecDeque;
use timely_model::Block;
use timely_model::bus::Charge;
use timely_model::store::{Arrival, CHARGE_LATENCY, DOORBELL_LATENCY, IN_FLIGHT, In, LATENCY, Load, Out, PACKET_CELLS, Store};
use timely_model::stream::{Assembler, Beat, beats};
use timely_regs::link::wire_bytes;
use timely_tests::{cycles, rng, seeds};

/// A store past RAM init, all flows enabled, nothing in its way.
pub struct Run {
    pub store: Store,
    pub clk: u64,
    pub i: In,
}

impl Run {
    pub fn new(flow_bits: u32, cell_bits: u32, width: usize) -> Self {
        let i = In { bound: u16::MAX, doorbell_ready: true, ready: true, ..In::default() };
        let mut run = Run { store: Store::new(flow_bits, cell_bits, width), clk: 0, i };
        while !run.step(|_| {}).swept {}
        for flow in 0..1 << flow_bits {
            run.step(|i| i.load = Some(Load { flow, enable: true, keep: false }));
        }
        // Until every flow was visited.
        for _ in 0..8u32 << flow_bits {
            run.step(|_| {});
        }
        run
    }

    /// The outputs of a clock, at which `change` was applied to the idle inputs.
    pub fn step(&mut self, change: impl FnOnce(&mut In)) -> Out {
        let out = self.store.output(self.clk);
        let mut i = self.i.clone();
        change(&mut i);
        self.store.step(self.clk, &i);
        self.clk += 1;
        out
    }
}

/// Packets of `bytes`, `flows` in turn, beat by beat.
pub struct Source {
    width: usize,
    pub bytes: usize,
    flows: u32,
    turn: u32,
    beats: VecDeque<Beat>,
}

impl Source {
    pub fn new(width: usize, bytes: usize, flows: u32) -> Self {
        Source { width, bytes, flows, turn: 0, beats: VecDeque::new() }
    }

    pub fn next(&mut self) -> Arrival {
        if self.beats.is_empty() {
            self.turn = (self.turn + 1) % self.flows;
            self.beats.extend(beats(&vec![self.turn as u8; self.bytes], self.width));
        }
        let beat = self.beats.pop_front().expect("a packet has a beat");
        Arrival { beat, flow: self.turn, ends: false, meta: 0 }
    }
}

/// Each packet that comes in leaves, per flow in its order, byte for byte; or it is counted, once.
/// And all cells are free again.
#[test]
fn each_packet_leaves_once_or_is_counted() {
    for seed in seeds() {
        let mut rng = rng(seed);
        let mut run = Run::new(3, 7, 256);
        let cells = run.store.free_cells();
        let mut traffic = Traffic::new(&mut rng, 3, 256);
        let mut offered: Vec<VecDeque<(u128, Vec<u8>)>> = vec![VecDeque::new(); 8];
        let (mut arriving, mut leaving, mut start) = (Assembler::default(), Assembler::default(), None);
        let (mut packets, mut left, mut dropped) = (0u64, 0u64, 0u64);
        let (mut due, mut granted) = (VecDeque::new(), VecDeque::new());
        let end = cycles();
        let mut quiet = 0;
        while run.clk < end || quiet < 20_000 {
            let out = run.store.output(run.clk);
            let draining = run.clk > end && start.is_none();
            let mut i = In { rst: false, load: None, ..traffic.next(&mut rng, &out) };
            if rng.random_bool(0.0005) && !draining {
                i.load = Some(Load { flow: rng.random_range(0..8), enable: true, keep: rng.random() });
            }
            i.arrival = i.arrival.filter(|_| !draining);
            due.extend(out.doorbell.filter(|_| i.doorbell_ready));
            i.grant = granted.front().copied().or_else(|| due.pop_front().map(|flow| (flow, 0)));
            granted.clear();
            granted.extend(i.grant.filter(|_| !out.grant_ready));
            if let Some(a) = i.arrival.filter(|_| out.ready) {
                let (flow, meta) = *start.get_or_insert((a.flow, a.meta));
                if let Some(frame) = arriving.push(&a.beat) {
                    offered[flow as usize].push_back((meta, frame));
                    packets += 1;
                    start = None;
                }
            }
            if let Some((beat, side)) = out.beat.filter(|_| i.ready)
                && let Some(frame) = leaving.push(&beat)
            {
                let queue = &mut offered[side.flow as usize];
                let found = queue.iter().position(|p| p.0 == side.meta && p.1 == frame);
                let at = found.unwrap_or_else(|| panic!("flow {}: a packet that did not come, or not in its turn", side.flow));
                queue.drain(..=at);
                left += 1;
            }
            let drops = [out.refused, out.malformed, out.voided].into_iter().filter(|d| *d).count() as u64;
            dropped += drops;
            quiet = if out.beat.is_some() || drops > 0 || !draining { 0 } else { quiet + 1 };
            run.store.step(run.clk, &i);
            run.clk += 1;
        }
        println!("{packets} packets: {left} left, {dropped} dropped");
        assert_eq!(packets, left + dropped, "seed {seed}");
        assert!(left > packets / 10 && dropped > 100, "seed {seed}");
        assert_eq!(run.store.free_cells(), cells, "seed {seed}: cells are lost");
    }
}

/// A beat a clock in and a beat a clock out, whatever the length; packets of one beat, too.
#[test]
fn a_beat_a_clock() {
    for (width, bytes) in [(64, 8), (64, 60), (64, 1514), (256, 32), (256, 60), (256, 1514), (512, 60), (512, 64), (512, 65), (512, 9000)] {
        let mut run = Run::new(4, 10, width);
        let mut source = Source::new(width, bytes, 16);
        let (mut due, mut count) = (VecDeque::new(), 0);
        let (from, to) = (run.clk + 2_000, run.clk + 22_000);
        while run.clk < to {
            let out = run.store.output(run.clk);
            assert!(out.ready && !out.refused, "clock {}, {bytes} bytes at {width} bits", run.clk);
            due.extend(out.doorbell);
            let arrival = Some(source.next());
            let grant = due.front().copied();
            if out.grant_ready {
                due.pop_front();
            }
            run.step(|i| (i.arrival, i.grant) = (arrival, grant.map(|flow| (flow, 0))));
            count += u64::from(run.clk > from && out.beat.is_some());
        }
        // Once, a visit may have come first.
        assert!(count + 2 >= to - from, "{count} beats in {} clocks, {bytes} bytes at {width} bits", to - from);
    }
}

/// One flow's packets leave each third clock at most, if they are that short.
#[test]
fn a_lone_flow_every_third_clock() {
    for (bytes, beats) in [(60, 1), (128, 2), (192, 3), (256, 4)] {
        let mut run = Run::new(2, 10, 512);
        let mut source = Source::new(512, bytes, 1);
        for _ in 0..900 {
            let arrival = Some(source.next());
            run.step(|i| i.arrival = arrival);
        }
        for _ in 0..20 {
            run.step(|_| {});
        }
        let packets = run.store.queued(0).min(200) as u64;
        let (mut granted, mut seen, mut first) = (0, 0, 0);
        while seen < packets {
            let more = granted < packets;
            let out = run.step(|i| i.grant = more.then_some((0, 0)));
            granted += u64::from(more && out.grant_ready);
            if out.beat.is_some_and(|(b, _)| b.last) {
                seen += 1;
                first = if seen == 1 { run.clk } else { first };
            }
        }
        assert_eq!(run.clk - first, (packets - 1) * std::cmp::max(3, beats), "{bytes} bytes");
    }
}

/// Doorbell, charge and first beat come after constant numbers of clocks on an idle store, but for
/// visits.
#[test]
fn latencies_are_constant() {
    let mut rng = rng(1);
    for width in [64, 128, 256, 512] {
        let mut run = Run::new(4, 8, width);
        for _ in 0..100 {
            for _ in 0..rng.random_range(30..50) {
                run.step(|_| {});
            }
            let (flow, bytes, ends) = (rng.random_range(0..16), rng.random_range(1..600), rng.random());
            let (meta, launch) = (rng.random(), rng.random());
            for beat in beats(&vec![7; bytes], width) {
                assert!(run.step(|i| i.arrival = Some(Arrival { beat, flow, ends, meta })).ready);
            }
            let rung = run.clk - 1 + DOORBELL_LATENCY;
            while run.clk < rung {
                assert_eq!(run.step(|_| {}).doorbell, None);
            }
            let granted = run.clk;
            let out = run.step(|i| i.grant = Some((flow, launch)));
            assert!(out.doorbell == Some(flow) && out.grant_ready);
            let mut charged = None;
            loop {
                let clk = run.clk;
                let out = run.step(|_| {});
                if let Some(charge) = out.charge {
                    assert_eq!((charged, charge), (None, Charge { flow, bytes: wire_bytes(bytes as u32) as u16, ends }));
                    // A visit to the flow goes first.
                    assert!((CHARGE_LATENCY..=CHARGE_LATENCY + 2).contains(&(clk - granted)), "charged after {} clocks", clk - granted);
                    charged = Some(clk);
                }
                assert_eq!(out.beat.is_some(), charged.is_some_and(|c| clk >= c + LATENCY - CHARGE_LATENCY));
                if let Some((beat, side)) = out.beat {
                    assert_eq!((side.flow, side.meta, side.launch), (flow, meta, launch));
                    if beat.last {
                        break;
                    }
                }
            }
        }
    }
}

/// A flow that is never read is held at its bound and fills nothing beyond it; another's packets
/// all come in meanwhile.
#[test]
fn a_full_flow_is_bounded() {
    for (width, bytes) in [(64, 60), (512, 60), (512, 1514), (512, 9000)] {
        let mut run = Run::new(2, 10, width);
        run.i.bound = 100;
        let mut source = Source::new(width, bytes, 1);
        let mut refused = 0;
        for _ in 0..40_000 {
            let arrival = Some(source.next());
            let out = run.step(|i| i.arrival = arrival);
            assert!(out.ready);
            refused += u64::from(out.refused);
        }
        let held = run.store.queued(0) as u32 * (bytes as u32).div_ceil(256);
        assert!((100..100 + PACKET_CELLS + IN_FLIGHT).contains(&held) && refused > 50, "{held} cells held, {refused} refused");
        loop {
            let arrival = source.next();
            run.step(|i| i.arrival = Some(arrival));
            if arrival.beat.last {
                break;
            }
        }
        let beat = Beat { bytes: 1, last: true, ..Beat::default() };
        for _ in 0..50 {
            run.step(|i| i.arrival = Some(Arrival { beat, flow: 1, ends: false, meta: 0 }));
        }
        for _ in 0..20 {
            run.step(|_| {});
        }
        assert!(run.store.queued(1) >= 49, "{} of the other flow's packets", run.store.queued(1));
    }
}
