//! The launch gate: frames that come early leave at their launch.
use crate::construct::construct;
use crate::fifo::Fifo;
use rust_hdl::prelude::*;
use timely_model::launch::{FRACTION, QUEUE};

/// Holds back each frame of `s_*` (`W` bits, `K` must be `W / 8`, `N` `K + 73`) until the time reaches its launch.
///
/// A shell that needs up to `d` ns from a grant to the packet lets the pacer decide ahead by more than `d` (register `LEAD`) and puts
/// this block in front of its MAC: however long a packet took, it departs at its launch. Frames leave in the order they come; one that
/// comes after its launch leaves at once. Times count in 2^-8 ns; what a launch has beyond is cut.
///
/// Latency: a frame's first beat is at `m_*` 1 clock after the first that sees its launch in `now`, if the frame was taken 3 clocks
/// before that; otherwise 4 clocks after it was taken. Throughput: a beat a clock, with no empty clock between frames whose launch is
/// past. Back pressure: 16 beats wait in a queue, then `s_tready` falls.
/// Model: `timely_model::launch::Launch`.
#[derive(LogicBlock)]
pub struct Launch<const W: usize, const K: usize, const N: usize> {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset, active high.
    pub rst: Signal<In, Bit>,
    /// The time, ns48.fns16.
    pub now: Signal<In, Bits<64>>,
    /// Beat: bytes in wire order.
    pub s_tdata: Signal<In, Bits<W>>,
    /// Beat: bytes that are there.
    pub s_tkeep: Signal<In, Bits<K>>,
    /// Beat: offered.
    pub s_tvalid: Signal<In, Bit>,
    /// Beat: taken if offered.
    pub s_tready: Signal<Out, Bit>,
    /// Beat: the frame's last.
    pub s_tlast: Signal<In, Bit>,
    /// Beat: tag of its frame.
    pub s_tag: Signal<In, Bits<16>>,
    /// With a frame's first beat: its launch, ns48.fns16.
    pub s_launch: Signal<In, Bits<64>>,
    /// Beat: bytes in wire order.
    pub m_tdata: Signal<Out, Bits<W>>,
    /// Beat: bytes that are there.
    pub m_tkeep: Signal<Out, Bits<K>>,
    /// Beat: offered.
    pub m_tvalid: Signal<Out, Bit>,
    /// Beat: taken if offered.
    pub m_tready: Signal<In, Bit>,
    /// Beat: the frame's last.
    pub m_tlast: Signal<Out, Bit>,
    /// Beat: tag of its frame.
    pub m_tag: Signal<Out, Bits<16>>,
    /// No beat is inside.
    pub empty: Signal<Out, Bit>,
    /// Launch 56 bits, tag 16, last, keep; a const generic cannot say where a field begins, so the data have a queue of their own.
    queue: Fifo<N, 4, 5>,
    bytes: Fifo<W, 4, 5>,
    /// Beats in the queue.
    queued: DFF<Bits<5>>,
    valid: DFF<Bit>,
    data: DFF<Bits<W>>,
    keep: DFF<Bits<K>>,
    last: DFF<Bit>,
    tag: DFF<Bits<16>>,
    launch: DFF<Bits<56>>,
    /// The head may leave.
    open: DFF<Bit>,
    /// The next beat goes on with a frame that has begun.
    begun: DFF<Bit>,
    free: Signal<Local, Bit>,
    push: Signal<Local, Bit>,
    pop: Signal<Local, Bit>,
    since_next: Signal<Local, Bits<56>>,
    since: Signal<Local, Bits<56>>,
}

impl<const W: usize, const K: usize, const N: usize> Default for Launch<W, K, N> {
    fn default() -> Self {
        assert!(W == 8 * K && N == K + 73, "widths of a launch gate of {W} bits");
        const { assert!(QUEUE == 4 && FRACTION == 8, "the queue and the times are those of the model") };
        construct!({} clk, rst, now, s_tdata, s_tkeep, s_tvalid, s_tready, s_tlast, s_tag, s_launch, m_tdata, m_tkeep, m_tvalid, m_tready,
            m_tlast, m_tag, empty, queue, bytes, queued, valid, data, keep, last, tag, launch, open, begun, free, push, pop, since_next, since)
    }
}

impl<const W: usize, const K: usize, const N: usize> Logic for Launch<W, K, N> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, queued, valid, data, keep, last, tag, launch, open, begun);
        self.queue.clk.next = self.clk.val();
        self.queue.rst.next = self.rst.val();
        self.bytes.clk.next = self.clk.val();
        self.bytes.rst.next = self.rst.val();
        self.bytes.i_valid.next = self.s_tvalid.val();
        self.bytes.i_data.next = self.s_tdata.val();
        self.push.next = self.s_tvalid.val() & self.queue.i_ready.val();
        self.queue.i_valid.next = self.s_tvalid.val();
        self.queue.i_data.next = (bit_cast::<N, 56>(self.s_launch.val().get_bits::<56>(8)) | (bit_cast::<N, 16>(self.s_tag.val()) << 56))
            | (bit_cast::<N, K>(self.s_tkeep.val()) << 73);
        if self.s_tlast.val() {
            self.queue.i_data.next = self.queue.i_data.val() | (bits::<N>(1) << 72);
        }
        self.free.next = !self.valid.q.val() | (self.open.q.val() & self.m_tready.val());
        self.pop.next = self.free.val() & self.queue.o_valid.val();
        self.queue.o_ready.next = self.free.val();
        self.bytes.o_ready.next = self.free.val();
        self.since_next.next = self.now.val().get_bits::<56>(8) - self.queue.o_data.val().get_bits::<56>(0);
        self.since.next = self.now.val().get_bits::<56>(8) - self.launch.q.val();
        if self.free.val() {
            self.valid.d.next = self.queue.o_valid.val();
            self.launch.d.next = self.queue.o_data.val().get_bits::<56>(0);
            self.tag.d.next = self.queue.o_data.val().get_bits::<16>(56);
            self.last.d.next = self.queue.o_data.val().get_bit(72);
            self.keep.d.next = self.queue.o_data.val().get_bits::<K>(73);
            self.data.d.next = self.bytes.o_data.val();
            self.open.d.next = self.begun.q.val() | !self.since_next.val().get_bit(55);
        } else if !self.open.q.val() {
            self.open.d.next = !self.since.val().get_bit(55);
        }
        if self.pop.val() {
            self.begun.d.next = !self.queue.o_data.val().get_bit(72);
        }
        if self.push.val() & !self.pop.val() {
            self.queued.d.next = self.queued.q.val() + bits::<5>(1);
        }
        if self.pop.val() & !self.push.val() {
            self.queued.d.next = self.queued.q.val() - bits::<5>(1);
        }
        self.s_tready.next = self.queue.i_ready.val();
        self.m_tvalid.next = self.valid.q.val() & self.open.q.val();
        self.m_tdata.next = self.data.q.val();
        self.m_tkeep.next = self.keep.q.val();
        self.m_tlast.next = self.last.q.val();
        self.m_tag.next = self.tag.q.val();
        self.empty.next = !self.valid.q.val() & !self.queued.q.val().any();
        if self.rst.val() {
            self.queued.d.next = bits::<5>(0);
            self.valid.d.next = false;
            self.open.d.next = false;
            self.begun.d.next = false;
        }
    }
}
