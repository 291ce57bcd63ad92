//! Bound on the requests of queues without a flow that are under way.
#![allow(missing_docs, reason = "a group of ports has one comment")]
use rust_hdl::prelude::*;
use timely_model::scheduler::queues::{DECAY, FIRST_SIZE, FIT, LEAST_SHARE, LEAST_UNPACED, MOST_DOUBLINGS, RESERVED};

// A kernel takes literals alone.
const _: () = assert!(LEAST_UNPACED == 2 && LEAST_SHARE == 3 && RESERVED == 8 && DECAY == 4 && FIRST_SIZE == 43 && MOST_DOUBLINGS == 9);
const _: () = assert!(FIT[0] == 12 && FIT[1] == 10 && FIT[2] == 9 && FIT[3] == 8);

/// Room for a request of a queue without a flow.
///
/// Such requests may have `2^cfg_share` wire bytes under way: more would fill no more of the line,
/// and packets of flows wait behind them. The size of a packet is known when it came to its end;
/// the next ones are expected to be as long as the longest of late, rounded up to a quarter of an
/// octave, and a quarter of an octave shorter after 4 shorter ones. The share holds 3 requests at
/// least, of packets up to 1.25 times a quarter of it 4: a packet is stored whole twice on its way,
/// so that large ones are on the line, on their way and being read at once. While any flow may hold
/// packets the size is rounded up to a power of two, and 8 tags, or a quarter of them, are never
/// theirs; flows may use those and all others, and one that is free is theirs first. Two requests
/// are always allowed.
///
/// Latency: 1 clock from a count to `room`, 5 from a packet's end. Model:
/// `timely_model::scheduler::queues`, whose part it is.
#[derive(LogicBlock, Default)]
pub struct Share {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    /// Tags that there are, 1 to 256.
    pub cfg_tags: Signal<In, Bits<9>>,
    /// log2 of the wire bytes that may be under way, 8 to 24.
    pub cfg_share: Signal<In, Bits<5>>,
    /// A flow may hold packets.
    pub flows: Signal<In, Bit>,
    /// A packet without a flow came to its end: its bytes without FCS, 0 if there was none.
    pub done_valid: Signal<In, Bit>,
    /// See `done_valid`.
    pub done_bytes: Signal<In, Bits<16>>,
    /// Turns and requests without a flow under way.
    pub unpaced: Signal<In, Bits<9>>,
    /// Grants, turns and requests under way.
    pub held: Signal<In, Bits<9>>,
    /// A grant or a turn is added at this clock.
    pub asks: Signal<In, Bit>,
    /// The addition is a turn.
    pub turns: Signal<In, Bit>,
    /// A turn may begin.
    pub room: Signal<Out, Bit>,
    is_room: DFF<Bit>,
    tags: DFF<Bits<9>>,
    most: DFF<Bits<9>>,
    /// Size classes: the place of the highest bit, and the two bits below it.
    size: DFF<Bits<7>>,
    shorter: DFF<Bits<2>>,
    ended: DFF<Bits<17>>,
    has_ended: DFF<Bit>,
    came: DFF<Bits<7>>,
    has_come: DFF<Bit>,
    shift: DFF<Bits<4>>,
    part: DFF<Bits<2>>,
    is_busy: DFF<Bit>,
    quarter: Signal<Local, Bits<9>>,
    reserved: Signal<Local, Bits<9>>,
    octave: Signal<Local, Bits<5>>,
    doublings: Signal<Local, Bits<5>>,
    fit: Signal<Local, Bits<13>>,
    shifted: Signal<Local, Bits<13>>,
    framed: Signal<Local, Bits<17>>,
    less: Signal<Local, Bits<7>>,
    more_unpaced: Signal<Local, Bits<9>>,
    more_held: Signal<Local, Bits<9>>,
    low: Signal<Local, Bit>,
    below: Signal<Local, Bit>,
    spares: Signal<Local, Bit>,
    free: Signal<Local, Bit>,
}

impl Logic for Share {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, is_room, tags, most, size, shorter, ended, has_ended, came, has_come, shift, part, is_busy);
        // 1: the packet with preamble, FCS and gap, less one byte.
        self.framed.next = bit_cast::<17, 16>(self.done_bytes.val()) + bits::<17>(23);
        self.has_ended.d.next = self.done_valid.val() & self.done_bytes.val().any();
        self.ended.d.next = self.framed.val();
        if self.framed.val() < bits::<17>(83) {
            self.ended.d.next = bits::<17>(83);
        }
        // 2: its size class.
        self.has_come.d.next = self.has_ended.q.val();
        self.came.d.next = bits::<7>(24) | bit_cast::<7, 2>(self.ended.q.val().get_bits::<2>(4));
        if self.ended.q.val().get_bit(16) {
            self.came.d.next = bits::<7>(64) | bit_cast::<7, 2>(self.ended.q.val().get_bits::<2>(14));
        } else if self.ended.q.val().get_bit(15) {
            self.came.d.next = bits::<7>(60) | bit_cast::<7, 2>(self.ended.q.val().get_bits::<2>(13));
        } else if self.ended.q.val().get_bit(14) {
            self.came.d.next = bits::<7>(56) | bit_cast::<7, 2>(self.ended.q.val().get_bits::<2>(12));
        } else if self.ended.q.val().get_bit(13) {
            self.came.d.next = bits::<7>(52) | bit_cast::<7, 2>(self.ended.q.val().get_bits::<2>(11));
        } else if self.ended.q.val().get_bit(12) {
            self.came.d.next = bits::<7>(48) | bit_cast::<7, 2>(self.ended.q.val().get_bits::<2>(10));
        } else if self.ended.q.val().get_bit(11) {
            self.came.d.next = bits::<7>(44) | bit_cast::<7, 2>(self.ended.q.val().get_bits::<2>(9));
        } else if self.ended.q.val().get_bit(10) {
            self.came.d.next = bits::<7>(40) | bit_cast::<7, 2>(self.ended.q.val().get_bits::<2>(8));
        } else if self.ended.q.val().get_bit(9) {
            self.came.d.next = bits::<7>(36) | bit_cast::<7, 2>(self.ended.q.val().get_bits::<2>(7));
        } else if self.ended.q.val().get_bit(8) {
            self.came.d.next = bits::<7>(32) | bit_cast::<7, 2>(self.ended.q.val().get_bits::<2>(6));
        } else if self.ended.q.val().get_bit(7) {
            self.came.d.next = bits::<7>(28) | bit_cast::<7, 2>(self.ended.q.val().get_bits::<2>(5));
        }
        // 3: what is expected.
        self.less.next = self.size.q.val() - bits::<7>(1);
        if self.has_come.q.val() {
            if self.came.q.val() >= self.size.q.val() {
                self.size.d.next = self.came.q.val();
                self.shorter.d.next = bits::<2>(0);
            } else {
                self.shorter.d.next = self.shorter.q.val() + bits::<2>(1);
                if self.shorter.q.val().all() {
                    self.size.d.next = self.less.val();
                }
            }
        }
        // 4: how often the class's octave is in the share.
        self.octave.next = self.size.q.val().get_bits::<5>(2);
        self.part.d.next = self.size.q.val().get_bits::<2>(0);
        self.doublings.next = self.cfg_share.val() - self.octave.val();
        self.shift.d.next = self.doublings.val().get_bits::<4>(0);
        if self.cfg_share.val() < self.octave.val() {
            self.shift.d.next = bits::<4>(0);
        } else if self.doublings.val() > bits::<5>(9) {
            self.shift.d.next = bits::<4>(9);
        }
        // 5: requests at most, 2 to 384.
        self.is_busy.d.next = self.flows.val();
        self.fit.next = bits::<13>(8);
        if self.is_busy.q.val() {
            self.fit.next = bits::<13>(8);
        } else if self.part.q.val() == bits::<2>(0) {
            self.fit.next = bits::<13>(12);
        } else if self.part.q.val() == bits::<2>(1) {
            self.fit.next = bits::<13>(10);
        } else if self.part.q.val() == bits::<2>(2) {
            self.fit.next = bits::<13>(9);
        }
        self.shifted.next = self.fit.val() << bit_cast::<13, 4>(self.shift.q.val());
        self.most.d.next = self.shifted.val().get_bits::<9>(4);
        if self.shift.q.val() < bits::<4>(3) {
            self.most.d.next = bits::<9>(3);
            if self.is_busy.q.val() {
                self.most.d.next = bits::<9>(2);
            } else if (self.shift.q.val() == bits::<4>(2)) & !self.part.q.val().any() {
                self.most.d.next = bits::<9>(4);
            }
        }
        self.quarter.next = self.cfg_tags.val() >> 2;
        self.reserved.next = bits::<9>(0);
        if self.flows.val() {
            self.reserved.next = self.quarter.val();
            if self.quarter.val() > bits::<9>(8) {
                self.reserved.next = bits::<9>(8);
            }
        }
        self.tags.d.next = self.cfg_tags.val() - self.reserved.val();
        // 6: room, with what begins at this clock.
        self.more_unpaced.next = self.unpaced.val() + bits::<9>(1);
        self.more_held.next = self.held.val() + bits::<9>(1);
        self.low.next = self.unpaced.val() < bits::<9>(2);
        self.below.next = self.unpaced.val() < self.most.q.val();
        self.spares.next = self.unpaced.val() < self.tags.q.val();
        if self.turns.val() {
            self.low.next = self.unpaced.val() < bits::<9>(1);
            self.below.next = self.more_unpaced.val() < self.most.q.val();
            self.spares.next = self.more_unpaced.val() < self.tags.q.val();
        }
        self.free.next = self.held.val() < self.cfg_tags.val();
        if self.asks.val() {
            self.free.next = self.more_held.val() < self.cfg_tags.val();
        }
        self.is_room.d.next = self.low.val() | (self.below.val() & (self.spares.val() & self.free.val()));
        self.room.next = self.is_room.q.val();
        if self.rst.val() {
            self.is_room.d.next = false;
            self.tags.d.next = bits::<9>(0);
            self.most.d.next = bits::<9>(3);
            self.shift.d.next = bits::<4>(0);
            self.part.d.next = bits::<2>(0);
            self.is_busy.d.next = false;
            self.size.d.next = bits::<7>(43);
            self.shorter.d.next = bits::<2>(0);
            self.has_ended.d.next = false;
            self.has_come.d.next = false;
        }
    }
}
