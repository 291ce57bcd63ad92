//! The soft reset: which flow is loaded with an empty record at which clock.
use super::Written;
use crate::dma::LOAD_CLOCKS;
use timely_regs::map::id;

/// The flows of a reset that is under way.
#[derive(Clone, Debug, Default)]
pub(super) struct Clear {
    /// The next flow, and the first clock at which it may be loaded.
    next: Option<(u32, u64)>,
}

impl Clear {
    /// A reset is under way.
    pub fn runs(&self) -> bool {
        self.next.is_some()
    }

    /// A clock; the flow that is loaded at it. It waits for DMA's loads, and so the two never meet.
    pub fn step(&mut self, clk: u64, last: u32, loading: bool, written: Written) -> Option<u32> {
        let flow = self.next.filter(|(_, due)| clk >= *due && !loading).map(|(flow, _)| flow);
        let later = clk + u64::from(LOAD_CLOCKS);
        if let Some(flow) = flow {
            self.next = (flow != last).then_some((flow + 1, later));
        }
        if let Some((_, 1)) = written.filter(|w| w.0 == id::RESET.word()) {
            self.next = Some((0, later));
        }
        flow
    }

    pub fn wake(&self, clk: u64) -> u64 {
        self.next.map_or(u64::MAX, |(_, due)| due.max(clk))
    }
}
