//! The evaluation of SIGCOMM'15: what the program is held to, and that all of it runs.
use timely_sim::paper::recorded::Recorded;
use timely_sim::paper::{EXPERIMENTS, Figure, Finding, Lab, PAPERS, Verdict, by_seeds, page};

// As in `timely_tests::thorough`, of which this crate knows nothing.
fn thorough() -> bool {
    std::env::var("TIMELY_CYCLES").is_ok_and(|c| c.parse().is_ok_and(|c: u64| c > 200_000))
}

fn recorded() -> Recorded {
    Recorded::committed("sigcomm15").expect("recorded results")
}

/// The page of docs is made of the recorded results.
#[test]
fn the_page_is_that_of_the_recorded_results() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/sigcomm15.md");
    let page = std::fs::read_to_string(path).expect("docs/sigcomm15.md");
    let made = recorded().page().expect("a page");
    let beside = concat!(env!("CARGO_TARGET_TMPDIR"), "/sigcomm15.md");
    std::fs::write(beside, &made).expect("a file under target");
    assert!(page == made, "docs/sigcomm15.md is not made of sim/papers/sigcomm15.json; the page that is: {beside}");
}

/// What is recorded: all experiments, whole, by five seeds; and what must not differ does not.
#[test]
fn what_is_recorded_is_whole() {
    let r = recorded();
    assert!(!r.quick && r.seed == 1 && r.results.iter().all(|f| f.seeds == 5 && f.values.len() == 5));
    let figures: Vec<&str> = EXPERIMENTS.iter().flat_map(|e| e.0).copied().collect();
    assert!(figures.iter().all(|id| r.results.iter().any(|f| f.figure == *id)), "a figure without a number");
    // Table 1's row of TIMELY, as the paper has it, and figure 18 by Algorithm 1.
    let held = |f: &&Finding| f.quantity.starts_with("TIMELY:") || f.quantity.starts_with("Algorithm 1, T_low 0");
    let all: Vec<_> = r.results.iter().filter(held).collect();
    assert_eq!(all.len(), 9);
    for f in all {
        assert!(f.agrees(), "{}: {} to {}", f.quantity, f.spread[0], f.spread[1]);
    }
    for f in r.results.iter().filter(|f| f.verdict == Verdict::Differs) {
        assert!(f.why.len() > 20, "{} {} differs without a reason", f.figure, f.quantity);
    }
}

/// Some experiments again, whole and by the first seed: every number lies where it is recorded.
#[test]
fn a_sample_is_as_recorded() {
    const SAMPLE: [&str; 4] = ["fig1", "fig2", "fig5", "fig18"];
    let figures = run(|id| SAMPLE.contains(&id), 1);
    let all: Vec<&Finding> = figures.iter().flat_map(|f| &f.findings).collect();
    let differences = recorded().differences(&all);
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}

/// All of it by all seeds, which takes minutes.
#[test]
fn all_is_as_recorded() {
    if !thorough() {
        println!("left out: it takes minutes, and `cargo xtask soak` runs it");
        return;
    }
    let figures = run(|_| true, PAPERS[0].seeds);
    let all: Vec<&Finding> = figures.iter().flat_map(|f| &f.findings).collect();
    let differences = recorded().differences(&all);
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}

fn run(chosen: impl Fn(&str) -> bool, seeds: u64) -> Vec<Figure> {
    let lab = Lab { seed: 1, quick: false };
    EXPERIMENTS.iter().filter(|e| chosen(e.0[0])).map(|e| by_seeds(e, &lab, seeds).expect(e.0[0])).collect()
}

/// All of them in short, so that none is broken: every plot has its lines, every number is one.
#[test]
fn every_experiment_runs() {
    let lab = Lab { seed: 1, quick: true };
    let figures: Vec<_> = EXPERIMENTS.iter().filter(|e| !["fig1", "fig18"].contains(&e.0[0])).map(|e| e.1(&lab).expect(e.0[0])).collect();
    for f in &figures {
        assert!(!f.findings.is_empty() && f.findings.iter().all(|x| x.median.is_finite() || x.quantity.contains("ms to")), "{}", f.id);
        assert!(f.plots.iter().all(|(_, legend, plot)| !legend.is_empty() && plot.lines.iter().all(|l| l.points.len() > 1)), "{}", f.id);
    }
    let html = page(&PAPERS[0], &figures);
    assert!(html.matches("<svg").count() == figures.iter().map(|f| f.plots.len()).sum::<usize>());
    assert!(!html.contains("http://") || html.matches("http://").count() == html.matches("http://www.w3.org/2000/svg").count());
}

/// A sample of "ECN or Delay" in short. What needs no packets is as in long runs, and agrees; every number is one.
#[test]
fn a_sample_of_ecn_or_delay_runs() {
    let paper = &PAPERS[1];
    let lab = Lab { seed: 1, quick: true };
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

/// What of "ECN or Delay" is known to differ, each with its reason in the finding.
const DIFFERENT: [&str; 10] = [
    "2 flows: queue in packets over the model's",
    "unstable by the delay system's rightmost root",
    "10 flows, 85 us: median queue",
    "64 flows, 85 us: swing over",
    "most flows that the delay system is stable with",
    "jitter: mean queue",
    "RTTs longer by the jitter",
    "marked at enqueue",
    "TIMELY, load",
    "end of the trunk's queue",
];

/// All of "ECN or Delay", which takes minutes: nothing differs but what is known to, and for that there is a reason. Where TIMELY's flows end is
/// held by no bound.
#[test]
fn ecn_or_delay_differs_where_it_is_known_to() {
    if !thorough() {
        println!("left out: it takes minutes, and `cargo xtask soak` runs it");
        return;
    }
    let lab = Lab { seed: 1, quick: false };
    for e in PAPERS[1].experiments {
        for f in e.1(&lab).expect(e.0[0]).findings {
            println!("{:?} {} {}: {:.3}, ours {:.3}, {:?}", f.verdict, f.figure, f.quantity, f.paper, f.median, f.spread);
            let chance = ["fig9", "fig10"].contains(&f.figure.as_str()) && !f.quantity.starts_with("fluid");
            let known = f.verdict != Verdict::Differs || chance || DIFFERENT.iter().any(|d| f.quantity.contains(d));
            assert!(known, "{} {}: {}", f.figure, f.quantity, f.median);
            assert!(f.agrees() || f.why.len() > 20, "{} differs without a reason", f.quantity);
        }
    }
}
