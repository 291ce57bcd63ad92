//! The bypass FIFO of `timely_hw::inline::aside`: whole frames for a receiver that may stop taking
//! them, dropped while there is no room.
use crate::stream::Beat;
use crate::{Block, fifo};
use timely_regs::link::LONGEST_FRAME;

/// Address bits of the queue of beats.
pub const QUEUE: u32 = 9;

/// Beats that the queue may hold, on a bus of `width` bits, for a frame still to be let in: the
/// longest one fits behind them.
pub const fn most(width: usize) -> usize {
    (1 << QUEUE) - (LONGEST_FRAME as usize).div_ceil(width / 8)
}

/// Inputs at a clock.
#[derive(Clone, Debug, Default)]
pub struct In {
    /// Synchronous reset.
    pub rst: bool,
    /// A beat offered, and what goes beside it.
    pub beat: Option<(Beat, u128)>,
    /// The port takes the beat.
    pub ready: bool,
}

/// Outputs at a clock.
#[derive(Clone, Debug, PartialEq)]
pub struct Out {
    /// A beat, and what goes beside it.
    pub beat: Option<(Beat, u128)>,
    /// A frame was dropped, or cut short: its last beat came a clock ago.
    pub dropped: bool,
}

/// The queue.
#[derive(Clone, Debug)]
pub struct Aside {
    most: usize,
    queue: fifo::Fifo<(Beat, u128)>,
    held: usize,
    /// Inside a frame: it is taken.
    inside: Option<bool>,
    dropped: bool,
}

impl Aside {
    /// Of a bus of `width` bits, with nothing inside.
    pub fn new(width: usize) -> Self {
        Aside { most: most(width), queue: fifo::Fifo::new(QUEUE), held: 0, inside: None, dropped: false }
    }

    fn takes(&self) -> bool {
        self.inside.unwrap_or(self.held <= self.most)
    }

    /// The next beat takes the last place: a frame that goes on behind it is longer than any, and
    /// ends here.
    fn fills(&self) -> bool {
        self.held + 1 == 1 << QUEUE
    }
}

impl Block for Aside {
    type In = In;
    type Out = Out;

    fn output(&self, clk: u64) -> Out {
        let queue = self.queue.output(clk);
        Out { beat: queue.head, dropped: self.dropped }
    }

    fn step(&mut self, clk: u64, i: &In) {
        let (out, takes) = (self.output(clk), self.takes());
        let fills = self.fills();
        let push = i.beat.filter(|_| takes).map(|(b, meta)| (Beat { last: b.last || fills, ..b }, meta));
        let leaves = out.beat.is_some() && i.ready;
        self.held = self.held + usize::from(push.is_some()) - usize::from(leaves);
        self.dropped = i.beat.is_some_and(|b| b.0.last) && !takes;
        if let Some((beat, _)) = i.beat {
            self.inside = (!beat.last).then_some(takes && !fills);
        }
        self.queue.step(clk, &fifo::In { rst: i.rst, push, ready: i.ready });
        if i.rst {
            (self.held, self.inside, self.dropped) = (0, None, false);
        }
    }

    fn wake(&self, clk: u64) -> u64 {
        if self.dropped { clk } else { self.queue.wake(clk) }
    }
}
