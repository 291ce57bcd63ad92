//! The fabric against theory, and against NICs with clocks.
use std::path::Path;
use timely_sim::cores;
use timely_sim::scenario::build::{self, Outcome};
use timely_sim::scenario::file::Overrides;
use timely_sim::scenario::{NicKind, Plan, file, hpcc};
use timely_sim::time::NEVER;

fn plan(text: &str) -> Plan {
    file::parse(Path::new("test.toml"), text).unwrap_or_else(|e| panic!("{e}"))
}

fn run(plan: Plan) -> Outcome {
    let cores = cores::factory();
    build::run(plan, &*cores, |_| {}).unwrap_or_else(|e| panic!("{e}"))
}

const LINE_RATE: &str = "[profile.line]\nlike = 'fixed'\ncontrol = 'none'\ntimeout_us = 0\n";

/// A posted flow sends more than its bucket, which nothing settles, could count.
#[test]
fn a_posted_flow_goes_on_when_its_bucket_is_full() {
    let o = run(plan(
        "duration_ms = 30\n[topology]\nhosts = 2\n[link]\nrate_gbps = 100\n[nic]\nkind = 'posted'\nslot_us = 0\n[profile.p]\nlike = 'fixed'\n\
         initial_mbps = 100000\ngreatest_mbps = 100000\noutstanding_kb = 0\ntimeout_us = 0\n[[flow]]\nfrom = 0\nto = 1\nprofile = 'p'\n\
         segment_bytes = 65536\n",
    ));
    assert!(o.summary.utilization > 0.95, "{:?}", o.summary);
}

/// Packets at random times meet the queue that theory says: mean wait rho S / (2 (1 - rho)).
#[test]
fn a_port_is_an_m_d_1_queue() {
    for rho in [0.5, 0.8] {
        // Hosts' links are twenty times as fast, so that nothing waits there.
        let text = format!(
            "duration_ms = 2200\nsteady_from = 0\n[topology]\nhosts = 11\n[[topology.link]]\nfrom = 10\nto = 11\nrate_gbps = 10\n\
             [link]\nrate_gbps = 200\n[switch]\nxoff_kb = 0\n[nic]\nkind = 'event'\n{LINE_RATE}\
             [[load]]\nfrom = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]\nto = 10\nbytes = 1024\nload = {}\nconnections = 'standing'\nprofile = 'line'\n",
            rho / 200.0
        );
        let plan = plan(&text);
        let service = 1138.0 * 0.8;
        let alone = plan.standalone(&plan.flows[0].clone().single(1024)) as f64 / 1e3;
        let o = run(plan);
        let done: Vec<f64> = o.messages.iter().filter(|m| m.1.done != NEVER).map(|m| (m.1.done - m.1.start) as f64 / 1e3).collect();
        let wait = done.iter().sum::<f64>() / done.len() as f64 - alone;
        let theory = rho * service / (2.0 * (1.0 - rho));
        println!("rho {rho}: {} packets, mean wait {wait:.2} ns, M/D/1 {theory:.2} ns", done.len());
        assert!((wait / theory - 1.0).abs() < 0.01, "rho {rho}");
    }
}

/// A flow alone takes as long as its bytes need on the slowest link and its path is long.
#[test]
fn a_flow_alone_takes_the_time_it_needs() {
    for (shape, from, to) in [
        ("hosts = 4", 0, 3),
        ("fat_tree = { k = 4 }", 0, 15),
        ("dumbbell = { left = 2, right = 2 }\ntrunk_gbps = 4", 1, 2),
        ("parking_lot = { switches = 5, hosts = 1 }\ntrunk_gbps = 40", 0, 4),
        ("leaf_spine = { leaves = 2, spines = 2, hosts = 3 }", 0, 5),
    ] {
        for bytes in [1, 1024, 1025, 100_000, 3_000_000] {
            let text = format!(
                "duration_ms = 20\n[topology]\n{shape}\n[switch]\nxoff_kb = 0\n[nic]\nkind = 'event'\n{LINE_RATE}\
                 [[flow]]\nfrom = {from}\nto = {to}\nbytes = {bytes}\nprofile = 'line'\n"
            );
            let plan = plan(&text);
            let theory = plan.standalone(&plan.flows[0]);
            let got = run(plan).recorder.flows[0].completion.expect("complete");
            assert!((got as f64 / theory as f64 - 1.0).abs() < 0.001, "{shape}, {bytes} bytes: {got} ps for {theory}");
        }
    }
}

fn on(kind: NicKind, text: &str) -> Outcome {
    let overrides = Overrides { nics: Some(kind), ..Overrides::default() };
    let mut plan = file::parse_with(Path::new("test.toml"), text, &overrides).unwrap_or_else(|e| panic!("{e}"));
    plan.nic.ppm = 0.0;
    if kind == NicKind::Model {
        // Of these NICs alone the base RTT, from which profiles come, would be that of other
        // event-level hosts.
        plan.nic.ack_delay = timely_sim::scenario::EVENT_ACK_DELAY;
    }
    run(plan)
}

/// A flow that nothing disturbs: each segment's RTT to the clock, and as many of them. Clocks of
/// the hardware are 4 ns, to which it rounds departures and stamps. Times drift apart only while
/// the rate changes: the pacer looks at it 128 ns ahead of a packet, the fabric at the packet.
#[test]
fn a_flow_alone_is_that_of_the_hardware_to_the_clock() {
    for (rate, ms) in [(10_000, 4), (3_000, 8), (137, 40)] {
        let text = format!(
            "duration_ms = {ms}\n[topology]\nhosts = 2\n[profile.p]\nlike = 'timely-10g'\ninitial_mbps = {rate}\n\
             [[flow]]\nfrom = 0\nto = 1\nprofile = 'p'\n"
        );
        let [model, event] = [NicKind::Model, NicKind::Event].map(|kind| on(kind, &text).recorder.rtts);
        let offset = |i: usize| model[i].sample.at as i64 - event[i].sample.at as i64;
        let path = |r: &timely_sim::metrics::Rtt| r.sample.path.expect("both know it") as i64;
        let n = model.len().min(event.len());
        let rtt = (0..n).map(|i| (path(&model[i]) - path(&event[i])).abs()).max().expect("samples");
        let drift = (0..n).map(|i| (offset(i) - offset(0)).abs()).max().expect("samples");
        println!("from {rate} Mb/s: {} and {} samples; RTTs differ by at most {rtt} ps, times by {drift} ps", model.len(), event.len());
        assert!(model.len().abs_diff(event.len()) <= 1 && rtt <= 4_000 && drift <= ms * 25_000, "from {rate} Mb/s");
    }
}

/// Ten to one. What flows do to each other depends on which of two packets is first, so samples
/// can't be equal one by one; their distributions and the queue are.
#[test]
fn an_incast_comes_out_as_on_the_hardware() {
    let text = include_str!("../../scenarios/incast.toml").replace("duration_ms = 40", "duration_ms = 20");
    let [model, event] = [NicKind::Model, NicKind::Event].map(|kind| on(kind, &text).summary);
    for s in [&model, &event] {
        println!("utilization {:.4}, RTT {:?}, queue {:?}, Jain {:.4}", s.utilization, s.rtt_us, s.queue_kb, s.jain);
    }
    let near = |a: f64, b: f64, part: f64| (a / b - 1.0).abs() < part;
    assert!(near(event.utilization, model.utilization, 0.003));
    assert!(near(event.rtt_us.mean, model.rtt_us.mean, 0.03) && near(event.rtt_us.p99, model.rtt_us.p99, 0.05));
    assert!(near(event.queue_kb.mean, model.queue_kb.mean, 0.05) && near(event.jain, model.jain, 0.02));
    assert_eq!((event.pauses, event.timeouts, event.dropped), (0, 0, 0));
}

/// 40 ms of the same twice: everything is by seed, and by nothing else.
#[test]
fn runs_repeat_exactly() {
    let text = include_str!("../../scenarios/web_search.toml").replace("k = 16", "k = 4");
    let once = |seed: u64| {
        let mut p = plan(&text.replace("seed = 1", &format!("seed = {seed}")));
        p.fabric.rtt_noise = 1_000_000;
        run(p)
    };
    let (a, b, c) = (once(1), once(1), once(2));
    assert_eq!((a.transmissions, &a.summary, &a.messages), (b.transmissions, &b.summary, &b.messages));
    assert_ne!(a.messages, c.messages);
    println!("{} messages, {} transmissions", a.messages.len(), a.transmissions);
}

/// Segments whose answer is missing are sent again. As on the hardware an ACK answers for its
/// segment: what else of it was lost isn't noticed.
#[test]
fn lost_segments_are_sent_again() {
    let text = "duration_ms = 60\n[topology]\nhosts = 3\n[link]\nloss = 0.01\n[nic]\nkind = 'event'\n[profile.p]\nlike = 'timely-10g'\n\
                timeout_us = 1000\n[[flow]]\nfrom = [0, 1]\nto = 2\nconnections = 60\nstagger_us = 300\nbytes = 100000\nprofile = 'p'\n";
    let o = run(plan(text));
    println!("{} lost, {} time-outs, {:?}", o.summary.lost, o.summary.timeouts, o.summary.completion_us);
    assert!(o.summary.lost > 50 && o.summary.timeouts > 0);
    assert_eq!((o.summary.messages, o.summary.completed), (Some(120), Some(120)));
    assert!(o.recorder.flows.iter().all(|f| f.payload >= 90_000));
}

/// Flow control: nothing is dropped though the buffer is small, and the headroom that theory asks
/// for is enough, but not less.
#[test]
fn headroom_is_as_much_as_theory_asks_for() {
    let at = |headroom_kb: f64| {
        let text = format!(
            "duration_ms = 4\n[topology]\nhosts = 5\n[link]\ndelay_ns = 1000\n[switch]\nxoff_kb = 20\nheadroom_kb = {headroom_kb}\n\
             [nic]\nkind = 'event'\n{LINE_RATE}[[flow]]\nfrom = [0, 1, 2, 3]\nto = 4\nprofile = 'line'\n"
        );
        run(plan(&text)).summary
    };
    // Frame and pause frame that wait for the wire, both ways there, the pipeline: 2 * 1138 + 84 +
    // (2 * 1000 + 300) * 1.25 bytes.
    let theory = 2.0 * 1.138 + 0.084 + 2.3 * 1.25;
    let (enough, less) = (at(theory), at(theory - 2.0 * 1.138));
    println!("headroom {theory:.3} KB: {} dropped, {} pauses; less: {} dropped", enough.dropped, enough.pauses, less.dropped);
    assert!(enough.dropped == 0 && enough.pauses > 100 && less.dropped > 0);
    assert!(enough.utilization > 0.999, "{}", enough.utilization);
}

/// Of two classes of data the first gets the link, and ACKs pass both; each class is paused by
/// itself, on the fabric and by the hardware's pins.
#[test]
fn classes_have_strict_priority() {
    for kind in [NicKind::Event, NicKind::Model] {
        strict_priority(kind);
    }
}

fn strict_priority(kind: NicKind) {
    let text = "duration_ms = 4\n[topology]\nhosts = 3\n[switch]\nxoff_kb = 50\n[profile.line]\nlike = 'fixed'\ntimeout_us = 0\noutstanding_kb = 0\n\
         [[flow]]\nfrom = 0\nto = 2\nprofile = 'line'\nclass = 2\n[[flow]]\nfrom = 1\nto = 2\nprofile = 'line'\nstop_us = 2000\n";
    let mut p = plan(text);
    p.nic.kind = kind;
    p.steady_from = Some(0.0);
    let o = run(p);
    assert!(o.summary.pauses > 0 && o.summary.ingress_max_kb < 60.0, "{kind}: {} KB of an ingress port", o.summary.ingress_max_kb);
    let of = |i: usize| {
        let bins = &o.recorder.flows[i].series;
        let half = bins.len() / 2;
        (bins[10..half - 10].iter().sum::<u32>(), bins[half + 10..].iter().sum::<u32>())
    };
    let (low, high) = (of(0), of(1));
    println!("{kind}: second class {low:?}, first {high:?} bytes in the halves of the run");
    assert!(low.0 < high.0 / 100 && high.1 == 0 && low.1 > high.0 * 9 / 10);
}

/// Calls on standing connections: each request of 1 KB brings a reply of 64 KB, which is counted
/// from the request on.
#[test]
fn calls_are_answered() {
    let text = "duration_ms = 20\nsteady_from = 0\n[topology]\nleaf_spine = { leaves = 2, spines = 2, hosts = 4 }\n[nic]\nkind = 'event'\n\
                [[load]]\nbytes = 1000\nload = 0.005\nconnections = 'standing'\nreply_bytes = 65536\nuntil_us = 15000\n";
    let p = plan(text);
    let replies = p.flows.iter().filter(|f| f.start == NEVER).count();
    let o = run(p);
    assert!(replies > 20 && o.summary.messages == o.summary.completed, "{:?} of {:?}", o.summary.completed, o.summary.messages);
    let alone = 64.0 * 1114.0 * 8e-4 * 1.02;
    let (calls, sum) =
        o.messages.iter().filter(|m| m.1.bytes == 65_536).fold((0, 0.0), |(n, s), m| (n + 1, s + (m.1.done - m.1.start) as f64 / 1e6));
    println!("{calls} calls, mean {:.1} us, alone about {alone:.1}", sum / f64::from(calls));
    assert!(calls > 100 && sum / f64::from(calls) > alone);
    // A call is one message, and takes the time of its reply.
    assert_eq!((o.summary.messages, o.summary.completed), (Some(calls as u64), Some(calls as u64)));
    assert!((o.summary.completion_us.mean / (sum / f64::from(calls)) - 1.0).abs() < 1e-9);
    let (fct, _) = hpcc::fct(&o.plan, &o.recorder);
    assert!(fct.lines().all(|l| l.split(' ').nth(5).and_then(|s| s.parse::<u64>().ok()).is_some_and(|ns| ns < 15_000_000)), "{fct}");
}

/// Calls on connections that lose packets, on a link or for want of buffer: each is answered once,
/// no sooner than without loss, and none is left.
#[test]
fn calls_outlive_losses() {
    let calls = |loss: f64, switch: &str, load: &str| {
        let text = format!(
            "duration_ms = 1000\nsteady_from = 0\n[topology]\nhosts = 4\n[link]\nrate_gbps = 10\ndelay_ns = 1000\nloss = {loss}\n[switch]\n\
             {switch}[nic]\nkind = 'event'\n[profile.t]\nlike = 'timely-10g'\ntimeout_us = 500\n[[load]]\n{load}bytes = 20000\n\
             reply_bytes = 20000\nconnections = 'standing'\nprofile = 't'\nuntil_us = 20000\n"
        );
        let o = run(plan(&text));
        let replies = o.messages.iter().filter(|m| o.plan.flows[m.0 as usize].start == NEVER);
        let times: Vec<_> = replies.map(|m| m.1.done.checked_sub(m.1.start).expect("a reply behind its request")).collect();
        assert!(times.len() > 100 && o.messages.iter().all(|m| m.1.done != NEVER), "{:?}", o.summary);
        let payload: u64 = o.recorder.flows.iter().map(|f| f.payload).sum();
        (*times.iter().min().expect("calls"), payload, o.messages.iter().map(|m| m.1.bytes).sum::<u64>(), o.summary)
    };
    let few = "from = [0]\nto = [1, 2, 3]\nload = 0.1\n";
    let (alone, ..) = calls(0.0, "", few);
    for (loss, switch, load) in [(0.001, "", few), (0.02, "", few), (0.0, "xoff_kb = 0\nbuffer_kb = 15\n", "load = 0.6\n")] {
        let (least, payload, bytes, s) = calls(loss, switch, load);
        println!("{loss} {switch}: {} lost, {} dropped, least {least} ps, alone {alone} ps", s.lost, s.dropped);
        assert!(s.lost + s.dropped > 5 && least >= alone && payload <= bytes, "{payload} of {bytes}");
    }
}

/// Payload that is sent again counts once, on NICs of all kinds that send it again: a flow over
/// links that lose a fifth of the frames, by what the line carries of it.
#[test]
fn payload_counts_once() {
    for kind in ["event", "posted", "paced"] {
        let text = format!(
            "duration_ms = 20\nsteady_from = 0\n[topology]\nhosts = 3\n[link]\nrate_gbps = 10\ndelay_ns = 1000\nloss = 0.2\n[nic]\n\
             kind = '{kind}'\n[profile.f]\nlike = 'fixed'\ninitial_mbps = 5000\noutstanding_kb = 0\ntimeout_us = 1000\n[[flow]]\nfrom = 0\nto = 2\n\
             bytes = 50000000\nprofile = 'f'\npacket_bytes = 1000\nsegment_bytes = 64000\n"
        );
        let o = run(plan(&text));
        let flow = &o.recorder.flows[0];
        println!("{kind}: {:.3} Gb/s, {} packets, {} bytes", o.summary.goodput_gbps, flow.packets, flow.payload);
        assert!(flow.payload < flow.packets * 1000 * 7 / 10, "{kind}: {} bytes in {} packets", flow.payload, flow.packets);
    }
}

/// Measured and true RTTs are told apart: noise of the NICs' stamps, and the wait for other bursts
/// of their own.
#[test]
fn measured_and_true_rtts_are_told_apart() {
    let summary = |nic: &str, flows: &str| {
        let fixed = "[profile.p]\nlike = 'fixed'\ninitial_mbps = 3000\noutstanding_kb = 0\n";
        run(plan(&format!(
            "duration_ms = 4\n[topology]\nhosts = 3\n[nic]\n{nic}\n{fixed}[[flow]]\nfrom = 0\nto = 2\nprofile = 'p'\n{flows}"
        )))
        .summary
    };
    let s = summary("kind = 'event'\nrtt_noise_us = 100", "");
    println!("noise: {:?}, measured {:?}", s.rtt_us, s.rtt_measured_us);
    assert!(s.rtt_us.p99 < 10.0 && (s.rtt_measured_us.mean - s.rtt_us.mean - 50.0).abs() < 5.0);
    // Bursts of two connections that are posted at once leave the NIC packet by packet in turn, and
    // each waits for the other.
    let s = summary("kind = 'posted'\nslot_us = 0", "segment_bytes = 65536\nconnections = 2\n");
    println!("posted: {:?}, measured {:?}", s.rtt_us, s.rtt_measured_us);
    assert!(s.rtt_us.p99 < 10.0 && s.rtt_measured_us.mean > s.rtt_us.mean + 30.0);
    // Alone, nothing waits.
    let s = summary("kind = 'posted'\nslot_us = 0", "segment_bytes = 65536\n");
    assert!((s.rtt_us.mean - s.rtt_measured_us.mean).abs() < 0.01, "{:?} {:?}", s.rtt_us, s.rtt_measured_us);
}

/// A READ request is paced by what it brings: the reply's packets come at the flow's rate, and RTTs
/// are those of an idle path.
#[test]
fn reads_are_paced_by_what_they_bring() {
    for (kind, segment) in [("event", 16_384), ("posted", 16_384), ("event", 5_000)] {
        let text = format!(
            "duration_ms = 20\n[topology]\nhosts = 3\n[nic]\nkind = '{kind}'\nslot_us = 0\n[profile.p]\nlike = 'fixed'\ninitial_mbps = 2000\n\
             outstanding_kb = 0\n[[flow]]\nfrom = 0\nto = 1\nread = true\nprofile = 'p'\nsegment_bytes = {segment}\n\
             [[flow]]\nfrom = 0\nto = 2\nread = true\nbytes = 1000000\nprofile = 'p'\nsegment_bytes = {segment}\n"
        );
        let o = run(plan(&text));
        let (endless, whole) = (&o.recorder.flows[0], &o.recorder.flows[1]);
        let mbps = endless.wire_steady as f64 * 8.0 / 10_000.0;
        println!("{kind}, {segment}: {mbps:.1} Mb/s, RTT {:?} of {:.2} us", o.summary.rtt_us, o.base_rtt_us);
        assert!((mbps / 2000.0 - 1.0).abs() < 0.01, "{mbps}");
        assert_eq!((whole.payload, o.summary.completed), (1_000_000, Some(1)));
        // The two meet at the reader's link at times; the other way there is no queue.
        assert!(o.summary.rtt_us.p50 < o.base_rtt_us + 15.0 && o.summary.rtt_us.p50 > 0.8 * o.base_rtt_us);
    }
}

/// Runs of `timely-sim bench` go to their end, with all messages that have the time.
#[test]
fn the_bench_delivers_what_it_counts() {
    use timely_sim::bench;
    let m = bench::measure("incast", &bench::INCAST.replace("duration_ms = 200", "duration_ms = 20"), |_| {}).expect("runs");
    println!("{m:?}");
    // The first millisecond goes to bringing 40 senders down from line rate, and its rest to coming
    // back. 910 of 1,024 bytes on a wire of 100 Gb/s: of each segment's three frames, six links
    // each.
    let most = 0.02 * 100e9 / 8.0 / 1024.0 * 1.5 * 6.0;
    assert!(m.hosts == 128 && m.flows == 40 && (m.link_transmissions as f64) < 1.02 * most && m.link_transmissions as f64 > 0.9 * most);
    let growth = bench::growth();
    assert!(growth.iter().any(|g| g.1.contains("rate_gbps = 100\n") && g.1.contains("timely-100g")));
    let (name, text) = &growth[0];
    let small = bench::measure(name, text, |_| {}).expect("runs");
    assert!(small.hosts == 16 && small.completed > 20 && small.memory_mb > 1.0);
    // The manual's table has the same runs; of what hangs on the machine the share of packets among
    // transmissions is left.
    let shares = [m, small].map(|m| m.packets_per_second / m.link_transmissions_per_second);
    let runs = std::iter::once(("incast-40-to-1".to_owned(), bench::INCAST.to_owned())).chain(growth);
    let (_, table) = include_str!("../../../docs/simulator.md").split_once("\nrun   ").expect("the manual has the table");
    let mut rows = table.split_once("\n```").expect("a block ends").0.lines().skip(1);
    for (i, (name, text)) in runs.enumerate() {
        let row = rows.next().unwrap_or_else(|| panic!("the manual has no row of {name}"));
        let plan = file::parse(Path::new(&name), &text).unwrap_or_else(|e| panic!("{e}"));
        let words: Vec<&str> = row.strip_prefix(&name).unwrap_or_else(|| panic!("{name}: {row}")).split_whitespace().collect();
        let ms = format!("{:.1}", plan.duration as f64 / 1e9);
        assert_eq!(words[..4], [&plan.topology.hosts().count().to_string(), &plan.flows.len().to_string(), &ms, "ms"], "{name}");
        let number = |i: usize| words[i].parse::<f64>().unwrap_or_else(|e| panic!("{name}: {row}: {e}"));
        if let Some(share) = shares.get(i) {
            assert!((number(8) / number(6) / share - 1.0).abs() < 0.02, "{name}: {row}; {share} packets a transmission");
        }
    }
    assert_eq!(rows.next(), None, "a row that the command does not print");
}

/// ACKs that wait behind data in switches still leave their host whatever is paused there: the
/// receiver's own data is stopped by PFC as two flows fill its port, its ACKs are not.
#[test]
fn a_paused_host_still_answers() {
    let text = |kind: &str| {
        format!(
            "duration_ms = 20\n[topology]\nhosts = 3\n[nic]\nkind = '{kind}'\n[switch]\nack_priority = false\nmark_kb = 10\nmark_most_kb = 100\n\
             mark_chance = 0.5\n[profile.f]\nlike = 'fixed'\ninitial_mbps = 9900\noutstanding_kb = 0\ntimeout_us = 0\n\
             [profile.g]\nlike = 'fixed'\ninitial_mbps = 3000\noutstanding_kb = 0\ntimeout_us = 0\n\
             [[flow]]\nfrom = [0, 1]\nto = 2\nprofile = 'f'\n[[flow]]\nfrom = 2\nto = 0\nprofile = 'g'\n"
        )
    };
    let p99 = |kind: &str| run(plan(&text(kind))).summary.rtt_us.p99;
    let (event, paced, model) = (p99("event"), p99("paced"), p99("model"));
    println!("p99 RTT: event {event:.1} us, paced {paced:.1}, model {model:.1}");
    assert!((event / paced - 1.0).abs() < 0.03 && (event / model - 1.0).abs() < 0.03, "{event} {paced} {model}");
}

/// A port that is empty for .996 of the time has a queue of 0 at the 99th percentile.
#[test]
fn the_queue_of_an_idle_port_is_nothing() {
    for kind in ["event", "paced"] {
        let o = run(plan(&format!(
            "duration_ms = 20\n[topology]\nhosts = 3\n[nic]\nkind = '{kind}'\n[profile.f]\nlike = 'fixed'\ninitial_mbps = 20\n\
             [[flow]]\nfrom = [0, 1]\nto = 2\nprofile = 'f'\n"
        )));
        assert!(o.summary.queue_kb.p99 == 0.0 && o.summary.utilization > 0.003, "{kind}: {:?}", o.summary.queue_kb);
    }
}
