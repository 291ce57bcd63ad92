//! Bitmap of the slots that hold a list, the two words of it that the drain works on, and the
//! find-first-set over them.
#![allow(missing_docs, reason = "a group of ports has one comment")]
use super::first::First;
use rust_hdl::prelude::*;

/// A bit a slot in words of 16. `X` bits a slot, `A = X - 4` bits a word.
///
/// The RAM has one writer, the insert. The drain clears a word by its tag alone: a word counts if
/// its tag equals the tag RAM's, which only the drain writes. Both RAMs are doubled, so that insert
/// and drain read at every clock and never wait for each other.
///
/// Insert: slot at `insert_slot`, 3 clocks later whether a list was there at `occupied`. Drain: a
/// word that holds nothing takes 5 clocks.
#[derive(LogicBlock, Default)]
pub struct Bitmap<const X: usize, const A: usize> {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    /// The sweep is at work, at this word, and the time starts from `start`.
    pub sweeping: Signal<In, Bit>,
    /// The word to clear.
    pub sweep_word: Signal<In, Bits<A>>,
    /// The word that the drain will begin with.
    pub start: Signal<In, Bits<A>>,
    /// A flow goes into this slot.
    pub insert_valid: Signal<In, Bit>,
    pub insert_slot: Signal<In, Bits<X>>,
    /// Three clocks later: an insert, its slot, and whether a list was there.
    pub placed: Signal<Out, Bit>,
    /// Slot of the insert.
    pub placed_slot: Signal<Out, Bits<X>>,
    /// `placed_slot` holds a list already.
    pub occupied: Signal<Out, Bit>,
    /// Slots from the drain's word on that are over.
    pub over: Signal<In, Bits<X>>,
    /// The word under the drain.
    pub word: Signal<Out, Bits<A>>,
    /// A slot that holds a list and is over; its bit is cleared.
    pub list_valid: Signal<Out, Bit>,
    pub list_slot: Signal<Out, Bits<X>>,
    pub list_ready: Signal<In, Bit>,
    insert_ram: RAM<Bits<17>, A>,
    drain_ram: RAM<Bits<17>, A>,
    /// Of 2^14 words, of which `2^A` are used, so that they are block RAM.
    insert_tags: RAM<Bit, 14>,
    drain_tags: RAM<Bit, 14>,
    // The insert: 3 the RAM's output, 4 the word is made, 5 it is written.
    v3: DFF<Bit>,
    v4: DFF<Bit>,
    v5: DFF<Bit>,
    s3: DFF<Bits<X>>,
    s4: DFF<Bits<X>>,
    s5: DFF<Bits<X>>,
    a6: DFF<Bits<A>>,
    one4: DFF<Bits<16>>,
    raw4: DFF<Bits<17>>,
    tag4: DFF<Bit>,
    tag5: DFF<Bit>,
    /// The word one, two, three inserts ahead is the same.
    same: [DFF<Bit>; 3],
    in_cur4: DFF<Bit>,
    in_next4: DFF<Bit>,
    /// The words that were written last, newest first, and whether they were.
    wrote: [DFF<Bit>; 3],
    words: [DFF<Bits<16>>; 3],
    occupied5: DFF<Bit>,
    a3: Signal<Local, Bits<A>>,
    stored: Signal<Local, Bits<16>>,
    newer: [Signal<Local, Bit>; 3],
    counts: [Signal<Local, Bit>; 3],
    hit_words: [Signal<Local, Bit>; 3],
    in_stored: Signal<Local, Bit>,
    raw_counts: Signal<Local, Bit>,
    hit_raw: Signal<Local, Bit>,
    hit_cur: Signal<Local, Bit>,
    hit_next: Signal<Local, Bit>,
    set_cur: Signal<Local, Bits<16>>,
    set_next: Signal<Local, Bits<16>>,
    // The drain.
    cur: DFF<Bits<16>>,
    next: DFF<Bits<16>>,
    word0: DFF<Bits<A>>,
    word1: DFF<Bits<A>>,
    word2: DFF<Bits<A>>,
    /// Clocks since the drain came to its word, up to 4: from then on `next` is complete.
    age: DFF<Bits<3>>,
    raw: DFF<Bits<17>>,
    tag: DFF<Bit>,
    merged: Signal<Local, Bits<16>>,
    go: Signal<Local, Bit>,
    move_found: Signal<Local, Bit>,
    advance: Signal<Local, Bit>,
    found: DFF<Bit>,
    found_one: DFF<Bits<16>>,
    reading: DFF<Bit>,
    reading_bit: DFF<Bits<4>>,
    pick: First,
    picked: Signal<Local, Bits<16>>,
    wide: Signal<Local, Bits<A>>,
}

impl<const X: usize, const A: usize> Logic for Bitmap<X, A> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, v3, v4, v5, s3, s4, s5, a6, one4, raw4, tag4, tag5, in_cur4, in_next4, occupied5);
        dff_setup!(self, clk, cur, next, word0, word1, word2, age, raw, tag, found, found_one, reading, reading_bit);
        for i in 0..3 {
            self.same[i].clock.next = self.clk.val();
            self.wrote[i].clock.next = self.clk.val();
            self.words[i].clock.next = self.clk.val();
        }
        self.insert_ram.read_clock.next = self.clk.val();
        self.insert_ram.write_clock.next = self.clk.val();
        self.drain_ram.read_clock.next = self.clk.val();
        self.drain_ram.write_clock.next = self.clk.val();
        self.insert_tags.read_clock.next = self.clk.val();
        self.insert_tags.write_clock.next = self.clk.val();
        self.drain_tags.read_clock.next = self.clk.val();
        self.drain_tags.write_clock.next = self.clk.val();
        // The drain goes on when all of its word is over and given out, and the next word is
        // complete.
        self.wide.next = self.over.val().get_bits::<A>(4);
        self.advance.next = (self.age.q.val() == bits::<3>(4))
            & self.wide.val().any()
            & !self.cur.q.val().any()
            & !self.found.q.val()
            & !self.reading.q.val()
            & !self.sweeping.val();
        // Insert 2: read.
        self.insert_ram.read_address.next = self.insert_slot.val().get_bits::<A>(4);
        self.insert_tags.read_address.next = bit_cast::<14, A>(self.insert_slot.val().get_bits::<A>(4));
        self.v3.d.next = self.insert_valid.val();
        self.s3.d.next = self.insert_slot.val();
        // Insert 3: the RAM's output is captured raw; where the newest copy of the word will be.
        self.a3.next = self.s3.q.val().get_bits::<A>(4);
        self.v4.d.next = self.v3.q.val();
        self.s4.d.next = self.s3.q.val();
        self.one4.d.next = bits::<16>(1) << self.s3.q.val().get_bits::<4>(0);
        self.raw4.d.next = self.insert_ram.read_data.val();
        self.tag4.d.next = self.insert_tags.read_data.val();
        self.same[0].d.next = self.a3.val() == self.s4.q.val().get_bits::<A>(4);
        self.same[1].d.next = self.a3.val() == self.s5.q.val().get_bits::<A>(4);
        self.same[2].d.next = self.a3.val() == self.a6.q.val();
        if self.advance.val() {
            self.in_cur4.d.next = self.v3.q.val() & (self.a3.val() == self.word1.q.val());
            self.in_next4.d.next = self.v3.q.val() & (self.a3.val() == self.word2.q.val());
        } else {
            self.in_cur4.d.next = self.v3.q.val() & (self.a3.val() == self.word0.q.val());
            self.in_next4.d.next = self.v3.q.val() & (self.a3.val() == self.word1.q.val());
        }
        // Insert 4: the newest copy of the word, the bit tested and set.
        self.stored.next = bits::<16>(0);
        if self.raw4.q.val().get_bit(0) == self.tag4.q.val() {
            self.stored.next = self.raw4.q.val().get_bits::<16>(1);
        }
        if self.same[2].q.val() & self.wrote[2].q.val() {
            self.stored.next = self.words[2].q.val();
        }
        if self.same[1].q.val() & self.wrote[1].q.val() {
            self.stored.next = self.words[1].q.val();
        }
        if self.same[0].q.val() & self.wrote[0].q.val() {
            self.stored.next = self.words[0].q.val();
        }
        // Whether the bit is set, in each copy beside the others: which of them count is known by
        // then.
        for i in 0..3 {
            self.newer[i].next = self.same[i].q.val() & self.wrote[i].q.val();
            self.hit_words[i].next = (self.words[i].q.val() & self.one4.q.val()).any();
        }
        self.hit_raw.next = (self.raw4.q.val().get_bits::<16>(1) & self.one4.q.val()).any();
        self.hit_cur.next = (self.cur.q.val() & self.one4.q.val()).any();
        self.hit_next.next = (self.next.q.val() & self.one4.q.val()).any();
        self.in_stored.next = !self.in_cur4.q.val() & (!self.in_next4.q.val() | (self.age.q.val() != bits::<3>(4)));
        self.counts[0].next = self.in_stored.val() & self.newer[0].val();
        self.counts[1].next = (self.in_stored.val() & self.newer[1].val()) & !self.newer[0].val();
        self.counts[2].next = (self.in_stored.val() & self.newer[2].val()) & !(self.newer[0].val() | self.newer[1].val());
        self.raw_counts.next = (self.in_stored.val() & (self.raw4.q.val().get_bit(0) == self.tag4.q.val()))
            & !(self.newer[0].val() | self.newer[1].val() | self.newer[2].val());
        self.occupied5.d.next = ((self.counts[0].val() & self.hit_words[0].val()) | (self.counts[1].val() & self.hit_words[1].val()))
            | ((self.counts[2].val() & self.hit_words[2].val()) | (self.raw_counts.val() & self.hit_raw.val()))
            | ((self.in_cur4.q.val() & self.hit_cur.val()) | (self.in_next4.q.val() & self.hit_next.val()));
        self.v5.d.next = self.v4.q.val();
        self.s5.d.next = self.s4.q.val();
        self.tag5.d.next = self.tag4.q.val();
        self.words[0].d.next = self.stored.val() | self.one4.q.val();
        self.wrote[0].d.next = self.v4.q.val() & !self.in_cur4.q.val() & !self.in_next4.q.val();
        self.words[1].d.next = self.words[0].q.val();
        self.wrote[1].d.next = self.wrote[0].q.val();
        self.words[2].d.next = self.words[1].q.val();
        self.wrote[2].d.next = self.wrote[1].q.val();
        self.set_cur.next = bits::<16>(0);
        if self.in_cur4.q.val() {
            self.set_cur.next = self.one4.q.val();
        }
        self.set_next.next = bits::<16>(0);
        if self.in_next4.q.val() {
            self.set_next.next = self.one4.q.val();
        }
        // Insert 5: write.
        self.a6.d.next = self.s5.q.val().get_bits::<A>(4);
        self.insert_ram.write_enable.next = self.wrote[0].q.val();
        self.insert_ram.write_address.next = self.s5.q.val().get_bits::<A>(4);
        self.insert_ram.write_data.next = (bit_cast::<17, 16>(self.words[0].q.val()) << 1) | bit_cast::<17, 1>(self.tag5.q.val().into());
        self.drain_ram.write_enable.next = self.wrote[0].q.val();
        self.drain_ram.write_address.next = self.s5.q.val().get_bits::<A>(4);
        self.drain_ram.write_data.next = (bit_cast::<17, 16>(self.words[0].q.val()) << 1) | bit_cast::<17, 1>(self.tag5.q.val().into());
        self.placed.next = self.v5.q.val();
        self.placed_slot.next = self.s5.q.val();
        self.occupied.next = self.occupied5.q.val();
        // The drain's next word: an insert that missed the register has been written when it is
        // read, two clocks after the advance.
        self.drain_ram.read_address.next = self.word1.q.val();
        self.drain_tags.read_address.next = bit_cast::<14, A>(self.word1.q.val());
        self.raw.d.next = self.drain_ram.read_data.val();
        self.tag.d.next = self.drain_tags.read_data.val();
        self.merged.next = self.next.q.val() | self.set_next.val();
        if (self.age.q.val() == bits::<3>(3)) & (self.raw.q.val().get_bit(0) == self.tag.q.val()) {
            self.merged.next = self.next.q.val() | self.set_next.val() | self.raw.q.val().get_bits::<16>(1);
        }
        self.insert_tags.write_enable.next = self.age.q.val() == bits::<3>(3);
        self.insert_tags.write_address.next = bit_cast::<14, A>(self.word1.q.val());
        self.insert_tags.write_data.next = !self.raw.q.val().get_bit(0);
        self.drain_tags.write_enable.next = self.age.q.val() == bits::<3>(3);
        self.drain_tags.write_address.next = bit_cast::<14, A>(self.word1.q.val());
        self.drain_tags.write_data.next = !self.raw.q.val().get_bit(0);
        // Find: the lowest bit among those that are over goes to `found`, then as a number to
        // `reading`.
        self.move_found.next = !self.reading.q.val() | self.list_ready.val();
        self.go.next = self.age.q.val().any() & (!self.found.q.val() | self.move_found.val());
        self.pick.word.next = self.cur.q.val();
        self.pick.below.next = self.over.val().get_bits::<4>(0);
        self.pick.all.next = self.wide.val().any();
        self.picked.next = bits::<16>(0);
        if self.go.val() {
            self.picked.next = self.pick.one.val();
        }
        if self.move_found.val() {
            self.reading.d.next = self.found.q.val();
        }
        self.pick.encode.next = self.found_one.q.val();
        if self.move_found.val() {
            self.reading_bit.d.next = self.pick.index.val();
        }
        if !self.found.q.val() | self.move_found.val() {
            self.found.d.next = self.go.val() & self.pick.some.val();
            self.found_one.d.next = self.picked.val();
        }
        self.list_valid.next = self.reading.q.val();
        self.list_slot.next = (bit_cast::<X, A>(self.word0.q.val()) << 4) | bit_cast::<X, 4>(self.reading_bit.q.val());
        self.cur.d.next = (self.cur.q.val() ^ self.picked.val()) | self.set_cur.val();
        self.next.d.next = self.merged.val();
        if self.age.q.val() != bits::<3>(4) {
            self.age.d.next = self.age.q.val() + bits::<3>(1);
        }
        if self.advance.val() {
            self.age.d.next = bits::<3>(0);
            self.cur.d.next = self.merged.val();
            self.next.d.next = bits::<16>(0);
            self.word0.d.next = self.word1.q.val();
            self.word1.d.next = self.word2.q.val();
            self.word2.d.next = self.word2.q.val() + bits::<A>(1);
        }
        self.word.next = self.word0.q.val();
        // The sweep: no word counts. What is written is 0 already.
        if self.sweeping.val() | self.rst.val() {
            self.words[0].d.next = bits::<16>(0);
            self.tag5.d.next = false;
        }
        if self.sweeping.val() {
            self.insert_ram.write_enable.next = true;
            self.insert_ram.write_address.next = self.sweep_word.val();
            self.drain_ram.write_enable.next = true;
            self.drain_ram.write_address.next = self.sweep_word.val();
            self.insert_tags.write_enable.next = true;
            self.insert_tags.write_address.next = bit_cast::<14, A>(self.sweep_word.val());
            self.insert_tags.write_data.next = true;
            self.drain_tags.write_enable.next = true;
            self.drain_tags.write_address.next = bit_cast::<14, A>(self.sweep_word.val());
            self.drain_tags.write_data.next = true;
            self.age.d.next = bits::<3>(0);
            self.word0.d.next = self.start.val();
            self.word1.d.next = self.start.val() + bits::<A>(1);
            self.word2.d.next = self.start.val() + bits::<A>(2);
            self.cur.d.next = bits::<16>(0);
            self.next.d.next = bits::<16>(0);
        }
        if self.rst.val() {
            self.v3.d.next = false;
            self.v4.d.next = false;
            self.v5.d.next = false;
            self.in_cur4.d.next = false;
            self.in_next4.d.next = false;
            self.found.d.next = false;
            self.reading.d.next = false;
            self.age.d.next = bits::<3>(0);
            self.cur.d.next = bits::<16>(0);
            self.next.d.next = bits::<16>(0);
            for i in 0..3 {
                self.wrote[i].d.next = false;
            }
        }
    }
}
