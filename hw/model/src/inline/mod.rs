//! The blocks beside the halves and the packet store where the host's own packets go through the
//! NIC: `timely_hw::inline`.
pub mod aside;
pub mod bridge;
pub mod credit;
pub mod entry;
pub mod exit;
pub mod form;
pub mod nic;
pub mod pairs;
pub mod spread;
pub mod vacant;
mod waiting;
