//! The NIC's two times, ns48.fns16: the steady time, and the date.
use super::settings::{merged, time as rows};
use super::{Access::*, Block, Kind, Register, Reset, whole};

pub use rows::*;

/// Low half of the date; a read latches the high half.
pub const NOW_LOW: Register = Register::new(
    Kind::Time,
    0x10,
    "NOW_LOW",
    ReadOnly,
    "reading it latches NOW_HIGH",
    &[whole("now_low", "bits 31..0 of the date: 16 bits of ns above 16 bits of fraction")],
)
.reset(Reset::Live);
/// High half of the date, as it was when the low half was read.
pub const NOW_HIGH: Register = Register::new(
    Kind::Time,
    0x14,
    "NOW_HIGH",
    ReadOnly,
    "as it was when NOW_LOW was read",
    &[whole("now_high", "bits 63..32 of the date, units of 65,536 ns")],
)
.reset(Reset::Live);

/// Registers of the block that are not settings.
const OWN: &[Register] = &[NOW_LOW, NOW_HIGH];

/// The block.
pub const BLOCK: Block = Block {
    kind: Kind::Time,
    name: "time",
    version: 2,
    base: 0x100,
    meaning: "The NIC's date, ns48.fns16 (48 bits of ns above 16 bits of fraction): what stamps are. Gaps and time-outs count on a steady time that no register moves.",
    registers: &merged::<{ OWN.len() + rows::REGISTERS.len() }>(OWN, rows::REGISTERS),
};
