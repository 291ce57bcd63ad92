//! The surroundings of the in-line NIC in its lockstep test: a host, a wire and a driver, at random
//! and by turns calm and hostile.
use crate::FLOWS;
use crate::both::Both;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::collections::VecDeque;
use timely_model::inline::nic::In;
use timely_model::stream::{Assembler, Beat, beats};
use timely_regs::map::{flow, port, telemetry, time};
use timely_regs::wire::{Addresses, Envelope, FIRST, Header, Kind, LAST, Packet};
use timely_sim::frame::address;
use timely_sim::nic::core::Core;
use timely_sim::nic::inline::Inline;
use timely_tests::Runs;
use timely_tests::bench::answer;
use timely_tests::frames::{Fault, class};
use timely_tests::nic::HOST;
use timely_tests::nic::PORT;

pub const PEER: u16 = 2;

/// Counts of a run.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tally {
    /// Data frames at the wire, other frames of the host's, ACKs of ours, frames at the host.
    pub paced: u64,
    pub past: u64,
    pub acks: u64,
    pub up: u64,
    /// Clocks that the model skipped.
    pub skipped: u64,
}

/// How it is for a while.
struct Phase {
    end: u64,
    /// The host sends at all; the share of it that is ours.
    host: bool,
    ours: f64,
    /// Longest delay of an answer, clocks.
    delay: u64,
    /// Other frames come from the wire, a clock.
    hostile: f64,
    /// An answer is lost.
    lost: f64,
}

/// Segment under way of a flow: its number, packets so far and in all.
#[derive(Clone, Copy, Default)]
struct Segment {
    number: u32,
    packets: u32,
    of: u32,
}

pub struct World {
    rng: ChaCha8Rng,
    width: usize,
    flow_bits: u32,
    pub tally: Tally,
    phase: Phase,
    /// Phases until now.
    turns: u32,
    segments: Vec<Segment>,
    /// Beats from the host and from the wire that come next.
    host: VecDeque<(Beat, u128)>,
    wire: VecDeque<(Beat, u128)>,
    host_offer: Runs,
    host_take: Runs,
    wire_take: Runs,
    paused: Runs,
    leaving: Assembler,
    arrivals: VecDeque<(u64, Vec<u8>)>,
}

pub fn between(from: u16, to: u16, header: &Header, payload: usize) -> Vec<u8> {
    let envelope = Envelope {
        mac_destination: address::mac(to),
        mac_source: address::mac(from),
        tci: None,
        addresses: Addresses::V4 { source: address::ipv4(from), destination: address::ipv4(to) },
        tos: 0,
        ttl: 64,
        port_source: PORT,
        port_destination: PORT,
    };
    envelope.frame(header, &vec![header.segment as u8; payload])
}

/// A pause frame: of all traffic, or of some classes.
fn pause(rng: &mut impl Rng) -> Vec<u8> {
    let mut frame = vec![0x01, 0x80, 0xc2, 0, 0, 1, 2, 0, 0, 0, 0, 9, 0x88, 0x08];
    let quanta: u16 = [0, 3, 40, 300][rng.random_range(0..4)];
    if rng.random() {
        frame.extend([0, 1]);
        frame.extend(quanta.to_be_bytes());
    } else {
        frame.extend([1, 1, 0, rng.random()]);
        (0..8).for_each(|_| frame.extend(quanta.to_be_bytes()));
    }
    frame.resize(60, 0);
    frame
}

/// Reads a flow's telemetry record, word by word.
pub fn telemetry(nic: &mut Inline<Both>, number: u32) -> u64 {
    nic.write32(flow::INDEX.address(), number).expect("a register");
    nic.write32(flow::COMMAND.address(), flow::QUERY).expect("a register");
    (0..32).map(|i| u64::from(nic.read32(flow::ANSWER.address() + 4 * i).expect("a register"))).sum()
}

impl World {
    pub fn new(width: usize, flow_bits: u32, seed: u64) -> Self {
        World {
            rng: ChaCha8Rng::seed_from_u64(seed),
            width,
            flow_bits,
            tally: Tally::default(),
            turns: 0,
            phase: Phase { end: 0, host: true, ours: 0.7, delay: 200, hostile: 0.0, lost: 0.0 },
            segments: vec![Segment::default(); FLOWS as usize + 1],
            host: VecDeque::new(),
            wire: VecDeque::new(),
            host_offer: Runs::new(0.8, 60),
            host_take: Runs::new(0.9, 60),
            wire_take: Runs::new(0.9, 30),
            paused: Runs::new(0.02, 400),
            leaving: Assembler::default(),
            arrivals: VecDeque::new(),
        }
    }

    fn turn(&mut self, nic: &mut Inline<Both>) {
        let rng = &mut self.rng;
        self.turns += 1;
        // In each fifth phase nothing comes but ACKs, so that the model can skip.
        let quiet = self.turns.is_multiple_of(5);
        self.phase = Phase {
            end: nic.clk() + rng.random_range(1000..10_000),
            host: !quiet,
            ours: [0.2, 0.7, 1.0][rng.random_range(0..3)],
            delay: [100, 1000, 6000][rng.random_range(0..3)],
            hostile: if quiet { 0.0 } else { [0.0, 0.0, 0.02][rng.random_range(0..3)] },
            lost: [0.02, 0.02, 1.0][rng.random_range(0..3)],
        };
        self.host_offer.set([0.1, 0.8, 1.0][rng.random_range(0..3)]);
        // A host that takes nothing for a whole phase.
        self.host_take.set([0.0, 0.5, 0.95, 1.0][rng.random_range(0..4)]);
        self.wire_take.set([0.2, 0.9, 0.95, 1.0][rng.random_range(0..4)]);
        self.paused.set(if rng.random_bool(0.3) { 0.1 } else { 0.0 });
        for (address, value) in [
            (port::STORE_BOUND.address(), [4, 40, 512][rng.random_range(0..3)]),
            (port::STORE_WAIT.address(), rng.random_range(0..2)),
            (port::PAUSE.address(), [0, 1, 0xb][rng.random_range(0..3)]),
            (port::LINE_RATE.address(), [5 << 24, 50 << 24, 255 << 24][rng.random_range(0..3)]),
            (time::LEAD.address(), [0, 0, 500, 3000][rng.random_range(0..4)]),
            (telemetry::EVENT_EVERY.address(), rng.random_range(0..3)),
        ] {
            nic.post_write(address, value);
        }
        if rng.random_bool(0.5) {
            // The record that was staged last, for another flow, kept or begun anew or disabled.
            let word = [0b11, 0b01, 0b10, 0b11][rng.random_range(0..4)] | rng.random_range(0..4) << 4;
            let staged = nic.read32(flow::STAGE.address()).expect("a register");
            nic.post_write(flow::STAGE.address(), staged & !0b11 | word & 0b11);
            nic.post_write(flow::INDEX.address(), rng.random_range(0..FLOWS));
            nic.post_write(flow::COMMAND.address(), flow::LOAD);
        }
    }

    fn host_frame(&mut self) -> Vec<u8> {
        let rng = &mut self.rng;
        if rng.random_bool(0.001) {
            return vec![0; 9700 + rng.random_range(0..3000)];
        }
        if !rng.random_bool(self.phase.ours) {
            let class = class(rng);
            return Fault::ALL[rng.random_range(0..Fault::ALL.len())].frame(rng, class, PORT);
        }
        let number = rng.random_range(0..=FLOWS);
        let s = &mut self.segments[number as usize];
        if s.packets == 0 {
            s.of = rng.random_range(1..4);
        }
        s.packets += 1;
        let (first, last) = (s.packets == 1, s.packets == s.of);
        let header = Header {
            flags: if first { FIRST } else { 0 } | if last { LAST } else { 0 },
            packet: s.packets as u16 - 1,
            // One number is of a flow that was never loaded, or that there is not.
            flow: if number == FLOWS { [FLOWS, 1 << self.flow_bits & 0xffff][rng.random_range(0..2)] } else { number },
            nonce: s.number ^ 0x5a5a_5a5a,
            segment: s.number,
            ttl_sent: 64,
            ..Header::default()
        };
        if last {
            (s.packets, s.number) = (0, s.number.wrapping_add(1));
        }
        // An ACK from another address than the segment went to is a forged one.
        let to = if rng.random_bool(0.06) { 9 } else { PEER };
        between(HOST, to, &header, [0, 38, 39, 300, 1024, 1424, 1424, 8900][rng.random_range(0..8)])
    }

    fn wire_frame(&mut self, clk: u64) -> Option<Vec<u8>> {
        if let Some((_, frame)) = self.arrivals.pop_front_if(|a| a.0 <= clk) {
            return Some(frame);
        }
        let rng = &mut self.rng;
        if !rng.random_bool(self.phase.hostile) {
            return None;
        }
        Some(match rng.random_range(0..10) {
            0 => pause(rng),
            1..6 => {
                let header = Header { flags: FIRST | LAST, flow: rng.random_range(0..4), segment: rng.random(), ..Header::default() };
                between(PEER, HOST, &header, rng.random_range(0..3000))
            }
            _ => {
                let class = class(rng);
                let frame = Fault::ALL[rng.random_range(0..Fault::ALL.len())].frame(rng, class, PORT);
                if frame.is_empty() { vec![0; 60] } else { frame }
            }
        })
    }

    fn left(&mut self, clk: u64, frame: Vec<u8>, ack: bool) {
        if ack {
            self.tally.acks += 1;
            return;
        }
        let is_data = |p: &Packet<&[u8]>| p.kind() == Kind::Data && p.ip_source() == address::ipv4(HOST) && p.flow() <= FLOWS;
        let Some(p) = Packet::new_checked(&frame[..], PORT).ok().filter(is_data) else {
            self.tally.past += 1;
            return;
        };
        self.tally.paced += 1;
        let rng = &mut self.rng;
        if !p.is_last() || rng.random_bool(self.phase.lost) {
            return;
        }
        let mut ack = answer(&frame, clk << 16, (clk + 20) << 16);
        if rng.random_bool(0.03) {
            let at = ack.len() - timely_regs::wire::HEADER_BYTES + rng.random_range(4..16);
            ack[at] ^= 1 << rng.random_range(0..8);
        }
        // In their order, one behind the other where the delay falls.
        let at = self.arrivals.back().map_or(0, |a| a.0).max(clk + rng.random_range(50..=self.phase.delay));
        if rng.random_bool(0.02) {
            self.arrivals.push_back((at, ack.clone()));
        }
        self.arrivals.push_back((at, ack));
    }

    /// One clock; or the clocks in which nothing happens.
    pub fn clock(&mut self, nic: &mut Inline<Both>, end: u64) {
        let clk = nic.clk();
        if clk >= self.phase.end {
            self.turn(nic);
        }
        if self.host.is_empty() && self.phase.host && self.rng.random_bool(0.5) {
            let (frame, meta) = (self.host_frame(), u128::from(self.rng.random::<u32>()));
            self.host.extend(beats(&frame, self.width).map(|b| (b, meta)));
        }
        if self.wire.is_empty()
            && let Some(frame) = self.wire_frame(clk)
        {
            let meta = u128::from(self.rng.random::<u32>());
            self.wire.extend(beats(&frame, self.width).map(|b| (b, meta)));
        }
        let quiet =
            !self.phase.host && self.phase.hostile == 0.0 && self.host.is_empty() && self.wire.is_empty() && nic.peek().wire.is_none();
        let next = self.arrivals.front().map_or(u64::MAX, |a| a.0);
        let to = nic.wake().min(next).min(self.phase.end).min(end);
        if quiet && to > clk {
            self.tally.skipped += to - clk;
            nic.skip_to(to);
            return;
        }
        let host = if self.host_offer.next(&mut self.rng) { self.host.front().copied() } else { None };
        let i = In {
            host,
            host_ready: self.host_take.next(&mut self.rng),
            wire: self.wire.front().copied(),
            wire_ready: self.wire_take.next(&mut self.rng),
            pause: if self.paused.next(&mut self.rng) { 1 << 3 } else { 0 },
            lost: self.rng.random_bool(0.0005),
            ..In::default()
        };
        let (host_ready, wire_ready) = (i.host_ready, i.wire_ready);
        let out = nic.drive(i);
        if host.is_some() && out.host_ready {
            self.host.pop_front();
        }
        if out.wire_taken {
            self.wire.pop_front();
        }
        self.tally.up += u64::from(host_ready && out.host.is_some_and(|b| b.0.last));
        if let Some(w) = out.wire.filter(|_| wire_ready)
            && let Some(frame) = self.leaving.push(&w.beat)
        {
            self.left(clk, frame, w.ack.is_some());
        }
    }
}
