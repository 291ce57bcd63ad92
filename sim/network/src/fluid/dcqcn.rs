//! DCQCN as fluid: equations 3 to 7 of "ECN or Delay" (CoNEXT'16), each flow with its own rate, in
//! packets and seconds.
use super::law::{Law, Past, QUEUE, RATE};
use super::marking::Marker;

/// Target rate among a flow's states.
pub const TARGET: usize = 1;
/// Estimate of the share of marked packets, alpha, among a flow's states.
pub const ALPHA: usize = 2;
/// Output of a controller among the shared states.
pub const MARK: usize = 1;

/// Longest wait in the queue that is looked for, seconds, and halvings of it: to 0.15 us.
const LONGEST: f64 = 0.02;
const HALVINGS: usize = 17;

/// Parameters of DCQCN and its bottleneck.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Dcqcn {
    /// Capacity, packets a second.
    pub capacity: f64,
    /// Packet, bytes.
    pub packet: f64,
    /// Feedback delay, seconds.
    pub delay: f64,
    /// Least time between two CNPs of a flow, seconds.
    pub cnp: f64,
    /// Time without a CNP after which alpha decays, seconds.
    pub alpha_timer: f64,
    /// Gain of alpha.
    pub gain: f64,
    /// Byte counter of a stage, packets.
    pub counter: f64,
    /// Timer of a stage, seconds.
    pub timer: f64,
    /// Share of the queue's own delay in the feedback: 0 where packets are marked as they leave, 1
    /// as they come.
    pub queue_delay: f64,
    /// Stages of fast recovery.
    pub stages: f64,
    /// Additive increase, packets a second.
    pub increase: f64,
    /// Marker of packets at the queue.
    pub marker: Marker,
}

impl Dcqcn {
    /// Probability that some packet of a time is marked, `1 - (1 - p)^(time rate)`.
    pub fn some_marked(p: f64, packets: f64) -> f64 {
        -(packets * (-p).ln_1p()).exp_m1()
    }

    /// Stages a second that end unmarked, `rate p / ((1 - p)^-packets - 1)`, where a stage of
    /// `packets` takes `seconds`.
    pub fn stages(p: f64, packets: f64, seconds: f64) -> f64 {
        let exponent = -packets * (-p).ln_1p();
        // At p = 0, and at a rate of 0, the fraction is the reciprocal of the exponent.
        let shape = if exponent > 1e-12 { exponent / exponent.exp_m1() } else { 1.0 };
        let p_over_ln = if p > 1e-12 { p / -(-p).ln_1p() } else { 1.0 };
        if shape.is_finite() { shape * p_over_ln / seconds } else { 0.0 }
    }

    // How long ago a packet was marked that left so long ago: as it came, it found a queue that it
    // then waited for.
    fn marked_at(&self, past: &impl Past, left: f64) -> f64 {
        if self.queue_delay == 0.0 {
            return left;
        }
        // No queue falls faster than it is served, so there is one answer.
        let (mut low, mut high) = (left, left + LONGEST);
        for _ in 0..HALVINGS {
            let middle = (low + high) / 2.0;
            let waited = self.queue_delay * past.shared(QUEUE, middle) / self.capacity;
            if middle - left < waited { low = middle } else { high = middle }
        }
        low
    }

    // The marking probability so long ago.
    fn mark(&self, past: &impl Past, delay: f64) -> f64 {
        match self.marker {
            Marker::Ramp(ramp) => ramp.probability(past.shared(QUEUE, delay) * self.packet),
            Marker::Pi(pi) => pi.probability(past.shared(MARK, delay)),
        }
    }

    /// Derivative of a flow's states, given the marking probability and the rate of a feedback
    /// delay ago.
    pub fn change(&self, own: &[f64], p: f64, rate: f64, d: &mut [f64]) {
        let marked = Self::some_marked(p, self.cnp * rate);
        let by_bytes = if rate > 0.0 { Self::stages(p, self.counter, self.counter / rate) } else { 0.0 };
        let by_time = Self::stages(p, self.timer * rate, self.timer);
        let unmarked = (-p).ln_1p();
        let (gap, cut) = (own[TARGET] - own[RATE], marked / self.cnp);
        let increase =
            by_bytes * (self.stages * self.counter * unmarked).exp() + by_time * (self.stages * self.timer * rate * unmarked).exp();
        d[RATE] = -own[RATE] * own[ALPHA] / 2.0 * cut + gap / 2.0 * (by_bytes + by_time);
        d[TARGET] = -gap * cut + self.increase * increase;
        d[ALPHA] = self.gain / self.alpha_timer * (Self::some_marked(p, self.alpha_timer * rate) - own[ALPHA]);
    }
}

impl Law for Dcqcn {
    fn shared(&self) -> usize {
        if matches!(self.marker, Marker::Pi(_)) { 2 } else { 1 }
    }

    fn states(&self) -> usize {
        3
    }

    fn capacity(&self) -> f64 {
        self.capacity
    }

    fn unit_bytes(&self) -> f64 {
        self.packet
    }

    fn horizon(&self) -> f64 {
        self.delay.max(1e-3) + if self.queue_delay > 0.0 { LONGEST } else { 0.0 }
    }

    fn remembers_shared_alone(&self) -> bool {
        false
    }

    fn start(&self, rate: f64, _: f64) -> Vec<f64> {
        vec![rate, rate, 1.0]
    }

    fn flow(&self, _: &[f64], own: &[f64], past: &impl Past, d: &mut [f64]) {
        // Jitter delays a mark and leaves what it says.
        let delay = self.marked_at(past, self.delay + past.jitter(0.0));
        self.change(own, self.mark(past, delay), past.own(RATE, delay), d);
    }

    fn controller(&self, shared: &[f64], growth: f64, d: &mut [f64]) {
        if let Marker::Pi(pi) = self.marker
            && pi.period == 0.0
        {
            d[MARK] = self.packet * growth * pi.proportional + pi.integral * (shared[QUEUE] * self.packet - pi.reference);
        }
    }

    fn period(&self) -> Option<f64> {
        match self.marker {
            Marker::Pi(pi) if pi.period > 0.0 => Some(pi.period),
            _ => None,
        }
    }

    fn sample(&self, shared: &mut [f64], last: f64) {
        if let Marker::Pi(pi) = self.marker {
            shared[MARK] = pi.step(shared[MARK], shared[QUEUE] * self.packet, last * self.packet);
        }
    }

    fn limit(&self, own: &mut [f64]) {
        own[RATE] = own[RATE].clamp(0.0, self.capacity);
        own[TARGET] = own[TARGET].clamp(0.0, self.capacity);
        own[ALPHA] = own[ALPHA].clamp(0.0, 1.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Equation 7's fraction against its plain form, and its limits without marks and without
    /// packets.
    #[test]
    fn stages_are_those_of_the_equations() {
        let plain = |p: f64, packets: f64, seconds: f64| packets / seconds * p / ((1.0 - p).powf(-packets) - 1.0);
        for (p, packets) in [(1e-3, 100.0), (0.02, 275.0), (0.3, 10.0)] {
            assert!((Dcqcn::stages(p, packets, 55e-6) / plain(p, packets, 55e-6) - 1.0).abs() < 1e-12);
        }
        let limits = [(0.0, 100.0), (1e-15, 100.0), (0.0, 0.0)].map(|(p, n)| Dcqcn::stages(p, n, 0.5));
        assert!(limits.iter().all(|x| (x - 2.0).abs() < 1e-9), "{limits:?}");
        assert_eq!((Dcqcn::stages(1.0, 100.0, 0.5), Dcqcn::some_marked(1.0, 5.0)), (0.0, 1.0));
        assert!((Dcqcn::some_marked(0.01, 3.0) - (1.0 - 0.99f64.powi(3))).abs() < 1e-15);
    }

    /// Equations 5 to 7 term by term, at a probability at which the byte counter counts too.
    #[test]
    fn derivatives_are_those_of_the_equations() {
        use super::super::settings::{Model, Settings};
        let d = Settings::conext16(Model::Dcqcn).dcqcn();
        let (p, rate, own) = (3e-5, 2e6, [2.1e6, 2.5e6, 0.3]);
        let mut ours = [0.0; 3];
        d.change(&own, p, rate, &mut ours);
        let (kept, bytes, timer) = (1.0f64 - p, d.counter, d.timer * rate);
        let stage = |packets: f64| rate * p / (kept.powf(-packets) - 1.0);
        let cut = (1.0 - kept.powf(d.cnp * rate)) / d.cnp;
        let exact = [
            -own[0] * own[2] / 2.0 * cut + (own[1] - own[0]) / 2.0 * (stage(bytes) + stage(timer)),
            -(own[1] - own[0]) * cut
                + d.increase * (kept.powf(d.stages * bytes) * stage(bytes) + kept.powf(d.stages * timer) * stage(timer)),
            d.gain / d.alpha_timer * (1.0 - kept.powf(d.alpha_timer * rate) - own[2]),
        ];
        assert!(ours.iter().zip(exact).all(|(a, b)| (a / b - 1.0).abs() < 1e-9), "{ours:?} {exact:?}");
    }

    // A queue that has grown for 1 ms as fast as it is served.
    struct Growing(f64);
    impl Past for Growing {
        fn shared(&self, _: usize, lag: f64) -> f64 {
            self.0 * (1e-3 - lag).max(0.0)
        }
        fn own(&self, _: usize, _: f64) -> f64 {
            0.0
        }
    }

    /// A packet that leaves such a queue now came half of the time ago, when the queue was half as
    /// long.
    #[test]
    fn packets_marked_as_they_come_are_older_by_their_wait() {
        use super::super::settings::{Model, Settings};
        let d = Settings::conext16(Model::Dcqcn).dcqcn();
        let lag = |queue_delay: f64, left: f64| Dcqcn { queue_delay, ..d }.marked_at(&Growing(d.capacity), left);
        assert_eq!(lag(0.0, 1e-4), 1e-4);
        assert!((lag(1.0, 0.0) - 0.5e-3).abs() < 1e-6 && (lag(1.0, 1e-4) - 0.55e-3).abs() < 1e-6);
    }

    // A past in which all that can be asked for differs, and differs from the present.
    struct Told;
    impl Past for Told {
        fn shared(&self, i: usize, lag: f64) -> f64 {
            assert!(i == QUEUE && (lag - 30e-6).abs() < 1e-12);
            50.0
        }
        fn own(&self, i: usize, lag: f64) -> f64 {
            assert!(i == RATE && (lag - 30e-6).abs() < 1e-12);
            3e6
        }
        fn jitter(&self, _: f64) -> f64 {
            26e-6
        }
    }

    /// The mark and the rate that answers it are both of a feedback delay ago, jitter included.
    #[test]
    fn feedback_is_of_the_past() {
        use super::super::settings::{Model, Settings};
        let d = Settings::conext16(Model::Dcqcn).dcqcn();
        let (own, mut ours, mut expected) = ([2.1e6, 2.5e6, 0.3], [0.0; 3], [0.0; 3]);
        d.flow(&[900.0], &own, &Told, &mut ours);
        d.change(&own, 45.0 / 195.0 * 0.01, 3e6, &mut expected);
        assert!(ours.iter().zip(expected).all(|(a, b)| (a / b - 1.0).abs() < 1e-9), "{ours:?} {expected:?}");
    }
}
