//! The event counters: few bits each that count at once, and a RAM that a round of 32 clocks adds them to.
use std::collections::VecDeque;
use timely_regs::counters::PLACES;

/// Clocks from the visit of a counter to its new value at the output.
const LATENCY: u64 = 3;

/// 32 counters of 32 bits, visited in turn, one a clock.
#[derive(Clone, Debug, Default)]
pub(super) struct Counters {
    total: [u32; PLACES],
    /// Events since the last visit.
    recent: [u32; PLACES],
    /// Clock modulo 32 at which counter 0 is visited.
    zero: u64,
    /// What is on its way into the RAM: when it is there, which counter, how much.
    line: VecDeque<(u64, usize, u32)>,
}

impl Counters {
    /// Cleared by a reset at clock `clk`.
    pub fn cleared(clk: u64) -> Self {
        Counters { zero: (clk + 1) % PLACES as u64, ..Default::default() }
    }

    fn visited(&self, clk: u64) -> usize {
        (clk.wrapping_sub(self.zero) % PLACES as u64) as usize
    }

    /// The counter that the output shows at `clk`, and its value.
    pub fn shown(&self, clk: u64) -> (usize, u32) {
        let index = self.visited(clk.wrapping_sub(LATENCY));
        (index, self.total[index])
    }

    pub fn step(&mut self, clk: u64, pulses: u32) {
        let visited = self.visited(clk);
        if self.recent[visited] != 0 {
            self.line.push_back((clk + LATENCY, visited, std::mem::take(&mut self.recent[visited])));
        }
        for (i, recent) in self.recent.iter_mut().enumerate() {
            *recent += pulses >> i & 1;
        }
        if let Some(&(due, index, events)) = self.line.front()
            && due == clk + 1
        {
            self.total[index] = self.total[index].wrapping_add(events);
            self.line.pop_front();
        }
    }

    pub fn is_idle(&self) -> bool {
        self.line.is_empty() && self.recent == [0; PLACES]
    }
}
