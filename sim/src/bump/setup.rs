//! The NIC of a bump in the wire, made from options.
use crate::cores::{CoreSpec, Cores};
use crate::frame::UDP_PORT;
use crate::nic::clock::NOMINAL_PS;
use crate::nic::mac::{Attachment, MacNic};
use crate::scenario::{Form, NicKind};
use crate::serve::wire::{Ends, Wire};
use crate::time::{NS, Speed};

/// Bits of the bus: OpenNIC's.
pub const BUS_BITS: u32 = 512;

/// Options of the NIC.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Options {
    /// [`NicKind::Rtl`] or [`NicKind::Model`].
    pub kind: NicKind,
    /// Flows are RoCEv2's queue pairs.
    pub pairs: bool,
    /// log2 of the flows.
    pub flow_bits: u32,
    /// Speed of the link to the network.
    pub speed: Speed,
    /// Seed of what Verilog leaves uninitialised.
    pub seed: u64,
}

/// Makes the NIC as it leaves reset, between its ends.
///
/// # Errors
/// The NIC cannot be had; the sentence says why.
pub fn wire(o: &Options, cores: &Cores, ends: Box<dyn Ends>) -> Result<Wire, String> {
    let spec = CoreSpec {
        kind: o.kind,
        form: Form::Inline,
        dma_ns: 0..=0,
        streams: false,
        host_window: 0,
        host: 0,
        speed: o.speed,
        bus_bits: BUS_BITS,
        flow_bits: o.flow_bits,
        clock_ps: NOMINAL_PS as u32,
        udp_port: UDP_PORT,
        priority: 0,
        seed: o.seed,
        flows: Vec::new(),
    };
    let attachment = Attachment {
        host: 0,
        speed: o.speed,
        phase: 0,
        clock: NOMINAL_PS,
        ppm: 0.0,
        jitter: 0,
        priority: 0,
        udp_port: UDP_PORT,
        seed: o.seed,
    };
    // All frames go to the one other end.
    let nic = MacNic::new(cores.between(&spec, o.pairs)?, attachment).point_to_point(1);
    // Some tens of microseconds of the machine's time either way.
    let window = if o.kind == NicKind::Rtl { 32 * NS } else { 256 * NS };
    Ok(Wire::between(nic, o.speed, window, ends))
}
