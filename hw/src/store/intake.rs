//! The way in: a packet's beats go into cells, or nowhere.
#![allow(missing_docs, reason = "a group of ports has one comment")]
use crate::bus::BeatWriteOut;
use crate::constant::Const;
use rust_hdl::prelude::*;
use timely_model::store::PACKET_CELLS;

/// A bus of `W` bits (`K` must be `W / 8`), cells of `2^B` beats, `2^C` of them (`A` must be
/// `C + B`, `N` `C + 1`), `2^F` flows, `M` bits beside a packet.
///
/// A packet is taken if its flow is open, holds fewer cells than its bound, and the longest packet
/// has room. One that is longer, or has a beat that lacks bytes, gives its cells back at that beat;
/// the rest of it is passed by. Latency: 4 clocks from a beat to its write, 5 from the last one to
/// `o`. Throughput: a beat a clock; always taken.
#[derive(LogicBlock, Default)]
pub struct Intake<
    const W: usize,
    const K: usize,
    const F: usize,
    const C: usize,
    const N: usize,
    const B: usize,
    const A: usize,
    const M: usize,
> {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    /// A beat.
    pub s_valid: Signal<In, Bit>,
    /// Bytes of the beat in wire order.
    pub s_data: Signal<In, Bits<W>>,
    pub s_keep: Signal<In, Bits<K>>,
    pub s_last: Signal<In, Bit>,
    /// With the first: the packet's flow.
    pub s_flow: Signal<In, Bits<F>>,
    /// With the first: what goes beside it.
    pub s_meta: Signal<In, Bits<M>>,
    /// With the first: the packet ends a segment.
    pub s_ends: Signal<In, Bit>,
    /// Cells of a flow that takes no packet more.
    pub bound: Signal<In, Bits<16>>,
    /// The flow may store packets; 3 clocks after the beat, like `held`.
    pub open: Signal<In, Bit>,
    /// Cells that the flow holds.
    pub held: Signal<In, Bits<N>>,
    /// Packets are taken although their flow is at its bound, which is said.
    pub waits: Signal<In, Bit>,
    /// A packet of this flow is taken beyond its bound.
    pub blocks: Signal<Out, Bit>,
    /// The flow.
    pub blocks_flow: Signal<Out, Bits<F>>,
    /// A packet's first beat was taken, not its last.
    pub midst: Signal<Out, Bit>,
    /// As `Free` has it.
    pub room: Signal<In, Bit>,
    /// As `Free` has it.
    pub at_hand: Signal<In, Bits<C>>,
    /// As `Free` has it.
    pub following: Signal<In, Bits<C>>,
    /// As `Free` has it.
    pub first: Signal<In, Bits<C>>,
    /// As `Free` has it.
    pub filled: Signal<In, Bits<6>>,
    /// The cell at hand is filled.
    pub take: Signal<Out, Bit>,
    /// The cell is its packet's last.
    pub take_last: Signal<Out, Bit>,
    /// The packet's cells are free again.
    pub back: Signal<Out, Bit>,
    /// Beats into cells.
    pub write: BeatWriteOut<W, A>,
    /// The cell at hand is followed by the one after it.
    pub link_valid: Signal<Out, Bit>,
    /// A packet is whole.
    pub o_valid: Signal<Out, Bit>,
    pub o_flow: Signal<Out, Bits<F>>,
    pub o_cell: Signal<Out, Bits<C>>,
    pub o_cells: Signal<Out, Bits<6>>,
    /// Bytes of the packet less one.
    pub o_bytes: Signal<Out, Bits<14>>,
    pub o_meta: Signal<Out, Bits<M>>,
    pub o_ends: Signal<Out, Bit>,
    /// A packet found no room.
    pub refused: Signal<Out, Bit>,
    /// A packet was too long or had a gap.
    pub malformed: Signal<Out, Bit>,
    full: Const<Bits<K>>,
    /// Bit j of the bytes of a keep that is a run: how many of these there are is odd.
    places: [Const<Bits<64>>; 7],
    beat_bytes: Const<Bits<14>>,
    most: Const<Bits<6>>,
    beat_bits: Const<Bits<4>>,
    midway: DFF<Bit>,
    valid: [DFF<Bit>; 4],
    data: [DFF<Bits<W>>; 4],
    last: [DFF<Bit>; 4],
    start: [DFF<Bit>; 4],
    flow: [DFF<Bits<F>>; 4],
    meta: [DFF<Bits<M>>; 4],
    ends: [DFF<Bit>; 4],
    keep: DFF<Bits<64>>,
    hole: DFF<Bit>,
    partial: DFF<Bit>,
    count: DFF<Bits<7>>,
    index: [DFF<Bits<7>>; 2],
    gap: [DFF<Bit>; 2],
    admit: DFF<Bit>,
    over: DFF<Bit>,
    below: Signal<Local, Bit>,
    /// The packet under way is written.
    taking: DFF<Bit>,
    beat: DFF<Bits<B>>,
    /// Bytes of its beats so far.
    sofar: DFF<Bits<14>>,
    done: DFF<Bit>,
    done_flow: DFF<Bits<F>>,
    done_cell: DFF<Bits<C>>,
    done_cells: DFF<Bits<6>>,
    done_bytes: DFF<Bits<14>>,
    done_meta: DFF<Bits<M>>,
    done_ends: DFF<Bit>,
    no_room: DFF<Bit>,
    spoilt: DFF<Bit>,
    above: Signal<Local, Bits<64>>,
    lacking: Signal<Local, Bits<64>>,
    odd: [Signal<Local, Bits<1>>; 7],
    wide: Signal<Local, Bits<17>>,
    takes: Signal<Local, Bit>,
    cell_over: Signal<Local, Bit>,
    too_long: Signal<Local, Bit>,
    ok: Signal<Local, Bit>,
    kill: Signal<Local, Bit>,
}

impl<const W: usize, const K: usize, const F: usize, const C: usize, const N: usize, const B: usize, const A: usize, const M: usize>
    Intake<W, K, F, C, N, B, A, M>
{
    /// The block with its constants.
    pub fn new() -> Self {
        assert!(W == 8 * K && A == C + B && N == C + 1 && K << B == 256, "widths of a store of {W} bits");
        let places = |j: usize| (1..=64u64).filter(|n| n.is_multiple_of(1 << j)).fold(0, |mask, n| mask | 1 << (n - 1));
        Self {
            full: Const::new(Bits::from(u64::MAX >> (64 - K))),
            beat_bytes: Const::new(bits::<14>(K as u64)),
            most: Const::new(bits::<6>(u64::from(PACKET_CELLS - 1))),
            beat_bits: Const::new(bits::<4>(B as u64)),
            places: std::array::from_fn(|j| Const::new(Bits::from(places(j)))),
            ..Default::default()
        }
    }
}

impl<const W: usize, const K: usize, const F: usize, const C: usize, const N: usize, const B: usize, const A: usize, const M: usize> Logic
    for Intake<W, K, F, C, N, B, A, M>
{
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, over, midway, keep, hole, partial, count, admit, taking, beat, sofar, done, done_flow, done_cell, done_cells);
        dff_setup!(self, clk, done_bytes, done_meta, done_ends, no_room, spoilt);
        for i in 0..4 {
            self.valid[i].clock.next = self.clk.val();
            self.data[i].clock.next = self.clk.val();
            self.last[i].clock.next = self.clk.val();
            self.start[i].clock.next = self.clk.val();
            self.flow[i].clock.next = self.clk.val();
            self.meta[i].clock.next = self.clk.val();
            self.ends[i].clock.next = self.clk.val();
        }
        for i in 0..2 {
            self.index[i].clock.next = self.clk.val();
            self.gap[i].clock.next = self.clk.val();
        }
        // 0
        self.valid[0].d.next = self.s_valid.val();
        self.data[0].d.next = self.s_data.val();
        self.keep.d.next = bit_cast::<64, K>(self.s_keep.val());
        self.last[0].d.next = self.s_last.val();
        self.start[0].d.next = !self.midway.q.val();
        self.flow[0].d.next = self.flow[0].q.val();
        self.meta[0].d.next = self.meta[0].q.val();
        self.ends[0].d.next = self.ends[0].q.val();
        if self.s_valid.val() {
            self.midway.d.next = !self.s_last.val();
            if !self.midway.q.val() {
                self.flow[0].d.next = self.s_flow.val();
                self.meta[0].d.next = self.s_meta.val();
                self.ends[0].d.next = self.s_ends.val();
            }
        }
        for i in 0..3 {
            self.valid[i + 1].d.next = self.valid[i].q.val();
            self.data[i + 1].d.next = self.data[i].q.val();
            self.last[i + 1].d.next = self.last[i].q.val();
            self.start[i + 1].d.next = self.start[i].q.val();
            self.flow[i + 1].d.next = self.flow[i].q.val();
            self.meta[i + 1].d.next = self.meta[i].q.val();
            self.ends[i + 1].d.next = self.ends[i].q.val();
        }
        // 1: is the keep a run from bit 0, and how long is it?
        self.above.next = self.keep.q.val() >> 1;
        self.lacking.next = !self.keep.q.val();
        self.hole.d.next = !self.keep.q.val().get_bit(0) | (self.above.val() & self.lacking.val()).any();
        self.partial.d.next = self.keep.q.val() != bit_cast::<64, K>(self.full.val());
        for i in 0..7 {
            self.odd[i].next = (self.keep.q.val() & self.places[i].val()).xor().into();
        }
        self.count.d.next = bit_cast::<7, 1>(self.odd[0].val())
            | (bit_cast::<7, 1>(self.odd[1].val()) << 1)
            | (bit_cast::<7, 1>(self.odd[2].val()) << 2)
            | (bit_cast::<7, 1>(self.odd[3].val()) << 3)
            | (bit_cast::<7, 1>(self.odd[4].val()) << 4)
            | (bit_cast::<7, 1>(self.odd[5].val()) << 5)
            | (bit_cast::<7, 1>(self.odd[6].val()) << 6);
        // 2: a beat that is not the last has to be full.
        self.gap[0].d.next = self.partial.q.val();
        if self.last[1].q.val() {
            self.gap[0].d.next = self.hole.q.val();
        }
        self.index[0].d.next = self.count.q.val() - bits::<7>(1);
        // 3: is there room?
        self.gap[1].d.next = self.gap[0].q.val();
        self.index[1].d.next = self.index[0].q.val();
        self.wide.next = bit_cast::<17, N>(self.held.val());
        self.below.next = self.wide.val() < bit_cast::<17, 16>(self.bound.val());
        self.admit.d.next = (self.open.val() & self.room.val()) & (self.below.val() | self.waits.val());
        self.over.d.next = (self.open.val() & self.waits.val()) & !self.below.val();
        // 4: write.
        self.blocks.next = self.valid[3].q.val() & self.start[3].q.val() & self.over.q.val();
        self.blocks_flow.next = self.flow[3].q.val();
        self.midst.next = self.midway.q.val();
        self.takes.next = self.taking.q.val();
        if self.start[3].q.val() {
            self.takes.next = self.admit.q.val();
        }
        self.cell_over.next = self.beat.q.val().all();
        self.too_long.next = self.cell_over.val() & !self.last[3].q.val() & (self.filled.val() == self.most.val());
        self.ok.next = (self.valid[3].q.val() & self.takes.val()) & !(self.gap[1].q.val() | self.too_long.val());
        self.kill.next = (self.valid[3].q.val() & self.takes.val()) & (self.gap[1].q.val() | self.too_long.val());
        if self.valid[3].q.val() {
            self.taking.d.next = self.ok.val() & !self.last[3].q.val();
        }
        if self.ok.val() {
            self.beat.d.next = self.beat.q.val() + bits::<B>(1);
            self.sofar.d.next = self.sofar.q.val() + self.beat_bytes.val();
        }
        if self.kill.val() | (self.ok.val() & self.last[3].q.val()) {
            self.beat.d.next = bits::<B>(0);
            self.sofar.d.next = bits::<14>(0);
        }
        self.take.next = self.ok.val() & (self.last[3].q.val() | self.cell_over.val());
        self.take_last.next = self.last[3].q.val();
        self.back.next = self.kill.val() & self.filled.val().any();
        self.write.valid.next = self.ok.val();
        self.write.at.next = (bit_cast::<A, C>(self.at_hand.val()) << self.beat_bits.val()) | bit_cast::<A, B>(self.beat.q.val());
        self.write.data.next = self.data[3].q.val();
        self.link_valid.next = self.ok.val() & !self.last[3].q.val() & self.cell_over.val();
        self.done.d.next = self.ok.val() & self.last[3].q.val();
        self.done_flow.d.next = self.flow[3].q.val();
        self.done_cell.d.next = self.at_hand.val();
        if self.filled.val().any() {
            self.done_cell.d.next = self.first.val();
        }
        self.done_cells.d.next = self.filled.val() + bits::<6>(1);
        self.done_bytes.d.next = self.sofar.q.val() + bit_cast::<14, 7>(self.index[1].q.val());
        self.done_meta.d.next = self.meta[3].q.val();
        self.done_ends.d.next = self.ends[3].q.val();
        self.no_room.d.next = self.valid[3].q.val() & self.start[3].q.val() & !self.admit.q.val();
        self.spoilt.d.next = self.kill.val();
        // 5
        self.o_valid.next = self.done.q.val();
        self.o_flow.next = self.done_flow.q.val();
        self.o_cell.next = self.done_cell.q.val();
        self.o_cells.next = self.done_cells.q.val();
        self.o_bytes.next = self.done_bytes.q.val();
        self.o_meta.next = self.done_meta.q.val();
        self.o_ends.next = self.done_ends.q.val();
        self.refused.next = self.no_room.q.val();
        self.malformed.next = self.spoilt.q.val();
        if self.rst.val() {
            for i in 0..4 {
                self.valid[i].d.next = false;
            }
            self.midway.d.next = false;
            self.taking.d.next = false;
            self.beat.d.next = bits::<B>(0);
            self.sofar.d.next = bits::<14>(0);
            self.done.d.next = false;
            self.no_room.d.next = false;
            self.spoilt.d.next = false;
        }
    }
}
