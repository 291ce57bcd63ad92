//! The rows as tables of text and of Markdown, and as plots; the page's tables are between markers
//! that name them.
use super::fct::{KERNEL, LOADS, MARKS, NIC};
use super::jitter::{self, JITTER, ONE_WAY, STILL};
use super::{CONTROLS, Row, SENDERS, Sender, find};
use crate::paper::short;
use crate::report::curves::{curves, svg};
use crate::report::plot::Axis;

/// Median, least and greatest of a row's seeds.
fn cell(r: &Row) -> String {
    let (least, most) = r.spread();
    format!("{} ({} to {})", short(r.median()), short(least), short(most))
}

// How it stands against another row, by all seeds.
fn verdict(row: &Row, other: &Row) -> String {
    match row.against(other) {
        0 => "unsettled".into(),
        sign => format!("{} ({:.2})", if sign > 0 { "higher" } else { "lower" }, row.median() / other.median()),
    }
}

fn line(cells: impl IntoIterator<Item = String>) -> String {
    format!("| {} |\n", cells.into_iter().collect::<Vec<_>>().join(" | "))
}

fn head(names: &[&str]) -> String {
    line(names.iter().map(|n| (*n).to_owned())) + &line(names.iter().map(|_| "---".to_owned()))
}

fn of_dcqcn(sender: Sender) -> bool {
    sender == Sender::Dcqcn
}

// Of each sender a line, its rows at each load, with `more` behind.
fn loads(rows: &[Row], quantity: &str, feedback: &str) -> String {
    let mut t = head(&["sender", "load 0.1", "0.4", "0.8", "1.0"]);
    for sender in SENDERS.into_iter().chain(CONTROLS) {
        let by = if sender.by_marks() { MARKS } else { feedback };
        if find(rows, "fct", sender.name(), by, LOADS[0], quantity).is_none() {
            continue;
        }
        let at = |load| find(rows, "fct", sender.name(), by, load, quantity).map_or("-".into(), cell);
        t += &line([sender.name().to_owned()].into_iter().chain(LOADS.map(at)));
    }
    t
}

// Against DCQCN by the NIC's stamps, with both slopes of marks, and the kernel's stamps against the
// NIC's.
fn verdicts(rows: &[Row]) -> String {
    let mut t =
        head(&["sender", "quantity", "load", "against DCQCN", "kernel's stamps against DCQCN", "kernel's stamps against the NIC's"]);
    for sender in SENDERS.into_iter().chain(CONTROLS).filter(|s| !of_dcqcn(*s)) {
        for quantity in ["median us", "p90 us", "large median ms"] {
            for load in LOADS {
                let row = |sender: Sender, by: &str| find(rows, "fct", sender.name(), by, load, quantity);
                let (ecn, nic, kernel) =
                    (row(Sender::Dcqcn, MARKS), row(sender, if sender.by_marks() { MARKS } else { NIC }), row(sender, KERNEL));
                let held = |a: Option<&Row>, b: Option<&Row>| a.zip(b).map_or("-".into(), |(a, b)| verdict(a, b));
                let steep = row(Sender::Steep, MARKS).filter(|_| sender != Sender::Steep);
                let cells = [held(nic, ecn), held(nic, steep), held(kernel, ecn), held(kernel, nic)];
                t += &line([sender.name().to_owned(), quantity.to_owned(), load.to_string()].into_iter().chain(cells));
            }
        }
    }
    t
}

fn jitters(rows: &[Row]) -> String {
    let heads = ["sender", "feedback", "utilization", "queue, KB", "its deviation, KB", "Jain"];
    let mut t =
        head(&[&heads[..], &["utilization against DCQCN's", "utilization against no jitter", "deviation against DCQCN's"]].concat());
    for sender in SENDERS {
        for by in [STILL, JITTER, ONE_WAY] {
            let row = |sender: Sender, by: &str, q: &str| find(rows, "jitter", sender.name(), by, 0.0, q);
            if row(sender, by, "utilization").is_none() {
                continue;
            }
            let cells = jitter::QUANTITIES.map(|q| row(sender, by, q).map_or("-".into(), cell));
            // DCQCN's jitter is one of marks, whatever delay the others go by.
            let ecn = if by == STILL { STILL } else { JITTER };
            let held = |q: &str, other: Sender, with: &str| {
                let both = row(sender, by, q).zip(row(other, with, q)).filter(|_| (sender, by) != (other, with));
                both.map_or("-".to_owned(), |(a, b)| verdict(a, b))
            };
            let verdicts = [
                held("utilization", Sender::Dcqcn, if of_dcqcn(sender) { by } else { ecn }),
                held("utilization", sender, STILL),
                held("queue deviation KB", Sender::Dcqcn, if of_dcqcn(sender) { by } else { ecn }),
            ];
            t += &line([sender.name().to_owned(), by.to_owned()].into_iter().chain(cells).chain(verdicts));
        }
    }
    t
}

fn models(rows: &[Row]) -> String {
    let quantities = ["messages", "median difference %", "p90 difference %", "sum of times over event's"];
    let mut t = head(&[&["sender"], &quantities[..]].concat());
    for sender in SENDERS.into_iter().filter(|s| !of_dcqcn(*s)) {
        let at = |q: &str| find(rows, "model", sender.name(), NIC, 0.8, q).map_or("-".into(), cell);
        t += &line([sender.name().to_owned()].into_iter().chain(quantities.map(at)));
    }
    t
}

/// The page's tables by the names of their markers.
pub fn tables(rows: &[Row]) -> Vec<(&'static str, String)> {
    vec![
        ("median", loads(rows, "median us", NIC)),
        ("p90", loads(rows, "p90 us", NIC)),
        ("large", loads(rows, "large median ms", NIC)),
        ("used", loads(rows, "utilization", NIC)),
        ("kernel", loads(rows, "p90 us", KERNEL)),
        ("kernel-large", loads(rows, "large median ms", KERNEL)),
        ("queue", loads(rows, "queue KB", NIC)),
        ("verdicts", verdicts(rows)),
        ("jitter", jitters(rows)),
        ("model", models(rows)),
    ]
}

/// A page with its tables made anew: each stands between `<!-- name -->` and `<!-- end -->`.
///
/// # Errors
/// The marker that is missing.
pub fn renewed(page: &str, rows: &[Row]) -> Result<String, String> {
    crate::page::renewed(page, tables(rows))
}

/// The plots, by the names of their files.
pub fn plots(rows: &[Row]) -> Vec<(&'static str, String)> {
    let of = |sender: Sender, by: &str| {
        let at = |load: f64| find(rows, "fct", sender.name(), by, load, "p90 us").map(|r| (load, r.median()));
        (sender.name(), LOADS.into_iter().filter_map(at).collect::<Vec<_>>())
    };
    // Colours are those of the lines in turn; TIMELY with the paper's constants is beside its own
    // tuning in the table.
    let named: Vec<_> =
        SENDERS.into_iter().filter(|s| *s != Sender::Profile("timely-10g")).map(|s| of(s, if of_dcqcn(s) { MARKS } else { NIC })).collect();
    let (legend, mut plot) = curves("load", "p90 of small messages' times, us", &named);
    plot.y = Axis::Log(10.0, 10_000.0);
    vec![("ecn-or-delay.svg", svg(&legend, &plot))]
}

/// All rows as a table of text.
pub fn table(rows: &[Row]) -> String {
    let mut t =
        "part    load  feedback         sender                             quantity                      median     least      most"
            .to_owned();
    for r in rows {
        let (least, most) = r.spread();
        t += &format!(
            "\n{:7} {:4} {:16} {:34} {:26} {:>9} {:>9} {:>9}",
            r.part,
            r.load,
            r.feedback,
            r.sender,
            r.quantity,
            short(r.median()),
            short(least),
            short(most)
        );
    }
    t
}
