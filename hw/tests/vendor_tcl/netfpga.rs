//! NetFPGA: a copy of the reference NIC's project, whose script reads our datapath.
use super::*;

const GOOD: &str = "-emitted @/emitted -shell @/tree";

/// The steps of the shells' own script that ours stand among.
const PLUS: &str = r#"set design $::env(NF_PROJECT_NAME)
set datapath_width_bit    1024
set datapath_freq_mhz     250
create_project -name ${design} -force
set_property generic "C_NF_DATA_WIDTH=${datapath_width_bit}" [current_fileset]
read_verilog     "./hdl/nf_datapath.v"
read_verilog -sv "top_wrapper.sv"
launch_runs synth
"#;
const SUME: &str = r#"set design reference_nic
source ./tcl/reference_nic_defines.tcl
source ./tcl/$::env(NF_PROJECT_NAME)_defines.tcl
create_project -name ${design} -force
read_verilog "./hdl/axi_clocking.v"
read_verilog "./hdl/nf_datapath.v"
read_verilog "./hdl/top.v"
launch_runs synth
"#;

fn bench(script: &str, shell: Shell, projects: &str, text: &str) -> (Bench, Vec<(String, String)>) {
    let (bench, files) = Bench::new(script, shell, shell.config(None, Some(10)).expect("a configuration"));
    let hw = format!("tree/{projects}/reference_nic/hw");
    bench.put(&format!("{hw}/tcl/reference_nic.tcl"), text);
    bench.put(&format!("{hw}/tcl/reference_nic_defines.tcl"), "set defined 1\n");
    bench.put(&format!("{hw}/tcl/export_registers.tcl"), "");
    bench.put(&format!("{hw}/hdl/nf_datapath.v"), "module nf_datapath(); endmodule\n");
    bench.put(&format!("{hw}/Makefile"), "");
    (bench, files)
}

fn takes(script: &str, shell: Shell, projects: &str, text: &str, made: &str, calls: &[&str]) {
    let (bench, files) = bench(script, shell, projects, text);
    bench.refuses_what_is_wrong(GOOD, &files[0].0);
    let project = format!("tree/{projects}/timely_nic");
    assert!(!bench.has(&project), "what is refused leaves nothing behind");
    let done = bench.run(GOOD);
    assert!(done.code == 0 && done.calls.is_empty(), "{}", done.text);
    assert!(done.text.contains(&format!("@/{project} is written")) && done.text.contains("NF_PROJECT_NAME=timely_nic"), "{}", done.text);
    for (file, text) in &files {
        assert!(bench.get(&format!("{project}/hw/hdl/{file}")) == *text, "{file} is ours");
    }
    let made = bench.path(&format!("{project}/hw/tcl/{made}"));
    let built = bench.source(&made, &format!("{project}/hw"), "", &[("NF_PROJECT_NAME", "timely_nic")]);
    assert_eq!((built.code, built.calls), (0, calls.iter().map(|c| (*c).to_owned()).collect()), "{}", built.text);
    // What the project was copied from is as it was.
    assert_eq!(bench.get(&format!("tree/{projects}/reference_nic/hw/tcl/reference_nic.tcl")), text);

    bench.refuses(GOOD, 1, &[&format!("@/{project} is there already"), "-replace 1"]);
    assert_eq!(bench.run(&format!("{GOOD} -replace 1")).code, 0);
    bench.refuses(&format!("{GOOD} -replace yes"), 2, &["-replace yes is neither 0 nor 1"]);
    bench.refuses(&format!("{GOOD} -name reference_nic"), 2, &["reference_nic is the project that is copied"]);
    bench.refuses(&format!("{GOOD} -name ../x"), 2, &["-name ../x is no name"]);
    std::fs::remove_file(bench.path(&format!("{project}/hw/hdl/timely.files"))).expect("removed");
    bench.refuses(&format!("{GOOD} -replace 1"), 1, &["was not written by this script"]);
    let other = text.replace("nf_datapath.v", "datapath.v");
    bench.put(&format!("tree/{projects}/reference_nic/hw/tcl/reference_nic.tcl"), &other);
    bench.refuses(
        &format!("{GOOD} -name other"),
        1,
        &["reference_nic.tcl has 0 lines like", "nf_datapath", "another than this script was written for"],
    );
    assert!(!bench.has(&format!("tree/{projects}/other")));
}

#[test]
fn plus_takes_the_datapath() {
    if has_tclsh("plus") {
        let calls = [
            "create_project -name timely_nic -force",
            "set_property generic C_NF_DATA_WIDTH=512 current_fileset",
            "read_verilog ./hdl/nf_datapath.v",
            "read_verilog ./hdl/timely_netfpga-plus_512_10.v",
            "read_verilog -sv top_wrapper.sv",
            "launch_runs synth",
        ];
        takes("alveo/netfpga_plus.tcl", Shell::NetFpgaPlus, "hw/projects", PLUS, "timely_nic.tcl", &calls);
    }
}

#[test]
fn sume_takes_the_datapath() {
    if has_tclsh("sume") {
        let calls = [
            "create_project -name reference_nic -force",
            "read_verilog ./hdl/axi_clocking.v",
            "read_verilog ./hdl/nf_datapath.v",
            "read_verilog ./hdl/timely_netfpga-sume_256_10.v",
            "read_verilog ./hdl/top.v",
            "launch_runs synth",
        ];
        takes("sume/netfpga_sume.tcl", Shell::NetFpgaSume, "projects", SUME, "reference_nic.tcl", &calls);
    }
}
