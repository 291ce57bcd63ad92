//! Shells of OpenNIC, NetFPGA and taxi with queue pairs: a stock RDMA host's frames whole, its
//! requests paced, round trips by the ACKs that any RDMA NIC sends. The Verilog of the core is held
//! to its model by `inline`; the shells around it run under `cargo xtask soak`, and with
//! TIMELY_CYCLES=200001.
use super::inline::*;
use super::netfpga::tuser;
use super::opennic::{beside, compiled, icarus_fits};
use super::taxi;
use rand::Rng;
use std::collections::VecDeque;
use std::net::{IpAddr, Ipv4Addr};
use std::sync::{Arc, LazyLock};
use timely_hw::config::{CLOCK_PS, Config};
use timely_hw::shells::{Extras, File, Shell};
use timely_regs::counters::Counter;
use timely_regs::device::{PairOutcome, PairSettings};
use timely_regs::map;
use timely_regs::roce::{self, Bth, Extension, opcode};
use timely_regs::telemetry::TelemetryRecord;
use timely_regs::wire::Envelope;
use timely_tests::board::{Board, HOST, NETFPGA_PLUS, NETFPGA_SUME, OPENNIC, Shape, WIRE};
use timely_tests::{left_to_soak, rng};
use timely_verilate::Library;

static FILES: LazyLock<Vec<File>> = LazyLock::new(|| {
    let extras = Extras { roce: true, ..Extras::default() };
    let config = Config::new(512, 10).expect("a configuration that is built");
    Shell::OpenNic.emit_with(config, CLOCK_PS, extras).unwrap_or_else(|e| panic!("emission: {e}"))
});
static LIBRARY: LazyLock<Arc<Library>> = LazyLock::new(|| compiled("opennic_roce_512_10", &FILES));

/// Queue pair of the host's, and the peer's.
const LOCAL: u32 = 0x11;
const REMOTE: u32 = 0x23;
/// UDP source port of both ends.
const SOURCE: u16 = 0xc123;
/// Rate of a pair, Mb/s.
const MBPS: f64 = 5000.0;
/// The line's rate by `NS_PER_BYTE`, Gb/s.
const LINE_GBPS: f64 = 100.0;

fn left_out() -> bool {
    left_to_soak("nic::roce: the box with queue pairs, whose core inline runs")
}

fn request(code: u8, queue_pair: u32, psn: u32, asks: bool, bytes: usize) -> Vec<u8> {
    let bth = Bth { opcode: code, queue_pair, psn, ack_request: asks, partition_key: 0xffff, ..Bth::default() };
    bth.frame(&envelope(true, SOURCE, roce::PORT), &Extension { message_bytes: 65_536, ..Extension::default() }, &vec![psn as u8; bytes])
}

fn answer(code: u8, psn: u32, bytes: usize) -> Vec<u8> {
    let bth = Bth { opcode: code, queue_pair: LOCAL, psn, partition_key: 0xffff, ..Bth::default() };
    bth.frame(&envelope(false, SOURCE, roce::PORT), &Extension { syndrome: 0x1f, ..Extension::default() }, &vec![psn as u8; bytes])
}

/// A shell on its bench, and what goes beside a frame of so many bytes from host or wire.
struct Bench {
    library: &'static Arc<Library>,
    shape: Shape,
    beside: fn(usize, usize) -> u128,
    clock_ns: u64,
    /// The lowest 16 bits beside a frame are its length.
    sized: bool,
}

fn opennic() -> Bench {
    Bench {
        library: &LIBRARY,
        shape: OPENNIC,
        beside: |from, bytes| beside(bytes, if from == HOST { 1 } else { 0x40 }),
        clock_ns: 4,
        sized: true,
    }
}

/// NetFPGA, whose sideband is 128 bits: a source of port 0 or its queue.
fn netfpga(shell: Shell, shape: Shape, board: &str) -> Bench {
    let extras = Extras { roce: true, ..Extras::default() };
    let config = Config::new(shape.bits, 10).expect("a configuration that is built");
    let files = shell.emit_with(config, shell.clock_ps(), extras).unwrap_or_else(|e| panic!("emission: {e}"));
    let verilog = [board, &files[1].text, &files[0].text].concat();
    let library = timely_verilate::build(&format!("{shell}_roce"), &verilog, "board", Default::default()).unwrap_or_else(|e| panic!("{e}"));
    let beside = |from, bytes| tuser(bytes, if from == HOST { 2 } else { 1 }, 0);
    Bench { library: Box::leak(Box::new(library)), shape, beside, clock_ns: u64::from(shell.clock_ps()) / 1000, sized: true }
}

fn taxi(nic: &'static taxi::Nic) -> Bench {
    let beside = |from, bytes| if from == HOST { bytes as u128 & 0xff } else { 0 };
    Bench { library: nic.library(), shape: nic.shape, beside, clock_ns: 4, sized: false }
}

/// A board whose table is in use.
fn ready(bench: &Bench) -> Board {
    let setup = Setup { profiles: vec![fixed(MBPS), fixed(100_000.0)], flows: vec![], bound: 2000, lead: 0 };
    let mut board = prepared(bench.library, bench.shape, &setup, 1);
    with(&mut board, |d| {
        let before = d.pairs().expect("registers");
        assert!(before.present && !before.enabled, "{before:?}");
        let secret = [0x1234_5677, 0x9abc_def1, 0x0f1e_2d3d, 0x4c5b_6a79, 0x8897_a6b5, 0xc4d3_e2f1];
        d.start_pairs(&PairSettings { secret, profile: 0, priority: 0, timeout_us: 0, mtu: 3, age: 0, notify: None, ask_every: 0 })
            .expect("registers");
    });
    // The table is cleared.
    for _ in 0..5000 {
        board.tick();
    }
    board
}

fn peer() -> IpAddr {
    Ipv4Addr::from(PEER).into()
}

#[test]
fn icarus_fits_the_files_into_the_shell() {
    icarus_fits("opennic_roce", &FILES);
}

/// Frames of a stock host and to it, in gaps and stalls: requests of a pair that was set, ACKs and
/// foreign traffic. Each frame comes out once, byte for byte, with its sideband,
/// in the order of its pair.
#[test]
fn a_stock_hosts_frames_pass_whole() {
    if left_out() {
        return;
    }
    let mut rng = rng(19);
    let mut board = ready(&opennic());
    // A pair of profile 1 is as fast as the wire.
    with(&mut board, |d| assert!(matches!(d.set_pair(peer(), REMOTE, None, 1), Ok(PairOutcome::Done(_)))));
    board.weather(&[0.8, 0.8], &[0.9, 0.9]);
    let (mut paced, mut past, mut up) = (VecDeque::new(), VecDeque::new(), VecDeque::new());
    for n in 0..600u32 {
        let meta = |bytes: &Vec<u8>| beside(bytes.len(), 1);
        let (is_paced, frame) = match rng.random_range(0..6) {
            0..3 => (true, request(opcode::WRITE_MIDDLE, REMOTE, n, n % 8 == 7, 1024)),
            3 => (true, request(opcode::READ_REQUEST, REMOTE, n, true, 0)),
            4 => (false, answer(opcode::ACK, n, 0)),
            _ => (false, (0..rng.random_range(60..1514)).map(|_| rng.random()).collect()),
        };
        let queue = if is_paced { &mut paced } else { &mut past };
        queue.push_back((frame.clone(), meta(&frame)));
        let beside_it = meta(&frame);
        board.send(HOST, frame, beside_it);
        let frame = answer([opcode::ACK, opcode::READ_RESPONSE_ONLY][rng.random_range(0..2)], n, 0);
        let beside_it = beside(frame.len(), 0x40);
        up.push_back((frame.clone(), beside_it));
        board.send(WIRE, frame, beside_it);
    }
    let mut quiet = 0;
    while quiet < 5000 {
        board.tick();
        let (sent, risen) = (board.take(WIRE), board.take(HOST));
        quiet = if sent.is_empty() && risen.is_empty() && board.waiting(HOST) + board.waiting(WIRE) == 0 { quiet + 1 } else { 0 };
        for f in sent {
            let queue = if paced.front().is_some_and(|(frame, _): &(Vec<u8>, u128)| *frame == f.bytes) { &mut paced } else { &mut past };
            let (frame, meta) = queue.pop_front().expect("a frame that nobody sent");
            assert!(frame == f.bytes, "a frame is not the one that was due");
            assert_eq!(f.meta, meta & 0xffff_ffff | 0x40 << 32);
        }
        for f in risen {
            let (frame, meta) = up.pop_front().expect("a frame that nobody sent");
            assert!(frame == f.bytes, "a frame to the host is not the one that was due");
            assert_eq!(f.meta, meta & 0xffff_ffff | 1 << 32);
        }
    }
    assert!(paced.is_empty() && past.is_empty() && up.is_empty(), "{}, {}, {} frames are lost", paced.len(), past.len(), up.len());
    assert_eq!([Counter::PacketsRefused, Counter::PacketsDiscarded, Counter::PairsMalformed].map(|c| counter(&mut board, c)), [0; 3]);
}

/// A pair that the table learns from its packets leaves at its profile's rate; joined, its ACKs are
/// round trips of the length that the wire has; removed, it is unknown.
#[test]
fn a_learned_pair_is_paced_and_its_acks_are_round_trips() {
    if !left_out() {
        paced_and_measured(&opennic());
    }
}

/// The same in NetFPGA's datapaths.
#[test]
fn a_learned_pair_is_paced_in_netfpga() {
    if !left_out() {
        paced_and_measured(&netfpga(Shell::NetFpgaPlus, NETFPGA_PLUS, include_str!("../shells/netfpga_plus_board.v")));
        paced_and_measured(&netfpga(Shell::NetFpgaSume, NETFPGA_SUME, include_str!("../shells/netfpga_sume_board.v")));
    }
}

/// The same between taxi's NIC core and its MAC, by whose stamps round trips are measured.
#[test]
fn a_learned_pair_is_paced_in_taxi() {
    if !left_out() {
        taxi::ROCE.iter().for_each(|nic| paced_and_measured(&taxi(nic)));
    }
}

/// A host that always has 16 requests in the NIC, and a peer.
#[derive(Default)]
struct Hosts {
    psn: u32,
    inside: u32,
    /// First clock of each request at the wire.
    stamps: Vec<u64>,
    /// The peer answers.
    answers: bool,
    /// Clock of an ACK, its number, and first clock of its request at the wire.
    due: VecDeque<(u64, u32, u64)>,
    /// Round trips of the ACKs, from the request's first beat, ns.
    trips: Vec<u64>,
}

/// Clocks from a request's last beat at the wire to its ACK's first.
const DELAY: u64 = 500;

impl Hosts {
    fn run(&mut self, bench: &Bench, board: &mut Board, clocks: u64) {
        let end = board.clk() + clocks;
        while board.clk() < end {
            while self.inside < 16 {
                let frame = request(opcode::WRITE_MIDDLE, REMOTE, self.psn, self.psn % 8 == 7, 1024);
                let meta = (bench.beside)(HOST, frame.len());
                board.send(HOST, frame, meta);
                (self.psn, self.inside) = (self.psn + 1, self.inside + 1);
            }
            board.tick();
            for f in board.take(WIRE) {
                let number = self.stamps.len() as u32;
                self.inside -= 1;
                self.stamps.push(f.clocks.0);
                if self.answers && number % 8 == 7 {
                    self.due.push_back((f.clocks.1 + DELAY, number, f.clocks.0));
                }
            }
            if let Some((_, number, left)) = self.due.pop_front_if(|d| d.0 <= board.clk()) {
                let frame = answer(opcode::ACK, number, 0);
                let meta = (bench.beside)(WIRE, frame.len());
                board.send(WIRE, frame, meta);
                self.trips.push((board.clk() - left) * bench.clock_ns);
            }
        }
    }
}

fn paced_and_measured(bench: &Bench) {
    let mut board = ready(bench);
    let mut hosts = Hosts::default();
    hosts.run(bench, &mut board, 30_000);
    assert_eq!(counter(&mut board, Counter::PairsLearned), 1);
    let stamps = &hosts.stamps[hosts.stamps.len() / 2..];
    let wire = request(opcode::WRITE_MIDDLE, REMOTE, 0, false, 1024).len() as f64 + 24.0;
    let mbps = (stamps.len() - 1) as f64 * wire * 8000.0 / ((stamps[stamps.len() - 1] - stamps[0]) as f64 * bench.clock_ns as f64);
    println!("{mbps:.1} of {MBPS} Mb/s, {} frames", stamps.len());
    assert!((mbps / MBPS - 1.0).abs() < 0.01 && stamps.len() > 30, "{mbps} Mb/s, {} frames", stamps.len());

    let joined = with(&mut board, |d| d.set_pair(peer(), REMOTE, Some(LOCAL), 1).expect("a command"));
    let PairOutcome::Done(flow) = joined else { panic!("{joined:?}") };
    hosts.answers = true;
    hosts.run(bench, &mut board, 30_000);
    let trips = &hosts.trips;
    let told = with(&mut board, |d| TelemetryRecord::from_words(&d.query_flow(flow).expect("an answer")));
    println!("{told:?}, the wire's round trips from {:?} to {:?} ns", trips.iter().min(), trips.iter().max());
    assert!(told.samples >= 5 && told.samples as usize <= trips.len(), "{told:?}, {} ACKs", trips.len());
    // From the last byte out, which is the frame's time at the line's rate behind its stamp.
    let rtt = told.rtt.expect("round trips");
    let wire_ns = (wire * 8.0 / LINE_GBPS) as u32;
    let (least, most) = (*trips.iter().min().expect("trips") as u32 - wire_ns, *trips.iter().max().expect("trips") as u32);
    assert!((least - 8..=most).contains(&rtt.min_ns) && (least - 8..=most).contains(&rtt.last_ns), "{rtt:?}, {least} to {most}");

    notified(bench, &mut board);
    with(&mut board, |d| {
        assert_eq!(d.remove_pair(peer(), REMOTE).expect("a command"), PairOutcome::Done(flow));
        assert_eq!(d.remove_pair(peer(), REMOTE).expect("a command"), PairOutcome::Unknown);
        d.stop_pairs().expect("a register");
        assert!(d.set_pair(peer(), REMOTE, None, 1).is_err(), "a command without a table in use");
    });
}

/// Data of the joined pair that arrive with CE are answered by one notification among the host's
/// frames, with the peer's queue pair.
fn notified(bench: &Bench, board: &mut Board) {
    with(board, |d| d.write(&map::roce::NOTIFY, 1).expect("a register"));
    let sent = counter(board, Counter::TxFrames);
    for n in 0..4 {
        let host = request(opcode::WRITE_MIDDLE, REMOTE, n, false, 1024);
        let meta = (bench.beside)(HOST, host.len());
        board.send(HOST, host, meta);
        let bth = Bth { opcode: opcode::SEND_ONLY, queue_pair: LOCAL, psn: n, partition_key: 0xffff, ..Bth::default() };
        let marked = Envelope { tos: 3, ..envelope(false, SOURCE, roce::PORT) };
        let frame = bth.frame(&marked, &Extension::default(), &[7; 256]);
        let meta = (bench.beside)(WIRE, frame.len());
        board.send(WIRE, frame, meta);
    }
    let mut frames = Vec::new();
    for _ in 0..5000 {
        board.tick();
        frames.extend(board.take(WIRE));
    }
    let back = Envelope { tos: 0xc0, ttl: 64, ..envelope(true, SOURCE, roce::PORT) };
    let bth = Bth { opcode: opcode::CNP, queue_pair: REMOTE, partition_key: 0xffff, congestion: 0x40, ..Bth::default() };
    let right = bth.frame(&back, &Extension::default(), &[]);
    let cnps: Vec<_> = frames.iter().filter(|f| roce::check(&f.bytes).expect("a frame").kind == roce::Kind::Cnp).collect();
    assert!(cnps.len() == 1 && cnps[0].bytes == right, "{} notifications", cnps.len());
    assert!(!bench.sized || cnps[0].meta & 0xffff == right.len() as u128, "{:x} beside it", cnps[0].meta);
    assert_eq!([Counter::NotificationsSent, Counter::MarksUnknown].map(|c| counter(board, c)), [1, 0]);
    println!("a notification; {} frames of the host", counter(board, Counter::TxFrames) - sent);
}
