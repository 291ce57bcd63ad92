//! The core: control half and pacer half, joined. What a shell adds is the packet source that answers grants, and the MAC.
use crate::bus::{AxiMaster, AxilSlave, ChargeIn, DoorbellIn, DoorbellOut, FlowLoadOut, GrantOut, SentIn};
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
    /// Counted events of the packet source.
    pub source_pulses: Signal<In, Bits<64>>,
    /// The packet source's RAMs are cleared.
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
    pub fl: FlowLoadOut<F>,
    /// Doorbell of the host.
    pub hd: DoorbellOut<F>,
    /// A rate was computed.
    pub rate_valid: Signal<Out, Bit>,
    /// Flow of the rate.
    pub rate_flow: Signal<Out, Bits<F>>,
    /// The rate, 2^-12 Mb/s.
    pub rate_value: Signal<Out, Bits<32>>,
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
    /// Packets to send: flow and how many.
    pub doorbell: DoorbellIn<F>,
    /// Cost of a packet that answers a grant.
    pub charge: ChargeIn<F>,
    /// Paused priorities.
    pub pause: Signal<In, Bits<8>>,
    /// A packet may leave.
    pub grant: GrantOut<F>,
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
            clk, rst, s_axil, s_axis_rx_tdata, s_axis_rx_tkeep, s_axis_rx_tvalid, s_axis_rx_tlast, s_axis_rx_ts, s_axis_rx_bad, m_axis_tx_tdata, m_axis_tx_tkeep, m_axis_tx_tvalid, m_axis_tx_tready, m_axis_tx_tlast, m_axis_tx_tag, tx_cpl_valid, tx_cpl_tag, tx_cpl_ts, ptp_valid, ptp_time, d_tdata, d_tkeep, d_tvalid, d_tready, d_tlast, d_tag, sent, source_pulses, source_swept, steady, date, settings, stop, fl, hd, rate_valid, rate_flow, rate_value, tap_sample_valid, tap_sample_kind, tap_sample_flow, tap_sample_rtt_ns, m_axi, irq, tap_rec_valid, tap_rec_data, doorbell, charge, pause, grant, stops
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
        SentIn::<F>::link(&mut self.sent, &mut self.control.sent);
        self.control.data_pulses.next = bit_cast::<64, 32>(self.pacer.pulses.val()) | self.source_pulses.val();
        self.control.data_swept.next = self.pacer.swept.val() & self.source_swept.val();
        self.steady.next = self.control.steady.val();
        self.date.next = self.control.date.val();
        self.stop.next = self.control.stop.val();
        self.settings.next = self.control.settings.val();
        FlowLoadOut::<F>::link(&mut self.fl, &mut self.control.fl);
        DoorbellOut::<F>::link(&mut self.hd, &mut self.control.hd);
        self.rate_valid.next = self.control.rate_valid.val();
        self.rate_flow.next = self.control.rate_flow.val();
        self.rate_value.next = self.control.rate_value.val();
        self.tap_sample_valid.next = self.control.tap_sample_valid.val();
        self.tap_sample_kind.next = self.control.tap_sample_kind.val();
        self.tap_sample_flow.next = self.control.tap_sample_flow.val();
        self.tap_sample_rtt_ns.next = self.control.tap_sample_rtt_ns.val();
        AxiMaster::<W, K>::link(&mut self.m_axi, &mut self.control.m_axi);
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
        self.pacer.pw_valid.next = self.control.pw.valid.val();
        self.pacer.pw_profile.next = self.control.pw.profile.val();
        self.pacer.pw_word.next = self.control.pw.word.val();
        self.pacer.pw_data.next = self.control.pw.data.val();
        self.pacer.fl_valid.next = self.fl.valid.val();
        self.pacer.fl_flow.next = self.fl.flow.val();
        self.pacer.fl_record.next = self.fl.record.val();
        self.pacer.stop.next = self.control.stop.val();
        self.pacer.now.next = self.control.later.val();
        self.control.idle_valid.next = self.pacer.idle_valid.val();
        self.control.idle_flow.next = self.pacer.idle_flow.val();
        self.control.limited_valid.next = self.pacer.limited_valid.val();
        self.control.limited_flow.next = self.pacer.limited_flow.val();
        self.control.limited.next = self.pacer.limited.val();
        // The packet source and the pacer.
        self.pacer.doorbell_valid.next = self.doorbell.valid.val();
        self.doorbell.ready.next = self.pacer.doorbell_ready.val();
        self.pacer.doorbell_flow.next = self.doorbell.flow.val();
        self.pacer.doorbell_packets.next = self.doorbell.packets.val();
        self.pacer.charge_valid.next = self.charge.valid.val();
        self.pacer.charge_flow.next = self.charge.flow.val();
        self.pacer.charge_bytes.next = self.charge.bytes.val();
        self.pacer.charge_ends.next = self.charge.ends.val();
        // What is paused is decided no more, and what is decided and not launched waits.
        self.stops.next = self.pause.val() | self.control.paused.val();
        self.pacer.pause.next = self.stops.val();
        self.hold.clk.next = self.clk.val();
        self.hold.rst.next = self.rst.val();
        self.hold.paused.next = self.stops.val();
        self.hold.fl_valid.next = self.fl.valid.val();
        self.hold.fl_flow.next = self.fl.flow.val();
        self.hold.fl_record.next = self.fl.record.val();
        self.hold.s_valid.next = self.pacer.grant_valid.val();
        self.hold.s_flow.next = self.pacer.grant_flow.val();
        self.hold.s_launch.next = self.pacer.grant_launch.val();
        self.pacer.grant_ready.next = self.hold.s_ready.val();
        self.grant.valid.next = self.hold.m_valid.val();
        self.hold.m_ready.next = self.grant.ready.val();
        self.grant.flow.next = self.hold.m_flow.val();
        self.grant.launch.next = self.hold.m_launch.val();
    }
}
