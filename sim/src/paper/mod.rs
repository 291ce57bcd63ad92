//! Papers run again, one parameter set for all of a paper: SIGCOMM'15, "TIMELY: RTT-based
//! Congestion Control for the Datacenter", here, and CoNEXT'16, "ECN or Delay", in [`conext16`].
//!
//! Each experiment is a scenario file of `sim/scenarios/sigcomm15` or `conext16` with a few fields
//! varied. What comes of it is a plot, and findings: the paper's number, ours, whether they agree,
//! and if not, why.
mod acks;
mod beyond;
mod clos;
pub mod conext16;
mod faster;
mod finding;
mod page;
pub mod recorded;
mod segments;
mod stamps;
mod star;
mod start;
mod storage;
mod table;
pub mod twins;

pub use finding::{Finding, Verdict, median};
pub use page::{page, short};

use crate::cores;
use crate::metrics::histogram::Log;
use crate::report::curves::{Legend, curves, decades, distributions};
use crate::report::plot::Plot;
use crate::scenario::build::{self, Outcome};
use crate::scenario::file::Overrides;
use crate::scenario::vary::{self, Change};
use crate::time::{Ps, US};
use rayon::prelude::*;
use std::path::Path;
use toml::Value;

/// The parameter set, as it is printed first. The scenario files have it.
pub const PARAMETERS: &str = "\
Parameters of TIMELY: segments of 16 KB and of 64 KB in the Clos network (figures 19 to 22), T_low 50 us, T_high 500 us, delta 10 Mb/s, beta .8, as
the paper gives them; minRTT 20 us, its example; hyperactive increase (5 delta) after 5 completions without a rising RTT, as the authors' code counts
them, where Algorithm 1 is not named; the own burst is subtracted from the RTT. Alpha is .03, chosen once for the RTT of table 1: the paper gives
none, the authors' snippet has .02. The unloaded RTT is 10 us. PFC: XOFF at 150 KB, with which the 99th percentile of its row comes out. Starts are
staggered, and posting has 2 us of jitter, since figure 17 fell into lock-step without. So TIMELY's RTTs in table 1 are fits and the rest is found;
where the paper has words and no number, the bound is ours. In the Clos network rates rise only while the application uses 80 % of them (section 5).
Throughput is what remains of the wire for IP packets of 1,500 bytes (97.5 %): 19.5 Gb/s is all that two links have.";

/// Share of the wire that is left for IP packets of 1,500 bytes.
const IP_SHARE: f64 = 1500.0 / 1538.0;

/// A figure that was run again.
pub struct Figure {
    /// Name of the figure in findings.
    pub id: &'static str,
    /// Title of the figure.
    pub title: &'static str,
    /// Description of the runs and results, for readers.
    pub text: String,
    /// The numbers.
    pub findings: Vec<Finding>,
    /// Plots of the figure: caption, legend (colour and name), plot.
    pub plots: Vec<(String, Legend, Plot)>,
}

/// How the experiments are run.
#[derive(Clone, Copy, Debug)]
pub struct Lab {
    /// Seed.
    pub seed: u64,
    /// Runs are a fifth as long: for tests.
    pub quick: bool,
    /// One constant is changed in all that is run: for tests, by one seed.
    pub twin: Option<twins::Constant>,
}

/// An experiment: its figures and how it is run.
pub type Experiment = (&'static [&'static str], fn(&Lab) -> Result<Figure, String>);

/// A paper that is run again.
#[derive(Debug)]
pub struct Paper {
    /// Seeds by which each experiment is run, one after the other; 1 where experiments have seeds
    /// of their own.
    pub seeds: u64,
    /// Name of the paper on the command line.
    pub name: &'static str,
    /// The title of its page.
    pub title: &'static str,
    /// Parameter set of the paper, as it is printed first.
    pub parameters: &'static str,
    /// Experiments of the paper, in its order.
    pub experiments: &'static [Experiment],
    /// Figures that are not of the paper: what it leaves to future work.
    pub open: &'static [&'static str],
}

/// All papers.
pub const PAPERS: [Paper; 2] = [
    Paper {
        seeds: 5,
        name: "sigcomm15",
        title: "SIGCOMM'15, TIMELY: its evaluation run again",
        parameters: PARAMETERS,
        experiments: EXPERIMENTS,
        open: &["lot", "classes", "oneway", "faster"],
    },
    Paper {
        seeds: 1,
        name: "conext16",
        title: "CoNEXT'16, ECN or Delay: its figures run again",
        parameters: conext16::PARAMETERS,
        experiments: conext16::EXPERIMENTS,
        open: conext16::OPEN,
    },
];

/// Runs an experiment by so many seeds from the lab's on: text and plots are those of the first.
///
/// # Errors
/// A run fails, or seeds of an experiment measure different things.
pub fn by_seeds(experiment: &Experiment, lab: &Lab, seeds: u64) -> Result<Figure, String> {
    let mut figure = experiment.1(lab)?;
    for k in 1..seeds {
        let other = experiment.1(&Lab { seed: lab.seed + k, ..*lab })?;
        if other.findings.len() != figure.findings.len() {
            return Err(format!("{}: seeds have different numbers of findings", figure.id));
        }
        let both = figure.findings.into_iter().zip(other.findings);
        figure.findings = both.map(|(a, b)| a.with(b)).collect::<Result<_, _>>()?;
    }
    Ok(figure)
}

/// The experiments of SIGCOMM'15, in the order of the paper.
pub const EXPERIMENTS: &[Experiment] = &[
    (&["table1", "fig13", "fig14"], table::table_1),
    (&["fig1"], stamps::figure_1),
    (&["fig2"], star::figure_2),
    (&["fig3"], star::figure_3),
    (&["fig5"], acks::figure_5),
    (&["fig9", "fig10"], star::figures_9_and_10),
    (&["fig11"], stamps::figure_11),
    (&["fig12"], stamps::figure_12),
    (&["fig15"], segments::figure_15),
    (&["fig16"], segments::figure_16),
    (&["fig17"], star::figure_17),
    (&["fig18"], start::figure_18),
    (&["fig19", "fig20", "fig21"], clos::figures_19_to_21),
    (&["fig22"], clos::figure_22),
    (&["fig23"], storage::figure_23),
    (&["lot"], beyond::parking_lot),
    (&["classes"], beyond::classes),
    (&["oneway"], acks::one_way),
    (&["faster"], faster::faster),
];

const STAR: &str = include_str!("../../scenarios/sigcomm15/star.toml");
const TWO_INCASTS: &str = include_str!("../../scenarios/sigcomm15/two_incasts.toml");
const MESSAGES: &str = include_str!("../../scenarios/sigcomm15/messages.toml");
const CLOS: &str = include_str!("../../scenarios/sigcomm15/clos.toml");
const QUIET: &str = include_str!("../../scenarios/sigcomm15/quiet.toml");
const STEPS: &str = include_str!("../../scenarios/sigcomm15/steps.toml");
const STORAGE: &str = include_str!("../../scenarios/sigcomm15/storage.toml");

/// A change of a number.
fn number(path: &str, to: f64) -> Change {
    (path.to_owned(), Value::Float(to))
}

/// A change of a word.
fn word(path: &str, to: &str) -> Change {
    (path.to_owned(), Value::String(to.to_owned()))
}

/// A change of a profile, whatever it was, to DCQCN with the parameters of "ECN or Delay".
pub fn dcqcn_profile(name: &str) -> Change {
    let text = |to: &str| Value::String(to.to_owned());
    let own = toml::Table::from_iter([("increase_mbps".to_owned(), Value::Float(40.0))]);
    let all = [
        ("like", text("fixed")),
        ("control", text("dcqcn")),
        ("least_mbps", Value::Float(10.0)),
        ("timeout_us", Value::Float(0.0)),
        ("dcqcn", Value::Table(own)),
    ];
    (format!("profile.{name}"), Value::Table(all.map(|(field, value)| (field.to_owned(), value)).into_iter().collect()))
}

impl Lab {
    /// Runs a scenario with each of these sets of changes, on all cores.
    fn runs(&self, name: &str, text: &str, sets: &[Vec<Change>]) -> Result<Vec<Outcome>, String> {
        let overrides = Overrides { seed: Some(self.seed), part: if self.quick { 0.2 } else { 1.0 }, ..Overrides::default() };
        let sets = self.with_twin(sets);
        let one = |changes: &Vec<Change>| {
            let plan = vary::parse(Path::new(name), text, changes, &overrides).map_err(|e| e.to_string())?;
            build::run(plan, &*cores::factory(), |_: Ps| {}).map_err(|e| e.to_string())
        };
        sets.par_iter().map(one).collect()
    }
}

/// Gb/s of all flows, as IP packets of 1,500 bytes would see it.
fn throughput(o: &Outcome) -> f64 {
    let w = o.recorder.windows;
    let wire: u64 = o.recorder.flows.iter().map(|f| f.wire_steady).sum();
    wire as f64 * 8e3 / (w.end - w.steady) as f64 * IP_SHARE
}

/// The distribution of RTTs in us.
fn rtt_cdf(log: &Log) -> Vec<(f64, f64)> {
    log.cdf().into_iter().map(|(ps, share)| (ps as f64 / US as f64, share)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::NEVER;

    /// Messages of the Clos and of storage are drawn by the seed that is asked for, up to the end
    /// of the run.
    #[test]
    fn each_seed_draws_its_own_messages() {
        let short = vec![number("duration_ms", 1.0)];
        let flows = |seed: u64, quick: bool| {
            let runs = Lab { seed, quick, twin: None }.runs("clos.toml", CLOS, std::slice::from_ref(&short)).expect("runs");
            // Replies are posted when their calls have come.
            runs[0].plan.flows.iter().flat_map(|f| f.posts.clone()).filter(|p| p.0 != NEVER).collect::<Vec<_>>()
        };
        assert_ne!(flows(1, true), flows(2, true));
        assert!(flows(1, true).iter().all(|p| p.0 < US * 200) && flows(1, false).iter().any(|p| p.0 > US * 800));
    }
}
