//! Writes to registers.
use super::bus;
use rust_hdl::prelude::*;

bus! {
    /// A write to a register is carried out; also that of the sweep after reset, one word after
    /// another.
    StoreWriteOut, "StoreWriteOut", StoreWriteIn, "StoreWriteIn", []
    Forth valid: Bit,
    Forth word: Bits<10>,
    Forth data: Bits<32>,
}

bus! {
    /// A register is looked at, 3 clocks before a write to it is carried out; `data` is the
    /// write's, 0 for a read. From the next clock on, `live` is the register's value if the other
    /// side changes it, and `refuse` refuses the write.
    LookOut, "LookOut", LookIn, "LookIn", []
    Forth valid: Bit,
    Forth word: Bits<10>,
    Forth data: Bits<32>,
    Back live: Bits<32>,
    Back refuse: Bit,
}

bus! {
    /// A word of an answer is to be stored, and is at a clock with `ready`.
    CopyOut, "CopyOut", CopyIn, "CopyIn", []
    Forth valid: Bit,
    Forth index: Bits<5>,
    Forth data: Bits<32>,
    Back ready: Bit,
}
