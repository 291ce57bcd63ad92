//! Commands of `timely-sim` that run a scenario or two, the demonstration, or a recording.
use crate::{Command, Common, Progress};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use timely_regs::recording::Recording;
use timely_sim::output::file::{Output, Outputs};
use timely_sim::output::terminal::folded;
use timely_sim::output::{note, print};
use timely_sim::recording::{Collector, Recorded, Records};
use timely_sim::report::{Arm, Json, page, series, table, telemetry};
use timely_sim::scenario::build::Outcome;
use timely_sim::scenario::{Error, NicKind, Plan, build, file, hpcc};
use timely_sim::time::MS;
use timely_sim::{cores, demo, input};

/// Files of a run: the scenario that it was read from, and the outputs.
pub struct Files<'a> {
    /// Scenario file, besides the files that the plan has.
    pub scenario: Option<&'a Path>,
    /// For telemetry at the end.
    pub snapshot: Option<&'a Path>,
    /// For the frames that pass a port.
    pub pcap: Option<&'a Path>,
    /// For the records of one of so many rate updates.
    pub events: Option<(&'a Path, u16)>,
}

/// Failures after a run, in which all other outputs were written.
#[derive(Default)]
pub struct Failures(Vec<String>);

impl Failures {
    /// Adds a failure, if there is one.
    pub fn add(&mut self, done: Result<(), String>) {
        self.0.extend(done.err());
    }

    /// The exit code, if nothing failed.
    pub fn end(self, code: ExitCode) -> Result<ExitCode, String> {
        // The first failure gets its `error: ` from the caller that prints it.
        if self.0.is_empty() { Ok(code) } else { Err(self.0.join("\nerror: ")) }
    }
}

fn json(arms: &[Arm]) -> String {
    serde_json::to_string_pretty(&Json::of(arms)).expect("figures are plain numbers")
}

// Writes a report and says where it is.
fn report(to: &mut [Output; 2], texts: [String; 2], failures: &mut Failures) {
    for (file, text) in to.iter_mut().zip(texts) {
        failures.add(file.write(text));
    }
    note(format_args!("report: {}", to[0].path().display()));
}

// Names of a report's files.
const REPORT: [&str; 2] = ["report.html", "summary.json"];

// The series of a run, and what to say where none were kept.
fn write_series(to: &mut [Output; 6], outcome: &Outcome, failures: &mut Failures) {
    let texts = series::texts(outcome);
    if texts.iter().any(Option::is_none) {
        let left: Vec<&str> = series::FILES.into_iter().zip(&texts).filter(|t| t.1.is_none()).map(|t| t.0).collect();
        note(format_args!(
            "{} were not written (older ones are of another run): the run kept no series; set `series = true` in the scenario",
            left.join(", ")
        ));
    }
    for (file, text) in to.iter_mut().zip(texts) {
        failures.add(text.map_or(Ok(()), |t| file.write(t)));
    }
}

// The table of these runs, or JSON.
fn show(arms: &[Arm], common: &Common) -> Result<(), String> {
    if common.json { print(json(arms)) } else { print(table::table(arms)) }
}

/// Runs one plan, writes and prints what came of it.
pub fn run(plan: Plan, common: &Common, files: &Files) -> Result<ExitCode, String> {
    let (name, kind) = (plan.name.clone(), plan.nic.kind);
    for line in &plan.notes {
        note(format_args!("note: {line}"));
    }
    plan.check().map_err(|e| e.to_string())?;
    if files.events.is_some() && !matches!(kind, NicKind::Rtl | NicKind::Model) {
        return Err(format!("--events needs NICs that record: --nics rtl or --nics model, not {kind}"));
    }
    if matches!(kind, NicKind::Rtl | NicKind::Model) {
        for line in plan.rounded_rates().map_err(|e| e.to_string())? {
            note(format_args!("note: {line}"));
        }
    }
    let finite = plan.flows.iter().any(|f| f.total().is_some());
    let mut outputs = Outputs::besides(plan.files.iter().map(PathBuf::as_path).chain(files.scenario));
    let mut open = |path: Option<&Path>| path.map(|p| outputs.file(p)).transpose();
    let (mut snapshot, mut pcap, mut events) = (open(files.snapshot)?, open(files.pcap)?, open(files.events.map(|e| e.0))?);
    let mut pages = common.out.as_ref().map(|dir| outputs.folder(dir, REPORT)).transpose()?;
    let mut values = common.out.as_ref().map(|dir| outputs.folder(dir, series::FILES)).transpose()?;
    let mut fct_file = common.out.as_ref().filter(|_| finite).map(|dir| outputs.file(&dir.join("fct.txt"))).transpose()?;

    let factory = cores::factory();
    let progress = Progress::new(&name, plan.duration);
    let recorded = Recorded::new(&*factory, files.events.map_or(1, |e| e.1));
    let mut records = Records::default();
    let outcome = if events.is_none() {
        build::run(plan, &*factory, |now| progress.at(now))
    } else {
        build::run(plan, &recorded, Collector { records: &mut records, progress: |now| progress.at(now) })
    };
    let outcome = outcome.map_err(|e| e.to_string())?;
    drop(progress);

    // An output that cannot be written does not stop the others.
    let mut failures = Failures::default();
    if let Some(file) = &mut events {
        failures.add(recorded.recording(records).and_then(|recording| {
            file.write(recording.to_bytes())?;
            note(format_args!("{} event records: {}", recording.records.len(), file.path().display()));
            Ok(())
        }));
    }
    if let (Some(file), Some(capture)) = (&mut pcap, outcome.captures.first()) {
        let written = file.write(capture.file());
        if written.is_ok() {
            note(format_args!("{} frames: {}", capture.frames.len(), file.path().display()));
        }
        failures.add(written);
    }
    if let Some(file) = &mut snapshot {
        let text = serde_json::to_string_pretty(&telemetry::Snapshots::of(&outcome.snapshots)).expect("figures are plain numbers");
        failures.add(file.write(text + "\n"));
    }
    if let Some(to) = &mut values {
        write_series(to, &outcome, &mut failures);
    }
    let (fct, unfinished) = hpcc::fct(&outcome.plan, &outcome.recorder);
    let about = format!("{} flows, seed {}", outcome.plan.flows.len(), outcome.plan.seed);
    let base = outcome.base_rtt_us;
    let mut lines: Vec<String> = if common.json { Vec::new() } else { table::ports(&outcome).collect() };
    lines.extend(outcome.plan.fabric.marking.map(|_| table::marks(&outcome)));
    let windows = &outcome.recorder.windows;
    let stopped = outcome.plan.flows.iter().all(|f| f.stop.is_some_and(|stop| stop <= windows.steady));
    if windows.seconds().is_none() || stopped {
        let from = windows.steady as f64 / MS as f64;
        let (what, todo) = if stopped { ("figures of nothing", "a lesser") } else { ("no figures", "or no") };
        lines.push(format!("note: {what}: all flows ended before the steady part, which begins at {from} ms; set {todo} steady_from"));
    }
    let arms = [Arm { name: name.clone(), title: name.clone(), note: about, color: 0x0b62a8, kind, outcome: Ok(outcome) }];
    if let Some(file) = &mut fct_file {
        failures.add(file.write(fct));
    }
    if let Some(to) = &mut pages {
        let lead = format!("<p>NICs: {kind}. The unloaded RTT is {base:.1} us.</p>");
        let notes = vec!["Utilization counts wire bits; RTTs are true path times as the simulator sees them.".into()];
        report(to, [page::page(&page::Words { title: name, lead, notes }, &arms), json(&arms)], &mut failures);
    }
    failures.add(show(&arms, common));
    lines.into_iter().for_each(note);
    if unfinished > 0 {
        note(format_args!("{unfinished} flows did not complete in the simulated time; they are not in fct.txt"));
    }
    failures.end(ExitCode::from(if unfinished > 0 { 3 } else { 0 }))
}

/// Computes the updates of a file again.
pub fn replay(path: &Path) -> Result<ExitCode, String> {
    let failed = |e: &dyn std::fmt::Display| format!("{}: {e}", path.display());
    // Recordings are as long as their runs.
    let bytes = input::bytes(path, u64::MAX).map_err(|e| failed(&e))?;
    let recording = Recording::from_bytes(&bytes).map_err(|e| failed(&e))?;
    let report = timely_sim::replay::replay(&recording);
    print(format_args!("{report}"))?;
    Ok(if report.differences == 0 { ExitCode::SUCCESS } else { ExitCode::from(4) })
}

/// The plan of HPCC's files.
pub fn hpcc_plan(command: &Command) -> Result<Plan, Error> {
    let Command::Hpcc { topology, flows, common, profile, packet_bytes, segment_bytes, xoff_kb, marks, limit_ms } = command else {
        unreachable!("called for `hpcc` alone")
    };
    let told = file::Hpcc {
        topology,
        flows,
        profile: profile.as_deref(),
        packet_bytes: *packet_bytes,
        segment_bytes: *segment_bytes,
        xoff_kb: *xoff_kb,
        mark_kb: marks.mark_kb,
        mark_most_kb: marks.mark_most_kb,
        mark_chance: marks.mark_chance,
        limit_ms: *limit_ms,
    };
    file::hpcc(&told, &common.overrides())
}

/// Runs the demonstration.
pub fn demo(common: &Common, quick: bool) -> Result<ExitCode, String> {
    let main = common.nics.unwrap_or(NicKind::Rtl);
    // The other arms may run on models, which are many times faster.
    let others = if main == NicKind::Rtl { NicKind::Model } else { main };
    let options = demo::Options { quick, main, others, seed: common.seed.unwrap_or(1) };
    let dir = common.out.clone().unwrap_or_else(|| "target/demo".into());
    let mut pages = Outputs::default().folder(&dir, REPORT)?;
    let factory = cores::factory();
    let mut arms = Vec::new();
    for planned in demo::arms(options).map_err(|e: Error| e.to_string())? {
        let progress = Progress::new(planned.name(), planned.plan.duration);
        arms.push(planned.run(&*factory, |now| progress.at(now)));
    }
    let mut failures = Failures::default();
    for (file, text) in pages.iter_mut().zip([page::page(&demo::words(&arms, options), &arms), json(&arms)]) {
        failures.add(file.write(text));
    }
    let promises = demo::promises(&arms);
    let mut text = if common.json { json(&arms) } else { table::table(&arms) };
    if !common.json {
        text += "\nRTT of pfc_only is base + 10 XOFF / 10 Gb/s: it grows with XOFF (100 KB here).";
        for arm in &arms {
            if let Ok(o) = &arm.outcome {
                text += &format!("\n{:16} {}, figures from {}, {:.1} s", arm.name, arm.note, table::window(o), o.seconds);
            }
        }
        for p in promises.iter().filter(|p| !quick && p.kept.is_some()) {
            text += &format!("\n{} {}", if p.kept == Some(true) { "kept  " } else { "BROKEN" }, p.text);
        }
        if quick {
            text += "\nA quick run is too short to converge: nothing is held to these figures.";
        }
        text += &format!("\nreport: {}", pages[0].path().display());
    }
    failures.add(print(if common.json { text } else { folded(text) }));
    let mut failed = false;
    for arm in &arms {
        if let Err(e) = &arm.outcome {
            note(format_args!("{} was not run: {e}", arm.name));
            failed = true;
        }
    }
    let broken = !quick && promises.iter().any(|p| p.kept == Some(false));
    failures.end(ExitCode::from(if failed {
        1
    } else if broken {
        3
    } else {
        0
    }))
}

/// Runs two scenarios and shows them side by side.
pub fn compare(a: &Path, b: &Path, common: &Common) -> Result<ExitCode, String> {
    let mut plans = Vec::new();
    for path in [a, b] {
        let plan = file::read_with(path, &common.overrides()).map_err(|e| e.to_string())?;
        plan.check().map_err(|e| e.to_string())?;
        for line in &plan.notes {
            note(format_args!("note: {}: {line}", path.display()));
        }
        plans.push(plan);
    }
    let read = plans.iter().flat_map(|p| &p.files).map(PathBuf::as_path).chain([a, b]);
    let mut pages = common.out.as_ref().map(|dir| Outputs::besides(read).folder(dir, REPORT)).transpose()?;
    let factory = cores::factory();
    let mut arms = Vec::new();
    for (plan, color) in plans.into_iter().zip([0x0b62a8, 0xd1495b]) {
        let (name, kind, about) = (plan.name.clone(), plan.nic.kind, format!("{} flows, seed {}", plan.flows.len(), plan.seed));
        let progress = Progress::new(&name, plan.duration);
        let outcome = build::run(plan, &*factory, |now| progress.at(now)).map_err(|e| e.to_string())?;
        arms.push(Arm { name: name.clone(), title: name, note: about, color, kind, outcome: Ok(outcome) });
    }
    if arms[0].name == arms[1].name {
        for (arm, path) in arms.iter_mut().zip([a, b]) {
            (arm.name, arm.title) = (path.display().to_string(), path.display().to_string());
        }
    }
    let mut failures = Failures::default();
    if let Some(to) = &mut pages {
        let words = page::Words {
            title: format!("{} and {}", arms[0].title, arms[1].title),
            lead: "<p>Two scenarios, side by side.</p>".into(),
            notes: vec!["Utilization counts wire bits; RTTs are true path times as the simulator sees them.".into()],
        };
        report(to, [page::page(&words, &arms), json(&arms)], &mut failures);
    }
    failures.add(show(&arms, common));
    failures.end(ExitCode::SUCCESS)
}
