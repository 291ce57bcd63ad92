//! Where the numbers of README and docs are from: every section with rows of numbers has a source
//! here, and every source exists.
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Source of a section's numbers.
enum Source {
    /// A test compares the section, or rows of it, with what makes it: the test's file and name.
    Held(&'static str, &'static str),
    /// Tests or commands of this file print them; nothing compares.
    Printed(&'static str),
    /// A command prints them, of the machine that it runs on.
    Command(&'static str),
    /// Definitions, settings and examples: nothing is measured.
    Defined,
    /// Measured or published elsewhere; the section says where.
    Elsewhere,
}
use Source::{Command, Defined, Elsewhere, Held, Printed};

/// Sections with at least this many rows of numbers are listed.
const ROWS: usize = 2;
/// Numbers of a row of numbers, at least.
const NUMBERS: usize = 2;

const SOURCES: &[(&str, &str, Source)] = &[
    ("README.md", "What the demo printed", Held("sim/tests/program/demo.rs", "readme_has_what_the_demonstration_gives")),
    ("README.md", "Give the NIC to a driver, or to a virtual machine", Defined),
    ("README.md", "Drive it", Defined),
    ("README.md", "What it measured", Printed("tests/tests")),
    ("docs/bench.md", "What the design reaches", Command("cargo xtask bench")),
    ("docs/bench.md", "Published designs", Elsewhere),
    (
        "docs/conext16.md",
        "CoNEXT'16, ECN or Delay: its figures run again",
        Held("sim/tests/figures/paper.rs", "pages_are_those_of_the_recorded_results"),
    ),
    ("docs/conext16.md", "What the paper left open", Held("sim/tests/figures/paper.rs", "pages_are_those_of_the_recorded_results")),
    (
        "docs/coverage.md",
        "What the lockstep tests reach in the emitted Verilog",
        Held("xtask/mutate/src/coverage.rs", "the_page_shows_the_record"),
    ),
    ("docs/coverage.md", "Rust", Held("xtask/mutate/src/coverage.rs", "the_page_shows_the_record")),
    ("docs/corundum.md", "Build it", Defined),
    ("docs/corundum.md", "Use it", Defined),
    ("docs/corundum.md", "What you should see", Defined),
    ("docs/corundum.md", "The traffic generator", Defined),
    ("docs/corundum.md", "Between the two halves", Defined),
    ("docs/corundum.md", "What can go wrong", Defined),
    ("docs/corundum.md", "In Corundum's testbench", Defined),
    ("docs/corundum.md", "What was checked", Printed("tests/tests/nic")),
    (
        "docs/corundum.md",
        "Unpaced traffic",
        Held("tests/tests/corundum_rates.rs", "unpaced_traffic_is_as_fast_as_with_the_stock_scheduler"),
    ),
    ("docs/corundum.md", "In networks", Printed("sim/tests/nics/corundum.rs")),
    ("docs/corundum.md", "In the real core", Elsewhere),
    ("docs/driver.md", "Which NIC", Defined),
    ("docs/driver.md", "Boards", Defined),
    ("docs/driver.md", "The file", Defined),
    ("docs/driver.md", "What can go wrong, and what shows what becomes of it", Printed("driver/tests/programs")),
    ("docs/driver.md", "Metrics", Defined),
    ("docs/driver.md", "The card's time for the host", Defined),
    ("docs/ecn-or-delay.md", "Set-up", Held("sim/tests/figures/ecn_or_delay.rs", "the_page_shows_the_rows")),
    ("docs/ecn-or-delay.md", "Completion times", Held("sim/tests/figures/ecn_or_delay.rs", "the_page_shows_the_rows")),
    ("docs/ecn-or-delay.md", "Jitter of the feedback", Held("sim/tests/figures/ecn_or_delay.rs", "the_page_shows_the_rows")),
    (
        "docs/ecn-or-delay.md",
        "Bit-true NICs against event-level ones",
        Held("sim/tests/figures/ecn_or_delay.rs", "the_page_shows_the_rows"),
    ),
    ("docs/ecpix5.md", "Use it", Defined),
    ("docs/ecpix5.md", "What you should see", Defined),
    ("docs/ecpix5.md", "What was checked", Printed("tests/tests/nic")),
    ("docs/glossary.md", "Glossary", Defined),
    ("docs/interfaces.md", "Ports of the standalone shell", Defined),
    ("docs/interfaces.md", "MAC and parser", Defined),
    ("docs/interfaces.md", "Pacer and packet source", Defined),
    ("docs/interfaces.md", "RTT, rate engine and pacer", Defined),
    ("docs/interfaces.md", "Time", Defined),
    ("docs/interfaces.md", "Registers and telemetry", Defined),
    ("docs/interfaces.md", "Packet store", Defined),
    ("docs/interfaces.md", "In line", Defined),
    ("docs/interfaces.md", "Transmit queues in Corundum", Defined),
    ("docs/interfaces.md", "Application block in Corundum", Defined),
    ("docs/interfaces.md", "Board", Defined),
    ("docs/mutation.md", "Faults that the lockstep tests notice", Held("xtask/mutate/src/page.rs", "the_page_shows_the_record")),
    ("docs/mutation.md", "What survived", Held("xtask/mutate/src/page.rs", "the_page_shows_the_record")),
    ("docs/netfpga.md", "What you need", Defined),
    ("docs/netfpga.md", "Use it", Defined),
    ("docs/netfpga.md", "What can go wrong", Defined),
    ("docs/netfpga.md", "What was checked", Printed("tests/tests/nic")),
    ("docs/opennic.md", "Use it", Defined),
    ("docs/opennic.md", "What becomes of a packet", Defined),
    ("docs/opennic.md", "What you should see", Defined),
    ("docs/opennic.md", "What was checked", Printed("tests/tests/nic")),
    ("docs/pacing.md", "The pacers", Defined),
    ("docs/pacing.md", "The guest", Held("sim/tests/figures/lateness.rs", "the_page_shows_the_record")),
    ("docs/pacing.md", "The shared machine", Held("sim/tests/figures/lateness.rs", "the_page_shows_the_record")),
    ("docs/json.md", "*", Held("driver/tests/programs/keys.rs", "the_page_lists_the_keys_of_every_command")),
    ("docs/pacing.md", "In the network", Held("sim/tests/figures/lateness.rs", "the_page_shows_the_record")),
    ("docs/pacing.md", "From which lateness on does the loop suffer", Held("sim/tests/figures/lateness.rs", "the_page_shows_the_record")),
    ("docs/pacing.md", "On a real host with a real NIC", Defined),
    ("docs/promises.md", "What users rely on", Held("xtask/src/promises.rs", "the_page_shows_the_list_and_its_tests_exist")),
    ("docs/registers.md", "*", Held("hw/regs/src/generate/mod.rs", "committed_documents_are_fresh")),
    ("docs/roce.md", "Use it", Defined),
    ("docs/roce.md", "What you should see", Defined),
    ("docs/roce.md", "The parser", Defined),
    ("docs/roce.md", "Round-trip times", Defined),
    ("docs/roce.md", "What READs bring", Printed("tests/tests/inline/roce/reads.rs")),
    ("docs/roce.md", "Notifications of congestion", Printed("tests/tests/inline/roce/dcqcn.rs")),
    ("docs/roce.md", "The in-line NIC with queue pairs", Printed("tests/tests/inline/roce/mod.rs")),
    (
        "docs/sigcomm15.md",
        "SIGCOMM'15, TIMELY: its evaluation run again",
        Held("sim/tests/figures/paper.rs", "pages_are_those_of_the_recorded_results"),
    ),
    ("docs/sigcomm15.md", "What the paper left open", Held("sim/tests/figures/paper.rs", "pages_are_those_of_the_recorded_results")),
    ("docs/simulator.md", "The simulator", Defined),
    ("docs/simulator.md", "A scenario file, with every field", Held("sim/tests/scenario/main.rs", "the_manual_is_right")),
    ("docs/simulator.md", "The fabric", Command("timely-sim bench")),
    ("docs/simulator.md", "Sweeps", Defined),
    ("docs/simulator.md", "Fluid models", Defined),
    ("docs/simulator.md", "Stability", Held("sim/tests/loops/law_margins.rs", "the_page_has_the_rows_of_the_command")),
    ("docs/simulator.md", "Recording and replaying rate updates", Defined),
    ("docs/synthesis.md", "Area and speed of each block", Held("xtask/flow/src/synth/page.rs", "the_page_shows_the_record")),
    ("docs/taxi.md", "Use it", Defined),
    ("docs/taxi.md", "Area", Elsewhere),
    ("docs/taxi.md", "What was checked", Printed("tests/tests/nic")),
    ("docs/theory-of-operation.md", "The signal", Defined),
    ("docs/wire-format.md", "Examples", Held("tests/tests/wire_format.rs", "the_documented_examples_hold")),
    ("docs/wire-format.md", "*", Defined),
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

// Numbers of a line: digits, with `,` and `.` between them, that no letter touches.
fn numbers(line: &str) -> usize {
    let word = |c: char| c.is_alphanumeric() || c == '_' || c == '.' || c == ',';
    let is_number = |w: &str| w.starts_with(|c: char| c.is_ascii_digit()) && w.chars().all(|c| c.is_ascii_digit() || c == '.' || c == ',');
    line.split(|c| !word(c)).filter(|w| is_number(w.trim_matches(['.', ',']))).count()
}

// Headings of the sections of a page with rows of numbers: lines of tables and of fenced text.
fn sections(text: &str) -> BTreeSet<&str> {
    let (mut heading, mut fenced, mut rows) = ("", false, 0);
    let mut all = BTreeSet::new();
    for line in text.lines() {
        if line.starts_with("```") {
            fenced = !fenced;
        } else if line.starts_with('#') && !fenced {
            (heading, rows) = (line.trim_matches(['#', ' ']), 0);
        } else if (fenced || line.starts_with('|')) && numbers(line) >= NUMBERS {
            rows += 1;
            if rows >= ROWS {
                all.insert(heading);
            }
        }
    }
    all
}

fn pages() -> Vec<String> {
    let folder = fs::read_dir(root().join("docs")).expect("a folder");
    let names = folder.map(|f| f.expect("a file").file_name().to_string_lossy().into_owned()).filter(|n| n.ends_with(".md"));
    let mut all: Vec<String> = names.map(|n| format!("docs/{n}")).chain(["README.md".into()]).collect();
    all.sort();
    all
}

/// A section of numbers without a source is named, and a source without a section.
#[test]
fn every_number_has_a_source() {
    let mut wrong = Vec::new();
    for page in pages() {
        let text = fs::read_to_string(root().join(&page)).expect("a page");
        let found = sections(&text);
        let told: BTreeSet<&str> = SOURCES.iter().filter(|s| s.0 == page).map(|s| s.1).collect();
        if !told.contains("*") {
            wrong.extend(found.difference(&told).map(|h| format!("{page}, \"{h}\": numbers without a source; add them to SOURCES")));
        }
        let stale = told.difference(&found).filter(|h| **h != "*");
        wrong.extend(stale.map(|h| format!("{page}, \"{h}\": a source without rows of numbers")));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Tests, files and commands that are sources are there.
#[test]
fn every_source_exists() {
    let read = |path: &str| fs::read_to_string(root().join(path)).unwrap_or_default();
    let commands = read("xtask/src/main.rs") + &read("sim/src/main.rs");
    let has_command = |c: &str| c.rsplit(' ').next().is_some_and(|name| commands.to_lowercase().contains(name));
    for (page, section, source) in SOURCES {
        let there = match source {
            Held(file, test) => read(file).contains(&format!("fn {test}(")),
            Printed(path) => root().join(path).exists(),
            Command(command) => has_command(command),
            Defined | Elsewhere => root().join(page).exists(),
        };
        assert!(there, "{page}, \"{section}\": its source is not there");
    }
    let of = |kind: fn(&Source) -> bool| SOURCES.iter().filter(|s| kind(&s.2)).count();
    println!(
        "sections whose numbers a test holds: {}; printed by tests: {}; by commands: {}; from elsewhere: {}",
        of(|s| matches!(s, Held(..))),
        of(|s| matches!(s, Printed(_))),
        of(|s| matches!(s, Command(_))),
        of(|s| matches!(s, Elsewhere))
    );
}

/// What counts as a number, and as rows of them.
#[test]
fn rows_of_numbers_are_found() {
    assert_eq!(["| 1 | 2.5 |", "| x1 | 10g | 0x20 |", "70,002 lines, 390."].map(numbers), [2, 0, 2]);
    let page = "# A\n| 1 | 2 |\n## B\n| 1 | 2 |\n| 3 | 4 |\n## C\n1 2\n1 2\n```\n1 2\n1 2\n```\n";
    assert_eq!(sections(page).into_iter().collect::<Vec<_>>(), ["B", "C"]);
}
