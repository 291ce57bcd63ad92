//! Marking at the switch as fluid: the RED-like ramp, and a PI controller.

/// Marking probability by the queue: 0 up to `least`, rising to `chance` at `most`, 1 beyond
/// (equation 3).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ramp {
    /// Foot of the ramp, bytes.
    pub least: f64,
    /// Top of the ramp, bytes.
    pub most: f64,
    /// Probability at the top.
    pub chance: f64,
}

impl Ramp {
    /// Probability at a queue in bytes.
    pub fn probability(&self, queue: f64) -> f64 {
        if queue <= self.least {
            0.0
        } else if queue <= self.most {
            self.slope() * (queue - self.least)
        } else {
            1.0
        }
    }

    /// Slope of the ramp, a byte.
    pub fn slope(&self) -> f64 {
        self.chance / (self.most - self.least)
    }

    /// Queue at which the ramp has this probability, bytes; beyond the ramp's top its foot's line
    /// goes on.
    pub fn queue(&self, probability: f64) -> f64 {
        self.least + probability / self.slope()
    }
}

/// PI controller of the marking probability: `p' = integral (q - reference) + proportional q'`.
///
/// Sampled every `period`, it is `p += a (q - reference) - b (q_last - reference)` with
/// `a - b = integral period` and `b = proportional`, but that its integral is bounded: by `most`,
/// and below 0 by what the proportional part takes at an empty queue. The sum may be below 0, where
/// nothing is marked: were it cut off there, the integral would lose what short queues take from
/// it, and two flows, which need marks of .0008, would hold 80 KB in place of 200.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pi {
    /// Queue that it holds, bytes.
    pub reference: f64,
    /// Proportional gain, a byte.
    pub proportional: f64,
    /// Integral gain, a byte and second.
    pub integral: f64,
    /// Period of its samples, seconds; 0: continuous.
    pub period: f64,
    /// Greatest integral: without it that of the first overload would take seconds to wind down.
    pub most: f64,
}

impl Pi {
    /// The output after a sample of the queue, given the one before; both queues in bytes.
    /// [`Self::probability`] is what it marks with.
    pub fn step(&self, output: f64, queue: f64, last: f64) -> f64 {
        let integral = output - self.proportional * (last - self.reference) + self.integral * self.period * (queue - self.reference);
        integral.clamp(-self.proportional * self.reference, self.most) + self.proportional * (queue - self.reference)
    }

    /// The marking probability at an output.
    pub fn probability(&self, output: f64) -> f64 {
        output.clamp(0.0, 1.0)
    }
}

/// Source of the marking probability.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Marker {
    /// By the queue alone.
    Ramp(Ramp),
    /// By a controller.
    Pi(Pi),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ramp_is_that_of_equation_3() {
        let ramp = Ramp { least: 5e3, most: 200e3, chance: 0.01 };
        let p = [0.0, 5e3, 102.5e3, 200e3, 200.1e3].map(|q| ramp.probability(q));
        assert_eq!(p, [0.0, 0.0, 0.005, 0.01, 1.0]);
        assert!((ramp.queue(0.005) - 102.5e3).abs() < 1e-6);
    }

    /// A constant error adds its integral; a queue that moves adds its movement.
    #[test]
    fn samples_integrate_and_follow() {
        let pi = Pi { reference: 1e5, proportional: 1e-8, integral: 1e-6, period: 1e-4, most: 0.5 };
        assert!((pi.step(0.25, 1.5e5, 1.5e5) - 0.25 - 1e-6 * 1e-4 * 5e4).abs() < 1e-15);
        assert!((pi.step(0.25, 1e5, 0.9e5) - 0.25 - 1e-8 * 1e4).abs() < 1e-15);
        // The integral at its bounds.
        assert!((pi.step(0.25, 1e15, 1e5) - (0.5 + 1e-8 * (1e15 - 1e5))).abs() < 1e-6);
        assert!((pi.step(0.0, 0.0, 1e9) + 2.0 * 1e-8 * 1e5).abs() < 1e-12);
        assert_eq!([-0.1, 0.2, 1.6].map(|x| pi.probability(x)), [0.0, 0.2, 1.0]);
    }
}
