//! The network between the hosts: links, switches, and the events that drive them.
use crate::event::Queue;
use crate::feedback::Feedback;
use crate::frame::{Class, Frame, NodeId};
use crate::marking::Marking;
use crate::metrics::Recorder;
use crate::nic::{Arrival, Departure};
use crate::pcapng::Capture;
use crate::switch::{Config, Port, Queued, Send};
use crate::time::{Ps, wire_bytes};
use crate::topology::{Link, Topology, flow_key};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Bytes of a pause frame, without FCS.
const PAUSE_BYTES: u32 = 60;

#[derive(Debug)]
enum Event {
    /// A frame is in the buffer of a switch.
    Enter { node: NodeId, port: u16, frame: Frame },
    /// A port of a switch has sent what it had on the wire.
    Free { node: NodeId, port: u16 },
    /// A pause frame was received by a switch.
    Pause { node: NodeId, port: u16, classes: u8 },
}

/// Something that reaches a host.
#[derive(Debug)]
pub enum Delivery {
    /// A frame.
    Frame(NodeId, Arrival),
    /// A pause frame: host, time, classes.
    Pause(NodeId, Ps, u8),
}

/// The network.
pub struct Network {
    topology: Topology,
    config: Config,
    // [node][port]; empty for hosts.
    ports: Vec<Vec<Port>>,
    used: Vec<u64>,
    // One for each link and direction.
    luck: Vec<[ChaCha8Rng; 2]>,
    // Draws of marks.
    chance: ChaCha8Rng,
    events: Queue<Event>,
    first_port: Vec<u32>,
    deliveries: Vec<Delivery>,
    /// Marking of data.
    pub marking: Option<Marking>,
    /// Jitter of ACKs.
    pub feedback: Option<Feedback>,
    /// Ports whose frames are kept.
    pub captures: Vec<Capture>,
    /// Recorder of the run.
    pub recorder: Recorder,
}

impl Network {
    /// A network whose links lose frames by this seed.
    pub fn new(topology: Topology, config: Config, seed: u64, recorder: Recorder) -> Self {
        let nodes = topology.nodes() as NodeId;
        let ports = (0..nodes)
            .map(|n| if topology.is_switch(n) { topology.ports(n).iter().map(|_| Port::default()).collect() } else { Vec::new() });
        let mut first_port = vec![0; usize::from(nodes) + 1];
        for n in 0..nodes {
            first_port[usize::from(n) + 1] = first_port[usize::from(n)] + topology.ports(n).len() as u32;
        }
        let stream = |i: u64| {
            let mut rng = ChaCha8Rng::seed_from_u64(seed);
            rng.set_stream(i);
            rng
        };
        let luck = (0..topology.links().len() as u64).map(|l| [stream(2 * l), stream(2 * l + 1)]).collect();
        Network {
            ports: ports.collect(),
            used: vec![0; usize::from(nodes)],
            luck,
            chance: stream(u64::MAX),
            marking: None,
            feedback: None,
            events: Queue::default(),
            first_port,
            deliveries: Vec::new(),
            captures: Vec::new(),
            recorder,
            topology,
            config,
        }
    }

    /// Topology of the network.
    pub fn topology(&self) -> &Topology {
        &self.topology
    }

    /// Watches the queue of a switch's port; gives the tap's index.
    pub fn watch(&mut self, node: NodeId, port: u16) -> usize {
        let windows = self.recorder.windows;
        let tap = self.recorder.taps.len();
        self.recorder.taps.push(crate::metrics::Tap::new(node, port, windows));
        self.ports[usize::from(node)][usize::from(port)].tap = Some(tap);
        tap
    }

    /// The earliest event.
    pub fn next(&self) -> Ps {
        self.events.next()
    }

    /// A host's frame, which has left or will soon.
    pub fn transmit(&mut self, host: NodeId, d: Departure) {
        self.recorder.departure(&d.frame, d.start);
        let held = match &mut self.feedback {
            Some(jitter) if d.frame.meta.ack => jitter.hold((d.frame.dst, d.frame.flow), d.end),
            _ => 0,
        };
        self.carry(host, 0, d.frame, d.start + held, d.end + held);
    }

    /// Runs the events before `until` and gives what reaches hosts, in order for each host.
    pub fn advance(&mut self, until: Ps) -> std::vec::Drain<'_, Delivery> {
        while let Some((now, event)) = self.events.pop_before(until) {
            match event {
                Event::Enter { node, port, frame } => self.enter(now, node, port, frame),
                Event::Free { node, port } => self.freed(now, node, port),
                Event::Pause { node, port, classes } => {
                    self.ports[usize::from(node)][usize::from(port)].paused = classes;
                    self.kick(now, node, port);
                }
            }
        }
        self.deliveries.drain(..)
    }

    // Orders events of the same time: by port, then by kind, never by how far ahead a host was run.
    fn rank(&self, node: NodeId, port: u16, kind: u32) -> u32 {
        (self.first_port[usize::from(node)] + u32::from(port)) * 3 + kind
    }

    fn port(&mut self, node: NodeId, port: u16) -> &mut Port {
        &mut self.ports[usize::from(node)][usize::from(port)]
    }

    // Puts a frame on the link of `node`'s port.
    fn carry(&mut self, node: NodeId, port: u16, mut frame: Frame, start: Ps, end: Ps) {
        let there = self.topology.ports(node)[usize::from(port)];
        let link: Link = self.topology.links()[there.link];
        if !self.captures.is_empty() {
            self.passes(node, port, true, start, &frame);
        }
        let luck = &mut self.luck[there.link][usize::from(link.b == node)];
        if link.loss > 0.0 && luck.random_bool(link.loss) {
            self.recorder.lost += 1;
            self.recorder.lost_acks += u64::from(frame.meta.ack);
            return;
        }
        if link.damage > 0.0 && luck.random_bool(link.damage) {
            self.recorder.damaged += 1;
            frame.bad = true;
        }
        if !self.captures.is_empty() {
            self.passes(there.peer, there.peer_port, false, start + link.delay, &frame);
        }
        if self.topology.is_switch(there.peer) {
            if !frame.bad {
                let at = end + link.delay + self.config.latency;
                let rank = self.rank(there.peer, there.peer_port, 1);
                self.events.push(at, rank, Event::Enter { node: there.peer, port: there.peer_port, frame });
            }
        } else {
            self.recorder.arrival(&frame, end + link.delay);
            self.deliveries.push(Delivery::Frame(there.peer, Arrival { frame, start: start + link.delay, end: end + link.delay }));
        }
    }

    // A frame passes a port whose frames may be kept.
    fn passes(&mut self, node: NodeId, port: u16, out: bool, at: Ps, frame: &Frame) {
        if let Some(c) = self.captures.iter_mut().find(|c| c.node == node && c.port == port) {
            c.pass(at, out, frame);
        }
    }

    fn enter(&mut self, now: Ps, node: NodeId, port: u16, mut frame: Frame) {
        if !self.config.ack_priority && frame.class == Class::Ack {
            frame.class = Class::Data;
        }
        let bytes = frame.buffer_bytes();
        let used = &mut self.used[usize::from(node)];
        let key = flow_key(frame.src, frame.dst, frame.flow);
        let full = self.config.buffer.is_some_and(|b| *used + bytes > b);
        let Some(out) = self.topology.next_port(node, frame.dst, key).filter(|_| !full) else {
            self.recorder.dropped += 1;
            return;
        };
        *used += bytes;
        let pfc = self.config.pfc;
        let ingress = self.port(node, port);
        let pause = ingress.admit(frame.class, bytes, &pfc);
        let held = ingress.ingress_bytes();
        self.recorder.ingress_max = self.recorder.ingress_max.max(held);
        if pause {
            self.recorder.paused(now);
            self.kick(now, node, port);
        }
        let p = &mut self.ports[usize::from(node)][usize::from(out)];
        let waits = p.holds(frame.class);
        // A ramp marks no frame at an empty queue; a controller does by its output alone.
        let marking = self.marking.filter(|m| m.pi.is_some() || waits);
        if let Some(marking) = marking.filter(|m| m.ingress && !frame.meta.ack)
            && p.controlled.marks(&marking, now, p.waiting(), &mut self.chance)
        {
            frame.mark();
        }
        p.push(Queued { frame, ingress: port, waits });
        if let Some(marking) = &self.marking {
            p.controlled.changes(marking, now, p.waiting());
        }
        self.tapped(now, node, out);
        self.kick(now, node, out);
    }

    fn tapped(&mut self, now: Ps, node: NodeId, port: u16) {
        let p = &self.ports[usize::from(node)][usize::from(port)];
        if let Some(t) = p.tap {
            self.recorder.taps[t].change(now, p.queued);
        }
    }

    fn freed(&mut self, now: Ps, node: NodeId, port: u16) {
        let p = self.port(node, port);
        p.busy = false;
        if let Some((bytes, class, ingress)) = p.sending.take() {
            p.queued -= bytes;
            self.tapped(now, node, port);
            self.used[usize::from(node)] -= bytes;
            let pfc = self.config.pfc;
            if self.port(node, ingress).release(class, bytes, &pfc) {
                self.kick(now, node, ingress);
            }
        }
        self.kick(now, node, port);
    }

    // Sends the next thing if the port is free.
    fn kick(&mut self, now: Ps, node: NodeId, port: u16) {
        let p = self.port(node, port);
        if p.busy {
            return;
        }
        let Some(next) = p.next() else { return };
        p.busy = true;
        let there = self.topology.ports(node)[usize::from(port)];
        let link = self.topology.links()[there.link];
        let rank = self.rank(node, port, 0);
        match next {
            Send::Frame(mut q) => {
                let p = &mut self.ports[usize::from(node)][usize::from(port)];
                let bytes = q.frame.bytes;
                p.sending = Some((q.frame.buffer_bytes(), q.frame.class, q.ingress));
                let marking = self.marking.filter(|m| m.pi.is_some() || q.waits);
                if let Some(marking) = marking.filter(|m| !m.ingress && !q.frame.meta.ack)
                    && p.controlled.marks(&marking, now, p.waiting(), &mut self.chance)
                {
                    q.frame.mark();
                }
                if let Some(marking) = &self.marking {
                    p.controlled.changes(marking, now, p.waiting());
                }
                let end = now + link.speed.frame_time(bytes);
                if let Some(t) = p.tap {
                    self.recorder.taps[t].sends(now, end, wire_bytes(bytes));
                }
                self.events.push(end, rank, Event::Free { node, port });
                self.carry(node, port, q.frame, now, end);
            }
            Send::Pause(classes) => {
                let end = now + link.speed.frame_time(PAUSE_BYTES);
                self.events.push(end, rank, Event::Free { node, port });
                let at = end + link.delay;
                if self.topology.is_switch(there.peer) {
                    let rank = self.rank(there.peer, there.peer_port, 2);
                    self.events.push(at, rank, Event::Pause { node: there.peer, port: there.peer_port, classes });
                } else {
                    self.deliveries.push(Delivery::Pause(there.peer, at, classes));
                }
            }
        }
    }
}
