//! A host outside the simulation: frames that come from it wait here for the core, and frames of
//! the core for it.
use std::collections::VecDeque;
use timely_model::stream::{Beat, beat};

/// Frames on their way between a host and the core.
#[derive(Debug)]
pub struct Socket {
    bus_bytes: usize,
    coming: VecDeque<Vec<u8>>,
    /// Beats of the first frame that the core has taken.
    at: usize,
    going: VecDeque<Vec<u8>>,
    /// The frame whose beats the core gives.
    part: Vec<u8>,
    takes: bool,
}

impl Socket {
    /// A host behind a bus of so many bytes.
    pub fn new(bus_bytes: usize) -> Self {
        Socket { bus_bytes, coming: VecDeque::new(), at: 0, going: VecDeque::new(), part: Vec::new(), takes: true }
    }

    /// A frame from the host, of one byte at least.
    pub fn offer(&mut self, frame: Vec<u8>) {
        if !frame.is_empty() {
            self.coming.push_back(frame);
        }
    }

    /// Frames that the core has not taken whole.
    pub fn waiting(&self) -> usize {
        self.coming.len()
    }

    /// A frame for the host, the oldest.
    pub fn take(&mut self) -> Option<Vec<u8>> {
        self.going.pop_front()
    }

    /// Whether the host takes frames from now on.
    pub fn set_taking(&mut self, takes: bool) {
        self.takes = takes;
    }

    /// The host takes the core's frames.
    pub fn is_taking(&self) -> bool {
        self.takes
    }

    /// The beat that the core is offered.
    pub fn beat(&self) -> Option<Beat> {
        self.coming.front().map(|frame| beat(frame, 8 * self.bus_bytes, self.at))
    }

    /// The core takes that beat.
    pub fn taken(&mut self) {
        self.at += 1;
        if self.coming.front().is_some_and(|f| self.at * self.bus_bytes >= f.len()) {
            self.coming.pop_front();
            self.at = 0;
        }
    }

    /// A beat from the core.
    pub fn given(&mut self, beat: &Beat) {
        self.part.extend_from_slice(&beat.data[..usize::from(beat.bytes)]);
        if beat.last {
            self.going.push_back(std::mem::take(&mut self.part));
        }
    }

    /// The core was reset: frames on their way to it are lost.
    pub fn reset(&mut self) {
        self.coming.clear();
        self.part.clear();
        self.at = 0;
    }
}
