//! What takes a block RAM for the sake of its shape, put into LUTs: an ECP5 has 208 block RAMs, and LUTs to spare.
//!
//! The blocks keep words of the sixteen profiles and delays of some clocks in RAMs of 512 words, so that they become block RAM on every device. Of such
//! a RAM the lower address bits alone say which word is meant: a profile's number has 4 bits, and no delay is longer than [`WORDS`] clocks.
use regex::Regex;
use std::collections::HashMap;

/// Words of a RAM that was one of 512; a multiple of the 16 that a LUT RAM has.
const WORDS: usize = 32;
/// RAMs of profiles' words whose module is not one of them by itself.
const OWN: &str = r"__pass__memory__(bound|idle|cap|window)_ram";
/// RAMs whose words are few or of one bit.
const FEW: &str = r"__arbiter__(measures|rates)|__epochs|_epochs|__limits__ram";

/// The emission with these RAMs in LUTs; how many were found of each kind, to be held against what is expected.
pub fn in_luts(verilog: &str) -> (String, [usize; 2]) {
    chosen_in_luts(verilog, |_, _| true)
}

/// The same with those alone of profiles' words that are of `most_bits` or fewer, for a design with block RAM for the others.
pub fn narrow_in_luts(verilog: &str, most_bits: usize) -> String {
    chosen_in_luts(verilog, |kind, bits| kind == 0 && bits <= most_bits).0
}

// `chosen` is given the kind of a RAM and the bits of its words.
fn chosen_in_luts(verilog: &str, chosen: impl Fn(usize, usize) -> bool) -> (String, [usize; 2]) {
    let bits = bits_of_words(verilog);
    let head = Regex::new(r"^module (\w+)\(([^)]*)\);").expect("constant pattern");
    let own = Regex::new(&format!("(?:{OWN})$")).expect("constant pattern");
    let few = Regex::new(&format!("(?:{FEW})$")).expect("constant pattern");
    let parent = |ports: &str| ports == "clk,at,i,o" || ports.starts_with("clk,bus,address");
    let parents: Vec<String> =
        verilog.lines().filter_map(|l| head.captures(l)).filter(|c| parent(&c[2])).map(|c| format!("{}__ram", &c[1])).collect();
    let mut found = [0; 2];
    let mut out = String::with_capacity(verilog.len());
    let mut kind = None;
    for line in verilog.split_inclusive('\n') {
        if let Some(c) = head.captures(line) {
            kind = match &c[1] {
                name if parents.iter().any(|p| p == name) || own.is_match(name) => Some(0),
                name if few.is_match(name) => Some(1),
                _ => None,
            };
            kind = kind.filter(|&k| chosen(k, bits.get(&c[1]).copied().unwrap_or(0)));
            kind.into_iter().for_each(|k: usize| found[k] += 1);
        }
        match kind {
            Some(0) => {
                let bits = WORDS.ilog2() - 1;
                let line = line.replace("mem[511:0]", &format!("mem[{}:0]", WORDS - 1));
                out += &line
                    .replace("mem[read_address]", &format!("mem[read_address[{bits}:0]]"))
                    .replace("mem[write_address]", &format!("mem[write_address[{bits}:0]]"));
            }
            Some(_) => {
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

// Of each module with a RAM.
fn bits_of_words(verilog: &str) -> HashMap<String, usize> {
    let ram = Regex::new(r"(?m)^module (\w+)|^\s*reg\s*(?:\[(\d+):0\])?\s*mem\s*\[").expect("constant pattern");
    let mut module = "";
    let mut bits = HashMap::new();
    for c in ram.captures_iter(verilog) {
        match c.get(1) {
            Some(name) => module = name.as_str(),
            None => {
                let last = c.get(2).and_then(|l| l.as_str().parse::<usize>().ok()).unwrap_or(0);
                bits.insert(module.to_owned(), last + 1);
            }
        }
    }
    bits
}
