//! The wire format: our 48-byte header behind UDP, by named offsets, with a view of a frame, a
//! builder and the checksums.
//!
//! | offset | bytes | field |
//! |---|---|---|
//! | 0 | 1 | version, [`VERSION`] |
//! | 1 | 1 | flags: [`FIRST`], [`LAST`], [`ACK`], [`READ`] |
//! | 2 | 2 | packet number in the segment, 0 in the first |
//! | 4 | 2 | place of the segment in the sender's ring of departures; hosts send 0 |
//! | 6 | 2 | flow of the sender |
//! | 8 | 4 | nonce of the segment |
//! | 12 | 4 | segment number |
//! | 16 | 4 | segment bytes |
//! | 20 | 4 | charged bytes (for reads) |
//! | 24 | 1 | TTL as sent |
//! | 25 | 1 | ACK: TTL received |
//! | 26 | 1 | ACK: ECN bits seen |
//! | 27 | 1 | ACK: what is known of lost packets, [`Loss`]; 0 nothing |
//! | 28 | 8 | ACK: arrival of the answered packet's start at the responder, ns48.fns16 |
//! | 36 | 8 | ACK: departure at the responder, when the ACK was handed to the transmit arbiter |
//! | 44 | 4 | reserved, 0 |
//!
//! Multi-byte fields are big-endian. Which frames are well-formed is decided in one place,
//! [`check`]; reserved bytes and the fields that only ACKs fill are sent as 0 and not looked at
//! when they arrive.
mod build;
mod check;
mod checksum;
mod loss;
mod packet;

pub use build::{Addresses, Envelope, Header};
pub use check::{Error, Kind, check, check_datagram};
pub use checksum::{CRC32_RESIDUE, crc32, ipv4_header_checksum, ones_complement_sum, udp_checksum};
pub use loss::{Arrived, Loss};
pub use packet::Packet;

/// Bytes of the header, in data packets and in ACKs.
pub const HEADER_BYTES: usize = 48;
/// The version that this code speaks.
pub const VERSION: u8 = 2;
/// The UDP port that data goes to when nothing is said: no registered protocol's, so neither
/// RoCEv2's (4791) nor Ultra Ethernet's (4793). The vendor word of the register blocks, "Ti".
pub const DEFAULT_PORT: u16 = crate::map::VENDOR as u16;
/// Flag: first packet of a segment.
pub const FIRST: u8 = 1;
/// Flag: last packet of a segment; its receiver answers.
pub const LAST: u8 = 2;
/// Flag: an ACK, echoing what it answers; it has [`LAST`] too, since only a last packet is
/// answered.
pub const ACK: u8 = 4;
/// Flag: a READ request, paced by its charged bytes.
pub const READ: u8 = 8;
/// The flags that this version defines; a header with any other is malformed.
pub const FLAGS: u8 = FIRST | LAST | ACK | READ;

/// Bytes from the frame's start that say everything about it: up to the end of our header in the
/// longest class.
pub const HEAD_BYTES: usize = 66 + HEADER_BYTES;

/// Where each field of our header starts, in bytes from the header's start.
pub mod offset {
    /// Version, 1 byte.
    pub const VERSION: usize = 0;
    /// Flags, 1 byte.
    pub const FLAGS: usize = 1;
    /// Packet number in the segment, 2 bytes.
    pub const PACKET: usize = 2;
    /// Place of the segment in the sender's ring of departures, 2 bytes: 0 but in its last packet.
    pub const PLACE: usize = 4;
    /// Flow of the sender, 2 bytes.
    pub const FLOW: usize = 6;
    /// Nonce of the segment, 4 bytes.
    pub const NONCE: usize = 8;
    /// Segment number, 4 bytes.
    pub const SEGMENT: usize = 12;
    /// Bytes of the segment, 4 bytes.
    pub const SEGMENT_BYTES: usize = 16;
    /// Charged bytes of a READ, 4 bytes.
    pub const CHARGED_BYTES: usize = 20;
    /// TTL or hop limit as sent, 1 byte.
    pub const TTL_SENT: usize = 24;
    /// TTL or hop limit as the responder received it, 1 byte.
    pub const TTL_SEEN: usize = 25;
    /// ECN bits that the responder saw, in bits 1..0 of 1 byte.
    pub const ECN_SEEN: usize = 26;
    /// Lost packets as the responder knows them, 1 byte.
    pub const LOSS: usize = 27;
    /// Arrival stamp, 8 bytes.
    pub const ARRIVAL: usize = 28;
    /// Departure stamp, 8 bytes.
    pub const DEPARTURE: usize = 36;
}

/// ECN bits of a packet that met congestion (RFC 3168), the low bits of DSCP and ECN.
pub const CE: u8 = 3;

/// Ethernet, in bytes from the frame's start.
pub mod ethernet {
    /// Destination address, 6 bytes.
    pub const DESTINATION: usize = 0;
    /// Source address, 6 bytes.
    pub const SOURCE: usize = 6;
    /// EtherType, or the tag protocol identifier of a tagged frame, 2 bytes.
    pub const TYPE: usize = 12;
    /// Tag control information of a tagged frame, 2 bytes.
    pub const TCI: usize = 14;
    /// EtherType behind a tag, 2 bytes.
    pub const TAGGED_TYPE: usize = 16;
    /// Bytes of an untagged header.
    pub const BYTES: usize = 14;
    /// Bytes of wire time beyond a frame and its FCS: preamble and start delimiter 8, gap 12.
    pub const PREAMBLE_AND_GAP: u16 = 20;
    /// Bytes of a tag.
    pub const TAG_BYTES: usize = 4;
    /// EtherType of IPv4.
    pub const IPV4: u16 = 0x0800;
    /// EtherType of IPv6.
    pub const IPV6: u16 = 0x86dd;
    /// Tag protocol identifier of an 802.1Q tag.
    pub const VLAN: u16 = 0x8100;
}

/// IPv4, in bytes from the IP header's start.
pub mod ipv4 {
    /// Version and header length in words, 1 byte; [`PLAIN`] is the only one that we take.
    pub const VERSION_IHL: usize = 0;
    /// DSCP and ECN, 1 byte.
    pub const TOS: usize = 1;
    /// Total length, 2 bytes.
    pub const LENGTH: usize = 2;
    /// Identification, 2 bytes.
    pub const IDENTIFICATION: usize = 4;
    /// Flags and fragment offset, 2 bytes.
    pub const FRAGMENT: usize = 6;
    /// Time to live, 1 byte.
    pub const TTL: usize = 8;
    /// Protocol, 1 byte.
    pub const PROTOCOL: usize = 9;
    /// Header checksum, 2 bytes.
    pub const CHECKSUM: usize = 10;
    /// Source address, 4 bytes.
    pub const SOURCE: usize = 12;
    /// Destination address, 4 bytes.
    pub const DESTINATION: usize = 16;
    /// Bytes of a header without options.
    pub const BYTES: usize = 20;
    /// Version 4, five words: no options.
    pub const PLAIN: u8 = 0x45;
    /// "Don't fragment" in the fragment field.
    pub const DONT_FRAGMENT: u16 = 0x4000;
    /// "More fragments" in the fragment field.
    pub const MORE_FRAGMENTS: u16 = 0x2000;
    /// The offset in the fragment field.
    pub const FRAGMENT_OFFSET: u16 = 0x1fff;
}

/// IPv6, in bytes from the IP header's start.
pub mod ipv6 {
    /// Version, traffic class and flow label, 4 bytes.
    pub const VERSION_CLASS_LABEL: usize = 0;
    /// Payload length, 2 bytes.
    pub const LENGTH: usize = 4;
    /// Next header, 1 byte.
    pub const NEXT_HEADER: usize = 6;
    /// Hop limit, 1 byte.
    pub const HOP_LIMIT: usize = 7;
    /// Source address, 16 bytes.
    pub const SOURCE: usize = 8;
    /// Destination address, 16 bytes.
    pub const DESTINATION: usize = 24;
    /// Bytes of a header.
    pub const BYTES: usize = 40;
}

/// UDP, in bytes from the UDP header's start.
pub mod udp {
    /// Source port, 2 bytes.
    pub const SOURCE: usize = 0;
    /// Destination port, 2 bytes.
    pub const DESTINATION: usize = 2;
    /// Length with the header, 2 bytes.
    pub const LENGTH: usize = 4;
    /// Checksum, 2 bytes.
    pub const CHECKSUM: usize = 6;
    /// Bytes of a header.
    pub const BYTES: usize = 8;
    /// IP protocol number.
    pub const PROTOCOL: u8 = 17;
}

/// The stack of a frame, one of four, which gives the offset of each header.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct Class {
    /// An 802.1Q tag.
    pub vlan: bool,
    /// IPv6 rather than IPv4.
    pub ipv6: bool,
}

impl Class {
    /// All four, in the order of their [`bits`](Class::bits).
    pub const ALL: [Class; 4] = [
        Class { vlan: false, ipv6: false },
        Class { vlan: true, ipv6: false },
        Class { vlan: false, ipv6: true },
        Class { vlan: true, ipv6: true },
    ];

    /// Bit 0 VLAN, bit 1 IPv6: the form that hardware carries.
    pub const fn bits(self) -> u8 {
        self.vlan as u8 | (self.ipv6 as u8) << 1
    }

    /// Bytes before the IP header: 14 or 18.
    pub const fn ip(self) -> usize {
        if self.vlan { ethernet::BYTES + ethernet::TAG_BYTES } else { ethernet::BYTES }
    }

    /// Bytes before the UDP header: 34, 38, 54 or 58.
    pub const fn udp(self) -> usize {
        self.ip() + if self.ipv6 { ipv6::BYTES } else { ipv4::BYTES }
    }

    /// Bytes before our header: 42, 46, 62 or 66.
    pub const fn header(self) -> usize {
        self.udp() + udp::BYTES
    }

    /// Bytes before the payload, and of an ACK: 90, 94, 110 or 114.
    pub const fn end(self) -> usize {
        self.header() + HEADER_BYTES
    }
}
