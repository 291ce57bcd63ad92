//! The in-line forms, in which the host's own packets go through the NIC: OpenNIC's user box and
//! NetFPGA's datapath.
pub mod aside;
pub mod bridge;
mod core;
pub mod credit;
pub mod entry;
pub mod exit;
pub mod pairs;
mod path;
pub mod spread;
pub mod vacant;
mod waiting;

pub use core::Inline;
pub use pairs::PairInline;
pub use path::Path;
