//! A queue at the engine's input.
use crate::ram::LutRam;
use rust_hdl::prelude::*;

/// A queue of `2^A` flows in LUT RAM; what finds it full takes the place of the youngest, which is lost and counted.
///
/// Latency: 1 clock when empty. Throughput: one word a clock. No back pressure. What a word has besides its flow stands in another RAM, where
/// these places say. Model: `timely_model::engine`, its queues.
#[derive(LogicBlock, Default)]
pub struct Queue<const F: usize, const A: usize> {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset, active high.
    pub rst: Signal<In, Bit>,
    /// A word comes.
    pub i_valid: Signal<In, Bit>,
    /// Its flow.
    pub i_flow: Signal<In, Bits<F>>,
    /// Where it goes.
    pub i_place: Signal<Out, Bits<A>>,
    /// A word stands at the output.
    pub o_valid: Signal<Out, Bit>,
    /// Its flow.
    pub o_flow: Signal<Out, Bits<F>>,
    /// Where it stands.
    pub o_place: Signal<Out, Bits<A>>,
    /// This queue is the next to be served; only while `o_valid` is 1.
    pub o_next: Signal<In, Bit>,
    /// The one that is next is served. It comes late, so nothing but the last LUT of a path may look at it.
    pub o_free: Signal<In, Bit>,
    /// A word was lost.
    pub dropped: Signal<Out, Bit>,
    ram: LutRam<Bits<F>, A>,
    /// There is a word.
    any: DFF<Bit>,
    /// Where the next word goes, where the youngest stands, and the oldest.
    write: DFF<Bits<A>>,
    youngest: DFF<Bits<A>>,
    read: DFF<Bits<A>>,
    lost: DFF<Bit>,
    full: Signal<Local, Bit>,
    push: Signal<Local, Bit>,
    /// There is but one word, and it is next.
    last: Signal<Local, Bit>,
    one: Signal<Local, Bits<A>>,
    place: Signal<Local, Bits<A>>,
}

impl<const F: usize, const A: usize> Logic for Queue<F, A> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, any, write, youngest, read, lost);
        self.ram.clock.next = self.clk.val();
        self.full.next = self.any.q.val() & (self.write.q.val() == self.read.q.val());
        self.push.next = self.i_valid.val() & !self.full.val();
        self.lost.d.next = self.i_valid.val() & self.full.val();
        self.place.next = self.write.q.val();
        if self.full.val() {
            self.place.next = self.youngest.q.val();
        }
        self.ram.write_enable.next = self.i_valid.val();
        self.ram.write_address.next = self.place.val();
        self.ram.write_data.next = self.i_flow.val();
        self.i_place.next = self.place.val();
        if self.push.val() {
            self.write.d.next = self.write.q.val() + bits::<A>(1);
            self.youngest.d.next = self.write.q.val();
        }
        self.one.next = bits::<A>(0);
        if self.o_next.val() {
            self.one.next = bits::<A>(1);
        }
        if self.o_free.val() {
            self.read.d.next = self.read.q.val() + self.one.val();
        }
        self.last.next = self.o_next.val() & (self.youngest.q.val() == self.read.q.val());
        self.any.d.next = self.push.val() | (self.any.q.val() & !(self.last.val() & self.o_free.val()));
        self.ram.read_address.next = self.read.q.val();
        self.o_valid.next = self.any.q.val();
        self.o_flow.next = self.ram.read_data.val();
        self.o_place.next = self.read.q.val();
        self.dropped.next = self.lost.q.val();
        if self.rst.val() {
            self.any.d.next = false;
            self.write.d.next = bits::<A>(0);
            self.read.d.next = bits::<A>(0);
            self.lost.d.next = false;
        }
    }
}
