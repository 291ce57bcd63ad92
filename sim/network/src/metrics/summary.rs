//! The figures of a run, over its steady part.
use super::{Recorder, Tap};
use crate::nic::Stats;
use crate::time::Speed;
use serde::Serialize;

/// Mean and percentiles.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Spread {
    /// Mean.
    pub mean: f64,
    /// Median.
    pub p50: f64,
    /// 99th percentile.
    pub p99: f64,
}

/// The value at this share of sorted ones, by the nearest rank; `None` of none.
pub fn at_share(sorted: &[f64], p: f64) -> Option<f64> {
    // A product that is whole but for its rounding is no rank more.
    let rank = (sorted.len() as f64 * p - 1e-9).ceil().max(1.0) as usize;
    sorted.get(rank.min(sorted.len()).saturating_sub(1)).copied()
}

impl Spread {
    /// Of nothing, which is not 0: no numbers (in JSON null).
    pub const UNKNOWN: Spread = Spread { mean: f64::NAN, p50: f64::NAN, p99: f64::NAN };

    /// Spread of these values; unknown when there are none.
    pub fn of(mut values: Vec<f64>) -> Self {
        if values.is_empty() {
            return Spread::UNKNOWN;
        }
        values.sort_by(f64::total_cmp);
        let at = |p: f64| at_share(&values, p).expect("there are some");
        Spread { mean: values.iter().sum::<f64>() / values.len() as f64, p50: at(0.5), p99: at(0.99) }
    }
}

/// Queue of the bottleneck, kilobytes of 1000; not a number (in JSON null) when no port was
/// watched.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct QueueKb {
    /// Mean over time.
    pub mean: f64,
    /// 99th percentile over time.
    pub p99: f64,
}

/// Utilization, queue and largest queue (kilobytes) of a watched port, over so many seconds; not a
/// number of them: but for the largest queue nothing was measured. Two hosts without a switch
/// between them have no such port: the values are then NaN, not 0.
pub fn watched(tap: Option<&Tap>, seconds: f64, speed: Speed) -> (f64, QueueKb, f64) {
    let Some(t) = tap else { return (f64::NAN, QueueKb { mean: f64::NAN, p99: f64::NAN }, f64::NAN) };
    let unknown = QueueKb { mean: f64::NAN, p99: f64::NAN };
    let known = QueueKb { mean: t.histogram.mean() / 1e3, p99: t.histogram.quantile(0.99) / 1e3 };
    let queue = if seconds.is_nan() { unknown } else { known };
    (t.wire_steady as f64 * 8.0 / seconds / speed.as_bps() as f64, queue, t.max as f64 / 1e3)
}

/// The figures of a run.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Summary {
    /// Share of the bottleneck's wire bits in use; as the queue's figures, not a number when no
    /// port was watched.
    pub utilization: f64,
    /// Payload delivered, all flows together.
    pub goodput_gbps: f64,
    /// True path time, from the end of a segment's last packet to the ACK's first bit; unknown
    /// without samples, as is the next.
    pub rtt_us: Spread,
    /// RTT as the NICs measured it.
    pub rtt_measured_us: Spread,
    /// The bottleneck's queue.
    pub queue_kb: QueueKb,
    /// Largest queue of the whole run.
    pub queue_max_kb: f64,
    /// Jain's fairness index over what the receivers of endless flows got, but for flows that had
    /// stopped before the steady part; not a number without such flows, and where none got
    /// anything.
    pub jain: f64,
    /// Pauses that switches signalled, in the whole run.
    pub pauses: u64,
    /// Pauses in the steady part.
    pub pauses_steady: u64,
    /// Frames dropped for want of buffer, in the whole run.
    pub dropped: u64,
    /// Frames lost or damaged on links, in the whole run.
    pub lost: u64,
    /// Largest sum of bytes that one ingress port had in a switch, whole run, kilobytes.
    pub ingress_max_kb: f64,
    /// RTT samples in the steady part.
    pub samples: u64,
    /// Segments given up by their senders.
    pub timeouts: u64,
    /// Largest difference between measured and true RTT, the NIC's clocks; of bit-true NICs.
    pub rtt_error_clocks_max: Option<f64>,
    /// Packets and ACKs that arrived in the steady part, and those with a mark.
    #[serde(flatten)]
    pub marks: super::Marks,
    /// Congestion notifications that receivers sent in the whole run; only the fabric's send any.
    pub notifications: u64,
    /// Messages of all flows; not known (in JSON null) but on the fabric, as is the next.
    pub messages: Option<u64>,
    /// Messages that were complete by the end.
    pub completed: Option<u64>,
    /// Times from the posting of a message to its last ACK; unknown without complete messages.
    pub completion_us: Spread,
}

/// Figures that are unknown in both are the same.
impl PartialEq for Summary {
    fn eq(&self, other: &Summary) -> bool {
        // The text of a float has all of it, and that of no number is one.
        format!("{self:?}") == format!("{other:?}")
    }
}

/// Jain's index of some rates; not a number (in JSON null) of none, and where all are 0.
pub fn jain(rates: &[f64]) -> f64 {
    let (sum, squares) = rates.iter().fold((0.0, 0.0), |(s, q), r| (s + r, q + r * r));
    sum * sum / (rates.len() as f64 * squares)
}

impl Summary {
    /// Summary of a finished run with the bottleneck, a port of this speed, as its first tap.
    pub fn of(recorder: &Recorder, stats: &[Stats], bottleneck: Speed) -> Self {
        let w = recorder.windows;
        let seconds = w.seconds().unwrap_or(f64::NAN);
        let payload: u64 = recorder.flows.iter().map(|f| f.payload_steady).sum();
        let steady = || recorder.rtts.iter().map(|r| r.sample).filter(|s| s.at >= w.steady && s.at < w.end);
        let path: Vec<f64> = steady().filter_map(|s| s.path).map(|p| p as f64 * 1e-6).collect();
        let measured: Vec<f64> = steady().filter_map(|s| s.measured_ns).map(|n| n * 1e-3).collect();
        let samples = path.len().max(measured.len()) as u64;
        let (utilization, queue_kb, queue_max_kb) = watched(recorder.taps.first(), seconds, bottleneck);
        Summary {
            utilization,
            goodput_gbps: payload as f64 * 8e-9 / seconds,
            rtt_us: Spread::of(path),
            rtt_measured_us: Spread::of(measured),
            queue_kb,
            queue_max_kb,
            jain: jain(&recorder.shares()),
            pauses: recorder.pauses,
            pauses_steady: recorder.pauses_steady,
            dropped: recorder.dropped,
            lost: recorder.lost + recorder.damaged,
            ingress_max_kb: recorder.ingress_max as f64 / 1e3,
            samples,
            timeouts: stats.iter().map(|s| s.timeouts).sum(),
            marks: recorder.marks,
            completion_us: Spread::UNKNOWN,
            rtt_error_clocks_max: stats.iter().filter_map(|s| s.rtt_error_clocks_max).reduce(f64::max),
            ..Summary::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of 100 values the 99th percentile is the 99th, and the median the 50th.
    #[test]
    fn shares_are_nearest_ranks() {
        let of = |n: u32, p: f64| at_share(&(1..=n).map(f64::from).collect::<Vec<_>>(), p);
        assert_eq!((of(100, 0.99), of(100, 0.5), of(101, 0.5), of(100, 0.991)), (Some(99.0), Some(50.0), Some(51.0), Some(100.0)));
        assert_eq!((of(1, 0.0), of(1, 1.0), of(1000, 0.9), of(0, 0.5)), (Some(1.0), Some(1.0), Some(900.0), None));
    }
}
