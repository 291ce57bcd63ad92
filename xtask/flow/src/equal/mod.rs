//! `cargo xtask equal`: whether two emissions do the same, module by module, by Yosys.
//!
//! Modules are paired by name. A pair of one text is equal if its instances are; of every other
//! pair Yosys proves that the outputs, and the inputs of instances, are the same at every clock,
//! with the instances cut out: what they drive are inputs of the proof. Plain flip-flops belong to
//! the module that has them, so that registers may be joined to words or taken apart. Pairs that
//! differ by the names of their modules alone are proven once.
mod module;
mod prove;

use clap::Args;
use module::Modules;
use prove::Points;
use regex::Regex;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;
use timely_tools::process::target;
use timely_tools::setup;

/// Options of `equal`.
#[derive(Args)]
pub struct Equal {
    /// Verilog before the change: a file, or a folder of them.
    old: PathBuf,
    /// Verilog after the change.
    new: PathBuf,
    /// Modules whose names this expression matches; without it, all.
    #[arg(long)]
    only: Option<Regex>,
    /// Equal points inside modules whose registers were joined or taken apart: lines of a regular
    /// expression of modules, an old and a new expression, such as `__pass$ count_q state_q[5:3]`.
    #[arg(long)]
    points: Option<PathBuf>,
    /// Seconds for each proof.
    #[arg(long, default_value_t = 300)]
    limit: u64,
}

/// All Verilog of a file or a folder.
fn read(path: &Path) -> Result<Modules, String> {
    let failed = |e: std::io::Error| format!("{}: {e}", path.display());
    let mut files = vec![path.to_owned()];
    if path.is_dir() {
        files = std::fs::read_dir(path).map_err(failed)?.filter_map(|f| Some(f.ok()?.path())).collect();
        files.retain(|f| f.extension().is_some_and(|e| e == "v" || e == "sv"));
        files.sort();
    }
    let texts: Result<Vec<String>, String> =
        files.iter().map(|f| std::fs::read_to_string(f).map_err(|e| format!("{}: {e}", f.display()))).collect();
    let modules = Modules::new(&texts?.join("\n"));
    if modules.is_empty() { Err(format!("{} has no Verilog module", path.display())) } else { Ok(modules) }
}

/// Names that one side has alone. The proof of the module around them covers flip-flops.
fn alone<'a>(all: &'a Modules, other: &Modules, only: impl Fn(&str) -> bool) -> Vec<&'a str> {
    all.names().filter(|n| only(n) && other.text(n).is_none() && !all.is_flip_flop(n)).collect()
}

impl Equal {
    /// Proves; the exit code is 1 if a module is not proven or stands on one side alone.
    pub fn run(self) -> Result<ExitCode, String> {
        let (old, new) = (read(&self.old)?, read(&self.new)?);
        let points = self.points.as_deref().map(Points::read).transpose()?.unwrap_or_default();
        let only = |name: &str| self.only.as_ref().is_none_or(|r| r.is_match(name));
        let yosys = setup::tools(setup::For::Testing)?.program("YOSYS", "yosys");
        let pairs: Vec<&str> = old.names().filter(|n| only(n) && new.text(n).is_some()).collect();
        if pairs.is_empty() {
            return Err(format!("{} and {} have no module in common", self.old.display(), self.new.display()));
        }
        let mut open: BTreeMap<String, Vec<&str>> = BTreeMap::new();
        for name in pairs.iter().copied().filter(|n| old.text(n) != new.text(n)) {
            let alike = [&old, &new].map(|side| side.closed(name).replace(name, "M")).join("\0");
            open.entry(alike).or_default().push(name);
        }
        let differ: usize = open.values().map(Vec::len).sum();
        println!(
            "{} pairs of modules: {} of one text, {differ} to prove, {} of them distinct",
            pairs.len(),
            pairs.len() - differ,
            open.len()
        );
        let mut failed = false;
        for (side, names) in [("before", alone(&old, &new, only)), ("after", alone(&new, &old, only))] {
            if !names.is_empty() {
                failed = true;
                println!("only {side} the change: {}", names.join(" "));
            }
        }
        let folder = target().join("equal");
        for names in open.values() {
            let verdict = prove::prove(&yosys, &folder, names[0], [&old, &new], &points, Duration::from_secs(self.limit))?;
            println!(
                "{verdict}: {}{}",
                names[0],
                if names.len() > 1 { format!(" and {} like it", names.len() - 1) } else { String::new() }
            );
            failed |= !verdict.is_proven();
        }
        Ok(if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS })
    }
}
