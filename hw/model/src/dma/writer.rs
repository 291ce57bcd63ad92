//! Write bursts: one on the channels at a time, up to [`MOST_WRITES`] without a response.
use super::io::{Master, Slave};
use crate::stream::WIDEST;
use std::collections::VecDeque;

/// Most write bursts that wait for their response.
pub const MOST_WRITES: usize = 16;

/// The source of a burst.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Source {
    Ring,
    Snapshot,
}

/// A burst to write.
#[derive(Clone, Copy, Debug)]
pub(super) struct Burst {
    pub source: Source,
    pub address: u64,
    pub data: [u8; WIDEST],
}

/// The AW, W and B channels.
#[derive(Clone, Debug)]
pub(super) struct Writer {
    /// Bytes of a beat.
    bytes: usize,
    aw: Option<u64>,
    data: [u8; WIDEST],
    /// Next beat, while there is one.
    beat: Option<usize>,
    waiting: VecDeque<Source>,
    /// The response of the clock before: the burst's source, and whether it failed.
    pub response: Option<(Source, bool)>,
}

impl Writer {
    pub fn new(bytes: usize) -> Self {
        Writer { bytes, aw: None, data: [0; WIDEST], beat: None, waiting: VecDeque::new(), response: None }
    }

    /// A burst may start.
    pub fn is_free(&self) -> bool {
        self.aw.is_none() && self.beat.is_none() && self.waiting.len() < MOST_WRITES
    }

    /// Nothing is in flight.
    pub fn is_idle(&self) -> bool {
        self.aw.is_none() && self.beat.is_none() && self.waiting.is_empty() && self.response.is_none()
    }

    pub fn show(&self, to: &mut Master) {
        to.aw = self.aw;
        to.w = self.beat.map(|beat| {
            let mut data = [0; WIDEST];
            data[..self.bytes].copy_from_slice(&self.data[beat * self.bytes..][..self.bytes]);
            (data, (beat + 1) * self.bytes == WIDEST)
        });
    }

    pub fn step(&mut self, start: Option<Burst>, memory: &Slave) {
        if memory.aw_ready {
            self.aw = None;
        }
        if memory.w_ready {
            self.beat = self.beat.map(|b| b + 1).filter(|b| b * self.bytes < WIDEST);
        }
        // A response that nothing waits for is none.
        self.response = memory.b.and_then(|response| self.waiting.pop_front().map(|source| (source, response & 2 != 0)));
        if let Some(b) = start {
            (self.aw, self.data, self.beat) = (Some(b.address), b.data, Some(0));
            self.waiting.push_back(b.source);
        }
    }
}
