//! Streams of the scheduler of Corundum's queues.
use super::bus;
use rust_hdl::prelude::*;

bus! {
    /// A packet of a queue is to be sent under a tag. `F` queue bits.
    RequestOut, "RequestOut", RequestIn, "RequestIn", [const F: usize]
    Forth valid: Bit,
    Back ready: Bit,
    Forth queue: Bits<F>,
    Forth tag: Bits<8>,
}

bus! {
    /// The packet of a request is known: its bytes, 0 if there was none.
    StatusOut, "StatusOut", StatusIn, "StatusIn", []
    Forth valid: Bit,
    Forth tag: Bits<8>,
    Forth len: Bits<16>,
}

bus! {
    /// AXI4-Lite of whole words: no strobes.
    AxilWordMaster, "AxilWordMaster", AxilWordSlave, "AxilWordSlave", [const A: usize]
    Forth awaddr: Bits<A>,
    Forth awvalid: Bit,
    Back awready: Bit,
    Forth wdata: Bits<32>,
    Forth wvalid: Bit,
    Back wready: Bit,
    Back bresp: Bits<2>,
    Back bvalid: Bit,
    Forth bready: Bit,
    Forth araddr: Bits<A>,
    Forth arvalid: Bit,
    Back arready: Bit,
    Back rdata: Bits<32>,
    Back rresp: Bits<2>,
    Back rvalid: Bit,
    Forth rready: Bit,
}

bus! {
    /// Writes of Corundum's register interface.
    RegisterWriteOut, "RegisterWriteOut", RegisterWriteIn, "RegisterWriteIn", []
    Forth addr: Bits<24>,
    Forth data: Bits<32>,
    Forth strb: Bits<4>,
    Forth en: Bit,
    Back ack: Bit,
}

bus! {
    /// Reads of Corundum's register interface.
    RegisterReadOut, "RegisterReadOut", RegisterReadIn, "RegisterReadIn", []
    Forth addr: Bits<24>,
    Forth en: Bit,
    Back data: Bits<32>,
    Back ack: Bit,
}
