//! How `now` runs over a stretch of clocks, so that a model that waits for a time can tell the
//! clock it comes at.

/// `now` as a line: `now(clk) = now + (clk - clk0) * step`, valid until the clock's rate is next
/// adjusted.
///
/// The pacer's blocks see time only as an input. The model that composes them knows how `now` is
/// made, and calls `set_time` (again after each adjustment, at a clock that is stepped), so that
/// `wake()` can answer in clocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeMap {
    /// The clock that the line starts at.
    pub clk0: u64,
    /// `now` at that clock, ns48.fns16.
    pub now: u64,
    /// Increment a clock, Q8.24 ns (4 ns: `4 << 24`); not 0.
    pub step: u32,
}

impl TimeMap {
    /// `now` at clock `clk >= clk0`, ns48.fns16; wraps at 2^64.
    pub fn now(&self, clk: u64) -> u64 {
        self.now.wrapping_add(((u128::from(clk - self.clk0) * u128::from(self.step)) >> 8) as u64)
    }

    /// The first clock `>= clk0` with `now >= time` (ns48.fns16), times being compared modulo 2^64.
    pub fn first_clock(&self, time: u64) -> u64 {
        let ahead = time.wrapping_sub(self.now) as i64;
        if ahead <= 0 {
            return self.clk0;
        }
        let clocks = ((ahead as u128) << 8).div_ceil(u128::from(self.step));
        self.clk0.saturating_add(u64::try_from(clocks).unwrap_or(u64::MAX))
    }
}

#[cfg(test)]
mod tests {
    use super::TimeMap;

    #[test]
    fn first_clock_is_the_first() {
        for step in [4 << 24, (4 << 24) + 1677, (6 << 24) - 12345] {
            let map = TimeMap { clk0: 1000, now: u64::MAX - 300_000, step };
            for time in (0..700_000u64).step_by(997) {
                let time = map.now.wrapping_add(time);
                let clk = map.first_clock(time);
                assert!(map.now(clk).wrapping_sub(time) < 1 << 20, "clock {clk} comes before {time}");
                assert!(clk == 1000 || time.wrapping_sub(map.now(clk - 1)) as i64 > 0, "clock {clk} is not the first at {time}");
            }
        }
    }
}
