//! One register on the long ways of the control half: from registers, RTT and engine to blocks that read them at many places, or only count.
use crate::bus::{FlowLoadIn, FlowLoadOut, ProfileWriteIn, ProfileWriteOut};
use crate::csr::SettingsBus;
use rust_hdl::prelude::*;

/// Buses of csr to all blocks, and events for telemetry, recorder and histograms, a clock later; `o_NAME` is `NAME`.
///
/// Pipeline stage for buses that cross the die; latency is not critical. Not a clock-domain crossing. The way from an ACK to the pacer has no
/// register here.
/// Latency: one clock. Throughput: one of each a clock. Nothing stalls. Model: `timely_model::core`, `Crossing`.
#[derive(LogicBlock, Default)]
pub struct Crossing<const F: usize> {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset, active high.
    pub rst: Signal<In, Bit>,
    /// Profile bus.
    pub pw: ProfileWriteIn,
    /// Flow bus.
    pub fl: FlowLoadIn<F>,
    /// A rate that the host sets.
    pub host_valid: Signal<In, Bit>,
    /// Flow of the rate.
    pub host_flow: Signal<In, Bits<F>>,
    /// The rate.
    pub host_rate: Signal<In, Bits<32>>,
    /// A telemetry record is wanted.
    pub query_valid: Signal<In, Bit>,
    /// Flow of the wanted record.
    pub query_flow: Signal<In, Bits<F>>,
    /// Tag that the answer is known by.
    pub query_tag: Signal<In, Bits<4>>,
    /// Histograms to be cleared.
    pub histogram_clear: Signal<In, Bits<16>>,
    /// A sample for the engine.
    pub sample_valid: Signal<In, Bit>,
    /// 1 time-out, else RTT.
    pub sample_kind: Signal<In, Bits<2>>,
    /// Flow of the sample.
    pub sample_flow: Signal<In, Bits<F>>,
    /// RTT, ns.
    pub sample_rtt_ns: Signal<In, Bits<24>>,
    /// Segments that lost packets.
    pub sample_lost: Signal<In, Bits<7>>,
    /// An ACK has its outcome.
    pub acked_valid: Signal<In, Bit>,
    /// Flow of the ACK.
    pub acked_flow: Signal<In, Bits<F>>,
    /// 0 accepted, 1 stale, 2 repeated, 3 forged.
    pub acked_outcome: Signal<In, Bits<2>>,
    /// A frame's first beat is offered to the MAC.
    pub sent_valid: Signal<In, Bit>,
    /// Flow of the frame.
    pub sent_flow: Signal<In, Bits<F>>,
    /// Last packet of its segment.
    pub sent_last: Signal<In, Bit>,
    /// Wire bytes of the frame.
    pub sent_wire_bytes: Signal<In, Bits<16>>,
    /// The engine set a rate.
    pub event_valid: Signal<In, Bit>,
    /// Flow of the rate.
    pub event_flow: Signal<In, Bits<F>>,
    /// Profile of the flow.
    pub event_profile: Signal<In, Bits<4>>,
    /// Kind.
    pub event_kind: Signal<In, Bits<3>>,
    /// Branch.
    pub event_branch: Signal<In, Bits<3>>,
    /// A hyperactive increase.
    pub event_hyperactive: Signal<In, Bit>,
    /// RTT, ns.
    pub event_rtt_ns: Signal<In, Bits<24>>,
    /// Hops.
    pub event_hops: Signal<In, Bits<8>>,
    /// Residence at the other end, ns.
    pub event_endpoint_ns: Signal<In, Bits<24>>,
    /// Time of the event, ns.
    pub event_now_ns: Signal<In, Bits<32>>,
    /// The rate before.
    pub event_rate_before: Signal<In, Bits<32>>,
    /// The rate.
    pub event_rate: Signal<In, Bits<32>>,
    /// State before.
    pub event_before: Signal<In, Bits<160>>,
    /// The engine will never take a sample.
    pub superseded_valid: Signal<In, Bit>,
    /// Flow of the sample.
    pub superseded_flow: Signal<In, Bits<F>>,
    /// The settings.
    pub settings: Signal<In, SettingsBus>,
    /// Profile bus, a clock later.
    pub o_pw: ProfileWriteOut,
    /// Flow bus, a clock later.
    pub o_fl: FlowLoadOut<F>,
    /// A rate that the host sets.
    pub o_host_valid: Signal<Out, Bit>,
    /// Flow of the rate.
    pub o_host_flow: Signal<Out, Bits<F>>,
    /// The rate.
    pub o_host_rate: Signal<Out, Bits<32>>,
    /// A telemetry record is wanted.
    pub o_query_valid: Signal<Out, Bit>,
    /// Flow of the wanted record.
    pub o_query_flow: Signal<Out, Bits<F>>,
    /// Tag that the answer is known by.
    pub o_query_tag: Signal<Out, Bits<4>>,
    /// Histograms to be cleared.
    pub o_histogram_clear: Signal<Out, Bits<16>>,
    /// A sample for the engine.
    pub o_sample_valid: Signal<Out, Bit>,
    /// 1 time-out, else RTT.
    pub o_sample_kind: Signal<Out, Bits<2>>,
    /// Flow of the sample.
    pub o_sample_flow: Signal<Out, Bits<F>>,
    /// RTT, ns.
    pub o_sample_rtt_ns: Signal<Out, Bits<24>>,
    /// Segments that lost packets.
    pub o_sample_lost: Signal<Out, Bits<7>>,
    /// An ACK has its outcome.
    pub o_acked_valid: Signal<Out, Bit>,
    /// Flow of the ACK.
    pub o_acked_flow: Signal<Out, Bits<F>>,
    /// 0 accepted, 1 stale, 2 repeated, 3 forged.
    pub o_acked_outcome: Signal<Out, Bits<2>>,
    /// A frame's first beat is offered to the MAC.
    pub o_sent_valid: Signal<Out, Bit>,
    /// Flow of the frame.
    pub o_sent_flow: Signal<Out, Bits<F>>,
    /// Last packet of its segment.
    pub o_sent_last: Signal<Out, Bit>,
    /// Wire bytes of the frame.
    pub o_sent_wire_bytes: Signal<Out, Bits<16>>,
    /// The engine set a rate.
    pub o_event_valid: Signal<Out, Bit>,
    /// Flow of the rate.
    pub o_event_flow: Signal<Out, Bits<F>>,
    /// Profile of the flow.
    pub o_event_profile: Signal<Out, Bits<4>>,
    /// Kind.
    pub o_event_kind: Signal<Out, Bits<3>>,
    /// Branch.
    pub o_event_branch: Signal<Out, Bits<3>>,
    /// A hyperactive increase.
    pub o_event_hyperactive: Signal<Out, Bit>,
    /// RTT, ns.
    pub o_event_rtt_ns: Signal<Out, Bits<24>>,
    /// Hops.
    pub o_event_hops: Signal<Out, Bits<8>>,
    /// Residence at the other end, ns.
    pub o_event_endpoint_ns: Signal<Out, Bits<24>>,
    /// Time of the event, ns.
    pub o_event_now_ns: Signal<Out, Bits<32>>,
    /// The rate before.
    pub o_event_rate_before: Signal<Out, Bits<32>>,
    /// The rate.
    pub o_event_rate: Signal<Out, Bits<32>>,
    /// State before.
    pub o_event_before: Signal<Out, Bits<160>>,
    /// The engine will never take a sample.
    pub o_superseded_valid: Signal<Out, Bit>,
    /// Flow of the sample.
    pub o_superseded_flow: Signal<Out, Bits<F>>,
    /// The settings.
    pub o_settings: Signal<Out, SettingsBus>,
    q_pw_valid: DFF<Bit>,
    q_pw_profile: DFF<Bits<4>>,
    q_pw_word: DFF<Bits<5>>,
    q_pw_data: DFF<Bits<32>>,
    q_fl_valid: DFF<Bit>,
    q_fl_flow: DFF<Bits<F>>,
    q_fl_record: DFF<Bits<512>>,
    q_host_valid: DFF<Bit>,
    q_host_flow: DFF<Bits<F>>,
    q_host_rate: DFF<Bits<32>>,
    q_query_valid: DFF<Bit>,
    q_query_flow: DFF<Bits<F>>,
    q_query_tag: DFF<Bits<4>>,
    q_histogram_clear: DFF<Bits<16>>,
    q_sample_valid: DFF<Bit>,
    q_sample_kind: DFF<Bits<2>>,
    q_sample_flow: DFF<Bits<F>>,
    q_sample_rtt_ns: DFF<Bits<24>>,
    q_sample_lost: DFF<Bits<7>>,
    q_acked_valid: DFF<Bit>,
    q_acked_flow: DFF<Bits<F>>,
    q_acked_outcome: DFF<Bits<2>>,
    q_sent_valid: DFF<Bit>,
    q_sent_flow: DFF<Bits<F>>,
    q_sent_last: DFF<Bit>,
    q_sent_wire_bytes: DFF<Bits<16>>,
    q_event_valid: DFF<Bit>,
    q_event_flow: DFF<Bits<F>>,
    q_event_profile: DFF<Bits<4>>,
    q_event_kind: DFF<Bits<3>>,
    q_event_branch: DFF<Bits<3>>,
    q_event_hyperactive: DFF<Bit>,
    q_event_rtt_ns: DFF<Bits<24>>,
    q_event_hops: DFF<Bits<8>>,
    q_event_endpoint_ns: DFF<Bits<24>>,
    q_event_now_ns: DFF<Bits<32>>,
    q_event_rate_before: DFF<Bits<32>>,
    q_event_rate: DFF<Bits<32>>,
    q_event_before: DFF<Bits<160>>,
    q_superseded_valid: DFF<Bit>,
    q_superseded_flow: DFF<Bits<F>>,
    q_settings: DFF<SettingsBus>,
}

impl<const F: usize> Logic for Crossing<F> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self,
            clk,
            q_pw_valid,
            q_pw_profile,
            q_pw_word,
            q_pw_data,
            q_fl_valid,
            q_fl_flow,
            q_fl_record,
            q_host_valid,
            q_host_flow,
            q_host_rate,
            q_query_valid,
            q_query_flow,
            q_query_tag,
            q_histogram_clear
        );
        dff_setup!(
            self,
            clk,
            q_sample_valid,
            q_sample_kind,
            q_sample_flow,
            q_sample_rtt_ns,
            q_sample_lost,
            q_acked_valid,
            q_acked_flow,
            q_acked_outcome
        );
        dff_setup!(self, clk, q_sent_valid, q_sent_flow, q_sent_last, q_sent_wire_bytes);
        dff_setup!(
            self,
            clk,
            q_event_valid,
            q_event_flow,
            q_event_profile,
            q_event_kind,
            q_event_branch,
            q_event_hyperactive,
            q_event_rtt_ns,
            q_event_hops,
            q_event_endpoint_ns,
            q_event_now_ns,
            q_event_rate_before,
            q_event_rate,
            q_event_before,
            q_superseded_valid,
            q_superseded_flow
        );
        dff_setup!(self, clk, q_settings);
        self.q_settings.d.next = self.settings.val();
        self.o_settings.next = self.q_settings.q.val();
        self.q_pw_valid.d.next = self.pw.valid.val();
        self.o_pw.valid.next = self.q_pw_valid.q.val();
        self.q_pw_profile.d.next = self.pw.profile.val();
        self.o_pw.profile.next = self.q_pw_profile.q.val();
        self.q_pw_word.d.next = self.pw.word.val();
        self.o_pw.word.next = self.q_pw_word.q.val();
        self.q_pw_data.d.next = self.pw.data.val();
        self.o_pw.data.next = self.q_pw_data.q.val();
        self.q_fl_valid.d.next = self.fl.valid.val();
        self.o_fl.valid.next = self.q_fl_valid.q.val();
        self.q_fl_flow.d.next = self.fl.flow.val();
        self.o_fl.flow.next = self.q_fl_flow.q.val();
        self.q_fl_record.d.next = self.fl.record.val();
        self.o_fl.record.next = self.q_fl_record.q.val();
        self.q_host_valid.d.next = self.host_valid.val();
        self.o_host_valid.next = self.q_host_valid.q.val();
        self.q_host_flow.d.next = self.host_flow.val();
        self.o_host_flow.next = self.q_host_flow.q.val();
        self.q_host_rate.d.next = self.host_rate.val();
        self.o_host_rate.next = self.q_host_rate.q.val();
        self.q_query_valid.d.next = self.query_valid.val();
        self.o_query_valid.next = self.q_query_valid.q.val();
        self.q_query_flow.d.next = self.query_flow.val();
        self.o_query_flow.next = self.q_query_flow.q.val();
        self.q_query_tag.d.next = self.query_tag.val();
        self.o_query_tag.next = self.q_query_tag.q.val();
        self.q_histogram_clear.d.next = self.histogram_clear.val();
        self.o_histogram_clear.next = self.q_histogram_clear.q.val();
        self.q_sample_valid.d.next = self.sample_valid.val();
        self.o_sample_valid.next = self.q_sample_valid.q.val();
        self.q_sample_kind.d.next = self.sample_kind.val();
        self.o_sample_kind.next = self.q_sample_kind.q.val();
        self.q_sample_flow.d.next = self.sample_flow.val();
        self.o_sample_flow.next = self.q_sample_flow.q.val();
        self.q_sample_rtt_ns.d.next = self.sample_rtt_ns.val();
        self.o_sample_rtt_ns.next = self.q_sample_rtt_ns.q.val();
        self.q_sample_lost.d.next = self.sample_lost.val();
        self.o_sample_lost.next = self.q_sample_lost.q.val();
        self.q_acked_valid.d.next = self.acked_valid.val();
        self.o_acked_valid.next = self.q_acked_valid.q.val();
        self.q_acked_flow.d.next = self.acked_flow.val();
        self.o_acked_flow.next = self.q_acked_flow.q.val();
        self.q_acked_outcome.d.next = self.acked_outcome.val();
        self.o_acked_outcome.next = self.q_acked_outcome.q.val();
        self.q_sent_valid.d.next = self.sent_valid.val();
        self.o_sent_valid.next = self.q_sent_valid.q.val();
        self.q_sent_flow.d.next = self.sent_flow.val();
        self.o_sent_flow.next = self.q_sent_flow.q.val();
        self.q_sent_last.d.next = self.sent_last.val();
        self.o_sent_last.next = self.q_sent_last.q.val();
        self.q_sent_wire_bytes.d.next = self.sent_wire_bytes.val();
        self.o_sent_wire_bytes.next = self.q_sent_wire_bytes.q.val();
        self.q_event_valid.d.next = self.event_valid.val();
        self.o_event_valid.next = self.q_event_valid.q.val();
        self.q_event_flow.d.next = self.event_flow.val();
        self.o_event_flow.next = self.q_event_flow.q.val();
        self.q_event_profile.d.next = self.event_profile.val();
        self.o_event_profile.next = self.q_event_profile.q.val();
        self.q_event_kind.d.next = self.event_kind.val();
        self.o_event_kind.next = self.q_event_kind.q.val();
        self.q_event_branch.d.next = self.event_branch.val();
        self.o_event_branch.next = self.q_event_branch.q.val();
        self.q_event_hyperactive.d.next = self.event_hyperactive.val();
        self.o_event_hyperactive.next = self.q_event_hyperactive.q.val();
        self.q_event_rtt_ns.d.next = self.event_rtt_ns.val();
        self.o_event_rtt_ns.next = self.q_event_rtt_ns.q.val();
        self.q_event_hops.d.next = self.event_hops.val();
        self.o_event_hops.next = self.q_event_hops.q.val();
        self.q_event_endpoint_ns.d.next = self.event_endpoint_ns.val();
        self.o_event_endpoint_ns.next = self.q_event_endpoint_ns.q.val();
        self.q_event_now_ns.d.next = self.event_now_ns.val();
        self.o_event_now_ns.next = self.q_event_now_ns.q.val();
        self.q_event_rate_before.d.next = self.event_rate_before.val();
        self.o_event_rate_before.next = self.q_event_rate_before.q.val();
        self.q_event_rate.d.next = self.event_rate.val();
        self.o_event_rate.next = self.q_event_rate.q.val();
        self.q_event_before.d.next = self.event_before.val();
        self.o_event_before.next = self.q_event_before.q.val();
        self.q_superseded_valid.d.next = self.superseded_valid.val();
        self.o_superseded_valid.next = self.q_superseded_valid.q.val();
        self.q_superseded_flow.d.next = self.superseded_flow.val();
        self.o_superseded_flow.next = self.q_superseded_flow.q.val();
        if self.rst.val() {
            self.q_pw_valid.d.next = false;
            self.q_fl_valid.d.next = false;
            self.q_host_valid.d.next = false;
            self.q_query_valid.d.next = false;
            self.q_sample_valid.d.next = false;
            self.q_acked_valid.d.next = false;
            self.q_sent_valid.d.next = false;
            self.q_event_valid.d.next = false;
            self.q_superseded_valid.d.next = false;
            self.q_histogram_clear.d.next = bits::<16>(0);
        }
    }
}
