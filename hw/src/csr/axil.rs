//! The AXI-Lite side: takes one write and one read off their channels, offers them one at a time,
//! holds the response.
use crate::bus::AxilSlave;
use rust_hdl::prelude::*;

/// AXI-Lite slave with 24-bit addresses and 32-bit data, `s_axil_*`, towards a request that is
/// accepted and then replied to.
///
/// Address and data of a write may come in any order, at any distance. When both a write and a read
/// wait, they take turns. Throughput: one access at a time; the next of its kind is taken 2 clocks
/// after the response was. Back pressure: a channel's `ready` is 0 from a transfer until the access
/// is answered; a response holds until it is taken, and holds up only accesses of its own kind.
#[derive(LogicBlock, Default)]
pub struct Axil {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset, active high.
    pub rst: Signal<In, Bit>,
    /// Accesses of the host.
    pub s_axil: AxilSlave<24>,
    /// An access is offered.
    pub request: Signal<Out, Bit>,
    /// The offered access is a write.
    pub request_write: Signal<Out, Bit>,
    /// Byte address of the access.
    pub request_address: Signal<Out, Bits<24>>,
    /// Data of the write.
    pub request_data: Signal<Out, Bits<32>>,
    /// The write is of all four bytes.
    pub request_whole: Signal<Out, Bit>,
    /// The accepted access is answered at this clock.
    pub reply: Signal<In, Bit>,
    /// The answered access was a write.
    pub reply_write: Signal<In, Bit>,
    /// The answered access was refused.
    pub reply_error: Signal<In, Bit>,
    /// Data of the read.
    pub reply_data: Signal<In, Bits<32>>,
    aw_ready: DFF<Bit>,
    aw_held: DFF<Bit>,
    aw_address: DFF<Bits<24>>,
    w_ready: DFF<Bit>,
    w_held: DFF<Bit>,
    w_data: DFF<Bits<32>>,
    w_whole: DFF<Bit>,
    ar_ready: DFF<Bit>,
    ar_held: DFF<Bit>,
    ar_address: DFF<Bits<24>>,
    b_valid: DFF<Bit>,
    b_error: DFF<Bit>,
    r_valid: DFF<Bit>,
    r_error: DFF<Bit>,
    r_data: DFF<Bits<32>>,
    last_was_write: DFF<Bit>,
    write: Signal<Local, Bit>,
    read: Signal<Local, Bit>,
}

impl Logic for Axil {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, aw_ready, aw_held, aw_address, w_ready, w_held, w_data, w_whole, ar_ready, ar_held, ar_address);
        dff_setup!(self, clk, b_valid, b_error, r_valid, r_error, r_data, last_was_write);
        self.aw_ready.d.next = !self.aw_held.q.val();
        if self.aw_ready.q.val() & self.s_axil.awvalid.val() {
            self.aw_ready.d.next = false;
            self.aw_held.d.next = true;
            self.aw_address.d.next = self.s_axil.awaddr.val();
        }
        self.w_ready.d.next = !self.w_held.q.val();
        if self.w_ready.q.val() & self.s_axil.wvalid.val() {
            self.w_ready.d.next = false;
            self.w_held.d.next = true;
            self.w_data.d.next = self.s_axil.wdata.val();
            self.w_whole.d.next = self.s_axil.wstrb.val().all();
        }
        self.ar_ready.d.next = !self.ar_held.q.val();
        if self.ar_ready.q.val() & self.s_axil.arvalid.val() {
            self.ar_ready.d.next = false;
            self.ar_held.d.next = true;
            self.ar_address.d.next = self.s_axil.araddr.val();
        }
        if self.b_valid.q.val() & self.s_axil.bready.val() {
            self.b_valid.d.next = false;
            self.aw_held.d.next = false;
            self.w_held.d.next = false;
        }
        if self.r_valid.q.val() & self.s_axil.rready.val() {
            self.r_valid.d.next = false;
            self.ar_held.d.next = false;
        }
        if self.reply.val() {
            self.last_was_write.d.next = self.reply_write.val();
            if self.reply_write.val() {
                self.b_valid.d.next = true;
                self.b_error.d.next = self.reply_error.val();
            } else {
                self.r_valid.d.next = true;
                self.r_error.d.next = self.reply_error.val();
                self.r_data.d.next = self.reply_data.val();
            }
        }
        // A response that waits means that what is held was served.
        self.write.next = self.aw_held.q.val() & self.w_held.q.val() & !self.b_valid.q.val();
        self.read.next = self.ar_held.q.val() & !self.r_valid.q.val();
        self.request.next = self.write.val() | self.read.val();
        self.request_write.next = self.write.val() & !(self.read.val() & self.last_was_write.q.val());
        self.request_address.next = self.ar_address.q.val();
        if self.request_write.val() {
            self.request_address.next = self.aw_address.q.val();
        }
        self.request_data.next = self.w_data.q.val();
        self.request_whole.next = self.w_whole.q.val();
        self.s_axil.awready.next = self.aw_ready.q.val();
        self.s_axil.wready.next = self.w_ready.q.val();
        self.s_axil.arready.next = self.ar_ready.q.val();
        self.s_axil.bvalid.next = self.b_valid.q.val();
        self.s_axil.bresp.next = bits::<2>(0);
        if self.b_error.q.val() {
            self.s_axil.bresp.next = bits::<2>(2);
        }
        self.s_axil.rvalid.next = self.r_valid.q.val();
        self.s_axil.rdata.next = self.r_data.q.val();
        self.s_axil.rresp.next = bits::<2>(0);
        if self.r_error.q.val() {
            self.s_axil.rresp.next = bits::<2>(2);
        }
        if self.rst.val() {
            self.aw_ready.d.next = false;
            self.aw_held.d.next = false;
            self.w_ready.d.next = false;
            self.w_held.d.next = false;
            self.ar_ready.d.next = false;
            self.ar_held.d.next = false;
            self.b_valid.d.next = false;
            self.r_valid.d.next = false;
            self.last_was_write.d.next = false;
        }
    }
}
