//! Twins: each figure with one constant changed, under which a quantity that agrees must turn.
//!
//! A comparison that agrees whatever the constants are says nothing. So every figure has a twin
//! here: `timely-sim paper NAME --twin` runs them, and soak fails where a verdict stays. A twin
//! runs by one seed; that the quantity agrees without the change is on record, by all seeds.
mod conext16;
mod sigcomm15;

use super::recorded::Recorded;
use super::{Change, Lab, Paper, Value, Verdict};
use crate::fluid::settings::Settings;

/// A constant and its changed value.
#[derive(Clone, Copy, Debug)]
pub enum Constant {
    /// A field of the scenarios.
    Field(&'static str, f64),
    /// A field of the scenarios, in those sets of changes alone that have it.
    Where(&'static str, f64),
    /// A field of the scenarios that is a word.
    Word(&'static str, &'static str),
    /// A field of the scenarios that is yes or no.
    Flag(&'static str, bool),
    /// A parameter of the fluid models, as `name=value`.
    Model(&'static str),
}

/// An experiment with one constant changed.
#[derive(Debug)]
pub struct Twin {
    /// The first figure of the experiment.
    pub figure: &'static str,
    /// The constant, with its name in the field.
    pub what: &'static str,
    /// The constant's value in the paper's set-up, with the unit.
    pub was: &'static str,
    /// The constant's changed value.
    pub becomes: Constant,
    /// The quantities that must turn, each with its figure.
    pub turns: &'static [(&'static str, &'static str)],
}

/// How a quantity came out under a twin.
#[derive(Debug)]
pub struct Turned {
    /// The quantity's figure.
    pub figure: String,
    /// The quantity.
    pub quantity: String,
    /// The recorded median.
    pub was: f64,
    /// The value with the constant changed.
    pub is: f64,
    /// The quantity agrees on record and differs under the twin.
    pub turned: bool,
}

impl Constant {
    /// The change in words: the field and its new value.
    pub fn words(&self) -> String {
        match self {
            Constant::Field(path, to) | Constant::Where(path, to) => format!("{path} = {to}"),
            Constant::Word(path, to) => format!("{path} = {to}"),
            Constant::Flag(path, to) => format!("{path} = {to}"),
            Constant::Model(told) => (*told).to_owned(),
        }
    }

    fn change(&self) -> Option<Change> {
        match *self {
            Constant::Field(path, to) | Constant::Where(path, to) => Some((path.to_owned(), Value::Float(to))),
            Constant::Word(path, to) => Some((path.to_owned(), Value::String(to.to_owned()))),
            Constant::Flag(path, to) => Some((path.to_owned(), Value::Boolean(to))),
            Constant::Model(_) => None,
        }
    }
}

impl Lab {
    /// The sets of changes with the twin's constant behind each, so that it is the one that counts.
    pub(super) fn with_twin(&self, sets: &[Vec<Change>]) -> Vec<Vec<Change>> {
        let twin = self.twin.and_then(|t| t.change());
        let hears = |set: &[Change]| match self.twin {
            Some(Constant::Where(path, _)) => set.iter().any(|c| c.0 == path),
            _ => true,
        };
        sets.iter().map(|s| s.iter().cloned().chain(twin.clone().filter(|_| hears(s))).collect()).collect()
    }

    /// Changes the twin's constant in a fluid model that has it.
    pub(super) fn twin(&self, s: &mut Settings) -> Result<(), String> {
        let Some(Constant::Model(told)) = self.twin else { return Ok(()) };
        if s.has(told.split('=').next().unwrap_or("")) { s.set(told) } else { Ok(()) }
    }

    /// Seeds of a run of which there are so many usually.
    pub(super) fn runs_of(&self, seeds: u64) -> u64 {
        if self.quick || self.twin.is_some() { 1 } else { seeds }
    }
}

impl Twin {
    /// One of these figures is what it is of.
    pub fn touches(&self, figures: &[String]) -> bool {
        figures.iter().any(|f| f == self.figure || self.turns.iter().any(|t| t.0 == f))
    }

    /// Runs the experiment with the constant changed, by one seed, and looks at what was to turn.
    ///
    /// # Errors
    /// A run fails, or the paper lacks the quantity.
    pub fn run(&self, paper: &Paper, seed: u64) -> Result<Vec<Turned>, String> {
        let experiment = paper.experiments.iter().find(|e| e.0.contains(&self.figure)).ok_or_else(|| format!("no {}", self.figure))?;
        let recorded = Recorded::committed(paper.name)?;
        let figure = experiment.1(&Lab { seed, quick: false, twin: Some(self.becomes) })?;
        let look = |&(id, quantity): &(&str, &str)| {
            let of = |all: &[super::Finding]| all.iter().find(|f| f.figure == id && f.quantity == quantity).cloned();
            let (Some(was), Some(is)) = (of(&recorded.results), of(&figure.findings)) else {
                return Err(format!("{id} has no quantity {quantity}, which a twin names"));
            };
            let turned = was.agrees() && is.verdict == Verdict::Differs;
            Ok(Turned { figure: id.into(), quantity: quantity.into(), was: was.median, is: is.median, turned })
        };
        self.turns.iter().map(look).collect()
    }
}

/// The twins of a paper.
pub fn of(paper: &Paper) -> &'static [Twin] {
    match paper.name {
        "conext16" => conext16::TWINS,
        _ => sigcomm15::TWINS,
    }
}
