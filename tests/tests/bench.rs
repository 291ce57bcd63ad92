//! The bench in its quick form: that it runs, and gives the figures that it is known by.
use std::collections::HashSet;
use std::path::Path;
use timely_tests::measure::{DRIVER, all, json, page, table};

const KEYS: [&str; 29] = [
    "pacer.grants_per_clock",
    "pacer.grants_per_clock.equal",
    "pacer.grants_per_clock.log_uniform",
    "pacer.grants_per_clock.one_50g",
    "pacer.grants_per_clock.one_slot",
    "pacer.lone_flow_error_clocks",
    "pacer.long_run_ppm",
    "pacer.rate_step_ppm.1_mbps",
    "pacer.rate_step_ppm.1_gbps",
    "pacer.p99_excess_ns",
    "loop.ack_turnaround_ns",
    "loop.ack_to_gap_clocks",
    "loop.blind_flows",
    "rtt.error_clocks",
    "engine.updates_per_clock",
    "engine.same_flow_interval_clocks",
    "engine.one_step_error",
    "engine.one_step_error.timely",
    "engine.trajectory_error",
    "engine.trajectory_error.timely",
    "telemetry.snapshot_ms",
    "telemetry.snapshot_delayed_packets",
    "synth.ecp5_fmax_mhz",
    "synth.ecp5_fmax_mhz.core_64_10",
    "synth.xcup.engine_lut",
    "synth.xcup.engine_dsp",
    "synth.xcup.pacer_lut",
    "synth.xcup.core_percent",
    "mutate.killed",
];

/// Of the driver, which is measured only when it is named.
const DRIVER_KEYS: [&str; 14] = [
    "driver.register_read_us",
    "driver.load_64k_s",
    "driver.load_64k_reads",
    "driver.snapshot_64k_s",
    "driver.snapshot_64k_reads",
    "driver.events_per_s.direct",
    "driver.event_reads.direct",
    "driver.events_lost.direct",
    "driver.events_unnoticed.direct",
    "driver.events_per_s.daemon",
    "driver.event_reads.daemon",
    "driver.events_lost.daemon",
    "driver.events_unnoticed.daemon",
    "driver.records_whole",
];

/// However fast this machine is: what the ring lost was noticed.
#[test]
fn the_driver_is_measured_when_it_is_named() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let figures = all(true, Some(DRIVER), &root, "").expect("a bench that runs");
    assert_eq!(figures.iter().map(|f| f.key.as_str()).collect::<Vec<_>>(), DRIVER_KEYS);
    for f in figures.iter().filter(|f| f.key.starts_with("driver.events_unnoticed")) {
        assert!(!f.is_missed(), "{f:?}");
    }
}

#[test]
fn the_keys_are_stable() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let figures = all(true, None, &root, "figure engine.one_step_error.timely 3e-8\n").expect("a bench that runs");
    let keys: HashSet<&str> = figures.iter().map(|f| f.key.as_str()).collect();
    assert_eq!(keys.len(), figures.len(), "a key twice");
    for key in KEYS {
        assert!(keys.contains(key), "no {key} among {keys:?}");
    }
    for f in &figures {
        assert!(f.value.is_none_or(f64::is_finite) && !f.note.is_empty(), "{f:?}");
    }
    let parsed: serde_json::Map<String, serde_json::Value> = serde_json::from_str(&json(&figures)).expect("JSON");
    assert_eq!(parsed["engine.one_step_error.timely"], 3e-8);
    assert!(parsed["telemetry.snapshot_ms"].is_null() || parsed["telemetry.snapshot_ms"].is_number());
    let (table, page) = (table(&figures), page(&figures));
    assert!(figures.iter().all(|f| table.contains(&f.key) && page.contains(&f.key)));
}
