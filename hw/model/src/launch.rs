//! The launch gate of `timely_hw::launch`: frames that come early leave at their launch.
use crate::stream::Beat;
use crate::{Block, fifo};

/// Address bits of the queue of beats.
pub const QUEUE: u32 = 4;
/// Fraction bits of a launch, ns: what it has beyond is cut.
pub const FRACTION: u32 = 8;
/// Clocks from the first that sees a frame's launch to its first beat, if the frame was there [`EARLY`] clocks before.
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
    /// Launch of its frame, ns48.fns16; that of the first beat counts.
    pub launch: u64,
}

/// Inputs at a clock.
#[derive(Clone, Debug, Default)]
pub struct In {
    /// Synchronous reset.
    pub rst: bool,
    /// A beat offered.
    pub beat: Option<Timed>,
    /// The time, ns48.fns16.
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
        Launch { queue: fifo::Fifo::new(QUEUE), queued: 0, head: None, open: false, inside: false }
    }
}

/// The launch is here; times are compared modulo 2^56 units, half of them being the past.
fn is_here(launch: u64, now: u64) -> bool {
    ((now >> FRACTION).wrapping_sub(launch >> FRACTION) << FRACTION) >> 63 == 0
}

impl Block for Launch {
    type In = In;
    type Out = Out;

    fn output(&self, clk: u64) -> Out {
        let beat = self.head.filter(|_| self.open).map(|t| (t.beat, t.tag));
        Out { ready: self.queue.output(clk).ready, beat, empty: self.queued == 0 && self.head.is_none() }
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
        if free {
            self.head = queue.head;
            self.open = self.inside || queue.head.is_some_and(|t| is_here(t.launch, i.now));
            if let Some(t) = queue.head {
                self.inside = !t.beat.last;
            }
        } else if !self.open {
            self.open = self.head.is_some_and(|t| is_here(t.launch, i.now));
        }
        self.queued = self.queued + u32::from(pushed.is_some()) - u32::from(free && queue.head.is_some());
    }

    fn wake(&self, clk: u64) -> u64 {
        if self.queued == 0 && self.head.is_none() { u64::MAX } else { clk }
    }
}
