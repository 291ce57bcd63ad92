//! The flow bus.
use super::bus;
use crate::packed::packed;
use rust_hdl::prelude::*;
use timely_regs::flow::{ENABLE, KEEP, PRIORITY, PROFILE};

bus! {
    stage FlowLoadStage [F]
    /// `timely_model::bus::FlowLoad`: a flow is loaded with a record, `timely_regs::flow`. `F` flow
    /// bits.
    FlowLoadOut, "FlowLoadOut", FlowLoadIn, "FlowLoadIn", [const F: usize]
    Forth valid: Bit,
    Forth flow: Bits<F>,
    Forth record: Bits<512>,
}

packed! {
    /// Options of a flow: the low bits of its record.
    pub struct FlowOptions {
        /// The flow exists.
        pub enable: Bit,
        /// The flow's state is kept.
        pub keep: Bit,
        /// The generator posts a packet for every one that it is granted.
        pub endless: Bit,
        /// A segment is charged another number of bytes than its own.
        pub read: Bit,
        /// Profile.
        pub profile: Bits<4>,
        /// Priority.
        pub priority: Bits<3>,
    }
}

const _: () = assert!(ENABLE.word == 0 && ENABLE.low == 0 && KEEP.word == 0 && KEEP.low == 1);
const _: () = assert!(PROFILE.word == 0 && PROFILE.low == 4 && PROFILE.high == 7);
const _: () = assert!(PRIORITY.word == 0 && PRIORITY.low == 8 && PRIORITY.high == 10);
