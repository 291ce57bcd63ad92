//! The traffic generator among Corundum's frames: flows of which the device itself always has
//! packets.
#![allow(missing_docs, reason = "a group of ports has one comment")]
mod wiring;

use crate::bus::{
    DoorbellIn, FlowLoadIn, FlowPulseIn, FlowPulseOut, GrantOut, ProfileWriteIn, RateIn, RateOut, ReleaseIn, ReleaseOut, SentIn, SentOut,
    TaggedAxisIn, TaggedAxisOut,
};
use crate::constant::{Fixed, OneHot};
use crate::fifo::Fifo;
use crate::generator::Generator;
use crate::launch::Launch;
use crate::pacer::Pacer;
use crate::txmux::TxMux;
use rust_hdl::prelude::*;
use timely_model::app_block::traffic::{LATENCY, LOADED_BITS, NUMBER_BITS, SAID_BITS};
use timely_model::pacer::Timing;
use timely_regs::counters::Counter;
use timely_regs::flow;
use timely_regs::link::ACK_TAG;
use timely_regs::map::Build;

// A kernel takes literals alone.
const _: () = assert!(flow::ENABLE.word == 0 && flow::ENABLE.low == 0 && flow::ENDLESS.word == 0 && flow::ENDLESS.low == 2);
const _: () = assert!(Counter::Grants as u32 == 20 && Counter::DoorbellsRefused as u32 == 21);
const _: () = assert!(LATENCY == 2 && SAID_BITS == 9 && LOADED_BITS == 4 && NUMBER_BITS == 13);

/// The scheduler's counted events but those of which the generator's side may have one at the same
/// clock.
const COUNTED_APART: u64 = {
    let apart = 1 << Counter::TxFrames as u64
        | 1 << Counter::Grants as u64
        | 1 << Counter::DoorbellsRefused as u64
        | 1 << Counter::LaunchesMissed as u64;
    !apart & 0xffff_ffff
};

/// Pacer and generator of the flows that are enabled and `endless`, and their connections to the
/// core's frames and to the scheduler of the other flows: the owner of a flow, as it was loaded,
/// says where its rates and releases go. The widths are those of the standalone shell.
///
/// Frames of both leave by turns, each of the generator's at its launch before that: one that waits
/// holds up none of the core's, nor does one of theirs hold it up. Tags of the generator's frames
/// are their numbers, in the half of the RTT's table that tags of the core's, of seven bits there,
/// leave free. A report of a frame out of a queue is dropped if the flow is the generator's: the
/// queue is none then. Idle restarts and what limits flows come from both sides, the scheduler's
/// first; 512 of either kind may wait, beyond them a restart is lost, and what limits a flow comes
/// with its next pass. A load that takes a flow from the generator has the engine told again what
/// the scheduler said of it last.
///
/// Latency: a frame of the core's 1 clock; rates, releases and reports 2; a doorbell's first frame
/// as in the standalone shell. Throughput: a beat a clock. Back pressure: none but for frames and
/// doorbells; at most 2^16 - 1 grants, refusals, and missed launches each are counted late. Model:
/// `timely_model::app_block::traffic::Traffic`.
#[derive(LogicBlock, Default)]
pub struct Traffic<
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
> {
    pub clk: Signal<In, Clock>,
    pub rst: Signal<In, Bit>,
    /// The RAMs are clear.
    pub swept: Signal<Out, Bit>,
    /// The steady time, ns48.fns16.
    pub now: Signal<In, Bits<64>>,
    /// The pacer's time.
    pub later: Signal<In, Bits<64>>,
    /// No flow may send.
    pub stop: Signal<In, Bit>,
    /// Our MAC, byte 0 in the low bits.
    pub cfg_mac: Signal<In, Bits<48>>,
    /// Our IPv4 address, byte 0 in the low bits.
    pub cfg_ipv4: Signal<In, Bits<32>>,
    /// Our IPv6 address, byte 0 in the low bits.
    pub cfg_ipv6: Signal<In, Bits<128>>,
    pub cfg_key: Signal<In, Bits<96>>,
    pub cfg_keyed: Signal<In, Bit>,
    /// Loads of flows.
    pub fl: FlowLoadIn<F>,
    /// The profile bus.
    pub pw: ProfileWriteIn,
    /// Doorbells in our registers.
    pub hd: DoorbellIn<F>,
    /// Rates.
    pub rate: RateIn<F>,
    /// Bytes that are outstanding no more.
    pub release: ReleaseIn<F>,
    /// Rates of flows that are not the generator's.
    pub down_rate: RateOut<F>,
    /// Releases of flows that are not the generator's.
    pub down_release: ReleaseOut<F>,
    /// Flows of the scheduler that start after their idle time.
    pub up_idle: FlowPulseIn<F>,
    /// The scheduler says whether a flow is limited.
    pub up_limited_valid: Signal<In, Bit>,
    pub up_limited_flow: Signal<In, Bits<F>>,
    /// The flow is limited.
    pub up_limited: Signal<In, Bit>,
    /// Counted events of the scheduler's, by `timely_regs::counters`.
    pub up_pulses: Signal<In, Bits<32>>,
    /// Flows that start after their idle time.
    pub idle: FlowPulseOut<F>,
    /// A flow's limited state is reported.
    pub limited_valid: Signal<Out, Bit>,
    pub limited_flow: Signal<Out, Bits<F>>,
    /// The flow is limited.
    pub limited: Signal<Out, Bit>,
    /// Counted events of all, by `timely_regs::counters`.
    pub pulses: Signal<Out, Bits<32>>,
    /// Data frames out of queues, of the flows that they name.
    pub host_sent: SentIn<F>,
    /// Data frames that are sent, of either.
    pub sent: SentOut<F>,
    /// Frames of the core, bit 15 of their tags is 1.
    pub d: TaggedAxisIn<W, K>,
    /// Merged frames, bit 15 of the tags is 1 of the core's alone.
    pub m: TaggedAxisOut<W, K>,
    pacer: Pacer<F, X, XA, XY, FB, FS, D, FR, FZ, FW>,
    generator: Generator<W, K, F, D>,
    gate: Launch<W, K, L>,
    merge: TxMux<W, K>,
    /// Whether a flow is the generator's: for rates, releases, reports, and what the engine is
    /// told.
    of_rate: RAM<Bits<1>, F>,
    of_release: RAM<Bits<1>, F>,
    of_report: RAM<Bits<1>, F>,
    of_limit: RAM<Bits<1>, F>,
    /// Limited state of each flow as the scheduler said it last.
    heard: RAM<Bits<1>, F>,
    idles: Fifo<F, 9, 10>,
    // Flow F, above the bit that it is limited.
    limits: Fifo<FS, 9, 10>,
    loaded: Fifo<F, 4, 5>,
    sweep: DFF<Bits<FS>>,
    sweep_end: OneHot<FS, F>,
    ack_tag: Fixed<16, { ACK_TAG as u64 }>,
    counted_apart: Fixed<32, COUNTED_APART>,
    frames_bit: Fixed<32, { 1 << Counter::TxFrames as u64 }>,
    grants_bit: Fixed<32, { 1 << Counter::Grants as u64 }>,
    refused_bit: Fixed<32, { 1 << Counter::DoorbellsRefused as u64 }>,
    missed_bit: Fixed<32, { 1 << Counter::LaunchesMissed as u64 }>,
    // 1: the owner of a flow stands behind its RAM; 2: it is known.
    rate_1: DFF<Bit>,
    rate_flow_1: DFF<Bits<F>>,
    rate_value_1: DFF<Bits<32>>,
    rate_host: DFF<Bit>,
    rate_own: DFF<Bit>,
    rate_flow_2: DFF<Bits<F>>,
    rate_value_2: DFF<Bits<32>>,
    release_1: DFF<Bit>,
    release_flow_1: DFF<Bits<F>>,
    release_bytes_1: DFF<Bits<32>>,
    release_host: DFF<Bit>,
    release_own: DFF<Bit>,
    release_flow_2: DFF<Bits<F>>,
    release_bytes_2: DFF<Bits<32>>,
    report_1: DFF<Bit>,
    // Tag 16, flow 16, segment 32, nonce 32, first, last, wire bytes 16, charged bytes of the
    // segment 32, launch 64.
    report_is_1: DFF<Bits<228>>,
    report_2: DFF<Bit>,
    report_is_2: DFF<Bits<228>>,
    /// A report of the generator's that gave way.
    held: DFF<Bit>,
    held_is: DFF<Bits<228>>,
    /// Frames reported, frames that have left.
    reported: DFF<Bits<13>>,
    left: DFF<Bits<13>>,
    says_1: DFF<Bit>,
    says_flow_1: DFF<Bits<F>>,
    /// The report repeats what the scheduler said last; the report is of our pacer; else, the state
    /// that it gives.
    again_1: DFF<Bit>,
    own_1: DFF<Bit>,
    limited_1: DFF<Bit>,
    says_2: DFF<Bit>,
    says_flow_2: DFF<Bits<F>>,
    limited_2: DFF<Bit>,
    idles_1: DFF<Bit>,
    idle_flow_1: DFF<Bits<F>>,
    counted: DFF<Bits<32>>,
    /// Grants, and doorbells that were refused, that are still to be counted.
    grants: DFF<Bits<16>>,
    refusals: DFF<Bits<16>>,
    misses: DFF<Bits<16>>,
    is_swept: Signal<Local, Bit>,
    at: Signal<Local, Bits<FS>>,
    is_own: Signal<Local, Bit>,
    own_record: Signal<Local, Bits<512>>,
    own_bit: Signal<Local, Bits<1>>,
    writes: Signal<Local, Bit>,
    write_at: Signal<Local, Bits<F>>,
    report: Signal<Local, Bits<228>>,
    own_report: Signal<Local, Bits<228>>,
    own_tag: Signal<Local, Bits<16>>,
    host: Signal<Local, Bit>,
    out: Signal<Local, Bits<228>>,
    out_valid: Signal<Local, Bit>,
    is_ours: Signal<Local, Bit>,
    takes_loaded: Signal<Local, Bit>,
    takes_limit: Signal<Local, Bit>,
    limit: Signal<Local, Bits<FS>>,
    all_grants: Signal<Local, Bits<16>>,
    all_refusals: Signal<Local, Bits<16>>,
    all_misses: Signal<Local, Bits<16>>,
}

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
> Traffic<W, K, F, X, D, XA, XY, FB, FS, FR, FZ, FW, L>
{
    /// The generator of a design that is built with these numbers.
    pub fn new(build: &Build) -> Self {
        assert!(W == 8 * K && FS == F + 1, "widths of a generator of {W} bits and 2^{F} flows");
        Self {
            pacer: Pacer::new(Timing::of(build.clock_ps)),
            // The other half is that of the queues' segments.
            generator: Generator::new(build.ring_bits - 1),
            ..Default::default()
        }
    }
}
