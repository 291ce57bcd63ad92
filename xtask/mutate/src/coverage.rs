//! `cargo xtask coverage`: lines, branches and toggles of the emitted blocks that their lockstep
//! tests reach, as Verilator counts them.
use super::rust::{self, Crate};
use super::share::Share;
use super::table::{self, Row};
use super::trial::{self, Program};
use super::{made, progress};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use timely_tools::process::{put, root, target};
use timely_tools::setup::{self, Tools};

/// The variable of `timely_verilate::COVERAGE`; `_OF` behind it gives that of the models' names.
const VARIABLE: &str = "TIMELY_COVERAGE";
/// The kinds of points, as Verilator names their pages.
const KINDS: [&str; 3] = ["line", "branch", "toggle"];
/// Blocks that are not measured: with counters a seed of theirs takes over five minutes, and that
/// of queue pairs, for its hashes, over a quarter of an hour.
#[cfg(test)]
const SLOW: [&str; 3] = ["queue_pairs", "scheduler", "generated"];
/// Part of each kind that a block has to reach.
const WANTED: f64 = 0.9;

/// Options of `coverage`.
#[derive(clap::Args)]
pub struct Coverage {
    /// Blocks, such as `fifo` or all that begin with `pa`; without any, all.
    blocks: Vec<String>,
    /// Counts lines of the model, the register tables and the driver in place of blocks.
    #[arg(long, conflicts_with = "blocks")]
    rust: bool,
    /// Prints JSON to stdout in place of the table.
    #[arg(long)]
    json: bool,
    /// Runs nothing: writes docs/coverage.md from the record.
    #[arg(long)]
    page: bool,
}

/// A block in the record.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Block {
    line: Share,
    branch: Share,
    toggle: Share,
    /// Modules with the most points that nothing reaches, where a share is below the bound.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    holes: Vec<String>,
    /// By hand: what stands in the holes, and why.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    reason: String,
}

impl Block {
    fn shares(&self) -> [Share; 3] {
        [self.line, self.branch, self.toggle]
    }
}

/// All blocks that were measured.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Record {
    #[serde(default)]
    block: BTreeMap<String, Block>,
    #[serde(default)]
    rust: BTreeMap<String, Crate>,
}

impl Record {
    fn read() -> Result<Self, String> {
        let text = fs::read_to_string(file()).unwrap_or_default();
        toml::from_str(&text).map_err(|e| format!("{}: {e}", file().display()))
    }

    fn write(&self) -> Result<(), String> {
        let text = toml::to_string(self).map_err(|e| e.to_string())?;
        put(&file(), &format!("# Written by `cargo xtask coverage`, but for each `reason`.\n\n{text}"))?;
        put(&root().join("docs/coverage.md"), &page(self))
    }
}

fn file() -> PathBuf {
    root().join("tests/coverage.toml")
}

/// A point: kind, module, and the place in it.
type Point = (usize, String, String);

/// The points of a file of counts, and whether each was reached. A line is `C 'KEYS' COUNT`; a key
/// stands behind a byte of 1, and its value behind one of 2.
fn points(text: &str) -> Vec<(Point, bool)> {
    let one = |line: &str| {
        let (keys, count) = line.strip_prefix("C '")?.rsplit_once("' ")?;
        let values: BTreeMap<&str, &str> = keys.split('\u{1}').filter_map(|k| k.split_once('\u{2}')).collect();
        let (kind, module) = values.get("page")?.strip_prefix("v_")?.split_once('/')?;
        let kind = KINDS.iter().position(|k| *k == kind)?;
        let place = format!("{}:{} {}", values.get("l")?, values.get("n").unwrap_or(&""), values.get("o").unwrap_or(&""));
        Some(((kind, module.to_owned(), place), count.trim().parse::<u64>().ok()? > 0))
    };
    text.lines().filter_map(one).collect()
}

/// Points of the row's texts and modules, reached by any of its tests.
fn gathered(row: &Row, folder: &Path) -> Result<BTreeMap<Point, bool>, String> {
    let failed = |e| format!("{}: {e}", folder.display());
    let mut all = BTreeMap::new();
    for entry in fs::read_dir(folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        let name = path.file_name().and_then(|n| n.to_str()).unwrap_or_default();
        if !row.texts.iter().any(|t| name.starts_with(t)) {
            continue;
        }
        // Names of Verilog are ASCII; Verilator escapes what else there is.
        let text = fs::read(&path).map_err(failed)?;
        for (point, reached) in points(&String::from_utf8_lossy(&text)) {
            if row.modules.is_empty() || row.modules.contains(&point.1.as_str()) {
                *all.entry(point).or_insert(false) |= reached;
            }
        }
    }
    if all.is_empty() {
        return Err(format!("{}: no model of {} wrote any count to {}", row.block, row.texts.join(", "), folder.display()));
    }
    Ok(all)
}

fn measured(row: &'static Row, program: PathBuf, tools: &Tools) -> Result<Block, String> {
    let folder = target().join("coverage").join(row.block);
    let counts = folder.join("counts");
    fs::remove_dir_all(&counts).ok();
    made(&counts)?;
    progress(&format!("{}: its lockstep tests", row.block));
    Program::new(row, program, tools)?.covered(VARIABLE, &counts, &folder.join("test.log"))?;
    let all = gathered(row, &counts)?;
    let share = |kind: usize| {
        let of: Vec<bool> = all.iter().filter(|(p, _)| p.0 == kind).map(|(_, reached)| *reached).collect();
        Share::new(of.iter().filter(|r| **r).count(), of.len())
    };
    let missed: String = all.iter().filter(|(_, r)| !**r).fold(String::new(), |mut t, ((kind, module, place), _)| {
        writeln!(t, "{} {module} {place}", KINDS[*kind]).ok();
        t
    });
    put(&folder.join("missed.txt"), &missed)?;
    let mut block = Block { line: share(0), branch: share(1), toggle: share(2), ..Block::default() };
    for (kind, share) in KINDS.iter().enumerate().zip(block.shares()).filter(|(_, s)| s.part() < WANTED).map(|(k, s)| (k.0, s)) {
        let mut by_module: BTreeMap<&str, usize> = BTreeMap::new();
        for (point, _) in all.iter().filter(|(p, r)| p.0 == kind && !**r) {
            *by_module.entry(&point.1).or_default() += 1;
        }
        let mut most: Vec<(usize, &str)> = by_module.into_iter().map(|(m, n)| (n, m)).collect();
        most.sort_unstable_by(|a, b| b.cmp(a));
        let missing = share.missing();
        let shown: Vec<String> = most.iter().take(3).map(|(n, m)| format!("{n} in {m}")).collect();
        block.holes.push(format!("{missing} of {}: {}", KINDS[kind], shown.join(", ")));
    }
    fs::remove_dir_all(&counts).ok();
    Ok(block)
}

fn table(record: &Record) -> String {
    let mut text = String::from("| block | lines | branches | toggles |\n|---|---|---|---|\n");
    for (name, b) in &record.block {
        let [line, branch, toggle] = b.shares().map(Share::shown);
        writeln!(text, "| {name} | {line} | {branch} | {toggle} |").ok();
    }
    text
}

const HEAD: &str = "\
# What the lockstep tests reach in the emitted Verilog

Written by `cargo xtask coverage` from [tests/coverage.toml](../tests/coverage.toml); do not edit. Verilator counts how often each line and branch is
taken and each bit of a signal changes, in the lockstep tests of the block as every `cargo xtask test` runs them. A share is of the points that
Verilator makes, over all modules of the block (of a block whose parts have rows of their own those that join them; what joins whole cores is not measured); bits that
are tied, as the upper ones of a padded word, count as points that nothing reaches. Wanted is .9 of each. `target/coverage/BLOCK/missed.txt` has the
points that were not reached. A bit that is reached is not yet checked: [mutation.md](mutation.md) says what the same tests notice. `queue_pairs`,
`scheduler` and `generated` are not measured: with counters a seed of theirs takes over five minutes, and a quarter of an hour for `queue_pairs`' hashes.
";

fn page(record: &Record) -> String {
    let mut page = format!("{HEAD}\n{}", table(record));
    let below: BTreeSet<_> = record.block.iter().filter(|(_, b)| b.shares().iter().any(|s| s.part() < WANTED)).map(|(n, _)| n).collect();
    if !below.is_empty() {
        page.push_str("\n## Holes\n\n| block | where | why |\n|---|---|---|\n");
    }
    for name in below {
        let b = &record.block[name];
        writeln!(page, "| {name} | {} | {} |", b.holes.join("; "), b.reason).ok();
    }
    if !record.rust.is_empty() {
        page.push_str(&rust::section(&record.rust));
    }
    page
}

impl Coverage {
    /// Runs the tests, reports, records.
    pub fn run(self) -> Result<ExitCode, String> {
        if self.page {
            return Record::read()?.write().map(|()| ExitCode::SUCCESS);
        }
        if self.rust {
            let mut crates = rust::measured(&setup::tools(setup::For::Testing)?)?;
            let mut record = Record::read()?;
            for (name, c) in &mut crates {
                c.reason = record.rust.get(name).map(|old| old.reason.clone()).unwrap_or_default();
            }
            record.rust = crates;
            record.write()?;
            if self.json {
                println!("{:#}", serde_json::json!({ "coverage": { "rust": record.rust } }));
            } else {
                print!("{}", rust::section(&record.rust));
            }
            return Ok(ExitCode::SUCCESS);
        }
        let rows = table::named(&self.blocks)?;
        let tools = setup::tools(setup::For::Testing)?;
        let programs = trial::build(&rows, &tools)?;
        let (mut ran, mut errors) = (Record::default(), Vec::new());
        for row in rows {
            let program = programs.get(row.program).cloned().ok_or_else(|| format!("cargo built no test program {}", row.program));
            match program.and_then(|p| measured(row, p, &tools)) {
                Ok(mut block) => {
                    // After each block, so that a run may be cut.
                    let mut record = Record::read()?;
                    block.reason = record.block.get(row.block).map(|b| b.reason.clone()).unwrap_or_default();
                    record.block.insert(row.block.into(), block.clone());
                    record.block.retain(|name, _| table::ROWS.iter().any(|r| r.block == name));
                    record.write()?;
                    progress("");
                    let [line, branch, toggle] = block.shares().map(Share::shown);
                    eprintln!("{:12} lines {line}, branches {branch}, toggles {toggle}", row.block);
                    ran.block.insert(row.block.into(), block);
                }
                Err(e) => {
                    eprintln!("{e}");
                    errors.push(e);
                }
            }
        }
        if self.json {
            println!("{:#}", serde_json::json!({ "coverage": ran }));
        } else {
            print!("{}", table(&ran));
        }
        if errors.is_empty() { Ok(ExitCode::SUCCESS) } else { Err(errors.join("\n")) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lines as Verilator 5.006 writes them.
    #[test]
    fn counts_are_read() {
        let line = |page: &str, at: u32, o: &str, count: u32| {
            format!("C '\u{1}f\u{2}dut.v\u{1}l\u{2}{at}\u{1}n\u{2}5\u{1}page\u{2}{page}\u{1}o\u{2}{o}\u{1}h\u{2}TOP.x' {count}\n")
        };
        let text = [
            "# SystemC::Coverage-3\n".into(),
            line("v_line/m", 7, "block", 3),
            line("v_toggle/m", 8, "q[1]", 0),
            line("v_user/m", 9, "x", 1),
        ]
        .concat();
        let found = points(&text);
        assert_eq!(found, [((0, "m".into(), "7:5 block".into()), true), ((2, "m".into(), "8:5 q[1]".into()), false)]);
        assert_eq!((Share::new(8_999, 10_000).shown(), Share::default().shown()), ("0.899 of 10000".into(), "-".into()));
    }

    #[test]
    fn the_page_shows_the_record() {
        let record = Record::read().expect("a record");
        let committed = fs::read_to_string(root().join("docs/coverage.md")).expect("a page");
        assert!(committed == page(&record), "docs/coverage.md is not what tests/coverage.toml gives; run: cargo xtask coverage --page");
        for (name, b) in &record.block {
            let below = b.shares().iter().any(|s| s.part() < WANTED);
            assert!(!below || !b.reason.is_empty(), "{name} is below {WANTED}: tests/coverage.toml needs the reason");
        }
        // But for what joins the blocks of whole cores.
        let blocks = table::ROWS.iter().filter(|r| r.modules.len() < 2 && !SLOW.contains(&r.block)).map(|r| r.block);
        let missing: Vec<&str> = blocks.filter(|b| !record.block.contains_key(*b)).collect();
        assert!(missing.is_empty(), "not measured: {missing:?}; run: cargo xtask coverage BLOCK");
        for (name, c) in &record.rust {
            assert!(c.line.part() >= WANTED || !c.reason.is_empty(), "{name} is below {WANTED}: tests/coverage.toml needs the reason");
        }
        assert_eq!(record.rust.len(), 3, "not measured; run: cargo xtask coverage --rust");
    }
}
