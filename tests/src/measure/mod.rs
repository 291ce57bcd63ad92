//! Figures of the design, measured on its Verilog in clocks, of whole networks on its model;
//! `cargo xtask bench` prints them and writes `docs/bench.md`.
//!
//! Nothing of that reads a wall clock: the same design gives the same figures on any machine. The
//! driver's figures (`cargo xtask bench driver`) are measured in seconds, beside plain register
//! reads of the same run, and are not on that page.
mod blind;
mod core;
mod driver;
mod engine;
mod figure;
mod pacer;
mod page;
mod record;

pub use self::core::{Traffic, traffic};
pub use figure::{Bound, Figure, number};
pub use page::page;

use std::path::Path;

/// Parts that can be measured alone, by name.
pub const PARTS: [&str; 7] = ["grants", "alone", "load", "core", "loops", "engine", "record"];
/// The part that is measured only when it is named, in seconds.
pub const DRIVER: &str = "driver";

/// Measures everything, or one of [`PARTS`], or [`DRIVER`]; `quick` holds the keys stable and means
/// nothing else. `root` is the workspace, for what is recorded there, and `printed` what tests
/// printed of themselves: lines of `figure`, key and value.
///
/// # Errors
/// The emission, Verilator or a record has an error.
pub fn all(quick: bool, only: Option<&str>, root: &Path, printed: &str) -> Result<Vec<Figure>, String> {
    let mut figures = Vec::new();
    if only == Some(DRIVER) {
        driver::measure(quick, root, &mut figures)?;
    }
    for part in PARTS.into_iter().filter(|p| only.is_none_or(|o| o == *p)) {
        match part {
            "grants" => pacer::grants(quick, &mut figures)?,
            "alone" => pacer::alone(quick, &mut figures)?,
            "load" => pacer::under_load(quick, &mut figures)?,
            "core" => core::measure(quick, &mut figures)?,
            "loops" => blind::measure(quick, &mut figures)?,
            "engine" => engine::measure(quick, printed, &mut figures)?,
            _ => record::read(root, &mut figures)?,
        }
    }
    Ok(figures)
}

/// The figures as one JSON object: key to number or null.
pub fn json(figures: &[Figure]) -> String {
    let object: serde_json::Map<_, _> =
        figures.iter().map(|f| (f.key.clone(), f.value.map_or(serde_json::Value::Null, Into::into))).collect();
    serde_json::to_string_pretty(&object).expect("numbers and names")
}

/// The figures as lines of text.
pub fn table(figures: &[Figure]) -> String {
    let mut text = String::new();
    for f in figures {
        let value = f.value.map_or("null".into(), number);
        let verdict = match (f.bound, f.value) {
            (Some(b), Some(_)) => format!("{b}{}", if f.is_missed() { ": MISSED" } else { "" }),
            _ => String::new(),
        };
        text += &format!("{:38} {value:>10}  {verdict:20} {}\n", f.key, f.note);
    }
    text
}
