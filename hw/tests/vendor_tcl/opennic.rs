//! OpenNIC: the shell's own script sources our plugin.
use super::*;
use std::collections::BTreeMap;

const CORE: &str = "timely_opennic_512_10.v";
const GOOD: &str = "-emitted @/emitted -shell @/tree -board au250";

/// A script with the steps of the shell's: arguments in pairs, for each box the plugin's files or
/// else the shell's own.
const BUILD: &str = r#"
array set o {-board au250 -tag "" -user_plugin none -num_phys_func 4 -num_qdma 2 -num_cmac_port 2 -use_phys_func 0 -impl 0 -jobs 8 -max_pkt_len 1518}
foreach {k v} $argv { set o($k) $v }
create_project open_nic_shell -part $o(-board)
set shell [file normalize ..]
set dirs {}
foreach freq {250mhz 322mhz} {
    set plugin $o(-user_plugin)
    if {![file exists $plugin/box_$freq] || ![file exists $plugin/build_box_$freq.tcl]} { set plugin $shell/plugin/p2p }
    source $plugin/box_$freq/box_${freq}_axi_crossbar.tcl
    read_verilog -quiet $plugin/box_$freq/box_${freq}_address_map.v
    lappend dirs $plugin/box_$freq
    cd $plugin
    source build_box_$freq.tcl
    cd $shell/script
}
set_property include_dirs $dirs [current_fileset]
set_property generic "$o(-num_phys_func) $o(-num_qdma) $o(-num_cmac_port) $o(-use_phys_func) $o(-jobs) $o(-max_pkt_len)" [current_fileset]
if {$o(-impl)} { launch_runs impl_1 }
"#;

fn bench() -> (Bench, Vec<(String, String)>) {
    let (bench, files) = Bench::new("alveo/opennic.tcl", Shell::OpenNic, Config::new(512, 10).expect("a configuration"));
    bench.put("tree/script/build.tcl", BUILD);
    bench.put("tree/script/board_settings/au250.tcl", "");
    bench.put("tree/src/box_250mhz/box_250mhz.sv", "");
    bench.put("tree/plugin/p2p/box_322mhz/box_322mhz_axi_crossbar.tcl", "create_ip crossbar_322\n");
    bench.put("tree/plugin/p2p/build_box_322mhz.tcl", "read_verilog -quiet -sv p2p_322mhz.sv\n");
    (bench, files)
}

/// Registers of the bridge, and of the reset beside it, each with its clock, out of the emitted
/// Verilog.
fn cells(verilog: &str) -> BTreeMap<String, &'static str> {
    // The way down to the bridge, by the names of instances.
    assert!(verilog.contains("\n    tnic_opennic_core__path path(") && verilog.contains("\n    tnic_opennic_core__path__bridge bridge("));
    let (_, bridge) = verilog.split_once("module tnic_opennic_core__path__bridge(").expect("a bridge");
    let (bridge, _) = bridge.split_once("\nendmodule").expect("its end");
    let mut cells = BTreeMap::new();
    let mut clock = None;
    for line in bridge.lines().map(str::trim) {
        if let Some(of) = line.strip_prefix("always @(posedge ") {
            clock = Some(if of.starts_with("s_clk)") { "axil_aclk" } else { "axis_aclk" });
        }
        // As the vendor's tool names what it infers for a `reg`.
        if let (Some(clock), Some((register, _))) = (clock, line.split_once("__q <= ")) {
            cells.insert(format!("box/timely_inst/core/path/bridge/{register}__q_reg"), clock);
        }
    }
    cells.extend((0..3).map(|n| (format!("box/timely_inst/core_rst_reg[{n}]"), "axis_aclk")));
    cells.insert("box/timely_inst/axil_rst_reg".into(), "axil_aclk");
    cells
}

#[test]
fn the_shell_takes_the_plugin() {
    if !has_tclsh("opennic") {
        return;
    }
    let (bench, files) = bench();
    let done = bench.run(&format!("{GOOD} -jobs 4"));
    assert_eq!(done.code, 0, "{}", done.text);
    let calls = [
        "create_project open_nic_shell -part au250",
        "read_verilog -quiet @/emitted/box_250mhz/box_250mhz_address_map.v",
        "read_verilog -quiet timely_opennic_512_10.v",
        "read_xdc timely_opennic.xdc",
        "set_property used_in_synthesis false timely_opennic.xdc",
        "set_property PROCESSING_ORDER LATE timely_opennic.xdc",
        "create_ip crossbar_322",
        "read_verilog -quiet @/tree/plugin/p2p/box_322mhz/box_322mhz_address_map.v",
        "read_verilog -quiet -sv p2p_322mhz.sv",
        "set_property include_dirs {@/emitted/box_250mhz @/tree/plugin/p2p/box_322mhz} current_fileset",
        "set_property generic {1 1 1 1 4 9600} current_fileset",
    ];
    assert_eq!(done.calls, calls, "{}", done.text);
    assert!(done.text.contains("tnic_opennic, 2^10 flows, is in @/tree/build/au250"), "{}", done.text);

    constraints(&bench, &files);
    bench.refuses_what_is_wrong(GOOD, CORE);
    bench.refuses(&GOOD.replace("au250", "soc250"), 2, &["-board soc250 is none of au50, au55c"]);
    bench.refuses(&GOOD.replace("au250", "au280"), 2, &["-board au280", "no script/board_settings/au280.tcl"]);
    bench.refuses(&format!("{GOOD} -num_cmac_port 2"), 2, &["-num_cmac_port is no argument"]);
    bench.put("tree/build/au250/DESIGN_PARAMETERS", "");
    bench.refuses(GOOD, 1, &["build/au250 is there from an earlier build", "-rebuild 1"]);
    let done = bench.run(&format!("{GOOD} -tag second -max_pkt_len 1514"));
    assert!(done.code == 0 && done.calls.iter().any(|c| c.ends_with("{1 1 1 1 8 1514} current_fileset")), "{}", done.text);
    assert_eq!(bench.run(&format!("{GOOD} -rebuild 1")).code, 0);
    // A shell that sources no plugin, and one whose clocks are not met.
    bench.put("tree/script/build.tcl", "create_project open_nic_shell\n");
    bench.refuses(&format!("{GOOD} -rebuild 1"), 1, &["ended without timely_opennic_512_10.v in its project"]);
    bench.put("tree/script/build.tcl", BUILD);
    for (slack, code, text) in [("0.012", 0, "is in @/tree/build"), ("-0.3", 1, "worst slack `-0.3` ns"), ("", 1, "worst slack `` ns")] {
        let done = bench.source(&bench.script, "", &format!("{GOOD} -rebuild 1 -impl 1"), &[("SLACK", slack)]);
        assert!(done.code == code && done.text.contains(text), "{slack}: {}", done.text);
    }
}

/// Every name in the constraints finds registers, each of the clock that the constraint is about,
/// and all that crosses is there.
fn constraints(bench: &Bench, files: &[(String, String)]) {
    let cells = cells(&files[0].1);
    assert_eq!(cells.len(), 27, "{cells:?}");
    bench.put("cells", &cells.iter().map(|(name, clock)| format!("{{{name}}} {clock}\n")).collect::<String>());
    let done = bench.source(&bench.path("emitted/timely_opennic.xdc"), "", "", &[("CELLS", &bench.path("cells").display().to_string())]);
    assert_eq!(done.code, 0, "{}", done.text);
    let bridge =
        |names: &[&str]| names.iter().map(|n| format!("box/timely_inst/core/path/bridge/{n}__q_reg")).collect::<Vec<_>>().join(" ");
    let asked = bridge(&["ar_addr", "ask", "aw_addr", "w_data", "w_strb", "writing"]);
    let told = bridge(&["answer", "response", "tell"]);
    let calls = [
        format!("set_property ASYNC_REG TRUE {{{}}}", bridge(&["asked_1", "asked_2", "told_1", "told_2"])),
        format!("set_max_delay -datapath_only 4.0 -from {{{asked}}} -to axis_aclk"),
        format!("set_max_delay -datapath_only 4.0 -from {{{told}}} -to axil_aclk"),
        "set_false_path -to {{box/timely_inst/core_rst_reg[0]}}".to_owned(),
    ];
    assert_eq!(done.calls, calls, "{}", done.text);
    for (names, clock) in [(&asked, "axil_aclk"), (&told, "axis_aclk")] {
        names.split(' ').for_each(|n| assert_eq!(cells[n], clock, "{n}"));
    }
    assert!(files[0].1.contains("(* ASYNC_REG = \"TRUE\" *) reg [2:0] core_rst"), "three registers without a reset may become one LUT");
}
