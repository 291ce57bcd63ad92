//! Captures: by a small reader of our own, and by tshark with our dissector where there is one.
use std::io::{Write, stdout};
use std::path::Path;
use std::process::Command;
use timely_regs::wire::{Kind, Packet};
use timely_sim::cores;
use timely_sim::frame::UDP_PORT;
use timely_sim::pcapng::Capture;
use timely_sim::scenario::build;
use timely_sim::scenario::{NicKind, file};
use timely_sim::time::NS;

fn u32_at(b: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(b[at..at + 4].try_into().expect("four bytes"))
}

// The packets of a file: stamp in ns, direction, original length, bytes.
fn packets(file: &[u8]) -> Vec<(u64, u32, u32, Vec<u8>)> {
    let (mut at, mut all) = (0, Vec::new());
    while at < file.len() {
        let (kind, length) = (u32_at(file, at), u32_at(file, at + 4) as usize);
        assert!(length % 4 == 0 && u32_at(file, at + length - 4) as usize == length, "a block's two lengths");
        if kind == 6 {
            let word = |i: usize| u32_at(file, at + 8 + 4 * i);
            let (captured, data) = (word(3) as usize, at + 28);
            let option = data + captured.next_multiple_of(4);
            assert_eq!(u32_at(file, option), 2 | 4 << 16, "the direction");
            let ns = u64::from(word(1)) << 32 | u64::from(word(2));
            all.push((ns, u32_at(file, option + 4), word(4), file[data..data + captured].to_vec()));
        }
        at += length;
    }
    all
}

fn capture(kind: NicKind, port: (u16, u16)) -> Capture {
    let text = "duration_ms = 1\n[topology]\nhosts = 3\n[[flow]]\nfrom = [0, 1]\nto = 2\nbytes = 20000\nstagger_us = 50\n";
    let mut plan = file::parse(Path::new("test.toml"), text).expect("valid");
    plan.nic.kind = kind;
    plan.capture = vec![port];
    build::run(plan, &*cores::factory(), |_| {}).expect("runs").captures.remove(0)
}

/// All data of both flows leaves by the port to host 2, and all ACKs come in by it, in the order of
/// time.
#[test]
fn a_capture_has_every_frame_of_its_port() {
    for kind in [NicKind::Model, NicKind::Paced] {
        let capture = capture(kind, (3, 2));
        let all = packets(&capture.file());
        assert_eq!(all.len(), capture.frames.len());
        assert!(all.windows(2).all(|w| w[0].0 <= w[1].0));
        let (mut data, mut acks) = (0, 0);
        for ((ns, direction, length, bytes), passed) in all.iter().zip(&capture.frames) {
            assert_eq!((*ns, *length, &bytes[..]), (passed.at / NS, passed.bytes, &passed.data[..]));
            let ack = if kind == NicKind::Model {
                Packet::new_checked(&bytes[..], UDP_PORT).expect("well-formed").kind() == Kind::Ack
            } else {
                bytes[42 + 1] & timely_regs::wire::ACK != 0
            };
            assert_eq!(*direction, if ack { 1 } else { 2 }, "ACKs come in, data leaves");
            if ack { acks += 1 } else { data += 1 }
        }
        println!("{kind}: {data} data packets and {acks} ACKs");
        assert_eq!((data, acks), (40, 20));
    }
}

/// tshark reads the file, and the dissector every field.
#[test]
fn tshark_dissects_a_capture() {
    if Command::new("tshark").arg("--version").output().is_err() {
        // Past the test's capture, for `cargo xtask test` to tell.
        writeln!(stdout(), "left out: pcapng::tshark_dissects_a_capture: there is no tshark here (Debian: apt-get install tshark)")
            .expect("stdout");
        return;
    }
    let capture = capture(NicKind::Model, (3, 2));
    let path = std::env::temp_dir().join(format!("timely-{}.pcapng", std::process::id()));
    std::fs::write(&path, capture.file()).expect("written");
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/wireshark/timely.lua");
    let fields = [
        "frame.time_epoch",
        "frame.len",
        "timely.flow",
        "timely.segment",
        "timely.packet",
        "timely.flags",
        "timely.nonce",
        "timely.segment_bytes",
        "timely.ttl_sent",
        "timely.residence_ns",
    ];
    let mut command = Command::new("tshark");
    command.arg("-r").arg(&path).arg("-X").arg(format!("lua_script:{}", script.display())).args(["-T", "fields", "-E", "separator=,"]);
    fields.iter().for_each(|f| {
        command.args(["-e", f]);
    });
    let out = command.output().expect("it runs");
    std::fs::remove_file(path).expect("removed");
    let text = String::from_utf8_lossy(&out.stdout);
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), capture.frames.len(), "{}", String::from_utf8_lossy(&out.stderr));
    let mut residences = Vec::new();
    for (line, f) in lines.iter().zip(&capture.frames) {
        let got: Vec<&str> = line.split(',').collect();
        let p = Packet::new_checked(&f.data[..], UDP_PORT).expect("well-formed");
        let ns = f.at / NS;
        let ack = p.kind() == Kind::Ack;
        let header: &[u8; 48] = f.data[42..90].try_into().expect("a header");
        let header = timely_regs::wire::Header::read(header);
        let expected = [
            format!("{}.{:09}", ns / 1_000_000_000, ns % 1_000_000_000),
            f.bytes.to_string(),
            header.flow.to_string(),
            header.segment.to_string(),
            header.packet.to_string(),
            format!("0x{:02x}", header.flags),
            format!("0x{:08x}", header.nonce),
            header.segment_bytes.to_string(),
            header.ttl_sent.to_string(),
        ];
        assert_eq!(got[..9], expected, "{line}");
        if ack {
            let ours = (header.departure - header.arrival) as f64 / 65_536.0;
            let theirs: f64 = got[9].parse().expect("a number");
            // Stamps of 64 bits are doubles there.
            assert!((ours - theirs).abs() < 0.1, "{ours} {theirs}");
            residences.push(ours);
        } else {
            assert_eq!(got[9], "");
        }
    }
    println!(
        "{} lines; residences {:.1} to {:.1} ns",
        lines.len(),
        residences.iter().copied().fold(f64::MAX, f64::min),
        residences.iter().copied().fold(0.0, f64::max)
    );
    assert!(residences.len() == 20);
}
