//! Time in whole picoseconds, speeds, and what a frame costs on a wire.
pub use timely_regs::link::wire_bytes;

/// A simulated time or duration, picoseconds. 2^64 ps are seven months.
pub type Ps = u64;

/// Later than everything.
pub const NEVER: Ps = Ps::MAX;
/// A nanosecond.
pub const NS: Ps = 1_000;
/// A microsecond.
pub const US: Ps = 1_000_000;
/// A millisecond.
pub const MS: Ps = 1_000_000_000;

/// Picoseconds of a duration given in any unit as a float, rounded; negative becomes 0.
pub fn ps(value: f64, unit: Ps) -> Ps {
    (value * unit as f64).round().max(0.0) as Ps
}

/// A link's speed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Speed {
    bits_per_second: u64,
}

impl Speed {
    /// From bits a second.
    ///
    /// # Panics
    /// The rate is 0 or above 10 Tb/s.
    pub fn bps(bits_per_second: u64) -> Self {
        assert!((1..=10_000_000_000_000).contains(&bits_per_second), "a link of {bits_per_second} bit/s");
        Speed { bits_per_second }
    }

    /// From gigabits a second.
    pub fn gbps(g: f64) -> Self {
        Self::bps((g * 1e9).round() as u64)
    }

    /// Bits a second.
    pub fn as_bps(self) -> u64 {
        self.bits_per_second
    }

    /// Gigabits a second.
    pub fn as_gbps(self) -> f64 {
        self.bits_per_second as f64 / 1e9
    }

    /// Time of `bytes` on the wire, to the nearest picosecond: exact at all the usual speeds.
    pub fn time(self, bytes: u64) -> Ps {
        if bytes < 1 << 20 {
            (bytes * 8_000_000_000_000 + self.bits_per_second / 2) / self.bits_per_second
        } else {
            let r = u128::from(self.bits_per_second);
            ((u128::from(bytes) * 8_000_000_000_000 + r / 2) / r) as Ps
        }
    }

    /// Time of a frame of `frame_bytes` (without FCS) on the wire, overhead included.
    pub fn frame_time(self, frame_bytes: u32) -> Ps {
        self.time(u64::from(wire_bytes(frame_bytes)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wire_times_are_exact() {
        let ten = Speed::gbps(10.0);
        assert_eq!(ten.frame_time(1114), 1138 * 800);
        assert_eq!(ten.frame_time(20), 84 * 800);
        assert_eq!(Speed::gbps(100.0).time(9_000_000_000), 9_000_000_000 * 80);
        assert_eq!(Speed::gbps(25.0).time(1), 320);
        assert_eq!(Speed::bps(3_000_000_000).time(3), 8_000);
    }
}
