//! Findings: a number of the paper, ours, and how they are held against each other.
use serde::Serialize;

/// A number of the paper and ours.
#[derive(Clone, Debug, Serialize)]
pub struct Finding {
    /// Table or figure.
    pub figure: &'static str,
    /// What it is, with its unit.
    pub quantity: String,
    /// The paper's.
    pub paper: f64,
    /// The paper says it in words alone, and the number is the bound that we take them for.
    pub in_words: bool,
    /// How they are held against each other.
    pub by: String,
    /// Ours.
    pub ours: f64,
    /// Seeds that ours is the mean of; 1 of what has no randomness.
    pub seeds: usize,
    /// Standard deviation over the seeds.
    pub spread: f64,
    /// Whether they agree, by that.
    pub agrees: bool,
    /// If not, why, and what a run without the supposed cause gave; empty if they do.
    pub why: String,
}

impl Finding {
    fn new(figure: &'static str, quantity: impl Into<String>, (paper, ours): (f64, f64), by: String, agrees: bool) -> Self {
        Finding { figure, quantity: quantity.into(), paper, in_words: false, by, ours, seeds: 1, spread: 0.0, agrees, why: String::new() }
    }

    /// Why they differ, if they do.
    pub fn why(mut self, why: &str) -> Self {
        if !self.agrees {
            self.why = why.to_owned();
        }
        self
    }

    /// The values that ours is the mean of, one a seed.
    pub fn seeds(self, values: &[f64]) -> Self {
        let n = values.len().max(1) as f64;
        let mean = values.iter().sum::<f64>() / n;
        let spread = (values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / n).sqrt();
        Finding { seeds: values.len(), spread, ..self }
    }

    /// The paper has words and no number.
    pub fn in_words(self) -> Self {
        Finding { in_words: true, ..self }
    }
}

/// Agrees when ours is within a part of the paper's.
pub fn near(figure: &'static str, quantity: impl Into<String>, paper: f64, ours: f64, part: f64) -> Finding {
    let by = format!("within {:.0} %", part * 100.0);
    Finding::new(figure, quantity, (paper, ours), by, (ours / paper - 1.0).abs() <= part)
}

/// Agrees when ours is within so much of the paper's.
pub fn within(figure: &'static str, quantity: impl Into<String>, paper: f64, ours: f64, range: f64) -> Finding {
    Finding::new(figure, quantity, (paper, ours), format!("within {range}"), (ours - paper).abs() <= range)
}

/// Agrees when ours is within a factor of the paper's, up or down.
pub fn factor(figure: &'static str, quantity: impl Into<String>, paper: f64, ours: f64, by: f64) -> Finding {
    Finding::new(figure, quantity, (paper, ours), format!("within a factor of {by}"), (ours / paper).ln().abs() <= by.ln())
}

/// Agrees when ours is at least the paper's.
pub fn least(figure: &'static str, quantity: impl Into<String>, paper: f64, ours: f64) -> Finding {
    Finding::new(figure, quantity, (paper, ours), "at least".into(), ours >= paper)
}

/// Agrees when ours is at most the paper's.
pub fn most(figure: &'static str, quantity: impl Into<String>, paper: f64, ours: f64) -> Finding {
    Finding::new(figure, quantity, (paper, ours), "at most".into(), ours <= paper)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn findings_agree_by_their_measure() {
        assert!(near("f", "q", 10.0, 10.9, 0.1).agrees && !near("f", "q", 10.0, 8.9, 0.1).agrees);
        assert!(within("f", "q", 1.0, 0.5, 0.5).agrees && !within("f", "q", 1.0, 1.6, 0.5).agrees);
        assert!(least("f", "q", 2.0, 2.0).agrees && !least("f", "q", 2.0, 1.9).agrees);
        assert!(most("f", "q", 2.0, 2.0).agrees && !most("f", "q", 2.0, 2.1).agrees);
        let (agrees, differs) = (most("f", "q", 2.0, 1.0).why("because"), most("f", "q", 2.0, 3.0).why("because").in_words());
        assert!(agrees.why.is_empty() && differs.why == "because" && differs.in_words && differs.by == "at most");
    }
}
