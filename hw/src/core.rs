//! The core: control half and pacer half, joined. What a shell adds is the packet source that answers grants, and the MAC.
use crate::bus::AxilSlave;
use crate::construct::construct;
use crate::control::Control;
use crate::csr::SettingsBus;
use crate::pacer::Pacer;
use crate::pause::hold::Hold;
use rust_hdl::prelude::*;
use timely_model::pacer::Timing;
use timely_regs::map::Build;

/// Both halves behind an AXI-Lite slave, the MAC's streams, and the streams of a packet source: doorbells and charges in, grants out, its
/// frames and what is sent with them in. The source gets the flow bus (`fl_*`), host doorbells (`hd_*`) and its settings (`cfg_*`).
///
/// `W` bus bits, `K = W / 8`, `F` flow bits, `S` segment bits, `A = F + S`, `X` log2 of the calendar's slots, `D = F + 16`; the rest are
/// widths inside the pacer ([`Pacer`]).
///
/// Adds no clock to its halves. Model: `timely_model::core`.
#[derive(LogicBlock)]
pub struct Core<
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
> {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset, active high.
    pub rst: Signal<In, Bit>,
    /// Registers.
    pub s_axil: AxilSlave<24>,
    /// Received beat.
    pub s_axis_rx_tdata: Signal<In, Bits<W>>,
    /// Its bytes.
    pub s_axis_rx_tkeep: Signal<In, Bits<K>>,
    /// It is there.
    pub s_axis_rx_tvalid: Signal<In, Bit>,
    /// It is its frame's last.
    pub s_axis_rx_tlast: Signal<In, Bit>,
    /// Arrival of the frame's start, held for all its beats.
    pub s_axis_rx_ts: Signal<In, Bits<64>>,
    /// With the last beat: the frame is damaged.
    pub s_axis_rx_bad: Signal<In, Bit>,
    /// Beat to send.
    pub m_axis_tx_tdata: Signal<Out, Bits<W>>,
    /// Its bytes.
    pub m_axis_tx_tkeep: Signal<Out, Bits<K>>,
    /// It is there.
    pub m_axis_tx_tvalid: Signal<Out, Bit>,
    /// It is taken.
    pub m_axis_tx_tready: Signal<In, Bit>,
    /// It is its frame's last.
    pub m_axis_tx_tlast: Signal<Out, Bit>,
    /// Tag of its frame.
    pub m_axis_tx_tag: Signal<Out, Bits<16>>,
    /// A frame has departed.
    pub tx_cpl_valid: Signal<In, Bit>,
    /// Its tag.
    pub tx_cpl_tag: Signal<In, Bits<16>>,
    /// Departure of its start.
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
    /// A data frame's first beat is offered.
    pub sent_valid: Signal<In, Bit>,
    /// Its tag.
    pub sent_tag: Signal<In, Bits<16>>,
    /// Its flow.
    pub sent_flow: Signal<In, Bits<F>>,
    /// Its segment.
    pub sent_segment: Signal<In, Bits<32>>,
    /// Nonce of the segment.
    pub sent_nonce: Signal<In, Bits<32>>,
    /// First packet of the segment.
    pub sent_first: Signal<In, Bit>,
    /// Last packet of the segment.
    pub sent_last: Signal<In, Bit>,
    /// Wire bytes of the frame.
    pub sent_wire_bytes: Signal<In, Bits<16>>,
    /// Charged wire bytes of the segment so far.
    pub sent_segment_bytes: Signal<In, Bits<32>>,
    /// With the last packet: the segment's place in the ring of departures, and the turn of the ring in which it was given.
    pub sent_place: Signal<In, Bits<16>>,
    /// The latter.
    pub sent_generation: Signal<In, Bits<2>>,
    /// When the packet was eligible to leave.
    pub sent_launch: Signal<In, Bits<64>>,
    /// Counted events of the packet source.
    pub source_pulses: Signal<In, Bits<64>>,
    /// Its RAMs are cleared.
    pub source_swept: Signal<In, Bit>,
    /// The steady time, ns48.fns16: what launches are.
    pub steady: Signal<Out, Bits<64>>,
    /// The date, ns48.fns16: what stamps are.
    pub date: Signal<Out, Bits<64>>,
    /// The settings, by `timely_regs::map::settings`.
    pub settings: Signal<Out, SettingsBus>,
    /// No grant may leave.
    pub stop: Signal<Out, Bit>,
    /// Flow bus.
    pub fl_valid: Signal<Out, Bit>,
    /// Flow bus: flow.
    pub fl_flow: Signal<Out, Bits<F>>,
    /// Flow bus: record.
    pub fl_record: Signal<Out, Bits<512>>,
    /// Host doorbell.
    pub hd_valid: Signal<Out, Bit>,
    /// Host doorbell: taken.
    pub hd_ready: Signal<In, Bit>,
    /// Host doorbell: flow.
    pub hd_flow: Signal<Out, Bits<F>>,
    /// Host doorbell: packets.
    pub hd_packets: Signal<Out, Bits<16>>,
    /// A rate was computed.
    pub rate_valid: Signal<Out, Bit>,
    /// Its flow.
    pub rate_flow: Signal<Out, Bits<F>>,
    /// The rate, 2^-12 Mb/s.
    pub rate_value: Signal<Out, Bits<32>>,
    /// Tap: an RTT sample or a time-out.
    pub tap_sample_valid: Signal<Out, Bit>,
    /// Tap: which of the two.
    pub tap_sample_kind: Signal<Out, Bits<2>>,
    /// Tap: its flow.
    pub tap_sample_flow: Signal<Out, Bits<F>>,
    /// Tap: the RTT, ns.
    pub tap_sample_rtt_ns: Signal<Out, Bits<24>>,
    /// Host memory, AXI4: write address.
    pub m_axi_awaddr: Signal<Out, Bits<64>>,
    /// Host memory, AXI4: beats of the burst, less one.
    pub m_axi_awlen: Signal<Out, Bits<8>>,
    /// Host memory, AXI4: log2 of the bytes of a beat.
    pub m_axi_awsize: Signal<Out, Bits<3>>,
    /// Host memory, AXI4: INCR.
    pub m_axi_awburst: Signal<Out, Bits<2>>,
    /// Host memory, AXI4: write address valid.
    pub m_axi_awvalid: Signal<Out, Bit>,
    /// Host memory, AXI4: write address taken.
    pub m_axi_awready: Signal<In, Bit>,
    /// Host memory, AXI4: beat.
    pub m_axi_wdata: Signal<Out, Bits<W>>,
    /// Host memory, AXI4: all of its bytes.
    pub m_axi_wstrb: Signal<Out, Bits<K>>,
    /// Host memory, AXI4: last of its burst.
    pub m_axi_wlast: Signal<Out, Bit>,
    /// Host memory, AXI4: beat valid.
    pub m_axi_wvalid: Signal<Out, Bit>,
    /// Host memory, AXI4: beat taken.
    pub m_axi_wready: Signal<In, Bit>,
    /// Host memory, AXI4: write response.
    pub m_axi_bresp: Signal<In, Bits<2>>,
    /// Host memory, AXI4: write response valid.
    pub m_axi_bvalid: Signal<In, Bit>,
    /// Host memory, AXI4: always 1.
    pub m_axi_bready: Signal<Out, Bit>,
    /// Host memory, AXI4: read address.
    pub m_axi_araddr: Signal<Out, Bits<64>>,
    /// Host memory, AXI4: beats of the burst, less one.
    pub m_axi_arlen: Signal<Out, Bits<8>>,
    /// Host memory, AXI4: log2 of the bytes of a beat.
    pub m_axi_arsize: Signal<Out, Bits<3>>,
    /// Host memory, AXI4: INCR.
    pub m_axi_arburst: Signal<Out, Bits<2>>,
    /// Host memory, AXI4: read address valid.
    pub m_axi_arvalid: Signal<Out, Bit>,
    /// Host memory, AXI4: read address taken.
    pub m_axi_arready: Signal<In, Bit>,
    /// Host memory, AXI4: beat.
    pub m_axi_rdata: Signal<In, Bits<W>>,
    /// Host memory, AXI4: its response.
    pub m_axi_rresp: Signal<In, Bits<2>>,
    /// Host memory, AXI4: last of its burst.
    pub m_axi_rlast: Signal<In, Bit>,
    /// Host memory, AXI4: beat valid.
    pub m_axi_rvalid: Signal<In, Bit>,
    /// Host memory, AXI4: beat taken.
    pub m_axi_rready: Signal<Out, Bit>,
    /// Interrupt lines, `timely_regs::map::dma`; levels.
    pub irq: Signal<Out, Bits<6>>,
    /// Tap: an event record is taken.
    pub tap_rec_valid: Signal<Out, Bit>,
    /// Tap: the record, word `i` in bits `32i+31..32i`.
    pub tap_rec_data: Signal<Out, Bits<512>>,
    /// A doorbell.
    pub doorbell_valid: Signal<In, Bit>,
    /// It is taken at this clock if offered.
    pub doorbell_ready: Signal<Out, Bit>,
    /// Its flow.
    pub doorbell_flow: Signal<In, Bits<F>>,
    /// Packets posted.
    pub doorbell_packets: Signal<In, Bits<16>>,
    /// The packet of a grant is known.
    pub charge_valid: Signal<In, Bit>,
    /// The flow; of its grants, it is the oldest one uncharged.
    pub charge_flow: Signal<In, Bits<F>>,
    /// Wire bytes; 0 without a packet.
    pub charge_bytes: Signal<In, Bits<16>>,
    /// The packet is its segment's last, so that what was charged up to it can be released.
    pub charge_ends: Signal<In, Bit>,
    /// Paused priorities.
    pub pause: Signal<In, Bits<8>>,
    /// A flow may send a packet.
    pub grant_valid: Signal<Out, Bit>,
    /// It is taken at this clock if offered.
    pub grant_ready: Signal<In, Bit>,
    /// The flow.
    pub grant_flow: Signal<Out, Bits<F>>,
    /// When it was due, ns48.fns16.
    pub grant_launch: Signal<Out, Bits<64>>,
    control: Control<W, K, F, S, A>,
    pacer: Pacer<F, X, XA, XY, FB, FS, D, FR, FZ, FW>,
    hold: Hold<F>,
    stops: Signal<Local, Bits<8>>,
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
> Core<W, K, F, S, A, X, D, XA, XY, FB, FS, FR, FZ, FW>
{
    /// The core of a design that is built with these numbers.
    pub fn new(build: &Build) -> Self {
        construct!({ control: Control::new(build), pacer: Pacer::new(Timing::of(build.clock_ps)), hold: Hold::new() }
            clk, rst, s_axil, s_axis_rx_tdata, s_axis_rx_tkeep, s_axis_rx_tvalid, s_axis_rx_tlast, s_axis_rx_ts, s_axis_rx_bad, m_axis_tx_tdata, m_axis_tx_tkeep, m_axis_tx_tvalid, m_axis_tx_tready, m_axis_tx_tlast, m_axis_tx_tag, tx_cpl_valid, tx_cpl_tag, tx_cpl_ts, ptp_valid, ptp_time, d_tdata, d_tkeep, d_tvalid, d_tready, d_tlast, d_tag, sent_valid, sent_tag, sent_flow, sent_segment, sent_nonce, sent_first, sent_last, sent_wire_bytes, sent_segment_bytes, sent_place, sent_generation, sent_launch, source_pulses, source_swept, steady, date, settings, stop, fl_valid, fl_flow, fl_record, hd_valid, hd_ready, hd_flow, hd_packets, rate_valid, rate_flow, rate_value, tap_sample_valid, tap_sample_kind, tap_sample_flow, tap_sample_rtt_ns, m_axi_awaddr, m_axi_awlen, m_axi_awsize, m_axi_awburst, m_axi_awvalid, m_axi_awready, m_axi_wdata, m_axi_wstrb, m_axi_wlast, m_axi_wvalid, m_axi_wready, m_axi_bresp, m_axi_bvalid, m_axi_bready, m_axi_araddr, m_axi_arlen, m_axi_arsize, m_axi_arburst, m_axi_arvalid, m_axi_arready, m_axi_rdata, m_axi_rresp, m_axi_rlast, m_axi_rvalid, m_axi_rready, irq, tap_rec_valid, tap_rec_data, doorbell_valid, doorbell_ready, doorbell_flow, doorbell_packets, charge_valid, charge_flow, charge_bytes, charge_ends, pause, grant_valid, grant_ready, grant_flow, grant_launch, stops
        )
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
> Logic for Core<W, K, F, S, A, X, D, XA, XY, FB, FS, FR, FZ, FW>
{
    #[hdl_gen]
    fn update(&mut self) {
        self.control.clk.next = self.clk.val();
        self.control.rst.next = self.rst.val();
        self.pacer.clk.next = self.clk.val();
        self.pacer.rst.next = self.rst.val();
        AxilSlave::<24>::link(&mut self.s_axil, &mut self.control.s_axil);
        self.control.s_axis_rx_tdata.next = self.s_axis_rx_tdata.val();
        self.control.s_axis_rx_tkeep.next = self.s_axis_rx_tkeep.val();
        self.control.s_axis_rx_tvalid.next = self.s_axis_rx_tvalid.val();
        self.control.s_axis_rx_tlast.next = self.s_axis_rx_tlast.val();
        self.control.s_axis_rx_ts.next = self.s_axis_rx_ts.val();
        self.control.s_axis_rx_bad.next = self.s_axis_rx_bad.val();
        self.m_axis_tx_tdata.next = self.control.m_axis_tx_tdata.val();
        self.m_axis_tx_tkeep.next = self.control.m_axis_tx_tkeep.val();
        self.m_axis_tx_tvalid.next = self.control.m_axis_tx_tvalid.val();
        self.control.m_axis_tx_tready.next = self.m_axis_tx_tready.val();
        self.m_axis_tx_tlast.next = self.control.m_axis_tx_tlast.val();
        self.m_axis_tx_tag.next = self.control.m_axis_tx_tag.val();
        self.control.tx_cpl_valid.next = self.tx_cpl_valid.val();
        self.control.tx_cpl_tag.next = self.tx_cpl_tag.val();
        self.control.tx_cpl_ts.next = self.tx_cpl_ts.val();
        self.control.ptp_valid.next = self.ptp_valid.val();
        self.control.ptp_time.next = self.ptp_time.val();
        self.control.d_tdata.next = self.d_tdata.val();
        self.control.d_tkeep.next = self.d_tkeep.val();
        self.control.d_tvalid.next = self.d_tvalid.val();
        self.d_tready.next = self.control.d_tready.val();
        self.control.d_tlast.next = self.d_tlast.val();
        self.control.d_tag.next = self.d_tag.val();
        self.control.sent_valid.next = self.sent_valid.val();
        self.control.sent_tag.next = self.sent_tag.val();
        self.control.sent_flow.next = self.sent_flow.val();
        self.control.sent_segment.next = self.sent_segment.val();
        self.control.sent_nonce.next = self.sent_nonce.val();
        self.control.sent_first.next = self.sent_first.val();
        self.control.sent_last.next = self.sent_last.val();
        self.control.sent_wire_bytes.next = self.sent_wire_bytes.val();
        self.control.sent_segment_bytes.next = self.sent_segment_bytes.val();
        self.control.sent_place.next = self.sent_place.val();
        self.control.sent_generation.next = self.sent_generation.val();
        self.control.sent_launch.next = self.sent_launch.val();
        self.control.data_pulses.next = bit_cast::<64, 32>(self.pacer.pulses.val()) | self.source_pulses.val();
        self.control.data_swept.next = self.pacer.swept.val() & self.source_swept.val();
        self.steady.next = self.control.steady.val();
        self.date.next = self.control.date.val();
        self.stop.next = self.control.stop.val();
        self.settings.next = self.control.settings.val();
        self.fl_valid.next = self.control.fl_valid.val();
        self.fl_flow.next = self.control.fl_flow.val();
        self.fl_record.next = self.control.fl_record.val();
        self.hd_valid.next = self.control.hd_valid.val();
        self.control.hd_ready.next = self.hd_ready.val();
        self.hd_flow.next = self.control.hd_flow.val();
        self.hd_packets.next = self.control.hd_packets.val();
        self.rate_valid.next = self.control.rate_valid.val();
        self.rate_flow.next = self.control.rate_flow.val();
        self.rate_value.next = self.control.rate_value.val();
        self.tap_sample_valid.next = self.control.tap_sample_valid.val();
        self.tap_sample_kind.next = self.control.tap_sample_kind.val();
        self.tap_sample_flow.next = self.control.tap_sample_flow.val();
        self.tap_sample_rtt_ns.next = self.control.tap_sample_rtt_ns.val();
        self.m_axi_awaddr.next = self.control.m_axi_awaddr.val();
        self.m_axi_awlen.next = self.control.m_axi_awlen.val();
        self.m_axi_awsize.next = self.control.m_axi_awsize.val();
        self.m_axi_awburst.next = self.control.m_axi_awburst.val();
        self.m_axi_awvalid.next = self.control.m_axi_awvalid.val();
        self.control.m_axi_awready.next = self.m_axi_awready.val();
        self.m_axi_wdata.next = self.control.m_axi_wdata.val();
        self.m_axi_wstrb.next = self.control.m_axi_wstrb.val();
        self.m_axi_wlast.next = self.control.m_axi_wlast.val();
        self.m_axi_wvalid.next = self.control.m_axi_wvalid.val();
        self.control.m_axi_wready.next = self.m_axi_wready.val();
        self.control.m_axi_bresp.next = self.m_axi_bresp.val();
        self.control.m_axi_bvalid.next = self.m_axi_bvalid.val();
        self.m_axi_bready.next = self.control.m_axi_bready.val();
        self.m_axi_araddr.next = self.control.m_axi_araddr.val();
        self.m_axi_arlen.next = self.control.m_axi_arlen.val();
        self.m_axi_arsize.next = self.control.m_axi_arsize.val();
        self.m_axi_arburst.next = self.control.m_axi_arburst.val();
        self.m_axi_arvalid.next = self.control.m_axi_arvalid.val();
        self.control.m_axi_arready.next = self.m_axi_arready.val();
        self.control.m_axi_rdata.next = self.m_axi_rdata.val();
        self.control.m_axi_rresp.next = self.m_axi_rresp.val();
        self.control.m_axi_rlast.next = self.m_axi_rlast.val();
        self.control.m_axi_rvalid.next = self.m_axi_rvalid.val();
        self.m_axi_rready.next = self.control.m_axi_rready.val();
        self.irq.next = self.control.irq.val();
        self.tap_rec_valid.next = self.control.tap_rec_valid.val();
        self.tap_rec_data.next = self.control.tap_rec_data.val();
        // The halves.
        self.pacer.rate_valid.next = self.control.rate_valid.val();
        self.pacer.rate_flow.next = self.control.rate_flow.val();
        self.pacer.rate_value.next = self.control.rate_value.val();
        self.pacer.release_valid.next = self.control.release_valid.val();
        self.pacer.release_flow.next = self.control.release_flow.val();
        self.pacer.release_bytes.next = self.control.release_bytes.val();
        self.pacer.pw_valid.next = self.control.pw_valid.val();
        self.pacer.pw_profile.next = self.control.pw_profile.val();
        self.pacer.pw_word.next = self.control.pw_word.val();
        self.pacer.pw_data.next = self.control.pw_data.val();
        self.pacer.fl_valid.next = self.control.fl_valid.val();
        self.pacer.fl_flow.next = self.control.fl_flow.val();
        self.pacer.fl_record.next = self.control.fl_record.val();
        self.pacer.stop.next = self.control.stop.val();
        self.pacer.now.next = self.control.later.val();
        self.control.idle_valid.next = self.pacer.idle_valid.val();
        self.control.idle_flow.next = self.pacer.idle_flow.val();
        self.control.limited_valid.next = self.pacer.limited_valid.val();
        self.control.limited_flow.next = self.pacer.limited_flow.val();
        self.control.limited.next = self.pacer.limited.val();
        // The packet source and the pacer.
        self.pacer.doorbell_valid.next = self.doorbell_valid.val();
        self.doorbell_ready.next = self.pacer.doorbell_ready.val();
        self.pacer.doorbell_flow.next = self.doorbell_flow.val();
        self.pacer.doorbell_packets.next = self.doorbell_packets.val();
        self.pacer.charge_valid.next = self.charge_valid.val();
        self.pacer.charge_flow.next = self.charge_flow.val();
        self.pacer.charge_bytes.next = self.charge_bytes.val();
        self.pacer.charge_ends.next = self.charge_ends.val();
        // What is paused is decided no more, and what is decided and not launched waits.
        self.stops.next = self.pause.val() | self.control.paused.val();
        self.pacer.pause.next = self.stops.val();
        self.hold.clk.next = self.clk.val();
        self.hold.rst.next = self.rst.val();
        self.hold.paused.next = self.stops.val();
        self.hold.fl_valid.next = self.control.fl_valid.val();
        self.hold.fl_flow.next = self.control.fl_flow.val();
        self.hold.fl_record.next = self.control.fl_record.val();
        self.hold.s_valid.next = self.pacer.grant_valid.val();
        self.hold.s_flow.next = self.pacer.grant_flow.val();
        self.hold.s_launch.next = self.pacer.grant_launch.val();
        self.pacer.grant_ready.next = self.hold.s_ready.val();
        self.grant_valid.next = self.hold.m_valid.val();
        self.hold.m_ready.next = self.grant_ready.val();
        self.grant_flow.next = self.hold.m_flow.val();
        self.grant_launch.next = self.hold.m_launch.val();
    }
}
