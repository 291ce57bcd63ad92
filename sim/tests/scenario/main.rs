//! Scenarios end to end on event-level hosts: the figures that the design expects, files and their
//! errors.
mod refused;

use std::path::{Path, PathBuf};
use timely_sim::cores::{CoreFactory, CoreSpec, Cores, Prepared};
use timely_sim::demo;
use timely_sim::metrics::summary::jain;
use timely_sim::report::table::{self, cells};
use timely_sim::report::{Arm, Json, page};
use timely_sim::scenario::build::{self, Outcome};
use timely_sim::scenario::file::Overrides;
use timely_sim::scenario::{NicKind, Plan, file, hpcc};

/// A factory that has none.
struct Unavailable;

impl CoreFactory for Unavailable {
    fn build(&self, spec: &CoreSpec) -> Result<Prepared, String> {
        Err(format!("this build has no {} core", spec.kind))
    }
}

fn plan(text: &str) -> Plan {
    file::parse(Path::new("test.toml"), text).unwrap()
}

fn run(text: &str) -> Outcome {
    build::run(plan(text), &Unavailable, |_| {}).unwrap()
}

fn incast(replace: &[(&str, &str)], tail: &str) -> Outcome {
    let mut text = include_str!("../../scenarios/incast.toml").to_owned();
    for (from, to) in replace {
        assert!(text.contains(from), "{from}");
        text = text.replace(from, to);
    }
    run(&(text + tail))
}

fn near(what: &str, value: f64, expected: f64, tolerance: f64) {
    println!("{what}: {value:.3}, expected {expected}");
    assert!((value / expected - 1.0).abs() <= tolerance, "{what}: {value} for {expected}");
}

/// A message that is too long for the run, and no endless flow, say nothing of completion times and
/// of fairness.
#[test]
fn figures_of_nothing_are_unknown() {
    for kind in ["event", "paced"] {
        let text =
            format!("duration_ms = 1\n[topology]\nhosts = 3\n[nic]\nkind = '{kind}'\n[[flow]]\nfrom = 0\nto = 1\nbytes = 100000000\n");
        let o = run(&text);
        let json = serde_json::to_value(&o.summary).expect("JSON");
        let completed: serde_json::Value = (kind == "event").then_some(0).into();
        let unknown = serde_json::json!({"mean": null, "p50": null, "p99": null});
        assert_eq!((&json["completed"], &json["completion_us"], &json["jain"]), (&completed, &unknown, &serde_json::Value::Null), "{json}");
        assert_eq!(cells(&o)[7], "-", "{kind}");
    }
    assert!(jain(&[]).is_nan() && jain(&[0.0, 0.0]).is_nan() && jain(&[2.0, 2.0]) == 1.0);
}

// The figures of the design's packet simulator, an independent program; its overhead a packet is 24
// bytes less.
#[test]
fn hardware_incasts_give_the_expected_figures() {
    let timely = incast(&[], "").summary;
    near("timely-10g utilization", timely.utilization, 0.987, 0.01);
    near("timely-10g mean RTT", timely.rtt_us.mean, 14.0, 0.1);
    near("timely-10g p99 RTT", timely.rtt_us.p99, 25.0, 0.1);
    assert!(timely.jain > 0.998 && timely.pauses == 0 && timely.timeouts == 0);
    let authors = incast(&[("timely-10g", "authors-10g")], "").summary;
    near("authors-10g mean RTT", authors.rtt_us.mean, 73.0, 0.1);
    near("authors-10g p99 RTT", authors.rtt_us.p99, 120.0, 0.1);
    near("authors-10g mean queue", authors.queue_kb.mean, 83.0, 0.1);
    assert!(authors.utilization > 0.999);
}

#[test]
fn without_control_the_rtt_is_what_pfc_lets_in() {
    // Bytes on the way when a sender is paused come on top of base + 10 XOFF / 10 Gb/s.
    for (xoff, expected) in [(50.0, 433.0), (100.0, 834.0), (260.0, 2116.0)] {
        let o = incast(
            &[("timely-10g", "free"), ("xoff_kb = 100", &format!("xoff_kb = {xoff}"))],
            "[profile.free]\nlike = 'fixed'\noutstanding_kb = 0\ntimeout_us = 0\n",
        );
        near(&format!("p99 at XOFF {xoff} KB"), o.summary.rtt_us.p99, expected, 0.04);
        assert!(o.summary.rtt_us.p99 > o.base_rtt_us + 10.0 * (xoff - 4.0) * 0.8);
        assert!(o.summary.pauses > 1000 && o.summary.dropped == 0 && o.summary.utilization > 0.999);
    }
}

#[test]
fn software_bursts_give_the_expected_figures() {
    let software = |tlow: f64, alpha: f64| {
        let changes =
            [("timely-10g", "s"), ("\"paced\"", "\"software\""), ("= 2048", "= 65536"), ("duration_ms = 40", "duration_ms = 600")];
        let tail = format!("[profile.s]\nalpha = {alpha}\nt_low_us = {tlow}\nt_high_us = 500\noutstanding_kb = 72\n");
        incast(&changes, &tail).summary
    };
    let best = software(200.0, 0.02);
    near("Tlow 200 utilization", best.utilization, 0.98, 0.02);
    near("Tlow 200 p99 RTT", best.rtt_us.p99, 260.0, 0.1);
    let low = software(50.0, 0.02);
    near("Tlow 50 utilization", low.utilization, 0.57, 0.15);
    let same = software(20.0, 0.2);
    assert!((0.05..0.2).contains(&same.utilization), "{}", same.utilization);
}

/// Congestion on the way back, of which the RTT makes congestion and one-way delay variation
/// nothing.
#[test]
fn one_way_delay_leaves_the_way_back_out() {
    let text = include_str!("../../scenarios/reverse.toml");
    let run = |text: &str| build::run(plan(text), &Cores::new("none".into()), |_| {}).unwrap().summary;
    let rtt = text.replace("\"one_way\"", "\"rtt\"");
    let (one_way, rtt, free) = (run(text), run(&rtt), run(&text.replace("initial_mbps = 6000", "initial_mbps = 10")));
    for (name, s) in [("one-way, nothing on the way back", &free), ("one-way", &one_way), ("RTT", &rtt)] {
        println!("{name}: {:.3} of the bottleneck, RTT {:.1} us, queue {:.1} KB", s.utilization, s.rtt_us.mean, s.queue_kb.mean);
    }
    assert!(free.utilization > 0.97 && free.rtt_us.mean < 15.0, "{free:?}");
    assert!(one_way.utilization > 0.85 && one_way.rtt_us.mean > 50.0 && one_way.queue_kb.p99 < 40.0, "{one_way:?}");
    assert!(rtt.utilization < 0.4, "{rtt:?}");
    assert_eq!((one_way.rtt_error_clocks_max.is_some(), one_way.dropped), (true, 0), "the flows behind are measured, the others are not");
}

#[test]
fn a_run_repeats_and_a_lossy_one_recovers() {
    let lossy = || {
        let o =
            incast(&[("delay_ns = 1600", "delay_ns = 1600\nloss = 0.002\ndamage = 0.001"), ("duration_ms = 40", "duration_ms = 30")], "");
        (o.summary.clone(), o.recorder.flows.iter().map(|f| f.payload).collect::<Vec<_>>())
    };
    let (summary, payload) = lossy();
    println!("{summary:?}");
    assert!(summary.lost > 100 && summary.utilization > 0.7, "{summary:?}");
    assert_eq!(lossy(), (summary, payload));
}

/// Values of the command line in place of a file's are known before its traffic is drawn and its
/// defaults are taken.
#[test]
fn overrides_reach_drawn_traffic_and_defaults() {
    const MS: u64 = 1_000_000_000;
    let text = "duration_ms = 4\n[topology]\nhosts = 6\n[[load]]\nbytes = 20000\nload = 0.3\n[[load]]\nload = 0.1\nuntil_us = 3000\n\
                [[incast]]\nto = 5\nsenders = 2\nbytes = 1000\ntimes = 3\n";
    let read = |o: Overrides| file::parse_with(Path::new("x.toml"), text, &o).unwrap();
    let drawn = |p: &Plan| p.flows.iter().map(|f| (f.start, f.src, f.dst)).collect::<Vec<_>>();
    let seed = |seed| read(Overrides { seed: Some(seed), ..Overrides::default() });
    assert_eq!(drawn(&seed(2)), drawn(&plan(&format!("seed = 2\n{text}"))));
    assert_ne!(drawn(&seed(2)), drawn(&seed(1)));
    assert_eq!(drawn(&seed(1)), drawn(&read(Overrides::default())));

    let lasting = |ms| read(Overrides { duration_ms: Some(ms), ..Overrides::default() });
    let last = |p: &Plan| p.flows.iter().map(|f| f.start).max().unwrap();
    assert!(last(&lasting(8.0)) > 7 * MS && lasting(8.0).duration == 8 * MS);
    // A load with an end of its own has none after the run's.
    let short =
        file::parse_with(Path::new("x.toml"), text.split("[[incast]]").next().unwrap(), &Overrides { part: 0.25, ..Overrides::default() });
    assert!(last(short.as_ref().unwrap()) < MS && short.unwrap().duration == MS);
    assert_eq!(lasting(0.5).duration, MS / 2);
    for wrong in [-5.0, 0.0, f64::NAN, f64::INFINITY, 1e7] {
        let o = Overrides { duration_ms: Some(wrong), ..Overrides::default() };
        let error = file::parse_with(Path::new("x.toml"), text, &o).map(|_| ()).unwrap_err().to_string();
        assert_eq!(error, format!("x.toml, changed: duration_ms is {wrong}; allowed: 0.001 to 1000000"));
    }

    let on = |kind| read(Overrides { nics: Some(kind), ..Overrides::default() }).nic.ack_delay;
    assert_eq!((on(NicKind::Event), on(NicKind::Posted), on(NicKind::Paced)), (timely_sim::scenario::EVENT_ACK_DELAY, 150_000, 150_000));
}

// The manual's file has every field, and the defaults that it names are the defaults.
/// In a fat tree of pods of nine hosts the longest paths leave the pod, and each host outside is as
/// far as any other.
#[test]
fn the_farthest_hosts_are_those_of_other_pods() {
    let text = |farthest| {
        format!(
            "duration_ms = 2\n[topology]\nfat_tree = {{ k = 6 }}\n[nic]\nkind = 'event'\n\
             [[load]]\nbytes = 1000\nload = 0.05\nfarthest = {farthest}\nprofile = 'timely-10g'\n"
        )
    };
    let pairs = |farthest| plan(&text(farthest)).flows.iter().map(|f| (f.src, f.dst)).collect::<Vec<_>>();
    let far = pairs(true);
    assert!(far.iter().all(|(src, dst)| src / 9 != dst / 9), "a receiver of the sender's own pod");
    let reached: std::collections::BTreeSet<u16> = far.iter().filter(|p| p.0 == 0).map(|p| p.1).collect();
    assert!(reached.len() > 20, "host 0 reaches {reached:?} alone");
    assert!(pairs(false).iter().any(|(src, dst)| src / 9 == dst / 9));
}

/// A receiver that sends too is no receiver of its own, but the farthest of its neighbours.
#[test]
fn the_farthest_of_neighbours_is_a_neighbour() {
    let text = "[topology]\nhosts = 4\n[nic]\nkind = 'event'\n[[load]]\nload = 0.1\nto = 0\nfarthest = true\n";
    let pairs: std::collections::BTreeSet<_> = plan(text).flows.iter().map(|f| (f.src, f.dst)).collect();
    assert_eq!(pairs.into_iter().collect::<Vec<_>>(), [(1, 0), (2, 0), (3, 0)]);
}

#[test]
fn the_manual_is_right() {
    let manual = include_str!("../../../docs/simulator.md");
    let text = manual.split("```toml\n").nth(1).unwrap().split("```").next().unwrap();
    let dir = scratch("manual");
    std::fs::write(dir.join("flow.txt"), "0\n").unwrap();
    std::fs::write(dir.join("sleep.ns"), "1500 # late\n0\n").unwrap();
    let told = file::parse(&dir.join("example.toml"), text).unwrap();
    let bare = "base_rtt_us = 8\nsteady_from = 0.5\n[topology]\nhosts = 11\n[profile.mine]\n[[flow]]\nfrom = [0, 1, 2]\nto = 10\nprofile = 'mine'\nstagger_us = 500\nstop_us = 30000\n";
    let default = file::parse(&dir.join("example.toml"), bare).unwrap();
    let (mut a, mut b) = (told.clone(), default.clone());
    let speed = a.topology.host_link(0).speed;
    assert_eq!(a.parameters("mine", 8.0, speed).unwrap(), b.parameters("mine", 8.0, speed).unwrap());
    (a.profiles, b.profiles) = (vec![], vec![]);
    assert_eq!(a.files, ["sleep.ns", "flow.txt"].map(|f| dir.join(f)));
    a.files.clear();
    // The manual shows fields of all kinds of NIC and of all laws.
    assert_eq!(a.notes.len(), 2, "{:?}", a.notes);
    a.notes.clear();
    assert_eq!(*a.fabric.lateness, [1_500_000, 0]);
    // Headroom, marking, a trace and drawn noise are off by default; the manual shows one of each.
    (a.fabric.headroom, a.fabric.marking, a.fabric.lateness, a.fabric.noise) = (None, None, Default::default(), None);
    // Whether series are kept goes by the run's size.
    a.fabric.detail = None;
    assert_eq!(format!("{a:?}"), format!("{b:?}"));
}

fn scratch(name: &str) -> PathBuf {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&dir).unwrap();
    dir
}

#[test]
fn hpcc_files_are_the_same_scenario() {
    let dir = scratch("hpcc");
    let links: String = (0..4).map(|h| format!("{h} 4 10Gbps 0.0016ms 0\n")).collect();
    std::fs::write(dir.join("topology.txt"), format!("5 1 4\n4\n{links}")).unwrap();
    std::fs::write(dir.join("flow.txt"), "4\n0 3 3 100 300000 0.0000\n1 3 3 100 300000 0.0001\n2 3 3 100 5000 0.0002\n0 3 3 100 1 0.005\n")
        .unwrap();
    let own = "[[flow]]\nfrom = [0, 1]\nto = 3\nbytes = 300000\nstagger_us = 100\n[[flow]]\nfrom = 2\nto = 3\nbytes = 5000\nstart_us = 200\n\
               [[flow]]\nfrom = 0\nto = 3\nbytes = 1\nstart_us = 5000\n";
    let toml = format!("duration_ms = 20\n[link]\ndelay_ns = 1600\n[topology]\nhosts = 4\n{own}");
    let read = file::parse(&dir.join("x.toml"), "duration_ms = 20\nflows_file = 'flow.txt'\n[topology]\nfile = 'topology.txt'\n").unwrap();
    let (a, b) = (run(&toml), build::run(read, &Unavailable, |_| {}).unwrap());
    assert_eq!(a.summary, b.summary);
    let (text, unfinished) = hpcc::fct(&b.plan, &b.recorder);
    println!("{text}");
    assert_eq!(unfinished, 0);
    let rows: Vec<Vec<&str>> = text.lines().map(|l| l.split(' ').collect()).collect();
    assert_eq!(rows.len(), 4);
    assert!(rows.iter().all(|r| r.len() == 8 && r[1] == "0b000301" && r[3] == "100"));
    assert_eq!(rows.iter().map(|r| r[0]).filter(|ip| *ip == "0b000001").count(), 2);
    // The last flow is alone: one packet, so it takes what theory says; and its source port is the
    // second of its pair.
    assert_eq!((rows[3][2], rows[3][5], rows[3][6]), ("10001", "5000000", rows[3][7]));
    // The others share a link, so none beats being alone.
    assert!(rows.iter().all(|r| r[6].parse::<u64>().unwrap() >= r[7].parse::<u64>().unwrap()));

    std::fs::write(dir.join("bad.txt"), "1\n0 9 3 100 5 0\n").unwrap();
    let bad = file::parse(&dir.join("x.toml"), "flows_file = 'bad.txt'\n[topology]\nfile = 'topology.txt'\n").unwrap_err().to_string();
    assert!(bad.ends_with("bad.txt:2: flow dst is 9; allowed: a host of the topology, not the source"), "{bad}");
}

#[test]
fn a_lone_flow_takes_its_standalone_time() {
    for bytes in [1u64, 1024, 1025, 2048, 1_000_000] {
        let text = format!(
            "duration_ms = 5\n[topology]\nhosts = 2\n[[flow]]\nfrom = 0\nto = 1\nprofile = 'p'\nbytes = {bytes}\n\
             [profile.p]\nlike = 'fixed'\noutstanding_kb = 0\n"
        );
        let o = run(&text);
        let (alone, took) = (o.plan.standalone(&o.plan.flows[0]), o.recorder.flows[0].completion.unwrap());
        // Packets are eligible at whole picoseconds.
        assert!(took >= alone && took - alone <= 2_000, "{bytes} bytes: {took} for {alone}");
    }
}

#[test]
fn several_switches_route_and_pause_each_other() {
    // Two leaves with four hosts each, two spines.
    let mut text = String::from("duration_ms = 6\n[topology]\nnodes = 12\nswitches = [8, 9, 10, 11]\n");
    for h in 0..8 {
        text += &format!("[[topology.link]]\nfrom = {h}\nto = {}\n", 8 + h / 4);
    }
    for (leaf, spine) in [(8, 10), (8, 11), (9, 10), (9, 11)] {
        text += &format!("[[topology.link]]\nfrom = {leaf}\nto = {spine}\n");
    }
    let flows = "[[flow]]\nfrom = [0, 1, 2, 3]\nto = 4\nprofile = 'p'\nconnections = 4\n[profile.p]\nlike = 'fixed'\noutstanding_kb = 0\ntimeout_us = 0\n";
    let o = run(&(text + flows));
    println!("{:?}", o.summary);
    assert!(o.summary.utilization > 0.99 && o.summary.pauses > 100 && o.summary.dropped == 0);
}

/// A run whose flows have all ended ends with the last, however long it might have taken, on the
/// fabric as in a network with clocks.
#[test]
fn finite_runs_are_averaged_over_the_time_they_took() {
    let on = |kind: &str, ms: u32| {
        let text = format!(
            "duration_ms = {ms}\n[topology]\nhosts = 4\n[nic]\nkind = '{kind}'\nack_delay_ns = 150\n[[flow]]\nfrom = [0, 1]\nto = 3\n\
             bytes = 300000\nstagger_us = 100\n[[flow]]\nfrom = 2\nto = 3\nbytes = 5000\nmessages = 3\nevery_us = 100\n"
        );
        let o = run(&text);
        println!("{kind}, {ms} ms at most: {:?} to {} ps", o.summary, o.recorder.windows.end);
        o
    };
    let (paced, event) = (on("paced", 50).summary, on("event", 50));
    assert!(event.recorder.windows.end < 1_500_000_000);
    let parts = |s: &timely_sim::metrics::Summary| [s.utilization, s.goodput_gbps, s.queue_kb.mean, s.queue_kb.p99];
    for (a, b) in parts(&paced).into_iter().zip(parts(&event.summary)) {
        assert!((a / b - 1.0).abs() < 0.05, "{a} paced, {b} event");
    }
    assert_eq!(parts(&event.summary), parts(&on("event", 5).summary), "the limit is none of its business");
}

/// Each flow of software has the bound and the time-out of its own profile.
#[test]
fn software_keeps_to_each_flows_profile() {
    let text = "duration_ms = 4\n[topology]\nhosts = 3\n[link]\nloss = 0.02\n[nic]\nkind = 'software'\nslot_us = 0\n\
                [profile.free]\nlike = 'fixed'\ninitial_mbps = 4000\noutstanding_kb = 0\ntimeout_us = 0\n\
                [profile.held]\nlike = 'fixed'\ninitial_mbps = 4000\noutstanding_kb = 3\ntimeout_us = 100\n";
    let flow = |name: &str, to: u32| format!("[[flow]]\nfrom = 0\nto = {to}\nprofile = '{name}'\n");
    for [first, second] in [["free", "held"], ["held", "free"]] {
        let o = run(&format!("{text}{}{}", flow(first, 1), flow(second, 2)));
        let of = |name: &str| o.recorder.flows[usize::from(name == second)].payload;
        println!("{first} and {second}: {} and {} bytes, {} time-outs", of("free"), of("held"), o.summary.timeouts);
        assert!(of("held") < of("free") * 2 / 3 && of("held") > 0 && o.summary.timeouts > 0, "{first} first");
    }
}

/// Two hosts without a switch: what no port was watched for is not known, which is not 0.
#[test]
fn without_a_switch_the_queue_is_not_known() {
    let text = "duration_ms = 1\n[topology]\nnodes = 2\n[[topology.link]]\nfrom = 0\nto = 1\n[[flow]]\nfrom = 0\nto = 1\n";
    for kind in ["paced", "event"] {
        let s = run(&format!("{text}[nic]\nkind = '{kind}'\n")).summary;
        let json = serde_json::to_value(&s).unwrap();
        assert!(s.goodput_gbps > 1.0 && json["utilization"].is_null() && json["queue_kb"]["mean"].is_null(), "{kind}: {json}");
    }
}

#[test]
fn the_demo_reports_every_arm() {
    let options = demo::Options { quick: true, main: NicKind::Paced, others: NicKind::Rtl, seed: 1 };
    let arms: Vec<Arm> = demo::arms(options).unwrap().into_iter().map(|a| a.run(&Unavailable, |_| {})).collect();
    let json = serde_json::to_value(Json::of(&arms)).unwrap();
    let names: Vec<&str> = json["arms"].as_array().unwrap().iter().map(|a| a["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["hardware_timely", "hardware_authors", "software_timely", "software_best", "pfc_only"]);
    let main = &json["arms"][0];
    for key in ["utilization", "goodput_gbps", "jain", "pauses"] {
        assert!(main[key].is_number(), "{key}");
    }
    for (key, parts) in [("rtt_us", &["mean", "p50", "p99"][..]), ("queue_kb", &["mean", "p99"])] {
        assert!(parts.iter().all(|p| main[key][p].is_number()), "{key}");
    }
    assert_eq!((main["nics"].as_str(), json["arms"][1]["nics"].as_str()), (Some("model"), Some("rtl")));
    assert!(json["arms"][1]["unavailable"].is_string() && json.get("rtt_error_clocks_max").is_some());
    let page = page::page(&demo::words(&arms, options), &arms);
    // Nothing is fetched from anywhere.
    assert!(page.matches("<svg").count() == 10 && !page.contains("src=") && !page.contains("<link") && !page.contains("url("));
    assert!(!page.contains("http") || page.matches("http").count() == page.matches("http://www.w3.org/2000/svg").count());
}

/// Figures of a steady part that the last flow never came to are unknown; those of each watched
/// port are told.
#[test]
fn figures_are_of_what_was_measured() {
    let text = |from: f64| {
        format!(
            "duration_ms = 100\nsteady_from = {from}\nwatch = ['5:0', '5:1']\n[topology]\nhosts = 5\n[nic]\nkind = 'KIND'\n\
             [[flow]]\nfrom = [0, 1, 2, 3]\nto = 4\nstagger_us = 500\nbytes = 100000\n"
        )
    };
    for kind in ["event", "paced"] {
        for (from, known) in [(0.5, false), (0.0, true)] {
            let outcome = run(&text(from).replace("KIND", kind));
            let s = &outcome.summary;
            let figures = [s.utilization, s.goodput_gbps, s.queue_kb.mean, s.queue_kb.p99];
            assert!(figures.iter().all(|f| f.is_nan() != known), "{kind} {from}: {s:?}");
            let (end, ports): (f64, Vec<_>) = (outcome.recorder.windows.end as f64 / 1e9, outcome.ports().collect());
            assert_eq!(ports.iter().map(|p| (p.switch, p.port)).collect::<Vec<_>>(), [(5, 4), (5, 0), (5, 1)]);
            assert_eq!(table::ports(&outcome).count(), 2);
            let arm = Arm {
                name: "a".into(),
                title: "a".into(),
                note: String::new(),
                color: 0,
                kind: outcome.plan.nic.kind,
                outcome: Ok(outcome),
            };
            let json = serde_json::to_value(Json::of(&[arm])).unwrap();
            let arm = &json["arms"][0];
            assert_eq!((arm["steady_to_ms"].as_f64(), arm["goodput_gbps"].is_null()), (Some(end), !known));
            assert_eq!(
                (arm["ports"][0]["utilization"].as_f64(), arm["ports"][0]["queue_kb"]["mean"].as_f64().is_some()),
                (arm["utilization"].as_f64(), known)
            );
            if known {
                assert!(ports[0].utilization > 10.0 * ports[1].utilization, "{ports:?}");
            }
        }
    }
}
