//! Hosts that read: what their READs bring keeps to the rates of their pairs.
use super::dcqcn::{fluid, marked};
use super::network::{US, jain};
use super::node::{BUS, FLOW_BITS, mapped, prepare, put_mac};
use super::rxe::{MTU, envelope};
use super::table::command;
use rand::Rng;
use rand_chacha::ChaCha8Rng;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use timely_hw::config::CLOCK_PS;
use timely_model::bus::{KIND_RTT, KIND_TIMEOUT};
use timely_model::inline::nic::In;
use timely_model::stream::{Assembler, Beat, beats};
use timely_regs::counters::Counter;
use timely_regs::link::wire_bytes;
use timely_regs::map::roce;
use timely_regs::parameters::Parameters;
use timely_regs::roce::{Bth, Extension, check, opcode};
use timely_regs::wire::ipv4;
use timely_sim::frame::address;
use timely_sim::marking::Marking;
use timely_sim::nic::core::Core;
use timely_sim::nic::inline::{Inline, Model};
use timely_tests::frames::mend;
use timely_tests::nic::{build, counters};
use timely_tests::{few_seeds, rng, thorough};

/// The host that reads; its peers are those behind it.
const HOST: u16 = 1;
/// READs that a host has under way on a pair at most, as RDMA NICs do (`max_rd_atomic`).
const DEPTH: usize = 16;
const PSN: u32 = 0xff_ffff;

/// A queue pair that reads messages of so many bytes for ever.
struct Reader {
    peer: u16,
    bytes: u32,
    /// PSN of the next READ, and of the next response.
    psn: u32,
    expected: u32,
    /// Responses that are missing of each READ under way, the oldest first.
    missing: VecDeque<u32>,
    /// Clocks at which READs left, and wire bytes of responses that came.
    left: Vec<u64>,
    brought: u64,
    /// When the last response came, and the longest time between two, clocks.
    last: Option<u64>,
    longest: u64,
}

impl Reader {
    fn local(&self) -> u32 {
        0x100 + u32::from(self.peer)
    }

    fn remote(&self) -> u32 {
        0x800 + u32::from(self.peer)
    }

    fn packets(&self) -> u32 {
        self.bytes.div_ceil(MTU as u32).max(1)
    }

    fn may_send(&self) -> bool {
        self.missing.len() < DEPTH
    }

    fn send(&mut self) -> Vec<u8> {
        let bth = Bth { opcode: opcode::READ_REQUEST, queue_pair: self.remote(), psn: self.psn, partition_key: 0xffff, ..Bth::default() };
        let extension = Extension { message_bytes: self.bytes, key: 77, ..Extension::default() };
        self.psn = self.psn.wrapping_add(self.packets()) & PSN;
        self.missing.push_back(self.packets());
        bth.frame(&envelope(HOST, self.peer, 0xc000), &extension, &[])
    }

    /// Response `at` of a READ whose first has `psn`.
    fn response(&self, psn: u32, bytes: u32, at: u32) -> Vec<u8> {
        let packets = bytes.div_ceil(MTU as u32).max(1);
        let code = match (at == 0, at + 1 == packets) {
            (true, true) => opcode::READ_RESPONSE_ONLY,
            (true, false) => opcode::READ_RESPONSE_FIRST,
            (false, false) => opcode::READ_RESPONSE_MIDDLE,
            (false, true) => opcode::READ_RESPONSE_LAST,
        };
        let bth = Bth { opcode: code, queue_pair: self.local(), psn: psn.wrapping_add(at) & PSN, partition_key: 0xffff, ..Bth::default() };
        let length = (bytes - at * MTU as u32).min(MTU as u32) as usize;
        bth.frame(&envelope(self.peer, HOST, 0xd000), &Extension { syndrome: 0x1f, ..Extension::default() }, &vec![9; length])
    }

    /// Wire bytes of a READ and of its responses.
    fn cost(&self) -> u64 {
        let responses = (0..self.packets()).map(|at| self.response(0, self.bytes, at).len());
        responses.chain([14 + 20 + 8 + 12 + 16 + 4]).map(|bytes| u64::from(wire_bytes(bytes as u32))).sum()
    }

    fn received(&mut self, clk: u64, frame: &[u8]) {
        self.longest = self.longest.max(clk - self.last.replace(clk).unwrap_or(clk));
        let h = check(frame).expect("a response as it was sent");
        assert_eq!(h.psn, self.expected, "responses come in order");
        self.expected = self.expected.wrapping_add(1) & PSN;
        self.brought += u64::from(wire_bytes(frame.len() as u32));
        let oldest = self.missing.front_mut().expect("a READ under way");
        *oldest -= 1;
        if *oldest == 0 {
            self.missing.pop_front();
        }
    }
}

/// A host behind a NIC, and peers with lines of their own, whose responses share the host's port of
/// a switch.
struct World {
    nic: Inline<Model>,
    gbps: f64,
    readers: Vec<Reader>,
    turn: usize,
    offered: VecDeque<Beat>,
    leaving: Assembler,
    up: Assembler,
    arriving: VecDeque<Beat>,
    /// Responses on their way to the NIC; READs that each peer works at: when it has them, PSN,
    /// bytes, responses that left.
    arrivals: VecDeque<(u64, Vec<u8>)>,
    work: Vec<VecDeque<(u64, u32, u32, u32)>>,
    /// When a peer's next response has reached the switch, 2^-16 clocks.
    sending: BinaryHeap<Reverse<(u64, usize)>>,
    /// When the port of the host is free, 2^-16 clocks, and its queue as responses found it.
    free: u64,
    found: (f64, f64, u64),
    /// Marking at that port.
    marking: Option<Marking>,
    rng: ChaCha8Rng,
    rtts: Vec<u32>,
    timeouts: u64,
}

const ROUND_TRIP: u64 = 20 * US;

impl World {
    fn new(profile: &Parameters, gbps: f64, bytes: &[u32], seed: u64) -> Self {
        let mut rng = rng(seed);
        let mut nic = prepare(Model::pairs(build(BUS, FLOW_BITS)), profile, gbps, 0);
        put_mac(&mut nic, address::mac(HOST));
        nic.write32(roce::MTU.address(), 3).expect("a register");
        nic.write32(roce::HOST_TIMEOUT.address(), 67_108).expect("a register");
        let reader = |(bytes, peer): (&u32, u16)| {
            let psn = rng.random_range(0..=PSN);
            Reader {
                peer,
                bytes: *bytes,
                psn,
                expected: psn,
                missing: VecDeque::new(),
                left: Vec::new(),
                brought: 0,
                last: None,
                longest: 0,
            }
        };
        let readers: Vec<Reader> = bytes.iter().zip(2..).map(reader).collect();
        for r in &readers {
            let done = command(&mut nic, mapped(r.peer), r.remote(), Some(r.local()), roce::SET);
            assert_eq!(done.map(|d| d.0), Some(0), "the pair is set and joined");
        }
        World {
            nic,
            gbps,
            work: readers.iter().map(|_| VecDeque::new()).collect(),
            readers,
            turn: 0,
            offered: VecDeque::new(),
            leaving: Assembler::default(),
            up: Assembler::default(),
            arriving: VecDeque::new(),
            arrivals: VecDeque::new(),
            sending: BinaryHeap::new(),
            free: 0,
            found: (0.0, 0.0, 0),
            marking: None,
            rng,
            rtts: Vec::new(),
            timeouts: 0,
        }
    }

    /// 2^-16 clocks that a frame takes on a line.
    fn line(&self, frame: &[u8]) -> u64 {
        (f64::from(wire_bytes(frame.len() as u32)) * 8000.0 / self.gbps / f64::from(CLOCK_PS) * 65_536.0) as u64
    }

    /// A peer's next response leaves at `at`, in 2^-16 clocks.
    fn respond(&mut self, peer: usize, at: u64) {
        let Some(&(since, psn, bytes, sent)) = self.work[peer].front() else { return };
        let frame = self.readers[peer].response(psn, bytes, sent);
        self.sending.push(Reverse((at.max(since << 16) + self.line(&frame), peer)));
    }

    /// The response whose last byte reached the switch goes on to the host.
    fn switch(&mut self, at: u64, peer: usize) {
        let (_, psn, bytes, sent) = self.work[peer].front_mut().expect("a READ");
        let mut frame = self.readers[peer].response(*psn, *bytes, *sent);
        *sent += 1;
        if *sent == bytes.div_ceil(MTU as u32).max(1) {
            self.work[peer].pop_front();
        }
        let queued = self.free.saturating_sub(at) as f64 / 65_536.0 * f64::from(CLOCK_PS) / 8000.0 * self.gbps;
        self.found = (self.found.0 + queued, self.found.1.max(queued), self.found.2 + 1);
        if self.marking.as_ref().is_some_and(|ramp| ramp.marks(queued as u64, &mut self.rng)) {
            let class = check(&frame).expect("a frame").class;
            frame[class.ip() + ipv4::TOS] |= 3;
            mend(&mut frame, class);
        }
        self.free = self.free.max(at) + self.line(&frame);
        self.arrivals.push_back(((self.free >> 16) + ROUND_TRIP / 2, frame));
        self.respond(peer, at);
    }

    /// Runs up to clock `end`.
    fn run(&mut self, end: u64) {
        while self.nic.clk() < end {
            let clk = self.nic.clk();
            while let Some(Reverse((at, peer))) = self.sending.pop() {
                if at >> 16 > clk {
                    self.sending.push(Reverse((at, peer)));
                    break;
                }
                self.switch(at, peer);
            }
            let n = self.readers.len();
            if self.offered.is_empty()
                && self.nic.peek().host_ready
                && let Some(at) = (0..n).map(|i| (self.turn + i) % n).find(|i| self.readers[*i].may_send())
            {
                self.offered.extend(beats(&self.readers[at].send(), BUS as usize));
                self.turn = at + 1;
            }
            if self.arriving.is_empty()
                && let Some((_, frame)) = self.arrivals.pop_front_if(|a| a.0 <= clk)
            {
                self.arriving.extend(beats(&frame, BUS as usize));
            }
            let out = self.nic.peek();
            let busy = !self.offered.is_empty() || !self.arriving.is_empty() || out.wire.is_some() || out.host.is_some();
            let due = [self.arrivals.front().map(|a| a.0), self.sending.peek().map(|s| s.0.0 >> 16)];
            let due = due.into_iter().flatten().min().unwrap_or(u64::MAX).min(self.nic.wake()).min(end);
            if !busy && due > clk {
                self.nic.skip_to(due);
                continue;
            }
            let i = In {
                host: self.offered.front().map(|b| (*b, 0)),
                host_ready: true,
                wire: self.arriving.front().map(|b| (*b, 0)),
                wire_ready: true,
                ..In::default()
            };
            let out = self.nic.drive(i);
            if out.host_ready {
                self.offered.pop_front();
            }
            if out.wire_taken {
                self.arriving.pop_front();
            }
            self.rtts.extend(out.sample.filter(|s| s.kind == KIND_RTT).map(|s| s.rtt_ns));
            self.timeouts += u64::from(out.sample.is_some_and(|s| s.kind == KIND_TIMEOUT));
            if let Some(frame) = out.wire.and_then(|w| self.leaving.push(&w.beat)) {
                let h = check(&frame).expect("a request as it was");
                let peer = self.readers.iter().position(|r| r.remote() == h.queue_pair).expect("a pair");
                self.readers[peer].left.push(clk);
                self.work[peer].push_back((clk + ROUND_TRIP / 2, h.psn, h.message_bytes, 0));
                if self.work[peer].len() == 1 {
                    self.respond(peer, 0);
                }
            }
            if let Some(frame) = out.host.and_then(|(b, _)| self.up.push(&b)) {
                let pair = check(&frame).expect("a response").queue_pair;
                self.readers.iter_mut().find(|r| r.local() == pair).expect("a pair").received(clk, &frame);
            }
        }
    }

    /// Mb/s that the READs of each pair brought between two times in us.
    fn rates(&mut self, from: u64, to: u64) -> Vec<f64> {
        self.run(from * US);
        let bytes = |w: &Self| -> Vec<u64> { w.readers.iter().map(|r| r.brought).collect() };
        let before = bytes(self);
        (self.found, self.rtts) = ((0.0, 0.0, 0), Vec::new());
        self.run(to * US);
        bytes(self).iter().zip(before).map(|(a, b)| (a - b) as f64 * 8.0 / (to - from) as f64).collect()
    }
}

/// READs of all sizes keep to their pair's rate, by what they bring: of an atomic's size, of a
/// page, and of many grants.
#[test]
fn what_reads_bring_keeps_to_the_rate() {
    for (gbps, mbps, bytes, ms) in [
        (10.0, 500.0, 8, 10),
        (10.0, 500.0, 4096, 20),
        (10.0, 5000.0, 65_536, 20),
        (10.0, 1000.0, 1 << 20, 60),
        (10.0, 9000.0, 1 << 20, 40),
        (100.0, 10_000.0, 4096, 4),
        (100.0, 50_000.0, 65_536, 5),
        (100.0, 50_000.0, 1 << 20, 10),
    ]
    .into_iter()
    .filter(|r| thorough() || r.1 <= 1000.0)
    {
        let fixed = Parameters { outstanding_bytes: 0, ..Parameters::fixed(mbps) };
        let mut w = World::new(&fixed, gbps, &[bytes], 1);
        w.run((3000 + 1000 * ms) * US);
        let (cost, left) = (w.readers[0].cost() as f64, &w.readers[0].left);
        let left: Vec<u64> = left.iter().copied().filter(|clk| *clk > 1000 * US).collect();
        let rate = |clocks: u64, reads: usize| reads as f64 * cost * 8.0 / (clocks as f64 / US as f64);
        let mean = rate(left[left.len() - 1] - left[0], left.len() - 1);
        let most = rate(left.windows(2).map(|w| w[1] - w[0]).min().expect("READs"), 1);
        println!("{mbps} of {gbps} Gb/s, READs of {bytes} bytes: {mean:.1} Mb/s, {most:.0} between two, {} READs", left.len());
        assert!((mean / mbps - 1.0).abs() < 0.01, "READs of {bytes} bytes at {mbps} Mb/s: {mean}");
        assert!(bytes < 65_536 || most < 1.02 * mbps, "READs of {bytes} bytes at {mbps} Mb/s: two that leave at {most}");
        assert_eq!(counters(&mut w.nic)[Counter::ReadsUncharged as usize], 0);
    }
}

/// READs of four peers meet at the host's own port. TIMELY paces them by their round trips, so that
/// they share it and the queue stays below the lower threshold; without it all that the host may
/// have under way stands there.
#[test]
fn timely_shares_what_reads_bring() {
    const BYTES: u32 = 4096;
    let start = Parameters { initial_mbps: 2500.0, ..Parameters::timely_10g(20.0) };
    let threshold = (start.t_low_us - 20.0) * 1250.0;
    for seed in few_seeds() {
        let mut w = World::new(&start, 10.0, &[BYTES; 4], seed);
        let to = if thorough() { 45_000 } else { 10_000 };
        let rates = w.rates(5000, to);
        let (used, queue) = (rates.iter().sum::<f64>() / 10_000.0, w.found.0 / w.found.2 as f64);
        println!("seed {seed}: {used:.3} of the line, Jain {:.4}, queue {queue:.0}, {:.0} at most", jain(&rates), w.found.1);
        assert!(used > 0.95 && jain(&rates) > 0.95 && queue < threshold && w.timeouts == 0, "seed {seed}: {rates:?}, {queue}");
        let line = Parameters { outstanding_bytes: 0, ..Parameters::fixed(10_000.0) };
        let mut w = World::new(&line, 10.0, &[BYTES; 4], seed);
        w.rates(2000, 4000);
        // A READ brings four packets, and one of each pair is about to be asked for.
        let all = f64::from(4 * (DEPTH as u32 - 1) * 4 * wire_bytes(14 + 20 + 8 + 12 + MTU as u32 + 4)) - 25_000.0;
        println!("without control the queue is {:.0}, of {all} bytes", w.found.0 / w.found.2 as f64);
        assert!(w.found.0 / w.found.2 as f64 > 0.95 * all);
    }
}

/// At a rate at which a READ would hold up its pair for longer than the host waits for an answer,
/// what is left after half of that is let go, and counted: no host sends again for it.
#[test]
fn no_read_holds_a_pair_for_the_time_out() {
    let fixed = Parameters { outstanding_bytes: 0, least_mbps: 1.0, ..Parameters::fixed(100.0) };
    let mut w = World::new(&fixed, 10.0, &[1 << 20], 1);
    w.run(if thorough() { 180_000 } else { 110_000 } * US);
    let gap = w.readers[0].longest as f64 / US as f64;
    let counted = counters(&mut w.nic)[Counter::ReadsUncharged as usize];
    println!("{gap:.0} us between responses at most, let go {counted} times, {} bytes", w.readers[0].brought);
    assert!((31_000.0..34_500.0).contains(&gap) && counted >= 3, "{gap} us, {counted}");
}

/// Marks on what READs bring lower the rate of the pair that reads, as CNPs would: the queue at the
/// host's port is that of DCQCN's fluid model of as many flows. No peer is told, for responses are
/// not paced there.
#[test]
fn marks_of_responses_steer_readers() {
    let hosts = 4;
    let plan = marked(1);
    let (marking, _) = plan.marking.expect("a switch that marks");
    let theory = fluid(hosts);
    let mut w = World::new(&plan.profile, 10.0, &[4096; 4], 1);
    w.marking = Some(marking);
    let rates = w.rates(5000, if thorough() { 45_000 } else { 20_000 });
    let (used, queue) = (rates.iter().sum::<f64>() / 10_000.0, w.found.0 / w.found.2 as f64);
    println!("{used:.3} of the line, Jain {:.4}, queue {queue:.0}; the fluid model has {theory:.0} bytes", jain(&rates));
    let counted = counters(&mut w.nic);
    assert_eq!((counted[Counter::CongestionNotified as usize], counted[Counter::NotificationsSent as usize]), (0, 0));
    assert!(used > 0.95 && jain(&rates) > 0.95 && (queue / theory - 1.0).abs() < 0.3, "{rates:?}, {queue} of {theory} bytes");
}
