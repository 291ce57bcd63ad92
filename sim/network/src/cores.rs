//! Where bit-true NICs come from.
use crate::nic::core::Core;
use crate::nic::corundum::Corundum;
use crate::nic::inline::{self, Inline};
use crate::nic::kind::{Form, NicKind};
use crate::nic::memory::Behaviour;
use crate::nic::model::Model;
use crate::nic::rtl::Shell;
use crate::nic::setup::configure;
pub use crate::nic::spec::{CoreFlow, CoreSpec};
use crate::time::Ps;
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use timely_regs::map::Build;

/// A bit-true NIC, set up, and what its host writes in the course of the run.
pub struct Prepared {
    /// The NIC.
    pub core: Box<dyn Core>,
    /// Register writes (time, address, value) in the order of time; they start and stop flows.
    pub writes: Vec<(Ps, u32, u32)>,
}

/// Makes bit-true NICs.
pub trait CoreFactory: Sync {
    /// A NIC as specified, reset and configured; or why it cannot be had, in a sentence.
    fn build(&self, spec: &CoreSpec) -> Result<Prepared, String>;
}

/// Clock period that NICs are emitted for, ps.
const CLOCK_PS: u32 = crate::nic::clock::NOMINAL_PS as u32;

/// The one configuration whose Verilog is in the program. The path of a source tree is no place to
/// read it from: where that was, another user may have made a folder since.
const COMMITTED: ((u32, u32), &str) =
    ((64, 10), include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../hw/verilog/timely_standalone_64_10.v")));

/// Makes models from nothing, and RTL NICs from emitted Verilog, compiled once a configuration.
pub struct Cores {
    /// A folder of emitted Verilog; the committed one without.
    verilog: Option<PathBuf>,
    shells: Mutex<HashMap<(u32, u32), Arc<Shell>>>,
    inline: Mutex<HashMap<(u32, u32, bool), inline::rtl::Shell>>,
}

impl Cores {
    /// RTL comes from the directory `verilog`, as `timely-hw emit` writes it.
    pub fn new(verilog: PathBuf) -> Self {
        Cores { verilog: Some(verilog), shells: Mutex::default(), inline: Mutex::default() }
    }

    /// The emitted shell of this bus and log2 of the flows.
    ///
    /// # Errors
    /// The emitted shell of these widths cannot be read; the sentence names the command that emits
    /// it.
    pub fn verilog(&self, bus_bits: u32, flow_bits: u32) -> Result<String, String> {
        let emit = |out: &str| format!("timely-hw emit --bus {bus_bits} --flow-bits {flow_bits} --out {out}");
        let Some(folder) = &self.verilog else {
            let ((bus, flows), text) = COMMITTED;
            return if (bus_bits, flow_bits) == (bus, flows) {
                Ok(text.to_owned())
            } else {
                Err(format!(
                    "the Verilog of a {bus_bits}-bit bus and 2^{flow_bits} flows is not in this program, that of {bus} bits and 2^{flows} flows \
                     is; emit it with `{}` and set TIMELY_VERILOG=DIR",
                    emit("DIR")
                ))
            };
        };
        let file = folder.join(format!("timely_standalone_{bus_bits}_{flow_bits}.v"));
        std::fs::read_to_string(&file)
            .map_err(|e| format!("{}: {e}. Emit it with: {}", file.display(), emit(&folder.display().to_string())))
    }

    // The in-line core is inside what is emitted for the shells that have its bus; with `pairs` the
    // one whose flows are queue pairs.
    fn inline(&self, spec: &CoreSpec, pairs: bool) -> Result<inline::rtl::Shell, String> {
        let mut inline = self.inline.lock().unwrap_or_else(|e| e.into_inner());
        let key = (spec.bus_bits, spec.flow_bits, pairs);
        if let Some(shell) = inline.get(&key) {
            return Ok(shell.clone());
        }
        let name = if spec.bus_bits == 512 { "opennic" } else { "netfpga-sume" };
        let (option, form) = if pairs { (" --roce", "_roce") } else { ("", "") };
        let emit = |out: &str| format!("timely-hw emit --shell {name}{option} --flow-bits {} --out {out}", spec.flow_bits);
        let Some(folder) = &self.verilog else {
            return Err(format!(
                "the Verilog of in-line NICs is not in this program; emit it with `{}` and set TIMELY_VERILOG=DIR, or take model NICs",
                emit("DIR")
            ));
        };
        let file = folder.join(format!("timely_{name}{form}_{}_{}.v", spec.bus_bits, spec.flow_bits));
        let text = std::fs::read_to_string(&file)
            .map_err(|e| format!("{}: {e}. Emit it with: {}", file.display(), emit(&folder.display().to_string())))?;
        let shell = inline::rtl::Shell::new(&text)?;
        inline.insert(key, shell.clone());
        Ok(shell)
    }

    fn shell(&self, spec: &CoreSpec) -> Result<Arc<Shell>, String> {
        let mut shells = self.shells.lock().unwrap_or_else(|e| e.into_inner());
        let key = (spec.bus_bits, spec.flow_bits);
        if let Some(shell) = shells.get(&key) {
            return Ok(shell.clone());
        }
        let text = self.verilog(key.0, key.1)?;
        let shell = Arc::new(Shell::new(&text, "tnic_standalone").map_err(|e| e.to_string())?);
        shells.insert(key, shell.clone());
        Ok(shell)
    }
}

impl Cores {
    /// A NIC that has left reset, before any register write.
    ///
    /// # Errors
    /// The NIC cannot be had; the sentence says why.
    pub fn bare(&self, spec: &CoreSpec) -> Result<Box<dyn Core>, String> {
        let build = build(spec);
        if spec.form == Form::Inline && spec.bus_bits < Form::INLINE_BITS {
            return Err(format!("the in-line form has a bus of {} bits at least, not {}", Form::INLINE_BITS, spec.bus_bits));
        }
        let mut core: Box<dyn Core> = match (spec.kind, spec.form) {
            (NicKind::Rtl, Form::Standalone) => Box::new(self.shell(spec)?.instantiate(spec.seed as u32)),
            (NicKind::Rtl, Form::Inline) => Box::new(Inline::new(self.inline(spec, false)?.instantiate(spec.seed as u32), spec)),
            (NicKind::Rtl, Form::Corundum) => return Err(Form::NO_RTL.into()),
            (_, Form::Standalone) => Box::new(Model::new(build)),
            (_, Form::Inline) => Box::new(Inline::new(inline::Model::new(build), spec)),
            (_, Form::Corundum) => Box::new(Corundum::new(build, spec)),
        };
        core.attach(spec.seed, &Behaviour::default());
        Ok(core)
    }

    /// An in-line NIC that has left reset, whose host is outside the simulation; with `pairs` its
    /// flows are RoCEv2's queue pairs.
    ///
    /// # Errors
    /// The NIC cannot be had; the sentence says why.
    pub fn between(&self, spec: &CoreSpec, pairs: bool) -> Result<Box<dyn Core>, String> {
        Ok(match (spec.kind, pairs) {
            (NicKind::Rtl, _) => Box::new(Inline::outside(self.inline(spec, pairs)?.instantiate(spec.seed as u32))),
            (_, true) => Box::new(Inline::outside(inline::Model::pairs(build(spec)))),
            (_, false) => Box::new(Inline::outside(inline::Model::new(build(spec)))),
        })
    }
}

fn build(spec: &CoreSpec) -> Build {
    let &CoreSpec { flow_bits, bus_bits, .. } = spec;
    Build { flow_bits, bus_bits, ring_bits: timely_regs::map::ring_bits(bus_bits), clock_ps: CLOCK_PS, ptp: 0 }
}

impl CoreFactory for Cores {
    fn build(&self, spec: &CoreSpec) -> Result<Prepared, String> {
        let mut core = self.bare(spec)?;
        let writes = configure(&mut *core, spec)?;
        Ok(Prepared { core, writes })
    }
}

/// NIC factory of the program: RTL from `TIMELY_VERILOG`, else from the Verilog that is committed
/// with the source.
pub fn known() -> Cores {
    Cores { verilog: std::env::var_os("TIMELY_VERILOG").map(PathBuf::from), shells: Mutex::default(), inline: Mutex::default() }
}

/// NIC factory of the program, boxed.
pub fn factory() -> Box<dyn CoreFactory> {
    Box::new(known())
}
