//! RustHDL's Verilog into the text that users get: passes over text alone.
//!
//! A package of its own, for it is compiled with optimization: the text of a whole NIC has a
//! hundred thousand lines. The blocks would take minutes for that, and run once.
mod assign;
mod fields;
mod keywords;
mod names;
mod once;
mod pack;
mod registers;
mod split;

pub use assign::assign;
pub use fields::gather;
pub use once::once;
pub use pack::pack;
pub use registers::registers;
pub use split::split;

use regex::Regex;

/// Prefix of every emitted module, since shells bring hundreds of module names of their own.
pub const PREFIX: &str = "tnic_";

/// Verilator's lints that RustHDL's form of an expression raises, off for the emitted modules
/// alone. RustHDL's types hold every width; in its text a mask extends (`(a) & 8'hff`), and a range
/// check has bounds that are parameters, often 0 or the greatest number.
const LINT: &str = "\n\
    /* Widths are checked before emission: a mask extends or cuts. Bounds of range checks are parameters, and may be the least or greatest. */\n\
    /* verilator lint_save */\n\
    /* verilator lint_off WIDTH */\n\
    /* verilator lint_off CMPCONST */\n\
    /* verilator lint_off UNSIGNED */\n";

/// All passes over the modules of a design whose top module is `top`, which becomes `tnic_<top>`.
///
/// # Errors
/// A module's names that are reserved, declared twice, or would become one.
pub fn finished(verilog: &str, top: &str) -> Result<String, String> {
    let named = clean(&once(&split(&gather(verilog))), top)?;
    Ok(format!("{LINT}{}\n/* verilator lint_restore */\n", registers(&assign(&pack(&named)))))
}

/// Gives every module our prefix, and the path's `$` separators a form that other tools take in
/// names.
///
/// # Errors
/// A module's names that are reserved, declared twice, or would become one.
fn clean(verilog: &str, top: &str) -> Result<String, String> {
    let named = crate::names::rename(verilog)?;
    // A module is `top` or `top__path`; instances name the module at the start of a line.
    let module = Regex::new(&format!(r"(?m)^(\s*module )?(\s*)({top}(__\w+)?)(\s*\(| \w+\()")).expect("constant pattern");
    Ok(module.replace_all(&named, format!("${{1}}${{2}}{PREFIX}${{3}}${{5}}")).into_owned())
}
