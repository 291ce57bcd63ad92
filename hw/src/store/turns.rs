//! Choice of the flow whose queue is looked at next.
#![allow(missing_docs, reason = "a group of ports has one comment")]
use crate::bus::{FlowPulseIn, GrantIn};
use crate::constant::Const;
use crate::fifo::Fifo;
use rust_hdl::prelude::*;
use timely_model::store::{AHEAD, AHEAD_LONG};

/// For `2^F` flows (`G` must be `F + 64`): the next grant, or a visit to a flow of which something
/// may be to discard. Visits go round the flows, one packet at a time, when no grant waits; of a
/// flow that is loaded they begin at once and go first, until nothing is found.
///
/// A place is kept for each grant until its packet begins to be read or is found not to be.
/// Latency: 4 clocks from a grant to `o`. Throughput: one a clock, one flow each third clock. Back
/// pressure: `grant_ready` falls while 15 places are taken; behind a long packet, while one is.
#[derive(LogicBlock, Default)]
pub struct Turns<const F: usize, const G: usize> {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    /// Grants are taken.
    pub swept: Signal<In, Bit>,
    /// Grants.
    pub grant: GrantIn<F>,
    /// A granted packet begins to be read.
    pub begun: Signal<In, Bit>,
    /// A packet begins to be discarded.
    pub discarded: Signal<In, Bit>,
    /// A grant found no packet.
    pub vain: Signal<In, Bit>,
    /// The length of a granted packet is known.
    pub length_valid: Signal<In, Bit>,
    pub length_long: Signal<In, Bit>,
    /// A visit comes to its end.
    pub outcome_valid: Signal<In, Bit>,
    pub outcome_flow: Signal<In, Bits<F>>,
    pub outcome_found: Signal<In, Bit>,
    pub outcome_anew: Signal<In, Bit>,
    /// Flows whose packets are void.
    pub void: FlowPulseIn<F>,
    /// A flow to look at.
    pub o_valid: Signal<Out, Bit>,
    pub o_flow: Signal<Out, Bits<F>>,
    pub o_visit: Signal<Out, Bit>,
    pub o_launch: Signal<Out, Bits<64>>,
    many: Const<Bits<5>>,
    few: Const<Bits<5>>,
    // Flow F, launch 64 below it.
    grants: Fifo<G, 4, 5>,
    valid: [DFF<Bit>; 3],
    visit: [DFF<Bit>; 3],
    flow: [DFF<Bits<F>>; 2],
    launch: DFF<Bits<64>>,
    places: DFF<Bits<5>>,
    is_long: DFF<Bit>,
    at: DFF<Bits<F>>,
    urgent: DFF<Bit>,
    /// A visit has found a packet, which has not begun to be discarded.
    discarding: DFF<Bit>,
    limit: Signal<Local, Bits<5>>,
    room: Signal<Local, Bit>,
    accept: Signal<Local, Bit>,
    head: Signal<Local, Bits<F>>,
    head_held: Signal<Local, Bit>,
    at_held: Signal<Local, Bit>,
    visiting: Signal<Local, Bit>,
    visits: Signal<Local, Bit>,
    goes: Signal<Local, Bit>,
    more: Signal<Local, Bits<5>>,
    less: Signal<Local, Bits<5>>,
    kept: Signal<Local, Bits<5>>,
}

impl<const F: usize, const G: usize> Turns<F, G> {
    /// The block with its constants.
    pub fn new() -> Self {
        assert_eq!(G, F + 64, "a grant is a flow and a launch");
        Self { many: Const::new(bits::<5>(u64::from(AHEAD))), few: Const::new(bits::<5>(u64::from(AHEAD_LONG))), ..Default::default() }
    }
}

impl<const F: usize, const G: usize> Logic for Turns<F, G> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, launch, places, is_long, at, urgent, discarding);
        for i in 0..3 {
            self.valid[i].clock.next = self.clk.val();
            self.visit[i].clock.next = self.clk.val();
        }
        self.flow[0].clock.next = self.clk.val();
        self.flow[1].clock.next = self.clk.val();
        self.grants.clk.next = self.clk.val();
        self.grants.rst.next = self.rst.val();

        self.limit.next = self.many.val();
        if self.is_long.q.val() {
            self.limit.next = self.few.val();
        }
        if self.length_valid.val() {
            self.is_long.d.next = self.length_long.val();
        }
        self.room.next = self.swept.val() & (self.places.q.val() < self.limit.val());
        self.accept.next = self.room.val() & self.grant.valid.val();
        self.grants.i_valid.next = self.accept.val();
        self.grants.i_data.next = (bit_cast::<G, F>(self.grant.flow.val()) << 64) | bit_cast::<G, 64>(self.grant.launch.val());
        self.head.next = self.grants.o_data.val().get_bits::<F>(64);

        // A queue that is being looked at shows its next packet two clocks later.
        self.head_held.next = (self.valid[0].q.val() & (self.flow[0].q.val() == self.head.val()))
            | (self.valid[1].q.val() & (self.flow[1].q.val() == self.head.val()));
        self.at_held.next = (self.valid[0].q.val() & (self.flow[0].q.val() == self.at.q.val()))
            | (self.valid[1].q.val() & (self.flow[1].q.val() == self.at.q.val()));
        self.visiting.next = (self.valid[0].q.val() & self.visit[0].q.val())
            | (self.valid[1].q.val() & self.visit[1].q.val())
            | (self.valid[2].q.val() & self.visit[2].q.val());
        self.visits.next = (self.swept.val() & !self.visiting.val() & !self.discarding.q.val())
            & (!self.at_held.val() & (self.urgent.q.val() | !self.grants.o_valid.val()));
        self.goes.next = self.grants.o_valid.val() & !self.visits.val() & !self.head_held.val();
        self.grants.o_ready.next = self.goes.val();
        self.valid[0].d.next = self.visits.val() | self.goes.val();
        self.visit[0].d.next = self.visits.val();
        self.flow[0].d.next = self.head.val();
        if self.visits.val() {
            self.flow[0].d.next = self.at.q.val();
        }
        self.launch.d.next = self.grants.o_data.val().get_bits::<64>(0);
        self.valid[1].d.next = self.valid[0].q.val();
        self.visit[1].d.next = self.visit[0].q.val();
        self.flow[1].d.next = self.flow[0].q.val();
        self.valid[2].d.next = self.valid[1].q.val();
        self.visit[2].d.next = self.visit[1].q.val();

        // What begins to be read is known last.
        self.more.next = self.places.q.val() + bit_cast::<5, 1>(self.accept.val().into());
        self.kept.next = self.more.val() - bit_cast::<5, 1>(self.vain.val().into());
        self.less.next = self.kept.val() - bits::<5>(1);
        self.places.d.next = self.kept.val();
        if self.begun.val() {
            self.places.d.next = self.less.val();
        }

        if self.discarded.val() {
            self.discarding.d.next = false;
        }
        if self.outcome_valid.val() {
            if self.outcome_found.val() {
                self.discarding.d.next = true;
                self.urgent.d.next = true;
            } else if !self.outcome_anew.val() & (self.outcome_flow.val() == self.at.q.val()) {
                self.at.d.next = self.at.q.val() + bits::<F>(1);
                self.urgent.d.next = false;
            }
        }
        if self.void.valid.val() {
            self.urgent.d.next = true;
            self.at.d.next = self.void.flow.val();
        }
        self.grant.ready.next = self.room.val();
        self.o_valid.next = self.valid[0].q.val();
        self.o_flow.next = self.flow[0].q.val();
        self.o_visit.next = self.visit[0].q.val();
        self.o_launch.next = self.launch.q.val();
        if self.rst.val() {
            for i in 0..3 {
                self.valid[i].d.next = false;
            }
            self.places.d.next = bits::<5>(0);
            self.is_long.d.next = false;
            self.at.d.next = bits::<F>(0);
            self.urgent.d.next = false;
            self.discarding.d.next = false;
        }
    }
}
