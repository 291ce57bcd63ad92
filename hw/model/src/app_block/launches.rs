//! When packets may leave, in their order: `timely_hw::shells::corundum::app::launches`.
use crate::Block;
use std::collections::VecDeque;

/// Address bits of the queue: requests that may be under way.
pub const QUEUE: u32 = 6;

/// A request's launch: of an unpaced queue none.
pub type Launch = Option<u64>;

/// Inputs at a clock.
#[derive(Clone, Copy, Debug, Default)]
pub struct In {
    /// Synchronous reset.
    pub rst: bool,
    /// A request is made: its tag, its launch.
    pub launch: Option<(u8, Launch)>,
    /// The latest request of this tag finds no packet.
    pub void: Option<u8>,
    /// A packet takes the launch at the output.
    pub take: bool,
}

/// Outputs at a clock.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Out {
    /// The launch of the next packet.
    pub head: Option<Launch>,
    /// No request is under way that has not been taken.
    pub empty: bool,
}

/// The queue.
#[derive(Clone, Debug)]
pub struct Launches {
    queue: VecDeque<(u8, Launch)>,
    put: u8,
    places: [u8; 256],
    voided: u64,
    void: Option<u8>,
    fetching: bool,
    head: Option<(u8, Launch)>,
}

impl Default for Launches {
    fn default() -> Self {
        Launches { queue: VecDeque::new(), put: 0, places: [0; 256], voided: 0, void: None, fetching: false, head: None }
    }
}

impl Launches {
    fn valid(&self) -> Option<Launch> {
        self.head.filter(|(place, _)| self.voided >> place & 1 == 0).map(|h| h.1)
    }
}

impl Block for Launches {
    type In = In;
    type Out = Out;

    fn output(&self, _clk: u64) -> Out {
        Out { head: self.valid(), empty: self.queue.is_empty() && self.head.is_none() }
    }

    fn step(&mut self, _clk: u64, i: &In) {
        let places = self.places;
        let pushed = i.launch.filter(|_| self.queue.len() < 1 << QUEUE);
        if let Some((tag, _)) = pushed {
            self.places[usize::from(tag)] = self.put;
        }
        if i.rst {
            *self = Launches { places: self.places, ..Launches::default() };
            return;
        }
        let (valid, held) = (self.valid().is_some(), self.head.is_some());
        let (was_fetching, waits) = (self.fetching, !self.queue.is_empty());
        if held && (!valid || i.take) {
            self.head = None;
        }
        if was_fetching {
            self.head = self.queue.pop_front();
        }
        self.fetching = !held && !was_fetching && waits;
        if let Some(place) = self.void {
            self.voided |= 1 << place;
        }
        self.void = i.void.map(|tag| places[usize::from(tag)]);
        if let Some((_, launch)) = pushed {
            self.voided &= !(1 << self.put);
            self.queue.push_back((self.put, launch));
            self.put = (self.put + 1) % (1 << QUEUE);
        }
    }

    fn wake(&self, clk: u64) -> u64 {
        if self.queue.is_empty() && self.void.is_none() && self.head.is_none() { u64::MAX } else { clk }
    }
}
