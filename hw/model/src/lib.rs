//! The timely-nic datapath in plain integer Rust: the specification that the RTL is held equal to,
//! bit for bit.
//!
//! Every block implements [`Block`]. Its outputs at a clock are a function of its registers alone,
//! so blocks compose in any order, and it has two faces: [`Block::step`], one clock; and
//! [`Block::wake`], the next clock at which stepping matters, which lets a simulator skip all the
//! clocks between two packets. Tests hold the two equal.
pub mod ack;
pub mod app_block;
pub mod bus;
pub mod check;
pub mod core;
pub mod csr;
pub mod dma;
pub mod engine;
pub mod fifo;
pub mod frame;
pub mod generator;
pub mod hold;
pub mod inline;
pub mod launch;
pub mod mac;
pub mod mark;
pub mod nic;
pub mod notifier;
pub mod pacer;
pub mod parse;
mod part;
pub mod pause;
pub mod queue_pairs;
pub mod reaction;
pub mod reference;
pub mod roce;
pub mod round_trips;
pub mod rtt;
pub mod scheduler;
pub mod serial;
pub mod store;
pub mod stream;
pub mod telemetry;
pub mod time;
pub mod txmux;

/// A block of the datapath.
pub trait Block {
    /// Inputs that the block samples at a clock's edge. `Default` is the idle input: nothing valid,
    /// downstream not ready, reset inactive.
    type In: Default + Clone;
    /// Outputs that the block's registers show during a clock.
    type Out: PartialEq + std::fmt::Debug + Clone;

    /// The outputs during clock `clk`, before its edge.
    fn output(&self, clk: u64) -> Self::Out;

    /// The edge that ends clock `clk`.
    fn step(&mut self, clk: u64, input: &Self::In);

    /// The first clock `>= clk` that must be stepped although the input stays idle; `u64::MAX` when
    /// there is none.
    ///
    /// For every clock from `clk` to that one, exclusive, the output is the idle one and an idle
    /// step changes nothing that a later output depends on.
    fn wake(&self, clk: u64) -> u64;
}
