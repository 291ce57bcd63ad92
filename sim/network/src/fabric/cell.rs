//! Cells: the one kind of thing that waits in the fabric, be it a frame on its way, a frame in a
//! queue, or a timer.
//!
//! Cells live in a slab with a free list: nothing is allocated for a frame, and what a small
//! network has in use stays in the cache. Those of a large one are brought there in time.
use crate::time::Ps;
use std::ops::{Index, IndexMut};

/// No cell, port, or flow.
pub const NONE: u32 = u32::MAX;

/// In place of a cell, with a port: the port may have something to send.
pub const PORT: u32 = 1 << 31;

/// Event at a cell's time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Kind {
    /// A frame is in a switch, ready for its output queue.
    Enter,
    /// A frame has arrived at a host (a segment's last one: its ACK is ready).
    Arrive,
    /// Flow `flow` may be due.
    Due,
    /// The neighbour of port `flow` says which classes are paused: `bits`.
    Pause,
    /// Flow `flow` posts its next message.
    Post,
    /// Flow `flow` sends no more.
    Stop,
    /// Flow `flow` may have waited too long for an ACK.
    Expire,
    /// Packet after packet of a burst that the NIC spaces.
    Spaced,
    /// The receiver of flow `flow` sends a congestion notification.
    Notify,
    /// The controller of flow `flow` has a timer.
    Timer,
}

/// The frame is an ACK.
pub const ACK: u8 = 1;
/// Last packet of a segment: it is answered.
pub const LAST: u8 = 2;
/// Marked: congestion was experienced.
pub const MARKED: u8 = 4;
/// A READ request: it is answered with the segment that it asks for.
pub const REQUEST: u8 = 16;
/// A packet of that segment.
pub const RESPONSE: u8 = 32;

/// A congestion notification packet (CNP).
pub const CNP: u8 = 64;

/// A cell: half a cache line, as a large network has more of them than a cache holds.
#[derive(Clone, Copy, Debug)]
#[repr(align(32))]
pub struct Cell {
    /// Start of the segment's RTT; an ACK brings it back.
    pub stamp: Ps,
    /// Index of the flow in the fabric; the port of a port's event.
    pub flow: u32,
    /// Place of the next port on its way.
    pub route: u32,
    /// Offset in the flow's payload that its segment ends at so far, modulo 2^32.
    pub end: u32,
    /// Payload bytes of the segment so far.
    pub segment: u32,
    /// Bytes on the wire.
    pub wire: u16,
    /// An ACK: marked packets that it answers for.
    pub marks: u16,
    /// An ACK, or a segment's last packet at its host: segments that lost packets, of which it
    /// tells.
    pub lost: u8,
    /// Event at the cell's time.
    pub kind: Kind,
    /// [`ACK`], [`LAST`], [`MARKED`], [`REQUEST`], [`RESPONSE`], [`CNP`].
    pub bits: u8,
    /// Class, which selects the queue at a port.
    pub class: u8,
}

const _: () = assert!(size_of::<Cell>() == 32);

/// A step of a path.
#[derive(Clone, Copy, Debug)]
pub struct Hop {
    /// Port that the frame leaves a node by.
    pub out: u32,
    /// Port that it came in by; [`NONE`] at the path's start.
    pub from: u32,
}

/// Place of a frame in a port's queue.
#[derive(Clone, Copy, Debug)]
pub struct Link {
    /// The next one.
    pub next: u32,
    /// The port that it entered its switch by.
    pub from: u32,
}

/// A slab of cells.
#[derive(Debug, Default)]
pub struct Cells {
    cells: Vec<Cell>,
    /// Of each cell, if it waits in a queue.
    pub links: Vec<Link>,
    free: Vec<u32>,
}

impl Cells {
    /// Takes a cell for an event of `flow`; what else a frame needs is to be filled in.
    #[inline]
    pub fn take(&mut self, kind: Kind, flow: u32) -> u32 {
        let empty = Cell { stamp: 0, flow, route: 0, end: 0, segment: 0, wire: 0, marks: 0, lost: 0, kind, bits: 0, class: 0 };
        match self.free.pop() {
            Some(id) => {
                self.cells[id as usize] = empty;
                id
            }
            None => {
                self.cells.push(empty);
                self.links.push(Link { next: NONE, from: NONE });
                self.cells.len() as u32 - 1
            }
        }
    }

    /// Gives a cell back.
    #[inline]
    pub fn give(&mut self, id: u32) {
        self.free.push(id);
    }

    /// Cells that were in use at once, at most.
    pub fn most(&self) -> usize {
        self.cells.len()
    }

    /// Cells in use.
    pub fn used(&self) -> usize {
        self.cells.len() - self.free.len()
    }
}

impl Index<u32> for Cells {
    type Output = Cell;
    #[inline]
    fn index(&self, id: u32) -> &Cell {
        &self.cells[id as usize]
    }
}

impl IndexMut<u32> for Cells {
    #[inline]
    fn index_mut(&mut self, id: u32) -> &mut Cell {
        &mut self.cells[id as usize]
    }
}
