//! `timely_hw::ack` against `timely_model::ack`, every output at every clock; and what a responder
//! must never do, on the model.
mod answers;
mod loss;

use rand::Rng;
use std::collections::VecDeque;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use timely_model::parse::{FRONT, Report, kind};
use timely_model::{Block, ack, stream::Assembler};
use timely_regs::counters::{COUNTERS, Counter};
use timely_regs::map::port::{ALLOW, ALLOW_IPV4, ALLOW_IPV6, ALLOW_PREFIX};
use timely_regs::wire::{ACK, Addresses, DEFAULT_PORT, Envelope, FIRST, HEADER_BYTES, Header, Kind, LAST, Packet, READ};
use timely_tests::axis::Taken;
use timely_tests::{Runs, cycles, quick, rng, seeds, verilate};

const MAC: [u8; 6] = [0x02, 0x11, 0x22, 0x33, 0x44, 0x55];
const PORT: u16 = DEFAULT_PORT;
const IPV4: [u8; 4] = [10, 2, 0, 9];
const IPV6: [u8; 16] = [0xfd, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x12, 0x34];

fn config() -> ack::Config {
    // More than leaves.
    let rate = u32::MAX;
    ack::Config { enable: true, mac: MAC, ipv4: IPV4, ipv6: IPV6, prefix4: 24, port: PORT, vlan: 0, tos: 0xb8, ttl: 63, rate }
}

/// A prefix as an operator writes it.
type Network = (IpAddr, u32);

/// Peers in 10.1.0.0/16 and fd00:1::/32 are answered.
fn peers() -> [Network; 2] {
    [("10.1.0.0".parse().unwrap(), 16), ("fd00:1::".parse().unwrap(), 32)]
}

/// The writes of an entry of the allow list: its four words, then its length and family.
fn entry(i: u32, (address, length): Network) -> Vec<(u32, u32)> {
    let (bytes, family) = match address {
        IpAddr::V4(a) => (u128::from(u32::from_le_bytes(a.octets())), 1 << ALLOW_IPV4.low),
        IpAddr::V6(a) => (u128::from_le_bytes(a.octets()), 1 << ALLOW_IPV6.low),
    };
    let words = (0..4).map(|j| (ALLOW.word() + 4 * i + j, (bytes >> (32 * j)) as u32));
    words.chain([(ALLOW_PREFIX.word() + i, family | length)]).collect()
}

/// A data packet that a responder with this configuration answers.
fn welcome(rng: &mut impl Rng, config: &ack::Config) -> (Envelope, Header, usize) {
    let mut v6 = rng.random::<[u8; 16]>();
    v6[..4].copy_from_slice(&[0xfd, 0, 0, 1]);
    let addresses = if rng.random() {
        Addresses::V4 { source: [10, 1, rng.random(), rng.random()], destination: config.ipv4 }
    } else {
        Addresses::V6 { source: v6, destination: config.ipv6 }
    };
    let mut peer: [u8; 6] = rng.random();
    peer[0] &= 0xfe;
    let tagged = config.vlan != 0 || rng.random_bool(0.3);
    let envelope = Envelope {
        mac_destination: config.mac,
        mac_source: peer,
        tci: tagged.then(|| rng.random::<u16>() & 0xf000 | config.vlan),
        addresses,
        tos: rng.random(),
        ttl: rng.random(),
        port_source: rng.random(),
        port_destination: config.port,
    };
    let header = Header {
        flags: LAST | rng.random::<u8>() & (FIRST | READ),
        packet: rng.random(),
        place: rng.random(),
        flow: rng.random::<u16>().into(),
        nonce: rng.random(),
        segment: rng.random(),
        segment_bytes: rng.random(),
        charged_bytes: rng.random(),
        ttl_sent: rng.random(),
        ..Header::default()
    };
    (envelope, header, rng.random_range(0..200))
}

/// The parser's report of a packet.
fn report(envelope: &Envelope, header: &Header, payload: usize, stamp: u64) -> Report {
    let frame = envelope.frame(header, &vec![0xa5; payload]);
    let packet = Packet::new_unchecked(&frame[..], envelope.class());
    let (mut head, mut ours) = ([0; FRONT], [0; HEADER_BYTES]);
    head.copy_from_slice(&frame[..FRONT]);
    ours.copy_from_slice(packet.header());
    let kind = if packet.kind() == Kind::Ack { kind::ACK } else { kind::DATA };
    Report { kind, reason: 0, class: packet.class(), head, header: ours, bytes: frame.len() as u16, stamp }
}

/// Hosts that entries of random lengths hold, or just miss.
const PEER4: [u8; 4] = [10, 1, 77, 200];
const PEER6: [u8; 16] = [0xfd, 0, 0, 1, 0x96, 0x3c, 0x0f, 0xa5, 0x5a, 0xf0, 0xc3, 0x69, 0x12, 0xed, 0x84, 0x7b];

fn source(a: &mut Addresses) -> &mut [u8] {
    match a {
        Addresses::V4 { source, .. } => source,
        Addresses::V6 { source, .. } => source,
    }
}

fn destination(a: &mut Addresses) -> &mut [u8] {
    match a {
        Addresses::V4 { destination, .. } => destination,
        Addresses::V6 { destination, .. } => destination,
    }
}

fn flip(bytes: &mut [u8], rng: &mut impl Rng) {
    bytes[rng.random_range(0..bytes.len())] ^= 1 << rng.random_range(0..8);
}

/// Addresses that no segment is answered from.
fn nobody(config: &ack::Config, ipv6: bool, rng: &mut impl Rng) -> Vec<u8> {
    if ipv6 {
        let (mut one, mut group) = ([0; 16], rng.random::<[u8; 16]>());
        (one[15], group[0]) = (rng.random_range(0..3), 0xff);
        [one, group, config.ipv6][rng.random_range(0..3)].to_vec()
    } else {
        let hosts = u32::MAX.checked_shr(config.prefix4.into()).unwrap_or(0);
        let broadcast = (u32::from_be_bytes(config.ipv4) | hosts).to_be_bytes();
        let [a, b, c]: [u8; 3] = rng.random();
        [[0; 4], [0, a, b, c], [127, a, b, c], [224 | a, a, b, c], [255; 4], config.ipv4, broadcast][rng.random_range(0..7)].to_vec()
    }
}

/// Any report: mostly welcome ones, and all that must not be answered.
fn any_report(rng: &mut impl Rng, config: &ack::Config) -> Report {
    let (mut e, mut h, payload) = welcome(rng, config);
    let ipv6 = e.class().ipv6;
    if rng.random_bool(0.3) {
        let host = source(&mut e.addresses);
        host.copy_from_slice(if ipv6 { &PEER6 } else { &PEER4 });
        if rng.random() {
            flip(host, rng);
        }
    }
    match rng.random_range(0..30) {
        0 => h.flags &= !LAST,
        1 => h.flags |= ACK,
        2 => e.mac_destination = [0xff; 6],
        3 => flip(&mut e.mac_destination, rng),
        4 => e.mac_source[0] |= 1,
        5 => e.mac_source = config.mac,
        6 => destination(&mut e.addresses)[0] = if ipv6 { 0xff } else { 224 + rng.random_range(0..32) },
        7 => destination(&mut e.addresses).fill(0),
        8 | 9 => flip(destination(&mut e.addresses), rng),
        10 => e.port_destination ^= 1 << rng.random_range(0..16),
        11 => std::mem::swap(&mut e.port_source, &mut e.port_destination),
        12 => e.tci = e.tci.map(|t| t ^ 1 << rng.random_range(0..16)),
        13 => e.tci = None,
        14..=17 => {
            let address = nobody(config, ipv6, rng);
            let host = source(&mut e.addresses);
            host.copy_from_slice(&address);
            // Now and then one beside those that are none: a bit off, or of another last byte.
            match rng.random_range(0..6) {
                0 => flip(host, rng),
                1 => *host.last_mut().expect("an address") = rng.random_range(0..3),
                2 if ipv6 => host[8 + rng.random_range(0..7)] ^= 1 << rng.random_range(0..8),
                _ => {}
            }
        }
        18 | 19 => flip(source(&mut e.addresses), rng),
        _ => {}
    }
    let mut r = report(&e, &h, payload, rng.random());
    if rng.random_bool(0.1) {
        r.kind = rng.random_range(0..4);
    }
    r
}

fn any_config(rng: &mut impl Rng) -> ack::Config {
    let mut c = config();
    c.enable = rng.random_bool(0.9);
    c.prefix4 = [24, 0, 8, 16, 25, 30, 31, 32, rng.random_range(0..=32)][rng.random_range(0..9)];
    c.rate = [c.rate, 1 << 24, 5 << 24, rng.random::<u32>() >> rng.random_range(0..32), 0][rng.random_range(0..5)];
    match rng.random_range(0..6) {
        0 => c.vlan = rng.random_range(0..4095),
        1 => (c.tos, c.ttl) = (rng.random(), rng.random()),
        2 => (c.ipv4, c.ipv6) = (rng.random(), rng.random()),
        3 => (c.ipv4, c.ipv6) = ([0; 4], [0; 16]),
        4 => (c.port, c.mac) = (rng.random(), rng.random()),
        _ => {}
    }
    c
}

/// Writes into the store: the list of [`peers`] at first, then entries of any length, single words,
/// other registers.
fn any_writes(rng: &mut impl Rng) -> Vec<(u32, u32)> {
    let i = rng.random_range(0..8);
    match rng.random_range(0..6) {
        0 => entry(i, (IpAddr::from(PEER4), rng.random_range(0..=32))),
        1 => entry(i, (IpAddr::from(PEER6), rng.random_range(0..=128))),
        2 => vec![(ALLOW_PREFIX.word() + i, rng.random::<u32>() & 0x3ff)],
        3 => vec![(ALLOW.word() + rng.random_range(0..32), rng.random())],
        // Another register, such as one whose number differs in a bit.
        4 if rng.random_bool(0.3) => vec![(rng.random_range(0..1024), rng.random())],
        4 => vec![((ALLOW.word() + rng.random_range(0..40)) ^ 1 << rng.random_range(6..10), rng.random())],
        _ => peers().into_iter().zip([i, i ^ 1]).flat_map(|(p, i)| entry(i, p)).collect(),
    }
}

/// Senders of which six share a row of the table.
fn streams(rng: &mut impl Rng) -> Vec<loss::Sender> {
    let row = |k: u16| loss::Sender::new((k as u8 % 2 + 1, 77 + 512 * (k / 2) + 64 * (k % 2)), 0, 1);
    let mut all: Vec<_> = (0..14).map(row).collect();
    all.iter_mut().for_each(|s| s.segment = rng.random());
    all
}

/// A packet of one of them, after others that are lost.
fn stream(rng: &mut impl Rng, senders: &mut [loss::Sender]) -> Report {
    let s = &mut senders[if rng.random() { 0 } else { rng.random_range(0..senders.len()) }];
    match rng.random_range(0..60) {
        0 => {
            s.segment =
                [0, rng.random(), s.segment.wrapping_sub(1), s.segment.wrapping_add(rng.random_range(0..1100))][rng.random_range(0..4)]
        }
        1 => (s.size, s.sent) = ([1, 2, 3, 8, 254, 255, 300][rng.random_range(0..7)], 0),
        2 => s.sent = s.size - 1,
        _ => {}
    }
    while rng.random_bool(0.05) {
        s.packet(rng);
    }
    s.packet(rng).0
}

fn lockstep<const W: usize, const K: usize>(name: &str) {
    let library = verilate(name, timely_hw::ack::Ack::<W, K>::new());
    let input = |name: &str| library.input(name);
    let (rst, now, m_tready) = (input("rst"), input("now"), input("m_tready"));
    let (enable, mac, tos, ttl) = (input("cfg_ack_enable"), input("cfg_mac"), input("cfg_ack_tos"), input("cfg_ack_ttl"));
    let (ipv4, ipv6, prefix4) = (input("cfg_ipv4"), input("cfg_ipv6"), input("cfg_prefix4"));
    let (port, vlan, rate) = (input("cfg_udp_port"), input("cfg_vlan"), input("cfg_ack_rate"));
    let (st_valid, st_word, st_data) = (input("st_valid"), input("st_word"), input("st_data"));
    let (valid, i_kind, class, head) = (input("i_valid"), input("i_kind"), input("i_class"), input("i_head"));
    let (hdr, len, ts) = (input("i_hdr"), input("i_len"), input("i_ts"));
    let (m, pulses) = (Taken::new(&library, "m"), library.output("pulses"));
    for seed in seeds() {
        let mut rng = rng(seed);
        let (mut offer, mut take) = (Runs::new(0.2, 60), Runs::new(0.7, 60));
        let mut dut = library.instantiate(seed as u32);
        let mut model = ack::Ack::new(W);
        let mut i = ack::In { config: config(), now: u64::MAX - 100_000, ..ack::In::default() };
        let mut counts = [0u32; COUNTERS];
        let mut writes = VecDeque::new();
        let mut senders = streams(&mut rng);
        let mut since = 2;
        for clk in 0..cycles() {
            let rtl = ack::Out { beat: m.get(&dut), pulses: dut.get(pulses) };
            assert_eq!(rtl, model.output(clk), "clock {clk}, seed {seed}");
            for (bit, count) in counts.iter_mut().enumerate() {
                *count += (rtl.pulses >> bit & 1) as u32;
            }
            i.rst = clk == 0 || rng.random_bool(0.0005);
            i.now = i.now.wrapping_add(rng.random_range(0..1 << 20));
            if rng.random_bool(0.001) {
                i.now = i.now.wrapping_add(rng.random::<u64>() >> rng.random_range(16..20));
            }
            // Half of the time reports are as far apart as the parser's are.
            let apart = clk % 4096 < 2048 || since > rng.random_range(1..4);
            i.report = (offer.next(&mut rng) && apart).then(|| match rng.random_bool(0.5) {
                true => any_report(&mut rng, &i.config),
                false => stream(&mut rng, &mut senders),
            });
            since = if i.report.is_some() { 1 } else { since + 1 };
            // Now and then the wire stalls for so long that the queue is full.
            i.ready = take.next(&mut rng) && clk % 8192 > 1500;
            if rng.random_bool(0.002) {
                i.config = any_config(&mut rng);
            }
            if i.rst || rng.random_bool(0.003) {
                writes.extend(any_writes(&mut rng));
            }
            i.written = writes.pop_front();
            let c = &i.config;
            dut.set(rst, i.rst.into());
            dut.set(now, i.now);
            dut.set(m_tready, i.ready.into());
            dut.set(enable, c.enable.into());
            for (port, value) in [(mac, &c.mac[..]), (ipv4, &c.ipv4), (ipv6, &c.ipv6)] {
                dut.set_bytes(port, value);
            }
            let numbers =
                [(tos, c.tos.into()), (ttl, c.ttl.into()), (prefix4, c.prefix4.into()), (port, c.port.into()), (vlan, c.vlan.into())];
            for (port, value) in numbers.into_iter().chain([(rate, c.rate.into())]) {
                dut.set(port, value);
            }
            let (word, data) = i.written.unwrap_or_else(|| (ALLOW.word() + rng.random_range(0..32), rng.random()));
            dut.set(st_valid, i.written.is_some().into());
            dut.set(st_word, word.into());
            dut.set(st_data, data.into());
            let r = i.report.unwrap_or_else(|| any_report(&mut rng, &i.config));
            dut.set(valid, i.report.is_some().into());
            dut.set(i_kind, r.kind.into());
            dut.set(class, r.class.bits().into());
            dut.set_bytes(head, &r.head);
            dut.set_bytes(hdr, &r.header);
            dut.set(len, r.bytes.into());
            dut.set(ts, r.stamp);
            dut.tick();
            model.step(clk, &i);
        }
        let all = [
            Counter::AcksSent,
            Counter::AckRefusedPeer,
            Counter::AckRefusedAddress,
            Counter::AcksDropped,
            Counter::AckShareExceeded,
            Counter::AcksDisabled,
            Counter::SegmentsIncomplete,
            Counter::SegmentsSkipped,
            Counter::LossUnknown,
        ];
        println!("{:?}", all.map(|c| (c, counts[c as usize])));
        for (bit, count) in counts.into_iter().enumerate() {
            let of_ours = all.iter().any(|c| *c as usize == bit);
            assert!(
                if of_ours { quick() || u64::from(count) > cycles() / 10_000 } else { count == 0 },
                "event {bit} happened {count} times"
            );
        }
    }
}

#[test]
fn rtl_equals_model_64() {
    lockstep::<64, 8>("ack64");
}

#[test]
fn rtl_equals_model_512() {
    lockstep::<512, 64>("ack512");
}

#[test]
fn emits_at_all_widths() {
    timely_hw::emit::emit("ack128", timely_hw::ack::Ack::<128, 16>::new()).unwrap();
    timely_hw::emit::emit("ack256", timely_hw::ack::Ack::<256, 32>::new()).unwrap();
}

#[test]
fn skipping_equals_stepping() {
    for seed in seeds() {
        let mut rng = rng(seed);
        let (mut offer, mut take) = (Runs::new(0.01, 3), Runs::new(0.6, 4));
        let (mut stepped, mut skipped) = (ack::Ack::new(64), ack::Ack::new(64));
        let (mut skips, mut config, mut changed) = (0, config(), false);
        for clk in 0..cycles() {
            assert_eq!(stepped.output(clk), skipped.output(clk), "clock {clk}, seed {seed}");
            if rng.random_bool(0.001) {
                config = any_config(&mut rng);
                changed = true;
            }
            let written = rng.random_bool(0.002).then(|| any_writes(&mut rng)[0]);
            let report = offer.next(&mut rng).then(|| any_report(&mut rng, &config));
            let rst = rng.random_bool(0.0005);
            let i = ack::In { rst, config: config.clone(), written, now: rng.random(), report, ready: take.next(&mut rng) };
            stepped.step(clk, &i);
            // The bench steps the block itself when it changes the settings or writes.
            let asked = i.report.is_some() || i.rst || i.written.is_some() || std::mem::take(&mut changed);
            if asked || skipped.wake(clk) <= clk {
                skipped.step(clk, &i);
            } else {
                skips += 1;
            }
        }
        assert!(skips > cycles() / 4, "only {skips} clocks were skipped: wake() is never idle");
    }
}
