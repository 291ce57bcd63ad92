//! Nodes, links, and the shortest paths between hosts.
use crate::frame::NodeId;
use crate::time::{Ps, Speed};
use std::collections::VecDeque;

/// A full-duplex link.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Link {
    /// One end.
    pub a: NodeId,
    /// The other end.
    pub b: NodeId,
    /// Speed of either direction.
    pub speed: Speed,
    /// Propagation delay.
    pub delay: Ps,
    /// Probability that a frame is lost, in either direction; pause frames are spared.
    pub loss: f64,
    /// Probability that a frame arrives damaged: a switch drops it, a NIC's MAC marks it bad.
    pub damage: f64,
}

/// One end of a link at a node.
#[derive(Clone, Copy, Debug)]
pub struct End {
    /// Index of the link.
    pub link: usize,
    /// The node at its other end.
    pub peer: NodeId,
    /// The port there.
    pub peer_port: u16,
}

/// Why a topology cannot be used.
#[derive(Debug, thiserror::Error, PartialEq)]
pub enum Error {
    /// A link names a node that does not exist.
    #[error("link {link} joins node {node}, but nodes are 0 to {last}")]
    NoSuchNode {
        /// The link's index.
        link: usize,
        /// The node it names.
        node: NodeId,
        /// The last node.
        last: usize,
    },
    /// A link whose ends are one node.
    #[error("link {link} joins node {node} to itself; a link joins two nodes")]
    Loop {
        /// The link's index.
        link: usize,
        /// The node.
        node: NodeId,
    },
    /// A node with more links than its ports have numbers.
    #[error("node {node} has {links} links; a node has at most {MOST_PORTS}")]
    Ports {
        /// The node.
        node: NodeId,
        /// Number of the node's links.
        links: usize,
    },
    /// A host without exactly one link.
    #[error("host {host} has {links} links; a host has exactly one")]
    HostLinks {
        /// The host.
        host: NodeId,
        /// Number of the host's links.
        links: usize,
    },
    /// A host link too short for the hosts to be run ahead of the network.
    #[error("the link of host {host} has a delay of {delay} ps; at least {least} ps are needed (it is what the hosts are run ahead by)")]
    TooShort {
        /// The host.
        host: NodeId,
        /// Delay of the link, ps.
        delay: Ps,
        /// The least.
        least: Ps,
    },
    /// No path from one host to another.
    #[error("there is no way from host {from} to host {to}")]
    Unreachable {
        /// The source.
        from: NodeId,
        /// The destination.
        to: NodeId,
    },
}

/// The least delay of a host's link.
pub const LEAST_HOST_DELAY: Ps = 10_000;

/// Most ports of a node: their numbers have 16 bits.
pub const MOST_PORTS: usize = 1 << 16;

/// In place of a switch's number.
const NO_SWITCH: u32 = u32::MAX;
/// In place of a distance.
const FAR: u16 = u16::MAX;

/// A network's shape.
#[derive(Clone, Debug)]
pub struct Topology {
    switch: Vec<bool>,
    links: Vec<Link>,
    ports: Vec<Vec<End>>,
    // Of each host the place of its switch in `hops`; of a switch, or a host without one,
    // `NO_SWITCH`.
    anchor: Vec<u32>,
    // [switch with hosts][node]: switches on the way from a node to that switch.
    hops: Vec<Vec<u16>>,
}

impl Topology {
    /// Checks and routes. `switch[n]` tells whether node `n` is a switch.
    pub fn new(switch: Vec<bool>, links: Vec<Link>) -> Result<Self, Error> {
        let mut ports: Vec<Vec<End>> = vec![Vec::new(); switch.len()];
        for (i, l) in links.iter().enumerate() {
            for node in [l.a, l.b] {
                if usize::from(node) >= switch.len() {
                    return Err(Error::NoSuchNode { link: i, node, last: switch.len().saturating_sub(1) });
                }
            }
            if l.a == l.b {
                return Err(Error::Loop { link: i, node: l.a });
            }
            let (pa, pb) = (ports[usize::from(l.a)].len() as u16, ports[usize::from(l.b)].len() as u16);
            ports[usize::from(l.a)].push(End { link: i, peer: l.b, peer_port: pb });
            ports[usize::from(l.b)].push(End { link: i, peer: l.a, peer_port: pa });
        }
        if let Some((n, p)) = ports.iter().enumerate().find(|(_, p)| p.len() > MOST_PORTS) {
            return Err(Error::Ports { node: n as NodeId, links: p.len() });
        }
        for (n, p) in ports.iter().enumerate().filter(|(n, _)| !switch[*n]) {
            let host = n as NodeId;
            if p.len() != 1 {
                return Err(Error::HostLinks { host, links: p.len() });
            }
            let delay = links[p[0].link].delay;
            if delay < LEAST_HOST_DELAY {
                return Err(Error::TooShort { host, delay, least: LEAST_HOST_DELAY });
            }
        }
        let (anchor, hops) = distances(&switch, &ports);
        Ok(Topology { switch, links, ports, anchor, hops })
    }

    /// Nodes.
    pub fn nodes(&self) -> usize {
        self.switch.len()
    }

    /// Whether a node is a switch.
    pub fn is_switch(&self, node: NodeId) -> bool {
        self.switch[usize::from(node)]
    }

    /// The hosts, in order.
    pub fn hosts(&self) -> impl Iterator<Item = NodeId> + '_ {
        (0..self.nodes() as NodeId).filter(|n| !self.is_switch(*n))
    }

    /// The links.
    pub fn links(&self) -> &[Link] {
        &self.links
    }

    /// The ports of a node.
    pub fn ports(&self, node: NodeId) -> &[End] {
        &self.ports[usize::from(node)]
    }

    /// The link at a node's port.
    pub fn link(&self, node: NodeId, port: u16) -> &Link {
        &self.links[self.ports[usize::from(node)][usize::from(port)].link]
    }

    /// The link of a host.
    pub fn host_link(&self, host: NodeId) -> &Link {
        &self.links[self.ports[usize::from(host)][0].link]
    }

    /// The port by which `node` sends towards `dst`; `key` picks one of several equally short
    /// paths.
    pub fn next_port(&self, node: NodeId, dst: NodeId, key: u32) -> Option<u16> {
        if node == dst || self.is_switch(dst) {
            return None;
        }
        let access = self.ports(dst)[0];
        if access.peer == node {
            return Some(access.peer_port);
        }
        let hops = self.hops.get(self.anchor[usize::from(dst)] as usize)?;
        if !self.is_switch(node) {
            // A host has one port, and forwards nothing, so paths lead through switches.
            let peer = self.ports(node)[0].peer;
            return (self.is_switch(peer) && hops[usize::from(peer)] != FAR).then_some(0);
        }
        let here = hops[usize::from(node)];
        let nearer = |e: &End| here != FAR && self.is_switch(e.peer) && hops[usize::from(e.peer)] + 1 == here;
        let mut ways = self.ports(node).iter().enumerate().filter(|(_, e)| nearer(e)).map(|(p, _)| p as u16);
        match ways.clone().count() {
            0 => None,
            1 => ways.next(),
            n => ways.nth((mix(key ^ u32::from(node) << 20) as usize) % n),
        }
    }

    /// The links and far nodes that a frame with this key passes from one host to another.
    pub fn path(&self, from: NodeId, to: NodeId, key: u32) -> Result<Vec<End>, Error> {
        let (mut at, mut path) = (from, Vec::new());
        while at != to {
            let port = self.next_port(at, to, key).ok_or(Error::Unreachable { from, to })?;
            let end = self.ports[usize::from(at)][usize::from(port)];
            path.push(end);
            at = end.peer;
        }
        Ok(path)
    }

    /// Links of a shortest path between hosts; nothing where there is none. The path itself takes a
    /// hundred times as long.
    pub fn links_between(&self, from: NodeId, to: NodeId) -> Option<usize> {
        if from == to {
            return Some(0);
        }
        let (access, peer) = (self.ports(to).first()?.peer, self.ports(from).first()?.peer);
        if access == from {
            return Some(1);
        }
        let hops = *self.hops.get(*self.anchor.get(usize::from(to))? as usize)?.get(usize::from(peer))?;
        (self.is_switch(peer) && hops != FAR).then(|| usize::from(hops) + 2)
    }

    /// How long hosts may be run ahead of the network: nothing that leaves a switch later can reach
    /// one earlier.
    pub fn lookahead(&self) -> Ps {
        self.hosts().map(|h| self.host_link(h).delay).min().unwrap_or(LEAST_HOST_DELAY)
    }
}

/// Spreads the flows over equal paths; the key is the same for all frames of a flow and direction.
pub fn flow_key(src: NodeId, dst: NodeId, flow: u32) -> u32 {
    mix(u32::from(src) << 16 ^ u32::from(dst) ^ mix(flow))
}

fn mix(mut x: u32) -> u32 {
    x ^= x >> 16;
    x = x.wrapping_mul(0x7feb_352d);
    x ^= x >> 15;
    x = x.wrapping_mul(0x846c_a68b);
    x ^ x >> 16
}

// The switches that have hosts, as places in the second table: from each of them the distance to
// every switch.
fn distances(switch: &[bool], ports: &[Vec<End>]) -> (Vec<u32>, Vec<Vec<u16>>) {
    let n = switch.len();
    let (mut anchor, mut place, mut hops) = (vec![NO_SWITCH; n], vec![NO_SWITCH; n], Vec::new());
    for host in (0..n).filter(|h| !switch[*h]) {
        let access = usize::from(ports[host][0].peer);
        if !switch[access] {
            continue;
        }
        if place[access] == NO_SWITCH {
            place[access] = hops.len() as u32;
            let mut from = vec![FAR; n];
            from[access] = 0;
            let mut todo = VecDeque::from([access]);
            while let Some(at) = todo.pop_front() {
                for peer in ports[at].iter().map(|e| usize::from(e.peer)).filter(|p| switch[*p]) {
                    if from[peer] == FAR {
                        from[peer] = from[at] + 1;
                        todo.push_back(peer);
                    }
                }
            }
            hops.push(from);
        }
        anchor[host] = place[access];
    }
    (anchor, hops)
}
