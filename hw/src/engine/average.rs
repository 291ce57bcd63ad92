//! The smoothed RTT difference.
use super::word::ProfileWord;
use crate::num::{S, U};
use rust_hdl::prelude::*;
use timely_regs::profile;

/// `average += alpha (difference - average)`, rounded to 2^-13 ns; the average that alpha multiplies is cut to 2^-10 ns.
///
/// A port's number is the clock after the issue at which it holds. alpha * difference is computed ahead; the loop over the average
/// is read at 2 (its RAM), multiplied at 6, written at 9. Averages that are not written yet are forwarded, so operations of a flow may
/// follow each other in 5 clocks.
#[derive(LogicBlock, Default)]
pub struct Average<const F: usize> {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Clear `sweep_flow`.
    pub sweep: Signal<In, Bit>,
    /// The flow to clear.
    pub sweep_flow: Signal<In, Bits<F>>,
    /// Profile bus.
    pub bus_2: Signal<In, Bits<43>>,
    /// Profile bus.
    pub bus_5: Signal<In, Bits<43>>,
    /// Profile bus.
    pub bus_8: Signal<In, Bits<43>>,
    /// The operation's profile.
    pub profile_2: Signal<In, Bits<4>>,
    /// The same.
    pub profile_5: Signal<In, Bits<4>>,
    /// The same.
    pub profile_8: Signal<In, Bits<4>>,
    /// The operation's flow.
    pub flow_2: Signal<In, Bits<F>>,
    /// The same.
    pub flow_4: Signal<In, Bits<F>>,
    /// The same.
    pub flow_9: Signal<In, Bits<F>>,
    /// The same.
    pub flow_10: Signal<In, Bits<F>>,
    /// The same.
    pub flow_11: Signal<In, Bits<F>>,
    /// The operation is a sample.
    pub sample_9: Signal<In, Bit>,
    /// The same.
    pub sample_10: Signal<In, Bit>,
    /// The same.
    pub sample_11: Signal<In, Bit>,
    /// There was a history; without, the average starts at 0.
    pub history_3: Signal<In, Bit>,
    /// RTT difference, ns, signed.
    pub difference_3: Signal<In, Bits<25>>,
    /// The average before; 0 without history.
    pub before_6: Signal<Out, Bits<38>>,
    /// The new average, 2^-13 ns, signed.
    pub average_9: Signal<Out, Bits<38>>,
    /// It is above the deadband.
    pub rising_14: Signal<Out, Bit>,
    /// It is below minus the deadband.
    pub falling_10: Signal<Out, Bit>,
    alpha_gain: ProfileWord<32, { profile::ALPHA.word as usize }>,
    alpha_loss: ProfileWord<32, { profile::ALPHA.word as usize }>,
    deadband: ProfileWord<20, { profile::DEADBAND.word as usize }>,
    // alpha * difference, in limbs of 17 bits.
    difference_low: Signal<Local, U<17>>,
    difference_high: Signal<Local, S<8>>,
    gain_low: Signal<Local, U<17>>,
    gain_low_signed: Signal<Local, S<18>>,
    gain_high: Signal<Local, U<15>>,
    gain_high_signed: Signal<Local, S<16>>,
    gain_ll: DFF<Bits<34>>,
    gain_lh: DFF<Bits<32>>,
    gain_hl: DFF<S<26>>,
    gain_hh: DFF<S<24>>,
    gain_lh_signed: Signal<Local, S<33>>,
    gain_hh_bits: Signal<Local, Bits<24>>,
    gain_joined: Signal<Local, Bits<50>>,
    gain_outer: DFF<S<50>>,
    gain_inner: DFF<S<34>>,
    gain_inner_bits: Signal<Local, Bits<34>>,
    gain_shifted: Signal<Local, S<44>>,
    gain: DFF<S<50>>,
    gain_bits: Signal<Local, Bits<50>>,
    // The loop.
    ram: RAM<Bits<38>, F>,
    history4: DFF<Bit>,
    history5: DFF<Bit>,
    raw4: DFF<Bits<38>>,
    raw5: DFF<Bits<38>>,
    cut5: DFF<Bits<35>>,
    match5: DFF<Bit>,
    match6: DFF<Bit>,
    match7: DFF<Bit>,
    old: DFF<Bits<38>>,
    cut: DFF<Bits<35>>,
    cut_low: Signal<Local, U<17>>,
    cut_high: Signal<Local, S<18>>,
    loss_low: Signal<Local, U<17>>,
    loss_low_signed: Signal<Local, S<18>>,
    loss_high: Signal<Local, U<15>>,
    loss_high_signed: Signal<Local, S<16>>,
    loss_ll: DFF<Bits<34>>,
    loss_lh: DFF<Bits<32>>,
    loss_hl: DFF<S<36>>,
    loss_hh: DFF<S<34>>,
    loss_lh_signed: Signal<Local, S<33>>,
    loss_hh_bits: Signal<Local, Bits<34>>,
    loss_joined: Signal<Local, Bits<50>>,
    grown: DFF<Bits<50>>,
    outer_bits: Signal<Local, Bits<50>>,
    outer: DFF<S<50>>,
    inner: DFF<S<37>>,
    sum: Signal<Local, S<50>>,
    sum_bits: Signal<Local, Bits<50>>,
    new_bits: Signal<Local, Bits<50>>,
    new9: DFF<Bits<38>>,
    new10: DFF<Bits<38>>,
    new11: DFF<Bits<38>>,
    new12: DFF<Bits<38>>,
    cut10: DFF<Bits<35>>,
    cut11: DFF<Bits<35>>,
    cut12: DFF<Bits<35>>,
    // Against the deadband.
    signed9: Signal<Local, S<38>>,
    band: Signal<Local, S<21>>,
    over: Signal<Local, S<39>>,
    over_bits: Signal<Local, Bits<39>>,
    under: Signal<Local, S<39>>,
    under_bits: Signal<Local, Bits<39>>,
    // The first holds 10 clocks after the issue.
    rising: [DFF<Bit>; 5],
    falling: DFF<Bit>,
}

impl<const F: usize> Logic for Average<F> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, gain_ll, gain_lh, gain_hl, gain_hh, gain_outer, gain_inner, gain, raw4, raw5, cut5, match5, match6, match7);
        dff_setup!(self, clk, old, cut, loss_ll, loss_lh, loss_hl, loss_hh, grown, outer, inner, new9, new10, new11, new12);
        dff_setup!(self, clk, cut10, cut11, cut12, falling, history4, history5);
        for i in 0..5 {
            self.rising[i].clock.next = self.clk.val();
        }
        self.ram.read_clock.next = self.clk.val();
        self.ram.write_clock.next = self.clk.val();
        self.alpha_gain.clk.next = self.clk.val();
        self.alpha_gain.bus.next = self.bus_2.val();
        self.alpha_gain.address.next = self.profile_2.val();
        self.alpha_loss.clk.next = self.clk.val();
        self.alpha_loss.bus.next = self.bus_5.val();
        self.alpha_loss.address.next = self.profile_5.val();
        self.deadband.clk.next = self.clk.val();
        self.deadband.bus.next = self.bus_8.val();
        self.deadband.address.next = self.profile_8.val();
        // 3: alpha * difference, Q.32.
        self.difference_low.next = self.difference_3.val().get_bits::<17>(0).into();
        self.difference_high.next = self.difference_3.val().get_bits::<8>(17).into();
        self.gain_low.next = self.alpha_gain.data.val().get_bits::<17>(0).into();
        self.gain_low_signed.next = bit_cast::<18, 17>(self.alpha_gain.data.val().get_bits::<17>(0)).into();
        self.gain_high.next = self.alpha_gain.data.val().get_bits::<15>(17).into();
        self.gain_high_signed.next = bit_cast::<16, 15>(self.alpha_gain.data.val().get_bits::<15>(17)).into();
        self.gain_ll.d.next = (self.difference_low.val() * self.gain_low.val()).into();
        self.gain_lh.d.next = (self.difference_low.val() * self.gain_high.val()).into();
        self.gain_hl.d.next = (self.difference_high.val() * self.gain_low_signed.val()).into();
        self.gain_hh.d.next = (self.difference_high.val() * self.gain_high_signed.val()).into();
        // 4: to Q.25, with the half unit of the last rounding.
        self.gain_hh_bits.next = self.gain_hh.q.val().into();
        self.gain_joined.next =
            (bit_cast::<50, 24>(self.gain_hh_bits.val()) << 27) | bit_cast::<50, 27>(self.gain_ll.q.val().get_bits::<27>(7));
        self.outer_bits.next = self.gain_joined.val() + bits::<50>(2048);
        self.gain_outer.d.next = self.outer_bits.val().into();
        self.gain_lh_signed.next = bit_cast::<33, 32>(self.gain_lh.q.val()).into();
        self.gain_inner.d.next = (self.gain_lh_signed.val() + self.gain_hl.q.val()).into();
        // 5
        self.gain_inner_bits.next = self.gain_inner.q.val().into();
        self.gain_shifted.next = (bit_cast::<44, 34>(self.gain_inner_bits.val()) << 10).into();
        self.gain.d.next = (self.gain_outer.q.val() + self.gain_shifted.val()).into();
        // 2: the loop begins. An operation five clocks ahead is at 10 when this one is at 5, and so on.
        self.ram.read_address.next = self.flow_2.val();
        // 3
        self.history4.d.next = self.history_3.val();
        self.raw4.d.next = self.ram.read_data.val();
        // 4
        self.history5.d.next = self.history4.q.val();
        self.raw5.d.next = self.raw4.q.val();
        self.cut5.d.next = self.raw4.q.val().get_bits::<35>(3) + bit_cast::<35, 1>(self.raw4.q.val().get_bits::<1>(2));
        self.match5.d.next = self.sample_9.val() & (self.flow_4.val() == self.flow_9.val());
        self.match6.d.next = self.sample_10.val() & (self.flow_4.val() == self.flow_10.val());
        self.match7.d.next = self.sample_11.val() & (self.flow_4.val() == self.flow_11.val());
        // 5
        self.old.d.next = self.raw5.q.val();
        self.cut.d.next = self.cut5.q.val();
        if !self.history5.q.val() {
            self.old.d.next = bits::<38>(0);
            self.cut.d.next = bits::<35>(0);
        } else if self.match5.q.val() {
            self.old.d.next = self.new10.q.val();
            self.cut.d.next = self.cut10.q.val();
        } else if self.match6.q.val() {
            self.old.d.next = self.new11.q.val();
            self.cut.d.next = self.cut11.q.val();
        } else if self.match7.q.val() {
            self.old.d.next = self.new12.q.val();
            self.cut.d.next = self.cut12.q.val();
        }
        // 6: alpha * average, Q.42.
        self.before_6.next = self.old.q.val();
        self.cut_low.next = self.cut.q.val().get_bits::<17>(0).into();
        self.cut_high.next = self.cut.q.val().get_bits::<18>(17).into();
        self.loss_low.next = self.alpha_loss.data.val().get_bits::<17>(0).into();
        self.loss_low_signed.next = bit_cast::<18, 17>(self.alpha_loss.data.val().get_bits::<17>(0)).into();
        self.loss_high.next = self.alpha_loss.data.val().get_bits::<15>(17).into();
        self.loss_high_signed.next = bit_cast::<16, 15>(self.alpha_loss.data.val().get_bits::<15>(17)).into();
        self.loss_ll.d.next = (self.cut_low.val() * self.loss_low.val()).into();
        self.loss_lh.d.next = (self.cut_low.val() * self.loss_high.val()).into();
        self.loss_hl.d.next = (self.cut_high.val() * self.loss_low_signed.val()).into();
        self.loss_hh.d.next = (self.cut_high.val() * self.loss_high_signed.val()).into();
        self.gain_bits.next = self.gain.q.val().into();
        self.grown.d.next = self.gain_bits.val() + (bit_cast::<50, 38>(self.old.q.val()) << 12);
        // 7: Q.25.
        self.loss_hh_bits.next = self.loss_hh.q.val().into();
        self.loss_joined.next =
            (bit_cast::<50, 34>(self.loss_hh_bits.val()) << 17) | bit_cast::<50, 17>(self.loss_ll.q.val().get_bits::<17>(17));
        self.sum_bits.next = self.grown.q.val() - self.loss_joined.val();
        self.outer.d.next = self.sum_bits.val().into();
        self.loss_lh_signed.next = bit_cast::<33, 32>(self.loss_lh.q.val()).into();
        self.inner.d.next = (self.loss_lh_signed.val() + self.loss_hl.q.val()).into();
        // 8
        self.sum.next = (self.outer.q.val() - self.inner.q.val()).into();
        self.new_bits.next = self.sum.val().into();
        self.new9.d.next = self.new_bits.val().get_bits::<38>(12);
        // 9
        self.ram.write_address.next = self.flow_9.val();
        self.ram.write_data.next = self.new9.q.val();
        self.ram.write_enable.next = self.sample_9.val();
        if self.sweep.val() {
            self.ram.write_address.next = self.sweep_flow.val();
            self.ram.write_data.next = bits::<38>(0);
            self.ram.write_enable.next = true;
        }
        self.cut10.d.next = self.new9.q.val().get_bits::<35>(3) + bit_cast::<35, 1>(self.new9.q.val().get_bits::<1>(2));
        self.cut11.d.next = self.cut10.q.val();
        self.cut12.d.next = self.cut11.q.val();
        self.new10.d.next = self.new9.q.val();
        self.new11.d.next = self.new10.q.val();
        self.new12.d.next = self.new11.q.val();
        self.signed9.next = self.new9.q.val().into();
        self.band.next = bit_cast::<21, 20>(self.deadband.data.val()).into();
        self.over.next = (self.band.val() - self.signed9.val()).into();
        self.over_bits.next = self.over.val().into();
        self.rising[0].d.next = self.over_bits.val().get_bit(38);
        self.under.next = (self.signed9.val() + self.band.val()).into();
        self.under_bits.next = self.under.val().into();
        self.falling.d.next = self.under_bits.val().get_bit(38);
        self.average_9.next = self.new9.q.val();
        // 10 to 14
        self.falling_10.next = self.falling.q.val();
        for i in 0..4 {
            self.rising[i + 1].d.next = self.rising[i].q.val();
        }
        self.rising_14.next = self.rising[4].q.val();
    }
}
