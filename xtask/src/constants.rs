//! `cargo xtask constants`: constants that figures rest on, each changed by about a tenth, and
//! whether its test notices.
use clap::Args;
use serde::Deserialize;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use timely_tools::process::{quiet, root, target};
use timely_tools::setup::{self, Tools};

/// The list.
const LIST: &str = "sim/constants.toml";

/// Options of `constants`.
#[derive(Args, Default)]
pub struct Constants {
    /// Only constants whose names contain this; without it, all.
    name: Option<String>,
}

/// A constant and the test that must notice its change.
#[derive(Deserialize)]
struct Row {
    /// Name of the constant, with its value.
    name: String,
    file: PathBuf,
    /// Text of the constant, once in the file, and the text that replaces it.
    from: String,
    to: String,
    /// A program of `sim/tests`, and a test in it with its module.
    test: String,
}

#[derive(Deserialize)]
struct List {
    constant: Vec<Row>,
}

fn rows() -> Result<Vec<Row>, String> {
    let text = fs::read_to_string(root().join(LIST)).map_err(|e| format!("{LIST}: {e}"))?;
    toml::from_str::<List>(&text).map(|l| l.constant).map_err(|e| format!("{LIST}: {e}"))
}

impl Row {
    /// The file's text with the other value.
    fn changed(&self, root: &Path) -> Result<String, String> {
        let file = self.file.display();
        let text = fs::read_to_string(root.join(&self.file)).map_err(|e| format!("{file}: {e}"))?;
        match text.matches(&self.from).count() {
            1 => Ok(text.replacen(&self.from, &self.to, 1)),
            n => Err(format!("{file}: `{}` of \"{}\" stands there {n} times; mend {LIST}", self.from, self.name)),
        }
    }

    fn test(&self) -> Result<(&str, &str), String> {
        self.test.split_once(' ').ok_or_else(|| format!("{LIST}: test of \"{}\" is {}; a program and a test", self.name, self.test))
    }
}

/// A copy of what git knows of the workspace, with the texts that are here.
fn copy(to: &Path) -> Result<(), String> {
    let mut list = Command::new("git");
    list.args(["ls-files", "-z"]).current_dir(root());
    let failed = |path: &Path, e: std::io::Error| format!("{}: {e}", path.display());
    for name in quiet(list)?.split('\0').filter(|n| !n.is_empty()) {
        let (from, to) = (root().join(name), to.join(name));
        let Ok(bytes) = fs::read(&from) else { continue };
        // A file that is as it was is not compiled again.
        if fs::read(&to).is_ok_and(|there| there == bytes) {
            continue;
        }
        to.parent().map_or(Ok(()), fs::create_dir_all).map_err(|e| failed(&to, e))?;
        fs::write(&to, bytes).map_err(|e| failed(&to, e))?;
    }
    Ok(())
}

/// The result of a constant's change.
enum Noticed {
    Yes,
    No,
    /// The program was not made, or the test is not there.
    Broken(String),
}

/// The result of the row's test in this tree, as it is.
fn tested(row: &Row, tree: &Path, tools: &Tools) -> Result<Noticed, String> {
    let (program, test) = row.test()?;
    let mut c = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    c.args(["test", "--quiet", "--package", "timely-sim", "--test", program, "--", "--exact", test]);
    c.current_dir(tree).env("CARGO_TARGET_DIR", target().join("constants/target"));
    tools.prepare(&mut c);
    let out = c.output().map_err(|e| format!("cargo did not start: {e}"))?;
    let text = String::from_utf8_lossy(&out.stdout).into_owned();
    Ok(match (out.status.success(), text.contains("1 failed"), text.contains("1 passed")) {
        (false, true, _) => Noticed::Yes,
        (true, _, true) => Noticed::No,
        _ => Noticed::Broken(format!("{text}{}", String::from_utf8_lossy(&out.stderr))),
    })
}

/// The result of the row's test with the changed constant.
fn run(row: &Row, tree: &Path, tools: &Tools) -> Result<Noticed, String> {
    let file = tree.join(&row.file);
    let changed = row.changed(tree)?;
    let before = fs::read(&file).map_err(|e| format!("{}: {e}", file.display()))?;
    let write = |bytes: &[u8]| fs::write(&file, bytes).map_err(|e| format!("{}: {e}", file.display()));
    write(changed.as_bytes())?;
    let said = tested(row, tree, tools);
    write(&before)?;
    said
}

impl Constants {
    /// All constants of the command line.
    ///
    /// # Errors
    /// A test that does not notice, or that could not be run.
    pub fn run(self) -> Result<ExitCode, String> {
        let tools = setup::tools(setup::For::Testing)?;
        let mut chosen = rows()?;
        if let Some(name) = &self.name {
            chosen.retain(|r| r.name.contains(name.as_str()));
        }
        if chosen.is_empty() {
            return Err(format!(
                "no constant of {LIST} has {} in its name; they are: {}",
                self.name.as_deref().unwrap_or_default(),
                rows()?.iter().map(|r| format!("\n  {}", r.name)).collect::<String>()
            ));
        }
        let tree = target().join("constants/tree");
        copy(&tree)?;
        // A test that fails without any change notices nothing.
        let mut passed: Vec<&str> = Vec::new();
        for row in &chosen {
            if !passed.contains(&row.test.as_str()) {
                if !matches!(tested(row, &tree, &tools)?, Noticed::No) {
                    return Err(format!("{} does not pass as the texts are", row.test));
                }
                passed.push(&row.test);
            }
        }
        let mut unnoticed = Vec::new();
        for (i, row) in chosen.iter().enumerate() {
            let noticed = run(row, &tree, &tools)?;
            let what = match &noticed {
                Noticed::Yes => "noticed",
                Noticed::No => "NOT NOTICED",
                Noticed::Broken(_) => "BROKEN",
            };
            println!("{:3} of {}  {what:11}  {}: {} of sim/tests", i + 1, chosen.len(), row.name, row.test);
            match noticed {
                Noticed::Yes => {}
                Noticed::No => unnoticed.push(row.name.clone()),
                Noticed::Broken(text) => return Err(format!("{}: {text}", row.name)),
            }
        }
        if unnoticed.is_empty() { Ok(ExitCode::SUCCESS) } else { Err(format!("no test noticed: {}", unnoticed.join("; "))) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Twenty at least, each of which stands in its file once and has a test that is there.
    #[test]
    fn the_list_fits_the_texts() {
        let rows = rows().expect("the list");
        assert!(rows.len() >= 20, "{}", rows.len());
        for row in &rows {
            assert!(
                row.changed(&root()).expect("its text") != fs::read_to_string(root().join(&row.file)).expect("its file"),
                "{}",
                row.name
            );
            let (program, test) = row.test().expect("a program and a test");
            let (module, test) = test.split_once("::").unwrap_or(("main", test));
            let file = root().join("sim/tests").join(program).join(format!("{module}.rs"));
            let text = fs::read_to_string(file).unwrap_or_else(|e| panic!("{}: {program} {module}: {e}", row.name));
            assert!(text.contains(&format!("fn {test}()")), "{}: no test {test}", row.name);
        }
    }
}
