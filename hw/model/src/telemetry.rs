//! Counters of every flow (`timely_hw::telemetry`): taps on what is sent, measured and decided, and a query for one flow's record.
//!
//! Each tap takes an event every clock and never stalls. An event is part of every answer whose query comes 5 clocks later or more; a
//! query is answered 2 clocks later, always, one every clock. Counters wrap. A load without `keep`, enabled or not, clears the flow's
//! record: of each group at that group's first clock without an event, or with that group's next event of the flow, which counts
//! after it. Loads are at least 8 clocks apart, and each tap is idle for one of 8 clocks.
use crate::Block;
use crate::bus::{Event, FlowLoad, KIND_TIMEOUT, Sample, Sent};
use std::collections::VecDeque;
use timely_regs::telemetry::{Rtts, SMOOTHED_FRACTION, TelemetryRecord, WORDS, smooth};

/// Inputs at a clock.
#[derive(Clone, Debug, Default)]
pub struct In {
    /// Synchronous reset.
    pub rst: bool,
    /// A frame sent; tag, nonce, segment and launch are not looked at.
    pub sent: Option<Sent>,
    /// A sample on its way to the engine.
    pub sample: Option<Sample>,
    /// What the engine did.
    pub event: Option<Event>,
    /// A flow is loaded.
    pub flow: Option<FlowLoad>,
    /// A flow whose record is wanted.
    pub query: Option<u32>,
}

/// Outputs at a clock.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Out {
    /// RAM is clear; before, nothing is accepted.
    pub swept: bool,
    /// The record of the flow of 2 clocks ago.
    pub answer: Option<[u32; WORDS]>,
}

/// Clocks from an event to its place in RAM.
const DEPTH: usize = 4;

/// One group of fields with its tap.
#[derive(Clone, Debug)]
struct Group<T> {
    /// Flow, whether the group is cleared first, the event.
    pipe: VecDeque<Option<(u32, bool, Option<T>)>>,
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
    fn step(&mut self, event: Option<(u32, T)>, load: Option<u32>) -> Option<(u32, bool, Option<T>)> {
        let done = self.pipe.pop_back().flatten();
        let entering = match event {
            Some((flow, event)) => Some((flow, self.clear.take_if(|f| *f == flow).is_some(), Some(event))),
            None => self.clear.take().map(|flow| (flow, true, None)),
        };
        self.pipe.push_front(entering);
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
    records: Vec<Option<Box<TelemetryRecord>>>,
    sent: Group<Sent>,
    samples: Group<Sample>,
    events: Group<Event>,
    asked: Option<[u32; WORDS]>,
    answer: Option<[u32; WORDS]>,
}

impl Telemetry {
    /// A block as it is after power-up.
    pub fn new(flow_bits: u32) -> Self {
        Telemetry {
            flow_bits,
            sweep_end: 1 << flow_bits,
            records: vec![None; 1 << flow_bits],
            sent: Group::new(),
            samples: Group::new(),
            events: Group::new(),
            asked: None,
            answer: None,
        }
    }

    fn record(&mut self, flow: u32) -> &mut TelemetryRecord {
        self.records[flow as usize].get_or_insert_default()
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

/// The group of what is measured.
fn after_sample(r: &mut TelemetryRecord, clear: bool, event: Option<Sample>) {
    if clear {
        (r.samples, r.timeouts, r.rtt) = (0, 0, None);
    }
    let Some(s) = event else { return };
    if s.kind == KIND_TIMEOUT {
        r.timeouts = r.timeouts.wrapping_add(1);
        return;
    }
    r.samples = r.samples.wrapping_add(1);
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
        self.answer = self.asked.take();
        // The RAM is read before it is written.
        self.asked = i.query.map(|flow| self.records[flow as usize].as_deref().copied().unwrap_or_default().to_words());
        let load = i.flow.as_ref().filter(|l| !l.keep()).map(|l| l.flow);
        if let Some((flow, clear, event)) = self.sent.step(i.sent.map(|s| (s.flow, s)), load) {
            after_sent(self.record(flow), clear, event);
        }
        if let Some((flow, clear, event)) = self.samples.step(i.sample.map(|s| (s.flow, s)), load) {
            after_sample(self.record(flow), clear, event);
        }
        if let Some((flow, clear, event)) = self.events.step(i.event.map(|e| (e.flow, e)), load) {
            after_event(self.record(flow), clear, event);
        }
    }

    fn wake(&self, clk: u64) -> u64 {
        if clk < self.sweep_end {
            return self.sweep_end;
        }
        let idle = self.sent.is_idle() && self.samples.is_idle() && self.events.is_idle();
        if idle && self.asked.is_none() && self.answer.is_none() { u64::MAX } else { clk }
    }
}
