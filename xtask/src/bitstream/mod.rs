//! `cargo xtask bitstream`: a board's whole design by the open tools, from its Verilog to what its FPGA loads.
mod manifest;
mod page;

use crate::process::{cargo, quiet, root, target};
use crate::setup::{self, number, version};
use crate::synth::sets;
use clap::{Args, ValueEnum};
use manifest::{Area, Manifest, clocks, utilisation};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::Instant;

/// A bitstream up to this size is kept in the repository, bytes.
const KEPT_BYTES: u64 = 3 << 20;
/// After this long a tool is ended: it found no way. With a processor to itself none takes a third of it.
const LIMIT: &str = "60m";
/// The module around everything.
const TOP: &str = "tnic_ecpix5";

/// Boards that the open tools reach.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Board {
    /// LambdaConcept's ECPIX-5 with an LFE5UM5G-85F.
    Ecpix5,
}

/// Options of `bitstream`.
#[derive(Args)]
pub struct Bitstream {
    /// The board.
    #[arg(value_enum)]
    board: Board,
    /// Seeds of the placer, of which the first is taken that meets every clock.
    #[arg(long, value_delimiter = ',', default_value = "1,2,3")]
    seeds: Vec<u32>,
    /// Period of the core's clock in ps, a multiple of 2000; without it, the shell's own.
    #[arg(long)]
    clock_ps: Option<u32>,
}

/// The programs.
struct Tools {
    yosys: PathBuf,
    nextpnr: PathBuf,
    ecppack: PathBuf,
}

// A stage, told of on standard error.
fn stage<T>(name: &str, work: impl FnOnce() -> Result<T, String>) -> Result<T, String> {
    eprint!("{name} ... ");
    let started = Instant::now();
    let done = work();
    let seconds = started.elapsed().as_secs_f64();
    eprintln!("{} ({seconds:.0} s)", if done.is_ok() { "done" } else { "failed" });
    done
}

fn text(file: &Path) -> Result<String, String> {
    std::fs::read_to_string(file).map_err(|e| format!("{}: {e}", file.display()))
}

fn put(file: &Path, text: &str) -> Result<(), String> {
    std::fs::write(file, text).map_err(|e| format!("{}: {e}", file.display()))
}

fn sha256(file: &Path) -> Result<String, String> {
    let mut c = Command::new("sha256sum");
    c.arg(file);
    Ok(quiet(c)?.split_whitespace().next().unwrap_or_default().to_owned())
}

impl Tools {
    fn find() -> Result<Self, String> {
        let tools = setup::tools(setup::For::Bitstream)?;
        let program = |variable, name| tools.program(variable, name);
        Ok(Tools {
            yosys: program("YOSYS", "yosys"),
            nextpnr: program("NEXTPNR_ECP5", "nextpnr-ecp5"),
            ecppack: program("ECPPACK", "ecppack"),
        })
    }

    fn versions(&self) -> BTreeMap<String, String> {
        let of = |program: &Path, how| version(program, how).map_or_else(|| "?".into(), |v| number(&v));
        [
            ("yosys".into(), of(&self.yosys, "-V")),
            ("nextpnr-ecp5".into(), of(&self.nextpnr, "--version")),
            ("ecppack".into(), of(&self.ecppack, "--version")),
        ]
        .into()
    }

    // In `dir`, below other work; ended after the limit.
    fn run(&self, program: &Path, dir: &Path, arguments: &[&str]) -> Result<(), String> {
        let mut c = Command::new("nice");
        c.args(["-n", "10", "timeout", LIMIT]).arg(program).args(arguments).current_dir(dir);
        quiet(c).map(drop).map_err(|e| match e.contains("status: 124)") {
            true => format!("{} was ended: it was not done in {LIMIT} (its log is in {})", program.display(), dir.display()),
            false => e,
        })
    }

    fn synthesise(&self, dir: &Path, verilog: &str) -> Result<(), String> {
        // Not its last step, which looks for readable names for a quarter of an hour.
        let script = format!(
            "read_verilog {verilog}\nsynth_ecp5 -top {TOP} -run begin:map_ffs\n{}synth_ecp5 -top {TOP} -run map_ffs:check\nhierarchy -check\n\
             check -noinit -assert\nblackbox =A:whitebox\nwrite_json netlist.part\n",
            sets::script()
        );
        put(&dir.join("synthesis.ys"), &script)?;
        self.run(&self.yosys, dir, &["-q", "-l", "synthesis.log", "-s", "synthesis.ys"])?;
        std::fs::rename(dir.join("netlist.part"), dir.join("netlist.json")).map_err(|e| format!("{TOP}'s netlist: {e}"))
    }

    fn place(&self, dir: &Path, seed: u32) -> Result<Value, String> {
        let seed = seed.to_string();
        let device = ["--um5g-85k", "--package", "CABGA554", "--speed", "8", "--timing-allow-fail"];
        let files = ["--json", "netlist.json", "--lpf", "timely_ecpix5.lpf", "--textcfg", "placed.config", "--report", "placed.json"];
        let more = ["--seed", seed.as_str(), "--log", "placed.log", "--quiet"];
        self.run(&self.nextpnr, dir, &[device.as_slice(), &files, &more].concat())?;
        serde_json::from_str(&text(&dir.join("placed.json"))?).map_err(|e| format!("the report of nextpnr: {e}"))
    }

    fn pack(&self, dir: &Path) -> Result<(), String> {
        self.run(&self.ecppack, dir, &["--compress", "--input", "placed.config", "--bit", "timely_ecpix5.bit"])
    }
}

impl Bitstream {
    /// Builds it, and writes its report.
    pub fn run(self) -> Result<ExitCode, String> {
        let Board::Ecpix5 = self.board;
        let name = "ecpix5";
        let started = Instant::now();
        let dir = target().join("bitstream").join(name);
        std::fs::create_dir_all(&dir).map_err(|e| format!("{}: {e}", dir.display()))?;
        let tools = Tools::find()?;
        stage("emit the Verilog", || {
            let mut c = cargo(&["run", "--quiet", "--package", "timely-hw", "--", "emit", "--shell", name, "--out"]);
            c.arg(&dir);
            if let Some(ps) = self.clock_ps {
                c.args(["--clock-ps", &ps.to_string()]);
            }
            quiet(c).map(drop)
        })?;
        let verilog = "timely_ecpix5_64_9.v";
        stage("synthesise it, six minutes or more", || tools.synthesise(&dir, verilog))?;
        let mut placed = None;
        for seed in &self.seeds {
            let report = stage(&format!("place and route it from seed {seed}, at most {LIMIT}"), || tools.place(&dir, *seed))?;
            let all = clocks(&report)?;
            let met = all.values().all(|c| c.mhz >= c.asked_mhz);
            all.iter().for_each(|(name, c)| eprintln!("  {name}: {:.1} MHz, {:.1} asked", c.mhz, c.asked_mhz));
            placed = Some((*seed, report, all));
            if met {
                break;
            }
        }
        let (seed, report, clock) = placed.ok_or("no seed was given")?;
        let met = clock.values().all(|c| c.mhz >= c.asked_mhz);
        stage("write the bitstream", || tools.pack(&dir))?;
        let bit = dir.join("timely_ecpix5.bit");
        let bytes = std::fs::metadata(&bit).map_err(|e| format!("{}: {e}", bit.display()))?.len();
        println!("{}: {bytes} bytes, {:.0} s in all", bit.display(), started.elapsed().as_secs_f64());
        if !met {
            eprintln!("no seed of {:?} meets every clock; --clock-ps makes the core's slower", self.seeds);
            return Ok(ExitCode::FAILURE);
        }
        let manifest = Manifest {
            board: "LambdaConcept ECPIX-5".into(),
            device: "LFE5UM5G-85F-8BG554".into(),
            seed,
            verilog_sha256: sha256(&dir.join(verilog))?,
            pins_sha256: sha256(&dir.join("timely_ecpix5.lpf"))?,
            bit_sha256: sha256(&bit)?,
            bit_bytes: bytes,
            tools: tools.versions(),
            clock,
            area: Area::of(&utilisation(&report)),
        };
        let folder = root().join("bitstreams").join(name);
        std::fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
        put(&folder.join("manifest.toml"), &manifest.text()?)?;
        put(&folder.join("report.md"), &page::page(&manifest))?;
        let kept = folder.join("timely_ecpix5.bit");
        if bytes <= KEPT_BYTES {
            std::fs::copy(&bit, &kept).map_err(|e| format!("{}: {e}", kept.display()))?;
        } else {
            // One of an older design may be there.
            std::fs::remove_file(&kept).ok();
        }
        println!("{}", folder.join("report.md").display());
        Ok(ExitCode::SUCCESS)
    }
}
