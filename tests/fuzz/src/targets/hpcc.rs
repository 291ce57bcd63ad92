//! The files of `timely-sim hpcc`: a topology, a line of `===`, flows.
use crate::check::{file, said};
use timely_sim::scenario::file::{Hpcc, Overrides, hpcc};

/// Line between the two files.
const BETWEEN: &[u8] = b"===\n";

pub fn run(input: &[u8]) {
    let cut = input.windows(BETWEEN.len()).position(|w| w == BETWEEN).unwrap_or(input.len());
    let (topology, flows) = input.split_at(cut);
    let topology = file("topology.txt", topology);
    let flows = file("flow.txt", flows.strip_prefix(BETWEEN).unwrap_or_default());
    let told = Hpcc {
        topology: &topology,
        flows: &flows,
        profile: Some("timely-10g"),
        packet_bytes: 1000,
        segment_bytes: 3000,
        xoff_kb: 50.0,
        mark_kb: None,
        mark_most_kb: None,
        mark_chance: None,
        limit_ms: None,
    };
    match hpcc(&told, &Overrides::default()) {
        Ok(plan) => match plan.check() {
            Ok(()) => {
                let total: u64 = plan.flows.iter().filter_map(|f| f.total()).sum();
                assert!(total > 0 && plan.bottleneck().is_some());
            }
            Err(e) => drop(said(&e)),
        },
        Err(e) => assert!(said(&e).contains(".txt"), "{e}"),
    }
}
