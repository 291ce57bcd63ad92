//! The inputs that are kept, each at its target: what was found once stays mended, and what a
//! reader refuses it still refuses in words.
use std::collections::BTreeSet;
use std::fs;
use std::panic::catch_unwind;
use std::path::PathBuf;
use timely_fuzz::{TARGETS, corpus};

/// Most bytes of all kept inputs together.
const MOST: u64 = 1 << 20;

fn inputs(folder: PathBuf) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = fs::read_dir(&folder).expect("a folder of inputs").map(|e| e.expect("an entry").path()).collect();
    files.sort();
    files
}

#[test]
fn kept_inputs_have_a_defined_answer() {
    let mut failed = Vec::new();
    for target in TARGETS {
        let files = inputs(corpus(target));
        assert!(!files.is_empty(), "no input of {} is kept", target.name);
        for file in files {
            let input = fs::read(&file).expect("an input");
            if catch_unwind(|| (target.run)(&input)).is_err() {
                failed.push(file.display().to_string());
            }
        }
    }
    assert!(failed.is_empty(), "inputs without a defined answer, why is said above:\n{}", failed.join("\n"));
}

/// `cargo xtask fuzz` takes the folders for the targets.
#[test]
fn folders_are_targets_and_are_small() {
    let folders = inputs(corpus(&TARGETS[0]).parent().expect("the folder of all").into());
    let named: BTreeSet<_> = folders.iter().filter_map(|f| f.file_name()?.to_str()).collect();
    assert_eq!(named, TARGETS.iter().map(|t| t.name).collect());
    let bytes: u64 = folders.into_iter().flat_map(inputs).map(|f| f.metadata().expect("a file").len()).sum();
    assert!(bytes <= MOST, "{bytes} bytes of kept inputs; keep the smaller ones, or those that reach something new");
}
