//! DCQCN (Zhu et al., SIGCOMM'15, section 5): the reaction point's arithmetic.
//!
//! When a CNP counts, when alpha decays and when a stage of increase ends is not said here: periods
//! and stages are [`crate::reaction`]'s, which is held to a sender with timers in the simulator.
use super::Law;
use timely_regs::parameters::Parameters;

/// A stage of increase, by its effect on the target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Fast recovery: nothing.
    Fast,
    /// Additive increase: R_AI.
    Additive,
    /// Hyper increase: so many times R_HAI.
    Hyper(u32),
}

/// State of DCQCN for a flow.
#[derive(Clone, Debug, PartialEq)]
pub struct DcqcnState {
    /// Current rate R_C, Mb/s.
    pub rate: f64,
    /// Target rate R_T, Mb/s; `None`: the greatest.
    pub target: Option<f64>,
    /// Alpha.
    pub alpha: f64,
}

/// DCQCN of one flow.
#[derive(Clone, Debug)]
pub struct Dcqcn {
    /// The law's parameters.
    pub parameters: Parameters,
    /// The flow's state.
    pub state: DcqcnState,
}

impl Dcqcn {
    /// A flow at its profile's initial rate, with an alpha of 1.
    pub fn new(parameters: &Parameters) -> Self {
        Dcqcn { parameters: parameters.clone(), state: DcqcnState { rate: parameters.initial_mbps, target: None, alpha: 1.0 } }
    }

    fn set(&mut self, rate: f64) -> f64 {
        self.state.rate = rate.clamp(self.parameters.least_mbps, self.parameters.greatest_mbps);
        self.state.rate
    }

    /// The rate is the target too: the old one would be back within five stages.
    fn give_up(&mut self, rate: f64) -> f64 {
        let rate = self.set(rate);
        self.state.target = Some(rate);
        rate
    }

    /// A CNP: the target becomes the rate, the rate falls by half of alpha, alpha rises.
    pub fn congestion(&mut self) -> f64 {
        let s = &mut self.state;
        let rate = s.rate * (1.0 - s.alpha / 2.0);
        s.target = Some(s.rate);
        s.alpha += self.parameters.alpha_gain * (1.0 - s.alpha);
        self.set(rate)
    }

    /// So long without a CNP: alpha decays.
    pub fn decay(&mut self) {
        self.state.alpha *= 1.0 - self.parameters.alpha_gain;
    }

    /// A stage of increase has ended. A target is at most the greatest rate.
    pub fn increase(&mut self, stage: Stage) -> f64 {
        let (p, s) = (&self.parameters, &mut self.state);
        let target = s.target.unwrap_or(p.greatest_mbps);
        let step = match stage {
            Stage::Fast => 0.0,
            Stage::Additive => p.additive_step_mbps,
            Stage::Hyper(times) => p.hyper_step_mbps * f64::from(times),
        };
        let target = p.greatest_mbps.min(target + step);
        s.target = Some(target);
        let rate = f64::midpoint(s.rate, target);
        self.set(rate)
    }
}

impl Law for Dcqcn {
    /// A delay says nothing to DCQCN.
    fn update(&mut self, _rtt_us: f64, _now_us: f64) -> f64 {
        self.state.rate
    }

    fn timeout(&mut self, _now_us: f64) -> f64 {
        self.state.alpha = 1.0;
        self.give_up(self.state.rate / 2.0)
    }

    fn loss(&mut self, _rtt_us: f64, _now_us: f64) -> f64 {
        self.give_up(self.state.rate * (1.0 - self.parameters.loss_decrease))
    }

    fn restart(&mut self) -> f64 {
        self.state.alpha = 1.0;
        self.state.rate = self.state.rate.min(self.parameters.idle_mbps);
        self.state.rate
    }

    fn rate(&self) -> f64 {
        self.state.rate
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The rates of two flows that hear the same CNPs come together exponentially: the first
    /// of two CNPs takes half of alpha of it for good, the second what stages do not give back.
    #[test]
    fn rates_come_together() {
        let p = Parameters { additive_step_mbps: 40.0, ..Parameters::dcqcn_10g() }.line(40_000.0);
        let mut flows = [20_000.0, 3000.0].map(|rate| {
            let mut flow = Dcqcn::new(&p);
            flow.state.rate = rate;
            flow
        });
        for _ in 0..60 {
            let gap = flows[0].rate() - flows[1].rate();
            let mut kept = 1.0;
            for flow in &mut flows {
                let first = flow.state.alpha;
                flow.congestion();
                let second = flow.state.alpha;
                flow.congestion();
                for stage in 1..=8 {
                    flow.decay();
                    flow.increase(if stage <= 5 { Stage::Fast } else { Stage::Additive });
                }
                kept = (1.0 - first / 2.0) * (1.0 - second / 2.0 / 256.0);
            }
            let now = flows[0].rate() - flows[1].rate();
            assert!((now / gap - kept).abs() < 1e-6 && kept < 0.9, "{now} of {gap}, not {kept}");
        }
        assert!(flows[0].rate() / flows[1].rate() < 1.001, "{flows:?}");
    }

    /// A CNP at alpha 1 halves the rate; five stages bring it within 1/32 of the old one.
    #[test]
    fn by_hand() {
        let mut flow = Dcqcn::new(&Parameters::dcqcn_10g());
        assert_eq!(flow.congestion(), 5000.0);
        for _ in 0..5 {
            flow.increase(Stage::Fast);
        }
        assert_eq!((flow.rate(), flow.state.target), (10_000.0 - 5000.0 / 32.0, Some(10_000.0)));
        // The target is the greatest rate, and stays.
        flow.increase(Stage::Hyper(3));
        assert_eq!(flow.state.target, Some(10_000.0));
        flow.state.target = Some(9000.0);
        flow.increase(Stage::Hyper(3));
        assert_eq!(flow.state.target, Some(9300.0));
        flow.decay();
        assert_eq!(flow.state.alpha, 255.0 / 256.0);
    }
}
