//! Nodes, links, and the shortest ways between hosts.
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
    /// A host without exactly one link.
    #[error("host {host} has {links} links; a host has exactly one")]
    HostLinks {
        /// The host.
        host: NodeId,
        /// Its links.
        links: usize,
    },
    /// A host link too short for the hosts to be run ahead of the network.
    #[error("the link of host {host} has a delay of {delay} ps; at least {least} ps are needed (it is what the hosts are run ahead by)")]
    TooShort {
        /// The host.
        host: NodeId,
        /// Its delay.
        delay: Ps,
        /// The least.
        least: Ps,
    },
    /// No way from one host to another.
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

/// A network's shape.
#[derive(Clone, Debug)]
pub struct Topology {
    switch: Vec<bool>,
    links: Vec<Link>,
    ports: Vec<Vec<End>>,
    // [node][destination]: the ports on a shortest way.
    routes: Vec<Vec<Box<[u16]>>>,
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
            let (pa, pb) = (ports[usize::from(l.a)].len() as u16, ports[usize::from(l.b)].len() as u16);
            ports[usize::from(l.a)].push(End { link: i, peer: l.b, peer_port: pb });
            ports[usize::from(l.b)].push(End { link: i, peer: l.a, peer_port: pa });
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
        let routes = route(&switch, &ports);
        Ok(Topology { switch, links, ports, routes })
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

    /// The link of a host.
    pub fn host_link(&self, host: NodeId) -> &Link {
        &self.links[self.ports[usize::from(host)][0].link]
    }

    /// The port by which `node` sends towards `dst`; `key` picks one of several equally short ways.
    pub fn next_port(&self, node: NodeId, dst: NodeId, key: u32) -> Option<u16> {
        let ways = &self.routes[usize::from(node)][usize::from(dst)];
        match ways.len() {
            0 => None,
            1 => Some(ways[0]),
            n => Some(ways[(mix(key ^ u32::from(node) << 20) as usize) % n]),
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

    /// How long hosts may be run ahead of the network: nothing that leaves a switch later can reach one earlier.
    pub fn lookahead(&self) -> Ps {
        self.hosts().map(|h| self.host_link(h).delay).min().unwrap_or(LEAST_HOST_DELAY)
    }
}

/// Spreads the flows over equal ways; the key is the same for all frames of a flow and direction.
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

fn route(switch: &[bool], ports: &[Vec<End>]) -> Vec<Vec<Box<[u16]>>> {
    let n = switch.len();
    let mut routes = vec![vec![Box::<[u16]>::default(); n]; n];
    for dst in (0..n).filter(|d| !switch[*d]) {
        let mut hops = vec![u32::MAX; n];
        hops[dst] = 0;
        let mut todo = VecDeque::from([dst]);
        while let Some(at) = todo.pop_front() {
            for end in &ports[at] {
                let peer = usize::from(end.peer);
                if hops[peer] == u32::MAX {
                    hops[peer] = hops[at] + 1;
                    // A host forwards nothing, so ways end there.
                    if switch[peer] {
                        todo.push_back(peer);
                    }
                }
            }
        }
        for at in 0..n {
            let nearer = |e: &End| hops[at] != u32::MAX && hops[usize::from(e.peer)].checked_add(1) == Some(hops[at]);
            let usable = |e: &End| switch[usize::from(e.peer)] || usize::from(e.peer) == dst;
            routes[at][dst] =
                ports[at].iter().enumerate().filter(|(_, e)| at != dst && nearer(e) && usable(e)).map(|(p, _)| p as u16).collect();
        }
    }
    routes
}
