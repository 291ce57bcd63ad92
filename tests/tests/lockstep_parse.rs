//! `timely_hw::parse` against `timely_model::parse`: good frames, and frames spoilt in every way
//! that we know, in any order.
use rand::Rng;
use std::collections::{BTreeMap, VecDeque};
use timely_hw::parse::Parse;
use timely_model::Block;
use timely_model::parse::{self, FRONT, In, LATENCY, Out, Report, kind};
use timely_model::stream::{Arrival, Beat, beat, bytes_of, keep};
use timely_regs::counters::Counter;
use timely_regs::wire::{ACK, Class, HEADER_BYTES, Header, LAST, Packet};
use timely_regs::wire::{ipv4, udp};
use timely_tests::frames::{Fault, class, good_of, mend};
use timely_tests::{Runs, cycles, rng, seeds, verilate};
use timely_verilate::{Dut, Library};

const PORT: u16 = timely_regs::wire::DEFAULT_PORT;

/// A frame on its way in. Each beat's `tkeep` is what its bytes need unless `keeps` says otherwise.
#[derive(Clone, Debug, Default)]
struct Job {
    arrival: Arrival,
    keeps: BTreeMap<usize, u64>,
    /// The port register while it comes in, if not what it is for the whole run.
    port: Option<u16>,
}

impl Job {
    fn new(frame: Vec<u8>) -> Job {
        Job { arrival: Arrival { frame, stamp: 0, bad: false }, ..Job::default() }
    }

    fn beats(&self, width: usize) -> usize {
        self.arrival.frame.len().div_ceil(width / 8).max(1)
    }

    /// A frame of any sort, most of them to `port`, of which one in thirty has a `tkeep` that is
    /// none. One in thirty is to port 0, which the register has then, too.
    fn random(rng: &mut impl Rng, width: usize, port: u16) -> Job {
        let fault = loop {
            let fault = Fault::ALL[rng.random_range(0..Fault::ALL.len())];
            // Jumbo frames take hundreds of clocks each.
            if fault != Fault::Jumbo || rng.random_range(0..60) == 0 {
                break fault;
            }
        };
        let class = class(rng);
        let zero = rng.random_range(0..30) == 0;
        let mut job = Job::new(fault.frame(rng, class, if zero { 0 } else { port }));
        job.port = zero.then_some(0);
        job.arrival.stamp = rng.random();
        job.arrival.bad = rng.random_range(0..30) == 0;
        if rng.random_range(0..30) == 0 {
            let (full, last) = (keep(width / 8), job.beats(width) - 1);
            let at = if rng.random() { last } else { rng.random_range(0..=last) };
            let wrong = match rng.random_range(0..3) {
                0 => 0,
                1 => rng.random::<u64>() & full,
                _ => full ^ 1 << rng.random_range(0..width / 8),
            };
            job.keeps.insert(at, wrong);
        }
        job
    }
}

/// The design's ports.
struct Bench {
    dut: Dut,
    inputs: [timely_verilate::In; 8],
    outputs: [timely_verilate::Out; 9],
    width: usize,
}

impl Bench {
    fn new(library: &std::sync::Arc<Library>, width: usize, seed: u64) -> Bench {
        let inputs = ["rst", "s_tdata", "s_tkeep", "s_tvalid", "s_tlast", "s_ts", "s_bad", "cfg_udp_port"].map(|n| library.input(n));
        let outputs = ["o_valid", "o_kind", "o_reason", "o_class", "o_head", "o_hdr", "o_len", "o_ts", "pulses"].map(|n| library.output(n));
        Bench { dut: library.instantiate(seed as u32), inputs, outputs, width }
    }

    fn output(&self) -> Out {
        let [valid, kind, reason, class, head, hdr, len, ts, pulses] = self.outputs;
        let report = (self.dut.get(valid) == 1).then(|| Report {
            kind: self.dut.get(kind) as u8,
            reason: self.dut.get(reason) as u8,
            class: Class::ALL[self.dut.get(class) as usize],
            head: self.dut.get_bytes(head)[..FRONT].try_into().unwrap(),
            header: self.dut.get_bytes(hdr)[..HEADER_BYTES].try_into().unwrap(),
            bytes: self.dut.get(len) as u16,
            stamp: self.dut.get(ts),
        });
        Out { report, pulses: self.dut.get(pulses) }
    }

    fn tick(&mut self, i: &In, keep: u64) {
        let [rst, data, tkeep, valid, last, ts, bad, port] = self.inputs;
        self.dut.set(rst, i.rst.into());
        self.dut.set(valid, i.beat.is_some().into());
        let beat = i.beat.unwrap_or(Beat { data: [0xa5; 64], bytes: 0, last: true });
        self.dut.set_bytes(data, &beat.data[..self.width / 8]);
        self.dut.set(tkeep, keep);
        self.dut.set(last, beat.last.into());
        self.dut.set(ts, i.stamp);
        self.dut.set(bad, i.bad.into());
        self.dut.set(port, i.port.into());
        self.dut.tick();
    }
}

/// Counts of a run.
#[derive(Default)]
struct Tally {
    frames: u64,
    /// Reports of frames that are not ours, malformed or bad.
    refused: u64,
    reports: u64,
    /// Reports a kind, reason and class.
    kinds: BTreeMap<(u8, u8, u8), u64>,
    back_to_back: u64,
}

/// Feeds frames into design and model and holds their outputs equal at every clock, until `jobs`
/// gives no more and all is out. The port register has `port`, where the job does not say
/// otherwise.
fn run(
    bench: &mut Bench,
    tally: &mut Tally,
    (seed, port): (u64, u16),
    mut jobs: impl FnMut(&mut rand_chacha::ChaCha8Rng) -> Option<Job>,
    wild: bool,
) {
    let (width, mut rng) = (bench.width, rng(seed));
    let mut model = parse::Parse::new(width);
    let mut offer = Runs::new(0.85, 30);
    let (mut job, mut at): (Option<Job>, usize) = (None, 0);
    let (mut idle, mut last_report, mut due) = (0, 0, VecDeque::new());
    for clk in 0.. {
        let out = model.output(clk);
        assert_eq!(bench.output(), out, "clock {clk}, seed {seed}, width {width}");
        let expected = due.pop_front_if(|d| *d == clk);
        assert_eq!(out.report.is_some(), expected.is_some(), "a report is due {LATENCY} clocks after a last beat: clock {clk}");
        if let Some(r) = &out.report {
            tally.reports += 1;
            tally.refused += u64::from(matches!(r.kind, kind::FOREIGN | kind::MALFORMED));
            *tally.kinds.entry((r.kind, r.reason, r.class.bits())).or_default() += 1;
            tally.back_to_back += u64::from(last_report + 1 == clk);
            last_report = clk;
        }
        if job.is_none() {
            (job, at) = (jobs(&mut rng), 0);
        }
        idle = if job.is_none() { idle + 1 } else { 0 };
        if idle > 2 * LATENCY {
            break;
        }
        let (mut i, mut bits) = (In { port, stamp: rng.random(), ..In::default() }, rng.random::<u64>());
        i.port = job.as_ref().and_then(|j| j.port).unwrap_or(port);
        if wild {
            // Rare between frames; likelier inside one, most of all inside one that has left
            // traces.
            i.rst = rng.random_bool(match &job {
                Some(j) if at > 0 => [0.001, 0.05][usize::from(!j.keeps.is_empty())],
                _ => 0.0002,
            });
            // The port register changes under way, too.
            i.port = [i.port, rng.random(), 0][if rng.random_range(0..30) == 0 { rng.random_range(1..3) } else { 0 }];
        }
        if let Some(j) = &job
            && (!wild || offer.next(&mut rng))
        {
            let mut beat = beat(&j.arrival.frame, width, at);
            bits = j.keeps.get(&at).copied().unwrap_or(keep(usize::from(beat.bytes)));
            beat.bytes = bytes_of(bits);
            // Senders that keep to the contract hold it for the whole frame; only the first beat's
            // counts.
            if at == 0 || rng.random() {
                i.stamp = j.arrival.stamp;
            }
            i.bad = if beat.last { j.arrival.bad } else { rng.random() };
            // Data without a byte enable must not matter, but to the left-overs.
            rng.fill(&mut beat.data[beat.bytes.min(64).into()..]);
            i.beat = Some(beat);
            at += 1;
            if beat.last {
                due.push_back(clk + LATENCY);
                tally.frames += 1;
                job = None;
            }
        }
        if i.rst {
            due.clear();
        }
        bench.tick(&i, bits & keep(width / 8));
        model.step(clk, &i);
    }
}

/// Frames one after the other that random ones hardly ever are: each truncation, each flag, each
/// bit.
fn directed(width: usize) -> Vec<Job> {
    let mut rng = rng(99);
    let mut jobs = Vec::new();
    let mut put = |frame: Vec<u8>| jobs.push(Job::new(frame));
    for class in Class::ALL {
        let good = good_of(&mut rng, class, PORT, 64);
        put(good.clone());
        for bytes in 0..good.len() {
            put(good[..bytes].to_vec());
        }
        for value in 0..=255 {
            for at in [0, 1] {
                let mut frame = good.clone();
                frame[class.header() + at] = value;
                put(frame);
            }
        }
        for bit in 0..class.end() * 8 {
            let mut frame = good.clone();
            frame[bit / 8] ^= 1 << (bit % 8);
            put(frame.clone());
            mend(&mut frame, class);
            put(frame);
        }
        // The checksum's two zeros, and carries of all sizes.
        for _ in 0..200 {
            let mut frame = good_of(&mut rng, class, PORT, 0);
            let fill = [0xff, 0x00][rng.random_range(0..2)];
            for _ in 0..rng.random_range(0..8) {
                frame[class.ip() + 12 + rng.random_range(0..8)] = fill;
            }
            mend(&mut frame, class);
            put(frame);
        }
    }
    // Our port behind IPv4 options of any length, as the source or the destination, and ports that
    // differ from it by a bit.
    for class in Class::ALL.into_iter().filter(|c| !c.ipv6) {
        for (options, at, bit) in
            (0..11).flat_map(|o| [udp::SOURCE, udp::DESTINATION].map(|at| (o, at))).flat_map(|(o, at)| (0..17).map(move |b| (o, at, b)))
        {
            let mut frame = good_of(&mut rng, class, PORT, 0);
            frame[class.udp()..class.udp() + 4].fill(0);
            let port = PORT ^ (1_u32 << bit) as u16;
            frame[class.udp() + at..][..2].copy_from_slice(&port.to_be_bytes());
            frame[class.ip()] += options as u8;
            drop(frame.splice(class.ip() + ipv4::BYTES..class.ip() + ipv4::BYTES, vec![0; 4 * options]));
            put(frame);
        }
    }
    // Around the longest that is counted, and twice as long, where 16 bits would have come round.
    for bytes in [65_534, 65_535, 65_536, 65_537, 65_536 + 100, 131_072 + 100] {
        let mut frame = good_of(&mut rng, Class::default(), PORT, 0);
        frame.resize(bytes, 0);
        put(frame);
        put(good_of(&mut rng, Class::ALL[3], PORT, 10));
    }
    if width == 512 {
        // Runts of one beat each, one a clock.
        for i in 0..500 {
            put(vec![i as u8; 1 + i % 64]);
        }
    }
    jobs
}

fn lockstep<const W: usize, const K: usize>() -> Tally {
    let mut tally = Tally::default();
    let library = verilate(&format!("parse{W}"), Parse::<W, K>::default());
    let mut queue = VecDeque::from(directed(W));
    let frames = queue.len() as u64;
    run(&mut Bench::new(&library, W, 1), &mut tally, (1, PORT), |_| queue.pop_front(), false);
    assert_eq!(tally.reports, tally.frames, "without resets, a report a frame");
    assert_eq!(tally.frames, frames);
    for seed in seeds() {
        let clocks = cycles();
        // Each bit of the register is either.
        let port = if seed % 2 == 0 { !PORT } else { PORT };
        let mut left = clocks as usize;
        let next = |rng: &mut rand_chacha::ChaCha8Rng| {
            let job = Job::random(rng, W, port);
            left = left.checked_sub(job.beats(W))?;
            Some(job)
        };
        run(&mut Bench::new(&library, W, seed), &mut tally, (seed, port), next, true);
    }
    tally
}

#[test]
fn rtl_equals_model() {
    let tallies = [lockstep::<64, 8>(), lockstep::<128, 16>(), lockstep::<256, 32>(), lockstep::<512, 64>()];
    let (mut frames, mut refused) = (0, 0);
    for (tally, width) in tallies.iter().zip([64, 128, 256, 512]) {
        println!("{width} bits: {} frames, {} of them malformed, truncated, foreign or random", tally.frames, tally.refused);
        println!("  reports by kind, reason, class: {:?}", tally.kinds);
        (frames, refused) = (frames + tally.frames, refused + tally.refused);
        for class in 0..4u8 {
            use Counter::*;
            let malformed = [RxBad, RxTruncated, RxBadIp, RxBadHeader].map(|c| (kind::MALFORMED, c as u8));
            for (kind, reason) in [(kind::FOREIGN, 0), (kind::DATA, 0), (kind::ACK, 0)].into_iter().chain(malformed) {
                let seen = tally.kinds.get(&(kind, reason, class)).copied().unwrap_or(0);
                assert!(seen >= 3, "{width} bits: kind {kind}, reason {reason}, class {class} came {seen} times");
            }
        }
    }
    let back_to_back = tallies[3].back_to_back;
    assert!(back_to_back > 400, "only {back_to_back} reports followed each other at once on 512 bits");
    println!("{refused} malformed, truncated, foreign or random frames of {frames}");
    if cycles() >= 200_000 && seeds().len() > 1 {
        assert!(refused >= 100_000, "{refused} refused frames: the ordinary run has at least 100,000");
    }
}

/// A report says what the frame holds, on every width.
#[test]
fn reports_tell_the_frame() {
    let mut rng = rng(7);
    for round in 0..2000 {
        let (class, width) = (Class::ALL[round % 4], [64, 128, 256, 512][round / 4 % 4]);
        let frame = good_of(&mut rng, class, PORT, 2000);
        let arrival = Arrival { frame, stamp: rng.random(), bad: false };
        let mut model = parse::Parse::new(width);
        let mut clk = 0;
        for i in parse::inputs(&arrival, width, PORT) {
            assert_eq!(model.output(clk), Out::default());
            model.step(clk, &i);
            clk += 1;
        }
        let due = clk - 1 + LATENCY;
        assert_eq!(model.wake(clk), due);
        let report = model.output(due).report.unwrap();
        let packet = Packet::new_checked(&arrival.frame, PORT).unwrap();
        assert_eq!(report.kind, if packet.flags() & ACK != 0 { kind::ACK } else { kind::DATA });
        assert_eq!((report.reason, report.class, report.bytes), (0, class, arrival.frame.len() as u16));
        assert_eq!((&report.head[..], report.stamp), (&arrival.frame[..FRONT], arrival.stamp));
        assert_eq!(&report.header, packet.header());
        let header = Header::read(&report.header);
        assert_eq!((header.flags & LAST != 0, header.nonce), (packet.is_last(), packet.nonce()));
    }
}

/// The face that skips clocks gives what the face that steps them gives.
#[test]
fn skipping_equals_stepping() {
    for seed in seeds() {
        let mut rng = rng(seed);
        let (mut stepped, mut skipped) = (parse::Parse::new(64), parse::Parse::new(64));
        let mut offer = Runs::new(0.2, 40);
        let mut beats: VecDeque<In> = VecDeque::new();
        let mut skips = 0;
        for clk in 0..cycles() {
            if beats.is_empty() {
                beats.extend(parse::inputs(&Job::random(&mut rng, 64, PORT).arrival, 64, PORT));
            }
            let mut i = if offer.next(&mut rng) { beats.pop_front().unwrap() } else { In { port: PORT, ..In::default() } };
            i.rst = rng.random_bool(0.0005);
            assert_eq!(stepped.output(clk), skipped.output(clk), "clock {clk}, seed {seed}");
            stepped.step(clk, &i);
            if i.beat.is_some() || i.rst || skipped.wake(clk) <= clk {
                skipped.step(clk, &i);
            } else {
                skips += 1;
            }
        }
        assert!(skips > cycles() / 4, "only {skips} clocks were skipped: wake() is never idle");
    }
}
