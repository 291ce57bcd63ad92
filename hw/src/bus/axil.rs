//! AXI4-Lite.
use super::bus;
use rust_hdl::prelude::*;

bus! {
    /// AXI4-Lite with byte addresses of `A` bits and 32-bit data (ARM IHI 0022). Responses: 0 OKAY,
    /// 2 SLVERR, 3 DECERR.
    AxilMaster, "AxilMaster", AxilSlave, "AxilSlave", [const A: usize]
    Forth awaddr: Bits<A>,
    Forth awvalid: Bit,
    Back awready: Bit,
    Forth wdata: Bits<32>,
    Forth wstrb: Bits<4>,
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
