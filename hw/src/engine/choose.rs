//! What an operation does to the rate.
use super::word::ProfileWord;
use rust_hdl::prelude::*;
use timely_regs::profile;

/// Factor and increase of the rate, by the operation's kind, the profile's law and the law's branches.
///
/// A port's number is the clock after the issue at which it holds.
#[derive(LogicBlock, Default)]
pub struct Choose {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Profile bus.
    pub bus_14: Signal<In, Bits<43>>,
    /// The operation's profile.
    pub profile_14: Signal<In, Bits<4>>,
    /// Its kind.
    pub kind_14: Signal<In, Bits<3>>,
    /// The profile's law.
    pub law_14: Signal<In, Bits<4>>,
    /// The RTT is below Tlow.
    pub below_14: Signal<In, Bit>,
    /// The RTT is above Thigh.
    pub above_14: Signal<In, Bit>,
    /// The smoothed difference is above the deadband.
    pub rising_14: Signal<In, Bit>,
    /// An increase is a hyperactive one.
    pub hyperactive_14: Signal<In, Bit>,
    /// Factor of the decrease above Thigh, Q.26.
    pub high_14: Signal<In, Bits<27>>,
    /// Factor of the decrease by gradient, Q.26.
    pub gradient_14: Signal<In, Bits<27>>,
    /// The additive step, 2^-12 Mb/s.
    pub step_15: Signal<In, Bits<26>>,
    /// The host's rate.
    pub value_15: Signal<In, Bits<32>>,
    /// Factor of the rate, Q.26.
    pub factor_15: Signal<Out, Bits<27>>,
    /// What is added, 2^-12 Mb/s.
    pub increase_16: Signal<Out, Bits<32>>,
    /// The operation may change the rate.
    pub sets_17: Signal<Out, Bit>,
    /// It is an idle restart.
    pub idle_17: Signal<Out, Bit>,
    /// The branch that decided.
    pub branch_19: Signal<Out, Bits<3>>,
    /// It was a hyperactive increase.
    pub hyperactive_19: Signal<Out, Bit>,
    /// As `sets_17`.
    pub sets_19: Signal<Out, Bit>,
    /// The operation is not one that the law refuses.
    pub accepted_19: Signal<Out, Bit>,
    start: ProfileWord<32, { profile::INITIAL_RATE.word as usize }>,
    timely: Signal<Local, Bit>,
    fixed: Signal<Local, Bit>,
    loads: DFF<Bit>,
    hosts: DFF<Bit>,
    steps: DFF<Bit>,
    factor: DFF<Bits<27>>,
    increase: DFF<Bits<32>>,
    // The first hold 15 clocks after the issue.
    idle: [DFF<Bit>; 3],
    branch: [DFF<Bits<3>>; 5],
    hyperactive: [DFF<Bit>; 5],
    sets: [DFF<Bit>; 5],
    accepted: [DFF<Bit>; 5],
}

impl Logic for Choose {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, loads, hosts, steps, factor, increase);
        for i in 0..3 {
            self.idle[i].clock.next = self.clk.val();
        }
        for i in 0..5 {
            self.branch[i].clock.next = self.clk.val();
            self.hyperactive[i].clock.next = self.clk.val();
            self.sets[i].clock.next = self.clk.val();
            self.accepted[i].clock.next = self.clk.val();
        }
        // 14. By default the rate stays.
        self.timely.next = self.law_14.val() == bits::<4>(1);
        self.fixed.next = !self.law_14.val().any();
        self.loads.d.next = false;
        self.hosts.d.next = false;
        self.steps.d.next = false;
        self.idle[0].d.next = false;
        self.factor.d.next = bits::<27>(67108864);
        self.branch[0].d.next = bits::<3>(4);
        self.hyperactive[0].d.next = false;
        self.sets[0].d.next = self.timely.val();
        self.accepted[0].d.next = true;
        if self.kind_14.val() == bits::<3>(0) {
            if self.timely.val() {
                if self.below_14.val() {
                    self.branch[0].d.next = bits::<3>(0);
                    self.steps.d.next = true;
                } else if self.above_14.val() {
                    self.branch[0].d.next = bits::<3>(1);
                    self.factor.d.next = self.high_14.val();
                } else if self.rising_14.val() {
                    self.branch[0].d.next = bits::<3>(3);
                    self.factor.d.next = self.gradient_14.val();
                } else {
                    self.branch[0].d.next = bits::<3>(2);
                    self.hyperactive[0].d.next = self.hyperactive_14.val();
                    self.steps.d.next = true;
                }
            }
        } else if self.kind_14.val() == bits::<3>(1) {
            if self.timely.val() {
                self.factor.d.next = bits::<27>(33554432);
            }
        } else if self.kind_14.val() == bits::<3>(2) {
            self.loads.d.next = true;
            self.factor.d.next = bits::<27>(0);
            self.sets[0].d.next = true;
        } else if self.kind_14.val() == bits::<3>(3) {
            self.sets[0].d.next = self.fixed.val();
            self.accepted[0].d.next = self.fixed.val();
            if self.fixed.val() {
                self.hosts.d.next = true;
                self.factor.d.next = bits::<27>(0);
            }
        } else {
            self.idle[0].d.next = true;
        }
        self.start.clk.next = self.clk.val();
        self.start.bus.next = self.bus_14.val();
        self.start.address.next = self.profile_14.val();
        // 15
        self.factor_15.next = self.factor.q.val();
        self.increase.d.next = bits::<32>(0);
        if self.steps.q.val() {
            self.increase.d.next = bit_cast::<32, 26>(self.step_15.val());
        }
        if self.loads.q.val() {
            self.increase.d.next = self.start.data.val();
        }
        if self.hosts.q.val() {
            self.increase.d.next = self.value_15.val();
        }
        for i in 0..2 {
            self.idle[i + 1].d.next = self.idle[i].q.val();
        }
        for i in 0..4 {
            self.branch[i + 1].d.next = self.branch[i].q.val();
            self.hyperactive[i + 1].d.next = self.hyperactive[i].q.val();
            self.sets[i + 1].d.next = self.sets[i].q.val();
            self.accepted[i + 1].d.next = self.accepted[i].q.val();
        }
        // 16 to 19
        self.increase_16.next = self.increase.q.val();
        self.sets_17.next = self.sets[2].q.val();
        self.idle_17.next = self.idle[2].q.val();
        self.branch_19.next = self.branch[4].q.val();
        self.hyperactive_19.next = self.hyperactive[4].q.val();
        self.sets_19.next = self.sets[4].q.val();
        self.accepted_19.next = self.accepted[4].q.val();
    }
}
