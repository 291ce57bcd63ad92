//! Future work of the paper: DCQCN changed so that its stability is monotonic in the number of
//! flows.
//!
//! The loop's gain is that of the marking probability by the queue over the probability itself, 1 /
//! (q - Kmin) at rest. A longer ramp lowers it where the margin has its dip, at a few to twenty
//! flows, more than for two flows, whose rates are limited by their stages; so the dip goes.
use super::finding::{Finding, least, most};
use super::runs::{Queue, Run, each, line, mean, packets, senders, settings, solved, starts};
use super::{DCQCN, Figure, Lab, curves, number};
use crate::fluid::settings::Model;
use crate::stability::{Row, row};

/// Numbers of flows.
const FLOWS: std::ops::RangeInclusive<u32> = 2..=100;
/// The ramp that is proposed: up to 4,000 KB at 1 %, twenty times as long.
const LONG: &str = "kmax_kb=4000";
/// The same slope with a top that the packets' queues do not reach.
const LONG_KB: f64 = 40_000.0;

fn margins(lab: &Lab, delay: &str, set: &[&str]) -> Result<Vec<Row>, String> {
    let s = settings(lab, Model::Dcqcn, &[&[delay], set].concat())?;
    let all: Result<Vec<_>, _> = FLOWS.map(|n| row(&s, n.into())).collect();
    Ok(all.map_err(|e| e.to_string())?.into_iter().flatten().collect())
}

// How often one flow more lowers the margin, and the row of the least margin.
fn falls(rows: &[Row]) -> (f64, &Row) {
    let margin = |r: &Row| r.margin_deg.unwrap_or(f64::MAX);
    let worst = rows.iter().min_by(|a, b| margin(a).total_cmp(&margin(b))).unwrap_or(&rows[0]);
    (rows.windows(2).filter(|w| margin(&w[1]) < margin(&w[0])).count() as f64, worst)
}

/// Margins by the number of flows with the paper's ramp and with a longer one, and packets where
/// the former is least stable.
pub fn monotonic(lab: &Lab) -> Result<Figure, String> {
    const ID: &str = "margins";
    let mut findings: Vec<Finding> = Vec::new();
    let mut lines = Vec::new();
    let mut least_stable = 2.0;
    for delay in ["4", "85"] {
        let of = format!("delay_us={delay}");
        let (stock, long) = (margins(lab, &of, &[])?, margins(lab, &of, &[LONG])?);
        let ((falls_stock, worst), (falls_long, worst_long)) = (falls(&stock), falls(&long));
        let deg = |r: &Row| r.margin_deg.unwrap_or(f64::NAN);
        findings.push(least(
            ID,
            format!("{delay} us, Kmax 200 KB: numbers from 2 to 99 at which one flow more lowers the margin"),
            1.0,
            falls_stock,
        ));
        findings.push(most(ID, format!("{delay} us, Kmax 4,000 KB: the same"), 0.0, falls_long));
        findings.push(least(ID, format!("{delay} us, Kmax 4,000 KB: least margin of 2 to 100 flows, degrees"), 0.0, deg(worst_long)));
        if delay == "85" {
            findings.push(most(ID, format!("85 us, Kmax 200 KB: least margin, degrees, of {} flows", worst.flows), 0.0, deg(worst)));
            least_stable = worst.flows;
            let queue = |rows: &[Row]| rows.iter().find(|r| r.flows == worst.flows).map_or(f64::NAN, |r| r.queue_kb);
            findings.push(most(
                ID,
                format!("its price: queue of {} flows at rest over that with Kmax 200 KB", worst.flows),
                25.0,
                queue(&long) / queue(&stock),
            ));
        }
        for (name, rows) in [("200 KB", stock), ("4,000 KB", long)] {
            lines.push((format!("{delay} us, Kmax {name}"), rows.iter().map(|r| (r.flows, deg(r))).collect::<Vec<_>>()));
        }
    }
    let n = least_stable as u32;
    let ms = if lab.quick { 100.0 } else { 400.0 };
    let swing = |top: &[&str]| -> Result<_, String> {
        let s = settings(lab, Model::Dcqcn, &[&["delay_us=85"], top].concat())?;
        let done = solved(&s, &starts(&vec![40.0; n as usize]), ms, 2.0, None)?;
        let q = Queue::fluid(&done, ms * 0.7);
        Ok((q.deviation / q.mean, line(&done)))
    };
    // Ramps go on beyond their tops, as the analysis takes them.
    let (stock, long) = (swing(&["kmax_kb=2000", "pmax=0.1"])?, swing(&["kmax_kb=40000", "pmax=0.1"])?);
    findings.push(least(
        ID,
        format!("fluid, {n} flows, 85 us, Kmax 200 KB: swing of the queue (standard deviation over mean)"),
        0.2,
        stock.0,
    ));
    findings.push(most(ID, format!("fluid, {n} flows, 85 us, Kmax 4,000 KB: the same"), 0.05, long.0));
    let arm = |n: u32, more: &[f64]| {
        let ramp = more.iter().map(|kb| number("switch.mark_most_kb", *kb));
        [
            senders(n),
            vec![number("link.delay_ns", 20_950.0), number("duration_ms", 400.0), number("switch.xoff_kb", 4000.0)],
            ramp.collect(),
        ]
        .concat()
    };
    let runs = packets(lab, DCQCN, &[arm(n, &[]), arm(n, &[LONG_KB]), arm(2, &[LONG_KB]), arm(64, &[LONG_KB])], Run::of)?;
    let swings = |i: usize| each(&runs[i], |r| r.queue.deviation / r.queue.mean);
    let why = "CNPs are discrete, and make queues of packets swing at any margin";
    let ratio: Vec<f64> = swings(1).iter().zip(swings(0)).map(|(a, b)| a / b).collect();
    findings.push(
        most(ID, format!("packets, {n} flows, 85 us: swing with Kmax 4,000 KB over that with 200 KB"), 1.0, mean(&ratio))
            .seeds(&ratio)
            .why(why),
    );
    let ratio: Vec<f64> = swings(1).iter().zip(swings(2)).map(|(a, b)| a / b).collect();
    findings.push(
        most(ID, format!("packets, 85 us, Kmax 4,000 KB: swing of {n} flows over that of 2"), 1.0, mean(&ratio)).seeds(&ratio).why(why),
    );
    let ratio: Vec<f64> = swings(3).iter().zip(swings(1)).map(|(a, b)| a / b).collect();
    findings.push(
        most(ID, format!("packets, 85 us, Kmax 4,000 KB: swing of 64 flows over that of {n}"), 1.0, mean(&ratio)).seeds(&ratio).why(why),
    );
    let used = each(&runs[1], |r| r.utilization);
    findings.push(least(ID, format!("packets, {n} flows, 85 us, Kmax 4,000 KB: utilization"), 0.95, mean(&used)).seeds(&used));
    let lines: Vec<_> = lines.iter().map(|l| (l.0.as_str(), l.1.clone())).collect();
    let (legend, plot) = curves("flows", "margin, degrees", &lines);
    let (legend_2, plot_2) = curves("time, ms", "queue, KB", &[("Kmax 200 KB", stock.1), ("Kmax 4,000 KB", long.1)]);
    let (legend_3, plot_3) =
        curves("time, ms", "queue, KB", &[("Kmax 200 KB", runs[0][0].curve.clone()), ("Kmax 4,000 KB", runs[1][0].curve.clone())]);
    let text = format!(
        "One constant changes, the length of the marking ramp: at 1 % on 4,000 KB in place of 200 the margin rises with every flow from 2 to 100, at 4 and at 85 us. \
         What it costs is queue: the marks at rest are the same, and lie twenty times as far up. With the paper's ramp {n} flows at 85 us are the least stable."
    );
    let plots = vec![
        ("Margins".into(), legend, plot),
        (format!("{n} flows, fluid"), legend_2, plot_2),
        (format!("{n} flows, packets"), legend_3, plot_3),
    ];
    Ok(Figure { id: ID, title: "DCQCN with a margin monotonic in the number of flows", text, findings, plots })
}
