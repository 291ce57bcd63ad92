//! `docs/ecn-or-delay.md` and its rows: the page shows what the file of rows says, and runs still
//! give it.
use std::path::{Path, PathBuf};
use std::process::Command;
use timely_sim::ecn_or_delay::{Lab, PARTS, Row, SEEDS, Sender, again, command, find, page};

fn docs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs")
}

fn committed() -> Vec<Row> {
    let text = std::fs::read_to_string(docs().join("ecn-or-delay.json")).unwrap();
    command::parsed(&text).unwrap()
}

// Each value lies between the least and the greatest that were recorded.
fn held(rows: &[Row], recorded: &[Row]) {
    assert!(!rows.is_empty());
    for r in rows {
        let of = find(recorded, &r.part, &r.sender, &r.feedback, r.load, &r.quantity).unwrap_or_else(|| panic!("{r:?} is not recorded"));
        let (least, most) = of.spread();
        println!("{} {} {} {}: {:?} in {least} to {most}", r.part, r.sender, r.feedback, r.quantity, r.values);
        assert!(r.values.iter().all(|v| (least..=most).contains(v)), "{} {} {} {}", r.part, r.sender, r.feedback, r.quantity);
    }
}

/// The tables of the page and its plot are those of the rows, and every row has its five seeds.
#[test]
fn the_page_shows_the_rows() {
    let rows = committed();
    assert!(rows.iter().all(|r| r.values.len() == SEEDS as usize && r.values.iter().all(|v| v.is_finite())));
    assert!(PARTS.iter().all(|p| rows.iter().any(|r| r.part == *p)));
    let text = std::fs::read_to_string(docs().join("ecn-or-delay.md")).unwrap();
    let advice = "run `timely-sim ecn-or-delay --from docs/ecn-or-delay.json --page docs/ecn-or-delay.md`";
    assert!(page::renewed(&text, &rows).unwrap() == text, "tables differ: {advice}");
    for (name, svg) in page::plots(&rows) {
        assert!(std::fs::read_to_string(docs().join(name)).unwrap() == svg, "{name} differs: {advice}");
    }
}

/// A sample of the rows, run again.
#[test]
fn a_sample_stays_within_its_spread() {
    let (recorded, lab) = (committed(), Lab { seeds: 2, part: 1.0 });
    let light =
        |s: Sender, by: &str, load: f64| load == 0.1 && by != "kernel" && [Sender::Dcqcn, Sender::Profile("patched-10g")].contains(&s);
    held(&again("fct", &lab, light).unwrap(), &recorded);
    let one = Lab { seeds: 1, ..lab };
    let short = |s: Sender, by: &str, _: f64| s == Sender::Dcqcn || (s == Sender::Profile("pi-10g") && by == "jitter, one-way");
    held(&again("jitter", &one, short).unwrap(), &recorded);
}

/// All rows, run again, which takes ten minutes of a core.
#[test]
fn all_rows_stay_within_their_spread() {
    if !crate::common::thorough() {
        println!("left out: it takes ten minutes, and `cargo xtask soak` runs it");
        return;
    }
    let recorded = committed();
    for part in PARTS {
        held(&Lab { seeds: SEEDS, part: 1.0 }.part(part).unwrap(), &recorded);
    }
}

/// The conclusions of the page, by all seeds.
#[test]
fn the_conclusions_are_in_the_rows() {
    let rows = committed();
    let jitter = |sender: &str, by: &str, q: &str| find(&rows, "jitter", sender, by, 0.0, q).unwrap();
    for sender in ["timely-10g", "patched-10g", "swift-10g", "pi-10g"] {
        let used = |by: &str| jitter(sender, by, "utilization").spread();
        // Swift's target is 4 us above the delay of an empty path.
        let (least, more) = if sender == "swift-10g" { (0.87, -1) } else { (0.95, 1) };
        assert!(
            used("jitter").1 < 0.05 && used("jitter, one-way").0 > least,
            "{sender}: jitter in the RTT takes the link, and not from the one-way delay"
        );
        let against = jitter(sender, "jitter, one-way", "utilization").against(jitter("DCQCN", "jitter", "utilization"));
        assert_eq!(against, more, "{sender}: more of the link than DCQCN, or less");
    }
    let fct = |sender: &str, by: &str, load: f64, q: &str| find(&rows, "fct", sender, by, load, q).unwrap();
    for load in [0.4, 0.8, 1.0] {
        let against = |sender: &str, other: &str, q: &str| fct(sender, "NIC", load, q).against(fct(other, "marks", load, q));
        assert_eq!(against("patched TIMELY, paper's constants", "DCQCN", "p90 us"), 1);
        for sender in ["timely-10g", "patched-10g", "swift-10g", "pi-10g"] {
            assert_eq!(against(sender, "DCQCN", "p90 us"), -1, "{sender} {load}");
            let large = |by: &str| fct(sender, by, load, "large median ms");
            assert_eq!(large("kernel").against(large("NIC")), 1, "{sender} {load}: large messages by a kernel's stamps");
        }
        for sender in ["patched-10g", "pi-10g"] {
            assert_eq!(against(sender, "DCQCN, 10 % at 200 KB", "p90 us") == -1, load > 0.5, "{sender} {load}");
        }
        assert_eq!(against("patched-10g, no bound", "DCQCN, 10 % at 200 KB", "p90 us"), 0, "{load}");
    }
}

/// The command shows a file of rows, and names what a page lacks.
#[test]
fn the_command_reads_rows_and_renews_pages() {
    let run = |arguments: &[&str]| Command::new(env!("CARGO_BIN_EXE_timely-sim")).arg("ecn-or-delay").args(arguments).output().unwrap();
    let json = docs().join("ecn-or-delay.json");
    let shown = run(&["--from", json.to_str().unwrap(), "--json"]);
    assert!(shown.status.success() && command::parsed(std::str::from_utf8(&shown.stdout).unwrap()).unwrap() == committed());
    let empty = Path::new(env!("CARGO_TARGET_TMPDIR")).join("no-tables.md");
    std::fs::write(&empty, "# A page\n").unwrap();
    let refused = run(&["--from", json.to_str().unwrap(), "--page", empty.to_str().unwrap()]);
    let why = String::from_utf8(refused.stderr).unwrap();
    assert!(!refused.status.success() && why.contains("the page has no line `<!-- median -->`; add it"), "{why}");
    let wrong = run(&["--from", empty.to_str().unwrap()]);
    let why = String::from_utf8(wrong.stderr).unwrap();
    assert!(!wrong.status.success() && why.contains("give a file that --out wrote"), "{why}");
}
