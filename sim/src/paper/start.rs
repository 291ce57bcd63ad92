//! Figure 18: hyperactive increase when connections stop.
use super::finding::{least, near};
use super::{Figure, Lab, curves, number, word};
use crate::scenario::build::Outcome;
use crate::scenario::vary::Change;
use crate::time::MS;

const STOPS: &str = include_str!("../../scenarios/sigcomm15/stops.toml");

/// Figure 18: hyperactive increase.
pub fn figure_18(lab: &Lab) -> Result<Figure, String> {
    const ID: &str = "fig18";
    let without = || number("profile.timely.hyperactive_factor", 1.0);
    let low = || number("profile.timely.t_low_us", 0.0);
    let large = || number("flow.*.segment_bytes", 65_536.0);
    // Packet by packet, so that bursts that meet don't hold the rates down, and without a T_low, so that the gradient decides.
    let smooth = |more: Vec<Change>| [vec![word("nic.kind", "event"), low()], more].concat();
    let sets = [vec![], vec![without()], smooth(vec![]), smooth(vec![without()]), smooth(vec![large()]), smooth(vec![large(), without()])];
    let runs = Lab { quick: false, ..*lab }.runs("stops.toml", STOPS, &sets)?;
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
    let why = format!(
        "below T_low hyperactive increase does not act, and the idle links' RTTs are below it: each completion adds delta, so a rate grows by delta a \
         segment's time, with or without it. With T_low 0 and paced packets it takes {:.0} ms without and {:.0} ms with hyperactive increase, with segments \
         of 64 KB besides, which complete a fourth as often, {:.0} and {:.0} ms: the paper's slower rise fits completions as rare as those",
        reach(3, 1500.0),
        reach(2, 1500.0),
        reach(5, 1500.0),
        reach(4, 1500.0)
    );
    let findings = vec![
        near(ID, "rate at the stop, Mb/s", 200.0, at(0, 0.0), 0.2),
        near(ID, "with HAI: rate after 50 ms, Mb/s", 1500.0, at(0, 50.0), 0.2).why(&why),
        near(ID, "with HAI: rate after 100 ms, Mb/s", 2000.0, at(0, 100.0), 0.2).why(&why),
        near(ID, "without HAI: ms to 1.5 Gb/s", 140.0, reach(1, 1500.0), 0.2).why(&why),
        least(ID, "without HAI over with: time to 1.5 Gb/s", 140.0 / 50.0, reach(1, 1500.0) / reach(0, 1500.0)).why(&why),
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
