//! DCQCN in integers against its f64 reference, action by action.
use super::{RATE_UNIT, UPDATES};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use timely_model::engine::law::{DECREASE, INCREASE, Kind, NONE, Operation, State, Words, action, apply};
use timely_model::engine::parts::WHOLE_DIFFERENCE;
use timely_model::reference::{Dcqcn, DcqcnState, Law, Stage};
use timely_regs::parameters::{LawKind, Parameters};
use timely_regs::profile::AVERAGE_FRACTION;

/// Single steps.
const STEPS: usize = 1_000_000;
/// 1 - alpha of an alpha of 0, as the state has it.
const WHOLE: f64 = (WHOLE_DIFFERENCE << AVERAGE_FRACTION) as f64;

fn random_parameters(rng: &mut impl Rng) -> Parameters {
    let grid = |x: f64| (x / RATE_UNIT).round() * RATE_UNIT;
    let line: f64 = [10_000.0, 25_000.0, 40_000.0, 100_000.0, 400_000.0][rng.random_range(0..5)];
    let step = (line / 1000.0 * rng.random_range(0.1..5.0)).min(400.0);
    Parameters {
        law: LawKind::Dcqcn,
        // Held as the hardware holds it.
        alpha_gain: (0.25 / 1024f64.powf(rng.random()) * 2f64.powi(32)).round() / 2f64.powi(32),
        additive_step_mbps: grid(step),
        hyper_step_mbps: grid(step * rng.random_range(1.0..10.0)),
        loss_decrease: 0.5,
        ..Parameters::dcqcn_10g().line(line)
    }
}

fn sets(rng: &mut impl Rng, more: usize) -> Vec<(String, Parameters)> {
    let names = ["dcqcn-10g", "dcqcn-25g", "dcqcn-100g"];
    let mut sets: Vec<_> = names.map(|n| (n.to_owned(), Parameters::named(n, 8.0).expect("listed"))).into();
    sets.extend((0..more).map(|k| (format!("dcqcn random {k}"), random_parameters(rng))));
    sets
}

/// An action that a reaction block may ask for, most often a stage.
fn random_action(rng: &mut impl Rng) -> u8 {
    let decay = if rng.random() { action::DECAY } else { 0 };
    match rng.random_range(0..6) {
        0 => action::CNP,
        1 => action::DECAY,
        2 => decay | action::INCREASE,
        3 | 4 => decay | action::INCREASE | 1 << action::STEPS,
        _ => decay | action::INCREASE | action::HYPER | rng.random_range(1..=10) << action::STEPS,
    }
}

/// The reference does what the bits say.
fn react(law: &mut Dcqcn, bits: u8) {
    if bits & action::CNP != 0 {
        law.congestion();
    }
    if bits & action::DECAY != 0 {
        law.decay();
    }
    let steps = u32::from(bits >> action::STEPS);
    if bits & action::INCREASE != 0 {
        law.increase(match steps {
            0 => Stage::Fast,
            _ if bits & action::HYPER != 0 => Stage::Hyper(steps),
            _ => Stage::Additive,
        });
    }
}

fn convey(s: &State) -> DcqcnState {
    let target = s.marked.then_some(s.mark as f64 * RATE_UNIT);
    DcqcnState { rate: f64::from(s.rate) * RATE_UNIT, target, alpha: 1.0 - s.average as f64 / WHOLE }
}

fn error(s: &State, law: &Dcqcn) -> f64 {
    let rate = (f64::from(s.rate) * RATE_UNIT - law.rate()).abs();
    let target = law.state.target.map_or(0.0, |t| (s.mark as f64 * RATE_UNIT - t).abs());
    rate.max(target) / law.parameters.greatest_mbps
}

/// One action from any state: rate and target within 1e-7 of line rate of the exact law's, alpha
/// within 1e-9.
#[test]
fn one_step() {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let (mut counts, mut worst, mut worst_alpha) = ([0; 6], [0f64; 6], 0f64);
    let sets = sets(&mut rng, 97);
    for (name, p) in &sets {
        let words = p.quantise().unwrap_or_else(|e| panic!("{name}: {e}"));
        let mut law = Dcqcn::new(p);
        for _ in 0..STEPS / sets.len() {
            let rate = p.greatest_mbps * if rng.random() { rng.random_range(0.001..=1.0) } else { 1000f64.powf(-rng.random::<f64>()) };
            let marked = rng.random_range(0..8) > 0;
            let alpha = if rng.random() { rng.random::<f64>() } else { 1e6f64.powf(-rng.random::<f64>()) };
            let before = State {
                average: if rng.random_range(0..8) == 0 { 0 } else { ((1.0 - alpha) * WHOLE) as i64 },
                marked,
                mark: if marked { (p.greatest_mbps * rng.random_range(0.001..=1.0) / RATE_UNIT) as u64 } else { 0 },
                rate: (rate / RATE_UNIT) as u32,
                ..State::default()
            };
            let bits = random_action(&mut rng);
            law.state = convey(&before);
            react(&mut law, bits);
            let mut after = before;
            let outcome = apply(&words, &mut after, &Operation { kind: Kind::Reaction, hops: bits, ..Operation::default() });
            let (off, alpha) = (error(&after, &law), (1.0 - after.average as f64 / WHOLE - law.state.alpha).abs());
            let branch = usize::from(outcome.branch);
            (counts[branch], worst[branch], worst_alpha) = (counts[branch] + 1, worst[branch].max(off), worst_alpha.max(alpha));
            assert!(
                off <= 1e-7 && alpha <= 1e-9,
                "{name}: {off:.2e}, {alpha:.2e}, {bits:#b} at {before:?} gives {after:?}, not {:?}",
                law.state
            );
        }
    }
    println!("Dcqcn: steps by branch {counts:?}, worst error over line rate by branch {worst:?}, of alpha {worst_alpha:.1e}");
    println!("figure engine.one_step_error.dcqcn {:e}", worst.into_iter().fold(0.0, f64::max));
    assert!([DECREASE, INCREASE, NONE].iter().all(|b| counts[usize::from(*b)] > 100_000), "{counts:?}");
}

/// Over 1e5 actions the engine stays within 1e-5 of line rate of the exact law, whatever the share
/// of CNPs: none for long, now and then, or one in two.
#[test]
fn trajectories() {
    let mut rng = ChaCha8Rng::seed_from_u64(2);
    for (name, p) in &sets(&mut rng, 8) {
        let words: Words = p.quantise().expect("valid");
        for every in [2, 10, 100, 20_000] {
            let (mut s, mut law, mut worst) = (State::default(), Dcqcn::new(p), 0f64);
            apply(&words, &mut s, &Operation { kind: Kind::Init, ..Operation::default() });
            for _ in 0..UPDATES {
                let bits = if rng.random_range(0..every) == 0 { action::CNP } else { random_action(&mut rng) & !action::CNP };
                // Hyper steps against rare CNPs would leave all rates at the line.
                let bits = if bits & action::HYPER != 0 && rng.random_range(0..every) != 0 { action::INCREASE } else { bits };
                let kind = match rng.random_range(0..2000) {
                    0 => Kind::Timeout,
                    1 => Kind::Loss,
                    2 => Kind::Sample,
                    _ => Kind::Reaction,
                };
                apply(&words, &mut s, &Operation { kind, hops: bits, ..Operation::default() });
                match kind {
                    Kind::Timeout => drop(law.timeout(0.0)),
                    Kind::Loss => drop(law.loss(0.0, 0.0)),
                    Kind::Reaction => react(&mut law, bits),
                    _ => {}
                }
                worst = worst.max(error(&s, &law));
            }
            println!("{name:18} a CNP in {every}: error {worst:.1e}");
            println!("figure engine.trajectory_error.dcqcn {worst:e}");
            assert!(worst <= 1e-5, "{name}, a CNP in {every}: {worst:.2e}, {p:?}");
        }
    }
}

/// Two flows that hear the same CNPs and stages end at the same rate, from any rates.
#[test]
fn two_flows_end_fair() {
    let p = Parameters { additive_step_mbps: 40.0, ..Parameters::dcqcn_10g() }.line(40_000.0);
    let words = p.quantise().expect("valid");
    let mut flows = [30_000, 1000].map(|mbps| State { rate: mbps << 12, ..State::default() });
    let mut gaps = Vec::new();
    for round in 0..400 {
        for s in &mut flows {
            let bits = if round % 4 < 2 { action::CNP } else { action::DECAY | action::INCREASE | 1 << action::STEPS };
            apply(&words, s, &Operation { kind: Kind::Reaction, hops: bits, ..Operation::default() });
        }
        if round % 4 == 3 {
            gaps.push(f64::from(flows[0].rate.abs_diff(flows[1].rate)) * RATE_UNIT);
        }
    }
    assert!(gaps.windows(2).all(|w| w[1] <= 0.9 * w[0] + 0.1), "{gaps:?}");
    assert!(gaps.last().is_some_and(|g| *g < 0.01), "{gaps:?}");
}
