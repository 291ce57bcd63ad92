//! Figures 5 and 18: ACKs behind data, and how fast connections take what others leave.
use super::{Figure, Lab, TWO_INCASTS, bound, curves, distributions, near, number};
use crate::metrics::summary::Spread;
use crate::scenario::build::Outcome;
use crate::time::MS;
use toml::Value;

const STOPS: &str = include_str!("../../scenarios/sigcomm15/stops.toml");

/// Figure 5: the RTTs of an incast whose ACKs meet the data of others.
pub fn figure_5(lab: &Lab) -> Result<Figure, String> {
    const ID: &str = "fig5";
    // The first eight flows are those of the incast that is looked at.
    const FLOWS: u32 = 8;
    let late = || (1..5).map(|i| number(&format!("flow.{i}.start_us"), 1e9)).collect::<Vec<_>>();
    let behind = ("switch.ack_priority".to_owned(), Value::Boolean(false));
    let runs = lab.runs("two_incasts.toml", TWO_INCASTS, &[late(), vec![behind], vec![]])?;
    let rtts = |o: &Outcome| {
        let steady = o.recorder.windows.steady;
        let of = o.recorder.rtts.iter().filter(|r| r.flow < FLOWS && r.sample.at >= steady);
        of.filter_map(|r| r.sample.measured_ns).map(|ns| ns / 1e3).collect::<Vec<_>>()
    };
    let all: Vec<Vec<f64>> = runs.iter().map(rtts).collect();
    let s: Vec<Spread> = all.iter().map(|a| Spread::of(a.clone())).collect();
    let findings = vec![
        near(ID, "99th percentile of the RTT with ACK priority over that without reverse congestion", 1.0, s[2].p99 / s[0].p99, 0.1, "-"),
        near(ID, "median RTT with ACK priority over that without reverse congestion", 1.0, s[2].p50 / s[0].p50, 0.1, "-"),
        bound(
            ID,
            "99th percentile of the RTT with ACKs behind data over that without reverse congestion",
            1.1,
            s[1].p99 / s[0].p99,
            true,
            "-",
        ),
    ];
    let names = ["no reverse congestion", "ACKs behind data", "ACKs before data"];
    let cdf = |mut a: Vec<f64>| {
        a.sort_by(f64::total_cmp);
        let n = a.len();
        (0..400).map(|k| (a[k * (n - 1) / 399], k as f64 / 399.0)).collect::<Vec<_>>()
    };
    let named: Vec<_> = names.iter().zip(all).map(|(n, a)| (*n, cdf(a))).collect();
    let (legend, plot) = distributions("RTT, us", &named);
    let text =
        "When ACKs wait behind data, TIMELY sees queues that none of its packets is in; given priority, they arrive as on an idle way.";
    Ok(Figure { id: ID, title: "Figure 5: ACK priority", text: text.into(), findings, plots: vec![("RTTs".into(), legend, plot)] })
}

/// Figure 18: hyperactive increase.
pub fn figure_18(lab: &Lab) -> Result<Figure, String> {
    const ID: &str = "fig18";
    let without = vec![number("profile.timely.hyperactive_factor", 1.0)];
    let runs = Lab { quick: false, ..*lab }.runs("stops.toml", STOPS, &[vec![], without])?;
    let stop = 300 * MS;
    // Mean rate of the ten that go on, in bins of 5 ms from the stop.
    let bin = 5 * MS;
    let curve = |o: &Outcome| {
        let mut rates = [500.0f64; 10];
        let mut points = Vec::new();
        let mut next = stop;
        for r in o.recorder.rates.iter().filter(|r| r.flow < 10) {
            while r.sample.at >= next {
                points.push(((next - stop) as f64 / MS as f64, rates.iter().sum::<f64>() / 10.0));
                next += bin;
            }
            rates[r.flow as usize] = r.sample.mbps;
        }
        points
    };
    let curves_of: Vec<_> = runs.iter().map(curve).collect();
    let at = |i: usize, ms: f64| curves_of[i].iter().find(|p| p.0 >= ms).map_or(0.0, |p| p.1);
    let reach = |i: usize, mbps: f64| curves_of[i].iter().find(|p| p.1 >= mbps).map_or(f64::INFINITY, |p| p.0);
    let why = "below T_low there is no hyperactive increase: the links are idle, RTTs are 10 us, and each completion adds delta, ever faster. It takes a \
               larger unloaded RTT than ours, or a T_low of 0, for the gradient to decide";
    let findings = vec![
        near(ID, "rate at the stop, Mb/s", 200.0, at(0, 0.0), 0.2, "-"),
        bound(ID, "with HAI: rate after 50 ms, Mb/s", 1500.0, at(0, 50.0), true, why),
        near(ID, "with HAI: rate after 100 ms, Mb/s", 2000.0, at(0, 100.0), 0.1, why),
        bound(ID, "without HAI: ms to 1.5 Gb/s", 140.0, reach(1, 1500.0), true, why),
    ];
    let (legend, plot) = curves(
        "ms after the others stopped",
        "rate, Mb/s",
        &[("hyperactive increase", curves_of[0].clone()), ("without", curves_of[1].clone())],
    );
    let text = format!(
        "Nine of ten connections stop. The others go from {:.0} to 1,500 Mb/s in {:.0} ms with hyperactive increase and {:.0} ms without.",
        at(0, 0.0),
        reach(0, 1500.0),
        reach(1, 1500.0)
    );
    Ok(Figure { id: ID, title: "Figure 18: hyperactive increase", text, findings, plots: vec![("Rates".into(), legend, plot)] })
}
