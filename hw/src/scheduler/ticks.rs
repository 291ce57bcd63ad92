//! The scheduler's own time.
#![allow(missing_docs, reason = "a group of ports has one comment")]
use rust_hdl::prelude::*;

/// A count of clocks in ns48.fns16: each adds `increment`, ns in Q8.24. It is 0 for two clocks
/// after reset. Model: `timely_model::scheduler::ticks::Ticks`.
#[derive(LogicBlock, Default)]
pub struct Ticks {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    /// ns that a clock adds, Q8.24.
    pub increment: Signal<In, Bits<32>>,
    /// The time.
    pub now: Signal<Out, Bits<64>>,
    low: DFF<Bits<40>>,
    carry: DFF<Bit>,
    behind: DFF<Bits<40>>,
    high: DFF<Bits<32>>,
    sum: Signal<Local, Bits<41>>,
}

impl Logic for Ticks {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, low, carry, behind, high);
        self.sum.next = bit_cast::<41, 40>(self.low.q.val()) + bit_cast::<41, 32>(self.increment.val());
        self.low.d.next = self.sum.val().get_bits::<40>(0);
        self.carry.d.next = self.sum.val().get_bit(40);
        self.behind.d.next = self.low.q.val();
        if self.carry.q.val() {
            self.high.d.next = self.high.q.val() + bits::<32>(1);
        }
        self.now.next = bit_cast::<64, 32>(self.behind.q.val().get_bits::<32>(8)) | (bit_cast::<64, 32>(self.high.q.val()) << 32);
        if self.rst.val() {
            self.low.d.next = bits::<40>(0);
            self.carry.d.next = false;
            self.behind.d.next = bits::<40>(0);
            self.high.d.next = bits::<32>(0);
        }
    }
}
