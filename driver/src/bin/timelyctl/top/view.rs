//! The screen of `top`.
use super::screen::{Colour, Grid, Style};
use super::state::{COLUMNS, Column, Row, Top, branch};
use std::collections::VecDeque;
use timely_driver::report::BRANCHES;
use timely_driver::service::micros;
use timely_driver::units::{About, Mbps};

/// Lines of the device, of the charts with their titles, and of branches and keys.
const DEVICE: usize = 2;
const CHARTS: usize = 6;
const BOTTOM: usize = 2;
/// Profiles that are shown.
const MOST_PROFILES: usize = 4;
/// Eighths of a cell.
const LEVELS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

const PLAIN: Style = Style::of(Colour::Plain);
const DIM: Style = Style::of(Colour::Grey);

fn colour(name: &str) -> Style {
    Style::of(match name {
        "below_tlow" => Colour::Green,
        "above_thigh" => Colour::Red,
        "gradient_increase" => Colour::Cyan,
        "gradient_decrease" => Colour::Yellow,
        _ => Colour::Plain,
    })
}

fn time(ns: Option<f64>) -> String {
    ns.map_or("-".into(), |ns| micros(ns).to_string())
}

/// A count a second.
fn per_second(x: Option<f64>) -> String {
    match x {
        None => "-".into(),
        Some(x) if x >= 999_950.0 => format!("{:.2}M", x / 1e6),
        Some(x) if x >= 9_999.5 => format!("{:.1}k", x / 1e3),
        Some(x) => format!("{x:.0}"),
    }
}

/// Lines that there are for flows on a screen of so many.
pub fn page(top: &Top, height: usize) -> usize {
    height.saturating_sub(DEVICE + CHARTS + 1 + BOTTOM + profiles(top).len())
}

fn device(top: &Top, grid: &mut Grid) {
    let Some(d) = &top.device else { return };
    let (state, style) = match (d.ready, d.stopped, d.heartbeat_lost) {
        (false, ..) => ("not ready", Colour::Red),
        (_, _, true) => ("stopped: the heartbeat was lost", Colour::Red),
        (_, true, _) => ("stopped", Colour::Yellow),
        _ => ("flows may send", Colour::Green),
    };
    let at = grid.put(0, 0, state, Style::of(style).bold());
    let at = grid.put(at, 0, if top.paused { "  PAUSED" } else { "" }, Style::of(Colour::Yellow).bold());
    let at = grid.put(at, 0, &format!("  NIC time {}, core {}, {} flows, ", micros(d.time_ns as f64), d.core_version, d.flows), PLAIN);
    grid.put(at, 0, &d.device, PLAIN.bold());
    let count = |name: &str| d.counters.get(name).copied().unwrap_or(0);
    let updates = top.rows.iter().filter_map(|r| r.updates).reduce(|a, b| a + b);
    let timeouts: u64 = top.rows.iter().map(|r| u64::from(r.timeouts)).sum();
    let flows = if d.flows_in_use == 1 { "flow" } else { "flows" };
    let text = format!(
        "{} {flows} in use, {} updates/s, {timeouts} time-outs; frames: {} out, {} in, {} damaged",
        d.flows_in_use,
        per_second(updates),
        count("tx_frames"),
        count("rx_frames"),
        count("rx_bad"),
    );
    grid.put(0, 1, &text, PLAIN);
}

/// Columns of eighths, the newest on the right, from 0 to the greatest.
fn chart(grid: &mut Grid, x: usize, width: usize, title: &str, style: Style, values: &VecDeque<f64>) {
    grid.put(x, DEVICE, &"─".repeat(width), DIM);
    grid.put(x + 1, DEVICE, &format!(" {title} "), PLAIN.bold());
    let height = CHARTS - 1;
    let most = values.iter().take(width).copied().fold(f64::MIN_POSITIVE, f64::max);
    for (i, value) in values.iter().take(width).enumerate() {
        let eighths = (value / most * (8 * height) as f64).round() as usize;
        for line in 0..height {
            let here = eighths.saturating_sub(8 * line).min(8);
            if here > 0 {
                let (column, y) = (x + width - 1 - i, DEVICE + CHARTS - 1 - line);
                grid.put(column, y, LEVELS[here - 1].encode_utf8(&mut [0; 4]), style);
            }
        }
    }
}

fn charts(top: &Top, grid: &mut Grid) {
    let width = grid.width().saturating_sub(2) / 2;
    if width == 0 {
        return;
    }
    let most = |all: &VecDeque<f64>| all.iter().copied().fold(0.0, f64::max);
    let sent = top.sent.front().map_or("-".into(), |s| format!("{}, at most {}", Mbps(*s), Mbps(most(&top.sent))));
    let rtt = top.rtt.front().map_or("-".into(), |r| format!("{}, at most {}", micros(*r), micros(most(&top.rtt))));
    chart(grid, 0, width, &format!("sent, all flows: {sent}"), Style::of(Colour::Blue), &top.sent);
    chart(grid, width + 2, width, &format!("smoothed RTT, mean: {rtt}"), Style::of(Colour::Magenta), &top.rtt);
}

/// The newest on the right; from the least to the greatest of what is shown.
fn history(all: &VecDeque<f64>, width: usize) -> String {
    let shown: Vec<f64> = all.iter().take(width).copied().collect();
    let (least, most) = shown.iter().fold((f64::MAX, f64::MIN), |(l, m), v| (l.min(*v), m.max(*v)));
    // A spread of less than a thousandth is shown as level.
    let span = (most - least).max(most * 1e-3).max(f64::MIN_POSITIVE);
    let bars = shown.iter().rev().map(|v| LEVELS[(((v - least) / span * 7.0).round() as usize).min(7)]);
    format!("{}{}", " ".repeat(width - shown.len()), bars.collect::<String>())
}

/// Head and width of a column; those of numbers stand at its right edge.
fn head(column: Column) -> (&'static str, usize, bool) {
    match column {
        Column::Flow => ("flow", 5, true),
        Column::To => ("to", 15, false),
        Column::Rate => ("rate", 9, true),
        Column::Sent => ("sent", 9, true),
        Column::Rtt => ("RTT", 8, true),
        Column::Least => ("least", 8, true),
        Column::Gradient => ("gradient", 9, true),
        Column::Branch => ("branch", 13, false),
        Column::Timeouts => ("t/o", 5, true),
        Column::Updates => ("upd/s", 6, true),
    }
}

fn cell(r: &Row, column: Column) -> (String, Style) {
    match column {
        Column::Flow => (r.flow.to_string(), PLAIN),
        Column::To => (if r.to.is_empty() { "?".into() } else { r.to.clone() }, PLAIN),
        Column::Rate => (Mbps(r.rate).to_string(), PLAIN),
        Column::Sent => (r.sent.map_or("-".into(), |s| Mbps(s).to_string()), PLAIN),
        Column::Rtt => (time(r.rtt), PLAIN),
        Column::Least => (time(r.least), PLAIN),
        Column::Gradient => match r.gradient {
            None => ("-".into(), PLAIN),
            Some(g) if g.abs() < 0.0005 => ("0.000".into(), PLAIN),
            Some(g) => (format!("{g:+.3}"), Style::of(if g > 0.0 { Colour::Yellow } else { Colour::Cyan })),
        },
        Column::Branch => (branch(&r.branch).into(), colour(&r.branch)),
        Column::Timeouts => (r.timeouts.to_string(), if r.timeouts > 0 { Style::of(Colour::Red) } else { PLAIN }),
        Column::Updates => (per_second(r.updates), PLAIN),
    }
}

/// Writes into a column; gives where the next one starts. Text that is too long is cut.
fn put(grid: &mut Grid, x: usize, y: usize, column: Column, text: &str, style: Style) -> usize {
    let (_, width, right) = head(column);
    let cut: String = text.chars().take(width).collect();
    if right {
        grid.put_right(x + width, y, &cut, style);
    } else {
        grid.put(x, y, &cut, style);
    }
    x + width + 1
}

fn flows(top: &Top, grid: &mut Grid) {
    let y = DEVICE + CHARTS;
    let reversed = Style { reversed: true, ..PLAIN };
    grid.put(0, y, &" ".repeat(grid.width()), reversed);
    let mut x = 0;
    for column in COLUMNS {
        let by = top.column == Some(column);
        let mark = if !by {
            ""
        } else if top.descending {
            "▼"
        } else {
            "▲"
        };
        let style = if by { reversed.bold() } else { reversed };
        x = put(grid, x, y, column, &format!("{}{mark}", head(column).0), style);
    }
    let left = grid.width().saturating_sub(x);
    if left >= 8 {
        grid.put(x, y, "RTT so far", reversed);
    }
    let shown = top.shown();
    let first = top.above.min(shown.len().saturating_sub(1));
    for (line, r) in shown.iter().skip(first).take(page(top, grid.height())).enumerate() {
        let mut x = 0;
        for column in COLUMNS {
            let (text, style) = cell(r, column);
            x = put(grid, x, y + 1 + line, column, &text, style);
        }
        grid.put(x, y + 1 + line, &history(&r.history, left), Style::of(Colour::Magenta));
    }
    if shown.is_empty() {
        let text =
            if top.rows.is_empty() { "no flow is in use; `timelyctl flow add` makes one" } else { "no flow has that; Esc shows all" };
        grid.put(0, y + 1, text, DIM);
    }
}

fn profiles(top: &Top) -> Vec<String> {
    let all = top.telemetry.iter().flat_map(|t| &t.profiles).filter(|p| p.samples > 0);
    let about = |ns: Option<f64>| ns.map_or("-".into(), |ns| About(ns / 1000.0).to_string());
    let at = |ns: Option<u32>| about(ns.map(f64::from));
    let line = |p: &timely_driver::report::Percentiles| {
        format!(
            "profile {:2}: {} round trips, mean {}, p50 {}, p90 {}, p99 {}, p99.9 {}",
            p.profile,
            p.samples,
            about(p.mean_ns),
            at(p.p50_ns),
            at(p.p90_ns),
            at(p.p99_ns),
            at(p.p999_ns)
        )
    };
    all.take(MOST_PROFILES).map(line).collect()
}

fn branches(top: &Top, grid: &mut Grid, y: usize) {
    let all: u64 = top.branches.iter().map(|n| u64::from(*n)).sum();
    let mut x = grid.put(0, y, "updates since the last look: ", PLAIN);
    if all == 0 {
        grid.put(x, y, "none", DIM);
    }
    for (name, count) in BRANCHES.iter().zip(top.branches).filter(|b| b.1 > 0) {
        x = grid.put(x, y, &format!("{} {:.0}%  ", branch(name), f64::from(count) * 100.0 / all as f64), colour(name));
    }
}

fn keys(top: &Top, grid: &mut Grid, y: usize) {
    if top.typing {
        let x = grid.put(0, y, &format!("/{}_", top.filter), PLAIN.bold());
        grid.put(x, y, "  Enter keeps it, Esc shows all flows", DIM);
        return;
    }
    let mut x = 0;
    if !top.filter.is_empty() {
        x = grid.put(0, y, &format!("/{}: {} of {} flows  ", top.filter, top.shown().len(), top.rows.len()), PLAIN.bold());
    }
    grid.put(x, y, "q ends   s S sort by another column   r turns the order   / filters   ↑ ↓ scroll   space pauses", DIM);
}

/// Draws it.
pub fn draw(top: &Top, width: usize, height: usize) -> Grid {
    let mut grid = Grid::new(width, height);
    device(top, &mut grid);
    charts(top, &mut grid);
    flows(top, &mut grid);
    let known = profiles(top);
    let y = height.saturating_sub(BOTTOM + known.len());
    for (i, line) in known.iter().enumerate() {
        grid.put(0, y + i, line, PLAIN);
    }
    branches(top, &mut grid, height.saturating_sub(2));
    keys(top, &mut grid, height.saturating_sub(1));
    grid
}
