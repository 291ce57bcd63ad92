//! Shapes of networks that a few numbers describe: dumbbell, parking lot, leaf-spine, fat-tree.
//! Hosts come first, in order.
use super::LinkDefaults;
use crate::frame::NodeId;
use crate::time::Speed;
use crate::topology::Link;

/// A shape.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Shape {
    /// Hosts around one switch.
    Star {
        /// Hosts.
        hosts: NodeId,
    },
    /// Two switches with a trunk between them: hosts `0..left` on the first, the others on the
    /// second.
    Dumbbell {
        /// Hosts of the first switch.
        left: NodeId,
        /// Hosts of the second.
        right: NodeId,
    },
    /// A chain of switches, so that a long path has many bottlenecks: hosts
    /// `i * hosts..(i + 1) * hosts` on switch `i`.
    ParkingLot {
        /// Switches.
        switches: NodeId,
        /// Hosts of each.
        hosts: NodeId,
    },
    /// Every leaf joined to every spine: hosts `i * hosts..(i + 1) * hosts` on leaf `i`.
    LeafSpine {
        /// Leaves.
        leaves: NodeId,
        /// Spines.
        spines: NodeId,
        /// Hosts of each leaf.
        hosts: NodeId,
    },
    /// Three layers of switches of `k` ports: `k` pods of `k / 2` edge and `k / 2` aggregation
    /// switches, `k^3 / 4` hosts.
    FatTree {
        /// Ports of a switch, even.
        k: NodeId,
    },
}

impl Shape {
    /// Hosts.
    pub fn hosts(self) -> usize {
        let n = usize::from;
        match self {
            Shape::Star { hosts } => n(hosts),
            Shape::Dumbbell { left, right } => n(left) + n(right),
            Shape::ParkingLot { switches, hosts } => n(switches) * n(hosts),
            Shape::LeafSpine { leaves, hosts, .. } => n(leaves) * n(hosts),
            Shape::FatTree { k } => n(k) * n(k) * n(k) / 4,
        }
    }

    /// Switches.
    pub fn switches(self) -> usize {
        let n = usize::from;
        match self {
            Shape::Star { .. } => 1,
            Shape::Dumbbell { .. } => 2,
            Shape::ParkingLot { switches, .. } => n(switches),
            Shape::LeafSpine { leaves, spines, .. } => n(leaves) + n(spines),
            Shape::FatTree { k } => n(k) * n(k) * 5 / 4,
        }
    }

    /// Whether each node is a switch, and the links: hosts' links as `host` says, those between
    /// switches at the speed `trunk`.
    pub fn build(self, host: LinkDefaults, trunk: Speed) -> (Vec<bool>, Vec<Link>) {
        let hosts = self.hosts() as NodeId;
        let nodes = hosts + self.switches() as NodeId;
        let between = LinkDefaults { speed: trunk, ..host };
        let mut links = Vec::new();
        match self {
            Shape::Star { .. } => links.extend((0..hosts).map(|h| host.between(h, hosts))),
            Shape::Dumbbell { left, .. } => {
                links.extend((0..hosts).map(|h| host.between(h, hosts + NodeId::from(h >= left))));
                links.push(between.between(hosts, hosts + 1));
            }
            Shape::ParkingLot { switches, hosts: each } => {
                links.extend((0..hosts).map(|h| host.between(h, hosts + h / each)));
                links.extend((1..switches).map(|s| between.between(hosts + s - 1, hosts + s)));
            }
            Shape::LeafSpine { leaves, spines, hosts: each } => {
                links.extend((0..hosts).map(|h| host.between(h, hosts + h / each)));
                let pairs = (0..leaves).flat_map(|l| (0..spines).map(move |s| (l, s)));
                links.extend(pairs.map(|(l, s)| between.between(hosts + l, hosts + leaves + s)));
            }
            Shape::FatTree { k } => {
                let half = k / 2;
                let (edges, cores) = (hosts, hosts + k * k);
                let aggregations = edges + k * half;
                links.extend((0..hosts).map(|h| host.between(h, edges + h / half)));
                for pod in 0..k {
                    for (a, e) in (0..half).flat_map(|a| (0..half).map(move |e| (a, e))) {
                        links.push(between.between(edges + pod * half + e, aggregations + pod * half + a));
                    }
                    for (a, c) in (0..half).flat_map(|a| (0..half).map(move |c| (a, c))) {
                        links.push(between.between(aggregations + pod * half + a, cores + a * half + c));
                    }
                }
            }
        }
        ((0..nodes).map(|n| n >= hosts).collect(), links)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::topology::{Topology, flow_key};

    fn hops(shape: Shape, from: NodeId, to: NodeId, key: u32) -> usize {
        let ten = Speed::gbps(10.0);
        let (switch, links) = shape.build(LinkDefaults { speed: ten, delay: 1_000_000, loss: 0.0, damage: 0.0 }, ten);
        Topology::new(switch, links).unwrap().path(from, to, key).unwrap().len()
    }

    #[test]
    fn ways_are_as_long_as_they_should_be() {
        assert_eq!(hops(Shape::Dumbbell { left: 3, right: 4 }, 0, 2, 1), 2);
        assert_eq!(hops(Shape::Dumbbell { left: 3, right: 4 }, 0, 3, 1), 3);
        assert_eq!(hops(Shape::ParkingLot { switches: 5, hosts: 2 }, 0, 9, 1), 6);
        assert_eq!(hops(Shape::LeafSpine { leaves: 4, spines: 2, hosts: 3 }, 0, 2, 1), 2);
        assert_eq!(hops(Shape::LeafSpine { leaves: 4, spines: 2, hosts: 3 }, 0, 3, 1), 4);
        for (to, hops_expected) in [(1, 2), (2, 4), (4, 6), (15, 6)] {
            assert_eq!(hops(Shape::FatTree { k: 4 }, 0, to, 1), hops_expected, "host {to}");
        }
    }

    /// Every switch of a fat-tree has k links, and flows spread evenly over the cores.
    #[test]
    fn a_fat_tree_is_regular_and_its_cores_share_the_flows() {
        let (k, ten) = (8, Speed::gbps(10.0));
        let shape = Shape::FatTree { k };
        let (switch, links) = shape.build(LinkDefaults { speed: ten, delay: 1_000_000, loss: 0.0, damage: 0.0 }, ten);
        let t = Topology::new(switch, links).unwrap();
        assert_eq!((shape.hosts(), shape.switches()), (128, 80));
        assert!((128..208).all(|n| t.ports(n).len() == usize::from(k)));
        let mut count = [0u32; 16];
        for flow in 0..16_000 {
            let (src, dst) = ((flow % 16) as NodeId, 64 + (flow / 16 % 64) as NodeId);
            let path = t.path(src, dst, flow_key(src, dst, flow)).unwrap();
            count[usize::from(path[2].peer) - 192] += 1;
        }
        // 1,000 each, standard deviation 31.
        assert!(count.iter().all(|c| (860..1140).contains(c)), "{count:?}");
    }
}
