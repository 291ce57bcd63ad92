//! A long delay in a small RAM.
use crate::construct::construct;
use rust_hdl::prelude::*;

/// `out` is `data` of `D` clocks ago, `D` from 2 to 31; what was before the first clocks is undefined.
#[derive(LogicBlock)]
pub struct Ring<const W: usize, const D: usize> {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// What comes in.
    pub data: Signal<In, Bits<W>>,
    /// What came in.
    pub out: Signal<Out, Bits<W>>,
    ram: RAM<Bits<W>, 5>,
    count: DFF<Bits<5>>,
    back: Constant<Bits<5>>,
}

impl<const W: usize, const D: usize> Default for Ring<W, D> {
    fn default() -> Self {
        assert!((2..32).contains(&D), "a ring delays by 2 to 31 clocks, not {D}");
        construct!({ back: Constant::new((D as u64 - 1).into()) } clk, data, out, ram, count)
    }
}

impl<const W: usize, const D: usize> Logic for Ring<W, D> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, count);
        self.ram.read_clock.next = self.clk.val();
        self.ram.write_clock.next = self.clk.val();
        self.count.d.next = self.count.q.val() + bits::<5>(1);
        self.ram.write_address.next = self.count.q.val();
        self.ram.write_data.next = self.data.val();
        self.ram.write_enable.next = true;
        self.ram.read_address.next = self.count.q.val() - self.back.val();
        self.out.next = self.ram.read_data.val();
    }
}
