//! `cargo xtask mutate` and `coverage`: whether the lockstep tests notice faults in the emitted
//! Verilog, and what of it they reach.
mod aig;
mod bench;
mod coverage;
mod cut;
mod equal;
mod faults;
mod flow;
mod netlist;
mod page;
mod record;
mod rust;
mod share;
mod table;
mod trial;

use clap::Parser;
use equal::Prover;
use flow::{Text, get};
use netlist::Port;
use record::{Block, Record, Survivor};
use serde_json::json;
use std::collections::BTreeMap;
use std::fs;
use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use table::Row;
use timely_tools::hash::hash;
use timely_tools::process::{put, root, target, version};
use timely_tools::setup::{self, Tools};
use trial::{Known, Program, Verdict};

/// Cells that get one fault.
const CELLS: usize = 60;
/// Cells that get one fault where several modules join blocks: there one cell is a block with all
/// its ports.
const JOINED_CELLS: usize = 4;
/// Faults that a block gets at least: a hundred, and some that turn out to change nothing.
const LEAST: usize = 110;

#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
enum Cli {
    /// Puts faults into the emitted blocks, which their lockstep tests must notice; writes
    /// tests/mutation.toml and docs/mutation.md.
    Mutate(Mutate),
    /// Counts lines, branches and toggles of the emitted blocks that their lockstep tests reach,
    /// and lines of Rust; writes tests/coverage.toml and docs/coverage.md.
    Coverage(coverage::Coverage),
}

/// Options of `mutate`.
#[derive(clap::Args)]
struct Mutate {
    /// Blocks, such as `fifo` or all that begin with `pa`; without any, all.
    blocks: Vec<String>,
    /// Faults in each block, in place of one to 60 cells; nothing is recorded then.
    #[arg(long)]
    per_block: Option<usize>,
    /// Chooses other faults; recorded are those of seed 1.
    #[arg(long, default_value_t = 1)]
    seed: u32,
    /// Prints JSON to stdout in place of the tables.
    #[arg(long)]
    json: bool,
    /// Runs nothing: writes docs/mutation.md from the record.
    #[arg(long)]
    page: bool,
}

struct Run<'a> {
    tools: &'a Tools,
    yosys: PathBuf,
    per_block: Option<usize>,
    seed: u32,
}

/// The mutated texts of a block.
#[derive(Default)]
struct Mutated {
    /// Where they are.
    folder: PathBuf,
    /// Tells them from others.
    hash: String,
    /// Where and what each fault is, from number 1 on.
    faults: Vec<[String; 2]>,
    /// Cells of the netlists.
    cells: usize,
    texts: Vec<MutatedText>,
}

/// One of them.
struct MutatedText {
    /// Number of the last fault in it.
    last: usize,
    /// The top module, and that one's ports.
    top: String,
    ports: BTreeMap<String, Port>,
    verilog: String,
    /// For what is proven of it.
    folder: PathBuf,
}

fn made(folder: &Path) -> Result<(), String> {
    fs::create_dir_all(folder).map_err(|e| format!("{}: {e}", folder.display()))
}

// The emitted texts that get faults, in the order of the row; the tests must pass on them.
fn texts(row: &Row, program: &Program, folder: &Path) -> Result<Vec<(String, String)>, String> {
    let emitted = folder.join("emitted").join(&program.hash);
    if !emitted.exists() {
        fs::remove_dir_all(folder.join("emitted")).ok();
        let part = folder.join("emitted/part");
        made(&part)?;
        let log = folder.join("emitted.log");
        // Emission and compilation are in it: an hour stands for no limit.
        if program.run(&part, 0, 3600, &log)?.0 != Verdict::Survived {
            return Err(format!("{}: its tests fail without any fault; see {}", row.block, log.display()));
        }
        fs::rename(&part, &emitted).map_err(|e| format!("{}: {e}", part.display()))?;
    }
    let files = emitted.read_dir().map_err(|e| format!("{}: {e}", emitted.display()))?;
    let mut keys: Vec<String> = files.filter_map(|f| Some(f.ok()?.path().file_stem()?.to_str()?.to_owned())).collect();
    keys.sort_unstable();
    // A name that is whole stands for itself alone.
    let is_meant = |key: &str, begin: &str| if keys.iter().any(|k| k == begin) { key == begin } else { key.starts_with(begin) };
    let one = |begin: &&str| match keys.iter().filter(|k| is_meant(k, begin)).collect::<Vec<_>>()[..] {
        [key] => Ok((key.clone(), get(&emitted.join(format!("{key}.v")))?)),
        _ => Err(format!("{}: not one text's name begins with {begin}; the tests compile {}", row.block, keys.join(", "))),
    };
    row.texts.iter().map(one).collect()
}

// One line on a terminal, each over the one before.
fn progress(line: &str) {
    let mut stderr = std::io::stderr();
    let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
    if stderr.is_terminal() && !dumb {
        write!(stderr, "\r\x1b[K{line}").and_then(|()| stderr.flush()).ok();
    }
}

impl Run<'_> {
    fn mutate(&self, row: &Row, texts: Vec<(String, String)>, folder: &Path) -> Result<Mutated, String> {
        let mut mutated = Mutated { folder: folder.join("mutated"), ..Mutated::default() };
        fs::remove_dir_all(&mutated.folder).ok();
        let (mut all, shares) = (String::new(), texts.len());
        for (key, verilog) in texts {
            progress(&format!("{}: putting faults into {key}", row.block));
            let text = Text::new(&self.yosys, row, key, verilog, &folder.join("work"))?;
            let cells = text.netlist.len();
            let share = if row.modules.len() > 1 { JOINED_CELLS } else { CELLS };
            let count = self.per_block.map_or((cells / share).max(LEAST.div_ceil(shares)), |n| n.div_ceil(shares));
            let chosen = text.faults(&self.yosys, count, self.seed)?;
            let with = text.mutated(&self.yosys, &chosen, mutated.faults.len() + 1)?;
            let checked = flow::with_stops(&with, row.never_full);
            put(&mutated.folder.join(format!("{}.mutated.v", text.key)), &checked)?;
            let lines: Vec<&str> = text.verilog.lines().collect();
            mutated.faults.extend(chosen.iter().map(|f| [f.at(&lines), f.what(&text.netlist)]));
            mutated.cells += cells;
            all.push_str(&checked);
            let proofs = folder.join("proofs").join(&text.key);
            let (last, ports) = (mutated.faults.len(), text.ports());
            mutated.texts.push(MutatedText { last, top: text.top, ports, verilog: with, folder: proofs });
        }
        if let Some(queue) = row.never_full.iter().find(|q| mutated.texts.iter().all(|t| flow::of_text(&t.verilog, &[q]).is_empty())) {
            return Err(format!("{}: its texts have no queue {queue}, which table.rs names", row.block));
        }
        mutated.hash = hash(&[&all]);
        Ok(mutated)
    }

    // Those of `survivors` that are proven to change nothing.
    fn equal(&self, row: &Row, mutated: &Mutated, survivors: &[usize], folder: &Path) -> Result<Vec<usize>, String> {
        let mut known = Known::load(folder.join(format!("proofs-{}", hash(&[&mutated.hash, equal::SOURCES]))));
        let mut equal = Vec::new();
        let mut first = 1;
        for text in &mutated.texts {
            let mut prover = None;
            for &number in survivors.iter().filter(|n| (first..=text.last).contains(*n)) {
                let verdict = known.verdict(number, || {
                    progress(&format!("{}: whether {number} changes anything", row.block));
                    let new = || Prover::new(&self.yosys, &text.top, &text.ports, &text.verilog, row.never_full, text.folder.clone());
                    let ready = prover.take().map_or_else(new, Ok)?;
                    let is_none = prover.insert(ready).changes_nothing(number)?;
                    Ok(if is_none { Verdict::Equal } else { Verdict::Survived })
                })?;
                if verdict == Verdict::Equal {
                    equal.push(number);
                }
            }
            first = text.last + 1;
        }
        Ok(equal)
    }

    fn block(&self, row: &'static Row, file: &Path) -> Result<(Block, Vec<Survivor>), String> {
        let folder = target().join("mutate").join(row.block);
        made(&folder)?;
        let program = Program::new(row, file.to_owned(), self.tools)?;
        progress(&format!("{}: without faults", row.block));
        let emitted = texts(row, &program, &folder)?;
        let text_hash = hash(&emitted.iter().map(|t| &t.1).collect::<Vec<_>>());
        let mutated = self.mutate(row, emitted, &folder)?;
        let mut block = Block { program: row.program.into(), hash: text_hash, cells: mutated.cells, ..Block::default() };
        let mut known = Known::load(folder.join(format!("verdicts-{}", hash(&[&mutated.hash, &program.hash]))));
        let log = folder.join("test.log");
        let mut limit = None;
        // Without a fault the mutated text must pass. The first run compiles, the second one is
        // timed.
        let mut control = || {
            for seconds in [3600, 600] {
                progress(&format!("{}: without a fault selected", row.block));
                let (verdict, taken) = program.run(&mutated.folder, 0, seconds, &log)?;
                if verdict != Verdict::Survived {
                    return Err(format!("{}: its tests fail with no fault selected; see {}", row.block, log.display()));
                }
                limit = Some(10 * taken as u64 + 20);
            }
            limit.ok_or_else(String::new)
        };
        let mut seconds = None;
        let mut survivors = Vec::new();
        for (number, [at, fault]) in (1..).zip(&mutated.faults) {
            let verdict = known.verdict(number, || {
                let limit = seconds.map_or_else(&mut control, Ok)?;
                seconds = Some(limit);
                progress(&format!("{}: {number} of {}, {} survived", row.block, mutated.faults.len(), survivors.len()));
                Ok(program.run(&mutated.folder, number, limit, &log)?.0)
            })?;
            block.mutants += 1;
            match verdict {
                Verdict::Killed => block.killed += 1,
                Verdict::Hung => (block.killed, block.hung) = (block.killed + 1, block.hung + 1),
                Verdict::Survived | Verdict::Equal => {
                    let (at, fault) = (at.clone(), fault.clone());
                    survivors.push(Survivor { block: row.block.into(), number, at, fault, reason: String::new() });
                }
            }
        }
        let equal = self.equal(row, &mutated, &survivors.iter().map(|s| s.number).collect::<Vec<_>>(), &folder)?;
        survivors.retain(|s| !equal.contains(&s.number));
        block.equal = equal.len();
        block.mutants -= equal.len();
        progress("");
        let Block { killed, mutants, hung, .. } = block;
        eprintln!("{:12} {killed:3} of {mutants:3} killed, {hung} of them hung; {} more change nothing", row.block, block.equal);
        Ok((block, survivors))
    }
}

fn printed(record: &Record) -> String {
    let survivor = |s: &Survivor| format!("{} {}: {} at {}\n    {}\n", s.block, s.number, s.fault, s.at, s.reason);
    format!("{}\n{}", record.table(), record.survivor.iter().map(survivor).collect::<String>())
}

// As programs want it; `mutant` is what `TIMELY_MUTANT` takes.
fn as_json(record: &Record) -> serde_json::Value {
    let block = |(name, b): (&String, &Block)| json!({"block": name, "mutants": b.mutants, "killed": b.killed, "hung": b.hung, "equal": b.equal, "survived": b.mutants - b.killed});
    let survivor = |s: &Survivor| json!({"block": s.block, "mutant": s.number, "fault": s.fault, "at": s.at, "reason": s.reason});
    json!({"mutate": {
        "mutants": record.mutate.mutants,
        "killed": record.mutate.killed,
        "blocks": record.block.iter().map(block).collect::<Vec<_>>(),
        "survivors": record.survivor.iter().map(survivor).collect::<Vec<_>>(),
    }})
}

impl Mutate {
    /// Puts faults into the blocks, reports, records.
    pub fn run(self) -> Result<ExitCode, String> {
        let page = |record: &Record| put(&root().join("docs/mutation.md"), &page::page(record));
        if self.page {
            return page(&Record::load(&root())?).map(|()| ExitCode::SUCCESS);
        }
        let rows = table::named(&self.blocks)?;
        let tools = setup::tools(setup::For::Testing)?;
        let cycles = std::env::var("TIMELY_CYCLES").is_err() && std::env::var("TIMELY_SEED").is_err();
        let recorded = cycles && self.per_block.is_none() && self.seed == 1;
        let run = Run { tools: &tools, yosys: tools.program("YOSYS", "yosys"), per_block: self.per_block, seed: self.seed };
        let programs = trial::build(&rows, &tools)?;
        // With the reasons that are known.
        let mut ran = Record { survivor: Record::load(&root())?.survivor, ..Record::default() };
        let mut errors = Vec::new();
        for row in &rows {
            let file = programs.get(row.program).ok_or_else(|| format!("cargo built no test program {}", row.program));
            let (block, survivors) = match file.and_then(|f| run.block(row, f)) {
                Ok(done) => done,
                Err(e) => {
                    eprintln!("{e}");
                    errors.push(e);
                    continue;
                }
            };
            if recorded {
                // After each block, so that a run may be cut.
                let mut record = Record::load(&root())?;
                record.mutate.seed = self.seed;
                record.mutate.yosys =
                    version(&run.yosys, "-V").and_then(|v| v.split_whitespace().nth(1).map(str::to_owned)).unwrap_or_default();
                record.update(row.block, block.clone(), survivors.clone());
                record.retain(|name| table::ROWS.iter().any(|r| r.block == name));
                put(&record::file(&root()), &record.text()?)?;
                page(&record)?;
            }
            ran.update(row.block, block, survivors);
        }
        ran.retain(|name| rows.iter().any(|r| r.block == name));
        if self.json {
            println!("{:#}", as_json(&ran));
        } else {
            print!("{}", printed(&ran));
        }
        if errors.is_empty() { Ok(ExitCode::SUCCESS) } else { Err(errors.join("\n")) }
    }
}

fn main() -> ExitCode {
    let done = match Cli::parse() {
        Cli::Mutate(mutate) => mutate.run(),
        Cli::Coverage(coverage) => coverage.run(),
    };
    done.unwrap_or_else(|e| {
        eprintln!("error: {e}");
        ExitCode::FAILURE
    })
}
