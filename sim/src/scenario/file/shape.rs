//! Shapes of topologies, and what only the fabric has, in scenario files.
use super::tables::{NicTable, SwitchTable, TopologyTable};
use super::{Number, Source};
use crate::fabric::port::Marking;
use crate::frame::NodeId;
use crate::pacing::trace;
use crate::scenario::shapes::Shape;
use crate::scenario::{Error, FabricPlan};
use crate::time::{US, ps};
use crate::workload::sizes::Sizes;

/// Hosts and switches together, at most.
const MOST: usize = 60_000;

/// The shape that a few numbers describe, if the table has one.
pub(super) fn shape(src: &Source, t: &TopologyTable) -> Result<Option<Shape>, Error> {
    let node = |v: &Number, field: &str, default: u64, least: u64, greatest: u64| {
        src.whole(v, &format!("topology.{field}"), default, least, greatest).map(|n| n as NodeId)
    };
    let shape = if let Some(d) = &t.dumbbell {
        Shape::Dumbbell { left: node(&d.left, "dumbbell.left", 10, 1, 4000)?, right: node(&d.right, "dumbbell.right", 10, 1, 4000)? }
    } else if let Some(p) = &t.parking_lot {
        let switches = node(&p.switches, "parking_lot.switches", 4, 2, 100)?;
        Shape::ParkingLot { switches, hosts: node(&p.hosts, "parking_lot.hosts", 2, 1, 500)? }
    } else if let Some(l) = &t.leaf_spine {
        let leaves = node(&l.leaves, "leaf_spine.leaves", 4, 2, 200)?;
        let spines = node(&l.spines, "leaf_spine.spines", 2, 1, 200)?;
        Shape::LeafSpine { leaves, spines, hosts: node(&l.hosts, "leaf_spine.hosts", 8, 1, 200)? }
    } else if let Some(f) = &t.fat_tree {
        let k = node(&f.k, "fat_tree.k", 4, 2, 32)?;
        if !k.is_multiple_of(2) {
            let span = f.k.as_ref().map_or(0..0, toml::Spanned::span);
            return Err(src.error(span, "topology.fat_tree.k", k, "an even number, 2 to 32"));
        }
        Shape::FatTree { k }
    } else {
        return Ok(None);
    };
    if shape.hosts() + shape.switches() > MOST {
        let message = format!("{} hosts and {} switches; allowed: {MOST} together", shape.hosts(), shape.switches());
        return Err(Error::Topology { file: src.file.into(), message });
    }
    Ok(Some(shape))
}

/// What only the fabric has.
pub(super) fn fabric(src: &Source, s: &SwitchTable, n: &NicTable) -> Result<FabricPlan, Error> {
    let bytes = |kb: f64| (kb * 1000.0).min(f64::from(u32::MAX)) as u32;
    let headroom = src.number(&s.headroom_kb, "switch.headroom_kb", 0.0, 0.0, 1e6)?;
    let least = src.number(&s.mark_kb, "switch.mark_kb", 0.0, 0.0, 1e6)?;
    let most = src.number(&s.mark_most_kb, "switch.mark_most_kb", least, least, 1e6)?;
    let chance = src.number(&s.mark_chance, "switch.mark_chance", 1.0, 0.0, 1.0)?;
    let ingress = match &s.mark_at {
        None => true,
        Some(at) => match at.get_ref().as_str() {
            "ingress" => true,
            "egress" => false,
            other => return Err(src.error(at.span(), "switch.mark_at", other, "ingress, egress")),
        },
    };
    Ok(FabricPlan {
        headroom: s.headroom_kb.is_some().then(|| bytes(headroom)),
        dynamic: src.number(&s.dynamic, "switch.dynamic", 0.0, 0.0, 64.0)?,
        marking: s.mark_kb.is_some().then(|| Marking { least: bytes(least), most: bytes(most).max(bytes(least) + 1), chance, ingress }),
        rtt_noise: ps(src.number(&n.rtt_noise_us, "nic.rtt_noise_us", 0.0, 0.0, 1e5)?, US),
        noise: match n.rtt_noise.as_deref() {
            None => None,
            Some("kernel") => Some(Sizes::kernel_stamps()),
            Some(name) => Some(Sizes::times(&super::beside(src.file, name))?),
        },
        spacing_mbps: src.number(&n.spacing_mbps, "nic.spacing_mbps", 0.0, 0.0, 1e6)?,
        lateness: n.lateness_file.as_ref().map_or(Ok(Default::default()), |f| trace::read(&super::beside(src.file, f)))?,
        detail: None,
    })
}
