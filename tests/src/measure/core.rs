//! Figures of the whole NIC around its loop, on its Verilog beside its model.
use super::figure::{Bound, Figure};
use crate::bench::{Bench, answer};
use crate::nic::PORT;
use crate::nic::{CLOCK_NS, HOST, Nic, flow, model, spec, start, twin};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use timely_regs::device::Device;
use timely_regs::map::{dma, id};
use timely_regs::parameters::Parameters;
use timely_regs::wire::{Addresses, Class, Envelope, FIRST, Header, LAST};
use timely_sim::frame::address;
use timely_sim::nic::access::Access;
use timely_sim::nic::core::{CoreEvent, CoreIn};
use timely_sim::nic::memory::Behaviour;

const PEER: u16 = 9;
/// Payload of a packet.
const PACKET: u32 = 1442;
/// The line, Gb/s.
const GBPS: f64 = 10.0;

fn segment(class: Class, rng: &mut ChaCha8Rng) -> Vec<u8> {
    let addresses = if class.ipv6 {
        Addresses::V6 { source: address::ipv6(PEER), destination: address::ipv6(HOST) }
    } else {
        Addresses::V4 { source: address::ipv4(PEER), destination: address::ipv4(HOST) }
    };
    let envelope = Envelope {
        mac_destination: address::mac(HOST),
        mac_source: address::mac(PEER),
        tci: class.vlan.then(|| rng.random::<u16>() & 0xf000),
        addresses,
        tos: rng.random(),
        ttl: rng.random(),
        port_source: PORT,
        port_destination: PORT,
    };
    let header = Header { flags: FIRST | LAST, flow: rng.random::<u16>().into(), ..Header::default() };
    envelope.frame(&header, &vec![rng.random(); [0, rng.random_range(0..1442), 8000][rng.random_range(0..3)]])
}

/// Clocks from a segment's last beat to its ACK's first, at most.
fn turnaround(bus: u32, segments: usize, rng: &mut ChaCha8Rng) -> Result<u64, String> {
    let mut nic = twin(bus, 10, 1);
    start(&mut *nic, &spec(bus, 10, GBPS, Vec::new()));
    let mut bench = Bench::new(nic);
    let mut most = 0;
    for class in Class::ALL {
        for _ in 0..segments {
            bench.arrive(bench.clk() + rng.random_range(1..50), segment(class, rng));
            let ack = bench.run(bench.clk() + 3000).ok_or("a segment was not answered")?;
            most = most.max(ack.first - bench.received.last().ok_or("nothing was received")?.last);
        }
    }
    Ok(most)
}

/// `(clocks from an ACK's last beat to its rate in force, error of an RTT in clocks)`, each at
/// most, of a flow whose ACKs come at any time.
fn reaction(bus: u32, acks: usize, rng: &mut ChaCha8Rng) -> Result<(u64, f64), String> {
    let parameters = Parameters {
        t_low_us: 6.0,
        t_high_us: 8.0,
        min_rtt_us: 2.0,
        additive_step_mbps: 3000.0,
        hyperactive_factor: 1.0,
        initial_mbps: 3000.0,
        least_mbps: 1000.0,
        outstanding_bytes: 0,
        ..Parameters::timely_10g(8.0)
    };
    let mut nic = twin(bus, 10, 1);
    start(&mut *nic, &spec(bus, 10, GBPS, vec![flow(0, PEER, PACKET, 1, &parameters)]));
    let mut bench = Bench::new(nic);
    let end = bench.clk() + 20_000 * acks as u64;
    let (mut truth, mut departed, mut next) = (Vec::new(), 0, 3);
    // The end of the frame on the wire, FCS included, behind the stamp of its first byte.
    let rest_ns = (f64::from(PACKET) + 90.0 + 4.0) * 8.0 / GBPS;
    while let Some(sent) = bench.run(end) {
        departed += 1;
        if departed == next {
            // Not before the packet's last byte is on the wire, which a wide bus is far ahead of.
            bench.arrive(sent.last + rng.random_range(rest_ns as u64 + 1..14_000) / CLOCK_NS, answer(&sent.frame, sent.now, sent.now));
            truth.push(sent.now);
            next = usize::MAX;
        } else if next == usize::MAX && bench.arriving() == 0 {
            next = departed + 5;
        }
        if bench.received.len() >= acks && bench.arriving() == 0 && next == usize::MAX {
            bench.run(bench.clk() + 200);
            break;
        }
    }
    let (mut rates, mut samples) = (Vec::new(), Vec::new());
    for event in &bench.events {
        match *event {
            CoreEvent::Rate { clk, .. } => rates.push(clk),
            CoreEvent::Rtt { ns, .. } => samples.push(ns),
            CoreEvent::Timeout { .. } => return Err("a time-out".into()),
            CoreEvent::Record { .. } => {}
        }
    }
    let n = bench.received.len();
    if (rates.len(), samples.len()) != (n + 1, n) || n < acks {
        return Err(format!("{n} ACKs, {} rates, {} samples", rates.len(), samples.len()));
    }
    // At the clock after the pulse, the pacer's memory has the rate.
    let in_force = bench.received.iter().zip(&rates[1..]).map(|(ack, rate)| rate + 1 - ack.last);
    let error = bench.received.iter().zip(&truth).zip(&samples).map(|((ack, sent), ns)| {
        let path = (ack.stamp - sent) as f64 / 65536.0 - rest_ns;
        (f64::from(*ns) - path).abs() / CLOCK_NS as f64
    });
    Ok((in_force.max().unwrap_or(0), error.fold(0.0, f64::max)))
}

/// Clocks of a snapshot of `flows` flows by DMA, into a memory that does not stall.
fn snapshot(mut nic: Box<dyn Nic>, flows: u32) -> Result<u64, String> {
    nic.attach(7, &Behaviour::default());
    // The sweep of its RAMs, of which the largest has places for the segments of all flows, is
    // longer than a driver polls for it at a read in a few clocks.
    let mut left = 64 * flows;
    while left > 0 && nic.read32(id::STATUS.address()).map_err(|e| e.to_string())? & 1 == 0 {
        (0..flows).for_each(|_| nic.step(&CoreIn::default()));
        left -= flows;
    }
    let access = Access::new(&mut *nic);
    let device = Device::open(&access).map_err(|e| format!("{e:?}"))?;
    device.wait_ready().map_err(|e| format!("{e:?}"))?;
    let memory = access.buffer(1 << 32, 128 * flows as usize);
    device.start_dma().map_err(|e| format!("{e:?}"))?;
    let from = access.core(|c| c.clk());
    device.snapshot(&memory, 0, flows).map_err(|e| format!("{e:?}"))?;
    Ok(access.core(|c| c.clk()) - from)
}

/// The frames of a NIC with flows to a peer, and when they left: its snapshots must leave no trace
/// in them.
#[derive(Debug, Default, PartialEq)]
pub struct Traffic {
    /// Clocks of each frame's first and last beat, and the frame.
    pub sent: Vec<(u64, u64, Vec<u8>)>,
    /// Samples and rates, with their clocks.
    pub events: Vec<CoreEvent>,
}

/// `clocks` of a NIC whose flows are answered, with snapshots of all flows one after another or
/// without: its traffic, and the snapshots that ended.
///
/// # Errors
/// The NIC's registers fail.
pub fn traffic(mut nic: Box<dyn Nic>, flow_bits: u32, snapshots: bool, clocks: u64) -> Result<(Traffic, u32), String> {
    let parameters = Parameters { t_low_us: 3.0, t_high_us: 20.0, initial_mbps: 1000.0, ..Parameters::timely_10g(8.0) };
    let flows = (0..8).map(|f| flow(f, PEER, [64, 500, 1024, PACKET][f as usize % 4], 1 + f % 3, &parameters)).collect();
    let bus = nic.bus_bytes() as u32 * 8;
    nic.attach(7, &Behaviour::default());
    start(&mut *nic, &spec(bus, flow_bits, GBPS, flows));
    let writes =
        [(&dma::INTERRUPT_MASK, 1 << dma::SNAPSHOT_LINE), (&dma::SNAPSHOT[1], 1), (&dma::SNAPSHOT[3], 1 << flow_bits), (&dma::CONTROL, 1)];
    for (r, value) in writes {
        nic.write32(r.address(), value).map_err(|e| e.to_string())?;
    }
    let mut bench = Bench::new(nic);
    let mut rng = ChaCha8Rng::seed_from_u64(5);
    let (mut sent, mut ended) = (Vec::new(), 0);
    let (mut next, end) = (bench.clk() + 1000, bench.clk() + clocks);
    while bench.clk() < end {
        if snapshots && bench.clk() >= next {
            if bench.nic.irq() != 0 {
                ended += 1;
                bench.nic.post_write(dma::INTERRUPT.address(), 1 << dma::SNAPSHOT_LINE);
            }
            // Refused while the last one is under way.
            bench.nic.post_write(dma::SNAPSHOT[4].address(), dma::START);
        }
        next = if bench.clk() >= next { next + 100 } else { next };
        if let Some(s) = bench.run(next.min(end)) {
            if s.packet().is_last() {
                bench.arrive(s.last + rng.random_range(500..4000), answer(&s.frame, s.now, s.now));
            }
            sent.push((s.first, s.last, s.frame));
        }
    }
    Ok((Traffic { sent, events: bench.events }, ended))
}

/// `(packets, those that left at another clock or otherwise than without snapshots, snapshots)`.
fn delayed(flow_bits: u32, bus: u32, clocks: u64) -> Result<(usize, usize, u32), String> {
    let (with, snapshots) = traffic(twin(bus, flow_bits, 1), flow_bits, true, clocks)?;
    let (without, _) = traffic(twin(bus, flow_bits, 1), flow_bits, false, clocks)?;
    let same = with.sent.iter().zip(&without.sent).filter(|(a, b)| a == b).count();
    Ok((without.sent.len(), without.sent.len().max(with.sent.len()) - same, snapshots))
}

/// Measures all of it.
///
/// # Errors
/// The loop fails.
pub fn measure(quick: bool, out: &mut Vec<Figure>) -> Result<(), String> {
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    let buses: &[u32] = if quick { &[64] } else { &[64, 512] };
    let (mut turned, mut reacted, mut error) = (0, 0, 0f64);
    for &bus in buses {
        turned = turned.max(turnaround(bus, if quick { 5 } else { 200 }, &mut rng)?);
        let (clocks, off) = reaction(bus, if quick { 5 } else { 200 }, &mut rng)?;
        (reacted, error) = (reacted.max(clocks), error.max(off));
    }
    let what = "a segment's last beat to its ACK's first, idle wire, buses of 64 and 512 bits, at most";
    out.push(Figure::new("loop.ack_turnaround_ns", (turned * CLOCK_NS) as f64, what).bound(Bound::AtMost(80.0)));
    let what = "an ACK's last beat to the pacer's next pass by the new rate, at most";
    out.push(Figure::new("loop.ack_to_gap_clocks", reacted as f64, what).bound(Bound::AtMost(32.0)));
    let what = "a sample against the stamps at the wire, at most";
    out.push(Figure::new("rtt.error_clocks", error, what).bound(Bound::AtMost(2.0)));
    // As many clocks a flow on the Verilog, of 1,024 flows, as on the model, which has all.
    let (few, all) = (1024, if quick { 1024 } else { 1 << 16 });
    let verilog = snapshot(twin(64, 10, 1), few)? as f64 / f64::from(few);
    let clocks = snapshot(model(64, if quick { 10 } else { 16 }), all)?;
    let off = (verilog / (clocks as f64 / f64::from(all)) - 1.0).abs();
    if off > 0.05 {
        return Err(format!("a snapshot takes {verilog} clocks a flow on the Verilog, {clocks} of {all} flows on the model"));
    }
    let what = format!("{all} flows by DMA on 64 bits, {verilog:.1} clocks a flow on the Verilog");
    let ms = (clocks * CLOCK_NS) as f64 / 1e6;
    out.push(Figure::new("telemetry.snapshot_ms", ms, &what).bound(Bound::AtMost(10.0)));
    let (packets, delayed, snapshots) = delayed(10, 64, if quick { 30_000 } else { 500_000 })?;
    let what = format!("of {packets} beside {snapshots} snapshots of 1,024 flows: those that left at another clock than without snapshots");
    out.push(Figure::new("telemetry.snapshot_delayed_packets", delayed as f64, &what).bound(Bound::Exactly(0.0)));
    Ok(())
}
