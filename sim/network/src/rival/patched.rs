//! Patched TIMELY of "ECN or Delay" (CoNEXT'16) as its packet runs have it, and its form with a PI
//! controller at the host.
//!
//! The engine has both laws in integers (`patched-10g`, `pi-10g`); these are the paper's forms, to
//! stand beside its figures.
use super::timely::{limits, share};
use crate::fabric::control::{Answer, Controller};
use crate::fluid::timely::Timely;
use crate::time::Ps;
use timely_regs::parameters::Parameters;

/// Parameters of the PI controller at the host.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PiHost {
    /// Output at the flow's start, which decides the flow's share.
    pub start: f64,
    /// Gain on the delay an update ago, of a flow at a tenth of the line, a bit.
    pub gain: f64,
    /// Gain on the present delay over that one.
    pub ratio: f64,
}

impl Default for PiHost {
    fn default() -> Self {
        PiHost { start: 0.0, gain: 1.816e-9, ratio: 1.0005 }
    }
}

/// Patched TIMELY: an update for each burst, by the RTT less one packet's serialization.
#[derive(Clone, Debug)]
pub struct Patched {
    p: Parameters,
    rate: f64,
    limits: (f64, f64),
    packet_us: f64,
    last: Option<f64>,
    gradient: f64,
}

impl Patched {
    /// A new flow on a line of so many Mb/s that takes so many us for a packet.
    pub fn new(p: &Parameters, mbps: f64, packet_us: f64) -> Self {
        let limits = limits(mbps);
        Patched { rate: p.initial_mbps.clamp(limits.0, limits.1), p: p.clone(), limits, packet_us, last: Some(packet_us), gradient: 0.0 }
    }
}

impl Controller for Patched {
    fn answer(&mut self, a: &Answer) {
        let (p, rtt) = (&self.p, (a.rtt as f64 / 1e6 - self.packet_us).max(0.0));
        let Some(last) = self.last.replace(rtt) else { return };
        self.gradient += p.alpha * ((rtt - last) / p.min_rtt_us - self.gradient);
        let rate = if rtt < p.t_low_us {
            self.rate + p.additive_step_mbps
        } else if rtt > p.t_high_us {
            self.rate * (1.0 - p.beta * (1.0 - p.t_high_us / rtt))
        } else {
            let (w, error) = (Timely::weight(self.gradient), (rtt - p.t_low_us) / p.t_low_us);
            p.additive_step_mbps * (1.0 - w) + self.rate * (1.0 - p.beta * w * error)
        };
        self.rate = rate.clamp(self.limits.0, self.limits.1);
    }

    fn timeout(&mut self, _: Ps) {
        self.rate = share(self.rate / 2.0, self.limits);
    }

    fn rate(&self) -> f64 {
        self.rate
    }
}

/// PI at the host: each flow's controller holds the queueing delay at the middle of the thresholds,
/// and its output takes the error's place.
#[derive(Clone, Debug)]
pub struct Pi {
    p: Parameters,
    pi: PiHost,
    rate: f64,
    limits: (f64, f64),
    mbps: f64,
    base_us: f64,
    // Queueing delay over the reference at the last update, bits of the line.
    last: Option<f64>,
    output: f64,
}

impl Pi {
    /// A new flow on a line of so many Mb/s, which knows the unloaded RTT.
    pub fn new(p: &Parameters, pi: PiHost, mbps: f64, base_us: f64) -> Self {
        let limits = limits(mbps);
        let rate = p.initial_mbps.clamp(limits.0, limits.1);
        Pi { p: p.clone(), pi, rate, limits, mbps, base_us, last: None, output: pi.start }
    }
}

impl Controller for Pi {
    fn answer(&mut self, a: &Answer) {
        let delay = (a.rtt as f64 / 1e6 - self.base_us).max(0.0);
        let error = (delay - (self.p.t_low_us + self.p.t_high_us) / 2.0) * self.mbps;
        let Some(last) = self.last.replace(error) else { return };
        // The gains are of a time, and an update comes once a burst.
        let updates = self.mbps / (10.0 * self.rate);
        self.output += self.pi.gain * (self.pi.ratio * error - last) * updates;
        self.rate = share(self.rate + self.p.additive_step_mbps - self.output / 2.0 * self.rate, self.limits);
    }

    fn timeout(&mut self, _: Ps) {
        self.rate = share(self.rate / 2.0, self.limits);
    }

    fn rate(&self) -> f64 {
        self.rate
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(rtt_us: f64) -> Answer {
        Answer { now: 0, rtt: (rtt_us * 1e6) as Ps, bytes: 0, packets: 0, marked: 0, lost: false, acked: 0, sent: 0 }
    }

    fn parameters() -> Parameters {
        Parameters {
            t_low_us: 50.0,
            t_high_us: 500.0,
            beta: 0.008,
            alpha: 0.875,
            min_rtt_us: 20.0,
            initial_mbps: 5000.0,
            ..Parameters::authors_10g()
        }
    }

    /// With a still RTT the weight is a half: the rate rests where beta times the error times the
    /// rate is the additive step.
    #[test]
    fn patched_rests_at_its_fixed_point() {
        let mut flow = Patched::new(&parameters(), 10_000.0, 0.0);
        let at_rest = 50.0 * (1.0 + 10.0 / (0.008 * 5000.0));
        // The first RTT is a rise from none, to which the weight is 1.
        flow.answer(&answer(at_rest));
        assert!((flow.rate() - 5000.0 * (1.0 - 0.008 * 0.25)).abs() < 1e-9, "{}", flow.rate());
        (flow.rate, flow.gradient) = (5000.0, 0.0);
        flow.answer(&answer(at_rest));
        assert!((flow.rate() - 5000.0).abs() < 1e-9, "{}", flow.rate());
        flow.answer(&answer(10.0));
        assert!((flow.rate() - 5010.0).abs() < 1e-9);
        flow.answer(&answer(1000.0));
        assert!((flow.rate() - 5010.0 * (1.0 - 0.008 * 0.5)).abs() < 1e-9);
    }

    /// At the reference the output moves by nothing; each flow keeps the output that it has.
    #[test]
    fn the_host_s_controller_rests_at_its_reference() {
        let mut flow = Pi::new(&parameters(), PiHost { start: 0.004, ..PiHost::default() }, 10_000.0, 6.0);
        for _ in 0..3 {
            flow.answer(&answer(281.0));
        }
        assert!((flow.rate() - 5000.0).abs() < 1e-9 && flow.output == 0.004);
        flow.answer(&answer(291.0));
        // 10 us of a line of 10 Gb/s are 100,000 bits; a flow of half the line updates five times
        // as often as one of a tenth.
        assert!((flow.output - (0.004 + 1.816e-9 * 1.0005 * 1e5 / 5.0)).abs() < 1e-12);
    }
}
