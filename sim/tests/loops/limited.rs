//! TIMELY's section 5 in the simulator: the rate of a flow that does not use it grows no further,
//! on every kind of NIC that has the rule; the others refuse it.
use std::path::Path;
use timely_sim::cores;
use timely_sim::scenario::{build, file};

/// A flow whose every ACK asks for more: a message of a packet each ten gaps of its first rate, 1
/// Gb/s. Its greatest rate, Mb/s.
fn greatest_mbps((kind, form): (&str, &str), window_us: u32, every_us: f64, control: &str) -> Result<f64, String> {
    let text = format!(
        "name = 'limited'\nduration_ms = 20\nseed = 1\n[topology]\nhosts = 2\n[link]\nrate_gbps = 10\n[nic]\nkind = '{kind}'\n{form}\n\
         [profile.p]\nlike = 'timely-10g'\nt_low_us = 100\nt_high_us = 1000\ninitial_mbps = 1000\nadditive_step_mbps = 4\noutstanding_kb = 0\n\
         use_window_us = {window_us}\n{control}\n\
         [[flow]]\nfrom = 0\nto = 1\nprofile = 'p'\npacket_bytes = 1442\nsegment_bytes = 1442\nbytes = 1442\nmessages = 150\nevery_us = {every_us}\n"
    );
    let plan = file::parse(Path::new("limited.toml"), &text).map_err(|e| e.to_string())?;
    plan.check().map_err(|e| e.to_string())?;
    let outcome = build::run(plan, cores::factory().as_ref(), |_| {}).map_err(|e| e.to_string())?;
    assert!(outcome.recorder.rtts.len() > 100, "{kind}: {} round trips", outcome.recorder.rtts.len());
    Ok(outcome.recorder.rates.iter().map(|r| r.sample.mbps).fold(0.0, f64::max))
}

#[test]
fn a_flow_that_does_not_use_its_rate_does_not_raise_it() {
    for nic in [("model", ""), ("event", ""), ("posted", ""), ("model", "form = 'inline'\nbus_bits = 512")] {
        let kind = format!("{} {}", nic.0, nic.1.lines().next().unwrap_or_default());
        let free = greatest_mbps(nic, 0, 124.5, "").expect("a run");
        let held = greatest_mbps(nic, 20, 124.5, "").expect("a run");
        // Above 80 %: nothing holds it.
        let used = greatest_mbps(nic, 20, 13.5, "").expect("a run");
        println!("{kind}: {free:.0} Mb/s without the rule, {held:.0} with it, {used:.0} at 92 % of its use");
        assert!(free > 1100.0, "{kind}: {free} Mb/s");
        // The flow's first packets, before which it had no rate to use, may raise it.
        assert!(held <= 1008.0, "{kind}: {held} Mb/s");
        assert!(used > 1050.0, "{kind}: {used} Mb/s");
    }
}

#[test]
fn nics_without_the_rule_refuse_it() {
    for (kind, control) in [("paced", ""), ("software", ""), ("event", "control = 'dctcp'")] {
        let told = greatest_mbps((kind, ""), 20, 124.5, control).expect_err("it has no such rule");
        assert!(told.contains("use_window_us is 20") && told.contains("use event, posted, rtl or model"), "{kind}: {told}");
    }
}
