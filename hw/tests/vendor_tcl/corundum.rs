//! Corundum: a design beside one of its own, with our files in its Makefile and our parameters in
//! its configuration.
use super::*;

const DESIGN: &str = "NetFPGA_SUME/fpga/fpga";
const GOOD: &str = "-emitted @/emitted -shell @/tree -design NetFPGA_SUME/fpga/fpga";
const MADE: &str = "tree/fpga/mqnic/NetFPGA_SUME/fpga/fpga_app_timely";

/// The lines of a design's files that ours stand among.
const MAKE: &str = "FPGA_TOP = fpga\n\nSYN_FILES = rtl/fpga.v\nSYN_FILES += rtl/fpga_core.v\nSYN_FILES += rtl/common/mqnic_core.v\n\
                    SYN_FILES += rtl/common/mqnic_tx_scheduler_block_rr.v\nSYN_FILES += rtl/common/tx_scheduler_rr.v\n\n\
                    CONFIG_TCL_FILES = ./config.tcl\n\nfiles:\n\t@echo $(SYN_FILES)\n";
const CONFIG: &str = r#"set params [dict create]
dict set params PORTS_PER_IF "1"
dict set params TX_QUEUE_INDEX_WIDTH "9"
dict set params PTP_TS_ENABLE "1"
dict set params APP_ID "32'h00000000"
dict set params APP_ENABLE "0"
dict set params APP_STAT_ENABLE "1"
dict set params AXIL_APP_CTRL_ADDR_WIDTH "24"
set_property bar2 [expr {[dict get $params APP_ENABLE] ? [dict get $params AXIL_APP_CTRL_ADDR_WIDTH] : 0}] [get_ips pcie]
set param_list {}
dict for {name value} $params { lappend param_list $name=$value }
set_property generic $param_list [get_filesets sources_1]
"#;

fn bench() -> (Bench, Vec<(String, String)>) {
    let (bench, files) = Bench::new("sume/corundum.tcl", Shell::Corundum, Config::new(64, 10).expect("a configuration"));
    bench.put(&format!("tree/fpga/mqnic/{DESIGN}/Makefile"), MAKE);
    bench.put(&format!("tree/fpga/mqnic/{DESIGN}/config.tcl"), CONFIG);
    bench.put("tree/fpga/app/template/rtl/mqnic_app_block.v", "");
    bench.put("tree/fpga/common/rtl/mqnic_core.v", "module mqnic_core(); endmodule\n");
    std::os::unix::fs::symlink("../../../app/", bench.path("tree/fpga/mqnic/NetFPGA_SUME/fpga/app")).expect("a link");
    (bench, files)
}

#[test]
fn a_design_takes_both_blocks() {
    if !has_tclsh("corundum") {
        return;
    }
    let (bench, files) = bench();
    bench.refuses_what_is_wrong(GOOD, &files[0].0);
    assert!(!bench.has(MADE) && !bench.has("tree/fpga/app/timely"), "what is refused leaves nothing behind");
    let done = bench.run(GOOD);
    assert!(done.code == 0 && done.calls.is_empty(), "{}", done.text);
    assert!(done.text.contains(&format!("make -C @/{MADE}")), "{}", done.text);

    // Every file that the Makefile names of ours is there, our scheduler's among them, and
    // Corundum's own scheduler is not named.
    let out = Command::new("make").args(["-s", "-C", &bench.path(MADE).display().to_string(), "files"]).output().expect("make starts");
    let named = String::from_utf8_lossy(&out.stdout).into_owned();
    assert!(out.status.success(), "{named}{}", String::from_utf8_lossy(&out.stderr));
    let ours: Vec<&str> = named.split_whitespace().filter(|f| f.starts_with("app/")).collect();
    let wanted = ["mqnic_app_block.v", "timely_corundum_app_64_10.v", "mqnic_tx_scheduler_block.v"];
    assert_eq!(ours, wanted.map(|f| format!("app/timely/rtl/{f}")));
    for file in wanted {
        let (_, text) = files.iter().find(|(path, _)| path == file).expect("emitted");
        assert!(bench.get(&format!("tree/fpga/mqnic/NetFPGA_SUME/fpga/app/timely/rtl/{file}")) == *text, "{file}");
    }
    assert!(!named.contains("scheduler_block_rr") && named.contains("rtl/common/tx_scheduler_rr.v"), "{named}");

    let built = bench.source(&bench.path(&format!("{MADE}/config.tcl")), MADE, "", &[]);
    let generic = "set_property generic {PORTS_PER_IF=1 TX_QUEUE_INDEX_WIDTH=9 PTP_TS_ENABLE=1 APP_ID=32'h54690001 APP_ENABLE=1 APP_STAT_ENABLE=1 \
                   APP_CTRL_ENABLE=1 APP_DMA_ENABLE=1 APP_AXIS_SYNC_ENABLE=1 APP_AXIS_IF_ENABLE=1 AXIL_APP_CTRL_ADDR_WIDTH=24} get_filesets_sources_1";
    assert_eq!(built.calls, ["set_property bar2 24 get_ips_pcie", generic], "{}", built.text);
    assert_eq!(bench.get(&format!("tree/fpga/mqnic/{DESIGN}/config.tcl")), CONFIG);
}

#[test]
fn what_does_not_fit_is_refused() {
    if !has_tclsh("corundum") {
        return;
    }
    let (bench, _) = bench();
    let design = |to: &str| GOOD.replace(DESIGN, to);
    bench.refuses(&design("Alveo/fpga_100g/fpga_AU250"), 2, &["none of these boards'", "NetFPGA_SUME/fpga"]);
    bench.refuses(&design("NetFPGA_SUME/fpga/fpga_app_dma_bench"), 2, &["has no Makefile and config.tcl"]);
    let alveo = Bench { root: bench.root.clone(), script: bench.script.with_file_name("../alveo/corundum.tcl") };
    alveo.refuses(&design("Alveo/fpga_100g/fpga_AU250"), 2, &["a bus of 512 bits", "one of 64", "--bus 512"]);
    alveo.refuses(&design("Alveo/fpga_25g/fpga_AU50"), 2, &["a bus of 128 bits"]);
    std::mem::forget(alveo);

    let config = format!("tree/fpga/mqnic/{DESIGN}/config.tcl");
    let make = format!("tree/fpga/mqnic/{DESIGN}/Makefile");
    for (from, to, names) in [
        ("WIDTH \"9\"", "WIDTH \"13\"", ["2^13 transmit queues", "2^10 flows", "--flow-bits 13"]),
        ("PTP_TS_ENABLE \"1\"", "PTP_TS_ENABLE \"0\"", ["PTP_TS_ENABLE is 0", "needs 1", "config.tcl"]),
        ("PORTS_PER_IF \"1\"", "PORTS_PER_IF \"2\"", ["PORTS_PER_IF is 2", "needs 1", "config.tcl"]),
        ("PORTS_PER_IF", "PORTS", ["sets no PORTS_PER_IF", "config.tcl", "another than this script was written for"]),
        ("params APP_STAT_ENABLE", "params STAT", ["has 0 lines like", "APP_STAT_ENABLE", "config.tcl"]),
    ] {
        bench.put(&config, &CONFIG.replace(from, to));
        bench.refuses(GOOD, 1, &names);
    }
    bench.put(&config, CONFIG);
    bench.put(&make, &MAKE.replace("_rr.v", "_tdma.v"));
    bench.refuses(GOOD, 1, &["has 0 lines like", "mqnic_tx_scheduler_block_rr"]);
    bench.put(&make, MAKE);
    assert!(!bench.has(MADE) && !bench.has("tree/fpga/app/timely"), "what is refused leaves nothing behind");

    // Twice, with the streams and without: the blocks' form must be the tree's.
    let core = "module mqnic_core #\n(\n    parameter A = 1\n)\n(\n    input  wire clk\n);\n    mqnic_interface #(\n    )\n    interface_inst (\n    );\n\
                mqnic_app_block #(\n)\napp_block_inst (\n);\nendmodule\n";
    let interface = "module mqnic_interface #\n(\n    parameter A = 1\n)\n(\n    input  wire clk\n);\nmqnic_tx_scheduler_block #(\n)\n\
                     scheduler_block (\n);\nendmodule\n";
    bench.put("tree/fpga/common/rtl/mqnic_core.v", core);
    bench.put("tree/fpga/common/rtl/mqnic_interface.v", interface);
    for (words, code, text) in [
        (GOOD.to_owned(), 0, "is written"),
        (GOOD.to_owned(), 1, "is there already"),
        (format!("{GOOD} -replace 1 -streams 1"), 0, "wired: "),
        (format!("{GOOD} -replace 1"), 1, "is wired for streams; give -streams 1"),
        (format!("{GOOD} -replace 1 -streams 1"), 0, "has the buses already"),
    ] {
        let done = bench.run(&words);
        assert!(done.code == code && done.text.contains(text), "{words}: {}", done.text);
    }
    for file in ["mqnic_app_block.v", "mqnic_tx_scheduler_block.v"] {
        let text = bench.get(&format!("tree/fpga/app/timely/rtl/{file}"));
        assert_eq!(text.matches("`define TIMELY_STREAMS").count(), 1, "{file}");
    }
    // Another design takes the folder as it is if the emission is the same; of another emission it
    // is told whose the folder is.
    let second = |streams: &str| design("NetFPGA_SUME/fpga/fpga_second") + streams;
    bench.put("tree/fpga/mqnic/NetFPGA_SUME/fpga/fpga_second/Makefile", MAKE);
    bench.put("tree/fpga/mqnic/NetFPGA_SUME/fpga/fpga_second/config.tcl", CONFIG);
    let done = bench.run(&second(" -streams 1"));
    assert!(done.code == 0 && done.text.contains("fpga_second_app_timely is written"), "{}", done.text);
    assert!(bench.has(MADE), "the first design");
    let (there, text) = ("tree/fpga/app/timely/rtl/mqnic_app_block.v", bench.get("tree/fpga/app/timely/rtl/mqnic_app_block.v"));
    bench.put(there, &(text.clone() + "// another\n"));
    std::fs::remove_dir_all(bench.path("tree/fpga/mqnic/NetFPGA_SUME/fpga/fpga_second_app_timely")).expect("removed");
    bench.refuses(&second(" -streams 1"), 1, &["has another emission", "-replace 1, which changes them too"]);
    let done = bench.run(&second(" -streams 1 -replace 1"));
    assert!(done.code == 0 && bench.get(there) == text, "{}", done.text);
    let link = bench.path("tree/fpga/mqnic/NetFPGA_SUME/fpga/app");
    std::fs::remove_file(&link).expect("removed");
    bench.refuses(&format!("{GOOD} -streams 1 -replace 1"), 1, &["fpga/app does not lead to", "make it a link there"]);
}
