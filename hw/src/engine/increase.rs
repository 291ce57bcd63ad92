//! The additive increase, hyperactive after enough negative differences; beta by the same product.
use super::product::Product;
use super::word::ProfileWord;
use super::words::{HyperactiveStep, ProfileWrite};
use rust_hdl::prelude::*;
use timely_regs::profile;

/// Counts negative differences of a flow, chooses the step, and scales it by the delta factor; for
/// the decrease above Thigh it scales beta.
///
/// A port's number is the clock after the issue at which it holds.
#[derive(LogicBlock, Default)]
pub struct Increase {
    pub clk: Signal<In, Clock>,
    /// Synchronous reset, active high: nothing needs it, but it keeps copies of registers apart.
    pub rst: Signal<In, Bit>,
    /// Profile bus.
    pub bus_8: Signal<In, ProfileWrite>,
    /// The operation's profile.
    pub profile_8: Signal<In, Bits<4>>,
    /// Negative differences in a row before.
    pub count_9: Signal<In, Bits<3>>,
    /// The difference is negative.
    pub negative_9: Signal<In, Bit>,
    /// The smoothed difference is.
    pub falling_9: Signal<In, Bit>,
    /// The smoothed difference counts.
    pub smoothed_9: Signal<In, Bit>,
    /// The law is TIMELY and the RTT not below Tlow: the step may be a hyperactive one.
    pub allowed_10: Signal<In, Bit>,
    /// Beta is not scaled.
    pub low_10: Signal<In, Bit>,
    /// The delta factor, Q.26.
    pub delta_10: Signal<In, Bits<27>>,
    /// Negative differences in a row.
    pub count_10: Signal<Out, Bits<3>>,
    /// The step is not weighed: not between the thresholds of Patched and PI.
    pub edge_13: Signal<In, Bit>,
    /// Enough differences in a row are negative.
    pub hyperactive_13: Signal<Out, Bit>,
    /// The step, 2^-13 Mb/s.
    pub step_14: Signal<Out, Bits<27>>,
    /// The step where it is weighed, else 0.
    pub weighed_14: Signal<Out, Bits<27>>,
    /// Beta times the delta factor, Q.27.
    pub beta_14: Signal<Out, Bits<29>>,
    plain: ProfileWord<24, { profile::STEP.word as usize }>,
    hyperactive: ProfileWord<27, { profile::HYPERACTIVE_STEP.word as usize }>,
    beta: ProfileWord<32, { profile::BETA.word as usize }>,
    product: Product<17, 0>,
    hyperactive_10: Signal<Local, HyperactiveStep>,
    counts: Signal<Local, Bit>,
    count: DFF<Bits<3>>,
    enough: Signal<Local, Bit>,
    // The first holds 11 clocks after the issue.
    enough11: [DFF<Bit>; 3],
    a11: Signal<Local, Bits<33>>,
    step: DFF<Bits<27>>,
    weighed: DFF<Bits<27>>,
    scaled: DFF<Bits<29>>,
}

impl Logic for Increase {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, count, step, weighed, scaled);
        for i in 0..3 {
            self.enough11[i].clock.next = self.clk.val();
        }
        self.product.clk.next = self.clk.val();
        self.product.rst.next = self.rst.val();
        self.plain.clk.next = self.clk.val();
        self.plain.bus.next = self.bus_8.val();
        self.plain.address.next = self.profile_8.val();
        self.hyperactive.clk.next = self.clk.val();
        self.hyperactive.bus.next = self.bus_8.val();
        self.hyperactive.address.next = self.profile_8.val();
        self.beta.clk.next = self.clk.val();
        self.beta.bus.next = self.bus_8.val();
        self.beta.address.next = self.profile_8.val();
        // 9
        self.counts.next = self.negative_9.val();
        if self.smoothed_9.val() {
            self.counts.next = self.falling_9.val();
        }
        self.count.d.next = bits::<3>(0);
        if self.counts.val() {
            self.count.d.next = self.count_9.val() + bits::<3>(1);
            if self.count_9.val() == bits::<3>(7) {
                self.count.d.next = bits::<3>(7);
            }
        }
        // 10
        self.count_10.next = self.count.q.val();
        self.hyperactive_10.next = self.hyperactive.data.val().into();
        self.enough.next = self.count.q.val() >= self.hyperactive_10.val().after;
        self.enough11[0].d.next = self.enough.val();
        self.a11.next = bit_cast::<33, 32>(self.beta.data.val());
        if self.low_10.val() {
            self.a11.next = bit_cast::<33, 24>(self.plain.data.val()) << 8;
            if self.enough.val() & self.allowed_10.val() {
                self.a11.next = bit_cast::<33, 24>(self.hyperactive_10.val().step) << 8;
            }
        }
        self.product.a_next.next = self.a11.val();
        self.product.b_next.next = bit_cast::<32, 27>(self.delta_10.val()) << 5;
        // 11
        for i in 0..2 {
            self.enough11[i + 1].d.next = self.enough11[i].q.val();
        }
        // 13
        self.hyperactive_13.next = self.enough11[2].q.val();
        self.step.d.next = self.product.total_2.val().get_bits::<27>(23);
        self.weighed.d.next = self.product.total_2.val().get_bits::<27>(23);
        if self.edge_13.val() {
            self.weighed.d.next = bits::<27>(0);
        }
        self.scaled.d.next = self.product.total_2.val().get_bits::<29>(20);
        // 14
        self.step_14.next = self.step.q.val();
        self.weighed_14.next = self.weighed.q.val();
        self.beta_14.next = self.scaled.q.val();
    }
}
