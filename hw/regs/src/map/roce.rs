//! Queue pairs of RoCEv2: the table's settings, and commands that set, join and remove pairs. Forms
//! of the NIC without the table have the registers and refuse commands.
use super::settings::{merged, roce as rows};
use super::{Access::*, Block, Kind, Register, Reset, bit, low};
use crate::field::Field;

pub use rows::*;

/// The local queue pair.
pub const LOCAL_PAIR: Field = low(24, "local", "its number");
/// A local queue pair is given.
pub const LOCAL_GIVEN: Field = bit(24, "given", "1 the command joins the pair with this local one, by which its answers are known");

/// Sets a pair, and joins it if a local one is given.
pub const SET: u32 = 1;
/// Removes a pair.
pub const REMOVE: u32 = 2;
/// Starts a command.
pub const COMMAND: Register = Register::new(
    Kind::Roce,
    0x54,
    "COMMAND",
    WriteOnly,
    "starts a command on the pair of ADDRESS and REMOTE; refused while one is under way, while CONTROL is 0, or where no table is",
    &[low(2, "command", "1 set: the pair gets a flow, does not age, and is joined with LOCAL if that is given; 2 remove")
        .range(SET, REMOVE)],
);
/// No command is taken.
pub const BUSY: Field = bit(0, "busy", "no command is taken: one is under way, or the table is not in use");
/// There is a table.
pub const PRESENT: Field = bit(1, "present", "this form of the NIC has a table of queue pairs");
/// Outcome of the last command.
pub const OUTCOME: Field = Field::new(
    0,
    6,
    4,
    "outcome",
    "of the last command: 0 done; 1 there is no such pair; 2 all flows are taken; 3 a bucket is full or the hash is another key's; 4 answers to LOCAL belong to another pair",
);
/// Flow of the last command.
pub const FLOW: Field = Field::new(0, 31, 16, "flow", "flow of the last command's pair");
/// State of the last command.
pub const STATUS: Register =
    Register::new(Kind::Roce, 0x58, "STATUS", ReadOnly, "state of the last command", &[BUSY, PRESENT, OUTCOME, FLOW]).reset(Reset::Live);

/// Registers of the block that are not settings.
const OWN: &[Register] = &[COMMAND, STATUS];

/// The block.
pub const BLOCK: Block = Block {
    kind: Kind::Roce,
    name: "roce",
    version: 3,
    base: 0x340,
    meaning: "Queue pairs of RoCEv2, in forms that pace them. Addresses, queue pairs and profile are staged, then COMMAND takes them.",
    registers: &merged::<{ OWN.len() + rows::REGISTERS.len() }>(OWN, rows::REGISTERS),
};
