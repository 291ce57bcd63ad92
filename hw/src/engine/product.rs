//! The product that most numbers of the engine are made by.
use crate::num::{S, U};
use rust_hdl::prelude::*;

/// `a b`, without the product of their low 15 bits, in units of 2^15, and an addend; three multipliers (`timely_model::engine::parts::upper`).
///
/// A port's number is the clock after the operands at which it holds; the operands are registers of this product alone. Throughput: one a
/// clock. `total_2` is a sum of registers, for the reader to register.
#[derive(LogicBlock, Default)]
pub struct Product {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Signed.
    pub a_0: Signal<In, Bits<33>>,
    /// Unsigned.
    pub b_0: Signal<In, Bits<32>>,
    /// Signed.
    pub addend_1: Signal<In, Bits<58>>,
    /// Signed.
    pub total_2: Signal<Out, Bits<58>>,
    a_high: Signal<Local, S<18>>,
    a_low: Signal<Local, U<15>>,
    b_high: Signal<Local, U<17>>,
    b_high_signed: Signal<Local, S<18>>,
    b_low_signed: Signal<Local, S<16>>,
    hh: DFF<S<36>>,
    hl: DFF<S<34>>,
    lh: DFF<Bits<32>>,
    hh_bits: Signal<Local, Bits<36>>,
    hh_shifted: Signal<Local, S<51>>,
    lh_signed: Signal<Local, S<33>>,
    addend: Signal<Local, S<58>>,
    outer: DFF<S<58>>,
    inner: DFF<S<35>>,
    total: Signal<Local, S<58>>,
}

impl Logic for Product {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, hh, hl, lh, outer, inner);
        // 0
        self.a_high.next = self.a_0.val().get_bits::<18>(15).into();
        self.a_low.next = self.a_0.val().get_bits::<15>(0).into();
        self.b_high.next = self.b_0.val().get_bits::<17>(15).into();
        self.b_high_signed.next = bit_cast::<18, 17>(self.b_0.val().get_bits::<17>(15)).into();
        self.b_low_signed.next = bit_cast::<16, 15>(self.b_0.val().get_bits::<15>(0)).into();
        self.hh.d.next = (self.a_high.val() * self.b_high_signed.val()).into();
        self.hl.d.next = (self.a_high.val() * self.b_low_signed.val()).into();
        self.lh.d.next = (self.a_low.val() * self.b_high.val()).into();
        // 1
        self.hh_bits.next = self.hh.q.val().into();
        self.hh_shifted.next = (bit_cast::<51, 36>(self.hh_bits.val()) << 15).into();
        self.addend.next = self.addend_1.val().into();
        self.outer.d.next = (self.hh_shifted.val() + self.addend.val()).into();
        self.lh_signed.next = bit_cast::<33, 32>(self.lh.q.val()).into();
        self.inner.d.next = (self.lh_signed.val() + self.hl.q.val()).into();
        // 2
        self.total.next = (self.outer.q.val() + self.inner.q.val()).into();
        self.total_2.next = self.total.val().into();
    }
}
