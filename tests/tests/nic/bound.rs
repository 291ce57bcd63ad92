//! The bound of what a flow may have outstanding: it holds, and it never holds a flow for good.
use rand::Rng;
use std::collections::VecDeque;
use timely_regs::flow::FlowRecord;
use timely_regs::parameters::Parameters;
use timely_regs::wire::Packet;
use timely_sim::nic::setup::{configure, load, record};
use timely_tests::bench::{Bench, answer};
use timely_tests::nic::PORT;
use timely_tests::nic::{cores, flow, spec};
use timely_tests::{cycles, few_seeds, rng};

const PEER: u16 = 9;
const PACKET: u32 = 1024;
/// Wire bytes of a packet.
const WIRE: u32 = PACKET + 90 + 24;
/// Packets of a segment, by flow.
const SEGMENTS: [u32; 4] = [2, 3, 8, 2];
/// The flow whose segments are READs.
const READER: usize = 3;
/// Bytes that a READ is charged: more than the bound.
const READ_BYTES: u32 = 6000;
const BOUND: u32 = 5 * WIRE / 2;

/// The outstanding bytes of a flow.
#[derive(Default)]
struct Flow {
    segments: u64,
    /// Bytes of the segment that has not ended.
    open: u32,
    /// Number and bytes of those that have, and are not answered.
    ended: VecDeque<(u32, u32)>,
}

/// A segment that has not ended gets no ACK: a flow whose segments are longer than its bound, or
/// whose READs are dearer, goes on with each to its end when nothing else is outstanding. While
/// anything is that can be answered, no flow is beyond its bound.
#[test]
fn a_segment_longer_than_its_bound_ends() {
    let parameters = Parameters { outstanding_bytes: BOUND, timeout_us: 0.0, ..Parameters::fixed(2000.0) };
    for seed in few_seeds() {
        for bus in [64, 512] {
            for (name, mut nic) in cores(bus, 10) {
                let mut rng = rng(seed);
                let flows: Vec<_> = (0..).zip(SEGMENTS).map(|(f, n)| flow(f, PEER, PACKET, n, &parameters)).collect();
                let spec = spec(bus, 10, 10.0, flows);
                let writes = configure(&mut *nic, &spec).expect("a valid set-up");
                let reads = FlowRecord { read: true, charged_bytes: READ_BYTES, ..record(&spec.flows[READER], 0, &spec) };
                for (address, value) in load(READER as u32, &reads).expect("a record") {
                    nic.write32(address, value).expect("a register");
                }
                for (_, address, value) in writes {
                    nic.post_write(address, value);
                }
                let mut bench = Bench::new(nic);
                let end = bench.clk() + cycles();
                let (mut flows, mut answered, mut beyond): ([Flow; 4], _, _) = (Default::default(), 0, 0);
                while let Some(sent) = bench.run(end) {
                    // An ACK that has arrived before acknowledges its segment, and those before it.
                    while let Some(ack) = bench.received.get(answered).filter(|r| r.last < sent.first) {
                        let ack = Packet::new_checked(&ack.frame[..], PORT).expect("an ACK");
                        flows[ack.flow() as usize].ended.retain(|e| e.0 > ack.segment());
                        answered += 1;
                    }
                    let p = sent.packet();
                    let (f, of) = (p.flow(), &mut flows[p.flow() as usize]);
                    let cost = match (f as usize == READER, p.is_first()) {
                        (false, _) => WIRE,
                        (true, first) => READ_BYTES * u32::from(first),
                    };
                    let before = of.open + of.ended.iter().map(|e| e.1).sum::<u32>();
                    if before > 0 && before + cost > BOUND {
                        assert!(of.ended.is_empty(), "flow {f} goes on at {before} bytes of {BOUND}, seed {seed}: {:?}", of.ended);
                        beyond += 1;
                    }
                    of.open += cost;
                    if p.is_last() {
                        of.segments += 1;
                        of.ended.push_back((p.segment(), std::mem::take(&mut of.open)));
                        bench.arrive(sent.last + rng.random_range(100..2500), answer(&sent.frame, sent.now, sent.now));
                    }
                }
                let segments = flows.map(|f| f.segments);
                println!("{name}, {bus} bits: {segments:?} segments, {beyond} packets beyond the bound");
                assert!(segments.iter().all(|n| *n >= cycles() / 40_000), "a flow stopped, seed {seed}: {segments:?} segments");
                assert!(beyond >= cycles() / 20_000, "{beyond} packets beyond the bound");
            }
        }
    }
}
