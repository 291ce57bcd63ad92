//! Steps of the open tools for a whole NIC, beyond those for a block: few control sets, a global
//! reset, sites for its macros, room.
pub mod floorplan;
pub mod globals;
pub mod sets;

use serde_json::{Map, Value, json};

/// nextpnr's options for the FPGA on which everything is placed.
pub const DEVICE: [&str; 6] = ["--um5g-85k", "--package", "CABGA554", "--speed", "8", "--timing-allow-fail"];

/// Options of nextpnr: the router that weighs wires that many nets ask for. (The other gives a wire
/// to the net that asks last, and most of its time goes into giving them back. `--placer-heap-beta`
/// and `--placer-heap-critexp` change nothing for an ECP5 in nextpnr 0.7 and 0.11.)
pub const NEXTPNR: [&str; 2] = ["--router", "router2"];

/// Options for a core: the router tears out what is slower than the clock asked for, and tries
/// again. By a clock that placement allows, it costs little: a netlist that was placed for 125 MHz
/// was routed to 118 when asked for 120, one placed for 119 to 126 when asked for 125, and another
/// placed for 119 to 81 when it was not asked. By one a few percent too high it does not end: asked
/// for 135, the one of 126 had 13 ends of wires after 600 passes that each pass tore out again. By
/// 250 MHz, which none reaches, it tears out 70,000 ends a pass.
pub const TIMED: [&str; 3] = ["--tmg-ripup", "--freq", "125"];

/// Settings of the router in a core's netlist, as nextpnr has no options for them: how much dearer
/// each pass makes a wire that is asked for twice now, and one that often was. With its defaults
/// (0.5, 2 and 1), and without [`TIMED`], one of the core's seeds had 98 wires taken twice after
/// 274 passes, which with these was routed, and another reached 108 MHz, which with these reaches
/// 99; a third is routed by neither.
pub const ROUTER: [(&str, &str); 3] =
    [("router2/initCurrCongWeight", "1.0"), ("router2/currCongWeightMult", "0.5"), ("router2/histCongWeight", "1.0")];

/// Puts [`ROUTER`] into the module `top` of a netlist of `write_json`.
///
/// # Errors
/// The netlist has no such module.
pub fn tell_router(netlist: &mut Value, top: &str) -> Result<(), String> {
    let module = netlist["modules"].get_mut(top).ok_or_else(|| format!("the netlist has no module {top}"))?;
    module["settings"] = ROUTER.into_iter().map(|(name, value)| (name.to_owned(), json!(value))).collect::<Map<_, _>>().into();
    Ok(())
}

/// How `globals` and `floorplan` are used, by a name that changes with them: what was placed
/// otherwise is not taken for it.
pub const METHOD: &str = "a global reset, sites annealed from a placement by the same nextpnr, those of one address together";

#[cfg(test)]
mod tests {
    use super::{ROUTER, tell_router};
    use serde_json::json;

    #[test]
    fn the_router_is_told_in_the_module_that_is_placed() {
        let mut netlist = json!({"modules": {"top": {"cells": {}}, "ram": {}}});
        tell_router(&mut netlist, "top").unwrap();
        let told = netlist["modules"]["top"]["settings"].as_object().unwrap();
        assert_eq!(told.len(), ROUTER.len());
        assert_eq!(told["router2/currCongWeightMult"], "0.5", "nextpnr takes numbers as text");
        assert_eq!((&netlist["modules"]["top"]["cells"], &netlist["modules"]["ram"]), (&json!({}), &json!({})));
        assert!(tell_router(&mut netlist, "none").unwrap_err().contains("no module none"));
        assert!(netlist["modules"].get("none").is_none());
    }
}
