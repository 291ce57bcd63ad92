//! Counters of every flow (`timely_hw::telemetry`): taps on what is sent, measured and decided, and
//! a query for one flow's record.
//!
//! Each tap takes an event every clock and never stalls. An event is part of every answer whose
//! query comes 4 clocks later or more (a sample: 5); a query is answered 2 clocks later, always,
//! one every clock, with its tag. Counters wrap.
//!
//! A load without `keep`, enabled or not, clears the flow's record for all that comes 2 clocks
//! later: it turns the flow's epoch, one bit, over, and a group whose epoch is another counts as
//! cleared. Each group is also cleared in fact, at its first clock without an event, or with its
//! next event of the flow; only if neither comes before the next load, of any flow, is its epoch
//! all that says so. So the counts of a group last over two loads of its flow only if each of the
//! two was followed by another load before one clock in which the group had no event. Loads are at
//! least 8 clocks apart.
pub mod histograms;
pub mod recorder;

use crate::Block;
use crate::bus::{ACK_ACCEPTED, ACK_REPEATED, ACK_STALE, Acked, Answer, Event, FlowLoad, KIND_NAK, KIND_TIMEOUT, Query, Sample, Sent};
use std::collections::VecDeque;
use timely_regs::telemetry::{READ_AT, Rtts, SMOOTHED_FRACTION, TelemetryRecord, smooth};

/// Inputs at a clock.
#[derive(Clone, Debug, Default)]
pub struct In {
    /// Synchronous reset.
    pub rst: bool,
    /// A frame sent; tag, nonce, segment and launch are not looked at.
    pub sent: Option<Sent>,
    /// A sample on its way to the engine.
    pub sample: Option<Sample>,
    /// The outcome of an ACK; never of another flow than the sample of the clock before.
    pub acked: Option<Acked>,
    /// An event of the engine.
    pub event: Option<Event>,
    /// A flow whose sample the engine will never take.
    pub superseded: Option<u32>,
    /// A flow is loaded.
    pub flow: Option<FlowLoad>,
    /// A flow whose record is wanted.
    pub query: Option<Query>,
    /// The steady time, 2^10 ns.
    pub now: u32,
}

/// Outputs at a clock.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Out {
    /// RAM is clear; before, nothing is accepted.
    pub swept: bool,
    /// The record of the flow of 2 clocks ago.
    pub answer: Option<Answer>,
}

/// Clocks from an event to its place in RAM.
const DEPTH: usize = 4;

/// An operation on a group of a flow.
#[derive(Clone, Debug)]
struct Op<T> {
    flow: u32,
    /// The flow's epoch.
    epoch: bool,
    /// The group is cleared first.
    clear: bool,
    event: Option<T>,
}

/// Contents of a flow's RAM.
#[derive(Clone, Debug, Default)]
struct Stored {
    record: TelemetryRecord,
    /// By group: the epoch that its part of the record is of.
    epochs: [bool; GROUPS],
}

/// Groups of a record.
const GROUPS: usize = 4;

/// One group of fields with its tap.
#[derive(Clone, Debug)]
struct Group<T> {
    pipe: VecDeque<Option<Op<T>>>,
    /// A flow to be cleared.
    clear: Option<u32>,
}

impl<T> Group<T> {
    fn new() -> Self {
        Group { pipe: std::iter::repeat_with(|| None).take(DEPTH).collect(), clear: None }
    }

    fn is_idle(&self) -> bool {
        self.clear.is_none() && self.pipe.iter().all(Option::is_none)
    }

    /// A clock: takes an event, gives the operation that reaches the RAM.
    fn step(&mut self, event: Option<(u32, T)>, load: Option<u32>, epochs: &[bool]) -> Option<Op<T>> {
        let done = self.pipe.pop_back().flatten();
        let entering = match event {
            Some((flow, event)) => Some((flow, self.clear.take_if(|f| *f == flow).is_some(), Some(event))),
            None => self.clear.take().map(|flow| (flow, true, None)),
        };
        self.pipe.push_front(entering.map(|(flow, clear, event)| Op { flow, epoch: epochs[flow as usize], clear, event }));
        self.clear = load.or(self.clear);
        done
    }
}

/// The records of `2^flow_bits` flows.
#[derive(Clone, Debug)]
pub struct Telemetry {
    flow_bits: u32,
    sweep_end: u64,
    /// Made when first touched.
    records: Vec<Option<Box<Stored>>>,
    /// The epoch of each flow.
    epochs: Vec<bool>,
    /// A flow was loaded at the clock before.
    loaded: Option<u32>,
    /// The sample of the clock before.
    sample: Option<Sample>,
    sent: Group<Sent>,
    returns: Group<(Option<Sample>, Option<u8>)>,
    events: Group<Event>,
    superseded: Group<()>,
    asked: Option<Answer>,
    answer: Option<Answer>,
    /// The time of the clock before.
    past: u32,
}

impl Telemetry {
    /// A block as it is after power-up.
    pub fn new(flow_bits: u32) -> Self {
        Telemetry {
            flow_bits,
            sweep_end: 1 << flow_bits,
            records: vec![None; 1 << flow_bits],
            epochs: vec![false; 1 << flow_bits],
            loaded: None,
            sample: None,
            sent: Group::new(),
            returns: Group::new(),
            events: Group::new(),
            superseded: Group::new(),
            asked: None,
            answer: None,
            past: 0,
        }
    }

    /// The record for an operation of group `group`, and whether its part is to be cleared.
    fn record<T>(&mut self, group: usize, op: &Op<T>) -> (&mut TelemetryRecord, bool) {
        let stored = self.records[op.flow as usize].get_or_insert_default();
        let stale = std::mem::replace(&mut stored.epochs[group], op.epoch) != op.epoch;
        (&mut stored.record, op.clear || stale)
    }

    /// The words of a flow's record, groups of another epoch as cleared.
    fn words(&self, flow: u32) -> [u32; timely_regs::telemetry::WORDS] {
        let Some(stored) = self.records[flow as usize].as_deref() else { return TelemetryRecord::default().to_words() };
        let mut record = stored.record;
        let stale = stored.epochs.map(|e| e != self.epochs[flow as usize]);
        after_sent(&mut record, stale[0], None);
        after_return(&mut record, stale[1], None, 0);
        after_event(&mut record, stale[2], None);
        after_superseded(&mut record, stale[3], false);
        record.to_words()
    }
}

/// The group of what is sent, after a clear and an event.
fn after_sent(r: &mut TelemetryRecord, clear: bool, event: Option<Sent>) {
    if clear {
        (r.packets, r.wire_bytes, r.segments) = (0, 0, 0);
    }
    if let Some(s) = event {
        r.packets = r.packets.wrapping_add(1);
        r.wire_bytes = (r.wire_bytes + u64::from(s.wire_bytes)) & ((1 << 48) - 1);
        r.segments = r.segments.wrapping_add(s.last.into());
    }
}

/// The group of what comes back.
fn after_return(r: &mut TelemetryRecord, clear: bool, event: Option<(Option<Sample>, Option<u8>)>, now: u32) {
    if clear {
        (r.samples, r.timeouts, r.rtt, r.sampled_at) = (0, 0, None, 0);
        (r.acks, r.stale, r.repeated, r.forged, r.lost) = (0, 0, 0, 0, 0);
    }
    let Some((sample, outcome)) = event else { return };
    if let Some(outcome) = outcome {
        let counter = match outcome {
            ACK_ACCEPTED => &mut r.acks,
            ACK_STALE => &mut r.stale,
            ACK_REPEATED => &mut r.repeated,
            _ => &mut r.forged,
        };
        *counter = counter.wrapping_add(1);
    }
    let Some(s) = sample else { return };
    r.lost = r.lost.wrapping_add(s.lost.into());
    if s.kind == KIND_TIMEOUT {
        r.timeouts = r.timeouts.wrapping_add(1);
    }
    if matches!(s.kind, KIND_TIMEOUT | KIND_NAK) {
        return;
    }
    r.samples = r.samples.wrapping_add(1);
    r.sampled_at = now;
    let sample_q8 = s.rtt_ns << SMOOTHED_FRACTION;
    r.rtt = Some(match r.rtt {
        None => Rtts { min_ns: s.rtt_ns, last_ns: s.rtt_ns, smoothed_q8: sample_q8 },
        Some(old) => Rtts { min_ns: old.min_ns.min(s.rtt_ns), last_ns: s.rtt_ns, smoothed_q8: smooth(old.smoothed_q8, sample_q8) },
    });
}

/// The group of what the engine did.
fn after_event(r: &mut TelemetryRecord, clear: bool, event: Option<Event>) {
    if clear {
        (r.updates, r.branches, r.hyperactive) = Default::default();
        (r.rate, r.last_branch, r.last_kind) = (0, 0, 0);
    }
    if let Some(e) = event {
        r.updates = r.updates.wrapping_add(1);
        let branch = usize::from(e.branch).min(r.branches.len() - 1);
        r.branches[branch] = r.branches[branch].wrapping_add(1);
        r.hyperactive = r.hyperactive.wrapping_add(e.hyperactive.into());
        (r.rate, r.last_branch, r.last_kind) = (e.rate, e.branch, e.kind);
    }
}

/// The group of what the engine was too busy for.
fn after_superseded(r: &mut TelemetryRecord, clear: bool, event: bool) {
    if clear {
        r.superseded = 0;
    }
    r.superseded = r.superseded.wrapping_add(event.into());
}

impl Block for Telemetry {
    type In = In;
    type Out = Out;

    fn output(&self, clk: u64) -> Out {
        Out { swept: clk >= self.sweep_end, answer: self.answer }
    }

    fn step(&mut self, clk: u64, i: &In) {
        if i.rst {
            *self = Telemetry::new(self.flow_bits);
            self.sweep_end += clk + 1;
            return;
        }
        if clk < self.sweep_end {
            return;
        }
        self.answer = self.asked.take().map(|mut a| {
            a.record[usize::from(READ_AT.word)] = i.now;
            a
        });
        let past = std::mem::replace(&mut self.past, i.now);
        let load = std::mem::replace(&mut self.loaded, i.flow.as_ref().filter(|l| !l.keep()).map(|l| l.flow));
        let sample = std::mem::replace(&mut self.sample, i.sample);
        let back = i.acked.map(|a| a.flow).or(sample.map(|s| s.flow)).map(|flow| (flow, (sample, i.acked.map(|a| a.outcome))));
        if let Some(op) = self.sent.step(i.sent.map(|s| (s.flow, s)), load, &self.epochs) {
            let (record, clear) = self.record(0, &op);
            after_sent(record, clear, op.event);
        }
        if let Some(op) = self.returns.step(back, load, &self.epochs) {
            let (record, clear) = self.record(1, &op);
            after_return(record, clear, op.event, past);
        }
        if let Some(op) = self.events.step(i.event.map(|e| (e.flow, e)), load, &self.epochs) {
            let (record, clear) = self.record(2, &op);
            after_event(record, clear, op.event);
        }
        if let Some(op) = self.superseded.step(i.superseded.map(|flow| (flow, ())), load, &self.epochs) {
            let (record, clear) = self.record(3, &op);
            after_superseded(record, clear, op.event.is_some());
        }
        // A record written at this clock goes past the RAM; an epoch does not.
        self.asked = i.query.map(|q| Answer { tag: q.tag, record: self.words(q.flow) });
        if let Some(flow) = load {
            self.epochs[flow as usize] ^= true;
        }
    }

    fn wake(&self, clk: u64) -> u64 {
        if clk < self.sweep_end {
            return self.sweep_end;
        }
        let taps = self.sent.is_idle() && self.returns.is_idle() && self.events.is_idle() && self.superseded.is_idle();
        if taps && self.loaded.is_none() && self.sample.is_none() && self.asked.is_none() && self.answer.is_none() { u64::MAX } else { clk }
    }
}
