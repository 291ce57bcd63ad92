//! The record of each block's faults; `docs/mutation.md` shows it.
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// The record. Everything is counted from `block` and `survivor`; reasons are written by hand and
/// carried over.
#[derive(Debug, Default, Clone, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// All blocks together.
    #[serde(default)]
    pub mutate: Total,
    /// The blocks.
    #[serde(default)]
    pub block: BTreeMap<String, Block>,
    /// The faults that no test notices.
    #[serde(default)]
    pub survivor: Vec<Survivor>,
}

/// All blocks together.
#[derive(Debug, Default, Clone, PartialEq, Serialize, Deserialize)]
pub struct Total {
    /// Faults that were tried and change something.
    pub mutants: usize,
    /// The part of them that a test notices, of 1.
    pub killed: f64,
    /// Seed of their choice.
    pub seed: u32,
    /// Version of yosys, which chose them.
    pub yosys: String,
}

/// The figures of a block.
#[derive(Debug, Default, Clone, PartialEq, Serialize, Deserialize)]
pub struct Block {
    /// The test program that drives it.
    pub program: String,
    /// Hash of the emitted texts.
    pub hash: String,
    /// Cells that faults were chosen among.
    pub cells: usize,
    /// Faults that were tried and change something.
    pub mutants: usize,
    /// Others that no test notices and that are proven to change no output that counts.
    #[serde(default)]
    pub equal: usize,
    /// Faults that a test notices.
    pub killed: usize,
    /// Of these, those that a test notices by not ending.
    pub hung: usize,
}

/// A fault that no test notices.
#[derive(Debug, Default, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Survivor {
    /// The block.
    pub block: String,
    /// Number of the fault, for `TIMELY_MUTANT`.
    pub number: usize,
    /// Where it is: instance, wire, and what the emitted text says there.
    pub at: String,
    /// The fault in words.
    pub fault: String,
    /// Why nothing notices it; empty until somebody has looked.
    #[serde(default)]
    pub reason: String,
}

/// The record's file.
pub fn file(root: &Path) -> PathBuf {
    root.join("tests/mutation.toml")
}

const HEAD: &str = "\
# Faults put into the emitted Verilog, and which of them the lockstep tests notice. Written by `cargo xtask mutate`, the reasons by hand
# (they are kept where the same fault survives again); docs/mutation.md shows it as tables.

";

impl Record {
    /// The committed record; an empty one where there is none.
    ///
    /// # Errors
    /// The file is there and cannot be read or understood.
    pub fn load(root: &Path) -> Result<Self, String> {
        let file = file(root);
        if !file.exists() {
            return Ok(Record::default());
        }
        let text = std::fs::read_to_string(&file).map_err(|e| format!("{}: {e}", file.display()))?;
        toml::from_str(&text).map_err(|e| format!("{}: {e}", file.display()))
    }

    /// The record as it is written.
    ///
    /// # Errors
    /// The record cannot be written as TOML.
    pub fn text(&self) -> Result<String, String> {
        Ok(format!("{HEAD}{}", toml::to_string(self).map_err(|e| e.to_string())?))
    }

    /// Puts a block's new figures in the place of its old ones; reasons stay with the faults that
    /// they are of.
    pub fn update(&mut self, name: &str, block: Block, mut survivors: Vec<Survivor>) {
        for s in &mut survivors {
            let known = self.survivor.iter().find(|o| (&o.block, &o.at, &o.fault) == (&s.block, &s.at, &s.fault));
            s.reason = known.map_or(String::new(), |o| o.reason.clone());
        }
        self.survivor.retain(|s| s.block != name);
        self.survivor.append(&mut survivors);
        self.survivor.sort_by(|a, b| (&a.block, a.number).cmp(&(&b.block, b.number)));
        self.block.insert(name.to_owned(), block);
        self.count();
    }

    /// Keeps the blocks of these names alone.
    pub fn retain(&mut self, is: impl Fn(&str) -> bool) {
        self.block.retain(|name, _| is(name));
        self.survivor.retain(|s| is(&s.block));
        self.count();
    }

    /// The blocks of whose faults a test notices less than .95.
    pub fn below(&self) -> impl Iterator<Item = (&String, &Block)> {
        self.block.iter().filter(|(_, b)| (b.killed as f64) < 0.95 * b.mutants as f64)
    }

    fn count(&mut self) {
        self.mutate.mutants = self.block.values().map(|b| b.mutants).sum();
        let killed: usize = self.block.values().map(|b| b.killed).sum();
        self.mutate.killed = (killed as f64 / self.mutate.mutants.max(1) as f64 * 1e4).floor() / 1e4;
    }

    /// A table of the blocks, in the columns of a page.
    pub fn table(&self) -> String {
        let mut text =
            "| block | test program | cells | equal | faults | killed | of these hung | survived |\n|---|---|---|---|---|---|---|---|\n"
                .to_owned();
        for (name, b) in &self.block {
            let survived = b.mutants - b.killed;
            let Block { program, cells, equal, mutants, killed, hung, .. } = b;
            writeln!(text, "| {name} | `{program}` | {cells} | {equal} | {mutants} | {killed} | {hung} | {survived} |").ok();
        }
        let m = &self.mutate;
        let killed: usize = self.block.values().map(|b| b.killed).sum();
        writeln!(text, "\n{killed} of {} faults are killed: {:.1} %.", m.mutants, 100.0 * m.killed).ok();
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use timely_tools::process::root;

    #[test]
    fn a_reason_stays_with_its_fault() {
        let survivor =
            |number, at: &str| Survivor { block: "x".into(), number, at: at.into(), fault: "inv $add A[0]".into(), ..Default::default() };
        let block = |killed| Block { mutants: 4, killed, ..Block::default() };
        let mut record = Record::default();
        record.update("x", block(2), vec![survivor(2, "a"), survivor(3, "b")]);
        record.survivor[1].reason = "nobody sees it".into();
        record.update("x", block(2), vec![survivor(1, "b"), survivor(4, "c")]);
        let reasons: Vec<_> = record.survivor.iter().map(|s| (s.number, s.reason.as_str())).collect();
        assert_eq!(reasons, [(1, "nobody sees it"), (4, "")]);
        record.update("y", Block { mutants: 8, killed: 8, ..Block::default() }, vec![]);
        assert_eq!((record.mutate.mutants, record.mutate.killed), (12, 0.8333));
        assert_eq!(toml::from_str::<Record>(&record.text().expect("text")).expect("a record"), record);
        record.retain(|name| name == "y");
        assert_eq!((record.mutate.killed, record.survivor.len()), (1.0, 0));
    }

    /// Blocks that do not come to .95, and the share that they keep; docs/mutation.md says why, of
    /// each of their survivors.
    const LESS: [(&str, f64); 6] =
        [("nic", 0.8), ("entry", 0.93), ("exit", 0.9), ("generated", 0.9), ("scheduler", 0.94), ("serial", 0.93)];

    /// The committed record: enough faults, in all blocks, nearly all of them noticed, and a reason
    /// for each that is not.
    #[test]
    fn what_is_recorded_is_enough() {
        let record = Record::load(&root()).expect("a record");
        let silent: Vec<_> = record.survivor.iter().filter(|s| s.reason.is_empty()).collect();
        assert!(silent.is_empty(), "survivors without a reason: {silent:#?}");
        let all: Vec<&str> = super::super::table::ROWS.iter().map(|r| r.block).collect();
        let missing: Vec<_> = all.iter().filter(|b| !record.block.contains_key(**b)).collect();
        assert!(missing.is_empty(), "blocks without faults: {missing:?}; run: cargo xtask mutate");
        for (name, b) in &record.block {
            let least = if name == "nic" { 35 } else { 100 };
            assert!(
                b.cells <= 100 || b.mutants >= least,
                "{name}: {} faults of at least {least}; run: cargo xtask mutate {name}",
                b.mutants
            );
        }
        assert!(record.mutate.killed >= 0.95, "{:?}", record.mutate);
        let bench = std::fs::read_to_string(root().join("docs/bench.md")).expect("the bench's page");
        let row = format!("| `mutate.killed` | {:.4} | at least 0.9500 | share of {} faults", record.mutate.killed, record.mutate.mutants);
        assert!(bench.contains(&row), "docs/bench.md has not: {row}; cargo xtask bench record prints it");
        for (name, b) in record.below() {
            let least = LESS.iter().find(|l| l.0 == name).map_or(0.95, |l| l.1);
            assert!(
                b.killed as f64 >= least * b.mutants as f64,
                "{name}: {} of {} faults are killed, and {least} are wanted",
                b.killed,
                b.mutants
            );
        }
    }
}
