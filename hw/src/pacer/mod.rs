//! The pacer: decides which flow may send its next packet, and when. The parts and how they join:
//! `timely_model::pacer`.
pub mod charge;
pub mod delay;
pub mod doorbell;
pub mod gate;
pub mod park;
pub mod pass;
pub mod ready;
pub mod top;
pub mod wheel;
pub use top::Pacer;
