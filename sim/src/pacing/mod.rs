//! Hardware pacing beside software pacing: the same flows, rates and packets through the pacer's
//! Verilog and through what a kernel offers.
//!
//! [`rtl`] runs the Verilog; [`sender`], [`kernel`] and [`tcp`] really send, from one end of a
//! [`site`] to the other, where [`receiver`] takes the kernel's stamps; [`stats`] judges both
//! alike. What software did drives senders of the simulator ([`trace`], [`network`]), and all of it
//! comes into one report.
pub mod busy;
pub mod clock;
pub mod command;
pub mod conclude;
pub mod gate;
pub mod hybrid;
pub mod kernel;
pub mod late;
pub mod lateness;
pub mod load;
pub mod measure;
pub mod network;
pub mod pacer;
pub mod page;
pub mod prose;
pub mod receiver;
pub mod record;
pub mod rig;
pub mod row;
pub mod rtl;
pub mod sections;
pub mod sender;
pub mod site;
pub mod software;
pub mod stats;
pub mod table;
pub mod tcp;
pub mod trace;
mod words;
pub mod xdp;

use load::{BURSTS, Load};
use measure::Stamping;
use network::Run;
use pacer::Pacer;
use row::Row;
use serde::{Deserialize, Serialize};
use site::Named;
use software::{Conditions, Software};
use stats::Quantiles;
use std::sync::atomic::{AtomicUsize, Ordering};

/// How many loads are measured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Extent {
    /// A few for moments, to see that all of it runs: no figures.
    Quick,
    /// Three loads, as single packets and bursts of 64 KB.
    Few,
    /// All.
    #[default]
    Whole,
}

/// Settings of a measurement.
#[derive(Clone, Debug)]
pub struct Options {
    /// How many loads.
    pub extent: Extent,
    /// Namespaces of the user's, in place of those that are made.
    pub named: Option<Named>,
    /// A second task computes on the sender's core.
    pub busy: bool,
    /// Loads run at 1/scale of their rate for scale times as long, and times are divided by it:
    /// figures of a machine so many times as fast.
    pub scale: f64,
    /// Description of the machine, for people.
    pub machine: Option<String>,
    /// Software pacers that are measured.
    pub chosen: Vec<Pacer>,
}

impl Default for Options {
    fn default() -> Self {
        Options { extent: Extent::Whole, named: None, busy: false, scale: 1.0, machine: None, chosen: Pacer::ALL.into() }
    }
}

/// The loads: flows, Mb/s of all of them together, seconds.
const LOADS: [(u32, f64, f64); 9] = [
    (1, 10.0, 1.0),
    (1, 100.0, 0.5),
    (1, 1_000.0, 0.5),
    (1, 10_000.0, 0.3),
    (100, 1_000.0, 0.5),
    (1_000, 1_000.0, 0.5),
    (10_000, 1_000.0, 1.0),
    (10_000, 5_000.0, 0.3),
    (1_000, 10_000.0, 0.3),
];
/// Loads that are measured in every start phase.
const FEW: [(u32, f64); 3] = [conclude::PUNCTUAL, conclude::COSTLY, (10_000, 1_000.0)];
/// Loads of a quick look.
const QUICK: [(u32, f64, f64); 2] = [(1, 100.0, 0.1), (100, 1_000.0, 0.05)];
/// A load that no software is given: as many flows as an emission has at most.
pub const ALL_FLOWS: (u32, f64) = (1 << 16, 40_000.0);
/// Flows whose packets are further apart are not run on Verilog, which would take many minutes for
/// a few of them.
const MOST_GAP_NS: f64 = 1.5e8;

/// Results of a measurement of all pacers.
#[derive(Debug, Default, Serialize)]
pub struct Measured {
    /// Where packets really went.
    pub site: String,
    /// Features that the site lacks, and why.
    pub left_out: Option<String>,
    /// 99th percentile of how late a thread is that polls for an event at a random time, and does
    /// nothing else.
    pub noise_floor_ns: f64,
    /// The distribution of that.
    pub noise_ns: Quantiles,
    /// Gaps of such a thread that are longer than 10 us, a second.
    pub long_gaps_per_second: f64,
    /// How well arrivals are stamped.
    pub stamping: Stamping,
    /// Without any pacing: what sending itself takes.
    pub unpaced: Vec<Row>,
    /// The pacers, each under each load.
    pub pacers: Vec<Row>,
    /// Runs of networks whose senders use the pacers.
    pub network: Vec<Run>,
    /// Conclusions for a user.
    pub conclusions: Vec<String>,
    /// How software was measured, each time that it was.
    pub conditions: Vec<Conditions>,
}

/// The loads of these options, with single packets.
pub fn loads(options: &Options) -> Vec<Load> {
    let of = if options.extent == Extent::Quick { &QUICK[..] } else { &LOADS[..] };
    let chosen = |l: &&(u32, f64, f64)| options.extent != Extent::Few || FEW.contains(&(l.0, l.1));
    of.iter().filter(chosen).map(|(flows, mbps, seconds)| Load { flows: *flows, mbps: *mbps, burst: 1, seconds: *seconds }).collect()
}

/// Packets of the bursts of these options.
pub fn bursts(options: &Options) -> &'static [u32] {
    match options.extent {
        Extent::Quick => &BURSTS[..2],
        Extent::Few => &[BURSTS[0], BURSTS[2]],
        Extent::Whole => &BURSTS,
    }
}

/// Measures all pacers, or takes software's part from elsewhere; `progress` is given the pacer, how
/// much is done, and of how much.
///
/// # Errors
/// The measurement as a whole fails; a failure of one pacer is in its row.
pub fn measure(
    options: &Options,
    from: Option<(Software, Vec<Conditions>)>,
    progress: &(dyn Fn(&str, usize, usize) + Sync),
) -> Result<Measured, String> {
    let quick = options.extent == Extent::Quick;
    let mut hardware: Vec<Load> = loads(options).into_iter().filter(|l| l.gap_ns() <= MOST_GAP_NS).collect();
    // Where data come late: one flow, and many.
    let chosen = |l: &&Load| (l.flows, l.mbps) == conclude::PUNCTUAL || !quick && (l.flows, l.mbps) == conclude::COSTLY;
    let late: Vec<Load> = hardware.iter().filter(chosen).copied().collect();
    if !quick {
        hardware.push(Load { flows: ALL_FLOWS.0, mbps: ALL_FLOWS.1, burst: 1, seconds: 0.0 });
    }
    let total = hardware.len() + late.len() + if from.is_some() { 0 } else { software::steps(options) };
    let step = AtomicUsize::new(0);
    let next = |what: &str| progress(what, step.fetch_add(1, Ordering::Relaxed), total);

    // Namespaces that are not there end it before the minutes of Verilator.
    if let (None, Some(named)) = (&from, &options.named) {
        drop(site::Site::named(named)?);
    }
    // The machine is quiet for what is timed by it: Verilator first, on all cores.
    let mut pacers = rtl::all(&hardware, quick, || next("rtl"));
    for load in &late {
        pacers.extend(late::all(load, quick));
        next("rtl");
    }
    let (software, conditions) = match from {
        Some(taken) => taken,
        None => {
            let own = software::measure(options, next)?;
            let conditions = vec![own.conditions.clone()];
            (own, conditions)
        }
    };
    pacers.extend(software.pacers.into_iter().map(Row::from));
    let senders = network::senders(&pacers);
    let runs = network::count(senders.len(), quick);
    let (step, of) = (AtomicUsize::new(0), total + runs);
    let network = network::all(&senders, quick, || progress("network", total + step.fetch_add(1, Ordering::Relaxed), of))?;
    let mut measured = Measured {
        site: software.site,
        left_out: software.left_out,
        noise_floor_ns: software.noise_ns.p99,
        noise_ns: software.noise_ns,
        long_gaps_per_second: software.long_gaps_per_second,
        stamping: software.stamping,
        unpaced: software.unpaced.into_iter().map(Row::from).collect(),
        pacers,
        network,
        conclusions: Vec::new(),
        conditions,
    };
    measured.conclusions = conclude::sentences(&measured).into();
    Ok(measured)
}
