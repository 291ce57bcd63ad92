//! The queues at the engine's input: no ready; what finds one full takes the place of the youngest word, which is lost and counted. One
//! clock when empty.
use std::collections::VecDeque;

/// A queue of `depth` words in RAM and up to two in registers behind it.
#[derive(Clone, Debug)]
pub struct Queue<T> {
    depth: usize,
    ram: VecDeque<T>,
    pending: Option<T>,
    head: Option<T>,
    spill: Option<T>,
}

impl<T: Copy> Queue<T> {
    /// An empty queue of `2^address_bits` words.
    pub fn new(address_bits: u32) -> Self {
        Queue { depth: 1 << address_bits, ram: VecDeque::new(), pending: None, head: None, spill: None }
    }

    /// The oldest word, if it stands at the output.
    pub fn head(&self) -> Option<T> {
        self.head
    }

    /// The newest word that stands behind the output registers: the one that is lost when a word finds no room.
    pub fn youngest(&self) -> Option<T> {
        self.ram.back().copied()
    }

    /// Nothing is in it.
    pub fn is_empty(&self) -> bool {
        self.ram.is_empty() && self.pending.is_none() && self.head.is_none() && self.spill.is_none()
    }

    /// A clock: `pop` takes the head, `push` comes in. Says whether a word was lost.
    pub fn step(&mut self, push: Option<T>, pop: bool) -> bool {
        let free = pop || self.head.is_none();
        let around = free && self.ram.is_empty() && self.pending.is_none() && self.spill.is_none();
        let room = self.ram.len() < self.depth;
        let held = usize::from(self.pending.is_some()) + usize::from(!free) + usize::from(self.spill.is_some());
        let delivered = self.pending.take();
        self.pending = if held < 2 { self.ram.pop_front() } else { None };
        if around {
            self.head = push;
            return false;
        }
        if free {
            self.head = if self.spill.is_some() { std::mem::replace(&mut self.spill, delivered) } else { delivered };
        } else if delivered.is_some() {
            self.spill = delivered;
        }
        if let Some(word) = push {
            if !room {
                // A read at this clock was of the oldest word: there is a youngest.
                self.ram.pop_back();
            }
            self.ram.push_back(word);
        }
        push.is_some() && !room
    }
}
