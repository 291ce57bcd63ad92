//! A trace of lateness: values from 0 to a second.
use crate::check::{file, said};
use timely_sim::pacing::trace;
use timely_sim::time::MS;

pub fn run(input: &[u8]) {
    let path = file("late.ns", input);
    match trace::read(&path) {
        Ok(all) => assert!(!all.is_empty() && all.iter().all(|ps| *ps <= 1000 * MS)),
        Err(e) => assert!(said(&e).contains("late.ns"), "{e}"),
    }
}
