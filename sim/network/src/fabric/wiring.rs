//! From a topology to flat tables: hosts and ports by index, paths as lists of ports.
use super::cell::{Hop, NONE};
use super::port::Wiring;
use crate::frame::NodeId;
use crate::topology::{Error, Topology};

/// Hosts come first: a host's port has the host's index.
#[derive(Debug)]
pub struct Wires {
    nodes: Vec<NodeId>,
    // Of each node its first port; a node's ports follow one another.
    first: Vec<u32>,
}

impl Wires {
    /// The indices, and what each port is connected to.
    pub fn new(topology: &Topology) -> (Wires, Vec<Wiring>) {
        let nodes: Vec<NodeId> = topology.hosts().collect();
        let mut first = vec![0; topology.nodes()];
        let mut next = nodes.len() as u32;
        for (i, h) in nodes.iter().enumerate() {
            first[usize::from(*h)] = i as u32;
        }
        for n in (0..topology.nodes() as NodeId).filter(|n| topology.is_switch(*n)) {
            first[usize::from(n)] = next;
            next += topology.ports(n).len() as u32;
        }
        let wires = Wires { nodes, first };
        let switches = (0..topology.nodes() as NodeId).filter(|n| topology.is_switch(*n));
        let wiring = wires.nodes.iter().copied().chain(switches).flat_map(|n| {
            let wires = &wires;
            topology.ports(n).iter().map(move |end| {
                let link = &topology.links()[end.link];
                Wiring {
                    peer: wires.port(end.peer, end.peer_port),
                    of_host: !topology.is_switch(n),
                    to_host: !topology.is_switch(end.peer),
                    node: n.into(),
                    speed: link.speed,
                    delay: link.delay,
                    // A damaged frame is dropped by the next switch or host.
                    loss: 1.0 - (1.0 - link.loss) * (1.0 - link.damage),
                }
            })
        });
        let wiring = wiring.collect();
        (wires, wiring)
    }

    /// Hosts.
    pub fn hosts(&self) -> usize {
        self.nodes.len()
    }

    /// The hosts' nodes.
    pub fn nodes(&self) -> &[NodeId] {
        &self.nodes
    }

    /// Index of a port.
    pub fn port(&self, node: NodeId, port: u16) -> u32 {
        self.first[usize::from(node)] + u32::from(port)
    }

    /// Appends the path between two hosts to `routes`; gives where it starts.
    pub fn route(&self, topology: &Topology, from: u32, to: u32, key: u32, routes: &mut Vec<Hop>) -> Result<u32, Error> {
        let (from, to) = (self.nodes[from as usize], self.nodes[to as usize]);
        let place = routes.len() as u32;
        let (mut at, mut entry) = (from, NONE);
        while at != to {
            let port = topology.next_port(at, to, key).ok_or(Error::Unreachable { from, to })?;
            routes.push(Hop { out: self.port(at, port), from: entry });
            let end = &topology.ports(at)[usize::from(port)];
            (at, entry) = (end.peer, self.port(end.peer, end.peer_port));
        }
        Ok(place)
    }
}
