//! The histogram of a profile: sixteen bins an octave from 16 ns to 2^24 ns, and a bin a ns below.
//!
//! Bin `16 (e - 3) + m` counts the values from `(16 + m) << (e - 4)` on, up to the next bin's: `e`
//! is the place of the highest bit and `m` the four bits below it. A value is so known within 1/16
//! of itself. Values below 16 have the bin of their number.

/// Bits of a value.
pub const VALUE_BITS: u32 = 24;
/// Bits of a value below its highest that tell bins apart.
pub const MANTISSA_BITS: u32 = 4;
/// Bins.
pub const BINS: usize = ((VALUE_BITS - MANTISSA_BITS + 1) as usize) << MANTISSA_BITS;
/// Bits of a bin's number.
pub const BIN_BITS: u32 = 9;

/// The bin of a value below 2^24.
pub const fn bin(value: u32) -> usize {
    if value >> MANTISSA_BITS == 0 {
        return value as usize;
    }
    let shift = value.ilog2() - MANTISSA_BITS;
    // The highest bit, which every value has, makes the first octave's number 1.
    ((shift << MANTISSA_BITS) + (value >> shift)) as usize
}

/// The least value of a bin, ns; of [`BINS`] the first value that no bin takes.
pub const fn least(bin: usize) -> u32 {
    let (octave, mantissa) = (bin as u32 >> MANTISSA_BITS, bin as u32 & ((1 << MANTISSA_BITS) - 1));
    if octave == 0 { mantissa } else { ((1 << MANTISSA_BITS) + mantissa) << (octave - 1) }
}

/// The counts of a histogram. They wrap at 2^32: what came between two readings is their wrapping
/// difference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Histogram {
    /// Values counted, by bin.
    pub counts: [u32; BINS],
}

impl Default for Histogram {
    fn default() -> Self {
        Histogram { counts: [0; BINS] }
    }
}

impl Histogram {
    /// Counts a value, ns; one of 2^24 or more is counted in the last bin.
    pub fn count(&mut self, value: u32) {
        let bin = bin(value.min((1 << VALUE_BITS) - 1));
        self.counts[bin] = self.counts[bin].wrapping_add(1);
    }

    /// The counts since an earlier reading of the same histogram.
    pub fn since(&self, earlier: &Histogram) -> Histogram {
        Histogram { counts: std::array::from_fn(|i| self.counts[i].wrapping_sub(earlier.counts[i])) }
    }

    /// Values counted.
    pub fn total(&self) -> u64 {
        self.counts.iter().map(|&c| u64::from(c)).sum()
    }

    /// The bin that holds the value which `part` of all (0 to 1) do not exceed, as its least and
    /// its greatest value, ns; `None` of an empty one.
    pub fn quantile(&self, part: f64) -> Option<(u32, u32)> {
        let total = self.total();
        // The first value for 0, the last for 1.
        let rank = ((part.clamp(0.0, 1.0) * total as f64).ceil() as u64).clamp(1, total.max(1));
        let mut passed = 0;
        for (i, &c) in self.counts.iter().enumerate() {
            passed += u64::from(c);
            if passed >= rank {
                return Some((least(i), least(i + 1) - 1));
            }
        }
        None
    }

    /// The mean, each value taken for the middle of its bin, ns; `None` of an empty one. Where the
    /// least value is known, those of its bin are taken for the middle of what is left from it on.
    pub fn mean(&self, known_least: Option<u32>) -> Option<f64> {
        let known = known_least.map(|ns| ns.min((1 << VALUE_BITS) - 1));
        let first = |i| known.filter(|ns| bin(*ns) == i).unwrap_or(least(i));
        let middle = |i| f64::from(first(i) + least(i + 1) - 1) / 2.0;
        let sum: f64 = self.counts.iter().enumerate().map(|(i, &c)| f64::from(c) * middle(i)).sum();
        (self.total() != 0).then(|| sum / self.total() as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every value is in the bin that says so, bins follow each other without a gap, and none is
    /// wider than 1/16 of its values.
    #[test]
    fn bins_cover_all_values() {
        assert!(BINS <= 1 << BIN_BITS && least(BINS) == 1 << VALUE_BITS);
        for i in 0..BINS {
            let (first, next) = (least(i), least(i + 1));
            assert!(bin(first) == i && bin(next - 1) == i, "bin {i}: {first} to {}", next - 1);
            assert!(next - first == 1 || (next - first) * 16 <= first, "bin {i} is {} wide at {first}", next - first);
        }
        assert_eq!([bin(0), bin(15), bin(16), bin(31), bin(32), bin(33), bin(34)], [0, 15, 16, 31, 32, 32, 33]);
    }

    #[test]
    fn quantiles_hold_the_value() {
        let mut h = Histogram::default();
        assert_eq!((h.quantile(0.5), h.mean(None), h.mean(Some(7))), (None, None, None));
        let values: Vec<u32> = (0..1000).map(|k| 10_000 + 37 * k).collect();
        values.iter().for_each(|&v| h.count(v));
        for (part, exact) in [(0.0, values[0]), (0.5, values[499]), (0.99, values[989]), (1.0, values[999])] {
            let (low, high) = h.quantile(part).expect("not empty");
            assert!((low..=high).contains(&exact), "{part}: {low} to {high}, exactly {exact}");
        }
        let exact = values.iter().map(|&v| f64::from(v)).sum::<f64>() / 1000.0;
        assert!((h.mean(None).expect("not empty") / exact - 1.0).abs() < 0.03);
    }

    /// A mean is never below the least value that is known; values of other bins count as before.
    #[test]
    fn a_mean_is_not_below_the_least() {
        let mut h = Histogram::default();
        (0..9).for_each(|_| h.count(10_100));
        // The bin has 9,728 to 10,239 ns.
        assert_eq!((h.mean(None), h.mean(Some(10_100)), h.mean(Some(10_239))), (Some(9983.5), Some(10_169.5), Some(10_239.0)));
        h.count(20_000);
        assert_eq!(h.mean(Some(10_100)), Some((9.0 * 10_169.5 + f64::from(19_456 + 20_479) / 2.0) / 10.0));
        assert_eq!((h.mean(Some(5)), h.mean(Some(u32::MAX))), (h.mean(None), h.mean(None)), "a bin without values");
    }

    #[test]
    fn counts_wrap() {
        let (mut before, mut after) = (Histogram::default(), Histogram::default());
        (before.counts[7], after.counts[7]) = (u32::MAX, u32::MAX);
        after.count(7);
        assert_eq!(after.since(&before).total(), 1);
        before.count(u32::MAX);
        assert_eq!(before.counts[BINS - 1], 1);
    }
}
