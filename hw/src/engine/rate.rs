//! The rate of a flow.
use super::word::ProfileWord;
use crate::num::U;
use rust_hdl::prelude::*;
use timely_regs::profile;

/// `rate = factor rate + increase`, rounded, within the profile's limits.
///
/// A port's number is the clock after the issue at which it holds. The rate is read at 12 (its RAM), multiplied at 15, written at 19;
/// rates that are not written yet are forwarded, so operations of a flow may follow each other in 5 clocks.
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
    pub flow_12: Signal<In, Bits<F>>,
    /// The same.
    pub flow_13: Signal<In, Bits<F>>,
    /// The same.
    pub flow_18: Signal<In, Bits<F>>,
    /// The same.
    pub flow_19: Signal<In, Bits<F>>,
    /// The same.
    pub flow_20: Signal<In, Bits<F>>,
    /// An operation is there.
    pub valid_18: Signal<In, Bit>,
    /// The same.
    pub valid_19: Signal<In, Bit>,
    /// The same.
    pub valid_20: Signal<In, Bit>,
    /// Factor of the rate, Q.26, at most 1.
    pub factor_15: Signal<In, Bits<27>>,
    /// What is added, 2^-12 Mb/s.
    pub increase_16: Signal<In, Bits<32>>,
    /// The operation may change the rate.
    pub sets_17: Signal<In, Bit>,
    /// It is an idle restart.
    pub idle_17: Signal<In, Bit>,
    /// The rate before.
    pub before_15: Signal<Out, Bits<32>>,
    /// The rate from now on.
    pub rate_19: Signal<Out, Bits<32>>,
    restart: ProfileWord<32, { profile::RESTART_RATE.word as usize }>,
    least: ProfileWord<32, { profile::LEAST_RATE.word as usize }>,
    greatest: ProfileWord<32, { profile::GREATEST_RATE.word as usize }>,
    ram: RAM<Bits<32>, F>,
    raw: DFF<Bits<32>>,
    match5: DFF<Bit>,
    match6: DFF<Bit>,
    match7: DFF<Bit>,
    old: DFF<Bits<32>>,
    old_low: Signal<Local, U<17>>,
    old_high: Signal<Local, U<15>>,
    factor_low: Signal<Local, U<17>>,
    factor_high: Signal<Local, U<10>>,
    ll: DFF<Bits<34>>,
    lh: DFF<Bits<27>>,
    hl: DFF<Bits<32>>,
    hh: DFF<Bits<25>>,
    joined: Signal<Local, Bits<44>>,
    increase: Signal<Local, Bits<44>>,
    outer: DFF<Bits<44>>,
    inner: DFF<Bits<33>>,
    sum: Signal<Local, Bits<44>>,
    wide: DFF<Bits<35>>,
    upper: DFF<Bits<32>>,
    lower: DFF<Bits<32>>,
    new19: DFF<Bits<32>>,
    new20: DFF<Bits<32>>,
    new21: DFF<Bits<32>>,
}

impl<const F: usize> Logic for Rate<F> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, raw, match5, match6, match7, old, ll, lh, hl, hh, outer, inner, wide, upper, lower, new19, new20, new21);
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
        // 12
        self.ram.read_address.next = self.flow_12.val();
        // 13. An operation five clocks ahead is at 19 when this one is at 14, and so on.
        self.raw.d.next = self.ram.read_data.val();
        self.match5.d.next = self.valid_18.val() & (self.flow_13.val() == self.flow_18.val());
        self.match6.d.next = self.valid_19.val() & (self.flow_13.val() == self.flow_19.val());
        self.match7.d.next = self.valid_20.val() & (self.flow_13.val() == self.flow_20.val());
        // 14
        self.old.d.next = self.raw.q.val();
        if self.match5.q.val() {
            self.old.d.next = self.new19.q.val();
        } else if self.match6.q.val() {
            self.old.d.next = self.new20.q.val();
        } else if self.match7.q.val() {
            self.old.d.next = self.new21.q.val();
        }
        // 15
        self.before_15.next = self.old.q.val();
        self.old_low.next = self.old.q.val().get_bits::<17>(0).into();
        self.old_high.next = self.old.q.val().get_bits::<15>(17).into();
        self.factor_low.next = self.factor_15.val().get_bits::<17>(0).into();
        self.factor_high.next = self.factor_15.val().get_bits::<10>(17).into();
        self.ll.d.next = (self.old_low.val() * self.factor_low.val()).into();
        self.lh.d.next = (self.old_low.val() * self.factor_high.val()).into();
        self.hl.d.next = (self.old_high.val() * self.factor_low.val()).into();
        self.hh.d.next = (self.old_high.val() * self.factor_high.val()).into();
        // 16: Q.21; the half unit of the rounding stands below the increase.
        self.joined.next = (bit_cast::<44, 25>(self.hh.q.val()) << 17) | bit_cast::<44, 17>(self.ll.q.val().get_bits::<17>(17));
        self.increase.next = (bit_cast::<44, 32>(self.increase_16.val()) << 9) | bits::<44>(256);
        self.outer.d.next = self.joined.val() + self.increase.val();
        self.inner.d.next = bit_cast::<33, 27>(self.lh.q.val()) + bit_cast::<33, 32>(self.hl.q.val());
        // 17
        self.sum.next = self.outer.q.val() + bit_cast::<44, 33>(self.inner.q.val());
        self.wide.d.next = self.sum.val().get_bits::<35>(9);
        self.lower.d.next = self.least.data.val();
        self.upper.d.next = self.greatest.data.val();
        if self.idle_17.val() {
            self.upper.d.next = self.restart.data.val();
        }
        if !self.sets_17.val() {
            self.lower.d.next = bits::<32>(0);
            self.upper.d.next = 0xFFFF_FFFF_u64.into();
        }
        // 18
        self.new19.d.next = self.wide.q.val().get_bits::<32>(0);
        if self.wide.q.val() > bit_cast::<35, 32>(self.upper.q.val()) {
            self.new19.d.next = self.upper.q.val();
        }
        if self.wide.q.val() < bit_cast::<35, 32>(self.lower.q.val()) {
            self.new19.d.next = self.lower.q.val();
        }
        // 19
        self.rate_19.next = self.new19.q.val();
        self.new20.d.next = self.new19.q.val();
        self.new21.d.next = self.new20.q.val();
        self.ram.write_address.next = self.flow_19.val();
        self.ram.write_data.next = self.new19.q.val();
        self.ram.write_enable.next = self.valid_19.val();
        if self.sweep.val() {
            self.ram.write_address.next = self.sweep_flow.val();
            self.ram.write_data.next = bits::<32>(0);
            self.ram.write_enable.next = true;
        }
    }
}
