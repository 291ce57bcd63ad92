//! The form with a traffic generator: its flows leave at their rates among the core's frames, are
//! answered, measured and counted; and a flow is one or the other's.
use super::super::inline::{PEER, PEER_MAC, data, is_ack, left_out};
use super::GENERATOR;
use super::card::Card;
use super::passes::{prepared_on, with};
use super::shell::{self, Board};
use std::collections::VecDeque;
use std::sync::Arc;
use timely_regs::corundum::Kind;
use timely_regs::counters::Counter;
use timely_regs::flow::FlowRecord;
use timely_regs::link::wire_bytes;
use timely_regs::parameters::Parameters;
use timely_regs::telemetry::TelemetryRecord;
use timely_regs::wire::{FIRST, Header, LAST};
use timely_tests::bench::answer;
use timely_tests::nic::PORT;
use timely_verilate::Library;

/// The flow that is the generator's, its rate, and the clocks that one of its frames then takes, of
/// 1,514 bytes.
const OWN: u32 = 9;
const MBPS: f64 = 2000.0;
const PERIOD: f64 = 1538.0 * 8000.0 / MBPS / 4.0;
/// From a frame's start at the MAC to its ACK's, where it is the last of its segment.
const DELAY: u64 = 500;

fn record(endless: bool) -> FlowRecord {
    FlowRecord {
        enable: true,
        endless,
        profile: 1,
        payload_bytes: 1424,
        segment_packets: 2,
        mac: PEER_MAC,
        source_port: 5000,
        destination_port: PORT,
        ttl: 64,
        address: PEER.into(),
        ..FlowRecord::default()
    }
}

/// A peer for all segments; the generator's frames by their starts, and the round trips of its
/// segments by the MAC's stamps.
#[derive(Default)]
struct Peer {
    due: VecDeque<(u32, u64, Vec<u8>)>,
    starts: Vec<u64>,
    tags: Vec<u128>,
    trips: Vec<u64>,
    hosts: u32,
}

impl Peer {
    fn tick(&mut self, card: &mut Card) {
        card.tick();
        for f in std::mem::take(&mut card.sent) {
            if is_ack(&f.bytes) {
                continue;
            }
            let header = Header::read(f.bytes[42..90].try_into().expect("48 bytes"));
            let own = f.user >> 1 & u128::from(card.tag(0)) == 0;
            if own {
                assert_eq!(header.flow, OWN);
                assert_eq!(f.bytes.len(), 1514, "a frame of the generator's");
                self.starts.push(f.clocks.0);
                self.tags.push(f.user >> 1);
            } else {
                self.hosts += 1;
            }
            // A frame out of a queue that names the generator's flow has no answer to wait for.
            if header.flags & LAST != 0 && own == (header.flow == OWN) {
                self.due.push_back((header.flow, f.clocks.0, answer(&f.bytes, 0, 0)));
            }
        }
        if self.due.front().is_some_and(|d| d.1 + DELAY <= card.clk()) && card.arriving() == 0 {
            let (flow, left, ack) = self.due.pop_front().expect("there is a front");
            if flow == OWN {
                self.trips.push((card.clk() - left) * super::card::CLOCK_NS);
            }
            card.arrive(card.clk(), ack, false);
        }
    }
}

fn telemetry(card: &mut Card, flow: u32) -> TelemetryRecord {
    with(card, |d| TelemetryRecord::from_words(&d.query_flow(flow).expect("an answer")))
}

fn counter(card: &mut Card, which: Counter) -> u32 {
    with(card, |d| d.counters().expect("counters")[which as usize])
}

/// A card whose flow 9 is the generator's, at 2 Gb/s.
fn generating(board: &Board) -> Card {
    generating_on(&super::library(board, false, GENERATOR), board)
}

/// A card whose generator has a flow that always sends, of that library.
pub fn generating_on(library: &Arc<Library>, board: &Board) -> Card {
    let mut card = prepared_on(library, board, GENERATOR, 8, 1);
    with(&mut card, |d| {
        let profile = Parameters { outstanding_bytes: 0, ..Parameters::fixed(MBPS) };
        d.write_profile(1, &profile.quantise().expect("a profile")).expect("a profile");
        d.load_flow(OWN, &record(true)).expect("a flow");
        d.doorbell(OWN, 8).expect("a doorbell");
    });
    card
}

/// A packet posted at a time, of 126 bytes: the flow has its rate, for its pacer decides no farther
/// ahead than the generator needs, whatever `LEAD` is.
#[test]
fn a_doorbell_of_one_packet_has_the_rate() {
    if left_out("nic::corundum") {
        return;
    }
    let board = shell::generating().into_iter().find(|b| b.bus == 64).expect("a board of 10G");
    let mut card = generating(&board);
    let short = FlowRecord { payload_bytes: 36, segment_packets: 1, ..record(true) };
    with(&mut card, |d| {
        d.load_flow(OWN, &FlowRecord { enable: false, ..short }).expect("a flow");
        d.load_flow(OWN + 1, &short).expect("a flow");
        d.doorbell(OWN + 1, 1).expect("a doorbell");
    });
    let mut starts = vec![];
    let end = card.clk() + 20_000;
    while starts.len() < 60 {
        card.tick();
        starts.extend(std::mem::take(&mut card.sent).iter().filter(|f| f.bytes.len() == 126).map(|f| f.clocks.0));
        assert!(card.clk() < end, "{} frames", starts.len());
    }
    let clocks = starts[59] - starts[19];
    let mbps = 40.0 * f64::from(wire_bytes(126)) * 2000.0 / clocks as f64;
    println!("64 bits: {mbps:.1} Mb/s with one packet posted");
    assert!((mbps / MBPS - 1.0).abs() < 0.005, "{mbps} Mb/s");
}

/// Alone, its frames are a period apart at the MAC, to a clock; beside the host's, of which there
/// are always some, they keep the rate, the host's none the less take what is left of the bus; each
/// of its segments has a round trip, that of the MAC's stamps.
fn keeps_its_rate(board: &Board) {
    let mut card = generating(board);
    let mut peer = Peer::default();
    while peer.starts.len() < 40 {
        peer.tick(&mut card);
        assert!(card.clk() < 400_000, "only {} frames", peer.starts.len());
    }
    let gaps: Vec<u64> = peer.starts[8..].windows(2).map(|w| w[1] - w[0]).collect();
    let (least, most) = (gaps.iter().min().expect("gaps"), gaps.iter().max().expect("gaps"));
    println!("{} bits: alone, {least} to {most} clocks from frame to frame; {PERIOD} are due", board.bus);
    assert!((*least as f64 - PERIOD).abs() <= 2.0 && (*most as f64 - PERIOD).abs() <= 2.0, "{board:?}: {least} to {most}");

    let (alone, from) = (peer.starts.len(), card.clk());
    let mut hosts = 0;
    while peer.starts.len() < alone + 60 {
        if card.on_their_way() < 6 {
            // One in ten out of the queue of the generator's number, which is not a flow.
            let queue = if hosts % 10 == 9 { OWN } else { 5 };
            card.transmit(hosts, queue as u16, data(queue, hosts, FIRST | LAST, 1514, true));
            hosts += 1;
        }
        peer.tick(&mut card);
        assert!(card.clk() < from + 800_000, "{} frames, {} of the host's", peer.starts.len(), peer.hosts);
    }
    let frames = peer.starts.len() - 1 - alone;
    let clocks = peer.starts[peer.starts.len() - 1] - peer.starts[alone];
    let mbps = frames as f64 * f64::from(wire_bytes(1514)) * 2000.0 / clocks as f64;
    println!("{} bits: {mbps:.1} Mb/s of the generator's beside {hosts} frames of the host's", board.bus);
    assert!((mbps / MBPS - 1.0).abs() < 0.005, "{board:?}: {mbps} Mb/s");
    // Segments under way come to their end.
    with(&mut card, |d| d.enable(false).expect("a register"));
    for _ in 0..20_000 {
        peer.tick(&mut card);
    }
    let (own, host) = (telemetry(&mut card, OWN), telemetry(&mut card, 5));
    let sent = peer.starts.len() as u32;
    assert_eq!((own.packets, own.segments), (sent, sent / 2), "{board:?}: {own:?}");
    assert_eq!((own.samples as usize, peer.trips.len()), (sent as usize / 2, sent as usize / 2), "{board:?}: {own:?}");
    assert_eq!((host.packets, peer.hosts), (hosts - hosts / 10, hosts), "{board:?}: {host:?}");
    assert_eq!(counter(&mut card, Counter::TxFrames), sent + hosts - hosts / 10, "{board:?}");
    let rtt = own.rtt.expect("round trips");
    let least = *peer.trips.iter().min().expect("trips") as f64 - (1514.0 + 4.0) * 52429.0 / 65536.0;
    println!("{} bits: {} segments, least round trip {} ns, of the stamps {least:.1} ns", board.bus, own.segments, rtt.min_ns);
    assert!((f64::from(rtt.min_ns) - least).abs() <= 1.5, "{rtt:?}, expected {least}");
    // Completions of the generator's frames end here.
    let of_core: Vec<_> = card.stamped.iter().filter(|c| c.0 & card.tag(0) != 0).copied().collect();
    assert_eq!(card.completed, of_core, "{board:?}: completions of the core's");
    let mut tags = peer.tags.clone();
    tags.sort_unstable();
    tags.dedup();
    assert_eq!(tags.len(), peer.tags.len(), "{board:?}: a tag twice");
}

#[test]
fn a_generated_flow_keeps_its_rate_and_is_measured() {
    if left_out("nic::corundum") {
        return;
    }
    shell::generating().iter().for_each(keeps_its_rate);
}

/// The scheduler is told nothing of a flow of the generator's but that it is none; a doorbell of a
/// posted flow is refused. Loaded as a posted flow it is the scheduler's, and the generator sends
/// no more.
fn is_one_or_the_other(board: &Board) {
    let mut card = generating(board);
    let window = 1 << (23 - board.values(&[])["IF_COUNT"].ilog2());
    let words = |card: &Card, kind: Kind| -> Vec<u32> {
        card.written.iter().filter(|w| w.0 == window + kind.address(board.flow_bits, OWN)).map(|w| w.1).collect()
    };
    let mut peer = Peer::default();
    while peer.trips.len() < 8 {
        peer.tick(&mut card);
        assert!(card.clk() < 400_000, "only {} round trips", peer.trips.len());
    }
    let [loads, rates, releases] = [Kind::Load, Kind::Rate, Kind::Release].map(|k| words(&card, k));
    assert!(
        loads.iter().all(|w| w & 1 == 0) && loads.len() == 1 && rates.is_empty() && releases.is_empty(),
        "{loads:?} {rates:?} {releases:?}"
    );
    assert_eq!(counter(&mut card, Counter::DoorbellsRefused), 0);
    with(&mut card, |d| d.doorbell(5, 3).expect("a doorbell"));
    for _ in 0..50 {
        peer.tick(&mut card);
    }
    assert_eq!(counter(&mut card, Counter::DoorbellsRefused), 1, "a doorbell of a flow whose packets are a queue's");
    with(&mut card, |d| d.load_flow(OWN, &record(false)).expect("a flow"));
    // Until frames that wait for their launch have left.
    for _ in 0..10_000 {
        peer.tick(&mut card);
    }
    let sent = peer.starts.len();
    for _ in 0..20_000 {
        peer.tick(&mut card);
    }
    assert_eq!(peer.starts.len(), sent, "{board:?}: the generator goes on");
    let [loads, rates] = [Kind::Load, Kind::Rate].map(|k| words(&card, k));
    assert!(loads.last().is_some_and(|w| w & 1 == 1) && !rates.is_empty(), "{board:?}: {loads:?}, {rates:?}");
    println!("{} bits: {sent} frames until the flow was the host's", board.bus);
}

#[test]
fn a_flow_is_the_generators_or_a_queue() {
    if left_out("nic::corundum") {
        return;
    }
    shell::generating().iter().for_each(is_one_or_the_other);
}
