//! `timelyctl events`: rate updates, printed as they come, or into a file of CSV or pcapng.
use crate::backend::{Backend, CliError};
use crate::signals::Signals;
use crate::times::duration;
use std::path::PathBuf;
use std::time::{Duration, Instant};
use timely_driver::record::{HEAD, Sink};
use timely_driver::report::EventReport;
use timely_driver::say::note;
use timely_driver::service::Request;
use timely_driver::units::{parse_whole, parse_whole_within};
use timely_regs::event::{BYTES, EventRecord};

/// How long is waited at a time, so that a signal is heard.
const WAIT: Duration = Duration::from_millis(100);

/// Options of `timelyctl events`.
#[derive(clap::Args)]
pub struct Arguments {
    /// The file: CSV, or pcapng where its name ends so (link type USER0, one record of
    /// docs/registers.md a packet, nanoseconds of the NIC).
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// One of so many updates.
    #[arg(long, default_value_t = 1, value_parser = |s: &str| parse_whole_within::<u32>(s, 1..=65_535))]
    every: u32,
    /// Only of this flow.
    #[arg(long, value_parser = parse_whole::<u32>)]
    flow: Option<u32>,
    /// Only of flows of this profile.
    #[arg(long, value_parser = parse_whole::<u32>)]
    profile: Option<u32>,
    /// Ends after so many.
    #[arg(long, value_parser = |s: &str| parse_whole_within::<u64>(s, 1..=u64::MAX))]
    count: Option<u64>,
    /// Ends after so long.
    #[arg(long = "for", value_name = "TIME", value_parser = duration, allow_hyphen_values = true)]
    time: Option<Duration>,
}

impl Arguments {
    /// Records go to the output.
    pub fn prints(&self) -> bool {
        self.out.is_none()
    }
}

/// Follows events until it is told to end.
pub fn run(nic: &mut Backend, a: &Arguments, json: bool) -> Result<(), CliError> {
    let signals = Signals::new()?;
    let mut total = EventReport::default();
    let name = a.out.as_ref().map_or("output".into(), |p| p.display().to_string());
    let failed = |e: std::io::Error, written: u64| {
        CliError::Failed(format!("{name}: {e}; {written} records were written whole: free space, or give another --out"))
    };
    // A request that is refused leaves an earlier recording as it is.
    nic.ask(Request::Events { every: a.every, flow: a.flow, profile: a.profile })?;
    let mut sink = Sink::new(a.out.as_deref()).map_err(|e| failed(e, 0))?;
    if a.out.is_none() {
        crate::write_out(HEAD)?;
    }
    let start = Instant::now();
    // Records that are flushed to the output.
    let mut written = 0;
    let end = || a.time.is_some_and(|t| start.elapsed() >= t);
    while !end() && a.count.is_none_or(|c| total.records < c) && !signals.came() {
        let Some((lost, bytes)) = nic.events(WAIT)? else { continue };
        total.lost = total.lost.saturating_add(lost);
        if lost > 0 {
            note(format_args!("{lost} records were lost here"));
        }
        for bytes in bytes.as_chunks::<BYTES>().0 {
            if a.count.is_some_and(|c| total.records >= c) {
                break;
            }
            let Ok(record) = EventRecord::from_bytes(bytes) else {
                total.broken += 1;
                continue;
            };
            match sink.write(&record, bytes) {
                // The reader has closed the pipe, as `head` does.
                Err(e) if a.out.is_none() && e.kind() == std::io::ErrorKind::BrokenPipe => return Ok(()),
                other => other.map_err(|e| failed(e, written))?,
            }
            total.records += 1;
        }
        if total.records > written {
            sink.flush().map_err(|e| failed(e, written))?;
            written = total.records;
        }
    }
    sink.flush().map_err(|e| failed(e, written))?;
    nic.ask(Request::Events { every: 0, flow: None, profile: None })?;
    if json {
        crate::write_out(&serde_json::to_string_pretty(&total).unwrap_or_default())?;
    } else {
        note(format_args!("{} records, {} lost, {} broken", total.records, total.lost, total.broken));
    }
    Ok(())
}
