//! AXI-Lite from a shell's register clock to the core's.
use crate::bus::{AxilMaster, AxilSlave};
use rust_hdl::prelude::*;

/// Takes one access at a time from `s_axil_*`, on `s_clk`, and makes it at `m_axil_*`, on `clk`:
/// two clocks of any ratio and phase. What crosses is one toggle each way, through two registers;
/// everything else stands still while a toggle is under way.
///
/// Reads and writes that come together go by turns. `rst` and `s_rst` must be active together, long
/// enough for both clocks to see them. Latency: 3 clocks of each clock more than the access itself.
#[derive(LogicBlock, Default)]
pub struct Bridge {
    /// The shell's clock.
    pub s_clk: Signal<In, Clock>,
    /// Reset on it, active high.
    pub s_rst: Signal<In, Bit>,
    /// Accesses, on `s_clk`.
    pub s_axil: AxilSlave<24>,
    /// The core's clock.
    pub clk: Signal<In, Clock>,
    /// Reset on it, active high.
    pub rst: Signal<In, Bit>,
    /// Accesses of `s_axil`, on `clk`.
    pub m_axil: AxilMaster<24>,
    // On the shell's clock.
    aw: DFF<Bit>,
    w: DFF<Bit>,
    ar: DFF<Bit>,
    aw_addr: DFF<Bits<24>>,
    w_data: DFF<Bits<32>>,
    w_strb: DFF<Bits<4>>,
    ar_addr: DFF<Bits<24>>,
    /// An access is under way, and whether it is a write.
    busy: DFF<Bit>,
    writing: DFF<Bit>,
    /// Turns over with each access.
    ask: DFF<Bit>,
    told_1: DFF<Bit>,
    told_2: DFF<Bit>,
    b: DFF<Bit>,
    r: DFF<Bit>,
    // On the core's clock.
    asked_1: DFF<Bit>,
    asked_2: DFF<Bit>,
    /// Turns over with each answer.
    tell: DFF<Bit>,
    at_work: DFF<Bit>,
    m_aw: DFF<Bit>,
    m_w: DFF<Bit>,
    m_ar: DFF<Bit>,
    answer: DFF<Bits<32>>,
    response: DFF<Bits<2>>,
    idle: Signal<Local, Bit>,
    may_write: Signal<Local, Bit>,
    may_read: Signal<Local, Bit>,
    ended: Signal<Local, Bit>,
}

impl Logic for Bridge {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, s_clk, aw, w, ar, aw_addr, w_data, w_strb, ar_addr, busy, writing, ask, told_1, told_2, b, r);
        dff_setup!(self, clk, asked_1, asked_2, tell, at_work, m_aw, m_w, m_ar, answer, response);

        // The shell's side holds one address and one word of data of each kind.
        self.s_axil.awready.next = !self.aw.q.val();
        self.s_axil.wready.next = !self.w.q.val();
        self.s_axil.arready.next = !self.ar.q.val();
        if self.s_axil.awvalid.val() & !self.aw.q.val() {
            self.aw.d.next = true;
            self.aw_addr.d.next = self.s_axil.awaddr.val();
        }
        if self.s_axil.wvalid.val() & !self.w.q.val() {
            self.w.d.next = true;
            self.w_data.d.next = self.s_axil.wdata.val();
            self.w_strb.d.next = self.s_axil.wstrb.val();
        }
        if self.s_axil.arvalid.val() & !self.ar.q.val() {
            self.ar.d.next = true;
            self.ar_addr.d.next = self.s_axil.araddr.val();
        }
        self.idle.next = !self.busy.q.val();
        self.may_write.next = (self.idle.val() & self.aw.q.val()) & self.w.q.val();
        self.may_read.next = self.idle.val() & self.ar.q.val();
        // A write goes first unless the last access was one.
        if self.may_write.val() & (!self.may_read.val() | !self.writing.q.val()) {
            self.busy.d.next = true;
            self.writing.d.next = true;
            self.ask.d.next = !self.ask.q.val();
        } else if self.may_read.val() {
            self.busy.d.next = true;
            self.writing.d.next = false;
            self.ask.d.next = !self.ask.q.val();
        }
        self.told_1.d.next = self.tell.q.val();
        self.told_2.d.next = self.told_1.q.val();
        self.ended.next = (self.busy.q.val() & (self.told_2.q.val() == self.ask.q.val())) & (!self.b.q.val() & !self.r.q.val());
        if self.ended.val() {
            self.b.d.next = self.writing.q.val();
            self.r.d.next = !self.writing.q.val();
        }
        if self.b.q.val() & self.s_axil.bready.val() {
            self.b.d.next = false;
            self.aw.d.next = false;
            self.w.d.next = false;
            self.busy.d.next = false;
        }
        if self.r.q.val() & self.s_axil.rready.val() {
            self.r.d.next = false;
            self.ar.d.next = false;
            self.busy.d.next = false;
        }
        self.s_axil.bvalid.next = self.b.q.val();
        self.s_axil.bresp.next = self.response.q.val();
        self.s_axil.rvalid.next = self.r.q.val();
        self.s_axil.rresp.next = self.response.q.val();
        self.s_axil.rdata.next = self.answer.q.val();

        // The core's side: what was asked stands still until it is answered.
        self.asked_1.d.next = self.ask.q.val();
        self.asked_2.d.next = self.asked_1.q.val();
        if !self.at_work.q.val() & (self.asked_2.q.val() != self.tell.q.val()) {
            self.at_work.d.next = true;
            self.m_aw.d.next = self.writing.q.val();
            self.m_w.d.next = self.writing.q.val();
            self.m_ar.d.next = !self.writing.q.val();
        }
        if self.m_axil.awready.val() & self.m_aw.q.val() {
            self.m_aw.d.next = false;
        }
        if self.m_axil.wready.val() & self.m_w.q.val() {
            self.m_w.d.next = false;
        }
        if self.m_axil.arready.val() & self.m_ar.q.val() {
            self.m_ar.d.next = false;
        }
        if self.at_work.q.val() & (self.m_axil.bvalid.val() | self.m_axil.rvalid.val()) {
            self.at_work.d.next = false;
            self.tell.d.next = !self.tell.q.val();
            self.answer.d.next = self.m_axil.rdata.val();
            self.response.d.next = self.m_axil.rresp.val();
            if self.m_axil.bvalid.val() {
                self.response.d.next = self.m_axil.bresp.val();
            }
        }
        self.m_axil.awaddr.next = self.aw_addr.q.val();
        self.m_axil.awvalid.next = self.m_aw.q.val();
        self.m_axil.wdata.next = self.w_data.q.val();
        self.m_axil.wstrb.next = self.w_strb.q.val();
        self.m_axil.wvalid.next = self.m_w.q.val();
        self.m_axil.bready.next = true;
        self.m_axil.araddr.next = self.ar_addr.q.val();
        self.m_axil.arvalid.next = self.m_ar.q.val();
        self.m_axil.rready.next = true;

        if self.s_rst.val() {
            self.aw.d.next = false;
            self.w.d.next = false;
            self.ar.d.next = false;
            self.busy.d.next = false;
            self.writing.d.next = false;
            self.ask.d.next = false;
            self.told_1.d.next = false;
            self.told_2.d.next = false;
            self.b.d.next = false;
            self.r.d.next = false;
        }
        if self.rst.val() {
            self.asked_1.d.next = false;
            self.asked_2.d.next = false;
            self.tell.d.next = false;
            self.at_work.d.next = false;
            self.m_aw.d.next = false;
            self.m_w.d.next = false;
            self.m_ar.d.next = false;
        }
    }
}
