//! DCQCN's target rate.
use super::word::{ProfileChoice, ProfileWord};
use super::words::ProfileWrite;
use crate::num::U;
use crate::pacer::delay::Stages;
use rust_hdl::prelude::*;
use timely_regs::profile;

/// The target that a stage of increase leaves: the flow's, or the greatest rate where it has none,
/// and the stage's steps, at most the greatest rate. A flow that is limited does not raise it. Of a
/// CNP the rate, of a time-out half of the rate.
///
/// A port's number is the clock after the issue at which it holds.
#[derive(LogicBlock, Default)]
pub struct Target {
    pub clk: Signal<In, Clock>,
    /// Synchronous reset, active high: nothing needs it, but it keeps delays of a few clocks in
    /// flip-flops.
    pub rst: Signal<In, Bit>,
    /// Profile bus.
    pub bus_1: Signal<In, ProfileWrite>,
    /// Profile bus.
    pub bus_3: Signal<In, ProfileWrite>,
    /// The operation's profile.
    pub profile_1: Signal<In, Bits<4>>,
    /// As `profile_1`, 2 clocks later.
    pub profile_3: Signal<In, Bits<4>>,
    /// The step is the hyper step.
    pub hyper_1: Signal<In, Bit>,
    /// Steps that the target rises by.
    pub steps_3: Signal<In, Bits<4>>,
    /// The flow's rate may not rise.
    pub limited_3: Signal<In, Bit>,
    /// The flow has a target.
    pub marked_3: Signal<In, Bit>,
    /// The flow's target, 2^-12 Mb/s.
    pub target_3: Signal<In, Bits<32>>,
    /// The rate before.
    pub before_10: Signal<In, Bits<32>>,
    /// A CNP.
    pub cnp_10: Signal<In, Bit>,
    /// A time-out, or a host's rate, which changes no record.
    pub timed_out_10: Signal<In, Bit>,
    /// The target from now on.
    pub target_10: Signal<Out, Bits<32>>,
    /// The target is one of a CNP or of a time-out.
    pub given_10: Signal<Out, Bit>,
    step: ProfileChoice<24, { profile::STEP.word as usize }, { profile::HYPERACTIVE_STEP.word as usize }>,
    greatest: ProfileWord<32, { profile::GREATEST_RATE.word as usize }>,
    each: Signal<Local, U<24>>,
    times: Signal<Local, U<4>>,
    raise4: DFF<Bits<28>>,
    target4: DFF<Bits<32>>,
    marked4: DFF<Bit>,
    sum5: DFF<Bits<33>>,
    marked5: DFF<Bit>,
    target6: DFF<Bits<32>>,
    later: Stages<32, 4>,
    rate: Signal<Local, Bits<32>>,
}

impl Logic for Target {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, raise4, target4, marked4, sum5, marked5, target6);
        self.step.clk.next = self.clk.val();
        self.step.bus.next = self.bus_1.val();
        self.step.address.next = self.profile_1.val();
        self.step.other.next = self.hyper_1.val();
        self.greatest.clk.next = self.clk.val();
        self.greatest.bus.next = self.bus_3.val();
        self.greatest.address.next = self.profile_3.val();
        // 3
        self.each.next = self.step.data.val().into();
        self.times.next = self.steps_3.val().into();
        self.raise4.d.next = (self.each.val() * self.times.val()).into();
        if self.limited_3.val() {
            self.raise4.d.next = bits::<28>(0);
        }
        self.target4.d.next = self.target_3.val();
        self.marked4.d.next = self.marked_3.val();
        // 4
        self.sum5.d.next = bit_cast::<33, 32>(self.target4.q.val()) + bit_cast::<33, 28>(self.raise4.q.val());
        self.marked5.d.next = self.marked4.q.val();
        // 5
        self.target6.d.next = self.sum5.q.val().get_bits::<32>(0);
        if !self.marked5.q.val() | (self.sum5.q.val() > bit_cast::<33, 32>(self.greatest.data.val())) {
            self.target6.d.next = self.greatest.data.val();
        }
        // 6 to 10
        self.later.clk.next = self.clk.val();
        self.later.rst.next = self.rst.val();
        self.later.i.next = self.target6.q.val();
        self.target_10.next = self.later.o.val();
        self.rate.next = self.before_10.val();
        if self.cnp_10.val() {
            self.target_10.next = self.rate.val();
        }
        if self.timed_out_10.val() {
            self.target_10.next = bit_cast::<32, 31>(self.rate.val().get_bits::<31>(1));
        }
        self.given_10.next = self.cnp_10.val() | self.timed_out_10.val();
    }
}
