//! The rate engine: what sets a flow's rate.
mod arbiter;
mod average;
mod branch;
mod choose;
mod delta;
mod error;
mod gradient;
mod increase;
mod limited;
mod loss;
mod product;
mod queue;
mod rate;
mod reciprocal;
mod root;
mod scale;
mod state;
mod word;

use crate::construct::construct;
use crate::pacer::delay::{Ring, Stages};
pub use arbiter::Arbiter;
use average::Average;
use branch::Branch;
use choose::Choose;
use delta::Delta;
use error::Error;
use gradient::Gradient;
use increase::Increase;
use limited::Limited;
use loss::Loss;
pub use queue::Queue;
use rate::Rate;
use reciprocal::Reciprocal;
use root::Root;
use rust_hdl::prelude::*;
use scale::Scale;
use state::State;
use timely_model::engine::sweep_clocks;
use timely_regs::counters::Counter;

/// The rate engine of `2^F` flows, `F` at most 16: TIMELY, Patched TIMELY, Swift, PI or `fixed`, by profile.
///
/// Latency: a rate and an event 21 clocks after the sample on an idle engine, 19 after the issue in any case. Throughput: one operation
/// a clock over distinct flows; a flow's operations issue at least 24 clocks apart, in order. No back pressure: 64 samples wait besides one parked a flow, and
/// 16 each of loads, host rates and idle restarts; what finds its queue full takes the place of the youngest there, which is lost and
/// counted. Loads go first, then samples, host rates, idle restarts. Profile and flow bus take effect with the operation that issues a
/// clock later. Arithmetic and the meaning of every operation: `timely_model::engine`, which is its model.
///
/// All laws share one pipeline: each makes a weight, what it weighs, and a rise, and `rate + rise - weight weighed` is the new rate.
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
    /// Segments that lost packets, of which its ACK tells.
    pub sample_lost: Signal<In, Bits<7>>,
    /// A flow sends again after its idle time.
    pub idle_valid: Signal<In, Bit>,
    /// The flow.
    pub idle_flow: Signal<In, Bits<F>>,
    /// The pacer looked at a flow.
    pub limited_valid: Signal<In, Bit>,
    /// The flow.
    pub limited_flow: Signal<In, Bits<F>>,
    /// It sends too little of its rate for samples to raise it, from the next operation on.
    pub limited: Signal<In, Bit>,
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
    /// What decided: 0 below Tlow, 1 above Thigh or by the endpoint, 2 increase, 3 decrease, 4 no law, 5 held.
    pub event_branch: Signal<Out, Bits<3>>,
    /// The increase was a hyperactive one.
    pub event_hyperactive: Signal<Out, Bit>,
    /// RTT, ns.
    pub event_rtt_ns: Signal<Out, Bits<24>>,
    /// Rate from now on.
    pub event_rate: Signal<Out, Bits<32>>,
    /// 0 RTT, 1 time-out, 2 load, 3 host rate, 4 idle restart, 5 RTT and a loss that lowered the rate.
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
    /// A sample was lost, for a newer one took its place.
    pub superseded_valid: Signal<Out, Bit>,
    /// Its flow.
    pub superseded_flow: Signal<Out, Bits<F>>,
    rate_updates: Constant<Bits<32>>,
    samples_dropped: Constant<Bits<32>>,
    overflows: Constant<Bits<32>>,
    refused: Constant<Bits<32>>,
    last_sweep: Constant<Bits<17>>,
    sweep_count: DFF<Bits<17>>,
    sweep_done: DFF<Bit>,
    /// Its complement: a reset by that would cost an inverter for each flip-flop.
    sweeping: DFF<Bit>,
    sweep: Signal<Local, Bit>,
    sweep_flow: Signal<Local, Bits<F>>,
    arbiter: Arbiter<F>,
    state: State<F>,
    branch: Branch,
    average: Average,
    delta: Delta,
    reciprocal: Reciprocal,
    endpoint_reciprocal: Reciprocal,
    error: Error,
    scale: Scale,
    gradient: Gradient,
    increase: Increase,
    limits: Limited<F>,
    loss: Loss<F>,
    choose: Choose,
    rate: Rate<F>,
    root: Root<F>,
    /// What counts the clocks of the rings.
    turn: DFF<Bits<9>>,
    /// RTT in bits 23..0, hops 31..24, the responder's part 55..32, time or host's rate 87..56; from 1 to 18.
    inputs: Ring<88, 17>,
    /// The same at 19, 0 where the operation has none.
    measured: DFF<Bits<56>>,
    given: DFF<Bits<32>>,
    /// The first two of them, from 1 to 10.
    sample: Ring<56, 9>,
    /// The second, from there to 14.
    values: Stages<32, 4>,
    /// The record before, from 2 to 19, and its upper 41 bits to 10.
    earlier: Ring<139, 17>,
    mark: Ring<41, 8>,
    // The index of these is the clock after the issue at which they hold; the unused first entries are optimised away.
    bus_in: Signal<Local, Bits<42>>,
    bus: [DFF<Bits<42>>; 17],
    valid: [DFF<Bit>; 26],
    flow: [DFF<Bits<F>>; 26],
    kind: [DFF<Bits<3>>; 20],
    rtt: [DFF<Bits<24>>; 4],
    value: [DFF<Bits<32>>; 3],
    hops: [DFF<Bits<8>>; 4],
    endpoint: [DFF<Bits<24>>; 3],
    profile: [DFF<Bits<4>>; 20],
    flags: [DFF<Bits<13>>; 15],
    threshold: [DFF<Bits<32>>; 9],
    zeros: [DFF<Bits<5>>; 11],
    inverse: [DFF<Bits<29>>; 11],
    endpoint_inverse: [DFF<Bits<29>>; 9],
    negative: [DFF<Bit>; 10],
    count: [DFF<Bits<3>>; 10],
    low_10: DFF<Bit>,
    edge_13: DFF<Bit>,
    above: DFF<Bits<38>>,
    smoothed: DFF<Bits<38>>,
    kept: DFF<Bits<40>>,
    rising: [DFF<Bit>; 15],
    reached: [DFF<Bit>; 15],
    writes: DFF<Bit>,
    // The record from now on: RTT, time and history; negatives and average; mark.
    last: DFF<Bits<57>>,
    filtered: DFF<Bits<41>>,
    mark11: DFF<Bits<41>>,
    marked: Signal<Local, Bits<41>>,
    marked_now: Signal<Local, Bits<41>>,
    marked_output: Signal<Local, Bits<41>>,
    falls: Signal<Local, Bit>,
    is_sample: Signal<Local, Bit>,
    value_10: Signal<Local, Bits<32>>,
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
            last_sweep: Constant::new((sweep_clocks(F as u32) - 1).into()),
        }
            clk, rst, swept, sample_valid, sample_kind, sample_flow, sample_rtt_ns, sample_now_ns, sample_hops, sample_endpoint_ns, sample_lost, loss,
            idle_valid, idle_flow, limited_valid, limited_flow, limited, host_valid, host_flow, host_rate, fl_valid, fl_flow, fl_record, pw_valid, pw_profile, pw_word,
            pw_data, rate_valid, rate_flow, rate_value, event_valid, event_flow, event_branch, event_hyperactive, event_rtt_ns,
            event_rate, event_kind, event_before, event_rate_before, event_now_ns, event_hops, event_endpoint_ns, event_profile, pulses, superseded_valid, superseded_flow,
            sweep_count, sweep_done, sweeping, sweep, sweep_flow, arbiter, state, branch, average, delta, reciprocal, endpoint_reciprocal, error,
            scale, gradient, increase, choose, limits, rate, root, turn, inputs, measured, given, sample, values, earlier, mark, bus_in, bus, valid, flow, kind, rtt, value, hops, endpoint,
            profile, flags, threshold, zeros, inverse, endpoint_inverse, negative, count, low_10, edge_13, above, smoothed, kept, rising, reached,
            writes, last, filtered, mark11, marked, marked_now, marked_output, falls, is_sample, value_10, rate_now, refused_now)
    }
}

impl<const F: usize> Logic for Engine<F> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clk, low_10, edge_13);
        dff_setup!(
            self,
            clk,
            sweep_count,
            sweep_done,
            sweeping,
            turn,
            measured,
            given,
            above,
            smoothed,
            kept,
            writes,
            last,
            filtered,
            mark11
        );
        for i in 0..3 {
            self.endpoint[i].clock.next = self.clk.val();
        }
        for i in 0..4 {
            self.hops[i].clock.next = self.clk.val();
            self.rtt[i].clock.next = self.clk.val();
        }
        for i in 0..3 {
            self.value[i].clock.next = self.clk.val();
        }
        for i in 0..9 {
            self.threshold[i].clock.next = self.clk.val();
            self.endpoint_inverse[i].clock.next = self.clk.val();
        }
        for i in 0..10 {
            self.negative[i].clock.next = self.clk.val();
            self.count[i].clock.next = self.clk.val();
        }
        for i in 0..11 {
            self.zeros[i].clock.next = self.clk.val();
            self.inverse[i].clock.next = self.clk.val();
        }
        for i in 0..15 {
            self.flags[i].clock.next = self.clk.val();
            self.rising[i].clock.next = self.clk.val();
            self.reached[i].clock.next = self.clk.val();
        }
        for i in 0..17 {
            self.bus[i].clock.next = self.clk.val();
        }
        for i in 0..20 {
            self.kind[i].clock.next = self.clk.val();
            self.profile[i].clock.next = self.clk.val();
        }
        for i in 0..26 {
            self.valid[i].clock.next = self.clk.val();
            self.flow[i].clock.next = self.clk.val();
        }
        // The sweep after reset: all flows, and all profiles through the profile bus.
        self.sweep.next = self.sweeping.q.val();
        self.sweep_flow.next = self.sweep_count.q.val().get_bits::<F>(0);
        self.sweep_count.d.next = self.sweep_count.q.val() + bits::<17>(1);
        if self.sweep_count.q.val() == self.last_sweep.val() {
            self.sweep_done.d.next = true;
        }
        self.sweeping.d.next = !self.sweep_done.d.val();
        self.swept.next = self.sweep_done.q.val();
        // What comes is all zeros while there is no word: then it is not written.
        self.bus_in.next = bits::<42>(0);
        if self.pw_valid.val() {
            self.bus_in.next = (bit_cast::<42, 32>(self.pw_data.val()) | (bit_cast::<42, 5>(self.pw_word.val()) << 32))
                | ((bit_cast::<42, 4>(self.pw_profile.val()) << 37) | (bits::<42>(1) << 41));
        }
        if self.sweep.val() {
            self.bus_in.next = (bit_cast::<42, 9>(self.sweep_count.q.val().get_bits::<9>(0)) << 32) | (bits::<42>(1) << 41);
        }
        self.bus[0].d.next = bits::<42>(0);
        self.bus[1].d.next = self.bus_in.val();
        // Delay lines; what does not start at 1 has zeros before.
        self.valid[0].d.next = false;
        self.flow[0].d.next = bits::<F>(0);
        self.kind[0].d.next = bits::<3>(0);
        self.rtt[0].d.next = bits::<24>(0);
        self.value[0].d.next = bits::<32>(0);
        self.hops[0].d.next = bits::<8>(0);
        self.endpoint[0].d.next = bits::<24>(0);
        for i in 0..3 {
            self.profile[i].d.next = bits::<4>(0);
        }
        for i in 0..4 {
            self.zeros[i].d.next = bits::<5>(0);
            self.negative[i].d.next = false;
            self.count[i].d.next = bits::<3>(0);
        }
        for i in 0..6 {
            self.flags[i].d.next = bits::<13>(0);
        }
        for i in 0..7 {
            self.threshold[i].d.next = bits::<32>(0);
        }
        for i in 0..8 {
            self.inverse[i].d.next = bits::<29>(0);
            self.endpoint_inverse[i].d.next = bits::<29>(0);
        }
        for i in 0..10 {
            self.rising[i].d.next = false;
        }
        for i in 0..11 {
            self.reached[i].d.next = false;
        }
        for i in 1..2 {
            self.endpoint[i + 1].d.next = self.endpoint[i].q.val();
        }
        for i in 1..2 {
            self.value[i + 1].d.next = self.value[i].q.val();
        }
        for i in 1..3 {
            self.hops[i + 1].d.next = self.hops[i].q.val();
            self.rtt[i + 1].d.next = self.rtt[i].q.val();
        }
        for i in 1..16 {
            self.bus[i + 1].d.next = self.bus[i].q.val();
        }
        for i in 1..19 {
            self.kind[i + 1].d.next = self.kind[i].q.val();
        }
        for i in 1..25 {
            self.valid[i + 1].d.next = self.valid[i].q.val();
            self.flow[i + 1].d.next = self.flow[i].q.val();
        }
        for i in 3..19 {
            self.profile[i + 1].d.next = self.profile[i].q.val();
        }
        for i in 4..9 {
            self.negative[i + 1].d.next = self.negative[i].q.val();
            self.count[i + 1].d.next = self.count[i].q.val();
        }
        for i in 4..10 {
            self.zeros[i + 1].d.next = self.zeros[i].q.val();
        }
        for i in 6..14 {
            self.flags[i + 1].d.next = self.flags[i].q.val();
        }
        for i in 7..8 {
            self.threshold[i + 1].d.next = self.threshold[i].q.val();
        }
        for i in 8..10 {
            self.inverse[i + 1].d.next = self.inverse[i].q.val();
        }
        for i in 10..14 {
            self.rising[i + 1].d.next = self.rising[i].q.val();
        }
        for i in 11..14 {
            self.reached[i + 1].d.next = self.reached[i].q.val();
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
        self.arbiter.sample_lost.next = self.sample_lost.val().any();
        self.arbiter.idle_valid.next = self.idle_valid.val();
        self.arbiter.idle_flow.next = self.idle_flow.val();
        self.arbiter.host_valid.next = self.host_valid.val();
        self.arbiter.host_flow.next = self.host_flow.val();
        self.arbiter.host_rate.next = self.host_rate.val();
        self.arbiter.load_valid.next = self.fl_valid.val() & self.fl_record.val().get_bit(0) & !self.fl_record.val().get_bit(1);
        self.arbiter.load_flow.next = self.fl_flow.val();
        self.valid[1].d.next = self.arbiter.issue.val();
        // The sweep goes through the flow's own delay to where the RAMs are written.
        self.flow[1].d.next = self.arbiter.flow.val();
        if self.sweep.val() {
            self.flow[1].d.next = self.sweep_flow.val();
        }
        self.kind[1].d.next = self.arbiter.kind.val();
        self.rtt[1].d.next = self.arbiter.rtt_ns.val();
        self.value[1].d.next = self.arbiter.value.val();
        self.hops[1].d.next = self.arbiter.hops.val();
        self.endpoint[1].d.next = self.arbiter.endpoint_ns.val();
        self.turn.d.next = self.turn.q.val() + bits::<9>(1);
        self.inputs.clk.next = self.clk.val();
        self.inputs.at.next = self.turn.q.val();
        self.inputs.i.next = (bit_cast::<88, 24>(self.rtt[1].q.val()) | (bit_cast::<88, 8>(self.hops[1].q.val()) << 24))
            | ((bit_cast::<88, 24>(self.endpoint[1].q.val()) << 32) | (bit_cast::<88, 32>(self.value[1].q.val()) << 56));
        self.measured.d.next = self.inputs.o.val().get_bits::<56>(0);
        self.given.d.next = self.inputs.o.val().get_bits::<32>(56);
        if self.kind[18].q.val().get_bits::<2>(1).any() {
            self.measured.d.next = bits::<56>(0);
        }
        if self.kind[18].q.val().get_bits::<2>(1).any() & !self.kind[18].q.val().get_bit(0) {
            self.given.d.next = bits::<32>(0);
        }
        self.sample.clk.next = self.clk.val();
        self.sample.at.next = self.turn.q.val();
        self.sample.i.next = bit_cast::<56, 24>(self.rtt[1].q.val()) | (bit_cast::<56, 32>(self.value[1].q.val()) << 24);
        self.values.clk.next = self.clk.val();
        self.values.rst.next = self.rst.val();
        self.value_10.next = self.sample.o.val().get_bits::<32>(24);
        self.values.i.next = self.value_10.val();
        // 0 to 3: what the flow remembers.
        self.state.clk.next = self.clk.val();
        self.state.sweep.next = self.sweep.val();
        self.state.sweep_flow.next = self.sweep_flow.val();
        self.state.load_valid.next = self.fl_valid.val();
        self.state.load_flow.next = self.fl_flow.val();
        self.state.load_profile.next = self.fl_record.val().get_bits::<4>(4);
        self.state.flow_0.next = self.arbiter.flow.val();
        self.state.rtt_2.next = self.rtt[2].q.val();
        self.state.time_2.next = self.value[2].q.val();
        self.profile[3].d.next = self.state.profile_2.val();
        self.earlier.clk.next = self.clk.val();
        self.earlier.at.next = self.turn.q.val();
        self.earlier.i.next = self.state.record_2.val();
        self.mark.clk.next = self.clk.val();
        self.mark.at.next = self.turn.q.val();
        self.mark.i.next = self.state.record_2.val().get_bits::<41>(98);
        // 0 to 7: the reciprocals.
        self.reciprocal.clk.next = self.clk.val();
        self.reciprocal.rst.next = self.rst.val();
        self.reciprocal.rtt_0.next = self.arbiter.rtt_ns.val();
        self.zeros[4].d.next = self.reciprocal.zeros_3.val();
        self.inverse[8].d.next = self.reciprocal.complement_7.val();
        self.endpoint_reciprocal.clk.next = self.clk.val();
        self.endpoint_reciprocal.rst.next = self.rst.val();
        self.endpoint_reciprocal.rtt_0.next = self.arbiter.endpoint_ns.val();
        self.endpoint_inverse[8].d.next = self.endpoint_reciprocal.complement_7.val();
        // 2 to 6: thresholds and options.
        self.branch.clk.next = self.clk.val();
        self.branch.bus_1.next = self.bus[1].q.val();
        self.branch.bus_3.next = self.bus[3].q.val();
        self.branch.profile_1.next = self.state.profile_1.val();
        self.state.swift_2.next = self.branch.swift_2.val();
        self.branch.profile_3.next = self.profile[3].q.val();
        self.branch.rtt_2.next = self.rtt[2].q.val();
        self.branch.endpoint_2.next = self.endpoint[2].q.val();
        self.branch.zeros_3.next = self.reciprocal.zeros_3.val();
        self.branch.endpoint_zeros_3.next = self.endpoint_reciprocal.zeros_3.val();
        self.branch.marked_3.next = self.state.record_3.val().get_bit(98);
        self.branch.since_3.next = self.state.since_3.val();
        self.flags[6].d.next = self.branch.flags_5.val();
        self.threshold[7].d.next = self.branch.threshold_6.val();
        // 2 to 8: the delta factor.
        self.delta.clk.next = self.clk.val();
        self.delta.rst.next = self.rst.val();
        self.delta.bus_1.next = self.bus[1].q.val();
        self.delta.profile_1.next = self.state.profile_1.val();
        self.delta.full_3.next = !self.state.record_3.val().get_bit(56) | self.branch.no_delta_3.val();
        self.delta.age_3.next = self.state.age_3.val();
        // 3 to 9: the smoothed difference, or how far Swift's delay lies above its base target.
        self.average.clk.next = self.clk.val();
        self.average.rst.next = self.rst.val();
        self.average.bus_1.next = self.bus[1].q.val();
        self.average.bus_6.next = self.bus[6].q.val();
        self.average.profile_1.next = self.state.profile_1.val();
        self.average.bus_3.next = self.bus[3].q.val();
        self.average.profile_3.next = self.profile[3].q.val();
        self.average.profile_6.next = self.profile[6].q.val();
        self.average.swift_3.next = self.branch.swift_3.val();
        self.average.other_3.next = self.branch.other_3.val();
        self.average.old_3.next = self.state.record_3.val().get_bits::<38>(60);
        self.average.difference_3.next = self.state.difference_3.val();
        self.average.low_3.next = self.branch.low_3.val();
        self.average.hops_3.next = self.hops[3].q.val();
        self.above.d.next = self.average.average_8.val();
        self.smoothed.d.next = self.above.q.val();
        self.rising[10].d.next = self.average.rising_9.val();
        // 3 to 9: error, output, flow scaling.
        self.error.clk.next = self.clk.val();
        self.error.rst.next = self.rst.val();
        self.error.bus_1.next = self.bus[1].q.val();
        self.error.bus_3.next = self.bus[3].q.val();
        self.error.bus_6.next = self.bus[6].q.val();
        self.error.profile_1.next = self.state.profile_1.val();
        self.error.profile_3.next = self.profile[3].q.val();
        self.error.profile_6.next = self.profile[6].q.val();
        self.error.other_3.next = self.branch.other_3.val();
        self.error.pi_3.next = self.branch.pi_3.val();
        self.error.rtt_3.next = self.rtt[3].q.val();
        self.error.difference_3.next = self.state.difference_3.val();
        self.error.mark_3.next = self.state.record_3.val().get_bits::<40>(99);
        self.error.root_3.next = self.root.root_3.val();
        self.kept.d.next = self.error.kept_9.val();
        if self.error.over_9.val() {
            self.kept.d.next = 0xFF_FFFF_FFFF_u64.into();
        }
        // 7 to 14: by delta factor, rate, reciprocal.
        self.scale.clk.next = self.clk.val();
        self.scale.rst.next = self.rst.val();
        self.scale.middle_7.next = self.flags[7].q.val().get_bit(11);
        self.scale.pi_7.next = self.flags[7].q.val().get_bit(4);
        self.scale.error_7.next = self.error.total_7.val();
        self.scale.threshold_7.next = self.threshold[7].q.val();
        self.scale.delta_7.next = self.delta.factor_7.val();
        self.scale.above_9.next = self.above.q.val();
        self.scale.flow_9.next = self.error.flow_9.val();
        self.scale.zeros_10.next = self.zeros[10].q.val();
        self.scale.swift_10.next = self.flags[10].q.val().get_bit(3);
        self.scale.middle_10.next = self.flags[10].q.val().get_bit(11);
        self.scale.below_13.next = self.flags[13].q.val().get_bit(3) & !self.reached[13].q.val();
        self.scale.reciprocal_10.next = self.inverse[10].q.val();
        self.scale.rate_10.next = self.rate.before_10.val();
        self.reached[11].d.next = self.scale.reached_10.val();
        // 8 to 14: gradient, weight, the endpoint's part.
        self.gradient.clk.next = self.clk.val();
        self.gradient.rst.next = self.rst.val();
        self.gradient.bus_6.next = self.bus[6].q.val();
        self.gradient.bus_8.next = self.bus[8].q.val();
        self.gradient.bus_11.next = self.bus[11].q.val();
        self.gradient.profile_6.next = self.profile[6].q.val();
        self.gradient.profile_8.next = self.profile[8].q.val();
        self.gradient.profile_11.next = self.profile[11].q.val();
        self.gradient.average_8.next = self.average.average_8.val();
        self.gradient.threshold_8.next = self.threshold[8].q.val();
        self.gradient.reciprocal_8.next = self.endpoint_inverse[8].q.val();
        self.gradient.swift_8.next = self.flags[8].q.val().get_bit(3);
        self.gradient.swift_10.next = self.flags[10].q.val().get_bit(3);
        self.gradient.swift_12.next = self.flags[12].q.val().get_bit(3);
        self.gradient.swift_13.next = self.flags[13].q.val().get_bit(3);
        self.gradient.patched_10.next = self.flags[10].q.val().get_bit(2);
        self.gradient.patched_12.next = self.flags[12].q.val().get_bit(2);
        self.gradient.patched_13.next = self.flags[13].q.val().get_bit(2);
        self.gradient.over_13.next = self.flags[13].q.val().get_bit(9);
        self.gradient.kind_13.next = self.kind[13].q.val();
        self.gradient.loss_13.next = self.loss.falls_13.val();
        self.gradient.by_loss_13.next = self.loss.decrease_13.val();
        // 9 to 14: the increase.
        self.negative[4].d.next = self.state.difference_3.val().get_bit(24);
        self.count[4].d.next = self.state.record_3.val().get_bits::<3>(57);
        self.increase.clk.next = self.clk.val();
        self.increase.rst.next = self.rst.val();
        self.increase.bus_8.next = self.bus[8].q.val();
        self.increase.profile_8.next = self.profile[8].q.val();
        self.increase.count_9.next = self.count[9].q.val();
        self.increase.negative_9.next = self.negative[9].q.val();
        self.increase.falling_9.next = self.average.falling_9.val();
        self.increase.smoothed_9.next = self.flags[9].q.val().get_bit(7);
        self.increase.allowed_10.next = self.flags[10].q.val().get_bit(1) & !self.flags[10].q.val().get_bit(8);
        self.low_10.d.next = !self.flags[9].q.val().get_bit(10);
        self.increase.low_10.next = self.low_10.q.val();
        self.edge_13.d.next = (!self.flags[12].q.val().get_bit(11) | self.kind[12].q.val().any()) | self.loss.falls_12.val();
        self.increase.edge_13.next = self.edge_13.q.val();
        self.increase.delta_10.next = self.delta.factor_10.val();
        // 10, 11: what the flow remembers from now on.
        self.is_sample.next = !self.kind[10].q.val().any();
        self.falls.next = self.flags[10].q.val().get_bit(3)
            & self.flags[10].q.val().get_bit(12)
            & (self.scale.reached_10.val() | self.flags[10].q.val().get_bit(9));
        self.marked_now.next = (bit_cast::<41, 32>(self.value_10.val()) << 1) | bits::<41>(1);
        self.marked_output.next = (bit_cast::<41, 40>(self.kept.q.val()) << 1) | bits::<41>(1);
        self.marked.next = self.mark.o.val();
        if (self.is_sample.val() & self.falls.val()) | (self.kind[10].q.val().get_bit(0) & self.flags[10].q.val().get_bit(3)) {
            self.marked.next = self.marked_now.val();
        } else if self.is_sample.val() & self.flags[10].q.val().get_bit(4) {
            self.marked.next = self.marked_output.val();
        }
        self.mark11.d.next = self.marked.val();
        if self.kind[10].q.val().get_bit(1) | self.sweep.val() {
            self.mark11.d.next = bits::<41>(0);
        }
        self.last.d.next = bit_cast::<57, 56>(self.sample.o.val()) | (bits::<57>(1) << 56);
        if !self.is_sample.val() | self.sweep.val() {
            self.last.d.next = bits::<57>(0);
        }
        self.filtered.d.next = bit_cast::<41, 3>(self.increase.count_10.val()) | (bit_cast::<41, 38>(self.smoothed.q.val()) << 3);
        if !self.is_sample.val() | self.flags[10].q.val().get_bit(3) | self.sweep.val() {
            self.filtered.d.next = bits::<41>(0);
        }
        self.writes.d.next = (self.valid[10].q.val() & (self.kind[10].q.val() != bits::<3>(3))) | self.sweep.val();
        self.state.flow_11.next = self.flow[11].q.val();
        self.state.write_11.next = self.writes.q.val();
        self.state.record_11.next = bit_cast::<139, 57>(self.last.q.val())
            | (bit_cast::<139, 41>(self.filtered.q.val()) << 57)
            | (bit_cast::<139, 41>(self.mark11.q.val()) << 98);
        // 13, 14: what is done.
        self.choose.clk.next = self.clk.val();
        self.choose.rst.next = self.rst.val();
        self.choose.bus_11.next = self.bus[11].q.val();
        self.choose.profile_11.next = self.profile[11].q.val();
        self.choose.kind_13.next = self.kind[13].q.val();
        self.choose.flags_13.next = self.flags[13].q.val();
        self.choose.loss_13.next = self.loss.falls_13.val();
        self.choose.reached_13.next = self.reached[13].q.val();
        self.choose.rising_13.next = self.rising[13].q.val();
        self.choose.hyperactive_13.next = self.increase.hyperactive_13.val();
        self.choose.weight_14.next = self.gradient.weight_14.val();
        self.choose.most_14.next = self.gradient.most_14.val();
        self.choose.part_14.next = self.scale.part_14.val();
        self.choose.beta_14.next = self.increase.beta_14.val();
        self.choose.of_rate_14.next = self.scale.of_rate_14.val();
        self.choose.step_14.next = self.increase.step_14.val();
        self.choose.weighed_step_14.next = self.increase.weighed_14.val();
        self.choose.rate_14.next = self.rate.before_14.val();
        self.choose.value_14.next = self.values.o.val();
        // 8 to 19: the rate.
        self.rate.clk.next = self.clk.val();
        self.rate.rst.next = self.rst.val();
        self.rate.sweep.next = self.sweep.val();
        self.rate.bus_14.next = self.bus[14].q.val();
        self.rate.profile_14.next = self.profile[14].q.val();
        self.rate.bus_15.next = self.bus[15].q.val();
        self.rate.profile_15.next = self.profile[15].q.val();
        self.rate.flow_8.next = self.flow[8].q.val();
        self.rate.flow_19.next = self.flow[19].q.val();
        self.rate.valid_19.next = self.valid[19].q.val();
        self.rate.none_14.next = self.choose.none_14.val();
        self.rate.weight_14.next = self.choose.weight_next.val();
        self.rate.weighed_14.next = self.choose.weighed_next.val();
        self.rate.risen_15.next = self.choose.risen_15.val();
        self.rate.falls_15.next = self.choose.falls_15.val();
        self.rate.sets_15.next = self.choose.sets_15.val();
        self.rate.idle_14.next = self.kind[14].q.val().get_bit(2);
        self.rate.hold_17.next = self.limits.limited_17.val() & !self.kind[17].q.val().any();
        self.limits.clk.next = self.clk.val();
        self.limits.sweep.next = self.sweep.val();
        self.limits.sweep_flow.next = self.sweep_flow.val();
        self.limits.write.next = self.limited_valid.val();
        self.limits.write_flow.next = self.limited_flow.val();
        self.limits.write_bit.next = self.limited.val();
        self.limits.flow_0.next = self.arbiter.flow.val();
        // 0 to 14: does a loss lower the rate?
        self.loss.clk.next = self.clk.val();
        self.loss.rst.next = self.rst.val();
        self.loss.sweep.next = self.sweep.val();
        self.loss.sweep_flow.next = self.sweep_flow.val();
        self.loss.bus_8.next = self.bus[8].q.val();
        self.loss.profile_8.next = self.profile[8].q.val();
        self.loss.flow_0.next = self.arbiter.flow.val();
        self.loss.lost_0.next = self.arbiter.lost.val();
        self.loss.rtt_2.next = self.rtt[2].q.val();
        self.loss.endpoint_2.next = self.endpoint[2].q.val();
        self.loss.time_2.next = self.value[2].q.val();
        self.loss.law_10.next = self.flags[10].q.val().get_bit(5) & !self.kind[10].q.val().any();
        self.loss.valid_14.next = self.valid[14].q.val();
        self.loss.flow_14.next = self.flow[14].q.val();
        self.loss.time_14.next = self.values.o.val();
        // 19 to 25: its root, for the next.
        self.root.clk.next = self.clk.val();
        self.root.sweep.next = self.sweep.val();
        self.root.flow_2.next = self.flow[2].q.val();
        self.root.rate_19.next = self.rate.rate_19.val();
        self.root.flow_25.next = self.flow[25].q.val();
        self.root.valid_25.next = self.valid[25].q.val();
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
        self.event_rtt_ns.next = self.measured.q.val().get_bits::<24>(0);
        self.event_rate.next = self.rate.rate_19.val();
        self.event_kind.next = self.kind[19].q.val();
        if self.loss.falls_19.val() {
            self.event_kind.next = bits::<3>(5);
        }
        // As the record, but for the words that its numbers start in.
        self.event_before.next = bit_cast::<160, 24>(self.earlier.o.val().get_bits::<24>(0))
            | (bit_cast::<160, 1>(self.earlier.o.val().get_bits::<1>(56)) << 24)
            | (bit_cast::<160, 3>(self.earlier.o.val().get_bits::<3>(57)) << 25)
            | (bit_cast::<160, 1>(self.earlier.o.val().get_bits::<1>(98)) << 28)
            | (bit_cast::<160, 32>(self.earlier.o.val().get_bits::<32>(24)) << 32)
            | (bit_cast::<160, 38>(self.earlier.o.val().get_bits::<38>(60)) << 64)
            | (bit_cast::<160, 8>(self.earlier.o.val().get_bits::<8>(131)) << 104)
            | (bit_cast::<160, 32>(self.earlier.o.val().get_bits::<32>(99)) << 128);
        if self.limits.limited_19.val() {
            self.event_before.next = self.event_before.val() | (bits::<160>(1) << 31);
        }
        self.event_rate_before.next = self.rate.before_19.val();
        self.event_now_ns.next = self.given.q.val();
        self.event_hops.next = self.measured.q.val().get_bits::<8>(24);
        self.event_endpoint_ns.next = self.measured.q.val().get_bits::<24>(32);
        self.event_profile.next = self.profile[19].q.val();
        self.superseded_valid.next = self.arbiter.sample_dropped.val();
        self.superseded_flow.next = self.arbiter.dropped_flow.val();
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
            self.sweeping.d.next = true;
            // Nothing but validity needs it; with it these stay in flip-flops, of which there are more than LUTs.
            for i in 0..26 {
                self.valid[i].d.next = false;
                self.flow[i].d.next = bits::<F>(0);
            }
            for i in 0..4 {
                self.hops[i].d.next = bits::<8>(0);
            }
            for i in 2..17 {
                self.bus[i].d.next = bits::<42>(0);
            }
            for i in 0..20 {
                self.kind[i].d.next = bits::<3>(0);
                self.profile[i].d.next = bits::<4>(0);
            }
            for i in 5..11 {
                self.zeros[i].d.next = bits::<5>(0);
            }
            for i in 5..10 {
                self.negative[i].d.next = false;
                self.count[i].d.next = bits::<3>(0);
            }
            for i in 9..11 {
                self.inverse[i].d.next = bits::<29>(0);
            }
            for i in 7..15 {
                self.flags[i].d.next = bits::<13>(0);
            }
        }
    }
}
