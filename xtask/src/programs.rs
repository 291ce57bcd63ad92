//! The workspace's test programs: built by cargo, run side by side.
//!
//! `cargo test` runs one program after the other. Most of ours wait a good while for a single C++
//! compiler, so a core stands idle; here as many programs run at once as there are cores, the
//! longest first, each with its output kept together.
use serde_json::Value;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use timely_tools::process::{shown, target};

/// The longest programs begin first, so that none is left to run alone at the end.
const LONGEST: [&str; 6] = ["nic", "inline", "loops", "network_trace", "nics", "emission"];

/// A test program.
#[derive(Clone, Debug, PartialEq)]
pub struct Program {
    /// Name of the program, `package target`.
    pub name: String,
    path: PathBuf,
    // The package's folder, where tests expect to be run.
    folder: PathBuf,
    rank: usize,
}

/// The result of a program's run.
pub struct Ran {
    /// Name of the program.
    pub name: String,
    /// The program passed.
    pub passed: bool,
    /// Output of the program.
    pub text: String,
    /// How long it ran.
    pub time: Duration,
}

impl Program {
    // Reads a line of `cargo test --no-run --message-format=json`.
    fn read(line: &str) -> Option<Self> {
        let message: Value = serde_json::from_str(line).ok()?;
        if message["reason"] != "compiler-artifact" || message["profile"]["test"] != true {
            return None;
        }
        let path = PathBuf::from(message["executable"].as_str()?);
        let folder = PathBuf::from(message["manifest_path"].as_str()?).parent()?.to_path_buf();
        let target = message["target"]["name"].as_str()?;
        let package = message["package_id"].as_str()?.rsplit(['#', '/']).next()?.split('@').next()?.to_owned();
        let rank = LONGEST.iter().position(|l| *l == target).unwrap_or(LONGEST.len());
        Some(Program { name: format!("{package} {target}"), path, folder, rank })
    }

    // Where its output goes. A file, not a pipe: a pipe is open as long as anything that the
    // program started.
    fn log(&self) -> PathBuf {
        target().join("tests").join(format!("{}.log", self.name.replace(' ', "-")))
    }

    fn run(&self, limit: Duration, prepare: &(impl Fn(&mut Command) + Sync)) -> Result<Ran, String> {
        let mut c = Command::new(&self.path);
        prepare(&mut c);
        c.arg("--quiet").current_dir(&self.folder).env("CARGO_MANIFEST_DIR", &self.folder);
        let log = self.log();
        let failed = |e: std::io::Error| format!("{}: {e}", log.display());
        let file = std::fs::create_dir_all(target().join("tests")).and_then(|()| File::create(&log)).map_err(failed)?;
        let started = Instant::now();
        c.stdin(Stdio::null()).stdout(file.try_clone().map_err(failed)?).stderr(file);
        let mut child = c.spawn().map_err(|e| format!("{} did not start: {e}", shown(&c)))?;
        let status = ended(&mut child, limit).map_err(|e| format!("{}: {e}", self.name))?;
        let mut text = String::from_utf8_lossy(&std::fs::read(&log).map_err(failed)?).into_owned();
        if status.is_none() {
            text += &format!("\n{} had not ended after {} s and was killed; above is what it had said", self.name, limit.as_secs());
        }
        Ok(Ran { name: self.name.clone(), passed: status.is_some_and(|s| s.success()), text, time: started.elapsed() })
    }
}

/// Waits for it; kills what has not ended by then, and gives nothing.
fn ended(child: &mut Child, limit: Duration) -> std::io::Result<Option<ExitStatus>> {
    let started = Instant::now();
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        if started.elapsed() >= limit {
            child.kill()?;
            child.wait()?;
            return Ok(None);
        }
        std::thread::sleep(Duration::from_millis(10));
    }
}

// Builds by `build`, and reads of each thing that cargo built what `read` takes.
fn built<T>(mut build: Command, mut read: impl FnMut(&str) -> Option<T>) -> Result<Vec<T>, String> {
    let name = shown(&build);
    build.arg("--message-format=json-render-diagnostics");
    let mut child = build.stdout(Stdio::piped()).spawn().map_err(|e| format!("{name} did not start: {e}"))?;
    let mut all = Vec::new();
    for line in BufReader::new(child.stdout.take().ok_or("no output to read")?).lines() {
        all.extend(read(&line.map_err(|e| e.to_string())?));
    }
    let status = child.wait().map_err(|e| e.to_string())?;
    if status.success() { Ok(all) } else { Err(format!("{name} failed to build ({status})")) }
}

/// Builds test programs by `build`, a `cargo test` of some packages.
pub fn build(mut build: Command) -> Result<Vec<Program>, String> {
    build.arg("--no-run");
    let mut programs = built(build, Program::read)?;
    programs.sort_by_key(|p| p.rank);
    Ok(programs)
}

/// Builds a program by `build`, a `cargo build`, and says where it is.
pub fn executable(build: Command, name: &str) -> Result<PathBuf, String> {
    let found = built(build, |line| {
        let message: Value = serde_json::from_str(line).ok()?;
        let path = message["executable"].as_str()?;
        (message["target"]["name"] == name).then(|| PathBuf::from(path))
    })?;
    found.into_iter().next().ok_or(format!("cargo built no program {name}"))
}

/// Runs all of them, each with what `prepare` sets and for no longer than `limit`, and tells `done`
/// of each as it ends, one at a time.
pub fn run(
    programs: &[Program],
    limit: Duration,
    prepare: impl Fn(&mut Command) + Sync,
    mut done: impl FnMut(Ran) + Send,
) -> Result<(), String> {
    let next = AtomicUsize::new(0);
    let (done, failed) = (Mutex::new(&mut done), Mutex::new(None));
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..cores {
            scope.spawn(|| {
                while let Some(program) = programs.get(next.fetch_add(1, Ordering::Relaxed)) {
                    match program.run(limit, &prepare) {
                        Ok(ran) => done.lock().expect("whoever is told does not panic")(ran),
                        Err(e) => *failed.lock().expect("no thread panics here") = Some(e),
                    }
                }
            });
        }
    });
    failed.into_inner().expect("no thread panicked").map_or(Ok(()), Err)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_are_read_from_what_cargo_says() {
        let line = |test: bool, target: &str| {
            format!(
                r#"{{"reason":"compiler-artifact","package_id":"path+file:///x/tests#timely-tests@0.1.0","manifest_path":"/x/tests/Cargo.toml","target":{{"name":"{target}"}},"profile":{{"test":{test}}},"executable":"/x/target/{target}-1"}}"#
            )
        };
        let program = Program::read(&line(true, "nic")).expect("a test program");
        let (path, folder) = ("/x/target/nic-1".into(), "/x/tests".into());
        assert_eq!(program, Program { name: "timely-tests nic".into(), path, folder, rank: 0 });
        assert_eq!(Program::read(&line(true, "registers")).map(|p| p.rank), Some(LONGEST.len()));
        assert_eq!(Program::read(&line(false, "nic")), None);
        assert_eq!(Program::read("   Compiling timely-tests"), None);
    }

    fn program(name: &str, path: &str) -> Program {
        Program { name: name.into(), path: path.into(), folder: "/".into(), rank: 0 }
    }

    #[test]
    fn a_failing_program_is_told_of_and_the_rest_still_run() {
        let mut told = Vec::new();
        let all = [program("bad", "false"), program("good", "true"), program("good too", "true")];
        run(&all, Duration::from_secs(600), |_| (), |r| told.push((r.name, r.passed))).expect("all start");
        told.sort();
        assert_eq!(told, [("bad".to_owned(), false), ("good".to_owned(), true), ("good too".to_owned(), true)]);
        assert!(run(&[program("absent", "/nowhere/at/all")], Duration::ZERO, |_| (), |_| ()).is_err());
    }

    #[test]
    fn a_program_that_hangs_is_killed_and_told_of() {
        let prepare = |c: &mut Command| {
            c.args(["-f", "/dev/null"]);
        };
        let mut told = Vec::new();
        run(&[program("endless", "tail")], Duration::from_millis(100), prepare, |r| told.push(r)).expect("it starts");
        assert!(!told[0].passed && told[0].text.contains("endless had not ended"), "{}", told[0].text);
    }
}
