//! The event queue: a calendar of narrow slots, each an unsorted list through the cells themselves,
//! and a heap for what is far ahead.
//!
//! A slot is sorted when its time comes, and slots are made so narrow that there is little to sort.
//! Events of the same time come in the order they were put in, but for those that were far ahead:
//! these come after those that were not. So runs repeat exactly.
use super::cell::{Cells, NONE};
use crate::time::Ps;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// log2 of the width of a slot at first, ps.
const SHIFT: u32 = 13;
/// Slots at first.
const SLOTS: usize = 1 << 14;
/// Slots at most: their heads stay in the cache.
const MOST_SLOTS: usize = 1 << 17;
/// log2 of the narrowest slot, ps.
const NARROWEST: u32 = 6;
/// Slots between looks at how full they are.
const LOOK: u32 = 1 << 14;
/// Events of a slot above which slots are made narrower.
const CROWDED: u64 = 6;
/// Events of a slot up to which an insertion sort is used.
const SHORT: usize = 24;

/// The calendar.
#[derive(Debug)]
pub struct Calendar {
    heads: Vec<u32>,
    occupied: Vec<u64>,
    shift: u32,
    // The slot being emptied: its number, counted from time 0.
    current: u64,
    // Events of the slot being emptied, the next one last.
    now: Vec<(Ps, u32)>,
    far: BinaryHeap<Reverse<(Ps, u64, u32)>>,
    // Slot of the earliest far event.
    far_slot: u64,
    sequence: u64,
    far_pushed: u64,
    emptied: u32,
    events: u64,
}

impl Default for Calendar {
    fn default() -> Self {
        Calendar {
            heads: vec![NONE; SLOTS],
            occupied: vec![0; SLOTS / 64],
            shift: SHIFT,
            current: 0,
            now: Vec::with_capacity(256),
            far: BinaryHeap::new(),
            far_slot: u64::MAX,
            sequence: 0,
            far_pushed: 0,
            emptied: 0,
            events: 0,
        }
    }
}

impl Calendar {
    /// Puts a cell in, to happen at `at`, which is not before the last event taken.
    #[inline]
    pub fn push(&mut self, cells: &mut Cells, id: u32, at: Ps) {
        let slot = at >> self.shift;
        cells[id].time = at;
        if slot <= self.current {
            let place = self.now.iter().rposition(|e| e.0 > at).map_or(0, |i| i + 1);
            self.now.insert(place, (at, id));
        } else if slot - self.current < self.heads.len() as u64 {
            let s = slot as usize & (self.heads.len() - 1);
            cells[id].next = std::mem::replace(&mut self.heads[s], id);
            self.occupied[s >> 6] |= 1 << (s & 63);
        } else {
            self.far.push(Reverse((at, self.sequence, id)));
            self.sequence += 1;
            self.far_pushed += 1;
            self.far_slot = self.far_slot.min(slot);
        }
    }

    /// Takes the earliest event.
    #[inline]
    pub fn pop(&mut self, cells: &mut Cells) -> Option<(Ps, u32)> {
        loop {
            let next = self.now.pop();
            if next.is_some() {
                return next;
            }
            if !self.advance(cells) {
                return None;
            }
        }
    }

    // The next slot of the calendar that has something.
    fn occupied_slot(&self) -> Option<u64> {
        let mask = self.heads.len() - 1;
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

    // Goes to the next slot with an event; false when there is none.
    fn advance(&mut self, cells: &mut Cells) -> bool {
        if self.emptied >= LOOK {
            self.adapt(cells);
        }
        let next = self.occupied_slot().unwrap_or(u64::MAX).min(self.far_slot);
        if next == u64::MAX {
            return false;
        }
        self.current = next;
        let reach = next + self.heads.len() as u64;
        while self.far_slot < reach {
            if let Some(Reverse((at, _, id))) = self.far.pop() {
                self.push(cells, id, at);
            }
            self.far_slot = self.far.peek().map_or(u64::MAX, |Reverse((at, ..))| at >> self.shift);
        }
        let s = next as usize & (self.heads.len() - 1);
        self.occupied[s >> 6] &= !(1 << (s & 63));
        let mut id = std::mem::replace(&mut self.heads[s], NONE);
        // The list has the newest first, which is where it belongs among events of the same time.
        while id != NONE {
            let c = &cells[id];
            self.now.push((c.time, id));
            id = c.next;
        }
        self.emptied += 1;
        self.events += self.now.len() as u64;
        if self.now.len() > SHORT {
            self.now.sort_by_key(|e| Reverse(e.0));
        } else {
            for i in 1..self.now.len() {
                let e = self.now[i];
                let mut k = i;
                while k > 0 && self.now[k - 1].0 < e.0 {
                    self.now[k] = self.now[k - 1];
                    k -= 1;
                }
                self.now[k] = e;
            }
        }
        true
    }

    // Narrower slots when they are crowded; wider ones when much lies beyond them.
    fn adapt(&mut self, cells: &mut Cells) {
        let (slots, events) = (u64::from(self.emptied), self.events);
        let beyond = self.far_pushed * 4 > events;
        (self.emptied, self.events, self.far_pushed) = (0, 0, 0);
        if events > CROWDED * slots && self.shift > NARROWEST {
            self.rebuild(cells, self.shift - 1);
        } else if events < slots * CROWDED / 3 && beyond && self.shift < 24 {
            self.rebuild(cells, self.shift + 1);
        }
    }

    fn rebuild(&mut self, cells: &mut Cells, shift: u32) {
        let mut all = Vec::new();
        let slots = self.heads.len() as u64;
        for slot in self.current + 1..=self.current + slots {
            let mut id = std::mem::replace(&mut self.heads[slot as usize & (slots as usize - 1)], NONE);
            let first = all.len();
            while id != NONE {
                all.push((cells[id].time, id));
                id = cells[id].next;
            }
            all[first..].reverse();
        }
        let narrower = shift < self.shift;
        let length = if narrower { (self.heads.len() * 2).min(MOST_SLOTS) } else { self.heads.len() };
        self.heads = vec![NONE; length];
        self.occupied = vec![0; length / 64];
        // All that is left lies behind the current slot.
        self.current = if narrower { (((self.current + 1) << self.shift) >> shift) - 1 } else { (self.current << self.shift) >> shift };
        self.shift = shift;
        for (at, id) in all {
            self.push(cells, id, at);
        }
        self.far_slot = self.far.peek().map_or(u64::MAX, |Reverse((at, ..))| at >> self.shift);
    }
}

#[cfg(test)]
mod tests {
    use super::super::cell::Kind;
    use super::*;
    use rand::{Rng, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    /// Against a sorted list: densities from one event in many slots to hundreds in one, events far
    /// ahead, pushes into the present.
    #[test]
    fn events_come_in_the_order_of_time() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        for spread in [100u64, 10_000, 1_000_000, 1_000_000_000, 100_000_000_000] {
            let (mut calendar, mut cells) = (Calendar::default(), Cells::default());
            let mut reference = BinaryHeap::new();
            let (mut now, mut taken) = (0, 0);
            for step in 0..400_000u32 {
                if step < 1000 || rng.random_bool(0.5) {
                    let at = now + rng.random_range(0..spread) * u64::from(rng.random_bool(0.9));
                    let id = cells.take(Kind::Due, step);
                    calendar.push(&mut cells, id, at);
                    reference.push(Reverse(at));
                } else if let Some((at, id)) = calendar.pop(&mut cells) {
                    assert!(at >= now);
                    now = at;
                    taken += 1;
                    cells.give(id);
                    assert_eq!(reference.pop(), Some(Reverse(at)), "spread {spread}, event {taken}");
                }
            }
            while let Some((at, _)) = calendar.pop(&mut cells) {
                assert_eq!(reference.pop(), Some(Reverse(at)));
            }
            assert!(reference.is_empty());
        }
    }

    #[test]
    fn events_of_one_time_come_in_the_order_they_were_put_in() {
        let (mut calendar, mut cells) = (Calendar::default(), Cells::default());
        for flow in 0..100 {
            let id = cells.take(Kind::Due, flow);
            calendar.push(&mut cells, id, 50_000_000);
        }
        let order: Vec<u32> = std::iter::from_fn(|| calendar.pop(&mut cells).map(|(_, id)| cells[id].flow)).collect();
        assert_eq!(order, (0..100).collect::<Vec<_>>());
    }
}
