//! A packet joins its flow's queue.
#![allow(missing_docs, reason = "a group of ports has one comment")]
use crate::bus::JoinOut;
use crate::constant::Const;
use crate::ram::ApartRam;
use rust_hdl::prelude::*;

/// For `2^F` flows and `2^C` cells (`N` must be `C + 1`, `T` one more than the larger of `F` and
/// `C`): which node a packet becomes.
///
/// A queue is a chain of nodes, the last of which is empty. A packet goes into that one, and a
/// fresh empty node behind it: so the side that puts packets in and the side that takes them out
/// know nothing of each other, and neither waits. Each flow has a node from the beginning, each
/// cell another: a packet brings the node of its first cell, and gives that cell the node that was
/// before it in exchange when it leaves.
///
/// Latency: 3 clocks from `i` to `o`. Throughput: one a clock, the same flow too.
#[derive(LogicBlock, Default)]
pub struct Joining<const F: usize, const C: usize, const N: usize, const T: usize> {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    /// The RAMs are filled.
    pub sweep: Signal<In, Bit>,
    /// With the flow and the cell of this number.
    pub sweep_at: Signal<In, Bits<T>>,
    /// A packet is whole.
    pub i_valid: Signal<In, Bit>,
    pub i_flow: Signal<In, Bits<F>>,
    pub i_cell: Signal<In, Bits<C>>,
    pub i_cells: Signal<In, Bits<6>>,
    /// A cell is given a node.
    pub node_valid: Signal<In, Bit>,
    pub node_cell: Signal<In, Bits<C>>,
    /// The node.
    pub node: Signal<In, Bits<T>>,
    /// Packets for queues.
    pub o: JoinOut<F, C, T>,
    /// Cells that joined the flow's queue since the sweep.
    pub o_joined: Signal<Out, Bits<N>>,
    // What is read while it is written is the third of the results below, or a cell that is free.
    tails: ApartRam<Bits<T>, F>,
    sums: ApartRam<Bits<N>, F>,
    nodes: ApartRam<Bits<T>, C>,
    upper: Const<Bits<T>>,
    valid: [DFF<Bit>; 2],
    flow: [DFF<Bits<F>>; 2],
    first: [DFF<Bits<C>>; 2],
    count: [DFF<Bits<6>>; 2],
    raw_tail: DFF<Bits<T>>,
    raw_sum: DFF<Bits<N>>,
    raw_node: DFF<Bits<T>>,
    /// The last three results, newest first: what the RAM did not show yet when the flow was read.
    done_valid: [DFF<Bit>; 3],
    done_flow: [DFF<Bits<F>>; 3],
    done_tail: [DFF<Bits<T>>; 3],
    done_sum: [DFF<Bits<N>>; 3],
    done_node: DFF<Bits<T>>,
    done_cell: DFF<Bits<C>>,
    done_cells: DFF<Bits<6>>,
    /// Result in `done` that is the flow's newest, from 1; 0 none.
    from: DFF<Bits<2>>,
    is_newest: Signal<Local, Bit>,
    is_second: Signal<Local, Bit>,
    is_third: Signal<Local, Bit>,
    old_tail: Signal<Local, Bits<T>>,
    old_sum: Signal<Local, Bits<N>>,
}

impl<const F: usize, const C: usize, const N: usize, const T: usize> Joining<F, C, N, T> {
    /// The block with its constants.
    pub fn new() -> Self {
        assert!(N == C + 1 && T == F.max(C) + 1, "widths of queues of 2^{F} flows and 2^{C} cells");
        Self { upper: Const::new(bits::<T>(1 << (T - 1))), ..Default::default() }
    }
}

impl<const F: usize, const C: usize, const N: usize, const T: usize> Logic for Joining<F, C, N, T> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, raw_tail, raw_sum, raw_node, done_node, done_cell, done_cells, from);
        for i in 0..2 {
            self.valid[i].clock.next = self.clk.val();
            self.flow[i].clock.next = self.clk.val();
            self.first[i].clock.next = self.clk.val();
            self.count[i].clock.next = self.clk.val();
        }
        for i in 0..3 {
            self.done_valid[i].clock.next = self.clk.val();
            self.done_flow[i].clock.next = self.clk.val();
            self.done_tail[i].clock.next = self.clk.val();
            self.done_sum[i].clock.next = self.clk.val();
        }
        self.tails.read_clock.next = self.clk.val();
        self.tails.write_clock.next = self.clk.val();
        self.sums.read_clock.next = self.clk.val();
        self.sums.write_clock.next = self.clk.val();
        self.nodes.read_clock.next = self.clk.val();
        self.nodes.write_clock.next = self.clk.val();
        // 1: read. 2: capture, and see which earlier results the RAM could not show. 3: link and
        // add.
        self.tails.read_address.next = self.i_flow.val();
        self.sums.read_address.next = self.i_flow.val();
        self.nodes.read_address.next = self.i_cell.val();
        self.valid[0].d.next = self.i_valid.val();
        self.flow[0].d.next = self.i_flow.val();
        self.first[0].d.next = self.i_cell.val();
        self.count[0].d.next = self.i_cells.val();
        self.valid[1].d.next = self.valid[0].q.val();
        self.flow[1].d.next = self.flow[0].q.val();
        self.first[1].d.next = self.first[0].q.val();
        self.count[1].d.next = self.count[0].q.val();
        self.raw_tail.d.next = self.tails.read_data.val();
        self.raw_sum.d.next = self.sums.read_data.val();
        self.raw_node.d.next = self.nodes.read_data.val();
        for i in 0..2 {
            self.done_valid[i + 1].d.next = self.done_valid[i].q.val();
            self.done_flow[i + 1].d.next = self.done_flow[i].q.val();
            self.done_tail[i + 1].d.next = self.done_tail[i].q.val();
            self.done_sum[i + 1].d.next = self.done_sum[i].q.val();
        }
        self.is_newest.next = self.valid[1].q.val() & (self.flow[0].q.val() == self.flow[1].q.val());
        self.is_second.next = self.done_valid[0].q.val() & (self.flow[0].q.val() == self.done_flow[0].q.val());
        self.is_third.next = self.done_valid[1].q.val() & (self.flow[0].q.val() == self.done_flow[1].q.val());
        self.from.d.next = bits::<2>(0);
        if self.is_newest.val() {
            self.from.d.next = bits::<2>(1);
        } else if self.is_second.val() {
            self.from.d.next = bits::<2>(2);
        } else if self.is_third.val() {
            self.from.d.next = bits::<2>(3);
        }
        self.old_tail.next = self.raw_tail.q.val();
        self.old_sum.next = self.raw_sum.q.val();
        if self.from.q.val() == bits::<2>(1) {
            self.old_tail.next = self.done_tail[0].q.val();
            self.old_sum.next = self.done_sum[0].q.val();
        } else if self.from.q.val() == bits::<2>(2) {
            self.old_tail.next = self.done_tail[1].q.val();
            self.old_sum.next = self.done_sum[1].q.val();
        } else if self.from.q.val() == bits::<2>(3) {
            self.old_tail.next = self.done_tail[2].q.val();
            self.old_sum.next = self.done_sum[2].q.val();
        }
        self.done_valid[0].d.next = self.valid[1].q.val();
        self.done_flow[0].d.next = self.flow[1].q.val();
        self.done_tail[0].d.next = self.raw_node.q.val();
        self.done_sum[0].d.next = self.old_sum.val() + bit_cast::<N, 6>(self.count[1].q.val());
        self.done_node.d.next = self.old_tail.val();
        self.done_cell.d.next = self.first[1].q.val();
        self.done_cells.d.next = self.count[1].q.val();
        // 4: write.
        self.tails.write_enable.next = self.done_valid[0].q.val() | self.sweep.val();
        self.tails.write_address.next = self.done_flow[0].q.val();
        self.tails.write_data.next = self.done_tail[0].q.val();
        self.sums.write_enable.next = self.done_valid[0].q.val() | self.sweep.val();
        self.sums.write_address.next = self.done_flow[0].q.val();
        self.sums.write_data.next = self.done_sum[0].q.val();
        self.nodes.write_enable.next = self.node_valid.val() | self.sweep.val();
        self.nodes.write_address.next = self.node_cell.val();
        self.nodes.write_data.next = self.node.val();
        if self.sweep.val() {
            self.tails.write_address.next = self.sweep_at.val().get_bits::<F>(0);
            self.tails.write_data.next = bit_cast::<T, F>(self.sweep_at.val().get_bits::<F>(0));
            self.sums.write_address.next = self.sweep_at.val().get_bits::<F>(0);
            self.sums.write_data.next = bits::<N>(0);
            self.nodes.write_address.next = self.sweep_at.val().get_bits::<C>(0);
            self.nodes.write_data.next = bit_cast::<T, C>(self.sweep_at.val().get_bits::<C>(0)) | self.upper.val();
        }
        self.o.valid.next = self.done_valid[0].q.val();
        self.o.flow.next = self.done_flow[0].q.val();
        self.o.node.next = self.done_node.q.val();
        self.o.cell.next = self.done_cell.q.val();
        self.o.cells.next = self.done_cells.q.val();
        self.o.tail.next = self.done_tail[0].q.val();
        self.o_joined.next = self.done_sum[0].q.val();
        if self.rst.val() {
            for i in 0..2 {
                self.valid[i].d.next = false;
            }
            for i in 0..3 {
                self.done_valid[i].d.next = false;
            }
        }
    }
}
