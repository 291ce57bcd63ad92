//! What the project's developer programs share: the tools beyond Rust, found or installed, and the starting of other programs.
pub mod debian;
pub mod hash;
pub mod process;
pub mod setup;
