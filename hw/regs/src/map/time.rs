//! The NIC's two times, ns48.fns16: the steady time, and the date.
use super::{Access::*, Block, Kind, Parameter, Register, Reset, bit, low, whole};

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
/// What a clock adds to both times.
pub const INCREMENT: Register = Register::new(
    Kind::Time,
    0x18,
    "INCREMENT",
    ReadWrite,
    "what a clock adds to both times",
    &[whole("increment", "ns a clock, Q8.24: up to 16 ns, for which the calendar queue is drained fast enough").range(1 << 20, 1 << 28)],
)
.reset(Reset::Build(Parameter::Increment));
/// Low half of a date to set.
pub const SET_LOW: Register =
    Register::new(Kind::Time, 0x1c, "SET_LOW", ReadWrite, "low half of a date to set", &[whole("set_low", "bits 31..0 of the date")]);
/// High half of a date to set; the write sets.
pub const SET_HIGH: Register = Register::new(
    Kind::Time,
    0x20,
    "SET_HIGH",
    ReadWrite,
    "a write sets the date to SET_HIGH:SET_LOW, at once, on or back; without effect while PTP is the source. Gaps and time-outs are of the steady time and do not notice",
    &[whole("set_high", "bits 63..32 of the date")],
);
/// Where the date comes from.
pub const SOURCE: Register = Register::new(
    Kind::Time,
    0x24,
    "SOURCE",
    ReadWrite,
    "where the date comes from",
    &[bit(
        0,
        "ptp",
        "0 as it was set, running as the clock does; 1 the PTP clock of the shell, which it follows at once, on and back; 1 after reset in Corundum, whose stamps are of that clock",
    )],
)
.reset(Reset::Build(Parameter::Ptp));

/// How far ahead of its launch a grant goes.
pub const LEAD: Register = Register::new(
    Kind::Time,
    0x28,
    "LEAD",
    ReadWrite,
    "how far ahead of its launch a packet is granted",
    &[low(
        16,
        "lead",
        "ns; unless 0, every packet waits for its launch in front of the MAC (Corundum: in the form with streams; 8000 after reset), and each start is that much later; a lower one is refused (not now) while flows may send (STATUS: stop is 0), for the pacer would take it as time that runs back",
    )],
)
.reset(Reset::Build(Parameter::Lead));

/// The block.
pub const BLOCK: Block = Block {
    kind: Kind::Time,
    name: "time",
    version: 2,
    base: 0x100,
    meaning: "The NIC's date, ns48.fns16 (48 bits of ns above 16 bits of fraction): what stamps are. Gaps and time-outs count on a steady time that no register moves.",
    registers: &[NOW_LOW, NOW_HIGH, INCREMENT, SET_LOW, SET_HIGH, SOURCE, LEAD],
};
