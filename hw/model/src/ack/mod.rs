//! The responder of `timely_hw::ack`: 13 clocks from the parser's report to the ACK's first beat.
mod allow;
pub mod loss;
mod share;

pub use share::BURST_BYTES;

use crate::{Block, fifo, frame, parse, stream::Beat};
use allow::Allow;
use loss::Table;
use share::Share;
use timely_regs::counters::Counter;
use timely_regs::link;
use timely_regs::wire::{ACK, Addresses, Arrived, Envelope, FIRST, Header, LAST, Loss, Packet, READ};

/// Clocks from a report to the first at which its ACK's first beat stands at an idle output.
pub const LATENCY: u64 = STAMP + frame::LATENCY;
/// Clocks from a report to the clock whose `now` is the departure stamp, when nothing waits.
pub const STAMP: u64 = 7;
/// Bits of the queue's address.
const QUEUE_BITS: u32 = 5;

/// Settings of the responder: its addresses, and the packets that it answers.
#[derive(Clone, Debug, Default)]
pub struct Config {
    /// Answers are wanted at all.
    pub enable: bool,
    /// Own MAC.
    pub mac: [u8; 6],
    /// Own IPv4 address.
    pub ipv4: [u8; 4],
    /// Own IPv6 address.
    pub ipv6: [u8; 16],
    /// Bits of the own IPv4 network's prefix.
    pub prefix4: u8,
    /// Own UDP port.
    pub port: u16,
    /// Own VLAN; 0 for frames without a tag, or with one of VLAN 0.
    pub vlan: u16,
    /// TOS or traffic class of ACKs.
    pub tos: u8,
    /// TTL or hop limit of ACKs.
    pub ttl: u8,
    /// Wire bytes of ACKs a clock, Q8.24.
    pub rate: u32,
}

impl Config {
    // Of a prefix of 31 or 32 bits there is none: the own address, which is no source either.
    fn broadcast(&self) -> [u8; 4] {
        let hosts = u32::MAX.checked_shr(self.prefix4.into()).filter(|h| *h > 1).unwrap_or(0);
        (u32::from_be_bytes(self.ipv4) | hosts).to_be_bytes()
    }
}

/// Inputs at a clock.
#[derive(Clone, Debug, Default)]
pub struct In {
    /// Synchronous reset.
    pub rst: bool,
    /// The settings.
    pub config: Config,
    /// A word of the registers' store is written: number and value.
    pub written: Option<(u32, u32)>,
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
    pub pulses: u64,
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
    stations: bool,
}

/// In the second.
#[derive(Clone, Debug)]
struct Judged {
    draft: Draft,
    /// Addressed to us, by another host.
    addressed: bool,
    /// On the allow list.
    allowed: bool,
    /// Looked up in the table.
    looks: bool,
}

impl Judged {
    /// The packet would be answered if it were its segment's last.
    fn is_welcome(&self) -> bool {
        self.addressed && self.allowed
    }
}

/// The responder.
#[derive(Clone, Debug)]
pub struct Ack {
    candidate: Option<Candidate>,
    judged: Option<Judged>,
    accepted: Option<Judged>,
    allow: Allow,
    table: Table,
    /// Counters raised by ACKs that went into the queue one, two and three clocks ago, as pulses.
    told: [Option<u64>; 3],
    /// ACKs in the queue that have their say.
    ready: usize,
    share: Share,
    /// The directed broadcast address of the own network, a clock behind the settings; none before
    /// the first clock.
    broadcast: Option<[u8; 4]>,
    queue: fifo::Fifo<Draft>,
    frame: frame::Frame<()>,
    pulses: u64,
}

const fn bit(counter: Counter) -> u64 {
    1 << counter as u32
}

/// The report is of a data packet.
fn is_data(report: &parse::Report) -> bool {
    report.kind == parse::kind::DATA && Header::read(&report.header).flags & ACK == 0
}

fn is_last(header: &Header) -> bool {
    header.flags & LAST != 0
}

/// Counters that an ACK of this state raises.
fn told(loss: Loss) -> u64 {
    match loss {
        Loss { arrived: Arrived::Unknown, .. } => bit(Counter::LossUnknown),
        Loss { arrived, skipped } => {
            let incomplete = if arrived == Arrived::Incomplete { bit(Counter::SegmentsIncomplete) } else { 0 };
            incomplete | if skipped > 0 { bit(Counter::SegmentsSkipped) } else { 0 }
        }
    }
}

/// The ACK that would answer the report.
fn candidate(report: &parse::Report, config: &Config) -> Candidate {
    let header = Header::read(&report.header);
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
    let known = Header { flags: header.flags & (FIRST | LAST | READ), ..header };
    let header = known.answered(packet.ttl(), packet.tos(), report.stamp, 0);
    Candidate { draft: Draft { envelope, header }, stations: !group && packet.mac_destination() == config.mac }
}

impl Ack {
    /// An idle responder on a bus of `width` bits.
    pub fn new(width: usize) -> Self {
        Ack {
            candidate: None,
            judged: None,
            accepted: None,
            allow: Allow::default(),
            table: Table::new(0),
            told: [None; 3],
            ready: 0,
            share: Share::full(0, 0),
            broadcast: None,
            queue: fifo::Fifo::new(QUEUE_BITS),
            frame: frame::Frame::new(width),
            pulses: 0,
        }
    }

    // The draft's addresses are swapped already: its source is what the segment was sent to.
    fn judge(&self, Candidate { draft, stations }: Candidate, c: &Config, looks: bool) -> Judged {
        let e = &draft.envelope;
        let (to_us, from_us, nobody, allowed) = match e.addresses {
            Addresses::V4 { source, destination } => {
                let broadcast = self.broadcast.unwrap_or_default();
                let from = u128::from(u32::from_le_bytes(destination));
                let nobody = destination[0] == 0 || destination[0] == 127;
                (
                    source == c.ipv4 && source != [0; 4],
                    destination == c.ipv4 || destination == broadcast,
                    nobody,
                    self.allow.holds(from, false),
                )
            }
            Addresses::V6 { source, destination } => {
                let from = u128::from_le_bytes(destination);
                let nobody = u128::from_be_bytes(destination) <= 1;
                (source == c.ipv6 && source != [0; 16], destination == c.ipv6, nobody, self.allow.holds(from, true))
            }
        };
        let vlan = e.tci.map_or(0, |tci| tci & 0xfff);
        let ours = to_us && e.port_source == c.port && vlan == c.vlan;
        let addressed = stations && e.mac_destination != c.mac && ours && !from_us && !nobody;
        Judged { draft, addressed, allowed, looks }
    }
}

/// Wire bytes of an ACK.
fn wire_bytes(draft: &Draft) -> u64 {
    link::wire_bytes(draft.envelope.class().end() as u32).into()
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
        let ready = self.ready > 0;
        let head = queue.head.filter(|_| ready);
        self.ready -= usize::from(head.is_some() && frame.ready);
        let describe = head.map(|Draft { envelope, header }| frame::Description {
            envelope: Envelope { mac_source: i.config.mac, tos: i.config.tos, ttl: i.config.ttl, ..envelope },
            header: Header { departure: i.now, ..header },
            payload: 0,
            side: (),
        });
        self.frame.step(clk, &frame::In { rst: i.rst, describe, ready: i.ready });
        let tokens = self.share.tokens(clk);
        let push = self.accepted.take().map(|mut welcome| {
            let loss = if welcome.looks { self.table.count(&welcome.draft, i.now) } else { Loss::default() };
            welcome.draft.header.loss = loss.byte();
            (welcome.draft, loss)
        });
        let push = push.filter(|(draft, _)| is_last(&draft.header));
        let bytes = push.as_ref().map(|(draft, _)| wire_bytes(draft)).filter(|bytes| queue.ready && *bytes <= tokens);
        self.pulses = match (&push, bytes) {
            (Some(_), None) if !queue.ready => bit(Counter::AcksDropped),
            (Some(_), None) => bit(Counter::AckShareExceeded),
            _ => 0,
        };
        let push = push.filter(|_| bytes.is_some());
        self.pulses |= self.told[2].unwrap_or(0);
        self.ready += usize::from(self.told[2].is_some());
        self.told = [push.as_ref().map(|(_, loss)| told(*loss)), self.told[0], self.told[1]];
        self.queue.step(clk, &fifo::In { rst: i.rst, push: push.map(|(draft, _)| draft), ready: frame.ready && ready });
        self.share.step(clk, bytes.unwrap_or(0), i.config.rate);
        let judged = self.judged.take();
        if let Some(refused) = judged.as_ref().filter(|j| !j.is_welcome() && is_last(&j.draft.header)) {
            self.pulses |= bit(if refused.addressed { Counter::AckRefusedPeer } else { Counter::AckRefusedAddress });
        }
        self.accepted = judged.filter(Judged::is_welcome);
        self.allow.settle(clk);
        if let Some(c) = self.candidate.take() {
            let looks = self.table.look(clk);
            self.judged = Some(self.judge(c, &i.config, looks));
        }
        let data = i.report.as_ref().filter(|report| is_data(report));
        let refused = !i.config.enable && data.is_some_and(|report| is_last(&Header::read(&report.header)));
        self.pulses |= if refused { bit(Counter::AcksDisabled) } else { 0 };
        self.candidate = data.filter(|_| i.config.enable).map(|report| candidate(report, &i.config));
        self.broadcast = Some(i.config.broadcast());
        if let Some(written) = i.written {
            self.allow.write(clk, written);
        }
        if i.rst {
            (self.candidate, self.judged, self.accepted, self.pulses) = (None, None, None, 0);
            self.allow.reset();
            (self.table, self.told, self.ready) = (Table::new(clk + 1), [None; 3], 0);
            self.share = Share::full(clk + 1, i.config.rate);
        }
    }

    fn wake(&self, clk: u64) -> u64 {
        let pipeline = self.candidate.is_none() && self.judged.is_none() && self.accepted.is_none() && self.told == [None; 3];
        let idle = pipeline && self.broadcast.is_some() && self.queue.is_empty() && self.frame.is_empty();
        if idle && self.pulses == 0 { u64::MAX } else { clk }
    }
}
