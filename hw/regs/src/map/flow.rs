//! Flow records go in whole and come out whole: staged or captured here, moved at once by a
//! command.
use super::settings::{flow as rows, merged};
use super::{Access::*, Block, Kind, Register, Reset, bit, low, whole, window};
use crate::field::Field;
use crate::{flow, telemetry};

pub use rows::*;

/// Loads a flow from the staged words.
pub const LOAD: u32 = 1;
/// Asks for the record of a flow.
pub const QUERY: u32 = 2;
/// Starts a command.
pub const COMMAND: Register = Register::new(
    Kind::Flow,
    0x14,
    "COMMAND",
    WriteOnly,
    "starts a command; refused while busy or not ready",
    &[low(2, "command", "1 load: the staged words become the flow, at once; 2 query: ask for the flow's record").range(LOAD, QUERY)],
);
/// A query is under way.
pub const BUSY: Field = bit(0, "busy", "a query is under way");
/// The last command is done.
pub const DONE: Field = bit(1, "done", "the last command is done; ANSWER holds the record if it was a query");
/// The last query was not answered.
pub const FAILED: Field = bit(2, "error", "the last query was not answered in 4096 clocks");
/// State of the last command.
pub const STATUS: Register =
    Register::new(Kind::Flow, 0x18, "STATUS", ReadOnly, "state of the last command", &[BUSY, DONE, FAILED]).reset(Reset::Live);
/// Where the window of the flows starts.
pub const WINDOW: Register =
    Register::new(Kind::Flow, 0x1c, "WINDOW", ReadOnly, "offset of the first flow's doorbell", &[whole("window", "bytes")])
        .reset(Reset::Value(window::BASE));
/// Bytes of a flow in the window.
pub const STRIDE: Register =
    Register::new(Kind::Flow, 0x20, "STRIDE", ReadOnly, "bytes from one flow's doorbell to the next", &[whole("stride", "bytes")])
        .reset(Reset::Value(window::STRIDE));
/// The staged words.
pub const STAGE: Register = Register::new(
    Kind::Flow,
    0x40,
    "STAGE",
    ReadWrite,
    "a flow record on its way in; see the flow record",
    &[whole("stage", "a word of the flow record")],
)
.array(flow::WORDS as u32);
/// The captured answer.
pub const ANSWER: Register = Register::new(
    Kind::Flow,
    0x80,
    "ANSWER",
    ReadOnly,
    "the answer to the last query, valid when STATUS says done; see the telemetry record",
    &[whole("answer", "a word of the telemetry record")],
)
.array(telemetry::WORDS as u32);

/// Registers of the block that are not settings.
const OWN: &[Register] = &[COMMAND, STATUS, WINDOW, STRIDE, STAGE, ANSWER];

/// The block.
pub const BLOCK: Block = Block {
    kind: Kind::Flow,
    name: "flow",
    version: 1,
    base: 0x500,
    meaning: "Loads flows and asks for their records. A record goes in whole and comes out whole, never torn.",
    registers: &merged::<{ OWN.len() + rows::REGISTERS.len() }>(OWN, rows::REGISTERS),
};
