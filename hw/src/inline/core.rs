//! The in-line form: the halves and the packet store between a host's packets and the wire, behind
//! which shells are thin.
use super::entry::Entry;
use super::exit::Exit;
use super::path::Path;
use crate::bus::{
    AxilSlave, ChargeOut, CompletionIn, FlowLoadOut, FlowStreamOut, GrantOut, MetaAxisIn, MetaAxisOut, PairSourceOut, SideAxisOut,
    TaggedAxisOut,
};
use crate::constant::Const;
use crate::construct::construct;
use crate::mark::Mark;
use crate::roce::NoPairs;
use rust_hdl::prelude::*;
use timely_regs::flow;
use timely_regs::map::Build;

// A kernel takes literals alone: the first two bits of a record.
const _: () = assert!(flow::ENABLE.low == 0 && flow::KEEP.low == 1 && flow::ENABLE.word == 0 && flow::KEEP.word == 0);

/// Data packets of the host's, those that the parser takes for ours and that name a flow below
/// `2^F`, wait in the store until the pacer grants them; every other goes past it. Those that end a
/// segment get their places in the departure ring on their way from the store to the launch gate.
/// Both take turns, ACKs of ours go first. What comes from the wire goes to the host as it is, and
/// is looked at. `M` bits go beside a frame each way. Model: `timely_model::inline::nic`, with both
/// clocks one.
///
/// `W` bus bits, 256 at least, `K = W / 8`, `F` flow bits, `2^S` places in the ring of departures,
/// `A` the greater of `F` and `S`, `E = K + 1`, `V = F + 2`, `U = M + 64`, `Q = W + E + U`, `L = K
/// + 74`; `C`, `N`, `T`, `B`, `CA`, `G`, `SM` and `P` are the store's ([`Store`], its `A` and `S`
/// here `CA` and `SM`), the rest the pacer's ([`Pacer`](crate::pacer::Pacer)). What a shell emits
/// of it has [`NoDma`](crate::dma::NoDma) in DMA's place
/// ([`replace_dma`](crate::dma::replace_dma)).
///
/// Latency: from its last beat, a packet past the store leaves 15 clocks later; one of an idle flow
/// that may send at once 88 with 512 bits and 89 with 256, 30 of them the pacer's. A packet that
/// waits in the store leaves 34 (35) clocks after its grant, or with `LEAD` set at its launch. 3
/// clocks from the wire to the host. Throughput: a beat a clock each way. Back pressure:
/// `s_host_tready` falls while 512 beats wait to be told apart, which those do that go past the
/// store while the wire is not ready, and while `STORE_WAIT` holds the store's input; the wire is
/// always taken: frames for which 512 beats towards the host leave no room are dropped whole and
/// counted, and what they say is heard all the same.
#[derive(LogicBlock)]
pub struct Inline<
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
    const Q: usize,
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
    /// The beat's frame is an ACK of ours.
    pub m_wire_ack: Signal<Out, Bit>,
    /// Bytes of that ACK.
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
    path: Path<W, K, F, S, A, X, D, XA, XY, FB, FS, FR, FZ, FW, L, C, N, T, B, CA, G, M, SM, P, E, U, M>,
    entry: Entry<W, K, F, M, E, V>,
    // Launch 64, what goes beside it.
    mark: Mark<W, K, U, Q>,
    exit: Exit<W, K, F, FS>,
    no_pairs: NoPairs<F>,
    /// Stamps are the MAC's, as dates; else frames are stamped at the core's ports.
    stamped: Const<Bits<1>>,
    /// Tags on their way beside [`Exit`], whose latency they have.
    reported_tag: [DFF<Bits<8>>; 9],
    record: Signal<Local, Bits<512>>,
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
    const Q: usize,
> Inline<W, K, F, S, A, X, D, XA, XY, FB, FS, FR, FZ, FW, L, C, N, T, B, CA, G, M, SM, P, E, V, U, Q>
{
    /// The core of a design that is built with these numbers, whose MAC stamps or does not.
    pub fn new(build: &Build, stamped: bool) -> Self {
        assert!(E == K + 1 && V == F + 2 && U == M + 64 && Q == W + E + U, "widths of a core of {W} bits and 2^{F} flows");
        construct!({
            path: Path::new(build, stamped),
            entry: Entry::new(),
            mark: Mark::new(F, build.ring_bits),
            exit: Exit::new(),
            reported_tag: Default::default(),
            stamped: Const::new(bits::<1>(stamped.into())) }
            clk, rst, axil_clk, axil_rst, s_axil, s_host, m_wire, m_wire_ack, m_wire_ack_bytes, s_wire, m_host, pause, lost, now, stopped, ptp_valid, ptp_time, s_wire_ts, s_cpl, m_wire_past, m_wire_tag, stored, stored_meta, no_pairs, record)
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
    const Q: usize,
> Logic for Inline<W, K, F, S, A, X, D, XA, XY, FB, FS, FR, FZ, FW, L, C, N, T, B, CA, G, M, SM, P, E, V, U, Q>
{
    #[hdl_gen]
    fn update(&mut self) {
        for i in 0..9 {
            self.reported_tag[i].clock.next = self.clk.val();
        }
        self.path.clk.next = self.clk.val();
        self.path.rst.next = self.rst.val();
        self.path.axil_clk.next = self.axil_clk.val();
        self.path.axil_rst.next = self.axil_rst.val();
        self.entry.clk.next = self.clk.val();
        self.entry.rst.next = self.path.reset_out.val();
        self.mark.clk.next = self.clk.val();
        self.mark.rst.next = self.path.reset_out.val();
        self.exit.clk.next = self.clk.val();
        self.exit.rst.next = self.path.reset_out.val();
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
        PairSourceOut::<F>::join(&mut self.no_pairs.pairs, &mut self.path.pairs);
        self.path.form_pulses.next = bits::<64>(0);
        self.path.form_swept.next = self.exit.swept.val();
        self.path.waits.next = false;
        // From the host: what is ours waits in the store for its grant, the rest goes past it.
        // Nothing is taken while the blocks are in reset, which ends a clock behind the shell's.
        self.entry.s.tdata.next = self.s_host.tdata.val();
        self.entry.s.tkeep.next = self.s_host.tkeep.val();
        self.entry.s.tvalid.next = self.s_host.tvalid.val();
        self.s_host.tready.next = self.entry.s.tready.val() & !self.path.reset_out.val();
        self.entry.s.tlast.next = self.s_host.tlast.val();
        self.entry.s.meta.next = self.s_host.meta.val();
        self.entry.cfg_udp_port.next = self.path.settings.val().udp_port;
        self.entry.cfg_ipv4.next = self.path.settings.val().ipv4;
        self.entry.cfg_ipv6.next = self.path.settings.val().ipv6;
        FlowLoadOut::<F>::join(&mut self.path.fl, &mut self.entry.fl);
        self.path.e_tdata.next = self.entry.m_tdata.val();
        self.path.e_tkeep.next = self.entry.m_tkeep.val();
        self.path.e_tlast.next = self.entry.m_tlast.val();
        self.path.e_meta.next = self.entry.m_meta.val();
        self.path.e_stored.next = self.entry.m_meta.val();
        FlowStreamOut::<F>::join(&mut self.entry.paced, &mut self.path.paced);
        self.path.paced_ends.next = self.entry.paced_ends.val();
        self.path.past_valid.next = self.entry.past_valid.val();
        self.entry.past_ready.next = self.path.past_ready.val();
        self.path.dropped.next = self.entry.dropped.val();
        self.entry.drop_ready.next = self.path.drop_ready.val();
        self.path.strange.next = self.entry.strange.val();
        // Nothing comes between pacer and store.
        GrantOut::<F>::join(&mut self.path.m_grant, &mut self.path.s_grant);
        ChargeOut::<F>::join(&mut self.path.m_charge, &mut self.path.s_charge);
        FlowStreamOut::<F>::join(&mut self.path.m_ring, &mut self.path.s_ring);
        // Paced frames get their places, in the order in which they leave.
        self.mark.cfg_udp_port.next = self.path.settings.val().udp_port;
        self.mark.base.next = bits::<16>(0);
        self.mark.s.tdata.next = self.path.m_store.tdata.val();
        self.mark.s.tkeep.next = self.path.m_store.tkeep.val();
        self.mark.s.tvalid.next = self.path.m_store.tvalid.val();
        self.path.m_store.tready.next = self.mark.s.tready.val();
        self.mark.s.tlast.next = self.path.m_store.tlast.val();
        self.mark.s.side.next = (bit_cast::<U, M>(self.path.m_store.meta.val()) << 64) | bit_cast::<U, 64>(self.path.m_store.launch.val());
        SideAxisOut::<W, K, U>::join(&mut self.mark.m, &mut self.path.s_gate);
        // Nothing comes between frames of the host.
        TaggedAxisOut::<W, K>::join(&mut self.path.m_both, &mut self.path.s_both);
        // Frames that leave are stamped and reported.
        self.path.x_meta.next = self.path.x_side.val().get_bits::<M>(64);
        self.exit.s_tdata.next = self.path.x_tdata.val();
        self.exit.s_tkeep.next = self.path.x_tkeep.val();
        self.exit.s_tvalid.next = self.path.x_tvalid.val();
        self.exit.s_tlast.next = self.path.x_tlast.val();
        self.exit.s_paced.next = self.path.x_paced.val();
        self.exit.s_launch.next = self.path.x_side.val().get_bits::<64>(0);
        self.exit.named.next = false;
        self.exit.s_queue.next = bits::<16>(0);
        self.exit.s_tag.next = bits::<16>(0);
        self.exit.now.next = self.path.now.val();
        self.exit.cfg_udp_port.next = self.path.settings.val().udp_port;
        self.exit.cfg_key.next = self.path.settings.val().nonce_key;
        self.record.next = self.path.fl.record.val();
        self.exit.fl.valid.next = self.path.fl.valid.val();
        self.exit.fl.flow.next = self.path.fl.flow.val();
        self.exit.fl.enable.next = self.record.val().get_bit(0);
        self.exit.fl.keep.next = self.record.val().get_bit(1);
        self.path.sent.valid.next = self.exit.sent.valid.val();
        self.path.sent.flow.next = self.exit.sent.flow.val();
        self.path.sent.segment.next = self.exit.sent.segment.val();
        self.path.sent.nonce.next = self.exit.sent.nonce.val();
        self.path.sent.first.next = self.exit.sent.first.val();
        self.path.sent.last.next = self.exit.sent.last.val();
        self.path.sent.wire_bytes.next = self.exit.sent.wire_bytes.val();
        self.path.sent.segment_bytes.next = self.exit.sent.segment_bytes.val();
        self.path.sent.place.next = self.exit.sent.place.val();
        self.path.sent.generation.next = self.exit.sent.generation.val();
        self.path.sent.launch.next = self.exit.sent.launch.val();
        self.path.sent.tag.next = self.exit.sent.tag.val();
        self.path.tx_cpl.valid.next = self.exit.sent.valid.val();
        self.path.tx_cpl.tag.next = self.exit.sent.tag.val();
        self.path.tx_cpl.ts.next = self.exit.sent_ts.val();
        // Where the MAC stamps, a frame's tag is the one that it left under.
        self.reported_tag[0].d.next = self.path.m_wire_tag.val();
        for i in 0..8 {
            self.reported_tag[i + 1].d.next = self.reported_tag[i].q.val();
        }
        if self.stamped.val().any() {
            self.path.sent.tag.next = bit_cast::<16, 8>(self.reported_tag[8].q.val());
            self.path.tx_cpl.valid.next = self.s_cpl.valid.val();
            self.path.tx_cpl.tag.next = self.s_cpl.tag.val();
            self.path.tx_cpl.ts.next = self.s_cpl.ts.val();
        }
    }
}
