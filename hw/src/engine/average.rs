//! The smoothed RTT difference; for Swift, how far the delay lies above the target without flow
//! scaling.
use super::word::ProfileWord;
use super::words::ProfileWrite;
use crate::num::{S, U};
use rust_hdl::prelude::*;
use timely_regs::profile;

/// `average += alpha (difference - average)`, rounded to 2^-13 ns; what alpha multiplies is rounded
/// to 2^-10 ns. For Swift `beta (rtt - base - hops hop)` by the same product.
///
/// A port's number is the clock after the issue at which it holds.
#[derive(LogicBlock, Default)]
pub struct Average {
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
    /// The profile's law is Swift.
    pub swift_3: Signal<In, Bit>,
    /// The average stays.
    pub hold_3: Signal<In, Bit>,
    /// The profile's law is not Swift.
    pub other_3: Signal<In, Bit>,
    /// The average before, 2^-13 ns, signed.
    pub old_3: Signal<In, Bits<38>>,
    /// RTT difference, ns, signed; for Swift the RTT.
    pub difference_3: Signal<In, Bits<25>>,
    /// Tlow, ns.
    pub low_3: Signal<In, Bits<24>>,
    /// Hops.
    pub hops_3: Signal<In, Bits<8>>,
    /// The new average, or the excess, 2^-13 ns, signed.
    pub average_8: Signal<Out, Bits<38>>,
    /// The new average is above the deadband.
    pub rising_9: Signal<Out, Bit>,
    /// The new average is below minus the deadband.
    pub falling_9: Signal<Out, Bit>,
    alpha: ProfileWord<32, { profile::ALPHA.word as usize }>,
    hop: ProfileWord<15, { profile::HOP.word as usize }>,
    deadband: ProfileWord<20, { profile::DEADBAND.word as usize }>,
    negated: Signal<Local, Bits<38>>,
    carry: Signal<Local, Bits<1>>,
    zero: Signal<Local, S<2>>,
    difference: Signal<Local, S<25>>,
    difference_wide: Signal<Local, S<26>>,
    difference_bits: Signal<Local, Bits<26>>,
    old_part: Signal<Local, S<35>>,
    old_wide: Signal<Local, S<36>>,
    newer: Signal<Local, Bits<36>>,
    older: Signal<Local, Bits<36>>,
    change_sum: Signal<Local, Bits<37>>,
    change4: DFF<Bits<36>>,
    hops: Signal<Local, U<8>>,
    each: Signal<Local, U<15>>,
    hops4: DFF<Bits<23>>,
    lowered: Signal<Local, Bits<26>>,
    change5: DFF<Bits<36>>,
    old4: DFF<Bits<38>>,
    old5: DFF<Bits<38>>,
    old6: DFF<Bits<38>>,
    change_low: Signal<Local, U<18>>,
    change_high: Signal<Local, S<18>>,
    gain_low: Signal<Local, U<17>>,
    gain_low_signed: Signal<Local, S<18>>,
    gain_high: Signal<Local, U<15>>,
    gain_high_signed: Signal<Local, S<16>>,
    ll: DFF<Bits<35>>,
    lh: DFF<Bits<33>>,
    hl: DFF<S<36>>,
    hh: DFF<S<34>>,
    hh_bits: Signal<Local, Bits<34>>,
    lh_signed: Signal<Local, S<34>>,
    hl_bits: Signal<Local, Bits<36>>,
    hl_doubled: Signal<Local, S<37>>,
    joined: Signal<Local, Bits<52>>,
    grown: Signal<Local, Bits<52>>,
    outer_bits: Signal<Local, Bits<52>>,
    outer: DFF<S<52>>,
    inner: DFF<S<38>>,
    sum: Signal<Local, S<52>>,
    sum_bits: Signal<Local, Bits<52>>,
    average: DFF<Bits<38>>,
    // Against the deadband.
    magnitude: Signal<Local, Bits<38>>,
    negative: Signal<Local, Bit>,
    zero_or_one: Signal<Local, Bits<1>>,
    complement: Signal<Local, Bits<21>>,
    left: Signal<Local, Bits<22>>,
    over: Signal<Local, Bit>,
    rising: DFF<Bit>,
    falling: DFF<Bit>,
}

impl Logic for Average {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, change4, hops4, change5, old4, old5, old6, ll, lh, hl, hh, outer, inner);
        dff_setup!(self, clk, average, rising, falling);
        self.alpha.clk.next = self.clk.val();
        self.alpha.bus.next = self.bus_3.val();
        self.alpha.address.next = self.profile_3.val();
        self.hop.clk.next = self.clk.val();
        self.hop.bus.next = self.bus_1.val();
        self.hop.address.next = self.profile_1.val();
        self.deadband.clk.next = self.clk.val();
        self.deadband.bus.next = self.bus_6.val();
        self.deadband.address.next = self.profile_6.val();
        // 3: difference - average, in units of 2^-10 ns; 4 - average is its complement and 5, of
        // which the low three bits are a carry. For Swift rtt - low.
        self.negated.next = !self.old_3.val();
        self.carry.next = bits::<1>(0);
        if self.negated.val().get_bits::<3>(0) >= bits::<3>(3) {
            self.carry.next = bits::<1>(1);
        }
        self.zero.next = bits::<2>(0).into();
        self.difference.next = self.difference_3.val().into();
        self.difference_wide.next = (self.difference.val() + self.zero.val()).into();
        self.difference_bits.next = self.difference_wide.val().into();
        self.old_part.next = self.negated.val().get_bits::<35>(3).into();
        self.old_wide.next = (self.old_part.val() + self.zero.val()).into();
        self.newer.next = bit_cast::<36, 26>(self.difference_bits.val()) << 10;
        self.older.next = self.old_wide.val().into();
        if self.swift_3.val() {
            self.older.next = !(bit_cast::<36, 24>(self.low_3.val()) << 10);
            self.carry.next = bits::<1>(1);
        }
        self.change_sum.next = (bit_cast::<37, 36>(self.newer.val()) << 1)
            - !((bit_cast::<37, 36>(self.older.val()) << 1) | bit_cast::<37, 1>(self.carry.val()));
        self.change4.d.next = self.change_sum.val().get_bits::<36>(1);
        if self.hold_3.val() {
            self.change4.d.next = bits::<36>(0);
        }
        self.hops.next = self.hops_3.val().into();
        self.each.next = self.hop.data.val().into();
        self.hops4.d.next = (self.hops.val() * self.each.val()).into();
        if self.other_3.val() {
            self.hops4.d.next = bits::<23>(0);
        }
        self.old4.d.next = self.old_3.val();
        // 4
        self.lowered.next = self.change4.q.val().get_bits::<26>(10) - bit_cast::<26, 23>(self.hops4.q.val());
        self.change5.d.next = (bit_cast::<36, 26>(self.lowered.val()) << 10) | bit_cast::<36, 10>(self.change4.q.val().get_bits::<10>(0));
        self.old5.d.next = self.old4.q.val();
        // 5: Q.42.
        self.change_low.next = self.change5.q.val().get_bits::<18>(0).into();
        self.change_high.next = self.change5.q.val().get_bits::<18>(18).into();
        self.gain_low.next = self.alpha.data.val().get_bits::<17>(0).into();
        self.gain_low_signed.next = bit_cast::<18, 17>(self.alpha.data.val().get_bits::<17>(0)).into();
        self.gain_high.next = self.alpha.data.val().get_bits::<15>(17).into();
        self.gain_high_signed.next = bit_cast::<16, 15>(self.alpha.data.val().get_bits::<15>(17)).into();
        self.ll.d.next = (self.change_low.val() * self.gain_low.val()).into();
        self.lh.d.next = (self.change_low.val() * self.gain_high.val()).into();
        self.hl.d.next = (self.change_high.val() * self.gain_low_signed.val()).into();
        self.hh.d.next = (self.change_high.val() * self.gain_high_signed.val()).into();
        self.old6.d.next = self.old5.q.val();
        // 6: Q.25, with half a unit of the average.
        self.hh_bits.next = self.hh.q.val().into();
        self.joined.next = (bit_cast::<52, 34>(self.hh_bits.val()) << 18) | bit_cast::<52, 18>(self.ll.q.val().get_bits::<18>(17));
        self.grown.next = (bit_cast::<52, 38>(self.old6.q.val()) << 12) | bits::<52>(2048);
        self.outer_bits.next = self.joined.val() + self.grown.val();
        self.outer.d.next = self.outer_bits.val().into();
        self.lh_signed.next = bit_cast::<34, 33>(self.lh.q.val()).into();
        self.hl_bits.next = self.hl.q.val().into();
        self.hl_doubled.next = (bit_cast::<37, 36>(self.hl_bits.val()) << 1).into();
        self.inner.d.next = (self.lh_signed.val() + self.hl_doubled.val()).into();
        // 7
        self.sum.next = (self.outer.q.val() + self.inner.q.val()).into();
        self.sum_bits.next = self.sum.val().into();
        self.average.d.next = self.sum_bits.val().get_bits::<38>(12);
        // 8
        self.average_8.next = self.average.q.val();
        // Of either sign the other one's complement is as large, or 1 smaller: then it is over
        // where it is as large as the deadband.
        self.negative.next = self.average.q.val().get_bit(37);
        self.magnitude.next = self.average.q.val();
        self.zero_or_one.next = bits::<1>(1);
        if self.negative.val() {
            self.magnitude.next = !self.average.q.val();
            self.zero_or_one.next = bits::<1>(0);
        }
        self.complement.next = !bit_cast::<21, 20>(self.magnitude.val().get_bits::<20>(0));
        self.left.next = (bit_cast::<22, 20>(self.deadband.data.val()) << 1)
            - !((bit_cast::<22, 21>(self.complement.val()) << 1) | bit_cast::<22, 1>(self.zero_or_one.val()));
        self.over.next = self.left.val().get_bit(21) | self.magnitude.val().get_bits::<17>(20).any();
        self.rising.d.next = self.over.val() & !self.negative.val();
        self.falling.d.next = self.over.val() & self.negative.val();
        // 9
        self.rising_9.next = self.rising.q.val();
        self.falling_9.next = self.falling.q.val();
        if self.rst.val() {
            self.old5.d.next = bits::<38>(0);
        }
    }
}
