//! The way out: packets beat by beat, their cells back to the free ones.
#![allow(missing_docs, reason = "a group of ports has one comment")]
use crate::bus::{BeatWriteIn, StoredAxisOut};
use crate::constant::Const;
use crate::fifo::Fifo;
use crate::store::cells::Cells;
use rust_hdl::prelude::*;

/// A bus of `W` bits (`K` must be `W / 8`), cells of `2^B` beats, `2^C` of them (`A` must be
/// `C + B`), `M` bits beside a packet (`S` must be `M + 88`): reads packets, or lets their cells
/// go.
///
/// Latency: 8 clocks from a packet that is taken to its first beat at `m`. Throughput: a beat a
/// clock, with no empty clock between packets; a packet that is discarded takes two clocks a cell.
/// Back pressure: 16 beats wait, then reading pauses.
#[derive(LogicBlock, Default)]
pub struct Reader<const W: usize, const K: usize, const C: usize, const B: usize, const A: usize, const M: usize, const S: usize> {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    /// A packet to read.
    pub i_valid: Signal<In, Bit>,
    pub i_ready: Signal<Out, Bit>,
    pub i_discard: Signal<In, Bit>,
    pub i_cell: Signal<In, Bits<C>>,
    /// Bytes of the packet less one.
    pub i_bytes: Signal<In, Bits<14>>,
    pub i_flow: Signal<In, Bits<16>>,
    pub i_launch: Signal<In, Bits<64>>,
    pub i_meta: Signal<In, Bits<M>>,
    /// Beats into cells.
    pub write: BeatWriteIn<W, A>,
    /// A cell is followed by another.
    pub link_valid: Signal<In, Bit>,
    pub link_cell: Signal<In, Bits<C>>,
    pub link_to: Signal<In, Bits<C>>,
    /// A cell is free.
    pub freed_valid: Signal<Out, Bit>,
    pub freed_cell: Signal<Out, Bits<C>>,
    /// A packet is discarded.
    pub voided: Signal<Out, Bit>,
    /// Packets that leave.
    pub m: StoredAxisOut<W, K, M>,
    data: Cells<Bits<W>, A>,
    links: RAM<Bits<C>, C>,
    bytes: Fifo<W, 4, 5>,
    // Last 1, index of the last byte 6, a bit free, flow 16, launch 64, what goes beside it.
    sides: Fifo<S, 4, 5>,
    beat_bits: Const<Bits<4>>,
    byte_bits: Const<Bits<4>>,
    full: Const<Bits<6>>,
    /// All bytes but the first.
    others: Const<Bits<K>>,
    /// A cell's last beat but one.
    late: Const<Bits<B>>,
    busy: DFF<Bit>,
    discard: DFF<Bit>,
    slot: DFF<Bits<C>>,
    fetched: DFF<Bit>,
    following: DFF<Bits<C>>,
    beat: DFF<Bits<B>>,
    /// Beats after this one; of a packet that is discarded, cells.
    left: DFF<Bits<11>>,
    /// No beat, or cell, comes after this one.
    last: DFF<Bit>,
    over: DFF<Bits<6>>,
    side: DFF<Bits<S>>,
    /// Beats read that have not left.
    beats: DFF<Bits<5>>,
    /// Beats on their way out of the cells, by clock.
    under_way: DFF<Bits<4>>,
    freed: DFF<Bit>,
    freed_at: DFF<Bits<C>>,
    void_pulse: DFF<Bit>,
    goes: Signal<Local, Bit>,
    cell_over: Signal<Local, Bit>,
    packet_over: Signal<Local, Bit>,
    load: Signal<Local, Bit>,
    leaves: Signal<Local, Bit>,
    count: Signal<Local, Bits<14>>,
    mask: Signal<Local, Bits<K>>,
    index: Signal<Local, Bits<6>>,
}

impl<const W: usize, const K: usize, const C: usize, const B: usize, const A: usize, const M: usize, const S: usize>
    Reader<W, K, C, B, A, M, S>
{
    /// The block with its constants.
    pub fn new() -> Self {
        assert!(W == 8 * K && A == C + B && K << B == 256 && S == M + 88, "widths of a store of {W} bits");
        Self {
            beat_bits: Const::new(bits::<4>(B as u64)),
            byte_bits: Const::new(bits::<4>(8 - B as u64)),
            full: Const::new(bits::<6>(K as u64 - 1)),
            others: Const::new(Bits::from((u64::MAX >> (64 - K)) - 1)),
            late: Const::new(bits::<B>((1 << B) - 2)),
            ..Default::default()
        }
    }
}

impl<const W: usize, const K: usize, const C: usize, const B: usize, const A: usize, const M: usize, const S: usize> Logic
    for Reader<W, K, C, B, A, M, S>
{
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, busy, discard, slot, fetched, following, beat, left, last, over, side, beats, under_way, freed, freed_at);
        dff_setup!(self, clk, void_pulse);
        self.data.clock.next = self.clk.val();
        self.links.read_clock.next = self.clk.val();
        self.links.write_clock.next = self.clk.val();
        self.bytes.clk.next = self.clk.val();
        self.bytes.rst.next = self.rst.val();
        self.sides.clk.next = self.clk.val();
        self.sides.rst.next = self.rst.val();
        self.data.write_enable.next = self.write.valid.val();
        self.data.write_address.next = self.write.at.val();
        self.data.write_data.next = self.write.data.val();
        self.links.write_enable.next = self.link_valid.val();
        self.links.write_address.next = self.link_cell.val();
        self.links.write_data.next = self.link_to.val();

        self.goes.next = self.busy.q.val() & (self.discard.q.val() | !self.beats.q.val().get_bit(4));
        self.cell_over.next = self.beat.q.val().all() | (self.last.q.val() & !self.discard.q.val());
        self.packet_over.next = self.goes.val() & self.cell_over.val() & self.last.q.val();
        self.load.next = self.i_valid.val() & (!self.busy.q.val() | self.packet_over.val());
        self.fetched.d.next = false;
        if self.fetched.q.val() {
            self.following.d.next = self.links.read_data.val();
        }
        self.links.read_address.next = self.following.q.val();
        if self.goes.val() {
            self.beat.d.next = self.beat.q.val() + bits::<B>(1);
            if self.cell_over.val() {
                self.slot.d.next = self.following.q.val();
                self.fetched.d.next = true;
                if self.discard.q.val() {
                    self.beat.d.next = self.late.val();
                }
            }
            if self.cell_over.val() | !self.discard.q.val() {
                self.left.d.next = self.left.q.val() - bits::<11>(1);
                self.last.d.next = self.left.q.val() == bits::<11>(1);
            }
        }
        if self.packet_over.val() {
            self.busy.d.next = false;
        }
        self.count.next = self.i_bytes.val() >> self.byte_bits.val();
        if self.load.val() {
            self.busy.d.next = true;
            self.discard.d.next = self.i_discard.val();
            self.slot.d.next = self.i_cell.val();
            self.fetched.d.next = true;
            self.links.read_address.next = self.i_cell.val();
            self.beat.d.next = bits::<B>(0);
            self.left.d.next = self.count.val().get_bits::<11>(0);
            self.last.d.next = !self.count.val().get_bits::<11>(0).any();
            if self.i_discard.val() {
                self.beat.d.next = self.late.val();
                self.left.d.next = bit_cast::<11, 6>(self.i_bytes.val().get_bits::<6>(8));
                self.last.d.next = !self.i_bytes.val().get_bits::<6>(8).any();
            }
            self.over.d.next = self.i_bytes.val().get_bits::<6>(0) & self.full.val();
            self.side.d.next = (bit_cast::<S, 16>(self.i_flow.val()) << 8)
                | (bit_cast::<S, 64>(self.i_launch.val()) << 24)
                | (bit_cast::<S, M>(self.i_meta.val()) << 88);
        }
        self.void_pulse.d.next = self.load.val() & self.i_discard.val();
        self.freed.d.next = self.goes.val() & self.cell_over.val();
        self.freed_at.d.next = self.slot.q.val();

        // A beat is read and put into the queue; what goes beside it is there before it.
        self.data.read_address.next = (bit_cast::<A, C>(self.slot.q.val()) << self.beat_bits.val()) | bit_cast::<A, B>(self.beat.q.val());
        self.under_way.d.next = self.under_way.q.val() << 1;
        if self.goes.val() & !self.discard.q.val() {
            self.under_way.d.next = (self.under_way.q.val() << 1) | bits::<4>(1);
        }
        self.bytes.i_valid.next = self.under_way.q.val().get_bit(3);
        self.bytes.i_data.next = self.data.read_data.val();
        self.sides.i_valid.next = self.goes.val() & !self.discard.q.val();
        self.index.next = self.full.val();
        if self.last.q.val() {
            self.index.next = self.over.q.val();
        }
        self.sides.i_data.next = self.side.q.val() | (bit_cast::<S, 6>(self.index.val()) << 1);
        if self.last.q.val() {
            self.sides.i_data.next = self.sides.i_data.val() | bits::<S>(1);
        }
        self.leaves.next = self.bytes.o_valid.val() & self.m.tready.val();
        self.bytes.o_ready.next = self.m.tready.val();
        self.sides.o_ready.next = self.leaves.val();
        if self.sides.i_valid.val() & !self.leaves.val() {
            self.beats.d.next = self.beats.q.val() + bits::<5>(1);
        }
        if self.leaves.val() & !self.sides.i_valid.val() {
            self.beats.d.next = self.beats.q.val() - bits::<5>(1);
        }
        self.mask.next = self.others.val() << self.sides.o_data.val().get_bits::<6>(1);
        self.m.tdata.next = self.bytes.o_data.val();
        self.m.tkeep.next = !self.mask.val();
        self.m.tvalid.next = self.bytes.o_valid.val();
        self.m.tlast.next = self.sides.o_data.val().get_bit(0);
        self.m.flow.next = self.sides.o_data.val().get_bits::<16>(8);
        self.m.launch.next = self.sides.o_data.val().get_bits::<64>(24);
        self.m.meta.next = self.sides.o_data.val().get_bits::<M>(88);
        self.i_ready.next = self.load.val();
        self.freed_valid.next = self.freed.q.val();
        self.freed_cell.next = self.freed_at.q.val();
        self.voided.next = self.void_pulse.q.val();
        if self.rst.val() {
            self.busy.d.next = false;
            self.fetched.d.next = false;
            self.beats.d.next = bits::<5>(0);
            self.under_way.d.next = bits::<4>(0);
            self.freed.d.next = false;
            self.void_pulse.d.next = false;
        }
    }
}
