//! A flow as the network sees it: what its receiver got and when, when its packets left, when it was complete.
use super::Windows;
use super::histogram::Log;
use crate::frame::{FlowId, Frame, NodeId};
use crate::time::Ps;

/// A flow of the scenario.
#[derive(Clone, Debug, PartialEq)]
pub struct FlowInfo {
    /// Its sender.
    pub src: NodeId,
    /// Its receiver.
    pub dst: NodeId,
    /// Its number at the sender.
    pub id: FlowId,
    /// When it starts.
    pub start: Ps,
    /// Payload bytes; `None` for endless.
    pub bytes: Option<u64>,
}

/// A flow and what was measured of it.
#[derive(Clone, Debug)]
pub struct FlowRecord {
    /// The flow.
    pub info: FlowInfo,
    /// Payload bytes delivered.
    pub payload: u64,
    /// Payload bytes delivered in the steady part.
    pub payload_steady: u64,
    /// Wire bytes delivered in the steady part.
    pub wire_steady: u64,
    /// Data packets delivered.
    pub packets: u64,
    /// ACKs delivered.
    pub acks: u64,
    /// Wire bytes delivered in each bin of the run; empty in large runs.
    pub series: Vec<u32>,
    /// Gaps between starts of consecutive packets at the sender, picoseconds, in the steady part.
    pub gaps: Log,
    /// Start to the arrival of the ACK of the segment that completed the flow.
    pub completion: Option<Ps>,
    last_departure: Option<Ps>,
    completing: Option<u32>,
}

impl FlowRecord {
    pub(super) fn new(info: FlowInfo, windows: &Windows, series: bool) -> Self {
        let series = vec![0; if series { windows.end.div_ceil(windows.bin) as usize } else { 0 }];
        FlowRecord {
            info,
            payload: 0,
            payload_steady: 0,
            wire_steady: 0,
            packets: 0,
            acks: 0,
            series,
            gaps: Log::default(),
            completion: None,
            last_departure: None,
            completing: None,
        }
    }

    pub(super) fn departed(&mut self, start: Ps, steady: Ps) {
        if let Some(last) = self.last_departure.replace(start)
            && last >= steady
        {
            self.gaps.add(start - last);
        }
    }

    pub(super) fn arrived(&mut self, frame: &Frame, end: Ps, windows: &Windows) {
        let meta = &frame.meta;
        if meta.ack {
            self.acks += 1;
            if self.completion.is_none() && self.completing == Some(meta.segment) {
                self.completion = Some(end - self.info.start);
            }
            return;
        }
        let (payload, wire) = (u64::from(meta.payload), frame.wire_bytes());
        self.payload += payload;
        self.packets += 1;
        if let Some(bin) = self.series.get_mut((end / windows.bin) as usize) {
            *bin += wire;
        }
        if end >= windows.steady {
            self.payload_steady += payload;
            self.wire_steady += u64::from(wire);
        }
        if self.completing.is_none() && self.info.bytes.is_some_and(|b| self.payload >= b) {
            self.completing = Some(meta.segment);
        }
    }
}
