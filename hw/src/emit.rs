//! From a RustHDL block to Verilog that shells can take: our own module prefix, no `$` in names.
use regex::Regex;
use rust_hdl::prelude::*;
use std::collections::{HashMap, HashSet};

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
    let named = clean(&split(&modules.defines()), name).map_err(|e| format!("{name}: {e}"))?;
    Ok(format!("{LINT}{}\n/* verilator lint_restore */\n", assign(&crate::pack::pack(&named))))
}

/// Verilator's lints that RustHDL's form of an expression raises, off for the emitted modules alone. RustHDL's types hold every width; in its
/// text a mask extends (`(a) & 8'hff`), and a range check has bounds that are parameters, often 0 or the greatest number.
const LINT: &str = "\n\
    /* Widths are checked before emission: a mask extends or cuts. Bounds of range checks are parameters, and may be the least or greatest. */\n\
    /* verilator lint_save */\n\
    /* verilator lint_off WIDTH */\n\
    /* verilator lint_off CMPCONST */\n\
    /* verilator lint_off UNSIGNED */\n";

/// Gives every module our prefix, and the path's `$` separators a form that other tools take in names.
///
/// # Errors
/// Two names of a module that would become one.
fn clean(verilog: &str, top: &str) -> Result<String, String> {
    let named = crate::names::rename(verilog)?;
    // A module is `top` or `top__path`; instances name the module at the start of a line.
    let module = Regex::new(&format!(r"(?m)^(\s*module )?(\s*)({top}(__\w+)?)(\s*\(| \w+\()")).expect("constant pattern");
    Ok(module.replace_all(&named, format!("${{1}}${{2}}{PREFIX}${{3}}${{5}}")).into_owned())
}

/// The indent of a statement that stands at the top of a module's update block.
const TOP: &str = "        ";

/// Gives every assignment that depends on nothing else in its module's update block a block of its own.
///
/// RustHDL emits a module's whole logic as one `always` block. A register's value that leaves the module then seems to depend on
/// everything that enters it, and two modules that each feed the other seem to be a loop.
pub fn split(verilog: &str) -> String {
    let mut out = String::with_capacity(verilog.len());
    let mut lines = verilog.lines();
    while let Some(line) = lines.next() {
        if line != "    always @(*) begin" {
            out.push_str(line);
            out.push('\n');
            continue;
        }
        let body: Vec<&str> = lines.by_ref().take_while(|l| *l != "    end").collect();
        let alone = independent(&body);
        // A block that nothing is left of would wait for nothing.
        if !alone.iter().all(|alone| *alone) {
            out.push_str("    always @(*) begin\n");
            for (statement, _) in body.iter().zip(&alone).filter(|(_, alone)| !**alone) {
                out.push_str(statement);
                out.push('\n');
            }
            out.push_str("    end\n");
        }
        for (statement, _) in body.iter().zip(&alone).filter(|(_, alone)| **alone) {
            out.push_str(&format!("    always @(*) {}\n", statement.trim_start()));
        }
    }
    out
}

/// Turns `always @(*) name = value;` into a wire and an `assign`: what is read may never change, and then nothing triggers such a block in a simulator
/// of events, to which the name stays unknown. A constant is so, and an input that has its first value from a register's declaration.
pub fn assign(verilog: &str) -> String {
    let block = Regex::new(r"^    always @\(\*\) (\w+) = (.*);$").expect("constant pattern");
    let declared = Regex::new(r"^    (output )?reg +(signed +)?(\[[^\]]*\] +)?(\w+);$").expect("constant pattern");
    let mut out = String::with_capacity(verilog.len());
    for module in verilog.split_inclusive("endmodule") {
        let names: HashSet<&str> =
            module.lines().filter_map(|l| block.captures(l)).filter_map(|c| c.get(1).map(|name| name.as_str())).collect();
        for line in module.split_inclusive('\n') {
            let bare = line.trim_end_matches('\n');
            let end = &line[bare.len()..];
            match (block.captures(bare), declared.captures(bare)) {
                (Some(c), _) => out.push_str(&format!("    assign {} = {};{end}", &c[1], &c[2])),
                (_, Some(c)) if names.contains(&c[4]) => {
                    let part = |i: usize| c.get(i).map_or("", |p| p.as_str());
                    out.push_str(&format!("    {}wire {}{}{};{end}", part(1), part(2), part(3), part(4)));
                }
                _ => out.push_str(line),
            }
        }
    }
    out
}

/// For each line of an update block: whether it assigns a name that is assigned nowhere else, from names that are not assigned in what
/// remains of the block.
fn independent(body: &[&str]) -> Vec<bool> {
    let target = |line: &str| -> Option<String> {
        let (left, _) = line.trim_start().split_once(" = ")?;
        Some(left.split('[').next().unwrap_or(left).to_owned())
    };
    let mut assigned: HashMap<String, usize> = HashMap::new();
    for name in body.iter().filter_map(|l| target(l)) {
        *assigned.entry(name).or_default() += 1;
    }
    let mut alone = vec![false; body.len()];
    loop {
        let mut moved = false;
        for (line, alone) in body.iter().zip(&mut alone).filter(|(_, alone)| !**alone) {
            let Some(statement) = line.strip_prefix(TOP).filter(|s| !s.starts_with(' ') && s.ends_with(';')) else { continue };
            let Some((name, value)) = statement.split_once(" = ") else { continue };
            let plain = name.chars().all(|c| c.is_ascii_alphanumeric() || "_$".contains(c));
            let reads: HashSet<&str> = value.split(|c: char| !(c.is_ascii_alphanumeric() || "_$".contains(c))).collect();
            if plain && assigned.get(name) == Some(&1) && !reads.iter().any(|r| assigned.contains_key(*r)) {
                assigned.remove(name);
                (*alone, moved) = (true, true);
            }
        }
        if !moved {
            return alone;
        }
    }
}
