//! From beats to a frame's first 114 bytes, its length and its stamp: all that depends on the width
//! of the bus.
use crate::bus::ReceivedIn;
use crate::constant::Const;
use rust_hdl::prelude::*;

/// Words of 64 bits that hold the first 112 bytes.
const WORDS: usize = 14;

/// Registers the head of a frame as its beats arrive. With the last beat at clock `t`, `o_end`,
/// `o_head`, `o_stamp` and `o_bad` are the frame's at `t + 1`, and `o_bytes` and `o_broken` at
/// `t + 3`, for one clock each: the next frame may follow at once.
#[derive(LogicBlock, Default)]
pub(crate) struct Collect<const W: usize, const K: usize> {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    /// Received frames.
    pub s: ReceivedIn<W, K>,
    /// A frame ended.
    pub o_end: Signal<Out, Bit>,
    /// First 114 bytes of the frame.
    pub o_head: Signal<Out, Bits<912>>,
    pub o_stamp: Signal<Out, Bits<64>>,
    pub o_bad: Signal<Out, Bit>,
    /// Bytes of the frame; 65,536 or more stand for any more than 65,535.
    pub o_bytes: Signal<Out, Bits<17>>,
    /// The frame's `tkeep` was no measure.
    pub o_broken: Signal<Out, Bit>,
    /// Where in a beat the words of 512 bits are: those of a narrow beat come again.
    lane: [Const<Bits<9>>; 8],
    /// Words that the first beat fills, and by how many the next beat's are further on.
    first_words: Const<Bits<16>>,
    step: Const<Bits<16>>,
    full: Const<Bits<64>>,
    beat_bytes: Const<Bits<17>>,
    /// Bit `j` of a run's length is the parity of the run at every 2^j-th place.
    places: [Const<Bits<64>>; 7],
    word: [DFF<Bits<64>>; WORDS],
    /// The two bytes after them.
    last_word: DFF<Bits<16>>,
    /// The next beat is not a frame's first.
    midway: DFF<Bit>,
    /// The words that the next beat fills, if it is not the first.
    open: DFF<Bits<16>>,
    fills: Signal<Local, Bits<16>>,
    /// Bytes in front of the next beat; stays at 65,536 once there.
    seen: DFF<Bits<17>>,
    more: Signal<Local, Bits<17>>,
    valid1: DFF<Bit>,
    last1: DFF<Bit>,
    end1: DFF<Bit>,
    bad1: DFF<Bit>,
    keep1: DFF<Bits<64>>,
    seen1: DFF<Bits<17>>,
    stamp1: DFF<Bits<64>>,
    /// An earlier beat of the frame was not full.
    gap1: DFF<Bit>,
    /// Where the byte above is there, and where this one is not.
    above: Signal<Local, Bits<64>>,
    lacking: Signal<Local, Bits<64>>,
    odd: [Signal<Local, Bits<1>>; 7],
    count2: DFF<Bits<7>>,
    seen2: DFF<Bits<17>>,
    broken2: DFF<Bit>,
    bytes3: DFF<Bits<17>>,
    broken3: DFF<Bit>,
}

impl<const W: usize, const K: usize> Collect<W, K> {
    pub(crate) fn new() -> Self {
        let words = W / 64;
        let places = |j: usize| (1..=64u64).filter(|n| n.is_multiple_of(1 << j)).fold(0, |mask, n| mask | 1 << (n - 1));
        Self {
            lane: std::array::from_fn(|i| Const::new(bits::<9>(64 * (i % words) as u64))),
            first_words: Const::new(bits::<16>((1 << words) - 1)),
            step: Const::new(bits::<16>(words as u64)),
            full: Const::new(Bits::from(u64::MAX >> (64 - K))),
            beat_bytes: Const::new(bits::<17>(K as u64)),
            places: std::array::from_fn(|j| Const::new(Bits::from(places(j)))),
            ..Default::default()
        }
    }
}

impl<const W: usize, const K: usize> Logic for Collect<W, K> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, last_word, midway, open, seen, valid1, last1, end1, bad1, keep1, seen1, stamp1, gap1);
        dff_setup!(self, clk, count2, seen2, broken2, bytes3, broken3);
        for i in 0..14 {
            self.word[i].clock.next = self.clk.val();
            self.word[i].d.next = self.word[i].q.val();
        }
        // To clock t + 1: the beat into its words, wherever on a 512-bit bus it would stand.
        self.fills.next = self.first_words.val();
        if self.midway.q.val() {
            self.fills.next = self.open.q.val();
        }
        for i in 0..8 {
            if self.s.tvalid.val() & self.fills.val().get_bit(i) {
                self.word[i].d.next = self.s.tdata.val().get_bits::<64>(self.lane[i].val().index());
            }
        }
        for i in 0..6 {
            if self.s.tvalid.val() & self.fills.val().get_bit(i + 8) {
                self.word[i + 8].d.next = self.s.tdata.val().get_bits::<64>(self.lane[i].val().index());
            }
        }
        if self.s.tvalid.val() & self.fills.val().get_bit(14) {
            self.last_word.d.next = self.s.tdata.val().get_bits::<16>(self.lane[6].val().index());
        }
        self.more.next = self.seen.q.val() + self.beat_bytes.val();
        self.valid1.d.next = self.s.tvalid.val();
        self.end1.d.next = self.s.tvalid.val() & self.s.tlast.val();
        if self.s.tvalid.val() {
            self.last1.d.next = self.s.tlast.val();
            self.bad1.d.next = self.s.bad.val();
            self.keep1.d.next = bit_cast::<64, K>(self.s.tkeep.val());
            self.seen1.d.next = self.seen.q.val();
            if !self.midway.q.val() {
                self.stamp1.d.next = self.s.ts.val();
            }
            if self.s.tlast.val() {
                self.midway.d.next = false;
                self.seen.d.next = bits::<17>(0);
            } else {
                self.midway.d.next = true;
                self.open.d.next = self.fills.val() << self.step.val();
                if !self.seen.q.val().get_bit(16) {
                    self.seen.d.next = self.more.val();
                }
            }
        }
        // To t + 2: is the keep a run from bit 0, and how long is it? A beat that is not the last
        // has to be full.
        self.above.next = self.keep1.q.val() >> 1;
        self.lacking.next = !self.keep1.q.val();
        self.broken2.d.next = self.gap1.q.val() | !self.keep1.q.val().get_bit(0) | (self.above.val() & self.lacking.val()).any();
        if self.valid1.q.val() {
            if self.last1.q.val() {
                self.gap1.d.next = false;
            } else {
                self.gap1.d.next = self.gap1.q.val() | (self.keep1.q.val() != self.full.val());
            }
        }
        for i in 0..7 {
            self.odd[i].next = (self.keep1.q.val() & self.places[i].val()).xor().into();
        }
        self.count2.d.next = bit_cast::<7, 1>(self.odd[0].val())
            | (bit_cast::<7, 1>(self.odd[1].val()) << 1)
            | (bit_cast::<7, 1>(self.odd[2].val()) << 2)
            | (bit_cast::<7, 1>(self.odd[3].val()) << 3)
            | (bit_cast::<7, 1>(self.odd[4].val()) << 4)
            | (bit_cast::<7, 1>(self.odd[5].val()) << 5)
            | (bit_cast::<7, 1>(self.odd[6].val()) << 6);
        self.seen2.d.next = self.seen1.q.val();
        // To t + 3: the sum.
        self.bytes3.d.next = self.seen2.q.val() + bit_cast::<17, 7>(self.count2.q.val());
        self.broken3.d.next = self.broken2.q.val();
        self.o_end.next = self.end1.q.val();
        self.o_head.next = bit_cast::<912, 64>(self.word[0].q.val())
            | (bit_cast::<912, 64>(self.word[1].q.val()) << 64)
            | (bit_cast::<912, 64>(self.word[2].q.val()) << 128)
            | (bit_cast::<912, 64>(self.word[3].q.val()) << 192)
            | (bit_cast::<912, 64>(self.word[4].q.val()) << 256)
            | (bit_cast::<912, 64>(self.word[5].q.val()) << 320)
            | (bit_cast::<912, 64>(self.word[6].q.val()) << 384)
            | (bit_cast::<912, 64>(self.word[7].q.val()) << 448)
            | (bit_cast::<912, 64>(self.word[8].q.val()) << 512)
            | (bit_cast::<912, 64>(self.word[9].q.val()) << 576)
            | (bit_cast::<912, 64>(self.word[10].q.val()) << 640)
            | (bit_cast::<912, 64>(self.word[11].q.val()) << 704)
            | (bit_cast::<912, 64>(self.word[12].q.val()) << 768)
            | (bit_cast::<912, 64>(self.word[13].q.val()) << 832)
            | (bit_cast::<912, 16>(self.last_word.q.val()) << 896);
        self.o_stamp.next = self.stamp1.q.val();
        self.o_bad.next = self.bad1.q.val();
        self.o_bytes.next = self.bytes3.q.val();
        self.o_broken.next = self.broken3.q.val();
        if self.rst.val() {
            self.midway.d.next = false;
            self.seen.d.next = bits::<17>(0);
            self.gap1.d.next = false;
            self.valid1.d.next = false;
            self.end1.d.next = false;
        }
    }
}
