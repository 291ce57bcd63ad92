//! The right outcome of every ACK and every time-out, found from the history alone, with whole
//! numbers of unlimited width.
use crate::world::{Faults, World, base, signal};
use std::collections::{BTreeMap, VecDeque};
use timely_model::bus::{ACK_ACCEPTED, Ack, KIND_TIMEOUT, RTT_MAX, Sample};
use timely_model::{Block, check, rtt};
use timely_regs::counters::{COUNTERS, Counter};
use timely_regs::profile::ONE_WAY_WINDOW_BITS;
use timely_tests::{cycles, quick, rng, seeds};

const FLOW_BITS: u32 = 3;
/// Few places, so that some segments lose theirs before their ACK comes.
const RING_BITS: u32 = 6;
/// In place of a clock: the last packet is still to come.
const OPEN: u64 = u64::MAX / 2;
/// Clocks from a segment's end to its entry: at least, and at most while ACKs come first.
const ENTRY: [u64; 2] = [9, 64];
/// Clocks in which all flows are looked at, with as many for what comes first.
const SCAN: u64 = (2 * 8) << FLOW_BITS;
const TIMEOUT_NS: u32 = 256_000;
/// ns a clock: so that there are some windows of one-way delays in the run, and no wrap of the
/// time.
const CLOCK_NS: u64 = 256;

#[derive(Default)]
struct Segment {
    number: u32,
    nonce: u32,
    place: u16,
    /// Bytes of the flow up to its end.
    bytes: u64,
    /// Clock of its last packet.
    closed: u64,
    /// Start of the RTT in 2^-16 ns, and the clock at which it was known.
    start: Option<(u64, u64)>,
    /// Clock at which another segment took its place.
    evicted: Option<u64>,
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
    /// Segments released, their bytes, and the clock of the operation that released the last.
    done: usize,
    released: u64,
    progress: u64,
}

impl Flow {
    /// The signal of an ACK at clock `at`, ns, from the least delay of its window and the one
    /// before.
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
        // As long as the RTT is no queue: a date stepped, and what was known is of another.
        let rtt = a.ts.wrapping_sub(start) as i64 >> 16;
        let known = known.filter(|_| delay - least < rtt);
        let least = if delay - least < rtt { least } else { delay };
        self.delays.push(OneWay { at, window, delay, known });
        (i64::from(base(self.profile)) + delay - least).min(RTT_MAX.into())
    }

    /// The segment that an ACK at clock `at` may release, and whether it must.
    fn wanted(&self, a: &Ack, at: u64) -> Option<(usize, bool)> {
        let index = (self.done..self.segments.len()).find(|i| {
            let s = &self.segments[*i];
            s.closed < OPEN && s.number as u16 == a.segment as u16 && s.place == a.place && s.nonce == a.nonce
        })?;
        let s = &self.segments[index];
        if s.closed + ENTRY[0] > at || s.evicted.is_some_and(|e| e + ENTRY[1] <= at) {
            return None;
        }
        Some((index, s.closed + ENTRY[1] <= at && s.evicted.is_none_or(|e| e + ENTRY[0] > at)))
    }

    /// Releases up to and with a segment; gives its bytes.
    fn release(&mut self, index: usize, at: u64) -> u64 {
        let bytes = self.segments[index].bytes - self.released;
        (self.released, self.done, self.progress) = (self.segments[index].bytes, index + 1, at);
        bytes
    }

    fn outstanding(&self) -> bool {
        self.segments.get(self.done).is_some_and(|s| s.closed < OPEN)
    }
}

/// A sample of an accepted ACK is of its segment's start.
fn check_sample(
    f: &mut Flow,
    (a, now_ns): (&Ack, u32),
    at: u64,
    index: usize,
    sample: Option<Sample>,
    samples: &mut [u64; 3],
    exceeding: &mut [u64; 2],
) {
    let known = f.segments[index].start.filter(|(_, known)| known + 15 <= at);
    let Some((start, _)) = known else {
        assert_eq!(sample, None, "no start is known, clock {at}");
        return;
    };
    let sample = sample.unwrap_or_else(|| panic!("no sample of an ACK at clock {at}"));
    let rtt = (a.ts.wrapping_sub(start) as i64).max(0) >> 16;
    let residence = ((a.departure.wrapping_sub(a.arrival)) >> 16).min(RTT_MAX.into()) as i64;
    let one_way = f.one_way(a, at, start);
    let signal = signal(f.profile);
    // A residence longer than the RTT is not believed. Stamps have 8 fraction bits, rounded.
    let less = if residence > rtt { rtt } else { rtt - residence };
    let less = if residence.abs_diff(rtt) <= 1 && i64::from(sample.rtt_ns) <= 2 { 0 } else { less };
    let exact = [rtt, less, one_way][signal as usize];
    let off = i64::from(sample.rtt_ns) - exact;
    assert!(off.abs() <= 2, "signal {signal}: {exact} stated as {}, clock {at}", sample.rtt_ns);
    let heard = i64::from(sample.endpoint_ns);
    let unbelieved = residence >= rtt && heard == 0;
    assert!(unbelieved || residence <= rtt + 1 && (heard - residence).abs() <= 1, "residence {residence}: {sample:?}");
    // Of a path of 0 to 15 hops.
    let hops = (i16::from(a.ttl_sent) - i16::from(a.ttl_seen)).clamp(0, 15) as u8;
    assert_eq!((sample.kind, sample.flow, sample.now_ns, sample.hops), (0, a.flow, now_ns, hops));
    let lost = match a.loss >> 6 {
        1 => a.loss & 63,
        2 => (a.loss & 63) + 1,
        _ => 0,
    };
    assert_eq!(sample.lost, lost, "byte {:#x}", a.loss);
    exceeding[0] += u64::from(residence > rtt + 1);
    exceeding[1] += u64::from(residence >= rtt);
    samples[signal as usize] += 1;
}

/// An accepted ACK gives the right sample and the right bytes, any other gives nothing; a flow
/// without progress times out when it must and not before; and at last nothing is left.
#[test]
fn every_ack_gives_what_history_says() {
    for seed in seeds() {
        println!("seed {seed}");
        let faults = Faults {
            lose_completion: 0.05,
            stand: 0.0,
            odd_completion: 0.0,
            odd_echo: 0.05,
            lose_ack: 0.15,
            repeat_ack: 0.1,
            forge: 0.05,
            stray_ack: 0.0,
            load: 0.0,
            gap: 0.0,
            profile: 0.0,
            rst: 0.0,
            step: 0.0,
            epoch: 0.0,
        };
        let mut world = World::new(rng(seed), FLOW_BITS, RING_BITS, 6, 0.1, TIMEOUT_NS, faults);
        world.set_step(CLOCK_NS << 16);
        world.set_ns_per_byte(52429);
        world.wild = false;
        world.soonest = ENTRY[1] + 1;
        let mut model = rtt::Rtt::new(FLOW_BITS, RING_BITS);
        let mut flows: BTreeMap<u32, Flow> = BTreeMap::new();
        let mut tags = BTreeMap::new();
        let mut acks: BTreeMap<u64, (Ack, u32)> = BTreeMap::new();
        let mut places: BTreeMap<u16, (u32, usize)> = BTreeMap::new();
        let mut sampled: VecDeque<Option<Sample>> = VecDeque::from([None]);
        let (mut count, mut accepted, mut samples, mut timeouts) = ([0u64; COUNTERS], 0u64, [0u64; 3], 0u64);
        let (mut exceeding, mut acks_given, mut lost_place, mut quiet) = ([0; 2], 0, 0, 0);
        for clk in 0.. {
            let out = model.output(clk);
            for (bit, n) in count.iter_mut().enumerate() {
                *n += out.pulses >> bit & 1;
            }
            // Of the operation of five clocks ago: an ACK's outcome, or a time-out's release; its
            // sample came a clock ago.
            let (at, sample) = (clk.wrapping_sub(5), sampled.pop_front().unwrap());
            sampled.push_back(out.sample);
            let ack = acks.remove(&at);
            let said = out.acked.map(|k| k.outcome);
            if let Some((a, now_ns)) = ack {
                let flow = flows.get_mut(&a.flow);
                assert_eq!(out.acked.map(|k| k.flow), flow.as_ref().map(|_| a.flow), "an outcome of flows that exist, clock {at}");
                let wanted = flow.as_ref().and_then(|f| f.wanted(&a, at));
                if said == Some(ACK_ACCEPTED) {
                    let (index, _) = wanted.unwrap_or_else(|| panic!("{a:?} accepted, clock {at}"));
                    let f = flow.unwrap();
                    check_sample(f, (&a, now_ns), at, index, sample, &mut samples, &mut exceeding);
                    let release = out.release.expect("an accepted ACK releases");
                    assert_eq!((release.flow, u64::from(release.bytes)), (a.flow, f.release(index, at)), "clock {at}");
                    accepted += 1;
                } else {
                    assert!(wanted.is_none_or(|(_, must)| !must), "{a:?} refused with {said:?}, clock {at}");
                    assert_eq!((sample, out.release), (None, None), "an ACK that is refused changes nothing, clock {at}");
                    let f = flow.into_iter().flat_map(|f| &f.segments);
                    lost_place += f.filter(|s| s.evicted.is_some() && s.nonce == a.nonce && s.number == a.segment).count();
                }
            } else if let Some(s) = sample {
                assert_eq!((s.kind, s.rtt_ns), (KIND_TIMEOUT, RTT_MAX), "clock {at}");
                let f = flows.get_mut(&s.flow).unwrap();
                let release = out.release.expect("a time-out releases");
                assert_eq!(release.flow, s.flow);
                // All that had ended, as far as it was seen.
                let sum = f.released + u64::from(release.bytes);
                let index = f.segments.iter().position(|s| s.closed < OPEN && s.bytes == sum).expect("up to the end of a segment");
                assert!(f.segments[index].closed + 5 <= at && f.segments.get(index + 1).is_none_or(|s| s.closed + ENTRY[1] > at));
                let since = f.progress.max(f.segments[f.done].closed);
                let (waited, timeout) = ((at - since) * CLOCK_NS, u64::from(TIMEOUT_NS * (1 + f.profile)));
                let latest = timeout + (SCAN + ENTRY[1]) * CLOCK_NS;
                assert!((timeout - 4..=latest).contains(&waited), "timed out after {waited} ns for {timeout}, clock {at}");
                f.release(index, at);
                timeouts += 1;
            } else {
                assert_eq!(out.release, None, "clock {at}");
            }
            let outstanding = flows.values().any(Flow::outstanding);
            // What ended last is counted a few clocks later.
            let idle = clk > cycles() && !outstanding && world.is_drained() && acks.is_empty();
            quiet = if idle { quiet + 1 } else { 0 };
            if quiet == 64 {
                break;
            }
            assert!(clk < cycles() + 200_000, "segments stay outstanding, seed {seed}");
            world.stopped = clk >= cycles();
            if world.stopped {
                world.faults.lose_ack = 1.0;
                world.faults.forge = 0.0;
            }

            let i = world.next(clk, out.swept);
            if let Some(l) = i.flow {
                flows.insert(l.flow, Flow { profile: l.profile().into(), ..Flow::default() });
            }
            if let Some(a) = i.ack {
                // The nonce that the ACK echoes and its source, as one.
                let ack = Ack { nonce: a.nonce ^ check::product(world.key, a.source), ..a };
                acks.insert(clk, (ack, (i.now >> 16) as u32));
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
                    (segment.number, segment.nonce, segment.place, segment.closed) = (s.segment, s.nonce, s.place, clk);
                    segment.bytes = before + u64::from(s.segment_bytes);
                    if let Some((flow, index)) = places.insert(s.place, (s.flow, index)) {
                        flows.get_mut(&flow).unwrap().segments[index].evicted = Some(clk);
                    }
                }
            }
            if let Some(c) = i.completion
                && let Some((s, index)) = tags.remove(&c.tag)
            {
                let (s, index): (timely_model::bus::Sent, usize) = (s, index);
                let f = flows.get_mut(&s.flow).unwrap();
                let frame = u64::from(s.wire_bytes - 20) * u64::from(i.ns_per_byte);
                // The start that the last packet's completion makes known: its own, or that of the
                // first packet, if that came.
                let start = &mut f.segments[index].start;
                match f.profile % 3 {
                    0 if s.last => *start = Some((c.ts.wrapping_add(frame), clk)),
                    n @ 1..=2 if s.first => *start = Some((if n == 1 { c.ts } else { s.launch }, if s.last { clk } else { OPEN })),
                    1..=2 if s.last => *start = start.map(|(start, _)| (start, clk)),
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
        let without = of(Counter::SamplesUnstamped) + of(Counter::SamplesAcrossStep);
        assert_eq!(samples.iter().sum::<u64>() + without, accepted, "every accepted ACK gives a sample or is counted, once");
        println!("{closed} segments, {accepted} accepted, {samples:?} samples by signal, {timeouts} time-outs, counters {count:?}");
        let counted = of(Counter::ResidenceAboveRtt);
        assert!(exceeding[0] > 0 && (exceeding[0]..=exceeding[1]).contains(&counted), "{exceeding:?} residences above the RTT: {counted}");
        let all = [Counter::AckStale, Counter::AckForged, Counter::AckRepeated, Counter::AckUnknownFlow, Counter::AcksSkipped];
        assert!(
            quick() || (timeouts > 0 && lost_place > 0 && samples.iter().all(|s| *s > 0) && all.into_iter().all(|c| of(c) > 0)),
            "the run exercised too little: {lost_place} ACKs of segments without a place, {count:?}"
        );
    }
}
