//! `timely-hw`: emits the datapath as Verilog.
use clap::{Parser, Subcommand};
use std::path::PathBuf;
use std::process::ExitCode;
use timely_hw::config::Config;

/// Emits timely-nic's datapath as Verilog.
#[derive(Parser)]
#[command(version, after_help = "Exit codes: 0 done, 1 a file could not be written, 2 wrong arguments.")]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Write one configuration of the standalone shell (the NIC with a traffic generator) into a directory.
    Emit {
        /// Width of the packet buses in bits: 64 for 10G, 128 for 25G, 512 for 100G at 250 MHz.
        #[arg(long, default_value_t = 64)]
        bus: usize,
        /// log2 of the flows: 10, 13, 14 or 16.
        #[arg(long, default_value_t = 10)]
        flow_bits: usize,
        /// Clock period in ps, which the registers tell the driver.
        #[arg(long, default_value_t = timely_hw::config::CLOCK_PS)]
        clock_ps: u32,
        /// Directory to write to; it is made if missing.
        #[arg(long)]
        out: PathBuf,
    },
}

fn main() -> ExitCode {
    let Command::Emit { bus, flow_bits, clock_ps, out } = Arguments::parse().command;
    let config = match Config::new(bus, flow_bits) {
        Ok(c) => c,
        Err(e) => {
            eprintln!("timely-hw: {e}");
            return ExitCode::from(2);
        }
    };
    let file = out.join(config.file_name());
    let verilog = match timely_hw::standalone::emit(config, clock_ps) {
        Ok(v) => v,
        Err(e) => {
            eprintln!("timely-hw: the design does not check: {e}");
            return ExitCode::FAILURE;
        }
    };
    if let Err(e) = std::fs::create_dir_all(&out).and_then(|()| std::fs::write(&file, &verilog)) {
        eprintln!("timely-hw: {}: {e}", file.display());
        return ExitCode::FAILURE;
    }
    println!("{}: {} lines, top module {}standalone", file.display(), verilog.lines().count(), timely_hw::emit::PREFIX);
    ExitCode::SUCCESS
}
