//! Addresses of the port, and the hosts that get ACKs. Byte 0 of an address, the first on the wire,
//! is in bits 7..0 of its first word. A value of several registers is torn while it is written: set
//! it while the design is not enabled.
use super::settings::{merged, port as rows};
use super::{Access::*, Block, Kind, Register, bit, low, whole};
use crate::field::Field;

pub use rows::*;

/// Prefixes of the allow list.
pub const PREFIXES: usize = 8;
/// Words of an entry's address.
pub const ALLOW_WORDS: u32 = 4;
/// Length of a prefix.
pub const ALLOW_LENGTH: Field = low(8, "length", "bits of the prefix; of IPv4 32 at most, of IPv6 128");
/// The entry is of IPv4.
pub const ALLOW_IPV4: Field = bit(8, "ipv4", "the entry holds IPv4 addresses");
/// The entry is of IPv6.
pub const ALLOW_IPV6: Field = bit(9, "ipv6", "the entry holds IPv6 addresses");
/// Lengths of the allow list.
pub const ALLOW_PREFIX: Register = Register::new(
    Kind::Port,
    0x60,
    "ALLOW_PREFIX",
    ReadWrite,
    "allow list: what entry i holds; with neither family, as after reset, it holds nobody. Segments are answered of hosts that an entry holds",
    &[ALLOW_LENGTH, ALLOW_IPV4, ALLOW_IPV6],
)
.array(PREFIXES as u32);
/// Addresses of the allow list.
pub const ALLOW: Register = Register::new(
    Kind::Port,
    0x80,
    "ALLOW",
    ReadWrite,
    "allow list: word w of entry i's address is number 4 i + w; of IPv4 word 0 alone, the others 0",
    &[whole("allow", "four bytes, the first in bits 7..0")],
)
.array(PREFIXES as u32 * ALLOW_WORDS);

/// Pause frames are obeyed.
pub const PAUSE_ENABLE: Field = bit(
    0,
    "enable",
    "obey PAUSE of IEEE 802.3, which stops all that leaves, and PFC of 802.1Qbb, which stops priorities; 0 ends what was paused",
);
/// Priority of ACKs.
pub const ACK_PRIORITY: Field =
    Field::new(0, 3, 1, "ack_priority", "priority of ACKs: PFC that pauses it stops them; their frames do not say it by this");

/// Least `LINE_RATE`, wire bytes a clock in Q8.24: 10 Mb/s, the slowest line that has pause frames,
/// at a clock of 1.56 ns, faster than any that the design reaches. A pause of 65,535 quanta then
/// ends in 8.6 s at 4 ns; with 64 it took 73 minutes.
pub const LEAST_LINE_RATE: u32 = 1 << 15;

/// Registers of the block that are not settings: the responder follows their writes.
const OWN: &[Register] = &[ALLOW_PREFIX, ALLOW];

/// The block.
pub const BLOCK: Block = Block {
    kind: Kind::Port,
    name: "port",
    version: 4,
    base: 0x200,
    meaning: "Addresses of the port, and who gets ACKs. Byte 0 of an address, the first on the wire, is in bits 7..0 of its first word. \
              A value of several registers is torn while it is written: set it while the design is not enabled.",
    registers: &merged::<{ OWN.len() + rows::REGISTERS.len() }>(OWN, rows::REGISTERS),
};
