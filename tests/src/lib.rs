//! Helpers of the tests that cross crates: seeds, lengths, and the loop that holds a block's
//! Verilog equal to its model.
pub mod axis;
pub mod bench;
pub mod board;
pub mod flat;
pub mod flood;
pub mod fourstate;
pub mod frames;
pub mod in_process;
pub mod loopback;
pub mod measure;
pub mod network;
pub mod nic;
pub mod roce;
pub mod served;
pub mod settings;
pub mod soak;
pub mod torn;
pub mod transmit;
pub mod windows;

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::io::{Write, stdout};
use std::sync::Arc;
use timely_model::bus::Charge;
use timely_verilate::{Library, Options, build, mutant};

/// Clocks of an ordinary run's lockstep test.
pub const ORDINARY_CYCLES: u64 = 200_000;

/// Clocks that a lockstep test runs for each block and seed: 200,000, or `TIMELY_CYCLES`.
pub fn cycles() -> u64 {
    std::env::var("TIMELY_CYCLES").ok().and_then(|v| v.parse().ok()).unwrap_or(ORDINARY_CYCLES)
}

/// True where tests that take minutes are left out: `cargo xtask test --quick`.
pub fn quick() -> bool {
    cycles() < ORDINARY_CYCLES
}

/// True where tests too long for every run are run: `cargo xtask soak` asks for more clocks than
/// the usual.
pub fn thorough() -> bool {
    cycles() > ORDINARY_CYCLES
}

/// Whether what takes too long for every run is left out, and said to be.
pub fn left_to_soak(what: &str) -> bool {
    if !thorough() {
        // Past the test's capture, for `cargo xtask test` to tell.
        writeln!(stdout(), "left out: {what}: cargo xtask soak runs it, and so does TIMELY_CYCLES=200001").expect("stdout");
    }
    !thorough()
}

/// Seeds of a long test of the whole NIC: the first of [`seeds`]; under `cargo xtask soak` each.
pub fn few_seeds() -> Vec<u64> {
    let mut seeds = seeds();
    if !thorough() {
        seeds.truncate(1);
    }
    seeds
}

/// Seeds of a random test: 1 and 2, or the one in `TIMELY_SEED`. Every failing assertion prints the
/// seed it ran with.
pub fn seeds() -> Vec<u64> {
    match std::env::var("TIMELY_SEED").ok().and_then(|v| v.parse().ok()) {
        Some(seed) => vec![seed],
        None => vec![1, 2],
    }
}

/// The random numbers of a seed.
pub fn rng(seed: u64) -> ChaCha8Rng {
    println!("seed {seed} (TIMELY_SEED={seed} repeats it)");
    ChaCha8Rng::seed_from_u64(seed)
}

/// A charge on its ports: valid, flow, wire bytes, whether it ends a segment.
pub fn charge([valid, flow, bytes, ends]: [u64; 4]) -> Option<Charge> {
    (valid == 1).then_some(Charge { flow: flow as u32, bytes: bytes as u16, ends: ends == 1 })
}

/// The Verilated form of a RustHDL block.
pub fn verilate<B: rust_hdl::prelude::Block>(name: &str, block: B) -> Arc<Library> {
    let emit = || timely_hw::emit::emit(name, block).unwrap_or_else(|e| panic!("emission: {e}"));
    let key = format!("{name}.{}", short_name::<B>());
    let verilog = mutant::text(&key, emit);
    build(&key, &verilog, &format!("{}{name}", timely_hw::emit::PREFIX), Options::default()).unwrap_or_else(|e| panic!("{e}"))
}

// A type without its path, its numbers after it: `Fifo_40_3_4`.
fn short_name<B>() -> String {
    let name = std::any::type_name::<B>();
    let (path, numbers) = name.split_once('<').unwrap_or((name, ""));
    let words = numbers.split(|c: char| !c.is_alphanumeric()).filter(|w| !w.is_empty());
    path.rsplit("::").take(1).chain(words).collect::<Vec<_>>().join("_")
}

/// A random level that holds for a while: stalls come in runs, as real back pressure does.
pub struct Runs {
    value: bool,
    left: u32,
    /// Probability that a run is of `true`
    pub p: f64,
    /// Longest run.
    pub longest: u32,
}

impl Runs {
    /// Runs of up to `longest` clocks that are `true` with probability `p`.
    pub fn new(p: f64, longest: u32) -> Self {
        Runs { value: false, left: 0, p, longest }
    }

    /// From now on with this probability: the run ends.
    pub fn set(&mut self, p: f64) {
        (self.p, self.left) = (p, 0);
    }

    /// The level of the next clock.
    pub fn next(&mut self, rng: &mut impl Rng) -> bool {
        if self.left == 0 {
            self.value = rng.random_bool(self.p);
            self.left = rng.random_range(1..=self.longest);
        }
        self.left -= 1;
        self.value
    }
}
