//! Short soaks: that they run, and that their rounds hold what they are for. `cargo xtask soak
//! --nic` is the long one, and counts its clocks in tests/soaked.toml.
use timely_tests::soak::soak;
use timely_tests::{cycles, few_seeds};

fn soaked(seeds: impl IntoIterator<Item = u64>) {
    for seed in seeds {
        let s = soak(cycles(), seed, 0, |_| ());
        println!("seed {seed}: {s}");
        assert!(s.clocks >= cycles() && s.rounds > 0 && s.sent.iter().all(|n| *n > cycles() / 2000), "{s}");
    }
}

#[test]
fn a_short_soak() {
    soaked(few_seeds());
}

/// Another seed behind each long soak that is committed.
#[test]
fn the_seed_that_is_next() {
    let record: toml::Table = include_str!("../../soaked.toml").parse().expect("the record of soaks");
    soaked(record["next_seed"].as_integer().and_then(|seed| u64::try_from(seed).ok()));
}
