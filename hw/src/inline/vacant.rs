//! AXI-Lite stub that answers DECERR.
#![allow(missing_docs, reason = "a group of ports has one comment")]
use rust_hdl::prelude::*;
use timely_model::inline::vacant::DECERR;

// A kernel takes literals alone.
const _: () = assert!(DECERR == 3);

/// An AXI-Lite slave that takes every access and refuses it with a decode error: in place of
/// registers that a shell has a bus for.
///
/// Latency: a clock from the last of address and data to the answer. Throughput: an access of each
/// kind every second clock. Back pressure: a channel's `ready` is 0 from a transfer until the
/// access is answered. Model: `timely_model::inline::vacant::Vacant`.
#[derive(LogicBlock, Default)]
pub struct Vacant {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    /// Write address: offered.
    pub s_axil_awvalid: Signal<In, Bit>,
    /// Write address: taken if offered.
    pub s_axil_awready: Signal<Out, Bit>,
    pub s_axil_wvalid: Signal<In, Bit>,
    /// Write data: taken if offered.
    pub s_axil_wready: Signal<Out, Bit>,
    /// Answer to a write: 3.
    pub s_axil_bresp: Signal<Out, Bits<2>>,
    pub s_axil_bvalid: Signal<Out, Bit>,
    /// Answer to a write: taken if offered.
    pub s_axil_bready: Signal<In, Bit>,
    pub s_axil_arvalid: Signal<In, Bit>,
    /// Read address: taken if offered.
    pub s_axil_arready: Signal<Out, Bit>,
    /// Data read: 0.
    pub s_axil_rdata: Signal<Out, Bits<32>>,
    /// Answer to a read: 3.
    pub s_axil_rresp: Signal<Out, Bits<2>>,
    pub s_axil_rvalid: Signal<Out, Bit>,
    /// Answer to a read: taken if offered.
    pub s_axil_rready: Signal<In, Bit>,
    aw: DFF<Bit>,
    w: DFF<Bit>,
    ar: DFF<Bit>,
    write: Signal<Local, Bit>,
}

impl Logic for Vacant {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, aw, w, ar);
        self.write.next = self.aw.q.val() & self.w.q.val();
        if self.s_axil_awvalid.val() {
            self.aw.d.next = true;
        }
        if self.s_axil_wvalid.val() {
            self.w.d.next = true;
        }
        if self.s_axil_arvalid.val() {
            self.ar.d.next = true;
        }
        if self.write.val() & self.s_axil_bready.val() {
            self.aw.d.next = false;
            self.w.d.next = false;
        }
        if self.ar.q.val() & self.s_axil_rready.val() {
            self.ar.d.next = false;
        }
        self.s_axil_awready.next = !self.aw.q.val();
        self.s_axil_wready.next = !self.w.q.val();
        self.s_axil_arready.next = !self.ar.q.val();
        self.s_axil_bvalid.next = self.write.val();
        self.s_axil_bresp.next = bits::<2>(3);
        self.s_axil_rvalid.next = self.ar.q.val();
        self.s_axil_rresp.next = bits::<2>(3);
        self.s_axil_rdata.next = bits::<32>(0);
        if self.rst.val() {
            self.aw.d.next = false;
            self.w.d.next = false;
            self.ar.d.next = false;
        }
    }
}
