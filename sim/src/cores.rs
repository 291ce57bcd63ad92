//! Where bit-true NICs come from.
use crate::frame::NodeId;
use crate::nic::core::Core;
use crate::nic::stream::FlowSpec;
use crate::scenario::NicKind;
use crate::time::{Ps, Speed};
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
    /// Priority of data, for PFC.
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
pub trait CoreFactory {
    /// A NIC as specified, reset and configured; or why it cannot be had, in a sentence.
    fn build(&self, spec: &CoreSpec) -> Result<Prepared, String>;
}

/// A factory that has none.
pub struct Unavailable;

impl CoreFactory for Unavailable {
    fn build(&self, spec: &CoreSpec) -> Result<Prepared, String> {
        Err(format!("this build has no {} core", spec.kind))
    }
}

/// The factory that the program uses.
pub fn factory() -> Box<dyn CoreFactory> {
    Box::new(Unavailable)
}
