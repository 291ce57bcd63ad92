//! Served NICs in simulated time: a NIC whose wire ends nowhere, two that are joined by a link, or
//! one between ends outside the simulation.
use crate::frame::Frame;
use crate::nic::core::{AccessError, Core};
use crate::nic::mac::MacNic;
use crate::nic::{Arrival, Nic, Outbox};
use crate::time::{NS, Ps, Speed};
use std::collections::VecDeque;
use std::time::{Duration, Instant};

/// Clocks after which a register access without an answer is given up.
const ACCESS_CLOCKS: u32 = 20_000;

/// An end of a NIC that is a bump in the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The host's.
    Host,
    /// The network's.
    Network,
}

/// The outside of the simulation at both ends of a NIC.
pub trait Ends: Send {
    /// A frame came to the NIC from this end.
    fn came(&mut self, end: End, at: Ps, frame: &[u8]);
    /// A frame leaves the NIC by this end.
    fn leaves(&mut self, end: End, at: Ps, frame: &[u8]);
    /// The NIC took `frames` of this end's whole, or lost them in a reset.
    fn taken(&mut self, end: End, frames: usize);
    /// The host takes frames.
    fn host_takes(&self) -> bool;
    /// Simulated time that has passed since the last call, and what running it took of the
    /// wall's.
    fn ran(&mut self, simulated: Ps, wall: Duration);
}

/// A NIC's ends, and what of theirs is on its way.
struct Between {
    ends: Box<dyn Ends>,
    speed: Speed,
    /// Frames of the host's that the NIC has not taken.
    offered: usize,
    /// When each frame from the network will have arrived.
    arriving: VecDeque<Ps>,
    /// Simulated time up to which the ends were told that it ran.
    ran: Ps,
}

/// The NICs and their link. The first one is the one that is served.
pub struct Wire {
    nics: Vec<MacNic>,
    delay: Ps,
    /// The longest step, in which nothing is asked of a NIC from outside.
    window: Ps,
    /// Register writes that start the second NIC's flows, until it hears from the first.
    start: Vec<(u32, u32)>,
    now: Ps,
    out: Outbox,
    frames: u64,
    between: Option<Between>,
}

impl Wire {
    /// A NIC alone: frames that it sends are lost. `window` is the longest step, for which a
    /// request waits.
    pub fn alone(nic: MacNic, window: Ps) -> Self {
        Wire::of(vec![nic], window)
    }

    fn of(nics: Vec<MacNic>, window: Ps) -> Self {
        Wire { nics, delay: window, window, start: Vec::new(), now: 0, out: Outbox::default(), frames: 0, between: None }
    }

    /// A NIC between two ends, whose core has a host outside the simulation; `speed` is its
    /// link's.
    pub fn between(nic: MacNic, speed: Speed, window: Ps, ends: Box<dyn Ends>) -> Self {
        let between = Between { ends, speed, offered: 0, arriving: VecDeque::new(), ran: 0 };
        Wire { between: Some(between), ..Wire::alone(nic, window) }
    }

    /// The NIC has ends outside the simulation.
    pub fn is_between(&self) -> bool {
        self.between.is_some()
    }

    /// A frame comes from an end now. From the network it takes the link's time behind those that
    /// came before it.
    pub fn offer(&mut self, end: End, frame: Vec<u8>) {
        let (now, Some(b)) = (self.now, &mut self.between) else { return };
        b.ends.came(end, now, &frame);
        match (end, self.nics[0].core().socket()) {
            (End::Host, Some(socket)) => {
                b.offered += 1;
                socket.offer(frame);
            }
            (End::Host, None) => b.ends.taken(end, 1),
            (End::Network, _) => {
                let start = b.arriving.back().map_or(now, |end| now.max(*end));
                let frame = Frame::outside(&frame);
                let arrives = start + b.speed.frame_time(frame.bytes);
                b.arriving.push_back(arrives);
                self.nics[0].pass(now);
                self.nics[0].receive(Arrival { frame, start, end: arrives });
            }
        }
    }

    // What the NIC took from its ends and gave to them up to `to`.
    fn exchange(&mut self, to: Ps) {
        let Some(b) = &mut self.between else { return };
        for d in &self.out.departures {
            b.ends.leaves(End::Network, d.start, d.frame.body.as_deref().unwrap_or_default());
        }
        if let Some(socket) = self.nics[0].core().socket() {
            while let Some(frame) = socket.take() {
                b.ends.leaves(End::Host, to, &frame);
            }
            b.ends.taken(End::Host, b.offered - socket.waiting());
            b.offered = socket.waiting();
            socket.set_taking(b.ends.host_takes());
        }
        let arrived = b.arriving.iter().take_while(|end| **end <= to).count();
        b.arriving.drain(..arrived);
        b.ends.taken(End::Network, arrived);
    }

    /// Two NICs; a bit takes `delay` from one to the other. When the second hears from the first,
    /// `start` is written into it: until then its frames would stay without an answer.
    pub fn joined(nics: [MacNic; 2], delay: Ps, window: Ps, start: Vec<(u32, u32)>) -> Self {
        Wire { delay: delay.max(NS), start, ..Wire::of(nics.into(), window) }
    }

    /// Simulated time.
    pub fn now(&self) -> Ps {
        self.now
    }

    /// When there is something to do next.
    pub fn next(&self) -> Ps {
        self.nics.iter().map(|n| n.next()).min().unwrap_or(Ps::MAX).max(self.now)
    }

    /// Frames that were sent, by any NIC.
    pub fn frames(&self) -> u64 {
        self.frames
    }

    /// Clocks that were stepped: what all this costs.
    pub fn clocks(&self) -> u64 {
        self.nics.iter().map(|n| n.stats().clocks).sum()
    }

    /// The core of the NIC that is served.
    pub fn core(&mut self) -> &mut dyn Core {
        self.nics[0].core()
    }

    /// Resets the NIC that is served.
    pub fn reset(&mut self) {
        let now = self.now;
        self.nics[0].pass(now);
        self.nics[0].reset();
    }

    /// Lets time pass in which there is nothing to do, to `to` at most.
    pub fn pass(&mut self, to: Ps) {
        self.now = self.now.max(to.min(self.next()));
    }

    /// Runs one window, or less if that reaches `until`; lets the time before it pass.
    pub fn step(&mut self, until: Ps) {
        self.pass(until);
        let began = self.between.as_ref().map(|_| Instant::now());
        let to = (self.now + self.delay.min(self.window)).min(until);
        for i in 0..self.nics.len() {
            if self.nics[i].next() < to {
                self.nics[i].advance(to, &mut self.out);
            }
            self.frames += self.out.departures.len() as u64;
            self.exchange(to);
            for d in self.out.departures.drain(..) {
                if let [a, b] = &mut self.nics[..] {
                    // The first has run to the end of this step, the second to its beginning: on a
                    // short link a frame's first beat may be due before, and a NIC that has stood
                    // still would take it then.
                    let (peer, reached) = if i == 0 { (b, self.now) } else { (a, to) };
                    peer.pass(reached);
                    let (start, end) = (d.start + self.delay, d.end + self.delay);
                    if i == 0 {
                        for (addr, value) in self.start.drain(..) {
                            peer.write_at(end, addr, value);
                        }
                    }
                    peer.receive(Arrival { frame: d.frame, start, end });
                }
            }
            self.out.clear();
        }
        self.now = self.now.max(to);
        if let (Some(b), Some(wall)) = (&mut self.between, began) {
            b.ends.ran(self.now - std::mem::replace(&mut b.ran, self.now), wall.elapsed());
        }
    }

    /// Runs to `until`.
    pub fn advance(&mut self, until: Ps) {
        while self.now < until {
            self.step(until);
        }
    }

    fn access(&mut self, post: impl FnOnce(&mut dyn Core), addr: u32) -> Result<u32, AccessError> {
        let now = self.now;
        self.nics[0].pass(now);
        post(self.nics[0].core());
        for _ in 0..ACCESS_CLOCKS {
            // One clock of this NIC, while the other keeps up.
            let edge = self.nics[0].next();
            self.advance(edge.saturating_add(1));
            if let Some(result) = self.nics[0].core().answer() {
                return result;
            }
        }
        Err(AccessError { addr, what: "no answer in time" })
    }

    /// Reads a register of the NIC that is served, in the course of its clocks.
    ///
    /// # Errors
    /// The NIC answered with an error.
    pub fn read32(&mut self, addr: u32) -> Result<u32, AccessError> {
        self.access(|core| core.post_read(addr), addr)
    }

    /// Writes a register of it.
    ///
    /// # Errors
    /// The NIC answered with an error.
    pub fn write32(&mut self, addr: u32, value: u32) -> Result<(), AccessError> {
        self.access(|core| core.post_write(addr, value), addr).map(|_| ())
    }
}
