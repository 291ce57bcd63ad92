//! Hosts: whose turn it is, the packets that leave, the ACKs that come.
use super::Fabric;
use super::cell::{ACK, CNP, Kind, LAST, MARKED, NONE, REQUEST, RESPONSE};
use super::control::{Answer, engine_rate};
use super::flow::{ARMED, ASLEEP, EXPIRES, Flow, QUEUED, Start, TIMED};
use super::port::{ACKS, CLASSES};
use crate::nic::stream::HEADERS;
use crate::time::{NEVER, Ps, wire_bytes};
use rand::Rng;

/// The lines of flows that may send, of a host.
#[derive(Clone, Copy, Debug)]
pub struct Host {
    heads: [u32; CLASSES],
    tails: [u32; CLASSES],
}

impl Default for Host {
    fn default() -> Self {
        Host { heads: [NONE; CLASSES], tails: [NONE; CLASSES] }
    }
}

impl Host {
    /// A flow may send, the classes of these bits being paused.
    #[inline]
    pub fn wants(&self, paused: u8) -> bool {
        (1..CLASSES).any(|c| self.heads[c] != NONE && paused >> c & 1 == 0)
    }

    fn push(&mut self, flows: &mut [Flow], f: u32) {
        let flow = &mut flows[f as usize];
        flow.next = NONE;
        let class = usize::from(flow.class);
        let tail = std::mem::replace(&mut self.tails[class], f);
        if tail == NONE {
            self.heads[class] = f;
        } else {
            flows[tail as usize].next = f;
        }
    }

    fn pop(&mut self, flows: &[Flow], paused: u8) -> Option<u32> {
        let class = (1..CLASSES).find(|c| self.heads[*c] != NONE && paused >> c & 1 == 0)?;
        let f = self.heads[class];
        self.heads[class] = flows[f as usize].next;
        if self.heads[class] == NONE {
            self.tails[class] = NONE;
        }
        Some(f)
    }
}

impl Fabric {
    fn arm(&mut self, f: u32, kind: Kind, at: Ps) {
        let id = self.cells.take(kind, f);
        self.calendar.push(id, at);
    }

    /// Looks whether a flow may send now, or when.
    #[inline]
    pub(super) fn consider(&mut self, now: Ps, f: u32) {
        let flow = &mut self.flows[f as usize];
        if flow.flags & (QUEUED | ARMED) != 0 {
            return;
        }
        if flow.posted.is_some() {
            self.consider_posting(now, f);
            return;
        }
        flow.next_message(&self.messages);
        if flow.left == 0 || !flow.fits() {
            // A message, an ACK or a time-out looks again.
            flow.flags |= ASLEEP;
            return;
        }
        flow.settle(now);
        let wait = flow.wait();
        if wait == 0 {
            self.stand(f);
        } else {
            flow.flags |= ARMED;
            let late = self.lateness.get(flow.late as usize).copied().unwrap_or(0);
            self.arm(f, Kind::Due, now + wait + late);
        }
    }

    // A flow stands in its host's line.
    fn stand(&mut self, f: u32) {
        let flow = &mut self.flows[f as usize];
        flow.flags |= QUEUED;
        let host = flow.spec.host as usize;
        self.hosts[host].push(&mut self.flows, f);
    }

    fn consider_posting(&mut self, now: Ps, f: u32) {
        let flow = &mut self.flows[f as usize];
        flow.next_message(&self.messages);
        let Some(posted) = &mut flow.posted else { return };
        // A burst waits for the one before it to leave the NIC, or nothing but memory would bound
        // what is posted.
        if !posted.bursts.is_empty() {
            return;
        }
        let bytes =
            u64::from(flow.spec.segment).min(flow.message_left.saturating_sub(posted.bytes)).min(flow.left.saturating_sub(posted.bytes));
        if bytes == 0 {
            posted.idle = true;
            return;
        }
        let payload = bytes as u32;
        let wire = payload + payload.div_ceil(flow.spec.packet) * super::flow::PER_PACKET;
        let queued = (posted.bytes as u32) + (posted.bytes as u32).div_ceil(flow.spec.packet) * super::flow::PER_PACKET;
        if flow.outstanding + queued > 0 && flow.outstanding + queued + wire > flow.window {
            posted.idle = true;
            return;
        }
        let gap = (u64::from(wire) * 8_000_000 * 4096).div_ceil(u64::from(flow.rate.max(1)));
        let eligible = posted.last.map_or(now, |last| last + gap).max(now);
        if eligible > now {
            let mut at = eligible;
            if posted.how.slot > 0 {
                at = at.next_multiple_of(posted.how.slot);
            }
            if posted.how.jitter > 0 {
                at += self.rng.random_range(0..=posted.how.jitter);
            }
            flow.flags |= ARMED;
            at += self.lateness.get(flow.late as usize).copied().unwrap_or(0);
            self.arm(f, Kind::Due, at);
            return;
        }
        // Software that is late by a trace keeps to its schedule: what it missed is made up for.
        let scheduled = posted.last.filter(|_| !posted.idle && !self.lateness.is_empty()).map_or(now, |last| last + gap);
        posted.last = Some(scheduled.clamp(now.saturating_sub(self.latest), now));
        posted.idle = false;
        let packets = u64::from(payload.div_ceil(flow.spec.packet));
        let port = &self.ports[flow.spec.host as usize];
        let own = if !posted.how.subtract_own || flow.spec.read {
            0
        } else if posted.how.spacing > 0 {
            (packets - 1) * posted.how.spacing + port.time(u64::from(wire) / packets)
        } else {
            port.time(wire.into())
        };
        posted.bursts.push_back((payload, now + own));
        posted.bytes += bytes;
        flow.account(now);
        flow.next_lateness(self.lateness.len());
        self.stand(f);
        let host = self.flows[f as usize].spec.host;
        self.kick(now, host);
    }

    // Sets the timer for the next burst; the flow may stand in line.
    fn next_posting(&mut self, now: Ps, f: u32) {
        let flow = &mut self.flows[f as usize];
        let queued = flow.flags & QUEUED;
        flow.flags &= !QUEUED;
        self.consider(now, f);
        self.flows[f as usize].flags |= queued;
    }

    /// A flow's timer.
    pub(super) fn due(&mut self, now: Ps, f: u32) {
        let flow = &mut self.flows[f as usize];
        flow.flags &= !ARMED;
        if flow.posted.is_some() {
            self.next_posting(now, f);
            return;
        }
        let (host, queued) = (flow.spec.host, flow.is(QUEUED));
        self.consider(now, f);
        if !queued && self.flows[f as usize].is(QUEUED) {
            self.kick(now, host);
        }
    }

    /// A spaced packet of a burst may leave.
    pub(super) fn spaced(&mut self, now: Ps, f: u32) {
        self.stand(f);
        let host = self.flows[f as usize].spec.host;
        self.kick(now, host);
    }

    // Lets a flow look whether it may send, and its host send.
    fn wake(&mut self, now: Ps, f: u32) {
        let posting = self.flows[f as usize].posted.is_some();
        if posting {
            self.next_posting(now, f);
            return;
        }
        self.due_if_free(now, f);
    }

    fn due_if_free(&mut self, now: Ps, f: u32) {
        if self.flows[f as usize].flags & (QUEUED | ARMED) == 0 {
            self.consider(now, f);
            if self.flows[f as usize].is(QUEUED) {
                let host = self.flows[f as usize].spec.host;
                self.kick(now, host);
            }
        }
    }

    /// A flow posts its next message, or an endless one starts.
    pub(super) fn post(&mut self, now: Ps, f: u32) {
        let flow = &mut self.flows[f as usize];
        // Software that posts doesn't settle a bucket: its flow was quiet from when the last ACK
        // came.
        let quiet = now - if flow.posted.is_some() { flow.progress } else { flow.settled };
        let restart = flow.left == 0 && flow.outstanding == 0 && flow.spec.idle > 0 && flow.end != 0 && quiet >= flow.spec.idle;
        if restart {
            flow.rate = flow.control.restart(&self.profiles[flow.profile as usize]);
        }
        if flow.finite() {
            flow.left += self.messages[flow.posting as usize].bytes;
            flow.posting += 1;
            let next = (flow.posting < flow.messages_end).then(|| self.messages[flow.posting as usize].start);
            if let Some(at) = next.filter(|at| *at != NEVER) {
                self.arm(f, Kind::Post, at.max(now));
            }
        } else {
            flow.left = u64::MAX;
        }
        self.wake(now, f);
    }

    /// An endless flow has stopped.
    pub(super) fn stop(&mut self, f: u32) {
        // The segment that was begun is finished.
        let flow = &mut self.flows[f as usize];
        let rest = if flow.in_segment > 0 { u64::from(flow.spec.segment - flow.in_segment) } else { 0 };
        flow.left = rest;
        flow.message_left = rest;
    }

    /// Sends a packet of the flow whose turn it is, if there is one.
    pub(super) fn pull(&mut self, now: Ps, out: u32) {
        let paused = self.ports[out as usize].paused;
        let Some(f) = self.hosts[out as usize].pop(&self.flows, paused) else { return };
        let flow = &mut self.flows[f as usize];
        flow.flags &= !QUEUED;
        let mut payload = flow.next_payload();
        if let Some(posted) = &flow.posted {
            payload = payload.min(posted.bursts.front().map_or(0, |b| b.0));
        }
        if payload == 0 {
            return;
        }
        let read = flow.spec.read;
        let (wire, charge) = (if read { u32::from(self.ack_wire) } else { wire_bytes(payload + HEADERS) }, flow.charge(payload));
        let end = now + self.ports[out as usize].time(wire.into());
        flow.in_segment += payload;
        flow.send(payload);
        if flow.left != u64::MAX {
            flow.left -= u64::from(payload);
        }
        if flow.message_left != u64::MAX {
            flow.message_left -= u64::from(payload);
        }
        flow.resend = flow.resend.saturating_sub(payload.into());
        let mut last = read || flow.in_segment == flow.spec.segment || flow.message_left == 0;
        let mut stamp = match flow.spec.rtt_start {
            Start::LastByte => end,
            Start::LastPacket => now,
        };
        let mut again = NEVER;
        if let Some(posted) = &mut flow.posted {
            posted.bytes -= u64::from(payload);
            if let Some(burst) = posted.bursts.front_mut() {
                burst.0 -= payload;
                stamp = burst.1;
                if burst.0 == 0 {
                    last = true;
                    posted.bursts.pop_front();
                }
            }
            if last {
                posted.left.push_back((flow.end, end));
            }
            again = if posted.bursts.is_empty() { NEVER } else { now + posted.how.spacing };
        }
        let id = self.cells.take(Kind::Enter, f);
        let cell = &mut self.cells[id];
        cell.stamp = stamp;
        cell.end = flow.end;
        cell.segment = flow.in_segment;
        cell.wire = wire as u16;
        cell.class = flow.class;
        cell.route = flow.route + 1;
        cell.bits = if last { LAST } else { 0 } | if read { REQUEST } else { 0 };
        if last {
            flow.in_segment = 0;
        }
        if flow.outstanding == 0 {
            flow.progress = now;
        }
        flow.outstanding += charge;
        flow.pay(charge, now);
        if let Some(c) = flow.control.other() {
            c.sent(charge);
            flow.rate = engine_rate(c.rate());
            if c.next_timer() != NEVER && flow.flags & TIMED == 0 {
                self.follow(now, f);
            }
        }
        let flow = &mut self.flows[f as usize];
        if flow.posted.is_none() {
            flow.next_lateness(self.lateness.len());
        }
        if flow.spec.timeout > 0 && !flow.is(EXPIRES) {
            flow.flags |= EXPIRES;
            let at = now + flow.patience();
            self.arm(f, Kind::Expire, at);
        }
        if self.record.detail {
            self.record.departed(f, now, self.windows.steady);
        }
        self.transmit(now, out, id);
        if self.flows[f as usize].posted.is_none() {
            self.consider(now, f);
        } else if again == now {
            self.stand(f);
        } else if again != NEVER {
            self.arm(f, Kind::Spaced, again);
        } else {
            // The burst has left.
            self.next_posting(now, f);
        }
    }

    /// A data packet reaches its host at `at`, with so many bytes that had not come before.
    #[inline]
    pub(super) fn deliver(&mut self, at: Ps, f: u32, (wire, new): (u16, u32), bits: u8) {
        let flow = &mut self.flows[f as usize];
        let payload = u64::from(new);
        flow.delivered += payload;
        flow.packets += 1;
        if at >= self.windows.steady && at < self.windows.end {
            flow.delivered_steady += payload;
            flow.wire_steady += u64::from(wire);
            self.record.recorder.marks.count(false, bits & MARKED != 0);
        }
        flow.marks = flow.marks.saturating_add(u16::from(bits & MARKED != 0));
        if flow.notification.is_some() {
            self.notices(at, f, bits & MARKED != 0);
        }
        if self.record.detail {
            self.record.arrived(f, at, wire);
        }
    }

    /// A frame that something comes of has arrived at a host.
    pub(super) fn arrive(&mut self, now: Ps, id: u32) {
        let cell = &mut self.cells[id];
        let f = cell.flow;
        if cell.bits & CNP != 0 {
            self.cells.give(id);
            self.notified(now, f);
            return;
        }
        if cell.bits & REQUEST != 0 {
            self.respond(now, id);
            return;
        }
        if cell.bits & (ACK | RESPONSE) == 0 {
            // The cell becomes the ACK.
            let flow = &mut self.flows[f as usize];
            let whole = flow.spec.reply.is_some().then(|| flow.complete(cell.end, cell.segment));
            cell.bits = ACK;
            cell.class = ACKS;
            cell.wire = self.ack_wire;
            cell.route = flow.back;
            self.forward(now, id);
            if let Some(place) = whole {
                self.ended(now, f, place);
            }
            return;
        }
        let mut c = *cell;
        self.cells.give(id);
        let flow = &mut self.flows[f as usize];
        let port = &self.ports[flow.spec.host as usize];
        let mut before = 0;
        if c.bits & RESPONSE != 0 {
            // The packets before the last one of a response are the segment's own time, as with a
            // segment that is sent.
            before = port.time((flow.segment_wire(c.segment) - u32::from(c.wire)).into());
            c.stamp += before;
        }
        flow.acks += 1;
        let Some((bytes, lost)) = flow.acknowledge(c.end, c.segment) else {
            self.record.late += 1;
            let bytes = flow.arrived_late(c.end, c.segment);
            flow.forget(c.end);
            self.answered(now, f, bytes);
            return;
        };
        if lost > 0 {
            flow.again(c.end.wrapping_sub(bytes), lost);
        }
        flow.forget(c.end);
        flow.progress = now;
        let first_bit = now - port.time(c.wire.into());
        let mut rtt = first_bit.saturating_sub(c.stamp);
        // The path time begins when the segment has left, wherever the RTT that is measured does.
        let left = match (&mut flow.posted, flow.spec.rtt_start) {
            (Some(posted), _) => posted.left_at(c.end).map_or(c.stamp, |at| at + before),
            (None, Start::LastByte) => c.stamp,
            (None, Start::LastPacket) => c.stamp + port.time(flow.last_wire(c.segment, self.ack_wire).into()),
        };
        let path = first_bit.saturating_sub(left);
        if let Some(one_way) = &mut flow.one_way {
            rtt = one_way.signal(c.end, c.stamp, first_bit);
        }
        if self.rtt_noise > 0 {
            rtt += self.rng.random_range(0..=self.rtt_noise);
        }
        if let Some(noise) = &self.noise {
            rtt += noise.draw(&mut self.rng) * 1000;
        }
        let packets = bytes.div_ceil(flow.spec.packet);
        let answer = Answer { now, rtt, bytes, packets, marked: c.marks.into(), lost: c.lost > 0, acked: flow.acked, sent: flow.end };
        let before = flow.rate;
        let (rate, window) = flow.answer(&self.profiles[flow.profile as usize], &answer);
        flow.rate = rate;
        if let Some(w) = window {
            flow.window = w;
        }
        let steady = now >= self.windows.steady && now < self.windows.end;
        if steady {
            self.record.recorder.marks.count(true, c.marks > 0);
            self.record.rtt.add(path);
            self.record.measured_rtt.add(rtt);
            if c.marks > 0 {
                self.record.marked_rtt.add(rtt);
            }
        }
        if self.record.detail {
            self.record.sampled(f, now, (path, rtt), (packets as u16, c.marks), (rate != before).then_some(rate));
        }
        self.answered(now, f, bytes);
        let flow = &self.flows[f as usize];
        if flow.is(ASLEEP) || flow.posted.is_some() {
            self.wake(now, f);
        }
    }

    // So many more bytes of the flow are answered, each once: messages may be complete.
    #[inline]
    fn answered(&mut self, now: Ps, f: u32, bytes: u32) {
        let flow = &mut self.flows[f as usize];
        flow.answered += u64::from(bytes);
        while flow.answered >= flow.complete_at {
            self.messages[flow.completing as usize].done = now;
            flow.completing += 1;
            self.record.completed += 1;
            let next = (flow.completing < flow.messages_end).then(|| self.messages[flow.completing as usize].bytes);
            flow.complete_at = next.map_or(u64::MAX - 1, |b| flow.complete_at + b);
        }
    }

    // All before this place has arrived: replies to the messages that are whole are posted, and
    // counted from when the messages were.
    fn ended(&mut self, now: Ps, f: u32, place: u64) {
        while place >= self.flows[f as usize].arrives_at {
            let flow = &mut self.flows[f as usize];
            let (message, reply) = (flow.arriving, flow.spec.reply);
            flow.arriving += 1;
            let next = (flow.arriving < flow.messages_end).then(|| self.messages[flow.arriving as usize].bytes);
            flow.arrives_at = next.map_or(u64::MAX, |bytes| flow.arrives_at + bytes);
            let Some(r) = reply else { return };
            let answer = self.flows[r as usize].posting;
            if answer < self.flows[r as usize].messages_end {
                self.messages[answer as usize].start = self.messages[message as usize].start;
                self.post(now, r);
            }
        }
    }

    /// A flow may have waited too long.
    pub(super) fn expire(&mut self, now: Ps, f: u32) {
        let flow = &mut self.flows[f as usize];
        flow.flags &= !EXPIRES;
        if flow.outstanding == 0 {
            return;
        }
        let mut at = flow.progress + flow.patience();
        if at <= now {
            flow.give_up();
            (flow.rate, _) = flow.control.timeout(&self.profiles[flow.profile as usize], now);
            if let Some(w) = flow.control.window() {
                flow.window = w;
            }
            self.record.timeouts += 1;
            at = now + flow.patience();
            if self.record.detail {
                let rate = flow.rate;
                self.record.sampled_rate(f, now, rate);
            }
        }
        let flow = &mut self.flows[f as usize];
        flow.flags |= EXPIRES;
        self.arm(f, Kind::Expire, at);
        self.wake(now, f);
    }
}
