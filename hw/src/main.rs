//! `timely-hw`: emits the datapath as Verilog.
// A panic of `println!` on a closed or full stdout would be ours.
#![deny(clippy::print_stdout, clippy::print_stderr)]
use clap::{Parser, Subcommand};
use std::fmt::Display;
use std::fs;
use std::io::{ErrorKind, Write, stderr, stdout};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use timely_hw::blocks::{BLOCKS, Block, Measure};
use timely_hw::folder::{Emission, Prefix, header};
use timely_hw::shells::{Extras, Shell};

/// Emits timely-nic's datapath as Verilog.
#[derive(Parser)]
#[command(version, after_help = "Exit codes: 0 done, 1 a file could not be written, 2 wrong arguments.")]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Write one configuration for a shell into a directory.
    Emit {
        /// The shell: standalone (the NIC with a traffic generator), opennic, netfpga-plus,
        /// netfpga-sume, corundum (its application block and its scheduler), ecpix5 (a board,
        /// whole), taxi (between its NIC core and its MAC).
        #[arg(long, default_value_t = Shell::Standalone)]
        shell: Shell,
        /// Width of the packet buses in bits: 64 (the usual) for 10G, 128 for 25G, 512 for 100G at
        /// 250 MHz. corundum takes each of these, taxi 64 or 512, its MAC's; opennic, netfpga-plus,
        /// netfpga-sume and ecpix5 have their own.
        #[arg(long)]
        bus: Option<usize>,
        /// log2 of the flows: 10 (the usual), 13, 14 or 16; corundum 10 or 13; ecpix5 has its own.
        #[arg(long)]
        flow_bits: Option<usize>,
        /// Clock period in ps, by which the NIC's time counts: 4000 without it, 5000 of
        /// netfpga-sume, 14000 of ecpix5.
        #[arg(long)]
        clock_ps: Option<u32>,
        /// With a traffic generator beside the host's queues: corundum alone.
        #[arg(long)]
        generator: bool,
        /// The form whose flows are RoCEv2's queue pairs, for hosts with RDMA: opennic,
        /// netfpga-plus, netfpga-sume and taxi, with --flow-bits 10, 13 or 14.
        #[arg(long)]
        roce: bool,
        /// Beginning of the name of every module, so that two configurations fit into one project:
        /// nic0_.
        #[arg(long, default_value_t)]
        prefix: Prefix,
        /// Directory to write to; it is made if missing. Files of another shell, configuration or
        /// origin there are not replaced.
        #[arg(long)]
        out: PathBuf,
        /// Replace files in --out whatever they are.
        #[arg(long)]
        force: bool,
    },
    /// Write blocks by themselves, a file each, and print `name speed|area file`: whether speed or
    /// only area is recorded of them.
    Blocks {
        /// Names of blocks, or how the names of several begin: `ack` for `ack_64` and `ack_512`;
        /// without any, all.
        names: Vec<String>,
        /// Directory to write to; it is made if missing.
        #[arg(long)]
        out: PathBuf,
    },
}

fn main() -> ExitCode {
    let done = match Arguments::parse().command {
        Command::Emit { shell, bus, flow_bits, clock_ps, generator, roce, prefix, out, force } => {
            let extras = Extras { generator, roce };
            let config = match shell.takes(extras).and_then(|()| shell.config_with(bus, flow_bits, extras)) {
                Ok(c) => c,
                Err(e) => {
                    note(format_args!("timely-hw: {e}"));
                    return ExitCode::from(2);
                }
            };
            let clock_ps = clock_ps.unwrap_or(shell.clock_ps());
            emit(&Emission { shell, config, clock_ps, extras, prefix }, &out, force)
        }
        Command::Blocks { names, out } => {
            let is = |b: &Block, n: &str| b.name.strip_prefix(n).is_some_and(|rest| rest.is_empty() || rest.starts_with('_'));
            if let Some(name) = names.iter().find(|n| !BLOCKS.iter().any(|b| is(b, n))) {
                let all: Vec<&str> = BLOCKS.iter().map(|b| b.name).collect();
                note(format_args!("timely-hw: no block is called {name}; there are {}", all.join(", ")));
                return ExitCode::from(2);
            }
            let mut chosen = BLOCKS.iter().filter(|b| names.is_empty() || names.iter().any(|n| is(b, n)));
            // A line that cannot be printed keeps no block from being written.
            let mut said = Ok(());
            let written =
                make(&out).and_then(|()| chosen.try_for_each(|b| block(b, &out).map(|line| said = said.clone().and(print(line)))));
            written.and(said)
        }
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(e) => {
            note(format_args!("timely-hw: {e}"));
            ExitCode::FAILURE
        }
    }
}

/// Prints a line on stdout. A reader that has gone, as `head` does, is no error.
fn print(text: impl Display) -> Result<(), String> {
    let mut out = stdout().lock();
    match writeln!(out, "{text}").and_then(|()| out.flush()) {
        Err(e) if e.kind() != ErrorKind::BrokenPipe => Err(format!("stdout: {e}; free space there, or send it to another place")),
        _ => Ok(()),
    }
}

/// Prints a note on stderr. An error there has no other place to go, and is dropped.
fn note(text: impl Display) {
    let _ = writeln!(stderr(), "{text}");
}

// Makes a folder, if it is missing.
fn make(folder: &Path) -> Result<(), String> {
    fs::create_dir_all(folder).map_err(|e| match e.kind() {
        ErrorKind::AlreadyExists | ErrorKind::NotADirectory => {
            format!("{}: is no folder, or has a file in its path; name a folder, or one that can be made", folder.display())
        }
        _ => format!("{}: the folder cannot be made: {e}; name another", folder.display()),
    })
}

fn write(file: &Path, verilog: &str) -> Result<(), String> {
    make(file.parent().unwrap_or(file))?;
    fs::write(file, verilog).map_err(|e| format!("{}: {e}; free space there, or name another folder", file.display()))
}

fn emit(emission: &Emission, out: &Path, force: bool) -> Result<(), String> {
    // Known before the minutes that elaboration may take.
    make(out)?;
    let files = emission.files().map_err(|e| format!("the design does not check: {e}"))?;
    if !force {
        emission.fits_into(out, &files)?;
    }
    let mut lines = Vec::new();
    for file in &files {
        let path = out.join(&file.path);
        write(&path, &file.text)?;
        let top = format!(": {} lines, top module {}", file.text.lines().count(), emission.top());
        lines.push(format!("{}{}", path.display(), if file.path == emission.file_name() { &top } else { "" }));
    }
    // All files are written, whether or not the list is read.
    print(lines.join("\n"))
}

// Writes a block, and gives what to say of it.
fn block(block: &Block, out: &Path) -> Result<String, String> {
    let file = out.join(format!("{}.v", block.name));
    let verilog = block.emit().map_err(|e| format!("{} does not check: {e}", block.name))?;
    write(&file, &header(&format!("{}.v", block.name), &format!("block {}", block.name), &verilog))?;
    let measure = if block.measure == Measure::Speed { "speed" } else { "area" };
    Ok(format!("{} {measure} {}", block.name, file.display()))
}
