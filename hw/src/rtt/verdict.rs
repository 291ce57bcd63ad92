//! Whether an ACK is accepted, a segment timed out, and what that does to the flow.
use super::blank;
use rust_hdl::prelude::*;

/// The decision on an operation, and the flow's state in its wake.
///
/// Clock 2: all that does not depend on the operations before; the flow's state is forwarded from the four of them. 3: the one decision
/// that does, a subtraction and a selection. 4: the new state, bytes released, and what is to be counted, as registers.
#[derive(LogicBlock)]
pub struct Verdict<const S: usize> {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset.
    pub rst: Signal<In, Bit>,
    /// Clock 2: the operation is an ACK.
    pub is_ack: Signal<In, Bit>,
    /// It is a load.
    pub is_load: Signal<In, Bit>,
    /// It is a new base.
    pub is_rebase: Signal<In, Bit>,
    /// It is a time-out.
    pub is_visit: Signal<In, Bit>,
    /// Its segment.
    pub segment: Signal<In, Bits<32>>,
    /// The one after it.
    pub after: Signal<In, Bits<32>>,
    /// An ACK's flow is none of ours.
    pub over: Signal<In, Bit>,
    /// An ACK's nonce.
    pub nonce: Signal<In, Bits<32>>,
    /// A time-out's deadline, as `Waiting` says.
    pub deadline: Signal<In, Bits<32>>,
    /// As `Waiting` says.
    pub asked: Signal<In, Bits<32>>,
    /// As `Waiting` says.
    pub wrapped: Signal<In, Bit>,
    /// What the RAMs hold, as `Memory` says.
    pub raw_sent: Signal<In, Bits<56>>,
    /// As `Memory` says.
    pub raw_acked: Signal<In, Bits<56>>,
    /// The flow is enabled.
    pub enable: Signal<In, Bit>,
    /// As `Memory` says.
    pub raw_slot: Signal<In, Bits<99>>,
    /// The operation one, two, three, four before this one is of the same flow.
    pub same: [Signal<In, Bit>; 4],
    /// Clock 3: segments are released.
    pub hit: Signal<Out, Bit>,
    /// Clock 4: segments were released.
    pub hits: Signal<Out, Bit>,
    /// The flow's new state: bits 31..0 the oldest segment outstanding, 55..32 the bytes released.
    pub state: Signal<Out, Bits<56>>,
    /// Bytes released up to the segment, and before.
    pub sum: Signal<Out, Bits<24>>,
    /// Bytes released before.
    pub prior: Signal<Out, Bits<24>>,
    /// The ACK is of an unknown flow.
    pub unknown: Signal<Out, Bit>,
    /// Its nonce is wrong.
    pub forged: Signal<Out, Bit>,
    /// It may be one that came before.
    pub repeated: Signal<Out, Bit>,
    /// Segments before the one that is named.
    pub between: Signal<Out, Bits<24>>,
    /// Segments outstanding, as the operation found them;
    pub outstanding: Signal<Out, Bits<32>>,
    /// there are some.
    pub some: Signal<Out, Bit>,
    /// The segment after the last one sent.
    pub next_segment: Signal<Out, Bits<32>>,
    /// The flow is enabled.
    pub enabled: Signal<Out, Bit>,
    slot_shift: Constant<Bits<6>>,
    // Clock 2.
    behind: Signal<Local, Bits<32>>,
    behind_high: Signal<Local, Bits<32>>,
    upper: Signal<Local, Bits<32>>,
    held: Signal<Local, Bit>,
    on2: Signal<Local, Bit>,
    nonce_equal: Signal<Local, Bit>,
    opened: Signal<Local, Bits<32>>,
    young: Signal<Local, Bit>,
    past: Signal<Local, Bit>,
    late: Signal<Local, Bit>,
    can: DFF<Bit>,
    una: DFF<Bits<32>>,
    freed: DFF<Bits<24>>,
    target: DFF<Bits<32>>,
    target_bytes: DFF<Bits<24>>,
    overrule: DFF<Bit>,
    load: DFF<Bit>,
    segment3: DFF<Bits<32>>,
    is_unknown: [DFF<Bit>; 2],
    is_forged: [DFF<Bit>; 2],
    last: [DFF<Bits<32>>; 2],
    on: [DFF<Bit>; 2],
    // Clock 3.
    ahead: Signal<Local, Bits<32>>,
    inverse_ahead: Signal<Local, Bits<32>>,
    ahead_high: Signal<Local, Bits<32>>,
    hit3: Signal<Local, Bit>,
    una_now: Signal<Local, Bits<32>>,
    freed_now: Signal<Local, Bits<24>>,
    una_past: [DFF<Bits<32>>; 3],
    freed_past: [DFF<Bits<24>>; 3],
    hit4: DFF<Bit>,
    repeated4: DFF<Bit>,
    between4: DFF<Bits<24>>,
    sum4: DFF<Bits<24>>,
    prior4: DFF<Bits<24>>,
    outstanding4: DFF<Bits<32>>,
    some4: DFF<Bit>,
}

impl<const S: usize> Default for Verdict<S> {
    fn default() -> Self {
        blank!(
            slot_shift = Constant::new(bits::<6>(S as u64)),
            ;
            clk rst is_ack is_load is_rebase is_visit segment after over nonce deadline asked wrapped raw_sent raw_acked enable raw_slot same hit hits state
            sum prior unknown forged repeated between outstanding some next_segment enabled behind behind_high upper held on2 nonce_equal
            opened young past late can una freed target target_bytes overrule load segment3 is_unknown is_forged last on ahead inverse_ahead ahead_high hit3
            una_now freed_now una_past freed_past hit4 repeated4 between4 sum4 prior4 outstanding4 some4
        )
    }
}

impl<const S: usize> Logic for Verdict<S> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, can, una, freed, target, target_bytes, overrule, load, segment3);
        dff_setup!(self, clk, hit4, repeated4, between4, sum4, prior4, outstanding4, some4);
        for i in 0..2 {
            self.is_unknown[i].clock.next = self.clk.val();
            self.is_forged[i].clock.next = self.clk.val();
            self.last[i].clock.next = self.clk.val();
            self.on[i].clock.next = self.clk.val();
        }
        for i in 0..3 {
            self.una_past[i].clock.next = self.clk.val();
            self.freed_past[i].clock.next = self.clk.val();
        }
        for i in 0..2 {
            self.una_past[i + 1].d.next = self.una_past[i].q.val();
            self.freed_past[i + 1].d.next = self.freed_past[i].q.val();
        }
        self.is_unknown[1].d.next = self.is_unknown[0].q.val();
        self.is_forged[1].d.next = self.is_forged[0].q.val();
        self.last[1].d.next = self.last[0].q.val();
        self.on[1].d.next = self.on[0].q.val();

        // 2
        self.behind.next = self.raw_sent.val().get_bits::<32>(0) - self.after.val();
        self.behind_high.next = self.behind.val() >> self.slot_shift.val();
        self.upper.next = self.segment.val() >> self.slot_shift.val();
        self.held.next = !self.behind_high.val().any()
            & self.raw_slot.val().get_bit(98)
            & (self.raw_slot.val().get_bits::<10>(88) == self.upper.val().get_bits::<10>(0));
        self.on2.next = self.enable.val() & !(self.is_ack.val() & self.over.val());
        self.nonce_equal.next = self.raw_slot.val().get_bits::<32>(0) == self.nonce.val();
        // Not late is who was sent after the deadline and before the question, on the ring of 2^32 ns: two comparisons side by side.
        self.opened.next = self.raw_slot.val().get_bits::<32>(32);
        self.young.next = self.opened.val() > self.deadline.val();
        self.past.next = self.opened.val() <= self.asked.val();
        self.late.next = !self.young.val() | !self.past.val();
        if self.wrapped.val() {
            self.late.next = !self.young.val() & !self.past.val();
        }
        self.is_unknown[0].d.next = self.is_ack.val() & !self.on2.val();
        self.is_forged[0].d.next = self.is_ack.val() & self.on2.val() & self.held.val() & !self.nonce_equal.val();
        self.can.d.next =
            self.on2.val() & self.held.val() & ((self.is_ack.val() & self.nonce_equal.val()) | (self.is_visit.val() & self.late.val()));
        self.last[0].d.next = self.raw_sent.val().get_bits::<32>(0);
        self.on[0].d.next = self.on2.val();
        self.segment3.d.next = self.segment.val();
        self.load.d.next = self.is_load.val();
        self.overrule.d.next = self.is_load.val() | self.is_rebase.val();
        self.target.d.next = self.after.val();
        self.target_bytes.d.next = self.raw_slot.val().get_bits::<24>(64);
        if self.is_load.val() {
            self.target.d.next = self.raw_sent.val().get_bits::<32>(0);
            self.target_bytes.d.next = self.raw_sent.val().get_bits::<24>(32);
        } else if self.is_rebase.val() {
            self.target.d.next = self.segment.val();
        }

        // 3: the decision.
        self.ahead.next = self.segment3.q.val() - self.una.q.val();
        self.inverse_ahead.next = !self.ahead.val();
        self.ahead_high.next = self.inverse_ahead.val() >> self.slot_shift.val();
        self.hit3.next = self.can.q.val() & !self.ahead.val().get_bit(31);
        self.una_now.next = self.una.q.val();
        self.freed_now.next = self.freed.q.val();
        if self.hit3.val() | self.overrule.q.val() {
            self.una_now.next = self.target.q.val();
        }
        if self.hit3.val() | self.load.q.val() {
            self.freed_now.next = self.target_bytes.q.val();
        }
        self.una_past[0].d.next = self.una_now.val();
        self.freed_past[0].d.next = self.freed_now.val();
        self.hit4.d.next = self.hit3.val();
        self.repeated4.d.next = !self.ahead_high.val().any();
        self.between4.d.next = self.ahead.val().get_bits::<24>(0);
        self.sum4.d.next = self.target_bytes.q.val();
        self.prior4.d.next = self.freed.q.val();
        self.outstanding4.d.next = self.last[0].q.val() - self.una.q.val();
        self.some4.d.next = self.last[0].q.val() != self.una.q.val();
        self.hit.next = self.hit3.val();
        // The operands of clock 3, from the youngest operation that has them.
        self.una.d.next = self.raw_acked.val().get_bits::<32>(0);
        self.freed.d.next = self.raw_acked.val().get_bits::<24>(32);
        if self.same[0].val() {
            self.una.d.next = self.una_now.val();
            self.freed.d.next = self.freed_now.val();
        } else if self.same[1].val() {
            self.una.d.next = self.una_past[0].q.val();
            self.freed.d.next = self.freed_past[0].q.val();
        } else if self.same[2].val() {
            self.una.d.next = self.una_past[1].q.val();
            self.freed.d.next = self.freed_past[1].q.val();
        } else if self.same[3].val() {
            self.una.d.next = self.una_past[2].q.val();
            self.freed.d.next = self.freed_past[2].q.val();
        }

        // 4
        self.hits.next = self.hit4.q.val();
        self.state.next = bit_cast::<56, 32>(self.una_past[0].q.val()) | (bit_cast::<56, 24>(self.freed_past[0].q.val()) << 32);
        self.sum.next = self.sum4.q.val();
        self.prior.next = self.prior4.q.val();
        self.unknown.next = self.is_unknown[1].q.val();
        self.forged.next = self.is_forged[1].q.val();
        self.repeated.next = self.repeated4.q.val();
        self.between.next = self.between4.q.val();
        self.outstanding.next = self.outstanding4.q.val();
        self.some.next = self.some4.q.val();
        self.next_segment.next = self.last[1].q.val();
        self.enabled.next = self.on[1].q.val();
        if self.rst.val() {
            self.can.d.next = false;
            self.hit4.d.next = false;
            self.is_unknown[0].d.next = false;
            self.is_unknown[1].d.next = false;
            self.is_forged[0].d.next = false;
            self.is_forged[1].d.next = false;
        }
    }
}
