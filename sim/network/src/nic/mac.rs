//! The MAC and the clock around a bit-true NIC.
//!
//! - Local clock `c` has its edge at `phase + c * period` ([`Clock`]); only clocks that matter are
//!   stepped.
//! - **Transmit.** Between frames the MAC is ready when the wire is free within a clock; inside a
//!   frame always. A frame starts on the wire when its first beat has been taken and the wire is
//!   free, a random delay of the MAC's FIFO later if wanted. Its stamp comes back
//!   [`COMPLETION_CLOCKS`] clocks after that.
//! - **Receive.** Store and forward: a frame's beats come back to back, the last one at the first
//!   edge at which all of the frame has arrived. All carry the stamp of the frame's first bit.
//! - Stamps are the NIC's own time at the instant itself, not at an edge near it.
use super::clock::Clock;
use super::core::{Completion, Core, CoreEvent, CoreIn, RxBeat, TxBeat};
use super::setup::snapshot;
use super::truth::Truth;
use super::{Arrival, Departure, Nic, Outbox, RateSample, RttSample, Stats, TimeoutSample};
use crate::frame::{Class, FlowId, Frame, NodeId};
use crate::time::{NEVER, Ps, Speed};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::collections::{BTreeSet, VecDeque};
use timely_regs::telemetry::TelemetryRecord;
use timely_regs::wire::ethernet::PREAMBLE_AND_GAP;

/// Clocks from the first edge at or after a frame's start to the edge at which its departure stamp
/// is given.
pub const COMPLETION_CLOCKS: u64 = 8;
/// Clocks for which a reset is held.
const RESET_CLOCKS: u64 = 16;

/// How a NIC is attached.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Attachment {
    /// The host.
    pub host: NodeId,
    /// Speed of its link.
    pub speed: Speed,
    /// Time of the first edge.
    pub phase: Ps,
    /// Nominal period of its clock.
    pub clock: Ps,
    /// Drift of its clock, parts a million.
    pub ppm: f64,
    /// Greatest delay that the MAC's transmit FIFO adds to a frame at random; the order is kept.
    pub jitter: Ps,
    /// Priority (PFC) of its data, 0 to 6: the `pause` pin that stops it. The pin above stops data
    /// of the second class.
    pub priority: u8,
    /// Our UDP port, by which the simulator reads frames.
    pub udp_port: u16,
    /// Seed of the jitter.
    pub seed: u64,
}

/// Rate of a bus, Gb/s. As much as the link is enough: the link has a preamble and a gap for each
/// frame, and the bus has none.
pub fn bus_gbps(bits: u32, clock: Ps) -> f64 {
    f64::from(bits) * 1000.0 / clock as f64
}

struct Receiving {
    frame: Frame,
    start: Ps,
    // The clock of its first beat, and of the next one.
    first: u64,
    next: u64,
    ts: u64,
}

struct Sending {
    bytes: Vec<u8>,
    start: Ps,
}

/// A bit-true NIC in the network.
pub struct MacNic {
    core: Box<dyn Core>,
    bus: usize,
    clock: Clock,
    // The core's number of our clock 0.
    base: u64,
    clk: u64,
    attachment: Attachment,
    rng: ChaCha8Rng,
    wire_free: Ps,
    sending: Option<Sending>,
    completions: VecDeque<(u64, Completion)>,
    receiving: VecDeque<Receiving>,
    pauses: VecDeque<(Ps, u8)>,
    pause: u8,
    writes: VecDeque<(Ps, u32, u32)>,
    // Where all frames go, whatever their addresses.
    peer: Option<NodeId>,
    // `None` for a NIC with flows of an external driver: the record would grow with every segment
    // that is never answered.
    truth: Option<Truth>,
    uncompared: BTreeSet<FlowId>,
    events: Vec<CoreEvent>,
    stats: Stats,
}

impl MacNic {
    /// Attaches a core that has been set up.
    ///
    /// # Panics
    /// When the core's bus is slower than the link, for then its MAC would run dry.
    pub fn new(mut core: Box<dyn Core>, attachment: Attachment) -> Self {
        // Events of set-up were before the run's time.
        let mut events = Vec::new();
        core.drain(&mut events);
        events.clear();
        let bus = core.bus_bytes();
        let gbps = bus_gbps(8 * bus as u32, attachment.clock);
        assert!(gbps >= attachment.speed.as_gbps(), "a bus of {bus} bytes carries {gbps} Gb/s, the link {}", attachment.speed.as_gbps());
        MacNic {
            bus,
            clock: Clock::new(attachment.phase, attachment.clock, attachment.ppm),
            base: core.clk(),
            clk: 0,
            rng: ChaCha8Rng::seed_from_u64(attachment.seed),
            attachment,
            core,
            wire_free: 0,
            sending: None,
            completions: VecDeque::new(),
            receiving: VecDeque::new(),
            pauses: VecDeque::new(),
            pause: 0,
            writes: VecDeque::new(),
            peer: None,
            truth: Some(Truth::default()),
            uncompared: BTreeSet::new(),
            events,
            stats: Stats::default(),
        }
    }

    /// Queues a register write for a time of the run; times must not decrease.
    pub fn write_at(&mut self, at: Ps, addr: u32, value: u32) {
        self.writes.push_back((at, addr, value));
    }

    /// A flow whose law is given another signal than the RTT: its samples are not held against the
    /// true path times.
    pub fn leave_uncompared(&mut self, flow: FlowId) {
        self.uncompared.insert(flow);
    }

    /// Joins the NIC to one other host alone: all its frames go there, whatever their addresses.
    /// Path times are not kept.
    pub fn point_to_point(self, peer: NodeId) -> Self {
        MacNic { peer: Some(peer), truth: None, ..self }
    }

    /// Resets the core. What it was sending is lost, and what it was being handed.
    pub fn reset(&mut self) {
        self.core.reset(RESET_CLOCKS);
        self.base = self.core.clk() - self.clk;
        self.sending = None;
        self.completions.clear();
        self.receiving.retain(|r| r.next == r.first);
        self.writes.clear();
        let mut lost = Vec::new();
        self.core.drain(&mut lost);
    }

    /// Passes the idle clocks before `to`: what is asked of the core next is asked then.
    pub fn pass(&mut self, to: Ps) {
        let clk = self.clock.at_or_after(to).min(self.due());
        if clk > self.clk {
            self.core.skip_to(clk + self.base);
            self.clk = clk;
        }
    }

    /// The core, to look at it and to queue register accesses.
    pub fn core(&mut self) -> &mut dyn Core {
        &mut *self.core
    }

    // The NIC's own time at `t`, ns48.fns16.
    fn stamp(&self, t: Ps) -> u64 {
        self.core.now().wrapping_add_signed(self.clock.local(self.clk, t))
    }

    // The next clock that must be stepped.
    fn due(&self) -> u64 {
        let wake = self.core.wake();
        let mut clk = if wake == u64::MAX { wake } else { wake - self.base };
        if self.pause != 0 {
            // A held pause is not the idle input, so nothing is skipped.
            return self.clk;
        }
        clk = clk.min(self.receiving.front().map_or(u64::MAX, |r| r.next));
        clk = clk.min(self.completions.front().map_or(u64::MAX, |c| c.0));
        clk = clk.min(self.pauses.front().map_or(u64::MAX, |p| self.clock.at_or_after(p.0)));
        clk = clk.min(self.writes.front().map_or(u64::MAX, |w| self.clock.at_or_after(w.0)));
        if clk > self.clk && self.core.output().tx.is_some() {
            let ready = if self.sending.is_some() { 0 } else { self.wire_free.saturating_sub(self.clock.period_ps()) };
            clk = clk.min(self.clock.at_or_after(ready));
        }
        clk.max(self.clk)
    }

    fn next_rx(&mut self) -> Option<RxBeat> {
        let clk = self.clk;
        if self.receiving.front()?.next != clk {
            return None;
        }
        if self.receiving.front()?.first == clk {
            let ts = self.stamp(self.receiving.front()?.start);
            self.receiving.front_mut()?.ts = ts;
        }
        let r = self.receiving.front_mut()?;
        let body = r.frame.body.as_deref()?;
        let from = (r.next - r.first) as usize * self.bus;
        let part = &body[from..body.len().min(from + self.bus)];
        let last = from + self.bus >= body.len();
        let mut data = [0; 64];
        data[..part.len()].copy_from_slice(part);
        let beat = RxBeat { data, bytes: part.len() as u8, last, ts: r.ts, bad: last && r.frame.bad };
        r.next += 1;
        if last
            && let Some(r) = self.receiving.pop_front()
            && let Some(truth) = &mut self.truth
        {
            truth.received(&r.frame, r.start, clk + self.core.arrival_clocks());
        }
        Some(beat)
    }

    fn taken(&mut self, beat: &TxBeat, edge: Ps, out: &mut Outbox) {
        let sending = match &mut self.sending {
            Some(s) => {
                // The preamble takes 8 bytes; what has been given must not have left by now.
                let needed = s.start + self.attachment.speed.time(s.bytes.len() as u64 + 8);
                self.stats.underruns += u64::from(edge > needed);
                s
            }
            None => {
                let jitter = if self.attachment.jitter > 0 { self.rng.random_range(0..=self.attachment.jitter) } else { 0 };
                let start = (edge + jitter).max(self.wire_free);
                let after = self.completions.back().map_or(0, |c| c.0 + 1);
                let due = (self.clock.at_or_after(start) + COMPLETION_CLOCKS).max(after);
                let ts = self.stamp(start);
                self.completions.push_back((due, Completion { tag: beat.tag, ts }));
                self.sending.insert(Sending { bytes: Vec::with_capacity(1600), start })
            }
        };
        sending.bytes.extend_from_slice(&beat.data[..usize::from(beat.bytes)]);
        if beat.last
            && let Some(s) = self.sending.take()
        {
            let end = s.start + self.attachment.speed.frame_time(s.bytes.len() as u32);
            self.wire_free = end;
            let (host, port) = (self.attachment.host, self.attachment.udp_port);
            let to = self.peer.or_else(|| Frame::destination(&s.bytes));
            if let Some(frame) = to.map(|to| Frame::from_bytes(host, to, &s.bytes, port)) {
                if let Some(truth) = &mut self.truth {
                    // The wire time has a preamble and a gap in it; stamps are those of a frame's
                    // first byte, behind the preamble.
                    truth.sent(&frame, end - self.attachment.speed.time(PREAMBLE_AND_GAP.into()));
                }
                out.departures.push(Departure { frame, start: s.start, end });
            }
        }
    }

    fn step(&mut self, edge: Ps, out: &mut Outbox) {
        while self.pauses.front().is_some_and(|p| p.0 <= edge) {
            let classes = self.pauses.pop_front().map_or(0, |p| p.1);
            let pin = |class: Class, priority: u8| if classes & (1 << class as u8) != 0 { 1 << priority } else { 0 };
            self.pause = pin(Class::Data, self.attachment.priority) | pin(Class::Low, self.attachment.priority + 1);
        }
        while self.writes.front().is_some_and(|w| w.0 <= edge) {
            if let Some((_, addr, value)) = self.writes.pop_front() {
                self.core.post_write(addr, value);
            }
        }
        let tx_ready = self.sending.is_some() || self.wire_free <= edge + self.clock.period_ps();
        let completion = match self.completions.front() {
            Some((due, c)) if *due == self.clk => Some(*c),
            _ => None,
        };
        if completion.is_some() {
            self.completions.pop_front();
        }
        let input = CoreIn { rx: self.next_rx(), tx_ready, completion, pause: self.pause, ptp: None };
        if tx_ready && let Some(beat) = self.core.output().tx {
            self.taken(&beat, edge, out);
        }
        self.core.step(&input);
        self.clk += 1;
        self.stats.clocks += 1;
    }

    // The pulses that the core recorded become samples; the RTTs are held against the true path
    // times.
    fn record(&mut self, out: &mut Outbox) {
        let mut events = std::mem::take(&mut self.events);
        self.core.drain(&mut events);
        for event in events.drain(..) {
            match event {
                CoreEvent::Rtt { clk, flow, ns } => self.sampled(clk - self.base, flow, f64::from(ns), out),
                CoreEvent::Timeout { clk, flow } => {
                    self.stats.timeouts += 1;
                    out.timeouts.push(TimeoutSample { at: self.clock.edge(clk - self.base), flow });
                }
                CoreEvent::Rate { clk, flow, rate } => {
                    let at = self.clock.edge(clk - self.base);
                    out.rates.push(RateSample { at, flow, mbps: f64::from(rate) / 4096.0 });
                }
                CoreEvent::Record { words, .. } => out.records.push(words),
            }
        }
        self.events = events;
    }

    fn sampled(&mut self, clk: u64, flow: FlowId, measured: f64, out: &mut Outbox) {
        let found = self.truth.as_mut().and_then(|t| t.sampled(flow, clk));
        if let Some(e) = &found
            && !self.uncompared.contains(&flow)
        {
            let error = (measured - self.clock.local_ns(e.path)).abs() / self.clock.nominal_ns();
            self.stats.rtt_compared += 1;
            self.stats.rtt_error_clocks_max = Some(self.stats.rtt_error_clocks_max.map_or(error, |m| m.max(error)));
        }
        let at = found.as_ref().map_or_else(|| self.clock.edge(clk), |e| e.at);
        out.rtts.push(RttSample { at, flow, path: found.map(|e| e.path), measured_ns: Some(measured), marks: None });
    }
}

impl Nic for MacNic {
    fn receive(&mut self, arrival: Arrival) {
        let Arrival { frame, start, end } = arrival;
        let Some(body) = frame.body.as_ref().filter(|_| !(frame.bad && self.core.drops_damaged())) else { return };
        let beats = body.len().div_ceil(self.bus) as u64;
        let last = self.clock.at_or_after(end);
        let free = self.receiving.back().map_or(self.clk, |r| r.first + self.beats(&r.frame));
        let first = (last + 1).saturating_sub(beats).max(free);
        self.receiving.push_back(Receiving { frame, start, first, next: first, ts: 0 });
    }

    fn pause(&mut self, at: Ps, classes: u8) {
        self.pauses.push_back((at, classes));
    }

    fn next(&self) -> Ps {
        match self.due() {
            u64::MAX => NEVER,
            clk => self.clock.edge(clk),
        }
    }

    fn advance(&mut self, until: Ps, out: &mut Outbox) {
        loop {
            let due = self.due();
            if due == u64::MAX {
                break;
            }
            let edge = self.clock.edge(due);
            if edge >= until {
                break;
            }
            if due > self.clk {
                self.core.skip_to(due + self.base);
                self.clk = due;
            }
            self.step(edge, out);
        }
        self.record(out);
    }

    fn snapshot(&mut self, flows: u32, at: Ps) -> Option<Result<Vec<TelemetryRecord>, String>> {
        // A model stands where something last happened, Verilog at the last clock: both are asked
        // at the same one.
        self.pass(at);
        Some(snapshot(&mut *self.core, flows))
    }

    fn stats(&self) -> Stats {
        self.stats
    }
}

impl MacNic {
    fn beats(&self, frame: &Frame) -> u64 {
        frame.body.as_ref().map_or(0, |b| b.len().div_ceil(self.bus) as u64)
    }
}
