//! The grant hold of `timely_hw::pause::hold`: grants of paused priorities wait between the pacer
//! and the packet source, those of others go on.
//!
//! While nothing is paused and nothing waits, grants pass at the clock at which they come. Else
//! each takes [`LOOKUP`] clocks to its flow's priority: a grant of a paused one joins a ring of
//! waiting grants, and one of another goes on. When a pause ends, each grant of the ring is looked
//! at once, by turns with what the pacer offers.
//!
//! The pacer decides no grant of a priority that is paused or of which grants wait
//! ([`Out::holds`]): so of each no more wait than were on their way when it was paused.
use crate::bus::FlowLoad;
use crate::{Block, fifo};
use timely_regs::flow;

/// Address bits of the ring of waiting grants: 64 of each of eight priorities, as many as are on
/// their way when a pause begins. The last two of 512 stay in the pacer: all are paused then.
pub const RING: u32 = 9;
/// Grants that wait at most.
pub const MOST: u32 = (1 << RING) - 2;
/// Clocks from a grant's choice to its verdict.
pub const LOOKUP: u8 = 2;

/// A grant: flow and launch, ns48.fns16.
pub type Grant = (u32, u64);

/// Inputs at a clock.
#[derive(Clone, Debug, Default)]
pub struct In {
    /// Synchronous reset.
    pub rst: bool,
    /// Paused priorities.
    pub paused: u8,
    /// A flow is loaded.
    pub load: Option<FlowLoad>,
    /// The pacer offers a grant.
    pub grant: Option<Grant>,
    /// The packet source takes one.
    pub ready: bool,
}

/// Outputs that follow from a clock's inputs at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Out {
    /// The pacer's grant is taken.
    pub ready: bool,
    /// A grant for the packet source.
    pub grant: Option<Grant>,
    /// Priorities that are paused, were just now, or have grants that wait: the pacer is to decide
    /// none of these.
    pub holds: u8,
}

/// The hold, for `2^flow_bits` flows.
#[derive(Clone, Debug)]
pub struct Hold {
    priorities: Vec<u8>,
    load: Option<(u32, u8)>,
    /// Grants do not pass at once.
    slow: bool,
    paused: u8,
    ring: fifo::Fifo<(Grant, u8)>,
    held: u32,
    /// Grants of the ring that are still to be looked at.
    looks: u32,
    /// Grants that wait by priority, one of the ring that is looked at among them.
    counts: [u32; 8],
    holds: u8,
    /// The grant that is looked at, and for how long.
    candidate: Option<Grant>,
    /// The priority by which that grant waits, if it came from the ring.
    from: Option<u8>,
    age: u8,
    priority: [u8; 2],
    /// The ring is next.
    turn: bool,
}

impl Hold {
    /// Nothing waits.
    pub fn new(flow_bits: u32) -> Self {
        Hold {
            priorities: vec![0; 1 << flow_bits],
            load: None,
            slow: false,
            paused: 0,
            ring: fifo::Fifo::new(RING),
            held: 0,
            looks: 0,
            counts: [0; 8],
            holds: 0,
            candidate: None,
            from: None,
            age: 0,
            priority: [0; 2],
            turn: false,
        }
    }

    fn judged(&self) -> bool {
        self.candidate.is_some() && self.age == LOOKUP
    }

    fn is_paused(&self) -> bool {
        self.paused >> self.priority[1] & 1 == 1
    }

    /// The ring's grant is chosen, or the pacer's.
    fn chooses(&self, clk: u64, offered: bool) -> (bool, bool) {
        let free = self.slow && self.candidate.is_none();
        let ring = self.ring.output(clk).head.is_some();
        let takes = free && (self.paused != 0 || self.held != 0) && self.held < MOST;
        let from_ring = free && ring && self.looks != 0 && (self.turn || !offered || !takes);
        (from_ring, takes && !from_ring)
    }

    /// Outputs that follow from these inputs at once.
    pub fn through(&self, clk: u64, grant: Option<Grant>, ready: bool) -> Out {
        if !self.slow {
            return Out { ready, grant, holds: self.holds };
        }
        let grants = self.candidate.filter(|_| self.judged() && !self.is_paused());
        Out { ready: self.chooses(clk, grant.is_some()).1, grant: grants, holds: self.holds }
    }
}

impl Block for Hold {
    type In = In;
    type Out = ();

    fn output(&self, _clk: u64) {}

    fn step(&mut self, clk: u64, i: &In) {
        if i.rst {
            if let Some((flow, priority)) = self.load.take() {
                self.priorities[flow as usize] = priority;
            }
            let priorities = std::mem::take(&mut self.priorities);
            *self = Hold { priorities, ..Hold::new(0) };
            return;
        }
        let (from_ring, takes) = self.chooses(clk, i.grant.is_some());
        let back = self.judged() && self.is_paused();
        let leaves = self.judged() && !self.is_paused() && i.ready;
        let head = self.ring.output(clk).head.filter(|_| from_ring);
        let taken = i.grant.filter(|_| takes);
        self.ring
            .step(clk, &fifo::In { rst: false, push: self.candidate.filter(|_| back).map(|c| (c, self.priority[1])), ready: from_ring });
        let busy = self.candidate.is_some() || self.held != 0;
        self.held = self.held + u32::from(back) - u32::from(from_ring);
        // Where a pause ends, a grant that is not judged yet is judged without it.
        let ends = self.paused & !i.paused != 0;
        self.looks = if ends { self.held } else { self.looks - u32::from(from_ring) };
        let some = (0..8).filter(|k| self.counts[*k] != 0).fold(0, |mask, k| mask | 1 << k);
        self.holds = some | self.paused | i.paused;
        if back {
            self.counts[usize::from(self.priority[1])] += 1;
        }
        if (back || leaves)
            && let Some(k) = self.from.take()
        {
            self.counts[usize::from(k)] -= 1;
        }
        let read = self.candidate.map_or(0, |(flow, _)| self.priorities[flow as usize]);
        self.priority = [read, self.priority[0]];
        self.age = if self.candidate.is_some() && self.age < LOOKUP { self.age + 1 } else { self.age };
        if back || leaves {
            self.candidate = None;
        }
        if head.is_some() || taken.is_some() {
            self.candidate = head.map(|h| h.0).or(taken);
            self.from = head.map(|h| h.1);
            self.age = 0;
            self.turn = head.is_none();
        }
        self.slow = self.paused != 0 || i.paused != 0 || busy;
        self.paused = i.paused;
        if let Some((flow, priority)) = self.load.take() {
            self.priorities[flow as usize] = priority;
        }
        self.load = i.load.as_ref().map(|l| (l.flow, flow::PRIORITY.get(&l.record) as u8));
    }

    fn wake(&self, clk: u64) -> u64 {
        if self.slow || self.paused != 0 || self.holds != 0 || self.load.is_some() { clk } else { u64::MAX }
    }
}
