//! Packets to send.
use super::bus;
use rust_hdl::prelude::*;

bus! {
    /// `packets` more packets of a flow wait to be sent, at least 1. `F` flow bits.
    DoorbellOut, "DoorbellOut", DoorbellIn, "DoorbellIn", [const F: usize]
    Forth valid: Bit,
    Back ready: Bit,
    Forth flow: Bits<F>,
    Forth packets: Bits<16>,
}
