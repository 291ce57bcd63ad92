//! Results of the laws for a delay and the flow's state: Patched TIMELY's error, the PI
//! controller's output, Swift's flow scaling.
use super::product::Limbs;
use super::word::ProfileWord;
use super::words::{FlowShift, Gain, ProfileWrite, RootWord};
use crate::num::S;
use rust_hdl::prelude::*;
use timely_regs::profile;

/// One product for the three of them, by the law.
///
/// A port's number is the clock after the issue at which it holds. Patched TIMELY:
/// `b (rtt - Tref) / Tref`. PI: the output goes on from `mark` by the gains of error and change,
/// each of which counts for 2^17 ns at most. Swift: the reciprocal root of the rate, of which the
/// exponent shifts the gain before it meets the mantissa.
#[derive(LogicBlock, Default)]
pub struct Error {
    pub clk: Signal<In, Clock>,
    /// Synchronous reset, active high: nothing needs it, but it keeps delays of a few clocks in
    /// flip-flops.
    pub rst: Signal<In, Bit>,
    /// Profile bus.
    pub bus_1: Signal<In, ProfileWrite>,
    /// Profile bus.
    pub bus_3: Signal<In, ProfileWrite>,
    /// Profile bus.
    pub bus_6: Signal<In, ProfileWrite>,
    /// The operation's profile.
    pub profile_1: Signal<In, Bits<4>>,
    /// As `profile_1`, 2 clocks later.
    pub profile_3: Signal<In, Bits<4>>,
    /// As `profile_1`, 5 clocks later.
    pub profile_6: Signal<In, Bits<4>>,
    /// The law is not Swift.
    pub other_3: Signal<In, Bit>,
    /// The law is PI.
    pub pi_3: Signal<In, Bit>,
    /// RTT, ns.
    pub rtt_3: Signal<In, Bits<24>>,
    /// RTT difference, ns, signed.
    pub difference_3: Signal<In, Bits<25>>,
    /// Mark from which the PI controller's output goes on, Q.40.
    pub mark_3: Signal<In, Bits<40>>,
    /// The rate's root.
    pub root_3: Signal<In, RootWord>,
    /// The product's sum, before a register: error in bits 48..16, PI's output in 56..24, Q.30.
    pub total_7: Signal<Out, Bits<58>>,
    /// Mark from which PI's output goes on, not below 0.
    pub kept_9: Signal<Out, Bits<40>>,
    /// PI's output goes on from the greatest number.
    pub over_9: Signal<Out, Bit>,
    /// beta times flow scaling, 2^-13 ns.
    pub flow_9: Signal<Out, Bits<32>>,
    reference: ProfileWord<24, { profile::T_REF.word as usize }>,
    gain: ProfileWord<32, { profile::ERROR_GAIN.word as usize }>,
    proportional: ProfileWord<25, { profile::PROPORTIONAL_GAIN.word as usize }>,
    flow_gain: ProfileWord<32, { profile::FLOW_GAIN.word as usize }>,
    flow_shift: ProfileWord<32, { profile::FLOW_SHIFT.word as usize }>,
    flow_offset: ProfileWord<32, { profile::FLOW_OFFSET.word as usize }>,
    flow_range: ProfileWord<32, { profile::FLOW_RANGE.word as usize }>,
    product: Limbs<9>,
    flow_shift_3: Signal<Local, FlowShift>,
    difference: DFF<Bits<25>>,
    change: Signal<Local, Bits<18>>,
    change4: DFF<Bits<18>>,
    gain4: DFF<Gain>,
    proportional4: DFF<Bits<25>>,
    flow4: DFF<Bits<32>>,
    amount4: DFF<Bits<4>>,
    root4: DFF<Bits<27>>,
    root: Signal<Local, Bits<27>>,
    mark4: DFF<Bits<40>>,
    mark5: DFF<Bits<40>>,
    /// The law is not Swift.
    other4: DFF<Bit>,
    other5: DFF<Bit>,
    pi4: DFF<Bit>,
    pi5: DFF<Bit>,
    pi6: DFF<Bit>,
    // The first holds 4 clocks after the issue.
    far: [DFF<Bit>; 5],
    bounded: Signal<Local, Bits<18>>,
    plain: Signal<Local, Bits<33>>,
    shifted: Signal<Local, Bits<33>>,
    scaled: Signal<Local, Bits<32>>,
    a5: Signal<Local, Bits<33>>,
    b5: Signal<Local, Bits<32>>,
    change_signed: Signal<Local, S<18>>,
    proportional_low: Signal<Local, S<9>>,
    proportional_high: Signal<Local, S<18>>,
    low5: DFF<S<27>>,
    high5: DFF<S<36>>,
    low_bits: Signal<Local, Bits<27>>,
    zero: Signal<Local, S<2>>,
    change_low: Signal<Local, S<19>>,
    change_sum: Signal<Local, S<37>>,
    change_sum_bits: Signal<Local, Bits<37>>,
    changed: Signal<Local, Bits<45>>,
    changed_signed: Signal<Local, S<45>>,
    changed_wide: Signal<Local, S<46>>,
    changed_bits: Signal<Local, Bits<46>>,
    start6: DFF<Bits<46>>,
    offset6: DFF<Bits<32>>,
    addend: Signal<Local, Bits<46>>,
    addend_signed: Signal<Local, S<46>>,
    more: Signal<Local, Bits<42>>,
    upper: Signal<Local, S<42>>,
    outer: DFF<S<46>>,
    outer_bits: Signal<Local, Bits<46>>,
    outer_one: Signal<Local, S<47>>,
    inner_one: Signal<Local, S<27>>,
    sum: Signal<Local, S<47>>,
    sum_bits: Signal<Local, Bits<47>>,
    total: Signal<Local, Bits<58>>,
    total8: DFF<Bits<40>>,
    output8: DFF<Bits<44>>,
    kept: DFF<Bits<40>>,
    over: DFF<Bit>,
    flow: DFF<Bits<32>>,
}

impl Logic for Error {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, difference, change4, gain4, proportional4, flow4, amount4, root4, mark4, mark5, other4, other5);
        dff_setup!(self, clk, pi4, pi5, pi6, low5, high5, start6, offset6, outer, total8, output8, kept, over, flow);
        for i in 0..5 {
            self.far[i].clock.next = self.clk.val();
        }
        self.product.clk.next = self.clk.val();
        self.product.rst.next = self.rst.val();
        self.reference.clk.next = self.clk.val();
        self.reference.bus.next = self.bus_1.val();
        self.reference.address.next = self.profile_1.val();
        self.gain.clk.next = self.clk.val();
        self.gain.bus.next = self.bus_1.val();
        self.gain.address.next = self.profile_1.val();
        self.proportional.clk.next = self.clk.val();
        self.proportional.bus.next = self.bus_1.val();
        self.proportional.address.next = self.profile_1.val();
        self.flow_gain.clk.next = self.clk.val();
        self.flow_gain.bus.next = self.bus_1.val();
        self.flow_gain.address.next = self.profile_1.val();
        self.flow_shift.clk.next = self.clk.val();
        self.flow_shift.bus.next = self.bus_1.val();
        self.flow_shift.address.next = self.profile_1.val();
        self.flow_offset.clk.next = self.clk.val();
        self.flow_offset.bus.next = self.bus_3.val();
        self.flow_offset.address.next = self.profile_3.val();
        self.flow_range.clk.next = self.clk.val();
        self.flow_range.bus.next = self.bus_6.val();
        self.flow_range.address.next = self.profile_6.val();
        // 3
        self.difference.d.next = bit_cast::<25, 24>(self.rtt_3.val()) - bit_cast::<25, 24>(self.reference.data.val());
        self.change.next = self.difference_3.val().get_bits::<18>(0);
        if self.difference_3.val().get_bit(24) & (self.difference_3.val().get_bits::<7>(17) != bits::<7>(127)) {
            self.change.next = bits::<18>(131072);
        }
        if !self.difference_3.val().get_bit(24) & self.difference_3.val().get_bits::<7>(17).any() {
            self.change.next = bits::<18>(131071);
        }
        self.change4.d.next = self.change.val();
        self.gain4.d.next = self.gain.data.val().into();
        self.proportional4.d.next = self.proportional.data.val();
        self.flow4.d.next = self.flow_gain.data.val();
        self.root4.d.next = self.root_3.val().complement;
        self.flow_shift_3.next = self.flow_shift.data.val().into();
        self.amount4.d.next = self.flow_shift_3.val().shift - self.root_3.val().shift;
        self.far[0].d.next = self.root_3.val().shift > self.flow_shift_3.val().shift;
        for i in 0..4 {
            self.far[i + 1].d.next = self.far[i].q.val();
        }
        self.mark4.d.next = self.mark_3.val();
        self.other4.d.next = self.other_3.val();
        self.pi4.d.next = self.pi_3.val();
        // 4
        self.bounded.next = self.difference.q.val().get_bits::<18>(0);
        if self.difference.q.val().get_bit(24) & (self.difference.q.val().get_bits::<7>(17) != bits::<7>(127)) {
            self.bounded.next = bits::<18>(131072);
        }
        if !self.difference.q.val().get_bit(24) & self.difference.q.val().get_bits::<7>(17).any() {
            self.bounded.next = bits::<18>(131071);
        }
        self.plain.next = bit_cast::<33, 25>(self.difference.q.val()) << 8;
        if self.gain4.q.val().shift_2 {
            self.shifted.next = self.plain.val() << 8;
            if self.gain4.q.val().shift_1 {
                self.shifted.next = self.plain.val() << 12;
            }
        } else {
            self.shifted.next = self.plain.val();
            if self.gain4.q.val().shift_1 {
                self.shifted.next = self.plain.val() << 4;
            }
        }
        self.scaled.next = self.flow4.q.val() >> self.amount4.q.val();
        self.a5.next = bit_cast::<33, 32>(self.scaled.val());
        self.root.next = !self.root4.q.val();
        self.b5.next = bit_cast::<32, 27>(self.root.val()) << 2;
        if self.other4.q.val() {
            self.b5.next = bit_cast::<32, 30>(self.gain4.q.val().mantissa) << 2;
            self.a5.next = self.shifted.val();
            if self.pi4.q.val() {
                self.a5.next = bit_cast::<33, 18>(self.bounded.val()) << 15;
            }
        }
        self.product.a_next.next = self.a5.val();
        self.product.b_next.next = self.b5.val();
        self.change_signed.next = self.change4.q.val().into();
        self.proportional_low.next = bit_cast::<9, 8>(self.proportional4.q.val().get_bits::<8>(0)).into();
        self.proportional_high.next = bit_cast::<18, 17>(self.proportional4.q.val().get_bits::<17>(8)).into();
        self.low5.d.next = (self.change_signed.val() * self.proportional_low.val()).into();
        self.high5.d.next = (self.change_signed.val() * self.proportional_high.val()).into();
        self.mark5.d.next = self.mark4.q.val();
        self.other5.d.next = self.other4.q.val();
        self.pi5.d.next = self.pi4.q.val();
        // 5: where PI's output starts, Q.40; what flow scaling is lowered by.
        self.zero.next = bits::<2>(0).into();
        self.low_bits.next = self.low5.q.val().into();
        self.change_low.next = self.low_bits.val().get_bits::<19>(8).into();
        self.change_sum.next = (self.high5.q.val() + self.change_low.val()).into();
        self.change_sum_bits.next = self.change_sum.val().into();
        self.changed.next = (bit_cast::<45, 37>(self.change_sum_bits.val()) << 8) | bit_cast::<45, 8>(self.low_bits.val().get_bits::<8>(0));
        self.changed_signed.next = self.changed.val().into();
        self.changed_wide.next = (self.changed_signed.val() + self.zero.val()).into();
        self.changed_bits.next = self.changed_wide.val().into();
        self.start6.d.next = bit_cast::<46, 40>(self.mark5.q.val()) + self.changed_bits.val();
        self.offset6.d.next = self.flow_offset.data.val();
        if self.other5.q.val() {
            self.offset6.d.next = bits::<32>(0);
        }
        self.pi6.d.next = self.pi5.q.val();
        // 6, in units of 2^9 (of which `total` counts 2^12), of which the sums below have two more
        // by carries. Without PI -offset is ~offset and 1, here 2^4, and half a unit of the result
        // 2^3: 15 + 7 + 2 are both; with PI the carries are half a unit.
        self.addend.next = (!(bit_cast::<46, 32>(self.offset6.q.val()) << 4)) | bits::<46>(15);
        self.more.next = (bit_cast::<42, 36>(self.product.upper_1.val()) << 6) | bits::<42>(7);
        if self.pi6.q.val() {
            self.addend.next = bit_cast::<46, 44>(self.start6.q.val().get_bits::<44>(0)) << 2;
            self.more.next = bit_cast::<42, 36>(self.product.upper_1.val()) << 6;
        }
        self.addend_signed.next = self.addend.val().into();
        self.upper.next = self.more.val().into();
        self.outer.d.next = (self.addend_signed.val() + self.upper.val()).into();
        // 7
        self.outer_bits.next = self.outer.q.val().into();
        self.outer_one.next = ((bit_cast::<47, 46>(self.outer_bits.val()) << 1) | bits::<47>(1)).into();
        self.inner_one.next = ((bit_cast::<27, 26>(self.product.lower_2.val().get_bits::<26>(9)) << 1) | bits::<27>(1)).into();
        self.sum.next = (self.outer_one.val() + self.inner_one.val()).into();
        self.sum_bits.next = self.sum.val().into();
        self.total.next = bit_cast::<58, 46>(self.sum_bits.val().get_bits::<46>(1)) << 12;
        self.total_7.next = self.total.val();
        self.total8.d.next = self.total.val().get_bits::<40>(16);
        self.output8.d.next = self.total.val().get_bits::<44>(14);
        // 8: into their ranges.
        self.kept.d.next = self.output8.q.val().get_bits::<40>(0);
        self.over.d.next = self.output8.q.val().get_bits::<3>(40).any() & !self.output8.q.val().get_bit(43);
        if self.output8.q.val().get_bit(43) {
            self.kept.d.next = bits::<40>(0);
        }
        self.flow.d.next = self.total8.q.val().get_bits::<32>(0);
        if self.far[4].q.val()
            | self.total8.q.val().get_bits::<8>(32).any()
            | (self.total8.q.val().get_bits::<32>(0) > self.flow_range.data.val())
        {
            self.flow.d.next = self.flow_range.data.val();
        }
        if self.total8.q.val().get_bit(39) & !self.far[4].q.val() {
            self.flow.d.next = bits::<32>(0);
        }
        // 9
        self.kept_9.next = self.kept.q.val();
        self.over_9.next = self.over.q.val();
        self.flow_9.next = self.flow.q.val();
        if self.rst.val() {
            self.mark4.d.next = bits::<40>(0);
        }
    }
}
