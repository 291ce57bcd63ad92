//! Patched TIMELY and PI at the host in packets, as "ECN or Delay" (CoNEXT'16) has them.
use std::path::Path;
use timely_sim::cores;
use timely_sim::metrics::summary::jain;
use timely_sim::scenario::build::{self, Outcome};
use timely_sim::scenario::file;

// Two flows over a switch at 10 Gb/s, of two profiles that differ in these fields; packets of 1,000
// bytes on the wire.
fn two(control: &str, ms: f64, segment_kb: u32, fields: [&str; 2]) -> Outcome {
    let profile = |name: &str, fields: &str| {
        format!(
            "[profile.{name}]\nlike = 'authors-10g'\ncontrol = '{control}'\nalpha = 0.875\nbeta = 0.008\nt_low_us = 50\nt_high_us = 500\n\
             min_rtt_us = 20\noutstanding_kb = 0\ntimeout_us = 0\n{fields}\n"
        )
    };
    let flow = |from: u32, name: &str| {
        format!("[[flow]]\nfrom = {from}\nto = 2\nprofile = '{name}'\npacket_bytes = 886\nsegment_bytes = {}\n", segment_kb * 886)
    };
    let text = format!(
        "duration_ms = {ms}\nsteady_from = 0.8\n[topology]\nhosts = 3\n[link]\ndelay_ns = 1000\n[switch]\nxoff_kb = 0\n[nic]\nkind = 'event'\n{}{}{}{}",
        profile("a", fields[0]),
        profile("b", fields[1]),
        flow(0, "a"),
        flow(1, "b")
    );
    let plan = file::parse(Path::new("test.toml"), &text).unwrap_or_else(|e| panic!("{e}"));
    build::run(plan, &*cores::factory(), |_| {}).unwrap_or_else(|e| panic!("{e}"))
}

fn shares(o: &Outcome) -> Vec<f64> {
    let w = o.recorder.windows;
    o.recorder.flows.iter().map(|f| f.wire_steady as f64 * 8e3 / (w.end - w.steady) as f64).collect()
}

/// Figure 12a: from 7 + 3 the rates become equal; the published queue is 72.1 to 73.1 KB, below the
/// fluid model's 78.1 by the path's own delay.
#[test]
fn patched_timely_becomes_fair() {
    let o = two("patched-conext", 200.0, 16, ["initial_mbps = 7000", "initial_mbps = 3000"]);
    let s = shares(&o);
    println!("{s:.3?} Gb/s, queue {:.2} KB, p99 {:.2}", o.summary.queue_kb.mean, o.summary.queue_kb.p99);
    assert!((s[0] / s[1] - 1.0).abs() < 0.02 && o.summary.utilization > 0.99);
    assert!((o.summary.queue_kb.mean - 72.6).abs() < 4.0, "{}", o.summary.queue_kb.mean);
}

/// Figure 19: PI at the host holds the queue at 343.75 KB, and the shares follow what the
/// controllers started with.
#[test]
fn pi_at_the_host_holds_the_queue_and_keeps_the_split() {
    let start = |p: f64, mbps: f64| format!("initial_mbps = {mbps}\npi_host = {{ start = {p} }}");
    let run = |a: (f64, f64), b: (f64, f64)| two("pi-conext", 3000.0, 64, [&start(a.0, a.1), &start(b.0, b.1)]);
    let unequal = run((0.002, 3330.0), (0.009, 6670.0));
    let (s, q) = (shares(&unequal), unequal.summary.queue_kb.mean);
    println!("p(0) = .002, .009: {s:.3?} Gb/s, Jain {:.3}, queue {q:.1} KB", jain(&s));
    assert!(jain(&s) <= 0.8 && (q / 343.75 - 1.0).abs() < 0.03);
    let equal = run((0.002, 3330.0), (0.002, 6670.0));
    let (s, q) = (shares(&equal), equal.summary.queue_kb.mean);
    println!("p(0) equal: {s:.3?} Gb/s, Jain {:.3}, queue {q:.1} KB", jain(&s));
    assert!(jain(&s) >= 0.95 && (q / 343.75 - 1.0).abs() < 0.03);
}

/// The controller's table is refused where no controller hears it.
#[test]
fn a_table_without_its_control_is_refused() {
    let text =
        "[topology]\nhosts = 2\n[nic]\nkind = 'event'\n[profile.a]\npi_host = { start = 0.1 }\n[[flow]]\nfrom = 0\nto = 1\nprofile = 'a'\n";
    let why = file::parse(Path::new("test.toml"), text).expect_err("refused").to_string();
    assert!(why.contains("profile.a.pi_host is there; allowed: it with control = \"pi-conext\" alone"), "{why}");
}
