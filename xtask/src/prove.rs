//! The formal proofs: sets up, then runs `timely-prove`.
use clap::Args;
use std::process::ExitCode;
use timely_tools::process::{cargo, shown, target};
use timely_tools::setup;

/// Options of `prove`.
#[derive(Args)]
pub struct Prove {
    /// Only proofs whose names contain one of these.
    names: Vec<String>,
    /// Only those that take a few seconds.
    #[arg(long)]
    quick: bool,
    /// Prints JSON to stdout in place of the table.
    #[arg(long)]
    json: bool,
}

impl Prove {
    /// Runs them; the exit code is the prover's.
    pub fn run(self) -> Result<ExitCode, String> {
        let tools = setup::tools(setup::For::Testing)?;
        let mut c = cargo(&["run", "--quiet", "--package", "timely-formal", "--"]);
        c.arg("--work").arg(target().join("formal")).args(&self.names);
        for (wanted, flag) in [(self.quick, "--quick"), (self.json, "--json")] {
            if wanted {
                c.arg(flag);
            }
        }
        tools.prepare(&mut c);
        let status = c.status().map_err(|e| format!("{} did not start: {e}", shown(&c)))?;
        let code = status.code().and_then(|c| u8::try_from(c).ok()).unwrap_or(1);
        Ok(ExitCode::from(code))
    }
}
