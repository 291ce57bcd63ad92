//! Marking at a switch's port: the RED-like ramp, or a PI controller, by the bytes that wait there.
//! The fabric and the network of NICs with frames have the same.
use crate::fluid::marking::Pi;
use crate::time::{MS, Ps, ps};
use rand::Rng;

/// Marking of data, by the bytes that wait at a port: from `least` with a chance that grows to
/// `chance` at `most`, then always.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Marking {
    /// No frame is marked up to this.
    pub least: u32,
    /// Each is from this on.
    pub most: u32,
    /// Chance just below `most`.
    pub chance: f64,
    /// By the queue that a frame finds when it comes; else by what it leaves behind when it goes.
    pub ingress: bool,
    /// A controller of the queue sets the chance, in place of the ramp.
    pub pi: Option<Pi>,
}

/// A port's PI controller, which a ramp leaves alone.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Controlled {
    output: f64,
    // Samples taken, and the queue at the last one.
    samples: u64,
    last: f64,
}

impl Controlled {
    // The chance at a time; samples since the last frame are made up for with the queue that this
    // one finds.
    fn chance(&mut self, pi: &Pi, now: Ps, queue: u64) -> f64 {
        let (period, queue) = (ps(pi.period, 1000 * MS), queue as f64);
        let due = now / period.max(1);
        if due > self.samples {
            self.output = pi.step(self.output, queue, self.last);
            // Of a queue that stood still only the integral counts.
            let missed = Pi { period: (due - self.samples - 1) as f64 * pi.period, ..*pi };
            self.output = missed.step(self.output, queue, queue);
            (self.samples, self.last) = (due, queue);
        }
        pi.probability(self.output)
    }

    /// Draws whether a frame is marked at a port with such a queue.
    pub fn marks(&mut self, marking: &Marking, now: Ps, queue: u64, rng: &mut impl Rng) -> bool {
        match &marking.pi {
            None => marking.marks(queue, rng),
            Some(pi) => {
                let chance = self.chance(pi, now, queue);
                chance > 0.0 && rng.random_bool(chance)
            }
        }
    }
}

impl Marking {
    /// Draws whether the ramp marks a frame at a port with such a queue.
    pub fn marks(&self, queue: u64, rng: &mut impl Rng) -> bool {
        let queue = queue.min(u32::MAX.into()) as u32;
        if queue <= self.least {
            false
        } else if queue >= self.most {
            true
        } else {
            rng.random_bool(self.chance * f64::from(queue - self.least) / f64::from(self.most - self.least))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;

    /// The share of marked frames at nine queues along the ramp, at its foot, its top and beyond.
    #[test]
    fn marks_follow_the_ramp() {
        let ramp = Marking { least: 5_000, most: 205_000, chance: 0.2, ingress: true, pi: None };
        let (seed, draws) = (3, 200_000);
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut share = |queue: u64| (0..draws).filter(|_| ramp.marks(queue, &mut rng)).count() as f64 / f64::from(draws);
        assert_eq!([share(0), share(5_000), share(205_000), share(1 << 30)], [0.0, 0.0, 1.0, 1.0]);
        for k in 1..10u32 {
            let (p, ours) = (0.02 * f64::from(k), share(5_000 + 20_000 * u64::from(k)));
            let deviation = (p * (1.0 - p) / f64::from(draws)).sqrt();
            assert!((ours - p).abs() < 4.5 * deviation, "seed {seed}: {ours} for {p}");
        }
    }

    /// Samples are taken once a period, and those that no frame came for are made up for.
    #[test]
    fn a_controller_samples_and_makes_up() {
        let pi = Pi { reference: 1e5, proportional: 1e-8, integral: 1e-6, period: 1e-4, most: 0.5 };
        let (mut often, mut seldom) = (Controlled::default(), Controlled::default());
        let period = ps(pi.period, 1000 * MS);
        for k in 1..=100 {
            often.chance(&pi, k * period, 300_000);
            // Between samples nothing changes.
            assert_eq!(often.chance(&pi, k * period + 1, 0), often.output);
        }
        let late = seldom.chance(&pi, 100 * period, 300_000);
        assert!((often.output - late).abs() < 1e-12 && (late - (1e-8 * 3e5 + 1e-6 * 1e-2 * 2e5)).abs() < 1e-12, "{late}");
    }
}
