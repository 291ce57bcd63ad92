//! The timely-nic driver in user space.
//!
//! [`transport`] reaches a device: kernel VFIO, vfio-user over a socket, a card beside its network driver, a serial line, or any other implementation
//! of [`transport::Transport`].
//! [`board`] finds the registers on it.
//! [`nic`] is the driver's logic, written once on the register accessors of `timely_regs`: opening and closing in the careful order,
//! flows, profiles, event ring, snapshots, heartbeat. [`selftest`] runs all of it on a device and says what held.
#![deny(clippy::print_stdout, clippy::print_stderr)]
pub mod board;
pub mod client;
pub mod clock;
pub mod command;
pub mod config;
pub mod daemon;
pub mod error;
pub mod failure;
pub mod folders;
pub mod host;
pub mod lock;
pub mod nic;
pub mod pci;
pub mod plan;
pub mod protocol;
pub mod record;
pub mod registers;
pub mod report;
pub mod say;
pub mod selftest;
pub mod service;
pub mod signals;
pub mod sim;
pub mod spec;
pub mod target;
pub mod traffic;
pub mod transport;
pub mod units;

pub use error::Error;
