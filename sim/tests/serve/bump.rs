//! `timely-sim wire`: frames between two machines, of which one is this test, and the NIC between
//! them, set by its registers.
use crate::client::{Client, STARTING, path};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rustix::process::{Pid, Signal, kill_process};
use std::cell::RefCell;
use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::PoisonError;
use std::time::Duration;
use timely_regs::board::OPENNIC;
use timely_regs::device::{Bus, Device};
use timely_regs::flow::FlowRecord;
use timely_regs::link::wire_bytes;
use timely_regs::map::{ack_rate, port};
use timely_regs::parameters::Parameters;
use timely_regs::wire::{Addresses, DEFAULT_PORT, Envelope, FIRST, Header, LAST};

/// A wait that is longer is a hang.
const HANG: Duration = Duration::from_secs(60);

/// A NIC between two sockets, as a process that does not outlive its test.
struct Bump {
    child: Option<Child>,
    paths: [PathBuf; 3],
}

impl Drop for Bump {
    fn drop(&mut self) {
        if let Some(child) = &mut self.child {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

impl Bump {
    fn start(more: &[&str]) -> Self {
        let paths = [path(), path(), path()];
        let mut program = Command::new(env!("CARGO_BIN_EXE_timely-sim"));
        program.args(["wire", "--model", "--json"]).args(more);
        for (option, path) in ["--host", "--network", "--registers"].iter().zip(&paths) {
            program.arg(option).arg(path);
        }
        program.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = {
            let _alone = STARTING.write().unwrap_or_else(PoisonError::into_inner);
            program.spawn().unwrap()
        };
        // Byte by byte: what is behind this line is the summary.
        let stdout = child.stdout.as_mut().unwrap();
        let mut line = String::new();
        BufReader::with_capacity(1, stdout).read_line(&mut line).unwrap();
        assert!(line.starts_with("a modelled NIC is between "), "{line}");
        Bump { child: Some(child), paths }
    }

    fn machine(&self, end: usize) -> Machine {
        let stream = UnixStream::connect(&self.paths[end]).unwrap();
        stream.set_read_timeout(Some(HANG)).unwrap();
        stream.set_write_timeout(Some(HANG)).unwrap();
        Machine(stream)
    }

    /// The summary, and what was said on stderr.
    fn stop(mut self) -> (serde_json::Value, String) {
        let child = self.child.take().unwrap();
        kill_process(Pid::from_child(&child), Signal::TERM).unwrap();
        let Output { status, stdout, stderr } = child.wait_with_output().unwrap();
        let said = String::from_utf8(stderr).unwrap();
        assert!(status.success(), "{said}");
        assert!(self.paths.iter().all(|p| !p.exists()), "a socket is still there");
        (serde_json::from_slice(&stdout).unwrap(), said)
    }
}

/// A machine at an end.
struct Machine(UnixStream);

impl Machine {
    fn send(&mut self, frame: &[u8]) {
        self.0.write_all(&[&(frame.len() as u32).to_be_bytes(), frame].concat()).unwrap();
    }

    fn receive(&mut self) -> Vec<u8> {
        let mut length = [0; 4];
        self.0.read_exact(&mut length).unwrap();
        let mut frame = vec![0; u32::from_be_bytes(length) as usize];
        self.0.read_exact(&mut frame).unwrap();
        frame
    }

    /// The connection was closed from the other side.
    fn is_closed(&mut self) -> bool {
        match self.0.read(&mut [0; 1]) {
            Ok(n) => n == 0,
            Err(e) => e.kind() == ErrorKind::ConnectionReset,
        }
    }
}

/// Registers of the card that the NIC is on.
struct Card(RefCell<Client>);

impl Card {
    fn open(path: &Path) -> Self {
        Card(RefCell::new(Client::connect(path)))
    }

    fn at(register: u32) -> u64 {
        u64::from(OPENNIC.place.offset) + u64::from(register)
    }
}

impl Bus for Card {
    type Error = u32;

    fn read32(&self, offset: u32) -> Result<u32, u32> {
        let bytes = self.0.borrow_mut().read(OPENNIC.place.bar, Card::at(offset), 4)?;
        Ok(u32::from_le_bytes(bytes.try_into().unwrap()))
    }

    fn write32(&self, offset: u32, value: u32) -> Result<(), u32> {
        self.0.borrow_mut().write(OPENNIC.place.bar, Card::at(offset), &value.to_le_bytes())
    }
}

fn frames(rng: &mut ChaCha8Rng, count: usize) -> Vec<Vec<u8>> {
    let edges = [14, 15, 42, 60, 63, 64, 65, 1514, 9728];
    let mut frame = |i: usize| {
        let bytes = edges
            .get(i)
            .copied()
            .unwrap_or_else(|| if i.is_multiple_of(8) { rng.random_range(14..=9728) } else { rng.random_range(14..300) });
        (0..bytes).map(|_| rng.random()).collect()
    };
    (0..count).map(&mut frame).collect()
}

/// Frames that are none of ours pass both ways at once, byte for byte and in order, more of them
/// than the NIC is given at once.
#[test]
fn frames_pass_as_they_are() {
    let seed = 0x0077_6972;
    println!("seed {seed:#x}");
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let bump = Bump::start(&[]);
    let mut machines = [bump.machine(0), bump.machine(1)];
    // Both are there before the first frame.
    let hello = vec![0xa5; 60];
    for (from, to) in [(0, 1), (1, 0)] {
        loop {
            machines[from].send(&hello);
            let mut got = [0; 64];
            machines[to].0.set_read_timeout(Some(Duration::from_millis(200))).unwrap();
            if machines[to].0.read_exact(&mut got).is_ok() {
                assert_eq!(got[4..], hello[..]);
                break;
            }
        }
        machines[to].0.set_read_timeout(Some(HANG)).unwrap();
    }
    let sent = [frames(&mut rng, 700), frames(&mut rng, 700)];
    std::thread::scope(|scope| {
        for (end, machine) in machines.iter().enumerate() {
            let (mut writer, mut reader) = (Machine(machine.0.try_clone().unwrap()), Machine(machine.0.try_clone().unwrap()));
            let (out, back) = (&sent[end], &sent[1 - end]);
            scope.spawn(move || out.iter().for_each(|f| writer.send(f)));
            scope.spawn(move || {
                for (i, frame) in back.iter().enumerate() {
                    let mut got = reader.receive();
                    while got == vec![0xa5; 60] {
                        got = reader.receive();
                    }
                    assert!(got == *frame, "frame {i} to end {end}: {} bytes, {} sent", got.len(), frame.len());
                }
            });
        }
    });
    let (summary, said) = bump.stop();
    for end in ["host", "network"] {
        assert!(summary[end]["came_frames"].as_u64() >= Some(701), "{summary}");
        assert!(summary[end]["left_frames"].as_u64() >= Some(701), "{summary}");
    }
    assert!(summary["dilation"].as_f64() > Some(0.0) && said.contains("a machine is connected at the host's end"), "{said}");
}

/// A flow's packets leave at its rate: by the stamps of the capture, within 1 %.
#[test]
fn a_flow_is_paced() {
    let folder = path();
    std::fs::create_dir(&folder).unwrap();
    let [near, far] = ["host.pcapng", "network.pcapng"].map(|f| folder.join(f).to_str().unwrap().to_owned());
    let bump = Bump::start(&["--host-pcap", &near, "--network-pcap", &far]);
    let card = Card::open(&bump.paths[2]);
    let device = Device::open(&card).unwrap();
    device.wait_ready().unwrap();
    let (ours, theirs, mac) = ([10, 0, 0, 1], [10, 0, 0, 2], [2, 0, 0, 0, 0, 2]);
    device.set_mac([2, 0, 0, 0, 0, 1]).unwrap();
    device.set_ipv4(ours.into()).unwrap();
    device.write(&port::UDP_PORT, DEFAULT_PORT.into()).unwrap();
    device.write(&port::LINE_RATE, ack_rate(10_000_000_000, 4000)).unwrap();
    // A flow's packets may all be in the store at once.
    device.write(&port::STORE_BOUND, 2000).unwrap();
    device.write(&port::STORE_WAIT, 1).unwrap();
    device.key_nonces(7).unwrap();
    device
        .write_profile(0, &Parameters { timeout_us: 0.0, outstanding_bytes: 0, ..Parameters::fixed(1000.0) }.quantise().unwrap())
        .unwrap();
    let record = FlowRecord {
        enable: true,
        payload_bytes: 1000,
        segment_packets: 16,
        mac,
        address: std::net::IpAddr::from(theirs),
        ..Default::default()
    };
    device.load_flow(3, &record).unwrap();
    let (mut host, mut network) = (bump.machine(0), bump.machine(1));
    let envelope = Envelope {
        mac_destination: mac,
        mac_source: [2, 0, 0, 0, 0, 1],
        tci: None,
        addresses: Addresses::V4 { source: ours, destination: theirs },
        tos: 0,
        ttl: 64,
        port_source: DEFAULT_PORT,
        port_destination: DEFAULT_PORT,
    };
    const PACKETS: u32 = 320;
    let build = |n: u32| {
        let (packet, segment) = (n % 16, n / 16);
        let flags = if packet == 0 { FIRST } else { 0 } | if packet == 15 { LAST } else { 0 };
        let bytes = (packet + 1) * wire_bytes(envelope.class().end() as u32 + 1000);
        let header =
            Header { flags, packet: packet as u16, flow: 3, nonce: 9, segment, segment_bytes: bytes, ttl_sent: 64, ..Header::default() };
        envelope.frame(&header, &[n as u8; 1000])
    };
    let sent: Vec<_> = (0..PACKETS).map(build).collect();
    sent.iter().for_each(|f| host.send(f));
    // A frame that is none of ours passes the store behind them: all of them wait there.
    host.send(&[0x5a; 60]);
    assert_eq!(network.receive(), [0x5a; 60]);
    device.enable(true).unwrap();
    // The NIC writes its stamp and check into the last packet of a segment, not into payload.
    for (n, frame) in sent.iter().enumerate() {
        let got = network.receive();
        assert!(got.len() == frame.len() && got[got.len() - 1000..] == frame[frame.len() - 1000..], "packet {n}");
    }
    bump.stop();
    let stamps: Vec<u64> = packets(&far).into_iter().filter(|p| p.1 == 2).map(|p| p.0).skip(1).collect();
    assert_eq!(stamps.len() as u32, PACKETS);
    assert_eq!(packets(&near).len() as u32, PACKETS + 1);
    let bits = f64::from(8 * (PACKETS - 1) * wire_bytes(sent[0].len() as u32));
    let mbps = bits * 1e3 / (stamps[stamps.len() - 1] - stamps[0]) as f64;
    println!("{mbps:.1} of 1000 Mb/s");
    assert!((mbps / 1000.0 - 1.0).abs() < 0.01, "{mbps} Mb/s");
    std::fs::remove_dir_all(folder).unwrap();
}

// Stamp in ns and direction of each packet of a capture.
fn packets(file: &str) -> Vec<(u64, u32)> {
    let file = std::fs::read(file).unwrap();
    let word = |at: usize| u32::from_le_bytes(file[at..at + 4].try_into().unwrap());
    let (mut at, mut all) = (0, Vec::new());
    while at < file.len() {
        if word(at) == 6 {
            let option = at + 28 + (word(at + 20) as usize).next_multiple_of(4);
            all.push((u64::from(word(at + 12)) << 32 | u64::from(word(at + 16)), word(option + 4)));
        }
        at += word(at + 4) as usize;
    }
    all
}

/// A frame of no possible length ends the connection and is told; the end is free for another
/// machine. While it is taken, others are sent away.
#[test]
fn machines_that_break_the_protocol_are_left() {
    let bump = Bump::start(&[]);
    for bytes in [0u32, 13, 9_729, u32::MAX] {
        let mut machine = bump.machine(1);
        machine.0.write_all(&bytes.to_be_bytes()).unwrap();
        assert!(machine.is_closed(), "{bytes} bytes");
    }
    let mut first = bump.machine(0);
    let mut second = bump.machine(0);
    assert!(second.is_closed());
    // The first one is still heard, though nobody takes its frames.
    for _ in 0..5 {
        first.send(&[1; 64]);
    }
    // A frame cut off by the end of its machine is no frame.
    first.0.write_all(&[0, 0, 0, 99, 1, 2]).unwrap();
    drop(first);
    while UnixStream::connect(&bump.paths[0])
        .map(Machine)
        .is_ok_and(|mut m| m.0.set_read_timeout(Some(Duration::from_millis(50))).is_ok() && m.is_closed())
    {}
    let (summary, said) = bump.stop();
    assert_eq!(summary["host"]["came_frames"], 5, "{summary}");
    assert_eq!(summary["network"]["untaken_frames"], 5, "{summary}");
    for words in ["a frame of 13 bytes, where 14 to 9728 are possible", "a frame of 9729 bytes", "refused a machine at the host's end"] {
        assert!(said.contains(words), "{said}");
    }
}

#[test]
fn options_that_cannot_be_are_told() {
    let program = |more: &[&str]| {
        let mut program = Command::new(env!("CARGO_BIN_EXE_timely-sim"));
        program.args(["wire", "--model", "--host", "/nowhere/h", "--network", "/nowhere/n", "--registers", "/nowhere/r"]).args(more);
        let output = program.output().unwrap();
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    };
    for (options, code, words) in [
        (&[][..], 1, "make that folder, or choose another path"),
        (&["--host-pcap", "/nowhere/f"], 1, "/nowhere/f: No such file or directory"),
        (&["--host-pcap", "/tmp/f", "--network-pcap", "/tmp/f"], 1, "are one file; name two"),
        (&["--gbps", "101"], 2, "0.001 to 100 Gb/s"),
        (&["--flow-bits", "3"], 2, "4 to 16"),
    ] {
        let (found, said) = program(options);
        assert!(found == Some(code) && said.contains(words), "{options:?}: {found:?} {said}");
    }
    // Without --model the Verilog has to come from somewhere, that of each form.
    for (more, words) in [
        (&[][..], "emit it with `timely-hw emit --shell opennic --flow-bits 10 --out DIR`"),
        (&["--roce"], "emit it with `timely-hw emit --shell opennic --roce --flow-bits 10 --out DIR`"),
    ] {
        let mut program = Command::new(env!("CARGO_BIN_EXE_timely-sim"));
        program.args(["wire", "--host", "/nowhere/h", "--network", "/nowhere/n", "--registers", "/nowhere/r"]).args(more);
        let output = program.env_remove("TIMELY_VERILOG").output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.code() == Some(1) && said.contains(words), "{more:?}: {said}");
    }
}
