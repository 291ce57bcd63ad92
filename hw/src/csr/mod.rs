//! The register block: the map of `timely_regs::map` over AXI-Lite.
mod axil;
mod clear;
mod control;
mod counters;
mod decode;
mod heartbeat;
mod histogram;
mod query;
mod settings;

pub use axil::Axil;
pub use clear::Clear;
pub use control::Control;
pub use counters::Counters;
pub use decode::Decode;
pub use heartbeat::Heartbeat;
pub use histogram::HistogramAccess;
pub use query::Query;
pub use settings::{Settings, SettingsBus};

use crate::bus::{
    AnswerIn, AxilSlave, CopyOut, DoorbellOut, FlowLoadIn, FlowLoadOut, HostRateOut, LookOut, ProfileWriteOut, StoreWriteOut,
};
use crate::construct::construct;
use rust_hdl::prelude::*;
use timely_regs::counters::Counter;
use timely_regs::map::Build;

/// Serves the registers, one access at a time, and drives settings, buses and streams of the
/// datapath from them.
///
/// Latency: from the clock at which an access is complete at its channels to the response, 6
/// clocks; 17 more for a load, up to 32 more for a counter. After reset, accesses wait 1024 clocks
/// until the store is filled. A refused access answers SLVERR, reads as
/// `timely_regs::map::BAD_READ`, changes nothing but the `ERROR` register, and counts. Back
/// pressure: a doorbell that finds the one before not taken waits up to 4096 clocks and is then
/// refused; `fl_*`, `pw_*`, `host_*` and `query_*` are always taken. A query that is not answered
/// in 4096 clocks ends with an error; the answer that comes later has another tag than the next
/// query, and is ignored. Settings show a clock after the write was carried out; the multi-word
/// ones change word by word.
///
/// The block's own events, `CsrErrors` and `HeartbeatStops`, are counted inside, beside `pulses`.
/// Model: `timely_model::csr::Csr`.
#[derive(LogicBlock)]
pub struct Csr<const F: usize> {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset, active high.
    pub rst: Signal<In, Bit>,
    /// Accesses of the host; a refused read answers `timely_regs::map::BAD_READ`.
    pub s_axil: AxilSlave<24>,
    /// The settings, by `timely_regs::map::settings`.
    pub settings: Signal<Out, SettingsBus>,
    /// No grant may leave: not swept, not enabled, nonces without a key, or heartbeat lost.
    pub stop: Signal<Out, Bit>,
    /// The time is to step to the setting `time_set`; one clock.
    pub time_set_valid: Signal<Out, Bit>,
    /// Profile bus.
    pub pw: ProfileWriteOut,
    /// Flow bus.
    pub fl: FlowLoadOut<F>,
    /// The host sets a flow's rate.
    pub host: HostRateOut<F>,
    /// Doorbell of the host.
    pub hd: DoorbellOut<F>,
    /// A flow's record is asked for; one clock.
    pub query_valid: Signal<Out, Bit>,
    /// The flow.
    pub query_flow: Signal<Out, Bits<F>>,
    /// A register is written.
    pub st: StoreWriteOut,
    /// A register is looked at; one clock.
    pub look: LookOut,
    /// The heartbeat is lost.
    pub lost: Signal<Out, Bit>,
    /// DMA loads flows: no command may.
    pub loading: Signal<In, Bit>,
    /// A flow that DMA loads; on the flow bus at the next clock.
    pub bulk: FlowLoadIn<F>,
    /// Tag that the answer to the query carries, below 8.
    pub query_tag: Signal<Out, Bits<4>>,
    /// Telemetry answers.
    pub answer: AnswerIn,
    /// The bin whose count is asked for, above it its profile.
    pub histogram_at: Signal<Out, Bits<13>>,
    /// Count of the bin.
    pub histogram_count: Signal<In, Bits<32>>,
    /// Histograms to be cleared, one clock.
    pub histogram_clear: Signal<Out, Bits<16>>,
    /// Histograms that are not cleared yet.
    pub histogram_clearing: Signal<In, Bits<16>>,
    /// State of the table of queue pairs, `timely_regs::map::roce::STATUS`; 0 without a table.
    pub pair_status: Signal<In, Bits<32>>,
    /// Findings of the table's commands, as their register shows them.
    pub pair_told: Signal<In, Bits<32>>,
    /// A soft reset is under way.
    pub clearing: Signal<Out, Bit>,
    /// Events of all blocks, by `timely_regs::counters`.
    pub pulses: Signal<In, Bits<64>>,
    /// Every block has cleared its RAM.
    pub swept: Signal<In, Bit>,
    /// The time, ns48.fns16.
    pub now: Signal<In, Bits<64>>,
    axil: Axil,
    control: Control<F>,
    held: Settings,
    histogram: HistogramAccess,
    heartbeat: Heartbeat,
    clear: Clear<F>,
    counters: Counters,
    /// Counters from 32 on.
    above: Counters,
    query: Query,
    csr_errors: Constant<Bits<64>>,
    heartbeat_stops: Constant<Bits<64>>,
    events: Signal<Local, Bits<64>>,
}

impl<const F: usize> Csr<F> {
    /// The register block of a design with these numbers; `F` must be its flow bits, 16 at most.
    pub fn new(build: &Build) -> Self {
        construct!({
            control: Control::new(build),
            csr_errors: Constant::new(bits::<64>(1 << Counter::CsrErrors as u8)),
            heartbeat_stops: Constant::new(bits::<64>(1 << Counter::HeartbeatStops as u8)), held: Default::default(), histogram: HistogramAccess::new(), heartbeat: Heartbeat::new(), clear: Clear::new() } clk, rst, s_axil, stop, time_set_valid, pw, fl, host, hd, query_valid, query_flow, query_tag, histogram_at, histogram_count, histogram_clear, histogram_clearing, pair_status, pair_told, clearing, st, look, lost, loading, bulk, answer, pulses, swept, now, axil, settings, counters, above, query, events)
    }
}

impl<const F: usize> Logic for Csr<F> {
    #[hdl_gen]
    fn update(&mut self) {
        self.axil.clk.next = self.clk.val();
        self.axil.rst.next = self.rst.val();
        self.control.clk.next = self.clk.val();
        self.control.rst.next = self.rst.val();
        self.held.clk.next = self.clk.val();
        self.held.rst.next = self.rst.val();
        self.histogram.clk.next = self.clk.val();
        self.histogram.rst.next = self.rst.val();
        self.heartbeat.clk.next = self.clk.val();
        self.heartbeat.rst.next = self.rst.val();
        self.clear.clk.next = self.clk.val();
        self.clear.rst.next = self.rst.val();
        self.counters.clk.next = self.clk.val();
        self.counters.rst.next = self.rst.val();
        self.above.clk.next = self.clk.val();
        self.above.rst.next = self.rst.val();
        self.query.clk.next = self.clk.val();
        self.query.rst.next = self.rst.val();
        AxilSlave::<24>::link(&mut self.s_axil, &mut self.axil.s_axil);
        self.control.request.next = self.axil.request.val();
        self.control.request_write.next = self.axil.request_write.val();
        self.control.request_address.next = self.axil.request_address.val();
        self.control.request_data.next = self.axil.request_data.val();
        self.control.request_whole.next = self.axil.request_whole.val();
        self.axil.reply.next = self.control.reply.val();
        self.axil.reply_write.next = self.control.reply_write.val();
        self.axil.reply_error.next = self.control.reply_error.val();
        self.axil.reply_data.next = self.control.reply_data.val();
        StoreWriteOut::join(&mut self.st, &mut self.held.st);
        StoreWriteOut::join(&mut self.st, &mut self.histogram.st);
        self.settings.next = self.held.settings.val();
        StoreWriteOut::join(&mut self.st, &mut self.heartbeat.st);
        StoreWriteOut::join(&mut self.st, &mut self.clear.st);
        self.clear.loading.next = self.loading.val();
        CopyOut::join(&mut self.query.copy, &mut self.control.copy);
        self.control.busy.next = self.query.busy.val();
        self.control.done.next = self.query.done.val();
        self.control.failed.next = self.query.failed.val();
        self.query.start.next = self.control.query_valid.val();
        self.query.loaded.next = self.control.fl_command.val();
        AnswerIn::link(&mut self.answer, &mut self.query.answer);
        self.query_tag.next = self.query.tag.val();
        self.histogram.next_bin.next = self.control.next_bin.val();
        self.histogram_at.next = self.histogram.histogram_at.val();
        self.histogram_clear.next = self.histogram.histogram_clear.val();
        self.control.histogram_count.next = self.histogram_count.val();
        self.control.histogram_clearing.next = self.histogram_clearing.val();
        self.control.pair_status.next = self.pair_status.val();
        self.control.pair_told.next = self.pair_told.val();
        self.clearing.next = self.clear.busy.val();
        self.control.count_index.next = self.counters.index.val();
        self.control.count_value.next = self.counters.value.val();
        self.control.count_above.next = self.above.value.val();
        self.control.swept.next = self.swept.val();
        self.control.now.next = self.now.val();
        self.control.enable.next = self.held.settings.val().enable.any() & self.held.settings.val().nonce_keyed.any();
        self.control.lost.next = self.heartbeat.lost.val();
        DoorbellOut::<F>::link(&mut self.hd, &mut self.control.hd);
        LookOut::link(&mut self.look, &mut self.control.look);
        self.control.loading.next = self.loading.val();
        self.control.clearing.next = self.clear.busy.val();
        self.control.bulk.valid.next = self.bulk.valid.val() | self.clear.valid.val();
        self.control.bulk.flow.next = self.bulk.flow.val();
        self.control.bulk.record.next = self.bulk.record.val();
        // The two never meet: a reset waits while DMA loads.
        if self.clear.valid.val() {
            self.control.bulk.flow.next = self.clear.flow.val();
            self.control.bulk.record.next = bits::<512>(0);
        }
        self.control.flow_index.next = self.held.settings.val().flow_index;
        StoreWriteOut::link(&mut self.st, &mut self.control.st);
        self.lost.next = self.heartbeat.lost.val();
        self.events.next = self.pulses.val();
        if self.control.refused.val() {
            self.events.next = self.events.val() | self.csr_errors.val();
        }
        if self.heartbeat.pulse.val() {
            self.events.next = self.events.val() | self.heartbeat_stops.val();
        }
        self.counters.pulses.next = self.events.val().get_bits::<32>(0);
        self.above.pulses.next = self.events.val().get_bits::<32>(32);
        self.stop.next = self.control.stop.val();
        self.time_set_valid.next = self.control.time_set_valid.val();
        ProfileWriteOut::link(&mut self.pw, &mut self.control.pw);
        FlowLoadOut::<F>::link(&mut self.fl, &mut self.control.fl);
        HostRateOut::<F>::link(&mut self.host, &mut self.control.host);
        self.query_valid.next = self.control.query_valid.val();
        self.query_flow.next = bit_cast::<F, 16>(self.held.settings.val().flow_index);
    }
}
