//! The segments that arrived of each (source, flow), so that an ACK can say which were lost.
use crate::packed::packed;
use crate::ram::ApartRam;
use rust_hdl::prelude::*;
use timely_model::ack::loss::{AHEAD, EPOCH_SHIFT, ROW_BITS, WAYS};
use timely_regs::wire::Loss;

// A kernel takes literals alone.
const _: () = assert!(AHEAD == 1024 && EPOCH_SHIFT == 46 && ROW_BITS == 9 && WAYS == 4 && Loss::MOST == 63);

packed! {
    /// A packet on its way to the table.
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

    /// State of a pair: the newest segment, its packets seen, 0 after its last, and the segments
    /// skipped that no ACK has told of.
    struct Part {
        segment: Bits<16>,
        seen: Bits<8>,
        skipped: Bits<6>,
    }

    /// An entry of the table.
    struct Row {
        pair: Bits<39>,
        part: Part,
        epoch: Bits<2>,
        valid: Bit,
    }
}

/// 2,048 (source, flow) pairs in 512 rows of four entries; the rules are those of
/// `timely_model::ack::loss`, its model.
///
/// Clock 1: the packet's fields stand at the inputs, and the RAMs are addressed. 2: read. 3:
/// compared with the row's four pairs; `welcome` says whether the packet may be answered. 4: one
/// entry is chosen, and how far the segment is ahead of each is found. 5: what is chosen is put
/// together. 6: the packet is counted; `loss` stands, and the entry is written. A packet takes what
/// the ones before it wrote from where they are: `Arrival`s are two clocks apart or more, what
/// comes a clock after one is not looked up. After a reset nothing is known, and for 512 clocks
/// nothing is learnt.
#[derive(LogicBlock, Default)]
pub struct Table {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset, active high.
    pub rst: Signal<In, Bit>,
    /// Clock 1: a data packet.
    pub valid: Signal<In, Bit>,
    /// Source address of the packet, byte 0 in the low bits; of IPv4 the upper words are 0.
    pub source: Signal<In, Bits<128>>,
    /// Packet number to segment number of its header, in wire order.
    pub ids: Signal<In, Bits<112>>,
    /// The packet is its segment's first.
    pub first: Signal<In, Bit>,
    /// The packet is its segment's last.
    pub last: Signal<In, Bit>,
    /// Clock 3: the packet may be answered.
    pub welcome: Signal<In, Bit>,
    /// Bits 31..30 of the time in ns.
    pub epoch: Signal<In, Bits<2>>,
    /// Clock 6: byte 27 of the header of the packet's ACK; 0 where nothing is known of lost
    /// packets.
    pub loss: Signal<Out, Bits<8>>,
    // An entry has 72 bits, as a block RAM of 512 words has, and no struct, since a loop over ways
    // takes no fields: pair (digest of the source 32, bits 15..9 of the flow), segment 54..39 (low
    // bits of its number), packets seen 62..55 (0 when the last came, 255 many or unknown), skipped
    // 68..63, epoch 70..69 (when the last packet came), valid 71.
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
    arrival: [DFF<Arrival>; 5],
    ram: [ApartRam<Bits<72>, 9>; 4],
    // The entry that was written a clock ago.
    wrote: DFF<Bit>,
    wrote_row: DFF<Bits<9>>,
    wrote_way: [DFF<Bit>; 4],
    word: DFF<Row>,
    wrote_kept: DFF<Bit>,
    // 2
    two: Signal<Local, Arrival>,
    read: [DFF<Bits<72>>; 4],
    // 3. The packets two, three and four clocks before are of the row; of the pair.
    three: Signal<Local, Arrival>,
    row_2: DFF<Bit>,
    row_3: DFF<Bit>,
    row_4: DFF<Bit>,
    pair_2: DFF<Bit>,
    pair_3: DFF<Bit>,
    pair_4: DFF<Bit>,
    age: [Signal<Local, Bits<2>>; 4],
    // 4
    four: Signal<Local, Arrival>,
    looks_4: DFF<Bit>,
    epoch_4: DFF<Bits<2>>,
    row_2_4: DFF<Bit>,
    row_3_4: DFF<Bit>,
    pair_2_4: DFF<Bit>,
    hits: [DFF<Bit>; 4],
    frees: [DFF<Bit>; 4],
    held: [DFF<Bits<30>>; 4],
    hit: [Signal<Local, Bit>; 4],
    free: [Signal<Local, Bit>; 4],
    hit_any: Signal<Local, Bit>,
    entry: [Signal<Local, Bits<30>>; 4],
    segment_4: Signal<Local, Bits<16>>,
    segment_6: Signal<Local, Bits<16>>,
    low_4: Signal<Local, Bits<6>>,
    low_6: Signal<Local, Bits<6>>,
    // 5: segment 16, packets seen 8, skipped 6; distances of the segment: from an entry's, from
    // that of the packet two clocks before, from what that found.
    five: Signal<Local, Arrival>,
    epoch_5: DFF<Bits<2>>,
    fresh_5: DFF<Bit>,
    again: DFF<Bit>,
    way: [DFF<Bit>; 4],
    entry_5: [DFF<Bits<30>>; 4],
    apart: [DFF<Bits<16>>; 4],
    from_its: DFF<Bits<16>>,
    from_kept: DFF<Bits<16>>,
    // And one less, in six bits.
    between: [DFF<Bits<6>>; 4],
    between_its: DFF<Bits<6>>,
    between_kept: DFF<Bits<6>>,
    parts: [Signal<Local, Bits<30>>; 5],
    aheads: [Signal<Local, Bits<16>>; 5],
    gaps: [Signal<Local, Bits<6>>; 5],
    part: Signal<Local, Part>,
    seen_5: Signal<Local, Bits<8>>,
    distance: Signal<Local, Bits<16>>,
    gap_5: Signal<Local, Bits<6>>,
    number_5: Signal<Local, Bits<16>>,
    // 6
    six: Signal<Local, Arrival>,
    epoch_6: DFF<Bits<2>>,
    /// The entry was another's, or a sender was reset.
    fresh: DFF<Bit>,
    writes: DFF<Bit>,
    ways: [DFF<Bit>; 4],
    kept: DFF<Part>,
    segment_kept: Signal<Local, Bits<16>>,
    none: DFF<Bit>,
    many: DFF<Bit>,
    same: DFF<Bit>,
    next_one: DFF<Bit>,
    late: DFF<Bit>,
    gap: DFF<Bits<6>>,
    far: DFF<Bit>,
    single: DFF<Bit>,
    long: DFF<Bit>,
    number_6: Signal<Local, Bits<16>>,
    seen: Signal<Local, Bits<8>>,
    skipped: Signal<Local, Bits<6>>,
    anew: Signal<Local, Bit>,
    ignored: Signal<Local, Bit>,
    /// The packet is the first that was seen of its segment; or one more.
    begins: Signal<Local, Bit>,
    goes_on: Signal<Local, Bit>,
    stays: Signal<Local, Bit>,
    open: Signal<Local, Bits<1>>,
    sums: Signal<Local, Bits<8>>,
    sum: Signal<Local, Bits<6>>,
    seen_now: Signal<Local, Bits<8>>,
    skipped_now: Signal<Local, Bits<6>>,
    at_most: Signal<Local, Bit>,
    complete: Signal<Local, Bit>,
    incomplete: Signal<Local, Bit>,
    /// An ACK tells what was skipped.
    tells: Signal<Local, Bit>,
    seen_then: Signal<Local, Bits<8>>,
    skipped_then: Signal<Local, Bits<6>>,
    segment_then: Signal<Local, Bits<16>>,
    then: Signal<Local, Part>,
    whole: Signal<Local, Row>,
    said: Signal<Local, Bits<8>>,
}

impl Logic for Table {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self, clk, sweep, wrote, wrote_row, word, wrote_kept, row_2, row_3, row_4, pair_2, pair_3, pair_4, looks_4, epoch_4, row_2_4
        );
        dff_setup!(
            self, clk, row_3_4, pair_2_4, epoch_5, fresh_5, again, from_its, from_kept, epoch_6, fresh, writes, kept, none, many, same
        );
        dff_setup!(self, clk, next_one, late, gap, far, single, long, between_its, between_kept);
        for i in 0..2 {
            self.looks[i].clock.next = self.clk.val();
        }
        for i in 0..5 {
            self.arrival[i].clock.next = self.clk.val();
        }
        for i in 0..4 {
            self.ram[i].read_clock.next = self.clk.val();
            self.ram[i].write_clock.next = self.clk.val();
            self.wrote_way[i].clock.next = self.clk.val();
            self.read[i].clock.next = self.clk.val();
            self.hits[i].clock.next = self.clk.val();
            self.frees[i].clock.next = self.clk.val();
            self.held[i].clock.next = self.clk.val();
            self.way[i].clock.next = self.clk.val();
            self.entry_5[i].clock.next = self.clk.val();
            self.apart[i].clock.next = self.clk.val();
            self.between[i].clock.next = self.clk.val();
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
        self.three.next = self.arrival[1].q.val();
        self.four.next = self.arrival[2].q.val();
        self.five.next = self.arrival[3].q.val();
        self.six.next = self.arrival[4].q.val();
        for i in 0..4 {
            self.arrival[i + 1].d.next = self.arrival[i].q.val();
            self.read[i].d.next = self.ram[i].read_data.val();
            if (self.wrote.q.val() & self.wrote_way[i].q.val()) & (self.wrote_row.q.val() == self.two.val().row) {
                self.read[i].d.next = self.word.q.val().into();
            }
        }
        self.row_2.d.next = self.four.val().row == self.two.val().row;
        self.row_3.d.next = self.five.val().row == self.two.val().row;
        self.row_4.d.next = self.six.val().row == self.two.val().row;
        self.pair_2.d.next = self.four.val().pair == self.two.val().pair;
        self.pair_3.d.next = self.five.val().pair == self.two.val().pair;
        self.pair_4.d.next = self.six.val().pair == self.two.val().pair;

        // 3: whose the entries are, with those that were written since, and with the one that is
        // now.
        for i in 0..4 {
            self.held[i].d.next = self.read[i].q.val().get_bits::<30>(39);
            self.age[i].next = self.epoch.val() - self.read[i].q.val().get_bits::<2>(69);
            self.hits[i].d.next = self.read[i].q.val().get_bit(71) & (self.read[i].q.val().get_bits::<39>(0) == self.three.val().pair);
            self.frees[i].d.next = !self.read[i].q.val().get_bit(71) | self.age[i].val().get_bit(1);
            if self.row_4.q.val() & self.wrote_way[i].q.val() {
                self.held[i].d.next = self.word.q.val().part.into();
                self.hits[i].d.next = self.pair_4.q.val();
                self.frees[i].d.next = false;
            }
            if self.row_3.q.val() & self.ways[i].q.val() {
                self.hits[i].d.next = self.pair_3.q.val();
                self.frees[i].d.next = false;
            }
        }
        self.looks_4.d.next = self.looks[1].q.val() & self.welcome.val();
        self.epoch_4.d.next = self.epoch.val();
        self.row_2_4.d.next = self.row_2.q.val();
        self.row_3_4.d.next = self.row_3.q.val();
        self.pair_2_4.d.next = self.pair_2.q.val();

        // 4: one is chosen; how far the segment is ahead of each.
        self.segment_4.next = self.four.val().segment;
        self.segment_6.next = self.six.val().segment;
        self.low_4.next = self.segment_4.val().get_bits::<6>(0);
        self.low_6.next = self.segment_6.val().get_bits::<6>(0);
        for i in 0..4 {
            self.hit[i].next = self.hits[i].q.val();
            self.free[i].next = self.frees[i].q.val();
            if self.row_2_4.q.val() & self.ways[i].q.val() {
                self.hit[i].next = self.pair_2_4.q.val();
                self.free[i].next = false;
            }
            self.entry[i].next = self.held[i].q.val();
            if self.row_3_4.q.val() & self.wrote_way[i].q.val() {
                self.entry[i].next = self.word.q.val().part.into();
            }
            self.entry_5[i].d.next = self.entry[i].val();
            self.apart[i].d.next = self.four.val().segment - self.entry[i].val().get_bits::<16>(0);
            self.between[i].d.next = self.low_4.val() + !self.entry[i].val().get_bits::<6>(0);
        }
        self.hit_any.next = (self.hit[0].val() | self.hit[1].val()) | (self.hit[2].val() | self.hit[3].val());
        self.way[0].d.next = self.hit[0].val() | (!self.hit_any.val() & self.free[0].val());
        self.way[1].d.next = self.hit[1].val() | (!self.hit_any.val() & (self.free[1].val() & !self.free[0].val()));
        self.way[2].d.next = self.hit[2].val() | (!self.hit_any.val() & ((self.free[2].val() & !self.free[1].val()) & !self.free[0].val()));
        self.way[3].d.next = self.hit[3].val()
            | (!self.hit_any.val() & ((self.free[3].val() & !self.free[2].val()) & (!self.free[1].val() & !self.free[0].val())));
        if !self.looks_4.q.val() {
            for i in 0..4 {
                self.way[i].d.next = false;
            }
        }
        self.epoch_5.d.next = self.epoch_4.q.val();
        self.fresh_5.d.next =
            !self.hit_any.val() | ((self.four.val().low.any() & self.four.val().first.any()) & !self.four.val().segment.any());
        self.again.d.next = (self.row_2_4.q.val() & self.pair_2_4.q.val()) & self.writes.q.val();
        self.from_its.d.next = self.four.val().segment - self.six.val().segment;
        self.segment_kept.next = self.kept.q.val().segment;
        self.from_kept.d.next = self.four.val().segment - self.segment_kept.val();
        self.between_its.d.next = self.low_4.val() + !self.low_6.val();
        self.between_kept.d.next = self.low_4.val() + !self.segment_kept.val().get_bits::<6>(0);

        // 5: the entry, or that of the packet before, whose word was not there yet.
        self.parts[0].next = bits::<30>(0);
        self.aheads[0].next = bits::<16>(0);
        self.gaps[0].next = bits::<6>(0);
        for i in 0..4 {
            self.parts[i + 1].next = self.parts[i].val();
            self.aheads[i + 1].next = self.aheads[i].val();
            self.gaps[i + 1].next = self.gaps[i].val();
            if self.way[i].q.val() {
                self.parts[i + 1].next = self.parts[i].val() | self.entry_5[i].q.val();
                self.aheads[i + 1].next = self.aheads[i].val() | self.apart[i].q.val();
                self.gaps[i + 1].next = self.gaps[i].val() | self.between[i].q.val();
            }
            self.ways[i].d.next = self.way[i].q.val();
        }
        self.part.next = self.parts[4].val().into();
        self.distance.next = self.aheads[4].val();
        self.gap_5.next = self.gaps[4].val();
        if self.again.q.val() {
            self.part.next = self.word.q.val().part;
            self.distance.next = self.from_its.q.val();
            self.gap_5.next = self.between_its.q.val();
            if self.wrote_kept.q.val() {
                self.distance.next = self.from_kept.q.val();
                self.gap_5.next = self.between_kept.q.val();
            }
        }
        self.epoch_6.d.next = self.epoch_5.q.val();
        self.fresh.d.next = self.fresh_5.q.val();
        self.writes.d.next = (self.way[0].q.val() | self.way[1].q.val()) | (self.way[2].q.val() | self.way[3].q.val());
        self.kept.d.next = self.part.val();
        self.seen_5.next = self.part.val().seen;
        self.none.d.next = !self.seen_5.val().any();
        // One more is 255.
        self.many.d.next = self.seen_5.val().get_bits::<7>(1).all();
        self.same.d.next = !self.distance.val().any();
        self.next_one.d.next = self.distance.val().any() & !self.distance.val().get_bits::<6>(10).any();
        self.late.d.next = self.distance.val().get_bits::<6>(10).all();
        self.gap.d.next = self.gap_5.val();
        self.far.d.next = self.distance.val().get_bits::<4>(6).any();
        self.number_5.next = self.five.val().number;
        self.single.d.next = !self.number_5.val().any();
        self.long.d.next = self.number_5.val().get_bits::<8>(8).any();

        // 6: the packet is counted.
        self.number_6.next = self.six.val().number;
        self.seen.next = self.kept.q.val().seen;
        self.skipped.next = self.kept.q.val().skipped;
        self.anew.next = self.fresh.q.val() | !((self.same.q.val() | self.next_one.q.val()) | self.late.q.val());
        self.ignored.next = !self.anew.val() & (self.late.q.val() | (self.same.q.val() & self.none.q.val()));
        self.begins.next = self.next_one.q.val();
        if self.anew.val() {
            self.begins.next = self.six.val().first.any();
        }
        self.goes_on.next = (!self.anew.val() & !self.next_one.q.val()) & !self.many.q.val();
        self.stays.next = !self.anew.val() & !self.next_one.q.val();
        // The segments between, and the entry's own if it did not end: its bit is carried in.
        self.open.next = bits::<1>(1);
        if self.none.q.val() {
            self.open.next = bits::<1>(0);
        }
        self.sums.next = ((bit_cast::<8, 6>(self.gap.q.val()) << 1) | bits::<8>(1))
            + ((bit_cast::<8, 6>(self.skipped.val()) << 1) | bit_cast::<8, 1>(self.open.val()));
        self.sum.next = self.sums.val().get_bits::<6>(1);
        if self.far.q.val() | self.sums.val().get_bit(7) {
            self.sum.next = bits::<6>(63);
        }
        self.skipped_now.next = bits::<6>(0);
        if self.next_one.q.val() & !self.anew.val() {
            self.skipped_now.next = self.sum.val();
        }
        if self.stays.val() {
            self.skipped_now.next = self.skipped.val();
        }
        self.at_most.next = (self.seen.val() <= self.number_6.val().get_bits::<8>(0)) | self.long.q.val();
        self.complete.next = (self.begins.val() & self.single.q.val())
            | (self.goes_on.val() & ((self.seen.val() == self.number_6.val().get_bits::<8>(0)) & !self.long.q.val()));
        self.incomplete.next = (self.begins.val() & !self.single.q.val())
            | (self.goes_on.val() & ((self.seen.val() < self.number_6.val().get_bits::<8>(0)) | self.long.q.val()));
        self.tells.next = self.six.val().last.any() & (self.begins.val() | (self.goes_on.val() & self.at_most.val()));
        self.said.next = bits::<8>(0);
        if self.complete.val() {
            self.said.next = bit_cast::<8, 6>(self.skipped_now.val()) | bits::<8>(0x40);
        }
        if self.incomplete.val() {
            self.said.next = bit_cast::<8, 6>(self.skipped_now.val()) | bits::<8>(0x80);
        }
        self.loss.next = self.said.val();
        if self.ignored.val() {
            self.loss.next = bits::<8>(0);
        }
        self.segment_then.next = self.segment_6.val();
        self.seen_now.next = bits::<8>(255);
        if self.goes_on.val() {
            self.seen_now.next = self.seen.val() + bits::<8>(1);
        }
        if self.begins.val() {
            self.seen_now.next = bits::<8>(1);
        }
        self.seen_then.next = self.seen_now.val();
        if self.six.val().last.any() {
            self.seen_then.next = bits::<8>(0);
        }
        self.skipped_then.next = bits::<6>(0);
        if (self.next_one.q.val() & !self.anew.val()) & !self.tells.val() {
            self.skipped_then.next = self.sum.val();
        }
        if self.stays.val() & (self.ignored.val() | !self.tells.val()) {
            self.skipped_then.next = self.skipped.val();
        }
        if self.ignored.val() {
            self.segment_then.next = self.segment_kept.val();
            self.seen_then.next = self.seen.val();
        }
        self.then.next.segment = self.segment_then.val();
        self.then.next.seen = self.seen_then.val();
        self.then.next.skipped = self.skipped_then.val();
        self.whole.next.pair = self.six.val().pair;
        self.whole.next.part = self.then.val();
        self.whole.next.epoch = self.epoch_6.q.val();
        self.whole.next.valid = true;
        if !self.writes.q.val() {
            self.loss.next = bits::<8>(0);
        }
        self.wrote.d.next = self.writes.q.val();
        self.wrote_row.d.next = self.six.val().row;
        self.word.d.next = self.whole.val();
        self.wrote_kept.d.next = self.ignored.val();
        for i in 0..4 {
            self.wrote_way[i].d.next = self.ways[i].q.val();
            self.ram[i].write_enable.next = self.ways[i].q.val() | !self.clear.val();
            self.ram[i].write_address.next = self.six.val().row;
            self.ram[i].write_data.next = self.whole.val().into();
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
