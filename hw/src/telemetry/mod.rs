//! Counters of every flow: what was sent, what came back, what was decided; a query for one flow's
//! record. Beside them, event records of rate updates, and the histograms of the profiles.
mod group;
mod histograms;
mod recorder;
mod words;

pub use histograms::Histograms;
pub use recorder::Recorder;

use crate::bus::{AnswerOut, CountedSampleIn, FlowLoadIn, OutcomeIn, QueryIn};
use group::Group;
use rust_hdl::prelude::*;
use words::{Branches, Decisions, Frame, Operation, Outcomes, Record, Returns, Sample, Sent};

/// The telemetry records of `2^F` flows (`timely_regs::telemetry`).
///
/// Latency: an event is part of every answer whose query comes 4 clocks later or more, a sample 5;
/// a query is answered 2 clocks later, with its tag. Throughput: an event of each kind and a query
/// every clock. Nothing stalls. Each group of fields is one word of RAM with one writer, and a copy
/// that queries alone read, so an answer is never torn. Model:
/// `timely_model::telemetry::Telemetry`.
#[derive(LogicBlock, Default)]
pub struct Telemetry<const F: usize> {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset, active high.
    pub rst: Signal<In, Bit>,
    /// The RAMs are clear.
    pub swept: Signal<Out, Bit>,
    /// A frame's first beat is offered to the MAC.
    pub sent_valid: Signal<In, Bit>,
    /// Flow.
    pub sent_flow: Signal<In, Bits<F>>,
    /// Last packet of its segment.
    pub sent_last: Signal<In, Bit>,
    /// Wire bytes of the frame.
    pub sent_wire_bytes: Signal<In, Bits<16>>,
    /// A sample for the engine.
    pub sample: CountedSampleIn<F>,
    /// Outcome of an ACK; with the sample of the clock before, of the same flow, or alone.
    pub acked: OutcomeIn<F>,
    /// The engine set a rate.
    pub event_valid: Signal<In, Bit>,
    /// Flow of the rate.
    pub event_flow: Signal<In, Bits<F>>,
    /// Branch, 4 and up for none.
    pub event_branch: Signal<In, Bits<3>>,
    /// A hyperactive increase.
    pub event_hyperactive: Signal<In, Bit>,
    /// The rate.
    pub event_rate: Signal<In, Bits<32>>,
    /// Kind.
    pub event_kind: Signal<In, Bits<3>>,
    /// The engine will never take a sample.
    pub superseded_valid: Signal<In, Bit>,
    /// Flow of the sample.
    pub superseded_flow: Signal<In, Bits<F>>,
    /// Flow bus.
    pub fl: FlowLoadIn<F>,
    /// A record is wanted.
    pub query: QueryIn<F>,
    /// The steady time, 2^10 ns.
    pub now: Signal<In, Bits<32>>,
    /// The record of the flow of 2 clocks ago; it stands until the next.
    pub answer: AnswerOut,
    sent: Group<112, 113, F>,
    returns: Group<337, 338, F>,
    events: Group<263, 264, F>,
    /// Word 25.
    superseded: Group<32, 33, F>,
    /// The epochs, for loads to turn over.
    load_epochs: RAM<Bit, F>,
    load_flow: DFF<Bits<F>>,
    sweep_at: DFF<Bits<F>>,
    ready: DFF<Bit>,
    sweep: Signal<Local, Bit>,
    clear: DFF<Bit>,
    // Values that came with an event; index k is the register of clock k + 1.
    frame: [DFF<Frame>; 3],
    // Of a sample, which enters a clock later; index k is the register of clock k.
    came: [DFF<Sample>; 4],
    sampled: [DFF<Bit>; 4],
    sample_flow_q: DFF<Bits<F>>,
    acked_q: [DFF<Bit>; 2],
    outcome: [DFF<Bits<2>>; 2],
    /// The counter of the ACK, one bit each.
    acks_of: DFF<Bits<4>>,
    outcomes: Signal<Local, Outcomes>,
    /// RTT in 2^-8 ns, plus 5: half of the divisor, and 1 of the complement of the old value.
    biased: DFF<Bits<36>>,
    operation: [DFF<Operation>; 3],
    branch_1: Signal<Local, Bits<3>>,
    /// The counter that the branch belongs to, one bit each.
    which: DFF<Bits<5>>,
    branches: Signal<Local, Branches>,
    // Clock 3 of each group.
    frames: Signal<Local, Sent>,
    frames_next: Signal<Local, Sent>,
    back: Signal<Local, Returns>,
    back_next: Signal<Local, Returns>,
    decided: Signal<Local, Decisions>,
    decided_next: Signal<Local, Decisions>,
    old: Signal<Local, Bits<36>>,
    inverse: Signal<Local, Bits<36>>,
    sum: Signal<Local, Bits<36>>,
    // State of each group for a query.
    part_sent: Signal<Local, Sent>,
    part_returns: Signal<Local, Returns>,
    part_events: Signal<Local, Decisions>,
    record: Signal<Local, Record>,
    part_superseded: Signal<Local, Bits<32>>,
    asked: DFF<Bit>,
    asked_tag: DFF<Bits<4>>,
    a_tag: DFF<Bits<4>>,
    a_valid: DFF<Bit>,
    a_sent: DFF<Bits<112>>,
    a_returns: DFF<Bits<337>>,
    a_events: DFF<Bits<263>>,
    a_superseded: DFF<Bits<32>>,
    a_now: DFF<Bits<32>>,
    // The state is of the flow's epoch.
    sent_counts: DFF<Bit>,
    returns_count: DFF<Bit>,
    events_count: DFF<Bit>,
    superseded_counts: DFF<Bit>,
}

impl<const F: usize> Telemetry<F> {
    /// The block with its constants.
    pub fn new() -> Self {
        Self { sent: Group::new(), returns: Group::new(), events: Group::new(), superseded: Group::new(), ..Default::default() }
    }
}

impl<const F: usize> Logic for Telemetry<F> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, sweep_at, ready, biased, which, acks_of, load_flow, clear, sample_flow_q, asked, asked_tag, a_tag, a_valid);
        dff_setup!(self, clk, a_sent, a_returns, a_events, a_superseded, a_now, sent_counts, returns_count, events_count);
        dff_setup!(self, clk, superseded_counts);
        for i in 0..3 {
            self.frame[i].clock.next = self.clk.val();
            self.operation[i].clock.next = self.clk.val();
        }
        for i in 0..2 {
            self.frame[i + 1].d.next = self.frame[i].q.val();
            self.operation[i + 1].d.next = self.operation[i].q.val();
        }
        for i in 0..4 {
            self.came[i].clock.next = self.clk.val();
            self.sampled[i].clock.next = self.clk.val();
        }
        for i in 0..3 {
            self.came[i + 1].d.next = self.came[i].q.val();
            self.sampled[i + 1].d.next = self.sampled[i].q.val();
        }
        for i in 0..2 {
            self.acked_q[i].clock.next = self.clk.val();
            self.outcome[i].clock.next = self.clk.val();
        }
        self.acked_q[1].d.next = self.acked_q[0].q.val();
        self.outcome[1].d.next = self.outcome[0].q.val();
        self.sent.clk.next = self.clk.val();
        self.returns.clk.next = self.clk.val();
        self.events.clk.next = self.clk.val();
        self.superseded.clk.next = self.clk.val();
        self.sent.rst.next = self.rst.val();
        self.returns.rst.next = self.rst.val();
        self.events.rst.next = self.rst.val();
        self.superseded.rst.next = self.rst.val();
        self.sweep.next = !self.ready.q.val();
        self.sent.sweep.next = self.sweep.val();
        self.returns.sweep.next = self.sweep.val();
        self.events.sweep.next = self.sweep.val();
        self.superseded.sweep.next = self.sweep.val();
        self.sent.sweep_at.next = self.sweep_at.q.val();
        self.returns.sweep_at.next = self.sweep_at.q.val();
        self.events.sweep_at.next = self.sweep_at.q.val();
        self.superseded.sweep_at.next = self.sweep_at.q.val();
        self.swept.next = self.ready.q.val();
        self.sweep_at.d.next = self.sweep_at.q.val() + bits::<F>(1);
        if self.sweep_at.q.val().all() {
            self.ready.d.next = true;
        }
        // A load, bit 1 of its record's word 0 being keep: the next clock turns the flow's epoch
        // over.
        self.load_epochs.read_clock.next = self.clk.val();
        self.load_epochs.write_clock.next = self.clk.val();
        self.clear.d.next = self.fl.valid.val() & !self.fl.record.val().get_bit(1) & self.ready.q.val();
        self.load_flow.d.next = self.fl.flow.val();
        self.load_epochs.read_address.next = self.fl.flow.val();
        self.load_epochs.write_enable.next = self.clear.q.val() | self.sweep.val();
        self.load_epochs.write_address.next = self.load_flow.q.val();
        self.load_epochs.write_data.next = !self.load_epochs.read_data.val();
        if self.sweep.val() {
            self.load_epochs.write_address.next = self.sweep_at.q.val();
            self.load_epochs.write_data.next = false;
        }
        self.sent.clear_valid.next = self.clear.q.val();
        self.returns.clear_valid.next = self.clear.q.val();
        self.events.clear_valid.next = self.clear.q.val();
        self.superseded.clear_valid.next = self.clear.q.val();
        self.sent.clear_flow.next = self.load_flow.q.val();
        self.returns.clear_flow.next = self.load_flow.q.val();
        self.events.clear_flow.next = self.load_flow.q.val();
        self.superseded.clear_flow.next = self.load_flow.q.val();
        self.sent.clear_epoch.next = !self.load_epochs.read_data.val();
        self.returns.clear_epoch.next = !self.load_epochs.read_data.val();
        self.events.clear_epoch.next = !self.load_epochs.read_data.val();
        self.superseded.clear_epoch.next = !self.load_epochs.read_data.val();

        // Frames that are sent.
        self.sent.i_valid.next = self.sent_valid.val();
        self.sent.i_flow.next = self.sent_flow.val();
        self.frame[0].d.next.last = self.sent_last.val();
        self.frame[0].d.next.wire_bytes = self.sent_wire_bytes.val();
        self.frames.next = self.sent.o_state.val().into();
        self.frames_next.next = self.frames.val();
        if self.sent.o_event.val() {
            self.frames_next.next.packets = self.frames.val().packets + bits::<32>(1);
            self.frames_next.next.wire_bytes = self.frames.val().wire_bytes + bit_cast::<48, 16>(self.frame[2].q.val().wire_bytes);
            if self.frame[2].q.val().last {
                self.frames_next.next.segments = self.frames.val().segments + bits::<32>(1);
            }
        }
        self.sent.i_next.next = self.frames_next.val().into();

        // Returns: the sample of the clock before, and the outcome of its ACK.
        // (7 old + new + 4) / 8 as 8 old + (-old - 1) + (new + 5), one addition of three.
        self.sampled[0].d.next = self.sample.valid.val() & self.ready.q.val();
        self.sample_flow_q.d.next = self.sample.flow.val();
        self.came[0].d.next.late = self.sample.kind.val() == bits::<2>(1);
        self.came[0].d.next.measured = !self.sample.kind.val().any();
        self.came[0].d.next.rtt_ns = self.sample.rtt_ns.val();
        self.came[0].d.next.lost = self.sample.lost.val();
        self.returns.i_valid.next = self.sampled[0].q.val() | self.acked.valid.val();
        self.returns.i_flow.next = self.sample_flow_q.q.val();
        if self.acked.valid.val() {
            self.returns.i_flow.next = self.acked.flow.val();
        }
        self.acked_q[0].d.next = self.acked.valid.val();
        self.outcome[0].d.next = self.acked.outcome.val();
        self.acks_of.d.next = bits::<4>(0);
        if self.acked_q[1].q.val() {
            self.acks_of.d.next = bits::<4>(1) << self.outcome[1].q.val();
        }
        self.biased.d.next = (bit_cast::<36, 24>(self.came[2].q.val().rtt_ns) << 8) | bits::<36>(5);
        self.back.next = self.returns.o_state.val().into();
        self.old.next = bit_cast::<36, 32>(self.back.val().smoothed);
        self.inverse.next = !self.old.val();
        self.sum.next = (self.old.val() << 3) + self.inverse.val() + self.biased.q.val();
        self.outcomes.next = self.acks_of.q.val().into();
        self.back_next.next = self.back.val();
        if self.returns.o_event.val() {
            if self.outcomes.val().accepted {
                self.back_next.next.accepted = self.back.val().accepted + bits::<32>(1);
            }
            if self.outcomes.val().stale {
                self.back_next.next.stale = self.back.val().stale + bits::<32>(1);
            }
            if self.outcomes.val().repeated {
                self.back_next.next.repeated = self.back.val().repeated + bits::<32>(1);
            }
            if self.outcomes.val().forged {
                self.back_next.next.forged = self.back.val().forged + bits::<32>(1);
            }
            if self.sampled[3].q.val() {
                self.back_next.next.losses = self.back.val().losses + bit_cast::<32, 7>(self.came[3].q.val().lost);
            }
            if self.sampled[3].q.val() & self.came[3].q.val().late {
                self.back_next.next.timeouts = self.back.val().timeouts + bits::<32>(1);
            }
            if self.sampled[3].q.val() & self.came[3].q.val().measured {
                self.back_next.next.samples = self.back.val().samples + bits::<32>(1);
                self.back_next.next.last = self.came[3].q.val().rtt_ns;
                self.back_next.next.measured = true;
                self.back_next.next.sampled_at = self.now.val();
                self.back_next.next.smoothed = self.sum.val().get_bits::<32>(3);
                if !self.back.val().measured {
                    self.back_next.next.smoothed = bit_cast::<32, 24>(self.came[3].q.val().rtt_ns) << 8;
                }
                if !self.back.val().measured | (self.came[3].q.val().rtt_ns < self.back.val().least) {
                    self.back_next.next.least = self.came[3].q.val().rtt_ns;
                }
            }
        }
        self.returns.i_next.next = self.back_next.val().into();

        // Answers of the engine.
        self.events.i_valid.next = self.event_valid.val();
        self.events.i_flow.next = self.event_flow.val();
        self.operation[0].d.next.branch = self.event_branch.val();
        self.operation[0].d.next.hyperactive = self.event_hyperactive.val();
        self.operation[0].d.next.rate = self.event_rate.val();
        self.operation[0].d.next.kind = self.event_kind.val();
        self.branch_1.next = self.operation[1].q.val().branch;
        self.which.d.next = bits::<5>(1) << self.branch_1.val();
        if self.branch_1.val().get_bit(2) {
            self.which.d.next = bits::<5>(16);
        }
        self.branches.next = self.which.q.val().into();
        self.decided.next = self.events.o_state.val().into();
        self.decided_next.next = self.decided.val();
        if self.events.o_event.val() {
            self.decided_next.next.updates = self.decided.val().updates + bits::<32>(1);
            if self.branches.val().below_low {
                self.decided_next.next.below_low = self.decided.val().below_low + bits::<32>(1);
            }
            if self.branches.val().above_high {
                self.decided_next.next.above_high = self.decided.val().above_high + bits::<32>(1);
            }
            if self.branches.val().increase {
                self.decided_next.next.increase = self.decided.val().increase + bits::<32>(1);
            }
            if self.branches.val().decrease {
                self.decided_next.next.decrease = self.decided.val().decrease + bits::<32>(1);
            }
            if self.branches.val().other {
                self.decided_next.next.other = self.decided.val().other + bits::<32>(1);
            }
            if self.operation[2].q.val().hyperactive {
                self.decided_next.next.hyperactive = self.decided.val().hyperactive + bits::<32>(1);
            }
            self.decided_next.next.rate = self.operation[2].q.val().rate;
            self.decided_next.next.branch = self.operation[2].q.val().branch;
            self.decided_next.next.unused_259 = false;
            self.decided_next.next.kind = self.operation[2].q.val().kind;
        }
        self.events.i_next.next = self.decided_next.val().into();
        self.superseded.i_valid.next = self.superseded_valid.val();
        self.superseded.i_flow.next = self.superseded_flow.val();
        self.superseded.i_next.next = self.superseded.o_state.val();
        if self.superseded.o_event.val() {
            self.superseded.i_next.next = self.superseded.o_state.val() + bits::<32>(1);
        }

        // Queries: the words of the record from the bits of the groups, 0 where a group is of
        // another epoch. Nothing moves without one.
        self.sent.query_flow.next = self.query.flow.val();
        self.returns.query_flow.next = self.query.flow.val();
        self.events.query_flow.next = self.query.flow.val();
        self.superseded.query_flow.next = self.query.flow.val();
        self.asked.d.next = self.query.valid.val() & self.ready.q.val();
        self.asked_tag.d.next = self.query.tag.val();
        self.a_valid.d.next = self.asked.q.val();
        if self.asked.q.val() {
            self.a_tag.d.next = self.asked_tag.q.val();
            self.a_sent.d.next = self.sent.o_stored.val();
            self.a_returns.d.next = self.returns.o_stored.val();
            self.a_events.d.next = self.events.o_stored.val();
            self.a_superseded.d.next = self.superseded.o_stored.val();
            self.a_now.d.next = self.now.val();
            self.sent_counts.d.next = self.sent.o_current.val();
            self.returns_count.d.next = self.returns.o_current.val();
            self.events_count.d.next = self.events.o_current.val();
            self.superseded_counts.d.next = self.superseded.o_current.val();
        }
        // Cleared behind the registers: the block that takes the answer clears by the resets of its
        // own.
        self.part_sent.next = bits::<112>(0).into();
        self.part_returns.next = bits::<337>(0).into();
        self.part_events.next = bits::<263>(0).into();
        self.part_superseded.next = bits::<32>(0);
        if self.sent_counts.q.val() {
            self.part_sent.next = self.a_sent.q.val().into();
        }
        if self.returns_count.q.val() {
            self.part_returns.next = self.a_returns.q.val().into();
        }
        if self.events_count.q.val() {
            self.part_events.next = self.a_events.q.val().into();
        }
        if self.superseded_counts.q.val() {
            self.part_superseded.next = self.a_superseded.q.val();
        }
        self.answer.valid.next = self.a_valid.q.val();
        self.answer.tag.next = self.a_tag.q.val();
        self.record.next = bits::<1024>(0).into();
        self.record.next.packets = self.part_sent.val().packets;
        self.record.next.wire_bytes = self.part_sent.val().wire_bytes;
        self.record.next.segments = self.part_sent.val().segments;
        self.record.next.samples = self.part_returns.val().samples;
        self.record.next.timeouts = self.part_returns.val().timeouts;
        self.record.next.least = self.part_returns.val().least;
        self.record.next.measured = self.part_returns.val().measured;
        self.record.next.last = self.part_returns.val().last;
        self.record.next.smoothed = self.part_returns.val().smoothed;
        self.record.next.accepted = self.part_returns.val().accepted;
        self.record.next.stale = self.part_returns.val().stale;
        self.record.next.repeated = self.part_returns.val().repeated;
        self.record.next.forged = self.part_returns.val().forged;
        self.record.next.sampled_at = self.part_returns.val().sampled_at;
        self.record.next.losses = self.part_returns.val().losses;
        self.record.next.now = self.a_now.q.val();
        self.record.next.decisions = self.part_events.val();
        self.record.next.superseded = self.part_superseded.val();
        self.answer.record.next = self.record.val().into();
        if self.rst.val() {
            self.sweep_at.d.next = bits::<F>(0);
            self.ready.d.next = false;
            self.clear.d.next = false;
            self.asked.d.next = false;
            self.a_valid.d.next = false;
            for i in 0..4 {
                self.sampled[i].d.next = false;
            }
            for i in 0..2 {
                self.acked_q[i].d.next = false;
            }
        }
    }
}
