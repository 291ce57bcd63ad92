//! State of a flow at an event-level sender: cutting of bytes into packets, outstanding segments,
//! the timer.
use crate::frame::{Class, FlowId, Frame, Meta, NodeId};
use crate::time::{NEVER, Ps, wire_bytes};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

/// Header bytes of a frame of ours over untagged IPv4.
pub const HEADERS: u32 = timely_regs::wire::Class { vlan: false, ipv6: false }.end() as u32;

/// A flow as its sender sees it.
#[derive(Clone, Debug, PartialEq)]
pub struct FlowSpec {
    /// Number of the flow at the sender.
    pub id: FlowId,
    /// Receiving node.
    pub dst: NodeId,
    /// Start of the flow.
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
    /// Queue of the flow in switches, of bit-true NICs: [`Class::Data`] or [`Class::Low`].
    pub class: Class,
}

/// A segment on its way.
#[derive(Clone, Copy, Debug)]
pub struct Outstanding {
    /// Number of the segment; a segment that is sent again gets a new one, so that an ACK tells
    /// which of them arrived.
    pub segment: u32,
    /// Place of the segment's payload in what the flow sends.
    pub place: u64,
    /// Payload bytes.
    pub payload: u64,
    /// Wire bytes.
    pub wire: u64,
    /// Start of the segment's RTT, as the sender sees it.
    pub from: Ps,
    /// End of its last packet at the sender; `NEVER` while it is being sent.
    pub sent: Ps,
    /// A copy that was given up has arrived after all: the payload need not be sent again.
    pub arrived: bool,
}

/// Doublings of the time-out of a flow of which nothing is answered, at most.
pub const MOST_DOUBLINGS: u32 = 6;

/// Segments that were given up and are remembered, at most: an ACK that is later than so many is of
/// no use any more.
const REMEMBERED: usize = 4096;

/// Cutting of a flow's bytes into packets, and the segments without an ACK.
#[derive(Debug)]
pub struct Stream {
    /// Specification of the flow.
    pub spec: FlowSpec,
    posted: u32,
    // Payload bytes that were posted and not sent, and where the first of them is.
    left: Option<u64>,
    place: u64,
    next_segment: u32,
    in_segment: u64,
    // Packets of it that left.
    packets: u16,
    // Places and payload bytes that are to be sent again, the first one maybe in part.
    again: VecDeque<(u64, u64)>,
    // The segment that is being sent has its bytes from there.
    resends: bool,
    // Segments that were given up: number, place, payload bytes.
    given_up: VecDeque<(u32, u64, u64)>,
    // When a segment was answered or given up by time last, and times in a row of the latter.
    progress: Ps,
    expired: u32,
    /// Unanswered segments, the oldest first; the last one may still be being sent.
    pub outstanding: VecDeque<Outstanding>,
    /// Wire bytes of all of them.
    pub wire: u64,
}

impl Stream {
    /// State of a flow that has sent nothing.
    pub fn new(spec: FlowSpec) -> Self {
        let left = spec.bytes;
        Stream {
            spec,
            posted: 1,
            left,
            place: 0,
            next_segment: 0,
            in_segment: 0,
            packets: 0,
            again: VecDeque::new(),
            resends: false,
            given_up: VecDeque::new(),
            progress: 0,
            expired: 0,
            outstanding: VecDeque::new(),
            wire: 0,
        }
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

    /// All that was posted was sent, and nothing is to be sent again.
    pub fn is_done(&self) -> bool {
        self.left == Some(0) && self.again.is_empty()
    }

    /// Whether there is anything to send at `now`.
    pub fn backlog(&self, now: Ps) -> bool {
        !self.is_done() && (self.in_segment > 0 || self.spec.stop.is_none_or(|s| now < s))
    }

    /// Whether the next packet is the first of a segment.
    pub fn at_boundary(&self) -> bool {
        self.in_segment == 0
    }

    /// No segment is on its way but that of the next packet: as on the hardware that segment goes
    /// on to its end, whatever the bound.
    pub fn is_alone(&self) -> bool {
        self.outstanding.len() <= usize::from(self.in_segment > 0)
    }

    /// Wire bytes of the next packet.
    pub fn next_wire(&self) -> u64 {
        u64::from(wire_bytes(self.next_payload() as u32 + HEADERS))
    }

    // Bytes that the next packet may be of: of those to be sent again, before all others, or of new
    // ones. A segment has one kind.
    fn source(&self) -> (bool, u64) {
        let resends = if self.in_segment > 0 { self.resends } else { !self.again.is_empty() };
        (resends, if resends { self.again.front().map_or(0, |r| r.1) } else { self.left.unwrap_or(u64::MAX) })
    }

    fn next_payload(&self) -> u64 {
        let room = u64::from(self.spec.segment) - self.in_segment;
        let (resends, of) = self.source();
        let place = if resends { self.again.front().map_or(0, |r| r.0) } else { self.place };
        // No packet has bytes of two messages.
        let whole = self.spec.bytes.filter(|_| self.spec.messages > 1).map_or(u64::MAX, |b| b - place % b.max(1));
        u64::from(self.spec.packet).min(room).min(of).min(whole).max(1)
    }

    /// Takes the next packet; its segment's RTT is counted from `from` if this is its first packet.
    pub fn take(&mut self, src: NodeId, from: Ps) -> Frame {
        let payload = self.next_payload();
        let wire = self.next_wire();
        let (resends, of) = self.source();
        let place = if resends { self.again.front().map_or(0, |r| r.0) } else { self.place };
        if self.in_segment == 0 {
            self.resends = resends;
            self.outstanding.push_back(Outstanding {
                segment: self.next_segment,
                place,
                payload: 0,
                wire: 0,
                from,
                sent: NEVER,
                arrived: false,
            });
        }
        self.in_segment += payload;
        let ends = if resends {
            if let Some(first) = self.again.front_mut() {
                *first = (first.0 + payload, first.1.saturating_sub(payload));
            }
            self.again.pop_front_if(|r| r.1 == 0);
            payload >= of
        } else {
            self.place += payload;
            self.left = self.left.map(|l| l.saturating_sub(payload));
            self.left == Some(0)
        };
        let last = self.in_segment >= u64::from(self.spec.segment) || ends;
        if let Some(o) = self.outstanding.back_mut() {
            o.payload += payload;
            o.wire += wire;
        }
        self.wire += wire;
        let (segment, packet, payload_bytes) = (self.next_segment, self.packets, payload as u32);
        let meta = Meta { segment, packet, last, lost: 0, ack: false, payload: payload_bytes, place: Some(place), marked: false };
        self.packets = self.packets.wrapping_add(1);
        if last {
            (self.in_segment, self.packets) = (0, 0);
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

    /// An ACK at `now`: its segment, if it was outstanding. Older segments are lost, as nothing
    /// overtakes within a flow, and are to be sent again. What an ACK shows to have arrived though
    /// it was given up is not sent again; such an ACK is no progress, or the time-outs of flows
    /// whose answers take longer than the time-out would never grow.
    pub fn acked(&mut self, segment: u32, now: Ps) -> Option<Outstanding> {
        let Some(at) = self.outstanding.iter().position(|o| o.segment == segment) else {
            self.arrived_late(segment);
            return None;
        };
        for _ in 0..at {
            self.give_up();
        }
        let o = self.outstanding.pop_front()?;
        self.wire -= o.wire;
        (self.progress, self.expired) = (now, 0);
        Some(o)
    }

    fn arrived_late(&mut self, segment: u32) {
        let Some(i) = self.given_up.iter().position(|g| g.0 == segment) else { return };
        let Some((_, place, payload)) = self.given_up.remove(i) else { return };
        // The first one is not touched while it is being sent.
        let from = usize::from(self.in_segment > 0 && self.resends);
        let waits = self.again.iter().skip(from).position(|r| *r == (place, payload));
        if let Some(w) = waits {
            self.again.remove(from + w);
        } else if let Some(o) = self.outstanding.iter_mut().find(|o| (o.place, o.payload) == (place, payload)) {
            o.arrived = true;
        }
    }

    /// Gives the oldest segment up: its bytes are to be sent again.
    pub fn give_up(&mut self) {
        if let Some(o) = self.outstanding.pop_front() {
            self.wire -= o.wire;
            if self.spec.bytes.is_some() && !o.arrived {
                self.again.push_back((o.place, o.payload));
                self.given_up.push_back((o.segment, o.place, o.payload));
                if self.given_up.len() > REMEMBERED {
                    self.given_up.pop_front();
                }
            }
        }
    }

    /// When all that was sent is given up, with this time-out, which counts as on the hardware from
    /// the last progress: the end of a segment while none was outstanding, an answer, a time-out. A
    /// time-out in a row is twice as long: many flows that time out together would else fill the
    /// network with what is sent again. `NEVER` while no segment was sent whole, or without a
    /// time-out.
    pub fn expires(&self, timeout: Ps) -> Ps {
        let oldest = self.outstanding.front().filter(|o| timeout > 0 && o.sent != NEVER);
        oldest.map_or(NEVER, |o| o.sent.max(self.progress).saturating_add(timeout << self.expired.min(MOST_DOUBLINGS)))
    }

    /// Gives up at `now` all that was sent whole, as no answer came in time.
    pub fn expire(&mut self, now: Ps) {
        while self.outstanding.front().is_some_and(|o| o.sent != NEVER) {
            self.give_up();
        }
        self.progress = now;
        self.expired += 1;
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::US;

    fn stream(segments: u64) -> Stream {
        let (bytes, packet) = (Some(1000 * segments), 1000);
        let spec =
            FlowSpec { id: 0, dst: 1, start: 0, bytes, messages: 1, every: 0, stop: None, packet, segment: packet, class: Class::Data };
        Stream::new(spec)
    }

    // Sends all there is, at this time.
    fn send(s: &mut Stream, now: Ps) -> Vec<u32> {
        std::iter::from_fn(|| {
            let frame = (!s.is_done()).then(|| s.take(0, now))?;
            s.sent(now);
            Some(frame.meta.segment)
        })
        .collect()
    }

    /// A late answer of what was sent again already: a copy of it that is lost is not sent a third
    /// time. One that waits is not sent at all.
    #[test]
    fn nothing_is_sent_again_that_has_arrived() {
        let mut s = stream(2);
        assert_eq!(send(&mut s, 0), [0, 1]);
        s.expire(US);
        s.acked(0, US);
        assert_eq!(send(&mut s, 2 * US), [2], "the second of them alone");
        s.acked(1, 3 * US);
        s.expire(4 * US);
        assert!(s.is_done() && s.outstanding.is_empty());
    }

    /// Time-outs in a row double, until a segment is answered in time: a late answer says nothing
    /// of how long those on their way will take.
    #[test]
    fn late_answers_do_not_shorten_the_time_out() {
        let mut s = stream(8);
        let timeout = 10 * US;
        send(&mut s, 0);
        assert_eq!(s.expires(timeout), 10 * US);
        s.acked(0, 4 * US);
        assert_eq!(s.expires(timeout), 14 * US, "from the last answer");
        s.expire(14 * US);
        send(&mut s, 15 * US);
        assert_eq!(s.expires(timeout), 35 * US);
        s.acked(1, 20 * US);
        assert_eq!(s.expires(timeout), 35 * US);
        s.acked(8, 21 * US);
        assert_eq!(s.expires(timeout), 31 * US);
    }
}
