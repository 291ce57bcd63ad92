//! Identity and state of the design, and the last error on the register bus.
use super::settings::{id as rows, merged};
use super::{Access::*, Block, CORE_VERSION, Kind, MAGIC, Parameter, Register, Reset, bit, low, whole};
use crate::field::Field;

pub use rows::*;

/// Always [`MAGIC`]; all ones when the device is gone.
pub const MAGIC_WORD: Register =
    Register::new(Kind::Id, 0x0c, "MAGIC", ReadOnly, "a magic word; all ones when the device is gone", &[whole("magic", "\"TMLY\"")])
        .reset(Reset::Value(MAGIC));
/// Version of the map.
pub const CORE: Register = Register::new(
    Kind::Id,
    0x10,
    "CORE_VERSION",
    ReadOnly,
    "version of the core",
    &[low(8, "patch", "patch"), Field::new(0, 15, 8, "minor", "minor"), Field::new(0, 31, 16, "major", "major")],
)
.reset(Reset::Value(CORE_VERSION));
/// log2 of the flows.
pub const FLOW_BITS: Register =
    Register::new(Kind::Id, 0x14, "FLOW_BITS", ReadOnly, "size of the flow table", &[whole("flow_bits", "log2 of the flows")])
        .reset(Reset::Build(Parameter::FlowBits));
/// Bits of a beat.
pub const BUS_BITS: Register =
    Register::new(Kind::Id, 0x18, "BUS_BITS", ReadOnly, "width of the data path", &[whole("bus_bits", "bits of a beat")])
        .reset(Reset::Build(Parameter::BusBits));
/// log2 of the places of the ring of departures.
pub const RING_BITS: Register = Register::new(
    Kind::Id,
    0x1c,
    "RING_BITS",
    ReadOnly,
    "size of the ring of departures",
    &[whole("ring_bits", "log2 of the ended segments, of all flows, that are remembered until their ACKs come")],
)
.reset(Reset::Build(Parameter::RingBits));
/// Clock period in ps.
pub const CLOCK_PS: Register =
    Register::new(Kind::Id, 0x20, "CLOCK_PS", ReadOnly, "nominal clock", &[whole("clock_ps", "clock period, ps")])
        .reset(Reset::Build(Parameter::ClockPs));

/// Every RAM has been cleared.
pub const READY: Field =
    bit(0, "ready", "every RAM has been cleared after reset, and no soft reset is under way: flows and profiles may be loaded");
/// No grant leaves.
pub const STOP: Field = bit(1, "stop", "no packet leaves: not ready, not enabled, nonces without a key, or heartbeat lost");
/// State of the design.
pub const STATUS: Register = Register::new(Kind::Id, 0x24, "STATUS", ReadOnly, "state of the design", &[READY, STOP]).reset(Reset::Live);

/// Lets flows send.
pub const ENABLE: Field = bit(0, "enable", "flows may send");

/// Address of the last bad access.
pub const ERROR_ADDRESS: Field = low(24, "address", "address of the last access that was refused");
/// The access was a write.
pub const ERROR_WRITE: Field = bit(24, "write", "it was a write");
/// Why it was refused.
pub const ERROR_REASON: Field = Field::new(
    0,
    30,
    28,
    "reason",
    "0 there was none, 1 no register or not aligned, 2 not readable or not writable, 3 not all four bytes written, 4 value out of range, \
     5 not now (busy, not ready, or not while flows may send)",
);
/// The last bad access.
pub const ERROR: Register =
    Register::new(Kind::Id, 0x2c, "ERROR", ReadOnly, "the last access that was refused", &[ERROR_ADDRESS, ERROR_WRITE, ERROR_REASON])
        .reset(Reset::Live);

/// Why an access was refused, as [`ERROR_REASON`] holds it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Refusal {
    /// No register answers there, or the address is no multiple of 4.
    NoRegister = 1,
    /// The register cannot be read, or cannot be written.
    Direction = 2,
    /// A write of less than four bytes.
    Strobe = 3,
    /// A value that the register does not take.
    Range = 4,
    /// The block is busy or not ready, or this is not for while flows may send.
    NotNow = 5,
}

/// The soft reset.
pub const RESET: Register = Register::new(
    Kind::Id,
    0x3c,
    "RESET",
    WriteOnly,
    "the soft reset: every flow is loaded with an empty record, which disables it and forgets its backlog, its rate, what it has outstanding and its telemetry; \
     one in 32 clocks, during which ready is 0 and no flow is granted anything. Frames that were granted leave whole. Settings, profiles, the nonces' key, both times, histograms, \
     counters, DMA and what is no flow's go on; refused (not now) while ready is 0",
    &[bit(0, "reset", "1 resets").range(1, 1)],
);

/// Registers of the block that are not settings.
const OWN: &[Register] = &[MAGIC_WORD, CORE, FLOW_BITS, BUS_BITS, RING_BITS, CLOCK_PS, STATUS, ERROR, RESET];

/// The block.
pub const BLOCK: Block = Block {
    kind: Kind::Id,
    name: "id",
    version: 3,
    base: 0x000,
    meaning: "What the design is, whether it is ready, what went wrong on the register bus.",
    registers: &merged::<{ OWN.len() + rows::REGISTERS.len() }>(OWN, rows::REGISTERS),
};
