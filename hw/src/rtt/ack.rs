//! Effect of an ACK, a load, an ended segment or a turn on a flow.
#![allow(missing_docs, reason = "a group of ports has one comment")]
use super::counts::Counts;
use super::memory::Memory;
use super::offer::Offer;
use super::profiles::Profiles;
use super::signal::Signals;
use super::verdict::Verdict;
use super::words::{Entry, LossByte, Operation, Settings, Start, Waiting};
use crate::bus::{EchoIn, EndedIn, OutcomeOut, ProfileWriteIn, ReleaseOut, SampleOut};
use crate::check::Matrix;
use crate::constant::Const;
use crate::fifo::Fifo;
use rust_hdl::prelude::*;
use timely_model::rtt::WAITING;

// A kernel takes literals alone.
const _: () = assert!(WAITING == 4);

/// One pipeline of operations on flows: ACKs first, then those that [`Offer`] offers.
///
/// Clock 0: the RAMs are addressed by the inputs ([`Memory`]). 1: their data is captured. 2:
/// compared and subtracted ([`Verdict`], [`Signals`]). 3: decided. From clock 4 on the sample
/// stands, from 5 on release and pulses. One operation a clock, never stalls.
#[derive(LogicBlock, Default)]
pub struct AckUnit<const F: usize, const D: usize, const A: usize> {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    /// The RAMs are being cleared, at this address; nothing is accepted.
    pub sweep: Signal<In, Bit>,
    pub sweep_at: Signal<In, Bits<A>>,
    /// An ACK arrived.
    pub a: EchoIn,
    pub key: Signal<In, Bits<96>>,
    /// A segment ended.
    pub ended: EndedIn<F>,
    /// A place in the ring gets its start.
    pub start_valid: Signal<In, Bit>,
    pub start_place: Signal<In, Bits<16>>,
    pub start: Signal<In, Start>,
    /// A flow is loaded.
    pub flow_valid: Signal<In, Bit>,
    pub flow_index: Signal<In, Bits<F>>,
    pub flow_enable: Signal<In, Bit>,
    pub flow_keep: Signal<In, Bit>,
    pub flow_profile: Signal<In, Bits<4>>,
    /// Profile bus.
    pub pw: ProfileWriteIn,
    /// Time that time-outs count on, ns48.fns16, and steps of the one that stamps are of.
    pub now: Signal<In, Bits<64>>,
    pub time_epoch: Signal<In, Bits<2>>,
    /// A sample for the engine.
    pub sample: SampleOut<F>,
    /// Bytes are outstanding no more.
    pub release: ReleaseOut<F>,
    /// Counted events.
    pub pulses: Signal<Out, Bits<64>>,
    /// Outcome of an ACK.
    pub acked: OutcomeOut<F>,
    memory: Memory<F, D, A>,
    matrix: Matrix,
    source: DFF<Bits<32>>,
    profiles: Profiles,
    verdict: Verdict,
    signals: Signals<F>,
    offer: Offer<F>,
    /// Ended segments.
    waiting: Fifo<114, 4, 5>,
    enters: Signal<Local, Waiting>,
    counts: Counts,
    flow_shift: Const<Bits<6>>,
    place_shift: Const<Bits<5>>,
    ack0: Signal<Local, Bit>,
    flow0: Signal<Local, Bits<F>>,
    segment0: Signal<Local, Bits<16>>,
    check0: Signal<Local, Bits<32>>,
    time0: Signal<Local, Bits<64>>,
    loss0: Signal<Local, LossByte>,
    high0: Signal<Local, Bits<32>>,
    above0: Signal<Local, Bits<17>>,
    // Pipeline; index k is the register of clock k + 1.
    valid: [DFF<Bit>; 5],
    flow: [DFF<Bits<F>>; 5],
    op: [DFF<Operation>; 4],
    segment: [DFF<Bits<16>>; 4],
    check: [DFF<Bits<32>>; 4],
    place: [DFF<Bits<16>>; 4],
    generation: [DFF<Bits<2>>; 4],
    lost: [DFF<Bits<7>>; 4],
    over: [DFF<Bit>; 2],
    beyond: [DFF<Bit>; 2],
    bytes: [DFF<Bits<32>>; 2],
    entered: [DFF<Bits<27>>; 2],
    after: DFF<Bits<16>>,
    same: [DFF<Bit>; 4],
    // Clock 2.
    settings: Signal<Local, Settings>,
    raw_entry: Signal<Local, Entry>,
    raw_start: Signal<Local, Start>,
    stamped: DFF<Bit>,
    epoch: DFF<Bits<2>>,
    // Clock 3.
    timely: Signal<Local, Bit>,
    measures: DFF<Bit>,
    across: DFF<Bit>,
    unstamped: DFF<Bit>,
    s_valid: DFF<Bit>,
    // Clock 4.
    entry: Signal<Local, Entry>,
    sum: Signal<Local, super::words::FlowWord>,
    r_valid: DFF<Bit>,
    r_bytes: DFF<Bits<32>>,
    k_valid: DFF<Bit>,
    k_outcome: DFF<Bits<2>>,
}

impl<const F: usize, const D: usize, const A: usize> AckUnit<F, D, A> {
    /// The block with its constants.
    pub fn new() -> Self {
        Self {
            flow_shift: Const::new(bits::<6>(F as u64)),
            place_shift: Const::new(bits::<5>(D as u64)),
            memory: Memory::new(),
            profiles: Profiles::new(),
            signals: Signals::new(),
            offer: Offer::new(),
            counts: Counts::new(),
            ..Default::default()
        }
    }
}

impl<const F: usize, const D: usize, const A: usize> Logic for AckUnit<F, D, A> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, source, after, stamped, epoch, measures, across, unstamped, s_valid, r_valid, r_bytes, k_valid, k_outcome);
        for i in 0..5 {
            self.valid[i].clock.next = self.clk.val();
            self.flow[i].clock.next = self.clk.val();
        }
        for i in 0..4 {
            self.op[i].clock.next = self.clk.val();
            self.segment[i].clock.next = self.clk.val();
            self.check[i].clock.next = self.clk.val();
            self.place[i].clock.next = self.clk.val();
            self.generation[i].clock.next = self.clk.val();
            self.lost[i].clock.next = self.clk.val();
            self.same[i].clock.next = self.clk.val();
            self.valid[i + 1].d.next = self.valid[i].q.val();
            self.flow[i + 1].d.next = self.flow[i].q.val();
        }
        for i in 0..3 {
            self.op[i + 1].d.next = self.op[i].q.val();
            self.segment[i + 1].d.next = self.segment[i].q.val();
            self.check[i + 1].d.next = self.check[i].q.val();
            self.place[i + 1].d.next = self.place[i].q.val();
            self.generation[i + 1].d.next = self.generation[i].q.val();
            self.lost[i + 1].d.next = self.lost[i].q.val();
        }
        for i in 0..2 {
            self.over[i].clock.next = self.clk.val();
            self.beyond[i].clock.next = self.clk.val();
            self.bytes[i].clock.next = self.clk.val();
            self.entered[i].clock.next = self.clk.val();
        }
        self.over[1].d.next = self.over[0].q.val();
        self.beyond[1].d.next = self.beyond[0].q.val();
        self.bytes[1].d.next = self.bytes[0].q.val();
        self.entered[1].d.next = self.entered[0].q.val();
        self.memory.clk.next = self.clk.val();
        self.memory.sweep.next = self.sweep.val();
        self.memory.sweep_at.next = self.sweep_at.val();
        self.profiles.clk.next = self.clk.val();
        self.profiles.sweep.next = self.sweep.val();
        self.profiles.sweep_at.next = self.sweep_at.val().get_bits::<4>(0);
        self.verdict.clk.next = self.clk.val();
        self.verdict.rst.next = self.rst.val();
        self.signals.clk.next = self.clk.val();
        self.signals.sweep.next = self.sweep.val();
        self.signals.sweep_flow.next = self.sweep_at.val().get_bits::<F>(0);
        self.offer.clk.next = self.clk.val();
        self.offer.rst.next = self.rst.val();
        self.offer.sweep.next = self.sweep.val();
        self.counts.clk.next = self.clk.val();
        self.counts.rst.next = self.rst.val();

        // 0: one operation enters.
        self.ack0.next = self.a.valid.val() & !self.sweep.val();
        self.offer.take.next = !self.ack0.val();
        self.op[0].d.next.ack = self.ack0.val();
        self.op[0].d.next.load = self.offer.load.val() & !self.ack0.val();
        self.op[0].d.next.ended = self.offer.ended.val() & !self.ack0.val();
        self.op[0].d.next.turn = self.offer.turn.val() & !self.ack0.val();
        self.valid[0].d.next = self.ack0.val() | self.offer.any.val();
        self.flow0.next = self.offer.flow.val();
        self.segment0.next = self.offer.segment.val();
        self.check0.next = self.offer.check.val();
        self.time0.next = self.now.val();
        // (While the RAMs are cleared nothing is offered, so that this need not ask.)
        if self.a.valid.val() {
            self.flow0.next = self.a.flow.val().get_bits::<F>(0);
            self.segment0.next = self.a.segment.val().get_bits::<16>(0);
            self.check0.next = self.a.nonce.val();
            self.time0.next = self.a.ts.val();
        }
        self.high0.next = self.a.flow.val() >> self.flow_shift.val();
        self.over[0].d.next = self.high0.val().any();
        // (A bit wider than a place: Icarus takes a shift by the whole width for a constant.)
        self.above0.next = bit_cast::<17, 16>(self.a.place.val()) >> self.place_shift.val();
        self.beyond[0].d.next = self.above0.val().any();
        self.flow[0].d.next = self.flow0.val();
        self.segment[0].d.next = self.segment0.val();
        self.check[0].d.next = self.check0.val();
        self.source.d.next = bits::<32>(0);
        if self.a.valid.val() {
            self.source.d.next = self.a.source.val();
        }
        self.place[0].d.next = self.offer.place.val();
        self.generation[0].d.next = self.offer.generation.val();
        self.bytes[0].d.next = self.offer.bytes.val();
        self.entered[0].d.next = self.now.val().get_bits::<27>(21);
        self.loss0.next = self.a.loss.val().into();
        self.lost[0].d.next = bits::<7>(0);
        if self.ack0.val() & (self.loss0.val().segment == bits::<2>(1)) {
            self.lost[0].d.next = bit_cast::<7, 6>(self.loss0.val().skipped);
        }
        if self.ack0.val() & (self.loss0.val().segment == bits::<2>(2)) {
            self.lost[0].d.next = bit_cast::<7, 6>(self.loss0.val().skipped) + bits::<7>(1);
        }
        self.memory.flow.next = self.flow0.val();
        // Only an ACK looks at the ring, so that its place goes there straight.
        self.memory.place.next = self.a.place.val().get_bits::<D>(0);
        self.signals.flow.next = self.flow0.val();
        self.signals.arrived.next = self.time0.val();
        self.signals.now_ns.next = self.now.val().get_bits::<32>(16);
        self.signals.arrival.next = self.a.arrival.val();
        self.signals.departure.next = self.a.departure.val();
        self.signals.ttl_sent.next = self.a.ttl_sent.val();
        self.signals.ttl_seen.next = self.a.ttl_seen.val();

        // 1: which operations before are of the same flow.
        self.after.d.next = self.segment[0].q.val() + bits::<16>(1);
        // The check that an ACK echoes, with its host in it; a segment that ended has its
        // destination in its check already.
        self.matrix.key.next = self.key.val();
        self.matrix.digest.next = self.source.q.val();
        self.check[1].d.next = self.check[0].q.val() ^ self.matrix.product.val();
        for i in 0..4 {
            self.same[i].d.next = self.valid[i + 1].q.val() & (self.flow[i + 1].q.val() == self.flow[0].q.val());
        }

        // 2
        self.settings.next = self.memory.raw_settings.val();
        self.raw_entry.next = self.memory.raw_entry.val();
        self.raw_start.next = self.memory.raw_start.val();
        self.verdict.is_ack.next = self.op[1].q.val().ack;
        self.verdict.is_load.next = self.op[1].q.val().load;
        self.verdict.is_ended.next = self.op[1].q.val().ended;
        self.verdict.is_turn.next = self.op[1].q.val().turn;
        self.verdict.flow.next = bit_cast::<16, F>(self.flow[1].q.val());
        self.verdict.over.next = self.over[1].q.val();
        self.verdict.beyond.next = self.beyond[1].q.val();
        self.verdict.enable.next = self.settings.val().enable;
        self.verdict.segment.next = self.segment[1].q.val();
        self.verdict.after.next = self.after.q.val();
        self.verdict.check.next = self.check[1].q.val();
        self.verdict.bytes.next = self.bytes[1].q.val();
        self.verdict.entered.next = self.entered[1].q.val();
        self.verdict.raw_flow.next = self.memory.raw_flow.val();
        self.verdict.raw_since.next = self.memory.raw_since.val();
        self.verdict.raw_entry.next = self.raw_entry.val();
        for i in 0..4 {
            self.verdict.same[i].next = self.same[i].q.val();
        }
        self.profiles.profile.next = self.settings.val().profile;
        self.stamped.d.next = self.raw_start.val().valid & (self.raw_start.val().generation == self.raw_entry.val().generation);
        self.epoch.d.next = self.raw_start.val().epoch;
        self.signals.stamp.next = self.raw_start.val().at;

        // 3
        self.verdict.timeout.next = self.profiles.timeout.val();
        self.verdict.times_out.next = self.profiles.times_out.val();
        self.signals.is_visit.next = self.op[2].q.val().turn;
        self.signals.choice.next = self.profiles.signal.val();
        self.signals.base.next = self.profiles.base.val();
        self.timely.next = self.stamped.q.val() & (self.epoch.q.val() == self.time_epoch.val());
        self.measures.d.next = self.verdict.accepts.val() & self.timely.val();
        self.across.d.next = (self.verdict.accepts.val() & self.stamped.q.val()) & !self.timely.val();
        self.unstamped.d.next = self.verdict.accepts.val() & !self.stamped.q.val();
        self.s_valid.d.next = (self.verdict.accepts.val() & self.timely.val()) | self.verdict.expires.val();

        // 4: the flow's word back, the ended segment into the ring, what was released, what is
        // counted.
        self.memory.word_valid.next = self.valid[3].q.val();
        self.memory.word_flow.next = self.flow[3].q.val();
        self.memory.word.next = self.verdict.word.val();
        self.memory.since_valid.next = self.verdict.progresses.val();
        self.memory.since.next = self.verdict.since.val();
        self.sum.next = self.verdict.word.val();
        self.entry.next.flow = bit_cast::<16, F>(self.flow[3].q.val());
        self.entry.next.segment = self.segment[3].q.val();
        self.entry.next.check = self.check[3].q.val();
        self.entry.next.sum = self.sum.val().sent;
        self.entry.next.generation = self.generation[3].q.val();
        self.entry.next.valid = true;
        self.memory.entry_valid.next = self.op[3].q.val().ended;
        self.memory.entry_place.next = self.place[3].q.val();
        self.memory.entry.next = self.entry.val();
        self.signals.keep.next = self.measures.q.val();
        self.signals.forget.next = self.op[3].q.val().load;
        self.signals.keep_flow.next = self.flow[3].q.val();
        self.r_valid.d.next = self.verdict.hits.val();
        self.r_bytes.d.next = self.verdict.sum.val() - self.verdict.prior.val();
        self.k_valid.d.next = self.op[3].q.val().ack & !self.verdict.unknown.val();
        self.k_outcome.d.next = bits::<2>(1);
        if self.verdict.hits.val() {
            self.k_outcome.d.next = bits::<2>(0);
        } else if self.verdict.forged.val() {
            self.k_outcome.d.next = bits::<2>(3);
        } else if self.verdict.repeated.val() {
            self.k_outcome.d.next = bits::<2>(2);
        }
        self.counts.hit.next = self.verdict.hits.val();
        self.counts.ack.next = self.op[3].q.val().ack;
        self.counts.unknown.next = self.verdict.unknown.val();
        self.counts.forged.next = self.verdict.forged.val();
        self.counts.repeated.next = self.verdict.repeated.val();
        self.counts.between.next = self.verdict.between.val();
        self.counts.exceeds.next = self.measures.q.val() & self.signals.exceeds.val();
        self.counts.across.next = self.across.q.val();
        self.counts.unstamped.next = self.unstamped.q.val();

        // Writes by other blocks.
        self.offer.load_valid.next = self.flow_valid.val() & !(self.flow_enable.val() & self.flow_keep.val()) & !self.sweep.val();
        self.offer.load_flow.next = self.flow_index.val();
        self.waiting.clk.next = self.clk.val();
        self.waiting.rst.next = self.rst.val();
        self.waiting.i_valid.next = self.ended.valid.val() & !self.sweep.val();
        self.enters.next.flow = bit_cast::<16, F>(self.ended.flow.val());
        self.enters.next.segment = self.ended.segment.val();
        self.enters.next.check = self.ended.check.val();
        self.enters.next.bytes = self.ended.bytes.val();
        self.enters.next.place = self.ended.place.val();
        self.enters.next.generation = self.ended.generation.val();
        self.waiting.i_data.next = self.enters.val().into();
        self.offer.waiting_valid.next = self.waiting.o_valid.val();
        self.offer.waiting.next = self.waiting.o_data.val().into();
        self.waiting.o_ready.next = self.offer.waiting_ready.val();
        self.memory.start_valid.next = self.start_valid.val();
        self.memory.start_place.next = self.start_place.val();
        self.memory.start.next = self.start.val();
        self.memory.flow_valid.next = self.flow_valid.val();
        self.memory.flow_index.next = self.flow_index.val();
        self.memory.flow_enable.next = self.flow_enable.val();
        self.memory.flow_profile.next = self.flow_profile.val();
        ProfileWriteIn::link(&mut self.pw, &mut self.profiles.pw);

        self.sample.valid.next = self.s_valid.q.val();
        self.sample.kind.next = bit_cast::<2, 1>(self.op[3].q.val().turn.into());
        self.sample.flow.next = self.flow[3].q.val();
        self.sample.rtt_ns.next = self.signals.rtt_ns.val();
        self.sample.now_ns.next = self.signals.time_ns.val();
        self.sample.hops.next = self.signals.hops.val();
        self.sample.endpoint_ns.next = self.signals.endpoint_ns.val();
        self.sample.lost.next = self.lost[3].q.val();
        self.release.valid.next = self.r_valid.q.val();
        self.release.flow.next = self.flow[4].q.val();
        self.release.bytes.next = self.r_bytes.q.val();
        self.pulses.next = self.counts.pulses.val();
        self.acked.valid.next = self.k_valid.q.val();
        self.acked.flow.next = self.flow[4].q.val();
        self.acked.outcome.next = self.k_outcome.q.val();
        if self.rst.val() {
            for i in 0..5 {
                self.valid[i].d.next = false;
            }
            for i in 0..4 {
                self.op[i].d.next = bits::<4>(0).into();
            }
            self.s_valid.d.next = false;
            self.measures.d.next = false;
            self.across.d.next = false;
            self.unstamped.d.next = false;
            self.r_valid.d.next = false;
            self.k_valid.d.next = false;
        }
    }
}
