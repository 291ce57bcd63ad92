//! Outputs of a fluid run: CSV, a page with plots, a table.
use super::settings::{FIELDS, Settings};
use super::solve::Series;
use crate::metrics::summary::jain;
use crate::report::curves::{Legend, curves, figure};
use crate::report::page::{document, escape};
use crate::report::plot::Plot;
use std::fmt::Write;

/// Lines of a plot at most: more flows than these are drawn in part.
const DRAWN: usize = 12;
/// Points of a line at most.
const POINTS: usize = 2000;
/// Part of the run, at its end, that figures are of.
pub const LAST: f64 = 0.3;

/// Figures of the last part of a run.
#[derive(Clone, Debug, serde::Serialize)]
pub struct Summary {
    /// From when they are, ms.
    pub from_ms: f64,
    /// Mean rate of each flow, Gb/s.
    pub gbps: Vec<f64>,
    /// Jain's index of these.
    pub jain: f64,
    /// Mean queue, KB.
    pub queue_kb: f64,
    /// Least queue, KB.
    pub queue_least_kb: f64,
    /// Greatest queue, KB.
    pub queue_most_kb: f64,
    /// Standard deviation of the queue, KB.
    pub queue_deviation_kb: f64,
}

impl Summary {
    /// Summary of the last part of a run.
    pub fn of(series: &Series) -> Self {
        let end = series.time.last().copied().unwrap_or(0.0);
        let from = end * (1.0 - LAST);
        let gbps = series.shares(from, end);
        let (mean, least, most) = series.queue_between(from, end);
        let last: Vec<f64> = series.time.iter().zip(&series.queue).filter(|x| *x.0 >= from).map(|x| x.1 - mean).collect();
        let deviation = (last.iter().map(|d| d * d).sum::<f64>() / last.len().max(1) as f64).sqrt();
        Summary {
            from_ms: (from * 1e9).round() / 1e6,
            jain: jain(&gbps),
            gbps,
            queue_kb: mean / 1e3,
            queue_least_kb: least / 1e3,
            queue_most_kb: most / 1e3,
            queue_deviation_kb: deviation / 1e3,
        }
    }

    /// For people.
    pub fn text(&self) -> String {
        let mut rates: Vec<String> = self.gbps.iter().take(DRAWN).map(|g| format!("{g:.3}")).collect();
        if self.gbps.len() > DRAWN {
            rates.push(format!("... of {} flows", self.gbps.len()));
        }
        format!(
            "from {:.3} ms on: rates {} Gb/s, Jain {:.4}\nqueue {:.3} KB ({:.3} to {:.3}, standard deviation {:.3})",
            self.from_ms,
            rates.join(", "),
            self.jain,
            self.queue_kb,
            self.queue_least_kb,
            self.queue_most_kb,
            self.queue_deviation_kb
        )
    }
}

/// All samples: time in us, queue in KB, the controller's output where there is one, and each
/// flow's rate in Gb/s.
pub fn csv(series: &Series) -> String {
    let mut text = "time_us,queue_kb".to_owned();
    if !series.control.is_empty() {
        text += ",mark";
    }
    for i in 0..series.rates.len() {
        write!(text, ",gbps_{i}").expect("writing to a string");
    }
    text.push('\n');
    for (k, t) in series.time.iter().enumerate() {
        write!(text, "{:.3},{:.6}", t * 1e6, series.queue[k] / 1e3).expect("writing to a string");
        if let Some(p) = series.control.get(k) {
            write!(text, ",{p:.9}").expect("writing to a string");
        }
        for r in &series.rates {
            write!(text, ",{:.6}", r[k]).expect("writing to a string");
        }
        text.push('\n');
    }
    text
}

/// Plots of rates and queue over time.
pub fn plots(series: &Series) -> [(String, Legend, Plot); 2] {
    let stride = series.time.len().div_ceil(POINTS).max(1);
    let points = |v: &[f64], unit: f64| series.time.iter().zip(v).step_by(stride).map(|(t, y)| (t * 1e3, y / unit)).collect::<Vec<_>>();
    let names: Vec<String> = (0..series.rates.len().min(DRAWN)).map(|i| format!("flow {i}")).collect();
    let named: Vec<_> = names.iter().zip(&series.rates).map(|(n, r)| (n.as_str(), points(r, 1.0))).collect();
    let (legend, rates) = curves("time, ms", "rate, Gb/s", &named);
    let (queue_legend, queue) = curves("time, ms", "queue, KB", &[("queue", points(&series.queue, 1e3))]);
    let drawn = if series.rates.len() > DRAWN { format!("Rates of the first {DRAWN} flows") } else { "Rates".to_owned() };
    [(drawn, legend, rates), ("Queue".to_owned(), queue_legend, queue)]
}

/// The page of a run.
pub fn page(settings: &Settings, series: &Series, summary: &Summary) -> String {
    let mut body = format!("<header><h1>Fluid model: {}</h1><p>{}</p></header><section>", settings.model.name(), escape(&summary.text()));
    for (caption, legend, plot) in &plots(series) {
        body += &figure(caption, legend, plot);
    }
    body += "</section><section><h2>Parameters</h2><table><tbody>";
    for field in FIELDS.iter().filter(|f| f.models.contains(&settings.model)) {
        let value = *(field.place)(&mut settings.clone());
        write!(body, "<tr><td class=text>{}</td><td>{value}</td><td class=text>{}</td></tr>", field.name, escape(field.what))
            .expect("writing to a string");
    }
    body += "</tbody></table></section>";
    document(&format!("Fluid model: {}", settings.model.name()), "figure{max-width:800px}", &body)
}
