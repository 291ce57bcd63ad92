//! The ring of free cells: a RAM, the cell at its output, and the way back when a packet is dropped
//! midway.
use super::{AMPLE, ROOM};

/// How many cells are free, and whether they are at hand.
#[derive(Clone, Debug)]
pub struct Free {
    /// Cells in the RAM.
    fill: u32,
    /// The RAM shows its oldest cell.
    pending: bool,
    /// A cell stands in front of it.
    out: bool,
    /// Cells that the packet under way has filled.
    pub filled: u32,
    /// The longest packet has room.
    pub room: bool,
    /// And so have those that come before the input stops.
    pub ample: bool,
}

/// A cell is full.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Take {
    /// And its packet goes on.
    Within,
    /// And its packet is over.
    Last,
}

impl Free {
    pub fn new(cell_bits: u32) -> Self {
        Free { fill: 1 << cell_bits, pending: false, out: false, filled: 0, room: false, ample: false }
    }

    pub fn cells(&self) -> u32 {
        self.fill
    }

    /// A clock without any of what [`Free::step`] is told changes nothing.
    pub fn is_settled(&self) -> bool {
        let shown = self.pending == (self.fill > 0) && (self.out || !self.pending);
        shown && self.room == (self.fill >= ROOM) && self.ample == (self.fill >= AMPLE)
    }

    /// A clock: a cell is filled; or all that the packet under way has filled are free again; a
    /// cell comes back.
    pub fn step(&mut self, take: Option<Take>, rewind: bool, freed: bool) {
        self.room = self.fill >= ROOM;
        self.ample = self.fill >= AMPLE;
        let moved = self.pending && (!self.out || take.is_some());
        if rewind {
            debug_assert!(!moved && take.is_none(), "a packet under way has cells at hand, and one that is dropped fills none");
            self.fill += self.filled;
        } else {
            self.pending = self.fill > u32::from(moved);
            self.fill -= u32::from(moved);
            self.out = moved || (self.out && take.is_none());
        }
        match take {
            Some(Take::Within) => self.filled += 1,
            Some(Take::Last) => self.filled = 0,
            None if rewind => self.filled = 0,
            None => {}
        }
        self.fill += u32::from(freed);
    }
}
