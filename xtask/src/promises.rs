//! `cargo xtask promises`: what users rely on, and the tests that hold it; writes docs/promises.md
//! from tests/promises.toml.
use clap::Args;
use serde::Deserialize;
use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::process::ExitCode;
use timely_tools::process::root;

const LIST: &str = "tests/promises.toml";
const PAGE: &str = "docs/promises.md";

/// Options of `promises`.
#[derive(Args)]
pub struct Promises {}

/// Tests of a promise, or why there are none.
#[derive(Deserialize)]
#[serde(untagged)]
enum Held {
    By(Vec<String>),
    Not(String),
}

/// A promise, and what holds it in each form of the NIC.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Promise {
    says: String,
    /// Expectation, and where it is from.
    expects: String,
    standalone: Held,
    inline: Held,
    roce: Held,
    corundum: Held,
    /// Tests of the Verilog.
    #[serde(default)]
    verilog: Vec<String>,
}

#[derive(Deserialize)]
struct List {
    promise: Vec<Promise>,
}

impl Promise {
    fn forms(&self) -> [(&'static str, &Held); 4] {
        [("standalone", &self.standalone), ("in line", &self.inline), ("in line, RoCEv2", &self.roce), ("Corundum", &self.corundum)]
    }
}

impl List {
    fn read(root: &Path) -> Result<Self, String> {
        let text = fs::read_to_string(root.join(LIST)).map_err(|e| format!("{LIST}: {e}"))?;
        toml::from_str(&text).map_err(|e| format!("{LIST}: {e}"))
    }

    /// Faults of the list: tests that are not there, forms without a reason.
    fn faults(&self, root: &Path) -> Vec<String> {
        let mut faults = Vec::new();
        for promise in &self.promise {
            let forms = promise.forms();
            let named = forms.iter().filter_map(|(_, held)| if let Held::By(tests) = held { Some(tests) } else { None });
            let missing = named.flatten().chain(&promise.verilog).filter(|test| !exists(root, test));
            faults.extend(missing.map(|test| format!("\"{}\": no test is {test}", promise.says)));
            for (form, held) in forms {
                let empty = match held {
                    Held::By(tests) => tests.is_empty(),
                    Held::Not(reason) => !reason.ends_with('.'),
                };
                if empty {
                    faults.push(format!("\"{}\", {form}: neither a test nor a sentence why there is none", promise.says));
                }
            }
        }
        faults
    }

    fn page(&self) -> String {
        let mut page = String::from(
            "# What users rely on\n\nLockstep makes the Verilog equal to its model, and cannot see a model that is wrong. The tests below close the loop: whole NICs in a network \
             or on a bench, whose expectations come from arithmetic, papers or the wire. Networks are of model NICs, which are equal to the Verilog clock by clock; \
             tests under `tests/tests/nic` run the Verilog of the standalone NIC or of a shell. `cargo xtask test` runs each \
             form at one speed and one number of flows, and `cargo xtask soak` what is marked so, and 10, 25 and 100 Gb/s and all numbers of flows where the \
             figure depends on them. `cargo xtask promises` writes this page from tests/promises.toml.\n\n| promise |",
        );
        let forms = self.promise.first().map(Promise::forms).into_iter().flatten().map(|(form, _)| form);
        forms.clone().for_each(|form| _ = write!(page, " {form} |"));
        page += "\n|---|";
        forms.for_each(|_| page += "---|");
        for (number, promise) in (1..).zip(&self.promise) {
            _ = write!(page, "\n| [{number}. {}](#{number}) |", promise.says);
            for (_, held) in promise.forms() {
                page += match held {
                    Held::By(_) => " yes |",
                    Held::Not(_) => " - |",
                };
            }
        }
        page += "\n";
        for (number, promise) in (1..).zip(&self.promise) {
            _ = write!(page, "\n## {number}\n{}. Expected: {}.\n\n", promise.says, promise.expects);
            for (form, held) in promise.forms() {
                match held {
                    Held::By(tests) => _ = writeln!(page, "- {form}: {}", shown(tests)),
                    Held::Not(reason) => _ = writeln!(page, "- {form}: no test. {reason}"),
                }
            }
            if !promise.verilog.is_empty() {
                _ = writeln!(page, "- Verilog: {}", shown(&promise.verilog));
            }
        }
        page
    }
}

/// The mark behind a test that only the soak runs.
const SOAK: &str = " soak";

/// There is such a test: a file and the name of a test in it.
fn exists(root: &Path, test: &str) -> bool {
    let Some((file, name)) = test.trim_end_matches(SOAK).split_once(' ') else { return false };
    let Ok(text) = fs::read_to_string(root.join(file)) else { return false };
    text.split("#[test]").skip(1).any(|t| t.trim_start().strip_prefix("fn ").is_some_and(|t| t.starts_with(&format!("{name}("))))
}

/// Tests as links to their files.
fn shown(tests: &[String]) -> String {
    let link = |test: &String| {
        let (file, name) = test.trim_end_matches(SOAK).split_once(' ').unwrap_or(("", test));
        format!("[`{name}`](../{file}){}", if test.ends_with(SOAK) { " (soak)" } else { "" })
    };
    tests.iter().map(link).collect::<Vec<_>>().join(", ")
}

impl Promises {
    /// Writes the page.
    ///
    /// # Errors
    /// The list cannot be read or names a test that is not there; the sentences say which.
    pub fn run(self) -> Result<ExitCode, String> {
        let list = List::read(&root())?;
        let faults = list.faults(&root());
        if !faults.is_empty() {
            return Err(format!("{LIST}: {}", faults.join("\n  ")));
        }
        fs::write(root().join(PAGE), list.page()).map_err(|e| format!("{PAGE}: {e}"))?;
        println!("{PAGE}: {} promises", list.promise.len());
        Ok(ExitCode::SUCCESS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_shows_the_list_and_its_tests_exist() {
        let list = List::read(&root()).expect("a list");
        assert_eq!(list.faults(&root()), Vec::<String>::new());
        assert_eq!(fs::read_to_string(root().join(PAGE)).expect("a page"), list.page(), "run `cargo xtask promises`");
    }

    #[test]
    fn a_test_that_is_gone_is_told() {
        let mut list = List::read(&root()).expect("a list");
        list.promise.truncate(1);
        list.promise[0].standalone = Held::By(vec!["sim/tests/loops/feedback.rs no_such_test".into()]);
        list.promise[0].inline = Held::Not(String::new());
        let faults = list.faults(&root());
        assert_eq!(faults.len(), 2, "{faults:?}");
        assert!(faults[0].ends_with("no test is sim/tests/loops/feedback.rs no_such_test"), "{faults:?}");
    }
}
