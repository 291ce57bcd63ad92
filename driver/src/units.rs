//! Rates, times and sizes as people write them: `10Gbps`, `50us`, `64KiB`; read and printed.
use std::fmt;
use std::time::Duration;
use timely_regs::profile::RATE_FRACTION;

/// A number with a unit that cannot be used.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("`{text}` is no {what}; write a number and a unit of {units}, as {example}")]
pub struct UnitError {
    text: String,
    what: &'static str,
    units: &'static str,
    example: &'static str,
}

type Units = &'static [(&'static str, f64)];

const RATES: Units = &[("bps", 1e-6), ("Kbps", 1e-3), ("Mbps", 1.0), ("Gbps", 1e3), ("Tbps", 1e6)];
const TIMES: Units = &[("ns", 1e-3), ("us", 1.0), ("µs", 1.0), ("ms", 1e3), ("s", 1e6)];
const SIZES: Units = &[("", 1.0), ("B", 1.0), ("KB", 1e3), ("MB", 1e6), ("KiB", 1024.0), ("MiB", 1_048_576.0)];

fn parse(text: &str, units: Units) -> Option<f64> {
    let text = text.trim();
    let split = text.find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(text.len());
    let (number, unit) = text.split_at(split);
    let factor = units.iter().find(|(u, _)| u.eq_ignore_ascii_case(unit.trim()))?.1;
    number.parse::<f64>().ok().filter(|n| n.is_finite()).map(|n| n * factor)
}

/// The number with the greatest unit that leaves 1 or more of it, to four significant digits.
fn print(value: f64, units: &[(&str, f64)]) -> String {
    let (unit, factor) = units.iter().rev().find(|(_, f)| value >= *f * 0.99995).or(units.first()).copied().unwrap_or(("", 1.0));
    let x = value / factor;
    let digits = if x >= 1000.0 || x == x.round() { 0 } else { 3 - (x.max(1.0).log10() as usize).min(3) };
    let text = format!("{x:.digits$}");
    let text = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
    format!("{text}{unit}")
}

/// Reads a rate, in Mb/s.
///
/// # Errors
/// When it is none.
pub fn parse_mbps(text: &str) -> Result<f64, UnitError> {
    let units = "bps, Kbps, Mbps, Gbps";
    parse(text, RATES).ok_or_else(|| UnitError { text: text.into(), what: "rate", units, example: "10Gbps" })
}

/// Reads a time, in us.
///
/// # Errors
/// When it is none.
pub fn parse_us(text: &str) -> Result<f64, UnitError> {
    let units = "ns, us, ms, s";
    parse(text, TIMES).ok_or_else(|| UnitError { text: text.into(), what: "time", units, example: "50us" })
}

/// Reads a size, in bytes.
///
/// # Errors
/// When it is none.
pub fn parse_bytes(text: &str) -> Result<u64, UnitError> {
    let units = "B, KB, MB, KiB, MiB";
    let whole = parse(text, SIZES).filter(|b| b.fract() == 0.0 && *b < 2f64.powi(53));
    whole.map(|b| b as u64).ok_or_else(|| UnitError { text: text.into(), what: "size", units, example: "64KiB" })
}

/// Reads a time.
///
/// # Errors
/// When it is none, or longer than can be counted.
pub fn parse_duration(text: &str) -> Result<Duration, UnitError> {
    let ns = (parse_us(text)? * 1000.0).round();
    // What is longer would be cut to what 64 bits hold.
    let what = "time below 500 years";
    let counted = (ns < 500.0 * 365.25 * 86_400.0 * 1e9).then_some(Duration::from_nanos(ns as u64));
    counted.ok_or_else(|| UnitError { text: text.into(), what, units: "ns, us, ms, s", example: "50us" })
}

/// A rate in Mb/s, printed with its unit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mbps(pub f64);

impl Mbps {
    /// Of a rate register, 2^-12 Mb/s.
    pub fn from_register(rate: u32) -> Self {
        Mbps(f64::from(rate) / f64::from(1u32 << RATE_FRACTION))
    }

    /// For a rate register.
    pub fn to_register(self) -> u32 {
        (self.0 * f64::from(1u32 << RATE_FRACTION)).round() as u32
    }
}

impl fmt::Display for Mbps {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&print(self.0, RATES))
    }
}

/// A time in us, printed with its unit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Micros(pub f64);

impl fmt::Display for Micros {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&print(self.0, &[("ns", 1e-3), ("us", 1.0), ("ms", 1e3), ("s", 1e6)]))
    }
}

/// A size, printed with its unit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bytes(pub u64);

impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&print(self.0 as f64, &[("B", 1.0), ("KB", 1e3), ("MB", 1e6), ("GB", 1e9), ("TB", 1e12)]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_printed_can_be_read() {
        for (text, mbps) in [("10Gbps", 10_000.0), ("9.5Gbps", 9500.0), ("1bps", 1e-6), ("250Mbps", 250.0), ("1.234Gbps", 1234.0)] {
            assert_eq!((parse_mbps(text), Mbps(mbps).to_string()), (Ok(mbps), text.into()));
        }
        for (text, us) in [("50us", 50.0), ("1ms", 1000.0), ("250ns", 0.25), ("1.5s", 1.5e6)] {
            assert_eq!((parse_us(text), Micros(us).to_string()), (Ok(us), text.into()));
        }
        assert_eq!((parse_mbps("10 gbps"), parse_us("7 µs"), parse_bytes("64KiB")), (Ok(1e4), Ok(7.0), Ok(65_536)));
        assert_eq!((Mbps(0.0).to_string(), Bytes(1536).to_string(), Bytes(7).to_string()), ("0bps".into(), "1.536KB".into(), "7B".into()));
        assert_eq!(Mbps(999.99).to_string(), "1Gbps", "rounding may reach the next unit");
        assert_eq!(parse_duration("1.5ms"), Ok(Duration::from_micros(1500)));
    }

    #[test]
    fn what_has_no_unit_is_refused() {
        for bad in ["10", "Gbps", "", "-5Gbps", "1e9Gbps", "10GBps2", "nan", "1.2.3Mbps"] {
            let text = parse_mbps(bad).expect_err(bad).to_string();
            assert!(text.contains(&format!("`{bad}`")) && text.contains("10Gbps"), "{text}");
        }
        let text = parse_duration("99999999999999s").expect_err("too long").to_string();
        assert!(text.contains("`99999999999999s` is no time below 500 years"), "{text}");
        assert!(parse_us("50").is_err() && parse_bytes("1.5B").is_err() && parse_bytes("7").is_ok());
    }
}
