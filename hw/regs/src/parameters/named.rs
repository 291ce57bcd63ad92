//! The named profiles.
use super::{LawKind, Parameters, RttStart, Signal};

/// Names that [`Parameters::named`] knows.
pub const NAMES: [&str; 5] = ["authors-10g", "timely-10g", "timely-25g", "timely-100g", "fixed"];

impl Parameters {
    /// The authors' code with its published parameters: 10 Gb/s, per-packet pacing.
    pub fn authors_10g() -> Self {
        Parameters {
            law: LawKind::Timely,
            rtt_start: RttStart::LastByteOut,
            signal: Signal::Rtt,
            signal_base_us: 0.0,
            alpha: 0.02,
            beta: 0.8,
            t_low_us: 0.0,
            t_high_us: 1000.0,
            min_rtt_us: 20.0,
            update_interval_us: 20.0,
            additive_step_mbps: 10.0,
            hyperactive_after: 5,
            hyperactive_factor: 5.0,
            hyperactive_smoothed: false,
            delta_factor: true,
            half_floor: true,
            deadband_ns: 0.0,
            initial_mbps: 10_000.0,
            idle_mbps: 10_000.0,
            least_mbps: 10.0,
            greatest_mbps: 10_000.0,
            outstanding_bytes: 64 * 1024,
            timeout_us: 10_000.0,
            idle_us: 0.0,
            cap_bytes: 3036,
        }
    }

    /// Tuned for 10 Gb/s; `base_us` is the unloaded RTT. Segments of 2 KB.
    pub fn timely_10g(base_us: f64) -> Self {
        Parameters { alpha: 0.2, t_low_us: base_us + 12.0, t_high_us: 200.0, ..Self::authors_10g() }
    }

    /// Tuned for 25 Gb/s; `base_us` is the unloaded RTT. Segments of 4 KB.
    pub fn timely_25g(base_us: f64) -> Self {
        Parameters {
            t_low_us: base_us + 8.0,
            min_rtt_us: 15.0,
            update_interval_us: 15.0,
            additive_step_mbps: 25.0,
            outstanding_bytes: 128 * 1024,
            ..Self::timely_10g(base_us).line(25_000.0)
        }
    }

    /// Tuned for 100 Gb/s; `base_us` is the unloaded RTT. Segments of 2 KB.
    pub fn timely_100g(base_us: f64) -> Self {
        Parameters {
            t_low_us: base_us + 6.0,
            t_high_us: 150.0,
            additive_step_mbps: 50.0,
            outstanding_bytes: 256 * 1024,
            ..Self::timely_10g(base_us).line(100_000.0)
        }
    }

    /// The host writes the rate; flows start at `mbps`, which is also the greatest rate.
    pub fn fixed(mbps: f64) -> Self {
        Parameters { law: LawKind::Fixed, ..Self::authors_10g().line(mbps) }
    }

    /// The paper's Algorithm 1 in place of the authors' code: full steps, no floor, hyperactive increase by smoothed gradients.
    pub fn algorithm_1(self) -> Self {
        Parameters { hyperactive_smoothed: true, delta_factor: false, half_floor: false, ..self }
    }

    /// The same on a line of `mbps`: flows start, restart and end there, and never fall below a thousandth of it.
    pub fn line(self, mbps: f64) -> Self {
        Parameters { initial_mbps: mbps, idle_mbps: mbps, least_mbps: mbps / 1000.0, greatest_mbps: mbps, ..self }
    }

    /// The same by one-way delay variation; `base_us` is the unloaded RTT, which thresholds build on.
    pub fn one_way(self, base_us: f64) -> Self {
        Parameters { signal: Signal::OneWay, signal_base_us: base_us, ..self }
    }

    /// The profile of that name, `None` when there is none ([`NAMES`]). `base_us` is the unloaded RTT that thresholds build on.
    pub fn named(name: &str, base_us: f64) -> Option<Self> {
        Some(match name {
            "authors-10g" => Self::authors_10g(),
            "timely-10g" => Self::timely_10g(base_us),
            "timely-25g" => Self::timely_25g(base_us),
            "timely-100g" => Self::timely_100g(base_us),
            "fixed" => Self::fixed(10_000.0),
            _ => return None,
        })
    }
}
