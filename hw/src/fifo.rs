//! A first-in first-out queue in one RAM, all outputs registered.
#![allow(missing_docs, reason = "a group of ports has one comment")]
use crate::constant::{Fixed, OneHot};
use crate::ram::{ApartBlockRam, LutRam};
use crate::sizes::AtMost;
use rust_hdl::prelude::*;

/// `2^A` words of `W` bits, valid/ready on both sides; `C` must be `A + 1`.
///
/// Latency: a word pushed into an empty queue shows at the output 3 clocks later. Throughput: one
/// word a clock. Back pressure: `i_ready` falls when `2^A` words are in the RAM (one more may stand
/// in the output register). A word that cannot leave the RAM is read again and again, so that no
/// register is needed to hold it. Model: `timely_model::fifo::Fifo`.
#[derive(LogicBlock, Default)]
pub struct Fifo<const W: usize, const A: usize, const C: usize> {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    /// A word is offered.
    pub i_valid: Signal<In, Bit>,
    pub i_data: Signal<In, Bits<W>>,
    /// The word is taken at this clock if offered.
    pub i_ready: Signal<Out, Bit>,
    /// A word stands at the output.
    pub o_valid: Signal<Out, Bit>,
    pub o_data: Signal<Out, Bits<W>>,
    /// The word is taken at this clock if one stands there.
    pub o_ready: Signal<In, Bit>,
    ram: RAM<Bits<W>, A>,
    /// Words that the RAM holds. A const generic as an index would be emitted by its name, so the
    /// depth is a constant signal.
    depth: OneHot<C, A>,
    /// Words in the RAM.
    fill: DFF<Bits<C>>,
    write: DFF<Bits<A>>,
    /// The oldest.
    read: DFF<Bits<A>>,
    /// The one after it, as its difference from that after a reset.
    second: DFF<Bits<A>>,
    one: Fixed<A, 1>,
    /// The RAM shows the oldest.
    pending: DFF<Bit>,
    out_valid: DFF<Bit>,
    out: DFF<Bits<W>>,
    /// The fill's highest bit, which no other fill has.
    full: Signal<Local, Bit>,
    push: Signal<Local, Bit>,
    take: Signal<Local, Bit>,
    address: Signal<Local, Bits<A>>,
    /// Address without and with a word taken at the output.
    at_hold: Signal<Local, Bits<A>>,
    at_take: Signal<Local, Bits<A>>,
    behind: Signal<Local, Bits<A>>,
    follows: Signal<Local, Bits<A>>,
}

impl<const W: usize, const A: usize, const C: usize> Logic for Fifo<W, A, C> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, fill, write, read, second, pending, out_valid, out);
        self.ram.read_clock.next = self.clk.val();
        self.ram.write_clock.next = self.clk.val();
        self.full.next = (self.fill.q.val() & self.depth.val()).any();
        self.push.next = self.i_valid.val() & !self.full.val();
        self.ram.write_address.next = self.write.q.val();
        self.ram.write_data.next = self.i_data.val();
        self.ram.write_enable.next = self.push.val();
        // The oldest word goes to the output, and the one behind it is read; or it is read once
        // more.
        self.take.next = self.pending.q.val() & (!self.out_valid.q.val() | self.o_ready.val());
        self.behind.next = self.second.q.val() ^ self.one.val();
        self.follows.next = self.behind.val() + self.one.val();
        // Whether the output is taken is known last, so that both addresses are ready by then.
        self.at_hold.next = self.read.q.val();
        if self.pending.q.val() & !self.out_valid.q.val() {
            self.at_hold.next = self.behind.val();
        }
        self.at_take.next = self.read.q.val();
        if self.pending.q.val() {
            self.at_take.next = self.behind.val();
        }
        self.address.next = self.at_hold.val();
        if self.o_ready.val() {
            self.address.next = self.at_take.val();
        }
        self.pending.d.next = self.fill.q.val().any();
        if self.take.val() {
            self.second.d.next = self.follows.val() ^ self.one.val();
            self.pending.d.next = self.fill.q.val().get_bits::<A>(1).any();
        }
        self.ram.read_address.next = self.address.val();
        self.read.d.next = self.address.val();
        if self.push.val() {
            self.write.d.next = self.write.q.val() + self.one.val();
        }
        if self.push.val() & !self.take.val() {
            self.fill.d.next = self.fill.q.val() + bits::<C>(1);
        }
        if self.take.val() & !self.push.val() {
            self.fill.d.next = self.fill.q.val() - bits::<C>(1);
        }
        if self.take.val() {
            self.out_valid.d.next = true;
            self.out.d.next = self.ram.read_data.val();
        } else if self.o_ready.val() {
            self.out_valid.d.next = false;
        }
        self.i_ready.next = !self.full.val();
        self.o_valid.next = self.out_valid.q.val();
        self.o_data.next = self.out.q.val();
        if self.rst.val() {
            self.fill.d.next = bits::<C>(0);
            self.write.d.next = bits::<A>(0);
            self.read.d.next = bits::<A>(0);
            self.second.d.next = bits::<A>(0);
            self.pending.d.next = false;
            self.out_valid.d.next = false;
        }
    }
}

/// [`Fifo`] for words so wide that the way from "taken" through an address to hundreds of LUT RAMs
/// would be the slowest: their read address is a register here, and what is taken only enables the
/// output's. Not for more than 64 words.
///
/// Same ports, latency, throughput and back pressure.
/// Model: `timely_model::fifo::Fifo`.
#[derive(LogicBlock, Default)]
pub struct WideFifo<const W: usize, const A: usize, const C: usize> {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    /// A word is offered.
    pub i_valid: Signal<In, Bit>,
    pub i_data: Signal<In, Bits<W>>,
    /// The word is taken at this clock if offered.
    pub i_ready: Signal<Out, Bit>,
    /// A word stands at the output.
    pub o_valid: Signal<Out, Bit>,
    pub o_data: Signal<Out, Bits<W>>,
    /// The word is taken at this clock if one stands there.
    pub o_ready: Signal<In, Bit>,
    sizes: AtMost<A, 6>,
    ram: LutRam<Bits<W>, A>,
    depth: OneHot<C, A>,
    one: Fixed<A, 1>,
    /// Words in the RAM.
    fill: DFF<Bits<C>>,
    write: DFF<Bits<A>>,
    /// The oldest.
    read: DFF<Bits<A>>,
    /// There is an oldest.
    pending: DFF<Bit>,
    out_valid: DFF<Bit>,
    out: DFF<Bits<W>>,
    /// The fill's highest bit, which no other fill has.
    full: Signal<Local, Bit>,
    push: Signal<Local, Bit>,
    take: Signal<Local, Bit>,
}

impl<const W: usize, const A: usize, const C: usize> Logic for WideFifo<W, A, C> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, fill, write, read, pending, out_valid, out);
        self.ram.clock.next = self.clk.val();
        self.full.next = (self.fill.q.val() & self.depth.val()).any();
        self.push.next = self.i_valid.val() & !self.full.val();
        self.ram.write_address.next = self.write.q.val();
        self.ram.write_data.next = self.i_data.val();
        self.ram.write_enable.next = self.push.val();
        self.ram.read_address.next = self.read.q.val();
        self.take.next = self.pending.q.val() & (!self.out_valid.q.val() | self.o_ready.val());
        self.pending.d.next = self.fill.q.val().any();
        if self.take.val() {
            self.read.d.next = self.read.q.val() + self.one.val();
            self.pending.d.next = self.fill.q.val().get_bits::<A>(1).any();
            self.out_valid.d.next = true;
            self.out.d.next = self.ram.read_data.val();
        } else if self.o_ready.val() {
            self.out_valid.d.next = false;
        }
        if self.push.val() {
            self.write.d.next = self.write.q.val() + self.one.val();
        }
        if self.push.val() & !self.take.val() {
            self.fill.d.next = self.fill.q.val() + bits::<C>(1);
        }
        if self.take.val() & !self.push.val() {
            self.fill.d.next = self.fill.q.val() - bits::<C>(1);
        }
        self.i_ready.next = !self.full.val();
        self.o_valid.next = self.out_valid.q.val();
        self.o_data.next = self.out.q.val();
        if self.rst.val() {
            self.fill.d.next = bits::<C>(0);
            self.write.d.next = bits::<A>(0);
            self.read.d.next = bits::<A>(0);
            self.pending.d.next = false;
            self.out_valid.d.next = false;
        }
    }
}

/// [`Fifo`] on a block RAM that holds what it read: what is taken at the output does not go through
/// an address, it only enables the RAM and the output's register. It counts its words a clock
/// later, for what moves is known late, and it tells a clock ahead whether it is empty.
///
/// Same ports, latency, throughput and back pressure, and `empty`; for 4 words or more.
/// Model: `timely_model::fifo::Fifo`.
#[derive(LogicBlock, Default)]
pub struct HeldFifo<const W: usize, const A: usize, const C: usize> {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    /// A word is offered.
    pub i_valid: Signal<In, Bit>,
    pub i_data: Signal<In, Bits<W>>,
    /// The word is taken at this clock if offered.
    pub i_ready: Signal<Out, Bit>,
    /// A word stands at the output.
    pub o_valid: Signal<Out, Bit>,
    pub o_data: Signal<Out, Bits<W>>,
    /// The word is taken at this clock if one stands there.
    pub o_ready: Signal<In, Bit>,
    /// No word is inside, not at the output either; straight from a register.
    pub empty: Signal<Out, Bit>,
    ram: ApartBlockRam<Bits<W>, A>,
    depth: OneHot<C, A>,
    one: Fixed<A, 1>,
    write: DFF<Bits<A>>,
    /// Address that the RAM reads next.
    read: DFF<Bits<A>>,
    /// Words in the RAM at the last clock; with what came and went at it: those there now.
    fill: DFF<Bits<C>>,
    came: DFF<Bit>,
    went: DFF<Bit>,
    /// The RAM shows the oldest.
    pending: DFF<Bit>,
    out_valid: DFF<Bit>,
    out: DFF<Bits<W>>,
    /// Something is inside.
    occupied: DFF<Bit>,
    change: Signal<Local, Bits<C>>,
    full: Signal<Local, Bit>,
    more: Signal<Local, Bit>,
    push: Signal<Local, Bit>,
    step: Signal<Local, Bit>,
    take: Signal<Local, Bit>,
}

impl<const W: usize, const A: usize, const C: usize> Logic for HeldFifo<W, A, C> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, write, read, fill, came, went, pending, out_valid, out, occupied);
        self.ram.clock.next = self.clk.val();
        self.change.next = bits::<C>(0);
        if self.came.q.val() & !self.went.q.val() {
            self.change.next = bits::<C>(1);
        }
        if self.went.q.val() & !self.came.q.val() {
            self.change.next = !bits::<C>(0);
        }
        self.fill.d.next = self.fill.q.val() + self.change.val();
        self.full.next = ((self.fill.q.val() == self.depth.val()) & !(self.went.q.val() & !self.came.q.val()))
            | (self.fill.q.val().get_bits::<A>(0).all() & (self.came.q.val() & !self.went.q.val()));
        self.push.next = self.i_valid.val() & !self.full.val();
        self.ram.write_address.next = self.write.q.val();
        self.ram.write_data.next = self.i_data.val();
        // What is not offered, or goes past the queue, is written too: where the next word will be,
        // nothing is that was not read.
        self.ram.write_enable.next = true;
        if self.push.val() {
            self.write.d.next = self.write.q.val() + self.one.val();
        }
        // The RAM reads whenever what it shows is none, or goes to the output; what it reads where
        // none is does not matter.
        self.more.next = self.write.q.val() != self.read.q.val();
        self.step.next = !self.pending.q.val() | (!self.out_valid.q.val() | self.o_ready.val());
        self.take.next = self.pending.q.val() & (!self.out_valid.q.val() | self.o_ready.val());
        self.ram.read_address.next = self.read.q.val();
        self.ram.read_enable.next = self.step.val();
        if self.step.val() {
            self.pending.d.next = self.more.val();
        }
        if self.step.val() & self.more.val() {
            self.read.d.next = self.read.q.val() + self.one.val();
        }
        if self.take.val() {
            self.out.d.next = self.ram.read_data.val();
        }
        if !self.out_valid.q.val() | self.o_ready.val() {
            self.out_valid.d.next = self.pending.q.val();
        }
        self.came.d.next = self.push.val();
        self.went.d.next = self.take.val();
        self.occupied.d.next = self.push.val()
            | (self.occupied.q.val() & !((self.out_valid.q.val() & self.o_ready.val()) & !(self.pending.q.val() | self.more.val())));
        self.i_ready.next = !self.full.val();
        self.o_valid.next = self.out_valid.q.val();
        self.o_data.next = self.out.q.val();
        self.empty.next = !self.occupied.q.val();
        if self.rst.val() {
            self.write.d.next = bits::<A>(0);
            self.read.d.next = bits::<A>(0);
            self.fill.d.next = bits::<C>(0);
            self.came.d.next = false;
            self.went.d.next = false;
            self.pending.d.next = false;
            self.out_valid.d.next = false;
            self.occupied.d.next = false;
        }
    }
}
