//! The loop linearised at its samples against the rate engine's integers, also where the fluid
//! model has the other sign.
use rayon::prelude::*;
use timely_regs::parameters::Parameters;
use timely_sim::stability::nic::integers::Swing;
use timely_sim::stability::nic::{Nic, SEGMENT, borders};
use timely_sim::time::{Ps, US};

/// Step of a loop whose samples come in time to a five-hundredth of a segment.
const STEP: Ps = US / 50;

fn nic(name: &str, base_us: f64) -> Nic {
    Nic::new(Parameters::named(name, base_us).unwrap(), SEGMENT, base_us).unwrap()
}

// Standard deviation over mean of the integers' queue, from 5 % off its rest.
fn swing(of: &Nic, flows: u32, ms: f64) -> f64 {
    let s = of.integers(flows, 1.05 * of.fixed_queue(f64::from(flows)).unwrap(), ms).unwrap();
    s.deviation / s.mean
}

/// The integers settle where the sampled loop's root is on the left, and swing where it is on the
/// right, from 2 to 128 flows and 8 to 100 us; margin and root have one sign. The fluid model says
/// otherwise of some of them: with many flows it sees delays that samples do not.
#[test]
fn the_integers_settle_where_samples_say() {
    let all: Vec<(&str, f64, u32)> = ["patched-10g", "pi-10g"]
        .iter()
        .flat_map(|name| [8.0, 20.0, 50.0, 100.0].map(|d| (*name, d)))
        .flat_map(|(name, d)| [2, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128].map(|n| (name, d, n)))
        .chain([("patched-10g", 8.0, 5), ("pi-10g", 8.0, 7)])
        .collect();
    let rows: Vec<_> = all
        .into_par_iter()
        .map(|(name, base_us, flows)| {
            let of = nic(name, base_us);
            let sampled = of.sampled(flows).expect("a rest");
            let (root, margin) = (sampled.rightmost().expect("a root"), sampled.margin().expect("a crossing").margin_deg);
            let fluid = of.modes(f64::from(flows)).expect("a rest").together.rightmost().expect("found").re;
            (name, base_us, flows, root.re, margin, fluid, swing(&of, flows, 120.0))
        })
        .collect();
    let (mut signs, mut fluid_differs) = ([0, 0], 0);
    for r @ (name, base_us, flows, root, margin, fluid, swing) in rows {
        println!("{name}, {base_us} us, {flows} flows: root {root:.0}, margin {margin:.2}, fluid root {fluid:.0}, swing {swing:.4}");
        assert_eq!(root < 0.0, margin > 0.0, "{r:?}");
        signs[usize::from(root < 0.0)] += 1;
        fluid_differs += u32::from((fluid < 0.0) != (root < 0.0));
        assert!(if root < 0.0 { swing < 0.02 } else { swing > 0.03 }, "{r:?}");
    }
    println!("{} unstable, {} stable; the fluid model has another sign {fluid_differs} times", signs[0], signs[1]);
    assert!(signs.iter().all(|n| *n > 20) && fluid_differs >= 5);
}

/// A small swing of the integers grows or falls by the sampled loop's root, to a twentieth of its
/// size or 3 a second, where the fluid model's is another.
#[test]
fn a_small_swing_moves_by_the_sampled_root() {
    let mut worst = 0f64;
    // The start is far enough off that ns count for little, near enough that no weight is cut off.
    let all = [
        ("pi-10g", 8.0, 5, 1.1, 0.01),
        ("pi-10g", 8.0, 4, 1.05, 0.006),
        ("patched-10g", 8.0, 7, 1.1, 0.03),
        ("patched-10g", 50.0, 52, 1.001, 0.0015),
    ];
    for (name, base_us, flows, start, span) in all {
        let of = nic(name, base_us);
        let rest = of.fixed_queue(f64::from(flows)).unwrap();
        let root = of.sampled(flows).unwrap().rightmost().unwrap();
        let fluid = of.modes(f64::from(flows)).unwrap().together.rightmost().unwrap();
        // Whole periods, behind the first ms, by which faster modes have gone. Slower ones are no
        // part of what three queues half a period apart differ by.
        let period = std::f64::consts::TAU / root.im;
        let whole = (span / period).ceil() * period;
        let queues = of.queues(flows, start * rest, (whole + 4.0 * period) * 1e3 + 3.0, STEP).unwrap();
        let steps = |t: f64| (t * 1e12 / STEP as f64) as usize;
        let half = steps(period / 2.0);
        let turn = |i: usize| queues[i] - 2.0 * queues[i + half] + queues[i + 2 * half];
        let deviation = |from: f64| {
            let turns: Vec<f64> = (steps(from)..steps(from + 2.0 * period)).map(turn).collect();
            Swing::of(&turns, STEP as f64 * 1e-12).deviation
        };
        let seen = (deviation(2e-3 + whole) / deviation(2e-3)).ln() / whole;
        println!("{name}, {base_us} us, {flows} flows: {seen:.1} /s, sampled root {root:.1}, fluid root {fluid:.1}");
        worst = worst.max((seen - root.re).abs() / (0.05 * root.re.abs()).max(3.0));
    }
    assert!(worst < 1.0, "{worst}");
}

/// The borders of pi-10g at 8 us: the fluid model has them between 7 and 8 flows, samples and the
/// integers between 6 and 7; the delay at which the margin is 0 parts loops that settle and swing.
#[test]
fn the_border_parts_loops_that_settle_and_swing() {
    let make = |name: &'static str| move |base_us: f64| Some(nic(name, base_us));
    let (fluid, sampled) = borders(4, 8.0, make("pi-10g"));
    assert_eq!((fluid.flows, sampled.flows), (Some(8), Some(7)));
    assert!(swing(&nic("pi-10g", 8.0), 6, 120.0) > 0.05 && swing(&nic("pi-10g", 8.0), 7, 120.0) < 0.01);
    let (_, sampled) = borders(48, 8.0, make("patched-10g"));
    let edge = sampled.delay_us.expect("a border");
    let (inner, outer) = (swing(&nic("patched-10g", edge * 0.9), 48, 80.0), swing(&nic("patched-10g", edge * 1.1), 48, 80.0));
    println!("48 flows of patched-10g: border at {edge:.2} us, swing {inner:.4} within, {outer:.4} beyond");
    assert!(inner < 0.005 && outer > 0.02);
}
