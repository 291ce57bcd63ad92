//! Corundum: our application block under exactly the ports and parameters that the shell gives it.
pub mod app;

use super::File;
use crate::config::Config;
use crate::emit::{PREFIX, emit};
use crate::standalone::with_stack;
use app::App;
use app::traffic::Traffic;
use std::fmt::Write;
use timely_regs::board::corundum::APPLICATION_ID;

/// Buses of streams that are built: of 10G, 25G and 100G boards.
pub const BUSES: [usize; 3] = [64, 128, 512];
/// Flow counts that are built, as powers of two: a flow is a queue, of which there are at most
/// 8,192.
pub const FLOW_BITS: [usize; 2] = [10, 13];

/// The generator's module, without our prefix.
const GENERATOR: &str = "corundum_traffic";

/// A parameter of the block: its name, and what it is by default.
pub type Parameter = (&'static str, &'static str);

/// A port of the block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Port {
    /// The port is an output of the block.
    pub output: bool,
    /// Bits of the port, of parameters and numbers.
    pub width: &'static str,
    /// Name of the port.
    pub name: &'static str,
}

/// The lines of the table, in fields: what it is, then two more.
fn rows() -> impl Iterator<Item = (&'static str, &'static str, &'static str)> {
    include_str!("app_ports.txt").lines().filter(|l| !l.starts_with('#')).filter_map(|l| {
        let (what, rest) = l.split_once(' ')?;
        // A width may have spaces in it, a name has none; so has a parameter's.
        let (first, second) = if what == "parameter" { rest.split_once(' ')? } else { rest.rsplit_once(' ')? };
        Some((what, first, second))
    })
}

/// The parameters of the block.
pub fn parameters() -> Vec<Parameter> {
    rows().filter(|r| r.0 == "parameter").map(|r| (r.1, r.2)).collect()
}

/// The ports of the block.
pub fn ports() -> Vec<Port> {
    rows().filter(|r| r.0 != "parameter").map(|(way, width, name)| Port { output: way == "output", width, name }).collect()
}

/// Streams that the block takes from one side and gives to the other as they are.
const THROUGH: [&str; 6] = ["direct_tx_cpl", "direct_tx", "direct_rx", "sync_rx", "if_tx_cpl", "if_rx"];

/// Unused interfaces of the block: how the names of their outputs begin.
const UNUSED: [&str; 7] = ["m_axi_ddr_", "m_axi_hbm_", "m_axis_stat_", "m_axis_ctrl_dma_", "ctrl_dma_ram_", "gpio_out", "jtag_tdo"];

fn through() -> String {
    let mut out = String::new();
    for port in ports().iter().filter(|p| p.output) {
        let Some((side, rest)) = port.name.split_once("_axis_") else { continue };
        let stream = THROUGH.iter().any(|s| rest.strip_prefix(s).is_some_and(|r| r.strip_prefix('_').is_some_and(|r| !r.contains('_'))));
        if stream {
            let _ = writeln!(out, "  assign {} = {}_axis_{rest};", port.name, if side == "m" { "s" } else { "m" });
        }
    }
    out
}

fn unused() -> String {
    let mut out = String::new();
    for port in ports().iter().filter(|p| p.output && UNUSED.iter().any(|u| p.name.starts_with(u))) {
        // A chain of JTAG goes on.
        let value = if port.name == "jtag_tdo" { "jtag_tdi".into() } else { format!("{{({}){{1'b0}}}}", port.width) };
        let _ = writeln!(out, "  assign {} = {value};", port.name);
    }
    out
}

/// A port of the core's towards a generator: whether it goes out, its bits, its name there.
fn towards_generator(core: &str) -> Vec<(bool, usize, &str)> {
    let ports = core.split("endmodule").next().unwrap_or_default().lines().filter_map(|line| {
        let (way, rest) = line.trim().trim_end_matches(';').split_once(' ')?;
        let name = rest.split_whitespace().last().filter(|n| n.starts_with("g_"))?;
        let high = rest.split_once('[').and_then(|(_, r)| r.split_once(':')).and_then(|(high, _)| high.parse::<usize>().ok());
        matches!(way, "input" | "output").then(|| (way == "output", high.unwrap_or(0) + 1, name))
    });
    ports.collect()
}

/// The generator's instance and the wires to it; nothing without one.
fn instance(ports: &[(bool, usize, &str)]) -> String {
    let mut out = String::from("  // The traffic generator: the core's and its own ports have the same names.\n");
    for (_, bits, name) in ports {
        let _ = writeln!(out, "  wire {}{name};", if *bits == 1 { String::new() } else { format!("[{}:0] ", bits - 1) });
    }
    let wired: Vec<String> = ports.iter().map(|(_, _, name)| format!("    .{}({name})", &name[2..])).collect();
    let _ = writeln!(out, "  {PREFIX}{GENERATOR} generator (\n    .clk(clk),\n{}\n  );", wired.join(",\n"));
    out
}

/// Connections of the core's ports towards a generator.
fn connections(ports: &[(bool, usize, &str)], generator: bool) -> String {
    let mut out = format!("    .generates(1'b{}),\n", u8::from(generator));
    for (output, bits, name) in ports {
        let wire = match (generator, output) {
            (true, _) => (*name).to_owned(),
            (false, true) => String::new(),
            (false, false) => format!("{{{bits}{{1'b0}}}}"),
        };
        let _ = writeln!(out, "    .{name}({wire}),");
    }
    out
}

/// The module with the shell's ports, around the core of that text.
fn block(file: &str, config: Config, core: &str, generator: bool) -> String {
    let towards = towards_generator(core);
    let parameters: Vec<String> = parameters()
        .iter()
        .map(|(name, default)| match *name {
            "APP_ID" => format!("  parameter APP_ID = 32'h{APPLICATION_ID:08x}"),
            _ => format!("  parameter {name} = {default}"),
        })
        .collect();
    let ports: Vec<String> = ports()
        .iter()
        .map(|p| {
            let width = if p.width == "1" { String::new() } else { format!("[{}-1:0] ", p.width) };
            format!("  {} wire {width}{}", if p.output { "output" } else { "input" }, p.name)
        })
        .collect();
    include_str!("app_block.v")
        .replace("@PARAMETERS@", &parameters.join(",\n"))
        .replace("@PORTS@", &ports.join(",\n"))
        .replace("@THROUGH@\n", &through())
        .replace("@UNUSED@\n", &unused())
        .replace("@GENERATOR@\n", &if generator { instance(&towards) } else { String::new() })
        .replace("@TOWARDS@\n", &connections(&towards, generator))
        .replace("@TAG_BITS@", if generator { "16" } else { "6" })
        .replace("@TAGS@", if generator { "16" } else { "6_to_16" })
        .replace("@FILE@", file)
        .replace("@CORE@", &format!("{PREFIX}corundum_app"))
        .replace("@ID@", &format!("{APPLICATION_ID:08x}"))
        .replace("@BUS@", &config.bus.to_string())
}

/// The files of the application block, with a traffic generator or without.
pub(super) fn files(path: &str, config: Config, clock_ps: u32, generator: bool) -> Result<Vec<File>, String> {
    let mut text = with_stack(move || core(config, clock_ps))?;
    let block = block(path, config, &text, generator);
    if generator {
        text += &with_stack(move || traffic(config, clock_ps))?;
    }
    let id = format!("{APPLICATION_ID:08x}");
    Ok(vec![
        File { path: path.into(), text },
        File { path: "mqnic_app_block.v".into(), text: block },
        File { path: "timely.mk".into(), text: include_str!("timely.mk").replace("@FILE@", path) },
        File { path: "timely.tcl".into(), text: include_str!("timely.tcl").replace("@ID@", &id) },
        File { path: "timely_streams.sh".into(), text: include_str!("timely_streams.sh").into() },
    ])
}

fn core(config: Config, clock_ps: u32) -> Result<String, String> {
    let build = timely_regs::map::Build { ptp: 1, ..config.build(clock_ps) };
    macro_rules! arms {
        ($(($w:literal, $k:literal): $(($f:literal, $s:literal))*;)*) => {
            match (config.bus, config.flow_bits) {
                $($(($w, $f) => emit("corundum_app", App::<$w, $k, $f, { $f + 1 }, $s, { if $f > $s { $f } else { $s } }, { $k + 74 }, { $f + 32 }, { $w + $k + 50 }>::new(&build)),)*)*
                _ => Err(format!("{config} is not built for Corundum: buses are {BUSES:?}, flow bits {FLOW_BITS:?}")),
            }
        };
    }
    arms!(
        (64, 8): (10, 13)(13, 13);
        (128, 16): (10, 14)(13, 14);
        (512, 64): (10, 16)(13, 16);
    )
}

/// The generator of the same design.
fn traffic(config: Config, clock_ps: u32) -> Result<String, String> {
    let build = config.build(clock_ps);
    macro_rules! arms {
        ($(($w:literal, $k:literal): $(($f:literal, $x:literal))*;)*) => {
            match (config.bus, config.flow_bits) {
                $($(($w, $f) => emit(GENERATOR, Traffic::<$w, $k, $f, $x, { $f + 16 }, { $x - 4 }, { $x + 4 }, { $f - 1 }, { $f + 1 },
                    { $f + 32 }, { $f + 50 }, { $f + 94 }, { $k + 74 }>::new(&build)),)*)*
                _ => Err(format!("{config} is not built for Corundum: buses are {BUSES:?}, flow bits {FLOW_BITS:?}")),
            }
        };
    }
    arms!(
        (64, 8): (10, 13)(13, 14);
        (128, 16): (10, 13)(13, 14);
        (512, 64): (10, 13)(13, 14);
    )
}
