//! `cargo xtask fuzz`: the readers of `tests/fuzz` under libFuzzer, from the kept inputs on.
//!
//! Stable Rust compiles the workspace with the counters that libFuzzer follows; dependencies are
//! those of other builds, without. What is found is kept in `target/fuzz`.
use crate::compilers::Compiler;
use crate::programs;
use clap::Args;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use timely_tools::process::{cargo, put, quiet, root, target};
use timely_tools::setup;

/// Seconds of each target in `cargo xtask test`.
pub const IN_TESTS: u64 = 10;
/// Seconds of each target in `cargo xtask soak`: an hour of all of them.
pub const IN_SOAK: u64 = 3600 / 15;

/// Options of `fuzz`.
#[derive(Args)]
pub struct Fuzz {
    /// Targets; all without one.
    targets: Vec<String>,
    /// Seconds of each target.
    #[arg(long, default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    seconds: u64,
    /// Keeps the fewest inputs that reach all that is reached, in tests/fuzz/corpus.
    #[arg(long)]
    keep: bool,
}

/// Longest input, bytes.
const LONGEST: usize = 9000;
/// Most memory of a target, MB, and the longest time for an input, seconds.
const MEMORY_MB: u32 = 2048;
const PATIENCE_S: u32 = 60;
/// Lines of a failure that are shown.
const SHOWN: usize = 25;
/// Most words of a dictionary, and the lengths of one.
const WORDS: usize = 600;
const LETTERS: std::ops::RangeInclusive<usize> = 3..=40;

/// The program, the same for all targets.
struct Engine {
    program: PathBuf,
    // Kept inputs, those that were found on this machine, and all else.
    kept: PathBuf,
    work: PathBuf,
}

/// Result of a target.
#[derive(Default)]
struct Ran {
    name: String,
    executions: u64,
    edges: u64,
    features: u64,
    inputs: u64,
    new: u64,
    time: Duration,
    failure: Option<String>,
}

// The number behind a word, as in `cov: 12 ft: 34 corp: 5/678b`.
fn behind(line: &str, word: &str) -> Option<u64> {
    let rest = line[line.find(word)? + word.len()..].trim_start();
    rest.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
}

// Words of texts, as libFuzzer's dictionary: names of fields that no mutation would come upon.
fn dictionary(texts: &[String]) -> String {
    let is_word = |c: char| c.is_ascii_alphanumeric() || ['_', '-', '.', ':', '/'].contains(&c);
    let words: BTreeSet<&str> = texts.iter().flat_map(|t| t.split(|c| !is_word(c))).filter(|w| LETTERS.contains(&w.len())).collect();
    words.into_iter().take(WORDS).map(|w| format!("\"{w}\"\n")).collect()
}

fn files(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let failed = |e| format!("{}: {e}", folder.display());
    let mut all = fs::read_dir(folder).map_err(failed)?.map(|e| e.map(|e| e.path())).collect::<Result<Vec<_>, _>>().map_err(failed)?;
    all.sort();
    Ok(all)
}

fn name(path: &Path) -> String {
    path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default()
}

impl Ran {
    // Reads what libFuzzer wrote.
    fn read(name: &str, log: &str, time: Duration, failed: bool, again: &str) -> Self {
        let mut ran = Ran { name: name.into(), time, ..Ran::default() };
        for line in log.lines() {
            if let Some(edges) = behind(line, " cov: ") {
                ran.edges = edges;
                ran.features = behind(line, " ft: ").unwrap_or(0);
                ran.inputs = behind(line, " corp: ").unwrap_or(0);
            }
            ran.executions = behind(line, "stat::number_of_executed_units:").unwrap_or(ran.executions);
            ran.new = behind(line, "stat::new_units_added:").unwrap_or(ran.new);
        }
        if failed {
            let (lines, input) = (log.lines().count(), log.lines().find_map(|l| Some(l.split_once("Test unit written to ")?.1.trim())));
            let from = log.lines().position(|l| l.contains("panicked at") || l.contains("ERROR: libFuzzer"));
            let from = from.unwrap_or(lines.saturating_sub(SHOWN));
            let why: String = log.lines().skip(from).take(SHOWN).map(|l| format!("  {l}\n")).collect();
            let again = input.map_or("  no input was written\n".into(), |i| format!("  input: {i}\n  again: {again} {i}\n"));
            ran.failure = Some(format!("{name} failed:\n{why}{again}"));
        }
        ran
    }

    fn row(&self) -> String {
        let Ran { name, executions, edges, features, inputs, new, time, .. } = self;
        let (seconds, end) = (time.as_secs_f64(), if self.failure.is_some() { "  FAILED" } else { "" });
        let rate = *executions as f64 / seconds.max(0.1);
        format!("{name:12} {executions:>11} {rate:>9.0} {edges:>7} {features:>8} {inputs:>7} {new:>6} {seconds:>8.1}{end}")
    }
}

impl Engine {
    fn build() -> Result<Self, String> {
        let tools = setup::tools(setup::For::Testing)?;
        // Of all packages, for then their features are those of other builds.
        let mut c = cargo(&["build", "--quiet", "--workspace", "--bin", "timely-fuzz", "--features", "timely-fuzz/engine"]);
        tools.prepare(&mut c);
        Compiler::Counting.prepare(&mut c)?;
        eprintln!("--- building the fuzzer");
        let program = programs::executable(c, "timely-fuzz")?;
        Ok(Engine { program, kept: root().join("tests/fuzz/corpus"), work: target().join("fuzz") })
    }

    // Folders of inputs are the targets, as a test holds.
    fn targets(&self, wanted: &[String]) -> Result<Vec<String>, String> {
        let all: Vec<String> = files(&self.kept)?.iter().map(|f| name(f)).collect();
        match wanted.iter().find(|w| !all.contains(w)) {
            Some(other) => Err(format!("there is no target `{other}`; there are: {}", all.join(", "))),
            None if wanted.is_empty() => Ok(all),
            None => Ok(wanted.to_vec()),
        }
    }

    fn command(&self, target: &str) -> Command {
        let mut c = Command::new(&self.program);
        c.env("TIMELY_FUZZ", target).env("RUST_BACKTRACE", "0").stdin(Stdio::null()).current_dir(root());
        c
    }

    fn found(&self, target: &str) -> PathBuf {
        self.work.join("found").join(target)
    }

    fn run(&self, target: &str, seconds: u64) -> Result<Ran, String> {
        let (found, kept) = (self.found(target), self.kept.join(target));
        let [log, words, crash] = ["log", "dict", "failed-"].map(|end| self.work.join("runs").join(format!("{target}.{end}")));
        let texts: Vec<String> = files(&kept)?.iter().filter_map(|f| fs::read_to_string(f).ok()).collect();
        let dictionary = dictionary(&texts);
        put(&words, &dictionary)?;
        fs::create_dir_all(&found).map_err(|e| format!("{}: {e}", found.display()))?;
        let mut c = self.command(target);
        c.arg(format!("-max_total_time={seconds}")).arg(format!("-max_len={LONGEST}")).arg(format!("-rss_limit_mb={MEMORY_MB}"));
        c.arg(format!("-timeout={PATIENCE_S}")).arg(format!("-artifact_prefix={}", crash.display())).arg("-print_final_stats=1");
        // Frames have no words, and libFuzzer takes no empty dictionary.
        if !dictionary.is_empty() {
            c.arg(format!("-dict={}", words.display()));
        }
        c.arg(&found).arg(&kept);
        let failed = |e: std::io::Error| format!("{}: {e}", log.display());
        let file = fs::File::create(&log).map_err(failed)?;
        c.stdout(file.try_clone().map_err(failed)?).stderr(file);
        let started = Instant::now();
        let status = c.status().map_err(|e| format!("{} did not start: {e}", self.program.display()))?;
        let text = String::from_utf8_lossy(&fs::read(&log).map_err(failed)?).into_owned();
        let again = format!("TIMELY_FUZZ={target} {}", self.program.display());
        Ok(Ran::read(target, &text, started.elapsed(), !status.success(), &again))
    }

    // Puts the fewest inputs that reach all edges in the place of the kept ones. Inputs with names
    // that people gave them stay.
    fn keep(&self, target: &str) -> Result<(), String> {
        let (kept, merged) = (self.kept.join(target), self.work.join("merged").join(target));
        let failed = |e: std::io::Error| format!("{}: {e}", merged.display());
        let _ = fs::remove_dir_all(&merged);
        fs::create_dir_all(&merged).map_err(failed)?;
        let mut c = self.command(target);
        c.args(["-merge=1", "-use_counters=0"]).arg(format!("-max_len={LONGEST}")).arg(format!("-timeout={PATIENCE_S}"));
        quiet({
            c.arg(&merged).arg(&kept).arg(self.found(target));
            c
        })?;
        let is_hash = |f: &PathBuf| name(f).len() == 40 && name(f).chars().all(|c| c.is_ascii_hexdigit());
        for old in files(&kept)?.into_iter().filter(is_hash) {
            fs::remove_file(old).map_err(failed)?;
        }
        for new in files(&merged)? {
            let named = files(&kept)?.into_iter().any(|f| fs::read(f).ok() == fs::read(&new).ok());
            if !named {
                fs::copy(&new, kept.join(name(&new))).map_err(failed)?;
            }
        }
        Ok(())
    }
}

/// Runs targets, as many at once as there are cores, and prints a table.
///
/// # Errors
/// The fuzzer cannot be built or run, or a target failed: its input and how to run it again.
fn fuzz(wanted: &[String], seconds: u64, keep: bool) -> Result<(), String> {
    let engine = Engine::build()?;
    let targets = engine.targets(wanted)?;
    let cores = std::thread::available_parallelism().map_or(1, usize::from).min(targets.len());
    let all = seconds * targets.len().div_ceil(cores) as u64;
    eprintln!("--- {} targets, {seconds} s each, {cores} at once: about {all} s", targets.len());
    let (next, results) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    println!(
        "{:12} {:>11} {:>9} {:>7} {:>8} {:>7} {:>6} {:>8}",
        "target", "executions", "a second", "edges", "features", "inputs", "new", "s"
    );
    std::thread::scope(|scope| {
        for _ in 0..cores {
            scope.spawn(|| {
                while let Some(target) = targets.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let ran = engine
                        .run(target, seconds)
                        .and_then(|ran| if keep && ran.failure.is_none() { engine.keep(target).map(|()| ran) } else { Ok(ran) });
                    if let Ok(ran) = &ran {
                        println!("{}", ran.row());
                    }
                    results.lock().unwrap_or_else(|e| e.into_inner()).push(ran);
                }
            });
        }
    });
    let results = results.into_inner().unwrap_or_else(|e| e.into_inner()).into_iter().collect::<Result<Vec<_>, _>>()?;
    let failures: Vec<String> = results.into_iter().filter_map(|r| r.failure).collect();
    if failures.is_empty() { Ok(()) } else { Err(failures.join("\n")) }
}

/// Runs all targets for so many seconds each.
///
/// # Errors
/// As of `cargo xtask fuzz`.
pub fn all(seconds: u64) -> Result<(), String> {
    fuzz(&[], seconds, false)
}

impl Fuzz {
    /// Runs the targets; the exit code is 1 when one failed.
    ///
    /// # Errors
    /// A target failed, or the fuzzer cannot be built.
    pub fn run(self) -> Result<ExitCode, String> {
        fuzz(&self.targets, self.seconds, self.keep).map(|()| ExitCode::SUCCESS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOG: &str = "\
#2\tINITED cov: 10 ft: 11 corp: 1/1b exec/s: 0 rss: 30Mb
#4096\tDONE   cov: 1634 ft: 8022 corp: 411/52Kb lim: 4096 exec/s: 1024 rss: 512Mb
stat::number_of_executed_units: 4096
stat::new_units_added:          17
";

    #[test]
    fn figures_are_read_from_a_log() {
        let ran = Ran::read("wire", LOG, Duration::from_secs(4), false, "again");
        assert_eq!((ran.executions, ran.edges, ran.features, ran.inputs, ran.new), (4096, 1634, 8022, 411, 17));
        assert_eq!(ran.row().split_whitespace().nth(2), Some("1024"));
        assert!(ran.failure.is_none());
    }

    #[test]
    fn a_failure_names_its_input_and_how_to_run_it_again() {
        let log = format!("{LOG}thread panicked at x.rs:1:2:\nwhy\nartifact_prefix='a'; Test unit written to /t/crash-1\n");
        let ran = Ran::read("wire", &log, Duration::from_secs(4), true, "TIMELY_FUZZ=wire fuzz");
        let text = ran.failure.expect("a failure");
        assert!(text.contains("x.rs:1:2") && text.ends_with("input: /t/crash-1\n  again: TIMELY_FUZZ=wire fuzz /t/crash-1\n"), "{text}");
    }

    #[test]
    fn a_dictionary_has_words_alone() {
        assert_eq!(dictionary(&["[nic]\nrate_gbps = \"10Gbps\" # a\n".into()]), "\"10Gbps\"\n\"nic\"\n\"rate_gbps\"\n");
    }

    /// The hour of a soak is that of all targets.
    #[test]
    fn a_soak_is_an_hour() {
        let targets = files(&root().join("tests/fuzz/corpus")).expect("folders").len() as u64;
        assert_eq!(IN_SOAK * targets, 3600);
    }
}
