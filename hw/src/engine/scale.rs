//! The two products behind a delay's error: by the delta factor, then by the rate or by a delay's
//! reciprocal.
use super::product::Product;
use crate::num::S;
use rust_hdl::prelude::*;
use timely_model::engine::parts::{SECOND_LOST, SECOND_MORE};

/// Operand of the delta factor: error or output of Patched and PI, or beta Thigh. Operand of rate
/// or reciprocal: that product, or how far Swift's delay lies above its target.
///
/// A port's number is the clock after the issue at which it holds.
#[derive(LogicBlock, Default)]
pub struct Scale {
    pub clk: Signal<In, Clock>,
    /// Synchronous reset, active high: nothing needs it, but it keeps copies of registers apart.
    pub rst: Signal<In, Bit>,
    /// The law weighs its error: Patched or PI, between the thresholds.
    pub middle_7: Signal<In, Bit>,
    /// The law is PI.
    pub pi_7: Signal<In, Bit>,
    /// Sum of the error's product.
    pub error_7: Signal<In, Bits<58>>,
    /// beta Thigh as the reciprocal takes it.
    pub threshold_7: Signal<In, Bits<32>>,
    /// The delta factor, Q.26.
    pub delta_7: Signal<In, Bits<27>>,
    /// beta times how far the delay is above Swift's base target, 2^-13 ns, signed.
    pub above_9: Signal<In, Bits<38>>,
    /// beta times flow scaling, 2^-13 ns.
    pub flow_9: Signal<In, Bits<32>>,
    /// Leading zeros of the RTT.
    pub zeros_10: Signal<In, Bits<5>>,
    /// The law is Swift.
    pub swift_10: Signal<In, Bit>,
    /// As `middle_7`.
    pub middle_10: Signal<In, Bit>,
    /// The law is Swift, and its target is not reached.
    pub below_13: Signal<In, Bit>,
    /// The complement of the RTT's reciprocal.
    pub reciprocal_10: Signal<In, Bits<29>>,
    /// The rate.
    pub rate_10: Signal<In, Bits<32>>,
    /// Swift's target is reached.
    pub reached_10: Signal<Out, Bit>,
    /// A part of the RTT, Q.27; 0 below Swift's target.
    pub part_14: Signal<Out, Bits<29>>,
    /// A part of the rate, in its unit, signed.
    pub of_rate_14: Signal<Out, Bits<35>>,
    first: Product<14, 16384>,
    second: Product<{ SECOND_LOST as usize }, { SECOND_MORE as usize }>,
    a8: Signal<Local, Bits<33>>,
    above: Signal<Local, S<38>>,
    flow: Signal<Local, S<33>>,
    excess: Signal<Local, S<39>>,
    excess10: DFF<S<39>>,
    excess_bits: Signal<Local, Bits<39>>,
    shifted: Signal<Local, Bits<37>>,
    a11: Signal<Local, Bits<33>>,
    b11: Signal<Local, Bits<32>>,
    reciprocal: Signal<Local, Bits<29>>,
    part: DFF<Bits<29>>,
    of_rate: DFF<Bits<35>>,
}

impl Logic for Scale {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, excess10, part, of_rate);
        self.first.clk.next = self.clk.val();
        self.second.clk.next = self.clk.val();
        self.first.rst.next = self.rst.val();
        self.second.rst.next = self.rst.val();
        // 7
        self.a8.next = bit_cast::<33, 32>(self.threshold_7.val());
        if self.middle_7.val() {
            self.a8.next = self.error_7.val().get_bits::<33>(16);
            if self.pi_7.val() {
                self.a8.next = self.error_7.val().get_bits::<33>(24);
            }
        }
        self.first.a_next.next = self.a8.val();
        self.first.b_next.next = bit_cast::<32, 27>(self.delta_7.val()) << 5;
        // 8: rounded to Q.30.
        // 9
        self.above.next = self.above_9.val().into();
        self.flow.next = bit_cast::<33, 32>(self.flow_9.val()).into();
        self.excess.next = (self.above.val() - self.flow.val()).into();
        self.excess10.d.next = self.excess.val();
        // 10
        self.excess_bits.next = self.excess10.q.val().into();
        self.reached_10.next = !self.excess_bits.val().get_bit(38);
        self.shifted.next = self.excess_bits.val().get_bits::<37>(0) << self.zeros_10.val();
        self.a11.next = self.first.total_2.val().get_bits::<33>(16);
        if self.swift_10.val() {
            self.a11.next = bit_cast::<33, 32>(self.shifted.val().get_bits::<32>(5));
        }
        self.reciprocal.next = !self.reciprocal_10.val();
        self.b11.next = bit_cast::<32, 29>(self.reciprocal.val()) << 3;
        if self.middle_10.val() {
            self.b11.next = self.rate_10.val();
        }
        self.second.a_next.next = self.a11.val();
        self.second.b_next.next = self.b11.val();
        // 13
        self.part.d.next = self.second.total_2.val().get_bits::<29>(21);
        if self.below_13.val() {
            self.part.d.next = bits::<29>(0);
        }
        self.of_rate.d.next = self.second.total_2.val().get_bits::<35>(15);
        // 14
        self.part_14.next = self.part.q.val();
        self.of_rate_14.next = self.of_rate.q.val();
    }
}
