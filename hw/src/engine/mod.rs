//! The rate engine: what sets a flow's rate.
mod arbiter;
mod average;
mod branch;
mod choose;
mod delta;
mod gradient;
mod high;
mod history;
mod increase;
mod queue;
mod rate;
mod reciprocal;
mod word;

use crate::construct::construct;
pub use arbiter::Arbiter;
use average::Average;
use branch::Branch;
use choose::Choose;
use delta::Delta;
use gradient::Gradient;
use high::High;
use history::History;
use increase::Increase;
pub use queue::Queue;
use rate::Rate;
use reciprocal::Reciprocal;
use rust_hdl::prelude::*;
use timely_regs::counters::Counter;

/// The rate engine of `2^F` flows, `F` at most 16: TIMELY or `fixed`, by profile.
///
/// Latency: a rate and an event 21 clocks after the sample on an idle engine, 19 after the issue in any case. Throughput: one operation
/// a clock over distinct flows; a flow's operations issue at least 5 clocks apart, in order. No back pressure: 64 samples wait, and
/// 16 each of loads, host rates and idle restarts; what finds its queue full is lost and counted. Loads go first, then samples,
/// host rates, idle restarts. Profile and flow bus take effect with the operation that issues a clock later.
/// Arithmetic and the meaning of every operation: `timely_model::engine`, which is its model.
#[derive(LogicBlock)]
pub struct Engine<const F: usize> {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset, active high.
    pub rst: Signal<In, Bit>,
    /// The RAMs are cleared; before, inputs are ignored.
    pub swept: Signal<Out, Bit>,
    /// A sample comes.
    pub sample_valid: Signal<In, Bit>,
    /// 0 RTT, 1 time-out.
    pub sample_kind: Signal<In, Bits<2>>,
    /// Its flow.
    pub sample_flow: Signal<In, Bits<F>>,
    /// Its RTT, ns.
    pub sample_rtt_ns: Signal<In, Bits<24>>,
    /// Its time, ns.
    pub sample_now_ns: Signal<In, Bits<32>>,
    /// Hops on its way.
    pub sample_hops: Signal<In, Bits<8>>,
    /// The responder's part of it, ns.
    pub sample_endpoint_ns: Signal<In, Bits<24>>,
    /// A flow sends again after its idle time.
    pub idle_valid: Signal<In, Bit>,
    /// The flow.
    pub idle_flow: Signal<In, Bits<F>>,
    /// The host writes a rate.
    pub host_valid: Signal<In, Bit>,
    /// Its flow.
    pub host_flow: Signal<In, Bits<F>>,
    /// The rate, 2^-12 Mb/s.
    pub host_rate: Signal<In, Bits<32>>,
    /// Flow bus.
    pub fl_valid: Signal<In, Bit>,
    /// Flow loaded.
    pub fl_flow: Signal<In, Bits<F>>,
    /// Its record; enable, keep and profile are looked at.
    pub fl_record: Signal<In, Bits<512>>,
    /// Profile bus.
    pub pw_valid: Signal<In, Bit>,
    /// Profile.
    pub pw_profile: Signal<In, Bits<4>>,
    /// Word of the profile.
    pub pw_word: Signal<In, Bits<5>>,
    /// Its new value.
    pub pw_data: Signal<In, Bits<32>>,
    /// A flow's rate was set.
    pub rate_valid: Signal<Out, Bit>,
    /// The flow.
    pub rate_flow: Signal<Out, Bits<F>>,
    /// The rate, 2^-12 Mb/s.
    pub rate_value: Signal<Out, Bits<32>>,
    /// An operation was done, whether it set a rate or not.
    pub event_valid: Signal<Out, Bit>,
    /// Its flow.
    pub event_flow: Signal<Out, Bits<F>>,
    /// What decided: 0 below Tlow, 1 above Thigh, 2 increase, 3 decrease by gradient, 4 no law.
    pub event_branch: Signal<Out, Bits<3>>,
    /// The increase was a hyperactive one.
    pub event_hyperactive: Signal<Out, Bit>,
    /// RTT, ns.
    pub event_rtt_ns: Signal<Out, Bits<24>>,
    /// Rate from now on.
    pub event_rate: Signal<Out, Bits<32>>,
    /// 0 RTT, 1 time-out, 2 load, 3 host rate, 4 idle restart.
    pub event_kind: Signal<Out, Bits<3>>,
    /// The law's state before, `timely_model::engine::law::State::to_words`.
    pub event_before: Signal<Out, Bits<160>>,
    /// Rate before.
    pub event_rate_before: Signal<Out, Bits<32>>,
    /// Time of the sample, ns, or the host's rate; else 0.
    pub event_now_ns: Signal<Out, Bits<32>>,
    /// Hops of the sample.
    pub event_hops: Signal<Out, Bits<8>>,
    /// The responder's part of the sample, ns.
    pub event_endpoint_ns: Signal<Out, Bits<24>>,
    /// Profile of the flow.
    pub event_profile: Signal<Out, Bits<4>>,
    /// Counted events: rate updates, lost operations, refused host rates.
    pub pulses: Signal<Out, Bits<32>>,
    rate_updates: Constant<Bits<32>>,
    samples_dropped: Constant<Bits<32>>,
    overflows: Constant<Bits<32>>,
    refused: Constant<Bits<32>>,
    last_sweep: Constant<Bits<17>>,
    sweep_count: DFF<Bits<17>>,
    sweep_done: DFF<Bit>,
    sweep: Signal<Local, Bit>,
    sweep_flow: Signal<Local, Bits<F>>,
    arbiter: Arbiter<F>,
    history: History<F>,
    branch: Branch,
    average: Average<F>,
    delta: Delta,
    reciprocal: Reciprocal,
    high: High,
    gradient: Gradient,
    increase: Increase<F>,
    rate: Rate<F>,
    choose: Choose,
    // The index of these is the clock after the issue at which they hold; the unused first entries are optimised away.
    bus_in: Signal<Local, Bits<43>>,
    bus: [DFF<Bits<43>>; 17],
    valid: [DFF<Bit>; 21],
    flow: [DFF<Bits<F>>; 21],
    kind: [DFF<Bits<3>>; 20],
    rtt: [DFF<Bits<24>>; 20],
    value: [DFF<Bits<32>>; 20],
    /// Hops in bits 7..0, the responder's part in 31..8.
    path: [DFF<Bits<32>>; 20],
    before_history: [DFF<Bits<57>>; 20],
    before_average: [DFF<Bits<38>>; 20],
    before_negatives: [DFF<Bits<3>>; 20],
    before_rate: [DFF<Bits<32>>; 20],
    is_sample: [DFF<Bit>; 12],
    profile: [DFF<Bits<4>>; 20],
    rate_now: Signal<Local, Bit>,
    refused_now: Signal<Local, Bit>,
}

impl<const F: usize> Default for Engine<F> {
    fn default() -> Self {
        assert!(F <= 16, "an engine has at most 2^16 flows, not 2^{F}");
        let bit = |counter: Counter| Constant::new((1u64 << counter as u32).into());
        construct!({
            rate_updates: bit(Counter::RateUpdates),
            samples_dropped: bit(Counter::SamplesDropped),
            overflows: bit(Counter::EngineOverflows),
            refused: bit(Counter::HostRatesRefused),
            last_sweep: Constant::new(((1u64 << F.max(4)) - 1).into()),
        }
            clk, rst, swept, sample_valid, sample_kind, sample_flow, sample_rtt_ns, sample_now_ns, sample_hops, sample_endpoint_ns, idle_valid, idle_flow, host_valid, host_flow,
            host_rate, fl_valid, fl_flow, fl_record, pw_valid, pw_profile, pw_word, pw_data, rate_valid, rate_flow, rate_value, event_valid,
            event_flow, event_branch, event_hyperactive, event_rtt_ns, event_rate, event_kind, event_before, event_rate_before, event_now_ns, event_hops, event_endpoint_ns, event_profile, pulses, sweep_count, sweep_done, sweep,
            sweep_flow, arbiter, history, branch, average, delta, reciprocal, high, gradient, increase, rate, choose, bus_in, bus, valid, flow,
            kind, rtt, value, path, before_history, before_average, before_negatives, before_rate, is_sample, profile, rate_now, refused_now)
    }
}

impl<const F: usize> Logic for Engine<F> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, sweep_count, sweep_done);
        for i in 0..12 {
            self.is_sample[i].clock.next = self.clk.val();
        }
        for i in 0..17 {
            self.bus[i].clock.next = self.clk.val();
        }
        for i in 0..20 {
            self.profile[i].clock.next = self.clk.val();
            self.value[i].clock.next = self.clk.val();
            self.path[i].clock.next = self.clk.val();
            self.before_history[i].clock.next = self.clk.val();
            self.before_average[i].clock.next = self.clk.val();
            self.before_negatives[i].clock.next = self.clk.val();
            self.before_rate[i].clock.next = self.clk.val();
            self.kind[i].clock.next = self.clk.val();
            self.rtt[i].clock.next = self.clk.val();
        }
        for i in 0..21 {
            self.valid[i].clock.next = self.clk.val();
            self.flow[i].clock.next = self.clk.val();
        }
        // The sweep after reset: all flows, and all profiles through the profile bus.
        self.sweep.next = !self.sweep_done.q.val();
        self.sweep_flow.next = self.sweep_count.q.val().get_bits::<F>(0);
        if self.sweep.val() {
            self.sweep_count.d.next = self.sweep_count.q.val() + bits::<17>(1);
            self.sweep_done.d.next = self.sweep_count.q.val() == self.last_sweep.val();
        }
        self.swept.next = self.sweep_done.q.val();
        self.bus_in.next = bit_cast::<43, 32>(self.pw_data.val())
            | (bit_cast::<43, 5>(self.pw_word.val()) << 32)
            | (bit_cast::<43, 4>(self.pw_profile.val()) << 37);
        if self.pw_valid.val() {
            self.bus_in.next = bit_cast::<43, 32>(self.pw_data.val())
                | (bit_cast::<43, 5>(self.pw_word.val()) << 32)
                | (bit_cast::<43, 4>(self.pw_profile.val()) << 37)
                | (bits::<43>(1) << 42);
        }
        if self.sweep.val() {
            self.bus_in.next = (bit_cast::<43, 4>(self.sweep_count.q.val().get_bits::<4>(0)) << 37) | (bits::<43>(3) << 41);
        }
        self.bus[0].d.next = bits::<43>(0);
        self.bus[1].d.next = self.bus_in.val();
        for i in 1..16 {
            self.bus[i + 1].d.next = self.bus[i].q.val();
        }
        // 0: issue.
        self.arbiter.clk.next = self.clk.val();
        self.arbiter.rst.next = self.rst.val();
        self.arbiter.enable.next = self.sweep_done.q.val();
        self.arbiter.sample_valid.next = self.sample_valid.val();
        self.arbiter.sample_kind.next = self.sample_kind.val();
        self.arbiter.sample_flow.next = self.sample_flow.val();
        self.arbiter.sample_rtt_ns.next = self.sample_rtt_ns.val();
        self.arbiter.sample_now_ns.next = self.sample_now_ns.val();
        self.arbiter.sample_hops.next = self.sample_hops.val();
        self.arbiter.sample_endpoint_ns.next = self.sample_endpoint_ns.val();
        self.arbiter.idle_valid.next = self.idle_valid.val();
        self.arbiter.idle_flow.next = self.idle_flow.val();
        self.arbiter.host_valid.next = self.host_valid.val();
        self.arbiter.host_flow.next = self.host_flow.val();
        self.arbiter.host_rate.next = self.host_rate.val();
        self.arbiter.load_valid.next = self.fl_valid.val() & self.fl_record.val().get_bit(0) & !self.fl_record.val().get_bit(1);
        self.arbiter.load_flow.next = self.fl_flow.val();
        // Delay lines.
        self.valid[0].d.next = false;
        self.flow[0].d.next = bits::<F>(0);
        self.kind[0].d.next = bits::<3>(0);
        self.rtt[0].d.next = bits::<24>(0);
        self.value[0].d.next = bits::<32>(0);
        self.is_sample[0].d.next = false;
        self.valid[1].d.next = self.arbiter.issue.val();
        self.flow[1].d.next = self.arbiter.flow.val();
        self.kind[1].d.next = self.arbiter.kind.val();
        self.rtt[1].d.next = self.arbiter.rtt_ns.val();
        self.value[1].d.next = self.arbiter.value.val();
        self.path[0].d.next = bits::<32>(0);
        self.path[1].d.next = bit_cast::<32, 8>(self.arbiter.hops.val()) | (bit_cast::<32, 24>(self.arbiter.endpoint_ns.val()) << 8);
        self.is_sample[1].d.next = self.arbiter.issue.val() & !self.arbiter.kind.val().any();
        for i in 1..20 {
            self.valid[i + 1].d.next = self.valid[i].q.val();
            self.flow[i + 1].d.next = self.flow[i].q.val();
        }
        for i in 1..19 {
            self.kind[i + 1].d.next = self.kind[i].q.val();
            self.rtt[i + 1].d.next = self.rtt[i].q.val();
            self.value[i + 1].d.next = self.value[i].q.val();
            self.path[i + 1].d.next = self.path[i].q.val();
        }
        // What the pipeline found, each from where it is read.
        for i in 0..19 {
            self.before_history[i + 1].d.next = self.before_history[i].q.val();
            self.before_average[i + 1].d.next = self.before_average[i].q.val();
            self.before_negatives[i + 1].d.next = self.before_negatives[i].q.val();
            self.before_rate[i + 1].d.next = self.before_rate[i].q.val();
        }
        self.before_history[0].d.next = bits::<57>(0);
        self.before_average[0].d.next = bits::<38>(0);
        self.before_negatives[0].d.next = bits::<3>(0);
        self.before_rate[0].d.next = bits::<32>(0);
        if self.history.before_2.val().get_bit(56) {
            self.before_history[3].d.next = self.history.before_2.val();
        } else {
            self.before_history[3].d.next = bits::<57>(0);
        }
        self.before_average[7].d.next = self.average.before_6.val();
        self.before_negatives[11].d.next = self.increase.before_10.val();
        self.before_rate[16].d.next = self.rate.before_15.val();
        for i in 1..11 {
            self.is_sample[i + 1].d.next = self.is_sample[i].q.val();
        }
        // 0 to 3: what the flow did last.
        self.history.clk.next = self.clk.val();
        self.history.sweep.next = self.sweep.val();
        self.history.sweep_flow.next = self.sweep_flow.val();
        self.history.load_valid.next = self.fl_valid.val();
        self.history.load_flow.next = self.fl_flow.val();
        self.history.load_profile.next = self.fl_record.val().get_bits::<4>(4);
        self.history.flow_0.next = self.arbiter.flow.val();
        self.history.flow_1.next = self.flow[1].q.val();
        self.history.write_1.next = self.valid[1].q.val() & (self.kind[1].q.val() != bits::<3>(3));
        self.history.sample_1.next = bits::<1>(0);
        if self.is_sample[1].q.val() {
            self.history.sample_1.next = bits::<1>(1);
        }
        self.history.rtt_1.next = self.rtt[1].q.val();
        self.history.time_1.next = self.value[1].q.val();
        self.history.rtt_2.next = self.rtt[2].q.val();
        self.history.time_2.next = self.value[2].q.val();
        for i in 0..3 {
            self.profile[i].d.next = bits::<4>(0);
        }
        self.profile[3].d.next = self.history.profile_2.val();
        for i in 3..19 {
            self.profile[i + 1].d.next = self.profile[i].q.val();
        }
        // 0 to 7: the reciprocal.
        self.reciprocal.clk.next = self.clk.val();
        self.reciprocal.rtt_0.next = self.arbiter.rtt_ns.val();
        // 2 to 4: thresholds and options.
        self.branch.clk.next = self.clk.val();
        self.branch.bus_2.next = self.bus[2].q.val();
        self.branch.profile_2.next = self.history.profile_2.val();
        self.branch.rtt_3.next = self.rtt[3].q.val();
        self.branch.zeros_3.next = self.reciprocal.zeros_3.val();
        // 2 to 8: the delta factor.
        self.delta.clk.next = self.clk.val();
        self.delta.bus_2.next = self.bus[2].q.val();
        self.delta.profile_2.next = self.history.profile_2.val();
        self.delta.full_3.next = !self.history.history_3.val() | self.branch.no_delta_3.val();
        self.delta.age_3.next = self.history.age_3.val();
        // 2 to 10: the smoothed difference.
        self.average.clk.next = self.clk.val();
        self.average.sweep.next = self.sweep.val();
        self.average.sweep_flow.next = self.sweep_flow.val();
        self.average.bus_2.next = self.bus[2].q.val();
        self.average.bus_5.next = self.bus[5].q.val();
        self.average.bus_8.next = self.bus[8].q.val();
        self.average.profile_2.next = self.history.profile_2.val();
        self.average.profile_5.next = self.profile[5].q.val();
        self.average.profile_8.next = self.profile[8].q.val();
        self.average.flow_2.next = self.flow[2].q.val();
        self.average.flow_4.next = self.flow[4].q.val();
        self.average.flow_9.next = self.flow[9].q.val();
        self.average.flow_10.next = self.flow[10].q.val();
        self.average.flow_11.next = self.flow[11].q.val();
        self.average.sample_9.next = self.is_sample[9].q.val();
        self.average.sample_10.next = self.is_sample[10].q.val();
        self.average.sample_11.next = self.is_sample[11].q.val();
        self.average.history_3.next = self.history.history_3.val();
        self.average.difference_3.next = self.history.difference_3.val();
        // 4 to 14: the decreases.
        self.high.clk.next = self.clk.val();
        self.high.bus_5.next = self.bus[5].q.val();
        self.high.bus_7.next = self.bus[7].q.val();
        self.high.profile_5.next = self.profile[5].q.val();
        self.high.profile_7.next = self.profile[7].q.val();
        self.high.shift_4.next = self.branch.shift_4.val();
        self.high.reciprocal_7.next = self.reciprocal.reciprocal_7.val();
        self.high.delta_10.next = self.delta.factor_10.val();
        self.high.floor_13.next = self.branch.floor_13.val();
        self.gradient.clk.next = self.clk.val();
        self.gradient.bus_8.next = self.bus[8].q.val();
        self.gradient.profile_8.next = self.profile[8].q.val();
        self.gradient.average_9.next = self.average.average_9.val();
        self.gradient.floor_13.next = self.branch.floor_13.val();
        // 8 to 15: the increase.
        self.increase.clk.next = self.clk.val();
        self.increase.sweep.next = self.sweep.val();
        self.increase.sweep_flow.next = self.sweep_flow.val();
        self.increase.bus_10.next = self.bus[10].q.val();
        self.increase.profile_10.next = self.profile[10].q.val();
        self.increase.flow_8.next = self.flow[8].q.val();
        self.increase.flow_11.next = self.flow[11].q.val();
        self.increase.sample_11.next = self.is_sample[11].q.val();
        self.increase.negative_3.next = self.history.difference_3.val().get_bit(24);
        self.increase.falling_10.next = self.average.falling_10.val();
        self.increase.smoothed_10.next = self.branch.smoothed_10.val();
        self.increase.below_11.next = self.branch.below_11.val();
        self.increase.delta_12.next = self.delta.factor_12.val();
        // 14 to 19: what becomes of the rate.
        self.choose.clk.next = self.clk.val();
        self.choose.bus_14.next = self.bus[14].q.val();
        self.choose.profile_14.next = self.profile[14].q.val();
        self.choose.kind_14.next = self.kind[14].q.val();
        self.choose.law_14.next = self.branch.law_14.val();
        self.choose.below_14.next = self.branch.below_14.val();
        self.choose.above_14.next = self.branch.above_14.val();
        self.choose.rising_14.next = self.average.rising_14.val();
        self.choose.hyperactive_14.next = self.increase.hyperactive_14.val();
        self.choose.high_14.next = self.high.factor_14.val();
        self.choose.gradient_14.next = self.gradient.factor_14.val();
        self.choose.step_15.next = self.increase.step_15.val();
        self.choose.value_15.next = self.value[15].q.val();
        // 12 to 19: the rate.
        self.rate.clk.next = self.clk.val();
        self.rate.sweep.next = self.sweep.val();
        self.rate.sweep_flow.next = self.sweep_flow.val();
        self.rate.bus_16.next = self.bus[16].q.val();
        self.rate.profile_16.next = self.profile[16].q.val();
        self.rate.flow_12.next = self.flow[12].q.val();
        self.rate.flow_13.next = self.flow[13].q.val();
        self.rate.flow_18.next = self.flow[18].q.val();
        self.rate.flow_19.next = self.flow[19].q.val();
        self.rate.flow_20.next = self.flow[20].q.val();
        self.rate.valid_18.next = self.valid[18].q.val();
        self.rate.valid_19.next = self.valid[19].q.val();
        self.rate.valid_20.next = self.valid[20].q.val();
        self.rate.factor_15.next = self.choose.factor_15.val();
        self.rate.increase_16.next = self.choose.increase_16.val();
        self.rate.sets_17.next = self.choose.sets_17.val();
        self.rate.idle_17.next = self.choose.idle_17.val();
        // 19: out.
        self.rate_now.next = self.valid[19].q.val() & self.choose.sets_19.val();
        self.refused_now.next = self.valid[19].q.val() & !self.choose.accepted_19.val();
        self.rate_valid.next = self.rate_now.val();
        self.rate_flow.next = self.flow[19].q.val();
        self.rate_value.next = self.rate.rate_19.val();
        self.event_valid.next = self.valid[19].q.val() & self.choose.accepted_19.val();
        self.event_flow.next = self.flow[19].q.val();
        self.event_branch.next = self.choose.branch_19.val();
        self.event_hyperactive.next = self.choose.hyperactive_19.val();
        self.event_rtt_ns.next = self.rtt[19].q.val();
        self.event_rate.next = self.rate.rate_19.val();
        self.event_kind.next = self.kind[19].q.val();
        self.event_before.next = bit_cast::<160, 24>(self.before_history[19].q.val().get_bits::<24>(0))
            | (bit_cast::<160, 1>(self.before_history[19].q.val().get_bits::<1>(56)) << 24)
            | (bit_cast::<160, 3>(self.before_negatives[19].q.val()) << 25)
            | (bit_cast::<160, 32>(self.before_history[19].q.val().get_bits::<32>(24)) << 32)
            | (bit_cast::<160, 38>(self.before_average[19].q.val()) << 64);
        self.event_rate_before.next = self.before_rate[19].q.val();
        self.event_now_ns.next = self.value[19].q.val();
        self.event_hops.next = self.path[19].q.val().get_bits::<8>(0);
        self.event_endpoint_ns.next = self.path[19].q.val().get_bits::<24>(8);
        self.event_profile.next = self.profile[19].q.val();
        self.pulses.next = bits::<32>(0);
        if self.rate_now.val() {
            self.pulses.next = self.pulses.val() | self.rate_updates.val();
        }
        if self.refused_now.val() {
            self.pulses.next = self.pulses.val() | self.refused.val();
        }
        if self.arbiter.sample_dropped.val() {
            self.pulses.next = self.pulses.val() | self.samples_dropped.val();
        }
        if self.arbiter.other_dropped.val() {
            self.pulses.next = self.pulses.val() | self.overflows.val();
        }
        if self.rst.val() {
            self.sweep_count.d.next = bits::<17>(0);
            self.sweep_done.d.next = false;
            for i in 0..21 {
                self.valid[i].d.next = false;
            }
            for i in 0..12 {
                self.is_sample[i].d.next = false;
            }
        }
    }
}
