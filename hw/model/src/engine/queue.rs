//! The queues at the engine's input: no ready; what finds one full takes the place of the youngest
//! word, which is lost and counted. One clock when empty.
use std::collections::VecDeque;

/// A queue of `depth` words, two at least.
#[derive(Clone, Debug)]
pub struct Queue<T> {
    depth: usize,
    words: VecDeque<T>,
}

impl<T: Copy> Queue<T> {
    /// An empty queue of `2^address_bits` words.
    pub fn new(address_bits: u32) -> Self {
        Queue { depth: 1 << address_bits, words: VecDeque::new() }
    }

    /// The oldest word.
    pub fn head(&self) -> Option<T> {
        self.words.front().copied()
    }

    /// The youngest word: the one that is lost when a word finds no room.
    pub fn youngest(&self) -> Option<T> {
        self.words.back().copied()
    }

    /// Nothing is in it.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// A clock: `pop` takes the head, `push` comes in. Says whether a word was lost. What comes
    /// while it is full takes the place of the youngest even when the oldest leaves.
    pub fn step(&mut self, push: Option<T>, pop: bool) -> bool {
        let full = self.words.len() == self.depth;
        if pop {
            self.words.pop_front();
        }
        if let Some(word) = push {
            if full {
                self.words.pop_back();
            }
            self.words.push_back(word);
        }
        push.is_some() && full
    }
}
