//! The demultiplexer of `timely_hw::inline::spread`: frames of the host's one stream go to the port
//! that NetFPGA's metadata name.
use crate::stream::Beat;
use crate::{Block, fifo};

/// Address bits of its queue.
pub const QUEUE: u32 = 4;
/// Ports at most.
pub const PORTS: usize = 4;

/// Inputs at a clock.
#[derive(Clone, Debug, Default)]
pub struct In {
    /// Synchronous reset.
    pub rst: bool,
    /// A beat offered, and what goes beside it: of a frame's first beat, bits 23 to 16 name its
    /// source.
    pub beat: Option<(Beat, u128)>,
    /// The port takes a beat that is offered to it.
    pub ready: [bool; PORTS],
}

/// Outputs at a clock.
#[derive(Clone, Debug, PartialEq)]
pub struct Out {
    /// A beat offered is taken.
    pub ready: bool,
    /// A beat, what goes beside it, and the port that it is offered to.
    pub beat: Option<(Beat, u128, usize)>,
}

/// The demultiplexer.
#[derive(Clone, Debug)]
pub struct Spread {
    ports: usize,
    queue: fifo::Fifo<(Beat, u128)>,
    /// The port of the frame under way.
    inside: Option<usize>,
}

/// The port that a frame of a DMA engine is for: it comes from queue `n` if bit `2n + 1` of its
/// source is set, the lowest of several; from queue 0 without one.
pub fn port_of(meta: u128, ports: usize) -> usize {
    (0..ports).find(|n| meta >> (16 + 2 * n + 1) & 1 == 1).unwrap_or(0)
}

impl Spread {
    /// Nothing is inside.
    pub fn new(ports: usize) -> Self {
        Spread { ports, queue: fifo::Fifo::new(QUEUE), inside: None }
    }
}

impl Block for Spread {
    type In = In;
    type Out = Out;

    fn output(&self, clk: u64) -> Out {
        let queue = self.queue.output(clk);
        let beat = queue.head.map(|(beat, meta)| (beat, meta, self.inside.unwrap_or(port_of(meta, self.ports))));
        Out { ready: queue.ready, beat }
    }

    fn step(&mut self, clk: u64, i: &In) {
        let goes = self.output(clk).beat.filter(|b| i.ready[b.2]);
        if let Some((beat, _, port)) = goes {
            self.inside = (!beat.last).then_some(port);
        }
        self.queue.step(clk, &fifo::In { rst: i.rst, push: i.beat, ready: goes.is_some() });
        if i.rst {
            self.inside = None;
        }
    }

    fn wake(&self, clk: u64) -> u64 {
        self.queue.wake(clk)
    }
}
