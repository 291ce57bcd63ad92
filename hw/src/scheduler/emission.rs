//! The scheduler as the file that takes the place of Corundum's.
use super::Scheduler;
use crate::emit::{PREFIX, emit};
use crate::standalone::with_stack;
use timely_model::pacer::Timing;
use timely_regs::map::increment;

/// Flow counts that are built, as powers of two.
pub const FLOW_BITS: [usize; 2] = [10, 13];

/// The file's name.
pub const FILE: &str = "mqnic_tx_scheduler_block.v";

/// log2 of the wire bytes that requests of queues without a flow may have under way: 16 KiB by 64
/// bits of bus, some 13 us of the line that a bus is for. A frame of a flow may wait that long
/// behind them; a host that answers a read within 10 us lets them fill the line.
pub fn share(bus_bits: usize) -> u8 {
    14 + (bus_bits / 64).ilog2() as u8
}

/// Text of the file: the module that Corundum instantiates first, then those that it is made of;
/// for `2^flow_bits` queues, a bus of `bus_bits` between core and MAC, and a clock of `clock_ps`.
///
/// # Errors
/// The flow count is not built, or RustHDL's checks reject the design; the reason as text.
pub fn verilog(flow_bits: usize, bus_bits: usize, clock_ps: u32) -> Result<String, String> {
    let name = "corundum_scheduler";
    let core = match flow_bits {
        10 => with_stack(move || emit(name, Scheduler::<10, 13, 9, 17, 9, 11, 26, 42, 60, 104, 12, 75, 35, 16>::new(Timing::default()))),
        13 => with_stack(move || emit(name, Scheduler::<13, 14, 10, 18, 12, 14, 29, 45, 63, 107, 15, 78, 38, 19>::new(Timing::default()))),
        _ => Err(format!("2^{flow_bits} queues are not built for Corundum: {FLOW_BITS:?}")),
    }?;
    let top = include_str!("scheduler.v")
        .replace("@CORE@", &format!("{PREFIX}{name}"))
        .replace("@SHARE@", &share(bus_bits).to_string())
        .replace("@CLOCK@", &clock_ps.to_string())
        .replace("@INCREMENT@", &increment(clock_ps).to_string())
        .replace("@QUEUES@", &(1 << flow_bits).to_string())
        .replace("@WINDOW@", &(flow_bits + 5).to_string())
        .replace("@F@", &flow_bits.to_string());
    Ok(top + "\n" + &core)
}
