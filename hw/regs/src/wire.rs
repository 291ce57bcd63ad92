//! The wire format: our 48-byte header behind UDP, by named offsets.
//!
//! | offset | bytes | field |
//! |---|---|---|
//! | 0 | 1 | version, [`VERSION`] |
//! | 1 | 1 | flags: [`FIRST`], [`LAST`], [`ACK`], [`READ`] |
//! | 2 | 2 | packet number in the segment |
//! | 4 | 4 | flow of the sender |
//! | 8 | 4 | nonce of the segment |
//! | 12 | 4 | segment number |
//! | 16 | 4 | segment bytes |
//! | 20 | 4 | charged bytes (for reads) |
//! | 24 | 1 | TTL as sent |
//! | 25 | 1 | ACK: TTL received |
//! | 26 | 1 | ACK: ECN bits seen |
//! | 27 | 1 | reserved, 0 |
//! | 28 | 8 | ACK: arrival of the answered packet's start at the responder, ns48.fns16 |
//! | 36 | 8 | ACK: departure at the responder, when the ACK was handed to the transmit arbiter |
//! | 44 | 4 | reserved, 0 |

/// Bytes of the header, in data packets and in ACKs.
pub const HEADER_BYTES: usize = 48;
/// The version that this code speaks.
pub const VERSION: u8 = 1;
/// Flag: first packet of a segment.
pub const FIRST: u8 = 1;
/// Flag: last packet of a segment; its receiver answers.
pub const LAST: u8 = 2;
/// Flag: an ACK, echoing what it answers.
pub const ACK: u8 = 4;
/// Flag: a READ request, paced by its charged bytes.
pub const READ: u8 = 8;
