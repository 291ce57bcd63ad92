//! Fixed-step integration of delay differential equations: Heun's method, with the past
//! interpolated between steps.
//!
//! The right-hand sides jump (TIMELY's branches, the foot of the marking ramp), so a higher order
//! would gain nothing; the tests hold the method against a linear delay equation with a known
//! solution.
use super::law::{Law, Past, QUEUE, RATE};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::cell::Cell;
use std::collections::VecDeque;

/// A flow of a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FlowStart {
    /// Rate at its start, Gb/s.
    pub gbps: f64,
    /// Time of its start, seconds.
    pub at: f64,
    /// Output of the flow's own controller at its start; of laws that have one.
    pub output: f64,
}

impl FlowStart {
    /// A flow from time 0, its controller at 0.
    pub fn new(gbps: f64) -> Self {
        FlowStart { gbps, at: 0.0, output: 0.0 }
    }
}

/// How a run is integrated.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Steps {
    /// Length of the run, seconds.
    pub end: f64,
    /// Step, seconds.
    pub step: f64,
    /// Time between samples that are kept, seconds.
    pub every: f64,
    /// Queue at the start, bytes.
    pub queue: f64,
    /// Jitter of the feedback; `None`: none.
    pub jitter: Option<Jitter>,
}

/// Jitter of the feedback: of each flow uniform up to `most`, drawn again every `every` seconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Jitter {
    /// Greatest, seconds.
    pub most: f64,
    /// Time between two draws, seconds.
    pub every: f64,
    /// Seed.
    pub seed: u64,
    /// The part of it that measured RTTs have.
    pub measured: Measured,
}

/// The part of a jitter that measured RTTs have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measured {
    /// None: jitter delays feedback alone.
    Nothing,
    /// All of it, as of ACKs whose way back has it.
    All,
    /// All of it, the two RTTs of a gradient having draws of their own at the same time, of which a
    /// flow compares the older one with its reference.
    Pairs,
}

// Jitter that was drawn, by flow and time.
struct Drawn {
    measured: Measured,
    every: f64,
    flows: usize,
    values: Vec<Vec<f64>>,
}

impl Drawn {
    fn new(jitter: Option<Jitter>, flows: usize, end: f64) -> Self {
        let Some(j) = jitter else { return Drawn { measured: Measured::Nothing, every: 1.0, flows, values: vec![Vec::new(); flows] } };
        let mut rng = ChaCha8Rng::seed_from_u64(j.seed);
        let cells = (end / j.every) as usize + 2;
        // Of pairs, the draws of older RTTs follow those of the newest ones.
        let rows = if j.measured == Measured::Pairs { 2 * flows } else { flows };
        let values = (0..rows).map(|_| (0..cells).map(|_| rng.random_range(0.0..=j.most)).collect()).collect();
        Drawn { measured: j.measured, every: j.every, flows, values }
    }

    fn at(&self, flow: usize, time: f64) -> f64 {
        if time < 0.0 { 0.0 } else { self.values[flow].get((time / self.every) as usize).copied().unwrap_or(0.0) }
    }
}

/// Samples of a run.
#[derive(Clone, Debug, Default)]
pub struct Series {
    /// Time, seconds.
    pub time: Vec<f64>,
    /// Queue, bytes.
    pub queue: Vec<f64>,
    /// Output of the switch's controller; empty without one.
    pub control: Vec<f64>,
    /// Rate of each flow, Gb/s.
    pub rates: Vec<Vec<f64>>,
}

/// A run that cannot go on.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The equations ask for a past that is no longer kept.
    #[error(
        "at {at:.6} s the law asks for a past of {lag:.4} s, more than the {horizon:.4} s that are kept; the queue has run away, so start with less rate"
    )]
    Horizon {
        /// Time, seconds.
        at: f64,
        /// Asked for, seconds.
        lag: f64,
        /// Kept, seconds.
        horizon: f64,
    },
}

// States of the last steps, the newest first; before the run all but the queue were zero.
struct History {
    before: f64,
    rows: VecDeque<Vec<f64>>,
    most: usize,
    width: usize,
}

impl History {
    fn at(&self, i: usize, steps: f64) -> f64 {
        let whole = steps as usize;
        let part = steps - whole as f64;
        let before = if i == QUEUE { self.before } else { 0.0 };
        let row = |k: usize| self.rows.get(k).map_or(before, |r| r[i]);
        row(whole) * (1.0 - part) + row(whole + 1) * part
    }

    fn push(&mut self, state: &[f64]) {
        let mut row = if self.rows.len() > self.most { self.rows.pop_back().unwrap_or_default() } else { Vec::new() };
        row.clear();
        row.extend_from_slice(&state[..self.width]);
        self.rows.push_front(row);
    }
}

// The past of one flow, seen from the last step or, in the second stage, from the one to come.
struct View<'a> {
    history: &'a History,
    step: f64,
    // The newest state, and how many steps it is behind: 0 for the last step, 1 for the predicted
    // one.
    newest: &'a [f64],
    ahead: f64,
    flow: usize,
    first: usize,
    now: f64,
    drawn: &'a Drawn,
    longest: Cell<f64>,
}

impl View<'_> {
    fn value(&self, i: usize, lag: f64) -> f64 {
        self.longest.set(self.longest.get().max(lag));
        let steps = lag / self.step - self.ahead;
        if steps >= 0.0 {
            return self.history.at(i, steps);
        }
        let last = self.history.rows[0][i];
        last + (self.newest[i] - last) * -steps
    }
}

impl Past for View<'_> {
    fn shared(&self, i: usize, lag: f64) -> f64 {
        self.value(i, lag)
    }
    fn own(&self, i: usize, lag: f64) -> f64 {
        self.value(self.first + i, lag)
    }
    fn jitter(&self, lag: f64) -> f64 {
        match self.drawn.measured {
            Measured::Pairs => self.drawn.at(self.flow + if lag > 0.0 { self.drawn.flows } else { 0 }, self.now),
            _ => self.drawn.at(self.flow, self.now - lag),
        }
    }
    fn measured_jitter(&self, lag: f64) -> f64 {
        if self.drawn.measured == Measured::Nothing { 0.0 } else { self.jitter(lag) }
    }
    fn judged_jitter(&self) -> f64 {
        let pair = |older: usize| self.drawn.at(self.flow + older, self.now);
        if self.drawn.measured == Measured::Pairs { pair(self.drawn.flows) - pair(0) } else { 0.0 }
    }
}

// Derivative of all states.
fn derivative<L: Law>(law: &L, x: &[f64], view: &mut View, running: &[bool], out: &mut [f64]) {
    let (s, k) = (law.shared(), law.states());
    let (mut total, shared) = (0.0, &x[..s]);
    out.fill(0.0);
    for (i, _) in running.iter().enumerate().filter(|r| *r.1) {
        let first = s + i * k;
        (view.flow, view.first) = (i, first);
        law.flow(shared, &x[first..first + k], view, &mut out[first..first + k]);
        total += x[first + RATE];
    }
    let growth = total - law.capacity();
    out[QUEUE] = if shared[QUEUE] <= 0.0 { growth.max(0.0) } else { growth };
    let growth = out[QUEUE];
    law.controller(shared, growth, &mut out[..s]);
}

/// Integrates the flows of a law.
///
/// # Errors
/// The queue runs away, so that the past that the law asks for is no longer known.
pub fn solve<L: Law>(law: &L, flows: &[FlowStart], steps: &Steps) -> Result<Series, Error> {
    let (s, k, h) = (law.shared(), law.states(), steps.step);
    let n = s + k * flows.len();
    let mut x = vec![0.0; n];
    x[QUEUE] = steps.queue / law.unit_bytes();
    let most = (law.horizon() / h) as usize + 2;
    let width = if law.remembers_shared_alone() { s } else { n };
    let mut history = History { before: law.before(), rows: VecDeque::new(), most, width };
    let mut running = vec![false; flows.len()];
    let (mut k1, mut k2, mut next) = (vec![0.0; n], vec![0.0; n], vec![0.0; n]);
    let mut series = Series { rates: vec![Vec::new(); flows.len()], ..Series::default() };
    let (count, stride) = ((steps.end / h).round() as u64, (steps.every / h).round().max(1.0) as u64);
    let sampling = law.period().map(|p| (p / h).round().max(1.0) as u64);
    let mut last_sample = x[QUEUE];
    let drawn = Drawn::new(steps.jitter, flows.len(), steps.end);
    for step in 0..=count {
        let now = step as f64 * h;
        for (i, f) in flows.iter().enumerate().filter(|f| f.1.at <= now + h / 2.0) {
            if !std::mem::replace(&mut running[i], true) {
                x[s + i * k..s + (i + 1) * k].copy_from_slice(&law.start(f.gbps / law.gbps(), f.output));
            }
        }
        if sampling.is_some_and(|every| step % every == 0) {
            let queue = x[QUEUE];
            law.sample(&mut x[..s], last_sample);
            last_sample = queue;
        }
        if step % stride == 0 {
            series.time.push(now);
            series.queue.push(x[QUEUE] * law.unit_bytes());
            if s > 1 {
                series.control.push(x[1]);
            }
            for (i, rates) in series.rates.iter_mut().enumerate() {
                rates.push(x[s + i * k + RATE] * law.gbps());
            }
        }
        history.push(&x);
        let mut view =
            View { history: &history, step: h, newest: &x, ahead: 0.0, flow: 0, first: 0, now, drawn: &drawn, longest: Cell::new(0.0) };
        derivative(law, &x, &mut view, &running, &mut k1);
        let (lag, horizon) = (view.longest.get(), law.horizon());
        if lag > horizon {
            return Err(Error::Horizon { at: now, lag, horizon });
        }
        for i in 0..n {
            next[i] = x[i] + h * k1[i];
        }
        limit(law, &mut next, &running);
        let mut view = View {
            history: &history,
            step: h,
            newest: &next,
            ahead: 1.0,
            flow: 0,
            first: 0,
            now: now + h,
            drawn: &drawn,
            longest: Cell::new(0.0),
        };
        derivative(law, &next, &mut view, &running, &mut k2);
        for i in 0..n {
            x[i] += h / 2.0 * (k1[i] + k2[i]);
        }
        limit(law, &mut x, &running);
    }
    Ok(series)
}

fn limit<L: Law>(law: &L, x: &mut [f64], running: &[bool]) {
    let (s, k) = (law.shared(), law.states());
    x[QUEUE] = x[QUEUE].max(0.0);
    if s > 1 {
        x[1] = x[1].clamp(-1.0, 1.0);
    }
    for (i, _) in running.iter().enumerate().filter(|r| *r.1) {
        law.limit(&mut x[s + i * k..s + (i + 1) * k]);
    }
}

impl Series {
    // Samples from one time to another.
    fn between(&self, from: f64, to: f64) -> std::ops::Range<usize> {
        let place = |t: f64| self.time.partition_point(|x| *x < t - 1e-12);
        place(from)..place(to).max(place(from) + 1).min(self.time.len())
    }

    /// Mean rate of each flow over the samples of a time, Gb/s.
    pub fn shares(&self, from: f64, to: f64) -> Vec<f64> {
        let range = self.between(from, to);
        self.rates.iter().map(|r| mean(&r[range.clone()])).collect()
    }

    /// Mean, least and greatest queue over the samples of a time, bytes.
    pub fn queue_between(&self, from: f64, to: f64) -> (f64, f64, f64) {
        let q = &self.queue[self.between(from, to)];
        (mean(q), q.iter().copied().fold(f64::MAX, f64::min), q.iter().copied().fold(0.0, f64::max))
    }
}

fn mean(v: &[f64]) -> f64 {
    v.iter().sum::<f64>() / v.len().max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    // x' = -x(t - 1), x = 1 at 0 and 0 before: by the method of steps x is a sum of powers. The
    // rate is x - 1.
    struct Linear;
    impl Law for Linear {
        fn states(&self) -> usize {
            2
        }
        fn capacity(&self) -> f64 {
            1e9
        }
        fn unit_bytes(&self) -> f64 {
            1.25e8
        }
        fn horizon(&self) -> f64 {
            1.0
        }
        fn remembers_shared_alone(&self) -> bool {
            false
        }
        fn start(&self, _: f64, _: f64) -> Vec<f64> {
            vec![0.0, 1.0]
        }
        fn flow(&self, _: &[f64], _: &[f64], past: &impl Past, d: &mut [f64]) {
            d[1] = -past.own(1, 1.0);
            d[0] = d[1];
        }
        fn limit(&self, _: &mut [f64]) {}
    }

    fn exact(t: f64) -> f64 {
        let (mut sum, mut factorial) = (0.0, 1.0);
        for k in 0..=t as i32 {
            factorial *= f64::from(k.max(1));
            sum += (-1f64).powi(k) * (t - f64::from(k)).powi(k) / factorial;
        }
        sum
    }

    /// The jump of the history at 0 comes back at each whole second and is met to a step; half of
    /// it would show a history that is a step off.
    #[test]
    fn a_linear_delay_equation_is_solved() {
        for step in [0.01, 0.001] {
            let steps = Steps { end: 6.0, step, every: 0.5, queue: 0.0, jitter: None };
            let s = solve(&Linear, &[FlowStart::new(0.0)], &steps).expect("runs");
            let worst = s.time.iter().zip(&s.rates[0]).map(|(t, r)| (1.0 + r - exact(*t)).abs()).fold(0.0, f64::max);
            assert!(worst < step, "step {step}: {worst}");
        }
    }
}
