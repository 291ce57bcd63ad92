//! The published analysis of "ECN or Delay" (CoNEXT'16), whose margins follow from low-order
//! transfer functions and from no linearisation of the fluid models, and the published values
//! themselves.
use crate::fluid::dcqcn::Dcqcn;
use crate::fluid::marking::Marker;
use crate::fluid::settings::{Model, Settings};
use crate::fluid::timely::Timely;
use nalgebra::Complex;
use serde::Deserialize;

const VALUES: &str = include_str!("../../../scenarios/conext16/analysis.json");

/// The published values.
#[derive(Clone, Debug, Deserialize)]
pub struct Values {
    /// Phase margins, degrees.
    pub margins_deg: Vec<Curve>,
    /// Convergence times, seconds.
    pub convergence_s: Vec<Curve>,
}

/// A published curve over the number of flows.
#[derive(Clone, Debug, Deserialize)]
pub struct Curve {
    /// `dcqcn` or `patched-timely`.
    pub protocol: String,
    /// Capacity, Gb/s.
    pub line_gbps: f64,
    /// Additive increase, Mb/s.
    pub additive_increase_mbps: Option<f64>,
    /// Feedback delay, of patched TIMELY its propagation's part, us.
    pub delay_us: Option<f64>,
    /// Top of the marking ramp, KB.
    pub kmax_kb: Option<f64>,
    /// Flows and value.
    pub by_flows: Vec<(f64, f64)>,
}

impl Values {
    /// The published values.
    pub fn read() -> Self {
        serde_json::from_str(VALUES).expect("the file is part of the program")
    }
}

impl Curve {
    /// The parameters of the curve.
    pub fn settings(&self) -> Settings {
        let mut s = Settings::conext16(if self.protocol == "dcqcn" { Model::Dcqcn } else { Model::Patched });
        s.line_gbps = self.line_gbps;
        s.delay_us = self.delay_us.unwrap_or(0.0);
        s.increase_mbps = self.additive_increase_mbps.unwrap_or(s.increase_mbps);
        s.kmax_kb = self.kmax_kb.unwrap_or(s.kmax_kb);
        s
    }

    /// Title of the curve: the protocol, the rate, and R_AI, Kmax and delay where they are given.
    pub fn title(&self) -> String {
        let mut title = format!("{} {} Gb/s", self.protocol, self.line_gbps);
        for (name, value) in [("R_AI Mb/s", self.additive_increase_mbps), ("Kmax KB", self.kmax_kb), ("delay us", self.delay_us)] {
            if let Some(v) = value {
                title += &format!(", {name} {v}");
            }
        }
        title
    }
}

/// Published loop transfer of DCQCN at a marking probability: alpha's pole is at g C / N, where the
/// fluid model has g / tau'.
pub fn dcqcn_loop(d: &Dcqcn, flows: f64, p: f64, s: Complex<f64>) -> Complex<f64> {
    let (n, c, g) = (flows, d.capacity, d.gain);
    let (tau, t, b, f, step) = (d.cnp, d.timer, d.counter, d.stages, d.increase);
    let Marker::Ramp(ramp) = d.marker else { return Complex::new(f64::NAN, 0.0) };
    let r = c / n;
    let kept = 1.0 - p;
    let alpha = 1.0 - kept.powf(d.alpha_timer * r);
    let a = 1.0 - kept.powf(tau * r);
    let bytes = p * kept.powf(f * b) / (kept.powf(-b) - 1.0);
    let timer = p * kept.powf(f * t * r) / (kept.powf(-t * r) - 1.0);
    let target = r * (1.0 + tau * step * (bytes + timer) / a);
    let k = n * ramp.slope() * d.packet;
    let cap_a = 1.0 / b + 1.0 / (t * r);
    let h = 0.5 + cap_a / 4.0;
    let cap_h = cap_a * r / 2.0 - h * p * r;
    let u = (1.0 + 2.0 * f + cap_a / 2.0) * step;
    let x = -r * r * alpha / 2.0 - h * r * (target - r);
    let y = -p * r * alpha / 2.0 - cap_a * r / 2.0 + h * p * r;
    let z = y + cap_a * target / 2.0 - h * p * target;
    let cap_d = -p * r * r * g * c * k / 2.0;
    let e = cap_h * (p * r + cap_a * step);
    let v = cap_h * (-p * target + p * r + cap_a * step - u * p);
    let w = cap_h * (-r * target + r * r - u * r) * k;
    let pole = s * n + g * c;
    let target_pole = s + p * r;
    let above = pole * (target_pole * (s * y + x * k) + s * v + w) + target_pole * cap_d;
    let below = pole * s * (-s * target_pole + target_pole * z + e);
    (-s * d.delay).exp() * above / below
}

/// Slope of the weight by the gradient in the published loop transfer of patched TIMELY; that of
/// the weight itself is 2.
pub const WEIGHT_SLOPE: f64 = 0.5;

/// Published loop transfer of patched TIMELY, with this slope of the weight.
pub fn patched_loop(t: &Timely, flows: f64, slope: f64, s: Complex<f64>) -> Complex<f64> {
    let (rate, low) = (t.capacity / flows, t.capacity * t.t_low);
    let queue = low * (1.0 + flows * t.increase / (t.beta * t.capacity));
    let (update, delay, weight) = (t.segment / rate, t.feedback(queue), 0.5);
    let gradient = (Complex::new(1.0, 0.0) - (-s * update).exp()) * (2.0 * rate * t.increase * t.alpha * slope)
        / (s * t.min_rtt * (s * t.segment + t.alpha * rate));
    let error = Complex::new(rate * rate * weight * t.beta * flows / low, 0.0) / s;
    (-s * delay).exp() * (gradient + error) / (s * t.segment + (3.0 * weight - 1.0) * t.increase)
}

/// Time that DCQCN's discrete model takes until the rates of two flows differ by a tenth of their
/// share, seconds.
pub fn convergence(d: &Dcqcn, flows: f64) -> f64 {
    let Marker::Ramp(ramp) = d.marker else { return f64::NAN };
    let (n, g, step) = (flows, d.gain, d.increase);
    // Timers until the queue has grown over Kmax, and those of a whole cycle.
    let t = (-1.0 + (1.0 + 8.0 * ramp.most / d.packet / (n * step * d.timer)).sqrt()) / 2.0;
    let cycle = |alpha: f64| 2.0 + (t / 2.0 + d.capacity / (2.0 * n * step)) * alpha;
    // Alpha at the peaks: it falls all cycle long but for the one CNP.
    let excess = |alpha: f64| (1.0 - g).powf(cycle(alpha) - 1.0) * ((1.0 - g) * alpha + g) - alpha;
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..100 {
        let middle = (low + high) / 2.0;
        if excess(middle) > 0.0 { low = middle } else { high = middle }
    }
    d.timer * cycle(low) * (0.1 / n).ln() / (1.0 - low / 2.0).ln()
}
