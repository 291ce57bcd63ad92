//! The named profile of each law in a 10-to-1 incast: on NICs that compute as the hardware does,
//! and on event-level hosts with an f64 law.
use rayon::prelude::*;
use std::path::Path;
use timely_regs::parameters::Parameters;
use timely_sim::cores;
use timely_sim::scenario::{build, file};

/// Bounds of a law in the second half of 40 ms: least utilization and Jain index, greatest p99 of
/// the RTT, us. PI holds the delay at 20 us, whatever the share of each flow: any shares are at
/// rest then (ECN or Delay, section 5.2), so nothing is asked of its fairness.
const LAWS: [(&str, f64, f64, f64); 4] =
    [("timely-10g", 0.97, 0.99, 28.0), ("patched-10g", 0.99, 0.99, 30.0), ("pi-10g", 0.99, 0.3, 23.0), ("swift-10g", 0.96, 0.98, 24.0)];

#[test]
fn each_law_in_an_incast() {
    let cores = cores::factory();
    println!("profile      NICs    utilization  Jain   RTT p50  p99 us");
    for (profile, utilization, jain, p99) in LAWS {
        for kind in ["model", "paced"] {
            let incast =
                include_str!("../../scenarios/incast.toml").replace("timely-10g", "law").replace("\"paced\"", &format!("\"{kind}\""));
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

/// A named profile with the wire bits of its link and the payload of its segments.
struct Named {
    name: &'static str,
    gbps: f64,
    segment: u32,
    /// Least utilization wherever the bound on unanswered bytes allows it.
    utilization: f64,
    /// Least Jain index; TIMELY has no fixed point that is fair (ECN or Delay, theorems 3 and
    /// 4), and PI at the host keeps any shares.
    jain: f64,
}

const fn named(name: &'static str, gbps: f64, segment: u32, utilization: f64, jain: f64) -> Named {
    Named { name, gbps, segment, utilization, jain }
}

// TIMELY's line is idle for a tenth at 50 us: the RTT falls below its low threshold, 12 or 8 us
// above the empty path's, before the decreases of an RTT ago have their effect.
const NAMED: [Named; 12] = [
    named("timely-10g", 10.0, 2_000, 0.92, 0.8),
    named("timely-25g", 25.0, 4_000, 0.9, 0.8),
    named("timely-100g", 100.0, 2_000, 0.97, 0.8),
    named("patched-10g", 10.0, 2_000, 0.98, 0.98),
    named("patched-25g", 25.0, 4_000, 0.98, 0.98),
    named("patched-100g", 100.0, 8_000, 0.97, 0.98),
    named("pi-10g", 10.0, 2_000, 0.98, 0.0),
    named("pi-25g", 25.0, 4_000, 0.98, 0.0),
    named("pi-100g", 100.0, 8_000, 0.97, 0.0),
    named("swift-10g", 10.0, 2_000, 0.95, 0.98),
    named("swift-25g", 25.0, 4_000, 0.93, 0.9),
    named("swift-100g", 100.0, 2_000, 0.92, 0.98),
];

// Utilization, Jain index and p99 of the RTT, us, of N senders through one switch, whose frames of
// 1,000 bytes see this RTT without a queue.
fn many_to_one(p: &Named, flows: u32, base_us: f64) -> (f64, f64, f64) {
    let from: Vec<String> = (0..flows).map(|s| s.to_string()).collect();
    // A frame of 1,114 bytes and an ACK of 114 are on two links each.
    let serial_us = 2.0 * (1_114.0 + 114.0) * 8.0 / (p.gbps * 1e3);
    let delay_ns = (base_us - serial_us) * 250.0;
    let (ms, bus) = if p.gbps == 100.0 { (20, 512) } else { (60, 64) };
    let text = format!(
        "duration_ms = {ms}\nsteady_from = 0.5\nbase_rtt_us = {base_us}\n[topology]\nhosts = {}\n[link]\nrate_gbps = {}\ndelay_ns = {delay_ns:.0}\n\
         [switch]\nlatency_ns = 0\nxoff_kb = 0\n[nic]\nkind = 'event'\nbus_bits = {bus}\n[profile.p]\nlike = '{}'\nsignal = 'rtt'\n\
         [[flow]]\nfrom = [{}]\nto = {flows}\nprofile = 'p'\npacket_bytes = 1000\nsegment_bytes = {}\nstagger_us = 100\n",
        flows + 1,
        p.gbps,
        p.name,
        from.join(", "),
        p.segment
    );
    let plan = file::parse(Path::new("many_to_one.toml"), &text).unwrap_or_else(|e| panic!("{e}"));
    let s = build::run(plan, &*cores::factory(), |_| {}).unwrap_or_else(|e| panic!("{e}")).summary;
    (s.utilization, s.jain, s.rtt_us.p99)
}

/// Each named profile keeps the link that it is named for, for 2, 8 and 32 senders from line rate
/// and three RTTs: at least its part of what the bound on unanswered bytes lets onto the line.
#[test]
fn named_profiles_keep_their_link() {
    let cells: Vec<(&Named, u32, f64)> =
        NAMED.iter().flat_map(|p| [2, 8, 32].into_iter().flat_map(move |n| [8.0, 20.0, 50.0].map(move |b| (p, n, b)))).collect();
    let done: Vec<_> = cells.into_par_iter().map(|(p, n, b)| (p, n, b, many_to_one(p, n, b))).collect();
    println!("profile       flows  RTT us  utilization   Jain  p99 us");
    for (p, n, b, (utilization, jain, p99)) in &done {
        println!("{:12} {n:6} {b:7} {utilization:12.3} {jain:6.3} {p99:7.1}", p.name);
    }
    for (p, n, b, (utilization, jain, _)) in &done {
        let bound = Parameters::named(p.name, *b).unwrap().outstanding_bytes;
        let allowed = (f64::from(*n) * f64::from(bound) * 8.0 / (b * p.gbps * 1e3)).min(1.0);
        assert!(*utilization >= p.utilization * allowed, "{}, {n} flows, {b} us: {utilization:.3} of {allowed:.3}", p.name);
        assert!(*jain >= p.jain, "{}, {n} flows, {b} us: Jain {jain:.3}", p.name);
    }
}
