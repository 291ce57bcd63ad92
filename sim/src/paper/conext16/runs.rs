//! Runs of packets over several seeds and of fluid models, and what is read from them.
use super::super::{Lab, number};
use crate::cores;
use crate::fluid;
use crate::fluid::settings::{Model, Settings};
use crate::fluid::solve::{FlowStart, Jitter, Series, Steps};
use crate::metrics::Tap;
use crate::metrics::summary::jain;
use crate::scenario::Plan;
use crate::scenario::build::{self, Outcome};
use crate::scenario::file::Overrides;
use crate::scenario::vary::{self, Change};
use crate::time::{Ps, US};
use rayon::prelude::*;
use std::path::Path;
use toml::Value;

/// Points of a line.
pub type Points = Vec<(f64, f64)>;

/// Seeds of each run of packets.
pub const SEEDS: u64 = 5;

/// Runs a scenario with each of these sets of changes and by each seed; gives what `read` takes of
/// each run, set by set.
///
/// The flows without an end of the k-th seed start k us after one another: paced hosts have no
/// other randomness.
pub fn packets<T: Send>(
    lab: &Lab,
    scenario: &str,
    sets: &[Vec<Change>],
    read: impl Fn(&Outcome) -> T + Sync,
) -> Result<Vec<Vec<T>>, String> {
    let (seeds, sets) = (lab.runs_of(SEEDS), lab.with_twin(sets));
    let one = |(changes, k): (&Vec<Change>, u64)| {
        let overrides = Overrides { seed: Some(lab.seed + k), part: if lab.quick { 0.2 } else { 1.0 }, ..Overrides::default() };
        let mut plan = vary::parse(Path::new("conext16.toml"), scenario, changes, &overrides).map_err(|e| e.to_string())?;
        for (i, flow) in plan.flows.iter_mut().enumerate().filter(|f| f.1.total().is_none()) {
            flow.start += k * i as u64 * US;
        }
        plan.watch.extend(trunk(&plan));
        build::run(plan, &*cores::factory(), |_: Ps| {}).map(|o| read(&o)).map_err(|e| e.to_string())
    };
    let all: Vec<_> = sets.iter().flat_map(|s| (0..seeds).map(move |k| (s, k))).collect();
    let mut done: Vec<T> = all.into_par_iter().map(one).collect::<Result<_, _>>()?;
    let mut groups = Vec::new();
    while !done.is_empty() {
        groups.push(done.drain(..seeds as usize).collect());
    }
    Ok(groups)
}

// The port of the first switch that leads to another one.
fn trunk(plan: &Plan) -> Option<(u16, u16)> {
    let t = &plan.topology;
    let switches = (0..t.nodes() as u16).filter(|n| t.is_switch(*n));
    let mut ports = switches.flat_map(|s| (0..t.ports(s).len() as u16).map(move |p| (s, p)));
    ports.find(|(s, p)| t.is_switch(t.ports(*s)[usize::from(*p)].peer))
}

/// Changes that make `n` senders of a star of three hosts.
pub fn senders(n: u32) -> Vec<Change> {
    let from = (0..n).map(|i| Value::Integer(i.into())).collect();
    vec![
        number("topology.hosts", f64::from(n + 1)),
        ("flow.0.from".into(), Value::Array(from)),
        ("flow.0.to".into(), Value::Integer(n.into())),
    ]
}

/// A queue of the steady part, KB.
#[derive(Clone, Copy, Debug)]
pub struct Queue {
    pub mean: f64,
    pub deviation: f64,
    pub least: f64,
    pub median: f64,
    pub most: f64,
}

impl Queue {
    /// Of samples in KB.
    pub fn of(mut all: Vec<f64>) -> Self {
        all.sort_by(f64::total_cmp);
        let mean = all.iter().sum::<f64>() / all.len().max(1) as f64;
        let square = all.iter().map(|q| (q - mean).powi(2)).sum::<f64>() / all.len().max(1) as f64;
        let at = |i: usize| all.get(i).copied().unwrap_or(0.0);
        Queue { mean, deviation: square.sqrt(), least: at(0), median: at(all.len() / 2), most: at(all.len().saturating_sub(1)) }
    }

    /// Queue of a port.
    pub fn steady(o: &Outcome, tap: usize) -> Self {
        let tap = &o.recorder.taps[tap];
        let from = (o.recorder.windows.steady / tap.interval) as usize;
        Queue::of(tap.series.iter().skip(from).map(|q| *q as f64 / 1e3).collect())
    }

    /// Queue of a part of a fluid run, ms.
    pub fn between(s: &Series, from_ms: f64, to_ms: f64) -> Self {
        let of = |t: f64| t >= from_ms / 1e3 && t < to_ms / 1e3;
        Queue::of(s.time.iter().zip(&s.queue).filter(|x| of(*x.0)).map(|x| x.1 / 1e3).collect())
    }

    /// Queue of a fluid run from a time on, ms.
    pub fn fluid(s: &Series, from_ms: f64) -> Self {
        Queue::of(s.time.iter().zip(&s.queue).filter(|x| *x.0 >= from_ms / 1e3).map(|x| x.1 / 1e3).collect())
    }
}

/// Wire rates of the flows in the steady part, Gb/s.
pub fn shares(o: &Outcome) -> Vec<f64> {
    let w = o.recorder.windows;
    o.recorder.flows.iter().map(|f| f.wire_steady as f64 * 8e3 / (w.end - w.steady) as f64).collect()
}

/// Quantities that most figures read of a run of packets.
#[derive(Clone, Debug)]
pub struct Run {
    pub shares: Vec<f64>,
    pub jain: f64,
    pub utilization: f64,
    pub pauses_steady: u64,
    pub queue: Queue,
    /// The queue, KB over ms.
    pub curve: Vec<(f64, f64)>,
    /// The first two flows' rates, Gb/s over ms.
    pub rates: Vec<Vec<(f64, f64)>>,
}

impl Run {
    pub fn of(o: &Outcome) -> Self {
        let shares = shares(o);
        let bin = o.recorder.windows.bin;
        let ms = |i: usize, every: Ps| i as f64 * every as f64 / 1e9;
        let rate = |series: &[u32]| series.iter().enumerate().map(|(i, b)| (ms(i, bin), f64::from(*b) * 8e3 / bin as f64)).collect();
        Run {
            jain: jain(&shares),
            shares,
            utilization: o.summary.utilization,
            pauses_steady: o.summary.pauses_steady,
            queue: Queue::steady(o, 0),
            curve: thinned(&o.recorder.taps[0]),
            rates: o.recorder.flows.iter().take(2).map(|f| rate(&f.series)).collect(),
        }
    }
}

/// A port's queue in at most 2,000 points, KB over ms.
pub fn thinned(tap: &Tap) -> Vec<(f64, f64)> {
    let stride = tap.series.len().div_ceil(2000).max(1);
    let points = tap.series.iter().enumerate().step_by(stride);
    points.map(|(i, q)| (i as f64 * tap.interval as f64 / 1e9, *q as f64 / 1e3)).collect()
}

/// Some quantity of each seed's run.
pub fn each<T>(runs: &[T], of: impl Fn(&T) -> f64) -> Vec<f64> {
    runs.iter().map(of).collect()
}

/// Mean of values.
pub fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

/// Settings of a model with some changed, the twin's constant among them.
pub fn settings(lab: &Lab, model: Model, set: &[&str]) -> Result<Settings, String> {
    let mut s = Settings::conext16(model);
    set.iter().try_for_each(|told| s.set(told))?;
    lab.twin(&mut s)?;
    Ok(s)
}

/// Flows from time 0 with these rates, Gb/s.
pub fn starts(gbps: &[f64]) -> Vec<FlowStart> {
    gbps.iter().map(|g| FlowStart::new(*g)).collect()
}

/// Integrates a model for so many ms.
pub fn solved(s: &Settings, flows: &[FlowStart], ms: f64, step_us: f64, jitter: Option<Jitter>) -> Result<Series, String> {
    let steps = Steps { end: ms / 1e3, step: step_us / 1e6, every: (ms / 1e7).max(step_us / 1e6), queue: 0.0, jitter };
    fluid::run(s, flows, &steps).map_err(|e| e.to_string())
}

/// A fluid run's queue as a line of a plot, KB over ms.
pub fn line(s: &Series) -> Vec<(f64, f64)> {
    let stride = s.time.len().div_ceil(2000).max(1);
    s.time.iter().zip(&s.queue).step_by(stride).map(|(t, q)| (t * 1e3, q / 1e3)).collect()
}

/// A fluid flow's rate as a line of a plot, Gb/s over ms.
pub fn rate_line(s: &Series, flow: usize) -> Vec<(f64, f64)> {
    let stride = s.time.len().div_ceil(2000).max(1);
    s.time.iter().zip(&s.rates[flow]).step_by(stride).map(|(t, r)| (t * 1e3, *r)).collect()
}
