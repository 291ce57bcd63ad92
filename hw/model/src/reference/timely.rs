//! TIMELY: the authors' code and, by the flags of the parameters, Algorithm 1 of the paper
//! (SIGCOMM'15, section 4).
use super::{Branch, Law};
use timely_regs::parameters::Parameters;

/// State of TIMELY for a flow.
#[derive(Clone, Debug, PartialEq)]
pub struct TimelyState {
    /// Rate, Mb/s.
    pub rate: f64,
    /// RTT and time of the last update, us; `None` when there is no history (a new flow, after a
    /// time-out, after idling).
    pub last: Option<(f64, f64)>,
    /// Smoothed RTT difference, us.
    pub average: f64,
    /// Negative differences in a row.
    pub negatives: u32,
}

/// The decision of a rounded implementation, which may stand on the other side of a threshold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decision {
    /// The branch it took.
    pub branch: Branch,
    /// Count of negative differences, this one included.
    pub negatives: u32,
}

/// An update, as far as it can be seen from outside.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// Rate from now on, Mb/s.
    pub rate: f64,
    /// The branch that decided.
    pub branch: Branch,
    /// The increase was a hyperactive one.
    pub hyperactive: bool,
    /// Smoothed RTT difference over minRTT.
    pub gradient: f64,
    /// The delta factor.
    pub delta_factor: f64,
}

/// TIMELY of one flow.
#[derive(Clone, Debug)]
pub struct Timely {
    /// The law's parameters.
    pub parameters: Parameters,
    /// The flow's state.
    pub state: TimelyState,
}

impl Timely {
    /// A flow at its profile's initial rate, without history.
    pub fn new(parameters: &Parameters) -> Self {
        let state = TimelyState { rate: parameters.initial_mbps, last: None, average: 0.0, negatives: 0 };
        Timely { parameters: parameters.clone(), state }
    }

    /// TIMELY of one flow with the deadband that the hardware uses, which is part of its
    /// specification.
    pub fn as_in_hardware(parameters: &Parameters) -> Self {
        Timely::new(&Parameters { deadband_ns: parameters.effective_deadband_ns(), ..parameters.clone() })
    }

    /// [`Law::update`] with what decided it. `forced` overrules the comparisons with thresholds.
    pub fn step(&mut self, rtt_us: f64, now_us: f64, forced: Option<Decision>) -> Step {
        let (p, s) = (&self.parameters, &mut self.state);
        // Without history the time since the last update is unknown. It was at least an RTT, hence
        // a full step.
        let (difference, delta_factor) = match s.last {
            Some((rtt, time)) if p.delta_factor => (rtt_us - rtt, ((now_us - time) / p.update_interval_us).min(1.0)),
            Some((rtt, _)) => (rtt_us - rtt, 1.0),
            None => {
                (s.average, s.negatives) = (0.0, 0);
                (0.0, 1.0)
            }
        };
        s.average = (1.0 - p.alpha) * s.average + p.alpha * difference;
        let deadband_us = p.deadband_ns / 1000.0;
        let negative = if p.hyperactive_smoothed { s.average < -deadband_us } else { difference < 0.0 };
        s.negatives = if negative { s.negatives + 1 } else { 0 };
        let mut branch = if rtt_us < p.t_low_us {
            Branch::BelowLow
        } else if rtt_us > p.t_high_us {
            Branch::AboveHigh
        } else if s.average <= deadband_us {
            Branch::Increase
        } else {
            Branch::Decrease
        };
        if let Some(decision) = forced {
            (branch, s.negatives) = (decision.branch, decision.negatives);
        }
        let hyperactive = branch == Branch::Increase && s.negatives >= p.hyperactive_after;
        let gradient = s.average / p.min_rtt_us;
        let step = p.additive_step_mbps * delta_factor;
        let wanted = match branch {
            Branch::BelowLow => s.rate + step,
            Branch::AboveHigh => s.rate * (1.0 - delta_factor * p.beta * (1.0 - p.t_high_us / rtt_us)),
            Branch::Increase => s.rate + if hyperactive { p.hyperactive_factor * step } else { step },
            Branch::Decrease => s.rate * (1.0 - p.beta * gradient),
            Branch::None | Branch::Held => s.rate,
        };
        let floored = if p.half_floor { wanted.max(s.rate / 2.0) } else { wanted };
        s.rate = floored.clamp(p.least_mbps, p.greatest_mbps);
        s.last = Some((rtt_us, now_us));
        Step { rate: s.rate, branch, hyperactive, gradient, delta_factor }
    }
}

impl Law for Timely {
    fn update(&mut self, rtt_us: f64, now_us: f64) -> f64 {
        self.step(rtt_us, now_us, None).rate
    }

    /// Not in the paper: a loss halves the rate, and the RTT of before says nothing about the next.
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

    /// The update that follows two samples 100 us apart, of RTT `first` and `second`.
    fn second(parameters: &Parameters, rate: f64, first: f64, second: f64) -> Step {
        let mut law = Timely::new(parameters);
        law.step(first, 0.0, None);
        law.state.rate = rate;
        law.step(second, 100.0, None)
    }

    #[test]
    fn each_branch_by_hand() {
        let p = Parameters { t_low_us: 50.0, t_high_us: 500.0, ..Parameters::authors_10g() };
        let low = second(&p, 1000.0, 60.0, 49.0);
        assert_eq!((low.branch, low.rate), (Branch::BelowLow, 1010.0));
        let high = second(&p, 1000.0, 60.0, 1000.0);
        assert_eq!((high.branch, high.rate), (Branch::AboveHigh, 600.0));
        let up = second(&p, 1000.0, 60.0, 60.0);
        assert_eq!((up.branch, up.rate), (Branch::Increase, 1010.0));
        // The difference of 100 us counts .02, that is 2 us of 20: cut by .8 * .1.
        let down = second(&p, 1000.0, 100.0, 200.0);
        assert!(down.branch == Branch::Decrease && (down.rate - 920.0).abs() < 1e-9, "{down:?}");
    }

    #[test]
    fn hyperactive_from_the_fifth_negative_difference() {
        let mut law = Timely::new(&Parameters { least_mbps: 1.0, initial_mbps: 100.0, ..Parameters::authors_10g() });
        let gains: Vec<f64> = (0..8)
            .map(|i| {
                let before = law.rate();
                law.update(900.0 - 10.0 * f64::from(i), 100.0 * f64::from(i)) - before
            })
            .collect();
        assert_eq!(gains, [10.0, 10.0, 10.0, 10.0, 10.0, 50.0, 50.0, 50.0]);
    }

    #[test]
    fn steps_scale_with_the_time_since_the_last() {
        let p = Parameters { initial_mbps: 100.0, ..Parameters::authors_10g() };
        let mut law = Timely::new(&p);
        assert_eq!(law.update(30.0, 1000.0), 110.0);
        assert_eq!(law.update(30.0, 1005.0), 112.5);
        let mut full = Timely::new(&p.algorithm_1());
        full.update(30.0, 1000.0);
        assert_eq!(full.update(30.0, 1005.0), 120.0);
    }

    #[test]
    fn the_floor_is_half_the_old_rate() {
        let p = Parameters { beta: 1.0, ..Parameters::authors_10g() };
        assert_eq!(second(&p, 1000.0, 60.0, 16_000.0).rate, 500.0);
        assert_eq!(second(&p.algorithm_1(), 1000.0, 60.0, 16_000.0).rate, 62.5);
    }

    #[test]
    fn a_timeout_halves_and_forgets() {
        let mut law = Timely::new(&Parameters::authors_10g());
        law.update(30.0, 0.0);
        assert_eq!(law.timeout(10.0), 5000.0);
        law.update(900.0, 20.0);
        assert_eq!(law.state.average, 0.0);
    }
}
