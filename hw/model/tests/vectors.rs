//! The published vectors are what the reference gives, and an independent C implementation agrees
//! with them.
#[path = "../examples/vectors/main.rs"]
mod vectors;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

#[test]
fn files_are_what_the_reference_gives() {
    let stale = vectors::stale();
    assert!(stale.is_empty(), "{stale:?} differ; `cargo run -p timely-model --example vectors` writes them anew");
}

/// The C checker, compiled.
fn checker() -> PathBuf {
    let program = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("check-vectors-{}", std::process::id()));
    let compiler = std::env::var("CC").unwrap_or_else(|_| "cc".into());
    let done = Command::new(&compiler)
        .args(["-std=c99", "-O1", "-Wall", "-Wextra", "-Werror", "-o"])
        .arg(&program)
        .arg(vectors::folder().join("check.c"))
        .arg("-lm")
        .output()
        .unwrap_or_else(|e| panic!("{compiler} does not start: {e}; set CC to a C compiler"));
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    program
}

fn check(program: &Path, files: &[PathBuf]) -> Output {
    Command::new(program).args(files).output().unwrap_or_else(|e| panic!("the checker does not start: {e}"))
}

#[test]
fn a_c_implementation_agrees() {
    let program = checker();
    let files: Vec<PathBuf> = vectors::files().into_iter().map(|(name, _)| vectors::folder().join(name)).collect();
    let good = check(&program, &files);
    println!("{}", String::from_utf8_lossy(&good.stdout));
    assert!(good.status.success(), "{}", String::from_utf8_lossy(&good.stderr));

    // A rate that is off in its ninth digit is found.
    let (name, text) = vectors::files().swap_remove(0);
    let at = text.match_indices("\"rate_mbps\": ").nth(100).map(|(at, key)| at + key.len()).expect("a hundred updates");
    let end = at + text[at..].find(',').expect("a field follows");
    let rate: f64 = text[at..end].parse().expect("a number");
    let spoilt = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{}-{name}", std::process::id()));
    std::fs::write(&spoilt, format!("{}{}{}", &text[..at], rate * (1.0 + 1e-9), &text[end..])).expect("a temporary file");
    let bad = check(&program, std::slice::from_ref(&spoilt));
    assert!(!bad.status.success() && String::from_utf8_lossy(&bad.stderr).contains("update 101"), "{bad:?}");
    std::fs::remove_file(spoilt).and_then(|()| std::fs::remove_file(program)).expect("temporary files can be removed");
}

/// Every branch, the hyperactive increase and both limits occur.
#[test]
fn vectors_reach_everything() {
    let files = vectors::files();
    let of = |chosen: &dyn Fn(&str) -> bool| -> String { files.iter().filter(|(n, _)| chosen(n)).map(|(_, t)| t.as_str()).collect() };
    // CNPs, one that waits for its interval's end, both kinds of stages, and hyper steps.
    let all = of(&|n| n.starts_with("dcqcn"));
    for (mark, least) in [("\"cnps\": 1", 30), ("\"marked\": 0, ", 200), ("\"stages\": 2", 10), ("\"target_mbps\": 10000,", 1)] {
        let n = all.matches(mark).count();
        assert!(n >= least, "{mark} occurs {n} times in dcqcn");
    }
    let late = |l: &&str| l.contains("\"marked\": 0") && l.contains("\"cnps\": 1");
    assert!(all.lines().filter(late).count() > 5, "no CNP waits for the end of its interval");
    let other = |n: &str| ["patched", "pi", "swift", "dcqcn"].iter().any(|l| n.starts_with(l));
    for (law, branches) in [
        ("patched", ["below-low", "above-high", "\"increase", "decrease"]),
        ("pi", ["below-low", "above-high", "\"increase", "decrease"]),
        ("swift", ["held", "above-high", "\"increase", "decrease"]),
    ] {
        let all = of(&|n| n.starts_with(law));
        for branch in branches {
            let n = all.matches(branch).count();
            assert!(n > 25, "{branch} occurs {n} times in {law}");
        }
    }
    for (form, paper) in [("", false), ("-algorithm-1", true)] {
        let all = of(&|n| !other(n) && n.contains("algorithm-1") == paper);
        for branch in ["below-low", "above-high", "increase", "decrease"] {
            let n = all.matches(branch).count();
            assert!(n > 50, "{branch} occurs {n} times in form {form:?}");
        }
        for mark in ["\"hyperactive\": true", "\"rate_mbps\": 10,", "\"rate_mbps\": 10000,"] {
            assert!(all.contains(mark), "{mark} does not occur in form {form:?}");
        }
    }
}
