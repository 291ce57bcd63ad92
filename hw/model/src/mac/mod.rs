//! A Gigabit Ethernet MAC, a byte a clock: what stands between the datapath's beats and a PHY's
//! GMII.
pub mod rx;
pub mod tx;

pub use timely_regs::wire::{CRC32_RESIDUE as RESIDUE, crc32};

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
