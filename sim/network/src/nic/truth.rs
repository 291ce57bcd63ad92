//! The true path times of segments at a bit-true NIC, and which of its samples each belongs to.
use crate::frame::{FlowId, Frame};
use crate::time::Ps;
use std::collections::{BTreeMap, VecDeque};

/// Clocks from an ACK's last beat to its sample: it is parsed, and looked up.
pub const SAMPLE_CLOCKS: u64 = timely_model::parse::LATENCY + 4;

/// A round trip as the network saw it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Trip {
    /// When the ACK's first bit arrived.
    pub at: Ps,
    /// From the end of the segment's last packet to then.
    pub path: Ps,
    // The clock of its sample, if the NIC takes one: a stale ACK gives none.
    due: u64,
}

/// Segments on their way, and round trips that are complete but not sampled yet.
#[derive(Debug, Default)]
pub struct Truth {
    // By flow: segment and end of its last packet, in order.
    sent: BTreeMap<FlowId, VecDeque<(u32, Ps)>>,
    returned: BTreeMap<FlowId, VecDeque<Trip>>,
}

impl Truth {
    /// A frame's last bit leaves at `end`, counted on the scale on which its first byte, behind the
    /// preamble, is its start.
    pub fn sent(&mut self, frame: &Frame, end: Ps) {
        if frame.meta.last && !frame.meta.ack {
            self.sent.entry(frame.flow).or_default().push_back((frame.meta.segment, end));
        }
    }

    /// A frame that arrived at `start` is handed to the NIC at clock `clk`.
    pub fn received(&mut self, frame: &Frame, start: Ps, clk: u64) {
        if !frame.meta.ack || frame.bad {
            return;
        }
        let Some(sent) = self.sent.get_mut(&frame.flow) else { return };
        // Within a flow nothing overtakes, so what was sent before this segment is lost.
        if let Some(at) = sent.iter().position(|s| s.0 == frame.meta.segment)
            && let Some((_, end)) = sent.drain(..=at).next_back()
        {
            let trip = Trip { at: start, path: start.saturating_sub(end), due: clk + SAMPLE_CLOCKS };
            self.returned.entry(frame.flow).or_default().push_back(trip);
        }
    }

    /// The NIC sampled a round trip of the flow at clock `clk`: the trip that it is of, if the NIC
    /// took it as one.
    pub fn sampled(&mut self, flow: FlowId, clk: u64) -> Option<Trip> {
        let waiting = self.returned.get_mut(&flow)?;
        while waiting.front().is_some_and(|t| t.due < clk) {
            waiting.pop_front();
        }
        waiting.pop_front_if(|t| t.due == clk)
    }
}
