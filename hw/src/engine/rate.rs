//! The rate of a flow.
use super::word::{ProfileChoice, ProfileWord};
use super::words::ProfileWrite;
use crate::construct::construct;
use crate::num::{S, U};
use crate::ram::ApartRam;
use rust_hdl::prelude::*;
use timely_model::engine::parts::LESS_CUT;
use timely_regs::profile;

/// `rate + rise - weight weighed`, rounded, within the profile's limits.
///
/// A port's number is the clock after the issue at which it holds. The rate is read at 8 (its RAM),
/// multiplied at 15, written at 19: operations of a flow may follow each other in 12 clocks.
#[derive(LogicBlock)]
pub struct Rate<const F: usize> {
    pub clk: Signal<In, Clock>,
    /// Synchronous reset, active high: nothing needs it, but it keeps delays of a few clocks in
    /// flip-flops.
    pub rst: Signal<In, Bit>,
    /// Clear whatever `flow_19` is.
    pub sweep: Signal<In, Bit>,
    /// Profile bus.
    pub bus_14: Signal<In, ProfileWrite>,
    /// Profile bus.
    pub bus_15: Signal<In, ProfileWrite>,
    /// The operation's profile.
    pub profile_14: Signal<In, Bits<4>>,
    /// As `profile_14`, a clock later.
    pub profile_15: Signal<In, Bits<4>>,
    /// The operation's flow.
    pub flow_8: Signal<In, Bits<F>>,
    /// As `flow_8`, 11 clocks later.
    pub flow_19: Signal<In, Bits<F>>,
    /// An operation is there.
    pub valid_19: Signal<In, Bit>,
    /// There is no weight.
    pub none_14: Signal<In, Bit>,
    /// Weight, Q.26, at most 1.
    pub weight_14: Signal<In, Bits<27>>,
    /// Weighed number, signed.
    pub weighed_14: Signal<In, Bits<35>>,
    /// The rate before and what is added.
    pub risen_15: Signal<In, Bits<33>>,
    /// The rate may fall by more than half.
    pub falls_15: Signal<In, Bit>,
    /// The operation may change the rate.
    pub sets_15: Signal<In, Bit>,
    /// The operation is an idle restart.
    pub idle_14: Signal<In, Bit>,
    /// The rate may not rise.
    pub hold_17: Signal<In, Bit>,
    /// The rate before.
    pub before_10: Signal<Out, Bits<32>>,
    /// As `before_10`, 4 clocks later.
    pub before_14: Signal<Out, Bits<32>>,
    /// As `before_10`, 9 clocks later.
    pub before_19: Signal<Out, Bits<32>>,
    /// The rate from now on.
    pub rate_19: Signal<Out, Bits<32>>,
    least: ProfileWord<32, { profile::LEAST_RATE.word as usize }>,
    greatest: ProfileChoice<32, { profile::GREATEST_RATE.word as usize }, { profile::RESTART_RATE.word as usize }>,
    ram: ApartRam<Bits<32>, F>,
    // The first holds 10 clocks after the issue.
    old: [DFF<Bits<32>>; 10],
    /// The operands, and a copy for the second multiplier of each limb.
    weight: DFF<Bits<27>>,
    weight_again: DFF<Bits<27>>,
    clear: Signal<Local, Bit>,
    weighed: DFF<Bits<35>>,
    weighed_again: DFF<Bits<35>>,
    weight_low: Signal<Local, U<17>>,
    weight_low_signed: Signal<Local, S<18>>,
    weight_high: Signal<Local, U<10>>,
    weight_high_signed: Signal<Local, S<11>>,
    weighed_low: Signal<Local, U<17>>,
    weighed_high: Signal<Local, S<18>>,
    weighed_low_again: Signal<Local, U<17>>,
    weighed_high_again: Signal<Local, S<18>>,
    ll: DFF<Bits<34>>,
    lh: DFF<Bits<27>>,
    hl: DFF<S<36>>,
    hh: DFF<S<29>>,
    hh_bits: Signal<Local, Bits<29>>,
    /// The bits of the limbs that count; half a unit, and what the others are on average, less 1.
    kept: Constant<Bits<46>>,
    kept_28: Constant<Bits<28>>,
    kept_36: Constant<Bits<36>>,
    half_unit: Constant<Bits<46>>,
    low_ones: Constant<Bits<46>>,
    lh_signed: Signal<Local, S<28>>,
    hl_bits: Signal<Local, Bits<36>>,
    hl_signed: Signal<Local, S<36>>,
    joined: Signal<Local, Bits<46>>,
    risen: DFF<Bits<33>>,
    half: DFF<Bits<31>>,
    half17: DFF<Bits<31>>,
    grown: Signal<Local, Bits<46>>,
    outer_bits: Signal<Local, Bits<46>>,
    outer: DFF<S<46>>,
    inner: DFF<S<37>>,
    sum: Signal<Local, S<46>>,
    sum_bits: Signal<Local, Bits<46>>,
    /// The complement of the new rate without limits.
    wide: DFF<Bits<37>>,
    whole: Signal<Local, Bits<37>>,
    most: DFF<Bits<32>>,
    upper: DFF<Bits<32>>,
    /// Complement of the new rate's lower bound.
    not_lower: DFF<Bits<32>>,
    limited: DFF<Bits<32>>,
    beyond: Signal<Local, Bit>,
    /// The operation may not change the rate.
    keeps16: DFF<Bit>,
    keeps17: DFF<Bit>,
}

impl<const F: usize> Default for Rate<F> {
    fn default() -> Self {
        let kept = |bits: u32| ((1u64 << bits) - 1) >> LESS_CUT << LESS_CUT;
        construct!({
            kept: Constant::new(kept(46).into()),
            kept_28: Constant::new(kept(28).into()),
            kept_36: Constant::new(kept(36).into()),
            half_unit: Constant::new(256u64.into()),
            low_ones: Constant::new(((1u64 << LESS_CUT) - 1).into()),
        }
            clk, rst, sweep, none_14, bus_14, bus_15, profile_14, profile_15, flow_8, flow_19, valid_19, weight_14, weighed_14, risen_15, falls_15, sets_15,
            idle_14, hold_17, before_10, before_14, before_19, rate_19, least, greatest, ram, weight, weight_again, clear, weighed, weighed_again, weighed_low_again, weighed_high_again, weight_low,
            weight_low_signed, weight_high, weight_high_signed, weighed_low, weighed_high, ll, lh, hl, hh, hh_bits, lh_signed, hl_bits,
            hl_signed, joined, risen, half, half17, grown, outer_bits, outer, inner, sum, sum_bits, wide, whole, most, upper, not_lower, limited, beyond, keeps16, keeps17; old)
    }
}

impl<const F: usize> Logic for Rate<F> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, weight, weight_again, weighed, weighed_again);
        dff_setup!(self, clk, ll, lh, hl, hh, risen, half, half17, outer, inner, wide, most, upper, not_lower, limited, keeps16, keeps17);
        for i in 0..10 {
            self.old[i].clock.next = self.clk.val();
        }
        self.ram.read_clock.next = self.clk.val();
        self.ram.write_clock.next = self.clk.val();
        self.least.clk.next = self.clk.val();
        self.least.bus.next = self.bus_15.val();
        self.least.address.next = self.profile_15.val();
        self.greatest.clk.next = self.clk.val();
        self.greatest.bus.next = self.bus_14.val();
        self.greatest.address.next = self.profile_14.val();
        self.greatest.other.next = self.idle_14.val();
        // 8, 9
        self.ram.read_address.next = self.flow_8.val();
        self.old[0].d.next = self.ram.read_data.val();
        for i in 0..9 {
            self.old[i + 1].d.next = self.old[i].q.val();
        }
        self.before_10.next = self.old[0].q.val();
        self.before_14.next = self.old[4].q.val();
        self.before_19.next = self.old[9].q.val();
        // 14
        self.weight.d.next = self.weight_14.val();
        self.weight_again.d.next = self.weight_14.val();
        if self.none_14.val() {
            self.weight.d.next = bits::<27>(0);
        }
        self.clear.next = self.none_14.val() | self.rst.val();
        if self.clear.val() {
            self.weight_again.d.next = bits::<27>(0);
        }
        self.weighed.d.next = self.weighed_14.val();
        self.weighed_again.d.next = self.weighed_14.val();
        // 15
        self.weighed_low.next = self.weighed.q.val().get_bits::<17>(0).into();
        self.weighed_high.next = self.weighed.q.val().get_bits::<18>(17).into();
        self.weighed_low_again.next = self.weighed_again.q.val().get_bits::<17>(0).into();
        self.weighed_high_again.next = self.weighed_again.q.val().get_bits::<18>(17).into();
        self.weight_low.next = self.weight.q.val().get_bits::<17>(0).into();
        self.weight_low_signed.next = bit_cast::<18, 17>(self.weight_again.q.val().get_bits::<17>(0)).into();
        self.weight_high.next = self.weight.q.val().get_bits::<10>(17).into();
        self.weight_high_signed.next = bit_cast::<11, 10>(self.weight_again.q.val().get_bits::<10>(17)).into();
        self.ll.d.next = (self.weighed_low.val() * self.weight_low.val()).into();
        self.lh.d.next = (self.weighed_low_again.val() * self.weight_high.val()).into();
        self.hl.d.next = (self.weighed_high.val() * self.weight_low_signed.val()).into();
        self.hh.d.next = (self.weighed_high_again.val() * self.weight_high_signed.val()).into();
        self.risen.d.next = self.risen_15.val();
        self.half.d.next = self.old[5].q.val().get_bits::<31>(1);
        if self.falls_15.val() {
            self.half.d.next = bits::<31>(0);
        }
        self.keeps16.d.next = !self.sets_15.val();
        self.keeps17.d.next = self.keeps16.q.val();
        // 16: Q.9. The sum is made with its sign turned, for what is taken from nothing would need
        // an inverter a bit, and turned back at its end: the complement of one less.
        self.hh_bits.next = self.hh.q.val().into();
        self.joined.next = (bit_cast::<46, 29>(self.hh_bits.val()) << 17) | bit_cast::<46, 17>(self.ll.q.val().get_bits::<17>(17));
        self.grown.next = (bit_cast::<46, 33>(self.risen.q.val()) << 9) | self.half_unit.val();
        self.outer_bits.next = ((self.joined.val() & self.kept.val()) | self.low_ones.val()) - self.grown.val();
        self.outer.d.next = self.outer_bits.val().into();
        self.lh_signed.next = (bit_cast::<28, 27>(self.lh.q.val()) & self.kept_28.val()).into();
        self.hl_bits.next = self.hl.q.val().into();
        self.hl_signed.next = (self.hl_bits.val() & self.kept_36.val()).into();
        self.inner.d.next = (self.lh_signed.val() + self.hl_signed.val()).into();
        self.half17.d.next = self.half.q.val();
        self.most.d.next = self.greatest.data.val();
        if self.keeps16.q.val() {
            self.most.d.next = 0xFFFF_FFFF_u64.into();
        }
        // 17
        self.sum.next = (self.outer.q.val() + self.inner.q.val()).into();
        self.sum_bits.next = self.sum.val().into();
        self.wide.d.next = self.sum_bits.val().get_bits::<37>(9);
        self.not_lower.d.next = !self.least.data.val();
        if bit_cast::<32, 31>(self.half17.q.val()) > self.least.data.val() {
            self.not_lower.d.next = !bit_cast::<32, 31>(self.half17.q.val());
        }
        if self.keeps17.q.val() {
            self.not_lower.d.next = 0xFFFF_FFFF_u64.into();
        }
        // A flow that may not rise has itself for a bound.
        self.upper.d.next = self.most.q.val();
        if self.hold_17.val() & (self.old[7].q.val() <= self.most.q.val()) {
            self.upper.d.next = self.old[7].q.val();
        }
        // 18: a negative sum is below any limit. Complements compare without an inverter where the
        // register itself goes to the carry chain.
        self.whole.next = !self.wide.q.val();
        self.limited.d.next = self.whole.val().get_bits::<32>(0);
        self.beyond.next = self.whole.val().get_bits::<4>(32).any();
        if self.beyond.val() | (self.wide.q.val().get_bits::<32>(0) < !self.upper.q.val()) {
            self.limited.d.next = self.upper.q.val();
        }
        if self.whole.val().get_bit(36) | (!self.beyond.val() & (self.wide.q.val().get_bits::<32>(0) > self.not_lower.q.val())) {
            self.limited.d.next = !self.not_lower.q.val();
        }
        if self.sweep.val() {
            self.limited.d.next = bits::<32>(0);
        }
        // 19
        self.rate_19.next = self.limited.q.val();
        self.ram.write_address.next = self.flow_19.val();
        self.ram.write_data.next = self.limited.q.val();
        self.ram.write_enable.next = self.valid_19.val() | self.sweep.val();
        if self.rst.val() {
            self.weighed_again.d.next = bits::<35>(0);
            for i in 1..10 {
                self.old[i].d.next = bits::<32>(0);
            }
        }
    }
}
