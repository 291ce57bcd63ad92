//! Specification of a bit-true NIC.
use super::stream::FlowSpec;
use crate::frame::NodeId;
use crate::nic::kind::{Form, NicKind};
use crate::time::Speed;
use timely_regs::parameters::Parameters;

/// A flow that a bit-true NIC is to send.
#[derive(Clone, Debug)]
pub struct CoreFlow {
    /// The flow: its number is its place in the NIC's flow table.
    pub spec: FlowSpec,
    /// Parameters of the flow's profile. Flows with equal parameters share a profile.
    pub parameters: Parameters,
}

/// Specification of a bit-true NIC.
#[derive(Clone, Debug)]
pub struct CoreSpec {
    /// [`NicKind::Rtl`] or [`NicKind::Model`].
    pub kind: NicKind,
    /// Form of the NIC.
    pub form: Form,
    /// In-line, Corundum: bytes of a flow that the host keeps at most between its software and the
    /// wire; 0: any number.
    pub host_window: u64,
    /// Corundum: what both reads of the host's memory take that a packet needs, ns.
    pub dma_ns: std::ops::RangeInclusive<u32>,
    /// Corundum: the form with buses between the halves.
    pub streams: bool,
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
    /// Flows of the NIC.
    pub flows: Vec<CoreFlow>,
}
