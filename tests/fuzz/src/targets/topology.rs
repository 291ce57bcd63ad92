//! A topology file of HPCC's. Between hosts of a topology that is taken there is a path over its
//! links, or a refusal.
use crate::check::{file, said};
use timely_sim::scenario::hpcc::read_topology;
use timely_sim::topology::Topology;

/// Hosts whose paths are looked at.
const HOSTS: usize = 12;

pub fn run(input: &[u8]) {
    let path = file("topology.txt", input);
    let (switch, links) = match read_topology(&path) {
        Ok((switch, links, notes)) => {
            assert!(notes.iter().all(|n| n.contains("topology.txt")), "{notes:?}");
            (switch, links)
        }
        Err(e) => return assert!(said(&e).contains("topology.txt"), "{e}"),
    };
    let topology = match Topology::new(switch, links) {
        Ok(topology) => topology,
        Err(e) => return drop(said(&e)),
    };
    let hosts: Vec<_> = topology.hosts().take(HOSTS).collect();
    for &from in &hosts {
        for &to in &hosts {
            match topology.path(from, to, 7) {
                Ok(way) => {
                    assert_eq!(topology.links_between(from, to), Some(way.len()));
                    assert!(way.len() <= topology.nodes() && way.last().is_none_or(|end| end.peer == to));
                    assert!(way.iter().rev().skip(1).all(|end| topology.is_switch(end.peer)), "a path through a host");
                }
                Err(e) => {
                    said(&e);
                    assert_eq!(topology.links_between(from, to), None);
                }
            }
        }
    }
}
