//! Networks of every kind of NIC against queueing theory, conservation, balance and capacity:
//! expectations that no part of the simulator computes.
use std::path::Path;
use timely_sim::cores;
use timely_sim::scenario::build::{self, Outcome};
use timely_sim::scenario::file;

/// Headers of a data packet: Ethernet 14, IPv4 20, UDP 8, ours 48.
const HEADERS: u32 = 90;
/// Preamble, FCS and gap.
const AROUND: u32 = 24;
/// FCS, which a switch stores too.
const FCS: u32 = 4;

fn run(text: &str) -> Outcome {
    let plan = file::parse(Path::new("test.toml"), text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    build::run(plan, &*cores::factory(), |_| {}).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

// Line rate without control, on NICs of a kind.
fn profile(kind: &str) -> String {
    let control = if kind == "event" { "control = 'none'\n" } else { "" };
    format!("[profile.line]\nlike = 'fixed'\noutstanding_kb = 0\n{control}timeout_us = 0\n")
}

fn nic(kind: &str, bus_bits: u32) -> String {
    let bus = if kind == "model" { format!("bus_bits = {bus_bits}\n") } else { String::new() };
    format!("[nic]\nkind = '{kind}'\n{bus}")
}

// Ten hosts with fast links send single packets at random times to one at 10 Gb/s; for each payload
// its share of the line.
fn random_packets(kind: &str, traffic: &[(u32, f64)], ms: f64) -> Outcome {
    let loads: String = traffic
        .iter()
        .map(|(payload, rho)| {
            format!(
                "[[load]]\nfrom = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]\nto = 10\nbytes = {payload}\npacket_bytes = {payload}\nsegment_bytes = {payload}\n\
                 load = {}\nprofile = 'line'\nuntil_us = {}\n",
                rho / 100.0,
                ms * 1000.0
            )
        })
        .collect();
    run(&format!(
        "duration_ms = {}\nsteady_from = 0\n{}[topology]\nhosts = 11\n[[topology.link]]\nfrom = 10\nto = 11\nrate_gbps = 10\n[link]\nrate_gbps = 100\n\
         [switch]\nxoff_kb = 0\n{}{}{loads}",
        ms + 1.0,
        if kind == "event" { "series = true\n" } else { "" },
        nic(kind, 512),
        profile(kind)
    ))
}

// Time on the slow wire, us, of a packet with this payload.
fn service(payload: u32) -> f64 {
    f64::from(payload + HEADERS + AROUND) * 8e-4
}

/// Mean wait of a queue with one server and random arrivals (Pollaczek and Khinchine): the
/// arrivals' rate times the mean of the service's square, over 2 (1 - rho). With one size of
/// packets it is that of an M/D/1 queue. And Little's law, which holds of each run and not of the
/// mean of many: the bytes in the queue are what each packet brings for as long as it is there.
/// RTTs and the queue's record know nothing of each other.
#[test]
fn queues_wait_as_theory_says() {
    for kind in ["event", "paced", "model"] {
        // NICs with clocks cost the most.
        let all: [&[(u32, f64)]; 2] = [&[(200, 0.2), (1400, 0.5)], &[(1000, 0.8)]];
        for traffic in all.into_iter().take(if kind == "model" { 1 } else { 2 }) {
            let o = random_packets(kind, traffic, 6.0);
            let rtts = &o.recorder.rtts;
            let payload = |flow: u32| o.plan.flows[flow as usize].bytes.expect("single packets") as u32;
            let path = |r: &timely_sim::metrics::Rtt| r.sample.path.expect("a path time") as f64 / 1e6;
            // A packet that finds nothing has the least RTT of its size.
            let (mut waits, mut brought, mut count) = (0.0, 0.0, 0.0);
            for (size, _) in traffic {
                let own: Vec<f64> = rtts.iter().filter(|r| payload(r.flow) == *size).map(path).collect();
                let least = own.iter().copied().fold(f64::MAX, f64::min);
                count += own.len() as f64;
                waits += own.iter().map(|p| p - least).sum::<f64>();
                brought += own.iter().map(|p| (p - least + service(*size)) * f64::from(size + HEADERS + FCS)).sum::<f64>();
            }
            assert_eq!(count as usize, o.plan.flows.len(), "{kind}: each packet is answered");
            let end = o.recorder.windows.end as f64 / 1e6;
            let (little, queue) = (brought / end / 1e3, o.summary.queue_kb.mean);
            let (mut rho, mut square) = (0.0, 0.0);
            for (size, share) in traffic {
                // Arrivals a us times the service's square.
                (rho, square) = (rho + share, square + share * service(*size));
            }
            let (wait, theory) = (waits / count, square / (2.0 * (1.0 - rho)));
            println!("{kind} {traffic:?}: {count} packets, wait {wait:.3} us, theory {theory:.3}; queue {queue:.3} KB, Little {little:.3}");
            assert!((wait / theory - 1.0).abs() < 0.15, "{kind} {traffic:?}: {wait} us for {theory}");
            assert!((queue / little - 1.0).abs() < 0.02, "{kind} {traffic:?}: {queue} KB for {little}");
        }
    }
}

/// Frames of 1,090 bytes that 6 flows may have outstanding, 64 KB each.
const ON_THE_WAY: u64 = 6 * 65_536 / 1_090;

/// Frames that were sent have arrived, were lost or dropped, or are on their way.
#[test]
fn frames_are_conserved() {
    for kind in ["event", "paced", "software", "model"] {
        for (loss, buffer) in [(0.0, 0), (0.02, 0), (0.0, 30)] {
            let pfc = if buffer > 0 { 0 } else { 100 };
            let o = run(&format!(
                "duration_ms = 3\nsteady_from = 0\n[topology]\nhosts = 7\n[link]\nloss = {loss}\n[switch]\nxoff_kb = {pfc}\nbuffer_kb = {buffer}\n{}\
                 [profile.short]\nlike = 'timely-10g'\ntimeout_us = 200\n\
                 [[flow]]\nfrom = [0, 1, 2, 3, 4, 5]\nto = 6\npacket_bytes = 1000\nsegment_bytes = 2000\nprofile = 'short'\n",
                nic(kind, 64)
            ));
            let r = &o.recorder;
            let arrived: u64 = r.flows.iter().map(|f| f.packets + f.acks).sum();
            // On the fabric a frame is counted on each of its two links, in networks of NICs that
            // make bytes when it leaves its host.
            let (least, most) = if kind == "event" {
                (2 * arrived + r.dropped + r.lost, 2 * arrived + r.dropped + 2 * (r.lost + ON_THE_WAY))
            } else {
                (arrived + r.lost + r.dropped, arrived + r.lost + r.dropped + ON_THE_WAY)
            };
            let frames = if kind == "event" { o.transmissions } else { r.frames };
            println!("{kind}, loss {loss}, buffer {buffer}: {frames} frames, {arrived} arrived, {} lost, {} dropped", r.lost, r.dropped);
            assert!((r.lost > 0) == (loss > 0.0) && (r.dropped > 0) == (buffer > 0), "{kind}: {} lost, {} dropped", r.lost, r.dropped);
            assert!((least..=most).contains(&frames), "{kind}: {frames} frames, {least} to {most} are accounted for");
        }
    }
}

/// Equal-cost paths get their share of flows: chi-square of 4 uplinks, 3 degrees of freedom, one in
/// a thousand is above 16.3.
#[test]
fn equal_cost_paths_are_balanced() {
    let mut before: Option<Vec<u64>> = None;
    let kinds: &[&str] = if crate::common::thorough() { &["event", "paced", "model"] } else { &["event", "paced"] };
    for &kind in kinds {
        // Leaves are switches 32 and 33, whose first ports are hosts'.
        let o = run(&format!(
            "duration_ms = 20\nsteady_from = 0\nwatch = ['32:16', '32:17', '32:18', '32:19']\n[topology]\nleaf_spine = {{ leaves = 2, spines = 4, hosts = 16 }}\n\
             {}[[load]]\nfrom = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]\nto = [16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31]\n\
             bytes = 2000\npacket_bytes = 1000\nload = 0.02\nuntil_us = 15000\n",
            nic(kind, 64)
        ));
        let flows = o.plan.flows.len() as f64;
        let taps = &o.recorder.taps[o.recorder.taps.len() - 4..];
        // Two packets a flow, and ACKs of other flows none: those come down.
        let shares: Vec<u64> = taps.iter().map(|t| t.wire_steady / (2 * u64::from(1000 + HEADERS + AROUND))).collect();
        let even = flows / 4.0;
        let chi: f64 = shares.iter().map(|s| (*s as f64 - even).powi(2) / even).sum();
        println!("{kind}: {flows} flows, {shares:?}, chi-square {chi:.1}");
        assert_eq!(shares.iter().sum::<u64>() as f64, flows, "{kind}: each flow goes up once");
        assert!(flows > 300.0 && chi < 16.3, "{kind}: {shares:?}");
        assert!(before.replace(shares.clone()).is_none_or(|b| b == shares), "a flow's way does not depend on its NIC");
    }
}

/// An ingress port holds XOFF and what comes until the pause is heard: a frame and the pause frame
/// that wait for the wire, both ways there, the switch's latency. Nothing is dropped.
#[test]
fn headroom_is_what_theory_asks_for() {
    for kind in ["event", "paced", "model"] {
        let o = run(&format!(
            "duration_ms = 2\n[topology]\nhosts = 5\n[link]\ndelay_ns = 1000\n[switch]\nxoff_kb = 20\n{}{}\
             [[flow]]\nfrom = [0, 1, 2, 3]\nto = 4\npacket_bytes = 1000\nprofile = 'line'\n",
            nic(kind, 64),
            profile(kind)
        ));
        // Bytes at 1.25 a ns; the frame at XOFF's edge itself, one that has begun at the sender,
        // one that holds the pause frame up.
        let theory = 20.0 + (3.0 * 1114.0 + 84.0 + (2.0 * 1000.0 + 300.0) * 1.25) / 1e3;
        let (most, s) = (o.recorder.ingress_max as f64 / 1e3, &o.summary);
        println!("{kind}: {most:.1} KB at most, theory {theory:.1}, {} pauses, {} dropped", s.pauses, s.dropped);
        assert!((20.0..=theory).contains(&most) && s.dropped == 0 && s.pauses > 50, "{kind}: {most} KB");
        assert!(s.utilization > 0.999 && s.utilization <= 1.0, "{kind}: {}", s.utilization);
    }
}

/// Trunks of a parking lot carry what they can and no more: at the max-min shares (the long flow
/// half of each of three trunks, the others the rest) nothing queues, with 4 % more on one trunk
/// that queue alone grows by those 4 %.
#[test]
fn trunks_carry_their_rate() {
    for kind in ["event", "paced", "model"] {
        for more in [false, true] {
            let mbps = if more { 5400.0 } else { 4990.0 };
            let line = |name: &str, mbps: f64| {
                format!("[profile.{name}]\nlike = 'fixed'\noutstanding_kb = 0\ntimeout_us = 0\ninitial_mbps = {mbps}\n")
            };
            // Switches 8 to 11 with hosts 2 k and 2 k + 1; trunks from 8, 9 and 10.
            let o = run(&format!(
                "duration_ms = 4\nwatch = ['8:2', '9:3', '10:3']\n[topology]\nparking_lot = {{ switches = 4, hosts = 2 }}\n[switch]\nxoff_kb = 0\n{}{}{}\
                 [[flow]]\nfrom = 0\nto = 6\nprofile = 'even'\n[[flow]]\nfrom = 1\nto = 2\nprofile = 'even'\n[[flow]]\nfrom = 3\nto = 4\nprofile = 'other'\n\
                 [[flow]]\nfrom = 5\nto = 7\nprofile = 'even'\n",
                nic(kind, 64),
                line("even", 4990.0),
                line("other", mbps)
            ));
            let steady = (o.recorder.windows.end - o.recorder.windows.steady) as f64;
            let got: Vec<f64> = o.recorder.flows.iter().map(|f| f.wire_steady as f64 * 8e6 / steady).collect();
            let queues: Vec<u64> = o.recorder.taps[o.recorder.taps.len() - 3..].iter().map(|t| t.max).collect();
            println!("{kind}, other flow {mbps}: {got:.0?} Mb/s, queues at most {queues:?} bytes");
            // A few packets of four flows may meet; more is a queue that grows.
            let grown = 0.039e4 * steady * 2.0 / 8e6;
            for (i, q) in queues.iter().enumerate() {
                let full = more && i == 1;
                assert!(
                    if full { (*q as f64 / grown - 1.0).abs() < 0.1 } else { *q < 8_000 },
                    "{kind}: trunk {i} has {q} bytes, {grown} expected"
                );
            }
            assert!(more || got.iter().all(|g| (g / 4990.0 - 1.0).abs() < 0.005), "{kind}: {got:?}");
        }
    }
}
