//! The quick proofs, as every change runs them; `cargo xtask prove` runs all.
use std::path::Path;
use timely_formal::run::{Folders, all, table_folder};
use timely_formal::{report, table};

#[test]
fn quick_proofs_hold_and_their_twins_fail() {
    let mut proofs = table::read(&table_folder()).unwrap_or_else(|e| panic!("{e}"));
    proofs.retain(|p| p.quick);
    let folders = Folders { table: table_folder(), work: Path::new(env!("CARGO_TARGET_TMPDIR")).join("formal") };
    let outcomes = all(&proofs, &folders, 2, |_, _, _| ());
    assert!(!outcomes.is_empty() && outcomes.iter().all(|o| o.fault.is_none()), "\n{}", report::table(&proofs, &outcomes));
}
