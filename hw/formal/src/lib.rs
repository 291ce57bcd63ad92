//! Formal proofs about the emitted blocks at small parameters, each with a twin that carries a bug
//! and must fail.
//!
//! `README.md` beside this crate says what is proven, under which assumptions, and how the parts
//! make a whole.
pub mod blocks;
pub mod report;
pub mod run;
pub mod solve;
pub mod table;
pub mod verilog;
