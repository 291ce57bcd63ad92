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
///
/// The controller samples the queue at each multiple of its period, whether frames come or not: the
/// port tells it each change of the queue, and samples that are due are taken of the queue before.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Controlled {
    output: f64,
    // Samples taken, and the queue at the last one.
    samples: u64,
    last: f64,
    // The queue since its last change.
    stands: f64,
}

impl Controlled {
    // Takes the samples up to this time.
    fn sample(&mut self, pi: &Pi, now: Ps) {
        let due = now / ps(pi.period, 1000 * MS).max(1);
        if due > self.samples {
            self.output = pi.step(self.output, self.stands, self.last);
            // Of a queue that stood still only the integral counts.
            let others = Pi { period: (due - self.samples - 1) as f64 * pi.period, ..*pi };
            self.output = others.step(self.output, self.stands, self.stands);
            (self.samples, self.last) = (due, self.stands);
        }
    }

    /// The port's queue changes to so many bytes.
    pub fn changes(&mut self, marking: &Marking, now: Ps, queue: u64) {
        if let Some(pi) = &marking.pi {
            self.sample(pi, now);
            self.stands = queue as f64;
        }
    }

    /// Draws whether a frame is marked at a port with such a queue.
    pub fn marks(&mut self, marking: &Marking, now: Ps, queue: u64, rng: &mut impl Rng) -> bool {
        match &marking.pi {
            None => marking.marks(queue, rng),
            Some(pi) => {
                self.sample(pi, now);
                let chance = pi.probability(self.output);
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

    /// Samples are taken once a period, of the queue that stands, whenever they are asked for.
    #[test]
    fn a_controller_samples_whether_frames_come_or_not() {
        let pi = Pi { reference: 1e5, proportional: 1e-8, integral: 1e-6, period: 1e-4, most: 0.5 };
        let marking = Marking { least: 0, most: 1, chance: 1.0, ingress: true, pi: Some(pi) };
        let (mut often, mut seldom) = (Controlled::default(), Controlled::default());
        let period = ps(pi.period, 1000 * MS);
        often.changes(&marking, 1, 300_000);
        seldom.changes(&marking, 1, 300_000);
        for k in 1..=100 {
            often.sample(&pi, k * period);
            // Between samples nothing changes.
            let output = often.output;
            often.sample(&pi, k * period + 1);
            assert_eq!(often.output, output);
        }
        seldom.sample(&pi, 100 * period);
        // From an output of 0 at an empty queue on.
        let right = 1e-8 * 3e5 + 1e-6 * 1e-2 * 2e5;
        assert!((often.output - seldom.output).abs() < 1e-12 && (seldom.output - right).abs() < 1e-12, "{} for {right}", seldom.output);
        // The queue empties, and the port rests: the integral winds down at its own pace.
        seldom.changes(&marking, 100 * period + 1, 0);
        seldom.sample(&pi, 150 * period);
        let right = 1e-6 * 1e-2 * 2e5 - 1e-6 * 5e-3 * 1e5;
        assert!((seldom.output - right).abs() < 1e-12, "{} for {right}", seldom.output);
    }
}
