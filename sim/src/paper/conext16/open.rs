//! Future work of the paper: several bottlenecks, a large fat-tree, PAUSE. Expected values are of
//! theory, or bounds of ours.
use super::fct::{dcqcn, quantile};
use super::finding::{Finding, least, most, near};
use super::runs::{each, mean, packets, settings, shares};
use super::{DUMBBELL, FAT_TREE, Figure, Lab, PARKING_LOT, VICTIM, curves, number, word};
use crate::fluid::settings::Model;
use crate::paper::dcqcn_profile;
use crate::scenario::build::Outcome;
use crate::scenario::vary::Change;
use crate::time::{NEVER, US};
use toml::Value;

// DCQCN for these profiles.
fn marked(profiles: &[&str]) -> Vec<Change> {
    profiles.iter().map(|p| dcqcn_profile(p)).collect()
}

// The last flows, so that the long one crosses so many trunks: the others' senders fall silent.
fn trunks(n: usize) -> Vec<Change> {
    let mut all = vec![("flow.0.to".to_owned(), Value::Integer(2 * n as i64 + 1))];
    all.extend((n..4).map(|i| number(&format!("flow.{}.start_us", i + 1), 1e9)));
    all
}

// Share of a trunk that a flow of DCQCN gets which meets k marking queues where the others meet
// one: the marking probability at rest by the rate, k times of it for the long one, by bisection
// over the rate.
fn dcqcn_share(lab: &Lab, k: f64) -> Result<f64, String> {
    let d = settings(lab, Model::Dcqcn, &["line_gbps=10", "kmax_kb=2000", "pmax=0.1"])?.dcqcn();
    let mark = |share: f64| d.fixed_point(1.0 / share).mark;
    let (mut low, mut high) = (0.01f64, 0.5f64);
    for _ in 0..60 {
        let x = f64::midpoint(low, high);
        // The long flow's own rest needs fewer marks than k times those of the others: it is below
        // its share still.
        if mark(x) > k * mark(1.0 - x) { low = x } else { high = x }
    }
    Ok(low)
}

// The same of patched TIMELY: each rests where beta R (RTT - T_low) / T_low = delta, and the long
// flow's RTT is of k queues and of as many links more.
fn patched_share(lab: &Lab, k: f64) -> Result<f64, String> {
    let t = settings(lab, Model::Patched, &[])?.timely();
    // RTT without queues: a packet and its ACK of 114 bytes over k + 2 links, of which one packet's
    // serialization is subtracted.
    let (packet, ack, link) = (t.packet / t.capacity, 114.0 * 8.0 / t.capacity, 2e-6);
    let way = |k: f64| (k + 2.0) * (link + packet + ack) - packet;
    let error = |share: f64| t.increase / (t.beta * share * t.capacity);
    let long = |cross: f64| (k * (t.t_low * (1.0 + error(cross)) - way(1.0)) + way(k)) / t.t_low - 1.0;
    let (mut low, mut high) = (1e-4f64, 0.5f64);
    for _ in 0..60 {
        let x = f64::midpoint(low, high);
        if error(x) > long(1.0 - x) { low = x } else { high = x }
    }
    Ok(low)
}

/// Several bottlenecks: one flow over one to four trunks, a flow of its own on each.
pub fn bottlenecks(lab: &Lab) -> Result<Figure, String> {
    const ID: &str = "parking";
    let both = ["long", "cross"];
    let pi = || {
        let of = |p: &str| vec![word(&format!("profile.{p}.control"), "pi-conext"), number(&format!("profile.{p}.pi_host.start"), 0.002)];
        [of("long"), of("cross"), vec![number("flow.*.segment_bytes", 56_704.0), number("duration_ms", 3000.0)]].concat()
    };
    let arms = [("DCQCN", marked(&both)), ("patched TIMELY", vec![]), ("PI at the host", pi())];
    let counts = [1usize, 2, 4];
    let sets: Vec<_> = arms.iter().flat_map(|a| counts.map(|n| [a.1.clone(), trunks(n)].concat())).collect();
    let runs = packets(lab, PARKING_LOT, &sets, |o| shares(o).iter().map(|s| s / 10.0).collect::<Vec<f64>>())?;
    let mut findings: Vec<Finding> = Vec::new();
    let mut lines = Vec::new();
    for (a, (name, _)) in arms.iter().enumerate() {
        let mut points = Vec::new();
        for (i, n) in counts.iter().enumerate() {
            let ours = each(&runs[a * counts.len() + i], |s| s[0]);
            let k = *n as f64;
            let of = |law: &str| format!("{name}, {n} {}: share of the long flow ({law})", if *n == 1 { "trunk" } else { "trunks" });
            let f = match a {
                0 => near(ID, of("the analysis: k times the marks"), dcqcn_share(lab, k)?, mean(&ours), 0.3),
                1 => near(ID, of("the analysis: an RTT of k queues"), patched_share(lab, k)?, mean(&ours), 0.3),
                // Each controller integrates until its own RTT is the reference, which one queue
                // more can never be; it takes seconds.
                _ if *n > 1 => most(
                    ID,
                    of("the analysis: falling to the least rate; after 3 s below the proportionally fair"),
                    1.0 / (k + 1.0),
                    mean(&ours),
                ),
                _ => near(ID, of("equal outputs at the start"), 0.5, mean(&ours), 0.3),
            };
            findings.push(f.seeds(&ours));
            points.push((k, mean(&ours)));
        }
        lines.push((*name, points));
    }
    let fair = |of: &dyn Fn(f64) -> f64| counts.iter().map(|n| (*n as f64, of(*n as f64))).collect::<Vec<_>>();
    lines.push(("max-min fairness", fair(&|_| 0.5)));
    lines.push(("proportional fairness", fair(&|k| 1.0 / (k + 1.0))));
    let long = |a: usize| mean(&each(&runs[a * counts.len() + 2], |s| s[0]));
    // Four trunks: a share of .2 is proportionally fair, .5 max-min fair.
    findings.push(least(ID, "DCQCN, 4 trunks: share of the long flow over the proportionally fair one of 1/5", 1.0, long(0) * 5.0));
    findings.push(most(ID, "patched TIMELY, 4 trunks: the same", 0.5, long(1) * 5.0));
    let used = each(&runs[2], |s| s[0] + s[1]);
    findings.push(least(ID, "DCQCN, 4 trunks: use of the first trunk", 0.9, mean(&used)).seeds(&used));
    let used = each(&runs[5], |s| s[0] + s[1]);
    findings.push(least(ID, "patched TIMELY, 4 trunks: use of the first trunk", 0.9, mean(&used)).seeds(&used));
    let (legend, plot) = curves("trunks", "share of the long flow", &lines);
    let text = "One flow crosses one to four trunks, on each of which another flow meets it. Marks of several queues add up, and so do their delays, but the law of \
                delay answers the sum by its distance to T_low: three queues of T_low each are a congestion of twice T_low for the long flow alone."
        .into();
    Ok(Figure { id: ID, title: "Several bottlenecks", text, findings, plots: vec![("The long flow".into(), legend, plot)] })
}

// Completion times over those of an idle network at line rate, of messages of these sizes.
fn slowdowns(o: &Outcome, sizes: (u64, u64)) -> Vec<f64> {
    let w = o.recorder.windows;
    let of = o.messages.iter().map(|m| &m.1).filter(|m| m.start >= w.steady && m.start < w.end && (sizes.0..sizes.1).contains(&m.bytes));
    // Messages that did not end count until the end of the run.
    let slow = |start: u64, done: u64, bytes: u64| {
        let took = (if done == NEVER { w.end } else { done } - start) as f64 / US as f64;
        took / (bytes as f64 * 8e-4 * 1114.0 / 1000.0 + o.base_rtt_us)
    };
    let mut all: Vec<f64> = of.map(|m| slow(m.start, m.done, m.bytes)).collect();
    all.sort_by(f64::total_cmp);
    all
}

/// A fat-tree of 128 hosts.
pub fn fat_tree(lab: &Lab) -> Result<Figure, String> {
    const ID: &str = "fattree";
    const CLASSES: [(&str, (u64, u64)); 3] =
        [("below 100 KB", (0, 100_000)), ("100 KB to 1 MB", (100_000, 1_000_000)), ("of 1 MB and more", (1_000_000, u64::MAX))];
    let runs = packets(lab, FAT_TREE, &[marked(&["sender"]), vec![]], |o| {
        (CLASSES.map(|c| slowdowns(o, c.1)), o.summary.goodput_gbps, o.summary.pauses as f64, o.summary.dropped as f64)
    })?;
    let names = ["DCQCN", "patched TIMELY"];
    let of = |arm: usize, class: usize, q: f64| each(&runs[arm], |r| quantile(&r.0[class], q));
    let (mut findings, mut slow) = (Vec::new(), String::new());
    for (c, (class, _)) in CLASSES.iter().enumerate() {
        for (p, q) in [("median", 0.5), ("p99", 0.99)] {
            let (d, t) = (of(0, c, q), of(1, c, q));
            let ratio: Vec<f64> = t.iter().zip(&d).map(|(t, d)| t / d).collect();
            let quantity = format!("messages {class}: {p} of the slowdown, patched TIMELY over DCQCN");
            slow += &format!("{class}, {p}: {:.1} and {:.1}<br>", mean(&d), mean(&t));
            // The paper's dumbbell has DCQCN ahead for small messages, and both alike for long
            // ones; tails of the middle ones wait in the same queues.
            let f = if c == 0 || (c == 1 && p == "p99") {
                least(ID, quantity, 1.0, mean(&ratio))
            } else {
                near(ID, quantity, 1.0, mean(&ratio), 0.5)
            };
            findings.push(f.seeds(&ratio).why("long messages pay for the short queues of DCQCN: it gives way at marks from 5 KB on"));
        }
    }
    let moved = |arm: usize| each(&runs[arm], |r| r.1);
    let ratio: Vec<f64> = moved(1).iter().zip(moved(0)).map(|(t, d)| t / d).collect();
    findings.push(near(ID, "throughput, patched TIMELY over DCQCN", 1.0, mean(&ratio), 0.1).seeds(&ratio));
    findings.push(most(ID, "frames dropped in all runs", 0.0, runs.iter().flatten().map(|r| r.3).sum()));
    let pauses = |arm: usize| mean(&each(&runs[arm], |r| r.2));
    findings.push(most(ID, "pauses under DCQCN over those under patched TIMELY", 1.0, pauses(0) / pauses(1).max(1.0)));
    let cdf = |all: &[f64]| (0..=100).map(|k| (quantile(all, f64::from(k) / 100.0), f64::from(k) / 100.0)).collect::<Vec<_>>();
    let named: Vec<_> = names.iter().enumerate().map(|(a, n)| (*n, cdf(&runs[a][0].0[0]))).collect();
    let (legend, plot) = super::distributions("slowdown", &named);
    let text = format!(
        "128 hosts, three layers of switches, 10 Gb/s, web search sizes at a load of .5 between hosts drawn at random, 60 ms. Slowdown: time over that of an idle \
         network. Throughput {:.0} and {:.0} Gb/s, pauses {:.0} and {:.0}. Slowdowns under DCQCN and patched TIMELY:<br>{slow}",
        mean(&moved(0)),
        mean(&moved(1)),
        pauses(0),
        pauses(1)
    );
    Ok(Figure { id: ID, title: "A fat-tree of 128 hosts", text, findings, plots: vec![("Messages below 100 KB".into(), legend, plot)] })
}

/// PAUSE: a victim behind a paused trunk, and completion times with low thresholds.
pub fn pause(lab: &Lab) -> Result<Figure, String> {
    const ID: &str = "pause";
    let xoffs = [0.0, 400.0, 100.0, 30.0];
    let arms = [("DCQCN", marked(&["sender"])), ("patched TIMELY", vec![])];
    let sets: Vec<_> = arms.iter().flat_map(|a| xoffs.map(|x| [a.1.clone(), vec![number("switch.xoff_kb", x)]].concat())).collect();
    // The victim's rate, the others', Gb/s, and pauses.
    let runs = packets(lab, VICTIM, &sets, |o| {
        let s = shares(o);
        (s[8], s[..8].iter().sum::<f64>(), o.summary.pauses_steady as f64)
    })?;
    let at = |arm: usize, x: usize| &runs[arm * xoffs.len() + x];
    let mut findings: Vec<Finding> = Vec::new();
    let mut lines = Vec::new();
    for (a, (name, _)) in arms.iter().enumerate() {
        let rate = |x: usize| each(at(a, x), |r| r.0);
        let free = rate(0);
        findings.push(least(ID, format!("{name}, no PAUSE: the victim's rate, Gb/s"), 9.0, mean(&free)).seeds(&free));
        let part = |x: usize| rate(x).iter().zip(&free).map(|(r, f)| r / f).collect::<Vec<_>>();
        let (far, low) = (part(1), part(3));
        findings.push(
            least(ID, format!("{name}, XOFF 400 KB, beyond the queue at rest: the victim's rate over that"), 0.95, mean(&far)).seeds(&far),
        );
        findings.push(most(ID, format!("{name}, XOFF 30 KB, below the queue at rest: the same"), 0.9, mean(&low)).seeds(&low));
        let pauses = each(at(a, 3), |r| r.2);
        findings.push(least(ID, format!("{name}, XOFF 30 KB: pauses in 100 ms"), 1.0, mean(&pauses)).seeds(&pauses));
        let incast = each(at(a, 3), |r| r.1);
        findings.push(least(ID, format!("{name}, XOFF 30 KB: rate of the eight senders, Gb/s"), 9.0, mean(&incast)).seeds(&incast));
        lines.push((*name, xoffs.iter().enumerate().skip(1).map(|(x, kb)| (*kb, mean(&rate(x)))).collect::<Vec<_>>()));
    }
    let low = |arm: usize| mean(&each(at(arm, 3), |r| r.0));
    let patched = vec![word("profile.sender.control", "patched-conext"), number("profile.sender.beta", 0.008)];
    let tight = || vec![number("load.0.load", 0.064), number("switch.xoff_kb", 30.0), number("switch.dynamic", 0.0)];
    let wide = || vec![number("load.0.load", 0.064)];
    let sets = [[dcqcn(), wide()].concat(), [dcqcn(), tight()].concat(), [patched.clone(), wide()].concat(), [patched, tight()].concat()];
    let times = packets(lab, DUMBBELL, &sets, super::fct::small)?;
    let p90 = |i: usize| each(&times[i], |t| quantile(t, 0.9));
    let mut small = String::new();
    for (name, i) in [("DCQCN", 0), ("patched TIMELY", 2)] {
        let ratio: Vec<f64> = p90(i + 1).iter().zip(p90(i)).map(|(tight, wide)| tight / wide).collect();
        let quantity = format!("{name}, load 0.8 on the dumbbell: p90 of small messages with XOFF 30 KB over that by the free buffer");
        small += &format!(" {name}: {:.0} and {:.0} us.", mean(&p90(i + 1)), mean(&p90(i)));
        // Where marks keep queues short PAUSE has little to do; where delays do not it bounds them,
        // and moves the wait into the hosts.
        let f = if i == 0 { least(ID, quantity, 1.0, mean(&ratio)) } else { most(ID, quantity, 1.0, mean(&ratio)) };
        findings.push(f.seeds(&ratio));
    }
    let (legend, plot) = curves("XOFF, KB", "the victim's rate, Gb/s", &lines);
    let text = format!(
        "Eight senders share a receiver's link of 10 Gb/s behind a trunk of 40 Gb/s, a ninth sends over the same trunk to a free receiver. Where XOFF is below the \
         queue that the law holds, PAUSE is the law: the trunk stops for all, and the victim has {:.1} Gb/s under DCQCN, {:.1} under patched TIMELY at 30 KB. \
         On the paper's dumbbell the p90 of small messages with XOFF at 30 KB and by the free buffer:{small}",
        low(0),
        low(1)
    );
    Ok(Figure { id: ID, title: "PAUSE", text, findings, plots: vec![("The victim".into(), legend, plot)] })
}
