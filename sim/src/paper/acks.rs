//! Figure 5: congestion on the way back, and ACKs that pass it by.
use super::finding::{least, most, near};
use super::{Figure, Lab, TWO_INCASTS, distributions, number, word};
use crate::metrics::summary::Spread;
use crate::scenario::build::Outcome;
use toml::Value;

/// The RTTs of an incast whose ACKs meet the data of others.
pub fn figure_5(lab: &Lab) -> Result<Figure, String> {
    const ID: &str = "fig5";
    // The first eight flows are those of the incast that is looked at.
    const FLOWS: u32 = 8;
    let late = || (1..5).map(|i| number(&format!("flow.{i}.start_us"), 1e9)).collect::<Vec<_>>();
    let behind = ("switch.ack_priority".to_owned(), Value::Boolean(false));
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
    let sets = [late(), vec![behind.clone()], vec![], [late(), constant()].concat(), [vec![behind], constant()].concat()];
    let runs = lab.runs("two_incasts.toml", TWO_INCASTS, &sets)?;
    let rtts = |o: &Outcome| {
        let steady = o.recorder.windows.steady;
        let of = o.recorder.rtts.iter().filter(|r| r.flow < FLOWS && r.sample.at >= steady);
        of.filter_map(|r| r.sample.measured_ns).map(|ns| ns / 1e3).collect::<Vec<_>>()
    };
    let gbps = |o: &Outcome| {
        let w = o.recorder.windows;
        let wire: u64 = o.recorder.flows[..FLOWS as usize].iter().map(|f| f.wire_steady).sum();
        wire as f64 * 8e3 / (w.end - w.steady) as f64
    };
    let all: Vec<Vec<f64>> = runs.iter().map(rtts).collect();
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
