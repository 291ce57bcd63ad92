//! RoCEv2 as a NIC in the wire sees it: InfiniBand's transport packets behind UDP (InfiniBand
//! Architecture Specification, volume 1, chapter 9, and its annex A17).
//!
//! | offset in the base transport header | bytes | field |
//! |---|---|---|
//! | 0 | 1 | opcode |
//! | 1 | 1 | solicited event, migration, pad count (2 bits), version (4 bits, 0) |
//! | 2 | 2 | partition key |
//! | 4 | 1 | FECN, BECN, reserved |
//! | 5 | 3 | queue pair of the receiver |
//! | 8 | 1 | AckReq in bit 7, reserved |
//! | 9 | 3 | packet sequence number |
//!
//! [`check`] decides which frames are well-formed; [`icrc`] is the check sequence over all that no
//! switch or router changes.
mod build;
mod check;
mod icrc;
pub mod opcode;

pub use build::{Bth, Extension};
pub use check::{Error, Headers, check};
pub use icrc::{ICRC_BYTES, icrc, icrc_holds, variant_bits};
pub use opcode::{Kind, Layout, layout};

/// UDP's destination port of RoCEv2.
pub const PORT: u16 = 4791;
/// Bytes of the base transport header.
pub const BTH_BYTES: usize = 12;
/// Bytes of the RDMA header of a WRITE or a READ request: address 8, key 4, length 4.
pub const RETH_BYTES: usize = 16;
/// Bytes of the header of an ACK and of a READ response: syndrome 1, message number 3.
pub const AETH_BYTES: usize = 4;
/// Reserved bytes of a congestion notification.
pub const CNP_BYTES: usize = 16;
/// Bytes from the frame's start up to the end of the longest header that is looked at: a tagged
/// READ request's over IPv6.
pub const HEAD_BYTES: usize = 66 + BTH_BYTES + RETH_BYTES;

/// Where each field of the base transport header starts, in bytes from that header's start.
pub mod offset {
    /// Opcode, 1 byte.
    pub const OPCODE: usize = 0;
    /// Solicited event, migration, pad count and version, 1 byte.
    pub const FLAGS: usize = 1;
    /// Partition key, 2 bytes.
    pub const PARTITION_KEY: usize = 2;
    /// FECN, BECN and reserved bits, 1 byte; the ICRC takes it as ones.
    pub const CONGESTION: usize = 4;
    /// Queue pair of the receiver, 3 bytes.
    pub const QUEUE_PAIR: usize = 5;
    /// AckReq in bit 7, 1 byte.
    pub const ACK_REQUEST: usize = 8;
    /// Packet sequence number, 3 bytes.
    pub const PSN: usize = 9;
    /// Length of an RDMA message, 4 bytes.
    pub const MESSAGE_BYTES: usize = super::BTH_BYTES + 12;
    /// Syndrome of an ACK, 1 byte.
    pub const SYNDROME: usize = super::BTH_BYTES;
    /// Number of messages that the responder completed, 3 bytes.
    pub const MESSAGE: usize = super::BTH_BYTES + 1;
}
