//! The way in of `timely_hw::inline::entry`: each packet waits until the parser has judged it, then goes its way.
use crate::stream::Beat;
use crate::{Block, fifo, parse};
use timely_regs::counters::Counter;
use timely_regs::link::LONGEST_FRAME;
use timely_regs::wire::{Header, LAST};

/// Address bits of the queue of beats: three of the longest packets at 512 bits.
pub const QUEUE: u32 = 9;

/// Where a packet goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// It is no data packet of a flow that there is: to the wire, unpaced.
    Past,
    /// Into the store.
    Paced {
        /// In this flow.
        flow: u32,
        /// It ends a segment.
        ends: bool,
    },
    /// Nowhere: it is too long, or a beat of it has gaps.
    Dropped,
}

/// Inputs at a clock.
#[derive(Clone, Debug, Default)]
pub struct In {
    /// Synchronous reset.
    pub rst: bool,
    /// A beat offered.
    pub beat: Option<Beat>,
    /// With a packet's first beat: what goes beside it.
    pub meta: u128,
    /// Our UDP port, as it stands with the last beat.
    pub port: u16,
    /// The store takes the beat.
    pub paced_ready: bool,
    /// The wire takes the beat.
    pub past_ready: bool,
    /// A packet that is to be dropped may be.
    pub drop_ready: bool,
}

/// Outputs at a clock.
#[derive(Clone, Debug, PartialEq)]
pub struct Out {
    /// A beat offered is taken.
    pub ready: bool,
    /// A beat, its packet's way and what goes beside it; one that is dropped is not offered.
    pub beat: Option<(Beat, Way, u128)>,
    /// A packet is to be dropped; this is its last beat.
    pub dropped: bool,
}

/// The way in of a bus of `width` bits, with `2^flow_bits` flows.
#[derive(Clone, Debug)]
pub struct Entry {
    width: usize,
    flow_bits: u32,
    parse: parse::Parse,
    beats: fifo::Fifo<Beat>,
    metas: fifo::Fifo<u128>,
    ways: fifo::Fifo<Way>,
    /// Beats of this packet so far.
    count: usize,
    /// The packet was cut; the rest of it is passed by.
    skipping: bool,
    judged: Option<Way>,
}

impl Entry {
    /// Nothing is inside.
    pub fn new(width: usize, flow_bits: u32) -> Self {
        Entry {
            width,
            flow_bits,
            parse: parse::Parse::new(width),
            beats: fifo::Fifo::new(QUEUE),
            metas: fifo::Fifo::new(QUEUE),
            ways: fifo::Fifo::new(QUEUE),
            count: 0,
            skipping: false,
            judged: None,
        }
    }

    fn way(&self, r: &parse::Report) -> Way {
        let Header { flow, flags, .. } = Header::read(&r.header);
        match r.kind {
            parse::kind::DATA if u64::from(flow) < 1 << self.flow_bits => Way::Paced { flow, ends: flags & LAST != 0 },
            parse::kind::MALFORMED if r.reason == Counter::RxBad as u8 => Way::Dropped,
            _ => Way::Past,
        }
    }

    fn head(&self, clk: u64) -> Option<(Beat, Way, u128)> {
        let (beat, way, meta) = (self.beats.output(clk).head?, self.ways.output(clk).head?, self.metas.output(clk).head?);
        Some((beat, way, meta))
    }
}

impl Block for Entry {
    type In = In;
    type Out = Out;

    fn output(&self, clk: u64) -> Out {
        let head = self.head(clk);
        Out {
            ready: self.beats.output(clk).ready,
            beat: head.filter(|h| h.1 != Way::Dropped),
            dropped: head.is_some_and(|h| h.1 == Way::Dropped && h.0.last),
        }
    }

    fn step(&mut self, clk: u64, i: &In) {
        if i.rst {
            *self = Entry::new(self.width, self.flow_bits);
            return;
        }
        let head = self.head(clk);
        let goes = head.filter(|h| match h.1 {
            Way::Past => i.past_ready,
            Way::Paced { .. } => i.paced_ready,
            Way::Dropped => i.drop_ready,
        });
        let ends = goes.is_some_and(|h| h.0.last);
        let taken = i.beat.filter(|_| self.beats.output(clk).ready);
        let pushed = taken.filter(|_| !self.skipping);
        let most = LONGEST_FRAME as usize / (self.width / 8);
        let cut = self.count + 1 == most;
        let first = self.count == 0;
        // What stays of a packet that was cut ends with its last beat.
        if let Some(beat) = taken {
            let goes_on = !beat.last;
            self.count = if pushed.is_some() && goes_on && !cut { self.count + 1 } else { 0 };
            self.skipping = goes_on && (self.skipping || cut);
        }
        let report = self.parse.output(clk).report;
        let written = pushed.map(|b| Beat { last: b.last || cut, ..b });
        self.parse.step(clk, &parse::In { rst: false, beat: written, stamp: 0, bad: cut && pushed.is_some_and(|b| !b.last), port: i.port });
        self.beats.step(clk, &fifo::In { rst: false, push: written, ready: goes.is_some() });
        self.metas.step(clk, &fifo::In { rst: false, push: pushed.filter(|_| first).map(|_| i.meta), ready: ends });
        self.ways.step(clk, &fifo::In { rst: false, push: self.judged, ready: ends });
        self.judged = report.map(|r| self.way(&r));
    }

    fn wake(&self, clk: u64) -> u64 {
        let idle = self.beats.is_empty() && self.ways.is_empty() && self.judged.is_none();
        if idle { self.parse.wake(clk) } else { clk }
    }
}
