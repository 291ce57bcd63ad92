//! Update blocks apart: what depends on nothing else in one stands by itself.
use std::collections::{HashMap, HashSet};

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
