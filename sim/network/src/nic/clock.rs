//! A NIC's own clock: a phase, and a period that drifts, kept exactly.
use crate::time::Ps;

/// Period that the hardware is emitted for, picoseconds: 250 MHz.
pub const NOMINAL_PS: u64 = 4_000;
/// Fraction bits of a period.
const FRACTION: u32 = 16;

/// Local clock `c` has its edge at `phase + c * period`, exact in 2^-16 ps and rounded down to a
/// picosecond.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clock {
    phase: Ps,
    nominal_ps: u64,
    period: u64,
}

impl Clock {
    /// A clock whose first edge is at `phase` and whose period is `nominal_ps` times
    /// `1 + ppm / 1e6`.
    pub fn new(phase: Ps, nominal_ps: u64, ppm: f64) -> Self {
        let nominal = (nominal_ps << FRACTION) as f64;
        Clock { phase, nominal_ps, period: (nominal * (1.0 + ppm * 1e-6)).round() as u64 }
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

    /// The period that the NIC takes it to have, ns.
    pub fn nominal_ns(&self) -> f64 {
        self.nominal_ps as f64 / 1000.0
    }

    /// Local time, 2^-16 ns, that passes from the edge of clock `c` to `t`, which may be before it;
    /// rounded down.
    pub fn local(&self, c: u64, t: Ps) -> i64 {
        let edge = i128::from(c) * i128::from(self.period);
        let there = (i128::from(t) - i128::from(self.phase)) << FRACTION;
        ((there - edge) * i128::from(self.nominal_ps << FRACTION)).div_euclid(1000 * i128::from(self.period)) as i64
    }

    /// Nanoseconds that this NIC counts during `duration`.
    pub fn local_ns(&self, duration: Ps) -> f64 {
        duration as f64 / 1000.0 * (self.nominal_ps << FRACTION) as f64 / self.period as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edges_and_their_inverse_agree() {
        for ppm in [-100.0, -37.3, 0.0, 12.5, 100.0] {
            let clock = Clock::new(1234, NOMINAL_PS, ppm);
            for c in [0, 1, 2, 999, 250_000_007, 40_000_000_000] {
                let edge = clock.edge(c);
                assert_eq!(clock.at_or_after(edge), c, "{ppm} ppm, clock {c}");
                assert_eq!(clock.at_or_after(edge + 1), c + 1);
                assert!(clock.local(c, edge).abs() <= 66, "an edge is its own time to a picosecond");
            }
        }
        let fast = Clock::new(0, NOMINAL_PS, 125.0);
        assert_eq!(fast.edge(10_000), 40_005_000);
        assert_eq!(fast.local(0, 40_005_000), 40_000 << 16);
        // The clock of 10 Gb/s over 64 bits.
        let ten = Clock::new(7, 6_400, 0.0);
        assert_eq!((ten.edge(5), ten.at_or_after(32_008), ten.local(0, 32_007)), (32_007, 6, 32 << 16));
    }
}
