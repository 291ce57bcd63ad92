//! `timely-sim lateness`: runs the sweep over lateness, prints its table or JSON;
//! `timely-sim pacing-page`: records results and writes docs/pacing.md.
use super::lateness::{self, Point, SEEDS, marks};
use super::prose;
use super::record::{Recorded, Source};
use crate::input;
use crate::output::file::Outputs;
use crate::output::terminal::folded;
use crate::output::{note, print};
use clap::Args;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Command line of `lateness`.
#[derive(Args, Debug)]
pub struct Lateness {
    /// Prints JSON to stdout in place of the table.
    #[arg(long)]
    json: bool,
    /// File for the points (JSON), for `pacing-page --lateness`.
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// One seed and a fiftieth of the time, which are no measure of anything: for tests of the
    /// program.
    #[arg(long)]
    quick: bool,
}

impl Lateness {
    /// Runs the command.
    ///
    /// # Errors
    /// A run fails, or an output cannot be written.
    pub fn run(&self) -> Result<(), String> {
        let mut outputs = Outputs::default();
        let mut file = self.out.as_ref().map(|p| outputs.file(p)).transpose()?;
        let (seeds, part) = if self.quick { (1, 0.02) } else { (SEEDS, 1.0) };
        let (step, of) = (AtomicUsize::new(0), lateness::runs(seeds));
        let tell = || {
            let done = step.fetch_add(1, Ordering::Relaxed) + 1;
            if done.is_multiple_of(20) || done == of {
                note(format_args!("{done} of {of} runs"));
            }
        };
        let points = lateness::sweep(|_, _, _, _| true, seeds, part, tell)?;
        let json = json(&points);
        if let Some(file) = &mut file {
            file.write(json.clone() + "\n")?;
        }
        if self.json { print(json) } else { print(folded(table(&points))) }
    }
}

fn json(points: &[Point]) -> String {
    let lines: Vec<String> = points.iter().map(|p| serde_json::to_string(p).expect("points are plain")).collect();
    format!("[\n{}\n]", lines.join(",\n"))
}

// The points and the marks as text.
fn table(points: &[Point]) -> String {
    let list = |v: &[f64]| v.iter().map(|x| format!("{x:8.1}")).collect::<String>();
    let mut t = "experiment law     late  p99       RTT p99 by seed, us".to_owned();
    for p in points {
        t += &format!("\n{:10} {:7} {:4} {:5} us {}", p.experiment, p.law, p.shape, p.late_us, list(&p.rtt_p99_us));
    }
    for m in marks(points) {
        let by_seed: Vec<String> = m.late_us.iter().map(|l| l.map_or("none".into(), |l| format!("{l:.1}"))).collect();
        let median = m.median().map_or("beyond the sweep".into(), |l| format!("{l:.1} us"));
        t += &format!(
            "\n{} {}, {} late: RTT p99 10 % higher from a p99 lateness of {median} on (by seed {})",
            m.experiment,
            m.law,
            m.shape,
            by_seed.join(", ")
        );
    }
    t
}

/// Command line of `pacing-page`.
#[derive(Args, Debug)]
pub struct Page {
    /// The checkout whose docs/pacing.json, docs/pacing.md and docs/pacing-lateness.svg are
    /// written.
    #[arg(value_name = "ROOT", default_value = ".")]
    root: PathBuf,
    /// results.json of `cargo xtask pacing-vm`, to be recorded.
    #[arg(long, value_name = "FILE")]
    guest: Option<PathBuf>,
    /// The same with --scale.
    #[arg(long, value_name = "FILE")]
    faster: Option<PathBuf>,
    /// results.json of `timely-sim pacing` on a shared machine.
    #[arg(long, value_name = "FILE")]
    shared: Option<PathBuf>,
    /// Points of `timely-sim lateness`.
    #[arg(long, value_name = "FILE")]
    lateness: Option<PathBuf>,
}

fn text(path: &Path) -> Result<String, String> {
    input::text(path).map_err(|e| format!("{}: {e}", path.display()))
}

impl Page {
    /// Runs the command.
    ///
    /// # Errors
    /// A file cannot be read or written; the first record takes all four files.
    pub fn run(&self) -> Result<(), String> {
        let docs = self.root.join("docs");
        let [json, page, plot] = ["pacing.json", "pacing.md", "pacing-lateness.svg"].map(|n| docs.join(n));
        let source = |path: &Option<PathBuf>| {
            path.as_ref().map(|p| text(p).and_then(|t| Source::read(&t)).map_err(|e| format!("{}: {e}", p.display()))).transpose()
        };
        let (guest, faster, shared) = (source(&self.guest)?, source(&self.faster)?, source(&self.shared)?);
        let late: Option<Vec<Point>> = match &self.lateness {
            Some(p) => Some(serde_json::from_str(&text(p)?).map_err(|e| format!("{}: {e}", p.display()))?),
            None => None,
        };
        let old = if json.exists() { Some(Recorded::parse(&text(&json)?)?) } else { None };
        let missing = |what: &str| format!("{} is not there yet; give --{what} too", json.display());
        let recorded = Recorded {
            guest: guest.or(old.as_ref().map(|o| o.guest.clone())).ok_or_else(|| missing("guest"))?,
            faster: faster.or(old.as_ref().map(|o| o.faster.clone())).ok_or_else(|| missing("faster"))?,
            shared: shared.or(old.as_ref().map(|o| o.shared.clone())).ok_or_else(|| missing("shared"))?,
            lateness: late.or(old.map(|o| o.lateness)).ok_or_else(|| missing("lateness"))?,
        };
        let renewed = prose::renewed(&text(&page)?, &recorded)?;
        let mut outputs = Outputs::default();
        outputs.file(&json)?.write(recorded.text())?;
        outputs.file(&plot)?.write(lateness::plot(&recorded.lateness))?;
        outputs.file(&page)?.write(renewed)
    }
}
