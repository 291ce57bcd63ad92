//! A query under way: waits for the answer, then moves it into the store, a word a clock.
use super::Written;
use crate::bus;
use timely_regs::map::flow::ANSWER;
use timely_regs::telemetry::WORDS;

/// Clocks that a query waits for its answer.
pub const PATIENCE: u32 = 4096;

/// Tags that queries go by, one after the other; the tags above are for others that ask telemetry.
pub const TAGS: u8 = 8;

/// An answer, as telemetry gives it.
pub type Answer = [u32; WORDS];

#[derive(Clone, Debug, Default)]
enum Phase {
    #[default]
    Idle,
    /// Clocks that it will still wait.
    Waiting(u32),
    /// Next word to move.
    Copying(usize, Box<Answer>),
}

/// State of the last command.
#[derive(Clone, Debug, Default)]
pub(super) struct Query {
    phase: Phase,
    /// Tag of the query under way, or of the next.
    pub tag: u8,
    pub busy: bool,
    pub done: bool,
    pub failed: bool,
}

impl Query {
    /// The write that it wants to make at this clock.
    pub fn wants(&self) -> Written {
        match &self.phase {
            Phase::Copying(i, answer) => Some((ANSWER.word() + *i as u32, answer[*i])),
            _ => None,
        }
    }

    /// `start`: a query goes out at this clock; `loaded`: a flow is loaded at this clock; `taken`:
    /// the wanted write was made.
    pub fn step(&mut self, start: bool, loaded: bool, answer: Option<&bus::Answer>, taken: bool) {
        if start {
            *self = Query { phase: Phase::Waiting(PATIENCE - 1), tag: self.tag, busy: true, done: false, failed: false };
            return;
        }
        if loaded {
            (self.done, self.failed) = (true, false);
        }
        match &mut self.phase {
            Phase::Waiting(left) => {
                // The answer to an earlier query, which came too late, is not this one's.
                match (answer.filter(|a| a.tag == self.tag), *left) {
                    (Some(answer), _) => self.phase = Phase::Copying(0, Box::new(answer.record)),
                    (None, 0) => (self.phase, self.busy, self.failed) = (Phase::Idle, false, true),
                    (None, _) => *left -= 1,
                }
                if !matches!(self.phase, Phase::Waiting(_)) {
                    self.tag = (self.tag + 1) % TAGS;
                }
            }
            Phase::Copying(i, _) if taken => {
                *i += 1;
                if *i == WORDS {
                    (self.phase, self.busy, self.done) = (Phase::Idle, false, true);
                }
            }
            _ => {}
        }
    }

    pub fn is_idle(&self) -> bool {
        matches!(self.phase, Phase::Idle)
    }
}
