//! The sender: segments at a rate, each with a nonce of its own; what became of each, and how long
//! its ACK took.
use super::socket::{Arrived, Socket, now_ns};
use super::spread::{Percentiles, Spread};
use super::{TrafficError, is_ipv6, mbps, wire_bytes};
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, BufReader, ErrorKind, Read};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::os::fd::BorrowedFd;
use std::time::{Duration, Instant};
use timely_regs::wire::{FIRST, HEADER_BYTES, Header, Kind, LAST, check_datagram};

/// Most segments whose ACK is waited for; beyond it the oldest counts as lost.
const MOST_WAITING: usize = 1 << 16;
/// Packets that are sent, and datagrams that are taken, before the other is looked at.
const TURN: usize = 64;
/// Longest time that the schedule may be behind; packets that are later are not made up for.
const BEHIND: Duration = Duration::from_millis(100);
/// The longest wait for anything.
const LOOK: Duration = Duration::from_millis(100);
/// Bytes that Ethernet takes around an IP packet: header, FCS, preamble and gap.
const ETHERNET: usize = 38;
/// The MTU that most links have.
const USUAL_MTU: usize = 1500;
/// How long the kernel may take no packet.
const STUCK: Duration = Duration::from_secs(5);

/// Options of a sender.
#[derive(Clone, Debug)]
pub struct SendOptions {
    /// Where to.
    pub to: SocketAddr,
    /// UDP source port; 0 for any.
    pub source_port: u16,
    /// The flow that the header names.
    pub flow: u32,
    /// Rate on the wire, Mb/s.
    pub rate_mbps: f64,
    /// Payload bytes of a packet, behind our header.
    pub packet_bytes: u16,
    /// Packets of a segment.
    pub segment_packets: u8,
    /// Ends after so many segments.
    pub segments: Option<u64>,
    /// Ends after so long.
    pub time: Option<Duration>,
    /// A segment whose ACK takes longer is lost.
    pub patience: Duration,
    /// TTL or hop limit.
    pub ttl: u8,
    /// TOS or traffic class.
    pub tos: u8,
    /// How often `each` is told.
    pub interval: Duration,
}

/// Results of a sender: packets sent, and what became of them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct SendReport {
    pub to: SocketAddr,
    pub from: SocketAddr,
    pub flow: u32,
    pub packet_bytes: u16,
    pub segment_packets: u8,
    pub asked_mbps: f64,
    pub seconds: f64,
    pub packets: u64,
    pub segments: u64,
    pub payload_bytes: u64,
    pub wire_bytes: u64,
    pub wire_mbps: f64,
    pub payload_mbps: f64,
    /// Segments whose ACK came.
    pub acked: u64,
    /// Segments whose ACK did not come in time.
    pub lost: u64,
    /// Segments whose ACK may still come.
    pub waiting: u64,
    /// Lost ones of those that are decided, 0 to 1.
    pub loss: f64,
    /// ACKs of segments that are not outstanding any more, or never were.
    pub stale: u64,
    /// Further ACKs of a segment.
    pub repeated: u64,
    /// ACKs with a wrong nonce or flow.
    pub forged: u64,
    /// Datagrams that are no ACK of ours.
    pub malformed: u64,
    /// Times that the other host said that its port is closed.
    pub closed: u64,
    /// ACKs that say that a packet came with the mark of congestion.
    pub marked: u64,
    /// Most hops that an ACK tells of.
    pub hops: Option<u8>,
    /// From just before a segment's last packet is handed to the kernel to the kernel's stamp of
    /// its ACK.
    pub rtt_ns: Option<Percentiles>,
    /// Part of the RTT that the responder reports as its own.
    pub responder_ns: Option<Percentiles>,
}

struct Waiting {
    nonce: u32,
    /// When its last packet was sent, ns since 1970.
    at_ns: u64,
    sent: Instant,
    acked: bool,
}

struct Sender<'a> {
    options: &'a SendOptions,
    socket: Socket,
    random: BufReader<File>,
    report: SendReport,
    rtt: Spread,
    responder: Spread,
    /// Outstanding segments, from number `first` on.
    waiting: VecDeque<Waiting>,
    first: u32,
    packet: Vec<u8>,
    /// Place in the segment, and the segment's nonce.
    place: u8,
    nonce: u32,
    start: Instant,
}

fn failed(what: String, next: &'static str) -> impl FnOnce(io::Error) -> TrafficError {
    move |source| TrafficError::Socket { what, source, next }
}

/// Sends as it is told, until that is done or `stop` can be read; `each` is told of it now and
/// then.
///
/// # Errors
/// When a socket cannot be had, packets are too long, the kernel takes none, or no socket listens
/// at the other end.
pub fn send(options: &SendOptions, stop: BorrowedFd<'_>, each: &mut dyn FnMut(&SendReport)) -> Result<SendReport, TrafficError> {
    let mut sender = Sender::new(options)?;
    sender.run(stop, each)?;
    let report = sender.report();
    // One that never answers otherwise; where a card takes the ACKs for itself none come, and no
    // port is said to be closed.
    if report.acked == 0 && report.closed > 0 && report.stale + report.forged == 0 {
        return Err(TrafficError::Closed(options.to));
    }
    Ok(report)
}

impl<'a> Sender<'a> {
    fn new(options: &'a SendOptions) -> Result<Self, TrafficError> {
        let any: IpAddr = if options.to.is_ipv4() { Ipv4Addr::UNSPECIFIED.into() } else { Ipv6Addr::UNSPECIFIED.into() };
        let socket = Socket::bind((any, options.source_port).into())?;
        let reach = || failed(format!("UDP to {}", options.to), "is there a route to it? `ip route get` shows it");
        socket.udp().connect(options.to).map_err(reach())?;
        socket.set_envelope(is_ipv6(options.to), options.ttl, options.tos).map_err(reach())?;
        socket.udp().set_write_timeout(Some(STUCK)).map_err(reach())?;
        let from = socket.udp().local_addr().map_err(reach())?;
        let random = File::open("/dev/urandom").map_err(failed("nonces from /dev/urandom".into(), "mount /dev"))?;
        let report = SendReport {
            to: options.to,
            from,
            flow: options.flow,
            packet_bytes: options.packet_bytes,
            segment_packets: options.segment_packets,
            asked_mbps: options.rate_mbps,
            seconds: 0.0,
            packets: 0,
            segments: 0,
            payload_bytes: 0,
            wire_bytes: 0,
            wire_mbps: 0.0,
            payload_mbps: 0.0,
            acked: 0,
            lost: 0,
            waiting: 0,
            loss: 0.0,
            stale: 0,
            repeated: 0,
            forged: 0,
            malformed: 0,
            closed: 0,
            marked: 0,
            hops: None,
            rtt_ns: None,
            responder_ns: None,
        };
        Ok(Sender {
            options,
            socket,
            random: BufReader::new(random),
            report,
            rtt: Spread::default(),
            responder: Spread::default(),
            waiting: VecDeque::new(),
            first: 0,
            packet: vec![0; HEADER_BYTES + usize::from(options.packet_bytes)],
            place: 0,
            nonce: 0,
            start: Instant::now(),
        })
    }

    fn run(&mut self, stop: BorrowedFd<'_>, each: &mut dyn FnMut(&SendReport)) -> Result<(), TrafficError> {
        let options = self.options;
        let gap = Duration::from_secs_f64(wire_bytes(options.to, options.packet_bytes.into()) as f64 * 8e-6 / options.rate_mbps);
        self.start = Instant::now();
        let (mut due, mut told, mut stopped) = (self.start, self.start, false);
        let mut last: Option<Instant> = None;
        loop {
            self.take()?;
            self.give_up(options.patience);
            let now = Instant::now();
            if now - told >= options.interval {
                told = now;
                each(&self.report());
            }
            let enough = options.segments.is_some_and(|s| self.report.segments >= s) || options.time.is_some_and(|t| now - self.start >= t);
            // A signal is not made to wait for ACKs, and a long segment at a low rate has an end
            // too.
            if stopped || options.time.is_some_and(|t| now - self.start >= t + options.patience) {
                break;
            }
            // Whole segments: half a one has no ACK.
            if self.place == 0 && enough {
                let last = *last.get_or_insert(now);
                if self.waiting.is_empty() || now - last >= options.patience {
                    break;
                }
                stopped = self.socket.wait(stop, LOOK.min(options.patience))?;
                continue;
            }
            if due > now {
                stopped |= self.socket.wait(stop, LOOK.min(due - now))?;
                continue;
            }
            due = due.max(now.checked_sub(BEHIND).unwrap_or(now));
            for _ in 0..TURN {
                if due > now || self.place == 0 && options.segments.is_some_and(|s| self.report.segments >= s) {
                    break;
                }
                self.push()?;
                due += gap;
            }
            stopped |= self.socket.wait(stop, Duration::ZERO)?;
        }
        self.report.seconds = last.map_or_else(|| self.start.elapsed(), |l| l - self.start).as_secs_f64();
        Ok(())
    }

    /// Sends the next packet.
    fn push(&mut self) -> Result<(), TrafficError> {
        let options = self.options;
        let number = self.first.wrapping_add(self.waiting.len() as u32);
        if self.place == 0 {
            let mut nonce = [0; 4];
            self.random.read_exact(&mut nonce).map_err(failed("nonces from /dev/urandom".into(), "mount /dev"))?;
            self.nonce = u32::from_ne_bytes(nonce);
        }
        let ends = self.place + 1 == options.segment_packets;
        let flags = if self.place == 0 { FIRST } else { 0 } | if ends { LAST } else { 0 };
        let header = Header {
            flags,
            packet: self.place.into(),
            flow: options.flow,
            nonce: self.nonce,
            segment: number,
            segment_bytes: u32::from(options.packet_bytes) * u32::from(options.segment_packets),
            ttl_sent: options.ttl,
            ..Header::default()
        };
        self.packet[..HEADER_BYTES].copy_from_slice(&header.bytes());
        let (at_ns, sent) = (now_ns(), Instant::now());
        loop {
            match self.socket.udp().send(&self.packet) {
                Ok(_) => break,
                // The refusal is of an earlier packet; the current one was not sent. Each packet
                // can have one refusal at most.
                Err(e) if e.kind() == ErrorKind::ConnectionRefused => self.report.closed += 1,
                Err(e) if e.kind() == ErrorKind::Interrupted => {}
                Err(e) => return Err(self.why(e)),
            }
        }
        self.report.packets += 1;
        self.report.payload_bytes += u64::from(options.packet_bytes);
        self.report.wire_bytes += wire_bytes(options.to, options.packet_bytes.into());
        self.place = if ends { 0 } else { self.place + 1 };
        if ends {
            self.report.segments += 1;
            if self.waiting.len() == MOST_WAITING {
                self.forget();
            }
            self.waiting.push_back(Waiting { nonce: self.nonce, at_ns, sent, acked: false });
        }
        Ok(())
    }

    fn why(&self, source: io::Error) -> TrafficError {
        let to = self.options.to;
        match source.raw_os_error() {
            Some(nix::libc::EMSGSIZE) => {
                // All but Ethernet's own.
                let fits = USUAL_MTU + 1000 + ETHERNET - wire_bytes(to, 1000) as usize;
                TrafficError::TooLong { payload: self.options.packet_bytes.into(), to, fits }
            }
            Some(nix::libc::EAGAIN) => TrafficError::Stuck { to, seconds: STUCK.as_secs() },
            _ => TrafficError::Socket { what: format!("sending to {to}"), source, next: "is there a route to it? `ip route get` shows it" },
        }
    }

    /// Takes the datagrams that came.
    fn take(&mut self) -> Result<(), TrafficError> {
        let mut buffer = [0; HEADER_BYTES];
        for _ in 0..TURN {
            match self.socket.take(&mut buffer) {
                Ok(Some(arrived)) => self.arrived(&arrived, &buffer[..arrived.bytes.min(HEADER_BYTES)]),
                Ok(None) => break,
                Err(e) if e.kind() == ErrorKind::ConnectionRefused => self.report.closed += 1,
                Err(e) => return Err(failed("receiving ACKs".into(), "is the interface still up?")(e)),
            }
        }
        Ok(())
    }

    fn arrived(&mut self, arrived: &Arrived, head: &[u8]) {
        let Ok((header, Kind::Ack)) = check_datagram(head) else {
            self.report.malformed += 1;
            return;
        };
        let Some(waiting) = self.waiting.get_mut(header.segment.wrapping_sub(self.first) as usize) else {
            self.report.stale += 1;
            return;
        };
        if (waiting.nonce, self.options.flow) != (header.nonce, header.flow) {
            self.report.forged += 1;
            return;
        }
        if std::mem::replace(&mut waiting.acked, true) {
            self.report.repeated += 1;
            return;
        }
        self.report.acked += 1;
        self.report.marked += u64::from(header.ecn_seen == 3);
        let hops = header.ttl_sent.wrapping_sub(header.ttl_seen);
        self.report.hops = Some(self.report.hops.map_or(hops, |h| h.max(hops)));
        // A clock that was set back meanwhile tells nothing.
        if let Some(ns) = arrived.at_ns.checked_sub(waiting.at_ns) {
            self.rtt.count(ns);
        }
        self.responder.count(header.departure.wrapping_sub(header.arrival) >> 16);
    }

    /// The oldest segment is not waited for any more.
    fn forget(&mut self) {
        if let Some(oldest) = self.waiting.pop_front() {
            self.first = self.first.wrapping_add(1);
            self.report.lost += u64::from(!oldest.acked);
        }
    }

    /// Gives up segments at the head of the queue that are acknowledged, and counts those older
    /// than `patience` as lost.
    fn give_up(&mut self, patience: Duration) {
        let now = Instant::now();
        while self.waiting.front().is_some_and(|w| w.acked || now - w.sent >= patience) {
            self.forget();
        }
    }

    /// Report up to now.
    fn report(&self) -> SendReport {
        let mut r = self.report.clone();
        r.seconds = if r.seconds > 0.0 { r.seconds } else { self.start.elapsed().as_secs_f64() };
        (r.wire_mbps, r.payload_mbps) = (mbps(r.wire_bytes, r.seconds), mbps(r.payload_bytes, r.seconds));
        r.waiting = r.segments - r.acked - r.lost;
        r.loss = if r.acked + r.lost > 0 { r.lost as f64 / (r.acked + r.lost) as f64 } else { 0.0 };
        (r.rtt_ns, r.responder_ns) = (self.rtt.percentiles(), self.responder.percentiles());
        r
    }
}

#[cfg(test)]
mod tests;
