//! Errors of a device. Each text names the value, the range and the next step.
use crate::board::Placed;
use crate::transport::Failure;
use std::time::Duration;
use timely_regs::device;
use timely_regs::field::OutOfRange;
use timely_regs::link::BACKLOG_BOUND;
use timely_regs::parameters::ParameterError;

/// Why the driver could not do what it was asked.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The way to the device failed.
    #[error(transparent)]
    Transport(#[from] Failure),
    /// The device is not what it should be, or ended a command with an error.
    #[error("{device}: {source}")]
    Device {
        /// Device, as `--device` takes it.
        device: String,
        /// Error of the register access.
        source: device::Error<Failure>,
    },
    /// Another PCI device.
    #[error(
        "{device} is PCI device {vendor:04x}:{id:04x} of class {class:06x}, and its registers do not start as a timely-nic's: {source}; \
         `lspci -nn` lists the devices, and the FPGA may hold another bitstream"
    )]
    NotOurs {
        /// Device, as `--device` takes it.
        device: String,
        /// Vendor ID.
        vendor: u16,
        /// Device ID.
        id: u16,
        /// Class code.
        class: u32,
        /// Mismatch that the registers show.
        source: device::Error<Failure>,
    },
    /// The registers are not where the board should have them.
    #[error(
        "{device} is {placed}: no timely-nic is there: the first block has type {first:#010x} and magic word {magic:#010x} at +0xc, not {:#010x} \
         and {:#010x}; {}",
        timely_regs::map::Kind::Id.type_word(), timely_regs::map::MAGIC, placed.board.next
    )]
    NotThere {
        /// Device, as `--device` takes it.
        device: String,
        /// Where it was looked for.
        placed: Placed,
        /// The first word found there.
        first: u32,
        /// The magic word found there.
        magic: u32,
    },
    /// The shell leaves no room for the windows of the flows.
    #[error(
        "{device} has {bytes:#x} bytes of registers: doorbells and rates of single flows, up to {needed:#x}, are not among them; let packets come \
         from the host's queues (`flow add --posted`), and rates from a profile"
    )]
    NoWindow {
        /// Device, as `--device` takes it.
        device: String,
        /// Bytes of registers.
        bytes: u64,
        /// Bytes that the windows end at.
        needed: u64,
    },
    /// The BAR does not hold the registers.
    #[error("{device}: BAR 0 has {bytes:#x} bytes; {flows} flows need {needed:#x}; use a bitstream whose BAR is whole")]
    BarTooSmall {
        /// Device, as `--device` takes it.
        device: String,
        /// Bytes of the BAR.
        bytes: u64,
        /// Flows of the device.
        flows: u32,
        /// Bytes needed.
        needed: u64,
    },
    /// The RAMs were not cleared in time.
    #[error(
        "{device} was not ready {limit:?} after its reset; reset it again (`timelyctl reset`), and if that does not help, load the bitstream again"
    )]
    NotReady {
        /// Device, as `--device` takes it.
        device: String,
        /// How long was waited.
        limit: Duration,
    },
    /// The device refused an access.
    #[error("{device} refused {what}: the {} of register {address:#08x}, because {}; {}", if *write { "write" } else { "read" }, why(*reason), advice(*reason))]
    Refused {
        /// Device, as `--device` takes it.
        device: String,
        /// Operation that the access was part of.
        what: &'static str,
        /// The register.
        address: u32,
        /// The access was a write.
        write: bool,
        /// Why, as the register map numbers it.
        reason: u32,
    },
    /// A value that a field may not hold.
    #[error("{0}; give a value in that range")]
    OutOfRange(#[from] OutOfRange),
    /// A profile that the hardware cannot hold.
    #[error("{0}")]
    Parameter(#[from] ParameterError),
    /// A flow that the device does not have.
    #[error("flow {flow} does not exist; the device has flows 0 to {last}: give one of those")]
    NoFlow {
        /// The flow.
        flow: u32,
        /// The last one.
        last: u32,
    },
    /// A flow that is in use.
    #[error("flow {0} is in use; change it with `flow set`, or `flow remove` it first")]
    FlowInUse(u32),
    /// A flow that is not in use.
    #[error("flow {0} is not in use; `flow list` shows those that are, `flow add` makes one")]
    FlowNotInUse(u32),
    /// All flows are in use.
    #[error("all {0} flows are in use; `flow remove` one first")]
    NoFlowLeft(u32),
    /// A flow that cannot have so many packets waiting.
    #[error(
        "flow {flow} was refused {packets} more packets: fewer than {} may wait for it; post fewer, or wait until some were sent (`timelyctl telemetry {flow}`)",
        BACKLOG_BOUND
    )]
    Doorbell {
        /// The flow.
        flow: u32,
        /// Packets posted.
        packets: u32,
    },
    /// A heartbeat period that the device cannot count.
    #[error("a heartbeat of {asked:?} cannot be asked for; the device counts {least:?} to {most:?}")]
    Heartbeat {
        /// Period asked for.
        asked: Duration,
        /// Least.
        least: Duration,
        /// Greatest.
        most: Duration,
    },
    /// The kernel gives no random numbers.
    #[error("random numbers for the nonces from /dev/urandom: {0}; mount /dev")]
    Random(std::io::Error),
    /// The heartbeat was lost.
    #[error("the heartbeat was lost, and the device stopped every flow and DMA; start timelyd again, or reset it (`timelyctl reset`)")]
    HeartbeatLost,
    /// The heartbeat's process ended without closing the device.
    #[error(
        "the heartbeat is armed and fed by nobody, as when timelyd was killed: the device is about to stop every flow and DMA; start timelyd again, or \
         reset it (`timelyctl reset`)"
    )]
    HeartbeatUnfed,
    /// The settings are gone.
    #[error(
        "{device} is not as timelyd left it: another hand reset it or loaded its bitstream again, and its settings are gone; start timelyd again, which configures it"
    )]
    WasReset {
        /// Device, as `--device` takes it.
        device: String,
    },
    /// The memory answered a burst of the event ring, or of a snapshot or load beside it, with an
    /// error.
    #[error(
        "the memory answered DMA with an error, and the device stopped recording events; ask for them again (dmesg shows an IOMMU's faults)"
    )]
    DmaStopped,
    /// Events were asked for before they were started.
    #[error("no event ring was started; call `Nic::start_events` first")]
    NoRing,
    /// Bus mastering stayed on.
    #[error("{device} did not let go of the bus: its command register reads {command:#06x}; reset it before its memory is used again")]
    BusMaster {
        /// Device, as `--device` takes it.
        device: String,
        /// The register.
        command: u16,
    },
    /// A promise that the self-test found broken.
    #[error("self-test, {step}: {what}")]
    SelfTest {
        /// The step.
        step: &'static str,
        /// Promise that did not hold, and how.
        what: String,
    },
}

fn why(reason: u32) -> &'static str {
    match reason {
        1 => "no register is there",
        2 => "the register cannot be read, or cannot be written",
        3 => "not all four bytes were written",
        4 => "it does not take that value",
        5 => "the block is busy or not ready, or does not take that while flows may send",
        _ => "of a reason that this software does not know",
    }
}

fn advice(reason: u32) -> &'static str {
    match reason {
        4 => "give a value in the range of docs/registers.md",
        5 => "wait for the command under way, stop DMA, or disable the NIC first",
        _ => "use the software of the bitstream",
    }
}
