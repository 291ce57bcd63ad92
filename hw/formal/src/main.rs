//! `timely-prove`: proves what `proofs.toml` lists, and refutes the twins.
use clap::{Parser, Subcommand};
use std::io::{ErrorKind, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;
use timely_formal::run::{self, Folders};
use timely_formal::{blocks, report, table};

const AFTER: &str = "\
EXIT CODES
  0 all proven, all twins refuted   1 a proof or a twin is not as it must be   2 the command line or the table was wrong

Needs yosys, yosys-smtbmc and z3 (Debian: yosys, z3). Problems, logs and traces are kept in the work folder.";

/// Proves properties of the emitted blocks; each proof has a twin with a bug, which must be
/// refuted.
#[derive(Parser)]
#[command(version, after_help = AFTER)]
struct Arguments {
    #[command(subcommand)]
    command: Option<Command>,
    /// Only proofs whose names contain one of these.
    names: Vec<String>,
    /// Only those that take a few seconds.
    #[arg(long)]
    quick: bool,
    /// Prints JSON to stdout in place of the table.
    #[arg(long)]
    json: bool,
    /// Proofs at a time.
    #[arg(long, default_value_t = 2)]
    jobs: usize,
    /// Where problems, logs and traces go.
    #[arg(long, default_value = "target/formal")]
    work: PathBuf,
}

#[derive(Subcommand)]
enum Command {
    /// Writes a block's Verilog as it is proven, so that a bug for a twin can be chosen.
    Emit {
        /// The block, as in the table.
        block: String,
    },
}

fn proofs(a: &Arguments) -> Result<ExitCode, String> {
    let started = Instant::now();
    let all = table::read(&run::table_folder())?;
    let wanted = |name: &str| a.names.is_empty() || a.names.iter().any(|n| name.contains(n.as_str()));
    let proofs: Vec<_> = all.into_iter().filter(|p| wanted(&p.name) && (p.quick || !a.quick)).collect();
    if proofs.is_empty() {
        return Err(format!("no proof is called {}", a.names.join(" or ")));
    }
    let folders = Folders { table: run::table_folder(), work: a.work.clone() };
    let outcomes = run::all(&proofs, &folders, a.jobs, |done, p, o| eprintln!("{}", report::line(done, proofs.len(), p, o)));
    let seconds = started.elapsed().as_secs_f64();
    if a.json {
        println!("{:#}", report::json(&proofs, &outcomes, seconds));
    } else {
        print!("{}", report::table(&proofs, &outcomes));
        println!("{seconds:.0} s; problems, logs and traces: {}", a.work.display());
    }
    let good = outcomes.iter().all(|o| o.fault.is_none());
    Ok(if good { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn main() -> ExitCode {
    let a = Arguments::parse();
    let done = match &a.command {
        Some(Command::Emit { block }) => {
            let verilog = blocks::find(block).ok_or_else(|| format!("there is no block {block}")).and_then(blocks::verilog);
            verilog.and_then(|v| match std::io::stdout().write_all(v.as_bytes()) {
                // `head` has seen enough.
                Err(e) if e.kind() != ErrorKind::BrokenPipe => Err(format!("stdout: {e}")),
                _ => Ok(ExitCode::SUCCESS),
            })
        }
        None => proofs(&a),
    };
    done.unwrap_or_else(|e| {
        eprintln!("timely-prove: {e}");
        ExitCode::from(2)
    })
}
