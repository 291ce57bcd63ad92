//! Figures 8, 9, 10 and 12: TIMELY in packets and as fluid, its three starts, its bursts, and
//! patched TIMELY.
use super::finding::{Finding, least, most, near, within};
use super::runs::{Queue, Run, each, mean, packets, rate_line, settings, solved, starts};
use super::{Figure, Lab, PAYLOAD, TIMELY, curves, number, word};
use crate::fluid::settings::Model;
use crate::fluid::solve::FlowStart;
use crate::metrics::summary::jain;
use crate::scenario::vary::Change;
use toml::{Table, Value};

fn initial(a: f64, b: f64) -> Vec<Change> {
    vec![number("profile.a.initial_mbps", a * 1e3), number("profile.b.initial_mbps", b * 1e3)]
}

fn segment(packets: f64) -> Change {
    number("flow.*.segment_bytes", packets * 886.0)
}

/// So many senders like the first, in place of two.
pub fn many(n: u32) -> Vec<Change> {
    let from = (0..n).map(|i| Value::Integer(i.into())).collect();
    let mut flow = Table::new();
    flow.insert("from".into(), Value::Array(from));
    flow.insert("to".into(), Value::Integer(n.into()));
    flow.insert("profile".into(), Value::String("a".into()));
    flow.insert("packet_bytes".into(), Value::Integer(886));
    flow.insert("segment_bytes".into(), Value::Integer(14_176));
    vec![number("topology.hosts", f64::from(n + 1)), ("flow".into(), Value::Array(vec![Value::Table(flow)]))]
}

/// Patched TIMELY.
pub fn patched() -> Vec<Change> {
    let mut all = Vec::new();
    for p in ["a", "b"] {
        all.push(word(&format!("profile.{p}.control"), "patched-conext"));
        all.push(number(&format!("profile.{p}.beta"), 0.008));
    }
    all
}

fn gbps(runs: &[Run], flow: usize) -> Vec<f64> {
    each(runs, |r| r.shares[flow] * PAYLOAD)
}

// The rates of two flows, the first and the second of them.
fn pair(id: &'static str, of: &str, paper: [f64; 2], runs: &[Run], part: f64, why: &str) -> Vec<Finding> {
    let one = |k: usize, name: &str| {
        let values = gbps(runs, k);
        near(id, format!("{of}: {name} flow, Gb/s"), paper[k], mean(&values), part).seeds(&values).why(why)
    };
    let jains = each(runs, |r| r.jain);
    vec![
        one(0, "first"),
        one(1, "second"),
        within(id, format!("{of}: Jain's index"), jain(&paper), mean(&jains), 0.1).seeds(&jains).why(why),
    ]
}

fn rates(runs: &[Vec<Run>], names: &[&str]) -> Vec<(String, super::super::Legend, super::super::Plot)> {
    let one = |(name, r): (&&str, &Vec<Run>)| {
        let (legend, plot) = curves("time, ms", "rate, Gb/s", &[("first", r[0].rates[0].clone()), ("second", r[0].rates[1].clone())]);
        ((*name).to_owned(), legend, plot)
    };
    names.iter().zip(runs).map(one).collect()
}

/// Figure 8: packets against the fluid model.
pub fn figure_8(lab: &Lab) -> Result<Figure, String> {
    const ID: &str = "fig8";
    let s = settings(lab, Model::Timely, &["segment_kb=64"])?;
    let two = solved(&s, &starts(&[5.0, 5.0]), 100.0, 1.0, None)?;
    let ten = solved(&settings(lab, Model::Timely, &[])?, &starts(&[1.0; 10]), 100.0, 1.0, None)?;
    let peak = |q: &[f64]| q.iter().copied().fold(0.0, f64::max) / 1e3;
    let runs = packets(lab, TIMELY, &[vec![], [many(10), vec![number("profile.a.initial_mbps", 1000.0)]].concat()], |o| {
        (Run::of(o), o.summary.queue_max_kb)
    })?;
    let share = each(&runs[0], |r| r.0.shares.iter().copied().fold(0.0, f64::max) * PAYLOAD);
    let (top, top_10) = (each(&runs[0], |r| r.1), each(&runs[1], |r| r.1 / peak(&ten.queue)));
    let model = two.shares(0.07, 0.1)[0];
    let total_model = two.shares(0.07, 0.1).iter().sum::<f64>();
    let total = each(&runs[0], |r| r.0.shares.iter().sum::<f64>() / total_model);
    let findings = vec![
        near(ID, "2 flows, packets: rate of the faster flow, Gb/s", 5.14, mean(&share), 0.15).seeds(&share),
        near(ID, "2 flows, fluid: rate of a flow, Gb/s", 4.58, model, 0.15),
        near(ID, "2 flows: all rates in packets over those in the model", 1.0, mean(&total), 0.15).seeds(&total),
        near(ID, "2 flows, packets: peak of the queue, KB", 75.2, mean(&top), 0.15).seeds(&top),
        near(ID, "2 flows, fluid: peak of the queue, KB", 69.7, peak(&two.queue), 0.15),
        near(ID, "10 flows, fluid: peak of the queue, KB", 71.9, peak(&ten.queue), 0.15),
        near(ID, "10 flows: peak of the queue in packets over the model's", 1.0, mean(&top_10), 0.15)
            .seeds(&top_10)
            .why("ten bursts that end together add up to a queue of their own, which the model has not"),
    ];
    let (legend, plot) = curves("time, ms", "rate, Gb/s", &[("packets", runs[0][0].0.rates[0].clone()), ("fluid", rate_line(&two, 0))]);
    let (l2, p2) = curves("time, ms", "queue, KB", &[("packets", runs[0][0].0.curve.clone()), ("fluid", super::runs::line(&two))]);
    let text = "Two and ten flows from C / N each, segments of 64 KB for two and of 16 KB for ten.".into();
    let plots = vec![("Rate of one of two".into(), legend, plot), ("Queue of two".into(), l2, p2)];
    Ok(Figure { id: ID, title: "Figure 8: TIMELY, packets and fluid model", text, findings, plots })
}

/// Steps in which figure 9's late start is moved.
const PHASES: u32 = 10;

/// Figure 9: three starts, three ends.
pub fn figure_9(lab: &Lab) -> Result<Figure, String> {
    const ID: &str = "fig9";
    let longer = [initial(7.0, 3.0), vec![number("duration_ms", 300.0)]].concat();
    let sets = [
        initial(5.0, 5.0),
        vec![number("flow.1.start_us", 10_000.0)],
        initial(7.0, 3.0),
        [vec![segment(16.0)], initial(7.0, 3.0)].concat(),
        longer,
    ];
    // The late start moved through the first flow's time between two updates.
    let moved = (0..PHASES).map(|k| vec![number("flow.1.start_us", 10_000.0 + 100.0 * f64::from(k) / f64::from(PHASES))]);
    let other = [1000.0, 9600.0].map(|mbps| vec![number("flow.1.start_us", 10_000.0), number("profile.b.initial_mbps", mbps)]);
    // The paper's text has one of the two late, and does not say which.
    let first_late = vec![number("flow.0.start_us", 10_000.0)];
    let sets: Vec<_> = sets.into_iter().chain(moved).chain(other).chain([first_late]).collect();
    let runs = packets(lab, TIMELY, &sets, Run::of)?;
    let phases: Vec<f64> = runs[5..5 + PHASES as usize].iter().flat_map(|r| gbps(r, 1)).collect();
    let ends = |i: usize| mean(&gbps(&runs[5 + PHASES as usize + i], 1));
    let late = &format!(
        "the overload when the second starts decides the split. Moved through 100 us, the first flow's time between two updates, in {PHASES} steps, the start leaves the second \
         flow with {:.1} to {:.1} Gb/s at the end; from 1 and 9.6 Gb/s in place of 5 it ends at {:.1} and {:.1}. None of them comes to the paper's 6.3. The late flow ends lower, in the model \
         too. The paper's caption says that one of the two starts late, and not which: with the first flow as the late one the model ends at the paper's rates (next rows)",
        phases.iter().copied().fold(f64::MAX, f64::min),
        phases.iter().copied().fold(0.0, f64::max),
        ends(0),
        ends(1)
    );
    let why = "where TIMELY ends is no property of it: a microsecond between the starts moves it (see the spread), and it drifts on";
    let mut findings = [
        pair(ID, "5 + 5 Gb/s", [5.13, 3.90], &runs[0], 0.15, why),
        pair(ID, "the second 10 ms late", [2.88, 6.29], &runs[1], 0.15, late),
        pair(ID, "the first 10 ms late", [2.88, 6.29], &runs[7 + PHASES as usize], 0.15, late),
        pair(ID, "7 + 3 Gb/s", [6.32, 2.85], &runs[2], 0.15, why),
    ]
    .concat();
    let fluid = |set: &[&str], flows: &[FlowStart], ms: f64| -> Result<Vec<f64>, String> {
        Ok(solved(&settings(lab, Model::Timely, set)?, flows, ms, 1.0, None)?.shares(ms * 0.7e-3, ms * 1e-3))
    };
    let apart = starts(&[7.0, 3.0]);
    let (small, large, later) = (fluid(&[], &apart, 100.0)?, fluid(&["segment_kb=64"], &apart, 100.0)?, fluid(&[], &apart, 300.0)?);
    let model = fluid(&[], &[FlowStart { at: 0.01, ..FlowStart::new(5.0) }, FlowStart::new(5.0)], 100.0)?;
    findings.push(near(ID, "fluid, 16 KB, the first 10 ms late: first flow, Gb/s", 2.88, model[0], 0.15));
    findings.push(near(ID, "fluid, 16 KB, the first 10 ms late: second flow, Gb/s", 6.29, model[1], 0.15));
    findings.push(within(ID, "fluid, 7 + 3, 16 KB, 70 to 100 ms: first flow, Gb/s", 7.1, small[0], 0.2));
    findings.push(within(ID, "fluid, 7 + 3, 16 KB, 70 to 100 ms: second flow, Gb/s", 2.2, small[1], 0.2));
    findings.push(within(ID, "fluid, 7 + 3, 16 KB, 70 to 100 ms: Jain's index", 0.79, jain(&small), 0.01));
    findings.push(within(ID, "fluid, 7 + 3, 64 KB: Jain's index", 0.873, jain(&large), 0.01));
    findings.push(within(ID, "fluid, 7 + 3, 16 KB, 210 to 300 ms, where it has drifted on: first flow, Gb/s", 7.41, later[0], 0.1));
    let (drift, small_jain) = (each(&runs[4], |r| r.jain), each(&runs[3], |r| r.jain));
    findings.push(
        most(ID, "packets, 7 + 3, 64 KB: Jain's index of 210 to 300 ms", mean(&each(&runs[2], |r| r.jain)), mean(&drift))
            .seeds(&drift)
            .in_words(),
    );
    findings.push(most(ID, "packets, 7 + 3, 16 KB: Jain's index of 70 to 100 ms", 0.79, mean(&small_jain)).seeds(&small_jain).in_words());
    let text = "Two flows that differ in their starts alone end at different splits of the line.".into();
    Ok(Figure {
        id: ID,
        title: "Figure 9: TIMELY's three starts",
        text,
        findings,
        plots: rates(&runs, &["5 + 5 Gb/s", "The second 10 ms late", "7 + 3 Gb/s"]),
    })
}

/// Figure 10: bursts at line rate.
pub fn figure_10(lab: &Lab) -> Result<Figure, String> {
    const ID: &str = "fig10";
    let posted = || word("nic.kind", "posted");
    let slow = number("nic.spacing_mbps", 6000.0);
    let sets = [[vec![posted(), segment(16.0)], initial(7.0, 3.0)].concat(), vec![posted()], vec![posted(), slow]];
    let runs = packets(lab, TIMELY, &sets, Run::of)?;
    let why = "two bursts of 64 KB that meet take each flow down to the least rate at once, from where it climbs by 10 Mb/s a burst; when they meet decides \
               how far it has come by the end";
    let mut findings = pair(
        ID,
        "7 + 3 Gb/s in bursts of 16 KB",
        [4.54, 4.43],
        &runs[0],
        0.15,
        "bursts act as noise, and how much depends on when they meet",
    );
    findings.extend(pair(ID, "5 + 5 Gb/s in bursts of 64 KB", [0.479, 0.479], &runs[1], 0.3, why));
    let used = each(&runs[1], |r| r.utilization);
    findings.push(most(ID, "bursts of 64 KB: utilization", 0.3, mean(&used)).seeds(&used).in_words());
    let used = each(&runs[2], |r| r.utilization);
    findings
        .push(least(ID, "the same bursts sent at 6 Gb/s, below the line's rate: utilization", 0.3, mean(&used)).seeds(&used).in_words());
    let text = "TIMELY's own senders post bursts that leave at line rate. Those of 16 KB bring fairness, as noise does; those of 64 KB bring the rates down.".into();
    Ok(Figure { id: ID, title: "Figure 10: TIMELY's bursts", text, findings, plots: rates(&runs, &["16 KB", "64 KB", "64 KB at 6 Gb/s"]) })
}

/// Figure 12: patched TIMELY.
pub fn figure_12(lab: &Lab) -> Result<Figure, String> {
    const ID: &str = "fig12";
    let run = |ms: f64| vec![segment(16.0), number("duration_ms", ms)];
    let forty = [many(40), patched(), vec![number("profile.a.initial_mbps", 250.0), number("duration_ms", 300.0)]].concat();
    let runs = packets(lab, TIMELY, &[[run(300.0), patched(), initial(7.0, 3.0)].concat(), forty], Run::of)?;
    let fluid = solved(&settings(lab, Model::Patched, &[])?, &starts(&[7.0, 3.0]), 300.0, 1.0, None)?;
    let (q, rate) = (Queue::fluid(&fluid, 290.0), fluid.shares(0.29, 0.3));
    let queue = each(&runs[0], |r| r.queue.mean);
    let mut findings = pair(ID, "7 + 3 Gb/s", [4.79, 4.78], &runs[0], 0.02, "");
    let (share, middle) = (each(&runs[1], |r| mean(&r.shares) * PAYLOAD), each(&runs[1], |r| r.queue.median));
    let (low, top) = (each(&runs[1], |r| r.queue.least), each(&runs[1], |r| r.queue.most));
    let why = "packets of 40 flows swing, as the delay system's roots say (unstable from 20 flows on), and the paper's clock of updates is not ours";
    findings.extend([
        near(ID, "queue in packets, KB", 72.6, mean(&queue), 0.05).seeds(&queue),
        within(ID, "queue of the fluid model, KB", 78.125, q.mean, 0.1),
        within(ID, "first flow in the fluid model, Gb/s", 5.0, rate[0], 0.005),
        near(ID, "40 flows: rate of a flow, Gb/s", 0.241, mean(&share), 0.05).seeds(&share),
        near(ID, "40 flows: median queue, KB", 358.5, mean(&middle), 0.15).seeds(&middle).why(why),
        near(ID, "40 flows: least queue, KB", 326.0, mean(&low), 0.15).seeds(&low).why(why),
        near(ID, "40 flows: greatest queue, KB", 387.0, mean(&top), 0.15).seeds(&top).why(why),
    ]);
    let (legend, plot) = curves("time, ms", "queue, KB", &[("2 flows", runs[0][0].curve.clone()), ("40 flows", runs[1][0].curve.clone())]);
    let text = "Patched TIMELY becomes fair, and its queue is C T_low (1 + N delta / (beta C)): longer with more flows.".into();
    let mut plots = rates(&runs[..1], &["7 + 3 Gb/s"]);
    plots.push(("Queues".into(), legend, plot));
    Ok(Figure { id: ID, title: "Figure 12: patched TIMELY", text, findings, plots })
}
