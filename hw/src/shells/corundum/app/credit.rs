//! Outstanding bytes of frames of paced queues.
#![allow(missing_docs, reason = "a group of ports has one comment")]
use crate::bus::{ReleaseIn, ReleaseOut};
use crate::constant::Const;
use crate::fifo::Fifo;
use rust_hdl::prelude::*;
use timely_model::app_block::credit::QUEUE;

const _: () = assert!(QUEUE == 9);

/// Releases of frames that no ACK answers by themselves, among those of the control half. `T` must
/// be `F + 1`, `R` `F + 32`.
///
/// A scheduler charges all that leaves a queue, when its completion record is written; acknowledged
/// are ended segments alone. So a frame of a flow's queue is released as it leaves, and the end of
/// its segment takes that back for the whole segment, by a release of less than 0 bytes:
/// outstanding are segments that have ended, and nothing else. Frames without our header are never
/// outstanding, and a host that ends no segment waits for nothing.
///
/// Latency: 1 clock for releases of the control half, which go first; 6 for a frame's. Throughput:
/// one a clock. Back pressure: none; beyond 512 frames that wait, the latest are lost: outstanding
/// until the flow is loaded. Model: `timely_model::app_block::credit::Credit`.
#[derive(LogicBlock, Default)]
pub struct Credit<const F: usize, const T: usize, const R: usize> {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    /// The RAM is clear; no frame is answered before.
    pub swept: Signal<Out, Bit>,
    /// A record is loaded: its flow, and whether it is enabled.
    pub fl_valid: Signal<In, Bit>,
    /// See `fl_valid`.
    pub fl_flow: Signal<In, Bits<F>>,
    /// See `fl_valid`.
    pub fl_enable: Signal<In, Bit>,
    /// A frame left.
    pub frame_valid: Signal<In, Bit>,
    pub frame_queue: Signal<In, Bits<16>>,
    pub frame_wire_bytes: Signal<In, Bits<16>>,
    pub frame_ends: Signal<In, Bit>,
    /// With `frame_ends`: wire bytes of the segment.
    pub frame_segment_bytes: Signal<In, Bits<32>>,
    /// Releases.
    pub i: ReleaseIn<F>,
    /// Releases.
    pub o: ReleaseOut<F>,
    /// A queue is a flow.
    flows: RAM<Bit, F>,
    sweep: DFF<Bits<T>>,
    sweep_end: Const<Bits<T>>,
    queues: Const<Bits<17>>,
    read: DFF<Bit>,
    read_flow: DFF<Bits<F>>,
    read_bytes: DFF<Bits<32>>,
    // Bytes 32, flow.
    waiting: Fifo<R, 9, 10>,
    valid: DFF<Bit>,
    flow: DFF<Bits<F>>,
    bytes: DFF<Bits<32>>,
    is_swept: Signal<Local, Bit>,
    head: Signal<Local, Bits<R>>,
    charged: Signal<Local, Bits<32>>,
    back: Signal<Local, Bits<32>>,
}

impl<const F: usize, const T: usize, const R: usize> Credit<F, T, R> {
    /// With its constants.
    pub fn new() -> Self {
        assert!(T == F + 1 && R == F + 32, "widths of 2^{F} queues");
        Self { sweep_end: Const::new(bits::<T>(1 << F)), queues: Const::new(bits::<17>(1 << F)), ..Default::default() }
    }
}

impl<const F: usize, const T: usize, const R: usize> Logic for Credit<F, T, R> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, sweep, read, read_flow, read_bytes, valid, flow, bytes);
        self.waiting.clk.next = self.clk.val();
        self.waiting.rst.next = self.rst.val();
        self.flows.read_clock.next = self.clk.val();
        self.flows.write_clock.next = self.clk.val();
        self.is_swept.next = (self.sweep.q.val() & self.sweep_end.val()).any();
        self.swept.next = self.is_swept.val();
        self.flows.write_enable.next = self.fl_valid.val();
        self.flows.write_address.next = self.fl_flow.val();
        self.flows.write_data.next = self.fl_enable.val();
        if !self.is_swept.val() {
            self.sweep.d.next = self.sweep.q.val() + bits::<T>(1);
            self.flows.write_enable.next = true;
            self.flows.write_address.next = self.sweep.q.val().get_bits::<F>(0);
            self.flows.write_data.next = false;
        }
        // 1: is it a flow's queue?
        self.flows.read_address.next = self.frame_queue.val().get_bits::<F>(0);
        self.read.d.next = self.frame_valid.val() & self.is_swept.val() & (bit_cast::<17, 16>(self.frame_queue.val()) < self.queues.val());
        self.read_flow.d.next = self.frame_queue.val().get_bits::<F>(0);
        self.charged.next = bit_cast::<32, 16>(self.frame_wire_bytes.val());
        self.back.next = self.charged.val() - self.frame_segment_bytes.val();
        self.read_bytes.d.next = self.charged.val();
        if self.frame_ends.val() {
            self.read_bytes.d.next = self.back.val();
        }
        // 2: it waits for a clock without a release of the control half.
        self.waiting.i_valid.next = self.read.q.val() & self.flows.read_data.val() & self.read_bytes.q.val().any();
        self.waiting.i_data.next = bit_cast::<R, 32>(self.read_bytes.q.val()) | (bit_cast::<R, F>(self.read_flow.q.val()) << 32);
        self.waiting.o_ready.next = !self.i.valid.val();
        self.head.next = self.waiting.o_data.val();
        self.valid.d.next = self.i.valid.val() | self.waiting.o_valid.val();
        self.flow.d.next = self.head.val().get_bits::<F>(32);
        self.bytes.d.next = self.head.val().get_bits::<32>(0);
        if self.i.valid.val() {
            self.flow.d.next = self.i.flow.val();
            self.bytes.d.next = self.i.bytes.val();
        }
        self.o.valid.next = self.valid.q.val();
        self.o.flow.next = self.flow.q.val();
        self.o.bytes.next = self.bytes.q.val();
        if self.rst.val() {
            self.sweep.d.next = bits::<T>(0);
            self.read.d.next = false;
            self.valid.d.next = false;
        }
    }
}
