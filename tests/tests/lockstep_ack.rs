//! `timely_hw::ack` against `timely_model::ack`, every output at every clock; and what a responder must never do, on the model.
use rand::Rng;
use std::collections::VecDeque;
use timely_model::parse::{FRONT, Report, kind};
use timely_model::{Block, ack, stream::Assembler};
use timely_regs::counters::Counter;
use timely_regs::wire::{ACK, Addresses, Envelope, FIRST, HEADER_BYTES, Header, Kind, LAST, Packet, READ};
use timely_tests::axis::Taken;
use timely_tests::{Runs, cycles, rng, seeds, verilate};

const MAC: [u8; 6] = [0x02, 0x11, 0x22, 0x33, 0x44, 0x55];
const PORT: u16 = 4791;

/// Peers in 10.1.0.0/16 and fd00:1::/32 are answered.
fn config() -> ack::Config {
    let (mut allow6, mut mask6) = ([0; 16], [0; 16]);
    allow6[..4].copy_from_slice(&[0xfd, 0, 0, 1]);
    mask6[..4].fill(0xff);
    ack::Config { enable: true, mac: MAC, tos: 0xb8, ttl: 63, allow4: [10, 1, 0, 0], mask4: [255, 255, 0, 0], allow6, mask6 }
}

/// A data packet that is answered.
fn welcome(rng: &mut impl Rng) -> (Envelope, Header, usize) {
    let (mut v6, mut us) = (rng.random::<[u8; 16]>(), rng.random::<[u8; 16]>());
    v6[..4].copy_from_slice(&[0xfd, 0, 0, 1]);
    us[0] = 0xfd;
    let addresses = if rng.random() {
        Addresses::V4 { source: [10, 1, rng.random(), rng.random()], destination: [10, 2, rng.random(), rng.random()] }
    } else {
        Addresses::V6 { source: v6, destination: us }
    };
    let mut peer: [u8; 6] = rng.random();
    peer[0] &= 0xfe;
    let envelope = Envelope {
        mac_destination: MAC,
        mac_source: peer,
        tci: rng.random_bool(0.5).then(|| rng.random()),
        addresses,
        tos: rng.random(),
        ttl: rng.random(),
        port_source: rng.random(),
        port_destination: PORT,
    };
    let header = Header {
        flags: LAST | rng.random::<u8>() & (FIRST | READ),
        packet: rng.random(),
        flow: rng.random(),
        nonce: rng.random(),
        segment: rng.random(),
        segment_bytes: rng.random(),
        charged_bytes: rng.random(),
        ttl_sent: rng.random(),
        ..Header::default()
    };
    (envelope, header, rng.random_range(0..200))
}

/// What the parser says of a packet.
fn report(envelope: &Envelope, header: &Header, payload: usize, stamp: u64) -> Report {
    let frame = envelope.frame(header, &vec![0xa5; payload]);
    let packet = Packet::new_checked(&frame[..], envelope.port_destination).unwrap();
    let (mut head, mut ours) = ([0; FRONT], [0; HEADER_BYTES]);
    head.copy_from_slice(&frame[..FRONT]);
    ours.copy_from_slice(packet.header());
    let kind = if packet.kind() == Kind::Ack { kind::ACK } else { kind::DATA };
    Report { kind, reason: 0, class: packet.class(), head, header: ours, bytes: frame.len() as u16, stamp }
}

/// Another network than that of [`config`]'s peers; one bit from it is no multicast address.
const OTHERS: [u8; 4] = [0x20, 1, 0x0d, 0xb8];

/// The peers that a configuration of random masks answers, IPv4 and IPv6; of [`config`]'s networks.
const PEER4: [u8; 4] = [10, 1, 77, 200];
const PEER6: [u8; 16] = [0xfd, 0, 0, 1, 0x96, 0x3c, 0x0f, 0xa5, 0x5a, 0xf0, 0xc3, 0x69, 0x12, 0xed, 0x84, 0x7b];

/// Any report: mostly welcome ones, and all that must not be answered.
fn any_report(rng: &mut impl Rng) -> Report {
    let (mut e, mut h, payload) = welcome(rng);
    if let Addresses::V6 { source, .. } = &mut e.addresses
        && rng.random_bool(0.25)
    {
        source[..4].copy_from_slice(&OTHERS);
    }
    if rng.random_bool(0.2) {
        // One of the peers that random masks answer, or one that differs in a bit.
        let source = match &mut e.addresses {
            Addresses::V4 { source, .. } => {
                *source = PEER4;
                &mut source[..]
            }
            Addresses::V6 { source, .. } => {
                *source = PEER6;
                &mut source[..]
            }
        };
        if rng.random() {
            source[rng.random_range(0..source.len())] ^= 1 << rng.random_range(0..8);
        }
    }
    match rng.random_range(0..14) {
        0 => h.flags &= !LAST,
        1 => h.flags |= ACK,
        2 => e.mac_destination = [0xff; 6],
        3 => e.mac_destination[5] ^= 1 << rng.random_range(0..8),
        4 => e.mac_source[0] |= 1,
        5 => match &mut e.addresses {
            Addresses::V4 { destination, .. } => *destination = [224 + rng.random_range(0..32), 1, 2, 3],
            Addresses::V6 { destination, .. } => destination[0] = 0xff,
        },
        6 | 7 => match &mut e.addresses {
            Addresses::V4 { source, .. } => *source = [10, rng.random_range(0..4), 0, 1],
            Addresses::V6 { source, .. } => source[rng.random_range(0..16)] ^= 1 << rng.random_range(0..8),
        },
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
    match rng.random_range(0..5) {
        0 => (c.mask4, c.allow4, c.mask6, c.allow6) = ([0; 4], [0; 4], [0; 16], [0; 16]),
        // Peers of another network, as every fourth is.
        2 => c.allow6[..4].copy_from_slice(&OTHERS),
        1 => (c.tos, c.ttl) = (rng.random(), rng.random()),
        3 => {
            (c.mask4, c.mask6) = (rng.random(), rng.random());
            c.allow4 = std::array::from_fn(|i| PEER4[i] & c.mask4[i]);
            c.allow6 = std::array::from_fn(|i| PEER6[i] & c.mask6[i]);
        }
        _ => {}
    }
    c
}

fn lockstep<const W: usize, const K: usize>(name: &str) {
    let library = verilate(name, timely_hw::ack::Ack::<W, K>::default());
    let input = |name: &str| library.input(name);
    let (rst, now, m_tready) = (input("rst"), input("now"), input("m_tready"));
    let (enable, mac, tos, ttl) = (input("cfg_ack_enable"), input("cfg_mac"), input("cfg_ack_tos"), input("cfg_ack_ttl"));
    let (allow4, mask4, allow6, mask6) = (input("cfg_allow4"), input("cfg_mask4"), input("cfg_allow6"), input("cfg_mask6"));
    let (valid, i_kind, class, head) = (input("i_valid"), input("i_kind"), input("i_class"), input("i_head"));
    let (hdr, len, ts) = (input("i_hdr"), input("i_len"), input("i_ts"));
    let (m, pulses) = (Taken::new(&library, "m"), library.output("pulses"));
    for seed in seeds() {
        let mut rng = rng(seed);
        let (mut offer, mut take) = (Runs::new(0.2, 60), Runs::new(0.7, 60));
        let mut dut = library.instantiate(seed as u32);
        let mut model = ack::Ack::new(W);
        let mut i = ack::In { config: config(), now: u64::MAX - 100_000, ..ack::In::default() };
        let mut seen = 0;
        for clk in 0..cycles() {
            let rtl = ack::Out { beat: m.get(&dut), pulses: dut.get(pulses) as u32 };
            assert_eq!(rtl, model.output(clk), "clock {clk}, seed {seed}");
            seen |= rtl.pulses;
            i.rst = rng.random_bool(0.0005);
            i.now = i.now.wrapping_add(rng.random_range(0..1 << 20));
            i.report = offer.next(&mut rng).then(|| any_report(&mut rng));
            i.ready = take.next(&mut rng);
            if rng.random_bool(0.002) {
                i.config = any_config(&mut rng);
            }
            let c = &i.config;
            dut.set(rst, i.rst.into());
            dut.set(now, i.now);
            dut.set(m_tready, i.ready.into());
            dut.set(enable, c.enable.into());
            dut.set_bytes(mac, &c.mac);
            dut.set(tos, c.tos.into());
            dut.set(ttl, c.ttl.into());
            for (port, value) in [(allow4, &c.allow4[..]), (mask4, &c.mask4), (allow6, &c.allow6), (mask6, &c.mask6)] {
                dut.set_bytes(port, value);
            }
            let r = i.report.unwrap_or_else(|| any_report(&mut rng));
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
        let all = [Counter::AcksSent, Counter::AckRefusedPeer, Counter::AckRefusedAddress, Counter::AckDroppedFull];
        assert_eq!(seen, all.iter().map(|c| 1 << *c as u32).sum::<u32>(), "not every event happened");
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
    timely_hw::emit::emit("ack128", timely_hw::ack::Ack::<128, 16>::default()).unwrap();
    timely_hw::emit::emit("ack256", timely_hw::ack::Ack::<256, 32>::default()).unwrap();
}

/// The model with its clock, frames out of it, and what it counted.
struct Run {
    model: ack::Ack,
    clk: u64,
    config: ack::Config,
    assembler: Assembler,
    frames: VecDeque<Vec<u8>>,
    counts: [u32; 32],
    first: Option<u64>,
}

impl Run {
    fn new() -> Self {
        let (model, config) = (ack::Ack::new(512), config());
        Run { model, clk: 0, config, assembler: Assembler::default(), frames: VecDeque::new(), counts: [0; 32], first: None }
    }

    fn step(&mut self, report: Option<Report>) {
        let out = self.model.output(self.clk);
        if let Some(beat) = out.beat {
            self.first = self.first.or(Some(self.clk));
            self.frames.extend(self.assembler.push(&beat));
        }
        for (bit, count) in self.counts.iter_mut().enumerate() {
            *count += out.pulses >> bit & 1;
        }
        // A clock is 4 ns; stamps have 16 fraction bits.
        let i = ack::In { rst: false, config: self.config.clone(), now: (self.clk * 4) << 16, report, ready: true };
        self.model.step(self.clk, &i);
        self.clk += 1;
    }

    fn drain(&mut self) {
        while self.model.wake(self.clk) != u64::MAX {
            self.step(None);
        }
    }

    fn count(&self, counter: Counter) -> u32 {
        self.counts[counter as usize]
    }
}

/// The ACK says what the packet and its way said, to whom it came from, and is no longer than the packet.
#[test]
fn answers_a_last_packet() {
    for seed in seeds() {
        let mut rng = rng(seed);
        for _ in 0..500 {
            let (e, h, payload) = welcome(&mut rng);
            let arrival = rng.random();
            let mut run = Run::new();
            let r = report(&e, &h, payload, arrival);
            run.step(Some(r));
            run.drain();
            assert_eq!(run.first, Some(ack::LATENCY));
            let bytes = run.frames.pop_front().expect("an ACK");
            assert!(run.frames.is_empty() && run.count(Counter::AcksSent) == 1);
            assert!(bytes.len() <= usize::from(r.bytes), "{} bytes answered by {}", r.bytes, bytes.len());
            let p = Packet::new_checked(&bytes[..], e.port_source).unwrap();
            assert!(p.udp_checksum_holds() && p.kind() == Kind::Ack && p.is_last());
            assert_eq!((p.class(), p.tci()), (e.class(), e.tci));
            assert_eq!((p.mac_destination(), p.mac_source()), (e.mac_source, MAC));
            let asked = e.frame(&h, &[]);
            let asked = Packet::new_unchecked(&asked[..], e.class());
            assert_eq!((p.ip_source(), p.ip_destination()), (asked.ip_destination(), asked.ip_source()));
            assert_eq!((p.port_source(), p.port_destination()), (e.port_destination, e.port_source));
            assert_eq!((p.tos(), p.ttl()), (run.config.tos, run.config.ttl));
            let departure = (ack::STAMP * 4) << 16;
            let right = Header { flags: h.flags | ACK, ttl_seen: e.ttl, ecn_seen: e.tos & 3, arrival, departure, ..h };
            assert_eq!(p.header(), right.bytes());
        }
    }
}

#[test]
fn latency_within_budget() {
    let mut rng = rng(1);
    let mut run = Run::new();
    let (e, h, payload) = welcome(&mut rng);
    run.step(Some(report(&e, &h, payload, 0)));
    run.drain();
    let (record, mux) = (run.first.expect("an ACK"), 1);
    println!("record to first beat of the ACK: {record} clocks; {} with the multiplexer", record + mux);
    assert!(record + mux <= 15, "{record} clocks and {mux}");
}

/// What makes a welcome packet unwelcome.
type Change = fn(&mut Envelope, &mut Header);

/// Each reason not to answer, alone: silence, and the right counter.
#[test]
fn refuses_and_counts() {
    let refusals: &[(&str, Option<Counter>, Change)] = &[
        ("not the last packet", None, |_, h| h.flags = FIRST),
        ("an ACK", None, |_, h| h.flags |= ACK),
        ("broadcast MAC", Some(Counter::AckRefusedAddress), |e, _| e.mac_destination = [0xff; 6]),
        ("group MAC", Some(Counter::AckRefusedAddress), |e, _| e.mac_destination[0] |= 1),
        ("another station's MAC", Some(Counter::AckRefusedAddress), |e, _| e.mac_destination[5] ^= 1),
        ("from a group MAC", Some(Counter::AckRefusedAddress), |e, _| e.mac_source[0] |= 1),
        ("IPv4 multicast", Some(Counter::AckRefusedAddress), |e, _| {
            e.addresses = Addresses::V4 { source: [10, 1, 0, 1], destination: [224, 0, 0, 1] };
        }),
        ("IPv4 broadcast", Some(Counter::AckRefusedAddress), |e, _| {
            e.addresses = Addresses::V4 { source: [10, 1, 0, 1], destination: [255; 4] };
        }),
        ("IPv6 multicast", Some(Counter::AckRefusedAddress), |e, _| {
            let mut source = [0; 16];
            source[..4].copy_from_slice(&[0xfd, 0, 0, 1]);
            e.addresses = Addresses::V6 { source, destination: [0xff; 16] };
        }),
        ("IPv4 peer", Some(Counter::AckRefusedPeer), |e, _| {
            e.addresses = Addresses::V4 { source: [10, 3, 0, 1], destination: [10, 2, 0, 1] };
        }),
        ("IPv6 peer", Some(Counter::AckRefusedPeer), |e, _| {
            e.addresses = Addresses::V6 { source: [0xfd; 16], destination: [0xfd; 16] };
        }),
    ];
    let mut rng = rng(1);
    for (name, counter, change) in refusals {
        let (mut e, mut h, payload) = welcome(&mut rng);
        change(&mut e, &mut h);
        let mut run = Run::new();
        // Group bits do not help even where our own address has them.
        if *name == "group MAC" {
            run.config.mac = e.mac_destination;
        }
        run.step(Some(report(&e, &h, payload, 0)));
        run.drain();
        assert!(run.frames.is_empty(), "{name} was answered");
        let expected: Vec<u32> = (0..32).map(|i| u32::from(counter.is_some_and(|c| c as u32 == i))).collect();
        assert_eq!(run.counts[..], expected, "{name}");
    }
    let mut run = Run::new();
    run.config.enable = false;
    let (e, h, payload) = welcome(&mut rng);
    run.step(Some(report(&e, &h, payload, 0)));
    run.drain();
    assert!(run.frames.is_empty() && run.counts == [0; 32], "answered although disabled");
}

/// A burst at line rate is answered whole; what is too much for queue and builder together is counted, and nothing else is lost.
#[test]
fn bursts() {
    let mut rng = rng(1);
    let mut burst = |packets: u32, clocks_apart: u32| {
        let mut run = Run::new();
        for _ in 0..packets {
            let (e, h, payload) = welcome(&mut rng);
            run.step(Some(report(&e, &h, payload, 0)));
            for _ in 1..clocks_apart {
                run.step(None);
            }
        }
        run.drain();
        assert_eq!(run.count(Counter::AcksSent) as usize, run.frames.len());
        (run.count(Counter::AcksSent), run.count(Counter::AckDroppedFull))
    };
    assert_eq!(burst(1000, 2), (1000, 0));
    assert_eq!(burst(40, 1), (40, 0));
    let (sent, dropped) = burst(1000, 1);
    assert!(dropped > 0 && sent + dropped == 1000, "{sent} sent, {dropped} dropped");
}

#[test]
fn skipping_equals_stepping() {
    for seed in seeds() {
        let mut rng = rng(seed);
        let (mut offer, mut take) = (Runs::new(0.01, 3), Runs::new(0.6, 4));
        let (mut stepped, mut skipped) = (ack::Ack::new(64), ack::Ack::new(64));
        let mut skips = 0;
        for clk in 0..cycles() {
            assert_eq!(stepped.output(clk), skipped.output(clk), "clock {clk}, seed {seed}");
            let report = offer.next(&mut rng).then(|| any_report(&mut rng));
            let i = ack::In { rst: rng.random_bool(0.0005), config: config(), now: rng.random(), report, ready: take.next(&mut rng) };
            stepped.step(clk, &i);
            if i.report.is_some() || i.rst || skipped.wake(clk) <= clk {
                skipped.step(clk, &i);
            } else {
                skips += 1;
            }
        }
        assert!(skips > cycles() / 4, "only {skips} clocks were skipped: wake() is never idle");
    }
}
