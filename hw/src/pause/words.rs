//! The packed word of the pause receiver, by name.
#![allow(missing_docs, reason = "the derive's methods")]
use rust_hdl::prelude::*;

/// A pause frame, as its bytes stand in the frame: the first one lowest.
#[derive(Clone, Copy, Debug, Default, PartialEq, LogicStruct)]
pub struct Found {
    /// The frame is an 802.3 PAUSE.
    pub pause: Bit,
    /// The frame is an 802.1Qbb PFC.
    pub pfc: Bit,
    /// Class-enable vector of PFC.
    pub classes: Bits<8>,
    /// Time of PAUSE.
    pub time: Bits<16>,
    /// Times of PFC, priority 0 lowest.
    pub times: Bits<128>,
}
