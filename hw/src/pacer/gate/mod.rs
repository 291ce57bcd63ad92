//! The launch gate: trains become grants, and each grant waits for its launch.
#![allow(missing_docs, reason = "a group of ports has one comment")]
mod sorter;

use crate::bus::GrantOut;
use crate::constant::Fixed;
use crate::fifo::HeldFifo;
use rust_hdl::prelude::*;
pub use sorter::Sorter;
use timely_model::pacer::gate::{ABSURD, FRACTION, HORIZON, IN_FLIGHT, LATE, PAST, PLACES, STEP};

// A kernel takes literals alone.
const _: () = assert!(FRACTION == 8 && IN_FLIGHT == 64 && PLACES == 30 && STEP == 1 << 15);
const _: () = assert!(HORIZON == 8 && ABSURD == 1 << 10 && LATE == 1 << 17 && PAST == 2);

/// Expands trains of packets of `2^F` flows into grants, and gives each at its launch. `W` must be
/// `F + 94`.
///
/// Trains are expanded in the order they come, one packet a clock; their packets stand in 30 places
/// in the order of their launches, those of the same 2 ns in the order they came. A packet more
/// than 0.9 to 1 us ahead waits in the expander, and all trains behind it; one more than 131 us
/// ahead is due at once. A packet that is due for more than 256 to 384 ns when it enters counts as
/// due for so long; while the head cannot leave for 0.5 us, none enters. A step of the time (a
/// change of the lead, for the steady time has none) makes all due that are in their places, and
/// none enters until they left. Times count in 2^-8 ns: what a launch has beyond is rounded up, so
/// that no grant goes before its time. Latency: a grant is at the output 2 clocks after the first
/// one that sees its launch in `now`; from `train_valid` at least 4 clocks. Throughput: one grant a
/// clock. Back pressure: due grants wait in their places, in order; `train_ready` falls after 512
/// trains. Model: `timely_model::pacer::gate`.
#[derive(LogicBlock, Default)]
pub struct Gate<const F: usize, const W: usize> {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    /// The time, ns48.fns16.
    pub now: Signal<In, Bits<64>>,
    /// A train is offered.
    pub train_valid: Signal<In, Bit>,
    /// The train is taken at this clock if offered.
    pub train_ready: Signal<Out, Bit>,
    pub train_flow: Signal<In, Bits<F>>,
    /// Packets of the train; a train of none is dropped.
    pub train_packets: Signal<In, Bits<6>>,
    /// When the train's first packet is due, ns48.fns16.
    pub train_launch: Signal<In, Bits<64>>,
    /// From one packet to the next, Q24.8 ns.
    pub train_gap: Signal<In, Bits<32>>,
    /// Grants, each from its launch on.
    pub grant: GrantOut<F>,
    /// Grants that may still be accepted, 0 to 64; the block that offers a train not yet taken must
    /// subtract it.
    pub credit: Signal<Out, Bits<8>>,
    /// Launch 56 bits, gap 32, packets 6, flow.
    trains: HeldFifo<W, 9, 10>,
    places: Sorter<30, 32, 5>,
    /// The grants in the places and at the output, by handle.
    launches: RAM<Bits<56>, 5>,
    flows: RAM<Bits<F>, 5>,
    /// The train that is being expanded.
    train: DFF<Bit>,
    flow: DFF<Bits<F>>,
    left: DFF<Bits<6>>,
    /// `left` is 1.
    single: DFF<Bit>,
    launch: DFF<Bits<56>>,
    gap: DFF<Bits<32>>,
    /// The packet on its way to the places.
    enters_launch: DFF<Bits<56>>,
    enters_flow: DFF<Bits<F>>,
    /// A packet entered at the last clock, and the one behind it goes behind it in the places: if
    /// its launch counts there, if not.
    stays: DFF<Bit>,
    holds: DFF<Bit>,
    /// The last time.
    seen: DFF<Bits<34>>,
    /// Oldest launch that a place can hold, in 128 ns; an older one is clamped to it.
    floor: DFF<Bits<7>>,
    stepped: DFF<Bit>,
    /// The grant at the output, and the one that left its place before a stall of the output could
    /// tell; handles as their difference from those after a reset.
    shown: DFF<Bit>,
    shown_swap: DFF<Bits<5>>,
    shown_first: Fixed<5, { PLACES as u64 }>,
    spill: DFF<Bit>,
    spill_swap: DFF<Bits<5>>,
    spill_first: Fixed<5, { PLACES as u64 + 1 }>,
    /// Minus the grants of trains that were accepted and have not left: those in their places and
    /// at the output.
    spent: DFF<Bits<16>>,
    /// Lead of the launch at the last clock, in 128 ns: the difference of both times' high bits.
    ahead: DFF<Bits<19>>,
    units_now: Signal<Local, Bits<34>>,
    moved: Signal<Local, Bits<34>>,
    high_now: Signal<Local, Bits<19>>,
    still: Signal<Local, Bits<19>>,
    stepping: Signal<Local, Bits<19>>,
    launch_high: Signal<Local, Bits<19>>,
    gap_high: Signal<Local, Bits<19>>,
    not_now: Signal<Local, Bits<19>>,
    halves: Signal<Local, Bits<19>>,
    carries: Signal<Local, Bits<19>>,
    stepped_by: Signal<Local, Bits<34>>,
    arriving: Signal<Local, Bits<19>>,
    arrives: Signal<Local, Bits<19>>,
    unequal: Signal<Local, Bits<19>>,
    both: Signal<Local, Bits<19>>,
    carried: Signal<Local, Bits<20>>,
    fetching: Signal<Local, Bits<19>>,
    // The launch as it compares in the places, in 2 ns.
    place: Signal<Local, Bits<11>>,
    // The next train's first launch less this one; rounded up it is more by one where only ones are
    // below.
    behind: Signal<Local, Bits<11>>,
    behind_queued: Signal<Local, Bits<11>>,
    follows: Signal<Local, Bit>,
    // The launch is two units before the time, or one; the time goes on by one.
    oldest: Signal<Local, Bit>,
    second: Signal<Local, Bit>,
    tick: Signal<Local, Bit>,
    // The launch begins its unit: of no more than the floor there.
    sinks: Signal<Local, Bit>,
    queue_launch: Signal<Local, Bits<56>>,
    near: Signal<Local, Bit>,
    waits: Signal<Local, Bit>,
    enter: Signal<Local, Bit>,
    next_launch: Signal<Local, Bits<56>>,
    rounded: Signal<Local, Bits<56>>,
    free: Signal<Local, Bit>,
    // The train that is next.
    arrived: Signal<Local, Bit>,
    fresh_flow: Signal<Local, Bits<F>>,
    fresh_left: Signal<Local, Bits<6>>,
    fresh_gap: Signal<Local, Bits<32>>,
    fresh_launch: Signal<Local, Bits<56>>,
    fresh_ahead: Signal<Local, Bits<19>>,
    entered_launch: Signal<Local, Bits<56>>,
    entered_ahead: Signal<Local, Bits<19>>,
    taken: Signal<Local, Bit>,
    direct: Signal<Local, Bit>,
    push: Signal<Local, Bit>,
    pop: Signal<Local, Bit>,
    leave: Signal<Local, Bit>,
    shown_handle: Signal<Local, Bits<5>>,
    spill_handle: Signal<Local, Bits<5>>,
    shown_next: Signal<Local, Bits<5>>,
    read_at: Signal<Local, Bits<5>>,
    spill_next: Signal<Local, Bits<5>>,
    freed: Signal<Local, Bits<16>>,
    rest: Signal<Local, Bit>,
}

impl<const F: usize, const W: usize> Logic for Gate<F, W> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, train, flow, left, single, launch, gap, enters_launch, enters_flow, stays, holds, seen, floor, stepped);
        dff_setup!(self, clk, shown, shown_swap, spill, spill_swap, spent, ahead);
        self.trains.clk.next = self.clk.val();
        self.trains.rst.next = self.rst.val();
        self.places.clk.next = self.clk.val();
        self.places.rst.next = self.rst.val();
        self.launches.read_clock.next = self.clk.val();
        self.launches.write_clock.next = self.clk.val();
        self.flows.read_clock.next = self.clk.val();
        self.flows.write_clock.next = self.clk.val();
        // The time. Back, or forward by 128 ns in one clock, it was stepped.
        self.units_now.next = self.now.val().get_bits::<34>(8);
        self.seen.d.next = self.units_now.val();
        self.moved.next = self.units_now.val() - self.seen.q.val();
        self.stepped.d.next = self.moved.val().get_bits::<19>(15).any();
        // A packet of the train towards the places, by the time of the last clock. (Of one that
        // enters: it does not wait, so that without the high bits it has no middle ones either.)
        self.near.next = !self.ahead.q.val().get_bits::<9>(10).any() | self.ahead.q.val().get_bits::<18>(1).all();
        self.waits.next = self.ahead.q.val().get_bits::<7>(3).any() & !self.ahead.q.val().get_bits::<9>(10).any();
        self.enter.next = self.train.q.val() & !self.places.shut.val() & !self.waits.val();
        self.places.enter.next = self.enter.val();
        self.places.launch.next = self.launch.q.val().get_bits::<22>(0);
        self.floor.d.next = self.units_now.val().get_bits::<7>(15) - bits::<7>(2);
        self.places.floor.next = self.floor.q.val();
        self.places.near.next = self.near.val();
        self.enters_launch.d.next = self.launch.q.val();
        self.enters_flow.d.next = self.flow.q.val();
        self.next_launch.next = self.launch.q.val() + bit_cast::<56, 32>(self.gap.q.val());
        self.rounded.next = self.train_launch.val().get_bits::<56>(8);
        if self.train_launch.val().get_bits::<8>(0).any() {
            self.rounded.next = self.train_launch.val().get_bits::<56>(8) + bits::<56>(1);
        }
        // How far ahead each launch is that may be the next; which it is, is known last.
        self.high_now.next = self.units_now.val().get_bits::<19>(15);
        self.not_now.next = !self.high_now.val();
        self.still.next = self.launch.q.val().get_bits::<19>(15) - self.high_now.val();
        // Launch, gap and time in one chain of carries: three operands to two, and the one that a
        // subtraction adds where the carries leave room.
        self.launch_high.next = self.launch.q.val().get_bits::<19>(15);
        self.gap_high.next = bit_cast::<19, 17>(self.gap.q.val().get_bits::<17>(15));
        self.halves.next = self.launch_high.val() ^ self.gap_high.val() ^ self.not_now.val();
        self.carries.next = (self.launch_high.val() & self.gap_high.val())
            | (self.launch_high.val() & self.not_now.val())
            | (self.gap_high.val() & self.not_now.val());
        self.stepped_by.next = ((bit_cast::<34, 19>(self.halves.val()) << 15) | bit_cast::<34, 15>(self.launch.q.val().get_bits::<15>(0)))
            + ((bit_cast::<34, 19>(self.carries.val()) << 16)
                | bits::<34>(0x8000)
                | bit_cast::<34, 15>(self.gap.q.val().get_bits::<15>(0)));
        self.stepping.next = self.stepped_by.val().get_bits::<19>(15);
        // What arrives may be rounded up, which is known as late as its distance: both distances,
        // the greater one with two carries put in at its low end.
        self.arrives.next = self.train_launch.val().get_bits::<19>(23);
        self.unequal.next = self.arrives.val() ^ self.not_now.val();
        self.both.next = self.arrives.val() & self.not_now.val();
        self.carried.next =
            ((bit_cast::<20, 19>(self.unequal.val()) << 1) | bits::<20>(1)) + ((bit_cast::<20, 19>(self.both.val()) << 2) | bits::<20>(3));
        self.arriving.next = self.arrives.val() - self.high_now.val();
        if self.train_launch.val().get_bits::<8>(0).any() & self.train_launch.val().get_bits::<15>(8).all() {
            self.arriving.next = self.carried.val().get_bits::<19>(1);
        }
        self.queue_launch.next = self.trains.o_data.val().get_bits::<56>(0);
        self.fetching.next = self.queue_launch.val().get_bits::<19>(15) - self.high_now.val();
        // Where the next packet goes that enters right behind one. Behind its own train's: no gap
        // is below 0, and a packet beyond the horizon waits, so that no difference overflows. A
        // launch counts if it is at most two units before now, and after a step of the time none
        // enters: behind what is as old as that for having been older.
        self.place.next = self.launch.q.val().get_bits::<11>(9);
        self.behind.next = self.train_launch.val().get_bits::<11>(17) - self.place.val();
        self.behind_queued.next = self.queue_launch.val().get_bits::<11>(9) - self.place.val();
        self.follows.next = !self.behind.val().get_bit(10);
        if self.train_launch.val().get_bits::<8>(0).any() & self.train_launch.val().get_bits::<9>(8).all() & self.behind.val().all() {
            self.follows.next = true;
        }
        if !self.trains.empty.val() {
            self.follows.next = !self.behind_queued.val().get_bit(10);
        }
        self.stays.d.next = self.enter.val() & (self.follows.val() | !self.near.val() | !self.single.q.val());
        // One that is older, or too far ahead to compare, goes two units before now. There it is
        // behind what entered as one, and behind a launch of no more than that.
        self.tick.next = self.units_now.val().get_bit(15) ^ self.seen.q.val().get_bit(15);
        self.oldest.next = self.ahead.q.val().get_bits::<18>(1).all() & !self.ahead.q.val().get_bit(0);
        self.second.next = self.ahead.q.val().all() & self.tick.val();
        self.sinks.next = !self.launch.q.val().get_bits::<6>(9).any();
        self.holds.d.next = self.enter.val()
            & (!self.near.val() | (self.oldest.val() & (self.tick.val() | self.sinks.val())) | (self.second.val() & self.sinks.val()));
        self.places.stays.next = self.stays.q.val();
        self.places.holds.next = self.holds.q.val();
        // The next train: past the queue if that is empty.
        self.free.next = !self.train.q.val() | (self.enter.val() & self.single.q.val());
        self.taken.next = self.train_valid.val() & self.trains.i_ready.val() & self.train_packets.val().any();
        self.direct.next = self.free.val() & self.trains.empty.val();
        self.push.next = self.taken.val() & !self.direct.val();
        self.trains.i_valid.next = self.push.val();
        self.trains.i_data.next = bit_cast::<W, 56>(self.rounded.val())
            | (bit_cast::<W, 32>(self.train_gap.val()) << 56)
            | (bit_cast::<W, 6>(self.train_packets.val()) << 88)
            | (bit_cast::<W, F>(self.train_flow.val()) << 94);
        self.trains.o_ready.next = self.free.val();
        self.arrived.next = self.trains.o_valid.val();
        self.fresh_flow.next = self.trains.o_data.val().get_bits::<F>(94);
        self.fresh_left.next = self.trains.o_data.val().get_bits::<6>(88);
        self.fresh_gap.next = self.trains.o_data.val().get_bits::<32>(56);
        self.fresh_launch.next = self.queue_launch.val();
        self.fresh_ahead.next = self.fetching.val();
        if self.trains.empty.val() {
            self.arrived.next = self.taken.val();
            self.fresh_flow.next = self.train_flow.val();
            self.fresh_left.next = self.train_packets.val();
            self.fresh_gap.next = self.train_gap.val();
            self.fresh_launch.next = self.rounded.val();
            self.fresh_ahead.next = self.arriving.val();
        }
        // Launch and lead if a packet enters and if none does, each ready before that is known.
        self.entered_launch.next = self.next_launch.val();
        self.entered_ahead.next = self.stepping.val();
        if self.single.q.val() {
            self.entered_launch.next = self.fresh_launch.val();
            self.entered_ahead.next = self.fresh_ahead.val();
        }
        self.launch.d.next = self.launch.q.val();
        self.ahead.d.next = self.still.val();
        if !self.train.q.val() {
            self.launch.d.next = self.fresh_launch.val();
            self.ahead.d.next = self.fresh_ahead.val();
        }
        if self.enter.val() {
            self.launch.d.next = self.entered_launch.val();
            self.ahead.d.next = self.entered_ahead.val();
            self.left.d.next = self.left.q.val() - bits::<6>(1);
            self.single.d.next = self.left.q.val() == bits::<6>(2);
        }
        if self.free.val() {
            self.train.d.next = self.arrived.val();
            self.flow.d.next = self.fresh_flow.val();
            self.left.d.next = self.fresh_left.val();
            self.single.d.next = self.fresh_left.val() == bits::<6>(1);
            self.gap.d.next = self.fresh_gap.val();
        }
        // The places, and the head out of them.
        self.pop.next = self.places.due.val() & !self.spill.q.val();
        self.places.now.next = self.now.val().get_bits::<22>(8);
        self.places.stepped.next = self.stepped.q.val();
        self.places.pop.next = self.pop.val();
        // The output: the spill first. The handle that is lost there comes back for the head's.
        self.leave.next = self.shown.q.val() & self.grant.ready.val();
        self.shown_handle.next = self.shown_swap.q.val() ^ self.shown_first.val();
        self.spill_handle.next = self.spill_swap.q.val() ^ self.spill_first.val();
        self.shown_next.next = self.shown_handle.val();
        self.spill_next.next = self.spill_handle.val();
        self.places.freed.next = self.shown_handle.val();
        if self.leave.val() & self.spill.q.val() {
            self.shown_next.next = self.spill_handle.val();
            self.spill_next.next = self.shown_handle.val();
            self.spill.d.next = false;
        } else if self.leave.val() | !self.shown.q.val() {
            self.shown.d.next = self.pop.val();
            if self.pop.val() {
                self.shown_next.next = self.places.head.val();
            }
        } else {
            self.places.freed.next = self.spill_handle.val();
            if self.pop.val() {
                self.spill.d.next = true;
                self.spill_next.next = self.places.head.val();
            }
        }
        self.shown_swap.d.next = self.shown_next.val() ^ self.shown_first.val();
        self.spill_swap.d.next = self.spill_next.val() ^ self.spill_first.val();
        self.launches.write_enable.next = self.places.entered.val();
        self.launches.write_address.next = self.places.handle.val();
        self.launches.write_data.next = self.enters_launch.q.val();
        // What is read for a place at the output that stays empty does not matter, so that whether
        // the head is due need not be waited for.
        self.read_at.next = self.shown_handle.val();
        if self.leave.val() & self.spill.q.val() {
            self.read_at.next = self.spill_handle.val();
        } else if self.leave.val() | !self.shown.q.val() {
            self.read_at.next = self.places.head.val();
        }
        self.launches.read_address.next = self.read_at.val();
        self.flows.write_enable.next = self.places.entered.val();
        self.flows.write_address.next = self.places.handle.val();
        self.flows.write_data.next = self.enters_flow.q.val();
        self.flows.read_address.next = self.read_at.val();
        // Whether one leaves is known first.
        self.freed.next = self.spent.q.val();
        if self.leave.val() {
            self.freed.next = self.spent.q.val() + bits::<16>(1);
        }
        self.spent.d.next = self.freed.val();
        if self.taken.val() {
            self.spent.d.next = self.freed.val() - bit_cast::<16, 6>(self.train_packets.val());
        }
        // 64 less what is spent: of -1 to -64 the low bits as they are.
        self.rest.next = self.spent.q.val().get_bits::<10>(6).all();
        self.credit.next = bits::<8>(0);
        if self.rest.val() {
            self.credit.next = bit_cast::<8, 6>(self.spent.q.val().get_bits::<6>(0));
        }
        if !self.spent.q.val().any() {
            self.credit.next = bits::<8>(64);
        }
        self.train_ready.next = self.trains.i_ready.val();
        self.grant.valid.next = self.shown.q.val();
        self.grant.flow.next = self.flows.read_data.val();
        self.grant.launch.next = bit_cast::<64, 56>(self.launches.read_data.val()) << 8;
        if self.rst.val() {
            self.train.d.next = false;
            self.stays.d.next = false;
            self.holds.d.next = false;
            self.stepped.d.next = false;
            self.shown.d.next = false;
            self.shown_swap.d.next = bits::<5>(0);
            self.spill.d.next = false;
            self.spill_swap.d.next = bits::<5>(0);
            self.spent.d.next = bits::<16>(0);
        }
    }
}
