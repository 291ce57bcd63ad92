//! A word, some clocks later: in shift registers, in flip-flops, or in block RAM.
//!
//! UltraScale+ has two flip-flops for each LUT, and a shift register of up to 32 clocks takes a LUT
//! a bit: a narrow or a long delay is a `Delay`, a wide one of a few clocks `Stages`, a wide and
//! long one a `Ring`.
#![allow(missing_docs, reason = "a group of ports has one comment")]
use crate::array::Array;
use crate::constant::Const;
use crate::ram::ApartRam;
use rust_hdl::prelude::*;

/// `o` is what `i` was `N` clocks ago. It has no reset, so that it can become shift registers in
/// LUTs.
#[derive(LogicBlock, Default)]
pub struct Delay<const W: usize, const N: usize> {
    pub clk: Signal<In, Clock>,
    /// The word.
    pub i: Signal<In, Bits<W>>,
    /// The word of `N` clocks ago.
    pub o: Signal<Out, Bits<W>>,
    v: Array<DFF<Bits<W>>, N>,
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

/// `o` is what `i` was `N` clocks ago. It has a reset, so that it stays in flip-flops.
#[derive(LogicBlock, Default)]
pub struct Stages<const W: usize, const N: usize> {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    /// The word.
    pub i: Signal<In, Bits<W>>,
    /// The word of `N` clocks ago.
    pub o: Signal<Out, Bits<W>>,
    v: Array<DFF<Bits<W>>, N>,
}

impl<const W: usize, const N: usize> Logic for Stages<W, N> {
    #[hdl_gen]
    fn update(&mut self) {
        for i in 0..N {
            self.v[i].clock.next = self.clk.val();
        }
        self.v[0].d.next = self.i.val();
        for i in 1..N {
            self.v[i].d.next = self.v[i - 1].q.val();
        }
        for i in 0..N {
            self.o.next = self.v[i].q.val();
        }
        if self.rst.val() {
            for i in 0..N {
                self.v[i].d.next = bits::<W>(0);
            }
        }
    }
}

/// `o` is what `i` was `N` clocks ago, 3 at least: block RAM of 512 words, written at `at`, read
/// behind it. Rings can share the counter.
#[derive(LogicBlock)]
pub struct Ring<T: Synth, const N: usize> {
    pub clk: Signal<In, Clock>,
    /// The number of the clock, modulo 512.
    pub at: Signal<In, Bits<9>>,
    /// The word.
    pub i: Signal<In, T>,
    /// The word of `N` clocks ago.
    pub o: Signal<Out, T>,
    /// (What is read was written a clock ago at least.)
    ram: ApartRam<T, 9>,
    /// A clock to know the address, one to read, one to capture.
    behind: Const<Bits<9>>,
    read: DFF<Bits<9>>,
    raw: DFF<T>,
}

impl<T: Synth, const N: usize> Default for Ring<T, N> {
    fn default() -> Self {
        assert!((3..512).contains(&N), "a ring delays by 3 to 511 clocks, not by {N}");
        let behind = Const::new(bits::<9>(N as u64 - 3));
        Self {
            behind,
            clk: Default::default(),
            at: Default::default(),
            i: Default::default(),
            o: Default::default(),
            ram: Default::default(),
            read: Default::default(),
            raw: Default::default(),
        }
    }
}

impl<T: Synth, const N: usize> Logic for Ring<T, N> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, read, raw);
        self.ram.read_clock.next = self.clk.val();
        self.ram.write_clock.next = self.clk.val();
        self.ram.write_enable.next = true;
        self.ram.write_address.next = self.at.val();
        self.ram.write_data.next = self.i.val();
        self.read.d.next = self.at.val() - self.behind.val();
        self.ram.read_address.next = self.read.q.val();
        self.raw.d.next = self.ram.read_data.val();
        self.o.next = self.raw.q.val();
    }
}
