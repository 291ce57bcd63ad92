//! The papers that are run again: what the program is held to, and that all of it runs.
use crate::common::thorough;
use timely_sim::paper::recorded::Recorded;
use timely_sim::paper::twins::{self, Twin};
use timely_sim::paper::{EXPERIMENTS, Figure, Finding, Lab, PAPERS, Paper, Verdict, by_seeds, page};

fn recorded(paper: &Paper) -> Recorded {
    Recorded::committed(paper.name).expect("recorded results")
}

/// The pages of docs are made of the recorded results.
#[test]
fn pages_are_those_of_the_recorded_results() {
    for paper in &PAPERS {
        let path = format!("{}/../docs/{}.md", env!("CARGO_MANIFEST_DIR"), paper.name);
        let page = std::fs::read_to_string(&path).expect("a page");
        let made = recorded(paper).page().expect("a page");
        let beside = format!("{}/{}.md", env!("CARGO_TARGET_TMPDIR"), paper.name);
        std::fs::write(&beside, &made).expect("a file under target");
        assert!(page == made, "docs/{0}.md is not made of sim/papers/{0}.json; the page that is: {beside}", paper.name);
    }
}

/// The record holds all experiments, whole, by five seeds; a finding that differs by all of them
/// has a reason.
#[test]
fn what_is_recorded_is_whole() {
    for paper in &PAPERS {
        let r = recorded(paper);
        assert!(!r.quick && r.seed == 1 && r.results.iter().all(|f| f.seeds == f.values.len() && [1, 5].contains(&f.seeds)));
        assert!(r.results.iter().any(|f| f.seeds == 5));
        let figures: Vec<&str> = paper.experiments.iter().flat_map(|e| e.0).copied().collect();
        assert!(figures.iter().all(|id| r.results.iter().any(|f| f.figure == *id)), "a figure without a number");
        for f in r.results.iter().filter(|f| f.verdict == Verdict::Differs) {
            assert!(f.why.len() > 20, "{} {} differs without a reason", f.figure, f.quantity);
        }
    }
}

/// Table 1's row of TIMELY is the paper's, and so is figure 18 by Algorithm 1.
#[test]
fn timely_is_that_of_the_paper() {
    let all = recorded(&PAPERS[0]).results;
    let held = |f: &&Finding| f.quantity.starts_with("TIMELY:") || f.quantity.starts_with("Algorithm 1, T_low 0");
    let all: Vec<_> = all.iter().filter(held).collect();
    assert_eq!(all.len(), 9);
    for f in all {
        assert!(f.agrees(), "{}: {} to {}", f.quantity, f.spread[0], f.spread[1]);
    }
}

/// Some experiments again, whole and by the first seed: every number lies where it is recorded.
#[test]
fn a_sample_is_as_recorded() {
    as_recorded(&PAPERS[0], 1, |id| ["fig1", "fig2", "fig5", "fig18"].contains(&id));
    as_recorded(&PAPERS[1], 1, |id| ["fig3", "fig6", "fig11"].contains(&id));
}

/// All experiments by all seeds, which takes minutes.
#[test]
fn all_is_as_recorded() {
    if !thorough() {
        println!("left out: it takes minutes, and `cargo xtask soak` runs it");
        return;
    }
    for paper in &PAPERS {
        as_recorded(paper, paper.seeds, |_| true);
    }
}

// Each of these twins turns all that it is to turn.
fn turn(paper: &Paper, chosen: impl Fn(&Twin) -> bool) {
    let all = twins::of(paper).iter().filter(|t| chosen(t));
    let stayed: Vec<String> = all
        .flat_map(|t| t.run(paper, 1).unwrap_or_else(|e| panic!("{}: {e}", t.figure)))
        .inspect(|t| println!("{} {}: {} on record, {} with the constant changed", t.figure, t.quantity, t.was, t.is))
        .filter(|t| !t.turned)
        .map(|t| format!("{} {}: {} with the constant changed", t.figure, t.quantity, t.is))
        .collect();
    assert!(stayed.is_empty(), "{}: still yes, or not on record as yes:\n{}", paper.name, stayed.join("\n"));
}

/// Each figure of each paper has a twin that names a quantity of it which agrees on record.
#[test]
fn every_figure_has_a_twin() {
    for paper in &PAPERS {
        let turns: Vec<_> = twins::of(paper).iter().flat_map(|t| t.turns).collect();
        for id in paper.experiments.iter().flat_map(|e| e.0) {
            assert!(turns.iter().any(|t| t.0 == *id), "{}: {id} has no twin", paper.name);
        }
        let results = recorded(paper).results;
        for (figure, quantity) in turns {
            let of = results.iter().find(|f| f.figure == *figure && f.quantity == *quantity);
            assert!(of.is_some_and(Finding::agrees), "{}: {figure} {quantity} does not agree on record", paper.name);
        }
    }
}

/// With one constant changed margins and times to converge are not the paper's any more: what needs
/// no packets, and so is quick.
#[test]
fn twins_of_the_analysis_turn() {
    turn(&PAPERS[1], |t| ["fig3", "fig6", "fig11"].contains(&t.figure));
}

/// All twins, which takes minutes.
#[test]
fn all_twins_turn() {
    if !thorough() {
        println!("left out: it takes minutes, and `cargo xtask soak` runs it");
        return;
    }
    PAPERS.iter().for_each(|p| turn(p, |_| true));
}

fn as_recorded(paper: &Paper, seeds: u64, chosen: impl Fn(&str) -> bool) {
    let lab = Lab { seed: 1, quick: false, twin: None };
    let run = paper.experiments.iter().filter(|e| chosen(e.0[0])).map(|e| by_seeds(e, &lab, seeds).expect(e.0[0]));
    let figures: Vec<Figure> = run.collect();
    let all: Vec<&Finding> = figures.iter().flat_map(|f| &f.findings).collect();
    assert!(!all.is_empty());
    let differences = recorded(paper).differences(&all);
    assert!(differences.is_empty(), "{}: {}", paper.name, differences.join("\n"));
}

/// All experiments in short, so that none is broken: every plot has its lines, every number is one.
#[test]
fn every_experiment_runs() {
    let lab = Lab { seed: 1, quick: true, twin: None };
    let figures: Vec<_> = EXPERIMENTS.iter().filter(|e| !["fig1", "fig18"].contains(&e.0[0])).map(|e| e.1(&lab).expect(e.0[0])).collect();
    for f in &figures {
        assert!(!f.findings.is_empty() && f.findings.iter().all(|x| x.median.is_finite() || x.quantity.contains("ms to")), "{}", f.id);
        assert!(f.plots.iter().all(|(_, legend, plot)| !legend.is_empty() && plot.lines.iter().all(|l| l.points.len() > 1)), "{}", f.id);
    }
    let html = page(&PAPERS[0], &figures);
    assert!(html.matches("<svg").count() == figures.iter().map(|f| f.plots.len()).sum::<usize>());
    assert!(!html.contains("http://") || html.matches("http://").count() == html.matches("http://www.w3.org/2000/svg").count());
}

/// A sample of "ECN or Delay" in short. What needs no packets is as in long runs, and agrees; every
/// number is one.
#[test]
fn a_sample_of_ecn_or_delay_runs() {
    let paper = &PAPERS[1];
    let lab = Lab { seed: 1, quick: true, twin: None };
    let sample = ["fig6", "fig9", "fig14"];
    let figures: Vec<_> = paper.experiments.iter().filter(|e| sample.contains(&e.0[0])).map(|e| e.1(&lab).expect(e.0[0])).collect();
    for f in figures.iter().flat_map(|f| &f.findings) {
        println!("{:?} {} {}: {:.3}, ours {:.3}", f.verdict, f.figure, f.quantity, f.paper, f.median);
        assert!(f.median.is_finite() && (f.why.is_empty() || !f.agrees()), "{}", f.quantity);
        assert!(f.agrees() || !(f.figure == "fig6" || f.quantity.starts_with("fluid")), "{}", f.quantity);
    }
    let html = page(paper, &figures);
    assert!(html.matches("<svg").count() == figures.iter().map(|f| f.plots.len()).sum::<usize>());
    assert!(html.contains("quantities agree") && html.contains("R_AI 40 Mb/s"));
}

/// Arguments that would record a part as the whole, or draw seeds twice, are refused before
/// anything runs.
#[test]
fn parts_are_not_recorded() {
    let said = |arguments: &[&str]| {
        let o = std::process::Command::new(env!("CARGO_BIN_EXE_timely-sim")).arg("paper").args(arguments).output().expect("it runs");
        assert!(!o.status.success() && o.stdout.is_empty());
        String::from_utf8(o.stderr).expect("text")
    };
    for part in [&["fig1", "--quick"][..], &["--quick"], &["--seeds", "2"], &["fig1", "--seeds", "2"]] {
        assert!(said(&[&["sigcomm15", "--record", "."], part].concat()).contains("--record takes figures whole"));
    }
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/..");
    assert!(said(&["sigcomm15", "fig1", "--record", root, "--seed", "2"]).contains("has runs from seed 1 on, not 2"));
    assert!(said(&["conext16", "--seeds", "2"]).contains("have seeds of their own; leave it away"));
}
