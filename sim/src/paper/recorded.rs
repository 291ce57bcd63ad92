//! Results of a paper as they are recorded, `sim/papers`, and the page of docs that is made of
//! them.
//!
//! `timely-sim paper NAME --record` writes both. Tests run a sample again, and hold the page
//! against the file.
use super::finding::Verdict;
use super::page::{count, ours, paper, spread, verdict};
use super::{Finding, PAPERS, Paper};
use serde::{Deserialize, Serialize};
use std::fmt::Write;

/// Digits that are kept of a number: the last ones depend on the mathematical library of the
/// machine.
const DIGITS: i32 = 6;
/// Part by which a number may lie outside the recorded spread: what rounding took.
const ROUNDING: f64 = 1e-4;
/// Characters of a line of the page's text.
const LINE: usize = 150;

/// Results of a run of a paper.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Recorded {
    /// The paper's name on the command line.
    pub paper: String,
    /// The first seed.
    pub seed: u64,
    /// Runs were a fifth as long, which measures nothing.
    pub quick: bool,
    /// The numbers.
    pub results: Vec<Finding>,
}

fn rounded(v: f64) -> f64 {
    if v == 0.0 || !v.is_finite() {
        return v;
    }
    let digits = (DIGITS - 1 - v.abs().log10().floor() as i32).clamp(0, 300);
    let scale = 10f64.powi(digits);
    (v * scale).round() / scale
}

impl Recorded {
    /// The results of a run, rounded as they are kept.
    pub fn new(paper: &Paper, seed: u64, quick: bool, results: &[&Finding]) -> Self {
        let kept = |f: &&Finding| Finding {
            paper: rounded(f.paper),
            median: rounded(f.median),
            spread: f.spread.map(rounded),
            values: f.values.iter().copied().map(rounded).collect(),
            ..(*f).clone()
        };
        Recorded { paper: paper.name.to_owned(), seed, quick, results: results.iter().map(kept).collect() }
    }

    /// Replaces the results of one experiment, where its first one stood; those of an experiment
    /// that is not recorded come last.
    pub fn renew(&mut self, of: Recorded) {
        let replaced = |r: &Finding| of.results.iter().any(|f| f.figure == r.figure);
        let place = self.results.iter().position(replaced).unwrap_or(self.results.len());
        self.results.retain(|r| !replaced(r));
        self.results.splice(place..place, of.results);
    }

    /// The results that are recorded in this repository.
    ///
    /// # Errors
    /// A paper without any, or a text that is none.
    pub fn committed(name: &str) -> Result<Self, String> {
        let text = match name {
            "sigcomm15" => include_str!("../../papers/sigcomm15.json"),
            "conext16" => include_str!("../../papers/conext16.json"),
            _ => return Err(format!("no results of {name} are recorded")),
        };
        Self::parse(name, text)
    }

    /// The results that a checkout of this project has, in the text of its file.
    ///
    /// # Errors
    /// A text that has none.
    pub fn parse(name: &str, text: &str) -> Result<Self, String> {
        serde_json::from_str(text).map_err(|e| format!("sim/papers/{name}.json: {e}"))
    }

    /// Differences of these findings, by any number of seeds, from the record: a value outside the
    /// recorded spread, another paper's number or measure, a quantity that is recorded and missing
    /// or the other way.
    pub fn differences(&self, findings: &[&Finding]) -> Vec<String> {
        let mut all = Vec::new();
        for f in findings {
            let Some(r) = self.results.iter().find(|r| r.figure == f.figure && r.quantity == f.quantity) else {
                all.push(format!("{} {}: not recorded", f.figure, f.quantity));
                continue;
            };
            if (rounded(f.paper), &f.by, f.in_words) != (r.paper, &r.by, r.in_words) {
                all.push(format!("{} {}: held against {} {}, recorded {} {}", f.figure, f.quantity, f.by, f.paper, r.by, r.paper));
            }
            let slack = r.spread.map(|v| if v.is_finite() { v.abs() * ROUNDING } else { 0.0 });
            // A NaN is outside too.
            let outside = |v: f64| !(v >= r.spread[0] - slack[0] && v <= r.spread[1] + slack[1]);
            if let Some(v) = f.values.iter().find(|v| outside(**v)) {
                all.push(format!("{} {}: {v}, recorded {} to {}", f.figure, f.quantity, r.spread[0], r.spread[1]));
            }
        }
        let run = |r: &Finding| findings.iter().any(|f| f.figure == r.figure);
        let missing = |r: &&Finding| run(r) && !findings.iter().any(|f| f.figure == r.figure && f.quantity == r.quantity);
        all.extend(self.results.iter().filter(missing).map(|r| format!("{} {}: recorded, and not measured", r.figure, r.quantity)));
        all
    }

    /// The page of docs.
    ///
    /// # Errors
    /// Results of a paper that is not run again.
    pub fn page(&self) -> Result<String, String> {
        let of = PAPERS.iter().find(|p| p.name == self.paper).ok_or_else(|| format!("{} is no paper that is run again", self.paper))?;
        let all: Vec<&Finding> = self.results.iter().collect();
        let (open, own): (Vec<&Finding>, Vec<&Finding>) = all.iter().copied().partition(|f| of.open.contains(&f.figure.as_str()));
        let seeds = all.iter().map(|f| f.seeds).max().unwrap_or(1);
        let mut page = format!(
            "<!-- Written by `timely-sim paper {} --record .` from sim/papers/{}.json: changes are lost. -->\n# {}\n\n",
            self.paper, self.paper, of.title
        );
        let mut put = |text: &str| page += text;
        put(&folded(
            &format!(
                "{}. What `timely-sim paper {}` prints, by {seeds} seeds: `ours` is their median, `seeds` the least and the greatest. A verdict is `yes` or `NO` \
                 when all seeds say so, and `unsettled` when they disagree. A star marks what the paper says in words alone: the number is the bound that we take \
                 them for.",
                count(&own),
                self.paper
            ),
            "",
        ));
        put("\n");
        put(&folded(of.parameters, ""));
        put("\n```\n");
        put(&table(&own));
        put("\n```\n");
        if !open.is_empty() {
            put("\n## What the paper left open\n\n");
            put(&folded(
                &format!(
                    "Its future work, and what it could not try, on networks of ours. The paper has no numbers here: under `paper` is what theory expects, or a bound of ours. {}.",
                    count(&open)
                ),
                "",
            ));
            put("\n```\n");
            put(&table(&open));
            put("\n```\n");
        }
        let differing: Vec<&Finding> = all.into_iter().filter(|f| f.verdict != Verdict::Agrees).collect();
        if !differing.is_empty() {
            put("\n## What does not agree by every seed, and why\n\n");
            put("Figures inside a reason are of the first seed that does not agree.\n\n");
        }
        for (i, first) in differing.iter().enumerate() {
            let alike = |f: &&&Finding| f.figure == first.figure && f.why == first.why;
            if differing[..i].iter().any(|f| alike(&f)) {
                continue;
            }
            let names: Vec<&str> = differing[i..].iter().filter(alike).map(|f| f.quantity.as_str()).collect();
            let why = if first.why.is_empty() { "seeds disagree, and no other cause was looked for" } else { &first.why };
            put(&folded(&format!("- **{}**, {}: {why}", first.figure, names.join("; ")), "  "));
        }
        Ok(page)
    }
}

/// The findings as a table of text.
pub fn table(findings: &[&Finding]) -> String {
    let mut table = "figure   agrees        paper      ours             seeds  quantity".to_owned();
    for f in findings {
        write!(table, "\n{:8} {:9} {:>9} {:>9} {:>17}  {}", f.figure, verdict(f), paper(f), ours(f), spread(f), f.quantity)
            .expect("writing to a string");
    }
    table
}

// Words in lines; those behind the first begin with `indent`.
fn folded(text: &str, indent: &str) -> String {
    let (mut out, mut line) = (String::new(), String::new());
    for word in text.split_whitespace() {
        if !line.trim().is_empty() && line.chars().count() + 1 + word.chars().count() > LINE {
            out += &line;
            out.push('\n');
            line = indent.to_owned();
            line += word;
            continue;
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line += word;
    }
    out + &line + "\n"
}

#[cfg(test)]
mod tests {
    use super::super::finding::{most, near};
    use super::*;

    #[test]
    fn what_leaves_its_spread_is_told() {
        let of = |v: f64| near("fig1", "a queue, KB", 10.0, v, 0.1);
        let recorded = of(9.5).with(of(10.5)).expect("one quantity");
        let other = most("fig2", "another", 1.0, 1.0);
        let r = Recorded::new(&PAPERS[0], 1, false, &[&recorded, &other]);
        assert!(r.differences(&[&of(9.5)]).is_empty() && r.differences(&[&of(10.5004)]).is_empty());
        assert!(r.differences(&[&of(9.4)])[0].contains("9.4, recorded 9.5 to 10.5"));
        assert!(r.differences(&[&near("fig1", "a queue, KB", 11.0, 10.0, 0.1)])[0].contains("held against"));
        assert!(r.differences(&[&near("fig1", "a new one", 11.0, 10.0, 0.1)]).len() == 2);
        assert!(r.differences(&[&of(f64::NAN)])[0].contains("NaN"));
        assert!(r.differences(&[]).is_empty());
    }

    #[test]
    fn an_experiment_is_renewed_in_its_place() {
        let of = |figure: &str, v: f64| most(figure, "a queue, KB", 10.0, v);
        let all = |all: &[Finding]| Recorded::new(&PAPERS[0], 1, false, &all.iter().collect::<Vec<_>>());
        let mut r = all(&[of("fig1", 1.0), of("fig2", 2.0), of("beyond2", 3.0), of("fig3", 4.0)]);
        r.renew(all(&[of("fig2", 5.0), of("beyond2", 6.0), of("fig2", 7.0)]));
        r.renew(all(&[of("fig9", 8.0)]));
        let got: Vec<_> = r.results.iter().map(|f| (f.figure.as_str(), f.median)).collect();
        assert_eq!(got, [("fig1", 1.0), ("fig2", 5.0), ("beyond2", 6.0), ("fig2", 7.0), ("fig3", 4.0), ("fig9", 8.0)]);
    }

    #[test]
    fn numbers_keep_six_digits() {
        assert_eq!([1234567.0, 0.000123456789, -1.0, 0.0].map(rounded), [1234567.0, 0.000123457, -1.0, 0.0]);
    }
}
