//! Streams inside the pacer.
use super::bus;
use rust_hdl::prelude::*;

bus! {
    /// A flow is loaded: whether it is enabled, and whether it keeps its accounts. `F` flow bits.
    FlowSwitchOut, "FlowSwitchOut", FlowSwitchIn, "FlowSwitchIn", [const F: usize]
    Forth valid: Bit,
    Forth flow: Bits<F>,
    Forth enable: Bit,
    Forth keep: Bit,
}

bus! {
    /// Flows, one after another. `F` flow bits.
    FlowStreamOut, "FlowStreamOut", FlowStreamIn, "FlowStreamIn", [const F: usize]
    Forth valid: Bit,
    Back ready: Bit,
    Forth flow: Bits<F>,
}

bus! {
    /// A flow asks to sleep: cause (`timely_model::pacer::doorbell::Sleep`), packets granted and
    /// bytes released that its pass saw. `F` flow bits.
    SleepOut, "SleepOut", SleepIn, "SleepIn", [const F: usize]
    Forth valid: Bit,
    Back ready: Bit,
    Forth flow: Bits<F>,
    Forth why: Bits<2>,
    Forth granted: Bits<16>,
    Forth released: Bits<32>,
}

bus! {
    /// The doorbell unit writes the word of a flow, `pacer::pass::words::Post`. `F` flow bits.
    PostOut, "PostOut", PostIn, "PostIn", [const F: usize]
    Forth valid: Bit,
    Forth flow: Bits<F>,
    Forth word: Bits<49>,
}

bus! {
    /// The charge unit writes the word of a flow, `pacer::pass::words::Paid`; beside it charges
    /// without a packet, modulo 2^8, and that a segment ends. `F` flow bits.
    PaidOut, "PaidOut", PaidIn, "PaidIn", [const F: usize]
    Forth valid: Bit,
    Forth flow: Bits<F>,
    Forth word: Bits<64>,
    Forth voids: Bits<8>,
    Forth ends: Bit,
}

bus! {
    /// A flow goes into a slot of the calendar. `F` flow bits, 2^`X` slots.
    InsertOut, "InsertOut", InsertIn, "InsertIn", [const F: usize, const X: usize]
    Forth valid: Bit,
    Forth flow: Bits<F>,
    Forth slot: Bits<X>,
}

bus! {
    /// A flow is loaded: what the pass needs of its record. `F` flow bits.
    FlowTraitsOut, "FlowTraitsOut", FlowTraitsIn, "FlowTraitsIn", [const F: usize]
    Forth valid: Bit,
    Forth flow: Bits<F>,
    Forth profile: Bits<4>,
    Forth priority: Bits<3>,
    Forth ipv6: Bit,
    Forth vlan: Bit,
    Forth payload: Bits<14>,
}
