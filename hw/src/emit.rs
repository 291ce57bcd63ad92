//! From a RustHDL block to Verilog that shells can take: our own module prefix, no `$` in names.
use crate::links::Modules;
use crate::once::once;
use crate::registers::registers;
use regex::Regex;
use rust_hdl::prelude::*;
use std::collections::{HashMap, HashSet};

/// Prefix of every emitted module, since shells bring hundreds of module names of their own.
pub const PREFIX: &str = "tnic_";

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
    let named = clean(&once(&split(&gather(&modules.verilog()))), name).map_err(|e| format!("{name}: {e}"))?;
    Ok(format!("{LINT}{}\n/* verilator lint_restore */\n", registers(&assign(&crate::pack::pack(&named)))))
}

/// Verilator's lints that RustHDL's form of an expression raises, off for the emitted modules
/// alone. RustHDL's types hold every width; in its text a mask extends (`(a) & 8'hff`), and a range
/// check has bounds that are parameters, often 0 or the greatest number.
const LINT: &str = "\n\
    /* Widths are checked before emission: a mask extends or cuts. Bounds of range checks are parameters, and may be the least or greatest. */\n\
    /* verilator lint_save */\n\
    /* verilator lint_off WIDTH */\n\
    /* verilator lint_off CMPCONST */\n\
    /* verilator lint_off UNSIGNED */\n";

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

/// Joins the assignments of a word's fields, where they follow one another and make up the whole
/// word, into one of a concatenation.
///
/// RustHDL assigns a field as a slice. As one assignment the word can leave the update block by
/// [`split`].
pub fn gather(verilog: &str) -> String {
    let declared = Regex::new(r"^    (?:input |output )?(?:reg|wire) +(?:\[(\d+):0\] )?([\w$]+);$").expect("constant pattern");
    let field = Regex::new(r"^( +)([\w$]+)\[\(\d+'h([0-9a-f]+)\)\+:\((\d+)\)\] = ([\w$]+(?:\[\(\d+'h[0-9a-f]+\)\+:\(\d+\)\])?|1'b[01]);$")
        .expect("constant pattern");
    let mut width: HashMap<&str, usize> = HashMap::new();
    let mut out = String::with_capacity(verilog.len());
    let mut lines = verilog.lines().peekable();
    while let Some(line) = lines.next() {
        if line.starts_with("module ") {
            width.clear();
        }
        if let Some(c) = declared.captures(line) {
            let high = c.get(1).map_or(Ok(0), |high| high.as_str().parse::<usize>());
            width.insert(c.get(2).map_or("", |m| m.as_str()), high.map_or(0, |high| high + 1));
        }
        let Some(first) = field.captures(line) else {
            out.push_str(line);
            out.push('\n');
            continue;
        };
        let mut run = vec![(line, first)];
        while let Some((next, c)) = lines.peek().and_then(|l| field.captures(l).map(|c| (*l, c)))
            && (c[1] == run[0].1[1] && c[2] == run[0].1[2])
        {
            run.push((next, c));
            lines.next();
        }
        let mut fields: Vec<(usize, usize, &str)> = run
            .iter()
            .map(|(_, c)| {
                let number = |i: usize, radix: u32| usize::from_str_radix(&c[i], radix).unwrap_or(usize::MAX / 2);
                (number(3, 16), number(4, 10), c.get(5).map_or("", |m| m.as_str()))
            })
            .collect();
        fields.sort_by_key(|f| f.0);
        let end = fields.iter().try_fold(0, |end, (low, width, _)| (*low == end).then_some(end + width));
        let name = &run[0].1[2];
        // A state's name has no width and can't stand in a concatenation; nor can the word's own
        // bits, which change between the assignments.
        let sized = |&(_, bits, value): &(usize, usize, &str)| {
            let (of, slice) = value.split_once('[').map_or((value, false), |(of, _)| (of, true));
            of != name && (slice || value.starts_with("1'b") || width.get(value) == Some(&bits))
        };
        if end.is_some() && end == width.get(name).copied() && fields.iter().all(sized) {
            let parts: Vec<&str> = fields.iter().rev().map(|f| f.2).collect();
            out.push_str(&format!("{}{name} = {{{}}};\n", &run[0].1[1], parts.join(", ")));
        } else {
            run.iter().for_each(|(line, _)| out.push_str(&format!("{line}\n")));
        }
    }
    out
}

/// The indent of a statement that stands at the top of a module's update block.
const TOP: &str = "        ";

/// Gives every assignment that depends on nothing else in its module's update block a block of its
/// own.
///
/// RustHDL emits a module's whole logic as one `always` block. A register's value that leaves the
/// module then seems to depend on everything that enters it, and two modules that each feed the
/// other seem to be a loop.
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

/// Turns `always @(*) name = value;` into a wire and an `assign`: what is read may never change,
/// and then nothing triggers such a block in a simulator of events, to which the name stays
/// unknown. A constant is so, and an input that has its first value from a register's declaration.
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

/// For each line of an update block: whether it assigns a name that is assigned nowhere else, from
/// names that are not assigned in what remains of the block.
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
