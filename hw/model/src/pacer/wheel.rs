//! The calendar of `timely_hw::pacer::wheel`: flows asleep, in lists of 8 ns slots.
use super::timemap::TimeMap;
use crate::Block;
use std::collections::VecDeque;

/// Width of a slot: `2^SLOT_SHIFT` ns.
pub const SLOT_SHIFT: u32 = 3;
/// A word of the bitmap holds `2^WORD_BITS` slots.
pub const WORD_BITS: u32 = 4;
/// Slots of a word.
const WORD: u32 = 1 << WORD_BITS;
/// The earliest slot that an insert may ask for, counted from the slot of `now`.
pub const GUARD: u32 = 4;
/// Clocks between an insert and the first moment at which the drain may meet it, whatever `now`
/// does.
pub const SETTLE: usize = 4;
/// Lists read ahead of the walkers.
pub const AHEAD: usize = 4;
/// Clocks from a time at which a flow is due to the first clock that could show it, and more:
/// `wake()` comes that much earlier.
const MARGIN: u64 = 40;
/// The last of the clocks that were skipped are made up for one by one, since a step of the time
/// soon after them asks exactly where the drain is. So many are enough: what stood before them has
/// left no trace by then.
const REPLAYED: u64 = 24;

/// A flow goes to sleep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Insert {
    /// The flow; it must not be in the wheel already.
    pub flow: u32,
    /// The slot at whose end the flow is due, modulo the wheel: at least `slot(now) + 4`, less than
    /// 15/16 of the wheel ahead.
    pub slot: u32,
}

/// Inputs of the wheel at a clock.
#[derive(Clone, Debug, Default)]
pub struct In {
    /// Synchronous reset.
    pub rst: bool,
    /// The time, ns48.fns16. It must be right at every clock that is stepped.
    pub now: u64,
    /// A flow goes to sleep. Always taken once swept, ignored before.
    pub insert: Option<Insert>,
    /// The due flow is taken.
    pub ready: bool,
}

/// Outputs of the wheel at a clock.
#[derive(Clone, Debug, PartialEq)]
pub struct Out {
    /// The bitmap is clear.
    pub swept: bool,
    /// A flow whose slot is over.
    pub due: Option<u32>,
}

/// A pointer to a flow, and whether its link leads on.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Node {
    flow: u32,
    more: bool,
}

/// An insert on its way; which fields mean something depends on the stage.
#[derive(Clone, Copy, Debug, Default)]
struct Stage {
    flow: u32,
    /// Ahead of the wheel's time.
    rel: u32,
    slot: u32,
    /// Where it goes if what it asks for is over.
    soon: u32,
    /// The insert would run into the words that the drain has not reached.
    wraps: bool,
    occupied: bool,
}

#[derive(Clone, Copy, Debug, Default)]
struct Walker {
    /// The flow to give out.
    shows: Option<Node>,
    /// Being read from the link RAM.
    comes: Option<Node>,
}

/// A calendar of `2^slot_bits` slots of 8 ns for `2^flow_bits` flows.
#[derive(Clone, Debug)]
pub struct Wheel {
    flow_bits: u32,
    slot_bits: u32,
    map: Option<TimeMap>,
    /// The clock that the next step is expected at, and the last `now`.
    expected: u64,
    seen: u64,
    bitmap: Vec<u64>,
    /// A bit a word of the bitmap, to find the next list without a scan.
    summary: Vec<u64>,
    head: Vec<Node>,
    link: Vec<Node>,
    sweep: u32,
    swept: bool,
    /// The slot of `now`, that small steps back do not move, and what it was 1 to `SETTLE` clocks
    /// ago.
    time: u32,
    past: [u32; SETTLE],
    /// The word under the drain; clocks since it came there, up to 4; slots of it and beyond that
    /// are over.
    word: u32,
    age: u32,
    over: u32,
    /// Slots between the drain's word and the wheel's time, for the insert in the first stage.
    lag: u32,
    inserts: [Option<Stage>; 6],
    /// Slots found, before and at the read of their heads.
    found: Option<u32>,
    reading: Option<u32>,
    arriving: Option<Node>,
    lists: VecDeque<Node>,
    walkers: [Walker; 2],
    turn: usize,
    held: Option<usize>,
}

impl Wheel {
    /// An empty wheel, before RAM init. The contract's size is
    /// `slot_bits = max(flow_bits + 1, 13)`; the least that works is 10.
    pub fn new(flow_bits: u32, slot_bits: u32) -> Self {
        assert!(slot_bits >= 10 && slot_bits > flow_bits, "a wheel has at least 1024 slots and two slots a flow");
        let words = 1 << (slot_bits - WORD_BITS);
        Wheel {
            flow_bits,
            slot_bits,
            map: None,
            expected: 0,
            seen: 0,
            bitmap: vec![0; words],
            summary: vec![0; words.div_ceil(64)],
            head: vec![Node::default(); 1 << slot_bits],
            link: vec![Node::default(); 1 << flow_bits],
            sweep: 0,
            swept: false,
            time: 0,
            past: [0; SETTLE],
            word: 0,
            age: 0,
            over: 0,
            lag: 0,
            inserts: [None; 6],
            found: None,
            reading: None,
            arriving: None,
            lists: VecDeque::new(),
            walkers: [Walker::default(); 2],
            turn: 0,
            held: None,
        }
    }

    /// Tells how `now` runs from here on. Without it `wake()` asks for every clock while a flow
    /// sleeps.
    pub fn set_time(&mut self, map: TimeMap) {
        self.map = Some(map);
    }

    /// The time (ns48.fns16) at which the next sleeping flow is due; `None` when no list is left in
    /// the bitmap.
    pub fn next_due(&self) -> Option<u64> {
        let base = self.word << WORD_BITS;
        let slot = self.next_list()?;
        let now = self.seen >> (16 + SLOT_SHIFT);
        // `time` stands for `now`; the base lies behind it and the list at or after the base.
        let behind = u64::from(self.ring(self.time.wrapping_sub(base)));
        let ahead = u64::from(self.ring(slot.wrapping_sub(base)));
        Some(now.wrapping_add(ahead).wrapping_sub(behind).wrapping_add(1) << (16 + SLOT_SHIFT))
    }

    fn ring(&self, slot: u32) -> u32 {
        slot & ((1 << self.slot_bits) - 1)
    }

    fn slot_of(&self, now: u64) -> u32 {
        self.ring((now >> (16 + SLOT_SHIFT)) as u32)
    }

    /// The first list at or after the drain's word.
    fn next_list(&self) -> Option<u32> {
        let words = self.bitmap.len() as u32;
        let groups = self.summary.len() as u32;
        for k in 0..=groups {
            let g = (self.word / 64 + k) % groups;
            let mut bits = self.summary[g as usize];
            if k == 0 {
                bits &= u64::MAX << (self.word % 64);
            }
            if bits != 0 {
                let word = (g * 64 + bits.trailing_zeros()) % words;
                return Some(word << WORD_BITS | self.bitmap[word as usize].trailing_zeros());
            }
        }
        None
    }

    fn mark(&mut self, slot: u32, full: bool) {
        let (word, bit) = ((slot >> WORD_BITS) as usize, 1u64 << (slot & (WORD - 1)));
        if full {
            self.bitmap[word] |= bit;
        } else {
            self.bitmap[word] &= !bit;
        }
        let group = 1u64 << (word % 64);
        if self.bitmap[word] != 0 {
            self.summary[word / 64] |= group;
        } else {
            self.summary[word / 64] &= !group;
        }
    }

    /// Nothing moves, and nothing but time will make it move.
    fn still(&self) -> bool {
        self.swept
            && self.age == 4
            && self.inserts.iter().all(Option::is_none)
            && self.found.is_none()
            && self.reading.is_none()
            && self.arriving.is_none()
            && self.lists.is_empty()
            && self.walkers.iter().all(|w| w.shows.is_none() && w.comes.is_none())
            && self.held.is_none()
            && self.time == self.slot_of(self.seen)
            && self.ring(self.time.wrapping_sub(self.word << WORD_BITS)) < WORD
    }

    /// The state after skipped clocks, which moved nothing but the time. `before` gives the time so
    /// many clocks ago.
    fn catch_up(&mut self, skipped: u64, before: impl Fn(u64) -> u64) {
        if skipped > REPLAYED {
            self.time = self.slot_of(before(REPLAYED + 1));
            self.past = [self.time; SETTLE];
            self.word = self.time >> WORD_BITS;
            self.over = self.time & (WORD - 1);
            self.lag = self.over;
        }
        for clocks in (1..=skipped.min(REPLAYED)).rev() {
            let base = self.word << WORD_BITS;
            let lag = self.ring(self.time.wrapping_sub(base));
            self.drain(0);
            self.lag = lag;
            self.track(before(clocks), base);
        }
    }

    fn shown(&self) -> usize {
        self.held.unwrap_or(if self.walkers[self.turn].shows.is_some() { self.turn } else { 1 - self.turn })
    }

    /// Moves the time to the slot of `now`, if that is ahead of it and within 15/16 of the wheel
    /// from the drain. What is behind is taken for a step back; and were the time to lap the drain,
    /// slots would seem over that inserts are still on their way to.
    fn track(&mut self, now: u64, base: u32) {
        self.past.rotate_right(1);
        self.past[0] = self.time;
        let slot = self.slot_of(now);
        let settling = !self.swept && self.sweep < self.bitmap.len() as u32 / 2;
        let (lag, next) = (self.ring(self.time.wrapping_sub(base)), self.ring(slot.wrapping_sub(base)));
        if settling || (next >= lag && next < 15 << (self.slot_bits - 4)) {
            self.time = slot;
        }
    }

    /// Slots from `base` on that are over: up to the time, but never past an insert that may still
    /// be on its way.
    fn limit(&self, base: u32) -> u32 {
        let safe = self.past[SETTLE - 1] + GUARD;
        let limit = if self.ring(safe.wrapping_sub(self.time)) <= GUARD { self.time } else { safe };
        self.ring(limit.wrapping_sub(base))
    }

    /// The walkers: give out what is shown, follow links, take the next lists.
    fn walk(&mut self, ready: bool) {
        let shown = self.shown();
        let node = self.walkers[shown].shows;
        self.held = node.filter(|_| !ready).map(|_| shown);
        for w in &mut self.walkers {
            if let Some(node) = w.comes.take() {
                w.shows = Some(node);
            }
        }
        if let Some(node) = node.filter(|_| ready) {
            self.turn = 1 - shown;
            self.walkers[shown] = Walker { shows: None, comes: node.more.then(|| self.link[node.flow as usize]) };
        }
        if let Some(free) = self.walkers.iter().position(|w| w.shows.is_none() && w.comes.is_none())
            && let Some(list) = self.lists.pop_front()
        {
            self.walkers[free].shows = Some(list);
        }
    }

    /// The drain: the lowest list that is over, the read of its head, the next word.
    fn drain(&mut self, reserved: usize) {
        let base = self.word << WORD_BITS;
        let port_free = !self.inserts[5].is_some_and(|i| i.occupied);
        let read = self.reading.is_some() && port_free && reserved < AHEAD;
        let moves = self.reading.is_none() || read;
        let lists = self.bitmap[self.word as usize];
        let over = if self.over >= WORD { lists } else { lists & !(u64::MAX << self.over) };
        let advance = self.swept && self.age == 4 && self.over >= WORD && lists == 0 && self.found.is_none() && self.reading.is_none();
        if let Some(node) = self.arriving.take() {
            self.lists.push_back(node);
        }
        if read {
            self.arriving = self.reading.take().map(|slot| self.head[slot as usize]);
        }
        if moves {
            self.reading = self.found.take();
        }
        if self.swept && self.age != 0 && over != 0 && self.found.is_none() {
            let slot = base | over.trailing_zeros();
            self.mark(slot, false);
            self.found = Some(slot);
        }
        self.over = self.limit(base);
        self.age = (self.age + 1).min(4);
        if advance {
            self.word = self.ring(base + WORD) >> WORD_BITS;
            self.age = 0;
        }
    }

    /// The insert pipeline, oldest first; `base` and `lag` are those of this clock.
    fn place(&mut self, input: &In, base: u32, lag: u32) {
        let ring = |s: u32| s & ((1 << self.slot_bits) - 1);
        let slots = 1 << self.slot_bits;
        let mut next = [None; 6];
        // Written: the old head becomes the link.
        if let Some(i) = self.inserts[5] {
            if i.occupied {
                self.link[i.flow as usize] = self.head[i.slot as usize];
            }
            self.head[i.slot as usize] = Node { flow: i.flow, more: i.occupied };
        }
        next[3] = self.inserts[2];
        next[4] = self.inserts[3];
        next[1] = self.inserts[0].map(|i| {
            let bad = i.rel < GUARD || i.rel >= 15 << (self.slot_bits - 4);
            Stage { slot: if bad { i.soon } else { i.slot }, wraps: !bad && i.rel + self.lag + 1 >= slots, ..i }
        });
        next[2] = self.inserts[1].map(|i| Stage { slot: if i.wraps { ring(base.wrapping_sub(1)) } else { i.slot }, ..i });
        next[0] = input.insert.filter(|_| self.swept).map(|i| {
            // Half the flows go a slot later, so that two walkers share what one instant wakes.
            let odd = i.flow.count_ones() & 1;
            Stage {
                flow: i.flow,
                rel: ring(i.slot.wrapping_sub(self.time)),
                slot: ring(i.slot + odd),
                soon: ring(self.time + GUARD + odd),
                ..Stage::default()
            }
        });
        next[5] = self.inserts[4].map(|i| {
            let occupied = self.bitmap[(i.slot >> WORD_BITS) as usize] >> (i.slot & (WORD - 1)) & 1 == 1;
            Stage { occupied, ..i }
        });
        if let Some(i) = next[5] {
            self.mark(i.slot, true);
        }
        self.inserts = next;
        self.lag = lag;
    }
}

impl Block for Wheel {
    type In = In;
    type Out = Out;

    fn output(&self, _clk: u64) -> Out {
        Out { swept: self.swept, due: self.walkers[self.shown()].shows.map(|n| n.flow) }
    }

    fn step(&mut self, clk: u64, input: &In) {
        if clk > self.expected && self.still() {
            // The time ran on the line that was told; without one nothing was asleep, and it is
            // taken to have been what it is.
            let (step, now) = (self.map.map_or(0, |m| m.step), input.now);
            let before = |clocks| now.wrapping_sub(((u128::from(clocks) * u128::from(step)) >> 8) as u64);
            self.catch_up(clk - self.expected, before);
        }
        self.expected = clk + 1;
        self.seen = input.now;
        if input.rst {
            let map = self.map;
            *self = Wheel { map, expected: clk + 1, seen: input.now, ..Wheel::new(self.flow_bits, self.slot_bits) };
            return;
        }
        let base = self.word << WORD_BITS;
        let lag = self.ring(self.time.wrapping_sub(base));
        let reserved = self.lists.len() + usize::from(self.arriving.is_some());
        self.walk(input.ready);
        self.drain(reserved);
        self.place(input, base, lag);
        let (first, last) = (self.past[SETTLE - 1], self.bitmap.len() as u32 - 1);
        self.track(input.now, base);
        if !self.swept {
            self.word = first >> WORD_BITS;
            self.age = 0;
            self.swept = self.sweep == last;
            self.sweep += 1;
        }
    }

    fn wake(&self, clk: u64) -> u64 {
        // A line begins with a step of the time, perhaps.
        if !self.still() || self.map.is_some_and(|m| self.expected <= m.clk0 && clk <= m.clk0) {
            return clk;
        }
        match (self.next_due(), self.map) {
            (None, _) => u64::MAX,
            (Some(_), None) => clk,
            (Some(time), Some(map)) => map.first_clock(time).saturating_sub(MARGIN).max(clk),
        }
    }
}
