//! Statistics of departures: distance from their schedule, rate, bursts.
use super::load::{Load, WIRE_BYTES};
use serde::{Deserialize, Serialize};

/// A distribution by four of its quantiles.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Quantiles {
    /// Median.
    pub p50: f64,
    /// 99th percentile.
    pub p99: f64,
    /// 99.9th percentile.
    pub p999: f64,
    /// The greatest.
    pub max: f64,
}

impl Quantiles {
    /// Quantiles of these values, which are sorted in place; `None` without values.
    pub fn of(values: &mut [f64]) -> Option<Self> {
        values.sort_by(f64::total_cmp);
        let last = values.len().checked_sub(1)?;
        let at = |q: f64| values[(last as f64 * q).round() as usize];
        Some(Quantiles { p50: at(0.5), p99: at(0.99), p999: at(0.999), max: values[last] })
    }
}

/// A packet that left.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Departure {
    /// Flow.
    pub flow: u32,
    /// Place of the packet among the packets of its flow, from 0.
    pub k: u64,
    /// Departure of the packet, ns.
    pub at: f64,
}

/// Measurements of a pacer under a load.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Judged {
    /// Distance of a packet from its own ideal departure, early or late, ns.
    pub error_ns: Option<Quantiles>,
    /// Lateness of a burst's first packet, ns; early is below 0.
    pub release_ns: Option<Quantiles>,
    /// The rate over what was asked for, less 1, ppm.
    pub rate_error_ppm: Option<f64>,
    /// Most wire bytes that left in any 10 us.
    pub burst_bytes_10us: u64,
    /// Most wire bytes that left in any 100 us.
    pub burst_bytes_100us: u64,
    /// All distances, in rising order, for a plot.
    pub errors: Vec<f64>,
    /// Lateness of the releases, in the order of time, for a trace.
    pub releases: Vec<f64>,
    /// The releases: flow, place of the packet, time.
    pub released: Vec<Departure>,
}

/// Most wire bytes in any window of so many ns; `at` is in rising order.
pub fn most(at: &[f64], window: f64) -> u64 {
    let (mut from, mut most) = (0, 0);
    for (i, t) in at.iter().enumerate() {
        while t - at[from] >= window {
            from += 1;
        }
        most = most.max(i + 1 - from);
    }
    most as u64 * WIRE_BYTES
}

/// Judges departures under a load. `first` has the ideal departure of each flow's packet 0. Where
/// that is not known, as the kernel paces and chooses its bursts, the flow's first packet was on
/// time, and what has one stamp is a burst.
pub fn judge(load: &Load, first: Option<&[f64]>, mut left: Vec<Departure>) -> Judged {
    if left.is_empty() {
        return Judged::default();
    }
    left.sort_by(|a, b| a.at.total_cmp(&b.at).then(a.k.cmp(&b.k)));
    let gap = load.gap_ns();
    let flows = load.flows as usize;
    let mut zeros: Vec<Option<f64>> = first.map_or(vec![None; flows], |f| f.iter().copied().map(Some).collect());
    // Of each flow: the first release, the last one, and when its last packet left.
    let mut ends: Vec<Option<(Departure, Departure)>> = vec![None; flows];
    let mut last = vec![f64::NEG_INFINITY; flows];
    let (mut errors, mut releases, mut released) = (Vec::with_capacity(left.len()), Vec::new(), Vec::new());
    for d in &left {
        let f = d.flow as usize;
        let ideal = *zeros[f].get_or_insert(d.at - d.k as f64 * gap) + d.k as f64 * gap;
        errors.push((d.at - ideal).abs());
        let is_release = if first.is_some() { d.k.is_multiple_of(u64::from(load.burst)) } else { d.at > last[f] };
        last[f] = d.at;
        if is_release {
            releases.push(d.at - ideal);
            released.push(*d);
            // From release to release: what a burst's other packets do says nothing of the rate.
            ends[f].get_or_insert((*d, *d)).1 = *d;
        }
    }
    let spans = ends.iter().flatten().filter(|(a, b)| b.k > a.k);
    let (ideal, real, measured) =
        spans.fold((0.0, 0.0, 0usize), |(i, r, n), (a, b)| (i + (b.k - a.k) as f64 * gap, r + b.at - a.at, n + 1));
    // Flows that hardly had two turns tell nothing: then it is by what came of what was due.
    let end = load.seconds * 1e9;
    let due = |f: &f64| ((end - f) / load.period_ns()).ceil().max(0.0) * f64::from(load.burst);
    let rate_error_ppm = if 2 * measured > flows && real > 0.0 {
        Some((ideal / real - 1.0) * 1e6)
    } else {
        first.map(|f| (left.len() as f64 / f.iter().map(due).sum::<f64>() - 1.0) * 1e6)
    };
    let at: Vec<f64> = left.iter().map(|d| d.at).collect();
    Judged {
        error_ns: Quantiles::of(&mut errors),
        release_ns: Quantiles::of(&mut releases.clone()),
        rate_error_ppm,
        burst_bytes_10us: most(&at, 10_000.0),
        burst_bytes_100us: most(&at, 100_000.0),
        errors,
        releases,
        released,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn load(flows: u32, burst: u32) -> Load {
        // A packet of 1,538 bytes every 12,304 ns from each flow.
        Load { flows, mbps: 1000.0 * f64::from(flows), burst, seconds: 1.0 }
    }

    #[test]
    fn punctual_packets_have_no_error() {
        let l = load(2, 1);
        let left: Vec<_> =
            (0..200u64).map(|i| Departure { flow: (i % 2) as u32, k: i / 2, at: 100.0 + (i / 2) as f64 * 12_304.0 }).collect();
        let j = judge(&l, Some(&[100.0, 100.0]), left.clone());
        assert_eq!(j.error_ns.unwrap().max, 0.0);
        assert!(j.rate_error_ppm.unwrap().abs() < 1e-6);
        // Both flows' packets together, and in 100 us those of nine times.
        assert_eq!((j.burst_bytes_10us, j.burst_bytes_100us), (2 * 1538, 18 * 1538));
        assert_eq!(judge(&l, None, left).error_ns.unwrap().max, 0.0);
    }

    #[test]
    fn late_early_and_slow_are_told_apart() {
        let l = load(1, 4);
        // Bursts of four that leave at once, every fifth gap, each a microsecond late.
        let at = |k: u64| 1000.0 + (k / 4) as f64 * 5.0 * 12_304.0;
        let j = judge(&l, Some(&[0.0]), (0..400).map(|k| Departure { flow: 0, k, at: at(k) }).collect());
        assert_eq!(j.releases[0], 1000.0);
        assert_eq!(j.releases[1], 1000.0 + 12_304.0);
        assert!((j.rate_error_ppm.unwrap() + 200_000.0).abs() < 1.0, "{:?}", j.rate_error_ppm);
        assert_eq!(j.burst_bytes_10us, 4 * 1538);
        // The fourth packet of the first burst is three gaps early, less a microsecond.
        assert!(j.errors.iter().any(|e| (e - (3.0 * 12_304.0 - 1000.0)).abs() < 1e-6));
        assert_eq!(judge(&l, None, Vec::new()), Judged::default());
    }
}
