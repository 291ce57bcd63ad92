//! What must come of every ACK, found from the history alone, with whole numbers of unlimited width.
use crate::world::{Faults, World, base, signal};
use std::collections::BTreeMap;
use timely_model::bus::{Ack, KIND_TIMEOUT, RTT_MAX};
use timely_model::{Block, rtt};
use timely_regs::counters::Counter;
use timely_regs::profile::ONE_WAY_WINDOW_BITS;
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

/// A one-way delay that a sample was of.
struct OneWay {
    /// Clock of the ACK.
    at: u64,
    window: u64,
    /// ns.
    delay: i64,
    /// The last one before it that counted when its ACK came.
    known: Option<usize>,
}

#[derive(Default)]
struct Flow {
    profile: u32,
    offset: Option<u32>,
    delays: Vec<OneWay>,
    segments: Vec<Segment>,
    /// Segments released, and their bytes.
    done: usize,
    released: u64,
}

impl Flow {
    /// The signal of an ACK at clock `at`, ns, from the least delay of its window and the one before.
    fn one_way(&mut self, a: &Ack, at: u64, start: u64) -> i64 {
        // Any offset will do, as far as differences of 32 bits go: that of the first.
        let delay = (a.arrival.wrapping_sub(start) >> 16) as u32;
        let delay = i64::from(delay.wrapping_sub(*self.offset.get_or_insert(delay)) as i32);
        let window = a.ts >> (16 + ONE_WAY_WINDOW_BITS);
        let known = self.delays.iter().rposition(|d| d.at + 5 <= at);
        let (mut least, mut next) = (delay, known);
        while let Some(d) = next.map(|i| &self.delays[i]).filter(|d| window - d.window <= 1) {
            (least, next) = (least.min(d.delay), d.known);
        }
        self.delays.push(OneWay { at, window, delay, known });
        (i64::from(base(self.profile)) + delay - least).min(RTT_MAX.into())
    }
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
            stand: 0.0,
            odd_completion: 0.0,
            odd_echo: 0.05,
            lose_ack: 0.15,
            repeat_ack: 0.1,
            forge: 0.05,
            stray_ack: 0.02,
            load: 0.0,
            gap: 0.0,
            profile: 0.0,
            rst: 0.0,
            step: 0.0,
        };
        let timeout = 256_000;
        let mut world = World::new(rng(seed), FLOW_BITS, 6, 0.1, timeout, faults);
        // So that there are some windows of one-way delays in the run, and no wrap of the time.
        world.set_step(256 << 16);
        world.set_ns_per_byte(52429);
        world.wild = false;
        let mut model = rtt::Rtt::new(FLOW_BITS, SLOTS.trailing_zeros());
        let mut flows: BTreeMap<u32, Flow> = BTreeMap::new();
        let mut tags = BTreeMap::new();
        let mut acks: BTreeMap<u64, Ack> = BTreeMap::new();
        let mut release: Option<Expected> = None;
        let (mut count, mut accepted, mut samples, mut timeouts) = ([0u64; 32], 0u64, [0u64; 3], 0u64);
        let mut exceeding = [0; 2];
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
                let (s, bytes) = (&f.segments[index], f.segments[index].bytes);
                let known = |s: &&Segment| s.start.is_some_and(|(_, known)| known + 11 <= at);
                // The segment that will have this slot may have its stamp there already.
                let evicted = f.segments.get(index + SLOTS).filter(known).is_some();
                match (Some(s).filter(known).filter(|_| !evicted).and_then(|s| s.start), out.sample) {
                    (None, None) => {}
                    (Some((start, _)), Some(sample)) => {
                        let rtt = (a.ts.wrapping_sub(start) as i64).max(0) >> 16;
                        let residence = ((a.departure.wrapping_sub(a.arrival)) >> 16).min(RTT_MAX.into()) as i64;
                        let one_way = f.one_way(&a, at, start);
                        let signal = signal(f.profile);
                        let exact = [rtt, (rtt - residence).max(0), one_way][signal as usize];
                        let stated = i64::from(sample.rtt_ns);
                        // Stamps have 8 fraction bits, and are rounded.
                        assert!((stated - exact).abs() <= 2, "signal {signal}: {exact} stated as {stated}, clock {clk}, seed {seed}");
                        assert!((i64::from(sample.endpoint_ns) - residence).abs() <= 1, "residence {residence}: {sample:?}, seed {seed}");
                        let hops = a.ttl_sent.wrapping_sub(a.ttl_seen);
                        assert_eq!((sample.kind, sample.flow, sample.now_ns, sample.hops), (0, a.flow, (a.ts >> 16) as u32, hops));
                        exceeding[0] += u64::from(residence > rtt + 1);
                        exceeding[1] += u64::from(residence >= rtt);
                        samples[signal as usize] += 1;
                    }
                    (e, s) => panic!("sample {s:?}, expected {e:?}, clock {clk}, seed {seed}"),
                }
                release = Some(Expected { flow: a.flow, bytes: bytes - f.released });
                f.released = bytes;
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
        println!("{closed} segments, {accepted} accepted, {samples:?} samples by signal, {timeouts} time-outs, counters {count:?}");
        let counted = of(Counter::ResidenceAboveRtt);
        assert!(exceeding[0] > 0 && (exceeding[0]..=exceeding[1]).contains(&counted), "{exceeding:?} residences above the RTT: {counted}");
        let all = [Counter::AckStale, Counter::AckForged, Counter::AckRepeated, Counter::AckUnknownFlow, Counter::AcksSkipped];
        assert!(
            timeouts > 0 && samples.iter().all(|s| *s > 0) && all.into_iter().all(|c| of(c) > 0),
            "the run exercised too little: {count:?}"
        );
    }
}
