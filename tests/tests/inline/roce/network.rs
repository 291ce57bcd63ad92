//! RDMA hosts behind an in-line NIC each, which share one port of a switch with a finite queue.
use super::far::Far;
use super::node::{BUS, FLOW_BITS, Node, control, join, prepare, put_mac};
use super::rxe::{Receiver, Sender};
use super::table::{command, rate, take};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::collections::BTreeMap;
use timely_hw::config::CLOCK_PS;
use timely_regs::link::wire_bytes;
use timely_regs::map::{port, roce};
use timely_regs::parameters::Parameters;
use timely_regs::roce::check;
use timely_regs::wire::ipv4;
use timely_sim::frame::address;
use timely_sim::marking::Marking;
use timely_sim::nic::core::Core;
use timely_sim::nic::inline::Model;
use timely_tests::frames::{mend, pfc};
use timely_tests::nic::{build, counters};

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
            let mut node = Node::new(nic, senders, plan.gbps, plan.joins);
            node.ask_every = plan.ask_every;
            nodes.push(node);
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
