//! Random surroundings of a store: packets of all lengths, good and bad, grants with and without
//! packets, loads, stalls everywhere.
use rand::Rng;
use timely_model::store::{Arrival, In, Load, Out};
use timely_model::stream::Beat;
use timely_tests::Runs;
use timely_tests::axis::random_beat;

/// Of one kind for a while: what is random only clock by clock never fills or empties a store.
struct Phase {
    left: u32,
    offer: Runs,
    grants: Runs,
    take: Runs,
    rings: Runs,
    /// Longest packet, beats.
    longest: u32,
    /// Packets of this flow alone.
    lone: Option<u32>,
    bound: u16,
    wait: bool,
}

pub struct Traffic {
    flow_bits: u32,
    width: usize,
    phase: Phase,
    /// Beats left of the packet that is offered, its flow, what goes beside it, and whether it ends
    /// a segment.
    left: u32,
    flow: u32,
    meta: u128,
    ends: bool,
    offered: Option<Arrival>,
    grant: Option<(u32, u64)>,
    /// Doorbells that no grant answers yet.
    backlog: Vec<u32>,
    loaded: u32,
}

fn phase(rng: &mut impl Rng, flow_bits: u32, width: usize) -> Phase {
    let share = |rng: &mut dyn rand::RngCore| [0.1, 0.5, 0.9, 1.0][rng.random_range(0..4)];
    let cell = 2048 / width as u32;
    Phase {
        left: rng.random_range(500..6000),
        offer: Runs::new(share(rng), 30),
        grants: Runs::new(share(rng), 30),
        take: Runs::new(share(rng), 40),
        rings: Runs::new([0.3, 1.0][rng.random_range(0..2)], 40),
        longest: [1, 4, cell, 3 * cell, 39 * cell][rng.random_range(0..5)],
        lone: rng.random_bool(0.3).then(|| rng.random_range(0..1 << flow_bits)),
        bound: [0, 4, 20, 60, 200][rng.random_range(0..5)],
        wait: rng.random(),
    }
}

impl Traffic {
    pub fn new(rng: &mut impl Rng, flow_bits: u32, width: usize) -> Self {
        let phase = phase(rng, flow_bits, width);
        Traffic {
            flow_bits,
            width,
            phase,
            left: 0,
            flow: 0,
            meta: 0,
            ends: false,
            offered: None,
            grant: None,
            backlog: Vec::new(),
            loaded: 0,
        }
    }

    fn any_flow(&self, rng: &mut impl Rng) -> u32 {
        rng.random_range(0..1 << self.flow_bits)
    }

    fn beat(&mut self, rng: &mut impl Rng) -> Arrival {
        if self.left == 0 {
            self.left = if self.phase.longest > 1000 && rng.random_bool(0.8) { 3 } else { rng.random_range(1..=self.phase.longest) };
            self.flow = self.phase.lone.filter(|_| rng.random_bool(0.9)).unwrap_or_else(|| self.any_flow(rng));
            self.ends = rng.random();
            self.meta = u128::from(rng.random::<u64>() >> 16);
        }
        self.left -= 1;
        let mut beat = random_beat(rng, self.width / 8, self.left == 0);
        if rng.random_bool(0.003) {
            beat.bytes = [0, 1, Beat::HOLES][rng.random_range(0..3)];
        }
        Arrival { beat, flow: self.flow, ends: self.ends, meta: self.meta }
    }

    /// The inputs of a clock whose outputs are `out`.
    pub fn next(&mut self, rng: &mut impl Rng, out: &Out) -> In {
        self.phase.left -= 1;
        if self.phase.left == 0 {
            self.phase = phase(rng, self.flow_bits, self.width);
        }
        if self.offered.is_none() && self.phase.offer.next(rng) {
            self.offered = Some(self.beat(rng));
        }
        if self.grant.is_none() && self.phase.grants.next(rng) {
            let at = rng.random_range(0..self.backlog.len().max(1));
            let flow = if self.backlog.is_empty() || rng.random_bool(0.02) { self.any_flow(rng) } else { self.backlog.swap_remove(at) };
            let idle = self.backlog.is_empty() && rng.random_bool(0.98);
            self.grant = (!idle).then(|| (flow, rng.random()));
        }
        let everyone = 1 << self.flow_bits;
        let load = if out.swept && self.loaded < everyone {
            self.loaded += 1;
            Some(Load { flow: self.loaded - 1, enable: true, keep: false })
        } else {
            let load = Load { flow: self.any_flow(rng), enable: rng.random_bool(0.8), keep: rng.random_bool(0.5) };
            rng.random_bool(0.001).then_some(load)
        };
        let i = In {
            rst: rng.random_bool(0.00001),
            arrival: self.offered,
            load,
            bound: self.phase.bound,
            wait: self.phase.wait,
            doorbell_ready: self.phase.rings.next(rng),
            grant: self.grant,
            ready: self.phase.take.next(rng),
        };
        if out.ready {
            self.offered = None;
        }
        if out.grant_ready {
            self.grant = None;
        }
        if i.doorbell_ready {
            self.backlog.extend(out.doorbell);
        }
        if i.rst {
            self.loaded = 0;
            self.backlog.clear();
        }
        i
    }
}
