//! `cargo xtask bitstream`: a board's whole design by the open tools, from its Verilog to what its
//! FPGA loads.
mod manifest;
mod page;

use crate::whole::floorplan::Floorplan;
use crate::whole::{DEVICE, NEXTPNR, globals, sets};
use clap::{Args, ValueEnum};
use manifest::{Area, Manifest, clocks, utilisation};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::Instant;
use timely_tools::process::{LIMIT, background, cargo, number, put, quiet, root, target, version};
use timely_tools::setup;

/// A bitstream up to this size is kept in the repository, bytes.
const KEPT_BYTES: u64 = 3 << 20;
/// One in so many block RAMs and multipliers may be missing in a floorplan that is used.
const FREE: usize = 10;
/// The file of a board's floorplan.
const PLAN: &str = "floorplan.toml";
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
    #[arg(long, value_delimiter = ',', default_value = "2,1,3")]
    seeds: Vec<u32>,
    /// Period of the core's clock in ps, a multiple of 2000; without it, the shell's own.
    #[arg(long)]
    clock_ps: Option<u32>,
    /// Makes the floorplan of block RAMs and multipliers anew, from the one that is there; without
    /// it, that is used if it has nine of ten of them.
    #[arg(long)]
    floorplan: bool,
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

fn json(file: &Path) -> Result<Value, String> {
    serde_json::from_str(&text(file)?).map_err(|e| format!("{}: {e}", file.display()))
}

fn sha256(file: &Path) -> Result<String, String> {
    let mut c = Command::new("sha256sum");
    c.arg(file);
    Ok(quiet(c)?.split_whitespace().next().unwrap_or_default().to_owned())
}

// A stage's file, made unless the last run made it from the same: what went into it stands beside
// it.
fn once(file: &Path, from: &str, make: impl FnOnce() -> Result<(), String>) -> Result<bool, String> {
    let stamp = file.with_extension("from");
    if file.exists() && std::fs::read_to_string(&stamp).is_ok_and(|s| s == from) {
        return Ok(false);
    }
    // An interrupted run leaves none.
    std::fs::remove_file(&stamp).ok();
    make()?;
    put(&stamp, from).map(|()| true)
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

    fn synthesise(&self, dir: &Path, verilog: &str) -> Result<(), String> {
        let script = format!("read_verilog {verilog}\n{}check -noinit -assert\nwrite_json netlist.part\n", sets::synthesis(TOP));
        put(&dir.join("synthesis.ys"), &script)?;
        let netlist = dir.join("netlist.json");
        let from = format!("{}\n{}\n{script}", version(&self.yosys, "-V").unwrap_or_default(), sha256(&dir.join(verilog))?);
        once(&netlist, &from, || {
            background(&self.yosys, dir, &["-q", "-l", "synthesis.log", "-s", "synthesis.ys"])?;
            let part = dir.join("netlist.part");
            let mut cells = json(&part)?;
            globals::promote(&mut cells, TOP)?;
            put(&part, &cells.to_string())?;
            std::fs::rename(&part, &netlist).map_err(|e| format!("{TOP}'s netlist: {e}"))
        })
        .map(drop)
    }

    // The netlist with its macros at the sites of the plan, and how many are not in it.
    fn bind(&self, dir: &Path, plan: &Floorplan) -> Result<usize, String> {
        let mut netlist = json(&dir.join("netlist.json"))?;
        let missing = plan.bind(&mut netlist, TOP)?;
        put(&dir.join("bound.json"), &netlist.to_string())?;
        Ok(missing)
    }

    // Places what is bound by the length of wires alone, and exchanges the macros' sites.
    fn plan(&self, dir: &Path, seed: u32) -> Result<Floorplan, String> {
        let number = seed.to_string();
        let files = ["--json", "bound.json", "--lpf", "timely_ecpix5.lpf", "--write", "placed.json", "--log", "placed.log", "--quiet"];
        let arguments = [DEVICE.as_slice(), &files, &["--no-tmdriv", "--no-route", "--seed", &number]].concat();
        let placed = dir.join("placed.json");
        once(&placed, &self.from(dir, &arguments)?, || background(&self.nextpnr, dir, &arguments))?;
        let file = std::fs::File::open(&placed).map_err(|e| format!("{}: {e}", placed.display()))?;
        let (plan, wire) = Floorplan::improve(&json(&dir.join("netlist.json"))?, TOP, file, seed.into())?;
        eprint!("{} macros' wire {} to {} tiles ... ", plan.site.len(), wire.before, wire.after);
        put(&dir.join(PLAN), &plan.text()?)?;
        Ok(plan)
    }

    // The inputs of a run of nextpnr.
    fn from(&self, dir: &Path, arguments: &[&str]) -> Result<String, String> {
        let (netlist, pins) = (sha256(&dir.join("bound.json"))?, sha256(&dir.join("timely_ecpix5.lpf"))?);
        Ok(format!("{}\n{netlist}\n{pins}\n{}\n", version(&self.nextpnr, "--version").unwrap_or_default(), arguments.join(" ")))
    }

    fn place(&self, dir: &Path, seed: u32) -> Result<Value, String> {
        let [number, config, report, log] = [seed.to_string(), placed(seed, "config"), placed(seed, "json"), placed(seed, "log")];
        let files = ["--json", "bound.json", "--lpf", "timely_ecpix5.lpf", "--textcfg", &config, "--report", &report];
        let arguments = [DEVICE.as_slice(), &files, &NEXTPNR, &["--seed", &number, "--log", &log, "--quiet"]].concat();
        once(&dir.join(&config), &self.from(dir, &arguments)?, || background(&self.nextpnr, dir, &arguments))?;
        json(&dir.join(report))
    }

    fn pack(&self, dir: &Path, seed: u32) -> Result<(), String> {
        background(&self.ecppack, dir, &["--compress", "--input", &placed(seed, "config"), "--bit", "timely_ecpix5.bit"])
    }
}

// A floorplan of so many lacks few enough of a design's.
fn fits(missing: usize, planned: usize) -> bool {
    missing * FREE <= planned
}

// A file of what was placed from a seed.
fn placed(seed: u32, kind: &str) -> String {
    format!("seed{seed}.{kind}")
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
            let mut c = cargo(&["run", "--quiet", "--package", "timely-hw", "--", "emit", "--shell", name, "--force", "--out"]);
            c.arg(&dir);
            if let Some(ps) = self.clock_ps {
                c.args(["--clock-ps", &ps.to_string()]);
            }
            quiet(c).map(drop)
        })?;
        let verilog = "timely_ecpix5_64_9.v";
        stage("synthesise it, six minutes or more", || tools.synthesise(&dir, verilog))?;
        let folder = root().join("bitstreams").join(name);
        let kept = folder.join(PLAN);
        let mut plan = if kept.exists() {
            Floorplan::read(&text(&kept)?).map_err(|e| format!("{}: {e}", kept.display()))?
        } else {
            Floorplan::default()
        };
        let missing = stage("bind block RAMs and multipliers to their sites", || tools.bind(&dir, &plan))?;
        eprintln!("  {missing} of them are not in {}", kept.display());
        // nextpnr finds sites for a few.
        if self.floorplan || !fits(missing, plan.site.len()) {
            let seed = self.seeds.first().copied().unwrap_or(1);
            plan = stage("place it, and exchange their sites", || tools.plan(&dir, seed))?;
            stage("bind them again", || tools.bind(&dir, &plan))?;
        }
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
        stage("write the bitstream", || tools.pack(&dir, seed))?;
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
        std::fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
        put(&folder.join("manifest.toml"), &manifest.text()?)?;
        put(&folder.join("report.md"), &page::page(&manifest))?;
        put(&kept, &plan.text()?)?;
        let copy = folder.join("timely_ecpix5.bit");
        if bytes <= KEPT_BYTES {
            std::fs::copy(&bit, &copy).map_err(|e| format!("{}: {e}", copy.display()))?;
        } else {
            // One of an older design may be there.
            std::fs::remove_file(&copy).ok();
        }
        println!("{}", folder.join("report.md").display());
        Ok(ExitCode::SUCCESS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plan_may_lack_one_in_ten() {
        assert!(fits(0, 0) && fits(0, 244) && fits(24, 244));
        assert!(!fits(25, 244) && !fits(1, 0));
    }

    #[test]
    fn a_stage_is_made_once_from_the_same() {
        let dir = std::env::temp_dir().join(format!("timely-stage-{}", std::process::id()));
        std::fs::create_dir_all(&dir).expect("a folder");
        let file = dir.join("out.json");
        let make = |text: &'static str| || put(&file, text);
        assert_eq!(once(&file, "a", make("1")), Ok(true));
        assert_eq!(once(&file, "a", make("2")), Ok(false));
        assert_eq!(text(&file), Ok("1".into()), "made again from the same");
        assert_eq!(once(&file, "b", make("3")), Ok(true), "made from another");
        let broken = || put(&file, "half").and(Err("broken".to_owned()));
        assert!(once(&file, "c", broken).is_err());
        assert_eq!(once(&file, "b", make("4")), Ok(true), "an interrupted run left what it had begun");
        assert_eq!(text(&file), Ok("4".into()));
        std::fs::remove_file(&file).expect("the file");
        assert_eq!(once(&file, "b", make("5")), Ok(true), "the file is gone");
        std::fs::remove_dir_all(&dir).ok();
    }
}
