//! A flow as the network sees it: what its receiver got and when, when its packets left, when it
//! was complete.
use super::Windows;
use super::histogram::Log;
use crate::fabric::control::BRANCHES;
use crate::frame::{FlowId, Frame, NodeId};
use crate::time::Ps;
use std::collections::BTreeMap;

/// A flow of the scenario.
#[derive(Clone, Debug, PartialEq)]
pub struct FlowInfo {
    /// Sending node.
    pub src: NodeId,
    /// Receiving node.
    pub dst: NodeId,
    /// Number of the flow at the sender.
    pub id: FlowId,
    /// Start of the flow.
    pub start: Ps,
    /// When an endless flow stops.
    pub stop: Option<Ps>,
    /// Payload bytes; `None` for endless.
    pub bytes: Option<u64>,
    /// How messages are rounded up to packets, by NICs that send whole packets alone.
    pub rounded: Option<Rounded>,
}

/// Messages that are rounded up to whole packets, whose rest is no payload.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rounded {
    /// Bytes of a message, at least 1.
    pub message: u64,
    /// Bytes that are sent of it, at least as many.
    pub sent: u64,
}

impl Rounded {
    /// Messages of so many bytes, in packets of so many.
    pub fn new(message: u64, packet: u32) -> Self {
        let message = message.max(1);
        Rounded { message, sent: message.next_multiple_of(packet.max(1).into()) }
    }

    /// Payload among the first so many bytes that are sent.
    fn payload(&self, sent: u64) -> u64 {
        sent / self.sent * self.message + (sent % self.sent).min(self.message)
    }
}

/// A flow and what was measured of it.
#[derive(Clone, Debug)]
pub struct FlowRecord {
    /// The flow.
    pub info: FlowInfo,
    /// Payload bytes delivered, each once.
    pub payload: u64,
    /// Payload bytes delivered in the steady part.
    pub payload_steady: u64,
    /// Wire bytes delivered in the steady part.
    pub wire_steady: u64,
    /// Data packets delivered.
    pub packets: u64,
    /// ACKs delivered.
    pub acks: u64,
    /// Wire bytes delivered in each bin of the run from the series' start on; empty in large runs.
    pub series: Vec<u32>,
    /// Gaps between starts of consecutive packets at the sender, picoseconds, in the steady part.
    pub gaps: Log,
    /// How often each branch of the law was taken, where the NIC's model counts them.
    pub branches: Option<[u32; BRANCHES]>,
    /// Start to the arrival of the ACK of the segment that completed the flow.
    pub completion: Option<Ps>,
    last_departure: Option<Ps>,
    completing: Option<u32>,
    arrived: Arrived,
    // Bytes that arrived, each once, with those that are no payload.
    bytes: u64,
}

/// The bytes of a flow that have arrived, each once: all before a place, and ranges behind it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Arrived {
    before: u64,
    ranges: BTreeMap<u64, u64>,
}

impl Arrived {
    /// All before this place.
    pub(crate) fn until(before: u64) -> Self {
        Arrived { before, ..Arrived::default() }
    }

    /// The place before which all have arrived.
    pub(crate) fn before(&self) -> u64 {
        self.before
    }

    /// So many bytes from `place` on arrive; gives how many of them had not.
    pub(crate) fn add(&mut self, place: u64, bytes: u64) -> u64 {
        let (mut at, end, mut new) = (place.max(self.before), place + bytes, 0);
        if let Some((_, to)) = self.ranges.range(..=at).next_back() {
            at = at.max(*to);
        }
        while at < end {
            let next = self.ranges.range(at..).next().map(|(from, to)| (*from, *to));
            let until = next.map_or(end, |n| n.0.min(end));
            if until > at {
                new += until - at;
                self.ranges.insert(at, until);
            }
            at = next.filter(|n| n.0 < end).map_or(end, |n| n.1);
        }
        while let Some(to) = self.ranges.first_key_value().filter(|r| *r.0 <= self.before).map(|r| *r.1) {
            self.ranges.pop_first();
            self.before = self.before.max(to);
        }
        new
    }
}

impl FlowRecord {
    pub(super) fn new(info: FlowInfo, windows: &Windows, series: bool) -> Self {
        let series = vec![0; if series { windows.end.saturating_sub(windows.from).div_ceil(windows.bin) as usize } else { 0 }];
        FlowRecord {
            info,
            payload: 0,
            payload_steady: 0,
            wire_steady: 0,
            packets: 0,
            acks: 0,
            series,
            gaps: Log::default(),
            branches: None,
            completion: None,
            last_departure: None,
            completing: None,
            arrived: Arrived::default(),
            bytes: 0,
        }
    }

    pub(super) fn departed(&mut self, start: Ps, steady: Ps) {
        if let Some(last) = self.last_departure.replace(start)
            && last >= steady
        {
            self.gaps.add(start - last);
        }
    }

    pub(super) fn arrived(&mut self, frame: &Frame, end: Ps, windows: &Windows) {
        let meta = &frame.meta;
        if meta.ack {
            self.acks += 1;
            // A later one's too: what made the flow complete arrived before it, and its own ACK was
            // lost.
            let answers = |first: u32| meta.segment.wrapping_sub(first) < 1 << 31;
            if self.completion.is_none() && self.completing.is_some_and(answers) {
                self.completion = Some(end - self.info.start);
            }
            return;
        }
        let wire = frame.wire_bytes();
        // Payload of a segment that is sent again counts once.
        let payload = u64::from(meta.payload);
        let bytes = meta.place.filter(|_| self.info.bytes.is_some()).map_or(payload, |place| self.arrived.add(place, payload));
        let payload = self.info.rounded.map_or(bytes, |r| r.payload(self.bytes + bytes) - r.payload(self.bytes));
        self.bytes += bytes;
        self.payload += payload;
        self.packets += 1;
        if let Some(bin) = self.series.get_mut((end.saturating_sub(windows.from) / windows.bin) as usize) {
            *bin += wire;
        }
        if end >= windows.steady {
            self.payload_steady += payload;
            self.wire_steady += u64::from(wire);
        }
        if self.completing.is_none() && self.info.bytes.is_some_and(|b| self.payload >= b) {
            self.completing = Some(meta.segment);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::seq::SliceRandom;
    use rand::{Rng, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    /// Of messages of 1,000 bytes in packets of 300 each fourth packet has 100 bytes of payload.
    #[test]
    fn what_rounds_a_message_up_is_no_payload() {
        let r = Rounded::new(1000, 300);
        let packets: Vec<u64> = (0..9).map(|n| r.payload(300 * (n + 1)) - r.payload(300 * n)).collect();
        assert_eq!(packets, [300, 300, 300, 100, 300, 300, 300, 100, 300]);
        assert_eq!((Rounded::new(0, 1024).sent, Rounded::new(2048, 1024).sent), (1024, 2048));
    }

    /// Pieces in any order, some of them again, against a table of bytes.
    #[test]
    fn each_byte_counts_once() {
        for seed in 0..200 {
            let mut rng = ChaCha8Rng::seed_from_u64(seed);
            let mut pieces: Vec<(u64, u64)> = (0..100).map(|i| (10 * i, 10)).collect();
            pieces.extend((0..60).map(|_| (rng.random_range(0..900), rng.random_range(1..100))));
            pieces.shuffle(&mut rng);
            let (mut arrived, mut table) = (Arrived::default(), vec![false; 1000]);
            for (place, bytes) in pieces {
                let own = &mut table[place as usize..(place + bytes) as usize];
                let new = own.iter_mut().map(|b| !std::mem::replace(b, true)).filter(|new| *new).count();
                assert_eq!(arrived.add(place, bytes), new as u64, "seed {seed}");
            }
            assert_eq!((arrived.before, arrived.ranges.len()), (1000, 0), "seed {seed}");
        }
    }
}
