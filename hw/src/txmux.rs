//! Two frame streams onto one wire, frames whole: ACKs first, or by turns.
use crate::bus::{AxisIn, TaggedAxisIn, TaggedAxisOut};
use crate::construct::construct;
use rust_hdl::prelude::*;
use timely_regs::link::ACK_TAG;

/// Merges the ACK stream `a_*` and the data stream `d_*` of `W` bits (`K` must be `W / 8`) into
/// `m_*`.
///
/// Between two frames the ACK stream goes first if it offers a beat; inside a frame nothing else is
/// let in, so a long data frame is never cut. With `fair`, a stream whose frame has just gone waits
/// for one of the other's if that offers a beat. ACKs carry [`ACK_TAG`] at `m_tag`, data frames
/// their own `d_tag`.
///
/// Latency: a beat taken while the output is free shows at `m_*` one clock later. Throughput: a
/// beat a clock, with no empty clock between frames, whichever stream they come from. Back
/// pressure: each stream may put one more beat into its spill register; then its `ready` falls
/// until that beat has moved on. Model: `timely_model::txmux::TxMux`.
#[derive(LogicBlock)]
pub struct TxMux<const W: usize, const K: usize> {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset, active high; a frame under way is dropped.
    pub rst: Signal<In, Bit>,
    /// Both streams by turns, in place of ACKs first.
    pub fair: Signal<In, Bit>,
    /// ACK frames.
    pub a: AxisIn<W, K>,
    /// Data frames.
    pub d: TaggedAxisIn<W, K>,
    /// Merged frames.
    pub m: TaggedAxisOut<W, K>,
    ack_tag: Constant<Bits<16>>,
    /// A frame has begun and its last beat has not been loaded.
    busy: DFF<Bit>,
    /// The frame under way is an ACK.
    acking: DFF<Bit>,
    valid: DFF<Bit>,
    data: DFF<Bits<W>>,
    keep: DFF<Bits<K>>,
    last: DFF<Bit>,
    tag: DFF<Bits<16>>,
    a_held: DFF<Bit>,
    a_data: DFF<Bits<W>>,
    a_keep: DFF<Bits<K>>,
    a_last: DFF<Bit>,
    d_held: DFF<Bit>,
    d_data: DFF<Bits<W>>,
    d_keep: DFF<Bits<K>>,
    d_last: DFF<Bit>,
    d_tagged: DFF<Bits<16>>,
    a_here: Signal<Local, Bit>,
    d_here: Signal<Local, Bit>,
    choose_ack: Signal<Local, Bit>,
    free: Signal<Local, Bit>,
    load_a: Signal<Local, Bit>,
    load_d: Signal<Local, Bit>,
}

impl<const W: usize, const K: usize> Default for TxMux<W, K> {
    fn default() -> Self {
        assert_eq!(W, 8 * K, "a bus of {W} bits has {} bytes, not {K}", W / 8);
        construct!({ ack_tag: Constant::new(bits::<16>(u64::from(ACK_TAG))) }
            clk, rst, fair, a, d, m, busy, acking, valid, data, keep, last, tag, a_held, a_data, a_keep, a_last, d_held, d_data,
            d_keep, d_last, d_tagged, a_here, d_here, choose_ack, free, load_a, load_d)
    }
}

impl<const W: usize, const K: usize> Logic for TxMux<W, K> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, busy, acking, valid, data, keep, last, tag);
        dff_setup!(self, clk, a_held, a_data, a_keep, a_last, d_held, d_data, d_keep, d_last, d_tagged);
        // A spill register holds a beat exactly while its stream is not ready.
        self.a_here.next = self.a_held.q.val() | self.a.tvalid.val();
        self.d_here.next = self.d_held.q.val() | self.d.tvalid.val();
        self.choose_ack.next = self.a_here.val() & !((self.fair.val() & self.acking.q.val()) & self.d_here.val());
        if self.busy.q.val() {
            self.choose_ack.next = self.acking.q.val();
        }
        self.free.next = !self.valid.q.val() | self.m.tready.val();
        self.load_a.next = self.free.val() & self.choose_ack.val() & self.a_here.val();
        self.load_d.next = self.free.val() & !self.choose_ack.val() & self.d_here.val();
        if self.free.val() {
            self.valid.d.next = self.load_a.val() | self.load_d.val();
            if self.choose_ack.val() {
                self.tag.d.next = self.ack_tag.val();
                if self.a_held.q.val() {
                    self.data.d.next = self.a_data.q.val();
                    self.keep.d.next = self.a_keep.q.val();
                    self.last.d.next = self.a_last.q.val();
                } else {
                    self.data.d.next = self.a.tdata.val();
                    self.keep.d.next = self.a.tkeep.val();
                    self.last.d.next = self.a.tlast.val();
                }
            } else {
                if self.d_held.q.val() {
                    self.data.d.next = self.d_data.q.val();
                    self.keep.d.next = self.d_keep.q.val();
                    self.last.d.next = self.d_last.q.val();
                    self.tag.d.next = self.d_tagged.q.val();
                } else {
                    self.data.d.next = self.d.tdata.val();
                    self.keep.d.next = self.d.tkeep.val();
                    self.last.d.next = self.d.tlast.val();
                    self.tag.d.next = self.d.tag.val();
                }
            }
        }
        if self.load_a.val() | self.load_d.val() {
            self.acking.d.next = self.load_a.val();
            self.busy.d.next = !self.last.d.val();
        }
        self.a_held.d.next = self.a_here.val() & !self.load_a.val();
        if !self.a_held.q.val() {
            self.a_data.d.next = self.a.tdata.val();
            self.a_keep.d.next = self.a.tkeep.val();
            self.a_last.d.next = self.a.tlast.val();
        }
        self.d_held.d.next = self.d_here.val() & !self.load_d.val();
        if !self.d_held.q.val() {
            self.d_data.d.next = self.d.tdata.val();
            self.d_keep.d.next = self.d.tkeep.val();
            self.d_last.d.next = self.d.tlast.val();
            self.d_tagged.d.next = self.d.tag.val();
        }
        self.a.tready.next = !self.a_held.q.val();
        self.d.tready.next = !self.d_held.q.val();
        self.m.tvalid.next = self.valid.q.val();
        self.m.tdata.next = self.data.q.val();
        self.m.tkeep.next = self.keep.q.val();
        self.m.tlast.next = self.last.q.val();
        self.m.tag.next = self.tag.q.val();
        if self.rst.val() {
            self.busy.d.next = false;
            self.acking.d.next = false;
            self.valid.d.next = false;
            self.a_held.d.next = false;
            self.d_held.d.next = false;
        }
    }
}
