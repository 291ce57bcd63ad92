//! Figure 18: hyperactive increase when connections stop.
use super::finding::near;
use super::{Figure, Lab, curves, number, word};
use crate::scenario::build::Outcome;
use crate::scenario::vary::Change;
use crate::time::MS;
use toml::Value;

const STOPS: &str = include_str!("../../scenarios/sigcomm15/stops.toml");

// Mean rate of the ten connections that go on, Mb/s, by the ms since the others stopped.
fn climb(o: &Outcome) -> Vec<(f64, f64)> {
    let (stop, bin) = (300 * MS, 5 * MS);
    let mut rates = [500.0f64; 10];
    let (mut points, mut next) = (Vec::new(), stop);
    for r in o.recorder.rates.iter().filter(|r| r.flow < 10) {
        while r.sample.at >= next {
            points.push(((next - stop) as f64 / MS as f64, rates.iter().sum::<f64>() / 10.0));
            next += bin;
        }
        rates[r.flow as usize] = r.sample.mbps;
    }
    points
}

/// Figure 18: hyperactive increase.
pub fn figure_18(lab: &Lab) -> Result<Figure, String> {
    const ID: &str = "fig18";
    let algorithm = || ("profile.timely.algorithm_1".to_owned(), Value::Boolean(true));
    let without = || number("profile.timely.hyperactive_factor", 1.0);
    // Packet by packet, so that bursts that meet don't hold the rates down, and without a T_low, so
    // that the gradient decides: below T_low both variants add delta a completion, whatever the
    // factor.
    let gradient = || vec![word("nic.kind", "event"), number("profile.timely.t_low_us", 0.0), number("flow.*.segment_bytes", 65_536.0)];
    let both = |of: Vec<Change>| [of.clone(), [of, vec![without()]].concat()];
    let sets = [both([gradient(), vec![algorithm()]].concat()), both(gradient()), both(vec![algorithm()]), both(vec![])].concat();
    let runs = Lab { quick: false, ..*lab }.runs("stops.toml", STOPS, &sets)?;
    let climbs: Vec<_> = runs.iter().map(climb).collect();
    let at = |i: usize, ms: f64| climbs[i].iter().find(|p| p.0 >= ms).map_or(0.0, |p| p.1);
    let reach = |i: usize, mbps: f64| climbs[i].iter().find(|p| p.1 >= mbps).map_or(f64::INFINITY, |p| p.0);
    let faster = |i: usize| reach(i + 1, 1500.0) / reach(i, 1500.0);
    let code = "the authors' code counts completions whose RTT did not rise, and Algorithm 1 those whose gradient is not above 0, which noise interrupts less";
    let low = format!(
        "the RTTs of the idle links are below T_low, where hyperactive increase does not act: each completion adds delta, so rates grow by delta a \
         segment's time, with and without it. By the authors' code it is {:.2}",
        faster(6)
    );
    let findings = vec![
        near(ID, "Algorithm 1, T_low 0, 64 KB: rate at the stop, Mb/s", 200.0, at(0, 0.0), 0.3),
        near(ID, "Algorithm 1, T_low 0, 64 KB: ms to 1.5 Gb/s", 50.0, reach(0, 1500.0), 0.3),
        near(ID, "Algorithm 1, T_low 0, 64 KB: rate after 100 ms, Mb/s", 2000.0, at(0, 100.0), 0.2),
        near(ID, "Algorithm 1, T_low 0, 64 KB, no hyperactive increase: ms to 1.5 Gb/s", 140.0, reach(1, 1500.0), 0.3),
        near(ID, "authors' code, T_low 0, 64 KB: ms to 1.5 Gb/s", 50.0, reach(2, 1500.0), 0.3).why(code),
        near(ID, "authors' code, T_low 0, 64 KB, no hyperactive increase: ms to 1.5 Gb/s", 140.0, reach(3, 1500.0), 0.3).why(code),
        near(ID, "Algorithm 1, T_low 50 us, 16 KB: time to 1.5 Gb/s without hyperactive increase over that with it", 2.8, faster(4), 0.3)
            .why(&low),
    ];
    let names = ["Algorithm 1", "Algorithm 1, no hyperactive increase", "authors' code", "authors' code, no hyperactive increase"];
    let named: Vec<_> = names.iter().zip(&climbs).map(|(n, c)| (*n, c.clone())).collect();
    let (legend, plot) = curves("ms after the others stopped", "rate, Mb/s", &named);
    let text = format!(
        "Nine of ten connections stop. Without a T_low, with packets that are paced and segments of 64 KB, the others go to 1,500 Mb/s in {:.0} ms by \
         Algorithm 1 and in {:.0} ms by the authors' code, without hyperactive increase in {:.0} and {:.0} ms. With section 6's T_low of 50 us and 16 KB \
         in bursts it is {:.0} and {:.0} ms, and {:.0} and {:.0} without.",
        reach(0, 1500.0),
        reach(2, 1500.0),
        reach(1, 1500.0),
        reach(3, 1500.0),
        reach(4, 1500.0),
        reach(6, 1500.0),
        reach(5, 1500.0),
        reach(7, 1500.0)
    );
    Ok(Figure { id: ID, title: "Figure 18: hyperactive increase", text, findings, plots: vec![("Rates".into(), legend, plot)] })
}
