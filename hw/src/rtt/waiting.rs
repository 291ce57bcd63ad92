//! What waits for a clock without an ACK.
use rust_hdl::prelude::*;

/// One place each for a load, a new base and a time-out, and the turn of every flow, one each 8 clocks; offered in that order.
///
/// An operation is offered from the clock after it came; one of the same kind that comes first takes its place. A turn is not
/// lost: the next one waits until it was taken.
#[derive(LogicBlock, Default)]
pub struct Waiting<const F: usize> {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset.
    pub rst: Signal<In, Bit>,
    /// No turns.
    pub sweep: Signal<In, Bit>,
    /// What is offered is taken at this clock.
    pub take: Signal<In, Bit>,
    /// A flow's segments are to be voided.
    pub load_valid: Signal<In, Bit>,
    /// The flow.
    pub load_flow: Signal<In, Bits<F>>,
    /// A flow has a new base.
    pub rebase_valid: Signal<In, Bit>,
    /// The flow.
    pub rebase_flow: Signal<In, Bits<F>>,
    /// The base.
    pub rebase_segment: Signal<In, Bits<32>>,
    /// A segment is to be timed out if it is old enough.
    pub visit_valid: Signal<In, Bit>,
    /// Its flow.
    pub visit_flow: Signal<In, Bits<F>>,
    /// The segment.
    pub visit_segment: Signal<In, Bits<32>>,
    /// The time, ns.
    pub visit_asked: Signal<In, Bits<32>>,
    /// The time-out, ns; not 0.
    pub visit_timeout: Signal<In, Bits<31>>,
    /// A load is offered.
    pub load: Signal<Out, Bit>,
    /// A new base.
    pub rebase: Signal<Out, Bit>,
    /// A time-out.
    pub visit: Signal<Out, Bit>,
    /// A turn.
    pub turn: Signal<Out, Bit>,
    /// Any of them.
    pub any: Signal<Out, Bit>,
    /// Its flow.
    pub flow: Signal<Out, Bits<F>>,
    /// Its segment, if it has one.
    pub segment: Signal<Out, Bits<32>>,
    /// If it is a time-out: what was sent after this time, ns, is not late,
    pub deadline: Signal<Out, Bits<32>>,
    /// if it was sent before this one, ns,
    pub asked: Signal<Out, Bits<32>>,
    /// and times ran over between the two.
    pub wrapped: Signal<Out, Bit>,
    has_load: DFF<Bit>,
    at_load: DFF<Bits<F>>,
    has_rebase: DFF<Bit>,
    at_rebase: DFF<Bits<F>>,
    base: DFF<Bits<32>>,
    has_visit: DFF<Bit>,
    at_visit: DFF<Bits<F>>,
    target: DFF<Bits<32>>,
    limit: DFF<Bits<33>>,
    asked_at: DFF<Bits<32>>,
    has_turn: DFF<Bit>,
    /// Bits 2..0 the clock of a turn, above them its flow.
    scan: DFF<Bits<19>>,
    /// The turn before is still waiting when the next would come; unless it is taken at this clock.
    late: Signal<Local, Bit>,
    // What is offered at the next clock, by what waits then.
    next_load: [Signal<Local, Bit>; 2],
    next_rebase: [Signal<Local, Bit>; 2],
    next_visit: [Signal<Local, Bit>; 2],
    next_turn: [Signal<Local, Bit>; 2],
    /// The scan goes on.
    steps: [Signal<Local, Bit>; 2],
    flows: [Signal<Local, Bits<F>>; 2],
    segments: [Signal<Local, Bits<32>>; 2],
    load_at: Signal<Local, Bits<F>>,
    rebase_at: Signal<Local, Bits<F>>,
    rebase_to: Signal<Local, Bits<32>>,
    visit_at: Signal<Local, Bits<F>>,
    visit_of: Signal<Local, Bits<32>>,
    scan_next: Signal<Local, Bits<19>>,
    scan_at: [Signal<Local, Bits<19>>; 2],
    o_load: DFF<Bit>,
    o_rebase: DFF<Bit>,
    o_visit: DFF<Bit>,
    o_turn: DFF<Bit>,
    o_any: DFF<Bit>,
    o_flow: DFF<Bits<F>>,
    o_segment: DFF<Bits<32>>,
}

impl<const F: usize> Logic for Waiting<F> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, has_load, at_load, has_rebase, at_rebase, base, has_visit, at_visit, target, limit, asked_at, has_turn, scan);
        dff_setup!(self, clk, o_load, o_rebase, o_visit, o_turn, o_any, o_flow, o_segment);
        self.load.next = self.o_load.q.val();
        self.rebase.next = self.o_rebase.q.val();
        self.visit.next = self.o_visit.q.val();
        self.turn.next = self.o_turn.q.val();
        self.any.next = self.o_any.q.val();
        self.flow.next = self.o_flow.q.val();
        self.segment.next = self.o_segment.q.val();
        self.deadline.next = self.limit.q.val().get_bits::<32>(0);
        self.wrapped.next = self.limit.q.val().get_bit(32);
        self.asked.next = self.asked_at.q.val();

        // What waits at the next clock, index 0 if nothing is taken and 1 if what is offered is: that is known last.
        self.late.next = self.has_turn.q.val() & self.scan.q.val().get_bits::<3>(0).all();
        self.next_load[0].next = self.load_valid.val() | self.has_load.q.val();
        self.next_load[1].next = self.load_valid.val() | (self.has_load.q.val() & !self.o_load.q.val());
        self.next_rebase[0].next = self.rebase_valid.val() | self.has_rebase.q.val();
        self.next_rebase[1].next = self.rebase_valid.val() | (self.has_rebase.q.val() & !self.o_rebase.q.val());
        self.next_visit[0].next = self.visit_valid.val() | self.has_visit.q.val();
        self.next_visit[1].next = self.visit_valid.val() | (self.has_visit.q.val() & !self.o_visit.q.val());
        self.next_turn[0].next = self.has_turn.q.val();
        self.next_turn[1].next = self.has_turn.q.val() & !self.o_turn.q.val();
        self.steps[0].next = !self.sweep.val() & !self.late.val();
        self.steps[1].next = !self.sweep.val() & !(self.late.val() & !self.o_turn.q.val());
        self.scan_next.next = self.scan.q.val() + bits::<19>(1);
        for i in 0..2 {
            self.scan_at[i].next = self.scan.q.val();
            if self.steps[i].val() {
                self.scan_at[i].next = self.scan_next.val();
                if !self.scan.q.val().get_bits::<3>(0).any() {
                    self.next_turn[i].next = true;
                }
            }
        }
        self.load_at.next = self.at_load.q.val();
        if self.load_valid.val() {
            self.load_at.next = self.load_flow.val();
        }
        self.rebase_at.next = self.at_rebase.q.val();
        self.rebase_to.next = self.base.q.val();
        if self.rebase_valid.val() {
            self.rebase_at.next = self.rebase_flow.val();
            self.rebase_to.next = self.rebase_segment.val();
        }
        self.visit_at.next = self.at_visit.q.val();
        self.visit_of.next = self.target.q.val();
        if self.visit_valid.val() {
            self.visit_at.next = self.visit_flow.val();
            self.visit_of.next = self.visit_segment.val();
            self.limit.d.next = bit_cast::<33, 32>(self.visit_asked.val()) - bit_cast::<33, 31>(self.visit_timeout.val());
            self.asked_at.d.next = self.visit_asked.val();
        }
        self.at_load.d.next = self.load_at.val();
        self.at_rebase.d.next = self.rebase_at.val();
        self.base.d.next = self.rebase_to.val();
        self.at_visit.d.next = self.visit_at.val();
        self.target.d.next = self.visit_of.val();

        // Of that, what is offered: it stands in registers, for it goes to the addresses of a hundred RAMs.
        for i in 0..2 {
            self.flows[i].next = self.scan_at[i].val().get_bits::<F>(3);
            self.segments[i].next = self.visit_of.val();
            if self.next_load[i].val() {
                self.flows[i].next = self.load_at.val();
            } else if self.next_rebase[i].val() {
                self.flows[i].next = self.rebase_at.val();
                self.segments[i].next = self.rebase_to.val();
            } else if self.next_visit[i].val() {
                self.flows[i].next = self.visit_at.val();
            }
        }
        for i in 0..2 {
            if self.take.val() == (i == 1) {
                self.has_load.d.next = self.next_load[i].val();
                self.has_rebase.d.next = self.next_rebase[i].val();
                self.has_visit.d.next = self.next_visit[i].val();
                self.has_turn.d.next = self.next_turn[i].val();
                self.scan.d.next = self.scan_at[i].val();
                self.o_load.d.next = self.next_load[i].val();
                self.o_rebase.d.next = !self.next_load[i].val() & self.next_rebase[i].val();
                self.o_visit.d.next = !self.next_load[i].val() & !self.next_rebase[i].val() & self.next_visit[i].val();
                self.o_turn.d.next =
                    !self.next_load[i].val() & !self.next_rebase[i].val() & !self.next_visit[i].val() & self.next_turn[i].val();
                self.o_any.d.next =
                    self.next_load[i].val() | self.next_rebase[i].val() | self.next_visit[i].val() | self.next_turn[i].val();
                self.o_flow.d.next = self.flows[i].val();
                self.o_segment.d.next = self.segments[i].val();
            }
        }
        if self.rst.val() {
            self.has_load.d.next = false;
            self.has_rebase.d.next = false;
            self.has_visit.d.next = false;
            self.has_turn.d.next = false;
            self.scan.d.next = bits::<19>(0);
            self.o_load.d.next = false;
            self.o_rebase.d.next = false;
            self.o_visit.d.next = false;
            self.o_turn.d.next = false;
            self.o_any.d.next = false;
        }
    }
}
