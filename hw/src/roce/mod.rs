//! The parser of RoCEv2: from beats to the headers by which a queue pair is steered, and whether
//! the packet's check sequence holds.
mod absent;
mod icrc;
mod judge;
mod mend;
pub mod notifier;
pub mod queue_pairs;
mod read_charge;
pub mod round_trips;
mod words;

pub use absent::NoPairs;
pub use mend::{Mend, ack_byte};
pub use read_charge::ReadCharge;

use crate::bus::ReceivedIn;
use crate::parse::Collect;
use icrc::Icrc;
use judge::Judge;
use rust_hdl::prelude::*;
pub use words::Packet;

/// Reads Ethernet, one VLAN tag, plain IPv4 or IPv6, UDP to port 4791 and InfiniBand's transport
/// headers out of the frames of a bus of `W` bits, and checks the invariant check sequence of every
/// one; `K` must be `W / 8`, `N` `W / 64`, and `W` 64, 128, 256 or 512.
///
/// Latency: 12 clocks, of every frame: its last beat is on the inputs at clock `t`, its report on
/// the outputs at `t + 12`. Throughput: a beat a clock and a report a clock. Back pressure: none in
/// either direction; gaps inside a frame are allowed. A frame whose `tkeep` is empty, has holes, or
/// is not full before the last beat is malformed, and so is one of more than 65,535 bytes. After
/// `rst` the next beat is taken for a frame's first. Model: `timely_model::roce::Parse`.
#[derive(LogicBlock, Default)]
pub struct Parse<const W: usize, const K: usize, const N: usize> {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset, active high.
    pub rst: Signal<In, Bit>,
    /// Received frames; `ts` is looked at with the first beat.
    pub s: ReceivedIn<W, K>,
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

impl<const W: usize, const K: usize, const N: usize> Parse<W, K, N> {
    /// A parser.
    ///
    /// # Panics
    /// When `W` is none of its widths, or `K` or `N` does not fit it.
    pub fn new() -> Self {
        assert!(matches!(W, 64 | 128 | 256 | 512), "a bus of {W} bits; there are 64, 128, 256 and 512");
        assert!(K == W / 8 && N == W / 64, "tkeep has a bit a byte, and a lane has 64 bits");
        Self { collect: Collect::new(), icrc: Icrc::new(), judge: Judge::new(), ..Default::default() }
    }
}

impl<const W: usize, const K: usize, const N: usize> Logic for Parse<W, K, N> {
    #[hdl_gen]
    fn update(&mut self) {
        self.collect.clk.next = self.clk.val();
        self.collect.rst.next = self.rst.val();
        ReceivedIn::<W, K>::link(&mut self.s, &mut self.collect.s);
        self.icrc.clk.next = self.clk.val();
        self.icrc.rst.next = self.rst.val();
        self.icrc.s_tdata.next = self.s.tdata.val();
        self.icrc.s_tvalid.next = self.s.tvalid.val();
        self.icrc.s_tlast.next = self.s.tlast.val();
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
