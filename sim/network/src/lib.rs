//! Packet-level networks of timely-nic NICs: hosts, NICs, links and switches, and the fluid models
//! beside them.
//!
//! Time is u64 picoseconds and every run repeats exactly from its seed. A NIC is bit-true
//! ([`nic::mac`] around a [`nic::core::Core`]: Verilated RTL or the integer model) or event-level
//! ([`nic::paced`], [`nic::software`]); the [`fabric`] runs thousands of event-level hosts.
#![forbid(unsafe_code)]
// Panics of these macros on a closed or full stdout would be ours.
#![deny(clippy::print_stdout, clippy::print_stderr)]
pub mod cores;
pub mod event;
pub mod fabric;
pub mod feedback;
pub mod fluid;
pub mod frame;
pub mod marking;
pub mod metrics;
pub mod network;
pub mod nic;
pub mod pcapng;
pub mod quantity;
pub mod recording;
pub mod rival;
pub mod run;
pub mod sizes;
pub mod stability;
pub mod switch;
pub mod time;
pub mod topology;
