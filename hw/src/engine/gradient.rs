//! The decrease by the gradient, Patched TIMELY's weight, Swift's decrease by the endpoint's delay.
use super::product::Product;
use super::word::ProfileWord;
use crate::num::S;
use rust_hdl::prelude::*;
use timely_regs::profile;

/// One product for the three of them, by the law, within 0 to 1 or the greatest decrease.
///
/// A port's number is the clock after the issue at which it holds. The average is shifted so that minRTT / beta (Patched: minRTT / 4) would
/// fill 24 bits, then multiplied by the mantissa of the inverse; from there on it counts as 1. For Swift beta times the endpoint's target
/// meets the reciprocal of the endpoint's delay.
#[derive(LogicBlock, Default)]
pub struct Gradient {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Profile bus.
    pub bus_7: Signal<In, Bits<43>>,
    /// Profile bus.
    pub bus_9: Signal<In, Bits<43>>,
    /// Profile bus.
    pub bus_12: Signal<In, Bits<43>>,
    /// The operation's profile.
    pub profile_7: Signal<In, Bits<4>>,
    /// The same.
    pub profile_9: Signal<In, Bits<4>>,
    /// The same.
    pub profile_12: Signal<In, Bits<4>>,
    /// Smoothed difference, 2^-13 ns, signed.
    pub average_8: Signal<In, Bits<38>>,
    /// beta times the endpoint's target as the reciprocal takes it.
    pub threshold_8: Signal<In, Bits<32>>,
    /// Reciprocal of the endpoint's delay.
    pub reciprocal_8: Signal<In, Bits<29>>,
    /// The law is Swift.
    pub swift_8: Signal<In, Bit>,
    /// The same.
    pub swift_12: Signal<In, Bit>,
    /// The same.
    pub swift_13: Signal<In, Bit>,
    /// The law is Patched or PI.
    pub patched_13: Signal<In, Bit>,
    /// The endpoint's delay is above its target.
    pub over_13: Signal<In, Bit>,
    /// Decrease or weight, Q.26.
    pub weight_14: Signal<Out, Bits<27>>,
    /// The greatest decrease, Q.26.
    pub most_14: Signal<Out, Bits<27>>,
    full: ProfileWord<25, { profile::GRADIENT_FULL.word as usize }>,
    gain: ProfileWord<32, { profile::GRADIENT_GAIN.word as usize }>,
    beta: ProfileWord<32, { profile::BETA.word as usize }>,
    most: ProfileWord<27, { profile::MAX_DECREASE.word as usize }>,
    product: Product,
    magnitude: Signal<Local, Bits<38>>,
    shifted: Signal<Local, Bits<38>>,
    a9: DFF<Bits<33>>,
    b9: DFF<Bits<32>>,
    // The first hold 9 clocks after the issue.
    full9: [DFF<Bit>; 5],
    negative9: [DFF<Bit>; 5],
    rounded: Signal<Local, Bits<33>>,
    beta11: DFF<Bits<28>>,
    beta12: DFF<Bits<28>>,
    value: DFF<S<28>>,
    value13: DFF<S<28>>,
    one: Signal<Local, S<28>>,
    whole: Signal<Local, S<29>>,
    other: DFF<S<29>>,
    value_bits: Signal<Local, Bits<28>>,
    other_bits: Signal<Local, Bits<29>>,
    beta_signed: Signal<Local, S<29>>,
    left: Signal<Local, S<29>>,
    weight: DFF<Bits<27>>,
    most14: DFF<Bits<27>>,
}

impl Logic for Gradient {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, a9, b9, beta11, beta12, value, value13, other, weight, most14);
        for i in 0..5 {
            self.full9[i].clock.next = self.clk.val();
            self.negative9[i].clock.next = self.clk.val();
        }
        self.product.clk.next = self.clk.val();
        self.full.clk.next = self.clk.val();
        self.full.bus.next = self.bus_7.val();
        self.full.address.next = self.profile_7.val();
        self.gain.clk.next = self.clk.val();
        self.gain.bus.next = self.bus_7.val();
        self.gain.address.next = self.profile_7.val();
        self.beta.clk.next = self.clk.val();
        self.beta.bus.next = self.bus_9.val();
        self.beta.address.next = self.profile_9.val();
        self.most.clk.next = self.clk.val();
        self.most.bus.next = self.bus_12.val();
        self.most.address.next = self.profile_12.val();
        // 8
        self.magnitude.next = self.average_8.val();
        if self.average_8.val().get_bit(37) {
            self.magnitude.next = !self.average_8.val();
        }
        self.full9[0].d.next = bit_cast::<25, 24>(self.magnitude.val().get_bits::<24>(13)) >= self.full.data.val();
        self.negative9[0].d.next = self.average_8.val().get_bit(37);
        for i in 0..4 {
            self.full9[i + 1].d.next = self.full9[i].q.val();
            self.negative9[i + 1].d.next = self.negative9[i].q.val();
        }
        self.shifted.next = self.average_8.val() << self.gain.data.val().get_bits::<4>(28);
        self.a9.d.next = bit_cast::<33, 32>(self.shifted.val().get_bits::<32>(6)) << 1;
        self.b9.d.next = bit_cast::<32, 26>(self.gain.data.val().get_bits::<26>(0)) << 6;
        if self.swift_8.val() {
            self.a9.d.next = bit_cast::<33, 32>(self.threshold_8.val());
            self.b9.d.next = bit_cast::<32, 29>(self.reciprocal_8.val()) << 3;
        }
        // 9: Q.48, and half a unit of Q.26.
        self.product.a_0.next = self.a9.q.val();
        self.product.b_0.next = self.b9.q.val();
        self.product.addend_1.next = bits::<58>(2097152);
        // 10: beta, Q.26.
        self.rounded.next = bit_cast::<33, 32>(self.beta.data.val()) + bits::<33>(16);
        self.beta11.d.next = self.rounded.val().get_bits::<28>(5);
        self.beta12.d.next = self.beta11.q.val();
        // 11
        self.value.d.next = self.product.total_2.val().get_bits::<28>(22).into();
        // 12: twice the weight, or what is left of beta.
        self.value13.d.next = self.value.q.val();
        self.one.next = bits::<28>(67108865).into();
        self.whole.next = (self.value.q.val() + self.one.val()).into();
        self.beta_signed.next = bit_cast::<29, 28>(self.beta12.q.val()).into();
        self.left.next = (self.beta_signed.val() - self.value.q.val()).into();
        self.other.d.next = self.whole.val();
        if self.swift_12.val() {
            self.other.d.next = self.left.val();
        }
        // 13
        self.value_bits.next = self.value13.q.val().into();
        self.other_bits.next = self.other.q.val().into();
        self.most14.d.next = self.most.data.val();
        if self.swift_13.val() {
            self.weight.d.next = self.other_bits.val().get_bits::<27>(0);
            if self.other_bits.val().get_bits::<28>(0) > bit_cast::<28, 27>(self.most.data.val()) {
                self.weight.d.next = self.most.data.val();
            }
            if !self.over_13.val() | self.other_bits.val().get_bit(28) {
                self.weight.d.next = bits::<27>(0);
            }
        } else if self.patched_13.val() {
            self.weight.d.next = self.other_bits.val().get_bits::<27>(1);
            if self.full9[4].q.val() | (self.other_bits.val().get_bit(27) & self.other_bits.val().get_bits::<27>(0).any()) {
                self.weight.d.next = bits::<27>(67108864);
            }
            if (self.full9[4].q.val() & self.negative9[4].q.val()) | (!self.full9[4].q.val() & self.other_bits.val().get_bit(28)) {
                self.weight.d.next = bits::<27>(0);
            }
        } else {
            self.weight.d.next = self.value_bits.val().get_bits::<27>(0);
            if self.full9[4].q.val() | self.value_bits.val().get_bit(26) {
                self.weight.d.next = bits::<27>(67108864);
            }
            if (self.full9[4].q.val() & self.negative9[4].q.val()) | (!self.full9[4].q.val() & self.value_bits.val().get_bit(27)) {
                self.weight.d.next = bits::<27>(0);
            }
        }
        // 14
        self.weight_14.next = self.weight.q.val();
        self.most_14.next = self.most14.q.val();
    }
}
