//! Scenario files in TOML: what may stand in one, and the checks that name file, line, value and
//! what is allowed.
mod own;
mod shape;
mod source;
mod tables;
mod told;
mod traffic;
mod unheard;

pub use told::{Hpcc, hpcc};

use super::fabric::FabricPlan;
use super::{Control, Error, FlowPlan, Form, LinkDefaults, NicKind, NicPlan, Plan, Profile, Set};
use crate::fabric::port::{HIGH, LOW};
use crate::frame::NodeId;
use crate::nic::stream::HEADERS;
use crate::quantity::Quantity;
use crate::rival::Rival;
use crate::switch::{Config, Pfc};
use crate::time::{MS, NS, Ps, Speed, US, ps};
use shape::Shaped;
use source::{MOST_BYTES, Source, span};
use std::path::Path;
use tables::{File, FlowTable, Hosts, NicTable, Number, ProfileTable, Range, SwitchTable};
use timely_regs::parameters::{NAMES, Signal};
use timely_regs::profile::OUTSTANDING;
use toml::Spanned;

/// Values that replace those of the file. They are applied before traffic is drawn and defaults are
/// taken, which depend on them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Overrides {
    /// The seed.
    pub seed: Option<u64>,
    /// The run's length, milliseconds.
    pub duration_ms: Option<f64>,
    /// The run is this part of its length.
    pub part: f64,
    /// The kind of NIC.
    pub nics: Option<NicKind>,
}

impl Default for Overrides {
    fn default() -> Self {
        Overrides { seed: None, duration_ms: None, part: 1.0, nics: None }
    }
}

/// Bytes of a frame in a buffer besides its headers and payload.
const FCS: u32 = 4;
/// Time of reads of the host's memory if nothing is said.
const DMA_NS: u32 = 3000;
/// Least and greatest length of a run, milliseconds.
const DURATION_MS: (f64, f64) = (0.001, 1e6);

impl Overrides {
    fn duration(&self, src: &Source, of_file: &Number) -> Result<Ps, Error> {
        let (least, greatest) = DURATION_MS;
        let told = src.number(of_file, "duration_ms", 40.0, least, greatest)?;
        let ms = self.duration_ms.unwrap_or(told);
        if !(least..=greatest).contains(&ms) {
            let allowed = format!("{least} to {greatest}");
            return Err(Error::Changed { file: src.file.into(), field: "duration_ms".into(), value: ms.to_string(), allowed });
        }
        Ok(ps(ms * self.part, MS).max(1))
    }
}

/// Reads a scenario file.
pub fn read(file: &Path) -> Result<Plan, Error> {
    read_with(file, &Overrides::default())
}

/// Reads a scenario file, some of which is overridden.
pub fn read_with(file: &Path, overrides: &Overrides) -> Result<Plan, Error> {
    let text = crate::input::text(file).map_err(|source| Error::Read { file: file.into(), source })?;
    parse_with(file, &text, overrides)
}

/// Reads a scenario's text; `file` names it in errors and is where relative paths in it start.
pub fn parse(file: &Path, text: &str) -> Result<Plan, Error> {
    parse_with(file, text, &Overrides::default())
}

/// Reads a scenario's text, some of which is overridden.
pub fn parse_with(file: &Path, text: &str, overrides: &Overrides) -> Result<Plan, Error> {
    let src = Source::new(file, text);
    let f: File = toml::from_str(text).map_err(|e| {
        let line = e.span().map_or(1, |s| text[..s.start.min(text.len())].matches('\n').count() + 1);
        Error::Syntax { file: file.into(), line, message: e.message().to_owned() }
    })?;
    plan_of(src, f, overrides)
}

// The plan of a file's tables.
fn plan_of(src: Source, f: File, overrides: &Overrides) -> Result<Plan, Error> {
    let link = LinkDefaults {
        speed: Speed::gbps(src.number(&f.link.rate_gbps, "link.rate_gbps", 10.0, 0.001, 800.0)?),
        delay: ps(src.number(&f.link.delay_ns, "link.delay_ns", 1550.0, 10.0, 1e9)?, NS),
        loss: src.number(&f.link.loss, "link.loss", 0.0, 0.0, 1.0)?,
        damage: src.number(&f.link.damage, "link.damage", 0.0, 0.0, 1.0)?,
    };
    let duration = overrides.duration(&src, &f.duration_ms)?;
    let Shaped { topology, hosts, notes } = shape::topology(&src, &f.topology, &f.link, link)?;
    let mut plan = Plan {
        name: f.name.clone().unwrap_or_else(|| src.file.file_stem().map_or("scenario".into(), |s| s.to_string_lossy().into_owned())),
        seed: overrides.seed.or(f.seed).unwrap_or(1),
        duration,
        steady_from: f.steady_from.as_ref().map(|_| src.number(&f.steady_from, "steady_from", 0.5, 0.0, 0.99)).transpose()?,
        series_from: 0,
        bin: None,
        base_rtt: f.base_rtt_us.as_ref().map(|_| src.number(&f.base_rtt_us, "base_rtt_us", 8.0, 0.1, 1e5)).transpose()?,
        switch: switch(&src, &f.switch)?,
        nic: nic(&src, &f.nic, overrides.nics)?,
        profiles: Vec::new(),
        flows: Vec::new(),
        snapshot: false,
        fabric: FabricPlan { detail: f.series, ..shape::fabric(&src, &f.switch, &f.nic)? },
        watch: watched(&src, &f.watch)?,
        capture: Vec::new(),
        notes,
        files: Vec::new(),
        topology,
    };
    for (name, table) in &f.profile {
        let profile = profile(&src, name, table)?;
        plan.notes.extend(unheard::of_profile(table, &profile));
        plan.profiles.push(profile);
    }
    plan.notes.extend(unheard::of_nic(&f.nic, &plan.nic));
    for t in &f.flow {
        flows(&src, t, &hosts, &mut plan)?;
    }
    for (i, t) in f.load.iter().enumerate() {
        traffic::load(&src, t, i as u64, &mut plan)?;
    }
    for (i, t) in f.incast.iter().enumerate() {
        traffic::incast(&src, t, i as u64, &mut plan)?;
    }
    if let Some(path) = &f.flows_file {
        let d = f.flows.as_ref().map(Spanned::get_ref);
        let name = d.and_then(|d| d.profile.as_ref());
        let profile = name.map_or(Ok("timely-10g".into()), |p| known_profile(&src, p, &plan))?;
        let none = None;
        let (packet, segment) = d.map_or((&none, &none), |d| (&d.packet_bytes, &d.segment_bytes));
        let (packet, segment) = src.payloads("flows", packet, segment)?;
        super::hpcc::read_flows(&src.beside(path), &mut plan, &profile, packet, segment)?;
    } else if let Some(d) = &f.flows {
        let allowed = "only with flows_file, whose flows it is of; [[flow]], [[load]] and [[incast]] have these fields themselves";
        return Err(src.error(d.span(), "[flows]", "without flows_file", allowed));
    }
    plan.notes.extend(unheard::profiles(&plan));
    let padded = plan.flows.iter().any(|f| f.bytes.is_some_and(|b| !b.is_multiple_of(f.packet.into())));
    if padded && plan.nic.kind.sends_whole_packets() {
        let why = "send whole packets alone, as the hardware does: the rest of a message's last one is sent and is no payload";
        plan.notes.push(format!("NICs of kind {} {why}", plan.nic.kind));
    }
    holds_frames(&src, &f.switch.buffer_kb, &plan)?;
    if plan.fabric.marking.is_none() {
        let unmarked = plan.unmarked().into_iter().map(|(profile, law)| {
            format!("profile {profile}: {law} slows down by marks alone, and no switch marks; set switch.mark_kb (hpcc: --mark-kb)")
        });
        let unmarked: Vec<_> = unmarked.collect();
        plan.notes.extend(unmarked);
    }
    plan.files = src.named();
    Ok(plan)
}

// Ports to watch, each once.
fn watched(src: &Source, told: &[Spanned<String>]) -> Result<Vec<(NodeId, u16)>, Error> {
    let mut ports = Vec::new();
    for t in told {
        let port = t.get_ref().split_once(':').and_then(|(n, p)| Some((n.parse().ok()?, p.parse().ok()?)));
        let port = port.ok_or_else(|| src.error(t.span(), "watch", t.get_ref(), "a switch and its port, such as \"11:0\""))?;
        if !ports.contains(&port) {
            ports.push(port);
        }
    }
    Ok(ports)
}

// A buffer that takes none of some flow's frames is no network.
fn holds_frames(src: &Source, buffer_kb: &Number, plan: &Plan) -> Result<(), Error> {
    let payload = |f: &FlowPlan| {
        let message = f.posts.iter().map(|p| p.1).chain(f.bytes).max().unwrap_or(u64::MAX);
        u64::from(f.packet.min(f.segment)).min(message)
    };
    let frame = plan.flows.iter().map(payload).max().map_or(0, |payload| payload + u64::from(HEADERS + FCS));
    match (plan.switch.buffer, buffer_kb) {
        (Some(bytes), Some(told)) if bytes < frame => {
            let allowed = format!("0, or at least {:.1}: a frame of the flows has {frame} bytes", frame.div_ceil(100) as f64 / 10.0);
            Err(src.error(told.span(), "switch.buffer_kb", told.get_ref(), allowed))
        }
        _ => Ok(()),
    }
}

fn switch(src: &Source, t: &SwitchTable) -> Result<Config, Error> {
    let kb = |v: f64| (v * 1000.0) as u64;
    let xoff = src.number(&t.xoff_kb, "switch.xoff_kb", 100.0, 0.0, 1e6)?;
    let xon = src.number(&t.xon_kb, "switch.xon_kb", (xoff - 4.0).max(0.0), 0.0, xoff)?;
    let buffer = src.number(&t.buffer_kb, "switch.buffer_kb", 0.0, 0.0, 1e7)?;
    let pfc = (xoff > 0.0).then_some(Pfc { xoff: kb(xoff), xon: kb(xon) });
    let unheard = [
        (buffer == 0.0, &t.dynamic, "dynamic", "only with buffer_kb, of whose free part it is a share"),
        (xoff == 0.0, &t.dynamic, "dynamic", "only with PFC, so xoff_kb above 0"),
        (xoff == 0.0, &t.headroom_kb, "headroom_kb", "only with PFC, so xoff_kb above 0"),
    ];
    for (refused, told, field, allowed) in unheard {
        if let Some(told) = told.as_ref().filter(|told| refused && told.get_ref().of(field) != Some(0.0)) {
            return Err(src.error(told.span(), &format!("switch.{field}"), told.get_ref(), allowed));
        }
    }
    let latency = ps(src.number(&t.latency_ns, "switch.latency_ns", 300.0, 0.0, 1e6)?, NS);
    Ok(Config {
        latency,
        pfc: [None, pfc, pfc],
        buffer: (buffer > 0.0).then_some(kb(buffer)),
        ack_priority: t.ack_priority.unwrap_or(true),
    })
}

/// Numbers as an error lists what is allowed.
fn either(all: &[u32]) -> String {
    let (last, others) = all.split_last().unwrap_or((&0, &[]));
    format!("{} or {last}", others.iter().map(u32::to_string).collect::<Vec<_>>().join(", "))
}

/// Time of reads of the host's memory, ns: the least and the greatest.
fn dma(src: &Source, told: &Option<Spanned<Range>>) -> Result<(u32, u32), Error> {
    const NAME: &str = "nic.dma_ns";
    const MOST: f64 = 50_000.0;
    let Some(told) = told else { return Ok((DMA_NS, DMA_NS)) };
    let (least, most) = match told.get_ref() {
        Range::Always(time) => (time, time),
        Range::Between([least, most]) => (least, most),
    };
    let ns = |q: &Quantity| {
        let x = q.of(NAME).filter(|x| (0.0..=MOST).contains(x));
        x.map(|x| x.round() as u32).ok_or_else(|| src.error(told.span(), NAME, q, format!("0 to {MOST}, or two such, [least, greatest]")))
    };
    let (from, to) = (ns(least)?, ns(most)?);
    if from > to {
        return Err(src.error(told.span(), NAME, format!("[{from}, {to}]"), "[least, greatest], the least first"));
    }
    Ok((from, to))
}

fn nic(src: &Source, t: &NicTable, overridden: Option<NicKind>) -> Result<NicPlan, Error> {
    let told = match &t.kind {
        None => NicKind::Paced,
        Some(k) => k.get_ref().parse().map_err(|_| src.error(k.span(), "nic.kind", k.get_ref(), NicKind::ALLOWED))?,
    };
    let kind = overridden.unwrap_or(told);
    let form = match &t.form {
        None => Form::Standalone,
        Some(f) => f.get_ref().parse().map_err(|_| src.error(f.span(), "nic.form", f.get_ref(), Form::ALLOWED))?,
    };
    let host_window = src.number(&t.host_kb, "nic.host_kb", form.host_window() as f64 / 1000.0, 0.0, 1e6)?;
    let buses = form.buses();
    let bus_bits = src.whole(&t.bus_bits, "nic.bus_bits", buses[0].into(), 64, 512)? as u32;
    if !buses.contains(&bus_bits) {
        return Err(src.error(span(&t.bus_bits), "nic.bus_bits", bus_bits, either(buses)));
    }
    let flow_bits = src.whole(&t.flow_bits, "nic.flow_bits", 10, 4, 16)? as u32;
    if form == Form::Corundum && !Form::CORUNDUM_FLOW_BITS.contains(&flow_bits) {
        let allowed = format!("{} in Corundum, where a flow is a queue", either(&Form::CORUNDUM_FLOW_BITS));
        return Err(src.error(span(&t.flow_bits), "nic.flow_bits", flow_bits, allowed));
    }
    let ack_delay = if kind == NicKind::Event { super::EVENT_ACK_DELAY as f64 / NS as f64 } else { 150.0 };
    let us = |v: &Number, field: &str, default: f64| src.number(v, field, default, 0.0, 1e6).map(|x| ps(x, US));
    Ok(NicPlan {
        kind,
        form,
        host_window: (host_window * 1000.0).round() as u64,
        dma_ns: dma(src, &t.dma_ns)?,
        streams: t.streams.unwrap_or(false),
        bus_bits,
        clock: (1e6 / src.number(&t.clock_mhz, "nic.clock_mhz", 250.0, 100.0, 500.0)?).round() as Ps,
        flow_bits,
        ppm: src.number(&t.ppm, "nic.ppm", 100.0, 0.0, 1000.0)?,
        fifo_jitter: ps(src.number(&t.fifo_jitter_ns, "nic.fifo_jitter_ns", 0.0, 0.0, 1e5)?, NS),
        ack_delay: ps(src.number(&t.ack_delay_ns, "nic.ack_delay_ns", ack_delay, 0.0, 1e7)?, NS),
        slot: us(&t.slot_us, "nic.slot_us", 2.0)?,
        software_jitter: us(&t.software_jitter_us, "nic.software_jitter_us", 0.0)?,
        subtract_own_burst: t.subtract_own_burst.unwrap_or(true),
    })
}

fn profile(src: &Source, name: &str, t: &ProfileTable) -> Result<Profile, Error> {
    let like = t.like.as_ref().map_or("timely-10g", |l| l.get_ref().as_str());
    if !NAMES.contains(&like) {
        let span = t.like.as_ref().map_or(0..0, Spanned::span);
        return Err(src.error(span, &format!("profile.{name}.like"), like, NAMES.join(", ")));
    }
    let fields: [(&str, &Number, f64, f64, Set); 34] = [
        ("signal_base_us", &t.signal_base_us, 0.0, 16_777.0, |p, v| p.signal_base_us = v),
        ("alpha", &t.alpha, 1.0 / 256.0, 1.0, |p, v| p.alpha = v),
        ("beta", &t.beta, 1e-6, 1.0, |p, v| p.beta = v),
        ("t_low_us", &t.t_low_us, 0.0, 1e5, |p, v| p.t_low_us = v),
        ("t_high_us", &t.t_high_us, 0.0, 1e5, |p, v| p.t_high_us = v),
        ("min_rtt_us", &t.min_rtt_us, 0.01, 1e5, |p, v| p.min_rtt_us = v),
        ("update_interval_us", &t.update_interval_us, 0.01, 1e5, |p, v| p.update_interval_us = v),
        ("additive_step_mbps", &t.additive_step_mbps, 0.001, 1e5, |p, v| p.additive_step_mbps = v),
        ("hyperactive_after", &t.hyperactive_after, 1.0, 7.0, |p, v| p.hyperactive_after = v as u32),
        ("hyperactive_factor", &t.hyperactive_factor, 1.0, 100.0, |p, v| p.hyperactive_factor = v),
        ("initial_mbps", &t.initial_mbps, 0.001, 1e6, |p, v| p.initial_mbps = v),
        ("least_mbps", &t.least_mbps, 0.001, 1e6, |p, v| p.least_mbps = v),
        ("greatest_mbps", &t.greatest_mbps, 0.001, 1e6, |p, v| p.greatest_mbps = v),
        ("outstanding_kb", &t.outstanding_kb, 0.0, f64::from(OUTSTANDING.most / 1024), |p, v| p.outstanding_bytes = (v * 1024.0) as u32),
        ("timeout_us", &t.timeout_us, 0.0, 2e6, |p, v| p.timeout_us = v),
        ("idle_us", &t.idle_us, 0.0, 2e6, |p, v| p.idle_us = v),
        ("idle_mbps", &t.idle_mbps, 0.001, 1e6, |p, v| p.idle_mbps = v),
        ("use_window_us", &t.use_window_us, 0.0, 16_777.0, |p, v| p.use_window_us = v),
        ("loss_decrease", &t.loss_decrease, 0.0, 1.0, |p, v| p.loss_decrease = v),
        ("reference_us", &t.reference_us, 0.01, 1e5, |p, v| p.reference_us = v),
        ("error_beta", &t.error_beta, 1e-6, 1.0, |p, v| p.error_beta = v),
        ("integral_gain", &t.integral_gain, 0.0, 1.0, |p, v| p.integral_gain = v),
        ("proportional_gain", &t.proportional_gain, 0.0, 16.0, |p, v| p.proportional_gain = v),
        ("base_target_us", &t.base_target_us, 0.01, 1e5, |p, v| p.base_target_us = v),
        ("flow_range_us", &t.flow_range_us, 0.0, 1e5, |p, v| p.flow_range_us = v),
        ("flow_least_packets", &t.flow_least_packets, 0.001, 1e6, |p, v| p.flow_least_packets = v),
        ("flow_most_packets", &t.flow_most_packets, 0.001, 1e6, |p, v| p.flow_most_packets = v),
        ("alpha_gain", &t.alpha_gain, 1e-6, 1.0, |p, v| p.alpha_gain = v),
        ("cnp_interval_us", &t.cnp_interval_us, 0.1, 1e4, |p, v| p.cnp_interval_us = v),
        ("alpha_timer_us", &t.alpha_timer_us, 0.1, 1e4, |p, v| p.alpha_timer_us = v),
        ("rate_timer_us", &t.rate_timer_us, 0.1, 1e4, |p, v| p.rate_timer_us = v),
        ("byte_counter_kb", &t.byte_counter_kb, 1.0, 1e5, |p, v| p.byte_counter = (v * 1000.0) as u32),
        ("fast_stages", &t.fast_stages, 1.0, 7.0, |p, v| p.fast_stages = v as u32),
        ("hyper_step_mbps", &t.hyper_step_mbps, 0.001, 1e5, |p, v| p.hyper_step_mbps = v),
    ];
    let mut set: Vec<(Set, f64)> = Vec::new();
    for (field, v, least, greatest, how) in fields {
        if v.is_some() {
            set.push((how, src.number(v, &format!("profile.{name}.{field}"), 0.0, least, greatest)?));
        }
    }
    if let Some(name_of) = &t.signal {
        let known = Signal::NAMED.iter().position(|s| s.0 == name_of.get_ref());
        let Some(index) = known else {
            let allowed = Signal::NAMED.map(|s| s.0).join(", ");
            return Err(src.error(name_of.span(), &format!("profile.{name}.signal"), name_of.get_ref(), allowed));
        };
        set.push((|p, v| p.signal = Signal::NAMED[v as usize].1, index as f64));
    }
    let control = match &t.control {
        None => Control::Engine,
        Some(c) => {
            let rival = Rival::NAMED.iter().find(|r| r.0 == c.get_ref());
            let all = Rival::NAMED.map(|r| r.0).join(", ");
            Control::Rival(rival.ok_or_else(|| src.error(c.span(), &format!("profile.{name}.control"), c.get_ref(), all))?.1)
        }
    };
    let algorithm_1 = t.algorithm_1.unwrap_or(false);
    let own = own::own(src, name, t, control)?;
    own::unheard(src, name, t, control)?;
    Ok(Profile { name: name.to_owned(), like: like.to_owned(), set, algorithm_1, control, own })
}

// 1 is sent before 2.
fn data_class(src: &Source, v: &Number, field: &str) -> Result<u8, Error> {
    Ok(src.whole(v, field, HIGH.into(), HIGH.into(), LOW.into())? as u8)
}

fn known_profile(src: &Source, p: &Spanned<String>, plan: &Plan) -> Result<String, Error> {
    let name = p.get_ref();
    if NAMES.contains(&name.as_str()) || plan.profiles.iter().any(|x| x.name == *name) {
        return Ok(name.clone());
    }
    let own = plan.profiles.iter().map(|p| p.name.as_str());
    let all: Vec<&str> = NAMES.into_iter().chain(own).collect();
    Err(src.error(p.span(), "flow.profile", name, all.join(", ")))
}

fn flows(src: &Source, t: &FlowTable, is_host: &[bool], plan: &mut Plan) -> Result<(), Error> {
    let host = |n: NodeId, span: std::ops::Range<usize>, field: &str| {
        let ok = is_host.get(usize::from(n)).copied().unwrap_or(false);
        if ok { Ok(n) } else { Err(src.error(span, field, n, "the number of a host of the topology")) }
    };
    let from = match t.from.get_ref() {
        Hosts::One(n) => vec![*n],
        Hosts::Many(v) => v.clone(),
    };
    let to = host(*t.to.get_ref(), t.to.span(), "flow.to")?;
    let profile = t.profile.as_ref().map_or(Ok("timely-10g".into()), |p| known_profile(src, p, plan))?;
    let us = |v: &Number, field: &str| src.number(v, field, 0.0, 0.0, 1e9).map(|x| ps(x, US));
    let (start, stagger) = (us(&t.start_us, "flow.start_us")?, us(&t.stagger_us, "flow.stagger_us")?);
    let stop: Option<Ps> = t.stop_us.as_ref().map(|_| us(&t.stop_us, "flow.stop_us")).transpose()?;
    if let Some(stop) = stop.filter(|s| *s <= start) {
        let allowed = format!("more than flow.start_us, which is {}", start as f64 / US as f64);
        return Err(src.error(span(&t.stop_us), "flow.stop_us", stop as f64 / US as f64, allowed));
    }
    plan.notes.extend(src.late(&t.start_us, "flow.start_us", plan.duration));
    let bytes = src.whole(&t.bytes, "flow.bytes", 0, 0, 1 << 50)?;
    let messages = src.whole(&t.messages, "flow.messages", 1, 1, 1 << 20)? as u32;
    let every = us(&t.every_us, "flow.every_us")?;
    let (packet, segment) = src.payloads("flow", &t.packet_bytes, &t.segment_bytes)?;
    let class = data_class(src, &t.class, "flow.class")?;
    let connections = src.whole(&t.connections, "flow.connections", 1, 1, 1 << 16)?;
    if bytes.checked_mul(messages.into()).is_none_or(|all| all > MOST_BYTES) {
        let allowed = format!("at most {} with {messages} messages", MOST_BYTES / u64::from(messages));
        return Err(src.error(span(&t.bytes), "flow.bytes", bytes, allowed));
    }
    let flows = connections * from.len() as u64;
    let last = stagger.saturating_mul(flows.saturating_sub(1)).saturating_add(start);
    if let Some(stop) = stop.filter(|s| *s <= last) {
        let allowed = format!("more than the last start, which is {} with flow.stagger_us", last as f64 / US as f64);
        return Err(src.error(span(&t.stop_us), "flow.stop_us", stop as f64 / US as f64, allowed));
    }
    let unheard = [
        (bytes > 0, &t.stop_us, "stop_us", "only without flow.bytes: flows with an end stop when all of it has arrived"),
        (bytes == 0 && messages > 1, &t.messages, "messages", "only with flow.bytes, of which each message has so many"),
        (bytes == 0 && every > 0, &t.every_us, "every_us", "only with flow.bytes and flow.messages"),
    ];
    for (refused, told, field, allowed) in unheard {
        if let (true, Some(told)) = (refused, told) {
            return Err(src.error(told.span(), &format!("flow.{field}"), told.get_ref(), allowed));
        }
    }
    src.plan(t.from.span(), "flow", Some(flows.saturating_mul(if bytes > 0 { messages.into() } else { 1 })))?;
    src.in_time(&t.stagger_us, "flow.stagger_us", stagger, flows)?;
    src.in_time(&t.every_us, "flow.every_us", every, messages.into())?;
    let mut turn = 0;
    for _ in 0..connections {
        for &src_host in &from {
            let source = host(src_host, t.from.span(), "flow.from")?;
            if source == to {
                return Err(src.error(t.to.span(), "flow.to", to, "another host than `from`"));
            }
            plan.flows.push(FlowPlan {
                start: start + turn * stagger,
                stop,
                bytes: (bytes > 0).then_some(bytes),
                messages,
                every,
                packet,
                segment,
                class,
                read: t.read,
                ..FlowPlan::new(source, to, profile.clone())
            });
            turn += 1;
        }
    }
    Ok(())
}
