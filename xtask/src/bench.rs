//! The bench: what the design reaches, measured on its Verilog in clocks; and how fast the network
//! simulator is, on this machine.
use clap::Args;
use std::process::{ExitCode, Stdio};
use timely_tools::process::{cargo, root, run, shown, target};
use timely_tools::setup;

/// Options of `bench`.
#[derive(Args)]
pub struct Bench {
    /// Prints JSON to stdout in place of the table.
    #[arg(long)]
    json: bool,
    /// A few seconds, to see that it runs: the figures mean nothing, and docs/bench.md stays as it
    /// is.
    #[arg(long)]
    quick: bool,
    /// Measures one part alone (grants, alone, load, core, loops, engine or record); docs/bench.md
    /// stays as it is. `driver` (flows and events a second through the driver) and `sim` (the
    /// network simulator, one core of this machine) are measured in seconds, and no part of the
    /// others.
    part: Option<String>,
}

/// The part that measures the simulator.
const SIM: &str = "sim";
/// The part that measures the driver: in seconds, so as users build it.
const DRIVER: &str = "driver";

/// Tests that print figures of the arithmetic.
const PRINTING: [&str; 2] = ["engine_accuracy", "laws_accuracy"];

// Lines of `figure`, key and value that tests print.
fn printed(tools: &setup::Tools) -> Result<String, String> {
    let mut text = String::new();
    for test in PRINTING {
        let mut c = cargo(&["test", "--quiet", "--package", "timely-model", "--test", test, "--", "--nocapture"]);
        tools.prepare(&mut c);
        eprintln!("--- {}", shown(&c));
        let out = c.stderr(Stdio::inherit()).output().map_err(|e| format!("{} did not start: {e}", shown(&c)))?;
        let stdout = String::from_utf8_lossy(&out.stdout);
        if !out.status.success() {
            return Err(format!("{} failed ({})\n{stdout}", shown(&c), out.status));
        }
        // A test's first line may follow a mark of its progress.
        text.extend(stdout.lines().filter_map(|l| Some(format!("{}\n", &l[l.find("figure ")?..]))));
    }
    Ok(text)
}

impl Bench {
    /// Runs it; the exit code is the bench's: 3 if a figure misses what is asked for.
    pub fn run(self) -> Result<ExitCode, String> {
        if self.part.as_deref() == Some(SIM) {
            return self.sim();
        }
        let tools = setup::tools(setup::For::Testing)?;
        let dir = target().join("bench");
        let failed = |e: std::io::Error| format!("{}: {e}", dir.display());
        std::fs::create_dir_all(&dir).map_err(failed)?;
        let file = dir.join("printed.txt");
        let silent = self.quick || self.part.as_deref().is_some_and(|p| p != "engine");
        std::fs::write(&file, if silent { String::new() } else { printed(&tools)? }).map_err(failed)?;
        let mut c = cargo(&["run", "--quiet", "--package", "timely-tests", "--bin", "timely-bench"]);
        if self.part.as_deref() == Some(DRIVER) {
            c.arg("--release");
        }
        c.arg("--").arg("--printed").arg(&file);
        tools.prepare(&mut c);
        for (wanted, flag) in [(self.quick, "--quick"), (self.json, "--json")] {
            if wanted {
                c.arg(flag);
            }
        }
        if let Some(part) = &self.part {
            c.arg("--only").arg(part);
        }
        if !self.quick && self.part.is_none() {
            c.arg("--page").arg(root().join("docs/bench.md"));
        }
        let status = c.status().map_err(|e| format!("{} did not start: {e}", shown(&c)))?;
        Ok(ExitCode::from(status.code().and_then(|c| u8::try_from(c).ok()).unwrap_or(1)))
    }

    // The 40-to-1 incast; without --quick also how the simulator grows to 1,024 hosts.
    fn sim(&self) -> Result<ExitCode, String> {
        let mut c = cargo(&["run", "--release", "--quiet", "--package", "timely-sim", "--", "bench"]);
        for (wanted, flag) in [(!self.quick, "--growth"), (self.json, "--json")] {
            if wanted {
                c.arg(flag);
            }
        }
        run(c)?;
        Ok(ExitCode::SUCCESS)
    }
}
