//! The delta factor: which part of a full step the time since the last update allows.
use super::product::Product;
use super::word::ProfileWord;
use super::words::{Gain, ProfileWrite};
use rust_hdl::prelude::*;
use timely_regs::profile;

/// `min(age / T_upd, 1)` in Q.26; 1 without history, or when the profile wants none.
///
/// A port's number is the clock after the issue at which it holds. The age is shifted so that T_upd
/// would fill 24 bits, then multiplied by the mantissa of 1 / T_upd.
#[derive(LogicBlock, Default)]
pub struct Delta {
    pub clk: Signal<In, Clock>,
    /// Synchronous reset, active high: nothing needs it, but it keeps delays of a few clocks in
    /// flip-flops.
    pub rst: Signal<In, Bit>,
    /// Profile bus.
    pub bus_1: Signal<In, ProfileWrite>,
    /// The operation's profile.
    pub profile_1: Signal<In, Bits<4>>,
    /// A full step in any case.
    pub full_3: Signal<In, Bit>,
    /// Time since the last update, ns.
    pub age_3: Signal<In, Bits<32>>,
    /// The delta factor, Q.26, 27 bits, before its register.
    pub factor_7: Signal<Out, Bits<27>>,
    /// The delta factor, from a register that is there for it.
    pub factor_10: Signal<Out, Bits<27>>,
    interval: ProfileWord<24, { profile::UPDATE_INTERVAL.word as usize }>,
    inverse: ProfileWord<32, { profile::UPDATE_INVERSE.word as usize }>,
    product: Product<15, 0>,
    age: Signal<Local, Bits<24>>,
    inverse_3: Signal<Local, Gain>,
    normal: Signal<Local, Bits<24>>,
    // The first holds 4 clocks after the issue.
    full: [DFF<Bit>; 4],
    part: DFF<Bits<27>>,
    // The first holds 8 clocks after the issue.
    factor: [DFF<Bits<27>>; 3],
}

impl Logic for Delta {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, part);
        for i in 0..3 {
            self.factor[i].clock.next = self.clk.val();
        }
        for i in 0..4 {
            self.full[i].clock.next = self.clk.val();
        }
        self.product.clk.next = self.clk.val();
        self.product.rst.next = self.rst.val();
        self.interval.clk.next = self.clk.val();
        self.interval.bus.next = self.bus_1.val();
        self.interval.address.next = self.profile_1.val();
        self.inverse.clk.next = self.clk.val();
        self.inverse.bus.next = self.bus_1.val();
        self.inverse.address.next = self.profile_1.val();
        // 3
        self.full[0].d.next =
            self.full_3.val() | self.age_3.val().get_bits::<8>(24).any() | (self.age_3.val().get_bits::<24>(0) >= self.interval.data.val());
        for i in 0..3 {
            self.full[i + 1].d.next = self.full[i].q.val();
        }
        self.age.next = self.age_3.val().get_bits::<24>(0);
        self.inverse_3.next = self.inverse.data.val().into();
        if self.inverse_3.val().shift_2 {
            self.normal.next = self.age.val() << 12;
            if self.inverse_3.val().shift_1 {
                self.normal.next = self.age.val() << 18;
            }
        } else {
            self.normal.next = self.age.val();
            if self.inverse_3.val().shift_1 {
                self.normal.next = self.age.val() << 6;
            }
        }
        // 4: Q.43; the product has half a unit of Q.26 more.
        self.product.a_next.next = bit_cast::<33, 24>(self.normal.val()) << 8;
        self.product.b_next.next = bit_cast::<32, 30>(self.inverse_3.val().mantissa) << 2;
        // 6, 7
        self.part.d.next = self.product.total_2.val().get_bits::<27>(17);
        self.factor[0].d.next = self.part.q.val();
        if self.full[3].q.val() {
            self.factor[0].d.next = bits::<27>(67108864);
        }
        self.factor_7.next = self.factor[0].d.val();
        // 8 to 10
        for i in 0..2 {
            self.factor[i + 1].d.next = self.factor[i].q.val();
        }
        self.factor_10.next = self.factor[2].q.val();
        if self.rst.val() {
            self.factor[2].d.next = bits::<27>(0);
        }
    }
}
