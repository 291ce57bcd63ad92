//! The histograms of the profiles (`timely_hw::telemetry::histograms`): a count for each bin of the
//! signals that the engine answered.
//!
//! An update of kind RTT counts in the bin of its signal, in the histogram of its flow's profile,
//! every clock; what is read 9 clocks later shows it. Reading disturbs nothing: `count` is that of
//! bin `at` of 2 clocks before. A histogram that is to be cleared is cleared bin by bin, each at a
//! clock at which no update comes to the counters, those of lower numbers first.
use crate::Block;
use crate::bus::{Event, KIND_RTT};
use crate::engine::law::Kind;
use std::collections::VecDeque;
use timely_regs::histogram::{BIN_BITS, BINS, bin};
use timely_regs::profile::PROFILES;

/// Bits of `at`: a bin, and above it a profile.
pub const AT_BITS: u32 = BIN_BITS + PROFILES.ilog2();

/// Clocks from an update to the counter's operation.
const TO_BIN: usize = 4;
/// Clocks from the operation to the RAM.
const TO_RAM: usize = 4;

/// Inputs at a clock. `at` is a level: a change must be stepped.
#[derive(Clone, Debug, Default)]
pub struct In {
    /// Synchronous reset.
    pub rst: bool,
    /// An event of the engine.
    pub event: Option<Event>,
    /// The bin that is read.
    pub at: u16,
    /// Histograms to be cleared, a bit each.
    pub clear: u16,
}

/// Outputs at a clock.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Out {
    /// RAM is clear; before, nothing is counted.
    pub swept: bool,
    /// The count of the bin of 2 clocks ago.
    pub count: u32,
    /// Histograms that are not cleared yet, a bit each.
    pub clearing: u16,
}

/// An operation on a counter.
#[derive(Clone, Copy, Debug)]
enum Op {
    Count(u16),
    Clear(u16),
}

/// The histograms.
#[derive(Clone, Debug)]
pub struct Histograms {
    sweep_end: u64,
    counts: Vec<u32>,
    /// Bins to be counted, by clocks since.
    values: VecDeque<Option<u16>>,
    /// Operations, by clocks since.
    ops: VecDeque<Option<Op>>,
    waiting: u16,
    /// Profile and bin that is cleared next.
    clearing: Option<(u16, u16)>,
    at: u16,
    read: u32,
    count: u32,
}

impl Default for Histograms {
    fn default() -> Self {
        Histograms {
            sweep_end: 1 << AT_BITS,
            counts: vec![0; 1 << AT_BITS],
            values: VecDeque::from([None; TO_BIN]),
            ops: VecDeque::from([None; TO_RAM]),
            waiting: 0,
            clearing: None,
            at: 0,
            read: 0,
            count: 0,
        }
    }
}

impl Histograms {
    /// The operation of this clock, given the bin that is to be counted.
    fn operation(&mut self, value: Option<u16>) -> Option<Op> {
        if let Some(at) = value {
            return Some(Op::Count(at));
        }
        let (profile, bin) = self.clearing?;
        self.clearing = (usize::from(bin) != BINS - 1).then_some((profile, bin + 1));
        Some(Op::Clear(profile << BIN_BITS | bin))
    }
}

impl Block for Histograms {
    type In = In;
    type Out = Out;

    fn output(&self, clk: u64) -> Out {
        let clearing = self.waiting | self.clearing.map_or(0, |(profile, _)| 1 << profile);
        Out { swept: clk >= self.sweep_end, count: self.count, clearing }
    }

    fn step(&mut self, clk: u64, i: &In) {
        if i.rst {
            *self = Histograms { sweep_end: clk + 1 + (1 << AT_BITS), ..Histograms::default() };
            return;
        }
        if clk < self.sweep_end {
            return;
        }
        self.at = i.at;
        self.count = std::mem::replace(&mut self.read, self.counts[usize::from(i.at)]);
        match self.ops.pop_back().flatten() {
            Some(Op::Count(at)) => self.counts[usize::from(at)] = self.counts[usize::from(at)].wrapping_add(1),
            Some(Op::Clear(at)) => self.counts[usize::from(at)] = 0,
            None => {}
        }
        let idle = self.clearing.is_none();
        let value = self.values.pop_back().flatten();
        let op = self.operation(value);
        self.ops.push_front(op);
        if idle && self.waiting != 0 {
            let profile = self.waiting.trailing_zeros() as u16;
            self.waiting &= self.waiting - 1;
            self.clearing = Some((profile, 0));
        }
        self.waiting |= i.clear;
        let counted = i.event.filter(|e| e.kind == KIND_RTT || e.kind == Kind::Loss as u8);
        self.values.push_front(counted.map(|e| u16::from(e.profile) << BIN_BITS | bin(e.rtt_ns) as u16));
    }

    fn wake(&self, clk: u64) -> u64 {
        if clk < self.sweep_end {
            return self.sweep_end;
        }
        let moving = self.values.iter().any(Option::is_some) || self.ops.iter().any(Option::is_some);
        let read = self.counts[usize::from(self.at)];
        let idle = !moving && self.waiting == 0 && self.clearing.is_none() && self.count == read && self.read == read;
        if idle { u64::MAX } else { clk }
    }
}
