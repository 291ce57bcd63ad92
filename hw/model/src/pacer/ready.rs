//! The queue of the flows that wait for their token pass: two words in, one word out a clock. See
//! `timely_hw::pacer::ready`.
use crate::Block;
use std::collections::VecDeque;

/// Inputs at a clock.
#[derive(Clone, Debug, Default)]
pub struct In {
    /// Synchronous reset.
    pub rst: bool,
    /// A flow that the wheel found due.
    pub due: Option<u32>,
    /// A flow that the doorbell unit activated, or that was parked; queued behind `due`.
    pub activate: Option<u32>,
    /// The pass takes the head.
    pub ready: bool,
}

/// The queue. It has a place for every flow, so it never refuses one.
#[derive(Clone, Debug, Default)]
pub struct Ready {
    ram: VecDeque<u32>,
    pending: Option<u32>,
    out: Option<u32>,
}

impl Ready {
    /// An empty queue.
    pub fn new() -> Self {
        Ready::default()
    }

    /// The flows in it, in order.
    pub fn flows(&self) -> impl Iterator<Item = u32> {
        self.out.into_iter().chain(self.pending).chain(self.ram.iter().copied())
    }
}

impl Block for Ready {
    type In = In;
    /// The head.
    type Out = Option<u32>;

    fn output(&self, _clk: u64) -> Option<u32> {
        self.out
    }

    fn step(&mut self, _clk: u64, i: &In) {
        if self.out.is_none() || i.ready {
            self.out = self.pending.take();
        }
        if self.pending.is_none() {
            self.pending = self.ram.pop_front();
        }
        self.ram.extend(i.due);
        self.ram.extend(i.activate);
        if i.rst {
            *self = Ready::new();
        }
    }

    fn wake(&self, clk: u64) -> u64 {
        if self.out.is_none() && self.pending.is_none() && self.ram.is_empty() { u64::MAX } else { clk }
    }
}
