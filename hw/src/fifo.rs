//! A first-in first-out queue in one RAM, all outputs registered.
use rust_hdl::prelude::*;

/// `2^A` words of `W` bits, valid/ready on both sides; `C` must be `A + 1`.
///
/// Latency: a word pushed into an empty queue shows at the output 3 clocks later. Throughput: one word a clock.
/// Back pressure: `i_ready` falls when `2^A` words are in the RAM (two more may stand in the output registers).
/// Model: `timely_model::fifo::Fifo`.
#[derive(LogicBlock)]
pub struct Fifo<const W: usize, const A: usize, const C: usize> {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset, active high.
    pub rst: Signal<In, Bit>,
    /// A word is offered.
    pub i_valid: Signal<In, Bit>,
    /// The word.
    pub i_data: Signal<In, Bits<W>>,
    /// The word is taken at this clock if offered.
    pub i_ready: Signal<Out, Bit>,
    /// A word stands at the output.
    pub o_valid: Signal<Out, Bit>,
    /// The word.
    pub o_data: Signal<Out, Bits<W>>,
    /// The word is taken at this clock if one stands there.
    pub o_ready: Signal<In, Bit>,
    ram: RAM<Bits<W>, A>,
    /// Words that the RAM holds. A const generic as an index would be emitted by its name, so the depth is a constant signal.
    depth: Constant<Bits<C>>,
    /// Words in the RAM that no read was issued for.
    fill: DFF<Bits<C>>,
    write: DFF<Bits<A>>,
    read: DFF<Bits<A>>,
    /// Words readable: a word written at this clock can be read at the next.
    pending: DFF<Bit>,
    out_valid: DFF<Bit>,
    out: DFF<Bits<W>>,
    spill_valid: DFF<Bit>,
    spill: DFF<Bits<W>>,
    push: Signal<Local, Bit>,
    issue: Signal<Local, Bit>,
    pop: Signal<Local, Bit>,
    held: Signal<Local, Bits<2>>,
}

impl<const W: usize, const A: usize, const C: usize> Default for Fifo<W, A, C> {
    fn default() -> Self {
        assert_eq!(C, A + 1, "a FIFO's fill counter has one bit more than its address");
        Self {
            clk: Default::default(),
            rst: Default::default(),
            i_valid: Default::default(),
            i_data: Default::default(),
            i_ready: Default::default(),
            o_valid: Default::default(),
            o_data: Default::default(),
            o_ready: Default::default(),
            ram: Default::default(),
            depth: Constant::new(bits::<C>(1 << A)),
            fill: Default::default(),
            write: Default::default(),
            read: Default::default(),
            pending: Default::default(),
            out_valid: Default::default(),
            out: Default::default(),
            spill_valid: Default::default(),
            spill: Default::default(),
            push: Default::default(),
            issue: Default::default(),
            pop: Default::default(),
            held: Default::default(),
        }
    }
}

impl<const W: usize, const A: usize, const C: usize> Logic for Fifo<W, A, C> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, fill, write, read, pending, out_valid, out, spill_valid, spill);
        self.ram.read_clock.next = self.clk.val();
        self.ram.write_clock.next = self.clk.val();
        self.ram.read_address.next = self.read.q.val();
        self.ram.write_address.next = self.write.q.val();
        self.ram.write_data.next = self.i_data.val();
        self.push.next = self.i_valid.val() & (self.fill.q.val() != self.depth.val());
        self.ram.write_enable.next = self.push.val();
        self.pop.next = self.out_valid.q.val() & self.o_ready.val();
        // Words that are past the RAM: read under way, output, spill. At most two may stay behind.
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
        // Output stage: spill first, then the word that the RAM delivers.
        if self.pop.val() | !self.out_valid.q.val() {
            if self.spill_valid.q.val() {
                self.out_valid.d.next = true;
                self.out.d.next = self.spill.q.val();
                self.spill_valid.d.next = self.pending.q.val();
                self.spill.d.next = self.ram.read_data.val();
            } else {
                self.out_valid.d.next = self.pending.q.val();
                self.out.d.next = self.ram.read_data.val();
            }
        } else {
            if self.pending.q.val() {
                self.spill_valid.d.next = true;
                self.spill.d.next = self.ram.read_data.val();
            }
        }
        self.i_ready.next = self.fill.q.val() != self.depth.val();
        self.o_valid.next = self.out_valid.q.val();
        self.o_data.next = self.out.q.val();
        if self.rst.val() {
            self.fill.d.next = bits::<C>(0);
            self.write.d.next = bits::<A>(0);
            self.read.d.next = bits::<A>(0);
            self.pending.d.next = false;
            self.out_valid.d.next = false;
            self.spill_valid.d.next = false;
        }
    }
}
