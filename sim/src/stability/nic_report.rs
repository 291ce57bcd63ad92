//! Outputs of the NIC's analysis: a table, CSV, and a page with plots.
use super::margin;
use super::nic::{Nic, Row};
use super::report::{Named, plot};
use crate::report::curves::figure;
use crate::report::page::{document, escape};
use crate::report::plot::Axis;

fn shown(v: Option<f64>, digits: usize) -> String {
    // A root of 0 is one of some 1e-9 of either sign.
    v.map_or("-".into(), |x| format!("{:.digits$}", if x.abs() < 1e-3 { 0.0 } else { x }))
}

/// Rows as a table of text.
pub fn table(rows: &[Row]) -> String {
    let mut t =
        "RTT us  flows  queue KB  margin deg  root 1/s           between flows  border  sampled deg  root 1/s     border  fluid KB  swing   integers KB  swing   period us  dead ns"
            .to_owned();
    for r in rows {
        let root = r.root.zip(r.root_omega).map_or("-".into(), |(re, im)| format!("{re:.0} {im:+.0}i"));
        t += &format!(
            "\n{:6} {:6} {:>9} {:>11} {root:>18} {:>14} {:>7} {:>12} {:>9} {:>10} {:9.2} {:6.4} {:13.2} {:6.4} {:>11} {:>8}",
            r.base_us,
            r.flows,
            shown(r.queue_kb, 2),
            shown(r.margin_deg, 2),
            shown(r.apart_root, 0),
            shown(r.border.flows.map(f64::from), 0),
            shown(r.sampled_deg, 2),
            shown(r.sampled_root, 0),
            shown(r.sampled_border.flows.map(f64::from), 0),
            r.fluid_kb,
            r.fluid_swing,
            r.mean_kb,
            r.swing,
            shown(r.period_us, 0),
            r.dead_ns.map_or("-".into(), |n| n.to_string())
        );
    }
    t
}

/// Rows as CSV.
pub fn csv(rows: &[Row]) -> String {
    let mut t = "base_us,flows,queue_kb,margin_deg,omega,root,root_omega,apart_root,border_flows,border_delay_us,sampled_deg,sampled_root,sampled_omega,sampled_border_flows,sampled_border_delay_us,fluid_kb,fluid_swing,mean_kb,swing,amplitude_kb,period_us,dead_ns\n".to_owned();
    let number = |v: Option<f64>| v.map_or(String::new(), |x| format!("{x:.6}"));
    for r in rows {
        let linear = [r.queue_kb, r.margin_deg, r.omega, r.root, r.root_omega, r.apart_root].map(number).join(",");
        let sampled = [r.sampled_deg, r.sampled_root, r.sampled_omega].map(number).join(",");
        let linear = format!("{linear},{},{sampled},{}", r.border.csv(), r.sampled_border.csv());
        let dead = r.dead_ns.map_or(String::new(), |n| n.to_string());
        t += &format!(
            "{},{},{linear},{:.6},{:.6},{:.6},{:.6},{:.6},{},{dead}\n",
            r.base_us,
            r.flows,
            r.fluid_kb,
            r.fluid_swing,
            r.mean_kb,
            r.swing,
            r.amplitude_kb,
            number(r.period_us)
        );
    }
    t
}

// A quantity over flows, a line a delay.
fn over_flows(rows: &[Row], name: &str, of: impl Fn(&Row) -> Option<f64>) -> Vec<Named> {
    let mut all: Vec<Named> = Vec::new();
    for r in rows {
        let name = format!("{name}{} us", r.base_us);
        if all.last().is_none_or(|n| n.0 != name) {
            all.push((name, Vec::new()));
        }
        if let (Some(v), Some(line)) = (of(r), all.last_mut()) {
            line.1.push((f64::from(r.flows), v));
        }
    }
    all.retain(|n| !n.1.is_empty());
    all
}

/// The page of an analysis; Bode plots are of the first and the last row. `laws` has the law of
/// each delay.
pub fn page(name: &str, laws: &[Nic], rows: &[Row]) -> String {
    let mut body = format!("<header><h1>Stability: {name}</h1><pre>{}</pre></header><section>", escape(&table(rows)));
    let most = rows.iter().map(|r| f64::from(r.flows)).fold(1.0, f64::max);
    let swings = [over_flows(rows, "fluid, ", |r| Some(r.fluid_swing)), over_flows(rows, "integers, ", |r| Some(r.swing))].concat();
    let both = |fluid: fn(&Row) -> Option<f64>, sampled: fn(&Row) -> Option<f64>| {
        [over_flows(rows, "fluid, ", fluid), over_flows(rows, "sampled, ", sampled)].concat()
    };
    let figures = [
        ("Margin of the linearisation", "phase margin, degrees", both(|r| r.margin_deg, |r| r.sampled_deg)),
        ("Rightmost root: negative is stable", "real part, 1/s", both(|r| r.root, |r| r.sampled_root)),
        ("Swing of the queue in a loop", "standard deviation over mean", swings),
    ];
    for (caption, label, lines) in figures.iter().filter(|f| !f.2.is_empty()) {
        let (legend, plot) = plot(("flows", label), Axis::Linear(0.0, most), lines);
        body += &figure(caption, &legend, &plot);
    }
    let (mut gain, mut phase) = (Vec::new(), Vec::new());
    for r in rows.first().into_iter().chain(rows.last().filter(|_| rows.len() > 1)) {
        let law = laws.iter().find(|l| l.base * 1e6 == r.base_us);
        let Some(m) = law.and_then(|l| l.modes(r.flows.into())) else { continue };
        let all = margin::bode(|s| m.open_loop(s), 100.0, 1e6);
        let title = format!("{} flows, {} us", r.flows, r.base_us);
        gain.push((title.clone(), all.iter().map(|b| (b.0, b.1)).collect()));
        phase.push((title, all.iter().map(|b| (b.0, b.2)).take_while(|b| b.1 > margin::SHOWN).collect()));
    }
    for (caption, label, lines) in [("Bode plot: gain", "gain, dB", gain), ("Bode plot: phase", "phase, degrees", phase)] {
        if !lines.is_empty() {
            let (legend, plot) = plot(("frequency, rad/s", label), Axis::Log(100.0, 1e6), &lines);
            body += &figure(caption, &legend, &plot);
        }
    }
    document(&format!("Stability: {name}"), "figure{max-width:800px}pre{overflow-x:auto}", &(body + "</section>"))
}
