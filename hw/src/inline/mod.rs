//! The in-line form, in which the host's own packets go through the NIC: OpenNIC's user box and
//! NetFPGA's datapath.
pub mod aside;
pub mod bridge;
mod core;
pub mod credit;
pub mod entry;
pub mod exit;
pub mod spread;
pub mod vacant;

pub use core::Inline;
