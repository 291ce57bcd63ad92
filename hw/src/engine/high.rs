//! The decrease above Thigh.
use super::word::ProfileWord;
use crate::num::{S, U};
use rust_hdl::prelude::*;
use timely_regs::profile;

/// `1 - df (beta - beta Thigh / rtt)`, at least 0 or, with the floor, a half.
///
/// A port's number is the clock after the issue at which it holds. beta * Thigh comes normalised; it is shifted by the RTT's leading zeros
/// before it meets the reciprocal, so that no shift stands behind the product.
#[derive(LogicBlock, Default)]
pub struct High {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Profile bus.
    pub bus_5: Signal<In, Bits<43>>,
    /// Profile bus.
    pub bus_7: Signal<In, Bits<43>>,
    /// The operation's profile.
    pub profile_5: Signal<In, Bits<4>>,
    /// The same.
    pub profile_7: Signal<In, Bits<4>>,
    /// How many fewer leading zeros the RTT has than Thigh.
    pub shift_4: Signal<In, Bits<5>>,
    /// The RTT's reciprocal.
    pub reciprocal_7: Signal<In, Bits<29>>,
    /// The delta factor, Q.26.
    pub delta_10: Signal<In, Bits<27>>,
    /// Never below half the old rate.
    pub floor_13: Signal<In, Bit>,
    /// The factor of the rate, Q.26.
    pub factor_14: Signal<Out, Bits<27>>,
    product: ProfileWord<32, { profile::BETA_T_HIGH.word as usize }>,
    beta: ProfileWord<32, { profile::BETA.word as usize }>,
    shift5: DFF<Bits<5>>,
    shift6: DFF<Bits<5>>,
    shifted: Signal<Local, Bits<32>>,
    weight: DFF<Bits<32>>,
    weight_low: Signal<Local, U<17>>,
    weight_high: Signal<Local, U<15>>,
    inverse_low: Signal<Local, U<17>>,
    inverse_high: Signal<Local, U<12>>,
    ll8: DFF<Bits<34>>,
    lh8: DFF<Bits<29>>,
    hl8: DFF<Bits<32>>,
    hh8: DFF<Bits<27>>,
    joined8: Signal<Local, Bits<46>>,
    rounded_beta: Signal<Local, Bits<46>>,
    outer_bits: Signal<Local, Bits<46>>,
    outer: DFF<S<46>>,
    inner: DFF<Bits<33>>,
    inner_signed: Signal<Local, S<34>>,
    sum: Signal<Local, S<46>>,
    sum_bits: Signal<Local, Bits<46>>,
    decrease: DFF<Bits<29>>,
    decrease_low: Signal<Local, U<17>>,
    decrease_high: Signal<Local, S<12>>,
    delta_low: Signal<Local, U<17>>,
    delta_low_signed: Signal<Local, S<18>>,
    delta_high: Signal<Local, U<10>>,
    delta_high_signed: Signal<Local, S<11>>,
    ll11: DFF<Bits<34>>,
    lh11: DFF<Bits<27>>,
    hl11: DFF<S<30>>,
    hh11: DFF<S<23>>,
    hh11_bits: Signal<Local, Bits<23>>,
    lh11_signed: Signal<Local, S<28>>,
    joined11: Signal<Local, S<40>>,
    one: Signal<Local, S<40>>,
    outer12: DFF<S<41>>,
    inner12: DFF<S<31>>,
    difference: Signal<Local, S<42>>,
    difference_bits: Signal<Local, Bits<42>>,
    wide: DFF<Bits<33>>,
    factor: DFF<Bits<27>>,
}

impl Logic for High {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, shift5, shift6, weight, ll8, lh8, hl8, hh8, outer, inner, decrease, ll11, lh11, hl11, hh11);
        dff_setup!(self, clk, outer12, inner12, wide, factor);
        self.product.clk.next = self.clk.val();
        self.product.bus.next = self.bus_5.val();
        self.product.address.next = self.profile_5.val();
        self.beta.clk.next = self.clk.val();
        self.beta.bus.next = self.bus_7.val();
        self.beta.address.next = self.profile_7.val();
        // 4, 5
        self.shift5.d.next = self.shift_4.val();
        self.shift6.d.next = self.shift5.q.val();
        // 6
        self.shifted.next = self.product.data.val() >> self.shift6.q.val();
        self.weight.d.next = self.shifted.val();
        // 7: beta Thigh / rtt, Q.60.
        self.weight_low.next = self.weight.q.val().get_bits::<17>(0).into();
        self.weight_high.next = self.weight.q.val().get_bits::<15>(17).into();
        self.inverse_low.next = self.reciprocal_7.val().get_bits::<17>(0).into();
        self.inverse_high.next = self.reciprocal_7.val().get_bits::<12>(17).into();
        self.ll8.d.next = (self.weight_low.val() * self.inverse_low.val()).into();
        self.lh8.d.next = (self.weight_low.val() * self.inverse_high.val()).into();
        self.hl8.d.next = (self.weight_high.val() * self.inverse_low.val()).into();
        self.hh8.d.next = (self.weight_high.val() * self.inverse_high.val()).into();
        // 8: Q.43; half a unit of Q.26 for the rounding.
        self.joined8.next = (bit_cast::<46, 27>(self.hh8.q.val()) << 17) | bit_cast::<46, 17>(self.ll8.q.val().get_bits::<17>(17));
        self.rounded_beta.next = (bit_cast::<46, 32>(self.beta.data.val()) << 12) + bits::<46>(65536);
        self.outer_bits.next = self.rounded_beta.val() - self.joined8.val();
        self.outer.d.next = self.outer_bits.val().into();
        self.inner.d.next = bit_cast::<33, 29>(self.lh8.q.val()) + bit_cast::<33, 32>(self.hl8.q.val());
        // 9: beta - beta Thigh / rtt, Q.26.
        self.inner_signed.next = bit_cast::<34, 33>(self.inner.q.val()).into();
        self.sum.next = (self.outer.q.val() - self.inner_signed.val()).into();
        self.sum_bits.next = self.sum.val().into();
        self.decrease.d.next = self.sum_bits.val().get_bits::<29>(17);
        // 10: times the delta factor.
        self.decrease_low.next = self.decrease.q.val().get_bits::<17>(0).into();
        self.decrease_high.next = self.decrease.q.val().get_bits::<12>(17).into();
        self.delta_low.next = self.delta_10.val().get_bits::<17>(0).into();
        self.delta_low_signed.next = bit_cast::<18, 17>(self.delta_10.val().get_bits::<17>(0)).into();
        self.delta_high.next = self.delta_10.val().get_bits::<10>(17).into();
        self.delta_high_signed.next = bit_cast::<11, 10>(self.delta_10.val().get_bits::<10>(17)).into();
        self.ll11.d.next = (self.decrease_low.val() * self.delta_low.val()).into();
        self.lh11.d.next = (self.decrease_low.val() * self.delta_high.val()).into();
        self.hl11.d.next = (self.decrease_high.val() * self.delta_low_signed.val()).into();
        self.hh11.d.next = (self.decrease_high.val() * self.delta_high_signed.val()).into();
        // 11: 1 and half a unit of Q.26, in Q.35.
        self.hh11_bits.next = self.hh11.q.val().into();
        self.joined11.next =
            ((bit_cast::<40, 23>(self.hh11_bits.val()) << 17) | bit_cast::<40, 17>(self.ll11.q.val().get_bits::<17>(17))).into();
        self.one.next = ((bits::<40>(1) << 35) | (bits::<40>(1) << 8)).into();
        self.outer12.d.next = (self.one.val() - self.joined11.val()).into();
        self.lh11_signed.next = bit_cast::<28, 27>(self.lh11.q.val()).into();
        self.inner12.d.next = (self.lh11_signed.val() + self.hl11.q.val()).into();
        // 12
        self.difference.next = (self.outer12.q.val() - self.inner12.q.val()).into();
        self.difference_bits.next = self.difference.val().into();
        self.wide.d.next = self.difference_bits.val().get_bits::<33>(9);
        // 13: into its range.
        self.factor.d.next = self.wide.q.val().get_bits::<27>(0);
        if self.wide.q.val().get_bit(32) {
            self.factor.d.next = bits::<27>(0);
        } else if self.wide.q.val().get_bits::<6>(26).any() {
            self.factor.d.next = bits::<27>(67108864);
        }
        if self.floor_13.val() & (self.wide.q.val().get_bit(32) | !self.wide.q.val().get_bits::<7>(25).any()) {
            self.factor.d.next = bits::<27>(33554432);
        }
        self.factor_14.next = self.factor.q.val();
    }
}
