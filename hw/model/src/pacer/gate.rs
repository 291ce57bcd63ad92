//! The launch gate of `timely_hw::pacer::gate`: trains become grants, and each grant waits for its launch.
use super::timemap::TimeMap;
use crate::{Block, fifo};

/// Grants that may be in flight: in trains accepted, in the gate, and at its output.
pub const PLACES: usize = 64;
/// Fraction bits of a launch in the gate, ns: what a launch has beyond is rounded up.
pub const FRACTION: u32 = 8;
/// A launch may lie this far ahead (131 us), in units of the gate; a train that launches later waits in the expander.
pub const HORIZON: u64 = 1 << 25;
/// A launch farther ahead than this (1 ms) was computed before a step of the clock: it goes at once.
pub const ABSURD: u64 = 1 << 28;
/// Bits of a launch that a place keeps (4.2 ms).
const KEY_BITS: u32 = 30;
const KEY: u64 = (1 << KEY_BITS) - 1;
/// A time moves by less than this (0.5 ms) between two clocks, or has been stepped.
const STEP: u64 = 1 << 27;
const TIME: u64 = (1 << (64 - FRACTION)) - 1;

/// Packets of one flow, evenly spaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Train {
    /// The flow.
    pub flow: u32,
    /// How many, 1 to 32.
    pub packets: u32,
    /// When the first is due, ns48.fns16.
    pub launch: u64,
    /// From one to the next, Q24.8 ns.
    pub gap: u32,
}

/// A grant at the output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grant {
    /// The flow that may send a packet.
    pub flow: u32,
    /// When it was due, ns48.fns16, rounded up to 2^-8 ns.
    pub launch: u64,
}

/// Inputs of the gate at a clock.
#[derive(Clone, Debug, Default)]
pub struct In {
    /// Synchronous reset.
    pub rst: bool,
    /// The time, ns48.fns16. It must be right at every clock that is stepped.
    pub now: u64,
    /// A train offered.
    pub train: Option<Train>,
    /// The grant is taken.
    pub ready: bool,
}

/// Outputs of the gate at a clock.
#[derive(Clone, Debug, PartialEq)]
pub struct Out {
    /// An offered train is taken.
    pub train_ready: bool,
    /// A grant whose launch is here.
    pub grant: Option<Grant>,
    /// Grants that may still be accepted; a train offered and not yet counted must be subtracted by who offers.
    pub credit: u32,
}

/// A train in units of the gate.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Waiting {
    flow: u32,
    left: u32,
    launch: u64,
    gap: u64,
}

/// A grant in its place.
#[derive(Clone, Copy, Debug)]
struct Place {
    key: u64,
    flow: u32,
    /// Long past, so that its key compares no more: it stands before whatever comes.
    old: bool,
    /// Its launch was here at the last clock.
    due: bool,
}

/// An expander, and 64 places kept in the order of their launches.
#[derive(Clone, Debug)]
pub struct Gate {
    map: Option<TimeMap>,
    expected: u64,
    /// Last `now`, in units of the gate.
    seen: u64,
    trains: fifo::Fifo<Waiting>,
    queued: u32,
    expanding: Option<Waiting>,
    entering: Option<Place>,
    places: Vec<Place>,
    head_due: bool,
    stepped: bool,
    shown: [Option<Grant>; 2],
    in_flight: u32,
}

impl Default for Gate {
    fn default() -> Self {
        Gate::new()
    }
}

impl Gate {
    /// An empty gate.
    pub fn new() -> Self {
        Gate {
            map: None,
            expected: 0,
            seen: 0,
            trains: fifo::Fifo::new(6),
            queued: 0,
            expanding: None,
            entering: None,
            places: Vec::with_capacity(PLACES),
            head_due: false,
            stepped: false,
            shown: [None; 2],
            in_flight: 0,
        }
    }

    /// Tells how `now` runs from here on. Without it `wake()` asks for every clock while a grant waits.
    pub fn set_time(&mut self, map: TimeMap) {
        self.map = Some(map);
    }

    /// Nothing but time will move it; `None` if a step will, or an input may already.
    fn quiet(&self) -> bool {
        self.trains.is_empty() && self.entering.is_none() && !self.head_due && !self.stepped && self.shown == [None; 2]
    }

    /// The time (ns48.fns16) from which the next grant is due or the next packet can enter; `None` when none waits.
    pub fn next_due(&self) -> Option<u64> {
        let ahead = |launch: u64| launch.wrapping_sub(self.seen) << FRACTION;
        let head = self.places.first().map(|p| {
            let ahead = p.key.wrapping_sub(self.seen) & KEY;
            if p.old || ahead >= KEY / 2 { 0 } else { ahead << FRACTION }
        });
        let train = self.expanding.map(|t| match self.class(t.launch, self.seen) {
            Class::Waits => ahead(t.launch.wrapping_sub(HORIZON - 1)),
            _ => 0,
        });
        let least = match (head, train) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        };
        least.map(|ahead| (self.seen << FRACTION).wrapping_add(ahead))
    }

    fn class(&self, launch: u64, now: u64) -> Class {
        let ahead = launch.wrapping_sub(now) & TIME;
        if !(HORIZON..=TIME - HORIZON).contains(&ahead) {
            Class::Enters
        } else if ahead < ABSURD {
            Class::Waits
        } else {
            Class::Now
        }
    }

    /// A train in, a packet out of it towards the places, judged by how far ahead it was at the clock `before`.
    fn expand(&mut self, before: u64, now: u64, offered: Option<Train>) {
        let accepted = offered.filter(|t| self.trains.output(0).ready && t.packets != 0).map(|t| Waiting {
            flow: t.flow,
            left: t.packets,
            launch: ((t.launch >> FRACTION) + u64::from(t.launch & ((1 << FRACTION) - 1) != 0)) & TIME,
            gap: t.gap.into(),
        });
        let full = self.places.len() + usize::from(self.entering.is_some()) >= PLACES;
        self.entering = None;
        if let Some(t) = self.expanding
            && !full
            && self.class(t.launch, before) != Class::Waits
        {
            let key = if self.class(t.launch, before) == Class::Enters { t.launch } else { now.wrapping_sub(HORIZON) };
            self.entering = Some(Place { key: key & KEY, flow: t.flow, old: false, due: false });
            self.expanding = (t.left > 1).then(|| Waiting { left: t.left - 1, launch: t.launch.wrapping_add(t.gap) & TIME, ..t });
        }
        let free = self.expanding.is_none();
        let head = self.trains.output(0).head;
        let direct = free && self.queued == 0;
        let push = accepted.filter(|_| !direct);
        if free {
            self.expanding = if direct { accepted } else { head };
        }
        self.queued = self.queued + u32::from(push.is_some()) - u32::from(free && head.is_some());
        self.trains.step(0, &fifo::In { rst: false, push, ready: free });
        self.in_flight += accepted.map_or(0, |t| t.left);
    }

    /// The places: the head out if it is due and there is room, the entering grant in behind its equals.
    fn sort(&mut self, now: u64, pop: bool, entering: Option<Place>) {
        let stepped = self.stepped;
        let at_or_before = |a: u64, b: u64| b.wrapping_sub(a) & KEY <= KEY / 2;
        let position = entering.map(|x| {
            let before = |p: &Place| p.old || stepped || at_or_before(p.key, x.key);
            let position = self.places.iter().take_while(|p| before(p)).count();
            debug_assert!(!self.places[position..].iter().any(before), "the places are out of order");
            position
        });
        for p in &mut self.places {
            let units = ((now & KEY) >> (KEY_BITS - 3)).wrapping_sub(p.key >> (KEY_BITS - 3)) & 7;
            p.due = p.old || stepped || at_or_before(p.key, now);
            p.old |= stepped || (2..6).contains(&units);
        }
        if let (Some(x), Some(position)) = (entering, position) {
            self.places.insert(position, Place { due: at_or_before(x.key, now), ..x });
        }
        if pop {
            // The head leaves even if the entering grant went before it.
            self.places.remove(usize::from(position == Some(0)));
        }
        self.head_due = self.places.first().is_some_and(|p| p.due);
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Class {
    Enters,
    Waits,
    Now,
}

impl Block for Gate {
    type In = In;
    type Out = Out;

    fn output(&self, clk: u64) -> Out {
        Out { train_ready: self.trains.output(clk).ready, grant: self.shown[0], credit: (PLACES as u32).saturating_sub(self.in_flight) }
    }

    fn step(&mut self, clk: u64, input: &In) {
        let now = input.now >> FRACTION;
        // After skipped clocks too: a train that waits was last looked at then, and waited.
        let before = self.seen;
        if clk != self.expected {
            // Skipped clocks had no step of the time among them.
            self.seen = now;
        }
        let moved = now.wrapping_sub(self.seen) & TIME;
        self.expected = clk + 1;
        self.seen = now;
        if input.rst {
            *self = Gate { map: self.map, expected: self.expected, seen: now, ..Gate::new() };
            return;
        }
        let pop = self.head_due && self.shown[1].is_none();
        let grant = pop.then(|| {
            let place = self.places[0];
            let launch = now.wrapping_sub(now.wrapping_sub(place.key) & KEY) & TIME;
            Grant { flow: place.flow, launch: launch << FRACTION }
        });
        let entering = self.entering;
        self.expand(before, now, input.train);
        self.sort(now, pop, entering);
        self.stepped = (STEP..=TIME - HORIZON).contains(&moved);
        if self.shown[0].is_some() && input.ready {
            self.shown = [self.shown[1], None];
            self.in_flight -= 1;
        }
        match self.shown {
            [None, _] => self.shown[0] = grant,
            [Some(_), None] => self.shown[1] = grant,
            _ => {}
        }
    }

    fn wake(&self, clk: u64) -> u64 {
        if !self.quiet() {
            return clk;
        }
        match (self.next_due(), self.map) {
            (None, _) => u64::MAX,
            (Some(_), None) => clk,
            (Some(time), Some(map)) => map.first_clock(time).max(clk),
        }
    }
}
