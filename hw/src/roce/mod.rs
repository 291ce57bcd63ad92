//! The parser of RoCEv2: from beats to the headers by which a queue pair is steered, and whether the packet's check sequence holds.
mod icrc;
mod judge;
mod words;

use crate::parse::Collect;
use icrc::Icrc;
use judge::Judge;
use rust_hdl::prelude::*;
pub use words::Packet;

/// Reads Ethernet, one VLAN tag, plain IPv4 or IPv6, UDP to port 4791 and InfiniBand's transport headers out of the frames of a bus of `W` bits, and
/// checks the invariant check sequence of every one; `K` must be `W / 8`, `N` `W / 64`, and `W` 64, 128, 256 or 512.
///
/// Latency: 12 clocks, of every frame: its last beat is on the inputs at clock `t`, its report on the outputs at `t + 12`.
/// Throughput: a beat a clock and a report a clock. Back pressure: none in either direction; gaps inside a frame are allowed. A frame whose `tkeep` is
/// empty, has holes, or is not full before the last beat is malformed, and so is one of more than 65,535 bytes.
/// After `rst` the next beat is taken for a frame's first. Model: `timely_model::roce::Parse`.
#[derive(LogicBlock)]
pub struct Parse<const W: usize, const K: usize, const N: usize> {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset, active high.
    pub rst: Signal<In, Bit>,
    /// Frame bytes, byte `i` in bits `8i+7..8i`.
    pub s_tdata: Signal<In, Bits<W>>,
    /// Bytes that are there: all, but in the last beat a run from bit 0.
    pub s_tkeep: Signal<In, Bits<K>>,
    /// A beat is there and is taken.
    pub s_tvalid: Signal<In, Bit>,
    /// The frame's last beat.
    pub s_tlast: Signal<In, Bit>,
    /// Stamp of the frame's start, ns48.fns16, looked at with the first beat.
    pub s_ts: Signal<In, Bits<64>>,
    /// The MAC found the frame bad; looked at with the last beat.
    pub s_bad: Signal<In, Bit>,
    /// A report: one clock a frame.
    pub o_valid: Signal<Out, Bit>,
    /// 0 foreign, 1 to 6 as `timely_regs::roce::Kind`, 7 malformed or bad.
    pub o_kind: Signal<Out, Bits<3>>,
    /// Of a malformed frame 1 bad, 2 to 5 as `timely_regs::roce::Error`, else 0.
    pub o_reason: Signal<Out, Bits<3>>,
    /// The headers; without a meaning for frames that are foreign or malformed.
    pub o_packet: Signal<Out, Packet>,
    collect: Collect<W, K>,
    icrc: Icrc<W, K, N>,
    judge: Judge,
}

impl<const W: usize, const K: usize, const N: usize> Default for Parse<W, K, N> {
    fn default() -> Self {
        assert!(matches!(W, 64 | 128 | 256 | 512), "a bus of {W} bits; there are 64, 128, 256 and 512");
        assert!(K == W / 8 && N == W / 64, "tkeep has a bit a byte, and a lane has 64 bits");
        Self {
            clk: Default::default(),
            rst: Default::default(),
            s_tdata: Default::default(),
            s_tkeep: Default::default(),
            s_tvalid: Default::default(),
            s_tlast: Default::default(),
            s_ts: Default::default(),
            s_bad: Default::default(),
            o_valid: Default::default(),
            o_kind: Default::default(),
            o_reason: Default::default(),
            o_packet: Default::default(),
            collect: Default::default(),
            icrc: Default::default(),
            judge: Default::default(),
        }
    }
}

impl<const W: usize, const K: usize, const N: usize> Logic for Parse<W, K, N> {
    #[hdl_gen]
    fn update(&mut self) {
        self.collect.clk.next = self.clk.val();
        self.collect.rst.next = self.rst.val();
        self.collect.s_tdata.next = self.s_tdata.val();
        self.collect.s_tkeep.next = self.s_tkeep.val();
        self.collect.s_tvalid.next = self.s_tvalid.val();
        self.collect.s_tlast.next = self.s_tlast.val();
        self.collect.s_ts.next = self.s_ts.val();
        self.collect.s_bad.next = self.s_bad.val();
        self.icrc.clk.next = self.clk.val();
        self.icrc.rst.next = self.rst.val();
        self.icrc.s_tdata.next = self.s_tdata.val();
        self.icrc.s_tvalid.next = self.s_tvalid.val();
        self.icrc.s_tlast.next = self.s_tlast.val();
        self.judge.clk.next = self.clk.val();
        self.judge.rst.next = self.rst.val();
        self.judge.ended.next = self.collect.o_end.val();
        self.judge.bad.next = self.collect.o_bad.val();
        self.judge.head.next = self.collect.o_head.val();
        self.judge.stamp.next = self.collect.o_stamp.val();
        self.judge.bytes.next = self.collect.o_bytes.val();
        self.judge.broken.next = self.collect.o_broken.val();
        self.judge.holds.next = self.icrc.o_holds.val();
        self.o_valid.next = self.judge.o_valid.val();
        self.o_kind.next = self.judge.o_kind.val();
        self.o_reason.next = self.judge.o_reason.val();
        self.o_packet.next = self.judge.o_packet.val();
    }
}
