//! Figures on record, of papers and of this project's own questions: samples of them, run again.
#[path = "../common/mod.rs"]
mod common;
mod ecn_or_delay;
mod lateness;
mod paper;
