//! Outputs of the stability analysis: tables, CSV, a page with plots.
use super::published::{Values, convergence};
use super::{Row, margin, modes, published_margin};
use crate::fluid::settings::Settings;
use crate::report::curves::{COLORS, Legend, SIZE, figure};
use crate::report::page::{document, escape};
use crate::report::plot::{Axis, Line, Plot};
use std::fmt::Write;

/// A published value beside ours.
#[derive(Clone, Debug, serde::Serialize)]
pub struct Compared {
    /// The curve.
    pub curve: String,
    /// Values of it.
    pub values: usize,
    /// `deg`, or `relative` of times.
    pub unit: &'static str,
    /// Largest difference.
    pub worst: f64,
    /// Flows at which it is.
    pub flows: f64,
    /// Allowed difference.
    pub allowed: f64,
}

/// Allowed difference of a margin, degrees.
const MARGIN: f64 = 0.1;
/// Allowed relative difference of a time.
const TIME: f64 = 1e-4;

/// All published values, each curve by its largest difference.
pub fn compare() -> Vec<Compared> {
    // Nothing is changed, so nothing is refused.
    compare_with(|_| Ok::<(), std::convert::Infallible>(())).unwrap_or_default()
}

/// The same with the parameters of each curve changed.
///
/// # Errors
/// The error of the change.
pub fn compare_with<E>(change: impl Fn(&mut Settings) -> Result<(), E>) -> Result<Vec<Compared>, E> {
    let values = Values::read();
    let mut rows = Vec::new();
    let mut add = |c: &super::published::Curve, unit, allowed, difference: &dyn Fn(f64, f64) -> f64| {
        let all = c.by_flows.iter().map(|(n, v)| (difference(*n, *v), *n));
        let (worst, flows) = all.fold((-1.0, 0.0), |a, b| if b.0 <= a.0 { a } else { b });
        rows.push(Compared { curve: c.title(), values: c.by_flows.len(), unit, worst, flows, allowed });
    };
    for c in &values.margins_deg {
        let mut s = c.settings();
        change(&mut s)?;
        add(c, "deg", MARGIN, &|n, v| published_margin(&s, n).map_or(f64::INFINITY, |ours| (ours - v).abs()));
    }
    for c in &values.convergence_s {
        let mut s = c.settings();
        change(&mut s)?;
        let d = s.dcqcn();
        add(c, "relative", TIME, &|n, v| (convergence(&d, n) / v - 1.0).abs());
    }
    Ok(rows)
}

fn shown(v: Option<f64>, digits: usize) -> String {
    v.map_or("-".into(), |x| format!("{x:.digits$}"))
}

/// The rows as CSV.
pub fn csv(rows: &[Row]) -> String {
    let mut text =
        "delay_us,flows,queue_kb,on_ramp,mark,taylor_mark,published_deg,margin_deg,omega,root,root_omega,apart_root,border_flows,border_delay_us\n".to_owned();
    let number = |v: Option<f64>| v.map_or(String::new(), |x| format!("{x:.9}"));
    for r in rows {
        let marks = [r.mark, r.taylor_mark, r.published_deg, r.margin_deg, r.omega].map(number).join(",");
        writeln!(
            text,
            "{},{},{:.6},{},{marks},{:.6},{:.6},{:.6},{}",
            r.delay_us,
            r.flows,
            r.queue_kb,
            r.on_ramp,
            r.root,
            r.root_omega,
            r.apart_root,
            r.border.csv()
        )
        .expect("writing to a string");
    }
    text
}

/// The rows for people.
pub fn table(rows: &[Row]) -> String {
    let mut text =
        "delay us  flows   queue KB       mark  published deg   full deg  rightmost root 1/s  between flows 1/s  border: flows  delay us"
            .to_owned();
    for r in rows {
        let off = if r.on_ramp { ' ' } else { '*' };
        write!(
            text,
            "\n{:8} {:6} {:10.3}{off} {:>9} {:>14} {:>10} {:>9.1} {:>+8.1}i {:>18.2} {:>14} {:>9}",
            r.delay_us,
            r.flows,
            r.queue_kb,
            shown(r.mark, 6),
            shown(r.published_deg, 2),
            shown(r.margin_deg, 2),
            r.root,
            r.root_omega,
            r.apart_root,
            shown(r.border.flows.map(f64::from), 0),
            shown(r.border.delay_us, 2)
        )
        .expect("writing to a string");
    }
    if rows.iter().any(|r| !r.on_ramp) {
        text += "\n* beyond the top of the marking ramp: the analysis takes the ramp as going on";
    }
    text
}

/// A line's name and its points.
pub type Named = (String, Vec<(f64, f64)>);

/// Lines over x, with y from the least to the greatest value.
pub fn plot(labels: (&str, &str), x: Axis, named: &[Named]) -> (Legend, Plot) {
    let all = || named.iter().flat_map(|n| &n.1).map(|p| p.1);
    let (low, high) = (all().fold(0.0, f64::min), all().fold(0.0, f64::max));
    let room = (high - low).max(1e-9) * 0.05;
    let line = |(i, n): (usize, &Named)| Line { color: COLORS[i % COLORS.len()], points: n.1.clone(), width: 2 };
    let plot = Plot {
        size: SIZE,
        x_label: labels.0.into(),
        y_label: labels.1.into(),
        x,
        y: Axis::Linear(low - room, high + room),
        lines: named.iter().enumerate().map(line).collect(),
        shade: None,
    };
    (named.iter().enumerate().map(|(i, n)| (COLORS[i % COLORS.len()], n.0.clone())).collect(), plot)
}

// A quantity of rows over the number of flows, a line a delay.
fn over_flows(rows: &[Row], label: &str, of: impl Fn(&Row) -> Option<f64>) -> (Legend, Plot) {
    let mut named: Vec<(String, Vec<(f64, f64)>)> = Vec::new();
    for r in rows {
        let name = format!("{} us", r.delay_us);
        if named.last().is_none_or(|n| n.0 != name) {
            named.push((name, Vec::new()));
        }
        if let (Some(v), Some(line)) = (of(r), named.last_mut()) {
            line.1.push((r.flows, v));
        }
    }
    let most = rows.iter().map(|r| r.flows).fold(1.0, f64::max);
    plot(("flows", label), Axis::Linear(0.0, most), &named)
}

/// The page of an analysis; Bode plots are of the first and last row.
pub fn page(settings: &Settings, rows: &[Row]) -> String {
    let name = settings.model.name();
    let mut body = format!("<header><h1>Stability: {name}</h1><pre>{}</pre></header><section>", escape(&table(rows)));
    let figures = [
        ("Margin of the full linearisation", "phase margin, degrees", (|r| r.margin_deg) as fn(&Row) -> Option<f64>),
        ("Margin by the published transfer function", "phase margin, degrees", |r| r.published_deg),
        ("Rightmost root of the delay system: negative is stable", "real part, 1/s", |r| Some(r.root)),
    ];
    for (caption, label, of) in figures {
        if rows.iter().any(|r| of(r).is_some()) {
            let (legend, plot) = over_flows(rows, label, of);
            body += &figure(caption, &legend, &plot);
        }
    }
    let (mut gain, mut phase) = (Vec::new(), Vec::new());
    for r in rows.first().into_iter().chain(rows.last().filter(|_| rows.len() > 1)) {
        let Some(m) = modes(&Settings { delay_us: r.delay_us, ..*settings }, r.flows) else { continue };
        let shown = margin::bode(|s| m.open_loop(s), 100.0, 1e6);
        let title = format!("{} flows, {} us", r.flows, r.delay_us);
        gain.push((title.clone(), shown.iter().map(|b| (b.0, b.1)).collect()));
        phase.push((title, shown.iter().map(|b| (b.0, b.2)).take_while(|b| b.1 > margin::SHOWN).collect()));
    }
    for (caption, label, lines) in [("Bode plot: gain", "gain, dB", gain), ("Bode plot: phase", "phase, degrees", phase)] {
        let (legend, plot) = plot(("frequency, rad/s", label), Axis::Log(100.0, 1e6), &lines);
        body += &figure(caption, &legend, &plot);
    }
    body += "</section>";
    document(&format!("Stability: {name}"), "figure{max-width:800px}pre{overflow-x:auto}", &body)
}
