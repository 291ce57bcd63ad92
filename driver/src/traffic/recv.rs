//! The receiver: counts segments and what is missing of them, and answers when it is asked to, as
//! the hardware does.
use super::socket::{Arrived, Socket, now_ns};
use super::{TrafficError, mbps, wire_bytes};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::net::SocketAddr;
use std::os::fd::BorrowedFd;
use std::time::{Duration, Instant};
use timely_regs::wire::{HEADER_BYTES, Header, Kind, LAST, check_datagram};

/// Most flows that are followed, so that packets of invented flows cannot fill the memory.
const MOST_FLOWS: usize = 4096;
/// A segment number that is further away is that of a sender which started again.
const FAR: u32 = 1 << 16;
/// Datagrams that are taken before anything else is looked at.
const TURN: usize = 256;
/// The longest wait for anything.
const LOOK: Duration = Duration::from_millis(100);

/// Options of a receiver.
#[derive(Clone, Debug)]
pub struct RecvOptions {
    /// Where.
    pub at: SocketAddr,
    /// Whole segments are answered.
    pub answer: bool,
    /// Ends after so many whole segments.
    pub segments: Option<u64>,
    /// Ends after so long.
    pub time: Option<Duration>,
    /// Ends when nothing came for so long, once something did.
    pub idle: Duration,
    /// Ends, with an error, when nothing comes at all for so long.
    pub patience: Duration,
    /// How often `each` is told.
    pub interval: Duration,
}

/// Results of a receiver.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct RecvReport {
    pub at: SocketAddr,
    /// From the first packet of ours to the last.
    pub seconds: f64,
    pub flows: u64,
    pub packets: u64,
    pub payload_bytes: u64,
    pub wire_bytes: u64,
    pub wire_mbps: f64,
    pub payload_mbps: f64,
    /// Segments of which all came, in order.
    pub segments: u64,
    /// Segments of which a packet is missing, or came too late.
    pub broken: u64,
    /// Segments of which nothing came.
    pub missing: u64,
    /// Broken and missing ones of all, 0 to 1.
    pub loss: f64,
    /// Packets that came after later ones, or again.
    pub late: u64,
    pub acks_sent: u64,
    /// ACKs that the kernel did not take.
    pub acks_refused: u64,
    /// Segments that are not answered: to or from a group's address, or from port 0.
    pub unanswered: u64,
    /// ACKs that came here, where nothing was sent.
    pub acks_received: u64,
    /// Datagrams that are none of ours.
    pub malformed: u64,
    /// Packets of more flows than are followed.
    pub unfollowed: u64,
    /// Packets that came with the mark of congestion.
    pub marked: u64,
}

/// Where a flow is.
struct Track {
    segment: u32,
    /// Packet that is expected next.
    next: u16,
    broken: bool,
    done: bool,
}

/// A receiver that is bound.
pub struct Receiver {
    options: RecvOptions,
    socket: Socket,
    tracks: HashMap<(SocketAddr, u32), Track>,
    report: RecvReport,
    first: Option<Instant>,
    last: Instant,
}

impl Receiver {
    /// Binds the socket; port 0 is any that is free.
    ///
    /// # Errors
    /// When it cannot be had.
    pub fn new(options: RecvOptions) -> Result<Self, TrafficError> {
        let socket = Socket::bind(options.at)?;
        let at = socket.udp().local_addr().unwrap_or(options.at);
        let report = RecvReport {
            at,
            seconds: 0.0,
            flows: 0,
            packets: 0,
            payload_bytes: 0,
            wire_bytes: 0,
            wire_mbps: 0.0,
            payload_mbps: 0.0,
            segments: 0,
            broken: 0,
            missing: 0,
            loss: 0.0,
            late: 0,
            acks_sent: 0,
            acks_refused: 0,
            unanswered: 0,
            acks_received: 0,
            malformed: 0,
            unfollowed: 0,
            marked: 0,
        };
        Ok(Receiver { options, socket, tracks: HashMap::new(), report, first: None, last: Instant::now() })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.report.at
    }

    /// Receives until that is done or `stop` can be read; `each` is told of it now and then.
    ///
    /// # Errors
    /// When the socket fails, or nothing came.
    pub fn run(mut self, stop: BorrowedFd<'_>, each: &mut dyn FnMut(&RecvReport)) -> Result<RecvReport, TrafficError> {
        let start = Instant::now();
        let mut told = start;
        let mut buffer = [0; HEADER_BYTES];
        loop {
            for _ in 0..TURN {
                let taken = self.socket.take(&mut buffer);
                let next = "is the interface still up?";
                let Some(arrived) = taken.map_err(|source| TrafficError::Socket { what: "receiving".into(), source, next })? else { break };
                self.arrived(&arrived, &buffer[..arrived.bytes.min(HEADER_BYTES)]);
            }
            let now = Instant::now();
            if self.first.is_some() && now - told >= self.options.interval {
                told = now;
                each(&self.report());
            }
            let enough = self.options.segments.is_some_and(|s| self.report.segments >= s);
            let over = self.options.time.is_some_and(|t| now - start >= t);
            let quiet = self.first.is_some() && now - self.last >= self.options.idle;
            if enough || over || quiet || self.socket.wait(stop, LOOK.min(self.options.idle))? {
                return Ok(self.report());
            }
            if self.first.is_none() && now - start >= self.options.patience {
                return Err(TrafficError::Nothing { at: self.report.at, seconds: self.options.patience.as_secs_f64() });
            }
        }
    }

    fn arrived(&mut self, arrived: &Arrived, head: &[u8]) {
        let (header, kind) = match check_datagram(head) {
            Ok(found) => found,
            Err(_) => {
                self.report.malformed += 1;
                return;
            }
        };
        if kind == Kind::Ack {
            self.report.acks_received += 1;
            return;
        }
        self.last = Instant::now();
        self.first.get_or_insert(self.last);
        let payload = arrived.bytes - HEADER_BYTES;
        self.report.packets += 1;
        self.report.payload_bytes += payload as u64;
        self.report.wire_bytes += wire_bytes(arrived.from, payload);
        self.report.marked += u64::from(arrived.ecn == 3);
        if self.options.answer && header.flags & LAST != 0 {
            self.answer(arrived, header);
        }
        self.follow(arrived.from, &header);
    }

    fn answer(&mut self, arrived: &Arrived, header: Header) {
        let peer = arrived.from;
        if arrived.to_group || peer.port() == 0 || peer.ip().is_multicast() || peer.ip().is_unspecified() {
            self.report.unanswered += 1;
            return;
        }
        // ns48.fns16; the upper bits of the time fall away.
        let ack = header.answered(arrived.ttl, arrived.ecn, arrived.at_ns << 16, now_ns() << 16);
        match self.socket.udp().send_to(&ack.bytes(), peer) {
            Ok(_) => self.report.acks_sent += 1,
            Err(_) => self.report.acks_refused += 1,
        }
    }

    fn follow(&mut self, from: SocketAddr, header: &Header) {
        if self.tracks.len() >= MOST_FLOWS && !self.tracks.contains_key(&(from, header.flow)) {
            self.report.unfollowed += 1;
            return;
        }
        let report = &mut self.report;
        let fresh = || Track { segment: header.segment, next: 0, broken: false, done: false };
        let track = self.tracks.entry((from, header.flow)).or_insert_with(|| {
            report.flows += 1;
            fresh()
        });
        let ahead = header.segment.wrapping_sub(track.segment);
        if ahead.wrapping_add(FAR) >= 2 * FAR {
            report.broken += u64::from(!track.done);
            *track = fresh();
        } else if ahead > FAR || ahead == 0 && (track.done || header.packet < track.next) {
            report.late += 1;
            return;
        } else if ahead > 0 {
            report.broken += u64::from(!track.done);
            report.missing += u64::from(ahead - 1);
            *track = fresh();
        }
        track.broken |= header.packet != track.next;
        track.next = header.packet.saturating_add(1);
        if header.flags & LAST != 0 {
            track.done = true;
            if track.broken { report.broken += 1 } else { report.segments += 1 }
        }
    }

    /// Report up to now.
    fn report(&self) -> RecvReport {
        let mut r = self.report.clone();
        r.seconds = self.first.map_or(0.0, |f| (self.last - f).as_secs_f64());
        (r.wire_mbps, r.payload_mbps) = (mbps(r.wire_bytes, r.seconds), mbps(r.payload_bytes, r.seconds));
        let (lost, all) = (r.broken + r.missing, r.broken + r.missing + r.segments);
        r.loss = if all > 0 { lost as f64 / all as f64 } else { 0.0 };
        r
    }
}

#[cfg(test)]
mod tests;
