//! Simulated networks of timely-nic NICs: scenarios, papers, figures, reports, and NICs that are
//! served.
//!
//! Hosts, NICs, links and switches are [`timely_network`]'s, whose modules are re-exported. Tests
//! compile that crate with optimisation and this one without, in half of the time of both with it.
#![forbid(unsafe_code)]
// Panics of these macros on a closed or full stdout would be ours.
#![deny(clippy::print_stdout, clippy::print_stderr)]
pub mod bench;
pub mod bump;
pub mod demo;
pub mod ecn_or_delay;
pub mod fluid;
pub mod input;
pub mod loops;
pub mod output;
pub mod pacing;
pub mod page;
pub mod paper;
pub mod replay;
pub mod report;
pub mod scenario;
pub mod serve;
pub mod stability;
pub mod sweep;
pub mod workload;

pub use timely_network::{
    cores, event, fabric, feedback, frame, marking, metrics, network, nic, pcapng, quantity, recording, rival, run, switch, time, topology,
};
