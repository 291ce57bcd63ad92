use super::keys::Key;
use super::state::{COLUMNS, Column, Top};
use super::view;
use std::collections::BTreeMap;
use timely_driver::report::{DeviceReport, FlowReport, FlowTelemetry, Percentiles, Telemetry};
use timely_driver::spec::FlowSpec;

fn device(time_ns: u64) -> DeviceReport {
    DeviceReport {
        device: "vfio-user:/tmp/nic".into(),
        transport: "vfio-user".into(),
        board: "standalone".into(),
        bar: 0,
        offset: 0,
        register_bytes: 1 << 24,
        core_version: "0.1.0".into(),
        flows: 1024,
        flows_in_use: 3,
        bus_bits: 64,
        segments: 16,
        clock_ps: 4000,
        ready: true,
        enabled: true,
        stopped: false,
        time_ns,
        mac: String::new(),
        ipv4: String::new(),
        ipv6: String::new(),
        udp_port: timely_regs::wire::DEFAULT_PORT,
        heartbeat_us: 0.0,
        heartbeat_lost: false,
        heartbeat_unfed: false,
        dma_running: false,
        unsaved: false,
        recorded: Default::default(),
        counters: BTreeMap::from([("tx_frames".into(), 5000), ("rx_frames".into(), 4000), ("rx_bad".into(), 2)]),
    }
}

/// Flow `flow` after `looks` looks of a millisecond each: it sends `flow + 1` Gb/s.
fn flow(flow: u32, looks: u32) -> FlowTelemetry {
    FlowTelemetry {
        flow,
        rate_mbps: 1000.0 * f64::from(flow + 1),
        rtt_min_ns: (flow != 5).then_some(10_000),
        rtt_smoothed_ns: (flow != 5).then_some(12_000.0 + 500.0 * f64::from(looks % 4) - f64::from(flow)),
        wire_bytes: u64::from(125_000 * (flow + 1) * looks),
        updates: 100 * looks,
        gradient_increase: 75 * looks,
        above_thigh: 25 * looks,
        timeouts: if flow == 5 { 9 } else { 0 },
        last_branch: if flow == 5 { "other" } else { "gradient_increase" }.into(),
        ..FlowTelemetry::default()
    }
}

fn looked(looks: u32) -> Top {
    let mut top = Top::new(Column::Sent, "");
    for i in 1..=looks {
        let profile = Percentiles {
            profile: 0,
            samples: 1000,
            mean_ns: Some(12_345.0),
            p50_ns: Some(12_000),
            p90_ns: Some(13_000),
            p99_ns: Some(14_000),
            p999_ns: None,
        };
        let telemetry =
            Telemetry { time_ns: 1_000_000 * u64::from(i), flows: [0, 5, 7].map(|f| flow(f, i)).into(), profiles: vec![profile] };
        if top.wants_destinations(&telemetry) {
            let spec = |f: u32| (f != 7).then(|| FlowSpec::to(format!("11.0.{f}.1").parse().expect("an address"), "02:00:00:00:00:01"));
            top.set_destinations(&[0, 5, 7].map(|f| FlowReport { flow: f, spec: spec(f), note: None }));
        }
        assert!(!top.wants_destinations(&telemetry), "asked for once");
        top.look(device(telemetry.time_ns), telemetry);
    }
    top
}

fn screen(top: &Top, width: usize, height: usize) -> String {
    let grid = view::draw(top, width, height);
    assert_eq!((grid.width(), grid.text().lines().count()), (width, height));
    grid.text()
}

const SCREEN: &str = "\
flows may send  NIC time 6ms, core 0.1.0, 1024 flows, vfio-user:/tmp/nic
3 flows in use, 300.0k updates/s, 9 time-outs; frames: 5000 out, 4000 in, 2 damaged
─ sent, all flows: 15Gbps, at most 15Gbps ────────────  ─ smoothed RTT, mean: 13us, at most 13.5us ───────────
                                                 █████                                                  ▅▇█▄▅▇
                                                 █████                                                  ██████
                                                 █████                                                  ██████
                                                 █████                                                  ██████
                                                 █████                                                  ██████
 flow to                   rate     sent▼      RTT    least  gradient branch          t/o  upd/s RTT so far
    7 ?                   8Gbps     8Gbps  12.99us     10us    +0.050 gradient up       0 100.0k        ▃▆█▁▃▆
    5 11.0.5.1            6Gbps     6Gbps        -        -         - other             9 100.0k
    0 11.0.0.1            1Gbps     1Gbps     13us     10us    +0.050 gradient up       0 100.0k        ▃▆█▁▃▆



profile  0: 1000 round trips, mean ~12.4us, p50 ~12us, p90 ~13us, p99 ~14us, p99.9 -
updates since the last look: above Thigh 25%  gradient up 75%
q ends   s S sort by another column   r turns the order   / filters   ↑ ↓ scroll   space pauses
";

#[test]
fn a_screen_is_as_it_was() {
    let screen = screen(&looked(6), 110, 18);
    assert_eq!(screen, SCREEN, "the screen has become:\n{screen}");
}

/// Every size draws something, whatever is on it.
#[test]
fn no_terminal_is_too_small() {
    for looks in [0, 1, 40] {
        let mut top = looked(looks);
        for (width, height) in [(1, 1), (20, 5), (80, 24), (109, 11), (300, 100)] {
            screen(&top, width, height);
        }
        (top.typing, top.above) = (true, 1000);
        screen(&top, 80, 24);
    }
}

fn order(top: &Top) -> Vec<u32> {
    top.shown().iter().map(|r| r.flow).collect()
}

#[test]
fn flows_are_sorted_by_any_column_and_filtered() {
    let mut top = looked(3);
    assert_eq!(order(&top), [7, 5, 0], "by what they sent, the most first");
    top.key(Key::Char('r'), 10);
    assert_eq!(order(&top), [0, 5, 7]);
    for _ in COLUMNS {
        top.key(Key::Right, 10);
        assert_eq!(order(&top).len(), 3);
    }
    assert_eq!(top.column, Some(Column::Sent), "all the way round");
    top.key(Key::Left, 10);
    assert_eq!(top.column, Some(Column::Rate));
    // A flow without an RTT comes last.
    let mut by_rtt = top.clone();
    (by_rtt.column, by_rtt.descending) = (Some(Column::Rtt), true);
    assert_eq!(order(&by_rtt), [0, 7, 5]);
    for key in [Key::Char('/'), Key::Char('q'), Key::Back, Key::Char('U'), Key::Char('p'), Key::Enter] {
        assert!(!by_rtt.key(key, 10), "letters of a filter are no commands");
    }
    assert_eq!(order(&by_rtt), [0, 7], "`gradient up` has it");
    assert!(!by_rtt.key(Key::Escape, 10) && order(&by_rtt).len() == 3 && by_rtt.key(Key::Escape, 10));
    assert!(top.key(Key::Char('q'), 10) && top.key(Key::Interrupt, 10));
}

#[test]
fn there_is_always_a_flow_on_the_screen() {
    let mut top = looked(2);
    for (key, above) in [(Key::Down, 1), (Key::PageDown, 1), (Key::End, 1), (Key::Up, 0), (Key::Up, 0), (Key::End, 1), (Key::Home, 0)] {
        top.key(key, 2);
        assert_eq!(top.above, above, "{key:?}");
    }
}

/// Rates and gradient are those between two looks; a counter that went back is another flow's.
#[test]
fn what_is_shown_follows_from_two_looks() {
    let first = looked(1);
    assert!(first.rows.iter().all(|r| r.sent.is_none() && r.gradient.is_none()) && first.sent.is_empty());
    let mut top = looked(2);
    let row = top.rows[2].clone();
    assert_eq!((row.flow, row.sent, row.updates), (7, Some(8000.0), Some(100_000.0)));
    assert_eq!((row.gradient, row.history.len()), (Some(0.05), 2), "500 ns of 10 us");
    assert_eq!((top.branches, top.sent.front()), ([0, 75, 225, 0, 0], Some(&15_000.0)));
    let again = Telemetry { time_ns: 3_000_000, flows: vec![flow(7, 1)], profiles: Vec::new() };
    top.look(device(3_000_000), again);
    assert_eq!((top.rows[0].sent, top.rows[0].history.len()), (None, 1));
}
