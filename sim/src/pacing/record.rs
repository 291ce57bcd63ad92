//! The figures that `docs/pacing.json` holds, of which `docs/pacing.md` shows what [`super::prose`]
//! makes.
use super::ALL_FLOWS;
use super::conclude::{COSTLY, PUNCTUAL};
use super::lateness::Point;
use super::measure::Stamping;
use super::row::{Fifo, Phases};
use super::software::Conditions;
use super::stats::Quantiles;
use serde::{Deserialize, Serialize};

/// Loads whose rows are kept: flows and Mb/s.
pub const KEPT: [(u32, f64); 4] = [PUNCTUAL, COSTLY, (10_000, 1_000.0), ALL_FLOWS];

/// A row of a report.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Brief {
    /// The pacer.
    pub name: String,
    /// Place where the pacer runs: `rtl`, `kernel` or `user`.
    #[serde(rename = "where")]
    pub place: String,
    /// Flows.
    pub flows: u32,
    /// Rate of all flows together, wire bits, Mb/s.
    pub mbps: f64,
    /// Packets of a burst.
    pub burst: u32,
    /// A second task computed on the sender's core.
    #[serde(default)]
    pub busy: bool,
    /// Reason why the pacer was not run.
    pub refused: Option<String>,
    /// Packets sent.
    pub sent: u64,
    /// Packets that arrived.
    pub received: u64,
    /// Errors.
    pub error_ns: Option<Quantiles>,
    /// Errors of all start phases.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub phases: Option<Phases>,
    /// Rate over what was asked for, less 1.
    pub rate_error_ppm: Option<f64>,
    /// Most wire bytes in 100 us.
    pub burst_bytes_100us: Option<u64>,
    /// CPU seconds a million packets.
    pub cpu_s_per_mpacket: Option<f64>,
    /// Beside an ideal link.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fifo: Option<Fifo>,
}

/// A run of the network.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Net {
    /// `incast` or `fig12`.
    pub experiment: String,
    /// The pacer.
    pub pacer: String,
    /// Noise of the RTTs, us.
    pub rtt_noise_us: f64,
    /// Wire bits over what the bottleneck carries.
    pub utilization: f64,
    /// Median of the RTT, us.
    pub rtt_p50_us: f64,
    /// 99th percentile of the RTT, us.
    pub rtt_p99_us: f64,
    /// 99th percentile of the queue, KB.
    pub queue_p99_kb: f64,
}

/// A report's results.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Source {
    /// Where packets went.
    pub site: String,
    /// How software was measured.
    pub conditions: Vec<Conditions>,
    /// How late a polling thread is.
    pub noise_ns: Quantiles,
    /// Gaps of a polling thread above 10 us, a second.
    pub long_gaps_per_second: f64,
    /// The stamps.
    pub stamping: Stamping,
    /// Sending without any pacing.
    pub unpaced: Vec<Brief>,
    /// The rows.
    pub pacers: Vec<Brief>,
    /// The network.
    pub network: Vec<Net>,
}

impl Source {
    /// Reads a report's `results.json`, and keeps refused rows and those of the loads in [`KEPT`].
    ///
    /// # Errors
    /// The text is no such file.
    pub fn read(text: &str) -> Result<Self, String> {
        let mut all: Source = serde_json::from_str(text).map_err(|e| format!("{e}; give a results.json of `timely-sim pacing`"))?;
        all.pacers.retain(|r| r.refused.is_some() || (KEPT.contains(&(r.flows, r.mbps)) && [1, 44].contains(&r.burst)));
        all.pacers.iter_mut().chain(&mut all.unpaced).for_each(Brief::round);
        for n in &mut all.network {
            for v in [&mut n.utilization, &mut n.rtt_p50_us, &mut n.rtt_p99_us, &mut n.queue_p99_kb] {
                *v = digits(*v);
            }
        }
        // Of figure 12 the runs without noise.
        all.network.retain(|n| n.experiment == "incast" || n.rtt_noise_us == 0.0);
        Ok(all)
    }

    /// The row of a pacer under a load.
    pub fn row(&self, name: &str, load: (u32, f64), burst: u32, busy: bool) -> Option<&Brief> {
        let same = |r: &&Brief| r.name == name && (r.flows, r.mbps) == load && r.burst == burst && r.busy == busy;
        self.pacers.iter().find(same).filter(|r| r.refused.is_none())
    }

    /// A network's run.
    pub fn run(&self, experiment: &str, pacer: &str) -> Option<&Net> {
        self.network.iter().find(|n| n.experiment == experiment && n.pacer == pacer)
    }

    /// The names of its pacers, in the order of their rows.
    pub fn names(&self) -> Vec<&str> {
        let mut names: Vec<&str> = Vec::new();
        for row in &self.pacers {
            if !names.contains(&row.name.as_str()) {
                names.push(&row.name);
            }
        }
        names
    }
}

impl Brief {
    /// A row of the hardware.
    pub fn is_hardware(&self) -> bool {
        self.place == "rtl"
    }

    fn round(&mut self) {
        let ranges = self.phases.iter_mut().flat_map(|p| [&mut p.least, &mut p.greatest]);
        let links = self.fifo.iter_mut().flat_map(|f| [&mut f.error_ns, &mut f.excess_ns]);
        for q in self.error_ns.iter_mut().chain(ranges).chain(links) {
            for v in [&mut q.p50, &mut q.p99, &mut q.p999, &mut q.max] {
                *v = digits(*v);
            }
        }
        for v in self.rate_error_ppm.iter_mut().chain(&mut self.cpu_s_per_mpacket) {
            *v = digits(*v);
        }
    }
}

// To five digits: what is written is what is compared.
fn digits(v: f64) -> f64 {
    format!("{v:.4e}").parse().unwrap_or(v)
}

/// All that the page is made of.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Recorded {
    /// The guest: a quiet core and a busy one, one instruction a ns.
    pub guest: Source,
    /// The guest, several instructions a ns.
    pub faster: Source,
    /// A machine that is shared with others: the one that the first figures of the page were
    /// measured on.
    pub shared: Source,
    /// The sweep over lateness.
    pub lateness: Vec<Point>,
}

impl Recorded {
    /// Parses the text of a record.
    ///
    /// # Errors
    /// The text is no record.
    pub fn parse(text: &str) -> Result<Self, String> {
        serde_json::from_str(text).map_err(|e| format!("{e}; `timely-sim pacing-page` writes it"))
    }

    /// As a file: a row a line.
    pub fn text(&self) -> String {
        let all = serde_json::to_value(self).expect("figures are plain numbers");
        let mut text = String::new();
        lines(&all, 0, &mut text);
        text + "\n"
    }
}

// Objects and lists of objects over several lines, down to the rows.
fn lines(v: &serde_json::Value, depth: usize, into: &mut String) {
    use serde_json::Value;
    let pad = |depth: usize| "\n".to_owned() + &" ".repeat(depth);
    match v {
        Value::Object(all) if depth < 2 => {
            let mut between = "{";
            for (key, value) in all {
                *into += &format!("{between}{}{}: ", pad(depth + 1), Value::String(key.clone()));
                lines(value, depth + 1, into);
                between = ",";
            }
            *into += &(pad(depth) + "}");
        }
        Value::Array(all) if all.iter().any(Value::is_object) => {
            let rows: Vec<String> = all.iter().map(|row| format!("{}{row}", pad(depth + 1))).collect();
            *into += &format!("[{}{}]", rows.join(","), pad(depth));
        }
        other => *into += &other.to_string(),
    }
}
