//! Faults in emitted Verilog, for `cargo xtask mutate`, which asks whether any test notices them.
//!
//! With `TIMELY_MUTANTS=DIR` in the environment, [`text`] gives `DIR/KEY.mutated.v` in place of an
//! emission where that file stands, and otherwise leaves the emission as `DIR/KEY.v`. A mutated
//! text has the input [`PORT`] beside its own, which every instance holds at `TIMELY_MUTANT`: the
//! fault of that number is active, none at 0.
use crate::Error;
use std::path::PathBuf;

/// The input that selects a fault.
pub const PORT: &str = "mutsel";

const VARIABLE: &str = "TIMELY_MUTANTS";

/// Whether texts may have faults in them.
pub fn asked() -> bool {
    std::env::var_os(VARIABLE).is_some()
}

/// Verilog text to compile as `key`: `emit`'s text, unless a mutated one stands in its place.
///
/// # Panics
/// `TIMELY_MUTANTS` is no folder that can be written.
pub fn text(key: &str, emit: impl FnOnce() -> String) -> String {
    let Some(folder) = std::env::var_os(VARIABLE).map(PathBuf::from) else { return emit() };
    std::fs::read_to_string(folder.join(format!("{key}.mutated.v"))).unwrap_or_else(|_| {
        let (verilog, file) = (emit(), folder.join(format!("{key}.v")));
        std::fs::write(&file, &verilog).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
        verilog
    })
}

/// The number of the fault that is active.
pub(crate) fn selected() -> Result<u32, Error> {
    let Some(number) = std::env::var_os("TIMELY_MUTANT") else { return Ok(0) };
    number.to_str().and_then(|n| n.parse().ok()).ok_or(Error::Mutant(number))
}
