//! The grant credit of `timely_hw::inline::credit`: what stands between the pacer and the wire is
//! bounded in bytes, so that a pause stops nearly all of it.
use crate::{Block, fifo};
use timely_regs::link::{LONGEST_FRAME, WIRE_OVERHEAD};

/// Clocks of the line whose bytes may wait for the wire when a grant is taken: more than it takes
/// from a grant to its packet's first beat.
pub const CLOCKS: u32 = 1 << 6;
/// Packets that may wait, whatever their bytes.
pub const MOST: u32 = 48;
/// Address bits of the queues of lengths.
pub const QUEUE: u32 = 6;
/// Bytes of a packet that is not known yet, after a reset.
pub const UNKNOWN: u32 = LONGEST_FRAME + WIRE_OVERHEAD;

/// Inputs at a clock.
#[derive(Clone, Copy, Debug, Default)]
pub struct In {
    /// Synchronous reset.
    pub rst: bool,
    /// Wire bytes that the line carries in a clock, Q8.24.
    pub line_rate: u32,
    /// A grant is taken.
    pub granted: bool,
    /// Wire bytes of the packet of the oldest grant without; 0 if it lets none go.
    pub charge: Option<u16>,
    /// A granted packet's first beat leaves.
    pub begins: bool,
}

/// The credit.
#[derive(Clone, Debug)]
pub struct Credit {
    /// Bytes of all packets that are granted and have not begun, those without a charge as `guess`
    /// was at their grants.
    ahead: u32,
    packets: u32,
    guess: u32,
    guesses: fifo::Fifo<u32>,
    lengths: fifo::Fifo<u32>,
    /// Change of `ahead` by the charge and the first beat of the clock before.
    change: u32,
}

impl Default for Credit {
    fn default() -> Self {
        Credit { ahead: 0, packets: 0, guess: UNKNOWN, guesses: fifo::Fifo::new(QUEUE), lengths: fifo::Fifo::new(QUEUE), change: 0 }
    }
}

impl Credit {
    /// A grant may be taken.
    pub fn open(&self, line_rate: u32) -> bool {
        self.ahead <= line_rate / ((1 << 24) / CLOCKS) && self.packets < MOST
    }
}

impl Block for Credit {
    type In = In;
    type Out = ();

    fn output(&self, _clk: u64) {}

    fn step(&mut self, clk: u64, i: &In) {
        if i.rst {
            *self = Credit::default();
            return;
        }
        let (guessed, length) = (self.guesses.output(clk).head, self.lengths.output(clk).head);
        let charge = i.charge.map(u32::from);
        let found = charge.filter(|bytes| *bytes != 0);
        self.ahead = (self.ahead + if i.granted { self.guess } else { 0 }).wrapping_add(self.change) & 0xf_ffff;
        let less = guessed.filter(|_| charge.is_some()).unwrap_or(0) + length.filter(|_| i.begins).unwrap_or(0);
        self.change = charge.unwrap_or(0).wrapping_sub(less);
        self.packets = (self.packets + u32::from(i.granted)) - u32::from(i.begins) - u32::from(charge == Some(0));
        self.guesses.step(clk, &fifo::In { rst: false, push: i.granted.then_some(self.guess), ready: charge.is_some() });
        self.lengths.step(clk, &fifo::In { rst: false, push: found, ready: i.begins });
        self.guess = found.map_or(self.guess, |bytes| bytes.max(self.guess - (self.guess >> 3)));
    }

    fn wake(&self, clk: u64) -> u64 {
        if self.change == 0 && self.guesses.is_settled() && self.lengths.is_settled() { u64::MAX } else { clk }
    }
}
