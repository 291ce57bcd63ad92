//! Slack of a flow, in ns, and whether it says that something else than the rate limits the flow.
#![allow(missing_docs, reason = "a group of ports has one comment")]
use super::words::{NewSlack, SlackFlags, Slacked};
use crate::constant::Fixed;
use crate::num::U;
use crate::pacer::delay::{Delay, Ring, Stages};
use rust_hdl::prelude::*;
use timely_model::pacer::token::{GAP_MAX, SLACK_BITS, SLACK_FRACTION};

// Widths are literals.
const _: () = assert!(SLACK_BITS == 28 && SLACK_FRACTION == 2);

/// `timely_model::pacer::token::{slack, spend}`. A port's comment names the clock of the pass at
/// which it holds; outputs at 17.
#[derive(LogicBlock, Default)]
pub struct Slack {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    /// The number of the clock, modulo 512.
    pub at: Signal<In, Bits<9>>,
    /// 2: the slack that the last pass left, 2^-2 ns, signed.
    pub slack: Signal<In, Bits<28>>,
    /// 2: the flow was limited then.
    pub limited: Signal<In, Bit>,
    /// 2: it was granted a packet since its accounts were cleared.
    pub started: Signal<In, Bit>,
    /// 2: its grants without a packet since it was last granted anything.
    pub voids: Signal<In, Bits<8>>,
    /// 3: the slack from which it is limited, ns; 0 for never.
    pub window: Signal<In, Bits<24>>,
    /// 5: ns since its last pass, cut.
    pub elapsed: Signal<In, Bits<28>>,
    /// 12: 2^-8 ns between its packets, cut.
    pub gap_12: Signal<In, Bits<31>>,
    /// 15: the same.
    pub gap: Signal<In, Bits<31>>,
    /// 16: its state changes.
    pub write: Signal<In, Bit>,
    /// 16: its accounts are cleared.
    pub clear: Signal<In, Bit>,
    /// 16: a train is granted.
    pub grant: Signal<In, Bit>,
    /// 16: of two to the power of this packets, 5 at most.
    pub size: Signal<In, Bits<3>>,
    /// The slack.
    pub slack_17: Signal<Out, Bits<28>>,
    /// The flow is limited.
    pub limited_17: Signal<Out, Bit>,
    /// [`Slacked`] from 2 to 5.
    lasts: Stages<30, 3>,
    last2: Signal<Local, Slacked>,
    last5: Signal<Local, Slacked>,
    slack5: Signal<Local, Bits<28>>,
    flags2: Signal<Local, SlackFlags>,
    windows: Stages<24, 2>,
    sum6: DFF<Bits<32>>,
    window6: DFF<Bits<24>>,
    flags6: DFF<SlackFlags>,
    over7: DFF<Bit>,
    above7: DFF<Bit>,
    value7: DFF<Bits<28>>,
    window7: DFF<Bits<24>>,
    flags7: DFF<SlackFlags>,
    value8: DFF<Bits<28>>,
    limited8: DFF<Bit>,
    settled: Ring<NewSlack, 7>,
    voids3: DFF<Bits<8>>,
    /// Five times the grants to be paid back.
    fives: Delay<11, 9>,
    back13_low: DFF<Bits<27>>,
    back13_high: DFF<Bits<26>>,
    back14: DFF<Bits<42>>,
    back15: DFF<Bits<26>>,
    /// Slack and what is paid back.
    bank16: DFF<Bits<28>>,
    slack15: Signal<Local, Bits<28>>,
    settled16: DFF<NewSlack>,
    earlier: Delay<1, 14>,
    spent16: DFF<Bits<32>>,
    cut16: DFF<Bit>,
    slack17: DFF<Bits<28>>,
    limited17: DFF<Bit>,
    extended: Signal<Local, Bits<32>>,
    most: Signal<Local, Bits<31>>,
    doubled: Signal<Local, Bits<37>>,
    train: Signal<Local, Bits<37>>,
    rest: Signal<Local, Bits<28>>,
    fives_u: Signal<Local, U<11>>,
    gap_low: Signal<Local, U<16>>,
    gap_high: Signal<Local, U<15>>,
    owed: Signal<Local, Bits<28>>,
    least: Fixed<28, { 1 << (SLACK_BITS - 1) }>,
    cut: Fixed<31, GAP_MAX>,
}

impl Logic for Slack {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, sum6, window6, flags6, over7, above7, value7, window7, flags7, value8, limited8, spent16, cut16, slack17);
        dff_setup!(self, clk, limited17, voids3, back13_low, back13_high, back14, back15, bank16, settled16);
        self.lasts.clk.next = self.clk.val();
        self.lasts.rst.next = self.rst.val();
        self.windows.clk.next = self.clk.val();
        self.windows.rst.next = self.rst.val();
        self.settled.clk.next = self.clk.val();
        self.settled.at.next = self.at.val();
        self.earlier.clk.next = self.clk.val();
        self.fives.clk.next = self.clk.val();

        // 2, 3
        self.flags2.next.limited = self.limited.val();
        self.flags2.next.started = self.started.val();
        self.last2.next.slack = self.slack.val();
        self.last2.next.flags = self.flags2.val();
        self.lasts.i.next = self.last2.val().into();
        self.earlier.i.next = bits::<1>(0);
        if self.limited.val() {
            self.earlier.i.next = bits::<1>(1);
        }
        self.windows.i.next = self.window.val();
        self.voids3.d.next = self.voids.val();
        self.fives.i.next = bit_cast::<11, 8>(self.voids3.q.val()) + (bit_cast::<11, 8>(self.voids3.q.val()) << 2);

        // 5: the time that went by.
        self.last5.next = self.lasts.o.val().into();
        self.slack5.next = self.last5.val().slack;
        self.extended.next = bit_cast::<32, 28>(self.slack5.val());
        if self.slack5.val().get_bit(27) {
            self.extended.next = bit_cast::<32, 28>(self.slack5.val()) | (bits::<32>(15) << 28);
        }
        self.sum6.d.next = self.extended.val() + (bit_cast::<32, 28>(self.elapsed.val()) << 2);
        self.window6.d.next = self.windows.o.val();
        self.flags6.d.next = self.last5.val().flags;

        // 6: against both ends.
        self.most.next = bit_cast::<31, 24>(self.window6.q.val()) << 2;
        self.over7.d.next = !self.sum6.q.val().get_bit(31) & (self.sum6.q.val().get_bits::<31>(0) >= self.most.val());
        self.above7.d.next = !self.sum6.q.val().get_bit(31) & self.sum6.q.val().any();
        self.value7.d.next = self.sum6.q.val().get_bits::<28>(0);
        self.window7.d.next = self.window6.q.val();
        self.flags7.d.next = self.flags6.q.val();

        // 7: the window at most.
        self.value8.d.next = bits::<28>(0);
        if self.flags7.q.val().started {
            if self.over7.q.val() {
                self.value8.d.next = bit_cast::<28, 24>(self.window7.q.val()) << 2;
            } else {
                self.value8.d.next = self.value7.q.val();
            }
        }
        self.limited8.d.next = (self.flags7.q.val().started & self.window7.q.val().any())
            & (self.over7.q.val() | (self.above7.q.val() & self.flags7.q.val().limited));

        // 8
        self.settled.i.next.slack = self.value8.q.val();
        self.settled.i.next.limited = self.limited8.q.val();

        // 12: what grants without a packet paid. No product is wider than an ECP5's multiplier.
        self.fives_u.next = self.fives.o.val().into();
        self.gap_low.next = self.gap_12.val().get_bits::<16>(0).into();
        self.gap_high.next = self.gap_12.val().get_bits::<15>(16).into();
        self.back13_low.d.next = (self.gap_low.val() * self.fives_u.val()).into();
        self.back13_high.d.next = (self.gap_high.val() * self.fives_u.val()).into();
        // 13, 14
        self.back14.d.next = bit_cast::<42, 27>(self.back13_low.q.val()) + (bit_cast::<42, 26>(self.back13_high.q.val()) << 16);
        self.back15.d.next = self.back14.q.val().get_bits::<26>(8);
        if self.back14.q.val().get_bits::<8>(34).any() {
            self.back15.d.next = bits::<26>(67108863);
        }
        // 15: with what is left, if anything is.
        self.slack15.next = self.settled.o.val().slack;
        self.owed.next = self.slack15.val();
        if self.slack15.val().get_bit(27) {
            self.owed.next = bits::<28>(0);
        }
        self.bank16.d.next = self.owed.val() + bit_cast::<28, 26>(self.back15.q.val());
        self.settled16.d.next = self.settled.o.val();

        // 15: 5/4 of the gap.
        self.spent16.d.next = bit_cast::<32, 31>(self.gap.val()) + bit_cast::<32, 29>(self.gap.val().get_bits::<29>(2));
        self.cut16.d.next = self.gap.val() == self.cut.val();

        // 16: what is granted.
        self.doubled.next = bit_cast::<37, 32>(self.spent16.q.val());
        if self.size.val().get_bit(0) {
            self.doubled.next = bit_cast::<37, 32>(self.spent16.q.val()) << 1;
        }
        // 5 is the most: a bit for four excludes that for two.
        self.train.next = self.doubled.val();
        if self.size.val().get_bit(2) {
            self.train.next = self.doubled.val() << 4;
        } else if self.size.val().get_bit(1) {
            self.train.next = self.doubled.val() << 2;
        }
        self.rest.next = self.bank16.q.val() - self.train.val().get_bits::<28>(6);
        self.slack17.d.next = self.settled16.q.val().slack;
        if self.grant.val() {
            self.slack17.d.next = self.rest.val();
            if self.cut16.q.val() {
                self.slack17.d.next = self.least.val();
            }
        }
        self.limited17.d.next = self.settled16.q.val().limited;
        if !self.write.val() {
            self.limited17.d.next = self.earlier.o.val().any();
        }
        if self.clear.val() {
            self.slack17.d.next = bits::<28>(0);
            self.limited17.d.next = false;
        }

        // 17
        self.slack_17.next = self.slack17.q.val();
        self.limited_17.next = self.limited17.q.val();
    }
}
