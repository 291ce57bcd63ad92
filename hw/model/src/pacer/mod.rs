//! Under construction.
pub mod gate;
pub mod timemap;
pub mod wheel;
