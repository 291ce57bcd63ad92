//! Outstanding bytes of the frames of paced queues: `timely_hw::shells::corundum::app::credit`.
use crate::Block;
use crate::bus::{FlowLoad, Release, Sent};
use crate::fifo;

/// Address bits of the queue of releases.
pub const QUEUE: u32 = 9;

/// Inputs at a clock.
#[derive(Clone, Copy, Debug, Default)]
pub struct In {
    /// Synchronous reset.
    pub rst: bool,
    /// A record is loaded.
    pub load: Option<FlowLoad>,
    /// A frame left: its queue, its wire bytes.
    pub frame: Option<(u16, u16)>,
    /// The frame's report as sent.
    pub sent: Option<Sent>,
    /// Bytes that were acknowledged or given up.
    pub release: Option<Release>,
}

/// Outputs at a clock.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Out {
    /// The RAM is clear; no frame is answered before.
    pub swept: bool,
    /// Bytes that are outstanding no more; less than 0 are outstanding again.
    pub release: Option<Release>,
}

/// A scheduler charges all that leaves a queue, when its completion record is written; acknowledged
/// are ended segments alone. So a frame is released as it leaves, and the end of its segment takes
/// that back for the whole segment.
#[derive(Clone, Debug)]
pub struct Credit {
    swept_at: u64,
    flows: Vec<bool>,
    read: Option<(u32, u32, bool)>,
    queue: fifo::Fifo<Release>,
    release: Option<Release>,
}

impl Credit {
    /// Of `2^flow_bits` queues, RAM init beginning at clock 0.
    pub fn new(flow_bits: u32) -> Self {
        Credit { swept_at: 1 << flow_bits, flows: vec![false; 1 << flow_bits], read: None, queue: fifo::Fifo::new(QUEUE), release: None }
    }
}

impl Block for Credit {
    type In = In;
    type Out = Out;

    fn output(&self, clk: u64) -> Out {
        Out { swept: clk >= self.swept_at, release: self.release }
    }

    fn step(&mut self, clk: u64, i: &In) {
        if i.rst {
            *self = Credit::new(self.flows.len().trailing_zeros());
            self.swept_at += clk + 1;
            return;
        }
        let head = self.queue.output(clk).head;
        self.release = i.release.or(head);
        let push = self.read.take().filter(|(_, bytes, flow)| *flow && *bytes != 0).map(|(flow, bytes, _)| Release { flow, bytes });
        self.queue.step(clk, &fifo::In { rst: false, push, ready: i.release.is_none() });
        if clk >= self.swept_at {
            self.read = i.frame.filter(|(queue, _)| usize::from(*queue) < self.flows.len()).map(|(queue, wire)| {
                let bytes = match i.sent {
                    Some(s) if s.last => u32::from(wire).wrapping_sub(s.segment_bytes),
                    _ => wire.into(),
                };
                (queue.into(), bytes, self.flows[usize::from(queue)])
            });
            if let Some(load) = i.load {
                self.flows[load.flow as usize] = load.enable();
            }
        }
    }

    fn wake(&self, clk: u64) -> u64 {
        let idle = self.read.is_none() && self.release.is_none() && self.queue.is_empty();
        if idle { if clk < self.swept_at { self.swept_at } else { u64::MAX } } else { clk }
    }
}
