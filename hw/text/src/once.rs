//! Update blocks that write each signal once.
use regex::{Captures, Regex};
use std::collections::{HashMap, HashSet};

/// Suffix of a variable's name, behind its signal's.
const VARIABLE: &str = "_v";

/// Gives a signal that an update block assigns more than once a variable in its place, `x_v` for
/// `x`, and copies it to the signal at the block's end.
///
/// A kernel assigns a default and then what differs. To a simulator of events (Icarus Verilog) a
/// change there and back is an event: blocks that read one another's outputs would start one
/// another for ever at one time. What nothing outside its block reads, RustHDL's local signals,
/// stays.
pub fn once(verilog: &str) -> String {
    let word = Regex::new(r"'?[\w$]+").expect("constant pattern");
    let declared = Regex::new(r"^    (?:output )?reg +((?:signed +)?(?:\[[^\]]*\] +)?)([\w$]+);$").expect("constant pattern");
    let mut out = String::with_capacity(verilog.len());
    for module in verilog.split_inclusive("endmodule") {
        let locals: HashSet<&str> = module
            .lines()
            .skip_while(|l| l.trim() != "// Local signals")
            .take_while(|l| l.trim() != "// Sub module instances" && l.trim() != "// Update code")
            .filter_map(|l| declared.captures(l))
            .filter_map(|c| c.get(2).map(|name| name.as_str()))
            .collect();
        let mut variables = HashSet::new();
        let mut text = String::with_capacity(module.len());
        let mut lines = module.split_inclusive('\n');
        while let Some(line) = lines.next() {
            text.push_str(line);
            if line.trim_end() == "    always @(*) begin" {
                let body: Vec<&str> = lines.by_ref().take_while(|l| l.trim_end() != "    end").collect();
                let names = rewritten(&body, &locals);
                text.push_str(&block(&body, &names, &word));
                variables.extend(names);
            }
        }
        for line in text.split_inclusive('\n') {
            out.push_str(line);
            if let Some(c) = declared.captures(line.trim_end()).filter(|c| variables.contains(&c[2])) {
                out.push_str(&format!("    reg  {}{}{VARIABLE};\n", &c[1], &c[2]));
            }
        }
    }
    out
}

/// The signals that a block assigns more than once, in the order of their first assignments.
fn rewritten<'a>(body: &[&'a str], locals: &HashSet<&str>) -> Vec<&'a str> {
    let mut count: HashMap<&str, usize> = HashMap::new();
    let targets: Vec<&str> = body.iter().filter_map(|l| target(l)).collect();
    targets.iter().for_each(|name| *count.entry(name).or_default() += 1);
    let first = |name: &&str| count.remove(*name).is_some_and(|n| n > 1) && !locals.contains(*name);
    targets.into_iter().filter(first).collect()
}

/// The name that a line assigns.
fn target(line: &str) -> Option<&str> {
    let (left, _) = line.trim_start().split_once(" = ")?;
    left.split('[').next()
}

/// The block's lines, in which `word` finds names, with the variables in the place of `names`, the
/// copies behind, and its `end`.
fn block(body: &[&str], names: &[&str], word: &Regex) -> String {
    let set: HashSet<&str> = names.iter().copied().collect();
    let variable = |c: &Captures| {
        let end = if set.contains(&c[0]) { VARIABLE } else { "" };
        format!("{}{end}", &c[0])
    };
    let mut out: String = body.iter().map(|l| word.replace_all(l, variable)).collect();
    names.iter().for_each(|name| out.push_str(&format!("        {name} = {name}{VARIABLE};\n")));
    out.push_str("    end\n");
    out
}
