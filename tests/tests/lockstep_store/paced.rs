//! The store behind the pacer: slow flows that flood it do not slow a fast one.
use super::promises::Source;
use std::collections::VecDeque;
use timely_model::Block;
use timely_model::bus::{FlowLoad, ProfileWrite};
use timely_model::pacer::Timing;
use timely_model::pacer::top::{In, Pacer};
use timely_model::store::{self, Arrival, CELL_BYTES, Store};
use timely_regs::flow::FlowRecord;
use timely_regs::profile;

const FLOWS: u32 = 1000;
const FAST: u32 = 1023;
const MBPS: u32 = 1 << 12;
/// Cells of a flow that stores no packet more: with them, all flows fit.
const BOUND: u16 = 24;
/// Of 4 ns.
const CLOCKS: u64 = 1_000_000;

/// Store and pacer, their clocks and streams joined.
struct Pair {
    store: Store,
    pacer: Pacer,
    clk: u64,
    loads: VecDeque<FlowLoad>,
    rates: VecDeque<(u32, u32)>,
    profiles: VecDeque<ProfileWrite>,
}

impl Pair {
    fn new(profiles: VecDeque<ProfileWrite>) -> Self {
        Pair {
            store: Store::new(10, 15, 512),
            pacer: Pacer::new(10, Timing::default()),
            clk: 0,
            loads: VecDeque::new(),
            rates: VecDeque::new(),
            profiles,
        }
    }

    fn step(&mut self, arrival: Option<Arrival>, bound: u16) -> store::Out {
        let (out, paced) = (self.store.output(self.clk), self.pacer.output(self.clk));
        let load = if out.swept && paced.swept { self.loads.pop_front() } else { None };
        let rate = if load.is_none() && out.swept && paced.swept { self.rates.pop_front() } else { None };
        let profile = if out.swept && paced.swept { self.profiles.pop_front() } else { None };
        self.store.step(
            self.clk,
            &store::In {
                arrival,
                load: load.map(|l| store::Load { flow: l.flow, enable: l.enable(), keep: l.keep() }),
                bound,
                doorbell_ready: paced.doorbell_ready,
                grant: paced.grant.map(|g| (g.flow, g.launch)),
                ready: true,
                ..store::In::default()
            },
        );
        self.pacer.step(
            self.clk,
            &In {
                doorbell: out.doorbell.map(|flow| (flow, 1)),
                charge: out.charge,
                rate,
                profile,
                load,
                now: (self.clk * 4) << 16,
                grant_ready: out.grant_ready,
                ..In::default()
            },
        );
        self.clk += 1;
        out
    }
}

/// 1,000 flows of 1 Mb/s, whose hosts send all the time, share the store with one of 10 or 40 Gb/s
/// that has packets when it needs them: it keeps its rate. The slow ones fill the input but for its
/// packets, and are refused beyond their bounds.
#[test]
fn a_fast_flow_keeps_its_rate_among_a_thousand_slow_ones() {
    for (gbps, bytes) in [(10, 1514), (40, 1514), (10, 200)] {
        let mut pair = Pair::new(VecDeque::from([ProfileWrite { profile: 0, word: profile::TOKEN_CAP.word, data: 16_384 }]));
        let record =
            FlowRecord { enable: true, payload_bytes: bytes - 90, ..FlowRecord::default() }.pack().expect("a record within its ranges");
        for flow in (0..FLOWS).chain([FAST]) {
            pair.loads.push_back(FlowLoad { flow, record });
            pair.rates.push_back((flow, if flow == FAST { gbps * 1000 * MBPS } else { MBPS }));
        }
        while !pair.rates.is_empty() {
            pair.step(None, BOUND);
        }
        // The hosts of the slow flows take every other packet's place, whether or not it is stored;
        // the fast one's waits for room.
        let mut slow = Source::new(512, 1514, FLOWS);
        let mut fast = Source::new(512, usize::from(bytes), 1);
        let (mut of_fast, mut inside) = (false, false);
        let (mut stored, mut fast_left, mut slow_left, mut refused) = (0i64, Vec::new(), 0u64, 0u64);
        let from = pair.clk;
        let mut starts = true;
        let at_once = i64::from(u32::from(BOUND) / u32::from(bytes).div_ceil(CELL_BYTES));
        while pair.clk < from + CLOCKS {
            let ready = pair.store.output(pair.clk).ready;
            let arrival = if ready {
                if !inside {
                    of_fast = !of_fast && stored - (fast_left.len() as i64) < at_once;
                    stored += i64::from(of_fast);
                }
                let a = if of_fast { Arrival { flow: FAST, ..fast.next() } } else { slow.next() };
                inside = !a.beat.last;
                Some(a)
            } else {
                None
            };
            let out = pair.step(arrival, BOUND);
            refused += u64::from(out.refused);
            if let Some((beat, side)) = out.beat {
                if starts && side.flow == FAST {
                    fast_left.push(pair.clk);
                } else if starts {
                    slow_left += 1;
                }
                starts = beat.last;
            }
        }
        // The first quarter is the start.
        let at = fast_left.partition_point(|clk| *clk < from + CLOCKS / 4);
        let (packets, clocks) = (fast_left.len() - 1 - at, fast_left[fast_left.len() - 1] - fast_left[at]);
        let measured = packets as f64 * f64::from(u32::from(bytes) + 24) * 8.0 / (clocks as f64 * 4.0);
        println!(
            "{gbps} Gb/s of {bytes} bytes among {FLOWS} flows of 1 Mb/s: {measured:.4} Gb/s; {slow_left} slow packets left, {refused} refused"
        );
        assert!((measured / f64::from(gbps) - 1.0).abs() < 0.001, "{measured} Gb/s");
        assert!(refused > 1000, "the slow flows do not flood the store");
        // Each flow's first packet comes at once, its second 12.3 ms later.
        assert!((900..=1100).contains(&slow_left), "{slow_left} slow packets");
    }
}

/// A flow is disabled while a packet of it is on its way in, and enabled again, keeping its state,
/// before or after the packet is whole: what is sent from then on all leaves, and nothing is left
/// behind.
#[test]
fn nothing_stays_behind_a_disable_in_mid_packet() {
    const FLOW: u32 = 700;
    let record = |enable, keep| FlowRecord { enable, keep, payload_bytes: 1424, ..FlowRecord::default() }.pack().expect("within ranges");
    let load = |enable, keep| FlowLoad { flow: FLOW, record: record(enable, keep) };
    // Clocks from the disable to the packet's end, and to the load that enables.
    for (ends, enables) in [(1, 40), (1, 200), (1, 1000), (30, 40), (30, 31), (30, 300), (100, 1000), (100, 2000), (500, 40), (2000, 1000)]
    {
        let mut pair = Pair::new(VecDeque::from([ProfileWrite { profile: 0, word: profile::TOKEN_CAP.word, data: 16_384 }]));
        pair.loads.push_back(load(true, false));
        pair.rates.push_back((FLOW, 100_000 * MBPS));
        while !pair.rates.is_empty() {
            pair.step(None, BOUND);
        }
        for _ in 0..50_000 {
            pair.step(None, BOUND);
        }
        let packet = |meta: u128| {
            let frame = vec![meta as u8; 1514];
            let beats: Vec<_> = timely_model::stream::beats(&frame, 512).collect();
            beats.into_iter().map(move |beat| Arrival { beat, flow: FLOW, ends: true, meta }).collect::<VecDeque<_>>()
        };
        let mut cut = packet(1);
        for _ in 0..5 {
            pair.step(cut.pop_front(), BOUND);
        }
        pair.loads.push_back(load(false, false));
        let (from, mut left) = (pair.clk, Vec::new());
        let mut more: VecDeque<Arrival> = (2..8).flat_map(packet).collect();
        for _ in 0..30_000 {
            let at = pair.clk - from;
            if at == enables {
                pair.loads.push_back(load(true, true));
            }
            let arrival = if at >= ends && !cut.is_empty() {
                cut.pop_front()
            } else if cut.is_empty() && at > enables.max(ends) + 3000 {
                more.pop_front()
            } else {
                None
            };
            let out = pair.step(arrival, BOUND);
            left.extend(out.beat.filter(|(beat, _)| beat.last).map(|(_, side)| side.meta));
        }
        left.retain(|meta| *meta != 1);
        assert_eq!(left, [2, 3, 4, 5, 6, 7], "the packet ended {ends} clocks after the disable, {enables} to the enable");
        assert_eq!(pair.store.queued(FLOW), 0, "the packet ended {ends} clocks after the disable, {enables} to the enable");
    }
}

/// 1,023 flows that have a packet to send and rate 0, as raw registers can set it, beside one of
/// 9.5 Gb/s: it keeps its rate. One of theirs whose rate is raised sends.
#[test]
fn flows_of_rate_0_cost_others_nothing() {
    let mut pair = Pair::new(VecDeque::from([ProfileWrite { profile: 0, word: profile::TOKEN_CAP.word, data: 16_384 }]));
    let record = FlowRecord { enable: true, payload_bytes: 1424, ..FlowRecord::default() }.pack().expect("a record within its ranges");
    for flow in 0..1024 {
        pair.loads.push_back(FlowLoad { flow, record });
        pair.rates.push_back((flow, if flow == FAST { 9500 * MBPS } else { 0 }));
    }
    while !pair.rates.is_empty() {
        pair.step(None, BOUND);
    }
    for _ in 0..20_000 {
        pair.step(None, BOUND);
    }
    let mut stopped = Source::new(512, 300, 1023);
    for _ in 0..1023 * 5 {
        let arrival = Arrival { ..stopped.next() };
        pair.step(Some(arrival), BOUND);
    }
    let mut fast = Source::new(512, 1514, 1);
    let (from, mut stored, mut left, mut slow) = (pair.clk, 0, Vec::new(), 0);
    let mut inside = false;
    while pair.clk < from + 200_000 {
        let sends = pair.store.output(pair.clk).ready && (inside || stored - (left.len() as u64) < 3);
        let arrival = sends.then(|| {
            let a = Arrival { flow: FAST, ..fast.next() };
            inside = !a.beat.last;
            stored += u64::from(a.beat.last);
            a
        });
        let out = pair.step(arrival, BOUND);
        if let Some((beat, side)) = out.beat.filter(|(beat, _)| beat.last) {
            assert!(beat.last);
            if side.flow == FAST { left.push(pair.clk) } else { slow += 1 }
        }
        if pair.clk == from + 100_000 {
            pair.rates.push_back((5, 1000 * MBPS));
        }
    }
    let at = left.len() / 4;
    let gbps = (left.len() - 1 - at) as f64 * 1538.0 * 8.0 / ((left[left.len() - 1] - left[at]) as f64 * 4.0);
    println!("{gbps:.4} Gb/s of 9.5 among 1,023 flows of rate 0");
    assert!((gbps / 9.5 - 1.0).abs() < 0.001, "{gbps} Gb/s");
    assert_eq!(slow, 1, "packets of the flow whose rate was raised, and of no other");
}
