//! Table 1 with figures 13 and 14: TIMELY, PFC alone, DCTCP and FAST* (section 6.1).
use super::finding::{least, most, near, within};
use super::segments::segment;
use super::{Figure, Lab, STAR, distributions, number, rtt_cdf, throughput, word};
use crate::metrics::FlowRecord;
use crate::scenario::build::Outcome;
use crate::scenario::vary::Change;
use std::fmt::Write;

fn rival(name: &str, more: &[Change]) -> Vec<Change> {
    [word("profile.timely.control", name)].into_iter().chain(more.iter().cloned()).collect()
}

// Shares of connections, Mb/s, as a distribution.
fn shares(o: &Outcome) -> Vec<(f64, f64)> {
    let w = o.recorder.windows;
    let mbps = |r: &FlowRecord| r.wire_steady as f64 * 8e6 / (w.end - w.steady) as f64;
    let mut all: Vec<f64> = o.recorder.flows.iter().map(mbps).collect();
    all.sort_by(f64::total_cmp);
    let n = all.len() as f64;
    all.into_iter().enumerate().map(|(i, g)| (g, (i + 1) as f64 / n)).collect()
}

/// Throughput, RTT and fairness of TIMELY and others.
pub fn table_1(lab: &Lab) -> Result<Figure, String> {
    const ID: &str = "table1";
    let mark = || number("switch.mark_kb", 80.0);
    let paced = || word("nic.kind", "event");
    let fast = |mbps: f64, more: &[Change]| {
        let step = number("profile.timely.additive_step_mbps", mbps);
        rival("fast", &[vec![step], more.to_vec()].concat())
    };
    let arms = [
        ("TIMELY", vec![]),
        ("PFC alone", rival("none", &[])),
        ("DCTCP", rival("dctcp", &[mark(), paced()])),
        ("FAST* 10M", fast(10.0, &[])),
        ("FAST* 50M", fast(50.0, &[])),
        ("FAST* 100M", fast(100.0, &[])),
    ];
    // What the differences are put down to, taken away.
    let tests = [
        rival("dctcp", &[mark(), segment(64.0)]),
        fast(10.0, &[paced()]),
        fast(50.0, &[paced()]),
        fast(100.0, &[paced()]),
        rival("none", &[number("switch.xoff_kb", 75.0)]),
        fast(480.0, &[paced()]),
    ];
    let sets: Vec<_> = arms.iter().map(|a| a.1.clone()).chain(tests).collect();
    let runs = lab.runs("star.toml", STAR, &sets)?;
    let s = |i: usize| (throughput(&runs[i]), &runs[i].summary);
    let (timely, pfc, dctcp) = (s(0), s(1), s(2));
    let tested = |i: usize| s(arms.len() + i);
    let half = tested(4).1.rtt_measured_us.mean;
    let xoff = format!(
        "without control the RTT is N XOFF / C, so it measures the threshold of the switch: with half of our XOFF of 150 KB the mean is {half:.0} us"
    );
    let (bursts, kernel) = (
        tested(0).1.rtt_measured_us,
        "ours sends packet by packet and holds the queue at K = 80 KB; the paper's ran in a kernel, whose segments of up to 64 KB, one of each of \
         the 20 connections of a link, are more than K",
    );
    let kernel = format!(
        "{kernel}. With bursts of 64 KB in place of packets the same control has {:.0} us in the mean and {:.0} at the 99th percentile",
        bursts.mean, bursts.p99
    );
    let mut f = vec![
        near(ID, "TIMELY: throughput, Gb/s", 19.4, timely.0, 0.03),
        within(ID, "TIMELY: mean RTT, us", 61.0, timely.1.rtt_measured_us.mean, 15.0),
        within(ID, "TIMELY: 99th percentile of the RTT, us", 116.0, timely.1.rtt_measured_us.p99, 30.0),
        least(ID, "TIMELY: Jain's index", 0.95, timely.1.jain),
        most(ID, "TIMELY: pauses", 0.0, timely.1.pauses as f64),
        near(ID, "PFC: throughput, Gb/s", 19.5, pfc.0, 0.03),
        near(ID, "PFC: mean RTT, us", 658.0, pfc.1.rtt_measured_us.mean, 0.3).why(&xoff),
        near(ID, "PFC: 99th percentile of the RTT, us", 1036.0, pfc.1.rtt_measured_us.p99, 0.3).why(&xoff),
        near(ID, "DCTCP: throughput, Gb/s", 19.5, dctcp.0, 0.03),
        near(ID, "DCTCP: mean RTT, us", 598.0, dctcp.1.rtt_measured_us.mean, 0.3).why(&kernel),
        near(ID, "DCTCP: 99th percentile of the RTT, us", 1490.0, dctcp.1.rtt_measured_us.p99, 0.3).why(&kernel),
    ];
    for (i, (name, gbps, mean)) in
        [("FAST* 10M", 7.5, 19.0), ("FAST* 50M", 12.5, 120.0), ("FAST* 100M", 17.5, 354.0)].into_iter().enumerate()
    {
        let (ours, summary) = s(3 + i);
        let (smooth, calm) = tested(1 + i);
        let why = format!(
            "bursts that meet by chance look to a connection like a queue of its own, and it gives way. Sent packet by packet, without any burst, \
             the same law gives {smooth:.1} Gb/s; the paper is between that and ours"
        );
        f.push(near(ID, format!("{name}: throughput, Gb/s"), gbps, ours, 0.2).why(&why));
        let why = format!(
            "the published law keeps its parameter's worth of each rate in the queue, so that 20 connections on a link have an RTT of \
             base / (1 - 20 alpha / C), 12.5 us at 100 Mb/s; sent packet by packet we get {:.0} us here. It takes 480 Mb/s for {:.0} us: \
             the paper's FAST* must weigh its parameter otherwise, which it does not say",
            calm.rtt_measured_us.mean,
            tested(5).1.rtt_measured_us.mean
        );
        f.push(near(ID, format!("{name}: mean RTT, us"), mean, summary.rtt_measured_us.mean, 0.3).why(&why));
    }
    f.push(
        near(ID, "mean RTT of PFC over TIMELY's", 658.0 / 61.0, pfc.1.rtt_measured_us.mean / timely.1.rtt_measured_us.mean, 0.3).why(&xoff),
    );
    let ordered = s(3).0 < s(4).0 && s(4).0 < s(5).0;
    f.push(least(ID, "throughput of FAST* rises with its parameter (1: yes)", 1.0, f64::from(ordered)));
    let slower = s(3).1.rtt_measured_us.mean < s(4).1.rtt_measured_us.mean && s(4).1.rtt_measured_us.mean < s(5).1.rtt_measured_us.mean;
    f.push(least(ID, "and so does its RTT (1: yes)", 1.0, f64::from(slower)));
    let named: Vec<_> = arms.iter().zip(&runs).map(|(a, o)| (a.0, rtt_cdf(&o.measured_rtt))).collect();
    let (legend, plot) = distributions("RTT, us", &named);
    let named: Vec<_> = arms.iter().zip(&runs).map(|(a, o)| (a.0, shares(o))).collect();
    let (legend_2, plot_2) = distributions("throughput of a connection, Mb/s", &named);
    let mut text = "40 connections. Rows of the table: throughput Gb/s, mean RTT, 99th percentile, Jain's index, pauses.<br>".to_owned();
    for (a, o) in arms.iter().zip(&runs) {
        let r = &o.summary;
        write!(
            text,
            "{}: {:.2}, {:.0}, {:.0}, {:.3}, {}<br>",
            a.0,
            throughput(o),
            r.rtt_measured_us.mean,
            r.rtt_measured_us.p99,
            r.jain,
            r.pauses
        )
        .expect("writing to a string");
    }
    write!(text, "DCTCP in bursts of 64 KB: {:.2}, {:.0}, {:.0}", tested(0).0, bursts.mean, bursts.p99).expect("writing to a string");
    let plots = vec![("Figure 14: RTTs of segments".into(), legend, plot), ("Figure 13: shares of connections".into(), legend_2, plot_2)];
    Ok(Figure { id: ID, title: "Table 1, figures 13 and 14: TIMELY, PFC, DCTCP, FAST*", text, findings: f, plots })
}
