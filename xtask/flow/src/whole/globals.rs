//! The reset that nearly all flip-flops share goes over one of the FPGA's global nets, as its
//! clocks do: over common wires it takes longer than a clock's period from one corner to the other,
//! and nextpnr makes clocks alone global by itself.
//!
//! LUTs that read the reset get it over common wires, as no global net leads to LUTs. nextpnr
//! counts nothing for a global net, some 3 ns for which a reset has room.
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Flip-flops whose reset is made global.
const GLOBAL_OF: usize = 1000;

/// Puts the resets of many flip-flops of the module `top`, in a netlist of `write_json`, onto
/// global nets.
///
/// # Errors
/// The netlist has no such module, or no such reset.
pub fn promote(netlist: &mut Value, top: &str) -> Result<(), String> {
    match promote_of(netlist, top, GLOBAL_OF)? {
        0 => Err(format!("{top} has no reset of {GLOBAL_OF} flip-flops, which a whole NIC has")),
        _ => Ok(()),
    }
}

fn promote_of(netlist: &mut Value, top: &str, flops: usize) -> Result<usize, String> {
    let module = netlist["modules"].get_mut(top).ok_or_else(|| format!("the netlist has no module {top}"))?;
    // A net that only a name or a port has is taken too.
    let listed = ["netnames", "ports"].into_iter().filter_map(|kind| module[kind].as_object()).flat_map(|all| all.values());
    let bits = listed.flat_map(|n| n["bits"].as_array().into_iter().flatten());
    let mut free = bits.filter_map(Value::as_u64).fold(0, |most, net| most.max(net + 1));
    let cells = module["cells"].as_object_mut().ok_or_else(|| format!("{top} has no cells"))?;
    let mut readers = BTreeMap::<u64, usize>::new();
    for cell in cells.values() {
        let nets = cell["connections"].as_object().into_iter().flatten().flat_map(|(_, bits)| bits.as_array().into_iter().flatten());
        free = nets.filter_map(Value::as_u64).fold(free, |most, net| most.max(net + 1));
        if let Some(net) = reset(cell) {
            *readers.entry(net).or_default() += 1;
        }
    }
    let global: BTreeMap<u64, u64> = readers.into_iter().filter(|&(_, n)| n >= flops).map(|(net, _)| net).zip(free..).collect();
    for cell in cells.values_mut() {
        if let Some(new) = reset(cell).and_then(|net| global.get(&net)) {
            cell["connections"]["LSR"] = json!([new]);
        }
    }
    for (net, new) in &global {
        let buffer = json!({"type": "DCCA", "parameters": {}, "attributes": {}, "port_directions": {"CLKI": "input", "CLKO": "output"},
            "connections": {"CLKI": [net], "CLKO": [new]}});
        cells.insert(format!("global_reset_{net}"), buffer);
    }
    Ok(global.len())
}

// The net that resets a flip-flop.
fn reset(cell: &Value) -> Option<u64> {
    (cell["type"] == "TRELLIS_FF").then(|| cell["connections"]["LSR"][0].as_u64())?
}

#[cfg(test)]
mod tests {
    use super::{promote, promote_of};
    use serde_json::json;

    #[test]
    fn the_reset_of_many_becomes_global() {
        let flop = |reset: &serde_json::Value, q: u64| json!({"type": "TRELLIS_FF", "connections": {"CLK": [2], "LSR": [reset], "Q": [q]}});
        let lut = json!({"type": "LUT4", "connections": {"A": [5], "Z": [40]}});
        let mut netlist = json!({"modules": {"top": {"netnames": {"dangling": {"bits": [44, "0"]}}, "cells": {
            "a": flop(&json!(5), 20), "b": flop(&json!(5), 21), "c": flop(&json!(5), 22), "d": flop(&json!(6), 23), "e": flop(&json!("0"), 24), "l": lut}}}});
        assert_eq!(promote_of(&mut netlist, "top", 3), Ok(1));
        let cells = &netlist["modules"]["top"]["cells"];
        let pin = |cell: &str, pin: &str| cells[cell]["connections"][pin][0].clone();
        assert_eq!((pin("global_reset_5", "CLKI"), pin("global_reset_5", "CLKO")), (json!(5), json!(45)), "a net that nothing has yet");
        assert_eq!(["a", "b", "c", "d", "e"].map(|c| pin(c, "LSR")), [json!(45), json!(45), json!(45), json!(6), json!("0")]);
        assert_eq!((pin("l", "A"), pin("a", "CLK")), (json!(5), json!(2)), "others read it where it was");
        assert_eq!(promote_of(&mut netlist, "top", 4), Ok(0));
        assert!(promote(&mut netlist, "none").is_err());
        assert_eq!(promote(&mut netlist, "top"), Err("top has no reset of 1000 flip-flops, which a whole NIC has".into()));
    }
}
