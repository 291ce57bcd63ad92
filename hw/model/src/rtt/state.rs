//! The memory of the RTT block: flows, segment slots, tags; and what an operation does to a flow.
use super::signal::{Echo, Least, Measured};
use crate::bus::{Completion, FlowLoad, Sent, TAG_NO_DATA};
use std::collections::BTreeSet;

/// Bits of a stamp: 32 of ns, 8 of fractions.
pub const STAMP: u64 = (1 << 40) - 1;
/// Bits of a byte sum.
pub const BYTES: u32 = (1 << 24) - 1;
/// Bits of a count of events that are still to be pulsed.
pub const DEBT: u32 = (1 << 24) - 1;
/// Bits of the segment number above the slot index that tell who is in a slot, and whose stamp it has.
const ID: u32 = (1 << 10) - 1;
const STAMP_ID: u32 = (1 << 4) - 1;
/// Entries of the tag table.
const TAGS: usize = 256;

/// A segment's place.
#[derive(Clone, Copy, Debug, Default)]
pub struct Slot {
    valid: bool,
    id: u32,
    nonce: u32,
    bytes: u32,
    opened: u32,
    stamp_valid: bool,
    stamp_id: u32,
    pub stamp: u64,
}

#[derive(Clone, Debug, Default)]
struct Flow {
    enabled: bool,
    profile: u8,
    next: u32,
    sent: u32,
    una: u32,
    released: u32,
    least: Least,
    slots: Vec<Slot>,
}

/// An entry of the tag table: how the frame's completion gives a stamp, if it does.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tag {
    upper: u16,
    pub flow: u32,
    pub segment: u32,
    pub write: bool,
    pub relative: bool,
    pub value: u64,
}

/// A completion with the entry that it found.
#[derive(Clone, Copy, Debug)]
pub struct Departing {
    pub completion: Completion,
    pub tag: Tag,
    /// Its place was live when it was looked at.
    pub live: bool,
    /// It gives what its entry says.
    pub hit: bool,
}

impl Departing {
    /// The completion is of the entry's frame, as far as the tag tells.
    pub fn fits(&self) -> bool {
        let tag = self.completion.tag;
        tag != TAG_NO_DATA && tag >> 8 == self.tag.upper
    }

    /// It spends the place of this tag.
    pub fn spends(&self, tag: u16) -> bool {
        self.hit && (self.completion.tag ^ tag) & 0xff == 0
    }
}

/// A frame on its way into slot and tag table.
#[derive(Clone, Debug)]
pub struct Sending {
    pub sent: Sent,
    pub opened: u32,
    pub bytes: u16,
    pub profile: u8,
    pub start: u8,
    pub wire_time: u64,
}

/// What is asked of a flow.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Query {
    Ack {
        nonce: u32,
    },
    Load,
    Rebase,
    /// A turn found it with this time-out, at this time, both in ns.
    Visit {
        asked: u32,
        timeout: u32,
    },
    Peek,
}

/// What came of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Rank {
    Nothing,
    Turn,
    Released,
    Unknown,
    Forged,
    Repeated,
    Stale,
}

/// An operation with what it read as it entered.
#[derive(Clone, Debug)]
pub struct Op {
    pub query: Query,
    pub flow: u32,
    pub segment: u32,
    /// Arrival of an ACK; time at which a time-out entered.
    pub ts: u64,
    pub enabled: bool,
    pub profile: u8,
    pub timeout: u32,
    /// Which signal its profile asks for, and its base.
    pub signal: u32,
    pub base: u32,
    /// What an ACK carries beside who it is, what its flow keeps of one-way delays, and what came of them.
    pub echo: Echo,
    pub least: Least,
    pub measured: Option<Measured>,
    next: u32,
    sent: u32,
    pub slot: Slot,
    slot_bits: u32,
    pub rank: Rank,
    /// Bytes released, segments before this one released with it.
    pub bytes: u32,
    pub between: u32,
    /// `next - una`, and `una`, as a turn found them.
    pub outstanding: u32,
    una: u32,
}

impl Op {
    pub fn new(query: Query, flow: u32, segment: u32, ts: u64) -> Op {
        Op {
            query,
            flow,
            segment,
            ts,
            enabled: false,
            profile: 0,
            timeout: 0,
            signal: 0,
            base: 0,
            echo: Echo::default(),
            least: Least::default(),
            measured: None,
            next: 0,
            sent: 0,
            slot: Slot::default(),
            slot_bits: 0,
            rank: Rank::Nothing,
            bytes: 0,
            between: 0,
            outstanding: 0,
            una: 0,
        }
    }

    /// The segment's completion gave a stamp.
    pub fn stamp_valid(&self) -> bool {
        self.slot.stamp_valid && self.slot.stamp_id == self.segment >> self.slot_bits & STAMP_ID
    }
}

#[derive(Clone, Debug)]
pub struct State {
    pub flow_bits: u32,
    pub slot_bits: u32,
    /// Made when a flow is first loaded or sent from: a large network of models has few flows each.
    flows: Vec<Option<Box<Flow>>>,
    tags: Vec<Tag>,
    live: Vec<bool>,
    /// Flows with `next != una`.
    outstanding: BTreeSet<u32>,
}

impl State {
    pub fn new(flow_bits: u32, slot_bits: u32) -> Self {
        State {
            flow_bits,
            slot_bits,
            flows: vec![None; 1 << flow_bits],
            tags: vec![Tag::default(); TAGS],
            live: vec![false; TAGS],
            outstanding: BTreeSet::new(),
        }
    }

    fn flow(&mut self, flow: u32) -> &mut Flow {
        let slots = 1 << self.slot_bits;
        self.flows[flow as usize].get_or_insert_with(|| Box::new(Flow { slots: vec![Slot::default(); slots], ..Flow::default() }))
    }

    fn slot(&mut self, flow: u32, segment: u32) -> &mut Slot {
        let index = segment as usize & ((1 << self.slot_bits) - 1);
        &mut self.flow(flow).slots[index]
    }

    fn note(&mut self, flow: u32) {
        let f = self.flow(flow);
        if f.next == f.una {
            self.outstanding.remove(&flow);
        } else {
            self.outstanding.insert(flow);
        }
    }

    /// The flow whose turn it is.
    pub fn turn(&self, pos: u64) -> u32 {
        (pos >> 3) as u32 & ((1 << self.flow_bits) - 1)
    }

    pub fn is_outstanding(&self, flow: u32) -> bool {
        self.outstanding.contains(&flow)
    }

    /// The first turn from `pos` on of a flow with segments outstanding.
    pub fn next_turn(&self, pos: u64) -> Option<u64> {
        let first = pos.div_ceil(8);
        let flow = self.turn(first << 3);
        let next = self.outstanding.range(flow..).next().or(self.outstanding.first())?;
        let ahead = next.wrapping_sub(flow) & ((1 << self.flow_bits) - 1);
        Some((first + u64::from(ahead)) << 3)
    }

    pub fn profile(&self, flow: u32) -> u8 {
        self.flows[flow as usize].as_ref().map_or(0, |f| f.profile)
    }

    pub fn configure(&mut self, l: &FlowLoad) {
        let f = self.flow(l.flow);
        f.enabled = l.enable();
        f.profile = l.profile();
    }

    /// Fills in what the RAMs hold for an operation.
    pub fn read(&self, op: &mut Op) {
        op.slot_bits = self.slot_bits;
        let Some(Some(f)) = self.flows.get(op.flow as usize) else { return };
        (op.enabled, op.profile, op.next, op.sent, op.least) = (f.enabled, f.profile, f.next, f.sent, f.least);
        op.slot = f.slots[op.segment as usize & ((1 << self.slot_bits) - 1)];
    }

    /// Decides an operation and does what it does to its flow.
    pub fn apply(&mut self, op: &mut Op) -> Rank {
        if matches!(op.query, Query::Ack { .. }) && !op.enabled {
            return Rank::Unknown;
        }
        let (bits, s) = (self.slot_bits, op.segment);
        let f = self.flow(op.flow);
        // One of the last 2^S that were sent, and still in its slot.
        let recent = op.next.wrapping_add(!s) >> bits == 0;
        let held = recent && op.slot.valid && op.slot.id == s >> bits & ID;
        let ahead = s.wrapping_sub(f.una);
        let waiting = (ahead as i32) >= 0;
        let rank = match op.query {
            Query::Ack { nonce } if held && nonce != op.slot.nonce => Rank::Forged,
            Query::Ack { .. } if held && waiting => Rank::Released,
            Query::Ack { .. } if f.una.wrapping_add(!s) >> bits == 0 => Rank::Repeated,
            Query::Ack { .. } => Rank::Stale,
            Query::Visit { asked, timeout } => {
                // Whatever is not younger than the time-out is late: also what is as old as a step of the time makes it.
                let late = asked.wrapping_sub(op.slot.opened) >= timeout;
                if op.enabled && held && waiting && late { Rank::Released } else { Rank::Nothing }
            }
            Query::Peek => Rank::Turn,
            Query::Load => {
                (f.una, f.released) = (op.next, op.sent);
                Rank::Nothing
            }
            Query::Rebase => {
                f.una = s;
                Rank::Nothing
            }
        };
        (op.una, op.outstanding) = (f.una, op.next.wrapping_sub(f.una));
        if rank == Rank::Released {
            op.bytes = op.slot.bytes.wrapping_sub(f.released) & BYTES;
            op.between = ahead & DEBT;
            (f.una, f.released) = (s.wrapping_add(1), op.slot.bytes);
        }
        self.note(op.flow);
        rank
    }

    /// The oldest segment that is in a slot and not acknowledged, after a turn.
    pub fn oldest_held(&self, op: &Op) -> u32 {
        if op.outstanding > 1 << self.slot_bits { op.next.wrapping_sub(1 << self.slot_bits) } else { op.una }
    }

    /// What a flow keeps of one-way delays from now on.
    pub fn keep_least(&mut self, flow: u32, least: Least) {
        self.flow(flow).least = least;
    }

    /// Puts a segment that was sent in its slot; true if its number does not follow the one before it.
    pub fn write_slot(&mut self, s: &Sent, opened: u32) -> bool {
        let id = s.segment >> self.slot_bits & ID;
        let f = self.flow(s.flow);
        let gap = f.next != s.segment;
        f.next = s.segment.wrapping_add(1);
        f.sent = f.sent.wrapping_add(s.segment_bytes) & BYTES;
        let bytes = f.sent;
        let slot = self.slot(s.flow, s.segment);
        (slot.valid, slot.id, slot.nonce, slot.bytes, slot.opened) = (true, id, s.nonce, bytes, opened);
        self.note(s.flow);
        gap
    }

    pub fn write_tag(&mut self, s: &Sent, relative: bool, write: bool, value: u64) {
        let upper = s.tag >> 8 & 0x7f;
        self.tags[usize::from(s.tag) % TAGS] = Tag { upper, flow: s.flow, segment: s.segment, write, relative, value };
        self.live[usize::from(s.tag) % TAGS] = true;
    }

    /// The entry that a completion's tag leads to.
    pub fn tag(&self, tag: u16) -> Tag {
        self.tags[usize::from(tag) % TAGS]
    }

    /// Whether a frame with a tag in this place is under way.
    pub fn is_live(&self, tag: u16) -> bool {
        self.live[usize::from(tag) % TAGS]
    }

    /// It no longer is.
    pub fn spend(&mut self, tag: u16) {
        self.live[usize::from(tag) % TAGS] = false;
    }

    pub fn write_stamp(&mut self, flow: u32, segment: u32, stamp: u64) {
        let id = segment >> self.slot_bits & STAMP_ID;
        let slot = self.slot(flow, segment);
        (slot.stamp_valid, slot.stamp_id, slot.stamp) = (true, id, stamp);
    }
}
