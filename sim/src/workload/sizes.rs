//! Distributions of sizes and times in files of `size percent` lines.
use crate::scenario::error::Error;
use std::path::Path;
pub use timely_network::sizes::{NAMES, Sizes};

/// Measured delays of a kernel's stamps, written by `kernel_stamps.py` beside the file; the script
/// says how.
const KERNEL_STAMPS: &str = include_str!("../../scenarios/sigcomm15/kernel_stamps.txt");
/// The same on a host with two busy processes a core.
const KERNEL_STAMPS_BUSY: &str = include_str!("../../scenarios/sigcomm15/kernel_stamps_busy.txt");

/// Largest rounding error in the sums of shares that programs write, percent.
const ROUNDING: f64 = 1e-6;

/// Reads a file: on each line a size in bytes and the percentage of messages up to it; neither
/// falls, the last percentage is 100.
pub fn read(file: &Path) -> Result<Sizes, Error> {
    let text = crate::input::text(file).map_err(|source| Error::Read { file: file.into(), source })?;
    parse(file, &text)
}

/// Delay that a kernel's stamps were seen to add to a round trip, ns.
pub fn kernel_stamps() -> Sizes {
    curve(Path::new("kernel_stamps.txt"), KERNEL_STAMPS, "time", "ns").expect("a file of ours, which a test reads")
}

/// The same on a busy host, ns.
pub fn kernel_stamps_busy() -> Sizes {
    curve(Path::new("kernel_stamps_busy.txt"), KERNEL_STAMPS_BUSY, "time", "ns").expect("a file of ours, which a test reads")
}

/// Times in nanoseconds from a file of `ns percent` lines.
pub fn times(file: &Path) -> Result<Sizes, Error> {
    let text = crate::input::text(file).map_err(|source| Error::Read { file: file.into(), source })?;
    curve(file, &text, "time", "ns")
}

/// Reads a file's text; `file` names it in errors.
pub fn parse(file: &Path, text: &str) -> Result<Sizes, Error> {
    curve(file, text, "size", "bytes")
}

fn curve(file: &Path, text: &str, what: &str, unit: &str) -> Result<Sizes, Error> {
    let error = |line: usize, field: &str, value: &str, allowed: String| Error::Value {
        file: file.into(),
        line,
        field: field.into(),
        value: value.into(),
        allowed,
    };
    let mut points: Vec<(f64, f64)> = Vec::new();
    // In percent, as written: a hundredth of it times a hundred is not always the same number.
    let mut before = 0.0;
    let mut lines = 0;
    for (n, line) in text.lines().enumerate() {
        let line_of = n + 1;
        lines = line_of;
        let mut words = line.split('#').next().unwrap_or("").split_whitespace();
        let Some(size) = words.next() else { continue };
        let least = points.last().map_or(0.0, |p| p.0);
        let bytes = size.parse::<f64>().ok().filter(|b| (least..=1e15).contains(b));
        let form = if size.parse::<f64>().is_err() { format!("; a line is `{what} percent`, with a space between") } else { String::new() };
        let allowed = || format!("{unit}, {least} to 1e15 ({what}s don't fall){form}");
        let bytes = bytes.ok_or_else(|| error(line_of, what, size, allowed()))?;
        let percent = words.next().unwrap_or("missing");
        let read = percent.strip_suffix('%').unwrap_or(percent).parse::<f64>().ok();
        let read = read.filter(|p| (before - ROUNDING..=100.0 + ROUNDING).contains(p));
        let allowed = || format!("{before} to 100 (percentages don't fall)");
        before = read.ok_or_else(|| error(line_of, "percent", percent, allowed()))?.max(before);
        if before >= 100.0 - ROUNDING {
            before = 100.0;
        }
        if let Some(more) = words.next() {
            return Err(error(line_of, "a third word", more, format!("`{what} percent` and nothing else")));
        }
        points.push((bytes, before / 100.0));
    }
    match points.last() {
        Some((bytes, 1.0)) if *bytes >= 1.0 => {}
        Some((bytes, 1.0)) => return Err(error(lines, &format!("the last {what}"), &bytes.to_string(), format!("{unit}, at least 1"))),
        Some(_) => {
            let shares = if before == 1.0 { "; these look like shares of 0 to 1: multiply them by 100" } else { "" };
            return Err(error(lines, "the last percent", &before.to_string(), format!("100{shares}")));
        }
        None => return Err(error(1, "the file", "empty", format!("lines of `{what} percent`"))),
    }
    if points[0].1 > 0.0 {
        points.insert(0, (points[0].0, 0.0));
    }
    Ok(Sizes::of(points))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A share that stays where it was is no fall, whatever a hundredth of it rounds to.
    #[test]
    fn flat_steps_of_every_percentage_are_read() {
        for tenths in 0..=1000 {
            let percent = f64::from(tenths) / 10.0;
            let text = format!("0 0\n1000 {percent}\n2000 {percent}\n3000 100\n");
            let sizes = parse(Path::new("sizes.cdf"), &text).unwrap_or_else(|e| panic!("{e}"));
            assert_eq!(sizes.points()[1].1, sizes.points()[2].1);
        }
        // Sums of shares, as programs write them.
        for (first, second, last) in
            [("33.333333333333336", "33.33333333333333", "100"), ("50", "50", "99.99999999999999"), ("0", "1e-9", "100.00000000000001")]
        {
            let text = format!("0 0\n1000 {first}\n2000 {second}\n3000 {last}\n");
            let sizes = parse(Path::new("sizes.cdf"), &text).unwrap_or_else(|e| panic!("{e}"));
            assert_eq!((sizes.points().len(), sizes.points()[3].1), (4, 1.0));
        }
        assert!(parse(Path::new("sizes.cdf"), "0 0\n1000 50\n2000 49.999\n3000 100\n").is_err(), "a fall");
        assert!(parse(Path::new("sizes.cdf"), "0 0\n1000 99.999\n").is_err(), "no whole");
        let with_signs = parse(Path::new("sizes.cdf"), "0 0\n1000 50%\n2000 100%\n");
        assert_eq!(with_signs.ok(), parse(Path::new("sizes.cdf"), "0 0\n1000 50\n2000 100\n").ok());
    }

    #[test]
    fn wrong_files_are_refused_with_line_value_and_what_is_allowed() {
        let refused = |text: &str| parse(Path::new("sizes.cdf"), text).expect_err("wrong").to_string();
        assert_eq!(refused("0 0\n100 x\n"), "sizes.cdf:2: percent is x; allowed: 0 to 100 (percentages don't fall)");
        assert_eq!(refused("100 50\n90 100"), "sizes.cdf:2: size is 90; allowed: bytes, 100 to 1e15 (sizes don't fall)");
        assert_eq!(refused("100 50\n200 40"), "sizes.cdf:2: percent is 40; allowed: 50 to 100 (percentages don't fall)");
        let form = "sizes.cdf:1: size is 0,0; allowed: bytes, 0 to 1e15 (sizes don't fall); a line is `size percent`, with a space between";
        assert_eq!(refused("0,0\n1000,100\n"), form);
        assert_eq!(refused("100 50\n"), "sizes.cdf:1: the last percent is 50; allowed: 100");
        assert_eq!(refused("100"), "sizes.cdf:1: percent is missing; allowed: 0 to 100 (percentages don't fall)");
        assert_eq!(refused("# nothing\n"), "sizes.cdf:1: the file is empty; allowed: lines of `size percent`");
        let shares = "sizes.cdf:3: the last percent is 1; allowed: 100; these look like shares of 0 to 1: multiply them by 100";
        assert_eq!(refused("0 0\n1000 0.5\n2000 1\n"), shares);
        let times = curve(Path::new("noise.txt"), "5 50\n4 100\n", "time", "ns").expect_err("wrong").to_string();
        assert_eq!(times, "noise.txt:2: time is 4; allowed: ns, 5 to 1e15 (times don't fall)");
        assert!(kernel_stamps_busy().mean() > kernel_stamps().mean() && kernel_stamps().mean() > 1000.0);
        assert!(parse(Path::new("sizes.cdf"), "# bytes percent\n1000 30\n\n2000 100 # all\n").is_ok());
    }
}
