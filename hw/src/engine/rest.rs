//! What a queue's words are besides what is looked at before they leave.
use rust_hdl::prelude::*;

/// The rest of the words of a [`super::Queue`] beside it, in block RAM of 512 words; `2^P` are used, more than the queue holds.
///
/// Latency: the rest of a word shows from the clock after the word left the queue, until the next leaves. Throughput: one word a clock.
#[derive(LogicBlock, Default)]
pub struct Rest<const W: usize, const P: usize> {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset, active high.
    pub rst: Signal<In, Bit>,
    /// A word comes.
    pub i_valid: Signal<In, Bit>,
    /// It takes the place of the youngest.
    pub i_replaces: Signal<In, Bit>,
    /// Its rest.
    pub i_data: Signal<In, Bits<W>>,
    /// The oldest word leaves the queue.
    pub o_pop: Signal<In, Bit>,
    /// The rest of the one that left last.
    pub o_data: Signal<Out, Bits<W>>,
    ram: RAM<Bits<W>, 9>,
    write: DFF<Bits<P>>,
    /// Where the oldest word's rest stands, and that of the one that left last.
    next: DFF<Bits<P>>,
    shown: DFF<Bits<P>>,
    to: Signal<Local, Bits<P>>,
    from: Signal<Local, Bits<P>>,
}

impl<const W: usize, const P: usize> Logic for Rest<W, P> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, write, next, shown);
        self.ram.read_clock.next = self.clk.val();
        self.ram.write_clock.next = self.clk.val();
        self.to.next = self.write.q.val();
        if self.i_replaces.val() {
            self.to.next = self.write.q.val() - bits::<P>(1);
        }
        if self.i_valid.val() & !self.i_replaces.val() {
            self.write.d.next = self.write.q.val() + bits::<P>(1);
        }
        self.ram.write_enable.next = self.i_valid.val();
        self.ram.write_address.next = bit_cast::<9, P>(self.to.val());
        self.ram.write_data.next = self.i_data.val();
        self.from.next = self.shown.q.val();
        if self.o_pop.val() {
            self.from.next = self.next.q.val();
            self.next.d.next = self.next.q.val() + bits::<P>(1);
        }
        self.shown.d.next = self.from.val();
        self.ram.read_address.next = bit_cast::<9, P>(self.from.val());
        self.o_data.next = self.ram.read_data.val();
        if self.rst.val() {
            self.write.d.next = bits::<P>(0);
            self.next.d.next = bits::<P>(0);
            self.shown.d.next = bits::<P>(0);
        }
    }
}
