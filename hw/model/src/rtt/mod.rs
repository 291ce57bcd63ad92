//! The RTT block: what was sent, what left, what was acknowledged, and when (`timely_hw::rtt`).
//!
//! **The ring.** The last `2^ring_bits` segments that ended, of all flows, are remembered in a
//! ring, sized by what the line can have in flight: no flow loses a segment because it has many
//! outstanding. A segment's place is chosen before its last frame leaves, travels in that frame,
//! and the responder's ACK repeats it, so that the ACK finds its entry at once. An entry has the
//! segment's flow, the low 16 bits of its number, what the ACK must echo, and the bytes that its
//! flow was charged up to its end, modulo 2^32. It stays until another segment is given its place.
//!
//! **A flow** has two sums of charged bytes, modulo 2^32 and compared with sign: of all segments
//! that ended, and released. Less than 2^31 bytes are outstanding, and every segment adds at least
//! one byte.
//!
//! **A sample** is the RTT, or what else the profile asks for (`signal.rs`), and beside it hops,
//! residence, and how many segments lost packets as its ACK tells. What an ACK without a sample
//! tells is not taken.
//!
//! **Start of the RTT** (`profile::RTT_START`). 0: the end of the last packet, FCS included, i.e.
//! its departure stamp plus `(wire_bytes - 20) * cfg_ns_per_byte`. 1: the departure stamp of the
//! first packet. 2: the launch time of the first packet. Stamps are those of a frame's first byte.
//! The RTT ends with the stamp of the ACK's first byte. Stamps are kept with 8 fraction bits and 32
//! bits of ns; so an RTT may be up to 2.1 s before it aliases, is stated as 2^24 - 1 ns from 16.7
//! ms on, and as 0 if negative. A stamp may come from the clock of its frame's `sent` on; it counts
//! for ACKs that come 15 clocks after it or later. With starts 1 and 2 the first packet's is kept
//! by flow until the last packet's completion comes: of two segments of a flow one follows the
//! other.
//!
//! **An ACK** is, in this order: of an unknown flow (index out of range, or not enabled); stale
//! (its place is that of another segment, or was never given); forged (its nonce and source give
//! another check: it echoes another nonce, or is of another host than the segment's destination);
//! repeated (its segment is not beyond what was released: it, or a later one of its flow, was
//! acknowledged or timed out); accepted. Only an accepted one changes anything: all segments up to
//! its own are released, those between are counted as skipped, and it yields a sample if its start
//! was stamped. A lost completion costs the sample, which is counted, and nothing else. An ACK that
//! finds no entry changes nothing, for its check cannot be looked at; the flow's progress then
//! comes from a later ACK or the time-out. A sample whose start lies before a step of the time is
//! dropped and counted (`time_epoch`): its two stamps are of different times. So is one whose start
//! is reported soon behind a step (`departed_epoch`), for its stamp may be older than the report.
//!
//! **Time-out, by progress.** A flow's time runs from when a segment ended while none was
//! outstanding, or from the last release. Every `2^turn_bits` clocks the next flow, round robin, is
//! looked at, or later by the clocks at which something else was to be done, so that no flow is
//! passed by: when its time is its profile's time-out or longer, all segments that ended are
//! released and counted, and the engine gets a sample of kind [`KIND_TIMEOUT`] and RTT 2^24 - 1.
//! Time is compared in units of 32 ns. Progress of the four clocks before a turn counts as seen. A
//! late ACK is repeated, as the segment was released. A flow that is not enabled, and one whose
//! time-out is 0, never times out.
//!
//! **Loads.** A load without `keep`, and one that disables the flow, as the pacer's accounts end
//! with either, counts all that ended before as acknowledged, without a release. **Numbers** of a
//! flow's segments need not follow one another: what is skipped is counted from the last one that
//! did not.
//!
//! **Timing.** An ACK gives its sample 4 clocks later, release, outcome and counter pulse 5 clocks
//! later, always; skipped segments and time-outs are pulsed one a clock from the 6th on. What a
//! flow keeps of one-way delays counts for ACKs from the 5th clock on: of two of a flow that come
//! closer together both see what was there before, and what the second found remains. ACKs come
//! first; of the rest one operation is offered at a time, a load before an ended segment before a
//! turn. A segment can be acknowledged from the 9th clock after its `sent` on, and later by the
//! clocks at which ACKs and loads came first. The `enable` of a load holds from the next clock on;
//! that it voids what was sent waits for a clock without an ACK. Limits: ended segments and ACKs of
//! 90 bytes at least, as they are, so that of two clocks one has neither on average, at 512 bits
//! too; [`WAITING`] ended segments wait at most; loads at least 8 clocks apart. RAM init after
//! reset takes `2^max(F, ring_bits)` clocks.
pub(crate) mod departing;
pub(crate) mod ring;
pub(crate) mod signal;
mod state;

use crate::Block;
use crate::bus::{
    ACK_ACCEPTED, ACK_FORGED, ACK_REPEATED, ACK_STALE, Ack, Acked, Completion, FlowLoad, KIND_RTT, KIND_TIMEOUT, ProfileWrite, RTT_MAX,
    Release, Sample, Sent,
};
use crate::{check, fifo};
use departing::{Departures, OF_SEGMENTS, Sendings};
use signal::{Echo, Least, measure};
use state::{Op, Query, Rank, State};
use std::collections::VecDeque;
use timely_regs::counters::Counter;
use timely_regs::profile;

/// Inputs of the RTT block at a clock.
#[derive(Clone, Debug, Default)]
pub struct In {
    /// Synchronous reset.
    pub rst: bool,
    /// A frame sent.
    pub sent: Option<Sent>,
    /// A frame departed.
    pub completion: Option<Completion>,
    /// An ACK arrived.
    pub ack: Option<Ack>,
    /// A profile word is written.
    pub profile: Option<ProfileWrite>,
    /// A flow is loaded.
    pub flow: Option<FlowLoad>,
    /// ns a byte takes on the line, Q.16.
    pub ns_per_byte: u32,
    /// The time that time-outs count on, ns48.fns16: never steps.
    pub now: u64,
    /// Steps of the time that stamps are of, modulo 4.
    pub time_epoch: u8,
    /// Steps of the time, modulo 4, that departures reported at this clock are of.
    pub departed_epoch: u8,
    /// Key of the nonces, for the checks.
    pub key: u128,
}

/// Outputs of the RTT block at a clock.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Out {
    /// RAM is clear; before, nothing is accepted.
    pub swept: bool,
    /// To the engine.
    pub sample: Option<Sample>,
    /// To the pacer.
    pub release: Option<Release>,
    /// To telemetry.
    pub acked: Option<Acked>,
    /// Counted events, bit by `timely_regs::counters::Counter`.
    pub pulses: u64,
}

/// log2 of the ended segments that may wait for a clock without an ACK.
pub const WAITING: u32 = 4;

/// log2 of the clocks from a flow's turn to the next flow's: all flows within 2^16 clocks, and none
/// oftener than every 8.
pub const fn turn_bits(flow_bits: u32) -> u32 {
    match flow_bits {
        0..=13 => 3,
        14..=15 => 16 - flow_bits,
        _ => 0,
    }
}

/// `2^flow_bits` flows whose last `2^ring_bits` segments are remembered.
#[derive(Clone, Debug)]
pub struct Rtt {
    state: State,
    /// First clock after RAM init.
    sweep_end: u64,
    /// Start of the RTT by profile.
    starts: [u8; profile::PROFILES],
    /// Time-out by profile, ns.
    timeouts: [u32; profile::PROFILES],
    /// Signal by profile, and its base, ns.
    signals: [u32; profile::PROFILES],
    bases: [u32; profile::PROFILES],
    sending: Sendings,
    departures: Departures,
    /// Ended segments that wait for a clock without an ACK.
    ended: fifo::Fifo<Sent>,
    /// Operations on flows, by clocks since.
    ops: VecDeque<Option<Op>>,
    /// The operation that enters at the next clock without an ACK.
    offer: Option<(Query, u32)>,
    /// A flow whose bytes are to be forgotten.
    load: Option<u32>,
    /// Clock of the last step.
    last: Option<u64>,
    /// Clocks that turns are late by.
    lag: u64,
    sample: Option<Sample>,
    release: Option<Release>,
    acked: Option<Acked>,
    pulses: u64,
    /// Skipped segments and time-outs that were not pulsed yet; 16 bits.
    skipped: u32,
    timed_out: u32,
}

fn nothing<T>(clocks: usize) -> VecDeque<Option<T>> {
    std::iter::repeat_with(|| None).take(clocks).collect()
}

fn bit(c: Counter) -> u64 {
    1 << c as u32
}

impl Rtt {
    /// A block as it is after power-up.
    pub fn new(flow_bits: u32, ring_bits: u32) -> Self {
        Rtt {
            state: State::new(flow_bits, ring_bits),
            sweep_end: 1 << flow_bits.max(ring_bits),
            starts: [0; profile::PROFILES],
            timeouts: [0; profile::PROFILES],
            signals: [0; profile::PROFILES],
            bases: [0; profile::PROFILES],
            sending: Sendings::new(),
            departures: Departures::new(OF_SEGMENTS),
            ended: fifo::Fifo::new(WAITING),
            ops: nothing(4),
            offer: None,
            load: None,
            last: None,
            lag: 0,
            sample: None,
            release: None,
            acked: None,
            pulses: 0,
            skipped: 0,
            timed_out: 0,
        }
    }

    /// Nothing is under way that an idle step would move.
    fn quiet(&self) -> bool {
        let still = self.sample.is_none()
            && self.release.is_none()
            && self.acked.is_none()
            && self.pulses == 0
            && self.skipped == 0
            && self.timed_out == 0;
        let offered = self.offer.is_some_and(|(query, flow)| query != Query::Turn || self.state.is_outstanding(flow));
        let empty = !offered && self.ops.iter().all(Option::is_none) && self.sending.is_idle();
        still && empty && self.load.is_none() && self.ended.is_empty() && self.departures.is_idle()
    }

    /// The operation that enters at this clock: an ACK, or else what is offered.
    fn enter(&mut self, clk: u64, i: &In) -> Option<Op> {
        let mut place = 0;
        let mut op = if let Some(a) = &i.ack {
            place = a.place;
            let mut op = Op::new(Query::Ack { check: a.nonce, source: a.source }, a.flow, a.segment, a.ts, clk, i.now);
            op.echo = Echo::of(a);
            op
        } else {
            let (query, flow) = self.offer.take()?;
            // A turn that finds nothing is not worth a step: the idle clocks may have been skipped.
            if query == Query::Turn && !self.state.is_outstanding(flow) && self.ops.iter().all(Option::is_none) {
                return None;
            }
            Op::new(query, flow, 0, i.now, clk, i.now)
        };
        self.state.read(&mut op, place);
        Some(op)
    }

    /// Sets the next clock's offered operation, if none is: a load before an ended segment before a
    /// turn. True if an ended segment is taken.
    fn refill(&mut self, clk: u64) -> bool {
        let turn = self.state.turn(clk - self.sweep_end - self.lag);
        let free = self.offer.is_none();
        if free && let Some(flow) = self.load.take() {
            self.offer = Some((Query::Load, flow));
        } else if free && let Some(sent) = self.ended.output(clk).head {
            self.offer = Some((Query::Ended(sent), sent.flow));
            self.lag += u64::from(turn.is_some());
            return true;
        } else if free && let Some(flow) = turn {
            self.offer = Some((Query::Turn, flow));
            return false;
        }
        // The turn waits, and so do all behind it.
        self.lag += u64::from(turn.is_some());
        false
    }

    /// Decides an operation: its registers 3 clocks after it entered; the sample is an output of
    /// the 4th.
    fn decide(&mut self, op: &mut Op, epoch: u8) {
        op.rank = self.state.apply(op);
        if op.rank != Rank::Released {
            return;
        }
        if op.query == Query::Turn {
            self.sample = Some(Sample { kind: KIND_TIMEOUT, flow: op.flow, rtt_ns: RTT_MAX, now_ns: op.now_ns, ..Sample::default() });
        } else if op.stamp.valid && op.stamp.epoch == epoch {
            let m = measure(op.signal, op.base, op.ts, op.stamp.at, op.echo, op.least);
            self.sample = Some(Sample {
                kind: KIND_RTT,
                flow: op.flow,
                rtt_ns: m.signal,
                now_ns: op.now_ns,
                hops: op.echo.hops,
                endpoint_ns: if m.exceeds { 0 } else { op.echo.residence },
                lost: op.echo.lost,
            });
            op.measured = Some(m);
        }
    }

    /// The last clock of an operation.
    fn conclude(&mut self, op: &Op) -> (u32, u32) {
        let accepted = op.rank == Rank::Released && op.query != Query::Turn;
        if let Some(m) = &op.measured {
            self.state.keep_least(op.flow, m.least);
            self.pulses |= if m.exceeds { bit(Counter::ResidenceAboveRtt) } else { 0 };
        } else if accepted {
            self.pulses |= bit(if op.stamp.valid { Counter::SamplesAcrossStep } else { Counter::SamplesUnstamped });
        } else if op.query == Query::Load {
            self.state.keep_least(op.flow, Least::default());
        }
        let outcome = match (op.rank, op.query) {
            (Rank::Released, Query::Ack { .. }) => Some(ACK_ACCEPTED),
            (Rank::Stale, _) => Some(ACK_STALE),
            (Rank::Repeated, _) => Some(ACK_REPEATED),
            (Rank::Forged, _) => Some(ACK_FORGED),
            _ => None,
        };
        self.acked = outcome.map(|outcome| Acked { flow: op.flow, outcome });
        self.state.remember(op);
        match op.rank {
            Rank::Released => self.release = Some(Release { flow: op.flow, bytes: op.bytes }),
            Rank::Unknown => self.pulses |= bit(Counter::AckUnknownFlow),
            Rank::Forged => self.pulses |= bit(Counter::AckForged),
            Rank::Repeated => self.pulses |= bit(Counter::AckRepeated),
            Rank::Stale => self.pulses |= bit(Counter::AckStale),
            Rank::Nothing => {}
        }
        match (op.rank, op.query) {
            (Rank::Released, Query::Ack { .. }) => (op.between.into(), 0),
            (Rank::Released, _) => (0, op.between.into()),
            _ => (0, 0),
        }
    }
}

impl Block for Rtt {
    type In = In;
    type Out = Out;

    fn output(&self, clk: u64) -> Out {
        Out { swept: clk >= self.sweep_end, sample: self.sample, release: self.release, acked: self.acked, pulses: self.pulses }
    }

    fn step(&mut self, clk: u64, i: &In) {
        if i.rst {
            *self = Rtt::new(self.state.flow_bits, self.state.ring.bits());
            self.sweep_end += clk + 1;
            return;
        }
        if clk < self.sweep_end {
            return;
        }

        // Reads of this clock, before its writes.
        if self.last.is_some_and(|last| last + 1 != clk) {
            // Clocks were skipped; a turn that came in them was taken, unless it came in the very
            // last one.
            self.offer = self.state.turn(clk - 1 - self.sweep_end - self.lag).map(|flow| (Query::Turn, flow));
        }
        self.last = Some(clk);
        let entering = self.enter(clk, i);
        let taken = self.refill(clk);
        if let Some(Op { query: Query::Ack { check, source }, .. }) = &mut self.ops[0] {
            *check ^= check::product(i.key, *source);
        }
        if let Some(op) = &mut self.ops[1] {
            let p = usize::from(op.profile);
            (op.timeout, op.signal, op.base) = (self.timeouts[p], self.signals[p], self.bases[p]);
        }

        // Operations, the oldest first.
        (self.sample, self.release, self.acked, self.pulses) = (None, None, None, 0);
        for (debt, counter) in [(self.skipped, Counter::AcksSkipped), (self.timed_out, Counter::SegmentTimeouts)] {
            self.pulses |= if debt != 0 { bit(counter) } else { 0 };
        }
        let concluding = self.ops.pop_back().flatten();
        let (skipped, timed_out) = concluding.map_or((0, 0), |op| self.conclude(&op));
        self.skipped = (self.skipped.saturating_sub(1) + skipped) & state::DEBT;
        self.timed_out = (self.timed_out.saturating_sub(1) + timed_out) & state::DEBT;
        if let Some(mut op) = self.ops[2].take() {
            self.decide(&mut op, i.time_epoch);
            self.ops[2] = Some(op);
        }
        self.ops.push_front(entering);

        let ring = &mut self.state.ring;
        self.departures.step(i.completion, i.departed_epoch, |place, generation, stamp| ring.stamp(place, generation, stamp));
        let sent = i.sent.map(|sent| (sent, self.state.profile(sent.flow)));
        self.sending.step(sent, &self.starts, i.ns_per_byte, &mut self.departures);
        self.ended.step(clk, &fifo::In { rst: false, push: i.sent.filter(|s| s.last), ready: taken });

        if let Some(w) = &i.profile {
            match w.word {
                0 => {
                    self.starts[usize::from(w.profile)] = (w.data >> profile::RTT_START.low & 3) as u8;
                    self.signals[usize::from(w.profile)] = w.data >> profile::SIGNAL.low & 3;
                }
                2 => self.timeouts[usize::from(w.profile)] = w.data & profile::TIMEOUT_NS.mask(),
                29 => self.bases[usize::from(w.profile)] = w.data & profile::SIGNAL_BASE.mask(),
                _ => {}
            }
        }
        if let Some(l) = &i.flow {
            self.state.configure(l);
            if !(l.enable() && l.keep()) {
                self.load = Some(l.flow);
            }
        }
    }

    fn wake(&self, clk: u64) -> u64 {
        if clk < self.sweep_end {
            return self.sweep_end;
        }
        let scan = clk - self.sweep_end - self.lag;
        if self.quiet() { self.state.next_turn(scan).map_or(u64::MAX, |t| self.sweep_end + self.lag + t) } else { clk }
    }
}
