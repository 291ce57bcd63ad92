//! Histograms: linear bins weighted by time, and logarithmic bins that count.

/// Linear bins with a weight each, and one of 0 alone. A value past the last bin doubles the width
/// of all, so that memory is bounded and no value is cut.
#[derive(Clone, Debug)]
pub struct Linear {
    width: u64,
    zero: u64,
    // By bin: its weight, and its greatest value.
    bins: Vec<(u64, u64)>,
    sum: u128,
    total: u64,
    max: u64,
}

impl Linear {
    /// `bins` bins, an even number, each `width` wide at first.
    pub fn new(width: u64, bins: usize) -> Self {
        Linear { width, zero: 0, bins: vec![(0, 0); bins], sum: 0, total: 0, max: 0 }
    }

    /// Adds a value with its weight.
    pub fn add(&mut self, value: u64, weight: u64) {
        if weight == 0 {
            return;
        }
        self.total += weight;
        if value == 0 {
            self.zero += weight;
            return;
        }
        while value / self.width >= self.bins.len() as u64 {
            let half = self.bins.len() / 2;
            for i in 0..half {
                let (low, high) = (self.bins[2 * i], self.bins[2 * i + 1]);
                self.bins[i] = (low.0 + high.0, low.1.max(high.1));
            }
            self.bins[half..].fill((0, 0));
            self.width *= 2;
        }
        let bin = &mut self.bins[(value / self.width) as usize];
        *bin = (bin.0 + weight, bin.1.max(value));
        self.sum += u128::from(value) * u128::from(weight);
        self.max = self.max.max(value);
    }

    /// Weighted mean; 0 when empty.
    pub fn mean(&self) -> f64 {
        if self.total == 0 { 0.0 } else { self.sum as f64 / self.total as f64 }
    }

    /// Largest value.
    pub fn max(&self) -> u64 {
        self.max
    }

    /// The greatest value of the bin up to whose end a share `p` of the weight lies; 0 when empty.
    pub fn quantile(&self, p: f64) -> f64 {
        let (mut sum, least) = (self.zero, p * self.total as f64);
        for (weight, most) in &self.bins {
            if sum as f64 >= least {
                break;
            }
            sum += weight;
            if *weight > 0 && sum as f64 >= least {
                return *most as f64;
            }
        }
        0.0
    }
}

/// Sub-bins of an octave by default: 3 % of resolution.
const PER_OCTAVE: u64 = 32;

/// Counts in bins that are a part of an octave wide, from 1 to 2^63.
#[derive(Clone, Debug)]
pub struct Log {
    bins: Vec<u64>,
    total: u64,
    sum: u128,
    per_octave: u64,
}

impl Default for Log {
    fn default() -> Self {
        Log::fine(PER_OCTAVE)
    }
}

impl Log {
    /// With so many bins an octave, a power of two.
    pub fn fine(per_octave: u64) -> Self {
        assert!(per_octave.is_power_of_two(), "{per_octave} bins an octave");
        Log { bins: Vec::new(), total: 0, sum: 0, per_octave }
    }

    fn bin(&self, value: u64) -> usize {
        if value < self.per_octave {
            return value as usize;
        }
        let shift = value.ilog2() - self.per_octave.ilog2();
        (u64::from(shift) * self.per_octave + (value >> shift)) as usize
    }

    fn low(&self, bin: usize) -> u64 {
        let b = bin as u64;
        if b < self.per_octave {
            return b;
        }
        let shift = b / self.per_octave - 1;
        (b - shift * self.per_octave) << shift
    }

    /// Counts a value.
    pub fn add(&mut self, value: u64) {
        let b = self.bin(value);
        if b >= self.bins.len() {
            self.bins.resize(b + 1, 0);
        }
        self.bins[b] += 1;
        self.total += 1;
        self.sum += u128::from(value);
    }

    /// Adds another's counts, which has as many bins an octave.
    pub fn merge(&mut self, other: &Log) {
        assert_eq!(self.per_octave, other.per_octave, "bins an octave");
        self.bins.resize(self.bins.len().max(other.bins.len()), 0);
        for (a, b) in self.bins.iter_mut().zip(&other.bins) {
            *a += b;
        }
        self.total += other.total;
        self.sum += other.sum;
    }

    /// Mean of the values, exact; 0 when empty.
    pub fn mean(&self) -> f64 {
        if self.total == 0 { 0.0 } else { self.sum as f64 / self.total as f64 }
    }

    /// The middle of the bin below whose end a share `p` of the values lies; 0 when empty.
    pub fn quantile(&self, p: f64) -> f64 {
        let mut sum = 0;
        for (i, n) in self.bins.iter().enumerate() {
            sum += n;
            if *n > 0 && sum as f64 >= p * self.total as f64 {
                return (self.low(i) + self.low(i + 1)) as f64 / 2.0;
            }
        }
        0.0
    }

    /// Values counted.
    pub fn total(&self) -> u64 {
        self.total
    }

    /// The non-empty bins: lower end and the share of values up to the bin's end.
    pub fn cdf(&self) -> Vec<(u64, f64)> {
        let mut sum = 0;
        let filled = self.bins.iter().enumerate().filter(|(_, n)| **n > 0);
        filled
            .map(|(i, n)| {
                sum += n;
                (self.low(i), sum as f64 / self.total as f64)
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn log_bins_are_contiguous_and_ordered() {
        for log in [Log::default(), Log::fine(256)] {
            for v in (0..5000).chain([1 << 20, (1 << 40) + 12345, u64::MAX / 3]) {
                let b = log.bin(v);
                assert!(log.low(b) <= v && v < log.low(b + 1), "{v} in bin {b}");
            }
        }
    }

    #[test]
    fn log_quantiles_are_within_a_bin() {
        let mut log = Log::fine(256);
        (1..=100_000).for_each(|v| log.add(v));
        assert_eq!(log.mean(), 50_000.5);
        for p in [0.01, 0.5, 0.99] {
            assert!((log.quantile(p) / (p * 100_000.0) - 1.0).abs() < 1.0 / 256.0, "{p}: {}", log.quantile(p));
        }
    }

    #[test]
    fn quantiles_are_by_weight() {
        let mut h = Linear::new(10, 100);
        h.add(5, 98);
        h.add(505, 2);
        assert_eq!(h.quantile(0.5), 5.0);
        assert_eq!(h.quantile(0.99), 505.0);
        assert_eq!(h.mean(), 15.0);
        // A queue that is empty but for a hundredth has a 99th percentile of 0.
        let mut h = Linear::new(256, 100);
        h.add(0, 996);
        h.add(1118, 4);
        assert_eq!((h.quantile(0.99), h.quantile(0.9961)), (0.0, 1118.0));
    }

    #[test]
    fn no_value_is_beyond_the_last_bin() {
        let mut h = Linear::new(256, 32_768);
        h.add(1000, 2);
        h.add(9 << 30, 98);
        assert_eq!((h.quantile(0.01), h.quantile(0.5)), (1000.0, (9u64 << 30) as f64));
        assert!(h.width <= (9 << 30) / 8_192, "{}", h.width);
    }
}
