//! The event queue of the network: earliest first, ties by rank, then in the order they were put
//! in.
use crate::time::{NEVER, Ps};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// A queue of events; their bodies stay in place while the heap sorts small keys.
#[derive(Debug)]
pub struct Queue<E> {
    heap: BinaryHeap<Reverse<(Ps, u32, u64, u32)>>,
    bodies: Vec<Option<E>>,
    free: Vec<u32>,
    sequence: u64,
}

impl<E> Default for Queue<E> {
    fn default() -> Self {
        Queue { heap: BinaryHeap::new(), bodies: Vec::new(), free: Vec::new(), sequence: 0 }
    }
}

impl<E> Queue<E> {
    /// Puts an event in. `rank` orders events of the same time by where they come from, so that the
    /// order does not depend on how far ahead a host was run.
    pub fn push(&mut self, at: Ps, rank: u32, event: E) {
        let slot = match self.free.pop() {
            Some(s) => {
                self.bodies[s as usize] = Some(event);
                s
            }
            None => {
                self.bodies.push(Some(event));
                self.bodies.len() as u32 - 1
            }
        };
        self.heap.push(Reverse((at, rank, self.sequence, slot)));
        self.sequence += 1;
    }

    /// Time of the earliest event.
    pub fn next(&self) -> Ps {
        self.heap.peek().map_or(NEVER, |Reverse((t, ..))| *t)
    }

    /// Takes the earliest event if it is before `until`.
    pub fn pop_before(&mut self, until: Ps) -> Option<(Ps, E)> {
        if self.next() >= until {
            return None;
        }
        let Reverse((at, _, _, slot)) = self.heap.pop()?;
        self.free.push(slot);
        self.bodies[slot as usize].take().map(|e| (at, e))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ties_go_by_rank_then_by_age() {
        let mut q = Queue::default();
        for (t, rank, name) in [(5, 1, 'd'), (5, 0, 'b'), (5, 0, 'c'), (4, 9, 'a'), (9, 0, 'e')] {
            q.push(t, rank, name);
        }
        let order: String = std::iter::from_fn(|| q.pop_before(9).map(|(_, e)| e)).collect();
        assert_eq!(order, "abcd");
        assert_eq!(q.next(), 9);
    }
}
