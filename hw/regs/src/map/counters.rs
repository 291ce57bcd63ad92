//! The event counters.
use super::{Access::*, Block, Kind, Register, Reset, whole};
use crate::counters::{COUNTERS, PLACES};

/// Counters in use.
pub const COUNT: Register = Register::new(Kind::Counters, 0x10, "COUNT", ReadOnly, "counters in use", &[whole("count", "counters")])
    .reset(Reset::Value(COUNTERS as u32));
/// The counters.
pub const COUNTER: Register = Register::new(
    Kind::Counters,
    0x40,
    "COUNTER",
    ReadOnly,
    "events since reset, wrapping; an event is in it at most 40 clocks later",
    &[whole("counter", "events")],
)
.array(PLACES as u32)
.reset(Reset::Live);

/// The block.
pub const BLOCK: Block = Block {
    kind: Kind::Counters,
    name: "counters",
    version: 2,
    base: 0x3c0,
    meaning: "Events of the whole NIC, by index.",
    registers: &[COUNT, COUNTER],
};
