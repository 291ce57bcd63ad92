//! Registers as text that a reader of Verilog expects: `reg` and one clocked block a module.
use regex::{Captures, Regex};
use std::collections::{BTreeMap, HashMap, HashSet};

/// A RustHDL flip-flop's module: name and first value.
const FLIP_FLOP: &str = r"(?x) module\ (\w+)\(d,q,clock\);\s+//\ Module\ arguments\s+
    input\ wire\ (?:signed\ |\ )(?:\[\d+:0\]\ )?d;\s+ output\ reg\ (?:signed\ |\ )(?:\[\d+:0\]\ )?q;\s+ input\ wire\ \ clock;\s+
    (?://\ Enums\s+ (?:localparam\ \w+\ =\ \d+;\s+)+)? //\ Update\ code\ \(custom\)\s+ initial\ begin\s+q\ =\ ([^;]*);\s+end\s+
    always\ @\(posedge\ clock\)\ begin\s+q\ <=\ d;\s+end\s+ endmodule[^\n]*\n";

/// A flip-flop's instance: module, name, and what stands at its data, output and clock.
const INSTANCE: &str = r"(?m)^    (\w+) (\w+)\(\n        \.d\((\w+)\),\n        \.q\((\w+)\),\n        \.clock\((\w+)\)\n    \);\n";

/// Puts each flip-flop, which RustHDL emits as a module of its own, into the module that has it: a
/// `reg` with its first value, and an assignment in one block for all registers of a clock. A
/// flip-flop whose output is no wire of the module or whose clock is not one name stays.
pub fn registers(verilog: &str) -> String {
    let flip_flop = Regex::new(FLIP_FLOP).expect("constant pattern");
    let instance = Regex::new(INSTANCE).expect("constant pattern");
    let first: HashMap<&str, &str> =
        flip_flop.captures_iter(verilog).filter_map(|c| Some((c.get(1)?.as_str(), c.get(2)?.as_str()))).collect();
    let text: String = verilog.split_inclusive("endmodule").map(|module| inside(module, &first, &instance)).collect();
    let kept: HashSet<&str> = instance.captures_iter(&text).filter_map(|c| c.get(1)).map(|name| name.as_str()).collect();
    flip_flop.replace_all(&text, |c: &Captures| if kept.contains(&c[1]) { c[0].to_owned() } else { String::new() }).into_owned()
}

/// One module, its flip-flops inside; `first` has the first values of all.
fn inside(module: &str, first: &HashMap<&str, &str>, instance: &Regex) -> String {
    let wires: HashSet<&str> = module.lines().filter_map(wire).map(|(_, name)| name).collect();
    let clocks: HashMap<&str, &str> = module.lines().filter_map(assigned).collect();
    // By output, the first value; by clock, outputs and what they take.
    let mut values: HashMap<&str, &str> = HashMap::new();
    let mut blocks: BTreeMap<&str, Vec<(&str, &str)>> = BTreeMap::new();
    let mut gone: HashSet<&str> = HashSet::new();
    for c in instance.captures_iter(module) {
        let [of, d, q, clock] = [1, 3, 4, 5].map(|i| c.get(i).map_or("", |m| m.as_str()));
        if let (Some(value), Some(by), true) = (first.get(of), clocks.get(clock), wires.contains(q)) {
            values.insert(q, value);
            blocks.entry(by).or_default().push((q, d));
            gone.insert(clock);
        }
    }
    let text = instance.replace_all(module, |c: &Captures| if values.contains_key(&c[4]) { String::new() } else { c[0].to_owned() });
    let mut out = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        let bare = line.trim_end();
        if bare.starts_with("endmodule") {
            for (clock, registers) in &blocks {
                out.push_str(&format!("    always @(posedge {clock}) begin\n"));
                registers.iter().for_each(|(q, d)| out.push_str(&format!("        {q} <= {d};\n")));
                out.push_str("    end\n");
            }
        }
        match (wire(bare), assigned(bare)) {
            (Some((_, name)), _) if gone.contains(name) => {}
            (_, Some((name, _))) if gone.contains(name) => {}
            (Some((shape, name)), _) if values.contains_key(name) => {
                out.push_str(&format!("    reg {shape}{name} = {};\n", cut(values[name], shape)));
            }
            _ => out.push_str(line),
        }
    }
    out
}

/// The sign and range, and the name, of a wire that a line declares.
fn wire(line: &str) -> Option<(&str, &str)> {
    let rest = line.strip_prefix("    wire ")?.strip_suffix(';')?;
    let name = rest.rsplit(' ').next()?;
    Some((rest[..rest.len() - name.len()].trim_start(), name))
}

/// The name that a line assigns another name to, and that one.
fn assigned(line: &str) -> Option<(&str, &str)> {
    let (name, value) = line.strip_prefix("    assign ")?.strip_suffix(';')?.split_once(" = ")?;
    value.chars().all(|c| c.is_ascii_alphanumeric() || c == '_').then_some((name, value))
}

/// A first value with the width of the register: that of a state is one of 64 bits.
fn cut(value: &str, shape: &str) -> String {
    let high = shape.split_once('[').and_then(|(_, rest)| rest.split_once(':')).map_or(Some(0), |(high, _)| high.parse::<usize>().ok());
    match (value.strip_prefix("64'h0"), high) {
        (Some(""), Some(high)) => format!("{}'h0", high + 1),
        _ => value.to_owned(),
    }
}
