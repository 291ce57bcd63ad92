//! A whole NIC for LambdaConcept's ECPIX-5, of which every file is ours: our core with its
//! generator, a MAC, registers over a serial line, pins.
pub mod small;

use super::File;
use crate::dma::replace_dma;
use crate::emit::emit;
use crate::mac::{Rx, Tx};
use crate::serial::Serial;
use crate::standalone::{emit_named, with_stack};
use timely_regs::map::Build;

/// The period of the core's clock unless it is asked for, ps.
pub const CLOCK_PS: u32 = 14_000;
/// The PLL's frequency is 500 MHz, so a period is a multiple of this, ps.
const STEP_PS: u32 = 2_000;
/// Longest period: what the registers take for the time's increment.
const LONGEST_PS: u32 = 16_000;
/// log2 of the flows, and of a flow's outstanding segments: with 1,024 flows the core takes over
/// 300 of the 208 block RAMs.
pub const FLOW_BITS: usize = 9;
const RING_BITS: u32 = 10;
/// RAMs that are put into LUTs, by kind.
const SMALL: [usize; 2] = [43, 22];

/// Ports, their sites and what else is said of them. All are LVCMOS33.
const PINS: [(&str, &str, &str); 30] = [
    ("clk100", "K23", ""),
    ("rst_n", "N5", "PULLMODE=UP"),
    ("eth_tx_clk", "A12", ""),
    ("eth_tx_ctl", "C9", ""),
    ("eth_tx_data[0]", "D8", ""),
    ("eth_tx_data[1]", "C8", ""),
    ("eth_tx_data[2]", "B8", ""),
    ("eth_tx_data[3]", "A8", ""),
    ("eth_rx_clk", "E11", ""),
    ("eth_rx_ctl", "A11", ""),
    // Pulled up while the PHY leaves reset: it then does RGMII and offers every speed.
    ("eth_rx_data[0]", "B11", "PULLMODE=UP"),
    ("eth_rx_data[1]", "A10", "PULLMODE=UP"),
    ("eth_rx_data[2]", "B10", "PULLMODE=UP"),
    ("eth_rx_data[3]", "A9", "PULLMODE=UP"),
    ("eth_rst_n", "C13", ""),
    ("eth_mdc", "C11", ""),
    ("uart_rx", "R26", "PULLMODE=UP"),
    ("uart_tx", "R24", ""),
    ("led_r[0]", "T23", ""),
    ("led_g[0]", "R21", ""),
    ("led_b[0]", "T22", ""),
    ("led_r[1]", "U21", ""),
    ("led_g[1]", "W21", ""),
    ("led_b[1]", "T24", ""),
    ("led_r[2]", "K21", ""),
    ("led_g[2]", "K24", ""),
    ("led_b[2]", "M21", ""),
    ("led_r[3]", "P21", ""),
    ("led_g[3]", "R23", ""),
    ("led_b[3]", "P22", ""),
];

fn constraints() -> String {
    let pin = |(port, site, more): (&str, &str, &str)| {
        let space = if more.is_empty() { "" } else { " " };
        format!("LOCATE COMP \"{port}\" SITE \"{site}\";\nIOBUF PORT \"{port}\" IO_TYPE=LVCMOS33{space}{more};")
    };
    let pins: Vec<String> = PINS.into_iter().map(pin).collect();
    include_str!("pins.lpf").replace("@PINS@", &pins.join("\n"))
}

/// The queue between two clocks, and the resets.
pub const CROSS: &str = include_str!("cross.v");
/// The files, the Verilog first, under the name `path`, for a serial line of `baud`.
///
/// # Errors
/// The PLL does not make that clock, or what RustHDL's checks found wrong, as text.
pub fn files(path: &str, clock_ps: u32, baud: u32) -> Result<Vec<File>, String> {
    let path = path.to_owned();
    with_stack(move || files_here(&path, clock_ps, baud))
}

/// The pins' module, of a core of this clock.
pub fn top(clock_ps: u32) -> String {
    let divider = clock_ps / STEP_PS;
    include_str!("top.v").replace("@CORE_DIV@", &divider.to_string()).replace("@CORE_PHASE@", &(divider - 1).to_string())
}

fn files_here(path: &str, clock_ps: u32, baud: u32) -> Result<Vec<File>, String> {
    if !clock_ps.is_multiple_of(STEP_PS) || !(2 * STEP_PS..=LONGEST_PS).contains(&clock_ps) {
        return Err(format!("a clock of {clock_ps} ps: the board's PLL makes multiples of {STEP_PS} from {} to {LONGEST_PS}", 2 * STEP_PS));
    }
    let build = Build { flow_bits: FLOW_BITS as u32, bus_bits: 64, ring_bits: RING_BITS, clock_ps, ptp: 0 };
    let nic = include_str!("nic.v").replace("@PERIOD_NS@", &(clock_ps / 1000).to_string());
    let bit = (1_000_000_000_000 / u64::from(clock_ps) + u64::from(baud) / 2) / u64::from(baud);
    // There is no memory, and DMA's words of 512 and 1,024 bits take the wires that others need.
    let core = replace_dma::<64, 8, FLOW_BITS>(&emit_named("ecpix5_core", &build)?, "ecpix5_core__core__control__dma")?;
    let (core, found) = small::in_luts(&core);
    if found != SMALL {
        return Err(format!("{found:?} RAMs have the shape that goes into LUTs, not {SMALL:?}: say in shells/ecpix5 which do today"));
    }
    let parts = [
        top(clock_ps),
        include_str!("cells.v").to_owned(),
        nic,
        CROSS.to_owned(),
        emit("ecpix5_serial", Serial::new(bit as u32))?,
        emit("ecpix5_mac_tx", Tx::default())?,
        emit("ecpix5_mac_rx", Rx::default())?,
        core,
    ];
    let file = |path: &str, text: String| File { path: path.into(), text };
    Ok(vec![file(path, parts.join("\n")), file("timely_ecpix5.lpf", constraints())])
}
