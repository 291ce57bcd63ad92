//! Commands of `timely-sim` that run many scenarios: papers, sweeps, measurements of the simulator.
use crate::Progress;
use crate::runs::Failures;
use indicatif::{ProgressBar, ProgressStyle};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use timely_sim::output::file::Outputs;
use timely_sim::output::terminal::{folded, takes_bars};
use timely_sim::output::{note, print};
use timely_sim::pacing;
use timely_sim::sweep::{Shard, Sweep};
use timely_sim::time::MS;
use timely_sim::{bench, paper};

// A bar on stderr, when that is a terminal, that counts to `end`.
fn bar(end: usize, of: &str) -> ProgressBar {
    let bar = if takes_bars() { ProgressBar::new(end as u64) } else { ProgressBar::hidden() };
    let style = ProgressStyle::with_template(&format!("{{msg:10}} {{bar:40}} {{pos}} of {{len}} {of}  {{elapsed}} ({{eta}} left)"));
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    bar
}

/// Runs the rest of a sweep, or of a shard of it.
pub fn sweep(file: &Path, out: &Path, shard: Shard) -> Result<ExitCode, String> {
    let sweep = Sweep::read(file).map_err(|e| e.to_string())?;
    for line in &sweep.notes {
        note(format_args!("note: {line}"));
    }
    let own = sweep.runs.iter().filter(|r| r.index % shard.of == shard.index).count();
    if own == 0 {
        let last = sweep.runs.len() - 1;
        note(format_args!("note: shard {}/{} has nothing to do: the sweep's runs are those of shards 0 to {last}", shard.index, shard.of));
    }
    let bar = bar(own, "runs");
    let table = sweep.run(out, shard, |done| bar.set_position(done as u64))?;
    bar.finish_and_clear();
    match table {
        Some(path) => print(format_args!("{} runs: {}", sweep.runs.len(), path.display()))?,
        None => print(format_args!("{own} runs of {} are done; the other shards write the table", sweep.runs.len()))?,
    }
    Ok(ExitCode::SUCCESS)
}

/// Selection of a paper's figures to run again, and the outputs.
pub struct Paper<'a> {
    /// Name of the paper.
    pub name: &'a str,
    /// Figures; none: all.
    pub figures: &'a [String],
    /// JSON to stdout.
    pub json: bool,
    /// Folder of report and results.
    pub out: Option<&'a Path>,
    /// A checkout of this project whose recorded results and page are written.
    pub record: Option<&'a Path>,
    /// Seeds of each experiment; none: as many as the paper has.
    pub seeds: Option<u64>,
    /// The first seed, and how long runs are.
    pub lab: paper::Lab,
}

// A paper by its name, and whether all of these figures are of it.
fn known(name: &str, figures: &[String]) -> Result<&'static paper::Paper, String> {
    let of = paper::PAPERS.iter().find(|p| p.name == name).ok_or_else(|| format!("{name} is no paper that is run again"))?;
    let known: Vec<&str> = of.experiments.iter().flat_map(|e| e.0).copied().collect();
    match figures.iter().find(|f| !known.contains(&f.as_str())) {
        Some(f) => Err(format!("{f} is not one of the figures: {}", known.join(", "))),
        None => Ok(of),
    }
}

/// Runs figures of a paper with one constant changed each, and tells what turned; fails where
/// nothing did.
pub fn twins(name: &str, figures: &[String], seed: u64) -> Result<ExitCode, String> {
    let of = known(name, figures)?;
    let mut code = ExitCode::SUCCESS;
    for twin in paper::twins::of(of).iter().filter(|t| figures.is_empty() || t.touches(figures)) {
        print(format_args!("{}, {}: {} in the paper's set-up; {}", twin.figure, twin.what, twin.was, twin.becomes.words()))?;
        for t in twin.run(of, seed)? {
            let verdict = if t.turned { "turned" } else { "STAYED" };
            print(format_args!("  {verdict}: {} {}: {:.4} on record, {:.4} with it", t.figure, t.quantity, t.was, t.is))?;
            if !t.turned {
                code = ExitCode::FAILURE;
            }
        }
    }
    Ok(code)
}

/// Runs figures of a paper again.
pub fn paper(options: &Paper) -> Result<ExitCode, String> {
    let &Paper { name, figures, json, out, record, seeds, lab } = options;
    let of = known(name, figures)?;
    if record.is_some() && (lab.quick || seeds.is_some_and(|s| s != of.seeds)) {
        return Err("--record takes figures whole, by the paper's own seeds: leave --seeds and --quick away".into());
    }
    if of.seeds == 1 && seeds.is_some() {
        return Err(format!("--seeds: the experiments of {name} have seeds of their own; leave it away"));
    }
    let kept = record.map(|root| [root.join(format!("sim/papers/{name}.json")), root.join(format!("docs/{name}.md"))]);
    if let Some(missing) = kept.iter().flatten().filter_map(|p| p.parent()).find(|p| !p.is_dir()) {
        return Err(format!("{} is no folder: --record takes the root of a checkout of timely-nic", missing.display()));
    }
    // Of figures that are not run the record stays.
    let mut renewed = match kept.as_ref().filter(|_| !figures.is_empty()) {
        None => None,
        Some([file, _]) => {
            let text = std::fs::read_to_string(file).map_err(|e| format!("{}: {e}", file.display()))?;
            let old = paper::recorded::Recorded::parse(name, &text)?;
            if old.seed != lab.seed {
                return Err(format!("{} has runs from seed {} on, not {}: leave --seed away", file.display(), old.seed, lab.seed));
            }
            Some(old)
        }
    };
    let mut pages = Outputs::default().folder(out.unwrap_or(&Path::new("target").join(name)), ["report.html", "results.json"])?;
    note(of.parameters);
    let chosen: Vec<_> =
        of.experiments.iter().filter(|e| figures.is_empty() || figures.iter().any(|f| e.0.contains(&f.as_str()))).collect();
    let bar = bar(chosen.len(), "figures");
    let seeds = seeds.unwrap_or(if lab.quick { 1 } else { of.seeds });
    let mut done = Vec::new();
    for experiment in chosen {
        bar.set_message(experiment.0[0]);
        done.push(paper::by_seeds(experiment, &lab, seeds)?);
        bar.inc(1);
    }
    bar.finish_and_clear();
    let findings: Vec<_> = done.iter().flat_map(|f| &f.findings).collect();
    let recorded = paper::recorded::Recorded::new(of, lab.seed, lab.quick, &findings);
    let text = serde_json::to_string_pretty(&recorded).expect("figures are plain numbers") + "\n";
    let mut failures = Failures::default();
    for (file, text) in pages.iter_mut().zip([&paper::page(of, &done), &text]) {
        failures.add(file.write(text));
    }
    for figure in &done {
        if let Some(r) = &mut renewed {
            r.renew(paper::recorded::Recorded::new(of, lab.seed, lab.quick, &figure.findings.iter().collect::<Vec<_>>()));
        }
    }
    let whole = renewed.unwrap_or(recorded);
    let written = serde_json::to_string_pretty(&whole).expect("figures are plain numbers") + "\n";
    for (path, text) in kept.into_iter().flatten().zip([written, whole.page()?]) {
        failures.add(std::fs::write(&path, text).map_err(|e| format!("{}: {e}", path.display())));
    }
    let mut table = paper::recorded::table(&findings);
    for f in findings.iter().filter(|f| !f.agrees()) {
        table += &format!("\n\n{}, {}:\n  {}", f.figure, f.quantity, f.why);
    }
    failures.add(print(if json { text } else { folded(table) }));
    note(format_args!("report: {}", pages[0].path().display()));
    failures.end(ExitCode::SUCCESS)
}

/// Measures the simulator.
pub fn bench(json: bool, growth: bool) -> Result<ExitCode, String> {
    let mut runs = vec![("incast-40-to-1".to_owned(), bench::INCAST.to_owned())];
    if growth {
        runs.extend(bench::growth());
    }
    let mut measured = Vec::new();
    for (name, text) in runs {
        let progress = Progress::new(&name, 10 * MS);
        measured.push(bench::measure(&name, &text, |now| progress.at(now)).map_err(|e| e.to_string())?);
    }
    if json {
        let first = measured[0].link_transmissions_per_second;
        let all = serde_json::json!({ "sim.link_transmissions_per_second": first, "runs": measured });
        print(serde_json::to_string_pretty(&all).expect("figures are plain numbers"))?;
    } else {
        print(folded("run                  hosts   flows  simulated   wall s   core s  transmissions/s   packets/s  peak memory"))?;
        for m in &measured {
            print(folded(format_args!(
                "{:20} {:5} {:7} {:7.1} ms {:8.2} {:8.2} {:14.2} M {:9.2} M {:9.0} MB",
                m.name,
                m.hosts,
                m.flows,
                m.simulated_ms,
                m.seconds,
                m.core_seconds,
                m.link_transmissions_per_second / 1e6,
                m.packets_per_second / 1e6,
                m.memory_mb
            )))?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

// Shows what is measured: a bar, or a line for each pacer where there is no terminal.
struct Shown {
    bar: ProgressBar,
    last: Mutex<String>,
}

impl Shown {
    fn new() -> Self {
        Shown { bar: bar(1, "measurements"), last: Mutex::default() }
    }

    fn at(&self, what: &str, done: usize, of: usize) {
        self.bar.set_length(of as u64);
        self.bar.set_message(what.to_owned());
        self.bar.set_position(done as u64);
        let mut last = self.last.lock().unwrap_or_else(|e| e.into_inner());
        if self.bar.is_hidden() && *last != what {
            note(format_args!("measuring {what} ({done} of {of} done)"));
            what.clone_into(&mut last);
        }
    }
}

/// Measures software pacing alone.
pub fn software(options: &pacing::Options, file: &Path) -> Result<ExitCode, String> {
    let mut outputs = Outputs::default();
    let mut output = outputs.file(file)?;
    let (shown, step, of) = (Shown::new(), AtomicUsize::new(0), pacing::software::steps(options));
    let measured = pacing::software::measure(options, |what| shown.at(what, step.fetch_add(1, Ordering::Relaxed), of))?;
    shown.bar.finish_and_clear();
    output.write(serde_json::to_string(&measured).expect("figures are plain numbers"))?;
    Ok(ExitCode::SUCCESS)
}

/// Measures hardware pacing beside software pacing, or beside what was measured of software.
pub fn pacing(options: &pacing::Options, from: &[PathBuf], json: bool, out: &Path) -> Result<ExitCode, String> {
    let taken = from.iter().map(|f| pacing::software::read(f)).collect::<Result<Vec<_>, _>>()?;
    let taken = if taken.is_empty() { None } else { Some(pacing::software::merged(taken)?) };
    // The hardware is given the loads that software was.
    let extent = taken.as_ref().map_or(options.extent, |t| t.0.conditions.extent);
    let options = &pacing::Options { extent, ..options.clone() };
    let mut outputs = Outputs::besides(from.iter().map(PathBuf::as_path));
    let [mut results, mut page] = outputs.folder(out, ["results.json", "report.html"])?;
    let shown = Shown::new();
    let measured = pacing::measure(options, taken, &|what, done, of| shown.at(what, done, of))?;
    shown.bar.finish_and_clear();
    let text = serde_json::to_string_pretty(&measured).expect("figures are plain numbers");
    let mut failures = Failures::default();
    failures.add(results.write(&text));
    failures.add(page.write(pacing::page::page(&measured, extent == pacing::Extent::Quick)));
    for row in measured.pacers.iter().filter(|r| pacing::network::is_source(r)) {
        let trace = outputs.file(&out.join(pacing::trace::file_name(row)));
        failures.add(trace.and_then(|mut file| file.write(pacing::trace::text(row))));
    }
    let table = || pacing::table::table(&measured).trim_end_matches('\n').to_owned();
    failures.add(print(if json { text } else { folded(table()) }));
    note(format_args!("report: {}", page.path().display()));
    failures.end(ExitCode::SUCCESS)
}

/// Writes the man pages of this program.
pub fn man(program: clap::Command, folder: &Path) -> Result<ExitCode, String> {
    let written = clap_mangen::generate_to(program, folder);
    written.map(|()| ExitCode::SUCCESS).map_err(|e| format!("{}: {e}; give a folder that can be written", folder.display()))
}
