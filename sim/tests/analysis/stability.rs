//! The stability analysis: published values to the digit, and the full linearisation against the
//! roots of the delay systems.
use timely_sim::fluid::run;
use timely_sim::fluid::settings::{Model, Settings};
use timely_sim::fluid::solve::{FlowStart, Steps};
use timely_sim::stability::linear::linearise;
use timely_sim::stability::margin::margin;
use timely_sim::stability::published::{dcqcn_loop, patched_loop};
use timely_sim::stability::report::compare;
use timely_sim::stability::{Row, border_of, modes, row, timely_rests};

fn settings(model: Model, set: &[&str]) -> Settings {
    let mut s = Settings::conext16(model);
    set.iter().for_each(|told| s.set(told).expect("a parameter"));
    s
}

fn rows(settings: &Settings, flows: impl IntoIterator<Item = u32>) -> Vec<Row> {
    flows.into_iter().map(|n| row(settings, n.into()).expect("roots").expect("a fixed point")).collect()
}

/// All 950 published values: margins within 0.1 degree, convergence times within 1e-4.
#[test]
fn published_values_are_met() {
    let all = compare();
    for r in &all {
        println!("{} values, worst {:.2e} {} at {} flows: {}", r.values, r.worst, r.unit, r.flows, r.curve);
        assert!(r.worst <= r.allowed, "{}", r.curve);
    }
    assert_eq!(all.iter().map(|r| r.values).sum::<usize>(), 950);
}

/// Queues at rest of figure 4, and what margins the published formula would have at the exact
/// marking probability.
#[test]
fn the_exact_fixed_point_is_another_than_taylor_s() {
    let figure = settings(Model::Dcqcn, &["kmax_kb=2000", "pmax=0.1"]);
    for (r, queue) in rows(&figure, [2, 10, 64]).iter().zip([20.501, 125.338, 1183.119]) {
        assert!((r.queue_kb - queue).abs() < 6e-4 && r.on_ramp, "{} for {queue}", r.queue_kb);
    }
    let d = settings(Model::Dcqcn, &["delay_us=0"]).dcqcn();
    for (n, exact) in [(10.0, -6.1), (20.0, -7.0)] {
        let p = d.fixed_point(n).mark;
        let ours = margin(|s| dcqcn_loop(&d, n, p, s)).expect("a crossing").margin_deg;
        assert!((ours - exact).abs() < 0.1, "{n}: {ours}");
    }
}

/// Margins of the full linearisation at 0 us, at Taylor's and at the exact marking probability,
/// beside a hand computation of a tenth of a degree, which keeps fewer terms in the marking
/// probability: with 100 flows, at Taylor's .17, it is 5 degrees off.
#[test]
fn the_full_linearisation_has_margins_of_its_own() {
    let d = settings(Model::Dcqcn, &["delay_us=0"]).dcqcn().with_long_ramp();
    for (n, taylor, exact) in [(2.0, 24.70, 20.42), (10.0, 15.16, 9.29), (20.0, 18.64, 10.39), (100.0, 67.34, 34.56)] {
        let at = |p: f64| margin(|s| linearise(&d, n, &d.state(&d.point_at(n, p))).open_loop(s)).expect("a crossing").margin_deg;
        let ours = [at(d.taylor_mark(n)), at(d.fixed_point(n).mark)];
        println!("{n} flows: {ours:.2?} for {taylor}, {exact}");
        assert!((ours[0] - taylor).abs() < if n == 100.0 { 5.5 } else { 0.3 } && (ours[1] - exact).abs() < 0.4);
    }
}

/// The margin's sign is that of the rightmost root at every number of flows, and both say where
/// DCQCN is unstable; the published margins say otherwise at 50 us.
#[test]
fn margins_agree_with_roots() {
    let table: [(&str, &[&str], std::ops::Range<u32>); 4] =
        [("50", &[], 0..0), ("85", &[], 3..21), ("85", &["kmax_kb=2000", "pmax=0.1"], 3..20), ("100", &[], 2..25)];
    for (delay, set, unstable) in table {
        let s = settings(Model::Dcqcn, &[&[format!("delay_us={delay}").as_str()], set].concat());
        for r in rows(&s, (2..=40).chain([64, 100])) {
            let margin = r.margin_deg.expect("a crossing");
            assert_eq!(margin < 0.0, r.root > 0.0, "{r:?}");
            assert_eq!(r.root > 0.0, unstable.contains(&(r.flows as u32)), "{r:?}");
            assert!(r.apart_root < 0.0, "differences between flows die out: {r:?}");
            // The published values are of even numbers.
            if delay == "50" && (r.flows as u32).is_multiple_of(2) {
                let says_unstable = r.published_deg.expect("a value") < 0.0;
                assert_eq!(says_unstable, (4.0..=20.0).contains(&r.flows), "{r:?}");
            }
        }
    }
    let near = rows(&settings(Model::Dcqcn, &["delay_us=85"]), [2]);
    assert!((near[0].margin_deg.expect("a crossing") - 0.1).abs() < 0.1, "{near:?}");
}

/// `--json` has the border in each row: two flows of DCQCN at 85 us are .6 us short of it, and
/// the rightmost root, which the border does not look at, changes its sign there.
#[test]
fn the_border_is_a_key_of_each_row() {
    let out = format!("{}/border", env!("CARGO_TARGET_TMPDIR"));
    let arguments = ["stability", "dcqcn", "--flows", "2,10,64", "--delays", "50,85", "--json", "--out", &out];
    let done = std::process::Command::new(env!("CARGO_BIN_EXE_timely-sim")).args(arguments).output().expect("runs");
    let rows: serde_json::Value = serde_json::from_slice(&done.stdout).expect("JSON");
    let number = |i: usize| rows[i]["border"]["flows"].as_u64();
    assert_eq!([0, 1, 2, 3, 4, 5].map(number), [None, None, None, Some(3), Some(2), Some(20)], "{rows:#}");
    for i in 0..6 {
        let (flows, edge) = (rows[i]["flows"].as_f64().expect("a number"), rows[i]["border"]["delay_us"].as_f64().expect("a border"));
        let root =
            |part: f64| row(&settings(Model::Dcqcn, &[&format!("delay_us={}", edge * part)]), flows).expect("roots").expect("a rest").root;
        assert!(root(0.999) < 0.0 && root(1.001) > 0.0, "{flows} flows: {edge} us");
    }
}

/// The swing of the integrated model about its fixed point dies out as the rightmost root says,
/// which no part of the linearisation has seen.
#[test]
fn the_fluid_model_decays_with_its_rightmost_root() {
    // DCQCN's oscillation is little excited and shows once a faster, real mode has gone.
    let runs = [(Model::Dcqcn, "delay_us=50", 40.0, (0.22, 0.3, 0.01)), (Model::Patched, "delay_us=4", 1.0, (0.02, 0.04, 0.005))];
    for (model, set, gbps, swing) in runs {
        let n = 10;
        let s = settings(model, &[set]);
        let expected = rows(&s, [n])[0];
        let steps = Steps { end: swing.1 + swing.2, step: 1e-6, every: 4e-6, queue: 0.0, jitter: None };
        let done = run(&s, &vec![FlowStart::new(gbps); n as usize], &steps).expect("runs");
        let amplitude = |from: f64| {
            let (_, least, most) = done.queue_between(from, from + swing.2);
            most - least
        };
        let decay = (amplitude(swing.1) / amplitude(swing.0)).ln() / (swing.1 - swing.0);
        println!("{}: decay {decay:.2} /s, root {:.2} + {:.0} i", model.name(), expected.root, expected.root_omega);
        assert!((decay / expected.root - 1.0).abs() < 0.05);
    }
}

/// A controller at the switch holds its output for a period, which is half a period of delay: the
/// integrated model's swing grows or dies out as the rightmost root says, on both sides of a border
/// that is 10 us nearer than that of a continuous controller, 104 us.
#[test]
fn a_sampled_controller_is_as_stable_as_the_fluid_model() {
    let border = |set: &str| border_of(&settings(Model::PiSwitch, &["delay_us=95", set]), 2.0).delay_us.expect("a border");
    let (continuous, sampled, slow) = (border("period_us=0"), border("period_us=20"), border("period_us=100"));
    println!("border: continuous {continuous:.2} us, samples every 20 us {sampled:.2}, every 100 us {slow:.2}");
    assert!((continuous - sampled - 10.0).abs() < 0.01 && (continuous - slow - 50.0).abs() < 0.01);
    // From line rate a faster, real mode goes first; beyond the border the swing soon meets an
    // empty queue.
    for (delay, from, to) in [(sampled - 8.0, 0.6, 0.8), (sampled + 8.0, 0.08, 0.14)] {
        let s = settings(Model::PiSwitch, &[&format!("delay_us={delay}"), "period_us=20", "mark_most=1"]);
        let root = rows(&s, [2])[0].root;
        let steps = Steps { end: to + 0.02, step: 2e-6, every: 4e-6, queue: 195e3, jitter: None };
        let done = run(&s, &[FlowStart::new(40.0); 2], &steps).expect("runs");
        let amplitude = |from: f64| {
            let (_, least, most) = done.queue_between(from, from + 0.02);
            most - least
        };
        let growth = (amplitude(to) / amplitude(from)).ln() / (to - from);
        println!("{delay:.1} us: growth {growth:.2} /s, root {root:.2}");
        assert!(growth * root > 0.0 && (growth / root - 1.0).abs() < 0.4, "{delay}: {growth} {root}");
    }
}

/// The study's advice: less additive increase or a longer ramp gives a larger margin where it is
/// least.
#[test]
fn gentler_steps_and_longer_ramps_are_more_stable() {
    let least = |set: &[&str]| {
        let all = rows(&settings(Model::Dcqcn, &[&["delay_us=85"], set].concat()), [2, 4, 8, 12, 16, 20, 30]);
        all.iter().filter_map(|r| r.margin_deg).fold(f64::MAX, f64::min)
    };
    let (table, gentle, long) = (least(&[]), least(&["increase_mbps=10"]), least(&["kmax_kb=1000"]));
    println!("least margin {table:.1}, with R_AI 10 Mb/s {gentle:.1}, with Kmax 1,000 KB {long:.1}");
    assert!(table < -3.0 && gentle > 1.0 && long > 1.0);
}

/// Patched TIMELY: with the weight's own slope the published formula is the full linearisation;
/// roots agree with it, and with 40 flows the fluid model swings.
#[test]
fn patched_timely_is_less_stable_than_published() {
    let s = settings(Model::Patched, &[]);
    for n in [2.0, 18.0, 40.0] {
        let zero = Settings { delay_us: 0.0, ..s };
        let t = zero.timely();
        let slope_2 = margin(|x| patched_loop(&t, n, 2.0, x)).expect("a crossing").margin_deg;
        let full = margin(|x| modes(&zero, n).expect("a point").open_loop(x)).expect("a crossing").margin_deg;
        println!("{n} flows: slope 2 {slope_2:.2}, full {full:.2}");
        let known = [(2.0, 7.4), (18.0, 5.7), (40.0, -76.9)].into_iter().find(|k| k.0 == n).expect("known").1;
        assert!((slope_2 - known).abs() < 0.1 && (full - slope_2).abs() < 0.1);
    }
    for r in rows(&s, (2..=60).step_by(2)) {
        assert_eq!(r.margin_deg.expect("a crossing") < 0.0, r.root > 0.0, "{r:?}");
        assert!(r.apart_root < 0.0, "{r:?}");
    }
}

/// Theorems 3 and 4: TIMELY rests nowhere, or with the other branch at a gradient of 0 at every
/// split of the line.
#[test]
fn timely_rests_nowhere_or_everywhere() {
    let all = timely_rests(&settings(Model::Timely, &[]).timely());
    assert!(all.len() == 19 && all.iter().all(|(_, [at, above])| (at - 1.0).abs() < 1e-9 && above.abs() < 1e-9), "{all:?}");
}

/// Theorem 6: with PI at each host a difference between flows is kept for good, a root of 0; with
/// PI at the switch it dies out.
#[test]
fn pi_at_the_host_keeps_differences_and_pi_at_the_switch_does_not() {
    for r in rows(&settings(Model::PiHost, &[]), [2, 10]) {
        assert!(r.apart_root.abs() < 1e-6 && (r.queue_kb - 343.75).abs() < 1e-9 && r.root < 1e-6, "{r:?}");
    }
    for delay in ["delay_us=4", "delay_us=85"] {
        for r in rows(&settings(Model::PiSwitch, &[delay]), [2, 10, 64]) {
            assert!(r.root < 0.0 && r.apart_root < -1.0 && r.margin_deg.expect("a crossing") > 0.0, "{r:?}");
        }
    }
}
