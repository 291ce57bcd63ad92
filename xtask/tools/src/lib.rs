//! The tools that the project's developer programs share: those beyond Rust, found or installed,
//! and the starting of other programs.
pub mod debian;
pub mod hash;
pub mod process;
pub mod setup;
