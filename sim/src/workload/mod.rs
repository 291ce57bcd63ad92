//! Traffic from a few numbers: messages of drawn sizes at a load, remote procedure calls, incasts.
//! Everything is drawn by seed.
pub mod sizes;

use crate::frame::NodeId;
use crate::nic::stream::HEADERS;
use crate::scenario::{FlowPlan, Plan};
use crate::time::{NEVER, Ps, wire_bytes};
use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use sizes::Sizes;
use std::collections::BTreeMap;

/// Messages that hosts send to random others, with exponential gaps.
#[derive(Clone, Debug)]
pub struct Load {
    /// Senders.
    pub from: Vec<NodeId>,
    /// Receivers; a host doesn't send to itself.
    pub to: Vec<NodeId>,
    /// Sizes of messages.
    pub sizes: Sizes,
    /// Wire bits of data that a sender is given, over what its link carries.
    pub load: f64,
    /// Messages to the same host go one after the other over one flow, which remembers its rate;
    /// else each is a flow of its own.
    pub persistent: bool,
    /// Only those of `to` count whose path from the sender is the longest.
    pub farthest: bool,
    /// Receivers that each sender has, drawn from those; 0: all of them.
    pub peers: usize,
    /// Each message is answered by one of so many bytes, and complete when that has arrived; 0: not
    /// answered.
    pub reply: u64,
    /// From when.
    pub start: Ps,
    /// Until when.
    pub until: Ps,
}

/// Many hosts that send to one at the same time.
#[derive(Clone, Debug)]
pub struct Incast {
    /// Hosts that may send.
    pub from: Vec<NodeId>,
    /// Number of hosts that send, drawn anew each time.
    pub senders: usize,
    /// The receiver.
    pub to: NodeId,
    /// Payload bytes of each sender.
    pub bytes: u64,
    /// Time of the first incast.
    pub start: Ps,
    /// Time to the next one.
    pub every: Ps,
    /// How often.
    pub times: u32,
}

/// Links between two hosts behind one switch.
const NEIGHBOUR: usize = 2;

/// Wire bytes of a message.
fn wire(bytes: f64, packet: u32) -> f64 {
    bytes + (bytes / f64::from(packet)).ceil().max(1.0) * f64::from(wire_bytes(HEADERS))
}

/// The node at a place of a list that lacks these places.
fn beside(list: &[NodeId], without: &[usize], place: usize) -> NodeId {
    list[without.iter().fold(place, |at, own| at + usize::from(at >= *own))]
}

/// Places of a node in a list, in order.
fn places_of(node: NodeId, list: &[NodeId], sorted: bool) -> Vec<usize> {
    if sorted {
        return (list.partition_point(|n| *n < node)..list.partition_point(|n| *n <= node)).collect();
    }
    list.iter().enumerate().filter(|(_, n)| **n == node).map(|(place, _)| place).collect()
}

impl Load {
    // Receivers whose path from a sender is the longest; `own` links are to the sender itself.
    fn farthest_of(&self, plan: &Plan, from: NodeId, own: Option<usize>) -> Vec<NodeId> {
        let hops = |to: NodeId| if to == from { own } else { Some(plan.topology.links_between(from, to).unwrap_or(0)) };
        let all: Vec<Option<usize>> = self.to.iter().map(|to| hops(*to)).collect();
        let most = all.iter().flatten().max();
        self.to.iter().zip(&all).filter(|(_, hops)| hops.is_some() && hops.as_ref() == most).map(|(to, _)| *to).collect()
    }

    /// Adds its flows to a plan, `like` giving them all else; gives the number of their messages,
    /// or `None` and adds nothing when there would be more than `most`.
    pub fn add(&self, plan: &mut Plan, like: &FlowPlan, seed: u64, most: u64) -> Option<u64> {
        let mut messages = 0;
        let mut pairs: BTreeMap<(NodeId, NodeId), Vec<(Ps, u64)>> = BTreeMap::new();
        let mut single = Vec::new();
        let sent = self.sizes.mean_of(|bytes| wire(bytes, like.packet));
        let gap = |from: NodeId| sent * 8e12 / (plan.topology.host_link(from).speed.as_bps() as f64 * self.load);
        // A load that is far too much is not drawn first.
        let expected: f64 = self.from.iter().map(|from| self.until.saturating_sub(self.start) as f64 / gap(*from)).sum();
        if expected > 2.0 * most as f64 + 100.0 {
            return None;
        }
        let places: Vec<usize> = (0..self.to.len()).collect();
        let (sorted, mut far) = (self.to.is_sorted(), BTreeMap::new());
        // Hosts behind one switch have the same hosts farthest.
        let behind = |host: NodeId| Some(plan.topology.ports(host)[0].peer).filter(|n| plan.topology.is_switch(*n)).unwrap_or(host);
        for from in &self.from {
            let mut rng = ChaCha8Rng::seed_from_u64(seed);
            rng.set_stream(u64::from(*from) + 1);
            let gap = gap(*from);
            let alone: Vec<NodeId>;
            let mut to = &self.to;
            if self.farthest {
                to = far.entry(behind(*from)).or_insert_with(|| self.farthest_of(plan, *from, Some(NEIGHBOUR)));
                // The sender has neighbours for others alone.
                if to.iter().all(|n| n == from) {
                    alone = self.farthest_of(plan, *from, None);
                    to = &alone;
                }
            }
            // Others are drawn by their places, without a list of them for every sender: there may
            // be tens of thousands of both.
            let own = places_of(*from, to, sorted);
            let mut others = &places[..to.len() - own.len()];
            let peers: Vec<usize>;
            if self.peers > 0 {
                peers = others.choose_multiple(&mut rng, self.peers).copied().collect();
                others = &peers;
            }
            let mut at = self.start as f64;
            loop {
                at -= (1.0 - rng.random::<f64>()).ln() * gap;
                if at >= self.until as f64 {
                    break;
                }
                let Some(to) = others.choose(&mut rng).map(|place| beside(to, &own, *place)) else { break };
                messages += if self.reply > 0 { 2 } else { 1 };
                if messages > most {
                    return None;
                }
                let bytes = self.sizes.draw(&mut rng);
                if self.persistent || self.reply > 0 {
                    pairs.entry((*from, to)).or_default().push((at as Ps, bytes));
                } else {
                    single.push(FlowPlan { src: *from, dst: to, start: at as Ps, bytes: Some(bytes), messages: 1, ..like.clone() });
                }
            }
        }
        single.sort_by_key(|f| (f.start, f.src));
        plan.flows.append(&mut single);
        for ((src, dst), posts) in pairs {
            // A call that is not on a standing connection is one on a connection of its own.
            let groups: Vec<Vec<(Ps, u64)>> = if self.persistent { vec![posts] } else { posts.into_iter().map(|p| vec![p]).collect() };
            for posts in groups {
                let reply = (self.reply > 0).then(|| {
                    let answers = posts.iter().map(|_| (NEVER, self.reply)).collect();
                    plan.flows.push(FlowPlan { src: dst, dst: src, start: NEVER, posts: answers, ..like.clone() });
                    plan.flows.len() as u32 - 1
                });
                plan.flows.push(FlowPlan { src, dst, start: posts[0].0, posts, reply, ..like.clone() });
            }
        }
        Some(messages)
    }
}

impl Incast {
    /// Adds its flows to a plan.
    pub fn add(&self, plan: &mut Plan, like: &FlowPlan, seed: u64) {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let others: Vec<NodeId> = self.from.iter().copied().filter(|h| *h != self.to).collect();
        for turn in 0..self.times {
            let start = self.start + Ps::from(turn) * self.every;
            let mut senders: Vec<NodeId> = others.choose_multiple(&mut rng, self.senders).copied().collect();
            senders.sort_unstable();
            let flow = |src| FlowPlan { src, dst: self.to, start, bytes: Some(self.bytes), messages: 1, ..like.clone() };
            plan.flows.extend(senders.into_iter().map(flow));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn others_are_the_list_without_the_sender() {
        for list in [&[0, 1, 2, 3][..], &[3, 1, 1, 2], &[1, 1, 2], &[1], &[2, 1], &[]] {
            let own = places_of(1, list, list.is_sorted());
            let others: Vec<NodeId> = (0..list.len() - own.len()).map(|place| beside(list, &own, place)).collect();
            assert_eq!(others, list.iter().copied().filter(|n| *n != 1).collect::<Vec<_>>(), "{list:?}");
        }
    }
}
