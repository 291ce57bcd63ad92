//! Effect of an operation on the rate: weight, weighed number and rise.
use super::word::ProfileWord;
use super::words::{Action, Decided, Flags, Kind, Pick, ProfileWrite, Rises, Weighs};
use rust_hdl::prelude::*;
use timely_regs::profile;

/// Weight, weighed and rise of an operation, by its kind, the profile's law and the law's branches.
///
/// A port's number is the clock after the issue at which it holds. The choice is known a clock
/// before the numbers are there.
#[derive(LogicBlock, Default)]
pub struct Choose {
    pub clk: Signal<In, Clock>,
    /// Synchronous reset, active high: nothing needs it, but it keeps delays of a few clocks in
    /// flip-flops.
    pub rst: Signal<In, Bit>,
    /// Profile bus.
    pub bus_11: Signal<In, ProfileWrite>,
    /// The operation's profile.
    pub profile_11: Signal<In, Bits<4>>,
    /// Kind of the operation.
    pub kind_13: Signal<In, Kind>,
    /// Action that the reaction block asks for.
    pub action_13: Signal<In, Action>,
    /// There is one, of kind time-out; or a NAK, of kind host rate.
    pub reacts_13: Signal<In, Bit>,
    /// DCQCN's target after the action.
    pub target_13: Signal<In, Bits<32>>,
    /// A loss lowers the rate.
    pub loss_13: Signal<In, Bit>,
    /// As the thresholds' block makes them.
    pub flags_13: Signal<In, Flags>,
    /// Swift's target is reached.
    pub reached_13: Signal<In, Bit>,
    /// The smoothed difference is above the deadband.
    pub rising_13: Signal<In, Bit>,
    /// An increase is a hyperactive one.
    pub hyperactive_13: Signal<In, Bit>,
    /// Decrease by gradient, weight, Swift's decrease by the endpoint's delay, or that of an
    /// operation that is no sample; Q.26.
    pub weight_14: Signal<In, Bits<27>>,
    /// Swift's greatest decrease, Q.26.
    pub most_14: Signal<In, Bits<27>>,
    /// Part of the RTT, Q.27; 0 below Swift's target.
    pub part_14: Signal<In, Bits<29>>,
    /// Beta times the delta factor, Q.27.
    pub beta_14: Signal<In, Bits<29>>,
    /// Part of the rate, in its unit, signed.
    pub of_rate_14: Signal<In, Bits<35>>,
    /// The additive step, in half the rate's unit.
    pub step_14: Signal<In, Bits<27>>,
    /// The additive step where it is weighed, else 0.
    pub weighed_step_14: Signal<In, Bits<27>>,
    /// The rate before.
    pub rate_14: Signal<In, Bits<32>>,
    /// The host's rate.
    pub value_14: Signal<In, Bits<32>>,
    /// There is no weight.
    pub none_14: Signal<Out, Bit>,
    /// Weight, Q.26, at most 1, before a register.
    pub weight_next: Signal<Out, Bits<27>>,
    /// Weighed number, in the rate's unit, signed, before a register.
    pub weighed_next: Signal<Out, Bits<35>>,
    /// The rate before and what is added.
    pub risen_15: Signal<Out, Bits<33>>,
    /// The rate may fall by more than half.
    pub falls_15: Signal<Out, Bit>,
    /// The operation may change the rate.
    pub sets_15: Signal<Out, Bit>,
    /// The branch that decided.
    pub branch_19: Signal<Out, Decided>,
    /// The operation was a hyperactive increase.
    pub hyperactive_19: Signal<Out, Bit>,
    /// As `sets_15`.
    pub sets_19: Signal<Out, Bit>,
    /// The operation is not one that the law refuses.
    pub accepted_19: Signal<Out, Bit>,
    start: ProfileWord<32, { profile::INITIAL_RATE.word as usize }>,
    weighs: DFF<Weighs>,
    rises: DFF<Rises>,
    /// The weighed number is a part of the rate, and the step.
    middle: DFF<Bit>,
    /// The initial rate, or half of the target, whose half unit is apart.
    start14: DFF<Bits<32>>,
    half14: DFF<Bits<1>>,
    floor14: DFF<Bit>,
    high: Signal<Local, Bits<30>>,
    fabric: Signal<Local, Bits<28>>,
    by_fabric: Signal<Local, Bit>,
    by_most: Signal<Local, Bit>,
    pick: Signal<Local, Pick>,
    none: Signal<Local, Bit>,
    of_rate: Signal<Local, Bits<35>>,
    weighed_sum: Signal<Local, Bits<36>>,
    step: Signal<Local, Bits<32>>,
    rise: Signal<Local, Bits<32>>,
    half: Signal<Local, Bits<1>>,
    risen_sum: Signal<Local, Bits<34>>,
    risen: DFF<Bits<33>>,
    falls: DFF<Bit>,
    // The first hold 14 clocks after the issue.
    branch: [DFF<Decided>; 6],
    hyperactive: [DFF<Bit>; 6],
    sets: [DFF<Bit>; 6],
    accepted: [DFF<Bit>; 6],
}

impl Logic for Choose {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, weighs, rises, middle, start14, half14, floor14, risen, falls);
        for i in 0..6 {
            self.branch[i].clock.next = self.clk.val();
            self.hyperactive[i].clock.next = self.clk.val();
            self.sets[i].clock.next = self.clk.val();
            self.accepted[i].clock.next = self.clk.val();
        }
        for i in 0..5 {
            self.branch[i + 1].d.next = self.branch[i].q.val();
            self.hyperactive[i + 1].d.next = self.hyperactive[i].q.val();
            self.sets[i + 1].d.next = self.sets[i].q.val();
            self.accepted[i + 1].d.next = self.accepted[i].q.val();
        }
        self.start.clk.next = self.clk.val();
        self.start.bus.next = self.bus_11.val();
        self.start.address.next = self.profile_11.val();
        // 13. By default the rate stays.
        self.start14.d.next = self.start.data.val();
        self.half14.d.next = bits::<1>(0);
        if self.reacts_13.val() {
            self.start14.d.next = bit_cast::<32, 31>(self.target_13.val().get_bits::<31>(1));
            self.half14.d.next = self.target_13.val().get_bits::<1>(0);
        }
        self.weighs.d.next = Weighs::Nothing;
        self.rises.d.next = Rises::Nothing;
        self.middle.d.next = false;
        self.floor14.d.next = false;
        self.branch[0].d.next = Decided::NoLaw;
        self.hyperactive[0].d.next = false;
        self.sets[0].d.next = self.flags_13.val().governed;
        self.accepted[0].d.next = true;
        if self.kind_13.val() == Kind::Sample {
            self.floor14.d.next = self.flags_13.val().half_floor;
            if self.flags_13.val().swift {
                if !self.reached_13.val() & !self.flags_13.val().endpoint_over {
                    self.branch[0].d.next = Decided::Increase;
                    self.rises.d.next = Rises::Step;
                } else if !self.flags_13.val().may_fall {
                    self.branch[0].d.next = Decided::Held;
                } else {
                    self.weighs.d.next = Weighs::Swift;
                    self.branch[0].d.next = Decided::AboveHigh;
                }
            } else if self.flags_13.val().dcqcn {
                self.sets[0].d.next = false;
            } else if self.flags_13.val().governed {
                if self.flags_13.val().below_low {
                    self.branch[0].d.next = Decided::BelowLow;
                    self.rises.d.next = Rises::Step;
                } else if self.flags_13.val().above_high {
                    self.branch[0].d.next = Decided::AboveHigh;
                    self.weighs.d.next = Weighs::AboveHigh;
                } else {
                    self.branch[0].d.next = Decided::Increase;
                    if self.rising_13.val() {
                        self.branch[0].d.next = Decided::Decrease;
                    }
                    if self.flags_13.val().patched {
                        self.weighs.d.next = Weighs::Gradient;
                        self.middle.d.next = true;
                        self.rises.d.next = Rises::Step;
                    } else if self.rising_13.val() {
                        self.weighs.d.next = Weighs::Gradient;
                    } else {
                        self.hyperactive[0].d.next = self.hyperactive_13.val();
                        self.rises.d.next = Rises::Step;
                    }
                }
            }
        } else if self.kind_13.val() == Kind::Timeout {
            if self.reacts_13.val() {
                self.sets[0].d.next = false;
                if self.flags_13.val().dcqcn & self.action_13.val().cnp {
                    self.sets[0].d.next = true;
                    self.weighs.d.next = Weighs::Gradient;
                    self.branch[0].d.next = Decided::Decrease;
                } else if self.flags_13.val().dcqcn & self.action_13.val().increase {
                    self.sets[0].d.next = true;
                    self.weighs.d.next = Weighs::Gradient;
                    self.rises.d.next = Rises::Initial;
                    self.branch[0].d.next = Decided::Increase;
                    self.hyperactive[0].d.next = self.action_13.val().hyper;
                }
            } else if self.flags_13.val().governed {
                self.weighs.d.next = Weighs::Gradient;
            }
        } else if self.kind_13.val() == Kind::Init {
            self.weighs.d.next = Weighs::Gradient;
            self.rises.d.next = Rises::Initial;
            self.sets[0].d.next = true;
        } else if self.kind_13.val() == Kind::Host {
            // A NAK sets the rate by its loss alone.
            if self.reacts_13.val() {
                self.branch[0].d.next = Decided::Held;
            }
            self.sets[0].d.next = self.flags_13.val().fixed & !self.reacts_13.val();
            self.accepted[0].d.next = self.flags_13.val().fixed | self.reacts_13.val();
            if self.flags_13.val().fixed & !self.reacts_13.val() {
                self.weighs.d.next = Weighs::Gradient;
                self.rises.d.next = Rises::Host;
            }
        }
        // In place of what the law says.
        if self.loss_13.val() {
            self.sets[0].d.next = true;
            self.floor14.d.next = false;
            self.branch[0].d.next = Decided::NoLaw;
            self.hyperactive[0].d.next = false;
            self.weighs.d.next = Weighs::Gradient;
            self.rises.d.next = Rises::Nothing;
            self.middle.d.next = false;
        }
        // 14. The decrease above Thigh: beta df - beta df Thigh / rtt.
        self.fabric.next = self.part_14.val().get_bits::<28>(1);
        self.high.next = bit_cast::<30, 29>(self.beta_14.val()) - bit_cast::<30, 29>(self.part_14.val());
        // Swift's: the larger one, at most the greatest, which the endpoint's is in any case.
        self.by_fabric.next = self.fabric.val() >= bit_cast::<28, 27>(self.weight_14.val());
        self.by_most.next = self.fabric.val() > bit_cast::<28, 27>(self.most_14.val());
        self.pick.next = Pick::Gradient;
        self.none.next = self.weighs.q.val() == Weighs::Nothing;
        if self.weighs.q.val() == Weighs::AboveHigh {
            self.pick.next = Pick::AboveHigh;
            self.none.next = self.high.val().get_bit(29);
        }
        if self.weighs.q.val() == Weighs::Swift {
            if self.by_fabric.val() {
                self.pick.next = Pick::Fabric;
                self.branch[1].d.next = Decided::Decrease;
            }
            if self.by_most.val() {
                self.pick.next = Pick::Most;
            }
        }
        match self.pick.val() {
            Pick::Gradient => {
                self.weight_next.next = self.weight_14.val();
            }
            Pick::AboveHigh => {
                self.weight_next.next = self.high.val().get_bits::<27>(1);
            }
            Pick::Fabric => {
                self.weight_next.next = self.fabric.val().get_bits::<27>(0);
            }
            Pick::Most => {
                self.weight_next.next = self.most_14.val();
            }
        }
        self.none_14.next = self.none.val();
        // The rate, or Patched TIMELY's part of it and its step. Half a unit of the step is rounded
        // up by a carry. `a + b + c` is a sum in one LUT a bit with the choice of `b` where it is
        // written as `(2 a - !(2 b + c)) / 2`: the minuend goes to the carry chain by itself.
        self.of_rate.next = bit_cast::<35, 32>(self.rate_14.val());
        if self.middle.q.val() {
            self.of_rate.next = self.of_rate_14.val();
        }
        self.weighed_sum.next = (bit_cast::<36, 26>(self.weighed_step_14.val().get_bits::<26>(1)) << 1)
            - !((bit_cast::<36, 35>(self.of_rate.val()) << 1) | bit_cast::<36, 1>(self.weighed_step_14.val().get_bits::<1>(0)));
        self.weighed_next.next = self.weighed_sum.val().get_bits::<35>(1);
        self.step.next = bit_cast::<32, 26>(self.step_14.val().get_bits::<26>(1));
        self.half.next = bits::<1>(0);
        match self.rises.q.val() {
            Rises::Nothing => {
                self.rise.next = bits::<32>(0);
            }
            Rises::Step => {
                self.rise.next = self.step.val();
                self.half.next = self.step_14.val().get_bits::<1>(0);
            }
            Rises::Initial => {
                self.rise.next = self.start14.q.val();
                self.half.next = self.half14.q.val();
            }
            Rises::Host => {
                self.rise.next = self.value_14.val();
            }
        }
        self.risen_sum.next = (bit_cast::<34, 32>(self.rate_14.val()) << 1)
            - !((bit_cast::<34, 32>(self.rise.val()) << 1) | bit_cast::<34, 1>(self.half.val()));
        self.risen.d.next = self.risen_sum.val().get_bits::<33>(1);
        self.falls.d.next = !self.floor14.q.val();
        // 15 to 19
        self.risen_15.next = self.risen.q.val();
        self.falls_15.next = self.falls.q.val();
        self.sets_15.next = self.sets[1].q.val();
        self.branch_19.next = self.branch[5].q.val();
        self.hyperactive_19.next = self.hyperactive[5].q.val();
        self.sets_19.next = self.sets[5].q.val();
        self.accepted_19.next = self.accepted[5].q.val();
        if self.rst.val() {
            for i in 1..6 {
                self.branch[i].d.next = Decided::BelowLow;
                self.hyperactive[i].d.next = false;
                self.sets[i].d.next = false;
                self.accepted[i].d.next = false;
            }
        }
    }
}
