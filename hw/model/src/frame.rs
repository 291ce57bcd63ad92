//! The frame builder of `timely_hw::frame`: 6 clocks from a description to the first beat, eight
//! slots, no clock between frames.
use crate::Block;
use crate::stream::{Beat, beat};
use std::collections::VecDeque;
use timely_regs::wire::{Envelope, Header};

/// Frames that the builder holds at most.
pub const SLOTS: usize = 8;
/// Clocks from that at which a description is taken to the first at which its first beat stands at
/// a free output.
pub const LATENCY: u64 = 6;
/// Stages of the checksum's adder tree.
const SUM_STAGES: usize = 4;

/// The description of a frame to send, with `side` that goes along.
#[derive(Clone, Debug, PartialEq)]
pub struct Description<T> {
    /// Everything around our header.
    pub envelope: Envelope,
    /// Our header.
    pub header: Header,
    /// Zero bytes behind it; 14 bits.
    pub payload: u16,
    /// The value that comes out with the frame's beats.
    pub side: T,
}

impl<T> Description<T> {
    /// The frame's bytes, without FCS.
    pub fn frame(&self) -> Vec<u8> {
        self.envelope.frame(&self.header, &vec![0; usize::from(self.payload)])
    }
}

/// Inputs at a clock.
#[derive(Clone, Debug)]
pub struct In<T> {
    /// Synchronous reset.
    pub rst: bool,
    /// A frame is described.
    pub describe: Option<Description<T>>,
    /// Downstream takes the beat.
    pub ready: bool,
}

impl<T> Default for In<T> {
    fn default() -> Self {
        In { rst: false, describe: None, ready: false }
    }
}

/// Outputs at a clock.
#[derive(Clone, Debug, PartialEq)]
pub struct Out<T> {
    /// A description is taken at this clock if offered.
    pub ready: bool,
    /// The beat at the output and its frame's side.
    pub beat: Option<(Beat, T)>,
    /// The beat at the output is a frame's first, at its first clock.
    pub start: bool,
}

/// The builder, for one width of bus.
#[derive(Clone, Debug)]
pub struct Frame<T> {
    width: usize,
    /// Frames whose last beat has not been loaded, oldest first.
    slots: VecDeque<(Vec<u8>, T)>,
    /// Of those, how many have their checksums.
    done: usize,
    summing: [bool; SUM_STAGES],
    /// Beats of the oldest that were loaded.
    loaded: usize,
    out: Option<(Beat, T)>,
    start: bool,
}

impl<T: Clone + PartialEq + std::fmt::Debug> Frame<T> {
    /// An empty builder for a bus of `width` bits.
    pub fn new(width: usize) -> Self {
        Frame { width, slots: VecDeque::new(), done: 0, summing: [false; SUM_STAGES], loaded: 0, out: None, start: false }
    }

    /// Nothing is in it.
    pub fn is_empty(&self) -> bool {
        self.slots.is_empty() && self.out.is_none()
    }
}

impl<T: Clone + PartialEq + std::fmt::Debug> Block for Frame<T> {
    type In = In<T>;
    type Out = Out<T>;

    fn output(&self, _clk: u64) -> Out<T> {
        Out { ready: self.slots.len() < SLOTS, beat: self.out.clone(), start: self.start }
    }

    fn step(&mut self, _clk: u64, i: &In<T>) {
        if i.rst {
            *self = Frame::new(self.width);
            return;
        }
        let room = self.slots.len() < SLOTS;
        self.start = false;
        if self.out.is_none() || i.ready {
            self.out = None;
            if self.done > 0 {
                let (frame, side) = &self.slots[0];
                let beat = beat(frame, self.width, self.loaded);
                self.start = self.loaded == 0;
                self.loaded += 1;
                self.out = Some((beat, side.clone()));
                if beat.last {
                    self.slots.pop_front();
                    self.done -= 1;
                    self.loaded = 0;
                }
            }
        }
        self.done += usize::from(self.summing[SUM_STAGES - 1]);
        self.summing.rotate_right(1);
        self.summing[0] = false;
        if room && let Some(d) = &i.describe {
            self.slots.push_back((d.frame(), d.side.clone()));
            self.summing[0] = true;
        }
    }

    fn wake(&self, clk: u64) -> u64 {
        if self.is_empty() { u64::MAX } else { clk }
    }
}
