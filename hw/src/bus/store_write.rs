//! Writes to registers.
use super::bus;
use rust_hdl::prelude::*;

bus! {
    /// A write to a register is carried out; also that of the sweep after reset, one word after another.
    StoreWriteOut, "StoreWriteOut", StoreWriteIn, "StoreWriteIn", []
    Forth valid: Bit,
    Forth word: Bits<10>,
    Forth data: Bits<32>,
}
