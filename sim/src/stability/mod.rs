//! Command line and reports of the analysis of stability, which is
//! [`timely_network::stability`]'s.
pub mod command;
pub mod nic_report;
pub mod report;

pub use timely_network::stability::*;
