//! The queue of a host's packets that wait until each is judged, then go their ways.
#![allow(missing_docs, reason = "a group of ports has one comment")]
use crate::bus::{FlowStreamOut, MetaAxisIn};
use crate::constant::Const;
use crate::fifo::Fifo;
use rust_hdl::prelude::*;
use timely_model::inline::entry::QUEUE;
use timely_regs::link::LONGEST_FRAME;

const _: () = assert!(QUEUE == 9);

/// Holds up to 512 beats of packets (`W` bits, `K` must be `W / 8`), with `M` bits beside each
/// packet, until its way comes; `E` must be `K + 1`, `V` `F + 2`. A packet of more than 9,728 bytes
/// is cut there, and the parser told that it is bad.
///
/// Latency: a beat is offered 3 clocks later at the earliest, and as long behind its packet's way.
/// Throughput: a beat a clock. Back pressure: `s_tready` falls while 512 beats wait; a packet that
/// cannot go holds up those behind it. Model: `Waiting` in `timely_model::inline`.
#[derive(LogicBlock, Default)]
pub struct Waiting<const W: usize, const K: usize, const F: usize, const M: usize, const E: usize, const V: usize> {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    /// Frames of the host.
    pub s: MetaAxisIn<W, K, M>,
    /// To the parser: a beat is taken in, the last of its packet, which was cut there.
    pub pushed: Signal<Out, Bit>,
    pub pushed_last: Signal<Out, Bit>,
    pub pushed_bad: Signal<Out, Bit>,
    /// Way of the oldest packet without one: 2 bits (0 past, 1 paced, 2 dropped, 3 paced with
    /// `paced_ends`: the last of its segment, or made to ask), flow.
    pub way_valid: Signal<In, Bit>,
    pub way: Signal<In, Bits<V>>,
    /// Beat: bytes in wire order, and their frame.
    pub m_tdata: Signal<Out, Bits<W>>,
    pub m_tkeep: Signal<Out, Bits<K>>,
    pub m_tlast: Signal<Out, Bit>,
    pub m_meta: Signal<Out, Bits<M>>,
    /// Frames of flows.
    pub paced: FlowStreamOut<F>,
    pub paced_ends: Signal<Out, Bit>,
    /// The beat is offered to the wire.
    pub past_valid: Signal<Out, Bit>,
    pub past_ready: Signal<In, Bit>,
    /// A packet is to be dropped; this is its last beat.
    pub dropped: Signal<Out, Bit>,
    pub drop_ready: Signal<In, Bit>,
    /// A beat goes its way, the last of its packet.
    pub goes: Signal<Out, Bit>,
    pub gone: Signal<Out, Bit>,
    bytes: Fifo<W, 9, 10>,
    // Last 1, keep.
    ends: Fifo<E, 9, 10>,
    metas: Fifo<M, 9, 10>,
    ways: Fifo<V, 9, 10>,
    /// Beats of this packet so far.
    count: DFF<Bits<11>>,
    /// The packet was cut; the rest of it is passed by.
    skipping: DFF<Bit>,
    most: Const<Bits<11>>,
    taken: Signal<Local, Bit>,
    push: Signal<Local, Bit>,
    cut: Signal<Local, Bit>,
    last: Signal<Local, Bit>,
    here: Signal<Local, Bit>,
    kind: Signal<Local, Bits<2>>,
    leads: Signal<Local, Bit>,
    leaves: Signal<Local, Bit>,
    tail: Signal<Local, Bits<E>>,
    head: Signal<Local, Bits<V>>,
}

impl<const W: usize, const K: usize, const F: usize, const M: usize, const E: usize, const V: usize> Waiting<W, K, F, M, E, V> {
    /// The block with its constants.
    pub fn new() -> Self {
        assert!(W == 8 * K && E == K + 1 && V == F + 2, "widths of a way in of {W} bits and 2^{F} flows");
        Self { most: Const::new(bits::<11>((LONGEST_FRAME as usize / K) as u64 - 1)), ..Default::default() }
    }
}

impl<const W: usize, const K: usize, const F: usize, const M: usize, const E: usize, const V: usize> Logic for Waiting<W, K, F, M, E, V> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, count, skipping);
        self.bytes.clk.next = self.clk.val();
        self.bytes.rst.next = self.rst.val();
        self.ends.clk.next = self.clk.val();
        self.ends.rst.next = self.rst.val();
        self.metas.clk.next = self.clk.val();
        self.metas.rst.next = self.rst.val();
        self.ways.clk.next = self.clk.val();
        self.ways.rst.next = self.rst.val();

        // Beats into the queue, and past the parser.
        self.s.tready.next = self.bytes.i_ready.val();
        self.taken.next = self.s.tvalid.val() & self.bytes.i_ready.val();
        self.push.next = self.taken.val() & !self.skipping.q.val();
        self.cut.next = self.count.q.val() == self.most.val();
        self.last.next = self.s.tlast.val() | self.cut.val();
        if self.push.val() {
            self.count.d.next = self.count.q.val() + bits::<11>(1);
        }
        if self.taken.val() & (self.last.val() | self.skipping.q.val()) {
            self.count.d.next = bits::<11>(0);
        }
        if self.taken.val() {
            self.skipping.d.next = (self.skipping.q.val() | self.cut.val()) & !self.s.tlast.val();
        }
        self.bytes.i_valid.next = self.push.val();
        self.bytes.i_data.next = self.s.tdata.val();
        self.ends.i_valid.next = self.push.val();
        self.ends.i_data.next = (bit_cast::<E, K>(self.s.tkeep.val()) << 1) | bit_cast::<E, 1>(self.last.val().into());
        self.metas.i_valid.next = self.push.val() & !self.count.q.val().any();
        self.metas.i_data.next = self.s.meta.val();
        self.pushed.next = self.push.val();
        self.pushed_last.next = self.last.val();
        self.pushed_bad.next = self.cut.val() & !self.s.tlast.val();
        self.ways.i_valid.next = self.way_valid.val();
        self.ways.i_data.next = self.way.val();

        // The first of the queue goes its way.
        self.tail.next = self.ends.o_data.val();
        self.head.next = self.ways.o_data.val();
        self.kind.next = self.head.val().get_bits::<2>(0);
        self.here.next = self.bytes.o_valid.val() & self.ends.o_valid.val() & self.metas.o_valid.val() & self.ways.o_valid.val();
        self.paced.valid.next = self.here.val() & self.kind.val().get_bit(0);
        self.paced_ends.next = self.kind.val().get_bit(1);
        self.past_valid.next = self.here.val() & (self.kind.val() == bits::<2>(0));
        self.dropped.next = self.here.val() & (self.kind.val() == bits::<2>(2)) & self.tail.val().get_bit(0);
        self.leads.next = self.here.val() & self.past_ready.val();
        if self.kind.val().get_bit(0) {
            self.leads.next = self.here.val() & self.paced.ready.val();
        }
        if self.kind.val() == bits::<2>(2) {
            self.leads.next = self.here.val() & self.drop_ready.val();
        }
        self.leaves.next = self.leads.val() & self.tail.val().get_bit(0);
        self.goes.next = self.leads.val();
        self.gone.next = self.leaves.val();
        self.bytes.o_ready.next = self.leads.val();
        self.ends.o_ready.next = self.leads.val();
        self.metas.o_ready.next = self.leaves.val();
        self.ways.o_ready.next = self.leaves.val();
        self.m_tdata.next = self.bytes.o_data.val();
        self.m_tkeep.next = self.tail.val().get_bits::<K>(1);
        self.m_tlast.next = self.tail.val().get_bit(0);
        self.m_meta.next = self.metas.o_data.val();
        self.paced.flow.next = self.head.val().get_bits::<F>(2);
        if self.rst.val() {
            self.count.d.next = bits::<11>(0);
            self.skipping.d.next = false;
        }
    }
}
