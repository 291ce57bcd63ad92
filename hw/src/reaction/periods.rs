//! CNPs, periods and stages that a look at a flow finds due.
#![allow(missing_docs, reason = "a group of ports has one comment")]
use super::words::Word;
use crate::engine::word::ProfileWord;
use crate::engine::words::{Action, HyperactiveStep, ProfileWrite};
use rust_hdl::prelude::*;
use timely_regs::profile;

/// CNPs, periods and stages of a flow: `timely_model::reaction::periods::look`.
///
/// Inputs stand from clock 0 of a look, the word from clock 1; outputs stand from clock 13 on.
/// Between them each register takes what the ones before it hold, so none needs an enable but the
/// first.
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
    /// The word from now on, and what is owed first; 0 if nothing is.
    pub next_13: Signal<Out, Word>,
    pub action_13: Signal<Out, Action>,
    // Periods, ns; bytes and number of stages.
    interval: ProfileWord<24, { profile::T_LOW.word as usize }>,
    alpha: ProfileWord<24, { profile::T_HIGH.word as usize }>,
    stage: ProfileWord<24, { profile::UPDATE_INTERVAL.word as usize }>,
    counter: ProfileWord<24, { profile::T_REF.word as usize }>,
    stages: ProfileWord<27, { profile::HYPERACTIVE_STEP.word as usize }>,
    fast_2: Signal<Local, HyperactiveStep>,
    cnp_ns: DFF<Bits<24>>,
    alpha_ns: DFF<Bits<24>>,
    stage_ns: DFF<Bits<24>>,
    stage_bytes: DFF<Bits<24>>,
    fast: DFF<Bits<4>>,
    word: DFF<Word>,
    w: Signal<Local, Word>,
    // The number is the clock from which a register stands.
    since_3: DFF<Bits<24>>,
    sum_3: DFF<Bits<25>>,
    near_4: DFF<Bit>,
    ahead_sum: Signal<Local, Bits<25>>,
    ahead_4: DFF<Bit>,
    moved_4: DFF<Bits<24>>,
    left_sum: Signal<Local, Bits<26>>,
    left_4: DFF<Bits<26>>,
    alpha_4: DFF<Bits<24>>,
    stage_4: DFF<Bits<24>>,
    arms: Signal<Local, Bit>,
    in_interval: Signal<Local, Bit>,
    later_5: DFF<Bits<24>>,
    due_5: DFF<Bit>,
    cnp_at_6: DFF<Bits<24>>,
    at_6: DFF<Bits<24>>,
    another_6: DFF<Bit>,
    alpha_7: DFF<Bits<24>>,
    stage_7: DFF<Bits<24>>,
    decays_8: DFF<Bit>,
    tick_8: DFF<Bit>,
    tock: Signal<Local, Bit>,
    tock_9: DFF<Bit>,
    cnp_9: DFF<Bit>,
    by_time_10: DFF<Bits<4>>,
    by_bytes_10: DFF<Bits<4>>,
    time_over_11: DFF<Bit>,
    bytes_over_11: DFF<Bit>,
    low_11: DFF<Bits<4>>,
    both: Signal<Local, Bit>,
    hyper_12: DFF<Bit>,
    steps_12: DFF<Bits<4>>,
    restart: Signal<Local, Bit>,
    next_word: DFF<Word>,
    action: DFF<Action>,
}

impl Logic for Periods {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, cnp_ns, alpha_ns, stage_ns, stage_bytes, fast, word, since_3, sum_3, near_4, ahead_4, moved_4, left_4);
        dff_setup!(self, clk, alpha_4, stage_4, later_5, due_5, cnp_at_6, at_6, another_6, alpha_7, stage_7, decays_8, tick_8, tock_9);
        dff_setup!(self, clk, cnp_9, by_time_10, by_bytes_10, time_over_11, bytes_over_11, low_11, hyper_12, steps_12, next_word, action);
        self.interval.clk.next = self.clk.val();
        self.interval.bus.next = self.bus.val();
        self.interval.address.next = self.profile.val();
        self.alpha.clk.next = self.clk.val();
        self.alpha.bus.next = self.bus.val();
        self.alpha.address.next = self.profile.val();
        self.stage.clk.next = self.clk.val();
        self.stage.bus.next = self.bus.val();
        self.stage.address.next = self.profile.val();
        self.counter.clk.next = self.clk.val();
        self.counter.bus.next = self.bus.val();
        self.counter.address.next = self.profile.val();
        self.stages.clk.next = self.clk.val();
        self.stages.bus.next = self.bus.val();
        self.stages.address.next = self.profile.val();
        // 1, 2: the word, and the profile's words as they were at clock 0.
        if self.phase.val() == bits::<4>(1) {
            self.word.d.next = self.word_1.val();
        }
        self.fast_2.next = self.stages.data.val().into();
        if self.phase.val() == bits::<4>(2) {
            self.cnp_ns.d.next = self.interval.data.val();
            self.alpha_ns.d.next = self.alpha.data.val();
            self.stage_ns.d.next = self.stage.data.val();
            self.stage_bytes.d.next = self.counter.data.val();
            self.fast.d.next = bit_cast::<4, 3>(self.fast_2.val().after);
        }
        self.w.next = self.word.q.val();
        self.since_3.d.next = self.now.val() - self.w.val().cnp_at;
        self.sum_3.d.next = self.w.val().bytes + bit_cast::<25, 24>(self.bytes.val());
        // 3
        self.near_4.d.next = self.since_3.q.val() < self.cnp_ns.q.val();
        self.ahead_sum.next = bit_cast::<25, 24>(self.since_3.q.val()) + bit_cast::<25, 24>(self.cnp_ns.q.val());
        self.ahead_4.d.next = self.ahead_sum.val().get_bit(24);
        self.moved_4.d.next = self.w.val().cnp_at + self.cnp_ns.q.val();
        self.left_sum.next = bit_cast::<26, 25>(self.sum_3.q.val()) - bit_cast::<26, 24>(self.stage_bytes.q.val());
        self.left_4.d.next = self.left_sum.val();
        self.alpha_4.d.next = self.w.val().alpha_at + self.alpha_ns.q.val();
        self.stage_4.d.next = self.w.val().stage_at + self.stage_ns.q.val();
        // 4
        self.arms.next = self.marked.val() & !self.w.val().pending;
        self.in_interval.next = self.near_4.q.val() & self.w.val().started;
        self.later_5.d.next = self.now.val();
        if self.in_interval.val() {
            self.later_5.d.next = self.moved_4.q.val();
        }
        self.due_5.d.next = self.w.val().pending & !self.ahead_4.q.val();
        if self.arms.val() {
            self.due_5.d.next = !self.in_interval.val();
        }
        // 5: a CNP that a mark makes due is due now.
        self.cnp_at_6.d.next = self.w.val().cnp_at;
        if self.arms.val() {
            self.cnp_at_6.d.next = self.later_5.q.val();
        }
        self.at_6.d.next = self.now.val();
        if self.due_5.q.val() & !self.arms.val() {
            self.at_6.d.next = self.w.val().cnp_at;
        }
        self.another_6.d.next = self.w.val().another | ((self.marked.val() & self.w.val().pending) & self.due_5.q.val());
        // 6
        self.alpha_7.d.next = self.at_6.q.val() - self.w.val().alpha_at;
        self.stage_7.d.next = self.at_6.q.val() - self.w.val().stage_at;
        // 7
        self.decays_8.d.next = self.w.val().started & (self.alpha_7.q.val() >= self.alpha_ns.q.val());
        self.tick_8.d.next = self.w.val().started & (self.stage_7.q.val() >= self.stage_ns.q.val());
        // 8
        self.tock.next = (self.w.val().started & !self.tick_8.q.val()) & !self.left_4.q.val().get_bit(25);
        self.tock_9.d.next = self.tock.val();
        self.cnp_9.d.next = self.due_5.q.val() & !(self.decays_8.q.val() | self.tick_8.q.val() | self.tock.val());
        // 9
        self.by_time_10.d.next = self.w.val().by_time;
        if self.tick_8.q.val() & !self.w.val().by_time.all() {
            self.by_time_10.d.next = self.w.val().by_time + bits::<4>(1);
        }
        self.by_bytes_10.d.next = self.w.val().by_bytes;
        if self.tock_9.q.val() & !self.w.val().by_bytes.all() {
            self.by_bytes_10.d.next = self.w.val().by_bytes + bits::<4>(1);
        }
        // 10
        self.time_over_11.d.next = self.by_time_10.q.val() > self.fast.q.val();
        self.bytes_over_11.d.next = self.by_bytes_10.q.val() > self.fast.q.val();
        self.low_11.d.next = self.by_time_10.q.val();
        if self.by_bytes_10.q.val() < self.by_time_10.q.val() {
            self.low_11.d.next = self.by_bytes_10.q.val();
        }
        // 11
        self.both.next = self.time_over_11.q.val() & self.bytes_over_11.q.val();
        self.hyper_12.d.next = self.both.val();
        self.steps_12.d.next = bits::<4>(0);
        if self.time_over_11.q.val() | self.bytes_over_11.q.val() {
            self.steps_12.d.next = bits::<4>(1);
        }
        if self.both.val() {
            self.steps_12.d.next = self.low_11.q.val() - self.fast.q.val();
        }
        // 12
        self.restart.next = self.cnp_9.q.val() | !self.w.val().started;
        self.next_word.d.next.started = true;
        self.next_word.d.next.pending = self.w.val().pending | self.marked.val();
        self.next_word.d.next.another = self.another_6.q.val() & !self.cnp_9.q.val();
        self.next_word.d.next.cnp_at = self.cnp_at_6.q.val();
        if self.cnp_9.q.val() {
            self.next_word.d.next.pending = self.another_6.q.val();
            if self.another_6.q.val() {
                self.next_word.d.next.cnp_at = self.later_5.q.val();
            }
        }
        self.next_word.d.next.alpha_at = self.w.val().alpha_at;
        self.next_word.d.next.stage_at = self.w.val().stage_at;
        self.next_word.d.next.bytes = self.sum_3.q.val();
        self.next_word.d.next.by_time = self.by_time_10.q.val();
        self.next_word.d.next.by_bytes = self.by_bytes_10.q.val();
        if self.decays_8.q.val() {
            self.next_word.d.next.alpha_at = self.alpha_4.q.val();
        }
        if self.tick_8.q.val() {
            self.next_word.d.next.stage_at = self.stage_4.q.val();
        }
        if self.tock_9.q.val() {
            self.next_word.d.next.bytes = self.left_4.q.val().get_bits::<25>(0);
        }
        if self.restart.val() {
            self.next_word.d.next.alpha_at = self.at_6.q.val();
            self.next_word.d.next.stage_at = self.at_6.q.val();
            self.next_word.d.next.bytes = bits::<25>(0);
            self.next_word.d.next.by_time = bits::<4>(0);
            self.next_word.d.next.by_bytes = bits::<4>(0);
        }
        self.action.d.next.cnp = self.cnp_9.q.val();
        self.action.d.next.decay = self.decays_8.q.val();
        self.action.d.next.increase = self.tick_8.q.val() | self.tock_9.q.val();
        self.action.d.next.hyper = false;
        self.action.d.next.steps = bits::<4>(0);
        if self.tick_8.q.val() | self.tock_9.q.val() {
            self.action.d.next.hyper = self.hyper_12.q.val();
            self.action.d.next.steps = self.steps_12.q.val();
        }
        // 13
        self.next_13.next = self.next_word.q.val();
        self.action_13.next = self.action.q.val();
    }
}
