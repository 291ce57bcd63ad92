//! The command line of `timely-sim fluid`.
use super::report::{Summary, csv, page};
use super::settings::{Model, Settings};
use super::solve::{FlowStart, Jitter, Measured, Steps};
use crate::output::file::Outputs;
use crate::output::{note, print};
use crate::quantity::within;
use std::collections::BTreeSet;
use std::path::PathBuf;
use timely_regs::text::parse_whole_within;

/// Text after the options in the help.
const AFTER: &str = "\
EXAMPLES
  timely-sim fluid timely --flow 7 --flow 3 --duration-ms 300
  timely-sim fluid dcqcn --flows 10 --set delay_us=85 --set kmax_kb=2000 --set pmax=0.1
  timely-sim fluid patched --flow 5 --flow 5@10
  timely-sim fluid pi-host --flow 3.33:0.002 --flow 6.67:0.009 --duration-ms 5000 --step-us 4

A flow is GBPS[@START_MS][:OUTPUT]: its rate at its start, its start, and the output of its own PI controller (pi-host).
docs/simulator.md has the parameters of --set.";

/// The options.
#[derive(clap::Args, Debug)]
#[command(after_help = AFTER)]
pub struct Arguments {
    /// The model.
    #[arg(value_enum)]
    model: Model,
    /// A flow, GBPS[@START_MS][:OUTPUT]; may be repeated.
    #[arg(long, value_name = "FLOW", value_parser = flow, allow_hyphen_values = true)]
    flow: Vec<FlowStart>,
    /// So many flows that start at 0, of dcqcn and pi-switch at line rate, else at an equal share.
    #[arg(long, value_name = "N", conflicts_with = "flow", value_parser = |s: &str| parse_whole_within::<u32>(s, 1..=MOST_FLOWS), allow_negative_numbers = true)]
    flows: Option<u32>,
    /// A parameter in place of the study's; may be repeated.
    #[arg(long, value_name = "NAME=VALUE")]
    set: Vec<String>,
    /// Length of the run, ms.
    #[arg(long, value_name = "MS", default_value_t = 100.0, value_parser = |s: &str| within(s, "ms", 0.01, 1e5), allow_negative_numbers = true)]
    duration_ms: f64,
    /// Step of the integration, us.
    #[arg(long, value_name = "US", default_value_t = 1.0, value_parser = |s: &str| within(s, "us", 0.01, 100.0), allow_negative_numbers = true)]
    step_us: f64,
    /// Time between the samples of the CSV, us; by default a 10,000th of the run, at least the
    /// step.
    #[arg(long, value_name = "US", value_parser = |s: &str| within(s, "us", 0.01, 1e7), allow_negative_numbers = true)]
    every_us: Option<f64>,
    /// Queue at the start, KB.
    #[arg(long, value_name = "KB", default_value_t = 0.0, value_parser = |s: &str| within(s, "kb", 0.0, 1e6), allow_negative_numbers = true)]
    queue_kb: f64,
    /// Jitter of the feedback, uniform up to this, us.
    #[arg(long, value_name = "US", value_parser = |s: &str| within(s, "us", 0.0, 1e4), allow_negative_numbers = true)]
    jitter_us: Option<f64>,
    /// Time between two draws of the jitter, us; by default 5.
    #[arg(long, value_name = "US", value_parser = |s: &str| within(s, "us", 0.1, 1e6), allow_negative_numbers = true)]
    jitter_every_us: Option<f64>,
    /// The jitter is part of measured RTTs, as that of ACKs is; by default it delays feedback
    /// alone, as in the paper.
    #[arg(long)]
    jitter_in_rtt: bool,
    /// Seed of the jitter.
    #[arg(long, default_value_t = 1, value_parser = crate::serve::command::seed, allow_negative_numbers = true)]
    seed: u64,
    /// Prints JSON to stdout in place of the text.
    #[arg(long)]
    json: bool,
    /// Folder for series.csv and report.html.
    #[arg(long, value_name = "DIR", default_value = "target/fluid")]
    out: PathBuf,
}

/// Most flows of a run.
const MOST_FLOWS: u64 = 10_000;
/// Most draws of jitter of a run.
const MOST_DRAWS: f64 = 1e8;
/// Most samples of a run, and most steps.
const MOST_STEPS: f64 = 2e9;

/// The first name that is there twice, if one is.
pub fn twice(names: impl Iterator<Item = String>) -> Option<String> {
    let mut seen = BTreeSet::new();
    names.into_iter().find(|name| !seen.insert(name.clone()))
}

fn flow(s: &str) -> Result<FlowStart, String> {
    let (rest, output) = s.split_once(':').map_or((s, "0"), |(a, b)| (a, b));
    let (gbps, at) = rest.split_once('@').map_or((rest, "0"), |(a, b)| (a, b));
    let part = |what: &str, s: &str, unit: &str, most: f64| within(s, unit, 0.0, most).map_err(|e| format!("the {what} is {s}; {e}"));
    Ok(FlowStart {
        gbps: part("rate", gbps, "gbps", 800.0)?,
        at: part("start", at, "ms", 1e5)? / 1e3,
        output: part("output", output, "", 1.0)?,
    })
}

impl Arguments {
    // Options without an effect are refused, or a user would take their absence for a finding.
    fn unheard(&self) -> Result<(), String> {
        let model = self.model.name();
        if self.model != Model::PiHost && self.flow.iter().any(|f| f.output != 0.0) {
            return Err(format!("--flow has an OUTPUT; {model} has no controller of its own, only pi-host: leave `:OUTPUT` out"));
        }
        if self.jitter_us.is_none() && (self.jitter_every_us.is_some() || self.jitter_in_rtt) {
            return Err("--jitter-every-us and --jitter-in-rtt are of --jitter-us, which is missing".into());
        }
        if self.model.is_dcqcn() && self.jitter_in_rtt {
            return Err(format!("--jitter-in-rtt has no effect on {model}, which measures no RTT"));
        }
        let name = |told: &String| told.split_once('=').map_or(told.clone(), |(name, _)| name.trim().to_owned());
        match twice(self.set.iter().map(name)) {
            Some(name) => Err(format!("--set has {name} twice; allowed: each once")),
            None => Ok(()),
        }
    }

    fn flows(&self, settings: &Settings) -> Result<Vec<FlowStart>, String> {
        if let Some(f) = self.flow.iter().find(|f| f.gbps > settings.line_gbps) {
            return Err(format!("a flow starts at {} Gb/s; allowed: at most line_gbps, which is {}", f.gbps, settings.line_gbps));
        }
        if !self.flow.is_empty() {
            return Ok(self.flow.clone());
        }
        let n = self.flows.unwrap_or(2) as usize;
        let share = if settings.model.is_dcqcn() { settings.line_gbps } else { settings.line_gbps / n as f64 };
        Ok(vec![FlowStart::new(share); n])
    }

    /// Integrates, writes and prints.
    ///
    /// # Errors
    /// A parameter that is not allowed, a queue that runs away, or a file that cannot be written;
    /// in a sentence.
    pub fn run(&self) -> Result<(), String> {
        self.unheard()?;
        let mut settings = Settings::conext16(self.model);
        for told in &self.set {
            settings.set(told).map_err(|e| format!("--set: {e}"))?;
        }
        settings.check().map_err(|e| format!("--set: {e}"))?;
        let flows = self.flows(&settings)?;
        let (end, step) = (self.duration_ms * 1e-3, self.step_us * 1e-6);
        let late = flows.iter().filter(|f| f.at >= end).count();
        if late == flows.len() {
            return Err(format!("--duration-ms is {}; no flow starts before that: allowed is more than the first start", self.duration_ms));
        }
        if late > 0 {
            note(format_args!("note: {late} flows start at the end of the run or behind it"));
        }
        if end / step * flows.len() as f64 > MOST_STEPS {
            let least = end * flows.len() as f64 / MOST_STEPS * 1e6;
            return Err(format!("--step-us is {}; allowed with so many flows over so long: at least {least:.3}", self.step_us));
        }
        let every = self.every_us.map_or(end / 1e4, |us| us * 1e-6).max(step);
        let mut files = Outputs::default().folder(&self.out, ["series.csv", "report.html"])?;
        let jitter_every_us = self.jitter_every_us.unwrap_or(5.0);
        let measured = if self.jitter_in_rtt { Measured::All } else { Measured::Nothing };
        let jitter = Jitter { most: self.jitter_us.unwrap_or(0.0) * 1e-6, every: jitter_every_us * 1e-6, seed: self.seed, measured };
        if jitter.most > 0.0 && end / jitter.every * flows.len() as f64 > MOST_DRAWS {
            let least = end * flows.len() as f64 / MOST_DRAWS * 1e6;
            return Err(format!("--jitter-every-us is {jitter_every_us}; allowed with so many flows over so long: at least {least:.3}"));
        }
        let jitter = (jitter.most > 0.0).then_some(jitter);
        let steps = Steps { end, step, every, queue: self.queue_kb * 1e3, jitter };
        let series = super::run(&settings, &flows, &steps).map_err(|e| e.to_string())?;
        let summary = Summary::of(&series);
        let written = [csv(&series), page(&settings, &series, &summary)];
        let failed: Vec<String> = files.iter_mut().zip(written).filter_map(|(file, text)| file.write(text).err()).collect();
        let text = if self.json { serde_json::to_string_pretty(&summary).expect("figures are plain numbers") } else { summary.text() };
        print(text)?;
        note(format_args!("series: {}\nreport: {}", files[0].path().display(), files[1].path().display()));
        if failed.is_empty() { Ok(()) } else { Err(failed.join("\nerror: ")) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flows_have_a_rate_a_start_and_an_output() {
        assert_eq!(flow("7"), Ok(FlowStart::new(7.0)));
        assert_eq!(flow("5@10"), Ok(FlowStart { gbps: 5.0, at: 0.01, output: 0.0 }));
        assert_eq!(flow("3.33@2:0.002"), Ok(FlowStart { gbps: 3.33, at: 0.002, output: 0.002 }));
        assert!(flow("x").unwrap_err().starts_with("the rate is x; allowed: 0 to 800, or with a unit"));
        assert_eq!(flow("1GBps@10us"), Ok(FlowStart { gbps: 8.0, at: 1e-5, output: 0.0 }));
        assert!(flow("1@-1").unwrap_err().starts_with("the start is -1; allowed: 0 to 100000, or"));
        assert_eq!(flow("1:2").unwrap_err(), "the output is 2; allowed: 0 to 1");
    }
}
