//! Queries for telemetry records.
use super::bus;
use rust_hdl::prelude::*;

bus! {
    stage QueryStage [F]
    /// A flow's telemetry record is wanted; its answer carries the tag. `F` flow bits.
    QueryOut, "QueryOut", QueryIn, "QueryIn", [const F: usize]
    Forth valid: Bit,
    Forth flow: Bits<F>,
    Forth tag: Bits<4>,
}

bus! {
    /// Answer to a query: word `i` of the record in bits `32i+31..32i`.
    AnswerOut, "AnswerOut", AnswerIn, "AnswerIn", []
    Forth valid: Bit,
    Forth tag: Bits<4>,
    Forth record: Bits<1024>,
}
