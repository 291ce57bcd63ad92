//! The event queue: a calendar of slots, each a list of chunks of a cache line, and a heap for what
//! is far ahead.
//!
//! A slot is sorted when its time comes. Events of the same time come in the order they were put
//! in, so runs repeat exactly, whatever the width of a slot: it follows the density of events.
//!
//! In a large network most events' cells are no longer in the core's cache: [`Calendar::advance`]
//! then takes up as many slots as have enough events to be looked at together, ahead of time.
use crate::time::Ps;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Slots: their heads stay in the cache.
const SLOTS: usize = 1 << 15;
/// log2 of the width of a slot at first, ps.
const SHIFT: u32 = 13;
/// log2 of the narrowest and the widest slot, ps.
const SHIFTS: std::ops::RangeInclusive<u32> = 6..=24;
/// Events between looks at how full slots are.
const LOOK: u64 = 1 << 13;
/// Events of a slot above which slots are made narrower.
const CROWDED: u64 = 12;
/// Events of a slot below which they are made wider.
const SPARSE: u64 = 3;
/// Events of a slot up to which an insertion sort is used.
const SHORT: usize = 20;
/// Events of a chunk.
const CHUNK: usize = 7;
/// Bits of a head that count a chunk's events; the others are the chunk's place.
const LENGTH_BITS: u32 = 3;
/// Mask of them: a full chunk.
const LENGTH: u32 = CHUNK as u32;
/// Head of an empty slot, which looks like a full chunk.
const EMPTY: u32 = u32::MAX;

/// Events of a slot, in the order they were put in.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
struct Chunk {
    // Head of the slot when this chunk was begun.
    before: u32,
    // Time from the slot's start in the upper 32 bits, cell in the lower ones.
    events: [u64; CHUNK],
}

const _: () = assert!(size_of::<Chunk>() == 64 && *SHIFTS.end() <= 32);

/// The calendar.
#[derive(Debug)]
pub struct Calendar {
    // Of each slot the chunk that is being filled, and how many events it has.
    heads: Vec<u32>,
    occupied: Vec<u64>,
    chunks: Vec<Chunk>,
    free: Vec<u32>,
    shift: u32,
    // The last slot that was emptied: its number, counted from time 0.
    current: u64,
    // Events of the slots being emptied, and how many of them were taken.
    now: Vec<(Ps, u32)>,
    taken: usize,
    far: BinaryHeap<Reverse<(Ps, u64, u32)>>,
    // Slot of the earliest far event.
    far_slot: u64,
    sequence: u64,
    // Since the last look: slots emptied, events in them, and events put into the present slot.
    emptied: u64,
    events: u64,
    present: u64,
}

impl Default for Calendar {
    fn default() -> Self {
        Calendar {
            heads: vec![EMPTY; SLOTS],
            occupied: vec![0; SLOTS / 64],
            chunks: Vec::new(),
            free: Vec::new(),
            shift: SHIFT,
            current: 0,
            now: Vec::with_capacity(256),
            taken: 0,
            far: BinaryHeap::new(),
            far_slot: u64::MAX,
            sequence: 0,
            emptied: 0,
            events: 0,
            present: 0,
        }
    }
}

impl Calendar {
    /// Puts a cell in, to happen at `at`, which is not before the last event taken.
    #[inline]
    pub fn push(&mut self, id: u32, at: Ps) {
        let slot = at >> self.shift;
        if slot <= self.current {
            self.push_present(id, at);
        } else if slot - self.current < SLOTS as u64 {
            self.append(at, id);
        } else {
            self.far.push(Reverse((at, self.sequence, id)));
            self.sequence += 1;
            self.far_slot = self.far_slot.min(slot);
        }
    }

    fn push_present(&mut self, id: u32, at: Ps) {
        let coming = &self.now[self.taken..];
        let place = coming.iter().position(|e| e.0 > at).unwrap_or(coming.len());
        self.now.insert(self.taken + place, (at, id));
        self.present += 1;
    }

    #[inline]
    fn append(&mut self, at: Ps, id: u32) {
        let s = (at >> self.shift) as usize & (SLOTS - 1);
        let event = (at & ((1 << self.shift) - 1)) << 32 | u64::from(id);
        let head = self.heads[s];
        let length = head & LENGTH;
        if length < LENGTH {
            self.chunks[(head >> LENGTH_BITS) as usize].events[length as usize] = event;
            self.heads[s] = head + 1;
        } else {
            self.begin(s, event);
        }
    }

    // A slot's next chunk.
    fn begin(&mut self, s: usize, event: u64) {
        let place = self.free.pop().unwrap_or_else(|| {
            self.chunks.push(Chunk { before: EMPTY, events: [0; CHUNK] });
            self.chunks.len() as u32 - 1
        });
        let chunk = &mut self.chunks[place as usize];
        (chunk.before, chunk.events[0]) = (self.heads[s], event);
        self.heads[s] = place << LENGTH_BITS | 1;
        self.occupied[s >> 6] |= 1 << (s & 63);
    }

    /// Takes the earliest event, if one is present.
    #[inline]
    pub fn pop(&mut self) -> Option<(Ps, u32)> {
        let next = self.now.get(self.taken).copied();
        self.taken += usize::from(next.is_some());
        next
    }

    /// Events that are present, the next one first.
    #[inline]
    pub fn coming(&self) -> &[(Ps, u32)] {
        &self.now[self.taken..]
    }

    // The next slot of the calendar that has something.
    fn occupied_slot(&self) -> Option<u64> {
        let mask = SLOTS - 1;
        let start = (self.current + 1) as usize & mask;
        let words = self.occupied.len();
        let mut word = start >> 6;
        let mut bits = self.occupied[word] & (u64::MAX << (start & 63));
        for _ in 0..=words {
            if bits != 0 {
                let s = word << 6 | bits.trailing_zeros() as usize;
                return Some(self.current + 1 + (s.wrapping_sub(start) & mask) as u64);
            }
            word = (word + 1) & (words - 1);
            bits = self.occupied[word];
        }
        None
    }

    // Takes a slot's events out, the newest first.
    #[inline]
    fn empty(&mut self, s: usize, mut each: impl FnMut(u64)) {
        self.occupied[s >> 6] &= !(1 << (s & 63));
        let mut head = std::mem::replace(&mut self.heads[s], EMPTY);
        while head != EMPTY {
            let (place, length) = (head >> LENGTH_BITS, head & LENGTH);
            let chunk = &self.chunks[place as usize];
            chunk.events[..length as usize].iter().rev().for_each(|e| each(*e));
            self.free.push(place);
            head = chunk.before;
        }
    }

    /// Takes up the next slots with events, when none is present: as many as have so many events
    /// together; false when no event is left.
    pub fn advance(&mut self, events: usize) -> bool {
        self.now.clear();
        self.taken = 0;
        if self.events >= LOOK {
            self.adapt();
        }
        // Of a slot that was made wider the second half may be there already.
        while self.now.len() < events {
            let next = self.occupied_slot().unwrap_or(u64::MAX).min(self.far_slot);
            if next == u64::MAX {
                break;
            }
            self.current = next;
            if self.far_slot < next + SLOTS as u64 {
                self.come_nearer();
            }
            let (first, start) = (self.now.len(), next << self.shift);
            let mut now = std::mem::take(&mut self.now);
            self.empty(next as usize & (SLOTS - 1), |e| now.push((start + (e >> 32), e as u32)));
            sort(&mut now[first..]);
            self.events += (now.len() - first) as u64;
            self.now = now;
            self.emptied += 1;
        }
        !self.now.is_empty()
    }

    // Files what is no longer far ahead.
    #[cold]
    fn come_nearer(&mut self) {
        while self.far_slot < self.current + SLOTS as u64 {
            if let Some(Reverse((at, _, id))) = self.far.pop() {
                self.append(at, id);
            }
            self.far_slot = self.far.peek().map_or(u64::MAX, |Reverse((at, ..))| at >> self.shift);
        }
    }

    // Narrower slots when they are crowded, or most events are put into the present one; wider ones
    // when there is little in them.
    fn adapt(&mut self) {
        let (slots, events, present) = (self.emptied, self.events, self.present);
        (self.emptied, self.events, self.present) = (0, 0, 0);
        if (events > CROWDED * slots || present * 2 > events) && self.shift > *SHIFTS.start() {
            self.rebuild(self.shift - 1);
        } else if events < SPARSE * slots && present * 8 < events && self.shift < *SHIFTS.end() {
            self.rebuild(self.shift + 1);
        }
    }

    fn rebuild(&mut self, shift: u32) {
        let mut all = Vec::new();
        for slot in self.current + 1..=self.current + SLOTS as u64 {
            let (start, first) = (slot << self.shift, all.len());
            self.empty(slot as usize & (SLOTS - 1), |e| all.push((start + (e >> 32), e as u32)));
            all[first..].reverse();
        }
        // All that is left lies behind the current slot.
        let end = (self.current + 1) << self.shift;
        self.current = if shift < self.shift { (end >> shift) - 1 } else { (self.current << self.shift) >> shift };
        self.shift = shift;
        self.far_slot = self.far.peek().map_or(u64::MAX, |Reverse((at, ..))| at >> shift);
        for (at, id) in all {
            self.push(id, at);
        }
    }
}

// Sorts events that have the newest first by their time, and those of the same time into the order
// they were put in.
fn sort(events: &mut [(Ps, u32)]) {
    if events.len() > SHORT {
        events.reverse();
        return events.sort_by_key(|e| e.0);
    }
    for i in 1..events.len() {
        let e = events[i];
        let mut k = i;
        while k > 0 && events[k - 1].0 >= e.0 {
            events[k] = events[k - 1];
            k -= 1;
        }
        events[k] = e;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{Rng, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    fn next(calendar: &mut Calendar, together: usize) -> Option<(Ps, u32)> {
        loop {
            let event = calendar.pop();
            if event.is_some() || !calendar.advance(together) {
                return event;
            }
        }
    }

    /// Against a heap by time and the order of pushes: densities from one event in many slots to
    /// hundreds in one, which change on the way, events far ahead, events of the same time, pushes
    /// into the present.
    #[test]
    fn events_come_by_time_and_then_in_the_order_they_were_put_in() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let mut calendar = Calendar::default();
        let mut reference = BinaryHeap::new();
        let (mut now, mut id) = (0, 0);
        let mut widths = std::collections::BTreeSet::new();
        for round in 0..60 {
            // log2 of how far ahead events are, ps, and of what their times are multiples of.
            let (ahead, grain) = (rng.random_range(7..38), rng.random_range(0..14));
            for step in 0..40_000u32 {
                if step < 1000 || rng.random_bool(0.5) {
                    let far = rng.random_range(0..1u64 << ahead) << if rng.random_bool(0.01) { 8 } else { 0 };
                    let at = (now + far * u64::from(rng.random_bool(0.9))) >> grain << grain;
                    let at = at.max(now);
                    calendar.push(id, at);
                    reference.push(Reverse((at, id)));
                    id += 1;
                } else {
                    let event = next(&mut calendar, 1 + 50 * (round & 1));
                    assert_eq!(event, reference.pop().map(|r| r.0), "round {round}: ahead 2^{ahead}, grain 2^{grain}");
                    now = event.map_or(now, |e| e.0);
                }
                widths.insert(calendar.shift);
            }
        }
        while let Some(event) = next(&mut calendar, 1) {
            assert_eq!(Some(event), reference.pop().map(|r| r.0));
        }
        assert!(reference.is_empty());
        assert!(widths.len() > 5, "slots of 2^{widths:?} ps");
    }
}
