//! The NIC's own time, as `timely_hw::time` counts it: exact sums, a step forward as a whole, a step backward never.
use crate::Block;
use std::collections::VecDeque;

/// Clocks from the one at which an increment is sampled to the first output that it counts in.
pub const LATENCY: usize = 11;
/// The most that one correction takes back, in 2^-16 ns: 128 ns; a longer way back is gone in several.
pub const LONGEST_SLEW: u64 = 1 << 23;
/// Clocks from the start of one correction to the next, when nothing is taken back.
pub const CORRECTION: u32 = 41;

/// Clocks from a time of day to its [`linear`] time.
pub const LINEAR_LATENCY: usize = 5;

/// A time of day, wrapped at 10^9 ns, as ns48.fns16: what stamps are, wherever they come from.
pub fn linear(sec: u64, ns: u32, fraction: u16) -> u64 {
    (sec.wrapping_mul(1_000_000_000).wrapping_add(ns.into())) << 16 | u64::from(fraction)
}

/// Clock of a correction at which the offset is known.
const KNOWN: u32 = 3;
/// Clock of a correction at which a step starts down the adder pipeline.
const STEP: u32 = 23;
/// Amounts that are on their way from the debt to the output.
const LINE: usize = LATENCY - 2;

/// Inputs at a clock. The levels `increment`, `ptp` and `lead` are taken to stay as they are while clocks are skipped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct In {
    /// Synchronous reset.
    pub rst: bool,
    /// What a clock adds, ns in Q8.24.
    pub increment: u32,
    /// PTP is the source.
    pub ptp: bool,
    /// PTP time at this clock, ns48.fns16.
    pub ptp_time: Option<u64>,
    /// A time to step forward to, ns48.fns16.
    pub set: Option<u64>,
    /// How far `later` is ahead, ns. A level as the first two.
    pub lead: u16,
}

/// Outputs at a clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Out {
    /// The time, ns48.fns16.
    pub now: u64,
    /// The time and the lead of two clocks ago, ns48.fns16.
    pub later: u64,
    /// Its seconds, 48 bits.
    pub sec: u64,
    /// Its nanoseconds in the second.
    pub ns: u32,
    /// A step was refused.
    pub refused: bool,
}

/// The clock.
#[derive(Clone, Debug, Default)]
pub struct Time {
    /// The time at clock `at` in 2^-24 ns, without wrapping.
    total: u128,
    at: u64,
    /// What the coming clocks add.
    line: VecDeque<u128>,
    increment: u32,
    /// What is to be taken back, 2^-24 ns.
    debt: u32,
    /// Clock of the correction under way; 0 for none.
    phase: u32,
    /// Wanted time minus `now` when both were sampled; forward below 2^63.
    offset: u64,
    by_software: bool,
    refused: bool,
    /// The lead of the last two clocks, the newer first.
    leads: [u16; 2],
    /// An increment was sampled since reset.
    started: bool,
}

impl Time {
    /// A clock that shows 0 and stands until its first increment.
    pub fn new() -> Self {
        Time { line: VecDeque::from([0; LINE]), ..Default::default() }
    }

    fn total(&self, clk: u64) -> u128 {
        self.total + u128::from(clk - self.at) * u128::from(self.increment)
    }

    /// The time at `clk`, ns48.fns16.
    pub fn now(&self, clk: u64) -> u64 {
        (self.total(clk) >> 8) as u64
    }

    /// The time at `clk` and the lead, ns48.fns16.
    pub fn later(&self, clk: u64) -> u64 {
        self.now(clk).wrapping_add(u64::from(self.leads[1]) << 16)
    }
}

impl Block for Time {
    type In = In;
    type Out = Out;

    fn output(&self, clk: u64) -> Out {
        let ns = self.total(clk) >> 24;
        Out {
            now: self.now(clk),
            later: self.later(clk),
            sec: (ns / 1_000_000_000) as u64 & ((1 << 48) - 1),
            ns: (ns % 1_000_000_000) as u32,
            refused: self.refused,
        }
    }

    fn step(&mut self, clk: u64, i: &In) {
        if i.rst {
            *self = Time { at: clk + 1, ..Time::new() };
            return;
        }
        self.total = self.total(clk);
        self.at = clk + 1;
        let now = (self.total >> 8) as u64;
        let backward = self.offset >> 63 != 0;
        self.refused = i.set.is_some() && (i.ptp || self.phase != 0) || self.phase == KNOWN && self.by_software && backward;
        if self.phase == STEP && !backward {
            *self.line.back_mut().expect("the line is never empty") += u128::from(self.offset) << 8;
        }
        let taken = self.debt.min(self.increment >> 1);
        let held = self.debt != 0;
        self.debt -= taken;
        if self.phase == KNOWN + 1 && backward && !self.by_software {
            self.debt = (self.offset.wrapping_neg().min(LONGEST_SLEW) as u32) << 8;
        }
        self.line.push_back(u128::from(self.increment - taken));
        self.total += self.line.pop_front().expect("the line is never empty");
        self.increment = i.increment;
        self.leads = [i.lead, self.leads[0]];
        self.started = true;
        if self.phase == 0 {
            let wanted = if i.ptp { i.ptp_time } else { i.set };
            if let Some(wanted) = wanted {
                self.offset = wanted.wrapping_sub(now);
                self.by_software = !i.ptp;
                self.phase = 1;
            }
        } else if self.phase != STEP + 1 || !held {
            self.phase = (self.phase + 1) % CORRECTION;
        }
    }

    fn wake(&self, clk: u64) -> u64 {
        let steady = self.line.iter().all(|&a| a == u128::from(self.increment));
        let steady = steady && self.leads[0] == self.leads[1];
        if self.started && steady && self.phase == 0 && self.debt == 0 && !self.refused { u64::MAX } else { clk }
    }
}
