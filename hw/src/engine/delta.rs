//! The delta factor: which part of a full step the time since the last update allows.
use super::word::ProfileWord;
use crate::num::U;
use rust_hdl::prelude::*;
use timely_regs::profile;

/// `min(age / T_upd, 1)` in Q.26; 1 without history, or when the profile wants none.
///
/// A port's number is the clock after the issue at which it holds. The age is shifted so that T_upd would fill 24 bits, then multiplied
/// by the mantissa of 1 / T_upd.
#[derive(LogicBlock, Default)]
pub struct Delta {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Profile bus.
    pub bus_2: Signal<In, Bits<43>>,
    /// The operation's profile.
    pub profile_2: Signal<In, Bits<4>>,
    /// A full step in any case.
    pub full_3: Signal<In, Bit>,
    /// Time since the last update, ns.
    pub age_3: Signal<In, Bits<32>>,
    /// The delta factor, Q.26, 27 bits.
    pub factor_10: Signal<Out, Bits<27>>,
    /// The same.
    pub factor_12: Signal<Out, Bits<27>>,
    interval: ProfileWord<24, { profile::UPDATE_INTERVAL.word as usize }>,
    inverse: ProfileWord<32, { profile::UPDATE_INVERSE.word as usize }>,
    shifted: Signal<Local, Bits<24>>,
    normal: DFF<Bits<24>>,
    mantissa: DFF<Bits<26>>,
    full4: DFF<Bit>,
    full5: DFF<Bit>,
    full6: DFF<Bit>,
    full7: DFF<Bit>,
    normal_low: Signal<Local, U<17>>,
    normal_high: Signal<Local, U<7>>,
    mantissa_low: Signal<Local, U<17>>,
    mantissa_high: Signal<Local, U<9>>,
    ll: DFF<Bits<34>>,
    lh: DFF<Bits<26>>,
    hl: DFF<Bits<24>>,
    hh: DFF<Bits<16>>,
    joined: Signal<Local, Bits<34>>,
    outer: DFF<Bits<34>>,
    inner: DFF<Bits<27>>,
    sum: Signal<Local, Bits<34>>,
    part: DFF<Bits<27>>,
    // The first holds 8 clocks after the issue.
    factor: [DFF<Bits<27>>; 5],
}

impl Logic for Delta {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, normal, mantissa, full4, full5, full6, full7, ll, lh, hl, hh, outer, inner, part);
        for i in 0..5 {
            self.factor[i].clock.next = self.clk.val();
        }
        self.interval.clk.next = self.clk.val();
        self.interval.bus.next = self.bus_2.val();
        self.interval.address.next = self.profile_2.val();
        self.inverse.clk.next = self.clk.val();
        self.inverse.bus.next = self.bus_2.val();
        self.inverse.address.next = self.profile_2.val();
        // 3
        self.full4.d.next = self.full_3.val() | (self.age_3.val() >= bit_cast::<32, 24>(self.interval.data.val()));
        self.shifted.next = self.age_3.val().get_bits::<24>(0) << self.inverse.data.val().get_bits::<5>(27);
        self.normal.d.next = self.shifted.val();
        self.mantissa.d.next = self.inverse.data.val().get_bits::<26>(0);
        // 4
        self.normal_low.next = self.normal.q.val().get_bits::<17>(0).into();
        self.normal_high.next = self.normal.q.val().get_bits::<7>(17).into();
        self.mantissa_low.next = self.mantissa.q.val().get_bits::<17>(0).into();
        self.mantissa_high.next = self.mantissa.q.val().get_bits::<9>(17).into();
        self.ll.d.next = (self.normal_low.val() * self.mantissa_low.val()).into();
        self.lh.d.next = (self.normal_low.val() * self.mantissa_high.val()).into();
        self.hl.d.next = (self.normal_high.val() * self.mantissa_low.val()).into();
        self.hh.d.next = (self.normal_high.val() * self.mantissa_high.val()).into();
        self.full5.d.next = self.full4.q.val();
        // 5
        self.joined.next = (bit_cast::<34, 16>(self.hh.q.val()) << 17) | bit_cast::<34, 17>(self.ll.q.val().get_bits::<17>(17));
        self.outer.d.next = self.joined.val() + bits::<34>(32);
        self.inner.d.next = bit_cast::<27, 26>(self.lh.q.val()) + bit_cast::<27, 24>(self.hl.q.val());
        self.full6.d.next = self.full5.q.val();
        // 6
        self.sum.next = self.outer.q.val() + bit_cast::<34, 27>(self.inner.q.val());
        self.part.d.next = self.sum.val().get_bits::<27>(6);
        self.full7.d.next = self.full6.q.val();
        // 7
        self.factor[0].d.next = self.part.q.val();
        if self.full7.q.val() {
            self.factor[0].d.next = bits::<27>(67108864);
        }
        // 8 to 12
        for i in 0..4 {
            self.factor[i + 1].d.next = self.factor[i].q.val();
        }
        self.factor_10.next = self.factor[2].q.val();
        self.factor_12.next = self.factor[4].q.val();
    }
}
