//! The grant hold: grants of paused priorities wait between the pacer and the packet source.
use crate::bus::{FlowLoadIn, FlowOptions, GrantIn, GrantOut};
use crate::constant::Const;
use crate::fifo::Fifo;
use rust_hdl::prelude::*;
use timely_model::hold::{LOOKUP, MOST, RING};

// A kernel takes literals alone; these hold the ones below to their homes.
const _: () = assert!(RING == 9 && LOOKUP == 2);

/// For `2^F` flows. While nothing is paused and nothing waits, grants pass at the clock at which
/// they come. Else each takes 2 clocks to its flow's priority: one of a paused priority joins a
/// ring of grants that wait, one of another goes on. When a pause ends, each grant of the ring is
/// looked at once, by turns with what the pacer offers: one whose priority is not paused any more
/// leaves, and none holds up another. `holds` is for the pacer, which decides no grant of a
/// priority that is paused or of which grants wait: so at most those that were on their way wait.
///
/// Latency: 0 clocks; 3 while something is paused or waits, 4 clocks a grant then. The pause counts
/// from 1 clock after it comes, for `holds` until 2 clocks after it ends. Back pressure: `s_ready`,
/// as `m_ready`, or while 510 grants wait.
/// Model: `timely_model::hold::Hold`.
#[derive(LogicBlock, Default)]
pub struct Hold<const F: usize> {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset, active high.
    pub rst: Signal<In, Bit>,
    /// Paused priorities.
    pub paused: Signal<In, Bits<8>>,
    /// Priorities that are paused, were just now, or have grants that wait.
    pub holds: Signal<Out, Bits<8>>,
    /// Flow bus.
    pub fl: FlowLoadIn<F>,
    /// The pacer's grants.
    pub s: GrantIn<F>,
    /// Grants for the packet source.
    pub m: GrantOut<F>,
    priorities: RAM<Bits<3>, F>,
    load: DFF<Bit>,
    load_flow: DFF<Bits<F>>,
    load_priority: DFF<Bits<3>>,
    /// Grants do not pass at once.
    slow: DFF<Bit>,
    stops: DFF<Bits<8>>,
    ring: Fifo<F, 9, 10>,
    ring_launches: Fifo<64, 9, 10>,
    ring_ranks: Fifo<3, 9, 10>,
    held: DFF<Bits<10>>,
    /// Grants of the ring that are still to be looked at.
    looks: DFF<Bits<10>>,
    /// Grants that wait by priority, one of the ring that is looked at among them.
    counts: [DFF<Bits<10>>; 8],
    held_of: DFF<Bits<8>>,
    /// The grant that is looked at came from the ring, and the priority by which it waits.
    owned: DFF<Bit>,
    former: DFF<Bits<3>>,
    /// The grant that is looked at, and for how long.
    here: DFF<Bit>,
    candidate: DFF<Bits<F>>,
    candidate_launch: DFF<Bits<64>>,
    age: DFF<Bits<2>>,
    rank: DFF<Bits<3>>,
    /// The ring is next.
    turn: DFF<Bit>,
    most: Const<Bits<10>>,
    options: Signal<Local, FlowOptions>,
    shifted: Signal<Local, Bits<8>>,
    judged: Signal<Local, Bit>,
    stopped: Signal<Local, Bit>,
    free: Signal<Local, Bit>,
    takes: Signal<Local, Bit>,
    from_ring: Signal<Local, Bit>,
    from_pacer: Signal<Local, Bit>,
    joins: Signal<Local, Bits<8>>,
    parts: Signal<Local, Bits<8>>,
    some: Signal<Local, Bits<8>>,
    ended: Signal<Local, Bits<8>>,
    back: Signal<Local, Bit>,
    goes: Signal<Local, Bit>,
    busy: Signal<Local, Bit>,
}

impl<const F: usize> Hold<F> {
    /// The block with its constants.
    pub fn new() -> Self {
        Self { most: Const::new(bits::<10>(u64::from(MOST))), ..Default::default() }
    }
}

impl<const F: usize> Logic for Hold<F> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, load, load_flow, load_priority, slow, stops, held, here, candidate, candidate_launch, age, rank, turn);
        dff_setup!(self, clk, looks, held_of, owned, former);
        for i in 0..8 {
            self.counts[i].clock.next = self.clk.val();
            self.counts[i].d.next = self.counts[i].q.val();
        }
        self.priorities.read_clock.next = self.clk.val();
        self.priorities.write_clock.next = self.clk.val();
        self.ring.clk.next = self.clk.val();
        self.ring.rst.next = self.rst.val();
        self.ring_launches.clk.next = self.clk.val();
        self.ring_launches.rst.next = self.rst.val();
        self.ring_ranks.clk.next = self.clk.val();
        self.ring_ranks.rst.next = self.rst.val();
        // A load says which priority a flow has.
        self.options.next = self.fl.record.val().get_bits::<11>(0).into();
        self.load.d.next = self.fl.valid.val();
        self.load_flow.d.next = self.fl.flow.val();
        self.load_priority.d.next = self.options.val().priority;
        self.priorities.write_enable.next = self.load.q.val();
        self.priorities.write_address.next = self.load_flow.q.val();
        self.priorities.write_data.next = self.load_priority.q.val();

        // The grant that is looked at: its flow's priority is read, then caught, then it is judged
        // until it leaves.
        self.priorities.read_address.next = self.candidate.q.val();
        self.rank.d.next = self.priorities.read_data.val();
        if self.here.q.val() & !self.age.q.val().get_bit(1) {
            self.age.d.next = self.age.q.val() + bits::<2>(1);
        }
        self.shifted.next = self.stops.q.val() >> self.rank.q.val();
        self.stopped.next = self.shifted.val().get_bit(0);
        self.judged.next = self.here.q.val() & self.age.q.val().get_bit(1);
        self.back.next = self.judged.val() & self.stopped.val();
        self.goes.next = self.judged.val() & !self.stopped.val();
        if self.back.val() | (self.goes.val() & self.m.ready.val()) {
            self.here.d.next = false;
        }
        self.ring.i_valid.next = self.back.val();
        self.ring.i_data.next = self.candidate.q.val();
        self.ring_launches.i_valid.next = self.back.val();
        self.ring_launches.i_data.next = self.candidate_launch.q.val();
        self.ring_ranks.i_valid.next = self.back.val();
        self.ring_ranks.i_data.next = self.rank.q.val();

        // The next one, of the ring or of the pacer.
        self.free.next = self.slow.q.val() & !self.here.q.val();
        self.takes.next = (self.free.val() & (self.stops.q.val().any() | self.held.q.val().any())) & (self.held.q.val() < self.most.val());
        self.from_ring.next = ((self.free.val() & self.ring.o_valid.val()) & self.looks.q.val().any())
            & (self.turn.q.val() | !(self.s.valid.val() & self.takes.val()));
        self.from_pacer.next = self.takes.val() & !self.from_ring.val();
        self.ring.o_ready.next = self.from_ring.val();
        self.ring_launches.o_ready.next = self.from_ring.val();
        self.ring_ranks.o_ready.next = self.from_ring.val();
        if self.from_ring.val() {
            self.here.d.next = true;
            self.candidate.d.next = self.ring.o_data.val();
            self.candidate_launch.d.next = self.ring_launches.o_data.val();
            self.age.d.next = bits::<2>(0);
            self.turn.d.next = false;
            self.owned.d.next = true;
            self.former.d.next = self.ring_ranks.o_data.val();
            self.looks.d.next = self.looks.q.val() - bits::<10>(1);
        }
        if self.from_pacer.val() & self.s.valid.val() {
            self.here.d.next = true;
            self.candidate.d.next = self.s.flow.val();
            self.candidate_launch.d.next = self.s.launch.val();
            self.age.d.next = bits::<2>(0);
            self.turn.d.next = true;
            self.owned.d.next = false;
        }
        if self.back.val() {
            self.held.d.next = self.held.q.val() + bits::<10>(1);
        }
        if self.from_ring.val() {
            self.held.d.next = self.held.q.val() - bits::<10>(1);
        }
        // Where a pause ends, a grant that is not judged yet is judged without it.
        self.ended.next = self.stops.q.val() & !self.paused.val();
        if self.ended.val().any() {
            self.looks.d.next = self.held.d.val();
        }
        self.joins.next = bits::<8>(0);
        if self.back.val() {
            self.joins.next = bits::<8>(1) << self.rank.q.val();
        }
        self.parts.next = bits::<8>(0);
        if self.owned.q.val() & (self.back.val() | (self.goes.val() & self.m.ready.val())) {
            self.parts.next = bits::<8>(1) << self.former.q.val();
        }
        for i in 0..8 {
            if self.joins.val().get_bit(i) & !self.parts.val().get_bit(i) {
                self.counts[i].d.next = self.counts[i].q.val() + bits::<10>(1);
            }
            if self.parts.val().get_bit(i) & !self.joins.val().get_bit(i) {
                self.counts[i].d.next = self.counts[i].q.val() - bits::<10>(1);
            }
        }
        self.some.next = bits::<8>(0)
            .replace_bit(0, self.counts[0].q.val().any())
            .replace_bit(1, self.counts[1].q.val().any())
            .replace_bit(2, self.counts[2].q.val().any())
            .replace_bit(3, self.counts[3].q.val().any())
            .replace_bit(4, self.counts[4].q.val().any())
            .replace_bit(5, self.counts[5].q.val().any())
            .replace_bit(6, self.counts[6].q.val().any())
            .replace_bit(7, self.counts[7].q.val().any());
        self.held_of.d.next = self.some.val() | (self.stops.q.val() | self.paused.val());
        self.holds.next = self.held_of.q.val();
        self.busy.next = self.here.q.val() | self.held.q.val().any();
        self.stops.d.next = self.paused.val();
        self.slow.d.next = self.busy.val() | (self.stops.q.val().any() | self.paused.val().any());

        self.s.ready.next = self.m.ready.val();
        self.m.valid.next = self.s.valid.val();
        self.m.flow.next = self.s.flow.val();
        self.m.launch.next = self.s.launch.val();
        if self.slow.q.val() {
            self.s.ready.next = self.from_pacer.val();
            self.m.valid.next = self.goes.val();
            self.m.flow.next = self.candidate.q.val();
            self.m.launch.next = self.candidate_launch.q.val();
        }
        if self.rst.val() {
            self.load.d.next = false;
            self.slow.d.next = false;
            self.stops.d.next = bits::<8>(0);
            self.held.d.next = bits::<10>(0);
            self.looks.d.next = bits::<10>(0);
            self.held_of.d.next = bits::<8>(0);
            self.owned.d.next = false;
            for i in 0..8 {
                self.counts[i].d.next = bits::<10>(0);
            }
            self.here.d.next = false;
            self.age.d.next = bits::<2>(0);
            self.turn.d.next = false;
        }
    }
}
