//! The NIC's two times, as `timely_hw::time` counts them: one that paces and times out, one that
//! stamps.
use crate::Block;
use std::collections::VecDeque;

/// Clocks from the one at which an increment is sampled to the first output that it counts in.
pub const LATENCY: usize = 4;
/// Clocks from a sample of PTP, or a set of the date, to the first output that it counts in.
pub const DATE_LATENCY: u64 = 5;
/// The steady time after reset, ns48.fns16: 131 us before its wrap, so that every run, on a board
/// or in a test, crosses the wrap early.
pub const START: u64 = (1u64 << 33).wrapping_neg();
/// A correction of the date by this much or more is a step, 2^-16 ns: 256 ns, what clocks that are
/// 100 ppm apart gain on each other in 2.5 ms.
pub const STEP: i64 = 1 << 24;

/// Clocks from a step of the date for which the departures that are reported count as from before
/// it: a stamp is of a frame's first byte, and in line is reported behind its last one. At 4 ns a
/// clock that covers 16 us, 9,600 bytes at 10 Gb/s with as much again; not 9,000 bytes at 1 Gb/s,
/// which no shell in line has (the ECPIX-5 reports a frame's first byte).
pub const SETTLE: u64 = 1 << 12;

/// Clocks from a time of day to its [`linear`] time.
pub const LINEAR_LATENCY: usize = 5;

/// A time of day, wrapped at 10^9 ns, as ns48.fns16: what stamps are, wherever they come from.
pub fn linear(sec: u64, ns: u32, fraction: u16) -> u64 {
    (sec.wrapping_mul(1_000_000_000).wrapping_add(ns.into())) << 16 | u64::from(fraction)
}

/// The date of a launch, ns48.fns16 modulo 2^32 ns, `offset` being the date less the steady time; 8
/// bits of the fraction are kept.
pub fn launch_date(launch: u64, offset: u64) -> u64 {
    ((launch >> 8).wrapping_add(offset >> 8) & 0xff_ffff_ffff) << 8
}

/// Inputs at a clock. The levels `increment`, `ptp` and `lead` are taken to stay as they are while
/// clocks are skipped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct In {
    /// Synchronous reset.
    pub rst: bool,
    /// ns that a clock adds, Q8.24.
    pub increment: u32,
    /// PTP is the date's source; `set` is ignored.
    pub ptp: bool,
    /// PTP time at this clock, ns48.fns16.
    pub ptp_time: Option<u64>,
    /// The date to be, as of this clock, ns48.fns16.
    pub set: Option<u64>,
    /// How far `later` is ahead, ns. A level as the first two.
    pub lead: u16,
}

/// Outputs at a clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Out {
    /// The steady time, ns48.fns16.
    pub steady: u64,
    /// The steady time and the lead of two clocks ago, ns48.fns16.
    pub later: u64,
    /// The date, ns48.fns16.
    pub date: u64,
    /// The date less the steady time, ns48.fns16.
    pub offset: u64,
    /// Steps of the date since reset, modulo 4.
    pub epoch: u8,
    /// Epoch of the departures that are reported at this clock: another than `epoch` until
    /// [`SETTLE`] clocks behind a step.
    pub departed_epoch: u8,
}

/// The clock.
#[derive(Clone, Debug)]
pub struct Time {
    /// The steady time at clock `at` in 2^-24 ns, without wrapping.
    total: u128,
    at: u64,
    /// Increments that were sampled and do not count yet, the oldest first.
    line: VecDeque<u32>,
    /// The latest of them.
    increment: u32,
    /// The date less the steady time.
    offset: u64,
    epoch: u8,
    /// The clock from which the date has not stepped for [`SETTLE`] clocks.
    settled: u64,
    /// Offsets that are measured and not yet in force, with the clock from which they are.
    measured: VecDeque<(u64, u64)>,
    /// The lead of the last two clocks, the newer first.
    leads: [u16; 2],
    /// An increment was sampled since reset.
    started: bool,
}

impl Default for Time {
    fn default() -> Self {
        Time::new()
    }
}

impl Time {
    /// A clock whose date is 0 and that stands until its first increment.
    pub fn new() -> Self {
        Time {
            total: u128::from(START) << 8,
            at: 0,
            line: VecDeque::from([0; LATENCY - 1]),
            increment: 0,
            offset: START.wrapping_neg(),
            epoch: 0,
            settled: 0,
            measured: VecDeque::new(),
            leads: [0; 2],
            started: false,
        }
    }

    fn total(&self, clk: u64) -> u128 {
        self.total + u128::from(clk - self.at) * u128::from(self.increment)
    }

    /// The steady time at `clk`, ns48.fns16.
    pub fn steady(&self, clk: u64) -> u64 {
        (self.total(clk) >> 8) as u64
    }

    /// The date at `clk`, ns48.fns16.
    pub fn date(&self, clk: u64) -> u64 {
        self.steady(clk).wrapping_add(self.offset)
    }

    /// The steady time at `clk` and the lead, ns48.fns16.
    pub fn later(&self, clk: u64) -> u64 {
        self.steady(clk).wrapping_add(u64::from(self.leads[1]) << 16)
    }

    /// `steady` and `later` run along a line from the clock after the last step on, as long as
    /// increment and lead stay as they are.
    pub fn is_straight(&self) -> bool {
        self.started && self.line.iter().all(|&i| i == self.increment) && self.leads[0] == self.leads[1]
    }
}

impl Block for Time {
    type In = In;
    type Out = Out;

    fn output(&self, clk: u64) -> Out {
        let departed_epoch = self.epoch.wrapping_sub(u8::from(clk < self.settled)) % 4;
        let (steady, later, date) = (self.steady(clk), self.later(clk), self.date(clk));
        Out { steady, later, date, offset: self.offset, epoch: self.epoch, departed_epoch }
    }

    fn step(&mut self, clk: u64, i: &In) {
        if i.rst {
            *self = Time { at: clk + 1, ..Time::new() };
            return;
        }
        self.total = self.total(clk);
        let wanted = if i.ptp { i.ptp_time } else { i.set };
        if let Some(wanted) = wanted {
            self.measured.push_back((clk + DATE_LATENCY, wanted.wrapping_sub((self.total >> 8) as u64)));
        }
        self.line.push_back(i.increment);
        self.total += u128::from(self.line.pop_front().expect("the line is never empty"));
        self.at = clk + 1;
        self.increment = i.increment;
        self.leads = [i.lead, self.leads[0]];
        self.started = true;
        if let Some(&(_, offset)) = self.measured.front().filter(|m| m.0 == clk + 1) {
            let by = offset.wrapping_sub(self.offset) as i64;
            if !(-STEP..STEP).contains(&by) {
                self.epoch = (self.epoch + 1) % 4;
                self.settled = clk + 1 + SETTLE;
            }
            self.offset = offset;
            self.measured.pop_front();
        }
    }

    fn wake(&self, clk: u64) -> u64 {
        if self.is_straight() && self.measured.is_empty() { u64::MAX } else { clk }
    }
}
