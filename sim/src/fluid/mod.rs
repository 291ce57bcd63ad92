//! Command line and reports of the fluid models, which are [`timely_network::fluid`]'s.
pub mod command;
pub mod report;

pub use timely_network::fluid::*;
