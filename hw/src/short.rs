//! A core of fewer block RAMs, to be placed for its clock on a device that has not enough for all
//! words.
use regex::Regex;

/// Words of a block RAM of 36 bits.
const SHORT: usize = 512;

/// The emission with no RAM of more than `SHORT` words: higher address bits go to everything but
/// the RAM. It works no more: the ways to, from and between RAMs are those of the whole, the RAMs'
/// number is not.
pub fn short(verilog: &str) -> String {
    let last = Regex::new(r"^(\s*reg\s*\[\d+:0\]\s*mem\s*)\[(\d+):0\]").expect("constant pattern");
    let word = Regex::new(r"mem\[(read_address|write_address)\]").expect("constant pattern");
    let bits = SHORT.ilog2() - 1;
    let (mut ram, mut long) = (false, false);
    let mut out = String::with_capacity(verilog.len());
    for line in verilog.split_inclusive('\n') {
        if line.starts_with("module ") {
            (ram, long) = (line.contains("write_address"), false);
        }
        if let Some(c) = last.captures(line) {
            long = ram && c[2].parse::<usize>().is_ok_and(|l| l >= SHORT);
        }
        if !long {
            out += line;
            continue;
        }
        let line = last.replace(line, format!("${{1}}[{}:0]", SHORT - 1)).replace("i < 1024", &format!("i < {SHORT}"));
        // Where a word that is read while it is written may be anything, the same bits say which it
        // is.
        let line = line.replace("(read_address == write_address)", &format!("(read_address[{bits}:0] == write_address[{bits}:0])"));
        out += &word.replace_all(&line, format!("mem[$1[{bits}:0]]"));
    }
    out
}
