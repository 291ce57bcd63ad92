//! A queue without back pressure: when it is full, the newest word wins.
use crate::construct::construct;
use rust_hdl::prelude::*;

/// `2^A` words of `W` bits in a RAM of `2^R`, and two more in registers; `C` must be `A + 1`.
///
/// Latency: a word that comes into an empty queue shows at the output a clock later; otherwise the queue is a
/// [`crate::fifo::Fifo`]. Throughput: one word a clock. No back pressure: a word that finds no room takes the place of the youngest word
/// in the RAM, and `dropped` is 1 a clock later.
/// Model: `timely_model::engine`, its queues.
#[derive(LogicBlock)]
pub struct Queue<const W: usize, const A: usize, const C: usize, const R: usize> {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset, active high.
    pub rst: Signal<In, Bit>,
    /// A word comes.
    pub i_valid: Signal<In, Bit>,
    /// The word.
    pub i_data: Signal<In, Bits<W>>,
    /// A word stands at the output.
    pub o_valid: Signal<Out, Bit>,
    /// The word.
    pub o_data: Signal<Out, Bits<W>>,
    /// The word at the output is taken; only while `o_valid` is 1.
    pub o_pop: Signal<In, Bit>,
    /// A word that comes takes the place of the youngest.
    pub full: Signal<Out, Bit>,
    /// A word was lost.
    pub dropped: Signal<Out, Bit>,
    ram: RAM<Bits<W>, R>,
    depth: Constant<Bits<C>>,
    /// Words in the RAM that no read was issued for.
    fill: DFF<Bits<C>>,
    write: DFF<Bits<A>>,
    read: DFF<Bits<A>>,
    pending: DFF<Bit>,
    head_valid: DFF<Bit>,
    head: DFF<Bits<W>>,
    spill_valid: DFF<Bit>,
    spill: DFF<Bits<W>>,
    lost: DFF<Bit>,
    to: Signal<Local, Bits<A>>,
    free: Signal<Local, Bit>,
    around: Signal<Local, Bit>,
    room: Signal<Local, Bit>,
    push: Signal<Local, Bit>,
    issue: Signal<Local, Bit>,
    held: Signal<Local, Bits<2>>,
}

impl<const W: usize, const A: usize, const C: usize, const R: usize> Default for Queue<W, A, C, R> {
    fn default() -> Self {
        assert_eq!(C, A + 1, "a queue's fill counter has one bit more than its address");
        construct!({ depth: Constant::new((1u64 << A).into()) }
            clk, rst, i_valid, i_data, o_valid, o_data, o_pop, full, dropped, ram, fill, write, read, pending, head_valid, head, spill_valid,
            spill, lost, to, free, around, room, push, issue, held)
    }
}

impl<const W: usize, const A: usize, const C: usize, const R: usize> Logic for Queue<W, A, C, R> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, fill, write, read, pending, head_valid, head, spill_valid, spill, lost);
        self.ram.read_clock.next = self.clk.val();
        self.ram.write_clock.next = self.clk.val();
        self.ram.read_address.next = bit_cast::<R, A>(self.read.q.val());
        self.ram.write_data.next = self.i_data.val();
        self.free.next = self.o_pop.val() | !self.head_valid.q.val();
        // Nothing waits in front: around the RAM.
        self.around.next = self.free.val() & !self.fill.q.val().any() & !self.pending.q.val() & !self.spill_valid.q.val();
        self.room.next = self.fill.q.val() != self.depth.val();
        self.push.next = self.i_valid.val() & self.room.val() & !self.around.val();
        self.lost.d.next = self.i_valid.val() & !self.room.val() & !self.around.val();
        self.ram.write_enable.next = self.i_valid.val() & !self.around.val();
        self.to.next = self.write.q.val();
        if !self.room.val() {
            self.to.next = self.write.q.val() - bits::<A>(1);
        }
        self.ram.write_address.next = bit_cast::<R, A>(self.to.val());
        self.full.next = !self.room.val();
        // Words that are past the RAM: read under way, output, spill. At most two may stay behind.
        self.held.next = bits::<2>(0);
        if self.pending.q.val() {
            self.held.next = bits::<2>(1);
        }
        if !self.free.val() {
            self.held.next = self.held.val() + bits::<2>(1);
        }
        if self.spill_valid.q.val() {
            self.held.next = self.held.val() + bits::<2>(1);
        }
        self.issue.next = self.fill.q.val().any() & !self.held.val().get_bit(1);
        self.pending.d.next = self.issue.val();
        if self.issue.val() {
            self.read.d.next = self.read.q.val() + bits::<A>(1);
        }
        if self.push.val() {
            self.write.d.next = self.write.q.val() + bits::<A>(1);
        }
        if self.push.val() & !self.issue.val() {
            self.fill.d.next = self.fill.q.val() + bits::<C>(1);
        }
        if self.issue.val() & !self.push.val() {
            self.fill.d.next = self.fill.q.val() - bits::<C>(1);
        }
        if self.free.val() {
            if self.around.val() {
                self.head_valid.d.next = self.i_valid.val();
                self.head.d.next = self.i_data.val();
            } else if self.spill_valid.q.val() {
                self.head_valid.d.next = true;
                self.head.d.next = self.spill.q.val();
                self.spill_valid.d.next = self.pending.q.val();
                self.spill.d.next = self.ram.read_data.val();
            } else {
                self.head_valid.d.next = self.pending.q.val();
                self.head.d.next = self.ram.read_data.val();
            }
        } else {
            if self.pending.q.val() {
                self.spill_valid.d.next = true;
                self.spill.d.next = self.ram.read_data.val();
            }
        }
        self.o_valid.next = self.head_valid.q.val();
        self.o_data.next = self.head.q.val();
        self.dropped.next = self.lost.q.val();
        if self.rst.val() {
            self.fill.d.next = bits::<C>(0);
            self.write.d.next = bits::<A>(0);
            self.read.d.next = bits::<A>(0);
            self.pending.d.next = false;
            self.head_valid.d.next = false;
            self.spill_valid.d.next = false;
            self.lost.d.next = false;
        }
    }
}
