//! Corundum's transmit scheduler with our pacer: its queues; and the courier that brings it what the control half decides.
pub mod courier;
pub mod kept;
pub mod queues;
pub mod turns;
