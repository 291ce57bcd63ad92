//! Software's half of the comparison: every pacer of this kernel under every load. It is measured
//! here, or in a virtual machine, and comes from there as a file.
use super::busy::Busy;
use super::clock::Noise;
use super::load::Load;
use super::measure::{self, Session, Stamping};
use super::network::is_source;
use super::pacer::Pacer;
use super::row::Row;
use super::site::{Named, Site};
use super::stats::Quantiles;
use super::{Extent, Options, bursts, hybrid, kernel, loads};
use serde::{Deserialize, Serialize};
use std::path::Path;

/// Looks at the machine between two measurements, s, and those of a quick look.
const LOOKS: [f64; 2] = [0.03, 0.005];

/// How software was measured, and that it was.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Conditions {
    /// How many loads.
    pub extent: Extent,
    /// A second task computed on the sender's core.
    pub busy: bool,
    /// Loads ran at 1/scale of their rate, and times are divided by it.
    pub scale: f64,
    /// Packets whose arrival is in the hash.
    pub arrivals: u64,
    /// Hash of the stamps of all arrivals, hexadecimal.
    pub hash: String,
}

/// Measurements of software pacers.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Software {
    /// Where packets really went.
    pub site: String,
    /// Features that the site lacks, and why.
    pub left_out: Option<String>,
    /// How late a thread is that does nothing but poll for an event at a random time.
    pub noise_ns: Quantiles,
    /// Gaps of such a thread that are longer than 10 us, a second.
    pub long_gaps_per_second: f64,
    /// How well arrivals are stamped.
    pub stamping: Stamping,
    /// Without any pacing.
    pub unpaced: Vec<Kept>,
    /// The pacers, each under each load.
    pub pacers: Vec<Kept>,
    /// How that was.
    pub conditions: Conditions,
}

/// A row with what a report and the simulator take besides its figures.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Kept {
    /// The figures.
    #[serde(flatten)]
    row: Row,
    cdf: Vec<(f64, f64)>,
    releases: Vec<f64>,
}

impl From<Row> for Kept {
    fn from(mut row: Row) -> Self {
        let cdf = std::mem::take(&mut row.cdf).into_iter().map(|(ns, share)| (ns.round(), (share * 1e6).round() / 1e6)).collect();
        let releases = if is_source(&row) { row.releases.iter().map(|ns| ns.round()).collect() } else { Vec::new() };
        (row.releases, row.released) = (Vec::new(), Vec::new());
        Kept { row, cdf, releases }
    }
}

impl From<Kept> for Row {
    fn from(kept: Kept) -> Self {
        Row { cdf: kept.cdf, releases: kept.releases, ..kept.row }
    }
}

/// Steps that [`measure()`] takes.
pub fn steps(options: &Options) -> usize {
    let bursts = bursts(options).len();
    bursts + options.chosen.len() * bursts * loads(options).len()
}

/// Measures all pacers; `next` is given the name of each before it is measured.
///
/// # Errors
/// The measurement as a whole fails; a failure of one pacer is in its row.
pub fn measure(options: &Options, next: impl Fn(&str)) -> Result<Software, String> {
    kernel::allow_sockets();
    let site = options.named.as_ref().map_or_else(|| Ok(Site::open()), |n: &Named| Site::named(n))?;
    let busy = if options.busy { Some(Busy::beside(&site.sender)?) } else { None };
    let (loads, bursts) = (loads(options), bursts(options));
    let mut session = Session::new(&site, options.scale);
    let stamping = measure::stamping(&mut session)?;
    site.hold_neighbour(true);
    let (noise, seconds) = (&mut Noise::default(), LOOKS[usize::from(options.extent == Extent::Quick)]);
    let mut look = |site: &Site| {
        let mut own = std::mem::take(noise);
        *noise = site.sender.run(move || {
            own.sample(seconds);
            own
        });
    };
    let mut unpaced = Vec::new();
    for burst in bursts {
        next("unpaced");
        let load = Load { flows: 1, mbps: 100_000.0, burst: *burst, seconds: loads[0].seconds.min(0.2) };
        // There is no schedule to be off.
        let row = measure::row(&mut session, &Pacer::Unpaced, &load);
        unpaced.push(Row { busy: options.busy, error_ns: None, release_error_ns: None, rate_error_ppm: None, ..row });
    }
    let mut pacers = Vec::new();
    for pacer in &options.chosen {
        let refusal = pacer.prepare(&site, options.scale);
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
                    Ok(()) => {
                        // A discipline still has packets of the load before, with times to leave.
                        pacers.push(match pacer.prepare(&site, options.scale) {
                            Ok(()) => measure::row(&mut session, pacer, &load),
                            Err(why) => Row::refused(pacer.name(), pacer.place(), &load, &why),
                        });
                    }
                }
            }
        }
        pacer.leave(&site);
    }
    site.hold_neighbour(false);
    drop(busy);
    let modelled = hybrid::rows(&pacers);
    pacers.extend(modelled);
    pacers.iter_mut().for_each(|r| r.busy = options.busy);
    let arrivals = session.arrivals;
    let machine = options.machine.as_ref().map_or(String::new(), |m| format!(", {m}"));
    Ok(Software {
        site: format!("{}{machine}", site.title),
        left_out: site.left_out.clone(),
        noise_ns: noise.lateness(),
        long_gaps_per_second: noise.long_gaps(),
        stamping,
        unpaced: unpaced.into_iter().map(Kept::from).collect(),
        pacers: pacers.into_iter().map(Kept::from).collect(),
        conditions: Conditions {
            extent: options.extent,
            busy: options.busy,
            scale: options.scale,
            arrivals: arrivals.packets,
            hash: format!("{:016x}", arrivals.hash),
        },
    })
}

/// Reads a file of measurements of software.
///
/// # Errors
/// The file cannot be read, or is none of these.
pub fn read(file: &Path) -> Result<Software, String> {
    let text = crate::input::text(file).map_err(|e| format!("{}: {e}", file.display()))?;
    serde_json::from_str(&text).map_err(|e| format!("{}: {e}; give a file that `timely-sim pacing --software-to` wrote", file.display()))
}

/// Several measurements of one machine as one: of those that began at several phases the figures of
/// the first, with the range of all; rows of a busy core beside those of a quiet one.
///
/// # Errors
/// The measurements are of different loads.
pub fn merged(all: Vec<Software>) -> Result<(Software, Vec<Conditions>), String> {
    let conditions: Vec<Conditions> = all.iter().map(|s| s.conditions.clone()).collect();
    let mut all = all.into_iter();
    let mut first = all.next().ok_or("no measurement of software is given")?;
    for next in all {
        let (a, b) = (&first.conditions, &next.conditions);
        let quick = |c: &Conditions| c.extent == Extent::Quick;
        if (quick(a), a.scale) != (quick(b), b.scale) {
            return Err("measurements of different loads cannot be in one report; give those with the same --quick and --scale".into());
        }
        for (into, from) in [(&mut first.pacers, next.pacers), (&mut first.unpaced, next.unpaced)] {
            for kept in from {
                let same = |k: &&mut Kept| k.row.name == kept.row.name && k.row.busy == kept.row.busy && k.row.load == kept.row.load;
                match into.iter_mut().find(same) {
                    Some(k) => k.row.widen(&kept.row),
                    None => into.push(kept),
                }
            }
        }
    }
    Ok((first, conditions))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pacing::row::Place;

    fn software(busy: bool, max: f64) -> Software {
        let load = Load { flows: 1, mbps: 100.0, burst: 1, seconds: 0.5 };
        let q = Quantiles { p50: 1.0, p99: 2.0, p999: 3.0, max };
        let row = Row { error_ns: Some(q), busy, cdf: vec![(1.4, 0.5)], releases: vec![3.6], ..Row::new("sleep", Place::User, &load) };
        Software { pacers: vec![row.into()], conditions: Conditions { busy, scale: 1.0, ..Conditions::default() }, ..Software::default() }
    }

    #[test]
    fn a_file_gives_back_what_went_in() {
        let text = serde_json::to_string(&software(false, 4.0)).expect("JSON");
        let back: Software = serde_json::from_str(&text).expect("it is read");
        let row: Row = back.pacers[0].clone().into();
        assert_eq!((row.cdf, row.releases, row.load.mbps, row.place), (vec![(1.0, 0.5)], vec![4.0], 100.0, Place::User));
        assert_eq!(row.error_ns.map(|q| q.max), Some(4.0));
    }

    #[test]
    fn phases_become_a_range_and_a_busy_core_rows_of_its_own() {
        let (all, conditions) = merged(vec![software(false, 4.0), software(false, 9.0), software(true, 50.0)]).expect("one");
        assert_eq!((all.pacers.len(), conditions.len()), (2, 3));
        let range = all.pacers[0].row.phases.expect("a range");
        assert_eq!((range.count, range.least.max, range.greatest.max), (2, 4.0, 9.0));
        assert!(all.pacers[1].row.busy && all.pacers[1].row.phases.is_none());
        let mut other = software(false, 1.0);
        other.conditions.scale = 4.0;
        assert!(merged(vec![software(false, 1.0), other]).expect_err("refused").contains("different loads"));
    }
}
