//! The launch gate of `timely_hw::pacer::gate`: trains become grants, and each grant waits for its
//! launch.
use super::timemap::TimeMap;
use crate::{Block, fifo};

/// Grants that may be in flight: in trains accepted, in the gate, and at its output.
pub const IN_FLIGHT: usize = 64;
/// Places where grants stand in the order of their launches.
pub const PLACES: usize = 30;
/// Fraction bits of a launch in the gate, ns: what a launch has beyond is rounded up.
pub const FRACTION: u32 = 8;
/// Before it enters, a launch is compared with now in 128 ns: this many bits of a unit are left out
/// of both.
pub const COARSE: u32 = 15;
/// A launch may lie less than this far ahead (0.9 to 1 us), in 128 ns; a train that launches later
/// waits in the expander.
pub const HORIZON: u64 = 8;
/// A launch farther ahead than this (131 us), in 128 ns, was computed before a step of the clock:
/// it goes at once.
pub const ABSURD: u64 = 1 << 10;
/// A packet that enters and is due for longer (256 to 384 ns) counts as due since this before now,
/// in whole 128 ns: so a flow's packets stay in their order.
pub const PAST: u64 = 2;
/// While the head is due for longer (512 ns), none enters.
pub const LATE: u64 = 1 << 17;
/// A head due for longer (4.1 us): so are all behind it, and their times need not compare any more.
const STALE: u64 = 1 << 20;
/// Bits that a launch is compared with now by, when it has entered (16.4 us).
const LOW_BITS: u32 = 22;
/// Launches in their places are compared with each other in 2 ns: so many bits of a ns are left
/// out.
const GRAIN: u32 = 1;
/// Bits that they are compared by (4.1 us).
const KEY: u64 = (1 << 11) - 1;
/// Bits that a launch is compared with now by, before it enters (67 ms): the pass may grant what
/// was due 8.4 ms ago, and a train may stand in the queue for as long as the output.
const AHEAD: u64 = (1 << 34) - 1;
/// A time moves forward by less than this (128 ns) between two clocks, or has been stepped.
pub const STEP: u64 = 1 << 15;
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
    /// Grants that may still be accepted; the pass must subtract a train offered and not yet
    /// counted.
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
    /// The launch as it compares, modulo 2^22 units.
    low: u64,
    grant: Grant,
}

impl Place {
    /// The grant leaves after `other`, if that entered before it.
    fn follows(&self, other: &Place) -> bool {
        (self.low >> (FRACTION + GRAIN)).wrapping_sub(other.low >> (FRACTION + GRAIN)) & KEY <= KEY / 2
    }

    /// How long it is due, units; none if it is not.
    fn late(&self, now: u64) -> Option<u64> {
        let late = now.wrapping_sub(self.low) & ((1 << LOW_BITS) - 1);
        Some(late).filter(|late| late >> (LOW_BITS - 1) == 0)
    }
}

/// An expander, and 30 places kept in the order of their launches.
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
    /// The head was late at the last clock.
    late: bool,
    /// All in their places are due.
    all_due: bool,
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
            trains: fifo::Fifo::new(9),
            queued: 0,
            expanding: None,
            entering: None,
            places: Vec::with_capacity(PLACES),
            head_due: false,
            stepped: false,
            late: false,
            all_due: false,
            shown: [None; 2],
            in_flight: 0,
        }
    }

    /// Tells how `now` runs from here on. Without it `wake()` asks for every clock while a grant
    /// waits.
    pub fn set_time(&mut self, map: TimeMap) {
        self.map = Some(map);
    }

    /// Nothing but time will move it; `None` if a step will, or an input may already.
    fn quiet(&self) -> bool {
        let marked = self.head_due || self.stepped || self.late || self.all_due;
        self.trains.is_empty() && self.entering.is_none() && !marked && self.shown == [None; 2]
    }

    /// The time (ns48.fns16) from which the next grant is due or the next packet can enter; `None`
    /// when none waits.
    pub fn next_due(&self) -> Option<u64> {
        let head = self.places.first().map(|p| match p.late(self.seen) {
            None => p.low.wrapping_sub(self.seen) & ((1 << LOW_BITS) - 1),
            Some(_) => 0,
        });
        let train = self.expanding.filter(|_| self.places.len() < PLACES).map(|t| match class(t.launch, self.seen) {
            Class::Waits => ((t.launch >> COARSE).wrapping_sub(HORIZON - 1) << COARSE).wrapping_sub(self.seen) & AHEAD,
            _ => 0,
        });
        let least = match (head, train) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        };
        least.map(|ahead| self.seen.wrapping_add(ahead) << FRACTION)
    }

    /// A train in, a packet out of it towards the places, judged by how far ahead it was at the
    /// clock `before`.
    fn expand(&mut self, before: u64, offered: Option<Train>) {
        let accepted = offered.filter(|t| self.trains.output(0).ready && t.packets != 0).map(|t| Waiting {
            flow: t.flow,
            left: t.packets,
            launch: ((t.launch >> FRACTION) + u64::from(t.launch & ((1 << FRACTION) - 1) != 0)) & TIME,
            gap: t.gap.into(),
        });
        let full = self.places.len() + usize::from(self.entering.is_some()) >= PLACES;
        let shut = full || self.late || self.all_due || self.stepped;
        self.entering = None;
        if let Some(t) = self.expanding
            && !shut
            && class(t.launch, before) != Class::Waits
        {
            let launch = if class(t.launch, before) == Class::Enters { t.launch } else { (before >> COARSE).wrapping_sub(PAST) << COARSE };
            let grant = Grant { flow: t.flow, launch: t.launch << FRACTION };
            self.entering = Some(Place { low: launch & ((1 << LOW_BITS) - 1), grant });
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

    /// The places: the head out if it is due and there is room, the entering grant in behind its
    /// equals.
    fn sort(&mut self, now: u64, pop: bool, entering: Option<Place>) {
        let due = |p: &Place| p.late(now).is_some();
        let late = self.places.first().and_then(|p| p.late(now)).unwrap_or(0);
        let all_due = self.all_due;
        self.late = late >= LATE;
        self.all_due = self.stepped || late >= STALE || (all_due && (entering.is_some() || !self.places.is_empty()));
        let position = entering.map(|x| {
            let position = self.places.iter().take_while(|p| x.follows(p)).count();
            debug_assert!(!self.places[position..].iter().any(|p| x.follows(p)), "the places are out of order");
            position
        });
        self.head_due = self.places.get(usize::from(pop)).is_some_and(|p| all_due || due(p));
        if let (Some(x), Some(position)) = (entering, position) {
            self.places.insert(position, x);
            if position <= usize::from(pop) {
                self.head_due = due(&x);
            }
        }
        if pop {
            // The head leaves even if the entering grant went before it.
            self.places.remove(usize::from(position == Some(0)));
        }
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Class {
    Enters,
    Waits,
    Now,
}

fn class(launch: u64, now: u64) -> Class {
    let ahead = (launch >> COARSE).wrapping_sub(now >> COARSE) & (AHEAD >> COARSE);
    if !(HORIZON..=(AHEAD >> COARSE) - PAST).contains(&ahead) {
        Class::Enters
    } else if ahead < ABSURD {
        Class::Waits
    } else {
        Class::Now
    }
}

impl Block for Gate {
    type In = In;
    type Out = Out;

    fn output(&self, clk: u64) -> Out {
        Out { train_ready: self.trains.output(clk).ready, grant: self.shown[0], credit: (IN_FLIGHT as u32).saturating_sub(self.in_flight) }
    }

    fn step(&mut self, clk: u64, input: &In) {
        let now = input.now >> FRACTION;
        // After skipped clocks too: a train that waits was last looked at then, and waited.
        let before = self.seen;
        if clk != self.expected {
            // Skipped clocks had no step of the time among them.
            self.seen = now;
        }
        let moved = now.wrapping_sub(self.seen) & AHEAD;
        self.expected = clk + 1;
        self.seen = now;
        if input.rst {
            *self = Gate { map: self.map, expected: self.expected, seen: now, ..Gate::new() };
            return;
        }
        let pop = self.head_due && self.shown[1].is_none();
        let grant = pop.then(|| self.places[0].grant);
        let entering = self.entering;
        self.expand(before, input.train);
        self.sort(now, pop, entering);
        self.stepped = moved >= STEP;
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
