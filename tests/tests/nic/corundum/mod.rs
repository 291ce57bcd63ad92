//! Corundum's application block: what the shell gives it fits, all that it does not want passes,
//! ACKs come between, completions go on once, a round trip is measured, records arrive by DMA.
//! `cargo xtask soak` has every bus with every flow count.
pub mod card;
mod equal;
pub mod generates;
mod hostile;
mod interfaces;
pub mod launches;
pub mod passes;
pub mod shell;
mod works;

use shell::{BOARDS, Board, GENERATING, fitted};
use std::io::{Write, stdout};
use std::path::Path;
use std::process::Command;
use std::sync::{Arc, Mutex};
use timely_hw::config::{CLOCK_PS, Config};
use timely_hw::emit::PREFIX;
use timely_hw::shells::corundum::FLOW_BITS;
use timely_hw::shells::{Extras, File, Shell};
use timely_tests::{left_to_soak, quick, thorough};
use timely_verilate::{Library, Options, build, mutant};

/// Of a board without a generator, or with.
pub const NONE: Extras = Extras { generator: false, roce: false };
pub const GENERATOR: Extras = Extras { generator: true, roce: false };

fn files(board: &Board, extras: Extras) -> Vec<File> {
    let config = Config::new(board.bus, board.flow_bits).expect("a configuration that is built");
    Shell::Corundum.emit_with(config, CLOCK_PS, extras).unwrap_or_else(|e| panic!("emission: {e}"))
}

/// The block on its bench, compiled once a board and form.
pub fn library(board: &Board, streams: bool, extras: Extras) -> Arc<Library> {
    type Made = Vec<((usize, usize, bool, bool), Arc<Library>)>;
    static LIBRARIES: Mutex<Made> = Mutex::new(Vec::new());
    let mut made = LIBRARIES.lock().unwrap_or_else(|e| e.into_inner());
    let form = (board.bus, board.flow_bits, streams, extras.generator);
    if let Some((_, library)) = made.iter().find(|l| l.0 == form) {
        return library.clone();
    }
    let text: Vec<String> = files(board, extras).into_iter().filter(|f| f.path.ends_with(".v")).map(|f| f.text).collect();
    let define = if streams { "`define TIMELY_STREAMS\n" } else { "" };
    let verilog = [define, &board.bench(&board.values(&[]), streams), &text.concat()].concat();
    let [with_streams, with_more] = [(streams, "_streams"), (extras.generator, "_generator")].map(|(on, name)| if on { name } else { "" });
    let name = format!("corundum_app_{}_{}{with_streams}{with_more}", board.bus, board.flow_bits);
    let verilog = mutant::text(&name, || verilog);
    let library = build(&name, &verilog, "board", Options::default()).unwrap_or_else(|e| panic!("{e}"));
    made.push((form, library.clone()));
    library
}

/// Icarus elaborates the block with exactly the shell's ports and parameters, and says what is
/// wrong with a shell that it is not for.
#[test]
fn icarus_fits_the_block_into_its_shell() {
    let program = std::env::var("IVERILOG").unwrap_or_else(|_| "iverilog".into());
    if Command::new(&program).arg("-V").output().is_err() {
        // Past the test's capture, for `cargo xtask test` to tell.
        writeln!(stdout(), "left out: nic::corundum: the port fit: there is no Icarus Verilog here (Debian: apt-get install iverilog)")
            .expect("stdout");
        return;
    }
    let plain = fitted(&BOARDS).into_iter().map(|b| (b, NONE));
    let generating = fitted(&GENERATING).into_iter().map(|b| (b, GENERATOR));
    // In an ordinary run each board once.
    let usual = |(b, extras): &(Board, Extras)| thorough() || ((b.bus == 128) == extras.generator && (!quick() || b.bus == 64));
    for (board, extras) in plain.chain(generating).filter(usual) {
        let name = format!("corundum-{}-{}-{}-{}", board.bus, board.flow_bits, extras.generator, std::process::id());
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        std::fs::create_dir_all(&folder).expect("a folder");
        let written = |name: &str, text: &str| {
            let path = folder.join(name);
            std::fs::write(&path, text).expect("written");
            path
        };
        let sources: Vec<_> = files(&board, extras).iter().filter(|f| f.path.ends_with(".v")).map(|f| written(&f.path, &f.text)).collect();
        let icarus = |more: &[(&'static str, i64)]| {
            let bench = written("board.v", &board.bench(&board.values(more), false));
            let mut c = Command::new(&program);
            c.args(["-g2005", "-Wall", "-Wno-timescale", "-Wno-sensitivity-entire-array", "-t", "null", "-s", "board"]);
            let out = c.arg(bench).args(&sources).output().expect("iverilog starts");
            (out.status.success(), String::from_utf8_lossy(&out.stderr).into_owned())
        };
        let (fits, text) = icarus(&[]);
        assert!(fits && text.is_empty(), "{board:?}: {text}");
        if extras.generator {
            let (fits, text) = icarus(&[("TX_TAG_WIDTH", 15)]);
            assert!(!fits && text.contains("needs_tags_of_16_bits"), "{board:?} with tags of 15 bits: {text}");
        } else if board.bus == 64 || thorough() {
            for (parameter, value, told) in [
                ("APP_ID", 0x1234_0001, "APP_ID_of_32h54690001"),
                ("AXIS_SYNC_DATA_WIDTH", 256, "streams_of_"),
                ("PORTS_PER_IF", 2, "one_port_an_interface"),
                ("SCHED_PER_IF", 2, "one_scheduler_an_interface"),
                ("PTP_TS_ENABLE", 0, "PTP_stamps"),
                ("APP_AXIS_IF_ENABLE", 0, "APP_AXIS_IF_ENABLE"),
                ("RAM_SEG_COUNT", 4, "two_segments_of_256_or_512_bits"),
            ] {
                let (fits, text) = icarus(&[(parameter, value)]);
                assert!(!fits && text.contains(told), "{board:?} with {parameter} {value}: {text}");
            }
        }
        std::fs::remove_dir_all(&folder).ok();
    }
}

/// Verilator takes it too, under `cargo xtask soak`: at each width, with each flow count, with a
/// generator and without one, inside its board and by streams.
#[test]
fn verilator_takes_the_block() {
    if left_to_soak("nic::corundum::verilator_takes_the_block, of which nic and emission lint a form a width") {
        return;
    }
    const REAL: [&str; 8] = ["LATCH", "MULTIDRIVEN", "UNOPTFLAT", "COMBDLY", "BLKANDNBLK", "PINMISSING", "PINNOTFOUND", "IMPLICIT"];
    let (plain, generating) = (BOARDS.iter().map(|b| (b, NONE)), GENERATING.iter().map(|b| (b, GENERATOR)));
    for (board, extras) in plain.chain(generating) {
        for flow_bits in FLOW_BITS {
            let config = Config::new(board.bus, flow_bits).expect("a configuration that is built");
            let files = Shell::Corundum.emit_with(config, CLOCK_PS, extras).unwrap_or_else(|e| panic!("emission: {e}"));
            let own = files[0].text.lines().filter_map(|l| l.strip_prefix("module ")).all(|name| name.starts_with(PREFIX));
            assert!(own, "{config}: a module without our prefix");
            let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("corundum-{config}-{}.v", std::process::id()));
            let text = board.bench(&board.values(&[]), false) + &files[1].text + &files[0].text;
            std::fs::write(&file, text).expect("written");
            for (top, form) in [("board", "-DTIMELY_REGISTERS"), ("mqnic_app_block", "-DTIMELY_STREAMS")] {
                let program = std::env::var("VERILATOR").unwrap_or_else(|_| "verilator".into());
                let mut c = Command::new(program);
                c.args(["--lint-only", "-Wall", "-Wno-fatal", form, "--top-module", top]);
                if top != "board" {
                    // Of its own accord the block has Corundum's defaults.
                    let bus = format!("-GAXIS_DATA_WIDTH={}", board.bus);
                    c.args([bus.as_str(), "-GRAM_SEG_DATA_WIDTH=256", "-GAXIL_CTRL_ADDR_WIDTH=24"]);
                }
                let out = c.arg(&file).output().expect("verilator starts");
                let text = String::from_utf8_lossy(&out.stderr);
                assert!(out.status.success(), "{config}: {text}");
                for real in REAL {
                    assert!(!text.contains(&format!("Warning-{real}")), "{config}: {real}\n{text}");
                }
            }
            std::fs::remove_file(&file).ok();
        }
    }
}

/// The script puts the buses where a tree that looks like Corundum's has its instances, once; and
/// leaves another alone.
#[test]
fn the_script_wires_a_tree() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("corundum-tree-{}", std::process::id()));
    let (rtl, own) = (folder.join("common/rtl"), folder.join("app/timely/rtl"));
    [&rtl, &own].into_iter().for_each(|f| std::fs::create_dir_all(f).expect("a folder"));
    let script = folder.join("timely_streams.sh");
    let file = files(&BOARDS[0], NONE).into_iter().find(|f| f.path == "timely_streams.sh").expect("a script");
    std::fs::write(&script, file.text).expect("written");
    let core = "module mqnic_core #\n(\n    parameter A = 1\n)\n(\n    input  wire clk\n);\nfor (n = 0; n < A; n = n + 1) begin\n    mqnic_interface #(\n        \
                .A(A)\n    )\n    interface_inst (\n        .clk(clk)\n    );\nend\nmqnic_app_block #(\n    .A(A)\n)\napp_block_inst (\n    .clk(clk)\n);\nendmodule\n";
    let interface = "module mqnic_interface #\n(\n    parameter A = 1\n)\n(\n    input  wire clk\n);\nmqnic_tx_scheduler_block #(\n    .A(A)\n)\n\
                     scheduler_block (\n    .clk(clk)\n);\nendmodule\n";
    let tree = [(rtl.join("mqnic_core.v"), core), (rtl.join("mqnic_interface.v"), interface)];
    let blocks = ["mqnic_app_block.v", "mqnic_tx_scheduler_block.v"].map(|n| own.join(n));
    tree.iter().for_each(|(path, text)| std::fs::write(path, text).expect("written"));
    blocks.iter().for_each(|path| std::fs::write(path, "module block();\nendmodule\n").expect("written"));
    let run = || Command::new("sh").arg(&script).arg(&folder).output().expect("sh starts");
    let read = |path: &Path| std::fs::read_to_string(path).expect("a file");
    for _ in 0..2 {
        let out = run();
        assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
        let (core, interface) = (read(&tree[0].0), read(&tree[1].0));
        assert!(
            interface.contains(")\n(\n    input  wire [261:0] timely_down,")
                && interface.contains("scheduler_block (\n        .timely_down("),
            "{interface}"
        );
        assert!(
            core.contains("interface_inst (\n            .timely_down(n == 0 ?")
                && core.contains("app_block_inst (\n        .timely_down("),
            "{core}"
        );
        assert!(core.contains(");\n\nwire [261:0] timely_down;") && core.matches("timely_up").count() == 5, "{core}");
        assert!(blocks.iter().all(|b| read(b).matches("`define TIMELY_STREAMS").count() == 1));
    }
    tree.iter().for_each(|(path, text)| std::fs::write(path, text.replace("app_block_inst (", "app (.x(),")).expect("written"));
    let out = run();
    assert!(!out.status.success() && String::from_utf8_lossy(&out.stderr).contains("mqnic_app_block"), "{out:?}");
    std::fs::remove_dir_all(&folder).ok();
}
