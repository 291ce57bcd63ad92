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

bus! {
    /// Frames out of Corundum's queues: queue, tag, destination, and that the frame is bad.
    QueueAxisOut, "QueueAxisOut", QueueAxisIn, "QueueAxisIn", [const W: usize, const K: usize]
    Forth tdata: Bits<W>,
    Forth tkeep: Bits<K>,
    Forth tvalid: Bit,
    Back tready: Bit,
    Forth tlast: Bit,
    Forth queue: Bits<16>,
    Forth tag: Bits<16>,
    Forth bad: Bit,
    Forth dest: Bits<16>,
}

bus! {
    /// The frame of a tag has departed; its first byte left at `ts`, PTP's time of day.
    DatedCompletionOut, "DatedCompletionOut", DatedCompletionIn, "DatedCompletionIn", []
    Forth ts: Bits<96>,
    Forth tag: Bits<16>,
    Forth valid: Bit,
    Back ready: Bit,
}

bus! {
    /// Corundum's DMA engine writes a place of its RAM to an address of the host.
    DescriptorOut, "DescriptorOut", DescriptorIn, "DescriptorIn", []
    Forth address: Bits<64>,
    Forth place: Bits<4>,
    Forth valid: Bit,
    Back ready: Bit,
}

bus! {
    /// Corundum's DMA engine reads a place of a RAM.
    PlaceReadOut, "PlaceReadOut", PlaceReadIn, "PlaceReadIn", []
    Forth valid: Bit,
    Forth place: Bits<4>,
    Back ready: Bit,
}

bus! {
    /// Answer to a `PlaceRead`.
    PlaceDataOut, "PlaceDataOut", PlaceDataIn, "PlaceDataIn", []
    Forth data: Bits<512>,
    Forth valid: Bit,
    Back ready: Bit,
}

bus! {
    /// Corundum's DMA engine writes bytes of half a place of a RAM.
    PlaceWriteOut, "PlaceWriteOut", PlaceWriteIn, "PlaceWriteIn", []
    Forth valid: Bit,
    Forth place: Bit,
    Forth enable: Bits<32>,
    Forth data: Bits<256>,
}
