//! Packets that the responder answers, and packets that it does not, on the model.
use super::*;

/// The model with its clock, frames out of it, and what it counted.
pub struct Run {
    pub model: ack::Ack,
    pub clk: u64,
    pub config: ack::Config,
    pub written: Option<(u32, u32)>,
    pub assembler: Assembler,
    pub frames: VecDeque<Vec<u8>>,
    pub counts: [u32; COUNTERS],
    pub first: Option<u64>,
    /// Lead of the time over the clock.
    pub offset: u64,
}

impl Run {
    pub fn new() -> Self {
        Run::with(&peers())
    }

    pub fn with(allow: &[Network]) -> Self {
        let (model, config) = (ack::Ack::new(512), config());
        let mut run = Run {
            model,
            clk: 0,
            config,
            written: None,
            assembler: Assembler::default(),
            frames: VecDeque::new(),
            counts: [0; COUNTERS],
            first: None,
            offset: 0,
        };
        for written in allow.iter().zip(0..).flat_map(|(network, i)| entry(i, *network)) {
            run.written = Some(written);
            run.step(None);
        }
        run.written = None;
        for _ in 0..3 {
            run.step(None);
        }
        run
    }

    pub fn step(&mut self, report: Option<Report>) {
        let out = self.model.output(self.clk);
        if let Some(beat) = out.beat {
            self.first = self.first.or(Some(self.clk));
            self.frames.extend(self.assembler.push(&beat));
        }
        for (bit, count) in self.counts.iter_mut().enumerate() {
            *count += (out.pulses >> bit & 1) as u32;
        }
        // A clock is 4 ns; stamps have 16 fraction bits.
        let i = ack::In {
            rst: false,
            config: self.config.clone(),
            written: self.written,
            now: self.offset + ((self.clk * 4) << 16),
            report,
            ready: true,
        };
        self.model.step(self.clk, &i);
        self.clk += 1;
    }

    pub fn drain(&mut self) {
        while self.model.wake(self.clk) != u64::MAX {
            self.step(None);
        }
    }

    pub fn count(&self, counter: Counter) -> u32 {
        self.counts[counter as usize]
    }
}

/// The ACK echoes the packet's header, TTL and ECN, goes to the packet's source, and is no longer
/// than the packet.
#[test]
fn answers_a_last_packet() {
    for seed in seeds() {
        let mut rng = rng(seed);
        for _ in 0..500 {
            let (e, h, payload) = welcome(&mut rng, &config());
            let arrival = rng.random();
            let mut run = Run::new();
            let r = report(&e, &h, payload, arrival);
            let begun = run.clk;
            run.step(Some(r));
            run.drain();
            assert_eq!(run.first, Some(begun + ack::LATENCY));
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
            let departure = ((begun + ack::STAMP) * 4) << 16;
            // (A table that is not clear yet knows nothing.)
            let right = Header { flags: h.flags | ACK, ttl_seen: e.ttl, ecn_seen: e.tos & 3, loss: 0, arrival, departure, ..h };
            assert_eq!(p.header(), right.bytes());
        }
    }
}

#[test]
fn latency_within_budget() {
    let mut rng = rng(1);
    let mut run = Run::new();
    let (e, h, payload) = welcome(&mut rng, &config());
    let begun = run.clk;
    run.step(Some(report(&e, &h, payload, 0)));
    run.drain();
    let (record, mux) = (run.first.expect("an ACK") - begun, 1);
    println!("record to first beat of the ACK: {record} clocks; {} with the multiplexer", record + mux);
    assert!(record + mux <= 15, "{record} clocks and {mux}");
}

fn ip(text: &str) -> [u8; 4] {
    text.parse::<Ipv4Addr>().unwrap().octets()
}

pub fn v4(source: [u8; 4], destination: [u8; 4]) -> Addresses {
    Addresses::V4 { source, destination }
}

fn v6(source: &str, destination: &str) -> Addresses {
    let [source, destination] = [source, destination].map(|a| a.parse::<Ipv6Addr>().unwrap().octets());
    Addresses::V6 { source, destination }
}

/// Eight networks of any length, of both families: hosts that share the first bits with one are
/// answered.
#[test]
fn prefixes_decide() {
    for seed in seeds() {
        let mut rng = rng(seed);
        let mut answered = [0; 2];
        for _ in 0..300 {
            let list: [Network; 8] = std::array::from_fn(|_| match rng.random() {
                true => (PEER4.into(), rng.random_range(8..=32)),
                false => (PEER6.into(), rng.random_range(8..=128)),
            });
            let list = &list[..rng.random_range(0..=8)];
            let mut run = Run::with(list);
            let (mut e, h, payload) = welcome(&mut rng, &config());
            let host = source(&mut e.addresses);
            host.copy_from_slice(if host.len() == 16 { &PEER6 } else { &PEER4 });
            // The first byte stays: with another the address may be multicast, or no host's.
            flip(&mut host[1..], &mut rng);
            let shares = |net: &[u8], bits: u32| {
                net.len() == host.len() && (0..bits as usize).all(|b| (net[b / 8] ^ host[b / 8]) & 0x80 >> (b % 8) == 0)
            };
            let expected = list.iter().any(|(a, bits)| match a {
                IpAddr::V4(a) => shares(&a.octets(), *bits),
                IpAddr::V6(a) => shares(&a.octets(), *bits),
            });
            run.step(Some(report(&e, &h, payload, 0)));
            run.drain();
            assert_eq!(!run.frames.is_empty(), expected, "{list:?}, {e:?}, seed {seed}");
            assert_eq!(run.count(Counter::AckRefusedPeer), u32::from(!expected), "seed {seed}");
            answered[usize::from(expected)] += 1;
        }
        assert!(answered.iter().all(|n| *n > 50), "{answered:?}");
    }
}

/// However many segments come, ACKs take their share of the line and a burst, in wire bytes; what
/// is beyond is counted.
#[test]
fn acks_take_their_share() {
    // A report each 4 clocks, of 114 to 138 bytes of ACK: 28 to 35 bytes a clock are asked for.
    for (rate, clocks) in [(1.25, 200_000u64), (12.5, 20_000), (20.0, 20_000), (0.01, 200_000)] {
        let mut rng = rng(1);
        let mut run = Run::new();
        run.config.rate = (rate * f64::from(1 << 24)) as u32;
        let begun = run.clk;
        let mut reports = 0;
        while run.clk < begun + clocks {
            let (e, h, payload) = welcome(&mut rng, &config());
            run.step(Some(report(&e, &h, payload, 0)));
            reports += 1;
            for _ in 0..3 {
                run.step(None);
            }
        }
        run.drain();
        let bytes: usize = run.frames.iter().map(|f| f.len() + 24).sum();
        let allowed = rate * clocks as f64;
        println!("{rate} B a clock for {clocks} clocks: {bytes} of {:.0} wire bytes", allowed + ack::BURST_BYTES as f64);
        assert!(bytes as f64 <= allowed + ack::BURST_BYTES as f64 + 1.0, "{bytes} wire bytes");
        assert!(bytes as f64 > allowed + ack::BURST_BYTES as f64 - 400.0, "{bytes} wire bytes");
        assert_eq!(run.count(Counter::AcksSent) + run.count(Counter::AckShareExceeded), reports);
    }
}

/// The change that makes a welcome packet unwelcome.
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
        ("from our own MAC", Some(Counter::AckRefusedAddress), |e, _| e.mac_source = MAC),
        ("our port as source only", Some(Counter::AckRefusedAddress), |e, _| (e.port_source, e.port_destination) = (PORT, 53)),
        ("another VLAN", Some(Counter::AckRefusedAddress), |e, _| e.tci = Some(1)),
        ("IPv4 peer", Some(Counter::AckRefusedPeer), |e, _| e.addresses = v4([10, 3, 0, 1], IPV4)),
        ("IPv6 peer", Some(Counter::AckRefusedPeer), |e, _| e.addresses = v6("fd00:2::1", "fd00:2::1234")),
    ];
    let mut rng = rng(1);
    for (name, counter, change) in refusals {
        let (mut e, mut h, payload) = welcome(&mut rng, &config());
        change(&mut e, &mut h);
        let mut run = Run::new();
        // Group bits do not help even where our own address has them.
        if *name == "group MAC" {
            run.config.mac = e.mac_destination;
        }
        run.step(Some(report(&e, &h, payload, 0)));
        run.drain();
        assert!(run.frames.is_empty(), "{name} was answered");
        let expected: Vec<u32> = (0..COUNTERS).map(|i| u32::from(counter.is_some_and(|c| c as usize == i))).collect();
        assert_eq!(run.counts[..], expected, "{name}");
    }
    // Everybody is allowed here: what is refused is refused for its address.
    let everybody = [(Ipv4Addr::UNSPECIFIED.into(), 0), (Ipv6Addr::UNSPECIFIED.into(), 0)];
    let (us4, us6, peer4, peer6) = ("10.2.0.9", "fd00:2::1234", "10.1.0.1", "fd00:1::1");
    let pairs4 = ["8.8.8.8", "10.2.0.10", "10.2.0.255", "255.255.255.255", "224.0.0.1", "0.0.0.0", "127.0.0.1"].map(|to| (peer4, to));
    let from4 = ["127.0.0.1", "127.255.255.255", "0.0.0.0", "0.1.2.3", us4, "10.2.0.255", "224.0.0.1", "239.1.1.1", "255.255.255.255"];
    let pairs6 = ["2001:4860::8888", "fd00:2::1235", "ff02::1", "::", "::1"].map(|to| (peer6, to));
    let from6 = ["::1", "::", us6, "ff02::1", "ff0e::1:2"];
    let pairs = pairs4.into_iter().chain(from4.map(|from| (from, us4))).chain(pairs6).chain(from6.map(|from| (from, us6)));
    for (pair, answered) in
        pairs.zip(std::iter::repeat(false)).chain([((peer4, us4), true), ((peer6, us6), true), (("10.2.0.254", us4), true)])
    {
        let (mut e, h, payload) = welcome(&mut rng, &config());
        e.addresses = if pair.1.contains(':') { v6(pair.0, pair.1) } else { v4(ip(pair.0), ip(pair.1)) };
        let mut run = Run::with(&everybody);
        run.step(Some(report(&e, &h, payload, 0)));
        run.drain();
        assert_eq!(run.frames.len(), usize::from(answered), "{pair:?}");
        assert_eq!(run.count(Counter::AckRefusedAddress), u32::from(!answered), "{pair:?}");
    }
    let mut run = Run::new();
    run.config.enable = false;
    let (e, h, payload) = welcome(&mut rng, &config());
    run.step(Some(report(&e, &h, payload, 0)));
    run.drain();
    let counted = run.count(Counter::AcksDisabled) == 1 && run.counts.iter().sum::<u32>() == 1;
    assert!(run.frames.is_empty() && counted, "answered although disabled, or not counted");
}

/// A burst at line rate is answered whole; what is too much for queue and builder together is
/// counted, and nothing else is lost.
#[test]
fn bursts() {
    let mut rng = rng(1);
    let mut burst = |packets: u32, clocks_apart: u32| {
        let mut run = Run::new();
        for _ in 0..packets {
            let (e, h, payload) = welcome(&mut rng, &config());
            run.step(Some(report(&e, &h, payload, 0)));
            for _ in 1..clocks_apart {
                run.step(None);
            }
        }
        run.drain();
        assert_eq!(run.count(Counter::AcksSent) as usize, run.frames.len());
        (run.count(Counter::AcksSent), run.count(Counter::AcksDropped))
    };
    assert_eq!(burst(1000, 2), (1000, 0));
    assert_eq!(burst(40, 1), (40, 0));
    let (sent, dropped) = burst(1000, 1);
    assert!(dropped > 0 && sent + dropped == 1000, "{sent} sent, {dropped} dropped");
}
