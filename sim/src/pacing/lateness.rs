//! From which lateness on does the loop suffer: senders of single packets, late by more and more,
//! under three laws and in two experiments.
//!
//! A flow's packets wait behind one that is late, and what they are late is made up for at once, as
//! by software that keeps to its schedule. The lateness of a packet is drawn in one of two ways
//! ([`SHAPES`]), whose 99th percentile names a point.
use super::network::{self, Sender};
use crate::paper::median;
use crate::report::curves::{COLORS, curves};
use crate::report::plot::{Axis, Line};
use crate::scenario::file::Overrides;
use crate::scenario::vary::Change;
use crate::time::{NS, Ps, US, ps};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use toml::Value;

/// Seeds of every point.
pub const SEEDS: u64 = 5;
/// 99th percentiles of the lateness, us.
pub const POINTS: [f64; 13] = [0.0, 5.0, 10.0, 20.0, 30.0, 50.0, 70.0, 100.0, 150.0, 200.0, 300.0, 500.0, 1000.0];
/// How lateness is spread: every packet is late, exponentially; or one in fifty is, evenly up to
/// twice the 99th percentile.
pub const SHAPES: [&str; 2] = ["all", "few"];
/// The laws.
pub const LAWS: [&str; 3] = ["TIMELY", "Swift", "DCQCN"];
/// The experiments.
pub const EXPERIMENTS: [&str; 2] = ["incast", "fig12"];
/// Least ratio of the RTT's 99th percentile to that of punctual packets at which the loop is taken
/// to suffer.
pub const SUFFERS: f64 = 1.1;
/// Values of a trace: senders start anywhere in it.
const VALUES: usize = 10_000;

/// A point: a law in an experiment at one lateness.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Point {
    /// `incast` or `fig12`.
    pub experiment: String,
    /// The law.
    pub law: String,
    /// How lateness is spread, one of [`SHAPES`].
    pub shape: String,
    /// 99th percentile of the lateness, us.
    pub late_us: f64,
    /// 99th percentile of the RTT, us, by seed.
    pub rtt_p99_us: Vec<f64>,
    /// Wire bits over what the bottleneck carries, by seed.
    pub utilization: Vec<f64>,
}

/// The least lateness from which on the RTT's 99th percentile stays [`SUFFERS`] times as high, us,
/// by seed; `None` where no lateness of ours does that.
#[derive(Clone, Debug, PartialEq)]
pub struct Mark {
    /// `incast` or `fig12`.
    pub experiment: String,
    /// The law.
    pub law: String,
    /// How lateness is spread, one of [`SHAPES`].
    pub shape: String,
    /// By seed.
    pub late_us: Vec<Option<f64>>,
}

impl Mark {
    /// The median of the seeds; a seed without one is beyond all others.
    pub fn median(&self) -> Option<f64> {
        let m = median(&self.late_us.iter().map(|l| l.unwrap_or(f64::INFINITY)).collect::<Vec<_>>());
        m.is_finite().then_some(m)
    }
}

/// A trace of a shape, with such a 99th percentile, us.
pub fn trace(shape: &str, p99_us: f64, seed: u64) -> Arc<[Ps]> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let p99 = p99_us * 1e3;
    let mut late = || {
        let u = rng.random::<f64>();
        match shape {
            // Of those that are late the half is later than p99.
            "few" if u < 0.02 => u / 0.02 * 2.0 * p99,
            "few" => 0.0,
            _ => -p99 / 100f64.ln() * (1.0 - u).ln(),
        }
    };
    (0..VALUES).map(|_| ps(late(), NS)).collect()
}

fn changes(law: &str) -> Vec<Change> {
    let text = |path: &str, to: &str| (path.to_owned(), Value::String(to.into()));
    let number = |path: &str, to: f64| (path.to_owned(), Value::Float(to));
    let own = text("flow.*.profile", "sender");
    match law {
        // The signal is the RTT: a host that answers within 150 ns has no residence to be taken
        // off.
        "Swift" => vec![text("profile.sender.like", "swift-10g"), text("profile.sender.signal", "rtt"), own],
        // As in "ECN or Delay", and marked as there.
        "DCQCN" => vec![
            text("profile.sender.like", "fixed"),
            text("profile.sender.control", "dcqcn"),
            number("profile.sender.dcqcn.increase_mbps", 40.0),
            number("profile.sender.least_mbps", 10.0),
            number("switch.mark_kb", 5.0),
            number("switch.mark_most_kb", 200.0),
            number("switch.mark_chance", 0.01),
            text("switch.mark_at", "egress"),
            own,
        ],
        _ => Vec::new(),
    }
}

// Experiment, law, shape.
type Arm = (&'static str, &'static str, &'static str);

fn arms() -> impl Iterator<Item = Arm> {
    EXPERIMENTS.iter().flat_map(|e| LAWS.iter().flat_map(move |l| SHAPES.iter().map(move |s| (*e, *l, *s))))
}

fn one((experiment, law, shape): Arm, late_us: f64, seed: u64, part: f64) -> Result<[f64; 2], String> {
    let sender = Sender::late(law.into(), trace(shape, late_us, seed));
    let overrides = Overrides { seed: Some(seed), part, ..Overrides::default() };
    let mut plan = network::plan(&sender, experiment, 0.0, &changes(law), &overrides)?;
    // Flows of another seed start at other times.
    for (i, flow) in plan.flows.iter_mut().enumerate() {
        flow.start += seed * i as u64 * US;
    }
    let r = network::run(plan, experiment, law, 0.0)?;
    Ok([r.rtt_p99_us, r.utilization])
}

// To five digits: what is written is what is compared.
fn rounded(v: f64) -> f64 {
    format!("{v:.4e}").parse().unwrap_or(v)
}

/// Runs the points that are `chosen` by experiment, law, shape and lateness, by so many seeds, on
/// all cores; `part` of their length.
///
/// # Errors
/// A run fails.
pub fn sweep(chosen: impl Fn(&str, &str, &str, f64) -> bool, seeds: u64, part: f64, done: impl Fn() + Sync) -> Result<Vec<Point>, String> {
    let points = arms().flat_map(|arm| POINTS.iter().map(move |p| (arm, *p)));
    let points: Vec<(Arm, f64)> = points.filter(|((e, l, s), p)| chosen(e, l, s, *p)).collect();
    let runs: Vec<_> = points.iter().flat_map(|p| (1..=seeds).map(move |seed| (*p, seed))).collect();
    let run = |((arm, late), seed): ((Arm, f64), u64)| {
        let r = one(arm, late, seed, part);
        done();
        r
    };
    let values: Vec<[f64; 2]> = runs.into_par_iter().map(run).collect::<Result<_, String>>()?;
    let point = |(((experiment, law, shape), late_us), v): (&(Arm, f64), &[[f64; 2]])| Point {
        experiment: (*experiment).into(),
        law: (*law).into(),
        shape: (*shape).into(),
        late_us: *late_us,
        rtt_p99_us: v.iter().map(|v| rounded(v[0])).collect(),
        utilization: v.iter().map(|v| rounded(v[1])).collect(),
    };
    Ok(points.iter().zip(values.chunks(seeds.max(1) as usize)).map(point).collect())
}

/// Runs of a whole sweep.
pub fn runs(seeds: u64) -> usize {
    arms().count() * POINTS.len() * seeds as usize
}

/// The points of an arm, by lateness.
pub fn of<'a>(points: &'a [Point], (experiment, law, shape): (&str, &str, &str)) -> Vec<&'a Point> {
    points.iter().filter(|p| p.experiment == experiment && p.law == law && p.shape == shape).collect()
}

/// Where a curve of (lateness, times the punctual RTT) comes to [`SUFFERS`] for good, between its
/// points by the logarithm of the lateness.
fn crossing(curve: &[(f64, f64)]) -> Option<f64> {
    // The last point below it.
    let below = curve.iter().rposition(|c| c.1 < SUFFERS)?;
    let ((x0, y0), (x1, y1)) = (curve[below], *curve.get(below + 1)?);
    let share = (SUFFERS - y0) / (y1 - y0);
    Some(if x0 > 0.0 { x0 * (x1 / x0).powf(share) } else { x0 + (x1 - x0) * share })
}

/// The marks of all arms.
pub fn marks(points: &[Point]) -> Vec<Mark> {
    let mark = |(experiment, law, shape): Arm| {
        let all = of(points, (experiment, law, shape));
        let seeds = all.first().map_or(0, |p| p.rtt_p99_us.len());
        let by_seed = |s: usize| crossing(&all.iter().map(|p| (p.late_us, p.rtt_p99_us[s] / all[0].rtt_p99_us[s])).collect::<Vec<_>>());
        let late_us = (0..seeds).map(by_seed).collect();
        Mark { experiment: experiment.into(), law: law.into(), shape: shape.into(), late_us }
    };
    arms().map(mark).filter(|m| !m.late_us.is_empty()).collect()
}

/// The least of all marks.
pub fn least(points: &[Point]) -> Option<(f64, Mark)> {
    let all = marks(points).into_iter().filter_map(|m| Some((m.median()?, m)));
    all.min_by(|a, b| a.0.total_cmp(&b.0))
}

/// The plot: a colour a law and experiment, wide where every packet is late and narrow where few
/// are; the limit, and an upright line at each mark.
pub fn plot(points: &[Point]) -> String {
    let curve = |arm: Arm| {
        let all = of(points, arm);
        let zero = all.first().map_or(1.0, |p| median(&p.rtt_p99_us));
        all.iter().filter(|p| p.late_us > 0.0).map(|p| (p.late_us, median(&p.rtt_p99_us) / zero)).collect::<Vec<_>>()
    };
    let named: Vec<_> = arms().map(|arm| (arm.1, curve(arm))).collect();
    let (_, mut plot) = curves("99th percentile of the lateness, us", "99th percentile of the RTT, punctual: 1", &named);
    let (first, last) = (POINTS[1], POINTS[POINTS.len() - 1]);
    (plot.x, plot.y) = (Axis::Log(first, last), Axis::Linear(0.9, 2.5));
    let marks = marks(points);
    for (i, (e, l, shape)) in arms().enumerate() {
        let (color, width) = (COLORS[i / SHAPES.len() % COLORS.len()], if shape == SHAPES[0] { 2 } else { 1 });
        (plot.lines[i].color, plot.lines[i].width) = (color, width);
        let at = marks.iter().find(|m| (&*m.experiment, &*m.law, &*m.shape) == (e, l, shape)).and_then(Mark::median);
        plot.lines.extend(at.map(|x| Line { color, points: vec![(x, 0.9), (x, SUFFERS)], width }));
    }
    plot.lines.push(Line { color: 0x9a_a2_ac, points: vec![(first, SUFFERS), (last, SUFFERS)], width: 1 });
    plot.svg() + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_in_a_hundred_is_later_than_the_percentile() {
        for shape in SHAPES {
            let t = trace(shape, 20.0, 3);
            let later = |us: u64| t.iter().filter(|p| **p > us * US).count() as f64 / t.len() as f64;
            assert!((0.007..0.013).contains(&later(20)), "{shape}: {}", later(20));
            assert_eq!(later(40) > 0.0, shape == "all", "{shape}");
            assert!(trace(shape, 0.0, 3).iter().all(|p| *p == 0));
            assert_ne!(t[..1000], trace(shape, 20.0, 4)[..1000]);
        }
    }

    #[test]
    fn a_mark_is_where_the_curve_stays_above() {
        assert_eq!(crossing(&[(0.0, 1.0), (10.0, 1.05), (20.0, 1.15), (40.0, 1.3)]).map(|x| (x * 100.0).round()), Some(1414.0));
        // A point above and one below again is no mark; nor is a curve that never comes there.
        assert_eq!(crossing(&[(0.0, 1.0), (10.0, 1.2), (20.0, 1.0), (40.0, 1.2)]).map(f64::round), Some(28.0));
        assert_eq!(crossing(&[(0.0, 1.0), (10.0, 1.05)]), None);
        let point = |late_us, rtt: [f64; 3]| Point {
            experiment: "incast".into(),
            law: "TIMELY".into(),
            shape: "all".into(),
            late_us,
            rtt_p99_us: rtt.to_vec(),
            utilization: vec![1.0; 3],
        };
        let all = marks(&[point(0.0, [50.0, 100.0, 50.0]), point(10.0, [55.0, 110.0, 50.0])]);
        // A seed is held against its own; the third never suffers, and the median is that of the
        // second.
        assert_eq!((all[0].late_us[0].map(f64::round), all[0].late_us[2]), (Some(10.0), None));
        assert_eq!(all[0].median().map(f64::round), Some(10.0));
    }
}
