//! Reports of a NIC, as JSON with stable keys: the same from a daemon and from a device that was
//! opened for one command.
use crate::clock::Fit;
use crate::nic::{Drained, Info};
use crate::spec::{FlowSpec, PortSpec, ProfileSpec, print_mac};
use crate::units::Mbps;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use timely_regs::corundum::request::Request;
use timely_regs::histogram::Histogram;
use timely_regs::telemetry::{SMOOTHED_FRACTION, TelemetryRecord};

/// Names of the branches that an update takes.
pub const BRANCHES: [&str; 6] = ["below_tlow", "above_thigh", "gradient_increase", "gradient_decrease", "other", "held"];
/// Names of what an update answers.
pub const KINDS: [&str; 8] = ["rtt", "timeout", "load", "host_rate", "idle_restart", "loss", "reaction", "nak"];

/// The device.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct DeviceReport {
    pub device: String,
    pub transport: String,
    pub board: String,
    pub bar: u32,
    pub offset: u32,
    pub register_bytes: u64,
    pub core_version: String,
    pub flows: u32,
    pub flows_in_use: u32,
    pub bus_bits: u32,
    pub segments: u32,
    pub clock_ps: u32,
    pub ready: bool,
    pub enabled: bool,
    pub stopped: bool,
    pub time_ns: u64,
    pub mac: String,
    pub ipv4: String,
    pub ipv6: String,
    pub udp_port: u16,
    pub heartbeat_us: f64,
    pub heartbeat_lost: bool,
    /// The heartbeat is armed, and nobody kicks it.
    #[serde(default)]
    pub heartbeat_unfed: bool,
    pub dma_running: bool,
    /// Changes are in force that could not be saved yet.
    #[serde(default)]
    pub unsaved: bool,
    /// Event records since the driver opened or reset the NIC.
    #[serde(default)]
    pub recorded: EventReport,
    pub counters: BTreeMap<String, u32>,
}

impl DeviceReport {
    /// Of what a NIC says of itself.
    pub fn new(i: Info, flows_in_use: u32) -> Self {
        DeviceReport {
            device: i.device,
            transport: i.transport.into(),
            board: i.placed.board.name.into(),
            bar: i.placed.place.bar,
            offset: i.placed.place.offset,
            register_bytes: i.placed.bytes,
            core_version: i.version.map(|v| v.to_string()).join("."),
            flows: i.flows,
            flows_in_use,
            bus_bits: i.bus_bits,
            segments: i.segments,
            clock_ps: i.clock_ps,
            ready: i.ready,
            enabled: i.enabled,
            stopped: i.stopped,
            time_ns: i.time_ns,
            mac: print_mac(i.mac),
            ipv4: i.ipv4.to_string(),
            ipv6: i.ipv6.to_string(),
            udp_port: i.udp_port,
            heartbeat_us: f64::from(i.heartbeat_clocks) * f64::from(i.clock_ps) / 1e6,
            heartbeat_lost: i.heartbeat_lost,
            heartbeat_unfed: i.heartbeat_unfed,
            dma_running: i.dma_running,
            unsaved: false,
            recorded: i.recorded.into(),
            counters: i.counters.into_iter().collect(),
        }
    }
}

/// A flow's telemetry.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct FlowTelemetry {
    pub flow: u32,
    pub rate_mbps: f64,
    pub rtt_min_ns: Option<u32>,
    pub rtt_last_ns: Option<u32>,
    pub rtt_smoothed_ns: Option<f64>,
    pub sample_age_us: Option<f64>,
    pub packets: u32,
    pub wire_bytes: u64,
    pub segments: u32,
    pub samples: u32,
    pub timeouts: u32,
    pub acks: u32,
    pub acks_stale: u32,
    pub acks_repeated: u32,
    pub acks_forged: u32,
    pub segments_lost: u32,
    pub updates: u32,
    pub below_tlow: u32,
    pub above_thigh: u32,
    pub gradient_increase: u32,
    pub gradient_decrease: u32,
    pub other: u32,
    pub hyperactive: u32,
    pub last_branch: String,
    pub superseded: u32,
}

impl FlowTelemetry {
    /// Of a flow's record.
    pub fn new(flow: u32, t: &TelemetryRecord) -> Self {
        let [below_tlow, above_thigh, gradient_increase, gradient_decrease, other] = t.branches;
        FlowTelemetry {
            flow,
            rate_mbps: Mbps::from_register(t.rate).0,
            rtt_min_ns: t.rtt.map(|r| r.min_ns),
            rtt_last_ns: t.rtt.map(|r| r.last_ns),
            rtt_smoothed_ns: t.rtt.map(|r| f64::from(r.smoothed_q8) / f64::from(1u32 << SMOOTHED_FRACTION)),
            sample_age_us: t.sample_age_us(),
            packets: t.packets,
            wire_bytes: t.wire_bytes,
            segments: t.segments,
            samples: t.samples,
            timeouts: t.timeouts,
            acks: t.acks,
            acks_stale: t.stale,
            acks_repeated: t.repeated,
            acks_forged: t.forged,
            segments_lost: t.lost,
            updates: t.updates,
            below_tlow,
            above_thigh,
            gradient_increase,
            gradient_decrease,
            other,
            hyperactive: t.hyperactive,
            last_branch: BRANCHES.get(usize::from(t.last_branch)).copied().unwrap_or("unknown").into(),
            superseded: t.superseded,
        }
    }
}

/// Percentiles of a profile's signal (RTT, or what the profile takes in its place), ns: the upper
/// end of the bin that has them, whose values are within 1/16 of each other.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct Percentiles {
    pub profile: u32,
    pub samples: u64,
    pub mean_ns: Option<f64>,
    pub p50_ns: Option<u32>,
    pub p90_ns: Option<u32>,
    pub p99_ns: Option<u32>,
    pub p999_ns: Option<u32>,
}

impl Percentiles {
    /// Of a profile's histogram, and the least value of it where that is known.
    pub fn new(profile: u32, h: &Histogram, least_ns: Option<u32>) -> Self {
        // The upper end of the bin: no percentile is said to be better than it is.
        let at = |part| h.quantile(part).map(|q| q.1);
        Percentiles {
            profile,
            samples: h.total(),
            mean_ns: h.mean(least_ns),
            p50_ns: at(0.5),
            p90_ns: at(0.9),
            p99_ns: at(0.99),
            p999_ns: at(0.999),
        }
    }
}

/// Telemetry of flows, and of the profiles in use.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct Telemetry {
    pub time_ns: u64,
    pub flows: Vec<FlowTelemetry>,
    pub profiles: Vec<Percentiles>,
}

/// A flow as it was configured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FlowReport {
    /// Number of the flow.
    pub flow: u32,
    /// Configuration of the flow; `None` when another program made it.
    pub spec: Option<FlowSpec>,
    /// Note of a flow that was added or set: flows are stopped, or nothing can mark its packets.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// A profile.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ProfileReport {
    /// Number of the profile.
    pub profile: u32,
    /// Law of the profile's rates, or `unset`.
    pub law: String,
    /// Configuration of the profile; `None` when another program set it.
    pub spec: Option<ProfileSpec>,
    /// Parameters with their units; empty without `spec`.
    pub settings: BTreeMap<String, String>,
    /// The fields of its words, as the register map names them.
    pub fields: BTreeMap<String, u32>,
    /// Note of a profile that was set: it lets flows exceed the line, or nothing can mark a flow.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// A register.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RegisterReport {
    /// Block and name.
    pub register: String,
    /// Offset in the register map.
    pub offset: u32,
    /// Value; a register that can only be written has no report.
    pub value: Option<u32>,
    /// Fields of the value.
    pub fields: BTreeMap<String, u32>,
}

/// Clocks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ClockReport {
    /// The NIC's time, ns.
    pub time_ns: u64,
    /// The fit, when there were enough pairs.
    pub fit: Option<Fit>,
}

/// Events.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct EventReport {
    pub records: u64,
    pub lost: u64,
    pub broken: u64,
}

impl From<Drained> for EventReport {
    fn from(d: Drained) -> Self {
        EventReport { records: d.records, lost: d.lost, broken: d.broken }
    }
}

/// The port.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PortReport {
    /// Configuration of the port; `None` when it was not set.
    pub spec: Option<PortSpec>,
    /// How far ahead Corundum's DMA is asked for packets; `None` on other boards.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ahead: Option<AheadReport>,
    /// Note of a port that was set: profiles let flows exceed its line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// How far ahead packets are asked for behind Corundum's DMA, and what that allows.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct AheadReport {
    pub dma_ns: u32,
    pub lead_ns: u32,
    /// Wire bytes that a flow at line rate has charged until its packets have left.
    pub line_cap_bytes: u64,
    /// Rate that the 32 requests of an unchanged Corundum carry, in packets of 1,514 bytes.
    pub table_mbps: f64,
}

impl AheadReport {
    /// Of a request, on a line of that rate.
    pub fn new(r: &Request, line_mbps: f64) -> Self {
        AheadReport { dma_ns: r.dma_ns, lead_ns: r.lead_ns(), line_cap_bytes: r.bytes(line_mbps), table_mbps: r.table_mbps(1538) }
    }
}
