//! Readers of bytes that come from outside - wires, sockets, files - as functions of one input.
//!
//! A target panics when an input gets no defined answer: where a reader panics, hangs, refuses in
//! an empty text, or breaks a property that the target's file names. libFuzzer looks for such
//! inputs (`cargo xtask fuzz`); the inputs that are kept in `corpus` run in `cargo test` too.
//!
//! | target | bytes of |
//! |---|---|
//! | `wire`, `roce` | a frame |
//! | `vfio_user` | a client of `timely-sim serve` |
//! | `daemon`, `metrics` | a client of `timelyd`, a scraper of its metrics |
//! | `scenario`, `run`, `sweep` | a scenario, one that is run for some microseconds, a sweep |
//! | `topology`, `hpcc` | a topology file of HPCC's, the same with a file of flows |
//! | `sizes`, `lateness` | a distribution of sizes or times, a trace of lateness |
//! | `recording` | a file of event records |
//! | `config` | a configuration of the driver |
//! | `text` | a value on a command line |
#![deny(clippy::print_stdout, clippy::print_stderr)]
mod card;
mod check;
mod targets;
// Of the tests' library, which the datapath would come with: the fuzzer would compile it too.
#[path = "../../src/windows.rs"]
mod windows;

use std::path::PathBuf;

/// A reader under test.
pub struct Target {
    /// Name of the target, and of its folder of inputs.
    pub name: &'static str,
    /// Reads an input; panics when the answer is not a defined one.
    pub run: fn(&[u8]),
}

/// All targets.
pub const TARGETS: &[Target] = targets::ALL;

/// The target of that name.
///
/// # Errors
/// The names that there are.
pub fn named(name: &str) -> Result<&'static Target, String> {
    let names = || TARGETS.iter().map(|t| t.name).collect::<Vec<_>>().join(", ");
    TARGETS.iter().find(|t| t.name == name).ok_or_else(|| format!("there is no target `{name}`; there are: {}", names()))
}

/// The folder of a target's kept inputs.
pub fn corpus(target: &Target) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("corpus").join(target.name)
}
