//! The control half among Corundum's streams: the application block but for the names of its ports.
#![allow(missing_docs, reason = "a group of ports has one comment")]
use super::arrivals::Arrivals;
use super::credit::Credit;
use super::departures::Departures;
use super::host_read::HostRead;
use super::host_write::HostWrite;
use super::launches::Launches;
use crate::bus::AxilWordMaster;
use crate::constant::Const;
use crate::construct::construct;
use crate::control::Control;
use crate::fifo::Fifo;
use crate::inline::exit::Exit;
use crate::launch::Launch;
use crate::mark::Mark;
use crate::scheduler::courier::Courier;
use crate::time::Linear;
use rust_hdl::prelude::*;
use timely_model::time::LINEAR_LATENCY;
use timely_regs::corundum::{DOWN, DOWN_BITS, UP, UP_BITS};
use timely_regs::counters::Counter;
use timely_regs::flow;
use timely_regs::link::ACK_TAG;
use timely_regs::map::Build;

// A kernel takes literals alone: the first two bits of a record, and an ACK's tag has not the core's bit.
const _: () = assert!(flow::ENABLE.low == 0 && flow::KEEP.low == 1 && flow::ENABLE.word == 0 && flow::KEEP.word == 0);
const _: () = assert!(flow::ENDLESS.word == 0 && flow::ENDLESS.low == 2);
const _: () = assert!(ACK_TAG == 0x7fff && LINEAR_LATENCY == 5);
const _: () = assert!(flow::PAYLOAD_BYTES.word == 1 && flow::PAYLOAD_BYTES.low == 0 && flow::PAYLOAD_BYTES.high == 13);
const _: () = {
    assert!(
        DOWN_BITS == 262
            && DOWN[1].1 == 1
            && DOWN[2].1 == 9
            && DOWN[5].1 == 58
            && DOWN[8].1 == 107
            && DOWN[10].1 == 124
            && DOWN[11].1 == 156
    );
    assert!(DOWN[14].1 == 166 && DOWN[15].1 == 198);
    assert!(UP_BITS == 167 && UP[2].1 == 2 && UP[5].1 == 35 && UP[6].1 == 36 && UP[9].1 == 85 && UP[11].1 == 94 && UP[13].1 == 159);
};

/// Frames of the core's pass, ACKs of ours go between them; what is received is looked at, and so is what leaves the queues: the end of a segment gets its place
/// in the departure ring, and data of a flow that names the queue it came from is reported as sent, and as departed when its completion comes. All stamps are the MAC's times of day, and the NIC's
/// time follows the same clock. Bursts of DMA become descriptors. What a scheduler needs, and says, a courier carries over the NIC's
/// own registers, or with `streams` two buses do; a frame then leaves at the launch that the scheduler gave its request.
///
/// `W` bus bits, `K = W / 8`, `F` flow bits, `T = F + 1`, `S` segment bits, `A = F + S`, `L = K + 74`, `R = F + 32`, `Q = W + K + 50`.
///
/// With `generates`, a [`super::traffic::Traffic`] stands at the ports `g_*`: flows that are `endless` are its own, and no queues; places of frames
/// out of queues are then the upper half of the ring.
///
/// Latency: a frame out of a queue as [`Mark`] has it; a frame of the core's towards the MAC 7 clocks, with a generator 8, or at its launch; the first beat of an ACK 23 clocks after the last of what it answers. Throughput: a beat a clock
/// each way. Back pressure: none towards received frames; `if_tready` falls when what is behind takes none, `s_tx_tready` while an ACK goes first.
#[derive(LogicBlock)]
pub struct App<
    const W: usize,
    const K: usize,
    const F: usize,
    const T: usize,
    const S: usize,
    const A: usize,
    const L: usize,
    const R: usize,
    const Q: usize,
> {
    pub clk: Signal<In, Clock>,
    /// Synchronous reset, active high, for two clocks at least.
    pub rst: Signal<In, Bit>,
    /// AXI-Lite: write address.
    pub s_axil_awaddr: Signal<In, Bits<24>>,
    pub s_axil_awvalid: Signal<In, Bit>,
    pub s_axil_awready: Signal<Out, Bit>,
    pub s_axil_wdata: Signal<In, Bits<32>>,
    pub s_axil_wstrb: Signal<In, Bits<4>>,
    pub s_axil_wvalid: Signal<In, Bit>,
    pub s_axil_wready: Signal<Out, Bit>,
    pub s_axil_bresp: Signal<Out, Bits<2>>,
    pub s_axil_bvalid: Signal<Out, Bit>,
    pub s_axil_bready: Signal<In, Bit>,
    pub s_axil_araddr: Signal<In, Bits<24>>,
    pub s_axil_arvalid: Signal<In, Bit>,
    pub s_axil_arready: Signal<Out, Bit>,
    pub s_axil_rdata: Signal<Out, Bits<32>>,
    pub s_axil_rresp: Signal<Out, Bits<2>>,
    pub s_axil_rvalid: Signal<Out, Bit>,
    pub s_axil_rready: Signal<In, Bit>,
    /// PTP's time of day at this clock.
    pub ptp_ts: Signal<In, Bits<96>>,
    /// Beat from the core: bytes in wire order, and their frame.
    pub s_tx_tdata: Signal<In, Bits<W>>,
    pub s_tx_tkeep: Signal<In, Bits<K>>,
    pub s_tx_tvalid: Signal<In, Bit>,
    /// Beat from the core: taken if offered.
    pub s_tx_tready: Signal<Out, Bit>,
    pub s_tx_tlast: Signal<In, Bit>,
    /// Beat from the core: tag of its frame, bit 15 the core's own.
    pub s_tx_tag: Signal<In, Bits<16>>,
    pub s_tx_bad: Signal<In, Bit>,
    /// Beat to the MAC: bytes in wire order, and their frame.
    pub m_tx_tdata: Signal<Out, Bits<W>>,
    pub m_tx_tkeep: Signal<Out, Bits<K>>,
    pub m_tx_tvalid: Signal<Out, Bit>,
    /// Beat to the MAC: taken if offered.
    pub m_tx_tready: Signal<In, Bit>,
    pub m_tx_tlast: Signal<Out, Bit>,
    /// Beat to the MAC: tag of its frame, bit 15 the core's own.
    pub m_tx_tag: Signal<Out, Bits<16>>,
    pub m_tx_bad: Signal<Out, Bit>,
    /// Received beat: bytes in wire order, and their frame.
    pub rx_tdata: Signal<In, Bits<W>>,
    pub rx_tkeep: Signal<In, Bits<K>>,
    pub rx_taken: Signal<In, Bit>,
    pub rx_tlast: Signal<In, Bit>,
    /// Received beat: stamp of the frame's start, time of day.
    pub rx_ts: Signal<In, Bits<96>>,
    pub rx_bad: Signal<In, Bit>,
    /// Beat out of a queue: bytes in wire order, and their frame.
    pub if_tdata: Signal<In, Bits<W>>,
    pub if_tkeep: Signal<In, Bits<K>>,
    pub if_tvalid: Signal<In, Bit>,
    /// Beat out of a queue: taken if offered.
    pub if_tready: Signal<Out, Bit>,
    pub if_tlast: Signal<In, Bit>,
    pub if_queue: Signal<In, Bits<16>>,
    pub if_tag: Signal<In, Bits<16>>,
    pub if_bad: Signal<In, Bit>,
    pub if_dest: Signal<In, Bits<16>>,
    /// The same beat, on its way on: bytes in wire order, and their frame.
    pub m_if_tdata: Signal<Out, Bits<W>>,
    pub m_if_tkeep: Signal<Out, Bits<K>>,
    pub m_if_tvalid: Signal<Out, Bit>,
    /// The same beat, on its way on: taken if offered.
    pub m_if_tready: Signal<In, Bit>,
    pub m_if_tlast: Signal<Out, Bit>,
    pub m_if_queue: Signal<Out, Bits<16>>,
    pub m_if_tag: Signal<Out, Bits<16>>,
    pub m_if_bad: Signal<Out, Bit>,
    pub m_if_dest: Signal<Out, Bits<16>>,
    /// Completion from the MAC: stamp of the frame's start, time of day.
    pub s_cpl_ts: Signal<In, Bits<96>>,
    pub s_cpl_tag: Signal<In, Bits<16>>,
    pub s_cpl_valid: Signal<In, Bit>,
    /// Completion from the MAC: taken if offered.
    pub s_cpl_ready: Signal<Out, Bit>,
    /// Completion to the core: stamp of the frame's start, time of day.
    pub m_cpl_ts: Signal<Out, Bits<96>>,
    pub m_cpl_tag: Signal<Out, Bits<16>>,
    pub m_cpl_valid: Signal<Out, Bit>,
    /// Completion to the core: taken if offered.
    pub m_cpl_ready: Signal<In, Bit>,
    /// There is a DMA engine.
    pub dma_enable: Signal<In, Bit>,
    /// Write descriptor: where in the host.
    pub wd_address: Signal<Out, Bits<64>>,
    pub wd_place: Signal<Out, Bits<4>>,
    pub wd_valid: Signal<Out, Bit>,
    pub wd_ready: Signal<In, Bit>,
    /// A write descriptor is done.
    pub ws_valid: Signal<In, Bit>,
    pub ws_place: Signal<In, Bits<4>>,
    pub ws_failed: Signal<In, Bit>,
    /// Segment 0 is read.
    pub r0_valid: Signal<In, Bit>,
    pub r0_place: Signal<In, Bits<4>>,
    /// The read of segment 0 is taken if offered.
    pub r0_ready: Signal<Out, Bit>,
    /// Data of segment 0.
    pub a0_data: Signal<Out, Bits<512>>,
    /// The data of segment 0 is valid.
    pub a0_valid: Signal<Out, Bit>,
    /// The data of segment 0 is taken.
    pub a0_ready: Signal<In, Bit>,
    /// Segment 1 is read.
    pub r1_valid: Signal<In, Bit>,
    pub r1_place: Signal<In, Bits<4>>,
    /// The read of segment 1 is taken if offered.
    pub r1_ready: Signal<Out, Bit>,
    /// Data of segment 1.
    pub a1_data: Signal<Out, Bits<512>>,
    /// The data of segment 1 is valid.
    pub a1_valid: Signal<Out, Bit>,
    /// The data of segment 1 is taken.
    pub a1_ready: Signal<In, Bit>,
    /// Read descriptor: where in the host.
    pub rd_address: Signal<Out, Bits<64>>,
    pub rd_place: Signal<Out, Bit>,
    pub rd_valid: Signal<Out, Bit>,
    pub rd_ready: Signal<In, Bit>,
    /// A read descriptor is done.
    pub rs_valid: Signal<In, Bit>,
    pub rs_place: Signal<In, Bit>,
    pub rs_failed: Signal<In, Bit>,
    /// The lower half of a place is written.
    pub h0_valid: Signal<In, Bit>,
    pub h0_place: Signal<In, Bit>,
    pub h0_enable: Signal<In, Bits<32>>,
    pub h0_data: Signal<In, Bits<256>>,
    /// The upper half of a place is written.
    pub h1_valid: Signal<In, Bit>,
    pub h1_place: Signal<In, Bit>,
    pub h1_enable: Signal<In, Bits<32>>,
    pub h1_data: Signal<In, Bits<256>>,
    /// The scheduler's window, as the master below sees it.
    pub base: Signal<In, Bits<24>>,
    /// The NIC's own registers.
    pub m_axil: AxilWordMaster<24>,
    /// The scheduler's events come by `up`; a level.
    pub streams: Signal<In, Bit>,
    /// To a scheduler, `timely_regs::corundum::DOWN`.
    pub down: Signal<Out, Bits<262>>,
    /// From a scheduler, `timely_regs::corundum::UP`.
    pub up: Signal<In, Bits<167>>,
    /// There is a generator behind the ports that follow; a level. Without one their inputs are not looked at.
    pub generates: Signal<In, Bit>,
    /// Generator: `rst` of [`super::traffic::Traffic`].
    pub g_rst: Signal<Out, Bit>,
    /// Generator: `swept` of [`super::traffic::Traffic`].
    pub g_swept: Signal<In, Bit>,
    /// Generator: `now` of [`super::traffic::Traffic`].
    pub g_now: Signal<Out, Bits<64>>,
    /// Generator: `later` of [`super::traffic::Traffic`].
    pub g_later: Signal<Out, Bits<64>>,
    /// Generator: `stop` of [`super::traffic::Traffic`].
    pub g_stop: Signal<Out, Bit>,
    /// Generator: `cfg_mac` of [`super::traffic::Traffic`].
    pub g_cfg_mac: Signal<Out, Bits<48>>,
    /// Generator: `cfg_ipv4` of [`super::traffic::Traffic`].
    pub g_cfg_ipv4: Signal<Out, Bits<32>>,
    /// Generator: `cfg_ipv6` of [`super::traffic::Traffic`].
    pub g_cfg_ipv6: Signal<Out, Bits<128>>,
    /// Generator: `cfg_key` of [`super::traffic::Traffic`].
    pub g_cfg_key: Signal<Out, Bits<96>>,
    /// Generator: `cfg_keyed` of [`super::traffic::Traffic`].
    pub g_cfg_keyed: Signal<Out, Bit>,
    /// Generator: `fl_valid` of [`super::traffic::Traffic`].
    pub g_fl_valid: Signal<Out, Bit>,
    /// Generator: `fl_flow` of [`super::traffic::Traffic`].
    pub g_fl_flow: Signal<Out, Bits<F>>,
    /// Generator: `fl_record` of [`super::traffic::Traffic`].
    pub g_fl_record: Signal<Out, Bits<512>>,
    /// Generator: `pw_valid` of [`super::traffic::Traffic`].
    pub g_pw_valid: Signal<Out, Bit>,
    /// Generator: `pw_profile` of [`super::traffic::Traffic`].
    pub g_pw_profile: Signal<Out, Bits<4>>,
    /// Generator: `pw_word` of [`super::traffic::Traffic`].
    pub g_pw_word: Signal<Out, Bits<5>>,
    /// Generator: `pw_data` of [`super::traffic::Traffic`].
    pub g_pw_data: Signal<Out, Bits<32>>,
    /// Generator: `hd_valid` of [`super::traffic::Traffic`].
    pub g_hd_valid: Signal<Out, Bit>,
    /// Generator: `hd_ready` of [`super::traffic::Traffic`].
    pub g_hd_ready: Signal<In, Bit>,
    /// Generator: `hd_flow` of [`super::traffic::Traffic`].
    pub g_hd_flow: Signal<Out, Bits<F>>,
    /// Generator: `hd_packets` of [`super::traffic::Traffic`].
    pub g_hd_packets: Signal<Out, Bits<16>>,
    /// Generator: `rate_valid` of [`super::traffic::Traffic`].
    pub g_rate_valid: Signal<Out, Bit>,
    /// Generator: `rate_flow` of [`super::traffic::Traffic`].
    pub g_rate_flow: Signal<Out, Bits<F>>,
    /// Generator: `rate_value` of [`super::traffic::Traffic`].
    pub g_rate_value: Signal<Out, Bits<32>>,
    /// Generator: `release_valid` of [`super::traffic::Traffic`].
    pub g_release_valid: Signal<Out, Bit>,
    /// Generator: `release_flow` of [`super::traffic::Traffic`].
    pub g_release_flow: Signal<Out, Bits<F>>,
    /// Generator: `release_bytes` of [`super::traffic::Traffic`].
    pub g_release_bytes: Signal<Out, Bits<32>>,
    /// Generator: `down_rate_valid` of [`super::traffic::Traffic`].
    pub g_down_rate_valid: Signal<In, Bit>,
    /// Generator: `down_rate_flow` of [`super::traffic::Traffic`].
    pub g_down_rate_flow: Signal<In, Bits<F>>,
    /// Generator: `down_rate_value` of [`super::traffic::Traffic`].
    pub g_down_rate_value: Signal<In, Bits<32>>,
    /// Generator: `down_release_valid` of [`super::traffic::Traffic`].
    pub g_down_release_valid: Signal<In, Bit>,
    /// Generator: `down_release_flow` of [`super::traffic::Traffic`].
    pub g_down_release_flow: Signal<In, Bits<F>>,
    /// Generator: `down_release_bytes` of [`super::traffic::Traffic`].
    pub g_down_release_bytes: Signal<In, Bits<32>>,
    /// Generator: `up_idle_valid` of [`super::traffic::Traffic`].
    pub g_up_idle_valid: Signal<Out, Bit>,
    /// Generator: `up_idle_flow` of [`super::traffic::Traffic`].
    pub g_up_idle_flow: Signal<Out, Bits<F>>,
    /// Generator: `up_limited_valid` of [`super::traffic::Traffic`].
    pub g_up_limited_valid: Signal<Out, Bit>,
    /// Generator: `up_limited_flow` of [`super::traffic::Traffic`].
    pub g_up_limited_flow: Signal<Out, Bits<F>>,
    /// Generator: `up_limited` of [`super::traffic::Traffic`].
    pub g_up_limited: Signal<Out, Bit>,
    /// Generator: `up_pulses` of [`super::traffic::Traffic`].
    pub g_up_pulses: Signal<Out, Bits<32>>,
    /// Generator: `idle_valid` of [`super::traffic::Traffic`].
    pub g_idle_valid: Signal<In, Bit>,
    /// Generator: `idle_flow` of [`super::traffic::Traffic`].
    pub g_idle_flow: Signal<In, Bits<F>>,
    /// Generator: `limited_valid` of [`super::traffic::Traffic`].
    pub g_limited_valid: Signal<In, Bit>,
    /// Generator: `limited_flow` of [`super::traffic::Traffic`].
    pub g_limited_flow: Signal<In, Bits<F>>,
    /// Generator: `limited` of [`super::traffic::Traffic`].
    pub g_limited: Signal<In, Bit>,
    /// Generator: `pulses` of [`super::traffic::Traffic`].
    pub g_pulses: Signal<In, Bits<32>>,
    /// Generator: `host_sent_valid` of [`super::traffic::Traffic`].
    pub g_host_sent_valid: Signal<Out, Bit>,
    /// Generator: `host_sent_tag` of [`super::traffic::Traffic`].
    pub g_host_sent_tag: Signal<Out, Bits<16>>,
    /// Generator: `host_sent_flow` of [`super::traffic::Traffic`].
    pub g_host_sent_flow: Signal<Out, Bits<F>>,
    /// Generator: `host_sent_segment` of [`super::traffic::Traffic`].
    pub g_host_sent_segment: Signal<Out, Bits<32>>,
    /// Generator: `host_sent_nonce` of [`super::traffic::Traffic`].
    pub g_host_sent_nonce: Signal<Out, Bits<32>>,
    /// Generator: `host_sent_first` of [`super::traffic::Traffic`].
    pub g_host_sent_first: Signal<Out, Bit>,
    /// Generator: `host_sent_last` of [`super::traffic::Traffic`].
    pub g_host_sent_last: Signal<Out, Bit>,
    /// Generator: `host_sent_wire_bytes` of [`super::traffic::Traffic`].
    pub g_host_sent_wire_bytes: Signal<Out, Bits<16>>,
    /// Generator: `host_sent_segment_bytes` of [`super::traffic::Traffic`].
    pub g_host_sent_segment_bytes: Signal<Out, Bits<32>>,
    /// Generator: `host_sent_place` of [`super::traffic::Traffic`].
    pub g_host_sent_place: Signal<Out, Bits<16>>,
    /// Generator: `host_sent_generation` of [`super::traffic::Traffic`].
    pub g_host_sent_generation: Signal<Out, Bits<2>>,
    /// Generator: `host_sent_launch` of [`super::traffic::Traffic`].
    pub g_host_sent_launch: Signal<Out, Bits<64>>,
    /// Generator: `sent_valid` of [`super::traffic::Traffic`].
    pub g_sent_valid: Signal<In, Bit>,
    /// Generator: `sent_tag` of [`super::traffic::Traffic`].
    pub g_sent_tag: Signal<In, Bits<16>>,
    /// Generator: `sent_flow` of [`super::traffic::Traffic`].
    pub g_sent_flow: Signal<In, Bits<F>>,
    /// Generator: `sent_segment` of [`super::traffic::Traffic`].
    pub g_sent_segment: Signal<In, Bits<32>>,
    /// Generator: `sent_nonce` of [`super::traffic::Traffic`].
    pub g_sent_nonce: Signal<In, Bits<32>>,
    /// Generator: `sent_first` of [`super::traffic::Traffic`].
    pub g_sent_first: Signal<In, Bit>,
    /// Generator: `sent_last` of [`super::traffic::Traffic`].
    pub g_sent_last: Signal<In, Bit>,
    /// Generator: `sent_wire_bytes` of [`super::traffic::Traffic`].
    pub g_sent_wire_bytes: Signal<In, Bits<16>>,
    /// Generator: `sent_segment_bytes` of [`super::traffic::Traffic`].
    pub g_sent_segment_bytes: Signal<In, Bits<32>>,
    /// Generator: `sent_place` of [`super::traffic::Traffic`].
    pub g_sent_place: Signal<In, Bits<16>>,
    /// Generator: `sent_generation` of [`super::traffic::Traffic`].
    pub g_sent_generation: Signal<In, Bits<2>>,
    /// Generator: `sent_launch` of [`super::traffic::Traffic`].
    pub g_sent_launch: Signal<In, Bits<64>>,
    /// Generator: `d_tdata` of [`super::traffic::Traffic`].
    pub g_d_tdata: Signal<Out, Bits<W>>,
    /// Generator: `d_tkeep` of [`super::traffic::Traffic`].
    pub g_d_tkeep: Signal<Out, Bits<K>>,
    /// Generator: `d_tvalid` of [`super::traffic::Traffic`].
    pub g_d_tvalid: Signal<Out, Bit>,
    /// Generator: `d_tready` of [`super::traffic::Traffic`].
    pub g_d_tready: Signal<In, Bit>,
    /// Generator: `d_tlast` of [`super::traffic::Traffic`].
    pub g_d_tlast: Signal<Out, Bit>,
    /// Generator: `d_tag` of [`super::traffic::Traffic`].
    pub g_d_tag: Signal<Out, Bits<16>>,
    /// Generator: `m_tdata` of [`super::traffic::Traffic`].
    pub g_m_tdata: Signal<In, Bits<W>>,
    /// Generator: `m_tkeep` of [`super::traffic::Traffic`].
    pub g_m_tkeep: Signal<In, Bits<K>>,
    /// Generator: `m_tvalid` of [`super::traffic::Traffic`].
    pub g_m_tvalid: Signal<In, Bit>,
    /// Generator: `m_tready` of [`super::traffic::Traffic`].
    pub g_m_tready: Signal<Out, Bit>,
    /// Generator: `m_tlast` of [`super::traffic::Traffic`].
    pub g_m_tlast: Signal<In, Bit>,
    /// Generator: `m_tag` of [`super::traffic::Traffic`].
    pub g_m_tag: Signal<In, Bits<16>>,
    reset: DFF<Bit>,
    control: Control<W, K, F, S, A>,
    // Queue 16, tag 16, bad, destination 16.
    mark: Mark<W, K, 49, Q>,
    /// The highest bit of a place.
    upper_half: Const<Bits<16>>,
    exit: Exit<W, K, F, T>,
    arrivals: Arrivals<W, K>,
    departures: Departures,
    present: Linear,
    host_write: HostWrite<W>,
    host_read: HostRead<W>,
    launches: Launches,
    gate: Launch<W, K, L>,
    courier: Courier<F, T, R>,
    credit: Credit<F, T, R>,
    // The highest two bits of a tag, of the core's frames in gate and multiplexer.
    besides: Fifo<2, 5, 6>,
    below: DFF<Bits<262>>,
    /// Inside a frame from the core.
    midway: DFF<Bit>,
    /// Age of PTP's time when it is linear, ns.
    age: Const<Bits<30>>,
    frames_bit: Const<Bits<32>>,
    missed_bit: Const<Bits<32>>,
    errors_bit: Const<Bits<32>>,
    doorbell_bit: Const<Bits<32>>,
    record: Signal<Local, Bits<512>>,
    /// `record` for flows that are queues.
    host_record: Signal<Local, Bits<512>>,
    scheduler_pulses: Signal<Local, Bits<32>>,
    data_pulses: Signal<Local, Bits<32>>,
    load_word: Signal<Local, Bits<32>>,
    may_begin: Signal<Local, Bit>,
    taken: Signal<Local, Bit>,
    beside: Signal<Local, Bits<49>>,
    is_data: Signal<Local, Bit>,
    ends: Signal<Local, Bit>,
    tag: Signal<Local, Bits<16>>,
    leaving: Signal<Local, Bits<16>>,
}

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
> App<W, K, F, T, S, A, L, R, Q>
{
    /// The block of a design that is built with these numbers.
    pub fn new(build: &Build) -> Self {
        let age = (LINEAR_LATENCY as u64 * u64::from(build.clock_ps)).div_ceil(1000);
        let bit = |c: Counter| Const::new(bits::<32>(1 << c as u64));
        construct!({
            control: Control::new(build),
            mark: Mark::new(F, build.ring_bits),
            upper_half: Const::new(bits::<16>(1 << (build.ring_bits - 1))),
            age: Const::new(bits::<30>(age)),
            frames_bit: bit(Counter::TxFrames),
            missed_bit: bit(Counter::LaunchesMissed),
            errors_bit: bit(Counter::CsrErrors),
            doorbell_bit: bit(Counter::DoorbellsRefused),
            exit: Exit::new(),
            host_write: HostWrite::new(),
            host_read: HostRead::new(),
            courier: Courier::new(),
            credit: Credit::new(),
        } clk, rst, s_axil_awaddr, s_axil_awvalid, s_axil_awready, s_axil_wdata, s_axil_wstrb, s_axil_wvalid, s_axil_wready, s_axil_bresp, s_axil_bvalid, s_axil_bready, s_axil_araddr, s_axil_arvalid, s_axil_arready, s_axil_rdata, s_axil_rresp, s_axil_rvalid, s_axil_rready, ptp_ts, s_tx_tdata, s_tx_tkeep, s_tx_tvalid, s_tx_tready, s_tx_tlast, s_tx_tag, s_tx_bad, m_tx_tdata, m_tx_tkeep, m_tx_tvalid, m_tx_tready, m_tx_tlast, m_tx_tag, m_tx_bad, rx_tdata, rx_tkeep, rx_taken, rx_tlast, rx_ts, rx_bad, if_tdata, if_tkeep, if_tlast, if_queue, if_tag, s_cpl_ts, s_cpl_tag, s_cpl_valid, s_cpl_ready, m_cpl_ts, m_cpl_tag, m_cpl_valid, m_cpl_ready, dma_enable, wd_address, wd_place, wd_valid, wd_ready, ws_valid, ws_place, ws_failed, r0_valid, r0_place, r0_ready, a0_data, a0_valid, a0_ready, r1_valid, r1_place, r1_ready, a1_data, a1_valid, a1_ready, rd_address, rd_place, rd_valid, rd_ready, rs_valid, rs_place, rs_failed, h0_valid, h0_place, h0_enable, h0_data, h1_valid, h1_place, h1_enable, h1_data, base, m_axil, streams, down, up, generates, g_rst, g_swept, g_now, g_later, g_stop, g_cfg_mac, g_cfg_ipv4, g_cfg_ipv6, g_cfg_key, g_cfg_keyed, g_fl_valid, g_fl_flow, g_fl_record, g_pw_valid, g_pw_profile, g_pw_word, g_pw_data, g_hd_valid, g_hd_ready, g_hd_flow, g_hd_packets, g_rate_valid, g_rate_flow, g_rate_value, g_release_valid, g_release_flow, g_release_bytes, g_down_rate_valid, g_down_rate_flow, g_down_rate_value, g_down_release_valid, g_down_release_flow, g_down_release_bytes, g_up_idle_valid, g_up_idle_flow, g_up_limited_valid, g_up_limited_flow, g_up_limited, g_up_pulses, g_idle_valid, g_idle_flow, g_limited_valid, g_limited_flow, g_limited, g_pulses, g_host_sent_valid, g_host_sent_tag, g_host_sent_flow, g_host_sent_segment, g_host_sent_nonce, g_host_sent_first, g_host_sent_last, g_host_sent_wire_bytes, g_host_sent_segment_bytes, g_host_sent_place, g_host_sent_generation, g_host_sent_launch, g_sent_valid, g_sent_tag, g_sent_flow, g_sent_segment, g_sent_nonce, g_sent_first, g_sent_last, g_sent_wire_bytes, g_sent_segment_bytes, g_sent_place, g_sent_generation, g_sent_launch, g_d_tdata, g_d_tkeep, g_d_tvalid, g_d_tready, g_d_tlast, g_d_tag, g_m_tdata, g_m_tkeep, g_m_tvalid, g_m_tready, g_m_tlast, g_m_tag, launches, gate, below, may_begin, taken, load_word, arrivals, departures, present, besides, midway, reset, record, host_record, scheduler_pulses, data_pulses, is_data, ends, tag, leaving, if_tvalid, if_tready, if_bad, if_dest, m_if_tdata, m_if_tkeep, m_if_tvalid, m_if_tready, m_if_tlast, m_if_queue, m_if_tag, m_if_bad, m_if_dest, beside)
    }
}

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
        dff_setup!(self, clk, reset, midway, below);
        // One register in front of a signal that nearly every register of the design reads.
        self.reset.d.next = self.rst.val();
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
        self.control.s_axil.awaddr.next = self.s_axil_awaddr.val();
        self.control.s_axil.awvalid.next = self.s_axil_awvalid.val();
        self.s_axil_awready.next = self.control.s_axil.awready.val();
        self.control.s_axil.wdata.next = self.s_axil_wdata.val();
        self.control.s_axil.wstrb.next = self.s_axil_wstrb.val();
        self.control.s_axil.wvalid.next = self.s_axil_wvalid.val();
        self.s_axil_wready.next = self.control.s_axil.wready.val();
        self.s_axil_bresp.next = self.control.s_axil.bresp.val();
        self.s_axil_bvalid.next = self.control.s_axil.bvalid.val();
        self.control.s_axil.bready.next = self.s_axil_bready.val();
        self.control.s_axil.araddr.next = self.s_axil_araddr.val();
        self.control.s_axil.arvalid.next = self.s_axil_arvalid.val();
        self.s_axil_arready.next = self.control.s_axil.arready.val();
        self.s_axil_rdata.next = self.control.s_axil.rdata.val();
        self.s_axil_rresp.next = self.control.s_axil.rresp.val();
        self.s_axil_rvalid.next = self.control.s_axil.rvalid.val();
        self.control.s_axil.rready.next = self.s_axil_rready.val();
        // PTP's time of day, as old as it is by then.
        self.present.sec.next = self.ptp_ts.val().get_bits::<48>(48);
        self.present.ns.next = self.ptp_ts.val().get_bits::<30>(16) + self.age.val();
        self.present.fraction.next = self.ptp_ts.val().get_bits::<16>(0);
        self.control.ptp_valid.next = true;
        self.control.ptp_time.next = self.present.linear.val();
        // To the MAC, at its launch if it has one; a frame waits for what is said of its request, which was said long before. A tag inside: bit 15 says
        // that the frame is the core's, bit 14 that it is bad; what had these places goes beside.
        self.tag.next = self.s_tx_tag.val();
        self.may_begin.next = self.midway.q.val() | (self.launches.head_valid.val() | self.launches.empty.val());
        self.taken.next = self.s_tx_tvalid.val() & (self.may_begin.val() & self.gate.s_tready.val());
        self.s_tx_tready.next = self.may_begin.val() & self.gate.s_tready.val();
        self.launches.take.next = self.taken.val() & !self.midway.q.val();
        self.launches.launch_valid.next = self.up.val().get_bit(68) & self.streams.val();
        self.launches.launch_tag.next = self.up.val().get_bits::<8>(85);
        self.launches.launch_paced.next = self.up.val().get_bit(93);
        self.launches.launch_time.next = self.up.val().get_bits::<64>(94);
        self.launches.void_valid.next = self.up.val().get_bit(158);
        self.launches.void_tag.next = self.up.val().get_bits::<8>(159);
        self.gate.now.next = self.control.steady.val();
        self.gate.s_tdata.next = self.s_tx_tdata.val();
        self.gate.s_tkeep.next = self.s_tx_tkeep.val();
        self.gate.s_tvalid.next = self.s_tx_tvalid.val() & self.may_begin.val();
        self.gate.s_tlast.next = self.s_tx_tlast.val();
        self.gate.s_tag.next = (bit_cast::<16, 14>(self.tag.val().get_bits::<14>(0)) | bits::<16>(1 << 15))
            | (bit_cast::<16, 1>(self.s_tx_bad.val().into()) << 14);
        self.gate.s_timed.next = self.launches.head_valid.val() & self.launches.head_paced.val();
        self.gate.s_launch.next = self.launches.head_time.val();
        self.besides.i_valid.next = self.taken.val() & !self.midway.q.val();
        self.besides.i_data.next = self.tag.val().get_bits::<2>(14);
        if self.taken.val() {
            self.midway.d.next = !self.s_tx_tlast.val();
        }
        self.control.d.tdata.next = self.gate.m_tdata.val();
        self.control.d.tkeep.next = self.gate.m_tkeep.val();
        self.control.d.tvalid.next = self.gate.m_tvalid.val();
        self.control.d.tlast.next = self.gate.m_tlast.val();
        self.control.d.tag.next = self.gate.m_tag.val();
        self.gate.m_tready.next = self.control.d.tready.val();
        self.g_d_tdata.next = self.gate.m_tdata.val();
        self.g_d_tkeep.next = self.gate.m_tkeep.val();
        self.g_d_tvalid.next = self.gate.m_tvalid.val();
        self.g_d_tlast.next = self.gate.m_tlast.val();
        self.g_d_tag.next = self.gate.m_tag.val();
        self.g_m_tready.next = self.control.d.tready.val();
        if self.generates.val() {
            self.control.d.tdata.next = self.g_m_tdata.val();
            self.control.d.tkeep.next = self.g_m_tkeep.val();
            self.control.d.tvalid.next = self.g_m_tvalid.val();
            self.control.d.tlast.next = self.g_m_tlast.val();
            self.control.d.tag.next = self.g_m_tag.val();
            self.gate.m_tready.next = self.g_d_tready.val();
        }
        self.leaving.next = self.control.m_axis_tx.tag.val();
        self.is_data.next = self.leaving.val().get_bit(15);
        self.m_tx_tdata.next = self.control.m_axis_tx.tdata.val();
        self.m_tx_tkeep.next = self.control.m_axis_tx.tkeep.val();
        self.m_tx_tlast.next = self.control.m_axis_tx.tlast.val();
        // The upper bits of a frame's tag may come a few clocks behind its first beat.
        self.m_tx_tvalid.next = self.control.m_axis_tx.tvalid.val() & (!self.is_data.val() | self.besides.o_valid.val());
        self.control.m_axis_tx.tready.next = self.m_tx_tready.val() & (!self.is_data.val() | self.besides.o_valid.val());
        self.m_tx_tag.next = self.leaving.val();
        self.m_tx_bad.next = false;
        if self.is_data.val() {
            self.m_tx_tag.next =
                bit_cast::<16, 14>(self.leaving.val().get_bits::<14>(0)) | (bit_cast::<16, 2>(self.besides.o_data.val()) << 14);
            self.m_tx_bad.next = self.leaving.val().get_bit(14);
        }
        self.ends.next = (self.control.m_axis_tx.tvalid.val() & self.control.m_axis_tx.tlast.val()) & self.m_tx_tready.val();
        self.besides.o_ready.next = self.ends.val() & self.is_data.val();
        // From the MAC.
        self.arrivals.s_tdata.next = self.rx_tdata.val();
        self.arrivals.s_tkeep.next = self.rx_tkeep.val();
        self.arrivals.s_tvalid.next = self.rx_taken.val();
        self.arrivals.s_tlast.next = self.rx_tlast.val();
        self.arrivals.s_bad.next = self.rx_bad.val();
        self.arrivals.s_ts.next = self.rx_ts.val();
        self.control.s_axis_rx.tdata.next = self.arrivals.m_tdata.val();
        self.control.s_axis_rx.tkeep.next = self.arrivals.m_tkeep.val();
        self.control.s_axis_rx.tvalid.next = self.arrivals.m_tvalid.val();
        self.control.s_axis_rx.tlast.next = self.arrivals.m_tlast.val();
        self.control.s_axis_rx.bad.next = self.arrivals.m_bad.val();
        self.control.s_axis_rx.ts.next = self.arrivals.m_ts.val();
        // Out of the queues.
        self.record.next = self.control.fl.record.val();
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
        self.if_tready.next = self.mark.s.tready.val();
        self.mark.s.tlast.next = self.if_tlast.val();
        self.mark.s.side.next = (bit_cast::<49, 16>(self.if_queue.val()) | (bit_cast::<49, 16>(self.if_tag.val()) << 16))
            | ((bit_cast::<49, 1>(self.if_bad.val().into()) << 32) | (bit_cast::<49, 16>(self.if_dest.val()) << 33));
        self.beside.next = self.mark.m.side.val();
        self.m_if_tdata.next = self.mark.m.tdata.val();
        self.m_if_tkeep.next = self.mark.m.tkeep.val();
        self.m_if_tvalid.next = self.mark.m.tvalid.val();
        self.mark.m.tready.next = self.m_if_tready.val();
        self.m_if_tlast.next = self.mark.m.tlast.val();
        self.m_if_queue.next = self.beside.val().get_bits::<16>(0);
        self.m_if_tag.next = self.beside.val().get_bits::<16>(16);
        self.m_if_bad.next = self.beside.val().get_bit(32);
        self.m_if_dest.next = self.beside.val().get_bits::<16>(33);
        self.exit.s_tdata.next = self.mark.m.tdata.val();
        self.exit.s_tkeep.next = self.mark.m.tkeep.val();
        self.exit.s_tvalid.next = self.mark.m.tvalid.val() & self.m_if_tready.val();
        self.exit.s_tlast.next = self.mark.m.tlast.val();
        self.exit.s_paced.next = true;
        self.exit.s_launch.next = bits::<64>(0);
        self.exit.named.next = true;
        self.exit.s_queue.next = self.beside.val().get_bits::<16>(0);
        self.exit.s_tag.next = self.beside.val().get_bits::<16>(16) & bits::<16>(0x7fff);
        // Counts as the launch, of the steady time as launches are; the departure is the MAC's to say.
        self.exit.now.next = self.control.steady.val();
        self.exit.cfg_udp_port.next = self.control.settings.val().udp_port;
        self.exit.cfg_key.next = self.control.settings.val().nonce_key;
        self.exit.fl_valid.next = self.control.fl.valid.val();
        self.exit.fl_flow.next = self.control.fl.flow.val();
        self.exit.fl_enable.next = self.host_record.val().get_bit(0);
        self.exit.fl_keep.next = self.record.val().get_bit(1);
        self.control.sent.valid.next = self.exit.sent_valid.val();
        self.control.sent.tag.next = self.exit.sent_tag.val();
        self.control.sent.flow.next = self.exit.sent_flow.val();
        self.control.sent.segment.next = self.exit.sent_segment.val();
        self.control.sent.nonce.next = self.exit.sent_nonce.val();
        self.control.sent.first.next = self.exit.sent_first.val();
        self.control.sent.last.next = self.exit.sent_last.val();
        self.control.sent.wire_bytes.next = self.exit.sent_wire_bytes.val();
        self.control.sent.segment_bytes.next = self.exit.sent_segment_bytes.val();
        self.control.sent.place.next = self.exit.sent_place.val();
        self.control.sent.generation.next = self.exit.sent_generation.val();
        // The frame's launch is not known: the stamp of its first beat stands for it.
        self.control.sent.launch.next = self.exit.sent_ts.val();
        self.g_host_sent_valid.next = self.exit.sent_valid.val();
        self.g_host_sent_tag.next = self.exit.sent_tag.val();
        self.g_host_sent_flow.next = self.exit.sent_flow.val();
        self.g_host_sent_segment.next = self.exit.sent_segment.val();
        self.g_host_sent_nonce.next = self.exit.sent_nonce.val();
        self.g_host_sent_first.next = self.exit.sent_first.val();
        self.g_host_sent_last.next = self.exit.sent_last.val();
        self.g_host_sent_wire_bytes.next = self.exit.sent_wire_bytes.val();
        self.g_host_sent_segment_bytes.next = self.exit.sent_segment_bytes.val();
        self.g_host_sent_place.next = self.exit.sent_place.val();
        self.g_host_sent_generation.next = self.exit.sent_generation.val();
        self.g_host_sent_launch.next = self.exit.sent_ts.val();
        if self.generates.val() {
            self.control.sent.valid.next = self.g_sent_valid.val();
            self.control.sent.tag.next = self.g_sent_tag.val();
            self.control.sent.flow.next = self.g_sent_flow.val();
            self.control.sent.segment.next = self.g_sent_segment.val();
            self.control.sent.nonce.next = self.g_sent_nonce.val();
            self.control.sent.first.next = self.g_sent_first.val();
            self.control.sent.last.next = self.g_sent_last.val();
            self.control.sent.wire_bytes.next = self.g_sent_wire_bytes.val();
            self.control.sent.segment_bytes.next = self.g_sent_segment_bytes.val();
            self.control.sent.place.next = self.g_sent_place.val();
            self.control.sent.generation.next = self.g_sent_generation.val();
            self.control.sent.launch.next = self.g_sent_launch.val();
        }
        // Completions.
        self.departures.told.next = self.generates.val();
        self.departures.s_valid.next = self.s_cpl_valid.val();
        self.departures.s_tag.next = self.s_cpl_tag.val();
        self.departures.s_ts.next = self.s_cpl_ts.val();
        self.s_cpl_ready.next = self.departures.s_ready.val();
        self.m_cpl_valid.next = self.departures.m_valid.val();
        self.m_cpl_tag.next = self.departures.m_tag.val();
        self.m_cpl_ts.next = self.departures.m_ts.val();
        self.departures.m_ready.next = self.m_cpl_ready.val();
        self.control.tx_cpl.valid.next = self.departures.c_valid.val();
        self.control.tx_cpl.tag.next = self.departures.c_tag.val();
        self.control.tx_cpl.ts.next = self.departures.c_ts.val();
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
        self.wd_address.next = self.host_write.d_address.val();
        self.wd_place.next = self.host_write.d_place.val();
        self.wd_valid.next = self.host_write.d_valid.val();
        self.host_write.d_ready.next = self.wd_ready.val();
        self.host_write.st_valid.next = self.ws_valid.val();
        self.host_write.st_place.next = self.ws_place.val();
        self.host_write.st_failed.next = self.ws_failed.val();
        self.host_write.r0_valid.next = self.r0_valid.val();
        self.host_write.r0_place.next = self.r0_place.val();
        self.host_write.a0_ready.next = self.a0_ready.val();
        self.r0_ready.next = self.host_write.r0_ready.val();
        self.a0_data.next = self.host_write.a0_data.val();
        self.a0_valid.next = self.host_write.a0_valid.val();
        self.host_write.r1_valid.next = self.r1_valid.val();
        self.host_write.r1_place.next = self.r1_place.val();
        self.host_write.a1_ready.next = self.a1_ready.val();
        self.r1_ready.next = self.host_write.r1_ready.val();
        self.a1_data.next = self.host_write.a1_data.val();
        self.a1_valid.next = self.host_write.a1_valid.val();
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
        self.host_read.h0_valid.next = self.h0_valid.val();
        self.host_read.h0_place.next = self.h0_place.val();
        self.host_read.h0_enable.next = self.h0_enable.val();
        self.host_read.h0_data.next = self.h0_data.val();
        self.host_read.h1_valid.next = self.h1_valid.val();
        self.host_read.h1_place.next = self.h1_place.val();
        self.host_read.h1_enable.next = self.h1_enable.val();
        self.host_read.h1_data.next = self.h1_data.val();
        // The scheduler, by registers.
        AxilWordMaster::<24>::link(&mut self.m_axil, &mut self.courier.m_axil);
        self.courier.rate_valid.next = self.control.rate.valid.val();
        self.courier.rate_flow.next = self.control.rate.flow.val();
        self.courier.rate_value.next = self.control.rate.value.val();
        self.credit.fl_valid.next = self.control.fl.valid.val();
        self.credit.fl_flow.next = self.control.fl.flow.val();
        self.credit.fl_enable.next = self.host_record.val().get_bit(0);
        self.credit.frame_valid.next = self.exit.frame_valid.val();
        self.credit.frame_queue.next = self.exit.frame_queue.val();
        self.credit.frame_wire_bytes.next = self.exit.frame_wire_bytes.val();
        self.credit.frame_ends.next = self.exit.sent_valid.val() & self.exit.sent_last.val();
        self.credit.frame_segment_bytes.next = self.exit.sent_segment_bytes.val();
        self.credit.i_valid.next = self.control.release.valid.val();
        self.credit.i_flow.next = self.control.release.flow.val();
        self.credit.i_bytes.next = self.control.release.bytes.val();
        self.courier.release_valid.next = self.credit.o_valid.val();
        self.courier.release_flow.next = self.credit.o_flow.val();
        self.courier.release_bytes.next = self.credit.o_bytes.val();
        if self.generates.val() {
            self.courier.rate_valid.next = self.g_down_rate_valid.val();
            self.courier.rate_flow.next = self.g_down_rate_flow.val();
            self.courier.rate_value.next = self.g_down_rate_value.val();
            self.credit.i_valid.next = self.g_down_release_valid.val();
            self.credit.i_flow.next = self.g_down_release_flow.val();
            self.credit.i_bytes.next = self.g_down_release_bytes.val();
        }
        self.courier.fl.valid.next = self.control.fl.valid.val();
        self.courier.fl.flow.next = self.control.fl.flow.val();
        self.courier.fl.record.next = self.host_record.val();
        self.courier.pw.valid.next = self.control.pw.valid.val();
        self.courier.pw.profile.next = self.control.pw.profile.val();
        self.courier.pw.word.next = self.control.pw.word.val();
        self.courier.pw.data.next = self.control.pw.data.val();
        self.courier.stop.next = self.control.stop.val();
        self.g_up_idle_valid.next = self.courier.idle_valid.val();
        self.g_up_idle_flow.next = self.courier.idle_flow.val();
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
            | (bit_cast::<262, 1>(self.courier.rate_valid.val().into()) << 9)
            | (bit_cast::<262, F>(self.courier.rate_flow.val()) << 10)
            | (bit_cast::<262, 32>(self.courier.rate_value.val()) << 26)
            | (bit_cast::<262, 1>(self.courier.release_valid.val().into()) << 58)
            | (bit_cast::<262, F>(self.courier.release_flow.val()) << 59)
            | (bit_cast::<262, 32>(self.courier.release_bytes.val()) << 75)
            | (bit_cast::<262, 1>(self.control.fl.valid.val().into()) << 107)
            | (bit_cast::<262, F>(self.control.fl.flow.val()) << 108)
            | (bit_cast::<262, 32>(self.load_word.val()) << 124)
            | (bit_cast::<262, 1>(self.control.pw.valid.val().into()) << 156)
            | (bit_cast::<262, 4>(self.control.pw.profile.val()) << 157)
            | (bit_cast::<262, 5>(self.control.pw.word.val()) << 161)
            | (bit_cast::<262, 32>(self.control.pw.data.val()) << 166)
            | (bit_cast::<262, 64>(self.control.later.val()) << 198);
        self.down.next = self.below.q.val();
        if self.streams.val() {
            self.g_up_idle_valid.next = self.up.val().get_bit(1);
            self.g_up_idle_flow.next = self.up.val().get_bits::<F>(2);
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
        self.control.idle.valid.next = self.g_up_idle_valid.val();
        self.control.idle.flow.next = self.g_up_idle_flow.val();
        self.control.limited_valid.next = self.g_up_limited_valid.val();
        self.control.limited_flow.next = self.g_up_limited_flow.val();
        self.control.limited.next = self.g_up_limited.val();
        // Without a generator packets are the queues': a doorbell in our registers has none.
        self.control.hd.ready.next = true;
        self.data_pulses.next = self.scheduler_pulses.val();
        if self.exit.sent_valid.val() {
            self.data_pulses.next = self.data_pulses.val() | self.frames_bit.val();
        }
        if self.control.hd.valid.val() {
            self.data_pulses.next = self.data_pulses.val() | self.doorbell_bit.val();
        }
        if self.generates.val() {
            self.control.idle.valid.next = self.g_idle_valid.val();
            self.control.idle.flow.next = self.g_idle_flow.val();
            self.control.limited_valid.next = self.g_limited_valid.val();
            self.control.limited_flow.next = self.g_limited_flow.val();
            self.control.limited.next = self.g_limited.val();
            self.control.hd.ready.next = self.g_hd_ready.val();
            self.data_pulses.next = self.g_pulses.val();
            self.control.data_swept.next = self.control.data_swept.val() & self.g_swept.val();
        }
        self.control.data_pulses.next = bit_cast::<64, 32>(self.data_pulses.val());
        // Outputs of the control half to a generator.
        self.g_rst.next = self.reset.q.val();
        self.g_now.next = self.control.steady.val();
        self.g_later.next = self.control.later.val();
        self.g_stop.next = self.control.stop.val();
        self.g_cfg_mac.next = self.control.settings.val().mac;
        self.g_cfg_ipv4.next = self.control.settings.val().ipv4;
        self.g_cfg_ipv6.next = self.control.settings.val().ipv6;
        self.g_cfg_key.next = self.control.settings.val().nonce_key;
        self.g_cfg_keyed.next = self.control.settings.val().nonce_keyed.any();
        self.g_fl_valid.next = self.control.fl.valid.val();
        self.g_fl_flow.next = self.control.fl.flow.val();
        self.g_fl_record.next = self.record.val();
        self.g_pw_valid.next = self.control.pw.valid.val();
        self.g_pw_profile.next = self.control.pw.profile.val();
        self.g_pw_word.next = self.control.pw.word.val();
        self.g_pw_data.next = self.control.pw.data.val();
        self.g_hd_valid.next = self.control.hd.valid.val();
        self.g_hd_flow.next = self.control.hd.flow.val();
        self.g_hd_packets.next = self.control.hd.packets.val();
        self.g_rate_valid.next = self.control.rate.valid.val();
        self.g_rate_flow.next = self.control.rate.flow.val();
        self.g_rate_value.next = self.control.rate.value.val();
        self.g_release_valid.next = self.control.release.valid.val();
        self.g_release_flow.next = self.control.release.flow.val();
        self.g_release_bytes.next = self.control.release.bytes.val();
        if self.reset.q.val() {
            self.midway.d.next = false;
        }
    }
}
