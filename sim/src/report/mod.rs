//! The report of one or several runs: one HTML file with everything inline, readable without a
//! network.
mod charts;
pub mod curves;
pub mod page;
pub mod plot;
pub mod series;
pub mod table;
pub mod telemetry;

use crate::metrics::Summary;
use crate::scenario::NicKind;
use crate::scenario::build::Outcome;
use crate::scenario::outcome::PortFigures;
use crate::time::MS;
use serde::Serialize;

/// A run in a report.
pub struct Arm {
    /// Name of the arm in JSON.
    pub name: String,
    /// Title of the arm, for people.
    pub title: String,
    /// Description of the arm, in a sentence.
    pub note: String,
    /// Colour of the arm, `0xrrggbb`.
    pub color: u32,
    /// The NICs it was to run on.
    pub kind: NicKind,
    /// Outcome of the run, or why it could not be run.
    pub outcome: Result<Outcome, String>,
}

/// A run in JSON.
#[derive(Serialize)]
pub struct ArmJson<'a> {
    name: &'a str,
    nics: &'static str,
    hosts: NicKind,
    #[serde(skip_serializing_if = "Option::is_none")]
    unavailable: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    duration_ms: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    steady_from_ms: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    steady_to_ms: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    base_rtt_us: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    seconds: Option<f64>,
    #[serde(flatten)]
    summary: Option<&'a Summary>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ports: Option<Vec<PortFigures>>,
}

/// Results of a set of runs in JSON.
#[derive(Serialize)]
pub struct Json<'a> {
    arms: Vec<ArmJson<'a>>,
    /// Largest RTT error of the first arm that has one.
    rtt_error_clocks_max: Option<f64>,
}

impl<'a> Json<'a> {
    /// JSON of these runs.
    pub fn of(arms: &'a [Arm]) -> Self {
        let rtt_error_clocks_max = arms.iter().find_map(|a| a.outcome.as_ref().ok()?.summary.rtt_error_clocks_max);
        Json { arms: arms.iter().map(ArmJson::of).collect(), rtt_error_clocks_max }
    }
}

impl<'a> ArmJson<'a> {
    fn of(arm: &'a Arm) -> Self {
        let o = arm.outcome.as_ref().ok();
        ArmJson {
            name: &arm.name,
            // Everything that is not Verilog is a model of it.
            nics: if arm.kind == NicKind::Rtl { "rtl" } else { "model" },
            hosts: arm.kind,
            unavailable: arm.outcome.as_ref().err().map(String::as_str),
            duration_ms: o.map(|o| o.plan.duration as f64 / MS as f64),
            steady_from_ms: o.map(|o| o.recorder.windows.steady as f64 / MS as f64),
            steady_to_ms: o.map(|o| o.recorder.windows.end as f64 / MS as f64),
            base_rtt_us: o.map(|o| o.base_rtt_us),
            seconds: o.map(|o| o.seconds),
            summary: o.map(|o| &o.summary),
            ports: o.map(|o| o.ports().collect()),
        }
    }
}
