//! The laws of this NIC: their fluid models ([`law`]), linearised as the others are, the same at
//! their samples ([`mod@sampled`]), and its integers in a loop with a queue and a delay
//! ([`integers`]).
//!
//! TIMELY rests nowhere and has no linearisation. Swift's law jumps at its target, from an increase
//! below to a decrease that begins at 0 above; its smallest swings are those of a linear loop with
//! the gain that harmonic balance gives ([`law::ONE_SIDED`]). PI at the host keeps any split of the
//! line, so differences between its flows have a root of 0.
pub mod integers;
pub mod law;
pub mod sampled;

use super::border::{Border, border};
use super::linear::{Modes, Point, linearise};
use super::margin::{margin, stable_within};
use super::roots::NotFound;
use crate::fluid::solve::{FlowStart, Steps, solve};
use integers::Swing;
use timely_regs::parameters::{LawKind, NAMES, Parameters};

/// Wire bytes of a segment: two packets of 1,000 bytes of payload.
pub const SEGMENT: u32 = 2228;
/// Length of a run of the fluid model and of the integers, ms.
pub const MS: f64 = 60.0;
/// Most flows of such a run.
pub const MOST_FLOWS: u32 = 128;

/// Step of the fluid model, seconds.
const STEP: f64 = 0.5e-6;

/// Flows of one profile at a bottleneck; bits and seconds.
#[derive(Clone, Debug)]
pub struct Nic {
    /// The profile.
    pub profile: Parameters,
    /// Capacity, b/s.
    pub capacity: f64,
    /// Wire bits of a segment.
    pub segment: f64,
    /// The RTT without a queue, seconds.
    pub base: f64,
    /// Swift's jump is replaced by the gain of harmonic balance.
    pub balanced: bool,
    /// The queue of before a run, bits.
    pub before: f64,
}

impl Nic {
    /// Flows of a profile, segments of so many wire bytes, at a bottleneck as fast as the profile's
    /// line.
    ///
    /// # Errors
    /// The profile has no law, or its point of rest is out of what the law steers.
    pub fn new(profile: Parameters, segment_bytes: u32, base_us: f64) -> Result<Self, String> {
        if matches!(profile.law, LawKind::Fixed | LawKind::Dcqcn) {
            let law = profile.law;
            let named: Vec<&str> = NAMES.into_iter().filter(|n| *n != "fixed" && !n.starts_with("dcqcn")).collect();
            return Err(format!("the law is {law:?}; allowed: a profile whose law goes by delays, such as {}", named.join(", ")));
        }
        Ok(Nic {
            capacity: profile.greatest_mbps * 1e6,
            segment: f64::from(segment_bytes) * 8.0,
            base: base_us / 1e6,
            profile,
            balanced: false,
            before: 0.0,
        })
    }

    /// The law at rest with so many flows, linearised; `None` of TIMELY, which rests nowhere.
    pub fn modes(&self, flows: f64) -> Option<Modes> {
        let (rest, rate) = (self.fixed_queue(flows)?, self.capacity / flows);
        let law = Nic { balanced: true, ..self.clone() };
        let own = crate::fluid::law::Law::start(&law, rate, self.fixed_output(flows));
        let sizes = [rest, rate, 1e-6, 1e-3][..own.len() + 1].to_vec();
        Some(linearise(&law, flows, &Point { shared: vec![rest], own, sizes }))
    }

    /// The fluid model for so many ms from a queue in bits: the queue of the last third.
    ///
    /// # Errors
    /// The queue runs away.
    pub fn fluid(&self, flows: u32, queue: f64, ms: f64) -> Result<Swing, String> {
        let n = f64::from(flows);
        let start = FlowStart { output: self.fixed_output(n), ..FlowStart::new(self.capacity / 1e9 / n) };
        let steps = Steps { end: ms / 1e3, step: STEP, every: STEP, queue: queue / 8.0, jitter: None };
        let law = Nic { before: queue, ..self.clone() };
        let done = solve(&law, &vec![start; flows as usize], &steps).map_err(|e| e.to_string())?;
        let bits: Vec<f64> = done.queue.iter().skip(done.queue.len() * 2 / 3).map(|q| q * 8.0).collect();
        Ok(Swing::of(&bits, STEP))
    }
}

/// Results of linearisation, of the fluid model and of the integers for a number of flows.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
pub struct Row {
    /// Flows.
    pub flows: u32,
    /// RTT without a queue, us.
    pub base_us: f64,
    /// Queue at rest, KB; `None` of TIMELY, as all that is of a point of rest.
    pub queue_kb: Option<f64>,
    /// Margin, degrees; `None` also where the gain is 1 nowhere.
    pub margin_deg: Option<f64>,
    /// Frequency at which the margin is, rad/s.
    pub omega: Option<f64>,
    /// Real part of the rightmost root, 1/s.
    pub root: Option<f64>,
    /// Imaginary part of it, rad/s.
    pub root_omega: Option<f64>,
    /// Real part of the rightmost root of differences between flows, 1/s: 0 keeps any.
    pub apart_root: Option<f64>,
    /// Where the margin changes its sign; delays have each the profile that is for them.
    pub border: Border,
    /// Margin of the loop that is closed at samples, degrees; `None` of laws that jump at their
    /// rest too, as all that is of samples.
    pub sampled_deg: Option<f64>,
    /// Real part of that loop's root of the fastest growth, 1/s.
    pub sampled_root: Option<f64>,
    /// Imaginary part of it, rad/s.
    pub sampled_omega: Option<f64>,
    /// Where that loop's margin changes its sign.
    pub sampled_border: Border,
    /// Mean queue of the fluid model, KB.
    pub fluid_kb: f64,
    /// Standard deviation of it over the mean.
    pub fluid_swing: f64,
    /// Mean queue of the integers, KB.
    pub mean_kb: f64,
    /// Standard deviation of it over the mean.
    pub swing: f64,
    /// Standard deviation of the integers' queue, KB.
    pub amplitude_kb: f64,
    /// Period of the integers' swing, us.
    pub period_us: Option<f64>,
    /// Range of steady RTTs that leave a rate as it is to the bit, ns.
    pub dead_ns: Option<u32>,
}

/// Borders next to a number of flows and a delay, by the fluid model's margin and by that of
/// samples, of a law that `make` makes for an RTT without a queue, us.
pub fn borders(flows: u32, base_us: f64, make: impl Fn(f64) -> Option<Nic>) -> (Border, Border) {
    let fluid = |n: f64, base_us: f64| {
        let modes = make(base_us)?.modes(n)?;
        Some(stable_within(|s| modes.open_loop(s), f64::MAX))
    };
    let sampled = |n: f64, base_us: f64| Some(make(base_us)?.sampled(n as u32)?.stable());
    let n = f64::from(flows);
    (border(n, base_us, fluid), border(n, base_us, sampled))
}

/// Linearises, and runs the fluid model and the integers for so many ms from a queue a third beyond
/// its rest; figures are of the last third.
///
/// # Errors
/// The eigenvalues did not converge, or the profile cannot be held or never rests between its
/// thresholds. Borders are left empty ([`borders`]).
pub fn row(nic: &Nic, flows: u32, ms: f64) -> Result<Row, String> {
    let n = f64::from(flows);
    let rest = nic.fixed_queue(n);
    if let Some(q) = rest.filter(|q| *q <= 0.0) {
        return Err(format!(
            "the law rests at an RTT of {:.1} us; allowed: more than the RTT without a queue",
            (nic.base + q / nic.capacity) * 1e6
        ));
    }
    let modes = nic.modes(n);
    let crossing = modes.as_ref().and_then(|m| margin(|s| m.open_loop(s)));
    let found = modes.as_ref().map(|m| Ok((m.together.rightmost()?, m.apart.rightmost()?))).transpose();
    let roots = found.map_err(|e: NotFound| e.to_string())?;
    // TIMELY has a queue of its low threshold at least.
    let sampled = nic.sampled(flows);
    let sampled_root = sampled.as_ref().and_then(sampled::Sampled::rightmost);
    let queue = 1.33 * rest.unwrap_or(((nic.profile.t_low_us / 1e6 - nic.base) * nic.capacity).max(0.0));
    let (fluid, integers) = (nic.fluid(flows, queue, ms)?, nic.integers(flows, queue, ms)?);
    Ok(Row {
        flows,
        base_us: nic.base * 1e6,
        queue_kb: rest.map(|q| q / 8e3),
        margin_deg: crossing.map(|c| c.margin_deg),
        omega: crossing.map(|c| c.omega),
        root: roots.map(|r| r.0.re),
        root_omega: roots.map(|r| r.0.im),
        apart_root: roots.map(|r| r.1.re),
        border: Border::default(),
        sampled_deg: sampled.and_then(|s| s.margin()).map(|c| c.margin_deg),
        sampled_root: sampled_root.map(|r| r.re),
        sampled_omega: sampled_root.map(|r| r.im),
        sampled_border: Border::default(),
        fluid_kb: fluid.mean / 8e3,
        fluid_swing: fluid.deviation / fluid.mean,
        mean_kb: integers.mean / 8e3,
        swing: integers.deviation / integers.mean,
        amplitude_kb: integers.deviation / 8e3,
        period_us: integers.period.map(|t| t * 1e6),
        dead_ns: nic.dead_zone(flows)?,
    })
}
