//! A sweep file beside a scenario of one host that sends to another.
use crate::check::{file, said};
use timely_sim::sweep::Sweep;

const SCENARIO: &[u8] = b"duration_ms = 1\n[topology]\nhosts = 3\n[[flow]]\nfrom = 0\nto = 2\n[[flow]]\nfrom = 1\nto = 2\n";

pub fn run(input: &[u8]) {
    file("scenario.toml", SCENARIO);
    match Sweep::read(&file("sweep.toml", input)) {
        Ok(sweep) => assert!(!sweep.runs.is_empty() && sweep.runs.iter().enumerate().all(|(i, r)| r.index == i)),
        Err(e) => drop(said(&e)),
    }
}
