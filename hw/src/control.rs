//! The control half: what the wire says becomes a rate. Time, parse, ACK, RTT, rate engine, telemetry, registers.
//!
//! The control half meets the pacer half and the packet source in registered streams alone (`docs/datapath.md`), because in some shells they sit in
//! different blocks.
use crate::ack::Ack;
use crate::bus::{AxiMaster, AxilSlave, DoorbellOut, FlowLoadOut, ProfileWriteOut, SentIn, StoreWriteOut};
use crate::check::Digests;
use crate::construct::construct;
use crate::crossing::Crossing;
use crate::csr::{Csr, SettingsBus};
use crate::dma::Dma;
use crate::engine::Engine;
use crate::parse::Parse;
use crate::pause::Pause;
use crate::rtt::Rtt;
use crate::telemetry::{Histograms, Recorder, Telemetry};
use crate::time::Time;
use crate::txmux::TxMux;
use rust_hdl::prelude::*;
use timely_model::parse::kind;
use timely_regs::counters::Counter;
use timely_regs::map::Build;

// A kernel takes literals alone; these hold the ones below to their homes.
const _: () = assert!(kind::ACK == 2 && Counter::RecordsDropped as u32 == 29);

/// Joins the blocks of the control half; adds one clock to counter pulses and `swept`, to the buses of profiles and flows, to host rates, what ACKs
/// answer, and to what telemetry, recorder and histograms are told and asked; none elsewhere.
///
/// `W` bus bits, `K = W / 8`, `F` flow bits, `S` segment bits, `A = F + S`. Model: `timely_model::core`.
#[derive(LogicBlock)]
pub struct Control<const W: usize, const K: usize, const F: usize, const S: usize, const A: usize> {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset, active high.
    pub rst: Signal<In, Bit>,
    /// Registers.
    pub s_axil: AxilSlave<24>,
    /// Received beat.
    pub s_axis_rx_tdata: Signal<In, Bits<W>>,
    /// Received beat: bytes that are there.
    pub s_axis_rx_tkeep: Signal<In, Bits<K>>,
    /// Received beat: valid.
    pub s_axis_rx_tvalid: Signal<In, Bit>,
    /// Received beat: its frame's last.
    pub s_axis_rx_tlast: Signal<In, Bit>,
    /// Arrival of the frame's start, held for all its beats.
    pub s_axis_rx_ts: Signal<In, Bits<64>>,
    /// With the last beat: the frame is damaged.
    pub s_axis_rx_bad: Signal<In, Bit>,
    /// Beat to send.
    pub m_axis_tx_tdata: Signal<Out, Bits<W>>,
    /// Beat to send: bytes that are there.
    pub m_axis_tx_tkeep: Signal<Out, Bits<K>>,
    /// Beat to send: offered.
    pub m_axis_tx_tvalid: Signal<Out, Bit>,
    /// Beat to send: taken if offered.
    pub m_axis_tx_tready: Signal<In, Bit>,
    /// Beat to send: its frame's last.
    pub m_axis_tx_tlast: Signal<Out, Bit>,
    /// Tag of its frame.
    pub m_axis_tx_tag: Signal<Out, Bits<16>>,
    /// A frame has departed.
    pub tx_cpl_valid: Signal<In, Bit>,
    /// Tag of the frame.
    pub tx_cpl_tag: Signal<In, Bits<16>>,
    /// Departure of the frame's start.
    pub tx_cpl_ts: Signal<In, Bits<64>>,
    /// PTP time is there.
    pub ptp_valid: Signal<In, Bit>,
    /// PTP time, ns48.fns16.
    pub ptp_time: Signal<In, Bits<64>>,
    /// Data stream: beat.
    pub d_tdata: Signal<In, Bits<W>>,
    /// Data stream: its bytes.
    pub d_tkeep: Signal<In, Bits<K>>,
    /// Data stream: it is there.
    pub d_tvalid: Signal<In, Bit>,
    /// Data stream: it is taken.
    pub d_tready: Signal<Out, Bit>,
    /// Data stream: it is its frame's last.
    pub d_tlast: Signal<In, Bit>,
    /// Data stream: tag of its frame.
    pub d_tag: Signal<In, Bits<16>>,
    /// Data frame whose first beat is offered.
    pub sent: SentIn<F>,
    /// A flow sends again after its idle time.
    pub idle_valid: Signal<In, Bit>,
    /// Flow that sends again.
    pub idle_flow: Signal<In, Bits<F>>,
    /// The pacer looked at a flow.
    pub limited_valid: Signal<In, Bit>,
    /// Flow that the pacer looked at.
    pub limited_flow: Signal<In, Bits<F>>,
    /// The flow sends too little of its rate for it to grow.
    pub limited: Signal<In, Bit>,
    /// Priorities that frames from the wire have paused.
    pub paused: Signal<Out, Bits<8>>,
    /// Counted events of the pacer half and the packet source.
    pub data_pulses: Signal<In, Bits<64>>,
    /// The RAMs of the pacer half and the packet source are cleared.
    pub data_swept: Signal<In, Bit>,
    /// The steady time, ns48.fns16: what launches are.
    pub steady: Signal<Out, Bits<64>>,
    /// The date, ns48.fns16: what stamps are.
    pub date: Signal<Out, Bits<64>>,
    /// The steady time and the lead: the pacer's time.
    pub later: Signal<Out, Bits<64>>,
    /// The settings, by `timely_regs::map::settings`.
    pub settings: Signal<Out, SettingsBus>,
    /// No grant may leave.
    pub stop: Signal<Out, Bit>,
    /// Profile bus.
    pub pw: ProfileWriteOut,
    /// Flow bus.
    pub fl: FlowLoadOut<F>,
    /// Doorbell of the host.
    pub hd: DoorbellOut<F>,
    /// A rate was computed.
    pub rate_valid: Signal<Out, Bit>,
    /// Flow of the rate.
    pub rate_flow: Signal<Out, Bits<F>>,
    /// The rate, 2^-12 Mb/s.
    pub rate_value: Signal<Out, Bits<32>>,
    /// Bytes are outstanding no more.
    pub release_valid: Signal<Out, Bit>,
    /// Flow of the bytes.
    pub release_flow: Signal<Out, Bits<F>>,
    /// Wire bytes that are outstanding no more.
    pub release_bytes: Signal<Out, Bits<32>>,
    /// Tap: an RTT sample or a time-out.
    pub tap_sample_valid: Signal<Out, Bit>,
    /// Tap: kind of the sample, 0 RTT, 1 time-out.
    pub tap_sample_kind: Signal<Out, Bits<2>>,
    /// Tap: flow of the sample.
    pub tap_sample_flow: Signal<Out, Bits<F>>,
    /// Tap: the RTT, ns.
    pub tap_sample_rtt_ns: Signal<Out, Bits<24>>,
    /// Host memory.
    pub m_axi: AxiMaster<W, K>,
    /// Interrupt lines, `timely_regs::map::dma`; levels.
    pub irq: Signal<Out, Bits<6>>,
    /// Tap: an event record is taken.
    pub tap_rec_valid: Signal<Out, Bit>,
    /// Tap: the record, word `i` in bits `32i+31..32i`.
    pub tap_rec_data: Signal<Out, Bits<512>>,
    clock: Time,
    parse: Parse<W, K>,
    digests: Digests,
    pause: Pause,
    ack: Ack<W, K>,
    txmux: TxMux<W, K>,
    rtt: Rtt<F, S, A>,
    engine: Engine<F>,
    telemetry: Telemetry<F>,
    recorder: Recorder<F, 9, 10>,
    histograms: Histograms,
    csr: Csr<F>,
    dma: Dma<W, K, F>,
    crossing: Crossing<F>,
    /// DMA's queries of the last three clocks.
    asked: [DFF<Bit>; 3],
    /// Inside a frame of ACKs, of data: what has begun is not held.
    ack_inside: DFF<Bit>,
    data_inside: DFF<Bit>,
    pause_bits: Signal<Local, Bits<8>>,
    pause_config: Signal<Local, Bits<4>>,
    ack_class: Signal<Local, Bits<3>>,
    ack_paused: Signal<Local, Bit>,
    ack_goes: Signal<Local, Bit>,
    data_goes: Signal<Local, Bit>,
    pulses: DFF<Bits<64>>,
    own_pulses: Signal<Local, Bits<64>>,
    pause_bit: Constant<Bits<64>>,
    pfc_bit: Constant<Bits<64>>,
    paused_bit: Constant<Bits<64>>,
    swept: DFF<Bit>,
    header: Signal<Local, Bits<384>>,
    /// Launch of the frame that is reported as sent, as a date, 2^-8 ns.
    launch_date: Signal<Local, Bits<40>>,
}

impl<const W: usize, const K: usize, const F: usize, const S: usize, const A: usize> Control<W, K, F, S, A> {
    /// The control half of a design that is built with these numbers.
    pub fn new(build: &Build) -> Self {
        let bit = |c: Counter| Constant::new(bits::<64>(1 << c as u64));
        construct!({
            csr: Csr::new(build),
            pause_bit: bit(Counter::PauseFrames),
            pfc_bit: bit(Counter::PfcFrames),
            paused_bit: bit(Counter::PausedTime), clock: Time::new(), pause: Pause::new(), telemetry: Telemetry::new(), recorder: Recorder::new(), histograms: Histograms::new(), dma: Dma::new() }
            clk, rst, s_axil, s_axis_rx_tdata, s_axis_rx_tkeep, s_axis_rx_tvalid, s_axis_rx_tlast, s_axis_rx_ts,
            s_axis_rx_bad, m_axis_tx_tdata, m_axis_tx_tkeep, m_axis_tx_tvalid, m_axis_tx_tready, m_axis_tx_tlast, m_axis_tx_tag,
            tx_cpl_valid, tx_cpl_tag, tx_cpl_ts, ptp_valid, ptp_time, d_tdata, d_tkeep, d_tvalid, d_tready, d_tlast, d_tag,
            sent, idle_valid, idle_flow, limited_valid, limited_flow, limited, paused, data_pulses, data_swept, steady, date, settings, later, stop, pw,
            fl, hd, rate_valid,
            rate_flow, rate_value, release_valid, release_flow, release_bytes, tap_sample_valid, tap_sample_kind, tap_sample_flow,
            tap_sample_rtt_ns, tap_rec_valid, tap_rec_data, m_axi, irq, parse, digests, ack_inside, data_inside, pause_bits, pause_config, ack_class, ack_paused, ack_goes, data_goes, ack, txmux, rtt, engine, crossing, asked, pulses, own_pulses, swept, header, launch_date,
        )
    }
}

impl<const W: usize, const K: usize, const F: usize, const S: usize, const A: usize> Logic for Control<W, K, F, S, A> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, pulses, swept, ack_inside, data_inside);
        for i in 0..3 {
            self.asked[i].clock.next = self.clk.val();
        }
        self.clock.clk.next = self.clk.val();
        self.clock.rst.next = self.rst.val();
        self.parse.clk.next = self.clk.val();
        self.parse.rst.next = self.rst.val();
        self.pause.clk.next = self.clk.val();
        self.pause.rst.next = self.rst.val();
        self.ack.clk.next = self.clk.val();
        self.ack.rst.next = self.rst.val();
        self.txmux.clk.next = self.clk.val();
        self.txmux.fair.next = false;
        self.txmux.rst.next = self.rst.val();
        self.rtt.clk.next = self.clk.val();
        self.rtt.rst.next = self.rst.val();
        self.engine.clk.next = self.clk.val();
        self.engine.rst.next = self.rst.val();
        self.telemetry.clk.next = self.clk.val();
        self.telemetry.rst.next = self.rst.val();
        self.recorder.clk.next = self.clk.val();
        self.recorder.rst.next = self.rst.val();
        self.histograms.clk.next = self.clk.val();
        self.histograms.rst.next = self.rst.val();
        self.csr.clk.next = self.clk.val();
        self.csr.rst.next = self.rst.val();
        self.dma.clk.next = self.clk.val();
        self.dma.rst.next = self.rst.val();
        // Registers.
        AxilSlave::<24>::link(&mut self.s_axil, &mut self.csr.s_axil);
        self.settings.next = self.csr.settings.val();
        self.stop.next = self.csr.stop.val();
        ProfileWriteOut::link(&mut self.pw, &mut self.crossing.o_pw);
        FlowLoadOut::<F>::link(&mut self.fl, &mut self.crossing.o_fl);
        DoorbellOut::<F>::link(&mut self.hd, &mut self.csr.hd);
        self.csr.now.next = self.clock.date.val();
        self.csr.pulses.next = self.pulses.q.val();
        self.csr.swept.next = self.swept.q.val();
        // The long ways.
        self.crossing.clk.next = self.clk.val();
        self.crossing.rst.next = self.rst.val();
        ProfileWriteOut::join(&mut self.csr.pw, &mut self.crossing.pw);
        FlowLoadOut::<F>::join(&mut self.csr.fl, &mut self.crossing.fl);
        self.crossing.host_valid.next = self.csr.host_valid.val();
        self.crossing.host_flow.next = self.csr.host_flow.val();
        self.crossing.host_rate.next = self.csr.host_rate.val();
        self.crossing.histogram_clear.next = self.csr.histogram_clear.val();
        self.crossing.sample_valid.next = self.rtt.sample_valid.val();
        self.crossing.sample_kind.next = self.rtt.sample_kind.val();
        self.crossing.sample_flow.next = self.rtt.sample_flow.val();
        self.crossing.sample_rtt_ns.next = self.rtt.sample_rtt_ns.val();
        self.crossing.sample_lost.next = self.rtt.sample_lost.val();
        self.crossing.acked_valid.next = self.rtt.acked_valid.val();
        self.crossing.acked_flow.next = self.rtt.acked_flow.val();
        self.crossing.acked_outcome.next = self.rtt.acked_outcome.val();
        self.crossing.sent_valid.next = self.sent.valid.val();
        self.crossing.sent_flow.next = self.sent.flow.val();
        self.crossing.sent_last.next = self.sent.last.val();
        self.crossing.sent_wire_bytes.next = self.sent.wire_bytes.val();
        self.crossing.event_valid.next = self.engine.event_valid.val();
        self.crossing.event_flow.next = self.engine.event_flow.val();
        self.crossing.event_profile.next = self.engine.event_profile.val();
        self.crossing.event_kind.next = self.engine.event_kind.val();
        self.crossing.event_branch.next = self.engine.event_branch.val();
        self.crossing.event_hyperactive.next = self.engine.event_hyperactive.val();
        self.crossing.event_rtt_ns.next = self.engine.event_rtt_ns.val();
        self.crossing.event_hops.next = self.engine.event_hops.val();
        self.crossing.event_endpoint_ns.next = self.engine.event_endpoint_ns.val();
        self.crossing.event_now_ns.next = self.engine.event_now_ns.val();
        self.crossing.event_rate_before.next = self.engine.event_rate_before.val();
        self.crossing.event_rate.next = self.engine.event_rate.val();
        self.crossing.event_before.next = self.engine.event_before.val();
        self.crossing.superseded_valid.next = self.engine.superseded_valid.val();
        self.crossing.superseded_flow.next = self.engine.superseded_flow.val();
        self.telemetry.now.next = self.clock.steady.val().get_bits::<32>(26);
        self.telemetry.query_valid.next = self.crossing.o_query_valid.val();
        self.telemetry.query_flow.next = self.crossing.o_query_flow.val();
        self.telemetry.query_tag.next = self.crossing.o_query_tag.val();
        // csr's query goes first; an answer belongs to the block that asked three clocks ago.
        self.crossing.query_valid.next = self.csr.query_valid.val() | self.dma.query_valid.val();
        self.crossing.query_flow.next = self.dma.query_flow.val();
        self.crossing.query_tag.next = bits::<4>(8);
        if self.csr.query_valid.val() {
            self.crossing.query_flow.next = self.csr.query_flow.val();
            self.crossing.query_tag.next = self.csr.query_tag.val();
        }
        self.asked[0].d.next = self.dma.query_valid.val() & !self.csr.query_valid.val();
        self.asked[1].d.next = self.asked[0].q.val();
        self.asked[2].d.next = self.asked[1].q.val();
        self.dma.query_ready.next = !self.csr.query_valid.val();
        self.dma.answer_valid.next = self.telemetry.answer_valid.val() & self.asked[2].q.val();
        self.dma.answer_record.next = self.telemetry.answer_record.val();
        self.csr.answer_valid.next = self.telemetry.answer_valid.val() & !self.asked[2].q.val();
        self.csr.answer_tag.next = self.telemetry.answer_tag.val();
        self.csr.answer_record.next = self.telemetry.answer_record.val();
        // DMA.
        StoreWriteOut::join(&mut self.csr.st, &mut self.dma.st);
        self.dma.look_valid.next = self.csr.look_valid.val();
        self.dma.look_word.next = self.csr.look_word.val();
        self.dma.look_data.next = self.csr.look_data.val();
        self.csr.look_live.next = self.dma.look_live.val();
        self.csr.look_refuse.next = self.dma.look_refuse.val();
        self.dma.lost.next = self.csr.lost.val();
        self.csr.loading.next = self.dma.loading.val();
        self.csr.bulk_valid.next = self.dma.load_valid.val();
        self.csr.bulk_flow.next = self.dma.load_flow.val();
        self.csr.bulk_record.next = self.dma.load_record.val();
        self.dma.rec_valid.next = self.recorder.rec_valid.val();
        self.dma.rec_data.next = self.recorder.rec_data.val();
        self.recorder.rec_ready.next = self.dma.rec_ready.val();
        AxiMaster::<W, K>::link(&mut self.m_axi, &mut self.dma.m_axi);
        self.irq.next = self.dma.irq.val();
        // Time.
        self.clock.cfg_time_increment.next = self.csr.settings.val().time_increment;
        self.clock.cfg_time_ptp.next = self.csr.settings.val().time_ptp.any();
        self.clock.time_set_valid.next = self.csr.time_set_valid.val();
        self.clock.time_set_value.next = self.csr.settings.val().time_set;
        self.clock.ptp_valid.next = self.ptp_valid.val();
        self.clock.ptp_time.next = self.ptp_time.val();
        self.clock.cfg_lead.next = self.csr.settings.val().lead;
        self.steady.next = self.clock.steady.val();
        self.date.next = self.clock.date.val();
        self.later.next = self.clock.later.val();
        // Received frames.
        self.parse.s_tdata.next = self.s_axis_rx_tdata.val();
        self.parse.s_tkeep.next = self.s_axis_rx_tkeep.val();
        self.parse.s_tvalid.next = self.s_axis_rx_tvalid.val();
        self.parse.s_tlast.next = self.s_axis_rx_tlast.val();
        self.parse.s_ts.next = self.s_axis_rx_ts.val();
        self.parse.s_bad.next = self.s_axis_rx_bad.val();
        self.parse.cfg_udp_port.next = self.csr.settings.val().udp_port;
        self.ack.i_valid.next = self.parse.o_valid.val();
        self.ack.i_kind.next = self.parse.o_kind.val();
        self.ack.i_class.next = self.parse.o_class.val();
        self.ack.i_head.next = self.parse.o_head.val();
        self.ack.i_hdr.next = self.parse.o_hdr.val();
        self.ack.i_len.next = self.parse.o_len.val();
        self.ack.i_ts.next = self.parse.o_ts.val();
        self.ack.cfg_ack_enable.next = self.csr.settings.val().ack_enable.any();
        self.ack.cfg_mac.next = self.csr.settings.val().mac;
        self.ack.cfg_ack_tos.next = self.csr.settings.val().ack_tos;
        self.ack.cfg_ack_ttl.next = self.csr.settings.val().ack_ttl;
        self.crossing.settings.next = self.csr.settings.val();
        self.ack.cfg_ipv4.next = self.crossing.o_settings.val().ipv4;
        self.ack.cfg_ipv6.next = self.crossing.o_settings.val().ipv6;
        self.ack.cfg_prefix4.next = self.crossing.o_settings.val().prefix4;
        self.ack.cfg_udp_port.next = self.crossing.o_settings.val().udp_port;
        self.ack.cfg_vlan.next = self.crossing.o_settings.val().vlan;
        self.ack.cfg_ack_rate.next = self.crossing.o_settings.val().ack_rate;
        self.ack.st_valid.next = self.csr.st.valid.val();
        self.ack.st_word.next = self.csr.st.word.val();
        self.ack.st_data.next = self.csr.st.data.val();
        self.ack.now.next = self.clock.date.val();
        // ACKs first, then data.
        // Pause frames: PAUSE holds every frame that has not begun, PFC the ACKs if theirs is a paused priority; the pacer holds the flows.
        self.pause_config.next = self.csr.settings.val().pause;
        self.pause.cfg_enable.next = self.pause_config.val().get_bit(0);
        self.pause.cfg_line_rate.next = self.csr.settings.val().line_rate;
        self.pause.i_valid.next = self.parse.o_valid.val();
        self.pause.i_kind.next = self.parse.o_kind.val();
        self.pause.i_head.next = self.parse.o_head.val();
        self.pause.i_len.next = self.parse.o_len.val();
        self.paused.next = self.pause.priorities.val();
        self.ack_class.next = self.pause_config.val().get_bits::<3>(1);
        self.pause_bits.next = self.pause.priorities.val() >> self.ack_class.val();
        self.ack_paused.next = self.pause_bits.val().get_bit(0);
        self.ack_goes.next = self.ack_inside.q.val() | !self.ack_paused.val();
        self.data_goes.next = self.data_inside.q.val() | !self.pause.all.val();
        if (self.ack.m_tvalid.val() & self.ack_goes.val()) & self.txmux.a_tready.val() {
            self.ack_inside.d.next = !self.ack.m_tlast.val();
        }
        if (self.d_tvalid.val() & self.data_goes.val()) & self.txmux.d_tready.val() {
            self.data_inside.d.next = !self.d_tlast.val();
        }
        if self.rst.val() {
            self.ack_inside.d.next = false;
            self.data_inside.d.next = false;
        }
        self.txmux.a_tdata.next = self.ack.m_tdata.val();
        self.txmux.a_tkeep.next = self.ack.m_tkeep.val();
        self.txmux.a_tvalid.next = self.ack.m_tvalid.val() & self.ack_goes.val();
        self.txmux.a_tlast.next = self.ack.m_tlast.val();
        self.ack.m_tready.next = self.txmux.a_tready.val() & self.ack_goes.val();
        self.txmux.d_tdata.next = self.d_tdata.val();
        self.txmux.d_tkeep.next = self.d_tkeep.val();
        self.txmux.d_tvalid.next = self.d_tvalid.val() & self.data_goes.val();
        self.txmux.d_tlast.next = self.d_tlast.val();
        self.txmux.d_tag.next = self.d_tag.val();
        self.d_tready.next = self.txmux.d_tready.val() & self.data_goes.val();
        self.m_axis_tx_tdata.next = self.txmux.m_tdata.val();
        self.m_axis_tx_tkeep.next = self.txmux.m_tkeep.val();
        self.m_axis_tx_tvalid.next = self.txmux.m_tvalid.val();
        self.m_axis_tx_tlast.next = self.txmux.m_tlast.val();
        self.m_axis_tx_tag.next = self.txmux.m_tag.val();
        self.txmux.m_tready.next = self.m_axis_tx_tready.val();
        // Round trips. Header fields are big-endian.
        self.header.next = self.parse.o_hdr.val();
        self.rtt.a_valid.next = self.parse.o_valid.val() & (self.parse.o_kind.val() == bits::<2>(2));
        self.rtt.a_place.next =
            (bit_cast::<16, 8>(self.header.val().get_bits::<8>(32)) << 8) | bit_cast::<16, 8>(self.header.val().get_bits::<8>(40));
        self.rtt.a_flow.next =
            (bit_cast::<32, 8>(self.header.val().get_bits::<8>(48)) << 8) | bit_cast::<32, 8>(self.header.val().get_bits::<8>(56));
        self.rtt.a_nonce.next = (bit_cast::<32, 8>(self.header.val().get_bits::<8>(64)) << 24)
            | (bit_cast::<32, 8>(self.header.val().get_bits::<8>(72)) << 16)
            | (bit_cast::<32, 8>(self.header.val().get_bits::<8>(80)) << 8)
            | bit_cast::<32, 8>(self.header.val().get_bits::<8>(88));
        self.rtt.a_segment.next = (bit_cast::<32, 8>(self.header.val().get_bits::<8>(96)) << 24)
            | (bit_cast::<32, 8>(self.header.val().get_bits::<8>(104)) << 16)
            | (bit_cast::<32, 8>(self.header.val().get_bits::<8>(112)) << 8)
            | bit_cast::<32, 8>(self.header.val().get_bits::<8>(120));
        self.rtt.a_ts.next = self.parse.o_ts.val();
        self.digests.head.next = self.parse.o_head.val();
        self.digests.ip_class.next = self.parse.o_class.val();
        self.rtt.a_source.next = self.digests.source.val();
        self.rtt.cfg_key.next = self.csr.settings.val().nonce_key;
        self.rtt.a_ttl_sent.next = self.header.val().get_bits::<8>(192);
        self.rtt.a_ttl_seen.next = self.header.val().get_bits::<8>(200);
        self.rtt.a_loss.next = self.header.val().get_bits::<8>(216);
        self.rtt.a_arrival.next = (bit_cast::<64, 8>(self.header.val().get_bits::<8>(224)) << 56)
            | (bit_cast::<64, 8>(self.header.val().get_bits::<8>(232)) << 48)
            | (bit_cast::<64, 8>(self.header.val().get_bits::<8>(240)) << 40)
            | (bit_cast::<64, 8>(self.header.val().get_bits::<8>(248)) << 32)
            | (bit_cast::<64, 8>(self.header.val().get_bits::<8>(256)) << 24)
            | (bit_cast::<64, 8>(self.header.val().get_bits::<8>(264)) << 16)
            | (bit_cast::<64, 8>(self.header.val().get_bits::<8>(272)) << 8)
            | bit_cast::<64, 8>(self.header.val().get_bits::<8>(280));
        self.rtt.a_departure.next = (bit_cast::<64, 8>(self.header.val().get_bits::<8>(288)) << 56)
            | (bit_cast::<64, 8>(self.header.val().get_bits::<8>(296)) << 48)
            | (bit_cast::<64, 8>(self.header.val().get_bits::<8>(304)) << 40)
            | (bit_cast::<64, 8>(self.header.val().get_bits::<8>(312)) << 32)
            | (bit_cast::<64, 8>(self.header.val().get_bits::<8>(320)) << 24)
            | (bit_cast::<64, 8>(self.header.val().get_bits::<8>(328)) << 16)
            | (bit_cast::<64, 8>(self.header.val().get_bits::<8>(336)) << 8)
            | bit_cast::<64, 8>(self.header.val().get_bits::<8>(344));
        self.rtt.c_valid.next = self.tx_cpl_valid.val();
        self.rtt.c_tag.next = self.tx_cpl_tag.val();
        self.rtt.c_ts.next = self.tx_cpl_ts.val();
        self.rtt.sent_valid.next = self.sent.valid.val();
        self.rtt.sent_tag.next = self.sent.tag.val();
        self.rtt.sent_flow.next = self.sent.flow.val();
        self.rtt.sent_segment.next = self.sent.segment.val();
        self.rtt.sent_nonce.next = self.sent.nonce.val();
        self.rtt.sent_first.next = self.sent.first.val();
        self.rtt.sent_last.next = self.sent.last.val();
        self.rtt.sent_wire_bytes.next = self.sent.wire_bytes.val();
        self.rtt.sent_segment_bytes.next = self.sent.segment_bytes.val();
        self.rtt.sent_place.next = self.sent.place.val();
        self.rtt.sent_generation.next = self.sent.generation.val();
        // A launch is of the steady time; what is measured from it needs a date.
        self.launch_date.next = self.sent.launch.val().get_bits::<40>(8) + self.clock.offset.val().get_bits::<40>(8);
        self.rtt.sent_launch.next = bit_cast::<64, 40>(self.launch_date.val()) << 8;
        self.rtt.pw_valid.next = self.pw.valid.val();
        self.rtt.pw_profile.next = self.pw.profile.val();
        self.rtt.pw_word.next = self.pw.word.val();
        self.rtt.pw_data.next = self.pw.data.val();
        self.rtt.fl_valid.next = self.fl.valid.val();
        self.rtt.fl_flow.next = self.fl.flow.val();
        self.rtt.fl_record.next = self.fl.record.val();
        self.rtt.cfg_ns_per_byte.next = self.csr.settings.val().ns_per_byte;
        self.rtt.now.next = self.clock.steady.val();
        self.rtt.time_epoch.next = self.clock.epoch.val();
        self.release_valid.next = self.rtt.release_valid.val();
        self.release_flow.next = self.rtt.release_flow.val();
        self.release_bytes.next = self.rtt.release_bytes.val();
        // Rates.
        self.engine.sample_valid.next = self.rtt.sample_valid.val();
        self.engine.sample_kind.next = self.rtt.sample_kind.val();
        self.engine.sample_flow.next = self.rtt.sample_flow.val();
        self.engine.sample_rtt_ns.next = self.rtt.sample_rtt_ns.val();
        self.engine.sample_now_ns.next = self.rtt.sample_now_ns.val();
        self.engine.sample_hops.next = self.rtt.sample_hops.val();
        self.engine.sample_endpoint_ns.next = self.rtt.sample_endpoint_ns.val();
        self.engine.sample_lost.next = self.rtt.sample_lost.val();
        self.tap_sample_valid.next = self.rtt.sample_valid.val();
        self.tap_sample_kind.next = self.rtt.sample_kind.val();
        self.tap_sample_flow.next = self.rtt.sample_flow.val();
        self.tap_sample_rtt_ns.next = self.rtt.sample_rtt_ns.val();
        self.engine.idle_valid.next = self.idle_valid.val();
        self.engine.idle_flow.next = self.idle_flow.val();
        self.engine.limited_valid.next = self.limited_valid.val();
        self.engine.limited_flow.next = self.limited_flow.val();
        self.engine.limited.next = self.limited.val();
        self.engine.host_valid.next = self.crossing.o_host_valid.val();
        self.engine.host_flow.next = self.crossing.o_host_flow.val();
        self.engine.host_rate.next = self.crossing.o_host_rate.val();
        self.engine.pw_valid.next = self.pw.valid.val();
        self.engine.pw_profile.next = self.pw.profile.val();
        self.engine.pw_word.next = self.pw.word.val();
        self.engine.pw_data.next = self.pw.data.val();
        self.engine.fl_valid.next = self.fl.valid.val();
        self.engine.fl_flow.next = self.fl.flow.val();
        self.engine.fl_record.next = self.fl.record.val();
        self.rate_valid.next = self.engine.rate_valid.val();
        self.rate_flow.next = self.engine.rate_flow.val();
        self.rate_value.next = self.engine.rate_value.val();
        // Telemetry.
        self.telemetry.sent_valid.next = self.crossing.o_sent_valid.val();
        self.telemetry.sent_flow.next = self.crossing.o_sent_flow.val();
        self.telemetry.sent_wire_bytes.next = self.crossing.o_sent_wire_bytes.val();
        self.telemetry.sent_last.next = self.crossing.o_sent_last.val();
        self.telemetry.sample_valid.next = self.crossing.o_sample_valid.val();
        self.telemetry.sample_kind.next = self.crossing.o_sample_kind.val();
        self.telemetry.sample_flow.next = self.crossing.o_sample_flow.val();
        self.telemetry.sample_rtt_ns.next = self.crossing.o_sample_rtt_ns.val();
        self.telemetry.sample_lost.next = self.crossing.o_sample_lost.val();
        self.telemetry.acked_valid.next = self.crossing.o_acked_valid.val();
        self.telemetry.acked_flow.next = self.crossing.o_acked_flow.val();
        self.telemetry.acked_outcome.next = self.crossing.o_acked_outcome.val();
        self.telemetry.superseded_valid.next = self.crossing.o_superseded_valid.val();
        self.telemetry.superseded_flow.next = self.crossing.o_superseded_flow.val();
        self.telemetry.event_valid.next = self.crossing.o_event_valid.val();
        self.telemetry.event_flow.next = self.crossing.o_event_flow.val();
        self.telemetry.event_branch.next = self.crossing.o_event_branch.val();
        self.telemetry.event_hyperactive.next = self.crossing.o_event_hyperactive.val();
        self.telemetry.event_rate.next = self.crossing.o_event_rate.val();
        self.telemetry.event_kind.next = self.crossing.o_event_kind.val();
        FlowLoadOut::<F>::join(&mut self.fl, &mut self.telemetry.fl);
        // Event records and histograms.
        self.recorder.event_valid.next = self.crossing.o_event_valid.val();
        self.recorder.event_flow.next = self.crossing.o_event_flow.val();
        self.recorder.event_profile.next = self.crossing.o_event_profile.val();
        self.recorder.event_kind.next = self.crossing.o_event_kind.val();
        self.recorder.event_branch.next = self.crossing.o_event_branch.val();
        self.recorder.event_hyperactive.next = self.crossing.o_event_hyperactive.val();
        self.recorder.event_rtt_ns.next = self.crossing.o_event_rtt_ns.val();
        self.recorder.event_hops.next = self.crossing.o_event_hops.val();
        self.recorder.event_endpoint_ns.next = self.crossing.o_event_endpoint_ns.val();
        self.recorder.event_now_ns.next = self.crossing.o_event_now_ns.val();
        self.recorder.event_rate_before.next = self.crossing.o_event_rate_before.val();
        self.recorder.event_rate.next = self.crossing.o_event_rate.val();
        self.recorder.event_before.next = self.crossing.o_event_before.val();
        self.recorder.now.next = self.clock.date.val();
        ProfileWriteOut::join(&mut self.pw, &mut self.recorder.pw);
        self.recorder.cfg_every.next = self.csr.settings.val().event_every;
        self.recorder.cfg_filter.next = self.csr.settings.val().event_filter;
        self.tap_rec_valid.next = self.recorder.rec_valid.val() & self.dma.rec_ready.val();
        self.tap_rec_data.next = self.recorder.rec_data.val();
        self.histograms.event_valid.next = self.crossing.o_event_valid.val();
        self.histograms.event_kind.next = self.crossing.o_event_kind.val();
        self.histograms.event_profile.next = self.crossing.o_event_profile.val();
        self.histograms.event_rtt_ns.next = self.crossing.o_event_rtt_ns.val();
        self.histograms.at.next = self.csr.histogram_at.val();
        self.histograms.clear.next = self.crossing.o_histogram_clear.val();
        self.csr.histogram_count.next = self.histograms.count.val();
        self.csr.histogram_clearing.next = self.histograms.clearing.val();
        // Counted events and readiness.
        self.own_pulses.next = bits::<64>(0);
        if self.recorder.dropped.val() {
            // RecordsDropped.
            self.own_pulses.next = bits::<64>(1 << 29);
        }
        if self.pause.heard_pause.val() {
            self.own_pulses.next = self.own_pulses.val() | self.pause_bit.val();
        }
        if self.pause.heard_pfc.val() {
            self.own_pulses.next = self.own_pulses.val() | self.pfc_bit.val();
        }
        if self.pause.held.val() {
            self.own_pulses.next = self.own_pulses.val() | self.paused_bit.val();
        }
        self.pulses.d.next = bit_cast::<64, 32>(self.parse.pulses.val())
            | self.ack.pulses.val()
            | self.rtt.pulses.val()
            | bit_cast::<64, 32>(self.engine.pulses.val())
            | self.data_pulses.val()
            | self.own_pulses.val();
        self.swept.d.next = self.rtt.swept.val()
            & self.engine.swept.val()
            & self.telemetry.swept.val()
            & self.histograms.swept.val()
            & self.data_swept.val();
        if self.rst.val() {
            self.pulses.d.next = bits::<64>(0);
            self.swept.d.next = false;
            for i in 0..3 {
                self.asked[i].d.next = false;
            }
        }
    }
}
