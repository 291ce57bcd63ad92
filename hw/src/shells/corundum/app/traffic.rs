//! The traffic generator among Corundum's frames: flows of which the device itself always has packets.
#![allow(missing_docs, reason = "a group of ports has one comment")]
use crate::constant::Const;
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

/// Pacer and generator of the flows that are enabled and `endless`, and their connections to the core's frames and to the scheduler of the other
/// flows: the owner of a flow, as it was loaded, says where its rates and releases go. `2^S` segments of a flow may be outstanding; the
/// other widths are those of the standalone shell.
///
/// Frames of both leave by turns, each of the generator's at its launch before that: one that waits holds up none of the core's, nor does one of theirs hold it up.
/// Tags of the generator's frames are their numbers, in the half of the RTT's table that tags of the core's, of seven bits there, leave free.
/// A report of a frame out of a queue is dropped if the flow is the generator's: the queue is none then. Idle restarts and what limits flows come from both sides,
/// the scheduler's first; 512 of either kind may wait, beyond them a restart is lost, and what limits a flow comes with its next pass. A load that takes a
/// flow from the generator has the engine told again what the scheduler said of it last.
///
/// Latency: a frame of the core's 1 clock; rates, releases and reports 2; a doorbell's first frame as in the standalone shell. Throughput: a beat a clock. Back
/// pressure: none but for frames and doorbells; at most 2^16 - 1 grants, refusals, and missed launches each are counted late.
/// Model: `timely_model::app_block::traffic::Traffic`.
#[derive(LogicBlock, Default)]
pub struct Traffic<
    const W: usize,
    const K: usize,
    const F: usize,
    const S: usize,
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
    /// A record is loaded.
    pub fl_valid: Signal<In, Bit>,
    pub fl_flow: Signal<In, Bits<F>>,
    /// The record, `timely_regs::flow`.
    pub fl_record: Signal<In, Bits<512>>,
    /// Profile bus.
    pub pw_valid: Signal<In, Bit>,
    pub pw_profile: Signal<In, Bits<4>>,
    pub pw_word: Signal<In, Bits<5>>,
    pub pw_data: Signal<In, Bits<32>>,
    /// A doorbell in our registers.
    pub hd_valid: Signal<In, Bit>,
    /// The doorbell is taken if offered.
    pub hd_ready: Signal<Out, Bit>,
    pub hd_flow: Signal<In, Bits<F>>,
    pub hd_packets: Signal<In, Bits<16>>,
    /// A rate.
    pub rate_valid: Signal<In, Bit>,
    pub rate_flow: Signal<In, Bits<F>>,
    /// 2^-12 Mb/s.
    pub rate_value: Signal<In, Bits<32>>,
    /// Bytes are outstanding no more.
    pub release_valid: Signal<In, Bit>,
    pub release_flow: Signal<In, Bits<F>>,
    pub release_bytes: Signal<In, Bits<32>>,
    /// A rate of a flow that is not the generator's.
    pub down_rate_valid: Signal<Out, Bit>,
    pub down_rate_flow: Signal<Out, Bits<F>>,
    /// 2^-12 Mb/s.
    pub down_rate_value: Signal<Out, Bits<32>>,
    /// Bytes of a flow that is not the generator's are outstanding no more.
    pub down_release_valid: Signal<Out, Bit>,
    pub down_release_flow: Signal<Out, Bits<F>>,
    pub down_release_bytes: Signal<Out, Bits<32>>,
    /// The scheduler says: a flow starts after its idle time.
    pub up_idle_valid: Signal<In, Bit>,
    pub up_idle_flow: Signal<In, Bits<F>>,
    /// The scheduler says whether a flow is limited.
    pub up_limited_valid: Signal<In, Bit>,
    pub up_limited_flow: Signal<In, Bits<F>>,
    /// The flow is limited.
    pub up_limited: Signal<In, Bit>,
    /// Counted events of the scheduler's, by `timely_regs::counters`.
    pub up_pulses: Signal<In, Bits<32>>,
    /// A flow starts after its idle time.
    pub idle_valid: Signal<Out, Bit>,
    pub idle_flow: Signal<Out, Bits<F>>,
    /// A flow's limited state is reported.
    pub limited_valid: Signal<Out, Bit>,
    pub limited_flow: Signal<Out, Bits<F>>,
    /// The flow is limited.
    pub limited: Signal<Out, Bit>,
    /// Counted events of all, by `timely_regs::counters`.
    pub pulses: Signal<Out, Bits<32>>,
    /// A data frame came out of the queue of the flow that it names.
    pub host_sent_valid: Signal<In, Bit>,
    pub host_sent_tag: Signal<In, Bits<16>>,
    pub host_sent_flow: Signal<In, Bits<F>>,
    pub host_sent_segment: Signal<In, Bits<32>>,
    pub host_sent_nonce: Signal<In, Bits<32>>,
    pub host_sent_first: Signal<In, Bit>,
    pub host_sent_last: Signal<In, Bit>,
    pub host_sent_wire_bytes: Signal<In, Bits<16>>,
    pub host_sent_segment_bytes: Signal<In, Bits<32>>,
    /// With the last packet: the segment's place in the ring of departures, and the turn of the ring in which it was given.
    pub host_sent_place: Signal<In, Bits<16>>,
    pub host_sent_generation: Signal<In, Bits<2>>,
    /// When the frame was eligible to leave, ns48.fns16.
    pub host_sent_launch: Signal<In, Bits<64>>,
    /// A data frame is sent, of either.
    pub sent_valid: Signal<Out, Bit>,
    pub sent_tag: Signal<Out, Bits<16>>,
    pub sent_flow: Signal<Out, Bits<F>>,
    pub sent_segment: Signal<Out, Bits<32>>,
    pub sent_nonce: Signal<Out, Bits<32>>,
    pub sent_first: Signal<Out, Bit>,
    pub sent_last: Signal<Out, Bit>,
    pub sent_wire_bytes: Signal<Out, Bits<16>>,
    pub sent_segment_bytes: Signal<Out, Bits<32>>,
    /// With the last packet: the segment's place in the ring of departures, and the turn of the ring in which it was given.
    pub sent_place: Signal<Out, Bits<16>>,
    pub sent_generation: Signal<Out, Bits<2>>,
    /// When it was eligible to leave, ns48.fns16.
    pub sent_launch: Signal<Out, Bits<64>>,
    /// Beat of the core's frames: bytes in wire order, and their frame.
    pub d_tdata: Signal<In, Bits<W>>,
    pub d_tkeep: Signal<In, Bits<K>>,
    pub d_tvalid: Signal<In, Bit>,
    /// Beat of the core's frames: taken if offered.
    pub d_tready: Signal<Out, Bit>,
    pub d_tlast: Signal<In, Bit>,
    /// Beat of the core's frames: tag of its frame, bit 15 is 1.
    pub d_tag: Signal<In, Bits<16>>,
    /// Merged beat: bytes in wire order, and their frame.
    pub m_tdata: Signal<Out, Bits<W>>,
    pub m_tkeep: Signal<Out, Bits<K>>,
    pub m_tvalid: Signal<Out, Bit>,
    /// Merged beat: taken if offered.
    pub m_tready: Signal<In, Bit>,
    pub m_tlast: Signal<Out, Bit>,
    /// Merged beat: tag of its frame, bit 15 is 1 of the core's alone.
    pub m_tag: Signal<Out, Bits<16>>,
    pacer: Pacer<F, X, XA, XY, FB, FS, D, FR, FZ, FW>,
    generator: Generator<W, K, F, S, D>,
    gate: Launch<W, K, L>,
    merge: TxMux<W, K>,
    /// Whether a flow is the generator's: for rates, releases, reports, and what the engine is told.
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
    sweep_end: Const<Bits<FS>>,
    ack_tag: Const<Bits<16>>,
    counted_apart: Const<Bits<32>>,
    frames_bit: Const<Bits<32>>,
    grants_bit: Const<Bits<32>>,
    refused_bit: Const<Bits<32>>,
    missed_bit: Const<Bits<32>>,
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
    // Tag 16, flow 16, segment 32, nonce 32, first, last, wire bytes 16, charged bytes of the segment 32, launch 64.
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
    /// The report repeats what the scheduler said last; the report is of our pacer; else, the state that it gives.
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
    const S: usize,
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
> Traffic<W, K, F, S, X, D, XA, XY, FB, FS, FR, FZ, FW, L>
{
    /// The generator of a design that is built with these numbers.
    pub fn new(build: &Build) -> Self {
        assert!(W == 8 * K && FS == F + 1, "widths of a generator of {W} bits and 2^{F} flows");
        let bit = |c: Counter| 1u64 << c as u64;
        let apart = bit(Counter::TxFrames) | bit(Counter::Grants) | bit(Counter::DoorbellsRefused) | bit(Counter::LaunchesMissed);
        Self {
            pacer: Pacer::new(Timing::of(build.clock_ps)),
            // The other half is that of the queues' segments.
            generator: Generator::new(build.ring_bits - 1),
            sweep_end: Const::new(bits::<FS>(1 << F)),
            ack_tag: Const::new(bits::<16>(u64::from(ACK_TAG))),
            counted_apart: Const::new(bits::<32>(u64::from(!(apart as u32)))),
            frames_bit: Const::new(bits::<32>(bit(Counter::TxFrames))),
            grants_bit: Const::new(bits::<32>(bit(Counter::Grants))),
            refused_bit: Const::new(bits::<32>(bit(Counter::DoorbellsRefused))),
            missed_bit: Const::new(bits::<32>(bit(Counter::LaunchesMissed))),
            ..Default::default()
        }
    }
}

impl<
    const W: usize,
    const K: usize,
    const F: usize,
    const S: usize,
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
> Logic for Traffic<W, K, F, S, X, D, XA, XY, FB, FS, FR, FZ, FW, L>
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
        self.is_own.next = self.fl_record.val().get_bit(0) & self.fl_record.val().get_bit(2);
        self.own_record.next = self.fl_record.val();
        if !self.is_own.val() {
            self.own_record.next = self.fl_record.val().replace_bit(0, false);
        }
        self.own_bit.next = bit_cast::<1, 1>(self.is_own.val().into());
        self.writes.next = self.fl_valid.val();
        self.write_at.next = self.fl_flow.val();
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
        self.of_rate.read_address.next = self.rate_flow.val();
        self.rate_1.d.next = self.rate_valid.val() & self.is_swept.val();
        self.rate_flow_1.d.next = self.rate_flow.val();
        self.rate_value_1.d.next = self.rate_value.val();
        self.rate_host.d.next = self.rate_1.q.val() & !self.of_rate.read_data.val().any();
        self.rate_own.d.next = self.rate_1.q.val() & self.of_rate.read_data.val().any();
        self.rate_flow_2.d.next = self.rate_flow_1.q.val();
        self.rate_value_2.d.next = self.rate_value_1.q.val();
        self.down_rate_valid.next = self.rate_host.q.val();
        self.down_rate_flow.next = self.rate_flow_2.q.val();
        self.down_rate_value.next = self.rate_value_2.q.val();
        self.pacer.rate_valid.next = self.rate_own.q.val();
        self.pacer.rate_flow.next = self.rate_flow_2.q.val();
        self.pacer.rate_value.next = self.rate_value_2.q.val();
        self.of_release.read_address.next = self.release_flow.val();
        self.release_1.d.next = self.release_valid.val() & self.is_swept.val();
        self.release_flow_1.d.next = self.release_flow.val();
        self.release_bytes_1.d.next = self.release_bytes.val();
        self.release_host.d.next = self.release_1.q.val() & !self.of_release.read_data.val().any();
        self.release_own.d.next = self.release_1.q.val() & self.of_release.read_data.val().any();
        self.release_flow_2.d.next = self.release_flow_1.q.val();
        self.release_bytes_2.d.next = self.release_bytes_1.q.val();
        self.down_release_valid.next = self.release_host.q.val();
        self.down_release_flow.next = self.release_flow_2.q.val();
        self.down_release_bytes.next = self.release_bytes_2.q.val();
        self.pacer.release_valid.next = self.release_own.q.val();
        self.pacer.release_flow.next = self.release_flow_2.q.val();
        self.pacer.release_bytes.next = self.release_bytes_2.q.val();
        // Pacer and generator.
        self.pacer.fl_valid.next = self.fl_valid.val();
        self.pacer.fl_flow.next = self.fl_flow.val();
        self.pacer.fl_record.next = self.own_record.val();
        self.pacer.pw_valid.next = self.pw_valid.val();
        self.pacer.pw_profile.next = self.pw_profile.val();
        self.pacer.pw_word.next = self.pw_word.val();
        self.pacer.pw_data.next = self.pw_data.val();
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
        self.generator.grant.valid.next = self.pacer.grant_valid.val();
        self.generator.grant.flow.next = self.pacer.grant_flow.val();
        self.generator.grant.launch.next = self.pacer.grant_launch.val();
        self.pacer.grant_ready.next = self.generator.grant.ready.val();
        self.generator.cfg_mac.next = self.cfg_mac.val();
        self.generator.cfg_ipv4.next = self.cfg_ipv4.val();
        self.generator.cfg_ipv6.next = self.cfg_ipv6.val();
        self.generator.cfg_key.next = self.cfg_key.val();
        self.generator.cfg_keyed.next = self.cfg_keyed.val();
        self.generator.fl.valid.next = self.fl_valid.val();
        self.generator.fl.flow.next = self.fl_flow.val();
        self.generator.fl.record.next = self.own_record.val();
        self.generator.hd.valid.next = self.hd_valid.val();
        self.generator.hd.flow.next = self.hd_flow.val();
        self.generator.hd.packets.next = self.hd_packets.val();
        self.hd_ready.next = self.generator.hd.ready.val();
        // The generator's frames wait for their launch, and take turns with the core's.
        self.gate.now.next = self.now.val();
        self.gate.s_tdata.next = self.generator.m_tdata.val();
        self.gate.s_tkeep.next = self.generator.m_tkeep.val();
        self.gate.s_tvalid.next = self.generator.m_tvalid.val();
        self.gate.s_tlast.next = self.generator.m_tlast.val();
        self.gate.s_tag.next = bits::<16>(0);
        self.gate.s_timed.next = true;
        self.gate.s_launch.next = self.generator.sent.launch.val();
        self.generator.m_tready.next = self.gate.s_tready.val();
        self.merge.fair.next = true;
        self.merge.a.tdata.next = self.gate.m_tdata.val();
        self.merge.a.tkeep.next = self.gate.m_tkeep.val();
        self.merge.a.tvalid.next = self.gate.m_tvalid.val();
        self.merge.a.tlast.next = self.gate.m_tlast.val();
        self.gate.m_tready.next = self.merge.a.tready.val();
        self.merge.d.tdata.next = self.d_tdata.val();
        self.merge.d.tkeep.next = self.d_tkeep.val();
        self.merge.d.tvalid.next = self.d_tvalid.val();
        self.merge.d.tlast.next = self.d_tlast.val();
        self.merge.d.tag.next = self.d_tag.val();
        self.d_tready.next = self.merge.d.tready.val();
        self.m_tdata.next = self.merge.m.tdata.val();
        self.m_tkeep.next = self.merge.m.tkeep.val();
        self.m_tvalid.next = self.merge.m.tvalid.val();
        self.m_tlast.next = self.merge.m.tlast.val();
        self.merge.m.tready.next = self.m_tready.val();
        self.is_ours.next = self.merge.m.tag.val() == self.ack_tag.val();
        self.m_tag.next = self.merge.m.tag.val();
        if self.is_ours.val() {
            self.m_tag.next = (bit_cast::<16, 7>(self.left.q.val().get_bits::<7>(0)) | bits::<16>(128))
                | (bit_cast::<16, 6>(self.left.q.val().get_bits::<6>(7)) << 8);
        }
        if (self.is_ours.val() & self.merge.m.tlast.val()) & (self.merge.m.tvalid.val() & self.m_tready.val()) {
            self.left.d.next = self.left.q.val() + bits::<13>(1);
        }
        // Reports: none of a flow that is ours by another's frame; the core's first, and no two of either side are at clocks that follow each other.
        self.of_report.read_address.next = self.host_sent_flow.val();
        self.report_1.d.next = self.host_sent_valid.val() & self.is_swept.val();
        self.report.next = bit_cast::<228, 16>(self.host_sent_tag.val())
            | (bit_cast::<228, F>(self.host_sent_flow.val()) << 16)
            | (bit_cast::<228, 32>(self.host_sent_segment.val()) << 32)
            | (bit_cast::<228, 32>(self.host_sent_nonce.val()) << 64)
            | (bit_cast::<228, 1>(self.host_sent_first.val().into()) << 96)
            | (bit_cast::<228, 1>(self.host_sent_last.val().into()) << 97)
            | (bit_cast::<228, 16>(self.host_sent_wire_bytes.val()) << 98)
            | (bit_cast::<228, 32>(self.host_sent_segment_bytes.val()) << 114)
            | (bit_cast::<228, 64>(self.host_sent_launch.val()) << 146)
            | (bit_cast::<228, 16>(self.host_sent_place.val()) << 210)
            | (bit_cast::<228, 2>(self.host_sent_generation.val()) << 226);
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
        self.sent_valid.next = self.out_valid.val();
        self.sent_tag.next = self.out.val().get_bits::<16>(0);
        self.sent_flow.next = self.out.val().get_bits::<F>(16);
        self.sent_segment.next = self.out.val().get_bits::<32>(32);
        self.sent_nonce.next = self.out.val().get_bits::<32>(64);
        self.sent_first.next = self.out.val().get_bit(96);
        self.sent_last.next = self.out.val().get_bit(97);
        self.sent_wire_bytes.next = self.out.val().get_bits::<16>(98);
        self.sent_segment_bytes.next = self.out.val().get_bits::<32>(114);
        self.sent_launch.next = self.out.val().get_bits::<64>(146);
        self.sent_place.next = self.out.val().get_bits::<16>(210);
        self.sent_generation.next = self.out.val().get_bits::<2>(226);
        // Reports of what limits flows: the scheduler's, then its last one before a load, then ours; none of a flow that is the other's by now.
        self.takes_loaded.next = self.is_swept.val() & !self.up_limited_valid.val();
        self.takes_limit.next = self.takes_loaded.val() & !self.loaded.o_valid.val();
        self.loaded.i_valid.next = (self.fl_valid.val() & self.is_swept.val()) & !self.is_own.val();
        self.loaded.i_data.next = self.fl_flow.val();
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
        self.idles.i_valid.next = self.pacer.idle_valid.val();
        self.idles.i_data.next = self.pacer.idle_flow.val();
        self.idles.o_ready.next = !self.up_idle_valid.val();
        self.idles_1.d.next = self.up_idle_valid.val() | self.idles.o_valid.val();
        self.idle_flow_1.d.next = self.idles.o_data.val();
        if self.up_idle_valid.val() {
            self.idle_flow_1.d.next = self.up_idle_flow.val();
        }
        self.idle_valid.next = self.idles_1.q.val();
        self.idle_flow.next = self.idle_flow_1.q.val();
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
