//! Laws of the rate engine in its integers, in a loop with a queue and a delay, beside linearised
//! models of the same laws.
use timely_model::engine::law::{Kind, Operation, State, apply};
use timely_regs::parameters::{LawKind, Parameters};
use timely_sim::fluid::law::{Law, Past};
use timely_sim::stability::nic::{MS, Nic, Row, SEGMENT, row};

// The rightmost root and the rest of a law that has them.
fn root(r: &Row) -> f64 {
    r.root.expect("a point of rest")
}

fn rest(r: &Row) -> f64 {
    r.queue_kb.expect("a point of rest")
}

// patched-10g for an unloaded RTT, segments of two packets of 1,000 bytes, 60 ms from a queue a
// third beyond its rest.
fn run(base_us: f64, flows: u32) -> Row {
    let nic = Nic::new(Parameters::patched_10g(base_us), SEGMENT, base_us).unwrap();
    let r = row(&nic, flows, MS).unwrap();
    println!("{r:.4?}");
    r
}

/// The integers come to rest where the model's rightmost root is on the left, at the model's queue
/// to .1 %, and swing where it is on the right: with up to 6 flows at any of these RTTs, and again
/// with many flows, the sooner the longer the RTT.
#[test]
fn the_integers_swing_where_the_linear_model_says() {
    let mut signs = [0, 0];
    for base_us in [8.0, 20.0, 50.0, 100.0] {
        for flows in [2, 4, 8, 16, 32, 64] {
            // Segments of 64 flows are 114 us apart, longer than that loop: samples so far apart
            // see less of it than the model does.
            if (base_us, flows) == (8.0, 64) {
                continue;
            }
            let r = run(base_us, flows);
            signs[usize::from(root(&r) > 0.0)] += 1;
            assert_eq!(root(&r) < 0.0, r.margin_deg.is_none_or(|m| m > 0.0), "root and margin agree");
            if root(&r) < 0.0 {
                assert!(r.swing < 0.002 && (r.mean_kb / rest(&r) - 1.0).abs() < 0.001, "{flows} flows, {base_us} us: {r:?}");
            } else {
                assert!(r.swing > 0.05, "{flows} flows, {base_us} us: {r:?}");
            }
        }
    }
    assert!(signs[0] > 8 && signs[1] > 8, "{signs:?}");
}

/// The boundary lies between 6 and 7 flows, by the roots and by the integers: 6 keep their swing,
/// that of 7 falls.
#[test]
fn the_boundary_is_where_the_linear_model_says() {
    for base_us in [8.0, 50.0, 100.0] {
        let (six, seven) = (run(base_us, 6), run(base_us, 7));
        assert!(root(&six) > 0.0 && six.swing > 0.7, "{six:?}");
        assert!(root(&seven) < 0.0 && seven.swing < 0.45, "{seven:?}");
    }
}

/// Two flows of bit-true NICs swing as the integers in the loop do: `docs/ecn-or-delay.json` has
/// them, patched-10g without jitter.
#[test]
fn packets_swing_as_the_loop_does() {
    let text = include_str!("../../../docs/ecn-or-delay.json");
    let rows = timely_sim::ecn_or_delay::command::parsed(text).unwrap();
    let of = |q: &str| timely_sim::ecn_or_delay::find(&rows, "jitter", "patched-10g", "still", 0.0, q).unwrap().median();
    let (mean, deviation) = (of("queue KB"), of("queue deviation KB"));
    let r = run(4.0, 2);
    println!("packets: {mean} +- {deviation} KB, the loop: {:.2} +- {:.2} KB", r.mean_kb, r.mean_kb * r.swing);
    assert!((mean / r.mean_kb - 1.0).abs() < 0.2 && (deviation / (r.mean_kb * r.swing) - 1.0).abs() < 0.2);
}

/// The command prints the same rows, and names what it does not take.
#[test]
fn the_command_analyses_a_profile() {
    let run = |arguments: &[&str]| {
        let out =
            std::process::Command::new(env!("CARGO_BIN_EXE_timely-sim")).args(["stability", "--nic"]).args(arguments).output().unwrap();
        (out.status.success(), String::from_utf8(out.stdout).unwrap(), String::from_utf8(out.stderr).unwrap())
    };
    let (done, json, _) = run(&["patched-10g", "--flows", "8", "--json"]);
    let rows: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert!(
        done && rows[0]["flows"] == 8 && rows[0]["base_us"] == 8.0 && (rows[0]["queue_kb"].as_f64().unwrap() - 21.25).abs() < 1e-9,
        "{json}"
    );
    let (done, _, why) = run(&["patched-10g", "--flows", "129"]);
    assert!(!done && why.contains("--flows has 129; allowed with --nic: 1 to 128"), "{why}");
    assert!(run(&["fixed"]).2.contains("swift-25g"));
    let why = |arguments: &[&str]| run(&[&["swift-10g", "--flows", "2", "--ms", "1"], arguments].concat()).2;
    assert!(why(&["--delays", "0"]).contains("--delays has 0; allowed with --nic: 0.1 to 10000"));
    assert!(why(&["--set", "alpha=2"]).contains("profile.nic.alpha is 2; allowed: 0.00390625 to 1"), "{}", why(&["--set", "alpha=2"]));
    assert!(why(&["--set", "alfa=2"]).contains("unknown field `alfa`"));
    assert!(why(&["--set", "alpha"]).contains("alpha is no setting; write name=value"));
    assert!(why(&["--set", "alpha=x"]).contains("alpha is x; allowed: a number"));
}

/// The file that a run leaves has the rows of the table, and the page its plots.
#[test]
fn the_command_writes_its_rows_and_plots() {
    let out = std::env::temp_dir().join(format!("timely-law-loop-{}", std::process::id()));
    let arguments = ["stability", "--nic", "pi-10g", "--flows", "4,16", "--ms", "10", "--json", "--out"];
    let done = std::process::Command::new(env!("CARGO_BIN_EXE_timely-sim")).args(arguments).arg(&out).output().unwrap();
    let rows: Vec<serde_json::Map<String, serde_json::Value>> = serde_json::from_slice(&done.stdout).unwrap();
    let csv = std::fs::read_to_string(out.join("stability.csv")).unwrap();
    let page = std::fs::read_to_string(out.join("report.html")).unwrap();
    std::fs::remove_dir_all(&out).unwrap();
    let head: Vec<&str> = csv.lines().next().unwrap().split(',').collect();
    // Keys of a key are joined to it.
    let joined = |(key, value): (&String, &serde_json::Value)| match value.as_object() {
        Some(inner) => inner.keys().map(|k| format!("{key}_{k}")).collect(),
        None => vec![key.clone()],
    };
    let mut keys: Vec<String> = rows[0].iter().flat_map(joined).collect();
    let mut sorted = head.clone();
    keys.sort_unstable();
    sorted.sort_unstable();
    assert_eq!(keys, sorted, "the columns are the keys of the JSON");
    assert_eq!(csv.lines().count(), 3);
    let column = |name: &str| csv.lines().nth(1).unwrap().split(',').nth(head.iter().position(|h| *h == name).unwrap()).unwrap();
    assert_eq!(column("flows"), "4");
    assert!((column("margin_deg").parse::<f64>().unwrap() - rows[0]["margin_deg"].as_f64().unwrap()).abs() < 1e-5);
    assert!(page.matches("<svg").count() == 5, "margin, root, swings, gain, phase: {}", page.matches("<svg").count());
}

/// A profile without a law has nothing to analyse; TIMELY has no point of rest, and swings all the
/// same.
#[test]
fn laws_without_a_rest() {
    let why = Nic::new(Parameters::fixed(1000.0), SEGMENT, 8.0).map(|_| ()).unwrap_err();
    assert!(why.starts_with("the law is Fixed; allowed: a profile whose law goes by delays, such as authors-10g, timely-10g"), "{why}");
    for flows in [4, 8, 16] {
        let nic = Nic::new(Parameters::timely_10g(50.0), SEGMENT, 50.0).unwrap();
        let r = row(&nic, flows, 30.0).unwrap();
        println!("{r:.4?}");
        assert_eq!((r.queue_kb, r.margin_deg, r.root, r.dead_ns), (None, None, None, None));
        assert!(r.swing > 1.0 && r.fluid_swing > 1.0 && (r.swing / r.fluid_swing - 1.0).abs() < 0.2);
    }
}

// A queue that never moves, bits.
struct Still(f64);

impl Past for Still {
    fn shared(&self, _: usize, _: f64) -> f64 {
        self.0
    }
    fn own(&self, _: usize, _: f64) -> f64 {
        0.0
    }
}

// The fluid law's rate at a steady RTT after so many us, over that at the start.
fn fluid_rate(nic: &Nic, rtt_us: f64, flows: f64, us: u32) -> f64 {
    let (queue, share) = ((rtt_us / 1e6 - nic.base) * nic.capacity, nic.capacity / flows);
    let mut own = nic.start(share, nic.fixed_output(flows));
    let mut change = vec![0.0; own.len()];
    for _ in 0..us * 10 {
        nic.flow(&[queue], &own, &Still(queue), &mut change);
        own.iter_mut().zip(&change).for_each(|(x, d)| *x += 1e-7 * d);
    }
    own[0] / share
}

// The same of the integers, sample by sample.
fn integer_rate(nic: &Nic, rtt_us: f64, flows: f64, us: u32) -> f64 {
    let share = nic.capacity / 1e6 / flows;
    let words = Parameters { initial_mbps: share, ..nic.profile.clone() }.quantise().unwrap();
    let mut s = State::default();
    apply(&words, &mut s, &Operation { kind: Kind::Init, ..Operation::default() });
    let output = nic.fixed_output(flows);
    (s.marked, s.mark) = (output > 0.0, (output * 2f64.powi(40)) as u64);
    let (mut now_us, start) = (0.0, s.rate);
    // A sample's step is for the time before it, so the first one has none to make.
    s = State { history: true, rtt_ns: (rtt_us * 1e3) as u32, ..s };
    loop {
        now_us += nic.segment / (f64::from(s.rate) / 4096.0);
        if now_us > f64::from(us) {
            return f64::from(s.rate) / f64::from(start);
        }
        apply(&words, &mut s, &Operation { rtt_ns: (rtt_us * 1e3) as u32, value: (now_us * 1e3) as u32, ..Operation::default() });
    }
}

/// At a steady RTT that is not that of rest the fluid laws move rates as fast as the integers do:
/// the error of patched TIMELY, the output that PI adds up, Swift's decreases, of which there is
/// one an RTT at most, and each law's steps below its thresholds. Steps are small: a fluid has no
/// large ones.
#[test]
fn rates_move_as_the_integers_move_them() {
    let cases = [
        ("patched-10g", 40.0, 2000),
        ("patched-10g", 12.0, 400),
        ("patched-10g", 600.0, 400),
        ("pi-10g", 30.0, 20_000),
        ("pi-10g", 15.0, 4000),
        ("pi-10g", 8.5, 400),
        ("swift-10g", 17.0, 400),
        ("swift-10g", 16.5, 400),
        ("swift-10g", 12.0, 400),
        ("timely-10g", 100.0, 400),
        ("timely-10g", 12.0, 400),
        ("timely-10g", 220.0, 400),
    ];
    for (name, rtt_us, us) in cases {
        for flows in [4.0, 8.0, 32.0] {
            let mut p = Parameters { half_floor: false, ..Parameters::named(name, 8.0).unwrap() };
            if p.law == LawKind::Swift {
                // A target that stays, so that the rate does not come to rest at it.
                p.flow_range_us = 0.0;
            }
            let nic = Nic::new(p, SEGMENT, 8.0).unwrap();
            let (fluid, integers) = (fluid_rate(&nic, rtt_us, flows, us), integer_rate(&nic, rtt_us, flows, us));
            println!("{name}, {rtt_us} us, {flows} flows: rate times {fluid:.4} as fluid, {integers:.4} in integers");
            assert!((fluid.ln() - integers.ln()).abs() < 0.1 * integers.ln().abs() + 0.01, "{name}, {rtt_us} us, {flows} flows");
        }
    }
}

/// Harmonic balance by sums: `-e` above 0 and a jump a thousand times as high below, about the mean
/// at which the two cancel, has three times the first harmonic of `-e`; and that is the gain that
/// stands for Swift's decrease.
#[test]
fn a_one_sided_loop_has_three_times_the_gain() {
    let n = 1_000_000;
    let law = |e: f64| if e < 0.0 { 1e3 } else { -e };
    let sum = |bias: f64, weight: fn(f64) -> f64| {
        let angles = (0..n).map(|k| std::f64::consts::TAU * (f64::from(k) + 0.5) / f64::from(n));
        angles.map(|x| law(bias + x.sin()) * weight(x)).sum::<f64>() / f64::from(n)
    };
    let (mut low, mut high) = (0.9, 1.0);
    for _ in 0..40 {
        let middle = f64::midpoint(low, high);
        if sum(middle, |_| 1.0) > 0.0 { low = middle } else { high = middle }
    }
    let gain = -2.0 * sum(low, f64::sin);
    println!("gain {gain:.4}");
    assert!((gain / 3.0 - 1.0).abs() < 0.01);
    let one_sided = Nic::new(Parameters::swift_10g(8.0), SEGMENT, 8.0).unwrap();
    let balanced = Nic { balanced: true, ..one_sided.clone() };
    let queue = one_sided.fixed_queue(8.0).unwrap() * 1.05;
    let change = |of: &Nic| {
        let mut d = [0.0];
        of.flow(&[queue], &[of.capacity / 8.0], &Still(queue), &mut d);
        d[0]
    };
    assert!((change(&balanced) / change(&one_sided) / gain - 1.0).abs() < 0.01);
}
