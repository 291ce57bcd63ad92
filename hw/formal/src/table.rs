//! The table of proofs, `proofs.toml`: what is proven of which block, how, and the bug that its
//! twin carries.
use crate::blocks;
use serde::Deserialize;
use std::collections::HashSet;
use std::path::Path;

/// A bug in one place of the emitted Verilog.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Twin {
    /// Text that stands in the Verilog exactly once.
    pub find: String,
    /// Text that the bug puts in its place.
    pub replace: String,
    /// Clocks within which the bug must show.
    pub within: u32,
}

/// A proof.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Proof {
    /// Name of the proof.
    pub name: String,
    /// The proven property, in words.
    pub says: String,
    /// The block, by its name in `blocks.rs`.
    pub block: String,
    /// The file in `properties/`.
    pub properties: String,
    /// Clocks of the base case, from a reset on.
    pub base: u32,
    /// Clocks of the induction; without it the proof is bounded.
    pub induction: Option<u32>,
    /// Modules whose outputs may do anything: what they do is proven elsewhere, or does not matter.
    #[serde(default)]
    pub free: Vec<String>,
    /// Macros for the properties, `NAME` or `NAME=VALUE`.
    #[serde(default)]
    pub define: Vec<String>,
    /// The proof takes a few seconds: part of what every change runs.
    #[serde(default)]
    pub quick: bool,
    /// Seconds that a solver may take.
    #[serde(default = "timeout")]
    pub timeout: u64,
    /// The same block with a bug: the properties must fail.
    pub twin: Twin,
}

fn timeout() -> u64 {
    120
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    proof: Vec<Proof>,
}

/// Reads and checks the table.
///
/// # Errors
/// Names the proof and what is wrong with it.
pub fn read(folder: &Path) -> Result<Vec<Proof>, String> {
    let file = folder.join("proofs.toml");
    let text = std::fs::read_to_string(&file).map_err(|e| format!("{}: {e}", file.display()))?;
    let proofs = parse(&text).map_err(|e| format!("{}: {e}", file.display()))?;
    for p in &proofs {
        let properties = folder.join("properties").join(&p.properties);
        if !properties.is_file() {
            return Err(format!("proof {}: there is no {}", p.name, properties.display()));
        }
    }
    Ok(proofs)
}

/// Checks a table's text, all but whether its files exist.
///
/// # Errors
/// Names the proof and what is wrong with it.
pub fn parse(text: &str) -> Result<Vec<Proof>, String> {
    let table: Table = toml::from_str(text).map_err(|e| e.to_string())?;
    let mut names = HashSet::new();
    for p in &table.proof {
        if !names.insert(p.name.as_str()) {
            return Err(format!("two proofs are called {}", p.name));
        }
        if blocks::find(&p.block).is_none() {
            return Err(format!("proof {}: there is no block {}", p.name, p.block));
        }
        if p.induction.is_some_and(|k| k > p.base) {
            return Err(format!("proof {}: the base case must be as long as the induction", p.name));
        }
    }
    Ok(table.proof)
}
