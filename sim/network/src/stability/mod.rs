//! Stability of the laws: fixed points, linearisation, loop transfer, phase margins and the roots
//! of the delay systems.
//!
//! Two analyses stand side by side. The published one of "ECN or Delay" ([`published`]) is a
//! low-order expansion of the models; the full one ([`linear`]) differentiates the very functions
//! that `fluid` integrates, at the exact fixed point ([`fixed`]), and its margins ([`mod@margin`])
//! are held against the rightmost root of the delay system ([`mod@roots`]). Their sign changes at
//! the border of stability ([`mod@border`]).
pub mod border;
pub mod fixed;
pub mod linear;
pub mod margin;
pub mod nic;
pub mod published;
pub mod roots;

use crate::fluid::dcqcn::Dcqcn;
use crate::fluid::law::Law;
use crate::fluid::law::Past;
use crate::fluid::marking::Marker;
use crate::fluid::settings::{Model, Settings};
use crate::fluid::timely::Timely;
use border::{Border, border};
use linear::{Modes, linearise};
use margin::{margin, stable_within};

/// Stability for a number of flows.
#[derive(Clone, Copy, Debug, Default, PartialEq, serde::Serialize)]
pub struct Row {
    /// Feedback delay, us.
    pub delay_us: f64,
    /// Flows.
    pub flows: f64,
    /// Queue at rest, KB.
    pub queue_kb: f64,
    /// Marking probability at rest, of DCQCN.
    pub mark: Option<f64>,
    /// Approximation of the marking probability at rest by Taylor's series.
    pub taylor_mark: Option<f64>,
    /// The marking ramp reaches that point; true of all but DCQCN.
    pub on_ramp: bool,
    /// Margin by the published transfer function, degrees; of laws that have one.
    pub published_deg: Option<f64>,
    /// Margin of the full linearisation, degrees; `None`: its gain is 1 nowhere.
    pub margin_deg: Option<f64>,
    /// Frequency at which the margin is, rad/s.
    pub omega: Option<f64>,
    /// Real part of the rightmost root of all flows together, 1/s: negative is stable.
    pub root: f64,
    /// Imaginary part of it, rad/s.
    pub root_omega: f64,
    /// Real part of the rightmost root of differences between flows: 0 keeps whatever difference
    /// there is.
    pub apart_root: f64,
    /// Where the margin of the full linearisation changes its sign; [`row`] leaves it empty.
    pub border: Border,
}

/// The law at rest with so many flows, linearised; `None` of TIMELY, which rests nowhere.
pub fn modes(settings: &Settings, flows: f64) -> Option<Modes> {
    if settings.model.is_dcqcn() {
        // A controller that samples is the continuous one with its output held for a period, which
        // is half a period of delay (Astrom and Wittenmark, Computer-Controlled Systems, 8.2).
        let continuous = Settings { period_us: 0.0, ..*settings }.dcqcn().with_long_ramp();
        let sampled = matches!(settings.dcqcn().marker, Marker::Pi(_));
        let held = if sampled { settings.period_us / 2e6 } else { 0.0 };
        let d = Dcqcn { delay: continuous.delay + held, ..continuous };
        let point = d.fixed_point(flows);
        // At rest the queue's own delay is a constant.
        let delay = d.delay + d.queue_delay * point.queue / d.packet / d.capacity;
        return Some(linearise(&Dcqcn { delay, queue_delay: 0.0, ..d }, flows, &d.state(&point)));
    }
    let t = settings.timely();
    t.state(flows).map(|point| linearise(&t, flows, &point))
}

/// Where the margin changes its sign, next to a number of flows and the settings' delay.
pub fn border_of(settings: &Settings, flows: f64) -> Border {
    border(flows, settings.delay_us, |n, delay_us| {
        let modes = modes(&Settings { delay_us, ..*settings }, n)?;
        Some(stable_within(|s| modes.open_loop(s), f64::MAX))
    })
}

/// Stability for a number of flows; `None` of TIMELY, which rests nowhere.
///
/// # Errors
/// The eigenvalues did not converge.
pub fn row(settings: &Settings, flows: f64) -> Result<Option<Row>, roots::NotFound> {
    let Some(modes) = modes(settings, flows) else { return Ok(None) };
    let crossing = margin(|s| modes.open_loop(s));
    let (root, apart) = (modes.together.rightmost()?, modes.apart.rightmost()?);
    let mut row = Row {
        delay_us: settings.delay_us,
        flows,
        on_ramp: true,
        margin_deg: crossing.map(|c| c.margin_deg),
        omega: crossing.map(|c| c.omega),
        root: root.re,
        root_omega: root.im,
        apart_root: apart.re,
        ..Row::default()
    };
    if settings.model.is_dcqcn() {
        let d = settings.dcqcn();
        let point = d.fixed_point(flows);
        (row.queue_kb, row.mark, row.on_ramp) = (point.queue / 1e3, Some(point.mark), point.on_ramp);
        row.taylor_mark = Some(d.taylor_mark(flows));
    } else {
        row.queue_kb = settings.timely().fixed_queue(flows).unwrap_or(f64::NAN) / 8e3;
    }
    row.published_deg = published_margin(settings, flows);
    Ok(Some(row))
}

/// Margin by the published transfer function, degrees; `None` of laws without one.
pub fn published_margin(settings: &Settings, flows: f64) -> Option<f64> {
    let found = match settings.model {
        Model::Dcqcn => {
            let d = settings.dcqcn();
            let p = d.taylor_mark(flows);
            margin(|s| published::dcqcn_loop(&d, flows, p, s))
        }
        Model::Patched => {
            let t = settings.timely();
            margin(|s| published::patched_loop(&t, flows, published::WEIGHT_SLOPE, s))
        }
        _ => None,
    };
    found.map(|c| c.margin_deg)
}

// A queue that never moved.
struct Still(f64);

impl Past for Still {
    fn shared(&self, _: usize, _: f64) -> f64 {
        self.0
    }
    fn own(&self, _: usize, _: f64) -> f64 {
        0.0
    }
}

/// Derivatives of two flows' rates under TIMELY over a still queue between the thresholds, over the
/// additive increase an update, for splits of the line: at a gradient of 0, and as it falls to 0
/// from above.
///
/// The first is 1 at every split, so that none is at rest (theorem 3); the second 0 at every split,
/// so that with the decrease's branch at 0 all are (theorem 4).
pub fn timely_rests(t: &Timely) -> Vec<(f64, [f64; 2])> {
    let queue = t.capacity * (t.t_low + t.t_high) / 2.0;
    let change = |rate: f64, gradient: f64| {
        let mut d = [0.0; 2];
        t.flow(&[queue], &[rate, gradient], &Still(queue), &mut d);
        d[0] * t.interval(rate) / t.increase
    };
    (1..20).map(|k| f64::from(k) / 20.0).map(|x| (x, [change(x * t.capacity, 0.0), change(x * t.capacity, 1e-15)])).collect()
}
