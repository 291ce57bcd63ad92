//! A scenario that is run for some microseconds, if it is a small one: what was checked can be run.
use crate::check::{beside, said};
use timely_sim::cores;
use timely_sim::scenario::file::{Overrides, parse_with};
use timely_sim::scenario::{NicKind, build, hpcc};
use timely_sim::time::Ps;

/// Length of a run.
const DURATION_MS: f64 = 0.02;
/// Largest network and most flows of a run.
const NODES: usize = 24;
const FLOWS: usize = 64;

pub fn run(input: &[u8]) {
    let Ok(text) = std::str::from_utf8(input) else { return };
    let short = Overrides { duration_ms: Some(DURATION_MS), ..Overrides::default() };
    let Ok(plan) = parse_with(&beside("scenario.toml"), text, &short) else { return };
    // Verilog would have to be compiled first.
    let small = plan.topology.nodes() <= NODES && plan.flows.len() <= FLOWS && plan.nic.kind != NicKind::Rtl;
    if !small || plan.check().is_err() {
        return;
    }
    match build::run(plan, &*cores::factory(), |_: Ps| ()) {
        Ok(outcome) => {
            let (text, left) = hpcc::fct(&outcome.plan, &outcome.recorder);
            assert_eq!(text.lines().count() + left, outcome.plan.flows.iter().filter(|f| f.total().is_some()).count());
        }
        Err(e) => drop(said(&e)),
    }
}
