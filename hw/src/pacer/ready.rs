//! The queue of the flows that wait for their token pass.
#![allow(missing_docs, reason = "a group of ports has one comment")]
use crate::bus::{FlowPulseIn, FlowStreamOut};
use crate::ram::ApartBlockRam;
use rust_hdl::prelude::*;

/// A place for each of `2^F` flows, which stand in it once at most: it takes two flows a clock,
/// always, and gives one. `B` must be `F - 1`.
///
/// The words lie alternately in two RAMs, so that both inputs can write at once; `due` stands
/// before `act` of the same clock. The RAMs hold what they read until it goes to the output: what
/// is taken there enables registers, and is in no address. Latency: 3 clocks from an empty queue's
/// input to its output. Throughput: one flow a clock. Model: `timely_model::pacer::ready`.
#[derive(LogicBlock, Default)]
pub struct Ready<const F: usize, const B: usize> {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    /// Flows that are due.
    pub due: FlowPulseIn<F>,
    /// Flows that become active.
    pub act: FlowPulseIn<F>,
    /// Flows to pass.
    pub o: FlowStreamOut<F>,
    even: ApartBlockRam<Bits<F>, B>,
    odd: ApartBlockRam<Bits<F>, B>,
    write: DFF<Bits<F>>,
    /// Number of the flow that is read next. It never is a whole round behind: of as many flows
    /// some are past the RAMs.
    read: DFF<Bits<F>>,
    /// A RAM shows the oldest of those not at the output; which.
    pending: DFF<Bit>,
    pending_odd: DFF<Bit>,
    out_valid: DFF<Bit>,
    out: DFF<Bits<F>>,
    first: Signal<Local, Bits<F>>,
    any: Signal<Local, Bit>,
    both: Signal<Local, Bit>,
    write_next: Signal<Local, Bits<F>>,
    read_next: Signal<Local, Bits<F>>,
    delivered: Signal<Local, Bits<F>>,
    added: Signal<Local, Bits<F>>,
    more: Signal<Local, Bit>,
    moves: Signal<Local, Bit>,
    reads: Signal<Local, Bit>,
}

impl<const F: usize, const B: usize> Logic for Ready<F, B> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, write, read, pending, pending_odd, out_valid, out);
        self.even.clock.next = self.clk.val();
        self.odd.clock.next = self.clk.val();
        self.any.next = self.due.valid.val() | self.act.valid.val();
        self.both.next = self.due.valid.val() & self.act.valid.val();
        self.first.next = self.act.flow.val();
        if self.due.valid.val() {
            self.first.next = self.due.flow.val();
        }
        self.write_next.next = self.write.q.val() + bits::<F>(1);
        self.even.write_address.next = self.write_next.val().get_bits::<B>(1);
        self.odd.write_address.next = self.write.q.val().get_bits::<B>(1);
        if self.write.q.val().get_bit(0) {
            self.odd.write_data.next = self.first.val();
            self.odd.write_enable.next = self.any.val();
            self.even.write_data.next = self.act.flow.val();
            self.even.write_enable.next = self.both.val();
        } else {
            self.even.write_data.next = self.first.val();
            self.even.write_enable.next = self.any.val();
            self.odd.write_data.next = self.act.flow.val();
            self.odd.write_enable.next = self.both.val();
        }
        self.added.next = bits::<F>(0);
        if self.both.val() {
            self.added.next = bits::<F>(2);
        } else if self.any.val() {
            self.added.next = bits::<F>(1);
        }
        self.write.d.next = self.write.q.val() + self.added.val();
        self.read_next.next = self.read.q.val() + bits::<F>(1);
        self.even.read_address.next = self.read_next.val().get_bits::<B>(1);
        self.odd.read_address.next = self.read.q.val().get_bits::<B>(1);
        // The flow at the output goes, or none is there: the one that a RAM shows follows. Then, or
        // if no RAM shows one, both read.
        self.moves.next = !self.out_valid.q.val() | self.o.ready.val();
        self.reads.next = !self.pending.q.val() | (!self.out_valid.q.val() | self.o.ready.val());
        self.even.read_enable.next = self.reads.val();
        self.odd.read_enable.next = self.reads.val();
        self.more.next = self.write.q.val() != self.read.q.val();
        if self.reads.val() {
            self.pending.d.next = self.more.val();
            self.pending_odd.d.next = self.read.q.val().get_bit(0);
        }
        if self.reads.val() & self.more.val() {
            self.read.d.next = self.read_next.val();
        }
        self.delivered.next = self.even.read_data.val();
        if self.pending_odd.q.val() {
            self.delivered.next = self.odd.read_data.val();
        }
        if self.moves.val() {
            self.out_valid.d.next = self.pending.q.val();
            self.out.d.next = self.delivered.val();
        }
        self.o.valid.next = self.out_valid.q.val();
        self.o.flow.next = self.out.q.val();
        if self.rst.val() {
            self.write.d.next = bits::<F>(0);
            self.read.d.next = bits::<F>(0);
            self.pending.d.next = false;
            self.out_valid.d.next = false;
        }
    }
}
