//! The NICs that are served, made from options.
use super::wire::Wire;
use crate::cores::{CoreFactory, CoreFlow, CoreSpec, Cores};
use crate::frame::Class;
use crate::frame::UDP_PORT;
use crate::nic::clock::NOMINAL_PS;
use crate::nic::core::Core;
use crate::nic::mac::{Attachment, MacNic, bus_gbps};
use crate::nic::stream::FlowSpec;
use crate::scenario::{Form, NicKind};
use crate::time::{NS, Ps, Speed};
use timely_regs::parameters::Parameters;

/// The host that the served NIC is: what its peer sends goes to this host's addresses,
/// [`crate::frame::address`].
pub const HOST: u16 = 0;
/// The host that its peer is.
pub const PEER: u16 = 1;

/// The other NIC of a pair, and the link to it.
#[derive(Clone, Debug, PartialEq)]
pub struct Pair {
    /// One-way delay of the link.
    pub delay: Ps,
    /// Endless flows that the peer sends.
    pub flows: u32,
    /// Profile of the peer's flows, by name.
    pub profile: String,
}

/// Options of the served NIC.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// [`NicKind::Rtl`] or [`NicKind::Model`].
    pub kind: NicKind,
    /// Bus width.
    pub bus_bits: u32,
    /// log2 of the flows.
    pub flow_bits: u32,
    /// Speed of the wire.
    pub speed: Speed,
    /// A NIC at the other end of it.
    pub pair: Option<Pair>,
    /// Seed of what Verilog leaves uninitialised, of the memory's answers and of the peer's nonces.
    pub seed: u64,
}

/// Payload bytes of a packet of the peer's, and of a segment.
const PACKET: u32 = 1024;
const SEGMENT: u32 = 16 * PACKET;

fn attached(core: Box<dyn Core>, o: &Options, host: u16) -> MacNic {
    let seed = o.seed ^ u64::from(host);
    let attachment =
        Attachment { host, speed: o.speed, phase: 0, clock: NOMINAL_PS, ppm: 0.0, jitter: 0, priority: 0, udp_port: UDP_PORT, seed };
    MacNic::new(core, attachment).point_to_point(HOST + PEER - host)
}

/// Makes the NICs: the one that is served as it leaves reset, its peer set up.
///
/// # Errors
/// The NICs cannot be had; the sentence says why.
pub fn wire(o: &Options, cores: &Cores) -> Result<Wire, String> {
    let (carried, gbps) = (bus_gbps(o.bus_bits, NOMINAL_PS), o.speed.as_gbps());
    if carried < gbps {
        return Err(format!(
            "a bus of {} bits carries {carried} Gb/s, the link {gbps}: choose a wider --bus or a lower --gbps",
            o.bus_bits
        ));
    }
    let spec = CoreSpec {
        kind: o.kind,
        form: Form::Standalone,
        dma_ns: 0..=0,
        streams: false,
        host_window: 0,
        host: HOST,
        speed: o.speed,
        bus_bits: o.bus_bits,
        flow_bits: o.flow_bits,
        clock_ps: NOMINAL_PS as u32,
        udp_port: UDP_PORT,
        priority: 0,
        seed: o.seed,
        flows: Vec::new(),
    };
    let nic = attached(cores.bare(&spec)?, o, HOST);
    // Some tens of microseconds of the machine's time either way.
    let window = if o.kind == NicKind::Rtl { 32 * NS } else { 256 * NS };
    let Some(pair) = &o.pair else { return Ok(Wire::alone(nic, window)) };
    if u64::from(pair.flows) > 1 << o.flow_bits {
        return Err(format!("{} flows of traffic, and the NIC has {}", pair.flows, 1u64 << o.flow_bits));
    }
    let base_us = (2 * pair.delay + o.speed.frame_time(PACKET)) as f64 / 1e6;
    let parameters = Parameters::named(&pair.profile, base_us)
        .ok_or_else(|| format!("no profile {:?}; there are: {}", pair.profile, timely_regs::parameters::NAMES.join(", ")))?;
    let flow = |id| {
        let spec = FlowSpec {
            id,
            dst: HOST,
            start: 0,
            bytes: None,
            messages: 1,
            every: 0,
            stop: None,
            packet: PACKET,
            segment: SEGMENT,
            class: Class::Data,
        };
        CoreFlow { spec, parameters: parameters.clone() }
    };
    let prepared = cores.build(&CoreSpec { host: PEER, seed: o.seed + 1, flows: (0..pair.flows).map(flow).collect(), ..spec })?;
    let peer = attached(prepared.core, o, PEER);
    let start = prepared.writes.into_iter().map(|(_, addr, value)| (addr, value)).collect();
    Ok(Wire::joined([nic, peer], pair.delay, window, start))
}
