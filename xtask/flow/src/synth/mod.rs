//! `cargo xtask synth`: area and speed of each block, the record of them, and what became worse.
mod cells;
mod flow;
mod multipliers;
mod page;
mod record;
mod router;
mod work;
mod wrap;

use clap::Args;
use flow::{Flow, Unit};
use record::Record;
use std::path::Path;
use std::process::ExitCode;
use timely_tools::process::{cargo, quiet, root, target};
use timely_tools::setup;
use work::Outcome;

/// Options of `synth`.
#[derive(Args)]
pub struct Synth {
    /// Blocks, such as `ack_64` or all that begin with `ack`; without any, all.
    blocks: Vec<String>,
    /// Seeds of the placer.
    #[arg(long, default_value_t = 3)]
    seeds: u32,
    /// Prints the figures as JSON to stdout.
    #[arg(long)]
    json: bool,
    /// Compares with the record in place of writing it; ends with 1 if a figure grew by more than 2
    /// %, or the clock fell by 5 %.
    #[arg(long)]
    check: bool,
    /// Speed alone, with the slowest path of the first seed; writes nothing.
    #[arg(long, conflicts_with = "check")]
    paths: bool,
    /// Runs no tool: names the blocks that changed since they were recorded, and writes
    /// docs/synthesis.md from the record.
    #[arg(long, conflicts_with_all = ["check", "paths"])]
    page: bool,
}

// Emits the blocks; gives what is to be measured.
fn emit(names: &[String]) -> Result<Vec<Unit>, String> {
    let out = target().join("synth/verilog");
    let mut c = cargo(&["run", "--quiet", "--package", "timely-hw", "--", "blocks"]);
    c.args(names).arg("--out").arg(&out);
    let unit = |line: &str| -> Result<Unit, String> {
        let mut words = line.splitn(3, ' ');
        let (Some(name), Some(measure), Some(file)) = (words.next(), words.next(), words.next()) else {
            return Err(format!("timely-hw printed: {line}"));
        };
        let verilog = std::fs::read_to_string(file).map_err(|e| format!("{file}: {e}"))?;
        Unit::new(name, measure == "speed", verilog)
    };
    quiet(c)?.lines().map(unit).collect()
}

fn write(file: &Path, text: &str) -> Result<(), String> {
    let folder = file.parent().unwrap_or(file);
    std::fs::create_dir_all(folder).and_then(|()| std::fs::write(file, text)).map_err(|e| format!("{}: {e}", file.display()))
}

fn write_page(record: &Record) -> Result<(), String> {
    write(&root().join("docs/synthesis.md"), &page::page(record))
}

fn line(name: &str, outcome: &Outcome) -> String {
    let b = &outcome.block;
    let mhz = b.mhz().map_or("not placed".into(), |m| format!("{m:.1} MHz {:?}", b.ecp5_mhz));
    let x = &b.xcup;
    format!(
        "{name:16} {mhz}, xc7 {} ps, xcup {} LUT ({} RAM) {} FF {} RAMB18 {} RAMB36 {} DSP",
        b.xc7_ps, x.lut, x.lut_ram, x.ff, x.ramb18, x.ramb36, x.dsp
    )
}

impl Synth {
    /// Measures, and records or compares.
    pub fn run(self) -> Result<ExitCode, String> {
        let mut record = Record::load(&root())?;
        let mut units = emit(&self.blocks)?;
        if self.page {
            for unit in units.iter().filter(|u| record.block.get(&u.name).is_none_or(|b| b.hash != u.hash)) {
                println!("{} changed since it was recorded", unit.name);
            }
            write_page(&record)?;
            return Ok(ExitCode::SUCCESS);
        }
        if self.paths {
            units.retain(|u| u.speed);
        }
        let tools = setup::tools(setup::For::Synthesis)?;
        let core = units.iter().any(|u| u.speed && u.is_core());
        let whole = core.then(setup::native_nextpnr).transpose()?;
        let flow = Flow::new(tools.program("YOSYS", "yosys"), tools.program("NEXTPNR_ECP5", "nextpnr-ecp5"), whole)?;
        let outcomes = work::measure(&flow, &units, self.seeds, !self.paths)?;
        if self.paths {
            for (name, outcome) in &outcomes {
                println!("{name}: {:?} MHz\n  {}", outcome.block.ecp5_mhz, outcome.path.join("\n  "));
            }
            return Ok(ExitCode::SUCCESS);
        }
        let now = Record { tools: flow.versions(), block: outcomes.iter().map(|(n, o)| (n.clone(), o.block.clone())).collect() };
        if self.json {
            println!("{}", serde_json::to_string_pretty(&now).map_err(|e| e.to_string())?);
        } else {
            outcomes.iter().for_each(|(name, outcome)| println!("{}", line(name, outcome)));
        }
        if self.check {
            return Ok(compare(&now, &record));
        }
        // Another run may have written meanwhile.
        record = Record::load(&root())?;
        if self.blocks.is_empty() {
            record = now;
        } else {
            record.tools.extend(now.tools);
            record.block.extend(now.block);
        }
        write(&record::file(&root()), &record.text()?)?;
        write_page(&record)?;
        Ok(ExitCode::SUCCESS)
    }
}

// Says what is worse than recorded.
fn compare(now: &Record, record: &Record) -> ExitCode {
    let mut code = ExitCode::SUCCESS;
    if now.tools.iter().any(|(tool, version)| record.tools.get(tool) != Some(version)) {
        eprintln!("recorded with other tools: {:?}; these are {:?}", record.tools, now.tools);
    }
    for (name, block) in &now.block {
        let worse = match record.block.get(name) {
            None => vec!["not recorded yet".to_owned()],
            Some(before) => block.worse_than(before),
        };
        if !worse.is_empty() {
            println!("{name}: {}", worse.join(", "));
            code = ExitCode::FAILURE;
        }
    }
    code
}
