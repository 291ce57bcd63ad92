//! The calendar of sleeping flows.
#![allow(missing_docs, reason = "a group of ports has one comment")]
use crate::bus::{FlowStreamOut, InsertIn};
use crate::constant::Const;
use rust_hdl::prelude::*;
use timely_model::pacer::wheel::GUARD;

mod bitmap;
mod first;
mod time;
mod walkers;

pub use first::First;
pub use walkers::Walkers;

/// `2^X` slots of 8 ns, one level, for `2^F` flows; `A = X - 4`, `G = F + 1`. `X` is at least 10
/// and at least `F + 1`; the pacer takes `max(F + 1, 13)`. Model:
/// `timely_model::pacer::wheel::Wheel`.
///
/// A slot is a list (last in, first out): a bit in a bitmap, a head, and a link a flow. All RAMs
/// have one read and one write port; the head RAM's read port serves inserts into a list first and
/// the drain else, and each flow in the wheel costs it one read.
///
/// **Insert.** Always taken once swept, one a clock. `insert_slot` is modulo the wheel, at least
/// `slot(now) + 4` and less than 15/16 of the wheel ahead of it, `slot(now) = now / 8 ns`. A slot
/// outside of that (the lead changed between) counts as `slot(now) + 4`. Flows with an odd number
/// of bits set go one slot later, so that a long list becomes two, one for each walker. A flow must
/// not be inserted again before it came out.
///
/// **Due.** A flow whose slot lies before `slot(now)` comes out: 7 clocks after the first clock
/// with such a `now` if the drain is idle. Throughput: one a clock, from lists of one flow as from
/// one list of all, less one insert in a clock that finds a list in its slot (it has the read
/// port). A word of 16 slots without a list takes 5 clocks of the 32 that it lasts; one with lists
/// takes 6 clocks beyond one a list, which counts when time has jumped over it. Back pressure:
/// `due_flow` holds.
///
/// **Time.** The drain never passes a slot that an insert is on its way to, however `now` moves.
/// After a jump forward it goes through all the words it has missed, 5 clocks each. While it lags,
/// by a jump or because many flows are due at once, an insert that would lie more than the whole
/// wheel from it goes into the last slot that it will reach, and comes out early by less than the
/// lag. Nothing is ever lost: the wheel's time stops 15/16 of the wheel ahead of the drain, so a
/// jump by more, or a stall of the output for as long, makes flows late by up to one turn; a step
/// back by less than 1/16 of the wheel stops the wheel until `now` has caught up; a greater one
/// cannot be told from a jump forward, and wakes early.
///
/// **Reset.** From any state; the bitmap is swept in `2^A` clocks, then `swept` rises.
#[derive(LogicBlock, Default)]
pub struct Wheel<const F: usize, const X: usize, const A: usize, const G: usize> {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    /// The NIC's time, ns48.fns16.
    pub now: Signal<In, Bits<64>>,
    /// Flows for the calendar.
    pub insert: InsertIn<F, X>,
    /// Flows that are due.
    pub due: FlowStreamOut<F>,
    /// The bitmap is clear; inserts are taken.
    pub swept: Signal<Out, Bit>,
    clock: time::Time<X, A>,
    bitmap: bitmap::Bitmap<X, A>,
    walkers: walkers::Walkers<F, G>,
    head: RAM<Bits<G>, X>,
    guard: Const<Bits<X>>,
    late: Const<Bits<X>>,
    last_word: Const<Bits<A>>,
    half: Const<Bits<A>>,
    sweep: DFF<Bits<A>>,
    done: DFF<Bit>,
    /// Flows on their way, and which stages of the insert hold one.
    v: [DFF<Bit>; 3],
    flow: [DFF<Bits<F>>; 8],
    odd: Signal<Local, Bits<X>>,
    rel0: DFF<Bits<X>>,
    slot0: DFF<Bits<X>>,
    soon0: DFF<Bits<X>>,
    bad: Signal<Local, Bit>,
    room: Signal<Local, Bits<X>>,
    slot1: DFF<Bits<X>>,
    wraps1: DFF<Bit>,
    slot2: DFF<Bits<X>>,
    base: Signal<Local, Bits<X>>,
    placed: Signal<Local, Bit>,
    linked: Signal<Local, Bit>,
    linked6: DFF<Bit>,
    linked7: DFF<Bit>,
    head7: DFF<Bits<G>>,
    issue: Signal<Local, Bit>,
}

impl<const F: usize, const X: usize, const A: usize, const G: usize> Wheel<F, X, A, G> {
    /// With its constants.
    pub fn new() -> Self {
        assert!(X >= 10 && X > F, "a wheel has at least 1024 slots, and two slots a flow");
        Self {
            clock: time::Time::new(),
            guard: Const::new(u64::from(GUARD).into()),
            late: Const::new((15_u64 << (X - 4)).into()),
            last_word: Const::new(((1_u64 << A) - 1).into()),
            half: Const::new((1_u64 << (A - 1)).into()),
            ..Default::default()
        }
    }
}

impl<const F: usize, const X: usize, const A: usize, const G: usize> Logic for Wheel<F, X, A, G> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, sweep, done, rel0, slot0, soon0, slot1, wraps1, slot2, linked6, linked7, head7);
        for i in 0..3 {
            self.v[i].clock.next = self.clk.val();
        }
        for i in 0..8 {
            self.flow[i].clock.next = self.clk.val();
        }
        self.clock.clk.next = self.clk.val();
        self.clock.rst.next = self.rst.val();
        self.bitmap.clk.next = self.clk.val();
        self.walkers.clk.next = self.clk.val();
        self.head.read_clock.next = self.clk.val();
        self.head.write_clock.next = self.clk.val();
        self.bitmap.rst.next = self.rst.val();
        // The sweep is the reset of a device that never sees one.
        self.walkers.rst.next = self.rst.val() | !self.done.q.val();
        self.flow[0].d.next = self.insert.flow.val();
        for i in 0..7 {
            self.flow[i + 1].d.next = self.flow[i].q.val();
        }
        self.clock.now.next = self.now.val();
        self.clock.free.next = !self.done.q.val() & (self.sweep.q.val() < self.half.val());
        self.clock.word.next = self.bitmap.word.val();
        // Insert 0: how far ahead, and where to go if that is wrong.
        self.odd.next = bit_cast::<X, 1>(self.insert.flow.val().xor().into());
        self.v[0].d.next = self.insert.valid.val() & self.done.q.val();
        self.rel0.d.next = self.insert.slot.val() - self.clock.slot_now.val();
        self.slot0.d.next = self.insert.slot.val() + self.odd.val();
        self.soon0.d.next = self.clock.slot_now.val() + self.guard.val() + self.odd.val();
        // Insert 1: over, or beyond the whole wheel from the drain's word: rel + lag + 1 has a
        // carry.
        self.bad.next = (self.rel0.q.val() < self.guard.val()) | (self.rel0.q.val() >= self.late.val());
        self.room.next = !self.clock.lag.val();
        self.v[1].d.next = self.v[0].q.val();
        self.wraps1.d.next = !self.bad.val() & (self.rel0.q.val() >= self.room.val());
        self.slot1.d.next = self.slot0.q.val();
        if self.bad.val() {
            self.slot1.d.next = self.soon0.q.val();
        }
        // Insert 2: the last slot that the drain will reach.
        self.base.next = bit_cast::<X, A>(self.bitmap.word.val()) << 4;
        self.v[2].d.next = self.v[1].q.val();
        self.slot2.d.next = self.slot1.q.val();
        if self.wraps1.q.val() {
            self.slot2.d.next = self.base.val() - bits::<X>(1);
        }
        // Inserts 2 to 5: the bitmap.
        self.bitmap.insert_valid.next = self.v[2].q.val();
        self.bitmap.insert_slot.next = self.slot2.q.val();
        self.bitmap.over.next = self.clock.over.val();
        self.bitmap.start.next = self.clock.start.val();
        self.bitmap.sweeping.next = !self.done.q.val();
        self.bitmap.sweep_word.next = self.sweep.q.val();
        // Insert 5: the new head; the old one is read if there is a list, and two clocks later it
        // is the link.
        self.placed.next = self.bitmap.placed.val();
        self.linked.next = self.placed.val() & self.bitmap.occupied.val();
        self.head.write_enable.next = self.placed.val();
        self.head.write_address.next = self.bitmap.placed_slot.val();
        self.head.write_data.next = (bit_cast::<G, F>(self.flow[5].q.val()) << 1) | bit_cast::<G, 1>(self.bitmap.occupied.val().into());
        self.linked6.d.next = self.linked.val();
        self.linked7.d.next = self.linked6.q.val();
        self.head7.d.next = self.head.read_data.val();
        self.walkers.link_valid.next = self.linked7.q.val();
        self.walkers.link_flow.next = self.flow[7].q.val();
        self.walkers.link_node.next = self.head7.q.val();
        // The drain reads a head when no insert does and the walkers have room.
        self.issue.next = self.bitmap.list_valid.val() & !self.linked.val() & self.walkers.room.val();
        self.bitmap.list_ready.next = !self.linked.val() & self.walkers.room.val();
        if self.linked.val() {
            self.head.read_address.next = self.bitmap.placed_slot.val();
        } else {
            self.head.read_address.next = self.bitmap.list_slot.val();
        }
        self.walkers.issue.next = self.issue.val();
        self.walkers.node.next = self.head.read_data.val();
        FlowStreamOut::<F>::link(&mut self.due, &mut self.walkers.due);
        self.swept.next = self.done.q.val();
        if !self.done.q.val() {
            self.sweep.d.next = self.sweep.q.val() + bits::<A>(1);
            self.done.d.next = self.sweep.q.val() == self.last_word.val();
        }
        if self.rst.val() {
            self.sweep.d.next = bits::<A>(0);
            self.done.d.next = false;
            self.linked6.d.next = false;
            self.linked7.d.next = false;
            for i in 0..3 {
                self.v[i].d.next = false;
            }
            // So that they stay in flip-flops.
            for i in 0..8 {
                self.flow[i].d.next = bits::<F>(0);
            }
        }
    }
}
