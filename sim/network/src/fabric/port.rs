//! Ports, and a switch's handling of a frame: forward it at once, queue it, mark it, drop it, pause
//! the sending port.
//!
//! A port that is idle sends what arrives without an event of its own; only a port with a queue has
//! one, for the end of each frame. So a frame that meets no queue costs one event a link. A frame
//! leaves the accounts of the buffer when it starts on the wire.
use super::Fabric;
use super::cell::{ACK, CNP, Hop, Kind, LAST, Link, MARKED, NONE, PORT, REQUEST, RESPONSE};
pub use super::class::{ACKS, CNPS, HIGH, LOW};
use super::flow::PER_PACKET;
use crate::metrics::Tap;
use crate::time::{Ps, Speed, wire_bytes};
use rand::Rng;

/// Queues of a port: ACKs, two classes of data, congestion notifications.
pub const CLASSES: usize = 4;
/// The classes in the order in which they are sent.
const ORDER: [usize; CLASSES] = [CNPS as usize, ACKS as usize, HIGH as usize, LOW as usize];
/// Wire bytes of a pause frame.
const PAUSE: u16 = wire_bytes(60) as u16;
/// Wire bytes that a switch does not store: preamble and gap.
const UNSTORED: u32 = 20;
/// Fraction bits of the time of a byte.
const FRACTION: u32 = 12;

/// Flow control by the bytes that wait in a switch and came in by one port, in one class.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FlowControl {
    /// Pause the neighbour above this many bytes.
    pub xoff: u32,
    /// Let it go on at this many.
    pub xon: u32,
    /// Bytes beyond `xoff` that a paused neighbour may still send; what exceeds them is dropped.
    pub headroom: u32,
    /// The threshold is at most this part of the shared buffer that is free; 0: `xoff` alone
    /// counts.
    pub dynamic: f64,
}

impl FlowControl {
    /// Bytes above which a neighbour is paused, while so many of the buffer are free.
    fn threshold(&self, free: u64) -> u64 {
        let xoff = u64::from(self.xoff);
        if self.dynamic > 0.0 { xoff.min((self.dynamic * free as f64) as u64) } else { xoff }
    }

    /// Bytes at which it may go on: as far below the threshold as XON is below XOFF. A threshold
    /// that falls takes it along, or a neighbour went on while far above the threshold.
    fn resume(&self, free: u64) -> u64 {
        self.threshold(free).saturating_sub(u64::from(self.xoff.saturating_sub(self.xon)))
    }
}

/// A port's record of its queue.
#[derive(Debug)]
pub(super) struct Watch {
    pub tap: Tap,
    held: u64,
    // Bytes that leave when the frame on the wire has ended, and when that is.
    leaving: (Ps, u64),
}

impl Watch {
    pub fn new(tap: Tap) -> Self {
        Watch { tap, held: 0, leaving: (0, 0) }
    }

    fn settle(&mut self, now: Ps) {
        let (at, bytes) = self.leaving;
        if bytes > 0 && at <= now {
            self.held -= bytes;
            self.tap.change(at, self.held);
            self.leaving = (0, 0);
        }
    }

    fn came(&mut self, now: Ps, bytes: u64) {
        self.settle(now);
        self.held += bytes;
        self.tap.change(now, self.held);
    }

    fn goes(&mut self, now: Ps, end: Ps, bytes: u64, wire: u32) {
        self.settle(now);
        self.leaving = (end, bytes);
        self.tap.sends(now, end, wire);
    }

    // The tap, whose record is still to be closed.
    pub fn finish(mut self, now: Ps) -> Tap {
        self.settle(now);
        self.tap
    }
}

/// A port of a switch or a host: the first cache line serves a frame that meets no queue.
#[derive(Debug)]
#[repr(C, align(64))]
pub struct Port {
    /// End of what is on its wire.
    pub(super) busy: Ps,
    /// Stored bytes that wait here.
    pub(super) waiting: u64,
    byte: u64,
    // From the last bit out to the queue at the other end.
    delay: Ps,
    propagation: Ps,
    peer: u32,
    node: u32,
    watch: u32,
    loss: f32,
    /// Classes that the neighbour has paused.
    pub(super) paused: u8,
    // Classes in which the neighbour is to be paused, and whether it must be told.
    off: u8,
    tell: bool,
    // An event for the end of what is on the wire is in the calendar.
    armed: bool,
    /// The port belongs to a host.
    pub(super) of_host: bool,
    /// The other end does.
    pub(super) to_host: bool,
    marking: bool,
    lossy: bool,
    heads: [u32; CLASSES],
    tails: [u32; CLASSES],
    // Stored bytes that came in by this port and wait in its switch.
    entered: [u64; CLASSES],
}

const _: () = assert!(size_of::<Port>() == 128);

/// Connection of a port.
#[derive(Clone, Copy, Debug)]
pub struct Wiring {
    /// The port at the other end.
    pub peer: u32,
    /// The port belongs to a host.
    pub of_host: bool,
    /// The other end does.
    pub to_host: bool,
    /// Node that the port belongs to.
    pub node: u32,
    /// Speed.
    pub speed: Speed,
    /// Propagation delay.
    pub delay: Ps,
    /// Probability of loss.
    pub loss: f64,
}

impl Port {
    /// An idle port; `latency` is that of the switch at the other end, if it is one.
    pub fn new(w: &Wiring, latency: Ps, marking: bool) -> Self {
        let byte = ((8_000_000_000_000u128 << FRACTION) + u128::from(w.speed.as_bps()) / 2) / u128::from(w.speed.as_bps());
        Port {
            busy: 0,
            heads: [NONE; CLASSES],
            tails: [NONE; CLASSES],
            waiting: 0,
            paused: 0,
            off: 0,
            tell: false,
            armed: false,
            of_host: w.of_host,
            to_host: w.to_host,
            marking: marking && !w.of_host,
            lossy: w.loss > 0.0,
            byte: byte as u64,
            delay: w.delay + if w.to_host { 0 } else { latency },
            propagation: w.delay,
            peer: w.peer,
            node: w.node,
            watch: NONE,
            loss: w.loss as f32,
            entered: [0; CLASSES],
        }
    }

    /// Time of so many bytes on its wire.
    #[inline]
    pub fn time(&self, wire: u64) -> Ps {
        (wire * self.byte + (1 << (FRACTION - 1))) >> FRACTION
    }

    /// Sets the number of the port's record.
    pub(super) fn watched(&mut self, watch: u32) {
        self.watch = watch;
    }

    /// The frame of data that is next, if any.
    #[inline]
    pub(super) fn first(&self) -> u32 {
        self.heads[usize::from(HIGH)]
    }

    /// Reads what a queued frame needs of the port it came in by.
    #[inline]
    pub(super) fn held(&self) -> u64 {
        self.entered[usize::from(HIGH)]
    }

    #[inline]
    fn open(&self, class: u8) -> bool {
        self.paused >> class & 1 == 0
    }

    // Something waits that may be sent.
    fn pending(&self) -> bool {
        self.tell || (0..CLASSES).any(|c| self.heads[c] != NONE && self.open(c as u8))
    }
}

// Data is marked, and paused by flow control.
#[inline]
fn is_data(class: usize) -> bool {
    class == usize::from(HIGH) || class == usize::from(LOW)
}

#[inline]
fn stored(wire: u16) -> u32 {
    u32::from(wire) - UNSTORED
}

impl Fabric {
    /// A frame is ready for the next port on its way.
    #[inline]
    pub(super) fn forward(&mut self, now: Ps, id: u32) {
        let cell = &mut self.cells[id];
        let Hop { out, from } = self.routes[cell.route as usize];
        cell.route += 1;
        let port = &self.ports[out as usize];
        if port.busy <= now && port.waiting == 0 && port.open(cell.class) {
            // A ramp marks no frame at an empty queue.
            let marking = self.marking.pi.is_some() && port.marking && is_data(cell.class.into());
            if marking && self.marks(now, out, 0) {
                self.cells[id].bits |= MARKED;
            }
            let (cell, port) = (&self.cells[id], &self.ports[out as usize]);
            if port.watch != NONE {
                let bytes = stored(cell.wire);
                self.watches[port.watch as usize].came(now, bytes.into());
            }
            self.transmit(now, out, id);
        } else {
            self.enqueue(now, (out, from), id);
        }
    }

    fn enqueue(&mut self, now: Ps, (out, from): (u32, u32), id: u32) {
        let cell = &self.cells[id];
        let (bytes, class) = (stored(cell.wire), usize::from(cell.class));
        let port = &mut self.ports[out as usize];
        let marking = port.marking && self.marking.ingress && is_data(class);
        if !port.of_host {
            let node = port.node as usize;
            let control = self.flow_control.filter(|_| is_data(class));
            let used = &mut self.used[node];
            let limit = self.buffer;
            let threshold = control.map(|c| c.threshold(limit.saturating_sub(*used)));
            let entered = &mut self.ports[from as usize].entered[class];
            let over = control.is_some_and(|c| *entered + u64::from(bytes) > u64::from(c.xoff.saturating_add(c.headroom)));
            if over || *used + u64::from(bytes) > limit {
                self.record.dropped += 1;
                self.cells.give(id);
                return;
            }
            *entered += u64::from(bytes);
            let held = *entered;
            *used += u64::from(bytes);
            self.record.ingress_max = self.record.ingress_max.max(held);
            if threshold.is_some_and(|t| held > t) && self.ports[from as usize].off >> class & 1 == 0 {
                let ingress = &mut self.ports[from as usize];
                ingress.off |= 1 << class;
                ingress.tell = true;
                self.record.pauses += 1;
                self.record.pauses_steady += u64::from(now >= self.windows.steady);
                self.kick(now, from);
            }
        }
        let port = &mut self.ports[out as usize];
        if marking {
            let queue = port.waiting;
            if self.marks(now, out, queue) {
                self.cells[id].bits |= MARKED;
            }
        }
        let port = &mut self.ports[out as usize];
        port.waiting += u64::from(bytes);
        if port.marking {
            self.controlled[out as usize].changes(&self.marking, now, port.waiting);
        }
        if port.watch != NONE {
            self.watches[port.watch as usize].came(now, bytes.into());
        }
        self.cells.links[id as usize] = Link { next: NONE, from };
        let tail = std::mem::replace(&mut port.tails[class], id);
        if tail == NONE {
            port.heads[class] = id;
        } else {
            self.cells.links[tail as usize].next = id;
        }
        self.kick(now, out);
    }

    /// Sends the next thing if the port is free, and sees to it that the one after it is sent.
    pub(super) fn kick(&mut self, now: Ps, out: u32) {
        let port = &mut self.ports[out as usize];
        if port.busy <= now {
            if port.tell {
                port.tell = false;
                port.busy = now + port.time(PAUSE.into());
                let (peer, at, off) = (port.peer, port.busy + port.propagation, port.off);
                let id = self.cells.take(Kind::Pause, peer);
                self.cells[id].bits = off;
                self.calendar.push(id, at);
            } else if let Some(class) = ORDER.into_iter().find(|c| port.heads[*c] != NONE && port.open(*c as u8)) {
                self.dequeue(now, out, class);
            } else if port.of_host {
                self.pull(now, out);
            }
        }
        let port = &mut self.ports[out as usize];
        if !port.armed && port.busy > now && (port.pending() || (port.of_host && self.hosts[out as usize].wants(port.paused))) {
            port.armed = true;
            self.calendar.push(PORT | out, port.busy);
        }
    }

    /// The event of a port.
    pub(super) fn freed(&mut self, now: Ps, out: u32) {
        self.ports[out as usize].armed = false;
        self.kick(now, out);
    }

    /// The neighbour's word on what is paused.
    pub(super) fn paused(&mut self, now: Ps, out: u32, classes: u8) {
        self.ports[out as usize].paused = classes;
        self.kick(now, out);
    }

    fn dequeue(&mut self, now: Ps, out: u32, class: usize) {
        let port = &mut self.ports[out as usize];
        let id = port.heads[class];
        let Link { next, from } = self.cells.links[id as usize];
        port.heads[class] = next;
        if next == NONE {
            port.tails[class] = NONE;
        }
        let bytes = stored(self.cells[id].wire);
        port.waiting -= u64::from(bytes);
        if !port.of_host {
            let (queue, marking, node) = (port.waiting, port.marking, port.node as usize);
            self.used[node] -= u64::from(bytes);
            if marking && !self.marking.ingress && is_data(class) && self.marks(now, out, queue) {
                self.cells[id].bits |= MARKED;
            }
            if marking {
                self.controlled[out as usize].changes(&self.marking, now, queue);
            }
            let free = self.buffer.saturating_sub(self.used[node]);
            let ingress = &mut self.ports[from as usize];
            ingress.entered[class] -= u64::from(bytes);
            if ingress.off >> class & 1 != 0 && self.flow_control.is_some_and(|c| ingress.entered[class] <= c.resume(free)) {
                ingress.off &= !(1 << class);
                ingress.tell = true;
                self.transmit(now, out, id);
                self.kick(now, from);
                return;
            }
        }
        self.transmit(now, out, id);
    }

    // Draws whether a frame is marked at a port with such a queue.
    fn marks(&mut self, now: Ps, out: u32, queue: u64) -> bool {
        self.controlled[out as usize].marks(&self.marking, now, queue, &mut self.rng)
    }

    /// Puts a frame on the wire, which is free.
    #[inline]
    pub(super) fn transmit(&mut self, now: Ps, out: u32, id: u32) {
        let port = &mut self.ports[out as usize];
        let cell = &mut self.cells[id];
        let end = now + port.time(cell.wire.into());
        port.busy = end;
        self.record.transmissions += 1;
        if port.watch != NONE {
            self.watches[port.watch as usize].goes(now, end, stored(cell.wire).into(), cell.wire.into());
        }
        if port.lossy && self.rng.random_bool(port.loss.into()) {
            self.record.lost += 1;
            self.cells.give(id);
            return;
        }
        let mut at = end + port.delay;
        if port.to_host {
            if cell.bits & (ACK | CNP) == 0 {
                let (flow, wire, bits) = (cell.flow, cell.wire, cell.bits);
                if bits & REQUEST == 0 {
                    let payload = u32::from(wire) - PER_PACKET;
                    let new;
                    (cell.lost, new) = self.flows[flow as usize].hear(cell.end, cell.segment, payload, bits & LAST != 0);
                    if bits & LAST != 0
                        && let Some(one_way) = &mut self.flows[flow as usize].one_way
                    {
                        one_way.arrived(cell.end, now + port.delay);
                    }
                    self.deliver(at, flow, (wire, new), bits);
                }
                // Marks of this segment's packets and of lost segments' before it, and of no packet
                // behind it.
                if bits & LAST != 0 && bits & REQUEST == 0 {
                    self.cells[id].marks = std::mem::take(&mut self.flows[flow as usize].marks);
                }
                if bits & LAST == 0 {
                    self.cells.give(id);
                    return;
                }
                // A segment's feedback is its ACK, or the response to its request, and nothing
                // before.
                if bits & RESPONSE == 0 {
                    at += self.ack_delay;
                    if let Some(jitter) = &mut self.feedback {
                        let flow = &self.flows[flow as usize];
                        at += jitter.hold((flow.spec.host as u16, flow.spec.number), at);
                    }
                }
            }
            self.cells[id].kind = Kind::Arrive;
        } else {
            cell.kind = Kind::Enter;
            // The first switch gives ACKs their queue; a host's own are not paused.
            if port.of_host && cell.class == ACKS {
                cell.class = self.ack_class;
            }
        }
        self.calendar.push(id, at);
    }
}
