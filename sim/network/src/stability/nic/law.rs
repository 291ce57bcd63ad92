//! The laws of the rate engine as fluid, in bits and seconds.
//!
//! Three things differ from the papers' fluid models. Steps are scaled by the time since the last
//! update over the update interval, so that rates move as fast whatever the segment is: the update
//! interval of the papers is `max(Seg / R, update_interval)` here. A gradient is the smoothed
//! difference of two samples, which are `Seg / R` apart, over `min_rtt`. And Swift is a law of
//! rates: a window of w packets is the rate of w packets in `update_interval`, and a decrease is
//! followed by none for the RTT it was decided by.
use super::Nic;
use crate::fluid::law::{Law, Past, QUEUE, RATE};
use crate::fluid::timely::Timely;
use timely_regs::parameters::LawKind;

/// The smoothed difference among a flow's states, seconds.
const DIFFERENCE: usize = 1;
/// Output of the PI controller among a flow's states.
const OUTPUT: usize = 2;
/// Share of the line below which no rate is looked at.
const LEAST: f64 = 1e-4;
/// Gain by which a one-sided loop is replaced for its smallest swings, over the gain of the side
/// that is not a jump: harmonic balance of `-g e` above 0 and a jump below has the mean of the
/// jump's pulses equal to that of `g e`, and pulses at the trough have twice their mean as their
/// first harmonic.
pub const ONE_SIDED: f64 = 3.0;

impl Nic {
    // Gains of the controller on the error and on the change of the delay, a second.
    fn controller(&self) -> (f64, f64) {
        let p = &self.profile;
        let scale = p.error_beta * 1e6 / p.reference_us;
        (p.integral_gain * scale, p.proportional_gain * scale)
    }

    /// Swift's target of the fabric's delay at a rate, seconds; hops are part of its base.
    pub fn target(&self, rate: f64) -> f64 {
        let p = &self.profile;
        let window = rate / 8.0 / f64::from(p.packet_bytes) * p.update_interval_us / 1e6;
        let (least, most) = (p.flow_least_packets.sqrt().recip(), p.flow_most_packets.sqrt().recip());
        let scaling = p.flow_range_us / (least - most) * (window.sqrt().recip() - most);
        (p.base_target_us + scaling.clamp(0.0, p.flow_range_us)) / 1e6
    }

    /// The queue at rest, bits; `None` of TIMELY, which rests nowhere.
    pub fn fixed_queue(&self, flows: f64) -> Option<f64> {
        let (rate, p) = (self.capacity / flows, &self.profile);
        let delay = match p.law {
            // Where the step's half is the error's.
            LawKind::Patched => p.reference_us / 1e6 * (1.0 + p.additive_step_mbps * 1e6 / (p.error_beta * rate)),
            LawKind::Pi => p.reference_us / 1e6,
            LawKind::Swift => self.target(rate),
            LawKind::Timely | LawKind::Fixed | LawKind::Dcqcn => return None,
        };
        Some((delay - self.base) * self.capacity)
    }

    /// The controller's output at rest, which is 0 of laws without one.
    pub fn fixed_output(&self, flows: f64) -> f64 {
        if self.profile.law == LawKind::Pi { self.profile.additive_step_mbps * 1e6 * flows / self.capacity } else { 0.0 }
    }

    // Change of the rate by a sample of a gradient law, and the time that it is for.
    fn by_gradient(&self, own: &[f64], rate: f64, now: f64) -> f64 {
        let p = &self.profile;
        let (apart, step) = (self.segment / rate, p.additive_step_mbps * 1e6);
        let interval = apart.max(p.update_interval_us / 1e6);
        if now * 1e6 < p.t_low_us {
            return step / interval;
        }
        if now * 1e6 > p.t_high_us {
            return -rate * p.beta * (1.0 - p.t_high_us / 1e6 / now) / interval;
        }
        let gradient = own[DIFFERENCE] * 1e6 / p.min_rtt_us;
        if p.law == LawKind::Timely {
            return if gradient <= 0.0 { step / interval } else { -rate * (p.beta * gradient).min(1.0) / apart };
        }
        let reference = p.reference_us / 1e6;
        let output = if p.law == LawKind::Pi { own[OUTPUT] } else { p.error_beta * (now - reference) / reference };
        let w = Timely::weight(gradient);
        (step * (1.0 - w) - w * output * rate) / interval
    }

    // Swift's change of the rate a second.
    fn by_target(&self, rate: f64, now: f64) -> f64 {
        let p = &self.profile;
        let (apart, excess) = (self.segment / rate, now - self.target(rate));
        // Samples come by the segment, and the first one after an RTT may lower the rate again.
        let hold = (now / apart).ceil().max(1.0) * apart;
        let lowered = rate * p.beta * excess / now / hold;
        if self.balanced {
            -ONE_SIDED * lowered
        } else if excess < 0.0 {
            p.additive_step_mbps * 1e6 / apart.max(p.update_interval_us / 1e6)
        } else {
            -lowered.min(rate * p.max_decrease / hold)
        }
    }
}

impl Law for Nic {
    fn states(&self) -> usize {
        match self.profile.law {
            LawKind::Swift => 1,
            LawKind::Pi => 3,
            _ => 2,
        }
    }

    fn capacity(&self) -> f64 {
        self.capacity
    }

    fn unit_bytes(&self) -> f64 {
        0.125
    }

    fn horizon(&self) -> f64 {
        self.segment / (LEAST * self.capacity) + 0.1
    }

    fn remembers_shared_alone(&self) -> bool {
        true
    }

    fn start(&self, rate: f64, output: f64) -> Vec<f64> {
        let mut own = vec![rate, 0.0, output];
        own.truncate(self.states());
        own
    }

    fn flow(&self, shared: &[f64], own: &[f64], past: &impl Past, d: &mut [f64]) {
        let rate = own[RATE].max(LEAST * self.capacity);
        let delay = self.base + shared[QUEUE] / self.capacity;
        let rtt = |lag: f64| self.base + past.shared(QUEUE, delay + lag) / self.capacity;
        let now = rtt(0.0);
        if self.profile.law == LawKind::Swift {
            d[RATE] = self.by_target(rate, now);
            return;
        }
        let apart = self.segment / rate;
        let difference = now - rtt(apart);
        d[RATE] = self.by_gradient(own, rate, now);
        d[DIFFERENCE] = self.profile.alpha / apart * (difference - own[DIFFERENCE]);
        if self.profile.law == LawKind::Pi {
            let (integral, proportional) = self.controller();
            d[OUTPUT] = (integral * (now - self.profile.reference_us / 1e6) + proportional * difference) / apart;
        }
    }

    fn before(&self) -> f64 {
        self.before
    }

    fn limit(&self, own: &mut [f64]) {
        own[RATE] = own[RATE].clamp(LEAST * self.capacity, self.capacity);
        if let Some(output) = own.get_mut(OUTPUT) {
            *output = output.clamp(0.0, 1.0);
        }
    }
}
