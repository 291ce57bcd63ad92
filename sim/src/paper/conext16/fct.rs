//! Figures 14 to 16: completion times of small messages on a dumbbell, and its trunk's queue.
use super::finding::{Finding, least, most, near};
use super::runs::{Queue, each, mean, packets, thinned};
use super::{DUMBBELL, Figure, Lab, decades, distributions, number, word};
use crate::metrics::Tap;
use crate::paper::dcqcn_profile;
use crate::scenario::build::Outcome;
use crate::scenario::vary::Change;
use crate::time::{MS, NEVER, US};

/// Small messages are below this, bytes.
const SMALL: u64 = 100_000;
/// Other bounds of small messages, bytes.
const OTHER_BOUNDS: [u64; 2] = [30_000, 300_000];
/// Bytes on the wire of a packet and a bit more, so that one that is being sent is no queue.
const PACKET: u64 = 1_200;
const LOADS: [f64; 4] = [0.1, 0.4, 0.8, 1.0];

struct Study {
    // Times of small messages, us, in order.
    times: Vec<f64>,
    // 90th percentiles with other bounds of what is small, us.
    other_bounds: [f64; 2],
    posted: usize,
    done: usize,
    utilization: f64,
    queue: Queue,
    top: f64,
    // 5th and 95th percentile of the trunk's queue, KB.
    band: (f64, f64),
    // The same of its means over times of 1 and of 10 ms in which it was busy.
    busy: [(f64, f64); 2],
    pauses: f64,
    dropped: f64,
    curve: Vec<(f64, f64)>,
}

// Times of complete messages below so many bytes, less the unloaded RTT, us, in order.
fn times_below(o: &Outcome, bytes: u64) -> Vec<f64> {
    let of = o.messages.iter().filter(|m| m.1.bytes < bytes && m.1.start >= o.recorder.windows.steady && m.1.done != NEVER);
    let mut times: Vec<f64> = of.map(|m| (m.1.done - m.1.start) as f64 / US as f64 - o.base_rtt_us).collect();
    times.sort_by(f64::total_cmp);
    times
}

/// Times of small messages, us, in order.
pub fn small(o: &Outcome) -> Vec<f64> {
    times_below(o, SMALL)
}

// 5th and 95th percentile of the means over times of so many ms in nine tenths of which a packet
// waited, KB.
fn busy(trunk: &Tap, from: usize, ms: u64) -> (f64, f64) {
    let samples = (ms * MS / trunk.interval) as usize;
    let waits = |q: &[u64]| q.iter().filter(|b| **b > PACKET).count() * 10 >= q.len() * 9;
    let mean = |q: &[u64]| q.iter().map(|b| *b as f64 / 1e3).sum::<f64>() / q.len() as f64;
    let mut means: Vec<f64> = trunk.series[from..].chunks_exact(samples).filter(|q| waits(q)).map(mean).collect();
    means.sort_by(f64::total_cmp);
    (quantile(&means, 0.05), quantile(&means, 0.95))
}

fn read(o: &Outcome) -> Study {
    // The first watched port is a receiver's, the second the trunk's.
    let trunk = &o.recorder.taps[1];
    let seconds = (o.recorder.windows.end - o.recorder.windows.steady) as f64 * 1e-12;
    Study {
        posted: o.messages.len(),
        done: o.messages.iter().filter(|m| m.1.done != NEVER).count(),
        times: small(o),
        other_bounds: OTHER_BOUNDS.map(|b| quantile(&times_below(o, b), 0.9)),
        utilization: trunk.wire_steady as f64 * 8.0 / seconds / 10e9,
        queue: Queue::steady(o, 1),
        top: trunk.max as f64 / 1e3,
        band: (trunk.histogram.quantile(0.05) / 1e3, trunk.histogram.quantile(0.95) / 1e3),
        busy: [1, 10].map(|ms| busy(trunk, (o.recorder.windows.steady / trunk.interval) as usize, ms)),
        pauses: o.summary.pauses as f64,
        dropped: o.summary.dropped as f64,
        curve: thinned(trunk),
    }
}

/// DCQCN in place of TIMELY, its packets paced.
pub fn dcqcn() -> Vec<Change> {
    vec![word("nic.kind", "event"), dcqcn_profile("sender"), number("load.0.segment_bytes", 16_000.0)]
}

/// A quantile of values in order.
pub fn quantile(times: &[f64], p: f64) -> f64 {
    times.get(((times.len() as f64 * p) as usize).min(times.len().saturating_sub(1))).copied().unwrap_or(f64::NAN)
}

/// Figures 14 to 16.
pub fn figures_14_to_16(lab: &Lab) -> Result<Figure, String> {
    const ID: &str = "fig14";
    let patched = vec![word("profile.sender.control", "patched-conext"), number("profile.sender.beta", 0.008)];
    let arms = [("TIMELY", vec![]), ("patched TIMELY", patched), ("DCQCN", dcqcn())];
    let sets: Vec<Vec<Change>> =
        arms.iter().flat_map(|a| LOADS.map(|l| [a.1.clone(), vec![number("load.0.load", l * 0.08)]].concat())).collect();
    // TIMELY with the beta of the patched law, and patched TIMELY in bursts of 16 KB, at all loads.
    let mild = LOADS.map(|l| vec![number("profile.sender.beta", 0.008), number("load.0.load", l * 0.08)]);
    let short =
        LOADS.map(|l| [arms[1].1.clone(), vec![number("load.0.segment_bytes", 16_000.0), number("load.0.load", l * 0.08)]].concat());
    let sets: Vec<_> = sets.into_iter().chain(mild).chain(short).collect();
    let runs = packets(lab, DUMBBELL, &sets, read)?;
    let (mild, short) = (&runs[arms.len() * LOADS.len()..], &runs[(arms.len() + 1) * LOADS.len()..]);
    let p90 = |s: &[Study]| mean(&each(s, |s| quantile(&s.times, 0.9)));
    let p90_median = |s: &[Study]| super::super::finding::median(&each(s, |s| quantile(&s.times, 0.9)));
    let gentle = format!(
        "with a beta of .008, patched TIMELY's, in place of .8 the published times come out at load .8, and the p90 at 1: {:.0}, {:.0}, {:.0} and {:.0} us at the four loads in the median of seeds, and the trunk's queue fills the buffer. With .8 a flow whose first RTT rises falls to the least rate at once",
        p90_median(&mild[0]),
        p90_median(&mild[1]),
        p90_median(&mild[2]),
        p90_median(&mild[3])
    );
    let bursts = format!(
        "in bursts of 64 KB; in bursts of 16 KB the p90 is {:.0}, {:.0}, {:.0} and {:.0} us at the four loads, and the median at load 1 {:.0}. The paper gives 16 to 64 KB",
        p90(&short[0]),
        p90(&short[1]),
        p90(&short[2]),
        p90(&short[3]),
        mean(&each(&short[3], |s| quantile(&s.times, 0.5)))
    );
    let published = [
        ([16.0, 26.0, 125.5, 837.0], [45.0, 375.0, 7359.0, 7384.0]),
        ([16.0, 23.0, 61.0, 408.0], [45.0, 186.0, 7310.0, 7384.0]),
        ([16.0, 23.0, 40.0, 56.5], [45.0, 90.4, 190.0, 246.0]),
    ];
    let mut findings: Vec<Finding> = Vec::new();
    let mut text = "Small: below 100 KB. All messages start at line rate (TIMELY at 96 % of it); PFC by 16 times the free part of the switch's 9 MB; marks \
                    from 5 KB on, 1 % at 200 KB, by the trunk's queue. Load, messages posted, complete, trunk's utilization, its mean and greatest queue in KB, pauses, drops:<br>"
        .to_owned();
    let at = |arm: usize, load: usize| &runs[arm * LOADS.len() + load];
    for (a, (name, _)) in arms.iter().enumerate() {
        for (l, load) in LOADS.iter().enumerate() {
            for (p, q, paper) in [("median", 0.5, published[a].0[l]), ("p90", 0.9, published[a].1[l])] {
                let ours = each(at(a, l), |s| quantile(&s.times, q));
                let quantity = format!("{name}, load {load}: {p} of small messages' times, us");
                // By order of magnitude where the paper's buffer is full.
                let f = if *load < 0.5 { near(ID, quantity, paper, mean(&ours), 0.3) } else { order(ID, quantity, paper, mean(&ours)) };
                let why = match (a, p) {
                    (0, _) => gentle.as_str(),
                    (1, _) => bursts.as_str(),
                    (_, "median") => {
                        "half of the small messages are below 18 KB, which take 16 us with 114 bytes of headers a packet; the rest is waiting"
                    }
                    _ => "how often messages meet differs by draw, as the spread shows",
                };
                findings.push(f.seeds(&ours).why(why));
            }
            let s = at(a, l);
            text += &format!(
                "{name}: {load}, {}, {}, {:.2}, {:.0}, {:.0}, {:.0}, {:.0}<br>",
                s.iter().map(|s| s.posted).sum::<usize>(),
                s.iter().map(|s| s.done).sum::<usize>(),
                mean(&each(s, |s| s.utilization)),
                mean(&each(s, |s| s.queue.mean)),
                s.iter().map(|s| s.top).fold(0.0, f64::max),
                mean(&each(s, |s| s.pauses)),
                mean(&each(s, |s| s.dropped))
            );
        }
    }
    for (l, load) in LOADS.iter().enumerate() {
        for (p, q, paper) in [("median", 0.5, published[0].0[l]), ("p90", 0.9, published[0].1[l])] {
            let ours = each(&mild[l], |s| quantile(&s.times, q));
            let quantity = format!("TIMELY with a beta of .008, load {load}: {p} of small messages' times, us");
            let f = if *load < 0.5 { near(ID, quantity, paper, mean(&ours), 0.3) } else { order(ID, quantity, paper, mean(&ours)) };
            findings.push(f.seeds(&ours).why("how often messages meet differs by draw, as the spread shows"));
        }
    }
    for (a, arm) in arms.iter().enumerate() {
        let p90 = |k: usize| mean(&each(at(a, 2), |s| s.other_bounds[k]));
        text += &format!(
            "{} at load 0.8, with other bounds of small: p90 {:.0} us below 30 KB, {:.0} us below 300 KB<br>",
            arm.0,
            p90(0),
            p90(1)
        );
    }
    let worse = |a: usize| mean(&each(at(a, 2), |s| quantile(&s.times, 0.9))) / mean(&each(at(2, 2), |s| quantile(&s.times, 0.9)));
    findings.push(least("fig15", "load 0.8: p90 of TIMELY over that of DCQCN", 2.0, worse(0)).in_words());
    findings.push(least("fig15", "load 0.8: p90 of patched TIMELY over that of DCQCN", 2.0, worse(1)).in_words());
    let (low, high) = (each(at(2, 2), |s| s.band.0), each(at(2, 2), |s| s.band.1));
    let ends = |k: usize| (each(at(2, 2), |s| s.busy[k].0), each(at(2, 2), |s| s.busy[k].1));
    let ((low_ms, high_ms), (low_ten, high_ten)) = (ends(0), ends(1));
    let why = &format!(
        "ours are 5 and 95 % of four seconds, two thirds of which the trunk has no queue at the load of 8 Gb/s times 0.8. The paper's band is that of the fixed points of 2 to 9 flows, 20 and 108 KB: \
         a busy trunk's. In milliseconds in which a packet always waits the means of the queue go from {:.0} to {:.0} KB, in times of 10 ms from {:.0} to {:.0}",
        mean(&low_ms),
        mean(&high_ms),
        mean(&low_ten),
        mean(&high_ten)
    );
    findings.push(
        near("fig16", "DCQCN, load 0.8, busy milliseconds: low end of the trunk's queue, KB", 23.0, mean(&low_ms), 0.3)
            .seeds(&low_ms)
            .why(why),
    );
    findings.push(
        near("fig16", "DCQCN, load 0.8, busy milliseconds: high end of the trunk's queue, KB", 102.0, mean(&high_ms), 0.3)
            .seeds(&high_ms)
            .why(why),
    );
    findings.push(
        near("fig16", "DCQCN, load 0.8: low end of the trunk's queue (5 % of the time is below), KB", 23.0, mean(&low), 0.3)
            .seeds(&low)
            .why(why),
    );
    findings.push(
        near("fig16", "DCQCN, load 0.8: high end of the trunk's queue (95 % is below), KB", 102.0, mean(&high), 0.3).seeds(&high).why(why),
    );
    for (a, paper) in [(0, 9218.0), (1, 9172.0)] {
        let top = each(at(a, 2), |s| s.top);
        findings.push(
            order("fig16", format!("{}, load 0.8: greatest queue of the trunk, KB", arms[a].0), paper, mean(&top)).seeds(&top).why(&gentle),
        );
    }
    let top = each(&mild[2], |s| s.top);
    findings
        .push(near("fig16", "TIMELY with a beta of .008, load 0.8: greatest queue of the trunk, KB", 9218.0, mean(&top), 0.3).seeds(&top));
    let used = |a: usize| mean(&each(at(a, 2), |s| s.utilization));
    findings.push(
        near("fig16", "load 0.8: utilization of the trunk under TIMELY over that under DCQCN", 1.0, used(0) / used(2), 0.1).in_words(),
    );
    findings.push(
        most("fig16", "frames dropped in all runs", 0.0, runs.iter().flatten().map(|s| s.dropped).sum())
            .why("PAUSE by 16 times the free part of the buffer leaves no room for what is under way when the buffer is nearly full"),
    );
    let over_load = |q: f64| {
        arms.iter()
            .enumerate()
            .map(|(a, arm)| {
                (arm.0, LOADS.iter().enumerate().map(|(l, x)| (*x, mean(&each(at(a, l), |s| quantile(&s.times, q))))).collect::<Vec<_>>())
            })
            .collect::<Vec<_>>()
    };
    let mut plots = Vec::new();
    for (name, q) in [("Figure 14: medians", 0.5), ("Figure 14: 90th percentiles", 0.9)] {
        let (legend, plot) = decades("load", "time of a small message, us", 1.0, &over_load(q));
        plots.push((name.to_owned(), legend, plot));
    }
    let cdf = |times: &[f64]| (0..=200).map(|k| (quantile(times, f64::from(k) / 200.0), f64::from(k) / 200.0)).collect::<Vec<_>>();
    let named: Vec<_> = arms.iter().enumerate().map(|(a, arm)| (arm.0, cdf(&at(a, 2)[0].times))).collect();
    let (legend, plot) = distributions("time of a small message, us", &named);
    plots.push(("Figure 15: times at load 0.8".into(), legend, plot));
    let named: Vec<_> = arms.iter().enumerate().map(|(a, arm)| (arm.0, at(a, 2)[0].curve.clone())).collect();
    let (legend, plot) = decades("time, ms", "trunk's queue, KB", 1.0, &named);
    plots.push(("Figure 16: the trunk's queue at load 0.8".into(), legend, plot));
    Ok(Figure { id: ID, title: "Figures 14 to 16: completion times on a dumbbell", text, findings, plots })
}

// Agrees within a factor of 3.2, half an order of magnitude.
fn order(id: &'static str, quantity: impl Into<String>, paper: f64, ours: f64) -> Finding {
    super::finding::factor(id, quantity, paper, ours, 3.2)
}
