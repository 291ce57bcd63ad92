//! Hardware pacing beside software pacing: the same flows, rates and packets through the pacer's Verilog and through what a kernel offers.
//!
//! [`rtl`] runs the Verilog; [`sender`] and [`kernel`] really send, from one end of a [`site`] to the other, where [`receiver`] takes the
//! kernel's stamps; [`stats`] judges both alike. What software did drives senders of the simulator ([`trace`], [`network`]), and all of it
//! comes into one report.
pub mod clock;
pub mod conclude;
pub mod gate;
pub mod hybrid;
pub mod kernel;
pub mod load;
pub mod measure;
pub mod network;
pub mod page;
pub mod receiver;
pub mod rig;
pub mod row;
pub mod rtl;
pub mod sender;
pub mod site;
pub mod stats;
pub mod table;
pub mod trace;

use clock::Noise;
use load::{BURSTS, Load};
use measure::{Pacer, Stamping};
use network::Run;
use row::Row;
use serde::Serialize;
use site::{Named, Site};
use stats::Quantiles;
use std::sync::atomic::{AtomicUsize, Ordering};

/// How it is measured.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// A few loads for moments, to see that all of it runs.
    pub quick: bool,
    /// Namespaces of the user's, in place of those that are made.
    pub named: Option<Named>,
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
/// Those of a quick look.
const QUICK: [(u32, f64, f64); 2] = [(1, 100.0, 0.1), (100, 1_000.0, 0.05)];
/// Flows whose packets are further apart are not run on Verilog, which would take minutes for a few of them.
const MOST_GAP_NS: f64 = 5e7;
/// Looks at the machine between two measurements, s.
const LOOK: f64 = 0.03;

/// What came of all of it.
#[derive(Debug, Default, Serialize)]
pub struct Measured {
    /// Where packets really went.
    pub site: String,
    /// What could not be had there, and why.
    pub left_out: Option<String>,
    /// 99th percentile of how late a thread is that polls for an event at a random time, and does nothing else.
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
    /// What they do to a network.
    pub network: Vec<Run>,
    /// What a user should conclude.
    pub conclusions: Vec<String>,
}

/// The loads of these options, with single packets.
pub fn loads(options: &Options) -> Vec<Load> {
    let of = if options.quick { &QUICK[..] } else { &LOADS[..] };
    of.iter().map(|(flows, mbps, seconds)| Load { flows: *flows, mbps: *mbps, burst: 1, seconds: *seconds }).collect()
}

/// Measures all pacers; `progress` is told what is measured, how much is done, and of how much.
///
/// # Errors
/// What stands in the way of all of it; what stands in the way of one pacer is its row.
pub fn measure(options: &Options, progress: &(dyn Fn(&str, usize, usize) + Sync)) -> Result<Measured, String> {
    kernel::allow_sockets();
    let site = options.named.as_ref().map_or_else(|| Ok(Site::open()), Site::named)?;
    let loads = loads(options);
    let bursts: &[u32] = if options.quick { &BURSTS[..2] } else { &BURSTS };
    let software = Pacer::ALL.len() * bursts.len() * loads.len();
    let hardware: Vec<Load> = loads.iter().filter(|l| l.gap_ns() <= MOST_GAP_NS).copied().collect();
    let total = hardware.len() + software + bursts.len();
    let step = AtomicUsize::new(0);
    let next = |what: &str| progress(what, step.fetch_add(1, Ordering::Relaxed), total);

    // The machine is quiet for what is timed by it: Verilator first, on all cores.
    let mut pacers = rtl::all(&hardware, options.quick, || next("rtl"));
    let stamping = measure::stamping(&site)?;
    let noise = &mut Noise::default();
    let mut look = |site: &Site| {
        let mut own = std::mem::take(noise);
        *noise = site.sender.run(move || {
            own.sample(LOOK);
            own
        });
    };
    let mut run = 1;
    let mut unpaced = Vec::new();
    for burst in bursts {
        next("unpaced");
        let load = Load { flows: 1, mbps: 100_000.0, burst: *burst, seconds: loads[0].seconds.min(0.2) };
        // There is no schedule to be off.
        let row = measure::row(&site, &Pacer::Unpaced, &load, &mut run);
        unpaced.push(Row { error_ns: None, release_error_ns: None, rate_error_ppm: None, ..row });
    }
    for pacer in &Pacer::ALL {
        let refusal = pacer.prepare(&site);
        for burst in bursts {
            for load in &loads {
                next(pacer.name());
                look(&site);
                let load = Load { burst: *burst, ..*load };
                match &refusal {
                    // Once is enough: the reason has nothing to do with the load.
                    Err(why) if load == (Load { burst: bursts[0], ..loads[0] }) => {
                        pacers.push(Row::refused(pacer.name(), pacer.place(), &load, why))
                    }
                    Err(_) => {}
                    Ok(()) => pacers.push(measure::row(&site, pacer, &load, &mut run)),
                }
            }
        }
        pacer.leave(&site);
    }
    let modelled = hybrid::rows(&pacers);
    pacers.extend(modelled);
    let noise_ns = noise.lateness();
    let senders = network::senders(&pacers);
    let runs = network::count(senders.len(), options.quick);
    let (step, of) = (AtomicUsize::new(0), total + runs);
    let network = network::all(&senders, options.quick, || progress("network", total + step.fetch_add(1, Ordering::Relaxed), of))?;
    let mut measured = Measured {
        site: site.title.clone(),
        left_out: site.left_out.clone(),
        noise_floor_ns: noise_ns.p99,
        noise_ns,
        long_gaps_per_second: noise.long_gaps(),
        stamping,
        unpaced,
        pacers,
        network,
        conclusions: Vec::new(),
    };
    measured.conclusions = conclude::sentences(&measured).into();
    Ok(measured)
}
