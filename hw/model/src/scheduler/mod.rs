//! Corundum's transmit scheduler with our pacer, and the configuration bridge between it and the
//! control half.
pub mod courier;
pub mod mail;
pub mod queues;
pub mod registers;
pub mod ticks;
pub mod top;
pub mod window;
