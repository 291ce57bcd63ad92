//! The product that most numbers of the engine are made by.
use crate::construct::construct;
use crate::num::{S, U};
use rust_hdl::prelude::*;

/// The limbs of `a b` in units of 2^15, without the product of their low 15 bits; three multipliers
/// (`timely_model::engine::parts::limbs`).
///
/// A port's number is the clock after the operands at which it holds. They are registers in here:
/// each that two multipliers take has a copy for the second, which a reset keeps apart, so that all
/// can stand beside what they feed. Throughput: one a clock. The sum of the lower limbs has no bits
/// below 2^K; it has 2^K more than they, by a carry.
#[derive(LogicBlock)]
pub struct Limbs<const K: usize> {
    pub clk: Signal<In, Clock>,
    /// Synchronous reset, active high, of nothing but the copies.
    pub rst: Signal<In, Bit>,
    /// Next value of the first operand's register, signed.
    pub a_next: Signal<In, Bits<33>>,
    /// Next value of the second operand's register, unsigned.
    pub b_next: Signal<In, Bits<32>>,
    /// The upper limb, signed, in units of 2^15.
    pub upper_1: Signal<Out, Bits<36>>,
    /// Sum of the lower ones, signed.
    pub lower_2: Signal<Out, Bits<35>>,
    a: DFF<Bits<33>>,
    a_again: DFF<Bits<18>>,
    b: DFF<Bits<32>>,
    b_again: DFF<Bits<17>>,
    a_high: Signal<Local, S<18>>,
    a_high_again: Signal<Local, S<18>>,
    a_low: Signal<Local, U<15>>,
    b_high: Signal<Local, U<17>>,
    b_high_signed: Signal<Local, S<18>>,
    b_low_signed: Signal<Local, S<16>>,
    hh: DFF<S<36>>,
    hl: DFF<S<34>>,
    lh: DFF<Bits<32>>,
    /// The bits from K on, and the one below, of which two make the carry.
    kept: Constant<Bits<34>>,
    carry: Constant<Bits<34>>,
    hl_bits: Signal<Local, Bits<34>>,
    hl_cut: Signal<Local, S<34>>,
    lh_cut: Signal<Local, S<34>>,
    lower: DFF<S<35>>,
}

impl<const K: usize> Default for Limbs<K> {
    fn default() -> Self {
        assert!((1..32).contains(&K), "lower limbs lose 1 to 31 bits, not {K}");
        let kept = ((1u64 << 34) - 1) >> K << K;
        construct!({ kept: Constant::new(kept.into()), carry: Constant::new((1u64 << (K - 1)).into()) }
            clk, rst, a_next, b_next, upper_1, lower_2, a, a_again, b, b_again, a_high, a_high_again, a_low, b_high, b_high_signed, b_low_signed, hh, hl, lh, hl_bits, hl_cut, lh_cut, lower)
    }
}

impl<const K: usize> Logic for Limbs<K> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, a, a_again, b, b_again, hh, hl, lh, lower);
        self.a.d.next = self.a_next.val();
        self.a_again.d.next = self.a_next.val().get_bits::<18>(15);
        self.b.d.next = self.b_next.val();
        self.b_again.d.next = self.b_next.val().get_bits::<17>(15);
        // 0
        self.a_high.next = self.a.q.val().get_bits::<18>(15).into();
        self.a_high_again.next = self.a_again.q.val().into();
        self.a_low.next = self.a.q.val().get_bits::<15>(0).into();
        self.b_high.next = self.b_again.q.val().into();
        self.b_high_signed.next = bit_cast::<18, 17>(self.b.q.val().get_bits::<17>(15)).into();
        self.b_low_signed.next = bit_cast::<16, 15>(self.b.q.val().get_bits::<15>(0)).into();
        self.hh.d.next = (self.a_high.val() * self.b_high_signed.val()).into();
        self.hl.d.next = (self.a_high_again.val() * self.b_low_signed.val()).into();
        self.lh.d.next = (self.a_low.val() * self.b_high.val()).into();
        // 1
        self.upper_1.next = self.hh.q.val().into();
        self.hl_bits.next = self.hl.q.val().into();
        self.hl_cut.next = ((self.hl_bits.val() & self.kept.val()) | self.carry.val()).into();
        self.lh_cut.next = ((bit_cast::<34, 32>(self.lh.q.val()) & self.kept.val()) | self.carry.val()).into();
        self.lower.d.next = (self.lh_cut.val() + self.hl_cut.val()).into();
        // 2
        self.lower_2.next = self.lower.q.val().into();
        if self.rst.val() {
            self.a_again.d.next = bits::<18>(0);
            self.b_again.d.next = bits::<17>(0);
        }
    }
}

/// `a b` in units of 2^15, of which the bits below 2^K are lost, and two units of 2^K more, and M:
/// `timely_model::engine::parts::upper`.
///
/// Ports as those of [`Limbs`]. `total_2` is a sum of registers, for the reader to register.
#[derive(LogicBlock)]
pub struct Product<const K: usize, const M: usize> {
    pub clk: Signal<In, Clock>,
    /// Synchronous reset, active high, of nothing but copies.
    pub rst: Signal<In, Bit>,
    /// Next value of the first operand's register, signed.
    pub a_next: Signal<In, Bits<33>>,
    /// Next value of the second operand's register, unsigned.
    pub b_next: Signal<In, Bits<32>>,
    /// Signed.
    pub total_2: Signal<Out, Bits<52>>,
    limbs: Limbs<K>,
    upper: DFF<Bits<36>>,
    more: Constant<Bits<51>>,
    kept: Constant<Bits<51>>,
    upper_cut: Signal<Local, S<51>>,
    lower_cut: Signal<Local, S<35>>,
    lower: Signal<Local, Bits<35>>,
    carry: Constant<Bits<35>>,
    total: Signal<Local, S<52>>,
}

impl<const K: usize, const M: usize> Default for Product<K, M> {
    fn default() -> Self {
        assert!(M < 1 << 15 && M.is_multiple_of(1 << K.min(15)), "what is more stands where the upper limb has no bits");
        let kept = ((1u64 << 51) - 1) >> K << K;
        construct!({
            more: Constant::new((1u64 << (K - 1) | M as u64).into()),
            kept: Constant::new(kept.into()),
            carry: Constant::new((1u64 << (K - 1)).into()),
        } clk, rst, a_next, b_next, total_2, limbs, upper, upper_cut, lower_cut, lower, total)
    }
}

impl<const K: usize, const M: usize> Logic for Product<K, M> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, upper);
        self.limbs.clk.next = self.clk.val();
        self.limbs.rst.next = self.rst.val();
        self.limbs.a_next.next = self.a_next.val();
        self.limbs.b_next.next = self.b_next.val();
        // 1
        self.upper.d.next = self.limbs.upper_1.val();
        // 2
        self.upper_cut.next = (((bit_cast::<51, 36>(self.upper.q.val()) << 15) & self.kept.val()) | self.more.val()).into();
        self.lower.next = self.limbs.lower_2.val() | self.carry.val();
        self.lower_cut.next = self.lower.val().into();
        self.total.next = (self.upper_cut.val() + self.lower_cut.val()).into();
        self.total_2.next = self.total.val().into();
    }
}
