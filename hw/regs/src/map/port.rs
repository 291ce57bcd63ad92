//! Addresses of the port, and who gets ACKs. Byte 0 of an address, the first on the wire, is in bits 7..0 of its first word.
//! A value of several registers is torn while it is written: set it while the design is not enabled.
use super::settings::port as rows;
use super::{Block, Kind};

pub use rows::*;

/// The block.
pub const BLOCK: Block = Block {
    kind: Kind::Port,
    name: "port",
    version: 2,
    base: 0x200,
    meaning: "Addresses of the port, and who gets ACKs. Byte 0 of an address, the first on the wire, is in bits 7..0 of its first word. \
              A value of several registers is torn while it is written: set it while the design is not enabled.",
    registers: rows::REGISTERS,
};
