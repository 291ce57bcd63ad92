//! The decrease by the gradient, Patched TIMELY's weight, Swift's decrease by the endpoint's delay.
use super::product::Product;
use super::word::ProfileWord;
use super::words::{Gain, Kind, KindBits, ProfileWrite};
use crate::num::S;
use rust_hdl::prelude::*;
use timely_regs::profile;

/// One product for the three of them, by the law, within 0 to 1 or the greatest decrease. For
/// operations that are no samples the weight is that of a time-out or of a rate that is replaced.
///
/// A port's number is the clock after the issue at which it holds. The average is shifted so that
/// minRTT / beta (Patched: minRTT / 4) would fill 24 bits, then multiplied by the mantissa of the
/// inverse; from there on it counts as 1. For Swift beta times the endpoint's target meets the
/// reciprocal of the endpoint's delay.
#[derive(LogicBlock, Default)]
pub struct Gradient {
    pub clk: Signal<In, Clock>,
    /// Synchronous reset, active high: nothing needs it, but it keeps copies of registers apart.
    pub rst: Signal<In, Bit>,
    /// Profile bus.
    pub bus_6: Signal<In, ProfileWrite>,
    /// Profile bus.
    pub bus_8: Signal<In, ProfileWrite>,
    /// Profile bus.
    pub bus_11: Signal<In, ProfileWrite>,
    /// The operation's profile.
    pub profile_6: Signal<In, Bits<4>>,
    /// As `profile_6`, 2 clocks later.
    pub profile_8: Signal<In, Bits<4>>,
    /// As `profile_6`, 5 clocks later.
    pub profile_11: Signal<In, Bits<4>>,
    /// Smoothed difference, 2^-13 ns, signed.
    pub average_8: Signal<In, Bits<38>>,
    /// beta times the endpoint's target as the reciprocal takes it.
    pub threshold_8: Signal<In, Bits<32>>,
    /// The complement of the reciprocal of the endpoint's delay.
    pub reciprocal_8: Signal<In, Bits<29>>,
    /// The law is Swift.
    pub swift_8: Signal<In, Bit>,
    /// As `swift_8`, 2 clocks later.
    pub swift_10: Signal<In, Bit>,
    /// As `swift_8`, 4 clocks later.
    pub swift_12: Signal<In, Bit>,
    /// As `swift_8`, 5 clocks later.
    pub swift_13: Signal<In, Bit>,
    /// The law is Patched or PI.
    pub patched_10: Signal<In, Bit>,
    /// As `patched_10`, 2 clocks later.
    pub patched_12: Signal<In, Bit>,
    /// As `patched_10`, 3 clocks later.
    pub patched_13: Signal<In, Bit>,
    /// The endpoint's delay is above its target.
    pub over_13: Signal<In, Bit>,
    /// The operation's kind.
    pub kind_13: Signal<In, Kind>,
    /// A loss lowers the rate, by this weight, Q.26.
    pub loss_13: Signal<In, Bit>,
    /// The weight.
    pub by_loss_13: Signal<In, Bits<27>>,
    /// Decrease or weight, Q.26.
    pub weight_14: Signal<Out, Bits<27>>,
    /// The greatest decrease, Q.26.
    pub most_14: Signal<Out, Bits<27>>,
    full: ProfileWord<25, { profile::GRADIENT_FULL.word as usize }>,
    gain: ProfileWord<32, { profile::GRADIENT_GAIN.word as usize }>,
    beta: ProfileWord<32, { profile::BETA.word as usize }>,
    most: ProfileWord<27, { profile::MAX_DECREASE.word as usize }>,
    product: Product<17, 0>,
    magnitude: Signal<Local, Bits<38>>,
    gain_8: Signal<Local, Gain>,
    shifted: Signal<Local, Bits<38>>,
    reciprocal: Signal<Local, Bits<29>>,
    a9: Signal<Local, Bits<33>>,
    b9: Signal<Local, Bits<32>>,
    // The first hold 9 clocks after the issue.
    full9: [DFF<Bit>; 5],
    negative9: [DFF<Bit>; 5],
    base11: DFF<Bits<29>>,
    base12: DFF<Bits<29>>,
    value: DFF<S<28>>,
    zero: Signal<Local, S<2>>,
    value_wide: Signal<Local, S<29>>,
    value_plain: Signal<Local, Bits<29>>,
    value_bits: Signal<Local, Bits<29>>,
    carry: Signal<Local, Bits<1>>,
    sum: Signal<Local, Bits<30>>,
    other: DFF<Bits<29>>,
    above: Signal<Local, Bit>,
    negative: Signal<Local, Bit>,
    chosen: Signal<Local, Bits<27>>,
    none: Signal<Local, Bit>,
    half: Signal<Local, Bit>,
    whole: Signal<Local, Bit>,
    bits_13: Signal<Local, KindBits>,
    /// The weight below a half, and the halves, which make 0, a half or 1 of it.
    weight_low: DFF<Bits<25>>,
    weight_high: DFF<Bits<2>>,
    most14: DFF<Bits<27>>,
}

impl Logic for Gradient {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, base11, base12, value, other, weight_low, weight_high, most14);
        for i in 0..5 {
            self.full9[i].clock.next = self.clk.val();
            self.negative9[i].clock.next = self.clk.val();
        }
        self.product.clk.next = self.clk.val();
        self.product.rst.next = self.rst.val();
        self.full.clk.next = self.clk.val();
        self.full.bus.next = self.bus_6.val();
        self.full.address.next = self.profile_6.val();
        self.gain.clk.next = self.clk.val();
        self.gain.bus.next = self.bus_6.val();
        self.gain.address.next = self.profile_6.val();
        self.beta.clk.next = self.clk.val();
        self.beta.bus.next = self.bus_8.val();
        self.beta.address.next = self.profile_8.val();
        self.most.clk.next = self.clk.val();
        self.most.bus.next = self.bus_11.val();
        self.most.address.next = self.profile_11.val();
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
        self.gain_8.next = self.gain.data.val().into();
        if self.gain_8.val().shift_2 {
            self.shifted.next = self.average_8.val() << 8;
            if self.gain_8.val().shift_1 {
                self.shifted.next = self.average_8.val() << 12;
            }
        } else {
            self.shifted.next = self.average_8.val();
            if self.gain_8.val().shift_1 {
                self.shifted.next = self.average_8.val() << 4;
            }
        }
        self.a9.next = bit_cast::<33, 32>(self.shifted.val().get_bits::<32>(6)) << 1;
        self.b9.next = bit_cast::<32, 30>(self.gain_8.val().mantissa) << 2;
        self.reciprocal.next = !self.reciprocal_8.val();
        if self.swift_8.val() {
            self.a9.next = bit_cast::<33, 32>(self.threshold_8.val());
            self.b9.next = bit_cast::<32, 29>(self.reciprocal.val());
        }
        self.product.a_next.next = self.a9.val();
        self.product.b_next.next = self.b9.val();
        // 9: Q.45; the product has half a unit of Q.26 more.
        // 10: what the product is added to or, for Swift, taken from: beta, Q.26; one for Patched.
        self.base11.d.next = bits::<29>(0);
        if self.swift_10.val() {
            self.base11.d.next = bit_cast::<29, 27>(self.beta.data.val().get_bits::<27>(5));
        }
        if self.patched_10.val() {
            self.base11.d.next = bits::<29>(67108864);
        }
        self.base12.d.next = self.base11.q.val();
        // 11
        self.value.d.next = self.product.total_2.val().get_bits::<28>(19).into();
        // 12: the decrease, twice the weight and half a unit of it, or what is left of beta.
        self.zero.next = bits::<2>(0).into();
        self.value_wide.next = (self.value.q.val() + self.zero.val()).into();
        self.value_plain.next = self.value_wide.val().into();
        self.value_bits.next = self.value_plain.val();
        self.carry.next = bits::<1>(0);
        if self.patched_12.val() {
            self.carry.next = bits::<1>(1);
        }
        if self.swift_12.val() {
            self.value_bits.next = !self.value_plain.val();
            self.carry.next = bits::<1>(1);
        }
        self.sum.next = (bit_cast::<30, 29>(self.base12.q.val()) << 1)
            - !((bit_cast::<30, 29>(self.value_bits.val()) << 1) | bit_cast::<30, 1>(self.carry.val()));
        self.other.d.next = self.sum.val().get_bits::<29>(1);
        // 13
        self.most14.d.next = self.most.data.val();
        self.negative.next = self.other.q.val().get_bit(28);
        self.above.next = self.other.q.val().get_bits::<28>(0) > bit_cast::<28, 27>(self.most.data.val());
        self.chosen.next = self.other.q.val().get_bits::<27>(0);
        self.none.next = false;
        self.half.next = false;
        self.whole.next = false;
        if self.swift_13.val() {
            self.none.next = !self.over_13.val() | self.negative.val();
        } else if self.patched_13.val() {
            self.chosen.next = self.other.q.val().get_bits::<27>(1);
            self.whole.next = self.full9[4].q.val() | self.other.q.val().get_bit(27);
            self.none.next = (self.full9[4].q.val() & self.negative9[4].q.val()) | (!self.full9[4].q.val() & self.negative.val());
        } else {
            self.whole.next = self.full9[4].q.val() | self.other.q.val().get_bit(26);
            self.none.next = (self.full9[4].q.val() & self.negative9[4].q.val()) | (!self.full9[4].q.val() & self.negative.val());
        }
        if self.swift_13.val() & (self.above.val() | (self.kind_13.val() == Kind::Timeout)) {
            self.chosen.next = self.most.data.val();
        }
        self.bits_13.next = self.kind_13.val().into();
        if self.kind_13.val() != Kind::Sample {
            self.none.next = false;
            self.half.next = !self.swift_13.val();
            self.whole.next = false;
            if self.bits_13.val().replaces {
                self.half.next = false;
                self.whole.next = true;
            }
        }
        if self.loss_13.val() {
            self.chosen.next = self.by_loss_13.val();
            self.none.next = false;
            self.half.next = false;
            self.whole.next = false;
        }
        self.weight_low.d.next = self.chosen.val().get_bits::<25>(0);
        self.weight_high.d.next = self.chosen.val().get_bits::<2>(25);
        if self.half.val() {
            self.weight_high.d.next = bits::<2>(1);
        }
        if self.whole.val() {
            self.weight_high.d.next = bits::<2>(2);
        }
        if self.none.val() {
            self.weight_high.d.next = bits::<2>(0);
        }
        if self.none.val() | self.half.val() | self.whole.val() {
            self.weight_low.d.next = bits::<25>(0);
        }
        // 14
        self.weight_14.next = bit_cast::<27, 25>(self.weight_low.q.val()) | (bit_cast::<27, 2>(self.weight_high.q.val()) << 25);
        self.most_14.next = self.most14.q.val();
    }
}
