//! The flows of the RTT block, and what an operation does to one of them.
use super::ring::{Entry, Ring, Stamp};
use super::signal::{Echo, Least, Measured};
use crate::bus::{FlowLoad, Sent};
use std::collections::BTreeSet;

/// Bits of a count of events that are still to be pulsed.
pub const DEBT: u32 = (1 << 16) - 1;
/// A turn does not see progress that operations of the clocks before it made.
const UNSEEN: u64 = 4;

/// A flow's word.
#[derive(Clone, Debug, Default)]
struct Flow {
    enabled: bool,
    profile: u8,
    /// Charged bytes of all ended segments, modulo 2^32.
    sent: u32,
    /// One past the last ended segment, 16 bits.
    next: u16,
    /// `sent` as it was at the end of the last segment released.
    released: u32,
    /// One past the last segment released, 16 bits.
    acked: u16,
    /// A segment ended that is not released.
    awaits: bool,
    /// When the last progress was made: in units of 32 ns, 27 bits.
    since: u32,
    /// Clock of the operation that made it.
    at: Option<u64>,
    least: Least,
}

/// log2 of the ns in which `since` counts.
const UNIT: u32 = 5;
const SINCE: u32 = u32::MAX >> UNIT;

/// Time as `since` counts it.
fn coarse(now: u64) -> u32 {
    (now >> (16 + UNIT)) as u32 & SINCE
}

/// An operation on a flow.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Query {
    /// An ACK with this check: the nonce that it echoes until the digest of its source is in it.
    Ack { check: u32, source: u32 },
    /// A segment ended with this frame.
    Ended(Sent),
    /// Bytes sent before the load are outstanding no more.
    Load,
    /// The flow's turn to be looked at.
    Turn,
}

/// The outcome of an operation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Rank {
    /// Nothing to be told.
    Nothing,
    /// Segments are released.
    Released,
    /// An ACK of a flow that does not exist or is not enabled.
    Unknown,
    /// An ACK of a segment that is in its place, with another check.
    Forged,
    /// An ACK of a segment that is in its place and was released.
    Repeated,
    /// An ACK of a segment that is not in its place.
    Stale,
}

/// An operation with what it read as it entered.
#[derive(Clone, Debug)]
pub struct Op {
    pub query: Query,
    pub flow: u32,
    /// Segment of an ACK.
    pub segment: u32,
    /// Arrival of an ACK; time at which another operation entered. ns48.fns16.
    pub ts: u64,
    /// Low 32 bits of the ns at which the operation entered.
    pub now_ns: u32,
    /// The same as `since` counts it, and its clock.
    entered: u32,
    clk: u64,
    pub enabled: bool,
    pub profile: u8,
    pub timeout: u32,
    /// Signal that the flow's profile asks for, and its base.
    pub signal: u32,
    pub base: u32,
    /// An ACK's measurements, the flow's least one-way delays, and the result of both.
    pub echo: Echo,
    pub least: Least,
    pub measured: Option<Measured>,
    entry: Entry,
    pub stamp: Stamp,
    pub rank: Rank,
    /// Bytes released, and segments: those before an ACK's own, or all that a time-out releases.
    pub bytes: u32,
    pub between: u16,
    /// Sum of the flow with an ended segment.
    sum: u32,
}

impl Op {
    /// An operation that enters at clock `clk` and time `now`.
    pub fn new(query: Query, flow: u32, segment: u32, ts: u64, clk: u64, now: u64) -> Op {
        Op {
            query,
            flow,
            segment,
            ts,
            now_ns: (now >> 16) as u32,
            entered: coarse(now),
            clk,
            enabled: false,
            profile: 0,
            timeout: 0,
            signal: 0,
            base: 0,
            echo: Echo::default(),
            least: Least::default(),
            measured: None,
            entry: Entry::default(),
            stamp: Stamp::default(),
            rank: Rank::Nothing,
            bytes: 0,
            between: 0,
            sum: 0,
        }
    }
}

/// All flows, and the ring of their segments.
#[derive(Clone, Debug)]
pub struct State {
    pub flow_bits: u32,
    pub ring: Ring,
    /// Made when a flow is first loaded or sent from: a large network of models has few flows each.
    flows: Vec<Option<Box<Flow>>>,
    /// Flows with an ended segment outstanding.
    outstanding: BTreeSet<u32>,
    /// log2 of the clocks from a flow's turn to the next flow's.
    turn_bits: u32,
}

impl State {
    pub fn new(flow_bits: u32, ring_bits: u32) -> Self {
        State {
            flow_bits,
            ring: Ring::new(ring_bits),
            flows: vec![None; 1 << flow_bits],
            outstanding: BTreeSet::new(),
            turn_bits: super::turn_bits(flow_bits),
        }
    }

    fn flow(&mut self, flow: u32) -> &mut Flow {
        self.flows[flow as usize].get_or_insert_with(Box::default)
    }

    fn note(&mut self, flow: u32) {
        let f = self.flow(flow);
        if !f.awaits {
            self.outstanding.remove(&flow);
        } else {
            self.outstanding.insert(flow);
        }
    }

    /// The flow whose turn begins at position `pos` of the scan, if one does.
    pub fn turn(&self, pos: u64) -> Option<u32> {
        let begins = pos & ((1 << self.turn_bits) - 1) == 0;
        begins.then_some((pos >> self.turn_bits) as u32 & ((1 << self.flow_bits) - 1))
    }

    pub fn is_outstanding(&self, flow: u32) -> bool {
        self.outstanding.contains(&flow)
    }

    /// The first turn from `pos` on of a flow with segments outstanding.
    pub fn next_turn(&self, pos: u64) -> Option<u64> {
        let first = pos.div_ceil(1 << self.turn_bits);
        let flow = first as u32 & ((1 << self.flow_bits) - 1);
        let next = self.outstanding.range(flow..).next().or(self.outstanding.first())?;
        let ahead = next.wrapping_sub(flow) & ((1 << self.flow_bits) - 1);
        Some((first + u64::from(ahead)) << self.turn_bits)
    }

    pub fn profile(&self, flow: u32) -> u8 {
        self.flows[flow as usize].as_ref().map_or(0, |f| f.profile)
    }

    pub fn configure(&mut self, l: &FlowLoad) {
        let f = self.flow(l.flow);
        f.enabled = l.enable();
        f.profile = l.profile();
    }

    /// Fills in what the RAMs hold for an operation; `place` is that which an ACK names.
    pub fn read(&self, op: &mut Op, place: u16) {
        (op.entry, op.stamp) = self.ring.read(place);
        // A place that the ring does not have matches no segment.
        op.entry.valid &= u32::from(place) >> self.ring.bits() == 0;
        let Some(Some(f)) = self.flows.get(op.flow as usize) else { return };
        (op.enabled, op.profile, op.least) = (f.enabled, f.profile, f.least);
    }

    /// Decides an operation and does what it does to its flow.
    pub fn apply(&mut self, op: &mut Op) -> Rank {
        if matches!(op.query, Query::Ack { .. }) && !op.enabled {
            return Rank::Unknown;
        }
        let (flow, entry) = (op.flow, op.entry);
        let f = self.flow(flow);
        let unseen = f.at.is_some_and(|at| op.clk - at <= UNSEEN);
        let rank = match op.query {
            Query::Ack { check, .. } => {
                // Released, or older than the sums can tell.
                let done = !f.awaits || f.released.wrapping_sub(entry.sum) as i32 >= 0 || (f.sent.wrapping_sub(entry.sum) as i32) < 0;
                let held = entry.valid && entry.flow == flow && entry.segment == op.segment as u16;
                match held {
                    false => Rank::Stale,
                    true if check != entry.check => Rank::Forged,
                    true if done => Rank::Repeated,
                    true => Rank::Released,
                }
            }
            Query::Turn => {
                let late = op.entered.wrapping_sub(f.since) & SINCE >= op.timeout >> UNIT;
                let overdue = op.enabled && op.timeout != 0 && late && !unseen;
                if overdue && f.awaits { Rank::Released } else { Rank::Nothing }
            }
            Query::Load => {
                (f.released, f.acked, f.awaits) = (f.sent, f.next, false);
                (f.since, f.at) = (op.entered, Some(op.clk));
                Rank::Nothing
            }
            Query::Ended(sent) => {
                if !f.awaits {
                    (f.since, f.at) = (op.entered, Some(op.clk));
                }
                // What is skipped counts from here on, if nothing is awaited or the number does not
                // follow the last one.
                if !f.awaits || f.next != sent.segment as u16 {
                    f.acked = sent.segment as u16;
                }
                f.next = (sent.segment as u16).wrapping_add(1);
                f.sent = f.sent.wrapping_add(sent.segment_bytes);
                f.awaits = true;
                op.sum = f.sent;
                Rank::Nothing
            }
        };
        if rank == Rank::Released {
            let sum = if op.query == Query::Turn { f.sent } else { entry.sum };
            op.bytes = sum.wrapping_sub(f.released);
            f.released = sum;
            f.awaits = sum != f.sent;
            let ahead = entry.segment.wrapping_sub(f.acked);
            if op.query == Query::Turn {
                op.between = f.next.wrapping_sub(f.acked);
                f.acked = f.next;
            } else if ahead >> 15 == 0 {
                // Otherwise behind the last number that did not follow: nothing is skipped, and the
                // count does not go back.
                op.between = ahead;
                f.acked = entry.segment.wrapping_add(1);
            }
            (f.since, f.at) = (op.entered, Some(op.clk));
        }
        self.note(flow);
        rank
    }

    /// Remembers the segment that an operation says has ended.
    pub fn remember(&mut self, op: &Op) {
        if let Query::Ended(sent) = &op.query {
            self.ring.remember(sent, op.sum);
        }
    }

    /// Stores the flow's least one-way delays.
    pub fn keep_least(&mut self, flow: u32, least: Least) {
        self.flow(flow).least = least;
    }
}
