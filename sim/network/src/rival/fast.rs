//! FAST*: TCP FAST (Wei et al., 2006) with a rate in place of the window, as SIGCOMM'15, section 6,
//! compares with.
//!
//! `r = min(2 r, (1 - gamma) r + gamma (base / rtt r + alpha))`, once an RTT. At rest
//! `r (1 - base / rtt) = alpha`: each flow keeps its alpha of rate in the queue.
use crate::fabric::control::{Answer, Controller};
use crate::time::Ps;
use timely_regs::parameters::Parameters;

/// Gamma.
const GAMMA: f64 = 0.5;

/// FAST* of one flow.
#[derive(Clone, Debug)]
pub struct Fast {
    alpha: f64,
    least: f64,
    most: f64,
    rate: f64,
    // The least RTT seen, ps.
    base: f64,
    next: Ps,
}

impl Fast {
    /// A flow with the limits of `p`, and its additive step for alpha. It knows the unloaded RTT.
    pub fn new(p: &Parameters, base_us: f64) -> Self {
        Fast { alpha: p.additive_step_mbps, least: p.least_mbps, most: p.greatest_mbps, rate: p.initial_mbps, base: base_us * 1e6, next: 0 }
    }
}

impl Controller for Fast {
    fn answer(&mut self, a: &Answer) {
        let rtt = (a.rtt as f64).max(1.0);
        self.base = self.base.min(rtt);
        if a.now < self.next {
            return;
        }
        self.next = a.now + a.rtt;
        let aim = (1.0 - GAMMA) * self.rate + GAMMA * (self.base / rtt * self.rate + self.alpha);
        self.rate = aim.min(2.0 * self.rate).clamp(self.least, self.most);
    }

    fn timeout(&mut self, _: Ps) {
        self.rate = (self.rate / 2.0).max(self.least);
    }

    fn rate(&self) -> f64 {
        self.rate
    }
}
