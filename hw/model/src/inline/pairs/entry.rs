//! The way in of a host's packets where flows are queue pairs.
use super::{BESIDE_BITS, key};
use crate::inline::entry::{QUEUE, Way};
use crate::inline::waiting::{self, Waiting};
use crate::queue_pairs::{self, Key};
use crate::roce::{self, MALFORMED, Packet};
use crate::stream::Beat;
use crate::{Block, fifo, parse};
use std::collections::VecDeque;
use timely_regs::roce::Kind;

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
    pub paced_ready: bool,
    pub past_ready: bool,
    pub drop_ready: bool,
}

/// Outputs at a clock.
#[derive(Clone, Debug, Default)]
pub struct Out {
    pub beat: Option<(Beat, Way, u128)>,
    pub dropped: bool,
    /// A pair to be looked up and learned, and the packet's DSCP.
    pub looks: Option<(Key, Option<u8>)>,
}

/// The way in.
#[derive(Clone, Debug)]
pub struct PairEntry {
    width: usize,
    parse: roce::Parse,
    waiting: Waiting,
    /// Sideband of each request through the store, without its flow.
    infos: fifo::Fifo<u128>,
    /// Packets whose pairs are looked up: dropped, if it is so already.
    looking: VecDeque<Option<bool>>,
    settling: VecDeque<Option<Way>>,
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
    pub fn new(width: usize) -> Self {
        PairEntry {
            width,
            parse: roce::Parse::new(width),
            waiting: Waiting::new(width),
            infos: fifo::Fifo::new(QUEUE),
            looking: VecDeque::from([None; queue_pairs::LATENCY as usize]),
            settling: VecDeque::from([None; SETTLED]),
        }
    }

    pub fn is_ready(&self, clk: u64) -> bool {
        self.waiting.is_ready(clk)
    }

    /// Nothing is inside.
    pub fn is_idle(&self) -> bool {
        let looks = self.looking.iter().any(Option::is_some) || self.settling.iter().any(Option::is_some);
        !looks && self.waiting.is_empty() && self.infos.is_empty() && self.parse.wake(0) == u64::MAX
    }

    pub fn output(&self, clk: u64) -> Out {
        let head = self.waiting.head(clk);
        let flow = |way: Way| if let Way::Paced { flow, .. } = way { u128::from(flow) << 58 } else { 0 };
        let info = self.infos.output(clk).head.unwrap_or_default();
        Out {
            beat: head.filter(|h| h.1 != Way::Dropped).map(|(beat, way, meta)| match way {
                Way::Past => (beat, way, meta),
                _ => (beat, way, info | flow(way) | meta << BESIDE_BITS),
            }),
            dropped: head.is_some_and(|h| h.1 == Way::Dropped && h.0.last),
            looks: self
                .parse
                .output(clk)
                .and_then(|r| r.packet)
                .filter(is_request)
                .map(|p| (key(&p, &p.destination), Some(p.headers.tos >> 2))),
        }
    }

    pub fn step(&mut self, clk: u64, i: &In) {
        if i.rst {
            *self = PairEntry::new(self.width);
            return;
        }
        let report = self.parse.output(clk);
        let way = self.settling.pop_back().flatten();
        let (written, ends) = self.waiting.step(
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
        self.infos.step(clk, &fifo::In { rst: false, push: report.map(|r| r.packet.as_ref().map_or(0, info)), ready: ends });
        let looked = self.looking.pop_back().flatten();
        self.looking.push_front(report.map(|r| r.kind == MALFORMED && r.reason == roce::BAD));
        self.settling.push_front(looked.map(|dropped| match i.found {
            _ if dropped => Way::Dropped,
            Some(flow) => Way::Paced { flow, ends: true },
            None => Way::Past,
        }));
    }
}
