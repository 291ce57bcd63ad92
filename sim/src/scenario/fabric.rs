//! From a plan to a run of the fabric, and what came of it.
use super::outcome::Outcome;
use super::{Control, Error, FlowPlan, NicKind, Plan};
use crate::fabric::control::Control as Law;
use crate::fabric::flow::{FlowSpec, Message, PER_PACKET, Posting, Start};
use crate::fabric::port::FlowControl;
use crate::fabric::record::Record;
use crate::fabric::{Fabric, Finished, Settings};
use crate::feedback::Jitter;
use crate::marking::Marking;
use crate::metrics::histogram::Log;
use crate::metrics::summary::{Spread, jain, watched};
use crate::metrics::{FlowInfo, Recorder, Summary};
use crate::nic::Stats;
use crate::rival::{self, Own, Rival};
use crate::run::Observer;
use crate::time::{NEVER, Ps, Speed, US, ps};
use crate::topology::flow_key;
use crate::workload::sizes::Sizes;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::Arc;
use timely_model::engine::law::Words;
use timely_regs::parameters::{LawKind, Parameters, Signal};

/// Settings of the fabric alone.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FabricPlan {
    /// Bytes beyond XOFF that an ingress port may hold; `None`: as much as comes.
    pub headroom: Option<u32>,
    /// XOFF is at most this part of the free buffer; 0: XOFF alone counts.
    pub dynamic: f64,
    /// Marking of data, on networks of all kinds.
    pub marking: Option<Marking>,
    /// Jitter of ACKs and congestion notifications, likewise.
    pub feedback: Option<Jitter>,
    /// Noise of measured RTTs.
    pub rtt_noise: Ps,
    /// More of it, by a distribution in ns.
    pub noise: Option<Sizes>,
    /// Posting NICs: the rate at which the NIC sends a segment's packets, Mb/s; 0: the line's.
    pub spacing_mbps: f64,
    /// How late packets are that had to wait for their time, or bursts that software posts; none:
    /// never.
    pub lateness: Arc<[Ps]>,
    /// Every sample is recorded; by default in small runs.
    pub detail: Option<bool>,
}

/// Flows up to which every sample of a run is recorded.
const DETAILED_FLOWS: usize = 1024;
/// Length of such a run at most, times its flows.
const DETAILED: u64 = 400_000_000_000_000;

/// A plan made into a fabric.
pub struct Prepared {
    /// The fabric.
    pub fabric: Fabric,
    /// Base RTT, microseconds.
    pub base_rtt_us: f64,
    /// Speed of the watched port.
    pub bottleneck: Speed,
}

fn settings(plan: &Plan, detail: bool) -> Settings {
    let f = &plan.fabric;
    let control = |p: crate::switch::Pfc| FlowControl {
        xoff: p.xoff.min(u64::from(u32::MAX)) as u32,
        xon: p.xon.min(u64::from(u32::MAX)) as u32,
        headroom: f.headroom.unwrap_or(u32::MAX),
        dynamic: f.dynamic,
    };
    Settings {
        latency: plan.switch.latency,
        buffer: plan.switch.buffer.unwrap_or(u64::MAX),
        flow_control: plan.switch.pfc[1].map(control),
        marking: f.marking,
        feedback: f.feedback,
        ack_priority: plan.switch.ack_priority,
        ack_delay: plan.nic.ack_delay,
        rtt_noise: f.rtt_noise,
        lateness: f.lateness.clone(),
        noise: f.noise.clone(),
        seed: plan.seed,
        windows: plan.windows(),
        detail,
    }
}

fn posting(plan: &Plan, flow: &FlowPlan) -> Option<Posting> {
    let n = &plan.nic;
    let per_packet = f64::from(flow.packet + PER_PACKET) * 8e6;
    let spacing = plan.fabric.spacing_mbps;
    (n.kind == NicKind::Posted).then(|| Posting {
        slot: n.slot,
        jitter: n.software_jitter,
        subtract_own: n.subtract_own_burst,
        spacing: if spacing > 0.0 { ps(per_packet / spacing, 1) } else { 0 },
    })
}

/// Sets a fabric up.
pub fn prepare(plan: &Plan) -> Result<Prepared, Error> {
    plan.check()?;
    let base_rtt_us = plan.base_rtt_us()?;
    let Some((node, port, bottleneck)) = plan.bottleneck() else { return Err(Error::NoFlows) };
    let small = plan.flows.len() <= DETAILED_FLOWS && plan.duration.saturating_mul(plan.flows.len() as u64) <= DETAILED;
    let detail = plan.fabric.detail.unwrap_or(small);
    let numbers = plan.numbers();
    let infos = plan.flows.iter().zip(&numbers);
    let infos =
        infos.map(|(f, id)| FlowInfo { src: f.src, dst: f.dst, id: *id, start: f.start, stop: f.stop, bytes: f.total(), rounded: None });
    let recorder = Recorder::sized(plan.windows(), plan.topology.nodes(), infos.collect(), detail);
    let mut fabric = Fabric::new(&plan.topology, &settings(plan, detail), recorder);
    let mut index = vec![0; plan.topology.nodes()];
    for (i, h) in fabric.hosts().iter().enumerate() {
        index[usize::from(*h)] = i as u32;
    }
    let mut profiles: HashMap<(&str, u64), (u32, Words, Parameters)> = HashMap::new();
    for (f, id) in plan.flows.iter().zip(&numbers) {
        let line = plan.topology.host_link(f.src).speed;
        let key = (f.profile.as_str(), line.as_bps());
        let (profile, words, p) = match profiles.entry(key) {
            Entry::Occupied(e) => e.into_mut(),
            Entry::Vacant(e) => {
                let p = plan.parameters(&f.profile, base_rtt_us, line)?;
                let words = p.quantise().map_err(|e| Error::Profile { name: f.profile.clone(), message: e.to_string() })?;
                e.insert((fabric.profile(words), words, p))
            }
        };
        let control = plan.control(&f.profile);
        let mut spec = FlowSpec {
            host: index[usize::from(f.src)],
            number: *id,
            packet: f.packet,
            segment: f.segment,
            class: f.class,
            start: f.start,
            stop: f.stop,
            bound: p.outstanding_bytes,
            cap: p.cap_bytes,
            timeout: ps(p.timeout_us, US),
            idle: ps(p.idle_us, US),
            use_window: ps(p.use_window_us, US),
            rtt_start: Start::LastByte,
            scheduled: false,
            one_way: (p.signal == Signal::OneWay).then(|| ps(p.signal_base_us, US)),
            reply: f.reply,
            read: f.read,
            cnp: 0,
            cnp_grid: false,
        };
        let law = match control {
            // Timers and marks are the fabric's, with the profile's parameters.
            Control::Engine if p.law == LawKind::Dcqcn => {
                let own = Own { dcqcn: rival::dcqcn::Parameters::of(p), ..Own::default() };
                let law = Rival::Dcqcn.control(p, &own, line, base_rtt_us, &mut spec);
                spec.bound = p.outstanding_bytes;
                law
            }
            Control::Engine => Law::integer(words),
            Control::Rival(r) => r.control(p, &plan.own(&f.profile), line, base_rtt_us, &mut spec),
        };
        if plan.nic.kind == NicKind::Posted {
            // Software posts whole segments, whatever sets its rate.
            spec.segment = f.segment;
        }
        let messages: Vec<Message> = f.posts().into_iter().map(|(start, bytes)| Message { start, bytes, done: NEVER }).collect();
        let way = (index[usize::from(f.dst)], flow_key(f.src, f.dst, *id));
        fabric.add(&plan.topology, way, spec, law, (*profile, posting(plan, f)), &messages)?;
    }
    if plan.topology.is_switch(node) {
        fabric.watch(node, port);
    }
    for (node, port) in plan.watch.iter().filter(|w| **w != (node, port)) {
        fabric.watch(*node, *port);
    }
    Ok(Prepared { fabric, base_rtt_us, bottleneck })
}

/// Runs a plan on the fabric.
pub fn run(plan: Plan, mut observer: impl Observer) -> Result<Outcome, Error> {
    let started = std::time::Instant::now();
    let Prepared { mut fabric, base_rtt_us, bottleneck } = prepare(&plan)?;
    fabric.run(plan.duration, |now| observer.progress(now));
    let done = fabric.finish();
    let seconds = started.elapsed().as_secs_f64();
    let (record, messages) = close(&plan, done);
    let summary = summary(&plan, &record, &messages, bottleneck);
    Ok(Outcome {
        plan,
        base_rtt_us,
        summary,
        stats: vec![Stats { timeouts: record.timeouts, ..Stats::default() }],
        snapshots: Vec::new(),
        captures: Vec::new(),
        messages,
        rtt: record.rtt,
        measured_rtt: record.measured_rtt,
        marked_rtt: record.marked_rtt,
        transmissions: record.transmissions,
        recorder: record.recorder,
        seconds,
    })
}

// Moves the flows' results into their records. Then the recorder is finished: when all flows have
// ended, so have its windows.
fn close(plan: &Plan, done: Finished) -> (Record, Vec<(u32, Message)>) {
    let mut messages = Vec::with_capacity(done.messages.len());
    let Finished { flows, messages: all, mut record, .. } = done;
    let recorder = &mut record.recorder;
    let mut next = 0;
    for ((i, f), r) in flows.iter().enumerate().zip(&mut recorder.flows) {
        (r.payload, r.payload_steady, r.packets, r.acks) = (f.delivered, f.delivered_steady, f.packets, f.acks);
        r.branches = f.control.branches();
        r.wire_steady = f.wire_steady;
        let count = plan.flows[i].posts().len();
        let own = &all[next..next + count];
        next += count;
        messages.extend(own.iter().map(|m| (i as u32, *m)));
        if let Some(last) = own.last().filter(|m| m.done != NEVER && m.start != NEVER) {
            r.info.start = own[0].start;
            r.completion = Some(last.done - own[0].start);
        }
    }
    (recorder.pauses, recorder.pauses_steady) = (record.pauses, record.pauses_steady);
    (recorder.dropped, recorder.lost, recorder.ingress_max) = (record.dropped, record.lost, record.ingress_max);
    recorder.finish();
    (record, messages)
}

// Of a record that is closed.
fn summary(plan: &Plan, record: &Record, messages: &[(u32, Message)], bottleneck: Speed) -> Summary {
    let r = &record.recorder;
    let seconds = r.windows.seconds().unwrap_or(f64::NAN);
    let us = |t: f64| t / US as f64;
    let spread = |log: &Log| match log.total() {
        0 => Spread::UNKNOWN,
        _ => Spread { mean: us(log.mean()), p50: us(log.quantile(0.5)), p99: us(log.quantile(0.99)) },
    };
    let payload: u64 = r.flows.iter().map(|f| f.payload_steady).sum();
    let (utilization, queue_kb, queue_max_kb) = watched(r.taps.first(), seconds, bottleneck);
    // A call is its reply, which is counted from the request on.
    let counted: Vec<&Message> = messages.iter().filter(|m| plan.flows[m.0 as usize].reply.is_none()).map(|m| &m.1).collect();
    let complete = counted.iter().filter(|m| m.done != NEVER);
    let fct: Vec<f64> = complete.map(|m| us((m.done - m.start) as f64)).collect();
    Summary {
        utilization,
        goodput_gbps: payload as f64 * 8e-9 / seconds,
        rtt_us: spread(&record.rtt),
        rtt_measured_us: spread(&record.measured_rtt),
        queue_kb,
        queue_max_kb,
        jain: jain(&r.shares()),
        pauses: r.pauses,
        pauses_steady: r.pauses_steady,
        dropped: r.dropped,
        lost: r.lost,
        ingress_max_kb: r.ingress_max as f64 / 1e3,
        samples: record.rtt.total(),
        marks: r.marks,
        notifications: record.notifications,
        timeouts: record.timeouts,
        rtt_error_clocks_max: None,
        messages: Some(counted.len() as u64),
        completed: Some(fct.len() as u64),
        completion_us: Spread::of(fct),
    }
}
