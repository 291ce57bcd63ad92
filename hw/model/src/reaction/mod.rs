//! The reaction point of DCQCN (`timely_hw::reaction`): when a CNP counts, when alpha decays, when
//! a stage of increase ends. The rate engine does the arithmetic.
//!
//! **Marks.** A sample of a flow that follows DCQCN, whose ACK echoes CE, is a mark. A flow's CNPs
//! are an interval apart at least, as those of a receiver that sends one when a marked packet
//! comes: a mark within the interval counts at its end.
//!
//! **Timers.** A flow has no timer that runs: at each of its samples all periods that ended by then
//! are made up for, in the order of their ends ([`periods`]). Each is an action of its own, the
//! first of which leaves [`SAMPLE_TO_ACTION`] clocks after the sample, the next ones at least
//! [`REST`] and [`LOOK`] clocks after one another, so that a flow's actions find the engine free.
//!
//! **Time-outs.** A flow that timed out owes nothing of its silence: the next look at it starts its
//! timers and counters anew ([`look`]), so that they stand still from the time-out to the first
//! ACK. A time-out is a bit of the flow, for any number of flows may time out a few clocks after
//! one another. A look takes the bit back as it ends, unless a flow times out at that very clock;
//! then the next look begins anew once more. **Losses** are another bit: where they lower the
//! flow's rate its timers and counters begin anew too. Idle restarts do not come here: as DCQCN's
//! timers run while a flow rests, what they made of that time is owed at the next ACK.
//!
//! **Order.** A look at a flow takes [`LOOK`] clocks; 64 samples wait, one that finds no room is
//! lost and counted. A flow that acted is looked at again, when no samples wait; 16 flows do, one
//! that finds no room goes on at its next sample. When a look begins or ends without such room, a
//! CNP that is due goes before all that its flow is owed, which is dropped and counted: so CNPs act
//! at once however many flows there are. Nothing else that is owed is lost.
//!
//! **Queue pairs** tell of their flows themselves ([`Notice`]): each CNP that comes is a mark, and
//! each packet that leaves is looked at, with its bytes, unless samples or notices wait already;
//! then its bytes do not count. So CNPs have room however short packets are.
//!
//! **Timing.** A sample's mark is that of the ACK of [`ACK_TO_SAMPLE`] clocks ago, its bytes are
//! those that are released a clock after it: so the RTT block promises. Time is the steady one. A
//! load without `keep`, and one that disables, forgets; a look at that flow comes to nothing. A
//! look reads its profile's words one after the other ([`reads`]).
pub mod periods;

use crate::Block;
use crate::bus::{FlowLoad, KIND_RTT, KIND_TIMEOUT, ProfileWrite, Release, Sample};
use crate::fifo::{self, Fifo};
use periods::{Heard, Periods, Word, look};
use std::collections::VecDeque;
use timely_regs::counters::Counter;
use timely_regs::profile;

/// Clocks of a look at a flow.
pub const LOOK: u64 = 16;
/// Clocks from an action until a flow that acted may be looked at again.
pub const REST: u64 = 9;
/// Clocks from an ACK to its sample.
pub const ACK_TO_SAMPLE: usize = 4;
/// Clocks from a sample to its action, if nothing is in the way.
pub const SAMPLE_TO_ACTION: u64 = 22;
/// log2 of the samples that wait.
pub const SAMPLES: u32 = 6;
/// log2 of the flows that wait to be looked at again.
pub const AGAIN: u32 = 4;
/// Bits of bytes that are released at once.
pub const RELEASED_BITS: u32 = 24;

/// Clocks of a look at which words of the flow's profile are read, all by one RAM.
pub mod reads {
    /// Least time between two CNPs.
    pub const INTERVAL: u64 = 2;
    /// Stages of fast recovery.
    pub const FAST: u64 = 4;
    /// Bytes of a stage.
    pub const COUNTER: u64 = 6;
    /// Timer of a stage.
    pub const STAGE: u64 = 7;
    /// Alpha's period.
    pub const ALPHA: u64 = 11;
}

/// Clocks of RAM init after reset.
pub const fn sweep_clocks(flow_bits: u32) -> u64 {
    1 << if flow_bits > 9 { flow_bits } else { 9 }
}

/// Event of a queue pair's flow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Notice {
    /// Flow.
    pub flow: u32,
    /// A CNP came; otherwise a packet left.
    pub marked: bool,
    /// Bytes of the packet, 16 bits.
    pub bytes: u32,
}

/// Inputs at a clock.
#[derive(Clone, Debug, Default)]
pub struct In {
    /// Synchronous reset.
    pub rst: bool,
    /// From queue pairs; an RTT at the same clock is ignored.
    pub notice: Option<Notice>,
    /// An ACK arrives: it echoes CE.
    pub ack: Option<bool>,
    /// From the RTT block; of queue pairs time-outs and NAKs alone.
    pub sample: Option<Sample>,
    /// From the RTT block.
    pub release: Option<Release>,
    /// Profile bus.
    pub profile: Option<ProfileWrite>,
    /// Flow bus.
    pub load: Option<FlowLoad>,
    /// Steady time, ns48.fns16.
    pub now: u64,
    /// The engine takes an action at this clock.
    pub ready: bool,
}

/// Outputs at a clock.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Out {
    /// The RAMs are cleared; before, inputs are ignored.
    pub swept: bool,
    /// A flow, and `engine::law::action` bits.
    pub action: Option<(u32, u8)>,
    /// Counted events, by [`Counter`].
    pub pulses: u64,
}

/// A flow to be looked at.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Seen {
    flow: u32,
    profile: u8,
    marked: bool,
    bytes: u32,
}

/// A sample or notice on its way to those that wait.
#[derive(Clone, Copy, Debug)]
struct Coming {
    since: u64,
    seen: Seen,
    /// Notices have their bytes, samples get them a clock later.
    notice: bool,
}

/// A look under way.
#[derive(Clone, Copy, Debug)]
struct Look {
    seen: Seen,
    now: u32,
    phase: u64,
    void: bool,
    timed_out: bool,
    lost: bool,
    /// Losses lower the flow's rate.
    falls: bool,
    /// As many flows waited to be looked at again as may, when the look began.
    crowded: bool,
    /// The words that were read.
    periods: Periods,
}

/// The block.
#[derive(Clone, Debug)]
pub struct Reaction {
    flow_bits: u32,
    swept_at: u64,
    profiles: Vec<[u32; profile::WORDS]>,
    /// A profile's word, a clock after it was on the bus.
    written: Option<ProfileWrite>,
    /// Profile and word by flow.
    flows: Vec<(u8, Word)>,
    /// Flows that timed out since they were looked at.
    timed_out: Vec<bool>,
    /// Flows of which an ACK or a NAK told of a loss.
    lost_packets: Vec<bool>,
    /// Marks of the ACKs of the last clocks, by the clock of their sample.
    marks: VecDeque<(u64, bool)>,
    /// Samples and notices of the last clock and the one before.
    came: VecDeque<Coming>,
    samples: Fifo<Seen>,
    again: Fifo<Seen>,
    look: Option<Look>,
    rest: u64,
    load: Option<u32>,
    action: Option<(u32, u8)>,
    lost: bool,
}

impl Reaction {
    /// A block of `2^flow_bits` flows that leaves reset at clock 0.
    pub fn new(flow_bits: u32) -> Self {
        Reaction {
            flow_bits,
            swept_at: sweep_clocks(flow_bits),
            profiles: vec![[0; profile::WORDS]; profile::PROFILES],
            written: None,
            flows: vec![Default::default(); 1 << flow_bits],
            timed_out: vec![false; 1 << flow_bits],
            lost_packets: vec![false; 1 << flow_bits],
            marks: VecDeque::new(),
            came: VecDeque::new(),
            samples: Fifo::new(SAMPLES),
            again: Fifo::new(AGAIN),
            look: None,
            rest: 0,
            load: None,
            action: None,
            lost: false,
        }
    }

    /// A flow's word.
    pub fn word(&self, flow: u32) -> &Word {
        &self.flows[flow as usize].1
    }

    // The sample or notice that comes to those that wait at this clock, if its flow follows DCQCN.
    fn arrive(&mut self, clk: u64, i: &In) -> Option<Coming> {
        while self.marks.pop_front_if(|m| m.0 < clk).is_some() {}
        let marked = self.marks.front().is_some_and(|m| m.0 == clk && m.1);
        if let Some(marked_ack) = i.ack {
            self.marks.push_back((clk + ACK_TO_SAMPLE as u64, marked_ack));
        }
        let entering = self.came.pop_front_if(|c| c.since + 2 == clk);
        // A clock after the sample: its bytes, and whether its profile has the law.
        if let Some(c) = self.came.back_mut().filter(|c| c.since + 1 == clk) {
            if !c.notice {
                c.seen.bytes = i.release.map_or(0, |r| r.bytes & ((1 << RELEASED_BITS) - 1));
            }
            if profile::LAW.get(&self.profiles[usize::from(c.seen.profile)]) != profile::LAW_DCQCN {
                self.came.pop_back();
            }
        }
        let sample = i.sample.filter(|s| s.kind == KIND_RTT).map(|s| Notice { flow: s.flow, marked, bytes: 0 });
        if let Some(Notice { flow, marked, bytes }) = i.notice.or(sample) {
            let profile = self.flows[flow as usize].0;
            self.came.push_back(Coming { since: clk, seen: Seen { flow, profile, marked, bytes }, notice: i.notice.is_some() });
        }
        entering
    }
}

impl Block for Reaction {
    type In = In;
    type Out = Out;

    fn output(&self, clk: u64) -> Out {
        let pulses = u64::from(self.lost) << Counter::EngineOverflows as u32;
        Out { swept: clk >= self.swept_at, action: self.action, pulses }
    }

    fn step(&mut self, clk: u64, i: &In) {
        if i.rst {
            *self = Reaction::new(self.flow_bits);
            self.swept_at += clk + 1;
            return;
        }
        if clk < self.swept_at {
            return;
        }
        let entering = self.arrive(clk, i);
        let (samples, again) = (self.samples.output(clk), self.again.output(clk));
        let left_out = |c: &Coming| c.notice && !c.seen.marked && samples.head.is_some();
        let entering = entering.filter(|c| !left_out(c)).map(|c| c.seen);
        self.lost = entering.is_some() && !samples.ready;
        let kept = self.action.filter(|_| !i.ready);
        self.action = kept;
        // The look under way.
        let (mut acted, mut cleared, mut mended) = (None, None, None);
        let ends = self.look.as_ref().is_some_and(|l| l.phase == LOOK - 1);
        if let Some(l) = &mut self.look {
            let words = Periods::of(&self.profiles[usize::from(l.seen.profile)]);
            match l.phase {
                0 => {
                    l.timed_out = self.timed_out[l.seen.flow as usize];
                    l.lost = self.lost_packets[l.seen.flow as usize];
                }
                1 => l.falls = profile::LOSS_DECREASE.get(&self.profiles[usize::from(l.seen.profile)]) != 0,
                reads::INTERVAL => l.periods.cnp_ns = words.cnp_ns,
                reads::FAST => l.periods.fast = words.fast,
                reads::COUNTER => l.periods.stage_bytes = words.stage_bytes,
                reads::STAGE => l.periods.stage_ns = words.stage_ns,
                reads::ALPHA => l.periods.alpha_ns = words.alpha_ns,
                _ => {}
            }
            if ends && !l.void {
                let heard = Heard {
                    marked: l.seen.marked,
                    bytes: l.seen.bytes,
                    timed_out: l.timed_out,
                    lost: l.lost && l.falls,
                    crowded: l.crowded || !again.ready,
                };
                let (word, bits, overtaken) = look(&self.flows[l.seen.flow as usize].1, &l.periods, l.now, &heard);
                self.flows[l.seen.flow as usize].1 = word;
                cleared = l.timed_out.then_some(l.seen.flow);
                mended = l.lost.then_some(l.seen.flow);
                self.lost |= overtaken;
                if bits != 0 {
                    self.lost |= kept.is_some();
                    self.action = Some((l.seen.flow, bits));
                    acted = Some(Seen { marked: false, bytes: 0, ..l.seen });
                }
            }
            l.phase += 1;
        }
        let times_out = i.sample.filter(|s| s.kind == KIND_TIMEOUT).map(|s| s.flow);
        if let Some(flow) = times_out.or(cleared) {
            self.timed_out[flow as usize] = times_out.is_some();
        }
        let loses = i.sample.filter(|s| s.lost > 0).map(|s| s.flow);
        if let Some(flow) = loses.or(mended) {
            self.lost_packets[flow as usize] = loses.is_some();
        }
        if let Some(flow) = self.load.filter(|_| !ends) {
            self.flows[flow as usize].1 = Word::default();
            if let Some(l) = self.look.as_mut().filter(|l| l.seen.flow == flow) {
                l.void = true;
            }
            self.load = None;
        }
        // The next one.
        let free = self.look.is_none() || ends;
        let rests = self.rest != 0;
        let next = samples.head.or(again.head.filter(|_| !rests)).filter(|_| free);
        let from_again = free && samples.head.is_none() && !rests;
        if free {
            let now = (i.now >> 16) as u32;
            let crowded = !again.ready;
            self.look = next.map(|seen| Look {
                seen,
                now,
                phase: 0,
                void: false,
                timed_out: false,
                lost: false,
                falls: false,
                crowded,
                periods: Periods::default(),
            });
        }
        self.samples.step(clk, &fifo::In { rst: false, push: entering, ready: free });
        self.again.step(clk, &fifo::In { rst: false, push: acted, ready: from_again });
        self.rest = if acted.is_some() { REST } else { self.rest.saturating_sub(1) };
        if let Some(l) = &i.load {
            self.flows[l.flow as usize].0 = l.profile();
            if !(l.enable() && l.keep()) {
                self.load = Some(l.flow);
            }
        }
        if let Some(w) = std::mem::replace(&mut self.written, i.profile) {
            self.profiles[usize::from(w.profile)][usize::from(w.word)] = w.data;
        }
    }

    fn wake(&self, clk: u64) -> u64 {
        if clk < self.swept_at {
            return self.swept_at;
        }
        let still = self.look.is_none()
            && self.written.is_none()
            && self.load.is_none()
            && self.action.is_none()
            && !self.lost
            && self.came.is_empty()
            && self.rest == 0;
        if still && self.samples.is_empty() && self.again.is_empty() { u64::MAX } else { clk }
    }
}
