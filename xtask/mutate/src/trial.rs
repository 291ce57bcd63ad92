//! Runs the tests of a block with one fault, and keeps what came of it, so that a run that was cut
//! goes on.
use super::table::Row;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;
use timely_tools::hash::hash;
use timely_tools::process::{cargo, root};
use timely_tools::setup::Tools;

/// The result of a fault's trial.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// A test failed.
    Killed,
    /// The tests did not end in time.
    Hung,
    /// All passed.
    Survived,
    /// All passed, and the fault is proven to change nothing.
    Equal,
}

const NAMES: [(Verdict, &str); 4] =
    [(Verdict::Killed, "killed"), (Verdict::Hung, "hung"), (Verdict::Survived, "survived"), (Verdict::Equal, "equal")];

/// The test program of a block.
pub struct Program<'a> {
    row: &'a Row,
    file: PathBuf,
    tools: &'a Tools,
    /// Tells it from what it was before a change.
    pub hash: String,
}

/// Builds the programs of these rows; gives them by name.
///
/// # Errors
/// The programs do not compile.
pub fn build(rows: &[&Row], tools: &Tools) -> Result<BTreeMap<String, PathBuf>, String> {
    let mut c = cargo(&["test", "--quiet", "--package", "timely-tests", "--no-run", "--message-format=json-render-diagnostics"]);
    for row in rows {
        c.args(["--test", row.program]);
    }
    tools.prepare(&mut c);
    let out = c.stdin(Stdio::null()).stderr(Stdio::inherit()).output().map_err(|e| format!("cargo did not start: {e}"))?;
    if !out.status.success() {
        return Err("the tests do not compile; see above".into());
    }
    let artifact = |line: &str| {
        let v: Value = serde_json::from_str(line).ok()?;
        Some((v["target"]["name"].as_str()?.to_owned(), PathBuf::from(v["executable"].as_str()?)))
    };
    Ok(String::from_utf8_lossy(&out.stdout).lines().filter_map(artifact).collect())
}

impl<'a> Program<'a> {
    /// Of this row, built as `file`.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn new(row: &'a Row, file: PathBuf, tools: &'a Tools) -> Result<Self, String> {
        let bytes = fs::read(&file).map_err(|e| format!("{}: {e}", file.display()))?;
        let asked = ["TIMELY_CYCLES", "TIMELY_SEED"].map(|v| std::env::var(v).unwrap_or_default());
        let hash = hash(&[&bytes[..], asked.join(" ").as_bytes(), row.tests.join(" ").as_bytes()]);
        Ok(Program { row, file, tools, hash })
    }

    /// Runs the tests with a variable that names a folder. Output is kept in `log`.
    ///
    /// # Errors
    /// A test failed, or is none of the program's.
    pub fn covered(&self, variable: &str, folder: &Path, log: &Path) -> Result<(), String> {
        for test in self.row.tests {
            let output = File::create(log).map_err(|e| format!("{}: {e}", log.display()))?;
            let errors = output.try_clone().map_err(|e| format!("{}: {e}", log.display()))?;
            let mut c = Command::new(&self.file);
            // Where cargo runs tests.
            c.args(["--exact", test])
                .current_dir(root().join("tests"))
                .env(variable, folder)
                .env(format!("{variable}_OF"), self.row.texts.join(","));
            self.tools.prepare(&mut c);
            let status = c.stdin(Stdio::null()).stdout(output).stderr(errors).status();
            let status = status.map_err(|e| format!("{} did not start: {e}", self.file.display()))?;
            if !status.success() || !fs::read_to_string(log).is_ok_and(|t| t.contains("1 passed")) {
                return Err(format!("{}: {test} did not pass; see {}", self.row.block, log.display()));
            }
        }
        Ok(())
    }

    /// Runs the tests with fault `number` of the texts in `folder`, for `seconds` at most each;
    /// gives the verdict and the seconds taken. Output is kept in `log`.
    ///
    /// # Errors
    /// The program did not start.
    pub fn run(&self, folder: &Path, number: usize, seconds: u64, log: &Path) -> Result<(Verdict, f64), String> {
        let started = Instant::now();
        for test in self.row.tests {
            let output = File::create(log).map_err(|e| format!("{}: {e}", log.display()))?;
            let errors = output.try_clone().map_err(|e| format!("{}: {e}", log.display()))?;
            let mut c = Command::new("nice");
            c.args(["-n", "10", "timeout", "-k", "5", &seconds.to_string()]).arg(&self.file).args(["--exact", test]);
            // Where cargo runs tests.
            c.current_dir(root().join("tests")).env("TIMELY_MUTANTS", folder).env("TIMELY_MUTANT", number.to_string());
            self.tools.prepare(&mut c);
            let status = c.stdin(Stdio::null()).stdout(output).stderr(errors).status();
            let status = status.map_err(|e| format!("nice or timeout (coreutils) did not start: {e}"))?;
            match status.code() {
                Some(0) => {
                    // A filter that fits no test passes, too.
                    if !fs::read_to_string(log).is_ok_and(|t| t.contains("1 passed")) {
                        return Err(format!("{} has no test {test}", self.row.program));
                    }
                }
                Some(124 | 137) => return Ok((Verdict::Hung, started.elapsed().as_secs_f64())),
                Some(125..=127) => return Err(format!("{} did not start; see {}", self.file.display(), log.display())),
                _ => return Ok((Verdict::Killed, started.elapsed().as_secs_f64())),
            }
        }
        Ok((Verdict::Survived, started.elapsed().as_secs_f64()))
    }
}

/// Verdicts that are known, in a file of their own.
pub struct Known {
    file: PathBuf,
    verdicts: BTreeMap<usize, Verdict>,
}

impl Known {
    /// Reads what is known.
    pub fn load(file: PathBuf) -> Self {
        let line = |l: &str| {
            let (number, word) = l.split_once(' ')?;
            Some((number.parse().ok()?, NAMES.iter().find(|n| n.1 == word)?.0))
        };
        let verdicts = fs::read_to_string(&file).unwrap_or_default().lines().filter_map(line).collect();
        Known { file, verdicts }
    }

    /// The verdict on a fault, from here or from `run`.
    ///
    /// # Errors
    /// The errors of `run`; or the file cannot be written.
    pub fn verdict(&mut self, number: usize, run: impl FnOnce() -> Result<Verdict, String>) -> Result<Verdict, String> {
        if let Some(verdict) = self.verdicts.get(&number) {
            return Ok(*verdict);
        }
        let verdict = run()?;
        let name = NAMES.iter().find(|n| n.0 == verdict).map_or("", |n| n.1);
        let written = OpenOptions::new().create(true).append(true).open(&self.file).and_then(|mut f| writeln!(f, "{number} {name}"));
        written.map_err(|e| format!("{}: {e}", self.file.display()))?;
        self.verdicts.insert(number, verdict);
        Ok(verdict)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_known_is_not_run_again() {
        let file = timely_tools::process::target().join(format!("known-verdicts-{}", std::process::id()));
        let mut known = Known::load(file.clone());
        assert_eq!(known.verdict(3, || Ok(Verdict::Hung)), Ok(Verdict::Hung));
        assert_eq!(known.verdict(4, || Ok(Verdict::Survived)), Ok(Verdict::Survived));
        let mut known = Known::load(file.clone());
        assert_eq!(known.verdict(3, || Err("run again".into())), Ok(Verdict::Hung));
        assert_eq!(known.verdict(5, || Ok(Verdict::Killed)), Ok(Verdict::Killed));
        fs::remove_file(file).expect("the file");
    }
}
