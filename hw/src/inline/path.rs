//! The way of a host's packets through halves and packet store, which all in-line forms share.
#![allow(missing_docs, reason = "a group of ports has one comment")]
mod wiring;

use super::aside::Aside;
use super::bridge::Bridge;
use super::credit::Credit;
use crate::bus::{
    AxilMaster, AxilSlave, ChargeIn, ChargeOut, CompletionIn, FlowLoadOut, FlowStreamIn, FlowStreamOut, GrantIn, GrantOut, MetaAxisIn,
    MetaAxisOut, PairSourceIn, ProfileWriteOut, RateOut, SampleTapOut, SentIn, SideAxisIn, StoreWriteOut, StoredAxisOut, TaggedAxisIn,
    TaggedAxisOut,
};
use crate::constant::Const;
use crate::construct::construct;
use crate::core::Core;
use crate::csr::SettingsBus;
use crate::fifo::Fifo;
use crate::launch::Launch;
use crate::store::Store;
use crate::txmux::TxMux;
use rust_hdl::prelude::*;
use timely_regs::counters::Counter;
use timely_regs::flow;
use timely_regs::link::{ACK_TAG, PAST_TAG};
use timely_regs::map::Build;

// A kernel takes literals alone: the first two bits of a record.
const _: () = assert!(flow::ENABLE.low == 0 && flow::KEEP.low == 1 && flow::ENABLE.word == 0 && flow::KEEP.word == 0);

/// The halves and the packet store on a host's way to the wire and back, without what tells the
/// host's packets apart, and without what measures those that leave: a form of the in-line NIC
/// ([`Inline`](super::Inline), `PairInline`) has these beside it. Packets of
/// flows wait in the store until the pacer grants them, then go through the form and the launch
/// gate; others go past. Both take turns, ACKs of ours go first. Frames from the wire go to the
/// host as they are, and are looked at. Model: `timely_model::inline::nic`, with both clocks one.
///
/// `W` bus bits, 256 at least, `K = W / 8`, `F` flow bits, `2^S` places in the ring of departures,
/// `A` the greater of `F` and `S`, `M` bits that go beside a frame, `Y` those that go beside it in
/// the store, `E = K + 1`, `U = Y + 64`, `L = K + 74`; `C`, `N`, `T`, `B`, `CA`, `G`, `SM` and `P`
/// are the store's ([`Store`], its `A` and `S` here `CA` and `SM`), the rest the pacer's
/// ([`Pacer`](crate::pacer::Pacer)). What a shell emits of it has [`NoDma`](crate::dma::NoDma) in
/// DMA's place ([`replace_dma`](crate::dma::replace_dma)).
#[derive(LogicBlock)]
pub struct Path<
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
    const U: usize,
    const Y: usize,
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
    /// Frames of the host, judged: beats, their sidebands past and in the store.
    pub e_tdata: Signal<In, Bits<W>>,
    pub e_tkeep: Signal<In, Bits<K>>,
    pub e_tlast: Signal<In, Bit>,
    pub e_meta: Signal<In, Bits<M>>,
    pub e_stored: Signal<In, Bits<Y>>,
    /// The beat is of a flow's packet; that ends a segment.
    pub paced: FlowStreamIn<F>,
    pub paced_ends: Signal<In, Bit>,
    /// The beat goes past the store.
    pub past_valid: Signal<In, Bit>,
    pub past_ready: Signal<Out, Bit>,
    /// A packet is to be dropped; this is its last beat.
    pub dropped: Signal<In, Bit>,
    pub drop_ready: Signal<Out, Bit>,
    /// A packet's addresses are not those of its flow.
    pub strange: Signal<In, Bit>,
    /// Grants that the credit lets go on, and those that the form gives the store.
    pub m_grant: GrantOut<F>,
    pub s_grant: GrantIn<F>,
    /// The store's charges, and those that the form gives the pacer.
    pub m_charge: ChargeOut<F>,
    pub s_charge: ChargeIn<F>,
    /// The store's doorbells, and those that the form gives the pacer.
    pub m_ring: FlowStreamOut<F>,
    pub s_ring: FlowStreamIn<F>,
    /// Packets that leave the store, and as the form gives them back: `side` has launch 64, and the
    /// sideband.
    pub m_store: StoredAxisOut<W, K, Y>,
    pub s_gate: SideAxisIn<W, K, U>,
    /// Frames past the store and through it, and as the form gives them back.
    pub m_both: TaggedAxisOut<W, K>,
    pub s_both: TaggedAxisIn<W, K>,
    /// Beats that leave; of a frame from the store with what goes beside it, of which the form cuts
    /// out the host's sideband.
    pub x_tdata: Signal<Out, Bits<W>>,
    pub x_tkeep: Signal<Out, Bits<K>>,
    pub x_tvalid: Signal<Out, Bit>,
    pub x_tlast: Signal<Out, Bit>,
    pub x_paced: Signal<Out, Bit>,
    pub x_side: Signal<Out, Bits<U>>,
    pub x_meta: Signal<In, Bits<M>>,
    /// Frames of flows that left, and departed.
    pub sent: SentIn<F>,
    pub tx_cpl: CompletionIn,
    /// Queue pairs.
    pub pairs: PairSourceIn<F>,
    /// Counted events and readiness of the form.
    pub form_pulses: Signal<In, Bits<64>>,
    pub form_swept: Signal<In, Bit>,
    /// The host waits where the store is full, whatever the setting.
    pub waits: Signal<In, Bit>,
    /// From the core: settings, buses, writes of registers, times.
    pub settings: Signal<Out, SettingsBus>,
    pub fl: FlowLoadOut<F>,
    pub pw: ProfileWriteOut,
    pub st: StoreWriteOut,
    pub clearing: Signal<Out, Bit>,
    pub steady: Signal<Out, Bits<64>>,
    pub time_offset: Signal<Out, Bits<64>>,
    pub time_epoch: Signal<Out, Bits<2>>,
    pub departed_epoch: Signal<Out, Bits<2>>,
    /// Stamp of the frame that comes from the wire.
    pub rx_ts: Signal<Out, Bits<64>>,
    /// Tap: an RTT sample or a time-out.
    pub tap_sample: SampleTapOut<F>,
    pub tap_rate: RateOut<F>,
    /// Tap: an event record is dropped.
    pub tap_rec_valid: Signal<Out, Bit>,
    pub tap_rec_data: Signal<Out, Bits<512>>,
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
    /// Reset, as the blocks see it: a clock late.
    pub reset_out: Signal<Out, Bit>,
    /// The beat's frame went past the store.
    pub m_wire_past: Signal<Out, Bit>,
    /// Tag of a paced frame, in a ring of 256.
    pub m_wire_tag: Signal<Out, Bits<8>>,
    /// A frame of the host went into the store, or was dropped in front of it.
    pub stored: Signal<Out, Bit>,
    /// Sideband of the frame that `stored` tells of.
    pub stored_meta: Signal<Out, Bits<M>>,
    wire_tag: DFF<Bits<8>>,
    /// Stamps are the MAC's, as dates; else frames are stamped at the core's ports.
    stamped: Const<Bits<1>>,
    reset: DFF<Bit>,
    bridge: Bridge,
    core: Core<W, K, F, S, A, X, D, XA, XY, FB, FS, FR, FZ, FW>,
    credit: Credit,
    store: Store<W, K, F, C, N, T, B, CA, G, Y, SM, P>,
    gate: Launch<W, K, L>,
    merge: TxMux<W, K>,
    // Launch 64, what goes beside it: of paced frames between the store and the wire.
    sides: Fifo<U, 5, 6>,
    // The same of the others.
    past: Fifo<M, 4, 5>,
    /// Frames from the wire, which a host that stops taking them loses.
    arriving: Aside<W, K, M, E>,
    /// Inside a frame: of the store, past it, to the wire.
    paced_inside: DFF<Bit>,
    past_inside: DFF<Bit>,
    wire_inside: DFF<Bit>,
    ack_bytes: DFF<Bits<16>>,
    /// Lost frames that are still to be counted, and packets with another flow's number, 127 at
    /// most.
    missing: DFF<Bits<8>>,
    strangers: DFF<Bits<8>>,
    missed_bit: Const<Bits<64>>,
    refused_bit: Const<Bits<64>>,
    discarded_bit: Const<Bits<64>>,
    doorbell_bit: Const<Bits<64>>,
    frames_bit: Const<Bits<64>>,
    past_tag: Const<Bits<16>>,
    ack_tag: Const<Bits<16>>,
    record: Signal<Local, Bits<512>>,
    paced_here: Signal<Local, Bit>,
    gate_takes: Signal<Local, Bit>,
    past_here: Signal<Local, Bit>,
    past_takes: Signal<Local, Bit>,
    is_ack: Signal<Local, Bit>,
    is_past: Signal<Local, Bit>,
    beside: Signal<Local, Bit>,
    offered: Signal<Local, Bit>,
    leaves: Signal<Local, Bit>,
    ends: Signal<Local, Bit>,
    side: Signal<Local, Bits<U>>,
    bytes: Signal<Local, Bits<W>>,
    counted: Signal<Local, Bits<8>>,
    outside: Signal<Local, Bits<16>>,
    length: Signal<Local, Bits<16>>,
    is_v6: Signal<Local, Bit>,
    is_tagged: Signal<Local, Bit>,
    /// Frames of this clock that are lost on the ways to and from the host.
    lost_here: Signal<Local, Bits<8>>,
    lost_sum: Signal<Local, Bits<8>>,
    loses: Signal<Local, Bit>,
    discards: Signal<Local, Bit>,
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
    const U: usize,
    const Y: usize,
> Path<W, K, F, S, A, X, D, XA, XY, FB, FS, FR, FZ, FW, L, C, N, T, B, CA, G, M, SM, P, E, U, Y>
{
    /// The way through a design that is built with these numbers, whose MAC stamps or does not.
    pub fn new(build: &Build, stamped: bool) -> Self {
        Self::around(build, stamped, Core::new(build))
    }

    /// As [`Path::new`], where no bound counts of what is outstanding.
    pub fn unbounded(build: &Build, stamped: bool) -> Self {
        Self::around(build, stamped, Core::unbounded(build))
    }

    fn around(_build: &Build, stamped: bool, core: Core<W, K, F, S, A, X, D, XA, XY, FB, FS, FR, FZ, FW>) -> Self {
        assert!(E == K + 1 && U == Y + 64, "widths of a core of {W} bits and 2^{F} flows");
        let bit = |c: Counter| Const::new(bits::<64>(1 << c as u64));
        construct!({
            core: core,
            missed_bit: bit(Counter::LaunchesMissed),
            stamped: Const::new(bits::<1>(stamped.into())),
            refused_bit: bit(Counter::PacketsRefused),
            discarded_bit: bit(Counter::PacketsDiscarded),
            doorbell_bit: bit(Counter::DoorbellsRefused),
            frames_bit: bit(Counter::TxFrames),
            past_tag: Const::new(bits::<16>(u64::from(PAST_TAG))),
            ack_tag: Const::new(bits::<16>(u64::from(ACK_TAG))), credit: Credit::new(), store: Store::new(), arriving: Aside::new() }
            clk, rst, axil_clk, axil_rst, s_axil, e_tdata, e_tkeep, e_tlast, e_meta, e_stored, paced, paced_ends, past_valid, past_ready, dropped, drop_ready, strange, m_grant, s_grant, m_charge, s_charge, m_ring, s_ring, m_store, s_gate, m_both, s_both, x_tdata, x_tkeep, x_tvalid, x_tlast, x_paced, x_side, x_meta, sent, tx_cpl, pairs, form_pulses, form_swept, waits, settings, fl, pw, st, clearing, steady, time_offset, time_epoch, departed_epoch, rx_ts, tap_sample, tap_rate, tap_rec_valid, tap_rec_data, reset_out, m_wire, m_wire_ack, m_wire_ack_bytes, s_wire, m_host, pause, lost, now, stopped, ptp_valid, ptp_time, s_wire_ts, m_wire_past, m_wire_tag, stored, stored_meta, wire_tag, reset, bridge, gate, merge, sides, past, paced_inside, past_inside, wire_inside, ack_bytes, missing, strangers, record, paced_here, gate_takes, past_here, past_takes, is_ack, is_past, beside, offered, leaves, ends, side, bytes, counted, outside, length, is_v6, is_tagged, loses, discards, lost_here, lost_sum)
    }
}
