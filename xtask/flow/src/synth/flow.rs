//! The tools' runs on one block, each kept under `target/synth` by what went into it, so that an
//! interrupted record goes on.
use super::cells::{self, Clock};
use super::multipliers;
use super::record::{Ecp5, Xcup};
use super::router::Router;
use super::wrap::{BENCH, Ports};
use crate::whole::floorplan::Floorplan;
use crate::whole::{DEVICE, METHOD, NEXTPNR, ROUTER, TIMED, globals, sets, tell_router};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use timely_tools::hash::hash;
use timely_tools::process::{background, number, put, target, version, watched};

/// The netlist that is placed: registers are packed into its multipliers.
const NETLIST: &str = "outputs.json";
/// The clock that is asked for where none is reached: the slowest path counts.
const FAST: [&str; 2] = ["--freq", "250"];
/// In place of nextpnr's report on a core that it found no way for.
const NOT_ROUTED: &str = r#"{"fmax": {"none": {"achieved": 0.0}}}"#;

/// The programs, with what they say of their version.
pub struct Flow {
    yosys: (PathBuf, String),
    nextpnr: (PathBuf, String),
    /// For a whole NIC, where there is one: a native nextpnr, for as WebAssembly it takes an hour
    /// for a seed.
    whole: Option<(PathBuf, String)>,
    /// A netlist is being made again.
    again: Mutex<()>,
}

/// A block to be measured.
pub struct Unit {
    /// Name of the unit.
    pub name: String,
    /// The unit is to be placed.
    pub speed: bool,
    /// Hash of its Verilog.
    pub hash: String,
    verilog: String,
    ports: Ports,
}

/// One run of a tool on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Synthesis for ECP5.
    Ecp5,
    /// Placement and routing there, from this seed.
    Seed(u32),
    /// Synthesis for UltraScale+.
    Xcup,
    /// Synthesis for 7 series, and its slowest path.
    Xc7,
}

/// A result of a run.
#[derive(Clone, Debug)]
pub enum Figure {
    /// Area on an ECP5.
    Ecp5(Ecp5),
    /// A clock, of this seed.
    Clock(u32, Clock),
    /// Area on UltraScale+.
    Xcup(Xcup),
    /// A path, ps.
    Depth(u64),
}

/// A RAM that asks for UltraRAM.
const ULTRA: &str = "ram_style = \"ultra\"";

impl Unit {
    /// A block by its Verilog.
    ///
    /// # Errors
    /// There is no module in it, or a port that the bench around it would leave open.
    pub fn new(name: &str, speed: bool, verilog: String) -> Result<Self, String> {
        let ports = Ports::read(&verilog).ok_or_else(|| format!("{name}: no module in its Verilog"))?;
        let open = ports.open(&verilog);
        if !open.is_empty() {
            return Err(format!("{name}: the declaration of {} is in a form that the bench does not read", open.join(", ")));
        }
        Ok(Unit { name: name.to_owned(), speed, hash: hash(&[&verilog]), verilog, ports })
    }

    /// The unit is a whole NIC.
    pub fn is_core(&self) -> bool {
        self.name.starts_with("core_")
    }

    /// The unit is a whole NIC with its RAMs cut to what an ECP5 has, whose area says nothing.
    pub fn for_its_clock(&self) -> bool {
        self.is_core() && self.name.ends_with("_small")
    }

    // The unit's commands of synthesis for ECP5.
    fn synthesis(&self) -> String {
        if self.is_core() { sets::synthesis(BENCH) } else { format!("synth_ecp5 -top {BENCH}\n") }
    }
}

// A file of a run: there if it was written whole.
fn kept(file: &Path, make: impl FnOnce(&Path) -> Result<(), String>) -> Result<String, String> {
    if !file.exists() {
        let part = file.with_extension("part");
        make(&part)?;
        std::fs::rename(&part, file).map_err(|e| format!("{}: {e}", part.display()))?;
    }
    std::fs::read_to_string(file).map_err(|e| format!("{}: {e}", file.display()))
}

// Netlists are large: those of the block as it was before go.
fn forget_others(dir: &Path) {
    let Some(siblings) = dir.parent().and_then(|p| p.read_dir().ok()) else { return };
    for sibling in siblings.filter_map(Result::ok).map(|e| e.path()).filter(|p| p != dir) {
        for file in sibling.read_dir().into_iter().flatten().filter_map(Result::ok).map(|e| e.path()) {
            if file.extension().is_some_and(|e| e == "json") {
                std::fs::remove_file(file).ok();
            }
        }
    }
}

impl Flow {
    /// With these programs; `whole` is the nextpnr for cores.
    ///
    /// # Errors
    /// One of them does not run.
    pub fn new(yosys: PathBuf, nextpnr: PathBuf, whole: Option<PathBuf>) -> Result<Self, String> {
        let asked = |program: PathBuf, how: &str| {
            let version = version(&program, how).ok_or_else(|| format!("{} does not run", program.display()))?;
            Ok::<_, String>((program, version))
        };
        Ok(Flow {
            yosys: asked(yosys, "-V")?,
            nextpnr: asked(nextpnr, "--version")?,
            whole: whole.map(|w| asked(w, "--version")).transpose()?,
            again: Mutex::new(()),
        })
    }

    /// The tools' versions, by tool.
    pub fn versions(&self) -> BTreeMap<String, String> {
        let own = [("nextpnr-ecp5".into(), number(&self.nextpnr.1)), ("yosys".into(), number(&self.yosys.1))];
        own.into_iter().chain(self.whole.iter().map(|w| ("nextpnr-ecp5 of cores".into(), number(&w.1)))).collect()
    }

    fn nextpnr(&self, unit: &Unit) -> &(PathBuf, String) {
        self.whole.as_ref().filter(|_| unit.is_core()).unwrap_or(&self.nextpnr)
    }

    fn yosys(&self, dir: &Path, name: &str, script: &str) -> Result<(), String> {
        put(&dir.join(name), script)?;
        background(&self.yosys.0, dir, &["-q", "-s", name])
    }

    /// Does a step, or reads what it gave the last time.
    ///
    /// # Errors
    /// A tool failed; its output is in the text.
    pub fn step(&self, unit: &Unit, step: Step) -> Result<Figure, String> {
        let top = &unit.ports.module;
        let bench = unit.ports.bench();
        let synthesis = unit.synthesis();
        let own = synthesis.lines().skip(1).collect::<String>();
        let dir = target().join("synth").join(&unit.name).join(hash(&[&unit.verilog, &bench, &self.yosys.1, &own]));
        std::fs::create_dir_all(&dir).map_err(|e| format!("{}: {e}", dir.display()))?;
        // Whole at once: another step of this block may be reading it.
        let part = dir.join(format!("block.{step:?}.part"));
        put(&part, &unit.verilog)?;
        std::fs::rename(&part, dir.join("block.v")).map_err(|e| format!("{}: {e}", part.display()))?;
        let part = |p: &Path| p.file_name().unwrap_or_default().to_string_lossy().into_owned();
        match step {
            Step::Ecp5 => {
                put(&dir.join("bench.v"), &bench)?;
                forget_others(&dir);
                let text = kept(&dir.join("ecp5.stat"), |p| self.netlist(&dir, top, &synthesis, &part(p)))?;
                Ok(Figure::Ecp5(cells::ecp5(&cells::counts(&text, top)?)))
            }
            Step::Seed(seed) => {
                let options = if unit.is_core() { format!("{}{TIMED:?}{ROUTER:?}{METHOD}", NEXTPNR.join(" ")) } else { String::new() };
                let version = hash(&[self.nextpnr(unit).1.as_str(), NETLIST, &options]);
                let run = format!("seed{seed}.{}", &version[..8]);
                let text = kept(&dir.join(&run), |p| self.place(&dir, unit, seed, [&run, &part(p)]))?;
                Ok(Figure::Clock(seed, cells::clock(&text)?))
            }
            Step::Xcup => {
                let text = kept(&dir.join("xcup.stat"), |p| {
                    // Without the option yosys refuses a RAM that asks for UltraRAM.
                    let ultra = if unit.verilog.contains(ULTRA) { " -uram" } else { "" };
                    let synthesis = format!("synth_xilinx -family xcup{ultra} -flatten -noiopad -top {top}");
                    self.yosys(&dir, "xcup.ys", &format!("read_verilog block.v\n{synthesis}\ntee -q -o {} stat -json\n", part(p)))
                })?;
                Ok(Figure::Xcup(cells::xcup(&cells::counts(&text, top)?)))
            }
            Step::Xc7 => {
                let text = kept(&dir.join("xc7.sta"), |p| {
                    // These devices have no UltraRAM.
                    put(&dir.join("xc7.v"), &unit.verilog.replace(ULTRA, "ram_style = \"block\""))?;
                    let synthesis = format!("synth_xilinx -family xc7 -flatten -noiopad -top {top}");
                    let delays = "read_verilog -lib -specify -overwrite +/xilinx/cells_sim.v";
                    self.yosys(&dir, "xc7.ys", &format!("read_verilog xc7.v\n{synthesis}\n{delays}\ntee -q -o {} sta\n", part(p)))
                })?;
                Ok(Figure::Depth(cells::latest_ps(&text)?))
            }
        }
    }

    // Placed and routed; a core first for where its block RAMs and multipliers belong. (A block
    // loses a few percent of its clock by that: where its wires are shortest its slowest path need
    // not be.)
    fn place(&self, dir: &Path, unit: &Unit, seed: u32, [run, report]: [&str; 2]) -> Result<(), String> {
        if !unit.is_core() {
            self.ensure_netlist(dir, unit)?;
            return self.run_nextpnr(dir, unit, seed, &[&FAST, ["--json", NETLIST, "--report", report].as_slice()].concat());
        }
        let [bound, placed, log] = ["bound.json", "placed.json", "log"].map(|kind| format!("{run}.{kind}"));
        if !dir.join(&bound).exists() {
            self.bind(dir, unit, seed, &bound, &placed)?;
        }
        let mut router = Router::default();
        let own = [NEXTPNR.as_slice(), &TIMED, &["--json", &bound, "--report", report, "--log", &log]].concat();
        let routed = self.nextpnr_with(seed, &own, |all| watched(&self.nextpnr(unit).0, dir, all, |line| router.goes_on(line)))?;
        if !routed {
            // The log of nextpnr tells how far the run came.
            put(&dir.join(report), NOT_ROUTED)?;
        }
        // Large, and of no use to anyone else.
        std::fs::remove_file(dir.join(&bound)).map_err(|e| format!("{bound}: {e}"))
    }

    // A netlist with its macros at their sites.
    fn bind(&self, dir: &Path, unit: &Unit, seed: u32, bound: &str, placed: &str) -> Result<(), String> {
        self.ensure_netlist(dir, unit)?;
        let text = std::fs::read(dir.join(NETLIST)).map_err(|e| format!("{NETLIST}: {e}"))?;
        let mut netlist = serde_json::from_slice(&text).map_err(|e| format!("{NETLIST}: {e}"))?;
        globals::promote(&mut netlist, BENCH)?;
        let part = format!("{bound}.part");
        put(&dir.join(&part), &netlist.to_string())?;
        self.run_nextpnr(
            dir,
            unit,
            seed,
            &[NEXTPNR.as_slice(), &FAST, &["--json", &part, "--no-tmdriv", "--no-route", "--write", placed]].concat(),
        )?;
        let file = std::fs::File::open(dir.join(placed)).map_err(|e| format!("{placed}: {e}"))?;
        let (plan, _) = Floorplan::improve(&netlist, BENCH, file, seed.into())?;
        std::fs::remove_file(dir.join(placed)).map_err(|e| format!("{placed}: {e}"))?;
        plan.bind(&mut netlist, BENCH)?;
        tell_router(&mut netlist, BENCH)?;
        put(&dir.join(&part), &netlist.to_string())?;
        std::fs::rename(dir.join(&part), dir.join(bound)).map_err(|e| format!("{bound}: {e}"))
    }

    fn nextpnr_with<T>(&self, seed: u32, own: &[&str], run: impl FnOnce(&[&str]) -> T) -> T {
        let number = seed.to_string();
        run(&[DEVICE.as_slice(), &["--lpf-allow-unconstrained", "--seed", &number], own].concat())
    }

    fn run_nextpnr(&self, dir: &Path, unit: &Unit, seed: u32, own: &[&str]) -> Result<(), String> {
        self.nextpnr_with(seed, &[own, &["--quiet"]].concat(), |all| background(&self.nextpnr(unit).0, dir, all))
    }

    // Makes the netlist anew if it is gone; one seed does, the others wait.
    fn ensure_netlist(&self, dir: &Path, unit: &Unit) -> Result<(), String> {
        let _again = self.again.lock().unwrap_or_else(PoisonError::into_inner);
        if dir.join(NETLIST).exists() {
            return Ok(());
        }
        self.netlist(dir, &unit.ports.module, &unit.synthesis(), "again.stat")
    }

    // The block keeps its module until it is counted, so that the bench's registers are not.
    fn netlist(&self, dir: &Path, top: &str, synthesis: &str, report: &str) -> Result<(), String> {
        let script = format!(
            "read_verilog block.v bench.v\nhierarchy -check -top {BENCH}\nsetattr -mod -set keep_hierarchy 1 {top}\n{synthesis}\n\
             tee -q -o {report} stat -json {top}\nsetattr -mod -unset keep_hierarchy {top}\nflatten\nopt_clean\nwrite_json netlist.part\n"
        );
        self.yosys(dir, "ecp5.ys", &script)?;
        let part = dir.join("netlist.part");
        let text = std::fs::read(&part).map_err(|e| format!("{}: {e}", part.display()))?;
        let mut netlist = serde_json::from_slice(&text).map_err(|e| format!("{}: {e}", part.display()))?;
        multipliers::pack(&mut netlist, BENCH)?;
        put(&part, &netlist.to_string())?;
        std::fs::rename(&part, dir.join(NETLIST)).map_err(|e| format!("netlist of {top}: {e}"))
    }
}

#[cfg(test)]
mod tests {
    use super::{NOT_ROUTED, cells};

    #[test]
    fn what_is_not_routed_has_no_clock() {
        assert_eq!(cells::clock(NOT_ROUTED).map(|c| c.mhz), Ok(0.0));
    }
}
