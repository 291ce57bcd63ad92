//! Area and speed of the blocks, equality of two emissions, and bitstreams of boards, by the open
//! tools: the program behind `cargo xtask synth`, `cargo xtask equal` and `cargo xtask bitstream`.
mod bitstream;
mod equal;
mod synth;
mod whole;

use clap::{Parser, Subcommand};
use std::process::ExitCode;

#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Measures area and speed of the blocks; writes hw/synth/record.toml and docs/synthesis.md.
    Synth(synth::Synth),
    /// Proves that two emissions do the same, module by module; ends with 1 if a module is not
    /// proven. Writes target/equal.
    Equal(equal::Equal),
    /// Builds a board's bitstream; ends with 1 if it misses a clock. Writes
    /// bitstreams/BOARD/report.md and manifest.toml.
    Bitstream(bitstream::Bitstream),
}

fn main() -> ExitCode {
    let done = match Cli::parse().command {
        Command::Synth(s) => s.run(),
        Command::Equal(e) => e.run(),
        Command::Bitstream(b) => b.run(),
    };
    done.unwrap_or_else(|e| {
        eprintln!("error: {e}");
        ExitCode::FAILURE
    })
}
