//! A short soak: that it runs, and that its rounds hold what they are for. `cargo xtask soak --nic`
//! is the long one.
use timely_tests::soak::soak;
use timely_tests::{cycles, few_seeds};

#[test]
fn a_short_soak() {
    for seed in few_seeds() {
        let s = soak(cycles(), seed, |_| ());
        println!("seed {seed}: {s}");
        assert!(s.clocks >= cycles() && s.rounds > 0 && s.sent.iter().all(|n| *n > cycles() / 2000), "{s}");
    }
}
