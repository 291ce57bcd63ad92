//! A queue at the engine's input.
use crate::ram::LutRam;
use rust_hdl::prelude::*;

/// A queue of `2^A` flows in LUT RAM; what finds it full takes the place of the youngest, which is
/// lost and counted.
///
/// Latency: 1 clock when empty. Throughput: one word a clock. No back pressure. What a word has
/// besides its flow stands in another RAM, where these places say. Model: `timely_model::engine`,
/// its queues.
#[derive(LogicBlock, Default)]
pub struct Queue<const F: usize, const A: usize> {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset, active high.
    pub rst: Signal<In, Bit>,
    /// A word comes.
    pub i_valid: Signal<In, Bit>,
    /// Flow of the incoming word.
    pub i_flow: Signal<In, Bits<F>>,
    /// Place where the incoming word goes.
    pub i_place: Signal<Out, Bits<A>>,
    /// A word stands at the output.
    pub o_valid: Signal<Out, Bit>,
    /// Flow of the word at the output.
    pub o_flow: Signal<Out, Bits<F>>,
    /// Place of the word at the output.
    pub o_place: Signal<Out, Bits<A>>,
    /// The arbiter serves this queue next; only while `o_valid` is 1.
    pub o_next: Signal<In, Bit>,
    /// The one that is next is served. It comes late, so nothing but the last LUT of a path may
    /// look at it.
    pub o_free: Signal<In, Bit>,
    /// A word was lost.
    pub dropped: Signal<Out, Bit>,
    ram: LutRam<Bits<F>, A>,
    /// There is a word.
    any: DFF<Bit>,
    /// There is no room: what comes takes the place of the youngest.
    full: DFF<Bit>,
    /// Place of the next word: a register, as RAMs are written there.
    place: DFF<Bits<A>>,
    /// Places of the youngest word and of the oldest.
    youngest: DFF<Bits<A>>,
    read: DFF<Bits<A>>,
    lost: DFF<Bit>,
    push: Signal<Local, Bit>,
    after: Signal<Local, Bits<A>>,
    /// There is but one word, and it is next.
    last: Signal<Local, Bit>,
    one: Signal<Local, Bits<A>>,
    /// The word that comes takes the last place, unless one is served.
    fills: Signal<Local, Bit>,
    /// The next word goes one place further: if none is served, if one is.
    further: Signal<Local, Bit>,
    further_served: Signal<Local, Bit>,
}

impl<const F: usize, const A: usize> Logic for Queue<F, A> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, any, full, place, youngest, read, lost);
        self.ram.clock.next = self.clk.val();
        self.push.next = self.i_valid.val() & !self.full.q.val();
        self.lost.d.next = self.i_valid.val() & self.full.q.val();
        self.ram.write_enable.next = self.i_valid.val();
        self.ram.write_address.next = self.place.q.val();
        self.ram.write_data.next = self.i_flow.val();
        self.i_place.next = self.place.q.val();
        self.after.next = self.place.q.val() + bits::<A>(1);
        self.fills.next = self.push.val() & (self.after.val() == self.read.q.val());
        self.further.next = self.push.val() & !self.fills.val();
        self.further_served.next = self.further.val();
        if self.o_next.val() {
            self.further_served.next = self.i_valid.val() | self.full.q.val();
        }
        if (self.o_free.val() & self.further_served.val()) | (!self.o_free.val() & self.further.val()) {
            self.place.d.next = self.after.val();
        }
        self.full.d.next = (self.full.q.val() | self.fills.val()) & !(self.o_next.val() & self.o_free.val());
        if self.push.val() {
            self.youngest.d.next = self.place.q.val();
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
            self.full.d.next = false;
            self.place.d.next = bits::<A>(0);
            self.read.d.next = bits::<A>(0);
            self.lost.d.next = false;
        }
    }
}
