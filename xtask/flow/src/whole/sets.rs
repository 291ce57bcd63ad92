//! Few control sets: the flip-flops of a tile of an ECP5, eight of them, share their reset's net,
//! and those of a slice, two, their enable.
//!
//! Yosys makes a reset of every condition under which a register becomes a constant, and inverts a
//! reset that is active low once for each flip-flop, so that each has a net of its own and keeps
//! seven others out of its tile: of a whole NIC's 2,200 control sets 1,600 were single flip-flops
//! of that kind. nextpnr's placer, which looks for tiles at random, then does not come to an end.

/// Flip-flops that a reset must have to stay one: eight tiles.
const RESET_OF: u32 = 64;
/// Flip-flops that an enable must have to stay one: two slices.
const ENABLE_OF: u32 = 4;
/// Kinds of flip-flops of an ECP5, as `synth_ecp5` has them.
const CELLS: [(&str, &str); 7] = [
    ("$_DFF_?_", "01"),
    ("$_DFF_?P?_", "r"),
    ("$_SDFF_?P?_", "r"),
    ("$_DFFE_??_", "01"),
    ("$_DFFE_?P??_", "r"),
    ("$_SDFFE_?P??_", "r"),
    ("$_DLATCH_?_", "x"),
];

/// Commands of yosys for the module `top`: `synth_ecp5`, before whose step `map_ffs` resets and
/// enables of few become logic, and inverters of one net one. Not its last step, which looks for
/// readable names for a quarter of an hour.
pub fn synthesis(top: &str) -> String {
    let cells: String = CELLS.iter().map(|(kind, initial)| format!(" -cell {kind} {initial}")).collect();
    format!(
        "synth_ecp5 -top {top} -run begin:map_ffs\ndfflegalize{cells} -minsrst {RESET_OF} -mince {ENABLE_OF}\nopt_merge\n\
         synth_ecp5 -top {top} -run map_ffs:check\nhierarchy -check\nblackbox =A:whitebox\n"
    )
}

#[cfg(test)]
mod tests {
    use super::synthesis;
    use serde_json::Value;
    use std::collections::BTreeSet;
    use std::process::Command;
    use timely_tools::process::quiet;

    // Nets at a pin of the flip-flops that yosys makes of this, and the flip-flops; none if there
    // is no yosys.
    fn nets(name: &str, verilog: &str, pin: &str) -> Option<(usize, usize)> {
        let yosys = std::env::var_os("YOSYS").unwrap_or_else(|| "yosys".into());
        Command::new(&yosys).arg("-V").output().ok()?;
        let dir = std::env::temp_dir().join(format!("timely-sets-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&dir).expect("a folder");
        let text = format!("read_verilog top.v\n{}write_json top.json\n", synthesis("top"));
        std::fs::write(dir.join("top.v"), verilog).and_then(|()| std::fs::write(dir.join("top.ys"), text)).expect("files");
        let mut c = Command::new(yosys);
        c.args(["-q", "-s", "top.ys"]).current_dir(&dir);
        quiet(c).expect("synthesis");
        let netlist: Value = serde_json::from_slice(&std::fs::read(dir.join("top.json")).expect("a netlist")).expect("JSON");
        std::fs::remove_dir_all(&dir).ok();
        let cells = netlist["modules"]["top"]["cells"].as_object().expect("cells").values();
        let flops: Vec<&Value> = cells.filter(|c| c["type"] == "TRELLIS_FF").collect();
        let used: BTreeSet<u64> = flops.iter().filter_map(|f| f["connections"][pin][0].as_u64()).collect();
        Some((used.len(), flops.len()))
    }

    // `n` registers that become `to` under `condition`, each of another input.
    fn registers(n: u32, condition: &str, to: &str) -> String {
        format!(
            "module top(input clk, input a, input b, input [{m}:0] d, output reg [{m}:0] q = 0);\nalways @(posedge clk) if ({condition}) q <= {to};\n\
             else q <= d;\nendmodule\n",
            m = n - 1
        )
    }

    #[test]
    fn a_reset_that_is_active_low_is_inverted_once() {
        let Some(nets) = nets("low", &registers(100, "!a", "0"), "LSR") else { return };
        assert_eq!(nets, (1, 100));
    }

    #[test]
    fn resets_and_enables_of_few_become_logic() {
        let (few, many) = (registers(9, "a & b", "0"), registers(90, "a & b", "0"));
        let Some(few) = nets("few", &few, "LSR") else { return };
        assert_eq!((few, nets("many", &many, "LSR")), ((0, 9), Some((1, 90))));
        let (few, many) = (registers(3, "a & b", "q"), registers(30, "a & b", "q"));
        assert_eq!((nets("held", &few, "CE"), nets("kept", &many, "CE")), (Some((0, 3)), Some((1, 30))));
    }
}
