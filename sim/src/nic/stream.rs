//! What an event-level sender keeps of a flow: the way from bytes to packets, the segments on their way, its timer.
use crate::frame::{Class, FlowId, Frame, Meta, NodeId};
use crate::time::{NEVER, Ps, wire_bytes};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

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
    /// Payload bytes of a message; `None` for endless.
    pub bytes: Option<u64>,
    /// Messages, each posted `every` after the one before; of a flow that is not endless.
    pub messages: u32,
    /// Time from a message's posting to the next one's.
    pub every: Ps,
    /// When an endless flow stops.
    pub stop: Option<Ps>,
    /// Payload bytes of a full packet.
    pub packet: u32,
    /// Payload bytes of a full segment.
    pub segment: u32,
    /// Its queue in switches, of bit-true NICs: [`Class::Data`] or [`Class::Low`].
    pub class: Class,
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
    posted: u32,
    // Payload bytes that were posted and not sent.
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
        Stream { spec, posted: 1, left, next_segment: 0, in_segment: 0, outstanding: VecDeque::new(), wire: 0 }
    }

    /// Posts the messages that are due.
    pub fn post(&mut self, now: Ps) {
        while self.next_post() <= now {
            self.left = self.left.zip(self.spec.bytes).map(|(l, b)| l + b);
            self.posted += 1;
        }
    }

    /// When the next message is posted.
    pub fn next_post(&self) -> Ps {
        let more = self.spec.bytes.is_some() && self.posted < self.spec.messages;
        if more { self.spec.start + Ps::from(self.posted) * self.spec.every } else { NEVER }
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

/// Timers of flows: earliest first; a flow's newer timer replaces its older one.
#[derive(Debug, Default)]
pub struct Timers {
    heap: BinaryHeap<Reverse<(Ps, u32, u32)>>,
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
        self.heap.push(Reverse((at, flow as u32, self.current[flow])));
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
        while let Some(Reverse((_, flow, generation))) = self.heap.peek() {
            if self.current[*flow as usize] == *generation {
                break;
            }
            self.heap.pop();
        }
    }
}
