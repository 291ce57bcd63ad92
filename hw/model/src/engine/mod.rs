//! The rate engine of `timely_hw::engine`, which sets the rate of each flow.
//!
//! Operations wait in four queues, [`INIT_QUEUE`] and so on, and issue one a clock in the order:
//! loaded flows, samples, host rates and reactions, idle restarts. An operation that finds its
//! queue full replaces the youngest word in it, which is lost and counted.
//!
//! A flow issues once in [`SPACING`] clocks at most. A sample that comes to the issue stage earlier
//! is parked, a word a flow, and issues, before all else, when those clocks are over; one that
//! finds another of its flow parked takes its place, and that one is lost and counted. So of a
//! burst of samples the last one counts, and a flow that brings more samples than it may issue
//! loses its own alone. Every other operation, and a sample that comes one clock too early, holds
//! back those behind it; operations of a flow stay in the order of their queue. A profile or a
//! flow's profile written at a clock applies to what issues later. [`ISSUE_TO_RATE`] clocks after
//! its issue an operation shows its rate and its event.
//!
//! **Loss.** A sample whose ACK tells of lost packets lowers the rate by the profile's decrease in
//! place of what its law says, unless such a sample of the flow did so less than its RTT (and the
//! responder's part) ago; then it counts as any other. The history goes on as with a sample. A
//! sample that takes the place of a parked one takes over that one's loss; the loss of one that is
//! lost in the queue is lost with it. A sample that is a NAK has no RTT: it lowers the rate unless
//! a loss of the flow did so less than the flow's last RTT ago, and leaves the history as it is.
//!
//! Times are 32 bits of ns: a sample that follows the flow's last by 4.295 s or more, without a
//! time-out or an idle restart between, takes its delta factor from the remainder. It is at most 1
//! in any case, so one step is smaller than it could be, and no more.
pub mod law;
pub mod parts;
mod queue;
pub mod reciprocal;
pub mod root;
pub mod state;

use crate::Block;
use crate::bus::{Event, FlowLoad, FlowRate, KIND_NAK, KIND_TIMEOUT, ProfileWrite, Sample};
use law::{Kind, Operation, Outcome, State, Words};
use queue::Queue;
use std::collections::VecDeque;
use timely_regs::counters::Counter;
use timely_regs::profile;

/// Least clocks between the issues of two operations of a flow.
///
/// The root of a flow's rate, which Swift's target needs, is computed behind the rate and is there
/// for an operation that issues so late.
pub const SPACING: u64 = 24;
/// Clocks from an operation's issue to its rate.
pub const ISSUE_TO_RATE: u64 = 19;
/// Clocks from a sample to its rate when the engine is idle: one each for queue and arbiter before
/// the issue.
pub const SAMPLE_TO_RATE: u64 = ISSUE_TO_RATE + 2;
/// Clocks of RAM init after reset, of an engine with `2^flow_bits` flows: all flows, all words of
/// the profiles, and what stands in the pipeline.
pub const fn sweep_clocks(flow_bits: u32) -> u64 {
    (1 << if flow_bits > 9 { flow_bits } else { 9 }) + 32
}

/// Address bits of the queue of samples.
pub const SAMPLE_QUEUE: u32 = 6;
/// Address bits of the queue of loaded flows.
pub const INIT_QUEUE: u32 = 4;
/// Address bits of the queue of host rates.
pub const HOST_QUEUE: u32 = 4;
/// Address bits of the queue of idle restarts.
pub const IDLE_QUEUE: u32 = 4;

/// Inputs at a clock.
#[derive(Clone, Debug, Default)]
pub struct In {
    /// Synchronous reset.
    pub rst: bool,
    /// From the RTT block.
    pub sample: Option<Sample>,
    /// From the pacer: the flow sends again after its idle time.
    pub idle: Option<u32>,
    /// From the pacer: whether a flow sends too little of its rate for samples to raise it, from
    /// the next operation on.
    pub limited: Option<(u32, bool)>,
    /// From the host.
    pub host: Option<FlowRate>,
    /// From the reaction block: the flow, and `law::action` bits, not all 0. The host's writes go
    /// first: this is not looked at while there is one.
    pub reaction: Option<(u32, u8)>,
    /// Flow bus.
    pub load: Option<FlowLoad>,
    /// Profile bus.
    pub profile: Option<ProfileWrite>,
}

/// Outputs at a clock.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Out {
    /// The RAMs are cleared; before, inputs are ignored.
    pub swept: bool,
    /// To the pacer.
    pub rate: Option<FlowRate>,
    /// To telemetry.
    pub event: Option<Event>,
    /// To telemetry: the flow of a sample that was lost, for a newer one took its place.
    pub superseded: Option<u32>,
    /// Counted events, by [`Counter`].
    pub pulses: u64,
}

/// An operation in the pipeline.
#[derive(Clone, Debug)]
struct Flight {
    /// The clock at which it shows.
    at: u64,
    flow: u32,
    profile: u8,
    operation: Operation,
    before: State,
    outcome: Outcome,
}

/// An issue of less than [`SPACING`] clocks ago.
#[derive(Clone, Debug)]
struct Issued {
    flow: u32,
    at: u64,
    /// A sample that waits until the flow may issue again.
    parked: Option<Operation>,
}

/// The engine.
#[derive(Clone, Debug)]
pub struct Engine {
    flow_bits: u32,
    swept_at: u64,
    profiles: Vec<Words>,
    flows: Vec<(u8, State)>,
    /// By flow, when a loss lowered its rate last, ns.
    losses: Vec<u32>,
    init: Queue<u32>,
    samples: Queue<Sample>,
    /// The host's rates, and reactions by their bits.
    host: Queue<(FlowRate, u8)>,
    idle: Queue<u32>,
    /// The operation at the issue stage.
    held: Option<(u32, Operation)>,
    /// The last issues.
    issued: VecDeque<Issued>,
    /// Operations in the pipeline, with the clock at which they show.
    flight: VecDeque<Flight>,
    lost: u64,
    /// Flow whose parked sample was lost at the last clock: it shows a clock later.
    replaced: Option<u32>,
    superseded: Option<u32>,
}

impl Engine {
    /// An engine of `2^flow_bits` flows that leaves reset at clock 0.
    pub fn new(flow_bits: u32) -> Self {
        Engine {
            flow_bits,
            swept_at: sweep_clocks(flow_bits),
            profiles: vec![[0; profile::WORDS]; profile::PROFILES],
            flows: vec![Default::default(); 1 << flow_bits],
            losses: vec![0; 1 << flow_bits],
            init: Queue::new(INIT_QUEUE),
            samples: Queue::new(SAMPLE_QUEUE),
            host: Queue::new(HOST_QUEUE),
            idle: Queue::new(IDLE_QUEUE),
            held: None,
            issued: VecDeque::new(),
            flight: VecDeque::new(),
            lost: 0,
            replaced: None,
            superseded: None,
        }
    }

    /// When a loss lowered a flow's rate last, ns; 0 before the first.
    pub fn last_loss(&self, flow: u32) -> u32 {
        self.losses[flow as usize]
    }

    /// State of a flow, as of the operations issued so far.
    pub fn state(&self, flow: u32) -> &State {
        &self.flows[flow as usize].1
    }

    /// Issues the sample that was parked for this clock, else the held operation unless its flow
    /// was issued a moment ago, and parks it then if it is a sample. Says whether the issue stage
    /// is then free, and the flow whose parked sample was lost.
    fn issue(&mut self, clk: u64) -> (bool, Option<u32>) {
        while self.issued.pop_front_if(|i| clk - i.at > SPACING).is_some() {}
        let due = self.issued.pop_front_if(|i| clk - i.at == SPACING).and_then(|i| i.parked.map(|operation| (i.flow, operation)));
        if let Some((flow, operation)) = due {
            self.apply(clk, flow, operation);
            return (self.held.is_none(), None);
        }
        let Some((flow, operation)) = self.held else { return (true, None) };
        let Some(last) = self.issued.iter_mut().find(|i| i.flow == flow) else {
            self.apply(clk, flow, operation);
            return (true, None);
        };
        if !matches!(operation.kind, Kind::Sample | Kind::Timeout | Kind::Nak) || clk - last.at == SPACING - 1 {
            return (false, None);
        }
        let before = last.parked.take();
        last.parked = Some(Operation { lost: operation.lost || before.is_some_and(|b| b.lost), ..operation });
        (true, before.map(|_| flow))
    }

    fn apply(&mut self, clk: u64, flow: u32, mut operation: Operation) {
        let (profile, state) = &mut self.flows[flow as usize];
        let (profile, before) = (*profile, *state);
        let since = operation.value.wrapping_sub(self.losses[flow as usize]);
        let heard = matches!(operation.kind, Kind::Sample | Kind::Nak) && operation.lost;
        // A NAK has no RTT: the flow's last one stands for it.
        let rtt_ns = if operation.kind == Kind::Nak { before.rtt_ns } else { operation.rtt_ns };
        let counts = heard && since >= rtt_ns + operation.endpoint_ns;
        operation.lost = counts && law::falls_by_loss(&self.profiles[usize::from(profile)]);
        if operation.lost {
            self.losses[flow as usize] = operation.value;
        }
        operation = match operation.kind {
            Kind::Sample if operation.lost => Operation { kind: Kind::Loss, ..operation },
            Kind::Nak => Operation { rtt_ns: 0, endpoint_ns: 0, hops: 0, ..operation },
            _ => operation,
        };
        let outcome = law::apply(&self.profiles[usize::from(profile)], state, &operation);
        self.issued.push_back(Issued { flow, at: clk, parked: None });
        self.flight.push_back(Flight { at: clk + ISSUE_TO_RATE, flow, profile, operation, before, outcome });
    }

    /// Heads of the queues, in the order of arbitration.
    fn next(&self) -> [Option<(u32, Operation)>; 4] {
        let sample = |s: Sample| {
            let kind = match s.kind {
                KIND_TIMEOUT => Kind::Timeout,
                KIND_NAK => Kind::Nak,
                _ => Kind::Sample,
            };
            (s.flow, Operation { kind, rtt_ns: s.rtt_ns, value: s.now_ns, hops: s.hops, endpoint_ns: s.endpoint_ns, lost: s.lost > 0 })
        };
        let asked = |(r, bits): (FlowRate, u8)| {
            let kind = if bits == 0 { Kind::Host } else { Kind::Reaction };
            (r.flow, Operation { kind, value: r.value, hops: bits, ..Default::default() })
        };
        [
            self.init.head().map(|flow| (flow, Operation { kind: Kind::Init, ..Default::default() })),
            self.samples.head().map(sample),
            self.host.head().map(asked),
            self.idle.head().map(|flow| (flow, Operation { kind: Kind::Idle, ..Default::default() })),
        ]
    }
}

impl Block for Engine {
    type In = In;
    type Out = Out;

    fn output(&self, clk: u64) -> Out {
        let mut out = Out { swept: clk >= self.swept_at, superseded: self.superseded, pulses: self.lost, ..Default::default() };
        if let Some(Flight { at, flow, profile, operation, before, outcome }) = self.flight.front()
            && *at == clk
        {
            if outcome.sets_rate {
                out.rate = Some(FlowRate { flow: *flow, value: outcome.rate });
                out.pulses |= 1 << Counter::RateUpdates as u32;
            }
            if outcome.accepted {
                out.event = Some(Event {
                    flow: *flow,
                    branch: outcome.branch,
                    hyperactive: outcome.hyperactive,
                    rtt_ns: operation.rtt_ns,
                    rate: outcome.rate,
                    kind: operation.kind as u8,
                    before: before.to_words(),
                    rate_before: before.rate,
                    now_ns: operation.value,
                    hops: operation.hops,
                    endpoint_ns: operation.endpoint_ns,
                    profile: *profile,
                });
            } else {
                out.pulses |= 1 << Counter::HostRatesRefused as u32;
            }
        }
        out
    }

    fn step(&mut self, clk: u64, i: &In) {
        if i.rst {
            *self = Engine::new(self.flow_bits);
            self.swept_at += clk + 1;
            return;
        }
        while self.flight.front().is_some_and(|f| f.at <= clk) {
            self.flight.pop_front();
        }
        if clk < self.swept_at {
            return;
        }
        let (free, replaced) = self.issue(clk);
        let next = self.next();
        let chosen = next.iter().position(Option::is_some);
        if free {
            self.held = chosen.and_then(|c| next[c]);
        }
        let reaction = i.reaction.map(|(flow, bits)| (FlowRate { flow, value: 0 }, bits));
        let asked = i.host.map(|host| (host, 0)).or(reaction);
        let pop = |queue| free && chosen == Some(queue);
        let loaded = i.load.filter(|l| l.enable() && !l.keep()).map(|l| l.flow);
        let mut other = self.init.step(loaded, pop(0));
        let youngest = self.samples.youngest();
        let sample = self.samples.step(i.sample, pop(1));
        // Two at one clock count as one: a queue that is full waits behind something else than a
        // sample.
        self.superseded = youngest.filter(|_| sample).map(|s| s.flow).or(self.replaced);
        self.replaced = replaced;
        let sample = self.superseded.is_some();
        other |= self.host.step(asked, pop(2));
        other |= self.idle.step(i.idle, pop(3));
        self.lost = u64::from(sample) << Counter::SamplesDropped as u32 | u64::from(other) << Counter::EngineOverflows as u32;
        if let Some(load) = &i.load {
            self.flows[load.flow as usize].0 = load.profile();
        }
        if let Some((flow, limited)) = i.limited {
            self.flows[flow as usize].1.limited = limited;
        }
        if let Some(w) = &i.profile {
            self.profiles[usize::from(w.profile)][usize::from(w.word)] = w.data;
        }
    }

    fn wake(&self, clk: u64) -> u64 {
        let queues = [self.init.is_empty(), self.samples.is_empty(), self.host.is_empty(), self.idle.is_empty()];
        if self.held.is_some()
            || self.replaced.is_some()
            || self.lost != 0
            || self.issued.iter().any(|i| i.parked.is_some())
            || queues.contains(&false)
        {
            return clk;
        }
        let swept = if clk < self.swept_at { self.swept_at } else { u64::MAX };
        self.flight.front().map_or(u64::MAX, |f| f.at.max(clk)).min(swept)
    }
}
