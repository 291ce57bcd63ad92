//! AXI-Lite from a shell's register clock to the core's.
use rust_hdl::prelude::*;

/// Takes one access at a time from `s_axil_*`, on `s_clk`, and makes it at `m_axil_*`, on `clk`: two clocks of any ratio and phase. What crosses
/// is one toggle each way, through two registers; everything else stands still while a toggle is under way.
///
/// Reads and writes that come together go by turns. `rst` and `s_rst` must be active together, long enough for both clocks to see them.
/// Latency: 3 clocks of each clock more than the access itself.
#[derive(LogicBlock, Default)]
pub struct Bridge {
    /// The shell's clock.
    pub s_clk: Signal<In, Clock>,
    /// Reset on it, active high.
    pub s_rst: Signal<In, Bit>,
    /// Write address.
    pub s_axil_awaddr: Signal<In, Bits<24>>,
    /// Write address: offered.
    pub s_axil_awvalid: Signal<In, Bit>,
    /// Write address: taken if offered.
    pub s_axil_awready: Signal<Out, Bit>,
    /// Write data.
    pub s_axil_wdata: Signal<In, Bits<32>>,
    /// Write data: bytes that count.
    pub s_axil_wstrb: Signal<In, Bits<4>>,
    /// Write data: offered.
    pub s_axil_wvalid: Signal<In, Bit>,
    /// Write data: taken if offered.
    pub s_axil_wready: Signal<Out, Bit>,
    /// Answer to a write.
    pub s_axil_bresp: Signal<Out, Bits<2>>,
    /// Answer to a write: offered.
    pub s_axil_bvalid: Signal<Out, Bit>,
    /// Answer to a write: taken.
    pub s_axil_bready: Signal<In, Bit>,
    /// Read address.
    pub s_axil_araddr: Signal<In, Bits<24>>,
    /// Read address: offered.
    pub s_axil_arvalid: Signal<In, Bit>,
    /// Read address: taken if offered.
    pub s_axil_arready: Signal<Out, Bit>,
    /// Data read.
    pub s_axil_rdata: Signal<Out, Bits<32>>,
    /// Answer to a read.
    pub s_axil_rresp: Signal<Out, Bits<2>>,
    /// Answer to a read: offered.
    pub s_axil_rvalid: Signal<Out, Bit>,
    /// Answer to a read: taken.
    pub s_axil_rready: Signal<In, Bit>,
    /// The core's clock.
    pub clk: Signal<In, Clock>,
    /// Reset on it, active high.
    pub rst: Signal<In, Bit>,
    /// Write address.
    pub m_axil_awaddr: Signal<Out, Bits<24>>,
    /// Write address: offered.
    pub m_axil_awvalid: Signal<Out, Bit>,
    /// Write address: taken.
    pub m_axil_awready: Signal<In, Bit>,
    /// Write data.
    pub m_axil_wdata: Signal<Out, Bits<32>>,
    /// Write data: bytes that count.
    pub m_axil_wstrb: Signal<Out, Bits<4>>,
    /// Write data: offered.
    pub m_axil_wvalid: Signal<Out, Bit>,
    /// Write data: taken.
    pub m_axil_wready: Signal<In, Bit>,
    /// Answer to a write.
    pub m_axil_bresp: Signal<In, Bits<2>>,
    /// Answer to a write: offered.
    pub m_axil_bvalid: Signal<In, Bit>,
    /// Answer to a write: always taken.
    pub m_axil_bready: Signal<Out, Bit>,
    /// Read address.
    pub m_axil_araddr: Signal<Out, Bits<24>>,
    /// Read address: offered.
    pub m_axil_arvalid: Signal<Out, Bit>,
    /// Read address: taken.
    pub m_axil_arready: Signal<In, Bit>,
    /// Data read.
    pub m_axil_rdata: Signal<In, Bits<32>>,
    /// Answer to a read.
    pub m_axil_rresp: Signal<In, Bits<2>>,
    /// Answer to a read: offered.
    pub m_axil_rvalid: Signal<In, Bit>,
    /// Answer to a read: always taken.
    pub m_axil_rready: Signal<Out, Bit>,
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
        self.s_axil_awready.next = !self.aw.q.val();
        self.s_axil_wready.next = !self.w.q.val();
        self.s_axil_arready.next = !self.ar.q.val();
        if self.s_axil_awvalid.val() & !self.aw.q.val() {
            self.aw.d.next = true;
            self.aw_addr.d.next = self.s_axil_awaddr.val();
        }
        if self.s_axil_wvalid.val() & !self.w.q.val() {
            self.w.d.next = true;
            self.w_data.d.next = self.s_axil_wdata.val();
            self.w_strb.d.next = self.s_axil_wstrb.val();
        }
        if self.s_axil_arvalid.val() & !self.ar.q.val() {
            self.ar.d.next = true;
            self.ar_addr.d.next = self.s_axil_araddr.val();
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
        if self.b.q.val() & self.s_axil_bready.val() {
            self.b.d.next = false;
            self.aw.d.next = false;
            self.w.d.next = false;
            self.busy.d.next = false;
        }
        if self.r.q.val() & self.s_axil_rready.val() {
            self.r.d.next = false;
            self.ar.d.next = false;
            self.busy.d.next = false;
        }
        self.s_axil_bvalid.next = self.b.q.val();
        self.s_axil_bresp.next = self.response.q.val();
        self.s_axil_rvalid.next = self.r.q.val();
        self.s_axil_rresp.next = self.response.q.val();
        self.s_axil_rdata.next = self.answer.q.val();

        // The core's side: what was asked stands still until it is answered.
        self.asked_1.d.next = self.ask.q.val();
        self.asked_2.d.next = self.asked_1.q.val();
        if !self.at_work.q.val() & (self.asked_2.q.val() != self.tell.q.val()) {
            self.at_work.d.next = true;
            self.m_aw.d.next = self.writing.q.val();
            self.m_w.d.next = self.writing.q.val();
            self.m_ar.d.next = !self.writing.q.val();
        }
        if self.m_axil_awready.val() & self.m_aw.q.val() {
            self.m_aw.d.next = false;
        }
        if self.m_axil_wready.val() & self.m_w.q.val() {
            self.m_w.d.next = false;
        }
        if self.m_axil_arready.val() & self.m_ar.q.val() {
            self.m_ar.d.next = false;
        }
        if self.at_work.q.val() & (self.m_axil_bvalid.val() | self.m_axil_rvalid.val()) {
            self.at_work.d.next = false;
            self.tell.d.next = !self.tell.q.val();
            self.answer.d.next = self.m_axil_rdata.val();
            self.response.d.next = self.m_axil_rresp.val();
            if self.m_axil_bvalid.val() {
                self.response.d.next = self.m_axil_bresp.val();
            }
        }
        self.m_axil_awaddr.next = self.aw_addr.q.val();
        self.m_axil_awvalid.next = self.m_aw.q.val();
        self.m_axil_wdata.next = self.w_data.q.val();
        self.m_axil_wstrb.next = self.w_strb.q.val();
        self.m_axil_wvalid.next = self.m_w.q.val();
        self.m_axil_bready.next = true;
        self.m_axil_araddr.next = self.ar_addr.q.val();
        self.m_axil_arvalid.next = self.m_ar.q.val();
        self.m_axil_rready.next = true;

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
