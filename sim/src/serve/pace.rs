//! How fast simulated time runs: never faster than the wall clock, and slower when the machine
//! cannot keep up or there is nothing to do.
//!
//! - A NIC that has nothing to do before a certain time is not clocked until then, and costs
//!   nothing: the model says when that is.
//! - What cannot be kept up with is not made up for: what is due is done at most `SLIP` late, and
//!   simulated time stays behind by the rest.
//! - Verilog cannot say when it has nothing to do. After an event it is clocked at full speed for
//!   as long as consequences may follow, and then `REST_CLOCKS` every `REST`: its time nearly
//!   stands still.
use crate::time::{MS, Ps};
use std::time::{Duration, Instant};

/// The longest delay that simulated time makes up for.
const SLIP: Ps = MS;
/// Clocks that are stepped at full speed after a register access.
pub const AFTER_ACCESS: u64 = 1 << 12;
/// After a burst of DMA.
pub const AFTER_BURST: u64 = 1 << 16;
/// After a frame.
pub const AFTER_FRAME: u64 = 1 << 20;
/// After a reset, in which all RAM is cleared.
pub const AFTER_RESET: u64 = 1 << 17;
/// Clocks that are stepped of a NIC at rest,
pub const REST_CLOCKS: u64 = 200;
/// so often.
pub const REST: Duration = Duration::from_millis(10);

/// Keeps the pace.
pub struct Pace {
    /// A simulated time and the wall's at that time.
    anchor: (Ps, Instant),
    /// The clock up to which it is run at full speed.
    busy_until: u64,
    /// At rest: the clock to stop at, and when to go on.
    rest: (u64, Instant),
}

impl Pace {
    /// Simulated time is `now` from `wall` on.
    pub fn new(now: Ps, wall: Instant) -> Self {
        Pace { anchor: (now, wall), busy_until: 0, rest: (0, wall) }
    }

    /// Time did not run: it goes on from here.
    pub fn restart(&mut self, now: Ps, wall: Instant) {
        self.anchor = (now, wall);
    }

    /// Something happened at clock `clk` that may have consequences for so many clocks.
    pub fn stir(&mut self, clk: u64, clocks: u64) {
        self.busy_until = self.busy_until.max(clk + clocks);
    }

    /// Forgets what may have consequences: from now on it rests.
    pub fn settle(&mut self) {
        self.busy_until = 0;
    }

    /// How far simulated time may run, when there is something to do at `next`.
    pub fn limit(&mut self, next: Ps, wall: Instant) -> Ps {
        let passed = wall.saturating_duration_since(self.anchor.1).as_nanos() as Ps * 1000;
        let limit = self.anchor.0.saturating_add(passed);
        let latest = next.saturating_add(SLIP);
        if limit > latest {
            self.anchor = (latest, wall);
        }
        limit.min(latest)
    }

    /// How long to wait before clock `clk` is stepped; `None` not at all.
    pub fn wait(&mut self, clk: u64, wall: Instant) -> Option<Duration> {
        if clk < self.busy_until || clk < self.rest.0 {
            return None;
        }
        let left = self.rest.1.saturating_duration_since(wall);
        if left.is_zero() {
            self.rest = (clk + REST_CLOCKS, wall + REST);
            return None;
        }
        Some(left)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_follows_the_wall_and_slips() {
        let start = Instant::now();
        let mut p = Pace::new(5, start);
        assert_eq!(p.limit(5, start), 5);
        assert_eq!(p.limit(5, start + Duration::from_nanos(700)), 700_005);
        // There was nothing to do for a second.
        let late = start + Duration::from_secs(1);
        assert_eq!(p.limit(Ps::MAX, late), 5 + 1000 * MS);
        // Something was due after a millisecond of the next second: one more is made up for.
        let later = late + Duration::from_secs(1);
        assert_eq!(p.limit(5 + 1001 * MS, later), 5 + 1002 * MS);
        assert_eq!(p.limit(5 + 1002 * MS, later + Duration::from_nanos(1)), 5 + 1002 * MS + 1000);
    }

    #[test]
    fn at_rest_a_few_clocks_are_stepped_now_and_then() {
        let start = Instant::now();
        let mut p = Pace::new(0, start);
        p.stir(100, AFTER_ACCESS);
        assert_eq!(p.wait(100 + AFTER_ACCESS - 1, start), None);
        assert_eq!(p.wait(5_000, start), None);
        assert_eq!(p.wait(5_000 + REST_CLOCKS - 1, start), None);
        assert_eq!(p.wait(5_000 + REST_CLOCKS, start), Some(REST));
        assert_eq!(p.wait(5_000 + REST_CLOCKS, start + REST), None);
    }
}
