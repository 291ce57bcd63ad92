//! The NIC's clock against the host's: a line through pairs of times, robust against outliers and
//! steps (paper, section 5).
//!
//! Only the last stretch without a step is fitted. Outliers, as when the host was interrupted
//! between two reads, are left out of the line but counted. Everything is computed on differences
//! from the first pair, so that 64-bit floats lose nothing.

/// A pair of times.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pair {
    /// The host's clock just before the NIC's was read, ns.
    pub before_ns: u64,
    /// The NIC's clock, ns.
    pub nic_ns: f64,
    /// The host's clock just after, ns.
    pub after_ns: u64,
}

/// A step of one clock against the other.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Step {
    /// After this pair.
    pub after: usize,
    /// By so much, ns.
    pub by_ns: f64,
}

/// The line `nic = offset + (1 + drift) host`, and how well it fits.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Fit {
    /// Pairs that were given.
    pub pairs: usize,
    /// Pairs that the line was fitted to.
    pub fitted: usize,
    /// How much faster the NIC's clock is, parts a million.
    pub drift_ppm: f64,
    /// The NIC's clock less the host's at the last pair, ns.
    pub offset_ns: f64,
    /// Root of the mean square of the fitted pairs' residuals, ns.
    pub residual_rms_ns: f64,
    /// The greatest residual of a fitted pair, ns.
    pub residual_most_ns: f64,
    /// Half the time that a read took, at its median: the residuals' bound from below, ns.
    pub half_read_ns: f64,
    /// Pairs left out as outliers.
    pub outliers: usize,
    /// Steps.
    pub steps: Vec<Step>,
}

/// Fewest pairs that are fitted.
pub const LEAST_PAIRS: usize = 8;
/// Half the window in which an outlier is told from its neighbours.
const HALF_WINDOW: usize = 3;
/// Outliers and steps are so many times the usual deviation.
const FAR: f64 = 8.0;
/// The finest difference that counts as one, ns: the NIC's clock period and the host's granularity.
const FINEST_NS: f64 = 20.0;

fn median(values: &mut [f64]) -> f64 {
    let n = values.len();
    if n == 0 {
        return 0.0;
    }
    values.sort_by(f64::total_cmp);
    if n % 2 == 1 { values[n / 2] } else { (values[n / 2 - 1] + values[n / 2]) / 2.0 }
}

/// The running median over [`HALF_WINDOW`] to both sides, inside `0..n`.
fn smoothed(y: &[f64]) -> Vec<f64> {
    let around = |i: usize| y[i.saturating_sub(HALF_WINDOW)..(i + HALF_WINDOW + 1).min(y.len())].to_vec();
    (0..y.len()).map(|i| median(&mut around(i))).collect()
}

/// Slope and offset of the least squares through the points.
fn least_squares(points: &[(f64, f64)]) -> (f64, f64) {
    let n = points.len() as f64;
    let (mx, my) = (points.iter().map(|p| p.0).sum::<f64>() / n, points.iter().map(|p| p.1).sum::<f64>() / n);
    let sxx: f64 = points.iter().map(|p| (p.0 - mx) * (p.0 - mx)).sum();
    let sxy: f64 = points.iter().map(|p| (p.0 - mx) * (p.1 - my)).sum();
    let slope = if sxx > 0.0 { sxy / sxx } else { 0.0 };
    (slope, my - slope * mx)
}

/// Fits the line; `None` with fewer than [`LEAST_PAIRS`] pairs since the last step, or a host's
/// clock that stands.
pub fn fit(pairs: &[Pair]) -> Option<Fit> {
    let first = pairs.first()?;
    let middle = |p: &Pair| (p.before_ns - first.before_ns) as f64 + (p.after_ns.saturating_sub(p.before_ns)) as f64 / 2.0;
    let x: Vec<f64> = pairs.iter().map(middle).collect();
    // Difference of the NIC's clock and the host's: the drift alone, in steps of ns.
    let raw: Vec<f64> = pairs.iter().zip(&x).map(|(p, x)| p.nic_ns - first.nic_ns - x).collect();
    if pairs.len() < LEAST_PAIRS || x.windows(2).any(|w| w[1] <= w[0]) {
        return None;
    }
    // The drift between pairs some way apart: half of them may be spoilt, and a step spoils few.
    let apart = (pairs.len() / 8).max(1);
    let mut slopes: Vec<f64> = (apart..x.len()).map(|i| (raw[i] - raw[i - apart]) / (x[i] - x[i - apart])).collect();
    let drift = median(&mut slopes);
    let y: Vec<f64> = raw.iter().zip(&x).map(|(r, x)| r - drift * x).collect();
    let level = smoothed(&y);
    let mut deviations: Vec<f64> = y.iter().zip(&level).map(|(y, l)| (y - l).abs()).collect();
    let half_read_ns = median(&mut pairs.iter().map(|p| p.after_ns.saturating_sub(p.before_ns) as f64 / 2.0).collect::<Vec<_>>());
    let far = FAR * median(&mut deviations).max(FINEST_NS);
    let mut steps: Vec<Step> = Vec::new();
    let mut start = 0;
    for i in 0..y.len() - 1 {
        // Before and after, medians that an outlier does not move; a step shows where it is, and
        // only there.
        let (a, b) = (i + 1 - (i + 1 - start).min(HALF_WINDOW + 1), (i + 2 + HALF_WINDOW).min(y.len()));
        let by_ns = median(&mut y[i + 1..b].to_vec()) - median(&mut y[a..=i].to_vec());
        let here = (y[i + 1] - y[i]).abs() > by_ns.abs() / 2.0 && (y[i + 1] - y[i]) * by_ns > 0.0;
        if by_ns.abs() > far && here && i + 1 - start > 1 && y.len() - i > 3 {
            // The places beside a step look like one too.
            if steps.last().is_none_or(|s| i - s.after > HALF_WINDOW) {
                steps.push(Step { after: i, by_ns });
                start = i + 1;
            }
        }
    }
    if y.len() - start < LEAST_PAIRS {
        return None;
    }
    let level = smoothed(&y[start..]);
    let inside: Vec<(f64, f64)> = (start..y.len()).filter(|&i| (y[i] - level[i - start]).abs() <= far).map(|i| (x[i], y[i])).collect();
    let (slope, offset) = least_squares(&inside);
    let residuals: Vec<f64> = inside.iter().map(|(x, y)| y - offset - slope * x).collect();
    let end = x[x.len() - 1];
    let at_end = offset + (slope + drift) * end + first.nic_ns - first.before_ns as f64;
    Some(Fit {
        pairs: pairs.len(),
        fitted: inside.len(),
        drift_ppm: (slope + drift) * 1e6,
        offset_ns: at_end,
        residual_rms_ns: (residuals.iter().map(|r| r * r).sum::<f64>() / residuals.len() as f64).sqrt(),
        residual_most_ns: residuals.iter().fold(0.0, |m, r| m.max(r.abs())),
        half_read_ns,
        outliers: y.len() - start - inside.len(),
        steps,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A generator of numbers, the same every time.
    struct Noise(u64);

    impl Noise {
        /// Between -1 and 1.
        fn next(&mut self) -> f64 {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (self.0 >> 11) as f64 / (1u64 << 52) as f64 - 1.0
        }
    }

    /// Pairs every ms at a drift, with `spoil` applied to the NIC's time of each.
    fn pairs(n: usize, ppm: f64, noise_ns: f64, seed: u64, spoil: impl Fn(usize) -> f64) -> Vec<Pair> {
        let mut noise = Noise(seed);
        let pair = |i: usize| {
            let before_ns = 1_700_000_000_000_000_000 + i as u64 * 1_000_000;
            let middle = (i as f64) * 1e6 + 500.0;
            let nic_ns = 5e12 + middle * (1.0 + ppm * 1e-6) + noise_ns * noise.next() + spoil(i);
            Pair { before_ns, nic_ns, after_ns: before_ns + 1000 }
        };
        (0..n).map(pair).collect()
    }

    #[test]
    fn drift_is_found() {
        for (seed, ppm) in [(1, 0.0), (2, 37.5), (3, -100.0), (4, 0.01)] {
            let f = fit(&pairs(1000, ppm, 50.0, seed, |_| 0.0)).expect("pairs");
            // The error of a slope through uniform noise: noise / sqrt(3) * sqrt(12 / n) / length.
            assert!((f.drift_ppm - ppm).abs() < 4.0 * 50.0 / 1000f64.sqrt() / 1e9 * 2.0 * 1e6, "{ppm} ppm: {f:?}");
            assert!(f.residual_rms_ns < 35.0 && f.residual_most_ns < 65.0 && f.outliers == 0 && f.steps.is_empty(), "{f:?}");
            let exact = 5e12 - 1.7e18 + 999e6 * ppm * 1e-6;
            assert!((f.offset_ns - exact).abs() < 300.0, "{} and {exact}", f.offset_ns);
        }
    }

    /// One pair in twenty is late by up to 100 us, as when the host was interrupted: the line stays
    /// where it was.
    #[test]
    fn outliers_are_left_out() {
        for seed in 1..5 {
            let late = |i: usize| if i % 20 == 7 { 20_000.0 + 80.0 * (i % 1000) as f64 } else { 0.0 };
            let f = fit(&pairs(1000, 20.0, 50.0, seed, late)).expect("pairs");
            assert!((f.drift_ppm - 20.0).abs() < 0.02 && f.outliers == 50 && f.steps.is_empty(), "{f:?}");
            assert!(f.residual_most_ns < 70.0, "{f:?}");
        }
    }

    /// A step forward and one back, with outliers beside them: both are found, and the last stretch
    /// alone is fitted.
    #[test]
    fn steps_are_found() {
        for seed in 1..5 {
            let stepped = |i: usize| match i {
                0..300 => 0.0,
                300..700 => 5_000.0,
                _ => -2_000.0,
            };
            let spoilt = |i: usize| stepped(i) + if i % 50 == 3 { 60_000.0 } else { 0.0 };
            let f = fit(&pairs(1000, -8.0, 50.0, seed, spoilt)).expect("pairs");
            let steps: Vec<_> = f.steps.iter().map(|s| s.after).collect();
            assert_eq!(steps, [299, 699], "{f:?}");
            assert!((f.steps[0].by_ns - 5000.0).abs() < 200.0 && (f.steps[1].by_ns + 7000.0).abs() < 200.0, "{f:?}");
            assert!((f.drift_ppm + 8.0).abs() < 0.1 && f.fitted == 294 && f.outliers == 6, "{f:?}");
        }
    }

    #[test]
    fn too_little_gives_no_line() {
        assert_eq!(fit(&[]), None);
        assert_eq!(fit(&pairs(LEAST_PAIRS - 1, 0.0, 0.0, 1, |_| 0.0)), None);
        assert!(fit(&pairs(LEAST_PAIRS, 3.0, 0.0, 1, |_| 0.0)).is_some());
        let standing = vec![Pair { before_ns: 5, nic_ns: 7.0, after_ns: 6 }; 20];
        assert_eq!(fit(&standing), None);
    }
}
