//! A million packets of 64 queue pairs, and as many to them: what leaves is what came, byte for
//! byte, each pair's in its order and at its rate.
use super::node::{BUS, FLOW_BITS, mapped, prepare, put_mac};
use super::rxe::{MTU, envelope};
use super::table::command;
use rand::Rng;
use std::cell::Cell;
use std::collections::VecDeque;
use timely_model::inline::nic::In;
use timely_model::stream::{Assembler, Beat, beats};
use timely_regs::counters::Counter;
use timely_regs::map::{port, roce};
use timely_regs::parameters::Parameters;
use timely_regs::roce::{Bth, Extension, check, opcode};
use timely_sim::frame::address;
use timely_sim::nic::core::Core;
use timely_sim::nic::inline::Model;
use timely_tests::nic::{build, counters};
use timely_tests::{rng, thorough};

const HOST: u16 = 1;
const PAIRS: u32 = 64;
/// 64 of them take .9 of 100 Gb/s.
const MBPS: f64 = 1400.0;
/// Wire bytes of the largest frame, of which tokens for two are kept while others leave.
pub const LARGEST: usize = 4096 + 58 + BESIDE;
/// ns of a clock.
const NS: f64 = 4.0;
/// Bytes of a frame on the wire beside those that the model has: preamble, FCS, gap.
const BESIDE: usize = 24;

/// Peer of a pair: eight hosts have eight pairs each.
fn peer(pair: u32) -> u16 {
    (2 + pair / 8) as u16
}

/// A request of a pair: of 64 to 4,096 bytes, one in 16 a READ of as many.
fn request(pair: u32, psn: u32, bytes: usize, fill: u8) -> Vec<u8> {
    let read = psn % 16 == 7;
    let code = if read { opcode::READ_REQUEST } else { [opcode::WRITE_ONLY, opcode::SEND_ONLY][psn as usize % 2] };
    let bth =
        Bth { opcode: code, queue_pair: 100 + pair, psn, ack_request: psn.is_multiple_of(4), partition_key: 0xffff, ..Bth::default() };
    let extension = Extension { message_bytes: bytes as u32, ..Extension::default() };
    bth.frame(&envelope(HOST, peer(pair), 0xc011), &extension, &vec![fill; if read { 0 } else { bytes }])
}

/// Frames that go one way: those inside, the one that enters, and the one that comes out.
struct Way {
    entering: VecDeque<Beat>,
    leaving: Assembler,
    inside: Vec<VecDeque<Vec<u8>>>,
    left: u64,
}

impl Way {
    fn new(queues: usize) -> Self {
        Way { entering: VecDeque::new(), leaving: Assembler::default(), inside: vec![VecDeque::new(); queues], left: 0 }
    }

    fn enter(&mut self, queue: usize, frame: Vec<u8>) {
        self.entering = beats(&frame, BUS as usize).collect();
        self.inside[queue].push_back(frame);
    }

    /// Compares a frame that comes out with the oldest of its queue.
    fn comes_out(&mut self, beat: Option<&Beat>, queue: impl Fn(&[u8]) -> usize) -> Option<(usize, usize)> {
        let frame = beat.and_then(|b| self.leaving.push(b))?;
        let queue = queue(&frame);
        let expected = self.inside[queue].pop_front();
        assert!(expected.as_ref() == Some(&frame), "frame {} of queue {queue}: {frame:02x?} came out for {expected:02x?}", self.left);
        self.left += 1;
        Some((queue, frame.len()))
    }
}

#[test]
fn a_million_packets_leave_as_they_came() {
    let packets: u64 = if thorough() { 1_000_000 } else { 20_000 };
    let mut rng = rng(1);
    let profile = Parameters { outstanding_bytes: 0, cap_bytes: 2 * LARGEST as u32, ..Parameters::fixed(MBPS) };
    let mut nic = prepare(Model::pairs(build(BUS, FLOW_BITS)), &profile, 100.0, 0);
    put_mac(&mut nic, address::mac(HOST));
    // 64 pairs of it fit the store's 2^15 cells.
    nic.write32(port::STORE_BOUND.address(), 400).expect("a register");
    nic.write32(roce::MTU.address(), 3).expect("a register");
    for pair in 0..PAIRS {
        let done = command(&mut nic, mapped(peer(pair)), 100 + pair, Some(1000 + pair), roce::SET);
        assert_eq!(done.map(|d| d.0), Some(0), "pair {pair}");
    }
    let (mut host, mut wire) = (Way::new(PAIRS as usize), Way::new(1));
    let (mut psn, mut acked) = (vec![0_u32; PAIRS as usize], vec![0_u32; PAIRS as usize]);
    // Wire bytes of each pair, and the clocks of its first and last frame; the last one's bytes.
    let mut sent = vec![(0_usize, 0_u64, 0_u64, 0_usize); PAIRS as usize];
    // Bytes by which a pair is ahead of its rate, and has been at most.
    let mut ahead = vec![(0.0_f64, 0.0_f64); PAIRS as usize];
    let (mut next, mut up) = (0, false);
    while host.left < packets || wire.left < packets {
        if host.entering.is_empty() && host.left < packets {
            // A host with packets for every pair at any time: each has a few in the store.
            let pair = (0..PAIRS).map(|i| (next + i) % PAIRS).find(|p| host.inside[*p as usize].len() < 16);
            if let Some(pair) = pair {
                let at = &mut psn[pair as usize];
                let frame = request(pair, *at, rng.random_range(64..=4096), rng.random());
                host.enter(pair as usize, frame);
                (*at, next) = (*at + 1, pair + 1);
            }
        }
        if wire.entering.is_empty() && wire.left < packets {
            // Data, and ACKs of what was sent.
            let pair = rng.random_range(0..PAIRS);
            up = !up;
            let (code, bytes) = if up { (opcode::SEND_ONLY, rng.random_range(0..2048)) } else { (opcode::ACK, 0) };
            let at = acked[pair as usize].max(psn[pair as usize].saturating_sub(5));
            acked[pair as usize] = at;
            let bth = Bth { opcode: code, queue_pair: 1000 + pair, psn: at, partition_key: 0xffff, ..Bth::default() };
            let extension = Extension { syndrome: 0x1f, ..Extension::default() };
            let frame = bth.frame(&envelope(peer(pair), HOST, 0xc022), &extension, &vec![pair as u8; bytes]);
            wire.enter(0, frame);
        }
        let clk = nic.clk();
        let beat = |q: &VecDeque<Beat>| q.front().map(|b| (*b, 0));
        let i = In { host: beat(&host.entering), host_ready: true, wire: beat(&wire.entering), wire_ready: true, ..In::default() };
        let out = nic.drive(i);
        if out.host_ready {
            host.entering.pop_front();
        }
        if out.wire_taken {
            wire.entering.pop_front();
        }
        // A READ costs what its responses have on the wire too.
        let brings = Cell::new(0);
        let pair_of = |frame: &[u8]| {
            let h = check(frame).expect("a request");
            if h.opcode == opcode::READ_REQUEST {
                let bytes = h.message_bytes as usize;
                brings.set(bytes + bytes.div_ceil(MTU) * (14 + 20 + 8 + 12 + 4 + BESIDE) + 4);
            }
            h.queue_pair as usize - 100
        };
        if let Some((pair, bytes)) = host.comes_out(out.wire.as_ref().map(|w| &w.beat), pair_of) {
            let s = &mut sent[pair];
            let filled = if s.0 == 0 { 0.0 } else { (clk - s.2) as f64 * NS * MBPS / 8000.0 };
            let a = &mut ahead[pair];
            a.0 = (a.0 - filled).max(0.0) + (bytes + BESIDE) as f64;
            a.1 = a.1.max(a.0);
            a.0 += brings.get() as f64;
            s.1 = if s.0 == 0 { clk } else { s.1 };
            let cost = bytes + BESIDE + brings.get();
            (s.0, s.2, s.3) = (s.0 + cost, clk, cost);
        }
        wire.comes_out(out.host.as_ref().map(|h| &h.0), |_| 0);
    }
    let counted = counters(&mut nic);
    let of = |c: Counter| counted[c as usize];
    let rates: Vec<f64> = sent.iter().map(|(all, from, to, last)| (all - last) as f64 * 8.0 / ((to - from) as f64 * NS) * 1000.0).collect();
    let [least, greatest] = [f64::min as fn(f64, f64) -> f64, f64::max].map(|f| rates.iter().copied().reduce(f).expect("pairs"));
    println!("{} out and {} in, {least:.1} to {greatest:.1} Mb/s a pair, {} samples", host.left, wire.left, of(Counter::RateUpdates));
    // A packet's size is known when the next one has its place, and tokens for two may be kept.
    let ends = 4.0 * LARGEST as f64 / sent.iter().map(|s| s.0).min().expect("pairs") as f64;
    let within = |rate: f64| (rate / MBPS - 1.0).abs() < 0.002 + ends;
    assert!(rates.iter().all(|r| within(*r)), "{least} to {greatest} Mb/s");
    // RFC 2697's bucket: what it keeps, the packet that empties it, and what waited for the wire.
    let burst = ahead.iter().map(|a| a.1).reduce(f64::max).expect("pairs");
    println!("a pair is {burst:.0} bytes ahead of its rate at most");
    assert!(burst <= 4.0 * LARGEST as f64, "a pair is {burst} bytes ahead of its rate");
    let lost = [Counter::PacketsRefused, Counter::PacketsDiscarded, Counter::PairsMalformed, Counter::AnswersUnknown];
    assert!(lost.iter().all(|c| of(*c) == 0), "{counted:?}");
}
