//! CNPs, periods and stages that a look at a flow finds due.
#![allow(missing_docs, reason = "a group of ports has one comment")]
use super::words::Word;
use crate::engine::words::{Action, HyperactiveStep, ProfileWrite};
use rust_hdl::prelude::*;
use timely_model::reaction::reads;
use timely_regs::profile;

// A kernel takes literals alone.
const _: () = assert!(profile::T_LOW.word == 9 && profile::T_HIGH.word == 10 && profile::UPDATE_INTERVAL.word == 15);
const _: () = assert!(profile::T_REF.word == 22 && profile::HYPERACTIVE_STEP.word == 18);
const _: () = assert!(reads::INTERVAL == 2 && reads::FAST == 4 && reads::COUNTER == 6 && reads::STAGE == 7 && reads::ALPHA == 11);

/// CNPs, periods and stages of a flow: `timely_model::reaction::periods::look`.
///
/// Inputs stand from clock 0 of a look, the word from clock 1, those with a 2 from clock 2; outputs
/// stand at clock 15, `crowded_15` at that clock alone. One adder does all sums and comparisons.
/// `at` is the time of the CNP that is due, else, and behind a time-out or a loss, `now`:
///
/// | operands chosen | sum | its bit 24, two clocks later, says |
/// |---|---|---|
/// | 1 | `cnp_at - now - 1`: 2^24 - 1 less the time since `cnp_at` | |
/// | 2 | bytes of the flow and of the ACK | |
/// | 3 | sum of 1 - interval; + interval when a mark arms a CNP | less ahead; within |
/// | 4 | sum of 1 + interval | within the interval |
/// | 5 | `cnp_at` + interval | |
/// | 6 | `stage_at - at - 1` | |
/// | 7 | sum of 2 - bytes of a stage | |
/// | 8 | sum of 6 + the timer's period | the period has not ended |
/// | 9 | `stage_at` + the period | |
/// | 10 | `alpha_at - at - 1` | |
/// | 12 | sum of 10 + alpha's period | the period has not ended |
/// | 13 | `alpha_at` + the period | |
#[derive(LogicBlock, Default)]
pub struct Periods {
    pub clk: Signal<In, Clock>,
    /// Profile bus.
    pub bus: Signal<In, ProfileWrite>,
    /// Clock of the look.
    pub phase: Signal<In, Bits<4>>,
    /// The flow's profile and word.
    pub profile: Signal<In, Bits<4>>,
    pub word_1: Signal<In, Word>,
    /// Time, ns, the ACK's mark, and its bytes.
    pub now: Signal<In, Bits<24>>,
    pub marked: Signal<In, Bit>,
    pub bytes: Signal<In, Bits<24>>,
    /// The flow timed out since the last look, or a loss lowered its rate.
    pub timed_out_2: Signal<In, Bit>,
    pub lost_2: Signal<In, Bit>,
    /// No room to look at the flow again.
    pub crowded_15: Signal<In, Bit>,
    /// The word from now on, and what is owed first; 0 if nothing is.
    pub next_15: Signal<Out, Word>,
    pub action_15: Signal<Out, Action>,
    /// A CNP came before what was owed.
    pub overtakes_15: Signal<Out, Bit>,
    w: Signal<Local, Word>,
    started_2: DFF<Bit>,
    notified_2: DFF<Bit>,
    pending_2: DFF<Bit>,
    another_2: DFF<Bit>,
    /// Timers run, and alpha's.
    runs_3: DFF<Bit>,
    falls_3: DFF<Bit>,
    /// Words of the profiles, all that the bus has.
    profiles: RAM<Bits<27>, 9>,
    index: Signal<Local, Bits<5>>,
    written: Signal<Local, Bits<32>>,
    read: Signal<Local, HyperactiveStep>,
    period: Signal<Local, Bits<24>>,
    fast: DFF<Bits<4>>,
    // The adder.
    held: Signal<Local, Bits<24>>,
    a: DFF<Bits<25>>,
    b: DFF<Bits<24>>,
    minus: DFF<Bit>,
    carry: DFF<Bit>,
    left: Signal<Local, Bits<27>>,
    mask: Signal<Local, Bits<27>>,
    unit: Signal<Local, Bits<27>>,
    right: Signal<Local, Bits<27>>,
    sum: Signal<Local, Bits<27>>,
    s: DFF<Bits<26>>,
    over: Signal<Local, Bit>,
    // The number is the clock from which a register stands.
    anew: Signal<Local, Bit>,
    arms: Signal<Local, Bit>,
    due: Signal<Local, Bit>,
    at_cnp: Signal<Local, Bit>,
    at: Signal<Local, Bits<24>>,
    bytes_5: DFF<Bits<25>>,
    due_6: DFF<Bit>,
    near_7: DFF<Bit>,
    at_8: DFF<Bits<24>>,
    moved_8: DFF<Bits<24>>,
    left_10: DFF<Bits<25>>,
    short_10: DFF<Bit>,
    tick_11: DFF<Bit>,
    tock: Signal<Local, Bit>,
    stage_12: DFF<Bits<24>>,
    by_time_12: DFF<Bits<4>>,
    by_bytes_12: DFF<Bits<4>>,
    time_over_13: DFF<Bit>,
    bytes_over_13: DFF<Bit>,
    low_13: DFF<Bits<4>>,
    both: Signal<Local, Bit>,
    hyper_14: DFF<Bit>,
    steps_14: DFF<Bits<4>>,
    decays_15: DFF<Bit>,
    ended: Signal<Local, Bit>,
    first: Signal<Local, Bit>,
    decay: Signal<Local, Bit>,
    increase: Signal<Local, Bit>,
    cnp: Signal<Local, Bit>,
    restart: Signal<Local, Bit>,
    another: Signal<Local, Bit>,
}

impl Logic for Periods {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, fast, a, b, minus, carry, s, bytes_5, due_6, near_7, at_8, moved_8, left_10, short_10, tick_11);
        dff_setup!(self, clk, started_2, notified_2, falls_3, pending_2, another_2, runs_3);
        dff_setup!(self, clk, stage_12, by_time_12, by_bytes_12, time_over_13, bytes_over_13, low_13, hyper_14, steps_14, decays_15);
        self.w.next = self.word_1.val();
        self.started_2.d.next = self.w.val().started;
        self.notified_2.d.next = self.w.val().notified & self.w.val().started;
        self.pending_2.d.next = self.w.val().pending;
        self.another_2.d.next = self.w.val().another;
        self.anew.next = self.timed_out_2.val() | self.lost_2.val();
        self.runs_3.d.next = self.started_2.q.val() & !self.anew.val();
        self.falls_3.d.next = self.notified_2.q.val() & !self.anew.val();
        // The profile's words, one after the other.
        self.index.next = bits::<5>(10);
        if self.phase.val() == bits::<4>(2) {
            self.index.next = bits::<5>(9);
        }
        if self.phase.val() == bits::<4>(4) {
            self.index.next = bits::<5>(18);
        }
        if self.phase.val() == bits::<4>(6) {
            self.index.next = bits::<5>(22);
        }
        if self.phase.val() == bits::<4>(7) {
            self.index.next = bits::<5>(15);
        }
        self.profiles.read_clock.next = self.clk.val();
        self.profiles.write_clock.next = self.clk.val();
        self.profiles.read_address.next = (bit_cast::<9, 4>(self.profile.val()) << bits::<9>(5)) | bit_cast::<9, 5>(self.index.val());
        self.profiles.write_enable.next = self.bus.val().valid;
        self.profiles.write_address.next =
            (bit_cast::<9, 4>(self.bus.val().profile) << bits::<9>(5)) | bit_cast::<9, 5>(self.bus.val().word);
        self.written.next = self.bus.val().data;
        self.profiles.write_data.next = self.written.val().get_bits::<27>(0);
        self.read.next = self.profiles.read_data.val().into();
        self.period.next = self.read.val().step;
        if self.phase.val() == bits::<4>(5) {
            self.fast.d.next = bit_cast::<4, 3>(self.read.val().after);
        }
        // A CNP that a mark makes due is due now.
        self.over.next = self.s.q.val().get_bit(24);
        self.arms.next = self.marked.val() & !self.pending_2.q.val();
        self.due.next = self.pending_2.q.val() & !self.over.val();
        if self.arms.val() {
            self.due.next = !(self.started_2.q.val() & self.over.val());
        }
        self.at_cnp.next = (self.due_6.q.val() & !self.arms.val()) & !self.anew.val();
        self.at.next = self.now.val();
        if self.at_cnp.val() {
            self.at.next = self.w.val().cnp_at;
        }
        // Operands.
        self.held.next = self.s.q.val().get_bits::<24>(0);
        self.a.d.next = bit_cast::<25, 24>(self.held.val());
        if (self.phase.val() == bits::<4>(1)) | (self.phase.val() == bits::<4>(5)) {
            self.a.d.next = bit_cast::<25, 24>(self.w.val().cnp_at);
        }
        if self.phase.val() == bits::<4>(2) {
            self.a.d.next = self.w.val().bytes;
        }
        if self.phase.val() == bits::<4>(4) {
            self.a.d.next = self.a.q.val();
        }
        if (self.phase.val() == bits::<4>(6)) | (self.phase.val() == bits::<4>(9)) {
            self.a.d.next = bit_cast::<25, 24>(self.w.val().stage_at);
        }
        if self.phase.val() == bits::<4>(7) {
            self.a.d.next = self.bytes_5.q.val();
        }
        if (self.phase.val() == bits::<4>(10)) | (self.phase.val() == bits::<4>(13)) {
            self.a.d.next = bit_cast::<25, 24>(self.w.val().alpha_at);
        }
        self.b.d.next = self.period.val();
        if self.phase.val() == bits::<4>(2) {
            self.b.d.next = self.bytes.val();
        }
        if ((self.phase.val() == bits::<4>(1)) | (self.phase.val() == bits::<4>(6))) | (self.phase.val() == bits::<4>(10)) {
            self.b.d.next = self.at.val();
        }
        if ((self.phase.val() == bits::<4>(4)) | (self.phase.val() == bits::<4>(5)))
            | ((self.phase.val() == bits::<4>(9)) | (self.phase.val() == bits::<4>(13)))
        {
            self.b.d.next = self.b.q.val();
        }
        self.carry.d.next = (self.phase.val() == bits::<4>(7)) | ((self.phase.val() == bits::<4>(3)) & !self.arms.val());
        self.minus.d.next = (self.phase.val() == bits::<4>(1))
            | ((self.phase.val() == bits::<4>(6)) | (self.phase.val() == bits::<4>(10)))
            | ((self.phase.val() == bits::<4>(7)) | ((self.phase.val() == bits::<4>(3)) & !self.arms.val()));
        // The lowest bits make the carry.
        self.left.next = (bit_cast::<27, 25>(self.a.q.val()) << bits::<27>(1)) | bits::<27>(1);
        self.mask.next = bits::<27>(0);
        if self.minus.q.val() {
            self.mask.next = bits::<27>(0x7ff_fffe);
        }
        self.unit.next = bits::<27>(0);
        if self.carry.q.val() {
            self.unit.next = bits::<27>(1);
        }
        self.right.next = ((bit_cast::<27, 24>(self.b.q.val()) << bits::<27>(1)) ^ self.mask.val()) | self.unit.val();
        self.sum.next = self.left.val() + self.right.val();
        self.s.d.next = self.sum.val().get_bits::<26>(1);
        // Sums that are kept.
        if self.phase.val() == bits::<4>(4) {
            self.bytes_5.d.next = self.s.q.val().get_bits::<25>(0);
        }
        if self.phase.val() == bits::<4>(0) {
            self.due_6.d.next = false;
        }
        if self.phase.val() == bits::<4>(5) {
            self.due_6.d.next = self.due.val();
        }
        if self.phase.val() == bits::<4>(6) {
            self.near_7.d.next = self.over.val() & self.started_2.q.val();
        }
        if self.phase.val() == bits::<4>(7) {
            self.at_8.d.next = self.b.q.val();
            self.moved_8.d.next = self.held.val();
        }
        if self.phase.val() == bits::<4>(9) {
            self.left_10.d.next = self.s.q.val().get_bits::<25>(0);
            self.short_10.d.next = self.s.q.val().get_bit(25);
        }
        if self.phase.val() == bits::<4>(10) {
            self.tick_11.d.next = self.runs_3.q.val() & !self.over.val();
        }
        if self.phase.val() == bits::<4>(11) {
            self.stage_12.d.next = self.held.val();
        }
        self.decays_15.d.next = self.falls_3.q.val() & !self.over.val();
        // Stages.
        self.tock.next = (self.runs_3.q.val() & !self.tick_11.q.val()) & !self.short_10.q.val();
        self.by_time_12.d.next = self.w.val().by_time;
        if self.tick_11.q.val() & !self.w.val().by_time.all() {
            self.by_time_12.d.next = self.w.val().by_time + bits::<4>(1);
        }
        self.by_bytes_12.d.next = self.w.val().by_bytes;
        if self.tock.val() & !self.w.val().by_bytes.all() {
            self.by_bytes_12.d.next = self.w.val().by_bytes + bits::<4>(1);
        }
        self.time_over_13.d.next = self.by_time_12.q.val() > self.fast.q.val();
        self.bytes_over_13.d.next = self.by_bytes_12.q.val() > self.fast.q.val();
        self.low_13.d.next = self.by_time_12.q.val();
        if self.by_bytes_12.q.val() < self.by_time_12.q.val() {
            self.low_13.d.next = self.by_bytes_12.q.val();
        }
        self.both.next = self.time_over_13.q.val() & self.bytes_over_13.q.val();
        self.hyper_14.d.next = self.both.val();
        self.steps_14.d.next = bits::<4>(0);
        if self.time_over_13.q.val() | self.bytes_over_13.q.val() {
            self.steps_14.d.next = bits::<4>(1);
        }
        if self.both.val() {
            self.steps_14.d.next = self.low_13.q.val() - self.fast.q.val();
        }
        // 15: the last sum goes to the word without a register.
        self.ended.next = self.tick_11.q.val() | self.tock.val();
        self.first.next = self.due_6.q.val() & self.crowded_15.val();
        self.decay.next = self.decays_15.q.val() & !self.first.val();
        self.increase.next = self.ended.val() & !self.first.val();
        self.cnp.next = self.due_6.q.val() & !(self.decay.val() | self.increase.val());
        self.overtakes_15.next = self.first.val() & (self.decays_15.q.val() | self.ended.val());
        self.restart.next = self.cnp.val() | !self.runs_3.q.val();
        self.another.next =
            (self.another_2.q.val() & !self.timed_out_2.val()) | ((self.marked.val() & self.pending_2.q.val()) & self.due_6.q.val());
        self.next_15.next.started = true;
        self.next_15.next.notified = self.notified_2.q.val() | self.cnp.val();
        self.next_15.next.pending = self.pending_2.q.val() | self.marked.val();
        self.next_15.next.another = self.another.val() & !self.cnp.val();
        if self.cnp.val() {
            self.next_15.next.pending = self.another.val();
        }
        self.next_15.next.cnp_at = self.w.val().cnp_at;
        if self.arms.val() | (self.cnp.val() & self.another.val()) {
            self.next_15.next.cnp_at = self.now.val();
            if self.near_7.q.val() {
                self.next_15.next.cnp_at = self.moved_8.q.val();
            }
        }
        self.next_15.next.alpha_at = self.w.val().alpha_at;
        self.next_15.next.stage_at = self.w.val().stage_at;
        self.next_15.next.bytes = self.bytes_5.q.val();
        self.next_15.next.by_time = self.by_time_12.q.val();
        self.next_15.next.by_bytes = self.by_bytes_12.q.val();
        if self.decays_15.q.val() {
            self.next_15.next.alpha_at = self.held.val();
        }
        if self.tick_11.q.val() {
            self.next_15.next.stage_at = self.stage_12.q.val();
        }
        if self.tock.val() {
            self.next_15.next.bytes = self.left_10.q.val();
        }
        if self.restart.val() {
            self.next_15.next.alpha_at = self.at_8.q.val();
            self.next_15.next.stage_at = self.at_8.q.val();
            self.next_15.next.bytes = bits::<25>(0);
            self.next_15.next.by_time = bits::<4>(0);
            self.next_15.next.by_bytes = bits::<4>(0);
        }
        self.action_15.next.cnp = self.cnp.val() & !(self.timed_out_2.val() & self.pending_2.q.val());
        self.action_15.next.decay = self.decay.val();
        self.action_15.next.increase = self.increase.val();
        self.action_15.next.hyper = self.increase.val() & self.hyper_14.q.val();
        self.action_15.next.steps = bits::<4>(0);
        if self.increase.val() {
            self.action_15.next.steps = self.steps_14.q.val();
        }
    }
}
