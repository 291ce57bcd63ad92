//! The queue of `timely_hw::fifo`: 3 clocks from an empty queue's input to its output, one word a
//! clock.
use crate::Block;
use std::collections::VecDeque;

/// Inputs of a queue at a clock.
#[derive(Clone, Debug)]
pub struct In<T> {
    /// Synchronous reset.
    pub rst: bool,
    /// A word offered.
    pub push: Option<T>,
    /// Downstream takes the word at the output.
    pub ready: bool,
}

impl<T> Default for In<T> {
    fn default() -> Self {
        In { rst: false, push: None, ready: false }
    }
}

/// Outputs of a queue at a clock.
#[derive(Clone, Debug, PartialEq)]
pub struct Out<T> {
    /// An offered word is taken at this clock.
    pub ready: bool,
    /// The word at the output.
    pub head: Option<T>,
}

/// A queue of `depth` words in RAM and one in a register behind it.
#[derive(Clone, Debug)]
pub struct Fifo<T> {
    depth: usize,
    ram: VecDeque<T>,
    /// The RAM shows its oldest word.
    pending: bool,
    out: Option<T>,
}

impl<T: Clone + PartialEq + std::fmt::Debug> Fifo<T> {
    /// An empty queue of `2^address_bits` words.
    pub fn new(address_bits: u32) -> Self {
        Fifo { depth: 1 << address_bits, ram: VecDeque::new(), pending: false, out: None }
    }

    /// Nothing is in it.
    pub fn is_empty(&self) -> bool {
        self.ram.is_empty() && self.out.is_none()
    }

    /// Nothing moves until a word is pushed or taken.
    pub fn is_settled(&self) -> bool {
        self.ram.is_empty() || (self.pending && self.out.is_some())
    }
}

impl<T: Clone + PartialEq + std::fmt::Debug> Block for Fifo<T> {
    type In = In<T>;
    type Out = Out<T>;

    fn output(&self, _clk: u64) -> Out<T> {
        Out { ready: self.ram.len() < self.depth, head: self.out.clone() }
    }

    fn step(&mut self, _clk: u64, i: &In<T>) {
        let room = self.ram.len() < self.depth;
        if self.out.is_none() || i.ready {
            self.out = if self.pending { self.ram.pop_front() } else { None };
        }
        self.pending = !self.ram.is_empty();
        if room && let Some(word) = &i.push {
            self.ram.push_back(word.clone());
        }
        if i.rst {
            *self = Fifo { depth: self.depth, ram: VecDeque::new(), pending: false, out: None };
        }
    }

    fn wake(&self, clk: u64) -> u64 {
        if self.is_empty() { u64::MAX } else { clk }
    }
}
