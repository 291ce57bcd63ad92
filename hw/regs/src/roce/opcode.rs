//! Opcodes of the base transport header, and the headers behind it that each brings (table 38 and
//! 9.2.1 of the specification).
use super::{AETH_BYTES, CNP_BYTES, RETH_BYTES};

/// Bytes of the header of an atomic request: address, key and two operands.
const ATOMIC_BYTES: usize = 28;
/// Bytes of what an atomic answer brings behind its syndrome: the value of before.
const ATOMIC_VALUE_BYTES: usize = 8;
/// Bytes of the header of a FLUSH in front of its RDMA header.
const FLUSH_BYTES: usize = 4;

/// First packet of a SEND.
pub const SEND_FIRST: u8 = 0x00;
/// Only packet of a SEND.
pub const SEND_ONLY: u8 = 0x04;
/// First packet of an RDMA WRITE.
pub const WRITE_FIRST: u8 = 0x06;
/// Middle packet of an RDMA WRITE.
pub const WRITE_MIDDLE: u8 = 0x07;
/// Last packet of an RDMA WRITE.
pub const WRITE_LAST: u8 = 0x08;
/// Only packet of an RDMA WRITE.
pub const WRITE_ONLY: u8 = 0x0a;
/// Request of an RDMA READ.
pub const READ_REQUEST: u8 = 0x0c;
/// First packet of a READ response.
pub const READ_RESPONSE_FIRST: u8 = 0x0d;
/// Middle packet of a READ response.
pub const READ_RESPONSE_MIDDLE: u8 = 0x0e;
/// Last packet of a READ response.
pub const READ_RESPONSE_LAST: u8 = 0x0f;
/// Only packet of a READ response.
pub const READ_RESPONSE_ONLY: u8 = 0x10;
/// Answer to an atomic request.
pub const ATOMIC_ACK: u8 = 0x12;
/// Atomic request: compare and swap.
pub const COMPARE_SWAP: u8 = 0x13;
/// Atomic request: fetch and add.
pub const FETCH_ADD: u8 = 0x14;
/// FLUSH request.
pub const FLUSH: u8 = 0x1c;
/// ATOMIC WRITE request.
pub const ATOMIC_WRITE: u8 = 0x1d;
/// ACK or NAK, by its syndrome.
pub const ACK: u8 = 0x11;
/// Congestion notification packet.
pub const CNP: u8 = 0x81;

/// The kinds of RoCEv2 packets that steering a queue pair tells apart, as hardware numbers them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// A request other than a READ on a reliable connection: a packet of a SEND or of an RDMA
    /// WRITE, an atomic, a FLUSH.
    Data = 1,
    /// A READ request.
    Read = 2,
    /// A packet of a READ response, or the answer to an atomic request.
    Response = 3,
    /// An ACK or NAK.
    Ack = 4,
    /// A congestion notification.
    Cnp = 5,
    /// Any other: all of unreliable and extended connections.
    Other = 6,
}

/// Headers that an opcode brings between the base transport header and the payload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// The kind.
    pub kind: Kind,
    /// Bytes of these headers. Of kind `Other` they are not looked at, and count as payload.
    pub extension_bytes: usize,
    /// No payload may follow.
    pub bare: bool,
    /// The headers begin with an RDMA header.
    pub rdma: bool,
    /// The headers begin with a syndrome.
    pub answers: bool,
}

/// The headers of an opcode.
pub const fn layout(code: u8) -> Layout {
    const IMMEDIATE_BYTES: usize = 4;
    const PLAIN: Layout = Layout { kind: Kind::Data, extension_bytes: 0, bare: false, rdma: false, answers: false };
    const RDMA: Layout = Layout { extension_bytes: RETH_BYTES, rdma: true, ..PLAIN };
    const RESPONSE: Layout = Layout { kind: Kind::Response, extension_bytes: AETH_BYTES, answers: true, ..PLAIN };
    match code {
        0x00..=0x02 | 0x04 | 0x07 | 0x08 => PLAIN,
        // With an immediate, or with a key that is no longer valid.
        0x03 | 0x05 | 0x09 | 0x16 | 0x17 => Layout { extension_bytes: IMMEDIATE_BYTES, ..PLAIN },
        WRITE_FIRST | WRITE_ONLY => RDMA,
        0x0b => Layout { extension_bytes: RETH_BYTES + IMMEDIATE_BYTES, ..RDMA },
        READ_REQUEST => Layout { kind: Kind::Read, bare: true, ..RDMA },
        READ_RESPONSE_MIDDLE => Layout { kind: Kind::Response, ..PLAIN },
        READ_RESPONSE_FIRST | READ_RESPONSE_LAST | READ_RESPONSE_ONLY => RESPONSE,
        ACK => Layout { kind: Kind::Ack, bare: true, ..RESPONSE },
        COMPARE_SWAP | FETCH_ADD => Layout { extension_bytes: ATOMIC_BYTES, bare: true, ..PLAIN },
        ATOMIC_ACK => Layout { extension_bytes: AETH_BYTES + ATOMIC_VALUE_BYTES, bare: true, ..RESPONSE },
        FLUSH => Layout { extension_bytes: FLUSH_BYTES + RETH_BYTES, bare: true, ..PLAIN },
        ATOMIC_WRITE => RDMA,
        CNP => Layout { kind: Kind::Cnp, extension_bytes: CNP_BYTES, bare: true, ..PLAIN },
        _ => Layout { kind: Kind::Other, ..PLAIN },
    }
}
