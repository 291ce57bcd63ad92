//! Bypass FIFO: drops whole frames while it is full, so that a receiver that stops holds up no
//! other.
#![allow(missing_docs, reason = "a group of ports has one comment")]
use crate::bus::MetaAxisOut;
use crate::constant::Const;
use crate::fifo::Fifo;
use rust_hdl::prelude::*;
use timely_model::inline::aside::{QUEUE, most};

// A kernel takes literals alone.
const _: () = assert!(QUEUE == 9);

/// A FIFO of whole frames (`W` bits, `K` must be `W / 8`, `E` `K + 1`, `M` bits beside each beat).
/// While it has no room for one of the longest frames, those that come are dropped. A frame of more
/// than 9,728 bytes that fills it ends with the beat that does, and counts as dropped.
///
/// Latency: 3 clocks. Throughput: a beat a clock. Back pressure: none.
/// Model: `timely_model::inline::aside::Aside`.
#[derive(LogicBlock, Default)]
pub struct Aside<const W: usize, const K: usize, const M: usize, const E: usize> {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    /// Beat: bytes in wire order, and their frame.
    pub s_tdata: Signal<In, Bits<W>>,
    pub s_tkeep: Signal<In, Bits<K>>,
    pub s_tvalid: Signal<In, Bit>,
    pub s_tlast: Signal<In, Bit>,
    pub s_meta: Signal<In, Bits<M>>,
    /// Frames that leave.
    pub m: MetaAxisOut<W, K, M>,
    /// A frame was dropped, or cut short: its last beat came a clock ago.
    pub dropped: Signal<Out, Bit>,
    bytes: Fifo<W, 9, 10>,
    // Last 1, keep.
    ends: Fifo<E, 9, 10>,
    metas: Fifo<M, 9, 10>,
    /// Beats that are inside.
    held: DFF<Bits<10>>,
    /// Inside a frame, and whether it is taken.
    begun: DFF<Bit>,
    taking: DFF<Bit>,
    drop: DFF<Bit>,
    most: Const<Bits<10>>,
    room: Signal<Local, Bit>,
    takes: Signal<Local, Bit>,
    fills: Signal<Local, Bit>,
    last: Signal<Local, Bit>,
    push: Signal<Local, Bit>,
    leaves: Signal<Local, Bit>,
    here: Signal<Local, Bit>,
    tail: Signal<Local, Bits<E>>,
}

impl<const W: usize, const K: usize, const M: usize, const E: usize> Aside<W, K, M, E> {
    /// The block with its constants.
    pub fn new() -> Self {
        assert!(W == 8 * K && E == K + 1, "widths of a queue of {W} bits");
        Self { most: Const::new(bits::<10>(most(W) as u64)), ..Default::default() }
    }
}

impl<const W: usize, const K: usize, const M: usize, const E: usize> Logic for Aside<W, K, M, E> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, held, begun, taking, drop);
        self.bytes.clk.next = self.clk.val();
        self.bytes.rst.next = self.rst.val();
        self.ends.clk.next = self.clk.val();
        self.ends.rst.next = self.rst.val();
        self.metas.clk.next = self.clk.val();
        self.metas.rst.next = self.rst.val();

        // A frame is taken or dropped by what is inside when its first beat comes.
        self.room.next = self.held.q.val() <= self.most.val();
        self.takes.next = (self.begun.q.val() & self.taking.q.val()) | (!self.begun.q.val() & self.room.val());
        // The beat that takes the last place is the last of a frame that would go on.
        self.fills.next = self.held.q.val() == bits::<10>(511);
        self.last.next = self.s_tlast.val() | self.fills.val();
        self.push.next = self.s_tvalid.val() & self.takes.val();
        self.drop.d.next = self.s_tvalid.val() & self.s_tlast.val() & !self.takes.val();
        if self.s_tvalid.val() {
            self.begun.d.next = !self.s_tlast.val();
            self.taking.d.next = self.takes.val() & !self.fills.val();
        }
        self.bytes.i_valid.next = self.push.val();
        self.bytes.i_data.next = self.s_tdata.val();
        self.ends.i_valid.next = self.push.val();
        self.ends.i_data.next = (bit_cast::<E, K>(self.s_tkeep.val()) << 1) | bit_cast::<E, 1>(self.last.val().into());
        self.metas.i_valid.next = self.push.val();
        self.metas.i_data.next = self.s_meta.val();
        self.dropped.next = self.drop.q.val();

        // All three move as one.
        self.here.next = self.bytes.o_valid.val() & self.ends.o_valid.val() & self.metas.o_valid.val();
        self.leaves.next = self.here.val() & self.m.tready.val();
        if self.push.val() & !self.leaves.val() {
            self.held.d.next = self.held.q.val() + bits::<10>(1);
        }
        if self.leaves.val() & !self.push.val() {
            self.held.d.next = self.held.q.val() - bits::<10>(1);
        }
        self.bytes.o_ready.next = self.leaves.val();
        self.ends.o_ready.next = self.leaves.val();
        self.metas.o_ready.next = self.leaves.val();
        self.tail.next = self.ends.o_data.val();
        self.m.tvalid.next = self.here.val();
        self.m.tdata.next = self.bytes.o_data.val();
        self.m.tkeep.next = self.tail.val().get_bits::<K>(1);
        self.m.tlast.next = self.tail.val().get_bit(0);
        self.m.meta.next = self.metas.o_data.val();
        if self.rst.val() {
            self.held.d.next = bits::<10>(0);
            self.begun.d.next = false;
            self.drop.d.next = false;
        }
    }
}
