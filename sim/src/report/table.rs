//! The table that the programs print.
use super::Arm;
use crate::output::terminal;
use crate::scenario::build::Outcome;
use crate::time::MS;
use comfy_table::{Attribute, Cell, CellAlignment, ContentArrangement, Table, presets};
use timely_regs::layout::stacked;

/// Heads of the columns, with units.
pub const HEADS: [&str; 11] =
    ["", "NICs", "utilization", "goodput Gb/s", "RTT mean us", "p50", "p99", "queue mean KB", "p99", "Jain", "pauses"];

/// A run's cells behind its name, as text.
pub fn cells(o: &Outcome) -> [String; 9] {
    let s = &o.summary;
    let known = |v: f64, digits: usize| if v.is_nan() { "-".into() } else { format!("{v:.digits$}") };
    [
        known(s.utilization, 3),
        known(s.goodput_gbps, 2),
        known(s.rtt_us.mean, 1),
        known(s.rtt_us.p50, 1),
        known(s.rtt_us.p99, 1),
        known(s.queue_kb.mean, 1),
        known(s.queue_kb.p99, 1),
        known(s.jain, 4),
        s.pauses.to_string(),
    ]
}

/// The marks of a run, in a sentence.
pub fn marks(o: &Outcome) -> String {
    let m = &o.summary.marks;
    let share = |of: u64, all: u64| 100.0 * of as f64 / all.max(1) as f64;
    let (data, acks) = (share(m.marked_packets, m.packets), share(m.marked_acks, m.acks));
    let n = o.summary.notifications;
    format!("marks: {data:.2} % of {} data packets came marked, {acks:.2} % of {} ACKs echo a mark; {n} CNPs", m.packets, m.acks)
}

/// The figures of a watched port besides the bottleneck's, in a sentence each.
pub fn ports(o: &Outcome) -> impl Iterator<Item = String> {
    let known = |v: f64, digits: usize| if v.is_nan() { "-".into() } else { format!("{v:.digits$}") };
    o.ports().skip(1).map(move |p| {
        let (u, mean, p99, most) = (known(p.utilization, 3), known(p.queue_kb.mean, 1), known(p.queue_kb.p99, 1), known(p.queue_max_kb, 1));
        format!("port {}:{}: utilization {u}, queue mean {mean} KB, p99 {p99}, most {most}", p.switch, p.port)
    })
}

/// The window that a run's figures are of, milliseconds.
pub fn window(o: &Outcome) -> String {
    let w = o.recorder.windows;
    format!("{:.0} to {:.0} ms", w.steady as f64 / MS as f64, w.end as f64 / MS as f64)
}

/// The table of these runs; with a line a figure where stdout is a terminal too narrow for it.
pub fn table(arms: &[Arm]) -> String {
    let mut t = Table::new();
    t.load_preset(presets::UTF8_HORIZONTAL_ONLY).set_content_arrangement(ContentArrangement::Disabled);
    let styled = terminal::is_styled();
    t.set_header(HEADS.map(|h| if styled { Cell::new(h).add_attribute(Attribute::Bold) } else { Cell::new(h) }));
    if !styled {
        t.force_no_tty();
    }
    let mut rows = Vec::new();
    for arm in arms {
        let figures = arm.outcome.as_ref().map_or_else(|_| std::array::from_fn(|_| "-".into()), cells);
        let mut row = vec![Cell::new(&arm.name), Cell::new(arm.kind)];
        row.extend(figures.iter().map(|c| Cell::new(c).set_alignment(CellAlignment::Right)));
        rows.push([arm.name.clone(), arm.kind.to_string()].into_iter().chain(figures).collect());
        t.add_row(row);
    }
    // As it is without letters in bold, which take no columns.
    let width = t.lines().map(|l| plain_width(&l)).max().unwrap_or(0);
    match terminal::columns() {
        Some(columns) if columns < width => stacked(&HEADS.map(String::from), &rows),
        _ => t.to_string(),
    }
}

// Characters of a line without its escape sequences, which end in `m`.
fn plain_width(line: &str) -> usize {
    let mut pieces = line.split('\x1b');
    let first = pieces.next().map_or(0, |p| p.chars().count());
    first + pieces.map(|p| p.split_once('m').map_or(0, |(_, shown)| shown.chars().count())).sum::<usize>()
}
