//! The rate engine, which sets the rate of each flow.
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
mod mark;
mod product;
mod queue;
mod rate;
mod reciprocal;
mod root;
mod scale;
mod state;
mod target;
mod update;
pub(crate) mod word;
pub mod words;

use crate::bus::{EventOut, FlowLoadIn, FlowOptions, FlowPulseIn, FlowPulseOut, HostRateIn, ProfileWriteIn, SampleIn};
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
use mark::Mark;
pub use queue::Queue;
use rate::Rate;
use reciprocal::Reciprocal;
use root::Root;
use rust_hdl::prelude::*;
use scale::Scale;
use state::State;
use target::Target;
use timely_model::engine::sweep_clocks;
use timely_regs::counters::Counter;
use words::{Action, Before, Filtered, Flags, Inputs, Kind, KindBits, Last, MarkWord, ProfileWrite, Record, Shown, Stamped};

/// The rate engine of `2^F` flows, `F` at most 16: TIMELY, Patched TIMELY, Swift, PI, DCQCN or
/// `fixed`, by profile.
///
/// Latency: a rate and an event 21 clocks after the sample on an idle engine, 19 after the issue in
/// any case. Throughput: one operation a clock over distinct flows; a flow's operations issue at
/// least 24 clocks apart, in order. No back pressure: 64 samples wait besides one parked a flow,
/// and 16 each of loads, host rates and idle restarts; what finds its queue full takes the place of
/// the youngest there, which is lost and counted. Loads go first, then samples, host rates, idle
/// restarts. Profile and flow bus take effect with the operation that issues a clock later.
/// Arithmetic and the meaning of every operation: `timely_model::engine`, which is its model.
///
/// All laws share one pipeline: each makes a weight, what it weighs, and a rise, and
/// `rate + rise - weight weighed` is the new rate.
#[derive(LogicBlock)]
pub struct Engine<const F: usize> {
    /// Clock.
    pub clk: Signal<In, Clock>,
    /// Synchronous reset, active high.
    pub rst: Signal<In, Bit>,
    /// The RAMs are cleared; before, inputs are ignored.
    pub swept: Signal<Out, Bit>,
    /// A sample.
    pub sample: SampleIn<F>,
    /// A flow sends again after its idle time.
    pub idle: FlowPulseIn<F>,
    /// The pacer looked at a flow.
    pub limited_valid: Signal<In, Bit>,
    /// The flow.
    pub limited_flow: Signal<In, Bits<F>>,
    /// The flow sends too little of its rate for samples to raise it, from the next operation on.
    pub limited: Signal<In, Bit>,
    /// The host writes a rate.
    pub host: HostRateIn<F>,
    /// The reaction block asks for an action; not looked at while the host writes a rate.
    pub reaction_valid: Signal<In, Bit>,
    /// The flow.
    pub reaction_flow: Signal<In, Bits<F>>,
    /// The action, `timely_model::engine::law::action`; not 0.
    pub reaction: Signal<In, Bits<8>>,
    /// Flow bus; enable, keep and profile of the record are looked at.
    pub fl: FlowLoadIn<F>,
    /// Profile bus.
    pub pw: ProfileWriteIn,
    /// A flow's rate was set.
    pub rate_valid: Signal<Out, Bit>,
    /// The flow.
    pub rate_flow: Signal<Out, Bits<F>>,
    /// The rate, 2^-12 Mb/s.
    pub rate_value: Signal<Out, Bits<32>>,
    /// An operation was done.
    pub event: EventOut<F>,
    /// Counted events: rate updates, lost operations, refused host rates.
    pub pulses: Signal<Out, Bits<32>>,
    /// A sample was lost, for a newer one took its place.
    pub superseded: FlowPulseOut<F>,
    rate_updates: Constant<Bits<32>>,
    samples_dropped: Constant<Bits<32>>,
    overflows: Constant<Bits<32>>,
    refused: Constant<Bits<32>>,
    last_sweep: Constant<Bits<17>>,
    sweep_count: DFF<Bits<17>>,
    sweep_done: DFF<Bit>,
    /// Complement of `sweep_done`: a reset by that would cost an inverter for each flip-flop.
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
    target: Target,
    choose: Choose,
    rate: Rate<F>,
    root: Root<F>,
    /// Clock counter of the rings.
    turn: DFF<Bits<9>>,
    /// From 1 to 18; at 19 its parts, 0 where the operation has none.
    inputs: Ring<Inputs, 17>,
    measured: DFF<Shown>,
    given: DFF<Bits<32>>,
    /// From 1 to 10; its time (or the host's rate) to 14.
    stamps: Ring<Stamped, 9>,
    values: Stages<32, 4>,
    /// The record before, from 2 to 19.
    earlier: Ring<Record, 17>,
    mark_19: Signal<Local, MarkWord>,
    shown: Signal<Local, Before>,
    mark: Mark,
    /// 1 - DCQCN's alpha as its weight takes it, from 2 to 12.
    alpha: Ring<Bits<25>, 10>,
    alpha_in: Signal<Local, Bits<38>>,
    // The index of these is the clock after the issue at which they hold; the unused first entries
    // are optimised away.
    options: Signal<Local, FlowOptions>,
    bus_in: Signal<Local, ProfileWrite>,
    bus: [DFF<ProfileWrite>; 17],
    valid: [DFF<Bit>; 26],
    flow: [DFF<Bits<F>>; 26],
    kind: [DFF<Kind>; 20],
    rtt: [DFF<Bits<24>>; 4],
    value: [DFF<Bits<32>>; 3],
    hops: [DFF<Bits<8>>; 4],
    endpoint: [DFF<Bits<24>>; 3],
    profile: [DFF<Bits<4>>; 20],
    /// Action that the reaction block asks for, and whether it does; not 0 for a flow of DCQCN
    /// alone, from 11 on.
    action: [DFF<Action>; 14],
    reacts: [DFF<Bit>; 20],
    /// A CNP lowers the rate: of 12 and 13.
    lowers: [DFF<Bit>; 2],
    /// DCQCN's target from now on.
    aims: [DFF<Bits<32>>; 3],
    aimed: Signal<Local, MarkWord>,
    flags: [DFF<Flags>; 15],
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
    kept: DFF<MarkWord>,
    rising: [DFF<Bit>; 15],
    reached: [DFF<Bit>; 15],
    writes: DFF<Bit>,
    // The record from now on, but for the mark.
    last: DFF<Last>,
    filtered: DFF<Filtered>,
    kind_10: Signal<Local, KindBits>,
    kind_14: Signal<Local, KindBits>,
    kind_18: Signal<Local, KindBits>,
    kind_19: Signal<Local, KindBits>,
    kind_2: Signal<Local, KindBits>,
    naks: Signal<Local, Bit>,
    late_18: Signal<Local, Bit>,
    falls: Signal<Local, Bit>,
    is_sample: Signal<Local, Bit>,
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
            clk, rst, swept, sample, loss,
            idle, limited_valid, limited_flow, limited, host, reaction_valid, reaction_flow, reaction, target, alpha, alpha_in, action, reacts, lowers, aims, aimed, fl, pw, rate_valid, rate_flow, rate_value, event, pulses, superseded, sweep_count, sweep_done, sweeping, sweep, sweep_flow, arbiter, state, branch, average, delta, reciprocal, endpoint_reciprocal, error,
            scale, gradient, increase, choose, limits, rate, root, turn, inputs, measured, given, stamps, values, earlier, mark_19, shown, mark, options, bus_in, bus, valid, flow, kind, rtt, value, hops, endpoint,
            profile, flags, threshold, zeros, inverse, endpoint_inverse, negative, count, low_10, edge_13, above, smoothed, kept, rising, reached,
            writes, last, filtered, kind_10, kind_14, kind_18, kind_19, kind_2, naks, late_18, falls, is_sample, rate_now, refused_now)
    }
}
