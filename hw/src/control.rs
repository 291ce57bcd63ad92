//! The control half: what the wire says becomes a rate. Time, parse, ACK, RTT, rate engine,
//! telemetry, registers.
//!
//! The control half meets the pacer half and the packet source in registered streams alone
//! (`docs/datapath.md`), because in some shells they sit in different blocks.
use crate::ack::Ack;
use crate::bus::*;
use crate::check::Digests;
use crate::construct::construct;
use crate::crossing::Crossing;
use crate::csr::{Csr, SettingsBus};
use crate::dma::Dma;
use crate::engine::Engine;
use crate::parse::Parse;
use crate::pause::Pause;
use crate::reaction::Reaction;
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

/// Joins the blocks of the control half; adds one clock to counter pulses and `swept`, to the buses
/// of profiles and flows, to host rates, what ACKs answer, and to what telemetry, recorder and
/// histograms are told and asked; none elsewhere.
///
/// `W` bus bits, `K = W / 8`, `F` flow bits, `2^S` places in the ring of departures, `A` the
/// greater of `F` and `S`. Model: `timely_model::core`.
#[derive(LogicBlock)]
pub struct Control<const W: usize, const K: usize, const F: usize, const S: usize, const A: usize> {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset, active high.
    pub rst: Signal<In, Bit>,
    /// Registers.
    pub s_axil: AxilSlave<24>,
    /// Received frames.
    pub s_axis_rx: ReceivedIn<W, K>,
    /// Frames to send.
    pub m_axis_tx: TaggedAxisOut<W, K>,
    /// A frame has departed.
    pub tx_cpl: CompletionIn,
    /// PTP time is there.
    pub ptp_valid: Signal<In, Bit>,
    /// PTP time, ns48.fns16.
    pub ptp_time: Signal<In, Bits<64>>,
    /// Data frames.
    pub d: TaggedAxisIn<W, K>,
    /// Data frame whose first beat is offered.
    pub sent: SentIn<F>,
    /// A flow sends again after its idle time.
    pub idle: FlowPulseIn<F>,
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
    pub rate: RateOut<F>,
    /// Bytes are outstanding no more.
    pub release: ReleaseOut<F>,
    /// Queue pairs, where flows are such.
    pub pairs: PairSourceIn<F>,
    /// A soft reset is under way.
    pub clearing: Signal<Out, Bit>,
    /// A register is written.
    pub st: StoreWriteOut,
    /// The date less the steady time, ns48.fns16.
    pub time_offset: Signal<Out, Bits<64>>,
    /// Steps of the date, modulo 4.
    pub time_epoch: Signal<Out, Bits<2>>,
    /// Steps of the date, modulo 4, that departures reported at this clock are of.
    pub departed_epoch: Signal<Out, Bits<2>>,
    /// Tap: an RTT sample or a time-out.
    pub tap_sample: SampleTapOut<F>,
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
    reaction: Reaction<F>,
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
    /// Record of a flow that a queue pair loads.
    pair_record: Signal<Local, Bits<512>>,
    /// A queue pair's sample is a time-out or a NAK.
    pair_tells: Signal<Local, Bit>,
}

impl<const W: usize, const K: usize, const F: usize, const S: usize, const A: usize> Control<W, K, F, S, A> {
    /// The control half of a design that is built with these numbers.
    pub fn new(build: &Build) -> Self {
        let bit = |c: Counter| Constant::new(bits::<64>(1 << c as u64));
        construct!({
            csr: Csr::new(build),
            pause_bit: bit(Counter::PauseFrames),
            pfc_bit: bit(Counter::PfcFrames),
            paused_bit: bit(Counter::PausedTime), clock: Time::new(), pause: Pause::new(), telemetry: Telemetry::new(), recorder: Recorder::new(), histograms: Histograms::new(), dma: Dma::new(), rtt: Rtt::new(), reaction: Reaction::new(), ack: Ack::new() }
            clk, rst, s_axil, s_axis_rx, m_axis_tx, tx_cpl, ptp_valid, ptp_time, d, sent, idle, limited_valid, limited_flow, limited, paused, data_pulses, data_swept, steady, date, settings, later, stop, pw,
            fl, hd, rate, release, tap_sample, tap_rec_valid, tap_rec_data, m_axi, irq, parse, digests, ack_inside, data_inside, pause_bits, pause_config, ack_class, ack_paused, ack_goes, data_goes, txmux, engine, crossing, asked, pulses, own_pulses, swept, header, launch_date, pairs, clearing, st, time_offset, time_epoch, departed_epoch, pair_record, pair_tells,
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
        self.reaction.clk.next = self.clk.val();
        self.reaction.rst.next = self.rst.val();
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
        HostRateOut::<F>::join(&mut self.csr.host, &mut self.crossing.host);
        self.crossing.histogram_clear.next = self.csr.histogram_clear.val();
        OutcomeOut::<F>::join(&mut self.rtt.acked, &mut self.crossing.acked);
        self.crossing.sent.valid.next = self.sent.valid.val();
        self.crossing.sent.flow.next = self.sent.flow.val();
        self.crossing.sent.last.next = self.sent.last.val();
        self.crossing.sent.wire_bytes.next = self.sent.wire_bytes.val();
        EventOut::<F>::join(&mut self.engine.event, &mut self.crossing.event);
        FlowPulseOut::<F>::join(&mut self.engine.superseded, &mut self.crossing.superseded);
        self.telemetry.now.next = self.clock.steady.val().get_bits::<32>(26);
        QueryOut::<F>::join(&mut self.crossing.o_query, &mut self.telemetry.query);
        // csr's query goes first; an answer belongs to the block that asked three clocks ago.
        self.crossing.query.valid.next = self.csr.query_valid.val() | self.dma.query_valid.val();
        self.crossing.query.flow.next = self.dma.query_flow.val();
        self.crossing.query.tag.next = bits::<4>(8);
        if self.csr.query_valid.val() {
            self.crossing.query.flow.next = self.csr.query_flow.val();
            self.crossing.query.tag.next = self.csr.query_tag.val();
        }
        self.asked[0].d.next = self.dma.query_valid.val() & !self.csr.query_valid.val();
        self.asked[1].d.next = self.asked[0].q.val();
        self.asked[2].d.next = self.asked[1].q.val();
        self.dma.query_ready.next = !self.csr.query_valid.val();
        self.dma.answer_valid.next = self.telemetry.answer.valid.val() & self.asked[2].q.val();
        self.dma.answer_record.next = self.telemetry.answer.record.val();
        self.csr.answer.valid.next = self.telemetry.answer.valid.val() & !self.asked[2].q.val();
        self.csr.answer.tag.next = self.telemetry.answer.tag.val();
        self.csr.answer.record.next = self.telemetry.answer.record.val();
        // DMA.
        StoreWriteOut::link(&mut self.st, &mut self.csr.st);
        StoreWriteOut::join(&mut self.st, &mut self.dma.st);
        self.dma.look_valid.next = self.csr.look.valid.val();
        self.dma.look_word.next = self.csr.look.word.val();
        self.dma.look_data.next = self.csr.look.data.val();
        self.csr.look.live.next = self.dma.look_live.val();
        self.csr.look.refuse.next = self.dma.look_refuse.val();
        self.dma.lost.next = self.csr.lost.val();
        self.csr.loading.next = self.dma.loading.val() | self.pairs.loading.val();
        self.csr.bulk.valid.next = self.dma.load_valid.val() | self.pairs.load_valid.val();
        self.csr.bulk.flow.next = self.dma.load_flow.val();
        self.csr.bulk.record.next = self.dma.load_record.val();
        // Bit 0 of a record says that the flow exists, bits 7 to 4 are its profile, 10 to 8 its
        // priority.
        self.pair_record.next = bits::<512>(0);
        if self.pairs.load_live.val() {
            self.pair_record.next = ((bit_cast::<512, 3>(self.pairs.load_priority.val()) << 8)
                | (bit_cast::<512, 4>(self.pairs.load_profile.val()) << 4))
                | bits::<512>(1);
        }
        if self.pairs.load_valid.val() {
            self.csr.bulk.flow.next = self.pairs.load_flow.val();
            self.csr.bulk.record.next = self.pair_record.val();
        }
        self.csr.pair_status.next = self.pairs.status.val();
        self.csr.pair_told.next = self.pairs.told.val();
        self.clearing.next = self.csr.clearing.val();
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
        self.time_offset.next = self.clock.offset.val();
        self.time_epoch.next = self.clock.epoch.val();
        self.departed_epoch.next = self.clock.departed_epoch.val();
        // Received frames.
        ReceivedIn::<W, K>::link(&mut self.s_axis_rx, &mut self.parse.s);
        self.parse.cfg_udp_port.next = self.csr.settings.val().udp_port;
        ReportOut::join(&mut self.parse.o, &mut self.ack.i);
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
        StoreWriteOut::join(&mut self.st, &mut self.ack.st);
        self.ack.now.next = self.clock.date.val();
        // ACKs first, then data. Pause frames: PAUSE holds every frame that has not begun, PFC the
        // ACKs if theirs is a paused priority; the pacer holds the flows.
        self.pause_config.next = self.csr.settings.val().pause;
        self.pause.cfg_enable.next = self.pause_config.val().get_bit(0);
        self.pause.cfg_line_rate.next = self.csr.settings.val().line_rate;
        self.pause.i_valid.next = self.parse.o.valid.val();
        self.pause.i_kind.next = self.parse.o.kind.val();
        self.pause.i_head.next = self.parse.o.head.val();
        self.pause.i_len.next = self.parse.o.len.val();
        self.paused.next = self.pause.priorities.val();
        self.ack_class.next = self.pause_config.val().get_bits::<3>(1);
        self.pause_bits.next = self.pause.priorities.val() >> self.ack_class.val();
        self.ack_paused.next = self.pause_bits.val().get_bit(0);
        self.ack_goes.next = self.ack_inside.q.val() | !self.ack_paused.val();
        self.data_goes.next = self.data_inside.q.val() | !self.pause.all.val();
        if (self.ack.m.tvalid.val() & self.ack_goes.val()) & self.txmux.a.tready.val() {
            self.ack_inside.d.next = !self.ack.m.tlast.val();
        }
        if (self.d.tvalid.val() & self.data_goes.val()) & self.txmux.d.tready.val() {
            self.data_inside.d.next = !self.d.tlast.val();
        }
        if self.rst.val() {
            self.ack_inside.d.next = false;
            self.data_inside.d.next = false;
        }
        self.txmux.a.tdata.next = self.ack.m.tdata.val();
        self.txmux.a.tkeep.next = self.ack.m.tkeep.val();
        self.txmux.a.tvalid.next = self.ack.m.tvalid.val() & self.ack_goes.val();
        self.txmux.a.tlast.next = self.ack.m.tlast.val();
        self.ack.m.tready.next = self.txmux.a.tready.val() & self.ack_goes.val();
        self.txmux.d.tdata.next = self.d.tdata.val();
        self.txmux.d.tkeep.next = self.d.tkeep.val();
        self.txmux.d.tvalid.next = self.d.tvalid.val() & self.data_goes.val();
        self.txmux.d.tlast.next = self.d.tlast.val();
        self.txmux.d.tag.next = self.d.tag.val();
        self.d.tready.next = self.txmux.d.tready.val() & self.data_goes.val();
        TaggedAxisOut::<W, K>::link(&mut self.m_axis_tx, &mut self.txmux.m);
        // Round trips. Header fields are big-endian.
        self.header.next = self.parse.o.hdr.val();
        self.rtt.a.valid.next = self.parse.o.valid.val() & (self.parse.o.kind.val() == bits::<2>(2));
        self.rtt.a.place.next =
            (bit_cast::<16, 8>(self.header.val().get_bits::<8>(32)) << 8) | bit_cast::<16, 8>(self.header.val().get_bits::<8>(40));
        self.rtt.a.flow.next =
            (bit_cast::<32, 8>(self.header.val().get_bits::<8>(48)) << 8) | bit_cast::<32, 8>(self.header.val().get_bits::<8>(56));
        self.rtt.a.nonce.next = (bit_cast::<32, 8>(self.header.val().get_bits::<8>(64)) << 24)
            | (bit_cast::<32, 8>(self.header.val().get_bits::<8>(72)) << 16)
            | (bit_cast::<32, 8>(self.header.val().get_bits::<8>(80)) << 8)
            | bit_cast::<32, 8>(self.header.val().get_bits::<8>(88));
        self.rtt.a.segment.next = (bit_cast::<32, 8>(self.header.val().get_bits::<8>(96)) << 24)
            | (bit_cast::<32, 8>(self.header.val().get_bits::<8>(104)) << 16)
            | (bit_cast::<32, 8>(self.header.val().get_bits::<8>(112)) << 8)
            | bit_cast::<32, 8>(self.header.val().get_bits::<8>(120));
        self.rtt.a.ts.next = self.parse.o.ts.val();
        self.digests.head.next = self.parse.o.head.val();
        self.digests.ip_class.next = self.parse.o.class.val();
        self.rtt.a.source.next = self.digests.source.val();
        self.rtt.cfg_key.next = self.csr.settings.val().nonce_key;
        self.rtt.a.ttl_sent.next = self.header.val().get_bits::<8>(192);
        self.rtt.a.ttl_seen.next = self.header.val().get_bits::<8>(200);
        self.rtt.a.loss.next = self.header.val().get_bits::<8>(216);
        self.rtt.a.arrival.next = (bit_cast::<64, 8>(self.header.val().get_bits::<8>(224)) << 56)
            | (bit_cast::<64, 8>(self.header.val().get_bits::<8>(232)) << 48)
            | (bit_cast::<64, 8>(self.header.val().get_bits::<8>(240)) << 40)
            | (bit_cast::<64, 8>(self.header.val().get_bits::<8>(248)) << 32)
            | (bit_cast::<64, 8>(self.header.val().get_bits::<8>(256)) << 24)
            | (bit_cast::<64, 8>(self.header.val().get_bits::<8>(264)) << 16)
            | (bit_cast::<64, 8>(self.header.val().get_bits::<8>(272)) << 8)
            | bit_cast::<64, 8>(self.header.val().get_bits::<8>(280));
        self.rtt.a.departure.next = (bit_cast::<64, 8>(self.header.val().get_bits::<8>(288)) << 56)
            | (bit_cast::<64, 8>(self.header.val().get_bits::<8>(296)) << 48)
            | (bit_cast::<64, 8>(self.header.val().get_bits::<8>(304)) << 40)
            | (bit_cast::<64, 8>(self.header.val().get_bits::<8>(312)) << 32)
            | (bit_cast::<64, 8>(self.header.val().get_bits::<8>(320)) << 24)
            | (bit_cast::<64, 8>(self.header.val().get_bits::<8>(328)) << 16)
            | (bit_cast::<64, 8>(self.header.val().get_bits::<8>(336)) << 8)
            | bit_cast::<64, 8>(self.header.val().get_bits::<8>(344));
        CompletionIn::link(&mut self.tx_cpl, &mut self.rtt.c);
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
        ProfileWriteOut::join(&mut self.pw, &mut self.rtt.pw);
        FlowLoadOut::<F>::join(&mut self.fl, &mut self.rtt.fl);
        self.rtt.cfg_ns_per_byte.next = self.csr.settings.val().ns_per_byte;
        self.rtt.now.next = self.clock.steady.val();
        self.rtt.time_epoch.next = self.clock.epoch.val();
        self.rtt.departed_epoch.next = self.clock.departed_epoch.val();
        ReleaseOut::<F>::link(&mut self.release, &mut self.rtt.release);
        // Rates.
        self.engine.sample.valid.next = self.rtt.sample.valid.val() | self.pairs.sample_valid.val();
        self.engine.sample.kind.next = self.rtt.sample.kind.val();
        self.engine.sample.flow.next = self.rtt.sample.flow.val();
        self.engine.sample.rtt_ns.next = self.rtt.sample.rtt_ns.val();
        self.engine.sample.now_ns.next = self.rtt.sample.now_ns.val();
        self.engine.sample.hops.next = self.rtt.sample.hops.val();
        self.engine.sample.endpoint_ns.next = self.rtt.sample.endpoint_ns.val();
        self.engine.sample.lost.next = self.rtt.sample.lost.val();
        if self.pairs.sample_valid.val() {
            self.engine.sample.kind.next = self.pairs.sample_kind.val();
            self.engine.sample.flow.next = self.pairs.sample_flow.val();
            self.engine.sample.rtt_ns.next = self.pairs.sample_rtt_ns.val();
            self.engine.sample.now_ns.next = self.pairs.sample_now_ns.val();
            self.engine.sample.hops.next = bits::<8>(0);
            self.engine.sample.endpoint_ns.next = bits::<24>(0);
            self.engine.sample.lost.next = bit_cast::<7, 1>(self.pairs.sample_kind.val().get_bits::<1>(1));
        }
        self.crossing.sample.valid.next = self.engine.sample.valid.val();
        self.crossing.sample.kind.next = self.engine.sample.kind.val();
        self.crossing.sample.flow.next = self.engine.sample.flow.val();
        self.crossing.sample.rtt_ns.next = self.engine.sample.rtt_ns.val();
        self.crossing.sample.lost.next = self.engine.sample.lost.val();
        self.tap_sample.valid.next = self.engine.sample.valid.val();
        self.tap_sample.kind.next = self.engine.sample.kind.val();
        self.tap_sample.flow.next = self.engine.sample.flow.val();
        self.tap_sample.rtt_ns.next = self.engine.sample.rtt_ns.val();
        FlowPulseIn::<F>::link(&mut self.idle, &mut self.engine.idle);
        self.engine.limited_valid.next = self.limited_valid.val();
        self.engine.limited_flow.next = self.limited_flow.val();
        self.engine.limited.next = self.limited.val();
        HostRateOut::<F>::join(&mut self.crossing.o_host, &mut self.engine.host);
        // DCQCN's CNPs and timers; the host's writes go first.
        self.reaction.ack_valid.next = self.parse.o.valid.val() & (self.parse.o.kind.val() == bits::<2>(2));
        self.reaction.ack_ecn.next = self.header.val().get_bits::<2>(208);
        // Of queue pairs' samples time-outs and NAKs alone.
        self.pair_tells.next = self.pairs.sample_valid.val() & self.pairs.sample_kind.val().any();
        self.reaction.sample_valid.next = self.rtt.sample.valid.val() | self.pair_tells.val();
        self.reaction.sample_kind.next = self.rtt.sample.kind.val();
        self.reaction.sample_flow.next = self.rtt.sample.flow.val();
        self.reaction.sample_lost.next = self.rtt.sample.lost.val().any();
        if self.pair_tells.val() {
            self.reaction.sample_kind.next = self.pairs.sample_kind.val();
            self.reaction.sample_flow.next = self.pairs.sample_flow.val();
            self.reaction.sample_lost.next = self.pairs.sample_kind.val().get_bit(1);
        }
        self.reaction.release_valid.next = self.release.valid.val();
        self.reaction.release_bytes.next = self.release.bytes.val();
        self.reaction.notice_valid.next = self.pairs.notice_valid.val();
        self.reaction.notice_flow.next = self.pairs.notice_flow.val();
        self.reaction.notice_marked.next = self.pairs.notice_marked.val();
        self.reaction.notice_bytes.next = self.pairs.notice_bytes.val();
        ProfileWriteOut::join(&mut self.pw, &mut self.reaction.pw);
        FlowLoadOut::<F>::join(&mut self.fl, &mut self.reaction.fl);
        self.reaction.now.next = self.clock.steady.val();
        self.reaction.action_ready.next = !self.crossing.o_host.valid.val();
        self.engine.reaction_valid.next = self.reaction.action_valid.val();
        self.engine.reaction_flow.next = self.reaction.action_flow.val();
        self.engine.reaction.next = self.reaction.action.val();
        ProfileWriteOut::join(&mut self.pw, &mut self.engine.pw);
        FlowLoadOut::<F>::join(&mut self.fl, &mut self.engine.fl);
        self.rate.valid.next = self.engine.rate_valid.val();
        self.rate.flow.next = self.engine.rate_flow.val();
        self.rate.value.next = self.engine.rate_value.val();
        // Telemetry.
        self.telemetry.sent_valid.next = self.crossing.o_sent.valid.val();
        self.telemetry.sent_flow.next = self.crossing.o_sent.flow.val();
        self.telemetry.sent_wire_bytes.next = self.crossing.o_sent.wire_bytes.val();
        self.telemetry.sent_last.next = self.crossing.o_sent.last.val();
        CountedSampleOut::<F>::join(&mut self.crossing.o_sample, &mut self.telemetry.sample);
        OutcomeOut::<F>::join(&mut self.crossing.o_acked, &mut self.telemetry.acked);
        self.telemetry.superseded_valid.next = self.crossing.o_superseded.valid.val();
        self.telemetry.superseded_flow.next = self.crossing.o_superseded.flow.val();
        self.telemetry.event_valid.next = self.crossing.o_event.valid.val();
        self.telemetry.event_flow.next = self.crossing.o_event.flow.val();
        self.telemetry.event_branch.next = self.crossing.o_event.branch.val();
        self.telemetry.event_hyperactive.next = self.crossing.o_event.hyperactive.val();
        self.telemetry.event_rate.next = self.crossing.o_event.rate.val();
        self.telemetry.event_kind.next = self.crossing.o_event.kind.val();
        FlowLoadOut::<F>::join(&mut self.fl, &mut self.telemetry.fl);
        // Event records and histograms.
        EventOut::<F>::join(&mut self.crossing.o_event, &mut self.recorder.event);
        self.recorder.now.next = self.clock.date.val();
        ProfileWriteOut::join(&mut self.pw, &mut self.recorder.pw);
        self.recorder.cfg_every.next = self.csr.settings.val().event_every;
        self.recorder.cfg_filter.next = self.csr.settings.val().event_filter;
        self.tap_rec_valid.next = self.recorder.rec_valid.val() & self.dma.rec_ready.val();
        self.tap_rec_data.next = self.recorder.rec_data.val();
        self.histograms.event_valid.next = self.crossing.o_event.valid.val();
        self.histograms.event_kind.next = self.crossing.o_event.kind.val();
        self.histograms.event_profile.next = self.crossing.o_event.profile.val();
        self.histograms.event_rtt_ns.next = self.crossing.o_event.rtt_ns.val();
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
            | bit_cast::<64, 32>(self.reaction.pulses.val())
            | bit_cast::<64, 32>(self.engine.pulses.val())
            | self.data_pulses.val()
            | self.own_pulses.val();
        self.swept.d.next = self.rtt.swept.val()
            & self.reaction.swept.val()
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
