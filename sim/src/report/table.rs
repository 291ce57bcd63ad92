//! The table that the programs print.
use super::Arm;
use crate::scenario::build::Outcome;
use crate::time::MS;
use comfy_table::{Attribute, Cell, CellAlignment, ContentArrangement, Table, presets};

/// Heads of the columns, with units.
pub const HEADS: [&str; 11] =
    ["", "NICs", "utilization", "goodput Gb/s", "RTT mean us", "p50", "p99", "queue mean KB", "p99", "Jain", "pauses"];

/// A run's cells behind its name, as text.
pub fn cells(o: &Outcome) -> [String; 9] {
    let s = &o.summary;
    let known = |v: f64, digits: usize| if v.is_nan() { "-".into() } else { format!("{v:.digits$}") };
    [
        known(s.utilization, 3),
        format!("{:.2}", s.goodput_gbps),
        known(s.rtt_us.mean, 1),
        known(s.rtt_us.p50, 1),
        known(s.rtt_us.p99, 1),
        known(s.queue_kb.mean, 1),
        known(s.queue_kb.p99, 1),
        format!("{:.4}", s.jain),
        s.pauses.to_string(),
    ]
}

/// The window that a run's figures are of, milliseconds.
pub fn window(o: &Outcome) -> String {
    let w = o.recorder.windows;
    format!("{:.0} to {:.0} ms", w.steady as f64 / MS as f64, w.end as f64 / MS as f64)
}

/// The table of these runs.
pub fn table(arms: &[Arm]) -> Table {
    let mut t = Table::new();
    t.load_preset(presets::UTF8_HORIZONTAL_ONLY).set_content_arrangement(ContentArrangement::Dynamic);
    t.set_header(HEADS.map(|h| Cell::new(h).add_attribute(Attribute::Bold)));
    for arm in arms {
        let mut row = vec![Cell::new(&arm.name), Cell::new(arm.kind)];
        match &arm.outcome {
            Ok(o) => row.extend(cells(o).map(|c| Cell::new(c).set_alignment(CellAlignment::Right))),
            Err(_) => row.extend((0..9).map(|_| Cell::new("-").set_alignment(CellAlignment::Right))),
        }
        t.add_row(row);
    }
    t
}
