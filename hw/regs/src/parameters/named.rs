//! The named profiles.
use super::{LawKind, Parameters, RttStart, Signal};

/// Names that [`Parameters::named`] knows.
pub const NAMES: [&str; 17] = [
    "authors-10g",
    "timely-10g",
    "timely-25g",
    "timely-100g",
    "patched-10g",
    "patched-25g",
    "patched-100g",
    "pi-10g",
    "pi-25g",
    "pi-100g",
    "swift-10g",
    "swift-25g",
    "swift-100g",
    "dcqcn-10g",
    "dcqcn-25g",
    "dcqcn-100g",
    "fixed",
];

/// Decrease by loss of all named profiles but the authors' code, which has none, and `fixed`. Where
/// flow control keeps packets from being dropped a loss is rare, and then a link or a buffer fails:
/// half of the rate, as for a time-out, at most once in an RTT. A flow of a lossy network has it as
/// the last resort when its delay does not show what is dropped.
const LOSS_DECREASE: f64 = 0.5;

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
            reference_us: 50.0,
            error_beta: 0.008,
            integral_gain: 0.0,
            proportional_gain: 0.0,
            base_target_us: 20.0,
            hop_us: 0.0,
            flow_range_us: 0.0,
            flow_least_packets: 0.1,
            flow_most_packets: 100.0,
            packet_bytes: 1114,
            endpoint_target_us: 10.0,
            max_decrease: 0.5,
            alpha_gain: 1.0 / 256.0,
            cnp_interval_us: 50.0,
            alpha_timer_us: 55.0,
            rate_timer_us: 55.0,
            byte_counter: 10_000_000,
            fast_stages: 5,
            hyper_step_mbps: 100.0,
            initial_mbps: 10_000.0,
            idle_mbps: 10_000.0,
            least_mbps: 10.0,
            greatest_mbps: 10_000.0,
            outstanding_bytes: 64 * 1024,
            timeout_us: 10_000.0,
            idle_us: 0.0,
            cap_bytes: 3036,
            use_window_us: 0.0,
            loss_decrease: 0.0,
        }
    }

    /// Tuned for 10 Gb/s; `base_us` is the unloaded RTT. Segments of 2 KB.
    pub fn timely_10g(base_us: f64) -> Self {
        Parameters { alpha: 0.2, t_low_us: base_us + 12.0, t_high_us: 200.0, loss_decrease: LOSS_DECREASE, ..Self::authors_10g() }
    }

    /// Tuned for 25 Gb/s; `base_us` is the unloaded RTT. Segments of 4 KB.
    ///
    /// `T_high` is below the RTT at which flow control with an XOFF of 100 KB holds three senders'
    /// ports, `base_us` and 32 us each: an RTT that flow control holds has no gradient, and below
    /// `T_high` rates would rise for good, as they do with two such ports.
    pub fn timely_25g(base_us: f64) -> Self {
        Parameters {
            t_low_us: base_us + 8.0,
            t_high_us: base_us + 92.0,
            min_rtt_us: 15.0,
            update_interval_us: 15.0,
            additive_step_mbps: 25.0,
            outstanding_bytes: 128 * 1024,
            ..Self::timely_10g(base_us).line(25_000.0)
        }
    }

    /// Tuned for 100 Gb/s; `base_us` is the unloaded RTT. Segments of 2 KB. `T_high` is as at 25
    /// Gb/s, for ten senders' ports of 8 us each.
    pub fn timely_100g(base_us: f64) -> Self {
        Parameters {
            t_low_us: base_us + 6.0,
            t_high_us: base_us + 72.0,
            additive_step_mbps: 50.0,
            outstanding_bytes: 256 * 1024,
            ..Self::timely_10g(base_us).line(100_000.0)
        }
    }

    /// Patched TIMELY as tuned for 10 Gb/s; `base_us` is the unloaded RTT. Segments of 2 KB.
    pub fn patched_10g(base_us: f64) -> Self {
        let reference_us = base_us + 12.0;
        Parameters {
            law: LawKind::Patched,
            alpha: 0.875,
            t_low_us: reference_us,
            t_high_us: 500.0,
            reference_us,
            error_beta: 0.032,
            loss_decrease: LOSS_DECREASE,
            ..Self::authors_10g()
        }
    }

    /// [`Parameters::patched_10g`] for 25 Gb/s. Segments of 4 KB.
    pub fn patched_25g(base_us: f64) -> Self {
        Parameters { additive_step_mbps: 25.0, outstanding_bytes: 128 * 1024, ..Self::patched_10g(base_us).line(25_000.0) }
    }

    /// [`Parameters::patched_10g`] for 100 Gb/s. Segments of 8 KB.
    pub fn patched_100g(base_us: f64) -> Self {
        let reference_us = base_us + 8.0;
        Parameters {
            t_low_us: reference_us,
            t_high_us: 300.0,
            reference_us,
            error_beta: 0.064,
            additive_step_mbps: 100.0,
            outstanding_bytes: 256 * 1024,
            ..Self::patched_10g(base_us).line(100_000.0)
        }
    }

    /// The profile with a PI controller on the delay in place of the error: the delay is held at
    /// `reference_us`, whatever the number of flows.
    pub fn pi(self) -> Self {
        Parameters { law: LawKind::Pi, t_low_us: 0.5 * self.reference_us, integral_gain: 0.001, proportional_gain: 1.0, ..self }
    }

    /// PI for 100 Gb/s. Half of the delay that the law holds, 16 us with a base of 8, is no queue
    /// yet, and a flow that its start drove down would rise by a slow integral alone.
    pub fn pi_100g(base_us: f64) -> Self {
        Parameters { t_low_us: base_us + 4.0, ..Self::patched_100g(base_us).pi() }
    }

    /// Swift for 10 Gb/s: a packet of 1 KB more an RTT; `base_us` is the unloaded RTT. Segments of
    /// 2 KB.
    ///
    /// The rate is the law's state and no window holds packets back, so the queue is an integral of
    /// an integral: it swings about its target, and the line is idle between swings. A decrease of
    /// .5 (Swift's own: .8), a target near the empty path's delay and a steep flow scaling keep
    /// these short; smaller steps would too, but messages of megabytes take three times as long.
    pub fn swift_10g(base_us: f64) -> Self {
        Parameters {
            law: LawKind::Swift,
            signal: Signal::LessResidence,
            beta: 0.5,
            update_interval_us: base_us + 12.0,
            additive_step_mbps: 20.0,
            base_target_us: base_us + 4.0,
            flow_range_us: 20.0,
            flow_most_packets: 6.0,
            half_floor: false,
            loss_decrease: LOSS_DECREASE,
            ..Self::authors_10g()
        }
    }

    /// [`Parameters::swift_10g`] for 25 Gb/s. Segments of 4 KB.
    pub fn swift_25g(base_us: f64) -> Self {
        Parameters { additive_step_mbps: 50.0, outstanding_bytes: 128 * 1024, ..Self::swift_10g(base_us).line(25_000.0) }
    }

    /// [`Parameters::swift_10g`] for 100 Gb/s. Segments of 2 KB.
    pub fn swift_100g(base_us: f64) -> Self {
        Parameters { additive_step_mbps: 200.0, outstanding_bytes: 256 * 1024, ..Self::swift_10g(base_us).line(100_000.0) }
    }

    /// DCQCN with the published parameters, whose steps are scaled from 40 Gb/s to 10. Switches
    /// mark, flows carry ECT in their TOS, and no bound holds back what marks do not.
    pub fn dcqcn_10g() -> Self {
        Parameters { law: LawKind::Dcqcn, half_floor: false, outstanding_bytes: 0, loss_decrease: LOSS_DECREASE, ..Self::authors_10g() }
    }

    /// [`Parameters::dcqcn_10g`] for 25 Gb/s.
    pub fn dcqcn_25g() -> Self {
        Parameters { additive_step_mbps: 25.0, hyper_step_mbps: 250.0, ..Self::dcqcn_10g().line(25_000.0) }
    }

    /// [`Parameters::dcqcn_10g`] for 100 Gb/s.
    pub fn dcqcn_100g() -> Self {
        Parameters { additive_step_mbps: 100.0, hyper_step_mbps: 1000.0, ..Self::dcqcn_10g().line(100_000.0) }
    }

    /// The host writes the rate; flows start at `mbps`, which is also the greatest rate.
    pub fn fixed(mbps: f64) -> Self {
        Parameters { law: LawKind::Fixed, ..Self::authors_10g().line(mbps) }
    }

    /// The paper's Algorithm 1 in place of the authors' code: full steps, no floor, hyperactive
    /// increase by smoothed gradients.
    pub fn algorithm_1(self) -> Self {
        Parameters { hyperactive_smoothed: true, delta_factor: false, half_floor: false, ..self }
    }

    /// The profile on a line of `mbps`: flows start, restart and end there, and never fall below a
    /// thousandth of it.
    pub fn line(self, mbps: f64) -> Self {
        Parameters { initial_mbps: mbps, idle_mbps: mbps, least_mbps: mbps / 1000.0, greatest_mbps: mbps, ..self }
    }

    /// The profile by one-way delay variation; `base_us` is the unloaded RTT, which thresholds
    /// build on.
    pub fn one_way(self, base_us: f64) -> Self {
        Parameters { signal: Signal::OneWay, signal_base_us: base_us, ..self }
    }

    /// The profile of that name, `None` when there is none ([`NAMES`]). `base_us` is the unloaded
    /// RTT that thresholds build on.
    pub fn named(name: &str, base_us: f64) -> Option<Self> {
        Some(match name {
            "authors-10g" => Self::authors_10g(),
            "timely-10g" => Self::timely_10g(base_us),
            "timely-25g" => Self::timely_25g(base_us),
            "timely-100g" => Self::timely_100g(base_us),
            "patched-10g" => Self::patched_10g(base_us),
            "patched-25g" => Self::patched_25g(base_us),
            "patched-100g" => Self::patched_100g(base_us),
            "pi-10g" => Self::patched_10g(base_us).pi(),
            "pi-25g" => Self::patched_25g(base_us).pi(),
            "pi-100g" => Self::pi_100g(base_us),
            "swift-10g" => Self::swift_10g(base_us),
            "swift-25g" => Self::swift_25g(base_us),
            "swift-100g" => Self::swift_100g(base_us),
            "dcqcn-10g" => Self::dcqcn_10g(),
            "dcqcn-25g" => Self::dcqcn_25g(),
            "dcqcn-100g" => Self::dcqcn_100g(),
            "fixed" => Self::fixed(10_000.0),
            _ => return None,
        })
    }
}
