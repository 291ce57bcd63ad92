//! The launch gate of `timely_hw::launch`: frames that come early leave at their launch.
use crate::stream::Beat;
use crate::{Block, fifo};

/// Address bits of the queue of beats.
pub const QUEUE: u32 = 4;
/// Fraction bits of a launch, ns: what it has beyond is cut.
pub const FRACTION: u32 = 8;
/// A launch that is farther ahead, in 2^-8 ns, is wrong: 65.5 us, more than the lead of any grant.
pub const FARTHEST: i64 = 1 << 24;
/// A frame that leaves by this much or more after its launch, in 2^-8 ns, has missed it: 1,024 ns,
/// most of a frame of 1,500 bytes at 10 Gb/s.
pub const LATE: i64 = 1 << 18;
/// Clocks from the first that sees a frame's launch to its first beat, if the frame was there
/// [`EARLY`] clocks before.
pub const LATENCY: u64 = 1;
/// Clocks from a frame's first beat to the first at which it can see its launch.
pub const EARLY: u64 = 3;

/// A beat, its frame's tag and launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timed {
    /// The beat.
    pub beat: Beat,
    /// Tag of its frame.
    pub tag: u16,
    /// Launch of its frame, ns48.fns16, if it has one; that of the first beat counts.
    pub launch: Option<u64>,
}

/// Inputs at a clock.
#[derive(Clone, Debug, Default)]
pub struct In {
    /// Synchronous reset.
    pub rst: bool,
    /// A beat offered.
    pub beat: Option<Timed>,
    /// The steady time, ns48.fns16.
    pub now: u64,
    /// Downstream takes the beat.
    pub ready: bool,
}

/// Outputs at a clock.
#[derive(Clone, Debug, PartialEq)]
pub struct Out {
    /// An offered beat is taken.
    pub ready: bool,
    /// The beat and its frame's tag.
    pub beat: Option<(Beat, u16)>,
    /// No beat is inside.
    pub empty: bool,
    /// A frame left long after its launch, or before it.
    pub missed: bool,
}

/// The gate.
#[derive(Clone, Debug)]
pub struct Launch {
    queue: fifo::Fifo<Timed>,
    /// Beats in the queue.
    queued: u32,
    head: Option<Timed>,
    /// The head may leave.
    open: bool,
    missed: bool,
    /// The head is not its frame's last, or the last one that left was not.
    inside: bool,
}

impl Default for Launch {
    fn default() -> Self {
        Launch::new()
    }
}

impl Launch {
    /// An empty gate.
    pub fn new() -> Self {
        Launch { queue: fifo::Fifo::new(QUEUE), queued: 0, head: None, open: false, missed: false, inside: false }
    }

    /// A beat stands at the output: nothing moves until it is taken, or another is offered and
    /// taken.
    pub fn stands(&self) -> bool {
        self.head.is_some() && self.open && self.queue.is_settled() && !self.missed
    }
}

/// How long the launch is past, 2^-8 ns; times are compared modulo 2^56 units, half of them being
/// the past.
fn since(launch: u64, now: u64) -> i64 {
    ((now >> FRACTION).wrapping_sub(launch >> FRACTION) << FRACTION) as i64 >> FRACTION
}

/// The frame waits for its launch.
fn waits(frame: &Timed, now: u64) -> bool {
    frame.launch.is_some_and(|l| (-FARTHEST..0).contains(&since(l, now)))
}

impl Block for Launch {
    type In = In;
    type Out = Out;

    fn output(&self, clk: u64) -> Out {
        let beat = self.head.filter(|_| self.open).map(|t| (t.beat, t.tag));
        Out { ready: self.queue.output(clk).ready, beat, empty: self.queued == 0 && self.head.is_none(), missed: self.missed }
    }

    fn step(&mut self, clk: u64, i: &In) {
        if i.rst {
            *self = Launch::new();
            return;
        }
        let queue = self.queue.output(clk);
        let free = self.head.is_none() || (self.open && i.ready);
        let pushed = i.beat.filter(|_| queue.ready);
        self.queue.step(clk, &fifo::In { rst: false, push: pushed, ready: free });
        self.missed = false;
        if free {
            self.head = queue.head;
            let first = queue.head.filter(|_| !self.inside);
            self.open = first.is_none_or(|t| !waits(&t, i.now));
            self.missed = first.and_then(|t| t.launch).is_some_and(|l| !(-FARTHEST..LATE).contains(&since(l, i.now)));
            if let Some(t) = queue.head {
                self.inside = !t.beat.last;
            }
        } else if !self.open {
            self.open = self.head.is_some_and(|t| !waits(&t, i.now));
        }
        self.queued = self.queued + u32::from(pushed.is_some()) - u32::from(free && queue.head.is_some());
    }

    fn wake(&self, clk: u64) -> u64 {
        if self.queued == 0 && self.head.is_none() && !self.missed { u64::MAX } else { clk }
    }
}
