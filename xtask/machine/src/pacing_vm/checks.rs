//! Limits that the guest's figures must keep.
use serde::Serialize;
use serde_json::Value;

/// Limits on the 99th percentile of the error of single packets of one flow at 100 Mb/s in the
/// quiet guest, ns: with quanta of one frame, and with the smallest delta.
const LIMITS: [(&str, f64); 2] = [("fq-frame", 2_000.0), ("etf-20us", 10_000.0)];
/// The hardware's error of the same load, ns: a clock.
const CLOCK: f64 = 4.0;

/// A limit, and what was found.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Check {
    /// Name of the figure.
    pub name: String,
    /// The figure, ns; missing where its row was.
    pub found: Option<f64>,
    /// The limit, ns.
    pub limit: f64,
    /// The limit is kept.
    pub passed: bool,
}

fn is_loaded(row: &Value, name: &str) -> bool {
    row["name"] == name && row["flows"] == 1 && row["mbps"] == 100.0 && row["burst"] == 1 && row["busy"] != true
}

fn check(rows: &[Value], name: &str, quantile: &str, limit: f64) -> Check {
    let found = rows.iter().find(|r| is_loaded(r, name)).and_then(|r| r["error_ns"][quantile].as_f64());
    let what = format!("{name}, 1 flow, 100 Mb/s, single packets: {quantile} of the error");
    Check { name: what, found, limit, passed: found.is_some_and(|f| f <= limit) }
}

/// The limits, held against a report's rows.
pub fn limits(rows: &[Value]) -> Vec<Check> {
    let software = LIMITS.iter().map(|(name, limit)| check(rows, name, "p99", *limit));
    software.chain([check(rows, "rtl", "max", CLOCK)]).collect()
}

/// Rows in which nothing was sent or nothing arrived, and which tell no reason.
pub fn silent(rows: &[Value]) -> Vec<String> {
    let none = |r: &&Value| r["refused"].as_str().is_none_or(str::is_empty) && (r["sent"] == 0 || r["received"] == 0);
    rows.iter().filter(none).map(|r| format!("{}, {} flows, {} Mb/s, bursts of {}", r["name"], r["flows"], r["mbps"], r["burst"])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn row(name: &str, p99: f64) -> Value {
        json!({ "name": name, "flows": 1, "mbps": 100.0, "burst": 1, "busy": false, "sent": 9, "received": 9, "error_ns": { "p99": p99, "max": p99 } })
    }

    #[test]
    fn limits_are_kept_or_not() {
        let rows = [row("fq-frame", 1_160.0), row("etf-20us", 10_001.0)];
        let found: Vec<bool> = limits(&rows).iter().map(|c| c.passed).collect();
        // The last one's row is missing.
        assert_eq!(found, [true, false, false]);
        let mut busy = row("etf-20us", 1.0);
        busy["busy"] = json!(true);
        assert!(!limits(&[busy])[1].passed);
        assert!(limits(&[row("rtl", 4.0)])[2].passed);
    }

    #[test]
    fn a_row_without_packets_needs_a_reason() {
        let mut lost = row("fq", 0.0);
        lost["received"] = json!(0);
        let said = json!({ "name": "fq", "sent": 0, "received": 0, "refused": "nothing was sent: no buffer space" });
        assert_eq!(silent(&[row("fq", 1.0), lost, said]).len(), 1);
    }
}
