//! Effect of pacers on a network: senders of the simulator whose packets or bursts are as late as
//! was measured, under one law.
//!
//! A pacer of single packets is an event-level NIC that paces each packet, late by the trace; a
//! pacer of bursts posts them to a NIC that sends them at line rate. All are answered, and so
//! update their rate, once a segment of 16 KB, or of the burst's size if that is larger.
use super::hybrid::NIC_MBPS;
use super::load::Load;
use super::row::{Place, Row};
use super::trace;
use crate::cores;
use crate::scenario::build::{self, Outcome};
use crate::scenario::file::Overrides;
use crate::scenario::vary::{self, Change};
use crate::scenario::{NicKind, Plan};
use crate::time::{NS, Ps, ps};
use rayon::prelude::*;
use serde::Serialize;
use std::path::Path;
use std::sync::Arc;
use toml::Value;

const INCAST: &str = include_str!("../../scenarios/pacing_incast.toml");
const STAR: &str = include_str!("../../scenarios/sigcomm15/star.toml");
/// Noise of RTTs in the figure 12 experiment, us.
const NOISE: [f64; 5] = [0.0, 25.0, 50.0, 100.0, 200.0];
/// The part of its length that a quick run has.
pub const QUICK: f64 = 0.05;
/// The load whose lateness is taken: flows and Mb/s.
const MEASURED: (u32, f64) = (1, 100.0);

/// A kind of sender.
#[derive(Clone, Debug)]
pub struct Sender {
    /// Name of the pacer.
    pub name: String,
    /// Payload of a burst; 0: single packets.
    burst: u32,
    /// How late its releases are.
    lateness: Arc<[Ps]>,
    /// The NIC sends a burst's packets at this rate, Mb/s; 0: at the line's.
    spacing: f64,
}

impl Sender {
    /// A NIC that paces single packets, late by a trace.
    pub fn late(name: String, lateness: Arc<[Ps]>) -> Self {
        Sender { name, burst: 0, lateness, spacing: 0.0 }
    }
}

/// A run.
#[derive(Clone, Debug, Serialize)]
pub struct Run {
    /// `incast` or `fig12`.
    pub experiment: &'static str,
    /// The pacer.
    pub pacer: String,
    /// Noise of the RTTs, up to, us.
    pub rtt_noise_us: f64,
    /// Wire bits over what the bottleneck carries.
    pub utilization: f64,
    /// Median of the RTT.
    pub rtt_p50_us: f64,
    /// 99th percentile of the RTT.
    pub rtt_p99_us: f64,
    /// Jain's index.
    pub jain: f64,
    /// Mean queue.
    pub queue_mean_kb: f64,
    /// 99th percentile of the queue.
    pub queue_p99_kb: f64,
    /// Pauses.
    pub pauses: u64,
}

/// Whether a row's lateness is what senders are given.
pub fn is_source(row: &Row) -> bool {
    let Load { flows, mbps, .. } = row.load;
    (flows, mbps) == MEASURED && row.refused.is_none() && row.place != Place::Rtl && row.name != "hybrid" && !row.releases.is_empty()
}

/// The hardware, and a sender for each pacer and burst that was measured.
pub fn senders(rows: &[Row]) -> Vec<Sender> {
    let hardware = Sender::late("hardware".into(), Default::default());
    let mut all = vec![hardware];
    for row in rows.iter().filter(|r| is_source(r)) {
        let lateness: Arc<[Ps]> = trace::lateness(row).into_iter().map(|ns| ps(ns, NS)).collect();
        // 11 packets and 44 of 1,472 bytes are what 16 KB and 64 KB come to; here packets have
        // 1,024.
        let burst = if row.load.burst == 1 { 0 } else { (row.load.burst_payload() as u32).next_multiple_of(4096) };
        all.push(Sender { name: row.title(), burst, lateness: lateness.clone(), spacing: 0.0 });
        if row.name == "sleep" && row.load.burst > 1 {
            let hybrid = Row { name: "hybrid".into(), ..row.clone() };
            all.push(Sender { name: hybrid.title(), burst, lateness, spacing: NIC_MBPS });
        }
    }
    all
}

/// An experiment with this sender; `more` changes its scenario besides.
pub fn plan(sender: &Sender, experiment: &str, noise: f64, more: &[Change], overrides: &Overrides) -> Result<Plan, String> {
    let kind = if sender.burst == 0 { NicKind::Event } else { NicKind::Posted };
    let change = |path: &str, to: Value| -> Change { (path.to_owned(), to) };
    let mut changes = vec![
        change("nic.kind", Value::String(kind.to_string())),
        // Nothing but what was measured makes senders late.
        change("nic.slot_us", Value::Float(0.0)),
        change("nic.software_jitter_us", Value::Float(0.0)),
        change("nic.ack_delay_ns", Value::Float(150.0)),
        change("nic.spacing_mbps", Value::Float(if kind == NicKind::Posted { sender.spacing } else { 0.0 })),
        change("nic.rtt_noise_us", Value::Float(noise)),
        change("flow.*.segment_bytes", Value::Float(f64::from(sender.burst.max(16_384)))),
    ];
    changes.extend_from_slice(more);
    let (name, text) = if experiment == "incast" { ("pacing_incast.toml", INCAST) } else { ("star.toml", STAR) };
    let mut plan = vary::parse(Path::new(name), text, &changes, overrides).map_err(|e| e.to_string())?;
    plan.fabric.lateness = sender.lateness.clone();
    plan.fabric.detail = Some(false);
    Ok(plan)
}

/// Runs a plan of an experiment.
///
/// # Errors
/// The plan cannot be run.
pub fn run(plan: Plan, experiment: &'static str, pacer: &str, noise: f64) -> Result<Run, String> {
    let Outcome { summary: s, recorder, plan, .. } = build::run(plan, &*cores::factory(), |_: Ps| {}).map_err(|e| e.to_string())?;
    // Figure 12's server has two links.
    let links = plan.flows.iter().map(|f| f.dst).collect::<std::collections::HashSet<_>>();
    let capacity: f64 = links.iter().map(|h| plan.topology.host_link(*h).speed.as_bps() as f64).sum();
    let wire: u64 = recorder.flows.iter().map(|f| f.wire_steady).sum();
    let seconds = (recorder.windows.end - recorder.windows.steady) as f64 * 1e-12;
    Ok(Run {
        experiment,
        pacer: pacer.into(),
        rtt_noise_us: noise,
        utilization: wire as f64 * 8.0 / seconds / capacity,
        rtt_p50_us: s.rtt_us.p50,
        rtt_p99_us: s.rtt_us.p99,
        jain: s.jain,
        queue_mean_kb: s.queue_kb.mean,
        queue_p99_kb: s.queue_kb.p99,
        pauses: s.pauses,
    })
}

/// Runs the incast, and figure 12's experiment at each noise, with every sender, on all cores.
///
/// # Errors
/// A plan cannot be run.
pub fn all(senders: &[Sender], quick: bool, done: impl Fn() + Sync) -> Result<Vec<Run>, String> {
    let noise = if quick { &NOISE[..2] } else { &NOISE[..] };
    let of =
        |s: &Sender| std::iter::once((s.clone(), "incast", 0.0)).chain(noise.iter().map(|n| (s.clone(), "fig12", *n))).collect::<Vec<_>>();
    let overrides = Overrides { part: if quick { QUICK } else { 1.0 }, ..Overrides::default() };
    let one = |(sender, experiment, noise): (Sender, &'static str, f64)| {
        let r = plan(&sender, experiment, noise, &[], &overrides).and_then(|p| run(p, experiment, &sender.name, noise));
        done();
        r
    };
    senders.iter().flat_map(of).collect::<Vec<_>>().into_par_iter().map(one).collect()
}

/// Runs that [`all`] makes of so many senders.
pub fn count(senders: usize, quick: bool) -> usize {
    senders * (1 + if quick { 2 } else { NOISE.len() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pacing::row::Place;

    fn sender(burst: u32, late_us: f64) -> Sender {
        let load = Load { flows: 1, mbps: 100.0, burst, seconds: 1.0 };
        // One release of a hundred is late.
        let releases = (0..1000).map(|i| if i % 100 == 3 { late_us * 1e3 } else { 0.0 }).collect();
        let row = Row { releases, ..Row::new("wheel", Place::User, &load) };
        senders(&[row]).pop().expect("a sender")
    }

    #[test]
    fn lateness_reaches_the_network_and_costs_no_rate() {
        let hardware = &senders(&[])[0];
        let run = run_of;
        let (good, never, late) = (run(hardware), run(&sender(1, 0.0)), run(&sender(1, 200.0)));
        assert_eq!((good.utilization, good.rtt_p99_us), (never.utilization, never.rtt_p99_us), "a trace of zeros");
        // The lateness of a packet is made up for.
        assert!((late.utilization / good.utilization - 1.0).abs() < 0.2, "{} and {}", late.utilization, good.utilization);
        assert_ne!(late.rtt_p99_us, good.rtt_p99_us);
        let burst = sender(44, 0.0);
        assert_eq!(burst.burst, 65_536);
        let burst = run(&burst);
        assert!(burst.queue_p99_kb > good.queue_p99_kb, "{} and {} KB", burst.queue_p99_kb, good.queue_p99_kb);
    }

    fn run_of(s: &Sender) -> Run {
        let overrides = Overrides { part: QUICK, ..Overrides::default() };
        plan(s, "incast", 0.0, &[], &overrides).and_then(|p| run(p, "incast", &s.name, 0.0)).expect("runs")
    }
}
