//! The ECPIX-5's NIC, of three clocks: frames at its GMII byte for byte, registers over its serial
//! line, pacing and round trips in ps at the wire. Icarus takes the whole of its Verilog, and runs
//! its pins.
use super::inline::{OWN, OWN_MAC, PEER, PEER_MAC, data, fixed, left_out};
use std::cell::RefCell;
use std::collections::VecDeque;
use std::io::{Write, stdout};
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use timely_hw::shells::{File, Shell, ecpix5};
use timely_model::mac::{Gmii, PREAMBLE, RESIDUE, SFD, crc32};
use timely_regs::counters::Counter;
use timely_regs::device::{Bus, Device};
use timely_regs::flow::FlowRecord;
use timely_regs::map::{counters, id, increment, port};
use timely_regs::parameters::{Parameters, RttStart};
use timely_regs::serial::{ANSWER_BYTES, DONE, READ, REQUEST_BYTES, WRITE, answer, request};
use timely_regs::telemetry::TelemetryRecord;
use timely_regs::wire::{Addresses, Envelope, FIRST, Header, Kind, LAST, Packet};
use timely_tests::nic::PORT;
use timely_tests::thorough;
use timely_verilate::{Dut, In, Library, Options, Out, build, mutant};

/// Faster than the board's, so that a test need not wait for it.
const BAUD: u64 = 1_000_000_000_000 / (5 * ecpix5::CLOCK_PS as u64);
/// ps of a byte at a Gigabit.
const BYTE_PS: u64 = 8_000;
/// ps in which an access must be answered.
const ACCESS_PS: u64 = 200_000_000;

fn files() -> Vec<File> {
    ecpix5::files("ecpix5.v", ecpix5::CLOCK_PS, BAUD as u32).unwrap_or_else(|e| panic!("emission: {e}"))
}

/// Icarus, or why it is not there.
fn icarus(what: &str) -> Option<String> {
    let program = std::env::var("IVERILOG").unwrap_or_else(|_| "iverilog".into());
    if Command::new(&program).arg("-V").output().is_ok() {
        return Some(program);
    }
    // Past the test's capture, for `cargo xtask test` to tell.
    writeln!(stdout(), "left out: nic::ecpix5: {what}: there is no Icarus Verilog here (Debian: apt-get install iverilog)")
        .expect("stdout");
    None
}

fn shells(name: &str) -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/shells").join(name).display().to_string()
}

/// Block RAMs of an ECP5 that the text's memories take: 512 words of 36 bits, 1,024 of 18 and so
/// on. Yosys takes less, for it leaves bits out that nobody reads.
fn block_rams(verilog: &str) -> usize {
    let words = |line: &str| line.rsplit_once("mem[")?.1.split(':').next()?.parse::<usize>().ok();
    let bits = |line: &str| line.split_once("reg[")?.1.split(':').next()?.parse::<usize>().ok();
    let mut sum = 0;
    for module in verilog.split("\nmodule ").filter(|m| !m.contains("distributed")) {
        for line in module.lines().filter(|l| l.trim_start().starts_with("reg") && l.trim_end().ends_with("];")) {
            let Some(last) = words(line) else { continue };
            let wide = match last + 1 {
                ..64 => continue,
                64..=512 => 36,
                513..=1024 => 18,
                1025..=2048 => 9,
                _ => 4,
            };
            sum += (bits(line).unwrap_or(0) + 1).div_ceil(wide);
        }
    }
    sum
}

/// The board has 208 block RAMs. With 221 by the text Yosys makes 205 of them, and the NIC is
/// placed (`cargo xtask bitstream ecpix5`); with 230 it made 214, and it was not.
#[test]
fn the_board_has_the_block_rams() {
    let files = Shell::Ecpix5.emit(Shell::Ecpix5.config(None, None).expect("built"), ecpix5::CLOCK_PS).expect("emission");
    let all: usize = files.iter().filter(|f| f.path.ends_with(".v")).map(|f| block_rams(&f.text)).sum();
    assert!(
        all <= 221,
        "{all} block RAMs by the text: put small ones into LUTs (hw/src/shells/ecpix5/small.rs), or place it to see that it fits"
    );
}

/// Both take the whole of it, with the FPGA's cells as they are in a bench; every port has a pin,
/// and every pin a port.
#[test]
fn the_whole_board_is_taken() {
    let files = Shell::Ecpix5.emit(Shell::Ecpix5.config(None, None).expect("built"), ecpix5::CLOCK_PS).expect("emission");
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("ecpix5-{}.v", std::process::id()));
    std::fs::write(&file, &files[0].text).expect("the target directory can be written");
    let verilator = std::env::var("VERILATOR").unwrap_or_else(|_| "verilator".into());
    let out = Command::new(verilator)
        .args(["--lint-only", "-Wall", "-Wno-fatal", "--timing", "-DECP5_CELLS", "--top-module", "tnic_ecpix5"])
        .args([file.display().to_string(), shells("ecpix5_cells.v")])
        .output()
        .expect("verilator starts");
    let text = String::from_utf8_lossy(&out.stderr);
    assert!(out.status.success(), "{text}");
    for real in ["LATCH", "MULTIDRIVEN", "UNOPTFLAT", "COMBDLY", "PINMISSING", "PINNOTFOUND", "IMPLICIT"] {
        let ours = text.lines().find(|l| l.contains(&format!("Warning-{real}")) && !l.contains("ecpix5_cells"));
        assert_eq!(ours, None);
    }
    if let Some(program) = icarus("the fit") {
        let mut c = Command::new(program);
        c.args(["-g2005", "-Wall", "-Wno-timescale", "-t", "null", "-s", "tnic_ecpix5"]);
        let out = c.args([file.display().to_string(), shells("ecpix5_cells.v")]).output().expect("iverilog starts");
        let text = String::from_utf8_lossy(&out.stderr);
        assert!(out.status.success() && !text.contains("will never trigger"), "{text}");
    }
    std::fs::remove_file(&file).ok();
    let top = ecpix5::top(ecpix5::CLOCK_PS);
    let head = top.split(");").next().expect("ports");
    let mut ports = vec![];
    for line in head.lines().map(str::trim).filter(|l| l.starts_with("input") || l.starts_with("output")) {
        let name = line.trim_end_matches(',').split_whitespace().last().expect("a name");
        let high: Option<u32> = line.split_once('[').and_then(|(_, r)| r.split_once(':')).and_then(|(n, _)| n.parse().ok());
        ports.extend(high.map_or(vec![name.to_owned()], |h| (0..=h).map(|i| format!("{name}[{i}]")).collect()));
    }
    let mut pins: Vec<&str> = files[1].text.lines().filter_map(|l| l.strip_prefix("LOCATE COMP \"")?.split('"').next()).collect();
    let sites: std::collections::BTreeSet<&str> =
        files[1].text.lines().filter_map(|l| l.split("SITE \"").nth(1)?.split('"').next()).collect();
    assert_eq!(sites.len(), pins.len(), "two ports on a site");
    ports.sort();
    pins.sort();
    assert_eq!(ports, pins);
}

/// RGMII, the PLL, the PHY's reset and the lights, with the FPGA's cells as models.
#[test]
fn the_pins_carry_a_byte_each_way() {
    let Some(program) = icarus("the pins") else { return };
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let (top, run) = (folder.join(format!("pins-{}.v", std::process::id())), folder.join(format!("pins-{}", std::process::id())));
    std::fs::write(&top, ecpix5::top(ecpix5::CLOCK_PS)).expect("the target directory can be written");
    let mut c = Command::new(program);
    c.args(["-g2005", "-s", "bench", "-o"]).arg(&run).args([shells("ecpix5_cells.v"), shells("ecpix5_pins.v")]).arg(&top);
    let out = c.output().expect("iverilog starts");
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    let out = Command::new("vvp").arg(&run).output().expect("vvp starts");
    let text = String::from_utf8_lossy(&out.stdout);
    assert!(text.contains("period 8.000") && !text.contains("FAILED"), "{text}");
    [top, run].iter().for_each(|f| drop(std::fs::remove_file(f)));
}

#[test]
fn other_clocks_and_flow_counts_are_refused_by_name() {
    let config = Shell::Ecpix5.config(None, None).expect("built");
    let refusal = Shell::Ecpix5.emit(config, 9_999).expect_err("refused");
    assert!(refusal.contains("multiples of 2000"), "{refusal}");
    let refusal = Shell::Ecpix5.config(None, Some(13)).expect_err("refused");
    assert!(refusal.contains("2^9 flows"), "{refusal}");
}

/// A frame at the wire, with its check sequence; when the end of its preamble was there, ps.
pub struct Seen {
    at: u64,
    bytes: Vec<u8>,
    error: bool,
}

impl Seen {
    pub fn whole(&self) -> bool {
        !self.error && self.bytes.len() >= 64 && self.bytes.iter().fold(!0, |r, b| crc32(r, *b)) == RESIDUE
    }

    /// Without the check sequence.
    fn frame(&self) -> &[u8] {
        &self.bytes[..self.bytes.len().saturating_sub(4)]
    }
}

struct Pins {
    go: [In; 3],
    arst: In,
    rx: [In; 3],
    tx: [Out; 3],
    uart: (In, Out),
    lights: [Out; 4],
}

/// The NIC on its clocks.
pub struct Board {
    pub dut: Dut,
    pins: Pins,
    now: u64,
    /// Of the core, of what is sent, of what comes: period and coming edge, ps.
    clocks: [(u64, u64); 3],
    /// With whether it ends a preamble.
    to_send: VecDeque<(Gmii, bool)>,
    /// When the end of the last preamble was sent to the NIC.
    begun: u64,
    hearing: Option<Seen>,
    preamble: usize,
    pub seen: VecDeque<Seen>,
    /// Bytes on the serial line, and from when on.
    says: (u64, Vec<u8>),
    /// A byte that is being heard: since when, its bits.
    byte: Option<(u64, u32, u8)>,
    said: Vec<u8>,
}

impl Board {
    /// A board that has been reset, whose wire's other end is so much faster.
    pub fn new(library: &Arc<Library>, ppm: i64) -> Self {
        let input = |n: &str| library.input(n);
        let output = |n: &str| library.output(n);
        let pins = Pins {
            go: ["core_go", "tx_go", "rx_go"].map(input),
            arst: input("arst"),
            rx: ["gmii_rxd", "gmii_rx_dv", "gmii_rx_er"].map(input),
            tx: ["gmii_txd", "gmii_tx_en", "gmii_tx_er"].map(output),
            uart: (input("uart_rx"), output("uart_tx")),
            lights: ["led_link", "led_traffic", "led_error", "led_running"].map(output),
        };
        // The wire's other end is some ppm fast.
        let rx = (BYTE_PS as i64 - BYTE_PS as i64 * ppm / 1_000_000) as u64;
        let mut board = Board {
            dut: library.instantiate(7),
            pins,
            now: 0,
            clocks: [(ecpix5::CLOCK_PS.into(), 0), (BYTE_PS, 1_300), (rx, 5_700)],
            to_send: VecDeque::new(),
            begun: 0,
            hearing: None,
            preamble: 0,
            seen: VecDeque::new(),
            says: (0, vec![]),
            byte: None,
            said: vec![],
        };
        board.dut.set(board.pins.uart.0, 1);
        board.dut.set(board.pins.arst, 1);
        (0..50).for_each(|_| board.tick());
        board.dut.set(board.pins.arst, 0);
        board
    }

    fn lights(&self) -> [bool; 4] {
        self.pins.lights.map(|l| self.dut.get(l) == 1)
    }

    pub fn send(&mut self, frame: &[u8], spoil: bool) {
        let mut body = frame.to_vec();
        body.resize(body.len().max(60), 0);
        let fcs = !body.iter().fold(!0, |r, b| crc32(r, *b)) ^ u32::from(spoil);
        let bytes = [&[PREAMBLE; 7][..], &[SFD], &body, &fcs.to_le_bytes()].concat();
        self.to_send.extend(bytes.iter().enumerate().map(|(i, b)| (Gmii { data: *b, valid: true, error: false }, i == 7)));
        self.to_send.extend([(Gmii { data: 0xdd, valid: false, error: false }, false); 12]);
    }

    fn hear(&mut self) {
        let [d, en, er] = self.pins.tx.map(|p| self.dut.get(p));
        if en == 0 {
            self.seen.extend(self.hearing.take());
            self.preamble = 0;
            return;
        }
        match &mut self.hearing {
            Some(seen) => {
                seen.bytes.push(d as u8);
                seen.error |= er == 1;
            }
            None if d as u8 == SFD => {
                assert_eq!(self.preamble, 7, "bytes of a preamble");
                self.hearing = Some(Seen { at: self.now, bytes: vec![], error: false });
            }
            None => {
                assert_eq!(d as u8, PREAMBLE);
                self.preamble += 1;
            }
        }
    }

    fn tick(&mut self) {
        self.now = self.clocks.iter().map(|c| c.1).min().expect("three");
        let goes = self.clocks.map(|c| c.1 == self.now);
        for ((c, go), pin) in self.clocks.iter_mut().zip(goes).zip(self.pins.go) {
            c.1 += if go { c.0 } else { 0 };
            self.dut.set(pin, go.into());
        }
        let bit_ps = 1_000_000_000_000 / BAUD;
        let (since, bytes) = &self.says;
        let bit = self.now.saturating_sub(*since) / bit_ps;
        let level = self.now < *since
            || bytes.get((bit / 10) as usize).is_none_or(|b| match bit % 10 {
                0 => false,
                9 => true,
                i => b >> (i - 1) & 1 == 1,
            });
        self.dut.set(self.pins.uart.0, level.into());
        if goes[2] {
            let idle = Gmii { data: 0xdd, valid: false, error: false };
            let (g, ends) = self.to_send.pop_front().unwrap_or((idle, false));
            if ends {
                self.begun = self.now;
            }
            for (pin, value) in self.pins.rx.into_iter().zip([g.data.into(), g.valid.into(), g.error.into()]) {
                self.dut.set(pin, value);
            }
        }
        self.dut.tick();
        if goes[1] {
            self.hear();
        }
        let line = self.dut.get(self.pins.uart.1) == 1;
        match &mut self.byte {
            None if !line => self.byte = Some((self.now, 0, 0)),
            Some((since, bits, byte)) if self.now >= *since + bit_ps * u64::from(*bits) + bit_ps / 2 => {
                match *bits {
                    0 => assert!(!line, "a start bit"),
                    1..=8 => *byte |= u8::from(line) << (*bits - 1),
                    _ => {
                        assert!(line, "a stop bit");
                        self.said.push(*byte);
                    }
                }
                *bits += 1;
                if *bits == 10 {
                    self.byte = None;
                }
            }
            _ => {}
        }
    }

    pub fn run(&mut self, ps: u64) {
        let end = self.now + ps;
        while self.now < end {
            self.tick();
        }
    }

    pub fn access(&mut self, kind: u8, address: u32, value: u32) -> Result<u32, String> {
        self.said.clear();
        self.says = (self.now + 1_000_000, request(kind, address, value).to_vec());
        let end = self.now + ACCESS_PS;
        while self.said.len() < ANSWER_BYTES {
            self.tick();
            if self.now > end {
                return Err(format!("no answer: {:?}", self.said));
            }
        }
        let bytes: [u8; ANSWER_BYTES] = self.said.clone().try_into().map_err(|_| "a long answer")?;
        match answer(&bytes) {
            Some((DONE, value)) => Ok(value),
            Some((status, _)) => Err(format!("status {status}")),
            None => Err(format!("no answer: {bytes:?}")),
        }
    }
}

pub struct Line<'a>(RefCell<&'a mut Board>);

impl Bus for Line<'_> {
    type Error = String;

    fn read32(&self, offset: u32) -> Result<u32, String> {
        self.0.borrow_mut().access(READ, offset, 0)
    }

    fn write32(&self, offset: u32, value: u32) -> Result<(), String> {
        self.0.borrow_mut().access(WRITE, offset, value).map(drop)
    }
}

/// Registers as software has them.
pub fn with<T>(board: &mut Board, what: impl FnOnce(&Device<Line<'_>>) -> T) -> T {
    what(&Device::open(Line(board.into())).expect("the register map"))
}

/// The NIC on its bench.
pub fn library() -> Arc<Library> {
    let verilog =
        [include_str!("../shells/ecpix5_board.v"), files()[0].text.split_once("\nmodule tnic_ecpix5_nic").expect("the NIC").1].concat();
    let verilog = verilog.replacen("endmodule\n", "endmodule\nmodule tnic_ecpix5_nic", 1);
    let verilog = mutant::text("ecpix5_64_9", || verilog);
    build("ecpix5_64_9", &verilog, "board", Options::default()).unwrap_or_else(|e| panic!("{e}"))
}

fn prepared(ppm: i64, profile: &Parameters) -> Board {
    prepared_on(&library(), ppm, profile)
}

/// A board whose responder answers, with a flow of the generator's, of that library.
pub fn prepared_on(library: &Arc<Library>, ppm: i64, profile: &Parameters) -> Board {
    let mut board = Board::new(library, ppm);
    with(&mut board, |d| {
        d.wait_ready().expect("cleared RAMs");
        d.set_mac(OWN_MAC).expect("a register");
        d.set_ipv4(OWN.into()).expect("a register");
        d.write(&port::UDP_PORT, PORT.into()).expect("a register");
        d.allow(&[(std::net::Ipv4Addr::UNSPECIFIED.into(), 0)]).expect("a list");
        d.write(&port::ACK_ENABLE, 1).expect("a register");
        // 8 ns.
        d.write(&port::NS_PER_BYTE, 8 << 16).expect("a register");
        d.write_profile(0, &profile.quantise().expect("a profile")).expect("a profile");
        let record = FlowRecord {
            enable: true,
            endless: true,
            payload_bytes: 1424,
            segment_packets: 1,
            mac: PEER_MAC,
            source_port: PORT,
            destination_port: PORT,
            ttl: 64,
            address: PEER.into(),
            ..FlowRecord::default()
        };
        d.load_flow(0, &record).expect("a flow");
        d.key_nonces(1).expect("a key");
        d.enable(true).expect("a register");
    });
    board
}

fn counter(board: &mut Board, which: Counter) -> u32 {
    with(board, |d| d.read_at(&counters::COUNTER, which as u32).expect("a counter"))
}

/// Registers over the line; a segment to us is answered with a right check sequence; damaged frames
/// are counted and seen at the lights.
#[test]
fn registers_and_segments_are_answered() {
    if left_out("nic::ecpix5: registers and segments") {
        return;
    }
    assert_eq!(REQUEST_BYTES, 10);
    let mut board = prepared(100, &fixed(100.0));
    with(&mut board, |d| {
        let build = *d.build();
        assert_eq!((build.bus_bits, build.flow_bits, build.ring_bits, build.clock_ps), (64, 9, 10, ecpix5::CLOCK_PS));
        assert_eq!(d.read(&timely_regs::map::time::INCREMENT).expect("a register"), increment(ecpix5::CLOCK_PS));
        let before = d.now().expect("a register");
        let from = d.bus().0.borrow().now;
        d.bus().0.borrow_mut().run(3_000_000_000);
        // Read the same way twice, the time passes as the bench's does.
        let (passed, truth) = ((d.now().expect("a register") - before) >> 16, (d.bus().0.borrow().now - from) / 1000);
        assert!(passed.abs_diff(truth) < 20_000, "{passed} ns of {truth}");
        let nothing = d.bus().read32(0xff_fff0).expect_err("no register there");
        assert!(nothing.starts_with("status"), "{nothing}");
        let refused = d.start_dma().expect_err("there is no memory").to_string();
        assert!(refused.ends_with("status 2"), "{refused}");
        assert!(d.snapshot(&super::inline::Nowhere, 0, 4).is_err(), "DMA was refused");
        d.stop_dma().expect("nothing is in flight");
    });
    assert_eq!(board.lights(), [true, false, false, true], "link, traffic, error, running");
    for n in 0..40u32 {
        let spoil = n % 8 == 7;
        let frame = data(n, n, FIRST | LAST, [90, 91, 200, 1514][n as usize % 4], false);
        board.send(&frame, spoil);
        board.run(20_000_000);
        if spoil {
            assert!(board.seen.is_empty(), "a damaged segment is answered");
            assert!(board.lights()[2], "no light");
            continue;
        }
        let seen = board.seen.pop_front().expect("an answer");
        assert!(seen.whole() && board.seen.is_empty(), "segment {n}: {:02x?}", seen.bytes);
        let packet = Packet::new_checked(seen.frame(), PORT).expect("a frame of ours");
        assert_eq!(packet.kind(), Kind::Ack);
        let header = Header::read(seen.frame()[42..90].try_into().expect("a header"));
        assert_eq!((header.flow, header.segment), (n, n));
        // Both stamps are of one clock: from the preamble's end to the answer's.
        let truth = (seen.at - board.begun) / 1000;
        let residence = header.departure.wrapping_sub(header.arrival) >> 16;
        assert!(residence < truth && truth - residence < 400, "segment {n}: {residence} ns said, {truth} ns seen");
    }
    assert_eq!(counter(&mut board, Counter::RxBad), 5);
    assert_eq!(counter(&mut board, Counter::AcksSent), 35);
    with(&mut board, |d| d.enable(false).expect("a register"));
    board.run(1_000_000);
    assert!(!board.lights()[3] && with(&mut board, |d| d.read(&id::CONTROL).expect("a register")) == 0);
}

/// A flow of the generator leaves at its rate; each packet within two clocks of the core and two of
/// the wire of its place.
#[test]
fn a_flow_leaves_at_its_rate() {
    if left_out("nic::ecpix5: the rate of a flow") {
        return;
    }
    // A packet at 10 Mb/s takes the board 1.2 ms.
    for &(mbps, packets) in if thorough() { &[(10.0, 50), (300.0, 50), (950.0, 50)][..] } else { &[(10.0, 5), (950.0, 30)] } {
        let mut board = prepared(0, &fixed(mbps));
        with(&mut board, |d| d.doorbell(0, 8).expect("a doorbell"));
        board.run(200_000_000 + (packets as f64 * 1538.0 * 8e6 / mbps) as u64);
        let frames: Vec<Seen> = board.seen.drain(..).collect();
        assert!(frames.len() > packets * 4 / 5 && frames.iter().all(|f| f.whole() && f.bytes.len() == 1518), "{} frames", frames.len());
        // From the second on: the first of an idle flow leaves at once.
        let gap_ps = 1538.0 * 8e6 / mbps;
        let late: Vec<f64> = frames[1..].iter().enumerate().map(|(i, f)| (f.at - frames[1].at) as f64 - gap_ps * i as f64).collect();
        let (least, most) = late.iter().fold((f64::MAX, f64::MIN), |(l, m), x| (l.min(*x), m.max(*x)));
        println!("{mbps} Mb/s: {} frames, {:.1} ns around their places", frames.len(), (most - least) / 1000.0);
        assert!(most - least <= 36_000.0, "{mbps} Mb/s: {late:?}");
    }
}

/// The RTT in telemetry against what the bench has seen at the wire.
#[test]
fn a_round_trip_is_measured() {
    if left_out("nic::ecpix5: a round trip") {
        return;
    }
    let profile = Parameters { rtt_start: RttStart::FirstByteOut, outstanding_bytes: 2000, ..fixed(200.0) };
    let mut board = prepared(-80, &profile);
    with(&mut board, |d| d.doorbell(0, 1).expect("a doorbell"));
    let (mut errors, mut trips) = (vec![], 0);
    board.seen.clear();
    board.run(100_000_000);
    for n in 0..if thorough() { 12 } else { 5 } {
        let Some(seen) = board.seen.pop_front() else { panic!("no segment {n}") };
        let header = Header::read(seen.frame()[42..90].try_into().expect("a header"));
        board.run(3_000_000 + 1_234_567 * n);
        let envelope = Envelope {
            mac_destination: OWN_MAC,
            mac_source: PEER_MAC,
            tci: None,
            addresses: Addresses::V4 { source: PEER, destination: OWN },
            tos: 0,
            ttl: 64,
            port_source: PORT,
            port_destination: 5000,
        };
        board.send(&envelope.frame(&header.answered(64, 0, 5, 6), &[]), false);
        board.run(2_000_000);
        let truth = (board.begun - seen.at) as f64 / 1000.0;
        let record = with(&mut board, |d| TelemetryRecord::from_words(&d.query_flow(0).expect("a flow")));
        let rtt = record.rtt.expect("an RTT");
        trips += 1;
        assert_eq!(record.samples, trips);
        errors.push(f64::from(rtt.last_ns) - truth);
        board.run(100_000_000);
    }
    let (least, most) = errors.iter().fold((f64::MAX, f64::MIN), |(l, m), x| (l.min(*x), m.max(*x)));
    println!("RTT, said less seen: {least:.1} to {most:.1} ns");
    // A clock of the core either way.
    assert!(least >= -12.0 && most <= 24.0, "{errors:?}");
}
