//! Virtual machines without KVM: what `cargo xtask vm-test`, `pacing-vm` and `rdma-test` start.
mod pacing_vm;
mod rdma;
mod vm;

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
    /// Runs the driver's self-test on the Verilated NIC in a virtual machine, through its kernel's
    /// VFIO.
    VmTest(vm::VmTest),
    /// Measures software pacers in a virtual machine that counts instructions, beside the pacer's
    /// Verilog; writes target/pacing-vm/report.html.
    PacingVm(pacing_vm::PacingVm),
    /// Runs an unmodified RDMA host behind the in-line NIC, against a second one: two virtual
    /// machines.
    RdmaTest(rdma::RdmaTest),
}

fn main() -> ExitCode {
    let done = match Cli::parse().command {
        Command::VmTest(v) => v.run(),
        Command::PacingVm(p) => p.run(),
        Command::RdmaTest(r) => r.run(),
    };
    done.unwrap_or_else(|e| {
        eprintln!("error: {e}");
        ExitCode::FAILURE
    })
}
