//! Distributions of message sizes, and of times, to draw from.
use rand::Rng;

/// Names of the built-in distributions.
pub const NAMES: &str = "web-search, data-mining";

/// A distribution: sizes up to which a share of messages goes, uniform between neighbours.
#[derive(Clone, Debug, PartialEq)]
pub struct Sizes {
    // Bytes and the share of messages up to this size, from 0 to 1.
    points: Vec<(f64, f64)>,
}

impl Sizes {
    /// All messages have one size.
    pub fn one(bytes: u64) -> Self {
        Sizes { points: vec![(bytes as f64, 0.0), (bytes as f64, 1.0)] }
    }

    /// A built-in distribution, written from the curves of published figures.
    pub fn named(name: &str) -> Option<Self> {
        // Kilobytes, percent.
        let points: &[(f64, f64)] = match name {
            // Alizadeh et al., Data Center TCP, figure 4: the cluster's background flows.
            "web-search" => &[
                (1.0, 0.0),
                (6.0, 15.0),
                (13.0, 20.0),
                (19.0, 30.0),
                (33.0, 40.0),
                (53.0, 53.0),
                (133.0, 60.0),
                (667.0, 70.0),
                (1333.0, 80.0),
                (3333.0, 90.0),
                (6667.0, 97.0),
                (20_000.0, 100.0),
            ],
            // Greenberg et al., VL2, figure 2.
            "data-mining" => &[
                (0.1, 0.0),
                (0.3, 30.0),
                (1.0, 50.0),
                (2.0, 60.0),
                (10.0, 80.0),
                (100.0, 82.0),
                (1000.0, 88.0),
                (10_000.0, 95.0),
                (100_000.0, 99.0),
                (1_000_000.0, 100.0),
            ],
            _ => return None,
        };
        Some(Sizes { points: points.iter().map(|(kb, percent)| (kb * 1000.0, percent / 100.0)).collect() })
    }

    /// A distribution from sizes, bytes, and the shares of messages up to each, 0 to 1. Neither
    /// falls, and the last share is 1.
    ///
    /// # Panics
    /// No points, a fall, or another last share.
    pub fn of(points: Vec<(f64, f64)>) -> Self {
        let rises = points.windows(2).all(|w| w[0].0 <= w[1].0 && w[0].1 <= w[1].1);
        assert!(rises && points.last().is_some_and(|p| p.1 == 1.0), "sizes and shares rise, and the last share is 1: {points:?}");
        Sizes { points }
    }

    /// Sizes, bytes, and the shares of messages up to each.
    pub fn points(&self) -> &[(f64, f64)] {
        &self.points
    }

    /// Draws a size, at least a byte.
    pub fn draw(&self, rng: &mut impl Rng) -> u64 {
        let u: f64 = rng.random();
        let i = self.points.partition_point(|p| p.1 <= u).clamp(1, self.points.len() - 1);
        let ((a, low), (b, high)) = (self.points[i - 1], self.points[i]);
        let part = if high > low { (u - low) / (high - low) } else { 0.0 };
        (a + (b - a) * part).round().max(1.0) as u64
    }

    /// Mean of a function of the size that is close to linear over a packet.
    pub fn mean_of(&self, f: impl Fn(f64) -> f64) -> f64 {
        const STEPS: u32 = 64;
        let piece = |w: &[(f64, f64)]| {
            let ((a, low), (b, high)) = (w[0], w[1]);
            let sum: f64 = (0..STEPS).map(|k| f(a + (b - a) * (f64::from(k) + 0.5) / f64::from(STEPS))).sum();
            (high - low) * sum / f64::from(STEPS)
        };
        self.points.windows(2).map(piece).sum()
    }

    /// Mean size, bytes.
    pub fn mean(&self) -> f64 {
        self.mean_of(|b| b)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;

    #[test]
    fn draws_have_the_mean_and_the_shares_of_the_curve() {
        for name in ["web-search", "data-mining"] {
            let sizes = Sizes::named(name).expect("built in");
            let mut rng = ChaCha8Rng::seed_from_u64(1);
            let all: Vec<u64> = (0..400_000).map(|_| sizes.draw(&mut rng)).collect();
            let mean = all.iter().sum::<u64>() as f64 / all.len() as f64;
            assert!((mean / sizes.mean() - 1.0).abs() < 0.03, "{name}: {mean} for {}", sizes.mean());
            for (bytes, share) in &sizes.points {
                let below = all.iter().filter(|b| **b as f64 <= *bytes).count() as f64 / all.len() as f64;
                assert!((below - share).abs() < 0.005, "{name}: {below} up to {bytes}");
            }
        }
        assert_eq!(Sizes::one(65_536).mean(), 65_536.0);
    }
}
