//! Outcome of a run.
use super::Plan;
use crate::fabric::flow::Message;
use crate::frame::NodeId;
use crate::metrics::histogram::Log;
use crate::metrics::summary::{QueueKb, watched};
use crate::metrics::{Recorder, Summary};
use crate::nic::Stats;
use crate::pcapng::Capture;
use serde::Serialize;
use timely_regs::telemetry::TelemetryRecord;

/// A run that has ended.
pub struct Outcome {
    /// The plan.
    pub plan: Plan,
    /// Unloaded RTT that the profiles were built on, microseconds.
    pub base_rtt_us: f64,
    /// Everything that was recorded.
    pub recorder: Recorder,
    /// The figures.
    pub summary: Summary,
    /// Counters of each host's NIC, hosts in order.
    pub stats: Vec<Stats>,
    /// Telemetry of each host's flows at the end, flows in order, if the plan wants it.
    pub snapshots: Vec<(NodeId, Vec<TelemetryRecord>)>,
    /// Frames at the ports that the plan wants captured.
    pub captures: Vec<Capture>,
    /// The messages of the fabric's flows, flow after flow.
    pub messages: Vec<(u32, Message)>,
    /// True path times of the steady part on the fabric, ps.
    pub rtt: Log,
    /// RTTs that the fabric's NICs measured in the steady part, ps.
    pub measured_rtt: Log,
    /// Measured RTTs of segments with a marked packet, ps.
    pub marked_rtt: Log,
    /// Frames that the fabric put on a wire.
    pub transmissions: u64,
    /// Wall time of the run, seconds.
    pub seconds: f64,
}

/// Figures of a watched port, of the steady part but for the largest queue.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct PortFigures {
    /// The switch.
    pub switch: NodeId,
    /// Number of the port there.
    pub port: u16,
    /// Share of the link's wire bits in use.
    pub utilization: f64,
    /// Queue of the port.
    pub queue_kb: QueueKb,
    /// Largest queue of the whole run.
    pub queue_max_kb: f64,
}

impl Outcome {
    /// Figures of all watched ports, the bottleneck's first.
    pub fn ports(&self) -> impl Iterator<Item = PortFigures> + '_ {
        let seconds = self.recorder.windows.seconds().unwrap_or(f64::NAN);
        self.recorder.taps.iter().map(move |tap| {
            let speed = self.plan.topology.link(tap.node, tap.port).speed;
            let (utilization, queue_kb, queue_max_kb) = watched(Some(tap), seconds, speed);
            PortFigures { switch: tap.node, port: tap.port, utilization, queue_kb, queue_max_kb }
        })
    }
}
