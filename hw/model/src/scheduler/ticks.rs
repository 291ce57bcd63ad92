//! The scheduler's own time. See `timely_hw::scheduler::ticks`.

/// A count of clocks.
#[derive(Clone, Copy, Debug, Default)]
pub struct Ticks {
    /// ns, Q40.24: as it is, and as it shows.
    sum: u128,
    behind: u128,
}

impl Ticks {
    /// The time, ns48.fns16.
    pub fn now(&self) -> u64 {
        (self.behind >> 8) as u64
    }

    /// A clock, which adds `increment`, ns in Q8.24.
    pub fn step(&mut self, rst: bool, increment: u32) {
        if rst {
            *self = Ticks::default();
            return;
        }
        self.behind = self.sum;
        self.sum += u128::from(increment);
    }
}
