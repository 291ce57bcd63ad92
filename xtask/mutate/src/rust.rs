//! `cargo xtask coverage --rust`: lines and regions of the model, the register tables and the
//! driver that their own tests and the lockstep tests run, as `cargo llvm-cov` counts them.
use super::share::Share;
use super::table::ROWS;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::Path;
use std::process::Stdio;
use timely_tools::process::{cargo, quiet, root, run, target};
use timely_tools::setup::Tools;

/// Crates, and the folders of their sources.
const CRATES: [(&str, &str); 3] = [("timely-model", "hw/model/src"), ("timely-regs", "hw/regs/src"), ("timely-driver", "driver/src")];
/// Beside the blocks' tests, those of what drives a NIC.
const PROGRAMS: [&str; 4] = ["driver", "mark", "registers", "wire_format"];
/// Files of a crate that are shown.
const SHOWN: usize = 3;

/// A crate in the record.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Crate {
    pub line: Share,
    pub region: Share,
    /// Files with the most lines that nothing runs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub holes: Vec<String>,
    /// By hand: what stands in them, and why.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub reason: String,
}

/// Runs the tests and counts; takes some ten minutes.
///
/// # Errors
/// `cargo llvm-cov` is missing, or a test fails.
pub fn measured(tools: &Tools) -> Result<BTreeMap<String, Crate>, String> {
    quiet(cargo(&["llvm-cov", "--version"])).map_err(|e| {
        format!("{e}\ncargo llvm-cov does not start; run: cargo install cargo-llvm-cov --locked && rustup component add llvm-tools")
    })?;
    let counted = |arguments: &[&str]| {
        let mut c = cargo(&["llvm-cov"]);
        c.args(arguments);
        // Verilog that is compiled is not compiled again.
        c.env("TIMELY_CACHE", target().join("verilated"));
        tools.prepare(&mut c);
        c.stdin(Stdio::null()).stdout(Stdio::null());
        run(c)
    };
    counted(&["clean", "--profraw-only"])?;
    let packages = CRATES.iter().flat_map(|(name, _)| ["--package", name]);
    counted(&["--no-report", "--quiet", "--tests"].into_iter().chain(packages).collect::<Vec<_>>())?;
    let blocks: BTreeSet<&str> = ROWS.iter().map(|r| r.program).filter(|p| p.starts_with("lockstep_")).chain(PROGRAMS).collect();
    let programs = blocks.iter().flat_map(|p| ["--test", p]);
    counted(&["--no-report", "--quiet", "--package", "timely-tests"].into_iter().chain(programs).collect::<Vec<_>>())?;
    let file = target().join("coverage/rust.json");
    let path = file.to_string_lossy();
    counted(&["report", "--json", "--summary-only", "--output-path", &path])?;
    let text = std::fs::read_to_string(&file).map_err(|e| format!("{}: {e}", file.display()))?;
    gathered(&text, &root()).ok_or_else(|| format!("{} is not what cargo llvm-cov writes", file.display()))
}

// The crates of a summary.
fn gathered(json: &str, root: &Path) -> Option<BTreeMap<String, Crate>> {
    let json: serde_json::Value = serde_json::from_str(json).ok()?;
    let mut all = BTreeMap::new();
    let files = json["data"][0]["files"].as_array()?;
    for (name, folder) in CRATES {
        let (mut sum, mut missed) = (Crate::default(), Vec::new());
        for f in files {
            let Ok(path) = Path::new(f["filename"].as_str()?).strip_prefix(root.join(folder)) else { continue };
            let share = |kind: &str| {
                let of = &f["summary"][kind];
                Some(Share::new(of["covered"].as_u64()? as usize, of["count"].as_u64()? as usize))
            };
            let lines = share("lines")?;
            sum.line = sum.line.plus(lines);
            sum.region = sum.region.plus(share("regions")?);
            missed.push((lines.missing(), lines, path.display().to_string()));
        }
        missed.retain(|m| m.0 > 0);
        missed.sort_by(|a, b| b.0.cmp(&a.0).then(a.2.cmp(&b.2)));
        sum.holes = missed.iter().take(SHOWN).map(|(n, of, path)| format!("{n} of {} lines of {path}", of.points())).collect();
        all.insert(name.to_owned(), sum);
    }
    Some(all)
}

/// The section of the page.
pub fn section(all: &BTreeMap<String, Crate>) -> String {
    let mut text = String::from(
        "\n## Rust\n\nWritten by `cargo xtask coverage --rust`: lines and regions (of expressions) that run in the unit and integration tests of a crate and in \
         the\nlockstep tests, as `cargo llvm-cov` counts them.\n\n| crate | lines | regions | most lines that nothing runs | why |\n|---|---|---|---|---|\n",
    );
    for (name, c) in all {
        writeln!(text, "| {name} | {} | {} | {} | {} |", c.line.shown(), c.region.shown(), c.holes.join("; "), c.reason).ok();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_go_to_their_crates() {
        let summary = |covered: u32, count: u32| serde_json::json!({"covered": covered, "count": count});
        let file = |path: &str, covered, count| serde_json::json!({"filename": path, "summary": {"lines": summary(covered, count), "regions": summary(1, 2)}});
        let files = [file("/r/hw/model/src/a.rs", 8, 10), file("/r/hw/model/src/b/c.rs", 3, 7), file("/r/sim/src/a.rs", 0, 9)];
        let all = gathered(&serde_json::json!({"data": [{"files": files}]}).to_string(), Path::new("/r")).expect("a summary");
        let model = &all["timely-model"];
        assert_eq!((model.line, model.region), (Share::new(11, 17), Share::new(2, 4)));
        assert_eq!(model.holes, ["4 of 7 lines of b/c.rs", "2 of 10 lines of a.rs"]);
        assert!(gathered("{}", Path::new("/r")).is_none() && all["timely-driver"].holes.is_empty());
    }
}
