//! From a plan to a simulation: NICs of the wanted kind, the network around them, and what came of
//! it.
pub use super::outcome::Outcome;
use super::{Error, NicKind, Plan};
use crate::cores::{CoreFactory, CoreFlow, CoreSpec};
use crate::feedback::Feedback;
use crate::frame::{Class, NodeId, UDP_PORT};
use crate::metrics::histogram::Log;
use crate::metrics::{FlowInfo, Recorder, Rounded, Summary};
use crate::network::Network;
use crate::nic::Nic;
use crate::nic::host::EventNic;
use crate::nic::mac::{Attachment, MacNic};
use crate::nic::paced::{Paced, PacedFlow};
use crate::nic::software::{Scheduling, Software, SoftwareFlow};
use crate::nic::stream::FlowSpec;
use crate::pcapng::Capture;
use crate::run::{Observer, Simulation};
use crate::time::{Ps, US, ps};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;
use timely_model::reference;
use timely_regs::parameters::{LawKind, Parameters, Signal};

/// Priority of data, for PFC.
pub const DATA_PRIORITY: u8 = 0;

struct Built {
    flows: Vec<(usize, FlowSpec, Parameters)>,
}

/// Threads that runs with bit-true NICs use.
pub fn threads() -> usize {
    std::thread::available_parallelism().map_or(1, |n| n.get()).min(16)
}

/// Runs a plan, under an observer.
pub fn run(plan: Plan, cores: &dyn CoreFactory, observer: impl Observer) -> Result<Outcome, Error> {
    if matches!(plan.nic.kind, NicKind::Event | NicKind::Posted) {
        return super::fabric::run(plan, observer);
    }
    let started = std::time::Instant::now();
    plan.check()?;
    let base_rtt_us = plan.base_rtt_us()?;
    let numbers = plan.numbers();
    let mut hosts: Vec<Built> = (0..plan.topology.nodes()).map(|_| Built { flows: Vec::new() }).collect();
    for (i, (f, id)) in plan.flows.iter().zip(&numbers).enumerate() {
        let parameters = plan.parameters(&f.profile, base_rtt_us, plan.topology.host_link(f.src).speed)?;
        let spec = FlowSpec {
            id: *id,
            dst: f.dst,
            start: f.start,
            bytes: f.bytes,
            messages: f.messages,
            every: f.every,
            stop: f.stop,
            packet: f.packet,
            segment: f.segment,
            class: if f.class == crate::fabric::port::LOW { Class::Low } else { Class::Data },
        };
        hosts[usize::from(f.src)].flows.push((i, spec, parameters));
    }
    let mut rng = ChaCha8Rng::seed_from_u64(plan.seed);
    let drawn = plan.topology.hosts().map(|h| (h, Drawn::new(&plan, &mut rng), std::mem::take(&mut hosts[usize::from(h)].flows)));
    let drawn: Vec<_> = drawn.collect();
    // Verilog goes through the clocks of its reset and of every write here.
    let nics: Vec<Box<dyn Nic>> = drawn.into_par_iter().map(|(h, d, flows)| nic(&plan, h, flows, cores, d)).collect::<Result<_, _>>()?;
    let infos = plan.flows.iter().zip(&numbers);
    let whole = plan.nic.kind.sends_whole_packets();
    let infos = infos.map(|(f, id)| FlowInfo {
        src: f.src,
        dst: f.dst,
        id: *id,
        start: f.start,
        stop: f.stop,
        bytes: f.total(),
        rounded: f.bytes.filter(|_| whole).map(|b| Rounded::new(b, f.packet)),
    });
    let infos = infos.collect();
    let recorder = Recorder::new(plan.windows(), plan.topology.nodes(), infos);
    let mut network = Network::new(plan.topology.clone(), plan.switch, plan.seed, recorder);
    network.marking = plan.fabric.marking;
    network.feedback = plan.fabric.feedback.map(|jitter| Feedback::new(jitter, plan.seed));
    let Some((node, port, speed)) = plan.bottleneck() else { return Err(Error::NoFlows) };
    if plan.topology.is_switch(node) {
        network.watch(node, port);
    }
    for (node, port) in plan.watch.iter().filter(|w| **w != (node, port)) {
        network.watch(*node, *port);
    }
    for (node, port) in &plan.capture {
        network.captures.push(Capture::new(*node, *port));
    }
    let threads = if matches!(plan.nic.kind, NicKind::Rtl) { threads() } else { 1 };
    let finished = Simulation::new(network, nics, threads).run(plan.duration, observer);
    let stats: Vec<_> = finished.stats.iter().map(|s| s.1).collect();
    let (recorder, mut captures) = (finished.network.recorder, finished.network.captures);
    captures.iter_mut().for_each(Capture::finish);
    let mut snapshots = Vec::new();
    if plan.snapshot {
        for (host, mut nic) in finished.nics {
            let flows = plan.flows.iter().filter(|f| f.src == host).count() as u32;
            let none = || Err("it keeps no telemetry; take rtl or model NICs".into());
            let records =
                nic.snapshot(flows, finished.end).unwrap_or_else(none).map_err(|message| Error::Nic { kind: plan.nic.kind, message })?;
            snapshots.push((host, records));
        }
    }
    let summary = Summary::of(&recorder, &stats, speed);

    Ok(Outcome {
        plan,
        base_rtt_us,
        recorder,
        summary,
        stats,
        snapshots,
        captures,
        messages: Vec::new(),
        rtt: Log::default(),
        measured_rtt: Log::default(),
        marked_rtt: Log::default(),
        transmissions: 0,
        seconds: started.elapsed().as_secs_f64(),
    })
}

/// Random properties of a host.
struct Drawn {
    seed: u64,
    phase: Ps,
    ppm: f64,
}

impl Drawn {
    fn new(plan: &Plan, rng: &mut ChaCha8Rng) -> Self {
        let seed = rng.random();
        if matches!(plan.nic.kind, NicKind::Paced | NicKind::Software) {
            return Drawn { seed, phase: 0, ppm: 0.0 };
        }
        Drawn { seed, phase: rng.random_range(0..plan.nic.clock), ppm: rng.random_range(-1.0..=1.0) * plan.nic.ppm }
    }
}

fn nic(
    plan: &Plan,
    host: NodeId,
    flows: Vec<(usize, FlowSpec, Parameters)>,
    cores: &dyn CoreFactory,
    drawn: Drawn,
) -> Result<Box<dyn Nic>, Error> {
    let speed = plan.topology.host_link(host).speed;
    let n = &plan.nic;
    let seed = drawn.seed;
    let timeout = |p: &Parameters| ps(p.timeout_us, US);
    Ok(match n.kind {
        NicKind::Paced => {
            let flow = |(_, spec, p): (usize, FlowSpec, Parameters)| PacedFlow {
                spec,
                bound: u64::from(p.outstanding_bytes),
                cap: u64::from(p.cap_bytes),
                timeout: timeout(&p),
                falls_by_loss: p.loss_decrease > 0.0,
                law: match p.law {
                    LawKind::Timely => Box::new(reference::Timely::as_in_hardware(&p)),
                    _ => reference::law(&p),
                },
            };
            let sender = Paced::new(host, speed, flows.into_iter().map(flow).collect());
            Box::new(EventNic::new(host, speed, n.ack_delay, sender))
        }
        NicKind::Software => {
            let scheduling = Scheduling { slot: n.slot, jitter: n.software_jitter, subtract_own: n.subtract_own_burst };
            let flow = |(_, spec, p): (usize, FlowSpec, Parameters)| SoftwareFlow {
                spec,
                law: reference::law(&p),
                bound: u64::from(p.outstanding_bytes),
                timeout: timeout(&p),
                falls_by_loss: p.loss_decrease > 0.0,
            };
            let flows = flows.into_iter().map(flow).collect();
            let sender = Software::new(host, speed, scheduling, seed, flows);
            Box::new(EventNic::new(host, speed, n.ack_delay, sender))
        }
        NicKind::Rtl | NicKind::Model | NicKind::Event | NicKind::Posted => {
            let failed = |message| Error::Nic { kind: n.kind, message };
            let flows: Vec<_> = flows.into_iter().map(|(_, spec, parameters)| CoreFlow { spec, parameters }).collect();
            let others: Vec<_> = flows.iter().filter(|f| f.parameters.signal != Signal::Rtt).map(|f| f.spec.id).collect();
            let spec = CoreSpec {
                kind: n.kind,
                form: n.form,
                host_window: n.host_window,
                dma_ns: n.dma_ns.0..=n.dma_ns.1,
                streams: n.streams,
                host,
                speed,
                bus_bits: n.bus_bits,
                flow_bits: n.flow_bits,
                clock_ps: n.clock as u32,
                udp_port: UDP_PORT,
                priority: DATA_PRIORITY,
                seed,
                flows,
            };
            let prepared = cores.build(&spec).map_err(failed)?;
            let attachment = Attachment {
                host,
                speed,
                phase: drawn.phase,
                clock: n.clock,
                ppm: drawn.ppm,
                jitter: n.fifo_jitter,
                priority: DATA_PRIORITY,
                udp_port: UDP_PORT,
                seed: seed ^ 1,
            };
            let mut nic = MacNic::new(prepared.core, attachment);
            for flow in others {
                nic.leave_uncompared(flow);
            }
            for (at, addr, value) in prepared.writes {
                nic.write_at(at, addr, value);
            }
            Box::new(nic)
        }
    })
}
