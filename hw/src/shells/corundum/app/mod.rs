//! Corundum's application block: the control half among its streams.
pub mod arrivals;
mod core;
pub mod credit;
pub mod departures;
pub mod host_read;
pub mod host_write;
pub mod launches;
pub mod traffic;

pub use core::App;
