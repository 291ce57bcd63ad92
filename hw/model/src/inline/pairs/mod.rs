//! The form of the in-line NIC whose flows are RoCEv2's queue pairs: `timely_hw::inline::roce`.
//!
//! Requests that a host sends on a reliable connection wait in the store under its pair's flow; the
//! first packets of a pair, until the table has learned it, and everything else go past. A pair
//! that is learned or set loads its flow. Requests that leave are told to the round-trip times with
//! what the parser said of them, which travels beside them through the store; answers from the wire
//! find their pair's flow and end the timing; congestion notifications (CNPs) find it for DCQCN.
//! Data that arrive with CE find it too, for CNPs that are sent in the host's place.
mod commands;
mod entry;
mod exit;
mod notices;

pub use entry::{LATENCY, SETTLED};

use super::form::{Beside, Form, In, Shown};
use super::waiting::Way;
use crate::bus::{FlowLoad, Sample, Sent};
use crate::core::mac;
use crate::notifier::Pulse as MarkPulse;
use crate::queue_pairs::{Given, Key, Pulse as TablePulse, QueuePairs, Rules};
use crate::reaction::Notice;
use crate::roce::{Brings, MALFORMED, Packet};
use crate::round_trips::{Answer, Pulse, RoundTrips, Verb};
use crate::stream::Beat;
use crate::{Block, notifier, parse, queue_pairs, roce, round_trips, store};
use commands::Commands;
use entry::PairEntry;
use exit::PairExit;
use notices::Notices;
use std::collections::VecDeque;
use timely_regs::counters::Counter;
use timely_regs::flow;
use timely_regs::map::Build;
use timely_regs::map::roce::RULE;
use timely_regs::roce::Kind;

/// Bits of what travels beside a request through the store, below the host's sideband; so that of
/// this a form with queue pairs carries 56 at most.
pub const BESIDE_BITS: u32 = 72;

/// A packet from the wire whose pair is looked up.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Asked {
    Answer {
        verb: Verb,
        psn: u32,
        bytes: u16,
        ts: u64,
        /// The frame is addressed to the port.
        ours: bool,
        /// A READ response that met congestion.
        marked: bool,
    },
    /// A congestion notification.
    Notified,
    /// Data, which matter for notifications alone; they are addressed to the port.
    Data { ours: bool },
}

/// Queue pairs.
#[derive(Clone, Debug)]
pub struct Pairs {
    entry: PairEntry,
    exit: PairExit,
    table: QueuePairs,
    rules: Rules,
    round_trips: RoundTrips,
    commands: Commands,
    wire: roce::Parse,
    /// Packets from the wire whose pairs are looked up, the oldest first, and whether they may draw
    /// a notification.
    asked: VecDeque<(Asked, bool)>,
    notices: Notices,
    /// For the reaction block.
    notice: Option<Notice>,
    /// The table is in reset; it was the clock before.
    held: bool,
    was_held: bool,
    due: u64,
}

/// The key of a packet: the remote address, and the queue pair that it names.
fn key(p: &Packet, address: &[u8; 16]) -> Key {
    let mut mapped = *address;
    if !p.headers.class.ipv6 {
        mapped = [0; 16];
        mapped[10..12].fill(0xff);
        mapped[12..].copy_from_slice(&address[..4]);
    }
    Key { address: u128::from_le_bytes(mapped), pair: p.headers.queue_pair }
}

/// The READ request in a frame that left, if it is one.
fn brings(frame: round_trips::Frame) -> Option<Brings> {
    let read = frame.request.filter(|q| q.read)?;
    Some(Brings { flow: read.flow, bytes: read.bytes, wire_bytes: frame.wire_bytes })
}

/// A packet may draw a notification: data with CE, or any while a pair is owed one.
fn may_draw(p: &Packet, notify: bool, watches: bool) -> bool {
    notify && (watches || notices::is_marked(p)) && matches!(p.headers.kind, Kind::Data | Kind::Response)
}

/// Bits 6 and 5 of a syndrome: ACK, receiver not ready, reserved, NAK.
fn asked(p: &Packet, draws: bool, own: [u8; 6]) -> Option<Asked> {
    let verb = match (p.headers.kind, p.headers.syndrome >> 5 & 3) {
        (Kind::Data, _) if draws => return Some(Asked::Data { ours: p.macs[0] == own }),
        (Kind::Cnp, _) => return Some(Asked::Notified),
        (Kind::Response, _) => Verb::Response,
        (Kind::Ack, 0) => Verb::Ack,
        (Kind::Ack, 1) => Verb::NotReady,
        (Kind::Ack, 3) => Verb::Nak,
        _ => return None,
    };
    let marked = verb == Verb::Response && notices::is_marked(p);
    Some(Asked::Answer { verb, psn: p.headers.psn, bytes: p.headers.payload_bytes, ts: p.stamp, ours: p.macs[0] == own, marked })
}

const TABLE_COUNTERS: [(TablePulse, Counter); 8] = [
    (TablePulse::Learned, Counter::PairsLearned),
    (TablePulse::Set, Counter::PairsSet),
    (TablePulse::Removed, Counter::PairsRemoved),
    (TablePulse::Aged, Counter::PairsAged),
    (TablePulse::Full, Counter::PairsFull),
    (TablePulse::Crowded, Counter::PairsCrowded),
    (TablePulse::Ambiguous, Counter::PairsAmbiguous),
    (TablePulse::Postponed, Counter::PairsPostponed),
];

const TIMING_COUNTERS: [(Pulse, Counter); 9] = [
    (Pulse::Repeated, Counter::RequestsRepeated),
    (Pulse::Restarted, Counter::RequestsRestarted),
    (Pulse::Unstamped, Counter::SamplesUnstamped),
    (Pulse::AcrossStep, Counter::SamplesAcrossStep),
    (Pulse::Unsure, Counter::SamplesUnsure),
    (Pulse::Nak, Counter::NaksReceived),
    (Pulse::NotReady, Counter::ReceiversNotReady),
    (Pulse::Stray, Counter::AnswersStray),
    (Pulse::TimedOut, Counter::SegmentTimeouts),
];

const NOTICE_COUNTERS: [(MarkPulse, Counter); 3] = [
    (MarkPulse::Sent, Counter::NotificationsSent),
    (MarkPulse::Unknown, Counter::MarksUnknown),
    (MarkPulse::Postponed, Counter::MarksPostponed),
];

impl Pairs {
    fn table(&self, clk: u64) -> queue_pairs::Out {
        if self.was_held { queue_pairs::Out::default() } else { self.table.output(clk) }
    }

    /// Key of an answer, or of data with CE, to the port whose look-up ends at this clock. Its pair
    /// is not joined.
    fn unknown(&self, table: &queue_pairs::Out) -> Option<Key> {
        let of = self.found(table).filter(|f| f.2.is_none())?;
        table.answer_key.filter(|_| matches!(of.0, Asked::Answer { ours: true, .. } | Asked::Data { ours: true }))
    }

    /// The packet from the wire whose look-up ends at this clock, with its flow.
    fn found(&self, table: &queue_pairs::Out) -> Option<(Asked, bool, Option<u32>)> {
        let (asked, draws) = *self.asked.front()?;
        Some((asked, draws, table.answer?))
    }
}

impl Form for Pairs {
    const PAIRS: bool = true;

    fn new(build: Build) -> Self {
        let (width, flow_bits) = (build.bus_bits as usize, build.flow_bits);
        Pairs {
            entry: PairEntry::new(width, flow_bits),
            exit: PairExit::default(),
            table: QueuePairs::new(flow_bits),
            rules: Rules::default(),
            round_trips: RoundTrips::new(flow_bits),
            commands: Commands::default(),
            wire: roce::Parse::new(width),
            asked: VecDeque::new(),
            notices: Notices::new(width, flow_bits),
            notice: None,
            held: true,
            was_held: true,
            due: 0,
        }
    }

    fn is_ready(&self, clk: u64) -> bool {
        self.entry.is_ready(clk)
    }

    fn show(&self, clk: u64) -> Shown {
        let (entry, table, timing) = (self.entry.output(clk), self.table(clk), self.round_trips.output(clk));
        let load = table.change.map(|c| {
            let mut record = [0; flow::WORDS];
            record[0] = c.given.map_or(0, |g| {
                1 << flow::ENABLE.low | u32::from(g.profile) << flow::PROFILE.low | u32::from(g.priority) << flow::PRIORITY.low
            });
            FlowLoad { flow: c.flow, record }
        });
        let sent = self
            .exit
            .frame()
            .and_then(|r| r.request.map(|q| Sent { tag: r.tag, flow: q.flow, wire_bytes: r.wire_bytes, ..Sent::default() }));
        let bit = |happens: bool, counter: Counter| u64::from(happens) << counter as u32;
        let counted = |pulses: u16, at: u16, counter: Counter| bit(pulses >> at & 1 == 1, counter);
        let table_pulses = TABLE_COUNTERS.iter().fold(0, |all, (p, c)| all | counted(table.pulses.into(), *p as u16, *c));
        let timing_pulses = TIMING_COUNTERS.iter().fold(0, |all, (p, c)| all | counted(timing.pulses, *p as u16, *c));
        let found = self.found(&table);
        let notified = matches!(found, Some((Asked::Notified, _, Some(_))));
        let unknown = matches!(found, Some((Asked::Answer { .. }, _, None)));
        let notices = self.notices.output(clk);
        let notice_pulses = NOTICE_COUNTERS.iter().fold(0, |all, (p, c)| all | counted(notices.pulses.into(), *p as u16, *c));
        let malformed = self.wire.output(clk).is_some_and(|r| r.kind == MALFORMED && r.reason != roce::BAD);
        Shown {
            beat: entry.beat,
            dropped: entry.dropped,
            strange: false,
            sent,
            completion: None,
            sample: timing.sample,
            notice: self.notice,
            notification: notices.beat,
            read: self.exit.frame().and_then(brings),
            load,
            pair_status: self.commands.status(self.held),
            pair_told: self.commands.told(),
            rule_told: self.rules.output(clk).told,
            pulses: table_pulses
                | timing_pulses
                | notice_pulses
                | bit(notified, Counter::CongestionNotified)
                | bit(unknown, Counter::AnswersUnknown)
                | bit(malformed, Counter::PairsMalformed),
            swept: timing.swept,
        }
    }

    fn sample(&self, clk: u64) -> Option<Sample> {
        self.round_trips.output(clk).sample
    }

    fn onward(&self, _clk: u64, stored: Option<(Beat, store::Side)>) -> Option<(Beat, Beside)> {
        stored.map(|(beat, s)| (beat, (s.launch, s.meta)))
    }

    fn takes(&self, _clk: u64, gate_ready: bool) -> bool {
        gate_ready
    }

    fn step(&mut self, clk: u64, i: &In<'_>) {
        let (c, rst) = (&i.core.csr.settings, i.rst);
        let table = self.table(clk);
        let unknown = self.unknown(&table);
        let looks = self.entry.looks(clk, c.notify_enable);
        let wire = self.wire.output(clk);
        let found = self.found(&table);

        // From the wire: pairs of answers, and of data that may draw a notification, are looked up.
        let packet = wire.and_then(|r| r.packet);
        let watches = self.notices.output(clk).watches;
        let draws = packet.filter(|p| may_draw(p, c.notify_enable, watches));
        let ask = packet.and_then(|p| Some((key(&p, &p.source), asked(&p, draws.is_some(), mac(c.mac))?)));
        if table.answer.is_some() {
            self.asked.pop_front();
        }
        self.asked.extend(ask.filter(|_| table.swept).map(|a| (a.1, draws.is_some())));
        if rst || self.held {
            self.asked.clear();
        }
        self.notices.step(
            clk,
            &notices::In {
                rst,
                held: self.held,
                arrived: draws.filter(|_| table.swept),
                mac: mac(c.mac),
                found: found.filter(|f| f.1).map(|f| f.2),
                command: self.commands.offered(c).filter(|_| table.ready).map(|c| c.key.pair),
                reply: table.reply.filter(|_| !self.commands.reads()),
                notifier: notifier::In {
                    rst,
                    mark: None,
                    enable: c.notify_enable,
                    interval_ns: c.notify_interval,
                    tos: c.notify_tos,
                    now: i.core.time.steady,
                    ready: i.notification_ready,
                },
            },
        );
        // A CNP goes first, or a mark of what READs bring; otherwise the request that leaves.
        let reacts = |asked| matches!(asked, Asked::Notified | Asked::Answer { marked: true, .. });
        let notified = found.filter(|f| reacts(f.0)).and_then(|f| f.2);
        let left = self.exit.frame().and_then(|r| r.request.map(|q| (q.flow, r.wire_bytes)));
        let cnp = notified.map(|flow| Notice { flow, marked: true, bytes: 0 });
        self.notice = cnp.or(left.map(|(flow, bytes)| Notice { flow, marked: false, bytes: bytes.into() })).filter(|_| !rst);
        let answer = found.and_then(|(asked, _, flow)| match asked {
            Asked::Answer { verb, psn, bytes, ts, .. } => Some(Answer { flow: flow?, verb, psn, bytes, ts }),
            Asked::Notified | Asked::Data { .. } => None,
        });
        self.wire.step(clk, &parse::In { rst, beat: i.wire, stamp: i.core.time.date, bad: false, port: 0 });

        // Requests that leave, and their answers.
        self.round_trips.step(
            clk,
            &round_trips::In {
                rst,
                sent: self.exit.frame().map(|r| round_trips::Frame { launch: crate::time::launch_date(r.launch, i.core.time.offset), ..r }),
                completion: self.exit.completion(),
                answer,
                profile: i.core.profile,
                flow: i.core.load,
                joined: table.joined,
                mtu: c.pair_mtu,
                ns_per_byte: c.ns_per_byte,
                now: i.core.time.steady,
                time_epoch: i.core.time.epoch,
                departed_epoch: i.core.time.departed_epoch,
            },
        );
        self.exit.step(rst, i.leaves.filter(|_| i.beside.is_some()), i.beside, i.core.time.date);

        // The table, and commands to it.
        let off = rst || i.core.csr.clearing || c.pair_control & 1 == 0;
        let command = self.commands.offered(c);
        let rules = self.rules.output(clk);
        self.commands.step(self.held, i.core.csr.written, unknown, &table);
        if self.held {
            if off != self.was_held || !off {
                self.table.step(clk, &queue_pairs::In { rst: true, ..queue_pairs::In::default() });
            }
        } else {
            let secret = [c.pair_secret as u64, (c.pair_secret >> 64) as u64, c.pair_secret_high];
            self.table.step(
                clk,
                &queue_pairs::In {
                    rst: false,
                    sent: looks,
                    answer: ask.map(|a| a.0),
                    command,
                    secret,
                    given: Given { profile: c.pair_profile, priority: c.pair_priority },
                    rule: rules.given,
                    age_unit: c.pair_age,
                },
            );
        }
        (self.was_held, self.held) = (self.held, off);
        self.rules.step(
            clk,
            &queue_pairs::RulesIn {
                rst,
                write: i.core.csr.written.filter(|w| w.0 == RULE.word()).map(|w| w.1),
                address: c.pair_address,
                word: c.pair_word,
                ask: table.ask,
            },
        );

        self.entry.step(
            clk,
            &entry::In {
                rst,
                beat: i.host.map(|h| h.0),
                meta: i.host.map_or(0, |h| h.1),
                found: table.sent.flatten(),
                ask_every: (c.pair_control >> 1) as u8,
                paced_ready: i.paced_ready,
                past_ready: i.past_ready,
                drop_ready: i.drop_ready,
            },
        );
        let ages = !self.held && c.pair_age != 0;
        let waits = self.held != self.was_held || !self.commands.is_idle() || !self.asked.is_empty() || self.notice.is_some();
        let next = clk + 1;
        self.due = if ages || waits || !self.entry.is_settled() || !self.exit.is_idle() {
            next
        } else {
            let table = if self.held { u64::MAX } else { self.table.wake(next) };
            table.min(self.rules.wake(next)).min(self.round_trips.wake(next)).min(self.wire.wake(next)).min(self.notices.wake(next))
        };
    }

    fn due(&self) -> u64 {
        self.due
    }

    fn standing(&self, clk: u64) -> Option<Way> {
        self.entry.way(clk)
    }
}
