//! Patched TIMELY, PI and Swift in integers against their f64 references: one step, and whole
//! trajectories. TIMELY: `engine_accuracy.rs`. DCQCN: `laws_accuracy/dcqcn.rs`.
//!
//! Patched TIMELY and PI go smoothly from one branch to the other, but for the thresholds, which
//! are whole ns. Swift jumps at its target: where engine and reference stand on different sides of
//! it because of rounding, the reference takes the engine's; such steps are bounded, counted and
//! printed.
#[path = "laws_accuracy/dcqcn.rs"]
mod dcqcn;

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use timely_model::bus::RTT_MAX;
use timely_model::engine::law::{ABOVE_HIGH, BELOW_LOW, DECREASE, HELD, INCREASE, NEGATIVES_MAX, Operation, Outcome, State, Words, apply};
use timely_model::engine::parts::AVERAGE_BITS;
use timely_model::reference::{Delays, Patched, PatchedState, Swift, SwiftState};
use timely_regs::parameters::{LawKind, Parameters};
use timely_regs::profile::{AVERAGE_FRACTION, RATE_FRACTION};

/// Updates of a trajectory.
const UPDATES: u32 = 100_000;
/// Single steps of a law.
const STEPS: usize = 1_000_000;
/// A unit of the engine's rates, Mb/s.
const RATE_UNIT: f64 = 1.0 / (1u64 << RATE_FRACTION) as f64;
/// A unit of the engine's smoothed differences, us.
const AVERAGE_UNIT_US: f64 = 1e-3 / (1u64 << AVERAGE_FRACTION) as f64;
/// The laws here.
const LAWS: [LawKind; 3] = [LawKind::Patched, LawKind::Pi, LawKind::Swift];

/// The reference of a law.
enum Reference {
    Patched(Patched),
    Swift(Swift),
}

fn us(ns: u32) -> f64 {
    f64::from(ns) / 1000.0
}

impl Reference {
    fn new(p: &Parameters) -> Self {
        if p.law == LawKind::Swift { Reference::Swift(Swift::new(p)) } else { Reference::Patched(Patched::new(p)) }
    }

    /// Takes over the engine's state, exactly. Times are seen from `now_ns`.
    fn convey(&mut self, s: &State, now_ns: u64) {
        let (rate, time) =
            (f64::from(s.rate) * RATE_UNIT, |ns: u32| (now_ns - u64::from((now_ns as u32).wrapping_sub(ns))) as f64 / 1000.0);
        match self {
            Reference::Patched(r) => {
                let last = s.history.then(|| (us(s.rtt_ns), time(s.time_ns)));
                let output = s.mark as f64 / 2f64.powi(40);
                r.state = PatchedState { rate, last, average: s.average as f64 * AVERAGE_UNIT_US, output };
            }
            Reference::Swift(r) => {
                let (last, decreased) = (s.history.then(|| time(s.time_ns)), s.marked.then(|| time(s.mark as u32)));
                r.state = SwiftState { rate, last, decreased };
            }
        }
    }

    /// A sample that the engine took so; gives the rate, and whether the engine's decision was
    /// taken over.
    fn step(&mut self, op: &Operation, now_ns: u64, outcome: &Outcome, tolerance_us: f64) -> (f64, bool) {
        let now_us = now_ns as f64 / 1000.0;
        match self {
            Reference::Patched(r) => {
                let step = r.step(us(op.rtt_ns), now_us);
                let outer = [BELOW_LOW, ABOVE_HIGH].iter().any(|b| *b == outcome.branch || *b == step.branch as u8);
                assert!(!outer || step.branch as u8 == outcome.branch, "{step:?} {outcome:?}");
                (step.rate, false)
            }
            Reference::Swift(r) => {
                let delays = Delays { fabric_us: us(op.rtt_ns), endpoint_us: us(op.endpoint_ns), hops: op.hops };
                let before = r.clone();
                let step = r.step(delays, now_us, None);
                let endpoint_over = delays.endpoint_us > r.parameters.endpoint_target_us;
                let rises = |branch: u8| branch == INCREASE;
                if rises(step.branch as u8) == rises(outcome.branch) || endpoint_over {
                    return (step.rate, false);
                }
                let distance = (delays.fabric_us - step.target_us).abs();
                assert!(distance <= tolerance_us, "{step:?} against {outcome:?}, {distance} us from the target");
                *r = before;
                (r.step(delays, now_us, Some(!rises(outcome.branch))).rate, true)
            }
        }
    }
}

/// Parameters anywhere in their useful ranges. Rates and steps are multiples of 2^-12 Mb/s, times
/// of 1 ns, gains as the hardware holds them.
fn random_parameters(rng: &mut impl Rng, law: LawKind) -> Parameters {
    let grid = |x: f64| (x / RATE_UNIT).round() * RATE_UNIT;
    let us = |x: f64| (x * 1000.0).round() / 1000.0;
    let line: f64 = [10_000.0, 25_000.0, 40_000.0, 100_000.0, 400_000.0][rng.random_range(0..5)];
    let base = us(rng.random_range(8.0..60.0));
    let reference_us = us(base * rng.random_range(1.0..3.0));
    let error_beta: f64 = 0.004 * 25f64.powf(rng.random());
    let on = |gain: f64, bits: i32| (gain * error_beta / (1000.0 * reference_us) * 2f64.powi(bits)).round() / 2f64.powi(bits);
    let gain = |gain: f64, bits: i32| on(gain, bits) / error_beta * 1000.0 * reference_us;
    Parameters {
        law,
        alpha: 0.02 * 50f64.powf(rng.random()),
        beta: rng.random_range(0.1..=1.0),
        t_low_us: us(base * rng.random_range(0.2..1.0)),
        t_high_us: us(reference_us * rng.random_range(2.0..30.0)),
        min_rtt_us: us(rng.random_range(5.0..60.0)),
        update_interval_us: us(rng.random_range(5.0..200.0)),
        additive_step_mbps: grid((line / 1000.0 * rng.random_range(0.1..5.0)).min(600.0)),
        delta_factor: rng.random(),
        half_floor: rng.random(),
        reference_us,
        error_beta,
        integral_gain: gain(0.001 * 50f64.powf(rng.random()), 48),
        proportional_gain: gain(0.01 * 100f64.powf(rng.random()), 40),
        base_target_us: base,
        hop_us: us(rng.random_range(0.0..2.0)),
        flow_range_us: us(base * rng.random_range(0.0..4.0)),
        flow_least_packets: rng.random_range(0.05..1.0),
        flow_most_packets: rng.random_range(10.0..200.0),
        packet_bytes: rng.random_range(100..9000),
        endpoint_target_us: us(rng.random_range(1.0..60.0)),
        max_decrease: rng.random_range(0.1..1.0),
        ..Parameters::authors_10g().line(line)
    }
}

/// The law's named profiles and `more` random ones.
fn sets(rng: &mut impl Rng, law: LawKind, more: usize) -> Vec<(String, Parameters)> {
    let named = ["patched", "pi", "swift"][LAWS.iter().position(|l| *l == law).expect("listed")];
    let names = ["10g", "25g", "100g"].map(|speed| format!("{named}-{speed}"));
    let mut sets: Vec<_> = names.into_iter().map(|n| (n.clone(), Parameters::named(&n, 8.0).expect("listed"))).collect();
    sets.extend((0..more).map(|k| (format!("{named} random {k}"), random_parameters(rng, law))));
    sets
}

/// Any delay, most often near where the law changes.
fn random_delay(rng: &mut impl Rng, p: &Parameters) -> u32 {
    let thresholds = if p.law == LawKind::Swift {
        [p.base_target_us, p.base_target_us + 0.5 * p.flow_range_us, p.base_target_us + p.flow_range_us]
    } else {
        [p.t_low_us, p.reference_us, p.t_high_us]
    };
    let near = 1000.0 * thresholds[rng.random_range(0..3)];
    let ns = match rng.random_range(0..4) {
        0 => near + f64::from(rng.random_range(-3..=3)),
        1 => near * rng.random_range(0.5..2.0),
        2 => near * 8f64.powf(rng.random_range(-1.0..1.0)),
        _ => 2f64.powf(rng.random_range(8.0..24.0)),
    };
    ns.clamp(1.0, RTT_MAX.into()) as u32
}

/// Any state, at any time.
fn random_state(rng: &mut impl Rng, p: &Parameters, now_ns: u64) -> (State, Operation) {
    let rtt_ns = random_delay(rng, p);
    let history = rng.random_range(0..20) > 0;
    let age = |rng: &mut dyn rand::RngCore| match rng.random_range(0..4) {
        0 => rng.random_range(0..1 << 30),
        _ => (1000.0 * p.update_interval_us * rng.random_range(0.0..1.1)) as u64,
    };
    let near = (i64::from(rtt_ns) + rng.random_range(-5000..5000)).clamp(0, RTT_MAX.into()) as u32;
    let average = [0.001, 0.1, 0.3, 3.0][rng.random_range(0..4)] * p.min_rtt_us / AVERAGE_UNIT_US * rng.random_range(-1.0..1.0);
    let limit = (1i64 << (AVERAGE_BITS - 1)) - 1;
    let swift = p.law == LawKind::Swift;
    let rate = p.greatest_mbps * if rng.random() { rng.random_range(0.001..=1.0) } else { 1000f64.powf(-rng.random::<f64>()) };
    let marked = if swift { rng.random_range(0..4) > 0 } else { true };
    let mark = if swift { u64::from((now_ns - age(rng)) as u32) } else { rng.random::<u64>() >> rng.random_range(24..36) };
    let endpoint = 1000.0 * p.endpoint_target_us * rng.random_range(0.0..1.0f64) * [1.0, 1.0, 1.2, 10.0][rng.random_range(0..4)];
    let state = State {
        history,
        rtt_ns: if !history {
            0
        } else if rng.random() {
            near
        } else {
            random_delay(rng, p)
        },
        time_ns: if history { (now_ns - age(rng)) as u32 } else { 0 },
        average: if history && !swift { (average as i64).clamp(-limit, limit) } else { 0 },
        negatives: if history && !swift { rng.random_range(0..=NEGATIVES_MAX) } else { 0 },
        marked,
        mark: if marked { mark } else { 0 },
        rate: (rate / RATE_UNIT) as u32,
        limited: false,
    };
    let endpoint_ns = if swift { endpoint.min(f64::from(RTT_MAX)) as u32 } else { 0 };
    (state, Operation { rtt_ns, value: now_ns as u32, hops: rng.random_range(0..16), endpoint_ns, ..Operation::default() })
}

/// One step from any state is within 1e-7 of line rate of what the exact law gives with the exact
/// parameters.
fn one_step(law: LawKind) {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let (mut forced, mut counts, mut worst) = (0, [0; 6], [0f64; 6]);
    let sets = sets(&mut rng, law, 97);
    for (name, p) in &sets {
        let words = p.quantise().unwrap_or_else(|e| panic!("{name}: {e}"));
        let mut reference = Reference::new(p);
        for _ in 0..STEPS / sets.len() {
            let now_ns = rng.random_range(1 << 32..1u64 << 40);
            let (before, op) = random_state(&mut rng, p, now_ns);
            reference.convey(&before, now_ns);
            let mut after = before;
            let outcome = apply(&words, &mut after, &op);
            let (rate, overruled) = reference.step(&op, now_ns, &outcome, 1e-5 * us(op.rtt_ns).max(1.0));
            let error = (f64::from(after.rate) * RATE_UNIT - rate).abs() / p.greatest_mbps;
            let branch = usize::from(outcome.branch);
            (counts[branch], worst[branch]) = (counts[branch] + 1, worst[branch].max(error));
            forced += u64::from(overruled);
            assert!(error <= 1e-7, "{name}: {error:.2e}, {op:?} at {before:?} gives {outcome:?}, not {rate}; {p:?}");
        }
    }
    println!("{law:?}: steps by branch {counts:?}, forced {forced}, worst error over line rate by branch {worst:?}");
    println!("figure engine.one_step_error.{} {:e}", format!("{law:?}").to_lowercase(), worst.into_iter().fold(0.0, f64::max));
    let branches = if law == LawKind::Swift { [ABOVE_HIGH, INCREASE, DECREASE, HELD] } else { [BELOW_LOW, ABOVE_HIGH, INCREASE, DECREASE] };
    assert!(branches.iter().all(|b| counts[usize::from(*b)] > 20_000) && forced < 1000, "{counts:?}, {forced}");
}

/// How the delays of a trajectory come about.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Shape {
    Constant,
    Steps,
    Ramp,
    Walk,
    /// The flow and its likes share a link; the delay is that of the queue they make.
    Loop,
}

/// The largest error of a trajectory, and the forced steps.
fn trajectory(p: &Parameters, shape: Shape, seed: u64) -> (f64, u64) {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let p = &Parameters { initial_mbps: p.greatest_mbps / 4.0, ..p.clone() };
    let words: Words = p.quantise().expect("valid");
    let mut state = State { rate: (p.initial_mbps / RATE_UNIT).round() as u32, ..State::default() };
    let mut reference = Reference::new(p);
    let swift = p.law == LawKind::Swift;
    let (least, most) = if swift { (p.base_target_us, p.base_target_us + 2.0 * p.flow_range_us + 20.0) } else { (p.t_low_us, p.t_high_us) };
    let (base, high) = (1000.0 * least, 1000.0 * most);
    let (flows, middle) = (f64::from(rng.random_range(2..20)), (base + high) / 2.0);
    let (mut rtt, mut now_ns, mut worst, mut forced) = (base, 1u64 << 32, 0f64, 0);
    for k in 0..UPDATES {
        let dt = 1000.0 * p.update_interval_us * rng.random_range(0.3..1.5);
        let rate = f64::from(state.rate) * RATE_UNIT / p.greatest_mbps;
        match shape {
            Shape::Constant => rtt = middle,
            Shape::Steps if k.is_multiple_of(400) => rtt = rng.random_range(0.8 * base..1.1 * high),
            Shape::Steps => {}
            Shape::Ramp => rtt = base + (high - base) * (f64::from(k % 1000) / 500.0 - 1.0).abs(),
            Shape::Walk => rtt = (rtt + 0.01 * middle * rng.random_range(-1.0..1.0)).clamp(0.8 * base, 1.2 * high),
            Shape::Loop => rtt = (rtt + (flows * rate - 1.0) * dt).clamp(0.7 * base, 10.0 * high),
        }
        now_ns += dt as u64;
        let endpoint_ns = if swift { (1000.0 * p.endpoint_target_us * rng.random_range(0.0..1.05)) as u32 } else { 0 };
        let rtt_ns = rtt.round().min(16e6) as u32;
        let op = Operation { rtt_ns, value: now_ns as u32, hops: 3, endpoint_ns, ..Operation::default() };
        let outcome = apply(&words, &mut state, &op);
        let (rate, overruled) = reference.step(&op, now_ns, &outcome, 1e-3 * least);
        worst = worst.max((f64::from(state.rate) * RATE_UNIT - rate).abs() / p.greatest_mbps);
        forced += u64::from(overruled);
    }
    (worst, forced)
}

/// Over 1e5 updates the engine stays within 1e-5 of line rate of the exact law.
fn trajectories(law: LawKind) {
    let mut rng = ChaCha8Rng::seed_from_u64(2);
    for (name, p) in &sets(&mut rng, law, 8) {
        for shape in [Shape::Constant, Shape::Steps, Shape::Ramp, Shape::Walk, Shape::Loop] {
            let (worst, forced) = trajectory(p, shape, 3);
            println!("{name:18} {shape:?}: error {worst:.1e}, forced {forced}");
            println!("figure engine.trajectory_error.{} {worst:e}", format!("{law:?}").to_lowercase());
            assert!(worst <= 1e-5 && forced <= u64::from(UPDATES) / 100, "{name} {shape:?}: {worst:.2e}, {forced} forced: {p:?}");
        }
    }
}

#[test]
fn patched_one_step() {
    one_step(LawKind::Patched);
}

#[test]
fn patched_trajectories() {
    trajectories(LawKind::Patched);
}

#[test]
fn pi_one_step() {
    one_step(LawKind::Pi);
}

#[test]
fn pi_trajectories() {
    trajectories(LawKind::Pi);
}

#[test]
fn swift_one_step() {
    one_step(LawKind::Swift);
}

#[test]
fn swift_trajectories() {
    trajectories(LawKind::Swift);
}
