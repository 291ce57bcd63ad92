//! The profile bus.
use super::bus;
use rust_hdl::prelude::*;

bus! {
    stage ProfileWriteStage []
    /// `timely_model::bus::ProfileWrite`: a word of a profile gets a value.
    ProfileWriteOut, "ProfileWriteOut", ProfileWriteIn, "ProfileWriteIn", []
    Forth valid: Bit,
    Forth profile: Bits<4>,
    Forth word: Bits<5>,
    Forth data: Bits<32>,
}
