//! Names in emitted Verilog: RustHDL joins the parts of a name by `$`, which other tools do not
//! take.
use crate::keywords::reserved;
use regex::{Captures, Regex};
use std::collections::{HashMap, HashSet};

/// Rewrites names with `$`. A port that is a bus's field, `s_axil$awaddr`, becomes `s_axil_awaddr`;
/// a signal of an instance, `csr$clk`, becomes `csr__clk`, and so does all else. `$signed` and
/// `$display` start with `$` and stay.
///
/// # Errors
/// Two names of a module that would become one, a name that a module declares twice, and one that
/// Verilog reserves.
pub fn rename(verilog: &str) -> Result<String, String> {
    let name = Regex::new(r"(\.?)\b([A-Za-z_]\w*(?:\$\w+)+)").expect("constant pattern");
    let header = Regex::new(r"(?m)^module [\w$]+\(([^)]*)\)").expect("constant pattern");
    let instance = Regex::new(r"(?m)^\s+[\w$]+ ([\w$]+)\($").expect("constant pattern");
    let declared =
        Regex::new(r"(?m)^\s*(?:input|output|inout|reg|wire|localparam)\b[^;=]*?([\w$]+)\s*(?:=[^;]*)?;$").expect("constant pattern");
    let mut out = String::with_capacity(verilog.len());
    for module in verilog.split_inclusive("endmodule") {
        let ports: HashSet<&str> =
            header.captures(module).map(|c| c.get(1).map_or("", |p| p.as_str()).split(',').map(str::trim).collect()).unwrap_or_default();
        let instances: HashSet<&str> = instance.captures_iter(module).filter_map(|c| c.get(1)).map(|name| name.as_str()).collect();
        let mut names: HashMap<String, &str> = HashMap::new();
        for old in declared.captures_iter(module).filter_map(|c| c.get(1)).map(|name| name.as_str()).chain(instances.iter().copied()) {
            let new = renamed(old, &ports, &instances);
            if reserved(&new) {
                return Err(format!("{old} is a reserved word of Verilog: rename the signal"));
            }
            if let Some(other) = names.insert(new.clone(), old) {
                return Err(match other == old {
                    true => format!("{old} is declared twice, once perhaps as the variable of a signal: rename the signal"),
                    false => format!("{other} and {old} are both {new} in Verilog: rename one"),
                });
            }
        }
        out += &name.replace_all(module, |c: &Captures| match &c[1] {
            "." => format!(".{}", port(&c[2])),
            _ => renamed(&c[2], &ports, &instances),
        });
    }
    Ok(out)
}

/// A name inside a module with these ports and instances.
fn renamed(name: &str, ports: &HashSet<&str>, instances: &HashSet<&str>) -> String {
    if ports.contains(name) {
        return port(name);
    }
    // The instance may be one of an array, `timers$3`.
    let splits = name.match_indices('$').rev().map(|(at, _)| name.split_at(at));
    match splits.into_iter().find(|(instance, _)| instances.contains(instance)) {
        Some((instance, field)) => format!("{}__{}", instance.replace('$', "__"), port(&field[1..])),
        None => name.replace('$', "__"),
    }
}

/// The name of a port: a bus and its field, or an array and a number.
fn port(name: &str) -> String {
    let mut parts = name.split('$');
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        out += if part.bytes().all(|b| b.is_ascii_digit()) { "__" } else { "_" };
        out += part;
    }
    out
}
