//! The flow bus.
use super::bus;
use rust_hdl::prelude::*;

bus! {
    stage FlowLoadStage [F]
    /// `timely_model::bus::FlowLoad`: a flow is loaded with a record, `timely_regs::flow`. `F` flow bits.
    FlowLoadOut, "FlowLoadOut", FlowLoadIn, "FlowLoadIn", [const F: usize]
    Forth valid: Bit,
    Forth flow: Bits<F>,
    Forth record: Bits<512>,
}
