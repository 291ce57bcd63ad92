//! Samples of `timely_model::round_trips` against RDMA connections that are simulated here:
//! go-back-N with loss, delay, NAKs, receivers that are not ready, READs, and numbers that run
//! over.
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use timely_model::Block;
use timely_model::bus::{Completion, FlowLoad, KIND_NAK, KIND_RTT, KIND_TIMEOUT, ProfileWrite};
use timely_model::round_trips::{Answer, Frame, In, Pulse, Request, RoundTrips, Verb};
use timely_regs::profile;

const FLOW_BITS: u32 = 6;
const MASK: u32 = (1 << 24) - 1;
/// ns of a clock.
const CLOCK_NS: u64 = 4;
/// Clocks after which a requester begins again at the oldest PSN that is not acknowledged.
const RETRY: u64 = 30_000;
/// Clocks from an answer to its sample.
const LATENCY: u64 = 4;

/// Probabilities and lengths of a world.
#[derive(Clone, Copy)]
struct Faults {
    loss: f64,
    not_ready: f64,
    /// A departure's stamp is lost.
    unstamped: f64,
    /// A connection ends and another begins with the same number.
    restart: f64,
    reads: f64,
    /// Packets of a message.
    longest: u32,
    /// Messages under way.
    messages: usize,
    /// ns after which the block times a packet out.
    timeout_ns: u32,
}

#[derive(Clone, Copy, Debug)]
struct Message {
    psn: u32,
    packets: u32,
    read: bool,
    /// Bytes of its last packet.
    last: u32,
}

/// A request on its way.
#[derive(Clone, Copy, Debug)]
struct Packet {
    psn: u32,
    /// Connection of the flow.
    connection: u32,
    /// Packets of a READ's responses, or 0.
    read: u32,
    asks: bool,
    spans: bool,
    /// Bytes of the last response to a READ.
    last: u32,
}

/// A queue pair: requester, responder, and all that the requester sent.
struct Pair {
    mtu: u32,
    connection: u32,
    next: u32,
    messages: VecDeque<Message>,
    /// Packets to send.
    queue: VecDeque<Packet>,
    last_progress: u64,
    expected: u32,
    refused: bool,
    /// Departures of each PSN of this connection, whether it asks for an answer, and if one came.
    sent: BTreeMap<u32, (Vec<u64>, bool, bool)>,
    first: bool,
}

fn behind(a: u32, b: u32) -> bool {
    a.wrapping_sub(b) & MASK >= 1 << 23
}

impl Pair {
    fn connect(rng: &mut ChaCha8Rng, connection: u32) -> Pair {
        let psn = if rng.random() { MASK - rng.random_range(0..200) } else { rng.random_range(0..=MASK) };
        let mtu = 256 << rng.random_range(0..5);
        let (messages, queue, sent) = (VecDeque::new(), VecDeque::new(), BTreeMap::new());
        Pair { mtu, connection, next: psn, messages, queue, last_progress: 0, expected: psn, refused: false, sent, first: true }
    }

    fn packets(&self, m: Message, from: u32) -> Vec<Packet> {
        let done = from.wrapping_sub(m.psn) & MASK;
        let connection = self.connection;
        if m.read {
            return vec![Packet { psn: from, connection, read: m.packets - done, asks: true, spans: false, last: m.last }];
        }
        let of =
            |n| Packet { psn: (m.psn + n) & MASK, connection, read: 0, asks: n + 1 == m.packets, spans: n + 1 < m.packets, last: m.last };
        (done..m.packets).map(of).collect()
    }

    /// Everything from `psn` on is sent again.
    fn back_to(&mut self, psn: u32) {
        let from = |m: &Message| if behind(m.psn, psn) { psn } else { m.psn };
        let all: Vec<_> = self.messages.iter().filter(|m| behind(psn, m.psn + m.packets)).copied().collect();
        self.queue = all.iter().flat_map(|m| self.packets(*m, from(m))).collect();
    }

    fn acknowledge(&mut self, psn: u32, now: u64) {
        while self.messages.front().is_some_and(|m| !behind(psn, (m.psn + m.packets - 1) & MASK)) {
            self.messages.pop_front();
            self.last_progress = now;
        }
    }
}

struct Tally {
    samples: u64,
    told: u64,
    timeouts: u64,
    pulses: BTreeMap<u32, u64>,
    asked: u64,
}

/// Runs a world and holds each sample to what happened in it.
fn run(seed: u64, faults: Faults, clocks: u64) -> Tally {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut block = RoundTrips::new(FLOW_BITS);
    let flows = 6;
    let mut pairs: Vec<Pair> = (0..flows).map(|_| Pair::connect(&mut rng, 0)).collect();
    // By clock: requests at the responder, answers at the requester, departures.
    let mut forth = BTreeMap::<u64, Vec<(u32, Packet)>>::new();
    let mut back = BTreeMap::<u64, Vec<(u32, u32, Answer)>>::new();
    let mut departures = BTreeMap::<u64, Completion>::new();
    // NAKs, each of which is told, with a packet timed or without one.
    let mut refused = BTreeSet::new();
    let mut answered = BTreeMap::<u64, (u32, Vec<u64>)>::new();
    let mut tally = Tally { samples: 0, told: 0, timeouts: 0, pulses: BTreeMap::new(), asked: 0 };
    let mut outstanding = vec![None::<u64>; flows];
    let (mut tag, mut arrivals) = (0u16, vec![(0u64, 0u64); flows]);
    let mut setup: VecDeque<In> = VecDeque::new();
    let mut record = FlowLoad::default().record;
    record[0] = 1 | 3 << 4;
    let timeout = ProfileWrite { profile: 3, word: profile::TIMEOUT_NS.word, data: faults.timeout_ns };
    setup.push_back(In { profile: Some(timeout), ..In::default() });
    // Stamps are of the first byte.
    setup.push_back(In { profile: Some(ProfileWrite { profile: 3, word: 0, data: 1 << profile::RTT_START.low }), ..In::default() });
    setup.extend((0..flows).map(|flow| In { flow: Some(FlowLoad { flow: flow as u32, record }), ..In::default() }));
    for clk in 0..clocks {
        let out = block.output(clk);
        (0..9).filter(|b| out.pulses >> b & 1 == 1).for_each(|b| *tally.pulses.entry(b).or_default() += 1);
        if let Some(s) = out.sample.filter(|s| s.kind == KIND_NAK) {
            let (flow, _) = &answered[&(clk - LATENCY)];
            assert_eq!((s.flow, s.rtt_ns, s.lost), (*flow, 0, 1), "clock {clk}, seed {seed}");
            tally.told += 1;
            assert!(refused.contains(&(clk - LATENCY)), "clock {clk}, seed {seed}: no NAK");
            outstanding[s.flow as usize] = None;
        } else if let Some(s) = out.sample {
            outstanding[s.flow as usize] = None;
            if s.kind == KIND_TIMEOUT {
                tally.timeouts += 1;
            } else {
                assert_eq!(s.kind, KIND_RTT);
                tally.samples += 1;
                let (flow, possible) = &answered[&(clk - LATENCY)];
                assert_eq!(s.flow, *flow, "clock {clk}, seed {seed}");
                let right = possible.iter().any(|rtt| (rtt + (1 << 15)) >> 16 == u64::from(s.rtt_ns));
                assert!(right, "clock {clk}, seed {seed}: flow {flow} gave {} ns, right are {possible:?}", s.rtt_ns);
            }
        }
        let now = (clk * CLOCK_NS) << 16;
        if !out.swept {
            block.step(clk, &In::default());
            continue;
        }
        let mut i = In { now, ..setup.pop_front().unwrap_or_default() };
        let ready = setup.is_empty();

        // A request leaves.
        if ready && rng.random_bool(0.3) {
            let flow = rng.random_range(0..flows);
            let p = &mut pairs[flow];
            if rng.random_bool(faults.restart) {
                let (connection, last, mtu) = (p.connection + 1, p.next, p.mtu);
                *p = std::iter::repeat_with(|| Pair::connect(&mut rng, connection))
                    .find(|p| (1 << 19..MASK - (1 << 19)).contains(&(p.next.wrapping_sub(last) & MASK)))
                    .expect("a number that is not near");
                p.mtu = mtu;
            }
            // The block times no request in the four clocks behind the answer that ended a timing.
            let rests = faults.messages == 1 && clk < p.last_progress + 5;
            if !rests && p.messages.len() < faults.messages && rng.random_bool(0.5) {
                let m = Message {
                    psn: p.next,
                    packets: rng.random_range(1..=faults.longest),
                    read: rng.random_bool(faults.reads),
                    last: rng.random_range(1..=p.mtu),
                };
                p.next = (p.next + m.packets) & MASK;
                if p.messages.is_empty() {
                    p.last_progress = clk;
                }
                p.messages.push_back(m);
                let packets = p.packets(m, m.psn);
                p.queue.extend(packets);
            }
            let oldest = p.messages.front().map(|m| m.psn);
            if let Some(psn) = oldest.filter(|_| clk > p.last_progress + RETRY && p.queue.is_empty()) {
                p.back_to(psn);
                p.last_progress = clk;
            }
            if let Some(packet) = p.queue.pop_front() {
                let bytes = match packet.read {
                    0 if packet.spans => p.mtu,
                    0 => packet.last,
                    n => (n - 1) * p.mtu + packet.last,
                };
                tag = (tag + 1) & 0x3fff;
                let asks = packet.asks && packet.read == 0;
                let request = Request { flow: flow as u32, psn: packet.psn, read: packet.read != 0, asks, bytes };
                i.sent = Some(Frame { tag, wire_bytes: 1100, launch: 0, request: Some(request) });
                tally.asked += u64::from(packet.asks);
                if packet.asks && outstanding[flow].is_none() {
                    outstanding[flow] = Some(clk);
                }
                let mut leaves = clk + rng.random_range(0..40);
                while departures.contains_key(&leaves) {
                    leaves += 1;
                }
                let ts = ((leaves * CLOCK_NS) << 16) + rng.random_range(0..CLOCK_NS << 16);
                if !rng.random_bool(faults.unstamped) {
                    departures.insert(leaves, Completion { tag, ts });
                }
                p.sent.entry(packet.psn).or_default().0.push(ts >> 8 << 8);
                let record = p.sent.get_mut(&packet.psn).expect("just sent");
                record.1 = packet.asks;
                // A READ that is asked for again from its middle is another request for a PSN that
                // was a response's.
                if !rng.random_bool(faults.loss) {
                    let at = arrivals[flow].0.max(leaves + rng.random_range(100..2000)) + 1;
                    arrivals[flow].0 = at;
                    forth.entry(at).or_default().push((flow as u32, packet));
                }
            }
        }
        i.completion = departures.remove(&clk);

        // Requests at responders.
        for (flow, packet) in forth.remove(&clk).unwrap_or_default() {
            let p = &mut pairs[flow as usize];
            if packet.connection != p.connection {
                continue;
            }
            let mut answers = Vec::new();
            let answer = |verb, psn| Answer { flow, verb, psn, ..Answer::default() };
            if behind(p.expected, packet.psn) {
                if !p.refused {
                    answers.push(answer(Verb::Nak, p.expected));
                }
                p.refused = true;
            } else if packet.psn == p.expected && rng.random_bool(faults.not_ready) {
                answers.push(answer(Verb::NotReady, p.expected));
                p.refused = true;
            } else {
                let takes = packet.read.max(1);
                if packet.psn == p.expected {
                    p.expected = (p.expected + takes) & MASK;
                    p.refused = false;
                }
                for n in 0..packet.read {
                    let bytes = if n + 1 < packet.read { p.mtu } else { packet.last };
                    let psn = (packet.psn + n) & MASK;
                    answers.push(Answer { flow, verb: Verb::Response, psn, bytes: bytes as u16, ts: 0 });
                }
                if packet.read == 0 && packet.asks {
                    // A duplicate is answered with the newest PSN.
                    answers.push(answer(Verb::Ack, p.expected.wrapping_sub(1) & MASK));
                }
            }
            for a in answers {
                if !rng.random_bool(faults.loss) {
                    let at = arrivals[flow as usize].1.max(clk + rng.random_range(100..2000)) + 1;
                    arrivals[flow as usize].1 = at;
                    back.entry(at).or_default().push((flow, packet.connection, a));
                }
            }
        }

        // One answer a clock; others wait.
        let mut due = back.remove(&clk).unwrap_or_default();
        if !due.is_empty() {
            let (flow, connection, mut a) = due.remove(0);
            if !due.is_empty() {
                let later = back.entry(clk + 1).or_default();
                due.append(later);
                *later = due;
            }
            a.ts = now + rng.random_range(0..CLOCK_NS << 16);
            let p = &mut pairs[flow as usize];
            if connection == p.connection {
                let refuses = matches!(a.verb, Verb::Nak | Verb::NotReady);
                // What a sample may be: from the only transmission of a request that asked, to the
                // first answer that covers it.
                let covered = p.sent.iter_mut().filter(|(psn, (_, asks, done))| *asks && !*done && !refuses && !behind(a.psn, **psn));
                let mut possible = Vec::new();
                for (_, (times, _, done)) in covered {
                    if times.len() == 1 {
                        possible.push((a.ts >> 8 << 8).wrapping_sub(times[0]));
                    }
                    *done = true;
                }
                answered.insert(clk, (flow, possible));
                if a.verb == Verb::Nak {
                    refused.insert(clk);
                }
                if outstanding[flow as usize].is_some() {
                    outstanding[flow as usize] = None;
                }
                match a.verb {
                    Verb::Nak | Verb::NotReady => {
                        p.acknowledge(a.psn.wrapping_sub(1) & MASK, clk);
                        p.back_to(a.psn);
                    }
                    _ => p.acknowledge(a.psn, clk),
                }
                p.first = false;
                i.answer = Some(a);
            }
        }
        // No flow is left alone: answer, sample or time-out, or the scan is due.
        for (flow, since) in outstanding.iter().enumerate() {
            let most = u64::from(faults.timeout_ns) / CLOCK_NS + 66_000 + RETRY;
            assert!(since.is_none_or(|at| clk - at < most), "seed {seed}: flow {flow} heard nothing since clock {since:?}, now {clk}");
        }
        block.step(clk, &i);
    }
    let within = refused.range(..clocks - LATENCY).count() as u64;
    assert_eq!(tally.told, within, "seed {seed}: NAKs that were told");
    tally
}

const CALM: Faults =
    Faults { loss: 0.0, not_ready: 0.0, unstamped: 0.0, restart: 0.0, reads: 0.0, longest: 1, messages: 1, timeout_ns: 1 << 30 };

#[test]
fn each_answered_request_gives_its_round_trip() {
    let t = run(1, CALM, 200_000);
    // But the first of each of six flows, and those that are under way at the end.
    assert!(t.asked > 300 && t.asked - t.samples <= 12, "{} of {} gave a sample", t.samples, t.asked);
    assert_eq!(t.pulses.keys().copied().collect::<Vec<_>>(), [Pulse::Unsure as u32], "{:?}", t.pulses);
}

#[test]
fn samples_are_of_packets_that_were_sent_once() {
    let mut all = BTreeMap::<u32, u64>::new();
    let mut samples = 0;
    for seed in 0..20 {
        let mut rng = ChaCha8Rng::seed_from_u64(1000 + seed);
        let faults = Faults {
            loss: [0.0, 0.01, 0.04][rng.random_range(0..3)],
            not_ready: [0.0, 0.02][rng.random_range(0..2)],
            unstamped: [0.0, 0.05][rng.random_range(0..2)],
            restart: [0.0, 0.0002][rng.random_range(0..2)],
            reads: [0.0, 0.5, 1.0][rng.random_range(0..3)],
            longest: [1, 5, 40][rng.random_range(0..3)],
            messages: [1, 4, 16][rng.random_range(0..3)],
            timeout_ns: [1 << 30, 50_000][rng.random_range(0..2)],
        };
        let t = run(seed, faults, 300_000);
        println!("seed {seed}: {} requests asked, {} samples, {} time-outs, {:?}", t.asked, t.samples, t.timeouts, t.pulses);
        assert!(t.samples > 20, "seed {seed}");
        assert!(!t.pulses.contains_key(&(Pulse::Stray as u32)), "seed {seed}: an answer to what was sent counts as stray");
        samples += t.samples;
        t.pulses.iter().for_each(|(p, n)| *all.entry(*p).or_default() += n);
    }
    println!("{samples} samples, {all:?}");
    for p in [Pulse::Repeated, Pulse::Unstamped, Pulse::Unsure, Pulse::Nak, Pulse::NotReady, Pulse::TimedOut, Pulse::Restarted] {
        assert!(all.get(&(p as u32)).is_some_and(|n| *n > 10), "{p:?}");
    }
}
