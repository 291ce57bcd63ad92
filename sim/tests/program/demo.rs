//! README's table of the demonstration, held to what the program gives.
use crate::common::thorough;
use timely_sim::report::table::cells;
use timely_sim::scenario::NicKind;
use timely_sim::{cores, demo};

/// The main arm runs on models here, whose trace is that of the Verilog to the clock
/// (`tests/tests/network_trace`).
#[test]
fn readme_has_what_the_demonstration_gives() {
    let options = demo::Options { quick: false, main: NicKind::Model, others: NicKind::Model, seed: 1 };
    let factory = cores::factory();
    // The authors' parameters take as long as the main arm.
    let planned =
        demo::arms(options).expect("scenarios of the program").into_iter().filter(|p| thorough() || p.name() != "hardware_authors");
    let arms: Vec<_> = planned.map(|p| p.run(&*factory, |_| {})).collect();
    let row = |a: &timely_sim::report::Arm| {
        let kind = if a.name == "hardware_timely" { "rtl".into() } else { a.kind.to_string() };
        format!("| {} | {kind} | {} |", a.name, cells(a.outcome.as_ref().expect("it runs")).join(" | "))
    };
    let promises =
        demo::promises(&arms).into_iter().map(|p| format!("{} {}", if p.kept == Some(true) { "kept  " } else { "BROKEN" }, p.text));
    let lines: Vec<String> = arms.iter().map(row).chain(promises).collect();
    let readme = include_str!("../../../README.md");
    let missing: Vec<&String> = lines.iter().filter(|l| !readme.lines().any(|r| r == **l)).collect();
    assert!(missing.is_empty(), "README's demonstration is not what it gives; these lines belong there:\n{missing:#?}");
}
