//! The surroundings of a NIC with queue pairs in its lockstep test: hosts, wire and driver at
//! random.
use super::node::{control, mapped, prepare, put_profile};
use super::rxe::envelope;
use super::table::{Rule, command, put_rule, read, rule, take};
use crate::both::Both;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::collections::{HashMap, VecDeque};
use std::net::Ipv4Addr;
use timely_model::inline::nic::In;
use timely_model::stream::{Assembler, Beat, beats};
use timely_regs::map::{id, roce};
use timely_regs::parameters::Parameters;
use timely_regs::roce::{Bth, Extension, Kind, check, opcode};
use timely_regs::wire::{Addresses, Envelope};
use timely_sim::frame::address;
use timely_sim::nic::core::Core;
use timely_sim::nic::inline::Inline;
use timely_tests::Runs;
use timely_tests::nic::HOST;

/// Queue pairs of the host.
const PAIRS: u32 = 14;
/// Type of service of notifications at first, which is not the register's after a reset.
const NOTIFY_TOS: u8 = 0x2c;
/// Longest delay of an answer, clocks.
const DELAY: u64 = 3000;
/// The driver's order by which pairs age.
const AGES: u32 = 4;

/// A queue pair, `2 * number` here and `2 * number + 1` at its peer.
#[derive(Clone, Copy, Default)]
struct Pair {
    psn: u32,
}

pub struct World {
    rng: ChaCha8Rng,
    width: usize,
    pairs: Vec<Pair>,
    /// The first of the few pairs that the host uses for a while: others age.
    first: u32,
    host: VecDeque<(Beat, u128)>,
    wire: VecDeque<(Beat, u128)>,
    runs: [Runs; 4],
    leaving: Assembler,
    answers: VecDeque<(u64, Vec<u8>)>,
    /// The pair that was joined last, which the wire uses more than others.
    joined: u32,
    /// The flow that a command gave a pair last.
    flow: u32,
    /// Orders of the driver.
    orders: u32,
    /// The next frame from the wire comes soon.
    close: bool,
    /// Requests that left, and frames of other kinds.
    pub requests: u64,
    pub others: u64,
    /// Notifications that left.
    pub notified: u64,
    /// Packets of the host that did not ask for an ACK and left asking for one.
    pub made_to_ask: u64,
    /// Packets that do not ask, as they would leave if they were made to.
    quiet: HashMap<(u32, u32), Vec<u8>>,
    /// Pairs that were read, answers that were taken, and known pairs that were joined.
    pub read: u64,
    pub taken: u64,
    pub joins: u64,
    /// Rules that were read and in use.
    pub ruled: u64,
    /// Marked frames of pairs that may be joined which nobody may answer, by [`forged`]'s number.
    pub forged: [u64; FORGERIES as usize],
    /// Types of service that the next notification may have: the one set last, and those before it
    /// from the last one's on.
    tos: Vec<u8>,
}

/// Ways to forge a mark, or to see another host's.
pub const FORGERIES: u32 = 8;
/// Of groups of hosts, for IPv4 and IPv6.
pub const GROUP4: [u8; 4] = [239, 0, 0, 7];
pub const GROUP6: [u8; 16] = [0xff, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 7];

/// The headers of a frame that must not be answered, though its pair may be joined.
pub fn forged(e: Envelope, way: u32) -> Envelope {
    let group = [1, 0, 0x5e, 0, 0, 7];
    match way {
        0 => Envelope { mac_destination: address::mac(HOST + 1), ..e },
        1 => Envelope { mac_destination: group, ..e },
        2 => Envelope { mac_destination: [0xff; 6], ..e },
        3 => Envelope { mac_source: group, ..e },
        4 => Envelope { mac_source: [0xff; 6], ..e },
        5 => Envelope { mac_source: address::mac(HOST), ..e },
        _ => {
            let addresses = match (e.addresses, way) {
                (Addresses::V4 { source, .. }, 6) => Addresses::V4 { source, destination: GROUP4 },
                (Addresses::V6 { source, .. }, 6) => Addresses::V6 { source, destination: GROUP6 },
                (Addresses::V4 { destination, .. }, _) => Addresses::V4 { source: GROUP4, destination },
                (Addresses::V6 { destination, .. }, _) => Addresses::V6 { source: GROUP6, destination },
            };
            Envelope { addresses, ..e }
        }
    }
}

/// Headers of a packet from host to host: IPv4 and IPv6, without and with a tag.
pub fn between_classes(from: u16, to: u16) -> [Envelope; 4] {
    let v4 = envelope(from, to, 0xc000);
    let v6 = Envelope { addresses: Addresses::V6 { source: address::ipv6(from), destination: address::ipv6(to) }, ..v4 };
    [v4, v6, Envelope { tci: Some(7), ..v4 }, Envelope { tci: Some(7), ..v6 }]
}

fn between(from: u16, to: u16, pair: u32) -> Envelope {
    let class = usize::from(pair.is_multiple_of(3)) | usize::from(pair.is_multiple_of(2)) << 1;
    between_classes(from, to)[class]
}

impl World {
    pub fn new(width: usize, seed: u64) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let pairs = (0..PAIRS).map(|_| Pair { psn: rng.random_range(0..1 << 24) }).collect();
        World {
            runs: [(0.9, 40), (0.9, 60), (0.85, 30), (0.1, 100)].map(|(p, longest)| Runs::new(p, longest)),
            rng,
            width,
            pairs,
            first: 0,
            host: VecDeque::new(),
            wire: VecDeque::new(),
            leaving: Assembler::default(),
            answers: VecDeque::new(),
            joined: 1,
            flow: 0,
            orders: 0,
            close: false,
            requests: 0,
            others: 0,
            notified: 0,
            made_to_ask: 0,
            quiet: HashMap::new(),
            read: 0,
            taken: 0,
            joins: 0,
            ruled: 0,
            forged: [0; FORGERIES as usize],
            tos: vec![NOTIFY_TOS],
        }
    }

    /// A NIC and its set-up, with some pairs joined.
    pub fn prepared(both: Both, gbps: f64) -> Inline<Both> {
        let profile = Parameters { timeout_us: 30.0, ..Parameters::timely_10g(4.0) };
        let mut nic = prepare(both, &profile, gbps, 0);
        // Pairs that are learned follow DCQCN, with periods that end.
        let (cnp_interval_us, alpha_timer_us, rate_timer_us) = (0.5, 2.0, 1.0);
        let dcqcn = Parameters {
            timeout_us: 30.0,
            cnp_interval_us,
            alpha_timer_us,
            rate_timer_us,
            byte_counter: 20_000,
            ..Parameters::dcqcn_10g()
        };
        put_profile(&mut nic, 2, &dcqcn);
        for (register, value) in [
            (roce::PROFILE, 2),
            (roce::PRIORITY, 5),
            (roce::NOTIFY_INTERVAL, 2000),
            (roce::NOTIFY_TOS, NOTIFY_TOS.into()),
            (roce::NOTIFY, 1),
            // What READs bring is let go at first.
            (roce::HOST_TIMEOUT, 1),
            (roce::CONTROL, control(2)),
        ] {
            nic.write32(register.address(), value).expect("a register");
        }
        for pair in (0..PAIRS).filter(|p| p % 4 != 3) {
            join(&mut nic, pair);
        }
        nic
    }

    fn spoilt(&mut self, mut frame: Vec<u8>) -> Vec<u8> {
        match self.rng.random_range(0..40) {
            0 => {
                // The check sequence does not cover MAC addresses and the tag.
                let at = self.rng.random_range(16..frame.len());
                frame[at] ^= 1 << self.rng.random_range(0..8);
            }
            1 => frame.truncate(self.rng.random_range(1..frame.len())),
            2 => frame.resize(self.rng.random_range(60..300).max(frame.len()), 0),
            _ => {}
        }
        frame
    }

    fn host_frame(&mut self) -> Vec<u8> {
        let rng = &mut self.rng;
        let number = (self.first + rng.random_range(0..6)) % PAIRS;
        let p = &mut self.pairs[number as usize];
        match rng.random_range(0..100) {
            0..4 => p.psn = p.psn.wrapping_sub(rng.random_range(1..6)) & 0xff_ffff,
            4 => p.psn = rng.random_range(0..1 << 24),
            _ => p.psn = (p.psn + 1) & 0xff_ffff,
        }
        let code = match rng.random_range(0..20) {
            0 | 1 => opcode::READ_REQUEST,
            2 => opcode::ACK,
            3 => opcode::READ_RESPONSE_ONLY,
            4 => 0x64,
            5..8 => opcode::WRITE_FIRST,
            8..12 => opcode::SEND_ONLY,
            _ => opcode::WRITE_MIDDLE,
        };
        let bare = matches!(code, opcode::READ_REQUEST | opcode::ACK);
        let bytes = if bare { 0 } else { [0, 4, 1024, rng.random_range(0..1400), rng.random_range(0..9000)][rng.random_range(0..5)] };
        let bth = Bth { opcode: code, queue_pair: 2 * number + 1, ack_request: rng.random_bool(0.5), psn: p.psn, ..Bth::default() };
        // READs of most sizes leave their pair soon; what few bring takes many grants.
        let most = if rng.random_range(0..20) == 0 { 30_000 } else { 2000 };
        let extension = Extension { message_bytes: rng.random_range(0..most), syndrome: 0x1f, ..Extension::default() };
        // Of two DSCPs, which rules tell apart.
        let e = Envelope { tos: rng.random_range(0..8), ..between(HOST, peer(number), number) };
        let frame = bth.frame(&e, &extension, &vec![number as u8; bytes]);
        if !bth.ack_request {
            let asking = Bth { ack_request: true, ..bth }.frame(&e, &extension, &vec![number as u8; bytes]);
            self.quiet.insert((bth.queue_pair, bth.psn), asking);
        }
        self.spoilt(frame)
    }

    fn wire_frame(&mut self, clk: u64) -> Option<Vec<u8>> {
        if let Some((_, frame)) = self.answers.pop_front_if(|a| a.0 <= clk) {
            return Some(frame);
        }
        let rng = &mut self.rng;
        if !rng.random_bool(if self.close { 0.3 } else { 0.01 }) {
            return None;
        }
        self.close = rng.random_bool(0.3);
        let number = if rng.random() { self.joined } else { rng.random_range(0..PAIRS + 2) };
        let code = [opcode::CNP, opcode::ACK, opcode::READ_RESPONSE_MIDDLE, opcode::SEND_ONLY][rng.random_range(0..4)];
        let syndrome = [0x1f, 0x60, 0x21, 0x5f][rng.random_range(0..4)];
        let near = self.pairs.get(number as usize).map_or(0, |p| p.psn).wrapping_sub(rng.random_range(0..5)) & 0xff_ffff;
        let payload = if code == opcode::CNP || code == opcode::ACK { 0 } else { rng.random_range(0..2000) };
        let bth = Bth { opcode: code, queue_pair: 2 * number, psn: near, partition_key: partition(number), ..Bth::default() };
        let mut envelope = Envelope { tos: [0, 2, 3, 0xab][rng.random_range(0..4)], ..between(peer(number), HOST, number) };
        if rng.random_bool(0.3) {
            let way = rng.random_range(0..FORGERIES);
            envelope = forged(envelope, way);
            self.forged[way as usize] += u64::from(envelope.tos & 3 == 3);
        }
        let frame = bth.frame(&envelope, &Extension { syndrome, ..Extension::default() }, &vec![9; payload]);
        Some(self.spoilt(frame))
    }

    /// A frame has left: a request that asks is answered.
    fn left(&mut self, clk: u64, frame: &[u8], ack: Option<u16>) {
        let Ok(h) = check(frame) else {
            self.others += 1;
            return;
        };
        assert_eq!(ack, (h.kind == Kind::Cnp).then_some(frame.len() as u16), "clock {clk}: bytes of a notification");
        if h.kind == Kind::Cnp {
            // Its pair is the one whose packet it answers: at the address the number's host has.
            let envelope = between(HOST, peer(h.queue_pair / 2), h.queue_pair / 2);
            let partition_key = partition(h.queue_pair / 2) | 0x8000;
            let bth = Bth { opcode: opcode::CNP, partition_key, congestion: 0x40, queue_pair: h.queue_pair, ..Bth::default() };
            let at = self.tos.iter().position(|t| *t == h.tos);
            self.tos.drain(..at.unwrap_or_else(|| panic!("clock {clk}: type of service {}, not of {:?}", h.tos, self.tos)));
            let right = bth.frame(&Envelope { tos: self.tos[0], ..envelope }, &Extension::default(), &[]);
            assert!(h.queue_pair % 2 == 1 && frame == right, "clock {clk}: {frame:02x?} is no answer of {right:02x?}");
            self.notified += 1;
            return;
        }
        self.made_to_ask += u64::from(self.quiet.get(&(h.queue_pair, h.psn)).is_some_and(|asking| asking == frame));
        let read = h.opcode == opcode::READ_REQUEST;
        let request = read || matches!(h.opcode, opcode::WRITE_FIRST | opcode::WRITE_MIDDLE | opcode::SEND_ONLY);
        *if request { &mut self.requests } else { &mut self.others } += 1;
        let lost = self.is_silent() || self.rng.random_bool(0.1);
        if !request || !(read || h.ack_request) || lost {
            return;
        }
        let number = h.queue_pair / 2;
        let syndrome = if self.rng.random_bool(0.9) { 0x1f } else { 0x60 };
        let code = if read { opcode::READ_RESPONSE_FIRST } else { opcode::ACK };
        let payload = vec![1; if read { 1024 } else { 0 }];
        let bth = Bth { opcode: code, queue_pair: 2 * number, psn: h.psn, partition_key: partition(number), ..Bth::default() };
        let answer = bth.frame(&between(peer(number), HOST, number), &Extension { syndrome, ..Extension::default() }, &payload);
        let at = self.answers.back().map_or(0, |a| a.0).max(clk + self.rng.random_range(20..DELAY));
        self.answers.push_back((at, answer));
    }

    /// No answer comes in each fourth stretch, so that pairs time out.
    pub fn is_silent(&self) -> bool {
        self.orders % 4 == 3
    }

    /// The driver, between two stretches.
    pub fn order(&mut self, nic: &mut Inline<Both>) {
        let number = self.rng.random_range(0..PAIRS);
        // One that was used just now is there to be removed.
        let used = self.first;
        self.first = self.rng.random_range(0..PAIRS);
        let order = self.rng.random_range(0..14);
        // Pairs age for three stretches, and each fifth removes one, whatever the seed.
        let order = match self.orders {
            0..3 => AGES,
            n if n.is_multiple_of(5) => 6,
            _ => order,
        };
        self.orders += 1;
        match order {
            0 => {
                nic.write32(roce::CONTROL.address(), 0).expect("a register");
                nic.write32(roce::CONTROL.address(), control(self.rng.random_range(1..4))).expect("a register");
            }
            // While a reset goes on, another one and commands are refused.
            1 => drop(nic.write32(id::RESET.address(), 1)),
            2 | 3 => nic.write32(roce::MTU.address(), self.rng.random_range(0..=5)).expect("a register"),
            AGES => nic.write32(roce::AGE.address(), 300).expect("a register"),
            11 => {
                let timeout = [0, 1, 5000, 67_108, 1 << 20][self.rng.random_range(0..5)];
                nic.write32(roce::HOST_TIMEOUT.address(), timeout).expect("a register");
            }
            5 => nic.write32(roce::AGE.address(), [0, 300, 2000][self.rng.random_range(0..3)]).expect("a register"),
            12 => {
                nic.write32(roce::NOTIFY.address(), self.rng.random_range(0..4).min(1)).expect("a register");
                nic.write32(roce::NOTIFY_INTERVAL.address(), self.rng.random_range(0..5000)).expect("a register");
                self.tos.push(self.rng.random());
                let tos = self.tos[self.tos.len() - 1];
                nic.write32(roce::NOTIFY_TOS.address(), tos.into()).expect("a register");
            }
            13 => nic.write32(roce::CONTROL.address(), control(self.rng.random_range(0..5))).expect("a register"),
            8 => drop(command(nic, key(number), 2 * number + 1, None, roce::REMOVE)),
            6 | 7 => drop(command(nic, key(used), 2 * used + 1, None, roce::REMOVE)),
            _ => {
                self.joined = number;
                self.flow = join(nic, number).unwrap_or(self.flow);
            }
        }
        if self.rng.random_bool(0.5) {
            let number = self.rng.random_range(0..PAIRS);
            let new = Rule {
                bits: [0, 96, 120, 127, 128][self.rng.random_range(0..5)],
                address: key(number),
                dscp: self.rng.random_bool(0.5).then(|| self.rng.random_range(0..2)),
                profile: self.rng.random_range(1..3),
                priority: self.rng.random_range(0..8),
            };
            put_rule(nic, self.rng.random_range(0..16), Some(new).filter(|_| self.rng.random_bool(0.7)));
            self.ruled += u64::from(rule(nic, self.rng.random_range(0..16)).is_some());
        }
        // Pairs are read, answers taken, and pairs joined that are known.
        match self.orders % 8 {
            0 | 4 => self.taken += u64::from(take(nic).is_some()),
            1 => {
                let joins = command(nic, key(used), 2 * used + 1, Some(2 * used), roce::JOIN);
                self.joins += u64::from(joins.is_some_and(|d| d.0 == 0));
            }
            _ => {
                let flow = if self.rng.random_bool(0.1) { self.rng.random_range(0..1 << 16) } else { self.flow };
                self.read += u64::from(read(nic, flow).is_some());
            }
        }
    }

    /// One clock.
    pub fn clock(&mut self, nic: &mut Inline<Both>) {
        let clk = nic.clk();
        if self.host.is_empty() && self.rng.random_bool(0.6) {
            let (frame, meta) = (self.host_frame(), u128::from(self.rng.random::<u32>()));
            self.host.extend(beats(&frame, self.width).map(|b| (b, meta)));
        }
        if self.wire.is_empty()
            && let Some(frame) = self.wire_frame(clk)
        {
            let meta = u128::from(self.rng.random::<u32>());
            self.wire.extend(beats(&frame, self.width).map(|b| (b, meta)));
        }
        let [offers, host_ready, wire_ready, paused] = self.runs.each_mut().map(|r| r.next(&mut self.rng));
        let host = self.host.front().copied().filter(|_| offers);
        let pause = if paused && self.rng.random_bool(0.1) { 1 << self.rng.random_range(4..6) } else { 0 };
        let i = In { host, host_ready, wire: self.wire.front().copied(), wire_ready, pause, ..In::default() };
        let out = nic.drive(i);
        if host.is_some() && out.host_ready {
            self.host.pop_front();
        }
        if out.wire_taken {
            self.wire.pop_front();
        }
        if let Some(w) = out.wire.filter(|_| wire_ready)
            && let Some(frame) = self.leaving.push(&w.beat)
        {
            self.left(clk, &frame, w.ack);
        }
    }
}

/// Address of the host at the other end of a pair, as the table has it: [`between`] has IPv6 for
/// every third.
fn key(pair: u32) -> [u8; 16] {
    if pair.is_multiple_of(3) { address::ipv6(peer(pair)) } else { mapped(peer(pair)) }
}

/// Joins a pair, and one of the same numbers whose peer is a group of hosts; the NIC may refuse.
/// Gives the flow of the last.
fn join(nic: &mut Inline<Both>, pair: u32) -> Option<u32> {
    let group = if pair.is_multiple_of(3) { GROUP6 } else { Ipv4Addr::from(GROUP4).to_ipv6_mapped().octets() };
    [key(pair), group].map(|at| Some(command(nic, at, 2 * pair + 1, Some(2 * pair), roce::SET)?.1))[1]
}

/// The host at the other end of a pair: three pairs have each.
fn peer(pair: u32) -> u16 {
    (2 + pair / 3) as u16
}

/// Partition key of what a pair's peer sends: each pair has a partition, of which its peer is a
/// limited member or a full one.
fn partition(pair: u32) -> u16 {
    (pair as u16 & 1) << 15 | (pair as u16 + 1) << 9 | 0x55
}
