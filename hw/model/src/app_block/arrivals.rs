//! Beats and stamps on their way to the parser: `timely_hw::shells::corundum::app::arrivals`.
use super::TimeOfDay;
use crate::Block;
use crate::stream::Beat;
use crate::time::LINEAR_LATENCY;
use std::collections::VecDeque;

/// Clocks from a beat to the same one at the output.
pub const LATENCY: usize = LINEAR_LATENCY;

/// Inputs at a clock.
#[derive(Clone, Copy, Debug, Default)]
pub struct In {
    /// Synchronous reset.
    pub rst: bool,
    /// A beat that is taken, its stamp, and whether the MAC marks it bad.
    pub beat: Option<(Beat, TimeOfDay, bool)>,
}

/// Outputs at a clock.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Out {
    /// The beat, its stamp as ns48.fns16, and whether it is bad.
    pub beat: Option<(Beat, u64, bool)>,
}

/// The way from the MAC's stream to the parser.
#[derive(Clone, Debug)]
pub struct Arrivals {
    line: VecDeque<Option<(Beat, u64, bool)>>,
}

impl Default for Arrivals {
    fn default() -> Self {
        Arrivals { line: VecDeque::from([None; LATENCY]) }
    }
}

impl Block for Arrivals {
    type In = In;
    type Out = Out;

    fn output(&self, _clk: u64) -> Out {
        Out { beat: self.line[0] }
    }

    fn step(&mut self, _clk: u64, i: &In) {
        self.line.pop_front();
        self.line.push_back(i.beat.map(|(beat, stamp, bad)| (beat, stamp.linear(), bad)));
        if i.rst {
            *self = Arrivals::default();
        }
    }

    fn wake(&self, clk: u64) -> u64 {
        if self.line.iter().all(Option::is_none) { u64::MAX } else { clk }
    }
}
