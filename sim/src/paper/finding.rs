//! Findings: a number of the paper, ours by several seeds, and how they are held against each
//! other.
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;

/// How a number is held against the paper's.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Measure {
    /// Within this part of it.
    Near(f64),
    /// Within so much of it.
    Within(f64),
    /// Within this factor of it, up or down.
    Factor(f64),
    /// At least it.
    Least,
    /// At most it.
    Most,
}

impl Measure {
    fn agrees(self, paper: f64, ours: f64) -> bool {
        match self {
            Measure::Near(part) => (ours / paper - 1.0).abs() <= part,
            Measure::Within(range) => (ours - paper).abs() <= range,
            Measure::Factor(by) => (ours / paper).ln().abs() <= by.ln(),
            Measure::Least => ours >= paper,
            Measure::Most => ours <= paper,
        }
    }
}

impl fmt::Display for Measure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Measure::Near(part) => write!(f, "within {:.0} %", part * 100.0),
            Measure::Within(range) => write!(f, "within {range}"),
            Measure::Factor(by) => write!(f, "within a factor of {by}"),
            Measure::Least => write!(f, "at least"),
            Measure::Most => write!(f, "at most"),
        }
    }
}

/// Verdict of all seeds together.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// By every seed it agrees.
    Agrees,
    /// By none.
    Differs,
    /// By some.
    Unsettled,
}

/// A number of the paper and ours.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Finding {
    /// Table or figure.
    pub figure: String,
    /// Name of the quantity, with its unit.
    pub quantity: String,
    /// The paper's.
    pub paper: f64,
    /// The paper says it in words alone, and the number is the bound that we take them for.
    pub in_words: bool,
    /// Rule by which the paper's value and ours are held against each other.
    pub by: String,
    #[serde(skip)]
    pub(super) measure: Option<Measure>,
    /// Verdict of the seeds.
    pub verdict: Verdict,
    /// Ours: the median over the seeds.
    #[serde(with = "endless")]
    pub median: f64,
    /// The least and the greatest of the seeds.
    #[serde(with = "endless_pair")]
    pub spread: [f64; 2],
    /// How many seeds; 1 of what has no randomness.
    pub seeds: usize,
    /// Ours by each seed, in their order.
    #[serde(with = "endless_list")]
    pub values: Vec<f64>,
    /// If it does not agree by every seed, why, and what a run without the supposed cause gave;
    /// else empty.
    pub why: String,
}

/// The middle one, or the mean of the two in the middle.
pub fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let n = sorted.len();
    if n == 0 { f64::NAN } else { (sorted[(n - 1) / 2] + sorted[n / 2]) / 2.0 }
}

impl Finding {
    fn new(figure: &str, quantity: impl Into<String>, (paper, ours): (f64, f64), measure: Measure) -> Self {
        let (figure, quantity) = (figure.to_owned(), quantity.into());
        Finding {
            figure,
            quantity,
            paper,
            in_words: false,
            by: measure.to_string(),
            measure: Some(measure),
            verdict: Verdict::Unsettled,
            median: ours,
            spread: [ours; 2],
            seeds: 1,
            values: vec![ours],
            why: String::new(),
        }
        .judged()
    }

    // Median, spread and verdict by its values.
    fn judged(mut self) -> Self {
        let Some(measure) = self.measure else { return self };
        self.seeds = self.values.len();
        self.median = median(&self.values);
        self.spread = self.values.iter().fold([f64::INFINITY, f64::NEG_INFINITY], |[a, b], v| [a.min(*v), b.max(*v)]);
        let agreeing = self.values.iter().filter(|v| measure.agrees(self.paper, **v)).count();
        self.verdict = match agreeing {
            0 => Verdict::Differs,
            n if n == self.seeds => Verdict::Agrees,
            _ => Verdict::Unsettled,
        };
        self
    }

    /// The finding agrees by every seed.
    pub fn agrees(&self) -> bool {
        self.verdict == Verdict::Agrees
    }

    /// Reason for a difference, if there is one by any seed: so the call comes behind
    /// [`Finding::seeds`].
    pub fn why(mut self, why: &str) -> Self {
        if !self.agrees() {
            self.why = why.to_owned();
        }
        self
    }

    /// The values of the seeds in place of the one value that it was made of.
    pub fn seeds(self, values: &[f64]) -> Self {
        Finding { values: values.to_vec(), ..self }.judged()
    }

    /// The paper has words and no number.
    pub fn in_words(self) -> Self {
        Finding { in_words: true, ..self }
    }

    /// Adds the same quantity by another seed.
    ///
    /// # Errors
    /// The other finding is of another quantity.
    pub fn with(mut self, other: Finding) -> Result<Self, String> {
        if (&self.figure, &self.quantity, self.paper) != (&other.figure, &other.quantity, other.paper) {
            return Err(format!(
                "seeds measure different things: {} {} ({}), {} {} ({})",
                self.figure, self.quantity, self.paper, other.figure, other.quantity, other.paper
            ));
        }
        self.values.extend(other.values);
        if self.why.is_empty() {
            self.why = other.why;
        }
        Ok(self.judged())
    }
}

// JSON has no infinity: what is never reached is null.
mod endless {
    use super::{Deserialize, Deserializer, Serialize, Serializer};

    pub fn serialize<S: Serializer>(v: &f64, s: S) -> Result<S::Ok, S::Error> {
        v.is_finite().then_some(*v).serialize(s)
    }

    pub fn deserialize<'d, D: Deserializer<'d>>(d: D) -> Result<f64, D::Error> {
        Ok(Option::deserialize(d)?.unwrap_or(f64::INFINITY))
    }
}

mod endless_list {
    use super::{Deserialize, Deserializer, Serialize, Serializer};

    pub fn serialize<S: Serializer>(all: &[f64], s: S) -> Result<S::Ok, S::Error> {
        all.iter().map(|v| v.is_finite().then_some(*v)).collect::<Vec<_>>().serialize(s)
    }

    pub fn deserialize<'d, D: Deserializer<'d>>(d: D) -> Result<Vec<f64>, D::Error> {
        Ok(Vec::<Option<f64>>::deserialize(d)?.into_iter().map(|v| v.unwrap_or(f64::INFINITY)).collect())
    }
}

mod endless_pair {
    use super::{Deserialize, Deserializer, Serialize, Serializer};

    pub fn serialize<S: Serializer>(all: &[f64; 2], s: S) -> Result<S::Ok, S::Error> {
        all.map(|v| v.is_finite().then_some(v)).serialize(s)
    }

    pub fn deserialize<'d, D: Deserializer<'d>>(d: D) -> Result<[f64; 2], D::Error> {
        Ok(<[Option<f64>; 2]>::deserialize(d)?.map(|v| v.unwrap_or(f64::INFINITY)))
    }
}

/// Agrees when ours is within a part of the paper's.
pub fn near(figure: &str, quantity: impl Into<String>, paper: f64, ours: f64, part: f64) -> Finding {
    Finding::new(figure, quantity, (paper, ours), Measure::Near(part))
}

/// Agrees when ours is within so much of the paper's.
pub fn within(figure: &str, quantity: impl Into<String>, paper: f64, ours: f64, range: f64) -> Finding {
    Finding::new(figure, quantity, (paper, ours), Measure::Within(range))
}

/// Agrees when ours is within a factor of the paper's, up or down.
pub fn factor(figure: &str, quantity: impl Into<String>, paper: f64, ours: f64, by: f64) -> Finding {
    Finding::new(figure, quantity, (paper, ours), Measure::Factor(by))
}

/// Agrees when ours is at least the paper's.
pub fn least(figure: &str, quantity: impl Into<String>, paper: f64, ours: f64) -> Finding {
    Finding::new(figure, quantity, (paper, ours), Measure::Least)
}

/// Agrees when ours is at most the paper's.
pub fn most(figure: &str, quantity: impl Into<String>, paper: f64, ours: f64) -> Finding {
    Finding::new(figure, quantity, (paper, ours), Measure::Most)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn findings_agree_by_their_measure() {
        assert!(near("f", "q", 10.0, 10.9, 0.1).agrees() && !near("f", "q", 10.0, 8.9, 0.1).agrees());
        assert!(within("f", "q", 1.0, 0.5, 0.5).agrees() && !within("f", "q", 1.0, 1.6, 0.5).agrees());
        assert!(least("f", "q", 2.0, 2.0).agrees() && !least("f", "q", 2.0, 1.9).agrees());
        assert!(most("f", "q", 2.0, 2.0).agrees() && !most("f", "q", 2.0, 2.1).agrees());
        assert!(factor("f", "q", 2.0, 5.9, 3.0).agrees() && !factor("f", "q", 2.0, 0.6, 3.0).agrees());
        let (agrees, differs) = (most("f", "q", 2.0, 1.0).why("because"), most("f", "q", 2.0, 3.0).why("because").in_words());
        assert!(agrees.why.is_empty() && differs.why == "because" && differs.in_words && differs.by == "at most");
    }

    #[test]
    fn seeds_that_disagree_settle_nothing() {
        let f = most("f", "q", 2.0, 1.0).with(most("f", "q", 2.0, 3.0).why("because")).and_then(|f| f.with(most("f", "q", 2.0, 1.5)));
        let f = f.expect("one quantity");
        assert_eq!((f.verdict, f.median, f.spread, f.seeds), (Verdict::Unsettled, 1.5, [1.0, 3.0], 3));
        assert_eq!((f.why.as_str(), f.values.as_slice()), ("because", [1.0, 3.0, 1.5].as_slice()));
        assert!(near("f", "q", 2.0, 1.0, 0.1).with(near("f", "r", 2.0, 1.0, 0.1)).is_err());
        assert_eq!(most("f", "q", 2.0, 0.0).seeds(&[3.0, 4.0]).verdict, Verdict::Differs);
    }

    #[test]
    fn what_is_never_reached_comes_back_from_json() {
        let f = most("f", "q", 2.0, f64::INFINITY).why("never");
        let back: Finding = serde_json::from_str(&serde_json::to_string(&f).expect("JSON")).expect("a finding");
        assert_eq!((back.median, back.values, back.verdict), (f64::INFINITY, vec![f64::INFINITY], Verdict::Differs));
    }
}
