//! The program's commands, as a user runs them.
#[path = "../common/mod.rs"]
mod common;
mod demo;
mod program;
mod slurm;
mod sweep;
