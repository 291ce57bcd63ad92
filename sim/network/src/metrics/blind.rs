//! Flows that a NIC is blind for: they have ended segments on their way, and hear nothing of them.
use crate::frame::{FlowId, NodeId};
use crate::nic::Outbox;
use crate::run::Observer;
use crate::time::Ps;
use std::collections::BTreeMap;

/// A flow by its sender and its number there.
type Key = (NodeId, FlowId);

#[derive(Clone, Copy, Debug, Default)]
struct Flow {
    /// The last ended segment that left, and the last one that its receiver answered.
    ended: Option<u32>,
    answered: Option<u32>,
    /// From when it has had an ended segment outstanding and heard neither of a sample nor of a
    /// time-out.
    since: Option<Ps>,
    /// For how long that was at most.
    longest: Ps,
}

/// Looks on and keeps for how long each flow heard nothing.
#[derive(Debug, Default)]
pub struct Blind {
    flows: BTreeMap<Key, Flow>,
    /// Samples, time-outs.
    heard: [u64; 2],
}

impl Blind {
    fn hears(&mut self, key: Key, at: Ps) {
        let f = self.flows.entry(key).or_default();
        f.longest = f.longest.max(f.since.map_or(0, |s| at.saturating_sub(s)));
        // The wait for segments that are not answered by now starts now.
        f.since = (f.ended != f.answered).then_some(at);
    }

    /// For how long each flow that sent anything heard nothing at most, when the run ended at
    /// `end`.
    pub fn longest(&self, end: Ps) -> Vec<Ps> {
        self.flows.values().map(|f| f.longest.max(f.since.map_or(0, |s| end.saturating_sub(s)))).collect()
    }

    /// Samples and time-outs of all flows.
    pub fn heard(&self) -> [u64; 2] {
        self.heard
    }
}

impl Observer for &mut Blind {
    fn progress(&mut self, _now: Ps) {}

    fn host(&mut self, node: NodeId, done: &Outbox) {
        for d in &done.departures {
            let (frame, meta) = (&d.frame, &d.frame.meta);
            if meta.ack {
                let f = self.flows.entry((frame.dst, frame.flow)).or_default();
                f.answered = Some(meta.segment);
            } else if meta.last && frame.flow != crate::frame::FOREIGN {
                let f = self.flows.entry((node, frame.flow)).or_default();
                f.ended = Some(meta.segment);
                f.since = f.since.or(Some(d.end));
            }
        }
        let samples = done.rtts.iter().map(|r| (r.at, r.flow));
        let all = samples.chain(done.timeouts.iter().map(|t| (t.at, t.flow)));
        let mut all: Vec<_> = all.collect();
        all.sort_unstable();
        all.into_iter().for_each(|(at, flow)| self.hears((node, flow), at));
        self.heard[0] += done.rtts.len() as u64;
        self.heard[1] += done.timeouts.len() as u64;
    }
}
