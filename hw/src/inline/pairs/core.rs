//! The in-line form with queue pairs, whole.
use super::{PairEntry, PairExit, Pairs};
use crate::bus::{
    AxilSlave, AxisOut, ChargeOut, CompletionIn, FlowLoadOut, FlowStreamOut, GrantOut, MetaAxisIn, MetaAxisOut, PairFlowOut, PairFrameOut,
    PairLookOut, PairSourceOut, ProfileWriteOut, StoreWriteOut, TaggedAxisOut,
};
use crate::constant::Const;
use crate::construct::construct;
use crate::inline::Path;
use crate::roce::ReadCharge;
use crate::txmux::TxMux;
use rust_hdl::prelude::*;
use timely_model::inline::pairs::BESIDE_BITS;
use timely_regs::counters::Counter;
use timely_regs::flow;
use timely_regs::map::Build;

const _: () = assert!(BESIDE_BITS == 72);
// A kernel takes literals alone: the first two bits of a record.
const _: () = assert!(flow::ENABLE.low == 0 && flow::KEEP.low == 1 && flow::ENABLE.word == 0 && flow::KEEP.word == 0);

/// [`Inline`](crate::inline::Inline) for RoCEv2, with its ports: SEND, WRITE and READ requests of
/// queue pairs that the table knows wait in the store until the pacer grants their flow; every
/// other packet goes past it, also the first ones of a pair, until the table has learned it. Frames
/// leave and arrive byte for byte as they came, but for AckReq and ICRC of packets that are made to
/// ask. A full store holds up the host, whatever
/// `STORE_WAIT` says, and no profile's bound of what is outstanding counts.
///
/// As for [`Path`], and `V = F + 2`, `Y = M + 72`, `R = W / 64`, `HB = F - 3`, `Z = W / 16`; `F` is
/// 6 to 14. Model: `timely_model::inline::nic` with `Pairs`.
///
/// Latency: from its last beat, a packet past the store leaves 37 clocks later. Throughput and back
/// pressure: as [`Inline`](crate::inline::Inline).
#[derive(LogicBlock)]
pub struct PairInline<
    const W: usize,
    const K: usize,
    const F: usize,
    const S: usize,
    const A: usize,
    const X: usize,
    const D: usize,
    const XA: usize,
    const XY: usize,
    const FB: usize,
    const FS: usize,
    const FR: usize,
    const FZ: usize,
    const FW: usize,
    const L: usize,
    const C: usize,
    const N: usize,
    const T: usize,
    const B: usize,
    const CA: usize,
    const G: usize,
    const M: usize,
    const SM: usize,
    const P: usize,
    const E: usize,
    const V: usize,
    const U: usize,
    const Y: usize,
    const R: usize,
    const HB: usize,
    const Z: usize,
> {
    /// The core's clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset, active high, for two clocks at least.
    pub rst: Signal<In, Bit>,
    /// Clock of the registers' bus.
    pub axil_clk: Signal<In, Clock>,
    /// Reset on it, active high, together with `rst`.
    pub axil_rst: Signal<In, Bit>,
    /// Registers.
    pub s_axil: AxilSlave<24>,
    /// Frames of the host.
    pub s_host: MetaAxisIn<W, K, M>,
    /// Frames to the wire.
    pub m_wire: MetaAxisOut<W, K, M>,
    /// The beat's frame is an ACK of ours, or a congestion notification.
    pub m_wire_ack: Signal<Out, Bit>,
    /// Bytes of that frame.
    pub m_wire_ack_bytes: Signal<Out, Bits<16>>,
    /// Frames of the wire.
    pub s_wire: MetaAxisIn<W, K, M>,
    /// Frames to the host.
    pub m_host: MetaAxisOut<W, K, M>,
    /// Paused priorities.
    pub pause: Signal<In, Bits<8>>,
    /// A frame was lost beside the core: counted as discarded.
    pub lost: Signal<In, Bit>,
    /// The date, ns48.fns16: what stamps are.
    pub now: Signal<Out, Bits<64>>,
    /// No grant leaves.
    pub stopped: Signal<Out, Bit>,
    /// PTP gives its time; looked at in a core whose MAC stamps, as are the ports that follow.
    pub ptp_valid: Signal<In, Bit>,
    /// PTP's time at this clock, ns48.fns16.
    pub ptp_time: Signal<In, Bits<64>>,
    /// Arrival of the frame, with its beats.
    pub s_wire_ts: Signal<In, Bits<64>>,
    /// Departure of a paced frame: 10 clocks after its last beat or later, under `m_wire_tag`.
    pub s_cpl: CompletionIn,
    /// The beat's frame went past the store.
    pub m_wire_past: Signal<Out, Bit>,
    /// Tag of a paced frame, in a ring of 256.
    pub m_wire_tag: Signal<Out, Bits<8>>,
    /// A frame of the host went into the store, or was dropped in front of it.
    pub stored: Signal<Out, Bit>,
    /// Sideband of the frame that `stored` tells of.
    pub stored_meta: Signal<Out, Bits<M>>,
    path: Path<W, K, F, S, A, X, D, XA, XY, FB, FS, FR, FZ, FW, L, C, N, T, B, CA, G, M, SM, P, E, U, Y>,
    entry: PairEntry<W, K, R, F, M, E, V>,
    exit: PairExit<K, F>,
    /// Between pacer and store.
    reads: ReadCharge<F, FS>,
    /// Notifications between the frames of the host.
    notes: TxMux<W, K>,
    pairs: Pairs<W, K, R, F, HB, FS, Z>,
    /// Stamps are the MAC's, as dates; else frames are stamped at the core's ports.
    stamped: Const<Bits<1>>,
    uncharged_bit: Const<Bits<64>>,
    side: Signal<Local, Bits<U>>,
    control: Signal<Local, Bits<9>>,
    options: Signal<Local, Bits<512>>,
}

impl<
    const W: usize,
    const K: usize,
    const F: usize,
    const S: usize,
    const A: usize,
    const X: usize,
    const D: usize,
    const XA: usize,
    const XY: usize,
    const FB: usize,
    const FS: usize,
    const FR: usize,
    const FZ: usize,
    const FW: usize,
    const L: usize,
    const C: usize,
    const N: usize,
    const T: usize,
    const B: usize,
    const CA: usize,
    const G: usize,
    const M: usize,
    const SM: usize,
    const P: usize,
    const E: usize,
    const V: usize,
    const U: usize,
    const Y: usize,
    const R: usize,
    const HB: usize,
    const Z: usize,
> PairInline<W, K, F, S, A, X, D, XA, XY, FB, FS, FR, FZ, FW, L, C, N, T, B, CA, G, M, SM, P, E, V, U, Y, R, HB, Z>
{
    /// The core of a design that is built with these numbers, whose MAC stamps or does not.
    pub fn new(build: &Build, stamped: bool) -> Self {
        assert!(E == K + 1 && V == F + 2 && Y == M + 72 && U == Y + 64, "widths of a core of {W} bits and 2^{F} flows");
        construct!({
            path: Path::unbounded(build, stamped),
            entry: PairEntry::new(),
            exit: PairExit::new(),
            reads: ReadCharge::new(),
            pairs: Pairs::new(),
            uncharged_bit: Const::new(bits::<64>(1 << Counter::ReadsUncharged as u64)),
            stamped: Const::new(bits::<1>(stamped.into())) }
            clk, rst, axil_clk, axil_rst, s_axil, s_host, m_wire, m_wire_ack, m_wire_ack_bytes, s_wire, m_host, pause, lost, now, stopped, ptp_valid, ptp_time, s_wire_ts, s_cpl, m_wire_past, m_wire_tag, stored, stored_meta, side, control, options, notes)
    }
}

impl<
    const W: usize,
    const K: usize,
    const F: usize,
    const S: usize,
    const A: usize,
    const X: usize,
    const D: usize,
    const XA: usize,
    const XY: usize,
    const FB: usize,
    const FS: usize,
    const FR: usize,
    const FZ: usize,
    const FW: usize,
    const L: usize,
    const C: usize,
    const N: usize,
    const T: usize,
    const B: usize,
    const CA: usize,
    const G: usize,
    const M: usize,
    const SM: usize,
    const P: usize,
    const E: usize,
    const V: usize,
    const U: usize,
    const Y: usize,
    const R: usize,
    const HB: usize,
    const Z: usize,
> Logic for PairInline<W, K, F, S, A, X, D, XA, XY, FB, FS, FR, FZ, FW, L, C, N, T, B, CA, G, M, SM, P, E, V, U, Y, R, HB, Z>
{
    #[hdl_gen]
    fn update(&mut self) {
        self.path.clk.next = self.clk.val();
        self.path.rst.next = self.rst.val();
        self.path.axil_clk.next = self.axil_clk.val();
        self.path.axil_rst.next = self.axil_rst.val();
        self.entry.clk.next = self.clk.val();
        self.entry.rst.next = self.path.reset_out.val();
        self.control.next = self.path.settings.val().pair_control;
        self.entry.cfg_ask_every.next = self.control.val().get_bits::<8>(1);
        self.entry.cfg_learns_acks.next = self.path.settings.val().notify_enable.any();
        self.exit.clk.next = self.clk.val();
        self.exit.rst.next = self.path.reset_out.val();
        self.pairs.clk.next = self.clk.val();
        self.pairs.rst.next = self.path.reset_out.val();
        AxilSlave::<24>::link(&mut self.s_axil, &mut self.path.s_axil);
        MetaAxisOut::<W, K, M>::link(&mut self.m_wire, &mut self.path.m_wire);
        self.m_wire_ack.next = self.path.m_wire_ack.val();
        self.m_wire_ack_bytes.next = self.path.m_wire_ack_bytes.val();
        MetaAxisIn::<W, K, M>::link(&mut self.s_wire, &mut self.path.s_wire);
        MetaAxisOut::<W, K, M>::link(&mut self.m_host, &mut self.path.m_host);
        self.path.pause.next = self.pause.val();
        self.path.lost.next = self.lost.val();
        self.now.next = self.path.now.val();
        self.stopped.next = self.path.stopped.val();
        self.path.ptp_valid.next = self.ptp_valid.val();
        self.path.ptp_time.next = self.ptp_time.val();
        self.path.s_wire_ts.next = self.s_wire_ts.val();
        self.m_wire_past.next = self.path.m_wire_past.val();
        self.m_wire_tag.next = self.path.m_wire_tag.val();
        self.stored.next = self.path.stored.val();
        self.stored_meta.next = self.path.stored_meta.val();
        PairSourceOut::<F>::join(&mut self.pairs.pairs, &mut self.path.pairs);
        self.path.form_pulses.next = self.pairs.pulses.val();
        if self.reads.let_go.val() {
            self.path.form_pulses.next = self.pairs.pulses.val() | self.uncharged_bit.val();
        }
        self.path.form_swept.next = self.pairs.swept.val() & self.reads.swept.val();
        self.path.waits.next = true;
        // From the host: requests of pairs wait in the store for grants, the rest goes past it.
        // Nothing is taken while the blocks are in reset, which ends a clock behind the shell's.
        self.entry.s.tdata.next = self.s_host.tdata.val();
        self.entry.s.tkeep.next = self.s_host.tkeep.val();
        self.entry.s.tvalid.next = self.s_host.tvalid.val();
        self.s_host.tready.next = self.entry.s.tready.val() & !self.path.reset_out.val();
        self.entry.s.tlast.next = self.s_host.tlast.val();
        self.entry.s.meta.next = self.s_host.meta.val();
        PairLookOut::join(&mut self.entry.looks, &mut self.pairs.looks);
        self.pairs.looks_dscp.next = self.entry.looks_dscp.val();
        PairFlowOut::<F>::join(&mut self.pairs.found, &mut self.entry.found);
        self.path.e_tdata.next = self.entry.m_tdata.val();
        self.path.e_tkeep.next = self.entry.m_tkeep.val();
        self.path.e_tlast.next = self.entry.m_tlast.val();
        self.path.e_meta.next = self.entry.m_meta.val();
        self.path.e_stored.next = bit_cast::<Y, 72>(self.entry.m_info.val()) | (bit_cast::<Y, M>(self.entry.m_meta.val()) << 72);
        FlowStreamOut::<F>::join(&mut self.entry.paced, &mut self.path.paced);
        self.path.paced_ends.next = self.entry.paced_ends.val();
        self.path.past_valid.next = self.entry.past_valid.val();
        self.entry.past_ready.next = self.path.past_ready.val();
        self.path.dropped.next = self.entry.dropped.val();
        self.entry.drop_ready.next = self.path.drop_ready.val();
        self.path.strange.next = false;
        // What READs bring is charged as they leave.
        self.reads.clk.next = self.clk.val();
        self.reads.rst.next = self.path.reset_out.val();
        self.reads.cfg_mtu.next = self.path.settings.val().pair_mtu;
        self.reads.cfg_timeout_us.next = self.path.settings.val().pair_timeout;
        self.reads.now.next = self.path.steady.val();
        self.options.next = self.path.fl.record.val();
        self.reads.loaded.next = self.path.fl.valid.val() & !(self.options.val().get_bit(0) & self.options.val().get_bit(1));
        self.reads.loaded_flow.next = self.path.fl.flow.val();
        self.reads.read.next = self.exit.frame.valid.val() & self.exit.frame.read.val();
        self.reads.read_flow.next = self.exit.frame.flow.val();
        self.reads.read_bytes.next = self.exit.frame.bytes.val();
        self.reads.read_wire_bytes.next = self.exit.frame.wire_bytes.val();
        GrantOut::<F>::join(&mut self.path.m_grant, &mut self.reads.s);
        GrantOut::<F>::join(&mut self.reads.m, &mut self.path.s_grant);
        ChargeOut::<F>::join(&mut self.path.m_charge, &mut self.reads.s_charge);
        ChargeOut::<F>::join(&mut self.reads.m_charge, &mut self.path.s_charge);
        FlowStreamOut::<F>::join(&mut self.path.m_ring, &mut self.reads.s_ring);
        FlowStreamOut::<F>::join(&mut self.reads.m_ring, &mut self.path.s_ring);
        // Packets from the store go on as they are.
        self.path.s_gate.tdata.next = self.path.m_store.tdata.val();
        self.path.s_gate.tkeep.next = self.path.m_store.tkeep.val();
        self.path.s_gate.tvalid.next = self.path.m_store.tvalid.val();
        self.path.m_store.tready.next = self.path.s_gate.tready.val();
        self.path.s_gate.tlast.next = self.path.m_store.tlast.val();
        self.path.s_gate.side.next =
            (bit_cast::<U, Y>(self.path.m_store.meta.val()) << 64) | bit_cast::<U, 64>(self.path.m_store.launch.val());
        // Notifications go before both streams, and leave as ACKs do.
        self.notes.clk.next = self.clk.val();
        self.notes.rst.next = self.path.reset_out.val();
        self.notes.fair.next = false;
        AxisOut::<W, K>::join(&mut self.pairs.m, &mut self.notes.a);
        TaggedAxisOut::<W, K>::join(&mut self.path.m_both, &mut self.notes.d);
        TaggedAxisOut::<W, K>::join(&mut self.notes.m, &mut self.path.s_both);
        // Requests that leave are stamped and reported.
        self.side.next = self.path.x_side.val();
        self.path.x_meta.next = self.side.val().get_bits::<M>(136);
        self.exit.s_tkeep.next = self.path.x_tkeep.val();
        self.exit.s_tvalid.next = self.path.x_tvalid.val() & self.path.x_paced.val();
        self.exit.s_tlast.next = self.path.x_tlast.val();
        self.exit.s_launch.next = self.side.val().get_bits::<64>(0);
        self.exit.s_info.next = self.side.val().get_bits::<72>(64);
        self.exit.now.next = self.path.now.val();
        self.exit.time_offset.next = self.path.time_offset.val();
        PairFrameOut::<F>::join(&mut self.exit.frame, &mut self.pairs.frame);
        self.pairs.c.valid.next = self.exit.frame.valid.val();
        self.pairs.c.tag.next = self.exit.frame.tag.val();
        self.pairs.c.ts.next = self.exit.ts.val();
        if self.stamped.val().any() {
            self.pairs.c.valid.next = self.s_cpl.valid.val();
            self.pairs.c.tag.next = self.s_cpl.tag.val();
            self.pairs.c.ts.next = self.s_cpl.ts.val();
        }
        // Telemetry counts them; the core's own round-trip times have no segment of theirs.
        self.path.sent.valid.next = self.exit.frame.valid.val();
        self.path.sent.tag.next = self.exit.frame.tag.val();
        self.path.sent.flow.next = self.exit.frame.flow.val();
        self.path.sent.wire_bytes.next = self.exit.frame.wire_bytes.val();
        self.path.sent.segment.next = bits::<32>(0);
        self.path.sent.nonce.next = bits::<32>(0);
        self.path.sent.first.next = false;
        self.path.sent.last.next = false;
        self.path.sent.segment_bytes.next = bits::<32>(0);
        self.path.sent.place.next = bits::<16>(0);
        self.path.sent.generation.next = bits::<2>(0);
        self.path.sent.launch.next = bits::<64>(0);
        self.path.tx_cpl.valid.next = false;
        self.path.tx_cpl.tag.next = bits::<16>(0);
        self.path.tx_cpl.ts.next = bits::<64>(0);
        // From the wire.
        self.pairs.rx_tdata.next = self.s_wire.tdata.val();
        self.pairs.rx_tkeep.next = self.s_wire.tkeep.val();
        self.pairs.rx_tvalid.next = self.s_wire.tvalid.val();
        self.pairs.rx_tlast.next = self.s_wire.tlast.val();
        self.pairs.rx_ts.next = self.path.rx_ts.val();
        self.pairs.settings.next = self.path.settings.val();
        StoreWriteOut::join(&mut self.path.st, &mut self.pairs.st);
        ProfileWriteOut::join(&mut self.path.pw, &mut self.pairs.pw);
        FlowLoadOut::<F>::join(&mut self.path.fl, &mut self.pairs.fl);
        self.pairs.clearing.next = self.path.clearing.val();
        self.pairs.now.next = self.path.steady.val();
        self.pairs.time_epoch.next = self.path.time_epoch.val();
        self.pairs.departed_epoch.next = self.path.departed_epoch.val();
    }
}
