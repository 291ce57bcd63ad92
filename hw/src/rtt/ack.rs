//! What an ACK, a load, a new base or a time-out does to a flow.
use super::blank;
use super::counts::Counts;
use super::waiting::Waiting;
use rust_hdl::prelude::*;

/// One pipeline of operations on flows: ACKs first, then loads, new bases, time-outs, and the turns that look for time-outs.
///
/// Clock 0: the RAMs are addressed by the inputs. 1: their data is captured. 2: compared and subtracted; the flow's state is forwarded from
/// the four operations before. 3: the one decision that depends on it, a subtraction and a selection. From clock 4 on the sample
/// stands, from 5 on release and pulses. One operation a clock, never stalls.
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
    /// Arrival, bits 47..8: ns in Q.8.
    pub a_ts: Signal<In, Bits<40>>,
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
    /// A profile's time-out is set.
    pub timeout_valid: Signal<In, Bit>,
    /// Its profile.
    pub timeout_profile: Signal<In, Bits<4>>,
    /// The time-out, ns.
    pub timeout: Signal<In, Bits<31>>,
    /// Time, bits 47..8: ns in Q.8.
    pub now: Signal<In, Bits<40>>,
    /// A sample.
    pub sample_valid: Signal<Out, Bit>,
    /// 0 RTT, 1 time-out.
    pub sample_kind: Signal<Out, Bits<2>>,
    /// Its flow.
    pub sample_flow: Signal<Out, Bits<F>>,
    /// RTT, ns.
    pub sample_rtt_ns: Signal<Out, Bits<24>>,
    /// Arrival of the ACK or time of the time-out, ns.
    pub sample_now_ns: Signal<Out, Bits<32>>,
    /// Bytes are outstanding no more.
    pub release_valid: Signal<Out, Bit>,
    /// Their flow.
    pub release_flow: Signal<Out, Bits<F>>,
    /// How many.
    pub release_bytes: Signal<Out, Bits<24>>,
    /// Counted events.
    pub pulses: Signal<Out, Bits<32>>,
    /// As the RAM `flows` of `SentUnit`: bits 31..0 the segment after the last one sent, 55..32 the bytes sent.
    sent: RAM<Bits<56>, F>,
    /// Bits 31..0 the oldest segment outstanding, 55..32 the bytes released.
    acked: RAM<Bits<56>, F>,
    /// Bits 3..0 profile, 4 enable.
    settings: RAM<Bits<5>, F>,
    timeouts: RAM<Bits<31>, 4>,
    /// Bits 31..0 nonce, 63..32 opened, 87..64 bytes, 97..88 segment above the slot index, 98 valid.
    slots: RAM<Bits<99>, A>,
    /// Bits 39..0 stamp, 43..40 segment above the slot index, 44 valid.
    stamps: RAM<Bits<45>, A>,
    slot_shift: Constant<Bits<6>>,
    flow_shift: Constant<Bits<6>>,
    slot_count: Constant<Bits<32>>,
    waiting: Waiting<F>,
    counts: Counts,
    ack0: Signal<Local, Bit>,
    flow0: Signal<Local, Bits<F>>,
    segment0: Signal<Local, Bits<32>>,
    high0: Signal<Local, Bits<32>>,
    // Pipeline; index k is the register of clock k + 1.
    valid: [DFF<Bit>; 5],
    flow: [DFF<Bits<F>>; 5],
    is_ack: [DFF<Bit>; 4],
    is_load: [DFF<Bit>; 3],
    is_rebase: [DFF<Bit>; 3],
    is_visit: [DFF<Bit>; 4],
    is_turn: [DFF<Bit>; 4],
    segment: [DFF<Bits<32>>; 3],
    over: [DFF<Bit>; 2],
    nonce: [DFF<Bits<32>>; 2],
    deadline: [DFF<Bits<32>>; 2],
    ts: [DFF<Bits<40>>; 3],
    after: DFF<Bits<32>>,
    arrival: DFF<Bits<40>>,
    raw_sent: DFF<Bits<56>>,
    raw_acked: DFF<Bits<56>>,
    raw_settings: DFF<Bits<5>>,
    raw_slot: DFF<Bits<99>>,
    raw_stamp: DFF<Bits<45>>,
    same: [DFF<Bit>; 4],
    // Clock 2.
    inverse: Signal<Local, Bits<32>>,
    behind: Signal<Local, Bits<32>>,
    behind_high: Signal<Local, Bits<32>>,
    upper: Signal<Local, Bits<32>>,
    held: Signal<Local, Bit>,
    enabled: Signal<Local, Bit>,
    nonce_equal: Signal<Local, Bit>,
    late: Signal<Local, Bits<32>>,
    unknown: [DFF<Bit>; 2],
    forged: [DFF<Bit>; 2],
    can: DFF<Bit>,
    stamped: DFF<Bit>,
    diff: DFF<Bits<40>>,
    una: DFF<Bits<32>>,
    released: DFF<Bits<24>>,
    target: DFF<Bits<32>>,
    target_bytes: DFF<Bits<24>>,
    overrule: DFF<Bit>,
    next: [DFF<Bits<32>>; 2],
    on: [DFF<Bit>; 2],
    // Clock 3.
    ahead: Signal<Local, Bits<32>>,
    inverse_ahead: Signal<Local, Bits<32>>,
    ahead_high: Signal<Local, Bits<32>>,
    hit: Signal<Local, Bit>,
    una_now: Signal<Local, Bits<32>>,
    released_now: Signal<Local, Bits<24>>,
    una_past: [DFF<Bits<32>>; 3],
    released_past: [DFF<Bits<24>>; 3],
    hits: DFF<Bit>,
    repeated: DFF<Bit>,
    between: DFF<Bits<24>>,
    sum: DFF<Bits<24>>,
    prior: DFF<Bits<24>>,
    outstanding: DFF<Bits<32>>,
    timeout_of: DFF<Bits<31>>,
    s_valid: DFF<Bit>,
    s_kind: DFF<Bits<2>>,
    s_rtt: DFF<Bits<24>>,
    s_now: DFF<Bits<32>>,
    // Clock 4.
    r_valid: DFF<Bit>,
    r_bytes: DFF<Bits<24>>,
    slot_high: Signal<Local, Bits<32>>,
    stamp_high: Signal<Local, Bits<16>>,
}

impl<const F: usize, const S: usize, const A: usize> Default for AckUnit<F, S, A> {
    fn default() -> Self {
        assert_eq!(A, F + S, "a slot's address is flow and slot index");
        blank!(
            slot_shift = Constant::new(bits::<6>(S as u64)),
            flow_shift = Constant::new(bits::<6>(F as u64)),
            slot_count = Constant::new(bits::<32>(1 << S)),
            ;
            clk rst sweep sweep_at a_valid a_flow a_segment a_nonce a_ts slot_valid slot_flow slot_segment slot_next slot_nonce
            slot_bytes slot_opened slot_gap stamp_valid stamp_flow stamp_segment stamp flow_valid flow_index flow_enable flow_keep
            flow_profile timeout_valid timeout_profile timeout now sample_valid sample_kind sample_flow sample_rtt_ns sample_now_ns
            release_valid release_flow release_bytes pulses sent acked settings timeouts slots stamps ack0 flow0 segment0 high0
            valid flow is_ack is_load is_rebase is_visit is_turn segment over nonce deadline ts after arrival raw_sent raw_acked
            raw_settings raw_slot raw_stamp same inverse behind behind_high upper held enabled nonce_equal late unknown forged can
            stamped diff una released target target_bytes overrule next on ahead inverse_ahead ahead_high hit una_now released_now
            una_past released_past hits repeated between sum prior outstanding timeout_of s_valid s_kind s_rtt s_now r_valid r_bytes
            slot_high stamp_high waiting counts
        )
    }
}

impl<const F: usize, const S: usize, const A: usize> Logic for AckUnit<F, S, A> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, after, arrival, raw_sent, raw_acked, raw_settings, raw_slot, raw_stamp);
        dff_setup!(self, clk, can, stamped, diff, una, released, target, target_bytes, overrule, hits, repeated, between, sum, prior);
        dff_setup!(self, clk, outstanding, timeout_of, s_valid, s_kind, s_rtt, s_now, r_valid, r_bytes);
        for i in 0..5 {
            self.valid[i].clock.next = self.clk.val();
            self.flow[i].clock.next = self.clk.val();
        }
        for i in 0..4 {
            self.is_ack[i].clock.next = self.clk.val();
            self.is_visit[i].clock.next = self.clk.val();
            self.is_turn[i].clock.next = self.clk.val();
            self.same[i].clock.next = self.clk.val();
        }
        for i in 0..3 {
            self.is_load[i].clock.next = self.clk.val();
            self.is_rebase[i].clock.next = self.clk.val();
            self.segment[i].clock.next = self.clk.val();
            self.ts[i].clock.next = self.clk.val();
            self.una_past[i].clock.next = self.clk.val();
            self.released_past[i].clock.next = self.clk.val();
        }
        for i in 0..2 {
            self.over[i].clock.next = self.clk.val();
            self.nonce[i].clock.next = self.clk.val();
            self.deadline[i].clock.next = self.clk.val();
            self.unknown[i].clock.next = self.clk.val();
            self.forged[i].clock.next = self.clk.val();
            self.next[i].clock.next = self.clk.val();
            self.on[i].clock.next = self.clk.val();
        }
        for i in 0..4 {
            self.valid[i + 1].d.next = self.valid[i].q.val();
            self.flow[i + 1].d.next = self.flow[i].q.val();
        }
        for i in 0..3 {
            self.is_ack[i + 1].d.next = self.is_ack[i].q.val();
            self.is_visit[i + 1].d.next = self.is_visit[i].q.val();
            self.is_turn[i + 1].d.next = self.is_turn[i].q.val();
        }
        for i in 0..2 {
            self.is_load[i + 1].d.next = self.is_load[i].q.val();
            self.is_rebase[i + 1].d.next = self.is_rebase[i].q.val();
            self.segment[i + 1].d.next = self.segment[i].q.val();
            self.ts[i + 1].d.next = self.ts[i].q.val();
            self.una_past[i + 1].d.next = self.una_past[i].q.val();
            self.released_past[i + 1].d.next = self.released_past[i].q.val();
        }
        self.over[1].d.next = self.over[0].q.val();
        self.nonce[1].d.next = self.nonce[0].q.val();
        self.deadline[1].d.next = self.deadline[0].q.val();
        self.unknown[1].d.next = self.unknown[0].q.val();
        self.forged[1].d.next = self.forged[0].q.val();
        self.next[1].d.next = self.next[0].q.val();
        self.on[1].d.next = self.on[0].q.val();
        self.waiting.clk.next = self.clk.val();
        self.waiting.rst.next = self.rst.val();
        self.waiting.sweep.next = self.sweep.val();
        self.counts.clk.next = self.clk.val();
        self.counts.rst.next = self.rst.val();
        self.sent.read_clock.next = self.clk.val();
        self.sent.write_clock.next = self.clk.val();
        self.acked.read_clock.next = self.clk.val();
        self.acked.write_clock.next = self.clk.val();
        self.settings.read_clock.next = self.clk.val();
        self.settings.write_clock.next = self.clk.val();
        self.timeouts.read_clock.next = self.clk.val();
        self.timeouts.write_clock.next = self.clk.val();
        self.slots.read_clock.next = self.clk.val();
        self.slots.write_clock.next = self.clk.val();
        self.stamps.read_clock.next = self.clk.val();
        self.stamps.write_clock.next = self.clk.val();

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
        self.ts[0].d.next = self.now.val();
        if self.ack0.val() {
            self.flow0.next = self.a_flow.val().get_bits::<F>(0);
            self.segment0.next = self.a_segment.val();
            self.ts[0].d.next = self.a_ts.val();
        }
        self.high0.next = self.a_flow.val() >> self.flow_shift.val();
        self.over[0].d.next = self.high0.val().any();
        self.flow[0].d.next = self.flow0.val();
        self.segment[0].d.next = self.segment0.val();
        self.nonce[0].d.next = self.a_nonce.val();
        self.deadline[0].d.next = self.waiting.deadline.val();
        self.sent.read_address.next = self.flow0.val();
        self.acked.read_address.next = self.flow0.val();
        self.settings.read_address.next = self.flow0.val();
        self.slots.read_address.next =
            (bit_cast::<A, F>(self.flow0.val()) << self.slot_shift.val()) | bit_cast::<A, S>(self.segment0.val().get_bits::<S>(0));
        self.stamps.read_address.next =
            (bit_cast::<A, F>(self.flow0.val()) << self.slot_shift.val()) | bit_cast::<A, S>(self.segment0.val().get_bits::<S>(0));

        // 1: capture.
        self.raw_sent.d.next = self.sent.read_data.val();
        self.raw_acked.d.next = self.acked.read_data.val();
        self.raw_settings.d.next = self.settings.read_data.val();
        self.raw_slot.d.next = self.slots.read_data.val();
        self.raw_stamp.d.next = self.stamps.read_data.val();
        self.after.d.next = self.segment[0].q.val() + bits::<32>(1);
        self.arrival.d.next = self.ts[0].q.val() + bits::<40>(128);
        for i in 0..4 {
            self.same[i].d.next = self.valid[i + 1].q.val() & (self.flow[i + 1].q.val() == self.flow[0].q.val());
        }

        // 2: all that does not depend on the operations before.
        self.inverse.next = !self.segment[1].q.val();
        self.behind.next = self.raw_sent.q.val().get_bits::<32>(0) + self.inverse.val();
        self.behind_high.next = self.behind.val() >> self.slot_shift.val();
        self.upper.next = self.segment[1].q.val() >> self.slot_shift.val();
        self.held.next = !self.behind_high.val().any()
            & self.raw_slot.q.val().get_bit(98)
            & (self.raw_slot.q.val().get_bits::<10>(88) == self.upper.val().get_bits::<10>(0));
        self.enabled.next = self.raw_settings.q.val().get_bit(4) & !(self.is_ack[1].q.val() & self.over[1].q.val());
        self.nonce_equal.next = self.raw_slot.q.val().get_bits::<32>(0) == self.nonce[1].q.val();
        self.late.next = self.deadline[1].q.val() - self.raw_slot.q.val().get_bits::<32>(32);
        self.unknown[0].d.next = self.is_ack[1].q.val() & !self.enabled.val();
        self.forged[0].d.next = self.is_ack[1].q.val() & self.enabled.val() & self.held.val() & !self.nonce_equal.val();
        self.can.d.next = self.enabled.val()
            & self.held.val()
            & ((self.is_ack[1].q.val() & self.nonce_equal.val()) | (self.is_visit[1].q.val() & !self.late.val().get_bit(31)));
        self.stamped.d.next =
            self.raw_stamp.q.val().get_bit(44) & (self.raw_stamp.q.val().get_bits::<4>(40) == self.upper.val().get_bits::<4>(0));
        self.diff.d.next = self.arrival.q.val() - self.raw_stamp.q.val().get_bits::<40>(0);
        self.next[0].d.next = self.raw_sent.q.val().get_bits::<32>(0);
        self.on[0].d.next = self.enabled.val();
        self.timeouts.read_address.next = self.raw_settings.q.val().get_bits::<4>(0);
        self.overrule.d.next = self.is_load[1].q.val() | self.is_rebase[1].q.val();
        self.target.d.next = self.after.q.val();
        self.target_bytes.d.next = self.raw_slot.q.val().get_bits::<24>(64);
        if self.is_load[1].q.val() {
            self.target.d.next = self.raw_sent.q.val().get_bits::<32>(0);
            self.target_bytes.d.next = self.raw_sent.q.val().get_bits::<24>(32);
        } else if self.is_rebase[1].q.val() {
            self.target.d.next = self.segment[1].q.val();
        }

        // 3: the decision.
        self.ahead.next = self.segment[2].q.val() - self.una.q.val();
        self.inverse_ahead.next = !self.ahead.val();
        self.ahead_high.next = self.inverse_ahead.val() >> self.slot_shift.val();
        self.hit.next = self.can.q.val() & !self.ahead.val().get_bit(31);
        self.una_now.next = self.una.q.val();
        self.released_now.next = self.released.q.val();
        if self.hit.val() | self.overrule.q.val() {
            self.una_now.next = self.target.q.val();
        }
        if self.hit.val() | self.is_load[2].q.val() {
            self.released_now.next = self.target_bytes.q.val();
        }
        self.una_past[0].d.next = self.una_now.val();
        self.released_past[0].d.next = self.released_now.val();
        self.hits.d.next = self.hit.val();
        self.repeated.d.next = !self.ahead_high.val().any();
        self.between.d.next = self.ahead.val().get_bits::<24>(0);
        self.sum.d.next = self.target_bytes.q.val();
        self.prior.d.next = self.released.q.val();
        self.outstanding.d.next = self.next[0].q.val() - self.una.q.val();
        self.timeout_of.d.next = self.timeouts.read_data.val();
        self.s_valid.d.next = self.hit.val() & (self.stamped.q.val() | self.is_visit[2].q.val());
        self.s_kind.d.next = bits::<2>(0);
        self.s_now.d.next = self.ts[2].q.val().get_bits::<32>(8);
        self.s_rtt.d.next = self.diff.q.val().get_bits::<24>(8);
        if self.is_visit[2].q.val() {
            self.s_kind.d.next = bits::<2>(1);
            self.s_rtt.d.next = bits::<24>(16777215);
        } else if self.diff.q.val().get_bit(39) {
            self.s_rtt.d.next = bits::<24>(0);
        } else if self.diff.q.val().get_bits::<8>(32).any() {
            self.s_rtt.d.next = bits::<24>(16777215);
        }
        // The operand registers of clock 3, from the youngest operation that has them.
        self.una.d.next = self.raw_acked.q.val().get_bits::<32>(0);
        self.released.d.next = self.raw_acked.q.val().get_bits::<24>(32);
        if self.same[0].q.val() {
            self.una.d.next = self.una_now.val();
            self.released.d.next = self.released_now.val();
        } else if self.same[1].q.val() {
            self.una.d.next = self.una_past[0].q.val();
            self.released.d.next = self.released_past[0].q.val();
        } else if self.same[2].q.val() {
            self.una.d.next = self.una_past[1].q.val();
            self.released.d.next = self.released_past[1].q.val();
        } else if self.same[3].q.val() {
            self.una.d.next = self.una_past[2].q.val();
            self.released.d.next = self.released_past[2].q.val();
        }

        // 4: the flow's state back, what was released, what is counted, whom to time out.
        self.acked.write_enable.next = self.valid[3].q.val() | self.sweep.val();
        self.acked.write_address.next = self.flow[3].q.val();
        self.acked.write_data.next =
            bit_cast::<56, 32>(self.una_past[0].q.val()) | (bit_cast::<56, 24>(self.released_past[0].q.val()) << 32);
        self.r_valid.d.next = self.hits.q.val();
        self.r_bytes.d.next = self.sum.q.val() - self.prior.q.val();
        self.counts.hit.next = self.hits.q.val();
        self.counts.ack.next = self.is_ack[3].q.val();
        self.counts.unknown.next = self.unknown[1].q.val();
        self.counts.forged.next = self.forged[1].q.val();
        self.counts.repeated.next = self.repeated.q.val();
        self.counts.between.next = self.between.q.val();
        self.waiting.visit_valid.next =
            self.is_turn[3].q.val() & self.on[1].q.val() & self.outstanding.q.val().any() & self.timeout_of.q.val().any();
        self.waiting.visit_flow.next = self.flow[3].q.val();
        self.waiting.visit_deadline.next = self.now.val().get_bits::<32>(8) - bit_cast::<32, 31>(self.timeout_of.q.val());
        self.waiting.visit_segment.next = self.una_past[0].q.val();
        if self.outstanding.q.val() > self.slot_count.val() {
            self.waiting.visit_segment.next = self.next[1].q.val() - self.slot_count.val();
        }

        // What others write.
        self.sent.write_enable.next = self.slot_valid.val() | self.sweep.val();
        self.sent.write_address.next = self.slot_flow.val();
        self.sent.write_data.next = bit_cast::<56, 32>(self.slot_next.val()) | (bit_cast::<56, 24>(self.slot_bytes.val()) << 32);
        self.slot_high.next = self.slot_segment.val() >> self.slot_shift.val();
        self.slots.write_enable.next = self.slot_valid.val() | self.sweep.val();
        self.slots.write_address.next =
            (bit_cast::<A, F>(self.slot_flow.val()) << self.slot_shift.val()) | bit_cast::<A, S>(self.slot_segment.val().get_bits::<S>(0));
        self.slots.write_data.next = bit_cast::<99, 32>(self.slot_nonce.val())
            | (bit_cast::<99, 32>(self.slot_opened.val()) << 32)
            | (bit_cast::<99, 24>(self.slot_bytes.val()) << 64)
            | (bit_cast::<99, 10>(self.slot_high.val().get_bits::<10>(0)) << 88)
            | (bits::<99>(1) << 98);
        self.stamp_high.next = self.stamp_segment.val() >> self.slot_shift.val();
        self.stamps.write_enable.next = self.stamp_valid.val() | self.sweep.val();
        self.stamps.write_address.next = (bit_cast::<A, F>(self.stamp_flow.val()) << self.slot_shift.val())
            | bit_cast::<A, S>(self.stamp_segment.val().get_bits::<S>(0));
        self.stamps.write_data.next = bit_cast::<45, 40>(self.stamp.val())
            | (bit_cast::<45, 4>(self.stamp_high.val().get_bits::<4>(0)) << 40)
            | (bits::<45>(1) << 44);
        self.waiting.rebase_valid.next = self.slot_valid.val() & self.slot_gap.val();
        self.waiting.rebase_flow.next = self.slot_flow.val();
        self.waiting.rebase_segment.next = self.slot_segment.val();
        self.settings.write_enable.next = self.flow_valid.val() | self.sweep.val();
        self.settings.write_address.next = self.flow_index.val();
        self.settings.write_data.next = bit_cast::<5, 4>(self.flow_profile.val()) | (bit_cast::<5, 1>(self.flow_enable.val().into()) << 4);
        self.waiting.load_valid.next = self.flow_valid.val() & self.flow_enable.val() & !self.flow_keep.val() & !self.sweep.val();
        self.waiting.load_flow.next = self.flow_index.val();
        self.timeouts.write_enable.next = self.timeout_valid.val() | self.sweep.val();
        self.timeouts.write_address.next = self.timeout_profile.val();
        self.timeouts.write_data.next = self.timeout.val();
        if self.sweep.val() {
            self.sent.write_address.next = self.sweep_at.val().get_bits::<F>(0);
            self.sent.write_data.next = bits::<56>(0);
            self.acked.write_address.next = self.sweep_at.val().get_bits::<F>(0);
            self.acked.write_data.next = bits::<56>(0);
            self.settings.write_address.next = self.sweep_at.val().get_bits::<F>(0);
            self.settings.write_data.next = bits::<5>(0);
            self.timeouts.write_address.next = self.sweep_at.val().get_bits::<4>(0);
            self.timeouts.write_data.next = bits::<31>(0);
            self.slots.write_address.next = self.sweep_at.val();
            self.slots.write_data.next = bits::<99>(0);
            self.stamps.write_address.next = self.sweep_at.val();
            self.stamps.write_data.next = bits::<45>(0);
        }

        self.sample_valid.next = self.s_valid.q.val();
        self.sample_kind.next = self.s_kind.q.val();
        self.sample_flow.next = self.flow[3].q.val();
        self.sample_rtt_ns.next = self.s_rtt.q.val();
        self.sample_now_ns.next = self.s_now.q.val();
        self.release_valid.next = self.r_valid.q.val();
        self.release_flow.next = self.flow[4].q.val();
        self.release_bytes.next = self.r_bytes.q.val();
        self.pulses.next = self.counts.pulses.val();
        if self.rst.val() {
            for i in 0..5 {
                self.valid[i].d.next = false;
            }
            for i in 0..4 {
                self.is_ack[i].d.next = false;
                self.is_visit[i].d.next = false;
                self.is_turn[i].d.next = false;
            }
            self.can.d.next = false;
            self.hits.d.next = false;
            self.s_valid.d.next = false;
            self.r_valid.d.next = false;
            self.unknown[0].d.next = false;
            self.unknown[1].d.next = false;
            self.forged[0].d.next = false;
            self.forged[1].d.next = false;
        }
    }
}
