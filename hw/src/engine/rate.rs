//! The rate of a flow.
use super::word::ProfileWord;
use crate::num::{S, U};
use rust_hdl::prelude::*;
use timely_regs::profile;

/// `rate + rise - weight weighed`, rounded, within the profile's limits.
///
/// A port's number is the clock after the issue at which it holds. The rate is read at 8 (its RAM), multiplied at 15, written at 19:
/// operations of a flow may follow each other in 12 clocks.
#[derive(LogicBlock, Default)]
pub struct Rate<const F: usize> {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Clear `sweep_flow`.
    pub sweep: Signal<In, Bit>,
    /// The flow to clear.
    pub sweep_flow: Signal<In, Bits<F>>,
    /// Profile bus.
    pub bus_16: Signal<In, Bits<43>>,
    /// The operation's profile.
    pub profile_16: Signal<In, Bits<4>>,
    /// The operation's flow.
    pub flow_8: Signal<In, Bits<F>>,
    /// The same.
    pub flow_19: Signal<In, Bits<F>>,
    /// An operation is there.
    pub valid_19: Signal<In, Bit>,
    /// Weight, Q.26, at most 1.
    pub weight_15: Signal<In, Bits<27>>,
    /// What is weighed, signed.
    pub weighed_15: Signal<In, Bits<35>>,
    /// What is added.
    pub rise_15: Signal<In, Bits<32>>,
    /// The rate may halve at most.
    pub floor_15: Signal<In, Bit>,
    /// The operation may change the rate.
    pub sets_17: Signal<In, Bit>,
    /// It is an idle restart.
    pub idle_17: Signal<In, Bit>,
    /// The rate may not rise.
    pub hold_18: Signal<In, Bit>,
    /// The rate before.
    pub before_10: Signal<Out, Bits<32>>,
    /// The same.
    pub before_14: Signal<Out, Bits<32>>,
    /// The same.
    pub before_19: Signal<Out, Bits<32>>,
    /// The rate from now on.
    pub rate_19: Signal<Out, Bits<32>>,
    restart: ProfileWord<32, { profile::RESTART_RATE.word as usize }>,
    least: ProfileWord<32, { profile::LEAST_RATE.word as usize }>,
    greatest: ProfileWord<32, { profile::GREATEST_RATE.word as usize }>,
    ram: RAM<Bits<32>, F>,
    // The first holds 10 clocks after the issue.
    old: [DFF<Bits<32>>; 10],
    weight_low: Signal<Local, U<17>>,
    weight_low_signed: Signal<Local, S<18>>,
    weight_high: Signal<Local, U<10>>,
    weight_high_signed: Signal<Local, S<11>>,
    weighed_low: Signal<Local, U<17>>,
    weighed_high: Signal<Local, S<18>>,
    ll: DFF<Bits<34>>,
    lh: DFF<Bits<27>>,
    hl: DFF<S<36>>,
    hh: DFF<S<29>>,
    hh_bits: Signal<Local, Bits<29>>,
    lh_signed: Signal<Local, S<28>>,
    joined: Signal<Local, Bits<46>>,
    risen: DFF<Bits<33>>,
    half: DFF<Bits<33>>,
    half_sum: Signal<Local, Bits<33>>,
    half17: DFF<Bits<32>>,
    grown: Signal<Local, Bits<46>>,
    outer_bits: Signal<Local, Bits<46>>,
    outer: DFF<S<46>>,
    inner: DFF<S<37>>,
    sum: Signal<Local, S<46>>,
    sum_bits: Signal<Local, Bits<46>>,
    wide: DFF<Bits<37>>,
    upper: DFF<Bits<32>>,
    lower: DFF<Bits<32>>,
    limited: DFF<Bits<32>>,
    rises: Signal<Local, Bit>,
    allowed: Signal<Local, Bit>,
}

impl<const F: usize> Logic for Rate<F> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, ll, lh, hl, hh, risen, half, half17, outer, inner, wide, upper, lower, limited);
        for i in 0..10 {
            self.old[i].clock.next = self.clk.val();
        }
        self.ram.read_clock.next = self.clk.val();
        self.ram.write_clock.next = self.clk.val();
        self.restart.clk.next = self.clk.val();
        self.restart.bus.next = self.bus_16.val();
        self.restart.address.next = self.profile_16.val();
        self.least.clk.next = self.clk.val();
        self.least.bus.next = self.bus_16.val();
        self.least.address.next = self.profile_16.val();
        self.greatest.clk.next = self.clk.val();
        self.greatest.bus.next = self.bus_16.val();
        self.greatest.address.next = self.profile_16.val();
        // 8, 9
        self.ram.read_address.next = self.flow_8.val();
        self.old[0].d.next = self.ram.read_data.val();
        for i in 0..9 {
            self.old[i + 1].d.next = self.old[i].q.val();
        }
        self.before_10.next = self.old[0].q.val();
        self.before_14.next = self.old[4].q.val();
        self.before_19.next = self.old[9].q.val();
        // 15
        self.weighed_low.next = self.weighed_15.val().get_bits::<17>(0).into();
        self.weighed_high.next = self.weighed_15.val().get_bits::<18>(17).into();
        self.weight_low.next = self.weight_15.val().get_bits::<17>(0).into();
        self.weight_low_signed.next = bit_cast::<18, 17>(self.weight_15.val().get_bits::<17>(0)).into();
        self.weight_high.next = self.weight_15.val().get_bits::<10>(17).into();
        self.weight_high_signed.next = bit_cast::<11, 10>(self.weight_15.val().get_bits::<10>(17)).into();
        self.ll.d.next = (self.weighed_low.val() * self.weight_low.val()).into();
        self.lh.d.next = (self.weighed_low.val() * self.weight_high.val()).into();
        self.hl.d.next = (self.weighed_high.val() * self.weight_low_signed.val()).into();
        self.hh.d.next = (self.weighed_high.val() * self.weight_high_signed.val()).into();
        self.risen.d.next = bit_cast::<33, 32>(self.old[5].q.val()) + bit_cast::<33, 32>(self.rise_15.val());
        self.half_sum.next = bit_cast::<33, 32>(self.old[5].q.val()) + bits::<33>(1);
        self.half.d.next = bits::<33>(0);
        if self.floor_15.val() {
            self.half.d.next = self.half_sum.val();
        }
        // 16: Q.9, with half a unit.
        self.hh_bits.next = self.hh.q.val().into();
        self.joined.next = (bit_cast::<46, 29>(self.hh_bits.val()) << 17) | bit_cast::<46, 17>(self.ll.q.val().get_bits::<17>(17));
        self.grown.next = (bit_cast::<46, 33>(self.risen.q.val()) << 9) | bits::<46>(256);
        self.outer_bits.next = self.grown.val() - self.joined.val();
        self.outer.d.next = self.outer_bits.val().into();
        self.lh_signed.next = bit_cast::<28, 27>(self.lh.q.val()).into();
        self.inner.d.next = (self.lh_signed.val() + self.hl.q.val()).into();
        self.half17.d.next = self.half.q.val().get_bits::<32>(1);
        // 17
        self.sum.next = (self.outer.q.val() - self.inner.q.val()).into();
        self.sum_bits.next = self.sum.val().into();
        self.wide.d.next = self.sum_bits.val().get_bits::<37>(9);
        self.lower.d.next = self.least.data.val();
        if self.half17.q.val() > self.least.data.val() {
            self.lower.d.next = self.half17.q.val();
        }
        self.upper.d.next = self.greatest.data.val();
        if self.idle_17.val() {
            self.upper.d.next = self.restart.data.val();
        }
        if !self.sets_17.val() {
            self.lower.d.next = bits::<32>(0);
            self.upper.d.next = 0xFFFF_FFFF_u64.into();
        }
        // 18: a negative sum is below any limit.
        self.limited.d.next = self.wide.q.val().get_bits::<32>(0);
        if self.wide.q.val() > bit_cast::<37, 32>(self.upper.q.val()) {
            self.limited.d.next = self.upper.q.val();
        }
        self.rises.next = self.wide.q.val() > bit_cast::<37, 32>(self.old[8].q.val());
        self.allowed.next = self.old[8].q.val() <= self.upper.q.val();
        if (self.hold_18.val() & self.rises.val()) & self.allowed.val() {
            self.limited.d.next = self.old[8].q.val();
        }
        if self.wide.q.val().get_bit(36) | (self.wide.q.val() < bit_cast::<37, 32>(self.lower.q.val())) {
            self.limited.d.next = self.lower.q.val();
        }
        // 19
        self.rate_19.next = self.limited.q.val();
        self.ram.write_address.next = self.flow_19.val();
        self.ram.write_data.next = self.limited.q.val();
        self.ram.write_enable.next = self.valid_19.val();
        if self.sweep.val() {
            self.ram.write_address.next = self.sweep_flow.val();
            self.ram.write_data.next = bits::<32>(0);
            self.ram.write_enable.next = true;
        }
    }
}
