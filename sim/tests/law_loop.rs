//! Patched TIMELY in this NIC's integers, in a loop with a queue and a delay, beside the linearised
//! model of the same law.
use timely_regs::parameters::Parameters;
use timely_sim::stability::nic::{MS, Nic, Row, SEGMENT, row};

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
            signs[usize::from(r.root > 0.0)] += 1;
            assert_eq!(r.root < 0.0, r.margin_deg.is_none_or(|m| m > 0.0), "root and margin agree");
            if r.root < 0.0 {
                assert!(r.swing < 0.002 && (r.mean_kb / r.queue_kb - 1.0).abs() < 0.001, "{flows} flows, {base_us} us: {r:?}");
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
        assert!(six.root > 0.0 && six.swing > 0.7, "{six:?}");
        assert!(seven.root < 0.0 && seven.swing < 0.45, "{seven:?}");
    }
}

/// Two flows of bit-true NICs swing as the integers in the loop do: `docs/ecn-or-delay.json` has
/// them, patched-10g without jitter.
#[test]
fn packets_swing_as_the_loop_does() {
    let text = include_str!("../../docs/ecn-or-delay.json");
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
    assert!(run(&["swift-10g"]).2.contains("patched-25g"));
}

/// Laws without a point to linearise at are refused by name.
#[test]
fn other_laws_are_refused() {
    let why = |p: Parameters| Nic::new(p, SEGMENT, 8.0).map(|_| ()).unwrap_err();
    assert_eq!(
        why(Parameters::swift_10g(8.0)),
        "the law is Swift; allowed: Patched, as TIMELY rests nowhere, Swift's steps jump at its target, and PI keeps any split"
    );
    assert!(why(Parameters::timely_10g(8.0)).starts_with("the law is Timely"));
}
