//! Read bursts of 64 bytes: the AR and R channels.
#![allow(missing_docs, reason = "a group of ports has one comment")]
use super::Cursor;
use crate::constant::Const;
use rust_hdl::prelude::*;
use timely_model::dma::MOST_READS;

// A kernel takes literals alone; this holds those below to their home.
const _: () = assert!(MOST_READS == 4, "the count of reads is full at its bit 2");

/// Asks for bursts one behind the other, up to 4 ahead, and puts one record at a time together; the
/// next waits on the channel until it is used.
#[derive(LogicBlock, Default)]
pub struct Reader<const W: usize> {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    /// Bursts are read from `base` on.
    pub set_base: Signal<In, Bit>,
    /// Address of the first burst.
    pub base: Signal<In, Bits<64>>,
    /// The next burst is to be read.
    pub ask: Signal<In, Bit>,
    /// The next burst can be asked for.
    pub free: Signal<Out, Bit>,
    /// Nothing is in flight.
    pub idle: Signal<Out, Bit>,
    /// A record is whole.
    pub full: Signal<Out, Bit>,
    /// The record's burst failed, or had another length.
    pub failed: Signal<Out, Bit>,
    /// The record, byte 0 in the lowest bits; also at the clock after `used`.
    pub record: Signal<Out, Bits<512>>,
    /// The record is not needed any more.
    pub used: Signal<In, Bit>,
    /// AXI4.
    pub m_axi_araddr: Signal<Out, Bits<64>>,
    /// AXI4.
    pub m_axi_arvalid: Signal<Out, Bit>,
    /// AXI4.
    pub m_axi_arready: Signal<In, Bit>,
    /// AXI4.
    pub m_axi_rdata: Signal<In, Bits<W>>,
    /// AXI4.
    pub m_axi_rresp: Signal<In, Bits<2>>,
    /// AXI4.
    pub m_axi_rlast: Signal<In, Bit>,
    /// AXI4.
    pub m_axi_rvalid: Signal<In, Bit>,
    /// AXI4.
    pub m_axi_rready: Signal<Out, Bit>,
    /// Bits of a beat, and those above it in a burst; the number of a burst's last one.
    width: Const<Bits<10>>,
    above: Const<Bits<10>>,
    last: Const<Bits<3>>,
    cursor: Cursor,
    ar_valid: DFF<Bit>,
    pending: DFF<Bits<3>>,
    beat: DFF<Bits<3>>,
    data: DFF<Bits<512>>,
    failing: DFF<Bit>,
    full_q: DFF<Bit>,
    taken: Signal<Local, Bit>,
    ends: Signal<Local, Bit>,
    whole: Signal<Local, Bit>,
    bad: Signal<Local, Bit>,
}

impl<const W: usize> Reader<W> {
    /// The block with its constants.
    pub fn new() -> Self {
        Self {
            width: Const::new(bits::<10>(W as u64)),
            above: Const::new(bits::<10>(512 - W as u64)),
            last: Const::new(bits::<3>(512 / W as u64 - 1)),
            ..Default::default()
        }
    }
}

impl<const W: usize> Logic for Reader<W> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, ar_valid, pending, beat, data, failing, full_q);
        self.cursor.clk.next = self.clk.val();
        self.cursor.set_base.next = self.set_base.val();
        self.cursor.base.next = self.base.val();
        self.cursor.advance.next = self.ar_valid.q.val() & self.m_axi_arready.val();
        if self.m_axi_arready.val() {
            self.ar_valid.d.next = false;
        }
        if self.ask.val() {
            self.ar_valid.d.next = true;
        }
        // A beat without a pending burst is not taken.
        self.taken.next = self.m_axi_rvalid.val() & !self.full_q.q.val() & self.pending.q.val().any();
        self.ends.next = self.beat.q.val() == self.last.val();
        self.whole.next = self.taken.val() & self.ends.val();
        self.bad.next = self.failing.q.val() | self.m_axi_rresp.val().get_bit(1) | (self.m_axi_rlast.val() != self.ends.val());
        if self.used.val() {
            self.full_q.d.next = false;
        }
        if self.taken.val() {
            self.data.d.next = (self.data.q.val() >> self.width.val()) | (bit_cast::<512, W>(self.m_axi_rdata.val()) << self.above.val());
            self.beat.d.next = self.beat.q.val() + bits::<3>(1);
            self.failing.d.next = self.bad.val();
            if self.ends.val() {
                self.beat.d.next = bits::<3>(0);
                self.full_q.d.next = true;
            }
        }
        // A burst starts well.
        if self.taken.val() & (self.beat.q.val() == bits::<3>(0)) {
            self.failing.d.next = self.m_axi_rresp.val().get_bit(1) | (self.m_axi_rlast.val() != self.ends.val());
        }
        if self.ask.val() & !self.whole.val() {
            self.pending.d.next = self.pending.q.val() + bits::<3>(1);
        }
        if self.whole.val() & !self.ask.val() {
            self.pending.d.next = self.pending.q.val() - bits::<3>(1);
        }
        self.free.next = !self.ar_valid.q.val() & !self.pending.q.val().get_bit(2);
        self.idle.next = !self.ar_valid.q.val() & !self.pending.q.val().any();
        self.full.next = self.full_q.q.val();
        self.failed.next = self.failing.q.val();
        self.record.next = self.data.q.val();
        self.m_axi_araddr.next = self.cursor.address.val();
        self.m_axi_arvalid.next = self.ar_valid.q.val();
        self.m_axi_rready.next = !self.full_q.q.val();
        if self.rst.val() {
            self.ar_valid.d.next = false;
            self.pending.d.next = bits::<3>(0);
            self.beat.d.next = bits::<3>(0);
            self.full_q.d.next = false;
        }
    }
}
