//! The fluid models against the published figures of "ECN or Delay" (CoNEXT'16) and against their
//! own fixed points.
use timely_sim::fluid::report::Summary;
use timely_sim::fluid::run;
use timely_sim::fluid::settings::{Model, Settings};
use timely_sim::fluid::solve::{FlowStart, Jitter, Measured, Series, Steps};
use timely_sim::metrics::summary::jain;

fn settings(model: Model, set: &[&str]) -> Settings {
    let mut s = Settings::conext16(model);
    set.iter().for_each(|told| s.set(told).expect("a parameter"));
    s
}

fn solved(settings: &Settings, flows: &[FlowStart], end: f64, step: f64) -> Series {
    run(settings, flows, &Steps { end, step, every: 10.0 * step, queue: 0.0, jitter: None }).expect("runs")
}

fn starts(gbps: &[f64]) -> Vec<FlowStart> {
    gbps.iter().map(|g| FlowStart::new(*g)).collect()
}

fn near(what: &str, ours: f64, published: f64, range: f64) {
    println!("{what}: {ours:.4}, published {published}");
    assert!((ours - published).abs() <= range, "{what}: {ours} for {published} within {range}");
}

/// Figure 9c: two flows from 7 + 3 settle nowhere. The shares of 70 to 100 ms and of the last 30 %
/// of 300 ms, which are further apart.
#[test]
fn timely_drifts_away_from_fairness() {
    let s = solved(&settings(Model::Timely, &[]), &starts(&[7.0, 3.0]), 0.3, 1e-6);
    let early = s.shares(0.07, 0.1);
    near("first flow, Gb/s", early[0], 7.1, 0.2);
    near("second flow, Gb/s", early[1], 2.2, 0.2);
    near("Jain", jain(&early), 0.79, 0.01);
    let late = s.shares(0.21, 0.3);
    near("first flow later", late[0], 7.41, 0.1);
    near("second flow later", late[1], 1.92, 0.1);
    assert!(jain(&late) < jain(&early) - 0.02, "the shares drift on");
    near("peak of the queue, KB", s.queue_between(0.0, 0.3).2 / 1e3, 70.35, 0.5);
    let large = solved(&settings(Model::Timely, &["segment_kb=64"]), &starts(&[7.0, 3.0]), 0.1, 1e-6).shares(0.07, 0.1);
    near("segments of 64 KB, Jain", jain(&large), 0.873, 0.01);
}

/// A step four times smaller moves no share by 0.1 Gb/s.
#[test]
fn the_step_is_small_enough() {
    let share = |step: f64| solved(&settings(Model::Timely, &[]), &starts(&[7.0, 3.0]), 0.1, step).shares(0.07, 0.1)[0];
    let (coarse, fine) = (share(1e-6), share(0.25e-6));
    assert!((coarse - fine).abs() < 0.1, "{coarse} and {fine}");
}

/// Theorem: TIMELY has infinitely many operating points. Three starts that differ in time or rate
/// alone end at three splits.
#[test]
fn timely_ends_where_its_start_leads() {
    let timely = settings(Model::Timely, &[]);
    let late = FlowStart { at: 0.01, ..FlowStart::new(5.0) };
    let ends = [starts(&[5.0, 5.0]), vec![FlowStart::new(5.0), late], starts(&[7.0, 3.0])];
    let ratio = ends.map(|flows| {
        let s = solved(&timely, &flows, 0.15, 1e-6).shares(0.1, 0.15);
        s[0] / s[1]
    });
    println!("ratios of the rates {ratio:?}");
    assert!((ratio[0] - 1.0).abs() < 1e-9 && ratio[1] > 1.5 && ratio[2] > 1.5 && (ratio[1] / ratio[2] - 1.0).abs() > 0.05);
}

/// Theorem 5: patched TIMELY's queue is C T_low (1 + N delta / (beta C)), its rates are equal, and
/// their difference falls exponentially.
#[test]
fn patched_timely_has_one_fair_fixed_point() {
    let s = solved(&settings(Model::Patched, &[]), &starts(&[7.0, 3.0]), 0.3, 1e-6);
    let end = s.shares(0.29, 0.3);
    near("queue, KB", s.queue_between(0.29, 0.3).0 / 1e3, 78.125, 0.1);
    near("first", end[0], 5.0, 0.005);
    near("second", end[1], 5.0, 0.005);
    let gap = |t: f64| {
        let x = s.shares(t, t + 1e-4);
        (x[0] - x[1]).ln()
    };
    // Halvings of the gap take equal times: the logarithm is a line.
    let slopes = [(0.02, 0.04), (0.04, 0.06), (0.06, 0.08)].map(|(a, b)| (gap(b) - gap(a)) / (b - a));
    println!("slopes of the logarithm of the gap, 1/s: {slopes:?}");
    assert!(slopes.iter().all(|k| *k < -10.0 && (k / slopes[2] - 1.0).abs() < 0.05));
}

/// Figure 4: DCQCN at 4 and 85 us, with the ramp of 2,000 KB and 10 %.
#[test]
fn dcqcn_is_stable_but_for_ten_flows_far_away() {
    let published = [(2, 20.501, 0.02), (10, 125.338, 0.02), (64, 1183.119, 0.1)];
    for delay in ["delay_us=4", "delay_us=85"] {
        for (n, queue, range) in published {
            let s = settings(Model::Dcqcn, &[delay, "kmax_kb=2000", "pmax=0.1"]);
            let step = if n == 64 { 4e-6 } else { 1e-6 };
            let done = solved(&s, &starts(&vec![40.0; n]), 0.2, step);
            let summary = Summary::of(&done);
            let (mean, least, most) = (summary.queue_kb, summary.queue_least_kb, summary.queue_most_kb);
            println!("{delay}, {n} flows: queue {mean:.3} KB, {least:.3} to {most:.3}, Jain {:.4}", summary.jain);
            assert!(summary.jain > 0.9999);
            if delay == "delay_us=85" && n == 10 {
                assert!(least < 1.0, "published: 0 to 276 KB");
                near("top of the oscillation, KB", most, 276.0, 3.0);
            } else {
                near("queue, KB", mean, queue, range);
            }
        }
    }
}

/// Theorem 2: the difference of two rates of DCQCN falls exponentially, as the root of differences
/// says that the linearisation has.
#[test]
fn dcqcn_converges_exponentially_to_equal_shares() {
    let dcqcn = settings(Model::Dcqcn, &["kmax_kb=2000", "pmax=0.1"]);
    let s = solved(&dcqcn, &starts(&[35.0, 5.0]), 0.25, 1e-6);
    let gap = |t: f64| {
        let i = s.time.partition_point(|x| *x < t);
        s.rates[0][i] - s.rates[1][i]
    };
    // A mode e^(r t) with its conjugate: x(t + 2 T) = 2 e^(a T) cos(w T) x(t + T) - e^(2 a T) x(t),
    // r = a + i w.
    let root = timely_sim::stability::modes(&dcqcn, 2.0).expect("a fixed point").apart.rightmost().expect("a root");
    let (step, fall) = (0.01, (root.re * 0.01).exp());
    for k in 10..18 {
        let [x, next, after] = [0.0, 1.0, 2.0].map(|n| gap(f64::from(k) * step + n * step));
        let expected = 2.0 * fall * (root.im * step).cos() * next - fall * fall * x;
        println!("gap {x:.3e} Gb/s, then {next:.3e}, {after:.3e} for {expected:.3e}; root {root:.2}");
        assert!((after - expected).abs() < 0.02 * (next.abs() + x.abs()) && root.re < -10.0);
    }
    let end = s.shares(0.24, 0.25);
    near("first", end[0], 20.0, 0.01);
    near("second", end[1], 20.0, 0.01);
}

/// Figure 18: a sampled PI controller at the switch holds its reference for any number of flows at
/// either delay.
#[test]
fn pi_at_the_switch_holds_the_queue() {
    for delay in ["delay_us=4", "delay_us=85"] {
        // Many flows at line rate overshoot far, and the integral takes its time to come back.
        for (n, end, step) in [(2, 0.6, 2e-6), (10, 0.6, 2e-6), (64, 1.2, 10e-6)] {
            let done = solved(&settings(Model::PiSwitch, &[delay]), &starts(&vec![40.0; n]), end, step);
            let (mean, least, most) = done.queue_between(end - 0.2, end);
            let index = jain(&done.shares(end - 0.2, end));
            println!("{delay}, {n} flows: {:.2} KB, {:.2} to {:.2}, Jain {index:.4}", mean / 1e3, least / 1e3, most / 1e3);
            near("queue, KB", mean / 1e3, 200.0, 1.0);
            assert!(index >= 0.99 && most - least < 2e3);
        }
    }
}

/// Figure 19 and theorem: with PI at the host the queue is pinned, and the split is what the
/// controllers started with. Equal starts are printed beside it.
#[test]
fn pi_at_the_host_pins_the_queue_and_not_the_shares() {
    let flow = |gbps: f64, output: f64| FlowStart { output, ..FlowStart::new(gbps) };
    let s = settings(Model::PiHost, &[]);
    let ended = |flows: &[FlowStart]| {
        let done = solved(&s, flows, 5.0, 5e-6);
        (done.queue_between(4.0, 5.0).0 / 1e3, jain(&done.shares(4.0, 5.0)), done.shares(4.0, 5.0))
    };
    let (queue, unfair, shares) = ended(&[flow(3.33, 0.002), flow(6.67, 0.009)]);
    println!("p(0) = .002, .009: {shares:?}, Jain {unfair:.3}");
    near("queue, KB", queue, 343.75, 1.0);
    near("Jain", unfair, 0.72, 0.01);
    let (queue, fair, shares) = ended(&[flow(3.33, 0.002), flow(6.67, 0.002)]);
    println!("p(0) equal: {shares:?}, Jain {fair:.3}");
    near("queue, KB", queue, 343.75, 1.0);
    assert!(fair >= 0.96);
}

/// Figure 20: jitter of the feedback, uniform up to 100 us and drawn every 5 us. As in the paper's
/// model it delays feedback: the queue of patched TIMELY then has a standard deviation of 19.7 KB,
/// DCQCN's stays. Where it is part of the RTT too, 50 us in the mean are as much as T_low: the
/// queue lies on the floor, and its deviation of 4 KB is as much as its mean.
#[test]
fn jitter_unsettles_delay_and_not_marks() {
    let deviation = |model: Model, gbps: f64, jitter: Option<Jitter>| {
        let set: &[&str] = if model == Model::Dcqcn { &["kmax_kb=2000", "pmax=0.1"] } else { &[] };
        let steps = Steps { end: 0.3, step: 1e-6, every: 1e-5, queue: 0.0, jitter };
        let summary = Summary::of(&run(&settings(model, set), &starts(&[gbps, gbps]), &steps).expect("runs"));
        (summary.queue_deviation_kb, summary.queue_kb, summary.queue_most_kb)
    };
    let (patched, dcqcn) = (deviation(Model::Patched, 5.0, None), deviation(Model::Dcqcn, 40.0, None));
    println!("without: patched {patched:.3?}, DCQCN {dcqcn:.3?} KB (standard deviation, mean, greatest)");
    assert!(patched.0 <= 0.2 && dcqcn.0 <= 0.2);
    for seed in 1..=5 {
        let jitter = |measured: Measured| Some(Jitter { most: 100e-6, every: 5e-6, seed, measured });
        let (patched, dcqcn) =
            (deviation(Model::Patched, 5.0, jitter(Measured::Nothing)), deviation(Model::Dcqcn, 40.0, jitter(Measured::Nothing)));
        let measured = deviation(Model::Patched, 5.0, jitter(Measured::All));
        println!("seed {seed}: patched {patched:.2?}, with jitter in its RTT {measured:.2?}, DCQCN {dcqcn:.3?} KB");
        assert!(patched.0 >= 10.0 && (patched.0 - 19.7).abs() < 1.5 && dcqcn.0 <= 1.0);
        assert!(measured.0 > 3.0 && measured.1 < 10.0);
    }
}

/// A queue that runs away ends the run with a sentence.
#[test]
fn a_queue_that_runs_away_is_told() {
    let s = settings(Model::Patched, &["beta=0.000001", "increase_mbps=100000"]);
    let flows = starts(&[10.0; 40]);
    let why = run(&s, &flows, &Steps { end: 1.0, step: 10e-6, every: 1e-3, queue: 0.0, jitter: None }).unwrap_err().to_string();
    assert!(why.starts_with("at 0.") && why.contains("run away"), "{why}");
}

/// The program: series.csv has a column a flow and a row a sample; wrong settings are refused by
/// name before anything is written.
#[test]
fn the_program_writes_series_and_refuses_settings() {
    let dir = std::env::temp_dir().join(format!("timely-fluid-{}", std::process::id()));
    let program = |words: &str| {
        let mut c = std::process::Command::new(env!("CARGO_BIN_EXE_timely-sim"));
        c.arg("fluid").args(words.split(' ')).arg("--out").arg(&dir).output().expect("it starts")
    };
    let refused = [
        ("timely --set delta=1", "error: --set: delta is no parameter of timely; allowed: line_gbps"),
        ("dcqcn --set kmax_kb=4", "error: --set: kmax_kb is 4; allowed: more than kmin_kb, which is 5"),
        ("timely --flow 5:0.3 --flow 3", "error: --flow has an OUTPUT; timely has no controller of its own, only pi-host"),
        ("timely --jitter-every-us 7", "error: --jitter-every-us and --jitter-in-rtt are of --jitter-us, which is missing"),
        ("dcqcn --jitter-us 5 --jitter-in-rtt", "error: --jitter-in-rtt has no effect on dcqcn, which measures no RTT"),
        ("dcqcn --set delay_us=4 --set delay_us=5", "error: --set has delay_us twice; allowed: each once"),
        ("timely --flow 5@200 --duration-ms 100", "error: --duration-ms is 100; no flow starts before that"),
        ("timely --flow 11", "error: a flow starts at 11 Gb/s; allowed: at most line_gbps, which is 10"),
        ("dcqcn --flows 10000 --step-us 0.01", "error: --step-us is 0.01; allowed with so many flows over so long: at least 0.5"),
    ];
    for (words, why) in refused {
        let o = program(words);
        let said = String::from_utf8_lossy(&o.stderr).into_owned();
        assert!(o.status.code() == Some(1) && said.starts_with(why), "{words}: {said}");
        assert!(!dir.exists(), "{words}: nothing is left");
    }
    assert_eq!(program("timely --flow x").status.code(), Some(2));
    let o = program("pi-switch --flow 40 --flow 10@1 --duration-ms 2 --every-us 20 --json");
    assert!(o.status.success(), "{}", String::from_utf8_lossy(&o.stderr));
    let json: serde_json::Value = serde_json::from_slice(&o.stdout).expect("JSON");
    assert_eq!(json["gbps"].as_array().map(Vec::len), Some(2));
    let text = std::fs::read_to_string(dir.join("series.csv")).expect("written");
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!((lines[0], lines.len()), ("time_us,queue_kb,mark,gbps_0,gbps_1", 102));
    assert!(lines[50].ends_with(",0.000000") && lines[51].ends_with(",10.000000"), "{}", lines[51]);
    assert!(std::fs::read_to_string(dir.join("report.html")).expect("written").matches("<svg").count() == 2);
    std::fs::remove_dir_all(dir).expect("removed");
}
