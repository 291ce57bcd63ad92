//! Numbers of options and fields whose name ends in their unit, as `limit_ms`: a number of that
//! unit, or a text with a unit of its own, as `500us`. Command line and scenario files read them
//! alike.
use serde::de::{Deserialize, Deserializer, Visitor};
use std::fmt;
use timely_regs::text::{parse_bytes, parse_mbps, parse_us};

/// A value as it stands in a file.
#[derive(Clone, Debug, PartialEq)]
pub enum Quantity {
    /// A number of the field's own unit.
    Number(f64),
    /// A text, to be read with a unit.
    Text(String),
}

/// Above it numbers are printed with an exponent.
const LONG: f64 = 1e15;

impl fmt::Display for Quantity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Quantity::Number(x) if x.is_finite() && x.abs() >= LONG => write!(f, "{x:e}"),
            Quantity::Number(x) => x.fmt(f),
            Quantity::Text(text) => write!(f, "{text:?}"),
        }
    }
}

impl Quantity {
    /// As a number of the unit that the name ends in; nothing when it is none.
    pub fn of(&self, name: &str) -> Option<f64> {
        match self {
            Quantity::Number(x) => Some(*x),
            Quantity::Text(text) => with_unit(text, name),
        }
    }
}

impl<'de> Deserialize<'de> for Quantity {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Any;
        impl Visitor<'_> for Any {
            type Value = Quantity;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a number, or a text with a unit, as \"10Gbps\"")
            }
            fn visit_f64<E>(self, x: f64) -> Result<Quantity, E> {
                Ok(Quantity::Number(x))
            }
            fn visit_i64<E>(self, x: i64) -> Result<Quantity, E> {
                Ok(Quantity::Number(x as f64))
            }
            fn visit_u64<E>(self, x: u64) -> Result<Quantity, E> {
                Ok(Quantity::Number(x as f64))
            }
            fn visit_str<E>(self, text: &str) -> Result<Quantity, E> {
                Ok(Quantity::Text(text.into()))
            }
        }
        from.deserialize_any(Any)
    }
}

/// A text with a unit, as a number of the unit that a name ends in.
fn with_unit(text: &str, name: &str) -> Option<f64> {
    let us = |per: f64| parse_us(text).ok().map(|us| us / per);
    let mbps = |per: f64| parse_mbps(text).ok().map(|mbps| mbps / per);
    let bytes = |per: f64| parse_bytes(text).ok().map(|b| b as f64 / per);
    match name.rsplit(['_', '-', '.']).next()? {
        "ns" => us(1e-3),
        "us" => us(1.0),
        "ms" => us(1e3),
        "s" => us(1e6),
        "gbps" => mbps(1e3),
        "mbps" => mbps(1.0),
        // The one limit that counts KB of 1024.
        "kb" if name.ends_with("outstanding_kb") => bytes(1024.0),
        "kb" => bytes(1e3),
        "bytes" => bytes(1.0),
        _ => None,
    }
}

/// How a text with a unit is written under that name; nothing where there is no unit.
pub fn form(name: &str) -> &'static str {
    match name.rsplit(['_', '-', '.']).next().unwrap_or_default() {
        "ns" | "us" | "ms" | "s" => ", or with a unit of ns, us, ms, s, as 50us",
        "gbps" | "mbps" => ", or with a unit of bps to Tbps (bits) or Bps to TBps (bytes), as 10Gbps",
        "kb" | "bytes" => ", or with a unit of B, KB, KiB and so on, as 64KiB",
        _ => "",
    }
}

/// Reads an option's value; the option's name ends in its unit.
///
/// # Errors
/// The text is no number, or out of bounds; the sentence says what is allowed, and the form.
pub fn within(text: &str, name: &str, least: f64, greatest: f64) -> Result<f64, String> {
    let read = text.trim().parse().ok().or_else(|| with_unit(text, name)).filter(|x| (least..=greatest).contains(x));
    read.ok_or_else(|| format!("allowed: {least} to {greatest}{}", form(name)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_unit_counts_whatever_the_name_has() {
        let text = |t: &str, name: &str| Quantity::Text(t.into()).of(name);
        for (value, name, wanted) in [
            ("10GBps", "link.rate_gbps", 80.0),
            ("10 gbps", "rate_gbps", 10.0),
            ("10Mb/s", "additive_step_mbps", 10.0),
            ("1\u{3bc}s", "delay_ns", 1000.0),
            ("50\u{b5}s", "duration_ms", 0.05),
            ("2s", "idle_s", 2.0),
            ("64KB", "xoff_kb", 64.0),
            ("64KiB", "profile.mine.outstanding_kb", 64.0),
            ("1MB", "flow.bytes", 1e6),
        ] {
            assert_eq!(text(value, name), Some(wanted), "{value} of {name}");
        }
        for (value, name) in [("10GBPS", "rate_gbps"), ("1", "delay_ns"), ("1ms", "rate_gbps"), ("10Gbps", "hosts"), ("inf", "bytes")] {
            assert_eq!(text(value, name), None, "{value} of {name}");
        }
        assert_eq!(Quantity::Number(1e300).to_string(), "1e300");
    }

    #[test]
    fn options_are_refused_with_the_form() {
        assert_eq!(
            (within("0.5", "ms", 0.0, 1.0), within("500us", "ms", 0.0, 1.0), within("1e-1", "ms", 0.0, 1.0)),
            (Ok(0.5), Ok(0.5), Ok(0.1))
        );
        for bad in ["nan", "inf", "-1", "2", "2ms", "0x1", "1_0", "", "1GBps"] {
            assert_eq!(within(bad, "ms", 0.0, 1.0).expect_err(bad), "allowed: 0 to 1, or with a unit of ns, us, ms, s, as 50us");
        }
    }
}
