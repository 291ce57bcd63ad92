//! Traces of lateness: what a pacer was measured to do, for senders of the simulator. A text of ns,
//! one a line, in the order of time.
use super::row::Row;
use crate::scenario::Error;
use crate::time::{NS, Ps, ps};
use std::path::Path;
use std::sync::Arc;

/// The latest that a trace may say, ns.
const MOST: f64 = 1e9;

/// Reads a file of ns, one a line; `#` begins a comment.
///
/// # Errors
/// A file that cannot be read, has a line that is no lateness, or none that is.
pub fn read(file: &Path) -> Result<Arc<[Ps]>, Error> {
    let text = crate::input::text(file).map_err(|source| Error::Read { file: file.into(), source })?;
    let mut all = Vec::new();
    for (i, line) in text.lines().enumerate() {
        let value = line.split('#').next().unwrap_or("").trim();
        if value.is_empty() {
            continue;
        }
        match value.parse::<f64>() {
            Ok(ns) if (0.0..=MOST).contains(&ns) => all.push(ps(ns, NS)),
            _ => {
                let message = format!("{value} is no lateness; allowed: ns from 0 to {MOST}, one a line");
                return Err(Error::Syntax { file: file.into(), line: i + 1, message });
            }
        }
    }
    if all.is_empty() {
        let message = "a trace without a value; `timely-sim pacing` writes some".into();
        return Err(Error::Syntax { file: file.into(), line: 1, message });
    }
    Ok(all.into())
}

/// The lateness of a pacer's releases, ns, from 0 on. Where the kernel paces, the schedule is not
/// known: a rate that is off is left out, and the earliest release was on time.
pub fn lateness(row: &Row) -> Vec<f64> {
    let all = &row.releases;
    if row.on_schedule {
        return all.iter().map(|ns| ns.clamp(0.0, MOST)).collect();
    }
    // Drift from the first eighth to the last one, by their earliest.
    let part = (all.len() / 8).max(1);
    let least = |s: &[f64]| s.iter().copied().fold(f64::MAX, f64::min);
    let (Some(head), Some(tail)) = (all.chunks(part).next(), all.rchunks(part).next()) else { return Vec::new() };
    let slope = (least(tail) - least(head)) / (all.len() - part).max(1) as f64;
    let level: Vec<f64> = all.iter().enumerate().map(|(i, ns)| ns - i as f64 * slope).collect();
    let zero = least(&level);
    level.iter().map(|ns| (ns - zero).clamp(0.0, MOST)).collect()
}

/// A trace as a text.
pub fn text(row: &Row) -> String {
    let mut text = format!(
        "# lateness of releases, ns, one a line, in the order of time: {}, {}\n# for `lateness_file` in a scenario of timely-sim\n",
        row.title(),
        row.load
    );
    lateness(row).iter().for_each(|ns| text += &format!("{ns:.0}\n"));
    text
}

/// The name of its file.
pub fn file_name(row: &Row) -> String {
    let core = if row.busy { "-busy" } else { "" };
    format!("{}-{}{core}.ns", row.name, row.burst().replace(' ', "").to_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pacing::load::Load;
    use crate::pacing::row::Place;

    fn row(releases: Vec<f64>, on_schedule: bool) -> Row {
        let load = Load { flows: 1, mbps: 1000.0, burst: 11, seconds: 1.0 };
        Row { releases, on_schedule, ..Row::new("sleep", Place::User, &load) }
    }

    #[test]
    fn a_trace_is_read_as_it_was_written() {
        let dir = std::env::temp_dir().join(format!("timely-trace-{}", std::process::id()));
        std::fs::create_dir_all(&dir).expect("a folder");
        let r = row(vec![1500.0, -3.0, 60_000.0], true);
        assert_eq!(file_name(&r), "sleep-16kb.ns");
        let file = dir.join(file_name(&r));
        std::fs::write(&file, text(&r)).expect("written");
        assert_eq!(*read(&file).expect("a trace"), [1_500_000, 0, 60_000_000]);
        let error = |text: &str| {
            std::fs::write(&file, text).expect("written");
            read(&file).expect_err("refused").to_string().rsplit('/').next().map(str::to_owned)
        };
        assert_eq!(
            error("1\n-2 # early\n").as_deref(),
            Some("sleep-16kb.ns:2: -2 is no lateness; allowed: ns from 0 to 1000000000, one a line")
        );
        assert!(error("# nothing\n").expect("words").contains("without a value"));
        std::fs::remove_dir_all(dir).expect("removed");
    }

    #[test]
    fn a_rate_that_is_off_is_no_lateness() {
        // A kernel that is ten nanoseconds a release too slow, and every 20th release another
        // microsecond late.
        let releases = (0..800).map(|i| f64::from(i) * 10.0 + if i % 20 == 7 { 1000.0 } else { 0.0 }).collect();
        let late = lateness(&row(releases, false));
        assert!(late.iter().enumerate().all(|(i, ns)| (ns - if i % 20 == 7 { 1000.0 } else { 0.0 }).abs() < 1.0), "{late:?}");
    }
}
