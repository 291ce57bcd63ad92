//! Samples for the engine, and outcomes of ACKs.
use super::bus;
use rust_hdl::prelude::*;

bus! {
    /// `timely_model::bus::Sample`: `kind` 0 an RTT, 1 a time-out, 2 a NAK, of which all else but
    /// `now_ns` is 0, and `lost` 1. `rtt_ns` is the signal that the
    /// flow's profile asks for, ns, 2^24 - 1 for a time-out; `now_ns` the steady time of the ACK
    /// or time-out. `hops` (15 at most), `endpoint_ns` (the responder's residence, 0 if it is
    /// longer than the RTT) and `lost` (segments that lost packets) are 0 for a time-out. `F` flow
    /// bits.
    SampleOut, "SampleOut", SampleIn, "SampleIn", [const F: usize]
    Forth valid: Bit,
    Forth kind: Bits<2>,
    Forth flow: Bits<F>,
    Forth rtt_ns: Bits<24>,
    Forth now_ns: Bits<32>,
    Forth hops: Bits<8>,
    Forth endpoint_ns: Bits<24>,
    Forth lost: Bits<7>,
}

bus! {
    stage CountedSampleStage [F]
    /// The part of a sample that telemetry counts.
    CountedSampleOut, "CountedSampleOut", CountedSampleIn, "CountedSampleIn", [const F: usize]
    Forth valid: Bit,
    Forth kind: Bits<2>,
    Forth flow: Bits<F>,
    Forth rtt_ns: Bits<24>,
    Forth lost: Bits<7>,
}

bus! {
    /// The part of a sample that taps show.
    SampleTapOut, "SampleTapOut", SampleTapIn, "SampleTapIn", [const F: usize]
    Forth valid: Bit,
    Forth kind: Bits<2>,
    Forth flow: Bits<F>,
    Forth rtt_ns: Bits<24>,
}

bus! {
    stage OutcomeStage [F]
    /// Outcome of an ACK of a flow that exists: 0 accepted, 1 stale, 2 repeated, 3 forged.
    OutcomeOut, "OutcomeOut", OutcomeIn, "OutcomeIn", [const F: usize]
    Forth valid: Bit,
    Forth flow: Bits<F>,
    Forth outcome: Bits<2>,
}
