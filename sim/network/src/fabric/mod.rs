//! The fabric: thousands of event-level hosts, switches and links, at many millions of frames a
//! second.
//!
//! One thread, one event queue ([`calendar`]), everything in flat tables by index: a frame is a
//! [`cell`] that goes from the calendar to a port's queue and back. The path of a flow is computed
//! when it is set up. The hosts pace each packet by the exact arithmetic of the hardware's token
//! buckets and set rates with the integers of its rate engine, or run another controller
//! ([`control`]).
//!
//! Clocks and their drift, bytes of frames, and hardware latencies other than that of ACKs are left
//! out, unlike in the clocked network ([`crate::network`]). `sim/tests/network/fabric.rs` holds the
//! fabric against NICs that have them.
pub mod calendar;
pub mod cell;
pub mod class;
pub mod control;
mod fetch;
pub mod flow;
mod host;
mod notify;
mod places;
pub mod port;
mod read;
pub mod record;
mod signal;
mod wiring;

use crate::feedback::{Feedback, Jitter};
use crate::marking::{Controlled, Marking};
use crate::metrics::{Recorder, Tap, Windows};
use crate::nic::stream::HEADERS;
use crate::sizes::Sizes;
use crate::time::{NEVER, Ps, wire_bytes};
use crate::topology::Topology;
use calendar::Calendar;
use cell::{Cells, Hop, Kind, NONE, PORT};
use control::Control;
use flow::{Flow, FlowSpec, Message, Posting};
use host::Host;
use port::{FlowControl, Port};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use record::Record;
use std::sync::Arc;
use timely_model::engine::law::Words;
use wiring::Wires;

/// Settings that all switches and hosts of a fabric share.
#[derive(Clone, Debug)]
pub struct Settings {
    /// From a frame's last bit in to its place in the output queue.
    pub latency: Ps,
    /// Bytes that a switch can store.
    pub buffer: u64,
    /// Flow control of data.
    pub flow_control: Option<FlowControl>,
    /// Marking of data; `None`: none.
    pub marking: Option<Marking>,
    /// Jitter of ACKs and congestion notifications; `None`: none.
    pub feedback: Option<Jitter>,
    /// ACKs go before data; else they wait in the first class of data.
    pub ack_priority: bool,
    /// From a segment's last bit in to its ACK.
    pub ack_delay: Ps,
    /// Added to each measured RTT: uniform up to this.
    pub rtt_noise: Ps,
    /// How late packets are that had to wait for their time, or bursts that software posts, one
    /// after the other; none: never.
    pub lateness: Arc<[Ps]>,
    /// Added too: drawn from this, ns.
    pub noise: Option<Sizes>,
    /// Seed of everything random.
    pub seed: u64,
    /// The windows of the run.
    pub windows: Windows,
    /// Record every sample, not distributions alone.
    pub detail: bool,
}

/// Most bytes that late software makes up for.
const MOST_MISSED: u64 = 64 << 20;

/// A network in the run.
pub struct Fabric {
    calendar: Calendar,
    cells: Cells,
    ports: Vec<Port>,
    // Of each port its marking by a controller.
    controlled: Vec<Controlled>,
    hosts: Vec<Host>,
    flows: Vec<Flow>,
    messages: Vec<Message>,
    profiles: Vec<Words>,
    // Paths, one behind the other.
    routes: Vec<Hop>,
    // Stored bytes of each node.
    used: Vec<u64>,
    watches: Vec<port::Watch>,
    flow_control: Option<FlowControl>,
    marking: Marking,
    feedback: Option<Feedback>,
    buffer: u64,
    ack_wire: u16,
    ack_class: u8,
    ack_delay: Ps,
    rtt_noise: Ps,
    lateness: Arc<[Ps]>,
    // The most of it.
    latest: Ps,
    noise: Option<Sizes>,
    rng: ChaCha8Rng,
    windows: Windows,
    // Flows without an end.
    endless: usize,
    wires: Wires,
    /// Record of the run.
    pub record: Record,
}

impl Fabric {
    /// An idle network. In detail, `recorder` knows the flows that will be added, in the same
    /// order.
    pub fn new(topology: &Topology, settings: &Settings, recorder: Recorder) -> Self {
        let (wires, wiring) = Wires::new(topology);
        let marking = settings.marking.is_some();
        let ports: Vec<_> = wiring.iter().map(|w| Port::new(w, settings.latency, marking)).collect();
        let none = Marking { least: u32::MAX, most: u32::MAX, chance: 0.0, ingress: true, pi: None };
        Fabric {
            calendar: Calendar::default(),
            cells: Cells::default(),
            controlled: vec![Controlled::default(); ports.len()],
            ports,
            hosts: vec![Host::default(); wires.hosts()],
            flows: Vec::new(),
            messages: Vec::new(),
            profiles: Vec::new(),
            routes: Vec::new(),
            used: vec![0; topology.nodes()],
            watches: Vec::new(),
            flow_control: settings.flow_control,
            marking: settings.marking.unwrap_or(none),
            feedback: settings.feedback.map(|jitter| Feedback::new(jitter, settings.seed)),
            buffer: settings.buffer,
            ack_wire: wire_bytes(HEADERS) as u16,
            ack_class: if settings.ack_priority { port::ACKS } else { port::HIGH },
            ack_delay: settings.ack_delay,
            rtt_noise: settings.rtt_noise,
            latest: settings.lateness.iter().copied().max().unwrap_or(0),
            lateness: settings.lateness.clone(),
            noise: settings.noise.clone(),
            rng: ChaCha8Rng::seed_from_u64(settings.seed),
            windows: settings.windows,
            endless: 0,
            wires,
            record: Record::new(settings.windows, settings.detail, recorder),
        }
    }

    /// Hosts by the fabric's index, as nodes of the topology.
    pub fn hosts(&self) -> &[crate::frame::NodeId] {
        self.wires.nodes()
    }

    /// A profile's words; gives its index.
    pub fn profile(&mut self, words: Words) -> u32 {
        self.profiles.push(words);
        self.profiles.len() as u32 - 1
    }

    /// Watches the queue of a node's port; gives the index of its tap.
    pub fn watch(&mut self, node: crate::frame::NodeId, port: u16) -> usize {
        self.ports[self.wires.port(node, port) as usize].watched(self.watches.len() as u32);
        self.watches.push(port::Watch::new(Tap::new(node, port, self.windows)));
        self.watches.len() - 1
    }

    /// Adds a flow to the host of this index, with its messages, which are posted in order; without
    /// any it is endless.
    ///
    /// # Errors
    /// There is no path there or back.
    pub fn add(
        &mut self,
        topology: &Topology,
        (to, key): (u32, u32),
        spec: FlowSpec,
        control: Control,
        (profile, posting): (u32, Option<Posting>),
        messages: &[Message],
    ) -> Result<u32, crate::topology::Error> {
        let f = self.flows.len() as u32;
        let first = self.messages.len() as u32;
        self.messages.extend_from_slice(messages);
        let complete_at = messages.first().map_or(u64::MAX, |m| m.bytes);
        self.endless += usize::from(messages.is_empty());
        let (from, start, stop) = (spec.host, spec.start, spec.stop);
        let mut flow = Flow::new(spec, control, posting, first..self.messages.len() as u32, complete_at);
        flow.profile = profile;
        if !self.lateness.is_empty() {
            flow.late = self.rng.random_range(0..self.lateness.len() as u32);
            // Software that is late makes up for all of it, unlike the hardware.
            let missed = self.latest / self.ports[from as usize].time(1000).max(1) * 1000;
            flow.spec.cap = flow.spec.cap.max(missed.min(MOST_MISSED) as u32);
        }
        if let Some(w) = flow.control.window() {
            flow.window = w;
        }
        flow.route = self.wires.route(topology, from, to, key, &mut self.routes)?;
        flow.back = self.wires.route(topology, to, from, key, &mut self.routes)?;
        self.flows.push(flow);
        let at = messages.first().map_or(start, |m| m.start);
        if at != NEVER {
            let id = self.cells.take(Kind::Post, f);
            self.calendar.push(id, at);
        }
        if let (Some(stop), true) = (stop, messages.is_empty()) {
            let id = self.cells.take(Kind::Stop, f);
            self.calendar.push(id, stop);
        }
        Ok(f)
    }

    /// Runs until `end`, until nothing is left to do or, of flows that all have an end, until all
    /// messages are complete; `progress` is told the time now and then.
    pub fn run(&mut self, end: Ps, mut progress: impl FnMut(Ps)) {
        let mut events = 0u32;
        loop {
            let Some((now, id)) = self.calendar.pop() else {
                if !self.look_ahead() {
                    break;
                }
                continue;
            };
            if now >= end {
                // The event goes back into the calendar: a run may be continued.
                self.calendar.push(id, now);
                break;
            }
            if id & PORT != 0 {
                self.freed(now, id & !PORT);
                continue;
            }
            let cell = &self.cells[id];
            let (kind, flow, bits) = (cell.kind, cell.flow, cell.bits);
            match kind {
                Kind::Enter => self.forward(now, id),
                Kind::Arrive => {
                    self.arrive(now, id);
                    if self.endless == 0 && self.record.completed == self.messages.len() as u64 {
                        // Frames still on their way were sent in vain, and are no part of the
                        // figures.
                        self.windows.end = self.windows.end.min(now.max(self.windows.steady + 1));
                        break;
                    }
                }
                _ => {
                    self.cells.give(id);
                    match kind {
                        Kind::Due => self.due(now, flow),
                        Kind::Pause => self.paused(now, flow, bits),
                        Kind::Post => self.post(now, flow),
                        Kind::Stop => self.stop(flow),
                        Kind::Expire => self.expire(now, flow),
                        Kind::Notify => self.notify(now, flow),
                        Kind::Timer => self.timer(now, flow),
                        _ => self.spaced(now, flow),
                    }
                }
            }
            events = events.wrapping_add(1);
            if events & 0xf_ffff == 0 {
                progress(now);
            }
        }
        progress(end);
    }

    /// Flows, messages and record of the run. The caller, who knows when the last flow was
    /// complete, finishes the recorder.
    pub fn finish(mut self) -> Finished {
        let end = self.windows.end;
        self.record.recorder.taps.extend(std::mem::take(&mut self.watches).into_iter().map(|w| w.finish(end)));
        Finished { flows: self.flows, messages: self.messages, record: self.record, cells: self.cells.most() }
    }

    /// The flows, in the order they were added.
    pub fn flows(&self) -> &[Flow] {
        &self.flows
    }
}

/// A run that has ended.
pub struct Finished {
    /// The flows, in the order they were added.
    pub flows: Vec<Flow>,
    /// All messages, flow after flow.
    pub messages: Vec<Message>,
    /// Record of the run.
    pub record: Record,
    /// Cells that were in use at once, at most.
    pub cells: usize,
}

const _: () = assert!(NONE == u32::MAX);
