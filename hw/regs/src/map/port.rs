//! Addresses of the port, and who gets ACKs. Byte 0 of an address, the first on the wire, is in bits 7..0 of its first word.
//! A value of several registers is torn while it is written: set it while the design is not enabled.
use super::{Access::*, Block, Kind, Register, Reset, bit, low, whole};

/// Own MAC, bytes 0 to 3.
pub const MAC_LOW: Register =
    Register::new(Kind::Port, 0x10, "MAC_LOW", ReadWrite, "own MAC", &[whole("mac_low", "bytes 0 to 3, byte 0 in bits 7..0")]);
/// Own MAC, bytes 4 and 5.
pub const MAC_HIGH: Register = Register::new(Kind::Port, 0x14, "MAC_HIGH", ReadWrite, "own MAC", &[low(16, "mac_high", "bytes 4 and 5")]);
/// Own IPv4 address.
pub const IPV4: Register = Register::new(Kind::Port, 0x18, "IPV4", ReadWrite, "own IPv4 address", &[whole("ipv4", "byte 0 in bits 7..0")]);
/// UDP port of data and ACKs.
pub const UDP_PORT: Register = Register::new(
    Kind::Port,
    0x1c,
    "UDP_PORT",
    ReadWrite,
    "UDP port that makes a packet ours; 0 after reset, when none is",
    &[low(16, "udp_port", "port number").range(1, 0xffff)],
);
/// Own IPv6 address.
pub const IPV6: Register =
    Register::new(Kind::Port, 0x20, "IPV6", ReadWrite, "own IPv6 address", &[whole("ipv6", "four bytes, the first in bits 7..0")]).array(4);
/// TOS or traffic class of ACKs.
pub const ACK_TOS: Register = Register::new(
    Kind::Port,
    0x30,
    "ACK_TOS",
    ReadWrite,
    "TOS or traffic class of ACKs",
    &[low(8, "ack_tos", "DSCP in bits 7..2, ECN in bits 1..0")],
);
/// TTL or hop limit of ACKs.
pub const ACK_TTL: Register = Register::new(
    Kind::Port,
    0x34,
    "ACK_TTL",
    ReadWrite,
    "TTL or hop limit of ACKs",
    &[low(8, "ack_ttl", "TTL or hop limit").range(1, 255)],
)
.reset(Reset::Value(64));
/// ACKs are sent.
pub const ACK_ENABLE: Register = Register::new(
    Kind::Port,
    0x38,
    "ACK_ENABLE",
    ReadWrite,
    "whether segments are answered",
    &[bit(0, "ack_enable", "answer segments of allowed peers")],
);
/// Wire time of a byte.
pub const NS_PER_BYTE: Register = Register::new(
    Kind::Port,
    0x3c,
    "NS_PER_BYTE",
    ReadWrite,
    "time of a byte on the wire; 10 Gb/s after reset",
    &[whole("ns_per_byte", "ns, Q16.16").range(1, u32::MAX)],
)
.reset(Reset::Value(52_429));
/// Allowed peers: IPv4 address.
pub const ALLOW4: Register = Register::new(
    Kind::Port,
    0x40,
    "ALLOW4",
    ReadWrite,
    "an IPv4 peer is allowed when it equals ALLOW4 in the bits of MASK4",
    &[whole("allow4", "byte 0 in bits 7..0")],
);
/// Allowed peers: IPv4 mask.
pub const MASK4: Register =
    Register::new(Kind::Port, 0x44, "MASK4", ReadWrite, "bits of ALLOW4 that count", &[whole("mask4", "1 a bit that counts")]);
/// Where the nonces start.
pub const NONCE_SEED: Register = Register::new(
    Kind::Port,
    0x48,
    "NONCE_SEED",
    WriteOnly,
    "where the sequence of segment nonces starts again; to be random, for who knows it can forge ACKs",
    &[whole("nonce_seed", "any value; 0 counts as 0x9e3779b9")],
);
/// Room of a flow in the packet store.
pub const STORE_BOUND: Register = Register::new(
    Kind::Port,
    0x4c,
    "STORE_BOUND",
    ReadWrite,
    "cells of 256 bytes that a flow may hold in the packet store, where there is one: a flow that holds as many stores no packet more",
    &[low(16, "store_bound", "cells")],
)
.reset(Reset::Value(512));
/// Allowed peers: IPv6 address.
pub const ALLOW6: Register = Register::new(
    Kind::Port,
    0x50,
    "ALLOW6",
    ReadWrite,
    "an IPv6 peer is allowed when it equals ALLOW6 in the bits of MASK6",
    &[whole("allow6", "four bytes, the first in bits 7..0")],
)
.array(4);
/// Allowed peers: IPv6 mask.
pub const MASK6: Register =
    Register::new(Kind::Port, 0x60, "MASK6", ReadWrite, "bits of ALLOW6 that count", &[whole("mask6", "1 a bit that counts")]).array(4);

/// The block.
pub const BLOCK: Block = Block {
    kind: Kind::Port,
    name: "port",
    version: 2,
    base: 0x200,
    meaning: "Addresses of the port, and who gets ACKs. Byte 0 of an address, the first on the wire, is in bits 7..0 of its first word. \
              A value of several registers is torn while it is written: set it while the design is not enabled.",
    registers: &[
        MAC_LOW,
        MAC_HIGH,
        IPV4,
        UDP_PORT,
        IPV6,
        ACK_TOS,
        ACK_TTL,
        ACK_ENABLE,
        NS_PER_BYTE,
        ALLOW4,
        MASK4,
        NONCE_SEED,
        STORE_BOUND,
        ALLOW6,
        MASK6,
    ],
};
