//! Corundum's transmit scheduler with our pacer, and the courier that carries between it and the control half.
pub mod courier;
pub mod queues;
