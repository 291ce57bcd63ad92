//! `cargo xtask pacing-vm`: software pacers on Debian's kernel in a virtual machine whose clock is
//! its instructions, beside the pacer's Verilog on this machine. What the guest measures depends on
//! its image alone, whatever else the host does.
mod checks;
mod guest;

use crate::vm::kernel::Machine;
use crate::vm::{NOT_RUN, Running};
use checks::Check;
use guest::{Extent, MARK, Run};
use serde::Serialize;
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use timely_tools::process::{cargo, quiet, run, target};
use timely_tools::setup;

/// How much later each start phase begins than the one before, us: no part of the kernel's tick of
/// 4 ms.
const PHASE_US: u64 = 1_370;
/// Exit code of a figure that misses its limit.
const MISSED: u8 = 3;
/// How often the guest's log is looked at.
const LOOK: Duration = Duration::from_millis(200);

/// Software pacers in a virtual machine that counts instructions.
#[derive(clap::Args)]
pub struct PacingVm {
    /// A few loads for moments: the limits are checked, and nothing else is a figure.
    #[arg(long)]
    quick: bool,
    /// Three of the loads in the first start phase too, as in all others.
    #[arg(long, conflicts_with = "quick")]
    few: bool,
    /// Start phases: the range of their tails is in the report.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..=100))]
    phases: u64,
    /// Once more, with a second task on the guest's processor.
    #[arg(long)]
    busy: bool,
    /// Figures of a machine of K instructions a ns: loads run at 1/K of their rates, and times are
    /// divided by K; 1 to 100. Limits are those of K = 1.
    #[arg(long, value_name = "K", default_value_t = 1.0, value_parser = scale)]
    scale: f64,
    /// Guests that run at a time, each on a core of this machine: what they measure is the same.
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u8).range(1..=16))]
    jobs: u8,
    /// Measures the last phase again while this machine is kept busy: all stamps must be equal.
    #[arg(long)]
    twice: bool,
    /// Prints JSON to stdout in place of text.
    #[arg(long)]
    json: bool,
    /// Folder for the report; by default target/pacing-vm.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Seconds that a guest may take.
    #[arg(long, default_value_t = 3600, value_parser = clap::value_parser!(u64).range(1..=86_400))]
    limit: u64,
    /// Prints what the guest's kernel says too.
    #[arg(long)]
    verbose: bool,
    /// Unpacks nothing, and ends with 4 unless QEMU and a kernel are unpacked.
    #[arg(long)]
    if_unpacked: bool,
}

fn scale(s: &str) -> Result<f64, String> {
    let k = s.parse().ok().filter(|k| (1.0..=100.0).contains(k));
    k.ok_or_else(|| format!("{s} is no scale; allowed: 1 to 100 instructions a ns, such as 4"))
}

/// A guest that ended.
#[derive(Debug, Serialize)]
struct Guest {
    phase_us: u64,
    busy: bool,
    arrivals: u64,
    hash: String,
    seconds: f64,
}

/// The output for programs.
#[derive(Debug, Serialize)]
struct Said {
    kernel_sha256: String,
    initrd_sha256: String,
    guests: Vec<Guest>,
    /// Whether a phase had equal stamps when it was measured again; missing where that was not
    /// asked for.
    repeated: Option<bool>,
    checks: Vec<Check>,
    /// Rows without packets and without a reason.
    silent: Vec<String>,
    report: PathBuf,
}

/// Threads that compute: what makes this machine's load another one.
struct Load(&'static AtomicBool);

impl Load {
    fn new() -> Self {
        static OVER: AtomicBool = AtomicBool::new(false);
        OVER.store(false, Ordering::Relaxed);
        for _ in 0..2 {
            std::thread::spawn(|| {
                while !OVER.load(Ordering::Relaxed) {
                    std::hint::spin_loop();
                }
            });
        }
        Load(&OVER)
    }
}

impl Drop for Load {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

fn sha256(file: &Path) -> Result<String, String> {
    let mut c = Command::new("sha256sum");
    c.arg(file);
    Ok(quiet(c)?.split(' ').next().unwrap_or_default().to_owned())
}

impl PacingVm {
    // Runs a guest to its end; its results are in the file.
    fn guest(&self, tree: &Machine, initrd: &Path, how: &Run, results: &Path) -> Result<Guest, String> {
        let (started, log) = (Instant::now(), results.with_extension("log"));
        for file in [&log, results] {
            let _ = fs::remove_file(file);
        }
        let child = guest::qemu(tree, initrd, how, &log, results)?.spawn().map_err(|e| format!("QEMU did not start: {e}"))?;
        let mut machine = Running(child);
        let (mut seen, mut passed) = (0, None);
        loop {
            let over = machine.0.try_wait().map_err(|e| format!("QEMU: {e}"))?.is_some();
            let text = fs::read(&log).map(|b| String::from_utf8_lossy(&b).into_owned()).unwrap_or_default();
            let whole = text.rfind('\n').map_or(0, |at| at + 1);
            for line in text.get(seen..whole).unwrap_or_default().lines().map(str::trim_end) {
                match line.split_once(MARK) {
                    Some((_, "passed")) => passed = Some(true),
                    Some((_, "failed")) => passed = Some(false),
                    Some((_, said)) => eprintln!("guest: {said}"),
                    None if self.verbose => eprintln!("{line}"),
                    None => {}
                }
            }
            seen = whole.max(seen);
            if over {
                break;
            }
            if started.elapsed().as_secs() > self.limit {
                return Err(format!("the guest was not done in {} s; --limit allows more", self.limit));
            }
            std::thread::sleep(LOOK);
        }
        match passed {
            Some(true) => {}
            Some(false) => return Err("the measurement failed in the guest; why is said above".into()),
            None => return Err("the guest ended before its measurement did; --verbose shows its kernel's words".into()),
        }
        let text = fs::read(results).map_err(|e| format!("{}: {e}", results.display()))?;
        let all: Value = serde_json::from_slice(&text).map_err(|e| format!("{}: {e}", results.display()))?;
        let how_measured = &all["conditions"];
        Ok(Guest {
            phase_us: how.phase_us,
            busy: how.busy,
            arrivals: how_measured["arrivals"].as_u64().unwrap_or(0),
            hash: how_measured["hash"].as_str().unwrap_or_default().to_owned(),
            seconds: started.elapsed().as_secs_f64(),
        })
    }

    /// Builds what is missing, runs the guests, and makes the report.
    pub fn run(self) -> Result<ExitCode, String> {
        let (dir, vm) = (target().join("pacing-vm"), target().join("vm"));
        if self.if_unpacked && !Machine::is_there(&vm) {
            return Ok(ExitCode::from(NOT_RUN));
        }
        fs::create_dir_all(&dir).map_err(|e| format!("{}: {e}", dir.display()))?;
        let tools = setup::tools(setup::For::Running)?;
        let tree = match Machine::get(&vm) {
            Ok(tree) => tree,
            Err(e) => {
                eprintln!("NOT RUN: QEMU and a kernel cannot be had: {e}");
                return Ok(ExitCode::from(NOT_RUN));
            }
        };
        let mut build = cargo(&["build", "--quiet", "--workspace", "--bin", "timely-sim"]);
        // The tests' program is there already, and the limits are about the kernel.
        build.args((!self.quick).then_some("--release"));
        tools.prepare(&mut build);
        run(build)?;
        let program = target().join(if self.quick { "debug/timely-sim" } else { "release/timely-sim" });
        let initrd = guest::initrd(&dir, &tree, &program)?;
        let (kernel_sha256, initrd_sha256) = (sha256(&tree.kernel()?)?, sha256(&initrd)?);
        let say = |text: String| if self.json { eprintln!("{text}") } else { println!("{text}") };
        say(format!("image: kernel {kernel_sha256}\n       initrd {initrd_sha256}"));
        let phase = |n: u64, busy: bool| {
            let extent = match n {
                _ if self.quick => Extent::Quick,
                0 if !self.few && !busy => Extent::Whole,
                _ => Extent::Few,
            };
            Run { phase_us: n * PHASE_US, busy, extent, scale: self.scale }
        };
        let runs: Vec<Run> = (0..self.phases).map(|n| phase(n, false)).chain(self.busy.then(|| phase(0, true))).collect();
        let files: Vec<PathBuf> = (0..runs.len()).map(|i| dir.join(format!("software-{i}.json"))).collect();
        let tell = |g: &Guest| {
            let core = if g.busy { ", busy core" } else { "" };
            say(format!("phase {} us{core}: {} arrivals, hash {}, in {:.0} s", g.phase_us, g.arrivals, g.hash, g.seconds));
        };
        let next = AtomicUsize::new(0);
        // Guests one after the other, as they are taken.
        let work = || {
            let mut own = Vec::new();
            while let Some((i, how)) = Some(next.fetch_add(1, Ordering::Relaxed)).and_then(|i| Some((i, runs.get(i)?))) {
                own.push((i, self.guest(&tree, &initrd, how, &files[i])?));
            }
            Ok::<_, String>(own)
        };
        let mut guests: Vec<(usize, Guest)> = std::thread::scope(|s| {
            let all: Vec<_> = (0..self.jobs).map(|_| s.spawn(work)).collect();
            let ended = all.into_iter().map(|t| t.join().unwrap_or_else(|_| Err("a guest's thread panicked".into())));
            ended.collect::<Result<Vec<_>, _>>().map(|own| own.into_iter().flatten().collect())
        })?;
        guests.sort_by_key(|g| g.0);
        let guests: Vec<Guest> = guests.into_iter().map(|g| g.1).collect();
        guests.iter().for_each(tell);
        let mut repeated = None;
        if self.twice {
            let load = Load::new();
            // Of several phases the last has the fewest loads.
            let last = self.phases - 1;
            let again = self.guest(&tree, &initrd, &phase(last, false), &dir.join("software-again.json"))?;
            drop(load);
            tell(&again);
            repeated = Some(guests.get(last as usize).is_some_and(|g| (g.arrivals, &g.hash) == (again.arrivals, &again.hash)));
        }
        let out = self.out.clone().unwrap_or_else(|| dir.clone());
        let mut report = Command::new(&program);
        report.arg("pacing").arg("--out").arg(&out);
        for file in &files {
            report.arg("--software-from").arg(file);
        }
        tools.prepare(&mut report);
        let table = quiet(report)?;
        let results = out.join("results.json");
        let text = fs::read_to_string(&results).map_err(|e| format!("{}: {e}", results.display()))?;
        let all: Value = serde_json::from_str(&text).map_err(|e| format!("{}: {e}", results.display()))?;
        let rows = all["pacers"].as_array().cloned().unwrap_or_default();
        // The limits are those of a machine of one instruction a ns.
        let checks = if self.scale == 1.0 { checks::limits(&rows) } else { Vec::new() };
        let silent = checks::silent(&rows);
        let said = Said { kernel_sha256, initrd_sha256, guests, repeated, checks, silent, report: out.join("report.html") };
        if self.json {
            println!("{}", serde_json::to_string_pretty(&said).map_err(|e| e.to_string())?);
        } else {
            println!("{table}");
        }
        self.judge(&said)
    }

    fn judge(&self, said: &Said) -> Result<ExitCode, String> {
        let mut missed = false;
        for c in &said.checks {
            let found = c.found.map_or("not measured".into(), |f| format!("{f:.0} ns"));
            let line = format!("{}: {}: {found}, at most {:.0} ns", if c.passed { "kept" } else { "MISSED" }, c.name, c.limit);
            if self.json {
                eprintln!("{line}")
            } else {
                println!("{line}")
            }
            missed |= !c.passed;
        }
        for row in &said.silent {
            eprintln!("MISSED: without packets and without a reason: {row}");
            missed = true;
        }
        if said.repeated == Some(false) {
            eprintln!("MISSED: stamps differ between two runs of one phase");
            missed = true;
        }
        if said.repeated == Some(true) && !self.json {
            println!("kept: two runs of one phase under different load of this machine have equal stamps");
        }
        Ok(if missed { ExitCode::from(MISSED) } else { ExitCode::SUCCESS })
    }
}
