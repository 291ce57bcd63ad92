//! The emitted Verilog is accepted by other tools: linted, some read by a synthesizer.
//!
//! Every model that a test runs is linted as it is compiled, under `cargo xtask test`: blocks,
//! whole NICs, shells in their boards. Here are configurations that no test runs, in soak all.
use std::path::{Path, PathBuf};
use std::process::Command;
use timely_hw::config::{CLOCK_PS, Config, FLOW_BITS};
use timely_hw::emit::PREFIX;
use timely_hw::folder::Emission;
use timely_hw::shells::{Extras, Shell};
use timely_hw::standalone::emit;
use timely_hw::store::Store;
use timely_tests::board::taxi_board;
use timely_tests::{left_to_soak, quick, thorough};
use timely_verilate::warnings;

fn tool(variable: &str, name: &str) -> Command {
    Command::new(std::env::var(variable).unwrap_or_else(|_| name.into()))
}

fn written(name: &str, verilog: &str) -> PathBuf {
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{}-{name}", std::process::id()));
    std::fs::write(&file, verilog).expect("the target directory can be written");
    file
}

fn emitted(config: Config) -> (String, PathBuf) {
    let verilog = emit(config, CLOCK_PS).unwrap_or_else(|e| panic!("{config}: {e}"));
    let file = written(&config.file_name(), &verilog);
    (verilog, file)
}

/// Lints what is emitted under the name `top`, of which `what` is said when it fails.
fn lint_text(what: &str, top: &str, verilog: &str, file: &Path) {
    for line in verilog.lines() {
        let own = line.strip_prefix("module ").is_none_or(|name| name.starts_with(PREFIX));
        assert!(own, "{what}: a module without our prefix: {line}");
        assert!(!line.replace("$signed", "").contains('$'), "{what}: a `$` in a name: {line}");
    }
    let out = tool("VERILATOR", "verilator")
        .args(["--lint-only", "-Wall", "-Wno-fatal", "--top-module", &format!("{PREFIX}{top}")])
        .arg(file)
        .output()
        .expect("verilator starts");
    let text = String::from_utf8_lossy(&out.stderr);
    assert!(out.status.success(), "{what}: {text}");
    assert_eq!(warnings(&text), "", "{what}");
    // A shell may leave pins empty, what is emitted has none.
    assert!(!text.contains("-PINCONNECTEMPTY"), "{what}: {text}");
    std::fs::remove_file(file).ok();
}

/// Plain `verilator --lint-only` ends with 0 and says nothing, as users expect who put the files
/// into a project of their own; without a top, of all tops.
fn lint_plain(what: &str, top: &str, options: &[&str], files: &[&Path]) {
    let mut verilator = tool("VERILATOR", "verilator");
    verilator.arg("--lint-only");
    if !top.is_empty() {
        verilator.args(["--top-module", top]);
    }
    let out = verilator.args(options).args(files).output().expect("verilator starts");
    let text = String::from_utf8_lossy(&out.stderr);
    let start: String = text.lines().take(20).collect::<Vec<_>>().join("\n");
    assert!(out.status.success() && text.is_empty(), "{what}: {}, {} lines\n{start}", out.status, text.lines().count());
}

/// Every shell at every bus, as it is written into a folder: with the shell's own names around our
/// modules.
#[test]
fn plain_lint_is_silent_on_every_shell() {
    let corundum = [64, 128, 512].map(|bus| (Shell::Corundum, bus));
    let all = [(Shell::OpenNic, 512), (Shell::NetFpgaPlus, 512), (Shell::NetFpgaSume, 256), (Shell::Ecpix5, 64)];
    // All are linted inside their boards, with more warnings; alone under `cargo xtask soak`, but
    // for one.
    let all = corundum.into_iter().chain(all).filter(|each| thorough() || *each == (Shell::Corundum, 64));
    for (shell, bus) in all {
        let config = shell.config(Some(bus), None).expect("a configuration that is built");
        let mut emission = Emission::new(shell, config);
        emission.extras.generator = shell == Shell::Corundum && bus == 128;
        let files = emission.files().unwrap_or_else(|e| panic!("{shell} {config}: {e}"));
        let verilog = files.iter().filter(|f| f.path.ends_with(".v") && f.text.contains("\nmodule "));
        let written: Vec<(&str, PathBuf)> =
            verilog.map(|f| (f.path.as_str(), written(&format!("plain-{config}-{}", f.path.replace('/', "-")), &f.text))).collect();
        let file = |name: &str| written.iter().find(|(path, _)| *path == name).map(|(_, file)| file.as_path()).expect("written");
        let core = file(&emission.file_name());
        // The text around which the shell's own names are has the core in it.
        match shell {
            Shell::NetFpgaPlus | Shell::NetFpgaSume => {
                lint_plain(&format!("{shell} {config}"), "nf_datapath", &[], &[file("nf_datapath.v"), core])
            }
            Shell::Corundum => {
                // Corundum's defaults are of a board that has another bus.
                let streams = format!("-GAXIS_DATA_WIDTH={bus}");
                let options = [streams.as_str(), "-GRAM_SEG_DATA_WIDTH=256", "-GAXIL_CTRL_ADDR_WIDTH=24"];
                lint_plain(&format!("{shell} {config}"), "mqnic_app_block", &options, &[file("mqnic_app_block.v"), core]);
                let scheduler = "mqnic_tx_scheduler_block";
                lint_plain(&format!("{shell} {config}"), scheduler, &[], &[file("mqnic_tx_scheduler_block.v")]);
            }
            _ => lint_plain(&format!("{shell} {config}"), &emission.top(), &[], &[core]),
        }
        written.iter().for_each(|(_, file)| std::fs::remove_file(file).unwrap_or_default());
    }
}

/// Two configurations with a prefix each are one project: other files, other modules, and each top
/// is taken with both files there.
#[test]
fn two_prefixes_fit_into_one_project() {
    let config = Config::new(64, 10).expect("a configuration that is built");
    let both = [("nic0_", 4000), ("nic1_", 6400)].map(|(prefix, clock_ps)| {
        let emission = Emission { prefix: prefix.parse().expect("a prefix"), clock_ps, ..Emission::new(Shell::Standalone, config) };
        let files = emission.files().unwrap_or_else(|e| panic!("{e}"));
        let modules = files[0].text.lines().filter_map(|l| l.strip_prefix("module "));
        assert!(modules.clone().count() > 50 && modules.into_iter().all(|m| m.starts_with(prefix)), "a module without {prefix}");
        assert_eq!((emission.top(), emission.file_name()), (format!("{prefix}standalone"), format!("{prefix}standalone_64_10.v")));
        (emission.top(), written(&files[0].path, &files[0].text))
    });
    // Without a top by name Verilator takes each module that no other contains, and says so.
    if thorough() {
        lint_plain("two prefixes", "", &["-Wno-MULTITOP"], &[&both[0].1, &both[1].1]);
    }
    both.iter().for_each(|(_, file)| std::fs::remove_file(file).unwrap_or_default());
    for bad in ["", "0nic_", "nic-0", "a b", "é_", &"n".repeat(33)] {
        let told = bad.parse::<timely_hw::folder::Prefix>().expect_err(bad);
        assert!(told.contains("begins with a letter") && told.contains(&format!("`{bad}`")), "{told}");
    }
}

/// Every shell's files name each other as they are called under a prefix, and no module keeps the
/// usual one.
#[test]
fn a_prefix_goes_through_all_files_of_a_shell() {
    for shell in [Shell::OpenNic, Shell::NetFpgaSume, Shell::Corundum, Shell::Taxi] {
        let config = shell.config(None, None).expect("a configuration that is built");
        let emission = Emission { prefix: "mine_".parse().expect("a prefix"), ..Emission::new(shell, config) };
        for f in emission.files().unwrap_or_else(|e| panic!("{e}")) {
            assert!(
                !f.text.contains(PREFIX) && !f.text.contains(&shell.file_name(config, emission.extras)),
                "{shell}: {} has the usual names",
                f.path
            );
            let head: Vec<&str> = f.text.lines().take(4).collect();
            let has = |part: &str| head.iter().any(|l| l.contains(part));
            assert!(
                has("timely-hw 0.") && has("SPDX-License-Identifier: MIT OR Apache-2.0") && has("prefix mine_"),
                "{}: {head:?}",
                f.path
            );
            assert!(!f.path.ends_with(".sh") || head[0].starts_with("#!"), "{}: {head:?}", f.path);
        }
    }
}

/// Queue pairs are for shells whose packets are the host's, with the flow counts of the table;
/// every other request is told what there is.
#[test]
fn queue_pairs_are_refused_where_they_are_not_built() {
    let extras = Extras { roce: true, ..Extras::default() };
    for shell in Shell::all() {
        match shell.takes(extras) {
            Ok(()) => {
                assert!(shell.is_inline(), "{shell}");
                for flow_bits in FLOW_BITS {
                    let told = shell.config_with(None, Some(flow_bits), extras).err();
                    assert_eq!(told.is_none(), [10, 13, 14].contains(&flow_bits), "{shell}: {told:?}");
                    let names_all = |t: String| t.contains("2^10, 2^13, 2^14 flows, not 2^16") && t.contains("with --flow-bits");
                    assert!(told.is_none_or(names_all), "{shell}");
                }
            }
            Err(told) => {
                let words = [&format!("{shell} has no"), "opennic, netfpga-plus, netfpga-sume, taxi have", "leave --roce out"];
                assert!(!shell.is_inline() && words.iter().all(|w| told.contains(*w)), "{told}");
            }
        }
    }
}

/// The files with queue pairs have names and a header of their own, so that neither form is taken
/// for the other.
#[test]
fn files_with_queue_pairs_have_their_own_names() {
    let config = Shell::OpenNic.config(None, None).expect("a configuration that is built");
    let mut emission = Emission::new(Shell::OpenNic, config);
    emission.extras.roce = true;
    let files = emission.files().unwrap_or_else(|e| panic!("{e}"));
    assert_eq!((files[0].path.as_str(), emission.file_name()), ("timely_opennic_roce_512_10.v", files[0].path.clone()));
    let has = |path: &str, text: &str| files.iter().any(|f| f.path == path && f.text.contains(text));
    assert!(files.iter().all(|f| f.text.contains("prefix tnic_, roce\n")), "a header does not tell the form");
    assert!(has("build_box_250mhz.tcl", "timely_opennic_roce_512_10.v") && has("timely.files", "file timely_opennic_roce_512_10.v "));
}

/// Shells with queue pairs that no test runs.
#[test]
fn shells_with_queue_pairs_lint() {
    if left_to_soak("emission::shells_with_queue_pairs_lint, of which inline lints what it runs") {
        return;
    }
    let extras = Extras { roce: true, ..Extras::default() };
    for (shell, top) in [(Shell::OpenNic, "tnic_opennic"), (Shell::NetFpgaPlus, "nf_datapath"), (Shell::NetFpgaSume, "nf_datapath")] {
        for flow_bits in [10, 13, 14] {
            let config = shell.config_with(None, Some(flow_bits), extras).expect("a configuration that is built");
            let files = shell.emit_with(config, shell.clock_ps(), extras).unwrap_or_else(|e| panic!("{shell} {config}: {e}"));
            let verilog: String =
                files.iter().filter(|f| ["nf_datapath.v", &files[0].path].contains(&f.path.as_str())).map(|f| f.text.as_str()).collect();
            let file = written(&format!("pairs-{shell}-{config}.v"), &verilog);
            lint_plain(&format!("{shell} {config}"), top, &[], &[&file]);
            std::fs::remove_file(&file).ok();
        }
    }
}

fn lint(config: Config) {
    let (verilog, file) = emitted(config);
    lint_text(&config.to_string(), "standalone", &verilog, &file);
}

/// A bus with every flow count under `cargo xtask soak`; else with one that no test runs, of the
/// buses of which tests run none or few.
fn lint_bus(bus: usize) {
    const USUAL: [(usize, usize); 3] = [(128, 16), (256, 13), (512, 14)];
    let usual = &USUAL[..if quick() { 2 } else { USUAL.len() }];
    let its_own = |flow_bits: &usize| thorough() || usual.contains(&(bus, *flow_bits));
    if !FLOW_BITS.iter().any(its_own) {
        left_to_soak(&format!("emission::bus_{bus}_lints, of which nic lints what it runs"));
    }
    FLOW_BITS.into_iter().filter(its_own).for_each(|flow_bits| lint(Config::new(bus, flow_bits).expect("a configuration that is built")));
}

#[test]
fn bus_64_lints() {
    lint_bus(64);
}

#[test]
fn bus_128_lints() {
    lint_bus(128);
}

#[test]
fn bus_256_lints() {
    lint_bus(256);
}

#[test]
fn bus_512_lints() {
    lint_bus(512);
}

fn lint_block(name: &str, block: impl rust_hdl::prelude::Block) {
    let verilog = timely_hw::emit::emit(name, block).unwrap_or_else(|e| panic!("{e}"));
    let file = written(&format!("{name}.v"), &verilog);
    lint_text(name, name, &verilog, &file);
}

/// The packet store at each bus and each flow count, with what goes beside a packet in OpenNIC and
/// in NetFPGA.
#[test]
fn stores_lint() {
    lint_block("store_64", Store::<64, 8, 10, 9, 10, 11, 5, 14, 74, 48, 136, 159>::new());
    lint_block("store_128", Store::<128, 16, 16, 10, 11, 17, 4, 14, 80, 48, 136, 159>::new());
    lint_block("store_256", Store::<256, 32, 13, 14, 15, 15, 3, 17, 77, 128, 216, 239>::new());
    lint_block("store_512", Store::<512, 64, 14, 15, 16, 16, 2, 17, 78, 48, 136, 159>::new());
}

/// The flow counts of a shell's files: one that is usual for it, under `cargo xtask soak` all.
fn flow_counts(usual: usize) -> impl Iterator<Item = usize> {
    FLOW_BITS.into_iter().filter(move |f| thorough() || *f == usual)
}

/// OpenNIC's files inside a box of the ports and parameters that the shell gives it; Icarus fits
/// one of them (`nic`, `opennic`).
#[test]
fn opennic_takes_our_files() {
    if left_to_soak("emission::opennic_takes_our_files, of which nic lints what it runs") {
        return;
    }
    let shells = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/shells");
    for flow_bits in flow_counts(16) {
        let config = Config::new(512, flow_bits).expect("a configuration that is built");
        let files = Shell::OpenNic.emit(config, CLOCK_PS).unwrap_or_else(|e| panic!("{config}: {e}"));
        let mut verilog = std::fs::read_to_string(shells.join("box_250mhz.v")).expect("a file");
        for f in &files[1..] {
            let name = f.path.rsplit('/').next().unwrap_or_default();
            verilog = verilog.replace(&format!("`include \"{name}\""), &f.text);
        }
        fit(&format!("opennic_{config}"), "box_250mhz", &(verilog + &files[0].text));
    }
}

/// Verilator takes `verilog`, in which `top` is the shell around our files.
fn fit(what: &str, top: &str, verilog: &str) {
    let file = written(&format!("{what}.v"), verilog);
    let mut verilator = tool("VERILATOR", "verilator");
    verilator.args(["--lint-only", "-Wall", "-Wno-fatal", "--top-module", top]);
    let out = verilator.arg(&file).output().expect("verilator starts");
    let text = String::from_utf8_lossy(&out.stderr);
    assert!(out.status.success(), "{what}: {text}");
    assert_eq!(warnings(&text), "", "{what}");
    std::fs::remove_file(&file).ok();
}

/// NetFPGA's datapath inside a bench of the ports and parameters that PLUS and SUME give it; Icarus
/// fits one of each (`nic`, `netfpga`).
#[test]
fn netfpga_takes_our_files() {
    if left_to_soak("emission::netfpga_takes_our_files, of which nic lints what it runs") {
        return;
    }
    let shells = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/shells");
    for (shell, board) in [(Shell::NetFpgaPlus, "netfpga_plus_board.v"), (Shell::NetFpgaSume, "netfpga_sume_board.v")] {
        let board = std::fs::read_to_string(shells.join(board)).expect("a file");
        for flow_bits in flow_counts(if shell == Shell::NetFpgaPlus { 14 } else { 13 }) {
            let config = Config::new(shell.bus().expect("its own"), flow_bits).expect("a configuration that is built");
            let files = shell.emit(config, shell.clock_ps()).unwrap_or_else(|e| panic!("{config}: {e}"));
            let own = files[0].text.lines().filter_map(|l| l.strip_prefix("module ")).all(|name| name.starts_with(PREFIX));
            assert!(own, "{shell}: a module without our prefix");
            fit(&format!("{shell}_{config}"), "board", &[board.as_str(), &files[1].text, &files[0].text].concat());
        }
    }
}

/// The text with module `tnic_NAME` and those below it replaced by its ports, all outputs 0.
fn hollow(verilog: &str, name: &str) -> String {
    let modules = verilog.split_inclusive("endmodule");
    let kept = modules.map(|module| {
        let Some((before, after)) = module.split_once(&format!("module {PREFIX}{name}")) else { return module.to_owned() };
        if after.starts_with("__") {
            return String::new();
        }
        let ports: Vec<&str> = after.lines().take_while(|l| !["// Constant", "// Stub"].iter().any(|s| l.contains(s))).collect();
        let outputs = ports.iter().filter_map(|l| l.trim().strip_prefix("output ")?.strip_suffix(';')?.rsplit(' ').next());
        let driven: String = outputs.map(|name| format!("    assign {name} = '0;\n")).collect();
        let ports = ports.join("\n").replace("output reg", "output wire");
        format!("{before}module {PREFIX}{name}{ports}\n{driven}endmodule")
    });
    kept.collect()
}

/// taxi's NIC core and MAC of either width around our files, both written for tests with the
/// interfaces that ours name; stamps relative, which `nic` lints and under `cargo xtask soak` this,
/// and of the time of day. What our files are not for ends elaboration with a sentence.
#[test]
fn taxi_takes_our_files() {
    let shells = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/shells");
    let [stubs, board] = ["taxi_stubs.sv", "taxi_board.sv"].map(|f| std::fs::read_to_string(shells.join(f)).expect("a file"));
    for (bus, usual) in [(64, 13), (512, 16)] {
        for flow_bits in flow_counts(usual) {
            let config = Config::new(bus, flow_bits).expect("a configuration that is built");
            let emission = Emission::new(Shell::Taxi, config);
            let files = emission.files().unwrap_or_else(|e| panic!("{config}: {e}"));
            let modules = files.iter().flat_map(|f| f.text.lines()).filter_map(|l| l.strip_prefix("module "));
            assert!(modules.into_iter().all(|name| name.starts_with(PREFIX)), "taxi: a module without our prefix");
            let list: Vec<&str> = files[2].text.lines().filter(|l| !l.starts_with("//")).collect();
            assert_eq!(list, [files[0].path.as_str(), files[1].path.as_str()], "{}", files[2].path);
            let bench = taxi_board(&board, bus);
            let verilog = [stubs.as_str(), &bench, &files[1].text, &files[0].text].concat();
            if thorough() {
                fit(&format!("taxi_{config}"), "board", &verilog);
            }
            if bus != 64 {
                continue;
            }
            // Around the core it is that these differ.
            let verilog = hollow(&verilog, "taxi_inline");
            fit(&format!("taxi_tod_{config}"), "board", &verilog.replace("TOD = 1'b0", "TOD = 1'b1"));
            for (parameter, sentence) in [
                ("BUS=512", "was emitted for a MAC of 64, 32, 16 or 8 bits"),
                ("TS_W=64", "needs stamps from MAC and to NIC core in one format"),
                ("ID_W=4", "needs tags (tid) of 8 bits at the MAC"),
                ("ADDR_W=16", "needs control registers of 32 bits, and half of their addresses"),
            ] {
                let file = written(&format!("taxi_{parameter}.sv"), &verilog);
                let mut verilator = tool("VERILATOR", "verilator");
                verilator.args(["--lint-only", "-Wno-lint", "--top-module", "board", &format!("-G{parameter}")]);
                let out = verilator.arg(&file).output().expect("verilator starts");
                let text = String::from_utf8_lossy(&out.stderr);
                assert!(!out.status.success() && text.contains(sentence), "{parameter}: {text}");
                std::fs::remove_file(&file).ok();
            }
        }
    }
}

/// Registers are flip-flops: yosys finds no latch, as Verilator's lint says of every NIC that is
/// compiled. Yosys takes over a minute for it.
#[test]
fn no_latch_is_inferred() {
    if left_to_soak("emission::no_latch_is_inferred, of which Verilator's lint warns") {
        return;
    }
    for (bus, flow_bits) in [(64, 10), (512, 14)] {
        let config = Config::new(bus, flow_bits).expect("a configuration that is built");
        let (_, file) = emitted(config);
        let script = format!("read_verilog {}; hierarchy -top {PREFIX}standalone; proc", file.display());
        let out = tool("YOSYS", "yosys").args(["-p", &script]).output().expect("yosys starts");
        let text = String::from_utf8_lossy(&out.stdout);
        assert!(out.status.success() && text.contains("End of script"), "{config}: yosys failed\n{}", String::from_utf8_lossy(&out.stderr));
        let latch = text.lines().find(|l| l.contains("Latch inferred"));
        assert_eq!(latch, None, "{config}");
        std::fs::remove_file(&file).ok();
    }
}

#[test]
fn what_is_committed_is_what_is_emitted() {
    let config = Config::new(64, 10).expect("a configuration that is built");
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../hw/verilog").join(config.file_name());
    let committed = std::fs::read_to_string(&file).unwrap_or_default();
    let fresh = Emission::new(Shell::Standalone, config).files().unwrap_or_else(|e| panic!("{e}"));
    assert!(committed == fresh[0].text, "{} is stale; run: cargo run -p timely-hw -- emit --out hw/verilog", file.display());
}

#[test]
fn what_is_not_built_is_refused_by_name() {
    let message = Shell::Taxi.config(Some(128), None).expect_err("no such MAC");
    assert!(message.contains("128") && message.contains("64") && message.contains("512"), "{message}");
    let message = Config::new(100, 10).expect_err("no such bus").to_string();
    assert!(message.contains("100") && message.contains("512"), "{message}");
    let message = Config::new(64, 12).expect_err("no such flow count").to_string();
    assert!(message.contains("12") && message.contains("14"), "{message}");
}

/// A generator is Corundum's alone to be asked for, and every other shell says why.
#[test]
fn a_generator_is_refused_where_there_is_none_to_add() {
    let extras = Extras { generator: true, ..Extras::default() };
    for shell in Shell::all() {
        let told = shell.takes(extras).err();
        assert_eq!(told.is_none(), shell == Shell::Corundum, "{shell}: {told:?}");
        assert!(told.is_none_or(|t| t.contains(&shell.to_string()) && t.contains("leave --generator out")), "{shell}");
    }
}
