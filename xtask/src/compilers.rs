//! The compiler of the workspace's own crates, in the place of rustc: one that lints and documents
//! what it compiles, and one that counts for the fuzzer. Dependencies are those of every build.
//!
//! Cargo calls `RUSTC_WORKSPACE_WRAPPER` with rustc's path and arguments, and keeps what each
//! wrapper made apart. The wrapper is this program under another name. So no dependency is compiled
//! a second time for lints, documentation or the fuzzer, and little of the workspace for lints
//! alone.
use std::ffi::{OsStr, OsString};
use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use timely_tools::process::{quiet, target, version};

/// A compiler in the place of rustc.
#[derive(Clone, Copy, PartialEq)]
pub enum Compiler {
    /// Clippy, which compiles too, then rustdoc. A warning of either is an error.
    Checking,
    /// Rustc with the counters that libFuzzer follows.
    Counting,
}

/// Compiler options for all that libFuzzer follows: counters of edges, and compared values.
const COUNTERS: [&str; 7] = [
    "-Cpasses=sancov-module",
    "-Cllvm-args=-sanitizer-coverage-level=4",
    "-Cllvm-args=-sanitizer-coverage-inline-8bit-counters",
    "-Cllvm-args=-sanitizer-coverage-pc-table",
    "-Cllvm-args=-sanitizer-coverage-trace-compares",
    // Behind what the profile says: each overflow is to be found, and compilation is to end soon.
    "-Coverflow-checks=on",
    "-Ccodegen-units=16",
];

/// How `cargo clippy -- -D warnings` tells clippy.
const CLIPPY: &str = "CLIPPY_ARGS";
const DENIED: &str = "-D__CLIPPY_HACKERY__warnings__CLIPPY_HACKERY__";

/// With counters, optimisation makes the compilation of this crate several times as long.
const TOO_LONG: &str = "timely_sim";

/// Crates with unsafe code, which rustc itself compiles: clippy takes its checks of pointers out.
const UNSAFE: [&str; 3] = ["timely_driver", "timely_verilate", "timely_xdp"];

/// Arguments that rustdoc needs too: those with a value behind them, and those that contain it.
const WITH_VALUE: [&str; 7] = ["--crate-name", "--cfg", "--check-cfg", "--extern", "-L", "--crate-type", "--target"];
const WITHIN: [&str; 3] = ["--edition=", "--cfg=", "--target="];

impl Compiler {
    fn name(self) -> &'static str {
        match self {
            Compiler::Checking => "checking-rustc",
            Compiler::Counting => "counting-rustc",
        }
    }

    /// The compiler as which this program was started, and rustc's path and arguments.
    pub fn started(mut arguments: impl Iterator<Item = OsString>) -> Option<(Self, Vec<OsString>)> {
        let name = PathBuf::from(arguments.next()?);
        let this = [Compiler::Checking, Compiler::Counting].into_iter().find(|c| name.file_name() == Some(OsStr::new(c.name())))?;
        Some((this, arguments.collect()))
    }

    /// Has a cargo command, and each one that it starts, compile the workspace by this compiler.
    ///
    /// # Errors
    /// There is no clippy or rustdoc, or the name cannot be written below `target`.
    pub fn prepare(self, c: &mut Command) -> Result<(), String> {
        if self == Compiler::Checking {
            for tool in ["clippy-driver", "rustdoc"] {
                version(beside_rustc(OsStr::new("rustc"), tool)?, "-V").ok_or(format!("there is no {tool}; {INSTALLS}"))?;
            }
        }
        let path = target().join("compilers").join(self.name());
        // A copy: a build of the workspace replaces this program's own file.
        let own = std::fs::read("/proc/self/exe").map_err(|e| format!("/proc/self/exe: {e}"))?;
        if std::fs::read(&path).ok().as_ref() != Some(&own) {
            let failed = |e: std::io::Error| format!("{}: {e}", path.display());
            let new = path.with_extension(std::process::id().to_string());
            std::fs::create_dir_all(target().join("compilers")).and_then(|()| std::fs::write(&new, own)).map_err(failed)?;
            std::fs::set_permissions(&new, Permissions::from_mode(0o755)).and_then(|()| std::fs::rename(&new, &path)).map_err(failed)?;
        }
        c.env("RUSTC_WORKSPACE_WRAPPER", &path);
        if self == Compiler::Checking {
            // Cargo compiles anew what was compiled with another value of it.
            c.env(CLIPPY, DENIED);
        }
        Ok(())
    }

    /// Compiles, as cargo asks.
    pub fn compile(self, call: &[OsString]) -> ExitCode {
        let done = match (self, call.split_first()) {
            (_, None) => Err("cargo gives the path of rustc first".into()),
            // Questions about rustc.
            (_, Some((rustc, arguments))) if !arguments.iter().any(is_source) => run(Command::new(rustc).args(arguments)),
            (Compiler::Counting, Some((rustc, arguments))) => {
                let level = if arguments.iter().any(|a| a == TOO_LONG) { "-Copt-level=0" } else { "-Copt-level=1" };
                run(Command::new(rustc).args(arguments).args(COUNTERS).arg(level))
            }
            (Compiler::Checking, Some((rustc, arguments))) => check(rustc, arguments, Stdio::inherit),
        };
        done.map(ExitCode::from).unwrap_or_else(|e| {
            eprintln!("error: {e}");
            ExitCode::FAILURE
        })
    }
}

/// The end of a missing tool's message.
const INSTALLS: &str = "`rustup component add clippy` installs it";

// The exit code.
fn run(c: &mut Command) -> Result<u8, String> {
    let status = c.status().map_err(|e| format!("{}: {e}; {INSTALLS}", c.get_program().display()))?;
    Ok(status.code().and_then(|c| u8::try_from(c).ok()).unwrap_or(1))
}

// A tool of rustc's toolchain; that of the path where it is a package of its own.
fn beside_rustc(rustc: &OsStr, tool: &str) -> Result<PathBuf, String> {
    let mut print = Command::new(rustc);
    print.args(["--print", "sysroot"]);
    let path = PathBuf::from(quiet(print)?.trim()).join("bin").join(tool);
    Ok(if path.exists() { path } else { tool.into() })
}

fn is_source(argument: &OsString) -> bool {
    Path::new(argument).extension() == Some(OsStr::new("rs"))
}

// Lints, compiles and documents: a library, and a program that is none of tests.
fn check(rustc: &OsStr, arguments: &[OsString], messages: impl Fn() -> Stdio) -> Result<u8, String> {
    let has = |argument: &str| arguments.iter().any(|a| a == argument);
    let optimized = arguments.iter().any(|a| a.to_string_lossy().starts_with("opt-level="));
    let apart = optimized || UNSAFE.iter().any(|name| has(name));
    let folder = target().join("checked");
    let mut clippy = Command::new(beside_rustc(rustc, "clippy-driver")?);
    clippy.arg(rustc).env(CLIPPY, DENIED).stderr(messages());
    if apart {
        clippy.args(of_lints(arguments)).arg("--emit=metadata").arg("--out-dir").arg(folder.join("lints"));
    } else {
        clippy.args(arguments);
    }
    let mut code = run(&mut clippy)?;
    if code == 0 && apart {
        code = run(Command::new(rustc).args(arguments).stderr(messages()))?;
    }
    let (program, library) = (has("bin"), has("lib"));
    if code != 0 || has("--test") || !(program || library) || shadows(arguments) {
        return Ok(code);
    }
    let mut rustdoc = Command::new(beside_rustc(rustc, "rustdoc")?);
    rustdoc.args(of_rustdoc(arguments)).args(["-D", "warnings"]).stderr(messages());
    if program {
        // As cargo has it: nearly all of a program is private.
        rustdoc.args(["--document-private-items", "-A", "rustdoc::private-intra-doc-links"]);
    }
    run(rustdoc.arg("-o").arg(folder.join("doc")))
}

// A program with the name of its library: cargo documents the library alone.
fn shadows(arguments: &[OsString]) -> bool {
    let name = arguments.iter().skip_while(|a| *a != "--crate-name").nth(1).map(|n| format!("{}=", n.to_string_lossy()));
    name.is_some_and(|name| arguments.iter().any(|a| a.to_string_lossy().starts_with(&name)))
}

// Rustc's arguments without those that say what it writes, and where. That its metadata are written
// is told to cargo by rustc alone.
fn of_lints(arguments: &[OsString]) -> Vec<OsString> {
    let mut kept = Vec::new();
    let mut all = arguments.iter();
    while let Some(a) = all.next() {
        let text = a.to_string_lossy();
        if text == "--out-dir" {
            all.next();
        } else if text.starts_with("--json=") {
            kept.push(text.replace("artifacts,", "").into());
        } else if !text.starts_with("--emit=") {
            kept.push(a.clone());
        }
    }
    kept
}

// Those of rustc's arguments that say what the crate is.
fn of_rustdoc(arguments: &[OsString]) -> Vec<&OsString> {
    let mut kept = Vec::new();
    let mut all = arguments.iter();
    while let Some(a) = all.next() {
        if WITH_VALUE.iter().any(|w| a == w) {
            kept.push(a);
            kept.extend(all.next());
        } else if is_source(a) || WITHIN.iter().any(|w| a.to_string_lossy().starts_with(w)) {
            kept.push(a);
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;
    use timely_tools::process::root;

    fn words(line: &str) -> Vec<OsString> {
        line.split(' ').map(OsString::from).collect()
    }

    #[test]
    fn a_name_says_which_compiler_it_is() {
        let started = |line: &str| Compiler::started(words(line).into_iter());
        assert!(started("/x/target/debug/xtask test").is_none());
        assert!(started("/x/checking-rustc rustc -vV") == Some((Compiler::Checking, words("rustc -vV"))));
        assert!(started("counting-rustc rustc") == Some((Compiler::Counting, words("rustc"))));
    }

    #[test]
    fn rustdoc_gets_what_says_what_the_crate_is() {
        let all = "--crate-name a --edition=2024 src/lib.rs --error-format=json --crate-type lib -C opt-level=1 -L dependency=d --extern b=b.rmeta --test";
        let kept: Vec<OsString> = of_rustdoc(&words(all)).into_iter().cloned().collect();
        assert_eq!(kept, words("--crate-name a --edition=2024 src/lib.rs --crate-type lib -L dependency=d --extern b=b.rmeta"));
    }

    /// A block of unsafe code stands in those crates alone that rustc compiles.
    #[test]
    fn rustc_compiles_what_is_unsafe() {
        let mut files = vec![];
        let mut folders: Vec<PathBuf> = ["driver", "hw", "sim", "tests", "xtask"].map(|f| root().join(f)).into();
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(&folder).expect("a folder").map(|e| e.expect("an entry").path()) {
                if entry.is_dir() { folders.push(entry) } else { files.push(entry) }
            }
        }
        let block = ["unsafe", " {"].concat();
        let is_unsafe = |f: &PathBuf| is_source(&f.into()) && std::fs::read_to_string(f).expect("text").contains(&block);
        let crates: BTreeSet<String> = files
            .iter()
            .filter(|f| is_unsafe(f))
            .map(|f| {
                let manifest = f.ancestors().map(|a| a.join("Cargo.toml")).find(|m| m.exists()).expect("a package");
                let text = std::fs::read_to_string(manifest).expect("text");
                let name = text.lines().find_map(|l| l.strip_prefix("name = \"")).expect("its name");
                name.trim_end_matches('"').replace('-', "_")
            })
            .collect();
        assert_eq!(crates, UNSAFE.map(String::from).into());
    }

    #[test]
    fn a_program_shadows_its_library() {
        assert!(shadows(&words("--crate-name a src/main.rs --extern ab=x --extern a=liba.rlib")));
        assert!(!shadows(&words("--crate-name a src/main.rs --extern ab=x")));
    }

    #[test]
    fn lints_write_nothing_that_cargo_reads() {
        let all = "src/lib.rs --json=diagnostic-rendered-ansi,artifacts,future-incompat --emit=dep-info,metadata,link --out-dir deps -C metadata=1";
        assert_eq!(of_lints(&words(all)), words("src/lib.rs --json=diagnostic-rendered-ansi,future-incompat -C metadata=1"));
    }

    /// A warning of rustc, of clippy and of rustdoc is an error each, in a library, in a program,
    /// and in what is linted apart; a crate without one passes.
    #[test]
    fn each_warning_is_an_error() {
        let folder = target().join("tests/compilers");
        std::fs::create_dir_all(&folder).expect("a folder below target");
        let compiles = |name: &str, options: &str, text: &str| {
            let path = folder.join(name).with_extension("rs");
            std::fs::write(&path, text).expect("a file in it");
            let line =
                format!("--crate-name {name} --edition=2024 {} {options} --emit=metadata --out-dir {}", path.display(), folder.display());
            check(OsStr::new("rustc"), &words(&line), Stdio::null).expect("the tools run") == 0
        };
        for (kind, options) in
            [("library", "--crate-type lib"), ("program", "--crate-type bin"), ("apart", "--crate-type lib -C opt-level=1")]
        {
            let end = if kind == "program" { "fn main() { a(); }\n" } else { "" };
            let visible = if kind == "program" { "" } else { "pub " };
            let one = |doc: &str, body: &str| format!("//! {kind}.\n/// {doc}\n{visible}fn a() -> u8 {{\n    {body}\n}}\n{end}");
            assert!(compiles(&format!("{kind}_clean"), options, &one("One.", "1")), "{kind}");
            assert!(!compiles(&format!("{kind}_rustc"), options, &(one("One.", "1") + "fn unused() {}\n")), "{kind}");
            assert!(!compiles(&format!("{kind}_clippy"), options, &one("One.", "return 1;")), "{kind}");
            assert!(!compiles(&format!("{kind}_rustdoc"), options, &one("See [`nowhere`].", "1")), "{kind}");
        }
    }
}
