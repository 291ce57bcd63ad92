//! A million packets of 64 queue pairs, and as many to them: what leaves is what came, byte for
//! byte, each pair's in its order and at its rate. Fewer and faster pairs, of packets of many
//! sizes, are at their rates too.
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
/// Wire bytes of the largest frame, of which tokens for two are kept while others leave.
pub const LARGEST: usize = 4096 + 58 + BESIDE;
/// ns of a clock.
const NS: f64 = 4.0;
/// Bytes of a frame on the wire beside those that the model has: preamble, FCS, gap.
const BESIDE: usize = 24;

/// Pairs, and what they send.
struct Mix {
    pairs: u32,
    /// Rate of each.
    mbps: f64,
    /// Frames of a pair that are inside at most.
    deep: usize,
    sizes: Sizes,
}

/// Sizes of a pair's packets.
#[derive(Clone, Copy)]
enum Sizes {
    /// Any from 64 to 4,096 bytes, one in 16 a READ of as many.
    Any,
    /// One in so many of 4,096 bytes, the others of 64.
    Rare(u32),
    /// So many of 64 bytes, then 50 of 4,096.
    Phases(u32),
}

/// Peer of a pair: eight hosts have eight pairs each.
fn peer(pair: u32) -> u16 {
    (2 + pair / 8) as u16
}

/// A request of a pair: of so many bytes, or a READ of as many.
fn request(pair: u32, psn: u32, read: bool, bytes: usize, fill: u8) -> Vec<u8> {
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

/// Checks that what leaves is what came. Returns the least and the greatest rate of a pair, as
/// shares of its profile's rate, how far its ends may move them, and the most bytes by which a pair
/// is ahead of its rate, tokens that it had kept included.
fn leave(mix: &Mix, packets: u64) -> ([f64; 2], f64, f64) {
    let Mix { pairs, mbps, .. } = *mix;
    let mut rng = rng(1);
    let profile = Parameters { outstanding_bytes: 0, cap_bytes: 2 * LARGEST as u32, ..Parameters::fixed(mbps) };
    let mut nic = prepare(Model::pairs(build(BUS, FLOW_BITS)), &profile, 100.0, 0);
    put_mac(&mut nic, address::mac(HOST));
    // All pairs of it fit the store's 2^15 cells.
    nic.write32(port::STORE_BOUND.address(), 25_600 / pairs).expect("a register");
    nic.write32(roce::MTU.address(), 3).expect("a register");
    for pair in 0..pairs {
        let done = command(&mut nic, mapped(peer(pair)), 100 + pair, Some(1000 + pair), roce::SET);
        assert_eq!(done.map(|d| d.0), Some(0), "pair {pair}");
    }
    let (mut host, mut wire) = (Way::new(pairs as usize), Way::new(1));
    let (mut psn, mut acked) = (vec![0_u32; pairs as usize], vec![0_u32; pairs as usize]);
    // Wire bytes of each pair, and the clocks of its first and last frame; the last one's bytes.
    let mut sent = vec![(0_usize, 0_u64, 0_u64, 0_usize); pairs as usize];
    // Bytes by which a pair is ahead of its rate, and has been at most.
    let mut ahead = vec![(0.0_f64, 0.0_f64); pairs as usize];
    let (mut next, mut up) = (0, false);
    while host.left < packets || wire.left < packets {
        if host.entering.is_empty() && host.left < packets {
            // A host with packets for every pair at any time: each has a few in the store.
            let pair = (0..pairs).map(|i| (next + i) % pairs).find(|p| host.inside[*p as usize].len() < mix.deep);
            if let Some(pair) = pair {
                let at = &mut psn[pair as usize];
                let (bytes, read) = match mix.sizes {
                    Sizes::Any => (rng.random_range(64..=4096), *at % 16 == 7),
                    Sizes::Rare(one_in) => ([64, 4096][usize::from(rng.random_ratio(1, one_in))], false),
                    Sizes::Phases(small) => ([64, 4096][usize::from((*at + 97 * pair) % (small + 50) >= small)], false),
                };
                let frame = request(pair, *at, read, bytes, rng.random());
                host.enter(pair as usize, frame);
                (*at, next) = (*at + 1, pair + 1);
            }
        }
        if wire.entering.is_empty() && wire.left < packets {
            // Data, and ACKs of what was sent.
            let pair = rng.random_range(0..pairs);
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
            let filled = if s.0 == 0 { 0.0 } else { (clk - s.2) as f64 * NS * mbps / 8000.0 };
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
    // A packet's size is known when the next one has its place, and tokens for two may be kept.
    let ends = 4.0 * LARGEST as f64 / sent.iter().map(|s| s.0).min().expect("pairs") as f64;
    let burst = ahead.iter().map(|a| a.1).reduce(f64::max).expect("pairs");
    let samples = of(Counter::RateUpdates);
    println!("{pairs} pairs: {} out and {} in, {least:.1} to {greatest:.1} Mb/s a pair, {samples} samples", host.left, wire.left);
    println!("a pair is {burst:.0} bytes ahead of its rate at most");
    let lost = [Counter::PacketsRefused, Counter::PacketsDiscarded, Counter::PairsMalformed, Counter::AnswersUnknown];
    assert!(lost.iter().all(|c| of(*c) == 0), "{counted:?}");
    ([least / mbps, greatest / mbps], ends, burst)
}

#[test]
fn a_million_packets_leave_as_they_came() {
    // 64 of them take .9 of 100 Gb/s.
    let mix = Mix { pairs: 64, mbps: 1400.0, deep: 16, sizes: Sizes::Any };
    let (rates, ends, burst) = leave(&mix, if thorough() { 1_000_000 } else { 20_000 });
    assert!(rates.iter().all(|r| (r - 1.0).abs() < 0.002 + ends), "{rates:?} of the rate");
    // What the bucket keeps, the packet that empties it, and what waited for the wire.
    assert!(burst <= 4.0 * LARGEST as f64, "a pair is {burst} bytes ahead of its rate");
}

/// Pairs of packets of many sizes: large ones are not let go for small ones, of which a pass grants
/// as many as cover 208 ns; and small ones are not held for large ones, where few are large.
#[test]
fn sizes_that_differ_keep_the_rate() {
    for (pairs, mbps, deep, sizes, least, most_ahead) in [
        (8, 11_000.0, 45, Sizes::Any, 0.998, 7),
        (2, 40_000.0, 100, Sizes::Rare(50), 0.99, 5),
        (16, 5_600.0, 20, Sizes::Phases(300), 0.87, 9),
    ] {
        let (rates, ends, burst) = leave(&Mix { pairs, mbps, deep, sizes }, if thorough() { 200_000 } else { 20_000 });
        assert!(rates[0] > least - ends && rates[1] < 1.01 + ends, "{rates:?} of the rate, {pairs} pairs");
        assert!(burst <= (most_ahead * LARGEST) as f64, "one of {pairs} pairs is {burst} bytes ahead of its rate");
    }
}
