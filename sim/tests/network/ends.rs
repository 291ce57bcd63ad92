//! How runs end, and what their figures are of: the time in which traffic ran, each payload byte
//! once, whatever kind the NICs are of.
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use timely_sim::cores;
use timely_sim::scenario::build::{Outcome, run};
use timely_sim::scenario::file::{self, Hpcc, Overrides};
use timely_sim::scenario::{NicKind, Plan};
use timely_sim::time::{MS, Ps, US};

fn scratch(name: &str) -> PathBuf {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("ends-{name}"));
    std::fs::create_dir_all(&dir).expect("a folder");
    dir
}

/// HPCC's files of two hosts at a switch, with these flows; `limit_ms` as the option.
fn hpcc(name: &str, flows: &str, kind: NicKind, packet_bytes: u32, limit_ms: Option<f64>) -> Plan {
    let dir = scratch(name);
    let [topology, file] = ["topology.txt", "flow.txt"].map(|f| dir.join(f));
    std::fs::write(&topology, "3 1 2\n2\n0 2 10Gbps 1us 0\n1 2 10Gbps 1us 0\n").expect("written");
    std::fs::write(&file, flows).expect("written");
    let (profile, segment_bytes, xoff_kb) = ("timely-10g", 2048, 100.0);
    let told = Hpcc {
        topology: &topology,
        flows: &file,
        profile: Some(profile),
        packet_bytes,
        segment_bytes,
        xoff_kb,
        mark_kb: None,
        mark_most_kb: None,
        mark_chance: None,
        limit_ms,
    };
    file::hpcc(&told, &Overrides { nics: Some(kind), ..Overrides::default() }).unwrap_or_else(|e| panic!("{e}"))
}

/// A run's outcome, and the simulated time that it took.
fn ran(plan: Plan) -> (Outcome, Ps) {
    let last = Arc::new(Mutex::new(0));
    let seen = last.clone();
    let outcome = run(plan, &*cores::factory(), move |now| *seen.lock().expect("no thread panicked") = now);
    let end = *last.lock().expect("no thread panicked");
    (outcome.unwrap_or_else(|e| panic!("{e}")), end)
}

fn toml(text: &str, kind: NicKind) -> Outcome {
    let overrides = Overrides { nics: Some(kind), ..Overrides::default() };
    ran(file::parse_with(Path::new("x.toml"), text, &overrides).unwrap_or_else(|e| panic!("{e}"))).0
}

const KINDS: [NicKind; 5] = [NicKind::Model, NicKind::Paced, NicKind::Software, NicKind::Event, NicKind::Posted];

/// A million milliseconds are allowed, and a hundred microseconds needed.
#[test]
fn a_run_ends_when_all_flows_have() {
    for kind in KINDS {
        let (o, end) = ran(hpcc("small", "1\n0 1 3 100 100000 0\n", kind, 1024, Some(1e6)));
        // The rest of the hardware's last packet is no payload.
        assert_eq!(o.recorder.flows[0].payload, 100_000, "{kind}");
        let done = o.recorder.flows[0].completion.expect("complete");
        assert_eq!(o.recorder.windows.end, done, "{kind}");
        if matches!(kind, NicKind::Event | NicKind::Posted) {
            // NICs of these kinds have no windows of time to go through when nothing happens.
            continue;
        }
        assert!(done < MS && end < done + 200 * US, "{kind}: to {end} ps, complete at {done}");
    }
}

/// The same flow at time 0 and after two seconds: the same figures, and the default limit counts
/// from the last start.
#[test]
fn figures_begin_with_the_first_flow() {
    for kind in [NicKind::Paced, NicKind::Software, NicKind::Event] {
        let at = |start: &str, limit| {
            let plan = hpcc(&format!("start-{kind}-{start}"), &format!("1\n0 1 3 100 10000000 {start}\n"), kind, 1024, limit);
            ran(plan).0.summary
        };
        let (first, late) = (at("0", None), at("2", None));
        assert_eq!((first.utilization, first.goodput_gbps), (late.utilization, late.goodput_gbps), "{kind}");
        assert!(first.goodput_gbps > 7.0 && first.utilization <= 1.0, "{kind}: {first:?}");
        assert_eq!(at("2", Some(3000.0)), late, "{kind}");
    }
    // Some 100 us of traffic, two seconds in.
    let flows: String = (0..50).map(|i| format!("0 1 3 100 2000 {:.9}\n", 2.0 + f64::from(i) * 2e-6)).collect();
    let (o, _) = ran(hpcc("like_gen", &format!("50\n{flows}"), NicKind::Event, 1024, None));
    assert!(o.summary.utilization > 0.5 && o.summary.utilization <= 1.0, "{:?}", o.summary);
}

/// A scenario's own steady part is kept.
#[test]
fn a_scenarios_steady_part_is_kept() {
    let text = "duration_ms = 4\nsteady_from = 0.25\n[topology]\nhosts = 3\n[[flow]]\nfrom = 0\nto = 2\nbytes = 4000000\nstart_us = 500\n";
    let o = toml(text, NicKind::Event);
    assert_eq!(o.recorder.windows.steady, MS);
}

const DUPLICATES: &str = "duration_ms = 100\n[topology]\nhosts = 11\n[switch]\nxoff_kb = 0\n[profile.p]\nlike = \"fixed\"\ntimeout_us = 300\n\
                          [[flow]]\nfrom = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]\nto = 10\nbytes = 100000\nprofile = \"p\"\n";

/// A time-out shorter than the queue, and longer than the time between two answers of a flow, from
/// which it counts: nothing is sent twice, and the line is full.
#[test]
fn slow_answers_are_no_time_outs() {
    for kind in [NicKind::Paced, NicKind::Software, NicKind::Event, NicKind::Posted] {
        let o = toml(DUPLICATES, kind);
        let s = &o.summary;
        println!("{kind}: {} Gb/s, RTT {:?} us, {} time-outs", s.goodput_gbps, s.rtt_us, s.timeouts);
        assert!(s.rtt_us.p99 > 300.0 && s.timeouts == 0 && s.goodput_gbps > 8.8, "{kind}: {s:?}");
        assert!(o.recorder.flows.iter().all(|f| f.packets == 98 && f.completion.is_some()), "{kind}: {s:?}");
    }
}

/// A time-out shorter than the time to the first answer: what arrives twice is counted once, a
/// time-out in a row is twice as long, and all flows end.
#[test]
fn each_byte_is_counted_once() {
    for kind in [NicKind::Paced, NicKind::Software, NicKind::Event, NicKind::Posted] {
        let o = toml(&DUPLICATES.replace("timeout_us = 300", "timeout_us = 20"), kind);
        let s = &o.summary;
        assert!(s.timeouts > 0 && s.utilization <= 1.0 && s.utilization > 0.5, "{kind}: {s:?}");
        assert!(o.recorder.flows.iter().all(|f| f.payload == 100_000 && f.completion.is_some()), "{kind}: {s:?}");
        let seconds = (o.recorder.windows.end - o.recorder.windows.steady) as f64 * 1e-12;
        assert!((s.goodput_gbps * seconds / 8e-3 - 1.0).abs() < 1e-9, "{kind}: {} Gb/s for {seconds} s", s.goodput_gbps);
        // A megabyte takes .9 ms; time-outs in a row double.
        assert!(o.recorder.windows.end < 20 * MS, "{kind}: {} ps", o.recorder.windows.end);
    }
}

/// A threshold that falls takes XON along: nothing is lost in a network that is to lose nothing.
#[test]
fn dynamic_thresholds_lose_nothing() {
    for dynamic in [0.0625, 0.125, 0.25, 0.5] {
        let text = format!(
            "duration_ms = 2\n[topology]\nhosts = 5\n[switch]\nxoff_kb = 100\nbuffer_kb = 300\ndynamic = {dynamic}\n[profile.line]\n\
             like = \"fixed\"\ncontrol = \"none\"\ntimeout_us = 0\n[[flow]]\nfrom = [0, 1, 2, 3]\nto = 4\nprofile = \"line\"\n"
        );
        let s = toml(&text, NicKind::Event).summary;
        assert!(s.dropped == 0 && s.pauses > 0 && s.utilization > 0.98, "{dynamic}: {s:?}");
    }
}

/// Queues beyond what the bins held at first: the percentile is above the mean of a queue that
/// grows.
#[test]
fn long_queues_are_not_cut() {
    let text = "duration_ms = 4\nsteady_from = 0.5\n[topology]\nhosts = 11\n[switch]\nxoff_kb = 0\n[profile.line]\nlike = \"fixed\"\n\
                control = \"none\"\ntimeout_us = 0\n[[flow]]\nfrom = [0,1,2,3,4,5,6,7,8,9]\nto = 10\nprofile = \"line\"\n";
    let s = toml(text, NicKind::Event).summary;
    assert!(s.queue_kb.p99 > s.queue_kb.mean && s.queue_kb.mean > 30_000.0 && s.queue_kb.p99 <= s.queue_max_kb, "{s:?}");
}

/// Segments are of whole packets on every kind of NIC, as the hardware cuts them: 2,048 bytes in
/// packets of 1,000 are three.
#[test]
fn segments_are_of_whole_packets() {
    let fct = |kind| {
        let (o, _) = ran(hpcc("segments", "1\n0 1 3 100 10000000 0\n", kind, 1000, None));
        assert_eq!(o.plan.flows[0].segment, 3000);
        o.recorder.flows[0].completion.expect("complete") as f64
    };
    let model = fct(NicKind::Model);
    for kind in [NicKind::Paced, NicKind::Event] {
        assert!((fct(kind) / model - 1.0).abs() < 0.05, "{kind}: {} for {model}", fct(kind));
    }
}
