//! An event-level host whose software runs the law: it posts whole segments, which the NIC sends at
//! line rate, on a timer.
//!
//! The measured RTT is that of such software: from the posting of the segment to the ACK, the
//! segment's own time at line rate subtracted (or left in, by option). Waiting behind other bursts
//! in its own NIC counts.
use super::host::{Acked, Sender};
use super::loss::Losses;
use super::stream::{FlowSpec, Stream, Timers};
use super::{Outbox, RateSample, RttSample, TimeoutSample};
use crate::frame::{FlowId, Frame, NodeId};
use crate::time::{NEVER, Ps, Speed};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::collections::VecDeque;
use timely_model::reference::Law;

/// How the software is scheduled.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scheduling {
    /// Period of the timer on which segments are posted and completions handled; 0: at once.
    pub slot: Ps,
    /// Added delay, uniform up to this.
    pub jitter: Ps,
    /// Subtract the segment's own serialization from its RTT, as TIMELY does.
    pub subtract_own: bool,
}

/// Flow of a software host, with the parameters of its posting.
pub struct SoftwareFlow {
    /// The flow.
    pub spec: FlowSpec,
    /// Law of the flow.
    pub law: Box<dyn Law + Send>,
    /// Bound of unanswered wire bytes; 0 none.
    pub bound: u64,
    /// A segment that is not answered for this long is sent again; 0 never.
    pub timeout: Ps,
    /// Losses lower its rate.
    pub falls_by_loss: bool,
}

struct Flow {
    stream: Stream,
    law: Box<dyn Law + Send>,
    bound: u64,
    timeout: Ps,
    losses: Losses,
    // When each segment that has not left completely was posted.
    posted: VecDeque<Ps>,
    posted_at: Option<Ps>,
    in_ring: bool,
    // Completions that the software has not seen yet: (when it will, RTT in ns, segments that lost
    // packets).
    completions: VecDeque<(Ps, f64, u8)>,
    due: Ps,
    waiting: bool,
}

/// The posting sender.
pub struct Software {
    host: NodeId,
    speed: Speed,
    scheduling: Scheduling,
    flows: Vec<Flow>,
    timers: Timers,
    ring: VecDeque<usize>,
    rng: ChaCha8Rng,
    timeouts: u64,
}

impl Software {
    /// A sender of these flows, whose numbers are their places.
    pub fn new(host: NodeId, speed: Speed, scheduling: Scheduling, seed: u64, flows: Vec<SoftwareFlow>) -> Self {
        let mut timers = Timers::new(flows.len());
        let flows = flows
            .into_iter()
            .enumerate()
            .map(|(i, SoftwareFlow { spec, law, bound, timeout, falls_by_loss })| {
                let due = spec.start;
                timers.set(i, due);
                let (posted, completions) = Default::default();
                let (stream, posted_at, in_ring, waiting) = (Stream::new(spec), None, false, false);
                let losses = Losses::new(falls_by_loss);
                Flow { stream, law, bound, timeout, losses, posted, posted_at, in_ring, completions, due, waiting }
            })
            .collect();
        let rng = ChaCha8Rng::seed_from_u64(seed);
        Software { host, speed, scheduling, flows, timers, ring: VecDeque::new(), rng, timeouts: 0 }
    }

    // The moment at which the software sees something that is due at `t`.
    fn seen(&mut self, t: Ps) -> Ps {
        let at = if self.scheduling.slot > 0 { t.next_multiple_of(self.scheduling.slot) } else { t };
        if self.scheduling.jitter > 0 { at + self.rng.random_range(0..=self.scheduling.jitter) } else { at }
    }

    fn gap(&self, i: usize) -> Ps {
        let f = &self.flows[i];
        let packets = u64::from(f.stream.spec.segment.div_ceil(f.stream.spec.packet));
        let headers = u64::from(super::stream::HEADERS + 24);
        let wire = u64::from(f.stream.spec.segment) + packets * headers;
        (wire as f64 * 8e6 / f.law.rate()).ceil() as Ps
    }

    fn expires(&self, i: usize) -> Ps {
        self.flows[i].stream.expires(self.flows[i].timeout)
    }

    fn arm(&mut self, i: usize) {
        let post = if self.flows[i].waiting { NEVER } else { self.flows[i].due };
        let completion = self.flows[i].completions.front().map_or(NEVER, |c| c.0);
        let at = post.min(completion).min(self.expires(i));
        if at != NEVER {
            self.timers.set(i, at);
        }
    }

    fn post(&mut self, i: usize, now: Ps) {
        let gap = self.gap(i);
        let f = &mut self.flows[i];
        if now < f.due || f.waiting {
            return;
        }
        f.stream.post(now);
        let full = f.bound > 0 && f.stream.wire + f.stream.next_wire() > f.bound;
        if !f.stream.backlog(now) || full || (f.stream.spec.bytes.is_some() && !f.posted.is_empty()) {
            // A completion, the end of a burst, or a message looks again.
            f.waiting = f.stream.next_post() == NEVER;
            if !f.waiting {
                f.due = f.stream.next_post();
            }
            return;
        }
        // The rate may have fallen since this was scheduled.
        let eligible = f.posted_at.map_or(now, |p| p + gap);
        if eligible > now {
            let due = self.seen(eligible);
            self.flows[i].due = due;
            return;
        }
        f.posted_at = Some(now);
        f.posted.push_back(now);
        if !f.in_ring {
            f.in_ring = true;
            self.ring.push_back(i);
        }
        self.flows[i].due = self.seen(now + gap).max(now + 1);
    }

    fn complete(&mut self, i: usize, now: Ps, out: &mut Outbox) {
        while let Some((at, rtt_ns, lost)) = self.flows[i].completions.front().copied() {
            if at > now {
                break;
            }
            let f = &mut self.flows[i];
            f.completions.pop_front();
            let before = f.law.rate();
            let (rtt_us, now_us) = (rtt_ns / 1e3, now as f64 / 1e6);
            let counts = f.losses.counts(lost, (rtt_ns * 1e3) as Ps, now);
            let mbps = if counts { f.law.loss(rtt_us, now_us) } else { f.law.update(rtt_us, now_us) };
            if mbps != before {
                out.rates.push(RateSample { at: now, flow: i as FlowId, mbps });
            }
        }
    }
}

impl Sender for Software {
    fn next(&self) -> Ps {
        self.timers.next()
    }

    fn timers(&mut self, now: Ps, out: &mut Outbox) {
        while let Some(i) = self.timers.due(now) {
            self.complete(i, now, out);
            while self.expires(i) <= now {
                let f = &mut self.flows[i];
                f.stream.expire(now);
                f.waiting = false;
                let mbps = f.law.timeout(now as f64 / 1e6);
                out.rates.push(RateSample { at: now, flow: i as FlowId, mbps });
                out.timeouts.push(TimeoutSample { at: now, flow: i as FlowId });
                self.timeouts += 1;
            }
            self.post(i, now);
            self.arm(i);
        }
    }

    fn ready(&self) -> bool {
        !self.ring.is_empty()
    }

    fn pull(&mut self, now: Ps) -> Option<Frame> {
        let i = loop {
            let i = self.ring.pop_front()?;
            let f = &mut self.flows[i];
            if !f.stream.is_done() {
                break i;
            }
            // A late ACK showed what was to be sent again to have arrived.
            f.posted.clear();
            f.in_ring = false;
            self.arm(i);
        };
        let f = &mut self.flows[i];
        let from = f.posted.front().copied().unwrap_or(now);
        let frame = f.stream.take(self.host, from);
        if frame.meta.last {
            f.posted.pop_front();
            f.stream.sent(now + self.speed.frame_time(frame.bytes));
            if f.waiting {
                f.waiting = false;
                f.due = f.due.max(now);
            }
        }
        // Round robin by packet among the flows with posted bursts, as a NIC serves its queues.
        f.in_ring = !f.posted.is_empty();
        if f.in_ring {
            self.ring.push_back(i);
        }
        self.arm(i);
        Some(frame)
    }

    fn acked(&mut self, ack: Acked, now: Ps, out: &mut Outbox) {
        let Acked { flow, segment, lost, at } = ack;
        let i = flow as usize;
        let Some(f) = self.flows.get_mut(i) else { return };
        let Some(o) = f.stream.acked(segment, now) else { return };
        let own = if self.scheduling.subtract_own { self.speed.time(o.wire) } else { 0 };
        let rtt_ns = at.saturating_sub(o.from + own) as f64 / 1000.0;
        out.rtts.push(RttSample { at, flow, path: Some(at.saturating_sub(o.sent)), measured_ns: Some(rtt_ns), marks: None });
        if f.waiting {
            f.waiting = false;
            f.due = f.due.max(now);
        }
        // Completions are seen in order.
        let seen = self.seen(now).max(self.flows[i].completions.back().map_or(0, |c| c.0));
        self.flows[i].completions.push_back((seen, rtt_ns, lost));
        self.arm(i);
    }

    fn timeouts(&self) -> u64 {
        self.timeouts
    }
}
