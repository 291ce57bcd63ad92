//! `timely_hw::inline::exit` against `timely_model::inline::exit`, every output at every clock; and
//! that a segment's bytes are those of its frames.
use rand::Rng;
use std::collections::VecDeque;
use timely_hw::inline::exit::Exit as Rtl;
use timely_model::bus::{Completion, FlowLoad, Sent};
use timely_model::inline::exit::{Exit, In, Out};
use timely_model::{Block, stream::Beat, stream::beats};
use timely_regs::flow::FlowRecord;
use timely_regs::wire::{Addresses, Envelope, FIRST, Header, LAST};
use timely_tests::axis::Offered;
use timely_tests::frames::{Fault, class};
use timely_tests::{Runs, cycles, rng, seeds, thorough, verilate};

const PORT: u16 = timely_regs::wire::DEFAULT_PORT;
const FLOWS: u32 = 16;

/// A frame of ours of a few flows, most of them the least that there is; or any other.
fn frame(rng: &mut impl Rng, port: u16) -> Vec<u8> {
    if rng.random_bool(0.2) {
        let class = class(rng);
        return Fault::ALL[rng.random_range(0..Fault::ALL.len())].frame(rng, class, port);
    }
    let envelope = Envelope {
        mac_destination: rng.random(),
        mac_source: rng.random(),
        tci: rng.random_bool(0.3).then(|| rng.random()),
        addresses: match rng.random() {
            true => Addresses::V4 { source: rng.random(), destination: rng.random() },
            false => Addresses::V6 { source: rng.random(), destination: rng.random() },
        },
        tos: 0,
        ttl: 64,
        port_source: 7,
        port_destination: port,
    };
    let flow = [rng.random_range(0..2), rng.random_range(0..FLOWS + 2)][usize::from(rng.random_bool(0.3))];
    let header = Header {
        flags: [0, 0, FIRST, LAST, FIRST | LAST][rng.random_range(0..5)],
        place: if rng.random_bool(0.8) { rng.random_range(0..40) } else { rng.random() },
        flow,
        nonce: rng.random(),
        segment: rng.random(),
        ..Header::default()
    };
    let payload = [0, 0, rng.random_range(0..200), 9000][usize::from(rng.random_range(0..100u8) / 33)];
    envelope.frame(&header, &vec![1; payload])
}

fn lockstep<B: rust_hdl::prelude::Block>(name: &str, rtl: B, width: usize) {
    let library = verilate(name, rtl);
    let s = Offered::new(&library, "s");
    let input = |n: &str| library.input(n);
    let [rst, paced, launch, now, port] = ["rst", "s_paced", "s_launch", "now", "cfg_udp_port"].map(input);
    let [named, queue, own_tag] = ["named", "s_queue", "s_tag"].map(input);
    let [fl_valid, fl_flow, fl_enable, fl_keep] = ["fl_valid", "fl_flow", "fl_enable", "fl_keep"].map(input);
    let cfg_key = input("cfg_key");
    let output = |n: &str| library.output(n);
    let swept = output("swept");
    let sent =
        ["valid", "tag", "flow", "segment", "nonce", "first", "last", "wire_bytes", "segment_bytes", "place", "generation", "launch", "ts"]
            .map(|n| output(&format!("sent_{n}")));
    let left = ["valid", "queue", "wire_bytes"].map(|n| output(&format!("frame_{n}")));
    let (mut reports, mut long, mut frames) = (0u64, 0u64, 0u64);
    for seed in seeds() {
        let mut rng = rng(seed);
        let mut dut = library.instantiate(seed as u32);
        let mut model = Exit::new(width, 4);
        let ours = rng.random();
        // Every other seed with the names of frames.
        let with_names = seed % 2 == 0;
        let mut coming: VecDeque<Beat> = VecDeque::new();
        let mut offer = Runs::new(0.9, 60);
        let mut key = 0;
        for clk in 0..cycles() / 2 {
            let [valid, tag, flow, segment, nonce, first, last, wire, sum, place, generation, launched, ts] = sent.map(|p| dut.get(p));
            let out = Out {
                swept: dut.get(swept) == 1,
                sent: (valid == 1).then_some(Sent {
                    tag: tag as u16,
                    flow: flow as u32,
                    segment: segment as u32,
                    nonce: nonce as u32,
                    first: first == 1,
                    last: last == 1,
                    wire_bytes: wire as u16,
                    segment_bytes: sum as u32,
                    place: place as u16,
                    generation: generation as u8,
                    launch: launched,
                }),
                completion: (valid == 1).then_some(Completion { tag: tag as u16, ts }),
                frame: (dut.get(left[0]) == 1).then(|| (dut.get(left[1]) as u16, dut.get(left[2]) as u16)),
            };
            frames += u64::from(out.frame.is_some());
            assert_eq!(out, model.output(clk), "clock {clk}, seed {seed}");
            reports += valid;
            long += u64::from(valid == 1 && sum > wire);
            if coming.is_empty() {
                coming.extend(beats(&frame(&mut rng, ours), width));
            }
            if clk % 1000 == 0 {
                key = rng.random::<u128>() >> 32;
            }
            let load = rng.random_bool(0.01).then(|| {
                let record = FlowRecord { enable: rng.random_bool(0.8), keep: rng.random(), ..FlowRecord::default() };
                FlowLoad { flow: rng.random_range(0..FLOWS), record: record.pack().expect("a record within its ranges") }
            });
            let i = In {
                rst: rng.random_bool(0.0001),
                beat: offer.next(&mut rng).then(|| coming.pop_front()).flatten(),
                launch: rng.random_bool(0.95).then(|| rng.random()),
                name: with_names.then(|| (rng.random_range(0..2), rng.random())),
                now: rng.random(),
                port: ours,
                key,
                load,
            };
            s.set(&mut dut, i.beat.as_ref(), &mut rng);
            for (at, value) in [
                (rst, i.rst.into()),
                (paced, i.launch.is_some().into()),
                (launch, i.launch.unwrap_or(0)),
                (named, i.name.is_some().into()),
                (queue, i.name.map_or_else(|| rng.random_range(0..4), |n| n.0.into())),
                (own_tag, i.name.map_or_else(|| rng.random_range(0..1 << 16), |n| n.1.into())),
                (now, i.now),
                (port, i.port.into()),
                (fl_valid, i.load.is_some().into()),
                (fl_flow, i.load.map_or(0, |l| l.flow.into())),
                (fl_enable, i.load.is_some_and(|l| l.enable()).into()),
                (fl_keep, i.load.is_some_and(|l| l.keep()).into()),
            ] {
                dut.set(at, value);
            }
            dut.set_words(cfg_key, &[0, 32, 64].map(|bit| (key >> bit) as u32));
            dut.tick();
            model.step(clk, &i);
        }
    }
    println!("{name}: {reports} reports, {long} of segments of more than a frame");
    if cycles() >= 100_000 {
        assert!(
            reports > 1000 && long > 300 && (frames > 1000 || seeds().iter().all(|s| s % 2 == 1)),
            "{reports} reports, {long} of longer segments, {frames} frames"
        );
    }
}

#[test]
fn exit_equals_model_512() {
    lockstep("exit512", Rtl::<512, 64, 4, 5>::new(), 512);
}

#[test]
fn exit_equals_model_256() {
    // The same code but for widths.
    if !thorough() {
        return;
    }
    lockstep("exit256", Rtl::<256, 32, 4, 5>::new(), 256);
}

/// Frames back to back: each report has the bytes of its flow's segment up to it, whatever came
/// between.
#[test]
fn a_segment_has_the_bytes_of_its_frames() {
    for seed in seeds() {
        let mut rng = rng(seed);
        let mut model = Exit::new(512, 4);
        let (mut sums, mut clk, mut reports) = ([0u32; FLOWS as usize], 0, 0);
        while clk < cycles() / 10 {
            for beat in beats(&frame(&mut rng, PORT), 512) {
                let out = model.output(clk);
                if let Some(s) = out.sent {
                    let sum = &mut sums[s.flow as usize];
                    *sum = sum.wrapping_add(s.wire_bytes.into());
                    assert_eq!(s.segment_bytes, *sum, "flow {}, clock {clk}, seed {seed}", s.flow);
                    if s.last {
                        *sum = 0;
                    }
                    reports += 1;
                }
                let i = In { beat: Some(beat).filter(|_| out.swept), launch: Some(0), port: PORT, ..In::default() };
                model.step(clk, &i);
                clk += 1;
            }
        }
        assert!(reports > 100 || cycles() < 100_000, "only {reports} reports");
    }
}

/// A segment that its host does not end has the bytes of its frames, on the Verilog too, when 24
/// bits are too few for them.
#[test]
fn a_long_segment_has_the_bytes_of_its_frames() {
    let library = verilate("exit512", Rtl::<512, 64, 4, 5>::new());
    let mut rng = rng(seeds()[0]);
    let mut dut = library.instantiate(1);
    let mut model = Exit::new(512, 4);
    let s = Offered::new(&library, "s");
    let [paced, port] = ["s_paced", "cfg_udp_port"].map(|n| library.input(n));
    let [valid, sum, swept] = ["sent_valid", "sent_segment_bytes", "swept"].map(|n| library.output(n));
    for (at, value) in
        [(paced, 1), (port, PORT.into()), (library.input("rst"), 0), (library.input("named"), 0), (library.input("fl_valid"), 0)]
    {
        dut.set(at, value);
    }
    s.set(&mut dut, None, &mut rng);
    let envelope = Envelope {
        mac_destination: rng.random(),
        mac_source: rng.random(),
        tci: rng.random_bool(0.3).then(|| rng.random()),
        addresses: match rng.random() {
            true => Addresses::V4 { source: rng.random(), destination: rng.random() },
            false => Addresses::V6 { source: rng.random(), destination: rng.random() },
        },
        tos: 0,
        ttl: 64,
        port_source: 7,
        port_destination: PORT,
    };
    let bytes = envelope.frame(&Header { flow: 3, ..Header::default() }, &vec![1; 9000]);
    let frame: Vec<Beat> = beats(&bytes, 512).collect();
    let (mut clk, mut expected) = (0, 0u64);
    while dut.get(swept) == 0 {
        dut.tick();
        model.step(clk, &In { port: PORT, ..In::default() });
        clk += 1;
    }
    while expected < (1 << 24) + 50_000 {
        for beat in &frame {
            s.set(&mut dut, Some(beat), &mut rng);
            dut.tick();
            model.step(clk, &In { beat: Some(*beat), launch: Some(0), port: PORT, ..In::default() });
            clk += 1;
            if let Some(sent) = model.output(clk).sent {
                expected += u64::from(sent.wire_bytes);
                assert_eq!((u64::from(sent.segment_bytes), dut.get(valid), dut.get(sum)), (expected, 1, expected), "clock {clk}");
            }
        }
    }
}
