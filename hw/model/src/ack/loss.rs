//! The segments that arrived of each (source, flow), so that an ACK can say which were lost
//! (`timely_hw::ack::Table`).
//!
//! **The table** has [`ROWS`] rows of [`WAYS`] entries. A pair's row is the low bits of its flow,
//! turned by a digest of its source: flows of one source that follow one another never meet, and
//! [`WAYS`] sources may share rows. The entry holds the digest and the rest of the flow, so that of
//! IPv4 no two pairs are taken for one; of IPv6 two whose digests are equal are. A pair that finds
//! all entries of its row taken has none, and its ACKs say `unknown`. An entry whose pair sent
//! nothing for 1.07 to 2.15 s can be taken, in the two of four epochs of 1.07 s in which it counts
//! as old; no pair can take the entry of another that sends. Only packets that may be answered,
//! were they last ones, come here.
//!
//! **A packet** of the entry's segment is counted. One of a segment up to [`AHEAD`] - 1 numbers on
//! starts that segment; those between, and the entry's own unless its last packet came, are
//! skipped: no ACK says anything of them. A packet up to [`AHEAD`] numbers back, or of a segment
//! whose last packet came, is late: it changes nothing, and its ACK says `unknown`. Any other
//! number, and the first packet of segment 0 (all 32 bits), is a new beginning: the sender was
//! reset.
//!
//! **The ACK** of a last packet says `complete` when as many packets came as its number says,
//! `incomplete` when fewer did, and the segments skipped since the last such ACK. It says `unknown`
//! when more came, when the pair was not known before and the first packet was not seen, and for
//! segments of 255 packets or more.
use super::Draft;
use crate::check::digest;
use timely_regs::wire::{Addresses, Arrived, FIRST, LAST, Loss};

/// log2 of the rows.
pub const ROW_BITS: u32 = 9;
/// Rows of the table.
pub const ROWS: usize = 1 << ROW_BITS;
/// Entries of a row.
pub const WAYS: usize = 4;
/// A number less than this ahead, modulo 2^16, is the flow's next; one at most this far back is
/// late.
pub const AHEAD: u16 = 1024;
/// Bits of the time, ns48.fns16, below the epoch's two.
pub const EPOCH_SHIFT: u32 = 46;
/// Packets of a segment that are counted; this many and more are not told apart, and also stand for
/// an unknown number.
const MANY: u8 = 255;

/// The record of a pair of source and flow.
#[derive(Clone, Copy, Debug, Default)]
struct Entry {
    valid: bool,
    source: u32,
    flow: u16,
    epoch: u8,
    /// Low bits of the number of the segment under way, or of the last that ended.
    segment: u16,
    /// Packets of it that came; 0 when its last did.
    seen: u8,
    /// Segments skipped since the last ACK that said so.
    skipped: u8,
}

/// The table.
#[derive(Clone, Debug)]
pub(super) struct Table {
    rows: Vec<[Entry; WAYS]>,
    /// First clock at which it is clear.
    clear: u64,
    /// Clock of the last packet that was looked up: the next clock's is not.
    looked: Option<u64>,
}

/// Row of a pair.
fn row(source: u32, flow: u16) -> usize {
    let turned = source ^ source >> ROW_BITS ^ source >> (2 * ROW_BITS) ^ source >> (3 * ROW_BITS) ^ u32::from(flow);
    turned as usize & (ROWS - 1)
}

impl Table {
    /// A table that is cleared from clock `clk` on.
    pub fn new(clk: u64) -> Self {
        Table { rows: vec![[Entry::default(); WAYS]; ROWS], clear: clk + ROWS as u64, looked: None }
    }

    /// A packet is at its second clock, `clk`: says whether it is looked up. Data packets are two
    /// clocks apart or more; of those that are not, one is left out.
    pub fn look(&mut self, clk: u64) -> bool {
        let looks = clk >= self.clear && self.looked.is_none_or(|last| last + 1 != clk);
        if looks {
            self.looked = Some(clk);
        }
        looks
    }

    /// A packet came at time `now`: what its ACK is to say, if it is a last one.
    pub fn count(&mut self, draft: &Draft, now: u64) -> Loss {
        let mut address = [0; 16];
        // The draft's addresses are swapped: its destination sent the packet.
        let source = match draft.envelope.addresses {
            Addresses::V4 { destination, .. } => {
                address[..4].copy_from_slice(&destination);
                digest(&address, false)
            }
            Addresses::V6 { destination, .. } => digest(&destination, true),
        };
        let h = &draft.header;
        let (flow, first, last) = (h.flow as u16, h.flags & FIRST != 0, h.flags & LAST != 0);
        let epoch = (now >> EPOCH_SHIFT) as u8 & 3;
        let row = &mut self.rows[row(source, flow)];
        let own = row.iter().position(|e| e.valid && (e.source, e.flow) == (source, flow));
        let old = |e: &Entry| !e.valid || epoch.wrapping_sub(e.epoch) & 3 >= 2;
        let Some(way) = own.or_else(|| row.iter().position(old)) else { return Loss::default() };
        let e = &mut row[way];
        let before = *e;
        let ahead = (h.segment as u16).wrapping_sub(before.segment);
        let (same, next, late) = (ahead == 0, (1..AHEAD).contains(&ahead), ahead >= AHEAD.wrapping_neg());
        let anew = own.is_none() || (h.segment == 0 && first) || !(same || next || late);
        *e = Entry { valid: true, source, flow, epoch, ..before };
        if !anew && (late || same && before.seen == 0) {
            return Loss::default();
        }
        e.segment = h.segment as u16;
        (e.seen, e.skipped) = if anew {
            (if first { 1 } else { MANY }, 0)
        } else if next {
            let skipped = u32::from(before.skipped) + u32::from(ahead) - 1 + u32::from(before.seen != 0);
            (1, skipped.min(Loss::MOST.into()) as u8)
        } else {
            (before.seen.saturating_add(1), before.skipped)
        };
        let (seen, due) = (u32::from(e.seen), u32::from(h.packet) + 1);
        let arrived = if e.seen == MANY || seen > due {
            Arrived::Unknown
        } else if seen == due {
            Arrived::Complete
        } else {
            Arrived::Incomplete
        };
        let loss = Loss { arrived, skipped: e.skipped };
        if last {
            e.seen = 0;
            e.skipped = if arrived == Arrived::Unknown { e.skipped } else { 0 };
        }
        loss
    }
}
