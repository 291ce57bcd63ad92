//! How the parts of the way from the host to the wire join.
use super::*;

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
