//! Lost packets at event-level hosts, told and taken as the hardware does
//! (`timely_model::ack::loss`, `timely_model::engine`).
use crate::frame::{FlowId, Frame, NodeId};
use crate::time::Ps;
use std::collections::HashMap;
use timely_model::ack::loss::AHEAD;
use timely_regs::wire::Loss;

#[derive(Clone, Copy, Debug, Default)]
struct Entry {
    segment: u32,
    // Packets of it that came; `None` when its last did.
    seen: Option<u32>,
    skipped: u32,
}

/// Arrivals of each flow of each source, any number of them.
#[derive(Debug, Default)]
pub struct Arrivals {
    flows: HashMap<(NodeId, FlowId), Entry>,
}

impl Arrivals {
    /// A data packet: how many segments lost packets, as its ACK is to say if it is a last one.
    pub fn count(&mut self, f: &Frame) -> u8 {
        let meta = &f.meta;
        let known = self.flows.get(&(f.src, f.flow)).copied();
        let ahead = known.map(|e| meta.segment.wrapping_sub(e.segment));
        let entry = match (known, ahead) {
            (Some(e), Some(0)) if e.seen.is_some() => Entry { seen: e.seen.map(|n| n + 1), ..e },
            (Some(e), Some(n)) if n > 0 && n < AHEAD.into() => {
                Entry { segment: meta.segment, seen: Some(1), skipped: e.skipped + n - 1 + u32::from(e.seen.is_some()) }
            }
            // Late.
            (Some(_), Some(n)) if n == 0 || n >= u32::from(AHEAD).wrapping_neg() => return 0,
            // Of a beginning that was not seen nothing is known.
            _ => Entry { segment: meta.segment, seen: Some(if meta.packet == 0 { 1 } else { u32::MAX / 2 }), skipped: 0 },
        };
        let lost = match entry.seen {
            Some(seen) if seen <= u32::from(meta.packet) => entry.skipped.min(Loss::MOST.into()) + 1,
            Some(seen) if seen == u32::from(meta.packet) + 1 => entry.skipped.min(Loss::MOST.into()),
            _ => 0,
        };
        let after = if meta.last { Entry { seen: None, skipped: 0, ..entry } } else { entry };
        self.flows.insert((f.src, f.flow), after);
        lost as u8
    }
}

/// When a flow's losses count: at most one in an RTT.
#[derive(Clone, Copy, Debug)]
pub struct Losses {
    falls: bool,
    last: Option<Ps>,
}

impl Losses {
    /// Losses of a flow, with or without a decrease by loss in its profile.
    pub fn new(falls: bool) -> Self {
        Losses { falls, last: None }
    }

    /// An ACK that tells of `lost` segments, handled at `now` after a round trip of `rtt`, lowers
    /// the rate.
    pub fn counts(&mut self, lost: u8, rtt: Ps, now: Ps) -> bool {
        let counts = self.falls && lost > 0 && self.last.is_none_or(|last| now - last >= rtt);
        if counts {
            self.last = Some(now);
        }
        counts
    }
}
