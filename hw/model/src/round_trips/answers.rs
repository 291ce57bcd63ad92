//! Answers, and timed packets that get none.
use super::words::{Answer, Done, Pulse, Sent, Start, Verb, WINDOW, distance, mtu_of};
use crate::bus::{KIND_NAK, KIND_RTT, KIND_TIMEOUT, RTT_MAX, Sample};
use crate::rtt::ring::STAMP;
use crate::rtt::signal::q8;
use std::collections::VecDeque;

/// Clocks from an operation's entry to its decision.
const DECIDED: usize = 3;
/// log2 of the ns in which times of requests are kept, and their bits.
pub const UNIT: u32 = 5;
pub const SINCE: u32 = u32::MAX >> UNIT;

/// Time after which an answer is late where there is no time-out, in that unit.
const FOREVER: u32 = (RTT_MAX + 1) >> UNIT;

/// An operation on a flow.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Query {
    Answer(Answer),
    /// The packet that is timed gets no sample.
    Forget,
    /// The flow's turn to be looked at.
    Turn,
}

/// Memories of the other blocks, as an operation on a flow reads them.
#[derive(Clone, Copy, Debug, Default)]
pub struct Seen {
    pub sent: Sent,
    pub start: Start,
    pub enabled: bool,
    pub profile: u8,
    /// When the newest answer entered, units of 32 ns.
    pub last: u32,
}

/// An operation with what it read as it entered.
#[derive(Clone, Copy, Debug)]
struct Op {
    query: Query,
    flow: u32,
    /// Arrival of an answer; time at which another operation entered. ns48.fns16.
    ts: u64,
    /// Low 32 bits of the ns at which the operation entered.
    now_ns: u32,
    /// Time at which the operation entered, units of 32 ns.
    entered: u32,
    seen: Seen,
    timeout: u32,
    word: Option<Done>,
}

/// Outputs of a clock.
#[derive(Clone, Copy, Debug, Default)]
pub struct Given {
    pub sample: Option<Sample>,
    pub pulses: u16,
}

/// Words of all flows, and operations under way.
#[derive(Clone, Debug)]
pub struct Answers {
    words: Vec<Done>,
    shown: Vec<Done>,
    /// When the newest answer of each flow entered.
    lasts: Vec<u32>,
    ops: VecDeque<Option<Op>>,
}

impl Answers {
    pub fn new(flows: usize) -> Self {
        Answers {
            words: vec![Done::default(); flows],
            shown: vec![Done::default(); flows],
            lasts: vec![0; flows],
            ops: VecDeque::from([None; DECIDED + 1]),
        }
    }

    /// No operation is under way.
    pub fn is_idle(&self) -> bool {
        self.ops.iter().all(Option::is_none)
    }

    /// A flow's word as the other side reads it.
    pub fn shown(&self, flow: u32) -> Done {
        self.shown[flow as usize]
    }

    /// When a flow's newest answer entered, units of 32 ns.
    pub fn last(&self, flow: u32) -> u32 {
        self.lasts[flow as usize]
    }

    /// A clock: the operation that enters at time `now`, with what it reads; time-outs by profile.
    pub fn step(&mut self, query: Option<(Query, u32, Seen)>, now: u64, timeouts: &[u32], epoch: u8) -> Given {
        if let Some(Op { word: Some(word), flow, .. }) = self.ops.pop_back().flatten() {
            self.shown[flow as usize] = word;
        }
        if let Some(op) = &mut self.ops[1] {
            op.timeout = timeouts[usize::from(op.seen.profile)];
        }
        let mut given = Given::default();
        if let Some(op) = &mut self.ops[DECIDED - 1] {
            let word = &mut self.words[op.flow as usize];
            given = decide(word, op, epoch);
            op.word = Some(*word);
            if matches!(op.query, Query::Answer(_)) && op.seen.enabled {
                self.lasts[op.flow as usize] = op.entered;
            }
        }
        self.ops.push_front(query.map(|(query, flow, seen)| {
            let ts = if let Query::Answer(a) = query { a.ts } else { now };
            Op { query, flow, ts, now_ns: (now >> 16) as u32, entered: (now >> (16 + UNIT)) as u32 & SINCE, seen, timeout: 0, word: None }
        }));
        given
    }
}

/// Decides an operation: its flow's word from then on, and the outputs.
fn decide(word: &mut Done, op: &Op, epoch: u8) -> Given {
    let mut given = Given::default();
    let Seen { sent, start, enabled, last, .. } = op.seen;
    let mut pulse = |p: Pulse| given.pulses |= 1 << p as u16;
    let timing = sent.timing != word.timing;
    let now_ns = op.now_ns;
    let long = |at: u32| op.entered.wrapping_sub(at) & SINCE >= if op.timeout == 0 { FOREVER } else { op.timeout >> UNIT };
    let late = word.late || long(sent.since);
    // Of this connection, and since the flow was loaded.
    let heard = word.heard && word.connection == sent.connection;
    match op.query {
        Query::Forget => *word = Done { timing: sent.timing, ..Done::default() },
        Query::Turn => {
            let over = enabled && timing && long(sent.since);
            word.late |= over;
            if over && op.timeout != 0 && long(last) {
                (word.timing, word.late) = (sent.timing, false);
                // Answers to a pair that is not joined find no flow: their absence tells nothing.
                if heard {
                    pulse(Pulse::TimedOut);
                    given.sample = Some(Sample { kind: KIND_TIMEOUT, flow: op.flow, rtt_ns: RTT_MAX, now_ns, ..Sample::default() });
                }
            }
        }
        Query::Answer(_) if !enabled => {}
        Query::Answer(a) if !(0..WINDOW).contains(&distance(sent.newest, a.psn)) => pulse(Pulse::Stray),
        Query::Answer(a) => {
            (word.heard, word.connection) = (true, sent.connection);
            let refuses = matches!(a.verb, Verb::Nak | Verb::NotReady);
            match a.verb {
                Verb::Nak => {
                    pulse(Pulse::Nak);
                    // Of a request of this load.
                    if sent.known {
                        given.sample = Some(Sample { kind: KIND_NAK, flow: op.flow, now_ns, lost: 1, ..Sample::default() });
                    }
                }
                Verb::NotReady => pulse(Pulse::NotReady),
                Verb::Response => word.mtu = word.mtu.max(mtu_of(a.bytes.into())),
                Verb::Ack => {}
            }
            let covers = distance(a.psn, sent.timed) >= 0;
            if timing && (covers || refuses) {
                // Without a time-out it is said to have taken the longest time that can be said, if
                // the time is its own.
                let (unsure, longest) = (sent.unsure || (late && (op.timeout != 0 || sent.replaced)), late);
                (word.timing, word.late) = (sent.timing, false);
                if refuses {
                } else if unsure {
                    pulse(Pulse::Unsure);
                } else if !start.stamp.valid || start.timing != sent.timing {
                    pulse(Pulse::Unstamped);
                } else if start.stamp.epoch != epoch {
                    pulse(Pulse::AcrossStep);
                } else {
                    let rtt_ns = if longest { RTT_MAX } else { rtt(op.ts, start.stamp.at) };
                    given.sample = Some(Sample { kind: KIND_RTT, flow: op.flow, rtt_ns, now_ns, ..Sample::default() });
                }
            }
        }
    }
    given
}

/// ns from `start`, Q.8, to `end`, ns48.fns16, rounded; 0 if negative.
fn rtt(end: u64, start: u64) -> u32 {
    let rtt = q8(end).wrapping_add(128).wrapping_sub(start) & STAMP;
    match rtt {
        _ if rtt >> 39 != 0 => 0,
        _ => (rtt >> 8).min(RTT_MAX.into()) as u32,
    }
}
