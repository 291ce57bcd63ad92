//! The register behind a multiplier goes into the multiplier, as vendors' tools put it: yosys
//! leaves an ECP5's `MULT18X18D` without any.
//!
//! A product that is read by registers alone takes them as its output registers, so that no route
//! lies between; what the netlist does at each clock is the same. A register with a clock enable,
//! with a set, or with another clock or reset than its neighbours keeps all of them outside.
//! Registers in front stay where they are: what they are computed from would have the multiplier's
//! route to go instead.
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

type Cells = Map<String, Value>;

/// A register: what it drives, its clock and its reset (a net, or "0").
#[derive(Clone)]
struct Register {
    name: String,
    output: Value,
    clock: Value,
    reset: Value,
}

/// Cells and pins that read a net.
type Readers = BTreeMap<u64, Vec<(String, String)>>;

// One that a multiplier can hold: no enable, cleared at start, no reset or a synchronous one.
fn register(name: &str, cell: &Value) -> Option<Register> {
    let is = |name: &str, value: &str| cell["parameters"][name].as_str().is_some_and(|v| v.trim() == value);
    let net = |pin: &str| cell["connections"][pin][0].clone();
    let reset = net("LSR");
    let plain = cell["type"] == "TRELLIS_FF" && is("CEMUX", "1") && is("CLKMUX", "CLK") && is("REGSET", "RESET");
    let quiet = reset == "0" || (is("LSRMUX", "LSR") && is("SRMODE", "LSR_OVER_CE") && reset.is_u64());
    (plain && quiet).then(|| Register { name: name.to_owned(), output: net("Q"), clock: net("CLK"), reset })
}

fn readers(module: &Value, cells: &Cells) -> Readers {
    let mut readers = Readers::new();
    for (name, cell) in cells {
        let pins = cell["connections"].as_object().into_iter().flatten();
        for (pin, bits) in pins.filter(|(pin, _)| cell["port_directions"][pin] != "output") {
            for net in bits.as_array().into_iter().flatten().filter_map(Value::as_u64) {
                readers.entry(net).or_default().push((name.clone(), pin.clone()));
            }
        }
    }
    // A port of the module reads as well.
    let ports = module["ports"].as_object().into_iter().flatten();
    for net in ports.flat_map(|(_, p)| p["bits"].as_array().into_iter().flatten()).filter_map(Value::as_u64) {
        readers.entry(net).or_default().push((String::new(), String::new()));
    }
    readers
}

// The registers behind the pins of a product, each its pin's only reader and all of one clock and
// reset.
fn behind(cell: &Value, cells: &Cells, readers: &Readers) -> Option<Vec<(String, Register)>> {
    let is_product = |pin: &str| pin.strip_prefix('P').is_some_and(|rest| rest.parse::<u8>().is_ok());
    let pins = cell["connections"].as_object().into_iter().flatten().filter(|(pin, _)| is_product(pin));
    let read = pins.filter_map(|(pin, bits)| Some((pin, readers.get(&bits[0].as_u64()?)?)));
    let found: Option<Vec<_>> = read
        .map(|(pin, readers)| match readers.as_slice() {
            [(reader, data)] if data == "DI" => Some((pin.clone(), register(reader, &cells[reader])?)),
            _ => None,
        })
        .collect();
    let found = found?;
    let (_, first) = found.first()?;
    found.iter().all(|(_, r)| r.clock == first.clock && r.reset == first.reset).then_some(found)
}

/// Moves registers into the multipliers of the module `top` of a netlist of `write_json`; gives how
/// many multipliers got some.
///
/// # Errors
/// The netlist has no such module.
pub fn pack(netlist: &mut Value, top: &str) -> Result<usize, String> {
    let module = netlist["modules"].get_mut(top).ok_or_else(|| format!("the netlist has no module {top}"))?;
    let Some(mut cells) = module["cells"].as_object().cloned() else { return Err(format!("{top} has no cells")) };
    let readers = readers(module, &cells);
    let names: Vec<String> = cells.iter().filter(|(_, c)| c["type"] == "MULT18X18D").map(|(name, _)| name.clone()).collect();
    let mut packed = 0;
    for name in names {
        let Some(found) = behind(&cells[&name], &cells, &readers) else { continue };
        for (pin, register) in &found {
            cells.remove(&register.name);
            cells[&name]["connections"][pin] = json!([register.output]);
        }
        let (clock, reset) = (&found[0].1.clock, &found[0].1.reset);
        for (pin, net) in [("CLK0", clock), ("CE0", &json!("1")), ("RST0", reset)] {
            cells[&name]["connections"][pin] = json!([net]);
            cells[&name]["port_directions"][pin] = json!("input");
        }
        for (parameter, value) in [("REG_OUTPUT_CLK", "CLK0"), ("REG_OUTPUT_CE", "CE0"), ("REG_OUTPUT_RST", "RST0"), ("GSR", "DISABLED")] {
            cells[&name]["parameters"][parameter] = json!(value);
        }
        packed += 1;
    }
    module["cells"] = Value::Object(cells);
    Ok(packed)
}

#[cfg(test)]
mod tests {
    use super::pack;
    use serde_json::{Value, json};

    // A register from net `d` to net `q`, its reset at `reset`.
    fn register(d: u64, q: u64, reset: &Value) -> Value {
        json!({"type": "TRELLIS_FF",
            "parameters": {"CEMUX": "1 ", "CLKMUX": "CLK", "LSRMUX": "LSR", "REGSET": "RESET", "SRMODE": "LSR_OVER_CE"},
            "port_directions": {"CLK": "input", "DI": "input", "LSR": "input", "Q": "output"},
            "connections": {"CLK": [2], "DI": [d], "LSR": [reset], "Q": [q]}})
    }

    // A product on nets 30 and 31 and one that nothing reads, their registers p and q; the module's
    // port reads 40.
    fn netlist() -> Value {
        json!({"modules": {"bench": {"ports": {"out": {"bits": [40]}}, "cells": {
            "p": register(30, 40, &json!(6)), "q": register(31, 41, &json!(6)), "r": register(41, 42, &json!("0")),
            "m": {"type": "MULT18X18D", "parameters": {},
                "port_directions": {"A0": "input", "P0": "output", "P1": "output", "P2": "output"},
                "connections": {"A0": [20], "P0": [30], "P1": [31], "P2": [32]}}}}}})
    }

    // Packs after a change of the cells; the number of multipliers that took registers, and the
    // cells that are left.
    fn packed(change: fn(&mut Value)) -> (usize, Value) {
        let mut n = netlist();
        change(&mut n["modules"]["bench"]["cells"]);
        let count = pack(&mut n, "bench").unwrap();
        (count, n["modules"]["bench"]["cells"].take())
    }

    #[test]
    fn the_registers_of_a_product_move_in() {
        let (count, cells) = packed(|_| ());
        assert_eq!(count, 1);
        assert_eq!(cells.as_object().unwrap().keys().collect::<Vec<_>>(), ["m", "r"]);
        let m = &cells["m"];
        for (pin, net) in
            [("A0", json!(20)), ("P0", json!(40)), ("P1", json!(41)), ("P2", json!(32)), ("CLK0", json!(2)), ("RST0", json!(6))]
        {
            assert_eq!(m["connections"][pin], json!([net]), "{pin}");
        }
        assert_eq!((&m["parameters"]["REG_OUTPUT_CLK"], &m["parameters"]["REG_OUTPUT_RST"]), (&json!("CLK0"), &json!("RST0")));
        assert_eq!(packed(|c| ["p", "q"].into_iter().for_each(|r| c[r]["connections"]["LSR"] = json!(["0"]))).0, 1, "without a reset");
    }

    #[test]
    fn what_a_multiplier_cannot_hold_keeps_all_of_them_outside() {
        type Change = fn(&mut Value);
        let cases: [(&str, Change); 8] = [
            ("an enable", |c| c["p"]["parameters"]["CEMUX"] = json!("CE")),
            ("a set", |c| c["p"]["parameters"]["REGSET"] = json!("SET")),
            ("an asynchronous reset", |c| c["q"]["parameters"]["SRMODE"] = json!("ASYNC")),
            ("another reset", |c| c["q"]["connections"]["LSR"] = json!([7])),
            ("another clock", |c| c["q"]["connections"]["CLK"] = json!([3])),
            ("a second reader", |c| c["other"] = register(30, 50, &json!("0"))),
            ("a reader that is none", |c| c["q"]["type"] = json!("LUT4")),
            ("a reset pin", |c| c["q"]["connections"] = json!({"CLK": [2], "DI": [9], "LSR": [31], "Q": [41]})),
        ];
        for (what, change) in cases {
            let (count, cells) = packed(change);
            assert_eq!((count, &cells["m"]["connections"]["P0"], cells.get("p").is_some()), (0, &json!([30]), true), "{what}");
        }
        assert!(pack(&mut netlist(), "block").is_err());
        let mut port = netlist();
        port["modules"]["bench"]["ports"]["out"]["bits"] = json!([30]);
        assert_eq!(pack(&mut port, "bench"), Ok(0), "a port reads it");
    }
}
