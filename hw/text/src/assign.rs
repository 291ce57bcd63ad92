//! Blocks of one assignment as continuous assignments.
use regex::Regex;
use std::collections::HashSet;

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
