//! Served NICs in simulated time: a NIC whose wire ends nowhere, or two that are joined by a link.
use crate::nic::core::{AccessError, Core};
use crate::nic::mac::MacNic;
use crate::nic::{Arrival, Nic, Outbox};
use crate::time::{NS, Ps};

/// Clocks after which a register access without an answer is given up.
const ACCESS_CLOCKS: u32 = 20_000;

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
}

impl Wire {
    /// A NIC alone: frames that it sends are lost. `window` is the longest step, for which a
    /// request waits.
    pub fn alone(nic: MacNic, window: Ps) -> Self {
        Wire { nics: vec![nic], delay: window, window, start: Vec::new(), now: 0, out: Outbox::default(), frames: 0 }
    }

    /// Two NICs; a bit takes `delay` from one to the other. When the second hears from the first,
    /// `start` is written into it: until then its frames would stay without an answer.
    pub fn joined(nics: [MacNic; 2], delay: Ps, window: Ps, start: Vec<(u32, u32)>) -> Self {
        Wire { nics: nics.into(), delay: delay.max(NS), window, start, now: 0, out: Outbox::default(), frames: 0 }
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
        let to = (self.now + self.delay.min(self.window)).min(until);
        for i in 0..self.nics.len() {
            if self.nics[i].next() < to {
                self.nics[i].advance(to, &mut self.out);
            }
            self.frames += self.out.departures.len() as u64;
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
