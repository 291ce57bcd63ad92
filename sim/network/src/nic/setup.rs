//! Driver of a bit-true NIC in simulation: writes addresses, profiles, flows, and doorbells over
//! time.
use super::access::Access;
use super::core::{AccessError, Core};
use crate::frame::{Class, LOW_TOS, address};
use crate::nic::kind::Form;
use crate::nic::spec::{CoreFlow, CoreSpec};
use crate::time::Ps;
use timely_regs::corundum::request::Request;
use timely_regs::device::Device;
use timely_regs::flow::FlowRecord;
use timely_regs::map::{ack_rate, flow, id, increment, port, profiles, time, window};
use timely_regs::parameters::{LawKind, Parameters};
use timely_regs::profile;
use timely_regs::telemetry::{TelemetryRecord, WORDS};

/// Packets that an endless flow is kept ahead by; the generator posts one more for each that it is
/// granted.
const ENDLESS_AHEAD: u32 = 64;
/// Clocks in which the RAM sweep after reset must be done.
const SWEEP_CLOCKS: u64 = 1 << 21;

/// More flows than this are loaded by DMA.
const FLOWS_BY_REGISTERS: usize = 16;
/// Where in a NIC's memory flow records are when they are loaded, and telemetry records when a
/// snapshot is taken.
const BUFFER: u64 = 0x1_0000_0000;

/// Register writes over time: when, address, value.
pub type Writes = Vec<(Ps, u32, u32)>;

/// Waits until the NIC has cleared its RAM.
fn wait_ready(core: &mut dyn Core) -> Result<(), String> {
    let end = core.clk() + SWEEP_CLOCKS;
    while core.clk() < end {
        let status = core.read32(id::STATUS.address()).map_err(|e| e.to_string())?;
        if id::READY.get(&status_words(status)) != 0 {
            return Ok(());
        }
        let pause = core.clk() + 512;
        while core.clk() < pause {
            let to = core.wake().min(pause);
            if to > core.clk() { core.skip_to(to) } else { core.step(&Default::default()) }
        }
    }
    Err(format!("the NIC is not ready after {SWEEP_CLOCKS} clocks"))
}

// A field names its word in the record that it belongs to; a register is a record of one word.
fn status_words(status: u32) -> [u32; 1] {
    [status]
}

fn write_array(core: &mut dyn Core, base: u32, values: &[u32]) -> Result<(), AccessError> {
    values.iter().enumerate().try_for_each(|(i, v)| core.write32(base + 4 * i as u32, *v))
}

fn word(bytes: &[u8]) -> u32 {
    let at = |i| bytes.get(i).copied().unwrap_or(0);
    u32::from_le_bytes([at(0), at(1), at(2), at(3)])
}

fn write_port(core: &mut dyn Core, spec: &CoreSpec) -> Result<(), AccessError> {
    let mac = address::mac(spec.host);
    core.write32(port::MAC_LOW.address(), word(&mac))?;
    core.write32(port::MAC_HIGH.address(), word(&mac[4..]))?;
    core.write32(port::IPV4.address(), word(&address::ipv4(spec.host)))?;
    let ipv6: Vec<u32> = address::ipv6(spec.host).chunks(4).map(word).collect();
    write_array(core, port::IPV6.address(), &ipv6)?;
    core.write32(port::UDP_PORT.address(), spec.udp_port.into())?;
    write_array(core, id::NONCE_KEY.address(), &[spec.seed as u32, (spec.seed >> 32) as u32, spec.host.into()])?;
    core.write32(port::NONCE_KEYED.address(), 1)?;
    // All addresses are answered: the network is our own.
    for (i, family) in [port::ALLOW_IPV4, port::ALLOW_IPV6].iter().enumerate() {
        core.write32(port::ALLOW_PREFIX.address() + 4 * i as u32, family.mask())?;
    }
    // A quarter of the line.
    core.write32(port::ACK_RATE.address(), ack_rate(spec.speed.as_bps() / 4, spec.clock_ps))?;
    core.write32(port::ACK_ENABLE.address(), 1)?;
    if spec.form == Form::Inline {
        // Grants wait while more than the line carries in 64 clocks waits for it; the host waits
        // for room in the store.
        core.write32(port::LINE_RATE.address(), ack_rate(spec.speed.as_bps(), spec.clock_ps).max(port::LEAST_LINE_RATE))?;
        core.write32(port::STORE_WAIT.address(), 1)?;
    }
    if let Some(request) = request(spec).filter(|r| r.streams) {
        core.write32(time::LEAD.address(), request.lead_ns())?;
    }
    // ns a byte in Q16.16, to the nearest.
    let bps = u128::from(spec.speed.as_bps());
    let ns_per_byte = ((8_000_000_000u128 << 17) / bps).div_ceil(2);
    core.write32(port::NS_PER_BYTE.address(), ns_per_byte as u32)
}

/// Parameters of a request's path, in Corundum's form.
fn request(spec: &CoreSpec) -> Option<Request> {
    let request = Request { bus_bits: spec.bus_bits, dma_ns: *spec.dma_ns.end(), streams: spec.streams };
    (spec.form == Form::Corundum).then_some(request)
}

/// The least cap with which a flow has the line.
fn least_cap(spec: &CoreSpec) -> u32 {
    let mbps = spec.speed.as_bps() as f64 / 1e6;
    request(spec).map_or(0, |r| r.cap(mbps).unwrap_or(profile::TOKEN_CAP.most))
}

/// ECN bits of a packet that a switch may mark.
const ECT: u8 = 2;

/// The record of a flow that has this profile, on the NIC that `spec` describes.
pub fn record(flow: &CoreFlow, profile: u8, spec: &CoreSpec) -> FlowRecord {
    let s = &flow.spec;
    let low = s.class == Class::Low;
    FlowRecord {
        enable: true,
        endless: s.bytes.is_none(),
        profile,
        priority: spec.priority + u8::from(low),
        // Switches mark what is capable of ECN.
        tos: if low { LOW_TOS } else { 0 } | if flow.parameters.law == LawKind::Dcqcn { ECT } else { 0 },
        payload_bytes: s.packet as u16,
        segment_packets: s.segment.div_ceil(s.packet).clamp(1, 255) as u8,
        mac: address::mac(s.dst),
        source_port: spec.udp_port,
        destination_port: spec.udp_port,
        address: std::net::Ipv4Addr::from(address::ipv4(s.dst)).into(),
        ..Default::default()
    }
}

/// The writes that load a flow by the registers: its number, its record, the command.
///
/// # Errors
/// A field that the hardware cannot hold, in a sentence.
pub fn load(number: u32, record: &FlowRecord) -> Result<Vec<(u32, u32)>, String> {
    let words = record.pack().map_err(|e| format!("flow {number}: {e}"))?;
    let mut writes = vec![(flow::INDEX.address(), number)];
    writes.extend(words.iter().enumerate().map(|(i, w)| (flow::STAGE.address() + 4 * i as u32, *w)));
    writes.push((flow::COMMAND.address(), flow::LOAD));
    Ok(writes)
}

/// Loads flows from 0 on by DMA.
fn load_in_bulk(core: &mut dyn Core, records: &[FlowRecord]) -> Result<(), String> {
    let access = Access::new(core);
    let memory = access.buffer(BUFFER, 64 * records.len());
    let device = Device::open(&access).map_err(|e| e.to_string())?;
    let load = || {
        device.start_dma()?;
        device.load_flows(&memory, 0, records)?;
        device.stop_dma()
    };
    load().map_err(|e| e.to_string())
}

/// The telemetry records of a NIC's first `flows` flows: by DMA, and flow by flow of a NIC without.
///
/// # Errors
/// The records cannot be had; the sentence says why.
pub fn snapshot(core: &mut dyn Core, flows: u32) -> Result<Vec<TelemetryRecord>, String> {
    let has_memory = core.memory().is_some();
    let access = Access::new(core);
    let device = Device::open(&access).map_err(|e| e.to_string())?;
    let take = || {
        if !has_memory {
            return (0..flows).map(|flow| Ok(TelemetryRecord::from_words(&device.query_flow(flow)?))).collect();
        }
        let memory = access.buffer(BUFFER, 4 * WORDS * flows as usize);
        device.stop_dma()?;
        device.start_dma()?;
        let records = device.snapshot(&memory, 0, flows)?;
        device.stop_dma()?;
        Ok(records)
    };
    take().map_err(|e: timely_regs::device::Error<AccessError>| e.to_string())
}

/// Configures a NIC that has just left reset, and gives the writes that start and stop its flows.
///
/// # Errors
/// A parameter or record that the hardware cannot hold, or a register access that failed, in a
/// sentence.
pub fn configure(core: &mut dyn Core, spec: &CoreSpec) -> Result<Writes, String> {
    configure_with(core, spec, |record| record)
}

/// As [`configure`], with what `dress` makes of each flow's record: another address, a VLAN tag, a
/// READ.
///
/// # Errors
/// A parameter or record that the hardware cannot hold, or a register access that failed, in a
/// sentence.
pub fn configure_with(core: &mut dyn Core, spec: &CoreSpec, mut dress: impl FnMut(FlowRecord) -> FlowRecord) -> Result<Writes, String> {
    wait_ready(core)?;
    let failed = |e: AccessError| e.to_string();
    core.write32(time::INCREMENT.address(), increment(spec.clock_ps)).map_err(failed)?;
    write_port(core, spec).map_err(failed)?;
    let mut known: Vec<Parameters> = Vec::new();
    let mut writes = Writes::new();
    let mut records = Vec::new();
    for (number, f) in spec.flows.iter().enumerate() {
        let number = number as u32;
        let parameters = Parameters { cap_bytes: f.parameters.cap_bytes.max(least_cap(spec)), ..f.parameters.clone() };
        let index = known.iter().position(|p| *p == parameters).unwrap_or(known.len());
        if index == known.len() {
            if index == profile::PROFILES {
                return Err(format!("more than {} different sets of parameters on host {}", profile::PROFILES, spec.host));
            }
            let words = parameters.quantise().map_err(|e| e.to_string())?;
            write_array(core, profiles::WORD.address() + (4 * profile::WORDS * index) as u32, &words).map_err(failed)?;
            known.push(parameters);
        }
        let record = dress(record(f, index as u8, spec));
        records.push(record);
        let (messages, packets) = match f.spec.bytes {
            Some(b) => (f.spec.messages, b.div_ceil(f.spec.packet.into())),
            None => (1, ENDLESS_AHEAD.into()),
        };
        for m in 0..messages {
            let (at, mut left) = (f.spec.start + Ps::from(m) * f.spec.every, packets);
            while left > 0 {
                let posted = left.min(window::MOST_PACKETS.into());
                writes.push((at, window::doorbell(number), posted as u32));
                left -= posted;
            }
        }
        if let Some(stop) = f.spec.stop.filter(|_| record.endless) {
            if spec.form != Form::Standalone {
                // The host's software stops.
                writes.push((stop, window::doorbell(number), 0));
                continue;
            }
            let stopped = FlowRecord { endless: false, keep: true, ..record };
            writes.extend(load(number, &stopped)?.into_iter().map(|(a, v)| (stop, a, v)));
        }
    }
    if records.len() > FLOWS_BY_REGISTERS && spec.form == Form::Standalone {
        load_in_bulk(core, &records)?;
    } else {
        for (number, record) in records.iter().enumerate() {
            for (address, value) in load(number as u32, record)? {
                core.write32(address, value).map_err(failed)?;
            }
        }
    }
    core.write32(id::CONTROL.address(), 1).map_err(failed)?;
    writes.sort_by_key(|w| w.0);
    Ok(writes)
}
