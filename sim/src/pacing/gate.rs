//! Punctuality of the Verilated pacer at its gate: a flow alone against its schedule, many flows
//! beside an ideal FIFO link.
use super::rig::{CLOCK_NS, Rig};
use rand::Rng;
use rand_chacha::ChaCha8Rng;
use std::sync::Arc;
use timely_verilate::Library;

/// Rate register of 1 Mb/s.
pub const MBPS: f64 = 4096.0;

/// The register of a rate in Mb/s.
pub fn register(mbps: f64) -> u32 {
    (mbps * MBPS).round().max(1.0) as u32
}

/// ns between packets of `bytes` on the wire at a rate register.
pub fn gap_ns(bytes: u16, register: u32) -> f64 {
    f64::from(bytes) * 8000.0 * MBPS / f64::from(register)
}

/// A packet that left.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Left {
    /// Flow.
    pub flow: u32,
    /// Index of the packet among the flow's packets that count.
    pub k: u64,
    /// Departure of the packet by its flow's rate, ns.
    pub due: f64,
    /// Departure of the packet, ns.
    pub at: f64,
    /// Departure from an ideal FIFO link at which the packet arrives when it is due, ns.
    pub ideal: f64,
}

/// A flow alone for so many clocks, the gate always ready: its packets, against a schedule that
/// starts with the first one that counts, and the error of its rate, ppm.
pub fn alone(library: &Arc<Library>, flow_bits: u32, bytes: u16, register: u32, clocks: u64) -> (Vec<Left>, f64) {
    let mut rig = Rig::new(library, flow_bits, bytes, 16_384);
    rig.flow(5, register);
    rig.settle();
    rig.post(5);
    let gap = gap_ns(bytes, register);
    let taken: Vec<_> = (0..clocks).filter_map(|_| rig.step()).collect();
    // The size in the record has room for our headers; a flow of shorter packets takes them for
    // that long until the first is charged.
    let from = if bytes < timely_model::pacer::pass::OVERHEAD { taken.len() / 100 } else { 0 };
    let taken = &taken[from.max(2).min(taken.len() - 2)..];
    let (first, n) = (taken[0], taken.len() - 1);
    let ns = |fixed: u64| fixed as f64 / 65536.0;
    let left = |(k, at): (usize, u64)| {
        let due = ns(first.now) + k as f64 * gap;
        Left { flow: 5, k: k as u64, due, at: ns(at), ideal: due }
    };
    let span = ns(taken[n].launch - first.launch);
    (taken.iter().map(|t| t.now).enumerate().map(left).collect(), (n as f64 * gap / span - 1.0) * 1e6)
}

/// A link that backlogged flows share, and for how long.
#[derive(Clone, Copy, Debug)]
pub struct Load {
    /// ns of a byte on the link.
    pub byte_ns: f64,
    /// Clocks before those that count.
    pub warm: u64,
    /// All clocks.
    pub clocks: u64,
}

/// Backlogged flows with these registers on a link that takes a grant as soon as it is free.
///
/// The ideal link is offered the same packets at the times that the flows' rates give them, counted
/// from each flow's first.
pub fn shared(library: &Arc<Library>, flow_bits: u32, bytes: u16, registers: &[u32], load: Load, rng: &mut ChaCha8Rng) -> Vec<Left> {
    let mut rig = Rig::new(library, flow_bits, bytes, 65_536);
    for (flow, r) in (0..).zip(registers) {
        rig.flow(flow, *r);
    }
    rig.settle();
    // Each flow starts at any time of its own gap, so that no part of the run has more arrivals
    // than another.
    let mut start = |r: u32| rng.random_range(0..(gap_ns(bytes, r) / CLOCK_NS as f64) as u64 + 1);
    let mut starts: Vec<(u64, u32)> = (0..).zip(registers).map(|(flow, r)| (start(*r), flow)).collect();
    starts.sort_unstable();
    let mut starts = starts.into_iter().peekable();
    let (from, end) = (rig.clk, rig.clk + load.clocks);
    let service = f64::from(bytes) * load.byte_ns;
    let (mut free, mut taken) = (0f64, Vec::new());
    while rig.clk < end {
        while let Some((_, flow)) = starts.next_if(|s| s.0 <= rig.clk - from) {
            rig.post(flow);
        }
        let now = rig.now as f64 / 65536.0;
        // A link with a little store: it takes a grant at the clock in which it comes to its end.
        rig.ready = free < now + CLOCK_NS as f64;
        if let Some(t) = rig.step() {
            let start = free.max(now);
            free = start + service;
            taken.push((t.flow, t.launch as f64 / 65536.0, start));
        }
    }
    // A flow's first packets may be charged for what the record says: they load the link, and their
    // lateness says nothing.
    let mut firsts: Vec<Option<(f64, u64)>> = vec![None; registers.len()];
    let mut count = vec![0u64; registers.len()];
    let mut packets: Vec<(Left, bool)> = Vec::with_capacity(taken.len());
    for (flow, launch, at) in taken {
        let f = flow as usize;
        let k = count[f];
        count[f] += 1;
        if k < 2 {
            packets.push((Left { flow, k, due: launch, at, ideal: 0.0 }, false));
            continue;
        }
        let (first, base) = *firsts[f].get_or_insert((launch, k));
        let k = k - base;
        packets.push((Left { flow, k, due: first + k as f64 * gap_ns(bytes, registers[f]), at, ideal: 0.0 }, true));
    }
    let Some(warm) = packets.first().map(|p| p.0.at + (load.warm * CLOCK_NS) as f64) else { return Vec::new() };
    packets.sort_by(|a, b| a.0.due.total_cmp(&b.0.due));
    let (mut ideal, mut out) = (0f64, Vec::new());
    for (mut left, counts) in packets {
        ideal = ideal.max(left.due);
        left.ideal = ideal;
        if counts && left.due > warm {
            out.push(left);
        }
        ideal += service;
    }
    out
}
