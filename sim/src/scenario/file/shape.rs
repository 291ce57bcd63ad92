//! Shapes of topologies, and what only the fabric has, in scenario files.
use super::Number;
use super::source::Source;
use super::tables::{LinkTable, NicTable, OneLink, PiTable, SwitchTable, TopologyTable};
use crate::feedback::Jitter;
use crate::fluid::marking::Pi;
use crate::fluid::settings::{Model, Settings};
use crate::frame::NodeId;
use crate::marking::Marking;
use crate::pacing::trace;
use crate::scenario::shapes::Shape;
use crate::scenario::{Error, FabricPlan, LinkDefaults, hpcc};
use crate::time::{NS, Speed, US, ps};
use crate::topology::{Link, Topology};
use crate::workload::sizes;
use std::path::Path;

/// Hosts and switches together, at most.
const MOST: usize = 60_000;

/// A topology that was read.
pub(super) struct Shaped {
    pub topology: Topology,
    /// Whether each node is a host.
    pub hosts: Vec<bool>,
    /// Notes for the user.
    pub notes: Vec<String>,
}

fn wrong(src: &Source, message: String) -> Error {
    Error::Topology { file: src.file.into(), message }
}

// The name of the one shape, which all other fields go with.
fn one_shape(src: &Source, t: &TopologyTable, links: &LinkTable) -> Result<&'static str, Error> {
    let all = [
        ("hosts", t.hosts.is_some()),
        ("dumbbell", t.dumbbell.is_some()),
        ("parking_lot", t.parking_lot.is_some()),
        ("leaf_spine", t.leaf_spine.is_some()),
        ("fat_tree", t.fat_tree.is_some()),
        ("nodes", t.nodes.is_some()),
        ("file", t.file.is_some()),
    ];
    let given: Vec<&str> = all.iter().filter(|s| s.1).map(|s| s.0).collect();
    let shape = match given[..] {
        [one] => one,
        [] => {
            let message = "[topology] needs `hosts` (a star), `dumbbell`, `parking_lot`, `leaf_spine`, `fat_tree`, `nodes` with `switches` and \
                           links, or `file`";
            return Err(wrong(src, message.into()));
        }
        _ => return Err(wrong(src, format!("{} are a topology each; keep one of them", given.join(" and ")))),
    };
    let has_trunks = ["dumbbell", "parking_lot", "leaf_spine", "fat_tree"].contains(&shape);
    let link = [&links.rate_gbps, &links.delay_ns, &links.loss, &links.damage].iter().any(|n| n.is_some());
    let without = [
        (t.trunk_gbps.is_some() && !has_trunks, "trunk_gbps goes with dumbbell, parking_lot, leaf_spine and fat_tree"),
        (!t.link.is_empty() && !["hosts", "nodes"].contains(&shape), "[[topology.link]] goes with hosts and nodes"),
        (!t.switches.is_empty() && shape != "nodes", "switches goes with nodes"),
        (link && shape == "file", "[link] goes with links that say nothing else"),
    ];
    match without.iter().find(|w| w.0) {
        Some((_, goes)) => Err(wrong(src, format!("{goes}, and would not be heard beside `{shape}`; leave it out"))),
        None => Ok(shape),
    }
}

// A star: `hosts` hosts, the switch behind them.
fn star(src: &Source, t: &TopologyTable, d: LinkDefaults, hosts: NodeId) -> Result<Vec<Link>, Error> {
    let mut links: Vec<Link> = (0..hosts).map(|h| d.between(h, hosts)).collect();
    let mut told = vec![false; usize::from(hosts)];
    for l in &t.link {
        let (host, switch) = if l.from == hosts { (l.to, l.from) } else { (l.from, l.to) };
        if switch != hosts || host >= hosts {
            let ends = format!("[[topology.link]] from {} to {}", l.from, l.to);
            return Err(wrong(src, format!("{ends}: in a star links join a host, 0 to {}, and the switch, {hosts}", hosts - 1)));
        }
        if std::mem::replace(&mut told[usize::from(host)], true) {
            return Err(wrong(src, format!("host {host} has two [[topology.link]]; keep one of them")));
        }
        links[usize::from(host)] = Link { a: host, b: hosts, ..one_link(src, l, d)? };
    }
    Ok(links)
}

/// The topology of a file.
pub(super) fn topology(src: &Source, t: &TopologyTable, links: &LinkTable, d: LinkDefaults) -> Result<Shaped, Error> {
    let mut notes = Vec::new();
    let (switch, links) = match one_shape(src, t, links)? {
        "file" => {
            let (switch, links, said) = hpcc::read_topology(&src.beside(t.file.as_deref().unwrap_or(Path::new(""))))?;
            notes = said;
            (switch, links)
        }
        "hosts" => {
            let hosts = src.whole(&t.hosts, "topology.hosts", 2, 2, 4000)? as NodeId;
            ((0..=hosts).map(|n| n == hosts).collect(), star(src, t, d, hosts)?)
        }
        "nodes" => {
            let nodes = src.whole(&t.nodes, "topology.nodes", 0, 2, 8000)? as NodeId;
            if let Some(n) = t.switches.iter().find(|n| **n >= nodes) {
                return Err(wrong(src, format!("switches has node {n}, but nodes are 0 to {}", nodes - 1)));
            }
            if let Some((_, n)) = t.switches.iter().enumerate().find(|(i, n)| t.switches[..*i].contains(n)) {
                return Err(wrong(src, format!("switches has node {n} twice; name each switch once")));
            }
            let links = t.link.iter().map(|l| one_link(src, l, d)).collect::<Result<_, _>>()?;
            ((0..nodes).map(|n| t.switches.contains(&n)).collect(), links)
        }
        _ => {
            let trunk = src.number(&t.trunk_gbps, "topology.trunk_gbps", d.speed.as_gbps(), 0.001, 800.0)?;
            shape(src, t)?.build(d, Speed::gbps(trunk))
        }
    };
    let hosts = switch.iter().map(|s| !s).collect();
    let topology = Topology::new(switch, links).map_err(|e| wrong(src, e.to_string()))?;
    Ok(Shaped { topology, hosts, notes })
}

fn one_link(src: &Source, l: &OneLink, d: LinkDefaults) -> Result<Link, Error> {
    Ok(Link {
        a: l.from,
        b: l.to,
        speed: Speed::gbps(src.number(&l.rate_gbps, "topology.link.rate_gbps", d.speed.as_gbps(), 0.001, 800.0)?),
        delay: ps(src.number(&l.delay_ns, "topology.link.delay_ns", d.delay as f64 / NS as f64, 0.0, 1e9)?, NS),
        loss: src.number(&l.loss, "topology.link.loss", d.loss, 0.0, 1.0)?,
        damage: src.number(&l.damage, "topology.link.damage", d.damage, 0.0, 1.0)?,
    })
}

// The shape that a few numbers describe.
fn shape(src: &Source, t: &TopologyTable) -> Result<Shape, Error> {
    let node = |v: &Number, field: &str, default: u64, least: u64, greatest: u64| {
        src.whole(v, &format!("topology.{field}"), default, least, greatest).map(|n| n as NodeId)
    };
    let none = Default::default();
    let shape = if let Some(d) = &t.dumbbell {
        Shape::Dumbbell { left: node(&d.left, "dumbbell.left", 10, 1, 4000)?, right: node(&d.right, "dumbbell.right", 10, 1, 4000)? }
    } else if let Some(p) = &t.parking_lot {
        let switches = node(&p.switches, "parking_lot.switches", 4, 2, 100)?;
        Shape::ParkingLot { switches, hosts: node(&p.hosts, "parking_lot.hosts", 2, 1, 500)? }
    } else if let Some(l) = &t.leaf_spine {
        let leaves = node(&l.leaves, "leaf_spine.leaves", 4, 2, 200)?;
        let spines = node(&l.spines, "leaf_spine.spines", 2, 1, 200)?;
        Shape::LeafSpine { leaves, spines, hosts: node(&l.hosts, "leaf_spine.hosts", 8, 1, 200)? }
    } else {
        let f = t.fat_tree.as_ref().unwrap_or(&none);
        let k = node(&f.k, "fat_tree.k", 4, 2, 32)?;
        if !k.is_multiple_of(2) {
            return Err(src.error(super::source::span(&f.k), "topology.fat_tree.k", k, "an even number, 2 to 32"));
        }
        Shape::FatTree { k }
    };
    if shape.hosts() + shape.switches() > MOST {
        let message = format!("{} hosts and {} switches; allowed: {MOST} together", shape.hosts(), shape.switches());
        return Err(wrong(src, message));
    }
    Ok(shape)
}

// The controller that marks in place of the ramp; its defaults are those of the fluid model.
fn pi(src: &Source, told: &toml::Spanned<PiTable>, ramp: bool) -> Result<Pi, Error> {
    if ramp {
        return Err(src.error(told.span(), "switch.mark_pi", "there", "it without mark_kb alone"));
    }
    let (t, d) = (told.get_ref(), Settings::conext16(Model::PiSwitch));
    let field = |v: &Number, name: &str, default: f64, least: f64, most: f64| {
        src.number(v, &format!("switch.mark_pi.{name}"), default, least, most)
    };
    Ok(Pi {
        reference: field(&t.reference_kb, "reference_kb", d.reference_kb, 0.001, 1e6)? * 1e3,
        proportional: field(&t.proportional, "proportional", d.proportional, 0.0, 1.0)? / 1e3,
        integral: field(&t.integral, "integral", d.integral, 0.0, 1e4)? / 1e3,
        period: field(&t.period_us, "period_us", d.period_us, 0.1, 1e5)? / 1e6,
        most: field(&t.most, "most", d.mark_most, 1e-6, 1.0)?,
    })
}

// Jitter of feedback; its period is of none without it.
fn feedback(src: &Source, s: &SwitchTable) -> Result<Option<Jitter>, Error> {
    let most = ps(src.number(&s.feedback_jitter_us, "switch.feedback_jitter_us", 0.0, 0.0, 1e5)?, US);
    let every = ps(src.number(&s.feedback_every_us, "switch.feedback_every_us", 5.0, 0.01, 1e6)?, US);
    if let (0, Some(told)) = (most, &s.feedback_every_us) {
        return Err(src.error(told.span(), "switch.feedback_every_us", told.get_ref(), "it with feedback_jitter_us alone"));
    }
    Ok((most > 0).then_some(Jitter { most, every }))
}

/// Settings of the fabric alone.
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
    // A controller has no ramp, and the place where a packet is marked.
    let ramp = [
        ("mark_most_kb", s.mark_most_kb.as_ref().map(toml::Spanned::span)),
        ("mark_chance", s.mark_chance.as_ref().map(toml::Spanned::span)),
    ];
    let at = ("mark_at", s.mark_at.as_ref().filter(|_| s.mark_pi.is_none()).map(toml::Spanned::span));
    for (field, told) in ramp.into_iter().chain([at]).filter(|_| s.mark_kb.is_none()) {
        if let Some(told) = told {
            return Err(src.error(told, &format!("switch.{field}"), "there", "it with mark_kb alone, from which on data is marked"));
        }
    }
    let pi = s.mark_pi.as_ref().map(|told| pi(src, told, s.mark_kb.is_some())).transpose()?;
    let ramp = s.mark_kb.is_some().then(|| Marking { least: bytes(least), most: bytes(most).max(bytes(least) + 1), chance, ingress, pi });
    let none = Marking { least: u32::MAX, most: u32::MAX, chance: 0.0, ingress, pi };
    Ok(FabricPlan {
        headroom: s.headroom_kb.is_some().then(|| bytes(headroom)),
        dynamic: src.number(&s.dynamic, "switch.dynamic", 0.0, 0.0, 64.0)?,
        marking: ramp.or(pi.map(|_| none)),
        feedback: feedback(src, s)?,
        rtt_noise: ps(src.number(&n.rtt_noise_us, "nic.rtt_noise_us", 0.0, 0.0, 1e5)?, US),
        noise: match n.rtt_noise.as_deref() {
            None => None,
            Some("kernel") => Some(sizes::kernel_stamps()),
            Some("kernel-busy") => Some(sizes::kernel_stamps_busy()),
            Some(name) => Some(sizes::times(&src.beside(name))?),
        },
        spacing_mbps: src.number(&n.spacing_mbps, "nic.spacing_mbps", 0.0, 0.0, 1e6)?,
        lateness: n.lateness_file.as_ref().map_or(Ok(Default::default()), |f| trace::read(&src.beside(f)))?,
        detail: None,
    })
}
