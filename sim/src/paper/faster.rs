//! Beyond the paper: TIMELY at ten times the speed (section 8), on the network of table 1.
use super::finding::{least, most, near};
use super::segments::segment;
use super::{Figure, Lab, STAR, distributions, number, rtt_cdf};
use crate::scenario::build::Outcome;
use crate::scenario::vary::Change;

/// Speed over the paper's.
const TIMES: f64 = 10.0;

// Ten times the speed: what counts bytes or bits a second is ten times as large, and what counts
// time is as it was.
fn fast(segment_kb: f64) -> Vec<Change> {
    vec![
        number("link.rate_gbps", 10.0 * TIMES),
        number("switch.xoff_kb", 150.0 * TIMES),
        number("profile.timely.initial_mbps", 500.0 * TIMES),
        number("profile.timely.least_mbps", 10.0 * TIMES),
        number("profile.timely.additive_step_mbps", 10.0 * TIMES),
        segment(segment_kb),
    ]
}

/// 40 connections to two links, of 10 Gb/s and of 100.
pub fn faster(lab: &Lab) -> Result<Figure, String> {
    const ID: &str = "faster";
    // Segments that stay short are answered ten times as often. What changes a rate with each
    // answer is made as slow as it was: the additive step is for the time from answer to answer at
    // 10 Gb/s, and the gradient's filter reaches as far back.
    let step = || number("profile.timely.update_interval_us", 250.0);
    let filter = || number("profile.timely.alpha", 0.004);
    let sets = [
        vec![],
        fast(16.0 * TIMES),
        fast(16.0),
        [fast(16.0), vec![step(), filter()]].concat(),
        [fast(16.0), vec![step()]].concat(),
        [fast(16.0), vec![filter()]].concat(),
    ];
    let runs = lab.runs("star.toml", STAR, &sets)?;
    let used = |i: usize| {
        let w = runs[i].recorder.windows;
        let gbps = if i == 0 { 10.0 } else { 10.0 * TIMES };
        let wire: u64 = runs[i].recorder.flows.iter().map(|f| f.wire_steady).sum();
        wire as f64 * 8e3 / (w.end - w.steady) as f64 / (2.0 * gbps)
    };
    let p99 = |i: usize| runs[i].summary.rtt_measured_us.p99;
    let why = format!(
        "segments of 16 KB are answered ten times as often at ten times the rate, and the law steps with each answer: its gain is ten times as high over the \
         loop's delay, which is as it was. With the additive step for 250 us and alpha at .004, so that the gradient is of as long a time as at 10 Gb/s, \
         utilization is {:.3}; with the step alone {:.3}, with alpha alone {:.3}",
        used(3),
        used(4),
        used(5)
    );
    let findings = vec![
        near(ID, "100 Gb/s, segments ten times as long: utilization over that at 10 Gb/s", 1.0, used(1) / used(0), 0.02),
        most(ID, "100 Gb/s, segments ten times as long: 99th percentile of the RTT over that at 10 Gb/s", 1.1, p99(1) / p99(0)),
        least(ID, "100 Gb/s, segments ten times as long: Jain's index", 0.95, runs[1].summary.jain),
        least(ID, "100 Gb/s, segments of 16 KB: utilization over that at 10 Gb/s", 0.98, used(2) / used(0)).why(&why),
        least(ID, "100 Gb/s, segments of 16 KB, step and gradient by time: utilization over that at 10 Gb/s", 0.98, used(3) / used(0)),
        most(
            ID,
            "100 Gb/s, segments of 16 KB, step and gradient by time: 99th percentile of the RTT over that at 10 Gb/s",
            0.9,
            p99(3) / p99(0),
        ),
        least(ID, "100 Gb/s, segments of 16 KB, step and gradient by time: Jain's index", 0.95, runs[3].summary.jain),
    ];
    let told = |i: usize, o: &Outcome| {
        let r = o.summary.rtt_measured_us;
        format!(
            "utilization {:.3}, RTT {:.0} us in the mean and {:.0} at the 99th percentile, Jain's index {:.3}",
            used(i),
            r.mean,
            r.p99,
            o.summary.jain
        )
    };
    let names = ["10 Gb/s, 16 KB", "100 Gb/s, 160 KB", "100 Gb/s, 16 KB", "100 Gb/s, 16 KB, step and gradient by time"];
    let rows: Vec<String> = names.iter().zip(&runs).enumerate().map(|(i, (n, o))| format!("{n}: {}.", told(i, o))).collect();
    let text = format!(
        "The network of table 1 with links of 100 Gb/s: thresholds and delays are as they were, rates, additive step and XOFF ten times as large ({} KB).<br>{}",
        150.0 * TIMES,
        rows.join("<br>")
    );
    let named: Vec<_> = names.iter().zip(&runs).map(|(n, o)| (*n, rtt_cdf(&o.measured_rtt))).collect();
    let (legend, plot) = distributions("RTT, us", &named);
    Ok(Figure { id: ID, title: "Beyond: ten times the speed", text, findings, plots: vec![("RTTs of segments".into(), legend, plot)] })
}
