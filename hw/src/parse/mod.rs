//! The receive parser: from the MAC's beats to one report a frame.
mod collect;
mod judge;

use crate::bus::{ReceivedIn, ReportOut};
use crate::construct::construct;
pub(crate) use collect::Collect;
pub(crate) use judge::HeaderSum;
use judge::Judge;
use rust_hdl::prelude::*;

/// Reads Ethernet, one VLAN tag, IPv4 or IPv6, UDP and our header out of the frames of a bus of `W`
/// bits; `K` must be `W / 8` and `W` 64, 128, 256 or 512.
///
/// Latency: 6 clocks, of every frame: its last beat is on the inputs at clock `t`, its report on
/// the outputs at `t + 6`. Throughput: a beat a clock and a report a clock, so a frame a clock
/// where frames are of one beat. Back pressure: none in either direction; a beat is taken at every
/// clock with `s_tvalid`, gaps inside a frame are allowed. A frame whose `tkeep` is empty, has
/// holes, or is not full before the last beat is reported as bad, and so is one of more than 65,535
/// bytes. After `rst` the next beat is taken for a frame's first. Model:
/// `timely_model::parse::Parse`.
#[derive(LogicBlock)]
pub struct Parse<const W: usize, const K: usize> {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset, active high.
    pub rst: Signal<In, Bit>,
    /// Received frames; `ts` is looked at with the first beat.
    pub s: ReceivedIn<W, K>,
    /// Our UDP port, as it stands with the last beat.
    pub cfg_udp_port: Signal<In, Bits<16>>,
    /// A report: one clock a frame.
    pub o: ReportOut,
    /// Of a malformed frame the counter (`timely_regs::counters`), else 0.
    pub o_reason: Signal<Out, Bits<4>>,
    /// With every report `RxFrames` and exactly one of the other receive counters.
    pub pulses: Signal<Out, Bits<32>>,
    collect: Collect<W, K>,
    judge: Judge,
}

impl<const W: usize, const K: usize> Default for Parse<W, K> {
    fn default() -> Self {
        assert!(matches!(W, 64 | 128 | 256 | 512), "a bus of {W} bits; there are 64, 128, 256 and 512");
        assert_eq!(K, W / 8, "tkeep has a bit a byte");
        construct!({ collect: Collect::new(), judge: Judge::new() } clk, rst, s, cfg_udp_port, o, o_reason, pulses)
    }
}

impl<const W: usize, const K: usize> Logic for Parse<W, K> {
    #[hdl_gen]
    fn update(&mut self) {
        self.collect.clk.next = self.clk.val();
        self.collect.rst.next = self.rst.val();
        ReceivedIn::<W, K>::link(&mut self.s, &mut self.collect.s);
        self.judge.clk.next = self.clk.val();
        self.judge.rst.next = self.rst.val();
        self.judge.cfg_udp_port.next = self.cfg_udp_port.val();
        self.judge.ended.next = self.collect.o_end.val();
        self.judge.bad.next = self.collect.o_bad.val();
        self.judge.head.next = self.collect.o_head.val();
        self.judge.stamp.next = self.collect.o_stamp.val();
        self.judge.bytes.next = self.collect.o_bytes.val();
        self.judge.broken.next = self.collect.o_broken.val();
        ReportOut::link(&mut self.o, &mut self.judge.o);
        self.o_reason.next = self.judge.o_reason.val();
        self.pulses.next = self.judge.pulses.val();
    }
}
