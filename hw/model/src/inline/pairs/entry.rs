//! The way in of a host's packets where flows are queue pairs.
use super::{BESIDE_BITS, key};
use crate::inline::entry::{QUEUE, Way};
use crate::inline::waiting::{self, Waiting};
use crate::queue_pairs::{self, Key};
use crate::roce::{self, MALFORMED, Mend, Mended, Packet};
use crate::stream::Beat;
use crate::{Block, fifo, parse};
use std::collections::VecDeque;
use timely_regs::roce::{ICRC_BYTES, Kind};

/// Clocks by which a verdict waits for the load of a pair that was learned just before.
pub const SETTLED: usize = 4;

/// Clocks from a packet's last beat to its verdict.
pub const LATENCY: u64 = roce::LATENCY + queue_pairs::LATENCY + SETTLED as u64;

/// Inputs at a clock.
#[derive(Clone, Debug, Default)]
pub struct In {
    pub rst: bool,
    pub beat: Option<Beat>,
    /// With a packet's first beat: what goes beside it.
    pub meta: u128,
    /// Flow of the pair that was looked up [`queue_pairs::LATENCY`] clocks ago.
    pub found: Option<u32>,
    /// Packets from one that asks for an ACK to the next; 0 as the host has them.
    pub ask_every: u8,
    pub paced_ready: bool,
    pub past_ready: bool,
    pub drop_ready: bool,
}

/// Outputs at a clock.
#[derive(Clone, Debug, Default)]
pub struct Out {
    pub beat: Option<(Beat, Way, u128)>,
    pub dropped: bool,
}

/// A packet whose pair is looked up.
#[derive(Clone, Copy, Debug)]
struct Looked {
    /// The packet is dropped already.
    dropped: bool,
    /// Of data: it asks for an ACK.
    asks: Option<bool>,
    /// The packet may be made to ask.
    may_ask: bool,
    /// An ACK, which goes past whatever is known.
    answers: bool,
}

/// Sideband of a packet that waits, without its flow, and how it is mended if it is to ask.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Waits {
    info: u128,
    mended: Option<Mended>,
}

/// The way in.
#[derive(Clone, Debug)]
pub struct PairEntry {
    width: usize,
    parse: roce::Parse,
    waiting: Waiting,
    infos: fifo::Fifo<Waits>,
    looking: VecDeque<Option<Looked>>,
    settling: VecDeque<Option<Way>>,
    /// Packets of a flow's data since its last one that asks, 255 at most; counted from this clock
    /// on.
    counts: Vec<u8>,
    counted_at: u64,
    mend: Mend,
}

/// Data, and requests to read.
fn is_request(p: &Packet) -> bool {
    matches!(p.headers.kind, Kind::Data | Kind::Read)
}

/// PSN 24, READ 1, AckReq 1, bytes 32: of the payload, or that are to be read.
fn info(p: &Packet) -> u128 {
    let h = &p.headers;
    let read = h.kind == Kind::Read;
    let bytes = if read { h.message_bytes } else { h.payload_bytes.into() };
    u128::from(h.psn) | u128::from(read) << 24 | u128::from(h.ack_request) << 25 | u128::from(bytes) << 26
}

impl PairEntry {
    /// A way in that leaves reset at clock 0.
    pub fn new(width: usize, flow_bits: u32) -> Self {
        PairEntry {
            width,
            parse: roce::Parse::new(width),
            waiting: Waiting::new(width),
            infos: fifo::Fifo::new(QUEUE),
            looking: VecDeque::from([None; queue_pairs::LATENCY as usize]),
            settling: VecDeque::from([None; SETTLED]),
            counts: vec![0; 1 << flow_bits],
            counted_at: 1 << flow_bits,
            mend: Mend::new(width),
        }
    }

    pub fn is_ready(&self, clk: u64) -> bool {
        self.waiting.is_ready(clk)
    }

    /// Nothing moves until a beat is offered, or the one at the output taken.
    pub fn is_settled(&self) -> bool {
        let looks = self.looking.iter().any(Option::is_some) || self.settling.iter().any(Option::is_some);
        !looks && self.waiting.is_settled() && self.infos.is_settled() && self.parse.wake(0) == u64::MAX
    }

    /// The way of the packet whose beat is at the output at clock `clk`.
    pub fn way(&self, clk: u64) -> Option<Way> {
        self.waiting.head(clk).map(|h| h.1)
    }

    /// A pair to be looked up and learned at a clock, and the packet's DSCP; `acks`: of an ACK too.
    pub fn looks(&self, clk: u64, acks: bool) -> Option<(Key, Option<u8>)> {
        let packet = self.parse.output(clk).and_then(|r| r.packet);
        let asks = packet.filter(|p| is_request(p) || (acks && p.headers.kind == Kind::Ack));
        asks.map(|p| (key(&p, &p.destination), Some(p.headers.tos >> 2)))
    }

    pub fn output(&self, clk: u64) -> Out {
        let head = self.waiting.head(clk);
        let waits = self.infos.output(clk).head;
        Out {
            beat: head.filter(|h| h.1 != Way::Dropped).map(|(beat, way, meta)| match way {
                // The queue's mark says that a packet is to ask; to the store, each is a segment.
                Way::Paced { flow, ends: asks } => {
                    let waits = waits.unwrap_or(Waits { info: 0, mended: None });
                    let beat = self.mend.beat(&beat, waits.mended.filter(|_| asks));
                    let info = waits.info | u128::from(asks) << 25 | u128::from(flow) << 58;
                    (beat, Way::Paced { flow, ends: true }, info | meta << BESIDE_BITS)
                }
                _ => (beat, way, meta),
            }),
            dropped: head.is_some_and(|h| h.1 == Way::Dropped && h.0.last),
        }
    }

    pub fn step(&mut self, clk: u64, i: &In) {
        if i.rst {
            let flow_bits = self.counts.len().ilog2();
            *self = PairEntry::new(self.width, flow_bits);
            self.counted_at += clk + 1;
            return;
        }
        let report = self.parse.output(clk);
        let way = self.settling.pop_back().flatten();
        let head = self.waiting.head(clk);
        let (written, goes, ends) = self.waiting.step(
            clk,
            &waiting::Step {
                beat: i.beat,
                meta: i.meta,
                way,
                paced_ready: i.paced_ready,
                past_ready: i.past_ready,
                drop_ready: i.drop_ready,
            },
        );
        let bad = written.is_some_and(|w| w.1);
        self.parse.step(clk, &parse::In { rst: false, beat: written.map(|w| w.0), stamp: 0, bad, port: 0 });
        self.mend.step(head.filter(|_| goes).map(|h| h.0).as_ref());
        let waits = |p: &Packet| Waits {
            info: info(p),
            mended: Some(Mended { class: p.headers.class, place: (p.bytes - ICRC_BYTES as u16) & 0x3fff }),
        };
        let none = Waits { info: 0, mended: None };
        self.infos.step(clk, &fifo::In { rst: false, push: report.map(|r| r.packet.as_ref().map_or(none, waits)), ready: ends });
        let looked = self.looking.pop_back().flatten();
        self.looking.push_front(report.map(|r| {
            let data = r.packet.filter(|p| p.headers.kind == Kind::Data);
            let mended = data.and_then(|p| waits(&p).mended.filter(|_| p.mendable));
            Looked {
                dropped: r.kind == MALFORMED && r.reason == roce::BAD,
                asks: data.map(|p| p.headers.ack_request),
                may_ask: mended.is_some_and(|m| m.fits(self.width)),
                answers: r.packet.is_some_and(|p| p.headers.kind == Kind::Ack),
            }
        }));
        let way = looked.map(|l| match i.found {
            _ if l.dropped => Way::Dropped,
            _ if l.answers => Way::Past,
            Some(flow) => Way::Paced { flow, ends: self.is_to_ask(clk, flow, &l, i.ask_every) },
            None => Way::Past,
        });
        self.settling.push_front(way);
    }

    /// Counts a packet of a flow; says whether it is to ask.
    fn is_to_ask(&mut self, clk: u64, flow: u32, looked: &Looked, every: u8) -> bool {
        let Some(asks) = looked.asks.filter(|_| clk >= self.counted_at) else { return false };
        let count = &mut self.counts[flow as usize];
        let due = every != 0 && u16::from(*count) + 1 >= every.into();
        let made = due && looked.may_ask && !asks;
        *count = if made || asks { 0 } else { count.saturating_add(1) };
        made
    }
}
