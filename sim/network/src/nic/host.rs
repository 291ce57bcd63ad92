//! Parts that event-level hosts share: the port with its two queues, the answering of segments,
//! pauses.
use super::loss::Arrivals;
use super::stream::HEADERS;
use super::{Arrival, Departure, Nic, Outbox, Stats};
use crate::frame::{Class, FlowId, Frame, Meta, NodeId};
use crate::time::{NEVER, Ps, Speed};
use std::collections::VecDeque;

/// An ACK.
#[derive(Clone, Copy, Debug)]
pub struct Acked {
    /// Flow that the ACK answers.
    pub flow: FlowId,
    /// The segment that it answers.
    pub segment: u32,
    /// Segments that lost packets, of which it tells.
    pub lost: u8,
    /// Arrival of the ACK's first bit.
    pub at: Ps,
}

/// Scheduler of an event-level host's data: decides when each packet leaves.
pub trait Sender: Send {
    /// The earliest timer.
    fn next(&self) -> Ps;
    /// Timers that are due at `now`.
    fn timers(&mut self, now: Ps, out: &mut Outbox);
    /// Whether a data packet waits for the wire.
    fn ready(&self) -> bool;
    /// The packet that starts on the wire at `now`.
    fn pull(&mut self, now: Ps) -> Option<Frame>;
    /// An ACK, handled at `now`.
    fn acked(&mut self, ack: Acked, now: Ps, out: &mut Outbox);
    /// Segments given up.
    fn timeouts(&self) -> u64 {
        0
    }
}

/// An event-level host: answers segments promptly, sends ACKs before data, obeys pauses.
pub struct EventNic<S> {
    host: NodeId,
    speed: Speed,
    ack_delay: Ps,
    sender: S,
    now: Ps,
    wire_free: Ps,
    paused: u8,
    pauses: VecDeque<(Ps, u8)>,
    arrivals: VecDeque<Arrival>,
    // An ACK and when it may start.
    acks: VecDeque<(Ps, Frame)>,
    // Arrivals of each flow.
    seen: Arrivals,
}

impl<S: Sender> EventNic<S> {
    /// A host behind a link of this speed, which has an ACK ready `ack_delay` after a segment's
    /// last bit.
    pub fn new(host: NodeId, speed: Speed, ack_delay: Ps, sender: S) -> Self {
        EventNic {
            host,
            speed,
            ack_delay,
            sender,
            now: 0,
            wire_free: 0,
            paused: 0,
            pauses: VecDeque::new(),
            arrivals: VecDeque::new(),
            acks: VecDeque::new(),
            seen: Arrivals::default(),
        }
    }

    fn may_send_data(&self) -> bool {
        self.paused & (1 << Class::Data as u8) == 0 && self.sender.ready()
    }

    fn arrive(&mut self, a: Arrival, out: &mut Outbox) {
        let f = a.frame;
        if f.bad || f.flow == crate::frame::FOREIGN {
            return;
        }
        if f.meta.ack {
            let ack = Acked { flow: f.flow, segment: f.meta.segment, lost: f.meta.lost, at: a.start };
            self.sender.acked(ack, a.end, out);
            return;
        }
        let lost = self.seen.count(&f);
        if f.meta.last {
            // Never longer than what it answers.
            let bytes = HEADERS.min(f.bytes);
            let meta = Meta { ack: true, payload: 0, lost, ..f.meta };
            let ack = Frame { src: self.host, dst: f.src, flow: f.flow, class: Class::Ack, bytes, bad: false, meta, body: None };
            self.acks.push_back((a.end + self.ack_delay, ack));
        }
    }

    fn send(&mut self, frame: Frame, out: &mut Outbox) {
        let end = self.now + self.speed.frame_time(frame.bytes);
        self.wire_free = end;
        out.departures.push(Departure { frame, start: self.now, end });
    }
}

impl<S: Sender> Nic for EventNic<S> {
    fn receive(&mut self, arrival: Arrival) {
        self.arrivals.push_back(arrival);
    }

    fn pause(&mut self, at: Ps, classes: u8) {
        self.pauses.push_back((at, classes));
    }

    fn next(&self) -> Ps {
        let mut t = self.sender.next();
        t = t.min(self.arrivals.front().map_or(NEVER, |a| a.end));
        t = t.min(self.pauses.front().map_or(NEVER, |p| p.0));
        t = t.min(self.acks.front().map_or(NEVER, |a| a.0.max(self.wire_free)));
        if self.may_send_data() {
            t = t.min(self.wire_free);
        }
        t.max(self.now)
    }

    fn advance(&mut self, until: Ps, out: &mut Outbox) {
        loop {
            let t = self.next();
            if t >= until {
                break;
            }
            self.now = t;
            while self.pauses.front().is_some_and(|p| p.0 <= t) {
                self.paused = self.pauses.pop_front().map_or(0, |p| p.1);
            }
            while self.arrivals.front().is_some_and(|a| a.end <= t) {
                if let Some(a) = self.arrivals.pop_front() {
                    self.arrive(a, out);
                }
            }
            if self.sender.next() <= t {
                self.sender.timers(t, out);
            }
            if self.wire_free <= t {
                if self.acks.front().is_some_and(|a| a.0 <= t) {
                    if let Some((_, ack)) = self.acks.pop_front() {
                        self.send(ack, out);
                    }
                } else if self.may_send_data()
                    && let Some(frame) = self.sender.pull(t)
                {
                    self.send(frame, out);
                }
            }
        }
        self.now = self.now.max(until);
    }

    fn stats(&self) -> Stats {
        Stats { timeouts: self.sender.timeouts(), ..Stats::default() }
    }
}
