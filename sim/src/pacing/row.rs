//! A pacer under a load: what was measured, as it is printed and given to programs.
use super::load::{Load, WIRE_BYTES};
use super::stats::{Departure, Judged, Quantiles};
use serde::{Deserialize, Serialize};

/// Where a pacer runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Place {
    /// In hardware: its Verilog.
    Rtl,
    /// In the kernel.
    Kernel,
    /// In a process.
    User,
}

/// Lateness on a link that many flows share, beside an ideal first-in-first-out link.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Fifo {
    /// Errors on the ideal link: packets that wait for others on it.
    pub error_ns: Quantiles,
    /// Of ours, beyond that.
    pub excess_ns: Quantiles,
}

/// A distribution over measurements that began at several phases of the machine's timers.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Phases {
    /// Measurements.
    pub count: u32,
    /// The least of each quantile.
    pub least: Quantiles,
    /// The greatest of each.
    pub greatest: Quantiles,
}

/// A pacer under a load.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Row {
    /// The pacer.
    pub name: String,
    /// Place where the pacer runs.
    #[serde(rename = "where")]
    pub place: Place,
    /// Load of the pacer.
    #[serde(flatten)]
    pub load: Load,
    /// A second task computed on the sender's core.
    #[serde(default)]
    pub busy: bool,
    /// Reason why the pacer was not run, or has no figures.
    pub refused: Option<String>,
    /// Packets that it was given.
    pub sent: u64,
    /// Packets whose arrival was stamped.
    pub received: u64,
    /// Distance of packets from their own ideal departures, early or late.
    pub error_ns: Option<Quantiles>,
    /// Lateness of the first packet of each burst.
    pub release_error_ns: Option<Quantiles>,
    /// Rate over what was asked for, less 1.
    pub rate_error_ppm: Option<f64>,
    /// Most wire bytes in any 10 us.
    pub burst_bytes_10us: Option<u64>,
    /// Most wire bytes in any 100 us.
    pub burst_bytes_100us: Option<u64>,
    /// Wire bytes of the flows' rate in 100 us.
    pub even_bytes_100us: f64,
    /// CPU seconds per Gbit of wire bits that arrived.
    pub cpu_s_per_gbit: Option<f64>,
    /// CPU seconds per million packets that arrived.
    pub cpu_s_per_mpacket: Option<f64>,
    /// Beside an ideal link.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fifo: Option<Fifo>,
    /// The errors of all start phases, if there was more than one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub phases: Option<Phases>,
    /// Further remark on the row.
    pub note: String,
    /// The schedule is known; else errors count from each flow's first packet.
    pub on_schedule: bool,
    /// Distances of packets in rising order, as many as a plot takes, and the share up to each.
    #[serde(skip)]
    pub cdf: Vec<(f64, f64)>,
    /// Lateness of the releases in the order of time, ns.
    #[serde(skip)]
    pub releases: Vec<f64>,
    /// The releases.
    #[serde(skip)]
    pub released: Vec<Departure>,
}

/// Points of a distribution's plot.
const POINTS: usize = 500;

impl Row {
    /// Row of a pacer that is still to be measured.
    pub fn new(name: &str, place: Place, load: &Load) -> Self {
        Row {
            name: name.into(),
            place,
            load: *load,
            busy: false,
            refused: None,
            sent: 0,
            received: 0,
            error_ns: None,
            release_error_ns: None,
            rate_error_ppm: None,
            burst_bytes_10us: None,
            burst_bytes_100us: None,
            even_bytes_100us: load.ideal_bytes(100_000.0),
            cpu_s_per_gbit: None,
            cpu_s_per_mpacket: None,
            fifo: None,
            phases: None,
            note: String::new(),
            on_schedule: true,
            cdf: Vec::new(),
            releases: Vec::new(),
            released: Vec::new(),
        }
    }

    /// Row of a pacer that was refused.
    pub fn refused(name: &str, place: Place, load: &Load, why: &str) -> Self {
        Row { refused: Some(why.into()), ..Row::new(name, place, load) }
    }

    /// Takes over what was measured: the judgement, packets sent and received, CPU seconds.
    pub fn fill(&mut self, judged: Judged, (sent, received): (u64, u64), cpu: f64) {
        (self.sent, self.received) = (sent, received);
        (self.error_ns, self.release_error_ns) = (judged.error_ns, judged.release_ns);
        self.rate_error_ppm = judged.rate_error_ppm;
        let any = received > 0;
        self.burst_bytes_10us = any.then_some(judged.burst_bytes_10us);
        self.burst_bytes_100us = any.then_some(judged.burst_bytes_100us);
        self.cpu_s_per_gbit = any.then(|| cpu / ((received * WIRE_BYTES * 8) as f64 * 1e-9));
        self.cpu_s_per_mpacket = any.then(|| cpu / received as f64 * 1e6);
        let mut errors = judged.errors;
        errors.sort_by(f64::total_cmp);
        let n = errors.len();
        self.cdf =
            (0..n.min(POINTS)).map(|i| i * (n - 1) / (n.min(POINTS) - 1).max(1)).map(|i| (errors[i], (i + 1) as f64 / n as f64)).collect();
        self.releases = judged.releases;
        self.released = judged.released;
    }

    /// Takes another start phase's errors into the range.
    pub fn widen(&mut self, other: &Row) {
        let (Some(own), Some(more)) = (self.error_ns, other.error_ns) else { return };
        let p = self.phases.unwrap_or(Phases { count: 1, least: own, greatest: own });
        let each = |by: fn(f64, f64) -> f64, q: Quantiles| Quantiles {
            p50: by(q.p50, more.p50),
            p99: by(q.p99, more.p99),
            p999: by(q.p999, more.p999),
            max: by(q.max, more.max),
        };
        self.phases = Some(Phases { count: p.count + 1, least: each(f64::min, p.least), greatest: each(f64::max, p.greatest) });
    }

    /// The burst in words.
    pub fn burst(&self) -> String {
        // Whole packets come to a little less.
        if self.load.burst == 1 { "packet".into() } else { format!("{} KB", (self.load.burst_payload() as f64 / 4096.0).round() * 4.0) }
    }

    /// The pacer in words that tell it from others.
    pub fn title(&self) -> String {
        let core = if self.busy { ", busy core" } else { "" };
        if self.load.burst == 1 { format!("{}{core}", self.name) } else { format!("{}, {}{core}", self.name, self.burst()) }
    }
}
