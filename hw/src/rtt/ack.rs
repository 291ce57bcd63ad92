//! What an ACK, a load, a new base or a time-out does to a flow.
use super::blank;
use super::counts::Counts;
use super::memory::Memory;
use super::profiles::Profiles;
use super::signal::Signals;
use super::verdict::Verdict;
use super::waiting::Waiting;
use rust_hdl::prelude::*;

/// One pipeline of operations on flows: ACKs first, then loads, new bases, time-outs, and the turns that look for time-outs.
///
/// Clock 0: the RAMs are addressed by the inputs ([`Memory`]). 1: their data is captured. 2: compared and subtracted ([`Verdict`],
/// [`Signals`]). 3: decided. From clock 4 on the sample stands, from 5 on release and pulses. One operation a clock, never stalls.
#[derive(LogicBlock)]
pub struct AckUnit<const F: usize, const S: usize, const A: usize> {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset.
    pub rst: Signal<In, Bit>,
    /// The RAMs are being cleared; nothing is accepted.
    pub sweep: Signal<In, Bit>,
    /// Address that is cleared.
    pub sweep_at: Signal<In, Bits<A>>,
    /// An ACK arrived.
    pub a_valid: Signal<In, Bit>,
    /// Flow that it names.
    pub a_flow: Signal<In, Bits<32>>,
    /// Segment that it names.
    pub a_segment: Signal<In, Bits<32>>,
    /// Nonce that it echoes.
    pub a_nonce: Signal<In, Bits<32>>,
    /// Arrival, ns48.fns16.
    pub a_ts: Signal<In, Bits<64>>,
    /// Arrival of the packet at the responder, ns48.fns16 of its clock.
    pub a_arrival: Signal<In, Bits<64>>,
    /// Departure of the ACK there.
    pub a_departure: Signal<In, Bits<64>>,
    /// TTL that the packet left with.
    pub a_ttl_sent: Signal<In, Bits<8>>,
    /// TTL that it arrived with.
    pub a_ttl_seen: Signal<In, Bits<8>>,
    /// A segment takes its slot; fields as those of `SentUnit`.
    pub slot_valid: Signal<In, Bit>,
    /// Its flow.
    pub slot_flow: Signal<In, Bits<F>>,
    /// The segment.
    pub slot_segment: Signal<In, Bits<32>>,
    /// The one after it.
    pub slot_next: Signal<In, Bits<32>>,
    /// Its nonce.
    pub slot_nonce: Signal<In, Bits<32>>,
    /// Bytes of the flow up to its end.
    pub slot_bytes: Signal<In, Bits<24>>,
    /// When it was sent, ns.
    pub slot_opened: Signal<In, Bits<32>>,
    /// It does not follow the segment before it.
    pub slot_gap: Signal<In, Bit>,
    /// A segment gets its stamp; fields as those of `DepartUnit`.
    pub stamp_valid: Signal<In, Bit>,
    /// Its flow.
    pub stamp_flow: Signal<In, Bits<F>>,
    /// The segment.
    pub stamp_segment: Signal<In, Bits<16>>,
    /// ns in Q.8.
    pub stamp: Signal<In, Bits<40>>,
    /// A flow is loaded.
    pub flow_valid: Signal<In, Bit>,
    /// Its index.
    pub flow_index: Signal<In, Bits<F>>,
    /// It is enabled.
    pub flow_enable: Signal<In, Bit>,
    /// Its state is kept.
    pub flow_keep: Signal<In, Bit>,
    /// Its profile.
    pub flow_profile: Signal<In, Bits<4>>,
    /// A profile word is written.
    pub pw_valid: Signal<In, Bit>,
    /// Its profile.
    pub pw_profile: Signal<In, Bits<4>>,
    /// The word.
    pub pw_word: Signal<In, Bits<5>>,
    /// Its value.
    pub pw_data: Signal<In, Bits<32>>,
    /// Time, ns48.fns16.
    pub now: Signal<In, Bits<64>>,
    /// A sample.
    pub sample_valid: Signal<Out, Bit>,
    /// 0 RTT, 1 time-out.
    pub sample_kind: Signal<Out, Bits<2>>,
    /// Its flow.
    pub sample_flow: Signal<Out, Bits<F>>,
    /// The signal that the profile asks for, ns.
    pub sample_rtt_ns: Signal<Out, Bits<24>>,
    /// Arrival of the ACK or time of the time-out, ns.
    pub sample_now_ns: Signal<Out, Bits<32>>,
    /// TTL as sent minus as received.
    pub sample_hops: Signal<Out, Bits<8>>,
    /// Residence at the responder, ns.
    pub sample_endpoint_ns: Signal<Out, Bits<24>>,
    /// Bytes are outstanding no more.
    pub release_valid: Signal<Out, Bit>,
    /// Their flow.
    pub release_flow: Signal<Out, Bits<F>>,
    /// How many.
    pub release_bytes: Signal<Out, Bits<24>>,
    /// Counted events.
    pub pulses: Signal<Out, Bits<32>>,
    /// What became of an ACK of a flow that exists.
    pub acked_valid: Signal<Out, Bit>,
    /// Its flow.
    pub acked_flow: Signal<Out, Bits<F>>,
    /// 0 accepted, 1 stale, 2 repeated, 3 forged.
    pub acked_outcome: Signal<Out, Bits<2>>,
    memory: Memory<F, S, A>,
    profiles: Profiles,
    verdict: Verdict<S>,
    signals: Signals<F>,
    waiting: Waiting<F>,
    counts: Counts,
    slot_shift: Constant<Bits<6>>,
    flow_shift: Constant<Bits<6>>,
    slot_count: Constant<Bits<32>>,
    ack0: Signal<Local, Bit>,
    flow0: Signal<Local, Bits<F>>,
    segment0: Signal<Local, Bits<32>>,
    time0: Signal<Local, Bits<64>>,
    high0: Signal<Local, Bits<32>>,
    // Pipeline; index k is the register of clock k + 1.
    valid: [DFF<Bit>; 5],
    flow: [DFF<Bits<F>>; 5],
    is_ack: [DFF<Bit>; 4],
    is_load: [DFF<Bit>; 4],
    is_rebase: [DFF<Bit>; 2],
    is_visit: [DFF<Bit>; 4],
    is_turn: [DFF<Bit>; 4],
    segment: [DFF<Bits<32>>; 2],
    over: [DFF<Bit>; 2],
    nonce: [DFF<Bits<32>>; 2],
    deadline: [DFF<Bits<32>>; 2],
    asked: [DFF<Bits<32>>; 2],
    wrapped: [DFF<Bit>; 2],
    after: DFF<Bits<32>>,
    same: [DFF<Bit>; 4],
    // Clock 2.
    upper: Signal<Local, Bits<32>>,
    settings: Signal<Local, Bits<5>>,
    raw_stamp: Signal<Local, Bits<45>>,
    stamped: DFF<Bit>,
    // Clock 3.
    timeout_of: DFF<Bits<31>>,
    times_out: DFF<Bit>,
    measures: DFF<Bit>,
    s_valid: DFF<Bit>,
    // Clock 4.
    state: Signal<Local, Bits<56>>,
    r_valid: DFF<Bit>,
    r_bytes: DFF<Bits<24>>,
    k_valid: DFF<Bit>,
    k_outcome: DFF<Bits<2>>,
}

impl<const F: usize, const S: usize, const A: usize> Default for AckUnit<F, S, A> {
    fn default() -> Self {
        blank!(
            slot_shift = Constant::new(bits::<6>(S as u64)),
            flow_shift = Constant::new(bits::<6>(F as u64)),
            slot_count = Constant::new(bits::<32>(1 << S)),
            ;
            clk rst sweep sweep_at a_valid a_flow a_segment a_nonce a_ts a_arrival a_departure a_ttl_sent a_ttl_seen slot_valid slot_flow
            slot_segment slot_next slot_nonce slot_bytes slot_opened slot_gap stamp_valid stamp_flow stamp_segment stamp flow_valid flow_index
            flow_enable flow_keep flow_profile pw_valid pw_profile pw_word pw_data now sample_valid sample_kind sample_flow sample_rtt_ns
            sample_now_ns sample_hops sample_endpoint_ns release_valid release_flow release_bytes pulses acked_valid acked_flow acked_outcome k_valid k_outcome memory profiles verdict signals
            waiting counts ack0 flow0 segment0 time0 high0 valid flow is_ack is_load is_rebase is_visit is_turn segment over nonce deadline
            asked wrapped after same upper settings raw_stamp stamped timeout_of times_out measures s_valid state r_valid r_bytes
        )
    }
}

impl<const F: usize, const S: usize, const A: usize> Logic for AckUnit<F, S, A> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, after, stamped, timeout_of, times_out, measures, s_valid, r_valid, r_bytes, k_valid, k_outcome);
        for i in 0..5 {
            self.valid[i].clock.next = self.clk.val();
            self.flow[i].clock.next = self.clk.val();
        }
        for i in 0..4 {
            self.is_ack[i].clock.next = self.clk.val();
            self.is_load[i].clock.next = self.clk.val();
            self.is_visit[i].clock.next = self.clk.val();
            self.is_turn[i].clock.next = self.clk.val();
            self.same[i].clock.next = self.clk.val();
        }
        for i in 0..2 {
            self.is_rebase[i].clock.next = self.clk.val();
            self.segment[i].clock.next = self.clk.val();
            self.over[i].clock.next = self.clk.val();
            self.nonce[i].clock.next = self.clk.val();
            self.deadline[i].clock.next = self.clk.val();
            self.asked[i].clock.next = self.clk.val();
            self.wrapped[i].clock.next = self.clk.val();
        }
        for i in 0..4 {
            self.valid[i + 1].d.next = self.valid[i].q.val();
            self.flow[i + 1].d.next = self.flow[i].q.val();
        }
        for i in 0..3 {
            self.is_ack[i + 1].d.next = self.is_ack[i].q.val();
            self.is_load[i + 1].d.next = self.is_load[i].q.val();
            self.is_visit[i + 1].d.next = self.is_visit[i].q.val();
            self.is_turn[i + 1].d.next = self.is_turn[i].q.val();
        }
        self.is_rebase[1].d.next = self.is_rebase[0].q.val();
        self.segment[1].d.next = self.segment[0].q.val();
        self.over[1].d.next = self.over[0].q.val();
        self.nonce[1].d.next = self.nonce[0].q.val();
        self.deadline[1].d.next = self.deadline[0].q.val();
        self.asked[1].d.next = self.asked[0].q.val();
        self.wrapped[1].d.next = self.wrapped[0].q.val();
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
        self.waiting.clk.next = self.clk.val();
        self.waiting.rst.next = self.rst.val();
        self.waiting.sweep.next = self.sweep.val();
        self.counts.clk.next = self.clk.val();
        self.counts.rst.next = self.rst.val();

        // 0: one operation enters.
        self.ack0.next = self.a_valid.val() & !self.sweep.val();
        self.waiting.take.next = !self.ack0.val();
        self.is_ack[0].d.next = self.ack0.val();
        self.is_load[0].d.next = self.waiting.load.val() & !self.ack0.val();
        self.is_rebase[0].d.next = self.waiting.rebase.val() & !self.ack0.val();
        self.is_visit[0].d.next = self.waiting.visit.val() & !self.ack0.val();
        self.is_turn[0].d.next = self.waiting.turn.val() & !self.ack0.val();
        self.valid[0].d.next = self.ack0.val() | self.waiting.any.val();
        self.flow0.next = self.waiting.flow.val();
        self.segment0.next = self.waiting.segment.val();
        self.time0.next = self.now.val();
        // (While the RAMs are cleared nothing waits, so that this need not ask.)
        if self.a_valid.val() {
            self.flow0.next = self.a_flow.val().get_bits::<F>(0);
            self.segment0.next = self.a_segment.val();
            self.time0.next = self.a_ts.val();
        }
        self.high0.next = self.a_flow.val() >> self.flow_shift.val();
        self.over[0].d.next = self.high0.val().any();
        self.flow[0].d.next = self.flow0.val();
        self.segment[0].d.next = self.segment0.val();
        self.nonce[0].d.next = self.a_nonce.val();
        self.deadline[0].d.next = self.waiting.deadline.val();
        self.asked[0].d.next = self.waiting.asked.val();
        self.wrapped[0].d.next = self.waiting.wrapped.val();
        self.memory.flow.next = self.flow0.val();
        self.memory.segment.next = self.segment0.val();
        self.signals.flow.next = self.flow0.val();
        self.signals.arrived.next = self.time0.val();
        self.signals.arrival.next = self.a_arrival.val();
        self.signals.departure.next = self.a_departure.val();
        self.signals.ttl_sent.next = self.a_ttl_sent.val();
        self.signals.ttl_seen.next = self.a_ttl_seen.val();

        // 1: who is of the same flow.
        self.after.d.next = self.segment[0].q.val() + bits::<32>(1);
        for i in 0..4 {
            self.same[i].d.next = self.valid[i + 1].q.val() & (self.flow[i + 1].q.val() == self.flow[0].q.val());
        }

        // 2
        self.settings.next = self.memory.raw_settings.val();
        self.raw_stamp.next = self.memory.raw_stamp.val();
        self.verdict.is_ack.next = self.is_ack[1].q.val();
        self.verdict.is_load.next = self.is_load[1].q.val();
        self.verdict.is_rebase.next = self.is_rebase[1].q.val();
        self.verdict.is_visit.next = self.is_visit[1].q.val();
        self.verdict.segment.next = self.segment[1].q.val();
        self.verdict.after.next = self.after.q.val();
        self.verdict.over.next = self.over[1].q.val();
        self.verdict.nonce.next = self.nonce[1].q.val();
        self.verdict.deadline.next = self.deadline[1].q.val();
        self.verdict.asked.next = self.asked[1].q.val();
        self.verdict.wrapped.next = self.wrapped[1].q.val();
        self.verdict.raw_sent.next = self.memory.raw_sent.val();
        self.verdict.raw_acked.next = self.memory.raw_acked.val();
        self.verdict.raw_slot.next = self.memory.raw_slot.val();
        self.verdict.enable.next = self.settings.val().get_bit(4);
        for i in 0..4 {
            self.verdict.same[i].next = self.same[i].q.val();
        }
        self.profiles.profile.next = self.settings.val().get_bits::<4>(0);
        self.upper.next = self.segment[1].q.val() >> self.slot_shift.val();
        self.stamped.d.next =
            self.raw_stamp.val().get_bit(44) & (self.raw_stamp.val().get_bits::<4>(40) == self.upper.val().get_bits::<4>(0));
        self.signals.stamp.next = self.raw_stamp.val().get_bits::<40>(0);

        // 3
        self.signals.is_visit.next = self.is_visit[2].q.val();
        self.signals.choice.next = self.profiles.signal.val();
        self.signals.base.next = self.profiles.base.val();
        self.timeout_of.d.next = self.profiles.timeout.val();
        self.times_out.d.next = self.profiles.timeout.val().any();
        self.measures.d.next = self.verdict.hit.val() & self.stamped.q.val() & self.is_ack[2].q.val();
        self.s_valid.d.next = self.verdict.hit.val() & (self.stamped.q.val() | self.is_visit[2].q.val());

        // 4: the flow's state back, what was released, what is counted, whom to time out.
        self.state.next = self.verdict.state.val();
        self.memory.acked_valid.next = self.valid[3].q.val();
        self.memory.acked_flow.next = self.flow[3].q.val();
        self.memory.acked_state.next = self.state.val();
        self.signals.keep.next = self.measures.q.val();
        self.signals.forget.next = self.is_load[3].q.val();
        self.signals.keep_flow.next = self.flow[3].q.val();
        self.r_valid.d.next = self.verdict.hits.val();
        self.r_bytes.d.next = self.verdict.sum.val() - self.verdict.prior.val();
        self.k_valid.d.next = self.is_ack[3].q.val() & !self.verdict.unknown.val();
        self.k_outcome.d.next = bits::<2>(1);
        if self.verdict.hits.val() {
            self.k_outcome.d.next = bits::<2>(0);
        } else if self.verdict.forged.val() {
            self.k_outcome.d.next = bits::<2>(3);
        } else if self.verdict.repeated.val() {
            self.k_outcome.d.next = bits::<2>(2);
        }
        self.counts.hit.next = self.verdict.hits.val();
        self.counts.ack.next = self.is_ack[3].q.val();
        self.counts.unknown.next = self.verdict.unknown.val();
        self.counts.forged.next = self.verdict.forged.val();
        self.counts.repeated.next = self.verdict.repeated.val();
        self.counts.between.next = self.verdict.between.val();
        self.counts.exceeds.next = self.measures.q.val() & self.signals.exceeds.val();
        self.waiting.visit_valid.next =
            self.is_turn[3].q.val() & self.verdict.enabled.val() & self.verdict.some.val() & self.times_out.q.val();
        self.waiting.visit_flow.next = self.flow[3].q.val();
        self.waiting.visit_asked.next = self.now.val().get_bits::<32>(16);
        self.waiting.visit_timeout.next = self.timeout_of.q.val();
        self.waiting.visit_segment.next = self.state.val().get_bits::<32>(0);
        if self.verdict.outstanding.val() > self.slot_count.val() {
            self.waiting.visit_segment.next = self.verdict.next_segment.val() - self.slot_count.val();
        }

        // What others write.
        self.memory.slot_valid.next = self.slot_valid.val();
        self.memory.slot_flow.next = self.slot_flow.val();
        self.memory.slot_segment.next = self.slot_segment.val();
        self.memory.slot_next.next = self.slot_next.val();
        self.memory.slot_nonce.next = self.slot_nonce.val();
        self.memory.slot_bytes.next = self.slot_bytes.val();
        self.memory.slot_opened.next = self.slot_opened.val();
        self.memory.stamp_valid.next = self.stamp_valid.val();
        self.memory.stamp_flow.next = self.stamp_flow.val();
        self.memory.stamp_segment.next = self.stamp_segment.val();
        self.memory.stamp.next = self.stamp.val();
        self.memory.flow_valid.next = self.flow_valid.val();
        self.memory.flow_index.next = self.flow_index.val();
        self.memory.flow_enable.next = self.flow_enable.val();
        self.memory.flow_profile.next = self.flow_profile.val();
        self.profiles.pw_valid.next = self.pw_valid.val();
        self.profiles.pw_profile.next = self.pw_profile.val();
        self.profiles.pw_word.next = self.pw_word.val();
        self.profiles.pw_data.next = self.pw_data.val();
        self.waiting.rebase_valid.next = self.slot_valid.val() & self.slot_gap.val();
        self.waiting.rebase_flow.next = self.slot_flow.val();
        self.waiting.rebase_segment.next = self.slot_segment.val();
        self.waiting.load_valid.next = self.flow_valid.val() & !(self.flow_enable.val() & self.flow_keep.val()) & !self.sweep.val();
        self.waiting.load_flow.next = self.flow_index.val();

        self.sample_valid.next = self.s_valid.q.val();
        self.sample_kind.next = bit_cast::<2, 1>((self.is_visit[3].q.val()).into());
        self.sample_flow.next = self.flow[3].q.val();
        self.sample_rtt_ns.next = self.signals.rtt_ns.val();
        self.sample_now_ns.next = self.signals.time_ns.val();
        self.sample_hops.next = self.signals.hops.val();
        self.sample_endpoint_ns.next = self.signals.endpoint_ns.val();
        self.release_valid.next = self.r_valid.q.val();
        self.release_flow.next = self.flow[4].q.val();
        self.release_bytes.next = self.r_bytes.q.val();
        self.pulses.next = self.counts.pulses.val();
        self.acked_valid.next = self.k_valid.q.val();
        self.acked_flow.next = self.flow[4].q.val();
        self.acked_outcome.next = self.k_outcome.q.val();
        if self.rst.val() {
            for i in 0..5 {
                self.valid[i].d.next = false;
            }
            for i in 0..4 {
                self.is_ack[i].d.next = false;
                self.is_load[i].d.next = false;
                self.is_visit[i].d.next = false;
                self.is_turn[i].d.next = false;
            }
            self.s_valid.d.next = false;
            self.measures.d.next = false;
            self.r_valid.d.next = false;
            self.k_valid.d.next = false;
        }
    }
}
