//! The plots of a report.
use super::Arm;
use super::plot::{Axis, Line, Plot};
use crate::metrics::histogram::Log;
use crate::scenario::build::Outcome;
use crate::time::{MS, Ps, US};

/// Flows that a plot of rates shows at most.
const MOST_FLOWS: usize = 32;
/// Part of a plot of rates that each point is the mean of.
pub const SMOOTH: u64 = 40;

fn done(arms: &[Arm]) -> impl Iterator<Item = (&Arm, &Outcome)> {
    arms.iter().filter_map(|a| Some((a, a.outcome.as_ref().ok()?)))
}

/// The shortest run's length: what plots over time show of every run.
pub fn shown(arms: &[Arm]) -> Ps {
    done(arms).map(|(_, o)| o.recorder.windows.end).min().unwrap_or(MS)
}

// From blue over green to yellow, dark enough for lines on white.
fn of_flow(i: usize, n: usize) -> u32 {
    const RAMP: [(f64, f64, f64); 5] = [(68., 1., 84.), (59., 82., 139.), (33., 145., 140.), (74., 180., 90.), (214., 170., 30.)];
    let at = i as f64 / (n.max(2) - 1) as f64 * 4.0;
    let (k, f) = ((at as usize).min(3), at - (at as usize).min(3) as f64);
    let mix = |a: f64, b: f64| (a + (b - a) * f).round() as u32;
    let (a, b) = (RAMP[k], RAMP[k + 1]);
    mix(a.0, b.0) << 16 | mix(a.1, b.1) << 8 | mix(a.2, b.2)
}

/// Throughput of each flow at its receiver over time, Gb/s of wire bits, as a mean over a
/// [`SMOOTH`]th of the plot around each point.
pub fn rates(o: &Outcome, until: Ps, top: f64, size: (u32, u32)) -> Plot {
    let (bin, from) = (o.recorder.windows.bin, o.recorder.windows.from);
    let length = until.saturating_sub(from);
    let flows = &o.recorder.flows[..o.recorder.flows.len().min(MOST_FLOWS)];
    let width = ((length / SMOOTH / bin).max(1) as usize).next_multiple_of(2);
    let lines: Vec<Line> = flows
        .iter()
        .enumerate()
        .map(|(i, f)| {
            let bins = &f.series[..f.series.len().min((length / bin) as usize)];
            let points = (0..=bins.len()).step_by((width / 4).max(1)).map(|k| {
                let around = &bins[k.saturating_sub(width / 2)..bins.len().min(k + width / 2)];
                let bytes: f64 = around.iter().map(|b| f64::from(*b)).sum();
                ((from as f64 + k as f64 * bin as f64) / MS as f64, bytes * 8000.0 / (around.len().max(1) as f64 * bin as f64))
            });
            Line { color: of_flow(i, flows.len()), points: points.collect(), width: 1 }
        })
        .collect();
    let shade = Some((o.recorder.windows.steady as f64 / MS as f64, until as f64 / MS as f64)).filter(|s| s.0 < s.1);
    Plot {
        size,
        x_label: "time, ms".into(),
        y_label: "delivered, Gb/s".into(),
        x: Axis::Linear(from as f64 / MS as f64, until as f64 / MS as f64),
        y: Axis::Linear(0.0, top),
        lines,
        shade,
    }
}

fn cdf(values: &mut [f64]) -> Vec<(f64, f64)> {
    values.sort_by(f64::total_cmp);
    let n = values.len();
    // Enough points for a plot; both ends stay.
    let steps = n.min(600);
    let start = values.first().map(|v| (*v, 0.0));
    let rest = (0..steps).map(|i| (i * (n - 1)) / (steps.max(2) - 1)).map(|i| (values[i], (i + 1) as f64 / n as f64));
    start.into_iter().chain(rest).collect()
}

fn decades(points: &[Line], pick: impl Fn(&(f64, f64)) -> f64, least: f64) -> (f64, f64) {
    let all = || points.iter().flat_map(|l| &l.points).map(&pick).filter(|v| *v > 0.0);
    let (low, high) = (all().fold(f64::MAX, f64::min).max(least), all().fold(0.0, f64::max).max(least * 10.0));
    (10f64.powf(low.log10().floor()).min(high / 10.0), 10f64.powf(high.log10().ceil()))
}

/// Distribution of the true round-trip times in the steady part.
pub fn rtt(arms: &[Arm], size: (u32, u32)) -> Plot {
    let lines: Vec<Line> = done(arms)
        .map(|(a, o)| {
            let w = o.recorder.windows;
            let steady = o.recorder.rtts.iter().map(|r| r.sample).filter(|s| s.at >= w.steady && s.at < w.end);
            let mut us: Vec<f64> = steady.filter_map(|s| s.path).map(|p| p as f64 / US as f64).collect();
            Line { color: a.color, points: cdf(&mut us), width: 2 }
        })
        .collect();
    let (low, high) = decades(&lines, |p| p.0, 0.1);
    let (x_label, y_label) = ("RTT, us".into(), "share of segments".into());
    Plot { size, x_label, y_label, x: Axis::Log(low, high), y: Axis::Linear(0.0, 1.0), lines, shade: None }
}

/// The bottleneck's queue over time, KB, up to `top`.
pub fn queue(a: &Arm, o: &Outcome, until: Ps, top: f64, size: (u32, u32)) -> Plot {
    let from = o.recorder.windows.from;
    let lines = o.recorder.taps.first().map(|tap| {
        let samples = &tap.series[..tap.series.len().min((until.saturating_sub(from) / tap.interval) as usize)];
        let group = (samples.len() / 250).max(1);
        let point = |(k, c): (usize, &[u64])| {
            let mean = c.iter().map(|b| *b as f64).sum::<f64>() / c.len() as f64;
            ((from as f64 + (k * group) as f64 * tap.interval as f64) / MS as f64, mean / 1000.0)
        };
        Line { color: a.color, points: samples.chunks(group).enumerate().map(point).collect(), width: 2 }
    });
    let (x_label, y_label) = ("time, ms".into(), "queue, KB".into());
    let x = Axis::Linear(0.0, until as f64 / MS as f64);
    Plot { size, x_label, y_label, x, y: Axis::Log(1.0, top), lines: lines.into_iter().collect(), shade: None }
}

/// The power of ten above every queue, KB.
pub fn queue_top(arms: &[Arm]) -> f64 {
    let most = done(arms).map(|(_, o)| o.summary.queue_max_kb).fold(10.0, f64::max);
    10f64.powf(most.log10().ceil())
}

/// A little above every link that flows leave by, Gb/s.
pub fn rate_top(arms: &[Arm]) -> f64 {
    let links = done(arms).flat_map(|(_, o)| o.plan.flows.iter().map(|f| o.plan.topology.host_link(f.src).speed.as_gbps()));
    links.fold(0.1, f64::max) * 1.02
}

/// Distribution of the gaps between consecutive packets of a flow at its sender.
pub fn gaps(arms: &[Arm], size: (u32, u32)) -> Plot {
    let lines: Vec<Line> = done(arms)
        .map(|(a, o)| {
            let mut all = Log::default();
            o.recorder.flows.iter().for_each(|f| all.merge(&f.gaps));
            let mut before = 0.0;
            // A staircase, so that a single value is a step.
            let steps = all.cdf().into_iter().flat_map(|(ps, share)| {
                let us = ps as f64 / US as f64;
                [(us, std::mem::replace(&mut before, share)), (us, share)]
            });
            Line { color: a.color, points: steps.collect(), width: 2 }
        })
        .collect();
    let (low, high) = decades(&lines, |p| p.0, 0.01);
    let (x_label, y_label) = ("gap between starts of packets of a flow, us".into(), "share of gaps".into());
    Plot { size, x_label, y_label, x: Axis::Log(low, high), y: Axis::Linear(0.0, 1.0), lines, shade: None }
}
