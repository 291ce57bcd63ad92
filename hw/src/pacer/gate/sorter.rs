//! Places kept in the order of their launches: an insertion sorter of handles.
#![allow(missing_docs, reason = "a group of ports has one comment")]
use crate::array::Array;
use crate::ram::LutRam;
use rust_hdl::prelude::*;

/// `N` grants, the one due first at the head; `M` must be `N + 2`, and `2^H`.
///
/// A place holds the low bits of a launch in 2 ns, and a handle of `H` bits under which the grant
/// itself stands in a RAM. The handles in the places and the two outside are all there are, each
/// once: a free place has a free one, so that no list is needed. A grant enters behind all that
/// launch in the same 2 ns or before, in one clock, while the head may leave. It is compared with
/// the places as they will be at the clock after `enter`, and goes in at that clock; against the
/// one that enters just before it, it is compared by the gate, which gives both and knows that a
/// clock earlier. Times compare modulo 2^12 ns in their places (so that an entering launch must be
/// within a us of now, and no place more than 0.5 us past when one enters: see `shut`), and modulo
/// 2^22 units of 2^-8 ns with now. Latency: 2 clocks from `enter` to the head. Throughput: one in
/// and one out a clock. An `enter` without a free place is an error.
#[derive(LogicBlock, Default)]
pub struct Sorter<const N: usize, const M: usize, const H: usize> {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    /// The time, 2^-8 ns modulo 2^22.
    pub now: Signal<In, Bits<22>>,
    /// The time was stepped at the last clock: all in their places are due.
    pub stepped: Signal<In, Bit>,
    /// A grant enters.
    pub enter: Signal<In, Bit>,
    /// When the grant is due, 2^-8 ns modulo 2^22;
    pub launch: Signal<In, Bits<22>>,
    /// if not `near`, the launch that its place holds instead, in 128 ns.
    pub floor: Signal<In, Bits<7>>,
    /// The grant's launch counts, not `floor`.
    pub near: Signal<In, Bit>,
    /// With `enter`: a grant entered at the last clock, and this one goes behind it if its launch
    /// counts,
    pub stays: Signal<In, Bit>,
    /// if its floor counts.
    pub holds: Signal<In, Bit>,
    /// The head leaves.
    pub pop: Signal<In, Bit>,
    /// With `pop`: the handle that comes back for the head's.
    pub freed: Signal<In, Bits<H>>,
    /// The head's launch was here at the last clock.
    pub due: Signal<Out, Bit>,
    /// The head's handle.
    pub head: Signal<Out, Bits<H>>,
    /// A grant entered at the last clock.
    pub entered: Signal<Out, Bit>,
    /// Handle of the grant that entered.
    pub handle: Signal<Out, Bits<H>>,
    /// No grant may enter.
    pub shut: Signal<Out, Bit>,
    valids: Array<DFF<Bit>, N>,
    /// The launches, in 2 ns.
    keys: Array<DFF<Bits<11>>, N>,
    /// Handles, as their difference from those after a reset, which are 0, 1, 2 and so on. Two more
    /// than places, which stay as they are: so that there is a third of them, however few the
    /// places.
    swaps: Array<DFF<Bits<H>>, M>,
    /// The place stays in front of the entering grant. The last place never does: with a grant that
    /// enters it is free.
    precedes: Array<DFF<Bit>, N>,
    /// No place is free when the grant that enters is in its place.
    full: DFF<Bit>,
    enters: DFF<Bit>,
    x_low: DFF<Bits<22>>,
    /// Bits of the first two launches beyond their keys, 9 below and 2 above, for they are compared
    /// with the time: in registers, so that no RAM is read before the comparison.
    rests: [DFF<Bits<11>>; 2],
    /// The same by handles, for what becomes the second: the third's is read within the clock, for
    /// what its handle will be is not known before the clock ends.
    third: LutRam<Bits<11>, H>,
    head_due: DFF<Bit>,
    /// The head is due for 0.5 us.
    late: DFF<Bit>,
    /// The head is due for 4 us, or the time was stepped: all are due.
    all_due: DFF<Bit>,
    low: Signal<Local, Bits<22>>,
    key: Signal<Local, Bits<11>>,
    floor_key: Signal<Local, Bits<11>>,
    x_key: Signal<Local, Bits<11>>,
    x_rest: Signal<Local, Bits<11>>,
    // Places in front of the entering grant by its launch, by its floor.
    by_launch: Array<Signal<Local, Bit>, N>,
    by_floor: Array<Signal<Local, Bit>, N>,
    // The places as their neighbours see them, from 1, with one on either side: no place is an
    // exception.
    number: Array<Signal<Local, Bits<H>>, M>,
    valid_at: Array<Signal<Local, Bit>, M>,
    key_at: Array<Signal<Local, Bits<11>>, M>,
    handle_at: Array<Signal<Local, Bits<H>>, M>,
    next_at: Array<Signal<Local, Bits<H>>, N>,
    /// A place is not behind the launch, not behind the floor.
    follows_at: Array<Signal<Local, Bit>, M>,
    sinks_at: Array<Signal<Local, Bit>, M>,
    precedes_at: Array<Signal<Local, Bit>, M>,
    /// The place takes the entering grant; it takes anything.
    take_x: Array<Signal<Local, Bit>, N>,
    moves: Array<Signal<Local, Bit>, N>,
    last: Signal<Local, Bits<H>>,
    x_handle: Signal<Local, Bits<H>>,
    /// A place is not the last one.
    inner: Array<Signal<Local, Bit>, M>,
    // The last place but one is taken, and the one before it.
    second_last: Signal<Local, Bit>,
    third_last: Signal<Local, Bit>,
    low_0: Signal<Local, Bits<22>>,
    low_1: Signal<Local, Bits<22>>,
    since_0: Signal<Local, Bits<22>>,
    since_1: Signal<Local, Bits<22>>,
    since_x: Signal<Local, Bits<22>>,
    past: Signal<Local, Bit>,
}

impl<const N: usize, const M: usize, const H: usize> Logic for Sorter<N, M, H> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, full, enters, x_low, head_due, late, all_due);
        self.third.clock.next = self.clk.val();
        for i in 0..2 {
            self.rests[i].clock.next = self.clk.val();
            self.rests[i].d.next = self.rests[i].q.val();
        }
        for i in 0..M {
            self.number[i].next = bits::<H>(0);
        }
        for i in 0..N {
            self.number[i + 1].next = self.number[i].val() + bits::<H>(1);
        }
        self.last.next = bits::<H>(0);
        for i in 0..M {
            self.inner[i].next = false;
            self.valid_at[i].next = false;
            self.key_at[i].next = bits::<11>(0);
            self.handle_at[i].next = self.freed.val();
            self.follows_at[i].next = false;
            self.sinks_at[i].next = false;
            self.precedes_at[i].next = false;
            self.swaps[i].clock.next = self.clk.val();
            self.swaps[i].d.next = self.swaps[i].q.val();
        }
        // In front of the first, all are taken; it takes nothing from there.
        self.valid_at[0].next = true;
        self.second_last.next = true;
        self.third_last.next = true;
        self.precedes_at[0].next = true;
        self.follows_at[0].next = true;
        self.sinks_at[0].next = true;
        for i in 0..N {
            self.valids[i].clock.next = self.clk.val();
            self.keys[i].clock.next = self.clk.val();
            self.precedes[i].clock.next = self.clk.val();
            self.valid_at[i + 1].next = self.valids[i].q.val();
            self.key_at[i + 1].next = self.keys[i].q.val();
            self.handle_at[i + 1].next = self.swaps[i].q.val() ^ self.number[i].val();
            self.precedes_at[i + 1].next = self.precedes[i].q.val();
            self.last.next = self.handle_at[i + 1].val();
            self.inner[i].next = true;
            self.third_last.next = self.second_last.val();
            self.second_last.next = self.valid_at[i].val();
            self.valids[i].d.next = self.valids[i].q.val();
            self.keys[i].d.next = self.keys[i].q.val();
            self.precedes[i].d.next = self.precedes[i].q.val();
            self.next_at[i].next = self.handle_at[i + 1].val();
            self.take_x[i].next = false;
            self.moves[i].next = false;
        }
        // How many of the places a grant that enters after this clock will find in front of it:
        // those now, with the one that enters at this clock, and without the head. Compared is the
        // sign of the difference, modulo 2^11. Launch and floor are both compared: which of them
        // counts is known last.
        self.low.next = self.launch.val();
        if !self.near.val() {
            self.low.next = bit_cast::<22, 7>(self.floor.val()) << 15;
        }
        self.key.next = self.launch.val().get_bits::<11>(9);
        self.floor_key.next = bit_cast::<11, 5>(self.floor.val().get_bits::<5>(0)) << 6;
        self.x_key.next = self.x_low.q.val().get_bits::<11>(9);
        self.x_rest.next =
            bit_cast::<11, 9>(self.x_low.q.val().get_bits::<9>(0)) | (bit_cast::<11, 2>(self.x_low.q.val().get_bits::<2>(20)) << 9);
        for i in 0..N {
            self.follows_at[i + 1].next = (self.inner[i + 1].val() & self.valids[i].q.val())
                & !((self.key.val().get_bits::<10>(0) < self.keys[i].q.val().get_bits::<10>(0))
                    ^ (self.key.val().get_bit(10) ^ self.keys[i].q.val().get_bit(10)));
            self.sinks_at[i + 1].next = (self.inner[i + 1].val() & self.valids[i].q.val())
                & !((self.floor_key.val().get_bits::<10>(0) < self.keys[i].q.val().get_bits::<10>(0))
                    ^ (self.floor_key.val().get_bit(10) ^ self.keys[i].q.val().get_bit(10)));
        }
        for i in 0..N {
            self.by_launch[i].next = self.follows_at[i + 1].val();
            self.by_floor[i].next = self.sinks_at[i + 1].val();
            if self.pop.val() & !self.stays.val() {
                self.by_launch[i].next = self.follows_at[i + 2].val();
            }
            if !self.pop.val() & self.stays.val() {
                self.by_launch[i].next = self.follows_at[i].val();
            }
            if self.pop.val() & !self.holds.val() {
                self.by_floor[i].next = self.sinks_at[i + 2].val();
            }
            if !self.pop.val() & self.holds.val() {
                self.by_floor[i].next = self.sinks_at[i].val();
            }
        }
        // Though the head may leave from behind both.
        if self.stays.val() {
            self.by_launch[0].next = true;
        }
        if self.holds.val() {
            self.by_floor[0].next = true;
        }
        if self.enter.val() {
            for i in 0..N {
                self.precedes[i].d.next = self.inner[i + 1].val() & self.by_floor[i].val();
                if self.near.val() {
                    self.precedes[i].d.next = self.inner[i + 1].val() & self.by_launch[i].val();
                }
            }
        }
        // As full as that after this clock: an entering grant comes on top of the one before it,
        // and a full sorter takes none.
        self.full.d.next = !self.pop.val()
            & (self.full.q.val() | (self.enter.val() & (self.second_last.val() | (self.third_last.val() & self.enters.q.val()))));
        // The entering grant gets the handle of the place that is lost to it: the last one, or the
        // head's.
        self.x_handle.next = self.last.val();
        if self.pop.val() {
            self.x_handle.next = self.freed.val();
        }
        if self.pop.val() | self.enters.q.val() {
            for i in 0..N {
                if self.pop.val() {
                    self.take_x[i].next = (self.enters.q.val() & self.precedes_at[i + 1].val()) & !self.precedes_at[i + 2].val();
                    self.moves[i].next = !self.enters.q.val() | self.precedes_at[i + 1].val();
                } else {
                    self.take_x[i].next = self.precedes_at[i].val() & !self.precedes_at[i + 1].val();
                    self.moves[i].next = !self.precedes_at[i + 1].val();
                }
            }
            // The head leaves even if the entering grant goes before it.
            self.take_x[0].next = self.enters.q.val() & (!self.precedes_at[1].val() | (self.pop.val() & !self.precedes_at[2].val()));
            self.moves[0].next = self.pop.val() | !self.precedes_at[1].val();
            for i in 0..N {
                if self.moves[i].val() {
                    if self.pop.val() {
                        self.valids[i].d.next = self.valid_at[i + 2].val() | self.take_x[i].val();
                        self.keys[i].d.next = self.key_at[i + 2].val();
                        self.next_at[i].next = self.handle_at[i + 2].val();
                        if self.take_x[i].val() {
                            self.keys[i].d.next = self.x_key.val();
                            self.next_at[i].next = self.freed.val();
                        }
                    } else {
                        self.valids[i].d.next = self.valid_at[i].val() | self.take_x[i].val();
                        self.keys[i].d.next = self.key_at[i].val();
                        self.next_at[i].next = self.handle_at[i].val();
                        if self.take_x[i].val() {
                            self.keys[i].d.next = self.x_key.val();
                            self.next_at[i].next = self.last.val();
                        }
                    }
                    self.swaps[i].d.next = self.next_at[i].val() ^ self.number[i].val();
                }
            }
            if self.moves[0].val() {
                self.rests[0].d.next = self.rests[1].q.val();
                if self.take_x[0].val() {
                    self.rests[0].d.next = self.x_rest.val();
                }
            }
            if self.moves[1].val() {
                self.rests[1].d.next = self.rests[0].q.val();
                if self.pop.val() {
                    self.rests[1].d.next = self.third.read_data.val();
                }
                if self.take_x[1].val() {
                    self.rests[1].d.next = self.x_rest.val();
                }
            }
        }
        // Only the first two and the entering grant can be the head at the next clock.
        self.enters.d.next = self.enter.val();
        self.x_low.d.next = self.low.val();
        self.third.write_enable.next = self.enters.q.val();
        self.third.write_address.next = self.x_handle.val();
        self.third.write_data.next = self.x_rest.val();
        // Straight from the register, so that no tool sees a loop through what is computed beside
        // it.
        self.third.read_address.next = self.swaps[2].q.val() ^ bits::<H>(2);
        self.low_0.next = bit_cast::<22, 9>(self.rests[0].q.val().get_bits::<9>(0))
            | (bit_cast::<22, 11>(self.keys[0].q.val()) << 9)
            | (bit_cast::<22, 2>(self.rests[0].q.val().get_bits::<2>(9)) << 20);
        self.low_1.next = bit_cast::<22, 9>(self.rests[1].q.val().get_bits::<9>(0))
            | (bit_cast::<22, 11>(self.keys[1].q.val()) << 9)
            | (bit_cast::<22, 2>(self.rests[1].q.val().get_bits::<2>(9)) << 20);
        self.since_0.next = self.now.val() - self.low_0.val();
        self.since_1.next = self.now.val() - self.low_1.val();
        self.since_x.next = self.now.val() - self.x_low.q.val();
        self.head_due.d.next = self.valids[0].q.val() & (self.all_due.q.val() | !self.since_0.val().get_bit(21));
        if self.take_x[0].val() {
            self.head_due.d.next = !self.since_x.val().get_bit(21);
        } else if self.pop.val() {
            self.head_due.d.next = self.valids[1].q.val() & (self.all_due.q.val() | !self.since_1.val().get_bit(21));
        }
        self.past.next = self.valids[0].q.val() & !self.since_0.val().get_bit(21);
        self.late.d.next = self.past.val() & self.since_0.val().get_bits::<4>(17).any();
        self.all_due.d.next = self.stepped.val()
            | (self.past.val() & self.since_0.val().get_bit(20))
            | (self.all_due.q.val() & (self.enters.q.val() | self.valids[0].q.val()));
        self.due.next = self.head_due.q.val();
        self.head.next = self.handle_at[1].val();
        self.entered.next = self.enters.q.val();
        self.handle.next = self.x_handle.val();
        self.shut.next = (self.full.q.val() | self.late.q.val()) | (self.all_due.q.val() | self.stepped.val());
        if self.rst.val() {
            for i in 0..N {
                self.valids[i].d.next = false;
            }
            for i in 0..M {
                self.swaps[i].d.next = bits::<H>(0);
            }
            self.full.d.next = false;
            self.enters.d.next = false;
            self.head_due.d.next = false;
            self.late.d.next = false;
            self.all_due.d.next = false;
        }
    }
}
