//! The flows' queues: packets join at one end, grants and the search for what is to be discarded
//! take them from the other.
use super::intake::Found;
use super::{AHEAD, AHEAD_LONG, DOORBELL_BITS, DOORBELLS, LONG_BEATS, Load, Packet, QUEUE_BITS, Read};
use crate::{Block, bus::Charge, fifo};
use std::collections::VecDeque;
use std::sync::Arc;
use timely_regs::link::wire_bytes;

/// Clocks from a whole packet to its place in the queue.
const JOIN: usize = 4;
/// Clocks from the look at a queue to the packet's bytes.
const LEAVE: usize = 6;
/// Clocks from a visit to the next one, when nothing else happens.
const VISIT: u64 = 4;
/// Clocks without anything else, after which visits follow each other evenly.
const EVEN: u64 = 12;

/// Inputs at a clock.
#[derive(Clone, Debug, Default)]
pub struct In {
    /// A packet is whole.
    pub stored: Option<Arc<Packet>>,
    /// A record is loaded.
    pub load: Option<Load>,
    /// A grant is taken.
    pub grant: Option<(u32, u64)>,
    /// A granted packet begins to be read.
    pub begun: bool,
    /// A packet begins to be discarded.
    pub discarded: bool,
    /// The pacer takes the doorbell.
    pub doorbell_ready: bool,
}

/// A look at a flow's queue.
#[derive(Clone, Debug)]
struct Op {
    flow: u32,
    launch: u64,
    /// No grant: what is to be discarded is looked for.
    visit: bool,
    /// The look found the flow void, and enabled.
    void: bool,
    enabled: bool,
    packet: Option<Arc<Packet>>,
}

#[derive(Clone, Debug, Default)]
struct Flow {
    enabled: bool,
    /// The flow's stored packets are to be discarded.
    void: bool,
    queue: VecDeque<Arc<Packet>>,
    /// Cells of all its packets that joined the queue, and that left it.
    joined: u32,
    left: u32,
    /// A visit would change something.
    unsettled: bool,
}

/// All flows.
#[derive(Clone, Debug)]
pub struct Queues {
    flows: Vec<Flow>,
    held_mask: u32,
    long_bytes: u32,
    joining: [Option<Arc<Packet>>; JOIN],
    doorbells: fifo::Fifo<u32>,
    /// Doorbells that wait.
    rings: u32,
    load: Option<Load>,
    /// Flows of the loads that the last two clocks applied.
    applied: [Option<u32>; 2],
    grants: fifo::Fifo<(u32, u64)>,
    ops: [Option<Op>; LEAVE],
    charge: Option<Charge>,
    /// Grants whose packets have not begun, nor were found not to be.
    places: u32,
    /// A visit has found a packet, which has not begun to be discarded.
    discarding: bool,
    /// The last packet granted was long.
    long: bool,
    /// The flow to be visited next.
    at: u32,
    /// Visits go before grants.
    urgent: bool,
    /// Flows of which a visit would change something.
    unsettled: u32,
}

impl Queues {
    pub fn new(flow_bits: u32, cell_bits: u32, width: usize) -> Self {
        Queues {
            flows: vec![Flow::default(); 1 << flow_bits],
            held_mask: (2 << cell_bits) - 1,
            long_bytes: LONG_BEATS * width as u32 / 8,
            joining: Default::default(),
            doorbells: fifo::Fifo::new(DOORBELL_BITS),
            rings: 0,
            load: None,
            applied: [None; 2],
            grants: fifo::Fifo::new(QUEUE_BITS),
            ops: Default::default(),
            charge: None,
            places: 0,
            discarding: false,
            long: false,
            at: 0,
            urgent: false,
            unsettled: 0,
        }
    }

    // After every change of a flow.
    fn changed(&mut self, flow: u32) {
        let f = &mut self.flows[flow as usize];
        let unsettled = if f.enabled { f.void } else { !f.queue.is_empty() };
        self.unsettled = self.unsettled + u32::from(unsettled) - u32::from(f.unsettled);
        f.unsettled = unsettled;
    }

    /// Nothing happens but visits, which find nothing.
    pub fn is_idle(&self) -> bool {
        let still = self.joining.iter().all(Option::is_none) && self.doorbells.is_empty() && self.grants.is_empty();
        let vain = self.ops.iter().flatten().all(|op| op.visit && op.packet.is_none());
        let loaded = self.load.is_some() || self.applied != [None; 2];
        still && vain && !loaded && self.charge.is_none() && !self.discarding && self.unsettled == 0
    }

    /// Of so many idle clocks those that [`Queues::step`] need not be told: the visits of the
    /// others are made here.
    pub fn pass(&mut self, clocks: u64) -> u64 {
        let turns = clocks.saturating_sub(EVEN) / VISIT;
        let mask = self.flows.len() as u32 - 1;
        let on = |flow: u32| (u64::from(flow) + turns) as u32 & mask;
        self.at = on(self.at);
        self.ops.iter_mut().flatten().for_each(|op| op.flow = on(op.flow));
        turns * VISIT
    }

    pub fn queued(&self, flow: u32) -> usize {
        self.flows[flow as usize].queue.len()
    }

    pub fn has_doorbells(&self) -> bool {
        self.rings < DOORBELLS
    }

    pub fn doorbell(&self, clk: u64) -> Option<u32> {
        self.doorbells.output(clk).head
    }

    pub fn charge(&self) -> Option<Charge> {
        self.charge
    }

    fn limit(&self) -> u32 {
        if self.long { AHEAD_LONG } else { AHEAD }
    }

    pub fn takes_grants(&self) -> bool {
        self.places < self.limit()
    }

    pub fn look(&self, flow: u32) -> Found {
        let f = &self.flows[flow as usize];
        Found { open: f.enabled && !f.void, held: f.joined.wrapping_sub(f.left) & self.held_mask }
    }

    /// A clock; gives the packet that is to be read next.
    pub fn step(&mut self, clk: u64, i: &In) -> Option<Read> {
        self.places = self.places + u32::from(i.grant.is_some()) - u32::from(i.begun);
        // The last stage: the bytes are known.
        let mut read = None;
        self.charge = None;
        if let Some(op) = self.ops[LEAVE - 1].take() {
            let wire = op.packet.as_ref().map_or(0, |p| wire_bytes(p.bytes) as u16);
            if !op.visit {
                self.places -= u32::from(op.packet.is_none());
                self.charge = Some(Charge { flow: op.flow, bytes: wire, ends: op.packet.as_ref().is_some_and(|p| p.ends) });
                self.long = op.packet.as_ref().map_or(self.long, |p| p.bytes > self.long_bytes);
            }
            read = op.packet.map(|packet| Read { packet, launch: op.launch, discard: op.visit });
        }
        if let Some(Op { flow, packet: Some(packet), .. }) = &self.ops[3] {
            let left = &mut self.flows[*flow as usize].left;
            *left = left.wrapping_add(packet.cells());
        }
        let outcome = self.ops[2].as_ref().filter(|op| op.visit).map(|op| (op.flow, op.void && op.enabled, op.packet.is_some()));

        // Choice of the next look: a queue is looked at again after two clocks.
        let head = self.grants.output(clk).head;
        let recent = |flow: u32| self.ops[..2].iter().flatten().any(|op| op.flow == flow);
        let visiting = self.ops[..3].iter().flatten().any(|op| op.visit);
        let visit = !visiting && !self.discarding && !recent(self.at) && (self.urgent || head.is_none());
        let grant = head.filter(|(flow, _)| !visit && !recent(*flow));
        self.discarding &= !i.discarded;
        let visit = visit.then_some(Op { flow: self.at, launch: 0, visit: true, void: false, enabled: false, packet: None });
        let next = visit.or(grant.map(|(flow, launch)| Op { flow, launch, visit: false, void: false, enabled: false, packet: None }));
        self.grants.step(clk, &fifo::In { rst: false, push: i.grant, ready: grant.is_some() });

        // The look.
        if let Some(op) = &mut self.ops[0] {
            let f = &mut self.flows[op.flow as usize];
            (op.void, op.enabled) = (f.void, f.enabled);
            if !op.visit || f.void || !f.enabled {
                op.packet = f.queue.pop_front();
            }
            let flow = op.flow;
            self.changed(flow);
        }
        self.ops.rotate_right(1);
        self.ops[0] = next;

        let loaded = self.load.take();
        if let Some((flow, ends, found)) = outcome {
            // The look has not seen the loads of these clocks: the flow is visited again.
            let anew = [loaded.map(|l| l.flow), self.applied[0], self.applied[1]].contains(&Some(flow));
            self.discarding |= found;
            self.urgent |= found;
            if !found && !anew && flow == self.at {
                self.at = (self.at + 1) & (self.flows.len() as u32 - 1);
                self.urgent = false;
            }
            // A flow that is not enabled stays void: a packet may still be on its way in, whose
            // doorbell the pacer will refuse. A load that voids goes first.
            if ends && !found && !anew && !loaded.is_some_and(|l| l.voids()) {
                self.flows[flow as usize].void = false;
                self.changed(flow);
            }
        }
        self.applied = [loaded.map(|l| l.flow), self.applied[0]];
        if let Some(load) = loaded {
            let f = &mut self.flows[load.flow as usize];
            f.enabled = load.enable;
            f.void |= load.voids();
            self.changed(load.flow);
            self.at = load.flow;
            self.urgent = true;
        }
        self.load = i.load;

        let joined = self.joining[JOIN - 1].take();
        self.joining.rotate_right(1);
        self.joining[0] = i.stored.clone();
        let rung = self.doorbells.output(clk).head.is_some() && i.doorbell_ready;
        self.rings = self.rings + u32::from(joined.is_some()) - u32::from(rung);
        self.doorbells.step(clk, &fifo::In { rst: false, push: joined.as_ref().map(|p| p.flow), ready: i.doorbell_ready });
        if let Some(packet) = joined {
            let f = &mut self.flows[packet.flow as usize];
            f.joined = f.joined.wrapping_add(packet.cells());
            let flow = packet.flow;
            f.queue.push_back(packet);
            self.changed(flow);
        }
        read
    }
}
