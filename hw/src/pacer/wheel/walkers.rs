//! Two walkers follow the lists of slots that are over, and give out their flows.
#![allow(missing_docs, reason = "a group of ports has one comment")]
use crate::bus::FlowStreamOut;
use rust_hdl::prelude::*;

/// Link RAM, four lists read ahead, two walkers. `F` bits a flow; a node is `{flow, more}`,
/// `G = F + 1` bits, `more` at bit 0.
///
/// A walker gives out a flow every second clock along a list, and starts the next list without a
/// pause; together they give one a clock from two lists of any length.
#[derive(LogicBlock, Default)]
pub struct Walkers<const F: usize, const G: usize> {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    /// The head of a list is read at this clock, and will be at `node` at the next.
    pub issue: Signal<In, Bit>,
    /// The head RAM's output.
    pub node: Signal<In, Bits<G>>,
    /// A head may be read.
    pub room: Signal<Out, Bit>,
    /// A link is written.
    pub link_valid: Signal<In, Bit>,
    pub link_flow: Signal<In, Bits<F>>,
    pub link_node: Signal<In, Bits<G>>,
    /// Flows that are due.
    pub due: FlowStreamOut<F>,
    link: RAM<Bits<G>, F>,
    arrives: DFF<Bit>,
    /// Heads read or being read and not taken by a walker.
    count: DFF<Bits<3>>,
    lists: [DFF<Bits<G>>; 4],
    /// One bit a list.
    write: DFF<Bits<4>>,
    read: DFF<Bits<4>>,
    first: Signal<Local, Bits<G>>,
    any: Signal<Local, Bit>,
    take: Signal<Local, Bit>,
    /// A walker shows a flow; waits for a link; what it shows came from a link.
    shows: [DFF<Bit>; 2],
    comes: [DFF<Bit>; 2],
    linked: [DFF<Bit>; 2],
    from_list: [DFF<Bits<G>>; 2],
    from_link: [DFF<Bits<G>>; 2],
    current: [Signal<Local, Bits<G>>; 2],
    leaves: [Signal<Local, Bit>; 2],
    free: [Signal<Local, Bit>; 2],
    load: [Signal<Local, Bit>; 2],
    turn: DFF<Bit>,
    held: DFF<Bit>,
    last: DFF<Bit>,
    shown: Signal<Local, Bit>,
    valid: Signal<Local, Bit>,
    emit: Signal<Local, Bit>,
    out: Signal<Local, Bits<G>>,
}

impl<const F: usize, const G: usize> Logic for Walkers<F, G> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, arrives, count, write, read, turn, held, last);
        for i in 0..4 {
            self.lists[i].clock.next = self.clk.val();
            self.lists[i].d.next = self.lists[i].q.val();
        }
        for i in 0..2 {
            self.shows[i].clock.next = self.clk.val();
            self.shows[i].d.next = self.shows[i].q.val();
            self.comes[i].clock.next = self.clk.val();
            self.comes[i].d.next = false;
            self.linked[i].clock.next = self.clk.val();
            self.linked[i].d.next = self.linked[i].q.val();
            self.from_list[i].clock.next = self.clk.val();
            self.from_list[i].d.next = self.from_list[i].q.val();
            self.from_link[i].clock.next = self.clk.val();
            self.from_link[i].d.next = self.from_link[i].q.val();
        }
        // Which walker's flow is shown: the one whose turn it is, if it has one; what was shown and
        // not taken stays.
        for i in 0..2 {
            if self.linked[i].q.val() {
                self.current[i].next = self.from_link[i].q.val();
            } else {
                self.current[i].next = self.from_list[i].q.val();
            }
        }
        self.valid.next = self.shows[0].q.val() | self.shows[1].q.val();
        if self.held.q.val() {
            self.shown.next = self.last.q.val();
        } else {
            if self.turn.q.val() {
                self.shown.next = self.shows[1].q.val();
            } else {
                self.shown.next = !self.shows[0].q.val();
            }
        }
        if self.shown.val() {
            self.out.next = self.current[1].val();
        } else {
            self.out.next = self.current[0].val();
        }
        self.due.valid.next = self.valid.val();
        self.due.flow.next = self.out.val().get_bits::<F>(1);
        self.emit.next = self.valid.val() & self.due.ready.val();
        self.held.d.next = self.valid.val() & !self.due.ready.val();
        self.last.d.next = self.shown.val();
        if self.emit.val() {
            self.turn.d.next = !self.shown.val();
        }
        self.link.read_clock.next = self.clk.val();
        self.link.write_clock.next = self.clk.val();
        self.link.read_address.next = self.out.val().get_bits::<F>(1);
        self.link.write_enable.next = self.link_valid.val();
        self.link.write_address.next = self.link_flow.val();
        self.link.write_data.next = self.link_node.val();
        // Lists read ahead.
        for i in 0..4 {
            if self.arrives.q.val() & self.write.q.val().get_bit(i) {
                self.lists[i].d.next = self.node.val();
            }
        }
        self.first.next = bits::<G>(0);
        for i in 0..4 {
            if self.read.q.val().get_bit(i) {
                self.first.next = self.first.val() | self.lists[i].q.val();
            }
        }
        self.any.next = self.count.q.val().any() & !(self.arrives.q.val() & (self.count.q.val() == bits::<3>(1)));
        // The walkers.
        self.leaves[0].next = self.emit.val() & !self.shown.val();
        self.leaves[1].next = self.emit.val() & self.shown.val();
        for i in 0..2 {
            self.free[i].next = (!self.shows[i].q.val() & !self.comes[i].q.val()) | (self.leaves[i].val() & !self.out.val().get_bit(0));
        }
        self.take.next = self.any.val() & (self.free[0].val() | self.free[1].val());
        self.load[0].next = self.any.val() & self.free[0].val();
        self.load[1].next = self.any.val() & self.free[1].val() & !self.free[0].val();
        for i in 0..2 {
            if self.comes[i].q.val() {
                self.shows[i].d.next = true;
                self.linked[i].d.next = true;
                self.from_link[i].d.next = self.link.read_data.val();
            }
            if self.leaves[i].val() {
                self.shows[i].d.next = false;
                self.comes[i].d.next = self.out.val().get_bit(0);
            }
            if self.load[i].val() {
                self.shows[i].d.next = true;
                self.linked[i].d.next = false;
                self.from_list[i].d.next = self.first.val();
            }
        }
        if self.arrives.q.val() {
            self.write.d.next = (self.write.q.val() << 1) | (self.write.q.val() >> 3);
        }
        if self.take.val() {
            self.read.d.next = (self.read.q.val() << 1) | (self.read.q.val() >> 3);
        }
        self.arrives.d.next = self.issue.val();
        if self.issue.val() & !self.take.val() {
            self.count.d.next = self.count.q.val() + bits::<3>(1);
        }
        if self.take.val() & !self.issue.val() {
            self.count.d.next = self.count.q.val() - bits::<3>(1);
        }
        self.room.next = !self.count.q.val().get_bit(2);
        if self.rst.val() {
            self.arrives.d.next = false;
            self.count.d.next = bits::<3>(0);
            self.write.d.next = bits::<4>(1);
            self.read.d.next = bits::<4>(1);
            self.turn.d.next = false;
            self.held.d.next = false;
            for i in 0..2 {
                self.shows[i].d.next = false;
                self.comes[i].d.next = false;
            }
        }
    }
}
