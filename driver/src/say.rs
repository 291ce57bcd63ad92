//! Output of programs beside their results; a failed write changes nothing. `println!` and
//! `eprintln!` panic where output is closed or its disk is full.
use std::fmt::Display;
use std::io::{Write, stderr, stdout};
use std::time::{Duration, Instant};

/// A note, on stderr.
pub fn note(text: impl Display) {
    let _ = writeln!(stderr(), "{text}");
}

/// An announcement of a daemon, on stdout.
pub fn announce(text: impl Display) {
    let _ = writeln!(stdout(), "{text}");
}

/// Notes of what may happen often: one in this time, with a count.
const APART: Duration = Duration::from_secs(1);

/// How often something happened that was not said yet.
#[derive(Default)]
pub struct Often {
    times: u64,
    said: Option<Instant>,
}

impl Often {
    /// Counts one event.
    pub fn happened(&mut self) {
        self.times += 1;
    }

    /// How often it happened, when it is time to say so.
    pub fn due(&mut self, now: Instant) -> Option<u64> {
        let waits = self.said.is_some_and(|at| now.saturating_duration_since(at) < APART);
        if self.times == 0 || waits {
            return None;
        }
        self.said = Some(now);
        Some(std::mem::take(&mut self.times))
    }
}

/// Notes of what lasts: one when it begins, then one in this time.
const LASTING: Duration = Duration::from_secs(60);

/// A state that lasts, and when it was last said.
#[derive(Default)]
pub struct Lasting(Option<Instant>);

impl Lasting {
    /// Whether it is time to say that the state lasts; `lasts` is whether it does.
    pub fn due(&mut self, lasts: bool, now: Instant) -> bool {
        let due = lasts && self.0.is_none_or(|at| now.saturating_duration_since(at) >= LASTING);
        self.0 = if due { Some(now) } else { self.0.filter(|_| lasts) };
        due
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_lasts_is_said_at_once_and_every_minute() {
        let (mut lasting, start) = (Lasting::default(), Instant::now());
        let mut said = Vec::new();
        for s in 0..=200 {
            // It ends at 130 s and begins again at 140 s.
            if lasting.due(!(130..140).contains(&s), start + Duration::from_secs(s)) {
                said.push(s);
            }
        }
        assert_eq!(said, [0, 60, 120, 140, 200]);
    }

    #[test]
    fn what_happens_often_is_said_once_a_second() {
        let (mut often, start) = (Often::default(), Instant::now());
        assert_eq!(often.due(start), None, "it never happened");
        let mut said = Vec::new();
        for ms in 0..=2500 {
            often.happened();
            said.extend(often.due(start + Duration::from_millis(ms)).map(|times| (ms, times)));
        }
        assert_eq!(said, [(0, 1), (1000, 1000), (2000, 1000)]);
        assert_eq!(often.due(start + APART * 4), Some(500), "the rest is not forgotten");
    }
}
