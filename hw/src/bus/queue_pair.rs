//! Streams of RoCEv2's queue pairs. Addresses have byte 0 lowest; an IPv4 address is
//! `::ffff:a.b.c.d`.
use super::bus;
use rust_hdl::prelude::*;

bus! {
    /// A packet's remote address, and the queue pair that it goes to.
    PairLookOut, "PairLookOut", PairLookIn, "PairLookIn", []
    Forth valid: Bit,
    Forth address: Bits<128>,
    Forth pair: Bits<24>,
}

bus! {
    /// A packet's flow, or with `hit` 0 that it has none. `F` flow bits.
    PairFlowOut, "PairFlowOut", PairFlowIn, "PairFlowIn", [const F: usize]
    Forth valid: Bit,
    Forth hit: Bit,
    Forth flow: Bits<F>,
}

bus! {
    /// `timely_model::queue_pairs::Command`: the host sets (`verb` 0), removes (1) or joins (2) a
    /// pair, or reads that of the flow whose number stands in `pair` (3).
    PairCommandOut, "PairCommandOut", PairCommandIn, "PairCommandIn", []
    Forth valid: Bit,
    Back ready: Bit,
    Forth verb: Bits<2>,
    Forth address: Bits<128>,
    Forth pair: Bits<24>,
    Forth joins: Bit,
    Forth local_pair: Bits<24>,
    Forth profile: Bits<4>,
}

bus! {
    /// Outcome of the last command: `timely_model::queue_pairs::Status`.
    PairReplyOut, "PairReplyOut", PairReplyIn, "PairReplyIn", [const F: usize]
    Forth valid: Bit,
    Forth status: Bits<3>,
    Forth flow: Bits<F>,
}

bus! {
    /// Keys of a pair that is read, one after the other: its own with `own`, which says too whether
    /// a command set it, and the answers' with `local`.
    PairToldOut, "PairToldOut", PairToldIn, "PairToldIn", []
    Forth own: Bit,
    Forth local: Bit,
    Forth pinned: Bit,
    Forth address: Bits<128>,
    Forth pair: Bits<24>,
}

bus! {
    /// A flow got a queue pair of this profile and priority, or with `live` 0 lost it.
    PairChangeOut, "PairChangeOut", PairChangeIn, "PairChangeIn", [const F: usize]
    Forth valid: Bit,
    Forth flow: Bits<F>,
    Forth live: Bit,
    Forth profile: Bits<4>,
    Forth priority: Bits<3>,
}

bus! {
    /// A pair that is about to be learned, by a packet with this DSCP to this address; and what the
    /// first rule that is for it gives it, 19 clocks later, until the next question.
    PairAskOut, "PairAskOut", PairAskIn, "PairAskIn", []
    Forth valid: Bit,
    Forth address: Bits<128>,
    Forth dscp: Bits<6>,
    Back hit: Bit,
    Back profile: Bits<4>,
    Back priority: Bits<3>,
}

bus! {
    /// Gifts of queue pairs to the control half: samples (`timely_model::bus::Sample`, of which
    /// they have these parts), notices (`timely_model::reaction::Notice`), loads of flows, with
    /// `live` 0 of ones that do not exist any more, and the registers of the table's state and of
    /// what its commands found. With `loading` no command loads flows. `F` flow bits.
    PairSourceOut, "PairSourceOut", PairSourceIn, "PairSourceIn", [const F: usize]
    Forth sample_valid: Bit,
    Forth sample_kind: Bits<2>,
    Forth sample_flow: Bits<F>,
    Forth sample_rtt_ns: Bits<24>,
    Forth sample_now_ns: Bits<32>,
    Forth notice_valid: Bit,
    Forth notice_flow: Bits<F>,
    Forth notice_marked: Bit,
    Forth notice_bytes: Bits<16>,
    Forth load_valid: Bit,
    Forth load_flow: Bits<F>,
    Forth load_live: Bit,
    Forth load_profile: Bits<4>,
    Forth load_priority: Bits<3>,
    Forth loading: Bit,
    Forth status: Bits<32>,
    Forth told: Bits<32>,
}

bus! {
    /// An operation on one side of the table, taken at a clock without a look-up.
    PairOperationOut, "PairOperationOut", PairOperationIn, "PairOperationIn", [const F: usize]
    Forth valid: Bit,
    Back ready: Bit,
    Forth fetch: Bit,
    Forth writes: Bit,
    Forth live: Bit,
    Forth place: Bits<4>,
    Forth flow: Bits<F>,
    Forth key: Bits<152>,
}

bus! {
    /// The result of an operation: whether the key is there, and its flow; whether one of its hash
    /// is; room for it, and where it is or goes; and the key that was looked up or read.
    PairResultOut, "PairResultOut", PairResultIn, "PairResultIn", [const F: usize]
    Forth valid: Bit,
    Forth hit: Bit,
    Forth same: Bit,
    Forth room: Bit,
    Forth place: Bits<4>,
    Forth flow: Bits<F>,
    Forth key: Bits<152>,
}

bus! {
    /// `timely_model::round_trips::Frame`: a frame is offered to the MAC, with `request` a request
    /// of a flow; otherwise only its tag counts. `F` flow bits.
    PairFrameOut, "PairFrameOut", PairFrameIn, "PairFrameIn", [const F: usize]
    Forth valid: Bit,
    Forth tag: Bits<16>,
    Forth wire_bytes: Bits<16>,
    Forth launch: Bits<64>,
    Forth request: Bit,
    Forth flow: Bits<F>,
    Forth psn: Bits<24>,
    Forth read: Bit,
    Forth asks: Bit,
    Forth bytes: Bits<32>,
}

bus! {
    /// `timely_model::round_trips::Answer`: `verb` 0 ACK, 1 NAK, 2 not ready, 3 READ response; `ts`
    /// ns48.fns16. `F` flow bits.
    PairAnswerOut, "PairAnswerOut", PairAnswerIn, "PairAnswerIn", [const F: usize]
    Forth valid: Bit,
    Forth flow: Bits<F>,
    Forth verb: Bits<2>,
    Forth psn: Bits<24>,
    Forth bytes: Bits<16>,
    Forth ts: Bits<64>,
}
