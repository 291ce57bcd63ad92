//! Corundum's transmit scheduler with our pacer: its queues, its window and its registers; and the
//! courier that brings it what the control half decides.
pub mod courier;
pub mod emission;
pub mod kept;
pub mod mail;
pub mod queues;
pub mod registers;
pub mod share;
pub mod ticks;
pub mod top;
pub mod turns;
pub mod window;
pub use top::Scheduler;
