//! Completions of sent frames: the core's own go on, ours end here, and departures of both are
//! reported.
#![allow(missing_docs, reason = "a group of ports has one comment")]
use crate::bus::{CompletionOut, DatedCompletionIn, DatedCompletionOut};
use crate::fifo::Fifo;
use crate::time::Linear;
use rust_hdl::prelude::*;
use timely_model::app_block::departures::{LATENCY, OF_CORE, QUEUE};
use timely_regs::link::ACK_TAG;

const _: () = assert!(LATENCY == 5 && QUEUE == 4 && OF_CORE == 1 << 15 && ACK_TAG == 0x7fff);

/// Hands on the completions whose tag has bit 15, each once and in their order, and swallows the
/// others; of what is handed on it tells the RTT, and with `told` of all others but ACKs.
///
/// Latency: 3 clocks from `s_*` to `m_*` in an empty queue, 5 from `s_*` to `c_*`. Throughput: one
/// a clock. Back pressure: `s_ready` falls while 16 of the core's wait; ours then wait too. Model:
/// `timely_model::app_block::departures::Departures`.
#[derive(LogicBlock, Default)]
pub struct Departures {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    /// Data frames of ours are reported too; a level.
    pub told: Signal<In, Bit>,
    /// Frames.
    pub s: DatedCompletionIn,
    /// Frames that leave.
    pub m: DatedCompletionOut,
    /// Departures.
    pub c: CompletionOut,
    // Stamp 96, tag 16.
    queue: Fifo<112, 4, 5>,
    stamp: Linear,
    valid: [DFF<Bit>; 5],
    tag: [DFF<Bits<15>>; 5],
    of_core: Signal<Local, Bit>,
    data: Signal<Local, Bit>,
}

impl Logic for Departures {
    #[hdl_gen]
    fn update(&mut self) {
        for i in 0..5 {
            self.valid[i].clock.next = self.clk.val();
            self.tag[i].clock.next = self.clk.val();
        }
        for i in 0..4 {
            self.valid[i + 1].d.next = self.valid[i].q.val();
            self.tag[i + 1].d.next = self.tag[i].q.val();
        }
        self.queue.clk.next = self.clk.val();
        self.queue.rst.next = self.rst.val();
        self.of_core.next = self.s.valid.val() & self.s.tag.val().get_bit(15);
        self.queue.i_valid.next = self.of_core.val();
        self.queue.i_data.next = bit_cast::<112, 96>(self.s.ts.val()) | (bit_cast::<112, 16>(self.s.tag.val()) << 96);
        self.s.ready.next = self.queue.i_ready.val();
        self.queue.o_ready.next = self.m.ready.val();
        self.m.valid.next = self.queue.o_valid.val();
        self.m.tag.next = self.queue.o_data.val().get_bits::<16>(96);
        self.m.ts.next = self.queue.o_data.val().get_bits::<96>(0);
        self.stamp.clk.next = self.clk.val();
        self.stamp.sec.next = self.s.ts.val().get_bits::<48>(48);
        self.stamp.ns.next = self.s.ts.val().get_bits::<30>(16);
        self.stamp.fraction.next = self.s.ts.val().get_bits::<16>(0);
        self.data.next = (self.told.val() & self.s.valid.val())
            & (!self.s.tag.val().get_bit(15) & (self.s.tag.val().get_bits::<15>(0) != bits::<15>(0x7fff)));
        self.valid[0].d.next = (self.of_core.val() | self.data.val()) & self.queue.i_ready.val();
        self.tag[0].d.next = self.s.tag.val().get_bits::<15>(0);
        self.c.valid.next = self.valid[4].q.val();
        self.c.tag.next = bit_cast::<16, 15>(self.tag[4].q.val());
        self.c.ts.next = self.stamp.linear.val();
        if self.rst.val() {
            for i in 0..5 {
                self.valid[i].d.next = false;
            }
        }
    }
}
