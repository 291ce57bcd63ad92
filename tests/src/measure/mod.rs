//! What the design reaches, measured on its Verilog in clocks, of whole networks on its model; `cargo xtask bench` prints it and writes `docs/bench.md`.
//!
//! Nothing of that reads a wall clock: the same design gives the same figures on any machine. What the driver reaches (`cargo xtask bench
//! driver`) is another thing: it is measured in seconds, beside plain register reads of the same run, and not on that page.
mod blind;
mod core;
mod driver;
mod engine;
mod pacer;
mod page;
mod record;

pub use self::core::{Traffic, traffic};
pub use page::page;

use std::path::Path;

/// What is asked for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Bound {
    /// No less.
    AtLeast(f64),
    /// No more.
    AtMost(f64),
    /// This.
    Exactly(f64),
}

impl Bound {
    /// A value keeps to it.
    pub fn holds(self, value: f64) -> bool {
        match self {
            Bound::AtLeast(b) => value >= b,
            Bound::AtMost(b) => value <= b,
            Bound::Exactly(b) => value == b,
        }
    }
}

impl std::fmt::Display for Bound {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match *self {
            Bound::AtLeast(b) => write!(f, "at least {}", number(b)),
            Bound::AtMost(b) => write!(f, "at most {}", number(b)),
            Bound::Exactly(b) => write!(f, "{}", number(b)),
        }
    }
}

/// A figure.
#[derive(Clone, Debug)]
pub struct Figure {
    /// Its name; dots part what it belongs to.
    pub key: String,
    /// It; `None` if it could not be measured.
    pub value: Option<f64>,
    /// What is asked for.
    pub bound: Option<Bound>,
    /// What it is, or why there is none.
    pub note: String,
}

impl Figure {
    fn new(key: &str, value: f64, note: &str) -> Self {
        Figure { key: key.into(), value: Some(value), bound: None, note: note.into() }
    }

    fn missing(key: &str, why: &str) -> Self {
        Figure { key: key.into(), value: None, bound: None, note: why.into() }
    }

    fn bound(self, bound: Bound) -> Self {
        Figure { bound: Some(bound), ..self }
    }

    /// It misses what is asked for.
    pub fn is_missed(&self) -> bool {
        matches!((self.value, self.bound), (Some(v), Some(b)) if !b.holds(v))
    }
}

/// A number as people read it: four digits that mean something.
pub fn number(x: f64) -> String {
    if x != 0.0 && (x.abs() < 1e-3 || x.abs() >= 1e7) {
        format!("{x:.1e}")
    } else if x.fract() == 0.0 || x.abs() >= 1000.0 {
        format!("{x:.0}")
    } else {
        let decimals = (3 - x.abs().log10().floor() as i32).clamp(0, 4) as usize;
        format!("{x:.decimals$}")
    }
}

/// What is measured at a time, by name.
pub const PARTS: [&str; 7] = ["grants", "alone", "load", "core", "loops", "engine", "record"];
/// What is measured only when it is named, in seconds.
pub const DRIVER: &str = "driver";

/// Measures everything, or one of [`PARTS`], or [`DRIVER`]; `quick` holds the keys stable and means nothing else. `root` is the workspace, for what is
/// recorded there, and `printed` what tests printed of themselves: lines of `figure`, key and value.
///
/// # Errors
/// What the emission, Verilator or a record found wrong.
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
