//! The park: flows wait there while their priority is paused.
#![allow(missing_docs, reason = "a group of ports has one comment")]
use crate::bus::{FlowPulseIn, FlowStreamOut};
use crate::fifo::HeldFifo;
use rust_hdl::prelude::*;

/// A place for each of `2^F` flows; `C` must be `F + 1`.
///
/// Parked flows cost no passes while nothing changes. When a pause ends, all that are parked at
/// that clock go back to READY, in order, and those whose priority is still paused come back.
/// Latency: 3 clocks from `park` to an offer, 1 from `resume`. Model: `timely_model::pacer::park`.
#[derive(LogicBlock, Default)]
pub struct Park<const F: usize, const C: usize> {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    /// Flows that are parked.
    pub park: FlowPulseIn<F>,
    /// A pause ended.
    pub resume: Signal<In, Bit>,
    /// Flows that are resumed.
    pub o: FlowStreamOut<F>,
    queue: HeldFifo<F, F, C>,
    /// Flows parked.
    fill: DFF<Bits<C>>,
    /// Parked flows that are to leave.
    left: DFF<Bits<C>>,
    offer: Signal<Local, Bit>,
    pop: Signal<Local, Bit>,
    leaving: Signal<Local, Bits<C>>,
    leaves: Signal<Local, Bits<C>>,
    change: Signal<Local, Bits<C>>,
}

impl<const F: usize, const C: usize> Logic for Park<F, C> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, fill, left);
        self.queue.clk.next = self.clk.val();
        self.queue.rst.next = self.rst.val();
        self.queue.i_valid.next = self.park.valid.val();
        self.queue.i_data.next = self.park.flow.val();
        self.offer.next = self.queue.o_valid.val() & self.left.q.val().any();
        self.pop.next = self.offer.val() & self.o.ready.val();
        self.queue.o_ready.next = self.pop.val();
        self.leaving.next = self.left.q.val();
        if self.resume.val() {
            self.leaving.next = self.fill.q.val();
        }
        self.leaves.next = bits::<C>(0);
        if self.pop.val() {
            self.leaves.next = !bits::<C>(0);
        }
        self.left.d.next = self.leaving.val() + self.leaves.val();
        // One sum for each count.
        self.change.next = bits::<C>(0);
        if self.park.valid.val() & !self.pop.val() {
            self.change.next = bits::<C>(1);
        }
        if self.pop.val() & !self.park.valid.val() {
            self.change.next = !bits::<C>(0);
        }
        self.fill.d.next = self.fill.q.val() + self.change.val();
        self.o.valid.next = self.offer.val();
        self.o.flow.next = self.queue.o_data.val();
        if self.rst.val() {
            self.fill.d.next = bits::<C>(0);
            self.left.d.next = bits::<C>(0);
        }
    }
}
