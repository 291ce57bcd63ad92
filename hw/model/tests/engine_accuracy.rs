//! The integer engine against the f64 reference: one step, and whole trajectories.
//!
//! The law jumps where an RTT or a smoothed difference passes a threshold. Where the two stand on
//! different sides of one because of rounding, the reference takes the engine's branch; such steps
//! are bounded, counted and printed.
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use timely_model::bus::RTT_MAX;
use timely_model::engine::law::{Kind, NEGATIVES_MAX, Operation, State, Words, apply};
use timely_model::engine::parts::AVERAGE_BITS;
use timely_model::reference::{Branch, Decision, Timely, TimelyState};
use timely_regs::parameters::Parameters;
use timely_regs::profile::{AVERAGE_FRACTION, RATE_FRACTION};

/// Updates of a trajectory.
const UPDATES: u32 = 100_000;
/// A unit of the engine's rates, Mb/s.
const RATE_UNIT: f64 = 1.0 / (1u64 << RATE_FRACTION) as f64;
/// A unit of the engine's smoothed differences, us.
const AVERAGE_UNIT_US: f64 = 1e-3 / (1u64 << AVERAGE_FRACTION) as f64;

/// The greatest smoothed difference.
const AVERAGE_MAX: i64 = (1 << (AVERAGE_BITS - 1)) - 1;

fn branch(code: u8) -> Branch {
    [Branch::BelowLow, Branch::AboveHigh, Branch::Increase, Branch::Decrease, Branch::None][usize::from(code)]
}

/// The named profiles, in both forms of the law.
fn named() -> Vec<(String, Parameters)> {
    let form = |name: &str| {
        let p = Parameters::named(name, 8.0).expect("listed");
        [(format!("{name}, Algorithm 1"), p.clone().algorithm_1()), (name.into(), p)]
    };
    ["authors-10g", "timely-10g", "timely-25g", "timely-100g"].into_iter().flat_map(form).collect()
}

/// Parameters anywhere in their useful ranges. Rates and steps are multiples of 2^-12 Mb/s, times
/// of 1 ns, as the hardware holds them.
fn random_parameters(rng: &mut impl Rng) -> Parameters {
    let grid = |x: f64| (x / RATE_UNIT).round() * RATE_UNIT;
    let us = |x: f64| (x * 1000.0).round() / 1000.0;
    let line: f64 = [10_000.0, 25_000.0, 40_000.0, 100_000.0, 400_000.0][rng.random_range(0..5)];
    let min_rtt_us = us(5.0 * 40f64.powf(rng.random()));
    let t_low_us = us(rng.random_range(0.0..200.0));
    Parameters {
        alpha: 0.005 * 200f64.powf(rng.random()),
        beta: rng.random_range(0.01..=1.0),
        t_low_us,
        t_high_us: us(t_low_us + rng.random_range(1.0..2000.0)),
        min_rtt_us,
        update_interval_us: if rng.random() { min_rtt_us } else { us(rng.random_range(5.0..1000.0)) },
        additive_step_mbps: grid((line / 1000.0 * rng.random_range(0.1..5.0)).min(600.0)),
        hyperactive_after: rng.random_range(1..=7),
        hyperactive_factor: f64::from(rng.random_range(1..6)),
        hyperactive_smoothed: rng.random(),
        delta_factor: rng.random(),
        half_floor: rng.random(),
        ..Parameters::authors_10g().line(line)
    }
}

/// An engine's flow and the reference beside it.
struct Pair {
    words: Words,
    state: State,
    reference: Timely,
    now_ns: u64,
    line: f64,
    forced: u64,
    steps: [u64; 4],
}

impl Pair {
    fn new(parameters: &Parameters) -> Self {
        let words = parameters.quantise().expect("valid");
        let state = State { rate: (parameters.initial_mbps / RATE_UNIT).round() as u32, ..Default::default() };
        let (reference, line) = (Timely::as_in_hardware(parameters), parameters.greatest_mbps);
        Pair { words, state, reference, now_ns: 0, line, forced: 0, steps: [0; 4] }
    }

    /// Gives the reference the engine's state, exactly.
    fn convey(&mut self) {
        let s = &self.state;
        self.reference.state = TimelyState {
            rate: f64::from(s.rate) * RATE_UNIT,
            last: s.history.then(|| (f64::from(s.rtt_ns) / 1000.0, f64::from(s.time_ns) / 1000.0)),
            average: s.average as f64 * AVERAGE_UNIT_US,
            negatives: s.negatives.into(),
        };
    }

    /// Both take a sample; gives the difference of the rates over line rate. `tolerance` is what
    /// the smoothed differences may differ by where the branches do, in the engine's units.
    fn step(&mut self, rtt_ns: u32, tolerance: f64) -> f64 {
        let operation = Operation { kind: Kind::Sample, rtt_ns, value: self.now_ns as u32, ..Operation::default() };
        let mut free = self.reference.clone();
        let (rtt_us, now_us) = (f64::from(rtt_ns) / 1000.0, self.now_ns as f64 / 1000.0);
        let outcome = apply(&self.words, &mut self.state, &operation);
        let mut step = free.step(rtt_us, now_us, None);
        let taken = branch(outcome.branch);
        self.steps[usize::from(outcome.branch)] += 1;
        if step.branch != taken || free.state.negatives.min(NEGATIVES_MAX.into()) != self.state.negatives.into() {
            let deadband_us = self.reference.parameters.deadband_ns / 1000.0;
            let distance = (free.state.average.abs() - deadband_us).abs() / AVERAGE_UNIT_US;
            assert!(distance <= tolerance, "{step:?} against {outcome:?}, {distance} units from the threshold");
            self.forced += 1;
            free = self.reference.clone();
            step = free.step(rtt_us, now_us, Some(Decision { branch: taken, negatives: self.state.negatives.into() }));
        }
        self.reference = free;
        (f64::from(self.state.rate) * RATE_UNIT - step.rate).abs() / self.line
    }
}

/// Any RTT, most often near where the law changes.
fn random_rtt(rng: &mut impl Rng, p: &Parameters) -> u32 {
    let around = |us: f64, by: i64| ((us * 1000.0).round() as i64 + by).clamp(0, RTT_MAX.into()) as u32;
    match rng.random_range(0..6) {
        0 => around(p.t_low_us, rng.random_range(-3..=3)),
        1 => around(p.t_high_us, rng.random_range(-3..=3)),
        2 => rng.random_range(0..=RTT_MAX),
        3 => rng.random_range(0..=around(p.t_high_us, 0)),
        _ => around(p.t_high_us * 8f64.powf(rng.random_range(-1.0..1.0)), 0),
    }
}

/// Gives a flow any state, and the clock any time; returns an RTT.
fn random_state(rng: &mut impl Rng, pair: &mut Pair) -> u32 {
    let p = &pair.reference.parameters;
    let rtt_ns = random_rtt(rng, p);
    let near = (i64::from(rtt_ns) + rng.random_range(-5000..5000)).clamp(0, RTT_MAX.into()) as u32;
    let previous = if rng.random() { near } else { random_rtt(rng, p) };
    // Where a decrease by gradient is complete, and a fifth beyond.
    let span = 1.2 * p.min_rtt_us / p.beta / AVERAGE_UNIT_US;
    let average = match rng.random_range(0..4) {
        0 => rng.random_range(-1000.0..1000.0),
        1 => span / 100.0 * rng.random_range(-1.0..1.0),
        _ => span * rng.random_range(-1.0..1.0),
    };
    let age = match rng.random_range(0..4) {
        0 => rng.random_range(0..1 << 30),
        _ => (p.update_interval_us * 1000.0 * rng.random_range(0.0..1.1)) as u64,
    };
    let rate = if rng.random() { pair.line } else { pair.line * rng.random_range(0.001..=1.0) };
    pair.now_ns = rng.random_range(1 << 31..1 << 32);
    pair.state = State { rate: (rate / RATE_UNIT) as u32, ..State::default() };
    if rng.random_range(0..20) > 0 {
        pair.state = State {
            history: true,
            rtt_ns: previous,
            time_ns: (pair.now_ns - age) as u32,
            average: (average as i64).clamp(-AVERAGE_MAX, AVERAGE_MAX),
            negatives: rng.random_range(0..=NEGATIVES_MAX),
            ..pair.state
        };
    }
    rtt_ns
}

/// One step from any state is within 1e-7 of line rate of what the exact law gives with the exact
/// parameters.
#[test]
fn one_step() {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let mut sets = named();
    sets.extend((0..92).map(|_| ("random".into(), random_parameters(&mut rng))));
    let (mut forced, mut counts, mut worst) = (0, [0; 4], [0f64; 4]);
    for (name, parameters) in &sets {
        let mut pair = Pair::new(parameters);
        for _ in 0..1_000_000 / sets.len() {
            let rtt_ns = random_state(&mut rng, &mut pair);
            pair.convey();
            let (state, steps) = (pair.state, pair.steps);
            let error = pair.step(rtt_ns, 6.0);
            let taken = (0..4).find(|b| pair.steps[*b] != steps[*b]).expect("a branch of the law");
            worst[taken] = worst[taken].max(error);
            assert!(
                error <= 1e-7,
                "{name}: {error:.2e} in branch {taken}, RTT {rtt_ns} ns at {} ns, {state:?}, {parameters:?}",
                pair.now_ns
            );
        }
        forced += pair.forced;
        counts.iter_mut().zip(pair.steps).for_each(|(c, s)| *c += s);
    }
    println!("steps by branch {counts:?}, forced {forced}, worst error over line rate by branch {worst:?}");
    println!("figure engine.one_step_error.timely {:e}", worst.into_iter().fold(0.0, f64::max));
    assert!(counts.iter().all(|c| *c > 50_000) && forced < 1000, "{counts:?}, {forced}");
}

/// How the RTTs of a trajectory come about.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Shape {
    Constant,
    Steps,
    Ramp,
    Walk,
    /// The flow and its likes share a link; the RTT is that of the queue they make.
    Loop,
}

/// The RTT of update `k`, ns, and the time to the next, ns.
struct Course {
    shape: Shape,
    base: f64,
    high: f64,
    interval: f64,
    rtt: f64,
    flows: f64,
}

impl Course {
    fn new(shape: Shape, p: &Parameters, rng: &mut impl Rng) -> Self {
        let high = 1000.0 * p.t_high_us;
        let base = (1000.0 * p.t_low_us.max(p.min_rtt_us)).min(0.9 * high);
        Course { shape, base, high, interval: 1000.0 * p.update_interval_us, rtt: base, flows: f64::from(rng.random_range(2..20)) }
    }

    fn next(&mut self, k: u32, rate: f64, line: f64, rng: &mut impl Rng) -> (u32, u64) {
        let dt = self.interval * rng.random_range(0.3..1.5);
        let middle = (self.base + self.high) / 2.0;
        match self.shape {
            Shape::Constant => self.rtt = middle,
            Shape::Steps if k.is_multiple_of(400) => self.rtt = rng.random_range(0.8 * self.base..1.1 * self.high),
            Shape::Steps => {}
            Shape::Ramp => self.rtt = self.base + (self.high - self.base) * (f64::from(k % 1000) / 500.0 - 1.0).abs(),
            Shape::Walk => self.rtt = (self.rtt + 0.01 * middle * rng.random_range(-1.0..1.0)).clamp(0.8 * self.base, 1.2 * self.high),
            Shape::Loop => self.rtt = (self.rtt + (self.flows * rate / line - 1.0) * dt).clamp(0.7 * self.base, 10.0 * self.high),
        }
        (self.rtt.round().min(16e6) as u32, dt as u64)
    }
}

/// The largest error of a trajectory, the forced steps, and the steps by branch.
fn trajectory(parameters: &Parameters, shape: Shape, seed: u64) -> (f64, u64, [u64; 4]) {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut pair = Pair::new(&Parameters { initial_mbps: parameters.greatest_mbps / 4.0, ..parameters.clone() });
    let mut course = Course::new(shape, parameters, &mut rng);
    // A rounded filter is off by half a unit a step, of which it forgets alpha at the next.
    let tolerance = 0.5 / parameters.alpha + 6.0;
    let mut worst = 0f64;
    for k in 0..UPDATES {
        let (rtt_ns, dt) = course.next(k, f64::from(pair.state.rate) * RATE_UNIT, pair.line, &mut rng);
        pair.now_ns += dt;
        worst = worst.max(pair.step(rtt_ns, tolerance));
    }
    (worst, pair.forced, pair.steps)
}

/// Over 1e5 updates the engine stays within 1e-5 of line rate of the exact law, and hardly ever
/// stands on the other side of a threshold.
#[test]
fn trajectories() {
    let mut rng = ChaCha8Rng::seed_from_u64(2);
    let mut sets = named();
    sets.extend((0..8).map(|i| (format!("random {i}"), random_parameters(&mut rng))));
    for (name, p) in &sets {
        for shape in [Shape::Constant, Shape::Steps, Shape::Ramp, Shape::Walk, Shape::Loop] {
            let (worst, forced, steps) = trajectory(p, shape, 3);
            println!("{name:26} {shape:?}: error {worst:.1e}, forced {forced}, by branch {steps:?}");
            println!("figure engine.trajectory_error.timely {worst:e}");
            assert!(worst <= 1e-5 && forced <= u64::from(UPDATES) / 100, "{name} {shape:?}: {worst:.2e}, {forced} forced: {p:?}");
        }
    }
}
