//! The register map, once, as data: RTL, model, driver, `docs/registers.md` and `timely_regs.h` all
//! come from it.
//!
//! A 24-bit BAR of 32-bit registers. Blocks stand on a walkable list: +0 type (vendor half and
//! type), +4 version, +8 offset of the next block, 0 at the end. The list starts at 0 with the `id`
//! block, which has a magic word at +12. Above it all, [`window`] maps 64 bytes for each flow.
pub mod counters;
mod decode;
pub mod dma;
pub mod flow;
pub mod heartbeat;
pub mod id;
pub mod port;
pub mod profiles;
pub mod roce;
pub mod settings;
pub mod telemetry;
pub mod time;
pub mod window;

pub use decode::{Build, Entry, ack_rate, decode, increment, record_bounds, ring_bits};

use crate::field::{Field, OutOfRange};

/// Upper half of every block type: "Ti".
pub const VENDOR: u32 = 0x5469;
/// The magic word of the first block: "TMLY".
pub const MAGIC: u32 = 0x544d_4c59;
/// The version of the register map as a whole: major, minor, patch in a byte each.
pub const CORE_VERSION: u32 = 0x0000_0100;
/// Data of a read that no register answers; it comes with an error response.
pub const BAD_READ: u32 = 0xbada_cce5;
/// Bits of an address.
pub const ADDRESS_BITS: u32 = 24;
/// Bytes from the BAR's start that hold every block; registers in the lower half, the words of the
/// profiles in the upper.
pub const BLOCK_BYTES: u32 = 0x1000;

/// Accesses that a register allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// RO: a write is an error.
    ReadOnly,
    /// RW: reads back what was written.
    ReadWrite,
    /// WO: a read is an error.
    WriteOnly,
    /// W1C: a 1 that is written clears the bit.
    WriteOneToClear,
}

impl Access {
    /// A read is answered.
    pub const fn readable(self) -> bool {
        !matches!(self, Access::WriteOnly)
    }

    /// A write is taken.
    pub const fn writable(self) -> bool {
        !matches!(self, Access::ReadOnly)
    }

    /// The usual abbreviation.
    pub const fn name(self) -> &'static str {
        match self {
            Access::ReadOnly => "RO",
            Access::ReadWrite => "RW",
            Access::WriteOnly => "WO",
            Access::WriteOneToClear => "W1C",
        }
    }
}

/// Value of a register after reset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reset {
    /// A constant.
    Value(u32),
    /// A number that the design was built with.
    Build(Parameter),
    /// A state that hardware changes by itself.
    Live,
}

/// A number that a design is built with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parameter {
    /// log2 of the flows.
    FlowBits,
    /// Bits of a beat.
    BusBits,
    /// log2 of the outstanding segments of a flow.
    RingBits,
    /// Clock period, ps.
    ClockPs,
    /// Clock period, ns in Q8.24.
    Increment,
    /// 1 in a shell whose stamps are of a PTP clock.
    Ptp,
    /// How far ahead of its launch a packet is granted, ns.
    Lead,
    /// A quarter of 10 Gb/s: bytes a clock, Q8.24.
    AckRate,
    /// 10 Gb/s: bytes a clock, Q8.24.
    LineRate,
}

/// A register, or an array of registers of the same kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Register {
    /// The block it belongs to.
    pub block: Kind,
    /// Bytes from the block's start.
    pub offset: u32,
    /// Registers of the array, 4 bytes apart; 1 for a single one.
    pub count: u32,
    /// Name, upper case.
    pub name: &'static str,
    /// Accesses that the register allows.
    pub access: Access,
    /// Value after reset.
    pub reset: Reset,
    /// Purpose of the register.
    pub meaning: &'static str,
    /// The register's fields, lowest first. A write is refused when it sets a bit that no field
    /// covers, or leaves a field's range.
    pub fields: &'static [Field],
}

impl Register {
    const fn new(block: Kind, offset: u32, name: &'static str, access: Access, meaning: &'static str, fields: &'static [Field]) -> Self {
        Register { block, offset, count: 1, name, access, reset: Reset::Value(0), meaning, fields }
    }

    const fn reset(self, reset: Reset) -> Self {
        Register { reset, ..self }
    }

    const fn array(self, count: u32) -> Self {
        Register { count, ..self }
    }

    /// The register's address in the BAR of this version of the map; software goes by the block
    /// list instead.
    pub const fn address(&self) -> u32 {
        self.block.block().base + self.offset
    }

    /// The number of its 32-bit word.
    pub const fn word(&self) -> u32 {
        self.address() / 4
    }

    /// Bits that a write may set.
    pub fn mask(&self) -> u32 {
        self.fields.iter().fold(0, |m, f| m | f.mask())
    }

    /// Software's check of a value before it is written.
    ///
    /// # Errors
    /// [`OutOfRange`] when a field is out of its range, or a bit is set that no field covers.
    pub fn checked(&self, value: u32) -> Result<(), OutOfRange> {
        for f in self.fields {
            f.checked(&[value])?;
        }
        if value & !self.mask() != 0 {
            return Err(OutOfRange { name: self.name, value, least: 0, most: self.mask() });
        }
        Ok(())
    }
}

/// A register block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Block {
    /// Kind of the block; gives its type.
    pub kind: Kind,
    /// Name.
    pub name: &'static str,
    /// Version of the block; changes with every change of its registers.
    pub version: u32,
    /// Where it stands in the BAR.
    pub base: u32,
    /// Purpose of the block.
    pub meaning: &'static str,
    /// The block's registers behind the common header, in order.
    pub registers: &'static [Register],
}

/// The kinds of register blocks; the discriminant is the lower half of the type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u16)]
pub enum Kind {
    /// Identity and state of the design, last error.
    Id = 1,
    /// Time.
    Time = 2,
    /// Addresses and ACK settings of the port.
    Port = 3,
    /// The driver's heartbeat.
    Heartbeat = 4,
    /// Event counters.
    Counters = 5,
    /// Loading flows and asking for their records.
    Flow = 6,
    /// Profiles.
    Profiles = 7,
    /// Event ring, snapshots and loads in the host's memory; interrupts.
    Dma = 8,
    /// Event records and histograms.
    Telemetry = 9,
    /// Queue pairs of RoCEv2.
    Roce = 10,
}

impl Kind {
    /// The block of this kind.
    pub const fn block(self) -> &'static Block {
        &BLOCKS[self.place()]
    }

    /// The block's place in [`BLOCKS`].
    pub const fn place(self) -> usize {
        let mut i = 0;
        while BLOCKS[i].kind as u16 != self as u16 {
            i += 1;
        }
        i
    }

    /// The type word at the block's start.
    pub const fn type_word(self) -> u32 {
        VENDOR << 16 | self as u32
    }
}

/// All blocks in the order of the list.
pub const BLOCKS: [Block; 10] = [
    id::BLOCK,
    time::BLOCK,
    port::BLOCK,
    heartbeat::BLOCK,
    roce::BLOCK,
    counters::BLOCK,
    flow::BLOCK,
    profiles::BLOCK,
    telemetry::BLOCK,
    dma::BLOCK,
];

/// Offset of a block's type, behind which version and next stand in 4 bytes each.
pub const HEADER_TYPE: u32 = 0;
/// Offset of a block's version.
pub const HEADER_VERSION: u32 = 4;
/// Offset of the next block's offset in the BAR; 0 ends the list.
pub const HEADER_NEXT: u32 = 8;

impl Block {
    /// Offset of the block that follows; 0 for the last.
    pub fn next(&self) -> u32 {
        BLOCKS.iter().map(|b| b.base).filter(|&b| b > self.base).min().unwrap_or(0)
    }
}

/// A field that is the whole register.
const fn whole(name: &'static str, meaning: &'static str) -> Field {
    Field::new(0, 31, 0, name, meaning)
}

/// A field at the register's bottom.
const fn low(bits: u8, name: &'static str, meaning: &'static str) -> Field {
    Field::new(0, bits - 1, 0, name, meaning)
}

/// One bit.
const fn bit(at: u8, name: &'static str, meaning: &'static str) -> Field {
    Field::new(0, at, at, name, meaning)
}

#[cfg(test)]
mod tests;
