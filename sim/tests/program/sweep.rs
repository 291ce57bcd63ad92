//! Sweeps: killed and resumed, in shards, refused.
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use timely_sim::sweep::{Shard, Sweep};

fn scratch(name: &str) -> PathBuf {
    let dir = std::env::temp_dir().join(format!("timely-sweep-{name}-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&dir);
    std::fs::create_dir_all(&dir).expect("a folder for the test");
    dir
}

fn sweep() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios/sweep_incast.toml")
}

fn program(out: &Path, shard: &str) -> Command {
    let mut c = Command::new(env!("CARGO_BIN_EXE_timely-sim"));
    c.args(["sweep", "--shard", shard, "--out"]).arg(out).arg(sweep()).stdout(Stdio::null()).stderr(Stdio::null());
    c
}

// How often each run stands in the folder's results.
fn counts(dir: &Path) -> BTreeMap<u64, u32> {
    let mut all = BTreeMap::new();
    for file in std::fs::read_dir(dir).expect("it is there").filter_map(|e| Some(e.ok()?.path())) {
        if file.extension().is_some_and(|e| e == "jsonl") {
            for line in std::fs::read_to_string(file).expect("text").lines() {
                let v: serde_json::Value = serde_json::from_str(line).expect("a whole line");
                *all.entry(v["index"].as_u64().expect("an index")).or_default() += 1;
            }
        }
    }
    all
}

/// Killed after some runs, in the middle of a line even, and resumed: no run twice, none lost, the
/// table that of an undisturbed sweep. Two processes with half the runs each give it too.
#[test]
fn a_killed_sweep_resumes_and_shards_add_up() {
    let (killed, whole) = (scratch("killed"), scratch("whole"));
    let file = killed.join("results-0-of-1.jsonl");
    let mut child = program(&killed, "0/1").spawn().expect("it starts");
    // Until some runs have ended; a sweep that ends first shows no less.
    while child.try_wait().expect("a child").is_none() && std::fs::read_to_string(&file).unwrap_or_default().lines().count() < 5 {
        std::thread::yield_now();
    }
    child.kill().expect("killed");
    child.wait().expect("gone");
    let before = std::fs::read(&file).expect("results");
    let lines = before.iter().filter(|b| **b == b'\n').count();
    assert!(lines >= 5);
    // A line that was being written.
    let torn = [&before[..], br#"{"sweep":"12"#].concat();
    std::fs::write(&file, torn).expect("written");
    assert!(program(&killed, "0/1").status().expect("runs").success());
    let after = std::fs::read(&file).expect("results");
    let kept = before.iter().rposition(|b| *b == b'\n').map_or(0, |i| i + 1);
    assert_eq!(after[..kept], before[..kept], "what was there stays");
    assert_eq!(counts(&killed), (0..36).map(|i| (i, 1)).collect());

    let mut halves = ["0/2", "1/2"].map(|s| program(&whole, s).spawn().expect("it starts"));
    assert!(halves.iter_mut().all(|h| h.wait().expect("a child").success()));
    assert_eq!(counts(&whole), (0..36).map(|i| (i, 1)).collect());
    // Whichever half was last wrote it.
    let table = |dir: &Path| std::fs::read_to_string(dir.join("table.csv")).expect("a table");
    assert_eq!(table(&killed), table(&whole));
    println!("{lines} runs before the kill\n{}", table(&whole).lines().take(3).collect::<Vec<_>>().join("\n"));
    for dir in [killed, whole] {
        std::fs::remove_dir_all(dir).expect("removed");
    }
}

#[test]
fn wrong_sweeps_are_refused_before_anything_runs() {
    let dir = scratch("wrong");
    std::fs::copy(sweep().with_file_name("incast_event.toml"), dir.join("incast_event.toml")).expect("copied");
    let file = dir.join("s.toml");
    let error = |text: &str| {
        std::fs::write(&file, text).expect("written");
        Sweep::read(&file).map(|_| ()).expect_err("refused").to_string().replace(&format!("{}/", dir.display()), "")
    };
    let head = "scenario = 'incast_event.toml'\n";
    assert_eq!(
        error(&format!("{head}[vary]\n'profile.p.alpha' = [0.1, 2]\n")),
        "incast_event.toml, changed: profile.p.alpha is 2; allowed: 0.00390625 to 1"
    );
    assert_eq!(error(&format!("{head}[vary]\n'link.loss' = []\n")), "s.toml:3: link.loss has no values; allowed: a list of at least one");
    assert!(error(&format!("{head}[vari]\n")).starts_with("s.toml:2: unknown field"));
    assert!(error("scenario = 'none.toml'\n").starts_with("none.toml: "));
    assert_eq!(
        error(&format!("{head}[vary]\n'link.loss' = [0]\nseed = [1, 2]\n")),
        "s.toml:4: seed is not a field to vary; list the seeds as `seeds = [1, 2, 3]` above [vary]"
    );
    // A sweep that parses and cannot be run is known before anything runs.
    let kinds = error(&format!("{head}[vary]\n'nic.kind' = ['event', 'paced']\n"));
    assert!(kinds.starts_with("paced NICs: their network has no headroom"), "{kinds}");
    let law = error(&format!("{head}[vary]\n'profile.p.t_low_us' = [10, 90000]\n"));
    assert!(law.starts_with("profile p: "), "{law}");
    for shard in ["2/2", "1", "a/2", "0/0"] {
        assert!(shard.parse::<Shard>().is_err(), "{shard}");
    }
    // Results of another sweep are not mixed with these.
    std::fs::write(&file, format!("{head}seeds = [1]\n[vary]\n'duration_ms' = [1, 2]\n")).expect("written");
    let whole = Shard { index: 0, of: 1 };
    let out = dir.join("out");
    assert!(Sweep::read(&file).expect("valid").run(&out, whole, |_| {}).expect("runs").is_some());
    std::fs::write(&file, format!("{head}seeds = [1]\n[vary]\n'duration_ms' = [1, 3]\n")).expect("written");
    let error = Sweep::read(&file).expect("valid").run(&out, whole, |_| {}).expect_err("refused");
    assert!(error.contains("the result of another sweep"), "{error}");
    std::fs::remove_dir_all(dir).expect("removed");
}

/// A load is drawn anew for each seed.
#[test]
fn seeds_draw_their_own_loads() {
    let dir = scratch("seeds");
    let load = "duration_ms = 1\n[topology]\nhosts = 4\n[nic]\nkind = 'event'\n[[load]]\nbytes = 9000\nload = 0.5\n";
    std::fs::write(dir.join("load.toml"), load).expect("written");
    std::fs::write(dir.join("s.toml"), "scenario = 'load.toml'\nseeds = [1, 2, 18446744073709551615]\n").expect("written");
    let whole = Shard { index: 0, of: 1 };
    let table = Sweep::read(&dir.join("s.toml")).expect("valid").run(&dir.join("out"), whole, |_| {}).expect("runs").expect("a table");
    let text = std::fs::read_to_string(table).expect("text");
    let figures: std::collections::BTreeSet<&str> = text.lines().skip(1).map(|l| l.splitn(3, ',').nth(2).expect("figures")).collect();
    assert_eq!(figures.len(), 3, "{text}");
    std::fs::remove_dir_all(dir).expect("removed");
}

/// Results are those of the files that a scenario names too; and a list is one cell of the table.
#[test]
fn changed_files_are_another_sweep() {
    let dir = scratch("files");
    let load = "duration_ms = 0.1\n[topology]\nhosts = 4\n[nic]\nkind = 'event'\n[[load]]\nsizes = 'sizes.cdf'\nload = 0.5\n";
    std::fs::write(dir.join("load.toml"), load).expect("written");
    std::fs::write(dir.join("sizes.cdf"), "1000 0\n2000 100\n").expect("written");
    std::fs::write(dir.join("s.toml"), "scenario = 'load.toml'\n[vary]\n'load.0.from' = [[0, 1], [2, 3]]\n").expect("written");
    let run = || Sweep::read(&dir.join("s.toml")).expect("valid").run(&dir.join("out"), Shard { index: 0, of: 1 }, |_| {});
    let text = std::fs::read_to_string(run().expect("runs").expect("a table")).expect("text");
    assert!(text.lines().nth(1).is_some_and(|l| l.starts_with("0,1,\"[0, 1]\",")), "{text}");
    run().expect("nothing is left to do");
    std::fs::write(dir.join("sizes.cdf"), "1000 0\n3000 100\n").expect("written");
    let error = run().expect_err("refused");
    assert!(error.contains("the result of another sweep"), "{error}");
    std::fs::remove_dir_all(dir).expect("removed");
}

/// The program of the test and `timely-sim` are two builds: one does not go on with results of the
/// other, nor with those of before, which name no build.
#[test]
fn results_of_another_build_are_not_mixed() {
    let dir = scratch("builds");
    let load = "duration_ms = 0.1\n[topology]\nhosts = 4\n[nic]\nkind = 'event'\n[[load]]\nbytes = 9000\nload = 0.5\n";
    std::fs::write(dir.join("load.toml"), load).expect("written");
    std::fs::write(dir.join("s.toml"), "scenario = 'load.toml'\nseeds = [1, 2]\n").expect("written");
    let (file, out) = (dir.join("s.toml"), dir.join("out"));
    let here = || Sweep::read(&file).expect("valid").run(&out, Shard { index: 0, of: 1 }, |_| {});
    here().expect("runs");
    here().expect("its own results");
    let mut c = Command::new(env!("CARGO_BIN_EXE_timely-sim"));
    let done = c.args(["sweep", "--out"]).arg(&out).arg(&file).output().expect("runs");
    let told = String::from_utf8_lossy(&done.stderr);
    let names = ["results-0-of-1.jsonl:1: the result of another build of timely-sim", "go on with that one, or use another folder"];
    assert!(!done.status.success() && names.iter().all(|n| told.contains(n)), "{told}");
    let results = out.join("results-0-of-1.jsonl");
    let lines = std::fs::read_to_string(&results).expect("text");
    let mut line: serde_json::Value = serde_json::from_str(lines.lines().next().expect("a line")).expect("JSON");
    line.as_object_mut().expect("an object").remove("build").expect("a build");
    std::fs::write(&results, format!("{line}\n")).expect("written");
    let told = here().expect_err("refused");
    assert!(told.contains("another build of timely-sim, one that did not say which"), "{told}");
    std::fs::remove_dir_all(dir).expect("removed");
}

/// Two scenarios, two arms, one report.
#[test]
fn compare_shows_two_runs_side_by_side() {
    let dir = scratch("compare");
    let text = std::fs::read_to_string(sweep().with_file_name("incast_event.toml"))
        .expect("it is there")
        .replace("duration_ms = 40", "duration_ms = 4");
    let files = ["a", "b"].map(|n| dir.join(format!("{n}.toml")));
    std::fs::write(&files[0], &text).expect("written");
    std::fs::write(&files[1], text.replace("like = \"timely-10g\"", "like = \"authors-10g\"")).expect("written");
    let out = dir.join("out");
    let done =
        Command::new(env!("CARGO_BIN_EXE_timely-sim")).args(["compare", "--json", "--out"]).arg(&out).args(&files).output().expect("runs");
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let json: serde_json::Value = serde_json::from_slice(&done.stdout).expect("JSON");
    let rtt = |i: usize| json["arms"][i]["rtt_us"]["mean"].as_f64().expect("a mean");
    // Both have the file's name, so they go by their paths.
    assert!(json["arms"][0]["name"].as_str().expect("a name").ends_with("a.toml") && rtt(0) < rtt(1));
    assert!(std::fs::read_to_string(out.join("report.html")).expect("a report").matches("<svg").count() >= 6);
    std::fs::remove_dir_all(dir).expect("removed");
}

/// Text in the table stands without quotes but where a comma needs them.
#[test]
fn a_table_has_text_as_it_is() {
    let dir = scratch("text");
    std::fs::copy(sweep().with_file_name("incast_event.toml"), dir.join("a.toml")).expect("copied");
    let file = dir.join("s.toml");
    std::fs::write(&file, "scenario = 'a.toml'\nseeds = [1]\n[vary]\n'name' = ['plain', 'a, \"b\"']\n'duration_ms' = [1]\n")
        .expect("written");
    let whole = Shard { index: 0, of: 1 };
    assert!(Sweep::read(&file).expect("valid").run(&dir.join("out"), whole, |_| {}).expect("runs").is_some());
    let table = std::fs::read_to_string(dir.join("out/table.csv")).expect("a table");
    assert!(table.contains(",plain,") && table.contains(",\"a, \"\"b\"\"\","), "{table}");
    std::fs::remove_dir_all(dir).expect("removed");
}

/// A run that is there twice would count as two samples, and a field of a profile that no flow has
/// as one without an effect: both are refused, and what a scenario says besides is said once.
#[test]
fn a_sweep_refuses_what_would_mislead() {
    let dir = scratch("misled");
    let scenario =
        "duration_ms = 1\n[topology]\nhosts = 2\n[profile.p]\nalpha = 0.5\n[profile.q]\n[[flow]]\nfrom = 0\nto = 1\nprofile = 'p'\n";
    std::fs::write(dir.join("a.toml"), scenario).expect("written");
    let read = |text: &str| {
        std::fs::write(dir.join("s.toml"), format!("scenario = 'a.toml'\n{text}")).expect("written");
        Sweep::read(&dir.join("s.toml")).map_err(|e| e.to_string().replace(&format!("{}/", dir.display()), ""))
    };
    let why = |text: &str| read(text).map(|_| ()).expect_err("refused");
    assert_eq!(why("seeds = [1, 2, 1]\n"), "s.toml:2: seeds has 1 twice; allowed: each once");
    assert_eq!(why("[vary]\n'profile.p.alpha' = [0.1, 0.2, 0.1]\n"), "s.toml:3: profile.p.alpha has 0.1 twice; allowed: each value once");
    assert_eq!(
        why("[vary]\n'profile.q.alpha' = [0.1, 0.9]\n"),
        "s.toml:3: profile.q is of no flow of the scenario; vary a profile that flows have"
    );
    let sweep = read("seeds = [1, 2]\n[vary]\n'profile.p.alpha' = [0.1, 0.9]\n").expect("read");
    assert_eq!((sweep.runs.len(), sweep.notes), (4, vec!["profile.q has no effect: no flow has it".to_owned()]));
    std::fs::remove_dir_all(dir).expect("removed");
}
