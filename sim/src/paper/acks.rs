//! Figure 5: congestion on the way back, and ACKs that pass it by. Beyond the paper: a signal that
//! leaves the way back out.
use super::finding::{least, most, near};
use super::{Figure, Lab, TWO_INCASTS, distributions, number, word};
use crate::metrics::summary::Spread;
use crate::scenario::build::Outcome;
use crate::scenario::vary::Change;
use toml::Value;

// The first eight flows are those of the incast that is looked at.
const FLOWS: u32 = 8;

// No reverse congestion: the incasts to the senders begin when the run is over.
fn late() -> Vec<Change> {
    (1..5).map(|i| number(&format!("flow.{i}.start_us"), 1e9)).collect()
}

// ACKs wait behind data.
fn behind() -> Change {
    ("switch.ack_priority".to_owned(), Value::Boolean(false))
}

// RTTs of the incast, us: as they were measured, or the true ones.
fn rtts(o: &Outcome, measured: bool) -> Vec<f64> {
    let steady = o.recorder.windows.steady;
    let of = o.recorder.rtts.iter().filter(|r| r.flow < FLOWS && r.sample.at >= steady);
    let ns = of.filter_map(|r| if measured { r.sample.measured_ns } else { r.sample.path.map(|ps| ps as f64 / 1e3) });
    ns.map(|ns| ns / 1e3).collect()
}

// Gb/s of the incast.
fn gbps(o: &Outcome) -> f64 {
    let w = o.recorder.windows;
    let wire: u64 = o.recorder.flows[..FLOWS as usize].iter().map(|f| f.wire_steady).sum();
    wire as f64 * 8e3 / (w.end - w.steady) as f64
}

/// The RTTs of an incast whose ACKs meet the data of others.
pub fn figure_5(lab: &Lab) -> Result<Figure, String> {
    const ID: &str = "fig5";
    // Connections that do not answer what they see: 1 Gb/s each.
    let constant = || {
        let name = || word("flow.0.profile", "constant");
        vec![
            name(),
            word("profile.constant.like", "fixed"),
            number("profile.constant.initial_mbps", 1000.0),
            number("profile.constant.timeout_us", 0.0),
        ]
    };
    let sets = [late(), vec![behind()], vec![], [late(), constant()].concat(), [vec![behind()], constant()].concat()];
    let runs = lab.runs("two_incasts.toml", TWO_INCASTS, &sets)?;
    let all: Vec<Vec<f64>> = runs.iter().map(|o| rtts(o, true)).collect();
    let tenth = |a: &[f64]| {
        let mut sorted = a.to_vec();
        sorted.sort_by(f64::total_cmp);
        sorted.get(sorted.len() / 10).copied().unwrap_or(f64::NAN)
    };
    let s: Vec<Spread> = all.iter().map(|a| Spread::of(a.clone())).collect();
    let t: Vec<f64> = runs.iter().map(gbps).collect();
    let held = format!(
        "TIMELY holds its RTTs where they were, whatever they are made of, and pays with throughput: {:.2} Gb/s and not {:.2}. Of connections that send \
         1 Gb/s each whatever they see the ratio is {:.2} in the mean and {:.2} at the 99th percentile",
        t[1],
        t[0],
        s[4].mean / s[3].mean,
        s[4].p99 / s[3].p99
    );
    let findings = vec![
        least(ID, "99th percentile of the RTT with ACKs behind data over that without reverse congestion", 1.05, s[1].p99 / s[0].p99)
            .in_words()
            .why(&held),
        most(ID, "10th percentile, the same", 1.0, tenth(&all[1]) / tenth(&all[0])).in_words().why(&held),
        most(ID, "throughput with ACKs behind data over that without reverse congestion", 0.95, t[1] / t[0]).in_words(),
        near(ID, "99th percentile of the RTT with ACK priority over that without reverse congestion", 1.0, s[2].p99 / s[0].p99, 0.1)
            .in_words(),
        near(ID, "median RTT with ACK priority over that without reverse congestion", 1.0, s[2].p50 / s[0].p50, 0.1).in_words(),
        near(ID, "throughput with ACK priority over that without reverse congestion", 1.0, t[2] / t[0], 0.05).in_words(),
    ];
    let names = ["no reverse congestion", "ACKs behind data", "ACKs before data"];
    let cdf = |mut a: Vec<f64>| {
        a.sort_by(f64::total_cmp);
        let n = a.len();
        (0..400).map(|k| (a[k * (n - 1) / 399], k as f64 / 399.0)).collect::<Vec<_>>()
    };
    let named: Vec<_> = names.iter().zip(all).map(|(n, a)| (*n, cdf(a))).collect();
    let (legend, plot) = distributions("RTT, us", &named);
    let text = format!(
        "When ACKs wait behind data, TIMELY sees queues that none of its packets is in: its RTTs are {:.0} us in the mean and not {:.0}, and as it \
         holds them down all the same, the incast gets {:.2} Gb/s and not {:.2}. Given priority, ACKs arrive as on an idle way: {:.0} us, {:.2} Gb/s.",
        s[1].mean, s[0].mean, t[1], t[0], s[2].mean, t[2]
    );
    Ok(Figure {
        id: ID,
        title: "Figure 5: congestion on the way back, and ACK priority",
        text,
        findings,
        plots: vec![("RTTs".into(), legend, plot)],
    })
}

/// Beyond the paper: the one-way delay as the signal, with and without congestion on the way back.
pub fn one_way(lab: &Lab) -> Result<Figure, String> {
    const ID: &str = "oneway";
    let by = || word("profile.timely.signal", "one_way");
    let sets = [late(), vec![behind()], [late(), vec![by()]].concat(), vec![behind(), by()]];
    let runs = lab.runs("two_incasts.toml", TWO_INCASTS, &sets)?;
    let t: Vec<f64> = runs.iter().map(gbps).collect();
    let of = |measured: bool| runs.iter().map(|o| Spread::of(rtts(o, measured))).collect::<Vec<_>>();
    let (signal, path) = (of(true), of(false));
    let queue = |i: usize| runs[i].summary.queue_kb.mean;
    let standing = format!(
        "the delay counts over the least of the last 4 to 8 ms, and a queue that never empties in that time counts as none: {:.0} KB in the mean by one-way delay \
         without reverse congestion, {:.0} by the RTT",
        queue(2),
        queue(0)
    );
    let findings = vec![
        most(ID, "by RTT: throughput with ACKs behind data over that without reverse congestion", 0.95, t[1] / t[0]),
        near(ID, "by one-way delay: throughput with ACKs behind data over that without reverse congestion", 1.0, t[3] / t[2], 0.02),
        near(ID, "by one-way delay: 99th percentile of the signal, the same", 1.0, signal[3].p99 / signal[2].p99, 0.1),
        least(
            ID,
            "by one-way delay, ACKs behind data: 99th percentile of the RTT over that of the signal",
            1.2,
            path[3].p99 / signal[3].p99,
        ),
        most(ID, "without reverse congestion: mean queue by one-way delay over that by RTT", 1.0, queue(2) / queue(0)).why(&standing),
        near(ID, "without reverse congestion: throughput by one-way delay over that by RTT", 1.0, t[2] / t[0], 0.02),
    ];
    let names =
        ["RTT, no reverse congestion", "RTT, ACKs behind data", "one-way delay, no reverse congestion", "one-way delay, ACKs behind data"];
    let named: Vec<_> = names.iter().zip(&runs).map(|(n, o)| (*n, super::stamps::cdf(rtts(o, true)))).collect();
    let (legend, plot) = distributions("signal, us", &named);
    let text = format!(
        "The incast of figure 5 under TIMELY by the delay of the way there alone, which an ACK tells of by its arrival's stamp. With ACKs behind data it gets {:.2} Gb/s, \
         and {:.2} without reverse congestion; by the RTT {:.2} and {:.2}. RTTs of the first are {:.0} us in the mean, the signal is {:.0}: the way back is not in it. The \
         signal's zero is the least of late, so that a queue which stands is not in it either: the mean queue is {:.0} and {:.0} KB, by the RTT {:.0} and {:.0}.",
        t[3],
        t[2],
        t[1],
        t[0],
        path[3].mean,
        signal[3].mean,
        queue(3),
        queue(2),
        queue(1),
        queue(0)
    );
    Ok(Figure { id: ID, title: "Beyond: the one-way delay as the signal", text, findings, plots: vec![("Signals".into(), legend, plot)] })
}
