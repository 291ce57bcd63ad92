//! Closed loops: the laws in networks, against what theory or a paper expects of them.
#[path = "../common/mod.rs"]
mod common;
mod ecn_loop;
mod feedback;
mod law_loop;
mod law_margins;
mod law_samples;
mod laws;
mod limited;
mod reset;
mod rounded;
