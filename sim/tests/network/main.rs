//! The network, and the laws that other people's simulators have.
#[path = "../common/mod.rs"]
mod common;
mod conext;
mod dcqcn;
mod ends;
mod fabric;
mod marking;
mod messages;
mod network;
mod rivals;
mod theory;
