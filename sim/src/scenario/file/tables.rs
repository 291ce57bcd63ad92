//! The tables and fields of a scenario file; `docs/simulator.md` tells what they mean.
use crate::frame::NodeId;
use crate::quantity::Quantity;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::PathBuf;
use toml::Spanned;

pub(super) type Number = Option<Spanned<Quantity>>;

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields)]
pub(super) struct File {
    pub name: Option<String>,
    pub duration_ms: Number,
    pub steady_from: Number,
    pub seed: Option<u64>,
    pub base_rtt_us: Number,
    #[serde(default)]
    pub watch: Vec<Spanned<String>>,
    pub series: Option<bool>,
    #[serde(default)]
    pub link: LinkTable,
    #[serde(default)]
    pub switch: SwitchTable,
    pub topology: TopologyTable,
    #[serde(default)]
    pub nic: NicTable,
    #[serde(default)]
    pub profile: BTreeMap<String, ProfileTable>,
    #[serde(default)]
    pub flow: Vec<FlowTable>,
    pub flows_file: Option<PathBuf>,
    pub flows: Option<Spanned<FlowDefaults>>,
    #[serde(default)]
    pub load: Vec<LoadTable>,
    #[serde(default)]
    pub incast: Vec<IncastTable>,
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields)]
pub(super) struct LinkTable {
    pub rate_gbps: Number,
    pub delay_ns: Number,
    pub loss: Number,
    pub damage: Number,
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields)]
pub(super) struct SwitchTable {
    pub latency_ns: Number,
    pub xoff_kb: Number,
    pub xon_kb: Number,
    pub buffer_kb: Number,
    pub ack_priority: Option<bool>,
    pub headroom_kb: Number,
    pub dynamic: Number,
    pub mark_kb: Number,
    pub mark_most_kb: Number,
    pub mark_chance: Number,
    pub mark_at: Option<Spanned<String>>,
    pub mark_pi: Option<Spanned<PiTable>>,
    pub feedback_jitter_us: Number,
    pub feedback_every_us: Number,
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields)]
pub(super) struct PiTable {
    pub reference_kb: Number,
    pub proportional: Number,
    pub integral: Number,
    pub period_us: Number,
    pub most: Number,
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields)]
pub(super) struct TopologyTable {
    pub hosts: Number,
    pub nodes: Number,
    #[serde(default)]
    pub switches: Vec<NodeId>,
    #[serde(default)]
    pub link: Vec<OneLink>,
    pub file: Option<PathBuf>,
    pub dumbbell: Option<DumbbellTable>,
    pub parking_lot: Option<ParkingLotTable>,
    pub leaf_spine: Option<LeafSpineTable>,
    pub fat_tree: Option<FatTreeTable>,
    pub trunk_gbps: Number,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct DumbbellTable {
    pub left: Number,
    pub right: Number,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ParkingLotTable {
    pub switches: Number,
    pub hosts: Number,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct LeafSpineTable {
    pub leaves: Number,
    pub spines: Number,
    pub hosts: Number,
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields)]
pub(super) struct FatTreeTable {
    pub k: Number,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct OneLink {
    pub from: NodeId,
    pub to: NodeId,
    pub rate_gbps: Number,
    pub delay_ns: Number,
    pub loss: Number,
    pub damage: Number,
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields)]
pub(super) struct NicTable {
    pub kind: Option<Spanned<String>>,
    pub form: Option<Spanned<String>>,
    pub host_kb: Number,
    pub dma_ns: Option<Spanned<Range>>,
    pub streams: Option<bool>,
    pub bus_bits: Number,
    pub flow_bits: Number,
    pub clock_mhz: Number,
    pub ppm: Number,
    pub fifo_jitter_ns: Number,
    pub ack_delay_ns: Number,
    pub slot_us: Number,
    pub software_jitter_us: Number,
    pub subtract_own_burst: Option<bool>,
    pub spacing_mbps: Number,
    pub rtt_noise_us: Number,
    pub lateness_file: Option<String>,
    pub rtt_noise: Option<String>,
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields)]
pub(super) struct ProfileTable {
    pub like: Option<Spanned<String>>,
    pub signal: Option<Spanned<String>>,
    pub signal_base_us: Number,
    pub alpha: Number,
    pub beta: Number,
    pub t_low_us: Number,
    pub t_high_us: Number,
    pub min_rtt_us: Number,
    pub update_interval_us: Number,
    pub additive_step_mbps: Number,
    pub hyperactive_after: Number,
    pub hyperactive_factor: Number,
    pub initial_mbps: Number,
    pub least_mbps: Number,
    pub greatest_mbps: Number,
    pub outstanding_kb: Number,
    pub timeout_us: Number,
    pub idle_us: Number,
    pub idle_mbps: Number,
    pub use_window_us: Number,
    pub loss_decrease: Number,
    pub reference_us: Number,
    pub error_beta: Number,
    pub integral_gain: Number,
    pub proportional_gain: Number,
    pub base_target_us: Number,
    pub flow_range_us: Number,
    pub flow_least_packets: Number,
    pub flow_most_packets: Number,
    pub alpha_gain: Number,
    pub cnp_interval_us: Number,
    pub alpha_timer_us: Number,
    pub rate_timer_us: Number,
    pub byte_counter_kb: Number,
    pub fast_stages: Number,
    pub hyper_step_mbps: Number,
    pub algorithm_1: Option<bool>,
    pub control: Option<Spanned<String>>,
    pub dcqcn: Option<Spanned<DcqcnTable>>,
    pub pi_host: Option<Spanned<PiHostTable>>,
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields)]
pub(super) struct PiHostTable {
    pub start: Number,
    pub gain: Number,
    pub ratio: Number,
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields)]
pub(super) struct DcqcnTable {
    pub gain: Number,
    pub cnp_us: Number,
    pub cnp_grid: Option<bool>,
    pub alpha_timer_us: Number,
    pub timer_us: Number,
    pub counter_kb: Number,
    pub stages: Number,
    pub increase_mbps: Number,
    pub hyper_mbps: Number,
}

/// A time, or the least and the greatest.
#[derive(Deserialize)]
#[serde(untagged)]
pub(super) enum Range {
    Always(Quantity),
    Between([Quantity; 2]),
}

#[derive(Deserialize)]
#[serde(untagged)]
pub(super) enum Hosts {
    One(NodeId),
    Many(Vec<NodeId>),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct FlowTable {
    pub from: Spanned<Hosts>,
    pub to: Spanned<NodeId>,
    pub connections: Number,
    pub profile: Option<Spanned<String>>,
    pub start_us: Number,
    pub stagger_us: Number,
    pub stop_us: Number,
    pub bytes: Number,
    pub messages: Number,
    pub every_us: Number,
    pub packet_bytes: Number,
    pub segment_bytes: Number,
    pub class: Number,
    #[serde(default)]
    pub read: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct LoadTable {
    pub from: Option<Spanned<Hosts>>,
    pub to: Option<Spanned<Hosts>>,
    pub sizes: Option<Spanned<String>>,
    pub bytes: Number,
    pub load: Spanned<f64>,
    pub connections: Option<Spanned<String>>,
    pub peers: Number,
    #[serde(default)]
    pub farthest: bool,
    pub reply_bytes: Number,
    #[serde(default)]
    pub read: bool,
    pub start_us: Number,
    pub until_us: Number,
    pub profile: Option<Spanned<String>>,
    pub packet_bytes: Number,
    pub segment_bytes: Number,
    pub class: Number,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct IncastTable {
    pub from: Option<Spanned<Hosts>>,
    pub to: Spanned<NodeId>,
    pub senders: Number,
    pub bytes: Spanned<Quantity>,
    pub start_us: Number,
    pub every_us: Number,
    pub times: Number,
    pub profile: Option<Spanned<String>>,
    pub packet_bytes: Number,
    pub segment_bytes: Number,
    pub class: Number,
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields)]
pub(super) struct FlowDefaults {
    pub profile: Option<Spanned<String>>,
    pub packet_bytes: Number,
    pub segment_bytes: Number,
}
