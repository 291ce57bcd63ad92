//! How times are spread: counted in bins, 64 an octave, so that a percentile is right to 1/64
//! however many there are.
use serde::{Deserialize, Serialize};

const MANTISSA_BITS: u32 = 6;
/// Times from here on, an hour, have one bin.
const MOST: u64 = 3_600_000_000_000;

/// Times, ns.
#[derive(Clone, Debug, Default)]
pub struct Spread {
    counts: Vec<u64>,
    samples: u64,
    sum: f64,
    least: u64,
    most: u64,
}

/// Percentiles of a spread, ns.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct Percentiles {
    pub samples: u64,
    pub least: u64,
    pub mean: f64,
    pub p50: u64,
    pub p90: u64,
    pub p99: u64,
    pub p999: u64,
    pub most: u64,
}

fn bin(value: u64) -> usize {
    if value >> MANTISSA_BITS == 0 {
        return value as usize;
    }
    let shift = value.ilog2() - MANTISSA_BITS;
    ((u64::from(shift) << MANTISSA_BITS) + (value >> shift)) as usize
}

/// The greatest value of a bin.
fn greatest(bin: usize) -> u64 {
    let (octave, mantissa) = (bin >> MANTISSA_BITS, (bin & ((1 << MANTISSA_BITS) - 1)) as u64);
    if octave == 0 { mantissa } else { (((1 << MANTISSA_BITS) + mantissa + 1) << (octave - 1)) - 1 }
}

impl Spread {
    /// Counts a time.
    pub fn count(&mut self, ns: u64) {
        let bin = bin(ns.min(MOST));
        if self.counts.len() <= bin {
            self.counts.resize(bin + 1, 0);
        }
        self.counts[bin] += 1;
        self.least = if self.samples == 0 { ns } else { self.least.min(ns) };
        self.most = self.most.max(ns);
        self.samples += 1;
        self.sum += ns as f64;
    }

    /// The time that `part` of all, 0 to 1, do not exceed.
    fn quantile(&self, part: f64) -> u64 {
        let rank = ((part * self.samples as f64).ceil() as u64).max(1);
        let mut passed = 0;
        let found = self.counts.iter().position(|c| {
            passed += c;
            passed >= rank
        });
        found.map_or(0, greatest).clamp(self.least, self.most)
    }

    /// Percentiles; `None` of an empty spread.
    pub fn percentiles(&self) -> Option<Percentiles> {
        (self.samples > 0).then(|| Percentiles {
            samples: self.samples,
            least: self.least,
            mean: self.sum / self.samples as f64,
            p50: self.quantile(0.5),
            p90: self.quantile(0.9),
            p99: self.quantile(0.99),
            p999: self.quantile(0.999),
            most: self.most,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_right_to_a_64th() {
        assert_eq!(Spread::default().percentiles(), None);
        let mut s = Spread::default();
        (1..=100_000u64).for_each(|i| s.count(i * 1000));
        let p = s.percentiles().expect("samples");
        assert_eq!((p.samples, p.least, p.most, p.mean), (100_000, 1000, 100_000_000, 50_000_500.0));
        for (found, exact) in [(p.p50, 50e6), (p.p90, 90e6), (p.p99, 99e6), (p.p999, 99.9e6)] {
            assert!((found as f64 / exact - 1.0).abs() <= 1.0 / 64.0 && found as f64 >= exact, "{found} and {exact}");
        }
        s.count(u64::MAX);
        assert_eq!(s.percentiles().map(|p| (p.samples, p.most)), Some((100_001, u64::MAX)));
    }

    #[test]
    fn bins_follow_each_other() {
        for i in 0..bin(MOST) {
            assert_eq!((bin(greatest(i)), bin(greatest(i) + 1)), (i, i + 1));
        }
    }
}
