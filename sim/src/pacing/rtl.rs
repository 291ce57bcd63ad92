//! The pacer's Verilog, as it is emitted, under the loads that software is given; departures by the
//! clock.
use super::gate::{self, Left, MBPS};
use super::load::{BURSTS, Load, WIRE_BYTES};
use super::rig::CLOCK_NS;
use super::row::{Fifo, Place, Row};
use super::stats::{Judged, Quantiles, most};
use crate::cores;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;
use std::collections::BTreeMap;

/// ns of a byte on the link behind the gate, 100 Gb/s: wide enough for every load, as the veth pair
/// is.
pub const BYTE_NS: f64 = 0.08;
/// Packets of a flow alone, at least.
const ALONE: f64 = 40.0;
/// Clocks of a flow alone, at least, and at most unless the packets take longer: 4.2 ms and 4 times
/// that.
const CLOCKS: (f64, f64) = (1_050_000.0, 4_200_000.0);

/// log2 of the flows that a load takes, of those that can be emitted.
fn flow_bits(flows: u32) -> u32 {
    [10, 13, 14, 16].into_iter().find(|b| flows <= 1 << b).unwrap_or(16)
}

fn judged(left: &[Left], rate_error_ppm: Option<f64>) -> Judged {
    let releases: Vec<f64> = left.iter().map(|l| l.at - l.due).collect();
    let mut errors: Vec<f64> = releases.iter().map(|e| e.abs()).collect();
    let mut at: Vec<f64> = left.iter().map(|l| l.at).collect();
    at.sort_by(f64::total_cmp);
    Judged {
        error_ns: Quantiles::of(&mut errors),
        release_ns: Quantiles::of(&mut releases.clone()),
        rate_error_ppm,
        burst_bytes_10us: most(&at, 10_000.0),
        burst_bytes_100us: most(&at, 100_000.0),
        errors,
        releases,
        released: Vec::new(),
    }
}

/// The error of all flows' rates together, from each one's first and last packet, ppm.
pub fn rate_error_ppm(left: &[Left]) -> Option<f64> {
    let mut ends: BTreeMap<u32, (Left, Left)> = BTreeMap::new();
    for l in left {
        let e = ends.entry(l.flow).or_insert((*l, *l));
        if l.k < e.0.k {
            e.0 = *l;
        }
        if l.k > e.1.k {
            e.1 = *l;
        }
    }
    let (ideal, real) = ends.values().fold((0.0, 0.0), |(i, r), (a, b)| (i + b.due - a.due, r + b.at - a.at));
    (real > 0.0).then(|| (ideal / real - 1.0) * 1e6)
}

/// Runs the pacer under a load, quickly if it is for a look.
///
/// # Errors
/// An emission that is not there, or what Verilator found wrong.
pub fn run(load: &Load, quick: bool) -> Result<Row, String> {
    let bits = flow_bits(load.flows);
    let library = super::rig::library(&cores::known().verilog(64, bits)?, !quick)?;
    let register = gate::register(load.mbps / f64::from(load.flows));
    let gap = gate::gap_ns(WIRE_BYTES as u16, register) / CLOCK_NS as f64;
    let (left, ppm, fifo) = if load.flows == 1 {
        let (least, most) = if quick { (200_000.0, 200_000.0) } else { CLOCKS };
        let clocks = (ALONE * gap).clamp(least, most).max(5.5 * gap);
        let (left, ppm) = gate::alone(&library, bits, WIRE_BYTES as u16, register, clocks as u64);
        (left, Some(ppm), None)
    } else {
        let mut rng = ChaCha8Rng::seed_from_u64(2);
        let registers = vec![register; load.flows as usize];
        // All have started after a gap, and of each the first two packets do not count.
        let clocks = (4.2 * gap) as u64;
        let on_link = gate::Load { byte_ns: BYTE_NS, warm: (2.0 * gap) as u64, clocks };
        let left = gate::shared(&library, bits, WIRE_BYTES as u16, &registers, on_link, &mut rng);
        let of = |what: &dyn Fn(&Left) -> f64| Quantiles::of(&mut left.iter().map(what).collect::<Vec<_>>()).unwrap_or_default();
        let fifo = Fifo { error_ns: of(&|l| l.ideal - l.due), excess_ns: of(&|l| l.at - l.ideal) };
        let ppm = rate_error_ppm(&left);
        (left, ppm, Some(fifo))
    };
    let step = MBPS.recip();
    let note = format!("{bits} bits of flows at its gate, clocks of {CLOCK_NS} ns, rate in steps of {step:.6} Mb/s, 100 Gb/s link");
    Ok(Row { fifo, ..row("rtl", load, &left, ppm, note) })
}

/// Row of a pacer's departures.
pub fn row(name: &str, load: &Load, left: &[Left], rate_error_ppm: Option<f64>, note: String) -> Row {
    let n = left.len() as u64;
    let seconds = left.iter().map(|l| l.at).fold(0.0, f64::max) - left.iter().map(|l| l.at).fold(f64::MAX, f64::min);
    let load = Load { burst: BURSTS[0], seconds: seconds * 1e-9, ..*load };
    let mut row = Row::new(name, Place::Rtl, &load);
    row.fill(judged(left, rate_error_ppm), (n, n), 0.0);
    row.note = note;
    row
}

/// All loads that have single packets, on all cores; a load that cannot be run is a row that says
/// why.
pub fn all(loads: &[Load], quick: bool, done: impl Fn() + Sync) -> Vec<Row> {
    let one = |load: &Load| {
        let row = run(load, quick).unwrap_or_else(|e| Row::refused("rtl", Place::Rtl, load, &e));
        done();
        row
    };
    loads.par_iter().map(one).collect()
}
