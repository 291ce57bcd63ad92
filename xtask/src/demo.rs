//! The demonstration: sets up, builds, emits the Verilog, runs the simulator on it.
use clap::Args;
use std::path::PathBuf;
use std::process::{Command, ExitCode};
use timely_tools::process::{cargo, quiet, run, shown, target};
use timely_tools::setup;

/// Options of `demo`.
#[derive(Args)]
pub struct Demo {
    /// A short run for continuous integration: too short to converge.
    #[arg(long)]
    quick: bool,
    /// Prints JSON to stdout in place of the table.
    #[arg(long)]
    json: bool,
    /// NICs of the main arm: rtl, model or paced.
    #[arg(long, value_name = "KIND")]
    nics: Option<String>,
}

// Emits the NIC that the demonstration's scenario has; gives the folder.
fn emit() -> Result<PathBuf, String> {
    let dir = target().join("demo/verilog");
    let mut c = Command::new(target().join("release/timely-hw"));
    c.args(["emit", "--bus", "64", "--flow-bits", "10", "--force", "--out"]).arg(&dir);
    // Standard output is for the result.
    eprint!("{}", quiet(c)?);
    Ok(dir)
}

impl Demo {
    /// Runs it; the exit code is the simulator's.
    pub fn run(self) -> Result<ExitCode, String> {
        let tools = setup::tools(setup::For::Running)?;
        let mut build = cargo(&["build", "--release", "--package", "timely-hw", "--package", "timely-sim"]);
        tools.prepare(&mut build);
        run(build)?;
        let verilog = emit()?;
        let mut c = Command::new(target().join("release/timely-sim"));
        c.arg("demo").arg("--out").arg(target().join("demo"));
        c.env("TIMELY_VERILOG", &verilog);
        tools.prepare(&mut c);
        for (wanted, flag) in [(self.quick, "--quick"), (self.json, "--json")] {
            if wanted {
                c.arg(flag);
            }
        }
        if let Some(kind) = &self.nics {
            c.args(["--nics", kind]);
        }
        let status = c.status().map_err(|e| format!("{} did not start: {e}", shown(&c)))?;
        let code = status.code().and_then(|c| u8::try_from(c).ok()).unwrap_or(1);
        Ok(ExitCode::from(code))
    }
}
