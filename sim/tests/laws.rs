//! The named profile of each law in a 10-to-1 incast: on NICs that compute as the hardware does,
//! and on event-level hosts with an f64 law.
use std::path::Path;
use timely_sim::cores;
use timely_sim::scenario::{build, file};

/// Bounds of a law in the second half of 40 ms: least utilization and Jain index, greatest p99 of
/// the RTT, us. PI holds the delay at 20 us, whatever the share of each flow: any shares are at
/// rest then (ECN or Delay, section 5.2), so nothing is asked of its fairness.
const LAWS: [(&str, f64, f64, f64); 4] =
    [("timely-10g", 0.97, 0.99, 28.0), ("patched-10g", 0.99, 0.99, 30.0), ("pi-10g", 0.99, 0.3, 23.0), ("swift-10g", 0.9, 0.95, 40.0)];

#[test]
fn each_law_in_an_incast() {
    let cores = cores::factory();
    println!("profile      NICs    utilization  Jain   RTT p50  p99 us");
    for (profile, utilization, jain, p99) in LAWS {
        for kind in ["model", "paced"] {
            let incast = include_str!("../scenarios/incast.toml").replace("timely-10g", "law").replace("\"paced\"", &format!("\"{kind}\""));
            // Event-level hosts have no other signal.
            let signal = if kind == "paced" { "signal = 'rtt'\n" } else { "" };
            let text = format!("{incast}\n[profile.law]\nlike = '{profile}'\n{signal}");
            let plan = file::parse(Path::new("incast.toml"), &text).expect("valid");
            let s = build::run(plan, cores.as_ref(), |_| {}).expect("runs").summary;
            let (p50, p99_us) = (s.rtt_us.p50, s.rtt_us.p99);
            println!("{profile:12} {kind:7} {:11.3} {:6.3} {p50:8.1} {p99_us:7.1}", s.utilization, s.jain);
            assert!(s.utilization >= utilization && s.jain >= jain && p99_us <= p99, "{profile} on {kind} NICs: {s:?}");
            assert_eq!((s.pauses, s.dropped, s.timeouts), (0, 0, 0), "{profile} on {kind} NICs");
        }
    }
}
