//! `timely_hw::inline::entry` against `timely_model::inline::entry`, every output at every clock.
use rand::Rng;
use std::collections::VecDeque;
use timely_hw::inline::entry::Entry as Rtl;
use timely_model::bus::FlowLoad;
use timely_model::inline::entry::{Entry, In, Out, Way};
use timely_model::{Block, stream::Beat, stream::beats};
use timely_regs::flow::FlowRecord;
use timely_regs::link::LONGEST_FRAME;
use timely_tests::axis::Offered;
use timely_tests::frames::{Fault, class, good_of};
use timely_tests::{Runs, cycles, rng, seeds, thorough, verilate};

const LONGEST: usize = LONGEST_FRAME as usize;

/// The beats of a packet: any of ours or of others', one that is too long, one with a gap.
fn packet(rng: &mut impl Rng, net: &Net, width: usize, flow_bits: u32) -> VecDeque<Beat> {
    let of = class(rng);
    let mut frame = match rng.random_range(0..10) {
        0 => vec![rng.random(); [LONGEST - 1, LONGEST, LONGEST + 1, LONGEST + 64, 3 * LONGEST][rng.random_range(0..5)]],
        1..4 => Fault::ALL[rng.random_range(0..Fault::ALL.len())].frame(rng, of, net.port),
        _ => good_of(rng, of, net.port, 100),
    };
    // A flow that there is, or one just beyond.
    let at = of.header() + 4;
    if rng.random_bool(0.8) && frame.len() > at + 4 {
        let flow = rng.random_range(0..(1u32 << flow_bits) + 3);
        frame[at..at + 4].copy_from_slice(&flow.to_be_bytes());
        // In front of it the place, a field that the NIC alone fills in.
        if rng.random_bool(0.3) {
            frame[at..at + 2].copy_from_slice(&rng.random::<[u8; 2]>());
        }
    }
    // Most are from us; a destination is that of some flow, or it or the source differs in one bit.
    if rng.random_bool(0.9) && frame.len() > of.header() {
        let ip = if of.vlan { 18 } else { 14 };
        let n = rng.random_range(0..1u32 << flow_bits);
        let (v4, v6) = net.to(n);
        let (mut both, at) = if of.ipv6 { ([net.own6, v6].concat(), ip + 8) } else { ([net.own, v4].concat(), ip + 12) };
        if rng.random_bool(0.3) {
            let bit = rng.random_range(0..8 * both.len());
            both[bit / 8] ^= 1 << (bit % 8);
        }
        frame[at..at + both.len()].copy_from_slice(&both);
    }
    let mut all: VecDeque<Beat> = beats(&frame, width).collect();
    if rng.random_bool(0.03) {
        let at = rng.random_range(0..all.len());
        all[at].bytes = [0, 1, Beat::HOLES][rng.random_range(0..3)];
    }
    all
}

/// Addresses of the port, and of those that its flows go to.
struct Net {
    /// UDP port of our header.
    port: u16,
    own: [u8; 4],
    own6: [u8; 16],
    hosts: Vec<([u8; 4], [u8; 16])>,
}

impl Net {
    fn new(rng: &mut impl Rng, flow_bits: u32) -> Self {
        Net { port: rng.random(), own: rng.random(), own6: rng.random(), hosts: (0..1 << flow_bits).map(|_| rng.random()).collect() }
    }

    /// Where flow `n` goes: four flows to each.
    fn to(&self, n: u32) -> ([u8; 4], [u8; 16]) {
        self.hosts[n as usize / 4]
    }

    /// A load of a flow: enabled or not, of either version.
    fn load(&self, rng: &mut impl Rng, flow: u32) -> FlowLoad {
        let (v4, v6) = self.to(flow);
        let address = if rng.random() { v4.into() } else { v6.into() };
        let record = FlowRecord { enable: rng.random_bool(0.9), keep: rng.random(), address, ..FlowRecord::default() };
        FlowLoad { flow, record: record.pack().expect("a record within its ranges") }
    }
}

fn lockstep<B: rust_hdl::prelude::Block>(name: &str, rtl: B, flow_bits: u32, width: usize) {
    let library = verilate(name, rtl);
    let (input, output) = (|n: &str| library.input(n), |n: &str| library.output(n));
    let (s, m) = (Offered::new(&library, "s"), Ports::new(&library));
    let [rst, keep, meta, port] = ["rst", "s_tkeep", "s_meta", "cfg_udp_port"].map(input);
    let [paced_ready, past_ready, drop_ready] = ["paced_ready", "past_ready", "drop_ready"].map(input);
    let [ready, paced, past, flow, ends, beside, dropped, strange] =
        ["s_tready", "paced_valid", "past_valid", "paced_flow", "paced_ends", "m_meta", "dropped", "strange"].map(output);
    let [ipv4, ipv6, fl_valid, fl_flow, fl_record] = ["cfg_ipv4", "cfg_ipv6", "fl_valid", "fl_flow", "fl_record"].map(input);
    let mut seen = [0u64; 6];
    for seed in seeds() {
        let mut rng = rng(seed);
        let mut dut = library.instantiate(seed as u32);
        let mut model = Entry::new(width, flow_bits);
        let net = Net::new(&mut rng, flow_bits);
        let (mut coming, mut beside_it, mut offered) = (VecDeque::new(), 0u128, false);
        let mut runs = [0.7, 0.7, 0.6, 0.8].map(|p| Runs::new(p, 40));
        for clk in 0..cycles() {
            if clk % 3000 == 0 {
                runs.iter_mut().for_each(|r| r.p = [0.1, 0.6, 0.95, 1.0][rng.random_range(0..4)]);
            }
            let in_store = || Way::Paced { flow: dut.get(flow) as u32, ends: dut.get(ends) == 1 };
            let way = if dut.get(past) == 1 { Some(Way::Past) } else { (dut.get(paced) == 1).then(in_store) };
            assert!(dut.get(past) + dut.get(paced) <= 1, "both ways at clock {clk}, seed {seed}");
            let out = Out {
                ready: dut.get(ready) == 1,
                beat: way.map(|way| (m.get(&dut), way, dut.get(beside).into())),
                dropped: dut.get(dropped) == 1,
                strange: dut.get(strange) == 1,
            };
            let expected = model.output(clk);
            assert_eq!(out, expected, "clock {clk}, seed {seed}");
            let [offer, to_store, to_wire, drop] = std::array::from_fn(|i| runs[i].next(&mut rng));
            if coming.is_empty() {
                coming = packet(&mut rng, &net, width, flow_bits);
                beside_it = u128::from(rng.random::<u64>() >> 16);
            }
            offered |= offer;
            let load = rng.random_bool(0.01).then(|| {
                let flow = rng.random_range(0..1 << flow_bits);
                net.load(&mut rng, flow)
            });
            let i = In {
                rst: rng.random_bool(0.00002),
                beat: coming.front().copied().filter(|_| offered),
                meta: beside_it,
                port: net.port,
                ipv4: net.own,
                ipv6: net.own6,
                load,
                paced_ready: to_store,
                past_ready: to_wire,
                drop_ready: drop,
            };
            let holes = i.beat.filter(|b| b.bytes == Beat::HOLES);
            let shown = i.beat.map(|b| Beat { bytes: if holes.is_some() { 1 } else { b.bytes }, ..b });
            s.set(&mut dut, shown.as_ref(), &mut rng);
            if holes.is_some() {
                dut.set(keep, [0b101, 0b10, 0b1101_1111, 0xfe][rng.random_range(0..4)]);
            }
            for (at, value) in [
                (rst, i.rst.into()),
                (meta, i.meta as u64),
                (port, i.port.into()),
                (paced_ready, i.paced_ready.into()),
                (past_ready, i.past_ready.into()),
                (drop_ready, i.drop_ready.into()),
                (ipv4, u32::from_le_bytes(net.own).into()),
                (fl_valid, i.load.is_some().into()),
                (fl_flow, i.load.as_ref().map_or_else(|| rng.random_range(0..1 << flow_bits), |l| l.flow.into())),
            ] {
                dut.set(at, value);
            }
            dut.set_bytes(ipv6, &net.own6);
            let record = i.load.as_ref().map_or_else(|| rng.random(), |l| l.record);
            dut.set_bytes(fl_record, &record.map(u32::to_le_bytes).concat());
            if offered && out.ready {
                coming.pop_front();
                offered = false;
            }
            if i.rst {
                coming.clear();
                offered = false;
            }
            let paced = |last| matches!(way, Some(Way::Paced { ends, .. }) if ends == last);
            let happened = [way == Some(Way::Past), paced(false), paced(true), out.dropped, !out.ready, out.strange];
            seen.iter_mut().zip(happened).for_each(|(n, h)| *n += u64::from(h));
            dut.tick();
            model.step(clk, &i);
        }
    }
    println!("{name}: past, paced, paced and a last one, dropped, full, of another flow: {seen:?}");
    if cycles() >= 100_000 {
        assert!(seen.iter().all(|n| *n > 20), "{seen:?}: something never happened");
    }
}

/// The beat that both ways share; each way has a valid of its own.
struct Ports {
    data: timely_verilate::Out,
    keep: timely_verilate::Out,
    last: timely_verilate::Out,
}

impl Ports {
    fn new(library: &std::sync::Arc<timely_verilate::Library>) -> Self {
        Ports { data: library.output("m_tdata"), keep: library.output("m_tkeep"), last: library.output("m_tlast") }
    }

    fn get(&self, dut: &timely_verilate::Dut) -> Beat {
        let mut data = [0; timely_model::stream::WIDEST];
        let bytes = dut.get_bytes(self.data);
        data[..bytes.len()].copy_from_slice(&bytes);
        Beat { data, bytes: timely_model::stream::bytes_of(dut.get(self.keep)), last: dut.get(self.last) == 1 }
    }
}

#[test]
fn entry_equals_model_512() {
    lockstep("entry512", Rtl::<512, 64, 4, 48, 65, 6>::new(), 4, 512);
}

#[test]
fn entry_equals_model_256() {
    // The same code but for widths.
    if !thorough() {
        return;
    }
    lockstep("entry256", Rtl::<256, 32, 6, 48, 33, 8>::new(), 6, 256);
}
