//! Classes of packets at a port.

/// Class of ACKs, which flow control spares.
pub const ACKS: u8 = 0;
/// Class of data that is sent first.
pub const HIGH: u8 = 1;
/// Class of other data.
pub const LOW: u8 = 2;
/// Class of congestion notifications, which go before all else and which flow control spares.
pub const CNPS: u8 = 3;
