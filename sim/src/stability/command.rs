//! The command line of `timely-sim stability`.
use super::report::{compare, csv, page, table};
use super::{Row, border_of, nic, nic_report, row, timely_rests};
use crate::fluid::command::twice;
use crate::fluid::settings::{Model, Settings};
use crate::output::file::Outputs;
use crate::output::{note, print};
use crate::quantity::within;
use crate::scenario::file::Overrides;
use crate::scenario::vary::{self, Change};
use crate::time::Speed;
use rayon::prelude::*;
use std::path::{Path, PathBuf};
use timely_regs::parameters::{NAMES, Parameters};
use toml::Value;

/// Text after the options in the help.
const AFTER: &str = "\
EXAMPLES
  timely-sim stability dcqcn --flows 2..30 --delays 4,50,85,100
  timely-sim stability patched --set t_low_us=25
  timely-sim stability --nic patched-10g --flows 2..32 --delays 8,50
  timely-sim stability --nic swift-10g --set flow_range_us=200 --set flow_most_packets=4
  timely-sim stability --published

docs/simulator.md has the parameters of --set, with --nic those of a scenario's profile.";

/// The options.
#[derive(clap::Args, Debug)]
#[command(after_help = AFTER)]
pub struct Arguments {
    /// The model.
    #[arg(value_enum, default_value = "dcqcn")]
    model: Model,
    /// Numbers of flows: a list, or FIRST..LAST; by default 2 to 64 by powers of two.
    #[arg(long, value_name = "LIST", default_value = "2,4,8,16,32,64", value_parser = flows, allow_hyphen_values = true)]
    flows: Flows,
    /// Feedback delays, us: a list; by default delay_us.
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = |s: &str| crate::quantity::within(s, "us", 0.0, 1e4), allow_hyphen_values = true)]
    delays: Vec<f64>,
    /// A parameter in place of the study's; may be repeated.
    #[arg(long, value_name = "NAME=VALUE")]
    set: Vec<String>,
    /// Compares all published margins and convergence times with ours, in place of an analysis.
    #[arg(long, conflicts_with_all = ["flows", "delays", "set"])]
    published: bool,
    /// Analyses the law of one of this NIC's profiles as the NIC computes it, and runs its fluid
    /// model and its integers in a loop beside; delays are then RTTs without a queue, by default 8
    /// us, and flows at most 128.
    #[arg(long, value_name = "PROFILE", conflicts_with_all = ["model", "published"], value_parser = LAWS)]
    nic: Option<String>,
    /// Length of the runs of --nic, ms; figures are of the last third; by default 60.
    #[arg(long, value_name = "MS", requires = "nic", value_parser = |s: &str| within(s, "ms", 1.0, MOST_MS), allow_negative_numbers = true)]
    ms: Option<f64>,
    /// Prints JSON to stdout in place of the table.
    #[arg(long)]
    json: bool,
    /// Folder for stability.csv and report.html.
    #[arg(long, value_name = "DIR", default_value = "target/stability")]
    out: PathBuf,
}

/// Numbers of flows.
#[derive(Clone, Debug, PartialEq)]
struct Flows(Vec<f64>);

/// Profiles whose law goes by delays: all but those of DCQCN and `fixed`, the last four.
const LAWS: [&str; NAMES.len() - 4] = {
    let mut laws = [""; NAMES.len() - 4];
    let mut i = 0;
    while i < laws.len() {
        laws[i] = NAMES[i];
        i += 1;
    }
    laws
};
/// Longest run of a loop, ms.
const MOST_MS: f64 = 2000.0;
/// Most flows.
const MOST: u32 = 10_000;
/// Most rows of an analysis.
const MOST_ROWS: usize = 5_000;

fn flows(s: &str) -> Result<Flows, String> {
    let number = |s: &str| {
        s.parse().ok().filter(|n| (1..=MOST).contains(n)).ok_or_else(|| format!("{s} is no number of flows; allowed: 1 to {MOST}"))
    };
    if let Some((first, last)) = s.split_once("..") {
        let (first, last) = (number(first)?, number(last)?);
        if last < first {
            return Err(format!("{s} is empty; the first is at most the last"));
        }
        return Ok(Flows((first..=last).map(f64::from).collect()));
    }
    Ok(Flows(s.split(',').map(|n| number(n).map(f64::from)).collect::<Result<_, _>>()?))
}

impl Arguments {
    fn published(&self) -> Result<(), String> {
        let rows = compare();
        let total: usize = rows.iter().map(|r| r.values).sum();
        if self.json {
            print(serde_json::to_string_pretty(&rows).expect("figures are plain numbers"))?;
        } else {
            print("agrees  values    worst  allowed          flows  curve")?;
            for r in &rows {
                let agrees = if r.worst <= r.allowed { "yes" } else { "NO" };
                print(format_args!(
                    "{agrees:6} {:7} {:8.1e} {:8.0e} {:8} {:5}  {}",
                    r.values, r.worst, r.allowed, r.unit, r.flows, r.curve
                ))?;
            }
            print(format_args!("{total} values"))?;
        }
        let off: Vec<&str> = rows.iter().filter(|r| r.worst > r.allowed).map(|r| r.curve.as_str()).collect();
        if off.is_empty() { Ok(()) } else { Err(format!("these curves differ from the published ones: {}", off.join("; "))) }
    }

    /// Analyses, writes and prints.
    ///
    /// # Errors
    /// A parameter that is not allowed, a root that is not found, a published value that is not
    /// met, or a file that cannot be written.
    pub fn run(&self) -> Result<(), String> {
        if self.published {
            return self.published();
        }
        let name = |told: &String| told.split_once('=').map_or(told.clone(), |(name, _)| name.trim().to_owned());
        if let Some(name) = twice(self.set.iter().map(name)) {
            return Err(format!("--set has {name} twice; allowed: each once"));
        }
        if let Some(profile) = &self.nic {
            return self.nic(profile);
        }
        let mut settings = Settings::conext16(self.model);
        for told in &self.set {
            settings.set(told).map_err(|e| format!("--set: {e}"))?;
        }
        settings.check().map_err(|e| format!("--set: {e}"))?;
        if self.model == Model::Timely {
            return self.timely(&settings);
        }
        let delays = if self.delays.is_empty() { vec![settings.delay_us] } else { self.delays.clone() };
        if delays.len() * self.flows.0.len() > MOST_ROWS {
            return Err(format!("--flows and --delays give {} rows; allowed: at most {MOST_ROWS}", delays.len() * self.flows.0.len()));
        }
        let mut files = Outputs::default().folder(&self.out, ["stability.csv", "report.html"])?;
        let all: Vec<(f64, f64)> = delays.iter().flat_map(|d| self.flows.0.iter().map(move |n| (*d, *n))).collect();
        let one = |(delay_us, n)| {
            let of = Settings { delay_us, ..settings };
            let row = row(&of, n).map_err(|e| format!("{n} flows, {delay_us} us: {e}"))?;
            Ok::<_, String>(row.map(|row| Row { border: border_of(&of, n), ..row }))
        };
        let found = all.into_par_iter().map(one).collect::<Result<Vec<_>, String>>()?;
        let rows: Vec<Row> = found.into_iter().flatten().collect();
        let written = [csv(&rows), page(&settings, &rows)];
        let failed: Vec<String> = files.iter_mut().zip(written).filter_map(|(file, text)| file.write(text).err()).collect();
        print(if self.json { serde_json::to_string_pretty(&rows).expect("figures are plain numbers") } else { table(&rows) })?;
        note(format_args!("table: {}\nreport: {}", files[0].path().display(), files[1].path().display()));
        if failed.is_empty() { Ok(()) } else { Err(failed.join("\nerror: ")) }
    }

    // The profile for an RTT without a queue, with what --set changes.
    fn profile(&self, name: &str, base_us: f64) -> Result<Parameters, String> {
        let number = |told: &String| {
            let (field, value) =
                told.split_once('=').ok_or_else(|| format!("{told} is no setting; write name=value, for example alpha=0.5"))?;
            let value: f64 = value.parse().map_err(|_| format!("{field} is {value}; allowed: a number"))?;
            Ok((format!("profile.nic.{field}"), Value::Float(value)))
        };
        let changes: Vec<Change> = self.set.iter().map(number).collect::<Result<_, String>>()?;
        let text = format!("[topology]\nhosts = 2\n[profile.nic]\nlike = '{name}'\n[[flow]]\nfrom = 0\nto = 1\nprofile = 'nic'\n");
        let plan = vary::parse(Path::new("--set"), &text, &changes, &Overrides::default()).map_err(|e| e.to_string())?;
        let line = Parameters::named(name, base_us).map_or(0.0, |p| p.greatest_mbps);
        plan.parameters("nic", base_us, Speed::gbps(line / 1e3)).map_err(|e| e.to_string())
    }

    // Rests, margins and swings of a profile.
    fn nic(&self, profile: &str) -> Result<(), String> {
        if let Some(n) = self.flows.0.iter().find(|n| **n > f64::from(nic::MOST_FLOWS)) {
            return Err(format!("--flows has {n}; allowed with --nic: 1 to {}", nic::MOST_FLOWS));
        }
        let delays = if self.delays.is_empty() { vec![8.0] } else { self.delays.clone() };
        if let Some(d) = delays.iter().find(|d| **d < 0.1) {
            return Err(format!("--delays has {d}; allowed with --nic: 0.1 to 10000"));
        }
        let laws =
            delays.iter().map(|d| nic::Nic::new(self.profile(profile, *d)?, nic::SEGMENT, *d)).collect::<Result<Vec<_>, String>>()?;
        let mut files = Outputs::default().folder(&self.out, ["stability.csv", "report.html"])?;
        let all: Vec<(&nic::Nic, u32)> = laws.iter().flat_map(|l| self.flows.0.iter().map(move |n| (l, *n as u32))).collect();
        let make = |base_us: f64| nic::Nic::new(self.profile(profile, base_us).ok()?, nic::SEGMENT, base_us).ok();
        let one = |(of, n): (&nic::Nic, u32)| {
            let row = nic::row(of, n, self.ms.unwrap_or(nic::MS)).map_err(|e| format!("{n} flows, {} us: {e}", of.base * 1e6))?;
            let (border, sampled_border) = nic::borders(n, row.base_us, make);
            Ok::<_, String>(nic::Row { border, sampled_border, ..row })
        };
        let rows = all.into_par_iter().map(one).collect::<Result<Vec<_>, String>>()?;
        let written = [nic_report::csv(&rows), nic_report::page(profile, &laws, &rows)];
        let failed: Vec<String> = files.iter_mut().zip(written).filter_map(|(file, text)| file.write(text).err()).collect();
        print(if self.json { serde_json::to_string_pretty(&rows).expect("figures are plain numbers") } else { nic_report::table(&rows) })?;
        note(format_args!("table: {}\nreport: {}", files[0].path().display(), files[1].path().display()));
        if failed.is_empty() { Ok(()) } else { Err(failed.join("\nerror: ")) }
    }

    // TIMELY has no point to linearise at.
    fn timely(&self, settings: &Settings) -> Result<(), String> {
        let rests = timely_rests(&settings.timely());
        if self.json {
            return print(serde_json::to_string_pretty(&rests).expect("figures are plain numbers"));
        }
        print("TIMELY rests nowhere, or everywhere: change of a rate in an update, over the additive increase, the queue being still")?;
        print("share of the line  gradient 0  gradient falling to 0")?;
        for (share, [at, above]) in rests {
            print(format_args!("{share:17.2} {at:11.6} {above:22.6}"))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_flows_are_lists_or_ranges() {
        assert_eq!(flows("2,64"), Ok(Flows(vec![2.0, 64.0])));
        assert_eq!(flows("2..4"), Ok(Flows(vec![2.0, 3.0, 4.0])));
        assert_eq!(flows("0").unwrap_err(), "0 is no number of flows; allowed: 1 to 10000");
        assert_eq!(flows("4..2").unwrap_err(), "4..2 is empty; the first is at most the last");
    }
}
