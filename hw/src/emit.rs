//! From a RustHDL block to Verilog that shells can take: our own module prefix, no `$` in names.
use crate::links::Modules;
use rust_hdl::prelude::*;
pub use timely_text::PREFIX;

/// Emits `block` with `tnic_<name>` as its top module.
///
/// # Errors
/// RustHDL's checks reject the block (an undriven or doubly driven signal, a loop); the reason as
/// text.
pub fn emit<B: Block>(name: &str, mut block: B) -> Result<String, String> {
    block.connect_all();
    check_all(&block).map_err(|e| format!("{name}: {e:?}"))?;
    let mut modules = Modules::default();
    block.accept(name, &mut modules);
    timely_text::finished(&modules.verilog(), name).map_err(|e| format!("{name}: {e}"))
}
