//! An event-level host that paces every packet by a token bucket, as the hardware does, with an f64
//! law.
//!
//! The measured RTT is the path's: from the end of a segment's last packet to the ACK's first bit.
use super::host::{Acked, Sender};
use super::loss::Losses;
use super::stream::{FlowSpec, Stream, Timers};
use super::{Outbox, RateSample, RttSample, TimeoutSample};
use crate::frame::{FlowId, Frame, NodeId};
use crate::time::{NEVER, Ps, Speed};
use std::collections::VecDeque;
use timely_model::reference::Law;

/// Flow of a paced host, with the parameters of its pacing.
pub struct PacedFlow {
    /// The flow.
    pub spec: FlowSpec,
    /// Law of the flow.
    pub law: Box<dyn Law + Send>,
    /// Bound of outstanding wire bytes; 0 none.
    pub bound: u64,
    /// Most tokens that a flow may save, bytes; a packet is always allowed.
    pub cap: u64,
    /// A segment that is not answered for this long is sent again; 0 never.
    pub timeout: Ps,
    /// Losses lower its rate.
    pub falls_by_loss: bool,
}

struct Flow {
    stream: Stream,
    law: Box<dyn Law + Send>,
    bound: u64,
    cap: u64,
    timeout: Ps,
    losses: Losses,
    // Wire bytes, may be a fraction, and when they were counted last.
    tokens: f64,
    counted: Ps,
    queued: bool,
    // The flow's timer is set.
    armed: bool,
}

impl Flow {
    fn settle(&mut self, now: Ps) {
        let cap = self.cap.max(self.stream.next_wire()) as f64;
        self.tokens = (self.tokens + self.law.rate() / 8e6 * (now - self.counted) as f64).min(cap);
        self.counted = now;
    }

    // When the tokens suffice for the next packet at the rate in force.
    fn eligible(&self) -> Ps {
        let missing = self.stream.next_wire() as f64 - self.tokens;
        if missing <= 1e-6 { self.counted } else { self.counted + (missing * 8e6 / self.law.rate()).ceil() as Ps }
    }

    fn bounded(&self) -> bool {
        self.bound > 0 && self.stream.wire + self.stream.next_wire() > self.bound && !self.stream.is_alone()
    }

    fn expires(&self) -> Ps {
        self.stream.expires(self.timeout)
    }
}

/// The pacing sender.
pub struct Paced {
    host: NodeId,
    speed: Speed,
    flows: Vec<Flow>,
    timers: Timers,
    expiry: Timers,
    round: VecDeque<usize>,
    timeouts: u64,
}

impl Paced {
    /// A sender of these flows, whose numbers are their places.
    pub fn new(host: NodeId, speed: Speed, flows: Vec<PacedFlow>) -> Self {
        let (mut timers, expiry) = (Timers::new(flows.len()), Timers::new(flows.len()));
        let flows: Vec<Flow> = flows
            .into_iter()
            .enumerate()
            .map(|(i, f)| {
                timers.set(i, f.spec.start);
                let start = f.spec.start;
                let stream = Stream::new(f.spec);
                let tokens = stream.next_wire() as f64;
                Flow {
                    stream,
                    law: f.law,
                    bound: f.bound,
                    cap: f.cap,
                    timeout: f.timeout,
                    losses: Losses::new(f.falls_by_loss),
                    tokens,
                    counted: start,
                    queued: false,
                    armed: true,
                }
            })
            .collect();
        Paced { host, speed, flows, timers, expiry, round: VecDeque::new(), timeouts: 0 }
    }

    fn consider(&mut self, i: usize, now: Ps) {
        let f = &mut self.flows[i];
        f.stream.post(now);
        if f.queued || f.armed || f.bounded() {
            return;
        }
        if !f.stream.backlog(now) {
            if f.stream.next_post() != NEVER {
                self.timers.set(i, f.stream.next_post());
            }
            return;
        }
        f.settle(now);
        let at = f.eligible();
        if at <= now {
            f.queued = true;
            self.round.push_back(i);
        } else {
            f.armed = true;
            self.timers.set(i, at);
        }
    }
}

impl Sender for Paced {
    fn next(&self) -> Ps {
        self.timers.next().min(self.expiry.next())
    }

    fn timers(&mut self, now: Ps, out: &mut Outbox) {
        while let Some(i) = self.timers.due(now) {
            self.flows[i].armed = false;
            self.consider(i, now);
        }
        while let Some(i) = self.expiry.due(now) {
            while self.flows[i].expires() <= now {
                let f = &mut self.flows[i];
                f.settle(now);
                f.stream.expire();
                let mbps = f.law.timeout(now as f64 / 1e6);
                out.rates.push(RateSample { at: now, flow: i as FlowId, mbps });
                out.timeouts.push(TimeoutSample { at: now, flow: i as FlowId });
                self.timeouts += 1;
            }
            let at = self.flows[i].expires();
            if at != NEVER {
                self.expiry.set(i, at);
            }
            self.consider(i, now);
        }
    }

    fn ready(&self) -> bool {
        !self.round.is_empty()
    }

    fn pull(&mut self, now: Ps) -> Option<Frame> {
        let i = self.round.pop_front()?;
        let f = &mut self.flows[i];
        f.queued = false;
        f.settle(now);
        f.tokens -= f.stream.next_wire() as f64;
        let frame = f.stream.take(self.host, now);
        if frame.meta.last {
            let none_before = f.expires() == NEVER;
            f.stream.sent(now + self.speed.frame_time(frame.bytes));
            if none_before && f.expires() != NEVER {
                let at = f.expires();
                self.expiry.set(i, at);
            }
        }
        self.consider(i, now);
        Some(frame)
    }

    fn acked(&mut self, ack: Acked, now: Ps, out: &mut Outbox) {
        let Acked { flow, segment, lost, at } = ack;
        let i = flow as usize;
        let Some(f) = self.flows.get_mut(i) else { return };
        let Some(o) = f.stream.acked(segment) else { return };
        let rtt = at.saturating_sub(o.sent);
        out.rtts.push(RttSample { at, flow, path: Some(rtt), measured_ns: Some(rtt as f64 / 1000.0), marks: None });
        // Tokens until now were earned at the old rate.
        f.settle(now);
        let before = f.law.rate();
        let (rtt_us, now_us) = (rtt as f64 / 1e6, now as f64 / 1e6);
        let mbps = if f.losses.counts(lost, rtt, now) { f.law.loss(rtt_us, now_us) } else { f.law.update(rtt_us, now_us) };
        if mbps != before {
            out.rates.push(RateSample { at: now, flow, mbps });
        }
        let expires = f.expires();
        if expires != NEVER {
            self.expiry.set(i, expires);
        }
        // The bound may have held it back, or lost bytes came back to a flow that had nothing left.
        self.consider(i, now);
    }

    fn timeouts(&self) -> u64 {
        self.timeouts
    }
}
