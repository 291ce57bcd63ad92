//! From a RustHDL block to Verilog that shells can take: our own module prefix, no `$` in names.
use regex::Regex;
use rust_hdl::prelude::*;

/// Prefix of every emitted module, since shells bring hundreds of module names of their own.
pub const PREFIX: &str = "tnic_";

/// Emits `block` with `tnic_<name>` as its top module.
///
/// # Errors
/// What RustHDL's checks found wrong with the block (an undriven or doubly driven signal, a loop), as text.
pub fn emit<B: Block>(name: &str, mut block: B) -> Result<String, String> {
    block.connect_all();
    check_all(&block).map_err(|e| format!("{name}: {e:?}"))?;
    let mut modules = ModuleDefines::default();
    block.accept(name, &mut modules);
    Ok(clean(&modules.defines(), name))
}

/// Gives every module our prefix and the path's `$` separators a form that other tools take in names.
fn clean(verilog: &str, top: &str) -> String {
    // `a$b$c` shares its inner separator between two matches, hence the second pass. `$signed` and `$display` start with `$`.
    let separator = Regex::new(r"([A-Za-z0-9_])\$([A-Za-z0-9_])").expect("constant pattern");
    let once = separator.replace_all(verilog, "${1}__${2}");
    let twice = separator.replace_all(&once, "${1}__${2}");
    // A module is `top` or `top__path`; instances name the module at the start of a line.
    let module = Regex::new(&format!(r"(?m)^(\s*module )?(\s*)({top}(__\w+)?)(\s*\(| \w+\()")).expect("constant pattern");
    module.replace_all(&twice, format!("${{1}}${{2}}{PREFIX}${{3}}${{5}}")).into_owned()
}
