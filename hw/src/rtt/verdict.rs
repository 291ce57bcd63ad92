//! Decision whether an ACK is accepted and a flow times out, and the effect of any operation on its
//! flow.
#![allow(missing_docs, reason = "a group of ports has one comment")]
use super::words::{Bytes, Entry, FlowWord, Segments};
use rust_hdl::prelude::*;

/// The decision on an operation, and the flow's word in its wake.
///
/// Clock 2: all that does not depend on the operations before; the flow's word is forwarded from
/// the four of them. 3: the decisions that do, sums and comparisons of the word, and a selection.
/// 4: the new word, bytes released, and what is to be counted, as registers.
#[derive(LogicBlock, Default)]
pub struct Verdict {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    /// Clock 2: the operation's kind, if there is one.
    pub is_ack: Signal<In, Bit>,
    pub is_load: Signal<In, Bit>,
    pub is_ended: Signal<In, Bit>,
    pub is_turn: Signal<In, Bit>,
    /// Flow of the operation; an ACK's is beyond ours, or its place beyond the ring.
    pub flow: Signal<In, Bits<16>>,
    pub over: Signal<In, Bit>,
    pub beyond: Signal<In, Bit>,
    /// The flow is enabled.
    pub enable: Signal<In, Bit>,
    /// Low bits of the number of the segment, those of the one after it, and the echoed check.
    pub segment: Signal<In, Bits<16>>,
    pub after: Signal<In, Bits<16>>,
    pub check: Signal<In, Bits<32>>,
    /// Charged bytes of a segment that ended.
    pub bytes: Signal<In, Bits<32>>,
    /// Time at which the operation entered, units of 32 ns.
    pub entered: Signal<In, Bits<27>>,
    /// Words that the RAMs hold.
    pub raw_flow: Signal<In, FlowWord>,
    pub raw_since: Signal<In, Bits<27>>,
    pub raw_entry: Signal<In, Entry>,
    /// The operation one, two, three, four before this one is of the same flow.
    pub same: [Signal<In, Bit>; 4],
    /// Clock 3: the profile's time-out, ns, and that it is not 0.
    pub timeout: Signal<In, Bits<31>>,
    pub times_out: Signal<In, Bit>,
    /// Clock 3: the ACK is accepted; the flow times out.
    pub accepts: Signal<Out, Bit>,
    pub expires: Signal<Out, Bit>,
    /// Clock 4: segments were released.
    pub hits: Signal<Out, Bit>,
    /// The flow's new word.
    pub word: Signal<Out, FlowWord>,
    /// The flow made progress, and when the operation entered.
    pub progresses: Signal<Out, Bit>,
    pub since: Signal<Out, Bits<27>>,
    /// Bytes released up to the segment, and before.
    pub sum: Signal<Out, Bits<32>>,
    pub prior: Signal<Out, Bits<32>>,
    /// Outcomes of an ACK that is not accepted; none is stale.
    pub unknown: Signal<Out, Bit>,
    pub forged: Signal<Out, Bit>,
    pub repeated: Signal<Out, Bit>,
    /// Segments that an ACK passes by, or that a time-out releases.
    pub between: Signal<Out, Bits<16>>,
    // Clock 2.
    entry: Signal<Local, Entry>,
    raw: Signal<Local, FlowWord>,
    held: Signal<Local, Bit>,
    on2: Signal<Local, Bit>,
    equal: Signal<Local, Bit>,
    can: DFF<Bit>,
    load: DFF<Bit>,
    ended: DFF<Bit>,
    turn: DFF<Bit>,
    enabled: DFF<Bit>,
    target: DFF<Bits<32>>,
    number: DFF<Bits<16>>,
    follows: DFF<Bits<16>>,
    adds: DFF<Bits<32>>,
    moment: [DFF<Bits<27>>; 2],
    elapsed: DFF<Bits<27>>,
    alike: [DFF<Bit>; 4],
    operand: DFF<FlowWord>,
    is_unknown: [DFF<Bit>; 2],
    is_forged: [DFF<Bit>; 2],
    // Clock 3.
    old: Signal<Local, FlowWord>,
    /// The word, if an ACK is not accepted; if it is.
    kept: Signal<Local, FlowWord>,
    taken: Signal<Local, FlowWord>,
    updated: Signal<Local, FlowWord>,
    behind: Signal<Local, Bytes>,
    /// Negative for a segment so old that the sums cannot tell.
    owed: Signal<Local, Bytes>,
    total: Signal<Local, Bits<32>>,
    ahead: Signal<Local, Segments>,
    outstanding: Signal<Local, Bits<16>>,
    idle: Signal<Local, Bit>,
    /// The ACK of a flow that awaits one.
    awaited: Signal<Local, Bit>,
    /// Nothing is awaited after an ACK of the target.
    rests: Signal<Local, Bit>,
    gap: Signal<Local, Bit>,
    late: Signal<Local, Bit>,
    unseen: Signal<Local, Bit>,
    accept: Signal<Local, Bit>,
    overdue: Signal<Local, Bit>,
    expire: Signal<Local, Bit>,
    /// Operations one to four before the one at clock 3 made progress.
    progress: [DFF<Bit>; 4],
    past: [DFF<FlowWord>; 3],
    hit4: DFF<Bit>,
    repeated4: DFF<Bit>,
    between4: DFF<Bits<16>>,
    sum4: DFF<Bits<32>>,
    prior4: DFF<Bits<32>>,
}

impl Logic for Verdict {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, can, load, ended, turn, enabled, target, number, follows, adds, elapsed, operand);
        dff_setup!(self, clk, hit4, repeated4, between4, sum4, prior4);
        for i in 0..2 {
            self.moment[i].clock.next = self.clk.val();
            self.is_unknown[i].clock.next = self.clk.val();
            self.is_forged[i].clock.next = self.clk.val();
        }
        for i in 0..3 {
            self.past[i].clock.next = self.clk.val();
        }
        for i in 0..4 {
            self.alike[i].clock.next = self.clk.val();
            self.progress[i].clock.next = self.clk.val();
            self.alike[i].d.next = self.same[i].val();
        }
        for i in 0..2 {
            self.past[i + 1].d.next = self.past[i].q.val();
        }
        for i in 0..3 {
            self.progress[i + 1].d.next = self.progress[i].q.val();
        }
        self.is_unknown[1].d.next = self.is_unknown[0].q.val();
        self.is_forged[1].d.next = self.is_forged[0].q.val();

        // 2
        self.entry.next = self.raw_entry.val();
        self.raw.next = self.raw_flow.val();
        self.on2.next = self.enable.val() & !(self.is_ack.val() & self.over.val());
        self.held.next = self.entry.val().valid
            & !self.beyond.val()
            & (self.entry.val().flow == self.flow.val())
            & (self.entry.val().segment == self.segment.val());
        self.equal.next = self.entry.val().check == self.check.val();
        self.is_unknown[0].d.next = self.is_ack.val() & !self.on2.val();
        self.is_forged[0].d.next = self.is_ack.val() & self.on2.val() & self.held.val() & !self.equal.val();
        self.can.d.next = self.is_ack.val() & self.on2.val() & self.held.val() & self.equal.val();
        self.load.d.next = self.is_load.val();
        self.ended.d.next = self.is_ended.val();
        self.turn.d.next = self.is_turn.val();
        self.enabled.d.next = self.enable.val();
        self.target.d.next = self.entry.val().sum;
        self.number.d.next = self.segment.val();
        self.follows.d.next = self.after.val();
        self.adds.d.next = self.bytes.val();
        self.moment[0].d.next = self.entered.val();
        self.moment[1].d.next = self.moment[0].q.val();
        self.elapsed.d.next = self.entered.val() - self.raw_since.val();

        // 3: comparisons with the word, all at once.
        self.old.next = self.operand.q.val();
        self.behind.next = (self.old.val().released - self.target.q.val()).into();
        self.total.next = self.old.val().sent + self.adds.q.val();
        self.ahead.next = (self.number.q.val() - self.old.val().acked).into();
        self.outstanding.next = self.old.val().following - self.old.val().acked;
        self.idle.next = !self.old.val().awaits;
        self.rests.next = self.old.val().sent == self.target.q.val();
        self.owed.next = (self.old.val().sent - self.target.q.val()).into();
        self.gap.next = self.old.val().following != self.number.q.val();
        self.late.next = self.elapsed.q.val() >= bit_cast::<27, 26>(self.timeout.val().get_bits::<26>(5));
        self.unseen.next = (self.alike[0].q.val() & self.progress[0].q.val())
            | (self.alike[1].q.val() & self.progress[1].q.val())
            | (self.alike[2].q.val() & self.progress[2].q.val())
            | (self.alike[3].q.val() & self.progress[3].q.val());
        self.awaited.next = self.can.q.val() & self.old.val().awaits;
        self.accept.next = self.awaited.val() & (self.behind.val().negative & !self.owed.val().negative);
        self.overdue.next = self.turn.q.val() & self.enabled.q.val() & self.times_out.val() & self.late.val() & !self.unseen.val();
        self.expire.next = self.overdue.val() & !self.idle.val();
        self.progress[0].d.next = self.accept.val() | self.expire.val() | self.load.q.val() | (self.ended.q.val() & self.idle.val());
        self.kept.next = self.old.val();
        if self.ended.q.val() {
            self.kept.next.sent = self.total.val();
            self.kept.next.following = self.follows.q.val();
            self.kept.next.awaits = true;
            // What is skipped counts from here on, if nothing is awaited or the number does not
            // follow the last one.
            if self.gap.val() | self.idle.val() {
                self.kept.next.acked = self.number.q.val();
            }
            if self.idle.val() {
                self.kept.next.released = self.old.val().sent;
            }
        }
        if self.overdue.val() | self.load.q.val() {
            self.kept.next.awaits = false;
        }
        // (The sign of the difference comes last, and does nothing but choose.)
        self.taken.next = self.kept.val();
        if self.awaited.val() {
            self.taken.next.released = self.target.q.val();
            self.taken.next.awaits = !self.rests.val();
            if !self.ahead.val().negative {
                self.taken.next.acked = self.follows.q.val();
            }
        }
        self.updated.next = self.kept.val();
        if self.behind.val().negative & !self.owed.val().negative {
            self.updated.next = self.taken.val();
        }
        self.past[0].d.next = self.updated.val();
        self.hit4.d.next = self.accept.val() | self.expire.val();
        self.repeated4.d.next = self.can.q.val() & !self.accept.val();
        self.sum4.d.next = self.target.q.val();
        self.between4.d.next = self.ahead.val().into();
        if self.ahead.val().negative {
            self.between4.d.next = bits::<16>(0);
        }
        if self.turn.q.val() {
            self.sum4.d.next = self.old.val().sent;
            self.between4.d.next = self.outstanding.val();
        }
        self.prior4.d.next = self.old.val().released;
        self.accepts.next = self.accept.val();
        self.expires.next = self.expire.val();
        // The operands of clock 3, from the youngest operation that has them.
        self.operand.d.next = self.raw.val();
        if self.same[0].val() {
            self.operand.d.next = self.updated.val();
        } else if self.same[1].val() {
            self.operand.d.next = self.past[0].q.val();
        } else if self.same[2].val() {
            self.operand.d.next = self.past[1].q.val();
        } else if self.same[3].val() {
            self.operand.d.next = self.past[2].q.val();
        }

        // 4
        self.hits.next = self.hit4.q.val();
        self.word.next = self.past[0].q.val();
        self.progresses.next = self.progress[0].q.val();
        self.since.next = self.moment[1].q.val();
        self.sum.next = self.sum4.q.val();
        self.prior.next = self.prior4.q.val();
        self.unknown.next = self.is_unknown[1].q.val();
        self.forged.next = self.is_forged[1].q.val();
        self.repeated.next = self.repeated4.q.val();
        self.between.next = self.between4.q.val();
        if self.rst.val() {
            self.can.d.next = false;
            self.load.d.next = false;
            self.ended.d.next = false;
            self.turn.d.next = false;
            self.hit4.d.next = false;
            self.repeated4.d.next = false;
            self.is_unknown[0].d.next = false;
            self.is_unknown[1].d.next = false;
            self.is_forged[0].d.next = false;
            self.is_forged[1].d.next = false;
            for i in 0..4 {
                self.progress[i].d.next = false;
            }
        }
    }
}
