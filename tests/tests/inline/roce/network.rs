//! RDMA hosts behind an in-line NIC each, which share one port of a switch with a finite queue.
use super::far::Far;
use super::rxe::{Receiver, Sender};
use super::table::{command, rate, take};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::collections::{BTreeMap, VecDeque};
use std::net::Ipv4Addr;
use timely_hw::config::CLOCK_PS;
use timely_model::bus::{KIND_RTT, KIND_TIMEOUT};
use timely_model::inline::nic::In;
use timely_model::stream::{Assembler, Beat, beats};
use timely_regs::link::wire_bytes;
use timely_regs::map::{port, profiles, roce};
use timely_regs::parameters::Parameters;
use timely_regs::profile;
use timely_regs::roce::{Headers, Kind, check, offset};
use timely_regs::wire::ipv4;
use timely_sim::cores::CoreSpec;
use timely_sim::frame::address;
use timely_sim::marking::Marking;
use timely_sim::nic::core::Core;
use timely_sim::nic::inline::{Inline, Model, Path};
use timely_sim::nic::setup::configure;
use timely_sim::scenario::Form;
use timely_tests::frames::{mend, pfc};
use timely_tests::nic::{build, counters, spec};
use timely_tests::roce::seal;

pub const BUS: u32 = 512;
pub const FLOW_BITS: u32 = 6;
/// The pairs' priority where the bottleneck pauses it.
const PRIORITY: u8 = 3;

/// Faults of the network.
#[derive(Clone, Copy, Debug, Default)]
pub struct Faults {
    /// Share of data frames, and of answers, that are lost.
    pub loses: f64,
    pub loses_answers: f64,
    /// Share of data frames that are held up behind the next one.
    pub reorders: f64,
    /// The peer of the pair with this local number answers nothing.
    pub mute: Option<u32>,
}

/// A network of one bottleneck.
#[derive(Clone, Debug)]
pub struct Plan {
    pub gbps: f64,
    /// Queue of the bottleneck, bytes.
    pub queue: f64,
    /// Clocks from a NIC to a receiver and back without the queue.
    pub round_trip: u64,
    pub profile: Parameters,
    pub faults: Faults,
    /// Marking by the queue that a frame finds, and the least us between two CNPs of a pair.
    pub marking: Option<(Marking, f64)>,
    /// The receiver sends no CNPs and is behind a NIC of its own, which sends them or does not.
    pub behind: Option<bool>,
    /// The bottleneck pauses the pairs' priority of all hosts (802.1Qbb) above the first of these
    /// bytes in its queue, and lets it go on at the second.
    pub pfc: Option<(f64, f64)>,
    /// The host joins its pairs with their local numbers.
    pub joins: bool,
    /// The NICs make such packets ask for an ACK; 0 none.
    pub ask_every: u32,
    pub age: u32,
    pub seed: u64,
}

/// A host and its NIC.
pub struct Node<P> {
    pub nic: Inline<P>,
    gbps: f64,
    pub pairs: Vec<Sender>,
    turn: usize,
    /// Beats that the NIC is offered, and the pair whose frame they are.
    offered: VecDeque<Beat>,
    /// Frames in the NIC, by pair.
    inside: Vec<VecDeque<Vec<u8>>>,
    /// Answers under way to the NIC, by the clock of their arrival; and their beats.
    answers: VecDeque<(u64, Vec<u8>)>,
    arriving: VecDeque<Beat>,
    rising: VecDeque<Vec<u8>>,
    leaving: Assembler,
    up: Assembler,
    /// When the wire is free, in 2^-16 clocks.
    free: u64,
    idle_until: u64,
    /// First beat of the frame that leaves; of those that ask for an ACK, by pair and number, with
    /// their bytes.
    begun: Option<u64>,
    departed: BTreeMap<(u32, u32), (u64, u32)>,
    /// Answers of late: clock of the first beat, pair, number.
    answered: VecDeque<(u64, u32, u32)>,
    /// RTT samples, ns, with their clocks.
    pub rtts: Vec<(u64, u32)>,
    /// Clocks of time-outs, and those at which requests that ask for an ACK have left.
    pub timeouts: Vec<u64>,
    pub asked: Vec<u64>,
    /// Packets of a pair from one that asks to the next that the NIC makes to, 0 for none; those
    /// that were made to, and each pair's packets since its last one that asks.
    ask_every: u32,
    pub made_to_ask: u64,
    quiet: Vec<u32>,
    /// The host takes nothing.
    pub stalled: bool,
    /// Frames that came from the wire and did not reach the host.
    pub missed: u64,
    /// The NIC was reset: it lost what was inside.
    pub reset: bool,
    /// Wire bytes that left, by pair.
    pub left: Vec<u64>,
}

/// Secret of the table.
const SECRET: [u32; 6] = [0x1234_5677, 0x9abc_def1, 0x0f1e_2d3d, 0x4c5b_6a79, 0x8897_a6b5, 0xc4d3_e2f1];

/// Sets a NIC up for queue pairs.
pub fn prepare<P: Path>(path: P, profile: &Parameters, gbps: f64, age: u32) -> Inline<P> {
    let spec = CoreSpec { form: Form::Inline, ..spec(8 * path.bus_bytes() as u32, FLOW_BITS, gbps, Vec::new()) };
    let mut nic = Inline::new(path, &spec);
    configure(&mut nic, &spec).expect("a valid set-up");
    put_profile(&mut nic, 1, profile);
    let mut write = |address: u32, value: u32| nic.write32(address, value).expect("a register");
    SECRET.iter().zip(0..).for_each(|(w, i)| write(roce::SECRET.address() + 4 * i, *w));
    write(port::STORE_BOUND.address(), 2048);
    write(roce::PROFILE.address(), 1);
    write(roce::AGE.address(), age);
    write(roce::CONTROL.address(), 1);
    nic
}

/// CONTROL of a table in use whose NIC makes such packets ask for an ACK.
pub fn control(ask_every: u32) -> u32 {
    roce::ENABLE.mask() | ask_every << roce::ASK_EVERY.low
}

/// Writes the port's own MAC address.
pub fn put_mac<P: Path>(nic: &mut Inline<P>, [a, b, c, d, e, f]: [u8; 6]) {
    nic.write32(port::MAC_LOW.address(), u32::from_le_bytes([a, b, c, d])).expect("a register");
    nic.write32(port::MAC_HIGH.address(), u32::from_le_bytes([e, f, 0, 0])).expect("a register");
}

/// Writes a profile.
pub fn put_profile<P: Path>(nic: &mut Inline<P>, number: u32, parameters: &Parameters) {
    let words = parameters.quantise().expect("a profile");
    for (word, at) in words.into_iter().zip(number * profile::WORDS as u32..) {
        nic.write32(profiles::WORD.address() + 4 * at, word).expect("a register");
    }
}

/// The IPv4 address of a host, as the table has it.
pub fn mapped(host: u16) -> [u8; 16] {
    Ipv4Addr::from(address::ipv4(host)).to_ipv6_mapped().octets()
}

/// The host joins its pairs.
fn join<P: Path>(nic: &mut Inline<P>, pairs: &[Sender]) {
    for p in pairs {
        let done = command(nic, mapped(p.hosts.1), p.remote, Some(p.local), roce::SET);
        assert_eq!(done.map(|d| d.0), Some(0), "the pair is set and joined");
    }
}

impl<P: Path> Node<P> {
    pub fn new(mut nic: Inline<P>, pairs: Vec<Sender>, gbps: f64, joins: bool) -> Self {
        let n = pairs.len();
        if joins {
            join(&mut nic, &pairs);
        }
        Node {
            nic,
            gbps,
            pairs,
            turn: 0,
            offered: VecDeque::new(),
            inside: vec![VecDeque::new(); n],
            answers: VecDeque::new(),
            arriving: VecDeque::new(),
            rising: VecDeque::new(),
            leaving: Assembler::default(),
            ask_every: 0,
            made_to_ask: 0,
            quiet: vec![0; n],
            up: Assembler::default(),
            free: 0,
            idle_until: 0,
            begun: None,
            departed: BTreeMap::new(),
            answered: VecDeque::new(),
            rtts: Vec::new(),
            timeouts: Vec::new(),
            asked: Vec::new(),
            stalled: false,
            missed: 0,
            reset: false,
            left: vec![0; n],
        }
    }

    fn may_send(&self) -> bool {
        !self.offered.is_empty() || self.pairs.iter().any(Sender::may_send)
    }

    /// The first clock that must be made.
    fn next(&self) -> u64 {
        let clk = self.nic.clk();
        if !self.arriving.is_empty() {
            return clk;
        }
        let out = self.nic.peek();
        if (out.host_ready && self.may_send()) || (out.host.is_some() && !self.stalled) {
            return clk;
        }
        let expires = self.pairs.iter().map(|p| p.deadline).min().unwrap_or(u64::MAX);
        let wire = if out.wire.is_some() { self.free.div_ceil(1 << 16) } else { u64::MAX };
        let answer = self.answers.front().map_or(u64::MAX, |a| a.0);
        self.nic.wake().min(expires).min(wire).min(answer).max(clk)
    }

    /// A clock; the frame that has left at its end.
    fn clock(&mut self, clk: u64, clocks_a_byte: u64) -> Option<Vec<u8>> {
        if clk > self.nic.clk() {
            self.nic.skip_to(clk);
        }
        let width = self.nic.bus_bytes() * 8;
        self.pairs.iter_mut().for_each(|p| p.expired(clk));
        if self.offered.is_empty() && self.nic.peek().host_ready {
            let n = self.pairs.len();
            if let Some(at) = (0..n).map(|i| (self.turn + i) % n).find(|i| self.pairs[*i].may_send()) {
                let frame = self.pairs[at].send(clk);
                self.offered.extend(beats(&frame, width));
                self.inside[at].push_back(frame);
                self.turn = at + 1;
            }
        }
        if self.arriving.is_empty()
            && let Some((_, frame)) = self.answers.pop_front_if(|a| a.0 <= clk)
        {
            self.arriving.extend(beats(&frame, width));
            if let Some(h) = answer(&frame).filter(|h| h.kind != Kind::Cnp) {
                self.answered.push_back((clk, h.queue_pair, h.psn));
            }
            if self.answered.len() > 8 {
                self.answered.pop_front();
            }
            self.rising.push_back(frame);
        }
        let wire_ready = self.free <= clk << 16;
        let i = In {
            host: self.offered.front().map(|b| (*b, 0x1234_5678_9abc)),
            host_ready: !self.stalled,
            wire: self.arriving.front().map(|b| (*b, 5)),
            wire_ready,
            ..In::default()
        };
        let out = self.nic.drive(i);
        if out.host_ready {
            self.offered.pop_front();
        }
        if out.wire_taken {
            self.arriving.pop_front();
        }
        if let Some(s) = out.sample.filter(|s| s.kind == KIND_RTT) {
            self.rtts.push((clk, s.rtt_ns));
            self.check_sample(clk, s.rtt_ns);
        }
        self.timeouts.extend(out.sample.filter(|s| s.kind == KIND_TIMEOUT).map(|_| clk));
        if let Some((beat, _)) = out.host.filter(|_| !self.stalled)
            && let Some(frame) = self.up.push(&beat)
        {
            // What a host that stopped has not taken is dropped, frame by frame.
            let dropped = self.rising.iter().position(|f| *f == frame).unwrap_or(0);
            self.missed += self.rising.drain(..dropped).count() as u64;
            let sent = self.rising.pop_front().expect("a frame from the wire");
            assert!(frame == sent, "clock {clk}: another frame reaches the host than came");
            // rxe takes no notice of a CNP.
            if let Some(h) = answer(&frame).filter(|h| h.kind != Kind::Cnp) {
                let pair = self.pairs.iter_mut().find(|p| p.local == h.queue_pair).expect("a pair");
                pair.answered(clk, h.psn, h.syndrome);
            }
        }
        let w = out.wire.filter(|_| wire_ready)?;
        let begun = *self.begun.get_or_insert(clk);
        self.free = self.free.max(clk << 16) + u64::from(w.beat.bytes) * clocks_a_byte;
        let frame = self.leaving.push(&w.beat)?;
        self.begun = None;
        assert_eq!((w.meta, w.ack), (0x1234_5678_9abc, None), "the host's sideband");
        let overhead = wire_bytes(frame.len() as u32) - frame.len() as u32;
        self.free += u64::from(overhead) * clocks_a_byte;
        let h = check(&frame).expect("a frame as it was");
        let at = self.pairs.iter().position(|p| p.remote == h.queue_pair).expect("a pair");
        // A reset loses packets in the store, and lets newer ones past one that is about to leave.
        let place = if self.reset { self.inside[at].iter().position(|f| *f == frame).unwrap_or(0) } else { 0 };
        let first = self.inside[at].remove(place);
        let mut first = first.expect("a frame that came");
        let ack_request = h.class.header() + offset::ACK_REQUEST;
        self.quiet[at] = if first[ack_request] & 0x80 == 0 { self.quiet[at] + 1 } else { 0 };
        if self.ask_every > 0 && self.quiet[at] == self.ask_every {
            // Its check sequence is made from scratch.
            first[ack_request] |= 0x80;
            seal(&mut first, h.class);
            self.made_to_ask += 1;
            self.quiet[at] = 0;
        }
        assert!(first == frame, "clock {clk}, pair {at}: another frame leaves than is next");
        if h.ack_request {
            self.departed.insert((self.pairs[at].local, h.psn), (begun, frame.len() as u32));
            self.asked.push(clk);
        }
        self.left[at] += u64::from(wire_bytes(frame.len() as u32));
        Some(frame)
    }
}

impl<P: Path> Node<P> {
    /// A sample is the time from the last byte of a request on the line to the first beat of an
    /// answer that covers it, to 2 clocks.
    fn check_sample(&self, clk: u64, ns: u32) {
        let byte_ns = 8.0 / self.gbps;
        let of = |(at, pair, psn): &(u64, u32, u32)| {
            let covered = self.departed.iter().filter(|(k, _)| k.0 == *pair && psn.wrapping_sub(k.1) & 0xff_ffff < 256);
            covered
                .map(|(_, (begun, bytes))| (*at as f64 - *begun as f64) * f64::from(CLOCK_PS) / 1000.0 - f64::from(bytes + 4) * byte_ns)
                .collect::<Vec<_>>()
        };
        let truths: Vec<f64> = self.answered.iter().flat_map(of).collect();
        let near = truths.iter().any(|t| (t - f64::from(ns)).abs() <= 2.0 * f64::from(CLOCK_PS) / 1000.0);
        assert!(near, "clock {clk}: a sample of {ns} ns; the answers of late have {truths:.1?}");
    }
}

// The header of a frame from the wire, unless it is a pause.
fn answer(frame: &[u8]) -> Option<Headers> {
    (frame[12..14] != MAC_CONTROL).then(|| check(frame).expect("an answer"))
}

/// EtherType of MAC control.
const MAC_CONTROL: [u8; 2] = [0x88, 0x08];

/// Measurements between two clocks.
#[derive(Clone, Debug, Default)]
pub struct Measured {
    /// Share of the bottleneck that was used, by wire bytes.
    pub utilization: f64,
    pub jain: f64,
    /// Mean and greatest bytes in the queue that a frame found.
    pub queue: f64,
    pub greatest: f64,
    pub dropped: u64,
    /// Median of the RTT samples, us, and their number.
    pub rtt_us: f64,
    pub samples: usize,
}

pub struct Network {
    pub plan: Plan,
    pub nodes: Vec<Node<Model>>,
    pub receiver: Receiver,
    pub far: Option<Far>,
    rng: ChaCha8Rng,
    /// 2^-16 clocks a byte takes.
    clocks_a_byte: u64,
    /// When the bottleneck is free, 2^-16 clocks.
    free: u64,
    held: Option<(u64, Vec<u8>)>,
    /// The hosts are paused; how often they were.
    paused: bool,
    pub pauses: u64,
    /// The next clock of each node.
    due: Vec<u64>,
    pub dropped: u64,
    found: (f64, f64, u64),
    /// Wire bytes the bottleneck carried.
    carried: u64,
}

/// Jain's index.
pub fn jain(rates: &[f64]) -> f64 {
    let (sum, squares) = rates.iter().fold((0.0, 0.0), |(s, q), r| (s + r, q + r * r));
    sum * sum / (rates.len() as f64 * squares)
}

/// Clocks of a microsecond.
pub const US: u64 = 1_000_000 / CLOCK_PS as u64;

impl Network {
    /// `hosts` NICs with `pairs` queue pairs each.
    pub fn new(plan: Plan, hosts: usize, pairs: usize) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(plan.seed);
        let marks = plan.marking.filter(|_| plan.behind.is_none());
        let mut receiver = Receiver::new(marks.map_or(0, |m| (m.1 * US as f64) as u64));
        let target = hosts as u16 + 1;
        let mut nodes = Vec::new();
        for host in 1..=hosts as u16 {
            let number = |i: usize| u32::from(host) << 8 | i as u32;
            let tos = if plan.marking.is_some() { 2 } else { 0 };
            let psn = |rng: &mut ChaCha8Rng| rng.random::<u32>() & 0xff_ffff;
            let senders: Vec<_> =
                (0..pairs).map(|i| Sender::new((host, target), 0x100 + i as u32, number(i), psn(&mut rng)).of_class(tos)).collect();
            senders.iter().for_each(|s| receiver.connect(s));
            let mut nic = prepare(Model::pairs(build(BUS, FLOW_BITS)), &plan.profile, plan.gbps, plan.age);
            put_mac(&mut nic, address::mac(host));
            nic.write32(roce::CONTROL.address(), control(plan.ask_every)).expect("a register");
            if plan.pfc.is_some() {
                nic.write32(port::PAUSE.address(), 1).expect("a register");
                nic.write32(roce::PRIORITY.address(), PRIORITY.into()).expect("a register");
            }
            let node = Node::new(nic, senders, plan.gbps, plan.joins);
            nodes.push(Node { ask_every: plan.ask_every, ..node });
        }
        let far = plan.behind.map(|on| {
            let pairs: Vec<&Sender> = nodes.iter().flat_map(|n: &Node<_>| &n.pairs).collect();
            Far::new(Model::pairs(build(BUS, FLOW_BITS)), plan.gbps, &pairs, on, plan.joins)
        });
        // Hosts begin at different times, when all NICs are set up.
        let begins = nodes.iter().map(|n| n.nic.clk()).chain(far.as_ref().map(|f| f.nic.clk())).max().unwrap_or(0);
        for n in &mut nodes {
            n.idle_until = begins + rng.random_range(0..50 * US);
        }
        let clocks_a_byte = (8000.0 / plan.gbps / f64::from(CLOCK_PS) * 65_536.0).round() as u64;
        Network {
            plan,
            nodes,
            receiver,
            due: vec![0; hosts + usize::from(far.is_some())],
            far,
            rng,
            clocks_a_byte,
            free: 0,
            held: None,
            paused: false,
            pauses: 0,
            dropped: 0,
            found: (0.0, 0.0, 0),
            carried: 0,
        }
    }

    /// A frame of host `at` has left at clock `clk`.
    fn forward(&mut self, at: usize, clk: u64, frame: Vec<u8>) {
        let f = self.plan.faults;
        if self.rng.random_bool(f.loses) {
            return;
        }
        if self.held.is_none() && self.rng.random_bool(f.reorders) {
            self.held = Some((at as u64, frame));
            return;
        }
        let held = self.held.take();
        self.enqueue(at, clk, frame);
        if let Some((other, frame)) = held {
            self.enqueue(other as usize, clk, frame);
        }
    }

    fn enqueue(&mut self, at: usize, clk: u64, mut frame: Vec<u8>) {
        let arrives = (clk + self.plan.round_trip / 4) << 16;
        let bytes = u64::from(wire_bytes(frame.len() as u32));
        let queued = self.free.saturating_sub(arrives) as f64 / self.clocks_a_byte as f64;
        self.found = (self.found.0 + queued, self.found.1.max(queued), self.found.2 + 1);
        if queued + bytes as f64 > self.plan.queue {
            self.dropped += 1;
            return;
        }
        self.free = self.free.max(arrives) + bytes * self.clocks_a_byte;
        self.carried += bytes;
        if !self.paused && self.plan.pfc.is_some_and(|(xoff, _)| queued + bytes as f64 > xoff) {
            self.pauses += 1;
            self.pause(arrives >> 16, true);
        }
        if let Some((ramp, _)) = &self.plan.marking
            && ramp.marks(queued as u64, &mut self.rng)
        {
            let class = check(&frame).expect("a frame").class;
            frame[class.ip() + ipv4::TOS] |= 3;
            mend(&mut frame, class);
        }
        let left = self.free >> 16;
        if let Some(far) = &mut self.far {
            far.send(left, frame);
            let at = self.nodes.len();
            self.due[at] = self.due[at].min(left.max(far.nic.clk()));
            return;
        }
        for answer in [self.receiver.notify(left, &frame), self.receiver.receive(&frame)].into_iter().flatten() {
            let mute = self.plan.faults.mute.is_some_and(|m| check(&answer).is_ok_and(|h| h.queue_pair == m));
            if mute || self.rng.random_bool(self.plan.faults.loses_answers) {
                continue;
            }
            self.answer(at, left, answer);
        }
    }

    /// The bottleneck pauses all hosts, or lets them go on.
    fn pause(&mut self, clk: u64, paused: bool) {
        self.paused = paused;
        let frame = pfc(PRIORITY, if paused { u16::MAX } else { 0 });
        let arrives = clk + self.plan.round_trip / 4;
        for (node, due) in self.nodes.iter_mut().zip(&mut self.due) {
            let at = node.answers.partition_point(|a| a.0 <= arrives);
            node.answers.insert(at, (arrives, frame.clone()));
            *due = (*due).min(arrives).max(node.nic.clk());
        }
    }

    /// When the queue of a bottleneck that pauses has come down.
    fn resumes(&self) -> u64 {
        let at = |(_, xon): (f64, f64)| self.free.saturating_sub((xon * self.clocks_a_byte as f64) as u64) >> 16;
        self.plan.pfc.filter(|_| self.paused).map_or(u64::MAX, at)
    }

    /// The receiver's side sends `answer` to node `at`.
    fn answer(&mut self, at: usize, left: u64, answer: Vec<u8>) {
        let back = left + self.plan.round_trip * 3 / 4;
        self.nodes[at].answers.push_back((back, answer));
        self.due[at] = self.due[at].min(back);
    }

    /// A clock of the receiver's NIC.
    fn receive(&mut self, clk: u64) {
        let Some(far) = &mut self.far else { return };
        let frame = far.clock(clk, &mut self.receiver);
        self.due[self.nodes.len()] = far.next();
        if let Some(frame) = frame {
            let to = check(&frame).expect("a frame").class.ip() + ipv4::DESTINATION;
            let host = self.nodes.iter().position(|n| address::ipv4(n.pairs[0].hosts.0)[..] == frame[to..to + 4]);
            self.answer(host.expect("a host"), clk, frame);
        }
    }

    /// Runs up to clock `end`.
    pub fn run(&mut self, end: u64) {
        loop {
            let (at, clk) = self.due.iter().copied().enumerate().min_by_key(|n| n.1).expect("a node");
            let resumes = self.resumes();
            if clk.min(resumes) >= end {
                return;
            }
            if resumes <= clk {
                self.pause(resumes, false);
                continue;
            }
            if at == self.nodes.len() {
                self.receive(clk);
                continue;
            }
            let node = &mut self.nodes[at];
            if clk >= node.idle_until.max(node.nic.clk())
                && let Some(frame) = node.clock(clk, self.clocks_a_byte)
            {
                self.forward(at, clk, frame);
            }
            let node = &self.nodes[at];
            self.due[at] = node.next().max(node.idle_until);
        }
    }

    /// The driver of node `at` writes a register while traffic goes on.
    pub fn write(&mut self, at: usize, address: u32, value: u32) {
        self.nodes[at].nic.post_write(address, value);
        self.due[at] = self.due[at].min(self.nodes[at].nic.clk()).max(self.nodes[at].idle_until);
    }

    /// A pair of node `at` gets one more message to send.
    pub fn post(&mut self, at: usize, pair: usize) {
        self.nodes[at].pairs[pair].messages += 1;
        self.due[at] = self.due[at].min(self.nodes[at].nic.clk()).max(self.nodes[at].idle_until);
    }

    /// Rate of a flow of node `at`, Mb/s.
    pub fn rate(&mut self, at: usize, flow: u32) -> f64 {
        let rate = rate(&mut self.nodes[at].nic, flow);
        self.due[at] = self.due[at].min(self.nodes[at].nic.clk()).max(self.nodes[at].idle_until);
        rate
    }

    /// The hosts join their pairs, which may send already.
    pub fn join(&mut self) {
        for (node, due) in self.nodes.iter_mut().zip(&mut self.due) {
            join(&mut node.nic, &node.pairs);
            *due = (*due).min(node.nic.clk()).max(node.idle_until);
        }
    }

    /// The driver of each host takes answers whose pairs are not joined, `each` times, and joins
    /// what it finds in its host's list of queue pairs: the local number and the remote one, and no
    /// address. Gives how many it joined.
    pub fn follow(&mut self, each: u32) -> usize {
        let mut joined = 0;
        for (node, due) in self.nodes.iter_mut().zip(&mut self.due) {
            for _ in 0..each {
                let Some((address, local)) = take(&mut node.nic) else { continue };
                let remote = node.pairs.iter().find(|p| p.local == local).map(|p| p.remote);
                let done = remote.and_then(|r| command(&mut node.nic, address, r, Some(local), roce::JOIN));
                joined += usize::from(done.is_some_and(|d| d.0 == 0));
            }
            *due = (*due).min(node.nic.clk()).max(node.idle_until);
        }
        joined
    }

    /// The same of the receiver's driver, whose host lists the peer's number by its own.
    pub fn follow_far(&mut self, list: &BTreeMap<u32, u32>, each: u32) -> usize {
        // Registers are read for clocks in which no frame goes on.
        while let Some(clk) = self.far.as_ref().filter(|f| !f.is_between_frames()).map(|f| f.nic.clk()) {
            self.run(clk + 1);
        }
        let Some(far) = &mut self.far else { return 0 };
        let joined = far.follow(list, each);
        self.due[self.nodes.len()] = far.next();
        joined
    }

    /// Runs from `from` to `to` and measures.
    pub fn measure(&mut self, from: u64, to: u64) -> Measured {
        self.run(from);
        let bytes = |n: &Self| -> Vec<u64> { n.nodes.iter().flat_map(|h| h.pairs.iter().map(|p| n.receiver.bytes(p.remote))).collect() };
        let (before, carried, dropped) = (bytes(self), self.carried, self.dropped);
        self.found = (0.0, 0.0, 0);
        self.run(to);
        let rates: Vec<f64> = bytes(self).iter().zip(before).map(|(a, b)| (a - b) as f64).collect();
        let mut rtts: Vec<u32> = self.nodes.iter().flat_map(|n| n.rtts.iter().filter(|r| r.0 >= from).map(|r| r.1)).collect();
        rtts.sort_unstable();
        Measured {
            utilization: (self.carried - carried) as f64 * self.clocks_a_byte as f64 / 65_536.0 / (to - from) as f64,
            jain: jain(&rates),
            queue: self.found.0 / self.found.2.max(1) as f64,
            greatest: self.found.1,
            dropped: self.dropped - dropped,
            rtt_us: rtts.get(rtts.len() / 2).map_or(0.0, |ns| f64::from(*ns) / 1000.0),
            samples: rtts.len(),
        }
    }

    /// A counter of all NICs together.
    pub fn counted(&mut self) -> Vec<u64> {
        let each: Vec<Vec<u32>> = self.nodes.iter_mut().map(|n| counters(&mut n.nic)).collect();
        (0..each[0].len()).map(|i| each.iter().map(|c| u64::from(c[i])).sum()).collect()
    }
}
