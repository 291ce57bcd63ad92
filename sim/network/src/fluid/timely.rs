//! TIMELY as fluid: equations 20 to 24 of "ECN or Delay" (CoNEXT'16), and its two changes, the
//! patch and the PI controller at the host; in bits and seconds.
use super::law::{Law, Past, QUEUE, RATE};

/// The smoothed gradient among a flow's states; of the PI law its output.
pub const GRADIENT: usize = 1;
/// Share of the line below which the sender keeps no rate.
const LEAST: f64 = 0.001;

/// Variants of TIMELY.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Variant {
    /// TIMELY as published.
    Original,
    /// Between the thresholds: weights by the gradient, and the error of the queue (section 4.3).
    Patched,
    /// The error is the output of a PI controller on the delay (section 5.2).
    Pi,
}

/// Parameters of TIMELY and its bottleneck.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Timely {
    /// Variant of the law.
    pub variant: Variant,
    /// Capacity, b/s.
    pub capacity: f64,
    /// Segment, bits.
    pub segment: f64,
    /// Packet, bits.
    pub packet: f64,
    /// Propagation delay of the feedback, seconds.
    pub propagation: f64,
    /// Least update interval, and what gradients are normalised by, seconds.
    pub min_rtt: f64,
    /// Queueing delay below which rates grow, seconds.
    pub t_low: f64,
    /// Queueing delay above which rates fall, seconds.
    pub t_high: f64,
    /// Additive increase, b/s.
    pub increase: f64,
    /// Multiplicative decrease.
    pub beta: f64,
    /// Weight of a new gradient.
    pub alpha: f64,
    /// Gain of the PI controller on the present queue, a bit and second.
    pub pi_a: f64,
    /// Gain on the queue of an update before.
    pub pi_b: f64,
}

impl Timely {
    /// Time between two updates at a rate, seconds (equation 23).
    pub fn interval(&self, rate: f64) -> f64 {
        let own = self.segment / rate;
        if self.variant == Variant::Pi { own } else { own.max(self.min_rtt) }
    }

    /// Feedback delay at a queue in bits, seconds (equation 24).
    pub fn feedback(&self, queue: f64) -> f64 {
        (queue + self.packet) / self.capacity + self.propagation
    }

    /// The queue that the PI controller holds, bits.
    pub fn reference(&self) -> f64 {
        self.capacity * (self.t_low + self.t_high) / 2.0
    }

    /// Weight of the decrease in the patched law by the gradient.
    pub fn weight(gradient: f64) -> f64 {
        (2.0 * gradient + 0.5).clamp(0.0, 1.0)
    }

    // Change of the rate in one update, between the thresholds.
    fn middle(&self, rate: f64, gradient: f64, queue: f64) -> f64 {
        match self.variant {
            Variant::Original if gradient <= 0.0 => self.increase,
            Variant::Original => -self.beta * gradient * rate,
            Variant::Patched => {
                let (w, low) = (Self::weight(gradient), self.capacity * self.t_low);
                self.increase * (1.0 - w) - w * self.beta * rate * (queue - low) / low
            }
            Variant::Pi => self.increase - gradient / 2.0 * rate,
        }
    }
}

impl Law for Timely {
    fn states(&self) -> usize {
        2
    }

    fn capacity(&self) -> f64 {
        self.capacity
    }

    fn unit_bytes(&self) -> f64 {
        0.125
    }

    fn horizon(&self) -> f64 {
        // The slowest flow's update, and a queue of many times T_high.
        self.segment / (LEAST * self.capacity) + 0.1
    }

    fn remembers_shared_alone(&self) -> bool {
        true
    }

    fn start(&self, rate: f64, output: f64) -> Vec<f64> {
        vec![rate, output]
    }

    fn flow(&self, shared: &[f64], own: &[f64], past: &impl Past, d: &mut [f64]) {
        let rate = own[RATE].max(LEAST * self.capacity);
        let (interval, delay) = (self.interval(rate), self.feedback(shared[QUEUE]));
        // Jitter delays an RTT, and may be part of it.
        let rtt = |lag: f64| past.shared(QUEUE, delay + lag + past.jitter(lag)) + self.capacity * past.measured_jitter(lag);
        let (queue, before) = (rtt(0.0), rtt(interval));
        if self.variant == Variant::Pi {
            d[RATE] = self.middle(rate, own[GRADIENT], queue) / interval;
            d[GRADIENT] = self.pi_a * (queue - self.reference()) - self.pi_b * (before - self.reference());
            return;
        }
        let judged = queue + self.capacity * past.judged_jitter();
        let change = if judged < self.capacity * self.t_low {
            self.increase
        } else if judged > self.capacity * self.t_high {
            -self.beta * (1.0 - self.capacity * self.t_high / judged) * rate
        } else {
            self.middle(rate, own[GRADIENT], judged)
        };
        d[RATE] = change / interval;
        d[GRADIENT] = self.alpha / interval * ((queue - before) / (self.capacity * self.min_rtt) - own[GRADIENT]);
    }

    fn limit(&self, own: &mut [f64]) {
        own[RATE] = own[RATE].clamp(LEAST * self.capacity, self.capacity);
    }
}

#[cfg(test)]
mod tests {
    use super::super::settings::{Model, Settings};
    use super::*;

    #[test]
    fn the_weight_is_that_of_the_patch() {
        assert_eq!([-1.0, -0.25, 0.0, 0.1, 0.25, 2.0].map(Timely::weight), [0.0, 0.0, 0.5, 0.7, 1.0, 1.0]);
    }

    #[test]
    fn intervals_and_delays_are_those_of_equations_23_and_24() {
        let t = Settings::conext16(Model::Timely).timely();
        assert_eq!([t.interval(1e9), t.interval(10e9)], [128e-6, 20e-6]);
        assert!((t.feedback(62.5e3 * 8.0) - (50e-6 + 0.8e-6 + 4e-6)).abs() < 1e-12);
        let pi = Settings::conext16(Model::PiHost).timely();
        assert_eq!((pi.interval(10e9), pi.reference()), (51.2e-6, 343.75e3 * 8.0));
    }

    // A still queue of 60 us, and jitter of 10 us now, 4 us an update ago.
    struct Jittered;
    impl Past for Jittered {
        fn shared(&self, _: usize, _: f64) -> f64 {
            600_000.0
        }
        fn own(&self, _: usize, _: f64) -> f64 {
            0.0
        }
        fn measured_jitter(&self, lag: f64) -> f64 {
            if lag == 0.0 { 10e-6 } else { 4e-6 }
        }
    }

    // The same, the error being of the RTT of an update ago.
    struct Judged;
    impl Past for Judged {
        fn shared(&self, i: usize, lag: f64) -> f64 {
            Jittered.shared(i, lag)
        }
        fn own(&self, i: usize, lag: f64) -> f64 {
            Jittered.own(i, lag)
        }
        fn measured_jitter(&self, lag: f64) -> f64 {
            Jittered.measured_jitter(lag)
        }
        fn judged_jitter(&self) -> f64 {
            -6e-6
        }
    }

    /// Jitter that is measured: a still queue has a gradient by it, and an error.
    #[test]
    fn jitter_is_part_of_the_rtt() {
        let t = Settings::conext16(Model::Patched).timely();
        let mut d = [0.0; 2];
        t.flow(&[600_000.0], &[5e9, 0.0], &Jittered, &mut d);
        assert!((d[GRADIENT] * t.interval(5e9) / t.alpha - 0.3).abs() < 1e-9, "{d:?}");
        let change = 10e6 * 0.5 - 0.5 * 0.008 * 5e9 * (70.0 - 50.0) / 50.0;
        assert!((d[RATE] * t.interval(5e9) / change - 1.0).abs() < 1e-9, "{d:?}");
        // The error may be of another RTT than the newest: 60 + 10 - 6 us.
        let mut other = [0.0; 2];
        t.flow(&[600_000.0], &[5e9, 0.0], &Judged, &mut other);
        let change = 10e6 * 0.5 - 0.5 * 0.008 * 5e9 * (64.0 - 50.0) / 50.0;
        assert!((other[RATE] * t.interval(5e9) / change - 1.0).abs() < 1e-9 && other[GRADIENT] == d[GRADIENT], "{other:?}");
    }
}
