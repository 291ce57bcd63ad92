//! NICs of every kind in the network, and what is recorded of them.
#[path = "../common/mod.rs"]
mod common;
mod corundum;
mod inline;
mod mac;
mod paced;
mod pcapng;
mod replay;
