//! Times as they are best read.

/// A time in ns as it is best read.
pub fn time(ns: f64) -> String {
    let (value, unit) = match ns.abs() {
        a if a < 9_999.5 => return format!("{ns:.0} ns"),
        a if a < 9.9995e6 => (ns / 1e3, "us"),
        a if a < 9.9995e9 => (ns / 1e6, "ms"),
        _ => (ns / 1e9, "s"),
    };
    let decimals = if value.abs() < 99.95 { 1 } else { 0 };
    format!("{value:.decimals$} {unit}")
}
