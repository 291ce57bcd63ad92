//! Packets whose data come late: the pacer's Verilog, a DMA that takes 100 to 400 clocks, and
//! behind it the launch gate's Verilog, or nothing.
use super::gate::{self, Left, MBPS};
use super::load::{Load, WIRE_BYTES};
use super::rig::{CLOCK_NS, Rig, modules};
use super::row::{Place, Row};
use super::rtl::{self, BYTE_NS};
use crate::cores;
use rand::{Rng as _, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::collections::VecDeque;
use std::ops::RangeInclusive;
use std::sync::Arc;
use timely_verilate::{Dut, In, Library, Options, Out, build};

/// Clocks from a grant until the packet's data are there.
pub const DMA_CLOCKS: RangeInclusive<u64> = 100..=400;
/// Clocks by which a grant is ahead of its launch where there is a gate: the longest DMA, what the
/// gate takes, and a packet of another flow before it.
const LEAD_CLOCKS: u64 = 500;
/// Clocks until the load's flows are measured, in gaps of a flow; each is granted twice before.
const GAPS: f64 = 4.2;
/// log2 of the flows of the committed emission.
const FLOW_BITS: u32 = 10;
/// The module of the launch gate in an emitted standalone shell.
const TOP: &str = "tnic_standalone__gate";

/// Way out of the NIC for packets whose data have come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// The launch gate, the pacer a lead ahead of it.
    Gate,
    /// Nothing: packets leave when their data have come.
    Bare,
}

impl Exit {
    /// Both.
    pub const ALL: [Exit; 2] = [Exit::Gate, Exit::Bare];

    /// Name of the pacer with this exit.
    pub fn name(self) -> &'static str {
        match self {
            Exit::Gate => "rtl-gate",
            Exit::Bare => "rtl-dma",
        }
    }
}

/// The launch gate with its ports looked up. A packet is one beat: its first.
struct Gate {
    dut: Dut,
    rst: In,
    now: In,
    /// Valid, last, timed, tag, launch, ready of the link.
    inputs: [In; 6],
    /// Ready, valid of the link, tag of the link.
    outputs: [Out; 3],
}

impl Gate {
    fn new(library: &Arc<Library>) -> Self {
        let (i, o) = (|n: &str| library.input(n), |n: &str| library.output(n));
        let inputs = ["s_tvalid", "s_tlast", "s_timed", "s_tag", "s_launch", "m_tready"].map(i);
        let outputs = ["s_tready", "m_tvalid", "m_tag"].map(o);
        let mut gate = Gate { dut: library.instantiate(1), rst: i("rst"), now: i("now"), inputs, outputs };
        gate.dut.set(gate.rst, 1);
        gate.dut.tick();
        gate.dut.set(gate.rst, 0);
        gate
    }

    /// A clock at the time `now`, a packet (flow, launch) offered: whether that was taken, and the
    /// flow of the packet that leaves.
    fn step(&mut self, now: u64, offered: Option<(u32, u64)>, ready: bool) -> (bool, Option<u32>) {
        let [ready_out, valid, tag] = self.outputs;
        let taken = offered.is_some() && self.dut.get(ready_out) == 1;
        let leaves = (ready && self.dut.get(valid) == 1).then(|| self.dut.get(tag) as u32);
        let (flow, launch) = offered.unwrap_or_default();
        let values = [offered.is_some().into(), 1, 1, flow.into(), launch, ready.into()];
        self.inputs.into_iter().zip(values).for_each(|(port, value)| self.dut.set(port, value));
        self.dut.set(self.now, now);
        self.dut.tick();
        (taken, leaves)
    }
}

/// The launch gate of an emitted standalone shell, compiled.
///
/// # Errors
/// A text without a gate, or what Verilator found wrong.
pub fn library(verilog: &str) -> Result<Arc<Library>, String> {
    build("launch_gate", &modules(verilog, TOP), TOP, Options::default()).map_err(|e| e.to_string())
}

/// Backlogged flows of one rate register on a link of 100 Gb/s, for so many clocks. Each flow's
/// schedule starts with its third packet: at the clock of the grant, or, as the gate's own delay is
/// constant, at that of the departure.
pub fn departures(
    pacer: &Arc<Library>,
    gate: Option<&Arc<Library>>,
    flows: u32,
    register: u32,
    clocks: u64,
    rng: &mut ChaCha8Rng,
) -> Vec<Left> {
    let mut rig = Rig::new(pacer, FLOW_BITS, WIRE_BYTES as u16, 65_536);
    let mut gate = gate.map(Gate::new);
    if gate.is_some() {
        rig.lead = (LEAD_CLOCKS * CLOCK_NS) << 16;
    }
    (0..flows).for_each(|flow| rig.flow(flow, register));
    rig.settle();
    let gap = gate::gap_ns(WIRE_BYTES as u16, register);
    let mut starts: Vec<(u64, u32)> = (0..flows).map(|f| (rng.random_range(0..(gap / CLOCK_NS as f64) as u64 + 1), f)).collect();
    starts.sort_unstable();
    let mut starts = VecDeque::from(starts);
    let ns = |fixed: u64| fixed as f64 / 65536.0;
    let (from, service) = (rig.clk, WIRE_BYTES as f64 * BYTE_NS);
    // Packets whose data are on the way, or wait: clock at which they are there, flow, launch.
    let (mut fetched, mut latest, mut free) = (VecDeque::new(), 0, 0f64);
    let mut granted = vec![VecDeque::new(); flows as usize];
    let (mut count, mut first) = (vec![0u64; flows as usize], vec![0f64; flows as usize]);
    let mut left = Vec::new();
    while rig.clk < from + clocks {
        while let Some((_, flow)) = starts.pop_front_if(|s| s.0 <= rig.clk - from) {
            rig.post(flow);
        }
        let (clk, now) = (rig.clk, rig.now);
        let ready = free < ns(now) + CLOCK_NS as f64;
        let head = fetched.front().filter(|(at, _, _): &&(u64, u32, u64)| *at <= clk).map(|(_, flow, launch)| (*flow, *launch));
        let (taken, leaves) = match &mut gate {
            Some(gate) => gate.step(now, head, ready),
            None => (ready && head.is_some(), head.filter(|_| ready).map(|h| h.0)),
        };
        if taken {
            fetched.pop_front();
        }
        if let Some(flow) = leaves {
            let f = flow as usize;
            free = free.max(ns(now)) + service;
            let (k, grant) = (count[f], granted[f].pop_front().unwrap_or(now));
            count[f] += 1;
            // The size in the record is corrected by the first charges.
            if k == 2 {
                first[f] = ns(if gate.is_some() { now } else { grant });
            }
            if let Some(k) = k.checked_sub(2) {
                let due = first[f] + k as f64 * gap;
                left.push(Left { flow, k, due, at: ns(now), ideal: due });
            }
        }
        // Data come in the order of their grants.
        if let Some(t) = rig.step() {
            latest = latest.max(clk + rng.random_range(DMA_CLOCKS));
            fetched.push_back((latest, t.flow, t.launch));
            granted[t.flow as usize].push_back(now);
        }
    }
    left
}

/// Runs the pacer with this exit under a load, briefly if it is for a look.
///
/// # Errors
/// An emission that cannot be read, or what Verilator found wrong.
pub fn run(load: &Load, exit: Exit, quick: bool) -> Result<Row, String> {
    let verilog = cores::known().verilog(64, FLOW_BITS)?;
    let pacer = super::rig::library(&verilog, !quick)?;
    let gate = if exit == Exit::Gate { Some(library(&verilog)?) } else { None };
    let register = gate::register(load.mbps / f64::from(load.flows));
    let gap = gate::gap_ns(WIRE_BYTES as u16, register) / CLOCK_NS as f64;
    let packets = if load.flows == 1 { if quick { 10.0 } else { 100.0 } } else { GAPS };
    let left = departures(&pacer, gate.as_ref(), load.flows, register, (packets * gap) as u64, &mut ChaCha8Rng::seed_from_u64(2));
    let (range, lead) = (DMA_CLOCKS, if exit == Exit::Gate { LEAD_CLOCKS } else { 0 });
    let behind = if exit == Exit::Gate { format!("the launch gate, granted {lead} clocks ahead") } else { "no launch gate".into() };
    let note = format!(
        "data {} to {} clocks of {CLOCK_NS} ns after the grant, {behind}, rate in steps of {:.6} Mb/s, 100 Gb/s link",
        range.start(),
        range.end(),
        MBPS.recip()
    );
    Ok(rtl::row(exit.name(), load, &left, rtl::rate_error_ppm(&left), note))
}

/// Rows of both exits under a load.
pub fn all(load: &Load, quick: bool) -> Vec<Row> {
    let refused = |exit: Exit, e: &str| Row::refused(exit.name(), Place::Rtl, load, e);
    Exit::ALL.map(|exit| run(load, exit, quick).unwrap_or_else(|e| refused(exit, &e))).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two flows that share the link: with the gate each packet leaves at its flow's own time, a
    /// clock off where the other's has the link; without it, later by what its data took.
    #[test]
    fn the_gate_hides_what_data_take() {
        let seed = 3;
        let verilog = cores::known().verilog(64, FLOW_BITS).expect("the committed emission");
        let (pacer, gate) = (super::super::rig::library(&verilog, false).expect("a pacer"), library(&verilog).expect("a gate"));
        // A packet each 3,076 clocks of a flow: whole clocks, so a schedule can be kept exactly.
        let register = gate::register(1000.0);
        let errors = |gate: Option<&Arc<Library>>| -> Vec<f64> {
            let left = departures(&pacer, gate, 2, register, 400_000, &mut ChaCha8Rng::seed_from_u64(seed));
            let clocks = |l: &Left| (l.at - l.due) / CLOCK_NS as f64;
            left.iter().map(clocks).collect()
        };
        let (held, bare) = (errors(Some(&gate)), errors(None));
        assert!(held.len() > 200 && bare.len() > 200, "seed {seed}: {} and {} packets", held.len(), bare.len());
        assert!(held.iter().all(|e| e.abs() < 1.5), "seed {seed}: {held:?}");
        let (least, most) = bare.iter().fold((f64::MAX, f64::MIN), |(a, b), e| (a.min(*e), b.max(*e)));
        // Uniform over 301 clocks: the chance that 200 of them leave out a tenth is below 1e-8.
        assert!((99.0..=130.0).contains(&least) && (370.0..=432.0).contains(&most), "seed {seed}: {least} to {most} clocks");
    }
}
