//! Completions of sent frames: `timely_hw::shells::corundum::app::departures`.
use super::TimeOfDay;
use crate::Block;
use crate::bus::Completion;
use crate::fifo;
use crate::time::LINEAR_LATENCY;
use std::collections::VecDeque;
use timely_regs::link::ACK_TAG;

/// Clocks from a completion to what it says of a departure.
pub const LATENCY: usize = LINEAR_LATENCY;
/// Address bits of the queue of completions.
pub const QUEUE: u32 = 4;
/// The bit of a tag that says that the frame is the core's own.
pub const OF_CORE: u16 = 0x8000;

/// A completion as it comes and goes on.
pub type Stamped = (u16, TimeOfDay);

/// Inputs at a clock.
#[derive(Clone, Copy, Debug, Default)]
pub struct In {
    /// Synchronous reset.
    pub rst: bool,
    /// Data frames of ours are told of too; a level.
    pub told: bool,
    /// A completion is offered.
    pub completion: Option<Stamped>,
    /// The completion at the output is taken.
    pub ready: bool,
}

/// Outputs at a clock.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Out {
    /// A completion is taken at this clock if offered.
    pub ready: bool,
    /// One of the core's.
    pub completion: Option<Stamped>,
    /// A departure for the RTT: the tag without the highest bit that the core's have.
    pub departure: Option<Completion>,
}

/// The way of completions: the core's go on, each once; ours end here.
#[derive(Clone, Debug)]
pub struct Departures {
    queue: fifo::Fifo<Stamped>,
    line: VecDeque<Option<Completion>>,
}

impl Default for Departures {
    fn default() -> Self {
        Departures { queue: fifo::Fifo::new(QUEUE), line: VecDeque::from([None; LATENCY]) }
    }
}

impl Block for Departures {
    type In = In;
    type Out = Out;

    fn output(&self, clk: u64) -> Out {
        let queue = self.queue.output(clk);
        Out { ready: queue.ready, completion: queue.head, departure: self.line[0] }
    }

    fn step(&mut self, clk: u64, i: &In) {
        let own = i.completion.filter(|(tag, _)| tag & OF_CORE != 0);
        let told = own.or(i.completion.filter(|(tag, _)| i.told && *tag != ACK_TAG));
        let taken = told.filter(|_| self.output(clk).ready);
        self.line.pop_front();
        self.line.push_back(taken.map(|(tag, ts)| Completion { tag: tag & !OF_CORE, ts: ts.linear() }));
        self.queue.step(clk, &fifo::In { rst: i.rst, push: own, ready: i.ready });
        if i.rst {
            self.line = VecDeque::from([None; LATENCY]);
        }
    }

    fn wake(&self, clk: u64) -> u64 {
        if self.queue.is_empty() && self.line.iter().all(Option::is_none) { u64::MAX } else { clk }
    }
}
