//! The scheduler's own time. See `timely_hw::scheduler::ticks`.
use crate::pacer::timemap::TimeMap;

/// A count of clocks, which shows a clock late.
#[derive(Clone, Copy, Debug, Default)]
pub struct Ticks {
    /// The clock after the last one that was reset.
    from: u64,
    /// ns a clock, Q8.24.
    increment: u32,
}

impl Ticks {
    /// The time at clock `clk`, ns48.fns16.
    pub fn now(&self, clk: u64) -> u64 {
        ((u128::from(clk.saturating_sub(self.from + 1)) * u128::from(self.increment)) >> 8) as u64
    }

    /// The time from clock `clk` on: a bit early, as a line carries no fraction.
    pub fn line(&self, clk: u64) -> TimeMap {
        TimeMap { clk0: clk, now: self.now(clk) + 1, step: self.increment.max(1) }
    }

    /// A clock that matters, and what it adds.
    pub fn step(&mut self, clk: u64, rst: bool, increment: u32) {
        self.increment = increment;
        if rst {
            self.from = clk + 1;
        }
    }
}
