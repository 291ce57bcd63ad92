//! Loads and incasts in scenario files.
use super::source::span;
use super::tables::{Hosts, IncastTable, LoadTable};
use super::{Number, Source, data_class, known_profile};
use crate::frame::NodeId;
use crate::scenario::{Error, FlowPlan, Plan};
use crate::time::{Ps, US, ps};
use crate::workload::sizes::{self, NAMES, Sizes};
use crate::workload::{Incast, Load};
use std::collections::HashSet;
use toml::Spanned;

// Hosts that the field names, or all.
fn hosts(src: &Source, h: &Option<Spanned<Hosts>>, field: &str, plan: &Plan) -> Result<Vec<NodeId>, Error> {
    let Some(h) = h else { return Ok(plan.topology.hosts().collect()) };
    let named = match h.get_ref() {
        Hosts::One(n) => vec![*n],
        Hosts::Many(v) => v.clone(),
    };
    match named.iter().find(|n| usize::from(**n) >= plan.topology.nodes() || plan.topology.is_switch(**n)) {
        Some(n) => Err(src.error(h.span(), field, n, "hosts of the topology")),
        None => match twice(&named) {
            Some(n) => Err(src.error(h.span(), field, format!("host {n} twice"), "each host once")),
            None => Ok(named),
        },
    }
}

// The first host that was named before.
fn twice(named: &[NodeId]) -> Option<NodeId> {
    let mut seen = HashSet::new();
    named.iter().find(|n| !seen.insert(**n)).copied()
}

fn us(src: &Source, v: &Number, field: &str, default: Ps) -> Result<Ps, Error> {
    src.number(v, field, default as f64 / US as f64, 0.0, 1e9).map(|x| ps(x, US))
}

// Common settings of the flows; `name` is the table's.
fn like(src: &Source, name: &str, plan: &Plan, t: (&Option<Spanned<String>>, &Number, &Number, &Number)) -> Result<FlowPlan, Error> {
    let (packet, segment) = src.payloads(name, t.1, t.2)?;
    let profile = t.0.as_ref().map_or(Ok("timely-10g".into()), |p| known_profile(src, p, plan))?;
    Ok(FlowPlan { packet, segment, class: data_class(src, t.3, &format!("{name}.class"))?, ..FlowPlan::new(0, 0, profile) })
}

// Seeds of the tables, far from each other and from the run's.
fn seed(plan: &Plan, kind: u64, i: u64) -> u64 {
    plan.seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ (kind << 32 | (i + 1))
}

pub(super) fn load(src: &Source, t: &LoadTable, i: u64, plan: &mut Plan) -> Result<(), Error> {
    let share = *t.load.get_ref();
    if !(share > 0.0 && share <= 4.0) {
        return Err(src.error(t.load.span(), "load.load", share, "above 0, to 4"));
    }
    let sizes = match (&t.sizes, &t.bytes) {
        (None, b) => Sizes::one(src.whole(b, "load.bytes", 65_536, 1, 1 << 50)?),
        (Some(s), None) => match Sizes::named(s.get_ref()) {
            Some(sizes) => sizes,
            None if s.get_ref().contains('.') => sizes::read(&src.beside(s.get_ref()))?,
            None => return Err(src.error(s.span(), "load.sizes", s.get_ref(), format!("{NAMES}, or a file's name with a dot in it"))),
        },
        (Some(s), Some(_)) => return Err(src.error(s.span(), "load.sizes", s.get_ref(), "either `sizes` or `bytes`")),
    };
    let persistent = match &t.connections {
        None => false,
        Some(c) => match c.get_ref().as_str() {
            "new" => false,
            "standing" => true,
            other => return Err(src.error(c.span(), "load.connections", other, "new, standing")),
        },
    };
    let reply = src.whole(&t.reply_bytes, "load.reply_bytes", 0, 0, 1 << 40)?;
    if t.read && reply > 0 {
        return Err(src.error(span(&t.reply_bytes), "load.reply_bytes", reply, "0 with `read`: a READ is answered by what it asks for"));
    }
    let load = Load {
        from: hosts(src, &t.from, "load.from", plan)?,
        to: hosts(src, &t.to, "load.to", plan)?,
        sizes,
        load: share,
        persistent,
        farthest: t.farthest,
        peers: src.whole(&t.peers, "load.peers", 0, 0, 60_000)? as usize,
        reply,
        start: us(src, &t.start_us, "load.start_us", 0)?,
        // Messages that would be posted after the end are not drawn.
        until: us(src, &t.until_us, "load.until_us", plan.duration)?.min(plan.duration),
    };
    plan.notes.extend(src.late(&t.start_us, "load.start_us", plan.duration));
    if t.until_us.is_some() && load.until <= load.start && load.start < plan.duration {
        let allowed = format!("more than load.start_us, which is {}", load.start as f64 / US as f64);
        return Err(src.error(span(&t.until_us), "load.until_us", load.until as f64 / US as f64, allowed));
    }
    let like = like(src, "load", plan, (&t.profile, &t.packet_bytes, &t.segment_bytes, &t.class))?;
    let seed = seed(plan, 1, i);
    let messages = load.add(plan, &FlowPlan { read: t.read, ..like }, seed, src.room());
    src.plan(t.load.span(), "load", messages)
}

pub(super) fn incast(src: &Source, t: &IncastTable, i: u64, plan: &mut Plan) -> Result<(), Error> {
    let to = *t.to.get_ref();
    if usize::from(to) >= plan.topology.nodes() || plan.topology.is_switch(to) {
        return Err(src.error(t.to.span(), "incast.to", to, "a host of the topology"));
    }
    let from = hosts(src, &t.from, "incast.from", plan)?;
    let others = from.iter().filter(|h| **h != to).count() as u64;
    let incast = Incast {
        senders: src.whole(&t.senders, "incast.senders", others, 1, others)? as usize,
        to,
        bytes: src.whole(&Some(t.bytes.clone()), "incast.bytes", 0, 1, 1 << 50)?,
        start: us(src, &t.start_us, "incast.start_us", 0)?,
        every: us(src, &t.every_us, "incast.every_us", 1000 * US)?,
        times: src.whole(&t.times, "incast.times", 1, 1, 1_000_000)? as u32,
        from,
    };
    src.plan(t.to.span(), "incast", Some(u64::from(incast.times) * incast.senders as u64))?;
    src.in_time(&t.every_us, "incast.every_us", incast.every, incast.times.into())?;
    plan.notes.extend(src.late(&t.start_us, "incast.start_us", plan.duration));
    let like = like(src, "incast", plan, (&t.profile, &t.packet_bytes, &t.segment_bytes, &t.class))?;
    let seed = seed(plan, 2, i);
    incast.add(plan, &like, seed);
    Ok(())
}
