//! A port of taxi's NIC: other people's frames whole and completed once, ours paced, ACKs put
//! between, round trips by the MAC's stamps, registers in the upper half of the NIC's own.
use super::inline::*;
use rand::Rng;
use std::collections::{HashMap, VecDeque};
use std::path::Path;
use std::sync::{Arc, OnceLock};
use timely_hw::config::{CLOCK_PS, Config};
use timely_hw::emit::PREFIX;
use timely_hw::shells::{Extras, Shell};
use timely_regs::counters::Counter;
use timely_regs::map::{MAGIC, id, port};
use timely_regs::telemetry::TelemetryRecord;
use timely_regs::wire::{FIRST, LAST};
use timely_tests::bench::answer;
use timely_tests::board::{Board, HOST, Shape, WIRE, taxi_board};
use timely_tests::flat::taxi_adapter;
use timely_tests::frames::{Fault, class, pfc, with_its_place};
use timely_tests::nic::PORT;
use timely_tests::{rng, seeds, thorough};
use timely_verilate::{Library, Options, build, mutant};

const FLOW_BITS: usize = 10;
/// ns of a clock of the bench.
const CLOCK_NS: u64 = CLOCK_PS as u64 / 1000;

/// A NIC with MACs of one width, and how it is told of time.
pub struct Nic {
    bus: usize,
    extras: Extras,
    /// Stamps of the time of day.
    tod: bool,
    pub shape: Shape,
    library: OnceLock<Arc<Library>>,
}

/// [`Nic::adapter`].
pub const ADAPTER: Shape = Shape { base: 0, ..shape(64) };

const fn shape(bits: usize) -> Shape {
    Shape { bits, sources: &["host", "rx"], sinks: &["up", "tx"], resets: &["rst_n"], base: 0x80_0000, netfpga: false }
}

const NONE: Extras = Extras { generator: false, roce: false };

const PAIRS: Extras = Extras { generator: false, roce: true };

/// The form with queue pairs.
pub static ROCE: [Nic; 2] = [
    Nic { bus: 64, extras: PAIRS, tod: false, shape: shape(64), library: OnceLock::new() },
    Nic { bus: 512, extras: PAIRS, tod: true, shape: shape(512), library: OnceLock::new() },
];

static NICS: [Nic; 2] = [
    Nic { bus: 64, extras: NONE, tod: false, shape: shape(64), library: OnceLock::new() },
    Nic { bus: 512, extras: NONE, tod: true, shape: shape(512), library: OnceLock::new() },
];

impl Nic {
    pub fn library(&self) -> &Arc<Library> {
        self.library.get_or_init(|| {
            let shells = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/shells");
            let [stubs, board] = ["taxi_stubs.sv", "taxi_board.sv"].map(|f| std::fs::read_to_string(shells.join(f)).expect("a file"));
            let board = taxi_board(&board, self.bus).replace("TOD = 1'b0", &format!("TOD = 1'b{}", u8::from(self.tod)));
            let config = Config::new(self.bus, FLOW_BITS).expect("a configuration that is built");
            let files = Shell::Taxi.emit_with(config, CLOCK_PS, self.extras).unwrap_or_else(|e| panic!("emission: {e}"));
            let verilog = ["`define TIMELY_RX_PFC\n".into(), stubs, board, files[1].text.clone(), files[0].text.clone()].concat();
            let form = if self.extras.roce { "_roce" } else { "" };
            build(&format!("taxi{form}_{}", self.bus), &verilog, "board", Options::default()).unwrap_or_else(|e| panic!("{e}"))
        })
    }

    /// The adapter of 64 bits alone on a bench without interfaces, around a stub of the in-line
    /// core, or around the core.
    pub fn adapter(core: bool) -> Arc<Library> {
        let shells = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/shells");
        let [stubs, board, stub] =
            ["taxi_stubs.sv", "taxi_flat_board.v", "taxi_inline_stub.v"].map(|f| std::fs::read_to_string(shells.join(f)).expect("a file"));
        let (_, leaf) = stubs.split_once("// 4 ns a clock").expect("the stub of a PTP leaf");
        let (leaf, _) = leaf.split_once("endmodule").expect("its end");
        let config = Config::new(64, FLOW_BITS).expect("a configuration that is built");
        let files = Shell::Taxi.emit(config, CLOCK_PS).unwrap_or_else(|e| panic!("emission: {e}"));
        let adapter = taxi_adapter(&files[0].text, 64);
        // The adapter's own modules end where what is emitted begins.
        let (own, _) = adapter.split_once(&format!("module {PREFIX}taxi_inline")).expect("the core");
        let [around, inside] = if core { [adapter.as_str(), ""] } else { [own, stub.as_str()] };
        let name = if core { "taxi_flat" } else { "taxi_flat_stub" };
        let verilog = mutant::text(name, || [board.as_str(), "//", leaf, "endmodule\n", around, inside].concat());
        build(name, &verilog, "board", Options::default()).unwrap_or_else(|e| panic!("{e}"))
    }

    fn prepared(&self, setup: &Setup, seed: u64) -> Board {
        prepared(self.library(), self.shape, setup, seed)
    }

    /// A number that the bench counts.
    pub fn told(&self, board: &Board, what: &str) -> u64 {
        board.dut().get(self.library().output(what))
    }
}

/// NICs whose behaviour a run tests: in an ordinary one that of 512 bits and times of day, for the
/// other's adapter is run in four states.
pub fn nics() -> impl Iterator<Item = &'static Nic> {
    let quick = left_out("nic::taxi");
    NICS.iter().filter(move |n| !quick && (n.bus == 512 || thorough()))
}

/// A frame of RoCEv2 as far as a NIC that is none looks: UDP to port 4791 over IPv4.
fn roce(rng: &mut impl Rng, bytes: usize) -> Vec<u8> {
    let mut frame = data(0, 0, FIRST | LAST, bytes.max(90), true);
    frame[36..38].copy_from_slice(&4791u16.to_be_bytes());
    rng.fill(&mut frame[42..]);
    frame
}

/// Frames of every kind both ways, in gaps and stalls: each leaves once, byte for byte, in its
/// order, without a gap at the MAC; each is completed once under its tag; bad frames of the wire
/// end at the port; every segment is answered.
#[test]
fn frames_pass_whole_and_are_completed_once() {
    for nic in nics() {
        for seed in seeds() {
            let mut rng = rng(seed ^ 11);
            let flows: Vec<(u32, u8)> = (0..8).map(|f| (f, 0)).collect();
            let mut board = nic.prepared(&Setup { profiles: vec![fixed(100_000.0)], flows, bound: 2000, lead: 0 }, seed);
            let mut past: VecDeque<Vec<u8>> = VecDeque::new();
            let mut paced: HashMap<u32, VecDeque<Vec<u8>>> = HashMap::new();
            let (mut up, mut answers, mut tags, mut sent_frames) = (VecDeque::new(), 0, 0, 0);
            for n in 0..400u32 {
                let frame = match n % 4 {
                    0 | 1 => data(rng.random_range(0..9), n, FIRST | LAST, [90, 128, 129, 1514, 9000][rng.random_range(0..5)], true),
                    2 => {
                        let bytes = rng.random_range(90..1600);
                        roce(&mut rng, bytes)
                    }
                    _ => {
                        let class = class(&mut rng);
                        Fault::ALL[rng.random_range(0..Fault::ALL.len())].frame(&mut rng, class, PORT)
                    }
                };
                let frame = if n == 200 { vec![0; 9800] } else { frame };
                match flow_of(&frame, 1 << FLOW_BITS).filter(|_| n != 200) {
                    Some(0..8) if !names_its_addresses(&frame) => past.push_back(frame.clone()),
                    Some(flow @ 0..8) => paced.entry(flow).or_default().push_back(frame.clone()),
                    None if n != 200 => past.push_back(frame.clone()),
                    _ => {}
                }
                let tag = rng.random::<u8>();
                tags += u64::from(tag);
                sent_frames += 1;
                board.send(HOST, frame, tag.into());
                let bad = rng.random_bool(0.1);
                let ours = rng.random_bool(0.3);
                let frame = if ours { data(n, n, FIRST | LAST, 200, false) } else { vec![n as u8; rng.random_range(60..2000)] };
                answers += u32::from(ours && !bad);
                if !bad {
                    up.push_back(frame.clone());
                }
                board.send(WIRE, frame, bad.into());
            }
            let (mut acks, mut quiet) = (0, 0);
            while quiet < 5000 {
                if board.clk().is_multiple_of(2000) {
                    let level = |r: &mut dyn rand::RngCore| [0.3, 0.8, 1.0][r.random_range(0..3)];
                    board.weather(&[level(&mut rng), 0.8], &[1.0, level(&mut rng)]);
                }
                board.tick();
                let (sent, risen) = (board.take(WIRE), board.take(HOST));
                quiet = if sent.is_empty() && risen.is_empty() && board.waiting(HOST) + board.waiting(WIRE) == 0 { quiet + 1 } else { 0 };
                for frame in risen {
                    assert!(up.pop_front() == Some(frame.bytes), "a frame to the host is not the one that was due, seed {seed}");
                }
                for frame in sent {
                    if is_ack(&frame.bytes) {
                        acks += 1;
                        continue;
                    }
                    let queue = match flow_of(&frame.bytes, 1 << FLOW_BITS).filter(|_| names_its_addresses(&frame.bytes)) {
                        Some(flow) => paced.get_mut(&flow).unwrap_or_else(|| panic!("flow {flow} is not enabled")),
                        None => &mut past,
                    };
                    let expected = queue.pop_front().map(|f| with_its_place(&f, &frame.bytes, PORT));
                    assert!(expected == Some(frame.bytes), "a frame is not the one that was due, seed {seed}");
                }
            }
            assert!(up.is_empty() && past.is_empty() && paced.values().all(VecDeque::is_empty), "frames are lost, seed {seed}");
            let lost = counter(&mut board, Counter::AcksDropped) + counter(&mut board, Counter::AckShareExceeded);
            assert_eq!(acks + lost, answers, "answers, seed {seed}");
            let told = ["cpl_count", "cpl_tags", "gaps"].map(|what| nic.told(&board, what));
            assert_eq!(told, [sent_frames, tags, 0], "completions, their tags' sum, gaps, seed {seed}");
            println!("{} bits: {acks} ACKs, {lost} not sent, {} completions", nic.bus, told[0]);
        }
    }
}

/// Registers of ours in the upper half of the NIC's own addresses, the NIC core's below, and DECERR
/// where there is neither.
#[test]
fn registers_are_reached_beside_the_nic_cores() {
    for nic in nics() {
        let mut board = nic.prepared(&Setup { profiles: vec![fixed(1000.0)], flows: vec![], bound: 100, lead: 0 }, 1);
        with(&mut board, |d| {
            assert_eq!((d.read(&id::MAGIC_WORD).expect("a register"), d.flows()), (MAGIC, 1 << FLOW_BITS));
            assert_eq!(d.build().bus_bits, if nic.bus == 512 { 512 } else { 256 });
        });
        let mut core = Shape { base: 0, ..nic.shape };
        let mut board = Board::new(nic.library(), core, rng(1));
        assert_eq!(raw(&mut board, 0x0001_2340), Ok(0x0001_2340), "the NIC core reads as its addresses");
        core.base = 0x80_0000;
        let mut board = Board::new(nic.library(), core, rng(1));
        let refused = raw(&mut board, 0x0001_0000).expect_err("port 1 is not ours");
        assert!(refused.contains("decode error"), "{refused}");
    }
}

fn raw(board: &mut Board, at: u32) -> Result<u32, String> {
    use timely_regs::device::Bus;
    timely_tests::board::Registers(board.into()).read32(at).map_err(|e| e.to_string())
}

/// Two flows of law `fixed` leave at 1 and at 3 Gb/s.
#[test]
fn two_flows_leave_at_their_rates() {
    for nic in nics() {
        let rates = [1000.0, 3000.0];
        let setup = Setup { profiles: rates.map(fixed).into(), flows: vec![(1, 0), (2, 1)], bound: 400, lead: 0 };
        let mut board = nic.prepared(&setup, 1);
        let (mut clocks, mut inside) = ([vec![], vec![]], [0, 0]);
        let end = board.clk() + 60_000;
        while board.clk() < end {
            for flow in 0..2 {
                if inside[flow] < 4 {
                    board.send(HOST, data(flow as u32 + 1, clocks[flow].len() as u32, FIRST | LAST, 1514, true), 0);
                    inside[flow] += 1;
                }
            }
            board.tick();
            for f in board.take(WIRE) {
                let flow = flow_of(&f.bytes, 3).expect("a data frame") as usize - 1;
                clocks[flow].push(f.clocks.0);
                inside[flow] -= 1;
            }
        }
        for (clocks, mbps) in clocks.iter().zip(rates) {
            // The first few leave while the bucket is full.
            let clocks = &clocks[3..];
            let told = (clocks.len() - 1) as f64 * 1538.0 * 8000.0 / ((clocks[clocks.len() - 1] - clocks[0]) * CLOCK_NS) as f64;
            println!("{} bits: {told:.1} Mb/s of {mbps}, {} packets", nic.bus, clocks.len());
            assert!((told / mbps - 1.0).abs() < 0.01, "{told} Mb/s of {mbps}");
        }
    }
}

/// A round trip lasts from the MAC's stamp of a departure to that of the ACK's arrival, however
/// long frames wait for the MAC; what the NIC core is told of a frame that passes is the MAC's
/// stamp too.
#[test]
fn round_trips_are_the_macs() {
    for nic in nics() {
        const TRIP: u64 = 4000;
        let mut board = nic.prepared(&Setup { profiles: vec![fixed(100_000.0)], flows: vec![(7, 0)], bound: 400, lead: 0 }, 1);
        board.weather(&[1.0, 1.0], &[1.0, 0.2]);
        for n in 0..30 {
            board.send(HOST, data(7, n, FIRST | LAST, 1514, true), 0);
        }
        let (mut due, mut waited): (VecDeque<(u64, Vec<u8>)>, usize) = (VecDeque::new(), 0);
        for _ in 0..80_000 {
            board.tick();
            for f in board.take(WIRE) {
                due.push_back((f.clocks.0 + TRIP, answer(&f.bytes, 0, 0)));
            }
            if due.front().is_some_and(|d| d.0 <= board.clk()) {
                waited += usize::from(due.front().is_some_and(|d| d.0 < board.clk()));
                let (_, ack) = due.pop_front().expect("there is a front");
                board.send(WIRE, ack, 0);
            }
        }
        let told = with(&mut board, |d| TelemetryRecord::from_words(&d.query_flow(7).expect("an answer")));
        assert_eq!((told.samples, told.segments, waited), (30, 30, 0));
        let rtt = told.rtt.expect("round trips");
        // The frame's wire time at 100 Gb/s, which the law leaves out.
        let expected = (TRIP * CLOCK_NS) as i64 - (1538.0 * 8.0 / 100.0) as i64;
        println!("{} bits: {rtt:?}, {expected} ns expected", nic.bus);
        for ns in [rtt.min_ns, rtt.last_ns] {
            assert!((i64::from(ns) - expected).abs() <= 8, "{rtt:?}, {expected} ns expected");
        }

        // A frame that passes: its completion has the clock of its first beat.
        let before = nic.told(&board, "cpl_count");
        let mut foreign = data(7, 0, FIRST | LAST, 128, true);
        foreign[12] = 0x90;
        board.weather(&[1.0, 1.0], &[1.0, 1.0]);
        let mut stamps = vec![];
        for tag in [0x5a, 0xa5] {
            board.send(HOST, foreign.clone(), tag);
            let mut left = None;
            for _ in 0..500 {
                board.tick();
                left = left.or(board.take(WIRE).front().map(|f| f.clocks.0));
            }
            assert_eq!(nic.told(&board, "cpl_tag"), tag as u64);
            stamps.push((left.expect("it left") * CLOCK_NS, nic.told(&board, "cpl_ns")));
        }
        assert_eq!(nic.told(&board, "cpl_count"), before + 2);
        assert_eq!(stamps[1].0 - stamps[0].0, stamps[1].1 - stamps[0].1, "{stamps:?}");
    }
}

/// Paced packets wait while their priority is paused, and go on behind it: by a PFC frame that the
/// MAC hands on, as the boards' MACs do, with register PAUSE; by the MAC's own word without.
#[test]
fn paused_priorities_wait() {
    for nic in nics().filter(|n| n.bus == 64 || thorough()) {
        let mut board = nic.prepared(&Setup { profiles: vec![fixed(1000.0)], flows: vec![(1, 0)], bound: 400, lead: 0 }, 1);
        let mut n = 0;
        let mut left = |board: &mut Board, clocks: u32| {
            let mut left = 0;
            for _ in 0..clocks {
                if board.waiting(HOST) == 0 && n < left_at_most(board.clk()) {
                    board.send(HOST, data(1, n, FIRST | LAST, 1514, true), 0);
                    n += 1;
                }
                board.tick();
                left += board.take(WIRE).len();
            }
            left
        };
        // 51.2 ns at 10 Gb/s each: 51,200 clocks.
        let pfc = pfc(0, 4000);
        // The flow's priority is 0. What the MAC says comes beside a frame that is bad.
        let said = |priorities: u128| priorities << 8 | 0b11;
        let before = left(&mut board, 20_000);
        board.send(WIRE, vec![0; 60], said(0xfe));
        let others = left(&mut board, 20_000);
        board.send(WIRE, vec![0; 60], said(0x01));
        left(&mut board, 1000);
        let by_the_mac = left(&mut board, 20_000);
        board.send(WIRE, vec![0; 60], said(0));
        board.send(WIRE, pfc.clone(), 0);
        let again = left(&mut board, 20_000);
        with(&mut board, |d| d.write(&port::PAUSE, 1).expect("a register"));
        board.send(WIRE, pfc, 0);
        left(&mut board, 1000);
        let by_a_frame = left(&mut board, 20_000);
        println!(
            "{} bits: {before} packets, {others} beside other priorities, {by_the_mac} and {by_a_frame} while paused, {again} between",
            nic.bus
        );
        assert!([before, others, again].iter().all(|n| *n > 4) && [by_the_mac, by_a_frame] == [0, 0]);
    }
}

/// Packets that are sent by a clock: twice as many as leave.
fn left_at_most(clk: u64) -> u32 {
    (clk / 1500) as u32
}
