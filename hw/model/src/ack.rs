//! The responder of `timely_hw::ack`: 11 clocks from the parser's report to the ACK's first beat.
use crate::{Block, fifo, frame, parse, stream::Beat};
use timely_regs::counters::Counter;
use timely_regs::wire::{ACK, Addresses, Envelope, FIRST, Header, LAST, Packet, READ};

/// Clocks from a report to the first at which its ACK's first beat stands at an idle output.
pub const LATENCY: u64 = STAMP + frame::LATENCY;
/// Clocks from a report to that whose `now` is the departure stamp, when nothing waits.
pub const STAMP: u64 = 5;
/// Bits of the queue's address.
const QUEUE_BITS: u32 = 5;

/// What answers look like, and who gets one.
#[derive(Clone, Debug, Default)]
pub struct Config {
    /// Answers are wanted at all.
    pub enable: bool,
    /// Our MAC.
    pub mac: [u8; 6],
    /// TOS or traffic class of ACKs.
    pub tos: u8,
    /// TTL or hop limit of ACKs.
    pub ttl: u8,
    /// What a peer's IPv4 address must be under the mask.
    pub allow4: [u8; 4],
    /// The bits of it that count.
    pub mask4: [u8; 4],
    /// What a peer's IPv6 address must be under the mask.
    pub allow6: [u8; 16],
    /// The bits of it that count.
    pub mask6: [u8; 16],
}

/// Inputs at a clock.
#[derive(Clone, Debug, Default)]
pub struct In {
    /// Synchronous reset.
    pub rst: bool,
    /// The settings.
    pub config: Config,
    /// Time, ns48.fns16.
    pub now: u64,
    /// A frame was parsed.
    pub report: Option<parse::Report>,
    /// Downstream takes the beat.
    pub ready: bool,
}

/// Outputs at a clock.
#[derive(Clone, Debug, PartialEq)]
pub struct Out {
    /// The beat at the output.
    pub beat: Option<Beat>,
    /// Counted events, by `timely_regs::counters`.
    pub pulses: u32,
}

/// An ACK but for what is filled in as it leaves: our MAC, TOS, TTL, departure.
#[derive(Clone, Debug, PartialEq)]
struct Draft {
    envelope: Envelope,
    header: Header,
}

/// A report in the pipeline's first stage.
#[derive(Clone, Debug)]
struct Candidate {
    draft: Draft,
    /// To our MAC, and no group address at either end.
    addressed: bool,
}

/// The responder.
#[derive(Clone, Debug)]
pub struct Ack {
    candidate: Option<Candidate>,
    accepted: Option<Draft>,
    queue: fifo::Fifo<Draft>,
    frame: frame::Frame<()>,
    pulses: u32,
}

const fn bit(counter: Counter) -> u32 {
    1 << counter as u32
}

fn matches(address: &[u8], mask: &[u8], allow: &[u8]) -> bool {
    address.iter().zip(mask).zip(allow).all(|((a, m), x)| a & m == *x)
}

/// What the report would be answered with, if it is of a kind that is answered.
fn candidate(report: &parse::Report, config: &Config) -> Option<Candidate> {
    let header = Header::read(&report.header);
    if !config.enable || report.kind != parse::kind::DATA || header.flags & (LAST | ACK) != LAST {
        return None;
    }
    let packet = Packet::new_unchecked(&report.head, report.class);
    let (source, destination) = (packet.ip_source(), packet.ip_destination());
    let group = |address: &[u8]| if report.class.ipv6 { address[0] == 0xff } else { address[0] >= 0xe0 };
    let group = group(source) || group(destination) || packet.mac_source()[0] & 1 != 0 || packet.mac_destination()[0] & 1 != 0;
    let addresses = match (<[u8; 4]>::try_from(source), <[u8; 4]>::try_from(destination)) {
        (Ok(source), Ok(destination)) => Addresses::V4 { source: destination, destination: source },
        _ => Addresses::V6 {
            source: destination.try_into().expect("16 bytes in IPv6"),
            destination: source.try_into().expect("16 bytes in IPv6"),
        },
    };
    let envelope = Envelope {
        mac_destination: packet.mac_source(),
        mac_source: [0; 6],
        tci: packet.tci(),
        addresses,
        tos: 0,
        ttl: 0,
        port_source: packet.port_destination(),
        port_destination: packet.port_source(),
    };
    let known = Header { flags: header.flags & (FIRST | READ) | LAST, ..header };
    let header = known.answered(packet.ttl(), packet.tos(), report.stamp, 0);
    Some(Candidate { draft: Draft { envelope, header }, addressed: !group && packet.mac_destination() == config.mac })
}

impl Ack {
    /// An idle responder on a bus of `width` bits.
    pub fn new(width: usize) -> Self {
        Ack { candidate: None, accepted: None, queue: fifo::Fifo::new(QUEUE_BITS), frame: frame::Frame::new(width), pulses: 0 }
    }

    fn allowed(draft: &Draft, config: &Config) -> bool {
        match draft.envelope.addresses {
            Addresses::V4 { destination, .. } => matches(&destination, &config.mask4, &config.allow4),
            Addresses::V6 { destination, .. } => matches(&destination, &config.mask6, &config.allow6),
        }
    }
}

impl Block for Ack {
    type In = In;
    type Out = Out;

    fn output(&self, clk: u64) -> Out {
        let frame = self.frame.output(clk);
        let sent = if frame.start { bit(Counter::AcksSent) } else { 0 };
        Out { beat: frame.beat.map(|(beat, ())| beat), pulses: self.pulses | sent }
    }

    fn step(&mut self, clk: u64, i: &In) {
        let (queue, frame) = (self.queue.output(clk), self.frame.output(clk));
        let describe = queue.head.map(|Draft { envelope, header }| frame::Description {
            envelope: Envelope { mac_source: i.config.mac, tos: i.config.tos, ttl: i.config.ttl, ..envelope },
            header: Header { departure: i.now, ..header },
            payload: 0,
            side: (),
        });
        self.frame.step(clk, &frame::In { rst: i.rst, describe, ready: i.ready });
        let push = self.accepted.take();
        self.pulses = if push.is_some() && !queue.ready { bit(Counter::AckDroppedFull) } else { 0 };
        self.queue.step(clk, &fifo::In { rst: i.rst, push, ready: frame.ready });
        if let Some(Candidate { draft, addressed }) = self.candidate.take() {
            if !addressed {
                self.pulses |= bit(Counter::AckRefusedAddress);
            } else if !Self::allowed(&draft, &i.config) {
                self.pulses |= bit(Counter::AckRefusedPeer);
            } else {
                self.accepted = Some(draft);
            }
        }
        self.candidate = i.report.as_ref().and_then(|report| candidate(report, &i.config));
        if i.rst {
            (self.candidate, self.accepted, self.pulses) = (None, None, 0);
        }
    }

    fn wake(&self, clk: u64) -> u64 {
        let idle = self.candidate.is_none() && self.accepted.is_none() && self.queue.is_empty() && self.frame.is_empty();
        if idle && self.pulses == 0 { u64::MAX } else { clk }
    }
}
