//! How the application block's parts join.
use super::*;

impl<
    const W: usize,
    const K: usize,
    const F: usize,
    const T: usize,
    const S: usize,
    const A: usize,
    const L: usize,
    const R: usize,
    const Q: usize,
> Logic for App<W, K, F, T, S, A, L, R, Q>
{
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, reset, midway, below, ahead);
        // One register in front of a signal that nearly every register of the design reads.
        self.reset.d.next = self.rst.val();
        PairSourceOut::<F>::join(&mut self.no_pairs.pairs, &mut self.control.pairs);
        self.control.clk.next = self.clk.val();
        self.control.rst.next = self.reset.q.val();
        self.mark.clk.next = self.clk.val();
        self.mark.rst.next = self.reset.q.val();
        self.exit.clk.next = self.clk.val();
        self.exit.rst.next = self.reset.q.val();
        self.credit.clk.next = self.clk.val();
        self.credit.rst.next = self.reset.q.val();
        self.arrivals.clk.next = self.clk.val();
        self.arrivals.rst.next = self.reset.q.val();
        self.departures.clk.next = self.clk.val();
        self.departures.rst.next = self.reset.q.val();
        self.host_write.clk.next = self.clk.val();
        self.host_write.rst.next = self.reset.q.val();
        self.host_read.clk.next = self.clk.val();
        self.host_read.rst.next = self.reset.q.val();
        self.launches.clk.next = self.clk.val();
        self.launches.rst.next = self.reset.q.val();
        self.gate.clk.next = self.clk.val();
        self.gate.rst.next = self.reset.q.val();
        self.courier.clk.next = self.clk.val();
        self.courier.rst.next = self.reset.q.val();
        self.besides.clk.next = self.clk.val();
        self.besides.rst.next = self.reset.q.val();
        self.present.clk.next = self.clk.val();
        // Registers.
        AxilSlave::<24>::link(&mut self.s_axil, &mut self.control.s_axil);
        // PTP's time of day, as old as it is by then.
        self.present.sec.next = self.ptp_ts.val().get_bits::<48>(48);
        self.present.ns.next = self.ptp_ts.val().get_bits::<30>(16) + self.age.val();
        self.present.fraction.next = self.ptp_ts.val().get_bits::<16>(0);
        self.control.ptp_valid.next = true;
        self.control.ptp_time.next = self.present.linear.val();
        // To the MAC, at its launch if it has one; a frame waits for what is said of its request,
        // which was said long before. A tag inside: bit 15 says that the frame is the core's, bit
        // 14 that it is bad; what had these places goes beside.
        self.tag.next = self.s_tx.tag.val();
        self.may_begin.next = self.midway.q.val() | (self.launches.head_valid.val() | self.launches.empty.val());
        self.taken.next = self.s_tx.tvalid.val() & (self.may_begin.val() & self.gate.s.tready.val());
        // Nothing is taken while the blocks are in reset, which ends a clock behind the core's.
        self.s_tx.tready.next = (self.may_begin.val() & self.gate.s.tready.val()) & !self.reset.q.val();
        self.launches.take.next = self.taken.val() & !self.midway.q.val();
        self.launches.launch_valid.next = self.up.val().get_bit(68) & self.streams.val();
        self.launches.launch_tag.next = self.up.val().get_bits::<8>(85);
        self.launches.launch_paced.next = self.up.val().get_bit(93);
        self.launches.launch_time.next = self.up.val().get_bits::<64>(94);
        self.launches.void_valid.next = self.up.val().get_bit(158);
        self.launches.void_tag.next = self.up.val().get_bits::<8>(159);
        self.gate.now.next = self.control.steady.val();
        self.gate.s.tdata.next = self.s_tx.tdata.val();
        self.gate.s.tkeep.next = self.s_tx.tkeep.val();
        self.gate.s.tvalid.next = self.s_tx.tvalid.val() & self.may_begin.val();
        self.gate.s.tlast.next = self.s_tx.tlast.val();
        self.gate.s.tag.next = (bit_cast::<16, 14>(self.tag.val().get_bits::<14>(0)) | bits::<16>(1 << 15))
            | (bit_cast::<16, 1>(self.s_tx_bad.val().into()) << 14);
        self.gate.s_timed.next = self.launches.head_valid.val() & self.launches.head_paced.val();
        self.gate.s_launch.next = self.launches.head_time.val();
        self.besides.i_valid.next = self.taken.val() & !self.midway.q.val();
        self.besides.i_data.next = self.tag.val().get_bits::<2>(14);
        if self.taken.val() {
            self.midway.d.next = !self.s_tx.tlast.val();
        }
        self.control.d.tdata.next = self.gate.m.tdata.val();
        self.control.d.tkeep.next = self.gate.m.tkeep.val();
        self.control.d.tvalid.next = self.gate.m.tvalid.val();
        self.control.d.tlast.next = self.gate.m.tlast.val();
        self.control.d.tag.next = self.gate.m.tag.val();
        self.gate.m.tready.next = self.control.d.tready.val();
        self.g_d.tdata.next = self.gate.m.tdata.val();
        self.g_d.tkeep.next = self.gate.m.tkeep.val();
        self.g_d.tvalid.next = self.gate.m.tvalid.val();
        self.g_d.tlast.next = self.gate.m.tlast.val();
        self.g_d.tag.next = self.gate.m.tag.val();
        self.g_m.tready.next = self.control.d.tready.val();
        if self.generates.val() {
            self.control.d.tdata.next = self.g_m.tdata.val();
            self.control.d.tkeep.next = self.g_m.tkeep.val();
            self.control.d.tvalid.next = self.g_m.tvalid.val();
            self.control.d.tlast.next = self.g_m.tlast.val();
            self.control.d.tag.next = self.g_m.tag.val();
            self.gate.m.tready.next = self.g_d.tready.val();
        }
        self.leaving.next = self.control.m_axis_tx.tag.val();
        self.is_data.next = self.leaving.val().get_bit(15);
        self.m_tx.tdata.next = self.control.m_axis_tx.tdata.val();
        self.m_tx.tkeep.next = self.control.m_axis_tx.tkeep.val();
        self.m_tx.tlast.next = self.control.m_axis_tx.tlast.val();
        // The upper bits of a frame's tag may come a few clocks behind its first beat.
        self.m_tx.tvalid.next = self.control.m_axis_tx.tvalid.val() & (!self.is_data.val() | self.besides.o_valid.val());
        self.control.m_axis_tx.tready.next = self.m_tx.tready.val() & (!self.is_data.val() | self.besides.o_valid.val());
        self.m_tx.tag.next = self.leaving.val();
        self.m_tx_bad.next = false;
        if self.is_data.val() {
            self.m_tx.tag.next =
                bit_cast::<16, 14>(self.leaving.val().get_bits::<14>(0)) | (bit_cast::<16, 2>(self.besides.o_data.val()) << 14);
            self.m_tx_bad.next = self.leaving.val().get_bit(14);
        }
        self.ends.next = (self.control.m_axis_tx.tvalid.val() & self.control.m_axis_tx.tlast.val()) & self.m_tx.tready.val();
        self.besides.o_ready.next = self.ends.val() & self.is_data.val();
        // From the MAC.
        self.arrivals.s_tdata.next = self.rx_tdata.val();
        self.arrivals.s_tkeep.next = self.rx_tkeep.val();
        self.arrivals.s_tvalid.next = self.rx_taken.val();
        self.arrivals.s_tlast.next = self.rx_tlast.val();
        self.arrivals.s_bad.next = self.rx_bad.val();
        self.arrivals.s_ts.next = self.rx_ts.val();
        ReceivedOut::<W, K>::join(&mut self.arrivals.m, &mut self.control.s_axis_rx);
        // Out of the queues.
        self.record.next = self.g_fl.record.val();
        // A flow that is the generator's has no queue.
        self.host_record.next = self.record.val();
        if self.generates.val() & self.record.val().get_bit(2) {
            self.host_record.next = self.record.val().replace_bit(0, false);
        }
        self.mark.cfg_udp_port.next = self.control.settings.val().udp_port;
        self.mark.base.next = bits::<16>(0);
        if self.generates.val() {
            self.mark.base.next = self.upper_half.val();
        }
        self.mark.s.tdata.next = self.if_tdata.val();
        self.mark.s.tkeep.next = self.if_tkeep.val();
        self.mark.s.tvalid.next = self.if_tvalid.val();
        self.if_tready.next = self.mark.s.tready.val() & !self.reset.q.val();
        self.mark.s.tlast.next = self.if_tlast.val();
        self.mark.s.side.next = (bit_cast::<49, 16>(self.if_queue.val()) | (bit_cast::<49, 16>(self.if_tag.val()) << 16))
            | ((bit_cast::<49, 1>(self.if_bad.val().into()) << 32) | (bit_cast::<49, 16>(self.if_dest.val()) << 33));
        self.beside.next = self.mark.m.side.val();
        self.m_if.tdata.next = self.mark.m.tdata.val();
        self.m_if.tkeep.next = self.mark.m.tkeep.val();
        self.m_if.tvalid.next = self.mark.m.tvalid.val();
        self.mark.m.tready.next = self.m_if.tready.val();
        self.m_if.tlast.next = self.mark.m.tlast.val();
        self.m_if.queue.next = self.beside.val().get_bits::<16>(0);
        self.m_if.tag.next = self.beside.val().get_bits::<16>(16);
        self.m_if.bad.next = self.beside.val().get_bit(32);
        self.m_if.dest.next = self.beside.val().get_bits::<16>(33);
        self.exit.s_tdata.next = self.mark.m.tdata.val();
        self.exit.s_tkeep.next = self.mark.m.tkeep.val();
        self.exit.s_tvalid.next = self.mark.m.tvalid.val() & self.m_if.tready.val();
        self.exit.s_tlast.next = self.mark.m.tlast.val();
        self.exit.s_paced.next = true;
        self.exit.s_launch.next = bits::<64>(0);
        self.exit.named.next = true;
        self.exit.s_queue.next = self.beside.val().get_bits::<16>(0);
        self.exit.s_tag.next = self.beside.val().get_bits::<16>(16) & bits::<16>(0x7fff);
        // Counts as the launch, of the steady time as launches are; the departure is the MAC's to
        // say.
        self.exit.now.next = self.control.steady.val();
        self.exit.cfg_udp_port.next = self.control.settings.val().udp_port;
        self.exit.cfg_key.next = self.control.settings.val().nonce_key;
        self.exit.fl.valid.next = self.g_fl.valid.val();
        self.exit.fl.flow.next = self.g_fl.flow.val();
        self.exit.fl.enable.next = self.host_record.val().get_bit(0);
        self.exit.fl.keep.next = self.record.val().get_bit(1);
        self.control.sent.valid.next = self.exit.sent.valid.val();
        self.control.sent.tag.next = self.exit.sent.tag.val();
        self.control.sent.flow.next = self.exit.sent.flow.val();
        self.control.sent.segment.next = self.exit.sent.segment.val();
        self.control.sent.nonce.next = self.exit.sent.nonce.val();
        self.control.sent.first.next = self.exit.sent.first.val();
        self.control.sent.last.next = self.exit.sent.last.val();
        self.control.sent.wire_bytes.next = self.exit.sent.wire_bytes.val();
        self.control.sent.segment_bytes.next = self.exit.sent.segment_bytes.val();
        self.control.sent.place.next = self.exit.sent.place.val();
        self.control.sent.generation.next = self.exit.sent.generation.val();
        // The frame's launch is not known: the stamp of its first beat stands for it.
        self.control.sent.launch.next = self.exit.sent_ts.val();
        self.g_host_sent.valid.next = self.exit.sent.valid.val();
        self.g_host_sent.tag.next = self.exit.sent.tag.val();
        self.g_host_sent.flow.next = self.exit.sent.flow.val();
        self.g_host_sent.segment.next = self.exit.sent.segment.val();
        self.g_host_sent.nonce.next = self.exit.sent.nonce.val();
        self.g_host_sent.first.next = self.exit.sent.first.val();
        self.g_host_sent.last.next = self.exit.sent.last.val();
        self.g_host_sent.wire_bytes.next = self.exit.sent.wire_bytes.val();
        self.g_host_sent.segment_bytes.next = self.exit.sent.segment_bytes.val();
        self.g_host_sent.place.next = self.exit.sent.place.val();
        self.g_host_sent.generation.next = self.exit.sent.generation.val();
        self.g_host_sent.launch.next = self.exit.sent_ts.val();
        if self.generates.val() {
            self.control.sent.valid.next = self.g_sent.valid.val();
            self.control.sent.tag.next = self.g_sent.tag.val();
            self.control.sent.flow.next = self.g_sent.flow.val();
            self.control.sent.segment.next = self.g_sent.segment.val();
            self.control.sent.nonce.next = self.g_sent.nonce.val();
            self.control.sent.first.next = self.g_sent.first.val();
            self.control.sent.last.next = self.g_sent.last.val();
            self.control.sent.wire_bytes.next = self.g_sent.wire_bytes.val();
            self.control.sent.segment_bytes.next = self.g_sent.segment_bytes.val();
            self.control.sent.place.next = self.g_sent.place.val();
            self.control.sent.generation.next = self.g_sent.generation.val();
            self.control.sent.launch.next = self.g_sent.launch.val();
        }
        // Completions.
        self.departures.told.next = self.generates.val();
        self.departures.s.ts.next = self.s_cpl.ts.val();
        self.departures.s.tag.next = self.s_cpl.tag.val();
        self.departures.s.valid.next = self.s_cpl.valid.val();
        self.s_cpl.ready.next = self.departures.s.ready.val() & !self.reset.q.val();
        DatedCompletionOut::link(&mut self.m_cpl, &mut self.departures.m);
        CompletionOut::join(&mut self.departures.c, &mut self.control.tx_cpl);
        // The host's memory.
        self.host_write.enable.next = self.dma_enable.val();
        self.host_write.s_awaddr.next = self.control.m_axi.awaddr.val();
        self.host_write.s_awvalid.next = self.control.m_axi.awvalid.val();
        self.control.m_axi.awready.next = self.host_write.s_awready.val();
        self.host_write.s_wdata.next = self.control.m_axi.wdata.val();
        self.host_write.s_wvalid.next = self.control.m_axi.wvalid.val();
        self.control.m_axi.wready.next = self.host_write.s_wready.val();
        self.control.m_axi.bresp.next = self.host_write.s_bresp.val();
        self.control.m_axi.bvalid.next = self.host_write.s_bvalid.val();
        DescriptorOut::link(&mut self.wd, &mut self.host_write.d);
        self.host_write.st_valid.next = self.ws_valid.val();
        self.host_write.st_place.next = self.ws_place.val();
        self.host_write.st_failed.next = self.ws_failed.val();
        PlaceReadIn::link(&mut self.r0, &mut self.host_write.r0);
        PlaceDataOut::link(&mut self.a0, &mut self.host_write.a0);
        PlaceReadIn::link(&mut self.r1, &mut self.host_write.r1);
        PlaceDataOut::link(&mut self.a1, &mut self.host_write.a1);
        self.host_read.enable.next = self.dma_enable.val();
        self.host_read.s_araddr.next = self.control.m_axi.araddr.val();
        self.host_read.s_arvalid.next = self.control.m_axi.arvalid.val();
        self.control.m_axi.arready.next = self.host_read.s_arready.val();
        self.control.m_axi.rdata.next = self.host_read.s_rdata.val();
        self.control.m_axi.rresp.next = self.host_read.s_rresp.val();
        self.control.m_axi.rlast.next = self.host_read.s_rlast.val();
        self.control.m_axi.rvalid.next = self.host_read.s_rvalid.val();
        self.host_read.s_rready.next = self.control.m_axi.rready.val();
        self.rd_address.next = self.host_read.d_address.val();
        self.rd_place.next = self.host_read.d_place.val();
        self.rd_valid.next = self.host_read.d_valid.val();
        self.host_read.d_ready.next = self.rd_ready.val();
        self.host_read.st_valid.next = self.rs_valid.val();
        self.host_read.st_place.next = self.rs_place.val();
        self.host_read.st_failed.next = self.rs_failed.val();
        PlaceWriteIn::link(&mut self.h0, &mut self.host_read.h0);
        PlaceWriteIn::link(&mut self.h1, &mut self.host_read.h1);
        // The scheduler, by registers.
        AxilWordMaster::<24>::link(&mut self.m_axil, &mut self.courier.m_axil);
        self.courier.rate.valid.next = self.g_rate.valid.val();
        self.courier.rate.flow.next = self.g_rate.flow.val();
        self.courier.rate.value.next = self.g_rate.value.val();
        self.credit.fl_valid.next = self.g_fl.valid.val();
        self.credit.fl_flow.next = self.g_fl.flow.val();
        self.credit.fl_enable.next = self.host_record.val().get_bit(0);
        self.credit.frame_valid.next = self.exit.frame_valid.val();
        self.credit.frame_queue.next = self.exit.frame_queue.val();
        self.credit.frame_wire_bytes.next = self.exit.frame_wire_bytes.val();
        self.credit.frame_ends.next = self.exit.sent.valid.val() & self.exit.sent.last.val();
        self.credit.frame_segment_bytes.next = self.exit.sent.segment_bytes.val();
        self.credit.i.valid.next = self.g_release.valid.val();
        self.credit.i.flow.next = self.g_release.flow.val();
        self.credit.i.bytes.next = self.g_release.bytes.val();
        ReleaseOut::<F>::join(&mut self.credit.o, &mut self.courier.release);
        if self.generates.val() {
            self.courier.rate.valid.next = self.g_down_rate.valid.val();
            self.courier.rate.flow.next = self.g_down_rate.flow.val();
            self.courier.rate.value.next = self.g_down_rate.value.val();
            self.credit.i.valid.next = self.g_down_release.valid.val();
            self.credit.i.flow.next = self.g_down_release.flow.val();
            self.credit.i.bytes.next = self.g_down_release.bytes.val();
        }
        self.courier.fl.valid.next = self.g_fl.valid.val();
        self.courier.fl.flow.next = self.g_fl.flow.val();
        self.courier.fl.record.next = self.host_record.val();
        ProfileWriteOut::join(&mut self.g_pw, &mut self.courier.pw);
        self.courier.stop.next = self.control.stop.val();
        self.g_up_idle.valid.next = self.courier.idle.valid.val();
        self.g_up_idle.flow.next = self.courier.idle.flow.val();
        self.g_up_limited_valid.next = self.courier.limited_valid.val();
        self.g_up_limited_flow.next = self.courier.limited_flow.val();
        self.g_up_limited.next = self.courier.limited.val();
        self.courier.pause.next = self.control.paused.val();
        self.courier.base.next = self.base.val();
        self.courier.enable.next = !self.streams.val();
        // And by streams.
        self.load_word.next = (self.host_record.val().get_bits::<32>(0) & bits::<32>(0x1ff3))
            | (bit_cast::<32, 14>(self.record.val().get_bits::<14>(32)) << 16);
        self.below.d.next = bit_cast::<262, 1>(self.control.stop.val().into())
            | (bit_cast::<262, 8>(self.control.paused.val()) << 1)
            | (bit_cast::<262, 1>(self.courier.rate.valid.val().into()) << 9)
            | (bit_cast::<262, F>(self.courier.rate.flow.val()) << 10)
            | (bit_cast::<262, 32>(self.courier.rate.value.val()) << 26)
            | (bit_cast::<262, 1>(self.courier.release.valid.val().into()) << 58)
            | (bit_cast::<262, F>(self.courier.release.flow.val()) << 59)
            | (bit_cast::<262, 32>(self.courier.release.bytes.val()) << 75)
            | (bit_cast::<262, 1>(self.g_fl.valid.val().into()) << 107)
            | (bit_cast::<262, F>(self.g_fl.flow.val()) << 108)
            | (bit_cast::<262, 32>(self.load_word.val()) << 124)
            | (bit_cast::<262, 1>(self.g_pw.valid.val().into()) << 156)
            | (bit_cast::<262, 4>(self.g_pw.profile.val()) << 157)
            | (bit_cast::<262, 5>(self.g_pw.word.val()) << 161)
            | (bit_cast::<262, 32>(self.g_pw.data.val()) << 166)
            | (bit_cast::<262, 64>(self.control.later.val()) << 198);
        self.down.next = self.below.q.val();
        if self.streams.val() {
            self.g_up_idle.valid.next = self.up.val().get_bit(1);
            self.g_up_idle.flow.next = self.up.val().get_bits::<F>(2);
            self.g_up_limited_valid.next = self.up.val().get_bit(18);
            self.g_up_limited_flow.next = self.up.val().get_bits::<F>(19);
            self.g_up_limited.next = self.up.val().get_bit(35);
        }
        self.scheduler_pulses.next = self.courier.pulses.val();
        if self.courier.failed.val() {
            self.scheduler_pulses.next = self.courier.pulses.val() | self.errors_bit.val();
        }
        self.control.data_swept.next = self.courier.swept.val() & self.exit.swept.val() & self.credit.swept.val();
        if self.streams.val() {
            self.control.data_swept.next = self.up.val().get_bit(0) & self.exit.swept.val() & self.credit.swept.val();
            self.scheduler_pulses.next = self.up.val().get_bits::<32>(36);
        }
        if self.gate.missed.val() {
            self.scheduler_pulses.next = self.scheduler_pulses.val() | self.missed_bit.val();
        }
        self.g_up_pulses.next = self.scheduler_pulses.val();
        self.control.idle.valid.next = self.g_up_idle.valid.val();
        self.control.idle.flow.next = self.g_up_idle.flow.val();
        self.control.limited_valid.next = self.g_up_limited_valid.val();
        self.control.limited_flow.next = self.g_up_limited_flow.val();
        self.control.limited.next = self.g_up_limited.val();
        // Without a generator packets are the queues': a doorbell in our registers has none.
        self.control.hd.ready.next = true;
        self.data_pulses.next = self.scheduler_pulses.val();
        if self.exit.sent.valid.val() {
            self.data_pulses.next = self.data_pulses.val() | self.frames_bit.val();
        }
        if self.control.hd.valid.val() {
            self.data_pulses.next = self.data_pulses.val() | self.doorbell_bit.val();
        }
        if self.generates.val() {
            self.control.idle.valid.next = self.g_idle.valid.val();
            self.control.idle.flow.next = self.g_idle.flow.val();
            self.control.limited_valid.next = self.g_limited_valid.val();
            self.control.limited_flow.next = self.g_limited_flow.val();
            self.control.limited.next = self.g_limited.val();
            self.control.hd.ready.next = self.g_hd.ready.val();
            self.data_pulses.next = self.g_pulses.val();
            self.control.data_swept.next = self.control.data_swept.val() & self.g_swept.val();
        }
        self.control.data_pulses.next = bit_cast::<64, 32>(self.data_pulses.val());
        // Outputs of the control half to a generator.
        FlowLoadOut::<F>::link(&mut self.g_fl, &mut self.control.fl);
        ProfileWriteOut::link(&mut self.g_pw, &mut self.control.pw);
        RateOut::<F>::link(&mut self.g_rate, &mut self.control.rate);
        ReleaseOut::<F>::link(&mut self.g_release, &mut self.control.release);
        self.g_rst.next = self.reset.q.val();
        self.g_now.next = self.control.steady.val();
        self.ahead.d.next = self.control.steady.val() + self.generator_lead.val();
        self.g_later.next = self.ahead.q.val();
        self.g_stop.next = self.control.stop.val();
        self.g_cfg_mac.next = self.control.settings.val().mac;
        self.g_cfg_ipv4.next = self.control.settings.val().ipv4;
        self.g_cfg_ipv6.next = self.control.settings.val().ipv6;
        self.g_cfg_key.next = self.control.settings.val().nonce_key;
        self.g_cfg_keyed.next = self.control.settings.val().nonce_keyed.any();
        self.g_hd.valid.next = self.control.hd.valid.val();
        self.g_hd.flow.next = self.control.hd.flow.val();
        self.g_hd.packets.next = self.control.hd.packets.val();
        if self.reset.q.val() {
            self.midway.d.next = false;
        }
    }
}
