//! The product that most numbers of the engine are made by.
use crate::construct::construct;
use crate::num::{S, U};
use rust_hdl::prelude::*;

/// The limbs of `a b` in units of 2^15, without the product of their low 15 bits; three multipliers (`timely_model::engine::parts::limbs`).
///
/// A port's number is the clock after the operands at which it holds; the operands are registers of this product alone, and what two
/// multipliers take comes twice, so that it can be two registers. Throughput: one a clock. The sum of the lower limbs has no bits below
/// 2^K; it has 2^K more than they, by a carry.
#[derive(LogicBlock)]
pub struct Limbs<const K: usize> {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Signed.
    pub a_0: Signal<In, Bits<33>>,
    /// Its upper bits, again.
    pub a_high_0: Signal<In, Bits<18>>,
    /// Unsigned.
    pub b_0: Signal<In, Bits<32>>,
    /// Its upper bits, again.
    pub b_high_0: Signal<In, Bits<17>>,
    /// The upper limb, signed, in units of 2^15.
    pub upper_1: Signal<Out, Bits<36>>,
    /// Sum of the lower ones, signed, for the reader to register.
    pub lower_1: Signal<Out, Bits<35>>,
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
    lower: Signal<Local, S<35>>,
}

impl<const K: usize> Default for Limbs<K> {
    fn default() -> Self {
        assert!((1..32).contains(&K), "lower limbs lose 1 to 31 bits, not {K}");
        let kept = ((1u64 << 34) - 1) >> K << K;
        construct!({ kept: Constant::new(kept.into()), carry: Constant::new((1u64 << (K - 1)).into()) }
            clk, a_0, a_high_0, b_0, b_high_0, upper_1, lower_1, a_high, a_high_again, a_low, b_high, b_high_signed, b_low_signed, hh, hl, lh, hl_bits, hl_cut, lh_cut, lower)
    }
}

impl<const K: usize> Logic for Limbs<K> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, hh, hl, lh);
        // 0
        self.a_high.next = self.a_0.val().get_bits::<18>(15).into();
        self.a_high_again.next = self.a_high_0.val().into();
        self.a_low.next = self.a_0.val().get_bits::<15>(0).into();
        self.b_high.next = self.b_high_0.val().into();
        self.b_high_signed.next = bit_cast::<18, 17>(self.b_0.val().get_bits::<17>(15)).into();
        self.b_low_signed.next = bit_cast::<16, 15>(self.b_0.val().get_bits::<15>(0)).into();
        self.hh.d.next = (self.a_high.val() * self.b_high_signed.val()).into();
        self.hl.d.next = (self.a_high_again.val() * self.b_low_signed.val()).into();
        self.lh.d.next = (self.a_low.val() * self.b_high.val()).into();
        // 1
        self.upper_1.next = self.hh.q.val().into();
        self.hl_bits.next = self.hl.q.val().into();
        self.hl_cut.next = ((self.hl_bits.val() & self.kept.val()) | self.carry.val()).into();
        self.lh_cut.next = ((bit_cast::<34, 32>(self.lh.q.val()) & self.kept.val()) | self.carry.val()).into();
        self.lower.next = (self.lh_cut.val() + self.hl_cut.val()).into();
        self.lower_1.next = self.lower.val().into();
    }
}

/// `a b` in units of 2^15, of which the bits below 2^K are lost, and two units of 2^K more, and M: `timely_model::engine::parts::upper`.
///
/// Ports as those of [`Limbs`], but the operands are registers in here. `total_2` is a sum of registers, for the reader to register.
#[derive(LogicBlock)]
pub struct Product<const K: usize, const M: usize> {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// What the first operand becomes, signed.
    pub a_next: Signal<In, Bits<33>>,
    /// What the second becomes, unsigned.
    pub b_next: Signal<In, Bits<32>>,
    /// Signed.
    pub total_2: Signal<Out, Bits<52>>,
    a: DFF<Bits<33>>,
    b: DFF<Bits<32>>,
    limbs: Limbs<K>,
    upper: DFF<Bits<36>>,
    sum: DFF<Bits<35>>,
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
        } clk, a_next, b_next, total_2, a, b, limbs, upper, sum, upper_cut, lower_cut, lower, total)
    }
}

impl<const K: usize, const M: usize> Logic for Product<K, M> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, a, b, upper, sum);
        self.a.d.next = self.a_next.val();
        self.b.d.next = self.b_next.val();
        // 0
        self.limbs.clk.next = self.clk.val();
        self.limbs.a_0.next = self.a.q.val();
        self.limbs.a_high_0.next = self.a.q.val().get_bits::<18>(15);
        self.limbs.b_0.next = self.b.q.val();
        self.limbs.b_high_0.next = self.b.q.val().get_bits::<17>(15);
        // 1
        self.upper.d.next = self.limbs.upper_1.val();
        self.sum.d.next = self.limbs.lower_1.val();
        // 2
        self.upper_cut.next = (((bit_cast::<51, 36>(self.upper.q.val()) << 15) & self.kept.val()) | self.more.val()).into();
        self.lower.next = self.sum.q.val() | self.carry.val();
        self.lower_cut.next = self.lower.val().into();
        self.total.next = (self.upper_cut.val() + self.lower_cut.val()).into();
        self.total_2.next = self.total.val().into();
    }
}

/// As [`Product`] and as fast, for operands that are made late in their clock: a register more takes them to their multipliers, one for each
/// where two take a limb, and both sums are made in one clock.
#[derive(LogicBlock)]
pub struct LateProduct<const K: usize, const M: usize> {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset, active high, of nothing but copies.
    pub rst: Signal<In, Bit>,
    /// What the first operand becomes, signed.
    pub a_next: Signal<In, Bits<33>>,
    /// What the second becomes, unsigned.
    pub b_next: Signal<In, Bits<32>>,
    /// Signed.
    pub total_2: Signal<Out, Bits<52>>,
    a: DFF<Bits<33>>,
    b: DFF<Bits<32>>,
    a0: DFF<Bits<33>>,
    a0_high: DFF<Bits<18>>,
    b0: DFF<Bits<32>>,
    b0_high: DFF<Bits<17>>,
    limbs: Limbs<K>,
    more: Constant<Bits<51>>,
    kept: Constant<Bits<51>>,
    carry: Constant<Bits<35>>,
    lower: Signal<Local, Bits<35>>,
    upper_cut: Signal<Local, S<51>>,
    lower_cut: Signal<Local, S<35>>,
    total: Signal<Local, S<52>>,
}

impl<const K: usize, const M: usize> Default for LateProduct<K, M> {
    fn default() -> Self {
        assert!(M < 1 << 15 && M.is_multiple_of(1 << K.min(15)), "what is more stands where the upper limb has no bits");
        let kept = ((1u64 << 51) - 1) >> K << K;
        construct!({
            more: Constant::new((1u64 << (K - 1) | M as u64).into()),
            kept: Constant::new(kept.into()),
            carry: Constant::new((1u64 << (K - 1)).into()),
        } clk, rst, a_next, b_next, total_2, a, b, a0, a0_high, b0, b0_high, limbs, lower, upper_cut, lower_cut, total)
    }
}

impl<const K: usize, const M: usize> Logic for LateProduct<K, M> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, a, b, a0, a0_high, b0, b0_high);
        self.a.d.next = self.a_next.val();
        self.b.d.next = self.b_next.val();
        // 0
        self.limbs.clk.next = self.clk.val();
        self.a0.d.next = self.a.q.val();
        self.a0_high.d.next = self.a.q.val().get_bits::<18>(15);
        self.b0.d.next = self.b.q.val();
        self.b0_high.d.next = self.b.q.val().get_bits::<17>(15);
        // 1
        self.limbs.a_0.next = self.a0.q.val();
        self.limbs.a_high_0.next = self.a0_high.q.val();
        self.limbs.b_0.next = self.b0.q.val();
        self.limbs.b_high_0.next = self.b0_high.q.val();
        // 2
        self.lower.next = self.limbs.lower_1.val() | self.carry.val();
        self.lower_cut.next = self.lower.val().into();
        self.upper_cut.next = (((bit_cast::<51, 36>(self.limbs.upper_1.val()) << 15) & self.kept.val()) | self.more.val()).into();
        self.total.next = (self.upper_cut.val() + self.lower_cut.val()).into();
        self.total_2.next = self.total.val().into();
        if self.rst.val() {
            self.a0_high.d.next = bits::<18>(0);
            self.b0_high.d.next = bits::<17>(0);
        }
    }
}
