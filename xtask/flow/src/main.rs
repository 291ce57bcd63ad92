//! Area and speed of the blocks, and bitstreams of boards, by the open tools: what
//! `cargo xtask synth` and `cargo xtask bitstream` start.
mod bitstream;
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
    /// Builds a board's bitstream; ends with 1 if it misses a clock. Writes
    /// bitstreams/BOARD/report.md and manifest.toml.
    Bitstream(bitstream::Bitstream),
}

fn main() -> ExitCode {
    let done = match Cli::parse().command {
        Command::Synth(s) => s.run(),
        Command::Bitstream(b) => b.run(),
    };
    done.unwrap_or_else(|e| {
        eprintln!("error: {e}");
        ExitCode::FAILURE
    })
}
