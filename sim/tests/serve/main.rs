//! The NIC that is served at a socket, asked over that socket: registers, configuration space, DMA
//! through windows of a page, MSI-X, resets, and what clients do wrong.
mod bump;
mod client;
mod device;
mod faults;
mod program;
