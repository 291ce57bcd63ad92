//! Takes the memories out of a netlist, for abc: what a memory reads becomes an input of the block,
//! the same with a fault and without one, and what goes to the memory an output. Two forms whose
//! memories are told the same hold the same, so a proof for any contents is one for theirs.
use super::netlist::Port;
use std::ops::Range;

/// A memory that was taken out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Memory {
    name: String,
    width: usize,
    address_bits: usize,
    reads: usize,
    writes: usize,
}

// Behind a key at the start of one of these lines.
fn after<'a>(lines: &[&'a str], key: &str) -> Option<&'a str> {
    lines.iter().find_map(|l| l.trim().strip_prefix(key)?.strip_prefix(' '))
}

/// The text of RTLIL without its memories, and these.
///
/// # Errors
/// A memory does not look as yosys writes them.
pub fn cut(rtlil: &str) -> Result<(String, Vec<Memory>), String> {
    let number = |line: &str| line.split_whitespace().skip_while(|w| *w != "input" && *w != "output").nth(1)?.parse::<usize>().ok();
    let mut port = rtlil.lines().filter(|l| l.trim().starts_with("wire ")).filter_map(number).max().unwrap_or(0);
    let (mut text, mut memories, mut lines) = (String::new(), Vec::new(), rtlil.lines());
    while let Some(line) = lines.next() {
        if !line.trim().starts_with("cell $mem_v2 ") {
            text.push_str(line);
            text.push('\n');
            continue;
        }
        let cell: Vec<&str> = lines.by_ref().take_while(|l| l.trim() != "end").collect();
        let unknown = |key: &str| format!("{}: its {key} is missing", line.trim());
        let parameter =
            |key: &str| after(&cell, &format!("parameter \\{key}")).and_then(|v| v.parse::<usize>().ok()).ok_or_else(|| unknown(key));
        // Read at once, written by the clock: as an AIGER's registers are.
        let all = |key: &str, bit: char| {
            after(&cell, &format!("parameter \\{key}"))
                .is_some_and(|v| v.split_once('\'').is_some_and(|(_, bits)| bits.chars().all(|c| c == bit)))
        };
        if !all("RD_CLK_ENABLE", '0') || !(all("WR_CLK_ENABLE", '1') && all("WR_CLK_POLARITY", '1') || parameter("WR_PORTS")? == 0) {
            return Err(format!("{}: its ports are clocked otherwise", line.trim()));
        }
        let memory = Memory {
            name: format!("cut{}", memories.len()),
            width: parameter("WIDTH")?,
            address_bits: parameter("ABITS")?,
            reads: parameter("RD_PORTS")?,
            writes: parameter("WR_PORTS")?,
        };
        for (of, key) in [("read", "RD_DATA"), ("at", "RD_ADDR"), ("to", "WR_ADDR"), ("data", "WR_DATA"), ("enable", "WR_EN")] {
            let Some((name, p)) = memory.ports().into_iter().find(|(n, _)| *n == format!("{}_{of}", memory.name)) else { continue };
            let signal = after(&cell, &format!("connect \\{key}")).ok_or_else(|| unknown(key))?;
            port += 1;
            let (kind, ends) = if p.is_output { ("output", format!("\\{name} {signal}")) } else { ("input", format!("{signal} \\{name}")) };
            text.push_str(&format!("  wire width {} {kind} {port} \\{name}\n  connect {ends}\n", p.width));
        }
        memories.push(memory);
    }
    Ok((text, memories))
}

impl Memory {
    /// Ports in place of the memory: `read`, `at` of its reading ports; `to`, `data`, `enable` of
    /// its writing ports.
    pub fn ports(&self) -> Vec<(String, Port)> {
        let Memory { name, width, address_bits, reads, writes } = self;
        let all = [
            ("read", width * reads, false),
            ("at", address_bits * reads, true),
            ("to", address_bits * writes, true),
            ("data", width * writes, true),
            ("enable", width * writes, true),
        ];
        all.into_iter().filter(|a| a.1 > 0).map(|(of, width, is_output)| (format!("{name}_{of}"), Port { width, is_output })).collect()
    }

    /// The bits of `enable` of which one must be 1 for a bit of an output to count: an address or
    /// data that is not written does not.
    pub fn enables(&self, output: &str, bit: usize) -> Option<Range<usize>> {
        let Memory { width, address_bits, .. } = self;
        match output.strip_prefix(&self.name)?.strip_prefix('_')? {
            "data" => Some(bit..bit + 1),
            "to" => Some(bit / address_bits * width..(bit / address_bits + 1) * width),
            _ => None,
        }
    }

    /// The output that `enables` is of.
    pub fn enable(&self) -> String {
        format!("{}_enable", self.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RTLIL: &str = "module \\x\n  wire width 2 input 3 \\a\n  attribute \\src \"x.v:1\"\n  cell $mem_v2 \\m\n    parameter \\ABITS 2\n    \
                         parameter \\RD_CLK_ENABLE 1'0\n    parameter \\RD_PORTS 1\n    parameter \\WIDTH 8\n    parameter \\WR_PORTS 0\n    connect \\RD_ADDR \\a\n    connect \\RD_DATA { \\d \\e }\n  \
                         end\nend\n";

    #[test]
    fn a_memory_becomes_ports() {
        let (text, memories) = cut(RTLIL).expect("a memory");
        let in_place = "  wire width 8 input 4 \\cut0_read\n  connect { \\d \\e } \\cut0_read\n  wire width 2 output 5 \\cut0_at\n  connect \\cut0_at \\a\n";
        let (before, behind) = RTLIL.split_once("  cell $mem_v2").expect("a cell");
        assert_eq!(text, format!("{before}{in_place}{}", &behind[behind.find("end\n").expect("its end") + 4..]));
        let writes = Memory { writes: 2, ..memories[0].clone() };
        assert_eq!(
            [writes.enables("cut0_to", 3), writes.enables("cut0_data", 3), writes.enables("cut0_at", 3)],
            [Some(8..16), Some(3..4), None]
        );
        assert!(cut(&RTLIL.replace("WIDTH", "WIDE")).is_err() && cut(&RTLIL.replace("1'0", "1'1")).is_err());
    }
}
