//! Data frames that are sent.
use super::bus;
use rust_hdl::prelude::*;

bus! {
    /// `timely_model::bus::Sent`: the first beat of a data frame is offered. Bytes are wire bytes,
    /// `launch` is ns48.fns16 of the steady time; `place` and `generation` count with a segment's
    /// last packet. `F` flow bits.
    SentOut, "SentOut", SentIn, "SentIn", [const F: usize]
    Forth valid: Bit,
    Forth tag: Bits<16>,
    Forth flow: Bits<F>,
    Forth segment: Bits<32>,
    Forth nonce: Bits<32>,
    Forth first: Bit,
    Forth last: Bit,
    Forth wire_bytes: Bits<16>,
    Forth segment_bytes: Bits<32>,
    Forth place: Bits<16>,
    Forth generation: Bits<2>,
    Forth launch: Bits<64>,
}

bus! {
    stage CountedFrameStage [F]
    /// The part of a sent frame that telemetry counts.
    CountedFrameOut, "CountedFrameOut", CountedFrameIn, "CountedFrameIn", [const F: usize]
    Forth valid: Bit,
    Forth flow: Bits<F>,
    Forth last: Bit,
    Forth wire_bytes: Bits<16>,
}
