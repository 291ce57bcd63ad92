//! OpenNIC's user box: other people's packets whole, ours paced, ACKs put between, registers behind
//! the shell's bus. The ordinary run fits it into its shell, and runs it with one number of flows;
//! `cargo xtask soak` with all.
use super::inline::*;
use rand::Rng;
use std::collections::{BTreeSet, HashMap, VecDeque};
use std::io::{Write, stdout};
use std::ops::RangeInclusive;
use std::path::Path;
use std::process::Command;
use std::sync::{Arc, OnceLock};
use timely_hw::config::{CLOCK_PS, Config, FLOW_BITS};
use timely_hw::shells::{File, Shell};
use timely_regs::counters::Counter;
use timely_regs::map::{counters, id, port};
use timely_regs::parameters::Parameters;
use timely_regs::telemetry::TelemetryRecord;
use timely_regs::wire::{Addresses, Class, FIRST, Header, LAST};
use timely_tests::bench::answer;
use timely_tests::board::{Frame, HOST, OPENNIC, WIRE};
use timely_tests::frames::{Fault, class, envelope, pause, pfc, with_its_place};
use timely_tests::nic::PORT;
use timely_tests::{rng, seeds};
use timely_verilate::{Library, Options, build, mutant};

/// From a frame's last beat to its first at the wire: past the store, and through it when its flow
/// is idle and may send at once.
const PAST_CLOCKS: RangeInclusive<u64> = 15..=16;
const PACED_CLOCKS: RangeInclusive<u64> = 84..=88;
/// From its last beat at the wire to its first at the host.
const UP_CLOCKS: RangeInclusive<u64> = 2..=3;

/// The NIC with `2^flow_bits` flows: its files, and the library that they make.
pub struct Nic {
    pub flow_bits: usize,
    files: OnceLock<Vec<File>>,
    library: OnceLock<Arc<Library>>,
}

static NICS: [Nic; FLOW_BITS.len()] = {
    const fn nic(flow_bits: usize) -> Nic {
        Nic { flow_bits, files: OnceLock::new(), library: OnceLock::new() }
    }
    [nic(FLOW_BITS[0]), nic(FLOW_BITS[1]), nic(FLOW_BITS[2]), nic(FLOW_BITS[3])]
};

impl Nic {
    fn files(&self) -> &[File] {
        let config = || Config::new(512, self.flow_bits).expect("a configuration that is built");
        self.files.get_or_init(|| Shell::OpenNic.emit(config(), CLOCK_PS).unwrap_or_else(|e| panic!("emission: {e}")))
    }

    pub fn library(&self) -> &Arc<Library> {
        self.library.get_or_init(|| compiled(&format!("opennic_512_{}", self.flow_bits), self.files()))
    }

    fn flows(&self) -> u32 {
        1 << self.flow_bits
    }
}

/// The library that a box's files make.
pub fn compiled(name: &str, files: &[File]) -> Arc<Library> {
    let mut verilog = [include_str!("../shells/opennic_board.v"), include_str!("../shells/box_250mhz.v")].concat();
    for f in &files[1..] {
        let name = f.path.rsplit('/').next().unwrap_or_default();
        verilog = verilog.replace(&format!("`include \"{name}\""), &f.text);
    }
    verilog += &files[0].text;
    let verilog = mutant::text(name, || verilog);
    build(name, &verilog, "board", Options::default()).unwrap_or_else(|e| panic!("{e}"))
}

/// The boxes with which behaviour is tested.
pub fn nics() -> impl Iterator<Item = &'static Nic> {
    let quick = left_out("nic::opennic");
    NICS.iter().filter(move |n| !quick && is_tested(n.flow_bits, 13))
}

/// Sideband of a frame of that many bytes from function 1 or port 0: its size, its source, and a
/// destination that the box is to replace.
pub fn beside(bytes: usize, source: u128) -> u128 {
    bytes as u128 | source << 16 | 0xbeef << 32
}

/// Icarus elaborates our files inside a box of exactly the shell's ports and parameters, and says
/// what is wrong with a shell that they are not for.
#[test]
fn icarus_fits_the_files_into_the_shell() {
    icarus_fits("opennic", NICS[0].files());
}

/// Checks by Icarus that `files` fit into the shell, and into no other.
pub fn icarus_fits(name: &str, files: &[File]) {
    let program = std::env::var("IVERILOG").unwrap_or_else(|_| "iverilog".into());
    if Command::new(&program).arg("-V").output().is_err() {
        // Past the test's capture, for `cargo xtask test` to tell.
        writeln!(stdout(), "left out: nic::{name}: the port fit: there is no Icarus Verilog here (Debian: apt-get install iverilog)")
            .expect("stdout");
        return;
    }
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}-{}", std::process::id()));
    for f in files {
        let path = folder.join(&f.path);
        std::fs::create_dir_all(path.parent().expect("a folder")).and_then(|()| std::fs::write(&path, &f.text)).expect("written");
    }
    let shells = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/shells");
    let include = format!("-I{}", folder.join("box_250mhz").display());
    let icarus = |top: &str, more: &[&str]| {
        let mut c = Command::new(&program);
        c.args(["-g2005", "-Wall", "-Wno-timescale", "-t", "null", "-s", top, &include]).args(more);
        c.args([shells.join("opennic_board.v"), shells.join("box_250mhz.v"), folder.join(&files[0].path)]);
        let out = c.output().expect("iverilog starts");
        (out.status.success(), String::from_utf8_lossy(&out.stderr).into_owned())
    };
    let (fits, text) = icarus("board", &[]);
    assert!(fits && !text.contains("will never trigger"), "{text}");
    let (fits, text) = icarus("box_250mhz", &["-Pbox_250mhz.NUM_CMAC_PORT=2"]);
    assert!(!fits && text.contains("one_QDMA_one_physical_function_and_one_CMAC_port"), "{text}");
    std::fs::remove_dir_all(&folder).ok();
}

/// Frames of every kind both ways, in gaps and stalls: each comes out once, byte for byte, in its
/// order; data of a flow that there is not is refused and counted; every segment from the wire is
/// answered.
#[test]
fn frames_pass_whole_and_once() {
    for nic in nics() {
        for seed in seeds() {
            let mut rng = rng(seed ^ 7);
            let flows: Vec<(u32, u8)> = (0..8).map(|f| (f, 0)).collect();
            let mut board =
                prepared(nic.library(), OPENNIC, &Setup { profiles: vec![fixed(100_000.0)], flows, bound: 2000, lead: 0 }, seed);
            let mut past: VecDeque<(Vec<u8>, u128)> = VecDeque::new();
            let mut paced: HashMap<u32, VecDeque<(Vec<u8>, u128)>> = HashMap::new();
            let (mut refused, mut dropped, mut up, mut answers) = (0, 0, VecDeque::new(), 0);
            for n in 0..1500u32 {
                let frame = if rng.random_bool(0.5) {
                    data(rng.random_range(0..9), n, FIRST | LAST, [90, 128, 129, 1514, 9000][rng.random_range(0..5)], true)
                } else {
                    let kind = Fault::ALL[rng.random_range(0..Fault::ALL.len())];
                    let class = class(&mut rng);
                    kind.frame(&mut rng, class, PORT)
                };
                let long = rng.random_bool(0.002);
                let frame = if long { vec![0; 9729 + rng.random_range(0..60_000)] } else { frame };
                let meta = beside(frame.len(), 1);
                match flow_of(&frame, nic.flows()) {
                    _ if long => dropped += 1,
                    Some(0..8) if !names_its_addresses(&frame) => {
                        refused += 1;
                        past.push_back((frame.clone(), meta));
                    }
                    Some(flow @ 0..8) => paced.entry(flow).or_default().push_back((frame.clone(), meta)),
                    Some(_) => refused += 1,
                    None => past.push_back((frame.clone(), meta)),
                }
                board.send(HOST, frame, meta);
                let frame = if rng.random_bool(0.3) {
                    answers += 1;
                    // ACKs of four lengths: with and without a tag, of either IP version.
                    let mut envelope = envelope(&mut rng, Class::ALL[n as usize % 4], PORT);
                    (envelope.mac_destination, envelope.mac_source, envelope.port_source) = (OWN_MAC, PEER_MAC, 5000);
                    envelope.tci = envelope.tci.map(|tci| tci & 0xf000);
                    match &mut envelope.addresses {
                        Addresses::V4 { source, destination } => (*source, *destination) = (PEER, OWN),
                        Addresses::V6 { source, destination } => (source[0], *destination) = (0xfd, OWN6),
                    }
                    let header = Header { flags: LAST, flow: rng.random::<u16>().into(), segment: n, ..Header::default() };
                    envelope.frame(&header, &vec![7; [0, 110, 1400][rng.random_range(0..3)]])
                } else {
                    let mut frame = vec![0; rng.random_range(60..2000)];
                    rng.fill(&mut frame[12..]);
                    frame
                };
                let meta = beside(frame.len(), 0x40);
                up.push_back((frame.clone(), meta));
                board.send(WIRE, frame, meta);
            }
            let (mut acks, mut quiet, mut lengths, mut unseen) = (0, 0, BTreeSet::new(), 0);
            while quiet < 5000 {
                if board.clk().is_multiple_of(2000) {
                    let level = |r: &mut dyn rand::RngCore| [0.3, 0.8, 1.0][r.random_range(0..3)];
                    board.weather(&[level(&mut rng), level(&mut rng)], &[level(&mut rng), level(&mut rng)]);
                }
                board.tick();
                let (sent, risen) = (board.take(WIRE), board.take(HOST));
                quiet = if sent.is_empty() && risen.is_empty() && board.waiting(HOST) + board.waiting(WIRE) == 0 { quiet + 1 } else { 0 };
                for Frame { bytes, meta, .. } in risen {
                    // Where the host was slow, frames are missing, and counted.
                    let at = up.iter().position(|(frame, _)| *frame == bytes);
                    let at = at.unwrap_or_else(|| panic!("nobody sent this to the host, seed {seed}"));
                    unseen += at;
                    let (_, beside) = up.drain(..=at).next_back().expect("it was found");
                    assert_eq!(meta, beside & 0xffff_ffff | 1 << 32, "beside {} bytes, seed {seed}", bytes.len());
                }
                for Frame { bytes, meta, .. } in sent {
                    assert_eq!(
                        meta,
                        bytes.len() as u128 | if is_ack(&bytes) { 0 } else { 1 << 16 } | 0x40 << 32,
                        "beside a frame, seed {seed}"
                    );
                    if is_ack(&bytes) {
                        acks += 1;
                        lengths.insert(bytes.len());
                        continue;
                    }
                    let queue = match flow_of(&bytes, nic.flows()).filter(|_| names_its_addresses(&bytes)) {
                        Some(flow) => paced.get_mut(&flow).unwrap_or_else(|| panic!("flow {flow} is not enabled")),
                        None => &mut past,
                    };
                    let expected = queue.pop_front().map(|f| with_its_place(&f.0, &bytes, PORT));
                    assert!(expected == Some(bytes), "a frame is not the one that was due, seed {seed}");
                }
            }
            assert!(past.is_empty() && paced.values().all(VecDeque::is_empty), "frames are lost, seed {seed}");
            dropped += (unseen + up.len()) as u32;
            assert_eq!(lengths.len(), 4, "ACKs of these lengths: {lengths:?}");
            // Packets that the wire brings twice as fast as ACKs leave are dropped and counted.
            let lost = counter(&mut board, Counter::AcksDropped) + counter(&mut board, Counter::AckShareExceeded);
            assert_eq!(acks + lost, answers, "answers, seed {seed}");
            assert_eq!(
                [Counter::PacketsRefused, Counter::PacketsDiscarded].map(|c| counter(&mut board, c)),
                [refused, dropped],
                "seed {seed}"
            );
            println!("{acks} ACKs, {lost} not sent; {refused} packets refused, {dropped} discarded");
        }
    }
}

/// Registers, and what is not there: DMA is refused, and nothing hangs.
#[test]
fn registers_are_reached_and_dma_is_refused() {
    for nic in nics() {
        let mut board = prepared(nic.library(), OPENNIC, &Setup { profiles: vec![fixed(1000.0)], flows: vec![], bound: 100, lead: 0 }, 1);
        with(&mut board, |d| {
            assert_eq!((d.build().bus_bits, d.flows()), (512, nic.flows()));
            assert_eq!(d.read(&port::STORE_BOUND).expect("a register"), 100);
            assert!(d.bus().0.borrow_mut().clk() > 0 && d.read(&id::MAGIC_WORD).expect("a register") == timely_regs::map::MAGIC);
            let refused = d.start_dma().expect_err("there is no memory").to_string();
            assert!(refused.ends_with("slave error"), "{refused}");
            assert!(d.snapshot(&Nowhere, 0, 4).is_err(), "DMA was refused");
            d.stop_dma().expect("nothing is in flight");
            let before = d.read_at(&counters::COUNTER, Counter::DoorbellsRefused as u32).expect("a counter");
            assert_eq!(before, 0);
        });
    }
}

/// From a frame's last beat to its first at the other side, clocks: past the store, through it, and
/// from the wire to the host.
#[test]
fn latencies_are_those_that_are_promised() {
    for nic in nics() {
        let mut board =
            prepared(nic.library(), OPENNIC, &Setup { profiles: vec![fixed(100_000.0)], flows: vec![(3, 0)], bound: 400, lead: 0 }, 1);
        let mut foreign = data(3, 0, 0, 128, true);
        foreign[12] = 0x90;
        for (from, to, frame, promised) in [
            (HOST, WIRE, foreign.clone(), PAST_CLOCKS),
            (HOST, WIRE, data(3, 1, LAST, 128, true), PACED_CLOCKS),
            (WIRE, HOST, foreign, UP_CLOCKS),
        ] {
            let meta = beside(frame.len(), 1);
            // Two beats, taken at this clock and the next.
            let last = board.clk() + 1;
            board.send(from, frame, meta);
            for _ in 0..500 {
                board.tick();
            }
            let clocks = board.take(to).front().expect("it came through").clocks.0 - last;
            println!("from {from} to {to}: {clocks} clocks");
            assert!(promised.contains(&clocks), "{clocks} clocks, {promised:?} promised");
        }
    }
}

/// A flow of law `fixed` leaves on its schedule, measured at the box's output: to two clocks, and
/// exactly when it is granted ahead.
#[test]
fn pacing_holds_at_the_output() {
    for nic in nics() {
        println!("lead ns      Mb/s   packets   late by at most, clocks   early, clocks   rate error, ppm");
        for (lead, mbps, most) in [(0, 40_000.0, 2.0), (200, 10_000.0, 1.0)] {
            let mut board =
                prepared(nic.library(), OPENNIC, &Setup { profiles: vec![fixed(mbps)], flows: vec![(3, 0)], bound: 400, lead }, 1);
            let all = departures(&mut board, 3, 1514, beside(1514, 1), 30_000);
            let gap = 1538.0 * 8000.0 / mbps / 4.0;
            // The first few leave while the bucket is full.
            let out = &all[all.len() / 4..];
            let offs: Vec<f64> = out.iter().enumerate().map(|(k, d)| (d - out[0]) as f64 - k as f64 * gap).collect();
            let (late, early) = offs.iter().fold((0f64, 0f64), |(l, e), o| (l.max(*o), e.max(-o)));
            let n = out.len() - 1;
            let ppm = (n as f64 * gap / (out[n] - out[0]) as f64 - 1.0) * 1e6;
            println!("{lead:7} {mbps:9.0} {:9} {late:25.3} {early:15.3} {ppm:17.1}", out.len());
            assert!(out.len() > 50 && late <= most && early <= most, "{late} clocks late, {early} early at {mbps} Mb/s with lead {lead}");
        }
    }
}

/// A peer answers: its ACKs go up to the host as well, and the round trip is the one that the wire
/// has.
#[test]
fn round_trips_are_measured() {
    for nic in nics() {
        const DELAY: u64 = 500;
        let mut board =
            prepared(nic.library(), OPENNIC, &Setup { profiles: vec![fixed(5000.0)], flows: vec![(7, 0)], bound: 400, lead: 0 }, 1);
        for n in 0..60 {
            let last = n % 3 == 2;
            let flags = if n % 3 == 0 { FIRST } else { 0 } | if last { LAST } else { 0 };
            board.send(HOST, data(7, n / 3, flags, 1514, true), beside(1514, 1));
        }
        let (mut due, mut stamps): (VecDeque<(u64, Vec<u8>)>, VecDeque<u64>) = (VecDeque::new(), VecDeque::new());
        let mut trips = Vec::new();
        for _ in 0..80_000 {
            board.tick();
            for f in board.take(WIRE) {
                if Header::read(f.bytes[42..90].try_into().expect("48 bytes")).flags & LAST != 0 {
                    due.push_back((f.clocks.1 + DELAY, answer(&f.bytes, 0, 0)));
                    stamps.push_back(f.clocks.0);
                }
            }
            if due.front().is_some_and(|d| d.0 <= board.clk()) {
                let (_, ack) = due.pop_front().expect("there is a front");
                trips.push((board.clk() - stamps.pop_front().expect("its departure")) * 4);
                let meta = beside(ack.len(), 0x40);
                board.send(WIRE, ack, meta);
            }
        }
        let up = board.take(HOST).len();
        let told = with(&mut board, |d| TelemetryRecord::from_words(&d.query_flow(7).expect("an answer")));
        println!("{told:?}, the wire's round trips from {:?} to {:?} ns", trips.iter().min(), trips.iter().max());
        assert_eq!((up, told.samples, told.segments, told.packets), (20, 20, 20, 60));
        let rtt = told.rtt.expect("round trips");
        // From the last byte out: its wire time is less than the frame's, which the stamp begins.
        let wire_ns = (1538.0 * 8.0 / 100.0) as u32;
        let (least, most) = (*trips.iter().min().expect("20") as u32 - wire_ns, *trips.iter().max().expect("20") as u32);
        assert!((least - 8..=most).contains(&rtt.min_ns) && (least - 8..=most).contains(&rtt.last_ns), "{rtt:?}, {least} to {most}");
    }
}

/// Segments that are longer than their flow's bound leave whole, and none before the one in front
/// of it is answered.
#[test]
fn a_segment_longer_than_its_bound_ends() {
    for nic in nics() {
        const PACKETS: u32 = 6;
        let bounded = Parameters { outstanding_bytes: 3000, timeout_us: 0.0, ..fixed(5000.0) };
        let mut board = prepared(nic.library(), OPENNIC, &Setup { profiles: vec![bounded], flows: vec![(7, 0)], bound: 400, lead: 0 }, 1);
        for n in 0..4 * PACKETS {
            let flags = if n % PACKETS == 0 { FIRST } else { 0 } | if n % PACKETS == PACKETS - 1 { LAST } else { 0 };
            board.send(HOST, data(7, n / PACKETS, flags, 1514, true), beside(1514, 1));
        }
        for segment in 0..4 {
            let mut sent = Vec::new();
            for _ in 0..8000 {
                board.tick();
                sent.extend(board.take(WIRE).into_iter().map(|f| f.bytes));
            }
            let header = |f: &Vec<u8>| Header::read(f[42..90].try_into().expect("48 bytes"));
            assert_eq!(sent.len(), PACKETS as usize, "packets until segment {segment} is answered");
            assert!(sent.iter().all(|f| header(f).segment == segment) && header(&sent[PACKETS as usize - 1]).flags & LAST != 0);
            let ack = answer(&sent[PACKETS as usize - 1], 0, 0);
            let meta = beside(ack.len(), 0x40);
            board.send(WIRE, ack, meta);
        }
    }
}

/// 1,000 flows of 1 Mb/s that flood the store, and one of 20 Gb/s between them: it keeps its rate.
#[test]
fn a_fast_flow_keeps_its_rate_among_a_thousand_slow_ones() {
    for nic in nics() {
        const FAST: u32 = 1023;
        const CLOCKS: u64 = 60_000;
        let flows: Vec<(u32, u8)> = (0..1000).map(|f| (f, 0)).chain([(FAST, 1)]).collect();
        let mut board =
            prepared(nic.library(), OPENNIC, &Setup { profiles: vec![fixed(1.0), fixed(20_000.0)], flows, bound: 13, lead: 0 }, 1);
        let (mut n, mut inside, end) = (0, 0, board.clk() + CLOCKS);
        let (mut fast, mut slow) = (Vec::new(), 0);
        while board.clk() < end {
            if board.waiting(HOST) < 2 {
                // Every other packet is the fast flow's while it has fewer than three inside: one
                // may be on its way in, and one on its way out.
                let flow = if n % 2 == 0 && inside < 3 { FAST } else { n % 1000 };
                inside += usize::from(flow == FAST);
                let bytes = if flow == FAST { 1514 } else { 300 };
                board.send(HOST, data(flow, n, FIRST | LAST, bytes, true), beside(bytes, 1));
                n += 1;
            }
            board.tick();
            for f in board.take(WIRE) {
                if flow_of(&f.bytes, nic.flows()) == Some(FAST) {
                    fast.push(f.clocks.0);
                    inside -= 1;
                } else {
                    slow += 1;
                }
            }
        }
        let refused = counter(&mut board, Counter::PacketsRefused);
        let from = fast.len() / 4;
        let gbps = (fast.len() - 1 - from) as f64 * 1538.0 * 8.0 / ((fast[fast.len() - 1] - fast[from]) as f64 * 4.0);
        println!("{gbps:.3} Gb/s of 20 beside 1,000 slow flows; {slow} packets of theirs left, {refused} were refused");
        assert!((gbps / 20.0 - 1.0).abs() < 0.01, "{gbps} Gb/s");
        assert!(refused > 1000 && slow >= 900, "{refused} refused, {slow} left: the slow flows do not flood the store");
    }
}

/// A host that takes nothing for ever: every segment is answered and every ACK heard, and when it
/// takes again, what comes is whole, and what does not was counted.
#[test]
fn a_host_that_stops_holds_nothing_up() {
    for nic in nics() {
        const SEGMENTS: u32 = 100;
        let mut board =
            prepared(nic.library(), OPENNIC, &Setup { profiles: vec![fixed(5000.0)], flows: vec![(7, 0)], bound: 400, lead: 0 }, 1);
        board.weather(&[1.0, 1.0], &[0.0, 1.0]);
        let (mut acks, mut echoed) = (0, VecDeque::new());
        for clk in 0..200 * SEGMENTS {
            if clk % 200 == 0 {
                let n = clk / 200;
                let theirs = data(n, n, FIRST | LAST, 1514, false);
                let meta = beside(theirs.len(), 0x40);
                board.send(WIRE, theirs, meta);
                board.send(HOST, data(7, n, FIRST | LAST, 256, true), beside(256, 1));
            }
            board.tick();
            for f in board.take(WIRE) {
                if is_ack(&f.bytes) {
                    acks += 1;
                } else {
                    echoed.push_back((board.clk() + 100, answer(&f.bytes, 0, 0)));
                }
            }
            if let Some((_, ack)) = echoed.pop_front_if(|e| e.0 <= board.clk()) {
                let meta = beside(ack.len(), 0x40);
                board.send(WIRE, ack, meta);
            }
        }
        for _ in 0..5000 {
            board.tick();
            acks += board.take(WIRE).iter().filter(|f| is_ack(&f.bytes)).count() as u32;
        }
        let told = with(&mut board, |d| TelemetryRecord::from_words(&d.query_flow(7).expect("an answer")));
        println!("{acks} of {SEGMENTS} segments answered, {} RTTs of {} segments", told.samples, told.segments);
        assert_eq!((acks, told.segments, told.samples), (SEGMENTS, SEGMENTS, SEGMENTS));
        assert!(board.take(HOST).is_empty(), "the host took something");
        board.weather(&[1.0, 1.0], &[1.0, 1.0]);
        for _ in 0..2000 {
            board.tick();
        }
        let whole = board.take(HOST);
        assert!(whole.len() > 10 && whole.iter().all(|f| f.bytes.len() == 1514 || f.bytes.len() == 90), "{} frames", whole.len());
        assert_eq!(counter(&mut board, Counter::PacketsDiscarded) + whole.len() as u32, 2 * SEGMENTS);
    }
}

/// A packet with a flow's number and another's addresses is none of the flow's: it leaves at once,
/// unpaced, and is counted.
#[test]
fn a_flow_number_alone_takes_no_queue() {
    for nic in nics() {
        let mut board =
            prepared(nic.library(), OPENNIC, &Setup { profiles: vec![fixed(10.0)], flows: vec![(3, 0)], bound: 400, lead: 0 }, 1);
        // The bucket is empty after the first few of the flow's own.
        for n in 0..40 {
            board.send(HOST, data(3, n, FIRST | LAST, 1514, true), beside(1514, 1));
        }
        for _ in 0..5000 {
            board.tick();
        }
        let before = board.take(WIRE).len();
        // Frames with another source address, and with another destination.
        for at in [26, 30] {
            let mut frame = data(3, 99, FIRST | LAST, 1514, true);
            frame[at + 3] ^= 0x40;
            // The IPv4 header's checksum with it.
            let sum = u16::from_be_bytes([frame[24], frame[25]]);
            let off = i32::from(frame[at + 3]) - i32::from(frame[at + 3] ^ 0x40);
            let mended = (i32::from(sum) - off).rem_euclid(0xffff) as u16;
            frame[24..26].copy_from_slice(&mended.to_be_bytes());
            board.send(HOST, frame.clone(), beside(1514, 1));
            for _ in 0..500 {
                board.tick();
            }
            let left = board.take(WIRE);
            assert!(left.iter().any(|f| f.bytes == frame), "byte {at}: it waits with the flow's; {before} of those left");
        }
        assert_eq!(counter(&mut board, Counter::PacketsRefused), 2);
    }
}

/// A flow that is sent more than its bound: its packets are dropped, or with `STORE_WAIT` the
/// host's stream waits and none is; another flow's packet then waits too, and leaves.
#[test]
fn a_full_store_drops_or_waits() {
    for nic in nics() {
        for wait in [0, 1] {
            let mut board = prepared(
                nic.library(),
                OPENNIC,
                &Setup { profiles: vec![fixed(10_000.0)], flows: vec![(3, 0), (5, 0)], bound: 13, lead: 0 },
                1,
            );
            with(&mut board, |d| d.write(&port::STORE_WAIT, wait).expect("a register"));
            for n in 0..100 {
                board.send(HOST, data(3, n, FIRST | LAST, 1514, true), beside(1514, 1));
            }
            board.send(HOST, data(5, 0, FIRST | LAST, 1514, true), beside(1514, 1));
            let mut left = [0; 2];
            let mut at = [0; 2];
            for clk in 0..60_000 {
                board.tick();
                for f in board.take(WIRE) {
                    let of = usize::from(flow_of(&f.bytes, nic.flows()) == Some(5));
                    (left[of], at[of]) = (left[of] + 1, clk);
                }
            }
            let refused = counter(&mut board, Counter::PacketsRefused);
            println!("wait {wait}: {left:?} left, the last at clocks {at:?}, {refused} refused");
            assert_eq!(left[0] + refused, 100);
            assert_eq!(left[1], 1);
            if wait == 1 {
                // 100 packets of 1538 bytes at 10 Gb/s are 30,760 clocks; the store holds a few
                // when the last comes in.
                assert!(refused == 0 && at[1] > 25_000, "it did not wait");
            } else {
                assert!(refused > 80 && at[1] < 4000, "it waited");
            }
        }
    }
}

/// A pause frame at an oversubscribed 10 Gb/s port, PAUSE or PFC: at most two frames and 1 us of
/// the line leave behind its last byte, packets being long or short; then it goes on, and is
/// counted.
#[test]
fn a_pause_frame_stops_what_is_decided() {
    for nic in nics() {
        // 400 quanta of 51.2 ns are 5,120 clocks. PFC of priority 0, which is the flows'.
        for (what, frame, length) in [
            ("PAUSE", pause(400), 1514),
            ("PFC", pfc(0, 400), 1514),
            ("PFC", pfc(0, 400), 300),
            ("PFC", pfc(0, 400), 90),
            ("PFC", pfc(0, 400), 9014),
        ] {
            let most = 2 * (length + 24) + 1250;
            let flows = (0..8).map(|f| (f, 0)).collect();
            let mut board = prepared(nic.library(), OPENNIC, &Setup { profiles: vec![fixed(5000.0)], flows, bound: 60, lead: 0 }, 1);
            with(&mut board, |d| {
                d.write(&port::PAUSE, 5 << 1 | 1).expect("a register");
            });
            board.weather(&[1.0, 1.0], &[1.0, 0.08]);
            let (mut n, mut sent) = (0, Vec::new());
            let mut run = |board: &mut timely_tests::board::Board, clocks: u64| {
                for _ in 0..clocks {
                    if board.waiting(HOST) < 3 {
                        board.send(HOST, data(n % 8, n, FIRST | LAST, length, true), beside(length, 1));
                        n += 1;
                    }
                    board.tick();
                }
                sent.extend(board.take(WIRE).into_iter().map(|f| (f.clocks, f.bytes.len() + 24)));
                sent.clone()
            };
            run(&mut board, 30_000);
            let is_pfc = frame[14] != 0;
            board.send(WIRE, frame, beside(60, 0x40));
            let mut from = board.clk();
            while board.waiting(WIRE) > 0 {
                run(&mut board, 1);
                from = board.clk();
            }
            let all = run(&mut board, 5000);
            let behind: Vec<usize> = all.iter().filter(|((_, last), _)| *last > from).map(|f| f.1).collect();
            let bytes: usize = behind.iter().sum();
            let before = all.len();
            println!("{what}, frames of {length} bytes: {} frames, {bytes} bytes leave behind it", behind.len());
            // Of 150 KB that the line carries in 30,000 clocks.
            assert!(
                before > if length > 2000 { 10 } else { 50 } && bytes <= most,
                "{what}, frames of {length} bytes: {bytes} bytes in {behind:?}"
            );
            let counted = [Counter::PauseFrames, Counter::PfcFrames].map(|c| counter(&mut board, c));
            assert_eq!(counted, if is_pfc { [0, 1] } else { [1, 0] }, "{what}: frames that are counted");
            // 24 KB are what the line carries behind the pause's end.
            let again = if length > 2000 { 1 } else { 8 };
            assert!(run(&mut board, 5000).len() > before + again, "{what}, frames of {length} bytes: it does not go on");
        }
    }
}
