//! A distribution of message sizes, or of times: what is drawn lies between its ends.
use crate::check::{file, said};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use timely_sim::workload::sizes;

pub fn run(input: &[u8]) {
    let path = file("sizes.cdf", input);
    for read in [sizes::read(&path), sizes::times(&path)] {
        match read {
            Ok(sizes) => {
                let (mut rng, mean) = (ChaCha8Rng::seed_from_u64(1), sizes.mean());
                assert!(mean.is_finite() && mean >= 0.0, "a mean of {mean}");
                for _ in 0..16 {
                    assert!(sizes.draw(&mut rng) <= 1_000_000_000_000_000);
                }
            }
            Err(e) => assert!(said(&e).contains("sizes.cdf"), "{e}"),
        }
    }
}
