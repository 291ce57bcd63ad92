//! A Gigabit Ethernet MAC, a byte a clock, for boards whose shell has none.
mod crc;
pub mod rx;
pub mod tx;

pub use crc::Crc;
pub use rx::Rx;
pub use tx::Tx;
