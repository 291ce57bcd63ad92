//! Jitter of feedback: ACKs and congestion notifications come later, by a delay that each flow
//! draws anew every so often, as in figure 20 of "ECN or Delay". They keep their order within a
//! flow: nothing overtakes on a path.
use crate::time::Ps;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::collections::HashMap;

/// Parameters of the jitter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Jitter {
    /// Delays are uniform from 0 to this.
    pub most: Ps,
    /// A flow draws again after this.
    pub every: Ps,
}

/// The jitter of a run.
#[derive(Debug)]
pub struct Feedback {
    jitter: Jitter,
    seed: u64,
    // Of each flow, by the host that sends it and its number there: when what was held last goes
    // on.
    last: HashMap<(u16, u32), Ps>,
}

impl Feedback {
    /// Draws by this seed.
    pub fn new(jitter: Jitter, seed: u64) -> Self {
        Feedback { jitter, seed, last: HashMap::new() }
    }

    /// Delay that a flow draws for the period that a time is in, ps.
    pub fn draw(&self, flow: (u16, u32), at: Ps) -> Ps {
        let mut rng = ChaCha8Rng::seed_from_u64(self.seed ^ u64::from(flow.0) << 32 ^ u64::from(flow.1));
        rng.set_stream(at / self.jitter.every.max(1));
        rng.random_range(0..=self.jitter.most)
    }

    /// How long what leaves at a time is held.
    pub fn hold(&mut self, flow: (u16, u32), at: Ps) -> Ps {
        let until = at + self.draw(flow, at);
        let last = self.last.entry(flow).or_insert(0);
        *last = until.max(*last);
        *last - at
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::US;

    /// Draws have the mean and deviation of a uniform one, differ by flow and period and not within
    /// one, and nothing overtakes.
    #[test]
    fn draws_are_uniform_and_keep_the_order() {
        let mut f = Feedback::new(Jitter { most: 100 * US, every: 5 * US }, 7);
        let n = 20_000;
        let all: Vec<f64> = (0..n).map(|k| f.draw((3, 1), k * 5 * US) as f64 / US as f64).collect();
        let mean = all.iter().sum::<f64>() / n as f64;
        let deviation = (all.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / n as f64).sqrt();
        // 100 / 2 and 100 / sqrt(12); standard errors .2 and .13.
        assert!((mean - 50.0).abs() < 0.9 && (deviation - 28.87).abs() < 0.6, "{mean} {deviation}");
        assert_eq!(f.draw((3, 1), 5 * US), f.draw((3, 1), 10 * US - 1));
        assert_ne!(f.draw((3, 1), 5 * US), f.draw((3, 2), 5 * US));
        let mut before = 0;
        for k in 0..1000 {
            let at = k * 3 * US;
            let until = at + f.hold((0, 0), at);
            assert!(until >= before && until <= at + 100 * US, "{k}");
            before = until;
        }
    }
}
