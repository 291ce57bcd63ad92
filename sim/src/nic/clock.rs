//! A NIC's own clock: a phase, and a period that drifts, kept exactly.
use crate::time::Ps;

/// Nominal period, picoseconds: 250 MHz.
pub const NOMINAL_PS: u64 = 4_000;
/// Fraction bits of a period.
const FRACTION: u32 = 16;

/// Local clock `c` has its edge at `phase + c * period`, exact in 2^-16 ps and rounded down to a picosecond.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clock {
    phase: Ps,
    period: u64,
}

impl Clock {
    /// A clock whose first edge is at `phase` and whose period is 4 ns times `1 + ppm / 1e6`.
    pub fn new(phase: Ps, ppm: f64) -> Self {
        let nominal = (NOMINAL_PS << FRACTION) as f64;
        Clock { phase, period: (nominal * (1.0 + ppm * 1e-6)).round() as u64 }
    }

    /// The edge of clock `c`.
    pub fn edge(&self, c: u64) -> Ps {
        self.phase + ((u128::from(c) * u128::from(self.period)) >> FRACTION) as Ps
    }

    /// The first clock whose edge is at `t` or later.
    pub fn at_or_after(&self, t: Ps) -> u64 {
        if t <= self.phase {
            return 0;
        }
        // edge(c) >= t  <=>  c * period >= (t - phase) << 16, as floors keep integer comparisons.
        (u128::from(t - self.phase) << FRACTION).div_ceil(u128::from(self.period)) as u64
    }

    /// The period in picoseconds, rounded up: from any edge the next one is at most this far.
    pub fn period_ps(&self) -> Ps {
        self.period.div_ceil(1 << FRACTION)
    }

    /// Local time units (2^-16 ns, when a clock adds `increment` of them) that pass from the edge of clock `c` to `t`, which may
    /// be before it; rounded down.
    pub fn local(&self, c: u64, t: Ps, increment: u64) -> i64 {
        let edge = i128::from(c) * i128::from(self.period);
        let there = (i128::from(t) - i128::from(self.phase)) << FRACTION;
        ((there - edge) * i128::from(increment)).div_euclid(i128::from(self.period)) as i64
    }

    /// Nanoseconds that this NIC counts during `duration`.
    pub fn local_ns(&self, duration: Ps) -> f64 {
        duration as f64 / 1000.0 * (NOMINAL_PS << FRACTION) as f64 / self.period as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edges_and_their_inverse_agree() {
        for ppm in [-100.0, -37.3, 0.0, 12.5, 100.0] {
            let clock = Clock::new(1234, ppm);
            for c in [0, 1, 2, 999, 250_000_007, 40_000_000_000] {
                let edge = clock.edge(c);
                assert_eq!(clock.at_or_after(edge), c, "{ppm} ppm, clock {c}");
                assert_eq!(clock.at_or_after(edge + 1), c + 1);
                assert!(clock.local(c, edge, 4 << 16).abs() <= 66, "an edge is its own time to a picosecond");
            }
        }
        let fast = Clock::new(0, 125.0);
        assert_eq!(fast.edge(10_000), 40_005_000);
        assert_eq!(fast.local(0, 40_005_000, 4 << 16), 40_000 << 16);
    }
}
