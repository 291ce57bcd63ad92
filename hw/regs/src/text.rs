//! Values as people write them, read alike in command lines, TOML and the simulator's files: rates
//! as `10Gbps`, times as `50us`, sizes as `64KiB`, whole numbers in decimal or hexadecimal,
//! addresses.
use core::fmt;
use core::ops::RangeInclusive;
use std::borrow::Cow;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::time::Duration;

/// A text that is not the value it stands for.
#[derive(Clone, Debug, PartialEq)]
pub struct TextError {
    text: String,
    what: Cow<'static, str>,
    form: &'static str,
}

impl fmt::Display for TextError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` is no {}; write {}", self.text, self.what, self.form)
    }
}

impl std::error::Error for TextError {}

const RATE: &str = "a number and a unit of bps, Kbps, Mbps, Gbps, Tbps (bits; also b/s) or Bps to TBps (bytes: 8 bits), as 10Gbps";
const TIME: &str = "a number and a unit of ns, us, ms, s, as 50us";
const SIZE: &str = "a number and a unit of B, KB, MB, GB, KiB, MiB, GiB (bytes; a small b is bits), as 64KiB";

fn refused(text: &str, what: impl Into<Cow<'static, str>>, form: &'static str) -> TextError {
    TextError { text: text.into(), what: what.into(), form }
}

/// A number, with an exponent or without, and what stands behind it.
fn split(text: &str) -> Option<(f64, &str)> {
    let digits = |t: &str| t.find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(t.len());
    let mut end = digits(text);
    // `1e10bps`: an exponent is one where a digit follows.
    if let Some(rest) = text[end..].strip_prefix(['e', 'E']) {
        let signed = rest.strip_prefix(['+', '-']).unwrap_or(rest);
        let length = signed.find(|c: char| !c.is_ascii_digit()).unwrap_or(signed.len());
        if length > 0 {
            end = text.len() - signed.len() + length;
        }
    }
    let (number, unit) = text.split_at(end);
    Some((number.parse::<f64>().ok().filter(|n| n.is_finite())?, unit.trim()))
}

/// The factor of a prefix of decimal or binary multiples, in either case.
fn multiple(prefix: &str) -> Option<f64> {
    let (letter, base) = match prefix.strip_suffix(['i', 'I']) {
        Some(letter) => (letter, 1024.0_f64),
        None => (prefix, 1000.0),
    };
    let power = ["K", "M", "G", "T"].iter().position(|p| p.eq_ignore_ascii_case(letter));
    power.map(|p| base.powi(p as i32 + 1)).or_else(|| prefix.is_empty().then_some(1.0))
}

/// Bits a second of one of a unit: a small b is bits, a capital one bytes.
fn rate_unit(unit: &str) -> Option<f64> {
    let stem = ["ps", "/s"].iter().find_map(|end| unit.strip_suffix(end))?;
    if let Some(prefix) = stem.strip_suffix("bit").or_else(|| stem.strip_suffix('b')) {
        return multiple(prefix);
    }
    // `GBPS` may be anything.
    multiple(stem.strip_suffix('B')?).map(|m| 8.0 * m)
}

fn bits_per_second(text: &str, bare: Option<f64>) -> Result<f64, TextError> {
    let parse = || {
        let (number, unit) = split(text.trim())?;
        // As `10 gbps`, all in small letters, has long been taken.
        let factor = if unit.is_empty() { bare } else { rate_unit(unit) }?;
        Some(number * factor).filter(|n| n.is_finite())
    };
    parse().ok_or_else(|| refused(text, "rate", RATE))
}

/// Microseconds of one of a unit. The micro sign and the Greek letter are one.
fn time_unit(unit: &str) -> Option<f64> {
    let units = [("ps", 1e-6), ("ns", 1e-3), ("us", 1.0), ("µs", 1.0), ("μs", 1.0), ("ms", 1e3), ("s", 1e6), ("min", 60e6), ("h", 3600e6)];
    units.iter().find(|(u, _)| u.eq_ignore_ascii_case(unit)).map(|u| u.1)
}

fn microseconds(text: &str, bare: Option<f64>) -> Result<f64, TextError> {
    let parse = || {
        let (number, unit) = split(text.trim())?;
        let factor = if unit.is_empty() { bare } else { time_unit(unit) }?;
        Some(number * factor).filter(|n| n.is_finite())
    };
    parse().ok_or_else(|| refused(text, "time", TIME))
}

/// Reads a rate, in Mb/s. A capital B is bytes: `10GBps` is 80,000.
///
/// # Errors
/// The text is no rate; the error gives the form.
pub fn parse_mbps(text: &str) -> Result<f64, TextError> {
    bits_per_second(text, None).map(|bps| bps / 1e6)
}

/// Reads a rate as ns-3 does, in b/s: without a unit too.
///
/// # Errors
/// The text is no rate; the error gives the form.
pub fn parse_bare_bps(text: &str) -> Result<f64, TextError> {
    bits_per_second(text, Some(1.0))
}

/// Reads a time, in us.
///
/// # Errors
/// The text is no time; the error gives the form.
pub fn parse_us(text: &str) -> Result<f64, TextError> {
    microseconds(text, None)
}

/// Reads a time as ns-3 does, in us: without a unit it is seconds.
///
/// # Errors
/// The text is no time; the error gives the form.
pub fn parse_bare_us(text: &str) -> Result<f64, TextError> {
    microseconds(text, Some(1e6))
}

/// Reads a size, in bytes.
///
/// # Errors
/// The text is no size, or a fraction of a byte; the error gives the form.
pub fn parse_bytes(text: &str) -> Result<u64, TextError> {
    let parse = || {
        let (number, unit) = split(text.trim())?;
        let factor = if unit.is_empty() { 1.0 } else { multiple(unit.strip_suffix('B')?)? };
        Some(number * factor).filter(|b| b.fract() == 0.0 && *b < 2f64.powi(53)).map(|b| b as u64)
    };
    parse().ok_or_else(|| refused(text, "size", SIZE))
}

/// Reads a time.
///
/// # Errors
/// The text is no time, or one longer than can be counted; the error gives the form.
pub fn parse_duration(text: &str) -> Result<Duration, TextError> {
    let ns = (parse_us(text)? * 1000.0).round();
    // A longer time would be cut to the most that 64 bits hold.
    let counted = (ns < 500.0 * 365.25 * 86_400.0 * 1e9).then_some(Duration::from_nanos(ns as u64));
    counted.ok_or_else(|| refused(text, "time below 500 years", TIME))
}

fn whole(text: &str) -> Option<u64> {
    let hex = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X"));
    let (digits, radix) = hex.map_or((text, 10), |hex| (hex, 16));
    // The standard library takes a sign.
    let plain = digits.chars().all(|c| c.is_ascii_hexdigit());
    u64::from_str_radix(digits, radix).ok().filter(|_| plain)
}

/// Reads a whole number of a range, decimal or in hexadecimal behind `0x`.
///
/// # Errors
/// The text is no such number, or the type does not hold it; the error gives range and form.
pub fn parse_whole_within<T: TryFrom<u64>>(text: &str, range: RangeInclusive<u64>) -> Result<T, TextError> {
    let number = whole(text).filter(|n| range.contains(n)).and_then(|n| T::try_from(n).ok());
    number.ok_or_else(|| refused(text, format!("number from {} to {}", range.start(), range.end()), "it as 7 or 0x1f"))
}

/// Reads a size of a range, in bytes: a whole number, or one with a unit.
///
/// # Errors
/// The text is no such size, or the type does not hold it; the error gives range and form.
pub fn parse_bytes_within<T: TryFrom<u64>>(text: &str, range: RangeInclusive<u64>) -> Result<T, TextError> {
    let bytes = whole(text).or_else(|| parse_bytes(text).ok()).filter(|n| range.contains(n)).and_then(|n| T::try_from(n).ok());
    let what = || format!("size from {} to {} bytes", range.start(), range.end());
    bytes.ok_or_else(|| refused(text, what(), "it as 1024, 0x400 or 1KiB (a small b is bits)"))
}

/// Reads a whole number, decimal or in hexadecimal behind `0x`.
///
/// # Errors
/// The text is no such number, or the type does not hold it; the error gives the form.
pub fn parse_whole<T: TryFrom<u64>>(text: &str) -> Result<T, TextError> {
    let number = whole(text);
    let form = match size_of::<T>() {
        1 => "0 to 255, as 7 or 0x1f",
        2 => "0 to 65535, as 7 or 0x1f",
        4 => "0 to 4294967295, as 7 or 0x1f",
        _ => "0 to 18446744073709551615, as 7 or 0x1f",
    };
    let what = match size_of::<T>() {
        1 => "number of 8 bits",
        2 => "number of 16 bits",
        4 => "number of 32 bits",
        _ => "number of 64 bits",
    };
    number.and_then(|n| T::try_from(n).ok()).ok_or_else(|| refused(text, what, form))
}

/// Reads an address of IPv4 or IPv6. A name is none: the NIC sends to addresses.
///
/// # Errors
/// The text is no address; the error gives the form.
pub fn parse_ip(text: &str) -> Result<IpAddr, TextError> {
    text.parse().map_err(|_| refused(text, "IP address", "one of IPv4 or IPv6 (names are not looked up), as 10.0.0.2 or fd00::2"))
}

/// Reads an address of IPv4.
///
/// # Errors
/// The text is no such address; the error gives the form.
pub fn parse_ipv4(text: &str) -> Result<Ipv4Addr, TextError> {
    text.parse().map_err(|_| refused(text, "IPv4 address", "four numbers (names are not looked up), as 10.0.0.2"))
}

/// Reads an address of IPv6.
///
/// # Errors
/// The text is no such address; the error gives the form.
pub fn parse_ipv6(text: &str) -> Result<Ipv6Addr, TextError> {
    text.parse().map_err(|_| refused(text, "IPv6 address", "groups of hexadecimal digits (names are not looked up), as fd00::2"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_capital_b_is_bytes() {
        for (text, mbps) in [
            ("10Gbps", 1e4),
            ("10 gbps", 1e4),
            ("10Gb/s", 1e4),
            ("10Gbit/s", 1e4),
            ("1e10bps", 1e4),
            ("1E+10b/s", 1e4),
            ("10GBps", 8e4),
            ("10GB/s", 8e4),
            ("1.25MBps", 10.0),
            ("1KiB/s", 0.008192),
            ("1Kib/s", 0.001024),
            ("0.01Tbps", 1e4),
            (".5Gbps", 500.0),
        ] {
            assert_eq!(parse_mbps(text), Ok(mbps), "{text}");
        }
        for bad in
            ["10GBPS", "10Gb", "10GB", "10", "Gbps", "", "-5Gbps", "+5Gbps", "1,5Gbps", "10GBps2", "nan", "infbps", "1.2.3Mbps", "1eGbps"]
        {
            let text = parse_mbps(bad).expect_err(bad).to_string();
            assert!(text.starts_with(&format!("`{bad}` is no rate")) && text.contains("(bytes: 8 bits), as 10Gbps"), "{text}");
        }
        assert_eq!((parse_bare_bps("10000000000"), parse_bare_bps("1e10")), (Ok(1e10), Ok(1e10)));
    }

    #[test]
    fn both_micros_are_one() {
        for (text, us) in [("50us", 50.0), ("50\u{b5}s", 50.0), ("50\u{3bc}s", 50.0), ("1e-06s", 1.0), ("500ps", 0.0005), ("1min", 60e6)] {
            assert_eq!(parse_us(text), Ok(us), "{text}");
        }
        for bad in ["50", "50u", "50\u{3bc}", "5e-s", "-1s", "1 2s"] {
            let text = parse_us(bad).expect_err(bad).to_string();
            assert_eq!(text, format!("`{bad}` is no time; write a number and a unit of ns, us, ms, s, as 50us"));
        }
        assert_eq!((parse_bare_us("0.000001"), parse_duration("1.5ms")), (Ok(1.0), Ok(Duration::from_micros(1500))));
        let text = parse_duration("99999999999999s").expect_err("too long").to_string();
        assert!(text.contains("`99999999999999s` is no time below 500 years"), "{text}");
    }

    #[test]
    fn sizes_are_bytes() {
        for (text, bytes) in [("7", 7), ("64KiB", 65_536), ("64kB", 64_000), ("1GB", 1_000_000_000), ("1e3B", 1000), ("1.5KB", 1500)] {
            assert_eq!(parse_bytes(text), Ok(bytes), "{text}");
        }
        for bad in ["64Kb", "1.5B", "64K", "-1B", "B", "1e300GB"] {
            let text = parse_bytes(bad).expect_err(bad).to_string();
            assert!(text.starts_with(&format!("`{bad}` is no size")) && text.contains("a small b is bits"), "{text}");
        }
    }

    #[test]
    fn whole_numbers_may_be_hexadecimal() {
        assert_eq!(
            (parse_whole::<u8>("0x2e"), parse_whole::<u16>("0X0fff"), parse_whole::<u32>("0xffffffff")),
            (Ok(46), Ok(4095), Ok(u32::MAX))
        );
        for bad in ["256", "0x100", "-1", "+1", "0x", "", "1e2", "0x1_0", "0x+5", "ef", "1.0"] {
            let text = parse_whole::<u8>(bad).expect_err(bad).to_string();
            assert_eq!(text, format!("`{bad}` is no number of 8 bits; write 0 to 255, as 7 or 0x1f"));
        }
    }

    #[test]
    fn ranges_are_told_with_the_form() {
        assert_eq!((parse_whole_within("0x10", 1..=16), parse_bytes_within("1KiB", 0..=16_383)), (Ok(16u8), Ok(1024u16)));
        assert_eq!((parse_bytes_within("0x400", 0..=9000), parse_bytes_within("1e3", 0..=9000)), (Ok(1024u32), Ok(1000u32)));
        for bad in ["0", "17", "0x11", "-1", "1e1", "1_0", "inf", ""] {
            let text = parse_whole_within::<u8>(bad, 1..=16).expect_err(bad).to_string();
            assert_eq!(text, format!("`{bad}` is no number from 1 to 16; write it as 7 or 0x1f"));
        }
        for bad in ["0", "9001", "10KB", "1Kb", "1.5B", "-5", "nan"] {
            let text = parse_bytes_within::<u32>(bad, 1..=9000).expect_err(bad).to_string();
            assert_eq!(text, format!("`{bad}` is no size from 1 to 9000 bytes; write it as 1024, 0x400 or 1KiB (a small b is bits)"));
        }
    }

    #[test]
    fn names_are_no_addresses() {
        assert!(parse_ip("fd00::2").is_ok());
        for bad in ["localhost", "10.0.0", "10.0.0.2/24", "10.0.0.2:80"] {
            let text = parse_ip(bad).expect_err(bad).to_string();
            assert!(
                text.starts_with(&format!("`{bad}` is no IP address; write one")) && text.ends_with("as 10.0.0.2 or fd00::2"),
                "{text}"
            );
        }
    }
}
