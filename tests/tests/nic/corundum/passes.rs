//! Frames that pass the block, and ACKs that it inserts.
use super::super::inline::{OWN, OWN_MAC, OWN6, PEER, PEER_MAC, data, is_ack, left_out};
use super::card::{Card, Registers};
use super::shell::{BOARDS, Board, fitted, generating, widest};
use super::{GENERATOR, NONE};
use rand::Rng;
use std::collections::VecDeque;
use std::net::{Ipv4Addr, Ipv6Addr};
use std::sync::Arc;
use timely_hw::shells::Extras;
use timely_hw::shells::corundum::ports;
use timely_model::mark::PLACE;
use timely_regs::counters::Counter;
use timely_regs::device::Device;
use timely_regs::flow::FlowRecord;
use timely_regs::map::port;
use timely_regs::parameters::Parameters;
use timely_regs::wire::{Addresses, Class, FIRST, Header, LAST, Packet};
use timely_tests::frames::{Fault, class, envelope};
use timely_tests::nic::PORT;
use timely_tests::{few_seeds, rng, thorough};
use timely_verilate::Library;

/// A card whose responder answers, with a profile and flows.
pub fn prepared(board: &Board, flows: u32, seed: u64) -> Card {
    prepared_with(board, NONE, flows, seed)
}

/// A prepared card with extras.
pub fn prepared_with(board: &Board, extras: Extras, flows: u32, seed: u64) -> Card {
    prepared_on(&super::library(board, false, extras), board, extras, flows, seed)
}

/// A prepared card with extras, of that library.
pub fn prepared_on(library: &Arc<Library>, board: &Board, extras: Extras, flows: u32, seed: u64) -> Card {
    let card = Card::new(library, board, rng(seed));
    let mut card = if extras.generator { card } else { card.beside_model(board, false) };
    with(&mut card, |d| {
        d.wait_ready().expect("cleared RAMs");
        d.set_mac(OWN_MAC).expect("a register");
        d.set_ipv4(OWN.into()).expect("a register");
        d.write(&port::UDP_PORT, PORT.into()).expect("a register");
        d.set_ipv6(OWN6.into()).expect("a register");
        d.allow(&[(Ipv4Addr::UNSPECIFIED.into(), 0), (Ipv6Addr::UNSPECIFIED.into(), 0)]).expect("a list");
        d.write(&port::ACK_ENABLE, 1).expect("a register");
        d.write(&port::NS_PER_BYTE, 52429).expect("a register");
        let profile = Parameters { outstanding_bytes: 0, ..Parameters::timely_10g(20.0) };
        d.write_profile(0, &profile.quantise().expect("a profile")).expect("a profile");
        let record = FlowRecord { enable: true, payload_bytes: 1424, address: PEER.into(), ..FlowRecord::default() };
        (0..flows).for_each(|flow| d.load_flow(flow, &record).expect("a flow"));
        d.key_nonces(1).expect("a key");
        d.enable(true).expect("a register");
    });
    card
}

/// Registers as software has them.
pub fn with<T>(card: &mut Card, what: impl FnOnce(&Device<&Registers<'_>>) -> T) -> T {
    let registers = Registers(card.into());
    what(&Device::open(&registers).expect("the register map"))
}

/// Streams that are not ours are wires: whatever is on them, of every port and either way, at the
/// same clock.
#[test]
fn streams_that_are_not_ours_pass() {
    if left_out("nic::corundum") {
        return;
    }
    for board in &fitted(&BOARDS) {
        let library = super::library(board, false, NONE);
        let mut rng = rng(1);
        let mut dut = library.instantiate(1);
        let streams = ["direct_tx_", "direct_rx_", "sync_rx_", "if_tx_cpl_", "if_rx_"];
        let through = |name: &str| {
            let (side, rest) = name.split_once("_axis_")?;
            streams.iter().any(|s| rest.starts_with(s)).then(|| format!("{}_axis_{rest}", if side == "s" { "m" } else { "s" }))
        };
        let pairs: Vec<_> = ports()
            .iter()
            .filter(|p| p.output)
            .filter_map(|p| through(p.name).map(|other| (p.name, library.output(p.name), library.input(&other))))
            .collect();
        assert_eq!(pairs.len(), 34, "signals of streams that pass");
        // Of interfaces behind ours, what the block else has its hands on.
        let (others, bits) = (board.values(&[])["PORT_COUNT"] as usize - 1, board.bus);
        for _ in 0..500 {
            let given: Vec<Vec<u8>> = pairs
                .iter()
                .map(|(name, out, input)| {
                    let width = library.ports().iter().find(|p| p.name == *name).expect("a port").width;
                    let mut bytes: Vec<u8> = (0..width.div_ceil(32) * 4).map(|_| rng.random()).collect();
                    bytes
                        .iter_mut()
                        .enumerate()
                        .for_each(|(i, b)| *b &= (0xff_u32.checked_shr((8 * i + 8).saturating_sub(width) as u32).unwrap_or(0)) as u8);
                    dut.set_bytes(*input, &bytes);
                    let _ = out;
                    bytes
                })
                .collect();
            let data: Vec<u8> = (0..(others + 1) * bits / 8).map(|_| rng.random()).collect();
            dut.set_bytes(library.input("s_axis_sync_tx_tdata"), &data);
            dut.set(library.input("s_axis_sync_tx_tvalid"), rng.random_range(0..2) << 1);
            dut.set_bytes(library.input("s_axis_if_tx_tdata"), &data);
            let level = rng.random_range(0..2) << 1;
            for name in ["s_axis_if_tx_tvalid", "m_axis_if_tx_tready"] {
                dut.set(library.input(name), level);
            }
            dut.settle();
            for ((name, out, _), given) in pairs.iter().zip(&given) {
                assert_eq!(&dut.get_bytes(*out), given, "{board:?}: {name}");
            }
            if others > 0 {
                for name in ["m_axis_sync_tx_tdata", "m_axis_if_tx_tdata"] {
                    assert_eq!(dut.get_bytes(library.output(name))[bits / 8..], data[bits / 8..], "{board:?}: {name}");
                }
                for name in ["m_axis_if_tx_tvalid", "s_axis_if_tx_tready"] {
                    assert_eq!(dut.get(library.output(name)) & 2, level, "{board:?}: {name}");
                }
            }
            dut.tick();
        }
    }
}

/// Ends of segments get places in the departure ring as they leave their queues, one after the
/// other; with a generator, which has the lower half of the ring, in the upper half. Their
/// checksums stay right, and nothing else of them or of other frames changes.
#[test]
fn ends_of_segments_get_places() {
    if left_out("nic::corundum") {
        return;
    }
    let plain = widest().into_iter().map(|b| (b, NONE));
    let generating = generating().into_iter().map(|b| (b, GENERATOR));
    for (board, extras) in plain.chain(generating) {
        let bits = timely_regs::map::ring_bits(board.bus as u32);
        let base = if extras == GENERATOR { 1 << (bits - 1) } else { 0 };
        let mut card = prepared_with(&board, extras, 8, 3);
        card.places = true;
        let mut n = 0;
        while card.placed.len() < 300 {
            if n < 300 && card.on_their_way() < 8 {
                let flags = [FIRST | LAST, LAST, FIRST][n as usize % 3];
                let mut bytes = data(n % 8, n, flags, [90, 128, 1514][n as usize % 7 % 3], true);
                bytes[Class::default().header()] = if n % 5 == 4 { 1 } else { 2 };
                Packet::new_unchecked(&mut bytes[..], Class::default()).fill_checksums();
                card.transmit(n, (n % 8) as u16, bytes);
                n += 1;
            }
            card.tick();
            assert!(card.clk() < 1_000_000, "frames stay inside, {board:?}");
        }
        let mut places = 0;
        for (n, (before, after)) in card.placed.iter().enumerate() {
            let mut expected = before.clone();
            if n % 3 != 2 && n % 5 != 4 {
                let place = base | places & ((1 << bits) - 1) as u16;
                expected[Class::default().header() + PLACE..][..2].copy_from_slice(&place.to_be_bytes());
                Packet::new_unchecked(&mut expected[..], Class::default()).fill_checksums();
                places += 1;
            }
            assert_eq!(*after, expected, "frame {n}, {board:?}");
        }
        assert_eq!(places, 160);
    }
}

/// Frames of every kind both ways, in gaps and stalls: each comes out once, byte for byte, in its
/// order, with its tag or stamp; every segment is answered; completions of the core's frames reach
/// it once, those of ACKs do not.
#[test]
fn frames_pass_whole_and_completions_once() {
    if left_out("nic::corundum") {
        return;
    }
    let plain = widest().into_iter().map(|b| (b, NONE));
    let generating = generating().into_iter().map(|b| (b, GENERATOR));
    for (board, extras) in plain.chain(generating) {
        for seed in few_seeds() {
            pass(&board, extras, seed);
        }
    }
}

fn pass(board: &Board, extras: Extras, seed: u64) {
    let mut card = prepared_with(board, extras, 8, seed);
    let mut rng = rng(seed ^ 9);
    let (mut down, mut up) = (VecDeque::new(), VecDeque::new());
    let (mut answers, mut ours, mut acks, mut n, mut bads) = (0, 0, 0, 0u32, 0);
    let mut quiet = 0;
    let frames = if thorough() { 1200 } else { 500 };
    // A frame of 9,000 bytes may take 20,000 clocks in the worst weather.
    while quiet < 3000 || quiet < 60_000 && (n < frames || !down.is_empty() || !up.is_empty()) {
        if card.clk().is_multiple_of(2000) {
            let level = |r: &mut dyn rand::RngCore| [0.3, 0.8, 1.0][r.random_range(0..3)];
            card.weather(level(&mut rng), level(&mut rng));
        }
        // No more than the core has descriptors for.
        if n < frames && card.on_their_way() < 8 && card.arriving() < 8 {
            let queue = rng.random_range(0..8u16);
            let bytes = if rng.random_bool(0.5) {
                let flow = if rng.random_bool(0.8) { queue.into() } else { rng.random_range(0..2000) };
                ours += u32::from(flow == u32::from(queue));
                data(flow, n, FIRST | LAST, [90, 128, 129, 1514, 9000][rng.random_range(0..5)], true)
            } else {
                let class = class(&mut rng);
                Fault::Corrupted.frame(&mut rng, class, 9)
            };
            down.push_back((bytes.clone(), u128::from(card.tag(n)) << 1));
            card.transmit(n, queue, bytes);
            let bad = rng.random_bool(0.1);
            let bytes = if rng.random_bool(0.4) {
                answers += u32::from(!bad);
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
                let mut bytes = vec![0; rng.random_range(60..2000)];
                rng.fill(&mut bytes[12..]);
                bytes
            };
            bads += u32::from(bad);
            up.push_back((bytes.clone(), bad));
            let at = card.clk() + rng.random_range(0..300);
            card.arrive(at, bytes, bad);
            n += 1;
        }
        card.tick();
        quiet += 1;
        for f in std::mem::take(&mut card.sent) {
            quiet = 0;
            if is_ack(&f.bytes) {
                acks += 1;
                let tag = (card.tag(0) - 1) << 1;
                assert_eq!(f.user, u128::from(tag), "tag of an ACK, seed {seed}");
                continue;
            }
            let (bytes, user) = down.pop_front().expect("a frame that nobody sent");
            assert!(
                timely_tests::frames::with_its_place(&bytes, &f.bytes, PORT) == f.bytes && user == f.user,
                "a frame is not the one that was due, {board:?}, seed {seed}"
            );
        }
        for f in std::mem::take(&mut card.received) {
            quiet = 0;
            let (bytes, bad) = up.pop_front().expect("a frame that did not arrive");
            assert!(bytes == f.bytes && f.user & 1 == u128::from(bad), "a received frame is another, {board:?}, seed {seed}");
        }
    }
    assert!(down.is_empty() && up.is_empty(), "frames are lost, {board:?}, seed {seed}");
    let own = |c: &&(u64, _)| c.0 & card.tag(0) != 0;
    let stamped: Vec<_> = card.stamped.iter().filter(own).copied().collect();
    assert_eq!(card.completed, stamped, "completions of the core's, {board:?}, seed {seed}");
    let [full, share, sent, bad] = with(&mut card, |d| {
        let all = d.counters().expect("counters");
        [Counter::AcksDropped, Counter::AckShareExceeded, Counter::TxFrames, Counter::RxBad].map(|c| all[c as usize])
    });
    let lost = full + share;
    assert_eq!((acks + lost, sent, bad), (answers, ours, bads), "{board:?}, seed {seed}");
    println!("{} bits, seed {seed}: {n} frames each way, {acks} ACKs, {lost} not sent, {ours} data frames of ours", board.bus);
}
