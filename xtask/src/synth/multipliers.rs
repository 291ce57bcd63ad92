//! Registers around a multiplier go into the multiplier, as vendors' tools put them: yosys leaves an ECP5's `MULT18X18D` without any.
//!
//! A product that is read by registers alone takes them as its output registers; two operands that come from registers alone take those as
//! input registers, and such a register stays where something else reads it too. What the netlist does at each clock is the same. A
//! register with a clock enable, with a set, or with another reset than its neighbours stays outside.
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// What was moved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Moved {
    /// Multipliers with output registers.
    pub outputs: usize,
    /// Multipliers with input registers.
    pub inputs: usize,
}

type Cells = Map<String, Value>;
/// A cell and one of its pins.
type Pin = (String, String);

/// A register: what it reads, what it drives, its clock and its reset (a net, or "0").
struct Register {
    data: Value,
    output: Value,
    clock: Value,
    reset: Value,
}

struct Nets {
    readers: BTreeMap<u64, Vec<Pin>>,
    drivers: BTreeMap<u64, String>,
}

fn pin<'a>(cell: &'a Value, name: &str) -> &'a Value {
    &cell["connections"][name][0]
}

// One that a multiplier can hold: no enable, cleared at start, no reset or a synchronous one.
fn register(cell: &Value) -> Option<Register> {
    let is = |name: &str, value: &str| cell["parameters"][name].as_str().is_some_and(|v| v.trim() == value);
    let reset = pin(cell, "LSR").clone();
    let plain = cell["type"] == "TRELLIS_FF" && is("CEMUX", "1") && is("CLKMUX", "CLK") && is("REGSET", "RESET");
    let quiet = reset == "0" || (is("LSRMUX", "LSR") && is("SRMODE", "LSR_OVER_CE") && reset.is_u64());
    (plain && quiet).then(|| Register {
        data: pin(cell, "DI").clone(),
        output: pin(cell, "Q").clone(),
        clock: pin(cell, "CLK").clone(),
        reset,
    })
}

fn nets(module: &Value, cells: &Cells) -> Nets {
    let mut nets = Nets { readers: BTreeMap::new(), drivers: BTreeMap::new() };
    for (name, cell) in cells {
        for (pin, bits) in cell["connections"].as_object().into_iter().flatten() {
            let drives = cell["port_directions"][pin] == "output";
            for bit in bits.as_array().into_iter().flatten().filter_map(Value::as_u64) {
                if drives {
                    nets.drivers.insert(bit, name.clone());
                } else {
                    nets.readers.entry(bit).or_default().push((name.clone(), pin.clone()));
                }
            }
        }
    }
    // A port of the module reads too, so that no net of one is taken away.
    for bit in module["ports"].as_object().into_iter().flatten().flat_map(|(_, p)| p["bits"].as_array().into_iter().flatten()) {
        if let Some(bit) = bit.as_u64() {
            nets.readers.entry(bit).or_default().push((String::new(), String::new()));
        }
    }
    nets
}

// The pins of one side, such as A0 to A17, that are connected to a net.
fn side(cell: &Value, letter: char) -> Vec<(String, u64)> {
    let pins = cell["connections"].as_object().into_iter().flatten();
    pins.filter(|(name, _)| name.strip_prefix(letter).is_some_and(|rest| rest.parse::<u8>().is_ok()))
        .filter_map(|(name, bits)| Some((name.clone(), bits[0].as_u64()?)))
        .collect()
}

// One clock and one reset for all, or none of them moves.
fn shared(found: &[(String, String, Register)]) -> Option<(Value, Value)> {
    let (_, _, first) = found.first()?;
    found.iter().all(|(_, _, r)| r.clock == first.clock && r.reset == first.reset).then(|| (first.clock.clone(), first.reset.clone()))
}

// The registers that the product's pins lead to, each its pin's only reader.
fn behind(name: &str, cells: &Cells, nets: &Nets) -> Option<Vec<(String, String, Register)>> {
    let read = side(&cells[name], 'P').into_iter().filter_map(|(p, net)| Some((p, nets.readers.get(&net)?)));
    read.map(|(p, readers)| match readers.as_slice() {
        [(reader, pin)] if pin == "DI" => Some((p, reader.clone(), register(&cells[reader])?)),
        _ => None,
    })
    .collect()
}

// The registers that the operand's pins come from; a pin at 1 has none.
fn before(name: &str, letter: char, cells: &Cells, nets: &Nets) -> Option<Vec<(String, String, Register)>> {
    let constant = cells[name]["connections"]
        .as_object()?
        .iter()
        .any(|(p, bits)| p.strip_prefix(letter).is_some_and(|rest| rest.parse::<u8>().is_ok()) && bits[0] == "1");
    let found = side(&cells[name], letter).into_iter().map(|(p, net)| {
        let driver = nets.drivers.get(&net)?;
        Some((p, driver.clone(), register(cells.get(driver)?)?))
    });
    if constant { None } else { found.collect() }
}

fn connect(cells: &mut Cells, name: &str, pin: &str, net: &Value) {
    cells[name]["connections"][pin] = json!([net]);
    cells[name]["port_directions"][pin] = json!("input");
}

// Registers of one place: clock 0, always enabled, this reset.
fn enable(cells: &mut Cells, name: &str, place: &str, reset: usize, clock: &Value, net: &Value) {
    for (what, value) in [("CLK", "CLK0".to_owned()), ("CE", "CE0".to_owned()), ("RST", format!("RST{reset}"))] {
        cells[name]["parameters"][format!("REG_{place}_{what}")] = json!(value);
    }
    connect(cells, name, "CLK0", clock);
    connect(cells, name, "CE0", &json!("1"));
    connect(cells, name, &format!("RST{reset}"), net);
}

fn outputs(name: &str, cells: &mut Cells, nets: &mut Nets) -> Option<()> {
    let found = behind(name, cells, nets)?;
    let (clock, reset) = shared(&found)?;
    for (p, gone, register) in &found {
        cells[name]["connections"][p] = json!([register.output]);
        cells.remove(gone);
        nets.drivers.extend(register.output.as_u64().map(|net| (net, name.to_owned())));
        nets.readers.extend(register.data.as_u64().map(|net| (net, Vec::new())));
    }
    enable(cells, name, "OUTPUT", 0, &clock, &reset);
    Some(())
}

fn inputs(name: &str, cells: &mut Cells, nets: &mut Nets) -> Option<()> {
    let (a, b) = (before(name, 'A', cells, nets)?, before(name, 'B', cells, nets)?);
    let ((clock, reset_a), (clock_b, reset_b)) = (shared(&a)?, shared(&b)?);
    // One clock pin serves all of a multiplier's registers.
    let outer = cells[name]["connections"].get("CLK0").map(|c| c[0].clone());
    if clock != clock_b || outer.is_some_and(|c| c != clock) {
        return None;
    }
    let mut gone = BTreeSet::new();
    for (p, from, register) in a.iter().chain(&b) {
        cells[name]["connections"][p] = json!([register.data]);
        if let (Some(old), Some(new)) = (register.output.as_u64(), register.data.as_u64()) {
            let readers = nets.readers.entry(old).or_default();
            readers.retain(|(cell, pin)| cell != name || pin != p);
            if readers.is_empty() {
                gone.insert((from.clone(), new));
            }
            nets.readers.entry(new).or_default().push((name.to_owned(), p.clone()));
        }
    }
    for (register, net) in gone {
        cells.remove(&register);
        nets.readers.entry(net).or_default().retain(|(cell, _)| *cell != register);
    }
    enable(cells, name, "INPUTA", 1, &clock, &reset_a);
    enable(cells, name, "INPUTB", 2, &clock, &reset_b);
    Some(())
}

/// Moves registers into the multipliers of the module `top` of a netlist of `write_json`.
///
/// # Errors
/// The netlist has no such module.
pub fn pack(netlist: &mut Value, top: &str) -> Result<Moved, String> {
    let module = netlist["modules"].get_mut(top).ok_or_else(|| format!("the netlist has no module {top}"))?;
    let Some(mut cells) = module["cells"].as_object().cloned() else { return Err(format!("{top} has no cells")) };
    let mut nets = nets(module, &cells);
    let names: Vec<String> = cells.iter().filter(|(_, c)| c["type"] == "MULT18X18D").map(|(name, _)| name.clone()).collect();
    let mut moved = Moved::default();
    for name in names {
        moved.outputs += usize::from(outputs(&name, &mut cells, &mut nets).is_some());
        moved.inputs += usize::from(inputs(&name, &mut cells, &mut nets).is_some());
        cells[&name]["parameters"]["GSR"] = json!("DISABLED");
    }
    module["cells"] = Value::Object(cells);
    Ok(moved)
}

#[cfg(test)]
mod tests {
    use super::{Moved, pack};
    use serde_json::{Value, json};

    // A register from net `d` to net `q`, its reset at `reset`.
    fn register(d: u64, q: u64, reset: &Value) -> Value {
        json!({"type": "TRELLIS_FF",
            "parameters": {"CEMUX": "1 ", "CLKMUX": "CLK", "LSRMUX": "LSR", "REGSET": "RESET", "SRMODE": "LSR_OVER_CE"},
            "port_directions": {"CLK": "input", "DI": "input", "LSR": "input", "Q": "output"},
            "connections": {"CLK": [2], "DI": [d], "LSR": [reset], "Q": [q]}})
    }

    // Registers a (10 to 20), b (11 to 21), a product of both on 30, its register p (30 to 40), which the module's port reads.
    fn netlist() -> Value {
        json!({"modules": {"bench": {"ports": {"out": {"bits": [40]}}, "cells": {
            "a": register(10, 20, &json!("0")), "b": register(11, 21, &json!(5)), "p": register(30, 40, &json!(6)),
            "m": {"type": "MULT18X18D", "parameters": {},
                "port_directions": {"A0": "input", "A1": "input", "B0": "input", "P0": "output", "P1": "output"},
                "connections": {"A0": [20], "A1": ["0"], "B0": [21], "P0": [30], "P1": [31]}}}}}})
    }

    fn cells(netlist: &Value) -> Vec<&str> {
        netlist["modules"]["bench"]["cells"].as_object().unwrap().keys().map(String::as_str).collect()
    }

    #[test]
    fn registers_on_both_sides_move_in_with_their_resets() {
        let mut n = netlist();
        assert_eq!(pack(&mut n, "bench"), Ok(Moved { outputs: 1, inputs: 1 }));
        assert_eq!(cells(&n), ["m"]);
        let m = &n["modules"]["bench"]["cells"]["m"];
        for (pin, net) in
            [("A0", json!(10)), ("A1", json!("0")), ("B0", json!(11)), ("P0", json!(40)), ("P1", json!(31)), ("CLK0", json!(2))]
        {
            assert_eq!(m["connections"][pin], json!([net]), "{pin}");
        }
        for (place, pin, net) in [("OUTPUT", "RST0", json!(6)), ("INPUTA", "RST1", json!("0")), ("INPUTB", "RST2", json!(5))] {
            assert_eq!((&m["parameters"][format!("REG_{place}_RST")], &m["connections"][pin]), (&json!(pin), &json!([net])));
            assert_eq!(m["parameters"][format!("REG_{place}_CLK")], "CLK0");
        }
    }

    #[test]
    fn a_register_that_something_else_reads_stays_as_well() {
        let mut n = netlist();
        n["modules"]["bench"]["cells"]["other"] = register(20, 50, &json!("0"));
        assert_eq!(pack(&mut n, "bench"), Ok(Moved { outputs: 1, inputs: 1 }));
        assert_eq!(cells(&n), ["a", "m", "other"]);
    }

    #[test]
    fn what_a_multiplier_cannot_hold_stays_outside() {
        let change = |f: &dyn Fn(&mut Value)| {
            let mut n = netlist();
            f(&mut n["modules"]["bench"]["cells"]);
            let moved = pack(&mut n, "bench").unwrap();
            (moved.outputs, moved.inputs, n)
        };
        let (outputs, inputs, n) = change(&|c| c["p"]["parameters"]["CEMUX"] = json!("CE"));
        assert_eq!((outputs, inputs, &n["modules"]["bench"]["cells"]["m"]["connections"]["P0"]), (0, 1, &json!([30])));
        // Something reads the product before its register.
        let (outputs, ..) = change(&|c| c["other"] = register(30, 50, &json!("0")));
        assert_eq!(outputs, 0);
        let (outputs, inputs, n) = change(&|c| c["a"]["parameters"]["REGSET"] = json!("SET"));
        assert_eq!((outputs, inputs, cells(&n)), (1, 0, vec!["a", "b", "m"]));
        // An asynchronous reset, another clock, a constant 1, an operand of logic.
        for f in [
            (|c: &mut Value| c["b"]["parameters"]["SRMODE"] = json!("ASYNC")) as fn(&mut Value),
            |c| c["b"]["connections"]["CLK"] = json!([3]),
            |c| c["m"]["connections"]["A1"] = json!(["1"]),
            |c| c["m"]["connections"]["A1"] = json!([60]),
        ] {
            assert_eq!(change(&f).1, 0);
        }
        assert!(pack(&mut netlist(), "block").is_err());
    }
}
