//! The event counters: few bits each that count at once, and a RAM that a round of 32 clocks adds
//! them to.
use std::collections::VecDeque;
use timely_regs::counters::PLACES;

/// Clocks from the visit of a counter to its new value at the output.
const LATENCY: u64 = 3;

/// Clocks of a round, in each of which one of the lower and one of the upper counters is visited.
pub(super) const ROUND: usize = 32;

/// 64 counters of 32 bits.
#[derive(Clone, Debug)]
pub(super) struct Counters {
    total: [u32; PLACES],
    /// Events since the last visit.
    recent: [u32; PLACES],
    /// Clock modulo 32 at which counters 0 and 32 are visited.
    zero: u64,
    /// Additions on their way into the RAM: the clock at which each is there, the counter, the
    /// amount.
    line: VecDeque<(u64, usize, u32)>,
    /// The clock of the next step.
    next: u64,
}

impl Default for Counters {
    fn default() -> Self {
        Counters { total: [0; PLACES], recent: [0; PLACES], zero: 0, line: VecDeque::new(), next: 0 }
    }
}

impl Counters {
    /// Cleared by a reset at clock `clk`.
    pub fn cleared(clk: u64) -> Self {
        Counters { zero: (clk + 1) % ROUND as u64, next: clk + 1, ..Default::default() }
    }

    fn visited(&self, clk: u64) -> usize {
        (clk.wrapping_sub(self.zero) % ROUND as u64) as usize
    }

    /// The lower counter that the output shows at `clk`, and its value and that of the counter 32
    /// above it.
    pub fn shown(&self, clk: u64) -> (usize, [u32; 2]) {
        let index = self.visited(clk.wrapping_sub(LATENCY));
        (index, [self.total[index], self.total[index + ROUND]])
    }

    /// The clocks before `clk` that were not stepped, in which nothing happened.
    pub fn catch_up(&mut self, clk: u64) {
        // By then what had happened is in the RAM.
        let end = clk.min(self.next + ROUND as u64 + LATENCY);
        for clk in self.next..end {
            self.step(clk, 0);
        }
    }

    pub fn step(&mut self, clk: u64, mut pulses: u64) {
        self.next = clk + 1;
        let visited = self.visited(clk);
        for index in [visited, visited + ROUND] {
            if self.recent[index] != 0 {
                self.line.push_back((clk + LATENCY, index, std::mem::take(&mut self.recent[index])));
            }
        }
        while pulses != 0 {
            self.recent[pulses.trailing_zeros() as usize] += 1;
            pulses &= pulses - 1;
        }
        while let Some(&(due, index, events)) = self.line.front()
            && due == clk + 1
        {
            self.total[index] = self.total[index].wrapping_add(events);
            self.line.pop_front();
        }
    }
}
