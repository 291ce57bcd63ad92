//! LUT-RAM mapping of RAMs that are block RAM for the sake of their shape: an ECP5 has 208 block
//! RAMs, and LUTs to spare.
//!
//! The blocks keep words of the sixteen profiles and delays of some clocks in RAMs of 512 words, so
//! that they become block RAM on every device. Of such a RAM the lower address bits alone say which
//! word is meant: a profile's number has 4 bits, and no delay is longer than `CLOCKS`.
use regex::Regex;
use std::collections::HashMap;

/// Words of a RAM with a word of each profile: what a LUT RAM has.
const PROFILES: usize = 16;
/// Words of one that delays, or has two words of each profile.
const CLOCKS: usize = 32;
/// RAMs of profiles' words whose module is not one of them by itself.
const OWN: &str = r"__pass__memory__(bound|idle|cap|window)_ram";
/// RAMs whose words are few, or of five bits at most.
const FEW: &str = r"__arbiter__(measures|rates|ended|issued|slots)|__epochs|_epochs|__limits__ram|__ack__queue__ram|__hold__priorities|__state__profiles__\d|__reaction__profiles|__sent__profiles|__memory__settings";

/// Kind of a RAM, by its words.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    /// One of 512 words, that needs so many.
    Wide(usize),
    /// One of few words, or of five bits at most.
    Few,
}

/// The emission with these RAMs in LUTs; how many were found of 512 words and of few, to be held
/// against what is expected.
pub fn in_luts(verilog: &str) -> (String, [usize; 2]) {
    let head = Regex::new(r"^module (\w+)\(([^)]*)\);").expect("constant pattern");
    let own = Regex::new(&format!("(?:{OWN})$")).expect("constant pattern");
    let few = Regex::new(&format!("(?:{FEW})$")).expect("constant pattern");
    let words = |ports: &str| match ports {
        "clk,bus,address,data" => Some(PROFILES),
        _ if ports == "clk,at,i,o" || ports.starts_with("clk,bus,address") => Some(CLOCKS),
        _ => None,
    };
    let of_parents: HashMap<String, usize> =
        verilog.lines().filter_map(|l| head.captures(l)).filter_map(|c| Some((format!("{}__ram", &c[1]), words(&c[2])?))).collect();
    let mut found = [0; 2];
    let mut out = String::with_capacity(verilog.len());
    let mut kind = None;
    for line in verilog.split_inclusive('\n') {
        if let Some(c) = head.captures(line) {
            kind = match &c[1] {
                name if own.is_match(name) => Some(Kind::Wide(PROFILES)),
                name if few.is_match(name) => Some(Kind::Few),
                name => of_parents.get(name).map(|words| Kind::Wide(*words)),
            };
            kind.into_iter().for_each(|k| found[usize::from(k == Kind::Few)] += 1);
        }
        match kind {
            Some(Kind::Wide(words)) => {
                let bits = words.ilog2() - 1;
                let line = line.replace("mem[511:0]", &format!("mem[{}:0]", words - 1));
                out += &line
                    .replace("mem[read_address]", &format!("mem[read_address[{bits}:0]]"))
                    .replace("mem[write_address]", &format!("mem[write_address[{bits}:0]]"));
            }
            Some(Kind::Few) => {
                let styled = line.contains("(* ram_style");
                let plain = line.trim_start().starts_with("reg") && line.contains(" mem[") && !out.trim_end().ends_with("*)");
                if plain {
                    out += "    (* ram_style = \"distributed\" *)\n";
                }
                out += &if styled { line.replace("\"block\"", "\"distributed\"") } else { line.to_owned() };
            }
            None => out += line,
        }
    }
    (out, found)
}
