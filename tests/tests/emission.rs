//! What is emitted is Verilog that other tools take: every bus and every flow count of the whole NIC, linted; some read by a synthesizer.
use std::io::{Write, stdout};
use std::path::{Path, PathBuf};
use std::process::Command;
use timely_hw::config::{CLOCK_PS, Config, FLOW_BITS};
use timely_hw::emit::PREFIX;
use timely_hw::shells::{Extras, Shell};
use timely_hw::standalone::emit;
use timely_hw::store::Store;
use timely_tests::quick;

/// Warnings of Verilator that are real; its width warnings are noise on this emission.
const REAL: [&str; 5] = ["LATCH", "MULTIDRIVEN", "UNOPTFLAT", "COMBDLY", "BLKANDNBLK"];

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
    for real in REAL {
        assert!(!text.contains(&format!("Warning-{real}")), "{what}: {real}\n{text}");
    }
    std::fs::remove_file(file).ok();
}

fn lint(config: Config) {
    let (verilog, file) = emitted(config);
    lint_text(&config.to_string(), "standalone", &verilog, &file);
}

/// A bus with every flow count; in a quick run, with one that is no other's.
fn lint_bus(bus: usize) {
    let its_own = |flow_bits: &usize| !quick() || [(64, 10), (128, 16), (256, 13), (512, 14)].contains(&(bus, *flow_bits));
    let chosen: Vec<usize> = FLOW_BITS.into_iter().filter(its_own).collect();
    assert!(!chosen.is_empty(), "{bus} bits have no flow count");
    chosen.into_iter().for_each(|flow_bits| lint(Config::new(bus, flow_bits).expect("a configuration that is built")));
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

/// The packet store at each bus and each flow count, with what goes beside a packet in OpenNIC and in NetFPGA.
#[test]
fn stores_lint() {
    lint_block("store_64", Store::<64, 8, 10, 9, 10, 11, 5, 14, 74, 48, 136, 159>::default());
    lint_block("store_128", Store::<128, 16, 16, 10, 11, 17, 4, 14, 80, 48, 136, 159>::default());
    lint_block("store_256", Store::<256, 32, 13, 14, 15, 15, 3, 17, 77, 128, 216, 239>::default());
    lint_block("store_512", Store::<512, 64, 14, 12, 13, 15, 2, 14, 78, 48, 136, 159>::default());
}

/// OpenNIC's files inside a box of the ports and parameters that the shell gives it, with every flow count; Icarus fits one of them (`nic`, `opennic`).
#[test]
fn opennic_takes_our_files() {
    if quick() {
        // Past the test's capture, for `cargo xtask test` to tell.
        writeln!(stdout(), "left out: emission::opennic_takes_our_files: there is no time for it in a quick run").expect("stdout");
        return;
    }
    let shells = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/shells");
    for flow_bits in FLOW_BITS {
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
    for real in REAL.into_iter().chain(["PINMISSING", "PINNOTFOUND", "IMPLICIT"]) {
        assert!(!text.contains(&format!("Warning-{real}")), "{what}: {real}\n{text}");
    }
    std::fs::remove_file(&file).ok();
}

/// NetFPGA's datapath inside a bench of the ports and parameters that PLUS and SUME give it, with every flow count; Icarus fits one of each (`nic`, `netfpga`).
#[test]
fn netfpga_takes_our_files() {
    if quick() {
        writeln!(stdout(), "left out: emission::netfpga_takes_our_files: there is no time for it in a quick run").expect("stdout");
        return;
    }
    let shells = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/shells");
    for (shell, board) in [(Shell::NetFpgaPlus, "netfpga_plus_board.v"), (Shell::NetFpgaSume, "netfpga_sume_board.v")] {
        let board = std::fs::read_to_string(shells.join(board)).expect("a file");
        for flow_bits in FLOW_BITS {
            let config = Config::new(shell.bus().expect("its own"), flow_bits).expect("a configuration that is built");
            let files = shell.emit(config, shell.clock_ps()).unwrap_or_else(|e| panic!("{config}: {e}"));
            let own = files[0].text.lines().filter_map(|l| l.strip_prefix("module ")).all(|name| name.starts_with(PREFIX));
            assert!(own, "{shell}: a module without our prefix");
            fit(&format!("{shell}_{config}"), "board", &[board.as_str(), &files[1].text, &files[0].text].concat());
        }
    }
}

/// Registers are flip-flops: yosys finds no latch.
#[test]
fn no_latch_is_inferred() {
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
    let fresh = emit(config, CLOCK_PS).unwrap_or_else(|e| panic!("{e}"));
    assert!(committed == fresh, "{} is stale; run: cargo run -p timely-hw -- emit --out hw/verilog", file.display());
}

#[test]
fn what_is_not_built_is_refused_by_name() {
    let message = Config::new(100, 10).expect_err("no such bus").to_string();
    assert!(message.contains("100") && message.contains("512"), "{message}");
    let message = Config::new(64, 12).expect_err("no such flow count").to_string();
    assert!(message.contains("12") && message.contains("14"), "{message}");
}

/// A generator is Corundum's alone to be asked for, and every other shell says why.
#[test]
fn a_generator_is_refused_where_there_is_none_to_add() {
    let extras = Extras { generator: true };
    for shell in Shell::all() {
        let told = shell.takes(extras).err();
        assert_eq!(told.is_none(), shell == Shell::Corundum, "{shell}: {told:?}");
        assert!(told.is_none_or(|t| t.contains(&shell.to_string()) && t.contains("leave --generator out")), "{shell}");
    }
}
