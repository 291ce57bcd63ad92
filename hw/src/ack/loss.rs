//! The segments that arrived of each (source, flow), so that an ACK can say which were lost.
use crate::construct::construct;
use crate::ram::ApartRam;
use rust_hdl::prelude::*;
use timely_model::ack::loss::{AHEAD, EPOCH_SHIFT, ROW_BITS, WAYS};
use timely_regs::wire::Loss;

// A kernel takes literals alone.
const _: () = assert!(AHEAD == 1024 && EPOCH_SHIFT == 46 && ROW_BITS == 9 && WAYS == 4 && Loss::MOST == 63);

/// A packet on its way to the table.
#[derive(Clone, Copy, Debug, Default, PartialEq, LogicStruct)]
struct Arrival {
    row: Bits<9>,
    pair: Bits<39>,
    segment: Bits<16>,
    /// The upper half of the segment's number is 0.
    low: Bits<1>,
    number: Bits<16>,
    first: Bits<1>,
    last: Bits<1>,
}

/// 2,048 (source, flow) pairs in 512 rows of four entries; the rules are those of `timely_model::ack::loss`, its model.
///
/// Clock 1: the packet's fields stand at the inputs, and the RAMs are addressed. 2: read. 3: compared with the row's four pairs; `welcome` says whether the
/// packet may be answered. 4: how far the segment is ahead of each, and one is chosen. 5: counted; `loss` stands, and the entry is written. A packet takes what the ones before it wrote from
/// where they are: [`Arrival`]s are two clocks apart or more, what comes a clock after one is not looked up. After a reset nothing is known, and for 512
/// clocks nothing is learnt.
#[derive(LogicBlock)]
pub struct Table {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset, active high.
    pub rst: Signal<In, Bit>,
    /// Clock 1: a data packet.
    pub valid: Signal<In, Bit>,
    /// Its source, byte 0 in the low bits; of IPv4 the upper words are 0.
    pub source: Signal<In, Bits<128>>,
    /// Packet number to segment number of its header, in wire order.
    pub ids: Signal<In, Bits<112>>,
    /// The packet is its segment's first.
    pub first: Signal<In, Bit>,
    /// The packet is its segment's last.
    pub last: Signal<In, Bit>,
    /// Clock 3: it may be answered.
    pub welcome: Signal<In, Bit>,
    /// Bits 31..30 of the time in ns.
    pub epoch: Signal<In, Bits<2>>,
    /// Clock 5: what its ACK says, byte 27 of the header; 0 where it knows nothing.
    pub loss: Signal<Out, Bits<8>>,
    // An entry has 72 bits, as a block RAM of 512 words has, and no struct, since a loop over ways takes no fields: pair (digest of the source 32, bits 15..9
    // of the flow), segment 54..39 (low bits of its number), packets seen 62..55 (0 when the last came, 255 many or unknown), skipped 68..63,
    // epoch 70..69 (when the last packet came), valid 71.
    sweep: DFF<Bits<10>>,
    clear: Signal<Local, Bit>,
    words: [Signal<Local, Bits<32>>; 4],
    digest: Signal<Local, Bits<32>>,
    flow: Signal<Local, Bits<16>>,
    number: Signal<Local, Bits<16>>,
    high: Signal<Local, Bits<16>>,
    segment: Signal<Local, Bits<16>>,
    row: Signal<Local, Bits<9>>,
    look: Signal<Local, Bit>,
    // Index k is the register of clock k + 2.
    looks: [DFF<Bit>; 2],
    arrival: [DFF<Arrival>; 4],
    ram: [ApartRam<Bits<72>, 9>; 4],
    // The entry that was written a clock ago.
    wrote: DFF<Bit>,
    wrote_row: DFF<Bits<9>>,
    wrote_way: [DFF<Bit>; 4],
    word: DFF<Bits<72>>,
    // 2
    two: Signal<Local, Arrival>,
    read: [DFF<Bits<72>>; 4],
    // 3
    three: Signal<Local, Arrival>,
    five: Signal<Local, Arrival>,
    entry: [Signal<Local, Bits<72>>; 4],
    age: [Signal<Local, Bits<2>>; 4],
    hits: [Signal<Local, Bit>; 4],
    frees: [Signal<Local, Bit>; 4],
    hit_any: Signal<Local, Bit>,
    /// The packet before, at clock 5, is of the row; of the pair.
    row_again: Signal<Local, Bit>,
    pair_again: Signal<Local, Bit>,
    known: DFF<Bit>,
    again: DFF<Bit>,
    way: [DFF<Bit>; 4],
    epoch_4: DFF<Bits<2>>,
    held: [DFF<Bits<30>>; 4],
    // 4
    four: Signal<Local, Arrival>,
    parts: [Signal<Local, Bits<30>>; 5],
    aheads: [Signal<Local, Bits<16>>; 5],
    apart: Signal<Local, Bits<16>>,
    // 5: segment 16, packets seen 8, skipped 6.
    kept: DFF<Bits<30>>,
    own: DFF<Bit>,
    writes: DFF<Bit>,
    epoch_5: DFF<Bits<2>>,
    ways: [DFF<Bit>; 4],
    seen: Signal<Local, Bits<8>>,
    skipped: Signal<Local, Bits<6>>,
    ahead: DFF<Bits<10>>,
    same: DFF<Bit>,
    next_one: DFF<Bit>,
    late: DFF<Bit>,
    zero: DFF<Bit>,
    anew: Signal<Local, Bit>,
    ignored: Signal<Local, Bit>,
    more: Signal<Local, Bits<8>>,
    gap: Signal<Local, Bits<11>>,
    sum: Signal<Local, Bits<11>>,
    seen_now: Signal<Local, Bits<8>>,
    skipped_now: Signal<Local, Bits<6>>,
    due: DFF<Bits<17>>,
    complete: Signal<Local, Bit>,
    incomplete: Signal<Local, Bit>,
    result: Signal<Local, Bits<30>>,
    closed: Signal<Local, Bits<14>>,
    whole: Signal<Local, Bits<72>>,
    said: Signal<Local, Bits<8>>,
}

impl Default for Table {
    fn default() -> Self {
        construct!({} clk, rst, valid, source, ids, first, last, welcome, epoch, loss, sweep, clear, digest, flow, number,
            high, segment, row, look, wrote, wrote_row, word, two, three, five, hit_any, row_again, pair_again, known, again, epoch_4, kept, own,
            writes, epoch_5, seen, skipped, ahead, same, next_one, late, zero, anew, ignored, more, gap, sum, seen_now, skipped_now, due, complete, incomplete,
            result, closed, whole, said, four, apart; words, looks, arrival, ram, wrote_way, read, entry, age, hits, frees, way, held, parts, aheads, ways)
    }
}

impl Logic for Table {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self, clk, sweep, wrote, wrote_row, word, known, again, epoch_4, kept, own, writes, epoch_5, ahead, same, next_one, late, zero,
            due
        );
        for i in 0..2 {
            self.looks[i].clock.next = self.clk.val();
        }
        for i in 0..4 {
            self.arrival[i].clock.next = self.clk.val();
            self.ram[i].read_clock.next = self.clk.val();
            self.ram[i].write_clock.next = self.clk.val();
            self.wrote_way[i].clock.next = self.clk.val();
            self.read[i].clock.next = self.clk.val();
            self.way[i].clock.next = self.clk.val();
            self.held[i].clock.next = self.clk.val();
            self.ways[i].clock.next = self.clk.val();
        }
        // After a reset the rows are cleared, one a clock.
        self.clear.next = self.sweep.q.val().get_bit(9);
        if !self.clear.val() {
            self.sweep.d.next = self.sweep.q.val() + bits::<10>(1);
        }

        // 1: the digest as `timely_model::check` has it, of wire order; numbers out of wire order.
        for i in 0..4 {
            self.words[i].next = self.source.val().get_bits::<32>(32 * i);
        }
        self.digest.next = (self.words[0].val() ^ ((self.words[1].val() << 8) | (self.words[1].val() >> 24)))
            ^ (((self.words[2].val() << 16) | (self.words[2].val() >> 16)) ^ ((self.words[3].val() << 24) | (self.words[3].val() >> 8)));
        self.number.next = (bit_cast::<16, 8>(self.ids.val().get_bits::<8>(0)) << 8) | bit_cast::<16, 8>(self.ids.val().get_bits::<8>(8));
        self.flow.next = (bit_cast::<16, 8>(self.ids.val().get_bits::<8>(32)) << 8) | bit_cast::<16, 8>(self.ids.val().get_bits::<8>(40));
        self.high.next = self.ids.val().get_bits::<16>(80);
        self.segment.next =
            (bit_cast::<16, 8>(self.ids.val().get_bits::<8>(96)) << 8) | bit_cast::<16, 8>(self.ids.val().get_bits::<8>(104));
        self.row.next = (self.flow.val().get_bits::<9>(0) ^ self.digest.val().get_bits::<9>(0))
            ^ ((self.digest.val().get_bits::<9>(9) ^ self.digest.val().get_bits::<9>(18))
                ^ bit_cast::<9, 5>(self.digest.val().get_bits::<5>(27)));
        self.look.next = (self.valid.val() & self.clear.val()) & !self.looks[0].q.val();
        self.looks[0].d.next = self.look.val();
        self.arrival[0].d.next.row = self.row.val();
        self.arrival[0].d.next.pair = bit_cast::<39, 32>(self.digest.val()) | (bit_cast::<39, 7>(self.flow.val().get_bits::<7>(9)) << 32);
        self.arrival[0].d.next.segment = self.segment.val();
        self.arrival[0].d.next.low = bits::<1>(1);
        if self.high.val().any() {
            self.arrival[0].d.next.low = bits::<1>(0);
        }
        self.arrival[0].d.next.number = self.number.val();
        self.arrival[0].d.next.first = bit_cast::<1, 1>(self.first.val().into());
        self.arrival[0].d.next.last = bit_cast::<1, 1>(self.last.val().into());
        for i in 0..4 {
            self.ram[i].read_address.next = self.row.val();
        }

        // 2: what was written as the row was read.
        self.looks[1].d.next = self.looks[0].q.val();
        self.two.next = self.arrival[0].q.val();
        for i in 0..3 {
            self.arrival[i + 1].d.next = self.arrival[i].q.val();
        }
        for i in 0..4 {
            self.read[i].d.next = self.ram[i].read_data.val();
            if (self.wrote.q.val() & self.wrote_way[i].q.val()) & (self.wrote_row.q.val() == self.two.val().row) {
                self.read[i].d.next = self.word.q.val();
            }
        }

        // 3: what was written since; and the pair of the packet before, whose word is not there yet.
        self.three.next = self.arrival[1].q.val();
        self.five.next = self.arrival[3].q.val();
        self.row_again.next = self.writes.q.val() & (self.five.val().row == self.three.val().row);
        self.pair_again.next = self.row_again.val() & (self.five.val().pair == self.three.val().pair);
        for i in 0..4 {
            self.entry[i].next = self.read[i].q.val();
            if (self.wrote.q.val() & self.wrote_way[i].q.val()) & (self.wrote_row.q.val() == self.three.val().row) {
                self.entry[i].next = self.word.q.val();
            }
            self.held[i].d.next = self.entry[i].val().get_bits::<30>(39);
            self.age[i].next = self.epoch.val() - self.entry[i].val().get_bits::<2>(69);
            self.hits[i].next = self.entry[i].val().get_bit(71) & (self.entry[i].val().get_bits::<39>(0) == self.three.val().pair);
            self.frees[i].next = !self.entry[i].val().get_bit(71) | self.age[i].val().get_bit(1);
            if self.row_again.val() & self.ways[i].q.val() {
                self.hits[i].next = self.pair_again.val();
                self.frees[i].next = false;
            }
        }
        self.hit_any.next = (self.hits[0].val() | self.hits[1].val()) | (self.hits[2].val() | self.hits[3].val());
        self.way[0].d.next = self.hits[0].val() | (!self.hit_any.val() & self.frees[0].val());
        self.way[1].d.next = self.hits[1].val() | (!self.hit_any.val() & (self.frees[1].val() & !self.frees[0].val()));
        self.way[2].d.next =
            self.hits[2].val() | (!self.hit_any.val() & ((self.frees[2].val() & !self.frees[1].val()) & !self.frees[0].val()));
        self.way[3].d.next = self.hits[3].val()
            | (!self.hit_any.val() & ((self.frees[3].val() & !self.frees[2].val()) & (!self.frees[1].val() & !self.frees[0].val())));
        if !(self.looks[1].q.val() & self.welcome.val()) {
            for i in 0..4 {
                self.way[i].d.next = false;
            }
        }
        self.known.d.next = self.hit_any.val();
        self.again.d.next = self.pair_again.val();
        self.epoch_4.d.next = self.epoch.val();

        // 4: the entry, or that of the packet before.
        self.four.next = self.arrival[2].q.val();
        self.parts[0].next = bits::<30>(0);
        self.aheads[0].next = bits::<16>(0);
        if self.again.q.val() {
            self.parts[0].next = self.word.q.val().get_bits::<30>(39);
            self.aheads[0].next = self.four.val().segment - self.word.q.val().get_bits::<16>(39);
        }
        for i in 0..4 {
            self.parts[i + 1].next = self.parts[i].val();
            self.aheads[i + 1].next = self.aheads[i].val();
            if self.way[i].q.val() & !self.again.q.val() {
                self.parts[i + 1].next = self.parts[i].val() | self.held[i].q.val();
                self.aheads[i + 1].next = self.aheads[i].val() | (self.four.val().segment - self.held[i].q.val().get_bits::<16>(0));
            }
            self.ways[i].d.next = self.way[i].q.val();
        }
        self.kept.d.next = self.parts[4].val();
        self.own.d.next = self.known.q.val();
        self.writes.d.next = (self.way[0].q.val() | self.way[1].q.val()) | (self.way[2].q.val() | self.way[3].q.val());
        self.epoch_5.d.next = self.epoch_4.q.val();
        self.apart.next = self.aheads[4].val();
        self.ahead.d.next = self.apart.val().get_bits::<10>(0);
        self.same.d.next = !self.apart.val().any();
        self.next_one.d.next = self.apart.val().any() & !self.apart.val().get_bits::<6>(10).any();
        self.late.d.next = self.apart.val().get_bits::<6>(10).all();
        self.zero.d.next = (self.four.val().low.any() & self.four.val().first.any()) & !self.four.val().segment.any();
        self.due.d.next = bit_cast::<17, 16>(self.four.val().number) + bits::<17>(1);

        // 5: the packet is counted.
        self.seen.next = self.kept.q.val().get_bits::<8>(16);
        self.skipped.next = self.kept.q.val().get_bits::<6>(24);
        self.anew.next = (!self.own.q.val() | self.zero.q.val()) | !((self.same.q.val() | self.next_one.q.val()) | self.late.q.val());
        self.ignored.next = !self.anew.val() & (self.late.q.val() | (self.same.q.val() & !self.seen.val().any()));
        self.more.next = self.seen.val() + bits::<8>(1);
        // One less than the segments between, with this one: 0 if the last one ended, or one that did not.
        self.gap.next = bit_cast::<11, 10>(self.ahead.q.val()) + bit_cast::<11, 6>(self.skipped.val());
        self.sum.next = self.gap.val();
        if !self.seen.val().any() {
            self.sum.next = self.gap.val() - bits::<11>(1);
        }
        self.seen_now.next = self.more.val();
        self.skipped_now.next = self.skipped.val();
        if self.seen.val().all() {
            self.seen_now.next = bits::<8>(255);
        }
        if self.next_one.q.val() {
            self.seen_now.next = bits::<8>(1);
            self.skipped_now.next = self.sum.val().get_bits::<6>(0);
            if self.sum.val().get_bits::<5>(6).any() {
                self.skipped_now.next = bits::<6>(63);
            }
        }
        if self.anew.val() {
            self.seen_now.next = bits::<8>(255);
            if self.five.val().first.any() {
                self.seen_now.next = bits::<8>(1);
            }
            self.skipped_now.next = bits::<6>(0);
        }
        self.complete.next = (bit_cast::<17, 8>(self.seen_now.val()) == self.due.q.val()) & !self.seen_now.val().all();
        self.incomplete.next = (bit_cast::<17, 8>(self.seen_now.val()) < self.due.q.val()) & !self.seen_now.val().all();
        self.said.next = bits::<8>(0);
        if self.complete.val() {
            self.said.next = bit_cast::<8, 6>(self.skipped_now.val()) | bits::<8>(0x40);
        }
        if self.incomplete.val() {
            self.said.next = bit_cast::<8, 6>(self.skipped_now.val()) | bits::<8>(0x80);
        }
        self.closed.next = bit_cast::<14, 8>(self.seen_now.val()) | (bit_cast::<14, 6>(self.skipped_now.val()) << 8);
        if self.five.val().last.any() {
            self.closed.next = bit_cast::<14, 6>(self.skipped_now.val()) << 8;
            if self.complete.val() | self.incomplete.val() {
                self.closed.next = bits::<14>(0);
            }
        }
        self.loss.next = self.said.val();
        self.result.next = bit_cast::<30, 16>(self.five.val().segment) | (bit_cast::<30, 14>(self.closed.val()) << 16);
        if self.ignored.val() {
            self.loss.next = bits::<8>(0);
            self.result.next = self.kept.q.val();
        }
        self.whole.next = (bit_cast::<72, 39>(self.five.val().pair) | (bit_cast::<72, 30>(self.result.val()) << 39))
            | ((bit_cast::<72, 2>(self.epoch_5.q.val()) << 69) | (bits::<72>(1) << 71));
        if !self.writes.q.val() {
            self.loss.next = bits::<8>(0);
        }
        self.wrote.d.next = self.writes.q.val();
        self.wrote_row.d.next = self.five.val().row;
        self.word.d.next = self.whole.val();
        for i in 0..4 {
            self.wrote_way[i].d.next = self.ways[i].q.val();
            self.ram[i].write_enable.next = self.ways[i].q.val() | !self.clear.val();
            self.ram[i].write_address.next = self.five.val().row;
            self.ram[i].write_data.next = self.whole.val();
            if !self.clear.val() {
                self.ram[i].write_address.next = self.sweep.q.val().get_bits::<9>(0);
                self.ram[i].write_data.next = bits::<72>(0);
            }
        }
        if self.rst.val() {
            self.sweep.d.next = bits::<10>(0);
            self.looks[0].d.next = false;
            self.looks[1].d.next = false;
            self.writes.d.next = false;
            self.wrote.d.next = false;
            for i in 0..4 {
                self.way[i].d.next = false;
                self.ways[i].d.next = false;
            }
        }
    }
}
