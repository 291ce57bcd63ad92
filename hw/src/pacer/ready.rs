//! The queue of the flows that wait for their token pass.
use crate::construct::construct;
use rust_hdl::prelude::*;

/// A place for each of `2^F` flows, which stand in it once at most: it takes two flows a clock, always, and gives one.
/// `B` must be `F - 1`, `C` must be `F + 1`.
///
/// The words lie alternately in two RAMs, so that both inputs can write at once; `due` stands before `act` of the same clock.
/// Latency: 3 clocks from an empty queue's input to its output. Throughput: one flow a clock. Model: `timely_model::pacer::ready`.
#[derive(LogicBlock)]
pub struct Ready<const F: usize, const B: usize, const C: usize> {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset, active high.
    pub rst: Signal<In, Bit>,
    /// A flow that the wheel found due.
    pub due_valid: Signal<In, Bit>,
    /// The flow.
    pub due_flow: Signal<In, Bits<F>>,
    /// A flow that the doorbell unit activated, or that was parked.
    pub act_valid: Signal<In, Bit>,
    /// The flow.
    pub act_flow: Signal<In, Bits<F>>,
    /// A flow stands at the output.
    pub o_valid: Signal<Out, Bit>,
    /// The flow.
    pub o_flow: Signal<Out, Bits<F>>,
    /// It is taken at this clock if one stands there.
    pub o_ready: Signal<In, Bit>,
    even: RAM<Bits<F>, B>,
    odd: RAM<Bits<F>, B>,
    /// Flows in the RAMs that no read was issued for before the last clock: what is issued is known late, and counted a clock later.
    fill: DFF<Bits<C>>,
    write: DFF<Bits<F>>,
    read: DFF<Bits<F>>,
    pending: DFF<Bit>,
    pending_odd: DFF<Bit>,
    out_valid: DFF<Bit>,
    out: DFF<Bits<F>>,
    spill_valid: DFF<Bit>,
    spill: DFF<Bits<F>>,
    first: Signal<Local, Bits<F>>,
    any: Signal<Local, Bit>,
    both: Signal<Local, Bit>,
    write_next: Signal<Local, Bits<F>>,
    read_next: Signal<Local, Bits<F>>,
    delivered: Signal<Local, Bits<F>>,
    added: Signal<Local, Bits<F>>,
    change: Signal<Local, Bits<C>>,
    more: Signal<Local, Bit>,
    issue: Signal<Local, Bit>,
    pop: Signal<Local, Bit>,
    held: Signal<Local, Bits<2>>,
}

impl<const F: usize, const B: usize, const C: usize> Default for Ready<F, B, C> {
    fn default() -> Self {
        assert!(B + 1 == F && C == F + 1, "two banks have one address bit less than the queue, its fill counter has one more");
        construct!({} clk, rst, due_valid, due_flow, act_valid, act_flow, o_valid, o_flow, o_ready, even, odd, fill, write, read, pending,
            pending_odd, out_valid, out, spill_valid, spill, first, any, both, write_next, read_next, delivered, added, change, more, issue, pop, held)
    }
}

impl<const F: usize, const B: usize, const C: usize> Logic for Ready<F, B, C> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, fill, write, read, pending, pending_odd, out_valid, out, spill_valid, spill);
        self.even.read_clock.next = self.clk.val();
        self.even.write_clock.next = self.clk.val();
        self.odd.read_clock.next = self.clk.val();
        self.odd.write_clock.next = self.clk.val();
        self.any.next = self.due_valid.val() | self.act_valid.val();
        self.both.next = self.due_valid.val() & self.act_valid.val();
        self.first.next = self.act_flow.val();
        if self.due_valid.val() {
            self.first.next = self.due_flow.val();
        }
        self.write_next.next = self.write.q.val() + bits::<F>(1);
        self.even.write_address.next = self.write_next.val().get_bits::<B>(1);
        self.odd.write_address.next = self.write.q.val().get_bits::<B>(1);
        if self.write.q.val().get_bit(0) {
            self.odd.write_data.next = self.first.val();
            self.odd.write_enable.next = self.any.val();
            self.even.write_data.next = self.act_flow.val();
            self.even.write_enable.next = self.both.val();
        } else {
            self.even.write_data.next = self.first.val();
            self.even.write_enable.next = self.any.val();
            self.odd.write_data.next = self.act_flow.val();
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
        self.pop.next = self.out_valid.q.val() & self.o_ready.val();
        // Flows that are past the RAMs: read under way, output, spill. At most two may stay behind.
        self.held.next = bits::<2>(0);
        if self.pending.q.val() {
            self.held.next = bits::<2>(1);
        }
        if self.out_valid.q.val() & !self.pop.val() {
            self.held.next = self.held.val() + bits::<2>(1);
        }
        if self.spill_valid.q.val() {
            self.held.next = self.held.val() + bits::<2>(1);
        }
        self.more.next = self.fill.q.val().get_bits::<F>(1).any() | (self.fill.q.val().get_bit(0) & !self.pending.q.val());
        self.issue.next = self.more.val() & !self.held.val().get_bit(1);
        self.pending.d.next = self.issue.val();
        self.pending_odd.d.next = self.read.q.val().get_bit(0);
        if self.issue.val() {
            self.read.d.next = self.read_next.val();
        }
        // One sum, of -1 to 2.
        self.change.next = bit_cast::<C, F>(self.added.val());
        if self.pending.q.val() {
            self.change.next = !bits::<C>(0);
            if self.both.val() {
                self.change.next = bits::<C>(1);
            } else if self.any.val() {
                self.change.next = bits::<C>(0);
            }
        }
        self.fill.d.next = self.fill.q.val() + self.change.val();
        self.delivered.next = self.even.read_data.val();
        if self.pending_odd.q.val() {
            self.delivered.next = self.odd.read_data.val();
        }
        if self.pop.val() | !self.out_valid.q.val() {
            if self.spill_valid.q.val() {
                self.out_valid.d.next = true;
                self.out.d.next = self.spill.q.val();
                self.spill_valid.d.next = self.pending.q.val();
                self.spill.d.next = self.delivered.val();
            } else {
                self.out_valid.d.next = self.pending.q.val();
                self.out.d.next = self.delivered.val();
            }
        } else {
            if self.pending.q.val() {
                self.spill_valid.d.next = true;
                self.spill.d.next = self.delivered.val();
            }
        }
        self.o_valid.next = self.out_valid.q.val();
        self.o_flow.next = self.out.q.val();
        if self.rst.val() {
            self.fill.d.next = bits::<C>(0);
            self.write.d.next = bits::<F>(0);
            self.read.d.next = bits::<F>(0);
            self.pending.d.next = false;
            self.out_valid.d.next = false;
            self.spill_valid.d.next = false;
        }
    }
}
