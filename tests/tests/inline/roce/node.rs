//! An RDMA host behind an in-line NIC, clock by clock: what leaves is what was sent, and each
//! sample is right.
use super::rxe::Sender;
use super::table::command;
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
use timely_sim::cores::CoreSpec;
use timely_sim::frame::address;
use timely_sim::nic::core::Core;
use timely_sim::nic::inline::{Inline, Path};
use timely_sim::nic::setup::configure;
use timely_sim::scenario::Form;
use timely_tests::nic::spec;
use timely_tests::roce::seal;

pub const BUS: u32 = 512;
pub const FLOW_BITS: u32 = 6;

/// A host and its NIC.
pub struct Node<P> {
    pub nic: Inline<P>,
    pub gbps: f64,
    pub pairs: Vec<Sender>,
    turn: usize,
    /// Beats that the NIC is offered, and the pair whose frame they are.
    offered: VecDeque<Beat>,
    /// Frames in the NIC, by pair.
    inside: Vec<VecDeque<Vec<u8>>>,
    /// Answers under way to the NIC, by the clock of their arrival; and their beats.
    pub answers: VecDeque<(u64, Vec<u8>)>,
    arriving: VecDeque<Beat>,
    rising: VecDeque<Vec<u8>>,
    leaving: Assembler,
    up: Assembler,
    /// When the wire is free, in 2^-16 clocks.
    free: u64,
    pub idle_until: u64,
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
    pub ask_every: u32,
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
pub fn join<P: Path>(nic: &mut Inline<P>, pairs: &[Sender]) {
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
    pub fn next(&self) -> u64 {
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
    pub fn clock(&mut self, clk: u64, clocks_a_byte: u64) -> Option<Vec<u8>> {
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
