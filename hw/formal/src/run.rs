//! Runs proofs, some at a time, and says what became of each.
use crate::blocks;
use crate::solve::{Answer, Problem, Timed};
use crate::table::Proof;
use crate::verilog::{open_rams, substitute};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

/// The results of a proof and its twin.
pub struct Outcome {
    /// Clocks without a counterexample.
    pub base: String,
    /// Whether it holds for ever, and why.
    pub induction: String,
    /// The proof is unbounded: it holds for ever, not only for the clocks of its base case.
    pub unbounded: bool,
    /// Seconds, twin and all.
    pub seconds: f64,
    /// The clock at which the twin was refuted.
    pub twin: Option<u32>,
    /// Why it is not as it must be.
    pub fault: Option<String>,
}

/// Where things are.
pub struct Folders {
    /// Table and properties.
    pub table: PathBuf,
    /// Problems, logs and traces.
    pub work: PathBuf,
}

// A part of a proof as a cell of the report; what is wrong with it goes to `fault`.
fn judge(what: &str, clocks: u32, (answer, seconds): &Timed, fault: &mut Option<String>) -> String {
    let (cell, wrong) = match answer {
        Answer::Holds => return format!("{clocks} {seconds:.1} s"),
        Answer::Fails(step, trace) => (format!("FAILS at {step}"), format!("{what} fails at clock {step}: {}", trace.display())),
        Answer::TimedOut => ("TIMED OUT".to_owned(), format!("{what} took more than {seconds:.0} s")),
    };
    fault.get_or_insert(wrong);
    cell
}

fn prove(p: &Proof, folders: &Folders) -> Result<Outcome, String> {
    let started = Instant::now();
    let block = blocks::find(&p.block).ok_or_else(|| format!("there is no block {}", p.block))?;
    let emitted = blocks::verilog(block)?;
    let file = folders.table.join("properties").join(&p.properties);
    let properties = std::fs::read_to_string(&file).map_err(|e| format!("{}: {e}", file.display()))?;
    let folder = folders.work.join(&p.name);
    let problem = Problem::new(p, folder.join("proof"), &open_rams(&emitted), &properties)?;
    let mut fault = None;
    let base = judge("the base case", p.base, &problem.base(p.base)?, &mut fault);
    let (induction, unbounded) = match p.induction {
        None => ("BOUNDED".into(), false),
        Some(clocks) => {
            let timed = problem.induction(clocks)?;
            (judge("the induction", clocks, &timed, &mut fault), timed.0 == Answer::Holds)
        }
    };
    // The bug must show at what is promised, not at the state that makes it inductive.
    let bug = substitute(&emitted, &p.twin.find, &p.twin.replace)?;
    let ports = Proof { define: [p.define.as_slice(), &["TWIN".to_owned()]].concat(), ..p.clone() };
    let twin = match Problem::new(&ports, folder.join("twin"), &open_rams(&bug), &properties)?.base(p.twin.within)?.0 {
        Answer::Fails(step, _) => Some(step),
        Answer::Holds => {
            fault.get_or_insert(format!("the twin's bug is not found in {} clocks: the properties are too weak", p.twin.within));
            None
        }
        Answer::TimedOut => {
            fault.get_or_insert("the twin's bug is not found in time".into());
            None
        }
    };
    Ok(Outcome { base, induction, unbounded, seconds: started.elapsed().as_secs_f64(), twin, fault })
}

/// Runs all, `jobs` at a time; `progress` hears of each as it ends. The outcomes are in the order
/// of the proofs.
pub fn all(proofs: &[Proof], folders: &Folders, jobs: usize, progress: impl Fn(usize, &Proof, &Outcome) + Sync) -> Vec<Outcome> {
    let (next, done) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let outcomes: Vec<Mutex<Option<Outcome>>> = proofs.iter().map(|_| Mutex::new(None)).collect();
    std::thread::scope(|s| {
        for _ in 0..jobs.max(1) {
            s.spawn(|| {
                while let Some((p, slot)) = {
                    let i = next.fetch_add(1, Ordering::Relaxed);
                    proofs.get(i).zip(outcomes.get(i))
                } {
                    let outcome = prove(p, folders).unwrap_or_else(failed);
                    progress(done.fetch_add(1, Ordering::Relaxed) + 1, p, &outcome);
                    *slot.lock().unwrap_or_else(|e| e.into_inner()) = Some(outcome);
                }
            });
        }
    });
    let not_run = || failed("it was not run".into());
    outcomes.into_iter().map(|o| o.into_inner().unwrap_or_else(|e| e.into_inner()).unwrap_or_else(not_run)).collect()
}

fn failed(why: String) -> Outcome {
    Outcome { base: "-".into(), induction: "-".into(), unbounded: false, seconds: 0.0, twin: None, fault: Some(why) }
}

/// The folder of the table in this workspace.
pub fn table_folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).to_owned()
}
