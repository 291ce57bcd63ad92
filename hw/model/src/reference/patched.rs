//! Patched TIMELY (CoNEXT'16, Algorithm 2), and the same with a PI controller on the delay in place
//! of the error (section 5.2).
use super::{Branch, Law};
use timely_regs::parameters::{LawKind, Parameters};

/// The longest time difference that the PI controller sees, us: 2^17 ns.
const PI_BOUND_US: f64 = 131.072;

/// State of Patched TIMELY for a flow.
#[derive(Clone, Debug, PartialEq)]
pub struct PatchedState {
    /// Rate, Mb/s.
    pub rate: f64,
    /// RTT and time of the last update, us; `None` when there is no history.
    pub last: Option<(f64, f64)>,
    /// Smoothed RTT difference, us.
    pub average: f64,
    /// The value from which the PI controller's output goes on, times `error_beta`; 0 to 1.
    pub output: f64,
}

/// An update, as far as it can be seen from outside.
#[derive(Clone, Debug, PartialEq)]
pub struct PatchedStep {
    /// Rate from now on, Mb/s.
    pub rate: f64,
    /// The branch that decided; between the thresholds, the sign of the gradient.
    pub branch: Branch,
    /// Smoothed RTT difference over minRTT.
    pub gradient: f64,
    /// The weight of the decrease, of the gradient.
    pub weight: f64,
    /// The error, or the controller's output, times `error_beta`.
    pub error: f64,
    /// The delta factor.
    pub delta_factor: f64,
}

/// Patched TIMELY of one flow.
#[derive(Clone, Debug)]
pub struct Patched {
    /// The law's parameters.
    pub parameters: Parameters,
    /// The flow's state.
    pub state: PatchedState,
}

/// The weight of the decrease: 0 up to a gradient of -1/4, 1 from 1/4 on, linear between.
pub fn weight(gradient: f64) -> f64 {
    (2.0 * gradient + 0.5).clamp(0.0, 1.0)
}

impl Patched {
    /// A flow at its profile's initial rate, without history.
    pub fn new(parameters: &Parameters) -> Self {
        let state = PatchedState { rate: parameters.initial_mbps, last: None, average: 0.0, output: 0.0 };
        Patched { parameters: parameters.clone(), state }
    }

    /// [`Law::update`] with what decided it.
    pub fn step(&mut self, rtt_us: f64, now_us: f64) -> PatchedStep {
        let (p, s) = (&self.parameters, &mut self.state);
        let (difference, delta_factor) = match s.last {
            Some((rtt, time)) if p.delta_factor => (rtt_us - rtt, ((now_us - time) / p.update_interval_us).min(1.0)),
            Some((rtt, _)) => (rtt_us - rtt, 1.0),
            None => {
                s.average = 0.0;
                (0.0, 1.0)
            }
        };
        s.average = (1.0 - p.alpha) * s.average + p.alpha * difference;
        let gradient = s.average / p.min_rtt_us;
        let error = if p.law == LawKind::Pi {
            // The output may overshoot its range for an update; what the next goes on from may not.
            let bounded = |us: f64| us.clamp(-PI_BOUND_US, PI_BOUND_US - 0.001) / p.reference_us;
            let change = p.integral_gain * bounded(rtt_us - p.reference_us) + p.proportional_gain * bounded(difference);
            let output = s.output + p.error_beta * change;
            s.output = output.clamp(0.0, 1.0);
            output
        } else {
            p.error_beta * (rtt_us - p.reference_us) / p.reference_us
        };
        let step = p.additive_step_mbps * delta_factor;
        let weight = weight(gradient);
        let (branch, wanted) = if rtt_us < p.t_low_us {
            (Branch::BelowLow, s.rate + step)
        } else if rtt_us > p.t_high_us {
            (Branch::AboveHigh, s.rate * (1.0 - delta_factor * p.beta * (1.0 - p.t_high_us / rtt_us)))
        } else {
            let branch = if s.average <= p.deadband_ns / 1000.0 { Branch::Increase } else { Branch::Decrease };
            (branch, s.rate + step * (1.0 - weight) - s.rate * weight * error * delta_factor)
        };
        let floored = if p.half_floor { wanted.max(s.rate / 2.0) } else { wanted };
        s.rate = floored.clamp(p.least_mbps, p.greatest_mbps);
        s.last = Some((rtt_us, now_us));
        PatchedStep { rate: s.rate, branch, gradient, weight, error, delta_factor }
    }
}

impl Law for Patched {
    fn update(&mut self, rtt_us: f64, now_us: f64) -> f64 {
        self.step(rtt_us, now_us).rate
    }

    /// As with TIMELY: a loss halves the rate. The controller goes on.
    fn timeout(&mut self, _now_us: f64) -> f64 {
        self.state.rate = (self.state.rate / 2.0).clamp(self.parameters.least_mbps, self.parameters.greatest_mbps);
        self.state.last = None;
        self.state.rate
    }

    fn loss(&mut self, rtt_us: f64, now_us: f64) -> f64 {
        let kept = self.state.rate * (1.0 - self.parameters.loss_decrease);
        self.update(rtt_us, now_us);
        self.state.rate = kept.clamp(self.parameters.least_mbps, self.parameters.greatest_mbps);
        self.state.rate
    }

    fn restart(&mut self) -> f64 {
        self.state.rate = self.state.rate.min(self.parameters.idle_mbps);
        self.state.last = None;
        self.state.rate
    }

    fn rate(&self) -> f64 {
        self.state.rate
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parameters() -> Parameters {
        Parameters { t_low_us: 50.0, reference_us: 50.0, error_beta: 0.008, ..Parameters::patched_10g(38.0) }
    }

    #[test]
    fn the_weight_is_a_ramp() {
        let weights = [-1.0, -0.25, -0.125, 0.0, 0.125, 0.25, 3.0].map(weight);
        assert_eq!(weights, [0.0, 0.0, 0.25, 0.5, 0.75, 1.0, 1.0]);
    }

    #[test]
    fn each_branch_by_hand() {
        let second = |first: f64, second: f64| {
            let mut law = Patched::new(&parameters());
            law.step(first, 0.0);
            law.state.rate = 1000.0;
            law.step(second, 100.0)
        };
        assert_eq!(second(60.0, 49.0).rate, 1010.0);
        assert_eq!(second(60.0, 1000.0).rate, 600.0);
        // At rest half of each term: + 10 / 2 - 1000 * .008 / 2 * (100 - 50) / 50.
        assert!((second(100.0, 100.0).rate - 1001.0).abs() < 1e-9);
        // Rising fast: all of the decrease, none of the increase.
        assert!((second(60.0, 100.0).rate - 992.0).abs() < 1e-9);
        assert_eq!(second(100.0, 60.0).rate, 1010.0);
    }

    /// The fixed point of the paper, q* = C Tlow (1 + N AI / (b C)): there an RTT at rest changes
    /// no rate.
    #[test]
    fn the_papers_fixed_point() {
        for flows in [2.0, 10.0, 40.0] {
            let p = parameters();
            let delay = p.reference_us * (1.0 + flows * p.additive_step_mbps / (p.error_beta * p.greatest_mbps));
            let mut law = Patched::new(&p);
            law.step(delay, 0.0);
            law.state.rate = p.greatest_mbps / flows;
            let rate = law.step(delay, 100.0).rate;
            assert!((rate * flows / p.greatest_mbps - 1.0).abs() < 1e-12, "{flows} flows: {rate}");
        }
    }

    /// With PI the delay at rest is the reference, whatever the rate.
    #[test]
    fn the_controller_rests_at_the_reference() {
        let p = parameters().pi();
        let mut law = Patched::new(&p);
        law.step(p.reference_us, 0.0);
        for (rate, expected) in [(1000.0, true), (100.0, true), (9000.0, true)] {
            law.state.rate = rate;
            // Where increase and decrease are equal the output stays.
            law.state.output = p.additive_step_mbps / rate;
            let step = law.step(p.reference_us, 100.0);
            assert_eq!((step.rate - rate).abs() < 1e-9, expected, "{step:?}");
            assert_eq!(law.state.output, p.additive_step_mbps / rate);
        }
        let above = law.step(p.reference_us + 10.0, 200.0).error;
        let more = law.step(p.reference_us + 10.0, 300.0).error;
        assert!(above > 10.0 / 9000.0 && more > above, "{above} {more}");
    }
}
