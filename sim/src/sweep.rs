//! Sweeps: a scenario over all combinations of some fields' values and seeds, on all cores and any
//! number of machines.
//!
//! A sweep's folder holds a file of results for each shard, a line a run, written when the run has
//! ended. Runs with a line there are not run again, so a sweep that was killed goes on where it
//! was. The process that finds all runs there writes the table.
use crate::cores;
use crate::input;
use crate::metrics::Summary;
use crate::output::file::make;
use crate::scenario::file::Overrides;
use crate::scenario::vary::{self, Change};
use crate::scenario::{Error, build};
use crate::time::{MS, Ps};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs::File;
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock};
use toml::Value;

/// Contents of a sweep file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Told {
    scenario: PathBuf,
    #[serde(default)]
    seeds: Vec<u64>,
    #[serde(default)]
    vary: BTreeMap<String, Vec<Value>>,
}

/// A run of a sweep.
#[derive(Clone, Debug)]
pub struct Run {
    /// Place of the run in the sweep.
    pub index: usize,
    /// Seed of the run.
    pub seed: u64,
    /// Changes of the run.
    pub changes: Vec<Change>,
}

/// A sweep that was read.
#[derive(Debug)]
pub struct Sweep {
    scenario: PathBuf,
    text: String,
    /// Notes on the runs' scenarios, each once.
    pub notes: Vec<String>,
    /// Runs of the sweep: seeds vary fastest, then the fields from the last to the first, by name.
    pub runs: Vec<Run>,
    mark: String,
}

/// A line of a file of results.
#[derive(Serialize, Deserialize)]
struct LineOf<S> {
    sweep: String,
    // The program that made it; nothing in results of before.
    #[serde(default)]
    build: String,
    index: usize,
    seed: u64,
    changes: BTreeMap<String, Value>,
    duration_ms: f64,
    summary: S,
}

/// Share of a sweep's runs for one process: the runs with an index of `index` modulo `of`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    /// Number of the shard, from 0.
    pub index: usize,
    /// Shards.
    pub of: usize,
}

impl std::str::FromStr for Shard {
    type Err = String;
    fn from_str(s: &str) -> Result<Self, String> {
        let wrong = || format!("{s} is no shard; allowed: i/n with i from 0 to n - 1");
        let (index, of) = s.split_once('/').ok_or_else(wrong)?;
        let shard = Shard { index: index.parse().map_err(|_| wrong())?, of: of.parse().map_err(|_| wrong())? };
        if shard.index < shard.of { Ok(shard) } else { Err(wrong()) }
    }
}

// FNV-1a's.
const BASIS: u64 = 0xcbf2_9ce4_8422_2325;
const PRIME: u64 = 0x100_0000_01b3;

// FNV-1a: tells one sweep from another, no more.
fn mark(parts: &[Vec<u8>]) -> String {
    let bytes = parts.iter().flat_map(|p| p.len().to_le_bytes().into_iter().chain(p.iter().copied()));
    let hash = bytes.fold(BASIS, |h, b| (h ^ u64::from(b)).wrapping_mul(PRIME));
    format!("{hash:016x}")
}

// The program: its version, and a hash of its file. Results of different programs are not of one
// sweep.
fn build() -> std::io::Result<&'static str> {
    static BUILD: OnceLock<String> = OnceLock::new();
    if let Some(known) = BUILD.get() {
        return Ok(known);
    }
    // The running file, also when another one was built in its place.
    let file = File::open("/proc/self/exe").or_else(|_| File::open(std::env::current_exe()?))?;
    let (mut file, mut hash, mut chunk) = (std::io::BufReader::with_capacity(1 << 20, file), BASIS, [0; 8]);
    loop {
        let n = file.read(&mut chunk)?;
        if n == 0 {
            return Ok(BUILD.get_or_init(|| format!("{}-{hash:016x}", env!("CARGO_PKG_VERSION"))));
        }
        chunk[n..].fill(0);
        hash = (hash ^ u64::from_le_bytes(chunk)).wrapping_mul(PRIME).rotate_left(23);
    }
}

impl Sweep {
    /// Reads a sweep file and its scenario, and checks every run's scenario before any is run.
    pub fn read(path: &Path) -> Result<Self, Error> {
        let read = |file: &Path| input::text(file).map_err(|source| Error::Read { file: file.into(), source });
        let text = read(path)?;
        let line = |at: Option<std::ops::Range<usize>>| at.map_or(1, |s| text[..s.start.min(text.len())].matches('\n').count() + 1);
        let syntax = |line, message: String| Error::Syntax { file: path.into(), line, message };
        let file: Told = toml::from_str(&text).map_err(|e| syntax(line(e.span()), e.message().to_owned()))?;
        if let Some((name, _)) = file.vary.iter().find(|v| v.1.is_empty()) {
            return Err(syntax(
                line(text.find(name.as_str()).map(|i| i..i)),
                format!("{name} has no values; allowed: a list of at least one"),
            ));
        }
        if file.vary.contains_key("seed") {
            let here = line(text.find("[vary]").and_then(|v| Some(v + text[v..].find("seed")?)).map(|i| i..i));
            return Err(syntax(here, "seed is not a field to vary; list the seeds as `seeds = [1, 2, 3]` above [vary]".into()));
        }
        // A run that is there twice would count as two independent ones.
        if let Some(seed) = file.seeds.iter().enumerate().find(|(i, s)| file.seeds[..*i].contains(s)).map(|s| s.1) {
            return Err(syntax(line(text.find("seeds").map(|i| i..i)), format!("seeds has {seed} twice; allowed: each once")));
        }
        let twice = |v: &[Value]| v.iter().enumerate().find(|(i, x)| v[..*i].contains(x)).map(|x| x.1.clone());
        if let Some((name, value)) = file.vary.iter().find_map(|(name, v)| Some((name, twice(v)?))) {
            return Err(syntax(
                line(text.find(name.as_str()).map(|i| i..i)),
                format!("{name} has {value} twice; allowed: each value once"),
            ));
        }
        let scenario = path.parent().unwrap_or(Path::new("")).join(&file.scenario);
        let of = read(&scenario)?;
        let seeds = if file.seeds.is_empty() { vec![1] } else { file.seeds };
        let mut sets: Vec<Vec<Change>> = vec![Vec::new()];
        for (name, values) in &file.vary {
            let with = |set: &Vec<Change>, v: &Value| set.iter().cloned().chain([(name.clone(), v.clone())]).collect();
            sets = sets.iter().flat_map(|set| values.iter().map(move |v| with(set, v))).collect();
        }
        let (mut files, mut notes) = (BTreeSet::new(), BTreeSet::new());
        for changes in &sets {
            let plan = vary::parse(&scenario, &of, changes, &Overrides::default())?;
            plan.check()?;
            let unused = plan.profiles.iter().find(|p| {
                let own = format!("profile.{}.", p.name);
                changes.iter().any(|c| c.0.starts_with(&own)) && plan.flows.iter().all(|f| f.profile != p.name)
            });
            if let Some(p) = unused {
                let name = format!("profile.{}", p.name);
                let here = line(text.find(&name).map(|i| i..i));
                return Err(syntax(here, format!("{name} is of no flow of the scenario; vary a profile that flows have")));
            }
            files.extend(plan.files);
            notes.extend(plan.notes);
        }
        // Inputs of a run: these texts, and those of the files that they name.
        let mut parts = vec![text.into_bytes(), of.clone().into_bytes()];
        for file in files {
            parts.push(input::bytes(&file, input::MOST_TEXT).map_err(|source| Error::Read { file, source })?);
        }
        let all = sets.into_iter().flat_map(|changes| seeds.iter().map(move |s| (*s, changes.clone())));
        let runs = all.enumerate().map(|(index, (seed, changes))| Run { index, seed, changes }).collect();
        Ok(Sweep { scenario, mark: mark(&parts), text: of, notes: notes.into_iter().collect(), runs })
    }

    // The results in a folder, by index, each as its line.
    fn results(&self, dir: &Path) -> Result<BTreeMap<usize, LineOf<serde_json::Value>>, String> {
        let build = build().map_err(|e| format!("this program's own file: {e}"))?;
        let mut all = BTreeMap::new();
        let entries = std::fs::read_dir(dir).map_err(|e| format!("{}: {e}", dir.display()))?;
        let mut files: Vec<PathBuf> = entries.filter_map(|e| Some(e.ok()?.path())).collect();
        files.sort();
        for file in files.iter().filter(|f| f.extension().is_some_and(|e| e == "jsonl")) {
            let text = std::fs::read_to_string(file).map_err(|e| format!("{}: {e}", file.display()))?;
            // Text after the last end of a line was being written when its process was killed.
            let whole = text.rfind('\n').map_or("", |end| &text[..end]);
            for (n, line) in whole.lines().enumerate() {
                let of: LineOf<serde_json::Value> = serde_json::from_str(line).map_err(|e| format!("{}:{}: {e}", file.display(), n + 1))?;
                if of.sweep != self.mark {
                    let where_ = format!("{}:{}", file.display(), n + 1);
                    return Err(format!("{where_}: the result of another sweep, or of this one before it was changed; use another folder"));
                }
                if of.build != build {
                    let theirs = if of.build.is_empty() { "one that did not say which" } else { &of.build };
                    return Err(format!(
                        "{}:{}: the result of another build of timely-sim, {theirs}; this one is {build}: go on with that one, or use another folder",
                        file.display(),
                        n + 1
                    ));
                }
                all.insert(of.index, of);
            }
        }
        Ok(all)
    }

    /// Does what is left of a shard, results into `dir`; `done` is told how many runs of the shard
    /// have ended. Writes the table, whose path it gives, if all runs of all shards are there then.
    ///
    /// # Errors
    /// When a run or the folder fails, in a sentence.
    pub fn run(&self, dir: &Path, shard: Shard, done: impl Fn(usize) + Sync) -> Result<Option<PathBuf>, String> {
        make(dir)?;
        let there = self.results(dir)?;
        let own: Vec<&Run> = self.runs.iter().filter(|r| r.index % shard.of == shard.index).collect();
        let left: Vec<&&Run> = own.iter().filter(|r| !there.contains_key(&r.index)).collect();
        let file = dir.join(format!("results-{}-of-{}.jsonl", shard.index, shard.of));
        let failed = |e: std::io::Error| format!("{}: {e}", file.display());
        // A torn line at its end goes.
        if let Ok(text) = std::fs::read(&file) {
            let end = text.iter().rposition(|b| *b == b'\n').map_or(0, |i| i + 1);
            std::fs::OpenOptions::new().write(true).open(&file).and_then(|f| f.set_len(end as u64)).map_err(failed)?;
        }
        let out = std::fs::OpenOptions::new().create(true).append(true).open(&file).map_err(failed)?;
        let out = Mutex::new((out, own.len() - left.len()));
        done(own.len() - left.len());
        left.par_iter().try_for_each(|run| {
            let line = self.one(run)?;
            let mut out = out.lock().unwrap_or_else(|e| e.into_inner());
            out.0.write_all(line.as_bytes()).and_then(|()| out.0.flush()).map_err(failed)?;
            out.1 += 1;
            done(out.1);
            Ok::<(), String>(())
        })?;
        let all = self.results(dir)?;
        if all.len() < self.runs.len() {
            return Ok(None);
        }
        let table = dir.join("table.csv");
        // Several shards may come here: each writes the same, and renaming is at once.
        let own = dir.join(format!("table-{}.part", shard.index));
        std::fs::write(&own, table_of(&all))
            .and_then(|()| std::fs::rename(&own, &table))
            .map_err(|e| format!("{}: {e}", table.display()))?;
        Ok(Some(table))
    }

    fn one(&self, run: &Run) -> Result<String, String> {
        let seeded = Overrides { seed: Some(run.seed), ..Overrides::default() };
        let plan = vary::parse(&self.scenario, &self.text, &run.changes, &seeded).map_err(|e| e.to_string())?;
        let duration_ms = plan.duration as f64 / MS as f64;
        let summary: Summary = build::run(plan, &*cores::factory(), |_: Ps| {}).map_err(|e| e.to_string())?.summary;
        let changes = run.changes.iter().cloned().collect();
        let build = build().map_err(|e| format!("this program's own file: {e}"))?.to_owned();
        let line = LineOf { sweep: self.mark.clone(), build, index: run.index, seed: run.seed, changes, duration_ms, summary };
        Ok(serde_json::to_string(&line).map_err(|e| e.to_string())? + "\n")
    }
}

// Figures of figures as `rtt_us.mean`.
fn flatten(name: &str, v: &serde_json::Value, to: &mut Vec<(String, String)>) {
    match v {
        serde_json::Value::Object(fields) => {
            for (field, v) in fields {
                let name = if name.is_empty() { field.clone() } else { format!("{name}.{field}") };
                flatten(&name, v, to);
            }
        }
        serde_json::Value::Null => to.push((name.into(), String::new())),
        serde_json::Value::String(text) => to.push((name.into(), quoted(text))),
        other => to.push((name.into(), other.to_string())),
    }
}

// A cell as CSV has it.
fn quoted(cell: &str) -> String {
    let quote = cell.contains([',', '"', '\n', '\r']);
    if quote { format!("\"{}\"", cell.replace('"', "\"\"")) } else { cell.into() }
}

fn table_of(all: &BTreeMap<usize, LineOf<serde_json::Value>>) -> String {
    let mut out = String::new();
    for (n, line) in all.values().enumerate() {
        let mut cells = vec![("index".to_owned(), line.index.to_string()), ("seed".to_owned(), line.seed.to_string())];
        cells.extend(line.changes.iter().map(|(k, v)| (quoted(k), quoted(&v.as_str().map_or_else(|| v.to_string(), str::to_owned)))));
        flatten("", &line.summary, &mut cells);
        let joined = |f: &dyn Fn(&(String, String)) -> String| cells.iter().map(f).collect::<Vec<_>>().join(",");
        if n == 0 {
            writeln!(out, "{}", joined(&|c| c.0.clone())).expect("writing to a string");
        }
        writeln!(out, "{}", joined(&|c| c.1.clone())).expect("writing to a string");
    }
    out
}
