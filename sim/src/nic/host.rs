//! What event-level hosts share: the port with its two queues, the answering of segments, and the cutting of a flow into packets.
use super::{Arrival, Departure, Nic, Outbox, Stats};
use crate::frame::{Class, FlowId, Frame, Meta, NodeId};
use crate::time::{NEVER, Ps, Speed, wire_bytes};
use std::collections::VecDeque;

/// Header bytes of a frame of ours over untagged IPv4.
pub const HEADERS: u32 = timely_regs::wire::Class { vlan: false, ipv6: false }.end() as u32;

/// A flow as its sender sees it.
#[derive(Clone, Debug, PartialEq)]
pub struct FlowSpec {
    /// Its number at the sender.
    pub id: FlowId,
    /// Where it goes.
    pub dst: NodeId,
    /// When it starts.
    pub start: Ps,
    /// Payload bytes to send; `None` for endless.
    pub bytes: Option<u64>,
    /// When an endless flow stops.
    pub stop: Option<Ps>,
    /// Payload bytes of a full packet.
    pub packet: u32,
    /// Payload bytes of a full segment.
    pub segment: u32,
}

/// A segment on its way.
#[derive(Clone, Copy, Debug)]
pub struct Outstanding {
    /// Its number.
    pub segment: u32,
    /// Payload bytes.
    pub payload: u64,
    /// Wire bytes.
    pub wire: u64,
    /// Where its RTT starts, as the sender sees it.
    pub from: Ps,
    /// End of its last packet at the sender; `NEVER` while it is being sent.
    pub sent: Ps,
}

/// A flow's way from bytes to packets, and the segments that have not been answered.
#[derive(Debug)]
pub struct Stream {
    /// What was asked for.
    pub spec: FlowSpec,
    left: Option<u64>,
    next_segment: u32,
    in_segment: u64,
    /// Unanswered segments, the oldest first; the last one may still be being sent.
    pub outstanding: VecDeque<Outstanding>,
    /// Wire bytes of all of them.
    pub wire: u64,
}

impl Stream {
    /// Nothing sent yet.
    pub fn new(spec: FlowSpec) -> Self {
        let left = spec.bytes;
        Stream { spec, left, next_segment: 0, in_segment: 0, outstanding: VecDeque::new(), wire: 0 }
    }

    /// Whether there is anything to send at `now`.
    pub fn backlog(&self, now: Ps) -> bool {
        self.left != Some(0) && (self.in_segment > 0 || self.spec.stop.is_none_or(|s| now < s))
    }

    /// Whether the next packet is the first of a segment.
    pub fn at_boundary(&self) -> bool {
        self.in_segment == 0
    }

    /// Wire bytes of the next packet.
    pub fn next_wire(&self) -> u64 {
        u64::from(wire_bytes(self.next_payload() as u32 + HEADERS))
    }

    fn next_payload(&self) -> u64 {
        let room = u64::from(self.spec.segment) - self.in_segment;
        u64::from(self.spec.packet).min(room).min(self.left.unwrap_or(u64::MAX)).max(1)
    }

    /// Takes the next packet; its segment's RTT is counted from `from` if this is its first packet.
    pub fn take(&mut self, src: NodeId, from: Ps) -> Frame {
        let payload = self.next_payload();
        let wire = self.next_wire();
        if self.in_segment == 0 {
            self.outstanding.push_back(Outstanding { segment: self.next_segment, payload: 0, wire: 0, from, sent: NEVER });
        }
        self.in_segment += payload;
        self.left = self.left.map(|l| l.saturating_sub(payload));
        let last = self.in_segment >= u64::from(self.spec.segment) || self.left == Some(0);
        if let Some(o) = self.outstanding.back_mut() {
            o.payload += payload;
            o.wire += wire;
        }
        self.wire += wire;
        let meta = Meta { segment: self.next_segment, last, ack: false, payload: payload as u32 };
        if last {
            self.in_segment = 0;
            self.next_segment = self.next_segment.wrapping_add(1);
        }
        Frame {
            src,
            dst: self.spec.dst,
            flow: self.spec.id,
            class: Class::Data,
            bytes: payload as u32 + HEADERS,
            bad: false,
            meta,
            body: None,
        }
    }

    /// The last packet of the newest segment leaves completely at `sent`.
    pub fn sent(&mut self, sent: Ps) {
        if let Some(o) = self.outstanding.back_mut() {
            o.sent = sent;
        }
    }

    /// An ACK: its segment, if it was outstanding. Older segments are lost, as nothing overtakes within a flow, and go back into
    /// the backlog.
    pub fn acked(&mut self, segment: u32) -> Option<Outstanding> {
        let at = self.outstanding.iter().position(|o| o.segment == segment)?;
        for _ in 0..at {
            self.give_up();
        }
        let o = self.outstanding.pop_front()?;
        self.wire -= o.wire;
        Some(o)
    }

    /// Gives the oldest segment up and puts its bytes back into the backlog.
    pub fn give_up(&mut self) {
        if let Some(o) = self.outstanding.pop_front() {
            self.wire -= o.wire;
            self.left = self.left.map(|l| l + o.payload);
        }
    }
}

/// What decides when an event-level host's data leaves.
pub trait Sender: Send {
    /// The earliest timer.
    fn next(&self) -> Ps;
    /// Timers that are due at `now`.
    fn timers(&mut self, now: Ps, out: &mut Outbox);
    /// Whether a data packet waits for the wire.
    fn ready(&self) -> bool;
    /// The packet that starts on the wire at `now`.
    fn pull(&mut self, now: Ps) -> Option<Frame>;
    /// An ACK whose first bit arrived at `at`, handled at `now`.
    fn acked(&mut self, flow: FlowId, segment: u32, at: Ps, now: Ps, out: &mut Outbox);
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
}

impl<S: Sender> EventNic<S> {
    /// A host behind a link of this speed, which has an ACK ready `ack_delay` after a segment's last bit.
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
            self.sender.acked(f.flow, f.meta.segment, a.start, a.end, out);
        } else if f.meta.last {
            // Never longer than what it answers.
            let bytes = HEADERS.min(f.bytes);
            let meta = Meta { ack: true, payload: 0, ..f.meta };
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

/// Timers of flows: earliest first; a flow's newer timer replaces its older one.
#[derive(Debug, Default)]
pub struct Timers {
    heap: std::collections::BinaryHeap<std::cmp::Reverse<(Ps, u32, u32)>>,
    current: Vec<u32>,
}

impl Timers {
    /// Timers of `flows` flows.
    pub fn new(flows: usize) -> Self {
        Timers { heap: Default::default(), current: vec![0; flows] }
    }

    /// Sets the flow's timer in place of its last.
    pub fn set(&mut self, flow: usize, at: Ps) {
        self.current[flow] = self.current[flow].wrapping_add(1);
        self.heap.push(std::cmp::Reverse((at, flow as u32, self.current[flow])));
        self.clean();
    }

    /// The earliest.
    pub fn next(&self) -> Ps {
        self.heap.peek().map_or(NEVER, |r| r.0.0)
    }

    /// Takes a flow whose timer is due.
    pub fn due(&mut self, now: Ps) -> Option<usize> {
        if self.next() > now {
            return None;
        }
        let flow = self.heap.pop().map(|r| r.0.1 as usize);
        self.clean();
        flow
    }

    // Keeps the earliest entry a valid one.
    fn clean(&mut self) {
        while let Some(std::cmp::Reverse((_, flow, generation))) = self.heap.peek() {
            if self.current[*flow as usize] == *generation {
                break;
            }
            self.heap.pop();
        }
    }
}
