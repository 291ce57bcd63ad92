//! Measurements of a run: taps on queues, flows by what arrives, round trips, gaps between
//! departures.
pub mod blind;
pub mod flow;
pub mod histogram;
pub mod summary;
pub mod tap;

pub use flow::{FlowInfo, FlowRecord, Rounded};
pub use summary::Summary;
pub use tap::Tap;

use crate::frame::{FlowId, Frame, NodeId};
use crate::nic::{Outbox, RateSample, RttSample};
use crate::time::Ps;
use serde::Serialize;

/// The windows of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Windows {
    /// Start of the series of bins and samples.
    pub from: Ps,
    /// Start of the steady part, over which figures are taken.
    pub steady: Ps,
    /// End of the run.
    pub end: Ps,
    /// Width of a bin of the rate series.
    pub bin: Ps,
}

impl Windows {
    /// Length of the steady part; `None`: the run ended with its last flow before it.
    pub fn seconds(&self) -> Option<f64> {
        let length = self.end.saturating_sub(self.steady);
        (length > 1).then_some(length as f64 * 1e-12)
    }
}

/// A round trip with the flow's index in the scenario.
#[derive(Clone, Copy, Debug)]
pub struct Rtt {
    /// Flow index.
    pub flow: u32,
    /// The sample.
    pub sample: RttSample,
}

/// A rate with the flow's index in the scenario.
#[derive(Clone, Copy, Debug)]
pub struct Rate {
    /// Flow index.
    pub flow: u32,
    /// The sample.
    pub sample: RateSample,
}

/// Congestion marks that arrived.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Marks {
    /// Data packets that reached their receivers.
    pub packets: u64,
    /// Data packets that a switch had marked.
    pub marked_packets: u64,
    /// ACKs that reached their senders.
    pub acks: u64,
    /// ACKs that echo a mark.
    pub marked_acks: u64,
}

impl Marks {
    /// Counts a packet, or an ACK.
    pub fn count(&mut self, ack: bool, marked: bool) {
        let (all, of) = if ack { (&mut self.acks, &mut self.marked_acks) } else { (&mut self.packets, &mut self.marked_packets) };
        *all += 1;
        *of += u64::from(marked);
    }
}

/// Collects while a network runs.
#[derive(Debug)]
pub struct Recorder {
    /// The windows.
    pub windows: Windows,
    /// Flows in the scenario's order.
    pub flows: Vec<FlowRecord>,
    // [source][flow at source]: index.
    index: Vec<Vec<u32>>,
    /// Round trips, in the order of time once the run has ended.
    pub rtts: Vec<Rtt>,
    /// Rates, likewise.
    pub rates: Vec<Rate>,
    /// Watched queues.
    pub taps: Vec<Tap>,
    /// Packets and ACKs of the steady part, and marks in them.
    pub marks: Marks,
    /// Transitions to paused that switches signalled.
    pub pauses: u64,
    /// Transitions to paused in the steady part.
    pub pauses_steady: u64,
    /// Frames that switches had no room for.
    pub dropped: u64,
    /// Frames lost on links.
    pub lost: u64,
    /// ACKs lost on links.
    pub lost_acks: u64,
    /// Frames damaged on links.
    pub damaged: u64,
    /// Frames that hosts sent.
    pub frames: u64,
    /// Largest sum that one ingress port had in a switch's buffer.
    pub ingress_max: u64,
    // Flows that are not complete; endless ones never are.
    incomplete: usize,
}

impl Recorder {
    /// For these flows in a network of `nodes` nodes.
    pub fn new(windows: Windows, nodes: usize, flows: Vec<FlowInfo>) -> Self {
        Self::sized(windows, nodes, flows, true)
    }

    /// A recorder with series of rates or without.
    pub fn sized(windows: Windows, nodes: usize, flows: Vec<FlowInfo>, series: bool) -> Self {
        let mut index: Vec<Vec<u32>> = vec![Vec::new(); nodes];
        for (i, f) in flows.iter().enumerate() {
            let of_source = &mut index[usize::from(f.src)];
            if of_source.len() <= f.id as usize {
                of_source.resize(f.id as usize + 1, u32::MAX);
            }
            of_source[f.id as usize] = i as u32;
        }
        let flows: Vec<FlowRecord> = flows.into_iter().map(|f| FlowRecord::new(f, &windows, series)).collect();
        Recorder {
            windows,
            incomplete: flows.len(),
            flows,
            index,
            rtts: Vec::new(),
            rates: Vec::new(),
            taps: Vec::new(),
            marks: Marks::default(),
            pauses: 0,
            pauses_steady: 0,
            dropped: 0,
            lost: 0,
            lost_acks: 0,
            damaged: 0,
            frames: 0,
            ingress_max: 0,
        }
    }

    /// The scenario's index of a flow.
    pub fn flow(&self, src: NodeId, flow: FlowId) -> Option<usize> {
        let i = *self.index.get(usize::from(src))?.get(flow as usize)?;
        (i != u32::MAX).then_some(i as usize)
    }

    /// A frame leaves its host at `start`.
    pub fn departure(&mut self, frame: &Frame, start: Ps) {
        self.frames += 1;
        if !frame.meta.ack
            && let Some(i) = self.flow(frame.src, frame.flow)
        {
            let steady = self.windows.steady;
            self.flows[i].departed(start, steady);
        }
    }

    /// A frame has arrived at its host at `end`.
    pub fn arrival(&mut self, frame: &Frame, end: Ps) {
        if frame.bad || end >= self.windows.end {
            return;
        }
        if end >= self.windows.steady && frame.flow != crate::frame::FOREIGN {
            self.marks.count(frame.meta.ack, frame.meta.marked);
        }
        let sender = if frame.meta.ack { frame.dst } else { frame.src };
        if let Some(i) = self.flow(sender, frame.flow) {
            let (windows, before) = (self.windows, self.flows[i].completion);
            self.flows[i].arrived(frame, end, &windows);
            if before.is_none() && self.flows[i].completion.is_some() {
                self.incomplete -= 1;
                if self.is_complete() {
                    // Frames still on their way were sent in vain, and are no part of the figures.
                    self.windows.end = end.clamp(self.windows.steady + 1, self.windows.end);
                    self.taps.iter_mut().for_each(|tap| tap.end_at(self.windows.end));
                }
            }
        }
    }

    /// Wire bytes of endless flows in the steady part, but for flows that had stopped before it.
    pub fn shares(&self) -> Vec<f64> {
        let runs = |f: &&FlowRecord| f.info.bytes.is_none() && f.info.stop.is_none_or(|stop| stop > self.windows.steady);
        self.flows.iter().filter(runs).map(|f| f.wire_steady as f64).collect()
    }

    /// Every flow is complete: nothing else will be sent but what was sent before.
    pub fn is_complete(&self) -> bool {
        self.incomplete == 0 && !self.flows.is_empty()
    }

    /// Records the samples of a host.
    pub fn samples(&mut self, host: NodeId, out: &Outbox) {
        for r in &out.rtts {
            if let Some(i) = self.flow(host, r.flow) {
                self.rtts.push(Rtt { flow: i as u32, sample: *r });
            }
        }
        for r in &out.rates {
            if let Some(i) = self.flow(host, r.flow) {
                self.rates.push(Rate { flow: i as u32, sample: *r });
            }
        }
    }

    /// A switch pauses a neighbour.
    pub fn paused(&mut self, at: Ps) {
        self.pauses += 1;
        self.pauses_steady += u64::from(at >= self.windows.steady);
    }

    /// Closes the record: samples in the order of time, whatever order hosts were run in. When all
    /// flows had an end and came to it, the record ends with the last of them.
    pub fn finish(&mut self) {
        let ends: Option<Vec<Ps>> = self.flows.iter().map(|f| f.completion.map(|c| f.info.start + c)).collect();
        if let Some(last) = ends.and_then(|e| e.into_iter().max()) {
            self.windows.end = last.clamp(self.windows.steady + 1, self.windows.end);
        }
        self.rtts.sort_by_key(|r| (r.sample.at, r.flow));
        self.rates.sort_by_key(|r| (r.sample.at, r.flow));
        for tap in &mut self.taps {
            tap.finish(self.windows.end);
        }
    }
}
