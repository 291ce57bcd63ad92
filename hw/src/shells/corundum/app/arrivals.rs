//! Beats and stamps on their way to the parser.
#![allow(missing_docs, reason = "a group of ports has one comment")]
use crate::bus::ReceivedOut;
use crate::time::Linear;
use rust_hdl::prelude::*;
use timely_model::app_block::arrivals::LATENCY;

const _: () = assert!(LATENCY == 5);

/// Takes the beats of a stream as they are taken elsewhere (`W` bits, `K` must be `W / 8`) and
/// gives them with their stamp as ns48.fns16.
///
/// Latency: 5 clocks. Throughput: a beat a clock. Back pressure: none.
/// Model: `timely_model::app_block::arrivals::Arrivals`.
#[derive(LogicBlock, Default)]
pub struct Arrivals<const W: usize, const K: usize> {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    /// Beat: bytes in wire order, and their frame.
    pub s_tdata: Signal<In, Bits<W>>,
    pub s_tkeep: Signal<In, Bits<K>>,
    pub s_tvalid: Signal<In, Bit>,
    pub s_tlast: Signal<In, Bit>,
    pub s_bad: Signal<In, Bit>,
    /// Beat: stamp of the frame's start: seconds 48, zeros 2, ns 30, 2^-16 ns 16.
    pub s_ts: Signal<In, Bits<96>>,
    /// Frames that leave.
    pub m: ReceivedOut<W, K>,
    stamp: Linear,
    data: [DFF<Bits<W>>; 5],
    keep: [DFF<Bits<K>>; 5],
    valid: [DFF<Bit>; 5],
    last: [DFF<Bit>; 5],
    bad: [DFF<Bit>; 5],
}

impl<const W: usize, const K: usize> Logic for Arrivals<W, K> {
    #[hdl_gen]
    fn update(&mut self) {
        for i in 0..5 {
            self.data[i].clock.next = self.clk.val();
            self.keep[i].clock.next = self.clk.val();
            self.valid[i].clock.next = self.clk.val();
            self.last[i].clock.next = self.clk.val();
            self.bad[i].clock.next = self.clk.val();
        }
        for i in 0..4 {
            self.data[i + 1].d.next = self.data[i].q.val();
            self.keep[i + 1].d.next = self.keep[i].q.val();
            self.valid[i + 1].d.next = self.valid[i].q.val();
            self.last[i + 1].d.next = self.last[i].q.val();
            self.bad[i + 1].d.next = self.bad[i].q.val();
        }
        self.data[0].d.next = self.s_tdata.val();
        self.keep[0].d.next = self.s_tkeep.val();
        self.valid[0].d.next = self.s_tvalid.val();
        self.last[0].d.next = self.s_tlast.val();
        self.bad[0].d.next = self.s_bad.val();
        self.stamp.clk.next = self.clk.val();
        self.stamp.sec.next = self.s_ts.val().get_bits::<48>(48);
        self.stamp.ns.next = self.s_ts.val().get_bits::<30>(16);
        self.stamp.fraction.next = self.s_ts.val().get_bits::<16>(0);
        self.m.tdata.next = self.data[4].q.val();
        self.m.tkeep.next = self.keep[4].q.val();
        self.m.tvalid.next = self.valid[4].q.val();
        self.m.tlast.next = self.last[4].q.val();
        self.m.bad.next = self.bad[4].q.val();
        self.m.ts.next = self.stamp.linear.val();
        if self.rst.val() {
            for i in 0..5 {
                self.valid[i].d.next = false;
            }
        }
    }
}
