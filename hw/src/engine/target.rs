//! DCQCN's target rate.
use super::word::{ProfileChoice, ProfileWord};
use super::words::ProfileWrite;
use crate::num::U;
use crate::pacer::delay::Stages;
use rust_hdl::prelude::*;
use timely_regs::profile;

/// The target that a stage of increase leaves: the flow's, or the greatest rate where it has none,
/// and the stage's steps, at most the greatest rate. A flow that is limited does not raise it. Of a
/// CNP the rate.
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
    pub bus_4: Signal<In, ProfileWrite>,
    /// The operation's profile.
    pub profile_1: Signal<In, Bits<4>>,
    /// As `profile_1`, 3 clocks later.
    pub profile_4: Signal<In, Bits<4>>,
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
    /// The target from now on.
    pub target_10: Signal<Out, Bits<32>>,
    step: ProfileChoice<24, { profile::STEP.word as usize }, { profile::HYPERACTIVE_STEP.word as usize }>,
    greatest: ProfileWord<32, { profile::GREATEST_RATE.word as usize }>,
    // A step's halves, so that each product is of one multiplier.
    low: Signal<Local, U<12>>,
    high: Signal<Local, U<12>>,
    times: Signal<Local, U<4>>,
    low4: DFF<Bits<16>>,
    high4: DFF<Bits<16>>,
    raise5: DFF<Bits<28>>,
    target: [DFF<Bits<32>>; 2],
    marked: [DFF<Bit>; 3],
    sum6: DFF<Bits<33>>,
    target7: DFF<Bits<32>>,
    later: Stages<32, 3>,
    rate: Signal<Local, Bits<32>>,
}

impl Logic for Target {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, low4, high4, raise5, sum6, target7);
        for i in 0..2 {
            self.target[i].clock.next = self.clk.val();
        }
        for i in 0..3 {
            self.marked[i].clock.next = self.clk.val();
        }
        self.step.clk.next = self.clk.val();
        self.step.bus.next = self.bus_1.val();
        self.step.address.next = self.profile_1.val();
        self.step.other.next = self.hyper_1.val();
        self.greatest.clk.next = self.clk.val();
        self.greatest.bus.next = self.bus_4.val();
        self.greatest.address.next = self.profile_4.val();
        // 3
        self.low.next = self.step.data.val().get_bits::<12>(0).into();
        self.high.next = self.step.data.val().get_bits::<12>(12).into();
        self.times.next = self.steps_3.val().into();
        self.low4.d.next = (self.low.val() * self.times.val()).into();
        self.high4.d.next = (self.high.val() * self.times.val()).into();
        if self.limited_3.val() {
            self.low4.d.next = bits::<16>(0);
            self.high4.d.next = bits::<16>(0);
        }
        self.target[0].d.next = self.target_3.val();
        self.marked[0].d.next = self.marked_3.val();
        // 4
        self.raise5.d.next = bit_cast::<28, 16>(self.low4.q.val()) + (bit_cast::<28, 16>(self.high4.q.val()) << 12);
        self.target[1].d.next = self.target[0].q.val();
        self.marked[1].d.next = self.marked[0].q.val();
        // 5
        self.sum6.d.next = bit_cast::<33, 32>(self.target[1].q.val()) + bit_cast::<33, 28>(self.raise5.q.val());
        self.marked[2].d.next = self.marked[1].q.val();
        // 6
        self.target7.d.next = self.sum6.q.val().get_bits::<32>(0);
        if !self.marked[2].q.val() | (self.sum6.q.val() > bit_cast::<33, 32>(self.greatest.data.val())) {
            self.target7.d.next = self.greatest.data.val();
        }
        // 7 to 10
        self.later.clk.next = self.clk.val();
        self.later.rst.next = self.rst.val();
        self.later.i.next = self.target7.q.val();
        self.target_10.next = self.later.o.val();
        self.rate.next = self.before_10.val();
        if self.cnp_10.val() {
            self.target_10.next = self.rate.val();
        }
    }
}
