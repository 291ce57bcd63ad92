//! NetFPGA's datapath, PLUS's and SUME's: port 0 paced, the others' frames whole and on their ways, tuser and the buses of registers as the shells
//! have them. The ordinary run fits it into its shells; what needs its Verilog compiled runs under `cargo xtask soak`.
use super::inline::*;
use rand::Rng;
use std::collections::{HashMap, VecDeque};
use std::io::{Write, stdout};
use std::ops::RangeInclusive;
use std::path::Path;
use std::process::Command;
use std::sync::{Arc, OnceLock};
use timely_hw::config::Config;
use timely_hw::shells::{File, Shell};
use timely_regs::counters::Counter;
use timely_regs::map::{dma, id, port};
use timely_regs::wire::{FIRST, Header, LAST};
use timely_tests::board::{Access, Board, Frame, HOST, NETFPGA_PLUS, NETFPGA_SUME, Shape, WIRE};
use timely_tests::frames::{Fault, class};
use timely_tests::loopback::PORT;
use timely_tests::{rng, seeds};
use timely_verilate::{Library, Options, build};

/// A shell on its bench.
struct Bench {
    shell: Shell,
    shape: Shape,
    bench: &'static str,
    files: OnceLock<Vec<File>>,
    library: OnceLock<Arc<Library>>,
    /// From a frame's last beat to its first at the wire: past the store, and through it when its flow is idle and may send at once.
    past_clocks: RangeInclusive<u64>,
    paced_clocks: RangeInclusive<u64>,
    /// From a frame's first beat at the wire to its first at the host.
    up_clocks: RangeInclusive<u64>,
    /// Leads, ns, rates, Mb/s, and how far a flow may be off its schedule, clocks.
    pacing: [(u32, f64, f64); 2],
}

static BOTH: [Bench; 2] = [
    Bench {
        shell: Shell::NetFpgaPlus,
        shape: NETFPGA_PLUS,
        bench: include_str!("../shells/netfpga_plus_board.v"),
        files: OnceLock::new(),
        library: OnceLock::new(),
        past_clocks: 16..=17,
        paced_clocks: 76..=81,
        up_clocks: 4..=4,
        pacing: [(0, 40_000.0, 2.0), (200, 10_000.0, 1.0)],
    },
    Bench {
        shell: Shell::NetFpgaSume,
        shape: NETFPGA_SUME,
        bench: include_str!("../shells/netfpga_sume_board.v"),
        files: OnceLock::new(),
        library: OnceLock::new(),
        past_clocks: 16..=17,
        paced_clocks: 76..=81,
        up_clocks: 5..=5,
        pacing: [(0, 9_000.0, 2.0), (300, 4_000.0, 1.0)],
    },
];

impl Bench {
    fn ports(&self) -> usize {
        self.shape.sinks.len() - 1
    }

    fn files(&self) -> &[File] {
        let config = || Config::new(self.shell.bus().expect("its own"), 10).expect("a configuration that is built");
        self.files.get_or_init(|| self.shell.emit(config(), self.shell.clock_ps()).unwrap_or_else(|e| panic!("emission: {e}")))
    }

    fn library(&self) -> &Arc<Library> {
        self.library.get_or_init(|| {
            let verilog = [self.bench, &self.files()[1].text, &self.files()[0].text].concat();
            build(&format!("{}_10", self.shell), &verilog, "board", Options::default()).unwrap_or_else(|e| panic!("{e}"))
        })
    }

    fn prepared(&self, setup: &Setup, seed: u64) -> Board {
        prepared(self.library(), self.shape, setup, seed)
    }
}

/// tuser of a frame of that many bytes: its source as given, a destination that is to be replaced, and bits above that are nobody's.
fn tuser(bytes: usize, source: u8, above: u64) -> u128 {
    bytes as u128 | u128::from(source) << 16 | 0xee << 24 | u128::from(above) << 32
}

/// The same with its destination.
fn towards(meta: u128, destination: u8) -> u128 {
    meta & !(0xff << 24) | u128::from(destination) << 24
}

/// The source of port `n`'s queue at the host.
fn queue(n: usize) -> u8 {
    2 << (2 * n)
}

/// Icarus elaborates our files inside exactly the shell's ports and parameters, and says what is wrong with a shell that they are not for.
#[test]
fn icarus_fits_the_datapath_into_its_shells() {
    let program = std::env::var("IVERILOG").unwrap_or_else(|_| "iverilog".into());
    if Command::new(&program).arg("-V").output().is_err() {
        writeln!(stdout(), "left out: nic::netfpga: the port fit: there is no Icarus Verilog here (Debian: apt-get install iverilog)")
            .expect("stdout");
        return;
    }
    for bench in &BOTH {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{}-{}", bench.shell, std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder");
        let written = |name: &str, text: &str| {
            let path = folder.join(name);
            std::fs::write(&path, text).expect("written");
            path
        };
        let mut sources = vec![written("board.v", bench.bench)];
        sources.extend(bench.files().iter().map(|f| written(&f.path, &f.text)));
        let icarus = |more: &[&str]| {
            let mut c = Command::new(&program);
            c.args(["-g2005", "-Wall", "-Wno-timescale", "-t", "null", "-s", "board"]).args(more).args(&sources);
            let out = c.output().expect("iverilog starts");
            (out.status.success(), String::from_utf8_lossy(&out.stderr).into_owned())
        };
        let (fits, text) = icarus(&[]);
        assert!(fits && text.is_empty(), "{}: {text}", bench.shell);
        let other = format!("needs_streams_of_{}_bits", bench.shape.bits);
        for (parameter, sentence) in [("C_DATA_WIDTH=1024", other.as_str()), ("C_TUSER_WIDTH=64", "needs_a_tuser_of_128_bits")] {
            let (fits, text) = icarus(&[&format!("-Pboard.{parameter}")]);
            assert!(!fits && text.contains(sentence), "{}: {text}", bench.shell);
        }
        std::fs::remove_dir_all(&folder).ok();
    }
}

/// Frames of every kind both ways and of all ports, in gaps and stalls: each comes out once, byte for byte, in its order, where its tuser says; what
/// is not taken is counted; every segment at port 0 is answered there, and none at the others.
#[test]
fn frames_pass_whole_and_once() {
    if left_out("nic::netfpga") {
        return;
    }
    for (bench, seed) in BOTH.iter().flat_map(|b| seeds().into_iter().map(move |s| (b, s))) {
        let (mut rng, ports) = (rng(seed ^ 7), bench.ports());
        let flows: Vec<(u32, u8)> = (0..8).map(|f| (f, 0)).collect();
        let mut board = bench.prepared(&Setup { profiles: vec![fixed(100_000.0)], flows, bound: 1000, lead: 0 }, seed);
        let mut past: Vec<VecDeque<(Vec<u8>, u128)>> = vec![VecDeque::new(); ports];
        let mut paced: HashMap<u32, VecDeque<(Vec<u8>, u128)>> = HashMap::new();
        let mut up: Vec<VecDeque<(Vec<u8>, u128)>> = vec![VecDeque::new(); ports];
        let (mut refused, mut discarded, mut answers) = (0, 0, 0);
        for n in 0..1500u32 {
            let frame = if rng.random_bool(0.5) {
                data(rng.random_range(0..9), n, FIRST | LAST, [90, 128, 129, 1514, 9000][rng.random_range(0..5)], true)
            } else {
                let kind = Fault::ALL[rng.random_range(0..Fault::ALL.len())];
                let class = class(&mut rng);
                kind.frame(&mut rng, class, PORT)
            };
            let to = rng.random_range(0..ports);
            let long = to == 0 && rng.random_bool(0.004);
            let frame = if long { vec![0; 9729 + rng.random_range(0..60_000)] } else { frame };
            // A source that there is, or none, which is port 0's; a port's own bit says nothing.
            let source = if to == 0 && rng.random_bool(0.2) { 0 } else { queue(to) } | if rng.random_bool(0.2) { 0x55 } else { 0 };
            let meta = tuser(frame.len(), source, rng.random());
            match flow_of(&frame) {
                _ if long => discarded += 1,
                Some(flow @ 0..8) if to == 0 => paced.entry(flow).or_default().push_back((frame.clone(), meta)),
                Some(_) if to == 0 => refused += 1,
                _ => past[to].push_back((frame.clone(), meta)),
            }
            board.send(HOST, frame, meta);
            let from = rng.random_range(0..ports);
            let frame = if rng.random_bool(0.3) {
                answers += u32::from(from == 0);
                data(rng.random_range(0..1 << 20), n, LAST, [90, 200, 1514][rng.random_range(0..3)], false)
            } else {
                let mut frame = vec![0; rng.random_range(60..2000)];
                rng.fill(&mut frame[12..]);
                frame
            };
            let meta = tuser(frame.len(), 1 << (2 * from), rng.random());
            up[from].push_back((frame.clone(), towards(meta, queue(from))));
            board.send(WIRE + from, frame, meta);
        }
        let (mut acks, mut quiet, mut skipped) = (0, 0, 0);
        while quiet < 5000 {
            if board.clk().is_multiple_of(2000) {
                let mut levels = || (0..=ports).map(|_| [0.3, 0.8, 1.0][rng.random_range(0..3)]).collect::<Vec<f64>>();
                board.weather(&levels(), &levels());
            }
            board.tick();
            let (sent, risen): (Vec<_>, _) = ((0..ports).map(|n| board.take(WIRE + n)).collect(), board.take(HOST));
            let waits = (0..=ports).any(|n| board.waiting(n) > 0);
            quiet = if sent.iter().all(VecDeque::is_empty) && risen.is_empty() && !waits { quiet + 1 } else { 0 };
            for Frame { bytes, meta, .. } in risen {
                let from = (0..ports).find(|n| meta >> 24 & 0xff == queue(*n).into()).expect("a port's queue");
                assert_eq!(up[from].pop_front(), Some((bytes, meta)), "from port {from}, seed {seed}");
            }
            for (to, frames) in sent.into_iter().enumerate() {
                for Frame { bytes, meta, .. } in frames {
                    if to == 0 && is_ack(&bytes) {
                        acks += 1;
                        assert_eq!(meta, bytes.len() as u128 | 0x0102 << 16, "beside an ACK, seed {seed}");
                        continue;
                    }
                    let queue = match flow_of(&bytes).filter(|_| to == 0) {
                        Some(flow) => paced.get_mut(&flow).unwrap_or_else(|| panic!("flow {flow} is not enabled")),
                        None => &mut past[to],
                    };
                    // Where a port's queue had no room, frames are missing, and counted.
                    let at =
                        queue.iter().position(|f| f.0 == bytes).unwrap_or_else(|| panic!("nobody sent this to port {to}, seed {seed}"));
                    assert!(at == 0 || to > 0, "port {to}: {at} frames are lost, seed {seed}");
                    skipped += at;
                    let (_, beside) = queue.drain(..=at).next_back().expect("it was found");
                    assert_eq!(meta, towards(beside, 1 << (2 * to)), "beside a frame to port {to}, seed {seed}");
                }
            }
        }
        assert!(past[0].is_empty() && paced.values().all(VecDeque::is_empty), "frames are lost, seed {seed}");
        assert!(up.iter().all(VecDeque::is_empty), "frames to the host are lost, seed {seed}");
        discarded += (skipped + past.iter().map(VecDeque::len).sum::<usize>()) as u32;
        let lost = counter(&mut board, Counter::AckDroppedFull);
        assert_eq!(acks + lost, answers, "answers, seed {seed}");
        assert_eq!(
            [Counter::PacketsRefused, Counter::PacketsDiscarded].map(|c| counter(&mut board, c)),
            [refused, discarded],
            "seed {seed}"
        );
        println!("{}: {acks} ACKs, {lost} not sent; {refused} packets refused, {discarded} discarded", bench.shell);
    }
}

/// A port that takes nothing holds up no other, and what it loses is counted; when it takes again, what it kept is whole.
#[test]
fn a_port_that_takes_nothing_holds_up_no_other() {
    if left_out("nic::netfpga") {
        return;
    }
    for bench in &BOTH {
        let ports = bench.ports();
        let mut board = bench.prepared(&Setup { profiles: vec![fixed(100_000.0)], flows: vec![], bound: 100, lead: 0 }, 1);
        let mut takes = vec![1.0; ports + 1];
        takes[WIRE + 1] = 0.0;
        board.weather(&vec![1.0; ports + 1], &takes);
        let (mut sent, mut rng) = (vec![0; ports], rng(3));
        for _ in 0..400 {
            let to = rng.random_range(0..ports);
            sent[to] += 1;
            let frame = vec![sent[to] as u8; [60, 300, 1514][rng.random_range(0..3)]];
            let meta = tuser(frame.len(), queue(to), 0);
            board.send(HOST, frame, meta);
        }
        let mut got = vec![0; ports];
        for clk in 0..40_000 {
            board.tick();
            for (n, got) in got.iter_mut().enumerate() {
                assert!(board.waiting(HOST) > 0 || clk < 20_000 || n != 1 || *got == 0, "{}: port 1 took something", bench.shell);
                *got += board.take(WIRE + n).len();
            }
        }
        assert!(got.iter().zip(&sent).enumerate().all(|(n, (g, s))| if n == 1 { *g == 0 } else { g == s }), "{got:?} of {sent:?}");
        board.weather(&vec![1.0; ports + 1], &vec![1.0; ports + 1]);
        let mut last = 0;
        for _ in 0..5000 {
            board.tick();
            for f in board.take(WIRE + 1) {
                assert!(f.bytes.iter().all(|b| *b == f.bytes[0]) && f.bytes[0] > last, "{}: out of its order", bench.shell);
                (last, got[1]) = (f.bytes[0], got[1] + 1);
            }
        }
        let lost = counter(&mut board, Counter::PacketsDiscarded);
        println!("{}: port 1 kept {} frames of {}", bench.shell, got[1], sent[1]);
        assert!(lost > 0 && got[1] > 3 && lost as usize + got[1] == sent[1], "{lost} lost, {} kept, of {}", got[1], sent[1]);
    }
}

/// Registers by their bus, whole words alone; the other buses refuse; DMA ends with an error, and nothing hangs.
#[test]
fn registers_are_reached_by_the_first_bus_alone() {
    if left_out("nic::netfpga") {
        return;
    }
    for bench in &BOTH {
        let mut board = bench.prepared(&Setup { profiles: vec![fixed(1000.0)], flows: vec![], bound: 100, lead: 0 }, 1);
        with(&mut board, |d| {
            assert_eq!((d.build().bus_bits as usize, d.flows(), d.build().clock_ps), (bench.shape.bits, 1024, bench.shell.clock_ps()));
            let access = |bus, strobes| d.bus().0.borrow_mut().access = Access { bus, strobes };
            for strobes in [0b0001, 0b1100, 0b0111, 0] {
                access(0, strobes);
                let part = d.write(&port::STORE_BOUND, 7);
                assert!(format!("{part:?}").contains("slave error"), "strobes {strobes:#b}: {part:?}");
            }
            access(0, 0xf);
            assert_eq!(d.read(&port::STORE_BOUND).expect("a register"), 100, "a part of it was written");
            for bus in [1, 2] {
                access(bus, 0xf);
                let (read, written) = (d.read(&id::MAGIC_WORD), d.write(&port::STORE_BOUND, 7));
                assert!(
                    [format!("{read:?}"), format!("{written:?}")].iter().all(|e| e.contains("decode error")),
                    "bus {bus}: {read:?}, {written:?}"
                );
            }
            access(0, 0xf);
            assert_eq!(d.read(&port::STORE_BOUND).expect("a register"), 100);
            d.start_dma().expect("a register");
            let ended = d.snapshot(&Nowhere, 0, 4);
            assert!(matches!(ended, Err(timely_regs::device::Error::Dma { code, .. }) if code == dma::Code::Memory as u32), "{ended:?}");
            d.stop_dma().expect("nothing is in flight");
        });
    }
}

/// Clocks from a frame's last beat to its first at the other side, past the store and through it, and from its first at the wire to that at the host.
#[test]
fn latencies_are_those_that_are_promised() {
    if left_out("nic::netfpga") {
        return;
    }
    for bench in &BOTH {
        let mut board = bench.prepared(&Setup { profiles: vec![fixed(100_000.0)], flows: vec![(3, 0)], bound: 400, lead: 0 }, 1);
        let mut foreign = data(3, 0, 0, 128, true);
        foreign[12] = 0x90;
        for (from, to, frame, promised) in [
            (HOST, WIRE, foreign.clone(), &bench.past_clocks),
            (HOST, WIRE, data(3, 1, LAST, 128, true), &bench.paced_clocks),
            (WIRE, HOST, foreign, &bench.up_clocks),
        ] {
            let meta = tuser(frame.len(), if from == HOST { queue(0) } else { 1 }, 0);
            let beats = if from == HOST { frame.len() * 8 / bench.shape.bits } else { 1 };
            let last = board.clk() + beats as u64 - 1;
            board.send(from, frame, meta);
            for _ in 0..500 {
                board.tick();
            }
            let clocks = board.take(to).front().expect("it came through").clocks.0 - last;
            println!("{}: from {from} to {to}: {clocks} clocks", bench.shell);
            assert!(promised.contains(&clocks), "{clocks} clocks, {promised:?} promised");
        }
    }
}

/// A flow of law `fixed` leaves on its schedule, measured at port 0: to two clocks, and exactly when it is granted ahead.
#[test]
fn pacing_holds_at_the_output() {
    if left_out("nic::netfpga") {
        return;
    }
    println!("       shell  lead ns      Mb/s   packets   late by at most, clocks   early, clocks   rate error, ppm");
    for (bench, (lead, mbps, most)) in BOTH.iter().flat_map(|b| b.pacing.into_iter().map(move |p| (b, p))) {
        let mut board = bench.prepared(&Setup { profiles: vec![fixed(mbps)], flows: vec![(3, 0)], bound: 400, lead }, 1);
        let all = departures(&mut board, 3, 1514, tuser(1514, queue(0), 0), 40_000);
        let gap = 1538.0 * 8000.0 / mbps * 1000.0 / f64::from(bench.shell.clock_ps());
        // The first few leave while the bucket is full.
        let out = &all[all.len() / 4..];
        let offs: Vec<f64> = out.iter().enumerate().map(|(k, d)| (d - out[0]) as f64 - k as f64 * gap).collect();
        let (late, early) = offs.iter().fold((0f64, 0f64), |(l, e), o| (l.max(*o), e.max(-o)));
        let n = out.len() - 1;
        let ppm = (n as f64 * gap / (out[n] - out[0]) as f64 - 1.0) * 1e6;
        println!("{:>12} {lead:8} {mbps:9.0} {:9} {late:25.3} {early:15.3} {ppm:17.1}", bench.shell.to_string(), out.len());
        assert!(out.len() > 40 && late <= most && early <= most, "{late} clocks late, {early} early at {mbps} Mb/s with lead {lead}");
    }
}

/// A peer answers: its ACKs go up to the host as well, and a round trip is measured.
#[test]
fn round_trips_are_measured() {
    if left_out("nic::netfpga") {
        return;
    }
    const DELAY: u64 = 500;
    for bench in &BOTH {
        let mut board = bench.prepared(&Setup { profiles: vec![fixed(5000.0)], flows: vec![(7, 0)], bound: 400, lead: 0 }, 1);
        for n in 0..20 {
            board.send(HOST, data(7, n, FIRST | LAST, 1514, true), tuser(1514, queue(0), 0));
        }
        let mut due: VecDeque<(u64, Vec<u8>)> = VecDeque::new();
        for _ in 0..40_000 {
            board.tick();
            for f in board.take(WIRE) {
                let header = Header::read(f.bytes[42..90].try_into().expect("48 bytes"));
                assert_eq!(header.flow, 7);
                due.push_back((f.clocks.1 + DELAY, timely_tests::bench::answer(&f.bytes, 0, 0)));
            }
            if due.front().is_some_and(|d| d.0 <= board.clk()) {
                let (_, ack) = due.pop_front().expect("there is a front");
                let meta = tuser(ack.len(), 1, 0);
                board.send(WIRE, ack, meta);
            }
        }
        let up = board.take(HOST).len();
        let told = with(&mut board, |d| timely_regs::telemetry::TelemetryRecord::from_words(&d.query_flow(7).expect("an answer")));
        println!("{}: {told:?}", bench.shell);
        assert_eq!((up, told.samples, told.segments, told.packets), (20, 20, 20, 20));
        let least = (DELAY as u32 - 40) * bench.shell.clock_ps() / 1000;
        let rtt = told.rtt.expect("round trips");
        assert!((least..least + 120 * bench.shell.clock_ps() / 1000).contains(&rtt.min_ns), "{rtt:?}, at least {least}");
    }
}
