//! One register on the long ways of the control half: from registers, RTT and engine to blocks that
//! read them at many places, or only count.
use crate::bus::*;
use crate::csr::SettingsBus;
use rust_hdl::prelude::*;

/// Buses of csr to all blocks, and events for telemetry, recorder and histograms, a clock later;
/// `o_NAME` is `NAME`.
///
/// Pipeline stage for buses that cross the die; latency is not critical. Not a clock-domain
/// crossing. The way from an ACK to the pacer has no register here. Latency: one clock. Throughput:
/// one of each a clock. Nothing stalls. Model: `timely_model::core`, `Crossing`.
#[derive(LogicBlock, Default)]
pub struct Crossing<const F: usize> {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset, active high.
    pub rst: Signal<In, Bit>,
    /// Profile bus.
    pub pw: ProfileWriteIn,
    /// `pw`, a clock later.
    pub o_pw: ProfileWriteOut,
    /// Flow bus.
    pub fl: FlowLoadIn<F>,
    /// `fl`, a clock later.
    pub o_fl: FlowLoadOut<F>,
    /// A rate that the host sets.
    pub host: HostRateIn<F>,
    /// `host`, a clock later.
    pub o_host: HostRateOut<F>,
    /// A telemetry record is wanted.
    pub query: QueryIn<F>,
    /// `query`, a clock later.
    pub o_query: QueryOut<F>,
    /// A sample for the engine.
    pub sample: CountedSampleIn<F>,
    /// `sample`, a clock later.
    pub o_sample: CountedSampleOut<F>,
    /// An ACK has its outcome.
    pub acked: OutcomeIn<F>,
    /// `acked`, a clock later.
    pub o_acked: OutcomeOut<F>,
    /// A frame's first beat is offered to the MAC.
    pub sent: CountedFrameIn<F>,
    /// `sent`, a clock later.
    pub o_sent: CountedFrameOut<F>,
    /// The engine did an operation.
    pub event: EventIn<F>,
    /// `event`, a clock later.
    pub o_event: EventOut<F>,
    /// The engine will never take a sample of this flow.
    pub superseded: FlowPulseIn<F>,
    /// `superseded`, a clock later.
    pub o_superseded: FlowPulseOut<F>,
    /// Histograms to be cleared.
    pub histogram_clear: Signal<In, Bits<16>>,
    /// `histogram_clear`, a clock later.
    pub o_histogram_clear: Signal<Out, Bits<16>>,
    /// The settings.
    pub settings: Signal<In, SettingsBus>,
    /// `settings`, a clock later.
    pub o_settings: Signal<Out, SettingsBus>,
    q_pw: ProfileWriteStage,
    q_fl: FlowLoadStage<F>,
    q_host: HostRateStage<F>,
    q_query: QueryStage<F>,
    q_sample: CountedSampleStage<F>,
    q_acked: OutcomeStage<F>,
    q_sent: CountedFrameStage<F>,
    q_event: EventStage<F>,
    q_superseded: FlowPulseStage<F>,
    q_histogram_clear: DFF<Bits<16>>,
    q_settings: DFF<SettingsBus>,
}

impl<const F: usize> Logic for Crossing<F> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, q_histogram_clear, q_settings);
        self.q_pw.clk.next = self.clk.val();
        self.q_pw.rst.next = self.rst.val();
        ProfileWriteIn::link(&mut self.pw, &mut self.q_pw.i);
        ProfileWriteOut::link(&mut self.o_pw, &mut self.q_pw.o);
        self.q_fl.clk.next = self.clk.val();
        self.q_fl.rst.next = self.rst.val();
        FlowLoadIn::<F>::link(&mut self.fl, &mut self.q_fl.i);
        FlowLoadOut::<F>::link(&mut self.o_fl, &mut self.q_fl.o);
        self.q_host.clk.next = self.clk.val();
        self.q_host.rst.next = self.rst.val();
        HostRateIn::<F>::link(&mut self.host, &mut self.q_host.i);
        HostRateOut::<F>::link(&mut self.o_host, &mut self.q_host.o);
        self.q_query.clk.next = self.clk.val();
        self.q_query.rst.next = self.rst.val();
        QueryIn::<F>::link(&mut self.query, &mut self.q_query.i);
        QueryOut::<F>::link(&mut self.o_query, &mut self.q_query.o);
        self.q_sample.clk.next = self.clk.val();
        self.q_sample.rst.next = self.rst.val();
        CountedSampleIn::<F>::link(&mut self.sample, &mut self.q_sample.i);
        CountedSampleOut::<F>::link(&mut self.o_sample, &mut self.q_sample.o);
        self.q_acked.clk.next = self.clk.val();
        self.q_acked.rst.next = self.rst.val();
        OutcomeIn::<F>::link(&mut self.acked, &mut self.q_acked.i);
        OutcomeOut::<F>::link(&mut self.o_acked, &mut self.q_acked.o);
        self.q_sent.clk.next = self.clk.val();
        self.q_sent.rst.next = self.rst.val();
        CountedFrameIn::<F>::link(&mut self.sent, &mut self.q_sent.i);
        CountedFrameOut::<F>::link(&mut self.o_sent, &mut self.q_sent.o);
        self.q_event.clk.next = self.clk.val();
        self.q_event.rst.next = self.rst.val();
        EventIn::<F>::link(&mut self.event, &mut self.q_event.i);
        EventOut::<F>::link(&mut self.o_event, &mut self.q_event.o);
        self.q_superseded.clk.next = self.clk.val();
        self.q_superseded.rst.next = self.rst.val();
        FlowPulseIn::<F>::link(&mut self.superseded, &mut self.q_superseded.i);
        FlowPulseOut::<F>::link(&mut self.o_superseded, &mut self.q_superseded.o);
        self.q_histogram_clear.d.next = self.histogram_clear.val();
        self.o_histogram_clear.next = self.q_histogram_clear.q.val();
        self.q_settings.d.next = self.settings.val();
        self.o_settings.next = self.q_settings.q.val();
        if self.rst.val() {
            self.q_histogram_clear.d.next = bits::<16>(0);
        }
    }
}
