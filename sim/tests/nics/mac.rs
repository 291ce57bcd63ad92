//! The MAC around a bit-true NIC, with a scripted NIC in the core's place.
use crate::common::*;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use timely_regs::link::{ACK_TAG, wire_bytes};
use timely_regs::wire::ethernet::PREAMBLE_AND_GAP;
use timely_regs::wire::{ACK, Addresses, Envelope, FIRST, Header, Kind, LAST, Packet};
use timely_sim::frame::{NodeId, address};
use timely_sim::metrics::FlowInfo;
use timely_sim::nic::clock::{Clock, NOMINAL_PS};
use timely_sim::nic::core::{AccessError, Completion, Core, CoreEvent, CoreIn, Pins, TxBeat};
use timely_sim::nic::mac::{Attachment, COMPLETION_CLOCKS, MacNic};
use timely_sim::nic::truth::SAMPLE_CLOCKS;
use timely_sim::nic::{Arrival, Nic, Outbox};
use timely_sim::switch::Pfc;
use timely_sim::time::{MS, NEVER, Ps, Speed, US};

const PORT: u16 = timely_regs::wire::DEFAULT_PORT;

/// Everything that happened on the pins.
#[derive(Debug, Default, PartialEq)]
struct Log {
    /// Clock and frame of each received frame's last beat, its stamp, and whether it was bad.
    received: Vec<(u64, Vec<u8>, u64, bool)>,
    completions: Vec<(u64, Completion)>,
    /// Clock of each first beat that was taken.
    taken: Vec<u64>,
    paused: Vec<(u64, u8)>,
    steps: u64,
    writes: Vec<(u64, u32, u32)>,
}

/// A NIC that offers packets of a flow at given clocks, answers last packets, measures round trips.
struct Dummy {
    host: NodeId,
    bus: usize,
    skips: bool,
    clk: u64,
    offset: u64,
    // Frames to offer, from which clock, with tag.
    queue: VecDeque<(u64, Vec<u8>, u16)>,
    answers: VecDeque<(u64, Vec<u8>)>,
    // The frame being offered: bytes, tag, next beat.
    offered: Option<(Vec<u8>, u16, usize)>,
    frame: Vec<u8>,
    sent: VecDeque<(u32, u64)>,
    events: Vec<CoreEvent>,
    pause: u8,
    log: Arc<Mutex<Log>>,
}

impl Dummy {
    fn new(host: NodeId, bus: usize, skips: bool, queue: Vec<(u64, Vec<u8>, u16)>) -> (Self, Arc<Mutex<Log>>) {
        let log = Arc::new(Mutex::new(Log::default()));
        let (answers, events, offset) = (VecDeque::new(), Vec::new(), u64::from(host) * 77_777_777 + 12_345);
        let (queue, sent, copy) = (queue.into(), VecDeque::new(), log.clone());
        (Dummy { host, bus, skips, clk: 17, offset, queue, answers, offered: None, frame: vec![], sent, events, pause: 0, log }, copy)
    }

    fn load(&mut self) {
        if self.offered.is_some() {
            return;
        }
        if self.answers.front().is_some_and(|a| a.0 <= self.clk) {
            let (_, frame) = self.answers.pop_front().unwrap();
            self.offered = Some((frame, ACK_TAG, 0));
        } else if self.pause == 0 && self.queue.front().is_some_and(|q| q.0 <= self.clk) {
            let (_, frame, tag) = self.queue.pop_front().unwrap();
            self.offered = Some((frame, tag, 0));
        }
    }

    fn received(&mut self, frame: Vec<u8>, ts: u64, bad: bool) {
        if let (false, Ok(p)) = (bad, Packet::new_checked(&frame, PORT)) {
            if p.kind() == Kind::Ack {
                let at = self.sent.iter().position(|s| s.0 == p.segment()).expect("an ACK of a segment sent and stamped");
                let (_, end) = self.sent.drain(..=at).next_back().unwrap();
                self.events.push(CoreEvent::Rtt {
                    clk: self.clk + SAMPLE_CLOCKS,
                    flow: p.flow(),
                    ns: ((ts - end + (1 << 15)) >> 16) as u32,
                });
            } else if p.is_last() {
                let header = Header::read(p.header().try_into().unwrap()).answered(64, 0, ts, self.now());
                let to = address::host_of(&p.mac_source()).unwrap();
                self.answers.push_back((self.clk + 20, envelope(self.host, to).frame(&header, &[])));
            }
        }
        self.log.lock().unwrap().received.push((self.clk, frame, ts, bad));
    }
}

impl Core for Dummy {
    fn bus_bytes(&self) -> usize {
        self.bus
    }
    fn clk(&self) -> u64 {
        self.clk
    }
    fn output(&self) -> Pins {
        let tx = self.offered.as_ref().map(|(frame, tag, beat)| {
            let part = &frame[beat * self.bus..frame.len().min((beat + 1) * self.bus)];
            let mut data = [0; 64];
            data[..part.len()].copy_from_slice(part);
            TxBeat { data, bytes: part.len() as u8, last: (beat + 1) * self.bus >= frame.len(), tag: *tag }
        });
        Pins { tx }
    }
    fn step(&mut self, input: &CoreIn) {
        self.log.lock().unwrap().steps += 1;
        if let Some(beat) = &input.rx {
            self.frame.extend_from_slice(&beat.data[..usize::from(beat.bytes)]);
            if beat.last {
                let frame = std::mem::take(&mut self.frame);
                self.received(frame, beat.ts, beat.bad);
            }
        }
        if let Some(c) = input.completion {
            self.log.lock().unwrap().completions.push((self.clk, c));
            if c.tag < 0x4000 {
                let segment = u32::from(c.tag);
                self.sent.push_back((segment, c.ts + u64::from(wire_bytes(1114) - u32::from(PREAMBLE_AND_GAP)) * 8 / 10 * 65_536 + 26_214));
            }
        }
        if input.tx_ready
            && let Some((frame, _, beat)) = &mut self.offered
        {
            if *beat == 0 {
                self.log.lock().unwrap().taken.push(self.clk);
            }
            *beat += 1;
            if *beat * self.bus >= frame.len() {
                self.offered = None;
            }
        }
        if input.pause != self.pause {
            self.pause = input.pause;
            self.log.lock().unwrap().paused.push((self.clk, input.pause));
        }
        self.clk += 1;
        self.load();
    }
    fn now(&self) -> u64 {
        self.offset + self.clk * (4 << 16)
    }
    fn wake(&self) -> u64 {
        if !self.skips {
            return self.clk;
        }
        let mut t = u64::MAX;
        if self.offered.is_none() {
            // A frame is put on the pins by the step before the clock at which it stands there.
            t = t.min(self.answers.front().map_or(t, |a| a.0.saturating_sub(1).max(self.clk)));
            t = t.min(self.queue.front().map_or(t, |q| q.0.saturating_sub(1).max(self.clk)));
        }
        t
    }
    fn skip_to(&mut self, clk: u64) {
        assert!(clk <= self.wake() || self.offered.is_some());
        self.clk = clk;
    }
    fn write32(&mut self, _: u32, _: u32) -> Result<(), AccessError> {
        Ok(())
    }
    fn read32(&mut self, addr: u32) -> Result<u32, AccessError> {
        Err(AccessError { addr, what: "no registers" })
    }
    fn reset(&mut self, clocks: u64) {
        self.clk += clocks;
        self.frame.clear();
        self.offered = None;
    }
    fn post_read(&mut self, _: u32) {}
    fn answer(&mut self) -> Option<Result<u32, AccessError>> {
        None
    }
    fn post_write(&mut self, addr: u32, value: u32) {
        self.log.lock().unwrap().writes.push((self.clk, addr, value));
    }
    fn drain(&mut self, events: &mut Vec<CoreEvent>) {
        events.append(&mut self.events);
    }
}

fn envelope(src: NodeId, dst: NodeId) -> Envelope {
    let addresses = Addresses::V4 { source: address::ipv4(src), destination: address::ipv4(dst) };
    let (mac_destination, mac_source) = (address::mac(dst), address::mac(src));
    Envelope { mac_destination, mac_source, tci: None, addresses, tos: 0, ttl: 64, port_source: PORT, port_destination: PORT }
}

/// One-packet segments of 1114 bytes, each its own, tagged with its number.
fn segment(src: NodeId, dst: NodeId, number: u16) -> (Vec<u8>, u16) {
    let header = Header { flags: FIRST | LAST, flow: 0, segment: u32::from(number), segment_bytes: 1024, ..Header::default() };
    (envelope(src, dst).frame(&header, &[number as u8; 1024]), number)
}

fn attachment(host: NodeId, ppm: f64, jitter: Ps) -> Attachment {
    let phase = u64::from(host) * 1_357 % 4_000;
    Attachment { host, speed: Speed::bps(TEN), phase, clock: NOMINAL_PS, ppm, jitter, priority: 3, udp_port: PORT, seed: u64::from(host) }
}

#[test]
fn the_transmit_rule_and_stamps_to_the_clock() {
    for bus in [8, 64] {
        let queue = [(100, 0), (100, 1), (5_000, 2)].map(|(clk, n)| {
            let (frame, tag) = segment(0, 1, n);
            (clk, frame, tag)
        });
        let (dummy, log) = Dummy::new(0, bus, true, queue.to_vec());
        let mut nic = MacNic::new(Box::new(dummy), attachment(0, 0.0, 0));
        let mut out = Outbox::default();
        nic.advance(100 * US, &mut out);
        // The core stood at clock 17 when our clock 0 began.
        let edge = |clk: u64| (clk - 17) * 4_000;
        let wire = 1138 * 800;
        let starts: Vec<Ps> = out.departures.iter().map(|d| d.start).collect();
        assert_eq!(starts, [edge(100), edge(100) + wire, edge(5_000)]);
        assert!(out.departures.iter().all(|d| d.end - d.start == wire && d.frame.dst == 1 && d.frame.bytes == 1114));
        let log = log.lock().unwrap();
        // The second is taken at the first edge from which the wire is free within a clock.
        let second = (edge(100) + wire - 4_000).div_ceil(4_000) + 17;
        assert_eq!(log.taken, [100, second, 5_000]);
        for (i, (clk, c)) in log.completions.iter().enumerate() {
            assert_eq!(c.tag, i as u16);
            assert_eq!(*clk, starts[i].div_ceil(4_000) + 17 + COMPLETION_CLOCKS);
            assert_eq!(c.ts, 12_345 + 17 * 262_144 + starts[i] * 65_536 / 1_000, "the stamp is that of the instant");
        }
        assert_eq!(nic.stats().underruns, 0);
        assert!(log.steps < 500, "idle clocks are skipped: {} steps", log.steps);
    }
}

#[test]
fn received_beats_end_at_the_first_edge_after_the_frame() {
    for bus in [8, 64] {
        let (dummy, log) = Dummy::new(1, bus, true, vec![]);
        let mut nic = MacNic::new(Box::new(dummy), attachment(1, 40.0, 0));
        let (bytes, _) = segment(0, 1, 5);
        let clock = Clock::new(1_357, NOMINAL_PS, 40.0);
        for (i, start) in [50 * US + 123, 50 * US + 123 + 1138 * 800].into_iter().enumerate() {
            let mut frame = timely_sim::frame::Frame::from_bytes(0, 1, &bytes, PORT);
            frame.bad = i == 1;
            nic.receive(Arrival { frame, start, end: start + 1138 * 800 });
        }
        nic.write_at(51 * US, 0x40, 7);
        nic.pause(50 * US, 2);
        nic.pause(51 * US, 0);
        nic.advance(MS, &mut Outbox::default());
        let log = log.lock().unwrap();
        assert_eq!(log.received.len(), 2);
        for (i, (clk, frame, ts, bad)) in log.received.iter().enumerate() {
            let start = 50 * US + 123 + i as Ps * 1138 * 800;
            assert_eq!(*frame, bytes);
            assert_eq!(*clk - 17, clock.at_or_after(start + 1138 * 800));
            assert_eq!(*bad, i == 1);
            let local = clock.local(0, start);
            let expected = 77_777_777 + 12_345 + 17 * 262_144 + local as u64;
            assert!(ts.abs_diff(expected) <= 1, "{ts} for {expected}");
        }
        assert_eq!(log.paused, [(clock.at_or_after(50 * US) + 17, 8), (clock.at_or_after(51 * US) + 17, 0)]);
        assert_eq!(log.writes, [(clock.at_or_after(51 * US) + 17, 0x40, 7)]);
        assert!(nic.next() == NEVER || nic.next() > MS);
    }
}

type Trace = (Vec<Log>, Vec<(Ps, Option<Ps>, Option<f64>)>, u64, f64);

/// Eight senders of scattered segments to one receiver, clocks drifting, MACs jittering, PFC and
/// loss.
fn incast(bus: usize, skips: bool, threads: usize) -> Trace {
    let senders = 8u16;
    let (mut nics, mut logs): (Vec<Box<dyn Nic>>, Vec<_>) = (vec![], vec![]);
    for h in 0..=senders {
        let queue = (0..if h == senders { 0 } else { 300u16 })
            .map(|n| {
                let (frame, tag) = segment(h, senders, n);
                (1_000 + u64::from(n) * 800 + u64::from(h) * 37, frame, tag)
            })
            .collect();
        let (dummy, log) = Dummy::new(h, bus, skips, queue);
        let ppm = f64::from(i32::from(h) * 25 - 100);
        nics.push(Box::new(MacNic::new(Box::new(dummy), attachment(h, ppm, 700_000))));
        logs.push(log);
    }
    let flows: Vec<FlowInfo> =
        (0..senders).map(|src| FlowInfo { src, dst: senders, id: 0, start: 0, stop: None, bytes: None, rounded: None }).collect();
    let pfc = Pfc { xoff: 20_000, xon: 16_000 };
    let end = run(star(senders + 1, Speed::bps(TEN), 0.001), config(Some(pfc), None), nics, flows, 4 * MS, threads);
    let r = &end.network.recorder;
    let worst = end.stats.iter().filter_map(|s| s.1.rtt_error_clocks_max).fold(0.0, f64::max);
    assert!(r.pauses > 0 && r.lost > 0, "pauses {} lost {}", r.pauses, r.lost);
    assert!(end.stats.iter().all(|s| s.1.underruns == 0));
    let rtts = r.rtts.iter().map(|x| (x.sample.at, x.sample.path, x.sample.measured_ns)).collect();
    let logs = logs.iter().map(|l| std::mem::take(&mut *l.lock().unwrap())).collect();
    (logs, rtts, r.pauses, worst)
}

#[test]
fn measured_round_trips_are_the_true_ones_under_jitter_and_drift() {
    for bus in [8, 64] {
        let (logs, rtts, pauses, worst) = incast(bus, true, 1);
        let acks = logs[..8].iter().flat_map(|l| &l.received).filter(|r| Packet::new_checked(&r.1[..], PORT).unwrap().flags() & ACK != 0);
        let (acks, samples) = (acks.count(), rtts.len());
        println!("bus {bus}: {samples} samples, {pauses} pauses, largest error {worst:.3} clocks");
        assert!(samples > 2_300 && samples == acks && rtts.iter().all(|r| r.1.is_some()));
        // Half a nanosecond of rounding to whole nanoseconds, and a stamp's own resolution.
        assert!(worst <= 0.2, "{worst}");
    }
}

#[test]
fn skipping_and_threads_change_nothing() {
    let (mut all, rtts, pauses, _) = incast(8, false, 1);
    for (skips, threads) in [(true, 1), (true, 2), (false, 2), (true, 3)] {
        let (mut logs, other, p, _) = incast(8, skips, threads);
        for (a, b) in all.iter_mut().zip(&mut logs) {
            assert!(!skips || b.steps < a.steps);
            (a.steps, b.steps) = (0, 0);
        }
        assert!(logs == all && other == rtts && p == pauses, "skips {skips}, {threads} threads");
        let fresh = incast(8, false, 1).0;
        all = fresh;
    }
}
