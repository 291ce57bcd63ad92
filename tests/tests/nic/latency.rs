//! From a segment's last beat to its ACK, and from the ACK to the rate that follows from it.
use rand::Rng;
use timely_regs::parameters::Parameters;
use timely_regs::wire::{Addresses, Arrived, Class, Envelope, FIRST, Header, Kind, LAST, Loss};
use timely_sim::frame::address;
use timely_sim::nic::core::CoreEvent;
use timely_tests::bench::{Bench, Received, answer};
use timely_tests::nic::PORT;
use timely_tests::nic::{CLOCK_NS, HOST, cores, flow, spec, start};
use timely_tests::{cycles, few_seeds, rng};

const PEER: u16 = 9;

fn envelope(class: Class, rng: &mut impl Rng) -> Envelope {
    Envelope {
        mac_destination: address::mac(HOST),
        mac_source: address::mac(PEER),
        tci: class.vlan.then(|| rng.random::<u16>() & 0xf000),
        addresses: if class.ipv6 {
            Addresses::V6 { source: address::ipv6(PEER), destination: address::ipv6(HOST) }
        } else {
            Addresses::V4 { source: address::ipv4(PEER), destination: address::ipv4(HOST) }
        },
        tos: rng.random(),
        ttl: rng.random(),
        port_source: rng.random_range(1..u16::MAX),
        port_destination: PORT,
    }
}

/// Last beat of a segment in, first beat of its ACK out.
#[test]
fn an_ack_is_prompt() {
    const MOST_NS: u64 = 80;
    for seed in few_seeds() {
        let mut rng = rng(seed);
        for bus in [64, 512] {
            for (name, mut nic) in cores(bus, 10) {
                start(&mut *nic, &spec(bus, 10, 10.0, Vec::new()));
                let mut bench = Bench::new(nic);
                for class in Class::ALL {
                    let (mut least, mut most) = (u64::MAX, 0);
                    for _ in 0..50 {
                        let header =
                            Header { flags: LAST | rng.random_range(0..=FIRST), flow: rng.random::<u16>().into(), ..Header::default() };
                        let payload = vec![rng.random(); [0, rng.random_range(0..1442), 8000][rng.random_range(0..3)]];
                        let frame = envelope(class, &mut rng).frame(&header, &payload);
                        bench.arrive(bench.clk() + rng.random_range(1..50), frame.clone());
                        let ack = bench.run(bench.clk() + 3000).expect("an answer");
                        let received = bench.received.last().expect("it arrived");
                        let clocks = ack.first - received.last;
                        (least, most) = (least.min(clocks), most.max(clocks));
                        let packet = ack.packet();
                        assert_eq!((packet.class(), packet.kind(), ack.is_ack), (class, Kind::Ack, true));
                        let departure = packet.departure();
                        assert!((received.stamp..=ack.now).contains(&departure), "{departure} is no time between arrival and departure");
                        let mut expected = answer(&frame, received.stamp, departure);
                        // The responder's own TOS and TTL: 0 and 64.
                        let mut p = timely_regs::wire::Packet::new_unchecked(&mut expected[..], class);
                        p.set_tos(0);
                        // A segment of one packet is complete; of one whose first packet was not
                        // seen nothing is known.
                        let first = header.flags & FIRST != 0;
                        p.set_loss(Loss { arrived: if first { Arrived::Complete } else { Arrived::Unknown }, skipped: 0 }.byte());
                        p.fill_checksums();
                        assert_eq!(ack.frame, expected);
                    }
                    let ns = most * CLOCK_NS;
                    println!(
                        "{name}, {bus} bits, {class:?}: last beat in to first beat of the ACK out: {least} to {most} clocks, {ns} ns at most \
                         (asked for: {MOST_NS} ns)"
                    );
                    assert!(ns <= MOST_NS, "{name}, {bus} bits, {class:?}: an ACK took {ns} ns, seed {seed}");
                }
            }
        }
    }
}

/// Departures around an ACK that changed the rate, all in clocks after the ACK's last beat.
struct Reaction {
    /// A packet that the old gap had due then, at the latest, still went then.
    kept: u64,
    /// The first departure one new gap behind the one before.
    least: u64,
    most: u64,
    count: u64,
}

impl Reaction {
    fn new() -> Self {
        Reaction { kept: 0, least: u64::MAX, most: 0, count: 0 }
    }

    /// `departures` around an ACK whose last beat came at clock `ack`: those before it an `old` gap
    /// apart, clocks.
    fn add(&mut self, departures: &[u64], ack: u64, old: f64, new: f64) {
        let Some(next) = departures.iter().position(|d| *d > ack).filter(|n| *n > 0) else { return };
        let is = |i: usize, gap: f64| ((departures[i] - departures[i - 1]) as f64 - gap).abs() <= 1.5;
        if is(next, old) {
            self.kept = self.kept.max(departures[next] - ack);
        }
        if let Some(first) = (next..departures.len()).find(|i| is(*i, new)) {
            let clocks = departures[first] - ack;
            (self.least, self.most, self.count) = (self.least.min(clocks), self.most.max(clocks), self.count + 1);
        }
    }
}

/// Last beat of an ACK in, the rate that follows from it at the pacer, and the departures spaced by
/// it.
#[test]
fn a_rate_is_soon_in_force() {
    /// Clocks from an ACK's last beat to that at which its rate is in force: a pass that begins
    /// then goes by it.
    const AIM: u64 = 32;
    /// A lower rate holds back every packet that was due this many clocks after the ACK's last
    /// beat, or later: a grant is given a little ahead of its time, and then takes the gate and the
    /// generator to leave.
    const BITES: u64 = 100;
    const PACKET: u32 = 1442;
    let parameters = Parameters {
        t_low_us: 6.0,
        t_high_us: 8.0,
        min_rtt_us: 2.0,
        additive_step_mbps: 3000.0,
        hyperactive_factor: 1.0,
        initial_mbps: 3000.0,
        least_mbps: 1000.0,
        outstanding_bytes: 0,
        ..Parameters::timely_10g(8.0)
    };
    let gap = |rate: u32| f64::from(PACKET + 90 + 24) * 8000.0 * 4096.0 / f64::from(rate) / CLOCK_NS as f64;
    for seed in few_seeds() {
        let mut rng = rng(seed);
        for bus in [64, 512] {
            for (name, mut nic) in cores(bus, 10) {
                start(&mut *nic, &spec(bus, 10, 10.0, vec![flow(0, PEER, PACKET, 1, &parameters)]));
                let mut bench = Bench::new(nic);
                let end = bench.clk() + 2 * cycles();
                let mut departures: Vec<u64> = Vec::new();
                // RTTs on both sides of the thresholds, at any phase of the gap; three departures
                // between an ACK and the next.
                let mut next = 3;
                while let Some(sent) = bench.run(end) {
                    departures.push(sent.first);
                    if departures.len() == next {
                        let rtt = rng.random_range(1000..14_000) / CLOCK_NS;
                        bench.arrive(sent.last + rtt, answer(&sent.frame, sent.now, sent.now));
                        next = usize::MAX;
                    } else if next == usize::MAX && bench.arriving() == 0 {
                        next = departures.len() + 5;
                    }
                }
                let mut rates: Vec<(u64, u32)> = Vec::new();
                let mut samples = Vec::new();
                for event in &bench.events {
                    match *event {
                        CoreEvent::Rate { clk, rate, .. } => rates.push((clk, rate)),
                        CoreEvent::Rtt { clk, .. } => samples.push(clk),
                        CoreEvent::Timeout { .. } => panic!("a time-out after 10 ms"),
                        CoreEvent::Record { .. } => panic!("a record that nobody asked for"),
                    }
                }
                // One rate is that of the load. At the clock after the pulse, the pacer's memory
                // has the rate.
                assert_eq!((rates.len(), samples.len()), (1 + bench.received.len(), bench.received.len()), "every ACK counts");
                let in_force = |(ack, rate): (&Received, &(u64, u32))| rate.0 + 1 - ack.last;
                let clocks: Vec<u64> = bench.received.iter().zip(&rates[1..]).map(in_force).collect();
                let (least, most) = (clocks.iter().min().expect("an ACK"), clocks.iter().max().expect("an ACK"));
                let (mut lower, mut higher) = (Reaction::new(), Reaction::new());
                for (ack, pair) in bench.received.iter().zip(rates.windows(2)) {
                    let (old, new) = (gap(pair[0].1), gap(pair[1].1));
                    // A change that two departures show, where there are enough of them behind it.
                    if (new / old - 1.0).abs() > 0.05 && ack.last + (3.0 * new) as u64 <= end {
                        if new > old { &mut lower } else { &mut higher }.add(&departures, ack.last, old, new);
                    }
                }
                println!(
                    "{name}, {bus} bits, {} ACKs: from an ACK's last beat to its rate in force, {least} to {most} clocks (aim {AIM}: {})",
                    clocks.len(),
                    if *most <= AIM { "reached" } else { "missed" }
                );
                for (which, r) in [("lower", &lower), ("higher", &higher)] {
                    println!(
                        "  {} {which} rates: a packet due up to {} clocks after the ACK still went by the old gap; the first departure one \
                         new gap behind another came {} to {} clocks after it",
                        r.count, r.kept, r.least, r.most
                    );
                }
                assert!(*most <= AIM, "{name}, {bus} bits: {most} clocks, seed {seed}");
                assert!(lower.kept < BITES, "{name}, {bus} bits: {} clocks until a lower rate bites, seed {seed}", lower.kept);
                assert!(lower.count.min(higher.count) > cycles() / 10_000, "few rates changed, seed {seed}");
            }
        }
    }
}
