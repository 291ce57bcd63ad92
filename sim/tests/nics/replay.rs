//! `run --events` and `replay` as a user runs them: a recording of model NICs is equal, a spoilt
//! one is not, a broken one is refused.
use std::path::PathBuf;
use std::process::{Command, Output};
use timely_regs::event::BYTES;
use timely_regs::recording::Recording;

const SCENARIO: &str = "
name = \"recorded\"
duration_ms = 5
[topology]
hosts = 4
[nic]
kind = \"model\"
[[flow]]
from = 0
to = 3
[[flow]]
from = 1
to = 3
profile = \"timely-25g\"
[[flow]]
from = 2
to = 3
profile = \"authors-10g\"
";

fn timely_sim(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_timely-sim")).args(arguments).output().expect("the program starts")
}

fn said(o: &Output) -> String {
    String::from_utf8_lossy(&o.stdout).into_owned() + &String::from_utf8_lossy(&o.stderr)
}

#[test]
fn recordings_replay() {
    let dir = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    let (scenario, file) = (dir.join("replay.toml"), dir.join("replay.events"));
    std::fs::write(&scenario, SCENARIO).unwrap();
    let (scenario, path) = (scenario.to_str().unwrap(), file.to_str().unwrap());
    let o = timely_sim(&["run", scenario, "--events", path, "--every", "3"]);
    assert!(o.status.success(), "{}", said(&o));
    let recording = Recording::from_bytes(&std::fs::read(&file).unwrap()).unwrap();
    let hosts: std::collections::BTreeSet<_> = recording.records.iter().map(|r| r.source).collect();
    assert!(recording.records.len() > 100 && hosts.into_iter().eq([0, 1, 2]), "{} records", recording.records.len());
    let replayed = timely_sim(&["replay", path]);
    assert_eq!(
        (replayed.status.code(), said(&replayed)),
        (Some(0), format!("{} updates, all equal to the model\n", recording.records.len()))
    );

    // One bit of a rate.
    let mut spoilt = recording.clone();
    spoilt.records[77].rate ^= 1;
    std::fs::write(&file, spoilt.to_bytes()).unwrap();
    let o = timely_sim(&["replay", path]);
    assert_eq!(o.status.code(), Some(4), "{}", said(&o));
    assert!(said(&o).starts_with("1 of ") && said(&o).contains("the first is record 77"), "{}", said(&o));

    // Cut in a record; no such file; not a recording; a kind of NIC that records nothing.
    let bytes = recording.to_bytes();
    std::fs::write(&file, &bytes[..bytes.len() - BYTES / 2]).unwrap();
    for (arguments, words) in [
        (vec!["replay", path], "ends in the middle of a record: 32 of 64 bytes"),
        (vec!["replay", "/nowhere/at/all"], "/nowhere/at/all: No such file"),
        (vec!["replay", scenario], "no file of event records"),
        (vec!["run", scenario, "--nics", "paced", "--events", path], "--nics rtl or --nics model"),
    ] {
        let o = timely_sim(&arguments);
        assert!(o.status.code() == Some(1) && said(&o).contains(words), "{arguments:?}: {}", said(&o));
    }
}
