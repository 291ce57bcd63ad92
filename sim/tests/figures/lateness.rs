//! `docs/pacing.md`, its figures and its plot: the page shows what `docs/pacing.json` says, and the
//! sweep over lateness still gives what is recorded.
use std::path::{Path, PathBuf};
use timely_sim::pacing::lateness::{self, POINTS, Point, SEEDS};
use timely_sim::pacing::prose;
use timely_sim::pacing::record::Recorded;

fn docs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs")
}

fn text(name: &str) -> String {
    std::fs::read_to_string(docs().join(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
}

fn recorded() -> Recorded {
    Recorded::parse(&text("pacing.json")).expect("the record")
}

// Each point's values are among the least and the greatest that were recorded of it.
fn held(points: &[Point], recorded: &[Point]) {
    assert!(!points.is_empty());
    let within = |new: &[f64], old: &[f64]| {
        let (least, most) = old.iter().fold((f64::MAX, f64::MIN), |(a, b), v| (a.min(*v), b.max(*v)));
        new.iter().all(|v| (least..=most).contains(v))
    };
    for p in points {
        let same = |r: &&Point| (&r.experiment, &r.law, &r.shape, r.late_us) == (&p.experiment, &p.law, &p.shape, p.late_us);
        let old = recorded.iter().find(same).unwrap_or_else(|| panic!("{p:?} is not recorded"));
        assert!(within(&p.rtt_p99_us, &old.rtt_p99_us) && within(&p.utilization, &old.utilization), "{p:?}, recorded {old:?}");
    }
}

/// The parts of the page and its plot are those of the record, which is whole.
#[test]
fn the_page_shows_the_record() {
    let all = recorded();
    let advice = "run `timely-sim pacing-page`";
    assert!(prose::renewed(&text("pacing.md"), &all).expect("markers") == text("pacing.md"), "docs/pacing.md differs: {advice}");
    assert!(lateness::plot(&all.lateness) == text("pacing-lateness.svg"), "docs/pacing-lateness.svg differs: {advice}");
    assert_eq!(all.text(), text("pacing.json"), "docs/pacing.json differs: {advice}");
    assert_eq!(all.lateness.len() * SEEDS as usize, lateness::runs(SEEDS));
    assert!(all.lateness.iter().all(|p| p.rtt_p99_us.len() == SEEDS as usize));
    // Both cores of the guest, and several start phases.
    assert!(all.guest.conditions.iter().any(|c| c.busy) && all.guest.conditions.iter().filter(|c| !c.busy).count() > 1);
    assert!(lateness::least(&all.lateness).is_some(), "the plot has a mark");
}

/// A page whose figure was changed by hand is not what the record says.
#[test]
fn a_figure_by_hand_is_noticed() {
    let (all, page) = (recorded(), text("pacing.md"));
    let mark = "<!-- quiet -->\n";
    let at = page.find(mark).expect("a table") + mark.len();
    let digit = page[at..].find(|c: char| c.is_ascii_digit() && c != '9').expect("a digit") + at;
    let mut changed = page.clone();
    changed.replace_range(digit..=digit, "9");
    assert!(changed != page && prose::renewed(&changed, &all).expect("markers") == page);
}

/// A sample of the sweep, run again.
#[test]
fn a_sample_of_the_sweep_stays_within_its_spread() {
    let all = recorded();
    let chosen = |e: &str, _: &str, _: &str, late: f64| e == "incast" && [0.0, 100.0].contains(&late);
    held(&lateness::sweep(chosen, 2, 1.0, || {}).expect("it runs"), &all.lateness);
}

/// All of the sweep, run again, which takes ten minutes of two cores.
#[test]
fn the_sweep_stays_within_its_spread() {
    if !crate::common::thorough() {
        println!("left out: it takes ten minutes, and `cargo xtask soak` runs it");
        return;
    }
    held(&lateness::sweep(|_, _, _, late| POINTS.contains(&late), SEEDS, 1.0, || {}).expect("it runs"), &recorded().lateness);
}
