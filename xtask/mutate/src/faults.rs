//! Faults: the lines of `mutate -list`, and which of them are faults at all.
use super::netlist::{Bit, Netlist};

/// One fault: at one bit of one port of one cell.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fault {
    // The options as yosys listed them.
    line: String,
    mode: String,
    module: String,
    cell: String,
    port: String,
    bit: usize,
    control: Option<usize>,
    sources: Vec<String>,
    wire: Option<String>,
}

/// Clocks, of cells and of modules: their faults are not of logic.
const CLOCKS: [&str; 5] = ["CLK", "clk", "clock", "read_clock", "write_clock"];

impl Fault {
    /// Reads a line of the list.
    pub fn read(line: &str) -> Option<Self> {
        let line = line.trim().strip_prefix("mutate ")?.to_owned();
        let mut fault = Fault::default();
        let mut words = line.split_whitespace();
        while let Some(option) = words.next() {
            let value = words.next()?;
            match option {
                "-mode" => fault.mode = value.into(),
                "-module" => fault.module = value.into(),
                "-cell" => fault.cell = value.into(),
                "-port" => fault.port = value.trim_start_matches('\\').into(),
                "-portbit" => fault.bit = value.parse().ok()?,
                "-ctrlbit" => fault.control = Some(value.parse().ok()?),
                "-src" => fault.sources.push(value.into()),
                "-wire" => fault.wire = Some(value.trim_start_matches('\\').into()),
                _ => {}
            }
        }
        fault.line = line;
        (!fault.cell.is_empty() && !fault.port.is_empty()).then_some(fault)
    }

    /// Whether it changes the logic. `const0` where a 0 is wired changes nothing, nor does what no
    /// cell reads; clocks are left alone, and so are registers' outputs, for yosys would lose their
    /// initial value: the faults of their inputs and readers stand for them.
    pub fn is_one(&self, netlist: &Netlist) -> bool {
        let Some(cell) = netlist.cell(&self.module, &self.cell) else { return false };
        if CLOCKS.contains(&self.port.as_str()) || cell.kind.starts_with("$meminit") {
            return false;
        }
        let register = cell.kind.contains("dff") && self.port == "Q";
        let read_control = cell.kind.starts_with("$memrd") && !["ADDR", "DATA"].contains(&self.port.as_str());
        if register || read_control || netlist.is_unread(&self.module, cell, &self.port, self.bit) {
            return false;
        }
        let constant = |bit: usize| match cell.bit(&self.port, bit) {
            Some(Bit::Constant(c)) => Some(c.as_str()),
            _ => None,
        };
        let control = self.control.and_then(constant);
        match (constant(self.bit), self.mode.as_str()) {
            (Some("x" | "z"), _) | (Some("0"), "const0") | (Some("1"), "const1") => false,
            // Inverted where the control bit is 0, or is 1.
            (_, "cnot0") => control != Some("1"),
            (_, "cnot1") => control != Some("0"),
            _ => true,
        }
    }

    /// The command that puts it in as number `number`.
    pub fn command(&self, port: &str, number: usize) -> String {
        format!("mutate -ctrl {port} 16 {number} {}\n", self.line)
    }

    /// The fault in words: `inv $add A[3]`.
    pub fn what(&self, netlist: &Netlist) -> String {
        let kind = netlist.cell(&self.module, &self.cell).map_or("?", |c| c.kind.as_str());
        let control = self.control.filter(|_| self.mode.starts_with("cnot")).map_or(String::new(), |c| format!(" by [{c}]"));
        format!("{} {kind} {}[{}]{control}", self.mode, self.port, self.bit)
    }

    /// Where it is: the instance that its cell is from, the wire where it has a name, and what
    /// stands in the emitted text there.
    pub fn at(&self, text: &[&str]) -> String {
        let path: Vec<&str> = self.cell.split('.').filter_map(|p| p.trim_start_matches("$flatten").strip_prefix('\\')).collect();
        let instance = if self.cell.starts_with("$flatten") { path.join(".") } else { self.module.trim_start_matches('\\').to_owned() };
        let statement = |source: &String| {
            let line: usize = source.rsplit(':').next()?.split('.').next()?.parse().ok()?;
            Some(text.get(line.checked_sub(1)?)?.trim().to_owned())
        };
        let mut statements: Vec<String> = self.sources.iter().filter_map(statement).collect();
        statements.dedup();
        let wire = self.wire.as_ref().map_or(String::new(), |w| format!(" {w}"));
        format!("{instance}{wire}: {}", statements.join(" / "))
    }
}

/// `count` of the faults in a list of yosys, evenly out of all that change the logic.
///
/// # Errors
/// There are not so many.
pub fn choose(list: &str, netlist: &Netlist, count: usize) -> Result<Vec<Fault>, String> {
    let all: Vec<Fault> = list.lines().filter_map(Fault::read).filter(|f| f.is_one(netlist)).collect();
    if all.len() < count {
        return Err(format!("yosys listed {} faults that change the logic, and {count} are wanted", all.len()));
    }
    Ok((0..count).filter_map(|i| all.get(i * all.len() / count).cloned()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    const NETLIST: &str = r#"{"modules": {"tnic_x": {
        "ports": {"a": {"direction": "input", "bits": [2, 3]}, "y": {"direction": "output", "bits": [4]}},
        "cells": {"$add$x.v:3$1": {"type": "$add", "port_directions": {"A": "input", "B": "input", "Y": "output"},
                  "connections": {"A": [2, 3], "B": ["0", "1"], "Y": [4, 5]}},
                  "$flatten\\q.$dff": {"type": "$dff", "port_directions": {"CLK": "input", "D": "input", "Q": "output"},
                  "connections": {"CLK": [2], "D": [3], "Q": [4]}}}}}}"#;

    fn fault(mode: &str, port: &str, rest: &str) -> Fault {
        Fault::read(&format!("mutate -mode {mode} -module \\tnic_x -cell $add$x.v:3$1 -port \\{port} {rest} -src x.v:3.5-3.9"))
            .expect("a fault")
    }

    #[test]
    fn faults_that_change_nothing_are_none() {
        let netlist = Netlist::read(NETLIST).expect("a netlist");
        let is = |mode, port, rest| fault(mode, port, rest).is_one(&netlist);
        assert!(is("inv", "A", "-portbit 0") && is("const0", "A", "-portbit 0") && is("inv", "B", "-portbit 0"));
        assert!(is("const1", "B", "-portbit 0") && !is("const0", "B", "-portbit 0"));
        assert!(is("const0", "B", "-portbit 1") && !is("const1", "B", "-portbit 1"));
        // Controlled by a constant.
        assert!(is("cnot0", "B", "-portbit 1 -ctrlbit 0") && !is("cnot1", "B", "-portbit 1 -ctrlbit 0"));
        assert!(is("cnot1", "B", "-portbit 0 -ctrlbit 1") && !is("cnot0", "B", "-portbit 0 -ctrlbit 1"));
        // Y[1] is read by nothing, but a carry may come to a sum's bits from below; to a
        // multiplexer's nothing does.
        assert!(is("inv", "Y", "-portbit 0") && !is("inv", "Y", "-portbit 1") && is("inv", "A", "-portbit 1"));
        let netlist = Netlist::read(&NETLIST.replace("\"$add\"", "\"$mux\"")).expect("a netlist");
        let is = |rest| fault("inv", "A", rest).is_one(&netlist);
        assert!(is("-portbit 0") && !is("-portbit 1"));
        let netlist = Netlist::read(NETLIST).expect("a netlist");
        let of_register = |port: &str| {
            let line = format!("mutate -mode inv -module \\tnic_x -cell $flatten\\q.$dff -port \\{port} -portbit 0");
            Fault::read(&line).expect("a fault").is_one(&netlist)
        };
        assert_eq!(["D", "Q", "CLK"].map(of_register), [true, false, false]);
    }

    #[test]
    fn a_fault_says_where_it_is() {
        let netlist = Netlist::read(NETLIST).expect("a netlist");
        let f = fault("cnot0", "A", "-portbit 1 -ctrlbit 0 -wire \\sum -wirebit 1");
        assert_eq!(f.what(&netlist), "cnot0 $add A[1] by [0]");
        assert_eq!(f.at(&["", "", "  sum = a + 2;"]), "tnic_x sum: sum = a + 2;");
        assert!(f.command("mutsel", 7).starts_with("mutate -ctrl mutsel 16 7 -mode cnot0 -module \\tnic_x -cell $add$x.v:3$1 "));
    }

    #[test]
    fn the_choice_is_even() {
        let netlist = Netlist::read(NETLIST).expect("a netlist");
        let list: String = (0..2)
            .flat_map(|b| {
                ["inv", "const0", "const1"]
                    .map(|m| format!("mutate -mode {m} -module \\tnic_x -cell $add$x.v:3$1 -port \\A -portbit {b}\n"))
            })
            .collect();
        let chosen = choose(&list, &netlist, 3).expect("three of six");
        assert_eq!(chosen.iter().map(|f| f.what(&netlist)).collect::<Vec<_>>(), ["inv $add A[0]", "const1 $add A[0]", "const0 $add A[1]"]);
        assert!(choose(&list, &netlist, 7).is_err());
    }
}
