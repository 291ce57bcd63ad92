//! AXI4.
use super::bus;
use rust_hdl::prelude::*;

bus! {
    /// AXI4 without ids, `W` bits and `K = W / 8` bytes a beat, 64-bit addresses (ARM IHI 0022).
    /// Lengths are beats less one, sizes log2 of bytes.
    AxiMaster, "AxiMaster", AxiSlave, "AxiSlave", [const W: usize, const K: usize]
    Forth awaddr: Bits<64>,
    Forth awlen: Bits<8>,
    Forth awsize: Bits<3>,
    Forth awburst: Bits<2>,
    Forth awvalid: Bit,
    Back awready: Bit,
    Forth wdata: Bits<W>,
    Forth wstrb: Bits<K>,
    Forth wlast: Bit,
    Forth wvalid: Bit,
    Back wready: Bit,
    Back bresp: Bits<2>,
    Back bvalid: Bit,
    Forth bready: Bit,
    Forth araddr: Bits<64>,
    Forth arlen: Bits<8>,
    Forth arsize: Bits<3>,
    Forth arburst: Bits<2>,
    Forth arvalid: Bit,
    Back arready: Bit,
    Back rdata: Bits<W>,
    Back rresp: Bits<2>,
    Back rlast: Bit,
    Back rvalid: Bit,
    Forth rready: Bit,
}
