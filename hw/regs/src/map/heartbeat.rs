//! The driver's heartbeat: when it dies, no packet leaves.
use super::{Access::*, Block, Kind, Register, Reset, bit, whole};

/// Clocks within which a kick must come.
pub const PERIOD: Register = Register::new(
    Kind::Heartbeat,
    0x10,
    "PERIOD",
    ReadWrite,
    "greatest time between two kicks; a write counts as a kick",
    &[whole("period", "clocks; 0 no heartbeat is asked for")],
);
/// A kick.
pub const BEAT: Register =
    Register::new(Kind::Heartbeat, 0x14, "BEAT", WriteOnly, "a write kicks the heartbeat", &[bit(0, "beat", "any value")]);
/// Whether the heartbeat was lost.
pub const STATE: Register = Register::new(
    Kind::Heartbeat,
    0x18,
    "STATE",
    WriteOneToClear,
    "whether the heartbeat was lost",
    &[bit(0, "lost", "no kick came in time, and everything is stopped; writing 1 arms again, and counts as a kick")],
)
.reset(Reset::Live);

/// The block.
pub const BLOCK: Block = Block {
    kind: Kind::Heartbeat,
    name: "heartbeat",
    version: 1,
    base: 0x300,
    meaning: "Stops every flow when the driver dies. A kick alone does not start them again: STATE must be cleared.",
    registers: &[PERIOD, BEAT, STATE],
};
