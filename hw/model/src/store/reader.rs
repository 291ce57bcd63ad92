//! The way out: packets beat by beat into a short queue, their cells back to the free ones.
use super::{CELL_BYTES, QUEUE_BITS, Read, Side};
use crate::{Block, fifo, stream::Beat};

/// Clocks from a beat's address to the queue.
const LATENCY: usize = 4;

/// A packet under way.
#[derive(Clone, Debug)]
struct Reading {
    read: Read,
    /// Beats read of it; of a packet that is discarded, cells freed.
    done: usize,
    /// Clocks spent on the cell.
    in_cell: usize,
}

/// The way out.
#[derive(Clone, Debug)]
pub struct Reader {
    beat_bytes: usize,
    reading: Option<Reading>,
    /// Beats read that have not left.
    beats: usize,
    pipeline: [Option<(Beat, Side)>; LATENCY],
    queue: fifo::Fifo<(Beat, Side)>,
    /// A cell is free.
    pub freed: bool,
    pub voided: bool,
}

impl Reader {
    pub fn new(width: usize) -> Self {
        let queue = fifo::Fifo::new(QUEUE_BITS);
        Reader { beat_bytes: width / 8, reading: None, beats: 0, pipeline: [None; LATENCY], queue, freed: false, voided: false }
    }

    pub fn beat(&self, clk: u64) -> Option<(Beat, Side)> {
        self.queue.output(clk).head
    }

    /// Nothing is read, nothing waits to leave, and nothing is told.
    pub fn is_idle(&self) -> bool {
        let still = self.reading.is_none() && self.pipeline.iter().all(Option::is_none) && self.queue.is_empty();
        still && !self.freed && !self.voided
    }

    /// A clock: the packet that comes next, whether downstream is ready; says whether that packet
    /// begins.
    pub fn step(&mut self, clk: u64, head: Option<&Read>, ready: bool) -> bool {
        let beats_of_cell = CELL_BYTES as usize / self.beat_bytes;
        let leaves = ready && self.beat(clk).is_some();
        let push = self.pipeline[LATENCY - 1].take();
        self.queue.step(clk, &fifo::In { rst: false, push, ready });
        self.pipeline.rotate_right(1);
        self.freed = false;
        let mut over = self.reading.is_none();
        let room = self.beats < 1 << QUEUE_BITS;
        if let Some(r) = self.reading.as_mut().filter(|r| r.read.discard || room) {
            let packet = &r.read.packet;
            let cell_over = if r.read.discard {
                // The link to the next cell takes two clocks to read.
                r.in_cell += 1;
                r.in_cell == 2
            } else {
                let last = r.done + 1 == packet.data.len();
                let bytes = if last { packet.bytes as usize - r.done * self.beat_bytes } else { self.beat_bytes };
                let beat = Beat { data: packet.data[r.done], bytes: bytes as u8, last };
                self.pipeline[0] = Some((beat, Side { flow: packet.flow, launch: r.read.launch, meta: packet.meta }));
                self.beats += 1;
                r.in_cell += 1;
                r.in_cell == beats_of_cell || last
            };
            r.done += usize::from(cell_over || !r.read.discard);
            if cell_over {
                r.in_cell = 0;
                self.freed = true;
            }
            over = r.done == if r.read.discard { packet.cells() as usize } else { packet.data.len() };
        }
        self.beats -= usize::from(leaves);
        let begun = over && head.is_some();
        if over {
            self.reading = head.map(|read| Reading { read: read.clone(), done: 0, in_cell: 0 });
        }
        self.voided = begun && head.is_some_and(|r| r.discard);
        begun
    }
}
