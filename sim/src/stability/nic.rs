//! Patched TIMELY as this NIC computes it: its fluid model, linearised as the others are, and its
//! integers in a loop with a queue and a delay.
//!
//! The NIC's law differs from the paper's in two places. Steps are scaled by the time since the
//! last update over the update interval, so that rates move as fast whatever the segment is: the
//! paper's update interval is `max(Seg / R, update_interval)` here. And a gradient is the smoothed
//! difference of two samples, which are `Seg / R` apart, over `min_rtt`.
use super::linear::{Point, linearise};
use super::margin::margin;
use super::roots::NotFound;
use crate::fabric::control::{Answer, Control};
use crate::fluid::law::{Law, Past, QUEUE, RATE};
use crate::fluid::timely::Timely;
use crate::time::{Ps, US};
use timely_regs::parameters::{LawKind, Parameters};

/// The smoothed difference among a flow's states, seconds.
const DIFFERENCE: usize = 1;
/// Share of the line below which no rate is looked at.
const LEAST: f64 = 1e-4;

/// Wire bytes of a segment: two packets of 1,000 bytes of payload.
pub const SEGMENT: u32 = 2228;
/// Length of a run of the integers, ms.
pub const MS: f64 = 60.0;
/// Most flows of such a run.
pub const MOST_FLOWS: u32 = 128;

/// Flows of one profile at a bottleneck; bits and seconds.
#[derive(Clone, Debug)]
pub struct Nic {
    /// The profile, whose law is patched TIMELY.
    pub profile: Parameters,
    /// Capacity, b/s.
    pub capacity: f64,
    /// Wire bits of a segment.
    pub segment: f64,
    /// The RTT without a queue, seconds.
    pub base: f64,
}

impl Nic {
    /// Flows of a profile, segments of so many wire bytes, at a bottleneck as fast as the profile's
    /// line.
    ///
    /// # Errors
    /// The profile's law is another.
    pub fn new(profile: Parameters, segment_bytes: u32, base_us: f64) -> Result<Self, String> {
        if profile.law != LawKind::Patched {
            let why = "TIMELY rests nowhere, Swift's steps jump at its target, and PI keeps any split";
            return Err(format!("the law is {:?}; allowed: Patched, as {why}", profile.law));
        }
        Ok(Nic { capacity: profile.greatest_mbps * 1e6, segment: f64::from(segment_bytes) * 8.0, base: base_us / 1e6, profile })
    }

    // The delay at which the error is 0 is an RTT: the queue there, bits.
    fn reference(&self) -> f64 {
        self.profile.reference_us / 1e6
    }

    /// The queue at rest, bits: between the thresholds, where the step's half is the error's.
    pub fn fixed_queue(&self, flows: f64) -> f64 {
        let rate = self.capacity / flows;
        let error = self.profile.additive_step_mbps * 1e6 / (self.profile.error_beta * rate);
        (self.reference() * (1.0 + error) - self.base) * self.capacity
    }
}

impl Law for Nic {
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
        self.segment / (LEAST * self.capacity) + 0.1
    }

    fn remembers_shared_alone(&self) -> bool {
        true
    }

    fn start(&self, rate: f64, _: f64) -> Vec<f64> {
        vec![rate, 0.0]
    }

    fn flow(&self, shared: &[f64], own: &[f64], past: &impl Past, d: &mut [f64]) {
        let p = &self.profile;
        let rate = own[RATE].max(LEAST * self.capacity);
        let apart = self.segment / rate;
        let delay = self.base + shared[QUEUE] / self.capacity;
        let rtt = |lag: f64| self.base + past.shared(QUEUE, delay + lag) / self.capacity;
        let (now, before) = (rtt(0.0), rtt(apart));
        let w = Timely::weight(own[DIFFERENCE] * 1e6 / p.min_rtt_us);
        let step = p.additive_step_mbps * 1e6;
        let error = (now - self.reference()) / self.reference();
        let change = step * (1.0 - w) - w * p.error_beta * rate * error;
        d[RATE] = change / apart.max(p.update_interval_us / 1e6);
        d[DIFFERENCE] = p.alpha / apart * (now - before - own[DIFFERENCE]);
    }

    fn limit(&self, own: &mut [f64]) {
        own[RATE] = own[RATE].clamp(LEAST * self.capacity, self.capacity);
    }
}

/// Results of linearisation and of the integers for a number of flows.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
pub struct Row {
    /// Flows.
    pub flows: u32,
    /// RTT without a queue, us.
    pub base_us: f64,
    /// Queue at rest, KB.
    pub queue_kb: f64,
    /// Margin, degrees; `None`: the gain is 1 nowhere.
    pub margin_deg: Option<f64>,
    /// Real part of the rightmost root, 1/s.
    pub root: f64,
    /// Mean queue of the integers, KB.
    pub mean_kb: f64,
    /// Standard deviation of it over the mean.
    pub swing: f64,
}

/// Linearises, and runs the integers for so many ms from a queue a third beyond its rest; figures
/// are of the last third.
///
/// # Errors
/// The eigenvalues did not converge, or the profile cannot be held.
pub fn row(nic: &Nic, flows: u32, ms: f64) -> Result<Row, String> {
    let n = f64::from(flows);
    let rest = nic.fixed_queue(n);
    let point = Point { shared: vec![rest], own: vec![nic.capacity / n, 0.0], sizes: vec![rest, nic.capacity / n, 1e-6] };
    let modes = linearise(nic, n, &point);
    let root = modes.together.rightmost().map_err(|e: NotFound| e.to_string())?;
    let (mean, deviation) = integers(nic, flows, 1.33 * rest, ms)?;
    Ok(Row {
        flows,
        base_us: nic.base * 1e6,
        queue_kb: rest / 8e3,
        margin_deg: margin(|s| modes.open_loop(s)).map(|c| c.margin_deg),
        root: root.re,
        mean_kb: mean / 8e3,
        swing: deviation / mean,
    })
}

/// Step of the queue.
const STEP: Ps = US / 5;

// The rate engine's integers for each flow, a fluid queue, and samples of it as old as they are
// when their ACK comes. Mean and standard deviation of the queue in the last third, bits.
fn integers(nic: &Nic, flows: u32, queue: f64, ms: f64) -> Result<(f64, f64), String> {
    let start = Parameters { initial_mbps: nic.capacity / 1e6 / f64::from(flows), ..nic.profile.clone() };
    let words = start.quantise().map_err(|e| e.to_string())?;
    let seconds = |t: Ps| t as f64 * 1e-12;
    let mut laws: Vec<Control> = (0..flows).map(|_| Control::integer(&words)).collect();
    let wait = |rate: u32| (nic.segment / (f64::from(rate) / 4096.0 * 1e6) * 1e12) as Ps;
    // Segments of the flows end evenly spread over the first interval.
    let mut due: Vec<Ps> = laws.iter().zip(0u64..).map(|(l, i)| wait(l.rate()) * i / u64::from(flows)).collect();
    let steps = (ms * 1e9) as Ps / STEP;
    let mut past = vec![queue];
    let (mut sum, mut square, mut count) = (0.0, 0.0, 0.0);
    for k in 1..=steps {
        let now = k * STEP;
        let total: f64 = laws.iter().map(|l| f64::from(l.rate()) / 4096.0 * 1e6).sum();
        let q = (past[past.len() - 1] + (total - nic.capacity) * seconds(STEP)).max(0.0);
        past.push(q);
        // Queue that a packet found, for the packet with an ACK that comes now.
        let lag = nic.base + q / nic.capacity;
        let found = past[(k as usize).saturating_sub((lag / seconds(STEP)) as usize)];
        for (law, due) in laws.iter_mut().zip(&mut due) {
            if *due <= now {
                let rtt = ((nic.base + found / nic.capacity) * 1e12) as Ps;
                let answer = Answer { now, rtt, bytes: 0, packets: 1, marked: 0, lost: false, acked: 0, sent: 0 };
                *due = now.max(*due) + wait(law.answer(&words, &answer).0);
            }
        }
        if k > steps * 2 / 3 {
            (sum, square, count) = (sum + q, square + q * q, count + 1.0);
        }
    }
    let mean = sum / count;
    Ok((mean, (square / count - mean * mean).max(0.0).sqrt()))
}

/// Rows as a table of text.
pub fn table(rows: &[Row]) -> String {
    let mut t = "RTT us  flows  queue KB  margin deg  root 1/s  integers: mean KB  swing".to_owned();
    for r in rows {
        let margin = r.margin_deg.map_or("-".into(), |m| format!("{m:.2}"));
        t += &format!("\n{:6} {:6} {:9.2} {margin:>11} {:9.0} {:18.2} {:6.4}", r.base_us, r.flows, r.queue_kb, r.root, r.mean_kb, r.swing);
    }
    t
}
