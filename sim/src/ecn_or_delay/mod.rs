//! "ECN or Delay" asked of hardware: completion times and jitter of the feedback with this NIC's
//! laws beside DCQCN, over five seeds.
//!
//! The numbers are rows of one kind ([`Row`]), which `docs/ecn-or-delay.json` holds and
//! `docs/ecn-or-delay.md` shows ([`page`]).
pub mod command;
mod fct;
mod jitter;
pub mod page;

use crate::cores;
use crate::paper::{dcqcn_profile, median};
use crate::scenario::Plan;
use crate::scenario::build::{self, Outcome};
use crate::scenario::file::Overrides;
use crate::scenario::vary::{self, Change};
use crate::time::{Ps, US};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::path::Path;
use toml::Value;

/// Seeds of every row.
pub const SEEDS: u64 = 5;

/// A quantity of one arm, by seed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// The experiment: `fct`, `model`, `jitter`.
    pub part: String,
    /// The sender: DCQCN, or a law and its constants.
    pub sender: String,
    /// Source of the sender's feedback, or what is done to it.
    pub feedback: String,
    /// Load factor, 1 being 8 Gb/s; 0 of experiments without one.
    pub load: f64,
    /// Name of the quantity, with its unit.
    pub quantity: String,
    /// By seed, from 1 on.
    pub values: Vec<f64>,
}

impl Row {
    /// The median of the seeds.
    pub fn median(&self) -> f64 {
        median(&self.values)
    }

    /// The least and the greatest of the seeds.
    pub fn spread(&self) -> (f64, f64) {
        self.values.iter().fold((f64::MAX, f64::MIN), |(a, b), v| (a.min(*v), b.max(*v)))
    }

    /// Whether this one is above the other by each seed (1), below by each (-1), or neither, which
    /// settles nothing.
    pub fn against(&self, other: &Row) -> i32 {
        let pairs = || self.values.iter().zip(&other.values);
        if pairs().all(|(a, b)| a > b) {
            1
        } else if pairs().all(|(a, b)| a < b) {
            -1
        } else {
            0
        }
    }
}

/// A sender.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sender {
    /// DCQCN with the constants of the paper.
    Dcqcn,
    /// TIMELY with the constants of the paper.
    Timely,
    /// Patched TIMELY with the constants of the paper.
    Patched,
    /// A profile of this NIC.
    Profile(&'static str),
    /// DCQCN, marked ten times as often at a queue.
    Steep,
    /// A profile of this NIC without its bound on unanswered bytes.
    Free(&'static str),
    /// The bound on unanswered bytes alone, at line rate.
    Bound,
}

/// All senders; the first is what the others are held against.
pub const SENDERS: [Sender; 7] = [
    Sender::Dcqcn,
    Sender::Timely,
    Sender::Patched,
    Sender::Profile("timely-10g"),
    Sender::Profile("patched-10g"),
    Sender::Profile("swift-10g"),
    Sender::Profile("pi-10g"),
];

/// Controls: senders that show how much of the completion times is due to the slope of marks and to
/// the bound on unanswered bytes.
pub const CONTROLS: [Sender; 4] = [Sender::Steep, Sender::Free("timely-10g"), Sender::Free("patched-10g"), Sender::Bound];

impl Sender {
    /// The sender reacts to ECN marks.
    pub fn by_marks(self) -> bool {
        matches!(self, Sender::Dcqcn | Sender::Steep)
    }

    /// Name of the sender in rows.
    pub fn name(self) -> &'static str {
        match self {
            Sender::Dcqcn => "DCQCN",
            Sender::Timely => "TIMELY, paper's constants",
            Sender::Patched => "patched TIMELY, paper's constants",
            Sender::Profile(name) => name,
            Sender::Steep => "DCQCN, 10 % at 200 KB",
            Sender::Free("timely-10g") => "timely-10g, no bound",
            Sender::Free(_) => "patched-10g, no bound",
            Sender::Bound => "line rate, 64 KB unanswered",
        }
    }

    // Changes of a scenario for the sender; `flows` is the table with the segment size.
    fn changes(self, flows: &str) -> Vec<Change> {
        let profile = |field: &str, value: Value| (format!("profile.sender.{field}"), value);
        let number = |field: &str, value: f64| profile(field, Value::Float(value));
        let word = |field: &str, value: &str| profile(field, Value::String(value.into()));
        let segment = (format!("{flows}.segment_bytes"), Value::Float(16_000.0));
        // Bursts of 16 KB are the paper's segments; what is unanswered has no bound there.
        let paper = |like: &str| {
            let all = [("alpha", 0.875), ("t_low_us", 50.0), ("t_high_us", 500.0), ("min_rtt_us", 20.0), ("additive_step_mbps", 10.0)];
            let all = all.into_iter().chain([("outstanding_kb", 0.0)]).map(|(f, v)| number(f, v));
            all.chain([word("like", like), segment.clone()]).collect::<Vec<_>>()
        };
        match self {
            Sender::Dcqcn => vec![("nic.kind".into(), Value::String("event".into())), dcqcn_profile("sender"), segment.clone()],
            Sender::Timely => [paper("authors-10g"), vec![number("beta", 0.8)]].concat(),
            Sender::Patched => {
                [paper("patched-10g"), vec![number("beta", 0.008), number("error_beta", 0.008), number("reference_us", 50.0)]].concat()
            }
            Sender::Profile(name) => vec![word("like", name), word("signal", "rtt")],
            Sender::Steep => [Sender::Dcqcn.changes(flows), vec![("switch.mark_chance".into(), Value::Float(0.1))]].concat(),
            Sender::Free(name) => [Sender::Profile(name).changes(flows), vec![number("outstanding_kb", 0.0)]].concat(),
            Sender::Bound => vec![word("like", "fixed"), number("outstanding_kb", 64.0)],
        }
    }
}

/// Settings of the experiments.
#[derive(Clone, Copy, Debug)]
pub struct Lab {
    /// Seeds, from 1 on.
    pub seeds: u64,
    /// Runs are this part of their length.
    pub part: f64,
}

/// A set of changes and what it is.
struct Arm {
    sender: Sender,
    feedback: &'static str,
    load: f64,
    changes: Vec<Change>,
}

// The port of the first switch that leads to another one.
fn trunk(plan: &Plan) -> Option<(u16, u16)> {
    let t = &plan.topology;
    let switches = (0..t.nodes() as u16).filter(|n| t.is_switch(*n));
    let mut ports = switches.flat_map(|s| (0..t.ports(s).len() as u16).map(move |p| (s, p)));
    ports.find(|(s, p)| t.is_switch(t.ports(*s)[usize::from(*p)].peer))
}

impl Lab {
    // Runs each arm by each seed, on all cores, and makes rows of what `read` takes of each run:
    // one row a quantity.
    fn rows<const N: usize>(
        &self,
        part: &str,
        scenario: &str,
        arms: &[Arm],
        quantities: [&str; N],
        read: impl Fn(&Arm, Outcome) -> Result<[f64; N], String> + Sync,
    ) -> Result<Vec<Row>, String> {
        let one = |(arm, seed): (&Arm, u64)| read(arm, self.run(scenario, &arm.changes, seed)?);
        let all: Vec<_> = arms.iter().flat_map(|a| (1..=self.seeds).map(move |k| (a, k))).collect();
        let done: Vec<[f64; N]> = all.into_par_iter().map(one).collect::<Result<_, String>>()?;
        let mut rows = Vec::new();
        for (arm, values) in arms.iter().zip(done.chunks(self.seeds as usize)) {
            for (q, quantity) in quantities.iter().enumerate() {
                rows.push(Row {
                    part: part.into(),
                    sender: arm.sender.name().into(),
                    feedback: arm.feedback.into(),
                    load: arm.load,
                    quantity: (*quantity).into(),
                    values: values.iter().map(|v| rounded(v[q])).collect(),
                });
            }
        }
        Ok(rows)
    }

    fn run(&self, scenario: &str, changes: &[Change], seed: u64) -> Result<Outcome, String> {
        let overrides = Overrides { seed: Some(seed), part: self.part, ..Overrides::default() };
        let mut plan = vary::parse(Path::new("ecn_or_delay.toml"), scenario, changes, &overrides).map_err(|e| e.to_string())?;
        // Endless flows of another seed start at other times: paced hosts have no other randomness.
        for (i, flow) in plan.flows.iter_mut().enumerate().filter(|f| f.1.total().is_none()) {
            flow.start += seed * i as u64 * US;
        }
        plan.watch.extend(trunk(&plan));
        build::run(plan, &*cores::factory(), |_: Ps| {}).map_err(|e| e.to_string())
    }

    /// The rows of an experiment.
    ///
    /// # Errors
    /// A run fails.
    pub fn part(&self, part: &str) -> Result<Vec<Row>, String> {
        match part {
            "fct" => fct::completion_times(self),
            "model" => fct::bit_true(self),
            _ => jitter::jitter(self),
        }
    }
}

/// The experiments.
pub const PARTS: [&str; 3] = ["fct", "model", "jitter"];

// To five digits: what is written is what is compared.
fn rounded(v: f64) -> f64 {
    format!("{v:.4e}").parse().unwrap_or(v)
}

/// The rows of single arms, again: for tests. `chosen` says which.
///
/// # Errors
/// A run fails.
pub fn again(part: &str, lab: &Lab, chosen: impl Fn(Sender, &str, f64) -> bool) -> Result<Vec<Row>, String> {
    match part {
        "jitter" => jitter::some(lab, chosen),
        _ => fct::some(lab, chosen),
    }
}

/// The row of these names.
pub fn find<'a>(rows: &'a [Row], part: &str, sender: &str, feedback: &str, load: f64, quantity: &str) -> Option<&'a Row> {
    rows.iter().find(|r| r.part == part && r.sender == sender && r.feedback == feedback && r.load == load && r.quantity == quantity)
}
