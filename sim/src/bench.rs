//! How fast the fabric is, and how it grows: one core, event-level NICs with the engine's integers.
use crate::metrics::summary::Spread;
use crate::scenario::{Error, fabric, file};
use crate::time::{MS, NEVER, Ps};
use serde::Serialize;
use std::path::Path;

/// A measured run.
#[derive(Clone, Debug, Serialize)]
pub struct Measured {
    /// Name of the scenario.
    pub name: String,
    /// Hosts.
    pub hosts: usize,
    /// Flows.
    pub flows: usize,
    /// Simulated milliseconds.
    pub simulated_ms: f64,
    /// Wall seconds of the run.
    pub seconds: f64,
    /// Seconds that the run had a core for.
    pub core_seconds: f64,
    /// Wall seconds to read the scenario and set it up.
    pub setup_seconds: f64,
    /// Frames put on a wire.
    pub link_transmissions: u64,
    /// Frames put on a wire a second of a core.
    pub link_transmissions_per_second: f64,
    /// Data packets delivered a second of a core.
    pub packets_per_second: f64,
    /// Messages that were complete at the end.
    pub completed: u64,
    /// Most memory of the process so far, MB.
    pub memory_mb: f64,
    /// Completion times, us.
    pub completion_us: Spread,
}

/// 40-to-1 at 100 Gb/s, frames of 1,000 bytes, in a fat-tree of 128 hosts.
pub const INCAST: &str = include_str!("../scenarios/bench_incast.toml");
/// Web-search messages at half load in a fat-tree of 1,024 hosts.
pub const WEB_SEARCH: &str = include_str!("../scenarios/web_search.toml");

/// Most memory of this process so far, MB; 0 where the system doesn't tell.
pub fn memory_mb() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|l| l.strip_prefix("VmHWM:"));
    line.and_then(|l| l.split_whitespace().next()?.parse::<f64>().ok()).map_or(0.0, |kb| kb / 1024.0)
}

// Seconds that this thread had a core for; `None` where the system doesn't tell.
fn core_seconds() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    Some(text.split_whitespace().next()?.parse::<f64>().ok()? * 1e-9)
}

/// Runs a scenario's text on the fabric and measures it.
pub fn measure(name: &str, text: &str, progress: impl FnMut(Ps)) -> Result<Measured, Error> {
    let started = std::time::Instant::now();
    let mut plan = file::parse(Path::new(name), text)?;
    plan.fabric.detail = Some(false);
    let mut fabric = fabric::prepare(&plan)?.fabric;
    let setup_seconds = started.elapsed().as_secs_f64();
    let (started, before) = (std::time::Instant::now(), core_seconds());
    fabric.run(plan.duration, progress);
    let seconds = started.elapsed().as_secs_f64();
    let core = core_seconds().zip(before).map_or(seconds, |(now, before)| now - before);
    let done = fabric.finish();
    let transmissions = done.record.transmissions;
    let packets: u64 = done.flows.iter().map(|f| f.packets).sum();
    let complete = done.messages.iter().filter(|m| m.done != NEVER);
    let us: Vec<f64> = complete.map(|m| (m.done - m.start) as f64 / 1e6).collect();
    Ok(Measured {
        name: name.into(),
        hosts: plan.topology.hosts().count(),
        flows: plan.flows.len(),
        simulated_ms: plan.duration as f64 / MS as f64,
        seconds,
        core_seconds: core,
        setup_seconds,
        link_transmissions: transmissions,
        link_transmissions_per_second: transmissions as f64 / core,
        packets_per_second: packets as f64 / core,
        completed: us.len() as u64,
        memory_mb: memory_mb(),
        completion_us: Spread::of(us),
    })
}

/// The scenarios of a growing web-search load: name and text, from 16 hosts to 1,024; and of 1,024
/// hosts at 100 Gb/s, and with some 100,000 messages of one size.
pub fn growth() -> Vec<(String, String)> {
    let of = |k: u32| (format!("web-search-{}", k * k * k / 4), WEB_SEARCH.replace("k = 16", &format!("k = {k}")));
    let fast = WEB_SEARCH.replace("rate_gbps = 10\n", "rate_gbps = 100\n").replace("timely-10g", "timely-100g");
    let many = WEB_SEARCH.replace("sizes = \"web-search\"", "bytes = 57000");
    let more = [("1024 at 100 Gb/s", fast), ("100,000 flows", many)].map(|(name, text)| (name.to_owned(), text));
    [4, 6, 8, 12, 16].map(of).into_iter().chain(more).collect()
}
