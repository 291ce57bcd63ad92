//! Where flows wait while their priority is paused. See `timely_hw::pacer::park`.
use crate::{Block, fifo};

/// Inputs at a clock.
#[derive(Clone, Debug, Default)]
pub struct In {
    /// Synchronous reset.
    pub rst: bool,
    /// A flow to park.
    pub park: Option<u32>,
    /// A pause ended: all that are parked at this clock leave.
    pub resume: bool,
    /// READY takes the flow at the output.
    pub ready: bool,
}

/// The parked flows.
#[derive(Clone, Debug)]
pub struct Park {
    queue: fifo::Fifo<u32>,
    fill: u32,
    left: u32,
    /// Clocks until the queue's registers stand still.
    settling: u8,
    flow_bits: u32,
}

impl Park {
    /// With a place for each of `2^flow_bits` flows.
    pub fn new(flow_bits: u32) -> Self {
        Park { queue: fifo::Fifo::new(flow_bits), fill: 0, left: 0, settling: 0, flow_bits }
    }

    /// How many flows are parked.
    pub fn fill(&self) -> u32 {
        self.fill
    }
}

impl Block for Park {
    type In = In;
    /// A flow on its way back to READY.
    type Out = Option<u32>;

    fn output(&self, clk: u64) -> Option<u32> {
        if self.left > 0 { self.queue.output(clk).head } else { None }
    }

    fn step(&mut self, clk: u64, i: &In) {
        let pop = self.output(clk).is_some() && i.ready;
        self.queue.step(clk, &fifo::In { rst: i.rst, push: i.park, ready: pop });
        self.settling = if pop || i.park.is_some() { 3 } else { self.settling.saturating_sub(1) };
        let leaving = if i.resume { self.fill } else { self.left };
        self.left = leaving - u32::from(pop);
        self.fill = self.fill + u32::from(i.park.is_some()) - u32::from(pop);
        if i.rst {
            *self = Park::new(self.flow_bits);
        }
    }

    fn wake(&self, clk: u64) -> u64 {
        if self.left > 0 || self.settling > 0 { clk } else { u64::MAX }
    }
}
