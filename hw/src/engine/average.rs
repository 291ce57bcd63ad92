//! The smoothed RTT difference; for Swift, how far the delay lies above the target without flow scaling.
use super::word::ProfileWord;
use crate::num::{S, U};
use rust_hdl::prelude::*;
use timely_regs::profile;

/// `average += alpha (difference - average)`, rounded to 2^-13 ns; what alpha multiplies is rounded to 2^-10 ns. For Swift
/// `beta (rtt - base - hops hop)` by the same product.
///
/// A port's number is the clock after the issue at which it holds.
#[derive(LogicBlock, Default)]
pub struct Average {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Profile bus.
    pub bus_2: Signal<In, Bits<43>>,
    /// Profile bus.
    pub bus_7: Signal<In, Bits<43>>,
    /// The operation's profile.
    pub profile_2: Signal<In, Bits<4>>,
    /// The same.
    pub profile_7: Signal<In, Bits<4>>,
    /// The profile's law is Swift.
    pub swift_3: Signal<In, Bit>,
    /// The average before, 2^-13 ns, signed.
    pub old_3: Signal<In, Bits<38>>,
    /// RTT difference, ns, signed.
    pub difference_3: Signal<In, Bits<25>>,
    /// RTT, ns.
    pub rtt_3: Signal<In, Bits<24>>,
    /// Tlow, ns.
    pub low_3: Signal<In, Bits<24>>,
    /// Hops.
    pub hops_3: Signal<In, Bits<8>>,
    /// The new average, or the excess, 2^-13 ns, signed.
    pub average_8: Signal<Out, Bits<38>>,
    /// It is above the deadband.
    pub rising_9: Signal<Out, Bit>,
    /// It is below minus the deadband.
    pub falling_9: Signal<Out, Bit>,
    alpha: ProfileWord<32, { profile::ALPHA.word as usize }>,
    beta: ProfileWord<32, { profile::BETA.word as usize }>,
    hop: ProfileWord<15, { profile::HOP.word as usize }>,
    deadband: ProfileWord<20, { profile::DEADBAND.word as usize }>,
    negated: Signal<Local, Bits<38>>,
    carry: Signal<Local, Bits<1>>,
    new_part: Signal<Local, S<36>>,
    old_part: Signal<Local, S<36>>,
    change_sum: Signal<Local, S<37>>,
    change_bits: Signal<Local, Bits<37>>,
    change4: DFF<Bits<36>>,
    gain4: DFF<Bits<32>>,
    swift4: DFF<Bit>,
    above4: DFF<Bits<25>>,
    hops: Signal<Local, U<8>>,
    each: Signal<Local, U<15>>,
    hops4: DFF<Bits<23>>,
    above: Signal<Local, Bits<25>>,
    change5: DFF<Bits<36>>,
    gain5: DFF<Bits<32>>,
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
    signed_average: Signal<Local, S<38>>,
    band: Signal<Local, S<21>>,
    over: Signal<Local, S<39>>,
    over_bits: Signal<Local, Bits<39>>,
    under: Signal<Local, S<39>>,
    under_bits: Signal<Local, Bits<39>>,
    rising: DFF<Bit>,
    falling: DFF<Bit>,
}

impl Logic for Average {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, change4, gain4, above4, hops4, change5, gain5, old4, old5, old6, ll, lh, hl, hh, outer, inner);
        dff_setup!(self, clk, average, rising, falling, swift4);
        self.alpha.clk.next = self.clk.val();
        self.alpha.bus.next = self.bus_2.val();
        self.alpha.address.next = self.profile_2.val();
        self.beta.clk.next = self.clk.val();
        self.beta.bus.next = self.bus_2.val();
        self.beta.address.next = self.profile_2.val();
        self.hop.clk.next = self.clk.val();
        self.hop.bus.next = self.bus_2.val();
        self.hop.address.next = self.profile_2.val();
        self.deadband.clk.next = self.clk.val();
        self.deadband.bus.next = self.bus_7.val();
        self.deadband.address.next = self.profile_7.val();
        // 3: difference - average, in units of 2^-10 ns; 4 - average is its complement and 5, of which the low three bits are a carry.
        self.negated.next = !self.old_3.val();
        self.carry.next = bits::<1>(0);
        if self.negated.val().get_bits::<3>(0) >= bits::<3>(3) {
            self.carry.next = bits::<1>(1);
        }
        self.new_part.next = ((bit_cast::<36, 25>(self.difference_3.val()) << 11) | bits::<36>(1)).into();
        self.old_part.next = ((bit_cast::<36, 35>(self.negated.val().get_bits::<35>(3)) << 1) | bit_cast::<36, 1>(self.carry.val())).into();
        self.change_sum.next = (self.new_part.val() + self.old_part.val()).into();
        self.change_bits.next = self.change_sum.val().into();
        self.change4.d.next = self.change_bits.val().get_bits::<36>(1);
        self.gain4.d.next = self.alpha.data.val();
        if self.swift_3.val() {
            self.gain4.d.next = self.beta.data.val();
        }
        self.swift4.d.next = self.swift_3.val();
        self.above4.d.next = bit_cast::<25, 24>(self.rtt_3.val()) - bit_cast::<25, 24>(self.low_3.val());
        self.hops.next = self.hops_3.val().into();
        self.each.next = self.hop.data.val().into();
        self.hops4.d.next = (self.hops.val() * self.each.val()).into();
        self.old4.d.next = self.old_3.val();
        // 4
        self.above.next = self.above4.q.val() - bit_cast::<25, 23>(self.hops4.q.val());
        self.change5.d.next = self.change4.q.val();
        if self.swift4.q.val() {
            self.change5.d.next = bit_cast::<36, 25>(self.above.val()) << 11;
        }
        self.gain5.d.next = self.gain4.q.val();
        self.old5.d.next = self.old4.q.val();
        // 5: Q.42.
        self.change_low.next = self.change5.q.val().get_bits::<18>(0).into();
        self.change_high.next = self.change5.q.val().get_bits::<18>(18).into();
        self.gain_low.next = self.gain5.q.val().get_bits::<17>(0).into();
        self.gain_low_signed.next = bit_cast::<18, 17>(self.gain5.q.val().get_bits::<17>(0)).into();
        self.gain_high.next = self.gain5.q.val().get_bits::<15>(17).into();
        self.gain_high_signed.next = bit_cast::<16, 15>(self.gain5.q.val().get_bits::<15>(17)).into();
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
        self.signed_average.next = self.average.q.val().into();
        self.band.next = bit_cast::<21, 20>(self.deadband.data.val()).into();
        self.over.next = (self.band.val() - self.signed_average.val()).into();
        self.over_bits.next = self.over.val().into();
        self.rising.d.next = self.over_bits.val().get_bit(38);
        self.under.next = (self.signed_average.val() + self.band.val()).into();
        self.under_bits.next = self.under.val().into();
        self.falling.d.next = self.under_bits.val().get_bit(38);
        // 9
        self.rising_9.next = self.rising.q.val();
        self.falling_9.next = self.falling.q.val();
    }
}
