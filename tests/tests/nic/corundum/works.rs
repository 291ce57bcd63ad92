//! Round trips, registers, DMA.
use super::super::inline::{PEER, data, left_out};
use super::card::{Buffer, CLOCK_NS, Card, Registers};
use super::passes::{prepared, with};
use super::shell::{Board, plain};
use std::collections::VecDeque;
use timely_regs::corundum::{Kind, load_word};
use timely_regs::device::{Device, Error, Only, RingSettings};
use timely_regs::event::EventRecord;
use timely_regs::flow::FlowRecord;
use timely_regs::map::{MAGIC, dma, id, time};
use timely_regs::telemetry::TelemetryRecord;
use timely_regs::wire::{FIRST, Header, LAST};
use timely_tests::bench::answer;

/// A peer answers segments of `flow`, `delay` clocks after their last packet's start; gives the
/// round trips by the MAC's stamps, ns.
fn converse(card: &mut Card, flow: u16, segments: u32, delay: u64) -> Vec<u64> {
    let (mut due, mut trips, mut n) = (VecDeque::new(), Vec::new(), 0);
    let end = card.clk() + 40_000 + u64::from(segments) * 3 * 1000;
    while trips.len() < segments as usize {
        if n < 3 * segments && card.on_their_way() < 4 {
            let flags = [FIRST, 0, LAST][n as usize % 3];
            card.transmit(n, flow, data(flow.into(), n / 3, flags, 1514, true));
            n += 1;
        }
        card.tick();
        for f in std::mem::take(&mut card.sent) {
            if Header::read(f.bytes[42..90].try_into().expect("48 bytes")).flags & LAST != 0 {
                due.push_back((f.clocks.0, f.clocks.0 + delay, answer(&f.bytes, 0, 0)));
            }
        }
        if due.front().is_some_and(|d| d.1 <= card.clk()) && card.arriving() == 0 {
            let (left, _, ack) = due.pop_front().expect("there is a front");
            let at = card.clk();
            trips.push((at - left) * CLOCK_NS);
            card.arrive(at, ack, false);
        }
        assert!(card.clk() < end, "answers are missing");
    }
    for _ in 0..200 {
        card.tick();
    }
    trips
}

fn told(card: &mut Card, flow: u32) -> TelemetryRecord {
    with(card, |d| TelemetryRecord::from_words(&d.query_flow(flow).expect("an answer")))
}

/// The round trip is the one between the MAC's stamps, less the wire time of the last packet; a
/// flow whose packets come from another's queue has none.
#[test]
fn round_trips_are_those_of_the_stamps() {
    if left_out("nic::corundum") {
        return;
    }
    for board in &plain() {
        let mut card = prepared(board, 8, 1);
        let trips = converse(&mut card, 5, 20, 500);
        let record = told(&mut card, 5);
        assert_eq!((record.samples, record.segments, record.packets), (20, 20, 60), "{board:?}: {record:?}");
        let rtt = record.rtt.expect("round trips");
        // 1,514 bytes and FCS at 10 Gb/s: a stamp is that of a frame's first byte, behind its
        // preamble.
        let wire = (1514.0_f64 + 4.0) * 52429.0 / 65536.0;
        let expected = |ns: &u64| *ns as f64 - wire;
        let least = expected(trips.iter().min().expect("trips"));
        println!("{} bits: least round trip {} ns, of the stamps {least:.1} ns", board.bus, rtt.min_ns);
        assert!((f64::from(rtt.min_ns) - least).abs() <= 1.5, "{rtt:?}, expected {least}");
        // Writes to the scheduler: the flow's load, its latest rate, the bytes of its segments.
        let values = board.values(&[]);
        let window = 1 << (23 - values["IF_COUNT"].ilog2());
        let told = |kind: Kind| {
            card.written.iter().filter(move |w| w.0 == window + kind.address(board.flow_bits, 5)).map(|w| w.1).collect::<Vec<_>>()
        };
        let flow = FlowRecord { enable: true, payload_bytes: 1424, address: PEER.into(), ..FlowRecord::default() };
        assert_eq!(told(Kind::Load), [load_word(&flow.pack().expect("a record"))], "{board:?}");
        assert_eq!(told(Kind::Rate).last(), Some(&record.rate), "{board:?}");
        // Bytes that were released as a frame left were taken back by its segment's end.
        let sum = |releases: &[u32]| releases.iter().fold(0u32, |sum, bytes| sum.wrapping_add(*bytes));
        assert_eq!(sum(&told(Kind::Release)), 60 * 1538, "{board:?}");
        let queue_words = card.written.iter().filter(|w| w.0 < window || w.0 - window < Kind::Rate.address(board.flow_bits, 0)).count();
        assert_eq!(queue_words, 0, "{board:?}: words of Corundum's own");
        // Frames that no ACK can answer hold nothing up: without our header, of another flow, of a
        // segment that does not end. A queue that is no flow has nothing to release.
        let frames = [
            (5, vec![0; 60], 84),
            (5, data(4, 1, FIRST | LAST, 1514, true), 1538),
            (5, data(5, 99, FIRST, 1000, true), 1024),
            (9, vec![0; 60], 0),
        ];
        for (n, (queue, bytes, _)) in (60..).zip(&frames) {
            card.transmit(n, *queue, bytes.clone());
            for _ in 0..500 {
                card.tick();
            }
        }
        let told = |flow: u32| {
            let at = window + Kind::Release.address(board.flow_bits, flow);
            card.written.iter().filter(|w| w.0 == at).map(|w| w.1).collect::<Vec<_>>()
        };
        assert_eq!((sum(&told(5)), told(9)), (60 * 1538 + 84 + 1538 + 1024, vec![]), "{board:?}");
    }
}

/// The registers are those of every shell's; the time is PTP's from the start; a doorbell is
/// refused.
#[test]
fn registers_are_reached_and_time_is_that_of_the_stamps() {
    if left_out("nic::corundum") {
        return;
    }
    for board in &plain() {
        let mut card = prepared(board, 1, 1);
        let bus = board.bus as u32;
        let (now, clk) = with(&mut card, |d| {
            assert_eq!((d.build().bus_bits, d.flows(), d.read(&id::MAGIC_WORD).expect("a register")), (bus, 1 << board.flow_bits, MAGIC));
            assert_eq!((d.read(&time::SOURCE).expect("a register"), d.read(&time::LEAD).expect("a register")), (1, 8000));
            (d.now().expect("a register"), d.bus().0.borrow().clk())
        });
        let behind = super::card::time_of_day(clk).linear().wrapping_sub(now) >> 16;
        println!("{bus} bits: a read of the time ended {behind} ns after it");
        assert!(behind < 40 * CLOCK_NS, "{behind} ns");
    }
}

fn dma(board: &Board) {
    let mut card = prepared(board, 0, 1);
    let registers = Registers((&mut card).into());
    let device = Device::open(&registers).expect("the register map");
    device.start_dma().expect("a register");
    let record = |i: u32| FlowRecord { enable: true, payload_bytes: 1424, source_port: i as u16, ..FlowRecord::default() };
    let records: Vec<_> = (0..64).map(record).collect();
    device.load_flows(&Buffer(&registers, 0, 8192), 0, &records).expect("loads");
    let taken = device.snapshot(&Buffer(&registers, 0x4000, 8192), 0, 64).expect("a snapshot");
    assert!(taken.iter().all(|r| r.updates == 1 && r.rate == taken[0].rate && r.rate != 0), "{board:?}: a flow was not loaded");
    for flow in [0, 1, 63] {
        let told = TelemetryRecord::from_words(&device.query_flow(flow).expect("an answer"));
        assert_eq!(told.timeless(), taken[flow as usize].timeless(), "{board:?}: flow {flow}");
    }
    device.stop_dma().expect("it stops");
    // Records of what the law does.
    let memory = Buffer(&registers, 0x1_0000, 64 << 8);
    let mut ring = device.start_ring(&memory, &RingSettings { bits: 8, watermark: 1, holdoff_clocks: 100 }).expect("a ring");
    device.record_events(1, Only::default()).expect("registers");
    converse(&mut registers.0.borrow_mut(), 5, 10, 300);
    let mut events = Vec::new();
    device.read_ring(&mut ring, &memory, |words| events.push(EventRecord::from_words(&words).expect("a record"))).expect("records");
    let told = TelemetryRecord::from_words(&device.query_flow(5).expect("an answer"));
    assert_eq!(events.len(), 10, "{board:?}: {events:?}");
    assert!(events.iter().all(|e| e.flow == 5) && events[9].rate == told.rate, "{board:?}: {events:?}");
    // An error of the DMA engine ends the snapshot.
    registers.0.borrow_mut().failing = true;
    let ended = device.snapshot(&Buffer(&registers, 0, 8192), 0, 4);
    assert!(matches!(ended, Err(Error::Dma { code, .. }) if code == dma::Code::Memory as u32), "{ended:?}");
    println!("{} bits: 64 flows loaded and read, 10 event records", board.bus);
}

#[test]
fn loads_snapshots_and_events_go_by_dma() {
    if left_out("nic::corundum") {
        return;
    }
    plain().iter().for_each(dma);
}
