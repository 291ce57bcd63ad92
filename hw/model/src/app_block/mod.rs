//! The blocks around the control half in Corundum's application block:
//! `timely_hw::shells::corundum::app`.
pub mod app;
pub mod arrivals;
pub mod credit;
pub mod departures;
pub mod host_read;
pub mod host_write;
pub mod launches;
pub mod nic;
pub mod pins;
pub mod traffic;

/// A time of day as Corundum carries it, 96 bits: seconds 48, two zeros, ns 30, 2^-16 ns 16.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TimeOfDay(pub u128);

impl TimeOfDay {
    /// From its parts.
    pub fn new(seconds: u64, ns: u32, fraction: u16) -> Self {
        TimeOfDay((u128::from(seconds) & 0xffff_ffff_ffff) << 48 | (u128::from(ns) & 0x3fff_ffff) << 16 | u128::from(fraction))
    }

    /// The time of day as ns48.fns16.
    pub fn linear(self) -> u64 {
        crate::time::linear((self.0 >> 48) as u64 & 0xffff_ffff_ffff, (self.0 >> 16) as u32 & 0x3fff_ffff, self.0 as u16)
    }
}
