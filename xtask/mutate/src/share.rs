//! Points that tests reach, of all that there are.
use serde::{Deserialize, Serialize};

/// Points of a kind, and those of them that were reached.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Share {
    reached: usize,
    of: usize,
}

impl Share {
    /// So many of so many.
    pub fn new(reached: usize, of: usize) -> Self {
        Share { reached, of }
    }

    /// The points of both.
    pub fn plus(self, other: Share) -> Self {
        Share { reached: self.reached + other.reached, of: self.of + other.of }
    }

    /// All points.
    pub fn points(self) -> usize {
        self.of
    }

    /// Points that are not reached.
    pub fn missing(self) -> usize {
        self.of - self.reached
    }

    /// The part that is reached; 1 of none.
    pub fn part(self) -> f64 {
        if self.of == 0 { 1.0 } else { self.reached as f64 / self.of as f64 }
    }

    /// The part, and of how many.
    pub fn shown(self) -> String {
        // Cut, so that a share below the bound does not look like it.
        if self.of == 0 { "-".into() } else { format!("{:.3} of {}", (self.part() * 1e3).floor() / 1e3, self.of) }
    }
}
