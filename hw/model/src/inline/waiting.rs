//! The queue in front of the store: packets wait in it, in order, until each is judged.
use crate::stream::Beat;
use crate::{Block, fifo};
use timely_regs::link::{LONGEST_FRAME, WAITING_BITS};

/// Address bits of the queue of beats: three of the longest packets at 512 bits.
pub const QUEUE: u32 = WAITING_BITS;

/// Where a packet goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// To the wire, unpaced: the packet is no data packet of an existing flow, or its addresses are
    /// not the flow's.
    Past,
    /// Into the store.
    Paced {
        /// In this flow.
        flow: u32,
        /// The packet ends a segment.
        ends: bool,
    },
    /// Nowhere: it is too long, or a beat of it has gaps.
    Dropped,
}

/// Inputs at a clock.
#[derive(Clone, Copy, Debug, Default)]
pub struct Step {
    /// A beat offered.
    pub beat: Option<Beat>,
    /// With a packet's first beat: what goes beside it.
    pub meta: u128,
    /// The oldest packet without a way gets one.
    pub way: Option<Way>,
    /// The store, the wire takes the beat; a packet that is to be dropped may be.
    pub paced_ready: bool,
    pub past_ready: bool,
    pub drop_ready: bool,
}

/// Packets on a bus of `width` bits.
#[derive(Clone, Debug)]
pub struct Waiting {
    width: usize,
    beats: fifo::Fifo<Beat>,
    metas: fifo::Fifo<u128>,
    ways: fifo::Fifo<Way>,
    /// Beats of this packet so far.
    count: usize,
    /// The packet was cut; the rest of it is passed by.
    skipping: bool,
}

impl Waiting {
    pub fn new(width: usize) -> Self {
        Waiting {
            width,
            beats: fifo::Fifo::new(QUEUE),
            metas: fifo::Fifo::new(QUEUE),
            ways: fifo::Fifo::new(QUEUE),
            count: 0,
            skipping: false,
        }
    }

    /// A beat offered at clock `clk` is taken.
    pub fn is_ready(&self, clk: u64) -> bool {
        self.beats.output(clk).ready
    }

    pub fn is_empty(&self) -> bool {
        self.beats.is_empty() && self.ways.is_empty()
    }

    /// Nothing moves until a beat is offered or taken, or a packet is judged.
    pub fn is_settled(&self) -> bool {
        self.beats.is_settled() && self.metas.is_settled() && self.ways.is_settled()
    }

    /// The first beat, its packet's way and what goes beside it.
    pub fn head(&self, clk: u64) -> Option<(Beat, Way, u128)> {
        let (beat, way, meta) = (self.beats.output(clk).head?, self.ways.output(clk).head?, self.metas.output(clk).head?);
        Some((beat, way, meta))
    }

    /// A clock. Gives the beat that the parser reads, whether its packet was cut there, and whether
    /// the first beat has gone, and with it its packet.
    pub fn step(&mut self, clk: u64, i: &Step) -> (Option<(Beat, bool)>, bool, bool) {
        let goes = self.head(clk).filter(|h| match h.1 {
            Way::Past => i.past_ready,
            Way::Paced { .. } => i.paced_ready,
            Way::Dropped => i.drop_ready,
        });
        let ends = goes.is_some_and(|h| h.0.last);
        let taken = i.beat.filter(|_| self.is_ready(clk));
        let pushed = taken.filter(|_| !self.skipping);
        let most = LONGEST_FRAME as usize / (self.width / 8);
        let cut = self.count + 1 == most;
        let first = self.count == 0;
        // The rest of a packet that was cut ends with its last beat.
        if let Some(beat) = taken {
            let goes_on = !beat.last;
            self.count = if pushed.is_some() && goes_on && !cut { self.count + 1 } else { 0 };
            self.skipping = goes_on && (self.skipping || cut);
        }
        let written = pushed.map(|b| Beat { last: b.last || cut, ..b });
        self.beats.step(clk, &fifo::In { rst: false, push: written, ready: goes.is_some() });
        self.metas.step(clk, &fifo::In { rst: false, push: pushed.filter(|_| first).map(|_| i.meta), ready: ends });
        self.ways.step(clk, &fifo::In { rst: false, push: i.way, ready: ends });
        (written.zip(pushed).map(|(w, p)| (w, cut && !p.last)), goes.is_some(), ends)
    }
}
