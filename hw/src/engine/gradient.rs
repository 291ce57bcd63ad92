//! The decrease by the gradient.
use super::word::ProfileWord;
use crate::num::{S, U};
use rust_hdl::prelude::*;
use timely_regs::profile;

/// `1 - beta average / minRTT` of a positive average, at least 0 or, with the floor, a half.
///
/// A port's number is the clock after the issue at which it holds. The average is shifted so that minRTT / beta would fill 24 bits, then
/// multiplied by the mantissa of beta / minRTT; from minRTT / beta on nothing is left.
#[derive(LogicBlock, Default)]
pub struct Gradient {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Profile bus.
    pub bus_8: Signal<In, Bits<43>>,
    /// The operation's profile.
    pub profile_8: Signal<In, Bits<4>>,
    /// Smoothed difference, 2^-13 ns.
    pub average_9: Signal<In, Bits<38>>,
    /// Never below half the old rate.
    pub floor_13: Signal<In, Bit>,
    /// The factor of the rate, Q.26.
    pub factor_14: Signal<Out, Bits<27>>,
    full: ProfileWord<25, { profile::GRADIENT_FULL.word as usize }>,
    gain: ProfileWord<32, { profile::GRADIENT_GAIN.word as usize }>,
    shifted: Signal<Local, Bits<37>>,
    normal: DFF<Bits<31>>,
    mantissa: DFF<Bits<26>>,
    full10: DFF<Bit>,
    full11: DFF<Bit>,
    full12: DFF<Bit>,
    full13: DFF<Bit>,
    normal_low: Signal<Local, U<17>>,
    normal_high: Signal<Local, U<14>>,
    mantissa_low: Signal<Local, U<17>>,
    mantissa_high: Signal<Local, U<9>>,
    ll: DFF<Bits<34>>,
    lh: DFF<Bits<26>>,
    hl: DFF<Bits<31>>,
    hh: DFF<Bits<23>>,
    joined: Signal<Local, Bits<42>>,
    outer_bits: Signal<Local, Bits<42>>,
    outer: DFF<S<42>>,
    inner: DFF<Bits<32>>,
    inner_signed: Signal<Local, S<33>>,
    difference: Signal<Local, S<42>>,
    difference_bits: Signal<Local, Bits<42>>,
    wide: DFF<Bits<29>>,
    factor: DFF<Bits<27>>,
}

impl Logic for Gradient {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, normal, mantissa, full10, full11, full12, full13, ll, lh, hl, hh, outer, inner, wide, factor);
        self.full.clk.next = self.clk.val();
        self.full.bus.next = self.bus_8.val();
        self.full.address.next = self.profile_8.val();
        self.gain.clk.next = self.clk.val();
        self.gain.bus.next = self.bus_8.val();
        self.gain.address.next = self.profile_8.val();
        // 9
        self.full10.d.next = bit_cast::<25, 24>(self.average_9.val().get_bits::<24>(13)) >= self.full.data.val();
        self.shifted.next = self.average_9.val().get_bits::<37>(0) << self.gain.data.val().get_bits::<4>(28);
        self.normal.d.next = self.shifted.val().get_bits::<31>(6);
        self.mantissa.d.next = self.gain.data.val().get_bits::<26>(0);
        // 10
        self.normal_low.next = self.normal.q.val().get_bits::<17>(0).into();
        self.normal_high.next = self.normal.q.val().get_bits::<14>(17).into();
        self.mantissa_low.next = self.mantissa.q.val().get_bits::<17>(0).into();
        self.mantissa_high.next = self.mantissa.q.val().get_bits::<9>(17).into();
        self.ll.d.next = (self.normal_low.val() * self.mantissa_low.val()).into();
        self.lh.d.next = (self.normal_low.val() * self.mantissa_high.val()).into();
        self.hl.d.next = (self.normal_high.val() * self.mantissa_low.val()).into();
        self.hh.d.next = (self.normal_high.val() * self.mantissa_high.val()).into();
        self.full11.d.next = self.full10.q.val();
        // 11: 1 and half a unit of Q.26, in Q.39.
        self.joined.next = (bit_cast::<42, 23>(self.hh.q.val()) << 17) | bit_cast::<42, 17>(self.ll.q.val().get_bits::<17>(17));
        self.outer_bits.next = ((bits::<42>(1) << 39) | (bits::<42>(1) << 12)) - self.joined.val();
        self.outer.d.next = self.outer_bits.val().into();
        self.inner.d.next = bit_cast::<32, 26>(self.lh.q.val()) + bit_cast::<32, 31>(self.hl.q.val());
        self.full12.d.next = self.full11.q.val();
        // 12
        self.inner_signed.next = bit_cast::<33, 32>(self.inner.q.val()).into();
        self.difference.next = (self.outer.q.val() - self.inner_signed.val()).into();
        self.difference_bits.next = self.difference.val().into();
        self.wide.d.next = self.difference_bits.val().get_bits::<29>(13);
        self.full13.d.next = self.full12.q.val();
        // 13: into its range; it cannot be above 1.
        self.factor.d.next = self.wide.q.val().get_bits::<27>(0);
        if self.full13.q.val() | self.wide.q.val().get_bit(28) {
            self.factor.d.next = bits::<27>(0);
        }
        if self.floor_13.val() & (self.full13.q.val() | self.wide.q.val().get_bit(28) | !self.wide.q.val().get_bits::<3>(25).any()) {
            self.factor.d.next = bits::<27>(33554432);
        }
        self.factor_14.next = self.factor.q.val();
    }
}
