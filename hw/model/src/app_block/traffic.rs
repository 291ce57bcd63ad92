//! The traffic generator among Corundum's frames: pacer and generator of the flows that are the
//! generator's, and what joins them to the core's. See `timely_hw::shells::corundum::app::traffic`.
use crate::Block;
use crate::bus::{FlowLoad, ProfileWrite, Release, Sent};
use crate::fifo::{self, Fifo};
use crate::generator::{self, Generator};
use crate::launch::{self, Launch};
use crate::pacer::{Timing, top};
use crate::stream::Beat;
use crate::txmux::{self, TxMux};
use timely_regs::counters::Counter;
use timely_regs::flow;
use timely_regs::link::ACK_TAG;

/// log2 of what the pacer says that may wait, of either kind.
pub const SAID_BITS: u32 = 9;
/// log2 of the loads after which the engine is still to be told what the scheduler said of their
/// flows.
pub const LOADED_BITS: u32 = 4;
/// Clocks from a rate, release or report to where its flow belongs.
pub const LATENCY: u64 = 2;
/// How far ahead of its launch the pacer grants a packet, ns: what the generator and its gate take,
/// whatever `LEAD` is, for they read nothing of the host. Frames that were granted wait for their
/// launch in front of the gate, which holds few: the rate of all is at most what it holds, by this.
pub const LEAD_NS: u64 = 256;
/// Bits of the number of a frame that its tag has.
pub const NUMBER_BITS: u32 = 13;

/// True for flows of the traffic generator: flows that are enabled and endless.
pub const fn is_ours(load: &FlowLoad) -> bool {
    flow::ENABLE.get(&load.record) != 0 && flow::ENDLESS.get(&load.record) != 0
}

/// The tag of the generator's frame of this number: eight bits of it find its place in the RTT's
/// table, in the half that the core's do not use, and the rest tells it from another of the same
/// place. Never an ACK's.
pub const fn tag(number: u16) -> u16 {
    (number & 0x7f) | 0x80 | (number >> 7 & 0x3f) << 8
}

/// Inputs at a clock.
#[derive(Clone, Debug, Default)]
pub struct In {
    /// Synchronous reset.
    pub rst: bool,
    /// A flow and its rate.
    pub rate: Option<(u32, u32)>,
    /// Bytes that are outstanding no more.
    pub release: Option<Release>,
    /// A record on the flow bus.
    pub load: Option<FlowLoad>,
    /// A word on the profile bus.
    pub profile: Option<ProfileWrite>,
    /// A doorbell in our registers: flow and packets.
    pub doorbell: Option<(u32, u16)>,
    /// Our addresses, and the key of the nonces.
    pub config: generator::Config,
    /// No flow may send.
    pub stop: bool,
    /// The time, ns48.fns16.
    pub now: u64,
    /// The pacer's time, [`LEAD_NS`] ahead.
    pub later: u64,
    /// The scheduler says: a flow starts after its idle time.
    pub idle: Option<u32>,
    /// The scheduler says whether a flow is limited.
    pub limited: Option<(u32, bool)>,
    /// Counted events of the scheduler's.
    pub pulses: u64,
    /// A frame came out of a queue, of the flow that it names.
    pub sent: Option<Sent>,
    /// A beat of the core's frames, and its frame's tag.
    pub frame: Option<(Beat, u16)>,
    /// The beat at the output is taken.
    pub ready: bool,
}

/// Outputs at a clock.
#[derive(Clone, Debug, PartialEq)]
pub struct Out {
    /// The RAMs are clear.
    pub swept: bool,
    /// A doorbell is taken if offered.
    pub doorbell_ready: bool,
    /// For the scheduler: a flow and its rate.
    pub rate: Option<(u32, u32)>,
    /// For the scheduler: bytes that are outstanding no more.
    pub release: Option<Release>,
    /// For the engine: a flow starts after its idle time.
    pub idle: Option<u32>,
    /// For the engine: whether a flow is limited.
    pub limited: Option<(u32, bool)>,
    /// Counted events of both.
    pub pulses: u64,
    /// A data frame is sent, of either.
    pub sent: Option<Sent>,
    /// A beat of the core's frames is taken.
    pub frame_ready: bool,
    /// A beat of either, and its frame's tag.
    pub beat: Option<(Beat, u16)>,
}

/// Sources of the engine's `limited` flag of a flow.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Says {
    Scheduler(bool),
    /// The last report of the scheduler.
    Again,
    Ours(bool),
}

/// Something of a flow, and whether the flow is ours.
type Known<T> = Option<(T, bool)>;

/// The block.
#[derive(Clone, Debug)]
pub struct Traffic {
    timing: Timing,
    flow_bits: u32,
    width: usize,
    ring_bits: u32,
    swept_at: u64,
    pacer: top::Pacer,
    generator: Generator,
    gate: Launch,
    merge: TxMux,
    /// Flows that are the generator's.
    ours: Vec<bool>,
    /// The scheduler's last report of each flow.
    heard: Vec<bool>,
    rates: [Known<(u32, u32)>; 2],
    releases: [Known<Release>; 2],
    reports: [Known<Sent>; 2],
    says: Option<(u32, Says, bool, bool)>,
    limited: Option<(u32, bool)>,
    idle: Option<u32>,
    idles: Fifo<u32>,
    limits: Fifo<(u32, bool)>,
    loaded: Fifo<u32>,
    /// A report of the generator's that gave way to one of the core's.
    held: Option<Sent>,
    /// Frames reported, frames that have left.
    numbers: [u16; 2],
    pulses: u64,
    /// Grants, doorbells that were refused, and missed launches, that are still to be counted.
    owed: [u16; 3],
}

impl Traffic {
    /// Of `2^flow_bits` flows, on a bus of `width` bits, with the first `2^ring_bits` places of the
    /// ring of departures.
    pub fn new(flow_bits: u32, width: usize, ring_bits: u32, timing: Timing) -> Self {
        Traffic {
            timing,
            flow_bits,
            width,
            ring_bits,
            swept_at: 1 << flow_bits,
            pacer: top::Pacer::new(flow_bits, timing),
            generator: Generator::new(flow_bits, width, ring_bits),
            gate: Launch::new(),
            merge: TxMux::default(),
            ours: vec![false; 1 << flow_bits],
            heard: vec![false; 1 << flow_bits],
            rates: [None; 2],
            releases: [None; 2],
            reports: [None; 2],
            says: None,
            limited: None,
            idle: None,
            idles: Fifo::new(SAID_BITS),
            limits: Fifo::new(SAID_BITS),
            loaded: Fifo::new(LOADED_BITS),
            held: None,
            numbers: [0; 2],
            pulses: 0,
            owed: [0; 3],
        }
    }

    /// The generator's report at this clock, under its frame's tag.
    fn own(&self, clk: u64) -> Option<Sent> {
        self.generator.output(clk).sent.map(|s| Sent { tag: tag(self.numbers[0]), ..s })
    }
}

impl Block for Traffic {
    type In = In;
    type Out = Out;

    fn output(&self, clk: u64) -> Out {
        let (generator, merge) = (self.generator.output(clk), self.merge.output(clk));
        let host = self.reports[1].filter(|r| !r.1).map(|r| r.0);
        Out {
            swept: clk >= self.swept_at && self.pacer.output(clk).swept && generator.swept,
            doorbell_ready: generator.host_doorbell_ready,
            rate: self.rates[1].filter(|r| !r.1).map(|r| r.0),
            release: self.releases[1].filter(|r| !r.1).map(|r| r.0),
            idle: self.idle,
            limited: self.limited,
            pulses: self.pulses,
            sent: host.or(self.held).or(self.own(clk)),
            frame_ready: merge.data_ready,
            beat: merge.beat.map(|(beat, t)| (beat, if t == ACK_TAG { tag(self.numbers[1]) } else { t })),
        }
    }

    fn step(&mut self, clk: u64, i: &In) {
        if i.rst {
            *self = Traffic::new(self.flow_bits, self.width, self.ring_bits, self.timing);
            self.swept_at += clk + 1;
            // The parts count their clocks themselves.
            let rst = true;
            self.pacer.step(clk, &top::In { rst, ..top::In::default() });
            self.generator.step(clk, &generator::In { rst, ..generator::In::default() });
            return;
        }
        let swept = clk >= self.swept_at;
        let (out, own) = (self.output(clk), self.own(clk));
        let (pacer, generator, gate, merge) =
            (self.pacer.output(clk), self.generator.output(clk), self.gate.output(clk), self.merge.output(clk));
        // A flow that is not ours does not exist here.
        let load = i.load.map(|l| {
            let mut record = l.record;
            record[0] &= if is_ours(&l) { u32::MAX } else { !1 };
            FlowLoad { record, ..l }
        });
        self.pacer.step(
            clk,
            &top::In {
                rst: false,
                doorbell: generator.doorbell,
                release: self.releases[1].filter(|r| r.1).map(|r| r.0),
                charge: generator.charge,
                rate: self.rates[1].filter(|r| r.1).map(|r| r.0),
                profile: i.profile,
                load,
                pause: 0,
                stop: i.stop,
                now: i.later,
                grant_ready: generator.grant_ready,
            },
        );
        self.generator.step(
            clk,
            &generator::In {
                rst: false,
                config: i.config.clone(),
                load,
                host_doorbell: i.doorbell,
                grant: pacer.grant.map(|g| (g.flow, g.launch)),
                doorbell_ready: pacer.doorbell_ready,
                ready: gate.ready,
            },
        );
        // Frames of both by turns; the generator's wait for their launch before that, so that they
        // hold up none of the core's.
        let beat = generator.beat.map(|(beat, _)| launch::Timed { beat, tag: 0, launch: Some(generator.launch) });
        self.gate.step(clk, &launch::In { rst: false, beat, now: i.now, ready: merge.ack_ready });
        self.merge.step(clk, &txmux::In { rst: false, fair: true, ack: gate.beat.map(|b| b.0), data: i.frame, ready: i.ready });
        // Reports: those of the core's frames that are not of our flows, then ours.
        let host = self.reports[1].is_some_and(|r| !r.1);
        self.held = match (host, self.held) {
            (true, held) => held.or(own),
            (false, Some(_)) => own,
            (false, None) => None,
        };
        let leaves = merge.beat.is_some_and(|(beat, t)| t == ACK_TAG && beat.last) && i.ready;
        let count = |n: u16, more: bool| (n + u16::from(more)) & ((1 << NUMBER_BITS) - 1);
        self.numbers = [count(self.numbers[0], own.is_some()), count(self.numbers[1], leaves)];
        // Counter pulses. A counter takes one event a clock.
        let counted = [Counter::Grants, Counter::DoorbellsRefused, Counter::LaunchesMissed];
        let bit = |c: Counter| 1u64 << c as u32;
        let mut pulses = i.pulses & !counted.iter().fold(bit(Counter::TxFrames), |all, c| all | bit(*c));
        pulses |= bit(Counter::TxFrames) * u64::from(out.sent.is_some());
        let missed = bit(Counter::LaunchesMissed) * u64::from(gate.missed);
        for (owed, counter) in self.owed.iter_mut().zip(counted) {
            let new = [i.pulses, pacer.pulses, generator.pulses, missed].map(|p| (p >> counter as u32 & 1) as u16).iter().sum::<u16>();
            let all = owed.wrapping_add(new);
            pulses |= bit(counter) * u64::from(all != 0);
            *owed = all.saturating_sub(1);
        }
        self.pulses = pulses;
        // The next report to the engine: the scheduler's new one first; then its last one before a
        // load; then ours.
        let (again, ours) = (self.loaded.output(clk).head, self.limits.output(clk).head);
        let next = if !swept {
            None
        } else if let Some((flow, limited)) = i.limited {
            Some((flow, Says::Scheduler(limited)))
        } else if let Some(flow) = again {
            Some((flow, Says::Again))
        } else {
            ours.map(|(flow, limited)| (flow, Says::Ours(limited)))
        };
        self.limited = self.says.and_then(|(flow, says, is_ours, heard)| match says {
            Says::Scheduler(limited) => (!is_ours).then_some((flow, limited)),
            Says::Again => (!is_ours).then_some((flow, heard)),
            Says::Ours(limited) => is_ours.then_some((flow, limited)),
        });
        self.says = next.map(|(flow, says)| (flow, says, self.ours[flow as usize], self.heard[flow as usize]));
        let free = swept && i.limited.is_none();
        let reload = i.load.filter(|l| swept && !is_ours(l)).map(|l| l.flow);
        self.loaded.step(clk, &fifo::In { rst: false, push: reload, ready: free });
        self.limits.step(clk, &fifo::In { rst: false, push: pacer.limited, ready: free && again.is_none() });
        self.idle = i.idle.or(self.idles.output(clk).head);
        self.idles.step(clk, &fifo::In { rst: false, push: pacer.idle, ready: i.idle.is_none() });
        if let Some((flow, limited)) = i.limited.filter(|_| swept) {
            self.heard[flow as usize] = limited;
        }
        // A flow is ours or not by its loads before this clock.
        let of = |flow: u32| self.ours[flow as usize];
        self.rates = [i.rate.filter(|_| swept).map(|r| (r, of(r.0))), self.rates[0]];
        self.releases = [i.release.filter(|_| swept).map(|r| (r, of(r.flow))), self.releases[0]];
        self.reports = [i.sent.filter(|_| swept).map(|s| (s, of(s.flow))), self.reports[0]];
        if let Some(l) = i.load.filter(|_| swept) {
            self.ours[l.flow as usize] = is_ours(&l);
        }
    }

    fn wake(&self, clk: u64) -> u64 {
        clk
    }
}
