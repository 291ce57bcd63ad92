//! A rate that the host writes.
use super::Law;
use timely_regs::parameters::Parameters;

/// The law `fixed`: samples, time-outs and idle restarts change nothing.
#[derive(Clone, Debug)]
pub struct Fixed {
    least: f64,
    greatest: f64,
    rate: f64,
}

impl Fixed {
    /// A flow at its profile's initial rate.
    pub fn new(parameters: &Parameters) -> Self {
        Fixed { least: parameters.least_mbps, greatest: parameters.greatest_mbps, rate: parameters.initial_mbps }
    }

    /// The host writes `mbps`, which the profile bounds; gives the rate from now on.
    pub fn set(&mut self, mbps: f64) -> f64 {
        self.rate = mbps.clamp(self.least, self.greatest);
        self.rate
    }
}

impl Law for Fixed {
    fn update(&mut self, _rtt_us: f64, _now_us: f64) -> f64 {
        self.rate
    }

    fn timeout(&mut self, _now_us: f64) -> f64 {
        self.rate
    }

    fn loss(&mut self, _rtt_us: f64, _now_us: f64) -> f64 {
        self.rate
    }

    fn restart(&mut self) -> f64 {
        self.rate
    }

    fn rate(&self) -> f64 {
        self.rate
    }
}
