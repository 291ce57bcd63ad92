//! A packet leaves its flow's queue.
#![allow(missing_docs, reason = "a group of ports has one comment")]
use crate::bus::JoinIn;
use crate::pacer::delay::Delay;
use crate::ram::ApartRam;
use rust_hdl::prelude::*;

/// For `2^F` flows and `2^C` cells (`N` must be `C + 1`, `T` one more than the larger of `F` and
/// `C`), `M` bits beside a packet: looks at the flow's oldest node and takes the packet out, if
/// there is one; for a visit, only if the flow may not keep it.
///
/// Latency: 5 clocks from `i` to `o`; `outcome` 2 clocks after `i`. Throughput: one a clock, but of
/// one flow each third clock: the source of flows keeps to that.
#[derive(LogicBlock, Default)]
pub struct Leaving<const F: usize, const C: usize, const N: usize, const T: usize, const M: usize> {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    /// The RAMs are filled.
    pub sweep: Signal<In, Bit>,
    /// With the flow of this number.
    pub sweep_at: Signal<In, Bits<T>>,
    /// A flow to look at.
    pub i_valid: Signal<In, Bit>,
    pub i_flow: Signal<In, Bits<F>>,
    pub i_visit: Signal<In, Bit>,
    pub i_launch: Signal<In, Bits<64>>,
    /// A packet is whole: what is kept of it.
    pub info_valid: Signal<In, Bit>,
    pub info_cell: Signal<In, Bits<C>>,
    /// Bytes of the packet less one.
    pub info_bytes: Signal<In, Bits<14>>,
    pub info_meta: Signal<In, Bits<M>>,
    pub info_ends: Signal<In, Bit>,
    /// Packets for queues.
    pub join: JoinIn<F, C, T>,
    /// A record is loaded.
    pub load_valid: Signal<In, Bit>,
    pub load_flow: Signal<In, Bits<F>>,
    pub load_enable: Signal<In, Bit>,
    /// A flow's packets are to be discarded, or are.
    pub voids_valid: Signal<In, Bit>,
    pub voids_flow: Signal<In, Bits<F>>,
    /// The flow's packets are still to be discarded.
    pub voids: Signal<In, Bit>,
    /// A visit comes to its end.
    pub outcome_valid: Signal<Out, Bit>,
    pub outcome_flow: Signal<Out, Bits<F>>,
    pub outcome_found: Signal<Out, Bit>,
    /// No packet is left to discard, and the flow is enabled: until it is, a packet may still be on
    /// its way in.
    pub outcome_clear: Signal<Out, Bit>,
    /// A packet left: the node before it is its first cell's.
    pub node_valid: Signal<Out, Bit>,
    pub node_cell: Signal<Out, Bits<C>>,
    /// The node.
    pub node: Signal<Out, Bits<T>>,
    /// Flow of the packet that left.
    pub gone_flow: Signal<Out, Bits<F>>,
    /// Cells that left the flow's queue since the sweep.
    pub gone: Signal<Out, Bits<N>>,
    /// An `i` has its outcome.
    pub o_valid: Signal<Out, Bit>,
    /// Flow of the `i`.
    pub o_flow: Signal<Out, Bits<F>>,
    /// The `i` was a visit.
    pub o_visit: Signal<Out, Bit>,
    pub o_found: Signal<Out, Bit>,
    pub o_cell: Signal<Out, Bits<C>>,
    /// Bytes of the packet less one.
    pub o_bytes: Signal<Out, Bits<14>>,
    pub o_meta: Signal<Out, Bits<M>>,
    pub o_ends: Signal<Out, Bit>,
    pub o_launch: Signal<Out, Bits<64>>,
    // A flow is looked at each third clock, and its head and sum are written before the next look.
    // A node that is written is empty for looks of the clock before, which take nothing; a cell
    // that is written is no packet of a queue.
    heads: ApartRam<Bits<T>, F>,
    tails: RAM<Bits<T>, F>,
    sums: ApartRam<Bits<N>, F>,
    enabled: RAM<Bits<1>, F>,
    voided: RAM<Bits<1>, F>,
    // A node: the packet's first cell, its cells, the next node.
    cells: ApartRam<Bits<C>, T>,
    counts: ApartRam<Bits<6>, T>,
    links: ApartRam<Bits<T>, T>,
    // Bytes less one 14, ends a segment.
    lengths: ApartRam<Bits<15>, C>,
    metas: ApartRam<Bits<M>, C>,
    launches: Delay<64, 5>,
    valid: [DFF<Bit>; 5],
    visit: [DFF<Bit>; 5],
    flow: [DFF<Bits<F>>; 5],
    /// From the second clock on: the node, and what the flow is.
    old: [DFF<Bits<T>>; 2],
    empty: DFF<Bit>,
    shut: DFF<Bit>,
    stale: DFF<Bit>,
    lives: DFF<Bit>,
    found: [DFF<Bit>; 3],
    first: [DFF<Bits<C>>; 3],
    count: DFF<Bits<6>>,
    length: DFF<Bits<15>>,
    meta: DFF<Bits<M>>,
    take: Signal<Local, Bit>,
    sum: Signal<Local, Bits<N>>,
}

impl<const F: usize, const C: usize, const N: usize, const T: usize, const M: usize> Logic for Leaving<F, C, N, T, M> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, empty, shut, stale, lives, count, length, meta);
        for i in 0..5 {
            self.valid[i].clock.next = self.clk.val();
            self.visit[i].clock.next = self.clk.val();
            self.flow[i].clock.next = self.clk.val();
        }
        for i in 0..3 {
            self.found[i].clock.next = self.clk.val();
            self.first[i].clock.next = self.clk.val();
        }
        self.old[0].clock.next = self.clk.val();
        self.old[1].clock.next = self.clk.val();
        self.heads.read_clock.next = self.clk.val();
        self.heads.write_clock.next = self.clk.val();
        self.tails.read_clock.next = self.clk.val();
        self.tails.write_clock.next = self.clk.val();
        self.sums.read_clock.next = self.clk.val();
        self.sums.write_clock.next = self.clk.val();
        self.enabled.read_clock.next = self.clk.val();
        self.enabled.write_clock.next = self.clk.val();
        self.voided.read_clock.next = self.clk.val();
        self.voided.write_clock.next = self.clk.val();
        self.cells.read_clock.next = self.clk.val();
        self.cells.write_clock.next = self.clk.val();
        self.counts.read_clock.next = self.clk.val();
        self.counts.write_clock.next = self.clk.val();
        self.links.read_clock.next = self.clk.val();
        self.links.write_clock.next = self.clk.val();
        self.lengths.read_clock.next = self.clk.val();
        self.lengths.write_clock.next = self.clk.val();
        self.metas.read_clock.next = self.clk.val();
        self.metas.write_clock.next = self.clk.val();
        self.launches.clk.next = self.clk.val();
        self.launches.i.next = self.i_launch.val();

        // 0: read the flow.
        self.heads.read_address.next = self.i_flow.val();
        self.tails.read_address.next = self.i_flow.val();
        self.enabled.read_address.next = self.i_flow.val();
        self.voided.read_address.next = self.i_flow.val();
        self.valid[0].d.next = self.i_valid.val();
        self.visit[0].d.next = self.i_visit.val();
        self.flow[0].d.next = self.i_flow.val();
        for i in 0..4 {
            self.valid[i + 1].d.next = self.valid[i].q.val();
            self.visit[i + 1].d.next = self.visit[i].q.val();
            self.flow[i + 1].d.next = self.flow[i].q.val();
        }
        // 1: read the node.
        self.cells.read_address.next = self.heads.read_data.val();
        self.counts.read_address.next = self.heads.read_data.val();
        self.links.read_address.next = self.heads.read_data.val();
        self.old[0].d.next = self.heads.read_data.val();
        self.empty.d.next = self.heads.read_data.val() == self.tails.read_data.val();
        self.shut.d.next = !self.enabled.read_data.val().any() | self.voided.read_data.val().any();
        self.stale.d.next = self.voided.read_data.val().any();
        self.lives.d.next = self.enabled.read_data.val().any();
        // 2: take the packet.
        self.take.next = self.valid[1].q.val() & !self.empty.q.val() & (!self.visit[1].q.val() | self.shut.q.val());
        self.heads.write_enable.next = self.take.val() | self.sweep.val();
        self.heads.write_address.next = self.flow[1].q.val();
        self.heads.write_data.next = self.links.read_data.val();
        self.sums.read_address.next = self.flow[1].q.val();
        self.old[1].d.next = self.old[0].q.val();
        self.found[0].d.next = self.take.val();
        self.first[0].d.next = self.cells.read_data.val();
        self.count.d.next = self.counts.read_data.val();
        self.outcome_valid.next = self.valid[1].q.val() & self.visit[1].q.val();
        self.outcome_flow.next = self.flow[1].q.val();
        self.outcome_found.next = self.take.val();
        self.outcome_clear.next =
            (self.valid[1].q.val() & self.visit[1].q.val() & self.empty.q.val()) & (self.stale.q.val() & self.lives.q.val());
        // 3: the flow holds less; read the packet's length.
        self.sum.next = self.sums.read_data.val() + bit_cast::<N, 6>(self.count.q.val());
        self.sums.write_enable.next = self.found[0].q.val() | self.sweep.val();
        self.sums.write_address.next = self.flow[2].q.val();
        self.sums.write_data.next = self.sum.val();
        self.node_valid.next = self.found[0].q.val();
        self.node_cell.next = self.first[0].q.val();
        self.node.next = self.old[1].q.val();
        self.gone_flow.next = self.flow[2].q.val();
        self.gone.next = self.sum.val();
        self.lengths.read_address.next = self.first[0].q.val();
        self.metas.read_address.next = self.first[0].q.val();
        for i in 0..2 {
            self.found[i + 1].d.next = self.found[i].q.val();
            self.first[i + 1].d.next = self.first[i].q.val();
        }
        // 4: capture.
        self.length.d.next = self.lengths.read_data.val();
        self.meta.d.next = self.metas.read_data.val();
        // 5
        self.o_valid.next = self.valid[4].q.val();
        self.o_flow.next = self.flow[4].q.val();
        self.o_visit.next = self.visit[4].q.val();
        self.o_found.next = self.found[2].q.val();
        self.o_cell.next = self.first[2].q.val();
        self.o_bytes.next = self.length.q.val().get_bits::<14>(0);
        self.o_ends.next = self.length.q.val().get_bit(14);
        self.o_meta.next = self.meta.q.val();
        self.o_launch.next = self.launches.o.val();

        // Writes by other blocks.
        self.tails.write_enable.next = self.join.valid.val() | self.sweep.val();
        self.tails.write_address.next = self.join.flow.val();
        self.tails.write_data.next = self.join.tail.val();
        self.cells.write_enable.next = self.join.valid.val();
        self.cells.write_address.next = self.join.node.val();
        self.cells.write_data.next = self.join.cell.val();
        self.counts.write_enable.next = self.join.valid.val();
        self.counts.write_address.next = self.join.node.val();
        self.counts.write_data.next = self.join.cells.val();
        self.links.write_enable.next = self.join.valid.val();
        self.links.write_address.next = self.join.node.val();
        self.links.write_data.next = self.join.tail.val();
        self.lengths.write_enable.next = self.info_valid.val();
        self.lengths.write_address.next = self.info_cell.val();
        self.lengths.write_data.next = bit_cast::<15, 14>(self.info_bytes.val()) | (bit_cast::<15, 1>(self.info_ends.val().into()) << 14);
        self.metas.write_enable.next = self.info_valid.val();
        self.metas.write_address.next = self.info_cell.val();
        self.metas.write_data.next = self.info_meta.val();
        self.enabled.write_enable.next = self.load_valid.val() | self.sweep.val();
        self.enabled.write_address.next = self.load_flow.val();
        self.enabled.write_data.next = self.load_enable.val().into();
        self.voided.write_enable.next = self.voids_valid.val() | self.sweep.val();
        self.voided.write_address.next = self.voids_flow.val();
        self.voided.write_data.next = self.voids.val().into();
        if self.sweep.val() {
            self.heads.write_address.next = self.sweep_at.val().get_bits::<F>(0);
            self.heads.write_data.next = bit_cast::<T, F>(self.sweep_at.val().get_bits::<F>(0));
            self.tails.write_address.next = self.sweep_at.val().get_bits::<F>(0);
            self.tails.write_data.next = bit_cast::<T, F>(self.sweep_at.val().get_bits::<F>(0));
            self.sums.write_address.next = self.sweep_at.val().get_bits::<F>(0);
            self.sums.write_data.next = bits::<N>(0);
            self.enabled.write_address.next = self.sweep_at.val().get_bits::<F>(0);
            self.enabled.write_data.next = bits::<1>(0);
            self.voided.write_address.next = self.sweep_at.val().get_bits::<F>(0);
            self.voided.write_data.next = bits::<1>(0);
        }
        if self.rst.val() {
            for i in 0..5 {
                self.valid[i].d.next = false;
            }
            for i in 0..3 {
                self.found[i].d.next = false;
            }
        }
    }
}
