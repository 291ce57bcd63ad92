//! The manager's memory of flows: free ones, and state and age of the others.
#![allow(missing_docs, reason = "a group of ports has one comment")]
use super::words::Info;
use crate::constant::{Const, OneHot};
use crate::ram::ApartRam;
use rust_hdl::prelude::*;

/// Free flows of `2^F` in the order in which they became free, and a word a flow; `C` must be
/// `F + 1`.
///
/// A word is there 2 clocks after its address; none is read while the manager writes it. A free
/// flow shows 3 clocks after the last one was taken.
#[derive(LogicBlock, Default)]
pub(super) struct Flows<const F: usize, const C: usize> {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    /// The RAMs are being cleared, at this address: all flows become free.
    pub sweep: Signal<In, Bit>,
    pub sweep_at: Signal<In, Bits<F>>,
    /// The next free flow.
    pub any: Signal<Out, Bit>,
    pub head: Signal<Out, Bits<F>>,
    /// The next free flow is taken, or `flow` becomes free; never both.
    pub take: Signal<In, Bit>,
    pub give: Signal<In, Bit>,
    /// The flow whose words are read and written.
    pub flow: Signal<In, Bits<F>>,
    pub info: Signal<Out, Info>,
    pub stamp: Signal<Out, Bits<4>>,
    pub writes: Signal<In, Bit>,
    pub word: Signal<In, Info>,
    /// A flow was seen in this unit of age.
    pub seen: Signal<In, Bit>,
    pub seen_flow: Signal<In, Bits<F>>,
    pub epoch: Signal<In, Bits<4>>,
    ring: ApartRam<Bits<F>, F>,
    read: DFF<Bits<F>>,
    write: DFF<Bits<F>>,
    count: DFF<Bits<C>>,
    all: OneHot<C, F>,
    head_out: DFF<Bits<F>>,
    infos: ApartRam<Info, F>,
    no_info: Const<Info>,
    info_out: DFF<Info>,
    // Packets write stamps at any clock.
    stamps: RAM<Bits<4>, F>,
    stamp_out: DFF<Bits<4>>,
}

impl<const F: usize, const C: usize> Flows<F, C> {
    /// The block with its constants.
    pub(super) fn new() -> Self {
        Self { no_info: Const::new(Info::default()), ..Default::default() }
    }
}

impl<const F: usize, const C: usize> Logic for Flows<F, C> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, read, write, count, head_out, info_out, stamp_out);
        self.ring.read_clock.next = self.clk.val();
        self.ring.write_clock.next = self.clk.val();
        self.infos.read_clock.next = self.clk.val();
        self.infos.write_clock.next = self.clk.val();
        self.stamps.read_clock.next = self.clk.val();
        self.stamps.write_clock.next = self.clk.val();
        self.ring.read_address.next = self.read.q.val();
        self.ring.write_enable.next = self.give.val() | self.sweep.val();
        self.ring.write_address.next = self.write.q.val();
        self.ring.write_data.next = self.flow.val();
        self.infos.read_address.next = self.flow.val();
        self.infos.write_enable.next = self.writes.val() | self.sweep.val();
        self.infos.write_address.next = self.flow.val();
        self.infos.write_data.next = self.word.val();
        self.stamps.read_address.next = self.flow.val();
        self.stamps.write_enable.next = self.seen.val();
        self.stamps.write_address.next = self.seen_flow.val();
        self.stamps.write_data.next = self.epoch.val();
        self.head_out.d.next = self.ring.read_data.val();
        self.info_out.d.next = self.infos.read_data.val();
        self.stamp_out.d.next = self.stamps.read_data.val();
        if self.take.val() {
            self.read.d.next = self.read.q.val() + bits::<F>(1);
            self.count.d.next = self.count.q.val() - bits::<C>(1);
        }
        if self.give.val() {
            self.write.d.next = self.write.q.val() + bits::<F>(1);
            self.count.d.next = self.count.q.val() + bits::<C>(1);
        }
        if self.sweep.val() {
            self.ring.write_address.next = self.sweep_at.val();
            self.ring.write_data.next = self.sweep_at.val();
            self.infos.write_address.next = self.sweep_at.val();
            self.infos.write_data.next = self.no_info.val();
            self.read.d.next = bits::<F>(0);
            self.write.d.next = bits::<F>(0);
            self.count.d.next = self.all.val();
        }
        self.any.next = self.count.q.val().any();
        self.head.next = self.head_out.q.val();
        self.info.next = self.info_out.q.val();
        self.stamp.next = self.stamp_out.q.val();
        if self.rst.val() {
            self.read.d.next = bits::<F>(0);
        }
    }
}
