//! The launch gate: frames that come early leave at their launch.
#![allow(missing_docs, reason = "a group of ports has one comment")]
use crate::bus::{TaggedAxisIn, TaggedAxisOut};
use crate::fifo::Fifo;
use crate::sizes::Sum;
use rust_hdl::prelude::*;
use timely_model::launch::{FARTHEST, FRACTION, LATE, QUEUE};

// A kernel takes literals alone.
const _: () = assert!(QUEUE == 4 && FRACTION == 8 && FARTHEST == 1 << 24 && LATE == 1 << 18);

/// Holds back each frame of `s_*` (`W` bits, `K` must be `W / 8`, `N` `K + 74`) until `now`, the
/// steady time, reaches its launch.
///
/// A shell that needs up to `d` ns from a grant to the packet lets the pacer decide ahead by more
/// than `d` (register `LEAD`) and puts this block in front of its MAC: however long a packet took,
/// it departs at its launch. Frames leave in the order they come; one that comes after its launch
/// leaves at once, and so does one whose launch is more than [`timely_model::launch::FARTHEST`]
/// ahead when its turn comes: no grant is decided that far ahead, so such a launch is wrong, and
/// nothing may wait for it. Both count in `missed`, the late ones from
/// [`timely_model::launch::LATE`] on. A frame without a launch (`s_timed` 0) leaves at once. Times
/// count in 2^-8 ns; bits beyond are cut.
///
/// Latency: a frame's first beat is at `m_*` 1 clock after the first that sees its launch in `now`,
/// if the frame was taken 3 clocks before that; otherwise 4 clocks after it was taken. Throughput:
/// a beat a clock, with no empty clock between frames whose launch is past. Back pressure: 16 beats
/// wait in a queue, then `s_tready` falls. Model: `timely_model::launch::Launch`.
#[derive(LogicBlock, Default)]
pub struct Launch<const W: usize, const K: usize, const N: usize> {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    /// The steady time, ns48.fns16.
    pub now: Signal<In, Bits<64>>,
    /// Frames.
    pub s: TaggedAxisIn<W, K>,
    /// With a frame's first beat: the frame has a launch.
    pub s_timed: Signal<In, Bit>,
    /// Launch of the frame, ns48.fns16.
    pub s_launch: Signal<In, Bits<64>>,
    /// Frames that leave.
    pub m: TaggedAxisOut<W, K>,
    /// No beat is inside.
    pub empty: Signal<Out, Bit>,
    /// A frame left more than a us after its launch, or before it; one clock.
    pub missed: Signal<Out, Bit>,
    /// Launch 56 bits, tag 16, last, timed, keep; a const generic cannot say where a field begins,
    /// so the data have a queue of their own.
    queue: Fifo<N, 4, 5>,
    sizes: Sum<N, K, 74>,
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
    miss: DFF<Bit>,
    /// The next beat goes on with a frame that has begun.
    begun: DFF<Bit>,
    free: Signal<Local, Bit>,
    push: Signal<Local, Bit>,
    pop: Signal<Local, Bit>,
    since_next: Signal<Local, Bits<56>>,
    /// The frame in the queue must wait; it is late.
    waits_next: Signal<Local, Bit>,
    late_next: Signal<Local, Bit>,
    first: Signal<Local, Bit>,
    since: Signal<Local, Bits<56>>,
}

impl<const W: usize, const K: usize, const N: usize> Logic for Launch<W, K, N> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, queued, valid, data, keep, last, tag, launch, open, miss, begun);
        self.queue.clk.next = self.clk.val();
        self.queue.rst.next = self.rst.val();
        self.bytes.clk.next = self.clk.val();
        self.bytes.rst.next = self.rst.val();
        self.bytes.i_valid.next = self.s.tvalid.val();
        self.bytes.i_data.next = self.s.tdata.val();
        self.push.next = self.s.tvalid.val() & self.queue.i_ready.val();
        self.queue.i_valid.next = self.s.tvalid.val();
        self.queue.i_data.next = (bit_cast::<N, 56>(self.s_launch.val().get_bits::<56>(8)) | (bit_cast::<N, 16>(self.s.tag.val()) << 56))
            | (bit_cast::<N, K>(self.s.tkeep.val()) << 74);
        if self.s.tlast.val() {
            self.queue.i_data.next = self.queue.i_data.val() | (bits::<N>(1) << 72);
        }
        if self.s_timed.val() {
            self.queue.i_data.next = self.queue.i_data.val() | (bits::<N>(1) << 73);
        }
        self.free.next = !self.valid.q.val() | (self.open.q.val() & self.m.tready.val());
        self.pop.next = self.free.val() & self.queue.o_valid.val();
        self.queue.o_ready.next = self.free.val();
        self.bytes.o_ready.next = self.free.val();
        self.since_next.next = self.now.val().get_bits::<56>(8) - self.queue.o_data.val().get_bits::<56>(0);
        self.first.next = self.queue.o_data.val().get_bit(73) & !self.begun.q.val();
        self.waits_next.next = self.first.val() & self.since_next.val().get_bits::<32>(24).all();
        self.late_next.next = !self.since_next.val().get_bit(55) & self.since_next.val().get_bits::<37>(18).any();
        self.since.next = self.now.val().get_bits::<56>(8) - self.launch.q.val();
        if self.free.val() {
            self.valid.d.next = self.queue.o_valid.val();
            self.launch.d.next = self.queue.o_data.val().get_bits::<56>(0);
            self.tag.d.next = self.queue.o_data.val().get_bits::<16>(56);
            self.last.d.next = self.queue.o_data.val().get_bit(72);
            self.keep.d.next = self.queue.o_data.val().get_bits::<K>(74);
            self.data.d.next = self.bytes.o_data.val();
            self.open.d.next = !self.waits_next.val();
        } else if !self.open.q.val() {
            self.open.d.next = !self.since.val().get_bits::<32>(24).all();
        }
        if self.pop.val() {
            self.begun.d.next = !self.queue.o_data.val().get_bit(72);
        }
        self.miss.d.next =
            (self.pop.val() & self.first.val()) & (self.late_next.val() | (self.since_next.val().get_bit(55) & !self.waits_next.val()));
        if self.push.val() & !self.pop.val() {
            self.queued.d.next = self.queued.q.val() + bits::<5>(1);
        }
        if self.pop.val() & !self.push.val() {
            self.queued.d.next = self.queued.q.val() - bits::<5>(1);
        }
        self.s.tready.next = self.queue.i_ready.val();
        self.m.tvalid.next = self.valid.q.val() & self.open.q.val();
        self.m.tdata.next = self.data.q.val();
        self.m.tkeep.next = self.keep.q.val();
        self.m.tlast.next = self.last.q.val();
        self.m.tag.next = self.tag.q.val();
        self.empty.next = !self.valid.q.val() & !self.queued.q.val().any();
        self.missed.next = self.miss.q.val();
        if self.rst.val() {
            self.miss.d.next = false;
            self.queued.d.next = bits::<5>(0);
            self.valid.d.next = false;
            self.open.d.next = false;
            self.begun.d.next = false;
        }
    }
}
