//! What must come of every ACK, found from the history alone, with whole numbers of unlimited width.
use crate::world::{Faults, World};
use std::collections::BTreeMap;
use timely_model::bus::{Ack, KIND_TIMEOUT, RTT_MAX};
use timely_model::{Block, rtt};
use timely_regs::counters::Counter;
use timely_tests::{cycles, rng, seeds};

const FLOW_BITS: u32 = 3;
const SLOTS: usize = 4;
/// In place of a clock: the last packet is still to come.
const OPEN: u64 = u64::MAX / 2;

#[derive(Default)]
struct Segment {
    number: u32,
    nonce: u32,
    /// Bytes of the flow up to its end.
    bytes: u64,
    /// Clock of its last packet.
    closed: u64,
    /// Start of the RTT in 2^-16 ns, and the clock at which it was known.
    start: Option<(u64, u64)>,
}

#[derive(Default)]
struct Flow {
    profile: u32,
    segments: Vec<Segment>,
    /// Segments released, and their bytes.
    done: usize,
    released: u64,
}

struct Expected {
    flow: u32,
    bytes: u64,
}

/// An accepted ACK gives the right sample and the right bytes, any other gives nothing, and at last nothing is left.
#[test]
fn every_ack_gives_what_history_says() {
    for seed in seeds() {
        let faults = Faults {
            lose_completion: 0.05,
            odd_completion: 0.0,
            lose_ack: 0.15,
            repeat_ack: 0.1,
            forge: 0.05,
            stray_ack: 0.02,
            load: 0.0,
            gap: 0.0,
            profile: 0.0,
            rst: 0.0,
        };
        let timeout = 4000;
        let mut world = World::new(rng(seed), FLOW_BITS, 6, 0.1, timeout, faults);
        world.set_step(4 << 16);
        world.set_ns_per_byte(52429);
        let mut model = rtt::Rtt::new(FLOW_BITS, SLOTS.trailing_zeros());
        let mut flows: BTreeMap<u32, Flow> = BTreeMap::new();
        let mut tags = BTreeMap::new();
        let mut acks: BTreeMap<u64, Ack> = BTreeMap::new();
        let mut release: Option<Expected> = None;
        let (mut count, mut accepted, mut samples, mut timeouts) = ([0u64; 32], 0u64, 0u64, 0u64);
        let mut acks_given = 0;
        for clk in 0.. {
            let out = model.output(clk);
            for (bit, n) in count.iter_mut().enumerate() {
                *n += u64::from(out.pulses >> bit & 1);
            }
            // What the decision of the clock before releases.
            match (release.take(), out.release) {
                (None, None) => {}
                (Some(e), Some(r)) => {
                    assert_eq!((e.flow, e.bytes), (r.flow, r.bytes.into()), "release, clock {clk}, seed {seed}");
                }
                (e, r) => panic!("release {r:?}, expected {:?}, clock {clk}, seed {seed}", e.map(|e| (e.flow, e.bytes))),
            }
            // What the ACK of four clocks ago decides.
            let ack = acks.remove(&clk.wrapping_sub(4));
            let hit = ack.and_then(|a| {
                let at = clk - 4;
                let f = flows.get(&a.flow)?;
                let visible = f.segments.iter().take_while(|s| s.closed + 5 <= at).count();
                let index = (f.done..visible).find(|i| f.segments[*i].number == a.segment)?;
                (index + SLOTS >= visible && f.segments[index].nonce == a.nonce).then_some((a, at, index))
            });
            if let Some((a, at, index)) = hit {
                let f = flows.get_mut(&a.flow).unwrap();
                let s = &f.segments[index];
                let known = |s: &&Segment| s.start.is_some_and(|(_, known)| known + 4 <= at);
                // The segment that will have this slot may have its stamp there already.
                let evicted = f.segments.get(index + SLOTS).filter(known).is_some();
                match (Some(s).filter(known).filter(|_| !evicted).and_then(|s| s.start), out.sample) {
                    (None, None) => {}
                    (Some((start, _)), Some(sample)) => {
                        let exact = (a.ts.wrapping_sub(start) as i64).max(0);
                        let stated = i64::from(sample.rtt_ns) << 16;
                        assert!((stated - exact).abs() <= 1 << 16, "RTT {exact} stated as {stated}, clock {clk}, seed {seed}");
                        assert_eq!((sample.kind, sample.flow, sample.now_ns), (0, a.flow, (a.ts >> 16) as u32));
                        samples += 1;
                    }
                    (e, s) => panic!("sample {s:?}, expected {e:?}, clock {clk}, seed {seed}"),
                }
                release = Some(Expected { flow: a.flow, bytes: s.bytes - f.released });
                f.released = s.bytes;
                f.done = index + 1;
                accepted += 1;
            } else if let Some(s) = out.sample {
                assert_eq!((s.kind, s.rtt_ns, ack), (KIND_TIMEOUT, RTT_MAX, None), "clock {clk}, seed {seed}");
                let f = flows.get_mut(&s.flow).unwrap();
                // The oldest in a slot, as the turn saw it: a segment may have been sent since.
                let index = f.done.max(f.segments.iter().take_while(|s| s.closed + 9 <= clk).count().saturating_sub(SLOTS));
                let age = (clk - 4 - f.segments[index].closed) * (world.step() >> 16);
                assert!(age >= u64::from(timeout * (1 + f.profile)), "timed out after {age} ns, clock {clk}, seed {seed}");
                release = Some(Expected { flow: s.flow, bytes: f.segments[index].bytes - f.released });
                f.released = f.segments[index].bytes;
                f.done = index + 1;
                timeouts += 1;
            }
            let outstanding = flows.values().any(|f| f.segments.get(f.done).is_some_and(|s| s.closed < OPEN));
            if clk > cycles() && !outstanding && world.is_drained() && acks.is_empty() && release.is_none() && clk % 64 == 0 {
                break;
            }
            assert!(clk < cycles() + 200_000, "segments stay outstanding, seed {seed}");
            world.stopped = clk >= cycles();
            // A flow's first number is a new base, which waits for a clock without an ACK.
            world.faults.stray_ack = if clk < 3000 { 0.0 } else { 0.02 };
            if world.stopped {
                world.faults.lose_ack = 1.0;
                world.faults.forge = 0.0;
            }

            let i = world.next(clk, out.swept);
            if let Some(l) = i.flow {
                flows.insert(l.flow, Flow { profile: l.profile().into(), ..Flow::default() });
            }
            if let Some(a) = i.ack {
                acks.insert(clk, a);
                acks_given += 1;
            }
            if let Some(c) = i.completion
                && let Some((s, index)) = tags.remove(&c.tag)
            {
                let (s, index): (timely_model::bus::Sent, usize) = (s, index);
                let f = flows.get_mut(&s.flow).unwrap();
                if f.segments.len() == index {
                    f.segments.push(Segment { closed: OPEN, ..Segment::default() });
                }
                let frame = u64::from(s.wire_bytes - 20) * u64::from(i.ns_per_byte);
                match f.profile % 3 {
                    0 if s.last => f.segments[index].start = Some((c.ts.wrapping_add(frame), clk)),
                    1 if s.first => f.segments[index].start = Some((c.ts, clk)),
                    2 if s.first => f.segments[index].start = Some((s.launch, clk)),
                    _ => {}
                }
            }
            if let Some(s) = i.sent {
                let f = flows.get_mut(&s.flow).unwrap();
                let open = f.segments.last().is_some_and(|l| l.closed > clk);
                if !open && s.first {
                    f.segments.push(Segment { closed: OPEN, ..Segment::default() });
                }
                let index = f.segments.len() - 1;
                tags.insert(s.tag, (s, index));
                if s.last {
                    let before = if index > 0 { f.segments[index - 1].bytes } else { 0 };
                    let segment = &mut f.segments[index];
                    (segment.number, segment.nonce, segment.closed) = (s.segment, s.nonce, clk);
                    segment.bytes = before + u64::from(s.segment_bytes);
                }
            }
            model.step(clk, &i);
        }
        let closed: usize = flows.values().map(|f| f.segments.iter().filter(|s| s.closed < OPEN).count()).sum();
        let of = |c: Counter| count[c as usize];
        assert_eq!(
            accepted + of(Counter::AcksSkipped) + of(Counter::SegmentTimeouts),
            closed as u64,
            "every segment is acknowledged, skipped or timed out, once"
        );
        let refused = of(Counter::AckStale) + of(Counter::AckForged) + of(Counter::AckRepeated) + of(Counter::AckUnknownFlow);
        assert_eq!(accepted + refused, acks_given, "every ACK is accepted or counted, once");
        println!("{closed} segments, {accepted} accepted, {samples} samples, {timeouts} time-outs, counters {count:?}");
        let all = [Counter::AckStale, Counter::AckForged, Counter::AckRepeated, Counter::AckUnknownFlow, Counter::AcksSkipped];
        assert!(timeouts > 0 && samples > 0 && all.into_iter().all(|c| of(c) > 0), "the run exercised too little: {count:?}");
    }
}
