//! What an operation does to the rate.
use super::word::ProfileWord;
use crate::num::S;
use rust_hdl::prelude::*;
use timely_regs::profile;

/// Weight, weighed and rise of an operation, by its kind, the profile's law and the law's branches.
///
/// A port's number is the clock after the issue at which it holds.
#[derive(LogicBlock, Default)]
pub struct Choose {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Profile bus.
    pub bus_13: Signal<In, Bits<43>>,
    /// The operation's profile.
    pub profile_13: Signal<In, Bits<4>>,
    /// Its kind.
    pub kind_14: Signal<In, Bits<3>>,
    /// As the thresholds' block makes them.
    pub flags_14: Signal<In, Bits<13>>,
    /// Swift's target is reached.
    pub reached_14: Signal<In, Bit>,
    /// The smoothed difference is above the deadband.
    pub rising_14: Signal<In, Bit>,
    /// An increase is a hyperactive one.
    pub hyperactive_14: Signal<In, Bit>,
    /// Decrease by gradient, weight, or Swift's decrease by the endpoint's delay; Q.26.
    pub weight_14: Signal<In, Bits<27>>,
    /// Swift's greatest decrease, Q.26.
    pub most_14: Signal<In, Bits<27>>,
    /// Part of the RTT, Q.26.
    pub part_14: Signal<In, Bits<28>>,
    /// Beta times the delta factor, Q.26.
    pub beta_14: Signal<In, Bits<28>>,
    /// Part of the rate, in its unit, signed.
    pub of_rate_14: Signal<In, Bits<35>>,
    /// The additive step, in the rate's unit.
    pub step_14: Signal<In, Bits<26>>,
    /// The rate before.
    pub rate_14: Signal<In, Bits<32>>,
    /// The host's rate.
    pub value_14: Signal<In, Bits<32>>,
    /// Weight, Q.26, at most 1.
    pub weight_15: Signal<Out, Bits<27>>,
    /// What is weighed, in the rate's unit, signed.
    pub weighed_15: Signal<Out, Bits<35>>,
    /// What is added, in the rate's unit.
    pub rise_15: Signal<Out, Bits<32>>,
    /// The rate may halve at most.
    pub floor_15: Signal<Out, Bit>,
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
    beta: Signal<Local, S<29>>,
    kept: Signal<Local, S<29>>,
    high: Signal<Local, S<30>>,
    high_bits: Signal<Local, Bits<30>>,
    fabric: Signal<Local, Bits<28>>,
    by_fabric: Signal<Local, Bit>,
    swift: Signal<Local, Bits<27>>,
    weighed_middle: Signal<Local, Bits<35>>,
    weight: DFF<Bits<27>>,
    weighed: DFF<Bits<35>>,
    rise: DFF<Bits<32>>,
    floor: DFF<Bit>,
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
        dff_setup!(self, clk, weight, weighed, rise, floor);
        for i in 0..3 {
            self.idle[i].clock.next = self.clk.val();
        }
        for i in 0..5 {
            self.branch[i].clock.next = self.clk.val();
            self.hyperactive[i].clock.next = self.clk.val();
            self.sets[i].clock.next = self.clk.val();
            self.accepted[i].clock.next = self.clk.val();
        }
        self.start.clk.next = self.clk.val();
        self.start.bus.next = self.bus_13.val();
        self.start.address.next = self.profile_13.val();
        // 14. The decrease above Thigh: beta df - beta df Thigh / rtt.
        self.beta.next = bit_cast::<29, 28>(self.beta_14.val()).into();
        self.kept.next = bit_cast::<29, 28>(self.part_14.val()).into();
        self.high.next = (self.beta.val() - self.kept.val()).into();
        self.high_bits.next = self.high.val().into();
        // Swift's: the larger one, at most the greatest.
        self.fabric.next = bits::<28>(0);
        if self.reached_14.val() {
            self.fabric.next = self.part_14.val();
        }
        self.by_fabric.next = self.fabric.val() >= bit_cast::<28, 27>(self.weight_14.val());
        self.swift.next = self.weight_14.val();
        if self.by_fabric.val() {
            self.swift.next = self.part_14.val().get_bits::<27>(0);
            if !self.reached_14.val() {
                self.swift.next = bits::<27>(0);
            }
            if self.fabric.val() > bit_cast::<28, 27>(self.most_14.val()) {
                self.swift.next = self.most_14.val();
            }
        }
        // Patched TIMELY's.
        self.weighed_middle.next = self.of_rate_14.val() + bit_cast::<35, 26>(self.step_14.val());
        // By default the rate stays.
        self.weight.d.next = bits::<27>(0);
        self.weighed.d.next = bit_cast::<35, 32>(self.rate_14.val());
        self.rise.d.next = bits::<32>(0);
        self.floor.d.next = false;
        self.idle[0].d.next = false;
        self.branch[0].d.next = bits::<3>(4);
        self.hyperactive[0].d.next = false;
        self.sets[0].d.next = self.flags_14.val().get_bit(5);
        self.accepted[0].d.next = true;
        if self.kind_14.val() == bits::<3>(0) {
            self.floor.d.next = self.flags_14.val().get_bit(6);
            if self.flags_14.val().get_bit(3) {
                if !self.reached_14.val() & !self.flags_14.val().get_bit(9) {
                    self.branch[0].d.next = bits::<3>(2);
                    self.rise.d.next = bit_cast::<32, 26>(self.step_14.val());
                } else if !self.flags_14.val().get_bit(12) {
                    self.branch[0].d.next = bits::<3>(5);
                } else {
                    self.weight.d.next = self.swift.val();
                    self.branch[0].d.next = bits::<3>(1);
                    if self.by_fabric.val() {
                        self.branch[0].d.next = bits::<3>(3);
                    }
                }
            } else if self.flags_14.val().get_bit(5) {
                if self.flags_14.val().get_bit(8) {
                    self.branch[0].d.next = bits::<3>(0);
                    self.rise.d.next = bit_cast::<32, 26>(self.step_14.val());
                } else if self.flags_14.val().get_bit(10) {
                    self.branch[0].d.next = bits::<3>(1);
                    if !self.high_bits.val().get_bit(29) {
                        self.weight.d.next = self.high_bits.val().get_bits::<27>(0);
                    }
                } else {
                    self.branch[0].d.next = bits::<3>(2);
                    if self.rising_14.val() {
                        self.branch[0].d.next = bits::<3>(3);
                    }
                    if self.flags_14.val().get_bit(2) {
                        self.weight.d.next = self.weight_14.val();
                        self.weighed.d.next = self.weighed_middle.val();
                        self.rise.d.next = bit_cast::<32, 26>(self.step_14.val());
                    } else if self.rising_14.val() {
                        self.weight.d.next = self.weight_14.val();
                    } else {
                        self.hyperactive[0].d.next = self.hyperactive_14.val();
                        self.rise.d.next = bit_cast::<32, 26>(self.step_14.val());
                    }
                }
            }
        } else if self.kind_14.val() == bits::<3>(1) {
            if self.flags_14.val().get_bit(5) {
                self.weight.d.next = bits::<27>(33554432);
            }
            if self.flags_14.val().get_bit(3) {
                self.weight.d.next = self.most_14.val();
            }
        } else if self.kind_14.val() == bits::<3>(2) {
            self.weight.d.next = bits::<27>(67108864);
            self.rise.d.next = self.start.data.val();
            self.sets[0].d.next = true;
        } else if self.kind_14.val() == bits::<3>(3) {
            self.sets[0].d.next = self.flags_14.val().get_bit(0);
            self.accepted[0].d.next = self.flags_14.val().get_bit(0);
            if self.flags_14.val().get_bit(0) {
                self.weight.d.next = bits::<27>(67108864);
                self.rise.d.next = self.value_14.val();
            }
        } else {
            self.idle[0].d.next = true;
        }
        // 15 to 19
        for i in 0..2 {
            self.idle[i + 1].d.next = self.idle[i].q.val();
        }
        for i in 0..4 {
            self.branch[i + 1].d.next = self.branch[i].q.val();
            self.hyperactive[i + 1].d.next = self.hyperactive[i].q.val();
            self.sets[i + 1].d.next = self.sets[i].q.val();
            self.accepted[i + 1].d.next = self.accepted[i].q.val();
        }
        self.weight_15.next = self.weight.q.val();
        self.weighed_15.next = self.weighed.q.val();
        self.rise_15.next = self.rise.q.val();
        self.floor_15.next = self.floor.q.val();
        self.sets_17.next = self.sets[2].q.val();
        self.idle_17.next = self.idle[2].q.val();
        self.branch_19.next = self.branch[4].q.val();
        self.hyperactive_19.next = self.hyperactive[4].q.val();
        self.sets_19.next = self.sets[4].q.val();
        self.accepted_19.next = self.accepted[4].q.val();
    }
}
