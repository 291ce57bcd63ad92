//! Event records of rate updates (`timely_hw::telemetry::recorder`): some of them, chosen,
//! numbered, queued.
//!
//! An update that passes the filter is counted, and one of `every` of those leaves as a record; the
//! first after `every` changed is one. A record is at the queue 2 clocks after its update and, if
//! the queue is empty, at the output 5 clocks after it. One that finds the queue full is dropped:
//! that pulses 3 clocks after its update, and leaves a gap in the numbers.
use crate::bus::{Event, ProfileWrite};
use crate::{Block, fifo};
use timely_regs::event::{EventRecord, WORDS};
use timely_regs::map::telemetry::{FILTER_BY_FLOW, FILTER_BY_PROFILE, FILTER_FLOW, FILTER_PROFILE};
use timely_regs::profile::{LAW, PROFILES};

/// Address bits of the queue.
pub const QUEUE: u32 = 9;

/// Inputs at a clock. `every` and `filter` are levels: a change must be stepped.
#[derive(Clone, Debug, Default)]
pub struct In {
    /// Synchronous reset.
    pub rst: bool,
    /// An event of the engine.
    pub event: Option<Event>,
    /// The NIC's time, ns48.fns16.
    pub now: u64,
    /// A profile word is written.
    pub profile: Option<ProfileWrite>,
    /// One of so many is recorded; 0 none.
    pub every: u16,
    /// `timely_regs::map::telemetry::EVENT_FILTER`.
    pub filter: u32,
    /// The record at the output is taken.
    pub ready: bool,
}

/// Outputs at a clock.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Out {
    /// A record.
    pub record: Option<[u32; WORDS]>,
    /// A record was dropped.
    pub dropped: bool,
}

/// The recorder.
#[derive(Clone, Debug)]
pub struct Recorder {
    queue_bits: u32,
    laws: [u8; PROFILES],
    /// The update of the clock before: its record without a number, and whether it passed the
    /// filter.
    update: Option<(EventRecord, bool)>,
    every: u16,
    /// Updates until the next that is recorded.
    left: u16,
    sequence: u32,
    record: Option<[u32; WORDS]>,
    queue: fifo::Fifo<[u32; WORDS]>,
    dropped: bool,
}

impl Recorder {
    /// A recorder with a queue of `2^queue_bits` records.
    pub fn new(queue_bits: u32) -> Self {
        Recorder {
            queue_bits,
            laws: [0; PROFILES],
            update: None,
            every: 0,
            left: 0,
            sequence: 0,
            record: None,
            queue: fifo::Fifo::new(queue_bits),
            dropped: false,
        }
    }

    fn passes(filter: u32, e: &Event) -> bool {
        let f = [filter];
        (FILTER_BY_FLOW.get(&f) == 0 || FILTER_FLOW.get(&f) == e.flow)
            && (FILTER_BY_PROFILE.get(&f) == 0 || FILTER_PROFILE.get(&f) == e.profile.into())
    }

    fn describe(&self, e: &Event, now: u64) -> EventRecord {
        EventRecord {
            sequence: 0,
            time: now,
            flow: e.flow,
            profile: e.profile,
            law: self.laws[usize::from(e.profile)],
            kind: e.kind,
            branch: e.branch,
            hyperactive: e.hyperactive,
            signal_ns: e.rtt_ns,
            hops: e.hops,
            endpoint_ns: e.endpoint_ns,
            argument: e.now_ns,
            rate_before: e.rate_before,
            rate: e.rate,
            before: e.before,
            source: 0,
        }
    }

    /// Whether the update of the clock before is recorded.
    fn chosen(&mut self, every: u16) -> Option<EventRecord> {
        let update = self.update.take();
        if every != self.every {
            (self.every, self.left) = (every, 0);
            return None;
        }
        let (record, true) = update? else { return None };
        if every == 0 {
            return None;
        }
        if self.left != 0 {
            self.left -= 1;
            return None;
        }
        self.left = every - 1;
        let sequence = self.sequence;
        self.sequence = sequence.wrapping_add(1);
        Some(EventRecord { sequence, ..record })
    }
}

impl Block for Recorder {
    type In = In;
    type Out = Out;

    fn output(&self, clk: u64) -> Out {
        Out { record: self.queue.output(clk).head, dropped: self.dropped }
    }

    fn step(&mut self, clk: u64, i: &In) {
        if i.rst {
            *self = Recorder::new(self.queue_bits);
            return;
        }
        self.dropped = self.record.is_some() && !self.queue.output(clk).ready;
        self.queue.step(clk, &fifo::In { rst: false, push: self.record.take(), ready: i.ready });
        self.record = self.chosen(i.every).map(|r| r.to_words());
        self.update = i.event.map(|e| (self.describe(&e, i.now), Self::passes(i.filter, &e)));
        if let Some(w) = i.profile.filter(|w| w.word == LAW.word) {
            self.laws[usize::from(w.profile)] = LAW.get(&[w.data]) as u8;
        }
    }

    fn wake(&self, clk: u64) -> u64 {
        let idle = self.update.is_none() && self.record.is_none() && !self.dropped && self.queue.is_settled();
        if idle { u64::MAX } else { clk }
    }
}
