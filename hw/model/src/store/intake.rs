//! The way in: each beat's bytes are counted, its flow looked up, and it is written or dropped.
use super::free::{Free, Take};
use super::{Arrival, CELL_BYTES, PACKET_CELLS, Packet};
use crate::stream::{Beat, WIDEST};
use std::sync::Arc;

/// Stages in front of the one that writes.
const STAGES: usize = 4;

/// State of a packet's flow when the packet's first beat comes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Found {
    /// The flow is enabled, and nothing is to be discarded of it.
    pub open: bool,
    /// Cells that it holds.
    pub held: u32,
}

#[derive(Clone, Debug)]
struct Stage {
    beat: Beat,
    first: bool,
    flow: u32,
    ends: bool,
    meta: u128,
    found: Found,
    admit: bool,
    /// The input waits until the flow holds less.
    blocks: bool,
}

/// Outputs of the last stage.
#[derive(Clone, Debug, Default)]
pub struct Written {
    /// A cell is full.
    pub take: Option<Take>,
    /// The cells of the packet under way are free again.
    pub rewind: bool,
    /// A packet is whole.
    pub stored: Option<Arc<Packet>>,
}

/// The way in.
#[derive(Clone, Debug)]
pub struct Intake {
    beat_bytes: usize,
    /// Of the packet whose beats come: its flow, whether it ends a segment, what goes with it.
    inside: Option<(u32, bool, u128)>,
    stages: [Option<Stage>; STAGES],
    /// The packet under way is being written.
    taking: bool,
    data: Vec<[u8; WIDEST]>,
    pub refused: bool,
    pub malformed: bool,
}

impl Intake {
    pub fn new(width: usize) -> Self {
        let stages = std::array::from_fn(|_| None);
        Intake { beat_bytes: width / 8, inside: None, stages, taking: false, data: Vec::new(), refused: false, malformed: false }
    }

    /// A packet's first beat was taken, not its last.
    pub fn is_inside(&self) -> bool {
        self.inside.is_some()
    }

    /// No beat is on its way, and nothing is told of one.
    pub fn is_idle(&self) -> bool {
        self.stages.iter().all(Option::is_none) && !self.refused && !self.malformed
    }

    /// The flow that is taken beyond its bound at this clock.
    pub fn blocks(&self) -> Option<u32> {
        self.stages[STAGES - 1].as_ref().filter(|s| s.first && s.blocks).map(|s| s.flow)
    }

    /// A clock: a beat, and what its flow was found to be.
    pub fn step(&mut self, arrival: Option<Arrival>, found: Option<Found>, free: &Free, bound: u16, wait: bool) -> Written {
        let last = self.stages[STAGES - 1].take();
        let written = self.write(last, free);
        if let Some(stage) = &mut self.stages[STAGES - 2] {
            let over = stage.found.held >= u32::from(bound);
            stage.admit = stage.found.open && free.room && (!over || wait);
            stage.blocks = stage.found.open && over && wait;
        }
        self.stages.rotate_right(1);
        self.stages[0] = arrival.zip(found).map(|(a, found)| {
            let first = self.inside.is_none();
            let (flow, ends, meta) = self.inside.unwrap_or((a.flow, a.ends, a.meta));
            self.inside = (!a.beat.last).then_some((flow, ends, meta));
            Stage { beat: a.beat, first, flow, ends, meta, found, admit: false, blocks: false }
        });
        written
    }

    fn write(&mut self, stage: Option<Stage>, free: &Free) -> Written {
        (self.refused, self.malformed) = (false, false);
        let Some(Stage { beat, first, flow, ends, meta, admit, .. }) = stage else { return Written::default() };
        self.refused = first && !admit;
        if !if first { admit } else { self.taking } {
            self.taking = false;
            return Written::default();
        }
        let bytes = usize::from(beat.bytes);
        let gap = if beat.last { bytes == 0 || beat.bytes == Beat::HOLES } else { bytes != self.beat_bytes };
        let in_cell = self.data.len() % (CELL_BYTES as usize / self.beat_bytes);
        let full = in_cell + 1 == CELL_BYTES as usize / self.beat_bytes;
        if gap || (full && !beat.last && free.filled + 1 == PACKET_CELLS) {
            self.malformed = true;
            self.taking = false;
            self.data.clear();
            return Written { rewind: free.filled != 0, ..Written::default() };
        }
        self.data.push(beat.data);
        self.taking = !beat.last;
        if !beat.last {
            return Written { take: full.then_some(Take::Within), ..Written::default() };
        }
        let data = std::mem::take(&mut self.data);
        let bytes = ((data.len() - 1) * self.beat_bytes + bytes) as u32;
        Written { take: Some(Take::Last), rewind: false, stored: Some(Arc::new(Packet { flow, ends, meta, data, bytes })) }
    }
}
