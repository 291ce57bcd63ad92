//! A flow: what it has to send, its pacing, what is on its way, and what was measured of it.
use super::cell::NONE;
use super::control::{Answer, Control};
use super::places::Places;
use super::signal::OneWay;
use crate::nic::stream::{HEADERS, MOST_DOUBLINGS};
use crate::rival::dcqcn::Notification;
use crate::time::{NEVER, Ps, wire_bytes};
use std::collections::VecDeque;
use timely_model::engine::law::{self, Words};
use timely_regs::wire::Loss;

/// Tokens of a wire byte: a token is 2^-12 Mb/s for 1 ps, so that `rate * time` is exact
/// (`timely_model::pacer::token`, per ps).
const BYTE: i64 = timely_model::pacer::token::BYTE * 1000;
/// Wire bytes of a packet beyond its payload.
pub const PER_PACKET: u32 = HEADERS + timely_regs::link::WIRE_OVERHEAD;

/// The flow stands in its host's line.
pub const QUEUED: u8 = 1;
/// The flow's pacing event is in the calendar.
pub const ARMED: u8 = 2;
/// The flow was asleep: tokens saved meanwhile are lost.
pub const ASLEEP: u8 = 4;
/// The flow's time-out event is in the calendar.
pub const EXPIRES: u8 = 8;
/// The timer of its controller is set.
pub const TIMED: u8 = 16;

/// A message of a flow.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Message {
    /// Time of posting; [`NEVER`]: a reply, posted when the message that it replies to has arrived.
    pub start: Ps,
    /// Payload bytes.
    pub bytes: u64,
    /// When the ACK of its last segment has arrived; [`NEVER`] before.
    pub done: Ps,
}

/// Software that posts whole segments, which the NIC then sends by itself.
#[derive(Clone, Debug)]
pub struct Posting {
    /// Segments are posted at multiples of this; 0: at any time.
    pub slot: Ps,
    /// And later by a random time up to this.
    pub jitter: Ps,
    /// Taken from the RTT: the time that the segment's own packets take to leave.
    pub subtract_own: bool,
    /// Time from packet to packet of a segment; 0: as fast as the line takes them.
    pub spacing: Ps,
}

/// The bursts that a flow has posted.
#[derive(Debug)]
pub struct Posted {
    pub(super) how: Posting,
    /// When the last one was posted.
    pub(super) last: Option<Ps>,
    /// Payload bytes of each burst that has not left, and where its RTT starts.
    pub(super) bursts: VecDeque<(u32, Ps)>,
    /// Posting has stopped: there was nothing to post, or the window was full.
    pub(super) idle: bool,
    /// Payload bytes in all bursts.
    pub(super) bytes: u64,
    /// Segments that have left: where they end in the payload, and when their last bit was on the
    /// wire.
    pub(super) left: VecDeque<(u32, Ps)>,
}

impl Posted {
    /// State of a flow that has posted nothing.
    pub fn new(how: Posting) -> Self {
        Posted { how, last: None, bursts: VecDeque::new(), idle: false, bytes: 0, left: VecDeque::new() }
    }

    /// When the segment that ends here had left; those before it are forgotten.
    pub(super) fn left_at(&mut self, end: u32) -> Option<Ps> {
        while let Some((of, at)) = self.left.pop_front_if(|s| end.wrapping_sub(s.0) < 1 << 31) {
            if of == end {
                return Some(at);
            }
        }
        None
    }
}

/// Where the RTT of a paced segment starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// From the end of the segment's last packet.
    LastByte,
    /// From the start of the segment's last packet.
    LastPacket,
}

/// Parameters of a flow.
#[derive(Clone, Debug)]
pub struct FlowSpec {
    /// Source, by the index of the host.
    pub host: u32,
    /// Number of the flow at its host.
    pub number: u32,
    /// Payload bytes of a packet.
    pub packet: u32,
    /// Payload bytes of a segment.
    pub segment: u32,
    /// Class of the flow's packets, which selects the queue in switches.
    pub class: u8,
    /// Start of the flow.
    pub start: Ps,
    /// End of the flow, if it has no messages.
    pub stop: Option<Ps>,
    /// Most wire bytes on their way; 0: no bound.
    pub bound: u32,
    /// Most bytes that it may save while it has something to send.
    pub cap: u32,
    /// Unanswered for so long, what is on its way is taken for lost; 0: never.
    pub timeout: Ps,
    /// Idle for so long, it restarts; 0: never.
    pub idle: Ps,
    /// So far behind 80 % of its rate's use, it does not raise its rate until it has caught up; 0:
    /// it always may.
    pub use_window: Ps,
    /// Where the RTT of a paced segment starts.
    pub rtt_start: Start,
    /// A packet's gap is that of the rate when the packet before it left, and counts from there: a
    /// new rate does not time it again, and nothing is saved.
    pub scheduled: bool,
    /// The law is given the one-way delay over the least of late, and this; `None`: the RTT.
    pub one_way: Option<Ps>,
    /// The flow that answers each of its messages.
    pub reply: Option<u32>,
    /// Segments are READ requests, paced by the bytes that they bring.
    pub read: bool,
    /// Shortest time between the congestion notifications that the receiver sends for marks, ps; 0:
    /// none are sent.
    pub cnp: Ps,
    /// CNPs come at multiples of that time from the flow's first packet alone.
    pub cnp_grid: bool,
}

/// A flow.
pub struct Flow {
    pub(super) tokens: i64,
    pub(super) settled: Ps,
    /// 2^-12 Mb/s.
    pub(super) rate: u32,
    pub(super) used: u32,
    pub(super) window: u32,
    pub(super) outstanding: u32,
    /// Payload bytes posted and not sent.
    pub(super) left: u64,
    pub(super) message_left: u64,
    pub(super) end: u32,
    pub(super) acked: u32,
    pub(super) in_segment: u32,
    pub(super) marks: u16,
    // At its receiver: where the segment begins that is under way, its payload bytes that came, and
    // the end of the last segment whose last packet came.
    heard: (u32, u32, u32),
    // There: up to where everything came, by packets and by segments, until something is lost.
    came: u32,
    segments: u32,
    // Payload bytes sent.
    sent: u64,
    places: Option<Box<Places>>,
    // When a loss lowered its rate last.
    fell: Option<Ps>,
    pub(super) flags: u8,
    pub(super) class: u8,
    pub(super) next: u32,
    pub(super) route: u32,
    pub(super) back: u32,
    pub(super) profile: u32,
    // Place of the flow in the trace of lateness.
    pub(super) late: u32,
    pub(super) progress: Ps,
    // By how much longer it has taken for its packets than 5/4 of the time that they last at its
    // rate; `timely_model::pacer::token::slack`.
    slack: i64,
    limited: bool,
    /// The law with its state.
    pub control: Control,
    pub(super) posted: Option<Box<Posted>>,
    pub(super) notification: Option<Box<Notification>>,
    pub(super) one_way: Option<Box<OneWay>>,
    pub(super) spec: FlowSpec,
    // Messages of the flow: those posted, those being sent, those complete, up to the last; places
    // in the fabric's list.
    pub(super) posting: u32,
    pub(super) sending: u32,
    pub(super) arriving: u32,
    // Place at which the message that arrives ends.
    pub(super) arrives_at: u64,
    pub(super) completing: u32,
    pub(super) messages_end: u32,
    pub(super) answered: u64,
    pub(super) complete_at: u64,
    // Times in a row that it gave up what was on its way.
    pub(super) expired: u8,
    // Payload bytes to be sent again, and where those that were given up last begin and end.
    pub(super) resend: u64,
    pub(super) given_up: (u32, u32),
    /// Payload bytes delivered, of a flow with an end each once.
    pub delivered: u64,
    /// Payload bytes delivered in the steady part.
    pub delivered_steady: u64,
    /// Wire bytes of all its packets that arrived in the steady part.
    pub wire_steady: u64,
    /// Packets delivered.
    pub packets: u64,
    /// ACKs that arrived.
    pub acks: u64,
}

impl Flow {
    /// A flow that has not started; its messages are those of this range.
    pub fn new(spec: FlowSpec, control: Control, posted: Option<Posting>, messages: std::ops::Range<u32>, complete_at: u64) -> Self {
        let endless = messages.is_empty();
        Flow {
            tokens: 0,
            settled: 0,
            rate: control.rate(),
            used: control.rate(),
            window: if spec.bound == 0 { u32::MAX } else { spec.bound },
            outstanding: 0,
            left: 0,
            message_left: if endless { u64::MAX } else { 0 },
            end: 0,
            acked: 0,
            in_segment: 0,
            marks: 0,
            heard: (0, 0, 0),
            came: 0,
            segments: 0,
            sent: 0,
            places: None,
            fell: None,
            flags: ASLEEP,
            class: spec.class,
            next: NONE,
            route: 0,
            back: 0,
            profile: 0,
            late: 0,
            progress: 0,
            slack: 0,
            limited: false,
            control,
            posted: posted.map(|p| Box::new(Posted::new(p))),
            notification: (spec.cnp > 0).then(|| Box::new(Notification::new(spec.cnp, spec.cnp_grid))),
            one_way: spec.one_way.map(|base| Box::new(OneWay::new(base))),
            posting: messages.start,
            sending: messages.start,
            arriving: messages.start,
            arrives_at: complete_at,
            completing: messages.start,
            messages_end: messages.end,
            answered: 0,
            complete_at,
            expired: 0,
            resend: 0,
            given_up: (0, 0),
            delivered: 0,
            delivered_steady: 0,
            wire_steady: 0,
            packets: 0,
            acks: 0,
            spec,
        }
    }

    /// The flow has messages, and so an end.
    pub fn finite(&self) -> bool {
        self.complete_at != u64::MAX
    }

    #[inline]
    pub(super) fn is(&self, flag: u8) -> bool {
        self.flags & flag != 0
    }

    /// Payload bytes of its next packet; of a READ request those that it asks for.
    #[inline]
    pub(super) fn next_payload(&self) -> u32 {
        let packet = if self.spec.read { u32::MAX } else { self.spec.packet };
        let room = packet.min(self.spec.segment - self.in_segment);
        if u64::from(room) <= self.message_left { room } else { self.message_left as u32 }
    }

    /// Wire bytes that a packet of so much payload is charged: a READ request those of what it asks
    /// for.
    #[inline]
    pub(super) fn charge(&self, payload: u32) -> u32 {
        if self.spec.read { self.segment_wire(payload) } else { wire_bytes(payload + HEADERS) }
    }

    /// The flow's next packet fits the window. As on the hardware, a segment that is longer than
    /// the window goes on to its end when nothing else is outstanding: a part of a segment has no
    /// answer.
    #[inline]
    pub(super) fn fits(&self) -> bool {
        self.outstanding == 0
            || self.outstanding + self.charge(self.next_payload()) <= self.window
            || self.in_segment > 0 && self.end.wrapping_sub(self.acked) <= self.in_segment
    }

    /// Settles the bucket as the pacer's pass does: a decrease counts from the last pass on, an
    /// increase from this one.
    #[inline]
    pub(super) fn settle(&mut self, now: Ps) {
        let cap = if self.is(ASLEEP) { 0 } else { i64::from(self.spec.cap) * BYTE };
        let elapsed = now - self.settled;
        let rate = if self.spec.scheduled { self.used } else { self.rate.min(self.used) };
        let filled = (u128::from(rate) * u128::from(elapsed)).min(1 << 61) as i64;
        self.tokens = cap.min(self.tokens + filled);
        self.account(now);
        self.used = self.rate;
        self.flags &= !ASLEEP;
    }

    /// A pass at `now`: whether it has lately sent less than 80 % of its rate.
    pub(super) fn account(&mut self, now: Ps) {
        let most = self.spec.use_window as i64;
        // A flow that never sent anything is not limited.
        if most > 0 && self.end != 0 {
            let slack = self.slack.saturating_add_unsigned(now - self.settled);
            self.limited = slack >= most || slack > 0 && self.limited;
            self.slack = slack.clamp(0, most);
        }
        self.settled = now;
    }

    /// Takes an ACK; gives the rate and the window, if there is one.
    #[inline]
    pub(super) fn answer(&mut self, words: &Words, a: &Answer) -> (u32, Option<u32>) {
        if let Control::Integer(state, _) = &mut self.control {
            state.limited = self.limited;
        }
        let counts = a.lost && law::falls_by_loss(words) && self.fell.is_none_or(|at| a.now - at >= a.rtt);
        if counts {
            self.fell = Some(a.now);
        }
        self.control.answer(words, &Answer { lost: counts, ..*a })
    }

    /// A packet of `payload` bytes, the `segment` bytes of its segment so far ending at `end`,
    /// reaches its receiver: how many segments lost packets, as its ACK is to say if it is a last
    /// one (`timely_model::ack::loss`), and how many of its bytes had not come before.
    #[inline]
    pub(super) fn hear(&mut self, end: u32, segment: u32, payload: u32, last: bool) -> (u8, u32) {
        let start = end.wrapping_sub(segment);
        // A READ's response tells where its segment ends in each packet.
        let ends =
            if !self.spec.read || last { end } else { start.wrapping_add(payload + if self.heard.0 == start { self.heard.1 } else { 0 }) };
        let new = self.come(ends, payload);
        let (from, bytes, heard) = &mut self.heard;
        *bytes = payload + if *from == start { *bytes } else { 0 };
        *from = start;
        if !last {
            return (0, new);
        }
        let gap = start.wrapping_sub(*heard);
        let skipped = if gap < 1 << 31 { gap.div_ceil(self.spec.segment).min(Loss::MOST.into()) } else { 0 };
        let incomplete = *bytes < segment;
        (*bytes, *heard) = (0, end);
        (skipped as u8 + u8::from(incomplete), new)
    }

    // A packet with the `payload` bytes before this offset came: how many of them had not.
    #[inline]
    fn come(&mut self, end: u32, payload: u32) -> u32 {
        if !self.finite() {
            return payload;
        }
        if self.places.is_none() && end.wrapping_sub(payload) == self.came {
            self.came = end;
            return payload;
        }
        self.places().come(end, payload)
    }

    /// The last packet of a segment came, with the receiver's answer due: the place before which
    /// all segments have come.
    #[inline]
    pub(super) fn complete(&mut self, end: u32, segment: u32) -> u64 {
        if let Some(places) = &mut self.places {
            return places.complete(end, segment);
        }
        self.segments = end;
        self.offset(end)
    }

    /// An answer for what ends at this offset came.
    #[inline]
    pub(super) fn forget(&mut self, end: u32) {
        if let Some(places) = &mut self.places {
            places.forget(end);
        }
    }

    // The offset of which these are the low bits: the last one.
    fn offset(&self, low: u32) -> u64 {
        self.sent - u64::from(self.end.wrapping_sub(low))
    }

    // The flow's places, which it has from now on.
    #[cold]
    fn places(&mut self) -> &mut Places {
        let [came, segments] = [self.came, self.segments].map(|low| self.offset(low));
        let sent = self.sent;
        self.places.get_or_insert_with(|| Box::new(Places::new(sent, came, segments)))
    }

    /// So many payload bytes are sent.
    #[inline]
    pub(super) fn send(&mut self, payload: u32) {
        self.end = self.end.wrapping_add(payload);
        self.sent += u64::from(payload);
        if let Some(places) = &mut self.places {
            places.send(payload.into());
        }
    }

    /// Time until the bucket is not in debt, at the present rate.
    #[inline]
    pub(super) fn wait(&self) -> Ps {
        if self.tokens >= 0 { 0 } else { self.tokens.unsigned_abs().div_ceil(u64::from(self.rate.max(1))) }
    }

    /// Goes on in a trace of so many values, with what it releases.
    #[inline]
    pub(super) fn next_lateness(&mut self, values: usize) {
        self.late = if self.late as usize + 1 < values { self.late + 1 } else { 0 };
    }

    #[inline]
    pub(super) fn pay(&mut self, wire: u32, now: Ps) {
        if self.spec.scheduled {
            (self.tokens, self.settled) = (0, now);
        }
        // A flow that software posts never settles its bucket.
        self.tokens = self.tokens.saturating_sub(i64::from(wire) * BYTE);
        if self.spec.use_window > 0 {
            let gap = (u64::from(wire) * BYTE as u64) / u64::from(self.rate.max(1));
            self.slack = self.slack.saturating_sub_unsigned(gap + gap / 4);
        }
    }

    /// Wire bytes of the last packet that was sent for a segment of so many payload bytes; of a
    /// READ request `request`.
    #[inline]
    pub(super) fn last_wire(&self, payload: u32, request: u16) -> u32 {
        if self.spec.read {
            return request.into();
        }
        let before = payload.div_ceil(self.spec.packet).saturating_sub(1) * self.spec.packet;
        wire_bytes(payload - before + HEADERS)
    }

    /// Wire bytes of a segment of so many payload bytes.
    #[inline]
    pub(super) fn segment_wire(&self, payload: u32) -> u32 {
        payload + payload.div_ceil(self.spec.packet) * PER_PACKET
    }

    /// Takes the next message up, if the last one was sent.
    #[inline]
    pub(super) fn next_message(&mut self, messages: &[Message]) {
        if self.message_left == 0 && self.sending < self.posting {
            self.message_left = messages[self.sending as usize].bytes;
            self.sending += 1;
        }
    }

    /// Time without an answer after which what is on its way is given up: twice as long each time
    /// in a row, or flows that time out together would fill the network with what is sent again.
    #[inline]
    pub(super) fn patience(&self) -> Ps {
        self.spec.timeout << u32::from(self.expired).min(MOST_DOUBLINGS)
    }

    /// Outstanding bytes are given up, and are to be sent again.
    pub(super) fn give_up(&mut self) {
        let lost = self.end.wrapping_sub(self.acked);
        self.given_up = (self.acked, self.end);
        self.expired = self.expired.saturating_add(1);
        self.acked = self.end;
        self.outstanding = 0;
        if let Some(posted) = &mut self.posted {
            posted.left.clear();
        }
        self.again(self.end, lost);
    }

    /// So many payload bytes before this offset are to be sent again.
    pub(super) fn again(&mut self, end: u32, lost: u32) {
        if self.finite() {
            self.places().lose(end, lost);
        }
        let lost = u64::from(lost);
        self.resend = self.resend.saturating_add(lost);
        self.left = self.left.saturating_add(lost);
        self.message_left = self.message_left.saturating_add(lost);
    }

    /// An ACK for a segment of `segment` bytes up to `end` that was given up: the bytes that need
    /// not be sent again, as they were not yet.
    pub(super) fn arrived_late(&mut self, end: u32, segment: u32) -> u32 {
        let (from, to) = self.given_up;
        let given_up = end.wrapping_sub(from).wrapping_sub(1) < to.wrapping_sub(from);
        let whole = self.in_segment == 0 && self.posted.as_ref().is_none_or(|p| p.bytes == 0);
        if !given_up || !whole || !self.finite() || u64::from(segment) > self.resend.min(self.message_left) {
            return 0;
        }
        if !self.places().spare(end, segment) {
            return 0;
        }
        (self.resend, self.left) = (self.resend - u64::from(segment), self.left - u64::from(segment));
        self.message_left -= u64::from(segment);
        segment
    }

    /// An ACK for a segment of `segment` bytes up to `end`: the bytes it answers and those it shows
    /// to be lost; `None` for a late one.
    #[inline]
    pub(super) fn acknowledge(&mut self, end: u32, segment: u32) -> Option<(u32, u32)> {
        let ahead = end.wrapping_sub(self.acked);
        if ahead == 0 || ahead > 1 << 31 {
            return None;
        }
        self.acked = end;
        self.expired = 0;
        let answered = segment.min(ahead);
        let lost = ahead - answered;
        let wire = self.segment_wire(answered) + if lost > 0 { self.segment_wire(lost) } else { 0 };
        self.outstanding = if self.acked == self.end { 0 } else { self.outstanding.saturating_sub(wire) };
        Some((answered, lost))
    }
}

/// A message that is not complete.
pub const INCOMPLETE: Ps = NEVER;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::US;
    use timely_regs::parameters::Parameters;

    fn flow(scheduled: bool) -> Flow {
        let spec = FlowSpec {
            host: 0,
            number: 0,
            packet: 1000,
            segment: 1000,
            class: 1,
            start: 0,
            stop: None,
            bound: 0,
            cap: 3000,
            timeout: 0,
            idle: 0,
            use_window: 0,
            rtt_start: Start::LastPacket,
            scheduled,
            one_way: None,
            reply: None,
            read: false,
            cnp: 0,
            cnp_grid: false,
        };
        let words = Parameters::fixed(1000.0).quantise().expect("valid");
        Flow::new(spec, Control::integer(&words), None, 0..0, u64::MAX)
    }

    /// 1,000 bytes at 1,000 Mb/s last 8 us, of which the pacer's flow has half to wait again when
    /// its rate halves. HPCC's sender keeps to its schedule, and saves nothing when its line is
    /// busy.
    #[test]
    fn a_scheduled_packet_is_not_timed_again() {
        for (scheduled, again, saved) in [(true, 0, 16), (false, 8, 0)] {
            let mut f = flow(scheduled);
            f.settle(0);
            f.pay(1000, 0);
            f.settle(0);
            assert_eq!(f.wait(), 8 * US);
            f.rate /= 2;
            f.settle(8 * US);
            assert_eq!(f.wait(), again * US, "scheduled: {scheduled}");
            f.settle(40 * US);
            f.pay(1000, 40 * US);
            f.settle(40 * US);
            assert_eq!(f.wait(), saved * US, "scheduled: {scheduled}");
        }
    }
}
