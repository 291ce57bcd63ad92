//! Rates, times and sizes, printed as people write them: `10Gbps`, `50us`, `64KiB`.
//! `timely_regs::text` reads them.
use std::fmt;
use timely_regs::profile::RATE_FRACTION;
pub use timely_regs::text::{
    TextError, parse_bytes, parse_bytes_within, parse_duration, parse_ip, parse_ipv4, parse_ipv6, parse_mbps, parse_us, parse_whole,
    parse_whole_within,
};

const RATES: &[(&str, f64)] = &[("bps", 1e-6), ("Kbps", 1e-3), ("Mbps", 1.0), ("Gbps", 1e3), ("Tbps", 1e6)];

/// The number with the greatest unit that leaves 1 or more of it, to four significant digits.
fn print(value: f64, units: &[(&str, f64)]) -> String {
    let (unit, factor) = units.iter().rev().find(|(_, f)| value >= *f * 0.99995).or(units.first()).copied().unwrap_or(("", 1.0));
    let x = value / factor;
    let digits = if x >= 1000.0 || x == x.round() { 0 } else { 3 - (x.max(1.0).log10() as usize).min(3) };
    let text = format!("{x:.digits$}");
    let text = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
    format!("{text}{unit}")
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

/// A time in us that is known to a bin of a histogram, within 1/16 of itself: three digits, rounded
/// up, behind a `~`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct About(pub f64);

impl fmt::Display for About {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let step = 10f64.powi(self.0.max(1e-3).log10().floor() as i32 - 2);
        // A whole number of steps is not taken to the next one by what a division loses.
        f.pad(&format!("~{}", Micros((self.0 / step - 1e-6).ceil() * step + 0.0)))
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
    use std::time::Duration;

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
        let about = [10.1695, 10.239, 9.991, 10.1, 0.016, 1234.0, 0.0].map(|us| About(us).to_string());
        assert_eq!(about, ["~10.2us", "~10.3us", "~10us", "~10.1us", "~16ns", "~1.24ms", "~0ns"]);
        assert_eq!(parse_duration("1.5ms"), Ok(Duration::from_micros(1500)));
    }
}
