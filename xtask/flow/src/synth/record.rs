//! The record of each block's area and speed, and the comparison of two records.
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Growth that is not reported: a fiftieth.
const GROWTH: f64 = 0.02;
/// Loss of clock frequency that is not reported: the block is placed anew after each change, and
/// the placer's result varies.
const LUCK: f64 = 0.05;

/// The record: figures of the tools alone, which are the same on every machine that has them; but a
/// core's seed has an hour, and is 0 after it.
#[derive(Debug, Default, Clone, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// The tools that the figures are from.
    #[serde(default)]
    pub tools: BTreeMap<String, String>,
    /// The blocks.
    #[serde(default)]
    pub block: BTreeMap<String, Block>,
}

/// The figures of a block.
#[derive(Debug, Default, Clone, PartialEq, Serialize, Deserialize)]
pub struct Block {
    /// Of the Verilog that they are from.
    pub hash: String,
    /// Highest clock on an ECP5 of speed 8, MHz, of each seed of the placer; empty where the block
    /// is not placed.
    pub ecp5_mhz: Vec<f64>,
    /// The slowest cell path on a 7-series device without routing, ps.
    pub xc7_ps: u64,
    /// Area on an ECP5.
    pub ecp5: Option<Ecp5>,
    /// Area on UltraScale+.
    pub xcup: Xcup,
}

/// Area on an ECP5.
#[derive(Debug, Default, Clone, PartialEq, Serialize, Deserialize)]
pub struct Ecp5 {
    /// LUTs of 4 inputs, those in carry chains and distributed RAM included.
    pub lut4: u64,
    /// Flip-flops.
    pub ff: u64,
    /// Block RAMs of 18 Kb.
    pub ram: u64,
    /// Multipliers of 18 x 18.
    pub dsp: u64,
}

/// Area on UltraScale+.
#[derive(Debug, Default, Clone, PartialEq, Serialize, Deserialize)]
pub struct Xcup {
    /// LUTs, those of `lut_ram` included.
    pub lut: u64,
    /// LUTs that are RAM or shift registers.
    pub lut_ram: u64,
    /// Flip-flops.
    pub ff: u64,
    /// Block RAMs of 18 Kb.
    pub ramb18: u64,
    /// Block RAMs of 36 Kb.
    pub ramb36: u64,
    /// Ultra RAMs.
    pub uram: u64,
    /// DSP slices.
    pub dsp: u64,
}

impl Block {
    /// The middle one of the seeds' clocks, MHz.
    pub fn mhz(&self) -> Option<f64> {
        let mut all = self.ecp5_mhz.clone();
        all.sort_by(f64::total_cmp);
        all.get(all.len() / 2).copied()
    }

    fn counts(&self) -> Vec<(&'static str, u64)> {
        let x = &self.xcup;
        let mut all = vec![
            ("xcup LUT", x.lut),
            ("xcup LUT as RAM", x.lut_ram),
            ("xcup FF", x.ff),
            ("xcup RAMB18", x.ramb18 + 2 * x.ramb36),
            ("xcup URAM", x.uram),
            ("xcup DSP", x.dsp),
            ("xc7 ps", self.xc7_ps),
        ];
        if let Some(e) = &self.ecp5 {
            all.extend([("ECP5 LUT4", e.lut4), ("ECP5 FF", e.ff), ("ECP5 RAM", e.ram), ("ECP5 DSP", e.dsp)]);
        }
        all
    }

    /// The figures that are worse than in `before`: areas that grew by more than 2 %, and a clock
    /// that fell by more than 5 %.
    pub fn worse_than(&self, before: &Block) -> Vec<String> {
        let mut worse: Vec<String> = self
            .counts()
            .into_iter()
            .filter_map(|(name, now)| {
                let (_, then) = before.counts().into_iter().find(|(n, _)| *n == name)?;
                (now as f64 > then as f64 * (1.0 + GROWTH)).then(|| format!("{name} {then} -> {now}"))
            })
            .collect();
        if let (Some(now), Some(then)) = (self.mhz(), before.mhz())
            && now < then * (1.0 - LUCK)
        {
            worse.push(format!("ECP5 {then:.1} -> {now:.1} MHz"));
        }
        worse
    }
}

/// The record's file.
pub fn file(root: &Path) -> PathBuf {
    root.join("hw/synth/record.toml")
}

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
        let body = toml::to_string(self).map_err(|e| e.to_string())?;
        Ok(format!("# Area and speed of each block. Written by `cargo xtask synth`; docs/synthesis.md shows it as a table.\n\n{body}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn growth_and_a_slower_clock_are_told() {
        let then = Block { ecp5_mhz: vec![150.0, 170.0, 160.0], xcup: Xcup { lut: 100, ..Xcup::default() }, ..Block::default() };
        assert_eq!(then.mhz(), Some(160.0));
        let same = Block { ecp5_mhz: vec![155.0], xcup: Xcup { lut: 102, ..Xcup::default() }, ..then.clone() };
        assert!(same.worse_than(&then).is_empty());
        let worse = Block { ecp5_mhz: vec![151.0], xcup: Xcup { lut: 103, dsp: 1, ..Xcup::default() }, ..then.clone() };
        assert_eq!(worse.worse_than(&then), ["xcup LUT 100 -> 103", "xcup DSP 0 -> 1", "ECP5 160.0 -> 151.0 MHz"]);
    }

    #[test]
    fn a_record_survives_its_file() {
        let block = Block { hash: "ab".into(), ecp5_mhz: vec![161.2], ecp5: Some(Ecp5::default()), ..Block::default() };
        let record = Record { tools: [("yosys".into(), "0.23".into())].into(), block: [("x".into(), block)].into() };
        assert_eq!(toml::from_str::<Record>(&record.text().expect("text")).expect("a record"), record);
    }
}
