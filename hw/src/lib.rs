//! The timely-nic datapath in RustHDL: the blocks, the halves they form, the shells around them,
//! and their emission as Verilog.
//!
//! Every block has an integer model of the same name in `timely_model` and a lockstep test in
//! `tests/`. `docs/interfaces.md` says how blocks, streams and clocks fit together.
//!
//! ```
//! use rust_hdl::prelude::*;
//! use timely_hw::config::{CLOCK_PS, Config};
//! use timely_hw::fifo::Fifo;
//!
//! let fifo: Fifo<8, 4, 5> = Fifo::default();
//! let verilog = timely_hw::emit::emit("fifo", fifo)?;
//! assert!(verilog.contains("module tnic_fifo("));
//! # let whole = || -> Result<(), Box<dyn std::error::Error>> {
//!
//! // A whole NIC takes a minute.
//! let nic = timely_hw::standalone::emit(Config::new(64, 10)?, CLOCK_PS)?;
//! assert!(nic.contains("module tnic_standalone("));
//! # Ok(())
//! # };
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
pub mod ack;
pub mod array;
pub mod blocks;
pub mod bus;
pub mod check;
pub mod config;
pub mod constant;
mod construct;
pub mod control;
pub mod core;
mod crossing;
pub mod csr;
pub mod dma;
pub mod emit;
pub mod engine;
pub mod fifo;
pub mod flow_ram;
pub mod folder;
pub mod frame;
pub mod generator;
pub mod inline;
pub mod launch;
pub mod links;
pub mod mac;
pub mod mark;
pub mod num;
pub mod pacer;
mod packed;
pub mod parse;
pub mod pause;
pub mod ram;
pub mod reaction;
pub mod roce;
pub mod rom;
pub mod rtt;
pub mod scheduler;
pub mod serial;
pub mod shells;
pub mod short;
pub mod sizes;
pub mod standalone;
pub mod store;
pub mod telemetry;
pub mod time;
pub mod txmux;
mod unroll;
