//! The checks that a change must pass, and the same for longer.
use crate::compilers::Compiler;
use crate::constants::Constants;
use crate::soaked::Soaked;
use crate::{forward, fuzz, programs};
use clap::Args;
use std::process::{Command, ExitCode};
use std::time::{Duration, Instant};
use timely_tools::process::{cargo, run, shown};
use timely_tools::setup;

/// Options of `test`.
#[derive(Args)]
pub struct Test {
    /// A tenth of the clocks in lockstep tests.
    #[arg(long)]
    quick: bool,
    /// Unpacks QEMU and a kernel for vm-test where they are not: minutes, and a network.
    #[arg(long)]
    unpack: bool,
}

/// Options of `soak`.
#[derive(Args)]
pub struct Soak {
    /// Seeds, from --first-seed on.
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    seeds: u64,
    /// The first seed [default: 1000; with --nic the one that tests/soaked.toml has].
    #[arg(long, value_parser = clap::value_parser!(u64).range(..=1 << 62))]
    first_seed: Option<u64>,
    /// Clocks a lockstep test and seed.
    #[arg(long, default_value_t = 2_000_000)]
    cycles: u64,
    /// Instead, a storm around the whole NIC for so many clocks, its Verilog beside its model:
    /// malformed frames, losses, stalls, resets. Without --first-seed what ended well is added to
    /// tests/soaked.toml.
    #[arg(long, value_name = "CLOCKS")]
    nic: Option<u64>,
}

/// The first seed unless told otherwise.
const FIRST_SEED: u64 = 1000;

/// Clocks of a lockstep test and seed unless told otherwise.
const CYCLES: u64 = 200_000;

/// Time limit of a test program at [`CYCLES`]: the longest takes four minutes, and a busy machine
/// is several times slower.
const LIMIT: Duration = Duration::from_secs(40 * 60);

/// Option of `timely-machine`: not to unpack QEMU and a kernel.
const IF_UNPACKED: &str = "--if-unpacked";

/// Exit code of `timely-machine` where this machine has no QEMU and no kernel.
const NOT_RUN: u8 = 4;

/// The steps that ran, for the summary at the end.
#[derive(Default)]
struct Log {
    steps: Vec<(String, Duration, String)>,
}

/// Counts of a test run.
#[derive(Default)]
struct Counts {
    passed: u64,
    ignored: u64,
    binaries: u64,
    /// Tests' notes of what they leave out, and why.
    left_out: Vec<String>,
}

impl Counts {
    // Reads `test result: ok. 5 passed; 0 failed; 1 ignored; ...`, and `left out: ...`.
    fn read(&mut self, line: &str) {
        // Behind a row of dots.
        if let Some(at) = line.find("left out: ") {
            self.left_out.push(line[at..].to_owned());
        }
        let Some(rest) = line.trim_start().strip_prefix("test result:") else { return };
        let before = |what: &str| {
            let words: Vec<&str> = rest.split([' ', ';']).filter(|w| !w.is_empty()).collect();
            words.windows(2).find(|w| w[1] == what).and_then(|w| w[0].parse().ok()).unwrap_or(0)
        };
        self.passed += before("passed");
        self.ignored += before("ignored");
        self.binaries += 1;
    }
}

impl Log {
    fn step(&mut self, c: Command) -> Result<(), String> {
        let (name, started) = (shown(&c), Instant::now());
        eprintln!("--- {name}");
        run(c)?;
        self.steps.push((name, started.elapsed(), String::new()));
        Ok(())
    }

    // Builds and runs tests, prints what they say, and counts them. All are run, whatever fails.
    fn tests(&mut self, build: Command, label: &str, limit: Duration, prepare: impl Fn(&mut Command) + Sync) -> Result<(), String> {
        let (name, started) = (format!("{}{label}", shown(&build)), Instant::now());
        eprintln!("--- {name}");
        let all = programs::build(build)?;
        self.steps.push((format!("{name} --no-run"), started.elapsed(), String::new()));
        let (mut counts, mut failed, mut slowest) = (Counts::default(), Vec::new(), Vec::new());
        let started = Instant::now();
        programs::run(&all, limit, prepare, |ran| {
            println!("--- {}, {:.1} s\n{}", ran.name, ran.time.as_secs_f64(), ran.text.trim());
            ran.text.lines().for_each(|l| counts.read(l));
            slowest.push((ran.time, ran.name.clone()));
            if !ran.passed {
                failed.push(ran.name);
            }
        })?;
        if !failed.is_empty() {
            return Err(format!("these test programs failed, their output is above: {}", failed.join(", ")));
        }
        slowest.sort_by(|a, b| b.cmp(a));
        let slowest: Vec<String> = slowest.iter().take(5).map(|(t, n)| format!("{n} {:.0} s", t.as_secs_f64())).collect();
        let what = format!("{} tests passed, {} ignored, in {} programs", counts.passed, counts.ignored, counts.binaries);
        // Several tests of a group say the same.
        counts.left_out.sort();
        counts.left_out.dedup();
        let left_out: String = counts.left_out.iter().map(|l| format!("\n             {l}")).collect();
        self.steps.push((name, started.elapsed(), format!("{what}; the longest: {}{left_out}", slowest.join(", "))));
        Ok(())
    }

    // A command of the virtual machine, where QEMU and a kernel are unpacked: unpacking them takes
    // minutes and a network.
    fn machine(&mut self, compiler: Option<Compiler>, command: &str, options: &[&str]) -> Result<(), String> {
        // Without what would keep it from unpacking, to be run alone.
        let shown: Vec<&str> = ["xtask", command].iter().chain(options).copied().filter(|o| *o != IF_UNPACKED).collect();
        let (name, started) = (shown.join(" "), Instant::now());
        eprintln!("--- {name}");
        let what = match forward::code(compiler, "timely-machine", command, options)? {
            0 => "",
            NOT_RUN if !options.contains(&IF_UNPACKED) => "NOT RUN: QEMU and a kernel cannot be had here; why is said above",
            NOT_RUN => "NOT RUN: QEMU and a kernel are not unpacked; this command alone does that once, then it is run here too",
            code => return Err(format!("{name} failed (exit code {code}); why is said above")),
        };
        self.steps.push((name, started.elapsed(), what.into()));
        Ok(())
    }

    fn fuzz(&mut self, seconds: u64) -> Result<(), String> {
        let started = Instant::now();
        fuzz::all(seconds)?;
        self.steps.push((format!("xtask fuzz --seconds {seconds}"), started.elapsed(), String::new()));
        Ok(())
    }

    fn print(&self) {
        println!("\nwhat ran:");
        for (name, time, what) in &self.steps {
            println!("  {:7.1} s  {name}{}{what}", time.as_secs_f64(), if what.is_empty() { "" } else { ": " });
        }
    }
}

impl Test {
    /// Sets up, then formatting, lints and documentation as the tests are built, and the tests.
    pub fn run(self) -> Result<ExitCode, String> {
        let started = Instant::now();
        let tools = setup::tools(setup::For::Testing)?;
        let mut log = Log::default();
        log.step(cargo(&["fmt", "--all", "--check"]))?;
        let prepared = |arguments: &[&str]| {
            let mut c = cargo(arguments);
            tools.prepare(&mut c);
            Compiler::Checking.prepare(&mut c).map(|()| c)
        };
        // Programs, which tests of theirs alone would compile in part.
        log.step(prepared(&["build", "--workspace", "--bins", "--quiet"])?)?;
        let quick = self.quick && std::env::var_os("TIMELY_CYCLES").is_none();
        log.tests(prepared(&["test", "--workspace", "--quiet"])?, if self.quick { " (quick)" } else { "" }, LIMIT, |c| {
            tools.prepare(c);
            // Every model that they compile is linted by that.
            c.env("TIMELY_LINT", "1");
            if quick {
                c.env("TIMELY_CYCLES", "20000");
            }
        })?;
        log.step(prepared(&["test", "--workspace", "--quiet", "--doc"])?)?;
        if !self.quick {
            log.fuzz(fuzz::IN_TESTS)?;
        }
        let checking = Some(Compiler::Checking);
        log.machine(checking, "pacing-vm", &["--quick", "--limit", "600", IF_UNPACKED])?;
        log.machine(checking, "rdma-test", &[IF_UNPACKED])?;
        log.machine(checking, "vm-test", if self.unpack { &[] } else { &[IF_UNPACKED] })?;
        log.print();
        println!("all of it passed in {:.0} s", started.elapsed().as_secs_f64());
        Ok(ExitCode::SUCCESS)
    }
}

impl Soak {
    /// The lockstep tests, seed by seed, and the papers, or the whole NIC.
    pub fn run(self) -> Result<ExitCode, String> {
        let tools = setup::tools(setup::For::Testing)?;
        let mut log = Log::default();
        if let Some(clocks) = self.nic {
            let mut c = cargo(&["run", "--quiet", "--package", "timely-tests", "--bin", "timely-soak", "--"]);
            tools.prepare(&mut c);
            let soaked = Soaked::read()?;
            c.args([clocks.to_string(), self.first_seed.unwrap_or(soaked.next_seed).to_string()]);
            log.step(c)?;
            if self.first_seed.is_none() {
                let all = soaked.and(clocks);
                all.write()?;
                println!("{} clocks in all; tests/soaked.toml has them", all.clocks);
            }
            return Ok(ExitCode::SUCCESS);
        }
        let first = self.first_seed.unwrap_or(FIRST_SEED);
        for seed in first..first + self.seeds {
            let mut c = cargo(&["test", "--release", "--quiet", "--package", "timely-tests"]);
            tools.prepare(&mut c);
            let limit = LIMIT * self.cycles.div_ceil(CYCLES).clamp(1, 1000) as u32;
            log.tests(c, &format!(" (seed {seed}, {} clocks)", self.cycles), limit, |c| {
                tools.prepare(c);
                c.env("TIMELY_LINT", "1").env("TIMELY_SEED", seed.to_string()).env("TIMELY_CYCLES", self.cycles.to_string());
            })?;
        }
        // Evaluations of papers, the sweep over lateness and networks of every form, speed and
        // size, which the usual tests run a sample of.
        let whole = ["figures", "promises", "loops", "nics", "program"].map(|t| ["--test", t]).concat();
        let papers = cargo(&[&["test", "--release", "--quiet", "--package", "timely-sim"], &whole[..]].concat());
        log.tests(papers, " (papers, sweeps and networks, whole)", 3 * LIMIT, |c| {
            tools.prepare(c);
            c.env("TIMELY_CYCLES", self.cycles.to_string());
        })?;
        log.fuzz(fuzz::IN_SOAK)?;
        log.machine(None, "pacing-vm", &["--phases", "4", "--busy", "--twice", IF_UNPACKED])?;
        log.machine(None, "rdma-test", &["--whole", "--limit", "1200", IF_UNPACKED])?;
        log.machine(None, "rdma-test", &["--whole", "--unpaced", "--limit", "1200", IF_UNPACKED])?;
        eprintln!("--- xtask constants");
        Constants::default().run()?;
        log.print();
        Ok(ExitCode::SUCCESS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_of_test_programs_are_counted() {
        let mut counts = Counts::default();
        counts.read("test result: ok. 12 passed; 0 failed; 3 ignored; 0 measured; 0 filtered out; finished in 0.10s");
        counts.read("test result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.10s");
        counts.read("running 5 tests");
        counts.read("...left out: a_thing: there is no tool here");
        assert_eq!((counts.passed, counts.ignored, counts.binaries), (13, 3, 2));
        assert_eq!(counts.left_out, ["left out: a_thing: there is no tool here"]);
    }
}
