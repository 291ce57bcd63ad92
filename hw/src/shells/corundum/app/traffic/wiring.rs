//! How the parts of the generator's block join.
use super::*;

impl<
    const W: usize,
    const K: usize,
    const F: usize,
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
> Logic for Traffic<W, K, F, X, D, XA, XY, FB, FS, FR, FZ, FW, L>
{
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self,
            clk,
            sweep,
            rate_1,
            rate_flow_1,
            rate_value_1,
            rate_host,
            rate_own,
            rate_flow_2,
            rate_value_2,
            release_1,
            release_flow_1,
            release_bytes_1,
            release_host,
            release_own,
            release_flow_2
        );
        dff_setup!(
            self,
            clk,
            release_bytes_2,
            report_1,
            report_is_1,
            report_2,
            report_is_2,
            held,
            held_is,
            reported,
            left,
            says_1,
            says_flow_1,
            again_1,
            own_1,
            limited_1
        );
        dff_setup!(self, clk, says_2, says_flow_2, limited_2, idles_1, idle_flow_1, counted, grants, refusals, misses);
        self.pacer.clk.next = self.clk.val();
        self.pacer.rst.next = self.rst.val();
        self.generator.clk.next = self.clk.val();
        self.generator.rst.next = self.rst.val();
        self.gate.clk.next = self.clk.val();
        self.gate.rst.next = self.rst.val();
        self.merge.clk.next = self.clk.val();
        self.merge.rst.next = self.rst.val();
        self.idles.clk.next = self.clk.val();
        self.idles.rst.next = self.rst.val();
        self.limits.clk.next = self.clk.val();
        self.limits.rst.next = self.rst.val();
        self.loaded.clk.next = self.clk.val();
        self.loaded.rst.next = self.rst.val();
        self.of_rate.read_clock.next = self.clk.val();
        self.of_rate.write_clock.next = self.clk.val();
        self.of_release.read_clock.next = self.clk.val();
        self.of_release.write_clock.next = self.clk.val();
        self.of_report.read_clock.next = self.clk.val();
        self.of_report.write_clock.next = self.clk.val();
        self.of_limit.read_clock.next = self.clk.val();
        self.of_limit.write_clock.next = self.clk.val();
        self.heard.read_clock.next = self.clk.val();
        self.heard.write_clock.next = self.clk.val();
        self.is_swept.next = (self.sweep.q.val() & self.sweep_end.val()).any();
        self.at.next = self.sweep.q.val();
        if !self.is_swept.val() {
            self.sweep.d.next = self.sweep.q.val() + bits::<FS>(1);
        }
        self.swept.next = self.is_swept.val() & (self.pacer.swept.val() & self.generator.swept.val());
        // Owner of a flow. One that is not ours does not exist here.
        self.is_own.next = self.fl.record.val().get_bit(0) & self.fl.record.val().get_bit(2);
        self.own_record.next = self.fl.record.val();
        if !self.is_own.val() {
            self.own_record.next = self.fl.record.val().replace_bit(0, false);
        }
        self.own_bit.next = bit_cast::<1, 1>(self.is_own.val().into());
        self.writes.next = self.fl.valid.val();
        self.write_at.next = self.fl.flow.val();
        if !self.is_swept.val() {
            self.own_bit.next = bits::<1>(0);
            self.writes.next = true;
            self.write_at.next = self.at.val().get_bits::<F>(0);
        }
        self.of_rate.write_enable.next = self.writes.val();
        self.of_rate.write_address.next = self.write_at.val();
        self.of_rate.write_data.next = self.own_bit.val();
        self.of_release.write_enable.next = self.writes.val();
        self.of_release.write_address.next = self.write_at.val();
        self.of_release.write_data.next = self.own_bit.val();
        self.of_report.write_enable.next = self.writes.val();
        self.of_report.write_address.next = self.write_at.val();
        self.of_report.write_data.next = self.own_bit.val();
        self.of_limit.write_enable.next = self.writes.val();
        self.of_limit.write_address.next = self.write_at.val();
        self.of_limit.write_data.next = self.own_bit.val();
        self.of_rate.read_address.next = self.rate.flow.val();
        self.rate_1.d.next = self.rate.valid.val() & self.is_swept.val();
        self.rate_flow_1.d.next = self.rate.flow.val();
        self.rate_value_1.d.next = self.rate.value.val();
        self.rate_host.d.next = self.rate_1.q.val() & !self.of_rate.read_data.val().any();
        self.rate_own.d.next = self.rate_1.q.val() & self.of_rate.read_data.val().any();
        self.rate_flow_2.d.next = self.rate_flow_1.q.val();
        self.rate_value_2.d.next = self.rate_value_1.q.val();
        self.down_rate.valid.next = self.rate_host.q.val();
        self.down_rate.flow.next = self.rate_flow_2.q.val();
        self.down_rate.value.next = self.rate_value_2.q.val();
        self.pacer.rate.valid.next = self.rate_own.q.val();
        self.pacer.rate.flow.next = self.rate_flow_2.q.val();
        self.pacer.rate.value.next = self.rate_value_2.q.val();
        self.of_release.read_address.next = self.release.flow.val();
        self.release_1.d.next = self.release.valid.val() & self.is_swept.val();
        self.release_flow_1.d.next = self.release.flow.val();
        self.release_bytes_1.d.next = self.release.bytes.val();
        self.release_host.d.next = self.release_1.q.val() & !self.of_release.read_data.val().any();
        self.release_own.d.next = self.release_1.q.val() & self.of_release.read_data.val().any();
        self.release_flow_2.d.next = self.release_flow_1.q.val();
        self.release_bytes_2.d.next = self.release_bytes_1.q.val();
        self.down_release.valid.next = self.release_host.q.val();
        self.down_release.flow.next = self.release_flow_2.q.val();
        self.down_release.bytes.next = self.release_bytes_2.q.val();
        self.pacer.release.valid.next = self.release_own.q.val();
        self.pacer.release.flow.next = self.release_flow_2.q.val();
        self.pacer.release.bytes.next = self.release_bytes_2.q.val();
        // Pacer and generator.
        self.pacer.fl.valid.next = self.fl.valid.val();
        self.pacer.fl.flow.next = self.fl.flow.val();
        self.pacer.fl.record.next = self.own_record.val();
        ProfileWriteIn::link(&mut self.pw, &mut self.pacer.pw);
        self.pacer.stop.next = self.stop.val();
        self.pacer.pause.next = bits::<8>(0);
        self.pacer.now.next = self.later.val();
        self.pacer.doorbell_valid.next = self.generator.doorbell.valid.val();
        self.pacer.doorbell_flow.next = self.generator.doorbell.flow.val();
        self.pacer.doorbell_packets.next = self.generator.doorbell.packets.val();
        self.generator.doorbell.ready.next = self.pacer.doorbell_ready.val();
        self.pacer.charge_valid.next = self.generator.charge.valid.val();
        self.pacer.charge_flow.next = self.generator.charge.flow.val();
        self.pacer.charge_bytes.next = self.generator.charge.bytes.val();
        self.pacer.charge_ends.next = self.generator.charge.ends.val();
        GrantOut::<F>::join(&mut self.pacer.grant, &mut self.generator.grant);
        self.generator.cfg_mac.next = self.cfg_mac.val();
        self.generator.cfg_ipv4.next = self.cfg_ipv4.val();
        self.generator.cfg_ipv6.next = self.cfg_ipv6.val();
        self.generator.cfg_key.next = self.cfg_key.val();
        self.generator.cfg_keyed.next = self.cfg_keyed.val();
        self.generator.fl.valid.next = self.fl.valid.val();
        self.generator.fl.flow.next = self.fl.flow.val();
        self.generator.fl.record.next = self.own_record.val();
        DoorbellIn::<F>::link(&mut self.hd, &mut self.generator.hd);
        // The generator's frames wait for their launch, and take turns with the core's.
        self.gate.now.next = self.now.val();
        self.gate.s.tdata.next = self.generator.m.tdata.val();
        self.gate.s.tkeep.next = self.generator.m.tkeep.val();
        self.gate.s.tvalid.next = self.generator.m.tvalid.val();
        self.gate.s.tlast.next = self.generator.m.tlast.val();
        self.gate.s.tag.next = bits::<16>(0);
        self.gate.s_timed.next = true;
        self.gate.s_launch.next = self.generator.sent.launch.val();
        self.generator.m.tready.next = self.gate.s.tready.val();
        self.merge.fair.next = true;
        self.merge.a.tdata.next = self.gate.m.tdata.val();
        self.merge.a.tkeep.next = self.gate.m.tkeep.val();
        self.merge.a.tvalid.next = self.gate.m.tvalid.val();
        self.merge.a.tlast.next = self.gate.m.tlast.val();
        self.gate.m.tready.next = self.merge.a.tready.val();
        TaggedAxisIn::<W, K>::link(&mut self.d, &mut self.merge.d);
        self.m.tdata.next = self.merge.m.tdata.val();
        self.m.tkeep.next = self.merge.m.tkeep.val();
        self.m.tvalid.next = self.merge.m.tvalid.val();
        self.m.tlast.next = self.merge.m.tlast.val();
        self.merge.m.tready.next = self.m.tready.val();
        self.is_ours.next = self.merge.m.tag.val() == self.ack_tag.val();
        self.m.tag.next = self.merge.m.tag.val();
        if self.is_ours.val() {
            self.m.tag.next = (bit_cast::<16, 7>(self.left.q.val().get_bits::<7>(0)) | bits::<16>(128))
                | (bit_cast::<16, 6>(self.left.q.val().get_bits::<6>(7)) << 8);
        }
        if (self.is_ours.val() & self.merge.m.tlast.val()) & (self.merge.m.tvalid.val() & self.m.tready.val()) {
            self.left.d.next = self.left.q.val() + bits::<13>(1);
        }
        // Reports: none of a flow that is ours by another's frame; the core's first, and no two of
        // either side are at clocks that follow each other.
        self.of_report.read_address.next = self.host_sent.flow.val();
        self.report_1.d.next = self.host_sent.valid.val() & self.is_swept.val();
        self.report.next = bit_cast::<228, 16>(self.host_sent.tag.val())
            | (bit_cast::<228, F>(self.host_sent.flow.val()) << 16)
            | (bit_cast::<228, 32>(self.host_sent.segment.val()) << 32)
            | (bit_cast::<228, 32>(self.host_sent.nonce.val()) << 64)
            | (bit_cast::<228, 1>(self.host_sent.first.val().into()) << 96)
            | (bit_cast::<228, 1>(self.host_sent.last.val().into()) << 97)
            | (bit_cast::<228, 16>(self.host_sent.wire_bytes.val()) << 98)
            | (bit_cast::<228, 32>(self.host_sent.segment_bytes.val()) << 114)
            | (bit_cast::<228, 64>(self.host_sent.launch.val()) << 146)
            | (bit_cast::<228, 16>(self.host_sent.place.val()) << 210)
            | (bit_cast::<228, 2>(self.host_sent.generation.val()) << 226);
        self.report_is_1.d.next = self.report.val();
        self.report_2.d.next = self.report_1.q.val() & !self.of_report.read_data.val().any();
        self.report_is_2.d.next = self.report_is_1.q.val();
        self.own_tag.next = (bit_cast::<16, 7>(self.reported.q.val().get_bits::<7>(0)) | bits::<16>(128))
            | (bit_cast::<16, 6>(self.reported.q.val().get_bits::<6>(7)) << 8);
        self.own_report.next = bit_cast::<228, 16>(self.own_tag.val())
            | (bit_cast::<228, F>(self.generator.sent.flow.val()) << 16)
            | (bit_cast::<228, 32>(self.generator.sent.segment.val()) << 32)
            | (bit_cast::<228, 32>(self.generator.sent.nonce.val()) << 64)
            | (bit_cast::<228, 1>(self.generator.sent.first.val().into()) << 96)
            | (bit_cast::<228, 1>(self.generator.sent.last.val().into()) << 97)
            | (bit_cast::<228, 16>(self.generator.sent.wire_bytes.val()) << 98)
            | (bit_cast::<228, 32>(self.generator.sent.segment_bytes.val()) << 114)
            | (bit_cast::<228, 64>(self.generator.sent.launch.val()) << 146)
            | (bit_cast::<228, 16>(self.generator.sent.place.val()) << 210)
            | (bit_cast::<228, 2>(self.generator.sent.generation.val()) << 226);
        if self.generator.sent.valid.val() {
            self.reported.d.next = self.reported.q.val() + bits::<13>(1);
        }
        self.host.next = self.report_2.q.val();
        self.out.next = self.own_report.val();
        self.out_valid.next = self.generator.sent.valid.val() | (self.held.q.val() | self.host.val());
        if self.host.val() {
            self.out.next = self.report_is_2.q.val();
            self.held.d.next = self.held.q.val() | self.generator.sent.valid.val();
            if !self.held.q.val() {
                self.held_is.d.next = self.own_report.val();
            }
        } else if self.held.q.val() {
            self.out.next = self.held_is.q.val();
            self.held.d.next = self.generator.sent.valid.val();
            self.held_is.d.next = self.own_report.val();
        }
        self.sent.valid.next = self.out_valid.val();
        self.sent.tag.next = self.out.val().get_bits::<16>(0);
        self.sent.flow.next = self.out.val().get_bits::<F>(16);
        self.sent.segment.next = self.out.val().get_bits::<32>(32);
        self.sent.nonce.next = self.out.val().get_bits::<32>(64);
        self.sent.first.next = self.out.val().get_bit(96);
        self.sent.last.next = self.out.val().get_bit(97);
        self.sent.wire_bytes.next = self.out.val().get_bits::<16>(98);
        self.sent.segment_bytes.next = self.out.val().get_bits::<32>(114);
        self.sent.launch.next = self.out.val().get_bits::<64>(146);
        self.sent.place.next = self.out.val().get_bits::<16>(210);
        self.sent.generation.next = self.out.val().get_bits::<2>(226);
        // Reports of what limits flows: the scheduler's, then its last one before a load, then
        // ours; none of a flow that is the other's by now.
        self.takes_loaded.next = self.is_swept.val() & !self.up_limited_valid.val();
        self.takes_limit.next = self.takes_loaded.val() & !self.loaded.o_valid.val();
        self.loaded.i_valid.next = (self.fl.valid.val() & self.is_swept.val()) & !self.is_own.val();
        self.loaded.i_data.next = self.fl.flow.val();
        self.loaded.o_ready.next = self.takes_loaded.val();
        self.limits.i_valid.next = self.pacer.limited_valid.val();
        self.limits.i_data.next =
            (bit_cast::<FS, F>(self.pacer.limited_flow.val()) << 1) | bit_cast::<FS, 1>(self.pacer.limited.val().into());
        self.limits.o_ready.next = self.takes_limit.val();
        self.limit.next = self.limits.o_data.val();
        self.says_1.d.next = self.is_swept.val() & (self.up_limited_valid.val() | (self.loaded.o_valid.val() | self.limits.o_valid.val()));
        self.own_1.d.next = self.takes_limit.val();
        self.again_1.d.next = self.takes_loaded.val() & self.loaded.o_valid.val();
        self.says_flow_1.d.next = self.limit.val().get_bits::<F>(1);
        self.limited_1.d.next = self.limit.val().get_bit(0);
        self.of_limit.read_address.next = self.limit.val().get_bits::<F>(1);
        self.heard.read_address.next = self.loaded.o_data.val();
        if self.loaded.o_valid.val() {
            self.says_flow_1.d.next = self.loaded.o_data.val();
            self.of_limit.read_address.next = self.loaded.o_data.val();
        }
        if self.up_limited_valid.val() {
            self.says_flow_1.d.next = self.up_limited_flow.val();
            self.limited_1.d.next = self.up_limited.val();
            self.of_limit.read_address.next = self.up_limited_flow.val();
        }
        self.heard.write_enable.next = self.up_limited_valid.val() | !self.is_swept.val();
        self.heard.write_address.next = self.up_limited_flow.val();
        self.heard.write_data.next = bit_cast::<1, 1>(self.up_limited.val().into());
        if !self.is_swept.val() {
            self.heard.write_address.next = self.at.val().get_bits::<F>(0);
            self.heard.write_data.next = bits::<1>(0);
        }
        self.says_2.d.next = self.says_1.q.val() & !(self.own_1.q.val() ^ self.of_limit.read_data.val().any());
        self.says_flow_2.d.next = self.says_flow_1.q.val();
        self.limited_2.d.next = self.limited_1.q.val();
        if self.again_1.q.val() {
            self.limited_2.d.next = self.heard.read_data.val().any();
        }
        self.limited_valid.next = self.says_2.q.val();
        self.limited_flow.next = self.says_flow_2.q.val();
        self.limited.next = self.limited_2.q.val();
        // Idle restarts.
        self.idles.i_valid.next = self.pacer.idle.valid.val();
        self.idles.i_data.next = self.pacer.idle.flow.val();
        self.idles.o_ready.next = !self.up_idle.valid.val();
        self.idles_1.d.next = self.up_idle.valid.val() | self.idles.o_valid.val();
        self.idle_flow_1.d.next = self.idles.o_data.val();
        if self.up_idle.valid.val() {
            self.idle_flow_1.d.next = self.up_idle.flow.val();
        }
        self.idle.valid.next = self.idles_1.q.val();
        self.idle.flow.next = self.idle_flow_1.q.val();
        // Counted events: a counter takes one event a clock.
        self.counted.d.next = self.up_pulses.val() & self.counted_apart.val();
        if self.out_valid.val() {
            self.counted.d.next = self.counted.d.val() | self.frames_bit.val();
        }
        self.all_grants.next = self.grants.q.val()
            + bit_cast::<16, 1>(self.up_pulses.val().get_bits::<1>(20))
            + bit_cast::<16, 1>(self.pacer.pulses.val().get_bits::<1>(20));
        self.grants.d.next = bits::<16>(0);
        if self.all_grants.val().any() {
            self.counted.d.next = self.counted.d.val() | self.grants_bit.val();
            self.grants.d.next = self.all_grants.val() - bits::<16>(1);
        }
        self.all_refusals.next = self.refusals.q.val()
            + bit_cast::<16, 1>(self.up_pulses.val().get_bits::<1>(21))
            + bit_cast::<16, 1>(self.pacer.pulses.val().get_bits::<1>(21))
            + bit_cast::<16, 1>(self.generator.pulses.val().get_bits::<1>(21));
        self.refusals.d.next = bits::<16>(0);
        if self.all_refusals.val().any() {
            self.counted.d.next = self.counted.d.val() | self.refused_bit.val();
            self.refusals.d.next = self.all_refusals.val() - bits::<16>(1);
        }
        self.all_misses.next = self.misses.q.val()
            + bit_cast::<16, 1>(self.up_pulses.val().get_bits::<1>(22))
            + bit_cast::<16, 1>(self.gate.missed.val().into());
        self.misses.d.next = bits::<16>(0);
        if self.all_misses.val().any() {
            self.counted.d.next = self.counted.d.val() | self.missed_bit.val();
            self.misses.d.next = self.all_misses.val() - bits::<16>(1);
        }
        self.pulses.next = self.counted.q.val();
        if self.rst.val() {
            self.sweep.d.next = bits::<FS>(0);
            self.rate_1.d.next = false;
            self.rate_host.d.next = false;
            self.rate_own.d.next = false;
            self.release_1.d.next = false;
            self.release_host.d.next = false;
            self.release_own.d.next = false;
            self.report_1.d.next = false;
            self.report_2.d.next = false;
            self.held.d.next = false;
            self.reported.d.next = bits::<13>(0);
            self.left.d.next = bits::<13>(0);
            self.says_1.d.next = false;
            self.says_2.d.next = false;
            self.idles_1.d.next = false;
            self.counted.d.next = bits::<32>(0);
            self.grants.d.next = bits::<16>(0);
            self.refusals.d.next = bits::<16>(0);
            self.misses.d.next = bits::<16>(0);
        }
    }
}
