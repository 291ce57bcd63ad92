//! The ring of free cells.
#![allow(missing_docs, reason = "a group of ports has one comment")]
use crate::constant::Const;
use rust_hdl::prelude::*;
use timely_model::store::{AMPLE, ROOM};

/// `2^C` cells (`N` must be `C + 1`) in a RAM, the next one in a register before it, the one after
/// that at the RAM's output.
///
/// The cells of the packet under way can come back at once, all of them: they stay in the ring
/// until the packet's last one is taken, so that it is enough to read from the old place on. `room`
/// says that the longest packet will find its cells; a packet that does not begin without it never
/// waits for one.
///
/// Latency: a cell that comes back can be taken 4 clocks later. Throughput: one in and one out a
/// clock, with or without a return.
#[derive(LogicBlock, Default)]
pub struct Free<const C: usize, const N: usize> {
    pub clk: Signal<In, Clock>,
    /// Cell `sweep_at` is put in its place, a clock each.
    pub sweep: Signal<In, Bit>,
    /// The cell.
    pub sweep_at: Signal<In, Bits<C>>,
    /// The cell at hand is filled.
    pub take: Signal<In, Bit>,
    /// The cell is its packet's last.
    pub take_last: Signal<In, Bit>,
    /// The cells of the packet under way are free again; never with `take`.
    pub back: Signal<In, Bit>,
    /// A cell comes back.
    pub push_valid: Signal<In, Bit>,
    pub push_cell: Signal<In, Bits<C>>,
    /// The cell at hand.
    pub at_hand: Signal<Out, Bits<C>>,
    /// The one after it.
    pub following: Signal<Out, Bits<C>>,
    /// The first that the packet under way has taken.
    pub first: Signal<Out, Bits<C>>,
    /// Cells that the packet under way has taken.
    pub filled: Signal<Out, Bits<6>>,
    /// The longest packet finds its cells.
    pub room: Signal<Out, Bit>,
    /// The packets that come before a waiting input stops find their cells as well.
    pub ample: Signal<Out, Bit>,
    ram: RAM<Bits<C>, C>,
    all: Const<Bits<N>>,
    least: Const<Bits<N>>,
    much: Const<Bits<N>>,
    /// Cells in the RAM.
    fill: DFF<Bits<N>>,
    write: DFF<Bits<C>>,
    /// Place of the oldest cell, and of the one after it.
    read: DFF<Bits<C>>,
    after: DFF<Bits<C>>,
    /// The RAM shows the oldest.
    pending: DFF<Bit>,
    out_valid: DFF<Bit>,
    out: DFF<Bits<C>>,
    taken: DFF<Bits<6>>,
    /// Of the packet under way: its first cell, and where its second was read, with the place after
    /// that.
    head: DFF<Bits<C>>,
    old_read: DFF<Bits<C>>,
    old_after: DFF<Bits<C>>,
    enough: DFF<Bit>,
    plenty: DFF<Bit>,
    moved: Signal<Local, Bit>,
    address: Signal<Local, Bits<C>>,
    returned: Signal<Local, Bits<N>>,
}

impl<const C: usize, const N: usize> Free<C, N> {
    /// The block with its constants.
    pub fn new() -> Self {
        assert!(N == C + 1 && C >= 6, "2^{C} cells are counted in {N} bits: at least 64, and one bit more");
        Self {
            all: Const::new(bits::<N>(1 << C)),
            least: Const::new(bits::<N>(u64::from(ROOM))),
            much: Const::new(bits::<N>(u64::from(AMPLE))),
            ..Default::default()
        }
    }
}

impl<const C: usize, const N: usize> Logic for Free<C, N> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, fill, write, read, after, pending, out_valid, out, taken, head, old_read, old_after, enough, plenty);
        self.ram.read_clock.next = self.clk.val();
        self.ram.write_clock.next = self.clk.val();
        self.ram.write_enable.next = self.push_valid.val() | self.sweep.val();
        self.ram.write_address.next = self.write.q.val();
        self.ram.write_data.next = self.push_cell.val();
        if self.push_valid.val() {
            self.write.d.next = self.write.q.val() + bits::<C>(1);
        }
        self.enough.d.next = self.fill.q.val() >= self.least.val();
        self.plenty.d.next = self.fill.q.val() >= self.much.val();
        // The oldest in the RAM comes to hand, and the one behind it is read; or it is read once
        // more.
        self.moved.next = self.pending.q.val() & (!self.out_valid.q.val() | self.take.val());
        self.address.next = self.read.q.val();
        self.pending.d.next = self.fill.q.val().any();
        if self.moved.val() {
            self.address.next = self.after.q.val();
            self.after.d.next = self.after.q.val() + bits::<C>(1);
            self.pending.d.next = self.fill.q.val().get_bits::<C>(1).any();
            self.out_valid.d.next = true;
            self.out.d.next = self.ram.read_data.val();
        } else if self.take.val() {
            self.out_valid.d.next = false;
        }
        self.returned.next = bit_cast::<N, 6>(self.taken.q.val());
        if self.push_valid.val() {
            self.returned.next = bit_cast::<N, 6>(self.taken.q.val()) + bits::<N>(1);
        }
        if self.push_valid.val() & !self.moved.val() {
            self.fill.d.next = self.fill.q.val() + bits::<N>(1);
        }
        if self.moved.val() & !self.push_valid.val() {
            self.fill.d.next = self.fill.q.val() - bits::<N>(1);
        }
        if self.take.val() {
            self.taken.d.next = self.taken.q.val() + bits::<6>(1);
            if self.take_last.val() {
                self.taken.d.next = bits::<6>(0);
            }
            if !self.taken.q.val().any() {
                self.head.d.next = self.out.q.val();
                self.old_read.d.next = self.read.q.val();
                self.old_after.d.next = self.after.q.val();
            }
        }
        if self.back.val() {
            self.taken.d.next = bits::<6>(0);
            self.fill.d.next = self.fill.q.val() + self.returned.val();
            self.address.next = self.old_read.q.val();
            self.after.d.next = self.old_after.q.val();
            self.pending.d.next = true;
            self.out.d.next = self.head.q.val();
        }
        self.ram.read_address.next = self.address.val();
        self.read.d.next = self.address.val();
        self.at_hand.next = self.out.q.val();
        self.following.next = self.ram.read_data.val();
        self.first.next = self.head.q.val();
        self.filled.next = self.taken.q.val();
        self.room.next = self.enough.q.val();
        self.ample.next = self.plenty.q.val();
        if self.sweep.val() {
            self.ram.write_address.next = self.sweep_at.val();
            self.ram.write_data.next = self.sweep_at.val();
            self.fill.d.next = self.all.val();
            self.write.d.next = bits::<C>(0);
            self.read.d.next = bits::<C>(0);
            self.after.d.next = bits::<C>(1);
            self.pending.d.next = false;
            self.out_valid.d.next = false;
            self.taken.d.next = bits::<6>(0);
            self.enough.d.next = false;
            self.plenty.d.next = false;
        }
    }
}
