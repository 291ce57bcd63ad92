//! Snapshots of telemetry, ready to be written: each host's flows, each field of their records
//! under its name in the register pages.
use crate::frame::NodeId;
use serde::Serialize;
use std::collections::BTreeMap;
use timely_regs::telemetry::{FIELDS, TelemetryRecord};

/// The snapshots of all hosts.
#[derive(Serialize)]
pub struct Snapshots {
    hosts: Vec<Host>,
}

#[derive(Serialize)]
struct Host {
    host: NodeId,
    /// In order; fields by name.
    flows: Vec<BTreeMap<&'static str, u32>>,
}

fn record(r: &TelemetryRecord) -> BTreeMap<&'static str, u32> {
    let words = r.to_words();
    FIELDS.iter().map(|f| (f.name, f.get(&words))).collect()
}

impl Snapshots {
    /// The snapshots of hosts, flows in order.
    pub fn of(hosts: &[(NodeId, Vec<TelemetryRecord>)]) -> Self {
        Snapshots { hosts: hosts.iter().map(|(host, flows)| Host { host: *host, flows: flows.iter().map(record).collect() }).collect() }
    }
}
