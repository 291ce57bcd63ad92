//! The control half among Corundum's streams: the application block but for the names of its ports.
#![allow(missing_docs, reason = "a group of ports has one comment")]
mod wiring;

use super::arrivals::Arrivals;
use super::credit::Credit;
use super::departures::Departures;
use super::host_read::HostRead;
use super::host_write::HostWrite;
use super::launches::Launches;
use crate::bus::{
    AxilSlave, AxilWordMaster, CompletionOut, DatedCompletionIn, DatedCompletionOut, DescriptorOut, DoorbellOut, FlowLoadOut, FlowPulseIn,
    FlowPulseOut, PairSourceOut, PlaceDataOut, PlaceReadIn, PlaceWriteIn, ProfileWriteOut, QueueAxisOut, RateIn, RateOut, ReceivedOut,
    ReleaseIn, ReleaseOut, SentIn, SentOut, TaggedAxisIn, TaggedAxisOut,
};
use crate::constant::Const;
use crate::construct::construct;
use crate::control::Control;
use crate::fifo::Fifo;
use crate::inline::exit::Exit;
use crate::launch::Launch;
use crate::mark::Mark;
use crate::roce::NoPairs;
use crate::scheduler::courier::Courier;
use crate::time::Linear;
use rust_hdl::prelude::*;
use timely_model::app_block::traffic;
use timely_model::time::LINEAR_LATENCY;
use timely_regs::corundum::{DOWN, DOWN_BITS, UP, UP_BITS};
use timely_regs::counters::Counter;
use timely_regs::flow;
use timely_regs::link::ACK_TAG;
use timely_regs::map::Build;

// A kernel takes literals alone: the first two bits of a record, and an ACK's tag has not the
// core's bit.
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

/// Frames of the core's pass, ACKs of ours go between them; what is received is looked at, and so
/// is what leaves the queues: the end of a segment gets its place in the departure ring, and data
/// of a flow that names the queue it came from is reported as sent, and as departed when its
/// completion comes. All stamps are the MAC's times of day, and the NIC's time follows the same
/// clock. Bursts of DMA become descriptors. What a scheduler needs, and says, a courier carries
/// over the NIC's own registers, or with `streams` two buses do; a frame then leaves at the launch
/// that the scheduler gave its request.
///
/// `W` bus bits, `K = W / 8`, `F` flow bits, `T = F + 1`, `2^S` places in the ring of departures,
/// `A` the greater of `F` and `S`, `L = K + 74`, `R = F + 32`, `Q = W + K + 50`.
///
/// With `generates`, a [`super::traffic::Traffic`] stands at the ports `g_*`: flows that are
/// `endless` are its own, and no queues; places of frames out of queues are then the upper half of
/// the ring.
///
/// Latency: a frame out of a queue as [`Mark`] has it; a frame of the core's towards the MAC 7
/// clocks, with a generator 8, or at its launch; the first beat of an ACK 23 clocks after the last
/// of what it answers. Throughput: a beat a clock each way. Back pressure: none towards received
/// frames; `if_tready` falls when what is behind takes none, `s_tx_tready` while an ACK goes first.
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
    /// Registers.
    pub s_axil: AxilSlave<24>,
    /// PTP's time of day at this clock.
    pub ptp_ts: Signal<In, Bits<96>>,
    /// Frames of the core, bit 15 of their tags its own.
    pub s_tx: TaggedAxisIn<W, K>,
    pub s_tx_bad: Signal<In, Bit>,
    /// Frames to the MAC, bit 15 of their tags the core's own.
    pub m_tx: TaggedAxisOut<W, K>,
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
    /// Frames of queues on their way on.
    pub m_if: QueueAxisOut<W, K>,
    /// Completions of the MAC.
    pub s_cpl: DatedCompletionIn,
    /// Completions for the core.
    pub m_cpl: DatedCompletionOut,
    /// There is a DMA engine.
    pub dma_enable: Signal<In, Bit>,
    /// Write descriptors.
    pub wd: DescriptorOut,
    /// A write descriptor is done.
    pub ws_valid: Signal<In, Bit>,
    pub ws_place: Signal<In, Bits<4>>,
    pub ws_failed: Signal<In, Bit>,
    /// Reads of segment 0.
    pub r0: PlaceReadIn,
    /// Data of segment 0.
    pub a0: PlaceDataOut,
    /// Reads of segment 1.
    pub r1: PlaceReadIn,
    /// Data of segment 1.
    pub a1: PlaceDataOut,
    /// Read descriptor: where in the host.
    pub rd_address: Signal<Out, Bits<64>>,
    pub rd_place: Signal<Out, Bit>,
    pub rd_valid: Signal<Out, Bit>,
    pub rd_ready: Signal<In, Bit>,
    /// A read descriptor is done.
    pub rs_valid: Signal<In, Bit>,
    pub rs_place: Signal<In, Bit>,
    pub rs_failed: Signal<In, Bit>,
    /// Writes of the lower halves.
    pub h0: PlaceWriteIn,
    /// Writes of the upper halves.
    pub h1: PlaceWriteIn,
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
    /// There is a generator behind the ports that follow; a level. Without one their inputs are not
    /// looked at.
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
    /// Generator: the port of this name of [`super::traffic::Traffic`].
    pub g_fl: FlowLoadOut<F>,
    /// Generator: the port of this name of [`super::traffic::Traffic`].
    pub g_pw: ProfileWriteOut,
    /// Generator: the port of this name of [`super::traffic::Traffic`].
    pub g_hd: DoorbellOut<F>,
    /// Generator: the port of this name of [`super::traffic::Traffic`].
    pub g_rate: RateOut<F>,
    /// Generator: the port of this name of [`super::traffic::Traffic`].
    pub g_release: ReleaseOut<F>,
    /// Generator: the port of this name of [`super::traffic::Traffic`].
    pub g_down_rate: RateIn<F>,
    /// Generator: the port of this name of [`super::traffic::Traffic`].
    pub g_down_release: ReleaseIn<F>,
    /// Generator: the port of this name of [`super::traffic::Traffic`].
    pub g_up_idle: FlowPulseOut<F>,
    /// Generator: `up_limited_valid` of [`super::traffic::Traffic`].
    pub g_up_limited_valid: Signal<Out, Bit>,
    /// Generator: `up_limited_flow` of [`super::traffic::Traffic`].
    pub g_up_limited_flow: Signal<Out, Bits<F>>,
    /// Generator: `up_limited` of [`super::traffic::Traffic`].
    pub g_up_limited: Signal<Out, Bit>,
    /// Generator: `up_pulses` of [`super::traffic::Traffic`].
    pub g_up_pulses: Signal<Out, Bits<32>>,
    /// Generator: the port of this name of [`super::traffic::Traffic`].
    pub g_idle: FlowPulseIn<F>,
    /// Generator: `limited_valid` of [`super::traffic::Traffic`].
    pub g_limited_valid: Signal<In, Bit>,
    /// Generator: `limited_flow` of [`super::traffic::Traffic`].
    pub g_limited_flow: Signal<In, Bits<F>>,
    /// Generator: `limited` of [`super::traffic::Traffic`].
    pub g_limited: Signal<In, Bit>,
    /// Generator: `pulses` of [`super::traffic::Traffic`].
    pub g_pulses: Signal<In, Bits<32>>,
    /// Generator: the port of this name of [`super::traffic::Traffic`].
    pub g_host_sent: SentOut<F>,
    /// Generator: the port of this name of [`super::traffic::Traffic`].
    pub g_sent: SentIn<F>,
    /// Generator: the port of this name of [`super::traffic::Traffic`].
    pub g_d: TaggedAxisOut<W, K>,
    /// Generator: the port of this name of [`super::traffic::Traffic`].
    pub g_m: TaggedAxisIn<W, K>,
    reset: DFF<Bit>,
    control: Control<W, K, F, S, A>,
    no_pairs: NoPairs<F>,
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
    /// Time base of the generator's pacer: the steady time and what it decides ahead, ns48.fns16.
    ahead: DFF<Bits<64>>,
    generator_lead: Const<Bits<64>>,
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
            generator_lead: Const::new(bits::<64>(traffic::LEAD_NS << 16)),
            frames_bit: bit(Counter::TxFrames),
            missed_bit: bit(Counter::LaunchesMissed),
            errors_bit: bit(Counter::CsrErrors),
            doorbell_bit: bit(Counter::DoorbellsRefused),
            exit: Exit::new(),
            host_write: HostWrite::new(),
            host_read: HostRead::new(),
            courier: Courier::new(),
            credit: Credit::new(),
        } clk, rst, s_axil, ptp_ts, s_tx, s_tx_bad, m_tx, m_tx_bad, rx_tdata, rx_tkeep, rx_taken, rx_tlast, rx_ts, rx_bad, if_tdata, if_tkeep, if_tlast, if_queue, if_tag, s_cpl, m_cpl, dma_enable, wd, ws_valid, ws_place, ws_failed, r0, a0, r1, a1, rd_address, rd_place, rd_valid, rd_ready, rs_valid, rs_place, rs_failed, h0, h1, base, m_axil, streams, down, up, generates, g_rst, g_swept, g_now, g_later, g_stop, g_cfg_mac, g_cfg_ipv4, g_cfg_ipv6, g_cfg_key, g_cfg_keyed, g_fl, g_pw, g_hd, g_rate, g_release, g_down_rate, g_down_release, g_up_idle, g_up_limited_valid, g_up_limited_flow, g_up_limited, g_up_pulses, g_idle, g_limited_valid, g_limited_flow, g_limited, g_pulses, g_host_sent, g_sent, g_d, g_m, launches, gate, below, ahead, may_begin, taken, load_word, arrivals, departures, present, besides, midway, reset, record, host_record, scheduler_pulses, data_pulses, is_data, ends, tag, leaving, if_tvalid, if_tready, if_bad, if_dest, m_if, beside, no_pairs)
    }
}
