//! The result as a table for people and as JSON for programs.
use crate::run::Outcome;
use crate::table::Proof;
use serde_json::{Value, json};

/// One line as a proof ends.
pub fn line(done: usize, of: usize, p: &Proof, o: &Outcome) -> String {
    let verdict = match &o.fault {
        None if o.unbounded => "proven",
        None => "holds, bounded",
        Some(_) => "NOT PROVEN",
    };
    format!("[{done:2}/{of}] {:<22} {verdict:<14} {:6.1} s", p.name, o.seconds)
}

/// The table.
pub fn table(proofs: &[Proof], outcomes: &[Outcome]) -> String {
    let mut rows = vec![["proof", "base case", "induction", "seconds", "twin refuted", "what holds"].map(String::from)];
    for (p, o) in proofs.iter().zip(outcomes) {
        let twin = o.twin.map_or("NO".into(), |k| format!("at clock {k}"));
        rows.push([p.name.clone(), o.base.clone(), o.induction.clone(), format!("{:.1}", o.seconds), twin, p.says.clone()]);
    }
    let width = |c: usize| rows.iter().map(|r| r[c].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..5).map(width).collect();
    let mut text: String = rows
        .iter()
        .map(|r| {
            let cells: Vec<String> = widths.iter().zip(r).map(|(w, cell)| format!("{cell:<w$}")).collect();
            format!("{}  {}\n", cells.join("  "), r[5])
        })
        .collect();
    for (p, why) in proofs.iter().zip(outcomes).filter_map(|(p, o)| o.fault.as_ref().map(|f| (p, f))) {
        text.push_str(&format!("\n{}: {why}\n", p.name));
    }
    let count = |f: fn(&Outcome) -> bool| outcomes.iter().filter(|o| f(o)).count();
    let bounded = count(|o| o.fault.is_none() && !o.unbounded);
    text.push_str(&format!(
        "\n{} proofs: {} unbounded, {bounded} only for the clocks of their base case, {} not proven; {} twins refuted\n",
        outcomes.len(),
        count(|o| o.fault.is_none() && o.unbounded),
        count(|o| o.fault.is_some()),
        count(|o| o.twin.is_some()),
    ));
    text
}

/// The report as JSON.
pub fn json(proofs: &[Proof], outcomes: &[Outcome], seconds: f64) -> Value {
    let rows: Vec<Value> = proofs
        .iter()
        .zip(outcomes)
        .map(|(p, o)| {
            json!({
                "name": p.name, "says": p.says, "block": p.block, "base": o.base, "induction": o.induction, "unbounded": o.unbounded,
                "seconds": o.seconds, "twin_refuted_at": o.twin, "fault": o.fault,
            })
        })
        .collect();
    json!({
        "formal.proofs": outcomes.len(),
        "formal.proven": outcomes.iter().filter(|o| o.fault.is_none()).count(),
        "formal.unbounded": outcomes.iter().filter(|o| o.fault.is_none() && o.unbounded).count(),
        "formal.twins_refuted": outcomes.iter().filter(|o| o.twin.is_some()).count(),
        "formal.seconds": seconds,
        "proofs": rows,
    })
}
