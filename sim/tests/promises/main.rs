//! The promises that users rely on, each in every form of NIC that networks have: standalone, in
//! line, Corundum's. Expectations come from arithmetic, papers and the network, never from the
//! model; `docs/promises.md` lists them with the tests of other programs.
#[path = "../common/mod.rs"]
mod common;
mod dates;
mod forged;
mod queue;
mod silence;
mod star;
mod strangers;
