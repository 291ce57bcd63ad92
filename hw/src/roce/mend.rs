//! AckReq set in a packet on its way, and its check sequence mended.
#![allow(missing_docs, reason = "a group of ports has one comment")]
use super::icrc::{after_zeros, register_row};
use crate::array::Array;
use crate::constant::Const;
use rust_hdl::prelude::*;
use timely_regs::roce::offset;
use timely_regs::wire::{Class, crc32};

/// Sets AckReq in packets that are chosen, on a bus of `W` bits; `K` must be `W / 8`, `N` `W / 64`.
///
/// A CRC is linear: a bit that changes adds to it what that bit and the zeros behind it make of a
/// register of 0, whatever else the packet holds. A table has this sum for check sequences in the
/// beat behind AckReq's, each later beat adds its bytes of zeros.
///
/// Latency: none, the beat's bytes pass a multiplexer. Throughput: a beat a clock. Back pressure:
/// passes. Model: `timely_model::roce::Mend`.
#[derive(LogicBlock, Default)]
pub struct Mend<const W: usize, const K: usize, const N: usize> {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    /// Beat that is offered, and whether it is taken.
    pub s_tdata: Signal<In, Bits<W>>,
    pub s_tlast: Signal<In, Bit>,
    pub s_taken: Signal<In, Bit>,
    /// With each beat of a packet: AckReq, which is 0, is to be set. The packet's class, and the
    /// byte at which its check sequence begins, in a later beat than AckReq, with nothing behind.
    pub s_asks: Signal<In, Bit>,
    pub s_class: Signal<In, Bits<2>>,
    pub s_place: Signal<In, Bits<14>>,
    /// The beat as it goes on.
    pub m_tdata: Signal<Out, Bits<W>>,
    /// By class: AckReq in its beat, that beat, and where the class begins in the table.
    flip: [Const<Bits<W>>; 4],
    ack_beat: [Const<Bits<11>>; 4],
    part: [Const<Bits<6>>; 4],
    /// By class, and by where in a beat the sequence begins: the sum for one in the beat behind
    /// AckReq's.
    sums: Array<Const<Bits<32>>, K>,
    row: [Const<Bits<32>>; 32],
    /// Bits of a place within a beat, and how many.
    offset_bits: Const<Bits<14>>,
    beat_bits: Const<Bits<14>>,
    /// Lanes of 64 bits, in which a sequence begins 2 or 6 bytes from the start.
    lane: Array<Const<Bits<16>>, N>,
    /// The last of these places: two bytes of the sequence are in the next beat.
    last_slot: Const<Bits<6>>,
    beat: DFF<Bits<11>>,
    delta: DFF<Bits<32>>,
    tail: DFF<Bits<16>>,
    ack_at: Signal<Local, Bits<11>>,
    flips: Signal<Local, Bits<W>>,
    base: Signal<Local, Bits<6>>,
    rest: Signal<Local, Bits<14>>,
    slot: Signal<Local, Bits<6>>,
    index: Signal<Local, Bits<6>>,
    first: Signal<Local, Bits<32>>,
    stepped: Array<Signal<Local, Bits<32>>, 33>,
    place_beat: Signal<Local, Bits<14>>,
    asks_here: Signal<Local, Bit>,
    ends_here: Signal<Local, Bit>,
    lane_of: Signal<Local, Bits<6>>,
    wide: Signal<Local, Bits<W>>,
    mask: Signal<Local, Bits<W>>,
}

/// The frame's byte with AckReq.
pub fn ack_byte(class: Class) -> usize {
    class.header() + offset::ACK_REQUEST
}

/// Sum that AckReq, set, adds to a sequence behind `zeros` other bytes.
fn sum(zeros: usize) -> u32 {
    after_zeros(crc32(0, 0x80), zeros)
}

impl<const W: usize, const K: usize, const N: usize> Mend<W, K, N> {
    /// The block with its constants.
    pub fn new() -> Self {
        assert!(matches!(W, 64 | 128 | 256 | 512) && K == W / 8 && N == W / 64, "a bus of {W} bits");
        let slots = K / 4;
        let number = |n: usize| Const::new(bits::<6>(n as u64));
        // A sequence begins 2 bytes behind a multiple of four: all headers and payloads but
        // Ethernet's are such multiples.
        let entry = |i: usize| (Class::ALL[i / slots], 4 * (i % slots) + 2);
        Self {
            flip: Class::ALL.map(|c| Const::new(bits::<W>(0x80) << bits::<16>(8 * (ack_byte(c) % K) as u64))),
            ack_beat: Class::ALL.map(|c| Const::new(bits::<11>((ack_byte(c) / K) as u64))),
            part: std::array::from_fn(|c| number(c * slots)),
            sums: Array::from_fn(|i| {
                let (class, at) = entry(i);
                Const::new(bits::<32>(sum(K + at - ack_byte(class) % K - 1).into()))
            }),
            row: std::array::from_fn(|j| Const::new(bits::<32>(register_row(j, K).into()))),
            offset_bits: Const::new(bits::<14>(K as u64 - 1)),
            beat_bits: Const::new(bits::<14>(K.ilog2().into())),
            lane: Array::from_fn(|i| Const::new(bits::<16>(64 * i as u64))),
            last_slot: number(slots - 1),
            ..Default::default()
        }
    }
}

impl<const W: usize, const K: usize, const N: usize> Logic for Mend<W, K, N> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, beat, delta, tail);
        self.ack_at.next = self.ack_beat[0].val();
        self.flips.next = self.flip[0].val();
        self.base.next = self.part[0].val();
        for i in 1..4 {
            if self.s_class.val().index() == i {
                self.ack_at.next = self.ack_beat[i].val();
                self.flips.next = self.flip[i].val();
                self.base.next = self.part[i].val();
            }
        }
        self.rest.next = (self.s_place.val() & self.offset_bits.val()) >> 2;
        self.slot.next = self.rest.val().get_bits::<6>(0);
        self.index.next = self.base.val() | self.slot.val();
        self.place_beat.next = self.s_place.val() >> self.beat_bits.val();
        self.asks_here.next = self.s_asks.val() & (self.beat.q.val() == self.ack_at.val());
        self.ends_here.next = self.s_asks.val() & (self.beat.q.val() == self.place_beat.val().get_bits::<11>(0));
        // What is added to the sequence, as its beat is offered.
        self.first.next = bits::<32>(0);
        for i in 0..K {
            if self.index.val().index() == i {
                self.first.next = self.sums[i].val();
            }
        }
        self.stepped[0].next = bits::<32>(0);
        for i in 0..32 {
            self.stepped[i + 1].next = self.stepped[i].val().replace_bit(i, (self.delta.q.val() & self.row[i].val()).xor());
        }
        if self.s_taken.val() {
            self.beat.d.next = self.beat.q.val() + bits::<11>(1);
            self.delta.d.next = self.stepped[32].val();
            if self.asks_here.val() {
                self.delta.d.next = self.first.val();
            }
            self.tail.d.next = bits::<16>(0);
            if self.ends_here.val() & (self.slot.val() == self.last_slot.val()) {
                self.tail.d.next = self.delta.q.val().get_bits::<16>(16);
            }
            if self.s_tlast.val() {
                self.beat.d.next = bits::<11>(0);
            }
        }
        self.wide.next = bit_cast::<W, 32>(self.delta.q.val()) << 16;
        if self.slot.val().get_bit(0) {
            self.wide.next = bit_cast::<W, 32>(self.delta.q.val()) << 48;
        }
        self.lane_of.next = self.slot.val() >> 1;
        self.mask.next = bit_cast::<W, 16>(self.tail.q.val());
        if self.ends_here.val() {
            for i in 0..N {
                if self.lane_of.val().index() == i {
                    self.mask.next = self.wide.val() << self.lane[i].val();
                }
            }
        }
        if self.asks_here.val() {
            self.mask.next = self.flips.val();
        }
        self.m_tdata.next = self.s_tdata.val() ^ self.mask.val();
        if self.rst.val() {
            self.beat.d.next = bits::<11>(0);
            self.tail.d.next = bits::<16>(0);
        }
    }
}
