//! The way of a host's packets through halves and packet store, which all in-line forms share.
#![allow(missing_docs, reason = "a group of ports has one comment")]
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
> Logic for Path<W, K, F, S, A, X, D, XA, XY, FB, FS, FR, FZ, FW, L, C, N, T, B, CA, G, M, SM, P, E, U, Y>
{
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, reset, paced_inside, past_inside, wire_inside, ack_bytes, missing, strangers, wire_tag);
        // One register in front of a signal that nearly every register of the design reads.
        self.reset.d.next = self.rst.val();
        self.core.clk.next = self.clk.val();
        self.core.rst.next = self.reset.q.val();
        self.credit.clk.next = self.clk.val();
        self.credit.rst.next = self.reset.q.val();
        self.store.clk.next = self.clk.val();
        self.store.rst.next = self.reset.q.val();
        self.gate.clk.next = self.clk.val();
        self.gate.rst.next = self.reset.q.val();
        self.merge.clk.next = self.clk.val();
        self.merge.rst.next = self.reset.q.val();
        self.sides.clk.next = self.clk.val();
        self.sides.rst.next = self.reset.q.val();
        self.past.clk.next = self.clk.val();
        self.past.rst.next = self.reset.q.val();
        self.arriving.clk.next = self.clk.val();
        self.arriving.rst.next = self.reset.q.val();
        // Registers.
        self.bridge.clk.next = self.clk.val();
        self.bridge.rst.next = self.reset.q.val();
        self.bridge.s_clk.next = self.axil_clk.val();
        self.bridge.s_rst.next = self.axil_rst.val();
        AxilSlave::<24>::link(&mut self.s_axil, &mut self.bridge.s_axil);
        AxilMaster::<24>::join(&mut self.bridge.m_axil, &mut self.core.s_axil);
        self.reset_out.next = self.reset.q.val();
        self.settings.next = self.core.settings.val();
        FlowLoadOut::<F>::link(&mut self.fl, &mut self.core.fl);
        ProfileWriteOut::link(&mut self.pw, &mut self.core.pw);
        StoreWriteOut::link(&mut self.st, &mut self.core.st);
        self.clearing.next = self.core.clearing.val();
        self.steady.next = self.core.steady.val();
        self.time_offset.next = self.core.time_offset.val();
        self.time_epoch.next = self.core.time_epoch.val();
        self.departed_epoch.next = self.core.departed_epoch.val();
        PairSourceIn::<F>::link(&mut self.pairs, &mut self.core.pairs);
        SentIn::<F>::link(&mut self.sent, &mut self.core.sent);
        CompletionIn::link(&mut self.tx_cpl, &mut self.core.tx_cpl);
        SampleTapOut::<F>::link(&mut self.tap_sample, &mut self.core.tap_sample);
        RateOut::<F>::link(&mut self.tap_rate, &mut self.core.rate);
        self.tap_rec_valid.next = self.core.tap_rec_valid.val();
        self.tap_rec_data.next = self.core.tap_rec_data.val();
        // From the host: packets of flows wait in the store for grants, the rest goes past it.
        self.store.s.tdata.next = self.e_tdata.val();
        self.store.s.tkeep.next = self.e_tkeep.val();
        self.store.s.tvalid.next = self.paced.valid.val();
        self.paced.ready.next = self.store.s.tready.val();
        self.store.s.tlast.next = self.e_tlast.val();
        self.store.s_flow.next = self.paced.flow.val();
        self.store.s.meta.next = self.e_stored.val();
        self.store.s_ends.next = self.paced_ends.val();
        self.record.next = self.fl.record.val();
        self.store.fl.valid.next = self.fl.valid.val();
        self.store.fl.flow.next = self.fl.flow.val();
        self.store.fl.enable.next = self.record.val().get_bit(0);
        self.store.fl.keep.next = self.record.val().get_bit(1);
        self.store.cfg_bound.next = self.core.settings.val().store_bound;
        self.store.cfg_wait.next = self.core.settings.val().store_wait.any() | self.waits.val();
        // A packet that is dropped on its way in waits until no other is counted.
        self.loses.next = self.store.malformed.val() | self.store.voided.val();
        self.drop_ready.next = !self.loses.val();
        self.stored_meta.next = self.e_meta.val();
        self.stored.next =
            (self.dropped.val() & self.drop_ready.val()) | (self.paced.valid.val() & (self.store.s.tready.val() & self.e_tlast.val()));
        // Store and pacer, and between them the form.
        self.m_ring.valid.next = self.store.doorbell.valid.val();
        self.m_ring.flow.next = self.store.doorbell.flow.val();
        self.store.doorbell.ready.next = self.m_ring.ready.val();
        self.core.doorbell.valid.next = self.s_ring.valid.val();
        self.core.doorbell.flow.next = self.s_ring.flow.val();
        self.core.doorbell.packets.next = bits::<16>(1);
        self.s_ring.ready.next = self.core.doorbell.ready.val();
        self.m_charge.valid.next = self.store.charge_valid.val();
        self.m_charge.flow.next = self.store.charge_flow.val();
        self.m_charge.bytes.next = self.store.charge_bytes.val();
        self.m_charge.ends.next = self.store.charge_ends.val();
        ChargeIn::<F>::link(&mut self.s_charge, &mut self.core.charge);
        // Grants are taken while little waits for the wire. A charge that is not the store's is of
        // a grant that lets no packet go.
        self.credit.cfg_line_rate.next = self.core.settings.val().line_rate;
        self.credit.s_valid.next = self.core.grant.valid.val();
        self.core.grant.ready.next = self.credit.s_ready.val();
        self.credit.m_ready.next = self.m_grant.ready.val();
        self.m_grant.valid.next = self.credit.m_valid.val();
        self.m_grant.flow.next = self.core.grant.flow.val();
        self.m_grant.launch.next = self.core.grant.launch.val();
        GrantIn::<F>::link(&mut self.s_grant, &mut self.store.grant);
        self.credit.charge_valid.next = self.s_charge.valid.val();
        self.credit.charge_bytes.next = bits::<16>(0);
        if self.store.charge_valid.val() {
            self.credit.charge_bytes.next = self.store.charge_bytes.val();
        }
        // Packets from the store go through the form.
        StoredAxisOut::<W, K, Y>::link(&mut self.m_store, &mut self.store.m);
        // Then through the gate; what goes beside them in a queue of its own.
        self.gate_takes.next = self.gate.s.tready.val() & self.sides.i_ready.val();
        self.paced_here.next = self.s_gate.tvalid.val() & self.gate_takes.val();
        self.s_gate.tready.next = self.gate_takes.val();
        self.gate.s.tdata.next = self.s_gate.tdata.val();
        self.gate.s.tkeep.next = self.s_gate.tkeep.val();
        self.gate.s.tvalid.next = self.s_gate.tvalid.val() & self.sides.i_ready.val();
        self.gate.s.tlast.next = self.s_gate.tlast.val();
        self.gate.s.tag.next = bits::<16>(0);
        self.gate.s_timed.next = self.core.settings.val().lead.any();
        self.gate.s_launch.next = self.s_gate.side.val().get_bits::<64>(0);
        self.gate.now.next = self.core.steady.val();
        self.sides.i_valid.next = (self.s_gate.tvalid.val() & self.gate.s.tready.val()) & !self.paced_inside.q.val();
        self.sides.i_data.next = self.s_gate.side.val();
        if self.paced_here.val() {
            self.paced_inside.d.next = !self.s_gate.tlast.val();
        }
        // Both streams by turns.
        self.past_takes.next = self.merge.a.tready.val() & self.past.i_ready.val();
        self.past_here.next = self.past_valid.val() & self.past_takes.val();
        self.past_ready.next = self.past_takes.val();
        self.merge.fair.next = true;
        self.merge.a.tdata.next = self.e_tdata.val();
        self.merge.a.tkeep.next = self.e_tkeep.val();
        self.merge.a.tvalid.next = self.past_valid.val() & self.past.i_ready.val();
        self.merge.a.tlast.next = self.e_tlast.val();
        self.past.i_valid.next = (self.past_valid.val() & self.merge.a.tready.val()) & !self.past_inside.q.val();
        self.past.i_data.next = self.e_meta.val();
        if self.past_here.val() {
            self.past_inside.d.next = !self.e_tlast.val();
        }
        self.merge.d.tdata.next = self.gate.m.tdata.val();
        self.merge.d.tkeep.next = self.gate.m.tkeep.val();
        self.merge.d.tvalid.next = self.gate.m.tvalid.val();
        self.merge.d.tlast.next = self.gate.m.tlast.val();
        self.merge.d.tag.next = bits::<16>(0);
        self.gate.m.tready.next = self.merge.d.tready.val();
        self.m_both.tdata.next = self.merge.m.tdata.val();
        self.m_both.tkeep.next = self.merge.m.tkeep.val();
        self.m_both.tvalid.next = self.merge.m.tvalid.val();
        self.m_both.tlast.next = self.merge.m.tlast.val();
        self.m_both.tag.next = bits::<16>(0);
        if self.merge.m.tag.val() == self.ack_tag.val() {
            self.m_both.tag.next = self.past_tag.val();
        }
        self.merge.m.tready.next = self.m_both.tready.val();
        TaggedAxisIn::<W, K>::link(&mut self.s_both, &mut self.core.d);
        // To the wire, ACKs first: a frame waits for what goes beside it.
        self.is_ack.next = self.core.m_axis_tx.tag.val() == self.ack_tag.val();
        self.is_past.next = self.core.m_axis_tx.tag.val() == self.past_tag.val();
        self.side.next = self.sides.o_data.val();
        self.m_wire.meta.next = self.x_meta.val();
        self.beside.next = self.sides.o_valid.val();
        if self.is_past.val() {
            self.beside.next = self.past.o_valid.val();
            self.m_wire.meta.next = self.past.o_data.val();
        }
        if self.is_ack.val() {
            self.beside.next = true;
        }
        self.offered.next = self.core.m_axis_tx.tvalid.val() & self.beside.val();
        self.leaves.next = self.offered.val() & self.m_wire.tready.val();
        self.ends.next = self.leaves.val() & self.core.m_axis_tx.tlast.val();
        self.core.m_axis_tx.tready.next = self.m_wire.tready.val() & self.beside.val();
        self.sides.o_ready.next = self.ends.val() & (!self.is_ack.val() & !self.is_past.val());
        self.past.o_ready.next = self.ends.val() & self.is_past.val();
        self.bytes.next = self.core.m_axis_tx.tdata.val();
        self.m_wire.tdata.next = self.bytes.val();
        self.m_wire.tkeep.next = self.core.m_axis_tx.tkeep.val();
        self.m_wire.tvalid.next = self.offered.val();
        self.m_wire.tlast.next = self.core.m_axis_tx.tlast.val();
        self.m_wire_ack.next = self.is_ack.val();
        // Bytes of an ACK or a notification: the low byte of the length in its IP header, and those
        // that it does not count. EtherTypes 0x8100 and 0x86dd, the first byte lowest.
        self.is_tagged.next = self.bytes.val().get_bits::<16>(96) == bits::<16>(0x0081);
        self.is_v6.next = self.bytes.val().get_bits::<16>(96) == bits::<16>(0xdd86);
        self.counted.next = self.bytes.val().get_bits::<8>(136);
        self.outside.next = bits::<16>(14);
        if self.is_v6.val() {
            self.counted.next = self.bytes.val().get_bits::<8>(152);
            self.outside.next = bits::<16>(54);
        }
        if self.is_tagged.val() {
            self.is_v6.next = self.bytes.val().get_bits::<16>(128) == bits::<16>(0xdd86);
            self.counted.next = self.bytes.val().get_bits::<8>(168);
            self.outside.next = bits::<16>(18);
            if self.is_v6.val() {
                self.counted.next = self.bytes.val().get_bits::<8>(184);
                self.outside.next = bits::<16>(58);
            }
        }
        self.length.next = bit_cast::<16, 8>(self.counted.val()) + self.outside.val();
        self.m_wire_ack_bytes.next = self.ack_bytes.q.val();
        if !self.wire_inside.q.val() {
            self.ack_bytes.d.next = self.length.val();
            self.m_wire_ack_bytes.next = self.length.val();
        }
        self.credit.begins.next = (self.leaves.val() & !self.wire_inside.q.val()) & (!self.is_ack.val() & !self.is_past.val());
        if self.leaves.val() {
            self.wire_inside.d.next = !self.core.m_axis_tx.tlast.val();
        }
        // Frames that leave, for the form.
        self.x_tdata.next = self.bytes.val();
        self.x_tkeep.next = self.core.m_axis_tx.tkeep.val();
        self.x_tvalid.next = self.leaves.val();
        self.x_tlast.next = self.core.m_axis_tx.tlast.val();
        self.x_paced.next = !self.is_ack.val() & !self.is_past.val();
        self.x_side.next = self.side.val();
        self.m_wire_tag.next = self.wire_tag.q.val();
        self.m_wire_past.next = self.is_past.val();
        if self.ends.val() & (!self.is_ack.val() & !self.is_past.val()) {
            self.wire_tag.d.next = self.wire_tag.q.val() + bits::<8>(1);
        }
        // From the wire: parsed as it is taken, and to the host.
        self.s_wire.tready.next = !self.reset.q.val();
        self.arriving.s_tvalid.next = self.s_wire.tvalid.val();
        self.arriving.s_tdata.next = self.s_wire.tdata.val();
        self.arriving.s_tkeep.next = self.s_wire.tkeep.val();
        self.arriving.s_tlast.next = self.s_wire.tlast.val();
        self.arriving.s_meta.next = self.s_wire.meta.val();
        MetaAxisOut::<W, K, M>::link(&mut self.m_host, &mut self.arriving.m);
        self.core.s_axis_rx.tdata.next = self.s_wire.tdata.val();
        self.core.s_axis_rx.tkeep.next = self.s_wire.tkeep.val();
        self.core.s_axis_rx.tvalid.next = self.s_wire.tvalid.val();
        self.core.s_axis_rx.tlast.next = self.s_wire.tlast.val();
        self.rx_ts.next = self.core.date.val();
        if self.stamped.val().any() {
            self.rx_ts.next = self.s_wire_ts.val();
        }
        self.core.s_axis_rx.ts.next = self.rx_ts.val();
        self.core.s_axis_rx.bad.next = false;
        self.core.pause.next = self.pause.val();
        self.core.ptp_valid.next = self.ptp_valid.val() & self.stamped.val().any();
        self.core.ptp_time.next = self.ptp_time.val();
        self.now.next = self.core.date.val();
        self.stopped.next = self.core.stop.val();
        // Doorbells are the store's alone.
        self.core.hd.ready.next = true;
        self.core.source_pulses.next = self.form_pulses.val();
        if self.gate.missed.val() {
            self.core.source_pulses.next = self.core.source_pulses.val() | self.missed_bit.val();
        }
        if self.sent.valid.val() {
            self.core.source_pulses.next = self.core.source_pulses.val() | self.frames_bit.val();
        }
        if self.core.hd.valid.val() {
            self.core.source_pulses.next = self.core.source_pulses.val() | self.doorbell_bit.val();
        }
        // One of each kind counts a clock; those that come together wait for their turn.
        if self.store.refused.val() | (self.strange.val() | self.strangers.q.val().any()) {
            self.core.source_pulses.next = self.core.source_pulses.val() | self.refused_bit.val();
        }
        if self.strange.val() & (self.store.refused.val() & !self.strangers.q.val().get_bit(7)) {
            self.strangers.d.next = self.strangers.q.val() + bits::<8>(1);
        }
        if (!self.strange.val() & !self.store.refused.val()) & self.strangers.q.val().any() {
            self.strangers.d.next = self.strangers.q.val() - bits::<8>(1);
        }
        self.discards.next = self.loses.val() | self.dropped.val();
        self.lost_here.next = (bit_cast::<8, 1>(self.discards.val().into()) + bit_cast::<8, 1>(self.lost.val().into()))
            + bit_cast::<8, 1>(self.arriving.dropped.val().into());
        self.lost_sum.next = self.lost_here.val() + self.missing.q.val();
        if self.lost_sum.val().any() {
            self.core.source_pulses.next = self.core.source_pulses.val() | self.discarded_bit.val();
            self.missing.d.next = self.lost_sum.val() - bits::<8>(1);
            if self.lost_sum.val().get_bit(7) {
                self.missing.d.next = bits::<8>(127);
            }
        }
        self.core.source_swept.next = self.store.swept.val() & self.form_swept.val();
        // There is no memory, and nothing in DMA's place asks for it.
        self.core.m_axi.awready.next = false;
        self.core.m_axi.wready.next = false;
        self.core.m_axi.arready.next = false;
        self.core.m_axi.bvalid.next = false;
        self.core.m_axi.bresp.next = bits::<2>(0);
        self.core.m_axi.rvalid.next = false;
        self.core.m_axi.rdata.next = bits::<W>(0);
        self.core.m_axi.rresp.next = bits::<2>(0);
        self.core.m_axi.rlast.next = false;
        if self.reset.q.val() {
            self.paced_inside.d.next = false;
            self.past_inside.d.next = false;
            self.wire_inside.d.next = false;
            self.missing.d.next = bits::<8>(0);
            self.strangers.d.next = bits::<8>(0);
            self.wire_tag.d.next = bits::<8>(0);
        }
    }
}
