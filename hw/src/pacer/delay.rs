//! A word, some clocks later.
use rust_hdl::prelude::*;

/// `o` is what `i` was `N` clocks ago. It has no reset, so that it can become shift registers in LUTs.
#[derive(LogicBlock)]
pub struct Delay<const W: usize, const N: usize> {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// The word.
    pub i: Signal<In, Bits<W>>,
    /// The word of `N` clocks ago.
    pub o: Signal<Out, Bits<W>>,
    v: [DFF<Bits<W>>; N],
}

impl<const W: usize, const N: usize> Default for Delay<W, N> {
    fn default() -> Self {
        Self { clk: Default::default(), i: Default::default(), o: Default::default(), v: std::array::from_fn(|_| Default::default()) }
    }
}

impl<const W: usize, const N: usize> Logic for Delay<W, N> {
    #[hdl_gen]
    fn update(&mut self) {
        for i in 0..N {
            self.v[i].clock.next = self.clk.val();
        }
        self.v[0].d.next = self.i.val();
        for i in 1..N {
            self.v[i].d.next = self.v[i - 1].q.val();
        }
        // The last assignment counts: a const generic cannot index.
        for i in 0..N {
            self.o.next = self.v[i].q.val();
        }
    }
}
