//! Simulated networks of timely-nic NICs: hosts, links, switches; scenarios, figures, reports.
//!
//! Time is u64 picoseconds and every run repeats exactly from its seed. A NIC is bit-true
//! ([`nic::mac`] around a [`nic::core::Core`]: Verilated RTL or the integer model) or event-level
//! ([`nic::paced`], [`nic::software`]); the [`fabric`] runs thousands of event-level hosts.
#![forbid(unsafe_code)]
// Panics of these macros on a closed or full stdout would be ours.
#![deny(clippy::print_stdout, clippy::print_stderr)]
pub mod bench;
pub mod bump;
pub mod cores;
pub mod demo;
pub mod ecn_or_delay;
pub mod event;
pub mod fabric;
pub mod feedback;
pub mod fluid;
pub mod frame;
pub mod input;
pub mod loops;
pub mod marking;
pub mod metrics;
pub mod network;
pub mod nic;
pub mod output;
pub mod pacing;
pub mod page;
pub mod paper;
pub mod pcapng;
pub mod quantity;
pub mod recording;
pub mod replay;
pub mod report;
pub mod rival;
pub mod run;
pub mod scenario;
pub mod serve;
pub mod stability;
pub mod sweep;
pub mod switch;
pub mod time;
pub mod topology;
pub mod workload;
