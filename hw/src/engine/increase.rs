//! The additive increase, hyperactive after enough negative differences.
use super::word::ProfileWord;
use crate::num::U;
use rust_hdl::prelude::*;
use timely_regs::profile;

/// Counts negative differences of a flow, chooses the step, and scales it by the delta factor.
///
/// A port's number is the clock after the issue at which it holds. The count is read at 8 and written at 11: operations of a flow may
/// follow each other in 4 clocks.
#[derive(LogicBlock, Default)]
pub struct Increase<const F: usize> {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Clear `sweep_flow`.
    pub sweep: Signal<In, Bit>,
    /// The flow to clear.
    pub sweep_flow: Signal<In, Bits<F>>,
    /// Profile bus.
    pub bus_10: Signal<In, Bits<43>>,
    /// The operation's profile.
    pub profile_10: Signal<In, Bits<4>>,
    /// The operation's flow.
    pub flow_8: Signal<In, Bits<F>>,
    /// The same.
    pub flow_11: Signal<In, Bits<F>>,
    /// The operation is a sample.
    pub sample_11: Signal<In, Bit>,
    /// The difference is negative.
    pub negative_3: Signal<In, Bit>,
    /// The smoothed difference is.
    pub falling_10: Signal<In, Bit>,
    /// The smoothed difference counts.
    pub smoothed_10: Signal<In, Bit>,
    /// The RTT is below Tlow: no hyperactive step.
    pub below_11: Signal<In, Bit>,
    /// The delta factor, Q.26.
    pub delta_12: Signal<In, Bits<27>>,
    /// Negative differences in a row before.
    pub before_10: Signal<Out, Bits<3>>,
    /// Enough differences in a row are negative.
    pub hyperactive_14: Signal<Out, Bit>,
    /// The step, 2^-12 Mb/s.
    pub step_15: Signal<Out, Bits<26>>,
    plain: ProfileWord<24, { profile::STEP.word as usize }>,
    hyperactive: ProfileWord<27, { profile::HYPERACTIVE_STEP.word as usize }>,
    ram: RAM<Bits<3>, F>,
    // The first holds 4 clocks after the issue.
    negative: [DFF<Bit>; 7],
    counts: Signal<Local, Bit>,
    raw: DFF<Bits<3>>,
    count: DFF<Bits<3>>,
    enough: Signal<Local, Bit>,
    enough12: DFF<Bit>,
    enough13: DFF<Bit>,
    enough14: DFF<Bit>,
    full: DFF<Bits<24>>,
    full_low: Signal<Local, U<17>>,
    full_high: Signal<Local, U<7>>,
    delta_low: Signal<Local, U<17>>,
    delta_high: Signal<Local, U<10>>,
    ll: DFF<Bits<34>>,
    lh: DFF<Bits<27>>,
    hl: DFF<Bits<24>>,
    hh: DFF<Bits<17>>,
    joined: Signal<Local, Bits<35>>,
    outer: DFF<Bits<35>>,
    inner: DFF<Bits<28>>,
    sum: Signal<Local, Bits<35>>,
    step: DFF<Bits<26>>,
}

impl<const F: usize> Logic for Increase<F> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, raw, count, enough12, enough13, enough14, full, ll, lh, hl, hh, outer, inner, step);
        self.ram.read_clock.next = self.clk.val();
        self.ram.write_clock.next = self.clk.val();
        self.plain.clk.next = self.clk.val();
        self.plain.bus.next = self.bus_10.val();
        self.plain.address.next = self.profile_10.val();
        self.hyperactive.clk.next = self.clk.val();
        self.hyperactive.bus.next = self.bus_10.val();
        self.hyperactive.address.next = self.profile_10.val();
        // 3 to 10
        for i in 0..7 {
            self.negative[i].clock.next = self.clk.val();
        }
        self.negative[0].d.next = self.negative_3.val();
        for i in 0..6 {
            self.negative[i + 1].d.next = self.negative[i].q.val();
        }
        // 8, 9
        self.ram.read_address.next = self.flow_8.val();
        self.raw.d.next = self.ram.read_data.val();
        // 10
        self.before_10.next = self.raw.q.val();
        self.counts.next = self.negative[6].q.val();
        if self.smoothed_10.val() {
            self.counts.next = self.falling_10.val();
        }
        self.count.d.next = bits::<3>(0);
        if self.counts.val() {
            self.count.d.next = self.raw.q.val() + bits::<3>(1);
            if self.raw.q.val() == bits::<3>(7) {
                self.count.d.next = bits::<3>(7);
            }
        }
        // 11
        self.ram.write_address.next = self.flow_11.val();
        self.ram.write_data.next = self.count.q.val();
        self.ram.write_enable.next = self.sample_11.val();
        if self.sweep.val() {
            self.ram.write_address.next = self.sweep_flow.val();
            self.ram.write_data.next = bits::<3>(0);
            self.ram.write_enable.next = true;
        }
        self.enough.next = self.count.q.val() >= self.hyperactive.data.val().get_bits::<3>(24);
        self.enough12.d.next = self.enough.val();
        self.full.d.next = self.plain.data.val();
        if self.enough.val() & !self.below_11.val() {
            self.full.d.next = self.hyperactive.data.val().get_bits::<24>(0);
        }
        // 12
        self.enough13.d.next = self.enough12.q.val();
        self.enough14.d.next = self.enough13.q.val();
        self.hyperactive_14.next = self.enough14.q.val();
        self.full_low.next = self.full.q.val().get_bits::<17>(0).into();
        self.full_high.next = self.full.q.val().get_bits::<7>(17).into();
        self.delta_low.next = self.delta_12.val().get_bits::<17>(0).into();
        self.delta_high.next = self.delta_12.val().get_bits::<10>(17).into();
        self.ll.d.next = (self.full_low.val() * self.delta_low.val()).into();
        self.lh.d.next = (self.full_low.val() * self.delta_high.val()).into();
        self.hl.d.next = (self.full_high.val() * self.delta_low.val()).into();
        self.hh.d.next = (self.full_high.val() * self.delta_high.val()).into();
        // 13: Q.21, with half a unit of the rate.
        self.joined.next = (bit_cast::<35, 17>(self.hh.q.val()) << 17) | bit_cast::<35, 17>(self.ll.q.val().get_bits::<17>(17));
        self.outer.d.next = self.joined.val() + bits::<35>(256);
        self.inner.d.next = bit_cast::<28, 27>(self.lh.q.val()) + bit_cast::<28, 24>(self.hl.q.val());
        // 14
        self.sum.next = self.outer.q.val() + bit_cast::<35, 28>(self.inner.q.val());
        self.step.d.next = self.sum.val().get_bits::<26>(9);
        self.step_15.next = self.step.q.val();
    }
}
