//! Time of the next pass of a flow that goes on waiting.
#![allow(missing_docs, reason = "a group of ports has one comment")]
use crate::bus::InsertOut;
use crate::constant::Const;
use crate::pacer::delay::Delay;
use rust_hdl::prelude::*;
use timely_model::pacer::Timing;
use timely_model::pacer::pass::longest_sleep;
use timely_model::pacer::token::{RECHECK, RECHECK_HELD};
use timely_model::pacer::wheel_bits;

/// Lead before the next packet of a flow, but not in the past, and not beyond the wheel; `X` are
/// the wheel's address bits, `Y` must be `X + 4`. Inputs at clock 0, `now` and `flow` at clock 3;
/// the insert is at the output at clock 4.
#[derive(LogicBlock, Default)]
pub struct Wake<const F: usize, const X: usize, const Y: usize> {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    /// The flow goes to the wheel.
    pub valid: Signal<In, Bit>,
    /// The flow is looked at again after the bound of its wait.
    pub again: Signal<In, Bit>,
    /// The bound of the wait is 1 us, not the longest sleep; while a grant waits, 128 ns.
    pub soon: Signal<In, Bit>,
    pub held: Signal<In, Bit>,
    /// The flow was granted a train.
    pub grant: Signal<In, Bit>,
    /// The train has two to the power of this packets.
    pub size: Signal<In, Bits<3>>,
    /// 2^-8 ns to the first packet; signed.
    pub tau: Signal<In, Bits<32>>,
    /// 2^-8 ns between packets.
    pub gap: Signal<In, Bits<31>>,
    /// The time of the pass, ns, its low bits.
    pub at: Signal<In, Bits<Y>>,
    /// Clock 3: ns48.fns16.
    pub now: Signal<In, Bits<64>>,
    /// Clock 3: the flow.
    pub flow: Signal<In, Bits<F>>,
    /// Flows for the calendar.
    pub insert: InsertOut<F, X>,
    lead: Const<Bits<26>>,
    longest: Const<Bits<26>>,
    recheck: Const<Bits<26>>,
    longest_ahead: Const<Bits<26>>,
    recheck_held: Const<Bits<26>>,
    recheck_ahead: Const<Bits<26>>,
    recheck_held_ahead: Const<Bits<26>>,
    wheel_bit: Const<Bits<Y>>,
    valid1: DFF<Bit>,
    again1: DFF<Bit>,
    soon1: DFF<Bit>,
    held1: DFF<Bit>,
    tau1: DFF<Bits<33>>,
    valid2: DFF<Bit>,
    /// The wait is the bound, which is a shorter one with `soon2`, of which `held2` tells which.
    cut2: DFF<Bit>,
    soon2: DFF<Bit>,
    held2: DFF<Bit>,
    wait2: DFF<Bits<26>>,
    ats: Delay<Y, 2>,
    valid3: DFF<Bit>,
    target3: DFF<Bits<Y>>,
    valid4: DFF<Bit>,
    flow4: DFF<Bits<F>>,
    slot4: DFF<Bits<X>>,
    step: Signal<Local, Bits<33>>,
    ahead: Signal<Local, Bits<26>>,
    bound: Signal<Local, Bits<26>>,
    left: Signal<Local, Bits<26>>,
    rest: Signal<Local, Bits<26>>,
    slot: Signal<Local, Bits<Y>>,
    earliest: Signal<Local, Bits<Y>>,
    behind: Signal<Local, Bits<Y>>,
    is_behind: Signal<Local, Bit>,
}

impl<const F: usize, const X: usize, const Y: usize> Wake<F, X, Y> {
    /// With these distances in time.
    pub fn new(timing: Timing) -> Self {
        assert!(X == wheel_bits(F) && Y == X + 4, "widths of a wheel for 2^{F} flows");
        let longest = longest_sleep(F);
        assert!(RECHECK <= longest, "the longest sleep, {longest} ns, is below {RECHECK}: it must be the longer bound");
        assert!(longest + u64::from(timing.lead) < 1 << 24, "{longest} ns and a lead of {} ns are beyond 26 bits with a wait", timing.lead);
        Self {
            lead: Const::new(bits::<26>(timing.lead.into())),
            longest: Const::new(bits::<26>(longest)),
            recheck: Const::new(bits::<26>(RECHECK)),
            longest_ahead: Const::new(bits::<26>(longest + u64::from(timing.lead))),
            recheck_held: Const::new(bits::<26>(RECHECK_HELD)),
            recheck_ahead: Const::new(bits::<26>(RECHECK + u64::from(timing.lead))),
            recheck_held_ahead: Const::new(bits::<26>(RECHECK_HELD + u64::from(timing.lead))),
            wheel_bit: Const::new(bits::<Y>(1 << X)),
            ..Default::default()
        }
    }
}

impl<const F: usize, const X: usize, const Y: usize> Logic for Wake<F, X, Y> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, valid1, again1, soon1, held1, tau1, valid2, cut2, soon2, held2, wait2, valid3, target3, valid4, flow4, slot4);
        self.ats.clk.next = self.clk.val();
        self.ats.i.next = self.at.val();

        // 0: behind the train.
        self.step.next = bits::<33>(0);
        if self.grant.val() {
            self.step.next = bit_cast::<33, 31>(self.gap.val()) << self.size.val();
        }
        self.tau1.d.next =
            (bit_cast::<33, 32>(self.tau.val()) | (bit_cast::<33, 1>(self.tau.val().get_bits::<1>(31)) << 32)) + self.step.val();
        self.valid1.d.next = self.valid.val();
        self.again1.d.next = self.again.val();
        self.soon1.d.next = self.soon.val();
        self.held1.d.next = self.held.val();

        // 1: lead before it, and whether that is beyond the bound, at the same time.
        self.ahead.next =
            bit_cast::<26, 25>(self.tau1.q.val().get_bits::<25>(8)) | (bit_cast::<26, 1>(self.tau1.q.val().get_bits::<1>(32)) << 25);
        self.wait2.d.next = self.ahead.val() - self.lead.val();
        self.bound.next = self.longest_ahead.val();
        if self.soon1.q.val() {
            self.bound.next = self.recheck_ahead.val();
            if self.held1.q.val() {
                self.bound.next = self.recheck_held_ahead.val();
            }
        }
        self.left.next = self.bound.val() - self.ahead.val();
        self.valid2.d.next = self.valid1.q.val();
        self.cut2.d.next = self.again1.q.val() | self.left.val().get_bit(25);
        self.soon2.d.next = self.soon1.q.val();
        self.held2.d.next = self.held1.q.val();

        // 2: a wait that is over takes nothing, one that is cut its bound.
        self.rest.next = self.wait2.q.val();
        if self.cut2.q.val() {
            self.rest.next = self.longest.val();
            if self.soon2.q.val() {
                self.rest.next = self.recheck.val();
                if self.held2.q.val() {
                    self.rest.next = self.recheck_held.val();
                }
            }
        } else if self.wait2.q.val().get_bit(25) {
            self.rest.next = bits::<26>(0);
        }
        self.target3.d.next = self.ats.o.val() + self.rest.val().get_bits::<Y>(0);
        self.valid3.d.next = self.valid2.q.val();

        // 3: the wheel may be draining the slots up to this clock's: the earliest it can take is a
        // few ahead.
        self.slot.next = self.target3.q.val() >> 3;
        self.earliest.next = (self.now.val().get_bits::<Y>(16) >> 3) + bits::<Y>(5);
        self.behind.next = self.slot.val() - self.earliest.val();
        self.is_behind.next = (self.behind.val() & self.wheel_bit.val()).any();
        self.slot4.d.next = self.slot.val().get_bits::<X>(0);
        if self.is_behind.val() {
            self.slot4.d.next = self.earliest.val().get_bits::<X>(0);
        }
        self.valid4.d.next = self.valid3.q.val();
        self.flow4.d.next = self.flow.val();

        self.insert.valid.next = self.valid4.q.val();
        self.insert.flow.next = self.flow4.q.val();
        self.insert.slot.next = self.slot4.q.val();
        if self.rst.val() {
            self.valid1.d.next = false;
            self.valid2.d.next = false;
            self.valid3.d.next = false;
            self.valid4.d.next = false;
        }
    }
}
