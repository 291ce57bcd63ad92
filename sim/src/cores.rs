//! Where bit-true NICs come from.
use crate::frame::NodeId;
use crate::nic::core::Core;
use crate::nic::memory::Behaviour;
use crate::nic::model::Model;
use crate::nic::rtl::Shell;
use crate::nic::setup::configure;
use crate::nic::stream::FlowSpec;
use crate::scenario::NicKind;
use crate::time::{Ps, Speed};
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use timely_regs::map::Build;
use timely_regs::parameters::Parameters;

/// A flow that a bit-true NIC is to send.
#[derive(Clone, Debug)]
pub struct CoreFlow {
    /// The flow: its number is its place in the NIC's flow table.
    pub spec: FlowSpec,
    /// Its profile's parameters. Flows with equal parameters share a profile.
    pub parameters: Parameters,
}

/// What a bit-true NIC is to be.
#[derive(Clone, Debug)]
pub struct CoreSpec {
    /// [`NicKind::Rtl`] or [`NicKind::Model`].
    pub kind: NicKind,
    /// The host; its addresses are those of [`crate::frame::address`].
    pub host: NodeId,
    /// Speed of its link.
    pub speed: Speed,
    /// Bus width.
    pub bus_bits: u32,
    /// log2 of its flows.
    pub flow_bits: u32,
    /// Our UDP port.
    pub udp_port: u16,
    /// Period of its clock, ps; the Verilog's is 4,000 unless the host says so.
    pub clock_ps: u32,
    /// Priority of data, for PFC, 0 to 6; data of the second class has the one above.
    pub priority: u8,
    /// Seed of what Verilog leaves uninitialised.
    pub seed: u64,
    /// Its flows.
    pub flows: Vec<CoreFlow>,
}

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

/// Makes models from nothing, and RTL NICs from emitted Verilog, compiled once a configuration.
pub struct Cores {
    verilog: PathBuf,
    shells: Mutex<HashMap<(u32, u32), Arc<Shell>>>,
}

impl Cores {
    /// RTL comes from the directory `verilog`, as `timely-hw emit` writes it.
    pub fn new(verilog: PathBuf) -> Self {
        Cores { verilog, shells: Mutex::default() }
    }

    /// The emitted shell of this bus and log2 of the flows.
    ///
    /// # Errors
    /// That it is not there, and what emits it.
    pub fn verilog(&self, bus_bits: u32, flow_bits: u32) -> Result<String, String> {
        let file = self.verilog.join(format!("timely_standalone_{bus_bits}_{flow_bits}.v"));
        std::fs::read_to_string(&file).map_err(|e| {
            let emit = format!("timely-hw emit --bus {bus_bits} --flow-bits {flow_bits} --out {}", self.verilog.display());
            format!("{}: {e}. Emit it with: {emit}", file.display())
        })
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
    /// A NIC that has left reset, and that nobody has written anything into.
    ///
    /// # Errors
    /// Why it cannot be had, in a sentence.
    pub fn bare(&self, spec: &CoreSpec) -> Result<Box<dyn Core>, String> {
        let mut core: Box<dyn Core> = match spec.kind {
            NicKind::Rtl => Box::new(self.shell(spec)?.instantiate(spec.seed as u32)),
            _ => Box::new(Model::new(Build {
                flow_bits: spec.flow_bits,
                bus_bits: spec.bus_bits,
                segment_bits: timely_regs::map::segment_bits(spec.flow_bits),
                clock_ps: CLOCK_PS,
                ptp: 0,
            })),
        };
        core.attach(spec.seed, &Behaviour::default());
        Ok(core)
    }
}

impl CoreFactory for Cores {
    fn build(&self, spec: &CoreSpec) -> Result<Prepared, String> {
        let mut core = self.bare(spec)?;
        let writes = configure(&mut *core, spec)?;
        Ok(Prepared { core, writes })
    }
}

/// What the program makes NICs with: RTL from `TIMELY_VERILOG`, else from the Verilog that is committed with the source.
pub fn known() -> Cores {
    let committed = || PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../hw/verilog"));
    Cores::new(std::env::var_os("TIMELY_VERILOG").map_or_else(committed, PathBuf::from))
}

/// The same as a factory.
pub fn factory() -> Box<dyn CoreFactory> {
    Box::new(known())
}
