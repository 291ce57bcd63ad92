//! Figures of the pacer, on its Verilog: grants a clock in each mix, punctuality and rate of a flow
//! alone, lateness under load.
use super::figure::{Bound, Figure};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::sync::Arc;
use timely_hw::pacer::Pacer;
use timely_model::pacer::Timing;
use timely_sim::pacing::gate::{self, Load, MBPS, register};
use timely_sim::pacing::rig::{self, CLOCK_NS, Rig};
use timely_verilate::{Library, Options, build};

/// ns of a byte at 100 Gb/s.
const BYTE_NS: f64 = 0.08;
/// Least grants a clock asked for.
const GRANTS: f64 = 0.6;
/// Lateness beyond an ideal FIFO link asked for, ns.
const EXCESS_NS: f64 = 123.0;

/// How much is measured.
struct Extent {
    flow_bits: u32,
    /// Clocks before and in a window.
    warm: u64,
    window: u64,
    /// Flows that share the link.
    sharing: u32,
    /// Windows of a flow alone, ns.
    alone: f64,
}

impl Extent {
    fn new(quick: bool) -> Self {
        if quick {
            Extent { flow_bits: 10, warm: 10_000, window: 10_000, sharing: 100, alone: 40_000.0 }
        } else {
            Extent { flow_bits: 16, warm: 400_000, window: 500_000, sharing: 1000, alone: 4_200_000.0 }
        }
    }

    fn flows(&self) -> u32 {
        1 << self.flow_bits
    }
}

/// The Verilog of a pacer of 2^16 flows, compiled; for a quick look that of 2^10 in the NIC that is
/// committed.
fn pacer(quick: bool) -> Result<Arc<Library>, String> {
    if quick {
        return rig::library(&timely_sim::cores::known().verilog(64, 10)?, false);
    }
    let verilog = timely_hw::emit::emit("pacer", Pacer::<16, 17, 13, 21, 15, 17, 32, 48, 66, 110>::new(Timing::default()))?;
    let top = format!("{}pacer", timely_hw::emit::PREFIX);
    build("pacer", &verilog, &top, Options { fast: true, ..Options::default() }).map_err(|e| e.to_string())
}

/// The rate at which packets of `bytes` are `ns` apart, Mb/s.
fn at_gap(bytes: u16, ns: f64) -> f64 {
    f64::from(bytes) * 8000.0 / ns
}

/// `n` rates from 1 Mb/s to 10 Gb/s, their logarithms uniform, Mb/s.
fn log_uniform(n: u32, rng: &mut ChaCha8Rng) -> Vec<f64> {
    (0..n).map(|_| 10f64.powf(rng.random_range(0.0..4.0))).collect()
}

/// Grants a clock of flows with these rates (Mb/s), all backlogged, packets of 84 bytes, the gate's
/// output always ready. They start so many clocks after each other.
fn capacity(library: &Arc<Library>, extent: &Extent, rates: &[f64], apart: f64, window: u64) -> f64 {
    let mut rig = Rig::new(library, extent.flow_bits, 84, 16_384);
    for (flow, mbps) in (0..).zip(rates) {
        rig.flow(flow, register(*mbps));
    }
    rig.settle();
    let from = rig.clk;
    for flow in 0..rates.len() as u32 {
        rig.post(flow);
        while ((rig.clk - from) as f64) < f64::from(flow + 1) * apart {
            rig.step();
        }
    }
    while !rig.is_settled() {
        rig.step();
    }
    for _ in 0..extent.warm {
        rig.step();
    }
    (0..window).filter(|_| rig.step().is_some()).count() as f64 / window as f64
}

/// All flows come due at one instant: `(until each was granted a packet, in a window behind that)`,
/// grants a clock.
///
/// A flow of rate 0 is looked at again a microsecond later. So while the time stands still, all
/// flows gather in one slot (the calendar keeps it as two lists); then they get their rates, and
/// the time goes on.
fn one_slot(library: &Arc<Library>, extent: &Extent, mbps: f64) -> (f64, f64) {
    let mut rig = Rig::new(library, extent.flow_bits, 84, 16_384);
    rig.runs = false;
    for flow in 0..extent.flows() {
        rig.flow(flow, 0);
        rig.post(flow);
    }
    rig.settle();
    for flow in 0..extent.flows() {
        rig.rate(flow, register(mbps));
    }
    rig.settle();
    rig.runs = true;
    let (mut seen, mut missing, mut grants, mut first, mut clocks) =
        (vec![false; extent.flows() as usize], extent.flows(), 0u64, None, 0u64);
    while missing > 0 && clocks < 40 * u64::from(extent.flows()) {
        if let Some(t) = rig.step() {
            first.get_or_insert(clocks);
            grants += 1;
            missing -= u32::from(!std::mem::replace(&mut seen[t.flow as usize], true));
        }
        clocks += 1;
    }
    let burst = grants as f64 / (clocks - first.unwrap_or(0)) as f64;
    let after = (0..extent.window).filter(|_| rig.step().is_some()).count() as f64 / extent.window as f64;
    (burst, after)
}

/// Grants a clock, in each mix.
///
/// # Errors
/// The emission or Verilator finds an error.
pub fn grants(quick: bool, out: &mut Vec<Figure>) -> Result<(), String> {
    let (library, extent) = (&pacer(quick)?, &Extent::new(quick));
    let n = extent.flows();
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    // 64K gaps of 440 us are 0.596 grants a clock, the line's 148.8 million; to see what the pacer
    // could do, it is asked for 1.05.
    let all = |per_clock: f64| vec![at_gap(84, f64::from(n) * CLOCK_NS as f64 / per_clock); n as usize];
    let line = 0.5952;
    let gaps = (5.0 * f64::from(n) / line).round() as u64;
    // The flows follow one another in the course of a gap: none is late at the ends of a window of
    // whole gaps.
    let kept = capacity(library, extent, &all(line), 1.0 / line, gaps) / line;
    let mut mixes = vec![("equal", capacity(library, extent, &all(1.05), 0.0, extent.window))];
    mixes.push(("log_uniform", capacity(library, extent, &log_uniform(n, &mut rng), 0.0, extent.window)));
    let mut rates = all(1.05);
    rates[7] = 50_000.0;
    mixes.push(("one_50g", capacity(library, extent, &rates, 0.0, extent.window)));
    let (burst, after) = one_slot(library, extent, all(1.05)[0]);
    mixes.push(("one_slot", burst.min(after)));
    let least = mixes.iter().map(|m| m.1).fold(f64::MAX, f64::min);
    let what = format!("{n} backlogged flows, 84 B, least of the four mixes");
    out.push(Figure::new("pacer.grants_per_clock", least, &what).bound(Bound::AtLeast(GRANTS)));
    for (name, value) in mixes {
        let what = match name {
            "equal" => "all rates equal, asked for 1.05 a clock",
            "log_uniform" => "rates log-uniform from 1 Mb/s to 10 Gb/s",
            "one_50g" => "one flow of 50 Gb/s beside equal ones",
            _ => "all due in one slot: until each had its turn, or the clocks behind that, whichever was slower",
        };
        out.push(Figure::new(&format!("pacer.grants_per_clock.{name}"), value, what).bound(Bound::AtLeast(GRANTS)));
    }
    let what = "share of what flows with gaps of 440 us ask for (148.8 million a second) that they get";
    out.push(Figure::new("pacer.line_rate_share", kept, what));
    Ok(())
}

/// A flow alone at this register: `(greatest distance from its schedule in clocks, rate error in
/// ppm)`.
fn lone(library: &Arc<Library>, extent: &Extent, bytes: u16, register: u32) -> (f64, f64) {
    let clocks = (extent.alone.max(3.5 * gate::gap_ns(bytes, register)) / CLOCK_NS as f64) as u64;
    let (left, ppm) = gate::alone(library, extent.flow_bits, bytes, register, clocks);
    let error = left.iter().map(|l| (l.at - l.due).abs() / CLOCK_NS as f64).fold(0.0, f64::max);
    (error, ppm)
}

/// Punctuality and rate of a flow alone.
///
/// # Errors
/// The emission or Verilator finds an error.
pub fn alone(quick: bool, out: &mut Vec<Figure>) -> Result<(), String> {
    let (library, extent) = (&pacer(quick)?, &Extent::new(quick));
    let all = [(84, 1.0), (84, 100.0), (84, 10_000.0), (84, 77_777.0), (84, 100_000.0)];
    let long = [(1538, 1.0), (1538, 10.0), (1538, 333.0), (1538, 1000.0), (1538, 10_000.0), (1538, 50_000.0), (1538, 100_000.0)];
    let cases: Vec<(u16, f64)> = if quick { vec![(84, 10_000.0), (1538, 40_000.0)] } else { all.into_iter().chain(long).collect() };
    let (mut error, mut ppm) = (0f64, 0f64);
    for (bytes, mbps) in cases {
        let (e, p) = lone(library, extent, bytes, register(mbps));
        (error, ppm) = (error.max(e), ppm.max(p.abs()));
    }
    let what = "a flow alone at the gate against its schedule, 1 Mb/s to 100 Gb/s, 84 and 1,538 B, at worst";
    out.push(Figure::new("pacer.lone_flow_error_clocks", error, what).bound(Bound::AtMost(1.0)));
    let what = "its rate against the register, windows of 4.2 ms, at worst";
    out.push(Figure::new("pacer.long_run_ppm", ppm, what).bound(Bound::AtMost(1.0)));
    for (name, mbps) in [("1_mbps", 1.0), ("1_gbps", 1000.0)] {
        let what = "the register's step, relative to the rate";
        out.push(Figure::new(&format!("pacer.rate_step_ppm.{name}"), 1e6 / (mbps * MBPS), what));
    }
    Ok(())
}

/// Lateness of packets on a link, ns.
struct Late {
    /// p50, p99 and greatest lateness against the flows' own schedules.
    raw: [f64; 3],
    /// p50, p99 and greatest lateness beyond that on an ideal FIFO link.
    excess: [f64; 3],
}

fn percentiles(mut x: Vec<f64>) -> [f64; 3] {
    x.sort_by(f64::total_cmp);
    let at = |q: f64| x[((x.len() - 1) as f64 * q).round() as usize];
    [at(0.5), at(0.99), at(1.0)]
}

/// Backlogged flows of these rates on a link of 100 Gb/s.
fn lateness(library: &Arc<Library>, extent: &Extent, bytes: u16, rates: &[f64], rng: &mut ChaCha8Rng) -> Late {
    let registers: Vec<u32> = rates.iter().map(|r| register(*r)).collect();
    let load = Load { byte_ns: BYTE_NS, warm: extent.warm, clocks: extent.warm + 2 * extent.window };
    let left = gate::shared(library, extent.flow_bits, bytes, &registers, load, rng);
    Late {
        raw: percentiles(left.iter().map(|l| l.at - l.due).collect()),
        excess: percentiles(left.iter().map(|l| l.at - l.ideal).collect()),
    }
}

/// Lateness on a shared link.
///
/// # Errors
/// The emission or Verilator finds an error.
pub fn under_load(quick: bool, out: &mut Vec<Figure>) -> Result<(), String> {
    let (library, extent) = (&pacer(quick)?, &Extent::new(quick));
    let n = extent.sharing as usize;
    let mut rng = ChaCha8Rng::seed_from_u64(2);
    let mut worst = f64::MIN;
    let mut rows = Vec::new();
    for bytes in [84, 1538] {
        for mix in ["equal", "log_uniform", "one_50g"] {
            let mut rates: Vec<f64> = match mix {
                "equal" => (0..n).map(|_| rng.random_range(0.9..1.1)).collect(),
                "log_uniform" => log_uniform(n as u32, &mut rng),
                _ => vec![45_000.0 / (n - 1) as f64; n],
            };
            if mix == "one_50g" {
                rates[0] = 50_000.0;
            }
            let scale = 95_000.0 / rates.iter().sum::<f64>();
            rates.iter_mut().for_each(|r| *r *= scale);
            let late = lateness(library, extent, bytes, &rates, &mut rng);
            worst = worst.max(late.excess[1]);
            rows.push((format!("{bytes}b.{mix}"), late));
        }
    }
    let what = format!("lateness beyond an ideal FIFO link with the same arrivals, {n} flows, 95 % of 100 Gb/s, worst of the six below");
    out.push(Figure::new("pacer.p99_excess_ns", worst, &what).bound(Bound::AtMost(EXCESS_NS)));
    for (name, late) in rows {
        let what = |all: [f64; 3]| format!("p50 {:.0}, p99 {:.0}, greatest {:.0} ns", all[0], all[1], all[2]);
        out.push(Figure::new(&format!("pacer.p99_excess_ns.{name}"), late.excess[1], &what(late.excess)).bound(Bound::AtMost(EXCESS_NS)));
        out.push(Figure::new(&format!("pacer.p99_lateness_ns.{name}"), late.raw[1], &format!("raw: {}", what(late.raw))));
    }
    Ok(())
}
