//! tests/soaked.toml: the clocks that soaks of the whole NIC came to, and the seed that is next.
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use timely_tools::process::{put, root};

const HEAD: &str = "\
# Storms around the whole NIC, its Verilog beside its model, that ended well: clocks of all of them,
# and the seed of the next one. Written by `cargo xtask soak --nic CLOCKS`.
";

/// The record.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Soaked {
    /// Clocks of the Verilog.
    pub clocks: u64,
    /// Seed of the next run.
    pub next_seed: u64,
}

fn file() -> PathBuf {
    root().join("tests/soaked.toml")
}

impl Soaked {
    /// The committed record.
    ///
    /// # Errors
    /// The file cannot be read, or is no such record.
    pub fn read() -> Result<Self, String> {
        let text = std::fs::read_to_string(file()).map_err(|e| format!("{}: {e}", file().display()))?;
        toml::from_str(&text).map_err(|e| format!("{}: {e}", file().display()))
    }

    /// Behind a run of `clocks` clocks with the seed that was next.
    pub fn and(self, clocks: u64) -> Self {
        Soaked { clocks: self.clocks.saturating_add(clocks), next_seed: self.next_seed + 1 }
    }

    /// Writes the record.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn write(&self) -> Result<(), String> {
        put(&file(), &format!("{HEAD}{}", toml::to_string(self).map_err(|e| e.to_string())?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_add_up() {
        let before = Soaked::read().expect("the record");
        let behind = before.clone().and(7).and(u64::MAX);
        assert_eq!((behind.clocks, behind.next_seed), (u64::MAX, before.next_seed + 2));
        let text = std::fs::read_to_string(file()).expect("the record");
        assert!(text.starts_with(HEAD), "{text}");
    }
}
