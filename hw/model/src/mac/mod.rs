//! A Gigabit Ethernet MAC, a byte a clock: what stands between the datapath's beats and a PHY's
//! GMII.
pub mod rx;
pub mod tx;

/// The byte that a preamble repeats.
pub const PREAMBLE: u8 = 0x55;
/// Start frame delimiter: ends the preamble; the frame's first byte comes next.
pub const SFD: u8 = 0xd5;
/// Bytes of a preamble and its end.
pub const LEAD_IN: u32 = 8;
/// Bytes of a frame without its check sequence, at least.
pub const LEAST: u32 = 60;
/// Bytes of a check sequence.
pub const FCS: u32 = 4;
/// Bytes of silence between two frames.
pub const GAP: u32 = 12;
/// Bytes of a frame with its check sequence, at most; one that goes on is cut, and bad.
pub const MOST: u32 = 16_383;
/// Result of [`crc32`] over a frame and its check sequence.
pub const RESIDUE: u32 = 0xdebb_20e3;

/// The register of Ethernet's check sequence, all ones at a frame's start, after another byte. Its
/// complement is what is sent, low byte first.
pub fn crc32(register: u32, byte: u8) -> u32 {
    (0..8).fold(register ^ u32::from(byte), |r, _| if r & 1 == 1 { r >> 1 ^ 0xedb8_8320 } else { r >> 1 })
}

/// GMII's signals of one direction, at one clock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Gmii {
    /// `TXD` or `RXD`.
    pub data: u8,
    /// `TX_EN` or `RX_DV`.
    pub valid: bool,
    /// `TX_ER` or `RX_ER`.
    pub error: bool,
}
