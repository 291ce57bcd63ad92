//! The RTT block: what was sent, what left, what was acknowledged, and when (`timely_hw::rtt`).
//!
//! **What it keeps.** Per flow, `next` (one past the last segment sent), `una` (the oldest segment that is neither acknowledged nor
//! timed out) and two running sums of charged bytes, modulo 2^24: sent, and released. A segment is known from the frame that ends it.
//! It then takes slot `segment mod 2^S` of its flow, and with it evicts the segment that is `2^S` older: that one can no
//! longer be acknowledged by itself, but its bytes are released together with those of the next one that is.
//!
//! **What a sample states** is in `signal.rs`: the RTT, or what else the profile asks for, and beside it hops and residence.
//!
//! **Start of the RTT** (`profile::RTT_START`). 0: the end of the last packet, FCS included, i.e. its departure stamp plus
//! `(wire_bytes - 20) * cfg_ns_per_byte`. 1: the departure stamp of the first packet. 2: the launch time of the first packet.
//! Stamps are those of a frame's first byte. Its end is the stamp of the ACK's first byte. Stamps are kept with 8 fraction bits and
//! 32 bits of ns; so an RTT may be up to 2.1 s before it aliases, is stated as 2^24 - 1 ns from 16.7 ms on, and as 0 if negative.
//! A stamp may come from the clock of its frame's `sent` on; it counts for ACKs that come 11 clocks after it or later.
//! With starts 1 and 2 a segment's stamp is there before its last packet, and may cost the one `2^S` older its sample, nothing else.
//!
//! **An ACK** is, in this order: of an unknown flow (index out of range, or not enabled); forged (its segment is in its slot, but the
//! nonce differs); accepted (the segment is in its slot, and is `una` or later); repeated (it is one of the `2^S` before `una`);
//! stale. Only an accepted one changes anything: all segments up to its own are released, those between are counted as skipped,
//! and it yields a sample if its start was stamped (a lost completion costs the sample, nothing else).
//!
//! **Time-out.** Every 8 clocks the next flow, round robin, has its turn, or later if the turn before has not found a clock without an ACK yet,
//! so that no flow is passed by: if its oldest segment that is still in a slot was
//! sent at least its profile's time-out ago, that one and the evicted ones before it are released and counted, and the engine
//! gets a sample of kind [`KIND_TIMEOUT`](crate::bus::KIND_TIMEOUT) and RTT 2^24 - 1. A flow that is not enabled is passed by.
//! The time only steps forward, and by however much: what was sent before a step is as old as the step makes it, modulo 2^32 ns, so it
//! never waits for longer than its time-out after it.
//!
//! **Numbers.** A load without `keep`, and one that disables the flow, as the pacer's accounts end with either, counts all that was sent before as acknowledged, without a release. A segment
//! that is not the successor of the one before it is the new base: what is older can no longer be acknowledged, and its bytes go
//! with the next release. So numbers may restart or skip, and no byte is lost.
//!
//! **Timing.** An ACK gives its sample 4 clocks later, release, outcome and counter pulse 5 clocks later, always; skipped segments and time-outs are
//! pulsed one a clock from the 6th on. What a flow keeps of one-way delays counts for ACKs from the 5th clock on: of two of a flow that
//! come closer together both see what was there before, and what the second found remains. Frames sent and ACKs are taken every clock; a segment can be acknowledged from the 5th clock
//! after its `sent`. The `enable` of a load holds from the next clock on; that it voids older segments, and a new base, wait for the
//! first clock without an ACK. Limits: less than 2^24 bytes outstanding a flow; loads at least 8 clocks apart. The sweep after
//! reset takes `2^(F+S)` clocks.
mod signal;
mod state;

use crate::Block;
use crate::bus::{
    ACK_ACCEPTED, ACK_FORGED, ACK_REPEATED, ACK_STALE, Ack, Acked, Completion, FlowLoad, KIND_RTT, KIND_TIMEOUT, ProfileWrite, RTT_MAX,
    Release, Sample, Sent,
};
use signal::{Echo, Least, measure, q8};
use state::{Departing, Op, Query, Rank, Sending, State};
use std::collections::VecDeque;
use timely_regs::counters::Counter;
use timely_regs::profile;
use timely_regs::wire::ethernet::PREAMBLE_AND_GAP;

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
    /// The NIC's time, ns48.fns16.
    pub now: u64,
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
    pub pulses: u32,
}

/// `2^flow_bits` flows with `2^slot_bits` segments each.
#[derive(Clone, Debug)]
pub struct Rtt {
    state: State,
    /// First clock after the sweep.
    sweep_end: u64,
    /// Clock of the last step.
    last: Option<u64>,
    /// Start of the RTT by profile.
    starts: [u8; profile::PROFILES],
    /// Time-out by profile, ns.
    timeouts: [u32; profile::PROFILES],
    /// Signal by profile, and its base, ns.
    signals: [u32; profile::PROFILES],
    bases: [u32; profile::PROFILES],
    /// Frames sent, by clocks since.
    sending: VecDeque<Option<Sending>>,
    /// Completions that wait for the frame's tag to have its entry, by clocks since.
    completing: VecDeque<Option<Completion>>,
    /// Completions with the tag entry that they found, by clocks since.
    departing: VecDeque<Option<Departing>>,
    /// Stamp that is written at this clock: flow, segment, stamp.
    stamp: Option<(u32, u32, u64)>,
    /// Operations on flows, by clocks since.
    ops: VecDeque<Option<Op>>,
    /// A flow whose bytes are to be forgotten.
    load: Option<u32>,
    /// A flow and its new base.
    rebase: Option<(u32, u32)>,
    /// A flow's segment to be timed out, and when and by what.
    visit: Option<(u32, u32, Query)>,
    /// A flow has its turn.
    peek: bool,
    /// Clocks that turns are late by.
    lag: u64,
    sample: Option<Sample>,
    release: Option<Release>,
    acked: Option<Acked>,
    pulses: u32,
    /// Skipped segments and time-outs that were not pulsed yet; 24 bits.
    skipped: u32,
    timed_out: u32,
}

/// Clocks by which a completion waits for the tag of a frame that was sent at the same clock.
const COMPLETION_DELAY: usize = 6;

fn nothing<T>(clocks: usize) -> VecDeque<Option<T>> {
    std::iter::repeat_with(|| None).take(clocks).collect()
}

fn low32(time: u64) -> u32 {
    (time >> 16) as u32
}

fn bit(c: Counter) -> u32 {
    1 << c as u32
}

impl Rtt {
    /// A block as it is after power-up.
    pub fn new(flow_bits: u32, slot_bits: u32) -> Self {
        Rtt {
            state: State::new(flow_bits, slot_bits),
            sweep_end: 1 << (flow_bits + slot_bits),
            last: None,
            starts: [0; profile::PROFILES],
            timeouts: [0; profile::PROFILES],
            signals: [0; profile::PROFILES],
            bases: [0; profile::PROFILES],
            sending: nothing(5),
            completing: nothing(COMPLETION_DELAY),
            departing: nothing(5),
            stamp: None,
            ops: nothing(4),
            load: None,
            rebase: None,
            visit: None,
            peek: false,
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
        still && self.stamp.is_none() && self.load.is_none() && self.rebase.is_none() && self.visit.is_none() && self.pipes_empty()
    }

    fn pipes_empty(&self) -> bool {
        let completing = self.completing.iter().all(Option::is_none) && self.departing.iter().all(Option::is_none);
        self.ops.iter().all(Option::is_none) && self.sending.iter().all(Option::is_none) && completing
    }

    /// The operation that enters at this clock: an ACK before a load, a new base, a time-out, a turn.
    fn arbitrate(&mut self, scan: u64, i: &In) -> Option<Op> {
        let mut op = if let Some(a) = &i.ack {
            let mut op = Op::new(Query::Ack { nonce: a.nonce }, a.flow, a.segment, a.ts);
            op.echo = Echo::of(a);
            op
        } else if let Some(flow) = self.load.take() {
            Op::new(Query::Load, flow, 0, 0)
        } else if let Some((flow, segment)) = self.rebase.take() {
            Op::new(Query::Rebase, flow, segment, 0)
        } else if let Some((flow, segment, visit)) = self.visit.take() {
            Op::new(visit, flow, segment, i.now)
        } else if std::mem::take(&mut self.peek) {
            let flow = self.state.turn(scan);
            // A turn that finds nothing is not worth a step: the idle clocks may have been skipped.
            if !self.state.is_outstanding(flow) && self.ops.iter().all(Option::is_none) {
                return None;
            }
            Op::new(Query::Peek, flow, 0, 0)
        } else {
            return None;
        };
        self.state.read(&mut op);
        Some(op)
    }

    /// What an operation's registers become 3 clocks after it entered; the sample is an output of the 4th.
    fn decide(&mut self, op: &mut Op) {
        let rank = self.state.apply(op);
        op.rank = rank;
        let timed_out = matches!(op.query, Query::Visit { .. });
        if rank == Rank::Released && timed_out {
            self.sample = Some(Sample { kind: KIND_TIMEOUT, flow: op.flow, rtt_ns: RTT_MAX, now_ns: low32(op.ts), ..Sample::default() });
        } else if rank == Rank::Released && op.stamp_valid() {
            let m = measure(op.signal, op.base, op.ts, op.slot.stamp, op.echo, op.least);
            self.sample = Some(Sample {
                kind: KIND_RTT,
                flow: op.flow,
                rtt_ns: m.signal,
                now_ns: low32(op.ts),
                hops: op.echo.hops,
                endpoint_ns: op.echo.residence,
            });
            op.measured = Some(m);
        }
    }

    /// The last clock of an operation.
    fn conclude(&mut self, op: &Op, now: u64) -> (u32, u32) {
        if let Some(m) = &op.measured {
            self.state.keep_least(op.flow, m.least);
            self.pulses |= if m.exceeds { bit(Counter::ResidenceAboveRtt) } else { 0 };
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
        match op.rank {
            Rank::Released => self.release = Some(Release { flow: op.flow, bytes: op.bytes }),
            Rank::Unknown => self.pulses |= bit(Counter::AckUnknownFlow),
            Rank::Forged => self.pulses |= bit(Counter::AckForged),
            Rank::Repeated => self.pulses |= bit(Counter::AckRepeated),
            Rank::Stale => self.pulses |= bit(Counter::AckStale),
            Rank::Turn => {
                let visit = Query::Visit { asked: low32(now), timeout: op.timeout };
                if op.enabled && op.outstanding != 0 && op.timeout != 0 {
                    self.visit = Some((op.flow, self.state.oldest_held(op), visit));
                }
            }
            Rank::Nothing => {}
        }
        match (op.rank, op.query) {
            (Rank::Released, Query::Ack { .. }) => (op.between, 0),
            (Rank::Released, _) => (0, op.between + 1),
            _ => (0, 0),
        }
    }

    fn send(&mut self, i: &In) {
        // Fifth clock: the tag.
        if let Some(s) = self.sending.pop_back().flatten() {
            let value = match s.start {
                0 => s.wire_time,
                1 => 0,
                _ => q8(s.sent.launch),
            };
            self.state.write_tag(&s.sent, s.start < 2, if s.start == 0 { s.sent.last } else { s.sent.first }, value);
        }
        // Fourth: the slot.
        if let Some(s) = self.sending[3].as_ref().filter(|s| s.sent.last)
            && self.state.write_slot(&s.sent, s.opened)
        {
            self.rebase = Some((s.sent.flow, s.sent.segment));
        }
        // Third: the start that the profile, read in the second, asks for. Second: the multiplication.
        if let Some(s) = &mut self.sending[1] {
            s.start = self.starts[usize::from(s.profile)];
            let product = u64::from(s.bytes) * u64::from(i.ns_per_byte);
            s.wire_time = ((product + 128) >> 8) & state::STAMP;
        }
        self.sending.push_front(i.sent.map(|sent| Sending {
            sent,
            opened: low32(i.now),
            bytes: sent.wire_bytes.wrapping_sub(PREAMBLE_AND_GAP),
            profile: self.state.profile(sent.flow),
            start: 0,
            wire_time: 0,
        }));
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
            *self = Rtt::new(self.state.flow_bits, self.state.slot_bits);
            self.sweep_end += clk + 1;
            return;
        }
        let Some(pos) = clk.checked_sub(self.sweep_end) else { return };
        let scan = pos - self.lag;
        if self.last.is_none_or(|last| last + 1 != clk) {
            // Clocks were skipped; a turn that came in them was taken, unless it came in the very last one.
            self.peek = scan & 7 == 1;
        }
        self.last = Some(clk);

        // Reads of this clock, before its writes.
        let entering = self.arbitrate(scan, i);
        let arrived = self.completing.pop_back().flatten();
        let completing = arrived.map(|c| Departing { completion: c, tag: self.state.tag(c.tag), live: false, hit: false });
        self.completing.push_front(i.completion);
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
        let (skipped, timed_out) = concluding.map_or((0, 0), |op| self.conclude(&op, i.now));
        self.skipped = (self.skipped.saturating_sub(1) + skipped) & state::DEBT;
        self.timed_out = (self.timed_out.saturating_sub(1) + timed_out) & state::DEBT;
        if let Some(mut op) = self.ops[2].take() {
            self.decide(&mut op);
            self.ops[2] = Some(op);
        }
        self.ops.push_front(entering);

        // Completions: looked at two clocks after the entry was read, decided a clock later, and the tag is spent and the stamp written
        // after one more. Who comes in between with the same tag is told.
        let stamp = self.stamp.take();
        if let Some(d) = &mut self.departing[1] {
            d.live = self.state.is_live(d.completion.tag);
        }
        if let Some(mut d) = self.departing[2] {
            let tag = d.completion.tag;
            d.hit = d.fits() && d.live && !self.departing.range(3..).flatten().any(|other| other.spends(tag));
            if d.hit && d.tag.write {
                let base = if d.tag.relative { q8(d.completion.ts) } else { 0 };
                self.stamp = Some((d.tag.flow, d.tag.segment, (base + d.tag.value) & state::STAMP));
            }
            self.departing[2] = Some(d);
        }
        if let Some(d) = self.departing[3].filter(|d| d.hit) {
            self.state.spend(d.completion.tag);
        }
        self.departing.pop_back();
        self.departing.push_front(completing);
        if let Some((flow, segment, stamp)) = stamp {
            self.state.write_stamp(flow, segment, stamp);
        }

        self.send(i);

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
        // The next flow's turn waits until this one's was taken.
        self.lag += u64::from(self.peek && scan & 7 == 7);
        self.peek |= scan & 7 == 0;
    }

    fn wake(&self, clk: u64) -> u64 {
        if clk < self.sweep_end {
            return self.sweep_end;
        }
        let scan = clk - self.sweep_end - self.lag;
        let peek = self.peek && self.last.is_some_and(|last| last + 1 == clk) && self.state.is_outstanding(self.state.turn(scan));
        if !self.quiet() || peek { clk } else { self.state.next_turn(scan).map_or(u64::MAX, |t| self.sweep_end + self.lag + t) }
    }
}
