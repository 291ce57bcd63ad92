//! The receive parser: from the MAC's beats to one report a frame.
mod collect;
mod judge;

pub(crate) use collect::Collect;
pub(crate) use judge::HeaderSum;
use judge::Judge;
use rust_hdl::prelude::*;

/// Reads Ethernet, one VLAN tag, IPv4 or IPv6, UDP and our header out of the frames of a bus of `W` bits; `K` must be `W / 8`
/// and `W` 64, 128, 256 or 512.
///
/// Latency: 6 clocks, of every frame: its last beat is on the inputs at clock `t`, its report on the outputs at `t + 6`.
/// Throughput: a beat a clock and a report a clock, so a frame a clock where frames are of one beat. Back pressure: none in
/// either direction; a beat is taken at every clock with `s_tvalid`, gaps inside a frame are allowed. A frame whose `tkeep` is
/// empty, has holes, or is not full before the last beat is reported as bad, and so is one of more than 65,535 bytes.
/// After `rst` the next beat is taken for a frame's first. Model: `timely_model::parse::Parse`.
#[derive(LogicBlock)]
pub struct Parse<const W: usize, const K: usize> {
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
    /// Our UDP port, as it stands with the last beat.
    pub cfg_udp_port: Signal<In, Bits<16>>,
    /// A report: one clock a frame.
    pub o_valid: Signal<Out, Bit>,
    /// 0 foreign, 1 data, 2 ACK, 3 malformed or bad.
    pub o_kind: Signal<Out, Bits<2>>,
    /// Of a malformed frame the counter (`timely_regs::counters`), else 0.
    pub o_reason: Signal<Out, Bits<4>>,
    /// Bit 0 VLAN, bit 1 IPv6; no meaning for frames that are foreign or bad.
    pub o_class: Signal<Out, Bits<2>>,
    /// The frame's first 66 bytes. Those behind its end are left over from what the bus carried before.
    pub o_head: Signal<Out, Bits<528>>,
    /// Our header, where the class has it.
    pub o_hdr: Signal<Out, Bits<384>>,
    /// Bytes of the frame without FCS; 0 if they could not be counted.
    pub o_len: Signal<Out, Bits<16>>,
    /// Stamp of the frame's start, ns48.fns16.
    pub o_ts: Signal<Out, Bits<64>>,
    /// With every report `RxFrames` and exactly one of the other receive counters.
    pub pulses: Signal<Out, Bits<32>>,
    collect: Collect<W, K>,
    judge: Judge,
}

impl<const W: usize, const K: usize> Default for Parse<W, K> {
    fn default() -> Self {
        assert!(matches!(W, 64 | 128 | 256 | 512), "a bus of {W} bits; there are 64, 128, 256 and 512");
        assert_eq!(K, W / 8, "tkeep has a bit a byte");
        Self {
            clk: Default::default(),
            rst: Default::default(),
            s_tdata: Default::default(),
            s_tkeep: Default::default(),
            s_tvalid: Default::default(),
            s_tlast: Default::default(),
            s_ts: Default::default(),
            s_bad: Default::default(),
            cfg_udp_port: Default::default(),
            o_valid: Default::default(),
            o_kind: Default::default(),
            o_reason: Default::default(),
            o_class: Default::default(),
            o_head: Default::default(),
            o_hdr: Default::default(),
            o_len: Default::default(),
            o_ts: Default::default(),
            pulses: Default::default(),
            collect: Default::default(),
            judge: Default::default(),
        }
    }
}

impl<const W: usize, const K: usize> Logic for Parse<W, K> {
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
        self.judge.clk.next = self.clk.val();
        self.judge.rst.next = self.rst.val();
        self.judge.cfg_udp_port.next = self.cfg_udp_port.val();
        self.judge.ended.next = self.collect.o_end.val();
        self.judge.bad.next = self.collect.o_bad.val();
        self.judge.head.next = self.collect.o_head.val();
        self.judge.stamp.next = self.collect.o_stamp.val();
        self.judge.bytes.next = self.collect.o_bytes.val();
        self.judge.broken.next = self.collect.o_broken.val();
        self.o_valid.next = self.judge.o_valid.val();
        self.o_kind.next = self.judge.o_kind.val();
        self.o_reason.next = self.judge.o_reason.val();
        self.o_class.next = self.judge.o_class.val();
        self.o_head.next = self.judge.o_head.val();
        self.o_hdr.next = self.judge.o_hdr.val();
        self.o_len.next = self.judge.o_len.val();
        self.o_ts.next = self.judge.o_ts.val();
        self.pulses.next = self.judge.pulses.val();
    }
}
