//! The places of keys: hashes and flows in two choices of a bucket of eight.
#![allow(missing_docs, reason = "a group of ports has one comment")]
use crate::constant::Const;
use crate::ram::ApartRam;
use rust_hdl::prelude::*;
use timely_model::queue_pairs::WAYS;

// A kernel takes literals alone.
const _: () = assert!(WAYS == 8);

/// `2^(F + 1)` places; `B` must be `F - 3`.
///
/// A slot's hash at clock 0, its match at clock 5. A slot that writes does so at clock 0 and reads
/// nothing, so that no word is read while it is written.
///
/// A place is a word of 36 bits at any size: bit 0 taken, `F` bits of flow, and the hash without
/// the bits that are its bucket's number. The second bucket's number is the hash turned right by
/// `B` bits.
#[derive(LogicBlock, Default)]
pub(super) struct Places<const F: usize, const B: usize> {
    pub clk: Signal<In, Clock>,
    /// The RAMs are being cleared, at this address.
    pub sweep: Signal<In, Bit>,
    pub sweep_at: Signal<In, Bits<B>>,
    /// Clock 0.
    pub hash: Signal<In, Bits<32>>,
    pub writes: Signal<In, Bit>,
    pub place: Signal<In, Bits<4>>,
    pub live: Signal<In, Bit>,
    pub flow: Signal<In, Bits<F>>,
    /// Clock 5: a place has the hash; its flow; there is room for another; where the hash is, or
    /// goes.
    pub o_same: Signal<Out, Bit>,
    pub o_flow: Signal<Out, Bits<F>>,
    pub o_room: Signal<Out, Bit>,
    pub o_place: Signal<Out, Bits<4>>,
    rams: [ApartRam<Bits<36>, B>; 16],
    bucket_bits: Const<Bits<6>>,
    other_bits: Const<Bits<6>>,
    rest_at: Const<Bits<6>>,
    numbers: [Const<Bits<4>>; 16],
    /// Of the first choice and of the second.
    turned: Signal<Local, Bits<32>>,
    rests: [Signal<Local, Bits<32>>; 2],
    wide_rests: [Signal<Local, Bits<36>>; 2],
    mark: Signal<Local, Bits<36>>,
    word: [Signal<Local, Bits<36>>; 2],
    at: [Signal<Local, Bits<B>>; 2],
    chosen: Signal<Local, Bits<16>>,
    rest1: [DFF<Bits<36>>; 2],
    rest2: [DFF<Bits<36>>; 2],
    raw2: [DFF<Bits<36>>; 16],
    tops: [Signal<Local, Bits<36>>; 16],
    same3: [DFF<Bit>; 16],
    live3: [DFF<Bit>; 16],
    flow3: [DFF<Bits<F>>; 16],
    flows: [Signal<Local, Bits<F>>; 16],
    places: [Signal<Local, Bits<4>>; 16],
    any4: [DFF<Bit>; 4],
    flow4: [DFF<Bits<F>>; 4],
    place4: [DFF<Bits<4>>; 4],
    /// Places taken of each half of a bucket.
    taken4: [DFF<Bits<4>>; 4],
    lives: [Signal<Local, Bits<4>>; 16],
    free4: [DFF<Bits<3>>; 2],
    count: [Signal<Local, Bits<4>>; 2],
    same5: DFF<Bit>,
    flow5: DFF<Bits<F>>,
    room5: DFF<Bit>,
    place5: DFF<Bits<4>>,
}

impl<const F: usize, const B: usize> Places<F, B> {
    /// The block with its constants.
    pub(super) fn new() -> Self {
        assert!(B + 3 == F && F <= 16, "2^(F + 1) places are 16 times 2^B");
        Self {
            bucket_bits: Const::new(bits::<6>(B as u64)),
            other_bits: Const::new(bits::<6>(32 - B as u64)),
            rest_at: Const::new(bits::<6>(F as u64 + 1)),
            numbers: std::array::from_fn(|i| Const::new(bits::<4>(i as u64))),
            ..Default::default()
        }
    }
}

impl<const F: usize, const B: usize> Logic for Places<F, B> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, same5, flow5, room5, place5);
        for i in 0..2 {
            self.rest1[i].clock.next = self.clk.val();
            self.rest2[i].clock.next = self.clk.val();
            self.free4[i].clock.next = self.clk.val();
        }
        for i in 0..4 {
            self.any4[i].clock.next = self.clk.val();
            self.flow4[i].clock.next = self.clk.val();
            self.place4[i].clock.next = self.clk.val();
            self.taken4[i].clock.next = self.clk.val();
        }
        for i in 0..16 {
            self.raw2[i].clock.next = self.clk.val();
            self.same3[i].clock.next = self.clk.val();
            self.live3[i].clock.next = self.clk.val();
            self.flow3[i].clock.next = self.clk.val();
        }
        // 0: reads, or a write.
        self.turned.next = (self.hash.val() >> self.bucket_bits.val()) | (self.hash.val() << self.other_bits.val());
        self.rests[0].next = self.hash.val() >> self.bucket_bits.val();
        self.rests[1].next = self.turned.val() >> self.bucket_bits.val();
        self.at[0].next = self.hash.val().get_bits::<B>(0);
        self.at[1].next = self.turned.val().get_bits::<B>(0);
        self.mark.next = (bit_cast::<36, F>(self.flow.val()) << 1) | bit_cast::<36, 1>(self.live.val().into());
        self.chosen.next = bits::<16>(1) << self.place.val();
        self.wide_rests[0].next = bit_cast::<36, 32>(self.rests[0].val());
        self.wide_rests[1].next = bit_cast::<36, 32>(self.rests[1].val());
        for i in 0..2 {
            self.word[i].next = (self.wide_rests[i].val() << self.rest_at.val()) | self.mark.val();
            self.rest1[i].d.next = self.wide_rests[i].val();
            self.rest2[i].d.next = self.rest1[i].q.val();
        }
        for i in 0..8 {
            self.rams[i].read_address.next = self.at[0].val();
            self.rams[i].write_address.next = self.at[0].val();
            self.rams[i].write_data.next = self.word[0].val();
            self.rams[i + 8].read_address.next = self.at[1].val();
            self.rams[i + 8].write_address.next = self.at[1].val();
            self.rams[i + 8].write_data.next = self.word[1].val();
        }
        for i in 0..16 {
            self.rams[i].read_clock.next = self.clk.val();
            self.rams[i].write_clock.next = self.clk.val();
            self.rams[i].write_enable.next = self.sweep.val() | (self.writes.val() & self.chosen.val().get_bit(i));
            if self.sweep.val() {
                self.rams[i].write_address.next = self.sweep_at.val();
                self.rams[i].write_data.next = bits::<36>(0);
            }
            // 2: captured.
            self.raw2[i].d.next = self.rams[i].read_data.val();
            // 3: compared.
            self.tops[i].next = self.raw2[i].q.val() >> self.rest_at.val();
            self.live3[i].d.next = self.raw2[i].q.val().get_bit(0);
            self.flow3[i].d.next = self.raw2[i].q.val().get_bits::<F>(1);
        }
        for i in 0..8 {
            self.same3[i].d.next = self.raw2[i].q.val().get_bit(0) & (self.tops[i].val() == self.rest2[0].q.val());
            self.same3[i + 8].d.next = self.raw2[i + 8].q.val().get_bit(0) & (self.tops[i + 8].val() == self.rest2[1].q.val());
        }
        // 4: by fours. One place at most is the same, for a key of a hash that is there is refused.
        for i in 0..16 {
            self.flows[i].next = bits::<F>(0);
            self.places[i].next = bits::<4>(0);
            if self.same3[i].q.val() {
                self.flows[i].next = self.flow3[i].q.val();
                self.places[i].next = self.numbers[i].val();
            }
            self.lives[i].next = bits::<4>(0);
            if self.live3[i].q.val() {
                self.lives[i].next = bits::<4>(1);
            }
        }
        for i in 0..4 {
            self.any4[i].d.next = (self.same3[4 * i].q.val() | self.same3[4 * i + 1].q.val())
                | (self.same3[4 * i + 2].q.val() | self.same3[4 * i + 3].q.val());
            self.flow4[i].d.next =
                (self.flows[4 * i].val() | self.flows[4 * i + 1].val()) | (self.flows[4 * i + 2].val() | self.flows[4 * i + 3].val());
            self.place4[i].d.next =
                (self.places[4 * i].val() | self.places[4 * i + 1].val()) | (self.places[4 * i + 2].val() | self.places[4 * i + 3].val());
            self.taken4[i].d.next =
                (self.lives[4 * i].val() + self.lives[4 * i + 1].val()) + (self.lives[4 * i + 2].val() + self.lives[4 * i + 3].val());
        }
        for i in 0..2 {
            self.free4[i].d.next = bits::<3>(7);
            if !self.live3[8 * i + 6].q.val() {
                self.free4[i].d.next = bits::<3>(6);
            }
            if !self.live3[8 * i + 5].q.val() {
                self.free4[i].d.next = bits::<3>(5);
            }
            if !self.live3[8 * i + 4].q.val() {
                self.free4[i].d.next = bits::<3>(4);
            }
            if !self.live3[8 * i + 3].q.val() {
                self.free4[i].d.next = bits::<3>(3);
            }
            if !self.live3[8 * i + 2].q.val() {
                self.free4[i].d.next = bits::<3>(2);
            }
            if !self.live3[8 * i + 1].q.val() {
                self.free4[i].d.next = bits::<3>(1);
            }
            if !self.live3[8 * i].q.val() {
                self.free4[i].d.next = bits::<3>(0);
            }
            self.count[i].next = self.taken4[2 * i].q.val() + self.taken4[2 * i + 1].q.val();
        }
        // 5: the key's place, or the first free one of the emptier bucket.
        self.same5.d.next = (self.any4[0].q.val() | self.any4[1].q.val()) | (self.any4[2].q.val() | self.any4[3].q.val());
        self.flow5.d.next = (self.flow4[0].q.val() | self.flow4[1].q.val()) | (self.flow4[2].q.val() | self.flow4[3].q.val());
        self.room5.d.next = !(self.count[0].val().get_bit(3) & self.count[1].val().get_bit(3));
        if (self.any4[0].q.val() | self.any4[1].q.val()) | (self.any4[2].q.val() | self.any4[3].q.val()) {
            self.place5.d.next = (self.place4[0].q.val() | self.place4[1].q.val()) | (self.place4[2].q.val() | self.place4[3].q.val());
        } else if self.count[1].val() < self.count[0].val() {
            self.place5.d.next = bit_cast::<4, 3>(self.free4[1].q.val()) | bits::<4>(8);
        } else {
            self.place5.d.next = bit_cast::<4, 3>(self.free4[0].q.val());
        }
        self.o_same.next = self.same5.q.val();
        self.o_flow.next = self.flow5.q.val();
        self.o_room.next = self.room5.q.val();
        self.o_place.next = self.place5.q.val();
    }
}
