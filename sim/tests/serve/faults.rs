//! Faults of clients, and that they leave: the server stays, and serves the next one.
use crate::client::{
    CONFIG, Client, HELLO, MAP, PAGE, Pages, READ, Registers, SET_IRQS, Served, UNMAP, VERSION, WRITE, longs, message, options, words,
};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rustix::fd::{AsFd, BorrowedFd};
use std::fs::File;
use std::net::Shutdown;
use timely_regs::flow::FlowRecord;
use timely_regs::map::{MAGIC, dma, id};
use timely_regs::pci;
use timely_regs::telemetry::TelemetryRecord;
use timely_sim::scenario::NicKind;

const EBUSY: u32 = 16;

/// The server serves, and a fresh client finds a NIC in order.
fn works(served: &Served) {
    let registers = Registers::open(&served.path);
    let memory = Pages::new(&registers, 0x1_0000, 1);
    let device = registers.device();
    device.start_dma().unwrap();
    device.load_flows(&memory, 0, &[FlowRecord { enable: true, ..Default::default() }]).unwrap();
    device.stop_dma().unwrap();
}

/// One of the protocol's messages, with values that are often right.
fn plausible(rng: &mut ChaCha8Rng) -> (u16, Vec<u8>) {
    let region = [0, 0, 2, CONFIG, CONFIG, 5, rng.random()][rng.random_range(0..7)];
    let bytes = [4, 4, 4, 1, 2, 8, 64, 4096, 4097, rng.random()][rng.random_range(0..10)];
    let offset = match rng.random_range(0..4) {
        0 => rng.random::<u64>(),
        1 => rng.random_range(0..1 << 24),
        _ => rng.random_range(0u64..0x400) * 4,
    };
    let (address, size) = (rng.random_range(0u64..16) * PAGE + rng.random_range(0u64..2), rng.random_range(0u64..5) * PAGE);
    let flags = [3, 1, 0, rng.random()][rng.random_range(0..4)];
    match rng.random_range(0..10) {
        0 => (VERSION, HELLO.to_vec()),
        1 => (MAP, [words(&[32, flags]), longs(&[rng.random_range(0u64..4) * PAGE, address, size])].concat()),
        2 => (UNMAP, [words(&[24, flags & 3]), longs(&[address, size])].concat()),
        3 => (4 + rng.random_range(0..4), words(&[32, 0, rng.random_range(0..12), 0, 0, 0, 0, 0])),
        4 => {
            let (start, count) = (rng.random_range(0..8), [1, 2, 0, 6, rng.random()][rng.random_range(0..5)]);
            let flags = [0x21, 0x22, 0x24, rng.random()][rng.random_range(0..4)];
            (SET_IRQS, [words(&[20, flags, rng.random_range(1..4), start, count]), vec![1; rng.random_range(0..8)]].concat())
        }
        5 | 6 => (READ, [longs(&[offset]), words(&[region, bytes])].concat()),
        7 | 8 => {
            let data: Vec<u8> = (0..bytes.min(4100)).map(|_| rng.random()).collect();
            (WRITE, [longs(&[offset]), words(&[region, bytes]), data].concat())
        }
        _ => (rng.random_range(0..20), (0..rng.random_range(0..64)).map(|_| rng.random()).collect()),
    }
}

/// Ten thousand messages, most of them broken: each is answered or ends its connection, and the
/// server serves on.
#[test]
fn malformed_messages() {
    let seed = std::env::var("TIMELY_SEED").ok().and_then(|s| s.parse().ok()).unwrap_or(1u64);
    println!("TIMELY_SEED={seed}");
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let served = Served::start(&options(NicKind::Model), false);
    let file = File::from(rustix::fs::memfd_create("malformed", rustix::fs::MemfdFlags::CLOEXEC).unwrap());
    file.set_len(4 * PAGE).unwrap();
    let (pipe, _kept) = rustix::pipe::pipe().unwrap();
    let (mut sent, mut fine, mut refused, mut ended) = (0, 0, 0, 0);
    while sent < 10_000 {
        let mut client = Client::silent(&served.path);
        let mut bytes = Vec::new();
        if rng.random_bool(0.9) {
            bytes.extend(message(0, VERSION, 0, HELLO));
        }
        for _ in 0..rng.random_range(1..24) {
            sent += 1;
            let (command, payload) = plausible(&mut rng);
            let flags = if rng.random_bool(0.05) { rng.random() } else { 0 };
            let start = bytes.len();
            bytes.extend(message(rng.random(), command, flags, &payload));
            match rng.random_range(0..20) {
                // A size that is wrong, by a little or by much.
                0 => {
                    let size = match rng.random_range(0..4) {
                        0 => rng.random_range(0..16),
                        1 => rng.random(),
                        _ => (bytes.len() - start) as u32 + rng.random_range(0..9) - 4,
                    };
                    bytes[start + 4..start + 8].copy_from_slice(&size.to_ne_bytes());
                }
                1 => {
                    let at = rng.random_range(start..bytes.len());
                    bytes[at] ^= 1 << rng.random_range(0..8);
                }
                2 => bytes.truncate(rng.random_range(start..bytes.len())),
                3 | 4 => {
                    // A message that is sent by itself may bring descriptors.
                    let count = [0, 1, 1, 2, 16, 17, 30][rng.random_range(0..7)];
                    let one = if rng.random_bool(0.8) { file.as_fd() } else { pipe.as_fd() };
                    let fds: Vec<BorrowedFd> = std::iter::repeat_n(one, count).collect();
                    if client.send(&bytes, &fds).is_err() {
                        break;
                    }
                    bytes.clear();
                }
                _ => {}
            }
        }
        // The server may have closed the connection already.
        let _ = client.send(&bytes, &[]);
        let _ = client.stream().shutdown(Shutdown::Write);
        while let Some((header, _)) = client.reply() {
            if header[8] & 0x20 == 0 { fine += 1 } else { refused += 1 }
        }
        ended += 1;
    }
    println!("{sent} messages: {fine} done, {refused} refused, {ended} connections");
    assert!(fine > 1000 && refused > 1000, "the messages test little");
    works(&served);
}

#[test]
fn a_second_client_is_refused() {
    let served = Served::start(&options(NicKind::Model), false);
    let mut first = Client::connect(&served.path);
    for _ in 0..20 {
        assert_eq!(Client::silent(&served.path).call(VERSION, HELLO, &[]), Err(EBUSY));
    }
    // Silent connections are in no client's way, however many.
    let silent: Vec<Client> = (0..20).map(|_| Client::silent(&served.path)).collect();
    assert_eq!(first.read(0, id::MAGIC_WORD.address().into(), 4).unwrap(), MAGIC.to_le_bytes());
    drop(silent);
    // One that has left is no client, whatever it has said last.
    let unheard = message(0, READ, 0x10, &[longs(&[0]), words(&[0, 4])].concat()).repeat(100);
    first.send(&unheard, &[]).unwrap();
    drop(first);
    works(&served);
}

#[test]
fn a_client_that_says_nothing() {
    let served = Served::start(&options(NicKind::Model), false);
    // The silent connection is the client, and may stop in the middle of a header, or of a message.
    for bytes in [&[][..], &[1, 0, 1], &message(0, VERSION, 0, HELLO)[..20]] {
        let silent = Client::silent(&served.path);
        silent.send(bytes, &[]).unwrap();
        assert_eq!(Client::silent(&served.path).call(VERSION, HELLO, &[]), Err(EBUSY));
    }
    works(&served);
    // One that does not take its replies.
    let deaf = Client::connect(&served.path);
    deaf.stream().set_nonblocking(true).unwrap();
    let read = message(0, READ, 0, &[longs(&[0]), words(&[CONFIG, 4096])].concat());
    let taken = (0..100_000).take_while(|_| deaf.send(&read, &[]).is_ok()).count();
    assert!(taken < 100_000, "the server reads what it cannot answer");
    assert_eq!(Client::silent(&served.path).call(VERSION, HELLO, &[]), Err(EBUSY));
    drop(deaf);
    works(&served);
}

#[test]
fn who_does_not_say_hello_is_told_so() {
    let served = Served::start(&options(NicKind::Model), false);
    let hellos: [&[u8]; 6] = [b"", b"\x01\0\0\0", b"\0\0\x01\0{}", b"\0\0\x01\0{\0", b"\0\0\x01\0[]\0", b"\0\0\x01\0\xff\xfe\0"];
    for hello in hellos {
        let mut client = Client::silent(&served.path);
        assert_eq!(client.call(VERSION, hello, &[]), Err(22), "{hello:?}");
        assert!(client.reply().is_none(), "the connection is closed");
    }
    let mut client = Client::silent(&served.path);
    assert_eq!(client.call(4, &words(&[16, 0, 0, 0]), &[]), Err(71), "no hello");
    assert!(client.reply().is_none());
    let mut plain = Client::silent(&served.path);
    assert_eq!(plain.call(VERSION, b"\0\0\0\0", &[]).unwrap()[..4], [0; 4], "without any text, in version 0.0");
    assert_eq!(plain.call(VERSION, HELLO, &[]), Err(22), "twice");
    drop(plain);
    works(&served);
}

/// Whatever a client was doing, the next one finds a NIC that was reset; and nothing of the NIC's
/// reaches the first one's memory.
#[test]
fn a_client_that_leaves() {
    for kind in [NicKind::Model, NicKind::Rtl] {
        let served = Served::start(&options(kind), false);
        for round in 0..6u32 {
            let registers = Registers::open(&served.path);
            let memory = Pages::new(&registers, 0x1_0000, 32);
            let device = registers.device();
            assert_eq!(device.read(&id::CONTROL).unwrap(), 0, "{kind}: the last client's setting");
            device.enable(true).unwrap();
            device.start_dma().unwrap();
            let values = [0x1_0000, 0, 0, 1024, dma::START];
            dma::SNAPSHOT.iter().zip(values).for_each(|(r, v)| device.write(r, v).unwrap());
            for _ in 0..round {
                device.read(&dma::STATUS).unwrap();
            }
            if round % 2 == 0 {
                // In the middle of a message.
                registers.client(|c| c.send(&message(0, READ, 0, &[0; 16])[..21], &[])).unwrap();
            }
            drop(registers);
            // The client is gone when another one is let in.
            drop(Registers::open(&served.path));
            // A write would make it longer again.
            memory.file.set_len(0).unwrap();
            drop(Registers::open(&served.path));
            assert_eq!(memory.file.metadata().unwrap().len(), 0);
        }
    }
}

/// A client that only looks leaves nothing behind, though the NIC, which has many flows to clear,
/// is not ready yet.
#[test]
fn a_client_that_only_looks() {
    let mut many = options(NicKind::Model);
    many.flow_bits = 16;
    let served = Served::start(&many, true);
    drop(Client::connect(&served.path));
    assert_eq!(Registers::open(&served.path).device().read(&id::ERROR).unwrap(), 0);
}

#[test]
fn a_kept_nic_is_found_again_without_dma() {
    let served = Served::start(&options(NicKind::Model), true);
    let registers = Registers::open(&served.path);
    let memory = Pages::new(&registers, 0x1_0000, 32);
    let device = registers.device();
    device.enable(true).unwrap();
    device.load_flow(5, &FlowRecord { enable: true, ..Default::default() }).unwrap();
    let then = TelemetryRecord::from_words(&device.query_flow(5).unwrap());
    device.start_dma().unwrap();
    device.read(&dma::STATUS).unwrap();
    drop(registers);
    let mut client = Client::connect(&served.path);
    assert_eq!(client.read(CONFIG, pci::COMMAND.into(), 2).unwrap()[0] & pci::COMMAND_MASTER as u8, 0);
    drop(client);
    let registers = Registers::open(&served.path);
    let device = registers.device();
    assert_eq!(device.read(&id::CONTROL).unwrap(), 1);
    assert_eq!(TelemetryRecord::from_words(&device.query_flow(5).unwrap()).timeless(), then.timeless());
    assert_eq!(device.read(&dma::STATUS).unwrap(), 1 << dma::IDLE.low, "DMA was stopped");
    drop(memory);
}
