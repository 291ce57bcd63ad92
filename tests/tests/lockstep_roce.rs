//! `timely_hw::roce` against `timely_model::roce`: good RoCEv2 frames, and frames spoilt, in any
//! order.
use rand::Rng;
use std::collections::{BTreeMap, VecDeque};
use timely_hw::roce::Parse;
use timely_model::Block;
use timely_model::parse::In;
use timely_model::roce::{self, LATENCY, MALFORMED, Packet, Report};
use timely_model::stream::{Beat, beat, bytes_of, keep};
use timely_regs::roce::{Error, Headers, Kind};
use timely_regs::wire::Class;
use timely_tests::roce::{any, packet, seal};
use timely_tests::{Runs, cycles, rng, seeds, verilate};
use timely_verilate::{Dut, Library};

/// The design's ports.
struct Bench {
    dut: Dut,
    inputs: [timely_verilate::In; 7],
    outputs: [timely_verilate::Out; 4],
    width: usize,
}

/// Takes bits from the low end of a packed word.
struct Fields<'a>(&'a [u8], usize);

impl Fields<'_> {
    fn bits(&mut self, n: usize) -> u64 {
        let value = (0..n).fold(0, |v, i| v | u64::from(self.0[(self.1 + i) / 8] >> ((self.1 + i) % 8) & 1) << i);
        self.1 += n;
        value
    }

    fn address(&mut self) -> [u8; 16] {
        std::array::from_fn(|_| self.bits(8) as u8)
    }
}

impl Bench {
    fn new(library: &std::sync::Arc<Library>, width: usize, seed: u64) -> Bench {
        let inputs = ["rst", "s_tdata", "s_tkeep", "s_tvalid", "s_tlast", "s_ts", "s_bad"].map(|n| library.input(n));
        let outputs = ["o_valid", "o_kind", "o_reason", "o_packet"].map(|n| library.output(n));
        Bench { dut: library.instantiate(seed as u32), inputs, outputs, width }
    }

    fn output(&self) -> Option<Report> {
        let [valid, kind, reason, word] = self.outputs;
        let kind = (self.dut.get(valid) == 1).then(|| self.dut.get(kind) as u8)?;
        let bytes = self.dut.get_bytes(word);
        let mut f = Fields(&bytes, 0);
        let class = Class::ALL[f.bits(2) as usize];
        let (source, destination, bytes, stamp) = (f.address(), f.address(), f.bits(16) as u16, f.bits(64));
        let (tos, opcode, ack_request) = (f.bits(8) as u8, f.bits(8) as u8, f.bits(1) == 1);
        let partition_key = f.bits(16) as u16;
        let (queue_pair, psn, syndrome) = (f.bits(24) as u32, f.bits(24) as u32, f.bits(8) as u8);
        let (message_bytes, payload_bytes) = (f.bits(32) as u32, f.bits(16) as u16);
        let macs = [(); 2].map(|()| std::array::from_fn(|_| f.bits(8) as u8));
        let (tci, port, mendable) = (f.bits(16) as u16, f.bits(16) as u16, f.bits(1) == 1);
        let packet = [Kind::Data, Kind::Read, Kind::Response, Kind::Ack, Kind::Cnp, Kind::Other]
            .get(usize::from(kind).wrapping_sub(1))
            .map(|kind| {
                let headers = Headers {
                    class,
                    kind: *kind,
                    opcode,
                    ack_request,
                    partition_key,
                    queue_pair,
                    psn,
                    syndrome,
                    message_bytes,
                    payload_bytes,
                    tos,
                };
                Packet { headers, source, destination, bytes, stamp, macs, tci: class.vlan.then_some(tci), port, mendable }
            });
        Some(Report { kind, reason: self.dut.get(reason) as u8, packet })
    }

    fn tick(&mut self, i: &In, keep: u64) {
        let [rst, data, tkeep, valid, last, ts, bad] = self.inputs;
        self.dut.set(rst, i.rst.into());
        self.dut.set(valid, i.beat.is_some().into());
        let beat = i.beat.unwrap_or(Beat { data: [0xa5; 64], bytes: 0, last: true });
        self.dut.set_bytes(data, &beat.data[..self.width / 8]);
        self.dut.set(tkeep, keep);
        self.dut.set(last, beat.last.into());
        self.dut.set(ts, i.stamp);
        self.dut.set(bad, i.bad.into());
        self.dut.tick();
    }
}

/// Counts of a run.
#[derive(Default)]
struct Tally {
    frames: u64,
    reports: u64,
    /// Reports a kind and reason, and a kind and class of well-formed ones.
    kinds: BTreeMap<(u8, u8), u64>,
    classes: BTreeMap<(u8, u8), u64>,
    back_to_back: u64,
}

/// Feeds frames into design and model and holds their outputs equal at every clock, until `frames`
/// gives no more and all is out.
fn run(
    bench: &mut Bench,
    tally: &mut Tally,
    seed: u64,
    mut frames: impl FnMut(&mut rand_chacha::ChaCha8Rng) -> Option<Vec<u8>>,
    wild: bool,
) {
    let (width, mut rng) = (bench.width, rng(seed));
    let mut model = roce::Parse::new(width);
    let mut offer = Runs::new(0.85, 30);
    let (mut frame, mut at, mut spoilt): (Option<Vec<u8>>, usize, Option<usize>) = (None, 0, None);
    let (mut idle, mut last_report) = (0, 0);
    for clk in 0.. {
        let out = model.output(clk);
        assert_eq!(bench.output(), out, "clock {clk}, seed {seed}, width {width}");
        if let Some(r) = &out {
            tally.reports += 1;
            *tally.kinds.entry((r.kind, r.reason)).or_default() += 1;
            if let Some(p) = &r.packet {
                *tally.classes.entry((r.kind, p.headers.class.bits())).or_default() += 1;
            }
            tally.back_to_back += u64::from(last_report + 1 == clk);
            last_report = clk;
        }
        if frame.is_none() {
            (frame, at) = (frames(&mut rng), 0);
            spoilt =
                frame.as_ref().filter(|_| wild && rng.random_range(0..40) == 0).map(|f| rng.random_range(0..f.len().div_ceil(width / 8)));
        }
        idle = if frame.is_none() { idle + 1 } else { 0 };
        if idle > 2 * LATENCY {
            break;
        }
        let (mut i, mut bits) = (In { stamp: rng.random(), ..In::default() }, rng.random::<u64>());
        i.rst = wild && rng.random_bool(if at > 0 { 0.001 } else { 0.0002 });
        if let Some(f) = &frame
            && (!wild || offer.next(&mut rng))
        {
            let mut beat = beat(f, width, at);
            bits = keep(usize::from(beat.bytes));
            if spoilt == Some(at) {
                bits = [0, rng.random::<u64>() & keep(width / 8), keep(width / 8) ^ 1 << rng.random_range(0..width / 8)]
                    [rng.random_range(0..3)];
            }
            beat.bytes = bytes_of(bits);
            i.bad = if beat.last { wild && rng.random_range(0..40) == 0 } else { rng.random() };
            // Data without a byte enable must not matter.
            rng.fill(&mut beat.data[beat.bytes.min(64).into()..]);
            i.beat = Some(beat);
            at += 1;
            if beat.last {
                tally.frames += 1;
                (frame, at) = (None, 0);
            }
        }
        bench.tick(&i, bits & keep(width / 8));
        model.step(clk, &i);
    }
}

/// Frames one after the other that random ones hardly ever are: each payload length, each
/// truncation, each bit, each opcode, each length of padding.
fn directed(width: usize) -> VecDeque<Vec<u8>> {
    let mut rng = rng(98);
    let mut frames = VecDeque::new();
    for class in Class::ALL {
        for most in 0..200 {
            frames.push_back(packet(&mut rng, class, most));
        }
        let good = packet(&mut rng, class, 64);
        for bytes in 1..good.len() {
            frames.push_back(good[..bytes].to_vec());
        }
        for pad in 0..140 {
            frames.push_back([good.clone(), vec![0x5a; pad]].concat());
        }
        for bit in 0..8 * good.len() {
            let mut frame = good.clone();
            frame[bit / 8] ^= 1 << (bit % 8);
            frames.push_back(frame.clone());
            seal(&mut frame, class);
            frames.push_back(frame);
        }
        for code in 0..=255 {
            let mut frame = good.clone();
            frame[class.header()] = code;
            seal(&mut frame, class);
            frames.push_back(frame);
        }
    }
    // Around the longest that is counted.
    for bytes in [65_534, 65_535, 65_536, 65_537, 131_072 + 100] {
        let mut frame = packet(&mut rng, Class::default(), 10);
        frame.resize(bytes, 0);
        frames.push_back(frame);
        frames.push_back(packet(&mut rng, Class::ALL[3], 10));
    }
    // The largest that RoCEv2 has, 4,096 bytes of payload, and as long as IP allows.
    for payload in [4_096, 65_000] {
        frames.push_back(packet(&mut rng, Class::ALL[2], payload));
    }
    if width == 512 {
        frames.extend((0..500).map(|i| vec![i as u8; 1 + i % 64]));
        frames.extend((0..500).map(|_| packet(&mut rng, Class::default(), 0)));
    }
    frames
}

fn lockstep<const W: usize, const K: usize, const N: usize>() -> Tally {
    let mut tally = Tally::default();
    let library = verilate(&format!("roce{W}"), Parse::<W, K, N>::new());
    let mut queue = directed(W);
    let frames = queue.len() as u64;
    run(&mut Bench::new(&library, W, 1), &mut tally, 1, |_| queue.pop_front(), false);
    assert_eq!((tally.reports, tally.frames), (frames, frames), "without resets, a report a frame");
    for seed in seeds() {
        let mut left = cycles() as usize;
        let next = |rng: &mut rand_chacha::ChaCha8Rng| {
            let most = [16, 300, 300, 4200][rng.random_range(0..4)];
            let frame = any(rng, most);
            left = left.checked_sub(frame.len().div_ceil(W / 8))?;
            Some(frame)
        };
        run(&mut Bench::new(&library, W, seed), &mut tally, seed, next, true);
    }
    tally
}

#[test]
fn rtl_equals_model() {
    let tallies = [lockstep::<64, 8, 1>(), lockstep::<128, 16, 2>(), lockstep::<256, 32, 4>(), lockstep::<512, 64, 8>()];
    for (tally, width) in tallies.iter().zip([64, 128, 256, 512]) {
        println!(
            "{width} bits: {} frames; by kind and reason {:?}; well-formed by kind and class {:?}",
            tally.frames, tally.kinds, tally.classes
        );
        let reasons = [roce::BAD, Error::Truncated as u8, Error::Ip as u8, Error::Transport as u8, Error::Icrc as u8];
        for reason in reasons {
            let seen = tally.kinds.get(&(MALFORMED, reason)).copied().unwrap_or(0);
            assert!(seen >= 10, "{width} bits: reason {reason} came {seen} times");
        }
        for kind in 1..=6 {
            for class in 0..4 {
                let seen = tally.classes.get(&(kind, class)).copied().unwrap_or(0);
                assert!(seen >= 10, "{width} bits: kind {kind}, class {class} came {seen} times");
            }
        }
    }
    let back_to_back = tallies[3].back_to_back;
    assert!(back_to_back > 400, "only {back_to_back} reports followed each other at once on 512 bits");
}
