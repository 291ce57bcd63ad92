//! An event-level host that paces every packet by a token bucket, as the hardware does, with an f64
//! law.
//!
//! The measured RTT is the path's: from the end of a segment's last packet to the ACK's first bit,
//! to the nearest ns as the hardware measures it. TIMELY's deadband is a few ps: of RTTs in ps a
//! queue that grows by 100 bytes a second has a gradient, and rates that hold it at rest on the
//! hardware fall.
use super::bucket::Bucket;
use super::host::{Acked, Sender};
use super::loss::Losses;
use super::stream::{FlowSpec, Stream, Timers};
use super::{Outbox, RateSample, RttSample, TimeoutSample};
use crate::frame::{FlowId, Frame, NodeId};
use crate::time::{NEVER, NS, Ps, Speed};
use std::collections::VecDeque;
use timely_model::reference::Law;

/// An RTT to the nearest ns.
fn measured(rtt: Ps) -> Ps {
    (rtt + NS / 2) / NS * NS
}

/// Flow of a paced host, with the parameters of its pacing.
pub struct PacedFlow {
    /// The flow.
    pub spec: FlowSpec,
    /// Law of the flow.
    pub law: Box<dyn Law + Send>,
    /// Bound of outstanding wire bytes; 0 none.
    pub bound: u64,
    /// Most bytes that a flow may save.
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
    bucket: Bucket,
    queued: bool,
    // The flow's timer is set.
    armed: bool,
}

impl Flow {
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
                Flow {
                    bucket: Bucket::new(f.spec.start, f.law.rate()),
                    stream: Stream::new(f.spec),
                    law: f.law,
                    bound: f.bound,
                    cap: f.cap,
                    timeout: f.timeout,
                    losses: Losses::new(f.falls_by_loss),
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
        if f.queued || f.armed {
            return;
        }
        if f.bounded() || !f.stream.backlog(now) {
            // A message, an ACK or a time-out looks again.
            f.bucket.sleep();
            if f.stream.next_post() != NEVER {
                self.timers.set(i, f.stream.next_post());
            }
            return;
        }
        let wait = f.bucket.pass(now, f.law.rate(), f.cap);
        if wait == 0 {
            f.queued = true;
            self.round.push_back(i);
        } else {
            f.armed = true;
            self.timers.set(i, now + wait);
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
                f.stream.expire(now);
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
        let i = loop {
            let i = self.round.pop_front()?;
            let f = &mut self.flows[i];
            f.queued = false;
            if !f.stream.is_done() {
                break i;
            }
            // A late ACK showed what was to be sent again to have arrived.
            self.consider(i, now);
        };
        let f = &mut self.flows[i];
        f.bucket.pay(f.stream.next_wire());
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
        let Some(o) = f.stream.acked(segment, now) else { return };
        let rtt = at.saturating_sub(o.sent);
        let measured = measured(rtt);
        out.rtts.push(RttSample { at, flow, path: Some(rtt), measured_ns: Some(measured as f64 / 1e3), marks: None });
        let before = f.law.rate();
        let (rtt_us, now_us) = (measured as f64 / 1e6, now as f64 / 1e6);
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
